"""Detectors of others over clips as stages: what each reports, its scores, and its run directories."""

import json
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import tracepact
from tracelab.decoding import CONTRACT
from tracelab.heard import Events
from tracelab.probe.clips import SPEECH, read_clips
from tracelab.probe.encoding import entry_key, one_thread, write_timing
from tracelab.probe.loading import Span, load_detector
from tracelab.probe.registry import DetectorEntry
from tracelab.probe.weights import identity
from tracelab.protocol import Protocol
from tracelab.scenes.corpus import OnClip
from tracelab.stages import Stages, code_digest

SPEECH_GATE = "speech_gate"
ONSETS = "probe/onset_points.contract"
POINT = Fraction(1, 100)
SCORE_DIGITS = 3
_CODE = ("probe/hidden.py", "probe/controls.py", "probe/gates.py", "probe/loading.py", "probe/packaged.py")
_RUN_CODE = ("probe/detections.py", "probe/clips.py")


def detected_stage(
    stages: Stages, entry: DetectorEntry, cache: Path, sound: Path, protocol: Protocol, on_clip: OnClip = lambda: None
) -> Path:
    """The stage of a detector over the clips: its spans in whole samples at its own rate, and its scores."""
    key = {
        "entry": entry_key(entry),
        "identity": identity(entry, cache),
        "sound": sound.name,
        "code": code_digest(*_CODE),
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
    with np.load(path) as arrays:
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
