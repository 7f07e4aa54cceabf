"""The candidates of a family on the cases of a calibration set, under one matcher."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from tracepact.calibration.calibration import Calibration
from tracepact.calibration.family import CandidateFamily
from tracepact.calibration.places import Places
from tracepact.core import Contract, Matcher
from tracepact.diagnostics import Diagnostic, Diagnostics, Place, TextPlace
from tracepact.engines import Engine
from tracepact.progress import OnStage, silent
from tracepact.tools.select.candidates import Candidates, check_size
from tracepact.tools.select.observe import Observation, observe
from tracepact.tools.select.observe_parts import observe_frames_by
from tracepact.tools.select.perfect import Prover
from tracepact.tools.select.trials import Trials, family_of_cases, grid_contract, trials_of
from tracepact.wording import ms


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
    warnings: list[Diagnostic] = list(calibration.warnings)
    cases = family_of_cases(calibration, grid_contract(calibration, matcher), warnings)
    trials = trials_of(calibration, cases, candidates.reach)
    frames = None if engine is None else partial(observe_frames_by, engine)
    observation = observe(candidates, trials, matcher, on_stage, dropped=dropped, frames=frames)
    return Observed(calibration, candidates, trials, matcher, observation, Prover(calibration.step), tuple(warnings))
