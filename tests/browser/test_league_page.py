"""The league in a real browser: it sorts, filters, keeps its state in the address, plays sounds, and opens at once."""

import json
import wave
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.command import run as command
from msgspec import structs

from browser.chromium import chromium, first_paint, wait_until
from browser.test_report_page import large
from tracepact.audits.league import league_of, make_league
from tracepact.audits.league_command import league_page
from tracepact.audits.league_systems import LeagueSystem, Settings
from tracepact.audits.systems import listed_runs
from tracepact.declarations import spec_path
from tracepact.evaluate.scores import ClauseCounts

pytestmark = pytest.mark.slow

SYSTEMS = ("late_long", "over_firing", "fragmenting", "silent")
LARGEST = 5_000_000
SECONDS = 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league of the demo's systems and a silent one, and sounds of its clips: none, beside it, and inside it."""
    found = tmp_path_factory.mktemp("league")
    demo = spec_path("demo")
    (found / "silent.tsv").write_text("filename\tonset\toffset\tevent_label\n")
    (found / "my sounds").mkdir()
    for number in range(1, 41):
        with wave.open(str(found / "my sounds" / f"clip_{number:02}.wav"), "wb") as sound:
            sound.setparams((1, 1, 4000, 0, "NONE", ""))
            sound.writeframes(bytes([128]) * 4000 * SECONDS)
    data = ["--ref", str(demo / "reference.tsv"), "--durations", str(demo / "durations.tsv")]
    data += ["--conditions", str(demo / "conditions.tsv")]
    for name in SYSTEMS:
        pred = found / "silent.tsv" if name == "silent" else demo / f"{name}.tsv"
        out = ["--pred", str(pred), "--out", f"runs/{name}"]
        assert command("score", "boundary_gate", *data, *out, folder=found).code == 0
    runs = [f"runs/{name}" for name in SYSTEMS]
    for out, more in (
        ("plain", []),
        ("heard", ["--audio", "my sounds"]),
        ("inside", ["--audio", "my sounds", "--embed-audio"]),
    ):
        made = command("league", *runs, "--draws", "200", "--out", out, *more, folder=found)
        assert made.code == 0
        assert ("12 of 12 clips have a sound file" in made.err) == bool(more)
    assert command("report", "runs/late_long", "--audio", "my sounds", "--out", "report", folder=found).code == 0
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def opened(browser: Any) -> Iterator[Any]:
    """A function that opens a page; what the console said must be nothing."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    said: list[str] = []

    def go(file: Path, hash: str = "") -> Any:
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda r: said.append(r.url) if not r.url.startswith(("file:", "data:")) else None)
        page.goto(file.as_uri() + hash)
        return page

    yield go
    context.close()
    assert said == []


def names(page: Any, section: str = "standings") -> list[str]:
    """The systems that a table shows, from the top."""
    heads = page.locator(f"#{section} table:visible tbody tr:visible th").all_inner_texts()
    return [text.split("\n")[0] for text in heads]


def league(folder: Path) -> Any:
    return json.loads((folder / "plain" / "league.json").read_text(encoding="utf-8"))


def order(folder: Path, column: str, *, down: bool = True) -> list[str]:
    (found,) = (one for one in league(folder)["columns"] if one["name"] == column)
    return [v["system"] for v in sorted(found["values"], key=lambda v: v["decimal"], reverse=down)]


def test_the_tables_show_the_league_in_its_order(opened: Any, folder: Path) -> None:
    page = opened(folder / "plain" / "league.html")
    expected = [one["name"] for one in league(folder)["systems"]]
    for section in ("standings", "guards", "profiles", "metrics", "classes", "conditions"):
        assert names(page, section) == expected
    assert page.locator("#scatter .point").count() == 4
    assert page.locator("#scatter .hollow").count() == 1  # the silent one
    assert page.locator(".clip-lanes").count() == len(league(folder)["most_different"])


def test_a_heading_sorts_its_table_both_ways_and_back(opened: Any, folder: Path) -> None:
    page = opened(folder / "plain" / "league.html")
    first = names(page, "guards")
    heading = page.locator("#guards th button:text-is('missing_guard')")
    heading.click()
    assert names(page, "guards") == order(folder, "missing_guard")
    assert page.locator("#guards th[aria-sort=descending]").inner_text() == "missing_guard"
    assert names(page, "standings") == first
    heading.click()
    assert names(page, "guards") == order(folder, "missing_guard", down=False)
    heading.click()
    assert names(page, "guards") == first
    assert page.evaluate("location.hash") == ""


def test_what_is_chosen_stands_in_the_address_and_comes_back_from_it(opened: Any, folder: Path) -> None:
    page = opened(folder / "plain" / "league.html")
    page.fill("input[name=systems]", "fring, late_, firing")
    page.uncheck("input[name=details]")
    page.select_option("select[name=class]", "onset_guard")
    page.select_option("select[name=y]", "clause.silence_guard")
    page.locator("#profiles th button:text-is('edge_timing')").click()
    shown = {section: names(page, section) for section in ("standings", "profiles", "classes")}
    assert set(shown["standings"]) == {"late_long", "over_firing"}
    address = page.evaluate("location.hash")
    assert address.startswith("#?")
    other = opened(folder / "plain" / "league.html", address)
    assert {section: names(other, section) for section in shown} == shown
    assert other.input_value("input[name=systems]") == "fring, late_, firing"
    assert not other.is_checked("input[name=details]")
    assert other.input_value("select[name=class]") == "onset_guard"
    assert other.input_value("select[name=y]") == "clause.silence_guard"
    assert other.locator("#scatter .point").count() == 2
    assert other.evaluate("location.hash") == address
    lanes = other.locator(".lane-name[data-system]:visible").all_inner_texts()
    assert set(lanes) == {"late_long", "over_firing"}
    other.click("button[type=reset]")
    other.locator("#standings tbody tr").nth(3).wait_for()
    assert other.evaluate("location.hash") == ""


def test_only_ranked_systems_can_be_shown(opened: Any, folder: Path) -> None:
    page = opened(folder / "plain" / "league.html")
    page.check("input[name=ranked]")
    assert "silent" not in names(page)
    assert page.locator("#status").inner_text() == "3 of 4 systems"


def test_an_address_that_says_nonsense_is_taken_as_far_as_it_goes(opened: Any, folder: Path) -> None:
    page = opened(folder / "plain" / "league.html", "#?sort=nothing:here&x=no&class=%3Cb%3E&systems=%00")
    assert names(page) == []
    page.fill("input[name=systems]", "")
    assert len(names(page)) == 4


@pytest.mark.parametrize("kind", ["heard", "inside"])
def test_a_click_on_a_mark_plays_the_clip_from_there(opened: Any, folder: Path, kind: str) -> None:
    page = opened(folder / kind / "league.html")
    source = page.locator("audio").first.get_attribute("src")
    assert source.startswith("data:audio/wav;base64," if kind == "inside" else "../my%20sounds/clip_")
    mark = page.locator(".clip-lanes[open] rect.bad").first
    check_plays(page, mark, ".clip-lanes")


def test_a_click_on_a_violation_of_a_report_plays_the_clip_from_there(opened: Any, folder: Path) -> None:
    page = opened(folder / "report" / "report.html")
    assert page.locator("audio").count() == 3
    check_plays(page, page.locator(".clip .fail").nth(1), ".detail")


def check_plays(page: Any, mark: Any, around: str) -> None:
    at = float(mark.get_attribute("data-at"))
    mark.click(force=True)
    wait_until(page, "[...document.querySelectorAll('audio')].some((sound) => !sound.paused)")
    sound = f"mark.closest('{around}').querySelector('audio')"
    time, paused, duration = mark.evaluate(
        f"(mark) => (({{currentTime, paused, duration}}) => [currentTime, paused, duration])({sound})"
    )
    assert not paused
    assert duration == SECONDS
    assert at <= time < at + 3


def test_without_sounds_there_is_no_player_and_the_policy_allows_none(opened: Any, folder: Path) -> None:
    page = opened(folder / "plain" / "league.html")
    assert page.locator("audio").count() == 0
    policy = page.locator("meta[http-equiv]").get_attribute("content")
    assert "media-src" not in policy


def test_the_filters_of_a_report_stand_in_its_address(opened: Any, folder: Path) -> None:
    page = opened(folder / "report" / "report.html")
    page.select_option("select[name=clause]", label="duration_guard")
    page.select_option("select[name=class]", label="burst")
    page.select_option("select[name=condition]", label="busy")
    page.select_option("select[name=order]", "name")
    page.uncheck("input[name=failing]")
    shown = page.locator(".clip .name").all_inner_texts()
    address = page.evaluate("location.hash")
    assert address == "#?clause=duration_guard&class=burst&condition=busy&order=name&failing=0"
    other = opened(folder / "report" / "report.html", address)
    assert other.locator(".clip .name").all_inner_texts() == shown
    assert other.locator("#status").inner_text() == page.locator("#status").inner_text()


@pytest.mark.parametrize("look", ["light", "dark", "print"])
@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_nothing_sticks_out_at_any_width_in_any_look(browser: Any, folder: Path, width: int, look: str) -> None:
    scheme = "dark" if look == "dark" else "light"
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto((folder / "plain" / "league.html").as_uri())
    if look == "print":
        page.emulate_media(media="print")
        assert page.locator("nav").is_hidden()
        assert page.locator("#filters").is_hidden()
        assert page.locator("#scatter svg").is_visible()
    else:
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        box = page.locator("#standings .value").first.bounding_box()
        assert box is not None
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
    context.close()


def twenty(folder: Path) -> str:
    """The page of twenty systems on 1,168 clips and ten classes: one dense system, its clips in other orders."""
    large().save(folder / "large")
    made = make_league(listed_runs([f"0={folder / 'large'}"]), Settings("0", "headline", 40, 0, Fraction(19, 20)))
    (first,) = made.systems
    random = np.random.default_rng(5)

    def other(number: int) -> LeagueSystem:
        order = random.permutation(len(made.base.clips))
        counts = {
            name: ClauseCounts(some.satisfied[:, order], some.obligated[:, order], some.counter[:, order])
            for name, some in first.rows.counts.items()
        }
        about = structs.replace(first.stored.about, name=f"a_system_with_a_name_{number}")
        return replace(
            first, stored=structs.replace(first.stored, about=about), rows=replace(first.rows, counts=counts)
        )

    systems = [first, *(other(number) for number in range(1, 20))]
    return league_page(league_of(made.base, systems), made.base, systems)


def test_the_page_of_twenty_systems_on_many_clips_is_small_enough(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "league.html"
    path.write_text(twenty(tmp_path), encoding="utf-8")
    size = path.stat().st_size
    page = browser.new_page()
    paint = first_paint(browser, page, path, tmp_path / "trace.json")
    print(json.dumps({"bytes": size, "first paint in s": paint}))
    assert page.locator("#standings tbody tr").count() == 20
    assert size < LARGEST
    page.close()
