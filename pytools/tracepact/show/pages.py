"""Pages from templates that escape what they are given, timelines as lanes, and results that print well."""

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tracepact.declarations import data_frame
from tracepact.files import write_whole
from tracepact.records import Record
from tracepact.show.figures import inline, svg_line, svg_picture, svg_text, text_width
from tracepact.show.tables import Screen, Table, TerminalTable, cell_of
from tracepact.wording import Number, count, visible

# Self-contained pages: templates that escape what they are given, in one file that loads nothing.
#
# HTML is written in templates alone; a text becomes part of a page only through one, which escapes it. What is HTML
# already has the type `Markup`. A page's policy names its style sheet and its scripts by their SHA-256, so that a
# browser runs nothing else, whatever a name may hold; so nothing in a page has a `style` attribute or a handler of
# its own.

_ASSETS = Path(__file__).resolve().parent / "assets"
_SHADES = 20


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: its anchor, its title, what it holds, and a line under the title."""

    id: str
    title: str
    body: Markup
    lead: str = ""


def html_page(
    title: str,
    head: Markup,
    sections: Sequence[Section],
    *,
    scripts: Sequence[str] = (),
    styles: Sequence[str] = (),
    data: Any = None,
    media: str = "",
    connect: str = "",
) -> str:
    """A whole page. `head` is shown under the title; `scripts` and `styles` name assets; `data` is in #data for them.

    `media` are the places sounds may come from, and `connect` those that scripts may ask, in the words of a policy; by
    default none.
    """
    shades = "".join(f".loss-{k}{{--loss:{k / _SHADES:g}}}\n" for k in range(_SHADES + 1))
    # Shades are classes: a `style` attribute would need a policy that allows every style.
    style = "".join(map(asset, ("page.css", *styles))) + shades
    code = [asset(name) for name in ("theme.js", *scripts)]
    template = templates().get_template("page.html")
    if not connect:  # a page that is served sends what it was given back, as it is
        data = _visible_data(data)
    return template.render(
        title=title,
        head=head,
        sections=sections,
        policy=_policy(style, code, media, connect),
        style=Markup(style),  # noqa: S704  (files of the package)
        scripts=[Markup(script) for script in code],  # noqa: S704
        data=None if data is None else Markup(script_json(data)),  # noqa: S704  (cannot end its element)
    )


def html_table(table: Table, *, kind: str = "") -> Markup:
    """A table that scrolls on a narrow screen; the first cell of a row is its heading. `kind` is a class of its own."""
    template: Any = templates().get_template("table.html").module
    return Markup(template.table(table, kind))  # noqa: S704  (what a template made)


@cache
def templates(folder: Path | None = None) -> Environment:
    """The templates of a folder, which may import those of this package (`table.html`); what they print is escaped."""
    places = [_ASSETS] if folder is None else [folder, _ASSETS]
    environment = Environment(
        loader=FileSystemLoader(places),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_visible,
    )
    environment.globals |= {"cell_of": cell_of, "count": count, "shades": _SHADES}
    environment.filters["percent"] = lambda share: f"{100 * float(share):.2f}%"
    environment.filters["json"] = json.dumps
    return environment


def _visible(value: Any) -> Any:
    """A value as a template prints it, with acting signs escaped; HTML was made by a template and stays as it is."""
    return visible(value) if type(value) is str else value


def _visible_data(data: Any) -> Any:
    """The same of data that a script of a page shows."""
    if isinstance(data, Mapping):
        return {_visible(key): _visible_data(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_visible_data(value) for value in data]
    return _visible(data)


@cache
def asset(name: str) -> str:
    """The text of a style sheet or script that ships with the package."""
    return (_ASSETS / name).read_text(encoding="utf-8")


def script_json(data: Any) -> str:
    """Data as JSON that cannot end the script it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # Within a script element only `</script` and `<!--` end what is written there; without `<` there is neither. U+2028
    # and U+2029 end a line in JavaScript before ES2019.
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _policy(style: str, scripts: Sequence[str], media: str, connect: str) -> str:
    """The content policy of a page: this style sheet, these scripts, sounds and servers, and no others."""
    allowed = " ".join(map(_source, scripts))
    places = "".join(f"{what}-src {where}; " for what, where in (("media", media), ("connect", connect)) if where)
    loads = f"default-src 'none'; style-src {_source(style)}; script-src {allowed}; {places}"
    return f"{loads}base-uri 'none'; form-action 'none'"


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


# Small timelines as SVG text: lanes of intervals under each other, told apart by their form and not by colour.

_LANE, _LEFT_MARGIN, _PANEL_GAP = 16, 12, 10
_WIDTH = 720


class Form(Enum):
    """How the intervals of a lane are drawn."""

    SOLID = "fill='currentColor' fill-opacity='.8'"
    OUTLINE = "fill='currentColor' fill-opacity='.15' stroke='currentColor'"
    CROSSED = "fill='#c8505c' fill-opacity='.35' stroke='#c8505c' stroke-dasharray='2 2'"


@dataclass(frozen=True, slots=True)
class Lane:
    """A named row; its intervals by panel, each a start and an end."""

    name: str
    panels: Sequence[Sequence[tuple[Number, Number]]]
    form: Form


def lane_chart(title: str, panels: Sequence[tuple[str, Number]], lanes: Sequence[Lane], *, width: int = _WIDTH) -> str:
    """Lanes over one or more panels beside each other, each with its name and its length, drawn in proportion."""
    left = _LEFT_MARGIN + 10 + max((text_width(lane.name) for lane in lanes), default=0)
    total = sum(float(length) for _, length in panels) or 1.0
    room = max(width - left - _LEFT_MARGIN - _PANEL_GAP * (len(panels) - 1), 120.0)
    starts, at = [], float(left)
    for _, length in panels:
        starts.append(at)
        at += float(length) / total * room + _PANEL_GAP
    top = 46.0
    parts = [svg_text(_LEFT_MARGIN, 22, title, "font-weight='600'")]
    bottom = top + _LANE * len(lanes)
    for start, (name, length) in zip(starts, panels, strict=True):
        parts.append(svg_text(start, top - 8, name, "opacity='.7'", small=True))
        end = start + float(length) / total * room
        parts += [svg_line(edge, top - 2, edge, bottom, "opacity='.2'") for edge in (start, end)]
    for row, lane in enumerate(lanes):
        y = top + row * _LANE
        parts.append(svg_text(left - 8, y + 11, lane.name, "text-anchor='end'", small=True))
        parts.append(svg_line(left, y + _LANE - 2, at - _PANEL_GAP, y + _LANE - 2, "opacity='.12'"))
        for start, runs in zip(starts, lane.panels, strict=True):
            for first, last in runs:
                # An event of one frame in an hour is still to be seen.
                size = max((float(last) - float(first)) / total * room, 1.0)
                x = start + float(first) / total * room
                box = f"x='{x:.1f}' y='{y + 2:.1f}' width='{size:.1f}' height='{_LANE - 5}'"
                parts.append(f"<rect {box} {lane.form.value}/>")
    return svg_picture(title, width, bottom + 12, parts)


# Results that print well: a mixin for records, with text, HTML for notebooks, a small repr and a data frame.

_RESULT_WIDTH = 100
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
        console = Screen(file=StringIO(), width=_RESULT_WIDTH, highlight=False, emoji=False, color_system=None)
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
