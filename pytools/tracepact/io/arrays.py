"""Arrays in memory as score fields: frames × classes of floats, or of truth values; what does not fit is reported."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.ranks import DUST, FINITE, PROBABILITIES
from tracepact.io.source import shown
from tracepact.trace import (
    ClipScores,
    Durations,
    EventTable,
    Ranks,
    ScoreField,
    ScoreLevels,
    frame_edges,
    join_levels,
    levels_of_floats,
)
from tracepact.wording import count, decimal, seconds

SHAPE = "give one row a frame and one column a class"
_DUST = float(DUST)
_MASK = "whole numbers are read as truth values"


def array_of(data: Any) -> NDArray[Any]:
    """The array that data is, a tensor's values included; ValueError if its rows have different lengths."""
    if all(hasattr(data, part) for part in ("detach", "cpu", "dtype")):
        data = data.detach().cpu()
        # NumPy has no such float; every one of them is a 32-bit float too.
        data = (data.float() if "bfloat16" in str(data.dtype) else data).numpy()
    return np.asarray(data)


def is_array(data: Any) -> bool:
    """Whether data is an array or a tensor, not a list."""
    return isinstance(data, np.ndarray) or all(hasattr(data, part) for part in ("detach", "cpu", "dtype"))


class FieldArrays:
    """Checks the arrays of one field and makes it."""

    def __init__(self, name: str, classes: Sequence[str], step: Fraction, diagnostics: Diagnostics) -> None:
        self.name = name
        self.classes = tuple(classes)
        self.step = step
        self.diagnostics = diagnostics

    def fault(self, code: str, headline: str, help: str | None = None) -> None:
        """Report what is wrong with an array."""
        self.diagnostics.add(code, headline, RowPlace(self.name), help)

    def field(self, arrays: Mapping[str, Any]) -> ScoreField:
        """The field of these arrays by clip; those with a fault are left out, and reported."""
        checked = {clip: self._checked(clip, data) for clip, data in arrays.items()}
        found = {clip: array for clip, array in checked.items() if array is not None}
        levels, ranks = _levels(list(found.values()))
        clips = {
            clip: ClipScores(frame_edges(len(array), self.step), own)
            for (clip, array), own in zip(found.items(), ranks, strict=True)
        }
        is_mask = all(array.dtype.kind == "b" for array in found.values())
        return ScoreField(self.name, self.classes, levels, clips, is_mask=is_mask)

    def _checked(self, clip: str, data: Any) -> NDArray[Any] | None:
        what = f"`{self.name}` of `{shown(clip)}`"
        try:
            array = array_of(data)
        except ValueError:
            self.fault("bad-field", f"{what} is ragged: its rows have different lengths", SHAPE)
            return None
        if array.ndim != 2 or array.shape[1] != len(self.classes):
            shape = " × ".join(map(str, array.shape)) or "no dimension"
            headline = f"{what} has the shape {shape}, not frames × {count(len(self.classes), 'class', 'classes')}"
            self.fault("bad-field", headline, SHAPE)
            return None
        if not len(array):
            self.fault("bad-field", f"{what} has no frames", SHAPE)
            return None
        return self._values(what, array)

    def _values(self, what: str, array: NDArray[Any]) -> NDArray[Any] | None:
        """The array if it holds scores or truth values; whole numbers 0 and 1 as truth values."""
        if array.dtype.kind in "iu":
            wrong = ~np.isin(array, (0, 1))
            sound = self._sound(what, array, wrong, "is neither 0 nor 1", _MASK)
            return array.astype(np.bool_) if sound else None
        if array.dtype.kind == "f":
            infinite = ~np.isfinite(array)
            sound = self._sound(what, array, infinite, "is not a finite number", FINITE)
            outside = ~infinite & ~((array >= 0) & (array <= 1))
            dusty = outside & (array >= -_DUST) & (array <= 1 + _DUST)
            self._sound(what, array, dusty, "leaves 0 to 1 by no more than a millionth", None, "score-outside")
            far = self._sound(what, array, outside & ~dusty, "lies outside 0 to 1", PROBABILITIES)
            return array if far and sound else None
        if array.dtype.kind != "b":
            self.fault("bad-field", f"{what} holds `{array.dtype}`", "give floats, or truth values")
            return None
        return array

    def _sound(
        self,
        what: str,
        array: NDArray[Any],
        wrong: NDArray[np.bool_],
        fault: str,
        help: str | None,
        code: str = "bad-score",
    ) -> bool:
        """Whether no value is wrong; else one fault for all of them: the first, and how many there are."""
        number = int(wrong.sum())
        if number:
            frame, label = np.argwhere(wrong)[0].tolist()
            more = f", and {number - 1:,} more" if number > 1 else ""
            place = f"at frame {frame} of class `{shown(self.classes[label])}`"
            self.fault(code, f"{what}: {array[frame, label]} {place} {fault}{more}", help)
        return not number


def report_unequal_arrays(reference: EventTable, prediction: EventTable, diagnostics: Diagnostics) -> None:
    """Say that arrays in memory of both sides with frames of one length do not cover the same frames of a clip."""
    fields = [table.origin.scores if table.origin else None for table in (reference, prediction)]
    ref, pred = fields
    if ref is None or pred is None or ref.digest is not None or pred.digest is not None:
        return
    for clip in (clip for clip in ref.clips if clip in pred.clips):
        own, other = ref.clips[clip], pred.clips[clip]
        if own.edges[:2] == other.edges[:2] and len(own.ranks) != len(other.ranks):
            headline = (
                f"`{shown(clip)}` has {count(len(own.ranks), 'frame')} on one side and {len(other.ranks)} on the other"
            )
            diagnostics.add("bad-field", headline, RowPlace(pred.name), "both sides must cover the same frames")


def report_assumed_step(
    table: EventTable,
    reference: EventTable,
    durations: Durations | Fraction | None,
    step: Fraction,
    diagnostics: Diagnostics,
) -> bool:
    """Whether arrays whose frames were taken to be as long as the contract's do not fit their clips (rule 13.33)."""
    before = len(diagnostics)
    field = table.origin.scores if table.origin else None
    for clip, own in field.clips.items() if field is not None else ():
        end, frames = own.edges[-1], len(own.ranks)
        length = durations.clips.get(clip) if isinstance(durations, Durations) else durations
        last = max((event.onset for event in reference.clips.get(clip, ())), default=Fraction(0))
        if length is not None and abs(length - end) > step:
            but = f"and the clip is {seconds(length)} long: a frame of {decimal(length / frames, 4)} s would fit"
        elif length == end and last >= end:
            but = f"and the reference has an event at {seconds(last)}"
        else:
            continue
        headline = (
            f"`{table.name}` of `{shown(clip)}`: {count(frames, 'frame')} of the contract's {seconds(step)} end at "
            f"{seconds(end)}, {but}"
        )
        diagnostics.add("bad-field", headline, RowPlace(table.name), "say how long its frames are: step=…, in seconds")
    return len(diagnostics) > before


def _levels(arrays: Sequence[NDArray[Any]]) -> tuple[ScoreLevels, list[Ranks]]:
    """The common levels of arrays, and the ranks of each; every float is read in its own precision."""
    kinds = list(dict.fromkeys(array.dtype for array in arrays))
    alike = [[i for i, array in enumerate(arrays) if array.dtype == kind] for kind in kinds]
    found = [levels_of_floats(np.concatenate([_floats(arrays[i]) for i in places])) for places in alike]
    levels, renewed = join_levels([own for own, _ in found])
    ranks: dict[int, Ranks] = {}
    for places, (_, own), new in zip(alike, found, renewed, strict=True):
        ends = np.cumsum([arrays[i].size for i in places])[:-1]
        ranks |= {i: part.reshape(arrays[i].shape) for i, part in zip(places, np.split(new[own], ends), strict=True)}
    return levels, [ranks[i] for i in range(len(arrays))]


def _floats(array: NDArray[Any]) -> NDArray[Any]:
    """The values of an array one after another; truth values are 0 and 1."""
    return array.reshape(-1).astype(np.float64) if array.dtype.kind == "b" else array.reshape(-1)
