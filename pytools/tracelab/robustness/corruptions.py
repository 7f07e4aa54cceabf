"""Corruptions at evaluation time: a table of families and severities, and what each does to a clip (chapter 26)."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
from scipy.signal import butter, resample_poly, sosfiltfilt

import tracepact
from tracelab.faults import fault
from tracelab.randomness import generator
from tracelab.sound import Signal

CANONICAL = "canonical_v1"
SEVERITIES = (1, 2, 3, 4, 5)
_ORDER = 4
_MU = 255.0


class Family(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of corruption: its parameter at every severity, exactly."""

    name: str
    does: str
    parameter: str
    severities: tuple[str, str, str, str, str]

    def at(self, severity: int) -> Fraction:
        """The parameter at a severity, from 1 to 5."""
        return Fraction(self.severities[severity - 1])


class CorruptionTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A versioned table of corruptions."""

    name: str
    version: int
    families: tuple[Family, ...]

    def family(self, name: str) -> Family:
        """A family by its name."""
        return next(family for family in self.families if family.name == name)


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One family at one severity."""

    family: str
    severity: int

    @property
    def name(self) -> str:
        """The name of the cell in files."""
        return f"{self.family}-{self.severity}"


def table_bytes(name: str = CANONICAL) -> bytes:
    """The text of a table of the spec."""
    return tracepact.spec_path(f"corruptions/{name}.json").read_bytes()


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


def cells(table: CorruptionTable) -> list[Cell]:
    """Every family at every severity."""
    return [Cell(family.name, severity) for family in table.families for severity in SEVERITIES]


def corrupt(clean: Signal, cell: Cell, *, seed: int, index: int, table: CorruptionTable | None = None) -> Signal:
    """The clip under a corruption.

    Its random numbers depend on the seed, the example's index, the family and the severity, and on nothing else.
    """
    amount = (table or canonical()).family(cell.family).at(cell.severity)
    rng = generator(seed, "corruption", index, cell.family, cell.severity)
    return _WAYS[cell.family](np.asarray(clean, dtype=np.float64), amount, rng).astype(np.float32)


def heard_speed(cell: Cell, table: CorruptionTable | None = None) -> Fraction:
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
