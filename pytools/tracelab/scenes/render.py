"""The sound of a clip: each interval rendered with its class's sound, mixed over low-level noise."""

import numpy as np
from scipy.signal import lfilter

from tracelab.protocol import Protocol
from tracelab.randomness import generator
from tracelab.scenes.timeline import Sound, Timeline
from tracelab.scenes.voices import Voice, level
from tracelab.sound import Signal

TARGET_LEVEL = 0.22
_CEILING = 0.98


def render_timeline(protocol: Protocol, timeline: Timeline, voice: Voice, *clip: str | int) -> Signal:
    """The clean sound of a clip; every sound has a generator of its own."""
    floor = generator(protocol.seed, "floor", *clip)
    level_of_floor = floor.uniform(protocol.floor_level.low, protocol.floor_level.high)
    mixed = level_of_floor * _coloured(floor, protocol.samples)
    for number, sound in enumerate((*timeline.targets, *timeline.overlaps, *timeline.distractors)):
        rng = generator(protocol.seed, "sound", *clip, number)
        shaped = _sound(rng, sound, voice, protocol) * envelope(sound.length, round(protocol.ramp * protocol.rate))
        mixed[sound.start : sound.end] += TARGET_LEVEL * sound.gain * shaped
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
            return voice.excerpt(rng, sound.length, protocol.rate)
        case "tone":
            return _tone(rng, sound.length, protocol.rate)
        case _:
            return _burst(rng, sound.length)


def _tone(rng: np.random.Generator, samples: int, rate: int) -> Signal:
    """One to three harmonics of a pitch with a slight vibrato."""
    pitch, vibrato = rng.uniform(220, 1200), rng.uniform(0, 0.01)
    time = np.arange(samples) / rate
    phase = 2 * np.pi * np.cumsum(pitch * (1 + vibrato * np.sin(2 * np.pi * rng.uniform(3, 7) * time))) / rate
    partials = range(1, int(rng.integers(1, 4)) + 1)
    return level(np.sum([np.sin(n * phase) / n for n in partials], axis=0))


def _burst(rng: np.random.Generator, samples: int) -> Signal:
    """Noise with a colour of its own."""
    return level(lfilter([1.0], [1.0, rng.uniform(-0.7, 0.7)], rng.standard_normal(samples)))


def _coloured(rng: np.random.Generator, samples: int) -> Signal:
    """Noise with more power at low frequencies, at unit level."""
    return level(lfilter([1.0], [1.0, -0.6], rng.standard_normal(samples)))
