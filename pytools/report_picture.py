"""Takes the README's picture of a report page, the vector and the worst clip, with the Chromium of the machine."""

import shutil
import sys
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_KEPT = "['vector', 'clips-section']"
_LEFT_OUT = ".filters, .tools, .words, #clips-section .lead, .clip:not(:first-child), #more"
_SHOWN = f"""
for (const section of document.querySelectorAll('section')) section.hidden = !{_KEPT}.includes(section.id);
for (const part of document.querySelectorAll('{_LEFT_OUT}')) part.style.display = 'none';
"""


def main(page_file: Path, picture: Path) -> None:
    from playwright.sync_api import sync_playwright

    path = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if path is None:
        sys.exit("there is no Chromium on this machine to take the picture with")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        page = browser.new_page(viewport={"width": 1180, "height": 900}, color_scheme="light")
        page.goto(page_file.resolve().as_uri())
        page.evaluate(_SHOWN)
        page.screenshot(path=picture, full_page=True)
        browser.close()
    print(f"{picture}: {picture.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
