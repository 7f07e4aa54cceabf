"""What figures draw: places, lengths, shades and marks of SVG, worked out from the values by hand."""

import itertools
import json
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import pytest
from cli.command import run, write
from rich.console import Console

import tracepact
from golden.task import table
from golden.test_other_rows import CALIBRATION
from tracepact.language.contract import Aggregation
from tracepact.runs.report_parts import report_of
from tracepact.runs.report_tables import vector_table
from tracepact.show.figures import Bar, BarGroup, Curve, bar_chart, curve_chart, heat_table, thinned
from tracepact.show.pages import Form, Lane, html_table, lane_chart
from tracepact.show.tables import Cell, ShareBar, Table, TerminalTable, code, words

F = Fraction
SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float]
"""Where something begins and ends, from left to right."""


def nodes(svg: str, tag: str) -> list[Element]:
    return list(ElementTree.fromstring(svg).iter(f"{SVG}{tag}"))


def text_of(node: Element) -> str:
    hover = node.find(f"{SVG}title")
    return ((hover.tail if hover is not None else node.text) or "").strip()


def texts(svg: str) -> list[str]:
    return [text_of(node) for node in nodes(svg, "text")]


def box(node: Element) -> Box:
    start = float(node.attrib["x"])
    return start, start + float(node.attrib["width"])


def row_of(svg: str, name: str) -> float:
    """The height of a named row of lanes."""
    (height,) = (float(n.attrib["y"]) for n in nodes(svg, "text") if text_of(n) == name)
    return height


def lane(svg: str, name: str) -> list[tuple[str, Box]]:
    """The marks of a named lane: how they are filled, and where."""
    height = row_of(svg, name)
    marks = [n for n in nodes(svg, "rect") if 0 < height - float(n.attrib["y"]) < 12]
    return [(n.attrib["fill-opacity"], box(n)) for n in marks]


def sides(svg: str) -> list[float]:
    """Where the panels of lanes begin and end."""
    ends = (re.findall(r"[ML]([\d.]+),", node.attrib["d"]) for node in nodes(svg, "path"))
    return sorted({float(line[0]) for line in ends if line[0] == line[-1]})


def on_terminal(shown: Table, width: int = 60) -> str:
    console = Console(file=StringIO(), width=width, color_system=None)
    console.print(TerminalTable(shown))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def near(boxes: Iterable[Box], expected: Sequence[Box]) -> bool:
    """Equal to a tenth of a pixel, to which places are written."""
    return [*boxes] == [pytest.approx(one, abs=0.16) for one in expected]


# Lanes


def test_lanes_are_drawn_in_proportion() -> None:
    """Panels of 6 and 2 frames beside each other: one frame has the same length in both, and none is beyond its own."""
    lanes = [Lane("one", [[(1, 3)], [(0, 1)]], Form.SOLID), Lane("two", [[(0, 6)], [(1, 2)]], Form.OUTLINE)]
    svg = lane_chart("t", [("left", 6), ("right", 2)], lanes)
    left, end, start, right = sides(svg)
    frame = (end - left) / 6
    assert (right - start) / 2 == pytest.approx(frame, abs=0.1)
    assert start - end == pytest.approx(10, abs=0.11)
    first, second = lane(svg, "one"), lane(svg, "two")
    assert near((one for _, one in first), [(left + frame, left + 3 * frame), (start, start + frame)])
    assert near((one for _, one in second), [(left, end), (start + frame, right)])
    assert {kind for kind, _ in first} == {".8"}
    assert {kind for kind, _ in second} == {".15"}


def test_numbers_of_an_axis_stand_beside_their_lines() -> None:
    """Heights end eight pixels before the line that they name, on its middle; times stand below the frame."""
    svg = curve_chart("t", [Curve("a", [(0, 0), (1, 1)])], x="time", y="share")
    rules = [re.findall(r"M([\d.]+),([\d.]+)L", n.attrib["d"]) for n in nodes(svg, "path") if n.get("opacity") == ".15"]
    lines = sorted((float(x) - 8, float(y) + 4) for ((x, y),) in rules)
    ends = [n for n in nodes(svg, "text") if n.get("text-anchor") == "end"]
    numbers = [(float(n.attrib["x"]), float(n.attrib["y"])) for n in ends if re.fullmatch(r"[\d.]+", text_of(n))]
    assert len(lines) > 1
    assert sorted(numbers) == [pytest.approx(one, abs=0.11) for one in lines]


def test_a_lane_is_sixteen_pixels_high() -> None:
    """A mark leaves two of them free above and three below; a thin line runs under it."""
    svg = lane_chart("t", [("one", 4)], [Lane(name, [[(1, 3)]], Form.SOLID) for name in ("a", "b", "c")])
    marks = [
        (float(n.attrib["y"]), float(n.attrib["height"])) for n in nodes(svg, "rect") if "fill-opacity" in n.attrib
    ]
    tops = [y for y, _ in marks]
    assert [height for _, height in marks] == [11, 11, 11]
    assert [after - before for before, after in itertools.pairwise(tops)] == [16, 16]
    assert [row_of(svg, name) - y for name, y in zip("abc", tops, strict=True)] == [9, 9, 9]
    ends = [re.findall(r"[ML][\d.]+,([\d.]+)", node.attrib["d"]) for node in nodes(svg, "path")]
    under = [float(line[0]) for line in ends if line[0] == line[-1]]
    assert under == [y + 12 for y in tops]


def test_a_timeline_has_the_reference_above_and_filled() -> None:
    """Of ten frames the reference has 2 to 5, the prediction 4 to 9; the clause fails from 5 to 9."""
    text = "contract c\nstep 1s\nclause quiet on pred_active : ref_active\n"
    svg = tracepact.score(text, [(2, 5)], [(4, 9)], durations=10).plot().svg
    left, right = sides(svg)
    frame = (right - left) / 10
    expected = {"reference": (".8", 2, 5), "prediction": (".15", 4, 9), "fails quiet": (".35", 5, 9)}
    for name, (fill, start, end) in expected.items():
        ((kind, place),) = lane(svg, name)
        assert kind == fill
        assert near([place], [(left + start * frame, left + end * frame)]), name
    assert row_of(svg, "reference") < row_of(svg, "prediction") < row_of(svg, "fails quiet")
    assert "10 s" in texts(svg)


def test_a_clause_that_was_not_asked_has_no_bar() -> None:
    text = "contract c\nstep 1s\nclause here on ref_active : pred_active\nclause never on false : pred_active\n"
    svg = tracepact.score(text, [(0, 4)], [(0, 3)], durations=10).plot("vector").svg
    (bar,) = nodes(svg, "rect")
    assert [text for text in texts(svg) if text in ("0.750", "∅", "1.000")] == ["0.750", "∅"]
    ticks = {text_of(n): float(n.attrib["x"]) for n in nodes(svg, "text") if text_of(n) in ("0", "1")}
    assert near([box(bar)], [(ticks["0"], ticks["0"] + 0.75 * (ticks["1"] - ticks["0"]))])


# Charts


def test_an_interval_is_written_from_its_low_end() -> None:
    svg = bar_chart("t", [BarGroup("", [Bar("b", F(1, 2), 0.25, 0.75)])], x="x", x_range=(0, 1))
    assert "0.500 (0.250 to 0.750)" in texts(svg)


DARK_IF_HIGH, DARK_IF_LOW = ["0.000", "0.100", "0.400"], ["0.400", "0.300", "0.000"]


@pytest.mark.parametrize(("low_is_dark", "shades"), [(False, DARK_IF_HIGH), (True, DARK_IF_LOW)])
def test_a_cell_is_as_dark_as_its_value_is_high_or_low(low_is_dark: bool, shades: list[str]) -> None:
    svg = heat_table("t", ["r"], ["a", "b", "c"], [[F(0), F(1, 4), F(1)]], value_range=(0, 1), low_is_dark=low_is_dark)
    assert [n.attrib["fill-opacity"] for n in nodes(svg, "rect")] == shades


def test_the_frame_is_around_the_cell_that_is_named() -> None:
    svg = heat_table("t", ["r", "s"], ["a", "b", "c"], [[1, 2, 3], [4, 5, 6]], framed={(0, 2), (1, 0)})
    framed = [n.attrib["stroke"] == "currentColor" for n in nodes(svg, "rect")]
    assert framed == [False, False, True, True, False, False]


def test_headings_of_a_heat_table_stand_over_the_middle_of_their_column() -> None:
    svg = heat_table("t", ["r"], ["a", "b"], [[1, 2]])
    heads = {text_of(n): n.attrib["transform"] for n in nodes(svg, "text") if text_of(n) in ("a", "b")}
    middles = [(start + end) / 2 for start, end in map(box, nodes(svg, "rect"))]
    places = [float(re.findall(r"translate\(([\d.]+) ", heads[name])[0]) for name in ("a", "b")]
    assert places == [pytest.approx(middle, abs=1.1) for middle in middles]  # cells are two pixels apart


def test_names_of_rules_that_would_touch_stand_above_each_other() -> None:
    curve = [Curve("c", [(0, 0), (1, 1)])]
    svg = curve_chart("t", curve, x="x", y="y", rules=[(0.5, "a long name"), (0.51, "another one"), (0.9, "far")])
    heights = {text_of(n): float(n.attrib["y"]) for n in nodes(svg, "text")}
    assert heights["another one"] == heights["a long name"] - 15
    assert heights["far"] == heights["a long name"]


def test_a_thinned_line_keeps_the_least_and_the_greatest_of_a_column() -> None:
    """Of seven points in one column: the first, the last, the least and the greatest."""
    columns, y = np.zeros(7, np.int64), np.array([0.5, 0.9, 0.4, 0.1, 0.6, 0.3, 0.2])
    assert thinned(columns, y, np.zeros(0, np.int64)).tolist() == [0, 1, 3, 6]


# Tables


def test_the_last_rows_of_a_table_are_set_apart() -> None:
    """Three rows, of which the last is the total: a line stands before it and nowhere else."""
    shown = Table("", words("name"), [["a"], ["b"], ["all"]], totals=1)
    lines = on_terminal(shown).splitlines()
    assert [line.strip("│ ") if line.startswith("│") else line[0] for line in lines[3:-1]] == ["a", "b", "├", "all"]
    drawn = html_table(shown)
    assert re.findall(r"<tr( class=\"total\")?>\s*<th scope=\"row\">(\w+)", drawn) == [
        ("", "a"),
        ("", "b"),
        (' class="total"', "all"),
    ]


@pytest.mark.parametrize(("share", "full"), [(F(0), 0), (F(99, 1000), 0), (F(1, 2), 5), (F(999, 1000), 9), (F(1), 10)])
def test_a_bar_of_blocks_is_full_only_for_one(share: Fraction, full: int) -> None:
    text = on_terminal(Table("", words("s"), [[Cell("v", bar=ShareBar(share))]]))
    assert f"│{'█' * full}{'░' * (10 - full)} v" in text


def test_code_in_a_cell_of_markdown_stays_in_its_cell() -> None:
    assert code("a | b") == "`a \\| b`"
    assert code("x `y` z") == "`` x `y` z ``"


def test_columns_for_wide_screens_keep_the_pooled_scores() -> None:
    """A terminal of 100 columns has the pooled scores beside the contract's own, and names those it leaves out."""
    scored = tracepact.score(
        "contract c\nstep 1s\naggregate macro_clips\nclause here on ref_active : pred_active\n",
        {"a": [(0, 4, "x")], "b": [(0, 2, "x")]},
        {"a": [(0, 3, "x")], "b": [(0, 2, "x")]},
        durations=10,
    )
    others = [one for one in Aggregation if one is not Aggregation.MACRO_CLIPS]
    text = " ".join(on_terminal(vector_table(report_of(scored), others=others), 100).split())
    left_out = "left out on a screen of 100 columns: macro classes, macro clips, no ∅, macro classes, no ∅"
    assert left_out in text
    assert "0.875 │ 5 / 6 │ │ 0.833" in text


# Selections


def test_the_picture_of_a_selection(tmp_path: Path) -> None:
    """Cases with the worst above: references over predictions, marks where they differ, cells as dark as values low."""
    write(tmp_path, {"small.calibration": CALIBRATION})
    assert run("select", "small.calibration", "--out", "chosen", folder=tmp_path).code == 1
    svg = (tmp_path / "chosen" / "selection.svg").read_text(encoding="utf-8")
    names = [text for text in texts(svg) if text in ("late", "later", "lost")]
    assert names == ["lost", "later", "late"]
    cells = [n for n in nodes(svg, "rect") if "fill-opacity" in n.attrib and n.attrib.get("fill") is None]
    # The values are 1/2, 3/5 and 4/5; a cell is 0.45 dark at 0.
    assert [n.attrib["fill-opacity"] for n in cells] == ["0.225", "0.180", "0.090"]
    assert [text for text in texts(svg) if "/" in text] == ["1/2", "3/5", "4/5"]
    full = [n for n in nodes(svg, "rect") if n.attrib.get("opacity") == ".75"]
    outlined = [n for n in nodes(svg, "rect") if n.attrib.get("fill") == "currentColor"]
    # 50 frames over 560 pixels from 190 on; references at frames 10 to 20 and 30 to 40.
    frame = 560 / 50
    spans = [(190 + a * frame, 190 + b * frame) for a, b in ((10, 20), (30, 40))]
    assert near(map(box, full), spans * 3)
    kept = [(10, 20), (15, 20), (35, 40), (13, 20), (33, 40)]
    assert near(map(box, outlined), [(190 + a * frame, 190 + b * frame) for a, b in kept])
    heights = {float(n.attrib["y"]) for n in full}
    assert {float(n.attrib["y"]) for n in outlined} == {height + 10 for height in heights}
    marks = [float(n.attrib["d"].split(",")[0][1:]) for n in nodes(svg, "path") if n.attrib["d"].endswith("h-6z")]
    middles = [35, 12.5, 32.5, 11.5, 31.5]
    assert marks == [pytest.approx(190 + middle * frame, abs=0.06) for middle in middles]


def test_a_selected_contract_says_what_is_proved_of_it(tmp_path: Path) -> None:
    """The first words of its comment: how many coordinates, what they cost, and that none fewer would do."""
    write(tmp_path, {"small.calibration": CALIBRATION})
    for guarantee, least in (("order", "has a larger margin"), ("separate", "costs less")):
        out = f"by-{guarantee}"
        assert run("select", "small.calibration", "--guarantee", guarantee, "--out", out, folder=tmp_path).code in (
            0,
            1,
        )
        (contract,) = (tmp_path / out).glob("*.contract")
        comment = re.findall(r"^# ?(.*)$", contract.read_text(encoding="utf-8"), re.MULTILINE)
        said = rf"^.*\d+ of \d+ coordinates, cost \d+: none smaller meets it, and none as small {least}\. Required: "
        assert re.match(said, " ".join(comment)), comment


def test_the_picture_of_a_trial(tmp_path: Path) -> None:
    """Silence is an empty lane, always on a full one, and the reference is what a missed event lacks."""
    write(tmp_path, {"c.contract": "contract c\nstep 1s\nclause c on ref_active : pred_active\n"})
    write(tmp_path, {"ref.tsv": table([("a", "0", "20", "x"), ("a", "60", "80", "x")])})
    options = ("--ref", "ref.tsv", "--durations", "100", "--out", "trial")
    assert run("try", "c.contract", *options, folder=tmp_path).code == 0
    html = (tmp_path / "trial" / "trial.html").read_text(encoding="utf-8")
    (part,) = re.findall(r'<section id="cast".*?(<svg.*?</svg>)', html, re.DOTALL)
    left, right = sides(part)
    second = (right - left) / 100
    both = [(left, left + 20 * second), (left + 60 * second, left + 80 * second)]
    assert near((place for _, place in lane(part, "reference")), both)
    assert {kind for kind, _ in lane(part, "reference")} == {".8"}
    assert lane(part, "silent") == []
    assert near((place for _, place in lane(part, "always on")), [(left, right)])
    ((kind, kept),) = lane(part, "one missed")
    assert kind == ".15"
    assert near([kept], both[:1]) or near([kept], both[1:])
    data = json.loads((tmp_path / "trial" / "trial.json").read_text(encoding="utf-8"))
    assert data["scenes"] == [{"name": "a", "frames": 100, "events": 2}]


def test_the_picture_of_a_comparison(tmp_path: Path) -> None:
    """What is subtracted from what, and bars to the left of zero where the second is less."""
    write(tmp_path, {"c.contract": "contract c\nstep 1s\nclause c on ref_active : pred_active\n"})
    write(tmp_path, {"ref.tsv": table([(clip, "0", "4", "x") for clip in ("a", "b")])})
    for name, end in (("one", "3"), ("two", "1")):
        write(tmp_path, {f"{name}.tsv": table([(clip, "0", end, "x") for clip in ("a", "b")])})
        options = ("--ref", "ref.tsv", "--pred", f"{name}.tsv", "--durations", "4", "--out", name)
        assert run("score", "c.contract", *options, folder=tmp_path).code == 0
    assert run("compare", "one", "two", "--draws", "20", "--figure", "c.svg", folder=tmp_path).code == 0
    svg = (tmp_path / "c.svg").read_text(encoding="utf-8")
    assert texts(svg)[0].startswith("two − one, ")
    assert texts(svg).count("−0.500 (−0.500 to −0.500)") == 2  # of the clause and of the mean
    zero = max(float(n.attrib["x"]) for n in nodes(svg, "text") if text_of(n) == "0")
    assert [end for _, end in map(box, nodes(svg, "rect"))] == [pytest.approx(zero, abs=0.16)] * 2


def test_the_picture_of_one_clause_against_another(tmp_path: Path) -> None:
    """Frames of scores 0.9, 0.3, 0.6 and 0.1, the first two of the reference: five pieces, the last asks nothing."""
    clauses = "clause hit on ref_active : pred_active\nclause clean on pred_active : ref_active\n"
    write(tmp_path, {"c.contract": f"contract c\nstep 1s\n{clauses}", "ref.tsv": table([("a", "0", "2", "x")])})
    rows = [(str(k), str(k + 1), score) for k, score in enumerate(("0.9", "0.3", "0.6", "0.1"))]
    write(tmp_path, {"a.tsv": table(rows, "onset\toffset\tx")})
    options = ("--ref", "ref.tsv", "--pred", "a.tsv", "--durations", "4", "--versus", "hit", "--out", "curves")
    assert run("curves", "c.contract", *options, folder=tmp_path).code == 0
    svg = (tmp_path / "curves" / "against.svg").read_text(encoding="utf-8")
    (line,) = (
        n.attrib["d"] for n in nodes(svg, "path") if n.attrib.get("stroke-width") == "2" and "h16" not in n.attrib["d"]
    )
    points = [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+),([\d.]+)", line)]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    # hit and clean: 1 and 2/4, 1 and 2/3, 1/2 and 1/2, 1/2 and 1; heights from 340 up to 40.
    expected = [(right, 190), (right, 140), (left, 190), (left, 40)]
    assert points == [pytest.approx(one, abs=0.06) for one in expected]
