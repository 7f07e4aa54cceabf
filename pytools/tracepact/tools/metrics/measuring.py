"""How two tables are measured: by all standard metrics, by points of a half-width, or by overlap alone."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypedDict

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics
from tracepact.io import Prepared
from tracepact.metrics import Arithmetic, Measured, MetricSettings, compare, compare_overlap, compare_points
from tracepact.metrics.compare import Whole
from tracepact.trace import Durations, Mode, Regions


class _Shared(TypedDict):
    """What every comparison takes."""

    durations: Durations | Fraction | None
    mode: Mode
    ignore: Regions | None
    diagnostics: Diagnostics
    part_of: Whole | None


@dataclass(frozen=True, slots=True)
class Measuring:
    """The policies of a measuring; the contract it is given has the grid and the matcher."""

    arithmetic: Arithmetic
    settings: MetricSettings
    mode: Mode
    half_width: Fraction | None
    overlap: Fraction | None
    allow_outside: bool

    @property
    def on_grid(self) -> bool:
        """Whether the contract is asked for its grid, its matcher and its labels."""
        return self.half_width is None and self.overlap is None

    def measure(
        self, contract: Contract, ready: Prepared, diagnostics: Diagnostics, part_of: Whole | None = None
    ) -> Measured:
        """The metrics of what was read, of all of it or of a part."""
        tables = ready.reference, ready.prediction
        shared: _Shared = {
            "durations": ready.durations,
            "mode": self.mode,
            "ignore": ready.ignore,
            "diagnostics": diagnostics,
            "part_of": part_of,
        }
        if self.half_width is not None:
            return compare_points(*tables, half_width=self.half_width, rules=self.settings.rules(), **shared)
        if self.overlap is not None:
            return compare_overlap(*tables, threshold=self.overlap, rules=self.settings.rules(), **shared)
        return compare(
            contract,
            *tables,
            settings=self.settings,
            arithmetic=self.arithmetic,
            allow_outside=self.allow_outside,
            **shared,
        )
