"""Takes the README's picture of a report page, the vector and the worst clip, with the Chromium of the machine.

Beside the picture it writes the text that the picture shows, so that a test can tell when the picture is old.
"""

import shutil
import sys
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_KEPT = "['vector', 'clips-section']"
_LEFT_OUT = ".filters, .tools, .words, #clips-section .lead, .clip:not(:first-child), #more"
_SHOWN = f"""
for (const section of document.querySelectorAll('section')) section.hidden = !{_KEPT}.includes(section.id);
for (const part of document.querySelectorAll('{_LEFT_OUT}')) part.style.display = 'none';
"""


def shown(browser: Any, page_file: Path) -> tuple[Any, str]:
    """The page with what the picture shows, and its text: words and the labels of its drawings, one a line."""
    page = browser.new_page(viewport={"width": 1180, "height": 900}, color_scheme="light")
    page.goto(page_file.resolve().as_uri())
    page.evaluate(_SHOWN)
    words = page.evaluate("document.body.innerText")
    labels = page.evaluate("[...document.querySelectorAll('section:not([hidden]) svg text')].map(t => t.textContent)")
    lines = [" ".join(line.split()) for line in [*words.splitlines(), *labels]]
    return page, "".join(f"{line}\n" for line in lines if line)


def main(page_file: Path, picture: Path) -> None:
    from playwright.sync_api import sync_playwright

    path = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if path is None:
        sys.exit("there is no Chromium on this machine to take the picture with")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        page, text = shown(browser, page_file)
        page.screenshot(path=picture, full_page=True)
        browser.close()
    picture.with_suffix(".txt").write_text(text, encoding="utf-8")
    print(f"{picture}: {picture.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
