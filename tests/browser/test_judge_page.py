"""The page that collects judgements in a real browser: keys, buttons, sound, going on, and a server that is gone."""

import re
import threading
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selection.test_judging import CALIBRATION, HEADER, LATE, LOST, REFERENCE, interview_of

from browser.chromium import chromium, wait_until
from tracepact.page_server import PageServer, ServedFile
from tracepact.selection.interview import Interview, JudgedPair, judge_page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def interview(tmp_path: Path) -> Interview:
    texts = {"ref": REFERENCE, "late": LATE, "lost": LOST.replace("dog", "<b>dog</b>") + LOST}
    for name, text in texts.items():
        (tmp_path / f"{name}.tsv").write_text(HEADER + text)
    (tmp_path / "grid.calibration").write_text(CALIBRATION)
    return interview_of({name: tmp_path / f"{name}.tsv" for name in texts}, tmp_path / "judged.csv")


@pytest.fixture
def server(interview: Interview, tmp_path: Path) -> Iterator[PageServer]:
    sound = tmp_path / "c0.wav"
    with wave.open(str(sound), "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(8000)
        written.writeframes(b"\0\0" * 8000)
    interview.sounds["c0.wav"] = "sound/0"
    page = judge_page(interview, "tracepact select …")
    with PageServer(page, interview.questions, files={"sound/0": ServedFile(sound, "audio/wav")}) as found:
        thread = threading.Thread(target=found.serve_forever, daemon=True)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


@pytest.fixture
def page(browser: Any, server: PageServer) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1100, "height": 800})
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.address)
    answered(page, 0)
    yield page
    context.close()
    assert [text for text in said if "ERR_INTERNET_DISCONNECTED" not in text] == []
    assert all(url.startswith(server.origin) for url in asked)


def answered(page: Any, number: int) -> None:
    wait_until(page, f"document.getElementById('progress').textContent.startsWith('{number} answer')")


def test_keys_and_buttons_answer_and_take_back(page: Any, interview: Interview) -> None:
    assert page.locator("#picture svg rect").count() > 0
    assert page.locator("#picture b").count() == 0, "labels are text"
    for number, (key, said) in enumerate([("ArrowLeft", "left"), ("ArrowRight", "right"), ("ArrowDown", "same")], 1):
        place = interview.shown().pair
        assert place is not None
        asked = interview.pairs[place]
        page.keyboard.press(key)
        answered(page, number)
        sides = (asked.b, asked.a) if asked.turned else (asked.a, asked.b)
        row = interview.file.read_text().splitlines()[-1].split(",")
        assert row[0] == asked.clip
        worse = row[3] if row[3] == "same" else row[1 if row[3] == "a" else 2]
        assert worse == {"left": sides[0], "right": sides[1], "same": "same"}[said]
    page.keyboard.press("Backspace")
    answered(page, 2)
    assert len(interview.file.read_text().splitlines()) == 3
    page.locator("#same").click()
    answered(page, 3)
    page.locator("#left").click()
    answered(page, 4)
    assert page.locator("#left").is_disabled(), "every pair has been asked"
    assert page.locator("#settled").inner_text() == interview.shown().told != ""
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(200)
    assert len(interview.file.read_text().splitlines()) == 5


def test_a_page_that_is_loaded_again_goes_on(page: Any, interview: Interview) -> None:
    page.keyboard.press("ArrowLeft")
    answered(page, 1)
    page.reload()
    answered(page, 1)
    shown = interview.shown()
    assert shown.pair is not None
    interview.answer(JudgedPair(shown.pair, "same", 1))  # in another window
    page.keyboard.press("ArrowRight")
    wait_until(page, "document.getElementById('said').textContent.includes('another window')")
    page.keyboard.press("ArrowRight")
    answered(page, 3)
    assert len(interview.file.read_text().splitlines()) == 4


def test_the_clip_can_be_heard_where_it_has_a_sound(page: Any, interview: Interview) -> None:
    while interview.shown().clip != "c0.wav":
        number = interview.shown().answers
        page.keyboard.press("ArrowDown")
        answered(page, number + 1)
    wait_until(page, "!document.getElementById('sound').hidden")
    wait_until(page, "document.getElementById('sound').readyState >= 1")
    assert abs(page.evaluate("document.getElementById('sound').duration") - 1) < 0.01


def test_a_server_that_ended_is_said(page: Any, interview: Interview) -> None:
    page.context.set_offline(True)
    page.keyboard.press("ArrowLeft")
    wait_until(page, "document.getElementById('said').textContent.includes('the server has ended')")
    assert not interview.file.exists()


def test_on_a_telephone_nothing_is_wider_than_the_screen(browser: Any, server: PageServer) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark")
    page = context.new_page()
    page.goto(server.address)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator("#left").bounding_box()
    assert box is not None
    assert box["height"] >= 44
    context.close()


def test_a_sound_is_served_by_its_name_alone(server: PageServer) -> None:
    from play.test_server import ask

    for path in ("sound/1", "sound/../sound/0", "sound/0/", "c0.wav"):
        assert ask(server, "GET", f"/{server.token}/{path}")[0] == 404
    assert ask(server, "GET", "/no/sound/0")[0] == 403
    assert not re.search(r"/tmp|judged\.csv", ask(server, "GET", f"/{server.token}/nothing")[2])
