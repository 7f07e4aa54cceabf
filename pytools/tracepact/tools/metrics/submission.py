"""Checks a submission: its table of detections row by row, and its YAML metadata entry by entry (rule 15.18)."""

from collections.abc import Mapping
from typing import Any

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.biodcase import read_biodcase
from tracepact.io.delimited import read_rows
from tracepact.io.source import PathLike, TextFile, read_text, shown

_NULL = "tag:yaml.org,2002:null"
COLUMNS = ("dataset", "filename", "annotation", "start_datetime", "end_datetime")
_TEXT, _FILLED = "a text", "anything"
_AUTHOR = {"lastname": _TEXT, "firstname": _TEXT, "email": _TEXT, "affiliation": _FILLED}
_FORM: Mapping[str, Any] = {
    "submission": {"label": _TEXT, "name": _TEXT, "abbreviation": _TEXT, "authors": [_AUTHOR]},
    "system": {"description": {}},
}
"""What must be there: a text, anything filled, a list of one form, or a mapping with at least these entries."""


def check_submission(table: PathLike, metadata: PathLike, diagnostics: Diagnostics) -> None:
    """Report every fault of both files, with file and row."""
    file = read_text(table, diagnostics)
    if file is not None:
        _check_table(file, diagnostics)
    described = read_text(metadata, diagnostics)
    if described is not None:
        _check_metadata(described, diagnostics)


def _check_table(file: TextFile, diagnostics: Diagnostics) -> None:
    before = len(diagnostics)
    header = next((line for line in file.text.splitlines() if line.strip()), "")
    if "\t" in header and "," not in header:
        help = "separate the columns of a submission by commas"
        diagnostics.add("wrong-columns", "the columns are separated by tabs", RowPlace(file.name, 1), help)
        return
    for row, fields in read_rows(file, COLUMNS, diagnostics):
        if not fields[0].strip():
            diagnostics.add("incomplete-row", "the row has no `dataset`", RowPlace(file.name, row))
    if any(d.code == "wrong-columns" for d in diagnostics.items[before:]):
        return
    found = read_biodcase(file, diagnostics)
    for clip, event in found.events:
        if event.offset < event.onset:
            headline = f"`{shown(event.label)}` in `{shown(clip)}` ends before it starts"
            diagnostics.add("offset-before-onset", headline, RowPlace(file.name, event.row))


def _check_metadata(file: TextFile, diagnostics: Diagnostics) -> None:
    try:
        import yaml
    except ImportError:
        diagnostics.add(
            "missing-extra",
            "metadata is YAML, and PyYAML is not installed",
            RowPlace(file.name),
            "pip install 'tracepact[yaml]'",
        )
        return
    try:
        root = yaml.compose(file.text, Loader=yaml.SafeLoader)
    except (RecursionError, ValueError, OverflowError):  # the reader of YAML does not say where
        diagnostics.add(
            "bad-metadata", "not YAML that can be read: it nests too deep, or names no sign", RowPlace(file.name)
        )
        return
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = RowPlace(file.name, mark.line + 1 if mark else None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", "it cannot be read")
        diagnostics.add("bad-metadata", f"not YAML: {problem}", place)
        return
    _check_node(root, _FORM, "", 1, file.name, diagnostics)


def _check_node(node: Any, form: Any, at: str, line: int, name: str, diagnostics: Diagnostics) -> None:
    """Compare a node of the document, on some line, with what must be there."""
    kind = node.id if node is not None else "scalar"
    row = node.start_mark.line + 1 if node is not None else line

    def fault(what: str, path: str = at or "the document") -> None:
        diagnostics.add("bad-metadata", f"`{path}` {what}", RowPlace(name, row))

    match form:
        case str():
            if node is None or not node.value or node.tag == _NULL or (kind == "scalar" and not node.value.strip()):
                fault("is not filled")
            elif form == _TEXT and kind != "scalar":
                fault(f"is a {kind}, not a text")
        case list():
            if kind != "sequence" or not node.value:
                fault("is not a list with at least one entry")
                return
            for index, item in enumerate(node.value):
                _check_node(item, form[0], f"{at}[{index}]", row, name, diagnostics)
        case _:
            if kind != "mapping":
                fault("is not a mapping")
                return
            entries = {key.value: value for key, value in node.value if isinstance(key.value, str)}
            for key, part in form.items():
                path = f"{at}.{key}" if at else key
                if key in entries:
                    _check_node(entries[key], part, path, row, name, diagnostics)
                else:
                    fault("is missing", path)
