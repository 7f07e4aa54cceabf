"""Settings that differ between two versions of a contract, each said apart with its old and its new value."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from tracepact.core import Contract, Matcher, Profile
from tracepact.diagnostics import Diagnostic, Span, TextPlace
from tracepact.frozen import dataclass
from tracepact.wording import ms, print_number

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
