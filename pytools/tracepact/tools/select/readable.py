"""How a selected clause is written: in the shape of a starter clause if one is as good, each tolerance amid its range.

All candidates of a coordinate have the same values (14.10), so any of them may stand in the contract (14.21).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from tracepact.calibration.family import NO_FAMILY
from tracepact.core import Contract, EventClause, FrameClause
from tracepact.lang import load_contract, parse_contract
from tracepact.logic import Outcome
from tracepact.specs import starter_contracts
from tracepact.tools.select.candidate_words import candidate_text, clause_name, describe
from tracepact.tools.select.candidates import Candidate, EventCandidate, FrameCandidate
from tracepact.tools.select.observed import Observed, observe_family
from tracepact.tools.select.retain import Coordinate
from tracepact.tools.select.trials import settings_text
from tracepact.wording import ms, parse_exact, print_number

_NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?|\d+/\d+)(ms)?(?![\w./])")
_LONGEST = 60
"""Tolerances of up to this many frames are tried."""
_SHARES = tuple(Fraction(k, 20) for k in range(1, 20))


@dataclass(frozen=True, slots=True)
class ToleranceRange:
    """A number of a clause, as written, and the least and greatest around it that give the same values on every case.

    `most` is None where the largest that was tried still does.
    """

    value: str
    least: str
    most: str | None

    @property
    def words(self) -> str:
        """The number, and which others decide the same on every case."""
        return range_words(self.value, self.least, self.most)


def range_words(value: str, least: str, most: str | None) -> str:
    """A number of a clause, and which others decide the same on every case."""
    value, least = (number.replace("ms", " ms") for number in (value, least))
    if most is None:
        return f"{value}; anything from {least} up to the largest tried decides the same on these cases."
    most = most.replace("ms", " ms")
    if least == most:
        return f"{value} is only just right: any smaller or larger number that was tried decides otherwise."
    return f"{value}; anything from {least} to {most} decides the same on these cases."


@dataclass(frozen=True, slots=True)
class ReadableClause:
    """A clause as it is written: its name, its text after the name, and the ranges of its numbers."""

    name: str
    text: str
    ranges: tuple[ToleranceRange, ...]


def readable_clauses(observed: Observed, coordinates: Sequence[Coordinate]) -> tuple[ReadableClause, ...]:
    """The chosen coordinates as clauses with different names; what an author wrote stays as it is."""
    candidates = observed.candidates
    chosen = [_member(observed, coordinate) for coordinate in coordinates]
    texts = {place: describe(candidates, index) for place, index in enumerate(chosen)}
    free = {place: text for place, text in texts.items() if chosen[place] >= candidates.first_frame}
    found: dict[int, list[ToleranceRange]] = {place: [] for place in texts}
    for turn in range(max((len(slots(text)) for text in free.values()), default=0)):
        moved = _turn(observed, {p: (t, coordinates[p]) for p, t in free.items() if len(slots(t)) > turn}, turn)
        for place, (text, one) in moved.items():
            free[place] = texts[place] = text
            found[place].append(one)
    names: list[str] = []
    for place, index in enumerate(chosen):
        name = clause_name(candidates[index], candidates.step, index)
        if place in free:
            compiled = _candidate(observed, free[place])
            starter = _starter_name(compiled, candidates.step)
            name = starter if starter and starter not in names else clause_name(compiled, candidates.step, index)
        names.append(name if name not in names else f"{name}_{index}")
    return tuple(ReadableClause(names[p], texts[p], tuple(found[p])) for p in range(len(chosen)))


def _member(observed: Observed, coordinate: Coordinate) -> int:
    """The first proved member in the shape of a starter clause, or else the representative."""
    candidates = observed.candidates
    if coordinate.candidate < candidates.first_frame:
        return coordinate.candidate
    for index in sorted(coordinate.members, key=lambda index: (candidates.costs[index], index)):
        candidate = candidates[index]
        if _starter_name(candidate, candidates.step) and observed.prover.decide(candidate).outcome is Outcome.YES:
            return index
    return coordinate.candidate


@cache
def _starter_shapes() -> dict[str, str]:
    """The clauses of the starter contracts without their numbers, and the name of the first of each shape."""
    shapes: dict[str, str] = {}
    for _, path in sorted(starter_contracts().items(), key=lambda item: (item[0] != "boundary_gate", item[0])):
        contract = load_contract(path)
        for clause in contract.clauses:
            shapes.setdefault(_shape(_of(clause), contract.step), clause.name)
    return shapes


def variant_name(observed: Observed, selected: str, clause: FrameClause | EventClause) -> str:
    """What a selected clause is called with other numbers: a starter's name says none and stays; else what it says."""
    candidates, compiled = observed.candidates, _of(clause)
    if _starter_name(compiled, candidates.step) == selected:
        return selected
    return clause_name(compiled, candidates.step, len(candidates))


def _of(clause: object) -> Candidate:
    if isinstance(clause, EventClause):
        return EventCandidate(clause)
    return FrameCandidate(clause.obligation, clause.formula)  # type: ignore[attr-defined]


def _shape(candidate: Candidate, step: Fraction) -> str:
    return _NUMBER.sub("#", candidate_text(candidate, step))


def _starter_name(candidate: Candidate, step: Fraction) -> str | None:
    return _starter_shapes().get(_shape(candidate, step))


# Ranges


def slots(text: str) -> list[re.Match[str]]:
    """The numbers of a clause that can be moved: lengths of time and shares, not 0 and not counts."""
    return [m for m in _NUMBER.finditer(text) if (m[2] and parse_exact(m[1])) or 0 < parse_exact(m[1]) < 1]


def tried_numbers(slot: re.Match[str], step: Fraction) -> list[str]:
    """The numbers that are tried in a place, ascending, the one that is there among them."""
    own = parse_exact(slot[1])
    if slot[2]:
        times = {k * step for k in range(1, _LONGEST + 1)} | {own / 1000}
        return [ms(time) for time in sorted(times)]
    return [print_number(share) for share in sorted({*_SHARES, own})]


def _turn(
    observed: Observed, clauses: dict[int, tuple[str, Coordinate]], turn: int
) -> dict[int, tuple[str, ToleranceRange]]:
    """Move one number of each clause to the middle of its range."""
    step, variants, owners = observed.calibration.step, list[str](), list[tuple[int, str]]()
    for place, (text, _) in clauses.items():
        slot = slots(text)[turn]
        for number in tried_numbers(slot, step):
            variants.append(f"{text[: slot.start()]}{number}{text[slot.end() :]}")
            owners.append((place, number))
    if not variants:
        return {}
    seen = observe_family(
        observed.calibration, NO_FAMILY, variants_contract(observed, variants), matcher=observed.matcher, dropped=True
    )
    keys = [one.key for one in seen.observation.seen(range(len(variants)))]
    found = {}
    for place, (text, coordinate) in clauses.items():
        own = [index for index, (owner, _) in enumerate(owners) if owner == place]
        slot = slots(text)[turn]
        now = next(index for index in own if owners[index][1] == number_text(slot))
        same = [keys[index] == coordinate.seen.key for index in own]
        low, high = _around(same, own.index(now))
        open_end = high == len(own) - 1
        kept = open_end or observed.candidates.family.listed_only
        middle = now if kept else own[(low + high) // 2]
        if seen.prover.decide(replace(seen.candidates[middle], name=None)).outcome is not Outcome.YES:
            middle = now
        numbers = [owners[index][1] for index in own]
        limit = None if open_end else numbers[high]
        found[place] = variants[middle], ToleranceRange(owners[middle][1], numbers[low], limit)
    return found


def number_text(slot: re.Match[str]) -> str:
    """The number in a place, as those that are tried are written."""
    return ms(parse_exact(slot[1]) / 1000) if slot[2] else print_number(parse_exact(slot[1]))


def _around(same: Sequence[bool], now: int) -> tuple[int, int]:
    """The first and the last place of the run of equals around a place."""
    low = high = now
    while low > 0 and same[low - 1]:
        low -= 1
    while high + 1 < len(same) and same[high + 1]:
        high += 1
    return low, high


def variants_contract(observed: Observed, texts: Sequence[str]) -> Contract:
    """A contract of some clauses on the grid of the cases, in order."""
    settings = settings_text(observed.calibration, observed.matcher, "variants")
    return parse_contract(settings + "".join(f"clause v{k} {text}\n" for k, text in enumerate(texts)))


def _candidate(observed: Observed, text: str) -> Candidate:
    return _of(variants_contract(observed, [text]).clauses[0])
