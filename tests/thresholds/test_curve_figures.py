"""The figures of `tracepact curves`: every piece is drawn, whatever is listed."""

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from cli.command import run

import tracepact
from tracepact.show.figures import THINNED, AxisScale, x_scale
from tracepact.tuning.curves import Curves, against_figure, all_figures, guards_figure, metrics_figure
from tracepact.tuning.records import CurvesRecord, QuantityCurve

pytestmark = pytest.mark.slow

Place = tuple[float, float]
Line = list[Place]
Figure = Callable[[CurvesRecord, Curves], str]
UP = AxisScale.over((0, 1), 340, 40)
STEP = 0.11
"""A tenth of a pixel, to which places are drawn, and a little for sums of floats."""
SEEDS = range(4)


@cache
def scored(seed: int) -> tuple[Curves, CurvesRecord]:
    """Curves of two classes over random scores, with many pieces in one pixel column, all listed."""
    random = np.random.default_rng(seed)
    scores = {clip: random.beta(0.5, 0.5, (300, 2)).round(6) for clip in ("a", "b")}
    field = tracepact.score_field(scores, classes=["dog", "cat"], step="0.1")
    found = tracepact.curves("boundary_gate", {"a": [(0.5, 4.5, "dog"), (6, 9, "cat")], "b": [(2, 12, "dog")]}, field)
    return found, found.record(points=0)


def curves_of(svg: str, names: list[str], across: AxisScale) -> dict[str, tuple[list[Line], list[Place]]]:
    """The unbroken lines and the marks of each curve; a legend lies beyond the end of the scale."""
    nodes = list(ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path"))
    paths = [n for n in nodes if n.attrib.get("stroke-width") == "2" and "h16" not in n.attrib["d"]]
    found = {}
    for name, path in zip(names, paths, strict=True):
        lines = [places(re.findall(r"([\d.]+),([\d.]+)", part)) for part in path.attrib["d"].split("M")[1:]]
        shapes = [n.attrib["transform"] for n in nodes if n.attrib.get("fill") == path.attrib["stroke"]]
        marks = places(re.findall(r"([\d.]+) ([\d.]+)", " ".join(shapes)))
        found[name] = lines, [mark for mark in marks if mark[0] <= across.end]
    return found


def places(texts: Iterable[tuple[str, str]]) -> Line:
    return [(float(x), float(y)) for x, y in texts]


def exact_stairs(quantity: QuantityCurve, across: AxisScale) -> list[Line]:
    """The level pieces and the upright ones between them, where a chart puts them, of a curve that is listed whole."""
    assert len(quantity.points) == quantity.pieces
    ends = [*(point.threshold for point in quantity.points[1:]), Fraction(1)]
    lines: list[Line] = [[]]
    for point, end in zip(quantity.points, ends, strict=True):
        if point.value is None or point.value.shown is None:
            lines.append([])
        else:
            height = float(f"{UP(point.value.shown):.1f}")
            lines[-1] += [(float(f"{across(at):.1f}"), height) for at in (point.threshold, end)]
    return [line for line in lines if line]


def extent(lines: list[Line]) -> dict[int, Place]:
    """The least and the greatest height of stairs in every pixel column, also where they only pass."""
    found: dict[int, Place] = {}
    for line in lines:
        for (x0, y0), (x1, y1) in pairwise(line):
            for column in range(int(x0), int(x1) + 1):
                low, high = found.get(column, (y0, y0))
                found[column] = min(low, y0, y1), max(high, y0, y1)
    return found


def is_on(mark: Place, lines: list[Line]) -> bool:
    """Whether a place is on stairs, as far as places are drawn."""
    pieces = [(a, b) for line in lines for a, b in pairwise(line)]
    return any(all(min(a[k], b[k]) - STEP <= mark[k] <= max(a[k], b[k]) + STEP for k in (0, 1)) for a, b in pieces)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("figure", [guards_figure, metrics_figure])
def test_every_column_has_the_heights_of_the_exact_curve_and_marks_lie_on_their_lines(
    figure: Figure, seed: int
) -> None:
    found, record = scored(seed)
    clauses = figure is guards_figure
    shown = [q for q in record.quantities if (q.kind == "clause" if clauses else re.fullmatch("[a-z]+_f1", q.name))]
    across = x_scale([q.name for q in shown], (0, 1))
    svg = figure(record, found)
    drawn = curves_of(svg, [q.name for q in shown], across)
    assert max(q.pieces for q in shown) > across.end - across.start, "more pieces than columns"
    assert THINNED in svg
    for quantity in shown:
        lines, marks = drawn[quantity.name]
        exact, seen = extent(exact_stairs(quantity, across)), extent(lines)
        assert exact.keys() == seen.keys()
        assert all(seen[column] == pytest.approx(exact[column], abs=STEP) for column in exact)
        assert len(marks) == (quantity.best is not None)
        assert all(is_on(mark, lines) for mark in marks)
        assert all(min(max(abs(mark[k] - p[k]) for k in (0, 1)) for line in lines for p in line) == 0 for mark in marks)


@pytest.mark.parametrize("seed", SEEDS)
def test_clauses_against_a_clause_are_joined_in_the_order_of_the_threshold(seed: int) -> None:
    found, record = scored(seed)
    svg = against_figure(record, found, "missing_guard")
    assert "joined in the order of the threshold" in svg
    others = [q.name for q in record.quantities if q.kind == "clause" and q.name != "missing_guard"]
    thresholds = [p.threshold for p in record.quantity("missing_guard").points]
    values = [found.value("missing_guard", threshold) for threshold in thresholds]
    known = [value for value in values if value is not None]
    across = x_scale(others, (min(known), max(known)))
    for lines, _ in curves_of(svg, others, across).values():
        # What is found can only become less with the threshold: the line never goes to the right.
        assert all(a[0] >= b[0] for line in lines for a, b in pairwise(line))


def test_what_is_listed_changes_no_figure() -> None:
    found, whole = scored(0)
    few = found.record(points=3)
    assert all(len(quantity.points) <= 3 for quantity in few.quantities)
    assert all_figures(few, found, "onset_guard") == all_figures(whole, found, "onset_guard")


def test_the_command_writes_the_same_figures_whatever_it_lists(tmp_path: Path) -> None:
    scores = np.random.default_rng(1).random((60, 1)).round(4)
    rows = [f"{k / 10}\t{(k + 1) / 10}\t{score}" for k, (score,) in enumerate(scores.tolist())]
    (tmp_path / "scores").mkdir()
    (tmp_path / "scores" / "a.tsv").write_text("\n".join(["onset\toffset\tdog", *rows]) + "\n")
    (tmp_path / "ref.tsv").write_text("filename\tonset\toffset\tevent_label\na.wav\t0.5\t3\tdog\n")
    data = ["boundary_gate", "--ref", str(tmp_path / "ref.tsv"), "--pred", str(tmp_path / "scores"), "--draws", "5"]
    for points in ("3", "0"):
        single = str(tmp_path / f"{points}.svg")
        done = run("curves", *data, "--list", points, "--out", str(tmp_path / points), "--figure", single)
        assert done.code == 0, done.err
    names = [path.name for path in (tmp_path / "0").iterdir() if path.suffix in (".svg", ".html")]
    assert len(names) == 5
    assert all((tmp_path / "0" / name).read_bytes() == (tmp_path / "3" / name).read_bytes() for name in names)
    assert (tmp_path / "0.svg").read_bytes() == (tmp_path / "3.svg").read_bytes()
