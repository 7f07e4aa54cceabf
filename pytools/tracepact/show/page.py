"""The skeleton of a self-contained page: styles for light, dark and print, sections, data and scripts in one file."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

_ASSETS = Path(__file__).resolve().parent / "assets"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""What the browser may load for a page: nothing but what is in it."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: its anchor, its title, a line under the title (text), and its HTML."""

    id: str
    title: str
    body: str
    lead: str = ""


def page(title: str, head: str, sections: Sequence[Section], *, scripts: Sequence[str] = (), data: Any = None) -> str:
    """A whole page. `head` is the HTML under the title; `scripts` name assets; `data` is what they find in #data."""
    links = "".join(f'<a href="#{section.id}">{escape(section.title)}</a>' for section in sections)
    parts = "\n".join(_section(section) for section in sections)
    held = "" if data is None else f'<script type="application/json" id="data">{script_json(data)}</script>\n'
    code = "\n".join(f"<script>{asset(name)}</script>" for name in ("theme.js", *scripts))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>
{asset("page.css")}</style>
</head>
<body>
<a class="skip" href="#{sections[0].id if sections else ""}">Skip to the content</a>
<nav aria-label="Sections"><div class="inner"><span class="mark" aria-hidden="true">tracepact</span>{links}
<button type="button" id="theme" title="Light, dark, or as the system">theme: auto</button></div></nav>
<header class="inner">{head}</header>
<main class="inner">
{parts}
</main>
{held}{code}
</body>
</html>
"""


def _section(section: Section) -> str:
    lead = f'<p class="lead">{escape(section.lead)}</p>' if section.lead else ""
    heading = f'<h2 id="{section.id}-title">{escape(section.title)}</h2>'
    return (
        f'<section id="{section.id}" aria-labelledby="{section.id}-title">{heading}{lead}\n{section.body}\n</section>'
    )


@cache
def asset(name: str) -> str:
    """The text of a style sheet or script that ships with the package."""
    return (_ASSETS / name).read_text(encoding="utf-8")


def script_json(data: Any) -> str:
    """Data as JSON that cannot end the script it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def table(headings: Iterable[str], rows: Iterable[Sequence[str]], *, caption: str = "", kind: str = "") -> str:
    """A table of HTML cells that scrolls on a narrow screen; the first cell of a row is its heading."""
    head = "".join(f'<th scope="col">{cell}</th>' for cell in headings)
    body = "\n".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>' for first, *rest in rows
    )
    title = f"<caption>{caption}</caption>" if caption else ""
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="table"><table class="{kind}">{title}'
        f"<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>"
    )
