"""Findings, quick fixes and renamings while a contract or a calibration set is being written."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

from tracepact.author.editor_help import Suggestion
from tracepact.author.editor_text import NameKind, Occurrence, TextEdit, TextReading, edited, read
from tracepact.declarations import spec_path
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace, Severity, Source, Span, TextPlace
from tracepact.language import syntax as s
from tracepact.language.contract import Contract
from tracepact.language.grammar import token_span
from tracepact.language.reader import read_tokens
from tracepact.logic.contract_findings import check_contract
from tracepact.logic.decisions import QUESTION_SECONDS, Budget
from tracepact.selection.calibration_reader import read_calibration

# What the solver finds in a contract while it is being written: within a budget, left as soon as it is stale.

MOST_AS_LONG = 20
"""All questions about one state of a text may take as long as so many that use their time up."""


class Superseded(Exception):  # noqa: N818  (it says what became of the text)
    """The text was changed while it was checked."""


class _BudgetSpent(Exception):  # noqa: N818  (as above)
    """The time for all questions is over."""


def check_while(
    contract: Contract,
    is_current: Callable[[], bool],
    *,
    question: float = QUESTION_SECONDS,
) -> list[Diagnostic]:
    """What `check` finds; Superseded before the next question once the text is no longer current."""
    seconds = question * MOST_AS_LONG
    end = monotonic() + seconds

    def before_question(_: str) -> None:
        if not is_current():
            raise Superseded
        if monotonic() >= end:
            raise _BudgetSpent

    try:
        # A text that is stale before its first question is asked is not worth encoding for the solver.
        before_question("")
        # Half of a question's time may go to making its trace small; the answer itself is worth more.
        return check_contract(contract, budget=Budget(question, question / 2), watch=before_question)
    except _BudgetSpent:
        headline = f"the contract was not checked to the end within {seconds:g} s"
        place = TextPlace(contract.source, contract.statements.get("contract", Span(0, 0)))
        return [Diagnostic("undecided", headline, place, "run `tracepact check` on the file")]


# Quick fixes: what a finding's own help offers, made into edits and tried before it is offered.

_QUOTED = re.compile(r"`([^`…]+)`")
# The wording of help decides what a fix does, so that no finding needs to know of editors; a help that fits none of
# these is shown and offers nothing. Each fix is tried before it is offered, so a changed wording loses a fix and never
# breaks a text.
_REPLACES = ("did you mean", "write", "units are in lower case")
_INSERTS = ("declare it: ", "add its name: ", "add the length of a frame: ", "add one: ")
_OBLIGES = "oblige it only where it asks something: `on "
_GLUES = "a unit is written without a space: "


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that takes a finding away, and what it is called."""

    title: str
    finding: Diagnostic
    edits: tuple[TextEdit, ...]


def fixes(reading: TextReading, faults: Iterable[Diagnostic]) -> list[Fix]:
    """The changes that the findings' help offers, each tried: it must take its finding away and bring no error."""
    return [fix for one in faults for fix in _offered(reading, one) if _helps(reading, fix)]


def _offered(reading: TextReading, fault: Diagnostic) -> Iterator[Fix]:
    if fault.help is None or not isinstance(fault.place, TextPlace):
        return
    quoted, span = _QUOTED.findall(fault.help), fault.place.span
    if fault.help.startswith(_OBLIGES):
        obligation = _obligation(reading, span)
        if obligation is not None:
            text = fault.help.removeprefix(_OBLIGES).removesuffix("`")
            yield Fix(f"oblige it on `{text}`", fault, (TextEdit(obligation, text),))
    elif fault.help.startswith(_GLUES):
        start = len(reading.text[: span.start].rstrip())
        yield Fix(f"write `{quoted[0]}`", fault, (TextEdit(Span(start, span.start), ""),))
    elif fault.help.startswith(_INSERTS):
        yield Fix(f"add `{quoted[0]}`", fault, (_inserted(reading, quoted[0]),))
    elif fault.help.startswith(_REPLACES):
        for text in quoted:
            yield Fix(f"write `{text}`", fault, (TextEdit(span, _without_brackets(reading, span, text)),))
    elif fault.help.endswith("or drop it"):
        yield from _dropped(reading, fault, span)


def _obligation(reading: TextReading, span: Span) -> Span | None:
    """Where the obligation of the frame clause around a place stands."""
    for statement in reading.document.statements:
        if isinstance(statement, s.FrameClauseDecl) and statement.span.start <= span.start < statement.span.end:
            return statement.obligation.span
    return None


def _without_brackets(reading: TextReading, span: Span, text: str) -> str:
    """A window is offered with its brackets; where they stand around the place already they are not doubled."""
    inside = reading.text[: span.start].rstrip().endswith("[") and text.startswith("[")
    return text[1:-1] if inside else text


def _inserted(reading: TextReading, statement: str) -> TextEdit:
    """A new statement on a line of its own: a name at the top, a clause at the end, others above the clauses."""
    clauses = (s.FrameClauseDecl, s.EventClauseDecl)
    first = next((d.span.start for d in reading.document.statements if isinstance(d, clauses)), len(reading.text))
    offset = {"contract": 0, "clause": len(reading.text)}.get(statement.split()[0], first)
    gap = "\n" if offset and reading.text[offset - 1] != "\n" else ""
    return TextEdit(Span(offset, offset), f"{gap}{statement}\n")


def _dropped(reading: TextReading, fault: Diagnostic, span: Span) -> Iterator[Fix]:
    """A declaration that nothing uses, with its line if it stands alone there."""
    for statement in reading.document.statements:
        if isinstance(statement, s.ParamDecl | s.AtomDecl) and statement.name.span == span:
            start, end = statement.span.start, statement.span.end
            alone = not reading.text[reading.text.rfind("\n", 0, start) + 1 : start].strip()
            if alone and reading.text[end : end + 1] == "\n":
                end += 1
            yield Fix(f"drop `{statement.name.text}`", fault, (TextEdit(Span(start, end), ""),))


def _helps(reading: TextReading, fix: Fix) -> bool:
    """Whether the finding is gone, unless it is one that only the solver would find again, and no error is new."""
    after = read(edited(reading.text, fix.edits), reading.source.name)
    fewer = _count(after, fix.finding.code) < _count(reading, fix.finding.code) or fix.finding not in reading.findings
    return fewer and len(_errors(after)) <= len(_errors(reading))


def _count(reading: TextReading, code: str) -> int:
    return sum(fault.code == code for fault in reading.findings)


def _errors(reading: TextReading) -> list[Diagnostic]:
    return [fault for fault in reading.findings if fault.severity is Severity.ERROR]


# Renaming parameters, clauses, declared atoms, profiles and the contract, checked before it is done.

_RENAMED = (NameKind.CONTRACT, NameKind.PARAMETER, NameKind.CLAUSE, NameKind.ATOM, NameKind.PROFILE)


class CannotRename(Exception):  # noqa: N818  (it says what cannot be done)
    """Why a name stays as it is."""


def renamable(reading: TextReading, offset: int) -> Occurrence:
    """The name at a place; CannotRename if it is none that the text declares."""
    name = reading.at(offset)
    if name is None or name.kind not in _RENAMED:
        raise CannotRename("there is no name here that the contract declares")
    if not any(o.declares for o in reading.same(name)):
        raise CannotRename(f"the {name.kind.value} `{name.name}` is not declared in this contract")
    return name


def rename(reading: TextReading, offset: int, new: str) -> list[TextEdit]:
    """The edits that give a name another word everywhere; CannotRename if the contract would mean something else."""
    name = renamable(reading, offset)
    _readable_everywhere(reading, name)
    changed = reading.same(name)
    edits = [TextEdit(occurrence.span, new) for occurrence in changed]
    after = read(edited(reading.text, edits), reading.source.name)
    faults = [d for d in after.findings if d.severity is Severity.ERROR]
    before = [d for d in reading.findings if d.severity is Severity.ERROR]
    if len(faults) > len(before):
        known = {(d.code, d.headline) for d in before}
        said = next((d.headline for d in faults if (d.code, d.headline) not in known), faults[-1].headline)
        raise CannotRename(f"`{new}` cannot be the name of this {name.kind.value}: {said}")
    # The new name must stand for exactly what it stood for before and what is renamed: else a clause would silently
    # read another parameter or atom.
    if _kinds(after, new) != sorted([*_kinds(reading, new), *(o.kind.value for o in changed)]):
        raise CannotRename(f"`{new}` means something else in this contract")
    return edits


def _kinds(reading: TextReading, name: str) -> list[str]:
    """What every occurrence of a word stands for."""
    return sorted(o.kind.value for o in reading.occurrences if o.name == name)


def _readable_everywhere(reading: TextReading, name: Occurrence) -> None:
    """Refuse if a statement that cannot be read has the word: nobody knows what it means there."""
    spans = [statement.span for statement in reading.document.statements]
    for token in read_tokens(reading.source, Diagnostics())[0]:
        place = token_span(token)
        if str(token) == name.name and not any(s.start <= place.start < s.end for s in spans):
            line = reading.source.position(place.start)[0]
            raise CannotRename(f"line {line} also has `{name.name}` and cannot be read; correct it first")


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
    return tuple(replace(one, headline=_with_table(one)) for one in faults)


def _with_table(fault: Diagnostic) -> str:
    place = fault.place
    if not isinstance(place, RowPlace):
        return fault.headline
    return f"{place.file}{'' if place.row is None else f':{place.row}'}: {fault.headline}"


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
    """What a key holds, in the words of the form."""
    reference = str(schema.get("$ref", "")).rpartition("/")[2]
    named = _schema()["$defs"].get(reference, {})
    return str(schema.get("description") or named.get("description") or schema.get("type") or "one of several words")
