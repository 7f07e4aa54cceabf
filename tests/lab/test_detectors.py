"""Detectors beat constants, train the same way twice, go on after a stop, and decode as the toolkit does."""

import tempfile
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import tracepact
from tracelab.detectors import training as trainings
from tracelab.detectors.decoding import active, frame_f1
from tracelab.detectors.models import edges_of, load_model, network, save_model
from tracelab.detectors.recipes import (
    ABLATION,
    CLASS_DETECTOR,
    DETECTORS,
    LEARNING,
    REGIME,
    Recipe,
    same_model,
    same_training,
)
from tracelab.detectors.training import TrainingClips, train
from tracelab.features import FEATURES, Heard, events_of, frame_features, hear
from tracelab.protocol import CLASSES, STEP, Protocol
from tracelab.scenes.corpus import ClipTask, clean_tasks, held_out_tasks, view_tasks
from tracelab.scenes.voices import FormantVoice

PROTOCOL = Protocol(train_clips=20, test_clips=14)
SHORT = [replace(r, epochs=min(r.epochs, 3)) for r in (*DETECTORS, CLASS_DETECTOR)]


@lru_cache
def heard(split: str) -> Heard:
    tasks = {
        "clean": clean_tasks(PROTOCOL),
        "views": view_tasks(PROTOCOL, 1),
        "clean test": [ClipTask("test", number) for number in range(8)],
        "test": held_out_tasks(PROTOCOL),
    }[split]
    return hear(PROTOCOL, FormantVoice(), tasks)


def training() -> TrainingClips:
    return TrainingClips(heard("clean"), heard("views"))


def test_a_loud_frame_has_more_energy_and_a_high_tone_a_higher_centroid():
    time = np.arange(PROTOCOL.samples) / PROTOCOL.rate
    tone = np.where(time < 6, 300 * np.sin(2 * np.pi * 400 * time), 9000 * np.sin(2 * np.pi * 3000 * time))
    features = dict(zip(FEATURES, frame_features(tone.astype(np.int16), PROTOCOL).T, strict=True))
    assert all(len(column) == PROTOCOL.frames for column in features.values())
    for name in ("log_energy", "zero_crossings", "centroid", "high_band"):
        assert np.median(features[name][310:]) > np.median(features[name][10:290])
    assert np.median(features["low_band"][10:290]) > np.median(features["low_band"][310:])
    assert np.argmax(features["flux"]) in range(298, 303)
    assert features["centroid"][400] == pytest.approx(3000, rel=0.02)


def test_masks_are_the_frames_whose_centre_lies_in_an_event():
    clips = heard("test")
    for name, mask, events in zip(clips.names, clips.classes, clips.events, strict=True):
        for frame in range(0, PROTOCOL.frames, 7):
            centre = (frame + Fraction(1, 2)) * STEP
            inside = {label for onset, offset, label in events if onset <= centre < offset}
            assert {CLASSES[k] for k in np.flatnonzero(mask[frame])} == inside, (name, frame)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", SHORT, ids=lambda recipe: recipe.name)
def test_a_detector_beats_a_constant_one_on_clean_clips(recipe: Recipe):
    clips = heard("clean test")
    model = train(recipe, training(), seed=1)
    masks = clips.masks(model.labels)
    found = frame_f1(model.heard_as(clips)[1], masks)
    assert found > frame_f1(np.ones_like(masks), masks)


@pytest.mark.slow
def test_training_is_the_same_twice_and_another_with_another_seed():
    recipe = replace(DETECTORS[-1], epochs=1)
    one, two, other = (train(recipe, training(), seed=seed) for seed in (3, 3, 4))
    assert all(torch.equal(one.state[name], two.state[name]) for name in one.state)
    assert one.decoding == two.decoding
    assert any(not torch.equal(one.state[name], other.state[name]) for name in one.state)


@pytest.mark.slow
def test_a_stopped_training_goes_on_and_ends_the_same(tmp_path):
    recipe = replace(DETECTORS[4], epochs=3)
    whole = train(recipe, training(), seed=5)

    def stop(name: str, epoch: int, epochs: int, loss: float) -> None:
        if epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(recipe, training(), seed=5, checkpoint=tmp_path / "c.pt", on_epoch=stop)
    epochs = []
    again = train(
        recipe, training(), seed=5, checkpoint=tmp_path / "c.pt", on_epoch=lambda n, e, k, x: epochs.append(e)
    )
    assert epochs == [2, 3]  # the second epoch was stopped before its checkpoint
    assert all(torch.equal(whole.state[name], again.state[name]) for name in whole.state)


def test_a_checkpoint_of_another_training_or_a_broken_one_is_refused(tmp_path):
    recipe = replace(DETECTORS[3], epochs=1)
    path = tmp_path / "c.pt"
    train(recipe, training(), seed=1, checkpoint=path)
    with pytest.raises(tracepact.InvalidInput, match="another training"):
        train(recipe, training(), seed=2, checkpoint=path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(tracepact.InvalidInput, match="cannot be read"):
        train(recipe, training(), seed=1, checkpoint=path)


def test_a_model_is_loaded_as_it_was_saved_and_a_changed_one_refused(tmp_path):
    model = train(DETECTORS[0], training(), seed=1)
    save_model(model, tmp_path)
    again = load_model(tmp_path)
    assert np.array_equal(again.scores(heard("test")), model.scores(heard("test")))
    assert (again.decoding, again.recipe) == (model.decoding, model.recipe)
    weights = tmp_path / "weights.pt"
    weights.write_bytes(weights.read_bytes() + b"x")
    with pytest.raises(tracepact.InvalidInput, match="not those of the manifest"):
        load_model(tmp_path)
    (tmp_path / "model.json").write_text("{}")
    with pytest.raises(tracepact.InvalidInput, match="cannot be read"):
        load_model(tmp_path)


def test_no_clip_is_learnt_from_and_held_out_at_once():
    recipe = next(recipe for recipe in DETECTORS if recipe.calibration and recipe.augmented)
    learn, held_out = training().of(recipe, 1)
    assert len(held_out) == round(trainings.HELD_OUT * 20)
    names = [{name.split("-view")[0] for name in part.names} for part in (learn, held_out)]
    assert not names[0] & names[1]
    assert len(names[0] | names[1]) == 20


def test_a_smaller_share_learns_from_fewer_clips():
    sizes = [len(training().of(recipe, 1)[0]) for recipe in LEARNING]
    assert sizes == [3, 7, 13, 20]


def test_recipes_that_differ_in_name_alone_share_a_model():
    every = (*DETECTORS, CLASS_DETECTOR, *ABLATION, *REGIME, *LEARNING)
    assert len({same_model(recipe) for recipe in every}) == 21
    assert len({same_training(recipe) for recipe in every}) == 16


def test_edges_are_the_frames_at_a_change():
    mask = torch.tensor([[[0.0, 0, 1, 1, 1, 0, 0, 0]]])
    assert edges_of(mask).tolist() == [[[0, 1, 1, 0, 1, 1, 0, 0]]]


@pytest.mark.parametrize("body", ["temporal", "dilated", "depthwise"])
def test_a_network_keeps_the_frames(body):
    frames, edges = network(body, 7, 3)(torch.zeros(2, 7, 50))
    assert frames.shape == edges.shape == (2, 3, 50)


SCORES = st.lists(st.integers(0, 20), min_size=1, max_size=30)


@given(SCORES, st.integers(0, 20), st.integers(0, 20), st.sampled_from([1, 3, 5]))
def test_decoding_here_is_decoding_by_the_toolkit(twentieths, threshold, drop, median):
    low = None if drop > threshold else Fraction(threshold - drop, 20)
    decoding = tracepact.Decoding(Fraction(threshold, 20), low, median)
    scores = np.round(np.array(twentieths, dtype=np.float64) / 20, 4)[None, :, None]
    ours = events_of({"clip": active(scores, decoding)[0]}, ["event"], STEP)
    text = "onset\toffset\tevent\n" + "".join(
        f"{float(k * STEP):.2f}\t{float((k + 1) * STEP):.2f}\t{value:.4f}\n" for k, value in enumerate(scores[0, :, 0])
    )
    assert ours["clip"] == decoded(text, decoding)


def decoded(text: str, decoding: tracepact.Decoding) -> list[tuple[Fraction, Fraction, str]]:
    """The events the toolkit decodes from a score file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.tsv"
        path.write_text(text)
        run = tracepact.score("boundary_gate", ref={"clip": [(0, "0.02", "event")]}, pred=path, decoding=decoding)
    return [(e.onset, e.offset, e.label) for e in run.prediction.clips["clip"]]
