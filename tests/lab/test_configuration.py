"""A study is stated in one file: read back as printed, changed by one value, refused where it cannot be right."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import tracepact
from tracelab.commands import commands
from tracelab.configuration import PROTOCOLS, SCALES, configuration_text, configured
from tracelab.detections import ask, open_detectors
from tracelab.files import write_sound
from tracelab.protocol import Protocol, Range, protocol_rows
from tracelab.scenes.corpus import (
    ClipTask,
    add_noise,
    add_reverb,
    draw_timeline,
    held_out_tasks,
    render,
    render_timeline,
)
from tracelab.scenes.voices import FolderVoice, FormantVoice

OWN = """
import numpy as np

def loud(samples, rate):
    hop = rate // 50
    level = np.abs(samples[: len(samples) // hop * hop]).reshape(-1, hop).mean(axis=1)
    edges = np.diff((level > 0.02).astype(int), prepend=0, append=0)
    return zip(np.flatnonzero(edges == 1) / 50, np.flatnonzero(edges == -1) / 50)

def wrong(samples, rate):
    return [1]
"""


@pytest.mark.parametrize("scale", list(SCALES))
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_configuration_is_read_back_as_it_was_printed(scale, protocol, tmp_path):
    study = configured(scale, protocol)
    path = tmp_path / "mine.toml"
    path.write_text(configuration_text(study), encoding="utf-8")
    for other in SCALES:  # the file states its sizes, so the scale that it is read at changes its name alone
        again = configured(other, path)
        assert replace(again, name=scale) == study
        assert again.digest == study.digest


def test_every_choice_of_a_shipped_protocol_that_the_text_leaves_open_has_its_reason():
    plain, strict = (configured("paper", name) for name in PROTOCOLS)
    assert plain.protocol == Protocol()
    differ = {
        "ramp": (plain.protocol.ramp, strict.protocol.ramp),
        "floor_level": (plain.protocol.floor_level, strict.protocol.floor_level),
        "distractors.gain": (plain.protocol.distractors.gain, strict.protocol.distractors.gain),
        "excerpts.drawn": (12, strict.protocol.excerpts.drawn),
        "excerpts.disjoint_speakers": (False, strict.protocol.excerpts.disjoint_speakers),
        "training.tail_db": (0.0, strict.protocol.training.tail_db),
        "training.signal": ("clip", strict.protocol.training.signal),
        "test.tail_db": (0.0, strict.protocol.test.tail_db),
        "test.signal": ("clip", strict.protocol.test.signal),
    }
    assert all(a != b for a, b in differ.values())
    assert set(differ) <= set(dict(strict.reasons))
    assert set(dict(strict.reasons)) <= set(dict(plain.reasons))


def test_the_protocol_table_says_everything_that_decides_how_hard_the_scenes_are():
    table = dict(protocol_rows(configured("paper", "strict").protocol))
    assert table["gain of a distractor"] == "0.28 to 0.9, +0.0 dB on the mean"
    assert table["level of the floor"] == "0.003 to 0.006, at most -44.4 dBFS"
    assert table["excerpt of speech"] == "one at random"
    assert table["speakers of training and test"] == "nobody in both; 30% of the speakers are for test clips"
    assert table["tail of reverberation"] == "+10 dB beside the direct sound"
    assert table["signal of a signal-to-noise ratio"] == "power of the events"


def test_a_value_or_the_seed_is_changed_by_name():
    study = configured("smoke", "strict", 7, ("distractors.gain.low=0.5", "scale.draws=9", "test.signal='clip'"))
    assert (study.protocol.seed, study.draws) == (7, 9)
    assert study.protocol.distractors.gain == Range(0.5, 0.9)
    assert (study.protocol.test.signal, study.protocol.training.signal) == ("clip", "events")
    assert [one.seed for one in study.seeds] == [8]
    assert study.digest != configured("smoke", "strict").digest


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("distractors.gian=1", "distractors.gian"),
        ("distractors=1", "not a table"),
        ("targets.gain.low=2", "ends before it begins"),
        ("targets.class_share=[1, 1, 1]", "class_share"),
        ("test.signal='speech'", "test.signal"),
        ("ramp=0", "ramp"),
        ("rate=16000", "8000"),
        ("clip_seconds='1/3'", "clip_seconds"),
        ("train_clips=1", "training clips"),
        ("scale.views=0", "views"),
        ("scale.speed=2", "scale.speed"),
        ("excerpts.drawn=0", "excerpts"),
        ("seed=two", "KEY=VALUE"),
        ("seed.low=1", "seed.low"),
        ("ramp=nan", "ramp"),
    ],
)
def test_what_cannot_be_a_protocol_is_refused_with_its_name(change, said):
    with pytest.raises(tracepact.InvalidInput, match=said):
        configured("smoke", "plain", None, ("seed=1", change))


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_a_stranger_s_protocol_is_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("p") / "p.toml"
    path.write_bytes(b'format = "tracelab-protocol/1"\n' + data)
    codes = {"bad-protocol"}
    try:
        configured("smoke", path)
    except tracepact.InvalidInput as error:
        codes = {one.code for one in error.diagnostics}
    assert codes == {"bad-protocol"}


# What the strict choices do to the sound, by hand.


def test_noise_against_the_events_is_louder_by_the_share_that_is_silent():
    clean = np.zeros(8000)
    clean[:2000] = 0.5
    rng = np.random.default_rng(1)
    noise = add_noise(clean, 0.0, rng, power=0.25) - clean
    assert np.mean(noise**2) == pytest.approx(0.25)
    whole = add_noise(clean, 0.0, rng) - clean
    assert np.mean(whole**2) == pytest.approx(0.25 / 4)


@pytest.mark.parametrize("tail_db", [0.0, 10.0])
def test_a_tail_has_its_energy_beside_the_direct_sound(tail_db):
    click = np.zeros(8000)
    click[0] = 1.0
    heard = add_reverb(click, 0.4, np.random.default_rng(2), 8000, tail_db)
    direct, tail = heard[0] ** 2, float(np.sum(heard[1:] ** 2))
    assert 10 * np.log10(tail / direct) == pytest.approx(tail_db)
    assert np.mean(heard**2) == pytest.approx(np.mean(click**2))


def test_strict_distractors_are_as_loud_as_targets():
    protocol = configured("smoke", "strict").protocol
    gains = {"targets": [], "distractors": []}
    for number in range(60):
        timeline = draw_timeline(protocol, "test", number)
        for part, some in gains.items():
            some += [sound.gain for sound in getattr(timeline, part)]
    assert abs(np.mean(gains["targets"]) - np.mean(gains["distractors"])) < 0.06
    quiet = render_timeline(protocol, draw_timeline(protocol, "test", 0), FormantVoice(), "test", 0)
    assert np.abs(quiet).max() <= 0.98


def test_nobody_who_speaks_in_a_test_clip_speaks_in_a_training_clip(tmp_path):
    for speaker in range(10):
        for take in range(3):
            noise = np.random.default_rng(speaker).integers(-9000, 9000, 8000).astype(np.int16)
            write_sound(tmp_path / f"{speaker}-{take}.wav", noise, 8000)
    voice = FolderVoice.open(tmp_path)
    sides = [{voice.speaker_of(file) for file in voice.of_speakers(0.3, test=test).files} for test in (True, False)]
    assert [len(side) for side in sides] == [3, 7]
    assert not sides[0] & sides[1]
    # another recording moves nobody
    write_sound(tmp_path / "3-9.wav", np.ones(8000, dtype=np.int16), 8000)
    again = FolderVoice.open(tmp_path)
    assert {again.speaker_of(file) for file in again.of_speakers(0.3, test=True).files} == sides[0]


def test_one_speaker_cannot_be_kept_apart(tmp_path):
    write_sound(tmp_path / "7-1.wav", np.ones(8000, dtype=np.int16), 8000)
    protocol = configured("smoke", "strict").protocol
    with pytest.raises(tracepact.InvalidInput, match="only one"):
        render(protocol, FolderVoice.open(tmp_path), ClipTask("test", 0))


# A detector of one's own.


def test_a_detector_of_ones_own_is_asked_for_every_test_clip(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    detector = open_detectors([f"{tmp_path / 'own.py'}:loud"], ["dilated_cnn"])[0]
    protocol = replace(Protocol(), test_clips=3)
    ask(detector, protocol, FormantVoice(), held_out_tasks(protocol), tmp_path / "run")
    run = tracepact.load_run(tmp_path / "run")
    assert set(run.prediction.clips) == {"test-0000", "test-0001", "test-0002"}
    clip = render(protocol, FormantVoice(), ClipTask("test", 0))
    level = np.abs(clip.samples.reshape(-1, 160) / 32768).mean(axis=1) > 0.02
    centres = [Fraction(2 * frame + 1, 100) for frame in range(600)]
    events = run.prediction.clips["test-0000"]
    inside = [any(event.onset <= centre < event.offset for event in events) for centre in centres]
    assert inside == level.tolist()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("own.py", "no detector"),
        ("none.py:loud", "does not exist"),
        ("own.py:absent", "cannot be loaded"),
        ("own.py:dilated_cnn", "already"),
    ],
)
def test_a_detector_that_cannot_be_asked_is_refused(source, said, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    with pytest.raises(tracepact.InvalidInput, match=said):
        open_detectors([f"{tmp_path}/{source}"], ["dilated_cnn"])


def test_a_detector_that_fails_is_told_with_its_clip(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    protocol = replace(Protocol(), test_clips=1)
    detector = open_detectors([f"{tmp_path / 'own.py'}:wrong"], [])[0]
    with pytest.raises(tracepact.InvalidInput, match="test-0000"):
        ask(detector, protocol, FormantVoice(), held_out_tasks(protocol), tmp_path / "run")


def test_the_command_prints_what_it_takes(tmp_path):
    shown = CliRunner().invoke(commands, ["protocol", "--protocol", "strict", "--scale", "smoke", "--seed", "3"])
    assert shown.exit_code == 0
    (Path(tmp_path) / "p.toml").write_text(shown.output)
    assert configured("paper", tmp_path / "p.toml").protocol.seed == 3


def test_an_unknown_device_is_refused():
    result = CliRunner().invoke(commands, ["study", "--device", "abacus", "--out", "x"])
    assert isinstance(result.exception, tracepact.InvalidInput)
    assert "abacus" in str(result.exception)
