"""The whole language on one page, from the grammar, the atoms, the attributes and the choices of the compiler."""

import re
from collections.abc import Iterator
from functools import cache

from tracepact.core import (
    ATTRIBUTES,
    Aggregation,
    AttributeKind,
    Each,
    Existence,
    Matcher,
    MatcherKind,
    Owner,
    Projection,
)
from tracepact.core.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.frozen import dataclass
from tracepact.lang.explain import ATOM_WORDS
from tracepact.lang.predicates import FUNCTIONS
from tracepact.lang.syntax import UNITS
from tracepact.specs import spec_path
from tracepact.wording import quoted, time_text

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
    f"`{Matcher().kind.value}(search = {time_text(Matcher().search).replace(' ', '')}, "
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
_NAMES = ("Atoms", "Attributes", "Units")
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
    found = [entry for section in language_reference() if section.title not in _NAMES for entry in section.entries]
    return [(form, meaning) for form, meaning in found if word in re.findall(r"\w+", form)]


def _productions() -> dict[str, str]:
    """The rules and terminals of the grammar by name, each in one line; an alias is a rule of its own."""
    text = re.sub(r"//[^\n]*", "", spec_path("grammar.lark").read_text(encoding="utf-8"))
    found = dict(re.findall(r"^[!?]?(\w+):\s*(.+(?:\n[ \t]+.+)*)", text, re.MULTILINE))
    aliases = re.findall(r"\|?\s*([^|\n]+?)\s*->\s*(\w+)", text)
    return {name: " ".join(body.split()) for name, body in {**{a: b for b, a in reversed(aliases)}, **found}.items()}


def statement_names() -> list[str]:
    """The kinds of statements that the grammar has."""
    return [name.strip() for name in _productions()["statement"].split("|")]


def _statements(rules: dict[str, str]) -> Iterator[tuple[str, str]]:
    for name in statement_names():
        yield _form(rules[name], rules), _STATEMENT_WORDS[name]


def _form(production: str, rules: dict[str, str]) -> str:
    """A production as one would write it: keywords spelt out, rules and terminals in capitals."""
    parts = []
    for token in re.findall(r'"[^"]*"|\w+|[^\w\s"]', production):
        if token.startswith('"'):
            parts.append(token[1:-1].translate(_LITERAL))
        elif token in _PARTS:
            parts.append(_PARTS[token])
        elif token.isupper() and rules.get(token, "").startswith('"'):
            parts.append(rules[token][1:-1])
        else:
            parts.append(_SPELLED.get(token, token))
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
