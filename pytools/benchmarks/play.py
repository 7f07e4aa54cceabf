"""The workbench's round trip: from a change of a 12 s scene to its verdicts in the page, by the browser's own trace."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.data import starter
from benchmarks.harness import Options, Row, Target, race, sized
from tracepact.author.play_command import verdicts
from tracepact.author.workbench import EventText, PlayScene, SceneClip

SUBJECT = "play"
FRAME = 1000 / 60
CHANGES = sized(120, 3)
MEASURE = "change to verdicts"


def measure(_: Options) -> Iterator[Row]:
    """Twelve events a side in two classes, an edge dragged over the clip; the target is an animation frame."""
    clip = _clip()
    scene = PlayScene(starter().source.text, clip)
    (judging,) = race(lambda: verdicts(scene))
    yield Row(SUBJECT, "verdicts of a 12 s scene, in the server", judging * 1000, "ms", note="2 classes, 7 clauses")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        found = _round_trips(clip, browser) if browser else []
    except ImportError:
        found = []
    if not found:
        yield Row(SUBJECT, "change to verdicts in the page", None, "ms", note="no Chromium or playwright")
        return
    note = f"{len(found)} changes while an edge is dragged"
    yield Row(SUBJECT, "change to verdicts in the page, median", median(found), "ms", Target(FRAME, False), note)
    yield Row(SUBJECT, "change to verdicts in the page, least", found[0], "ms", Target(FRAME, False))


def _clip() -> SceneClip:
    """A second of each event, classes in turn; predictions late by 0 to 3 frames."""
    labels = ("a", "b")
    ref: list[EventText] = [(f"{k}.1", f"{k}.6", labels[k % 2]) for k in range(12)]
    pred: list[EventText] = [(f"{k}.{10 + 2 * (k % 4)}", f"{k}.{60 + 2 * (k % 3)}", labels[k % 2]) for k in range(12)]
    return SceneClip("clip", "12", tuple(ref), tuple(pred))


def _round_trips(clip: SceneClip, browser: str) -> list[float]:
    """Milliseconds from each change to its verdicts, ascending; the server is a process of its own, as it is in use."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder) / "clip.json"
        one = {"name": clip.name, "duration": clip.duration, "ref": clip.ref, "pred": clip.pred}
        document.write_text(json.dumps({"clips": [one]}), encoding="utf-8")
        command = [sys.executable, "-m", "tracepact", "play", "--no-open", "--pair", str(document)]
        with (
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server,
            sync_playwright() as playwright,
        ):
            assert server.stdout
            chromium = playwright.chromium.launch(executable_path=browser, args=["--headless", "--no-sandbox"])
            try:
                return _spans(_dragged(chromium, server.stdout.readline().strip(), Path(folder) / "trace.json"))
            finally:
                chromium.close()
                server.terminate()


def _dragged(chromium: Any, address: str, trace: Path) -> list[dict[str, Any]]:
    """The events of the browser's trace while the end of a prediction is dragged, a few pixels at a time."""
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(address)
    page.locator("#checking", has_text="check found").wait_for()  # the solver rests
    page.wait_for_timeout(500)
    box = page.locator(".event.pred").nth(3).bounding_box()
    x, y = box["x"] + box["width"] - 3, box["y"] + box["height"] / 2
    chromium.start_tracing(page=page, path=trace, categories=["blink.user_timing"])
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, CHANGES + 1):
        page.mouse.move(x + (k % 60) * 2, y)
        page.wait_for_timeout(40)
    page.mouse.up()
    page.wait_for_timeout(200)
    chromium.stop_tracing()
    found: list[dict[str, Any]] = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    return found


def _spans(events: list[dict[str, Any]]) -> list[float]:
    """The lengths of the page's own measures; they do not overlap, so begins and ends are in step."""
    begun, ended = (sorted(e["ts"] for e in events if e["name"] == MEASURE and e["ph"] == kind) for kind in "be")
    return sorted((end - begin) / 1000 for begin, end in zip(begun, ended, strict=True))
