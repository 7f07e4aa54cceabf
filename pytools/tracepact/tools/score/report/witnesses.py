"""Which violated obligations a report shows, worst first, and how one is described."""

from fractions import Fraction
from typing import Any

import numpy as np

from tracepact.core import Contract, EventClause, FrameClause, Quantity
from tracepact.diagnostics import Span
from tracepact.events import EventViolation, FailedComparison, Unbounded, Value
from tracepact.scoring import NO_WITNESS, FrameViolations, Scorecard
from tracepact.wording import short

SHOWN = 5
Data = dict[str, Any]


def shown_witnesses(card: Scorecard, clause: FrameClause | EventClause, most: int = SHOWN) -> Data:
    """The worst witnesses of a clause and how many there are in all."""
    if isinstance(clause, EventClause):
        found = card.event_clause(clause.name)
        worst = sorted(found.violations, key=_event_badness)[:most]
        return {
            "clause": clause.name,
            "total": len(found.violated),
            "shown": [event_witness_data(card, witness) for witness in worst],
        }
    witnesses = card.frame_violations(clause.name)
    return {
        "clause": clause.name,
        "total": len(witnesses),
        "shown": [frame_witness_data(card, witnesses, int(i)) for i in _worst_frames(witnesses, most)],
    }


def all_witnesses(card: Scorecard, clause: str) -> list[Data]:
    """Every violated obligation of a clause, in order of segment and time."""
    if any(clause == found.name for found in card.contract.event_clauses):
        return [event_witness_data(card, witness) for witness in card.event_clause(clause).violations]
    found = card.frame_violations(clause)
    return [frame_witness_data(card, found, index) for index in range(len(found))]


def _worst_frames(witnesses: FrameViolations, most: int) -> list[int]:
    """The farthest from holding, but one from each stretch of neighbouring frames, so that a clip shows once."""
    if not len(witnesses):
        return []
    new_stretch = np.ones(len(witnesses), dtype=np.bool_)
    new_stretch[1:] = (np.diff(witnesses.frame) != 1) | (np.diff(witnesses.segment) != 0)
    stretch = np.cumsum(new_stretch) - 1
    badness = witnesses.distances if witnesses.offset is not None else np.zeros(len(witnesses), dtype=np.int64)
    order = np.lexsort((np.arange(len(badness)), -badness))
    _, first = np.unique(stretch[order], return_index=True)
    return [int(i) for i in order[np.sort(first)][:most]]


def _event_badness(witness: EventViolation) -> tuple[bool, float]:
    """Missing partners first, then the largest shortfall."""
    if witness.comparison is None:
        return False, 0.0
    amount = witness.comparison.amount
    return True, float("-inf") if isinstance(amount, Unbounded) else -float(amount)


def frame_witness_data(card: Scorecard, witnesses: FrameViolations, index: int) -> Data:
    """One violated frame."""
    clip, label = card.family.place(int(witnesses.segment[index]))
    frame = int(witnesses.frame[index])
    data = {
        "clip": clip,
        "class": label,
        "frame": frame,
        "time": str(frame * card.family.step),
        "part": part_data(card.contract, witnesses.spans[int(witnesses.span[index])]),
        "distance": None,
    }
    if witnesses.offset is not None:
        offset = int(witnesses.offset[index])
        data["distance"] = (
            "unbounded"
            if offset == NO_WITNESS
            else {"offset": offset, "frames": abs(offset), "seconds": str(abs(offset) * card.family.step)}
        )
    return data


def event_witness_data(card: Scorecard, witness: EventViolation) -> Data:
    """One violated interval."""
    clip, label = card.family.place(witness.segment)
    step = card.family.step
    return {
        "clip": clip,
        "class": label,
        "interval": [str(edge * step) for edge in witness.interval],
        "partner": [str(edge * step) for edge in witness.partner] if witness.partner else None,
        "part": part_data(card.contract, witness.span),
        "comparison": comparison_data(witness.comparison),
    }


def describe(data: Data) -> str:
    """How far a shown witness is from holding, in words."""
    if "interval" in data:
        comparison = data["comparison"]
        if comparison is None:
            return "no partner" if data["partner"] is None else "does not hold"
        unit = " s" if comparison["quantity"] == Quantity.TIME.value else ""
        return f"{_decimal(comparison['left'])}{unit} against {_decimal(comparison['right'])}{unit}"
    distance = data["distance"]
    if distance is None:
        return "does not hold"
    if distance == "unbounded":
        return "no witness in the clip"
    side = "later" if distance["offset"] > 0 else "earlier"
    return f"nearest {_decimal(distance['seconds'])} s {side}"


def part_data(contract: Contract, span: Span) -> Data:
    """The part of a contract that failed."""
    return {"span": [span.start, span.end], "text": contract.source.text[span.start : span.end]}


def comparison_data(found: FailedComparison | None) -> Data | None:
    """The sides of a comparison that failed."""
    if found is None:
        return None
    return {
        "quantity": found.quantity.value,
        "left": _amount(found.left),
        "right": _amount(found.right),
        "amount": _amount(found.amount),
    }


def _amount(value: Value) -> str:
    return "unbounded" if isinstance(value, Unbounded) else str(Fraction(value))


def _decimal(text: str) -> str:
    return text if text == "unbounded" else short(text)
