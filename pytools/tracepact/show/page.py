"""Self-contained pages: templates that escape what they are given, in one file that loads nothing.

HTML is written in templates alone; a text becomes part of a page only through one, which escapes it. What is HTML
already has the type `Markup`. A page's policy names its style sheet and its scripts by their SHA-256, so that a browser
runs nothing else, whatever a name may hold; so nothing in a page has a `style` attribute or a handler of its own.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tracepact.show.table import Table, cell_of

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
    style = "".join(map(asset, ("page.css", *styles))) + shades
    code = [asset(name) for name in ("theme.js", *scripts)]
    made = templates().get_template("page.html")
    return made.render(
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
    made: Any = templates().get_template("table.html").module
    return Markup(made.table(table, kind))  # noqa: S704  (what a template made)


@cache
def templates(folder: Path | None = None) -> Environment:
    """The templates of a folder, which may import those of this package (`table.html`); what they print is escaped."""
    places = [_ASSETS] if folder is None else [folder, _ASSETS]
    made = Environment(
        loader=FileSystemLoader(places),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals |= {"cell_of": cell_of, "shades": _SHADES}
    made.filters["percent"] = _percent
    made.filters["json"] = json.dumps
    return made


@cache
def asset(name: str) -> str:
    """The text of a style sheet or script that ships with the package."""
    return (_ASSETS / name).read_text(encoding="utf-8")


def script_json(data: Any) -> str:
    """Data as JSON that cannot end the script it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _policy(style: str, scripts: Sequence[str], media: str, connect: str) -> str:
    """What a browser may do for a page: use this style sheet, these scripts, sounds and servers, no others."""
    allowed = " ".join(map(_source, scripts))
    places = "".join(f"{what}-src {where}; " for what, where in (("media", media), ("connect", connect)) if where)
    loads = f"default-src 'none'; style-src {_source(style)}; script-src {allowed}; {places}"
    return f"{loads}base-uri 'none'; form-action 'none'"


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _percent(share: Fraction | float) -> str:
    return f"{100 * float(share):.2f}%"
