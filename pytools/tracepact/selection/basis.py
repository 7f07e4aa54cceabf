"""Candidates on cases, one of each class of equal ones, and how one is written as a clause (14.10, 14.21)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, partial
from hashlib import sha256
from typing import Annotated

import numpy as np
from msgspec import Meta

from tracepact.declarations import OnStage, silent, starter_contracts
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Diagnostic, Place, TextPlace
from tracepact.engines import Engine
from tracepact.language.compilation import load_contract, parse_contract
from tracepact.language.contract import Contract, Matcher
from tracepact.logic.decisions import Outcome
from tracepact.records import Record
from tracepact.selection.calibration import NO_FAMILY, Calibration, CandidateFamily
from tracepact.selection.candidates import (
    Candidate,
    Candidates,
    candidate_of,
    candidate_text,
    check_size,
    clause_name,
    describe,
)
from tracepact.selection.toml_tables import Places
from tracepact.selection.trials import Proof, Prover, Trials, family_of_cases, grid_contract, settings_text, trials_of
from tracepact.selection.values import Observation, Screening, Seen, observe, observe_frames_by
from tracepact.wording import ms, parse_exact, print_number

# The candidates of a family on the cases of a calibration set, under one matcher.


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """The candidates of a family on the cases, under one matcher."""

    calibration: Calibration
    candidates: Candidates
    trials: Trials
    matcher: Matcher
    observation: Observation
    prover: Prover
    warnings: tuple[Diagnostic, ...]


def check_family(calibration: Calibration, family: CandidateFamily, authors: Contract | None) -> None:
    """Refuse a family that is too large or empty, and clauses on another grid; InvalidInput says why."""
    diagnostics = Diagnostics()
    check_size(family, calibration.step, authors, diagnostics, _declared(calibration, family))
    if authors is not None:
        theirs = authors.step, authors.projection.value, authors.merge_gap
        ours = calibration.step, calibration.projection.value, calibration.merge_gap
        for what, a, b in zip(("step", "projection", "merge_gap"), theirs, ours, strict=True):
            if a != b:
                headline = f"`{what}` is {_setting(a)} in `{authors.name}` and {_setting(b)} in the calibration set"
                place = TextPlace(authors.source, authors.clauses[0].span)
                diagnostics.add("other-grid", headline, place, "give both the same")
        if authors.labels is not None:
            headline = f"`{authors.name}` declares labels; a case is scored over its own"
            place = TextPlace(authors.source, authors.clauses[0].span)
            diagnostics.add("other-grid", headline, place, "leave the `labels` statement out")
        for atom in [name for name in authors.declared_atoms if name not in calibration.atoms]:
            diagnostics.add("missing-mask", f"no case has a mask for the atom `{atom}` of `{authors.name}`")
    diagnostics.raise_errors()


def _setting(value: object) -> str:
    return ms(value) if isinstance(value, Fraction) else str(value)


def _declared(calibration: Calibration, family: CandidateFamily) -> Place:
    """Where the bound of a family is written, or as near to it as there is something."""
    places = Places.of(family.source or calibration.source)
    alone = family.source is not None and ("family",) not in places.keys
    return places.key(("most",) if alone else ("family", "most"))


def with_matcher(family: CandidateFamily, authors: Contract | None) -> CandidateFamily:
    """The family with the matcher of an author's contract, unless it declares matchers itself."""
    if authors is None or family.matchers != CandidateFamily().matchers:
        return family
    return replace(family, matchers=(authors.matcher,))


def observe_family(
    calibration: Calibration,
    family: CandidateFamily,
    authors: Contract | None = None,
    *,
    matcher: Matcher | None = None,
    on_stage: OnStage = silent,
    dropped: bool = False,
    engine: Engine | None = None,
) -> Observed:
    """Make the candidates and observe them on the cases; `dropped` keeps the values of those that are not perfect.

    An engine observes the frame candidates in parts.
    """
    check_family(calibration, family, authors)
    matcher = matcher or with_matcher(family, authors).matchers[0]
    on_stage("making candidates")
    candidates = Candidates(family, calibration.step, authors)
    # what the grid does to the cases is found here, not when the set is read: it depends on the layout of clips
    warnings: list[Diagnostic] = list(calibration.warnings)
    if matcher.search < calibration.step:
        headline = f"the matcher's search of {ms(matcher.search)} is less than the step of {ms(calibration.step)}"
        help = "it pairs only runs that begin or end at the same frame: declare `matchers` with a wider search"
        warnings.append(Diagnostic("search-below-step", headline, None, help))
    cases = family_of_cases(calibration, grid_contract(calibration, matcher), warnings)
    trials = trials_of(calibration, cases, candidates.reach)
    frames = None if engine is None else partial(observe_frames_by, engine)
    observation = observe(candidates, trials, matcher, on_stage, dropped=dropped, frames=frames)
    return Observed(calibration, candidates, trials, matcher, observation, Prover(calibration.step), tuple(warnings))


def seen_of_clauses(calibration: Calibration, contract: Contract, matcher: Matcher) -> Seen:
    """What is seen of the clauses of a contract on some cases, perfect or not."""
    observed = observe_family(calibration, NO_FAMILY, contract, matcher=matcher, dropped=True)
    return observed.observation.seen(range(len(contract.clauses)))


# The retained basis: one representative of each class of observationally equal candidates (rule 14.10).

_BLOCK = 2048
"""So many candidates are brought to lowest terms at a time."""


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A representative, what is seen of it, and the candidates that share it, itself among them, in order."""

    candidate: int
    cost: int
    seen: Seen = field(compare=False)
    members: tuple[int, ...]
    proof: Proof

    @property
    def values(self) -> tuple[Fraction, ...]:
        """By case the value; made anew whenever it is asked for."""
        return self.seen.values

    @property
    def vacuous(self) -> tuple[Fraction, ...]:
        """By case the share of its classes that score 1 for want of obligations."""
        return self.seen.vacuous_shares

    @property
    def counter(self) -> tuple[Fraction, ...]:
        """By case the share of its classes that score 0 for want of obligations."""
        return self.seen.counter_shares


@dataclass(frozen=True, slots=True)
class Basis:
    """Where every candidate went: to a coordinate, to a constant, or out.

    `refuted` passed the tests on perfect predictions and failed the proof; `undecided` stayed open and are not used.
    `proofs` counts what the representatives rest on. The other members passed the tests and were not asked about.
    """

    coordinates: tuple[Coordinate, ...]
    constants: dict[Fraction | None, tuple[int, ...]]
    by_reference: int
    by_short_trace: int
    refuted: tuple[int, ...]
    undecided: tuple[int, ...]
    proofs: dict[str, int]

    @property
    def only_tested(self) -> int:
        """How many candidates passed the tests and were not proved perfect: members beside their representative."""
        return sum(len(c.members) - 1 for c in self.coordinates) + sum(map(len, self.constants.values()))


@dataclass(frozen=True, slots=True, eq=False)
class ObservedClass:
    """Candidates of which the same is seen, in order, and that."""

    members: tuple[int, ...]
    seen: Seen


def observational_classes(observation: Observation) -> list[ObservedClass]:
    """The kept candidates by their values and by what these rest on, classes and members in order.

    What satisfies as many obligations of one kind everywhere is together before any value is made.
    """
    # Observational equivalence, as enumerating synthesis prunes programs by it (Albarghouthi, Gulwani and Kincaid
    # 2013): what no case tells apart no selection can, so one of each class is enough.
    alike: dict[tuple[int, bytes], list[int]] = {}
    for index in np.flatnonzero(observation.screening == Screening.PASSED).tolist():
        row = observation.place[index]
        # digests as keys: a hundred thousand rows as bytes would be held a second time
        digest = sha256(observation.satisfied[row].tobytes()).digest()
        alike.setdefault((int(observation.kind[row]), digest), []).append(index)
    groups = list(alike.values())
    merged: dict[bytes, tuple[list[int], Seen]] = {}
    for start in range(0, len(groups), _BLOCK):
        block = groups[start : start + _BLOCK]
        seen = observation.seen([members[0] for members in block])
        for place, members in enumerate(block):
            first = seen[place]
            merged.setdefault(sha256(first.key).digest(), ([], first))[0].extend(members)
    classes = [ObservedClass(tuple(sorted(members)), seen) for members, seen in merged.values()]
    return sorted(classes, key=lambda one: one.members[0])


def retain(
    observation: Observation,
    costs: Sequence[int],
    prove: Callable[[int], Proof],
    on_stage: Callable[[int, int], None] = lambda done, total: None,
) -> Basis:
    """Collapse the kept candidates; of each class the first in (cost, order) that is proved perfect stays."""
    coordinates: list[Coordinate] = []
    constants: dict[Fraction | None, tuple[int, ...]] = {}
    refuted: list[int] = []
    undecided: list[int] = []
    proofs: dict[str, int] = {}
    classes = observational_classes(observation)
    for done, one in enumerate(classes):
        on_stage(done, len(classes))
        members = one.members
        if one.seen.is_constant():
            value = next(iter(one.seen.values), None)
            constants[value] = tuple(sorted((*constants.get(value, ()), *members)))
            continue
        out: set[int] = set()
        # the cheapest first and no further than the first that is proved: a proof may need the solver
        for candidate in sorted(members, key=lambda index: (costs[index], index)):
            proof = prove(candidate)
            if proof.outcome is Outcome.YES:
                proofs[proof.by] = proofs.get(proof.by, 0) + 1
                kept = tuple(index for index in members if index not in out)
                coordinates.append(Coordinate(candidate, costs[candidate], one.seen, kept, proof))
                break
            out.add(candidate)
            (refuted if proof.outcome is Outcome.NO else undecided).append(candidate)
    coordinates.sort(key=lambda coordinate: coordinate.candidate)
    counts = np.bincount(observation.screening, minlength=len(Screening)).tolist()
    return Basis(
        tuple(coordinates),
        constants,
        counts[Screening.FAILED_ON_REFERENCE],
        counts[Screening.FAILED_ON_SHORT_TRACE],
        tuple(sorted(refuted)),
        tuple(sorted(undecided)),
        proofs,
    )


# How a selected clause is written: in the shape of a starter clause if one is as good, each tolerance amid its range.
# All candidates of a coordinate have the same values (14.10), so any of them may stand in the contract (14.21).

_NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?|\d+/\d+)(ms)?(?![\w./])")
_LONGEST = 60
"""Tolerances of up to this many frames are tried."""
_SHARES = tuple(Fraction(k, 20) for k in range(1, 20))


class RangeRecord(Record, frozen=True):
    """A number of a clause, and the least and greatest around it that decide the same on every case (14.21)."""

    value: str
    least: str
    most: Annotated[str | None, Meta(description="Null if the largest that was tried still decides the same.")]

    @property
    def words(self) -> str:
        """The number, and which others decide the same on every case."""
        value, least, most = (number and number.replace("ms", " ms") for number in (self.value, self.least, self.most))
        if most is None:
            return f"{value}; anything from {least} up to the largest tried decides the same on these cases."
        if least == most:
            return f"{value} is only just right: any smaller or larger number that was tried decides otherwise."
        return f"{value}; anything from {least} to {most} decides the same on these cases."


@dataclass(frozen=True, slots=True)
class ReadableClause:
    """A clause as it is written: its name, its text after the name, and the ranges of its numbers."""

    name: str
    text: str
    ranges: tuple[RangeRecord, ...]


def readable_clauses(observed: Observed, coordinates: Sequence[Coordinate]) -> tuple[ReadableClause, ...]:
    """The chosen coordinates as clauses with different names; what an author wrote stays as it is."""
    candidates = observed.candidates
    chosen = [_member(observed, coordinate) for coordinate in coordinates]
    texts = {place: describe(candidates, index) for place, index in enumerate(chosen)}
    free = {place: text for place, text in texts.items() if chosen[place] >= candidates.first_frame}
    ranges: dict[int, list[RangeRecord]] = {place: [] for place in texts}
    # one number of each clause in a turn: all clauses are observed together, and a moved number is kept for the
    # next turn
    for turn in range(max((len(slots(text)) for text in free.values()), default=0)):
        moved = _turn(observed, {p: (t, coordinates[p]) for p, t in free.items() if len(slots(t)) > turn}, turn)
        for place, (text, one) in moved.items():
            free[place] = texts[place] = text
            ranges[place].append(one)
    names: list[str] = []
    for place, index in enumerate(chosen):
        name = clause_name(candidates[index], candidates.step, index)
        if place in free:
            compiled = candidate_of(variants_contract(observed, [free[place]]).clauses[0])
            starter = _starter_name(compiled, candidates.step)
            name = starter if starter and starter not in names else clause_name(compiled, candidates.step, index)
        alike = sum(re.fullmatch(rf"{name}(_\d+)?", other) is not None for other in names)
        names.append(f"{name}_{alike + 1}" if alike else name)
    return tuple(ReadableClause(names[p], texts[p], tuple(ranges[p])) for p in range(len(chosen)))


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
    # `boundary_gate` first: its names are those that readers know
    for _, path in sorted(starter_contracts().items(), key=lambda item: (item[0] != "boundary_gate", item[0])):
        contract = load_contract(path)
        for clause in contract.clauses:
            shapes.setdefault(_shape(candidate_of(clause), contract.step), clause.name)
    return shapes


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
    number = parse_exact(slot[1])
    if slot[2]:
        times = {k * step for k in range(1, _LONGEST + 1)} | {number / 1000}
        return [ms(time) for time in sorted(times)]
    return [print_number(share) for share in sorted({*_SHARES, number})]


def _turn(
    observed: Observed, clauses: dict[int, tuple[str, Coordinate]], turn: int
) -> dict[int, tuple[str, RangeRecord]]:
    """Move one number of each clause to the middle of its range."""
    step, variants, owners = observed.calibration.step, list[str](), list[tuple[int, str]]()
    for place, (text, _) in clauses.items():
        slot = slots(text)[turn]
        for number in tried_numbers(slot, step):
            variants.append(with_number(text, slot, number))
            owners.append((place, number))
    if not variants:
        return {}
    again = observe_family(
        observed.calibration, NO_FAMILY, variants_contract(observed, variants), matcher=observed.matcher, dropped=True
    )
    keys = [one.key for one in again.observation.seen(range(len(variants)))]
    moved = {}
    for place, (text, coordinate) in clauses.items():
        places = [index for index, (owner, _) in enumerate(owners) if owner == place]
        slot = slots(text)[turn]
        now = next(index for index in places if owners[index][1] == number_text(slot))
        same = [keys[index] == coordinate.seen.key for index in places]
        low, high = _around(same, places.index(now))
        open_end = high == len(places) - 1
        kept = open_end or observed.candidates.family.listed_only
        # amid the run: the cases say nothing about the numbers in it, and the middle is furthest from where they do
        middle = now if kept else places[(low + high) // 2]
        # another number is another formula, whose proof does not follow from that of the first
        if again.prover.decide(replace(again.candidates[middle], name=None)).outcome is not Outcome.YES:
            middle = now
        numbers = [owners[index][1] for index in places]
        limit = None if open_end else numbers[high]
        moved[place] = variants[middle], RangeRecord(owners[middle][1], numbers[low], limit)
    return moved


def with_number(text: str, slot: re.Match[str], number: str) -> str:
    """A clause with another number in a place."""
    return f"{text[: slot.start()]}{number}{text[slot.end() :]}"


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


# Numbers that the family does not list (14.36).

_HUNDREDTHS = tuple(Fraction(k, 100) for k in range(1, 100))


@dataclass(frozen=True, slots=True, eq=False)
class OtherNumbers:
    """The candidates and the basis with some clauses at other numbers, and by coordinate those that vary its clause."""

    observed: Observed
    basis: Basis
    variants: dict[int, list[int]]


def with_other_numbers(observed: Observed, basis: Basis, columns: Sequence[int]) -> OtherNumbers:
    """The clauses of some coordinates at all other numbers, those that are perfect; what is seen alike is there once.

    The values of a clause are step functions of each of its times, which change at multiples of the step alone, so no
    time up to the longest is left out. An author's clause stays as it is.
    """
    candidates, step = observed.candidates, observed.calibration.step
    owners: dict[str, list[int]] = {}
    for column in columns if not candidates.family.listed_only else ():
        index = basis.coordinates[column].candidate
        if index < candidates.first_frame:
            continue
        text = describe(candidates, index)
        for slot in slots(text):
            numbers = tried_numbers(slot, step) if slot[2] else [print_number(share) for share in _HUNDREDTHS]
            for number in numbers:
                owners.setdefault(with_number(text, slot, number), []).append(column)
    if not owners:
        return OtherNumbers(observed, basis, {})
    contract = variants_contract(observed, list(owners))
    again = observe_family(observed.calibration, NO_FAMILY, contract, matcher=observed.matcher)
    refined = candidates.refined_by(contract.clauses)
    coordinates, variants = list(basis.coordinates), dict[int, list[int]]()
    known = {coordinate.seen.key: place for place, coordinate in enumerate(coordinates)}
    varied = list(owners.values())
    for place in (again.observation.screening == Screening.PASSED).nonzero()[0].tolist():
        seen, index = again.observation.seen([place])[0], len(candidates) + place
        if seen.is_constant():
            continue
        if seen.key not in known:
            proof = observed.prover.decide(refined[index])
            if proof.outcome is not Outcome.YES:
                continue
            known[seen.key] = len(coordinates)
            coordinates.append(Coordinate(index, refined.costs[index], seen, (index,), proof))
        for column in varied[place]:
            variants.setdefault(column, []).append(known[seen.key])
    joined = Observation.joined([observed.observation, again.observation])
    with_more = replace(observed, candidates=refined, observation=joined)
    return OtherNumbers(with_more, replace(basis, coordinates=tuple(coordinates)), variants)
