"""Arrays of scores or truth values in memory as a soft family; what does not fit is reported (rule 18.1)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, Diagnostics, did_you_mean
from tracepact.soft.family import SoftFamily, SoftMask
from tracepact.soft.values import Margin, margin_of, mask_margin
from tracepact.trace import Time, exact
from tracepact.wording import count

HALF = Fraction(1, 2)
Clips = Mapping[str, Any]
"""By clip an array of frames × classes: scores from 0 to 1, or truth values."""
_SPELLED_OUT = 20
_PROBABILITIES = "give probabilities; logits must go through a sigmoid first"
_SHAPE = "give one row a frame and one column a class"


@dataclass(frozen=True, slots=True)
class FieldReading:
    """How arrays are read.

    Attributes:
        classes: the classes of the columns, in order.
        threshold: the threshold of all classes, or of each by name (rule 18.1).
        mask_margin: the margin of truth values; None is unbounded (rule 18.3).
    """

    classes: Sequence[str]
    threshold: Time | Mapping[str, Time] = HALF
    mask_margin: Fraction | None = None


def read_fields(
    contract: Contract,
    ref: Clips,
    pred: Clips,
    reading: FieldReading,
    *,
    masks: Mapping[str, Clips] | None = None,
    ignored: Clips | None = None,
) -> SoftFamily:
    """The soft family of arrays in memory.

    Args:
        contract: gives the grid and the declared atoms; its labels, if declared, are the classes that may occur.
        ref: the reference, an array of frames × classes by clip: scores as floats, or truth values.
        pred: the prediction, in the same form and on the same clips.
        reading: the classes and thresholds.
        masks: the declared atoms by name, in the same form.
        ignored: truth values by clip, true where a frame carries no obligation; clips that are left out ignore none.

    Returns:
        The family, with every score exact: a float is read as its shortest decimal text (rule 5.2).

    Raises:
        InvalidInput: with everything that is wrong, at most twenty faults of one kind spelled out.
    """
    given = {"ref_active": ref, "pred_active": pred, **(masks or {})}
    return _Fields(contract, reading, given, ignored or {}).family()


class _Fields:
    """The arrays of a family while they are read."""

    def __init__(self, contract: Contract, reading: FieldReading, given: Mapping[str, Clips], ignored: Clips) -> None:
        self.contract = contract
        self.reading = reading
        self.classes = tuple(reading.classes)
        self.given = given
        self.ignored = ignored
        self.clips = tuple(given["ref_active"])
        self.faults = Diagnostics()

    def family(self) -> SoftFamily:
        """The family, or InvalidInput."""
        self._check_names()
        thresholds = self._thresholds()
        arrays = {name: self._arrays(name, clips) for name, clips in self.given.items()}
        ignored = self._arrays("ignored", self.ignored)
        frames = self._lengths({**arrays, "ignored": ignored})
        bounded(self.faults).raise_errors()
        shape = len(self.classes)
        masks = {name: self._soft([found[clip] for clip in self.clips], thresholds) for name, found in arrays.items()}
        hidden = tuple(
            ignored[clip].astype(np.bool_) if clip in ignored else np.zeros((frames[clip], shape), dtype=np.bool_)
            for clip in self.clips
        )
        return SoftFamily(
            self.contract.step, self.clips, tuple(frames[c] for c in self.clips), self.classes, masks, hidden
        )

    def _check_names(self) -> None:
        """Classes, atoms and clips that nobody knows, or that are missing."""
        known = self.contract.labels
        for name in self.classes:
            if self.classes.count(name) > 1:
                self.faults.add("bad-field", f"the class `{name}` occurs twice", help="name each column once")
            if known is not None and name not in known:
                headline = f"the class `{name}` is not among the labels of `{self.contract.name}`"
                self.faults.add("unknown-label", headline, help=did_you_mean(name, known))
        declared = ("ref_active", "pred_active", *self.contract.declared_atoms)
        for name in (name for name in self.given if name not in declared):
            headline = f"`{name}` is not an atom that the contract declares"
            self.faults.add("wrong-mask", headline, help=did_you_mean(name, self.contract.declared_atoms))
        for name in sorted(self.contract.atoms & set(self.contract.declared_atoms) - set(self.given)):
            self.faults.add("missing-mask", f"nothing says where the declared atom `{name}` holds")
        for name, clips in {**self.given, "ignored": self.ignored}.items():
            for clip in (clip for clip in clips if clip not in self.clips):
                headline = f"`{name}` has the clip `{clip}`, which the reference does not have"
                self.faults.add("unknown-clip", headline, help=did_you_mean(clip, self.clips))
        for name, clips in self.given.items():
            for clip in (clip for clip in self.clips if clip not in clips):
                headline = f"`{name}` has no array of the clip `{clip}`"
                self.faults.add("bad-field", headline, help="give one, also where nothing is active")

    def _thresholds(self) -> list[Fraction]:
        """The threshold of every class."""
        given = self.reading.threshold
        by_class = given if isinstance(given, Mapping) else dict.fromkeys(self.classes, given)
        for name in (name for name in by_class if name not in self.classes):
            headline = f"there is a threshold of the class `{name}`, which no column has"
            self.faults.add("unknown-label", headline, help=did_you_mean(name, self.classes))
        found = []
        for name in self.classes:
            if name not in by_class:
                self.faults.add("bad-decoding", f"the class `{name}` has no threshold", help="give one for each class")
                continue
            try:
                found.append(exact(by_class[name]))
            except (ValueError, TypeError):
                self.faults.add("bad-decoding", f"the threshold `{by_class[name]}` of `{name}` is not a number")
                continue
            if not 0 <= found[-1] <= 1:
                headline = f"the threshold {by_class[name]} of `{name}` lies outside 0 to 1"
                self.faults.add("bad-decoding", headline, help="scores lie between 0 and 1")
        return found

    def _arrays(self, name: str, clips: Clips) -> dict[str, NDArray[Any]]:
        """The arrays of one atom that have the right shape and hold scores or truth values."""
        found = {}
        for clip in (clip for clip in self.clips if clip in clips):
            array = self._array(f"`{name}` of `{clip}`", clips[clip])
            if array is not None:
                found[clip] = array
        return found

    def _array(self, what: str, data: Any) -> NDArray[Any] | None:
        try:
            array = np.asarray(data)
        except ValueError:
            self.faults.add("bad-field", f"{what} is ragged: its rows have different lengths", help=_SHAPE)
            return None
        if array.ndim != 2 or array.shape[1] != len(self.classes):
            shape = " × ".join(map(str, array.shape)) or "no dimension"
            headline = f"{what} has the shape {shape}, not frames × {count(len(self.classes), 'class', 'classes')}"
            self.faults.add("bad-field", headline, help=_SHAPE)
            return None
        if array.dtype.kind in "iu":
            wrong = ~np.isin(array, (0, 1))
            self._report_values(what, array, wrong, "is neither 0 nor 1", "whole numbers are read as truth values")
            return array.astype(np.bool_)
        if array.dtype.kind == "f":
            self._report_values(what, array, ~np.isfinite(array), "is not a finite number", _PROBABILITIES)
            outside = np.isfinite(array) & ~((array >= 0) & (array <= 1))
            self._report_values(what, array, outside, "lies outside 0 to 1", _PROBABILITIES)
        elif array.dtype.kind != "b":
            self.faults.add("bad-field", f"{what} holds `{array.dtype}`", help="give floats, or truth values")
            return None
        return array

    def _report_values(self, what: str, array: NDArray[Any], wrong: NDArray[np.bool_], fault: str, help: str) -> None:
        """One fault for all wrong values of an array: the first of them, and how many there are."""
        if wrong.any():
            frame, label = np.argwhere(wrong)[0].tolist()
            more = f", and {int(wrong.sum()) - 1:,} more" if wrong.sum() > 1 else ""
            place = f"at frame {frame} of class `{self.classes[label]}`"
            self.faults.add("bad-score", f"{what}: {array[frame, label]} {place} {fault}{more}", help=help)

    def _lengths(self, arrays: Mapping[str, Mapping[str, NDArray[Any]]]) -> dict[str, int]:
        """The frames of every clip by its reference; all of its arrays must agree."""
        frames = {clip: len(array) for clip, array in arrays["ref_active"].items()}
        for name, found in arrays.items():
            for clip, array in found.items():
                if frames.setdefault(clip, len(array)) != len(array):
                    headline = f"`{name}` of `{clip}` has {count(len(array), 'frame')}, the reference {frames[clip]}"
                    self.faults.add("bad-field", headline, help="both sides must cover the same frames")
        return frames

    def _soft(self, clips: Sequence[NDArray[Any]], thresholds: Sequence[Fraction]) -> SoftMask:
        """Truth values or scores as soft values; an atom is a mask if all of its arrays are."""
        if all(array.dtype.kind == "b" for array in clips):
            values = tuple(mask_margin(active, self.reading.mask_margin) for active in (False, True))
            return SoftMask(values, tuple(array.astype(np.int64) for array in clips))
        return soft_field(
            [array.astype(np.float64) if array.dtype.kind == "b" else array for array in clips], thresholds
        )


def soft_field(clips: Sequence[NDArray[Any]], thresholds: Sequence[Fraction]) -> SoftMask:
    """The margins of arrays of floats, frames × classes, with a threshold for each class."""
    kind = np.result_type(*clips)
    flat = np.concatenate([array.astype(kind).reshape(-1) for array in clips])
    distinct, places = np.unique(flat, return_inverse=True)
    scores = [Fraction(str(score)) for score in distinct]
    apart = list(dict.fromkeys(thresholds))
    values: list[Margin] = [margin_of(score - threshold) for threshold in apart for score in scores]
    column = np.array([apart.index(threshold) for threshold in thresholds], dtype=np.int64) * len(scores)
    ends = np.cumsum([array.size for array in clips])[:-1]
    parts = np.split(places.reshape(-1).astype(np.int64), ends)
    return SoftMask(tuple(values), tuple(p.reshape(a.shape) + column for p, a in zip(parts, clips, strict=True)))


def bounded(faults: Diagnostics) -> Diagnostics:
    """At most twenty faults of one kind; the rest is counted."""
    seen: Counter[str] = Counter()
    kept: list[Diagnostic] = []
    for fault in faults:
        seen[fault.code] += 1
        if seen[fault.code] <= _SPELLED_OUT:
            kept.append(fault)
    for code, number in seen.items():
        if number > _SPELLED_OUT:
            kept.append(Diagnostic(code, f"{number - _SPELLED_OUT:,} more faults of this kind are not listed"))
    return Diagnostics(kept)
