"""A whole contract by the definitions: every clip and class by itself, every clause by loops (chapters 5 to 10)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Any

from tracepact.core import Aggregation, And, Atom, Contract, EventClause, Eventually, FrameClause, Implies, Located
from tracepact.monitor import truth
from tracepact.tools.conform import definitions
from tracepact.tools.conform.definitions import Entry, Scored
from tracepact.tools.conform.intervals import Judged, Pairs, Scene, Value, has_runs, judge
from tracepact.tools.conform.trees import BadCase
from tracepact.trace import Event

Events = Sequence[Event]
Masks = Mapping[str, list[bool]]
_Made = dict[tuple[bool, str], list[tuple[int, int]]]
"""The joined runs of a clip that are known already: whether of the references, and of which class."""


@dataclass(frozen=True, slots=True)
class NaiveClip:
    """One clip as it is given: its duration, the events of both sides, ignore regions, and the masks of its atoms."""

    name: str
    duration: Fraction
    ref: Events
    pred: Events
    ignore: Events
    masks: Masks


@dataclass(frozen=True, slots=True)
class Place:
    """One clip and class: its atoms, the frames that are ignored, its joined runs and their match."""

    clip: str
    label: str
    masks: Masks
    ignored: list[bool]
    scene: Scene
    pairs: Pairs

    @property
    def frames(self) -> int:
        """The frames of the clip."""
        return len(self.ignored)


class NaiveCard:
    """The scores of a contract on clips; classes in rows, clips in columns."""

    def __init__(self, contract: Contract, clips: Sequence[NaiveClip], classes: Sequence[str], *, union: bool) -> None:
        if len({clip.name for clip in clips}) < len(clips):
            raise BadCase("two clips have one name")
        self.contract = contract
        made: list[_Made] = [{} for _ in clips]
        self._rows = [
            [_place(contract, clip, label, classes, union, made[k]) for k, clip in enumerate(clips)]
            for label in classes
        ]

    @property
    def places(self) -> list[Place]:
        """Every clip and class, class by class."""
        return [place for row in self._rows for place in row]

    def entries(self, clause: FrameClause | EventClause) -> list[list[Entry]]:
        """The counts of a clause in every clip and class (rules 7.1, 9.1, 9.2)."""
        return [[_entry(clause, place) for place in row] for row in self._rows]

    def vector(self, aggregation: Aggregation | None = None) -> dict[str, Scored]:
        """Rule 7.7."""
        by = aggregation or self.contract.aggregation
        return {clause.name: definitions.aggregate(self.entries(clause), by) for clause in self.contract.clauses}

    def counts(self) -> dict[str, list[int]]:
        """The satisfied and obligated counts of every clause, added up."""
        found = {}
        for clause in self.contract.clauses:
            entries = [entry for row in self.entries(clause) for entry in row]
            found[clause.name] = [sum(e.satisfied for e in entries), sum(e.obligated for e in entries)]
        return found

    def profiles(self) -> dict[str, Fraction]:
        """Rule 7.8."""
        found = {}
        for profile in self.contract.profiles:
            vector = self.vector(profile.aggregation)
            total = sum((weight for _, weight in profile.weights), Fraction(0))
            found[profile.name] = sum((w * vector[name][0] for name, w in profile.weights), Fraction(0)) / total
        return found

    def soft(self) -> tuple[float, int]:
        """The mean closeness of all edges, and their number (rule 7.9)."""
        scale = float(self.contract.soft_scale / self.contract.step)
        close = []
        for place in self.places:
            for kind in ("onset", "offset"):
                for one, other in (("ref", "pred"), ("pred", "ref")):
                    there = _active(place.masks[f"{other}_{kind}"])
                    for frame in _active(place.masks[f"{one}_{kind}"]):
                        close.append(exp(-min(abs(frame - j) for j in there) / scale) if there else 0.0)
        return (sum(close) / len(close) if close else 1.0), len(close)

    def witnesses(self) -> Iterator[dict[str, Any]]:
        """Every violated obligation, clause by clause (chapter 10)."""
        for clause in self.contract.clauses:
            for place in self.places:
                where = {"clause": clause.name, "clip": place.clip, "class": place.label}
                found = _frame_witnesses(clause, place) if isinstance(clause, FrameClause) else _events(clause, place)
                yield from ({**where, **witness} for witness in found)


def _place(contract: Contract, clip: NaiveClip, label: str, classes: Sequence[str], union: bool, made: _Made) -> Place:
    """The atoms, runs and matches of one clip and class (rules 5.1 to 5.9, chapter 8)."""
    step = contract.step
    frames = definitions.frame_count(clip.duration, step)
    if any(len(mask) != frames for mask in clip.masks.values()):
        raise BadCase("at a value of a sweep a mask has another length than its clip")

    def mask(events: Events, wanted: Callable[[str], bool]) -> list[bool]:
        own = [(e.onset, e.offset) for e in events if union or wanted(e.label)]
        return [
            any(definitions.is_active(i, on, off, step, contract.projection) for on, off in own) for i in range(frames)
        ]

    def joined(events: Events, of: str) -> list[tuple[int, int]]:
        key = events is clip.ref, of
        if key not in made:
            made[key] = definitions.joined(mask(events, lambda own: own == of), contract.merge_gap, step)
        return made[key]

    masks: dict[str, list[bool]] = dict(clip.masks)
    for side, events in (("ref", clip.ref), ("pred", clip.pred)):
        active = mask(events, lambda own: own == label)
        masks |= {
            f"{side}_active": active,
            f"{side}_onset": definitions.onsets(active),
            f"{side}_offset": definitions.offsets(active),
            f"other_{side}_active": [False] * frames if union else mask(events, lambda own: own != label),
        }
    regions = [(e.onset, e.offset) for e in clip.ignore if list(classes) == ["*"] or e.label in ("", label)]
    centres = [(2 * i + 1) * step / 2 for i in range(frames)]
    ignored = [any(on <= centre < off for on, off in regions) for centre in centres]
    refs, preds = joined(clip.ref, label), joined(clip.pred, label)
    others = [joined(clip.ref, other) for other in classes if other != label]
    scene = Scene(refs, preds, others, frozenset(_active(ignored)), step)
    return Place(
        clip.name, label, masks, ignored, scene, definitions.match(refs, preds, contract.matcher, contract.step)
    )


def _entry(clause: FrameClause | EventClause, place: Place) -> Entry:
    if isinstance(clause, EventClause):
        judged = judge(clause, place.scene, place.pairs)
        return Entry(sum(one.holds for one in judged), len(judged), has_runs(place.scene))
    due, holds = _obliged(clause, place), truth(clause.formula, place.masks, place.frames)
    return Entry(sum(holds[i] for i in due), len(due))


def _obliged(clause: FrameClause, place: Place) -> list[int]:
    """The obligations of a frame clause (rule 7.1)."""
    due = truth(clause.obligation, place.masks, place.frames)
    return [i for i in range(place.frames) if due[i] and not place.ignored[i]]


def _frame_witnesses(clause: FrameClause, place: Place) -> Iterator[dict[str, Any]]:
    """Rules 10.1 and 10.2."""
    holds = truth(clause.formula, place.masks, place.frames)
    for i in _obliged(clause, place):
        if not holds[i]:
            span = _failing_part(clause.body, place, i).span
            yield {"frame": i, "span": [span.start, span.end], "distance": _distance(clause, place, i)}


def _failing_part(body: Located, place: Place, frame: int) -> Located:
    match body.formula:
        case And(left, _):
            first = truth(left, place.masks, place.frames)[frame]
            return _failing_part(body.parts[1] if first else body.parts[0], place, frame)
        case Implies():
            return _failing_part(body.parts[1], place, frame)
    return body


def _distance(clause: FrameClause, place: Place, i: int) -> int | str | None:
    """The distance of the nearest frame, `unbounded` if there is none, None for a clause without distances."""
    asked = clause.formula.right if isinstance(clause.formula, Implies) else clause.formula
    match asked:
        case Eventually(lo, hi, Atom(name)):
            offsets = [j - i for j in _active(place.masks[name])]
            ranked = sorted((max(lo - k, k - hi, 0), abs(k), k) for k in offsets)
            return ranked[0][1] if ranked else "unbounded"
    return None


def _events(clause: EventClause, place: Place) -> Iterator[dict[str, Any]]:
    for one in judge(clause, place.scene, place.pairs):
        if not one.holds:
            yield _event_witness(one)


def _event_witness(one: Judged) -> dict[str, Any]:
    assert one.span is not None
    names = ("left", "right", "amount")
    sides = {name: _text(value) for name, value in zip(names, one.sides, strict=True)} if one.sides else None
    return {"interval": list(one.interval), "span": [one.span.start, one.span.end], "comparison": sides}


def _text(value: Value) -> str:
    return "unbounded" if value[0] else str(value[1])


def _active(mask: Sequence[bool]) -> list[int]:
    return [i for i, active in enumerate(mask) if active]
