"""What is wrong with frame clauses, alone and in pairs, and parts that can be deleted."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import combinations, permutations
from typing import TypeVar

from tracepact.declarations import dataclass
from tracepact.diagnostics.findings import Diagnostic, TextPlace
from tracepact.language.contract import Contract, EventClause, FrameClause, Located
from tracepact.language.formula import And, Atom, Constant, Eventually, Formula, Iff, Implies, Not, Or, atoms, lookahead
from tracepact.logic.event_questions import ContractQuestions
from tracepact.logic.models import over_base_atoms, renamed
from tracepact.logic.predictions import perfected
from tracepact.logic.value_findings import ContractText
from tracepact.wording import count, listed, ms, print_number

# Parts that can be deleted: of a conjunction what the rest implies, of a disjunction what implies the rest.

Impossible = Callable[[Formula, Located], bool]
"""Whether a formula holds nowhere, for certain; the place is what the question is about."""


def redundant_parts(located: Located, text: ContractText, impossible: Impossible) -> Iterator[Diagnostic]:
    """The largest parts that can go, one for each conjunction or disjunction; constant parts are said elsewhere."""
    kind = type(located.formula)
    if kind not in (And, Or) or len(located.parts) != 2:
        for part in located.parts:
            yield from redundant_parts(part, text, impossible)
        return
    operands = _operands(located, kind)
    for k, operand in enumerate(operands):
        rest = [other for j, other in enumerate(operands) if j != k]
        whole = reduce(kind, [other.formula for other in rest])
        differs = And(whole, Not(operand.formula)) if kind is And else And(operand.formula, Not(whole))
        if not isinstance(operand.formula, Constant) and impossible(differs, operand):
            yield _redundant(operand, rest, text, is_implied=kind is And)
            # One at a time: two parts may each follow from the other, and then only one of them can go.
            operands = rest
            break
    for operand in operands:
        yield from redundant_parts(operand, text, impossible)


def _redundant(operand: Located, rest: list[Located], text: ContractText, *, is_implied: bool) -> Diagnostic:
    gone, others = f"`{text.quoted(operand.span)}`", ", ".join(f"`{text.quoted(other.span)}`" for other in rest)
    why = f"{others} implies it" if is_implied else f"it implies {others}"
    return Diagnostic(
        "redundant-part",
        f"{gone} can be deleted: {why}",
        text.place(operand.span),
        "delete it, or write what was meant",
    )


def _operands(located: Located, kind: type) -> list[Located]:
    if isinstance(located.formula, kind) and len(located.parts) == 2:
        return [operand for part in located.parts for operand in _operands(part, kind)]
    return [located]


def constant_parts(
    located: Located,
    text: ContractText,
    impossible: Callable[[Formula, str, Located], bool],
    where: str,
    way: Callable[[Located], str | None] = lambda part: None,
) -> Iterator[Diagnostic]:
    """The largest parts that are not written as a constant and are one; `where` says of what they are true or false."""
    if isinstance(located.formula, Constant):
        return
    part = text.quoted(located.span)
    for word, against in (("true", Not(located.formula)), ("false", located.formula)):
        if impossible(against, f"`{part}` is always {word}", located):
            help = way(located) or f"write `{word}`, or what was meant"
            yield Diagnostic("constant-formula", f"`{part}` is {word} {where}", text.place(located.span), help)
            return
    for inner in located.parts:
        yield from constant_parts(inner, text, impossible, where, way)


# Clauses that say the same: grouped, and reported once a group.

OF_SOUND_CLAUSES = {
    "constant-formula",
    "ignores-prediction",
    "matched-said-twice",
    "perfect-prediction-fails",
    "redundant-part",
    "vacuous-implication",
}
"""The findings on clauses that can still hold and fail."""

_Clause = TypeVar("_Clause", FrameClause, EventClause)


def grouped(clauses: Iterable[_Clause], same: Callable[[_Clause, _Clause], bool]) -> list[list[_Clause]]:
    """The clauses by what they say, each group in source order; a clause is compared with the first of each group."""
    groups: list[list[_Clause]] = []
    for clause in clauses:
        for group in groups:
            if same(group[0], clause):
                group.append(clause)
                break
        else:
            groups.append([clause])
    return groups


def repeated(groups: Iterable[Sequence[_Clause]], contract: Contract, where: str) -> Iterator[Diagnostic]:
    """That all clauses of a group but the first can go; `where` says for what they fail."""
    return (_repetition(group, contract, where) for group in groups if len(group) > 1)


def _repetition(group: Sequence[_Clause], contract: Contract, where: str) -> Diagnostic:
    first, *others = group
    names = listed([clause.name for clause in others])
    fail = "fails" if len(others) == 1 else "fail"
    weighed = [p.name for p in contract.profiles if {clause.name for clause in others} & set(dict(p.weights))]
    whose = "its weight" if len(others) == 1 else "their weights"
    move = f" and move {whose} in {listed(weighed)} to `{first.name}`" if weighed else ""
    return Diagnostic(
        "clauses-equivalent",
        f"{names} {fail} {where} `{first.name}` fails",
        TextPlace(contract.source, others[0].body.span),
        f"drop {names}{move}",
    )


# What is wrong between frame clauses: they repeat or imply each other, or cannot hold together.

SILENCE, SPURIOUS = "silence", "spurious"
"""The words in clause names that say which of two guards should be the tighter one."""

OF_THE_REFERENCE = frozenset({"ref_active", "ref_onset", "ref_offset", "other_ref_active"})
"""The atoms that no prediction changes."""


@dataclass(slots=True)
class FramePairs:
    """The findings between frame clauses that can each hold and fail."""

    text: ContractText
    ask: ContractQuestions

    def findings(self, clauses: Sequence[FrameClause], *, notes: bool) -> Iterator[Diagnostic]:
        """Guards that add nothing, clauses that clash, clauses that repeat; with `notes`, clauses that others imply."""
        for first, second in combinations(clauses, 2):
            yield from self._silence(first, second)
        yield from self._clashes(clauses)
        groups = grouped(clauses, self._same)
        yield from repeated(groups, self.text.contract, "at exactly the frames where")
        if notes:
            yield from self._implied([group[0] for group in groups])

    # Clauses that cannot hold together

    def _clashes(self, clauses: Sequence[FrameClause]) -> Iterator[Diagnostic]:
        """The fewest clauses of which not all can hold at a frame where all are obliged, though each alone can."""
        clashing: set[frozenset[str]] = set()
        for number in (2, 3):
            for some in combinations(clauses, number):
                names = frozenset(clause.name for clause in some)
                if any(known <= names for known in clashing) or not self._share_an_obligation(some):
                    continue
                if self._clash(some):
                    clashing.add(names)
                    yield self._clash_found(some)

    def _share_an_obligation(self, clauses: Sequence[FrameClause]) -> bool:
        """The same obligation, or obligations that no prediction avoids."""
        if all(atoms(clause.obligation) <= OF_THE_REFERENCE for clause in clauses):
            return True
        return all(self._same_obligation(clauses[0], clause) for clause in clauses[1:])

    def _clash(self, clauses: Sequence[FrameClause]) -> bool:
        together = _together([clause.obligation for clause in clauses])
        formulas = [clause.formula for clause in clauses]
        names = listed([clause.name for clause in clauses])
        place = self.text.place(clauses[-1].body.span)

        def can(formula: Formula) -> bool | None:
            return self.ask.possible(formula, f"{names} can hold together", place)

        if can(And(together, _together(formulas))) is not False:
            return False
        fewer = combinations(formulas, len(formulas) - 1)
        return all(can(And(together, _together(some))) for some in fewer)

    def _clash_found(self, clauses: Sequence[FrameClause]) -> Diagnostic:
        *others, last = clauses
        names = listed([clause.name for clause in clauses])
        together = _together([clause.obligation for clause in clauses])
        shown = self.ask.shown(And(together, _together([clause.formula for clause in others])), last.formula)
        return Diagnostic(
            "clauses-clash",
            f"{names} cannot hold together at a frame where {'both' if len(clauses) == 2 else 'all'} are obliged",
            self.text.place(last.body.span),
            f"here `{last.name}` fails; change one of them",
            shown,
        )

    # Clauses that others imply

    def _implied(self, clauses: list[FrameClause]) -> Iterator[Diagnostic]:
        alone: set[str] = set()
        for strong, weak in permutations(clauses, 2):
            if not any(self._silence(strong, weak)) and self._follow(weak, [strong]):
                alone.add(weak.name)
                yield self._implied_by([strong], weak)
        for weak in clauses:
            others = [clause for clause in clauses if clause is not weak and not any(self._silence(clause, weak))]
            if weak.name not in alone and len(others) > 1 and self._follow(weak, others):
                yield self._implied_by(self._needed(weak, others), weak)

    def _needed(self, weak: FrameClause, others: list[FrameClause]) -> list[FrameClause]:
        """A smallest part of the clauses that implies the weak one."""
        kept = list(others)
        for clause in others:
            rest = [other for other in kept if other is not clause]
            if rest and self._follow(weak, rest):
                kept = rest
        return kept

    def _follow(self, weak: FrameClause, strong: Sequence[FrameClause]) -> bool:
        """Whether the weak clause fails at no frame where all the others, if they are obliged, hold."""
        kept = _together([Implies(clause.obligation, clause.formula) for clause in strong])
        return self._never(And(And(weak.obligation, Not(weak.formula)), kept), strong[-1], weak)

    def _implied_by(self, strong: Sequence[FrameClause], weak: FrameClause) -> Diagnostic:
        names = listed([clause.name for clause in strong])
        if len(strong) > 1:
            headline = f"wherever `{weak.name}` fails, one of {names} fails as well"
        elif strong[0].obligation != weak.obligation:
            headline = f"wherever `{weak.name}` fails, {names} fails as well"
        else:
            headline = f"where {names} holds, `{weak.name}` holds as well"
        shown = None
        if len(strong) == 1:
            alone = And(weak.obligation, And(weak.formula, Not(strong[0].formula)))
            shown = self.ask.shown(alone)
        return Diagnostic(
            "clause-implied",
            headline,
            self.text.place(weak.body.span),
            trace=shown,
        )

    # Two clauses

    def _silence(self, first: FrameClause, second: FrameClause) -> Iterator[Diagnostic]:
        """A silence guard that is no tighter than the spurious guard beside it."""
        guards = self._silence_and_spurious(first, second)
        if guards is None or not self._same_obligation(first, second):
            return
        silence, spurious, allowed, limit = guards
        if allowed >= limit:
            yield Diagnostic(
                "silence-not-tighter",
                f"`{silence.name}` looks {allowed} frames around, `{spurious.name}` {limit}: it adds nothing",
                self.text.place(silence.body.span),
                f"give it a radius of less than {limit} frames ({ms(limit * self.text.contract.step)})",
            )

    def _same(self, first: FrameClause, second: FrameClause) -> bool:
        """Whether two clauses fail at the same frames; what silence and spurious guards share is said elsewhere."""
        return (
            self._silence_and_spurious(first, second) is None
            and self._same_obligation(first, second)
            and self._impossible(Not(Iff(first.formula, second.formula)), first, second)
        )

    def _same_obligation(self, first: FrameClause, second: FrameClause) -> bool:
        a, b = first.obligation, second.obligation
        return a == b or self._never(Not(Iff(a, b)), first, second)

    def _impossible(self, formula: Formula, first: FrameClause, second: FrameClause) -> bool:
        return self._never(And(first.obligation, formula), first, second)

    def _never(self, formula: Formula, first: FrameClause, second: FrameClause) -> bool:
        question = f"`{first.name}` and `{second.name}` differ"
        return self.ask.possible(formula, question, self.text.place(second.body.span)) is False

    def _silence_and_spurious(
        self, first: FrameClause, second: FrameClause
    ) -> tuple[FrameClause, FrameClause, int, int] | None:
        for silence, spurious in ((first, second), (second, first)):
            if SILENCE in silence.name and SPURIOUS in spurious.name:
                match silence.formula, spurious.formula:
                    case (
                        Implies(a, Eventually(lo, hi, p)),
                        Implies(b, Eventually(low, high, q)),
                    ) if a == b and p == q and (lo, low) == (-hi, -high):
                        return silence, spurious, hi, high
        return None


def _together(formulas: Sequence[Formula]) -> Formula:
    return reduce(And, dict.fromkeys(formulas))


# What is wrong with frame clauses, one by one: obligations that never occur, clauses that cannot fail.


@dataclass(slots=True)
class FrameFindings:
    """The findings on the frame clauses of one contract."""

    text: ContractText
    ask: ContractQuestions

    def findings(self, *, notes: bool) -> Iterator[Diagnostic]:
        """Clause by clause, then between the clauses that can both hold and fail."""
        sound: list[FrameClause] = []
        for clause in self.text.contract.frame_clauses:
            here = list(self._clause(clause))
            yield from here
            if all(d.code in OF_SOUND_CLAUSES for d in here):
                sound.append(clause)
        yield from FramePairs(self.text, self.ask).findings(sound, notes=notes)
        if notes:
            yield from self._lookahead()

    # One clause

    def _clause(self, clause: FrameClause) -> Iterator[Diagnostic]:
        contract_text, name = self.text, clause.name
        duty = clause.duty
        place, body = contract_text.place(duty.span), contract_text.place(clause.body.span)
        occurs = self.ask.possible(clause.obligation, f"the obligation of `{name}` can occur", place)
        if occurs is False:
            yield Diagnostic(
                "obligation-never-occurs",
                f"no trace has a frame where the obligation of `{name}` holds, so it always scores 1",
                place,
                "ask for something that can happen",
            )
            return
        fails = And(clause.obligation, Not(clause.formula))
        holds = And(clause.obligation, clause.formula)
        if self.ask.possible(fails, f"`{name}` can fail", body) is False:
            yield Diagnostic(
                "clause-never-fails",
                f"`{name}` holds at every frame of every trace where its obligation does",
                body,
                "its score is 1 for every system; ask for less in the obligation or more in the formula",
                self.ask.shown(holds),
            )
            return
        if self.ask.possible(holds, f"`{name}` can hold", body) is False:
            yield Diagnostic(
                "clause-never-holds",
                f"`{name}` fails at every frame of every trace where its obligation holds",
                body,
                "its score is 0 wherever it has an obligation",
                self.ask.shown(fails),
            )
            return
        constant = [d for part in (duty, *clause.body.parts) for d in self._constants(part)]
        yield from constant
        if not constant:
            for part in (duty, clause.body):
                yield from redundant_parts(part, self.text, self._never)
        yield from self._vacuous(clause, duty)
        if not self._ignores_prediction(clause):
            yield from self._perfect(clause)
        else:
            yield Diagnostic(
                "ignores-prediction",
                f"no prediction changes where `{name}` holds and fails: it is about the reference alone",
                body,
                "ask for something of the prediction",
                self.ask.shown(fails),
            )

    def _perfect(self, clause: FrameClause) -> Iterator[Diagnostic]:
        """A prediction that is the reference and fails; what a caller's atoms are then is not known."""
        name = clause.name
        fails = perfected(And(clause.obligation, Not(clause.formula)))
        body = self.text.place(clause.body.span)
        if fails == And(clause.obligation, Not(clause.formula)) or atoms(fails) & set(
            self.text.contract.declared_atoms
        ):
            return
        if self.ask.possible(fails, f"a perfect prediction violates `{name}`", body):
            yield Diagnostic(
                "perfect-prediction-fails",
                f"a prediction that is the reference itself violates `{name}`, as here",
                body,
                "ask for something that a perfect prediction does",
                self.ask.shown(fails),
            )

    def _never(self, formula: Formula, part: Located) -> bool:
        place, text = self.text.place(part.span), self.text.quoted(part.span)
        return self.ask.possible(formula, f"`{text}` can be deleted", place) is False

    def _ignores_prediction(self, clause: FrameClause) -> bool:
        """Whether obligation and verdict are the same for every prediction and every supplied atom."""
        # Two predictions of one reference are one trace with the other prediction under names of its own
        # (self-composition, Barthe, D'Argenio and Rezk 2004): the clause ignores the prediction if the copies never
        # differ.
        duty, violated = over_base_atoms(clause.obligation), over_base_atoms(clause.formula)
        pairs = [(part, renamed(part, _another)) for part in (duty, And(duty, Not(violated)))]
        differ = [Not(Iff(one, other)) for one, other in pairs if one != other]
        place, question = self.text.place(clause.body.span), f"a prediction matters to `{clause.name}`"
        return all(self.ask.possible(formula, question, place) is False for formula in differ)

    def _constants(self, part: Located) -> Iterator[Diagnostic]:
        def impossible(formula: Formula, question: str, at: Located) -> bool:
            # an atom of a frame clause can be true and false, so it is not worth a question
            is_atom = isinstance(at.formula, Atom)
            return not is_atom and self.ask.possible(formula, question, self.text.place(at.span)) is False

        return constant_parts(part, self.text, impossible, "at every frame of every trace")

    def _vacuous(self, clause: FrameClause, duty: Located) -> Iterator[Diagnostic]:
        """An implication whose antecedent can be false at an obligated frame (the vacuity trap)."""
        antecedents: list[Located] = []
        part = clause.body
        while isinstance(part.formula, Implies):
            antecedents.append(part.parts[0])
            part = part.parts[1]
        if not antecedents:
            return
        premise = antecedents[0].formula
        for more in antecedents[1:]:
            premise = And(premise, more.formula)
        idle = And(clause.obligation, Not(premise))
        place = self.text.place(duty.span)
        if not self.ask.possible(idle, f"`{clause.name}` is obliged where it asks nothing", place):
            return
        parts = [part.span for part in antecedents]
        if not isinstance(duty.formula, Constant):
            parts.insert(0, duty.span)
        texts = [self._grouped(self.text.quoted(span)) for span in parts]
        suggestion = " & ".join(texts) if len(texts) > 1 else self.text.quoted(parts[0])
        yield Diagnostic(
            "vacuous-implication",
            f"`{clause.name}` counts frames where its condition is false as satisfied",
            place,
            f"oblige it only where it asks something: `on {suggestion}`",
            self.ask.shown(idle, clause.formula),
        )

    @staticmethod
    def _grouped(text: str) -> str:
        """Parentheses where another connective could bind."""
        return text if all(sign not in text for sign in ("|", "->", "or ", "implies ", "∨", "→")) else f"({text})"

    def _lookahead(self) -> Iterator[Diagnostic]:
        clauses = self.text.contract.frame_clauses
        if not clauses:
            return
        frames = {c.name: max(lookahead(c.obligation), lookahead(c.formula)) for c in clauses}
        most = max(frames.values())
        responsible = [c for c in clauses if frames[c.name] == most]
        seconds = print_number(most * self.text.contract.step)
        names = listed([c.name for c in responsible])
        yield Diagnostic(
            "contract-lookahead",
            f"verdicts are settled {count(most, 'frame')} ({seconds} s) after their frame, because of {names}",
            self.text.place(responsible[0].body.span),
        )


def _another(name: str) -> str:
    """What an atom is called in another prediction of the same reference."""
    return name if name in ("ref_active", "other_ref_active") else f"another {name}"
