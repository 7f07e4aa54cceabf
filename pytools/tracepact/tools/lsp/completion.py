"""What can come next at a place: the parser says what it would take, the contract which names there are."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tracepact.core import ATTRIBUTES, Each, writable_attributes
from tracepact.core.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.diagnostics import Diagnostics, Source
from tracepact.lang import syntax as s
from tracepact.lang.explain import ATOM_WORDS
from tracepact.lang.grammar import STATEMENTS, spellings
from tracepact.lang.lalr import END, Token, UnexpectedTokenError
from tracepact.lang.predicates import FUNCTIONS
from tracepact.lang.printer import print_value
from tracepact.lang.reader import accepted_after, read_document, read_tokens
from tracepact.lang.reference import written_with
from tracepact.tools.lsp.choices import CHOICES
from tracepact.tools.lsp.names import Kind
from tracepact.tools.lsp.reading import Reading

_OPERATORS = ("N", "F", "G", "U", "S")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word that fits, what it is, and what it means; `insert` is what is typed for it."""

    label: str
    kind: str
    detail: str
    insert: str


def complete(reading: Reading, offset: int) -> list[Suggestion]:
    """The words that fit at a place; the one being typed there does not count."""
    before = reading.text[:offset]
    start = offset - len(re.search(r"[A-Za-z0-9_]*$", before)[0])  # type: ignore[index]  # it matches the empty text
    if before[start:offset][:1].isdigit() or _in_comment(before):
        return []
    found = Diagnostics()
    tokens, faults = read_tokens(Source(reading.source.name, before[:start]), found)
    statement = _statement(tokens)
    if any(not statement or fault >= statement[0].start_pos for fault in faults):
        return []
    return list({s.label: s for s in _fitting(reading, statement)}.values())


def _in_comment(before: str) -> bool:
    comments = read_document(Source("", before), Diagnostics()).comments
    return bool(comments) and comments[-1].span.end == len(before)


def _statement(tokens: list[Token]) -> list[Token]:
    """The tokens of the statement that is being written."""
    starts = [index for index, token in enumerate(tokens) if token.type in STATEMENTS]
    return tokens[starts[-1] :] if starts else []


def _fitting(reading: Reading, tokens: list[Token]) -> Iterator[Suggestion]:
    if not tokens:
        yield from _statements()
        return
    try:
        accepted = accepted_after(tokens, "statement")
    except UnexpectedTokenError:
        return
    if "NAME" in accepted:
        yield from _names(reading, tokens, accepted)
    for terminal in sorted(accepted):
        word = spellings().get(terminal, "")
        if word.isidentifier():
            yield _word(word, "operator" if word in _OPERATORS else "keyword")
    if END in accepted:
        yield from _statements()


def _statements() -> Iterator[Suggestion]:
    for word in sorted(spellings()[name] for name in STATEMENTS):
        yield _word(word, "keyword")


def _word(word: str, kind: str) -> Suggestion:
    """A word of the language; the bracket of an operator's window comes with it."""
    means = next((f"{form}: {meaning}" for form, meaning in written_with(word)), "")
    return Suggestion(word, kind, means, f"{word}[" if word in _OPERATORS else word)


def _names(reading: Reading, tokens: list[Token], accepted: set[str]) -> Iterator[Suggestion]:
    """The names that fit: values, atoms, terms of predicates, or what the statement's last word asks for."""
    if "QUANTITY" in accepted and "LPAR" not in accepted:
        if tokens[0].type not in ("PARAM", "SWEEP"):  # their values are written out (rule 3.3)
            yield from _parameters(reading)
    elif "N" in accepted:
        yield from _atoms(reading)
    elif "LPAR" in accepted:
        yield from _terms(reading, _each(tokens))
    else:
        yield from _asked_for(reading, tokens)


def _parameters(reading: Reading) -> Iterator[Suggestion]:
    for statement in reading.document.statements:
        if isinstance(statement, s.ParamDecl):
            yield _name(statement.name.text, Kind.PARAMETER, print_value(statement.value))


def _atoms(reading: Reading) -> Iterator[Suggestion]:
    for name in (*BUILTIN_ATOMS, *CLASS_ATOMS):
        yield _name(name, Kind.ATOM, ATOM_WORDS[name])
    for statement in reading.document.statements:
        if isinstance(statement, s.AtomDecl):
            yield _name(statement.name.text, Kind.ATOM, statement.title or "a declared atom")


def _terms(reading: Reading, each: Each | None) -> Iterator[Suggestion]:
    if each is not None:
        for written, attribute in writable_attributes(each).items():
            yield _name(written, Kind.ATTRIBUTE, _attribute(attribute.name))
    yield from (_word(name, Kind.FUNCTION.value) for name in FUNCTIONS)
    yield from _parameters(reading)


def _each(tokens: list[Token]) -> Each | None:
    """What the event clause that is being written ranges over, if it is one of the kinds."""
    for token, following in pairwise(tokens):
        if token.type == "EACH":
            return next((each for each in Each if each.value == following), None)
    return None


def _attribute(name: str) -> str:
    return f"{ATTRIBUTES[name].words} ({ATTRIBUTES[name].quantity.unit})"


def _asked_for(reading: Reading, tokens: list[Token]) -> Iterator[Suggestion]:
    """The choices of the statement's last word; new names are the author's."""
    match tokens[-1].type, tokens[0].type:
        case "AGGREGATE" | "OVER", _:
            yield from _choices(Kind.AGGREGATION)
        case "PROJECTION", _:
            yield from _choices(Kind.PROJECTION)
        case "MATCHER", _:
            yield from _choices(Kind.MATCHER)
        case "EACH", _:
            yield from _choices(Kind.EACH)
        case "SWEEP", _:
            yield from _parameters(reading)
        case _, "MATCHER":
            yield from _choices(Kind.OPTION)
        case "COLON" | "COMMA", "PROFILE":
            yield from _clauses(reading)
        case "DOT", _:
            yield from _owned(tokens)


def _choices(kind: Kind) -> Iterator[Suggestion]:
    return (_name(word, kind, means) for word, means in CHOICES[kind].items())


def _clauses(reading: Reading) -> Iterator[Suggestion]:
    for occurrence in reading.occurrences:
        if occurrence.kind is Kind.CLAUSE and occurrence.declares:
            yield _name(occurrence.name, Kind.CLAUSE, "")


def _owned(tokens: list[Token]) -> Iterator[Suggestion]:
    """The attributes of the interval whose name stands before a dot."""
    each = _each(tokens)
    for written, attribute in writable_attributes(each).items() if each else ():
        owner, dot, name = written.partition(".")
        if dot and owner == tokens[-2]:
            yield _name(name, Kind.ATTRIBUTE, _attribute(attribute.name))


def _name(name: str, kind: Kind, detail: str) -> Suggestion:
    return Suggestion(name, kind.value, detail, name)
