"""Events with confidences: a threshold keeps those whose confidence is greater (rule 20.13)."""

from dataclasses import dataclass

import numpy as np

from tracepact.diagnostics import Diagnostics
from tracepact.thresholds.steps import Whole
from tracepact.trace import EventTable, ScoreLevels
from tracepact.wording import print_number, seconds


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """The events of a table, each with a confidence from 0 to 1.

    Attributes:
        table: the events.
        levels: the distinct confidences.
        ranks: the rank of the confidence of each event, in the table's order.
    """

    table: EventTable
    levels: ScoreLevels
    ranks: Whole

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.table.name

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels that occur."""
        return tuple(sorted(self.table.labels))


def detections_of(table: EventTable, diagnostics: Diagnostics) -> Detections:
    """The events of a table with the ranks of their confidences; one without a confidence from 0 to 1 is reported."""
    values = []
    for clip, event in table.events:
        confidence = event.confidence
        if confidence is not None and 0 <= confidence <= 1:
            values.append(confidence)
            continue
        fault = "no confidence" if confidence is None else f"the confidence {print_number(confidence)}"
        headline = f"`{event.label}` at {seconds(event.onset)} in `{clip}` has {fault}"
        help = "thresholds are for events with a confidence from 0 to 1, or for scores of frames"
        diagnostics.add("bad-score", headline, table.place(clip, event.row), help)
    diagnostics.raise_errors()
    distinct = sorted(set(values))
    levels = ScoreLevels(np.array(list(map(float, distinct))), dict(enumerate(map(print_number, distinct))))
    rank = {value: place for place, value in enumerate(distinct)}
    return Detections(table, levels, np.array([rank[value] for value in values], dtype=np.int64))
