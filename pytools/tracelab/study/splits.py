"""The splits of a study as stages: rendered and heard once, kept as arrays."""

import json
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

import numpy as np

from tracelab.heard import Heard, hear
from tracelab.protocol import Protocol
from tracelab.scenes.corpus import OnClip, Task, clean_tasks, held_out_tasks, perturbations_of, view_tasks
from tracelab.scenes.voices import Voice
from tracelab.stages import Stages, code_digest

RENDERING = ("protocol.py", "randomness.py", "scenes", "features.py", "heard.py", "sound.py")


def tasks_of(protocol: Protocol, split: str, views: int = 0) -> list[Task]:
    """The clips of a split: `clean`, `views` or `test`."""
    match split:
        case "clean":
            return clean_tasks(protocol)
        case "views":
            return view_tasks(protocol, views)
        case _:
            return held_out_tasks(protocol)


def heard_split(
    stages: Stages,
    protocol: Protocol,
    voice: Voice,
    split: str,
    *,
    views: int = 0,
    workers: int = 1,
    on_clip: OnClip = lambda: None,
) -> Path:
    """The stage of one split."""
    key = {
        "protocol": plain(protocol),
        "perturbations": plain(perturbations_of("test" if split == "test" else "train")),
        "split": split,
        "views": views,
        "voice": voice.digest,
        "code": code_digest(*RENDERING),
    }
    tasks = tasks_of(protocol, split, views)

    def make(folder: Path) -> None:
        write_heard(hear(protocol, voice, tasks, workers=workers, on_clip=on_clip), folder)

    return stages.kept(f"split-{split}", key, make)


def plain(value: object) -> object:
    """A dataclass as JSON holds it; exact numbers as text."""
    return json.loads(json.dumps(asdict(value), default=str))  # type: ignore[call-overload]


def write_heard(heard: Heard, folder: Path) -> None:
    """A split as arrays, names and exact events."""
    np.savez(folder / "arrays.npz", features=heard.features, classes=np.packbits(heard.classes, axis=1))
    events = [[[str(onset), str(offset), label] for onset, offset, label in some] for some in heard.events]
    words = {"names": heard.names, "conditions": heard.conditions, "digests": heard.digests, "events": events}
    (folder / "clips.json").write_text(json.dumps(words) + "\n", encoding="utf-8")


def read_heard(folder: Path) -> Heard:
    """A split that was kept."""
    words = json.loads((folder / "clips.json").read_text(encoding="utf-8"))
    with np.load(folder / "arrays.npz") as arrays:
        features = arrays["features"]
        classes = np.unpackbits(arrays["classes"], axis=1, count=features.shape[1]).astype(np.bool_)
    events = tuple([(Fraction(a), Fraction(b), label) for a, b, label in some] for some in words["events"])
    names, conditions, digests = (tuple(words[name]) for name in ("names", "conditions", "digests"))
    return Heard(names, conditions, digests, features, classes, events)
