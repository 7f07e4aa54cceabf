"""Score fields and masks of both sides as a soft family on a contract's grid; what does not fit is reported (18.1)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics, did_you_mean
from tracepact.io.arrays import FieldArrays
from tracepact.soft.family import Places, SoftFamily, SoftMask
from tracepact.soft.margins import Margins
from tracepact.soft.values import BOTTOM, mask_margin
from tracepact.trace import NOWHERE, Grid, ScoreField, Time, exact
from tracepact.wording import count

HALF = Fraction(1, 2)
Clips = ScoreField | Mapping[str, Any]
"""A score field, or by clip an array of frames × classes: scores from 0 to 1, or truth values."""


@dataclass(frozen=True, slots=True)
class FieldReading:
    """How arrays are read.

    Attributes:
        classes: the classes of the columns, in order.
        threshold: the threshold of all classes, or of each by name (rule 18.1).
        mask_margin: the margin of truth values; None is unbounded (rule 18.3).
        step: the length of a frame of the arrays; None is that of the contract (rule 18.11).
    """

    classes: Sequence[str]
    threshold: Time | Mapping[str, Time] = HALF
    mask_margin: Fraction | None = None
    step: Time | None = None


def read_fields(
    contract: Contract,
    ref: Clips,
    pred: Clips,
    reading: FieldReading,
    *,
    masks: Mapping[str, Clips] | None = None,
    ignored: Clips | None = None,
) -> SoftFamily:
    """The soft family of score fields or arrays, on the grid of the contract (rule 18.11).

    Args:
        contract: gives the grid and the declared atoms; its labels, if declared, are the classes that may occur.
        ref: the reference: a ScoreField, or by clip an array of frames × classes, scores as floats, or truth values.
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
    """The fields of a family while they are read."""

    def __init__(self, contract: Contract, reading: FieldReading, given: Mapping[str, Clips], ignored: Clips) -> None:
        self.contract = contract
        self.reading = reading
        self.classes = tuple(reading.classes)
        self.faults = Diagnostics()
        self.step = self._step()
        self.given = {name: self._field(name, clips) for name, clips in given.items()}
        self.ignored = self._field("ignored", ignored)
        self.named = {name: _names(clips) for name, clips in {**given, "ignored": ignored}.items()}
        self.clips = self.named["ref_active"]

    def _step(self) -> Fraction:
        given = self.reading.step
        try:
            step = self.contract.step if given is None else exact(given)
        except (ValueError, TypeError):
            step = Fraction(0)
        if step <= 0:
            self.faults.add("bad-field", f"the step `{given}` is not a length of time", help="give seconds, like 0.02")
            return self.contract.step
        return step

    def _field(self, name: str, clips: Clips) -> ScoreField:
        if not isinstance(clips, ScoreField):
            return FieldArrays(name, self.classes, self.step, self.faults).field(clips)
        for label in (label for label in self.classes if label not in clips.classes):
            headline = f"`{name}` has no column of the class `{label}`"
            self.faults.add("bad-field", headline, help=did_you_mean(label, clips.classes))
        return clips

    def family(self) -> SoftFamily:
        """The family, or InvalidInput."""
        self._check_names()
        thresholds = self._thresholds()
        frames = self._lengths()
        self.faults.raise_errors()
        lengths = [frames[clip] for clip in self.clips]
        masks = {name: self._soft(field, lengths, thresholds) for name, field in self.given.items()}
        hidden = tuple(self._hidden(clip, length) for clip, length in zip(self.clips, lengths, strict=True))
        return SoftFamily(self.contract.step, self.clips, tuple(lengths), self.classes, masks, hidden)

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
        for name, clips in self.named.items():
            for clip in (clip for clip in clips if clip not in self.clips):
                headline = f"`{name}` has the clip `{clip}`, which the reference does not have"
                self.faults.add("unknown-clip", headline, help=did_you_mean(clip, self.clips))
        for name in self.given:
            for clip in (clip for clip in self.clips if clip not in self.named[name]):
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

    def _lengths(self) -> dict[str, int]:
        """The frames of every clip, by the length of its reference; fields with the same step must agree."""
        grid = Grid(self.contract.step)
        reference = self.given["ref_active"]
        for name, field in {**self.given, "ignored": self.ignored}.items():
            for clip, own in field.clips.items():
                other = reference.clips.get(clip, own)
                if own.edges[:2] == other.edges[:2] and len(own.ranks) != len(other.ranks):
                    frames = count(len(own.ranks), "frame")
                    headline = f"`{name}` of `{clip}` has {frames}, the reference {len(other.ranks)}"
                    self.faults.add("bad-field", headline, help="both sides must cover the same frames")
        return {clip: grid.frames(own.edges[-1]) for clip, own in reference.clips.items()}

    def _soft(self, field: ScoreField, lengths: Sequence[int], thresholds: Sequence[Fraction]) -> SoftMask:
        """Truth values or scores as soft values on the contract's grid."""
        if field.is_mask:
            margin = self.reading.mask_margin
            values = (*(mask_margin(field.levels.value(r) == 1, margin) for r in range(len(field.levels))), BOTTOM)
            return SoftMask(values, tuple(self._ranks(field, clip, n) for clip, n in self._sized(lengths)))
        margins = Margins(field.levels, thresholds)
        first = np.array([margins.first(threshold) for threshold in thresholds], dtype=np.int64)
        ranks = (self._ranks(field, clip, n) for clip, n in self._sized(lengths))
        return SoftMask(margins, tuple(np.where(own == NOWHERE, len(margins) - 1, own + first) for own in ranks))

    def _sized(self, lengths: Sequence[int]) -> Iterable[tuple[str, int]]:
        return zip(self.clips, lengths, strict=True)

    def _ranks(self, field: ScoreField, clip: str, frames: int) -> Places:
        """The ranks of a clip on the contract's grid, in the order of the family's classes."""
        columns = [field.classes.index(label) for label in self.classes]
        return field.clips[clip].projected(self.contract.step, frames)[:, columns]

    def _hidden(self, clip: str, frames: int) -> NDArray[np.bool_]:
        """Where a clip is ignored."""
        if clip not in self.ignored.clips:
            return np.zeros((frames, len(self.classes)), dtype=np.bool_)
        ranks = self._ranks(self.ignored, clip, frames)
        hidden: NDArray[np.bool_] = (ranks != NOWHERE) & (ranks >= self.ignored.levels.above(HALF))
        return hidden


def _names(clips: Clips) -> tuple[str, ...]:
    return tuple(clips.clips if isinstance(clips, ScoreField) else clips)
