"""Two versions of a contract made comparable, and what became stronger, weaker or different."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil
from operator import attrgetter
from typing import TypeVar

from tracepact.declarations import OnStage, dataclass, silent
from tracepact.diagnostics.findings import Diagnostic, Span, TextPlace
from tracepact.evaluate.predicates import ClipScene, Obligation
from tracepact.language import formula as f
from tracepact.language.contract import Contract, EventClause, FrameClause, Located, Matcher, Profile
from tracepact.language.formula import Formula, mapped
from tracepact.language.predicate import Each, EventAtom
from tracepact.logic.arithmetic import EventExample, EventQuestion, violations
from tracepact.logic.contract_findings import CHECK_BUDGET, by_place
from tracepact.logic.decisions import Budget
from tracepact.logic.event_questions import ContractQuestions, sampled_scenes
from tracepact.logic.models import ReplayError, renamed
from tracepact.wording import ms, print_number

# Settings that differ between two versions of a contract, each said apart with its old and its new value.

_NONE = "none"


@dataclass(frozen=True, slots=True)
class _Setting:
    """A setting in both versions, as an author would write it, and what its change does."""

    name: str
    old: str
    new: str
    effect: str
    span: Span | None = None


def changed_settings(new: Contract, old: Contract) -> Iterator[Diagnostic]:
    """A warning for each setting that changes scores or what is shown first, a note for each that only describes."""
    for code, settings in (("setting-changed", _settings(new, old)), ("description-changed", _descriptions(new, old))):
        for setting in settings:
            if setting.old != setting.new:
                place = TextPlace(new.source, setting.span) if setting.span is not None else None
                headline = f"{setting.name} changed: {setting.old} → {setting.new}"
                yield Diagnostic(code, headline, place, setting.effect or None)


def _settings(new: Contract, old: Contract) -> Iterator[_Setting]:
    def setting(keyword: str, was: str, now: str, effect: str) -> _Setting:
        return _Setting(f"`{keyword}`", was, now, effect, new.statements.get(keyword))

    events = "event clauses are about other intervals or pairs; here they are compared under the new setting"
    unused = "no clause of this version asks about it"
    pairing = events if new.event_clauses else unused
    yield setting(
        "projection",
        old.projection.value,
        new.projection.value,
        "every clause is about other frames of the same events; clauses are compared frame by frame",
    )
    same_gap = old.step == new.step and old.merge_gap // old.step == new.merge_gap // new.step
    yield setting("merge_gap", ms(old.merge_gap), ms(new.merge_gap), _nothing(new.step) if same_gap else pairing)
    same_search = old.step == new.step and _on_grid(old) == _on_grid(new)
    yield setting(
        "matcher", _matcher(old.matcher), _matcher(new.matcher), _nothing(new.step) if same_search else pairing
    )
    first = "another number is shown first, and profiles without `over` are computed from it"
    yield setting("aggregate", old.aggregation.value, new.aggregation.value, first)
    yield setting("labels", _words(old.labels), _words(new.labels), "class means are over other classes")
    yield setting(
        "soft_scale", ms(old.soft_scale), ms(new.soft_scale), "the soft boundary score changes, no verdict does"
    )
    for name in dict.fromkeys((*old.declared_atoms, *new.declared_atoms)):
        was, now = (("declared" if name in version.declared_atoms else _NONE) for version in (old, new))
        yield _Setting(f"atom `{name}`", was, now, "the masks that a caller supplies change")
    before, after = ({profile.name: profile for profile in version.profiles} for version in (old, new))
    for name in dict.fromkeys((*before, *after)):
        yield _Setting(f"profile `{name}`", _profile(before.get(name)), _profile(after.get(name)), "")


def _descriptions(new: Contract, old: Contract) -> Iterator[_Setting]:
    place = new.statements.get("contract")
    yield _Setting("the contract's name", f"`{old.name}`", f"`{new.name}`", "", place)
    yield _Setting("the title", _title(old), _title(new), "", place)
    before, after = ({p.name: p for p in version.parameters} for version in (old, new))
    for name in dict.fromkeys((*before, *after)):
        was, now = (version[name].text if name in version else _NONE for version in (before, after))
        span = after[name].value_span if name in after else None
        yield _Setting(f"parameter `{name}`", was, now, "what it changes is said of each clause and setting", span)
    swept, sweeps = ({sweep.parameter: sweep for sweep in version.sweeps} for version in (old, new))
    for name in dict.fromkeys((*swept, *sweeps)):
        was, now = (" ".join(version[name].values) if name in version else _NONE for version in (swept, sweeps))
        yield _Setting(f"sweep of `{name}`", was, now, "")


def _nothing(step: Fraction) -> str:
    return f"it changes nothing: on a grid of {ms(step)} both are the same number of frames"


def _on_grid(contract: Contract) -> Matcher:
    """The matcher as it acts: frames are at most as far apart as the whole frames of its search."""
    return replace(contract.matcher, search=contract.matcher.search // contract.step * contract.step)


def _matcher(matcher: Matcher) -> str:
    reward = print_number(matcher.overlap_reward)
    return f"{matcher.kind.value}(search = {ms(matcher.search)}, overlap_reward = {reward})"


def _profile(profile: Profile | None) -> str:
    if profile is None:
        return _NONE
    weights = ", ".join(f"{name} = {print_number(weight)}" for name, weight in profile.weights)
    return f"over {profile.aggregation.value}: {weights}"


def _words(labels: tuple[str, ...] | None) -> str:
    return "not declared" if labels is None else " ".join(labels)


def _title(contract: Contract) -> str:
    return _NONE if contract.title is None else f'"{contract.title}"'


# Two versions of a contract made comparable: renamed clauses under one name, windows of another step by times.

Clause = FrameClause | EventClause


def renamed_clauses(new: Contract, old: Contract) -> dict[str, str]:
    """The new names of old clauses: those that say the same, then those alone in asking where they ask."""
    gone = [clause for clause in old.clauses if clause.name not in {c.name for c in new.clauses}]
    came = [clause for clause in new.clauses if clause.name not in {c.name for c in old.clauses}]
    renamed: dict[str, str] = {}
    for says in (_all_of, _where):
        for was in [clause for clause in gone if clause.name not in renamed]:
            now = [clause for clause in came if clause.name not in renamed.values() and says(clause) == says(was)]
            rivals = [clause for clause in gone if clause.name not in renamed and says(clause) == says(was)]
            if len(now) == len(rivals) == 1:
                renamed[was.name] = now[0].name
    return renamed


def _all_of(clause: Clause) -> object:
    match clause:
        case FrameClause():
            return clause.obligation, clause.formula
        case EventClause():
            return clause.each, clause.formula, clause.event_atoms


def _where(clause: Clause) -> object:
    return clause.obligation if isinstance(clause, FrameClause) else clause.each


def with_names(contract: Contract, names: dict[str, str]) -> Contract:
    """The contract with other names for some clauses."""
    clauses = tuple(replace(clause, name=names.get(clause.name, clause.name)) for clause in contract.clauses)
    return replace(contract, clauses=clauses)


def at_step(contract: Contract, step: Fraction) -> Contract:
    """The contract on another grid: each window as long as it acted, in frames of the new step, rounded outward."""
    ratio = contract.step / step

    def moved(located: Located) -> Located:
        return replace(located, formula=_scaled(located.formula, ratio), parts=())

    clauses = tuple(
        replace(clause, duty=moved(clause.duty), body=moved(clause.body)) if isinstance(clause, FrameClause) else clause
        for clause in contract.clauses
    )
    return replace(contract, clauses=clauses, step=step)


def _scaled(formula: Formula, ratio: Fraction) -> Formula:
    def frames(bound: int) -> int:
        return ceil(bound * ratio) if bound > 0 else -ceil(-bound * ratio)

    def of(part: Formula) -> Formula:
        match part:
            case f.Eventually(lo, hi, _) | f.Always(lo, hi, _):
                return replace(part, lo=frames(lo), hi=frames(hi))
            case f.Until(radius, _, _) | f.Since(radius, _, _):
                return replace(part, radius=frames(radius))
            case _:
                return part

    return mapped(formula, of)


def scene_of_a_setting(new: Contract, earlier: Contract) -> tuple[str, str] | None:
    """A clause and a scene that scoring judges differently under two matchers or merge gaps; None if no sample does."""
    judged = {clause.name: _obligated(clause.each) for clause in new.event_clauses}
    for scene in _scenes(new, earlier):
        is_now, was = violations(new, scene), violations(earlier, scene)
        for name in is_now:
            of = judged[name]
            one, other = ({of(o) for o in rows[name]} for rows in (is_now, was))
            differ = one ^ other
            if differ:
                shown = next(o for o in (*is_now[name], *was[name]) if of(o) in differ)
                return name, EventExample(shown).words(new.step)
    return None


def _obligated(each: Each) -> Callable[[Obligation], object]:
    """What is judged: an interval whatever its partner, or a pair."""
    return attrgetter(*{Each.REF: ("ref",), Each.PRED: ("pred",), Each.MATCHED: ("ref", "pred")}[each])


def _scenes(new: Contract, earlier: Contract) -> Iterator[ClipScene]:
    for contract in (new, earlier):
        yield from sampled_scenes(contract.matcher.search // contract.step)


# A semantic diff of two versions of a contract: which clauses became stronger, weaker, incomparable, and where.

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
        violated, was = f.And(new.obligation, f.Not(new.formula)), f.And(old.obligation, f.Not(old.formula))
        more, less = f.And(violated, f.Not(was)), f.And(was, f.Not(violated))
        answers = [self.ask.possible(side, words, self._place(new)) for side, words in _halves(new.name, more, less)]
        shown = [self.ask.shown(side) if answer else None for side, answer in zip((more, less), answers, strict=True)]
        yield from self._changed(new, answers, shown)

    def _obligation(self, new: FrameClause, old: FrameClause) -> Iterator[Diagnostic]:
        place = TextPlace(self.new.source, new.duty.span)
        came, went = f.And(new.obligation, f.Not(old.obligation)), f.And(old.obligation, f.Not(new.obligation))
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
            for formula in (f.And(was, f.Not(is_now)), f.And(is_now, f.Not(was)))
        )
        halves = _halves(new.name, more, less)
        answers = [self.ask.event_possible(side, words, self._place(new)) for side, words in halves]
        shown = [
            self._separating(side, new.name, newly=side is more) if answer else None
            for side, answer in zip((more, less), answers, strict=True)
        ]
        yield from self._changed(new, answers, shown)

    def _separating(self, question: EventQuestion, name: str, *, newly: bool) -> str | None:
        """A scene on which the two versions of the clause, scored as they stand, disagree."""
        example = self.ask.event_example(question)
        if example is None:
            return None
        earlier = replace(self.old, matcher=self.new.matcher, merge_gap=self.new.merge_gap)
        judged = example.obligation
        fails, failed = (
            any((row.ref, row.pred) == (judged.ref, judged.pred) for row in violations(version, judged.scene)[name])
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
                change = "fails where it did not" if answers[0] else "holds where it did not"
                trace = shown[0] or shown[1]
                headline = f"`{name}` {change}{', as shown' if trace else ''}; {self.ask.undecided.pop().headline}"
                yield Diagnostic("undecided", headline, place, "give it more time: `--timeout`", trace)


def _halves(name: str, more: _Side, less: _Side) -> tuple[tuple[_Side, str], tuple[_Side, str]]:
    """The two ways in which a clause can have changed, with the words for them."""
    return (more, f"`{name}` fails where it did not"), (less, f"`{name}` holds where it did not")


def _new(name: str) -> str:
    return f"new {name}"


def _old(name: str) -> str:
    """One text may mean different numbers in two versions, so each has names of its own."""
    return f"old {name}"
