"""The retained basis: candidates on cases under one matcher, one of each class of equal ones (rule 14.10)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from hashlib import sha256

import numpy as np

from tracepact.declarations import OnStage, silent
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Diagnostic, Place, TextPlace
from tracepact.engines import Engine
from tracepact.language.contract import Contract, Matcher
from tracepact.logic.decisions import Outcome
from tracepact.selection.calibration import Calibration, CandidateFamily
from tracepact.selection.candidates import Candidates, check_size
from tracepact.selection.toml_tables import Places
from tracepact.selection.trials import Proof, Prover, Trials, family_of_cases, grid_contract, trials_of
from tracepact.selection.values import Observation, Screening, Seen, observe, observe_frames_by
from tracepact.wording import ms

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
            own = seen[place]
            merged.setdefault(sha256(own.key).digest(), ([], own))[0].extend(members)
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
