"""What candidates are tried on: the cases, the references as perfect predictions and all short perfect traces."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tracepact.calibration.calibration import Calibration, Masks
from tracepact.core import Contract, Matcher
from tracepact.core.contract import CLASS_ATOMS
from tracepact.diagnostics import Diagnostic, Diagnostics
from tracepact.lang import parse_contract
from tracepact.tools.select.word_masks import Rows, WordAlgebra
from tracepact.trace import Durations, Event, EventTable, Family, FrameRun, Grid, Layout, Side, assemble
from tracepact.trace.family import Atoms, offset, onset
from tracepact.wording import ms, print_number

SHORT = 7
"""Every trace of up to this many frames is tried as a perfect prediction."""

_WORD = 64
_ON_THE_GRID = {"vanished-event", "joined-events", "duplicate-row", "offset-beyond-clip"}
_SIDES = ("ref_active", "ref_onset", "ref_offset")
_PERFECT = {name.replace("ref", "pred"): name for name in _SIDES}
"""What a perfect prediction is on a short trace; declared atoms hold nowhere there."""


def grid_contract(calibration: Calibration, matcher: Matcher, clauses: str = "clause any on true : true") -> Contract:
    """A contract with the settings of a calibration set."""
    return parse_contract(settings_text(calibration, matcher, "calibration") + clauses)


def settings_text(
    calibration: Calibration, matcher: Matcher, name: str, title: str | None = None, atoms: Sequence[str] | None = None
) -> str:
    """The statements of a contract that are not clauses; it declares all atoms of the set, or those that are given."""
    quoted = title.replace("\\", "\\\\").replace('"', '\\"') if title else None
    lines = [f"contract {name}" + (f' "{quoted}"' if quoted else ""), f"step {ms(calibration.step)}"]
    if calibration.merge_gap:
        lines.append(f"merge_gap {ms(calibration.merge_gap)}")
    lines.append(f"projection {calibration.projection.value}")
    reward = print_number(matcher.overlap_reward)
    lines.append(f"matcher {matcher.kind.value}(search = {ms(matcher.search)}, overlap_reward = {reward})")
    lines += [f"atom {atom}" for atom in (calibration.atoms if atoms is None else atoms)]
    return "\n".join(lines) + "\n"


class Clip(NamedTuple):
    """A clip that candidates are tried on."""

    name: str
    ref: tuple[Event, ...]
    pred: tuple[Event, ...]
    duration: Fraction
    masks: Masks = ()


def clips_of(calibration: Calibration) -> list[Clip]:
    """One clip for each case, then each different reference with itself as its prediction."""
    clips = [Clip(case.name, case.ref, case.pred, case.duration, case.masks) for case in calibration.cases]
    taken = {clip.name for clip in clips}
    perfect = {(case.ref, case.duration, case.masks) for case in calibration.cases}
    perfect |= {(r.events, r.duration, r.masks) for r in calibration.references}
    if max(clip.duration for clip in clips) < SHORT * calibration.step:
        perfect.add(((), SHORT * calibration.step, ()))  # clips lie apart by the longest of them, short traces included
    for number, (events, duration, masks) in enumerate(sorted(perfect, key=repr)):
        name = f"perfect {number}"
        while name in taken:
            name += "'"
        clips.append(Clip(name, events, events, duration, masks))
    return clips


def family_of_cases(calibration: Calibration, contract: Contract, warnings: list[Diagnostic] | None = None) -> Family:
    """The clips of `clips_of` over the labels of all of them; `own_segments` says which of these are a clip's own.

    What the grid does to the events of a case is added to `warnings`.
    """
    clips = clips_of(calibration)
    file = calibration.source.name
    diagnostics = Diagnostics()
    family = assemble(
        contract,
        EventTable(file, {clip.name: clip.ref for clip in clips}),
        EventTable(file, {clip.name: clip.pred for clip in clips}),
        durations=Durations(file, {clip.name: clip.duration for clip in clips}),
        masks={atom: {clip.name: _mask(clip, atom, calibration) for clip in clips} for atom in calibration.atoms},
        diagnostics=diagnostics,
    )
    diagnostics.raise_errors()
    if warnings is not None:
        names = {case.name for case in calibration.cases}
        told = (d for d in diagnostics if d.code in _ON_THE_GRID and any(f"`{n}`" in d.headline for n in names))
        warnings += dict.fromkeys(replace(d, place=None) for d in told)
    return family


def _mask(clip: Clip, atom: str, calibration: Calibration) -> int:
    """The frames of a clip where a declared atom holds, one bit each; nowhere if the clip says nothing of it."""
    grid, mask = Grid(calibration.step, calibration.projection), 0
    for start, end in dict(clip.masks).get(atom, ()):
        first, after = grid.project(start, end)
        mask |= ((1 << max(after - first, 0)) - 1) << first
    return mask


@dataclass(frozen=True, eq=False)
class Trials:
    """The atoms of all trials in one bitset; the first words are the clips of the family, the rest short traces."""

    family: Family
    layout: Layout
    cases: int
    algebra: WordAlgebra
    atoms: dict[str, Rows]
    short_traces: int
    merge_gap: Fraction
    segments: tuple[tuple[int, ...], ...]

    @property
    def words(self) -> int:
        """How many words the clips take."""
        return self.layout.words

    @property
    def first_word(self) -> NDArray[np.int64]:
        """Where each segment begins."""
        return self.layout.start // _WORD

    def alike(self, one: int, other: int) -> bool:
        """Whether two clips are the same on the grid, whatever their classes are called; no formula parts them."""

        def classes(clip: int) -> list[tuple[tuple[FrameRun, ...], ...]]:
            masks = self.family.masks.values()
            return sorted(
                (*(self.family.runs[side].get(s, ()) for side in Side), *(runs.get(s, ()) for runs in masks))
                for s in self.segments[clip]
            )

        return self.family.frames[one] == self.family.frames[other] and classes(one) == classes(other)

    def by_segment(self, ones: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Counts by segment from counts by word."""
        counts: NDArray[np.int64] = np.add.reduceat(ones, self.first_word, axis=-1, dtype=np.int64)
        return counts

    @cached_property
    def case_segments(self) -> list[int]:
        """The segments of the cases, one case after the other: each is an entry of an observation."""
        return list(chain.from_iterable(self.segments[: self.cases]))

    @cached_property
    def perfect_segments(self) -> list[int]:
        """The segments of the references that are their own predictions."""
        return list(chain.from_iterable(self.segments[self.cases :]))

    @cached_property
    def perfect_words(self) -> NDArray[np.intp]:
        """The words of those segments."""
        ends = [*self.first_word[1:].tolist(), self.words]
        starts = self.first_word.tolist()
        return np.concatenate([np.arange(starts[s], ends[s], dtype=np.intp) for s in self.perfect_segments])

    @cached_property
    def classes(self) -> NDArray[np.int64]:
        """By case how many segments it has in `case_segments`."""
        return np.array([len(own) for own in self.segments[: self.cases]], dtype=np.int64)


def own_segments(calibration: Calibration, family: Family) -> tuple[tuple[int, ...], ...]:
    """By clip the segments of its own labels: its class set when it is scored alone (14.9, 7.6).

    A clip without a label has one empty class, as it has alone.
    """
    index = {label: place for place, label in enumerate(family.classes)}
    found = []
    for place, clip in enumerate(clips_of(calibration)):
        labels = {index[event.label] for event in (*clip.ref, *clip.pred)} or {0}
        found.append(tuple(family.segment(label, place) for label in sorted(labels)))
    return tuple(found)


def trials_of(calibration: Calibration, family: Family, gap: int) -> Trials:
    """Put a family and the short traces on one bitset, apart by the gap; each clip has its own classes alone."""
    layout = family.layout(gap)
    segments = own_segments(calibration, family)
    own = layout.paint({s: ((0, family.frames_of(s)),) for s in sorted(chain.from_iterable(segments))})
    made = Atoms(family, layout)
    short, short_valid, number = _short_traces(layout.gap)
    names = (*_SIDES, *(name.replace("ref", "pred") for name in _SIDES), *CLASS_ATOMS, *calibration.atoms)
    width = -(-short_valid.bit_length() // _WORD) + 1

    def words(mask: int, count: int) -> Rows:
        return np.frombuffer(mask.to_bytes(count * 8, "little"), dtype=np.uint64)

    atoms = {
        name: np.concatenate([layout.to_words(made[name] & own), words(short.get(_PERFECT.get(name, name), 0), width)])
        for name in names
    }
    valid = np.concatenate([layout.to_words(own), words(short_valid, width)])
    algebra = WordAlgebra(valid, max(layout.longest, SHORT))
    return Trials(family, layout, len(calibration.cases), algebra, atoms, number, calibration.merge_gap, segments)


def _short_traces(gap: int) -> tuple[dict[str, int], int, int]:
    """The masks of all short traces side by side, the frames that exist, and how many traces there are."""
    active = valid = at = number = 0
    for frames in range(1, SHORT + 1):
        for trace in product((0, 1), repeat=frames):
            active |= sum(bit << i for i, bit in enumerate(trace)) << at
            valid |= ((1 << frames) - 1) << at
            at += frames + gap
            number += 1
    masks = {"ref_active": active, "ref_onset": onset(active), "ref_offset": offset(active, valid)}
    return masks, valid, number
