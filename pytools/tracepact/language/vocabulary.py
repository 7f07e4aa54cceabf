"""The vocabulary of contracts: its colours, all of it on one page, and what to do about characters outside of it."""

import re
import unicodedata
from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import ClassVar

from pygments import token
from pygments.lexer import RegexLexer

from tracepact.declarations import dataclass, spec_path
from tracepact.language.contract import (
    BUILTIN_ATOMS,
    CLASS_ATOMS,
    Aggregation,
    Matcher,
    MatcherKind,
    Projection,
)
from tracepact.language.grammar import STATEMENTS, spellings
from tracepact.language.grammar import patterns as terminal_patterns
from tracepact.language.predicate import ATTRIBUTES, AttributeKind, Each, Existence, Owner
from tracepact.language.predicate_types import FUNCTIONS
from tracepact.language.syntax import UNITS
from tracepact.wording import quoted, written_time

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


# The whole language on one page, from the grammar, the atoms, the attributes and the choices of the compiler.

_UNIT_WORDS = {"ms": "milliseconds", "s": "seconds; also a number without a unit", "f": "frames"}
_FUNCTION_WORDS = {"abs": "the absolute value", "min": "the least of its arguments", "max": "the greatest of them"}
_MODALITY_WORDS = {
    "near": "at some frame at most so far before or after",
    "eventually": "at some frame of the window; `F[r]` is `F[0s,r]`, negative offsets look back",
    "always": "at every frame of the window that the clip has",
    "until": "the right side within so long ahead, the left at every frame before that",
    "since": "the right side within so long back, the left at every frame after that",
}
_CONNECTIVE_WORDS = {"not": "not", "and": "and", "or": "or", "implies": "if … then", "iff": "exactly when"}
_STATEMENT_WORDS = {
    "contract_decl": "names the contract; required",
    "step_decl": "the length of a frame; required",
    "param_decl": "a named value, which `--set` and sweeps can change",
    "merge_gap_decl": "runs at most so far apart are one event; default 0s",
    "sweep_decl": "values of a parameter at which the vector is shown as well",
    "aggregate_decl": f"how clips and classes become one value: {quoted([a.value for a in Aggregation])}; the first by "
    "default",
    "matcher_decl": f"how events find partners: {quoted([k.value for k in MatcherKind])}; by default "
    f"`{Matcher().kind.value}(search = {written_time(Matcher().search)}, "
    f"overlap_reward = {float(Matcher().overlap_reward):g})`",
    "projection_decl": f"which frames an event activates: {quoted([p.value for p in Projection])}; the first by "
    "default",
    "labels_decl": "the classes; by default those of the data",
    "atom_decl": "an atom whose mask the caller supplies",
    "soft_scale_decl": "the scale of the soft boundary score; default 100ms",
    "frame_clause": "at every frame where the first formula holds, the second must",
    "event_clause": f"for each interval, NAME being {quoted([e.value for e in Each])}, the predicate must hold",
    "profile_decl": "weights over clauses, applied after the vector",
}
_SPELLED = {"value": "VALUE", "formula": "FORMULA", "predicate": "PREDICATE", "label": "LABEL"}
_LITERAL = str.maketrans("()", "\x01\x02")
_PLAIN = str.maketrans("\x01\x02", "()")
_NAMED = ("Atoms", "Attributes", "Units")
"""The sections of things that are called by a name."""
_PARTS = {"option": "NAME = VALUE", "weight": "CLAUSE = WEIGHT"}


@dataclass(frozen=True, slots=True)
class ReferenceSection:
    """A part of the reference: its title, and what is written with what it means."""

    title: str
    entries: tuple[tuple[str, str], ...]


@cache
def language_reference() -> tuple[ReferenceSection, ...]:
    """Every statement, operator, atom, attribute, function and unit of the language."""
    rules = _productions()
    return (
        ReferenceSection("Statements", tuple(_statements(rules))),
        ReferenceSection("Formulas of frame clauses, tightest first", tuple(_operators(rules))),
        ReferenceSection("Atoms", tuple((name, ATOM_WORDS[name]) for name in (*BUILTIN_ATOMS, *CLASS_ATOMS))),
        ReferenceSection("Predicates of event clauses", tuple(_predicates())),
        ReferenceSection("Attributes", tuple((_spelling(kind), _attribute(kind)) for kind in ATTRIBUTES.values())),
        ReferenceSection("Units", tuple((unit, _UNIT_WORDS[unit]) for unit in UNITS)),
    )


def written_with(word: str) -> list[tuple[str, str]]:
    """The statements, operators and functions that are written with a word, each with what it means."""
    entries = [entry for section in language_reference() if section.title not in _NAMED for entry in section.entries]
    return [(form, meaning) for form, meaning in entries if word in re.findall(r"\w+", form)]


def _productions() -> dict[str, str]:
    """The rules and terminals of the grammar by name, each in one line; an alias is a rule of its own."""
    text = re.sub(r"//[^\n]*", "", spec_path("grammar.lark").read_text(encoding="utf-8"))
    productions = dict(re.findall(r"^[!?]?(\w+):\s*(.+(?:\n[ \t]+.+)*)", text, re.MULTILINE))
    aliases = re.findall(r"\|?\s*([^|\n]+?)\s*->\s*(\w+)", text)
    bodies = {**{name: body for body, name in reversed(aliases)}, **productions}
    return {name: " ".join(body.split()) for name, body in bodies.items()}


def statement_names() -> list[str]:
    """The kinds of statements that the grammar has."""
    return [name.strip() for name in _productions()["statement"].split("|")]


def _statements(rules: dict[str, str]) -> Iterator[tuple[str, str]]:
    for name in statement_names():
        yield _form(rules[name], rules), _STATEMENT_WORDS[name]


def _form(production: str, rules: dict[str, str]) -> str:
    """A production as one would write it: keywords spelt out, rules and terminals in capitals."""
    parts = []
    for word in re.findall(r'"[^"]*"|\w+|[^\w\s"]', production):
        if word.startswith('"'):
            parts.append(word[1:-1].translate(_LITERAL))
        elif word in _PARTS:
            parts.append(_PARTS[word])
        elif word.isupper() and rules.get(word, "").startswith('"'):
            parts.append(rules[word][1:-1])
        else:
            parts.append(_SPELLED.get(word, word))
    text = re.sub(r" \( , .+? \) \*", ", …", " ".join(parts))
    return re.sub(r" ([,+?\])])", r"\1", text.translate(_PLAIN)).replace("[ ", "[").replace("( ", "(")


def _operators(rules: dict[str, str]) -> Iterator[tuple[str, str]]:
    for name, words in _MODALITY_WORDS.items():
        form = _form(rules[name], rules).replace("window", "[VALUE,VALUE]").replace("f_unary", "φ")
        yield form.replace("f_until", "ψ").replace(" [", "[").replace("[ ", "["), words
    for name, words in _CONNECTIVE_WORDS.items():
        yield " ".join(re.findall(r'"([^"]+)"', rules[f"_{name}"])), words
    yield "true  false", "everywhere, nowhere"


def _predicates() -> Iterator[tuple[str, str]]:
    yield "<= < >= > == !=", "comparisons of two terms; attributes that are truth values stand alone"
    yield "+ - *", "terms; one factor of a product is a number"
    for name in FUNCTIONS:
        yield f"{name}(…)", _FUNCTION_WORDS[name]
    yield "not and or -> <->", "as in formulas; there are no windows"


def _spelling(kind: AttributeKind) -> str:
    """How an attribute is written; those of the obligated interval may stand without their owner."""
    owners = [owner.value for owner in kind.owners if owner is not Owner.PAIR]
    return kind.name if not owners else "  ".join(f"{owner}.{kind.name}" for owner in owners)


def _attribute(kind: AttributeKind) -> str:
    bare = f"; also `{kind.name}` alone under `each`" if kind.exists is Existence.OF_THE_OBLIGATED else ""
    return f"{kind.words} ({kind.quantity.value}){bare}"
