"""What commands print for people, cell by cell: tables of runs, comparisons, decodings, trials and selections."""

import csv
import json
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from cli.command import run, write

from golden.task import (
    AGGREGATIONS,
    CLASSES,
    CLAUSES,
    COUNTED,
    FRAME_CLAUSES,
    LATE,
    PROFILES,
    SIDES,
    STEP,
    SYSTEMS,
    Card,
    defined_mean,
    specificities,
    table,
    write_field,
    write_task,
)
from golden.test_other_rows import CALIBRATION
from golden.test_pages import compared, offset, short, three
from golden.test_score_files import farthest, markdown_tables
from tracepact.selection.robustness import OwnReferencesRecord
from tracepact.selection.sentences import own_words

F = Fraction
CARD = Card(LATE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The task with scores, and a run directory of two systems."""
    place = tmp_path_factory.mktemp("terminal")
    write_task(place)
    write_field(place / "field")
    write(place, {"small.calibration": CALIBRATION})
    for name in ("late", "mixed"):
        arguments = (*SIDES, "--pred", f"{name}.tsv", "--conditions", "conditions.tsv", "--out", name)
        assert run("score", "golden.contract", *arguments, folder=place).code == 0
    return place


def printed(folder: Path, *arguments: str, code: int = 0) -> str:
    outcome = run(*arguments, folder=folder)
    assert outcome.code == code, outcome.err
    return outcome.out


def terminal_tables(text: str) -> list[list[list[str]]]:
    """The tables of what a terminal shows, a heading above their rows; headings of several lines are joined."""
    tables: list[list[list[str]]] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split("[│┃]", line.strip())[1:-1]]
        if line.lstrip().startswith("┏"):
            tables.append([])
        elif line.lstrip().startswith("┃"):
            if tables[-1]:
                tables[-1][0] = [" ".join(filter(None, pair)) for pair in zip(tables[-1][0], cells, strict=True)]
            else:
                tables[-1].append(cells)
        elif line.lstrip().startswith("│"):
            tables[-1].append(cells)
    return tables


METRICS = ("frame_", "segment_", "event_", "intersection_")


def with_head(text: str, *head: str) -> list[list[str]]:
    """The rows of the one table with these headings first."""
    ((_, *rows),) = (table for table in terminal_tables(text) if tuple(table[0][: len(head)]) == head)
    return rows


# A run


def how_far(clause: str, clip: str, label: str, one: Any) -> str:
    """How far an obligation is from holding, in words."""
    cell = CARD.cells[clip, label]
    if clause == "quiet":
        return "does not hold"
    if clause not in FRAME_CLAUSES:
        return compared(cell, clause, one)
    nearest = offset(cell, clause, one)
    if nearest is None:
        return "none in the clip"
    return f"nearest {short(abs(nearest) * STEP)} s {'later' if nearest > 0 else 'earlier'}"


def test_a_score_on_one_screen(folder: Path) -> None:
    """The vector, the profiles, and of the three lowest clauses how often they fail and where, in different places."""
    out = printed(folder, "score", "golden.contract", *SIDES, "--pred", "late.tsv")
    rows = with_head(out, "clause", "score")
    assert [[row[0], row[1].split()[-1]] for row in rows[:-1]] == [
        [clause, three(CARD.score(clause, "macro_classes").value)] for clause in CLAUSES
    ]
    counts = (CARD.score(clause, "pooled").count for clause in CLAUSES)
    assert [row[2] for row in rows[:-1]] == [f"{count.held} / {count.obliged}" for count in counts]
    lines = [line.strip() for line in out.splitlines()]
    assert f"profile edges = {three(CARD.profile(PROFILES['edges'], 'pooled'))} (pooled)" in lines
    assert f"profile pieces = {three(CARD.profile(PROFILES['pieces'], 'macro_classes'))}" in lines
    totals = Counter(clause for _, _, clause, _ in CARD.violations())
    failed = sorted((c for c in CLAUSES if totals[c]), key=lambda c: CARD.score(c, "macro_classes").value)
    named: list[str] = []
    for clause in failed[:3]:
        clip, label, _, one = min(farthest(CARD, clause), key=lambda at: (at[0] in named) + (at[1] in named))
        named += [clip, label]
        times = f"{totals[clause]} time{'s' if totals[clause] > 1 else ''}"
        place = f"{label} at {short(one.start * STEP)} s of {clip}"
        assert f"{clause} fails {times}: {place}, {how_far(clause, clip, label, one)}" in lines
    assert sum(" fails " in line for line in lines) == 3
    assert f"{len(failed) - 3} other clauses fail" in lines
    assert max(totals.values()) > 5  # more than a report lists


def test_the_worst_places_of_a_report(folder: Path) -> None:
    """Up to three places for each clause, each with its time, its failing part and how far it is from holding."""
    rows = with_head((folder / "late" / "report.txt").read_text(encoding="utf-8"), "clause", "violations")
    told = [row for row in rows if row[2]]  # a long failing part goes on below
    expected = []
    for clause in CLAUSES:
        for clip, label, _, one in farthest(CARD, clause)[:3]:
            expected.append([clip, label, f"{short(one.start * STEP)} s", how_far(clause, clip, label, one)])
    assert [[*row[2:5], row[6]] for row in told] == expected


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_entries_that_asked_nothing_are_counted(folder: Path, aggregation: str) -> None:
    """How many entries of a mean are empty, and behind a plus how many of them count 0."""
    text = (folder / "golden.contract").read_text(encoding="utf-8").replace("macro_classes", aggregation)
    (folder / f"{aggregation}.contract").write_text(text, encoding="utf-8")
    out = printed(folder, "score", f"{aggregation}.contract", *SIDES, "--pred", "late.tsv", "--full")
    for row, clause in zip(
        with_head(out, "clause", aggregation.replace("_informative", ", no ∅").replace("_", " ")), CLAUSES, strict=False
    ):
        score = CARD.score(clause, aggregation)
        vacuous, against = score.vacuous_entries, score.counter_entries
        assert row[3] == (f"{vacuous} +{against}" if against else str(vacuous or "")), clause


def test_a_failing_part_of_two_lines_is_told_on_one(tmp_path: Path) -> None:
    clause = "clause d on ref_active : N[0f]\n   (pred_onset   |\n pred_active)\n"
    write(tmp_path, {"d.contract": f"contract d\nstep 1s\n{clause}"})
    write(tmp_path, {"ref.tsv": table([("a", "0", "2", "x")]), "pred.tsv": table([("a", "0", "1", "x")])})
    sides = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "2")
    assert run("score", "d.contract", *sides, "--page", "--out", "run", folder=tmp_path).code == 0
    part = "N[0f] (pred_onset | pred_active)"
    files = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "run").iterdir()}
    (texts,) = re.findall(r'"texts":(\[.*?\]),"total"', files["report.html"])
    assert json.loads(texts) == [part]
    assert part in files["report.txt"]
    assert part in files["report.md"].replace("\\|", "|")
    watched = run("watch", "d.contract", folder=tmp_path, stdin=b"1 1\n1 0\n").out.splitlines()
    assert watched[0] == f"1.000 s  d  {part}  (delay 0 frames, 0 s)"


def test_colours_of_the_picture_of_a_run(folder: Path) -> None:
    """The reference is green, the prediction blue, what failed red."""
    svg = (folder / "late" / "report.svg").read_text(encoding="utf-8")
    fills = dict(re.findall(r"-(r\d+) { fill: #([0-9a-f]{6})", svg))
    lanes = re.findall(r'<text class="terminal-\d+-(r\d+)"[^>]*>([·█▓×¦]+)(?:&#160;)*</text>', svg)
    assert lanes[1][1] == "▓▓·▓·"
    strongest = []
    for look, _ in lanes:
        shares = {colour: int(fills[look][k : k + 2], 16) for k, colour in zip((0, 2, 4), COLOURS, strict=True)}
        strongest.append(max(shares, key=lambda colour: shares[colour]))
    assert strongest == ["green", "blue", "red", "red", "red"]


COLOURS = ("red", "green", "blue")


def test_a_gap_that_no_empty_cell_shows_is_a_broken_bar(tmp_path: Path) -> None:
    """228 frames in 76 cells of three: the 11th frame is empty and lies in the 4th cell, the run goes on in the 5th."""
    rows = [("a", "0", "11", "x"), ("a", "12", "30", "x")]
    write(tmp_path, {"c.contract": "contract c\nstep 1s\nclause c on ref_active : !pred_active\n"})
    write(tmp_path, {"ref.tsv": table(rows), "pred.tsv": table(rows[1:])})
    sides = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "228")
    lines = [line.strip() for line in printed(tmp_path, "score", "c.contract", *sides, "--full").splitlines()]
    assert f"ref ███¦{'█' * 6}{'·' * 66}" in lines
    assert f"pred {'·' * 4}{'▓' * 6}{'·' * 66}" in lines
    assert f"c {'·' * 4}{'×' * 6}{'·' * 66}" in lines


def test_what_is_beside_the_vector(folder: Path) -> None:
    """Only a run directory without its violations says that it has none."""
    words = "the run directory has no violations.csv (--no-violations)"
    arguments = ("score", "golden.contract", *SIDES, "--pred", "late.tsv", "--full")
    assert words not in printed(folder, *arguments)
    assert words in printed(folder, *arguments, "--no-violations", "--out", "without")


def test_a_profile_names_what_it_weighs_and_was_not_asked(tmp_path: Path) -> None:
    """A clause of weight 0 is no part of a profile, so that it does not matter that it was not asked."""
    write(
        tmp_path,
        {
            "c.contract": "contract c\nstep 1s\nclause here on ref_active : pred_active\n"
            "clause never on ref_active & !ref_active : pred_active\n"
            "profile one : here = 1, never = 0\nprofile both : here = 1, never = 1\n",
            "ref.tsv": table([("a", "0", "2", "x")]),
        },
    )
    sides = ("--ref", "ref.tsv", "--pred", "ref.tsv", "--durations", "2")
    lines = [line.strip() for line in printed(tmp_path, "score", "c.contract", *sides, "--full").splitlines()]
    assert "profile one = 1.000 (pooled)" in lines
    assert "profile both = ∅ 1.000 (pooled; nothing was asked by never)" in lines


def test_classes_and_warnings_beyond_what_is_listed(tmp_path: Path) -> None:
    """Of 203 classes a terminal has 200, of 203 warnings a page has 200; both say how many more there are."""
    labels = [f"l{k:03}" for k in range(203)]
    write(tmp_path, {"c.contract": "contract c\nstep 1s\nclause c on ref_active : pred_active\n"})
    write(tmp_path, {"ref.tsv": table(("a", "0", "2", label) for label in labels)})
    write(tmp_path, {"pred.tsv": table(("a", "0", "3", label) for label in labels)})
    sides = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "2")
    out = printed(tmp_path, "score", "c.contract", *sides, "--full", "--page", "--out", "run")
    assert "… and 3 more classes, which --format json lists" in out
    html = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "<summary>Warnings: 203 offset-beyond-clip</summary>" in html
    assert html.count('<th scope="row">offset-beyond-clip</th>') == 200
    assert "… and 3 more in report.json" in html


MARGINS = """contract c
step 1s
clause here on ref_active : pred_active
clause near on ref_active : N[1f] pred_active
"""


def test_margins_of_a_report(tmp_path: Path) -> None:
    """The least margin and the middle one of those violated; a score at the threshold itself misses it by −0."""
    write(tmp_path, {"c.contract": MARGINS, "ref.tsv": table([("a", "0", "5", "x")])})
    rows = [(str(k), str(k + 1), score) for k, score in enumerate(("0.9", "0.1", "0.3", "0.5", "0.5"))]
    write(tmp_path, {"a.tsv": table(rows, "onset\toffset\tx")})
    sides = ("--ref", "ref.tsv", "--pred", "a.tsv", "--durations", "5")
    out = printed(tmp_path, "score", "c.contract", *sides, "--threshold", "0.5", "--full", "--margins")
    # here: 0.4, −0.4, −0.2, −0, −0: four are violated, the lower one in their middle is −0.2.
    # near takes the greatest of three: 0.4, 0.4, −0, −0, −0.
    assert with_head(out, "clause", "pooled", "soft score") == [
        ["here", "0.200", "-0.040", "-0.400", "-0.200"],
        ["near", "0.400", "0.160", "−0.000", "−0.000"],
    ]


# Metrics


def test_accuracies_in_markdown(folder: Path) -> None:
    """Specificity, balanced accuracy and accuracy of segments: of all, over classes, and of each."""
    text = printed(folder, "report", "late", "--format", "markdown")
    tally = COUNTED["segment"](CARD)
    assert tally.tn is not None
    each = {label: specificities(tally, label) for label in CLASSES}
    rows = [["micro", *map(shown, specificities(tally)), str(sum(tally.tn.values()))]]
    rows.append(["macro", *(shown(defined_mean(one[k] for one in each.values())) for k in range(3)), ""])
    rows += [[label, *map(shown, values), str(tally.tn[label])] for label, values in each.items()]
    head = ["class", "specificity", "balanced accuracy", "accuracy", "tn"]
    (accuracies,) = (one for one in markdown_tables(text) if one[0] == head and one[1:] == rows)
    assert len({tuple(row[1:4]) for row in accuracies[1:]}) > 2


def shown(value: Fraction | None) -> str:
    return "–" if value is None else three(value)


@pytest.mark.parametrize(("inside", "words"), [(1, "1 event is"), (2, "2 events are")])
def test_events_that_are_not_counted(tmp_path: Path, inside: int, words: str) -> None:
    rows = [("a", str(2 * k), str(2 * k + 1), "x") for k in range(4)]
    write(tmp_path, {"ref.tsv": table(rows[:2]), "pred.tsv": table(rows[2:4])})
    write(tmp_path, {"ignore.tsv": table([("a", "0", str(2 * inside), "x")])})
    sides = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "9", "--ignore", "ignore.tsv")
    out = printed(tmp_path, "metrics", *sides, "--format", "text")
    number, kind, verb = words.split()
    assert f"{number} {kind} in ignore regions {verb} left out of the metrics on intervals" in " ".join(out.split())


def test_decisions_of_floats_in_words(tmp_path: Path) -> None:
    """2.2 is 0.2 after 2, which floats deny; the counts before and after, and the pair with its times."""
    write(tmp_path, {"ref.tsv": table([("y", "2", "4", "a"), ("y", "7", "8", "a")])})
    write(tmp_path, {"pred.tsv": table([("y", "2.2", "4", "a")])})
    out = printed(tmp_path, "metrics", "--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "9")
    lines = [line.strip() for line in out.splitlines()]
    assert "decided differently by sed_eval's floats: 1 pair, 0 segments" in lines
    assert "event tp / fp / fn: exact 1 / 0 / 1, sed_eval 0 / 1 / 2" in lines
    assert "y a 2–4 against 2.2–4 s: yes exactly, no in floats" in lines


def test_segments_that_floats_decide_otherwise_are_told_in_a_row(tmp_path: Path) -> None:
    """An end just after 3 s and a start just before 5 s reach into segments 3 and 4, which no float can say."""
    rows = [("y", "0.5", "3.00000000000000000001", "a"), ("y", "4.99999999999999999999", "6.5", "a")]
    write(tmp_path, {"ref.tsv": table(rows), "pred.tsv": table([("y", "0.5", "6.5", "a")])})
    out = printed(tmp_path, "metrics", "--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "9")
    lines = [line.strip() for line in out.splitlines()]
    assert "decided differently by sed_eval's floats: 0 pairs, 2 segments" in lines
    assert "y a ref segments 3 to 4: yes exactly, no in floats" in lines
    write(tmp_path, {"ref.tsv": table(rows[:1])})
    out = printed(tmp_path, "metrics", "--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "9")
    assert "y a ref segment 3: yes exactly, no in floats" in [line.strip() for line in out.splitlines()]


def test_differences_of_metrics_in_words(folder: Path) -> None:
    """The title says what is subtracted; differences of times are in milliseconds, under both means."""
    options = ("--contract", "golden.contract", "--compare", "mixed.tsv", "--intervals", "--draws", "40")
    arguments = ("metrics", *SIDES, "--pred", "late.tsv", *options)
    out = printed(folder, *arguments)
    assert "Difference mixed.tsv − late.tsv" in out
    rows = with_head(out, "metric", "value", "difference")
    data = {
        (row["metric"], row["quantity"]): row
        for row in csv.DictReader(StringIO(printed(folder, *arguments, "--format", "csv")))
        if row["kind"] == "difference"
    }
    names = {"micro": ("f1", "mean"), "macro": ("macro_f1", "macro_mean")}
    for metric, value, text, *_ in rows:
        if value in names:
            told = [data[metric, name] for name in names[value] if (metric, name) in data]
            exact = F(told[0]["value"])
            unit = " ms" if metric.endswith("error") else ""
            start = f"{float(exact * 1000):.1f} ms" if unit else three(exact)
            assert text.startswith(f"{start} ("), (metric, value)
            assert text.count(" ms") == (3 if unit else 0), (metric, value)


# Comparisons


def test_what_changed_in_words(folder: Path) -> None:
    """Both scores of every clause, and how many obligations changed by clause and by clip, as the rows say."""
    out = printed(folder, "compare", "late", "mixed", "--draws", "40")
    mixed = Card(SYSTEMS["mixed"])
    scores = with_head(out, "clause", "before", "after")
    assert [row[:3] for row in scores[:-1]] == [
        [clause, *(three(card.score(clause, "macro_classes").value) for card in (CARD, mixed))] for clause in CLAUSES
    ]
    rows = [*csv.DictReader(StringIO(printed(folder, "compare", "late", "mixed", "--draws", "40", "--format", "csv")))]

    def counts(some: Sequence[dict[str, str]]) -> list[str]:
        number = {kind: sum(int(r["obligations"]) for r in some if r["change"] == kind) for kind in KINDS}
        wrong = {
            kind: sum(int(r["obligations"]) for r in some if r["change"] == kind and r["violated"] == "true")
            for kind in KINDS
        }
        return [str(number[k]) for k in KINDS[:2]] + [f"{number[k]} ({wrong[k]})" for k in KINDS[2:]]

    assert with_head(out, "clause", "fixed", "broken") == [
        [clause, *counts([row for row in rows if row["clause"] == clause])] for clause in CLAUSES
    ]
    clips = {row["filename"]: [one for one in rows if one["filename"] == row["filename"]] for row in rows}
    expected = []
    for clip, some in clips.items():
        fixed, broken, *_ = cells = counts(some)
        expected.append([clip, *cells, f"{int(fixed) - int(broken):+}"])
    assert with_head(out, "clip", "fixed", "broken") == sorted(expected, key=lambda row: -abs(int(row[-1])))
    assert "Clips with changes (3 of 3 shown" in out


KINDS = ("fixed", "broken", "no longer asked", "newly asked")


def test_more_clips_changed_than_are_shown(tmp_path: Path) -> None:
    """Of 17 clips 15 are shown: one that lost most stands before those that won less."""
    clips = [f"c{k:02}" for k in range(17)]
    ref = table((clip, "0", "4", "x") for clip in clips)
    one = table((clip, "0", "2" if clip != "c05" else "4", "x") for clip in clips)
    two = table((clip, "0", "3" if clip != "c05" else "1", "x") for clip in clips)
    write(tmp_path, {"ref.tsv": ref, "one.tsv": one, "two.tsv": two})
    write(tmp_path, {"c.contract": "contract c\nstep 1s\nclause c on ref_active : pred_active\n"})
    for name in ("one", "two"):
        sides = ("--ref", "ref.tsv", "--pred", f"{name}.tsv", "--durations", "4", "--out", name)
        assert run("score", "c.contract", *sides, folder=tmp_path).code == 0
    out = printed(tmp_path, "compare", "one", "two", "--draws", "20")
    assert "Clips with changes (15 of 17 shown; net is fixed − broken)" in " ".join(out.split())
    rows = with_head(out, "clip", "fixed", "broken")
    assert len(rows) == 15
    assert rows[0] == ["c05", "0", "3", "0 (0)", "0 (0)", "-3"]
    assert rows[1] == ["c00", "1", "0", "0 (0)", "0 (0)", "+1"]


# Thresholds


def test_best_thresholds_in_words(folder: Path) -> None:
    """Where the best stretch begins and ends, the value at one half, and the best of each class: as JSON has them."""
    arguments = ("curves", "golden.contract", "--ref", "ref.tsv", "--pred", "field", "--durations", "durations.tsv")
    out = printed(folder, *arguments, "--draws", "20", "--full")
    record = json.loads(printed(folder, *arguments, "--draws", "20", "--format", "json"))

    def value(one: dict[str, Any] | None) -> str:
        return "–" if one is None else three(F(str(one["decimal"] if one["value"] is None else one["value"])))

    rows = {row[0]: row[1:] for row in with_head(out, "quantity", "best", "interval")}
    for curve in record["quantities"]:
        best = curve["best"]
        places = [short(F(str(best[key]))) for key in ("threshold", "low", "high")]
        shown_row = rows[curve["name"]]
        assert [shown_row[0], *shown_row[2:]] == [
            value(best["value"]),
            *places,
            value(curve["at_half"]),
            value(curve["own"]),
            f"{curve['pieces']:,}",
        ], curve["name"]
    classes = {row[0]: row[1:] for row in with_head(out, "quantity", *CLASSES)}
    for curve in record["quantities"]:
        if curve["name"] in classes:
            bests = [one["best"] for one in curve["classes"]]
            cells = ["–" if b is None else f"{short(F(str(b['threshold'])))} ({value(b['value'])})" for b in bests]
            assert classes[curve["name"]] == cells
    brief = {row[0]: row[1:] for row in with_head(printed(folder, *arguments, "--draws", "20"), "quantity", "best")}
    assert brief == {
        name: [*row[:3], row[5]]
        for name, row in rows.items()
        if not name.startswith(("frame_", "segment_", "event_", "intersection_"))
        or (name.endswith("_f1") and "macro" not in name)
    }


def test_a_decoding_in_words(folder: Path) -> None:
    """A row for each class, then, set apart, what was required and what was sought."""
    arguments = ("tune", "golden.contract", "--ref", "ref.tsv", "--pred", "field", "--durations", "durations.tsv")
    options = ("--objective", "mean", "--require", "quiet >= 0.9", "--folds", "3")
    out = printed(folder, *arguments, *options)
    record = json.loads(printed(folder, *arguments, *options, "--format", "json"))
    lines = [line for line in out.splitlines() if line.startswith(("│", "├"))]
    assert [line[0] for line in lines] == ["│", "│", "├", "│", "│"]

    def values(one: dict[str, Any]) -> list[str]:
        return [three(F(one[key]["value"])) for key in ("optimistic", "held_out")]

    rows = with_head(out, "class", "threshold", "low")
    assert [row[0] for row in rows] == [*CLASSES, "quiet >= 0.9", "mean"]
    for row, one in zip(rows, record["classes"], strict=False):
        assert row[1:4] == [short(F(one["decoding"]["threshold"])), "", "1"]
        assert row[4:] == [*values(one), ""]
    (required,) = record["requirements"]
    assert rows[2][4:] == [*values(required), "met"]
    assert rows[3][4:] == [*values(record), ""]
    assert "Best mean, a decoding for each class" in out
    header, *data = csv.reader(StringIO(printed(folder, *arguments, *options, "--format", "csv")))
    assert header == ["class", "threshold", "low", "median", "optimistic", "held_out"]
    exact = [[one[key]["value"] for key in ("optimistic", "held_out")] for one in record["classes"]]
    assert [row[4:] for row in data] == exact
    assert any(a != b for a, b in exact)


def test_the_least_is_sought_of_errors_and_a_class_may_not_matter(tmp_path: Path) -> None:
    """No reference of `y` begins: its threshold decides nothing about where references begin."""
    write(tmp_path, {"c.contract": "contract c\nstep 1s\nclause c on ref_onset : N[1f] pred_onset\n"})
    write(tmp_path, {"ref.tsv": table([("a", "1", "2", "x"), ("b", "1", "2", "x")])})
    rows = [("0", "1", "0.1", "0.3"), ("1", "2", "0.9", "0.2"), ("2", "4", "0.2", "0.4")]
    scores = table(rows, "onset\toffset\tx\ty")
    (tmp_path / "scores").mkdir()
    write(tmp_path, {"scores/a.tsv": scores, "scores/b.tsv": scores})
    sides = ("--ref", "ref.tsv", "--pred", "scores", "--durations", "4", "--folds", "2")
    out = printed(tmp_path, "tune", "c.contract", *sides, "--objective", "c")
    assert [(row[0], row[6]) for row in with_head(out, "class", "threshold")] == [
        ("x", ""),
        ("y", "makes no difference"),
        ("c", ""),
    ]
    assert "Best c, a decoding for each class" in out
    out = printed(tmp_path, "tune", "c.contract", *sides, "--objective", "event_error_rate", "--common")
    assert "Least event_error_rate, one decoding for all classes" in out


# Trials


def test_a_trial_in_words(folder: Path) -> None:
    """How clauses order those of the cast that stray and the perfect one, and who wins and loses: as JSON has it."""
    out = printed(folder, "try", "golden.contract", "--full")
    trial = json.loads(printed(folder, "try", "golden.contract", "--format", "json"))
    strays = {"perfect", *(one["name"] for one in trial["systems"] if one["strays"])}
    assert 1 < len(strays) < len(trial["systems"])
    orders: list[list[str]] = []
    for number, clause, words in with_head(out, "", "clause"):
        if number:
            orders.append([clause, words])
        else:  # a long order goes on below
            orders[-1][1] += f" {words}"
    levels = {one["clause"]: [[n for n in level if n in strays] for level in one["order"]] for one in trial["orders"]}
    assert orders == [[clause, " > ".join(map(tied, filter(None, some)))] for clause, some in levels.items()]
    rows = with_head(out, "profile", "highest", "value", "lowest")
    for profile in trial["profiles"]:
        best, worst = profile["order"][0], profile["order"][-1]
        (row,) = (row for row in rows if row[0] == profile["name"])
        assert row[2] == three(F(profile["values"][best[0]]["value"]))
        assert row[4] == three(F(profile["values"][worst[0]]["value"]))
        assert row[2] != row[4]
    values = {row[0]: row[1:] for row in with_head(out, "system", "1")}
    short = {row[0]: row[1:] for row in with_head(printed(folder, "try", "golden.contract"), "system", "1")}
    clauses = len(trial["orders"])
    assert short == {name: values[name][: clauses + 1] for name in values if name in strays}


def tied(names: Sequence[str]) -> str:
    some = " = ".join(names[:6])
    return some if len(names) <= 6 else f"{some} = {len(names) - 6} more"


def test_who_scores_higher_than_a_perfect_prediction(tmp_path: Path) -> None:
    """Who alone is on nearly everywhere scores higher; those who predict less, where silence is asked, score higher."""
    write(tmp_path, {"c.contract": "contract c\nstep 1s\nclause c on each pred : covering >= 1 & purity <= 0.2\n"})
    write(tmp_path, {"ref.tsv": table([("a", "2", "12", "x")])})
    out = printed(tmp_path, "try", "c.contract", "--ref", "ref.tsv", "--durations", "100")
    words = "under `balanced`, `always on` scores higher than a perfect prediction: 1.000 and 0.000"
    assert words in " ".join(out.split())
    write(tmp_path, {"c.contract": "contract c\nstep 1s\nclause c on true : !pred_active\n"})
    write(tmp_path, {"ref.tsv": table([("a", "2", "4", "x"), ("a", "6", "8", "x"), ("a", "10", "12", "x")])})
    out = printed(tmp_path, "try", "c.contract", "--ref", "ref.tsv", "--durations", "20")
    # Of 20 frames a perfect prediction has 6, one that misses an event 4.
    (line,) = (line for line in out.splitlines() if "higher than a perfect prediction" in line)
    systems = "`silent`, `short` and `one missed`"
    assert line == f"warning: under `balanced`, {systems} score higher than a perfect prediction: 1.000 and 0.700"


def test_timelines_of_a_trial(tmp_path: Path) -> None:
    """On one clip: what silence, everything, and an event too few look like."""
    write(tmp_path, {"c.contract": "contract c\nstep 1s\nclause c on ref_active : pred_active\n"})
    write(tmp_path, {"ref.tsv": table([("a", "0", "20", "x"), ("a", "60", "80", "x")])})
    out = printed(tmp_path, "try", "c.contract", "--ref", "ref.tsv", "--durations", "100", "--full")
    lines = {name.strip(): cells for name, _, cells in (line.rpartition("  ") for line in out.splitlines())}
    width = len(lines["reference"])

    def lane(mark: str, *frames: int) -> str:
        cells = {frame * width // 100 for frame in frames}
        return "".join(mark if cell in cells else "·" for cell in range(width))

    first, second = range(20), range(60, 80)
    assert lines["reference"] == lane("█", *first, *second)
    assert (lines["silent"], lines["always on"]) == (lane("▓"), lane("▓", *range(100)))
    assert lines["one missed"] in (lane("▓", *first), lane("▓", *second))


# Selections


def test_a_selection_in_words(folder: Path) -> None:
    """Digits of values, pairs, counts of candidates, and who alone needs a clause; the values are those of observe."""
    retained = printed(folder, "basis", "retain", "small.calibration")
    # Of 20 frames of references late keeps 14, later and lost 10; with a frame's tolerance 16, 12 and 10.
    assert [line.split() for line in retained.splitlines() if re.fullmatch(r"(lost|later|late) +\d \S+", line)] == [
        ["lost", "4", "555"],
        ["later", "3", "56·"],
        ["late", "2", "78·"],
    ]
    text = CALIBRATION.replace('by = "60ms"}', 'by = "100ms", event = 1}')
    write(folder, {"fifth.calibration": text})
    shown_rows = printed(folder, "basis", "retain", "fifth.calibration").splitlines()
    # Late by five frames in one of two events keeps 15 of 20, and 16 with a frame's tolerance: 0.75 has the digit 7.
    assert [line.split()[2] for line in shown_rows if re.fullmatch(r"late +\d \S+", line)] == ["78·"]
    near, plain = (f"on ref_active : ref_active -> {what}pred_active" for what in ("N[20ms] ", ""))
    assert with_head(printed(folder, "basis", "separate", "small.calibration"), "worse", "better") == [
        ["lost (4)", "later (3)", "2", near],
        ["lost (4)", "late (2)", "3", plain],
        ["later (3)", "late (2)", "2", plain],
    ]
    assert run("select", "small.calibration", "--out", "chosen", folder=folder).code == 1
    html = (folder / "chosen" / "selection.html").read_text(encoding="utf-8")
    cells = dict(re.findall(r'<th scope="row">([^<]*)</th>\s*<td[^>]*>([\d,]+)</td>', html))
    assert (cells["written by an author"], cells["on frames"], cells["on events"]) == ("0", "16", "1")


def test_every_case_needs_the_clause_and_so_none_alone(folder: Path) -> None:
    """Without any one case the clause goes, so that no note says that only one needs it."""
    out = printed(folder, "select", "small.calibration", "--guarantee", "order", "--stability")
    assert with_head(out, "without") == [[case, "missing_guard"] for case in ("late", "later", "lost")]
    assert "needs missing_guard" not in out


LATER = """step = "20ms"
cases = [
  {name = "late", rank = 1, edit = "late_onset", by = "60ms"},
  {name = "later", rank = 2, edit = "late_onset", by = "100ms"},
]
[reference.r]
duration = "4s"
events = [["500ms", "1500ms"], ["2s", "3s"]]
[family]
atoms = ["pred_onset"]
obligations = ["ref_onset"]
operators = ["F"]
shapes = ["near"]
tolerances = ["20ms", "40ms"]
each = []
"""


def test_what_a_larger_family_would_tell_apart(tmp_path: Path) -> None:
    """60 and 100 ms late are both late at 40 ms; at 80 ms only the second is."""
    write(tmp_path, {"later.calibration": LATER})
    out = run("select", "later.calibration", "--guarantee", "order", folder=tmp_path).out
    assert "no candidate is lower on `later` (rank 2) than on `late` (rank 1)" in out
    by = "`on ref_onset : ref_onset -> N[80ms] pred_onset`"
    words = f"a tolerance of 80 ms (8 candidates) would separate 1 of them: `later` from `late` by {by}"
    assert words in " ".join(out.split())


EARLY = """step = "20ms"
cases = [
  {name = "fine", rank = 0, edit = "none"},
  {name = "gone", rank = 0, edit = "missing", event = 1},
  {name = "early", rank = 1, edit = "early_onset", by = "200ms"},
]
[reference.r]
duration = "2s"
events = [["500ms", "1300ms"]]
[family]
atoms = ["ref_active"]
obligations = ["pred_active"]
operators = []
shapes = []
tolerances = []
each = []
"""


def test_a_value_that_nothing_stands_behind_has_its_mark(tmp_path: Path) -> None:
    """40 of 50 predicted frames are right; where nothing is predicted nothing is asked, and 1 is no merit."""
    write(tmp_path, {"early.calibration": EARLY})
    out = run("select", "early.calibration", "--guarantee", "order", folder=tmp_path).out
    rows = with_head(out, "case", "rank", "risk")
    assert {row[0]: row[-1] for row in rows} == {"early": "4/5", "fine": "1", "gone": "∅"}
    assert "∅ is a vacuous 1: the clause obliges nothing there" in out


def test_clips_of_references_that_were_not_used_are_counted() -> None:
    """Of five that no case changes three are named."""
    record = OwnReferencesRecord(used=("a",), same=("b", "c", "d", "e", "f"), unused=2)
    assert own_words(record) == (
        "your references have 8 clips with events: 1 used, 5 left out because no case changes there "
        "(b, c, d and 2 more), 2 not used"
    )
