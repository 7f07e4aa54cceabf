"""What is wrong with event clauses: predicates that no intervals satisfy or violate, contradictory bounds."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from tracepact.core import And, Constant, Each, EventAtom, EventClause, Formula, Iff, Located, Not
from tracepact.diagnostics import Diagnostic
from tracepact.logic.asking import Asker
from tracepact.logic.scenes import EventObligation
from tracepact.logic.written import Written

_EACH = {Each.REF: "reference interval", Each.PRED: "predicted interval", Each.MATCHED: "matched pair"}


@dataclass(slots=True)
class EventFindings:
    """The findings on the event clauses of one contract."""

    written: Written
    ask: Asker

    def warnings(self) -> Iterator[Diagnostic]:
        """Clause by clause, then pair by pair among the clauses that can both hold and fail."""
        sound: list[EventClause] = []
        for clause in self.written.contract.event_clauses:
            found = list(self._clause(clause))
            yield from found
            if all(d.code == "constant-formula" for d in found):
                sound.append(clause)
        for first, second in combinations(sound, 2):
            if first.each is second.each and self._impossible(Not(Iff(first.formula, second.formula)), first, second):
                yield Diagnostic(
                    "clauses-equivalent",
                    f"`{second.name}` fails for exactly the intervals for which `{first.name}` fails",
                    self.written.place(second.body.span),
                    f"drop `{second.name}`",
                )

    def notes(self) -> Iterator[Diagnostic]:
        """Clauses implied by others."""
        for first, second in combinations(self.written.contract.event_clauses, 2):
            if first.each is not second.each:
                continue
            for strong, weak in ((first, second), (second, first)):
                if self._impossible(And(strong.formula, Not(weak.formula)), strong, weak) and not self._impossible(
                    And(weak.formula, Not(strong.formula)), strong, weak
                ):
                    headline = f"where `{strong.name}` holds, `{weak.name}` holds as well"
                    yield Diagnostic("clause-implied", headline, self.written.place(weak.body.span))

    def _clause(self, clause: EventClause) -> Iterator[Diagnostic]:
        place, kind = self.written.place(clause.body.span), _EACH[clause.each]
        holds, example = self._possible(clause, clause.formula, f"some {kind} satisfies `{clause.name}`", clause.body)
        if holds is False:
            yield from self._contradiction(clause)
            return
        fails, _ = self._possible(clause, Not(clause.formula), f"some {kind} violates `{clause.name}`", clause.body)
        if fails is False:
            yield Diagnostic(
                "clause-never-fails",
                f"every {kind} satisfies `{clause.name}`",
                place,
                "its score is 1 for every system that has one; ask for more",
                example.words(self.written.contract.step) if example else None,
            )
            return
        for part in clause.body.parts:
            yield from self._constants(clause, part)

    def _contradiction(self, clause: EventClause) -> Iterator[Diagnostic]:
        """The fewest conjuncts that no interval satisfies together."""
        parts = _conjuncts(clause.body)
        kept = list(parts)
        for part in parts:
            rest = [p for p in kept if p is not part]
            if rest and self._possible(clause, _all(rest), f"`{clause.name}` can hold", clause.body)[0] is False:
                kept = rest
        span = kept[0].span.to(kept[-1].span)
        if len(kept) == 1:
            yield Diagnostic(
                "clause-never-holds",
                f"no {_EACH[clause.each]} satisfies `{clause.name}`",
                self.written.place(span),
                "its score is 0 for every system that has one",
            )
            return
        texts = " and ".join(f"`{self.written.text(part.span)}`" for part in kept)
        yield Diagnostic(
            "contradictory-bounds",
            f"no {_EACH[clause.each]} satisfies {texts} together",
            self.written.place(span),
            "widen one of them",
        )

    def _constants(self, clause: EventClause, part: Located) -> Iterator[Diagnostic]:
        if isinstance(part.formula, Constant):
            return
        text = self.written.text(part.span)
        for value, against in (("true", Not(part.formula)), ("false", part.formula)):
            if self._possible(clause, against, f"`{text}` is always {value}", part)[0] is False:
                yield Diagnostic(
                    "constant-formula",
                    f"`{text}` is {value} for every {_EACH[clause.each]}",
                    self.written.place(part.span),
                    f"write `{value}`, or what was meant",
                )
                return
        for inner in part.parts:
            yield from self._constants(clause, inner)

    def _possible(
        self, clause: EventClause, formula: Formula, question: str, part: Located
    ) -> tuple[bool | None, EventObligation | None]:
        atoms = dict(clause.event_atoms)
        return self.ask.event_possible(formula, clause.each, atoms, question, self.written.place(part.span))

    def _impossible(self, formula: Formula, first: EventClause, second: EventClause) -> bool:
        atoms: dict[str, EventAtom] = {**dict(first.event_atoms), **dict(second.event_atoms)}
        question = f"`{first.name}` and `{second.name}` differ"
        place = self.written.place(second.body.span)
        return self.ask.event_possible(formula, first.each, atoms, question, place)[0] is False


def _conjuncts(body: Located) -> list[Located]:
    if isinstance(body.formula, And) and len(body.parts) == 2:
        return [c for part in body.parts for c in _conjuncts(part)]
    return [body]


def _all(parts: list[Located]) -> Formula:
    formula = parts[0].formula
    for part in parts[1:]:
        formula = And(formula, part.formula)
    return formula
