"""The aggregations over clips and classes: what each adds first, and what its means leave out (rule 7.5).

A new one is a member and a row of the table below, a sentence in the rule, its name in the schemas, and the oracle's
own definition of it; scorecards, audits, curves and the bootstrap read the row.
"""

from enum import Enum

from tracepact.frozen import dataclass


class LeftOut(Enum):
    """Which entries do not take part in a mean."""

    NOTHING = "nothing"
    VACUOUS = "vacuous entries"


@dataclass(frozen=True, slots=True)
class AggregationSteps:
    """How counts by class and clip become one value.

    First the counts of all clips are added, or those of all classes, or both, or neither; what remains are the entries.
    Each is scored by itself. The value is the mean over clips of the mean over classes of the entries that are not
    left out. `words` name the aggregation to a reader, `entries` what it takes means of.
    """

    words: str
    entries: str
    adds_clips: bool
    adds_classes: bool
    leaves_out: LeftOut


class Aggregation(Enum):
    """How the values of clips and classes become one (rule 7.5).

    Attributes:
        POOLED: add the counts of all clips and classes, then divide.
        MACRO_CLIPS: the mean over clips of the mean over classes.
        MACRO_CLASSES: the mean over classes of each class's pooled score.
        MACRO_CLIPS_INFORMATIVE: MACRO_CLIPS without the entries that have no obligation.
        MACRO_CLASSES_INFORMATIVE: MACRO_CLASSES without the classes that have no obligation.

    Examples:
        >>> from tracepact import Aggregation
        >>> Aggregation("macro_clips")
        <Aggregation.MACRO_CLIPS: 'macro_clips'>
    """

    POOLED = "pooled"
    MACRO_CLIPS = "macro_clips"
    MACRO_CLASSES = "macro_classes"
    MACRO_CLIPS_INFORMATIVE = "macro_clips_informative"
    MACRO_CLASSES_INFORMATIVE = "macro_classes_informative"

    @property
    def steps(self) -> AggregationSteps:
        """What it does, in order."""
        return _STEPS[self]

    @property
    def words(self) -> str:
        """Its name as a reader sees it, in every table and chart."""
        return _STEPS[self].words


_PAIRS, _CLASSES = "clip–class pairs", "classes"
_ALL, _INFORMATIVE = LeftOut.NOTHING, LeftOut.VACUOUS
_STEPS = {
    Aggregation.POOLED: AggregationSteps("pooled", "values", True, True, _ALL),
    Aggregation.MACRO_CLIPS: AggregationSteps("macro clips", _PAIRS, False, False, _ALL),
    Aggregation.MACRO_CLASSES: AggregationSteps("macro classes", _CLASSES, True, False, _ALL),
    Aggregation.MACRO_CLIPS_INFORMATIVE: AggregationSteps("macro clips, no ∅", _PAIRS, False, False, _INFORMATIVE),
    Aggregation.MACRO_CLASSES_INFORMATIVE: AggregationSteps("macro classes, no ∅", _CLASSES, True, False, _INFORMATIVE),
}
