"""The stored tables are those of the grammar, and what runs them reads texts as a parser made of the grammar does."""

import json
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedToken
from strategies import written_formulas, written_predicates

import tracepact
from tracepact.declarations import spec_path
from tracepact.language import grammar
from tracepact.language import syntax as s
from tracepact.language.grammar import END
from tracepact.language.printer import print_expression


@cache
def from_the_text() -> Lark:
    text = spec_path("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="basic", start=["statement", "formula"], maybe_placeholders=True)


def reading(lark: Lark, text: str) -> Any:
    """The tree of a statement; or where the text goes wrong, and what would have fitted there."""
    state = lark.parse_interactive(text, start="statement")
    accepted: set[str] = set()
    try:
        for token in state.lexer_thread.lex(state.parser_state):  # type: ignore[no-untyped-call]
            accepted = state.accepts()  # type: ignore[no-untyped-call]
            state.feed_token(token)  # type: ignore[no-untyped-call]
        accepted = state.accepts()  # type: ignore[no-untyped-call]
        tree: Tree[Token] = state.feed_eof()  # type: ignore[no-untyped-call]
    except UnexpectedCharacters as error:
        return "character", error.pos_in_stream
    except UnexpectedToken as error:
        return "token", error.token.type, error.token.start_pos, accepted
    places = [(token.type, token.start_pos, token.end_pos) for token in tree.scan_values(lambda _: True) if token]
    return "tree", tree, places


ODD = ("", "§", "1st", "0,04s", "25%", "N40", "\x00", "# a comment", '"open', "=>", "--")


@given(written_formulas(), written_predicates(), st.data())
def test_the_stored_tables_read_as_a_parser_made_of_the_grammar_does(
    formula: s.Expression, predicate: s.Expression, data: st.DataObject
) -> None:
    texts = [f"clause a on p : {print_expression(formula)}", 'contract c "t"', "matcher greedy"]
    texts += [f"clause b on each ref : {print_expression(predicate, predicate=True)}", "matcher greedy(a = 1s)"]
    text = data.draw(st.sampled_from(texts))
    cut = data.draw(st.integers(0, len(text)))
    spoilt = text[:cut] + data.draw(st.sampled_from(ODD)) + text[cut:]
    stored = reading(grammar._grammar(), spoilt)
    event(stored[0])
    assert stored == reading(from_the_text(), spoilt)


def test_nothing_is_accepted_after_the_end() -> None:
    tokens = grammar.lex("p")
    assert END in grammar.accepted_after(tokens, "formula")
    with pytest.raises(UnexpectedToken):
        grammar.parse([*tokens, Token("NAME", "q", 2)], "formula")


def test_the_stored_tables_are_those_that_lark_makes_of_the_grammar() -> None:
    script = runpy.run_path(str(Path(tracepact.__file__).parents[1] / "parser_tables.py"))
    assert script["PLACE"].read_text(encoding="utf-8") == script["tables"](), "run `make grammar`"


def test_tables_of_another_grammar_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.loads(grammar._TABLES.read_text(encoding="utf-8"))
    other = tmp_path / "tables.json"
    other.write_text(json.dumps({**content, "grammar": content["grammar"] + "\n"}), encoding="utf-8")
    monkeypatch.setattr(grammar, "_TABLES", other)
    with pytest.raises(RuntimeError, match="another grammar"):
        grammar._grammar.__wrapped__()
