"""Corruptions at evaluation time, and what the classifiers hear of a clip (chapter 26)."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import librosa
import msgspec
import numpy as np
import numpy.typing as npt
from scipy.signal import butter, resample_poly, sosfiltfilt

import tracepact
from tracelab.files import Signal, fault
from tracelab.protocol import generator
from tracelab.robustness.datasets import RATE
from tracepact.wording import parse_exact

# What the classifiers hear: mel power by librosa, its logarithm, and cepstral coefficients averaged over time.

WINDOW, HOP = 2048, 512
MFCC_BANDS, COEFFICIENTS = 128, 40
MEL_BANDS = 64


def mean_mfcc(samples: Signal) -> Signal:
    """The first 40 coefficients, averaged over time; fewer coefficients are the first of these."""
    coefficients = librosa.feature.mfcc(S=_decibels(samples, MFCC_BANDS), sr=RATE, n_mfcc=COEFFICIENTS)
    found: Signal = coefficients.mean(axis=1).astype(np.float64)
    return found


def log_mel(samples: Signal) -> Signal:
    """Decibels of 64 mel bands, bands × frames."""
    return _decibels(samples, MEL_BANDS)


def _decibels(samples: Signal, bands: int) -> Signal:
    found: Signal = librosa.power_to_db(_filters(bands) @ _power(samples.astype(np.float32).tobytes()))
    return found


@lru_cache(maxsize=1)
def _power(samples: bytes) -> npt.NDArray[Any]:
    """The power spectrum of each frame; classifiers that hear a clip one after another share it."""
    signal = np.frombuffer(samples, dtype=np.float32)
    padded = np.pad(signal, (0, max(0, WINDOW - len(signal))))
    power: npt.NDArray[Any] = np.abs(librosa.stft(padded, n_fft=WINDOW, hop_length=HOP)) ** 2
    return power


@cache
def _filters(bands: int) -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = librosa.filters.mel(sr=RATE, n_fft=WINDOW, n_mels=bands)
    return found


# Corruptions at evaluation time: a table of families and severities, and what each does to a clip (chapter 26).

CANONICAL = "canonical_v1"
SEVERITIES = (1, 2, 3, 4, 5)
_ORDER = 4
_MU = 255.0


class CorruptionFamily(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of corruption: its parameter at every severity, exactly."""

    name: str
    does: str
    parameter: str
    severities: tuple[str, str, str, str, str]

    def at(self, severity: int) -> Fraction:
        """The parameter at a severity, from 1 to 5."""
        return parse_exact(self.severities[severity - 1])


class CorruptionTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A versioned table of corruptions."""

    name: str
    version: int
    families: tuple[CorruptionFamily, ...]

    def family(self, name: str) -> CorruptionFamily:
        """A family by its name."""
        return next(family for family in self.families if family.name == name)


@dataclass(frozen=True, slots=True, order=True)
class GridCell:
    """One family at one severity."""

    family: str
    severity: int

    @property
    def name(self) -> str:
        """The name of the cell in files."""
        return f"{self.family}-{self.severity}"


def table_bytes() -> bytes:
    """The text of the canonical table of the spec."""
    return tracepact.spec_path(f"corruptions/{CANONICAL}.json").read_bytes()


@cache
def canonical() -> CorruptionTable:
    """The canonical table."""
    return read_table(table_bytes())


def canonical_digest() -> str:
    """The SHA-256 of the canonical table's text."""
    return hashlib.sha256(table_bytes()).hexdigest()


def read_table(data: bytes, place: Path | None = None) -> CorruptionTable:
    """A table; one that the code cannot apply is refused."""
    try:
        table = msgspec.json.decode(data, type=CorruptionTable)
        unknown = [family.name for family in table.families if family.name not in _WAYS]
        if unknown:
            raise ValueError(f"unknown family `{unknown[0]}`")
        for family in table.families:
            for severity in SEVERITIES:
                family.at(severity)
    except (msgspec.MsgspecError, ValueError, ZeroDivisionError) as error:
        raise fault("bad-corruptions", f"the table of corruptions cannot be read: {error}", place) from error
    return table


def cells(table: CorruptionTable) -> list[GridCell]:
    """Every family at every severity."""
    return [GridCell(family.name, severity) for family in table.families for severity in SEVERITIES]


def corrupt(clean: Signal, cell: GridCell, *, seed: int, index: int, table: CorruptionTable | None = None) -> Signal:
    """The clip under a corruption.

    Its random numbers depend on the seed, the example's index, the family and the severity, and on nothing else.
    """
    amount = (table or canonical()).family(cell.family).at(cell.severity)
    rng = generator(seed, "corruption", index, cell.family, cell.severity)
    return _WAYS[cell.family](np.asarray(clean, dtype=np.float64), amount, rng).astype(np.float32)


def heard_speed(cell: GridCell, table: CorruptionTable | None = None) -> Fraction:
    """By what factor times are divided: the factor of `speed`, 1 for every other family."""
    return (table or canonical()).family(cell.family).at(cell.severity) if cell.family == "speed" else Fraction(1)


def _gaussian(clean: Signal, snr_db: Fraction, rng: np.random.Generator) -> Signal:
    noise = rng.standard_normal(len(clean))
    wanted = np.mean(clean**2) / 10 ** (float(snr_db) / 10)
    found: Signal = clean + noise * np.sqrt(wanted / np.mean(noise**2))
    return found


def _lowpass(clean: Signal, share: Fraction, _: np.random.Generator) -> Signal:
    found: Signal = sosfiltfilt(butter(_ORDER, float(share), output="sos"), clean)
    return found


def _clipped(clean: Signal, share: Fraction, _: np.random.Generator) -> Signal:
    limit = float(share) * float(np.abs(clean).max(initial=0.0))
    return np.clip(clean, -limit, limit)


def _roundtrip(clean: Signal, share: Fraction, _: np.random.Generator) -> Signal:
    lower = resample_poly(clean, share.numerator, share.denominator)
    found: Signal = resample_poly(lower, share.denominator, share.numerator)[: len(clean)]
    return found


def _quieter(clean: Signal, gain_db: Fraction, _: np.random.Generator) -> Signal:
    return clean * 10 ** (float(gain_db) / 20)


def _faster(clean: Signal, factor: Fraction, _: np.random.Generator) -> Signal:
    found: Signal = resample_poly(clean, factor.denominator, factor.numerator)
    return found


def _mulaw(clean: Signal, bits: Fraction, _: np.random.Generator) -> Signal:
    """Levels that lie evenly on the mu-law scale, zero among them: one fewer than the bits could tell apart."""
    half = 2 ** (int(bits) - 1) - 1
    scale = np.sign(clean) * np.log1p(_MU * np.minimum(np.abs(clean), 1)) / np.log1p(_MU)
    level = np.round(scale * half) / half
    found: Signal = np.sign(level) * np.expm1(np.abs(level) * np.log1p(_MU)) / _MU
    return found


def _silenced(clean: Signal, share: Fraction, _: np.random.Generator) -> Signal:
    edge = int(share * len(clean))
    found = clean.copy()
    found[:edge] = 0
    found[len(clean) - edge :] = 0
    return found


_WAYS: dict[str, Callable[[Signal, Fraction, np.random.Generator], Signal]] = {
    "gaussian_snr": _gaussian,
    "lowpass": _lowpass,
    "clipping": _clipped,
    "resample_roundtrip": _roundtrip,
    "gain": _quieter,
    "speed": _faster,
    "mulaw": _mulaw,
    "silence_edge": _silenced,
}
