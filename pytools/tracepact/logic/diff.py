"""A semantic diff of two versions of a contract: which clauses became stronger, weaker, incomparable, and where."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from tracepact.core import And, Contract, EventAtom, EventClause, FrameClause, Not
from tracepact.diagnostics import Diagnostic, TextPlace
from tracepact.frozen import dataclass
from tracepact.logic.decide import Budget
from tracepact.logic.event_model import EventQuestion, violations
from tracepact.logic.findings import CHECK_BUDGET, by_place
from tracepact.logic.model import ReplayError
from tracepact.logic.questions import ContractQuestions
from tracepact.logic.settings import changed_settings
from tracepact.logic.versions import at_step, renamed_clauses, scene_of_a_setting, with_names
from tracepact.logic.vocabulary import renamed
from tracepact.progress import OnStage, silent
from tracepact.wording import ms

_Side = TypeVar("_Side")


def diff_contracts(
    new: Contract, old: Contract, *, budget: Budget = CHECK_BUDGET, watch: OnStage = silent
) -> list[Diagnostic]:
    """What changed from the old version to the new one, clause by clause, also those that were renamed."""
    return by_place(list(_Diff(new, old, ContractQuestions(new, budget, watch)).findings()))


@dataclass(slots=True)
class _Diff:
    new: Contract
    old: Contract
    ask: ContractQuestions

    def findings(self) -> Iterator[Diagnostic]:
        names = renamed_clauses(self.new, self.old)
        for was, now in names.items():
            place = next(TextPlace(self.new.source, clause.span) for clause in self.new.clauses if clause.name == now)
            yield Diagnostic("clause-renamed", f"clause `{was}` is now called `{now}`", place)
        self.old = with_names(self.old, names)
        before = {clause.name: clause for clause in self.old.clauses}
        after = {clause.name: clause for clause in self.new.clauses}
        for name in (name for name in before if name not in after):
            place = TextPlace(self.old.source, before[name].span)
            yield Diagnostic("clause-removed", f"clause `{name}` is gone", place)
        for name in (name for name in after if name not in before):
            place = TextPlace(self.new.source, after[name].span)
            yield Diagnostic("clause-added", f"clause `{name}` is new", place)
        yield from changed_settings(self.new, self.old)
        if self.new.step != self.old.step:
            yield Diagnostic(
                "grid-changed",
                f"`step` changed: {ms(self.old.step)} → {ms(self.new.step)}; clauses are compared by their times",
                TextPlace(self.new.source, self.new.statements["step"]),
                "windows of the other version are as long as they acted, in frames of the new step",
            )
            self.old = at_step(self.old, self.new.step)
            before = {clause.name: clause for clause in self.old.clauses}
        yield from self._settings_shown()
        for name in (name for name in after if name in before):
            yield from self._clause(after[name], before[name])
        yield from dict.fromkeys(self.ask.undecided)

    def _settings_shown(self) -> Iterator[Diagnostic]:
        """A scene for a changed matcher or merge gap, on which a clause of the new version is judged differently."""
        for keyword, earlier in (
            ("matcher", replace(self.new, matcher=self.old.matcher)),
            ("merge_gap", replace(self.new, merge_gap=self.old.merge_gap)),
        ):
            shown = scene_of_a_setting(self.new, earlier) if earlier != self.new and self.new.event_clauses else None
            if shown is not None:
                name, words = shown
                span = self.new.statements.get(keyword, self.new.statements["contract"])
                headline = f"under the two settings of `{keyword}`, `{name}` judges the marked interval differently"
                yield Diagnostic("setting-shown", headline, TextPlace(self.new.source, span), trace=words)

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
        yield from self._obligation(new, old)
        violated, was = And(new.obligation, Not(new.formula)), And(old.obligation, Not(old.formula))
        more, less = And(violated, Not(was)), And(was, Not(violated))
        answers = [self.ask.possible(side, words, self._place(new)) for side, words in _halves(new.name, more, less)]
        shown = [self.ask.shown(side) if answer else None for side, answer in zip((more, less), answers, strict=True)]
        yield from self._changed(new, answers, shown)

    def _obligation(self, new: FrameClause, old: FrameClause) -> Iterator[Diagnostic]:
        place = TextPlace(self.new.source, new.duty.span)
        came, went = And(new.obligation, Not(old.obligation)), And(old.obligation, Not(new.obligation))
        question = f"the obligation of `{new.name}` changed"
        more, less = (self.ask.possible(side, question, place) for side in (came, went))
        if more or less:
            frames = "other" if more and less else "more" if more else "fewer"
            yield Diagnostic(
                "obligation-changed",
                f"`{new.name}` is obliged at {frames} frames than before",
                place,
                "scores are shares of other obligations; they do not compare",
                self.ask.shown(came if more else went),
            )

    def _event(self, new: EventClause, old: EventClause) -> Iterator[Diagnostic]:
        """Compared under the matcher and merge gap of the new version; a changed one is reported apart."""
        if (new.formula, new.event_atoms) == (old.formula, old.event_atoms):
            return
        event_atoms: dict[str, EventAtom] = {_new(name): atom for name, atom in new.event_atoms}
        event_atoms |= {_old(name): atom for name, atom in old.event_atoms}
        is_now, was = renamed(new.formula, _new), renamed(old.formula, _old)
        more, less = (
            EventQuestion(formula, new.each, event_atoms, self.new)
            for formula in (And(was, Not(is_now)), And(is_now, Not(was)))
        )
        halves = _halves(new.name, more, less)
        answers = [self.ask.event_possible(side, words, self._place(new)) for side, words in halves]
        shown = [
            self._separating(side, new.name, newly=side is more) if answer else None
            for side, answer in zip((more, less), answers, strict=True)
        ]
        yield from self._changed(new, answers, shown)

    def _separating(self, asked: EventQuestion, name: str, *, newly: bool) -> str | None:
        """A scene on which the two versions of the clause, scored as they stand, disagree."""
        example = self.ask.event_example(asked)
        if example is None:
            return None
        earlier = replace(self.old, matcher=self.new.matcher, merge_gap=self.new.merge_gap)
        judged = example.obligation
        fails, failed = (
            any(
                (found.ref, found.pred) == (judged.ref, judged.pred)
                for found in violations(version, judged.scene)[name]
            )
            for version in (self.new, earlier)
        )
        if (fails, failed) != (newly, not newly):
            raise ReplayError(f"the two versions of `{name}` do not differ on {judged.scene}")
        return example.words(self.new.step)

    def _changed(
        self, clause: FrameClause | EventClause, answers: list[bool | None], shown: list[str | None]
    ) -> Iterator[Diagnostic]:
        """What the violations that came and those that went say; each half that is known with its trace."""
        name, place = clause.name, self._place(clause)
        match answers:
            case True, False:
                headline = f"`{name}` is stronger: it fails wherever it did, and here as well"
                yield Diagnostic("clause-stronger", headline, place, trace=shown[0])
            case False, True:
                headline = f"`{name}` is weaker: it fails only where it did, and no longer here"
                yield Diagnostic("clause-weaker", headline, place, trace=shown[1])
            case True, True:
                headline = f"`{name}` fails where it did not, and holds where it did not"
                halves = zip(("now it fails:", "now it holds:"), shown, strict=True)
                both = "\n".join(f"{words}\n{drawn}" for words, drawn in halves if drawn)
                yield Diagnostic("clause-incomparable", headline, place, trace=both)
            case (True, None) | (None, True):
                found = "fails where it did not" if answers[0] else "holds where it did not"
                trace = shown[0] or shown[1]
                headline = f"`{name}` {found}{', as shown' if trace else ''}; {self.ask.undecided.pop().headline}"
                yield Diagnostic("undecided", headline, place, "give it more time: `--timeout`", trace)


def _halves(name: str, more: _Side, less: _Side) -> tuple[tuple[_Side, str], tuple[_Side, str]]:
    """The two ways in which a clause can have changed, with the words for them."""
    return (more, f"`{name}` fails where it did not"), (less, f"`{name}` holds where it did not")


def _new(name: str) -> str:
    return f"new {name}"


def _old(name: str) -> str:
    """One text may mean different numbers in two versions, so each has names of its own."""
    return f"old {name}"
