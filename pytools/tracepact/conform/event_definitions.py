"""Chapters 4, 5, 9 and 10 as naive definitions: predicates by truth tables, a whole contract by loops."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import exp
from typing import Any

from tracepact.conform import definitions
from tracepact.conform.definitions import ClipCounts, Scored
from tracepact.conform.protocol import BadCase
from tracepact.data.events import Event
from tracepact.diagnostics.findings import Span
from tracepact.evaluate.reference import truth
from tracepact.language.contract import Aggregation, Contract, EventClause, FrameClause, Located
from tracepact.language.formula import And, Atom, Constant, Eventually, Formula, FrameRun, Iff, Implies, Not, Or
from tracepact.language.predicate import (
    Absolute,
    Attribute,
    ConstantTerm,
    Each,
    EventAtom,
    Flag,
    Maximum,
    Minimum,
    Owner,
    Relation,
    Scaled,
    Term,
    TermComparison,
    TermDifference,
    TermSum,
)

# Chapters 4, 9 and 10 as naive definitions: attributes by counting frames, predicates by their truth tables.

Pairs = Sequence[tuple[int, int]]

Value = tuple[int, Fraction]
"""A number x as (0, x); what is greater than every time (rule 4.9) as (1, 0)."""

UNBOUNDED: Value = (1, Fraction(0))


@dataclass(frozen=True, slots=True)
class DefinedScene:
    """The joined runs of one clip and class, of the references of each other class, and the ignored frames."""

    refs: Sequence[FrameRun]
    preds: Sequence[FrameRun]
    others: Sequence[Sequence[FrameRun]]
    ignored: frozenset[int]
    step: Fraction


@dataclass(frozen=True, slots=True)
class JudgedObligation:
    """An obligation with its verdict; violated, with the failing part and the sides of its comparison if it is one."""

    interval: FrameRun
    holds: bool
    span: Span | None = None
    sides: tuple[Value, Value, Value] | None = None


@dataclass(frozen=True, slots=True)
class _Obligation:
    ref: FrameRun | None
    pred: FrameRun | None
    scene: DefinedScene


def judge(clause: EventClause, scene: DefinedScene, pairs: Pairs) -> list[JudgedObligation]:
    """Every obligation of a clause, in order (rules 9.1, 9.2, 10.1, 10.4)."""
    atoms = dict(clause.event_atoms)
    found = []
    for ref, pred in _obligations(clause.each, scene, pairs):
        obligation = _Obligation(ref, pred, scene)
        interval = pred if clause.each is Each.PRED else ref
        assert interval is not None
        if _truth(clause.formula, atoms, obligation):
            found.append(JudgedObligation(interval, True))
        else:
            part = _interval_failing_part(clause.body, atoms, obligation)
            found.append(JudgedObligation(interval, False, part.span, _failed_sides(part.formula, atoms, obligation)))
    return found


def has_runs(scene: DefinedScene) -> bool:
    """Whether either side has a run that is not ignored (rule 7.4)."""
    return any(not _is_ignored(run, scene) for run in (*scene.refs, *scene.preds))


def _obligations(each: Each, scene: DefinedScene, pairs: Pairs) -> list[tuple[FrameRun | None, FrameRun | None]]:
    """References and predictions that are obliged, a missing partner as None."""
    refs, preds = scene.refs, scene.preds
    match each:
        case Each.REF:
            return [
                (ref, next((preds[b] for a, b in pairs if a == i), None))
                for i, ref in enumerate(refs)
                if not _is_ignored(ref, scene)
            ]
        case Each.PRED:
            return [
                (next((refs[a] for a, b in pairs if b == j), None), pred)
                for j, pred in enumerate(preds)
                if not _is_ignored(pred, scene)
            ]
        case Each.MATCHED:
            return [(refs[i], preds[j]) for i, j in pairs if not _is_ignored(refs[i], scene)]


def _frames(*runs: FrameRun) -> frozenset[int]:
    """The frames of some runs."""
    # Sets of frames, counted: slow, and nothing about the order or the overlap of runs has to be argued.
    return frozenset(frame for start, end in runs for frame in range(start, end))


def _is_ignored(run: FrameRun, scene: DefinedScene) -> bool:
    return _frames(run) <= scene.ignored


# Predicates


def _truth(formula: Formula, atoms: dict[str, EventAtom], obligation: _Obligation) -> bool:
    """Rule 4.1."""

    def of(part: Formula) -> bool:
        return _truth(part, atoms, obligation)

    match formula:
        case Constant(value):
            return value
        case Atom(name):
            return _atom(atoms[name], obligation)
        case Not(body):
            return not of(body)
        case And(a, b):
            return of(a) and of(b)
        case Or(a, b):
            return of(a) or of(b)
        case Implies(a, b):
            return of(b) or not of(a)
        case Iff(a, b):
            return of(a) is of(b)
    raise TypeError(f"a predicate has no {type(formula).__name__}")


def _atom(atom: EventAtom, obligation: _Obligation) -> bool:
    """A truth-valued attribute, or a comparison, which is false when an attribute in it is missing (rule 4.12)."""
    match atom:
        case Flag(attribute):
            return _flag(attribute.name, obligation)
        case TermComparison(relation, left, right, _):
            a, b = _term(left, obligation), _term(right, obligation)
            return a is not None and b is not None and _related(relation, a, b)


def _related(relation: Relation, a: Value, b: Value) -> bool:
    match relation:
        case Relation.LE:
            return a <= b
        case Relation.LT:
            return a < b
        case Relation.GE:
            return a >= b
        case Relation.GT:
            return a > b
        case Relation.EQ:
            return a == b
        case Relation.NE:
            return a != b


def _flag(name: str, obligation: _Obligation) -> bool:
    """Rules 4.6 and 4.10."""
    ref, pred, scene = obligation.ref, obligation.pred, obligation.scene
    if name == "matched":
        return ref is not None and pred is not None
    if pred is None:
        return False
    own = len(_frames(pred) & _frames(*scene.refs))
    return own > 0 and all(own > len(_frames(pred) & _frames(*other)) for other in scene.others)


def _term(term: Term, obligation: _Obligation) -> Value | None:
    """The value of a term in seconds or plain numbers (rule 4.2); None when an attribute in it is missing."""
    match term:
        case ConstantTerm(value, _):
            return 0, value
        case Attribute():
            return _attribute(term, obligation)
        case TermSum(a, b):
            parts = [_term(a, obligation), _term(b, obligation)]
        case TermDifference(a, b):
            parts = [_term(a, obligation), _term(Scaled(Fraction(-1), b), obligation)]
        case Scaled(_, body) | Absolute(body):
            parts = [_term(body, obligation)]
        case Minimum(arguments) | Maximum(arguments):
            parts = [_term(argument, obligation) for argument in arguments]
    # A missing part makes the whole term missing, whatever stands around it (rule 4.12).
    numbers = [part[1] for part in parts if part is not None]
    if len(numbers) < len(parts):
        return None
    match term:
        case TermSum() | TermDifference():
            return 0, sum(numbers, Fraction(0))
        case Scaled(factor, _):
            return 0, factor * numbers[0]
        case Absolute():
            return 0, max(numbers[0], -numbers[0])
        case Minimum():
            return 0, min(numbers)
        case Maximum():
            return 0, max(numbers)


def _attribute(attribute: Attribute, obligation: _Obligation) -> Value | None:
    """Rules 4.5 and 4.7 to 4.10."""
    ref, pred, scene = obligation.ref, obligation.pred, obligation.scene
    if attribute.owner is Owner.PAIR:
        if ref is None or pred is None:
            return None
        both, either = _frames(ref) & _frames(pred), _frames(ref) | _frames(pred)
        return 0, len(both) * scene.step if attribute.name == "overlap" else Fraction(len(both), len(either))
    run, others = (ref, scene.preds) if attribute.owner is Owner.REF else (pred, scene.refs)
    if run is None:
        return None
    overlapping = [other for other in others if _frames(run) & _frames(other)]
    gaps = [(later[0] - earlier[1]) * scene.step for earlier, later in pairwise(overlapping)]
    match attribute.name:
        case "onset":
            return 0, run[0] * scene.step
        case "offset":
            return 0, run[1] * scene.step
        case "duration":
            return 0, len(_frames(run)) * scene.step
        case "covering":
            return 0, Fraction(len(overlapping))
        case "coverage" | "purity":
            return 0, Fraction(len(_frames(run) & _frames(*others)), len(_frames(run)))
        case "longest_gap":
            return 0, max(gaps, default=Fraction(0))
        case "shortest_gap":
            return (0, min(gaps)) if gaps else UNBOUNDED
    raise ValueError(f"there is no attribute `{attribute.name}`")


# Witnesses


def _interval_failing_part(body: Located, atoms: dict[str, EventAtom], obligation: _Obligation) -> Located:
    """Rule 10.1."""
    match body.formula:
        case And(left, _):
            blamed = body.parts[1] if _truth(left, atoms, obligation) else body.parts[0]
            return _interval_failing_part(blamed, atoms, obligation)
        case Implies():
            return _interval_failing_part(body.parts[1], atoms, obligation)
    return body


def _failed_sides(
    part: Formula, atoms: dict[str, EventAtom], obligation: _Obligation
) -> tuple[Value, Value, Value] | None:
    """Both sides of a comparison that failed, and how far it is from holding (rule 10.4)."""
    if not isinstance(part, Atom):
        return None
    atom = atoms[part.name]
    if not isinstance(atom, TermComparison):
        return None
    a, b = _term(atom.left, obligation), _term(atom.right, obligation)
    if a is None or b is None:
        return None
    if a == b:
        return a, b, (0, Fraction(0))
    # From what is greater than every time no number of seconds leads to a bound.
    if UNBOUNDED in (a, b):
        return a, b, UNBOUNDED
    return a, b, (0, max(a[1] - b[1], b[1] - a[1]))


# A whole contract by the definitions: every clip and class by itself, every clause by loops (chapters 5 to 10).

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
    scene: DefinedScene
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

    def entries(self, clause: FrameClause | EventClause) -> list[list[ClipCounts]]:
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
                        # The only float of these definitions. It is compared by six digits and decides no verdict.
                        close.append(exp(-min(abs(frame - j) for j in there) / scale) if there else 0.0)
        return (sum(close) / len(close) if close else 1.0), len(close)

    def witnesses(self) -> Iterator[dict[str, Any]]:
        """Every violated obligation, clause by clause (chapter 10)."""
        for clause in self.contract.clauses:
            for place in self.places:
                where = {"clause": clause.name, "clip": place.clip, "class": place.label}
                found = _frame_witnesses(clause, place) if isinstance(clause, FrameClause) else _events(clause, place)
                yield from ({**where, **witness} for witness in found)


def _place(contract: Contract, clip: NaiveClip, label: str, classes: Sequence[str], union: bool, joins: _Made) -> Place:
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
        # Every class needs the runs of all others (rule 4.10): without remembering them a clip of many classes takes
        # quadratic time.
        key = events is clip.ref, of
        if key not in joins:
            joins[key] = definitions.joined(mask(events, lambda one: one == of), contract.merge_gap, step)
        return joins[key]

    masks: dict[str, list[bool]] = dict(clip.masks)
    for side, events in (("ref", clip.ref), ("pred", clip.pred)):
        active = mask(events, lambda one: one == label)
        masks |= {
            f"{side}_active": active,
            f"{side}_onset": definitions.onsets(active),
            f"{side}_offset": definitions.offsets(active),
            f"other_{side}_active": [False] * frames if union else mask(events, lambda one: one != label),
        }
    regions = [(e.onset, e.offset) for e in clip.ignore if list(classes) == ["*"] or e.label in ("", label)]
    # Ignored regions go by the centres of frames whatever the projection of events is (rule 5.9).
    centres = [(2 * i + 1) * step / 2 for i in range(frames)]
    ignored = [any(on <= centre < off for on, off in regions) for centre in centres]
    refs, preds = joined(clip.ref, label), joined(clip.pred, label)
    others = [joined(clip.ref, other) for other in classes if other != label]
    scene = DefinedScene(refs, preds, others, frozenset(_active(ignored)), step)
    return Place(
        clip.name, label, masks, ignored, scene, definitions.match(refs, preds, contract.matcher, contract.step)
    )


def _entry(clause: FrameClause | EventClause, place: Place) -> ClipCounts:
    if isinstance(clause, EventClause):
        judged = judge(clause, place.scene, place.pairs)
        return ClipCounts(sum(one.holds for one in judged), len(judged), has_runs(place.scene))
    due, holds = _obliged(clause, place), truth(clause.formula, place.masks, place.frames)
    return ClipCounts(sum(holds[i] for i in due), len(due))


def _obliged(clause: FrameClause, place: Place) -> list[int]:
    """The obligations of a frame clause (rule 7.1)."""
    due = truth(clause.obligation, place.masks, place.frames)
    return [i for i in range(place.frames) if due[i] and not place.ignored[i]]


def _frame_witnesses(clause: FrameClause, place: Place) -> Iterator[dict[str, Any]]:
    """Rules 10.1 and 10.2."""
    holds = truth(clause.formula, place.masks, place.frames)
    for i in _obliged(clause, place):
        if not holds[i]:
            span = _contract_failing_part(clause.body, place, i).span
            yield {"frame": i, "span": [span.start, span.end], "distance": _distance(clause, place, i)}


def _contract_failing_part(body: Located, place: Place, frame: int) -> Located:
    match body.formula:
        case And(left, _):
            first = truth(left, place.masks, place.frames)[frame]
            return _contract_failing_part(body.parts[1] if first else body.parts[0], place, frame)
        case Implies():
            return _contract_failing_part(body.parts[1], place, frame)
    return body


def _distance(clause: FrameClause, place: Place, i: int) -> int | str | None:
    """The distance of the nearest frame, `unbounded` if there is none, None for a clause without distances."""
    asked = clause.formula.right if isinstance(clause.formula, Implies) else clause.formula
    match asked:
        case Eventually(lo, hi, Atom(name)):
            offsets = [j - i for j in _active(place.masks[name])]
            # Nearest to the window first, then nearest to the frame, then the earlier one (rule 10.2).
            ranked = sorted((max(lo - k, k - hi, 0), abs(k), k) for k in offsets)
            return ranked[0][1] if ranked else "unbounded"
    return None


def _events(clause: EventClause, place: Place) -> Iterator[dict[str, Any]]:
    for one in judge(clause, place.scene, place.pairs):
        if not one.holds:
            yield _event_witness(one)


def _event_witness(one: JudgedObligation) -> dict[str, Any]:
    assert one.span is not None
    names = ("left", "right", "amount")
    sides = {name: _text(value) for name, value in zip(names, one.sides, strict=True)} if one.sides else None
    return {"interval": list(one.interval), "span": [one.span.start, one.span.end], "comparison": sides}


def _text(value: Value) -> str:
    return "unbounded" if value[0] else str(value[1])


def _active(mask: Sequence[bool]) -> list[int]:
    return [i for i, active in enumerate(mask) if active]
