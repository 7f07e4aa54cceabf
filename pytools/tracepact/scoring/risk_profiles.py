"""Risk profiles: those over the starter guards, the contract's own, and those a user writes (rule 16.10)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from tracepact.core import Aggregation, Contract, Profile
from tracepact.diagnostics import Diagnostic, InvalidInput, Source, Span, TextPlace
from tracepact.lang import parse_contract

STARTER_PROFILES: dict[str, tuple[str, ...]] = {
    "support_recall": ("missing_guard",),
    "edge_timing": ("onset_guard", "offset_guard"),
    "silence_protection": ("spurious_guard", "silence_guard"),
    "event_integrity": ("duration_guard", "fragmentation_guard"),
}
"""The guards that each of them weighs, equally; every starter guard is in exactly one of them."""
BALANCED = "balanced"


class Origin(Enum):
    """Where a profile comes from."""

    STARTER = "starter guards"
    CONTRACT = "contract"
    GIVEN = "given"


@dataclass(frozen=True, slots=True)
class RiskProfile:
    """A profile and where it comes from."""

    profile: Profile
    origin: Origin


@dataclass(frozen=True, slots=True)
class RiskProfiles:
    """The profiles of an audit; `absent` are those over starter guards that the contract lacks."""

    profiles: tuple[RiskProfile, ...]
    absent: tuple[str, ...]


def risk_profiles(
    contract: Contract, aggregation: Aggregation, given: RiskProfiles | Sequence[str] = ()
) -> RiskProfiles:
    """The profile `balanced`, those over the starter guards, the contract's own, and the given ones.

    A profile of the contract replaces one of the same name. A given one is written as in a contract, such as
    `mine : onset_guard = 2`, and uses `aggregation` unless it names its own with `over …`. InvalidInput if a given
    profile is wrong, or has the name of another. `RiskProfiles` are returned as they are.
    """
    if isinstance(given, RiskProfiles):
        return given
    own = {profile.name: RiskProfile(profile, Origin.CONTRACT) for profile in contract.profiles}
    clauses = tuple(clause.name for clause in contract.clauses)
    starter = {BALANCED: clauses, **STARTER_PROFILES}
    absent = tuple(n for n, guards in starter.items() if n not in own and not set(guards) <= set(clauses))
    found = {
        name: RiskProfile(_even(name, aggregation, guards), Origin.STARTER)
        for name, guards in starter.items()
        if name not in own and name not in absent
    }
    ordered = {name: own.get(name) or found[name] for name in starter if name in own or name in found}
    written = [RiskProfile(profile, Origin.GIVEN) for profile in _written(contract, aggregation, given)]
    for profile in written:
        if (name := profile.profile.name) in ordered:
            help = "give it another name"
            raise InvalidInput([Diagnostic("repeated-name", f"there is already a profile `{name}`", None, help)])
    return RiskProfiles((*{**ordered, **own}.values(), *written), absent)


def _even(name: str, aggregation: Aggregation, clauses: Sequence[str]) -> Profile:
    return Profile(name, aggregation, tuple((clause, Fraction(1)) for clause in clauses))


def _written(contract: Contract, aggregation: Aggregation, given: Sequence[str]) -> tuple[Profile, ...]:
    """Profiles written as in a contract, without the word `profile`; parsed as if they were at its end."""
    found: list[Profile] = []
    text = contract.text.rstrip()
    for line in given:
        text += f"\nprofile {' '.join(line.split())}"
        read = parse_contract(text + "\n", name="--profile")
        added = read.profiles[len(contract.profiles) + len(found) :]
        if len(added) != 1 or len(read.clauses) != len(contract.clauses):
            place = TextPlace(Source("--profile", line), Span(0, len(line)))
            help = "give --profile once for each"
            raise InvalidInput([Diagnostic("syntax", f"`{line}` is more than one profile", place, help)])
        says = line.partition(":")[0].split()[1:2] == ["over"]
        found += added if says else [replace(profile, aggregation=aggregation) for profile in added]
    return tuple(found)
