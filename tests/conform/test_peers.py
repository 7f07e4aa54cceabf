"""Monitors that are not ours, behind the protocol: what a conformance run must find in them."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest
from test_examples import run

from tracepact.conform.conformance import conform
from tracepact.conform.findings import CaseTally, Conformance, Finding
from tracepact.conform.oracle import ConformanceProfile, suite
from tracepact.conform.outcome import picture

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "07-conformance"
needs_rtamt = pytest.mark.skipif(
    importlib.util.find_spec("rtamt") is None or sys.version_info >= (3, 13), reason="rtamt is not there"
)
needs_reelay = pytest.mark.skipif(importlib.util.find_spec("reelay") is None, reason="reelay is not there")
needs_mtl = pytest.mark.skipif(importlib.util.find_spec("mtl") is None, reason="metric-temporal-logic is not there")


def of_frames(adapter: str, *options: str, some: str = "") -> Conformance:
    """A monitor on the vectors of single formulas into the future, or on some of them: it is slow on long traces."""
    chosen = [
        v for v in suite() if v.id.startswith("frames/") and v.profile is ConformanceProfile.CORE and some in v.id
    ]
    return conform([sys.executable, str(FOLDER / adapter), *options], only=chosen, timeout=60)


def outcome_of(*command: str, examples: int) -> Conformance:
    script, *rest = command
    return conform(
        [sys.executable, "-W", "ignore", str(FOLDER / script), *rest],
        examples=examples,
        timeout=30,
    )


def random(found: Conformance, experiment: str) -> Finding:
    return next(finding for finding in found.findings if finding.origin == f"random: {experiment}")


def test_the_example_runs(tmp_path: Path) -> None:
    table, as_json = run("07-conformance", tmp_path)
    assert table.output.startswith("conforms: `a small monitor`\n")
    assert '"conforms": true' in as_json.output


@needs_rtamt
def test_rtamt_offline_conforms_where_its_gaps_are_left_out() -> None:
    found = outcome_of("rtamt_monitor.py", "offline", "careful", examples=15)
    assert found.findings == []
    assert sum(tally.passed for tally in found.vectors.values()) > 100


@needs_rtamt
def test_rtamt_online_gives_a_wrong_verdict_after_pastify() -> None:
    found = outcome_of("rtamt_monitor.py", "online", "careful", examples=40)
    finding = random(found, "streams of guards")
    assert finding.kind == "wrong-answer"
    assert finding.vector is not None
    assert finding.vector.input["trace"]["frames"] <= 4, picture(finding)
    assert "streaming/parts-wait-differently-and" in {f.vector.id for f in found.findings if f.vector is not None}


@needs_rtamt
def test_the_verdicts_of_rtamts_dense_monitor_depend_on_the_chunks() -> None:
    found = outcome_of("rtamt_monitor.py", "dense", "careful", examples=40)
    finding = random(found, "chunks")
    assert finding.vector is not None
    assert finding.vector.input["trace"]["frames"] <= 3, picture(finding)
    failed = {f.vector.id: f for f in found.findings if f.vector is not None and f.origin == "vectors"}
    assert "streaming/chunk-past-ones" in failed
    assert "streaming/chunk-past-whole" not in failed
    words = (
        "its verdicts depend on the chunks: frame 1 clause 0 is violated one frame at a time, satisfied in one chunk"
    )
    assert words in failed["streaming/chunk-past-ones"].words


@needs_mtl
def test_metric_temporal_logic_wants_the_left_side_of_until_at_its_witness_too() -> None:
    found = of_frames("mtl_monitor.py", "careful")
    failed = {f.vector.id: f.vector for f in found.findings if f.vector is not None}
    assert "frames/until-witness-excluded" in failed
    assert all('"U"' in json.dumps(dict(vector.input)) for vector in failed.values())
    assert found.vectors["frames"].passed > 40


@needs_mtl
def test_metric_temporal_logic_leaves_out_the_end_of_a_window_and_does_not_cut_windows() -> None:
    found = of_frames("mtl_monitor.py")
    failed = {finding.vector.id for finding in found.findings if finding.vector is not None}
    assert {"frames/eventually-0-to-1", "frames/whole-window-1"} & failed
    assert found.vectors.get("frames", CaseTally()).passed > 10


@needs_reelay
def test_a_window_of_frame_0_alone_has_no_end_in_reelay() -> None:
    failed = {
        finding.vector.id
        for finding in of_frames("reelay_monitor.py", some="-0-to-").findings
        if finding.vector is not None
    }
    assert {"frames/eventually-0-to-0", "frames/always-0-to-0"} <= failed


@needs_reelay
def test_reelay_conforms_where_windows_of_frame_0_alone_are_left_out() -> None:
    found = of_frames("reelay_monitor.py", "careful", some="-0-to-")
    assert found.findings == []
    assert found.vectors["frames"].passed >= 4


def test_the_page_of_the_public_monitors_is_small_whole_and_of_no_machine() -> None:
    page = (FOLDER / "monitors.html").read_text(encoding="utf-8")
    assert len(page) < 300_000
    for name in ("rtamt offline, careful", "metric-temporal-logic, careful", "reelay, careful"):
        assert name in page
    assert "-- python mtl_monitor.py careful" in page
    assert not re.search(r"/(home|root|work|tmp|usr)/|https?://(?!www\.w3\.org)", page)
    named = set(re.findall(r"conform --id ([\w/-]+)", page))
    assert named
    assert named <= {vector.id for vector in suite()}
