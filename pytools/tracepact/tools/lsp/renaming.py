"""Renaming parameters, clauses, declared atoms, profiles and the contract, checked before it is done."""

from tracepact.diagnostics import Diagnostics, Severity
from tracepact.lang.build import token_span
from tracepact.lang.reader import read_tokens
from tracepact.tools.lsp.edits import Edit, edited
from tracepact.tools.lsp.names import Kind, Occurrence
from tracepact.tools.lsp.reading import Reading, read

_RENAMED = (Kind.CONTRACT, Kind.PARAMETER, Kind.CLAUSE, Kind.ATOM, Kind.PROFILE)


class CannotRename(Exception):  # noqa: N818  (it says what cannot be done)
    """Why a name stays as it is."""


def renamable(reading: Reading, offset: int) -> Occurrence:
    """The name at a place; CannotRename if it is none that the text declares."""
    found = reading.at(offset)
    if found is None or found.kind not in _RENAMED:
        raise CannotRename("there is no name here that the contract declares")
    if not any(o.declares for o in reading.same(found)):
        raise CannotRename(f"the {found.kind.value} `{found.name}` is not declared in this contract")
    return found


def rename(reading: Reading, offset: int, new: str) -> list[Edit]:
    """The edits that give a name another word everywhere; CannotRename if the contract would mean something else."""
    name = renamable(reading, offset)
    _readable_everywhere(reading, name)
    changed = reading.same(name)
    edits = [Edit(occurrence.span, new) for occurrence in changed]
    after = read(edited(reading.text, edits), reading.source.name)
    faults = [d for d in after.found if d.severity is Severity.ERROR]
    before = [d for d in reading.found if d.severity is Severity.ERROR]
    if len(faults) > len(before):
        known = {(d.code, d.headline) for d in before}
        said = next((d.headline for d in faults if (d.code, d.headline) not in known), faults[-1].headline)
        raise CannotRename(f"`{new}` cannot be the name of this {name.kind.value}: {said}")
    if _kinds(after, new) != sorted([*_kinds(reading, new), *(o.kind.value for o in changed)]):
        raise CannotRename(f"`{new}` means something else in this contract")
    return edits


def _kinds(reading: Reading, name: str) -> list[str]:
    """What every occurrence of a word stands for."""
    return sorted(o.kind.value for o in reading.occurrences if o.name == name)


def _readable_everywhere(reading: Reading, name: Occurrence) -> None:
    """Refuse if a statement that cannot be read has the word: nobody knows what it means there."""
    spans = [statement.span for statement in reading.document.statements]
    for token in read_tokens(reading.source, Diagnostics())[0]:
        place = token_span(token)
        if str(token) == name.name and not any(s.start <= place.start < s.end for s in spans):
            line = reading.source.position(place.start)[0]
            raise CannotRename(f"line {line} also has `{name.name}` and cannot be read; correct it first")
