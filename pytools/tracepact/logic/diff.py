"""A semantic diff of two versions of a contract: which clauses became stronger, weaker, incomparable, and where."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tracepact.core import (
    And,
    Atom,
    Contract,
    EventAtom,
    EventClause,
    Formula,
    FrameClause,
    Iff,
    Implies,
    Located,
    Not,
    Or,
)
from tracepact.diagnostics import Diagnostic, TextPlace
from tracepact.logic.asking import Asker
from tracepact.logic.decide import Budget
from tracepact.logic.findings import CHECK_BUDGET, by_place

_SAME, _MORE, _LESS, _OTHER = "same", "stronger", "weaker", "incomparable"


def diff_contracts(new: Contract, old: Contract, *, budget: Budget = CHECK_BUDGET) -> list[Diagnostic]:
    """What changed from the old version to the new one, clause by clause; clauses are the same by name."""
    return by_place(list(_Diff(new, old, Asker(new, budget)).findings()))


@dataclass(slots=True)
class _Diff:
    new: Contract
    old: Contract
    ask: Asker

    def findings(self) -> Iterator[Diagnostic]:
        before = {clause.name: clause for clause in self.old.clauses}
        after = {clause.name: clause for clause in self.new.clauses}
        for name in before.keys() - after.keys():
            place = TextPlace(self.old.source, before[name].span)
            yield Diagnostic("clause-removed", f"clause `{name}` is gone", place)
        for name in after.keys() - before.keys():
            place = TextPlace(self.new.source, after[name].span)
            yield Diagnostic("clause-added", f"clause `{name}` is new", place)
        if self.new.step != self.old.step:
            yield Diagnostic(
                "grid-changed",
                f"the step was {self.old.step} s and is {self.new.step} s; clauses are not compared",
                help="compare versions with one step",
            )
            return
        yield from self._settings()
        for name in after.keys() & before.keys():
            yield from self._clause(after[name], before[name])
        yield from dict.fromkeys(self.ask.undecided)

    def _settings(self) -> Iterator[Diagnostic]:
        """What decides which frames, intervals and pairs clauses are about."""
        if self.old.projection != self.new.projection:
            headline = "`projection` changed, so every clause is about other frames of the same events"
            yield Diagnostic("obligation-changed", headline)
        if not self.new.event_clauses:
            return
        changed = [
            word
            for word, was, is_now in (
                ("matcher", self.old.matcher, self.new.matcher),
                ("merge_gap", self.old.merge_gap, self.new.merge_gap),
            )
            if was != is_now
        ]
        if changed:
            words = " and ".join(f"`{word}`" for word in changed)
            headline = f"{words} changed, so event clauses are about other intervals or pairs"
            yield Diagnostic("obligation-changed", headline)

    def _clause(self, new: FrameClause | EventClause, old: FrameClause | EventClause) -> Iterator[Diagnostic]:
        match new, old:
            case FrameClause(), FrameClause():
                yield from self._frame(new, old)
            case EventClause(), EventClause() if new.each is old.each:
                yield from self._event(new, old)
            case EventClause(), EventClause():
                headline = f"`{new.name}` was about each {old.each.value} and is about each {new.each.value}"
                yield Diagnostic("obligation-changed", headline, self._place(new))
            case _:
                kinds = {FrameClause: "frames", EventClause: "intervals"}
                headline = f"`{new.name}` was about {kinds[type(old)]} and is about {kinds[type(new)]}"
                yield Diagnostic("obligation-changed", headline, self._place(new))

    def _place(self, clause: FrameClause | EventClause) -> TextPlace:
        return TextPlace(self.new.source, clause.body.span)

    def _frame(self, new: FrameClause, old: FrameClause) -> Iterator[Diagnostic]:
        place = self._place(new)
        other = Not(Iff(new.obligation, old.obligation))
        if self.ask.possible(other, f"the obligation of `{new.name}` changed", place):
            yield Diagnostic(
                "obligation-changed",
                f"`{new.name}` is obliged at other frames than before",
                TextPlace(self.new.source, new.duty.span),
                trace=self.ask.shown(other),
            )
        violated, was = And(new.obligation, Not(new.formula)), And(old.obligation, Not(old.formula))
        question = f"`{new.name}` means the same as before"
        more, less = And(violated, Not(was)), And(was, Not(violated))
        change = _change(self.ask.possible(more, question, place), self.ask.possible(less, question, place))
        telling = [formula for formula, kinds in ((more, (_MORE, _OTHER)), (less, (_LESS, _OTHER))) if change in kinds]
        shown = [self.ask.shown(formula) for formula in telling]
        yield from self._changed(new, change, "\n".join(text for text in shown if text))

    def _event(self, new: EventClause, old: EventClause) -> Iterator[Diagnostic]:
        event_atoms: dict[str, EventAtom] = dict(new.event_atoms)
        event_atoms |= {f"old {name}": atom for name, atom in old.event_atoms}
        was = _renamed(old.body).formula
        question = f"`{new.name}` means the same as before"

        def possible(formula: Formula) -> tuple[bool | None, str]:
            found, example = self.ask.event_possible(formula, new.each, event_atoms, question, self._place(new))
            return found, example.words(self.new.step) if example else ""

        (more, first), (less, second) = possible(And(was, Not(new.formula))), possible(And(new.formula, Not(was)))
        yield from self._changed(new, _change(more, less), "\n".join(text for text in (first, second) if text))

    def _changed(self, clause: FrameClause | EventClause, change: str | None, trace: str) -> Iterator[Diagnostic]:
        place = self._place(clause)
        match change:
            case "stronger":
                headline = f"`{clause.name}` is stronger: it fails wherever it did, and here as well"
                yield Diagnostic("clause-stronger", headline, place, trace=trace or None)
            case "weaker":
                headline = f"`{clause.name}` is weaker: it fails only where it did, and no longer here"
                yield Diagnostic("clause-weaker", headline, place, trace=trace or None)
            case "incomparable":
                headline = (
                    f"`{clause.name}` fails where it did not, first below, and holds where it did not, second below"
                )
                yield Diagnostic("clause-incomparable", headline, place, trace=trace or None)
            case _:
                return


def _change(more: bool | None, less: bool | None) -> str | None:
    """What the violations that came and those that went say; None if one stayed open."""
    if more is None or less is None:
        return None
    return {(False, False): _SAME, (True, False): _MORE, (False, True): _LESS, (True, True): _OTHER}[more, less]


def _renamed(part: Located) -> Located:
    """A predicate whose event atoms have names of their own: one text may mean different numbers in two versions."""
    return replace(part, formula=_rename(part.formula))


def _rename(formula: Formula) -> Formula:
    if isinstance(formula, Atom):
        return Atom(f"old {formula.name}")
    match formula:
        case Not(body):
            return Not(_rename(body))
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return type(formula)(_rename(a), _rename(b))
    return formula
