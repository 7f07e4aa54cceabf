"""check, fmt, explain, export and audit."""

import json
import os
import stat
from pathlib import Path

import pytest
from cli.command import events, listing, run, write

from tracepact.declarations import starter_contracts

FINE = "# kept\ncontract fine\nstep 20ms\n\nclause c on ref_onset : pred_onset  # beside\n"
LOOSE = "# kept\ncontract   fine\nstep 20ms\n\nclause c on  ref_onset: (pred_onset)  # beside\n"
UNUSED = "contract w\nstep 20ms\nparam p = 1s\nclause c on ref_onset : pred_onset\n"
BAD = """contract bad
step 20ms
clause a on ref_onst : ref_onset
clause b on ref_onset : N[40xs] pred_onset
clause c on each ref : foo <= 1
profile p : d = 1
"""
FAULTS = [
    ("unknown-atom", "bad.contract:3:13"),
    ("bad-quantity", "bad.contract:4:27"),
    ("unknown-attribute", "bad.contract:5:24"),
    ("unknown-clause", "bad.contract:6:13"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {"fine.contract": FINE, "loose.contract": LOOSE, "unused.contract": UNUSED, "bad.contract": BAD}
    write(tmp_path, {**files})
    return tmp_path


# check


@pytest.mark.parametrize("name", starter_contracts())
def test_a_starter_contract_is_checked_by_its_name(name: str) -> None:
    outcome = run("check", name, "--strict")
    assert (outcome.code, outcome.out, outcome.err) == (0, f"{name}: ok\n", "")


def test_check_says_all_errors_of_a_file_with_line_span_and_help(folder: Path) -> None:
    outcome = run("check", "bad.contract", folder=folder)
    assert (outcome.code, outcome.places, outcome.err) == (2, FAULTS, "")
    assert "did you mean `ref_onset`?" in outcome.out
    assert "3 | clause a on ref_onst : ref_onset\n  |             ^^^^^^^^\n" in outcome.out


def test_check_takes_several_files_and_names_each(folder: Path) -> None:
    outcome = run("check", "fine.contract", "absent.contract", "nobody", "bad.contract", folder=folder)
    assert outcome.code == 2
    summaries = [line for line in outcome.out.splitlines() if line.endswith((": ok", " error", " errors"))]
    assert summaries == ["fine.contract: ok", "absent.contract: 1 error", "nobody: 1 error", "bad.contract: 4 errors"]
    assert outcome.places == [("unreadable-file", "absent.contract"), ("unreadable-file", "nobody"), *FAULTS]


def test_check_prints_json_to_standard_output(folder: Path) -> None:
    outcome = run("check", "fine.contract", "bad.contract", "nobody", "--format", "json", folder=folder)
    found = json.loads(outcome.out)
    assert (outcome.code, outcome.err) == (2, "")
    assert [item["code"] for item in found] == [*(code for code, _ in FAULTS), "unreadable-file"]
    assert found[0]["place"] == {"file": "bad.contract", "line": 3, "column": 13, "span": [35, 43]}
    assert BAD[35:43] == "ref_onst"
    assert run("check", "fine.contract", "--format", "json", folder=folder).out == "[]\n"


def test_check_prints_github_annotations(folder: Path) -> None:
    outcome = run("check", "bad.contract", "unused.contract", "--format", "github", folder=folder)
    lines = outcome.out.splitlines()
    assert (outcome.code, outcome.err, len(lines)) == (2, "", 5)
    assert lines[0].startswith("::error title=unknown-atom,file=bad.contract,line=3,col=13::")
    assert lines[4].startswith("::warning title=unused-parameter,file=unused.contract,line=3,col=")
    assert run("check", "fine.contract", "--format", "github", folder=folder).out == ""


def test_sarif_names_the_rule_and_the_place_of_each_finding(folder: Path) -> None:
    """The characters of the region are the fault; a file's name is a reference of a path, whatever stands in it."""
    text = "contract c\nstep 20ms\nclause ö on ref_onset : N[40ms] pred_onst\n"
    (folder / "a b:#?.contract").write_text(text, encoding="utf-8")
    outcome = run("check", "a b:#?.contract", "unused.contract", "--format", "sarif", folder=folder)
    document = json.loads(outcome.out)
    (report,) = document["runs"]
    assert (document["version"], report["tool"]["driver"]["name"]) == ("2.1.0", "tracepact")
    rules = [rule["id"] for rule in report["tool"]["driver"]["rules"]]
    assert [(one["ruleId"], rules[one["ruleIndex"]]) for one in report["results"]] == [
        (one["ruleId"], one["ruleId"]) for one in report["results"]
    ]
    first = next(one for one in report["results"] if one["level"] == "error")
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a%20b%3A%23%3F.contract"}
    region = place["region"]
    line = text.split("\n")[region["startLine"] - 1]
    assert region["endLine"] == region["startLine"]
    named = line[region["startColumn"] - 1 : region["endColumn"] - 1]
    assert first["ruleId"] in ("bad-character", "unknown-atom")
    assert named == {"bad-character": "ö", "unknown-atom": "pred_onst"}[first["ruleId"]]
    empty = json.loads(run("check", "fine.contract", "--format", "sarif", folder=folder).out)
    assert empty["runs"][0]["results"] == []


def test_strict_makes_a_warning_of_check_an_error(folder: Path) -> None:
    lenient = run("check", "unused.contract", folder=folder)
    strict = run("check", "unused.contract", "--strict", folder=folder)
    assert (lenient.code, strict.code) == (0, 2)
    assert lenient.codes == strict.codes == ["unused-parameter"]
    assert strict.err == "--strict makes warnings errors\n"
    assert lenient.err == ""
    asked = run("check", "unused.contract", "--fail-on", "warning", folder=folder)
    assert (asked.code, asked.err) == (2, "--fail-on warning makes warnings errors\n")


def test_check_reads_standard_input(folder: Path) -> None:
    fine = run("check", "-", folder=folder, stdin=FINE.encode())
    assert (fine.code, fine.out) == (0, "<stdin>: ok\n")
    bad = run("check", "-", folder=folder, stdin=BAD.encode())
    assert (bad.code, bad.places) == (2, [(code, place.replace("bad.contract", "<stdin>")) for code, place in FAULTS])
    assert run("check", "-", folder=folder, stdin=b"contract \xff").places == [("bad-encoding", "<stdin>:1")]


def test_a_folder_does_not_hide_a_starter_contract_of_its_name(folder: Path) -> None:
    (folder / "boundary_gate").mkdir()
    assert run("check", "boundary_gate", folder=folder).code == 0


# fmt


def test_fmt_writes_the_canonical_form_in_place_and_keeps_comments(folder: Path) -> None:
    outcome = run("fmt", "loose.contract", "fine.contract", folder=folder)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "loose.contract: formatted\n")
    assert (folder / "loose.contract").read_text() == FINE
    assert (folder / "fine.contract").read_text() == FINE


def test_fmt_check_writes_nothing_and_exits_with_one(folder: Path) -> None:
    before = listing(folder)
    assert run("fmt", "--check", "fine.contract", folder=folder).code == 0
    outcome = run("fmt", "--check", "fine.contract", "loose.contract", folder=folder)
    assert (outcome.code, outcome.out, outcome.err) == (1, "", "loose.contract: not in canonical form\n")
    assert listing(folder) == before


def test_fmt_check_names_what_is_not_canonical_beside_a_file_it_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "a.contract").write_text("contract a b c :\n")
    (tmp_path / "b.contract").write_text("contract   b\nstep 20ms\nclause x on ref_onset : pred_onset\n")
    outcome = run("fmt", "--check", str(tmp_path))
    assert outcome.code == 2
    assert "b.contract: not in canonical form" in "".join(outcome.err.splitlines())
    assert "a.contract: not in canonical form" not in outcome.err


def test_fmt_diff_shows_the_change_and_writes_nothing(folder: Path) -> None:
    before = listing(folder)
    outcome = run("fmt", "--diff", "loose.contract", folder=folder)
    assert outcome.code == 1
    assert "-contract   fine\n+contract fine\n" in outcome.out
    assert listing(folder) == before


def test_fmt_diff_marks_a_missing_end_of_line(folder: Path) -> None:
    write(folder, {"open.contract": FINE.rstrip("\n")})
    outcome = run("fmt", "--diff", "open.contract", folder=folder)
    assert "# beside\n\\ No newline at end of file\n+clause" in outcome.out


def test_fmt_formats_standard_input_to_standard_output(folder: Path) -> None:
    outcome = run("fmt", "-", stdin=LOOSE.encode())
    assert (outcome.code, outcome.out, outcome.err) == (0, FINE, "")
    assert run("fmt", "--check", "-", stdin=LOOSE.encode()).code == 1
    assert run("fmt", "-", stdin=b"contract \xff\n").places == [("bad-encoding", "<stdin>:1")]


def test_fmt_touches_no_file_when_one_has_errors(folder: Path) -> None:
    before = listing(folder)
    outcome = run("fmt", "loose.contract", "bad.contract", "absent.contract", folder=folder)
    assert outcome.code == 2
    assert outcome.codes == ["bad-quantity", "unreadable-file"]
    assert listing(folder) == before


def test_fmt_keeps_permissions_and_links(folder: Path) -> None:
    file, link = folder / "loose.contract", folder / "link.contract"
    file.chmod(0o640)
    link.symlink_to(file.name)
    assert run("fmt", "link.contract", folder=folder).code == 0
    assert link.is_symlink()
    assert file.read_text() == FINE
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize("name", starter_contracts())
def test_a_starter_contract_is_in_canonical_form(name: str) -> None:
    assert run("fmt", "--check", str(starter_contracts()[name])).code == 0


# explain, export, audit


def test_explain_gives_words_windows_and_measures() -> None:
    outcome = run("explain", "boundary_gate")
    assert outcome.code == 0
    assert "a predicted event starts within 2 frames (40 ms) before or after" in " ".join(outcome.out.split())
    assert "windows in frames: -2 to +2; lookahead 2, lookback 2, depth 1" in outcome.out
    assert "each reference event has a partner and is covered by at most one predicted event" in outcome.out


def test_explain_speaks_of_the_value_that_was_set() -> None:
    data = json.loads(run("explain", "boundary_gate", "--set", "tol=50ms", "--format", "json").out)
    assert data["clauses"][0]["windows"] == [[-3, 3]]
    assert data["lookahead"] == 3
    assert data["digest"] != json.loads(run("explain", "boundary_gate", "--format", "json").out)["digest"]


def test_export_prints_frame_clauses_and_names_the_event_clauses() -> None:
    outcome = run("export", "boundary_gate", "--to", "rtamt")
    assert outcome.code == 0
    assert "onset_guard_obligation = (ref_onset > 0)\n" in outcome.out
    assert "(eventually[0:2] (pred_onset > 0))" in outcome.out
    for name in ("onset_guard", "offset_guard", "missing_guard", "spurious_guard", "silence_guard"):
        assert f"\n{name}_formula = " in outcome.out
    assert outcome.out.endswith("duration_guard, fragmentation_guard\n")
    assert run("export", "boundary_gate").code == 2
    assert run("export", "boundary_gate", "--to", "other").code == 2


def test_audit_matcher_compares_on_built_in_cases_without_data() -> None:
    data = json.loads(run("audit", "matcher", "--json").out)
    pairs = {name: (row["pairs"]["greedy"], row["pairs"]["optimal"]) for name, row in data.items()}
    assert pairs["case: separated"] == (2, 2)
    assert pairs["case: bridge"] == (1, 2)
    assert not {"given data", "bridges of its references"} & data.keys()
    assert sum(name.startswith("stress: ") for name in data) == 5
    assert "case: bridge" in run("audit", "matcher").out


def test_audit_matcher_compares_on_given_data_and_its_bridges(tmp_path: Path) -> None:
    write(tmp_path, {"ref.tsv": events("a 1 2 x", "a 2.1 3 x"), "pred.tsv": events("a 1 2.9 x", "a 2.95 3 x")})
    given = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "10")
    data = json.loads(run("audit", "matcher", *given, "--json", folder=tmp_path).out)
    assert (data["given data"]["refs"], data["given data"]["preds"]) == (2, 2)
    assert data["bridges of its references"]["cases"] >= 1
    assert run("audit", "matcher", "--ref", "ref.tsv", folder=tmp_path).code == 2


def test_audit_matcher_says_what_is_wrong_with_given_data(tmp_path: Path) -> None:
    write(tmp_path, {"ref.tsv": events("a 2 1 x"), "pred.tsv": events("a 3 2 x")})
    outcome = run("audit", "matcher", "--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "9", folder=tmp_path)
    assert outcome.code == 2
    assert outcome.places == [("offset-before-onset", "ref.tsv:2"), ("offset-before-onset", "pred.tsv:2")]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_file_that_cannot_be_written_is_a_failure(folder: Path) -> None:
    folder.chmod(0o500)
    try:
        assert run("fmt", "loose.contract", folder=folder).code == 4
    finally:
        folder.chmod(0o700)
