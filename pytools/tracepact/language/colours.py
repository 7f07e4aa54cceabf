"""Characters and colours of contract text: terminals in groups, a Pygments lexer, characters that start no token."""

import re
import unicodedata
from enum import Enum
from functools import cache
from typing import ClassVar

from pygments import token
from pygments.lexer import RegexLexer

from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.language.grammar import STATEMENTS, spellings
from tracepact.language.grammar import patterns as terminal_patterns
from tracepact.language.predicate import ATTRIBUTES
from tracepact.language.predicate_types import FUNCTIONS

# Characters that start no token, in words: their code points, what they look like, and what to write instead.

_UNITS = "`ms`: the units are `ms`, `s` and `f` (frames)"
_MEANT = {
    **dict.fromkeys("'‘’", '`"`: strings have double quotes'),
    **dict.fromkeys("“”„«»", '`"`'),
    **dict.fromkeys("−‐‑–—", "`-`"),
    **dict.fromkeys("×·⋅∗", "`*`"),
    **dict.fromkeys("≤⩽", "`<=`"),
    **dict.fromkeys("≥⩾", "`>=`"),
    "≠": "`!=`",
    **dict.fromkeys("⇒⟹⟶", "`->`"),
    "⇔": "`<->`",
    "∣": "`|`",
    "∶": "`:`",
    **dict.fromkeys("µμ", _UNITS),  # the micro sign and the Greek letter
    "…": "the rest out",
}
_FOREIGN = "аеорсхуіјѕԁһкмтнвАВЕКМНОРСТХΑΒΕΖΗΙΚΜΝΟΡΤΥΧορνικα"
_LATIN = "aeopcxyijsdhkmthbABEKMHOPCTXABEZHIKMNOPTYXopvika"
_LETTERS = dict(zip(_FOREIGN, _LATIN, strict=True))
"""Letters of the Cyrillic and Greek alphabets that look like Latin ones."""
_HELP = {
    '"': 'a string ends on its own line with `"`',
    "'": 'strings have double quotes: `"…"`',
    "/": "there is no division; multiply by a number such as `1/3`",
    "{": "windows have brackets: `N[40ms]`",
    ";": "statements need no separator",
}


def character_words(character: str) -> str:
    """A character as a message names it: as it stands if it is ASCII and can be seen, else with its code point."""
    if character.isascii() and character.isprintable():
        return f"`{character}`"
    code = f"U+{ord(character):04X}"
    name = "null" if character == "\0" else unicodedata.name(character, "").lower()
    if character.isprintable():
        return f"`{character}` ({code}, {name})" if name else f"`{character}` ({code})"
    return f"the character {code} ({name})" if name else f"the character {code}"


def character_help(character: str) -> str | None:
    """What to do about a character that starts no token."""
    if character in _HELP:
        return _HELP[character]
    if character in _MEANT:
        return f"write {_MEANT[character]}"
    if character in _LETTERS:
        return f"it looks like the Latin letter `{_LETTERS[character]}`; write that"
    if character.isascii() and character.isprintable():
        return None
    plain = unicodedata.normalize("NFKC", character)
    if character.isspace() or unicodedata.category(character) == "Zs":
        return "write a plain space"
    if not character.isprintable() or unicodedata.category(character) == "Cf":
        return "delete it: it cannot be seen"
    if len(plain) == 1 and plain.isascii():
        return f"it looks like `{plain}`; write that"
    return "names have Latin letters, digits and `_`" if character.isalpha() else None


# How contracts are coloured: the terminals of the grammar in groups, each with the pattern that finds them.


class ColourGroup(Enum):
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
    "COMMENT": ColourGroup.COMMENT,
    "STRING": ColourGroup.STRING,
    "QUANTITY": ColourGroup.NUMBER,
    "NAME": ColourGroup.NAME,
    "TRUE": ColourGroup.TRUTH,
    "FALSE": ColourGroup.TRUTH,
    "ON": ColourGroup.WORD,
    "EACH": ColourGroup.WORD,
    "OVER": ColourGroup.WORD,
    "COMPARE": ColourGroup.SIGN,
    **dict.fromkeys(STATEMENTS, ColourGroup.STATEMENT),
    **dict.fromkeys("NFGUS", ColourGroup.MODALITY),
}
_PUNCTUATION = frozenset("()[],:.=")
_NAMES = {
    ColourGroup.ATOM: (*BUILTIN_ATOMS, *CLASS_ATOMS),
    ColourGroup.ATTRIBUTE: tuple(ATTRIBUTES),
    ColourGroup.FUNCTION: FUNCTIONS,
}
"""Names that are known without a declaration."""


def group_of(terminal: str, text: str) -> ColourGroup:
    """The group of a token: by its terminal, a sign by its text, a name by what it is called."""
    if terminal == "NAME":
        return next((group for group, names in _NAMES.items() if text in names), ColourGroup.NAME)
    if terminal in _TERMINALS:
        return _TERMINALS[terminal]
    if text.isidentifier():
        return ColourGroup.CONNECTIVE
    return ColourGroup.PUNCTUATION if text in _PUNCTUATION else ColourGroup.SIGN


@cache
def patterns() -> tuple[tuple[ColourGroup, str], ...]:
    """A regular expression for each group; tried in this order at a place, the first that matches names its group."""
    spelt: dict[ColourGroup, list[str]] = {group: list(names) for group, names in _NAMES.items()}
    patterns_by_group: dict[ColourGroup, str] = {}
    for terminal, spelling in spellings().items():
        spelt.setdefault(group_of(terminal, spelling), []).append(spelling)
    for terminal, pattern in terminal_patterns().items():
        if terminal == "COMPARE":
            spelt.setdefault(ColourGroup.SIGN, []).extend(_alternatives(pattern))
        elif terminal != "WS":
            patterns_by_group[group_of(terminal, "")] = pattern
    words = {group: _words(texts) for group, texts in spelt.items() if texts[0].isidentifier()}
    signs = {group: _signs(texts) for group, texts in spelt.items() if not texts[0].isidentifier()}
    return tuple((group, {**patterns_by_group, **words, **signs}[group]) for group in ColourGroup)


def _alternatives(pattern: str) -> list[str]:
    """The texts of a pattern that is a choice of signs."""
    return [re.sub(r"\\(.)", r"\1", text) for text in pattern.removeprefix("(?:").removesuffix(")").split("|")]


def _words(texts: list[str]) -> str:
    """Whole words only: `Nearby` is a name."""
    # Not `\b`: what counts as a letter differs between the engines that run this; names are ASCII (rule 1.3).
    return f"(?<![A-Za-z0-9_])(?:{'|'.join(sorted(texts))})(?![A-Za-z0-9_])"


def _signs(texts: list[str]) -> str:
    """The longest first."""
    return "|".join(re.escape(text) for text in sorted(texts, key=lambda text: (-len(text), text)))


# A Pygments lexer for contracts, made from the grammar's terminals; Pygments finds it by the name `tracepact`.

TOKENS = {
    ColourGroup.COMMENT: token.Comment.Single,
    ColourGroup.STRING: token.String.Double,
    ColourGroup.NUMBER: token.Number,
    ColourGroup.STATEMENT: token.Keyword.Declaration,
    ColourGroup.WORD: token.Keyword,
    ColourGroup.MODALITY: token.Keyword.Pseudo,
    ColourGroup.TRUTH: token.Keyword.Constant,
    ColourGroup.CONNECTIVE: token.Operator.Word,
    ColourGroup.ATOM: token.Name.Builtin,
    ColourGroup.ATTRIBUTE: token.Name.Attribute,
    ColourGroup.FUNCTION: token.Name.Function,
    ColourGroup.NAME: token.Name,
    ColourGroup.SIGN: token.Operator,
    ColourGroup.PUNCTUATION: token.Punctuation,
}
"""How Pygments calls each group."""


class ContractLexer(RegexLexer):  # type: ignore[misc,unused-ignore]  # Pygments has no types
    """Colours contracts in notebooks, documents and terminals."""

    name = "tracepact contract"
    aliases: ClassVar = ["tracepact"]
    filenames: ClassVar = ["*.contract"]
    url = "https://pypi.org/project/tracepact"
    tokens: ClassVar = {
        "root": [
            (r"[ \t\r\n]+", token.Whitespace),
            *((pattern, TOKENS[group]) for group, pattern in patterns()),
        ]
    }
