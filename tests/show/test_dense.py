"""Charts of very many points: what is left out for drawing changes nothing that can be seen."""

import re
from itertools import accumulate, pairwise
from math import isnan, nan
from xml.etree import ElementTree

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tracepact.show.figures import THINNED, Curve, DenseCurve, curve_chart, dense_chart, thinned

Heights = dict[int, tuple[float, float]]
MOVES = st.sampled_from((0, 0, 0, 0, 1, 2, -1))
LINES = st.lists(
    st.tuples(MOVES, st.one_of(*[st.integers(0, 9).map(float)] * 5, st.just(nan))), min_size=3, max_size=40
)


def parts(line: list[tuple[float, float]]) -> list[list[tuple[float, float]]]:
    """The unbroken parts of a line."""
    found: list[list[tuple[float, float]]] = [[]]
    for x, y in line:
        if isnan(y):
            found.append([])
        else:
            found[-1].append((x, y))
    return [part for part in found if part]


def extent(line: list[tuple[float, float]]) -> Heights:
    """The least and the greatest height of the points of a line in every pixel column."""
    found: Heights = {}
    for part in parts(line):
        for x, y in part:
            low, high = found.get(int(x), (y, y))
            found[int(x)] = min(low, y), max(high, y)
    return found


def crossings(line: list[tuple[float, float]]) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """The pieces of a line from one pixel column to another, in order."""
    return [(a, b) for part in parts(line) for a, b in pairwise(part) if int(a[0]) != int(b[0])]


@given(LINES, st.data())
def test_a_thinned_line_has_the_heights_of_every_column_and_the_same_way_between_columns(
    moves: list[tuple[int, float]], data: st.DataObject
) -> None:
    reached = accumulate((move for move, _ in moves), initial=50)
    line: list[tuple[float, float]] = [(x, y) for x, (_, y) in zip(reached, moves, strict=False)]
    kept = data.draw(st.lists(st.integers(0, len(line) - 1), max_size=3))
    columns, y = np.array([x for x, _ in line], np.int64), np.array([y for _, y in line], np.float64)
    places = thinned(columns, y, np.array(kept, np.int64)).tolist()
    assert places == sorted(set(places))
    assert set(kept) <= set(places)
    drawn = [line[place] for place in places]
    assert extent(drawn) == extent(line)
    assert crossings(drawn) == crossings(line)
    assert len(parts(drawn)) == len(parts(line))


@given(st.lists(st.integers(0, 9), min_size=5, max_size=200))
def test_no_more_than_four_points_of_a_column_are_drawn(heights: list[int]) -> None:
    columns, none = np.zeros(len(heights), np.int64), np.zeros(0, np.int64)
    assert len(thinned(columns, np.array(heights, np.float64), none)) <= 4


def coordinates(svg: str) -> list[tuple[float, float]]:
    """The points of the only curve of a chart."""
    (line, _) = (n for n in ElementTree.fromstring(svg).iter() if n.attrib.get("stroke-width") == "2")
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+),([\d.]+)", line.attrib["d"])]


def test_a_thinned_chart_has_the_heights_of_the_whole_one_and_says_that_it_is_thinned() -> None:
    random = np.random.default_rng(7)
    x, y = np.linspace(0, 1, 20_000), random.random(20_000)
    svg = dense_chart("t", [DenseCurve("c", x, y, [(x[777], y[777])])], x="x", y="y")
    whole = curve_chart("t", [Curve("c", list(zip(x.tolist(), y.tolist(), strict=True)))], x="x", y="y")
    assert extent(coordinates(svg)) == extent(coordinates(whole))
    assert len(coordinates(svg)) < 4 * 720
    assert THINNED in svg
    marks = re.findall(r"stroke='none' transform='translate\(([\d.]+) ([\d.]+)\)", svg)
    assert tuple(map(float, marks[0])) in coordinates(svg)


def test_a_chart_of_few_points_is_drawn_whole_and_says_nothing() -> None:
    x, y = np.linspace(0, 1, 50), np.linspace(1, 0, 50)
    svg = dense_chart("t", [DenseCurve("c", x, y)], x="x", y="y")
    assert len(coordinates(svg)) == 50
    assert THINNED not in svg
