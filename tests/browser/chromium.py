"""The Chromium of the machine, driven by Playwright; nothing is downloaded."""

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser with a fresh profile, closed in the end; skips the test where there is none."""
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("needs Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


def wait_until(page: Any, condition: str, seconds: float = 20) -> None:
    """Ask until it holds; `wait_for_function` asks again by an `eval`, which the page's policy refuses."""
    last = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < last, f"after {seconds} seconds not yet: {condition}"
        page.wait_for_timeout(50)


def first_paint(browser: Any, page: Any, file: Path, trace: Path) -> float:
    """Seconds from the start of the navigation to the first paint, from the browser's own trace."""
    browser.start_tracing(page=page, path=trace, categories=["blink.user_timing", "loading", "devtools.timeline"])
    page.goto(file.as_uri(), wait_until="load")
    wait_until(page, "performance.getEntriesByName('first-paint').length > 0")
    browser.stop_tracing()
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    started = {
        event["args"]["data"]["navigationId"]: event["ts"]
        for event in events
        if event["name"] == "navigationStart" and event["args"]["data"]["documentLoaderURL"] == file.as_uri()
    }
    painted = [event for event in events if event["name"] == "firstPaint"]
    (paint,) = (event for event in painted if event["args"]["data"]["navigationId"] in started)
    return float(paint["ts"] - started[paint["args"]["data"]["navigationId"]]) / 1e6
