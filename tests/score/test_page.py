"""The HTML page and the Markdown of a report: self-contained, escaped, and saying what the data says."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from cli.command import run as command
from hypothesis import given, settings
from show.outline import outline, policy
from strategies import sized

from score.runs import runs, small_run
from tracepact.declarations import spec_path
from tracepact.evaluate.uncertainty import Interval
from tracepact.language.contract import Aggregation
from tracepact.measures.records import CountMetricRecord, MeanMetricRecord
from tracepact.measures.uncertainty import metric_intervals
from tracepact.runs.directory import write_run
from tracepact.runs.report import Report
from tracepact.runs.report_parts import PageData, report_of
from tracepact.runs.report_tables import vector_table
from tracepact.runs.report_views import ReportPages, report_markdown, report_views, run_pages
from tracepact.runs.run import Run, score
from tracepact.runs.tally import measured
from tracepact.show.pages import Section, html_page, script_json
from tracepact.wording import decimal, visible

EVIL = "</script><img src=x onerror=alert(1)>|`*_\"'&\u2028 é"


def demo(name: str = "late_long") -> Run:
    tables = spec_path("demo")
    return score(
        "boundary_gate",
        tables / "reference.tsv",
        tables / f"{name}.tsv",
        durations=tables / "durations.tsv",
        conditions=tables / "conditions.tsv",
    )


@pytest.fixture(scope="module")
def run() -> Run:
    return demo()


@pytest.fixture(scope="module")
def pages(run: Run) -> ReportPages:
    return run_pages(run)


@pytest.fixture(scope="module")
def report(pages: ReportPages) -> Report:
    return pages.report


@pytest.fixture(scope="module")
def found(pages: ReportPages) -> PageData:
    return pages.data


@pytest.fixture(scope="module")
def html(pages: ReportPages) -> str:
    return pages.form("html")


def test_the_report_of_a_page_is_that_of_the_run(run: Run, report: Report) -> None:
    assert report == report_of(run)


def test_the_page_loads_nothing_from_anywhere(html: str) -> None:
    for tag, attributes in outline(html).elements:
        assert tag not in ("link", "iframe", "object", "embed", "base"), tag
        for name in ("src", "href", "action", "data", "srcset", "poster"):
            value = attributes.get(name)
            assert value is None or value.startswith("#"), (tag, name, value)
    assert policy(html)["default-src"] == ["'none'"]
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|import\(", html)
    for _, attributes in outline(html).elements:
        assert not [name for name in attributes if name == "style" or name.startswith("on")], attributes


def test_every_link_and_label_of_the_page_leads_somewhere(html: str) -> None:
    elements = outline(html).elements
    ids = [a["id"] for _, a in elements if "id" in a]
    assert len(ids) == len(set(ids))
    for tag, attributes in elements:
        if tag == "a":
            assert (attributes["href"] or "").removeprefix("#") in ids
        if attributes.get("for"):
            assert attributes["for"] in ids
        if attributes.get("aria-labelledby"):
            assert attributes["aria-labelledby"] in ids


def test_the_page_shows_every_score_with_its_counts_and_interval(html: str, report: Report, found: PageData) -> None:
    text = " ".join(outline(html).text.split())
    for row in report.vector:
        for aggregation, shown in row.scores.items():
            interval = found.intervals[aggregation][row.clause]
            value = decimal(shown.value)  # a mark before it says where it is vacuous
            assert f"{value} {decimal(interval.low)} to {decimal(interval.high)}" in text
            assert row.scores[Aggregation.POOLED].counts in text
    assert report.contract.digest in text
    for metric in report.metrics.metrics:
        assert isinstance(metric, CountMetricRecord | MeanMetricRecord)
        assert metric.policy in text
    for name in ("busy", "quiet", "burst", "speech", "tone"):
        assert name in text


def test_filters_name_every_clause_class_and_condition(html: str, report: Report) -> None:
    choices = [json.loads(a["data-filter"] or "") for _, a in outline(html).elements if "data-filter" in a]
    assert {choice["clause"] for choice in choices} == set(range(len(report.vector)))
    assert {c["class"] for c in choices if "class" in c} == set(range(len(report.classes)))
    assert {c["condition"] for c in choices if "condition" in c} == set(range(len(report.conditions)))


def test_names_from_outside_cannot_leave_their_place(tmp_path: Path) -> None:
    run = small_run(
        ref={EVIL: [(0.5, 3.25, EVIL)]},
        pred={EVIL: [(2, 3, EVIL)]},
        durations={EVIL: 12},
        ignore=None,
        conditions={EVIL: EVIL},
        masks={"zone": {EVIL: [True] * 36}},
    )
    pages = run_pages(run)
    text = pages.form("html")
    seen = outline(text)
    assert "img" not in {tag for tag, _ in seen.elements}
    (held,) = (json.loads(script) for script in seen.scripts if script.startswith("{"))
    shown = visible(EVIL.strip())
    assert (held["clips"], held["classes"], held["conditions"]) == ([shown], [shown], [visible(EVIL)])
    markdown = pages.form("markdown")
    assert "<img" not in markdown.replace("\\<", "")
    for line in markdown.splitlines():
        if line.startswith("|"):
            heads = len(re.findall(r"(?<!\\)\|", line))
            assert heads in (6, 7, 8, 9)


def test_signs_that_act_are_escapes_in_the_page_of_a_report_and_its_data(tmp_path: Path) -> None:
    """ESC, a C1 sign, an override of the reading direction, a mark of it: as text, as data."""
    acting = "\x1b\x9b\u202e\u200f"
    header = "filename\tonset\toffset\tevent_label\n"
    for side, onset in (("ref", "1"), ("pred", "1.5")):
        rows = f"{acting}a.wav\t{onset}\t2\tx{acting}\nb.wav\t{onset}\t2\tx{acting}\n"
        (tmp_path / f"{side}.tsv").write_text(header + rows, encoding="utf-8")
    sides = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "3")
    assert command("score", "boundary_gate", *sides, "--out", "run", "--page", folder=tmp_path).code == 0
    text = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    raw = [sign for sign in acting if sign in text]
    assert raw == []
    (held,) = (json.loads(script) for script in outline(text).scripts if script.startswith("{"))
    raw = [sign for sign in acting if sign in json.dumps(held, ensure_ascii=False)]
    assert raw == []
    assert "\\x1b\\x9b\\u202e\\u200fa.wav" in held["clips"]


@settings(max_examples=max(sized(10), settings().max_examples // 10))
@given(runs())
def test_every_run_has_a_page_and_markdown_of_its_own(run: Run) -> None:
    """Whatever the clips and labels are called: all elements are closed, and the clips are those of the run."""
    pages = run_pages(run)
    seen = outline(pages.form("html"))
    (held,) = (json.loads(script) for script in seen.scripts if script.startswith("{"))
    assert held["clips"] == [visible(clip) for clip in run.card.family.clips]
    assert pages.form("markdown").count("</details>") >= 1


def test_data_in_a_script_stays_data() -> None:
    text = script_json({"a": EVIL})
    assert "<" not in text
    assert "\u2028" not in text
    assert json.loads(text) == {"a": EVIL}


def test_a_page_is_its_sections_in_order() -> None:
    text = html_page(
        "A & B", "<h1>x</h1>", [Section("one", "One <1>", "<p>a</p>", "lead & all"), Section("two", "Two", "b")]
    )
    seen = outline(text)
    assert [a["id"] for tag, a in seen.elements if tag == "section"] == ["one", "two"]
    assert "One <1>" in seen.text
    assert "lead & all" in seen.text


def test_the_markdown_says_the_vector_and_folds_the_rest(report: Report, found: PageData) -> None:
    text = report_markdown(report, found)
    lines = text.splitlines()
    for row in report.vector:
        name = row.clause.replace("_", "\\_")
        (line,) = (line for line in lines if line.startswith(f"| {name} | **"))
        assert f"**{row.scores[report.aggregation].text}**" in line
    assert text.count("<details>") == text.count("</details>") == 5
    widths = {len(line.split("|")) for line in lines[4:14] if line.startswith("|")}
    assert len(widths) == 1


def test_intervals_over_few_clips_come_with_a_caution(run: Run) -> None:
    sides = {"a": [(1.0, 2.0, "x")], "b": [(1.0, 2.0, "x")]}
    small = score("boundary_gate", sides, sides, durations=5)
    for made, few in ((small, True), (run, False)):
        pages = run_pages(made)
        for shown in (outline(pages.form("html")).text, pages.form("markdown")):
            assert ("caution: 2 clips are few" in shown) == few


def test_an_interval_without_width_around_a_middling_value_is_explained(report: Report) -> None:
    certain, flat = Interval(Fraction(1), 1.0, 1.0), Interval(Fraction(1, 2), 0.5, 0.5)
    for interval, said in ((certain, False), (flat, True)):
        notes = vector_table(report, ranges={report.vector[0].clause: interval}).notes
        assert any("not that the value is certain" in note for note in notes) == said


def test_the_picture_of_a_run_loads_nothing(run: Run) -> None:
    picture = report_views(report_of(run))["report.svg"]
    assert not re.search(r"url\((?!#)|@import|@font-face|(src|href)=", picture)


def test_a_run_of_one_clip_has_no_intervals() -> None:
    run = score("boundary_gate", [(1.0, 2.0)], [(1.06, 2.4)], durations=5)
    pages = run_pages(run)
    assert "95 % interval" not in outline(pages.form("html")).text
    assert "95 % interval" not in pages.form("markdown")


# The command


def test_the_command_writes_every_form_or_prints_one(run: Run, tmp_path: Path) -> None:
    write_run(run, tmp_path / "run")
    outcome = command("report", "run", "--out", "deep/out", folder=tmp_path)
    assert outcome.code == 0, outcome.err
    files = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "deep" / "out").iterdir()}
    assert set(files) == {"report.html", "report.md", "report.txt", ".tracepact.json"}
    assert files["report.txt"] == (tmp_path / "run" / "report.txt").read_text(encoding="utf-8")
    printed = command("report", "run", "--format", "markdown", folder=tmp_path)
    assert (printed.code, printed.out) == (0, files["report.md"])
    assert command("report", "run", "--format", "text", "--out", "text", folder=tmp_path).code == 0
    assert {path.name for path in (tmp_path / "text").iterdir()} == {"report.txt", ".tracepact.json"}


def test_the_command_asks_for_a_place_or_one_form(run: Run, tmp_path: Path) -> None:
    write_run(run, tmp_path / "run")
    assert command("report", "run", folder=tmp_path).code == 2
    assert command("report", "absent", "--out", "x", folder=tmp_path).codes == ["not-a-run"]


def test_a_run_that_does_not_come_out_as_stored_is_refused(run: Run, tmp_path: Path) -> None:
    write_run(run, tmp_path / "run")
    table = tmp_path / "run" / "prediction.tsv"
    table.write_text(table.read_text(encoding="utf-8") + "clip_00.wav\t0\t1\tspeech\t\n", encoding="utf-8")
    assert command("report", "run", "--out", "out", folder=tmp_path).codes == ["broken-run"]
    assert not (tmp_path / "out").exists()


def test_the_page_and_the_markdown_show_the_metrics_with_their_intervals_and_accuracies(
    html: str, run: Run, report: Report, found: PageData
) -> None:
    measured_again = metric_intervals(measured(run))
    markdown = report_markdown(report, found)
    for quantity in (("event", "f1"), ("event", "macro_f1"), ("segment", "error_rate"), ("boundary", "f1")):
        one = measured_again[quantity]
        assert one.value is not None
        said = f"{decimal(one.value)} ({decimal(one.low)} to {decimal(one.high)})"
        assert said in outline(html).text
        assert said in markdown
    for shown in (outline(html).text, markdown):
        assert "balanced accuracy" in shown
