"""The charts: well-formed SVG that says everything without colour."""

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracepact.show.figures import Bar, BarGroup, Curve, bar_chart, curve_chart, heat_table

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<b>&\"'</title>\x00\x1b \ud800 ]]>"


def texts(svg: str) -> list[str]:
    """The texts a reader sees, without what only appears on hover."""
    found = []
    for node in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        hover = node.find(f"{SVG}title")
        found.append((hover.tail if hover is not None else node.text) or "")
    return found


def paths(svg: str) -> list[str]:
    return [node.attrib["d"] for node in ElementTree.fromstring(svg).iter(f"{SVG}path")]


def charts(name: str) -> dict[str, str]:
    return {
        "curves": curve_chart(name, [Curve(name, [(0, 0), (1, 1)], [(1, 1)])], x=name, y=name, rules=[(0.5, name)]),
        "bars": bar_chart(name, [BarGroup(name, [Bar(name, 0.5, 0.4, 0.6)])], x=name),
        "heat": heat_table(name, [name], [name], [[0.5]]),
    }


@pytest.mark.parametrize("kind", ["curves", "bars", "heat"])
def test_text_cannot_leave_its_place(kind: str) -> None:
    root = ElementTree.fromstring(charts(HOSTILE)[kind])
    assert {node.tag.removeprefix(SVG) for node in root.iter()} <= {"svg", "title", "text", "path", "rect"}
    assert "<b>&\"'</title>" in (root.findtext(f"{SVG}title") or "")


@pytest.mark.parametrize("kind", ["curves", "bars", "heat"])
def test_a_chart_is_titled_takes_the_colour_of_the_text_and_names_no_id(kind: str) -> None:
    svg = charts("a name")[kind]
    root = ElementTree.fromstring(svg)
    assert root.findtext(f"{SVG}title") == "a name"
    assert root.attrib["fill"] == "currentColor"
    assert root.attrib["role"] == "img"
    assert " id=" not in svg, "two charts of one page would share it"


def test_a_step_curve_keeps_a_value_back_to_the_point_before() -> None:
    points: Sequence[tuple[int, float]] = [(0, 0.0), (1, 0.5), (2, 1.0)]
    stepped, straight = (paths(curve_chart("t", [Curve("c", points)], x="x", y="y", steps=s)) for s in (True, False))
    (curve,) = [d for d in stepped if "V" in d]
    moved = re.fullmatch(r"M([\d.]+),([\d.]+)V([\d.]+)H([\d.]+)V([\d.]+)H([\d.]+)", curve)
    assert moved is not None
    x0, y0, y1, x1, y2, x2 = map(float, moved.groups())
    assert x2 - x1 == pytest.approx(x1 - x0, abs=0.2)
    assert y0 - y1 == pytest.approx(y1 - y2, abs=0.2)
    assert y0 > y1 > y2, "up is less in SVG"
    assert not [d for d in straight if "V" in d]


def test_a_missing_point_leaves_a_gap() -> None:
    svg = curve_chart("t", [Curve("c", [(0, 0), (1, None), (2, 1), (3, 1)])], x="x", y="y")
    assert [d for d in paths(svg) if re.fullmatch(r"M[\d.,]+M[\d.,]+L[\d.,]+", d)]


def test_curves_that_end_together_have_labels_apart() -> None:
    names = [f"curve {k}" for k in range(12)]
    svg = curve_chart("t", [Curve(name, [(0, 0), (1, 1)]) for name in names], x="x", y="y")
    root = ElementTree.fromstring(svg)
    heights = sorted(float(n.attrib["y"]) for n in root.iter(f"{SVG}text") if (n.text or "").startswith("curve "))
    assert len(heights) == len(names)
    assert min(b - a for a, b in pairwise(heights)) > 14
    assert 0 < heights[0] < heights[-1] < float(root.attrib["height"])


def test_curves_differ_by_dash_and_marker_not_only_by_colour() -> None:
    svg = curve_chart("t", [Curve(str(k), [(0, 0), (1, k)]) for k in range(8)], x="x", y="y")
    root = ElementTree.fromstring(svg)
    lines = [n for n in root.iter(f"{SVG}path") if n.attrib.get("stroke-width") == "2"]
    markers = {n.attrib["d"] for n in root.iter(f"{SVG}path") if n.attrib.get("stroke") == "none"}
    assert len({n.attrib.get("stroke-dasharray") for n in lines}) == len(markers) == 8


def test_bars_show_values_and_intervals_in_figures_and_say_what_is_missing() -> None:
    groups = [BarGroup("g", [Bar("a", Fraction(1, 3), Fraction(1, 4), 0.5), Bar("b", None, note="no obligation")])]
    shown = texts(bar_chart("t", groups, x="x"))
    assert "0.333 (0.250 to 0.500)" in shown
    assert "no obligation" in shown
    assert {"g", "a", "b"} <= set(shown)


def test_a_negative_bar_lies_left_of_zero() -> None:
    svg = bar_chart("t", [BarGroup("", [Bar("a", -1), Bar("b", 3)])], x="x")
    minus, plus = (r.attrib for r in ElementTree.fromstring(svg).iter(f"{SVG}rect"))
    assert float(minus["x"]) + float(minus["width"]) == pytest.approx(float(plus["x"]), abs=0.2)
    assert float(plus["width"]) == pytest.approx(3 * float(minus["width"]), abs=0.5)


def test_a_heat_table_shows_every_number_and_a_dash_for_none() -> None:
    svg = heat_table("t", ["r", "s"], ["a", "b"], [[0, Fraction(1, 2)], [None, 1]])
    assert [text for text in texts(svg) if text in ("0.00", "0.50", "–", "1.00")] == ["0.00", "0.50", "–", "1.00"]
    shades = [float(r.attrib["fill-opacity"]) for r in ElementTree.fromstring(svg).iter(f"{SVG}rect")]
    assert shades[0] == shades[2] == 0 < shades[1] < shades[3]


@given(st.lists(st.tuples(st.text(max_size=60), st.fractions(-5, 5)), max_size=6), st.booleans())
def test_any_names_and_values_make_well_formed_charts(rows: list[tuple[str, Fraction]], steps: bool) -> None:
    curves = [Curve(name, [(k, value * k) for k in range(3)]) for name, value in rows]
    ElementTree.fromstring(curve_chart("t", curves, x="x", y="y", steps=steps, y_range=None))
    ElementTree.fromstring(bar_chart("t", [BarGroup(name, [Bar(name, value)]) for name, value in rows], x="x"))
    ElementTree.fromstring(heat_table("t", [n for n, _ in rows], ["c"], [[value] for _, value in rows]))
