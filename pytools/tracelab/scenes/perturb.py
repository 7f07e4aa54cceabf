"""What a recording does to a clip: noise, reverb, clipping, gain drift, jitter; the events stay as they were."""

import numpy as np
from scipy.signal import fftconvolve

from tracelab.protocol import Perturbations
from tracelab.scenes.render import below_ceiling
from tracelab.sound import Signal

_DECAY_DB = 60.0


def perturb(clean: Signal, condition: str, level: Perturbations, rng: np.random.Generator, rate: int) -> Signal:
    """The clip under a condition."""
    match condition:
        case "clean":
            return clean
        case "noise":
            changed = add_noise(clean, rng.uniform(level.snr_db.low, level.snr_db.high), rng)
        case "reverb":
            changed = add_reverb(clean, rng.uniform(level.reverb_tail.low, level.reverb_tail.high), rng, rate)
        case "clipping":
            limit = rng.uniform(level.clipping_limit.low, level.clipping_limit.high)
            changed = clip(clean, limit, rng.uniform(level.clipping_drive.low, level.clipping_drive.high))
        case "gain_drift":
            changed = clean * drift(len(clean), level, rng, rate)
        case "jitter":
            changed = displaced(clean, displacement(len(clean), level, rng, rate), rate)
        case "compound":
            changed = clean
            for part in ("noise", "reverb", "gain_drift"):
                changed = perturb(changed, part, level, rng, rate)
        case _:
            raise ValueError(f"unknown condition {condition!r}")
    return below_ceiling(changed)


def add_noise(clean: Signal, snr_db: float, rng: np.random.Generator) -> Signal:
    """White noise at a ratio of the clip's power to its own, in decibels."""
    noise = rng.standard_normal(len(clean))
    wanted = np.mean(clean**2) / 10 ** (snr_db / 10)
    heard: Signal = clean + noise * np.sqrt(wanted / np.mean(noise**2))
    return heard


def add_reverb(clean: Signal, tail: float, rng: np.random.Generator, rate: int) -> Signal:
    """A tail of decaying noise, as strong as the direct sound and 60 dB weaker after `tail` seconds."""
    samples = max(round(tail * rate), 2)
    decay = 10 ** (-_DECAY_DB / 20 * np.arange(1, samples + 1) / samples)
    response = rng.standard_normal(samples) * decay
    response /= np.sqrt(np.sum(response**2))
    wet = fftconvolve(clean, np.concatenate([[1.0], response]))[: len(clean)]
    heard: Signal = wet * np.sqrt(np.mean(clean**2) / max(float(np.mean(wet**2)), 1e-12))
    return heard


def clip(clean: Signal, limit: float, drive: float) -> Signal:
    """The driven signal, cut at its limit."""
    cut: Signal = np.clip(clean * drive, -limit, limit)
    return cut


def drift(samples: int, level: Perturbations, rng: np.random.Generator, rate: int) -> Signal:
    """A slow gain between 1 − depth and 1 + depth."""
    hertz = rng.uniform(level.drift_hz.low, level.drift_hz.high)
    phase = rng.uniform(0, 2 * np.pi)
    return 1 + level.drift_depth * np.sin(2 * np.pi * hertz * np.arange(samples) / rate + phase)


def displacement(samples: int, level: Perturbations, rng: np.random.Generator, rate: int) -> Signal:
    """By how many seconds each moment is late: a shift and a slow wander, together within the bound."""
    wander = level.jitter_bound * level.wander_share
    shift = rng.uniform(-1, 1) * (level.jitter_bound - wander)
    hertz = rng.uniform(level.wander_hz.low, level.wander_hz.high)
    phase = rng.uniform(0, 2 * np.pi)
    return shift + wander * np.sin(2 * np.pi * hertz * np.arange(samples) / rate + phase)


def displaced(clean: Signal, late: Signal, rate: int) -> Signal:
    """The clip as it sounds when each moment is that late."""
    places = np.arange(len(clean))
    return np.interp(places - late * rate, places, clean)
