"""The README's picture shows what a report shows today; the text in it is kept beside it."""

import runpy
from pathlib import Path

import pytest
from cli.command import run

from browser.chromium import chromium

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "examples" / "report.png"


def test_the_picture_shows_the_text_of_a_current_report(tmp_path: Path) -> None:
    """If it does not, `make picture` takes it again."""
    script = runpy.run_path(str(ROOT / "pytools" / "report_picture.py"))
    run("demo", "--out", "demo", folder=tmp_path)
    with chromium() as browser:
        page, text = script["shown"](browser, tmp_path / "demo" / "late_long" / "report.html")
        page.close()
    assert text == PICTURE.with_suffix(".txt").read_text(encoding="utf-8")


def test_the_readme_shows_the_picture() -> None:
    assert f"]({PICTURE.relative_to(ROOT)})" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert PICTURE.read_bytes().startswith(b"\x89PNG")
