"""A diagnostic as a record: the form of its JSON, wherever a result holds one."""

from typing import Annotated, Literal

from msgspec import Meta

from tracepact.diagnostics.collection import as_data
from tracepact.diagnostics.findings import Diagnostic
from tracepact.records import Count, OneOf, Record, record_of

_File = Annotated[str, Meta(description="The file as it was given.")]
_Rule = Annotated[
    str, Meta(pattern=r"^[0-9]+\.[0-9]+$", description="The number of a rule of spec/language.md or spec/tools.")
]


class PlaceRecord(OneOf):
    """Where a fault is."""


class TextPlaceRecord(Record, PlaceRecord, frozen=True):
    """A span of a contract's text."""

    file: _File
    line: Annotated[int, Meta(ge=1, description="The line, from one.")]
    column: Annotated[int, Meta(ge=1, description="The column, from one.")]
    span: Annotated[tuple[Count, Count], Meta(description="A half-open range of characters [start, end) (1.1).")]


class RowPlaceRecord(Record, PlaceRecord, frozen=True):
    """A row of a table."""

    file: _File
    line: Annotated[Count | None, Meta(description="The row as a line of the file, from one; null for the whole file.")]


class DiagnosticRecord(Record, frozen=True):
    """One finding."""

    code: Annotated[str, Meta(pattern="^[a-z]+(-[a-z]+)*$", description="The fault's name in the registry.")]
    severity: Annotated[Literal["error", "warning", "note"], Meta(description="How bad it is.")]
    headline: Annotated[str, Meta(min_length=1, description="What is wrong, with the input in backticks.")]
    place: Annotated[PlaceRecord | None, Meta(description="Where it is; null if nowhere in particular.")]
    help: Annotated[str | None, Meta(description="A way out, if one is known.")]
    trace: Annotated[
        str | None, Meta(description="A picture of a trace or of intervals that show it, if there is one.")
    ]
    rules: Annotated[
        tuple[_Rule, ...],
        Meta(description="The rules the fault rests on.", extra_json_schema={"uniqueItems": True}),
    ]

    @property
    def where(self) -> str:
        """The file and line, in words; empty if it is nowhere in particular."""
        if not isinstance(self.place, TextPlaceRecord | RowPlaceRecord):
            return ""
        return self.place.file if self.place.line is None else f"{self.place.file}:{self.place.line}"


def diagnostic_record(diagnostic: Diagnostic) -> DiagnosticRecord:
    """The record of a diagnostic."""
    return record_of(as_data(diagnostic), DiagnosticRecord)
