"""The grammar: no conflicts, precedence, reserved words, exact numbers and windows."""

from fractions import Fraction

import pytest
from lark import Lark

from tracepact.declarations import spec_path
from tracepact.diagnostics.collection import InvalidInput
from tracepact.language.compilation import parse_formula
from tracepact.language.formula import Always, And, Atom, Eventually, Formula, Iff, Implies, Not, Or, Since, Until
from tracepact.language.grammar import STATEMENTS, reserved_words, spellings
from tracepact.language.scope import outward

P, Q, R = Atom("p"), Atom("q"), Atom("r")
STEP = Fraction(1, 50)


def parse(text: str, step: Fraction = STEP) -> Formula:
    return parse_formula(text, step)


def test_the_grammar_is_lalr_without_conflicts() -> None:
    """`strict` turns every conflict of rules or terminals into an error, so every text has at most one tree."""
    text = spec_path("grammar.lark").read_text(encoding="utf-8")
    Lark(text, parser="lalr", lexer="basic", start=["contract", "statement", "formula"], strict=True)


def test_every_statement_starts_with_a_reserved_word_of_its_own() -> None:
    assert {spellings()[name] for name in STATEMENTS} < reserved_words()
    grammar = spec_path("grammar.lark").read_text(encoding="utf-8")
    rules = grammar.split("?statement:")[1].split("\n\n")[0].replace("|", " ").split()
    firsts = {rule: grammar.split(f"\n{rule}:")[1].split()[0] for rule in rules}
    assert set(firsts.values()) == STATEMENTS


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("p <-> q <-> r", Iff(Iff(P, Q), R)),
        ("p -> q -> r", Implies(P, Implies(Q, R))),
        ("p -> q <-> r", Iff(Implies(P, Q), R)),
        ("p | q & r", Or(P, And(Q, R))),
        ("p & q U[2f] r", And(P, Until(2, Q, R))),
        ("p U[1f] q S[2f] r", Until(1, P, Since(2, Q, R))),
        ("!p U[1f] q", Until(1, Not(P), Q)),
        ("N[1f] p & q", And(Eventually(-1, 1, P), Q)),
        ("F[1f] G[-1f,2f] p", Eventually(0, 1, Always(-1, 2, P))),
        ("G[1f] p", Always(0, 1, P)),
        ("!(p & q)", Not(And(P, Q))),
        ("(p -> q) -> r", Implies(Implies(P, Q), R)),
    ],
)
def test_precedence_and_associativity(text: str, formula: Formula) -> None:
    assert parse(text) == formula


def test_the_promised_formula_is_accepted_as_it_stands() -> None:
    assert parse("ref_onset -> N[0.04] pred_onset") == Implies(Atom("ref_onset"), Eventually(-2, 2, Atom("pred_onset")))


@pytest.mark.parametrize("word", ["Nearby", "F1", "Gate", "Until", "Since", "trueish", "nota", "_N", "N_"])
def test_an_operator_name_is_reserved_only_as_a_whole(word: str) -> None:
    assert parse(word) == Atom(word)


@pytest.mark.parametrize("word", ["N", "F", "G", "U", "S", "clause", "on", "each", "and", "true "])
def test_reserved_words_are_no_atoms(word: str) -> None:
    if word.strip() == "true":
        assert parse(word) != Atom("true")
        return
    with pytest.raises(InvalidInput):
        parse(word)


@pytest.mark.parametrize(
    ("window", "step", "expected"),
    [
        # least integer not less than r/step, by hand
        ("N[0.14]", "0.02", (-7, 7)),  # 7 exactly; floating point gives 8
        ("N[30ms]", "0.02", (-2, 2)),  # 1.5 -> 2
        ("N[40ms]", "0.02", (-2, 2)),
        ("N[1/3s]", "1/3", (-1, 1)),
        ("N[1]", "1/3", (-3, 3)),
        ("N[1.001]", "1/3", (-4, 4)),  # 3.003 -> 4
        ("N[3f]", "0.0232", (-3, 3)),
        ("N[2.5f]", "0.02", (-3, 3)),
        ("N[0]", "0.02", (0, 0)),
        ("F[50ms]", "0.02", (0, 3)),  # 2.5 -> 3
        # lower end down, upper end up
        ("F[-30ms,30ms]", "0.02", (-2, 2)),
        ("F[30ms,50ms]", "0.02", (1, 3)),  # 1.5 -> 1, 2.5 -> 3
        ("F[-50ms,-30ms]", "0.02", (-3, -1)),  # -2.5 -> -3, -1.5 -> -1
        ("F[-40ms,-40ms]", "0.02", (-2, -2)),
        ("F[10ms,10ms]", "0.02", (0, 1)),
    ],
)
def test_windows_become_frames_outward_and_exactly(window: str, step: str, expected: tuple[int, int]) -> None:
    formula = parse(f"{window} p", Fraction(step))
    assert isinstance(formula, Eventually)
    assert (formula.lo, formula.hi) == expected


@pytest.mark.parametrize("step", ["0.02", "0.01", "0.0232", "1/3"])
def test_every_tie_is_exact(step: str) -> None:
    """k·step is exactly k frames for all k up to 10,000, and the least bit more or less goes outward."""
    exact, bit = Fraction(step), Fraction(1, 10**9)
    for k in range(10_001):
        tie = k * exact
        assert outward(-tie, tie, exact) == (-k, k)
        assert outward(-tie - bit, tie + bit, exact) == (-k - 1, k + 1)
        assert outward(tie, tie, exact) == (k, k)
        if k:
            assert outward(bit - tie, tie - bit, exact) == (-k, k)
            assert outward(tie - bit, tie + bit, exact) == (k - 1, k + 1)
        if k % 500 == 0:
            assert parse(f"N[{tie.numerator}/{tie.denominator}s] p", exact) == Eventually(-k, k, P)


@pytest.mark.parametrize(
    ("text", "code", "marked"),
    [
        ("F[50ms,40ms] p", "empty-window", "50ms,40ms"),
        ("F[1f,10ms] p", "empty-window", "1f,10ms"),  # 20 ms > 10 ms, though both round to one frame
        ("N[-1f] p", "negative-radius", "-1f"),
        ("p U[-20ms] q", "negative-radius", "-20ms"),
        ("N[40mss] p", "bad-quantity", "40mss"),
        ("N[1.] p", "bad-quantity", "1."),
        ("N[1e3] p", "bad-quantity", "1e3"),
        ("N[1/0s] p", "bad-quantity", "1/0s"),
        ("N[tol] p", "unknown-parameter", "tol"),
        ("p q", "syntax", "q"),
        ("p &", "syntax", "&"),
        ("(p", "syntax", "p"),
        ("N p", "syntax", "p"),
        ("p @ q", "bad-character", "@"),
        ("", "syntax", ""),
    ],
)
def test_a_faulty_formula_is_reported_with_its_place(text: str, code: str, marked: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(text)
    (finding,) = caught.value.diagnostics
    assert finding.code == code
    span = finding.place.span  # type: ignore[union-attr]  # formulas have text places
    assert text[span.start : span.end] == marked


@pytest.mark.parametrize("text", ["(" * 10_000 + "p" + ")" * 10_000, "!" * 10_000 + "p", "N[1f]" * 10_000 + "p"])
def test_nesting_without_end_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(text)
    assert [d.code for d in caught.value.diagnostics] == ["too-deep"]


def test_two_hundred_levels_are_read() -> None:
    formula = parse("!" * 200 + "p")
    for _ in range(200):
        assert isinstance(formula, Not)
        formula = formula.body
    assert formula == P
