"""Encoders whose weights lie in the user's cache: the five published ones through their libraries, and YAMNet."""

import sys
from collections.abc import Callable
from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tracelab.faults import fault
from tracelab.features import FloatArray
from tracelab.probe.hidden import Hidden, layer_centres
from tracelab.probe.loading import Encode
from tracelab.probe.registry import EncoderEntry
from tracelab.probe.weights import cached_folder, packaged_file

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
