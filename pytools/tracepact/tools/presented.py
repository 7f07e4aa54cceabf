"""Results that print well: a mixin for records, with text, HTML for notebooks, a small repr and a data frame."""

from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

from markupsafe import Markup

from tracepact.files import write_whole
from tracepact.frames import data_frame
from tracepact.records import Record
from tracepact.show.figure import inline
from tracepact.show.page import html_table
from tracepact.show.screen import Screen
from tracepact.show.table import Table, cell_of
from tracepact.show.terminal import TerminalTable

_WIDTH = 100
_R = TypeVar("_R", bound=Record)


class Presented:
    """What a result shows of itself: lines, tables, rows; how that is drawn follows from them."""

    __slots__ = ()

    def brief(self) -> str:
        """The result in a few words."""
        raise NotImplementedError

    def lines(self) -> Sequence[str]:
        """What is said above the tables."""
        return ()

    def verbatim(self) -> str:
        """What is drawn below the lines as it is written, in columns: traces, text of contracts."""
        return ""

    def tables(self) -> Sequence[Table]:
        """The result as tables."""
        return ()

    def rows(self) -> tuple[Sequence[str], Iterable[Sequence[Any]]]:
        """Columns and rows of data; those of the first table unless said otherwise."""
        (first, *_) = self.tables()
        return [column.heading for column in first.columns], [[cell_of(c).text for c in row] for row in first.rows]

    def to_frame(self) -> Any:
        """The rows as a data frame of pandas, or of polars where only that is installed.

        Returns:
            The data frame.
        """
        return data_frame(*self.rows())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.brief()}>"

    def __str__(self) -> str:
        console = Screen(file=StringIO(), width=_WIDTH, highlight=False, emoji=False, color_system=None)
        for line in self.lines():
            console.print(line, markup=False, soft_wrap=True)
        if drawn := self.verbatim():
            console.print(f"\n{drawn}", markup=False, soft_wrap=True)
        for table in self.tables():
            console.print(TerminalTable(table))
        assert isinstance(console.file, StringIO)
        return "\n".join(line.rstrip() for line in console.file.getvalue().rstrip().splitlines())

    def _repr_html_(self) -> str:
        said = [Markup("<p>{}</p>").format(line) for line in self.lines()]
        drawn = self.verbatim()
        kept = [Markup("<pre>{}</pre>").format(drawn)] if drawn else []
        return str(Markup("").join([*said, *kept, *map(html_table, self.tables())]))


def presented(kind: type[_R], record: Record) -> _R:
    """A record as one of a kind that adds how it is shown."""
    return kind(**{name: getattr(record, name) for name in record.__struct_fields__})


class Picture:
    """A drawing as SVG text, which notebooks show.

    Attributes:
        svg: the text.
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: str | Path) -> Path:
        """Write it to a file.

        Args:
            path: where to.

        Returns:
            The path.
        """
        write_whole({Path(path): self.svg})
        return Path(path)

    def __repr__(self) -> str:
        return f"<Picture of {len(self.svg):,} characters>"

    def _repr_svg_(self) -> str:
        return str(inline(self.svg))
