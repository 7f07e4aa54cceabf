"""What the scripts of pages draw, in a real browser, of small tasks whose values are worked out by hand."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.command import run, write
from golden.task import table

from browser.chromium import chromium

pytestmark = pytest.mark.slow

CONTRACT = """contract c
step 1s
clause near on ref_onset : N[1f] pred_onset
clause steady on pred_active : N[2f] ref_onset
clause alike on each matched : pred.duration <= ref.duration
clause never on each pred : matched
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems on two clips: in `a` the first is three seconds late, in `b` it has an event where nothing is."""
    place = tmp_path_factory.mktemp("marks")
    ref = [("a", "2", "4", "x"), ("b", "6", "8", "y")]
    one, two = [("a", "5", "9", "x"), ("b", "0", "1", "x"), ("b", "6", "8", "y")], [("a", "2", "3", "x")]
    write(place, {"c.contract": CONTRACT, "ref.tsv": table(ref), "one.tsv": table(one), "two.tsv": table(two)})
    write(place, {"three.tsv": table([])})
    for name in ("one", "two", "three"):
        sides = ("--ref", "ref.tsv", "--pred", f"{name}.tsv", "--durations", "10", "--page", "--out", name)
        assert run("score", "c.contract", *sides, folder=place).code == 0
    assert run("league", "one", "two", "three", "--draws", "20", "--out", "league", folder=place).code == 0
    return place


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    yield context.new_page()
    context.close()


def test_marks_of_a_clip(page: Any, folder: Path) -> None:
    """Where a mark begins and ends, what it says, and the second from which its sound would play."""
    page.goto((folder / "one" / "report.html").as_uri())
    clips = {one.locator(".name").inner_text(): one for one in page.locator(".clip").all()}
    assert [*clips] == ["a", "b"]
    marks = {
        mark.get_attribute("data-tip"): (mark.get_attribute("data-at"), mark.get_attribute("style"))
        for mark in clips["a"].locator(".fail").all()
    }
    # The reference begins at frame 2, the prediction at 5 and lasts to 9; frames 5 to 8 are 3 to 6 after the onset.
    far = "nearest ref_onset 3 s earlier at best, 6 s earlier at worst"
    assert marks == {
        "near violated, at 2 s\nnearest pred_onset 3 s later": ("2", "left: 20%; width: 10%;"),
        f"steady violated, 5 s to 9 s, 4 frames in a row\n{far}": ("5", "left: 50%; width: 40%;"),
        "never violated, 5 s to 9 s\nno partner": ("5", "left: 50%; width: 40%;"),
    }
    tips = [mark.get_attribute("data-tip") for mark in clips["b"].locator(".fail").all()]
    assert tips == ["steady violated, at 0 s\nno ref_onset in the clip", "never violated, 0 s to 1 s\nno partner"]


def test_what_a_clip_loses(page: Any, folder: Path) -> None:
    """In `a` all of four scores, that of pairs too, which counts 0 for want of one; in `b` all but that of onsets."""
    page.goto((folder / "one" / "report.html").as_uri())
    losses = [one.locator(".loss").inner_text() for one in page.locator(".clip").all()]
    assert losses == ["4.00 of 8 lost", "3.00 of 8 lost"]
    sums = [one.locator(".sum").inner_text() for one in page.locator(".clip").all()]
    assert sums == ["near 1 · steady 4 · alike ⊥ · never 1", "steady 1 · alike ⊥ · never 1"]


def test_pairs_are_joined_end_to_end(page: Any, folder: Path) -> None:
    """A pair is a shape from both ends of the reference to both ends of the prediction, which does not cross itself."""
    page.goto((folder / "two" / "report.html").as_uri())
    page.locator("input[name=failing]").uncheck()
    item = page.locator(".clip:has(.name:text-is('a'))")
    if item.locator("[aria-expanded=true]").count() == 0:
        item.locator("button").first.click()
    assert item.locator("polygon").get_attribute("points") == "2,0 4,0 3,10 2,10"
    texts = item.locator(".axis span").all_inner_texts()
    assert texts == [f"{k} s" for k in range(0, 11, 2)]


def test_a_scatter_has_high_values_above(page: Any, folder: Path) -> None:
    """`near` across and `steady` up: 1/2 and 1, 1/2 and 2/7; the silent one, which is not ranked, is hollow."""
    page.goto((folder / "league" / "league.html").as_uri())
    points = {}
    for one in page.locator("#scatter .point").all():
        name, words = re.fullmatch(r"\d+\. (\w+): (.*)", one.locator("title").text_content()).groups()
        place = [float(number) for number in re.findall(r"[\d.]+", one.get_attribute("transform"))]
        points[name] = place, words, one.get_attribute("class")
    assert {name: words for name, (_, words, _) in points.items()} == {
        "two": "near 0.500, steady 1.000",
        "one": "near 0.500, steady 0.286",
        "three": "near 0.000, steady 1.000",
    }
    (two, one, three) = (points[name][0] for name in ("two", "one", "three"))
    assert three[0] < one[0] == two[0]
    assert two[1] == three[1] < one[1], "up is less in SVG"
    assert {name: look for name, (_, _, look) in points.items()} == {
        "two": "point",
        "one": "point",
        "three": "point hollow",
    }


def test_how_many_clips_more_there_are(browser: Any, tmp_path: Path) -> None:
    """Of a hundred clips forty are listed, then forty more, then twenty."""
    rows = [(f"c{k:02}", "0", "1", "x") for k in range(100)]
    write(
        tmp_path, {"c.contract": "contract c\nstep 1s\nclause c on ref_active : !ref_active\n", "ref.tsv": table(rows)}
    )
    sides = ("--ref", "ref.tsv", "--pred", "ref.tsv", "--durations", "1", "--page", "--out", "run")
    assert run("score", "c.contract", *sides, folder=tmp_path).code == 0
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto((tmp_path / "run" / "report.html").as_uri())
    said = []
    while page.locator("#more").is_visible():
        said.append(page.locator("#more").inner_text())
        page.locator("#more").click()
    context.close()
    assert said == ["Show 40 more", "Show 20 more"]
