"""Runs a stored detector over sound files: events as a table, scores as one table for each clip."""

from fractions import Fraction
from pathlib import Path

import numpy as np

from tracelab.decoding import active
from tracelab.detectors.models import Model
from tracelab.faults import fault
from tracelab.features import frame_features
from tracelab.files import filled, write_whole
from tracelab.heard import Heard, events_of
from tracelab.protocol import CLASSES, Protocol
from tracelab.sound import read_sound


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


def detect(model: Model, paths: list[Path], out: Path, protocol: Protocol) -> int:
    """Write `events.tsv`, `durations.tsv` and `scores/CLIP.tsv`; the number of events."""
    rows, durations = ["filename\tonset\toffset\tevent_label"], ["filename\tduration"]
    files: dict[str, str] = {}
    for path in paths:
        if f"scores/{path.stem}.tsv" in files:
            raise fault("repeated-sound", f"two sounds are called `{path.stem}`", path, "give them other names")
        heard = hear_file(path, protocol)
        scores = model.scores(heard)[0]
        found = events_of({path.name: active(scores[None], model.decoding)[0]}, model.labels, protocol.step)
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
