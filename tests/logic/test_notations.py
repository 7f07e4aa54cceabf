"""Formulas in other notations mean what their definitions say, compared with those on every short trace."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

from tracepact.diagnostics.collection import InvalidInput
from tracepact.evaluate.reference import truth
from tracepact.language.formula import And, Atom, Iff, Implies, Not, Or
from tracepact.logic.catalogue import Universe
from tracepact.logic.simplify import NOTATIONS, Notation, read_notation

Trace = list[dict[str, bool]]
Tree = tuple[object, ...]


def trees(notation: Notation) -> st.SearchStrategy[Tree]:
    window = st.tuples(st.integers(0, 2), st.integers(0, 2)).map(lambda pair: (min(pair), max(pair)))
    unary, binary = (("F", "G", "O", "H"), ("U", "R", "S", "T")) if notation == "mltl" else (("F", "G"), ("U", "R"))

    def grow(parts: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        more = [st.tuples(st.sampled_from(["X", "WX"]), parts)] if notation == "ltlf" else []
        return st.one_of(
            st.tuples(st.just("!"), parts),
            st.tuples(st.sampled_from(["&&", "||", "->", "<->", "xor"]), parts, parts),
            st.tuples(st.sampled_from(unary), window, parts),
            st.tuples(st.sampled_from(binary), window, parts, parts),
            *more,
        )

    return st.recursive(st.sampled_from([("p",), ("q",)]), grow, max_leaves=4)


def text(tree: Tree) -> str:
    match tree:
        case (str(name),):
            return name
        case (str(sign), tuple(a)) if sign in ("!", "X", "WX"):
            return f"{sign} ({text(a)})"
        case (str(sign), (int(low), int(high)), tuple(a)):
            return f"{sign}[{low},{high}] ({text(a)})"
        case (str(sign), (int(low), int(high)), tuple(a), tuple(b)):
            return f"({text(a)}) {sign}[{low},{high}] ({text(b)})"
        case (str(sign), tuple(a), tuple(b)):
            return f"({text(a)}) {sign} ({text(b)})"
    raise AssertionError(tree)


def holds(tree: Tree, trace: Trace, i: int, notation: Notation) -> bool:
    """The definitions, written out: an index outside the trace satisfies nothing."""
    n = len(trace)

    def of(part: Tree, j: int) -> bool:
        return holds(part, trace, j, notation)

    match tree:
        case (str(name),):
            return trace[i][name]
        case ("!", tuple(a)):
            return not of(a, i)
        case ("X", tuple(a)):
            return i + 1 < n and of(a, i + 1)
        case ("WX", tuple(a)):
            return i + 1 >= n or of(a, i + 1)
        case (str(sign), (int(low), int(high)), tuple(a)):
            sense = -1 if sign in "OH" else 1
            seen = [of(a, i + sense * k) for k in range(low, high + 1) if 0 <= i + sense * k < n]
            return any(seen) if sign in "FO" else all(seen)
        case (str(sign), (int(low), int(high)), tuple(a), tuple(b)):
            sense, positive = (-1 if sign in "ST" else 1), sign in "US"
            start = low if notation == "mltl" else 0
            for k in range(low, high + 1):
                j = i + sense * k
                if 0 <= j < n and of(b, j) is positive:
                    before = [i + sense * m for m in range(start, k)]
                    if all(of(a, m) is positive for m in before):
                        return positive
            return not positive
        case (str(sign), tuple(a), tuple(b)):
            left, right = of(a, i), of(b, i)
            return {"&&": left and right, "||": left or right, "->": not left or right}.get(
                sign, (left == right) is (sign == "<->")
            )
    raise AssertionError(tree)


@pytest.mark.parametrize("notation", NOTATIONS)
@given(data=st.data())
@settings(max_examples=sized(120))
def test_a_formula_is_true_where_its_definition_says(notation: Notation, data: st.DataObject) -> None:
    tree = data.draw(trees(notation))
    formula = read_notation(text(tree), notation)
    universe = Universe(("p", "q"), data.draw(st.integers(1, 5)))
    environment = universe.environment(data.draw(st.integers(0, universe.size - 1)))
    trace = [{name: row[i] for name, row in environment.items()} for i in range(universe.frames)]
    judged = truth(formula, environment, universe.frames)
    assert judged == [holds(tree, trace, i, notation) for i in range(universe.frames)]


P, Q, R = Atom("p"), Atom("q"), Atom("r")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("p && q || r;", Or(And(P, Q), R)),
        ("p | q & r", Or(P, And(Q, R))),
        ("p -> q -> r", Implies(P, Implies(Q, R))),
        ("!p <-> q || r", Iff(Not(P), Or(Q, R))),
        ("p & q | p ^ r", Or(And(P, Q), Not(Iff(P, R)))),
    ],
)
def test_operators_bind_as_said(written: str, meant: object) -> None:
    assert read_notation(written, "mltl") == meant


def test_modalities_bind_more_than_connectives() -> None:
    assert read_notation("G[0,2] p && q", "mltl") == And(read_notation("G[2] p", "mltl"), Q)
    assert read_notation("p U[1:3] q && r", "mltl") == And(read_notation("p U[1..3] q", "mltl"), R)


@pytest.mark.parametrize(
    ("written", "notation", "headline", "span"),
    [
        ("G p", "mltl", "`G` has no bounds", (2, 3)),
        ("p U q", "ltlf", "`U` has no bounds", (4, 5)),
        ("F[5,2] p", "mltl", "the bounds of `F` are reversed", (1, 6)),
        ("p && ", "mltl", "the formula ends where one is expected", (5, 5)),
        ("(p", "mltl", "a parenthesis is not closed", (2, 2)),
        ("p q", "ltlf", "`q` does not continue the formula", (2, 3)),
        ("p @ q", "mltl", "`@` starts nothing of this notation", (2, 3)),
        ("", "mltl", "the formula ends where one is expected", (0, 0)),
        ("(" * 300 + "p", "mltl", "operators and parentheses nest more than 200 levels deep", (200, 201)),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(
    written: str, notation: Notation, headline: str, span: tuple[int, int]
) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_notation(written, notation)
    (found,) = caught.value.diagnostics
    assert found.headline == headline
    assert (found.place.span.start, found.place.span.end) == span  # type: ignore[union-attr]
