"""A scene as the page holds it: a contract, parameters and one clip; and the scorecard it comes to (rule 23.2)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Annotated

from msgspec import Meta, field

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput, Source
from tracepact.io.outside import Outside
from tracepact.io.preparing import prepare
from tracepact.io.rows import EventRows, Times
from tracepact.lang import compile_source, override
from tracepact.records import Record
from tracepact.scoring import Scorecard, score_family
from tracepact.trace import Durations, EventTable, Family, FrameRun, Mode, assemble
from tracepact.trace.grid import Grid
from tracepact.wording import print_number

MOST_FRAMES = 200_000
"""The most frames that a scene has, over all of its classes."""
MOST_EVENTS = 5_000
CONTRACT_NAME = "contract"

_Time = Annotated[str, Meta(max_length=60)]
_Label = Annotated[str, Meta(min_length=1, max_length=200)]
EventText = tuple[_Time, _Time, _Label]
"""Onset and offset in seconds, exact, and the label."""
Events = Annotated[tuple[EventText, ...], Meta(max_length=MOST_EVENTS)]


class Clip(Record, frozen=True):
    """One clip: its length and the events of both sides; times are exact text, in seconds."""

    name: Annotated[str, Meta(min_length=1, max_length=400)]
    duration: _Time
    ref: Events = ()
    pred: Events = ()
    ignore: Annotated[tuple[tuple[_Time, _Time, str], ...], Meta(max_length=MOST_EVENTS)] = ()
    masks: Annotated[
        dict[str, tuple[tuple[_Time, _Time], ...]], Meta(max_length=64, description="Intervals by declared atom.")
    ] = field(default_factory=dict)


class Scene(Record, frozen=True):
    """What the page sends: all that a verdict depends on."""

    contract: Annotated[str, Meta(max_length=200_000)]
    clip: Clip
    set: Annotated[dict[str, str], Meta(max_length=200, description="New values of parameters.")] = field(
        default_factory=dict
    )
    union: bool = False


def compiled(scene: Scene) -> tuple[Contract | None, tuple[Diagnostic, ...]]:
    """The contract of a scene, if its text and parameters have no errors, and what was found in them."""
    contract, found = compiled_text(scene.contract)
    if contract is None or not scene.set:
        return contract, found
    try:
        changed = override(contract, scene.set)
    except InvalidInput as error:
        return None, tuple(error.diagnostics)
    return changed, tuple(changed.warnings)


@lru_cache(maxsize=32)
def compiled_text(text: str) -> tuple[Contract | None, tuple[Diagnostic, ...]]:
    """The contract of a text, if it has no errors, and what was found in it."""
    found = Diagnostics()
    contract = compile_source(Source(CONTRACT_NAME, text), found)
    return contract, tuple(found)


def judged(contract: Contract, scene: Scene) -> tuple[Scorecard, tuple[Diagnostic, ...]]:
    """The scorecard of a scene, and what is odd about its data; InvalidInput if it cannot be scored."""
    diagnostics = Diagnostics()
    family = family_of(contract, scene, diagnostics)
    diagnostics.raise_errors()
    return score_family(contract, family), tuple(diagnostics)


def family_of(contract: Contract, scene: Scene, diagnostics: Diagnostics) -> Family:
    """The clip of a scene on the grid of its contract, as scoring puts it there."""
    clip = scene.clip
    times = Times(fractions=True)
    reference, prediction, ignored = (
        _table(name, clip.name, events, times, diagnostics)
        for name, events in (("ref", clip.ref), ("pred", clip.pred), ("ignore", clip.ignore))
    )
    duration = _duration(clip, contract, reference, prediction, times, diagnostics)
    lengths = Durations("duration", {clip.name: duration})
    regions = ignored if clip.ignore else None
    ready = prepare(reference, prediction, lengths, regions, None, diagnostics, Outside.FALSE_ALARM, None)
    frames = Grid(contract.step).frames(duration)
    return assemble(
        contract,
        ready.reference,
        ready.prediction,
        durations=ready.durations,
        mode=Mode.UNION if scene.union else Mode.CLASS_INDEXED,
        ignore=ready.ignore,
        masks=_masks(contract, clip, frames, times, diagnostics),
        diagnostics=diagnostics,
        allow_outside=True,
    )


def _table(
    name: str, clip: str, events: Sequence[tuple[str, str, str]], times: Times, diagnostics: Diagnostics
) -> EventTable:
    rows = EventRows(name, diagnostics, times, regions=name == "ignore")
    rows.clips[clip] = []
    for onset, offset, label in events:
        rows.add(None, clip, onset, offset, label)
    return rows.table()


def _duration(
    clip: Clip,
    contract: Contract,
    reference: EventTable,
    prediction: EventTable,
    times: Times,
    diagnostics: Diagnostics,
) -> Fraction:
    """The length of the clip; InvalidInput where there is none, or more frames than are judged at once."""
    try:
        duration = times[clip.duration]
    except ValueError:
        duration = Fraction(0)
    if not duration:
        diagnostics.add("bad-time", f"the duration `{clip.duration}` is not a length in seconds")
        diagnostics.raise_errors()
    classes = len(contract.labels or reference.labels | prediction.labels) or 1
    if duration / contract.step * classes > MOST_FRAMES:
        diagnostics.add(
            "too-many-frames",
            f"the scene has more than {MOST_FRAMES:,} frames over its classes",
            help="shorten the clip, or score it with `tracepact score`",
        )
        diagnostics.raise_errors()
    return duration


def _masks(
    contract: Contract, clip: Clip, frames: int, times: Times, diagnostics: Diagnostics
) -> Mapping[str, Mapping[str, list[bool]]]:
    """The masks of the declared atoms: the frames whose centre lies in an interval. An atom without intervals is off.

    Intervals of an atom that the contract does not declare are kept in the scene, and judge nothing.
    """
    found: dict[str, dict[str, list[bool]]] = {}
    grid = Grid(contract.step)
    for atom in contract.declared_atoms:
        mask = [False] * frames
        for onset, offset in clip.masks.get(atom, ()):
            try:
                start, end = grid.project(times[onset], times[offset])
            except ValueError:
                diagnostics.add("bad-time", f"atom `{atom}`: `{onset}` to `{offset}` is not an interval in seconds")
                continue
            for frame in range(max(start, 0), min(end, frames)):
                mask[frame] = True
        found[atom] = {clip.name: mask}
    return found


def run_events(runs: Sequence[FrameRun], step: Fraction, label: str) -> list[EventText]:
    """Runs of frames as events."""
    return [(onset, offset, label) for onset, offset in run_times(runs, step)]


def run_times(runs: Sequence[FrameRun], step: Fraction) -> tuple[tuple[str, str], ...]:
    """Runs of frames in seconds, as exact text."""
    return tuple((print_number(start * step), print_number(end * step)) for start, end in runs)
