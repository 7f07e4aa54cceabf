"""Contracts, clauses, families and runs for the tests of events, built without the parser."""

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from tracepact.data.family import Family, Mode, Side
from tracepact.diagnostics.findings import Source, Span
from tracepact.language.contract import Aggregation, Contract, EventClause, Located, Matcher, MatcherKind, Projection
from tracepact.language.formula import And, Atom, Constant, Formula, FrameRun, Iff, Implies, Not, Or, children
from tracepact.language.predicate import (
    ATTRIBUTES,
    Absolute,
    Attribute,
    ConstantTerm,
    Each,
    EventAtom,
    Flag,
    Owner,
    Relation,
    Scaled,
    TermComparison,
    TermDifference,
    TermType,
)

STEP = Fraction(1, 50)
GREEDY = Matcher(MatcherKind.GREEDY)
OPTIMAL = Matcher(MatcherKind.OPTIMAL)


def attribute(owner: Owner, name: str) -> Attribute:
    """An attribute with the type it has."""
    return Attribute(owner, name, ATTRIBUTES[name].quantity)


def compare(left: Any, relation: str, right: Any, quantity: TermType = TermType.TIME) -> TermComparison:
    """A comparison; a bare number becomes a constant of the comparison's type."""

    def term(side: Any) -> Any:
        return ConstantTerm(Fraction(side), quantity) if isinstance(side, int | str | Fraction) else side

    return TermComparison(Relation(relation), term(left), term(right), quantity)


MATCHED = Flag(attribute(Owner.PAIR, "matched"))
DURATION = compare(
    Absolute(TermDifference(attribute(Owner.PRED, "duration"), attribute(Owner.REF, "duration"))),
    "<=",
    Scaled(Fraction(1, 4), attribute(Owner.REF, "duration")),
)


def covering_at_most(owner: Owner, count: int) -> TermComparison:
    """`covering <= count`."""
    return compare(attribute(owner, "covering"), "<=", count, TermType.COUNT)


def clause(name: str, each: Each, formula: Formula, **event_atoms: EventAtom) -> EventClause:
    """A clause whose n-th part, parents first, has the span [n, n + 1)."""
    counter = iter(range(1000))

    def locate(part: Formula) -> Located:
        number = next(counter)
        return Located(part, Span(number, number + 1), tuple(locate(p) for p in children(part)))

    return EventClause(name, each, locate(formula), tuple(event_atoms.items()), Span(0, 1))


def duration_guard() -> EventClause:
    """`each matched : abs(pred.duration - ref.duration) <= 0.25 * ref.duration`."""
    return clause("duration_guard", Each.MATCHED, Atom("a"), a=DURATION)


def fragmentation_guard() -> EventClause:
    """`each ref : matched and covering <= 1`."""
    body = And(Atom("a"), Atom("b"))
    return clause("fragmentation_guard", Each.REF, body, a=MATCHED, b=covering_at_most(Owner.REF, 1))


def contract(*clauses: EventClause, matcher: Matcher = GREEDY, merge_gap: Fraction = Fraction(0)) -> Contract:
    """A contract of event clauses on a 20 ms grid."""
    return Contract(
        name="test",
        title=None,
        step=STEP,
        clauses=clauses,
        merge_gap=merge_gap,
        projection=Projection.CENTRE,
        aggregation=Aggregation.POOLED,
        matcher=matcher,
        soft_scale=Fraction(1, 10),
        labels=None,
        declared_atoms=(),
        parameters=(),
        sweeps=(),
        profiles=(),
        text="",
        digest="",
        source=Source("test", ""),
    )


def family(
    *segments: tuple[list[FrameRun], list[FrameRun]],
    classes: int = 1,
    ignored: dict[int, tuple[FrameRun, ...]] | None = None,
    frames: int = 200,
) -> Family:
    """A family of (reference runs, predicted runs), the clips of the first class first."""
    clips = len(segments) // classes
    assert clips * classes == len(segments)
    return Family(
        STEP,
        Mode.CLASS_INDEXED,
        tuple(f"clip{i}" for i in range(clips)),
        (frames,) * clips,
        tuple(f"class{i}" for i in range(classes)),
        {
            Side.REF: {s: tuple(ref) for s, (ref, _) in enumerate(segments) if ref},
            Side.PRED: {s: tuple(pred) for s, (_, pred) in enumerate(segments) if pred},
        },
        ignored or {},
        {},
    )


@st.composite
def run_lists(draw: st.DrawFn, most: int = 6, longest: int = 12) -> tuple[FrameRun, ...]:
    """Sorted runs with at least one frame between two of them."""
    runs: list[FrameRun] = []
    at = -1
    for _ in range(draw(st.integers(0, most))):
        start = at + 1 + draw(st.integers(0, 5))
        at = start + draw(st.integers(1, longest))
        runs.append((start, at))
    return tuple(runs)


@st.composite
def matchers(draw: st.DrawFn) -> Matcher:
    """Matchers of either kind whose search is a whole or half number of frames."""
    frames = draw(st.integers(0, 24))
    reward = draw(st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(7, 2)]))
    return Matcher(draw(st.sampled_from(MatcherKind)), frames * STEP / 2, reward)


def predicates(names: list[str]) -> st.SearchStrategy[Formula]:
    """Propositional formulas over the given atoms."""
    leaves = st.sampled_from(names).map(Atom) | st.booleans().map(Constant)
    return st.recursive(
        leaves,
        lambda parts: st.one_of(parts.map(Not), *(st.builds(op, parts, parts) for op in (And, Or, Implies, Iff))),
        max_leaves=6,
    )
