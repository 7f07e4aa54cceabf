"""Clauses in plain words, with what their windows come to on the grid: the record and text of `explain`."""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Literal

from msgspec import Meta

from tracepact.core import (
    ATTRIBUTES,
    Aggregation,
    Always,
    And,
    Atom,
    AttributeKind,
    Comparison,
    Constant,
    Contract,
    Each,
    EventClause,
    Eventually,
    Formula,
    FrameClause,
    Iff,
    Implies,
    MatcherKind,
    Not,
    Or,
    Owner,
    Projection,
    Since,
    Until,
    attributes,
    cost,
    depth,
    lookahead,
    lookback,
    size,
)
from tracepact.lang.predicate_words import predicate_words
from tracepact.records import Count, Digest, Name, NotNegative, OneOf, Record
from tracepact.wording import count, print_number, time_text

ATOM_WORDS = {
    "ref_active": "the reference is active",
    "ref_onset": "a reference event starts",
    "ref_offset": "a reference event has just ended",
    "pred_active": "the prediction is active",
    "pred_onset": "a predicted event starts",
    "pred_offset": "a predicted event has just ended",
    "other_ref_active": "the reference of another class is active",
    "other_pred_active": "the prediction of another class is active",
}
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
    Aggregation.MACRO_CLIPS_INFORMATIVE: "the mean over clips and classes that are asked something",
    Aggregation.MACRO_CLASSES_INFORMATIVE: "the mean over the classes that are asked something",
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
    found = {"aggregate": (contract.aggregation.value, means)}
    if contract.event_clauses:
        search, reward = time_text(matcher.search).replace(" ", ""), print_number(matcher.overlap_reward)
        found["matcher"] = (
            f"{matcher.kind.value}(search = {search}, overlap_reward = {reward})",
            f"events that share a frame and have an edge within {time_text(matcher.search)} of the other's are paired "
            f"one to one, {MATCHED[matcher.kind]}",
        )
        joined = f"events at most {time_text(gap)} apart are judged as one" if gap else "no gap is closed"
        found["merge_gap"] = (time_text(gap).replace(" ", ""), joined)
    found["projection"] = (contract.projection.value, PROJECTED[contract.projection])
    labels = "the classes are those of the data" if contract.labels is None else "these classes and no others"
    found["labels"] = (" ".join(contract.labels or ("from the data",)), labels)
    found["soft_scale"] = (
        time_text(contract.soft_scale).replace(" ", ""),
        "the scale of the soft boundary score, which decides nothing",
    )
    for name, (value, meaning) in found.items():
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
            note=_EVENT_NOTE + (_PARTNER_NOTE if _asks_partner(clause) else ""),
        )
    both = (clause.obligation, clause.formula)
    return FrameClauseExplanation(
        clause=clause.name,
        kind="frame",
        words=f"at every frame where {words(clause.obligation, contract.step)}, {_duty(clause, contract.step)}",
        text=text,
        windows=tuple(window for f in both for window in windows(f)),
        lookahead=max(lookahead(f) for f in both),
        lookback=max(lookback(f) for f in both),
        depth=max(depth(f) for f in both),
        size=sum(size(f) for f in both),
        cost=sum(cost(f) for f in both),
    )


def _asks_partner(clause: EventClause) -> bool:
    """Whether a comparison asks about a partner that need not be there (rule 4.12)."""
    own = {Each.REF: Owner.REF, Each.PRED: Owner.PRED}.get(clause.each)
    compared = (atom for _, atom in clause.event_atoms if isinstance(atom, Comparison))
    return own is not None and any(a.owner is not own for atom in compared for a in attributes(atom))


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
        case Implies(left, right) if left in _conjuncts(clause.obligation):
            return f"it is required that {words(right, step)}"
        case formula:
            return f"it is required that {words(formula, step)}"


def _conjuncts(formula: Formula) -> list[Formula]:
    """The formula and all it is the conjunction of."""
    match formula:
        case And(a, b):
            return [formula, *_conjuncts(a), *_conjuncts(b)]
        case _:
            return [formula]


def windows(formula: Formula) -> list[tuple[int, int]]:
    """The windows of a formula in frames, outermost first."""
    match formula:
        case Atom() | Constant():
            return []
        case Not(body):
            return windows(body)
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return windows(a) + windows(b)
        case Eventually(lo, hi, body) | Always(lo, hi, body):
            return [(lo, hi), *windows(body)]
        case Until(radius, a, b):
            return [(0, radius), *windows(a), *windows(b)]
        case Since(radius, a, b):
            return [(-radius, 0), *windows(a), *windows(b)]


def words(formula: Formula, step: Fraction) -> str:
    """A formula as a clause of a sentence."""
    match formula:
        case Atom(name):
            return ATOM_WORDS.get(name, f"`{name}` holds")
        case Constant(value):
            return "anything holds" if value else "nothing holds (never)"
        case Not(Atom(name)):
            return _ATOMS_NOT.get(name, f"`{name}` does not hold")
        case Not(Eventually(lo, hi, body)) if lo != hi and body != Constant(True):
            return f"{_grouped(body, step)} at no frame {_where(lo, hi, step)}"
        case Not(body):
            return f"it is not so that {_grouped(body, step)}"
        case And(a, b):
            return f"{_grouped(a, step)} and {_grouped(b, step)}"
        case Or(a, b):
            return f"{_grouped(a, step)} or {_grouped(b, step)}"
        case Implies(a, b):
            return f"if {_grouped(a, step)} then {_grouped(b, step)}"
        case Iff(a, b):
            return f"{_grouped(a, step)} exactly when {_grouped(b, step)}"
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
