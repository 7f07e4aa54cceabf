"""The controlled scenes keep to their declared ranges, to the bit, on any number of workers."""

from collections import Counter
from dataclasses import replace
from functools import lru_cache
from math import sqrt

import numpy as np
import pytest
from scipy.signal import correlate

import tracepact
from tracelab.files import write_sound
from tracelab.protocol import (
    CLASSES,
    CONDITIONS,
    TEST_PERTURBATIONS,
    TRAIN_PERTURBATIONS,
    Protocol,
    generator,
    perturbation_rows,
    protocol_rows,
)
from tracelab.scenes.corpus import (
    ClipTask,
    RenderedClip,
    SceneTimeline,
    Sound,
    accepted,
    add_noise,
    clean_tasks,
    clip,
    digest_of,
    displaced,
    displacement,
    draw_timeline,
    drift,
    envelope,
    held_out_tasks,
    perturb,
    render,
    render_all,
    view_tasks,
)
from tracelab.scenes.voices import FolderVoice, FormantVoice, open_voice

PROTOCOL = Protocol()
VOICE = FormantVoice()
LEVELS = [TRAIN_PERTURBATIONS, TEST_PERTURBATIONS]


@lru_cache
def timelines() -> list[SceneTimeline]:
    return [draw_timeline(PROTOCOL, "test", number) for number in range(600)]


@lru_cache
def clean_signal(number: int = 0) -> np.ndarray:
    return render(PROTOCOL, VOICE, ClipTask("test", number)).samples / 32767


def gaps(timeline: SceneTimeline) -> list[int]:
    ends = [0, *(sound.end for sound in timeline.targets)]
    return [sound.start - end for sound, end in zip(timeline.targets, ends, strict=False)]


def within(seconds: float, range_) -> bool:
    return round(range_.low * PROTOCOL.rate) <= seconds <= round(range_.high * PROTOCOL.rate)


def test_targets_keep_their_gaps_and_durations():
    rules = PROTOCOL.targets
    for timeline in timelines():
        assert 1 <= len(timeline.targets) <= rules.attempts[1]
        assert all(within(gap, rules.gap) for gap in gaps(timeline))
        assert all(within(sound.length, rules.duration) for sound in timeline.targets)
        assert all(sound.gain in rules.gain and sound.end <= PROTOCOL.samples for sound in timeline.targets)


def test_every_accepted_overlap_meets_the_rules_and_both_outcomes_occur():
    drawn = sum(len(timeline.targets) for timeline in timelines()) * PROTOCOL.overlaps.probability
    kept = sum(len(timeline.overlaps) for timeline in timelines())
    assert 0.3 * drawn < kept < 0.98 * drawn
    for timeline in timelines():
        for overlap in timeline.overlaps:
            others = [sound for sound in timeline.labelled if sound != overlap]
            shared = max(overlap.shared(target) for target in timeline.targets if target.label != overlap.label)
            assert overlap.length >= 0.14 * PROTOCOL.rate
            assert shared >= 0.08 * PROTOCOL.rate
            assert not any(overlap.shared(other) for other in others if other.label == overlap.label)


def test_an_overlap_that_is_short_or_shares_too_little_or_touches_its_class_is_refused():
    target = Sound(8000, 12000, "speech", 0.5)
    good = Sound(9000, 11000, "tone", 0.5)
    assert accepted(PROTOCOL, good, target, [target])
    assert not accepted(PROTOCOL, replace(good, end=9000 + 1119), target, [target])
    assert not accepted(PROTOCOL, replace(good, start=12000 - 639, end=14000), target, [target])
    assert not accepted(PROTOCOL, good, target, [target, Sound(11000, 13000, "tone", 0.5)])


def test_distractors_stay_away_from_every_event_by_the_guard():
    counts = Counter(len(timeline.distractors) for timeline in timelines())
    assert set(counts) <= {0, 1, 2, 3}
    assert min(counts[n] for n in (1, 2, 3)) > 100
    for timeline in timelines():
        for distractor in timeline.distractors:
            assert within(distractor.length, PROTOCOL.distractors.duration)
            for sound in timeline.labelled:
                assert distractor.apart(sound, round(0.08 * PROTOCOL.rate))


@pytest.mark.parametrize("part", ["targets", "distractors"])
def test_the_shares_of_the_classes_are_within_binomial_bounds(part):
    labels = Counter(sound.label for timeline in timelines() for sound in getattr(timeline, part))
    total = labels.total()
    for name, share in zip(CLASSES, getattr(PROTOCOL, part).class_share, strict=True):
        assert abs(labels[name] - share * total) < 5 * sqrt(total * share * (1 - share))


def test_masks_equal_the_intervals():
    clip_ = render(PROTOCOL, VOICE, ClipTask("test", 3))
    events = {clip_.name: clip_.events(PROTOCOL.rate)}
    run = tracepact.score("boundary_gate", ref=events, pred=events, durations={clip_.name: "12"})
    assert [(e.onset, e.offset, e.label) for _, e in run.reference.events] == clip_.events(PROTOCOL.rate)
    assert set(run.vector.values()) == {1}


def test_the_test_split_is_balanced_and_its_conditions_are_all():
    counts = Counter(task.condition for task in held_out_tasks(PROTOCOL))
    assert counts == dict.fromkeys(CONDITIONS, 60)
    assert len(clean_tasks(PROTOCOL)) == 960
    assert len(view_tasks(PROTOCOL)) == 2880


def test_a_view_is_another_sound_with_the_same_events():
    protocol = replace(PROTOCOL, train_clips=3)
    clean = {task.number: render(protocol, VOICE, task) for task in clean_tasks(protocol)}
    for task in view_tasks(protocol):
        view = render(protocol, VOICE, task)
        assert view.timeline == clean[task.number].timeline
        assert (view.digest == clean[task.number].digest) == (task.condition == "clean")


@pytest.mark.parametrize("condition", CONDITIONS)
def test_perturbing_changes_the_sound_and_never_the_events(condition):
    clean, other = render(PROTOCOL, VOICE, ClipTask("test", 5)), render(PROTOCOL, VOICE, ClipTask("test", 5, condition))
    assert other.timeline == clean.timeline
    assert (other.digest != clean.digest) == (condition != "clean")
    assert np.abs(other.samples).max() < 32767


@pytest.mark.parametrize("level", LEVELS)
def test_the_noise_measured_on_the_sound_is_in_its_range(level):
    clean = clean_signal()
    for number in range(40):
        rng = generator(1, "noise", number)
        heard = perturb(clean, "noise", level, rng, PROTOCOL.rate)
        scale = float(np.dot(heard, clean) / np.dot(clean, clean))  # the ceiling may have made all of it quieter
        noise = heard - scale * clean
        measured = 10 * np.log10(np.mean((scale * clean) ** 2) / np.mean(noise**2))
        assert level.snr_db.low - 0.1 < measured < level.snr_db.high + 0.1
    assert 10 * np.log10(np.mean(clean**2) / np.mean((add_noise(clean, 3.0, rng) - clean) ** 2)) == pytest.approx(3.0)


@pytest.mark.parametrize("level", LEVELS)
def test_clipping_respects_its_limit_and_drift_its_depth_and_jitter_its_bound(level):
    for number in range(60):
        heard = perturb(clean_signal(), "clipping", level, generator(2, number), PROTOCOL.rate)
        assert np.abs(heard).max() <= level.clipping_limit.high
        gain = drift(PROTOCOL.samples, level, generator(3, number), PROTOCOL.rate)
        assert 1 - level.drift_depth <= gain.min() <= gain.max() <= 1 + level.drift_depth
        late = displacement(PROTOCOL.samples, level, generator(4, number), PROTOCOL.rate)
        assert np.abs(late).max() <= level.jitter_bound
    assert np.array_equal(clip(np.array([-1.0, 0.05, 0.4]), 0.3, 2.0), [-0.3, 0.1, 0.3])


def test_a_shift_delays_the_sound():
    clean = clean_signal()
    heard = displaced(clean, np.full(len(clean), 0.05), PROTOCOL.rate)
    lag = int(np.argmax(correlate(heard, clean))) - (len(clean) - 1)
    assert lag == round(0.05 * PROTOCOL.rate)


def test_reverb_puts_sound_after_the_end_of_an_event():
    clean = np.concatenate([generator(0, "x").standard_normal(4000) * 0.2, np.zeros(4000)])
    heard = perturb(clean, "reverb", TEST_PERTURBATIONS, generator(1, "r"), PROTOCOL.rate)
    assert np.sqrt(np.mean(heard[4000:4400] ** 2)) > 0.01


@pytest.mark.parametrize("samples", [1, 2, 5, 400])
def test_an_envelope_rises_and_falls_the_same_way(samples):
    shape = envelope(samples, 96)
    assert len(shape) == samples
    assert np.allclose(shape, shape[::-1])
    assert shape.min() >= 0
    assert shape.max() <= 1


def small(clips: int = 14) -> Protocol:
    return replace(PROTOCOL, test_clips=clips)


def test_a_clip_alone_is_the_clip_of_the_split_and_workers_do_not_matter():
    protocol = small()
    tasks = held_out_tasks(protocol)
    together = list(render_all(protocol, VOICE, tasks))
    assert [c.name for c in together] == [t.name for t in tasks]
    assert render(protocol, VOICE, tasks[9]).digest == together[9].digest
    assert digest_of(render_all(protocol, VOICE, tasks, workers=2)) == digest_of(together)


def test_the_digest_sees_every_sample_and_the_seed():
    protocol = small(2)
    clips = list(render_all(protocol, VOICE, held_out_tasks(protocol)))
    changed = clips[1].samples.copy()
    changed[-1] += 1
    assert digest_of([clips[0], RenderedClip(clips[1].task, changed, clips[1].timeline)]) != digest_of(clips)
    other = replace(protocol, seed=1)
    assert digest_of(render_all(other, VOICE, held_out_tasks(other))) != digest_of(clips)


def test_recordings_of_a_folder_are_used_and_named(tmp_path):
    rng = np.random.default_rng(0)
    for number, rate in enumerate((8000, 16000)):
        write_sound(tmp_path / f"{number}.wav", (rng.standard_normal(rate) * 3000).astype(np.int16), rate)
    voice = open_voice(str(tmp_path))
    assert voice.name == tmp_path.name
    speech = voice.excerpt(np.random.default_rng(1), 12000, 8000)
    assert len(speech) == 12000  # longer than each recording alone
    assert np.mean(speech**2) == pytest.approx(1, abs=1e-3)
    write_sound(tmp_path / "0.wav", np.ones(800, dtype=np.int16), 8000)
    assert FolderVoice.open(tmp_path).digest != voice.digest


def test_a_missing_source_is_an_error_and_never_a_substitute(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    (tmp_path / "bad.wav").write_bytes(b"RIFF, but no more")
    (tmp_path / "empty").mkdir()
    for source, code in [
        (str(tmp_path / "nowhere"), "unreadable-file"),
        (str(tmp_path / "empty"), "no-recordings"),
        ("espeak-ng", "no-recordings"),
    ]:
        with pytest.raises(tracepact.InvalidInput) as raised:
            open_voice(source)
        assert raised.value.diagnostics[0].code == code
    with pytest.raises(tracepact.InvalidInput, match="cannot be read"):
        open_voice(str(tmp_path)).excerpt(np.random.default_rng(0), 800, 8000)


def test_the_printed_protocol_is_made_of_the_constants():
    other = replace(PROTOCOL, targets=replace(PROTOCOL.targets, attempts=(1, 2)))
    assert protocol_rows(other) != protocol_rows(PROTOCOL)
    names = {row[0] for row in perturbation_rows(*LEVELS)}
    assert len(names) == len(perturbation_rows(*LEVELS))
    assert ("reverb: tail", "0.076 to 0.302 s", "0.1 to 0.47 s") in perturbation_rows(*LEVELS)
