"""What is wrong with a contract: event clauses, the whole of it, and every finding ordered by place."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations

from tracepact.declarations import OnStage, dataclass, silent
from tracepact.diagnostics.findings import Diagnostic, Severity, TextPlace
from tracepact.language.contract import Contract, EventClause, FrameClause, Located
from tracepact.language.formula import And, Formula, Iff, Not
from tracepact.language.predicate import Each, EventAtom, Owner, attributes
from tracepact.logic.arithmetic import EventExample, EventQuestion
from tracepact.logic.decisions import Budget
from tracepact.logic.event_questions import ContractQuestions
from tracepact.logic.frame_findings import (
    OF_SOUND_CLAUSES,
    FrameFindings,
    constant_parts,
    grouped,
    redundant_parts,
    repeated,
)
from tracepact.logic.models import with_prediction
from tracepact.logic.predictions import (
    ALWAYS_ASKED,
    asks_for_a_partner,
    closing_clause,
    evasion,
    perfect_violation,
    unnoticed_faults,
)
from tracepact.logic.value_findings import ContractText, ValueFindings, atom_of, off_grid
from tracepact.wording import listed, ms

# What is wrong with event clauses: predicates that no intervals satisfy or violate, contradictory bounds.

_MATCHED = {"matched", "ref.matched", "pred.matched"}
_EACH = {Each.REF: "reference interval", Each.PRED: "predicted interval", Each.MATCHED: "matched pair"}


@dataclass(slots=True)
class EventFindings:
    """The findings on the event clauses of one contract."""

    text: ContractText
    ask: ContractQuestions

    def findings(self, *, notes: bool) -> Iterator[Diagnostic]:
        """Clause by clause, then between the clauses that can both hold and fail."""
        sound: list[EventClause] = []
        for clause in self.text.contract.event_clauses:
            here = [one for one in self._clause(clause) if notes or one.severity is not Severity.NOTE]
            yield from here
            if all(d.code in OF_SOUND_CLAUSES for d in here):
                sound.append(clause)
        yield from filter(None, map(self._evaded, sound))
        yield from self._clashes(sound)
        groups = grouped(sound, self._same)
        yield from repeated(groups, self.text.contract, "for exactly the intervals for which")
        if notes:
            yield from self._implied([group[0] for group in groups])

    def _evaded(self, clause: EventClause) -> Diagnostic | None:
        """That a fault takes away the pair by which the clause would judge it, and that no clause notices."""
        contract = self.text.contract
        self.ask.watch(f"`{clause.name}` can be evaded")
        shown = evasion(clause, contract)
        if shown is None:
            return None
        return Diagnostic(
            "clause-evaded",
            f"`{clause.name}` is evaded: {shown.words}, and no clause notices",
            self.text.place(clause.body.span),
            f"add `{closing_clause(contract)}`, which fails here",
            EventExample(shown.obligation).words(contract.step),
        )

    def _clashes(self, clauses: list[EventClause]) -> Iterator[Diagnostic]:
        """Two clauses on the same intervals that none satisfies both of, though each can be satisfied."""
        for first, second in combinations(clauses, 2):
            both = self._between(And(first.formula, second.formula), first, second)
            place = self.text.place(second.body.span)
            question = f"`{first.name}` and `{second.name}` can hold together"
            if first.each is second.each and self.ask.event_possible(both, question, place) is False:
                yield Diagnostic(
                    "clauses-clash",
                    f"no {_EACH[first.each]} satisfies both `{first.name}` and `{second.name}`",
                    place,
                    f"here `{second.name}` fails; change one of them",
                    self._shown(self._question(first, first.formula)),
                )

    def _implied(self, clauses: list[EventClause]) -> Iterator[Diagnostic]:
        for strong, weak in permutations(clauses, 2):
            if strong.each is weak.each and self._impossible(And(strong.formula, Not(weak.formula)), strong, weak):
                other_way = self._between(And(weak.formula, Not(strong.formula)), strong, weak)
                yield Diagnostic(
                    "clause-implied",
                    f"where `{strong.name}` holds, `{weak.name}` holds as well",
                    self.text.place(weak.body.span),
                    trace=self._shown(other_way),
                )

    def _clause(self, clause: EventClause) -> Iterator[Diagnostic]:
        place, kind = self.text.place(clause.body.span), _EACH[clause.each]
        if self._possible(clause, clause.formula, f"some {kind} satisfies `{clause.name}`", clause.body) is False:
            yield from self._contradiction(clause)
            return
        if self._possible(clause, Not(clause.formula), f"some {kind} violates `{clause.name}`", clause.body) is False:
            yield Diagnostic(
                "clause-never-fails",
                f"every {kind} satisfies `{clause.name}`",
                place,
                self._grid_hint(clause, clause.body) or f"its score is 1 wherever there is a {kind}; ask for more",
                self._shown(self._question(clause, clause.formula)),
            )
            return
        constant = [d for part in clause.body.parts for d in self._constants(clause, part)]
        yield from constant
        if not constant:
            redundant = redundant_parts(clause.body, self.text, lambda formula, at: self._never(clause, formula, at))
            yield from map(self._softened, redundant)
        if clause.each is not Each.PRED and self.ask.event_ignores_prediction(self._question(clause, clause.formula)):
            yield Diagnostic(
                "ignores-prediction",
                f"whether a {kind} satisfies `{clause.name}` is settled by the reference alone",
                place,
                "ask for something of the prediction",
                self._shown(self._question(clause, Not(clause.formula))),
            )
        else:
            yield from self._perfect(clause)

    def _perfect(self, clause: EventClause) -> Iterator[Diagnostic]:
        """A prediction that is the reference and fails, as scoring finds it."""
        example = perfect_violation(clause, self.text.contract, self.ask.budget)
        if example is not None:
            yield Diagnostic(
                "perfect-prediction-fails",
                f"a prediction that is the reference itself violates `{clause.name}`, as here",
                self.text.place(clause.body.span),
                "ask for something that a perfect prediction does",
                example.words(self.text.contract.step),
            )

    def _softened(self, finding: Diagnostic) -> Diagnostic:
        """A note where all that can go is `matched`: who writes it beside `iou >= 0.5` says what is meant."""
        assert isinstance(finding.place, TextPlace)
        if self.text.quoted(finding.place.span) not in _MATCHED:
            return finding
        return replace(finding, code="matched-said-twice", help="it may stay: it says that a partner is asked for")

    def _never(self, clause: EventClause, formula: Formula, part: Located) -> bool:
        question = f"`{self.text.quoted(part.span)}` can be deleted"
        return self._possible(clause, formula, question, part) is False

    def _contradiction(self, clause: EventClause) -> Iterator[Diagnostic]:
        """The fewest conjuncts that no interval satisfies together."""
        parts = _conjuncts(clause.body)
        # Deletion of one part after the other gives a minimal set that contradicts itself, with as many questions as
        # parts (Chinneck and Dravnieks 1991).
        kept = list(parts)
        for part in parts:
            rest = [p for p in kept if p is not part]
            if rest and self._possible(clause, _all(rest), f"`{clause.name}` can hold", clause.body) is False:
                kept = rest
        span = kept[0].span.to(kept[-1].span)
        if len(kept) == 1:
            yield Diagnostic(
                "clause-never-holds",
                f"no {_EACH[clause.each]} satisfies `{clause.name}`",
                self.text.place(span),
                self._grid_hint(clause, kept[0]) or f"its score is 0 wherever there is a {_EACH[clause.each]}",
                self._shown(self._question(clause, Not(clause.formula))),
            )
            return
        texts = " and ".join(f"`{self.text.quoted(part.span)}`" for part in kept)
        yield Diagnostic(
            "contradictory-bounds",
            f"no {_EACH[clause.each]} satisfies {texts} together",
            self.text.place(span),
            "widen one of them",
        )

    def _constants(self, clause: EventClause, part: Located) -> Iterator[Diagnostic]:
        def impossible(formula: Formula, question: str, at: Located) -> bool:
            return self._possible(clause, formula, question, at) is False

        where = f"for every {_EACH[clause.each]}"
        return constant_parts(part, self.text, impossible, where, lambda at: self._grid_hint(clause, at))

    def _grid_hint(self, clause: EventClause, part: Located) -> str | None:
        """What the grid has to do with it: times that are equal to none on it."""
        for inner in part.everywhere():
            atom = atom_of(clause, inner)
            hint = off_grid(atom, self.text.contract.step) if atom is not None else None
            if hint is not None:
                return "; ".join(hint)
        return None

    # Questions

    def _question(self, clause: EventClause, formula: Formula) -> EventQuestion:
        return EventQuestion.of(clause, self.text.contract, formula)

    def _between(self, formula: Formula, first: EventClause, second: EventClause) -> EventQuestion:
        atoms: dict[str, EventAtom] = {**dict(first.event_atoms), **dict(second.event_atoms)}
        return EventQuestion(formula, first.each, atoms, self.text.contract)

    def _possible(self, clause: EventClause, formula: Formula, question: str, part: Located) -> bool | None:
        return self.ask.event_possible(self._question(clause, formula), question, self.text.place(part.span))

    def _shown(self, question: EventQuestion) -> str | None:
        example = self.ask.event_example(question)
        return example.words(self.text.contract.step) if example else None

    def _same(self, first: EventClause, second: EventClause) -> bool:
        return first.each is second.each and self._impossible(Not(Iff(first.formula, second.formula)), first, second)

    def _impossible(self, formula: Formula, first: EventClause, second: EventClause) -> bool:
        question = f"`{first.name}` and `{second.name}` differ"
        place = self.text.place(second.body.span)
        return self.ask.event_possible(self._between(formula, first, second), question, place) is False


def _conjuncts(body: Located) -> list[Located]:
    if isinstance(body.formula, And) and len(body.parts) == 2:
        return [c for part in body.parts for c in _conjuncts(part)]
    return [body]


def _all(parts: list[Located]) -> Formula:
    formula = parts[0].formula
    for part in parts[1:]:
        formula = And(formula, part.formula)
    return formula


# What is wrong with a contract as a whole: constant predictions that pass, settings that hide or serve nothing.

_ALWAYS_ON = (
    "no clause notices `always on`, a detector that is always on: on no trace does it violate anything",
    "ask for silence between events as well: `on pred_active : N[…] ref_active`",
)
_SILENT = (
    "no clause notices `silent`, a detector that never fires: on no trace does it violate anything",
    "ask for activity as well: `on ref_active : N[…] pred_active`",
)
_SHOWN = 2000
"""Times a weight in the sum of all: of less nothing is seen in a value of three decimals."""
_PIECES = ("covering", "longest_gap", "shortest_gap")
"""The attributes of a reference that count or measure the pieces of what was predicted for it."""


@dataclass(slots=True)
class WholeFindings:
    """The findings on one contract as a whole."""

    text: ContractText
    ask: ContractQuestions

    def findings(self, *, notes: bool) -> Iterator[Diagnostic]:
        """A warning for each constant prediction that passes; with `notes`, what settings and obligations do."""
        yield from self._matcher_search()
        yield from self._weights()
        if len(self.text.contract.clauses) > 1:
            yield from self.constant_predictions()
        if notes:
            yield from self._merge_gap()
            yield from self._matcher()
            yield from self._nothing_predicted()

    def constant_predictions(self) -> Iterator[Diagnostic]:
        """A warning for each constant prediction that violates no clause on any trace."""
        contract = self.text.contract
        # Frame clauses are mostly settled by samples, event clauses often need Z3; the first that notices ends it.
        cheap_first: tuple[FrameClause | EventClause, ...] = (*contract.frame_clauses, *contract.event_clauses)
        for active, (headline, way) in ((True, _ALWAYS_ON), (False, _SILENT)):
            if all(self._passes(clause, active=active) for clause in cheap_first):
                yield Diagnostic("constant-prediction-passes", headline, self._place("contract"), way)

    def unnoticed(self, *, notes: bool) -> Iterator[Diagnostic]:
        """A warning for misses, false alarms and slips in one direction that nothing notices; else a note."""
        contract = self.text.contract
        self.ask.watch("a kind of fault goes unnoticed")
        for fault in unnoticed_faults(contract):
            is_fault = fault.one_sided or fault.kind.name in ALWAYS_ASKED
            if is_fault or notes:
                but = f", though {fault.kind.opposite} do" if fault.one_sided else ""
                yield Diagnostic(
                    "fault-unnoticed" if is_fault else "fault-not-asked",
                    f"{fault.kind.name} violate nothing, as `{fault.kind.system}` has them{but}",
                    self._place("contract"),
                    f"if they matter, ask for what they lack: `{fault.kind.clause}`",
                    EventExample(fault.obligation).words(contract.step),
                )

    def _matcher_search(self) -> Iterator[Diagnostic]:
        """A matcher that pairs only events with an edge in the same frame."""
        contract = self.text.contract
        if contract.matcher.search < contract.step and any(map(asks_for_a_partner, contract.event_clauses)):
            yield Diagnostic(
                "search-below-step",
                f"the matcher searches {ms(contract.matcher.search)}, less than a frame of {ms(contract.step)}: a "
                "prediction whose edges are both a frame off has no partner",
                self._place("matcher"),
                "search at least as far as an edge may be off",
            )

    def _weights(self) -> Iterator[Diagnostic]:
        """Weights that no value of their profile shows."""
        for profile in self.text.contract.profiles:
            total = sum((weight for _, weight in profile.weights), Fraction(0))
            small = [name for name, weight in profile.weights if weight * _SHOWN < total]
            if small:
                yield Diagnostic(
                    "weight-without-effect",
                    f"profile `{profile.name}` shows nothing of {listed(small)}: from 1 to 0 it changes the value by "
                    "less than 0.0005",
                    self._place(f"profile {profile.name}"),
                    "give a weight that counts, or leave the clause out",
                )

    def _place(self, statement: str) -> TextPlace:
        places = self.text.contract.statements
        return self.text.place(places.get(statement, places["contract"]))  # a default stands nowhere

    def _passes(self, clause: FrameClause | EventClause, *, active: bool) -> bool:
        """Whether a constant prediction violates the clause on no trace, for certain."""
        match clause:
            case FrameClause():
                violated = with_prediction(And(clause.obligation, Not(clause.formula)), active=active)
                question = f"`{clause.name}` notices a constant prediction"
                return self.ask.possible(violated, question, self.text.place(clause.body.span)) is False
            case EventClause(each=Each.MATCHED):
                return False  # without a pair it scores 0 (rule 7.4), and a constant prediction may have none
            case EventClause(each=Each.PRED) if not active:
                return False
            case EventClause():
                return self.ask.event_constant(EventQuestion.of(clause, self.text.contract), active=active)

    # Notes

    def _merge_gap(self) -> Iterator[Diagnostic]:
        contract = self.text.contract
        joined = contract.merge_gap // contract.step * contract.step
        counting = [
            clause.name
            for clause in contract.event_clauses
            for name, owner in _attributes(clause)
            if name in _PIECES and owner is Owner.REF
        ]
        if joined and counting and "merge_gap" in contract.statements:
            counting = list(dict.fromkeys(counting))
            counts = "counts" if len(counting) == 1 else "count"
            yield Diagnostic(
                "merge-gap-hides-fragments",
                f"pieces up to {ms(joined)} apart are joined before {listed(counting)} {counts} them",
                self._place("merge_gap"),
                "a smaller `merge_gap` lets them count",
            )

    def _matcher(self) -> Iterator[Diagnostic]:
        """A declared matcher on which no clause depends."""
        contract = self.text.contract
        if "matcher" in contract.statements and not any(map(asks_for_a_partner, contract.event_clauses)):
            yield Diagnostic(
                "matcher-not-used",
                "no clause asks about partners, so the matcher serves the boundary metric alone",
                self._place("matcher"),
                "leave it out, or ask about `matched` intervals",
            )

    def _nothing_predicted(self) -> Iterator[Diagnostic]:
        clauses = [clause for clause in self.text.contract.event_clauses if clause.each is not Each.REF]
        if clauses:
            names = listed([clause.name for clause in clauses])
            scores = "scores" if len(clauses) == 1 else "score"
            yield Diagnostic(
                "silence-scores-zero",
                f"{names} {scores} 0 where there are references and nothing is predicted",
                self.text.place(clauses[0].body.span),
            )


def _attributes(clause: EventClause) -> list[tuple[str, Owner]]:
    return [(attribute.name, attribute.owner) for _, atom in clause.event_atoms for attribute in attributes(atom)]


# Everything `check` finds in a contract that compiles, ordered by place.

CHECK_BUDGET = Budget()
"""What one question of a check may cost unless the caller says otherwise."""


def check_contract(
    contract: Contract,
    *,
    notes: bool = False,
    budget: Budget = CHECK_BUDGET,
    watch: OnStage = silent,
) -> list[Diagnostic]:
    """Warnings, with `notes` also notes; questions that stayed open are always among them; `watch` is told each."""
    text, ask = ContractText(contract), ContractQuestions(contract, budget, watch)
    whole = WholeFindings(text, ask)
    findings = [
        *ValueFindings(text).warnings(),
        *FrameFindings(text, ask).findings(notes=notes),
        *EventFindings(text, ask).findings(notes=notes),
        *whole.findings(notes=notes),
    ]
    # A clause that never fails passes for everybody: what is wrong with it is said, not what follows.
    nothing_else = not ask.undecided and all(d.severity is Severity.NOTE for d in (*contract.warnings, *findings))
    if len(contract.clauses) == 1 and nothing_else:
        findings.extend(whole.constant_predictions())
    if len(contract.clauses) > 1 and nothing_else:
        findings.extend(whole.unnoticed(notes=notes))
    return by_place([*findings, *dict.fromkeys(ask.undecided)])


def by_place(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """In the order of the text; what has no place comes first."""
    return sorted(findings, key=lambda d: d.place.span.start if isinstance(d.place, TextPlace) else -1)
