"""Files that other programs read, and answers to them, written out by hand: TextGrids, scores, LaTeX, STL, streams."""

import json
from pathlib import Path

import numpy as np
import pytest
from cli.command import run, write

from golden.task import table
from tracepact.diagnostics.collection import render_diagnostics
from tracepact.diagnostics.findings import Diagnostic, RowPlace

EVENTS = (
    ("a", "1", "2", "x"),
    ("a", "2", "3", "x"),
    ("a", "1.5", "2.5", "x"),
    ("a", "3", "3", "y"),
    ("a", "3", "3", "y"),
    ("a", "0", "4", 'say "z"'),
)
"""Two that touch, one across both, two points at one time, and one as long as the clip."""


def intervals(number: int, name: str, *spans: tuple[str, str, str]) -> list[str]:
    """A tier of intervals of a clip of five seconds, as Praat writes it."""
    lines = [f"    item [{number}]:", '        class = "IntervalTier"', f'        name = "{name}"']
    lines += ["        xmin = 0", "        xmax = 5", f"        intervals: size = {len(spans)}"]
    for k, (start, end, text) in enumerate(spans, start=1):
        lines += [f"        intervals [{k}]:", f"            xmin = {start}", f"            xmax = {end}"]
        lines.append(f'            text = "{text}"')
    return lines


def points(number: int, name: str, time: str, mark: str) -> list[str]:
    lines = [f"    item [{number}]:", '        class = "TextTier"', f'        name = "{name}"']
    lines += ["        xmin = 0", "        xmax = 5", "        points: size = 1", "        points [1]:"]
    return [*lines, f"            number = {time}", f'            mark = "{mark}"']


def test_a_textgrid(tmp_path: Path) -> None:
    """Tiers fill the clip without a gap; what overlaps, and a second point at one time, has a tier of its own."""
    write(tmp_path, {"e.tsv": table(EVENTS)})
    arguments = ("convert", "e.tsv", "--to", "textgrid", "--out", "grids", "--durations", "5")
    assert run(*arguments, folder=tmp_path).code == 0
    head = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0", "xmax = 5", "tiers? <exists>"]
    quoted = 'say ""z""'
    expected = [
        *[*head, "size = 5", "item []:"],
        *intervals(1, quoted, ("0", "4", quoted), ("4", "5", "")),
        *intervals(2, "x", ("0", "1", ""), ("1", "2", "x"), ("2", "3", "x"), ("3", "5", "")),
        *intervals(3, "x 2", ("0", "1.5", ""), ("1.5", "2.5", "x"), ("2.5", "5", "")),
        *points(4, "y points", "3", "y"),
        *points(5, "y points 2", "3", "y"),
    ]
    assert (tmp_path / "grids" / "a.TextGrid").read_text(encoding="utf-8").splitlines() == expected
    arguments = ("convert", "e.tsv", "--to", "textgrid", "--out", "tight")
    assert run(*arguments, folder=tmp_path).code == 0
    lines = (tmp_path / "tight" / "a.TextGrid").read_text(encoding="utf-8").splitlines()
    assert lines[4] == "xmax = 4"  # the last event's end
    assert lines[8:18] == [line.replace("= 5", "= 4") for line in intervals(1, quoted, ("0", "4", quoted))]


def test_regions_keep_their_labels(tmp_path: Path) -> None:
    """A cell UNK is a region for its class alone."""
    text = "Audiofilename,Starttime,Endtime,CLASS_1,CLASS_2\na.wav,0.5,1.25,POS,NEG\na.wav,2,3,UNK,POS\n"
    write(tmp_path, {"f.csv": text})
    options = ("--to", "table", "--out", "events.tsv", "--regions", "ignore.tsv")
    assert run("convert", "f.csv", *options, folder=tmp_path).code == 0
    assert (tmp_path / "ignore.tsv").read_text(encoding="utf-8") == table([("a.wav", "2", "3", "CLASS_1")])
    rows = [("a.wav", "0.5", "1.25", "CLASS_1"), ("a.wav", "2", "3", "CLASS_2")]
    assert (tmp_path / "events.tsv").read_text(encoding="utf-8") == table(rows)


def test_scores_in_parquet_keep_every_digit_of_their_times(tmp_path: Path) -> None:
    """A time that no float stands for is written as text."""
    middle = "0.12345678901234567891"
    (tmp_path / "scores").mkdir()
    scores = table([("0", middle, "0.5"), (middle, "1", "0.25")], "onset\toffset\tx")
    write(tmp_path, {"scores/a.tsv": scores})
    assert run("convert", "scores", "--to", "parquet", "--out", "s.parquet", folder=tmp_path).code == 0
    assert run("convert", "s.parquet", "--to", "scores", "--out", "again", folder=tmp_path).code == 0
    assert (tmp_path / "again" / "a.tsv").read_text(encoding="utf-8") == scores


@pytest.mark.parametrize("kind", ["bool", "float64"])
def test_masks_stay_masks_and_scores_stay_scores(tmp_path: Path, kind: str) -> None:
    with (tmp_path / "one.npz").open("wb") as file:
        np.savez(file, a=np.array([[1, 0], [0, 1]], dtype=kind), classes=np.array(["x", "y"]), step=np.array("1"))
    assert run("convert", "one.npz", "--to", "npz", "--out", "two.npz", folder=tmp_path).code == 0
    with np.load(tmp_path / "two.npz") as held:
        assert held["a"].dtype == kind
        assert held["a"].tolist() == [[1, 0], [0, 1]]


# Exports

LATEX = """contract c "50 % & more"
step 20ms
clause chain on ref_active : (ref_active -> pred_active) -> ref_onset -> pred_onset
clause times on each matched : pred.onset - (ref.onset + 1s) <= 500ms
clause minus on each matched : pred.onset - (ref.onset - 1.5s) <= 0s
"""


def test_latex_of_a_contract(tmp_path: Path) -> None:
    """An implication leans to the right, a difference to the left; a second is a second, half of one is 500 ms."""
    write(tmp_path, {"c.contract": LATEX})
    lines = run("export", "c.contract", "--to", "latex", folder=tmp_path).out.splitlines()
    assert r"\caption{50 \% \& more. Windows are in frames of $20\,\mathrm{ms}$.}" in lines
    word = r"\mathit{{{}}}".format
    active, heard, on, near = map(word, (r"ref\_active", r"pred\_active", r"ref\_onset", r"pred\_onset"))
    first, second = word("pred.onset"), word("ref.onset")
    rows = {line.split("}")[0].split("{")[1]: line for line in lines if line.startswith(r"\texttt")}
    assert rows["chain"].endswith(rf"${active}$ & $({active} \to {heard}) \to {on} \to {near}$ \\")
    assert rows["times"].endswith(rf"${first} - ({second} + 1\,\mathrm{{s}}) \le 500\,\mathrm{{ms}}$ \\")
    assert rows["minus"].endswith(rf"${first} - ({second} - 1.5\,\mathrm{{s}}) \le 0\,\mathrm{{ms}}$ \\")


def test_windows_of_stl(tmp_path: Path) -> None:
    """A window in the past counts back from now, its nearer end first."""
    clauses = "clause past on true : F[-3f,-1f] pred_active\nclause ahead on true : G[1f,3f] pred_active\n"
    write(tmp_path, {"c.contract": f"contract c\nstep 1s\n{clauses}"})
    lines = run("export", "c.contract", "--to", "rtamt", folder=tmp_path).out.splitlines()
    assert "past_formula = (once[1:3] (pred_active > 0))" in lines
    assert "ahead_formula = (always[1:3] (pred_active > 0))" in lines


# Streams


def test_the_table_of_a_stream(tmp_path: Path) -> None:
    """Four frames, of which three oblige and one holds; an interval waits for what may come."""
    write(tmp_path, {"c.contract": "contract c\nstep 20ms\nclause here on ref_active : pred_active\n"})
    shown = run("watch", "c.contract", folder=tmp_path, stdin=b"1 1\n1 0\n1 0\n0 0\n").out
    assert "c: 4 frames, 0.08 s" in shown
    assert "│here   │ 0.3333 │         1 │         3 │        2 │ 0 frames│" in shown
    clauses = "clause here on ref_active : pred_active\nclause whole on each ref : matched\n"
    write(tmp_path, {"d.contract": f"contract d\nstep 20ms\n{clauses}"})
    ended = run("watch", "d.contract", folder=tmp_path, stdin=b"1 0\n1 0\n").out
    assert "0.000–0.040 s  whole  matched  no partner  (delay 0 frames, 0 s)" in ended
    assert "not yet settled" not in ended
    saved = run("watch", "d.contract", "--save", "state.json", folder=tmp_path, stdin=b"1 0\n1 0\n").out
    assert "1 interval not yet settled" in saved


# Conformance


STRICT = """
import json, sys
sys.path.insert(0, {folder!r})
from monitor import monitor as made

def monitor():
    ask = made()
    def reply(message):
        {fault}
    return reply
"""
EXAMPLE = str(Path(__file__).resolve().parents[2] / "examples" / "07-conformance")


def conformed(folder: Path, fault: str, *options: str) -> tuple[int, dict[str, object]]:
    """How the example's monitor conforms with another way to reply."""
    write(folder, {"other.py": STRICT.format(folder=EXAMPLE, fault=fault)})
    outcome = run("conform", "--python", "other.py", *options, "--format", "json", folder=folder)
    return outcome.code, json.loads(outcome.out)


def test_values_of_frames_come_as_numbers_too(tmp_path: Path) -> None:
    """P9: 1 and 0 are values as well, so an implementation that takes only true and false does not conform."""
    fault = """values = message.get("values", {}).values()
        if not all(isinstance(value, bool) for value in values):
            return {"id": message["id"], "error": "no truth value"}
        return ask(message)"""
    options = ("--id", "streaming/now", "--id", "streaming/next")
    assert conformed(tmp_path, "return ask(message)", *options)[0] == 0
    code, record = conformed(tmp_path, fault, *options)
    assert code == 1
    assert {finding["kind"] for finding in record["findings"]} == {"error"}  # type: ignore[attr-defined]


def test_verdicts_that_depend_on_the_chunks_are_told_apart(tmp_path: Path) -> None:
    """Chunks of several frames are answered with the other verdicts; one frame at a time they are right."""
    fault = """said = ask(message)
        if message.get("ask") == "chunk" and message["frames"] > 1:
            other = {"satisfied": "violated", "violated": "satisfied"}
            said["answer"]["out"] = [[i, k, other.get(word, word)] for i, k, word in said["answer"]["out"]]
        return said"""
    code, record = conformed(tmp_path, fault, "--id", "streaming/chunk-whole", "--id", "streaming/chunk-ones")
    assert code == 1
    (finding,) = record["findings"]  # type: ignore[misc]
    rows = [row for out in finding["vector"]["expected"]["out"] for row in out]
    frame, clause, alone = min(rows)
    together = {"satisfied": "violated", "violated": "satisfied"}[alone]
    where = f"frame {frame} clause {clause} is {alone} one frame at a time, {together} in one chunk"
    assert finding["words"] == f"out differs; its verdicts depend on the chunks: {where}"


def test_a_row_of_a_table_is_a_line_in_sarif() -> None:
    """A finding about a whole file has no region (SARIF 2.1.0, 3.30)."""
    found = [Diagnostic("bad-time", "h", RowPlace("a b.tsv", row)) for row in (3, None)]
    results = json.loads(render_diagnostics(found, "sarif"))["runs"][0]["results"]
    places = [result["locations"][0]["physicalLocation"] for result in results]
    assert [place["artifactLocation"] for place in places] == [{"uri": "a%20b.tsv"}] * 2
    assert [place.get("region") for place in places] == [{"startLine": 3}, None]


def test_values_by_class_are_shown_of_more_than_one_class(tmp_path: Path) -> None:
    for classes, shown in (("x", False), ("xy", True)):
        rows = [("a", "1", "2", name) for name in classes]
        write(tmp_path, {"ref.tsv": table(rows), "pred.tsv": table(rows)})
        sides = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "5")
        assert ("By class" in run("metrics", *sides, "--full", folder=tmp_path).out) is shown


def test_a_clip_that_is_called_as_a_part_of_an_archive_is_to_be_renamed(tmp_path: Path) -> None:
    for name in ("classes", "step"):
        write(tmp_path, {f"{name}.tsv": "onset\toffset\tx\n0\t1\t0.5\n"})
        found = run("convert", f"{name}.tsv", "--to", "npz", "--out", "out.npz", folder=tmp_path)
        assert found.code == 2
        assert f"a clip `{name}` cannot be told from what an .npz file says" in found.err
        assert "= help: rename the clip\n" in found.err
        assert not (tmp_path / "out.npz").exists()
