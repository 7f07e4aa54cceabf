"""The page of a selection in a real browser: sliders, the order at other tolerances, and the contract to download."""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.command import run

from browser.chromium import chromium
from tracepact.runs.run import score

pytestmark = pytest.mark.slow

SET = """cast = []
step = "20ms"
cases = [
  {name = "fine", rank = 0, edit = "none"},
  {name = "late", rank = 1, edit = "late_onset", by = "100ms", event = 1},
  {name = "later", rank = 2, edit = "late_onset", by = "200ms"},
]
[reference.r]
duration = "4s"
events = [["500ms", "1500ms"], ["2s", "3s"]]
[family]
atoms = ["pred_onset"]
obligations = ["ref_onset"]
operators = ["F"]
shapes = ["near"]
tolerances = ["40ms", "120ms"]
from_depth = 1
each = []
"""
"""Of the two clauses that can be made, 40 ms scores 1, 1/2, 0 and 120 ms scores 1, 1, 0: the first orders all pairs."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("selection")
    (place / "set.calibration").write_text(SET)
    found = run("select", str(place / "set.calibration"), "--guarantee", "order", "--out", str(place / "out"))
    assert found.code == 0, found.err
    return place / "out"


@pytest.fixture
def page(folder: Path) -> Iterator[Any]:
    with chromium() as browser:
        page = browser.new_context(accept_downloads=True).new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto((folder / "selection.html").as_uri())
        yield page
        assert said == []


def test_a_slider_shows_what_another_tolerance_would_score_and_gives_its_contract(page: Any, folder: Path) -> None:
    data = json.loads(page.locator("#data").text_content())
    (slider,) = data["sliders"]
    assert page.locator("#ordered").inner_text() == "3 of 3 pairs are ordered."
    rows = page.locator("#moved tr").all_inner_texts()
    assert [row.split()[0] for row in rows] == ["later", "late", "fine"]
    assert [row.split()[-1] for row in rows] == ["0.000", "0.500", "1.000"], "late is 5 frames, later 10"
    place = slider["numbers"].index("120ms")
    page.locator(f"#slider-{slider['clause']}").evaluate(
        f"element => {{ element.value = {place}; element.dispatchEvent(new Event('input')); }}"
    )
    assert page.locator("#ordered").inner_text() == "2 of 3 pairs are ordered."
    assert page.locator("#reversed li").all_inner_texts() == ["late is as high as fine"]
    assert page.locator("#unseen").inner_text() == "Not seen by this contract: late."
    assert page.locator("output").inner_text() == "120 ms"
    assert page.locator(f"label [data-clause='{slider['clause']}']").inner_text() == slider["names"][place]
    with page.expect_download() as waiting:
        page.locator("#download").click()
    file = folder / "moved.contract"
    waiting.value.save_as(file)
    assert "N[120ms] pred_onset" in file.read_text()
    assert "40ms" not in "".join(
        line for line in file.read_text().splitlines() if line.startswith(("clause", "profile"))
    )
    assert file.read_text().startswith("# Changed on the page of its selection")
    scored = score(file, [("0.5", "1.5")], [("0.62", "1.5")], durations=4)
    assert list(scored.vector.values()) == [Fraction(1)], "120 ms late is on time now"
    assert run("try", str(file)).code in (0, 1)
    page.locator("#back").click()
    assert page.locator("#ordered").inner_text() == "3 of 3 pairs are ordered."
    assert page.locator("#unseen").inner_text() == ""


def test_the_contract_that_is_downloaded_unchanged_is_the_selected_one(page: Any, folder: Path) -> None:
    with page.expect_download() as waiting:
        page.locator("#download").click()
    waiting.value.save_as(folder / "same.contract")
    (selected,) = (file for file in folder.glob("set.contract"))
    assert (folder / "same.contract").read_text() == selected.read_text()
    assert waiting.value.suggested_filename == "set.contract"
