"""Every column of what compares systems: `league`, `compare`, `profile` and the audits, against plain loops."""

import csv
import hashlib
import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from io import StringIO
from itertools import pairwise, permutations
from math import log2
from pathlib import Path
from typing import Any

import pytest
from cli.command import run, write

from golden.task import (
    CLASSES,
    CLAUSES,
    CLIPS,
    FRAME_CLAUSES,
    PROFILES,
    SIDES,
    STEP,
    SYSTEMS,
    Asked,
    Card,
    Total,
    both,
    decoded,
    drawn_clips,
    exact,
    frames_of,
    holm,
    interval,
    mean,
    metric_values,
    number,
    ratio,
    runs_of,
    six,
    table,
    two_sided,
    write_field,
    write_task,
)

Record = dict[str, Any]
Value = Fraction | None
F = Fraction
DRAWS = 50
OPTIONS = ("--draws", str(DRAWS), "--format", "csv")
CARDS = {name: Card(rows) for name, rows in SYSTEMS.items()}
OVER = {"edges": "pooled", "pieces": "macro_classes"}
BALANCED = dict.fromkeys(CLAUSES, 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The task, and a run directory of each system."""
    place = tmp_path_factory.mktemp("golden")
    write_task(place)
    for name in SYSTEMS:
        arguments = (*SIDES, "--pred", f"{name}.tsv", "--conditions", "conditions.tsv", "--out", name)
        assert run("score", "golden.contract", *arguments, folder=place).code == 0
    return place


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(StringIO(text)))


def printed(folder: Path, *arguments: str) -> list[list[str]]:
    outcome = run(*arguments, folder=folder)
    assert outcome.code == 0, outcome.err
    return rows_of(outcome.out)


def text(value: object) -> str:
    """A cell of CSV."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


@cache
def score(system: str, clause: str, aggregation: str = "macro_classes", clips: tuple[str, ...] = CLIPS) -> Total:
    return CARDS[system].score(clause, aggregation, clips)


@cache
def metrics(system: str, clips: tuple[str, ...]) -> dict[str, Value]:
    return metric_values(CARDS[system], clips)


def profile(system: str, name: str, clips: tuple[str, ...] = CLIPS) -> Fraction:
    weights, over = PROFILES.get(name, BALANCED), OVER.get(name, "macro_classes")
    return sum(w * score(system, c, over, clips).value for c, w in weights.items()) / F(sum(weights.values()))


def profile_share(system: str, name: str) -> Fraction:
    weights, over = PROFILES.get(name, BALANCED), OVER.get(name, "macro_classes")
    return sum(w * score(system, c, over).share for c, w in weights.items()) / F(sum(weights.values()))


def telling(system: str) -> list[str]:
    """The clauses that are not vacuous for a system on all clips (16.13)."""
    return [clause for clause in CLAUSES if not score(system, clause).vacuous]


def headline(system: str, clips: tuple[str, ...] = CLIPS) -> Fraction:
    return mean(score(system, clause, clips=clips).value for clause in telling(system))


def logic(system: str, clips: tuple[str, ...] = CLIPS) -> Fraction:
    return mean(score(system, clause, clips=clips).value for clause in CLAUSES)


# The league

METRICS = tuple(metrics("mixed", CLIPS))
COLUMNS = {"headline": ("headline",), "clause": CLAUSES, "profile": ("balanced", *PROFILES), "metric": METRICS}
LEAGUE = (
    *("system", "group", "column", "value", "decimal", "low", "high", "vacuous", "earned", "rank", "tied"),
    *("rank_low", "rank_high", "difference", "difference_low", "difference_high", "p", "corrected", "significant"),
)


@cache
def value_of(system: str, group: str, column: str, clips: tuple[str, ...] = CLIPS) -> Value:
    if group == "metric":
        return metrics(system, clips)[column]
    if group == "clause":
        return score(system, column, clips=clips).value
    return headline(system, clips) if group == "headline" else profile(system, column, clips)


def share_of(system: str, group: str, column: str) -> Fraction:
    if group == "clause":
        return score(system, column).share
    if group == "headline":
        return mean(score(system, clause).share for clause in telling(system))
    return profile_share(system, column) if group == "profile" else F(0)


def is_constant(system: str) -> bool:
    return system in ("silent", "always")


def league_order(systems: Sequence[str]) -> list[str]:
    """By the headline mean; what is not earned stands behind."""
    return sorted(systems, key=lambda system: (is_constant(system), -headline(system)))


def league_rows(systems: Sequence[str], baseline: str) -> Iterator[dict[str, object]]:
    draws = drawn_clips(DRAWS)
    order = league_order(systems)
    for group, column in ((group, column) for group, columns in COLUMNS.items() for column in columns):
        falls = "error" in column
        ranked = not column.startswith(("onset_error", "offset_error"))
        values = {s: value_of(s, group, column) for s in order}
        drawn = {s: [value_of(s, group, column, clips) for clips in draws] for s in order}
        earned = {s: not is_constant(s) and values[s] is not None for s in order}

        def better(a: Value, b: Value, margin: Fraction, falls: bool = falls) -> bool:
            if a is None or b is None:
                return a is not None
            return (b - a if falls else a - b) > margin

        rivals = [s for s in order if earned[s] and ranked]
        ranks = {s: 1 + sum(better(values[r], values[s], F(0)) for r in rivals) for s in rivals}
        others = [s for s in order if s != baseline and earned[s] and earned[baseline]]
        p, ends = {}, {}
        for s in others:
            pairs = list(zip(drawn[s], drawn[baseline], strict=True))
            p[s] = two_sided([F(0) if a is None or b is None else a - b for a, b in pairs])
            ends[s] = interval([a - b for a, b in pairs if a is not None and b is not None])
        corrected = dict(zip(others, holm([p[s] for s in others]), strict=True))
        for s in order:
            value, known = values[s], [one for one in drawn[s] if one is not None]
            low, high = interval(known) if known and value is not None else (None, None)
            row: dict[str, object] = {"system": s, "group": group, "column": column, "value": exact(value)}
            row |= {"decimal": value, "low": low, "high": high, "vacuous": exact(share_of(s, group, column))}
            row |= {"earned": earned[s], "tied": False}
            if s in rivals:
                drawn_ranks = [
                    F(1 + sum(better(drawn[r][i], drawn[s][i], F(1, 10**9)) for r in rivals)) for i in range(DRAWS)
                ]
                least, greatest = interval(drawn_ranks)
                row |= {"rank": ranks[s], "tied": list(ranks.values()).count(ranks[s]) > 1}
                row |= {"rank_low": least, "rank_high": greatest}
            if s in others:
                base = values[baseline]
                assert value is not None
                assert base is not None
                row |= {"difference": value - base, "difference_low": ends[s][0], "difference_high": ends[s][1]}
                row |= {"p": exact(p[s]), "corrected": exact(corrected[s]), "significant": corrected[s] <= F(1, 20)}
            yield row


DECIMALS = {"decimal", "low", "high", "difference", "difference_low", "difference_high"}


def league_cells(systems: Sequence[str], baseline: str) -> list[list[str]]:
    def cell(row: dict[str, object], name: str) -> str:
        value = row.get(name)
        return six(value) if name in DECIMALS and isinstance(value, Fraction) else text(value)

    return [[cell(row, name) for name in LEAGUE] for row in league_rows(systems, baseline)]


NAMES = tuple(SYSTEMS)


@pytest.fixture(scope="module")
def league(folder: Path) -> Path:
    """A league directory of all systems."""
    outcome = run("league", *NAMES, "--baseline", "mixed", *OPTIONS, "--out", "league", folder=folder)
    assert outcome.code == 0, outcome.err
    assert outcome.out == (folder / "league" / "league.csv").read_text()
    return folder / "league"


def close(ours: list[list[str]], theirs: list[list[str]], columns: Sequence[str]) -> None:
    """Rows are equal; ends of intervals, which are for reading, to the last of their six places."""
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        for name, a, b in zip(columns, mine, other, strict=True):
            if a != b and name.endswith(("low", "high")) and "" not in (a, b):
                assert abs(F(a) - F(b)) <= F(2, 10**6), (name, mine, other)
            else:
                assert a == b, (name, mine, other)


def test_league_rows(league: Path) -> None:
    """league.csv: value, interval, share, rank, its interval, and the difference from the baseline."""
    header, *rows = rows_of((league / "league.csv").read_text())
    assert tuple(header) == LEAGUE
    close(rows, league_cells(NAMES, "mixed"), LEAGUE)
    told = {name: {row[i] for row in rows} for i, name in enumerate(LEAGUE)}
    assert told["significant"] == {"", "false"}  # three clips tell nothing for certain
    assert any(row[16] != row[17] for row in rows)  # a corrected p that is not the p


def test_league_json_says_what_csv_says(league: Path) -> None:
    """league.json holds the columns of league.csv and where systems differ."""
    record: Record = json.loads((league / "league.json").read_text())
    cells = []
    for column in record["columns"]:
        assert set(column) == {
            *("name", "group", "about", "aggregation", "higher_is_better", "ranked", "leading", "best", "values"),
        }
        for one in column["values"]:
            difference = one["difference"] or dict.fromkeys(("decimal", "low", "high", "p", "corrected", "significant"))
            if one["difference"]:
                assert six(F(difference["value"])) == six(F(str(difference["decimal"])))
            numbers = (one["decimal"], one["low"], one["high"])
            assert set(one) == {
                *("system", "value", "decimal", "low", "high", "vacuous", "earned"),
                *("rank", "tied", "rank_low", "rank_high", "difference"),
            }
            apart = (difference[name] for name in ("decimal", "low", "high"))
            cells.append(
                [
                    *(one["system"], column["group"], column["name"], text(one["value"])),
                    *(text(None if n is None else six(F(str(n)))) for n in numbers),
                    *(text(one[name]) for name in ("vacuous", "earned", "rank", "tied", "rank_low", "rank_high")),
                    *(text(None if n is None else six(F(str(n)))) for n in apart),
                    *(text(difference[name]) for name in ("p", "corrected", "significant")),
                ]
            )
        ranked = [one["system"] for one in column["values"] if one["rank"] == 1]
        assert column["best"] == ranked
        assert column["higher_is_better"] == ("error" not in column["name"])
        assert column["ranked"] == (not column["name"].startswith(("onset_error", "offset_error")))
        over = OVER.get(column["name"], "macro_classes")
        assert column["aggregation"] == (None if column["group"] == "metric" else over)
    assert cells == rows_of((league / "league.csv").read_text())[1:]
    assert set(record) == {
        *(
            "format",
            "versions",
            "contract",
            "aggregation",
            "mode",
            "clips",
            "classes",
            "tables",
            "policies",
            "settings",
        ),
        *("systems", "columns", "by_class", "by_condition", "most_different"),
    }


def test_league_maps(league: Path, folder: Path) -> None:
    """The maps by class and condition, the clips on which systems differ, and what is said of the systems."""
    record: Record = json.loads((league / "league.json").read_text())
    order = league_order(NAMES)

    def told(total: Total) -> Value:
        return None if total.vacuous else total.value

    def maps(groups: list[dict[str, Value]], system: str) -> list[Record]:
        means = [[value for value in group.values() if value is not None] for group in groups]
        rows = [{"system": system, "clause": "mean", "values": [text(mean(some)) for some in means]}]
        for clause in CLAUSES:
            values = [None if group[clause] is None else text(group[clause]) for group in groups]
            rows.append({"system": system, "clause": clause, "values": values})
        return rows

    def by_class(system: str, label: str) -> dict[str, Value]:
        return {c: told(CARDS[system].score(c, "pooled", classes=(label,))) for c in CLAUSES}

    conditions = {"loud": ("a, ünï.wav", "c.wav"), "soft": ("b.wav",)}
    rows = [row for s in order for row in maps([by_class(s, label) for label in CLASSES], s)]
    assert record["by_class"] == {"columns": list(CLASSES), "rows": rows}
    rows = []
    for s in order:
        rows += maps([{c: told(score(s, c, clips=clips)) for c in CLAUSES} for clips in conditions.values()], s)
    assert record["by_condition"] == {"columns": list(conditions), "rows": rows}

    def loss(system: str, clip: str) -> Fraction:
        counts = [CARDS[system].counts[c][clip, label] for c in CLAUSES for label in CLASSES]
        return sum((1 - one.value for one in counts), F(0))

    different = []
    for clip in CLIPS:
        losses = [loss(s, clip) for s in order]
        pairs = [abs(a - b) for i, a in enumerate(losses) for b in losses[i + 1 :]]
        rounded = [float(six(one)) for one in losses]
        different.append((mean(pairs), {"clip": clip, "difference": float(six(mean(pairs))), "losses": rounded}))
    assert record["most_different"] == [one for _, one in sorted(different, key=lambda pair: -pair[0])]
    for one, name in zip(record["systems"], order, strict=True):
        manifest = json.loads((folder / name / "manifest.json").read_text())
        assert one == {
            "name": name,
            "run": manifest["sha256"],
            "prediction": f"{name}.tsv",
            "sha256": hashlib.sha256((folder / f"{name}.tsv").read_bytes()).hexdigest(),
            "format": "table",
            "decoding": None,
            "versions": manifest["versions"],
            "nearly_constant": None,
            "scores": None,
        }
    settings = {"baseline": "mixed", "rank_by": "headline", "draws": DRAWS, "seed": 0, "level": "19/20"}
    assert record["settings"] == settings
    assert (record["clips"], record["classes"]) == (3, list(CLASSES))


def test_league_directory(league: Path) -> None:
    """The base holds the reference's runs, what is ignored and the clips; the manifest every file."""
    base: Record = json.loads((league / "base.json").read_text())
    card = CARDS["late"]

    def spans(kind: str) -> dict[str, list[tuple[int, int]]]:
        masks = {at: getattr(card.cells[at], kind) for at in ((c, k) for k in CLASSES for c in CLIPS)}
        runs = {str(i): runs_of(mask) for i, mask in enumerate(masks.values())}
        return {number: some for number, some in runs.items() if some}

    def read(numbers: list[int]) -> list[tuple[int, int]]:
        edges, at = [], 0
        for one in numbers:
            at += one
            edges.append(at)
        return list(zip(edges[::2], edges[1::2], strict=True))

    assert {key: read(value) for key, value in base["reference"].items()} == spans("ref")
    assert {key: read(value) for key, value in base["ignored"].items()} == spans("ignored")
    assert base["clips"] == list(CLIPS)
    assert base["frames"] == [frames_of(clip) for clip in CLIPS]
    assert (base["classes"], base["step"], base["mode"]) == (list(CLASSES), "7/30", "class_indexed")
    assert base["conditions"] == {"a, ünï.wav": "loud", "b.wav": "soft", "c.wav": "loud"}
    manifest = json.loads((league / "manifest.json").read_text())
    others = [path for path in league.iterdir() if path.name != "manifest.json"]
    assert {one["name"]: (one["bytes"], one["sha256"]) for one in manifest["files"]} == {
        path.name: (path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest()) for path in others
    }
    stored = [f"system-{hashlib.sha256(name.encode()).hexdigest()[:16]}.npz" for name in league_order(NAMES)]
    assert sorted(manifest["systems"]) == sorted(stored)


def test_league_is_changed_without_runs(folder: Path, league: Path) -> None:
    """A system that is removed and another baseline give the rows of the league made so at once."""
    names = ("late", "mixed", "sparse", "silent")
    small = run("league", *names, *OPTIONS, "--out", "small", folder=folder)
    assert small.code == 0
    close(rows_of(small.out)[1:], league_cells(names, "late"), LEAGUE)
    added = run("league", "small", "--add", "always", "--baseline", "mixed", folder=folder)
    assert added.code == 0, added.err
    assert (folder / "small" / "league.csv").read_text() == (league / "league.csv").read_text()
    assert run("league", "small", "--remove", "late", folder=folder).code == 0
    rows = rows_of((folder / "small" / "league.csv").read_text())[1:]
    close(rows, league_cells(("mixed", "sparse", "silent", "always"), "mixed"), LEAGUE)


# Two runs

COMPARED = ("filename", "event_label", "clause", "change", "onset", "offset", "obligations", "violated")


def changes(before: Card, after: Card) -> Iterator[tuple[str, str, str, str, int, int, int, bool]]:
    """What changed from one run to another (16.9); neighbouring frames that changed alike are one row."""
    for clip in CLIPS:
        for label in CLASSES:
            for clause in CLAUSES:
                sides: list[dict[tuple[int, int], Asked]] = [
                    {(one.start, one.end): one for one in card.cells[clip, label].clause(clause)}
                    for card in (before, after)
                ]
                rows: list[tuple[str, int, int, int, bool]] = []
                for at in sorted({*sides[0], *sides[1]}, key=lambda at: (at[0], at in sides[0])):
                    a, b = (side.get(at) for side in sides)
                    if a and b:
                        if a.held == b.held:
                            continue
                        change, violated = ("fixed" if b.held else "broken"), True
                    else:
                        one = a or b
                        assert one is not None
                        change, violated = ("no longer asked" if a else "newly asked"), not one.held
                    last = rows[-1] if rows else None
                    if clause in FRAME_CLAUSES and last and (last[0], last[2], last[4]) == (change, at[0], violated):
                        rows[-1] = change, last[1], at[1], last[3] + 1, violated
                    else:
                        rows.append((change, *at, 1, violated))
                for change, start, end, count, violated in rows:
                    yield clip, label, clause, change, start, end, count, violated


@pytest.mark.parametrize(("before", "after"), [("late", "mixed"), ("mixed", "silent")])
def test_compare_rows(folder: Path, before: str, after: str) -> None:
    """`compare --format csv`: every obligation that changed, with its interval."""
    header, *rows = printed(folder, "compare", before, after, *OPTIONS)
    assert tuple(header) == COMPARED
    expected = []
    for clip, label, clause, change, start, end, count, violated in changes(CARDS[before], CARDS[after]):
        times = number(start * STEP), number(end * STEP)
        expected.append([clip, label, clause, change, *times, str(count), text(violated)])
    assert rows == expected


def test_compare_record(folder: Path) -> None:
    """`compare --format json`: scores, differences, and what changed by clause and clip."""
    before, after = "late", "sparse"
    outcome = run("compare", before, after, "--draws", str(DRAWS), "--format", "json", folder=folder)
    record: Record = json.loads(outcome.out)
    assert set(record) == {
        *("before", "after", "aggregation", "clips", "bootstrap", "scores", "differences"),
        *("changed", "changed_clips", "changes"),
    }
    head = (record[name] for name in ("before", "after", "aggregation", "clips", "bootstrap"))
    bootstrap = {"draws": DRAWS, "seed": 0, "level": "19/20"}
    assert [*head] == [before, after, "macro_classes", 3, bootstrap]
    names = (*CLAUSES, "logic")

    def value(system: str, name: str, clips: tuple[str, ...] = CLIPS) -> Fraction:
        return logic(system, clips) if name == "logic" else score(system, name, clips=clips).value

    def share(system: str, name: str) -> Fraction:
        return mean(score(system, c).share for c in CLAUSES) if name == "logic" else score(system, name).share

    sides = {"before": before, "after": after}
    assert record["scores"] == {
        name: {side: {**both(value(s, name)), "vacuous": exact(share(s, name))} for side, s in sides.items()}
        for name in names
    }
    drawn = {name: [value(after, name, c) - value(before, name, c) for c in drawn_clips(DRAWS)] for name in names}
    p = {name: two_sided(drawn[name]) for name in names}
    corrected = dict(zip(names, holm(list(p.values())), strict=True))
    for name in names:
        one = record["differences"][name]
        low, high = interval(drawn[name])
        assert one == {
            **both(value(after, name) - value(before, name)),
            "low": pytest.approx(float(low), abs=2e-6),
            "high": pytest.approx(float(high), abs=2e-6),
            "p": exact(p[name]),
            "corrected": exact(corrected[name]),
        }
    everything = list(changes(CARDS[before], CARDS[after]))

    def told(some: list[tuple[str, str, str, str, int, int, int, bool]]) -> Record:
        def count(change: str, violated_alone: bool = False) -> int:
            return sum(one[6] for one in some if one[3] == change and (one[7] or not violated_alone))

        return {
            "fixed": count("fixed"),
            "broken": count("broken"),
            "no_longer_asked": {"obligations": count("no longer asked"), "violated": count("no longer asked", True)},
            "newly_asked": {"obligations": count("newly asked"), "violated": count("newly asked", True)},
        }

    by_clause = [{"clause": c, **told([one for one in everything if one[2] == c])} for c in CLAUSES]
    assert record["changed"] == by_clause
    by_clip = {c: told([one for one in everything if one[0] == c]) for c in CLIPS}
    assert {one.pop("clip"): one for one in record["changed_clips"]} == by_clip
    assert record["changes"] == [
        {
            "clip": clip,
            "class": label,
            "clause": clause,
            "change": change,
            "onset": exact(start * STEP),
            "offset": exact(end * STEP),
            "obligations": count,
            "violated": violated,
        }
        for clip, label, clause, change, start, end, count, violated in everything
    ]


# Audits of stored runs


def ranking(values: dict[str, Fraction]) -> dict[str, tuple[str, str]]:
    """The rank of each system whose value is earned, and whether it is best."""
    earned = {s: v for s, v in values.items() if not is_constant(s)}
    ranks = {s: 1 + sum(other > v for other in earned.values()) for s, v in earned.items()}
    return {s: (str(ranks[s]) if s in ranks else "", text(ranks.get(s) == 1)) for s in values}


def ranked_rows(values: dict[str, Fraction], shares: dict[str, Fraction]) -> Iterator[list[str]]:
    order = ranking(values)
    for s, value in values.items():
        yield [s, exact(value), six(value), *order[s], exact(shares[s]), text(not is_constant(s))]


RANKED = ["system", "value", "decimal", "rank", "best", "vacuous", "earned"]


@pytest.mark.parametrize("command", [("profile",), ("audit", "profile")])
def test_profile_rows(folder: Path, command: tuple[str, ...]) -> None:
    """Who is best under each profile."""
    header, *rows = printed(folder, *command, *NAMES, "--format", "csv")
    assert header == ["profile", "origin", "aggregation", *RANKED]
    expected = []
    for name in ("balanced", *PROFILES):
        head = [name, "contract" if name in PROFILES else "starter guards", OVER.get(name, "macro_classes")]
        values = {s: profile(s, name) for s in NAMES}
        shares = {s: profile_share(s, name) for s in NAMES}
        expected += [head + row for row in ranked_rows(values, shares)]
    assert rows == expected


def test_selection_rows(folder: Path) -> None:
    """Who is best on each clause."""
    header, *rows = printed(folder, "audit", "selection", *NAMES, "--aggregation", "pooled", "--format", "csv")
    assert header == ["clause", "aggregation", *RANKED]
    expected = []
    for clause in CLAUSES:
        values = {s: score(s, clause, "pooled").value for s in NAMES}
        shares = {s: score(s, clause, "pooled").share for s in NAMES}
        expected += [[clause, "pooled", *row] for row in ranked_rows(values, shares)]
    assert rows == expected


def test_neutrality_rows(folder: Path) -> None:
    """Who is best of all, and of all but the named ones."""
    header, *rows = printed(folder, "audit", "neutrality", *NAMES, "--without", "mixed", "--format", "csv")
    assert header == ["kind", "name", "systems", *RANKED]
    expected = []
    for kind, name in [*(("profile", n) for n in ("balanced", *PROFILES)), *(("coordinate", c) for c in CLAUSES)]:
        for some, systems in (("all", NAMES), ("rest", tuple(s for s in NAMES if s != "mixed"))):
            if kind == "profile":
                values = {s: profile(s, name) for s in systems}
                shares = {s: profile_share(s, name) for s in systems}
            else:
                values = {s: score(s, name).value for s in systems}
                shares = {s: score(s, name).share for s in systems}
            expected += [[kind, name, some, *row] for row in ranked_rows(values, shares)]
    assert rows == expected


def test_uncertainty_rows(folder: Path) -> None:
    """Intervals of every system, and differences from the first with p."""
    columns = ["system", "clause", "quantity", "value", "decimal", "low", "high", "p", "corrected"]
    header, *rows = printed(folder, "audit", "uncertainty", *NAMES, *OPTIONS)
    assert header == columns
    draws, names = drawn_clips(DRAWS), (*CLAUSES, "logic")

    def value(system: str, name: str, clips: tuple[str, ...] = CLIPS) -> Fraction:
        return logic(system, clips) if name == "logic" else score(system, name, clips=clips).value

    others = NAMES[1:]
    drawn = {
        (s, name): [value(s, name, clips) - value(NAMES[0], name, clips) for clips in draws]
        for s in others
        for name in names
    }
    corrected = {
        name: dict(zip(others, holm([two_sided(drawn[s, name]) for s in others]), strict=True)) for name in names
    }
    expected = []
    for s in NAMES:
        for name in names:
            ends = map(six, interval([value(s, name, clips) for clips in draws]))
            expected.append([s, name, "score", exact(value(s, name)), six(value(s, name)), *ends, "", ""])
        for name in names if s in others else ():
            difference = value(s, name) - value(NAMES[0], name)
            head = [s, name, "difference", exact(difference), six(difference), *map(six, interval(drawn[s, name]))]
            expected.append([*head, exact(two_sided(drawn[s, name])), exact(corrected[name][s])])
    close(rows, expected, columns)


@pytest.mark.parametrize(("parameter", "to"), [("tol", F(2)), ("slack", F(2))])
def test_tolerance_rows(folder: Path, parameter: str, to: Fraction) -> None:
    """Every piece has the value of the contract with the parameter written in, at its ends and between them."""
    arguments = ("--parameter", parameter, "--high", str(to), "--format", "csv")
    header, *rows = printed(folder, "audit", "tolerance", "late", *arguments)
    assert header == [
        *("clause", "from", "from_included", "to", "to_included", "value", "decimal", "satisfied", "obligated"),
    ]

    @cache
    def card(p: Fraction) -> Card:
        rows_here = SYSTEMS["late"]
        return Card(rows_here, slack=p) if parameter == "slack" else Card(rows_here, tol=-int(-p // STEP))

    def told(name: str, p: Fraction) -> list[str]:
        if name == "logic":
            value = mean(card(p).score(c, "macro_classes").value for c in CLAUSES)
            return [exact(value), six(value), "", ""]
        total = card(p).score(name, "macro_classes")
        return [exact(total.value), six(total.value), str(total.count.held), str(total.count.obliged)]

    assert [name for name, _ in pairwise([row[0] for row in rows] + [""]) if name] == [row[0] for row in rows]
    assert list(dict.fromkeys(row[0] for row in rows)) == [*CLAUSES, "logic"]
    for name in (*CLAUSES, "logic"):
        pieces = [row for row in rows if row[0] == name]
        assert (pieces[0][1:3], pieces[-1][3:5]) == (["0", "true"], [exact(to), "true"])
        for piece in pieces:
            low, high = F(piece[1]), F(piece[3])
            points = [low] * (piece[2] == "true") + [high] * (piece[4] == "true") + [(low + high) / 2]
            for p in points:
                assert told(name, p) == piece[5:], (name, p)
        for one, other in pairwise(pieces):
            assert one[3] == other[1]
            assert (one[4] == "true") != (other[2] == "true")
            assert one[5:] != other[5:]
    assert len(rows) > len(CLAUSES) + 1


def test_union_gap_rows(folder: Path) -> None:
    """Both scores of every clause, the support of the classes, substitutions, confusion and strata."""
    header, *rows = printed(folder, "audit", "union-gap", "mixed", "--format", "csv")
    assert header == ["part", "name", "other", "quantity", "value"]
    card, union = CARDS["mixed"], Card(SYSTEMS["mixed"], union=True)
    expected = []
    for aggregation in ("macro_classes", "pooled"):
        for clause in CLAUSES:
            values = [one.score(clause, aggregation).value for one in (card, union)]
            for quantity, value in zip(
                ("class_indexed", "union", "gap"), (*values, values[1] - values[0]), strict=True
            ):
                expected.append(["clause", clause, aggregation, quantity, exact(value)])
    frames = [(clip, i) for clip in CLIPS for i in range(frames_of(clip))]

    def active(side: str, label: str, clip: str, i: int) -> bool:
        cell = card.cells[clip, label]
        return bool(getattr(cell, side)[i]) and not cell.ignored[i]

    refs = {k: sum(active("ref", k, *at) for at in frames) for k in CLASSES}
    preds = {k: sum(active("pred", k, *at) for at in frames) for k in CLASSES}
    for k in CLASSES:
        expected.append(["class", k, "", "reference_frames", str(refs[k])])
        expected.append(["class", k, "", "predicted_frames", str(preds[k])])
        expected.append(["class", k, "", "support_ratio", exact(ratio(preds[k], refs[k]))])
    for a, b in permutations(CLASSES, 2):
        count = sum(
            active("ref", a, *at)
            and not active("pred", a, *at)
            and active("pred", b, *at)
            and not active("ref", b, *at)
            for at in frames
        )
        if count:
            expected.append(["substitution", a, b, "frames", str(count)])
    assert any(row[0] == "substitution" for row in expected)
    for a in CLASSES:
        for b in CLASSES:
            count = sum(active("ref", a, *at) and active("pred", b, *at) for at in frames)
            expected.append(["confusion", a, b, "share", exact(ratio(count, refs[a]))])
    strata: dict[str, list[str]] = {"none": [], "low": [], "even": [], "high": []}
    for k in CLASSES:
        share = F(preds[k], refs[k])
        strata["none" if not share else "low" if share < F(1, 2) else "even" if share <= 2 else "high"].append(k)
    for stratum, labels in strata.items():
        for clause in CLAUSES if labels else ():
            value = card.score(clause, "pooled", classes=tuple(labels)).value
            expected.append(["stratum", stratum, clause, "pooled", exact(value)])
    assert rows == expected


def test_substitutions(folder: Path) -> None:
    """A class that is predicted where it is in the reference too substitutes nothing."""
    contract = "contract swap\nstep 1s\nclause c on ref_active : pred_active\n"
    ref, pred = (("k", "0", "4", "x"), ("k", "2", "6", "y")), (("k", "0", "5", "y"),)
    write(folder, {"swap.contract": contract, "sref.tsv": table(ref), "spred.tsv": table(pred)})
    sides = ("--ref", "sref.tsv", "--pred", "spred.tsv", "--durations", "8")
    assert run("score", "swap.contract", *sides, "--out", "swap", folder=folder).code == 0
    rows = printed(folder, "audit", "union-gap", "swap", "--format", "csv")
    assert [row for row in rows if row[0] == "substitution"] == [["substitution", "x", "y", "frames", "2"]]
    shares = [row[1:] for row in rows if row[0] == "confusion"]
    assert shares == [
        ["x", "x", "share", "0"],
        ["x", "y", "share", "1"],
        ["y", "x", "share", "0"],
        ["y", "y", "share", "3/4"],
    ]


MATCHED = """contract matched
step 1s
matcher greedy(search = 5s, overlap_reward = 0.5)
clause hit on each ref : matched
clause near on each matched : abs(pred.onset - ref.onset) <= 2s
clause used on each pred : matched
"""


def test_matcher_rows(folder: Path) -> None:
    """Greedy takes the cheap pair in the middle and leaves two runs alone; optimal pairs all four."""
    events = {
        "mref.tsv": [("k", "0", "4", "x"), ("k", "5", "9", "x")],
        "mpred.tsv": [("k", "3", "7", "x"), ("k", "8", "12", "x")],
    }
    write(folder, {"matched.contract": MATCHED, **{name: table(rows) for name, rows in events.items()}})
    arguments = ("--ref", "mref.tsv", "--pred", "mpred.tsv", "--durations", "15", "--format", "csv")
    header, *rows = printed(folder, "audit", "matcher", "matched.contract", *arguments)
    assert header == ["on", "cases", "refs", "preds", "changed", "quantity", "greedy", "optimal"]
    head = ["given data", "1", "2", "2", "1"]
    assert [row for row in rows if row[0] == "given data"] == [
        [*head, "pairs", "1", "2"],
        [*head, "boundary_f1", "1/2", "1"],
        [*head, "hit", "1/2", "1"],
        [*head, "near", "1", "0"],  # the pairs of `optimal` are 3 s apart
        [*head, "used", "1/2", "1"],
    ]


# Scores of frames and soft labels


def test_threshold_rows(folder: Path) -> None:
    """The vector at each threshold of a score file."""
    write_field(folder / "scores")
    thresholds = ("0.3", "0.55")
    at = [argument for threshold in thresholds for argument in ("--at", threshold)]
    header, *rows = printed(folder, "audit", "threshold", "late", "--scores", "scores", *at, "--format", "csv")
    assert header == [
        *("threshold", "low", "median", "events", "clause", "value", "decimal", "satisfied", "obligated"),
    ]
    expected = []
    for threshold in thresholds:
        pred = decoded([F(threshold)] * 2)
        card = Card(pred)
        head = [exact(F(threshold)), "", "1", str(len(pred))]
        for clause in CLAUSES:
            total = card.score(clause, "macro_classes")
            counts = str(total.count.held), str(total.count.obliged)
            expected.append([*head, clause, exact(total.value), six(total.value), *counts])
        value = card.logic("macro_classes")
        expected.append([*head, "logic", exact(value), six(value), "", ""])
    assert rows == expected


def soft_cell(values: list[Fraction], pred: list[bool], clause: str) -> Iterator[tuple[float, float]]:
    """The soft values of the obligation and the formula of a frame clause at every frame (18.3 to 18.7)."""
    inf = float("inf")
    masks = [inf if active else -inf for active in pred]

    def onset(x: list[float], i: int) -> float:
        return x[0] if i == 0 else min(x[i], -x[i - 1])

    n, ref = len(pred), [float(v) for v in values]
    for i in range(n):
        if clause == "onset_near":
            near = max(onset(masks, j) for j in range(max(0, i - 1), min(n, i + 2)))
            yield onset(ref, i), max(-onset(ref, i), near)
        elif clause == "heard":
            yield onset(masks, i), max(onset(ref, j) for j in range(max(0, i - 2), i + 1))
        else:
            after = min(-masks[j] for j in range(i, min(n, i + 2)))
            yield -ref[i], min(-onset(masks, i), after)


SOFT = {
    "a, ünï.wav": (
        ("0", "1.3", (70, 20)),
        ("1.3", "2.1", (55, 45)),
        ("2.1", "3.2", (10, 62)),
        ("3.2", "4.1", (81, 52)),
    ),
    "b.wav": (("0", "1.2", (44, 90)), ("1.2", "2.5", (58, 12))),
    "c.wav": (("0", "1", (5, 48)),),
}


def soft_rows(clip: str) -> Iterator[tuple[str, str, str, str]]:
    for on, off, shares in SOFT[clip]:
        for label, share in zip(CLASSES, shares, strict=True):
            yield on, off, label, number(F(share, 100))


@pytest.fixture(scope="module")
def soft(folder: Path) -> Path:
    """A run whose reference a threshold made of soft labels."""
    (folder / "soft").mkdir()
    for clip in SOFT:
        rows = "".join("\t".join(row) + "\n" for row in soft_rows(clip))
        (folder / "soft" / f"{clip.removesuffix('.wav')}.txt").write_text(rows, encoding="utf-8")
    labels = ("--ref", "soft", "--ref-format", "maestro", "--ref-threshold", "0.5", "--pred", "late.tsv")
    outcome = run(
        "score", "golden.contract", *labels, "--durations", "durations.tsv", "--out", "soft_run", folder=folder
    )
    assert outcome.code == 0, outcome.err
    return folder


def test_reference_rows(soft: Path) -> None:
    """What of a result is decided inside the uncertainty of soft labels (16.14)."""
    command = ("audit", "reference", "soft_run", "--labels", "soft", "--within", "0.1", "--within", "0.03")
    header, *rows = printed(soft, *command, "--format", "csv")
    assert header == [
        *("threshold", "within", "clause", "obligated", "inside", "share", "score", "low", "high"),
        *("lower_threshold", "higher_threshold"),
    ]

    def margins(clip: str, k: int) -> list[Fraction]:
        result = []
        for i in range(frames_of(clip)):
            centre = (i + F(1, 2)) * STEP
            cells = [shares[k] for on, off, shares in SOFT[clip] if F(on) <= centre < F(off)]
            result.append(F(cells[0], 100) if cells else F(-1))
        return result

    def counts(clause: str, threshold: Fraction, within: Fraction) -> tuple[int, int, int, int, int, int, int]:
        held = obliged = inside = low_held = low_all = high_held = high_all = 0
        for clip in CLIPS:
            for k, label in enumerate(CLASSES):
                pred = CARDS["late"].cells[clip, label].pred
                values = [score - threshold for score in margins(clip, k)]
                # A score that equals the threshold is not active: its margin is a zero below.
                values = [value if value else F(-1, 10**12) for value in values]
                for obligation, formula in soft_cell(values, pred, clause):
                    u = float(within)
                    is_asked, is_held = obligation > 0, formula > 0
                    sure_asked = obligation >= u or obligation <= -u
                    sure_held = formula >= u or formula <= -u
                    settled = sure_asked and (not is_asked or sure_held)
                    obliged += is_asked
                    held += is_asked and is_held
                    inside += is_asked and not settled
                    surely = is_asked and settled
                    may_fail = not settled and (obligation > -u) and (formula < u)
                    may_hold = not settled and (obligation > -u) and (formula > -u)
                    low_held += surely and is_held
                    low_all += surely or may_fail
                    high_held += (surely and is_held) or may_hold
                    high_all += surely or may_hold
        return held, obliged, inside, low_held, low_all, high_held, high_all

    def share(a: int, b: int) -> str:
        return exact(F(a, b) if b else F(1))

    expected = []
    for within in (F(1, 10), F(3, 100)):
        for clause in FRAME_CLAUSES:
            held, obliged, inside, *bounds = counts(clause, F(1, 2), within)
            head = ["1/2", exact(within), clause, str(obliged), str(inside), share(inside, obliged)]
            beside = [counts(clause, F(1, 2) + d, within)[:2] for d in (-within, within)]
            ends = share(bounds[0], bounds[1]), share(bounds[2], bounds[3])
            expected.append([*head, share(held, obliged), *ends, *(share(*one) for one in beside)])
    assert sorted(rows) == sorted(expected)


def test_annotation_rows(soft: Path) -> None:
    """How ambiguous soft labels are: cells, those from 1/4 to 3/4, and the mean entropy (16.5)."""
    write(soft, {"scenes.tsv": table([("a, ünï", "road"), ("b", "park"), ("c", "road")], "filename\tcondition")})
    header, *rows = printed(soft, "audit", "annotation", "soft", "--scenes", "scenes.tsv", "--format", "csv")
    assert header == ["scene", "clips", "cells", "between", "share", "entropy"]
    groups = {"park": ("b.wav",), "road": ("a, ünï.wav", "c.wav"), "all": CLIPS}
    expected = []
    for scene, clips in groups.items():
        values = [F(share, 100) for clip in clips for *_, shares in SOFT[clip] for share in shares]
        between = sum(F(1, 4) <= v <= F(3, 4) for v in values)
        entropy = [-float(v) * log2(v) - float(1 - v) * log2(1 - v) if 0 < v < 1 else 0.0 for v in values]
        numbers = str(len(clips)), str(len(values)), str(between), exact(F(between, len(values)))
        expected.append([scene, *numbers, six(sum(entropy) / len(entropy))])
    assert rows == expected
