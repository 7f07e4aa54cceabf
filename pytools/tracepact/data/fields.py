"""Score fields from wherever they are: arrays, frames, archives, Parquet and score files."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.arrow_files import BadColumnarError
from tracepact.data.data_files import Frame, clip_files, frame_of, is_columnar, open_columnar, report_unreadable
from tracepact.data.events import (
    ClipScores,
    EventTable,
    Lengths,
    Ranks,
    ScoreField,
    ScoreLevels,
    Time,
    exact,
    frame_edges,
    join_levels,
    length_of,
    levels_of_floats,
)
from tracepact.data.score_files import DUST, EDGES, FINITE, PROBABILITIES, FrameColumns, parse_scores, scores_of
from tracepact.data.sources import BadArraysError, PathLike, is_arrays, read_arrays, shown
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace
from tracepact.inputs import read_bytes
from tracepact.language.reader import read_time
from tracepact.language.scope import SUSPICIOUS
from tracepact.wording import count, decimal, seconds

# Arrays in memory as score fields: frames × classes of floats, or of truth values; what does not fit is reported.

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
            # Softmax and averaging of float32 leave 0 to 1 by rounding; logits leave it by far more.
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
    durations: Lengths,
    step: Fraction,
    diagnostics: Diagnostics,
) -> bool:
    """Whether arrays whose frames were taken to be as long as the contract's do not fit their clips (rule 13.33)."""
    before = len(diagnostics)
    field = table.origin.scores if table.origin else None
    for clip, own in field.clips.items() if field is not None else ():
        end, frames = own.edges[-1], len(own.ranks)
        length = length_of(durations, clip)
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
    # Arrays of one precision are ranked together, and the few sets of levels joined: every float keeps its own decimal.
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


# Score fields from wherever they are: arrays, tensors and data frames in memory, `.npz`, Parquet and score files.

CLASSES, STEP = "classes", "step"
"""What an `.npz` file calls its classes and the length of its frames; every other array is a clip (rule 13.33)."""
_LARGEST = 1 << 32
_WIDTHS = (2, 3)
"""How many columns an array of intervals may have."""
_WHICH = "a mask is given as truth values (`.astype(bool)`), intervals as a list (`.tolist()`)"
_STEP = "give it in seconds: step=0.02"
_NAMED = "name its classes: classes=[…], and the length of its frames: step=…"


def score_field(
    data: Any, *, classes: Sequence[str] | None = None, step: Time | None = None, name: str = "scores"
) -> ScoreField:
    """A score field of data in memory or of files, for `score`, `audit_threshold` and all that takes predictions.

    Args:
        data: an array or tensor of frames × classes, for one clip named `clip`; a mapping from clips to such arrays; a
            data frame of scores (`onset`, `offset`, one column a class; with `filename` for many clips), or a mapping
            from clips to such; a path to score files, an `.npz` or a Parquet file.
        classes: the classes of the columns of arrays, in order.
        step: the length of a frame of arrays, in seconds, or as text with a unit; 10 or more needs one.
        name: what messages call it.

    Returns:
        The field, with every score exact: a float is its shortest decimal text (rule 5.2).

    Raises:
        InvalidInput: the data is no score field; it carries every fault.

    Examples:
        >>> import numpy as np
        >>> import tracepact
        >>> field = tracepact.score_field(np.array([[0.1], [0.9], [0.8]]), classes=["dog"], step="0.5")
        >>> run = tracepact.score("boundary_gate", [(0.5, 1.5, "dog")], field, decoding=0.5)
        >>> set(run.vector.values())
        {Fraction(1, 1)}
    """
    diagnostics = Diagnostics()
    if isinstance(data, str | os.PathLike):
        field = read_field(data, diagnostics, classes, step) or read_scores(data, diagnostics)
    else:
        found = field_from(data, diagnostics, name=name, clip="clip", classes=classes, step=step)
        if found is None and not diagnostics.errors:
            diagnostics.add("bad-field", f"`{shown(name)}` holds no scores of frames × classes", RowPlace(name), _NAMED)
        field = found or _nothing(name)
    diagnostics.raise_errors()
    return field


def field_from(
    data: Any,
    diagnostics: Diagnostics,
    *,
    name: str,
    clip: str,
    classes: Sequence[str] | None = None,
    step: Time | None = None,
) -> ScoreField | None:
    """The score field, or the mask of several classes, that data in memory is; None if it is something else.

    That is a ScoreField; an array or tensor of frames × classes, or a mapping from clips to such, with `classes` and
    `step`; a data frame of scores, or a mapping from clips to such. An array that could as well be a list of intervals
    is an error, never a guess (rule 13.33).
    """
    if isinstance(data, ScoreField):
        return data
    if isinstance(classes, str):
        _reports_classes(classes, name, diagnostics)
        return _nothing(name)
    if (frame := frame_of(data)) is not None:
        return _of_frames(name, {clip: frame}, diagnostics) if is_score_frame(frame) else None
    parts = {str(key): item for key, item in data.items()} if isinstance(data, Mapping) else {clip: data}
    # Frames before arrays: a data frame turns into an array without complaint, and loses its names.
    frames = {key: frame for key, item in parts.items() if (frame := frame_of(item)) is not None}
    if frames and len(frames) == len(parts):
        return _of_frames(name, frames, diagnostics)
    parts = {key: _rows(item, classes) for key, item in parts.items()}
    if _reports_lists(parts, classes, name, diagnostics):
        return _nothing(name, ())
    if not parts or not all(is_array(item) for item in parts.values()):
        return None
    arrays = {key: array_of(item) for key, item in parts.items()}
    if _reports_ambiguous(arrays, classes is not None, name, diagnostics):
        return _nothing(name, classes or ())
    if classes is None:
        return None
    length = checked_step(step, name, diagnostics)
    if _reports_classes(classes, name, diagnostics) or length is None:
        return _nothing(name, classes)
    return FieldArrays(name, classes, length, diagnostics).field(arrays)


def says_its_frames(data: Any) -> bool:
    """Whether data itself says how long its frames are: a field, data frames and files do, arrays and lists do not."""
    if isinstance(data, ScoreField | str | os.PathLike) or frame_of(data) is not None:
        return True
    return isinstance(data, Mapping) and any(frame_of(item) is not None for item in data.values())


def read_scores(path: PathLike, diagnostics: Diagnostics) -> ScoreField:
    """The scores of a file or of all files of a folder (rules 13.8 and 13.33); the classes are those of the first."""
    field = read_field(path, diagnostics)
    if field is not None:
        return field
    found = clip_files(path, diagnostics)
    return _nothing(str(path)) if found is None else parse_scores(found.name, found.clips, found.digest, diagnostics)


def read_field(
    path: PathLike, diagnostics: Diagnostics, classes: Sequence[str] | None = None, step: Time | None = None
) -> ScoreField | None:
    """The field of an `.npz` file, or of a Parquet or Arrow file of scores; None if a file is neither."""
    name = os.fspath(path)
    if is_arrays(name):
        return _read_npz(name, diagnostics, classes, step)
    if not is_columnar(name):
        return None
    found = open_columnar(name, diagnostics)
    if found is None:
        return _nothing(name)
    frame, digest = found
    if not is_score_frame(frame):
        return None
    own = {Path(name).stem: FrameColumns(name, frame)}
    try:
        return scores_of(name, own, digest, diagnostics)
    except BadColumnarError as error:  # times that no calendar has
        report_unreadable(name, error, diagnostics)
        return _nothing(name)


def is_score_frame(frame: Frame) -> bool:
    """Whether a data frame holds scores: onset, offset, and numbers of classes; not the events of a table."""
    others = [place for place, name in enumerate(frame.names) if name.strip() not in ("filename", *EDGES)]
    has_edges = set(EDGES) <= {name.strip() for name in frame.names}
    return has_edges and bool(others) and all(map(frame.is_number, others))


def checked_step(step: Time | None, name: str, diagnostics: Diagnostics) -> Fraction | None:
    """The length of a frame; None, which is reported, if there is none."""
    length, is_bare = _read_step(step)
    if length > 0 and not (is_bare and length >= SUSPICIOUS):
        return length
    fault, help = f"the step `{step}` is not a length of time", _STEP
    if step is None:
        fault = "nothing says how long its frames are"
    elif length > 0:
        fault, help = f"the step `{step}` has no unit", f'write step="{step}ms", or step="{step}s" if you mean seconds'
    diagnostics.add("bad-field", f"`{shown(name)}`: {fault}", RowPlace(name), help)
    return None


def _read_step(step: Time | None) -> tuple[Fraction, bool]:
    """The length of a frame, 0 if it is none, and whether it is a bare number; a Fraction is exact seconds."""
    with_unit = read_time(step) if isinstance(step, str) else None
    if with_unit is not None and with_unit[1]:
        return with_unit[0], False
    try:
        return (Fraction(0) if step is None else exact(step)), not isinstance(step, Fraction)
    except (ValueError, TypeError):
        return Fraction(0), True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number | np.bool_)


def _rows(data: Any, classes: Sequence[str] | None) -> Any:
    """A list of lists of numbers as the array it is, if classes are given and it cannot be a list of intervals."""
    if classes is None or not isinstance(data, list) or not all(isinstance(row, list) for row in data):
        return data
    widths = {len(row) for row in data}
    if not data or not all(_is_number(value) for row in data for value in row):
        return data
    if widths == {len(classes)} or (len(widths) == 1 and not widths <= {*_WIDTHS}):
        return np.asarray(data)
    return data


def _reports_lists(
    parts: Mapping[str, Any], classes: Sequence[str] | None, name: str, diagnostics: Diagnostics
) -> bool:
    """Whether some part is a list of arrays, of numbers alone, or of rows of numbers that have different lengths."""
    before = len(diagnostics)
    for clip, data in parts.items():
        if not isinstance(data, list | tuple) or not data:
            continue
        what = f"`{shown(name)}` of `{shown(clip)}`"
        if classes is None and len(data) > max(_WIDTHS) and all(isinstance(value, float) for value in data):
            _report_bare(len(data), clip, name, diagnostics)
        elif all(is_array(item) for item in data) and (
            classes is not None or any(len(item.shape) > 1 for item in data)
        ):
            headline = f"{what} is a list of {count(len(data), 'array')}, not an array of frames × classes"
            diagnostics.add("bad-field", headline, RowPlace(name), "name the clip of each: {clip: array}")
        elif classes is not None and all(isinstance(row, list) and all(map(_is_number, row)) for row in data):
            widths = {len(row) for row in data}
            if len(widths) > 1 and not widths <= {*_WIDTHS}:
                headline = f"{what} is ragged: its rows have different lengths"
                diagnostics.add("bad-field", headline, RowPlace(name), SHAPE)
    return len(diagnostics) > before


def _report_bare(numbers: int, clip: str, name: str, diagnostics: Diagnostics) -> None:
    """Say that numbers one after another are no intervals."""
    headline = f"`{shown(name)}` of `{shown(clip)}` is {numbers:,} numbers; these look like scores"
    help = "give one row a frame and one column a class, and classes=[…], step=… and decoding=…"
    diagnostics.add("bad-field", headline, RowPlace(name), help)


def _reports_classes(classes: Sequence[str], name: str, diagnostics: Diagnostics) -> bool:
    """Whether a class is named twice or has no name, or one text was given for a list of names."""
    if isinstance(classes, str):
        headline = f"`{shown(name)}`: the classes are one text, not a list of names"
        diagnostics.add("bad-field", headline, RowPlace(name), f'write classes=["{shown(classes)}"]')
        return True
    wrong = [label for label in dict.fromkeys(classes) if not label or classes.count(label) > 1]
    for label in wrong:
        fault = f"the class `{shown(label)}` occurs twice" if label else "a class has no name"
        diagnostics.add("bad-field", f"`{shown(name)}`: {fault}", RowPlace(name), "name each column once")
    return bool(wrong)


def _nothing(name: str, classes: Sequence[str] = ()) -> ScoreField:
    """The field of what cannot be read, and was reported."""
    return ScoreField(name, tuple(classes), ScoreLevels(np.zeros(0)), {})


def _of_frames(name: str, frames: Mapping[str, Frame], diagnostics: Diagnostics) -> ScoreField:
    sources = {clip: FrameColumns(f"{name}[{clip}]", frame) for clip, frame in frames.items()}
    return replace(scores_of(name, sources, None, diagnostics), files={})


def _reports_ambiguous(
    arrays: Mapping[str, np.ndarray[Any, Any]], named: bool, name: str, diagnostics: Diagnostics
) -> bool:
    """Whether an array is neither surely a field nor surely a list of intervals."""
    before = len(diagnostics)
    for clip, array in arrays.items():
        if not named and array.ndim == 1 and array.dtype.kind == "f" and len(array) > max(_WIDTHS):
            _report_bare(len(array), clip, name, diagnostics)
        if array.ndim != 2 or not len(array):
            continue
        shape = " × ".join(map(str, array.shape))
        what = f"`{name}` of `{shown(clip)}`, an array of {array.dtype} with the shape {shape},"
        # Whole numbers in two or three columns could be a mask of as many classes, or onsets and offsets in seconds.
        whole, narrow = array.dtype.kind in "iu", array.shape[1] in _WIDTHS
        if whole and narrow and (named or bool(np.isin(array, (0, 1)).all())):
            diagnostics.add("ambiguous-array", f"{what} could be a mask or a list of intervals", RowPlace(name), _WHICH)
        elif not named and not narrow and array.dtype.kind in "biuf":
            headline = f"{what} has no classes and is not a list of intervals"
            diagnostics.add("bad-field", headline, RowPlace(name), _NAMED)
    return len(diagnostics) > before


def _read_npz(name: str, diagnostics: Diagnostics, classes: Sequence[str] | None, step: Time | None) -> ScoreField:
    """The arrays of an `.npz` file by clip, with the classes and the step it names."""
    try:
        data = read_bytes(name, _LARGEST)
        arrays = read_arrays(data, _LARGEST)
    except (OSError, BadArraysError) as error:
        words = shown(" ".join(str(error).split()), 80)
        diagnostics.add("unreadable-file", f"`{shown(name)}` cannot be read: {words}", RowPlace(name))
        return _nothing(name)
    own_classes, own_step = arrays.pop(CLASSES, None), arrays.pop(STEP, None)
    if classes is None and own_classes is not None:
        classes = [str(label) for label in own_classes.reshape(-1).tolist()]
    if classes is None:
        help = f"store their names as the array `{CLASSES}`, or give them: classes=[…]"
        diagnostics.add("bad-field", f"`{shown(name)}` does not name its classes", RowPlace(name), help)
        return _nothing(name)
    # A stored float stands for its shortest decimal, as everywhere (rule 5.2).
    if step is None and own_step is not None and own_step.size == 1:
        step = own_step.reshape(-1)[0].item() if own_step.dtype.kind in "iu" else str(own_step.reshape(-1)[0])
    length = checked_step(step, name, diagnostics)
    if _reports_classes(classes, name, diagnostics) or length is None:
        return _nothing(name, classes)
    field = FieldArrays(name, classes, length, diagnostics).field(arrays)
    return replace(field, digest=hashlib.sha256(data).hexdigest())
