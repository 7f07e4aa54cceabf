"""Score fields from wherever they are: arrays, tensors and data frames in memory, `.npz`, Parquet and score files."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.inputs import read_bytes
from tracepact.io.arrays import SHAPE, FieldArrays, array_of, is_array
from tracepact.io.columnar import Frame, first_bytes, frame_of, is_columnar, open_columnar
from tracepact.io.files import clip_files
from tracepact.io.npz import BadArraysError, read_arrays
from tracepact.io.scores import EDGES, FrameColumns, parse_scores, scores_of
from tracepact.io.source import PathLike, shown
from tracepact.lang.reader import read_time
from tracepact.lang.scope import SUSPICIOUS
from tracepact.trace import ScoreField, ScoreLevels, Time, exact
from tracepact.wording import count

CLASSES, STEP = "classes", "step"
"""What an `.npz` file calls its classes and the length of its frames; every other array is a clip (rule 13.33)."""
_ZIP = b"PK\x03\x04"
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
    if first_bytes(name, len(_ZIP)) == _ZIP:
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
    return scores_of(name, own, digest, diagnostics)


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
    if step is None and own_step is not None and own_step.size == 1:
        step = own_step.reshape(-1)[0].item() if own_step.dtype.kind in "iu" else str(own_step.reshape(-1)[0])
    length = checked_step(step, name, diagnostics)
    if _reports_classes(classes, name, diagnostics) or length is None:
        return _nothing(name, classes)
    field = FieldArrays(name, classes, length, diagnostics).field(arrays)
    return replace(field, digest=hashlib.sha256(data).hexdigest())
