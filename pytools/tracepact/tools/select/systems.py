"""Clips of real systems as cases: what each system gave out on a clip, against one reference (rule 14.29)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from tracepact.calibration.calibration import Calibration, Case
from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput
from tracepact.io import AudioFolder
from tracepact.tools.score.run import Run, score
from tracepact.tools.select.trials import grid_contract
from tracepact.trace import Event


@dataclass(frozen=True, slots=True)
class SystemOutputs:
    """The references of some clips, and what each of some systems gave out on them."""

    durations: Mapping[str, Fraction]
    reference: Mapping[str, tuple[Event, ...]]
    systems: Mapping[str, Mapping[str, tuple[Event, ...]]]
    warnings: tuple[Diagnostic, ...] = ()

    def case(self, clip: str, system: str) -> Case:
        """What a system gave out on a clip, as a case without a rank."""
        name = case_name(clip, system)
        how = f"clip {clip}, as {system} gave it out"
        ref, pred = self.reference.get(clip, ()), self.systems[system].get(clip, ())
        return Case(name, "", Fraction(0), name, how, self.durations[clip], ref, pred)


def case_name(clip: str, system: str) -> str:
    """What the output of a system on a clip is called."""
    return f"{clip} by {system}"


@dataclass(frozen=True, slots=True)
class Tables:
    """References, the lengths of their clips and the predictions of systems: paths, or what `score` takes else."""

    ref: Any
    durations: Any
    systems: Mapping[str, Any]
    audio: str | None = None


def source_of(data: Any) -> Any:
    """Events as `score` takes them; a text is a path."""
    return Path(data) if isinstance(data, str) else data


def read_systems(calibration: Calibration, tables: Tables) -> SystemOutputs:
    """Read the tables of some systems on the grid of a calibration set; InvalidInput carries every fault of all."""
    contract = grid_contract(calibration, calibration.family.matchers[0])
    audio = None if tables.audio is None else AudioFolder(tables.audio)
    lengths = audio if tables.durations is None else tables.durations
    faults, runs = Diagnostics(), dict[str, Run]()
    for name, table in tables.systems.items():
        try:
            runs[name] = score(contract, source_of(tables.ref), source_of(table), durations=lengths, outside="drop")
        except InvalidInput as error:
            faults.extend(d for d in error.diagnostics if d not in faults)
    faults.raise_errors()
    first = next(iter(runs.values()))
    known = first.durations
    clips = first.card.family.clips
    own = dict.fromkeys(clips, known) if isinstance(known, Fraction) else {clip: known.clips[clip] for clip in clips}
    told = dict.fromkeys(diagnostic for run in runs.values() for diagnostic in run.diagnostics)
    return SystemOutputs(
        own,
        {clip: _cut(first.reference.clips.get(clip, ()), own[clip]) for clip in clips},
        {n: {clip: _cut(run.prediction.clips.get(clip, ()), own[clip]) for clip in clips} for n, run in runs.items()},
        tuple(told),
    )


def _cut(events: Iterable[Event], end: Fraction) -> tuple[Event, ...]:
    """The events of a clip; a late offset is cut at its end (5.4)."""
    return tuple(event if event.offset <= end else replace(event, offset=end) for event in events)


def with_cases(calibration: Calibration, cases: tuple[Case, ...], name: str = "judged") -> Calibration:
    """The grid and the family of a calibration set with other cases, under another name."""
    return replace(calibration, name=name, title=None, cases=cases, references=())
