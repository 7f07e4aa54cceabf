"""How contracts are coloured: the terminals of the grammar in groups, each with the pattern that finds them."""

import re
from enum import Enum
from functools import cache

from tracepact.core import ATTRIBUTES
from tracepact.core.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.lang.grammar import STATEMENTS, spellings
from tracepact.lang.grammar import patterns as terminal_patterns
from tracepact.lang.predicates import FUNCTIONS


class Group(Enum):
    """What is coloured alike."""

    COMMENT = "comment"
    STRING = "string"
    NUMBER = "number"
    STATEMENT = "first word of a statement"
    WORD = "other reserved word"
    MODALITY = "operator with a window"
    TRUTH = "truth value"
    CONNECTIVE = "connective written as a word"
    ATOM = "built-in atom"
    ATTRIBUTE = "attribute"
    FUNCTION = "function"
    NAME = "name"
    SIGN = "operator"
    PUNCTUATION = "punctuation"


_TERMINALS = {
    "COMMENT": Group.COMMENT,
    "STRING": Group.STRING,
    "QUANTITY": Group.NUMBER,
    "NAME": Group.NAME,
    "TRUE": Group.TRUTH,
    "FALSE": Group.TRUTH,
    "ON": Group.WORD,
    "EACH": Group.WORD,
    "OVER": Group.WORD,
    "COMPARE": Group.SIGN,
    **dict.fromkeys(STATEMENTS, Group.STATEMENT),
    **dict.fromkeys("NFGUS", Group.MODALITY),
}
_PUNCTUATION = frozenset("()[],:.=")
_NAMES = {
    Group.ATOM: (*BUILTIN_ATOMS, *CLASS_ATOMS),
    Group.ATTRIBUTE: tuple(ATTRIBUTES),
    Group.FUNCTION: FUNCTIONS,
}
"""Names that are known without a declaration."""


def group_of(terminal: str, text: str) -> Group:
    """The group of a token: by its terminal, a sign by its text, a name by what it is called."""
    if terminal == "NAME":
        return next((group for group, names in _NAMES.items() if text in names), Group.NAME)
    if terminal in _TERMINALS:
        return _TERMINALS[terminal]
    if text.isidentifier():
        return Group.CONNECTIVE
    return Group.PUNCTUATION if text in _PUNCTUATION else Group.SIGN


@cache
def patterns() -> tuple[tuple[Group, str], ...]:
    """A regular expression for each group; tried in this order at a place, the first that matches names its group."""
    spelt: dict[Group, list[str]] = {group: list(names) for group, names in _NAMES.items()}
    found: dict[Group, str] = {}
    for terminal, spelling in spellings().items():
        spelt.setdefault(group_of(terminal, spelling), []).append(spelling)
    for terminal, pattern in terminal_patterns().items():
        if terminal == "COMPARE":
            spelt.setdefault(Group.SIGN, []).extend(_alternatives(pattern))
        elif terminal != "WS":
            found[group_of(terminal, "")] = pattern
    words = {group: _words(texts) for group, texts in spelt.items() if texts[0].isidentifier()}
    signs = {group: _signs(texts) for group, texts in spelt.items() if not texts[0].isidentifier()}
    return tuple((group, {**found, **words, **signs}[group]) for group in Group)


def _alternatives(pattern: str) -> list[str]:
    """The texts of a pattern that is a choice of signs."""
    return [re.sub(r"\\(.)", r"\1", text) for text in pattern.removeprefix("(?:").removesuffix(")").split("|")]


def _words(texts: list[str]) -> str:
    """Whole words only: `Nearby` is a name."""
    return f"(?<![A-Za-z0-9_])(?:{'|'.join(sorted(texts))})(?![A-Za-z0-9_])"


def _signs(texts: list[str]) -> str:
    """The longest first."""
    return "|".join(re.escape(text) for text in sorted(texts, key=lambda text: (-len(text), text)))
