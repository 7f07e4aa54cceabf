"""What detectors report: of sound files as tables, of one clip as a page, and of one's own detector as a run."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

import tracepact
from tracelab.detectors.decoding import CONTRACT
from tracelab.detectors.models import Detector
from tracelab.features import UNION, Events, Heard, events_of, frame_features
from tracelab.files import fault, filled, own_function, read_sound, write_whole
from tracelab.protocol import CLASSES, Protocol
from tracelab.scenes.corpus import ClipTask, OnClip, RenderedClip, for_each_clip
from tracelab.scenes.voices import Voice
from tracepact.show import Section, html_page
from tracepact.wording import parse_exact

# Runs a stored detector over sound files: events as a table, scores as one table for each clip.


def hear_file(path: Path, protocol: Protocol) -> Heard:
    """The features of a sound file; another rate than the detectors were trained at is an error."""
    samples, rate = read_sound(path)
    if rate != protocol.rate:
        help = f"resample it to {protocol.rate} Hz; a detector hears nothing above {protocol.rate // 2} Hz"
        raise fault("unreadable-sound", f"the sample rate is {rate} Hz and not {protocol.rate} Hz", path, help)
    whole = np.round(np.clip(samples, -1, 1) * 32767).astype(np.int16)
    frames = len(whole) // protocol.frame_samples
    if not frames:
        raise fault("unreadable-sound", "the sound is shorter than a frame", path)
    long = Protocol(clip_seconds=Fraction(frames * protocol.frame_samples, protocol.rate))
    features = frame_features(whole, long)[None]
    return Heard((path.name,), ("",), ("",), features, np.zeros((1, frames, len(CLASSES)), dtype=np.bool_), ([],))


def detect(model: Detector, paths: list[Path], out: Path, protocol: Protocol) -> int:
    """Write `events.tsv`, `durations.tsv` and `scores/CLIP.tsv`; the number of events."""
    rows, durations = ["filename\tonset\toffset\tevent_label"], ["filename\tduration"]
    files: dict[str, str] = {}
    for path in paths:
        if f"scores/{path.stem}.tsv" in files:
            raise fault("repeated-sound", f"two sounds are called `{path.stem}`", path, "give them other names")
        heard = hear_file(path, protocol)
        every, masks = model.heard_as(heard)
        scores = every[0]
        found = events_of({path.name: masks[0]}, model.labels, protocol.step)
        rows += [f"{path.name}\t{_time(a)}\t{_time(b)}\t{label}" for a, b, label in found[path.name]]
        durations.append(f"{path.name}\t{_time(len(scores) * protocol.step)}")
        lines = ["\t".join(("onset", "offset", *model.labels))]
        for frame, values in enumerate(scores):
            ends = (_time(frame * protocol.step), _time((frame + 1) * protocol.step))
            lines.append("\t".join((*ends, *(f"{value:.4f}" for value in values))))
        files[f"scores/{path.stem}.tsv"] = "\n".join(lines) + "\n"
    files |= {"durations.tsv": "\n".join(durations) + "\n", "events.tsv": "\n".join(rows) + "\n"}
    with filled(out, last="events.tsv") as part:
        for name, text in files.items():
            write_whole(part / name, text)
    return len(rows) - 1


def _time(seconds: Fraction) -> str:
    """A time on the grid, exactly."""
    return f"{float(seconds):.2f}"


# A clip to listen to: its sound beside a page with its spectrogram, its reference, and what detectors heard.

_WIDTH, _LANE = 960, 14
_BANDS, _LEVELS, _WINDOW = 40, 9, 256
_RANGE_DB = 60.0
_COLOURS = {"speech": "#2f6fb4", "tone": "#c2641a", "burst": "#4b8f3a"}
_OTHER = "#777"


def clip_page(clip: RenderedClip, protocol: Protocol, systems: Mapping[str, Events], sound: str) -> str:
    """The page of a clip; `sound` is the name of its WAV file, which stands beside the page."""
    head = Markup('<p>{}</p><p><audio controls src="{}"></audio></p>').format(
        f"Condition: {clip.task.condition}. Time runs from left to right, {float(protocol.clip_seconds):g} s in all.",
        sound,
    )
    rows = {"reference": clip.events(protocol.rate), **systems}
    picture = spectrogram(clip, protocol) + timelines(rows, float(protocol.clip_seconds))
    return html_page(clip.name, head, [Section("clip", "What is heard", picture)], media="'self' file:")


def spectrogram(clip: RenderedClip, protocol: Protocol) -> Markup:
    """Power by time and frequency in nine steps of grey, as one drawing; low frequencies below."""
    levels = _levels(clip.samples.astype(np.float64), protocol)
    frames = levels.shape[0]
    wide, high = _WIDTH / frames, 160 / _BANDS
    parts = [f"<rect width='{_WIDTH}' height='160' fill='#fff'/>"]
    for band in range(_BANDS):
        column = levels[:, band]
        starts = np.flatnonzero(np.diff(column, prepend=-1))
        for start, end in zip(starts, [*starts[1:], frames], strict=True):
            if column[start]:
                grey = round(255 * (1 - column[start] / (_LEVELS - 1)))
                parts.append(
                    f"<rect x='{start * wide:.1f}' y='{160 - (band + 1) * high:.1f}' "
                    f"width='{(end - start) * wide:.1f}' height='{high:.1f}' fill='rgb({grey},{grey},{grey})'/>"
                )
    drawn = Markup(f"<svg viewBox='0 0 {_WIDTH} 164' role='img'>{''.join(parts)}</svg>")  # noqa: S704
    return Markup("<p>0 to {} Hz, low frequencies below</p>").format(protocol.rate // 2) + drawn


def timelines(rows: Mapping[str, Events], seconds: float) -> Markup:
    """The events of the reference and of each system, a drawing below each name, coloured by class."""
    labels = sorted({label for events in rows.values() for _, _, label in events})
    mark = Markup("<svg viewBox='0 0 12 12' width='12' height='12'><rect width='12' height='12' fill='{}'/></svg> {}")
    keys = [mark.format(_COLOURS.get(label, _OTHER), label) for label in labels]
    drawn = [Markup("<p>{}</p>").format(Markup(" · ").join(keys))]
    for name, events in rows.items():
        drawn.append(Markup("<p>{}</p>").format(name) + _timeline(events, labels, _WIDTH / seconds))
    return Markup("").join(drawn)


def _timeline(events: Events, labels: Sequence[str], scale: float) -> Markup:
    """A bar for each event, a lane for each class."""
    bars = Markup("").join(
        Markup("<rect x='{}' y='{}' width='{}' height='{}' fill='{}'><title>{}</title></rect>").format(
            f"{float(onset) * scale:.1f}",
            labels.index(label) * _LANE,
            f"{float(offset - onset) * scale:.1f}",
            _LANE,
            _COLOURS.get(label, _OTHER),
            f"{label}, {float(onset):.3f} to {float(offset):.3f} s",
        )
        for onset, offset, label in events
    )
    high = max(len(labels), 1) * _LANE
    ground = Markup("<rect width='{}' height='{}' fill='currentColor' opacity='.06'/>").format(_WIDTH, high)
    return Markup("<svg viewBox='0 0 {} {}' role='img'>{}</svg>").format(_WIDTH, high, ground + bars)


def _levels(samples: npt.NDArray[np.float64], protocol: Protocol) -> npt.NDArray[np.int64]:
    """Frames × bands, each a level from 0 (silent) to the loudest."""
    hop = 2 * protocol.frame_samples
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(samples, _WINDOW // 2), _WINDOW)[::hop]
    power = np.abs(np.fft.rfft(windows * np.hanning(_WINDOW), axis=1))[:, 1:] ** 2
    bands = np.add.reduceat(power, np.linspace(0, power.shape[1], _BANDS, endpoint=False).astype(int), axis=1)
    decibels = 10 * np.log10(bands + 1e-9)
    share = np.clip(1 + (decibels - decibels.max()) / _RANGE_DB, 0, 1)
    levels: npt.NDArray[np.int64] = np.round(share * (_LEVELS - 1)).astype(np.int64)
    return levels


# A detector of one's own in the study: a function in a file, asked for the events of every test clip.

Found = Iterable[tuple[Any, Any]]


@dataclass(frozen=True, slots=True)
class OwnDetector:
    """A function `NAME(samples, rate)` that answers pairs of onset and offset in seconds, in a file `FILE.py:NAME`."""

    source: str

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.source.rpartition(":")[0])

    @property
    def name(self) -> str:
        """The name of the function, which is that of the detector."""
        return self.source.rpartition(":")[2]

    @property
    def digest(self) -> str:
        """The SHA-256 of the file: a changed detector is asked again."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def open_detectors(sources: Sequence[str], known: Iterable[str]) -> tuple[OwnDetector, ...]:
    """The detectors of these files; one that is not there, or has the name of another, is an error."""
    names = set(known)
    found = []
    for source in sources:
        detector = OwnDetector(source)
        if not source.rpartition(":")[0].endswith(".py") or not detector.name.isidentifier():
            help = "write FILE.py:NAME, with a function NAME(samples, rate)"
            raise fault("bad-detector", f"`{source}` is no detector", help=help)
        if not detector.path.is_file():
            raise fault("bad-detector", "the file does not exist", detector.path)
        if detector.name in names:
            raise fault("bad-detector", f"there is a detector called `{detector.name}` already", detector.path)
        names.add(detector.name)
        _function(detector)
        found.append(detector)
    return tuple(found)


def ask(
    detector: OwnDetector,
    protocol: Protocol,
    voice: Voice,
    tasks: Sequence[ClipTask],
    folder: Path,
    on_clip: OnClip = lambda: None,
) -> None:
    """Ask for the events of every clip, and write the run directory of the answers."""
    function = _function(detector)
    answers: dict[str, Events] = {}
    references: dict[str, Events] = {}
    for clip in for_each_clip(lambda clip: clip, protocol, voice, tasks, on_clip=on_clip):
        samples = (clip.samples / 32768).astype(np.float32)
        try:
            spans = [_span(one) for one in function(samples, protocol.rate)]
        except Exception as error:
            raise fault("bad-detector", f"it failed on `{clip.name}`: {error!r}", detector.path) from error
        answers[clip.name] = [(onset, offset, UNION) for onset, offset in spans]
        references[clip.name] = [(onset, offset, UNION) for onset, offset, _ in clip.events(protocol.rate)]
    tracepact.score(
        CONTRACT,
        ref=references,
        pred=answers,
        durations=dict.fromkeys(answers, protocol.clip_seconds),
        conditions={task.name: task.condition for task in tasks},
    ).save(folder)


def _span(answer: Any) -> tuple[Fraction, Fraction]:
    # The shortest decimal text of a float is what its author meant.
    onset, offset = (parse_exact(repr(float(end))) for end in answer)
    return onset, offset


def _function(detector: OwnDetector) -> Callable[[Any, int], Found]:
    try:
        function: Callable[[Any, int], Found] = own_function(detector.path, detector.name)
        return function
    except Exception as error:
        raise fault("bad-detector", f"it cannot be loaded: {error!r}", detector.path) from error
