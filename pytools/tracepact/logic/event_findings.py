"""What is wrong with event clauses: predicates that no intervals satisfy or violate, contradictory bounds."""

from collections.abc import Iterator
from itertools import combinations, permutations

from tracepact.core import And, Constant, Each, EventAtom, EventClause, Formula, Iff, Located, Not
from tracepact.diagnostics import Diagnostic
from tracepact.frozen import dataclass
from tracepact.logic.contract_text import ContractText
from tracepact.logic.event_model import EventQuestion
from tracepact.logic.part_findings import redundant_parts
from tracepact.logic.perfect import perfect_violation
from tracepact.logic.questions import ContractQuestions
from tracepact.logic.repeats import grouped, repeated
from tracepact.logic.value_findings import atom_of, off_grid

_OF_SOUND_CLAUSES = {"constant-formula", "ignores-prediction", "perfect-prediction-fails", "redundant-part"}
"""The findings on clauses that can still hold and fail."""
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
            found = list(self._clause(clause))
            yield from found
            if all(d.code in _OF_SOUND_CLAUSES for d in found):
                sound.append(clause)
        yield from self._clashes(sound)
        groups = grouped(sound, self._same)
        yield from (
            repeated(group, self.text.contract, "for exactly the intervals for which")
            for group in groups
            if len(group) > 1
        )
        if notes:
            yield from self._implied([group[0] for group in groups])

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
            yield from redundant_parts(clause.body, self.text, lambda formula, part: self._never(clause, formula, part))
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

    def _never(self, clause: EventClause, formula: Formula, part: Located) -> bool:
        question = f"`{self.text.quoted(part.span)}` can be deleted"
        return self._possible(clause, formula, question, part) is False

    def _contradiction(self, clause: EventClause) -> Iterator[Diagnostic]:
        """The fewest conjuncts that no interval satisfies together."""
        parts = _conjuncts(clause.body)
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
        if isinstance(part.formula, Constant):
            return
        text = self.text.quoted(part.span)
        for value, against in (("true", Not(part.formula)), ("false", part.formula)):
            if self._possible(clause, against, f"`{text}` is always {value}", part) is False:
                yield Diagnostic(
                    "constant-formula",
                    f"`{text}` is {value} for every {_EACH[clause.each]}",
                    self.text.place(part.span),
                    self._grid_hint(clause, part) or f"write `{value}`, or what was meant",
                )
                return
        for inner in part.parts:
            yield from self._constants(clause, inner)

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
        return EventQuestion(formula, clause.each, dict(clause.event_atoms), self.text.contract)

    def _between(self, formula: Formula, first: EventClause, second: EventClause) -> EventQuestion:
        atoms: dict[str, EventAtom] = {**dict(first.event_atoms), **dict(second.event_atoms)}
        return EventQuestion(formula, first.each, atoms, self.text.contract)

    def _possible(self, clause: EventClause, formula: Formula, question: str, part: Located) -> bool | None:
        return self.ask.event_possible(self._question(clause, formula), question, self.text.place(part.span))

    def _shown(self, asked: EventQuestion) -> str | None:
        example = self.ask.event_example(asked)
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
