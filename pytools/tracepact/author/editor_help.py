"""What an editor shows of a word and offers next: hovers, completions, bounds on the grid; calibration sets too."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from lark import Token, UnexpectedToken

from tracepact.author.editor_text import CHOICES, NameKind, Occurrence, TextReading
from tracepact.declarations import spec_path
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace, Source, Span
from tracepact.language import syntax as s
from tracepact.language.contract import (
    BUILTIN_ATOMS,
    CLASS_ATOMS,
    Bound,
    Contract,
    EventClause,
    FrameClause,
    Located,
)
from tracepact.language.explanation import (
    EventClauseExplanation,
    FrameClauseExplanation,
    explain_clause,
    words,
)
from tracepact.language.formula import windows
from tracepact.language.grammar import (
    END,
    STATEMENTS,
    accepted_after,
    reserved_words,
    spellings,
    token_span,
)
from tracepact.language.predicate import ATTRIBUTES, Each, writable_attributes
from tracepact.language.predicate_types import FUNCTIONS
from tracepact.language.printer import print_value
from tracepact.language.reader import read_document, read_tokens
from tracepact.language.vocabulary import ATOM_WORDS, written_with
from tracepact.selection.calibration_reader import read_calibration
from tracepact.wording import count, quoted, time_text

# The bounds of windows on the grid: what editors show behind each, and what a bound is in words.


@dataclass(frozen=True, slots=True)
class BoundHint:
    """The hint behind a bound: its length in frames, and a sentence that explains it."""

    offset: int
    label: str
    words: str


def bounds(reading: TextReading) -> Iterator[Bound]:
    """The bounds of every window of the clauses without a fault, in the order of the text."""
    for clause in reading.clauses:
        if isinstance(clause, FrameClause):
            for located in _located(clause):
                yield from located.bounds


def _located(clause: FrameClause) -> Iterator[Located]:
    """The parts of both formulas of a clause."""
    yield from clause.duty.everywhere()
    yield from clause.body.everywhere()


def bound_hints(reading: TextReading, span: Span) -> list[BoundHint]:
    """Behind each bound in a part of the text that is not written in frames, the frames it comes to."""
    contract = reading.sketch
    if contract is None:
        return []
    return [
        BoundHint(bound.span.end, f"{bound.frames}f", bound_words(bound, contract))
        for bound in bounds(reading)
        # The text may say the frames already; a parameter's name never does.
        if (bound.unit != "f" or bound.parameter is not None) and span.start <= bound.span.start <= span.end
    ]


def bound_words(bound: Bound, contract: Contract) -> str:
    """A bound as a time and in frames, with the rounding (rule 2.6) if there is any."""
    sign = "-" if bound.frames < 0 else ""
    said = f"{_time(bound)} is {sign}{count(abs(bound.frames), 'frame')} of {time_text(contract.step)}"
    exact = bound.seconds / contract.step
    return said if exact == bound.frames else f"{said}, rounded outward from {float(exact):.3g}"


def _time(bound: Bound) -> str:
    if bound.unit == "f":
        return bound.text
    return f"{'-' if bound.seconds < 0 else ''}{time_text(abs(bound.seconds))}"


# What an editor shows of the word under the pointer, as paragraphs of Markdown.


@dataclass(frozen=True, slots=True)
class Told:
    """An explanation of a part of the text."""

    span: Span
    text: str


def hover(reading: TextReading, offset: int) -> Told | None:
    """An explanation of the place of a character; None for spaces, comments and statements with a fault."""
    # Names first, as the smallest thing under the pointer, then reserved words, then the part of a formula around it.
    place = reading.at(offset)
    if place is not None:
        said = list(_of_name(reading, place))
        return Told(place.span, "\n\n".join(said)) if said else None
    return _of_word(reading, offset) or _of_part(reading, offset)


def _of_name(reading: TextReading, name: Occurrence) -> Iterator[str]:
    match name.kind:
        case NameKind.CONTRACT:
            if (contract := reading.sketch) is not None:
                yield f"**{contract.name}**" + (f": {contract.title}" if contract.title else "")
                yield f"{count(len(contract.clauses), 'clause')}, frames of {time_text(contract.step)}"
        case NameKind.PARAMETER:
            yield from _of_parameter(reading, name)
        case NameKind.CLAUSE:
            clause = next((c for c in reading.clauses if c.name == name.name), None)
            if clause is not None and reading.sketch is not None:
                yield from _of_clause(clause, reading.sketch)
        case NameKind.ATOM:
            yield from _of_atom(reading, name)
        case NameKind.ATTRIBUTE if name.name in ATTRIBUTES:
            kind = ATTRIBUTES[name.name]
            yield f"**{kind.name}**: {kind.words}"
            yield f"a {kind.quantity.value}, {kind.quantity.unit}; exists {kind.exists.value} (rule {kind.rule})"
        case _:
            # A word of a fixed list, or a function; nothing is said of others.
            functions = {form.partition("(")[0]: means for form, means in written_with(name.name)}
            known = CHOICES.get(name.kind, functions)
            if name.name in known:
                yield f"`{name.name}`: {known[name.name]}"


def _of_parameter(reading: TextReading, name: Occurrence) -> Iterator[str]:
    contract = reading.sketch
    parameter = next((p for p in contract.parameters if p.name == name.name), None) if contract else None
    if contract is None or parameter is None:
        return
    yield f"`param {parameter.name} = {parameter.text}`"
    used = {bound_words(b, contract): None for b in bounds(reading) if b.parameter == name.name}
    yield from used
    places = [one.span.start for one in reading.same(name)]
    clauses = [c.name for c in reading.clauses if any(c.span.start <= place < c.span.end for place in places)]
    if clauses:
        yield f"in {quoted(clauses)}"


def _of_atom(reading: TextReading, name: Occurrence) -> Iterator[str]:
    if name.name in ATOM_WORDS:
        yield f"`{name.name}`: {ATOM_WORDS[name.name]}"
        return
    for statement in reading.document.statements:
        if isinstance(statement, s.AtomDecl) and statement.name.text == name.name:
            yield f"`{name.name}`: {statement.title or 'a declared atom'}"
            yield "the caller supplies its mask"


def _of_clause(clause: FrameClause | EventClause, contract: Contract) -> Iterator[str]:
    explained = explain_clause(clause, contract)
    yield f"**{clause.name}**: {explained.words}"
    match explained:
        case FrameClauseExplanation():
            yield _in_frames(explained.windows)
            yield f"lookahead {count(explained.lookahead, 'frame')}, lookback {count(explained.lookback, 'frame')}"
        case EventClauseExplanation():
            yield "\n".join(f"- `{a.name}`: {a.words}" for a in explained.attributes)


def _in_frames(spans: tuple[tuple[int, int], ...]) -> str:
    shown = ", ".join(f"{lo:+d} to {hi:+d}" for lo, hi in spans)
    return f"windows in frames: {shown}" if spans else "no windows"


def _of_word(reading: TextReading, offset: int) -> Told | None:
    """A reserved word: what it is for; an operator with a window also means what its part of the formula says."""
    tokens, _ = read_tokens(reading.source, Diagnostics())
    for token in tokens:
        span = token_span(token)
        if span.start <= offset <= span.end and str(token) in reserved_words():
            # Operators say what their own window comes to before what they mean in general.
            part = _of_part(reading, offset) if str(token) in "NFGUS" else None
            said = [f"`{form}`: {means}" for form, means in written_with(str(token))]
            return Told(span, "\n\n".join([*([part.text] if part else []), *said])) if said else part
    return None


def _of_part(reading: TextReading, offset: int) -> Told | None:
    """The smallest part of a formula around a place, in words."""
    clause, contract = reading.clause_at(offset), reading.sketch
    if contract is None or clause is None:
        return None
    bound = next((b for b in bounds(reading) if b.span.start <= offset <= b.span.end), None)
    if bound is not None:
        return Told(bound.span, bound_words(bound, contract))
    if isinstance(clause, EventClause):
        return Told(clause.span, "\n\n".join(_of_clause(clause, contract)))
    holding = [part for part in _located(clause) if part.span.start <= offset <= part.span.end]
    part = min(holding, key=lambda part: part.span.end - part.span.start, default=None)
    if part is None:
        return None
    said = [words(part.formula, contract.step)]
    spans = tuple(windows(part.formula))
    return Told(part.span, "\n\n".join([*said, *([_in_frames(spans)] if spans else [])]))


# What can come next at a place: the parser says what it would take, the contract which names there are.

_OPERATORS = ("N", "F", "G", "U", "S")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word that fits, what it is, and what it means; `insert` is what is typed for it."""

    label: str
    kind: str
    detail: str
    insert: str


def complete(reading: TextReading, offset: int) -> list[Suggestion]:
    """The words that fit at a place; the one being typed there does not count."""
    before = reading.text[:offset]
    # The half-typed word is no token yet that the parser could place: it is asked what fits before it.
    start = offset - len(re.search(r"[A-Za-z0-9_]*$", before)[0])  # type: ignore[index]  # it matches the empty text
    comments = read_document(Source("", before), Diagnostics()).comments
    if before[start:offset][:1].isdigit() or (comments and comments[-1].span.end == len(before)):
        return []
    diagnostics = Diagnostics()
    tokens, faults = read_tokens(Source(reading.source.name, before[:start]), diagnostics)
    # The tokens of the statement that is being written.
    starts = [index for index, token in enumerate(tokens) if token.type in STATEMENTS]
    statement = tokens[starts[-1] :] if starts else []
    # Faults of earlier statements do not matter: statements are read each by itself. One in this statement leaves the
    # parser without a state.
    if any(not statement or fault >= token_span(statement[0]).start for fault in faults):
        return []
    # By label, for a name may fit twice, as a parameter and as a term.
    return list({s.label: s for s in _fitting(reading, statement)}.values())


def _fitting(reading: TextReading, tokens: list[Token]) -> Iterator[Suggestion]:
    if not tokens:
        yield from _statements()
        return
    try:
        accepted = accepted_after(tokens, "statement")
    except UnexpectedToken:
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


def _names(reading: TextReading, tokens: list[Token], accepted: set[str]) -> Iterator[Suggestion]:
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


def _parameters(reading: TextReading) -> Iterator[Suggestion]:
    for statement in reading.document.statements:
        if isinstance(statement, s.ParamDecl):
            yield _name(statement.name.text, NameKind.PARAMETER, print_value(statement.value))


def _atoms(reading: TextReading) -> Iterator[Suggestion]:
    for name in (*BUILTIN_ATOMS, *CLASS_ATOMS):
        yield _name(name, NameKind.ATOM, ATOM_WORDS[name])
    for statement in reading.document.statements:
        if isinstance(statement, s.AtomDecl):
            yield _name(statement.name.text, NameKind.ATOM, statement.title or "a declared atom")


def _terms(reading: TextReading, each: Each | None) -> Iterator[Suggestion]:
    if each is not None:
        for written, attribute in writable_attributes(each).items():
            yield _name(written, NameKind.ATTRIBUTE, _attribute(attribute.name))
    yield from (_word(name, NameKind.FUNCTION.value) for name in FUNCTIONS)
    yield from _parameters(reading)


def _each(tokens: list[Token]) -> Each | None:
    """The kind of event that the clause being written ranges over, once it is complete."""
    for token, following in pairwise(tokens):
        if token.type == "EACH":
            return next((each for each in Each if each.value == following), None)
    return None


def _attribute(name: str) -> str:
    return f"{ATTRIBUTES[name].words} ({ATTRIBUTES[name].quantity.unit})"


def _asked_for(reading: TextReading, tokens: list[Token]) -> Iterator[Suggestion]:
    """The choices of the statement's last word; new names are the author's."""
    match tokens[-1].type, tokens[0].type:
        case "AGGREGATE" | "OVER", _:
            yield from _choices(NameKind.AGGREGATION)
        case "PROJECTION", _:
            yield from _choices(NameKind.PROJECTION)
        case "MATCHER", _:
            yield from _choices(NameKind.MATCHER)
        case "EACH", _:
            yield from _choices(NameKind.EACH)
        case "SWEEP", _:
            yield from _parameters(reading)
        case _, "MATCHER":
            yield from _choices(NameKind.OPTION)
        case "COLON" | "COMMA", "PROFILE":
            yield from _clauses(reading)
        case "DOT", _:
            yield from _owned(tokens)


def _choices(kind: NameKind) -> Iterator[Suggestion]:
    return (_name(word, kind, means) for word, means in CHOICES[kind].items())


def _clauses(reading: TextReading) -> Iterator[Suggestion]:
    for occurrence in reading.occurrences:
        if occurrence.kind is NameKind.CLAUSE and occurrence.declares:
            yield _name(occurrence.name, NameKind.CLAUSE, "")


def _owned(tokens: list[Token]) -> Iterator[Suggestion]:
    """The attributes of the interval whose name stands before a dot."""
    each = _each(tokens)
    for written, attribute in writable_attributes(each).items() if each else ():
        owner, dot, name = written.partition(".")
        if dot and owner == tokens[-2]:
            yield _name(name, NameKind.ATTRIBUTE, _attribute(attribute.name))


def _name(name: str, kind: NameKind, detail: str) -> Suggestion:
    return Suggestion(name, kind.value, detail, name)


# A calibration set in an editor: what is wrong with it, and which keys and words can come next (14.1).

ENDING = ".calibration"
_HEADER = re.compile(r"^\s*\[+\s*(\w+)[^\]\n]*\]+\s*(?:#.*)?$", re.MULTILINE)
_KEY = re.compile(r"(\w+)\s*=")
_VALUE = re.compile(r"(\w+)\s*=\s*(\[[^\]]*)?\"?(\w*)$")
_STRING = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'")


def calibration_faults(text: str, name: str, folder: Path) -> tuple[Diagnostic, ...]:
    """What `tracepact select` says of a set when it reads it; tables that it names are looked for in the folder.

    A fault of such a table stands at the start of the set, with the table and its row in its words.
    """
    try:
        faults: Iterable[Diagnostic] = read_calibration(Source(name, text), folder).warnings
    except InvalidInput as error:
        faults = error.diagnostics
    shown = []
    for one in faults:
        if isinstance(place := one.place, RowPlace):
            one = replace(one, headline=f"{place.file}{'' if place.row is None else f':{place.row}'}: {one.headline}")
        shown.append(one)
    return tuple(shown)


def complete_calibration(text: str, offset: int) -> list[Suggestion]:
    """The keys that the table at a place can still have, or the words that the key before it takes."""
    before = text[:offset]
    line = before.rpartition("\n")[2]
    if "#" in _STRING.sub("", line):
        return []
    place, so_far = _table(before)
    value = _VALUE.search(so_far.rpartition("\n")[2] if place != "case" else so_far)
    if value is not None and value[1] in place_keys(place):
        return list(_words(value[1], place_keys(place)[value[1]], quoted='"' in value[0].partition("=")[2]))
    if re.search(r"=\s*[^,\n]*$", line) and not re.search(r"[{,]\s*\w*$", line):
        return []  # another value: a time, a number, a text
    present = set(_KEY.findall(_STRING.sub('""', so_far)))
    return [
        Suggestion(key, "attribute", _about(schema), f"{key} = ")
        for key, schema in place_keys(place).items()
        if key not in present
    ]


def _table(before: str) -> tuple[str, str]:
    """The kind of table that a place is in, and what is written of it so far."""
    # Strings are blanked at their length: a bracket or a header inside one is text, and offsets stay the same.
    bare = _STRING.sub(lambda text: '"' + "_" * (len(text[0]) - 2) + '"', before)
    headers = list(_HEADER.finditer(bare))
    name, start = (headers[-1][1], headers[-1].end()) if headers else ("", 0)
    so_far = before[start:]
    # TOML has inline tables in arrays: `cases = [{…}]` is one table a case without a header of its own.
    opened = bare[start:].rfind("{")
    if opened > bare[start:].rfind("}") and re.search(r"\b(cases|matchers)\s*=\s*\[", bare[start : start + opened]):
        return ("case" if name == "" else "matcher"), so_far[opened + 1 :]
    return {"": "set", "cases": "case"}.get(name, name), so_far


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(spec_path("schemas/calibration.schema.json").read_text(encoding="utf-8"))
    return schema


def place_keys(place: str) -> Mapping[str, Any]:
    """The keys of a kind of table, each with its schema; none where the form has no such table."""
    whole = _schema()
    tables: dict[str, Any] = {
        "set": whole,
        "case": whole["$defs"]["case"],
        "family": whole["$defs"]["family"],
        "reference": next(iter(whole["properties"]["reference"]["patternProperties"].values())),
    }
    keys: Mapping[str, Any] = tables.get(place, {}).get("properties", {})
    return keys


def _words(key: str, schema: Mapping[str, Any], *, quoted: bool) -> Iterator[Suggestion]:
    """The words that a key takes, where the form lists them."""
    for word in schema.get("enum") or schema.get("items", {}).get("enum") or ():
        if isinstance(word, str):
            yield Suggestion(word, "keyword", f"a value of `{key}`", word if quoted else f'"{word}"')


def _about(schema: Mapping[str, Any]) -> str:
    """The description of a key in the schema."""
    reference = str(schema.get("$ref", "")).rpartition("/")[2]
    named = _schema()["$defs"].get(reference, {})
    return str(schema.get("description") or named.get("description") or schema.get("type") or "one of several words")
