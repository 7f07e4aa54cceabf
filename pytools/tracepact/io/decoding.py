"""Decoding: a median filter, a threshold or two, and the runs of active frames that become events (rule 13.9)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.diagnostics import Diagnostics, RowPlace, did_you_mean, nearest, require_type
from tracepact.io.source import shown
from tracepact.trace import ClipScores, Event, EventTable, Origin, ScoreField, ScoreLevels, Time, exact


@dataclass(frozen=True, slots=True)
class Decoding:
    r"""How scores become events (rule 13.9).

    Attributes:
        threshold: a frame is active if its score is greater than this.
        low: if given, the decoding is a hysteresis: a run of scores greater than `low` is active if one of them is
            greater than the threshold.
        median: the length of the median filter in frames, an odd number; 1 leaves the scores as they are.

    Examples:
        >>> import tempfile
        >>> from fractions import Fraction
        >>> from pathlib import Path
        >>> import tracepact
        >>> decoding = tracepact.Decoding(Fraction("0.5"), low=Fraction("0.3"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     scores = Path(folder) / "clip.tsv"
        ...     rows = ["onset", "offset", "dog"], ["0", "1", "0.4"], ["1", "2", "0.9"], ["2", "3", "0.1"]
        ...     written = scores.write_text("".join("\t".join(row) + "\n" for row in rows))
        ...     run = tracepact.score("boundary_gate", ref=[(0, 2, "dog")], pred=scores, decoding=decoding)
        >>> [(event.onset, event.offset) for event in run.prediction.clips["clip"]]
        [(Fraction(0, 1), Fraction(2, 1))]
    """

    threshold: Fraction
    low: Fraction | None = None
    median: int = 1

    def __post_init__(self) -> None:
        numbers = (Fraction, int, float, str, Decimal)
        require_type(self.threshold, numbers, "the threshold", "a number")
        if self.low is not None:
            require_type(self.low, numbers, "the low threshold", "a number")
        require_type(self.median, int, "the median filter", "a whole number of frames")

    @property
    def data(self) -> dict[str, str | int | None]:
        """The decoding as plain data, as reports show it."""
        low = None if self.low is None else str(self.low)
        return {"threshold": str(self.threshold), "low": low, "median": self.median}


@dataclass(frozen=True, slots=True)
class ClassDecodings:
    """A decoding for each class, as `tune` chooses them and a decoding file holds them (rule 20.12).

    Attributes:
        default: the decoding of the classes that are not named.
        classes: the decoding of each class that is.
        name: the file they were read from, if any.
        digest: the SHA-256 of that file.
        tuned_on: the clips that `tune` chose them on, if that is known.

    Examples:
        >>> from fractions import Fraction
        >>> import tracepact
        >>> decoding = tracepact.ClassDecodings(tracepact.Decoding(Fraction(1, 2)), {})
        >>> decoding.of("dog").threshold
        Fraction(1, 2)
    """

    default: Decoding
    classes: Mapping[str, Decoding]
    name: str = "decoding"
    digest: str | None = None
    tuned_on: tuple[str, ...] = ()

    def of(self, label: str) -> Decoding:
        """The decoding of a class.

        Args:
            label: the class.

        Returns:
            Its own decoding, or the default.
        """
        return self.classes.get(label, self.default)

    @property
    def data(self) -> dict[str, Any]:
        """The decodings as plain data, as reports show them."""
        return {**self.default.data, "classes": {label: decoding.data for label, decoding in self.classes.items()}}


AnyDecoding = Decoding | ClassDecodings
Declared = AnyDecoding | Time
"""How a decoding is declared: for all classes, for each, or as a threshold alone."""


def checked_decodings(given: Declared, diagnostics: Diagnostics) -> AnyDecoding | None:
    """What is declared, if it can be; None with what is wrong with it."""
    if not isinstance(given, ClassDecodings):
        return checked_decoding(given, diagnostics)
    place = RowPlace(given.name)
    default = checked_decoding(given.default, diagnostics, place, "default: ")
    classes = {
        label: checked_decoding(decoding, diagnostics, place, f"class `{shown(label)}`: ")
        for label, decoding in given.classes.items()
    }
    known = {label: decoding for label, decoding in classes.items() if decoding is not None}
    return None if default is None or len(known) < len(classes) else replace(given, default=default, classes=known)


def checked_decoding(
    given: Decoding | Time, diagnostics: Diagnostics, place: RowPlace | None = None, where: str = ""
) -> Decoding | None:
    """A decoding, or a threshold alone, if it can be; None with all that is wrong with it, and where."""
    before = len(diagnostics.errors)

    def fault(headline: str, help: str) -> None:
        diagnostics.add("bad-decoding", f"{where}{headline}", place, help)

    threshold, low, median = (
        (given.threshold, given.low, given.median) if isinstance(given, Decoding) else (given, None, 1)
    )
    found = {name: _share(name, value, fault) for name, value in (("threshold", threshold), ("low", low))}
    high, below = found["threshold"], found["low"]
    if low is not None and high is not None and below is not None and below > high:
        fault(f"the low threshold {low} is greater than the high one {threshold}", "low comes first")
    is_length = isinstance(median, int) and median > 0
    if not is_length or median % 2 == 0:
        why = "is even, and has no middle frame" if is_length else "is not a number of frames"
        fault(f"the median filter's length {median} {why}", "give an odd number")
    return None if high is None or len(diagnostics.errors) > before else Decoding(high, below, median)


def _share(name: str, value: Time | None, fault: Callable[[str, str], None]) -> Fraction | None:
    """A number from 0 to 1."""
    if value is None and name == "low":
        return None
    try:
        share = exact(value)  # type: ignore[arg-type]  # what is no number is said below
    except (TypeError, ValueError):
        fault(f"the {name} `{value}` is not a number", "write it like 0.5")
        return None
    if not 0 <= share <= 1:
        fault(f"the {name} {value} lies outside 0 to 1", "scores lie between 0 and 1")
        return None
    return share


def decode(scores: ScoreField, decoding: AnyDecoding) -> EventTable:
    """The events the scores give; every clip is there, also one without events."""
    clips = {clip: _events(scores, frames, decoding) for clip, frames in scores.clips.items()}
    lengths = {clip: frames.edges[-1] for clip, frames in scores.clips.items()}
    origin = Origin("scores", scores.files, decoding.data, lengths, scores=scores)
    return EventTable(scores.name, clips, scores.digest, origin)


def field_events(scores: ScoreField, given: Declared | None, diagnostics: Diagnostics) -> EventTable:
    """The events of a field by the declared decoding, which a mask does not need; without one the clips are silent."""
    if not scores.clips:  # what it is could not be read, which was reported
        return EventTable(scores.name, {})
    if scores.is_mask:
        table = decode(scores, Decoding(Fraction(1, 2)))
        form = "memory" if scores.digest is None else "scores"
        return replace(table, origin=table.origin and replace(table.origin, format=form, decoding=None))
    decoding = declared_decoding(given, scores.name, "scores", diagnostics)
    if decoding is None:
        return EventTable(scores.name, dict.fromkeys(scores.clips, ()), scores.digest)
    return decode_declared(scores, decoding, diagnostics)


def decode_declared(scores: ScoreField, decoding: AnyDecoding, diagnostics: Diagnostics) -> EventTable:
    """The events the scores give; a decoding of a class that has no column is reported."""
    if isinstance(decoding, ClassDecodings):
        for label in (label for label in decoding.classes if label not in scores.classes):
            headline = f"there is a decoding of the class `{shown(label)}`, which the scores have no column of"
            help = did_you_mean(label, scores.classes)
            diagnostics.add("unused-reading", headline, RowPlace(decoding.name), help)
    return decode(scores, decoding)


def declared_decoding(given: Declared | None, name: str, what: str, diagnostics: Diagnostics) -> AnyDecoding | None:
    """The decoding that is declared, if it can be; it is never assumed."""
    if given is not None:
        return checked_decodings(given, diagnostics)
    headline = f"`{shown(name)}` holds {what}, and nothing says how they become events"
    help = (
        "declare a threshold: --threshold or --decoding for predictions, --ref-threshold for references; in Python "
        "decoding=…"
    )
    diagnostics.add("undeclared-threshold", headline, RowPlace(name), help)
    return None


def keep_confident(
    table: EventTable, given: Declared | None, diagnostics: Diagnostics, *, some: bool | None = None
) -> EventTable:
    """The events of a table whose confidence is greater than the declared threshold (rule 20.13).

    A table whose events were decoded already, or have no confidences at all, stays as it is. Of a part, `some` says
    whether the whole has any.
    """
    decoded = table.origin is not None and table.origin.decoding is not None
    if given is None or decoded:
        return table
    if not (any(event.confidence is not None for _, event in table.events) if some is None else some):
        return table
    decoding = checked_decodings(given, diagnostics)
    if decoding is None:
        return table
    parts = [decoding] if isinstance(decoding, Decoding) else [decoding.default, *decoding.classes.values()]
    if any(part.low is not None or part.median != 1 for part in parts):
        headline = f"`{shown(table.name)}` holds events, which take a threshold alone"
        diagnostics.add("bad-decoding", headline, RowPlace(table.name), "hysteresis and median filters are for frames")
        return table
    if isinstance(decoding, ClassDecodings):
        _report_misspelt(decoding, table, diagnostics)
    for clip, event in table.events:
        if event.confidence is None:
            headline = f"`{shown(event.label)}` in `{shown(clip)}` has no confidence, and others have one"
            help = "give every event a confidence, or no threshold"
            diagnostics.add("bad-score", headline, table.place(clip, event.row), help)
    clips = {clip: tuple(e for e in events if _is_kept(e, decoding)) for clip, events in table.clips.items()}
    return replace(table, clips=clips, origin=replace(table.origin or Origin("memory"), decoding=decoding.data))


def _report_misspelt(decodings: ClassDecodings, table: EventTable, diagnostics: Diagnostics) -> None:
    """Warn of decodings of classes that no event has where a label is nearly called so; others have no events."""
    for label in (label for label in decodings.classes if label not in table.labels):
        if near := nearest(label, table.labels - decodings.classes.keys()):
            headline = f"there is a decoding of the class `{shown(label)}`, which no event of `{shown(table.name)}` has"
            diagnostics.add("unused-reading", headline, RowPlace(decodings.name), f"did you mean `{near}`?")


def _is_kept(event: Event, decoding: AnyDecoding) -> bool:
    own = decoding if isinstance(decoding, Decoding) else decoding.of(event.label)
    return event.confidence is not None and event.confidence > own.threshold


def active_by_class(scores: ScoreField, frames: ClipScores, decodings: AnyDecoding) -> NDArray[np.bool_]:
    """Whether each class is active in each frame of a clip, each by its own decoding."""
    if isinstance(decodings, Decoding):
        return active_frames(scores.levels, frames, decodings)
    active = np.zeros(frames.ranks.shape, dtype=np.bool_)
    own = [decodings.of(label) for label in scores.classes]
    for decoding in set(own):
        columns = [place for place, other in enumerate(own) if other == decoding]
        some = replace(frames, ranks=frames.ranks[:, columns])
        active[:, columns] = active_frames(scores.levels, some, decoding)
    return active


def active_frames(levels: ScoreLevels, frames: ClipScores, decoding: Decoding) -> NDArray[np.bool_]:
    """Whether each class is active in each frame of a clip."""
    ranks = _median(frames.ranks, decoding.median)
    high: NDArray[np.bool_] = ranks >= levels.above(decoding.threshold)
    if decoding.low is None:
        return high
    low: NDArray[np.bool_] = ranks >= levels.above(decoding.low)
    begins, ends, columns = _runs(low)
    reached = np.zeros((len(high) + 1, high.shape[1]), dtype=np.int64)
    np.cumsum(high, axis=0, out=reached[1:])
    holds = reached[ends, columns] > reached[begins, columns]
    active = np.zeros(low.shape, dtype=np.bool_)
    for begin, end, column in zip(begins[holds].tolist(), ends[holds].tolist(), columns[holds].tolist(), strict=True):
        active[begin:end, column] = True
    return active


def filtered(scores: ScoreField, length: int) -> ScoreField:
    """The field after a median filter."""
    clips = {clip: replace(frames, ranks=_median(frames.ranks, length)) for clip, frames in scores.clips.items()}
    return replace(scores, clips=clips)


def _median(ranks: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """The middle one of the ranks around each frame, reflected at the ends: the rank of the middle score."""
    if length == 1:
        return ranks
    half = length // 2
    padded = np.pad(ranks, ((half, half), (0, 0)), mode="symmetric")
    windows = np.lib.stride_tricks.sliding_window_view(padded, length, axis=0)
    middle: NDArray[np.int64] = np.partition(windows, half, axis=-1)[..., half]
    return middle


def _runs(active: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The maximal runs of true values of each column: first frame, frame after the last, column."""
    edges = np.diff(active.T.astype(np.int8), axis=1, prepend=0, append=0)
    columns, begins = np.nonzero(edges == 1)
    _, ends = np.nonzero(edges == -1)
    return begins, ends, columns


def _events(scores: ScoreField, frames: ClipScores, decoding: AnyDecoding) -> tuple[Event, ...]:
    begins, ends, columns = _runs(active_by_class(scores, frames, decoding))
    found = sorted(zip(begins.tolist(), columns.tolist(), ends.tolist(), strict=True))
    return tuple(
        Event(frames.edges[begin], frames.edges[end], scores.classes[column], frames.row(begin))
        for begin, column, end in found
    )
