"""Clips: a scene rendered under its condition, perturbed, alone or as a split, on any number of workers."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from scipy.signal import butter, fftconvolve, lfilter, sosfilt

from tracelab.files import Signal
from tracelab.protocol import CLASSES, CONDITIONS, Perturbations, Protocol, Range, generator
from tracelab.scenes.voices import Voice, level

_ATTEMPTS_PER_DISTRACTOR = 40


@dataclass(frozen=True, slots=True, order=True)
class Sound:
    """One sound of a clip: its samples [start, end), class and gain."""

    start: int
    end: int
    label: str
    gain: float

    @property
    def length(self) -> int:
        """The number of samples."""
        return self.end - self.start

    def shared(self, other: "Sound") -> int:
        """The number of samples that both sounds have."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))

    def apart(self, other: "Sound", guard: int) -> bool:
        """Whether at least `guard` samples, and at least one, lie between the two."""
        return self.start - other.end >= max(guard, 1) or other.start - self.end >= max(guard, 1)


@dataclass(frozen=True, slots=True)
class SceneTimeline:
    """What is heard in a clip, and what of it is labelled."""

    targets: tuple[Sound, ...]
    overlaps: tuple[Sound, ...]
    distractors: tuple[Sound, ...]

    @property
    def labelled(self) -> tuple[Sound, ...]:
        """The events of the reference, by time."""
        return tuple(sorted((*self.targets, *self.overlaps)))

    def events(self, rate: int) -> list[tuple[Fraction, Fraction, str]]:
        """The events of the reference with exact times in seconds."""
        return [(Fraction(s.start, rate), Fraction(s.end, rate), s.label) for s in self.labelled]


def draw_timeline(protocol: Protocol, *clip: str | int) -> SceneTimeline:
    """The intervals of one clip; they depend on the seed and the clip's name alone."""
    rng = generator(protocol.seed, "timeline", *clip)
    targets = _targets(protocol, rng)
    overlaps: list[Sound] = []
    for target in targets:
        if rng.random() < protocol.overlaps.probability:
            overlap = _overlap(protocol, rng, target)
            if accepted(protocol, overlap, target, [*targets, *overlaps]):
                overlaps.append(overlap)
    distractors = _distractors(protocol, rng, [*targets, *overlaps])
    return SceneTimeline(tuple(targets), tuple(overlaps), tuple(distractors))


def accepted(protocol: Protocol, overlap: Sound, target: Sound, others: Iterable[Sound]) -> bool:
    """Whether an overlap is long enough, shares enough with its target, and leaves its own class's events apart."""
    rules, rate = protocol.overlaps, protocol.rate
    return (
        overlap.length >= rules.least_duration * rate
        and overlap.shared(target) >= rules.least_shared * rate
        and all(overlap.apart(other, 0) for other in others if other.label == overlap.label)
    )


def _targets(protocol: Protocol, rng: np.random.Generator) -> list[Sound]:
    rules, now = protocol.targets, 0
    found: list[Sound] = []
    for _ in range(rng.integers(rules.attempts[0], rules.attempts[1], endpoint=True)):
        start = now + _samples(rng, rules.gap, protocol)
        end = min(start + _samples(rng, rules.duration, protocol), protocol.samples)
        label = str(rng.choice(CLASSES, p=rules.class_share))
        gain = rules.gain.drawn(rng)
        if end - start < rules.duration.low * protocol.rate:
            break
        found.append(Sound(start, end, label, gain))
        now = end
    return found


def _overlap(protocol: Protocol, rng: np.random.Generator, target: Sound) -> Sound:
    """A second event beside a target, of another class."""
    rules, rate = protocol.overlaps, protocol.rate
    offset = rng.uniform(rules.earliest_start, rules.latest_start_share * target.length / rate)
    start = max(0, target.start + round(offset * rate))
    end = min(start + _samples(rng, protocol.targets.duration, protocol), protocol.samples)
    others = [name for name in CLASSES if name != target.label]
    shares = np.array([protocol.targets.class_share[CLASSES.index(name)] for name in others])
    label = str(rng.choice(others, p=shares / shares.sum()))
    return Sound(start, end, label, protocol.targets.gain.drawn(rng))


def _distractors(protocol: Protocol, rng: np.random.Generator, events: list[Sound]) -> list[Sound]:
    """Unlabelled sounds where there is room; a sound that finds none is left out."""
    rules = protocol.distractors
    guard = round(rules.guard * protocol.rate)
    found: list[Sound] = []
    for _ in range(rng.integers(rules.count[0], rules.count[1], endpoint=True)):
        length = _samples(rng, rules.duration, protocol)
        label = str(rng.choice(CLASSES, p=rules.class_share))
        gain = rules.gain.drawn(rng)
        for _ in range(_ATTEMPTS_PER_DISTRACTOR):
            start = int(rng.integers(0, protocol.samples - length))
            sound = Sound(start, start + length, label, gain)
            if all(sound.apart(other, guard) for other in (*events, *found)):
                found.append(sound)
                break
    return found


def _samples(rng: np.random.Generator, range_: Range, protocol: Protocol) -> int:
    """A length in whole samples, inside the range."""
    low, high = (round(end * protocol.rate) for end in (range_.low, range_.high))
    return int(rng.integers(low, high, endpoint=True))


# The sound of a clip: each interval rendered with its class's sound, mixed over low-level noise.

_CEILING = 0.98


def render_timeline(protocol: Protocol, timeline: SceneTimeline, voice: Voice, *clip: str | int) -> Signal:
    """The clean sound of a clip; every sound has a generator of its own."""
    floor = generator(protocol.seed, "floor", *clip)
    level_of_floor = protocol.floor_level.drawn(floor)
    mixed = level_of_floor * _coloured(floor, protocol.samples)
    for number, sound in enumerate((*timeline.targets, *timeline.overlaps, *timeline.distractors)):
        rng = generator(protocol.seed, "sound", *clip, number)
        shaped = _sound(rng, sound, voice, protocol) * envelope(sound.length, round(protocol.ramp * protocol.rate))
        mixed[sound.start : sound.end] += protocol.target_level * sound.gain * shaped
    return below_ceiling(mixed)


def envelope(samples: int, ramp: int) -> Signal:
    """A raised cosine at both ends, one between them."""
    ramp = min(ramp, samples // 2)
    rise = 0.5 - 0.5 * np.cos(np.pi * (np.arange(ramp) + 0.5) / max(ramp, 1))
    return np.concatenate([rise, np.ones(samples - 2 * ramp), rise[::-1]])


def below_ceiling(signal: Signal) -> Signal:
    """The signal, made quieter as a whole if it would not fit into 16 bits."""
    peak = float(np.abs(signal).max(initial=0.0))
    return signal * (_CEILING / peak) if peak > _CEILING else signal


def _sound(rng: np.random.Generator, sound: Sound, voice: Voice, protocol: Protocol) -> Signal:
    match sound.label:
        case "speech":
            return voice.excerpt(rng, sound.length, protocol.rate, protocol.excerpts.drawn)
        case "tone":
            return _tone(rng, sound.length, protocol.rate)
        case _:
            return _burst(rng, sound.length, protocol.rate)


def _tone(rng: np.random.Generator, samples: int, rate: int) -> Signal:
    """A chirp: one to three harmonics of a pitch that glides evenly, by up to an octave either way."""
    first = rng.uniform(220, 1200)
    last = first * 2 ** rng.uniform(-1, 1)
    phase = 2 * np.pi * np.cumsum(np.linspace(first, last, samples)) / rate
    # A partial above half the rate would be heard as another pitch.
    partials = [n for n in range(1, int(rng.integers(1, 4)) + 1) if n * max(first, last) < rate / 2]
    return level(np.sum([np.sin(n * phase) / n for n in partials], axis=0))


def _burst(rng: np.random.Generator, samples: int, rate: int) -> Signal:
    """Noise in a band of one to three octaves."""
    low = rng.uniform(200, 1600)
    high = min(low * 2 ** rng.uniform(1, 3), 0.45 * rate)
    band = butter(2, (low, high), btype="bandpass", fs=rate, output="sos")
    return level(sosfilt(band, rng.standard_normal(samples)))


def _coloured(rng: np.random.Generator, samples: int) -> Signal:
    """Noise with more power at low frequencies, at unit level."""
    return level(lfilter([1.0], [1.0, -0.6], rng.standard_normal(samples)))


# What a recording does to a clip: noise, reverb, clipping, gain drift, jitter; the events stay as they were.

_DECAY_DB = 60.0


def perturb(
    clean: Signal,
    condition: str,
    level: Perturbations,
    rng: np.random.Generator,
    rate: int,
    events: npt.NDArray[np.bool_] | None = None,
) -> Signal:
    """The clip under a condition; `events` says which samples are labelled, where noise is measured against them."""
    match condition:
        case "clean":
            return clean
        case "noise":
            signal = clean[events] if level.signal == "events" and events is not None and events.any() else clean
            changed = add_noise(clean, level.snr_db.drawn(rng), rng, float(np.mean(signal**2)))
        case "reverb":
            changed = add_reverb(clean, level.reverb_tail.drawn(rng), rng, rate, level.tail_db)
        case "clipping":
            limit = level.clipping_limit.drawn(rng)
            changed = clip(clean, limit, level.clipping_drive.drawn(rng))
        case "gain_drift":
            changed = clean * drift(len(clean), level, rng, rate)
        case "jitter":
            changed = displaced(clean, displacement(len(clean), level, rng, rate), rate)
        case "compound":
            changed = clean
            for part in ("noise", "reverb", "gain_drift"):
                changed = perturb(changed, part, level, rng, rate, events)
        case _:
            raise ValueError(f"unknown condition {condition!r}")
    return below_ceiling(changed)


def add_noise(clean: Signal, snr_db: float, rng: np.random.Generator, power: float | None = None) -> Signal:
    """White noise at a ratio of a power, the whole clip's by default, to its own, in decibels."""
    noise = rng.standard_normal(len(clean))
    wanted = (np.mean(clean**2) if power is None else power) / 10 ** (snr_db / 10)
    heard: Signal = clean + noise * np.sqrt(wanted / np.mean(noise**2))
    return heard


def add_reverb(clean: Signal, tail: float, rng: np.random.Generator, rate: int, tail_db: float = 0.0) -> Signal:
    """A tail of decaying noise, `tail_db` above the direct sound in all and 60 dB weaker after `tail` seconds."""
    samples = max(round(tail * rate), 2)
    decay = 10 ** (-_DECAY_DB / 20 * np.arange(1, samples + 1) / samples)
    response = rng.standard_normal(samples) * decay
    response *= 10 ** (tail_db / 20) / np.sqrt(np.sum(response**2))
    wet = fftconvolve(clean, np.concatenate([[1.0], response]))[: len(clean)]
    # As loud as before: what a room adds is smearing, and loudness would tell it from the other conditions.
    heard: Signal = wet * np.sqrt(np.mean(clean**2) / max(float(np.mean(wet**2)), 1e-12))
    return heard


def clip(clean: Signal, limit: float, drive: float) -> Signal:
    """The driven signal, cut at its limit."""
    cut: Signal = np.clip(clean * drive, -limit, limit)
    return cut


def drift(samples: int, level: Perturbations, rng: np.random.Generator, rate: int) -> Signal:
    """A slow gain between 1 − depth and 1 + depth."""
    hertz = level.drift_hz.drawn(rng)
    phase = rng.uniform(0, 2 * np.pi)
    return 1 + level.drift_depth * np.sin(2 * np.pi * hertz * np.arange(samples) / rate + phase)


def displacement(samples: int, level: Perturbations, rng: np.random.Generator, rate: int) -> Signal:
    """By how many seconds each moment is late: a shift and a slow wander, together within the bound."""
    wander = level.jitter_bound * level.wander_share
    shift = rng.uniform(-1, 1) * (level.jitter_bound - wander)
    hertz = level.wander_hz.drawn(rng)
    phase = rng.uniform(0, 2 * np.pi)
    return shift + wander * np.sin(2 * np.pi * hertz * np.arange(samples) / rate + phase)


def displaced(clean: Signal, late: Signal, rate: int) -> Signal:
    """The clip as it sounds when each moment is that late."""
    places = np.arange(len(clean))
    return np.interp(places - late * rate, places, clean)


# Clips: a scene rendered under its condition, alone or as a split, on any number of workers.

_CLIPS_PER_PART = 12

T = TypeVar("T")
OnClip = Callable[[], None]


@dataclass(frozen=True, slots=True, order=True)
class ClipTask:
    """Which clip to render: its split, its number, its condition, and which view of it."""

    split: str
    number: int
    condition: str = "clean"
    view: int = 0

    @property
    def name(self) -> str:
        """The clip's name; the views of a clip share its events."""
        view = f"-view{self.view}" if self.view else ""
        return f"{self.split}-{self.number:04d}{view}"


@dataclass(frozen=True, slots=True, eq=False)
class RenderedClip:
    """A rendered clip: its samples and exact events."""

    task: ClipTask
    samples: npt.NDArray[np.int16]
    timeline: SceneTimeline

    @property
    def name(self) -> str:
        """The clip's name."""
        return self.task.name

    def events(self, rate: int) -> list[tuple[Fraction, Fraction, str]]:
        """The exact events of the reference."""
        return self.timeline.events(rate)

    @property
    def digest(self) -> str:
        """The SHA-256 of the samples, little-endian."""
        return hashlib.sha256(self.samples.astype("<i2").tobytes()).hexdigest()


def clean_tasks(protocol: Protocol) -> list[ClipTask]:
    """The clean training clips."""
    return [ClipTask("train", number) for number in range(protocol.train_clips)]


def view_tasks(protocol: Protocol, views: int = 3) -> list[ClipTask]:
    """The augmented views of the training clips, each under a condition drawn for it."""
    return [
        ClipTask("train", number, str(generator(protocol.seed, "condition", number, view).choice(CONDITIONS)), view)
        for view in range(1, views + 1)
        for number in range(protocol.train_clips)
    ]


def held_out_tasks(protocol: Protocol) -> list[ClipTask]:
    """The test clips, the conditions in turn, so that each has its equal share."""
    return [ClipTask("test", number, CONDITIONS[number % len(CONDITIONS)]) for number in range(protocol.test_clips)]


def render(protocol: Protocol, voice: Voice, task: ClipTask) -> RenderedClip:
    """One clip, alone: the same samples as in the whole split."""
    timeline = draw_timeline(protocol, task.split, task.number)
    if protocol.excerpts.disjoint_speakers:
        voice = voice.of_speakers(protocol.excerpts.test_share, test=task.split == "test")
    clean = render_timeline(protocol, timeline, voice, task.split, task.number)
    rng = generator(protocol.seed, "perturb", task.split, task.number, task.condition, task.view)
    events = np.zeros(protocol.samples, dtype=np.bool_)
    for sound in timeline.labelled:
        events[sound.start : sound.end] = True
    heard = perturb(clean, task.condition, perturbations_of(protocol, task.split), rng, protocol.rate, events)
    return RenderedClip(task, np.round(heard * 32767).astype(np.int16), timeline)


def perturbations_of(protocol: Protocol, split: str) -> Perturbations:
    """The ranges of a split."""
    return protocol.test if split == "test" else protocol.training


def render_all(
    protocol: Protocol, voice: Voice, tasks: Iterable[ClipTask], *, workers: int = 1, on_clip: OnClip = lambda: None
) -> Iterator[RenderedClip]:
    """The clips of a split, in order, whatever the number of workers."""
    return for_each_clip(_itself, protocol, voice, tasks, workers=workers, on_clip=on_clip)


def for_each_clip(
    work: Callable[[RenderedClip], T],
    protocol: Protocol,
    voice: Voice,
    tasks: Iterable[ClipTask],
    *,
    workers: int = 1,
    on_clip: OnClip = lambda: None,
) -> Iterator[T]:
    """What `work` makes of each clip, in order; the sound is rendered where the work is done and not kept."""
    wanted = list(tasks)
    parts = [wanted[start : start + _CLIPS_PER_PART] for start in range(0, len(wanted), _CLIPS_PER_PART)]
    done: Iterable[list[T]]
    if workers == 1:
        done = (_part(work, protocol, voice, part) for part in parts)
    else:
        done = Parallel(n_jobs=workers, return_as="generator")(
            delayed(_part)(work, protocol, voice, part) for part in parts
        )
    for part_done in done:
        for one in part_done:
            on_clip()
            yield one


def digest_of(clips: Iterable[RenderedClip]) -> str:
    """One digest over the names and samples of all clips."""
    total = hashlib.sha256()
    for clip in clips:
        total.update(f"{clip.name} {clip.task.condition} {clip.digest}\n".encode())
    return total.hexdigest()


def _part(work: Callable[[RenderedClip], T], protocol: Protocol, voice: Voice, tasks: list[ClipTask]) -> list[T]:
    return [work(render(protocol, voice, task)) for task in tasks]


def _itself(clip: RenderedClip) -> RenderedClip:
    return clip
