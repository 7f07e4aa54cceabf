"""Pages and their tables: everything is escaped, nothing is loaded, only the page's own scripts and styles count."""

import json
import re
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from show.outline import outline, policy, sha256
from tracepact.show.pages import Section, html_page, html_table
from tracepact.show.tables import Cell, Column, ShareBar, Table, Tone, numbers, words

EVIL = "</td></script><img src=x onerror=alert(1)>\"' onmouseover=alert(2) &amp; {{ 1 + 1 }}"


def evil_table(text: str) -> Table:
    cells = [
        Cell(text, Tone.STRONG, note=text, title=text),
        Cell(text, choice={"a": text}, title=text, loss=0.5),
        Cell(text, bar=ShareBar(Fraction(1, 2), Fraction(1, 4), 0.1, 0.9), title=text),
        Cell(text, code=True),
        text,
    ]
    return Table(text, [Column(text, wide_only=True), *numbers(text), *words(text, text, text)], [cells], [text], 1)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=40))
def test_a_table_shows_every_text_and_no_text_becomes_markup(text: str) -> None:
    plain, seen = outline(html_table(evil_table("x"))), outline(html_table(evil_table(text + EVIL)))
    assert [tag for tag, _ in seen.elements] == [tag for tag, _ in plain.elements]
    assert [set(attributes) for _, attributes in seen.elements] == [set(attributes) for _, attributes in plain.elements]
    assert seen.text.count(text + EVIL) == plain.text.count("x")
    assert [json.loads(a["data-filter"] or "") for _, a in seen.elements if "data-filter" in a] == [{"a": text + EVIL}]


def test_a_bar_is_as_long_as_its_share_with_the_free_part_first() -> None:
    (row,) = ([Cell("0.75", bar=ShareBar(Fraction(3, 4), Fraction(1, 4), 0.5, 1.0))],)
    drawn = html_table(Table("", words("score"), [row]))
    found = {a["class"]: a for tag, a in outline(drawn).elements if tag in ("line", "rect") and "class" in a}
    assert (found["vacuous"]["x1"], found["vacuous"]["x2"]) == ("0", "25.00%")
    assert (found["earned"]["x"], found["earned"]["width"]) == ("25.00%", "50.00%")
    ends = [(a["x1"], a["x2"]) for tag, a in outline(drawn).elements if tag == "line" and "class" not in a]
    assert ends == [("50.00%", "100.00%"), ("50.00%", "50.00%"), ("100.00%", "100.00%")]


def test_rows_have_headings_and_the_last_are_totals() -> None:
    seen = outline(html_table(Table("t", words("name", "value"), [["a", "1"], ["b", "2"], ["all", "3"]], totals=1)))
    assert [a.get("class") for tag, a in seen.elements if tag == "tr"] == [None, None, None, "total"]
    assert sum(a.get("scope") == "row" for tag, a in seen.elements if tag == "th") == 3


def test_the_policy_names_the_style_and_every_script_and_nothing_else() -> None:
    text = html_page("t", Markup("<h1>t</h1>"), [Section("one", "One", html_table(evil_table(EVIL)))], data={"a": EVIL})
    found = policy(text)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert found["default-src"] == found["base-uri"] == found["form-action"] == ["'none'"]
    assert found["style-src"] == [sha256(style)]
    assert found["script-src"] == [sha256(script) for script in scripts]
    for _, attributes in outline(text).elements:
        assert not [name for name in attributes if name == "style" or name.startswith("on")]


def test_text_that_is_not_markup_is_escaped_wherever_it_stands() -> None:
    text = html_page(EVIL, EVIL, [Section("one", EVIL, EVIL, EVIL)])  # type: ignore[arg-type]
    assert "img" not in {tag for tag, _ in outline(text).elements}
    assert outline(text).text.count(EVIL) == 6
