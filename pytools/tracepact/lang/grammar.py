"""The one grammar as a running parser, and what follows from it: spellings and reserved words."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from tracepact.lang.build import Builder
from tracepact.lang.lalr import Lexer, Parsing, Rule, Token
from tracepact.specs import spec_path

_TABLES = Path(__file__).with_name("tables.json")

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
def tables() -> dict[str, Any]:
    """The parser's tables as they are stored; they carry the grammar that they were made from."""
    found: dict[str, Any] = json.loads(_TABLES.read_text(encoding="utf-8"))
    if found["grammar"] != spec_path("grammar.lark").read_text(encoding="utf-8"):
        raise RuntimeError(f"{_TABLES.name} was made from another grammar than spec/grammar.lark: run `make grammar`")
    return found


@cache
def _lexer() -> Lexer:
    return Lexer(tables()["terminals"], tables()["words"], tables()["ignored"])


@cache
def _rules() -> list[Rule]:
    return [
        Rule(origin, getattr(Builder, name) if name else None, length, kept)
        for origin, name, length, kept in tables()["rules"]
    ]


def lex(text: str) -> list[Token]:
    """The tokens of a text; UnexpectedCharacterError says where none starts."""
    return _lexer().tokens(text)


def parsing(start: str) -> Parsing:
    """A parser at the beginning of a `statement` or a `formula`."""
    return Parsing(tables()["states"], _rules(), tables()["starts"][start])


@cache
def spellings() -> dict[str, str]:
    """How each terminal with one spelling is written."""
    return {name: text for text, name in (*tables()["words"].items(), *tables()["signs"].items())}


@cache
def patterns() -> dict[str, str]:
    """The regular expression of each terminal that has no single spelling."""
    return {name: pattern for name, pattern in tables()["terminals"] if name not in spellings()}


@cache
def reserved_words() -> frozenset[str]:
    """The words that cannot be names (rule 1.3)."""
    return frozenset(word for word in spellings().values() if word.isidentifier())
