"""Rows of what is monitored, tested, exported and selected, and of runs with masks: by hand or by plain loops."""

import csv
import json
from fractions import Fraction
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cli.command import run, write

from golden.task import CLASSES, CLAUSES, CONTRACT, FRAME_CLAUSES, LATE, STEP, Asked, Card, Cell, exact, number

Record = dict[str, Any]
F = Fraction
DELAYS = {"onset_near": 1, "heard": 0, "quiet": 1}
CLIP = "a, ünï.wav"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, {"golden.contract": CONTRACT})
    return tmp_path


# watch


def watched(folder: Path, lines: list[Record], *options: str) -> list[Record]:
    stdin = "".join(json.dumps(line) + "\n" for line in lines).encode()
    outcome = run("watch", "golden.contract", *options, "--format", "json", folder=folder, stdin=stdin)
    assert outcome.code == 0, outcome.err
    return [json.loads(line) for line in outcome.out.splitlines()]


def test_watch_lines(folder: Path) -> None:
    """Every line of a violation: where, what, when it was out and how late; the summary has the counts."""
    card = Card(LATE)
    cells = {label: card.cells[CLIP, label] for label in CLASSES}
    frames = cells["bell"].frames
    parts = {"ref": "ref", "pred": "pred", "ignore": "ignored"}
    lines = [
        {part: [int(getattr(cells[k], mask)[i]) for k in CLASSES] for part, mask in parts.items()}
        for i in range(frames)
    ]
    classes = [argument for label in CLASSES for argument in ("--class", label)]
    *events, summary = watched(folder, lines, *classes, "--ignoring", "--stream", "mic, 1")
    expected = []
    for label, cell in cells.items():
        for clause in CLAUSES:
            for one in cell.clause(clause):
                if not one.held:
                    expected.append((label, clause, one))
    assert len(events) == len(expected) > 8
    assert [event["out"] for event in events] == sorted(event["out"] for event in events)
    for label, clause, one in expected:
        (event,) = (event for event in events if is_of(event, label, clause, one))
        head = {"kind": "violation", "clause": clause, "stream": "mic, 1", "class": label, "out": event["out"]}
        last = one.end - 1
        head["delay"] = {"frames": event["out"] - last, "seconds": exact((event["out"] - last) * STEP)}
        part = event.pop("part")
        assert CONTRACT[slice(*part["span"])] == part["text"] == one.part
        if clause in FRAME_CLAUSES:
            assert event == {**head, "frame": one.start, "time": exact(one.start * STEP)}
            assert event["out"] == min(one.start + DELAYS[clause], frames - 1)
        else:
            assert event["out"] == min(closed(cells[label], (one.start, one.end)), frames - 1)
            comparison, partner = event.pop("comparison"), event.pop("partner")
            assert event == {**head, "interval": [exact(one.start * STEP), exact(one.end * STEP)]}
            assert (comparison is None) == (one.unit == "")
            if comparison is not None:
                assert set(comparison) == {"quantity", "left", "right", "amount"}
                assert F(comparison["amount"]) == F(one.distance)
                assert comparison["quantity"] == {"s": "time"}.get(one.unit, one.unit)
                assert abs(F(comparison["left"]) - F(comparison["right"])) == F(one.distance)
            at = (one.start, one.end)
            pairs = [(b, a) if clause == "pure" else (a, b) for a, b in cells[label].pairs]
            partners = [[exact(edge * STEP) for edge in b] for a, b in pairs if a == at]
            assert partner == (partners[0] if partners else None)
    assert summary == {
        "kind": "summary",
        "contract": {"name": "golden", "digest": summary["contract"]["digest"]},
        "frames": frames,
        "ended": {"mic, 1": frames},
        "bad_lines": 0,
        "aggregation": "macro_classes",
        "vector": [{"clause": c, "score": card.score(c, "macro_classes", (CLIP,)).record} for c in CLAUSES],
    }


def is_of(event: Record, label: str, clause: str, one: Asked) -> bool:
    if (event["class"], event["clause"]) != (label, clause):
        return False
    if clause in FRAME_CLAUSES:
        return bool(event["frame"] == one.start)
    return bool(event["interval"] == [exact(one.start * STEP), exact(one.end * STEP)])


def closed(cell: Cell, span: tuple[int, int]) -> int:
    """The frame whose arrival closes the component of a run here, where runs that overlap may match (12.6)."""
    runs = {*cell.ref_runs, *cell.pred_runs}
    part = {span}
    while True:
        more = {run for run in runs for other in part if run[0] < other[1] and other[0] < run[1]}
        if more <= part:
            break
        part |= more
    # A run is final after n frames if (n − end)·step > 250 ms: two frames after its end have arrived.
    return max(end for _, end in part) + 2 - 1


def test_watch_text(folder: Path) -> None:
    """The lines for reading say times, parts and delays in the same way."""
    stdin = b"1 0\n1 1\n0 1\n0 0\n1 0\n"
    outcome = run("watch", "golden.contract", folder=folder, stdin=stdin)
    assert outcome.out.splitlines()[:4] == [
        "0.467 s  quiet  G[1f] !pred_active  (delay 1 frame, 0.233333 s)",
        "0.233–0.700 s  pure  purity >= 0.8  0.5 against 0.8  (delay 2 frames, 0.466667 s)",
        "0.933 s  onset_near  N[tol] pred_onset  (delay 0 frames, 0 s)",
        "0.933–1.167 s  one_piece  matched  no partner  (delay 0 frames, 0 s)",
    ]


# conform

PROGRAM = """
def monitor():
    def reply(message):
        if "hello" in message:
            return {"hello": "by hand, 1", "version": 1, "profiles": ["core", "past"]}
        formula = message.get("formula")
        if "id" not in message:
            return {"id": None, "error": "no case"}
        if formula == "p":
            return {"id": message["id"], "answer": {"verdicts": [clip["masks"]["p"] for clip in message["clips"]]}}
        if formula is True:
            return {"id": message["id"], "answer": {"verdicts": ["101"]}}
        return {"id": message["id"], "unsupported": "not, yet"}
    return reply
"""
IDS = ("frames/atom", "frames/true", "frames/false", "frames/and")


def test_conform_rows(folder: Path) -> None:
    """Counts of a conformance run: as CSV, JSON and JUnit, and beside one another."""
    write(folder, {"program.py": PROGRAM})
    vectors = {one["id"]: one for one in json.loads((SPEC / "conformance" / "frames.json").read_text())["vectors"]}
    ids = [name for name in IDS if name in vectors]
    assert len(ids) >= 3
    chosen = [argument for name in ids for argument in ("--id", name)]
    command = ("conform", "--python", "program.py", "--examples", "0", "--seed", "7", *chosen)
    told = "1", "1", str(len(ids) - 2)  # passed, failed, unsupported
    rows = run(*command, "--format", "csv", folder=folder)
    assert rows.code == 1
    header = ["kind", "name", "passed", "failed", "unsupported"]
    assert list(csv.reader(StringIO(rows.out))) == [header, ["vectors", "frames", *told]]
    outcome = run(*command, "--format", "json", "--junit", "junit.xml", folder=folder)
    record = json.loads(outcome.out)
    counts = dict(zip(header[2:], map(int, told), strict=True))
    assert record["vectors"] == [{"name": "frames", **counts}]
    assert record["unsupported"] == [{"reason": "not, yet", "count": len(ids) - 2}]
    by_rule: dict[tuple[str, str], dict[str, int]] = {}
    for name in ids:
        for rule in vectors[name]["rules"]:
            place = by_rule.setdefault((vectors[name]["profile"], rule), dict.fromkeys(header[2:], 0))
            place["passed" if name == "frames/atom" else "failed" if name == "frames/true" else "unsupported"] += 1
    expected = [{"profile": profile, "rule": rule, **some} for (profile, rule), some in by_rule.items()]
    assert sorted(record["rules"], key=str) == sorted(expected, key=str)
    (finding,) = record["findings"]
    assert finding["vector"] == vectors["frames/true"]
    assert finding["answered"] == {"verdicts": ["101"]}
    assert (finding["kind"], finding["origin"], finding["parts"]) == ("wrong-answer", "vectors", ["verdicts"])
    head = {key: record[key] for key in ("implementation", "protocol", "profiles", "seed", "examples", "random")}
    assert head == {
        "implementation": "by hand, 1",
        "protocol": 1,
        "profiles": ["core", "past"],
        "seed": 7,
        "examples": 0,
        "random": [],
    }
    assert (record["conforms"], record["tested"], record["stopped"], record["left_out"]) == (False, True, None, [])
    assert finding["replay"] == "tracepact conform --id frames/true --python program.py"
    (suite,) = ElementTree.parse(folder / "junit.xml").getroot()
    attributes = {"name": "vectors.frames", "tests": str(len(ids)), "failures": "1", "skipped": str(len(ids) - 2)}
    assert suite.attrib == attributes
    cases = [(case.get("name"), [part.tag for part in case]) for case in suite]
    skipped = [(f"unsupported {i}", ["skipped"]) for i in range(1, len(ids) - 1)]
    assert cases == [("frames/true", ["failure"]), ("frames/atom", []), *skipped]
    (failure,) = suite.iter("failure")
    assert failure.attrib == {"type": "wrong-answer", "message": "verdicts differs"}
    assert failure.text is not None
    assert failure.text.splitlines()[1:] == [
        "             012",
        "expected     ███",
        "answered     █·█",
        "              ^",
    ]
    (folder / "one.json").write_text(outcome.out)
    beside = run("conformance", "one.json", folder=folder).out
    assert "│`by hand, 1`   │ does not conform: 1 finding │ core, past │      1 │      1 │" in beside
    assert "1 of 2" in beside


SPEC = Path(__file__).resolve().parents[2] / "spec"


# export


def test_latex_rows(folder: Path) -> None:
    """A row for each clause, windows in frames of the step."""
    lines = run("export", "golden.contract", "--to", "latex", folder=folder).out.splitlines()
    assert r"\caption{Rows, written down. Windows are in frames of $\tfrac{700}{3}\,\mathrm{ms}$.}" in lines
    start = next(i for i, line in enumerate(lines) if line.endswith(r"\hline")) + 1
    near = r"$\mathit{ref\_onset} \to \mathsf{N}_{1}\, \mathit{pred\_onset}$"
    length = r"$\lvert \mathit{pred.duration} - \mathit{ref.duration} \rvert \le 0.25 \cdot \mathit{ref.duration}$"
    quiet = r"$\lnot \mathit{pred\_onset} \land \mathsf{G}_{[0,1]}\, \lnot \mathit{pred\_active}$"
    assert lines[start : start + 6] == [
        rf"\texttt{{onset\_near}} & $\mathit{{ref\_onset}}$ & {near} \\",
        r"\texttt{one\_piece} & each ref & $\mathit{matched} \land \mathit{ref.covering} \le 1$ \\",
        r"\texttt{heard} & $\mathit{pred\_onset}$ & $\mathsf{F}_{[-2,0]}\, \mathit{ref\_onset}$ \\",
        rf"\texttt{{quiet}} & $\lnot \mathit{{ref\_active}}$ & {quiet} \\",
        rf"\texttt{{length}} & each matched & {length} \\",
        r"\texttt{pure} & each pred & $\mathit{pred.purity} \ge 0.8$ \\",
    ]


def test_rtamt_rows(folder: Path) -> None:
    """The frame clauses as discrete-time formulas; what is left out is named."""
    outcome = run("export", "golden.contract", "--to", "rtamt", "--set", "tol=3f", folder=folder)
    lines = [line for line in outcome.out.splitlines() if line]
    assert lines[2:] == [
        *(f"input float {name}" for name in ("pred_active", "pred_onset", "ref_active", "ref_onset")),
        "onset_near_obligation = (ref_onset > 0)",
        "onset_near_formula = ((ref_onset > 0) implies (once[0:3] (eventually[0:3] (pred_onset > 0))))",
        "heard_obligation = (pred_onset > 0)",
        "heard_formula = (once[0:2] (ref_onset > 0))",
        "quiet_obligation = (not (ref_active > 0))",
        "quiet_formula = ((not (pred_onset > 0)) and (always[0:1] (not (pred_active > 0))))",
        "// event clauses have no STL counterpart: one_piece, length, pure",
    ]
    assert "7/30 s" in outcome.out.splitlines()[0]


# select

CALIBRATION = """step = "20ms"
cast = []
cases = [
  {name = "late", rank = 2, risk = "latency", edit = "late_onset", by = "60ms"},
  {name = "later", rank = 3, risk = "latency", edit = "late_onset", by = "100ms"},
  {name = "lost", rank = 4, risk = "lost support", edit = "missing", event = 2},
]
[reference.r]
duration = "1s"
events = [["200ms", "400ms"], ["600ms", "800ms"]]
[family]
atoms = ["ref_active", "pred_active"]
obligations = ["ref_active", "pred_active"]
tolerances = ["20ms"]
shapes = ["near"]
operators = ["F"]
each = ["ref"]
attributes = ["matched"]
"""
REFERENCE = [10 <= i < 20 or 30 <= i < 40 for i in range(50)]
CASES = {
    "late": [13 <= i < 20 or 33 <= i < 40 for i in range(50)],
    "later": [15 <= i < 20 or 35 <= i < 40 for i in range(50)],
    "lost": [10 <= i < 20 for i in range(50)],
}


def candidate_value(obligation: str, near: bool, negated: bool, wanted: str, pred: list[bool]) -> Fraction:
    """The score of `on o : o -> [N[20ms]] [!]w`, N of one frame."""
    masks = {"ref_active": REFERENCE, "pred_active": pred}
    there = [active != negated for active in masks[wanted]]
    reach = 1 if near else 0
    obliged = [i for i in range(50) if masks[obligation][i]]
    held = [i for i in obliged if any(there[max(0, i - reach) : i + reach + 1])]
    return F(len(held), len(obliged))


def test_select_rows(folder: Path) -> None:
    """candidates.tsv and `basis observe`: every candidate, its value on every case, and what became of it."""
    write(folder, {"small.calibration": CALIBRATION})
    outcome = run("select", "small.calibration", "--out", "chosen", folder=folder)
    assert outcome.code == 1, outcome.err  # no candidate names every fault, and this is said
    header, *rows = csv.reader(StringIO((folder / "chosen" / "candidates.tsv").read_text()), delimiter="\t")
    assert header == ["candidate", "text", "cost", "goes_to"]
    expected, observed, vectors = [], [], list[tuple[Fraction, ...]]()
    atoms = ("ref_active", "pred_active")
    for near, wanted, negated, obligation in product((False, True), atoms, (False, True), atoms):
        formula = f"{'N[20ms] ' if near else ''}{'!' if negated else ''}{wanted}"
        values = tuple(candidate_value(obligation, near, negated, wanted, pred) for pred in CASES.values())
        is_perfect = candidate_value(obligation, near, negated, wanted, REFERENCE) == 1
        expected.append((f"on {obligation} : {obligation} -> {formula}", values, is_perfect))
    expected.append(("on each ref : matched", (F(1), F(1), F(1, 2)), True))
    costs = []
    for (text, values, is_perfect), row in zip(expected, rows, strict=True):
        if not is_perfect:
            goes_to = "dropped: reference"
        elif set(values) == {F(1)}:
            goes_to = "constant 1"
        else:
            if values not in vectors:
                vectors.append(values)
            goes_to = f"coordinate {vectors.index(values)}"
        assert (int(row[0]), row[1], row[3]) == (len(observed), text, goes_to)
        observed.append([text, "passed" if is_perfect else "fails on a reference", *map(exact, values)])
        costs.append(int(row[2]))
    assert costs == [1, 1, 2, 2] * 2 + [7, 7, 8, 8] * 2 + [17]
    outcome = run("basis", "observe", "small.calibration", folder=folder)
    assert list(csv.reader(StringIO(outcome.out), delimiter="\t")) == [["candidate", "perfect", *CASES], *observed]
    record: Record = json.loads((folder / "chosen" / "selection.json").read_text())
    told = [(case["name"], case["rank"], case["risk"], case["traces"][0]["pred"]) for case in record["cases"]]
    late, later = [[13, 20], [33, 40]], [[15, 20], [35, 40]]
    assert told == [
        ("late", "2", "latency", late),
        ("later", "3", "latency", later),
        ("lost", "4", "lost support", [[10, 20]]),
    ]
    counts = record["candidates"]
    assert {key: counts[key] for key in ("total", "author", "frame", "event", "constant", "classes")} == {
        "total": 17,
        "author": 0,
        "frame": 16,
        "event": 1,
        "constant": sum(row[3] == "constant 1" for row in rows),
        "classes": len(vectors),
    }
    assert counts["dropped"] == {"reference": 8, "short_trace": 0, "solver": 0}
    order: Record = json.loads((folder / "chosen" / "order.json").read_text())
    assert order["margin"] == "1/10"  # 3/5 of `later` against 1/2 of `lost`
    assert order["contract"] == (folder / "chosen" / "small.contract").read_text()
    times = [[(e["onset"], e["offset"], e["label"]) for e in case["pred"]] for case in order["cases"]]
    assert times[0] == [("13/50", "2/5", "event"), ("33/50", "4/5", "event")]
    assert times[2] == [("1/5", "2/5", "event")]


# Masks, both sides in one document


def test_stored_masks(folder: Path) -> None:
    """A document with masks: its stored tables hold their frames, and a silent clip has a row without times."""
    contract = 'contract zoned\nstep 7/30s\natom zone "where it counts"\nclause there on zone : pred_active\n'
    document = {
        "clips": [
            {
                "name": "ä, 1",
                "duration": "2.1",
                "ref": [["0.3", "1/3", "x"]],
                "pred": [[0.5, 1.4, "x"]],
                "masks": {"zone": [[1, 3], [4, 5], [8, 9]]},
            },
            {"name": "b", "duration": "0.7", "ref": [], "pred": [], "masks": {"zone": []}},
        ]
    }
    write(folder, {"zoned.contract": contract, "pair.json": json.dumps(document)})
    outcome = run("score", "zoned.contract", "--pair", "pair.json", "--out", "run", folder=folder)
    assert outcome.code == 0, outcome.err

    def rows(name: str) -> list[list[str]]:
        return list(csv.reader(StringIO((folder / "run" / name).read_text()), delimiter="\t"))

    assert rows("masks.tsv") == [
        ["atom", "filename", "first_frame", "end_frame"],
        *(["zone", "ä, 1", start, end] for start, end in (("1", "3"), ("4", "5"), ("8", "9"))),
        ["zone", "b", "", ""],
    ]
    assert rows("durations.tsv")[1:] == [["ä, 1", "2.1"], ["b", "0.7"]]
    assert rows("reference.tsv")[1:] == [["ä, 1", "0.3", "1/3", "x", ""], ["b", "", "", "", ""]]
    assert rows("prediction.tsv")[1:] == [["ä, 1", "0.5", "1.4", "x", ""], ["b", "", "", "", ""]]
    violations = list(csv.reader(StringIO((folder / "run" / "violations.csv").read_text())))[1:]
    # 0.5 to 1.4 s are the frames 2 to 5, by their centres.
    at = [[number(frame * STEP), number((frame + 1) * STEP)] for frame in (1, 8)]
    assert violations == [["ä, 1", "x", "there", *edges, "pred_active", "", ""] for edges in at]
