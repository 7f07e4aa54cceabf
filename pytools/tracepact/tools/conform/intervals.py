"""Chapters 4, 9 and 10 as naive definitions: attributes by counting frames, predicates by their truth tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from tracepact.core import (
    And,
    Atom,
    Attribute,
    Comparison,
    Constant,
    Each,
    EventAtom,
    EventClause,
    Flag,
    Formula,
    Iff,
    Implies,
    Located,
    Not,
    Or,
    Owner,
    Relation,
)
from tracepact.core.predicate import Absolute, Difference, Maximum, Minimum, Number, Scaled, Sum, Term
from tracepact.diagnostics import Span
from tracepact.trace import FrameRun

Pairs = Sequence[tuple[int, int]]

Value = tuple[int, Fraction]
"""A number x as (0, x); what is greater than every time (rule 4.9) as (1, 0)."""

UNBOUNDED: Value = (1, Fraction(0))


@dataclass(frozen=True, slots=True)
class Scene:
    """The joined runs of one clip and class, of the references of each other class, and the ignored frames."""

    refs: Sequence[FrameRun]
    preds: Sequence[FrameRun]
    others: Sequence[Sequence[FrameRun]]
    ignored: frozenset[int]
    step: Fraction


@dataclass(frozen=True, slots=True)
class Judged:
    """An obligation with its verdict; violated, with the failing part and the sides of its comparison if it is one."""

    interval: FrameRun
    holds: bool
    span: Span | None = None
    sides: tuple[Value, Value, Value] | None = None


@dataclass(frozen=True, slots=True)
class _Obligation:
    ref: FrameRun | None
    pred: FrameRun | None
    scene: Scene


def judge(clause: EventClause, scene: Scene, pairs: Pairs) -> list[Judged]:
    """Every obligation of a clause, in order (rules 9.1, 9.2, 10.1, 10.4)."""
    atoms = dict(clause.event_atoms)
    found = []
    for ref, pred in _obligations(clause.each, scene, pairs):
        obligation = _Obligation(ref, pred, scene)
        interval = pred if clause.each is Each.PRED else ref
        assert interval is not None
        if _truth(clause.formula, atoms, obligation):
            found.append(Judged(interval, True))
        else:
            part = _failing_part(clause.body, atoms, obligation)
            found.append(Judged(interval, False, part.span, _failed_sides(part.formula, atoms, obligation)))
    return found


def has_runs(scene: Scene) -> bool:
    """Whether either side has a run that is not ignored (rule 7.4)."""
    return any(not _is_ignored(run, scene) for run in (*scene.refs, *scene.preds))


def _obligations(each: Each, scene: Scene, pairs: Pairs) -> list[tuple[FrameRun | None, FrameRun | None]]:
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
    return frozenset(frame for start, end in runs for frame in range(start, end))


def _is_ignored(run: FrameRun, scene: Scene) -> bool:
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
        case Comparison(relation, left, right, _):
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
        case Number(value, _):
            return 0, value
        case Attribute():
            return _attribute(term, obligation)
        case Sum(a, b):
            parts = [_term(a, obligation), _term(b, obligation)]
        case Difference(a, b):
            parts = [_term(a, obligation), _term(Scaled(Fraction(-1), b), obligation)]
        case Scaled(_, body) | Absolute(body):
            parts = [_term(body, obligation)]
        case Minimum(arguments) | Maximum(arguments):
            parts = [_term(argument, obligation) for argument in arguments]
    numbers = [part[1] for part in parts if part is not None]
    if len(numbers) < len(parts):
        return None
    match term:
        case Sum() | Difference():
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


def _failing_part(body: Located, atoms: dict[str, EventAtom], obligation: _Obligation) -> Located:
    """Rule 10.1."""
    match body.formula:
        case And(left, _):
            blamed = body.parts[1] if _truth(left, atoms, obligation) else body.parts[0]
            return _failing_part(blamed, atoms, obligation)
        case Implies():
            return _failing_part(body.parts[1], atoms, obligation)
    return body


def _failed_sides(
    part: Formula, atoms: dict[str, EventAtom], obligation: _Obligation
) -> tuple[Value, Value, Value] | None:
    """Both sides of a comparison that failed, and how far it is from holding (rule 10.4)."""
    if not isinstance(part, Atom):
        return None
    atom = atoms[part.name]
    if not isinstance(atom, Comparison):
        return None
    a, b = _term(atom.left, obligation), _term(atom.right, obligation)
    if a is None or b is None:
        return None
    if a == b:
        return a, b, (0, Fraction(0))
    if UNBOUNDED in (a, b):
        return a, b, UNBOUNDED
    return a, b, (0, max(a[1] - b[1], b[1] - a[1]))
