"""The examples: every command of every README runs as written, and shows what the text says."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest

from tracelab.configuration import PROTOCOLS, configuration_text, configured
from tracelab.probe.registry import own_registry, read_registry
from tracelab.protocol import protocol_rows
from tracelab.robustness.command import CANONICAL_SEED
from tracepact import Aggregation, Run, load_contract, score, score_document, starter_contracts

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
DEMO = ROOT / "spec" / "demo"
NAMES = tuple(sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir()))
CONTRACT = starter_contracts()["boundary_gate"]
_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"  # exits with (\d)$")


@dataclass(frozen=True)
class Result:
    """What a command of a README printed."""

    command: str
    output: str
    errors: str


def commands(name: str) -> list[tuple[str, int]]:
    """The commands of an example's README with the exit codes they say."""
    text = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    lines = [line for block in _BLOCK.findall(text) for line in block.splitlines()]
    found = [(line, _EXIT.search(line)) for line in lines]
    return [(_EXIT.sub("", line), int(code[1]) if code else 0) for line, code in found]


def run(name: str, copy: Path) -> list[Result]:
    """Run the commands of an example in a copy of its folder, with the shipped data where it is in the repository."""
    folder = copy / "examples" / name
    shutil.copytree(EXAMPLES / name, folder)
    shutil.copytree(ROOT / "spec" / "demo", copy / "spec" / "demo")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    assert shutil.which("tracepact", path=path), "the package is not installed beside this interpreter"
    results = []
    for command, code in commands(name):
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env={**os.environ, "PATH": path, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == code, f"{command}\n{done.stdout}\n{done.stderr}"
        results.append(Result(command, done.stdout, done.stderr))
    return results


def counts(scored: Run) -> dict[str, tuple[int, int]]:
    vector = scored.card.vector(Aggregation.POOLED)
    return {clause: (s.satisfied, s.obligated) for clause, s in vector.items()}


def tables(name: str, tol: str | None = None) -> dict[str, tuple[int, int]]:
    """The vector of an example's two tables."""
    folder = EXAMPLES / name
    setting = {"tol": tol} if tol else None
    return counts(score(CONTRACT, folder / "reference.tsv", folder / "prediction.tsv", durations=3, set=setting))


def test_the_list_of_examples_names_each_and_no_other() -> None:
    listed = re.findall(
        r"^\| \[(.+?)\]\((.+?)\) \|", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [name for name, _ in listed] == [link for _, link in listed] == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_readme_has_commands(name: str) -> None:
    assert commands(name)


# 01: the reference is frames 50 to 99, offset frame 100; the prediction is frames 53 to 119, offset frame 120.


def test_late_and_long_runs(tmp_path: Path) -> None:
    first, at_60, at_80 = run("01-late-and-long", tmp_path)
    assert "nearest 0.06 s later" in first.output
    assert "nearest 0.4 s later" in first.output
    assert "violated" not in at_60.errors
    assert "offset_guard" in at_80.errors


def test_late_and_long_at_40_ms() -> None:
    assert tables("01-late-and-long") == {
        # Onset 3 frames late, offset 20; the window is 2 frames.
        "onset_guard": (0, 1),
        "offset_guard": (0, 1),
        # Only frame 50 is more than 2 frames from frame 53.
        "missing_guard": (49, 50),
        # 67 predicted frames; 101 and 100 are the last ones near frame 99: 53 to 101, 53 to 100.
        "spurious_guard": (49, 67),
        "silence_guard": (48, 67),
        # 1.34 s against 1 s: 0.34 s is more than 0.25 s.
        "duration_guard": (0, 1),
        "fragmentation_guard": (1, 1),
    }


def test_late_and_long_onset_holds_at_60_ms_and_offset_fails_at_80_ms() -> None:
    # 60 ms is 3 frames, the lateness of the onset; 80 ms is 4 frames, the offset is 20 late.
    assert tables("01-late-and-long", "60ms")["onset_guard"] == (1, 1)
    assert tables("01-late-and-long", "59ms")["onset_guard"] == (1, 1)  # rounded outward to 3 frames
    assert tables("01-late-and-long", "40ms")["onset_guard"] == (0, 1)
    assert tables("01-late-and-long", "80ms")["offset_guard"] == (0, 1)


# 02: the reference is frames 50 to 99; the pieces are 50 to 62, 70 to 79 and 87 to 99.


def test_fragments_run(tmp_path: Path) -> None:
    apart, joined = run("02-fragments", tmp_path)
    assert "fragmentation_guard" in apart.output
    assert "0.880" in joined.output


def test_fragments_are_all_there_and_broken() -> None:
    assert counts(score_document(CONTRACT, EXAMPLES / "02-fragments" / "pair.json")) == {
        "onset_guard": (1, 1),
        "offset_guard": (1, 1),
        # Two gaps of 7 frames; the middle 3 of each are more than 2 frames from a piece.
        "missing_guard": (44, 50),
        # 13 + 10 + 13 frames, all inside the reference.
        "spurious_guard": (36, 36),
        "silence_guard": (36, 36),
        # The piece that is matched has 13 frames of 50.
        "duration_guard": (0, 1),
        "fragmentation_guard": (0, 1),
    }


def test_joined_fragments_are_one_event_and_the_same_frames() -> None:
    # The gaps are 7 frames, 140 ms, so the pieces become one run of 50 frames.
    contract = load_contract(EXAMPLES / "02-fragments" / "joined.contract")
    assert counts(score_document(contract, EXAMPLES / "02-fragments" / "pair.json")) == {
        "missing_guard": (44, 50),
        "duration_guard": (1, 1),
        "fragmentation_guard": (1, 1),
    }


# 03: the reference is frames 50 to 99, the prediction frames 50 to 119.


def test_late_tail_runs(tmp_path: Path) -> None:
    whole, required = run("03-late-tail", tmp_path)
    assert "nearest 0.4 s later" in whole.output
    assert "violated" not in required.errors


def test_a_late_tail_is_onset_1_offset_0_duration_0() -> None:
    assert tables("03-late-tail") == {
        "onset_guard": (1, 1),
        "offset_guard": (0, 1),
        "missing_guard": (50, 50),
        # 70 predicted frames, of which 101 and 100 are the last near frame 99.
        "spurious_guard": (52, 70),
        "silence_guard": (51, 70),
        # 1.4 s against 1 s.
        "duration_guard": (0, 1),
        "fragmentation_guard": (1, 1),
    }


def test_the_matching_audit_finds_its_three_cases(tmp_path: Path) -> None:
    table, as_json = run("04-matching-audit", tmp_path)
    assert "given data" in table.output
    rows = json.loads(as_json.output)
    # In frames, with a search of 10. Separated: each event has its own prediction and overlaps no other.
    assert rows["case: separated"]["pairs"] == {"greedy": 2, "optimal": 2}
    # Bridge: references [10,20) [25,75), predictions [15,65) [70,80). Costs: first with first 5+45-5/2, second with
    # first 10+10-40/2 = 0, second with second 45+5-5/2. Greedy takes the 0 and has nothing left; optimal takes the
    # other two. Of 2 + 2 events 2·1 and 2·2 are matched: F1 0.5 and 1.
    assert rows["case: bridge"]["pairs"] == {"greedy": 1, "optimal": 2}
    assert rows["case: bridge"]["boundary_f1"] == {"greedy": "1/2", "optimal": "1"}
    # The second reference has two predictions in it either way; the first has one and needs its match.
    assert rows["case: bridge"]["changed_values"]["fragmentation_guard"] == ["0", "1/2"]
    # Split: one reference can be matched once.
    assert rows["case: split"]["pairs"] == {"greedy": 1, "optimal": 1}
    # The tables hold these three: 2 + 1 + 1 and 2 + 2 + 1 pairs, 5 references and 6 predictions.
    given = rows["given data"]
    assert given["pairs"] == {"greedy": 4, "optimal": 5}
    assert (given["refs"], given["preds"], given["changed"]) == (5, 6, 1)
    assert given["boundary_f1"] == {"greedy": "8/11", "optimal": "10/11"}
    # Whole and matched: both of separated, then the first of bridge under optimal. In length: both of separated and,
    # under greedy, the 50 frames of the bridge on the 50 of the second reference; split has 24 frames of 50.
    assert given["changed_values"] == {"duration_guard": ["3/4", "2/5"], "fragmentation_guard": ["2/5", "3/5"]}


def test_the_python_example_prints_its_vectors(tmp_path: Path) -> None:
    (result,) = run("05-python-api", tmp_path)
    # As in 01.
    late_and_long = ["0", "0", "49/50", "49/67", "48/67", "0", "1"]
    # Two clips of one class, counts added: `a` as in 03; in `b` no reference, and 5 predicted frames near nothing.
    clips = ["1", "0", "1", str(Fraction(52, 70 + 5)), str(Fraction(51, 70 + 5)), "0", "1"]
    names = [clause.name for clause in load_contract(CONTRACT).clauses]
    expected = [
        line
        for title, values in (("list", late_and_long), ("masks", late_and_long), ("clips", clips))
        for line in (title, *(f"  {name} {value}" for name, value in zip(names, values, strict=True)))
    ]
    assert result.output.splitlines() == expected


def demo_frames(table: str) -> dict[tuple[str, str], set[int]]:
    """The active frames of a demo table by clip and class: those whose centre lies in an event."""
    found: dict[tuple[str, str], set[int]] = {}
    with (ROOT / "spec" / "demo" / table).open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            if row["onset"]:
                onset, offset = Fraction(row["onset"]), Fraction(row["offset"])
                frames = {i for i in range(600) if onset <= Fraction(2 * i + 1, 100) < offset}
                found.setdefault((row["filename"], row["event_label"]), set()).update(frames)
    return found


def test_the_command_line_example_counts_what_the_tables_hold(tmp_path: Path) -> None:
    checked, explained, _, required, _, as_csv = run("06-command-line", tmp_path)
    assert "boundary_gate: ok" in checked.output
    assert "4 frames (80 ms)" in explained.output
    assert "onset_guard" in required.errors
    assert "missing_guard" not in required.errors
    # Counted from the tables: an obligation is a reference frame, satisfied with a predicted frame at most 4 away.
    ref, pred = demo_frames("reference.tsv"), demo_frames("late_long.tsv")
    near = {key: {j for i in frames for j in range(i - 4, i + 5)} for key, frames in pred.items()}
    expected = {key: (len(frames & near.get(key, set())), len(frames)) for key, frames in ref.items()}
    found = {
        (row["filename"], row["event_label"]): (int(row["satisfied"]), int(row["obligated"]))
        for row in csv.DictReader(StringIO(as_csv.output))
        if row["clause"] == "missing_guard" and row["obligated"] != "0"
    }
    assert found == expected
    # The same counts, pooled, in the report that was written, with the parameter that was set.
    report = json.loads((tmp_path / "examples" / "06-command-line" / "out" / "report.json").read_text(encoding="utf-8"))
    (missing,) = (entry for entry in report["vector"] if entry["clause"] == "missing_guard")
    pooled = missing["scores"]["pooled"]
    assert (pooled["satisfied"], pooled["obligated"]) == tuple(map(sum, zip(*expected.values(), strict=True)))
    tol = next(p for p in report["contract"]["parameters"] if p["name"] == "tol")
    assert (tol["value"], tol["overridden"]) == ("80ms", True)


# 08: what the README says of the calibration of the paper, from the commands themselves; `tests/selection` derives.


def test_the_smallest_contracts_are_those_of_the_readme(tmp_path: Path) -> None:
    done = run("08-select", tmp_path)
    ordered, checked, three, least, guards, named, cheaper, tolerant, joined, changed, door, worse, *more = done
    calls, judged, clips, *steps = more
    assert "12 judgements by 1 judge, of weight 12" in clips.output
    assert "violated: weight 0" in clips.output
    assert "5 clauses, cost 23; 15 of 15 requirements met" in calls.output
    assert "violated: weight 1; no contract of these candidates violates less" in judged.output
    folder = tmp_path / "examples" / "08-select"
    first = json.loads((folder / "least" / "selection.json").read_text(encoding="utf-8"))
    dropped = sum(first["candidates"]["dropped"].values())
    assert (first["candidates"]["total"], dropped, len(first["coordinates"])) == (4514, 1552, 245)
    assert (first["selected"]["count"], first["selected"]["optimal"]) == (3, True)
    assert "boundary_gate.contract: ok" in checked.output + checked.errors
    assert "7 clauses, cost 69; 30 of 30 requirements met" in ordered.output
    assert "best weights of these clauses reach 0.0285" in " ".join(ordered.output.split())
    assert "best weights of these clauses reach 0.0273" in " ".join(three.output.split())
    assert "3 clauses" in three.output
    assert "3 clauses, cost 3; 23 of 23 requirements met" in least.output
    assert "4 clauses, cost 48; 23 of 23 requirements met" in guards.output
    seven = json.loads((folder / "named" / "selection.json").read_text(encoding="utf-8"))
    text = (EXAMPLES / "08-select" / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \|", text, re.MULTILINE)
    assert [(c["name"], c["separates"]) for c in seven["coordinates"]] == [(name, int(n)) for name, n, _ in table]
    for name, pairs, alone in table:
        # The clause, its cost, how many pairs it separates and how many no other one does.
        rows = re.findall(r"^│(\w+) +│ +\d+ │ +(\d+) │ +(\d+) │", guards.output, re.MULTILINE)
        assert [(n, m) for shown, n, m in rows if shown == name] == [(pairs, alone)]
    assert "7 clauses, cost 86; 7 of 7 requirements met" in named.output
    assert "7 clauses, cost 49; 7 of 7 requirements met" in cheaper.output
    assert (folder / "named" / "selection.svg").read_text("utf-8") == (EXAMPLES / "08-select" / "named.svg").read_text(
        "utf-8"
    )
    assert "3 clauses, cost 15" in tolerant.output
    assert "101,139 candidates" in joined.output
    assert "2 clauses, cost 22; 23 of 23 requirements met" in joined.output
    assert "clauses: 3 before, 2 now" in changed.output
    assert "3 clauses, cost 28; 9 of 9 requirements met" in door.output
    assert "closed by selecting again with `merged`" in door.output
    assert "no candidate is lower on `last night` (rank 4) than on `deaf` (rank 3)" in worse.output
    assert len(steps) == 4


# 09: from two tables to a report.


def test_two_tables_become_a_run_with_a_page_that_verifies(tmp_path: Path) -> None:
    _, verified, markdown, linted, exact, floats = run("09-two-tables", tmp_path)
    folder = tmp_path / "examples" / "09-two-tables" / "run"
    assert "</html>" in (folder / "report.html").read_text(encoding="utf-8")
    assert "are as they were" in verified.output
    assert "onset\\_guard" in markdown.output
    assert "no findings" in linted.output + linted.errors
    # The one pair that floats decide otherwise: 2.75 to 4.55 s allows 360 ms, the offsets are exactly 360 ms apart.
    assert Fraction("4.91") - Fraction("4.55") == Fraction("0.2") * (Fraction("4.55") - Fraction("2.75"))
    assert 4.91 - 4.55 > 0.2 * (4.55 - 2.75)
    assert re.search(r"event F1 .* 68 / 184 / 184", exact.output)
    assert re.search(r"event F1 .* 67 / 185 / 185", floats.output)


# 10: onsets (car 1, truck 0.5, sirens 6.5, 2 and 4; the car at 3 s joins the truck), tolerance 200 ms.


def test_the_league_table_of_a_challenge_names_the_best_on_each_coordinate(tmp_path: Path) -> None:
    checked, linted, scored, league, ranking, without, _ = run("10-challenge", tmp_path)
    assert "challenge.contract: ok" in checked.output + checked.errors
    assert "one-sided-label" not in linted.output + linted.errors
    assert "label map labels.toml" in scored.output
    report = json.loads((tmp_path / "examples/10-challenge/runs/baseline/report.json").read_text(encoding="utf-8"))
    assert [report["preparation"]["reference"][what] for what in ("dropped", "ignored")] == [1, 1]  # rain, unsure
    with open(tmp_path / "examples" / "10-challenge" / "league.csv", encoding="utf-8", newline="") as file:
        onset = {row["system"]: row["value"] for row in csv.DictReader(file) if row["clause"] == "onset"}
    # Both vehicles are in time everywhere. Sirens: baseline is 400, 300, 300 ms late; eager misses the one at 4 s.
    assert onset == {"baseline": "1/2", "eager": "5/6", "pieces": "1"}
    # Cars in pieces: of two vehicles none is covered by one prediction, of three sirens all: (0 + 1) / 2.
    assert re.search(r"once +│ +1\.000\* │ +0\.833 │ +0\.500 │ baseline", league.output)
    # (2·1 + 167/170 + 1 + 1/2) / 5 is the greatest.
    assert re.search(r"ranking .* pieces ", ranking.output)
    assert re.search(r"found .* changed", without.output)


# 11: the demo's system that is late against the one that fragments.


def test_two_checkpoints_are_compared_obligation_by_obligation(tmp_path: Path) -> None:
    _, _, compared, tolerance, profiles, _ = run("11-checkpoints", tmp_path)
    folder = tmp_path / "examples" / "11-checkpoints"
    before, after = (
        counts(score(CONTRACT, DEMO / "reference.tsv", DEMO / f"{name}.tsv", durations=DEMO / "durations.tsv"))
        for name in ("late_long", "fragmenting")
    )
    with open(folder / "changed.csv", encoding="utf-8", newline="") as file:
        changes: Counter[tuple[str, str]] = Counter()
        for row in csv.DictReader(file):
            changes[row["clause"], row["change"]] += int(row["obligations"])
    for clause in ("onset_guard", "missing_guard", "fragmentation_guard"):
        gained = after[clause][0] - before[clause][0]
        assert changes[clause, "fixed"] - changes[clause, "broken"] == gained
    assert "fragmentation_guard" in compared.output
    assert re.search(r"onset_guard .* distances", tolerance.output)
    assert re.search(r"event_integrity .* before ", profiles.output)


# 12: calls at 12.4, 90 and 125.5 s (bmd), 40.1 and 42.3 s (fin); detections at 13.9, 12, 127.01 and 41.2 s.


def test_timestamps_of_calls_count_as_they_do_by_hand(tmp_path: Path) -> None:
    points, overlaps, *_, scored, _, read_back = run("12-bioacoustics", tmp_path)
    # 13.9 - 12.4 = 1.5 is near; 127.01 - 125.5 = 1.51 is not; 41.2 is near both fin whales; 90 has nobody.
    assert re.search(r"point F1 .* 3 / 1 / 2 ", points.output)
    # 4.1/6.5, 3.99/5.5 and 0.7/2 are above 0.3; the detection at 12 s is a second one on a matched call.
    assert re.search(r"overlap F1 .* 3 / 1 / 2 ", overlaps.output)
    assert re.search(r"found .* 3 / 5\D", scored.output)
    assert re.search(r"caused .* 3 / 4\D", scored.output)
    assert re.search(r"event F1 .* 5 / 0 / 0 ", read_back.output)


# 17: three trainings, each of which must beat the untrained network; what is trained must not get worse by it.


def test_a_network_is_trained_with_and_without_the_contract(tmp_path: Path) -> None:
    (printed,) = run("17-train", tmp_path)
    header, *rows = [re.split(r" {2,}", line) for line in printed.output.splitlines()]
    assert header == ["clause", "untrained", "without", "contract", "surrogates"]
    values = {clause: [float(value) for value in row] for clause, *row in rows}
    clauses = [clause.name for clause in load_contract("boundary_gate").clauses]
    assert list(values) == [*clauses, "mean of frame clauses"]
    untrained, without, contract, _ = values["mean of frame clauses"]
    assert untrained < without < contract


def test_score_files_one_file_and_arrays_are_one_field(tmp_path: Path) -> None:
    results = run("19-score-fields", tmp_path)
    folder = tmp_path / "examples" / "19-score-fields"
    vectors = [json.loads((folder / name / "report.json").read_text())["vector"] for name in ("half", "again")]
    assert vectors[0] == vectors[1]
    onsets = next(row for row in vectors[0] if row["clause"] == "onset_guard")
    assert onsets["scores"]["pooled"]["satisfied"] == 0  # the detector is two frames of 40 ms late, tol is 40 ms
    printed = next(found.output for found in results if found.command == "python fields.py").splitlines()
    margins = [Fraction(line.rsplit(" ", 1)[1]) for line in printed]
    assert len(margins) == onsets["scores"]["pooled"]["obligated"]
    assert min(margins) == Fraction(onsets["soft"]["least"])
    audited = next(found.output for found in results if found.command.startswith("tracepact audit"))
    assert "3 / 6" in audited
    assert "10 / 180" in audited  # one in eighteen
    league = json.loads((folder / "league" / "league.json").read_text(encoding="utf-8"))
    columns = {column["name"]: column for column in league["columns"]}
    assert [value["rank"] for value in columns["psds1"]["values"]] == [1, 1]  # the same scores
    best = {value["system"]: value["rank"] for value in columns["event_f1"]["values"]}
    assert best == {"tuned": 1, "half": 2}
    silence = next(row for row in columns["silence_guard"]["values"] if row["system"] == "tuned")
    assert Fraction(silence["value"]) >= Fraction("0.8")


# 13: the study at the scale `smoke` runs as written and verifies, and the other protocol is printed at its sizes; what
# is stored is of the shipped protocols, with the same tables.


def test_the_smallest_study_runs_and_verifies(tmp_path: Path) -> None:
    ran, verified, printed = run("13-study", tmp_path)  # `verify` exits with 1 where something is not as it was
    folder = tmp_path / "examples" / "13-study"
    out = folder / "out" / "study"
    page = (out / "study.html").read_text(encoding="utf-8")
    assert ran.output == "the study: out/study/study.html\n"
    assert "contract_loss" in page
    names = {path.name for path in (folder / "strict" / "tables").iterdir()}
    assert names == {path.name for path in (out / "tables").iterdir()}
    record = json.loads((out / "study.json").read_text(encoding="utf-8"))
    runs = len(list((out / "runs").glob("*/*")))
    assert verified.output == f"{runs} runs and {len(record['files'])} files: nothing changed\n"
    kept = (out / "protocol.toml").read_bytes()
    assert record["configuration_sha256"] == hashlib.sha256(kept).hexdigest(), "kept with its digest"

    strict, plain = tomllib.loads(printed.output), tomllib.loads(kept.decode())
    assert (plain["name"], strict["name"]) == ("plain", "strict")
    sizes = ("train_clips", "test_clips", "scale")
    assert [strict[name] for name in sizes] == [plain[name] for name in sizes], "both are at the scale `smoke`"
    stored = tomllib.loads((folder / "strict" / "protocol.toml").read_text(encoding="utf-8"))
    assert {**stored, **{name: strict[name] for name in sizes}} == strict, "another scale changes the sizes alone"
    # The table of the README, whose levels of the floor are 20 log10 of 0.004 and 0.006: -47.96 and -44.44 dBFS.
    assert [(one["ramp"], one["floor_level"]["high"]) for one in (plain, strict)] == [(0.012, 0.004), (0.04, 0.006)]
    assert [one["excerpts"]["drawn"] for one in (plain, strict)] == [12, 1]
    assert [one["excerpts"]["disjoint_speakers"] for one in (plain, strict)] == [False, True]
    for split in ("training", "test"):
        assert (plain[split]["tail_db"], plain[split]["signal"]) == (0, "clip")
        assert (strict[split]["tail_db"], strict[split]["signal"]) == (10, "events")
    assert strict["distractors"]["gain"] == strict["targets"]["gain"], "as loud as targets"
    assert plain["distractors"]["gain"]["high"] < plain["targets"]["gain"]["high"], "quieter than targets"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_stored_study_is_of_the_shipped_protocol_and_its_files_are_those_of_its_record(protocol: str) -> None:
    folder = EXAMPLES / "13-study" / protocol
    record = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    study = configured(record["scale"], protocol)
    assert (record["protocol"], record["complete"]) == (protocol, True)
    assert record["configuration_sha256"] == study.digest
    assert (folder / "protocol.toml").read_text(encoding="utf-8") == configuration_text(study)
    with open(folder / "tables" / "protocol.csv", encoding="utf-8", newline="") as file:
        # A text that begins with a sign is kept from being a formula by the apostrophe before it.
        rows = [(what, value.removeprefix("'")) for what, value in csv.reader(file)]
        assert rows[1:] == protocol_rows(study.protocol)
    for name, digest in record["files"].items():
        if not name.startswith("rows/"):
            assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert f"`{record['scale']}`" in (EXAMPLES / "13-study" / "README.md").read_text(encoding="utf-8")


# 14: a small corpus of tones; the committed run is of ESC-50 and vouched for by its manifest.


def test_a_robustness_run_is_made_verified_and_not_canonical(tmp_path: Path) -> None:
    _, made, verified, _ = run("14-robustness", tmp_path)
    out = tmp_path / "examples" / "14-robustness" / "out"
    assert "verified, not the canonical protocol: it has not the classes and clips of ESC-50" in made.output
    assert verified.output.rstrip().splitlines()[-1] == made.output.rstrip().splitlines()[-1]
    clean = json.loads((out / "run" / "results_clean.json").read_text(encoding="utf-8"))
    found = {model["name"]: model["scores"]["accuracy"]["exact"] for model in clean["models"]}
    assert found["logits"] == "1", "the pitch is what the classes differ in"
    assert (out / "run" / "report.pdf").read_bytes().startswith(b"%PDF")
    assert (out / "lowpass.wav").stat().st_size > 8000


def test_the_run_on_esc50_is_what_its_manifest_says_and_its_readme_quotes() -> None:
    folder = EXAMPLES / "14-robustness"
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["canonical"], len(manifest["classes"]), manifest["split"]["test_clips"]) == (False, 50, 400)
    line = json.loads((folder / "verification_report.json").read_text())["line"]
    assert line == f"verified, not the canonical protocol: {'; '.join(manifest['not_canonical'])}"
    assert manifest["not_canonical"] == [f"the seed is {manifest['seed']} and not {CANONICAL_SEED}"]
    there = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    vouched = [name for name in there if name in manifest["files"]]
    assert {"report.html", "report.pdf", "results_corruptions.json", "tables/published.csv"} <= set(vouched)
    for name in vouched:
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == manifest["files"][name], name
    grid = json.loads((folder / "grid" / "grid.json").read_text(encoding="utf-8"))
    for name in ("grid.html", "tables/breaks.csv"):
        assert hashlib.sha256((folder / "grid" / name).read_bytes()).hexdigest() == grid["files"][name]
    text = (folder / "README.md").read_text(encoding="utf-8")
    for model in json.loads((folder / "results_clean.json").read_text(encoding="utf-8"))["models"]:
        values = [f"{model['scores'][name]['value']:.3f}" for name in ("accuracy", "macro_f1", "nll", "brier", "ece")]
        assert f"| `{model['name']}`, as it is | {' | '.join(values)} |" in text


# 15: a probe of the reader's own detector runs as written; the page at full size is the one of its record.


def test_a_probe_of_ones_own_detector_runs_and_verifies(tmp_path: Path) -> None:
    made, verified, listed = run("15-probe", tmp_path)  # `verify` exits with 1 where something is not as it was
    page = (tmp_path / "examples" / "15-probe" / "out" / "probe" / "probe.html").read_text(encoding="utf-8")
    assert "probe.html" in made.output
    assert "nothing changed" in verified.output
    assert "hysteresis" in page
    assert "silero_8k" in listed.output


def test_the_full_probe_names_entries_of_the_registry_and_its_files_are_those_of_its_record() -> None:
    folder = EXAMPLES / "15-probe"
    record = json.loads((folder / "probe.json").read_text(encoding="utf-8"))
    assert (record["scale"], record["complete"]) == ("paper", True)
    registry = read_registry(own_registry())
    assert set(record["entries"]) <= {entry.name for entry in (*registry.encoder, *registry.detector)}
    for name, digest in record["files"].items():
        if not name.startswith(("rows/", "scores/")):
            assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


# 18: ten systems of the demo's references. `early` is the reference 30 ms early, within the tolerance of 40 ms.


def test_a_league_ranks_ten_systems_and_none_that_does_not_listen_leads_it(tmp_path: Path) -> None:
    done = {result.command: result for result in run("18-league", tmp_path)}
    (nine,) = (result for command, result in done.items() if "--baseline late_long --out" in command)
    added = done['tracepact league out/league --add "team seven=out/runs/blurred"']
    removed = done["tracepact league out/league --remove random"]
    back = done["tracepact league out/league --add out/runs/random"]
    by_f1 = done["tracepact league out/league --rank-by event_f1"]
    refused = done["tracepact league out/league --add out/runs/wider"]
    out = tmp_path / "examples" / "18-league" / "out" / "league"
    league = json.loads((out / "league.json").read_text(encoding="utf-8"))
    names = [system["name"] for system in league["systems"]]
    assert len(names) == 10
    assert names[0] == "early"
    assert set(names[-2:]) == {"silent", "always_on"}
    assert "team seven" in added.output
    assert "team seven" not in nine.output
    assert "random" not in removed.output
    assert "random" in back.output
    for column in league["columns"]:
        of = {value["system"]: value for value in column["values"]}
        assert of["late_long"]["rank"] == of["late_long_again"]["rank"]
        assert not {"silent", "random", "always_on"} & set(column["best"])
    onset = {v["system"]: v["value"] for c in league["columns"] if c["name"] == "onset_guard" for v in c["values"]}
    assert (onset["early"], onset["late_long"], onset["silent"]) == ("1", "0", "0")
    assert re.search(r"early +│ +1 ", by_f1.output)
    assert "the contract differs from that of `out/league`" in refused.errors
    assert "league of 10 systems" in (out / "league.html").read_text(encoding="utf-8")


# 16: a worker is killed by its process; whatever is lost is done again, and no byte differs.


def test_a_cluster_that_loses_a_worker_ends_with_the_same_bytes(tmp_path: Path) -> None:
    cluster, local, processes, verified = run("16-cluster", tmp_path)
    assert "one of two workers killed" in cluster.output
    assert "complete: True" in cluster.output
    assert "every file is the one that a single process writes: True" in cluster.output
    assert local.output == processes.output
    assert "as they were" in verified.output


def test_the_corpora_example_verifies_and_its_text_says_what_its_tables_hold(tmp_path: Path) -> None:
    *_, verified = run("20-corpora", tmp_path)
    assert verified.output.endswith("nothing changed\n")
    folder = EXAMPLES / "20-corpora"
    text = (folder / "README.md").read_text(encoding="utf-8")
    stored = folder / "maestro" / "tables"
    *_, total = csv.DictReader(StringIO((stored / "annotation.csv").read_text(encoding="utf-8")))
    assert (
        f"of {int(total['above zero']):,} labels above zero {100 * float(Fraction(total['ambiguous share'])):.1f} %"
        in text
    )
    assert f"entropy of {float(total['entropy']):.3f} bits" in text.replace("\n  ", " ")
    readings = csv.DictReader(StringIO((stored / "readings.csv").read_text(encoding="utf-8")))
    onset = next(row for row in readings if row["clause"] == "onset_guard" and row["within"] == "1/20")
    assert f"of the {onset['obligated']} onsets" in text
    assert f"{onset['inside']} would not be there" in text
    table = list(csv.DictReader(StringIO((folder / "baseline" / "tables" / "baseline.csv").read_text("utf-8"))))
    of = {(r["threshold"], r["labels"], r["measure"]): f"{float(Fraction(r['value'])):.3f}" for r in table}
    mean, local = "mean of the vector", "local class detector"
    indexed = f"{of['0.5', 'classes', mean]} and the event F1 {of['0.5', 'classes', 'event F1']}"
    told = " ".join(text.split())
    assert f"vector by class is {indexed}; as a union {of['0.5', 'union', mean]}." in told
    best = {
        labels: f"{float(Fraction(row['value'])):.3f} {how}, in {row['threshold'].removeprefix('best, in ')}"
        for labels, how in (("classes", "by class"), ("union", "as a union"))
        for row in table
        if row["threshold"].startswith("best") and (row["labels"], row["measure"]) == (labels, "event F1")
    }
    assert f"its best is {best['classes']}, and {best['union']}." in told
    assert f"it is lower as a union ({of['0.5', 'union', 'event F1']})" in told
    assert f"mean of {of[local, 'classes', mean]} and an event F1 of {of[local, 'classes', 'event F1']}." in told
