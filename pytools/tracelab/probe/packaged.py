"""Encoders whose weights lie in a package on this machine."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import conv1d, max_pool1d, pad

from tracelab.faults import fault
from tracelab.features import FloatArray
from tracelab.probe.hidden import Hidden, layer_centres
from tracelab.probe.loading import Encode
from tracelab.probe.registry import EncoderEntry
from tracelab.probe.weights import packaged_file, pickled_arrays

_EMBEDDING_WINDOW = 12_400  # samples that one speech embedding hears
_MEL: dict[str, Any] = {"n_fft": 400, "hop_length": 160, "n_mels": 40}
_QUIET_DBFS = -30
_CREPE_WINDOW, _CREPE_BATCH, _CREPE_EPSILON = 1024, 256, 0.0010000000474974513
_SOUNDNET = {"conv1": (64, 8), "conv2": (32, 8), "conv3": (16, 0), "conv4": (8, 0)}  # length, pooling after it
_SOUNDNET_STRIDE, _SOUNDNET_GAIN, _KERAS_EPSILON = 2, 256, 1e-3


def whisper(entry: EncoderEntry, cache: Path) -> Encode:
    """The encoder states of Whisper: a vector every 20 ms, the first centred at the start of the clip."""
    import whisper as library

    try:
        model = library.load_model(str(packaged_file(entry)), device="cpu").eval()
    except Exception as error:
        raise fault("bad-checkpoint", f"Whisper cannot be loaded: {error}", packaged_file(entry)) from error

    def encode(samples: FloatArray) -> Hidden:
        if len(samples) > library.audio.N_SAMPLES:
            raise fault("unreadable-sound", "Whisper hears at most 30 s at once")
        mel = library.log_mel_spectrogram(library.pad_or_trim(torch.from_numpy(samples)), n_mels=model.dims.n_mels)
        with torch.inference_mode():
            states = model.encoder(mel[None])[0]
        heard = -(-len(samples) // (2 * library.audio.HOP_LENGTH))
        return Hidden(states[:heard].numpy(), Fraction(0), entry.hop_seconds)

    return encode


def speech_embedding(entry: EncoderEntry, cache: Path) -> Encode:
    """Embeddings of 775 ms of sound every 80 ms, the first centred at the start of the clip, which is padded for it."""
    import onnxruntime

    session = onnx_session(packaged_file(entry), onnxruntime)
    name = session.get_inputs()[0].name

    def encode(samples: FloatArray) -> Hidden:
        padded = np.pad(samples, _EMBEDDING_WINDOW // 2)[None].astype(np.float32)
        found = session.run(None, {name: padded})[0]
        return Hidden(found.reshape(found.shape[1], -1), Fraction(0), entry.hop_seconds)

    return encode


def resemblyzer(entry: EncoderEntry, cache: Path) -> Encode:
    """The states of the top layer of the speaker LSTM, one for each mel frame."""
    import librosa

    stored = torch.load(packaged_file(entry), weights_only=True, map_location="cpu")["model_state"]
    layers = {name.removeprefix("lstm."): value for name, value in stored.items() if name.startswith("lstm.")}
    lstm = nn.LSTM(_MEL["n_mels"], entry.dims, 3, batch_first=True)
    lstm.load_state_dict(layers)
    lstm.eval()

    def encode(samples: FloatArray) -> Hidden:
        louder = 10 ** ((_QUIET_DBFS - 10 * np.log10(float(np.mean(samples**2)) + 1e-12)) / 20)
        mel = librosa.feature.melspectrogram(y=samples * max(louder, 1.0), sr=entry.rate, **_MEL)
        with torch.inference_mode():
            states, _ = lstm(torch.from_numpy(mel.T.astype(np.float32))[None])
        return Hidden(states[0].numpy(), Fraction(0), entry.hop_seconds)

    return encode


def crepe(entry: EncoderEntry, cache: Path) -> Encode:
    """The fifth pooling layer of CREPE every 10 ms, the first centred at the start of the clip.

    The layers are computed from the weights; the package itself would import torchaudio.
    """
    path = packaged_file(entry)
    stored = torch.load(path, weights_only=True, map_location="cpu")
    try:
        layers = [_crepe_layer(stored, f"conv{number}") for number in range(1, 6)]
    except KeyError as error:
        raise fault("bad-checkpoint", f"the weights of CREPE are not as expected: {error}", path) from error
    hop = int(entry.hop_seconds * entry.rate)

    def encode(samples: FloatArray) -> Hidden:
        windows = torch.from_numpy(np.pad(samples, _CREPE_WINDOW // 2)).unfold(0, _CREPE_WINDOW, hop)
        windows = windows - windows.mean(dim=1, keepdim=True)
        windows = windows / windows.std(dim=1, keepdim=True).clamp(min=1e-10)
        with torch.inference_mode():
            parts = [_crepe_states(part[:, None], layers) for part in torch.split(windows, _CREPE_BATCH)]
        return Hidden(torch.cat(parts).numpy(), Fraction(0), entry.hop_seconds)

    return encode


def soundnet(entry: EncoderEntry, cache: Path) -> Encode:
    """A convolution of SoundNet after its rectifier, from the arrays of the package; their pickle runs nothing."""
    path = packaged_file(entry)
    arrays = pickled_arrays(path)
    names = list(_SOUNDNET)[: list(_SOUNDNET).index(entry.layer) + 1]
    try:
        layers = [_soundnet_layer(arrays[name]) for name in names]
    except (KeyError, TypeError, ValueError) as error:
        raise fault("bad-checkpoint", f"the arrays of SoundNet are not as expected: {error}", path) from error
    windows = []
    for name in names:
        length, pool = _SOUNDNET[name]
        windows += [(length, _SOUNDNET_STRIDE), *([(pool, pool)] if pool else [])]
    first, hop = layer_centres(windows, entry.rate)

    def encode(samples: FloatArray) -> Hidden:
        signal = torch.from_numpy(samples * _SOUNDNET_GAIN)[None, None]
        with torch.inference_mode():
            for name, (kernel, offset, scale, shift) in zip(names, layers, strict=True):
                signal = torch.relu(conv1d(signal, kernel, offset, _SOUNDNET_STRIDE) * scale + shift)
                pool = _SOUNDNET[name][1]
                signal = max_pool1d(signal, pool, pool) if pool else signal
        return Hidden(signal[0].T.numpy(), first, hop)

    return encode


def _crepe_layer(stored: dict[str, torch.Tensor], name: str) -> tuple[torch.Tensor, ...]:
    """Kernel and offset, and the batch norm after the rectifier as a scale and a shift for each channel."""
    norm = {key: stored[f"{name}_BN.{key}"] for key in ("weight", "bias", "running_mean", "running_var")}
    scale = norm["weight"] / torch.sqrt(norm["running_var"] + _CREPE_EPSILON)
    shift = norm["bias"] - norm["running_mean"] * scale
    return stored[f"{name}.weight"][..., 0], stored[f"{name}.bias"], scale[:, None], shift[:, None]


def _crepe_states(signal: torch.Tensor, layers: list[tuple[torch.Tensor, ...]]) -> torch.Tensor:
    """Windows × channels and times, flattened; the first layer takes every fourth sample."""
    for number, (kernel, offset, scale, shift) in enumerate(layers):
        signal = pad(signal, (31, 32) if number else (254, 254))
        signal = torch.relu(conv1d(signal, kernel, offset, 1 if number else 4)) * scale + shift
        signal = max_pool1d(signal, 2, 2)
    return signal.flatten(1)


def onnx_session(path: Path, library: Any) -> Any:
    """A session of ONNX Runtime on one core."""
    options = library.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        return library.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise fault("bad-checkpoint", f"the network cannot be loaded: {error}", path) from error


def _soundnet_layer(stored: dict[str, FloatArray]) -> tuple[torch.Tensor, ...]:
    """Kernel and offset, and the batch norm after them as a scale and a shift for each channel."""
    kernel = np.asarray(stored["weights"], dtype=np.float32)
    kernel = kernel.reshape(-1, *kernel.shape[-2:]).transpose(2, 1, 0)
    mean, variance, gamma, beta = (
        np.asarray(stored[key], dtype=np.float32) for key in ("mean", "var", "gamma", "beta")
    )
    scale = gamma / np.sqrt(variance + _KERAS_EPSILON)
    parts = (kernel, np.asarray(stored["biases"], dtype=np.float32), scale[:, None], (beta - mean * scale)[:, None])
    return tuple(torch.from_numpy(np.ascontiguousarray(part)) for part in parts)
