"""The workbench in a real browser: drawn, dragged, typed and shared, by mouse, touch and keys alone."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.chromium import chromium
from tracepact.author.play_command import Workbench, play_page
from tracepact.author.workbench import SceneClip
from tracepact.declarations import starter_contracts
from tracepact.language.compilation import load_contract
from tracepact.page_server import PageServer
from tracepact.runs.run import score, score_document
from tracepact.wording import decimal

pytestmark = pytest.mark.slow

GATE = starter_contracts()["boundary_gate"].read_text(encoding="utf-8")
CLIPS = (
    SceneClip("first", "12", (("2", "4", "dog"), ("7", "9", "cat")), (("2", "4", "dog"), ("7", "9", "cat"))),
    SceneClip("<b>second</b>", "6", (("1", "2", "dog"),), ()),
)


@pytest.fixture(scope="module")
def server() -> Iterator[PageServer]:
    with PageServer(play_page(GATE, CLIPS, {}, union=False), Workbench().questions) as found:
        thread = threading.Thread(target=found.serve_forever, daemon=True)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser: Any, server: PageServer) -> Iterator[Any]:
    yield from opened(browser, server.address, viewport={"width": 1280, "height": 900})


@pytest.fixture
def phone(browser: Any, server: PageServer) -> Iterator[Any]:
    size = {"width": 390, "height": 844}
    yield from opened(browser, server.address, viewport=size, has_touch=True, color_scheme="dark")


def opened(browser: Any, address: str, **looks: Any) -> Iterator[Any]:
    """The page at an address, judged; the console says nothing, and nobody but the server is asked."""
    context = browser.new_context(**looks)
    page = context.new_page()
    page.set_default_timeout(20_000)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda asked: said.append(asked.url) if not _is_ours(asked.url, address) else None)
    page.goto(address)
    page.locator("#said", has_text="boundary_gate: mean").wait_for()
    yield page
    context.close()
    assert said == []


def _is_ours(asked: str, address: str) -> bool:
    return asked.startswith((address.split("#")[0], "blob:" + address.split("/", 3)[0]))


def shows(page: Any, clause: str, value: str) -> None:
    """Wait until a clause has a value; the test fails if it never has."""
    page.locator(f"#lanes [data-clause={clause}]", has_text=value).wait_for()


def event(page: Any, side: str, number: int = 0) -> Any:
    return page.locator(f"#timeline .event.{side}").nth(number)


def middle(box: dict[str, float]) -> float:
    return box["y"] + box["height"] / 2


def test_dragging_an_edge_turns_the_onset_guard_one_frame_after_its_tolerance(page: Any) -> None:
    shows(page, "onset_guard", "1.000")
    box, track = event(page, "pred").bounding_box(), page.locator("#timeline .track").first.bounding_box()
    second = track["width"] / 12
    page.mouse.move(box["x"] + 3, middle(box))
    page.mouse.down()
    page.mouse.move(box["x"] + 3 + 0.04 * second, middle(box), steps=3)
    shows(page, "onset_guard", "1.000")
    assert event(page, "pred").get_attribute("title") == "2.04 to 4 s"
    page.mouse.move(box["x"] + 3 + 0.06 * second, middle(box), steps=3)
    shows(page, "onset_guard", "0.500")
    page.mouse.up()
    assert event(page, "pred").get_attribute("title") == "2.06 to 4 s"
    row = page.locator("#violations tr", has_text="onset_guard")
    assert "nearest 0.06 s later" in row.inner_text()
    assert page.locator("[aria-label='onset_guard of dog: applies in 1 places, fails in 1'] .bad").count() == 1
    page.click("#undo")
    shows(page, "onset_guard", "1.000")


def test_an_event_is_drawn_moved_and_removed_with_the_mouse(page: Any) -> None:
    track = page.locator("#timeline .track").nth(3)
    box = track.bounding_box()
    second = box["width"] / 12
    page.mouse.move(box["x"] + 10 * second, middle(box))
    page.mouse.down()
    page.mouse.move(box["x"] + 11 * second, middle(box), steps=4)
    page.mouse.up()
    made = track.locator(".event").last
    assert made.get_attribute("title") == "10 to 11 s"
    shows(page, "spurious_guard", "0.833")  # (1 + 100/150) / 2: a third of the frames of cat are far from it
    page.mouse.move(box["x"] + 10.5 * second, middle(box))
    page.mouse.down()
    page.mouse.move(box["x"] + 11.5 * second, middle(box), steps=4)
    page.mouse.up()
    assert made.get_attribute("title") == "11 to 12 s"
    made.press("Delete")
    assert track.locator(".event").count() == 1
    shows(page, "spurious_guard", "1.000")


def test_a_mistake_in_the_contract_is_marked_with_its_message(page: Any) -> None:
    text = page.locator("#text")
    text.fill(GATE.replace("pred_onset", "pred_onest", 1))
    fault = page.locator("#faults li.error")
    fault.wait_for()
    assert "error[unknown-atom] unknown atom `pred_onest`" in fault.inner_text()
    assert "did you mean `pred_onset`?" in fault.inner_text()
    assert page.locator("#behind mark.error").inner_text() == "pred_onest"
    assert page.locator("#lanes").get_attribute("class") == "rows stale"
    fault.locator("button").click()
    chosen = "(text) => text.value.slice(text.selectionStart, text.selectionEnd)"
    assert text.evaluate(chosen) == "pred_onest"
    page.keyboard.type("pred_onset")
    page.locator("#lanes:not(.stale)").wait_for()
    assert page.locator("#faults li").count() == 0


def test_violations_fade_with_the_verdicts_while_the_contract_is_broken(page: Any) -> None:
    page.click("#clear")
    row = page.locator("#violations tr", has_text="onset_guard").first
    row.wait_for()
    above = "let all = 1; for (; one; one = one.parentElement) all *= getComputedStyle(one).opacity"
    faint = f"(one) => {{ {above}; return all; }}"
    assert row.evaluate(faint) == 1
    page.locator("#text").fill(GATE.replace("pred_onset", "pred_onest", 1))
    page.locator("#lanes.stale").wait_for()
    assert row.evaluate(faint) == page.locator("#lanes").evaluate(faint) < 1
    page.locator("#text").fill(GATE)
    page.locator("#lanes:not(.stale)").wait_for()
    assert row.evaluate(faint) == 1


@pytest.mark.parametrize("typed", ["abc", "", "0", "-3", "1/0", "1e9"])
def test_what_is_no_length_leaves_the_scene_as_it_is(page: Any, typed: str) -> None:
    before = page.locator("#timeline .event").evaluate_all("(all) => all.map((one) => [one.title, one.style.width])")
    field, fault = page.locator("#duration"), page.locator("#duration-fault")
    field.fill(typed)
    field.press("Enter")
    fault.get_by_text("not a length in seconds; still 12 s").wait_for()
    assert field.get_attribute("aria-invalid") == "true"
    after = page.locator("#timeline .event").evaluate_all("(all) => all.map((one) => [one.title, one.style.width])")
    assert after == before
    shows(page, "onset_guard", "1.000")
    field.fill("24")
    field.press("Enter")
    page.locator("#timeline .axis span", has_text="20").first.wait_for()
    assert fault.inner_text() == ""
    assert page.locator("#timeline .event").count() == len(before)


def test_the_value_of_a_clause_is_on_its_own_line_and_not_on_that_of_a_class(page: Any) -> None:
    value = page.locator("#lanes [data-clause=onset_guard]").bounding_box()
    for label in ("dog", "cat"):
        track = page.locator(f"#lanes [aria-label^='onset_guard of {label}:']").bounding_box()
        assert value["y"] + value["height"] <= track["y"] + 1
    name = page.locator("#lanes .row-name", has_text="onset_guard").bounding_box()
    assert name["y"] < middle(value) < name["y"] + name["height"]


def test_parameters_have_a_part_of_the_page_where_there_are_some(page: Any) -> None:
    assert page.locator("#parameters h2").is_visible()
    page.locator("#text").fill("contract c\nstep 20ms\nclause a on ref_onset : N[40ms] pred_onset\n")
    page.locator("#said", has_text="c: mean").wait_for()
    assert page.locator("#parameters h2").is_hidden()
    page.locator("#text").fill(GATE)
    page.locator("#said", has_text="boundary_gate: mean").wait_for()
    assert page.locator("#parameters h2").is_visible()


def test_keys_alone_add_an_event_move_its_ends_and_remove_it(page: Any) -> None:
    page.locator("#clear").focus()
    page.keyboard.press("Enter")
    shows(page, "onset_guard", "0.000")
    lane = "document.activeElement.getAttribute('aria-label')"
    for _ in range(12):
        page.keyboard.press("Tab")
        if str(page.evaluate(lane)).startswith("prediction of dog"):
            break
    for _ in range(10):
        page.keyboard.press("PageUp")
    page.keyboard.press("Enter")
    assert page.evaluate(lane) == "prediction of dog, 2 to 2.6 s"
    shows(page, "onset_guard", "0.500")
    for _ in range(7):
        page.keyboard.press("Shift+PageUp")
    assert page.evaluate(lane) == "prediction of dog, 2 to 4 s"
    shows(page, "duration_guard", "0.500")
    for _ in range(3):
        page.keyboard.press("Control+ArrowRight")
    assert page.evaluate(lane) == "prediction of dog, 2.06 to 4 s"
    shows(page, "onset_guard", "0.000")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(lane) == "prediction of dog, 2.04 to 3.98 s"
    shows(page, "onset_guard", "0.500")
    page.keyboard.press("Delete")
    assert str(page.evaluate(lane)).startswith("prediction of dog: Enter adds")
    shows(page, "onset_guard", "0.000")


def test_a_slider_moves_its_parameter_and_is_written_into_the_contract(page: Any) -> None:
    event(page, "pred").focus()
    for _ in range(3):
        page.keyboard.press("Control+ArrowRight")
    shows(page, "onset_guard", "0.500")
    page.locator("#slider-tol").focus()
    page.keyboard.press("ArrowRight")
    shows(page, "onset_guard", "1.000")
    assert page.locator(".slider", has_text="tol").locator("output").inner_text() == "60ms (written 40ms)"
    page.locator("#curve text", has_text="40ms (own)").wait_for()
    page.locator(".slider", has_text="tol").get_by_text("Write into the contract").click()
    page.locator(".slider output", has_text="60ms").wait_for()
    assert "param tol = 60ms" in page.locator("#text").input_value()
    page.locator("#curve text", has_text="60ms (own)").wait_for()
    shows(page, "onset_guard", "1.000")


def test_the_cast_plays_and_a_finding_loads_its_trace(page: Any) -> None:
    page.locator("#cast button", has_text="silent").click()
    shows(page, "missing_guard", "0.000")
    assert page.locator("#timeline .event.pred").count() == 0
    page.locator("#cast button", has_text="+60 ms").click()
    shows(page, "onset_guard", "0.000")
    assert event(page, "pred").get_attribute("title") == "2.06 to 4.06 s"
    page.locator("#text").fill("contract c\nstep 20ms\nclause back on ref_onset : ref_onset -> N[40ms] pred_offset\n")
    finding = page.locator("#found li", has_text="perfect-prediction-fails")
    finding.wait_for()
    finding.get_by_text("Load this trace").click()
    shows(page, "back", "0.000")
    titles = [event(page, side).get_attribute("title") for side in ("ref", "pred")]
    assert titles == ["0 to 0.02 s", "0 to 0.02 s"]


def test_the_address_opens_the_same_scene_in_another_page(page: Any, browser: Any, server: PageServer) -> None:
    event(page, "pred").focus()
    for _ in range(3):
        page.keyboard.press("Control+ArrowRight")
    page.locator("#slider-tol").focus()
    page.keyboard.press("ArrowLeft")
    shows(page, "onset_guard", "0.500")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#share")
    page.locator("#share", has_text="Copied").wait_for()
    shared = page.evaluate("navigator.clipboard.readText()")
    assert shared.startswith("#?scene=")
    assert server.token not in shared
    for other in opened(browser, server.address + shared, viewport={"width": 800, "height": 600}):
        shows(other, "onset_guard", "0.500")
        assert event(other, "pred").get_attribute("title") == "2.06 to 4 s"
        assert "20ms (written 40ms)" in other.locator(".slider output").first.inner_text()


def test_a_browser_that_is_started_with_the_entrance_shows_the_page_once(
    browser: Any, server: PageServer, tmp_path: Path
) -> None:
    entrance = server.entrance(tmp_path)
    text = entrance.read_text()
    context = browser.new_context()
    page = context.new_page()
    page.goto(entrance.as_uri())
    page.locator("#said", has_text="boundary_gate: mean").wait_for()
    assert page.url.split("#")[0] == server.address
    assert not entrance.exists()
    entrance.write_text(text)
    again = context.new_page()
    again.goto(entrance.as_uri())
    again.get_by_text("the address lacks its token").wait_for()
    context.close()


def test_an_address_that_is_no_scene_opens_the_first_clip(browser: Any, server: PageServer) -> None:
    for other in opened(browser, server.address + "#?scene=bm90aGluZw", viewport={"width": 800, "height": 600}):
        assert event(other, "ref").get_attribute("title") == "2 to 4 s"


def test_what_is_saved_scores_as_the_page_says_and_comes_back(page: Any, tmp_path: Path) -> None:
    event(page, "pred", 1).focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    shows(page, "onset_guard", "0.500")
    saved = {}
    for kind in ("document", "ref", "pred", "durations", "contract"):
        with page.expect_download() as download:
            page.click(f"[data-save={kind}]")
        saved[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[kind])
    contract = load_contract(saved["contract"])
    shown = dict(zip((c.name for c in contract.clauses), page.locator("#lanes .value").all_inner_texts(), strict=True))
    by_document = score_document(contract, saved["document"])
    by_tables = score(contract, saved["ref"], saved["pred"], durations=saved["durations"])
    for run in (by_document, by_tables):
        assert {name: decimal(value) for name, value in run.vector.items()} == shown
    page.click("#clear")
    shows(page, "onset_guard", "0.000")
    page.set_input_files("#file", saved["document"])
    shows(page, "onset_guard", "0.500")
    page.set_input_files("#file", saved["ref"])  # as the prediction, which is chosen
    shows(page, "onset_guard", "1.000")
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps({"clips": [{"name": "a"}]}))
    page.set_input_files("#file", broken)
    page.locator("#import-faults li.error").wait_for()


def test_clips_and_names_that_are_markup_are_chosen_as_text(page: Any) -> None:
    page.select_option("#clips", label="<b>second</b>")
    shows(page, "onset_guard", "0.000")
    page.fill("#add-class input", "<img src=x>")
    page.keyboard.press("Enter")
    page.locator("#timeline .row-name", has_text="<img src=x>").wait_for()
    assert page.locator("#timeline img").count() == 0


def test_on_a_phone_in_the_dark_nothing_sticks_out_and_a_finger_draws(phone: Any, tmp_path: Path) -> None:
    assert phone.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert phone.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    for value in phone.locator("#lanes .value").all():
        box = value.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    phone.locator("#clear").tap()
    shows(phone, "missing_guard", "0.000")
    track = phone.locator("#timeline .track").nth(1)
    track.scroll_into_view_if_needed()
    box = track.bounding_box()
    second = box["width"] / 12
    touch = phone.context.new_cdp_session(phone)
    places = [(box["x"] + at * second, middle(box)) for at in (2, 2.5, 3, 3.5, 4)]
    for kind, (x, y) in zip(("touchStart", *("touchMove",) * 4), places, strict=True):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    shows(phone, "missing_guard", "0.500")
    assert track.locator(".event").count() == 1
    assert len(phone.screenshot(path=tmp_path / "phone.png", full_page=True)) > 20_000
