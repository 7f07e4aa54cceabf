"""Encoders and detectors of others over clips as stages: vectors, the head trained on them, runs."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import Any

import msgspec
import numpy as np
import torch

import tracepact
from tracelab.detectors.decoding import CONTRACT
from tracelab.detectors.models import load_model, save_model
from tracelab.detectors.recipes import Recipe
from tracelab.detectors.training import TrainingClips, train
from tracelab.features import Events, Heard
from tracelab.probe.clips import SPEECH, aligned, projection, read_clips
from tracelab.probe.registry import DetectorEntry, EncoderEntry, Span, identity, load_detector, load_encoder
from tracelab.protocol import Protocol
from tracelab.scenes.corpus import OnClip
from tracelab.stages import Stages, code_digest
from tracelab.study.systems import read_heard, score_model
from tracepact.inputs import open_within

# Encoders over clips as stages: vectors of a common size on the grid, the head trained on them, and its run.

_ENCODING_CODE = (
    "probe/clips.py",
    "probe/gates.py",
    "probe/encoders.py",
    "probe/registry.py",
    "features.py",
    "files.py",
)
_HEAD_CODE = ("detectors", "features.py", "protocol.py", "probe/encoding.py")


def encoded_stage(
    stages: Stages, entry: EncoderEntry, cache: Path, sound: Path, protocol: Protocol, on_clip: OnClip = lambda: None
) -> Path:
    """The stage of an encoder over a split: clips × frames × the common size."""
    key = {
        "entry": entry_key(entry),
        "identity": identity(entry, cache),
        "sound": sound.name,
        "seed": protocol.seed,
        "code": code_digest(*_ENCODING_CODE),
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
        save_model(train(recipe, TrainingClips(training), seed=protocol.seed), folder / "model")
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


# Detectors of others over clips as stages: what each reports, its scores, and its run directories.

SPEECH_GATE = "speech_gate"
ONSETS = "probe/onset_points.contract"
POINT = Fraction(1, 100)
SCORE_DIGITS = 3
_DETECTIONS_CODE = (
    "probe/clips.py",
    "probe/gates.py",
    "probe/registry.py",
    "probe/encoders.py",
    "files.py",
)
_RUN_CODE = (
    "probe/encoding.py",
    "probe/clips.py",
)


def detected_stage(
    stages: Stages, entry: DetectorEntry, cache: Path, sound: Path, protocol: Protocol, on_clip: OnClip = lambda: None
) -> Path:
    """The stage of a detector over the clips: its spans in whole samples at its own rate, and its scores."""
    key = {
        "entry": entry_key(entry),
        "identity": identity(entry, cache),
        "sound": sound.name,
        "code": code_digest(*_DETECTIONS_CODE),
    }

    def make(folder: Path) -> None:
        detect, clips = load_detector(entry, cache), read_clips(sound)
        spans: dict[str, list[list[int]]] = {}
        scores: dict[str, Any] = {}
        seconds = 0.0
        for clip, name in enumerate(clips.names):
            samples = clips.sound(clip, protocol.rate, entry.rate)
            began = process_time()
            found = detect(samples)
            seconds += process_time() - began
            spans[name] = [_samples(span, entry.rate, len(samples)) for span in found.spans]
            if entry.scores and found.scores is not None:
                scores[name] = _steps(found.scores, entry, len(samples))
            on_clip()
        (folder / "spans.json").write_text(json.dumps(spans) + "\n", encoding="utf-8")
        if scores:
            np.savez_compressed(folder / "scores.npz", **scores)
        write_timing(folder, seconds, len(clips) * protocol.clip_seconds)

    return stages.kept(f"detected-{entry.name}", key, one_thread(make))


def run_stage(stages: Stages, entry: DetectorEntry, detected: Path, sound: Path, protocol: Protocol) -> Path:
    """The stage of a detector's run directories, a folder for each contract."""
    contracts = (CONTRACT, SPEECH_GATE) if entry.hears == "speech" else (str(tracepact.spec_path(ONSETS)),)
    key = {
        "detected": detected.name,
        "sound": sound.name,
        "contracts": [tracepact.load_contract(contract).digest for contract in contracts],
        "code": code_digest(*_RUN_CODE),
    }

    def make(folder: Path) -> None:
        clips = read_clips(sound)
        common: dict[str, Any] = {
            "durations": dict.fromkeys(clips.names, protocol.clip_seconds),
            "conditions": clips.condition_of(),
        }
        if entry.hears == "onsets":
            ref, ignore = clips.onsets(POINT, "onset"), clips.unlabelled_sounds("onset")
            pred = _points(_spans(detected), entry.rate)
            tracepact.score(contracts[0], ref=ref, pred=pred, ignore=ignore, **common).save(folder / "onsets")
            return
        for contract in contracts:
            tracepact.score(
                contract,
                ref=clips.speech(),
                pred=_events(_spans(detected), entry.rate),
                ignore=clips.unlabelled_speech(),
                **common,
            ).save(folder / contract)

    return stages.kept(f"gate-{entry.name}", key, make)


def score_arrays(path: Path) -> dict[str, Any]:
    """Stored scores by clip, one for each hop, as values from 0 to 1 with three digits."""
    with open_within(path.parent, path.name) as opened, np.load(opened) as arrays:
        return {name: np.round(arrays[name] / 10**SCORE_DIGITS, SCORE_DIGITS) for name in arrays.files}


def _samples(span: Span, rate: int, end: int) -> list[int]:
    """A span in whole samples, cut at the end of the clip."""
    return [min(round(time * rate), end) for time in span]


def _steps(scores: Any, entry: DetectorEntry, samples: int) -> Any:
    """A score for every hop of the clip in thousandths; hops without one take the last."""
    wanted = -(-Fraction(samples, entry.rate) // entry.hop_seconds)
    whole = np.round(np.clip(np.asarray(scores, dtype=np.float64), 0, 1) * 10**SCORE_DIGITS).astype(np.uint16)
    return np.pad(whole, (0, max(0, wanted - len(whole))), mode="edge")[:wanted]


def _spans(detected: Path) -> dict[str, list[list[int]]]:
    found: dict[str, list[list[int]]] = json.loads((detected / "spans.json").read_text(encoding="utf-8"))
    return found


def _events(spans: dict[str, list[list[int]]], rate: int) -> dict[str, Events]:
    return {
        name: [(Fraction(start, rate), Fraction(end, rate), SPEECH) for start, end in some if start < end]
        for name, some in spans.items()
    }


def _points(spans: dict[str, list[list[int]]], rate: int) -> dict[str, Events]:
    return {
        name: sorted({(Fraction(start, rate), Fraction(start, rate) + POINT, "onset") for start, _ in some})
        for name, some in spans.items()
    }
