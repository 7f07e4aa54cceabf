"""Every column of every row that `score` writes, against plain loops over the rules."""

import csv
import hashlib
import json
import math
from collections.abc import Iterator
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from cli.command import run

from golden.task import (
    AGGREGATIONS,
    CLASSES,
    CLAUSES,
    CLIPS,
    CONDITIONS,
    COUNTED,
    FRAME_CLAUSES,
    IGNORE,
    INPUTS,
    POLICIES,
    PROFILES,
    REF,
    SIDES,
    STEP,
    SYSTEMS,
    TIMES,
    UNITS,
    Asked,
    Card,
    Cell,
    Span,
    Tally,
    both,
    defined_mean,
    drawn_clips,
    error_rate,
    exact,
    frames_of,
    holm,
    interval,
    macro_error_rate,
    mean,
    metric_values,
    number,
    rates,
    runs_of,
    six,
    specificities,
    table,
    time_errors,
    two_sided,
    write_task,
)

Record = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The task, and a run directory of each system."""
    place = tmp_path_factory.mktemp("golden")
    write_task(place)
    for name in ("late", "mixed"):
        arguments = (*SIDES, "--pred", f"{name}.tsv", "--conditions", "conditions.tsv", "--parquet", "--out", name)
        assert run("score", "golden.contract", *arguments, folder=place).code == 0
    return place


@pytest.fixture(params=("late", "mixed"))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def card(name: str) -> Card:
    return Card(SYSTEMS[name])


def rows_of(text: str, separator: str = ",") -> list[list[str]]:
    return list(csv.reader(StringIO(text), delimiter=separator))


def seconds(frame: int) -> str:
    return number(frame * STEP)


# Rows


def score_rows(card: Card) -> Iterator[list[str]]:
    yield ["filename", "event_label", "clause", "satisfied", "obligated", "value", "decimal", "vacuous"]
    for clip in CLIPS:
        for label in CLASSES:
            for clause in CLAUSES:
                one = card.counts[clause][clip, label]
                numbers = str(one.held), str(one.obliged), exact(one.value), six(one.value)
                yield [clip, label, clause, *numbers, "true" if one.vacuous else "false"]


def violation_rows(card: Card) -> Iterator[list[str]]:
    yield ["filename", "event_label", "clause", "onset", "offset", "part", "distance", "unit"]
    for clip, label, clause, one in card.violations():
        yield [clip, label, clause, seconds(one.start), seconds(one.end), one.part, one.distance, one.unit]


def match_rows(card: Card) -> Iterator[list[str]]:
    yield ["filename", "event_label", "ref_onset", "ref_offset", "pred_onset", "pred_offset"]
    for clip, label, ref, pred in card.matches():
        yield [clip, label, *map(seconds, (*ref, *pred))]


def test_score_rows(folder: Path, name: str, card: Card) -> None:
    """scores.csv, and what `--format csv` prints, hold every clip, class and clause in the order of the contract."""
    text = (folder / name / "scores.csv").read_text()
    assert rows_of(text) == list(score_rows(card))
    arguments = (*SIDES, "--pred", f"{name}.tsv", "--format", "csv")
    assert run("score", "golden.contract", *arguments, folder=folder).out == text


def test_violation_rows(folder: Path, name: str, card: Card) -> None:
    """violations.csv holds every violated obligation with its interval, part and distance, in the order of 10.6."""
    assert rows_of((folder / name / "violations.csv").read_text()) == list(violation_rows(card))


def test_violation_rows_by_hand(folder: Path) -> None:
    """Some rows counted on paper: they say that the loops above are no copy of the same mistake."""
    text = (folder / "late" / "violations.csv").read_text()
    for row in (
        'b.wav,"hum, low",onset_near,7/30,7/15,N[tol] pred_onset,7,frames',
        '"a, ünï.wav",bell,one_piece,2.1,4.2,covering <= 1,1,count',
        'c.wav,bell,heard,0.7,14/15,"F[-2f,0f] ref_onset",unbounded,frames',
        '"a, ünï.wav",bell,heard,49/15,3.5,"F[-2f,0f] ref_onset",5,frames',
        "c.wav,bell,quiet,0.7,14/15,(!pred_onset),,",
        '"a, ünï.wav","hum, low",length,14/15,49/30,abs(pred.duration - ref.duration) <= slack * ref.duration,7/120,s',
        "b.wav,bell,pure,0.7,7/3,purity >= 0.8,13/35,ratio",
    ):
        assert row in text.splitlines()


def test_match_rows(folder: Path, name: str, card: Card) -> None:
    """matches.csv holds the pairs with the four edges of their runs."""
    rows = rows_of((folder / name / "matches.csv").read_text())
    assert rows == list(match_rows(card))
    assert any(len({*row[2:]}) == 4 for row in rows[1:])  # no two edges can be exchanged unnoticed


def test_score_rows_as_parquet(folder: Path, name: str, card: Card) -> None:
    """scores.parquet holds the rows of scores.csv with types."""
    table = pq.read_table(folder / name / "scores.parquet")
    header, *expected = score_rows(card)
    assert table.column_names == [*header[:5], header[7]]  # the value follows from the counts
    assert [list(row.values()) for row in table.to_pylist()] == [
        [*row[:3], int(row[3]), int(row[4]), row[7] == "true"] for row in expected
    ]


def test_stored_tables(folder: Path, name: str) -> None:
    """The tables of a run hold the events with their exact times and their rows."""

    def stored(rows: tuple[tuple[str, ...], ...]) -> list[list[str]]:
        numbered = [[row[0], *(number(Fraction(time)) for time in row[1:3]), row[3], str(line)] for line, row in rows]
        return [["filename", "onset", "offset", "event_label", "row"], *numbered]

    sides = {"reference": REF, "prediction": SYSTEMS[name], "ignore": IGNORE}
    for role, rows in sides.items():
        by_clip = sorted(enumerate(rows, 2), key=lambda one: CLIPS.index(one[1][0]))
        expected = stored(tuple(by_clip))
        read = rows_of((folder / name / f"{role}.tsv").read_text(), "\t")
        assert read == expected, role
    lengths = [[clip, number(Fraction(time))] for clip, time in TIMES.items()]
    assert rows_of((folder / name / "durations.tsv").read_text(), "\t") == [["filename", "duration"], *lengths]
    conditions = [[clip, condition] for clip, condition in CONDITIONS.items()]
    assert rows_of((folder / name / "conditions.tsv").read_text(), "\t") == [["filename", "condition"], *conditions]


def test_manifest(folder: Path, name: str) -> None:
    """The manifest lists every other file with its size and digest, and says what the run was made of."""
    place = folder / name
    manifest = json.loads((place / "manifest.json").read_text())

    def digest(path: Path) -> str:
        return hashlib.sha256(path.read_bytes()).hexdigest()

    others = [path for path in place.iterdir() if path.name != "manifest.json"]
    listed = {path.name: (path.stat().st_size, digest(path)) for path in others}
    assert {one["name"]: (one["bytes"], one["sha256"]) for one in manifest["files"]} == listed
    assert all(set(one) == {"name", "bytes", "sha256"} for one in manifest["files"])
    sources = {
        "reference": "ref.tsv",
        "prediction": f"{name}.tsv",
        "durations": "durations.tsv",
        "ignore": "ignore.tsv",
        "conditions": "conditions.tsv",
    }
    assert manifest["inputs"] == [{"role": k, "name": v, "sha256": digest(folder / v)} for k, v in sources.items()]
    origin = {"format": "table", "files": {}, "decoding": None}
    assert {one["role"]: one for one in manifest["tables"]} == {
        role: {
            "role": role,
            "file": f"{role}.tsv",
            "name": source,
            "sha256": digest(folder / source),
            "origin": origin if role in ("reference", "prediction") else None,
        }
        for role, source in sources.items()
    }
    lines = (place / "contract.contract").read_text().splitlines()
    canonical = "".join(line + "\n" for line in lines if line[:1] != "#")
    assert manifest["contract"] == {
        "name": "golden",
        "digest": hashlib.sha256(canonical.encode()).hexdigest(),
        "source": "golden.contract",
    }
    assert manifest["family"] == {"clips": 3, "classes": 2, "clauses": 6}
    side = {"format": "table", "decoding": None, "renamed_clips": 0, "lengths": 0, "dropped": 0, "ignored": 0}
    preparation = {"reference": side, "prediction": side, "label_map": None}
    assert manifest["settings"] == {"mode": "class_indexed", "overrides": {}, "preparation": preparation}
    assert (place / "source.contract").read_bytes() == (folder / "golden.contract").read_bytes()
    assert set(manifest) == {
        *("format", "versions", "contract", "settings", "family", "inputs", "tables", "files", "sha256"),
    }
    without = (place / "manifest.json").read_text().replace(manifest["sha256"], "")
    assert manifest["sha256"] not in without
    assert run("verify", name, folder=folder).code == 0


# The report


@pytest.fixture
def report(folder: Path, name: str) -> Record:
    record: Record = json.loads((folder / name / "report.json").read_text())
    return record


CHECKED_PARTS = {
    *("format", "versions", "contract", "inputs", "preparation", "grid", "matcher", "family", "aggregation"),
    *("vector", "logic", "profiles", "metrics", "soft_boundary", "classes", "conditions", "sweeps"),
    *("violations", "timelines", "matches", "diagnostics"),
}


def test_every_part_of_a_report_is_checked(report: Record) -> None:
    """A new part of the report needs a test here."""
    assert set(report) == CHECKED_PARTS


def test_report_is_what_json_prints(folder: Path, name: str) -> None:
    """`--format json` prints the stored report."""
    arguments = (*SIDES, "--pred", f"{name}.tsv", "--conditions", "conditions.tsv", "--format", "json")
    printed = json.loads(run("score", "golden.contract", *arguments, folder=folder).out)
    assert printed == json.loads((folder / name / "report.json").read_text())


def test_report_head(folder: Path, name: str, report: Record) -> None:
    """What was scored: the contract, files, grid and family."""
    manifest = json.loads((folder / name / "manifest.json").read_text())
    text = (folder / name / "contract.contract").read_text()
    assert report["contract"] == {
        **manifest["contract"],
        "title": "Rows, written down",
        "text": "".join(line + "\n" for line in text.splitlines() if line[:1] != "#"),
        "parameters": [
            {"name": "tol", "value": "1f", "overridden": False},
            {"name": "slack", "value": "0.25", "overridden": False},
        ],
    }
    assert report["format"] == "tracepact-report/1"
    assert report["versions"] == manifest["versions"]
    assert report["inputs"] == manifest["inputs"]
    assert report["preparation"] == manifest["settings"]["preparation"]
    assert report["grid"] == {"step": "7/30", "projection": "centre"}
    assert report["matcher"] == {"kind": "greedy", "search": "1/2", "overlap_reward": "1/2", "merge_gap": "1/4"}
    assert report["family"] == {
        "mode": "class_indexed",
        "clips": 3,
        "classes": list(CLASSES),
        "frames": sum(map(frames_of, CLIPS)) * len(CLASSES),
    }
    assert report["aggregation"] == "macro_classes"


def profiles(card: Card, clips: tuple[str, ...] = CLIPS) -> dict[str, Fraction]:
    return {
        "edges": card.profile(PROFILES["edges"], "pooled", clips),
        "pieces": card.profile(PROFILES["pieces"], "macro_classes", clips),
    }


def test_report_scores(report: Record, card: Card) -> None:
    """The vector under every aggregation, its mean, the profiles and the sweep."""
    scores = {clause: {a: card.score(clause, a).record for a in AGGREGATIONS} for clause in CLAUSES}
    kinds = {clause: "frame" if clause in FRAME_CLAUSES else "event" for clause in CLAUSES}
    assert report["vector"] == [{"clause": c, "kind": kinds[c], "scores": scores[c]} for c in CLAUSES]
    assert report["logic"] == {a: both(card.logic(a)) for a in AGGREGATIONS}
    over = {"edges": "pooled", "pieces": "macro_classes"}
    assert report["profiles"] == [{"name": n, "aggregation": over[n], **both(v)} for n, v in profiles(card).items()]
    assert report["sweeps"] == [
        {
            "parameter": "tol",
            "value": f"{tol}f",
            "vector": {clause: card.with_tol(tol).score(clause, "macro_classes").record for clause in CLAUSES},
        }
        for tol in (0, 7)
    ]
    assert len({json.dumps(one["vector"]["onset_near"]) for one in report["sweeps"]}) == 2


def soft_boundary(card: Card, clips: tuple[str, ...] = CLIPS) -> Record:
    """The mean of exp(−d / 0.1 s) over all edges of both sides (7.9)."""
    parts = []
    for clip in clips:
        for label in CLASSES:
            cell = card.cells[clip, label]
            for edges in (cell.onsets, cell.offsets):
                sides = [[i for i, edge in enumerate(edges(mask)) if edge] for mask in (cell.ref, cell.pred)]
                for mine, theirs in (sides, sides[::-1]):
                    for i in mine:
                        near = min((abs(i - j) for j in theirs), default=None)
                        parts.append(0.0 if near is None else math.exp(-float(near * STEP) / 0.1))
    return {"value": pytest.approx(sum(parts) / len(parts) if parts else 1.0, abs=1e-12), "edges": len(parts)}


def test_report_groups(report: Record, card: Card) -> None:
    """The scores of every class, pooled, and of every condition under every aggregation."""
    assert report["soft_boundary"] == {**soft_boundary(card), "scale": "1/10"}
    assert report["classes"] == [
        {
            "label": label,
            "vector": {clause: card.score(clause, "pooled", classes=(label,)).record for clause in CLAUSES},
        }
        for label in CLASSES
    ]
    groups = {"loud": ("a, ünï.wav", "c.wav"), "soft": ("b.wav",)}
    assert report["conditions"] == [
        {
            "condition": condition,
            "clips": len(clips),
            "vector": {clause: {a: card.score(clause, a, clips).record for a in AGGREGATIONS} for clause in CLAUSES},
            "logic": {a: both(card.logic(a, clips)) for a in AGGREGATIONS},
            "profiles": {name: both(value) for name, value in profiles(card, clips).items()},
            "soft_boundary": soft_boundary(card, clips),
        }
        for condition, clips in groups.items()
    ]


def test_report_matches(report: Record, card: Card) -> None:
    """The pairs, by class, clip and time, with exact times."""
    pairs = [(label, clip, ref, pred) for clip, label, ref, pred in card.matches()]

    def times(span: Span) -> list[str]:
        return [exact(edge * STEP) for edge in span]

    expected = [{"clip": c, "class": k, "ref": times(r), "pred": times(p)} for k, c, r, p in sorted(pairs)]
    assert report["matches"] == expected


def violation_record(card: Card, clip: str, label: str, clause: str, one: Asked) -> Record:
    cell, head = card.cells[clip, label], {"clip": clip, "class": label}
    if clause in FRAME_CLAUSES:
        record: Record = {**head, "frame": one.start, "time": exact(one.start * STEP), "distance": None}
        if one.distance == "unbounded":
            record["distance"] = "unbounded"
        elif one.distance:
            wanted = cell.onsets(cell.pred if clause == "onset_near" else cell.ref)
            far = int(one.distance)
            later = one.start + far < cell.frames and wanted[one.start + far]
            seconds_far = exact(far * STEP)
            record["distance"] = {"offset": far if later else -far, "frames": far, "seconds": seconds_far}
        return record
    at = (one.start, one.end)
    partners = [b if clause != "pure" else a for a, b in cell.pairs if (a if clause != "pure" else b) == at]
    comparison = None
    if one.unit:
        duration = at[1] - at[0]
        if clause == "one_piece":
            covering = sum(1 for p in cell.pred_runs if p[0] < at[1] and at[0] < p[1])
            kind, left, right = "count", Fraction(covering), Fraction(1)
        elif clause == "pure":
            covered = sum(1 for i in range(*at) if cell.ref[i])
            kind, left, right = "ratio", Fraction(covered, duration), Fraction(4, 5)
        else:
            partner = partners[0]
            kind, left = "time", abs(partner[1] - partner[0] - duration) * STEP
            right = duration * STEP / 4
        amount = exact(Fraction(one.distance))
        comparison = {"quantity": kind, "left": exact(left), "right": exact(right), "amount": amount}
    return {
        **head,
        "interval": [exact(edge * STEP) for edge in at],
        "partner": [exact(edge * STEP) for edge in partners[0]] if partners else None,
        "comparison": comparison,
    }


def place(clip: str, label: str) -> tuple[str, str]:
    """What orders equals: the class, then the clip by its name."""
    return label, clip


def farthest(card: Card, clause: str) -> list[tuple[str, str, str, Asked]]:
    """Violations of a clause, of neighbouring frames the farthest: the farthest of each class, then others.

    The class with the lowest pooled score comes first.
    """
    everything = [violation for violation in card.violations() if violation[2] == clause]

    def rank(violation: tuple[str, str, str, Asked]) -> tuple[float, tuple[str, str], int]:
        clip, label, _, one = violation
        distance = float(Fraction(one.distance)) if one.distance not in ("", "unbounded") else math.inf
        return (0.0 if clause == "quiet" else -distance), place(clip, label), one.start

    stretches: list[list[tuple[str, str, str, Asked]]] = []
    for violation in everything:
        before = stretches[-1][-1] if stretches else None
        beside = before is not None and before[:2] == violation[:2] and before[3].end == violation[3].start
        if beside and clause in FRAME_CLAUSES:
            stretches[-1].append(violation)
        else:
            stretches.append([violation])
    ranked = sorted((min(stretch, key=rank) for stretch in stretches), key=rank)
    worst_first = sorted(CLASSES, key=lambda label: card.score(clause, "pooled", classes=(label,)).value)
    of_classes = [next((one for one in ranked if one[1] == label), None) for label in worst_first]
    chosen = [one for one in of_classes if one is not None]
    return (chosen + [one for one in ranked if one not in chosen])[:5]


def test_report_violations(folder: Path, report: Record, card: Card) -> None:
    """The violations farthest from holding, with part, distance, partner and comparison; the totals are of all."""
    source = (folder / "golden.contract").read_text()
    assert [entry["clause"] for entry in report["violations"]] == list(CLAUSES)
    for entry, clause in zip(report["violations"], CLAUSES, strict=True):
        assert set(entry) == {"clause", "total", "shown"}
        assert entry["total"] == sum(1 for violation in card.violations() if violation[2] == clause)
        expected = farthest(card, clause)
        for shown, (*at, one) in zip(entry["shown"], expected, strict=True):
            part = shown.pop("part")
            assert shown == violation_record(card, *at, one)
            assert part == {"span": part["span"], "text": one.part}
            assert source[slice(*part["span"])] == one.part


def losses(card: Card, clip: str, label: str) -> Fraction:
    return sum((1 - card.counts[c][clip, label].value for c in CLAUSES), Fraction(0))


def test_report_timelines(report: Record, card: Card) -> None:
    """The pictures of the worst clips and classes hold their runs, pairs and failures."""
    cells = card.cells

    def failed(cell: Cell, clause: str) -> list[list[int]]:
        mask = [False] * cell.frames
        for one in cell.clause(clause):
            for i in range(one.start, one.end):
                mask[i] |= not one.held
        return [list(span) for span in runs_of(mask)]

    def record(clip: str, label: str) -> Record:
        cell = cells[clip, label]
        marks = {clause: failed(cell, clause) for clause in (*FRAME_CLAUSES, "one_piece", "length", "pure")}
        return {
            "clip": clip,
            "class": label,
            "frames": cell.frames,
            "step": "7/30",
            "ref": [list(span) for span in runs_of(cell.ref)],
            "pred": [list(span) for span in runs_of(cell.pred)],
            "matches": [[list(a), list(b)] for a, b in cell.pairs],
            "failed": {clause: spans for clause, spans in marks.items() if spans},
        }

    shown: dict[str, str] = {}  # a clip is drawn once
    for clip, label in sorted(cells, key=lambda at: (-losses(card, *at), place(*at))):
        if losses(card, clip, label):
            shown.setdefault(clip, label)
    assert report["timelines"] == [record(*at) for at in shown.items()]


def test_report_diagnostics(report: Record, name: str) -> None:
    """The warnings have their file and row."""
    expected = {
        "late": [("offset-beyond-clip", "late.tsv", 7)],
        "mixed": [("joined-events", "mixed.tsv", 4), ("clip-without-predictions", "mixed.tsv", None)],
    }[name]
    items = report["diagnostics"]["items"]
    places = sorted((one["code"], one["place"]["file"], one["place"].get("line")) for one in items)
    assert places == sorted(expected)
    assert report["diagnostics"]["counts"] == {code: 1 for code, *_ in expected}


def test_the_farthest_are_listed(tmp_path: Path) -> None:
    """Of more violations than are listed, those farthest from holding are, the farthest first."""
    onsets, hits = (2, 10, 20, 30, 40, 50, 60), (4, 13, 24, 35, 46, 57, 68)
    contract = "contract far\nstep 1s\nclause near on ref_onset : ref_onset -> F[0f,1f] pred_onset\n"
    (tmp_path / "far.contract").write_text(contract)
    for file, times in (("ref", onsets), ("pred", hits)):
        (tmp_path / f"{file}.tsv").write_text(table(("k", str(at), str(at + 1), "x") for at in times))
    arguments = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "80", "--format", "json")
    record = json.loads(run("score", "far.contract", *arguments, folder=tmp_path).out)
    (entry,) = record["violations"]
    offsets = {at: min((hit - at for hit in hits), key=lambda d: (max(0 - d, d - 1, 0), abs(d), d)) for at in onsets}
    worst = sorted(onsets, key=lambda at: (-abs(offsets[at]), at))[:5]
    assert entry["total"] == len(onsets)
    assert [(one["frame"], one["distance"]["offset"]) for one in entry["shown"]] == [(at, offsets[at]) for at in worst]


# Metrics


def metric_record(card: Card, metric: str, tally: Tally) -> Record:
    totals = [sum(some.values()) for some in (tally.tp, tally.fp, tally.fn)]
    by_class = [rates(tally.tp[k], tally.fp[k], tally.fn[k]) for k in CLASSES]
    macro = {rate: defined_mean(one[rate] for one in by_class) for rate in ("precision", "recall", "f1")}
    errors = None
    if tally.substitutions is not None:
        errors = {
            "substitutions": tally.substitutions,
            "deletions": tally.deletions,
            "insertions": tally.insertions,
            "reference": totals[0] + totals[2],
            "rate": both(error_rate(tally)),
            "macro_rate": both(macro_error_rate(tally)),
        }
    return {
        "name": metric,
        "input": INPUTS[metric],
        "policy": POLICIES[metric],
        "kind": "counts",
        "unit": UNITS[metric],
        "counts": dict(zip(("tp", "fp", "fn"), totals, strict=True)),
        "micro": {rate: both(value) for rate, value in rates(*totals).items()},
        "macro": {
            **{rate: both(value) for rate, value in macro.items()},
            "classes": {rate: sum(one[rate] is not None for one in by_class) for rate in macro},
        },
        "errors": errors,
        "classes": [
            {
                "label": label,
                "counts": {"tp": tally.tp[label], "fp": tally.fp[label], "fn": tally.fn[label]},
                **{rate: both(value) for rate, value in one.items()},
            }
            for label, one in zip(CLASSES, by_class, strict=True)
        ],
    }


def time_record(card: Card, metric: str, end: int) -> Record:
    errors = time_errors(card, end)
    everything = [error for some in errors.values() for error in some]
    return {
        "name": metric,
        "input": "intervals",
        "policy": POLICIES[metric],
        "kind": "mean",
        "unit": "s",
        "pairs": len(everything),
        "micro": both(mean(everything)),
        "macro": both(defined_mean(mean(some) if some else None for some in errors.values())),
        "classes": [
            {"label": label, "pairs": len(some), "mean": both(mean(some) if some else None)}
            for label, some in errors.items()
        ],
    }


def test_report_metrics(folder: Path, name: str, report: Record, card: Card) -> None:
    """The standard metrics of a report and of `metrics --format json`, of all classes and of each."""
    tallies = {metric: count(card) for metric, count in COUNTED.items()}
    expected = [metric_record(card, metric, tally) for metric, tally in tallies.items()]
    expected += [time_record(card, "onset error", 0), time_record(card, "offset error", 1)]
    record = report["metrics"]
    assert record["metrics"] == expected
    counts = {
        metric: {kind: sum(getattr(tallies[metric], kind).values()) for kind in ("tp", "fp", "fn")}
        for metric in ("event", "segment")
    }
    assert record == {
        "format": "tracepact-metrics/1",
        "policy": "exact",
        "clips": 3,
        "left_out": 0,
        "unlisted": 0,
        "metrics": expected,
        "differences": {
            "pairs": 0,
            "cells": 0,
            "listed": {"pairs": [], "cells": []},
            "counts": {metric: {"exact": some, "sed_eval": some} for metric, some in counts.items()},
        },
    }
    arguments = (*SIDES, "--pred", f"{name}.tsv", "--contract", "golden.contract", "--format", "json")
    printed = json.loads(run("metrics", *arguments, folder=folder).out)
    for one in printed["metrics"]:
        if one["name"] == "segment":
            tally = tallies["segment"]
            assert tally.tn is not None
            one.pop("specificity", None)
    assert [{k: v for k, v in one.items() if k in expected[i]} for i, one in enumerate(printed["metrics"])] == expected


METRIC_COLUMNS = (
    *("metric", "input", "policy", "of", "tp", "fp", "fn", "precision", "recall", "f1"),
    *("substitutions", "deletions", "insertions", "error_rate", "pairs", "mean"),
    *("tn", "specificity", "balanced_accuracy", "accuracy"),
)


def metric_csv(card: Card) -> Iterator[dict[str, object]]:
    for metric, count in COUNTED.items():
        tally = count(card)
        head = {"metric": metric, "input": INPUTS[metric], "policy": POLICIES[metric]}
        totals = [sum(some.values()) for some in (tally.tp, tally.fp, tally.fn)]
        micro: dict[str, object] = {**head, "of": "micro", **dict(zip(("tp", "fp", "fn"), totals, strict=True))}
        by_class = {k: rates(tally.tp[k], tally.fp[k], tally.fn[k]) for k in CLASSES}
        macro: dict[str, object] = {**head, "of": "macro"}
        macro |= {rate: defined_mean(one[rate] for one in by_class.values()) for rate in ("precision", "recall", "f1")}
        micro |= rates(*totals)
        classes: dict[str, dict[str, object]] = {
            k: {**head, "of": f"class {k}", "tp": tally.tp[k], "fp": tally.fp[k], "fn": tally.fn[k], **by_class[k]}
            for k in CLASSES
        }
        if tally.substitutions is not None:
            names = ("substitutions", "deletions", "insertions")
            micro |= {kind: getattr(tally, kind) for kind in names} | {"error_rate": error_rate(tally)}
            macro["error_rate"] = macro_error_rate(tally)
        if tally.tn is not None:
            names = ("specificity", "balanced_accuracy", "accuracy")
            micro |= {"tn": sum(tally.tn.values()), **dict(zip(names, specificities(tally), strict=True))}
            for label, row in classes.items():
                row |= {"tn": tally.tn[label], **dict(zip(names, specificities(tally, label), strict=True))}
            each = [specificities(tally, label) for label in CLASSES]
            macro |= {rate: defined_mean(one[i] for one in each) for i, rate in enumerate(names)}
        yield from (micro, macro, *classes.values())
    for metric, end in (("onset error", 0), ("offset error", 1)):
        errors = time_errors(card, end)
        head = {"metric": metric, "input": "intervals", "policy": POLICIES[metric]}
        everything = [error for some in errors.values() for error in some]
        yield {**head, "of": "micro", "pairs": len(everything), "mean": mean(everything)}
        means = {label: mean(some) if some else None for label, some in errors.items()}
        yield {**head, "of": "macro", "pairs": len(everything), "mean": defined_mean(means.values())}
        for label, some in errors.items():
            yield {**head, "of": f"class {label}", "pairs": len(some), "mean": means[label]}


def test_metrics_as_csv(folder: Path, name: str, card: Card) -> None:
    """`metrics --format csv`: every metric, of all classes, their mean and each; rates are floats."""
    arguments = (*SIDES, "--pred", f"{name}.tsv", "--contract", "golden.contract", "--format", "csv")
    header, *rows = rows_of(run("metrics", *arguments, folder=folder).out)
    assert tuple(header) == METRIC_COLUMNS

    def text(value: object) -> str:
        return "" if value is None else str(float(value)) if isinstance(value, Fraction) else str(value)

    assert rows == [[text(row.get(column)) for column in METRIC_COLUMNS] for row in metric_csv(card)]


# Views for reading


def markdown_tables(text: str) -> list[list[list[str]]]:
    """The tables of a Markdown text, without the signs of emphasis."""
    tables: list[list[list[str]]] = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            cells = [cell.strip().replace("**", "").replace("\\", "") for cell in line.strip("|").split("|")]
            tables[-1].append(cells)
        elif tables[-1]:
            tables.append([])
    return [[head, *rows] for head, _, *rows in (table for table in tables if table)]


def three(value: Fraction | None) -> str:
    """A value as tables show it, in three places."""
    return "" if value is None else f"{float(round(value, 3)):.3f}"


def test_markdown_tables(folder: Path, name: str, card: Card) -> None:
    """The tables of `report --format markdown`: vector, metrics, failures, classes, conditions and the sweep."""
    outcome = run("report", name, "--format", "markdown", folder=folder)
    assert outcome.code == 0, outcome.err
    drawn_tables = markdown_tables(outcome.out)
    tables = {tuple(table[0][:2]): table for table in drawn_tables}
    head, *rows = tables["clause", "macro classes"]
    assert head == ["clause", "macro classes", "95 % interval", "satisfied / obligated", "∅ +⊥", "pooled"]
    draws = drawn_clips(4000)
    for row, clause in zip(rows, CLAUSES, strict=False):
        score, pooled = card.score(clause, "macro_classes"), card.score(clause, "pooled")
        drawn = {clips: card.score(clause, "macro_classes", clips).value for clips in set(draws)}
        low, high = interval([drawn[clips] for clips in draws])
        counts = f"{score.count.held} / {score.count.obliged}"
        assert row == [clause, three(score.value), f"{three(low)} to {three(high)}", counts, "", three(pooled.value)]
    assert rows[-1][:2] == ["mean of the vector", three(card.logic("macro_classes"))]
    (metrics,) = (table for table in drawn_tables if table[0][-1] == "policy")
    assert metrics[0] == ["metric", "micro", "macro", "precision", "recall", "tp / fp / fn", "input", "policy"]
    values = metric_values(card)
    for row, (metric, count) in zip(metrics[1:], COUNTED.items(), strict=False):
        tally = count(card)
        counts = " / ".join(str(sum(some.values())) for some in (tally.tp, tally.fp, tally.fn))
        shown = [three(values[f"{metric}_{rate}"]) for rate in ("f1", "macro_f1", "precision", "recall")]
        assert row == [f"{metric} F1", *shown, counts, INPUTS[metric], POLICIES[metric]]
    failures = tables["clause", "violations"]
    assert failures[0] == ["clause", "violations", "clip", "class", "at", "failing part", "how far"]
    totals = {clause: sum(1 for one in card.violations() if one[2] == clause) for clause in CLAUSES}
    expected = []
    for clause in CLAUSES:
        if totals[clause]:
            clip, label, _, one = farthest(card, clause)[0]
            at = f"{float(one.start * STEP):.6g} s"
            expected.append([clause, str(totals[clause]), clip, label, at, f"`{one.part}`"])
    assert [row[:-1] for row in failures[1:]] == expected
    by_class = [
        [label, *(three(card.score(c, "pooled", classes=(label,)).value) for c in CLAUSES)] for label in CLASSES
    ]
    assert tables["class", CLAUSES[0]] == [["class", *CLAUSES], *by_class]
    groups = {"loud (2 clips)": ("a, ünï.wav", "c.wav"), "soft (1 clip)": ("b.wav",)}
    rows = [[k, *(three(card.score(c, "macro_classes", v).value) for c in CLAUSES)] for k, v in groups.items()]
    assert tables["condition", CLAUSES[0]] == [["condition", *CLAUSES], *rows]
    swept = [
        [f"tol = {tol}f", *(three(card.with_tol(tol).score(c, "macro_classes").value) for c in CLAUSES)]
        for tol in (0, 7)
    ]
    assert tables["", CLAUSES[0]] == [["", *CLAUSES], *swept]


def test_metric_intervals(folder: Path) -> None:
    """`metrics --intervals --compare`: every value with its interval, every difference with its p."""
    systems = ("late", "mixed", "sparse")
    arguments = (*SIDES, "--pred", "late.tsv", "--compare", "mixed.tsv", "--compare", "sparse.tsv")
    options = ("--contract", "golden.contract", "--draws", "50", "--format", "csv")
    header, *rows = rows_of(run("metrics", *arguments, *options, folder=folder).out)
    columns = ["value", "decimal", "low", "high", "undefined", "p", "corrected"]
    assert header == ["system", "metric", "quantity", "kind", *columns]
    cards = {s: Card(SYSTEMS[s]) for s in systems}
    draws = drawn_clips(50)
    values = {s: metric_values(card) for s, card in cards.items()}
    drawn = {s: {clips: metric_values(card, clips) for clips in set(draws)} for s, card in cards.items()}
    told = {(s.removesuffix(".tsv"), kind, metric, quantity): row for s, metric, quantity, kind, *row in rows}
    assert len(told) == len(rows) == len(values["late"]) * (len(systems) + len(systems) - 1)

    def place(column: str) -> tuple[str, str]:
        if column.startswith(("onset_error", "offset_error")):
            return column[: column.index("_error")] + " error", "macro_mean" if column.endswith("_mean") else "mean"
        metric, _, quantity = column.partition("_")
        return metric, quantity

    def ends(some: list[Fraction]) -> list[float]:
        return [float(end) for end in interval(some)] if some else []

    for column, first in values["late"].items():
        for s in systems:
            row = told[s, "value", *place(column)]
            some = [one for clips in draws if (one := drawn[s][clips][column]) is not None]
            value = values[s][column]
            assert row[0] == exact(value), (s, column)
            assert row[1] == ("" if value is None else str(float(six(value))))
            assert [float(end) for end in row[2:4] if end] == pytest.approx(ends(some), abs=2e-6)
            assert row[4:] == [str(50 - len(some)), "", ""]
        p = {}
        for s in systems[1:]:
            pairs = [(drawn[s][clips][column], drawn["late"][clips][column]) for clips in draws]
            p[s] = two_sided([Fraction(0) if a is None or b is None else a - b for a, b in pairs])
        corrected = dict(zip(p, holm(list(p.values())), strict=True))
        for s in systems[1:]:
            row = told[s, "difference", *place(column)]
            pairs = [(drawn[s][clips][column], drawn["late"][clips][column]) for clips in draws]
            some = [a - b for a, b in pairs if a is not None and b is not None]
            value = values[s][column]
            assert row[0] == ("" if value is None or first is None else exact(value - first)), (s, column)
            assert [float(end) for end in row[2:4] if end] == pytest.approx(ends(some), abs=2e-6)
            assert row[4:] == [str(50 - len(some)), exact(p[s]), exact(corrected[s])], (s, column)
