"""Encoders over clips as stages: vectors of a common size on the grid, the head trained on them, and its run."""

import json
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import msgspec
import numpy as np
import torch

import tracepact
from tracelab.decoding import CONTRACT
from tracelab.detectors.models import load_model, save_model
from tracelab.detectors.recipes import Recipe
from tracelab.detectors.training import Training, train
from tracelab.heard import Heard
from tracelab.probe.clips import read_clips
from tracelab.probe.hidden import aligned, projection
from tracelab.probe.loading import load_encoder
from tracelab.probe.registry import EncoderEntry
from tracelab.probe.weights import identity
from tracelab.protocol import Protocol
from tracelab.scenes.corpus import OnClip
from tracelab.stages import Stages, code_digest
from tracelab.study.splits import read_heard
from tracelab.study.systems import score_model

_CODE = (
    "probe/hidden.py",
    "probe/controls.py",
    "probe/packaged.py",
    "probe/cached.py",
    "probe/loading.py",
    "features.py",
)
_HEAD_CODE = ("detectors", "decoding.py", "features.py", "heard.py", "randomness.py", "probe/encoding.py")


def encoded_stage(
    stages: Stages, entry: EncoderEntry, cache: Path, sound: Path, protocol: Protocol, on_clip: OnClip = lambda: None
) -> Path:
    """The stage of an encoder over a split: clips × frames × the common size."""
    key = {
        "entry": entry_key(entry),
        "identity": identity(entry, cache),
        "sound": sound.name,
        "seed": protocol.seed,
        "code": code_digest(*_CODE),
    }

    def make(folder: Path) -> None:
        encode = load_encoder(entry, cache)
        clips, onto = read_clips(sound), projection(entry.dims, protocol.seed)
        rows, seconds = [], 0.0
        for clip in range(len(clips)):
            samples = clips.sound(clip, protocol.rate, entry.rate)
            began = process_time()
            hidden = encode(samples)
            seconds += process_time() - began
            rows.append((aligned(hidden, protocol.frames, protocol.step) @ onto).astype(np.float32))
            on_clip()
        np.save(folder / "vectors.npy", np.stack(rows))
        write_timing(folder, seconds, len(clips) * protocol.clip_seconds)

    return stages.kept(f"encoded-{entry.name}", key, one_thread(make))


def head_stage(
    stages: Stages, recipe: Recipe, protocol: Protocol, heard: dict[str, Path], encoded: dict[str, Path]
) -> Path:
    """The stage of a head: its model, its scores of the test clips, and their run directory."""
    key = {
        "recipe": repr(recipe),
        "heard": [heard[split].name for split in ("views", "test")],
        "encoded": [encoded[split].name for split in ("views", "test")],
        "seed": protocol.seed,
        "code": code_digest(*_HEAD_CODE),
        "contract": tracepact.load_contract(CONTRACT).digest,
    }

    def make(folder: Path) -> None:
        training, test = (_with(read_heard(heard[split]), encoded[split]) for split in ("views", "test"))
        save_model(train(recipe, Training(training), seed=protocol.seed), folder / "model")
        score_model(load_model(folder / "model"), test, protocol, folder)

    return stages.kept("head", key, make)


def _with(heard: Heard, encoded: Path) -> Heard:
    """A split as the encoder hears it."""
    return replace(heard, features=np.load(encoded / "vectors.npy"))


def entry_key(entry: Any) -> dict[str, Any]:
    """What of an entry decides its output; prose does not."""
    prose = ("family", "identifier", "licence", "install", "url", "decides")
    found: dict[str, Any] = msgspec.to_builtins(entry)
    return {key: value for key, value in found.items() if key not in prose}


def write_timing(folder: Path, seconds: float, heard: Any) -> None:
    """How much time of a processor it took on this machine, and how much sound it was."""
    text = json.dumps({"seconds": round(seconds, 3), "sound": float(heard)})
    (folder / "timing.json").write_text(text + "\n", encoding="utf-8")


def one_thread(make: Any) -> Any:
    """The work on one thread, so that times can be compared and results do not depend on the machine."""

    def alone(folder: Path) -> None:
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            make(folder)
        finally:
            torch.set_num_threads(threads)

    return alone
