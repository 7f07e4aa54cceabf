"""A small corpus in the layout of MAESTRO Real, made of the lab's own scenes: soft labels are shares of a second."""

from fractions import Fraction
from itertools import count
from pathlib import Path

import numpy as np

from tracelab.corpora.maestro import FOLDS
from tracelab.files import filled, write_whole
from tracelab.protocol import CLASSES, CONDITIONS, Protocol
from tracelab.scenes.corpus import Clip, Task, render
from tracelab.scenes.voices import Voice
from tracelab.sound import write_sound

SCENES = ("cafe", "street")
_CLIPS = 2
"""How many scenes make one recording."""


def write_sample(out: Path, voice: Voice, recordings: int = 3) -> int:
    """So many recordings of each scene with labels, sound and one fold; how many there are."""
    protocol, number = Protocol(), count()
    names = []
    with filled(out, last=f"{FOLDS}/fold1_test.csv") as part:
        for scene in SCENES:
            for index in range(recordings):
                name = f"{scene}_{index:02d}"
                clips = [_clip(protocol, voice, next(number)) for _ in range(_CLIPS)]
                sound = np.concatenate([clip.samples for clip in clips])
                _placed(part / "development_audio" / scene)
                write_sound(part / "development_audio" / scene / f"{name}.wav", sound, protocol.rate)
                labels = part / "development_annotation" / f"soft_labels_{scene}"
                _placed(labels)
                write_whole(labels / f"{name}.txt", _labels(clips, protocol))
                names.append(f"{scene}/{name}")
        _placed(part / FOLDS)
        test = [name for name in names if name.endswith("_00")]
        for which, some in (("train", [n for n in names if n not in test]), ("test", test)):
            write_whole(part / FOLDS / f"fold1_{which}.csv", "\n".join(("filename", *some)) + "\n")
    return len(names)


def _placed(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)


def _clip(protocol: Protocol, voice: Voice, number: int) -> Clip:
    return render(protocol, voice, Task("test", number, CONDITIONS[number % len(CONDITIONS)]))


def _labels(clips: list[Clip], protocol: Protocol) -> str:
    """A row for each second and class with the share of it that the class is active, to four digits."""
    lines = []
    seconds = int(protocol.clip_seconds)
    for place, clip in enumerate(clips):
        events = clip.events(protocol.rate)
        for second in range(seconds):
            at = place * seconds + second
            for label in CLASSES:
                share = sum(
                    (_shared(onset, offset, second) for onset, offset, name in events if name == label), Fraction(0)
                )
                if share:
                    lines.append(f"{at}\t{at + 1}\t{label}\t{min(float(share), 1.0):.4f}")
            if not any(line.startswith(f"{at}\t") for line in lines):
                lines.append(f"{at}\t{at + 1}\t{CLASSES[0]}\t0.0")
    return "\n".join(lines) + "\n"


def _shared(onset: Fraction, offset: Fraction, second: int) -> Fraction:
    return max(Fraction(0), min(offset, Fraction(second + 1)) - max(onset, Fraction(second)))
