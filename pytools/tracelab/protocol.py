"""Every size, range and seed of the controlled scenes, once; and a random generator for every clip and purpose."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import log10
from typing import Literal

import numpy as np

# A random generator of its own for every clip and purpose, so that one clip can be made alone and in any order.


def generator(seed: int, *purpose: str | int) -> np.random.Generator:
    """A generator that depends on the seed and the words of its purpose, and on nothing else.

    >>> generator(1, "test", 7).integers(100) == generator(1, "test", 7).integers(100)
    True
    """
    words = hashlib.sha256("\x1f".join(map(str, purpose)).encode()).digest()
    return np.random.default_rng([seed, *np.frombuffer(words, dtype=np.uint32).tolist()])


# Every size, range and seed of the controlled scenes, once; the printed tables are made from these values.

SEED = 20260514
RATE = 8000
STEP = Fraction(1, 50)
CLASSES = ("speech", "tone", "burst")
CONDITIONS = ("clean", "noise", "reverb", "clipping", "gain_drift", "jitter", "compound")


@dataclass(frozen=True, slots=True)
class Range:
    """A closed range that a value is drawn from, uniformly."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def drawn(self, rng: np.random.Generator) -> float:
        """A value of the range."""
        return float(rng.uniform(self.low, self.high))

    def __str__(self) -> str:
        return f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class Targets:
    """How the labelled events of a clip are drawn; times in seconds."""

    attempts: tuple[int, int] = (3, 6)
    gap: Range = Range(0.12, 0.75)
    duration: Range = Range(0.32, 1.25)
    class_share: tuple[float, ...] = (0.62, 0.20, 0.18)
    gain: Range = Range(0.28, 0.90)


@dataclass(frozen=True, slots=True)
class Overlaps:
    """How a second event beside a target is drawn, and when it is accepted."""

    probability: float = 0.58
    earliest_start: float = -0.08
    latest_start_share: float = 0.55
    least_duration: float = 0.14
    least_shared: float = 0.08


@dataclass(frozen=True, slots=True)
class Distractors:
    """How unlabelled sounds between the events are drawn."""

    count: tuple[int, int] = (1, 3)
    duration: Range = Range(0.10, 0.58)
    class_share: tuple[float, ...] = (0.25, 0.40, 0.35)
    guard: float = 0.08
    gain: Range = Range(0.10, 0.35)


@dataclass(frozen=True, slots=True)
class Excerpts:
    """How speech is taken from recordings.

    Of `drawn` random excerpts the most active one is heard; with `disjoint_speakers` nobody who speaks in a test clip
    speaks in a training clip.
    """

    drawn: int = 12
    disjoint_speakers: bool = False
    test_share: float = 0.3


@dataclass(frozen=True, slots=True)
class Perturbations:
    """The ranges of every perturbation at one severity, and what they are measured against.

    `tail_db` is the energy of a reverberant tail above that of the direct sound. The signal of a signal-to-noise ratio
    is the whole clip, its silence included, or the samples of its labelled events alone.
    """

    severity: float
    snr_db: Range
    reverb_tail: Range
    clipping_limit: Range
    clipping_drive: Range
    drift_hz: Range
    drift_depth: float
    jitter_bound: float
    wander_share: float = 0.2
    wander_hz: Range = Range(0.05, 0.20)
    tail_db: float = 0.0
    signal: Literal["clip", "events"] = "clip"


TRAIN_PERTURBATIONS = Perturbations(
    severity=0.65,
    snr_db=Range(0.5, 10.4),
    reverb_tail=Range(0.076, 0.302),
    clipping_limit=Range(0.26, 0.52),
    clipping_drive=Range(1.36, 1.96),
    drift_hz=Range(0.04, 0.18),
    drift_depth=0.37,
    jitter_bound=0.0412,
)
TEST_PERTURBATIONS = Perturbations(
    severity=1.25,
    snr_db=Range(-5.5, 6.2),
    reverb_tail=Range(0.100, 0.470),
    clipping_limit=Range(0.19, 0.42),
    clipping_drive=Range(1.51, 2.29),
    drift_hz=Range(0.04, 0.23),
    drift_depth=0.53,
    jitter_bound=0.0562,
)


@dataclass(frozen=True, slots=True)
class Protocol:
    """One set of scenes: sizes, the seed, and the rules by which they are drawn."""

    name: str = "plain"
    seed: int = SEED
    train_clips: int = 960
    test_clips: int = 420
    clip_seconds: Fraction = Fraction(12)
    rate: int = RATE
    step: Fraction = STEP
    targets: Targets = field(default_factory=Targets)
    overlaps: Overlaps = field(default_factory=Overlaps)
    distractors: Distractors = field(default_factory=Distractors)
    excerpts: Excerpts = field(default_factory=Excerpts)
    training: Perturbations = TRAIN_PERTURBATIONS
    test: Perturbations = TEST_PERTURBATIONS
    ramp: float = 0.012
    target_level: float = 0.22
    floor_level: Range = Range(0.0015, 0.0040)

    @property
    def samples(self) -> int:
        """The number of samples in a clip."""
        return int(self.clip_seconds * self.rate)

    @property
    def frame_samples(self) -> int:
        """The number of samples in a frame of the grid."""
        return int(self.step * self.rate)

    @property
    def frames(self) -> int:
        """The number of frames in a clip."""
        return self.samples // self.frame_samples


def protocol_rows(protocol: Protocol) -> list[tuple[str, str]]:
    """The protocol as a table: what, and its value."""
    targets, overlaps, distractors = protocol.targets, protocol.overlaps, protocol.distractors
    low, high = targets.attempts
    return [
        ("training clips", str(protocol.train_clips)),
        ("test clips", f"{protocol.test_clips}, balanced over {len(CONDITIONS)} conditions"),
        ("clip length", f"{float(protocol.clip_seconds):g} s"),
        ("sample rate", f"{protocol.rate} Hz"),
        ("step", f"{float(protocol.step):g} s"),
        ("seed", str(protocol.seed)),
        ("classes", ", ".join(CLASSES)),
        ("targets in a clip", f"{low} to {high} attempts before the end of the clip"),
        ("gap before a target", f"{targets.gap} s"),
        ("duration of a target", f"{targets.duration} s"),
        ("classes of targets", _shares(targets.class_share)),
        ("gain of a target", str(targets.gain)),
        ("overlap with a target", f"probability {overlaps.probability:g}"),
        (
            "start of an overlap",
            f"{overlaps.earliest_start:g} s to {overlaps.latest_start_share:g} of the target's duration",
        ),
        (
            "overlap accepted",
            f"at least {overlaps.least_duration:g} s long, {overlaps.least_shared:g} s shared with the target, "
            "and apart from every event of its class",
        ),
        ("distractors", f"{distractors.count[0]} to {distractors.count[1]}, {distractors.duration} s, unlabelled"),
        ("distance of distractors", f"at least {distractors.guard:g} s from every event"),
        ("classes of distractors", _shares(distractors.class_share)),
        ("gain of a distractor", f"{distractors.gain}, {_above(distractors.gain, targets.gain):+.1f} dB on the mean"),
        ("level of a sound at gain 1", f"{protocol.target_level:g} (root mean square; full scale is 1)"),
        ("level of the floor", f"{protocol.floor_level}, at most {_decibels(protocol.floor_level.high):.1f} dBFS"),
        ("ramp of a sound", f"{protocol.ramp:g} s, raised cosine"),
        ("excerpt of speech", _excerpt_words(protocol.excerpts.drawn)),
        ("speakers of training and test", _speaker_words(protocol.excerpts)),
        ("tail of reverberation", _pair(protocol, lambda level: f"{level.tail_db:+g} dB beside the direct sound")),
        ("signal of a signal-to-noise ratio", _pair(protocol, lambda level: f"power of the {level.signal}")),
    ]


def _pair(protocol: Protocol, word: Callable[[Perturbations], str]) -> str:
    """What is said of both levels, once where it is the same."""
    training, test = word(protocol.training), word(protocol.test)
    return training if training == test else f"training: {training}; test: {test}"


def _excerpt_words(drawn: int) -> str:
    return "one at random" if drawn == 1 else f"the most active of {drawn} at random"


def _speaker_words(excerpts: Excerpts) -> str:
    if not excerpts.disjoint_speakers:
        return "the same recordings"
    return f"nobody in both; {excerpts.test_share:.0%} of the speakers are for test clips"


def _decibels(amplitude: float) -> float:
    return 20 * log10(amplitude)


def _above(one: Range, other: Range) -> float:
    """By how many decibels the middle of one range of gains lies above that of another."""
    return _decibels(one.low + one.high) - _decibels(other.low + other.high)


def perturbation_rows(*levels: Perturbations) -> list[tuple[str, ...]]:
    """The perturbations as a table: what, and its range at each severity."""
    return [
        ("severity", *(f"{level.severity:g}" for level in levels)),
        ("noise: signal-to-noise ratio", *(f"{level.snr_db} dB" for level in levels)),
        ("reverb: tail", *(f"{level.reverb_tail} s" for level in levels)),
        ("clipping: limit", *(str(level.clipping_limit) for level in levels)),
        ("clipping: drive", *(str(level.clipping_drive) for level in levels)),
        ("gain drift: rate", *(f"{level.drift_hz} Hz" for level in levels)),
        ("gain drift: depth", *(f"{level.drift_depth:g}" for level in levels)),
        ("jitter: shift and wander", *(f"at most {level.jitter_bound * 1000:g} ms" for level in levels)),
        ("compound", *("noise, reverb and gain drift, in this order" for _ in levels)),
    ]


def _shares(shares: tuple[float, ...]) -> str:
    return ", ".join(f"{name} {share:g}" for name, share in zip(CLASSES, shares, strict=True))
