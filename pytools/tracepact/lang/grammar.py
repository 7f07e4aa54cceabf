"""The one grammar as a running parser, and what follows from it: spellings and reserved words."""

from functools import cache

from lark import Lark, Token
from lark.lexer import PatternStr

from tracepact.lang.build import Builder
from tracepact.specs import spec_path

STATEMENTS = frozenset(
    {
        "CONTRACT",
        "STEP",
        "PARAM",
        "MERGE_GAP",
        "SWEEP",
        "AGGREGATE",
        "MATCHER",
        "PROJECTION",
        "LABELS",
        "ATOM",
        "SOFT_SCALE",
        "CLAUSE",
        "PROFILE",
    }
)
"""The terminals that start a statement; they are reserved, so each one is a place to recover."""


@cache
def parser() -> Lark:
    """The LALR parser of spec/grammar.lark."""
    return Lark(
        spec_path("grammar.lark").read_text(encoding="utf-8"),
        parser="lalr",
        lexer="basic",
        start=["statement", "formula"],
        transformer=Builder(),
        maybe_placeholders=True,
    )


def lex(text: str) -> list[Token]:
    """The tokens of a text, with the parser's own lexer (`Lark.lex` would build another one for every call)."""
    state = parser().parse_interactive(text, start="statement")
    return list(state.lexer_thread.lex(state.parser_state))  # type: ignore[no-untyped-call]  # lark has no types here


@cache
def spellings() -> dict[str, str]:
    """How each terminal with one spelling is written."""
    return {t.name: t.pattern.value for t in parser().terminals if isinstance(t.pattern, PatternStr)}


@cache
def reserved_words() -> frozenset[str]:
    """The words that cannot be names (rule 1.3)."""
    return frozenset(word for word in spellings().values() if word.isidentifier())
