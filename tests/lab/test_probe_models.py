"""The published encoders through their libraries: tiny random models, saved to disk and loaded by the same code."""

import warnings
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

import tracepact
from tracelab.probe.clips import aligned
from tracelab.probe.encoders import _module
from tracelab.probe.registry import EncoderEntry, load_encoder, own_registry, read_registry
from tracelab.protocol import Protocol

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("transformers") is None, reason="needs transformers"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
REGISTRY = read_registry(own_registry())
SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
}


def small_entry(name: str, **changes: object) -> EncoderEntry:
    """The entry of the registry with the size of the tiny model and only the files that a save writes."""
    found = REGISTRY.encoders([name])[0]
    own = {"files": ("config.json", "preprocessor_config.json", "model.safetensors"), **changes}
    return EncoderEntry(**({key: getattr(found, key) for key in found.__struct_fields__} | own))


def save(entry: EncoderEntry, cache: Path, model: object, features: object) -> None:
    folder = cache / entry.folder
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.save_pretrained(folder)
        features.save_pretrained(folder)


def sound(rate: int, seconds: float = 12) -> np.ndarray:
    return (np.random.default_rng(1).standard_normal(int(seconds * rate)) * 0.1).astype(np.float32)


def checked(entry: EncoderEntry, cache: Path, first: Fraction, vectors: int) -> None:
    """The encoder gives that many vectors at these times, the same twice, other ones for other sound."""
    encode = load_encoder(entry, cache)
    given = sound(entry.rate)
    found = encode(given)
    assert found.values.shape == (vectors, entry.dims)
    assert (found.first, found.hop) == (first, entry.hop_seconds)
    assert np.isfinite(found.values).all()
    assert np.array_equal(found.values, encode(given).values)
    late = given.copy()
    late[len(late) * 3 // 4 :] = 0
    changed = np.abs(encode(late).values - found.values).max(axis=1) > 1e-6
    assert changed[-vectors // 8 :].all()
    assert aligned(found, Protocol().frames, Protocol().step).shape == (600, entry.dims)


@pytest.mark.parametrize("name", ["wav2vec2_base", "wav2vec2_conformer"])
def test_wav2vec2_and_its_conformer_are_loaded_from_the_cache(name, tmp_path):
    import transformers

    convolutions = {"conv_dim": (16,) * 7, "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4}
    torch.manual_seed(1)
    if name == "wav2vec2_base":
        model = transformers.Wav2Vec2Model(transformers.Wav2Vec2Config(**SMALL, **convolutions))
    else:
        config = transformers.Wav2Vec2ConformerConfig(
            **SMALL, **convolutions, position_embeddings_type="relative", conv_depthwise_kernel_size=5
        )
        model = transformers.Wav2Vec2ConformerModel(config)
    entry = small_entry(name, dims=32)
    save(entry, tmp_path, model, transformers.Wav2Vec2FeatureExtractor())
    # 400 samples are heard by the first vector, 320 lie between two: 1 + (192000 − 400) // 320
    checked(entry, tmp_path, Fraction(1, 80), 599)


def test_ast_is_loaded_from_the_cache_and_goes_on_after_its_first_ten_seconds(tmp_path):
    import transformers

    torch.manual_seed(2)
    model = transformers.ASTModel(transformers.ASTConfig(**SMALL))
    entry = small_entry("ast", dims=32)
    save(entry, tmp_path, model, transformers.ASTFeatureExtractor())
    # a patch is 16 frames of 10 ms, each 25 ms long: its centre is 75 + 12.5 ms after its start, the last before 12 s
    checked(entry, tmp_path, Fraction(7, 80), 120)


def test_clap_is_loaded_from_the_cache_in_parts_of_ten_seconds(tmp_path):
    import transformers

    torch.manual_seed(3)
    config = transformers.ClapAudioConfig(
        patch_embeds_hidden_size=8,
        hidden_size=64,
        depths=[1, 1, 1, 1],
        num_attention_heads=[1, 2, 2, 2],
        enable_fusion=True,
    )
    entry = small_entry("clap", dims=64)
    features = transformers.ClapFeatureExtractor(truncation="fusion")
    save(entry, tmp_path, transformers.ClapAudioModel(config), features)
    # 32 vectors for 10 s, the first centred at half of 312.5 ms; the last of those whose centre lies before 12 s
    checked(entry, tmp_path, Fraction(5, 32), 38)


def test_a_model_that_is_broken_or_of_another_rate_is_refused(tmp_path):
    import transformers

    entry = small_entry("ast", dims=32)
    save(entry, tmp_path, transformers.ASTModel(transformers.ASTConfig(**SMALL)), transformers.ASTFeatureExtractor())
    with pytest.raises(tracepact.InvalidInput, match=r"bad-registry.*16000 Hz and its entry says 8000 Hz"):
        load_encoder(small_entry("ast", dims=32, rate=8000), tmp_path)
    (tmp_path / entry.folder / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(tracepact.InvalidInput, match="bad-checkpoint"):
        load_encoder(entry, tmp_path)


def has_avex() -> bool:
    try:
        return bool(distribution("avex").version) and find_spec("pydantic") is not None
    except PackageNotFoundError:
        return False


@pytest.mark.skipif(not has_avex(), reason="needs the code of avex (pip install --no-deps avex)")
def test_beats_is_loaded_from_its_checkpoint(tmp_path):
    found = REGISTRY.encoders(["beats"])[0]
    library = _module("beats_of_the_test", Path(str(distribution("avex").locate_file(found.file))))
    config = library.BEATsConfig(
        encoder_layers=2, encoder_embed_dim=32, encoder_ffn_embed_dim=48, encoder_attention_heads=4, embed_dim=16
    )
    torch.manual_seed(4)
    model = library.BEATs(config)
    weights = {name: value for name, value in model.state_dict().items() if not name.startswith("fbank.")}
    entry = small_entry("beats", dims=32, files=found.files)
    place = tmp_path / entry.folder / entry.files[0]
    place.parent.mkdir()
    torch.save({"cfg": config.model_dump(), "model": weights}, place)
    # 1198 frames of 10 ms are 74 patches of 16; a centre is 75 + 12.5 ms after the start of its patch
    checked(entry, tmp_path, Fraction(7, 80), 74)
    torch.save({"cfg": config.model_dump(), "model": {**weights, "other": torch.zeros(1)}}, place)
    with pytest.raises(tracepact.InvalidInput, match=r"bad-checkpoint.*other"):
        load_encoder(entry, tmp_path)
