"""The intervals of a clip: targets, overlaps and unlabelled distractors, drawn in whole samples."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tracelab.protocol import CLASSES, Protocol, Range, generator

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
