"""Clauses in plain words, with what their windows come to on the grid, and what their bounds mean in written times."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import repeat
from math import ceil, floor
from typing import Annotated, Literal

from msgspec import Meta

from tracepact.declarations import dataclass
from tracepact.language import predicate
from tracepact.language.contract import (
    Aggregation,
    Contract,
    EventClause,
    FrameClause,
    Located,
    MatcherKind,
    Projection,
)
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Implies,
    Not,
    Since,
    Until,
    children,
    cost,
    depth,
    lookahead,
    lookback,
    operands,
    size,
    window,
    windows,
)
from tracepact.language.predicate import ATTRIBUTES, AttributeKind, Each, Owner, TermComparison, attributes
from tracepact.language.printer import connective_words, predicate_words
from tracepact.language.vocabulary import ATOM_WORDS
from tracepact.records import Count, Digest, Name, NotNegative, OneOf, Record
from tracepact.wording import count, print_number, time_text, written_time

# Clauses in plain words, with what their windows come to on the grid: the record and text of `explain`.

_ATOMS_NOT = {
    "ref_active": "the reference is silent",
    "ref_onset": "no reference event starts",
    "ref_offset": "no reference event has just ended",
    "pred_active": "the prediction is silent",
    "pred_onset": "no predicted event starts",
    "pred_offset": "no predicted event has just ended",
    "other_ref_active": "the reference of every other class is silent",
    "other_pred_active": "the prediction of every other class is silent",
}

AGGREGATED = {
    Aggregation.POOLED: "all counts are added, then divided",
    Aggregation.MACRO_CLIPS: "the mean over clips of the mean over classes",
    Aggregation.MACRO_CLASSES: "the mean over classes of each class's pooled score",
    Aggregation.MACRO_CLIPS_INFORMATIVE: "the mean over clips and classes that have obligations",
    Aggregation.MACRO_CLASSES_INFORMATIVE: "the mean over the classes that have obligations",
}
MATCHED = {
    MatcherKind.GREEDY: "the cheapest pair first",
    MatcherKind.OPTIMAL: "as many as possible at the least cost",
}
PROJECTED = {
    Projection.CENTRE: "a frame is active if its centre lies in an event",
    Projection.TOUCH: "a frame is active if an event touches it",
    Projection.INSIDE: "a frame is active if it lies inside an event",
}
_EVENT_NOTE = "judged when the match of its events is settled; the contract bounds neither delay nor memory"
_PARTNER_NOTE = "; without a partner a comparison with it is false"
_Written = Annotated[tuple[str, ...], Meta(description="What its bounds mean in written times (21.13).")]
_Words = Annotated[str, Meta(min_length=1, description="The clause in plain words.")]


class ClauseExplanation(OneOf):
    """A clause in words."""

    clause: str
    words: str


class FrameClauseExplanation(Record, ClauseExplanation, frozen=True):
    """A frame clause (3.10)."""

    clause: Name
    kind: Literal["frame"]
    words: _Words
    text: Annotated[str, Meta(min_length=1, description="Its formula as written.")]
    windows: Annotated[tuple[tuple[int, int], ...], Meta(description="The windows in frames, outermost first (2.6).")]
    written: _Written
    lookahead: Annotated[Count, Meta(description="Frames it looks ahead (6.7).")]
    lookback: Annotated[Count, Meta(description="Frames it looks back (6.7).")]
    depth: Annotated[Count, Meta(description="How deep its modalities nest.")]
    size: Annotated[int, Meta(ge=1, description="Nodes of the formula.")]
    cost: Annotated[Count, Meta(description="Passes over the trace that monitoring takes.")]


class AttributeExplanation(Record, frozen=True):
    """An attribute that a predicate mentions."""

    name: Annotated[str, Meta(pattern="^[a-z_]+$", description="Its name, without the interval it belongs to.")]
    unit: Annotated[str, Meta(min_length=1, description="What its values are given in.")]
    words: Annotated[str, Meta(min_length=1, description="What it is, in plain words.")]


class EventClauseExplanation(Record, ClauseExplanation, frozen=True):
    """An event clause (3.10)."""

    clause: Name
    kind: Literal["event"]
    words: _Words
    text: Annotated[str, Meta(min_length=1, description="Its predicate as written.")]
    attributes: Annotated[
        tuple[AttributeExplanation, ...],
        Meta(description="The attributes that the predicate mentions (4.5 to 4.10), each once."),
    ]
    written: _Written
    note: Annotated[str, Meta(min_length=1, description="When it can be judged.")]


class SettingExplanation(Record, frozen=True):
    """A setting of the contract that its scores depend on."""

    name: Annotated[str, Meta(pattern="^[a-z_]+$", description="The statement that sets it (3.4 to 3.8).")]
    value: Annotated[str, Meta(min_length=1, description="Its value, as it would be written.")]
    written: Annotated[bool, Meta(description="Whether the contract says so; else it is the default.")]
    words: Annotated[str, Meta(min_length=1, description="What it does, in plain words.")]


class Explanation(Record, frozen=True):
    """What `tracepact explain --format json` prints: each clause in plain words, with its windows on the grid.

    Numbers in parentheses are rules of language.md.
    """

    contract: Name
    title: Annotated[str | None, Meta(description="The contract's title, if it has one (3.1).")]
    digest: Annotated[Digest, Meta(description="The digest of the contract (11.3).")]
    step: Annotated[NotNegative, Meta(description="The length of a frame in seconds, exact (3.2).")]
    lookahead: Annotated[Count, Meta(description="The greatest lookahead of the frame clauses, in frames (6.7).")]
    settings: Annotated[
        tuple[SettingExplanation, ...], Meta(min_length=1, description="What the scores depend on beside the clauses.")
    ]
    clauses: Annotated[tuple[ClauseExplanation, ...], Meta(min_length=1, description="The clauses in source order.")]


def explain_contract(contract: Contract) -> Explanation:
    """What every clause means and needs."""
    clauses = tuple(explain_clause(clause, contract) for clause in contract.clauses)
    ahead = max((row.lookahead for row in clauses if isinstance(row, FrameClauseExplanation)), default=0)
    settings = tuple(_settings(contract))
    return Explanation(contract.name, contract.title, contract.digest, contract.step, ahead, settings, clauses)


def _settings(contract: Contract) -> Iterator[SettingExplanation]:
    """Every setting that the scores depend on, written or not; the matcher where some clause is about events."""
    matcher, gap = contract.matcher, contract.merge_gap
    means = f"clips and classes become one value: {AGGREGATED[contract.aggregation]}"
    settings = {"aggregate": (contract.aggregation.value, means)}
    if contract.event_clauses:
        search, reward = written_time(matcher.search), print_number(matcher.overlap_reward)
        settings["matcher"] = (
            f"{matcher.kind.value}(search = {search}, overlap_reward = {reward})",
            f"events that share a frame and have an edge within {time_text(matcher.search)} of the other's are paired "
            f"one to one, {MATCHED[matcher.kind]}",
        )
        joined = f"events at most {time_text(gap)} apart are judged as one" if gap else "no gap is closed"
        settings["merge_gap"] = (written_time(gap), joined)
    settings["projection"] = (contract.projection.value, PROJECTED[contract.projection])
    labels = "the classes are those of the data" if contract.labels is None else "these classes and no others"
    settings["labels"] = (" ".join(contract.labels or ("from the data",)), labels)
    settings["soft_scale"] = (
        written_time(contract.soft_scale),
        "the scale of the soft boundary score, which decides nothing",
    )
    for name, (value, meaning) in settings.items():
        yield SettingExplanation(name, value, name in contract.statements, meaning)


def explain_clause(clause: FrameClause | EventClause, contract: Contract) -> ClauseExplanation:
    """One clause in words, with its measures in frames."""
    text = contract.source.text[clause.body.span.start : clause.body.span.end]
    if isinstance(clause, EventClause):
        return EventClauseExplanation(
            clause=clause.name,
            kind="event",
            words=predicate_words(clause.each, clause.formula, dict(clause.event_atoms)) + _given(text, contract),
            text=text,
            attributes=tuple(AttributeExplanation(a.name, a.quantity.unit, a.words) for a in _mentioned(clause)),
            written=written_times(clause, contract),
            note=_EVENT_NOTE + (_PARTNER_NOTE if _asks_partner(clause) else ""),
        )
    both = (clause.obligation, clause.formula)
    return FrameClauseExplanation(
        clause=clause.name,
        kind="frame",
        words=f"at every frame where {words(clause.obligation, contract.step)}, {_duty(clause, contract.step)}",
        text=text,
        windows=tuple(window for f in both for window in windows(f)),
        written=written_times(clause, contract),
        lookahead=max(lookahead(f) for f in both),
        lookback=max(lookback(f) for f in both),
        depth=max(depth(f) for f in both),
        size=sum(size(f) for f in both),
        cost=sum(cost(f) for f in both),
    )


def _asks_partner(clause: EventClause) -> bool:
    """Whether a comparison asks about a partner that need not be there (rule 4.12)."""
    owner = {Each.REF: Owner.REF, Each.PRED: Owner.PRED}.get(clause.each)
    compared = (atom for _, atom in clause.event_atoms if isinstance(atom, TermComparison))
    return owner is not None and any(a.owner is not owner for atom in compared for a in attributes(atom))


def _mentioned(clause: EventClause) -> list[AttributeKind]:
    """The attributes that a predicate mentions, in the order of their rules."""
    names = {attribute.name for _, atom in clause.event_atoms for attribute in attributes(atom)}
    return [kind for name, kind in ATTRIBUTES.items() if name in names]


def _given(text: str, contract: Contract) -> str:
    """The values of the parameters a text mentions."""
    mentioned = set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text))
    values = [f"{p.name} = {p.text}" for p in contract.parameters if p.name in mentioned]
    return f" (with {', '.join(values)})" if values else ""


def _duty(clause: FrameClause, step: Fraction) -> str:
    """What must hold; an implication from what the obligation already says is told without repeating it."""
    match clause.formula:
        case Implies(left, right) if left in (clause.obligation, *operands(clause.obligation, And)):
            return f"it is required that {words(right, step)}"
        case formula:
            return f"it is required that {words(formula, step)}"


def words(formula: Formula, step: Fraction) -> str:
    """A formula as a clause of a sentence."""
    match formula:
        case Atom(name):
            return ATOM_WORDS.get(name, f"`{name}` holds")
        case Not(Atom(name)):
            return _ATOMS_NOT.get(name, f"`{name}` does not hold")
        case Not(Eventually(lo, hi, body)) if lo != hi and body != Constant(True):
            return f"{_grouped(body, step)} at no frame {_where(lo, hi, step)}"
        case Eventually(lo, hi, Constant(value=True)):
            return f"the clip has a frame {_where(lo, hi, step)}"
        case Eventually(lo, hi, Not(Atom(name))) if lo != hi and _is_negative(name):
            return f"at some frame {_where(lo, hi, step)}, {_ATOMS_NOT[name]}"
        case Eventually(lo, hi, body):
            return f"{_grouped(body, step)} {'' if hi in (lo, -lo) else 'at some frame '}{_where(lo, hi, step)}"
        case Always(lo, hi, Not(Atom(name))) if lo != hi and _is_negative(name):
            return f"{ATOM_WORDS[name]} at no frame {_where(lo, hi, step)}"
        case Always(lo, hi, body):
            return f"{_grouped(body, step)} {'' if lo == hi else 'at every frame '}{_where(lo, hi, step)}"
        case Until(radius, a, b):
            return f"{_grouped(b, step)} within the next {_span(radius, step)}, and {_grouped(a, step)} until then"
        case Since(radius, a, b):
            return f"{_grouped(b, step)} within the last {_span(radius, step)}, and {_grouped(a, step)} since then"
    return connective_words(formula, tuple(map(_grouped, children(formula), repeat(step))))


def _is_negative(name: str) -> bool:
    """Whether the words for the absence of an atom say `no …`, which `at every frame` would turn around."""
    return _ATOMS_NOT.get(name, "").startswith("no ")


def _grouped(formula: Formula, step: Fraction) -> str:
    text = words(formula, step)
    simple = isinstance(formula, Atom | Constant | Eventually | Always) or (
        isinstance(formula, Not) and isinstance(formula.body, Atom)
    )
    return text if simple else f"({text})"


def _where(lo: int, hi: int, step: Fraction) -> str:
    if lo == -hi:
        return f"within {_span(hi, step)} before or after" if hi else "here"
    if lo == hi:
        return f"exactly {_offset(lo, step)}"
    if lo == 0:
        return f"from now to {_span(hi, step)} ahead"
    if hi == 0:
        return f"from {_span(-lo, step)} back to now"
    return f"from {_offset(lo, step)} to {_offset(hi, step)}"


def _offset(frames: int, step: Fraction) -> str:
    if not frames:
        return "now"
    return f"{_span(abs(frames), step)} {'ahead' if frames > 0 else 'back'}"


def _span(frames: int, step: Fraction) -> str:
    return f"{count(frames, 'frame')} ({print_number(frames * step * 1000)} ms)"


# Windows: what lies k frames away on the grid was written more than k - 1 and less than k + 1 frames away.
#
# A projection rounds edges of one kind alike, by less than a frame (rule 5.3), so a distance of two changes by less
# than one frame. `centre` rounds onsets and offsets alike too.


def written_times(clause: FrameClause | EventClause, contract: Contract) -> tuple[str, ...]:
    """A sentence for each window and each bound of a time, in source order, each once."""
    if isinstance(clause, EventClause):
        sentences = [_bounded(clause, part, contract) for part in clause.body.everywhere()]
    else:
        parts = (*clause.duty.everywhere(), *clause.body.everywhere())
        sentences = [_reach(part, contract) for part in parts if part.bounds]
    return tuple(dict.fromkeys(sentence for sentence in sentences if sentence is not None))


def _reach(part: Located, contract: Contract) -> str | None:
    """How far a window reaches in written times; None where it asks for frames of the clip alone."""
    offsets, step = window(part.formula), contract.step
    if offsets is None or all(isinstance(body, Constant) for body in children(part.formula)):
        return None
    low, high = offsets
    name = " to ".join(f"`{bound.parameter or bound.text}`" for bound in part.bounds)
    alike = "" if contract.projection is Projection.CENTRE else ", between edges of one kind"
    if low == -high:
        on_grid, written = f"within {_time(high * step)}", f"up to just under {_time((high + 1) * step)}"
    else:
        on_grid = f"from {_time(low * step)} to {_time(high * step)}"
        written = f"from just over {_time((low - 1) * step)} to just under {_time((high + 1) * step)}"
    return f"{name}: {on_grid} on frames of {_time(step)}: {written} in written times{alike}"


# Predicates: a comparison of times is a bound of a sum of edges, each of which the projection moves.

_Edges = Mapping[tuple[predicate.Owner, str], Fraction]
"""How often each edge counts in a term, by the interval it belongs to and whether it is an onset or an offset."""


@dataclass(frozen=True, slots=True)
class _Moved:
    """By how many frames a projection moves an edge: from `least` to `most`, of which one is reached."""

    least: Fraction
    most: Fraction
    reaches_least: bool


_HALF = Fraction(1, 2)
_EARLIER, _LATER = _Moved(Fraction(-1), Fraction(0), False), _Moved(Fraction(0), Fraction(1), True)
_MOVED: Mapping[Projection, Mapping[str, _Moved]] = {
    Projection.CENTRE: dict.fromkeys(("onset", "offset"), _Moved(-_HALF, _HALF, True)),
    Projection.TOUCH: {"onset": _EARLIER, "offset": _LATER},
    Projection.INSIDE: {"onset": _LATER, "offset": _EARLIER},
}
"""⌈t/step − ½⌉ for `centre`; ⌊t/step⌋ and ⌈t/step⌉ for the others, minus t/step (rule 5.3)."""
_AT_MOST = (predicate.Relation.LE, predicate.Relation.LT)


def _bounded(clause: EventClause, part: Located, contract: Contract) -> str | None:
    """What a comparison of times with a constant bound means in written times; None for anything else."""
    atom = dict(clause.event_atoms).get(part.formula.name) if isinstance(part.formula, Atom) else None
    if not isinstance(atom, predicate.TermComparison) or atom.quantity is not predicate.TermType.TIME:
        return None
    if atom.relation in (predicate.Relation.EQ, predicate.Relation.NE):
        return None
    less, more = (atom.left, atom.right) if atom.relation in _AT_MOST else (atom.right, atom.left)
    is_absolute = isinstance(less, predicate.Absolute)
    edges, limit = _difference(less.body if isinstance(less, predicate.Absolute) else less, more)
    if not edges or (is_absolute and not _is_constant(more)) or any(n.denominator != 1 for n in edges.values()):
        return None
    step, is_strict = contract.step, atom.relation in (predicate.Relation.LT, predicate.Relation.GT)
    frames = ceil(limit / step) - 1 if is_strict else floor(limit / step)
    moved = _MOVED[contract.projection]
    beyond = _most_ahead(edges, moved)
    sign, kind, way = 1, "at most", "up to"
    if is_absolute:
        kind, beyond = "within", max(beyond, _most_ahead({edge: -n for edge, n in edges.items()}, moved))
        if frames < 0:
            return None
    elif edges[max(edges, key=_rank)] < 0:
        sign, kind, way = -1, "at least", "down to"
    ahead, is_reached = beyond
    just = "" if is_reached else "just under " if sign > 0 else "just over "
    text = " ".join(contract.source.text[part.span.start : part.span.end].split())
    return (
        f"`{text}`: {kind} {_time(sign * frames * step)} on frames of {_time(step)}: "
        f"{way} {just}{_time(sign * (frames + ahead) * step)} in written times"
    )


def _rank(edge: tuple[predicate.Owner, str]) -> tuple[bool, bool]:
    """The edge that a difference is told by: that of the prediction, and of two of one side the offset."""
    return edge[0] is predicate.Owner.PRED, edge[1] == "offset"


def _most_ahead(edges: _Edges, moved: Mapping[str, _Moved]) -> tuple[Fraction, bool]:
    """By how many frames the written sum exceeds that on the grid at most, and whether it reaches that."""
    total, is_reached = Fraction(0), True
    for (_, name), number in edges.items():
        by = moved[name]
        total -= number * (by.least if number > 0 else by.most)
        is_reached &= by.reaches_least == (number > 0)
    return total, is_reached


def _difference(left: predicate.Term, right: predicate.Term) -> tuple[_Edges, Fraction]:
    """`left <= right` as edges that are at most a number; no edges if a side is no sum of edges and constants."""
    one, other = _linear(left), _linear(right)
    if one is None or other is None:
        return {}, Fraction(0)
    edges = dict(one[0])
    for edge, number in other[0].items():
        edges[edge] = edges.get(edge, Fraction(0)) - number
    return {edge: number for edge, number in edges.items() if number}, other[1] - one[1]


def _is_constant(term: predicate.Term) -> bool:
    linear = _linear(term)
    return linear is not None and not linear[0]


def _time(seconds: Fraction) -> str:
    return f"{print_number(seconds * 1000)} ms"


def _linear(term: predicate.Term) -> tuple[_Edges, Fraction] | None:
    """A term as edges and a constant."""
    match term:
        case predicate.ConstantTerm(value):
            return {}, value
        case predicate.Attribute(owner, "onset" | "offset" as name):
            return {(owner, name): Fraction(1)}, Fraction(0)
        case predicate.Attribute(owner, "duration"):
            return {(owner, "offset"): Fraction(1), (owner, "onset"): Fraction(-1)}, Fraction(0)
        case predicate.Scaled(factor, body):
            inner = _linear(body)
            return inner and ({edge: factor * number for edge, number in inner[0].items()}, factor * inner[1])
        case predicate.TermSum(a, b) | predicate.TermDifference(a, b):
            sign = 1 if isinstance(term, predicate.TermSum) else -1
            first, second = _linear(a), _linear(b)
            if first is None or second is None:
                return None
            edges = dict(first[0])
            for edge, number in second[0].items():
                edges[edge] = edges.get(edge, Fraction(0)) + sign * number
            return edges, first[1] + sign * second[1]
    return None
