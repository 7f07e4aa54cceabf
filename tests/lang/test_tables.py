"""The stored tables are those of the grammar, and the parser that runs them is the parser that Lark makes of it."""

import json
import runpy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from lark import Lark, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from strategies import written_formulas, written_predicates

import tracepact
from tracepact.lang import grammar
from tracepact.lang import syntax as s
from tracepact.lang.lalr import END, Parsing, Rule, Token, UnexpectedCharacterError, UnexpectedTokenError
from tracepact.lang.printer import print_expression
from tracepact.specs import spec_path, starter_contracts

STARTS = ("statement", "formula")


@cache
def lark() -> Lark:
    text = spec_path("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="basic", start=list(STARTS), maybe_placeholders=True)


@cache
def rules() -> list[Rule]:
    """The rules with a builder that keeps names and parts."""

    def build(name: str) -> Callable[..., Any]:
        return lambda *parts: (name, parts)

    return [Rule(o, build(name) if name else None, n, kept) for o, name, n, kept in grammar.tables()["rules"]]


def shape(tree: Any) -> Any:
    """A tree of Lark in the same form."""
    if isinstance(tree, Tree):
        return (str(tree.data), tuple(shape(child) for child in tree.children))
    return None if tree is None else str(tree)


def plain(node: Any) -> Any:
    if isinstance(node, tuple):
        return (node[0], tuple(plain(part) for part in node[1]))
    return None if node is None else str(node)


def ours(text: str, start: str) -> Any:
    """The tree; or where the text goes wrong, and what would have fitted there."""
    try:
        tokens = grammar.lex(text)
    except UnexpectedCharacterError as error:
        return "character", error.position
    state = Parsing(grammar.tables()["states"], rules(), grammar.tables()["starts"][start])
    for token in tokens:
        accepted = state.accepts()
        try:
            state.feed(token)
        except UnexpectedTokenError:
            return "token", token.start_pos, accepted
    accepted = state.accepts()
    try:
        return "tree", plain(state.finish())
    except UnexpectedTokenError:
        return "end", accepted


def theirs(text: str, start: str) -> Any:
    state = lark().parse_interactive(text, start=start)
    try:
        tokens = list(state.lexer_thread.lex(state.parser_state))  # type: ignore[no-untyped-call]
    except UnexpectedCharacters as error:
        return "character", error.pos_in_stream
    for token in tokens:
        accepted = state.accepts()  # type: ignore[no-untyped-call]
        try:
            state.feed_token(token)
        except UnexpectedToken:
            return "token", token.start_pos, accepted
    accepted = state.accepts()  # type: ignore[no-untyped-call]
    try:
        return "tree", shape(state.feed_eof())  # type: ignore[no-untyped-call]
    except UnexpectedToken:
        return "end", accepted


PIECES = (*grammar.spellings().values(), "a", "ref", "onset", "40ms", "0.5", ".5s", "1/3s", '"x \\" y"', "<=", "!=")
ODD = ("§", "1st", "0,04s", "25%", "N40", "\x00", "# a comment", '"open', "=>", "--")


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.sampled_from(STARTS))
def test_words_in_any_order_are_read_as_lark_reads_them(pieces: list[str], start: str) -> None:
    text = " ".join(pieces)
    found = ours(text, start)
    event(found[0])
    assert found == theirs(text, start)


@given(written_formulas(), written_predicates(), st.data())
def test_contracts_are_read_as_lark_reads_them(
    formula: s.Expression, predicate: s.Expression, data: st.DataObject
) -> None:
    texts = [f"clause a on p : {print_expression(formula)}"]
    texts += [f"clause b on each ref : {print_expression(predicate, predicate=True)}", *STATEMENTS]
    text = data.draw(st.sampled_from(texts))
    cut = data.draw(st.integers(0, len(text)))
    spoilt = text[:cut] + data.draw(st.sampled_from(("", "", *ODD))) + text[cut:]
    found = ours(spoilt, "statement")
    event(found[0])
    assert found == theirs(spoilt, "statement")


def written_statements() -> list[str]:
    """The statements of the starter contracts, and those with every optional part."""
    more = ['contract c "t"', "contract c", "matcher greedy", "matcher greedy()", "matcher optimal(search = 1s, b = 2)"]
    more += ['labels a "b c"', "profile p over micro : a = 1, b = 0.5", "profile p : a = -1", "sweep t = 1f -2f u"]
    lines = [line for path in starter_contracts().values() for line in path.read_text(encoding="utf-8").splitlines()]
    return [*more, *(line for line in lines if line and not line.startswith("#"))]


STATEMENTS = written_statements()


@pytest.mark.parametrize("text", STATEMENTS)
def test_every_statement_of_the_starters_has_the_tree_that_lark_gives_it(text: str) -> None:
    found = ours(text, "statement")
    assert found[0] == "tree"
    assert found == theirs(text, "statement")


def test_tokens_have_the_places_that_lark_gives_them() -> None:
    text = starter_contracts()["speech_gate"].read_text(encoding="utf-8")
    state = lark().parse_interactive(text, start="statement")
    expected = [(t.type, str(t), t.start_pos, t.end_pos) for t in state.lexer_thread.lex(state.parser_state)]  # type: ignore[no-untyped-call]
    assert [(t.type, str(t), t.start_pos, t.end_pos) for t in grammar.lex(text)] == expected


def test_nothing_is_accepted_after_the_end() -> None:
    state = grammar.parsing("formula")
    for token in grammar.lex("p"):
        state.feed(token)
    assert END in state.accepts()
    with pytest.raises(UnexpectedTokenError):
        state.feed(Token("NAME", "q", 2, 3))


def test_the_stored_tables_are_those_that_lark_makes_of_the_grammar() -> None:
    script = runpy.run_path(str(Path(tracepact.__file__).parents[1] / "parser_tables.py"))
    assert script["PLACE"].read_text(encoding="utf-8") == script["tables"](), "run `make grammar`"


def test_tables_of_another_grammar_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.loads(grammar._TABLES.read_text(encoding="utf-8"))
    other = tmp_path / "tables.json"
    other.write_text(json.dumps({**content, "grammar": content["grammar"] + "\n"}), encoding="utf-8")
    monkeypatch.setattr(grammar, "_TABLES", other)
    with pytest.raises(RuntimeError, match="another grammar"):
        grammar.tables.__wrapped__()
