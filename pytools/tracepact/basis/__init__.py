"""The smallest contract that respects a task's own order of harm, with its evidence."""

from tracepact.basis.calibration import Calibration, Case, Reference
from tracepact.basis.candidates import Candidates
from tracepact.basis.family import NO_FAMILY, FamilySpec
from tracepact.basis.reading import calibrations, load_calibration, read_calibration
from tracepact.basis.retain import Basis, Coordinate
from tracepact.basis.select import (
    Observed,
    Retained,
    Selection,
    beyond,
    observe_family,
    retain_basis,
    select,
)
from tracepact.basis.separate import Fault, Pair, Requirement, Row

__all__ = [
    "NO_FAMILY",
    "Basis",
    "Calibration",
    "Candidates",
    "Case",
    "Coordinate",
    "FamilySpec",
    "Fault",
    "Observed",
    "Pair",
    "Reference",
    "Requirement",
    "Retained",
    "Row",
    "Selection",
    "beyond",
    "calibrations",
    "load_calibration",
    "observe_family",
    "read_calibration",
    "retain_basis",
    "select",
]
