"""Every page of a command on a phone, a laptop and a wide screen, light and dark: quiet, and nothing off the screen."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.command import run

from browser.chromium import chromium

pytestmark = pytest.mark.slow

SCORES = "onset\toffset\tdog\tcat\n0\t0.5\t0.1\t0.9\n0.5\t1\t0.8\t0.2\n1\t1.5\t0.9\t0.4\n"
EVENTS = "filename\tonset\toffset\tevent_label\na.wav\t0.5\t1.5\tdog\na.wav\t0\t0.5\tcat\n"
WIDTHS = (390, 1280, 1920)
FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
WHITE = "rgb(255, 255, 255)"
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").rglob("*.html"))
"""The pages of the study, of robustness, of corpora and of the probe, as they are checked in."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages that commands write, by their name."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "scores").mkdir()
    (folder / "scores" / "a.tsv").write_text(SCORES)
    (folder / "ref.tsv").write_text(EVENTS)
    tables = ["--ref", str(folder / "ref.tsv"), "--durations", "2"]
    pred = ["--pred", str(folder / "scores"), "--threshold", "0.5"]
    out = {name: str(folder / name) for name in ("try", "select", "curves", "run", "report")}
    for arguments in (
        ["try", "boundary_gate", "--out", out["try"]],
        ["select", "boundary_gate", "--clauses", "boundary_gate", "--family", "none", "--out", out["select"]],
        ["curves", "boundary_gate", *tables, *pred[:2], "--draws", "20", "--out", out["curves"]],
        ["score", "boundary_gate", *tables, *pred, "--out", out["run"]],
        ["report", out["run"], "--out", out["report"]],
    ):
        done = run(*arguments)
        assert done.code in (0, 1), done.err
    (folder / "conform").mkdir()
    result = folder / "result.json"
    result.write_text(run("conform", "--format", "json", "--", "false").out, encoding="utf-8")
    assert run("conformance", str(result), "--out", str(folder / "conform" / "conformance.html")).code == 1
    return {path.stem: path for name in (*out, "conform") for path in (folder / name).glob("*.html")}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_is_quiet_and_fits_every_screen(
    width: int, look: str, pages: dict[str, Path], browser: Any, tmp_path: Path
) -> None:
    assert len(pages) == 5
    for name, path in pages.items():
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=look, offline=True)
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on("pageerror", lambda error, said=said: said.append(str(error)))
        page.goto(path.as_uri())
        assert page.evaluate(FITS), name
        box = page.locator("#theme").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert (page.evaluate("getComputedStyle(document.body).backgroundColor") == WHITE) == (look == "light")
        assert len(page.screenshot(path=tmp_path / f"{name}.png")) > 10_000
        context.close()
        assert said == [], name


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_a_page_of_the_examples_fits_every_screen(path: Path, browser: Any) -> None:
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    for look in ("light", "dark"):
        page.emulate_media(color_scheme=look)
        assert (page.evaluate("getComputedStyle(document.body).backgroundColor") == WHITE) == (look == "light")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(FITS), (width, look)
    context.close()
