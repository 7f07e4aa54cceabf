"""Every reader on damaged files gives events or diagnostics, never an exception; a run on any format has its report."""

from pathlib import Path

import pytest
from cli.command import run
from formats import put, read
from hypothesis import given, settings
from hypothesis import strategies as st
from io_samples import SAMPLES
from strategies import sized

from tracepact.data.formats import FORMATS
from tracepact.data.memory import regions_from
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Severity

pytestmark = pytest.mark.slow

OF_FRAMES = ("maestro", "scores")
"""Formats that need a threshold; others may have confidences for some events and not for all (rule 20.13)."""
FEWER = settings(max_examples=max(sized(10), settings().max_examples // 5))
ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp037", "shift_jis")


def test_every_format_has_a_sample() -> None:
    assert tuple(SAMPLES) == FORMATS


@st.composite
def damaged(draw: st.DrawFn, text: str) -> bytes:
    """The sample cut short, with changed bytes, with lines repeated, left out or turned round, or otherwise encoded."""
    data, lines = text.encode(), text.splitlines(keepends=True)
    at = draw(st.integers(0, len(data) - 1))
    line = draw(st.integers(0, len(lines) - 1))
    match draw(st.sampled_from(["cut", "flip", "byte", "repeat", "leave out", "turn", "encoding", "nothing", "twice"])):
        case "cut":
            return data[:at]
        case "flip":
            return data[:at] + bytes([data[at] ^ (1 << draw(st.integers(0, 7)))]) + data[at + 1 :]
        case "byte":
            return data[:at] + draw(st.binary(min_size=1, max_size=3)) + data[at + 1 :]
        case "repeat":
            return "".join([*lines[: line + 1], *lines[line:]]).encode()
        case "leave out":
            return "".join([*lines[:line], *lines[line + 1 :]]).encode()
        case "turn":
            return "".join(reversed(lines)).encode()
        case "encoding":
            return text.encode(draw(st.sampled_from(ENCODINGS)), errors="replace")
        case "twice":
            return data + data
        case _:
            return b""


@pytest.mark.parametrize("format", SAMPLES)
@FEWER
@given(data=st.data())
def test_a_damaged_file_gives_events_or_diagnostics(
    format: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    name, text = SAMPLES[format]
    content = data.draw(damaged(text))
    named = data.draw(st.sampled_from([None, format]))
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "f").mkdir()
    (folder / "f" / name).write_bytes(content)
    for path in (folder / "f" / name, folder / "f"):
        table, found = read(path, format=named, decoding="0.5")
        errors = [finding for finding in found if finding.severity is Severity.ERROR]
        assert errors or all(event.label and event.onset >= 0 for _, event in table.events)
        assert all(finding.headline.isprintable() for finding in found)
    regions_from(folder / "f" / name, Diagnostics())


@pytest.mark.parametrize("format", SAMPLES)
def test_a_run_on_any_format_has_its_report(format: str, tmp_path: Path) -> None:
    name, text = SAMPLES[format]
    put(tmp_path, {name: text})
    side = ("--ref", name, "--pred", name, "--ref-format", format, "--pred-format", format)
    cut = ("--threshold", "0.5", "--ref-threshold", "0.5") if format in OF_FRAMES else ()
    how = (*cut, "--durations", "200000", "--format", "json")
    outcome = run("score", "boundary_gate", *side, *how, "--set", "tol=40ms", folder=tmp_path)
    assert outcome.code == 0, outcome.err
    assert f'"format": "{format}"' in outcome.out
