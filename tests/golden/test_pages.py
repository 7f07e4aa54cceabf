"""What the pages of a report and of a league draw, place by place: tiles, shades, bars, lanes, data of scripts."""

import json
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from cli.command import run, write

from golden.task import (
    AGGREGATIONS,
    CLASSES,
    CLAUSES,
    CLIPS,
    CONDITIONS,
    FRAME_CLAUSES,
    PROFILES,
    STEP,
    SYSTEMS,
    TIMES,
    Asked,
    Card,
    Cell,
    Span,
    frames_of,
    metric_values,
    runs_of,
    table,
    write_task,
)

F = Fraction
FILES = ("--ref", "ref.tsv", "--durations", "durations.tsv", "--ignore", "ignore.tsv")
NAMES = ("late", "mixed", "sparse")
WORDS = {
    "pooled": "pooled",
    "macro_clips": "macro clips",
    "macro_classes": "macro classes",
    "macro_clips_informative": "macro clips, no ∅",
    "macro_classes_informative": "macro classes, no ∅",
}
CARDS = {name: Card(SYSTEMS[name]) for name in NAMES}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The task, a run directory with its page of each system, and the league of them."""
    place = tmp_path_factory.mktemp("pages")
    write_task(place)
    for name in NAMES:
        arguments = (*FILES, "--pred", f"{name}.tsv", "--conditions", "conditions.tsv", "--page", "--out", name)
        assert run("score", "golden.contract", *arguments, folder=place).code == 0
    conditions = ("--conditions", "conditions.tsv", "--draws", "40")
    assert run("league", *NAMES, *conditions, "--out", "league", folder=place).code == 0
    return place


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return (folder / "late" / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def league(folder: Path) -> str:
    return (folder / "league" / "league.html").read_text(encoding="utf-8")


def three(value: Fraction) -> str:
    return f"{float(round(value, 3)):.3f}"


def data_of(text: str) -> Any:
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    return json.loads(data)


def section(text: str, name: str) -> str:
    (part,) = re.findall(rf'<section id="{name}".*?</section>', text, re.DOTALL)
    return str(part)


def tiles(text: str) -> list[tuple[str, str]]:
    return re.findall(r'<div class="tile"><b>(.*?)</b><span>(.*?)</span></div>', text)


def shade(value: Fraction) -> int:
    """The shade of a cell, in twentieths of what it loses."""
    return round(20 * (1 - float(value)))


def short(time: Fraction) -> str:
    """A time as people read it, in six digits."""
    return f"{float(time):.6g}"


def percent(share: Fraction) -> str:
    return f"{float(100 * share):.2f}%"


# A report


def test_tiles_of_a_report(page: str) -> None:
    """The means, profiles, pairs and the event F1, each with what it is."""
    card = CARDS["late"]
    (soft,) = (value for value, words in tiles(page) if words.startswith("soft boundary score"))
    pairs = sum(1 for _ in card.matches())
    assert tiles(page) == [
        (three(card.logic("macro_classes")), "mean of the vector, macro classes"),
        (three(card.logic("pooled")), "mean of the vector, pooled"),
        (three(card.profile(PROFILES["edges"], "pooled")), "profile edges (pooled)"),
        (three(card.profile(PROFILES["pieces"], "macro_classes")), "profile pieces (macro classes)"),
        (soft, "soft boundary score, 25 edges (decides nothing)"),
        (str(pairs), "matched pairs"),
        (three(metric_values(card)["event_f1"] or F(0)), "event F1, micro; its policy is below"),
    ]


def test_versions_of_a_page(folder: Path, page: str) -> None:
    """With what a run was made, as its manifest has it, on one line."""
    versions = json.loads((folder / "late" / "manifest.json").read_text(encoding="utf-8"))["versions"]
    assert ", ".join(f"{name} {versions[name]}" for name in ("tracepact", "python", "numpy")) in section(page, "source")


def test_one_pair_is_a_pair(tmp_path: Path) -> None:
    """Counts of one have the word for one, on a page, in a report and in Markdown."""
    one = [("a.wav", "0", "1", "x"), ("a.wav", "5", "6", "x"), ("a.wav", "7.5", "8", "x")]
    write(tmp_path, {"ref.tsv": table(one[:2]), "pred.tsv": table(one[:1]), "ignore.tsv": table(one[2:])})
    write(tmp_path, {"c.contract": "contract c\nstep 1s\nclause on_time on ref_onset : N[0f] pred_onset\n"})
    sides = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "8", "--ignore", "ignore.tsv")
    assert run("score", "c.contract", *sides, "--page", "--out", "run", folder=tmp_path).code == 0
    html = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert ("1", "matched pair") in tiles(html)
    assert '<p class="facts">1 clip × 1 class · 8 frames of 1 s (centre) · ' in html
    text = (tmp_path / "run" / "report.txt").read_text(encoding="utf-8")
    assert re.search(r"^ *1 matched pair *$", text, re.MULTILINE)
    brief = run("score", "c.contract", *sides, folder=tmp_path).out
    assert "\non_time fails 1 time: x at 5 s of a.wav, " in brief


def test_shades_of_classes_and_conditions(page: str) -> None:
    """A cell says how many obligations hold, leads to its clips, and is the stronger the more it loses."""
    card = CARDS["late"]
    cells = r'<button type="button" class="([^"]*)" data-filter="([^"]*)" title="([^"]*)">(.*?)</button>'
    groups = {"loud": tuple(c for c in CLIPS if CONDITIONS[c] == "loud"), "soft": ("b.wav",)}
    expected = {
        "classes": [
            ({"class": k}, [card.score(clause, "pooled", classes=(label,)) for clause in CLAUSES])
            for k, label in enumerate(CLASSES)
        ],
        "conditions": [
            ({"condition": k}, [card.score(clause, "macro_classes", clips) for clause in CLAUSES])
            for k, clips in enumerate(groups.values())
        ],
    }
    for name, rows in expected.items():
        shown = iter(re.findall(cells, section(page, name)))
        for choice, scores in rows:
            for index, score in enumerate(scores):
                look, leads, title, text = next(shown)
                assert look == f"cell loss-{shade(score.value)}", (name, index)
                assert json.loads(unescape(leads)) == {**choice, "clause": index}
                assert title == f"{score.count.held} of {score.count.obliged} obligations satisfied"
                assert text == three(score.value)
        assert next(shown, None) is None
    for k in range(21):
        assert f".loss-{k}{{--loss:{k / 20:g}}}" in page


def test_a_legend_shows_what_its_words_say(page: str) -> None:
    """What is earned is a bar, what is not is hatched, an interval has two ends."""
    (legend,) = re.findall(r'<p class="legend">(.*?)</p>', section(page, "vector"), re.DOTALL)
    samples = dict(reversed(one) for one in re.findall(r"<span>(<svg.*?</svg>)(.*?)</span>", legend, re.DOTALL))
    assert [*samples] == ["earned", "scores 1 without an obligation", "95 % interval"]
    kinds = [re.findall(r'class="(earned|vacuous|interval)"', drawn) for drawn in samples.values()]
    assert kinds == [["earned"], ["vacuous"], ["interval"]]


def test_bars_of_every_aggregation(page: str) -> None:
    """Under each aggregation a bar is as long as its score, of which the part without an obligation is hatched."""
    order = ["macro_classes", *(name for name in AGGREGATIONS if name != "macro_classes")]
    for number, aggregation in enumerate(order):
        (label,) = re.findall(rf'<label for="v{number}">(.*?)</label>', page)
        assert label.removesuffix(" (the contract’s own)") == WORDS[aggregation]
        (part,) = re.findall(rf'<div class="vector v{number}">(.*?)</table>', page, re.DOTALL)
        for clause, drawn in zip(CLAUSES, re.findall(r"<svg.*?</svg>", part), strict=False):
            score = CARDS["late"].score(clause, aggregation)
            free = score.share * (1 if score.value else 0)
            width = re.findall(r'<rect class="earned".*?x="([\d.]+%)" width="([\d.]+%)"', drawn)
            assert width == ([(percent(free), percent(score.value - free))] if score.value > free else [])


def test_tolerances_of_a_page(page: str) -> None:
    """Which clauses stay as they are, and every clause at both ends of the range."""
    part = section(page, "tolerance")
    still = [clause for clause in CLAUSES if clause != "onset_near"]
    assert f"<small>The same everywhere: {', '.join(still)}.</small>" in part
    rows = re.findall(r'<th scope="row">(\w+)</th>\s*<td.*?>([\d.]+)</td>\s*<td.*?>([\d.]+)</td>', part, re.DOTALL)
    ends = {tol: CARDS["late"].with_tol(tol) for tol in (0, 7)}
    expected = [(c, *(three(card.score(c, "macro_classes").value) for card in ends.values())) for c in CLAUSES]
    assert rows == expected
    # 233 1/3 ms is the contract's own; the sweep has 0 and 1,633 1/3 ms.
    marks = re.findall(r"text-anchor='middle'>(?:<title>.*?</title>)?([^<]*f[^<]*)</text>", part)
    assert sorted(mark for mark in marks if mark[0].isdigit()) == ["0f", "1f (own)", "7f"]


def test_parameters_that_were_set_are_told(folder: Path, page: str) -> None:
    arguments = (*FILES, "--pred", "late.tsv", "--set", "tol=2f", "--page", "--out", "set")
    assert run("score", "golden.contract", *arguments, folder=folder).code == 0
    cells = r'<th scope="row">(tol|slack)</th>\s*<td.*?>(.*?)</td>\s*<td.*?>(.*?)</td>'
    changed = section((folder / "set" / "report.html").read_text(encoding="utf-8"), "contract")
    assert re.findall(cells, section(page, "contract")) == [("tol", "1f", ""), ("slack", "0.25", "")]
    assert re.findall(cells, changed) == [("tol", "2f", "yes"), ("slack", "0.25", "")]


# The data of the clips of a report


def packed(spans: Sequence[Span]) -> list[int]:
    """How far each run starts after the end of the one before, and its length."""
    flat, last = [], 0
    for start, end in spans:
        flat += [start - last, end - start]
        last = end
    return flat


def stretches(cell: Cell, clause: str) -> Iterator[list[Asked]]:
    """Violated obligations; of a frame clause those of neighbouring frames with one failing part together."""
    group: list[Asked] = []
    for one in cell.clause(clause):
        beside = group and one.start == group[-1].end and one.part == group[-1].part and clause in FRAME_CLAUSES
        if not one.held and beside:
            group.append(one)
        elif not one.held:
            if group:
                yield group
            group = [one]
    if group:
        yield group


def offset(cell: Cell, clause: str, one: Asked) -> int | None:
    """Where the frame is that an obligation wants, from its own; None if nowhere in the clip."""
    if one.distance == "unbounded":
        return None
    wanted = cell.onsets(cell.pred) if clause == "onset_near" else cell.onsets(cell.ref)
    low, high = (-cell.tol, cell.tol) if clause == "onset_near" else (-2, 0)
    offsets = [j - one.start for j in range(cell.frames) if wanted[j]]
    return min(offsets, key=lambda d: (max(low - d, d - high, 0), abs(d), d))


def compared(cell: Cell, clause: str, one: Asked) -> str:
    """Both sides of what failed of an event clause, in words."""
    span = one.start, one.end
    if clause == "one_piece":
        here = [pred for pred in cell.pred_runs if min(pred[1], span[1]) > max(pred[0], span[0])]
        return "no partner" if one.part == "matched" else f"{len(here)} against 1"
    if clause == "length":
        (pred,) = (pred for ref, pred in cell.pairs if ref == span)
        duration = (span[1] - span[0]) * STEP
        difference = abs((pred[1] - pred[0]) * STEP - duration)
        return f"{short(difference)} s against {short(cell.slack * duration)} s"
    covered = sum(max(0, min(ref[1], span[1]) - max(ref[0], span[0])) for ref in cell.ref_runs)
    return f"{short(F(covered, span[1] - span[0]))} against 0.8"


def failures(cell: Cell, number: int, clause: str) -> list[Any]:
    """The failures of a clause as the page holds them, texts as they are."""
    flat: list[Any] = []
    for group in stretches(cell, clause):
        first, last = group[0], group[-1]
        flat += [first.start, last.end - first.start, first.part]
        if clause not in FRAME_CLAUSES:
            flat.append(compared(cell, clause, first))
        elif first.distance:
            far = sorted((int(one.distance) if one.distance.isdigit() else 10**9, k) for k, one in enumerate(group))
            flat += [offset(cell, clause, group[k]) for _, k in (far[0], far[-1])]
    return [number, *flat] if flat else []


@pytest.mark.parametrize("name", NAMES)
def test_clips_of_a_page(folder: Path, name: str) -> None:
    """Runs, ignored frames, pairs, scores and failures of every clip and class, as the script of a page draws them."""
    data = data_of((folder / name / "report.html").read_text(encoding="utf-8"))
    card = CARDS[name]
    assert (data["clips"], data["classes"], data["total"]) == ([*CLIPS], [*CLASSES], len(CLIPS))
    assert data["frames"] == [frames_of(clip) for clip in CLIPS]
    assert (data["step"], data["seconds"]) == ("7/30", 7 / 30)
    assert data["conditions"] == ["loud", "soft"]
    assert [data["conditions"][k] for k in data["condition"]] == [*CONDITIONS.values()]
    texts = data["texts"]
    assert len(set(texts)) == len(texts)
    fields = [clause["fields"] for clause in data["clauses"]]
    segments = []
    for clip, label, ref, pred, ignored, matches, scores, rows in data["segments"]:
        said = []
        for index, *flat in rows:
            names = fields[index] * (len(flat) // len(fields[index]))
            pairs = zip(names, flat, strict=True)
            said.append([index, *(texts[v] if n in ("part", "text") else v for n, v in pairs)])
        segments.append([clip, label, ref, pred, ignored, matches, scores, said])
    expected = []
    for k, label in enumerate(CLASSES):
        for c, clip in enumerate(CLIPS):
            cell = card.cells[clip, label]
            counts = [card.counts[clause][clip, label] for clause in CLAUSES]
            scores = [n for one in counts for n in (-1 if one.against and not one.obliged else one.held, one.obliged)]
            lost = [row for n, clause in enumerate(CLAUSES) if (row := failures(cell, n, clause))]
            pairs = [edge for ref, pred in cell.pairs for edge in (*ref, *pred)]
            spans = [packed(runs_of(mask)) for mask in (cell.ref, cell.pred, cell.ignored)]
            if spans[0] or spans[1] or lost:
                expected.append([c, k, *spans, pairs, scores, lost])
    assert segments == expected


# A league


def test_tiles_of_a_league(league: str) -> None:
    """Who is first by each column, with the value in that column."""
    card = {name: CARDS[name] for name in NAMES}
    even = dict.fromkeys(CLAUSES, 1)
    ways = {
        "headline mean": {n: c.logic("macro_classes") for n, c in card.items()},
        "balanced": {n: c.profile(even, "macro_classes") for n, c in card.items()},
        "edges": {n: c.profile(PROFILES["edges"], "pooled") for n, c in card.items()},
        "pieces": {n: c.profile(PROFILES["pieces"], "macro_classes") for n, c in card.items()},
    }
    best = {way: max(values, key=lambda name: values[name]) for way, values in ways.items()}
    assert tiles(league) == [(best[way], f"first by {way}, {three(v[best[way]])}") for way, v in ways.items()]


def order_of(text: str) -> list[str]:
    return list(data_of(text)["systems"])


def row_of(part: str, name: str) -> str:
    """The row of a system in a table."""
    rows = re.findall(r"<tr>\s*<th scope=\"row\">(.*?)</tr>", part, re.DOTALL)
    (row,) = (row for row in rows if re.sub("<.*?>", "", row.partition("</th>")[0]).removesuffix("baseline") == name)
    return str(row)


def test_differences_of_a_league(league: str) -> None:
    """A cell of a guard says how far its system is from the baseline, with the sign of system minus baseline."""
    part = section(league, "guards")
    titles = iter(re.findall(r'<span class="cell [^"]*" title="([^"]*)"', part))
    base = CARDS["late"]
    for name in order_of(league):
        for clause in CLAUSES:
            title = next(titles)
            assert title.startswith(f"{clause}: ")
            gap = CARDS[name].score(clause, "macro_classes").value - base.score(clause, "macro_classes").value
            if name != "late":
                assert f"; {three(gap).replace('-', '−')} from the baseline" in title
            else:
                assert "baseline" not in title
        for clause in ("onset_near", "quiet"):  # two are best at the first, and nobody is as good at the second
            values = {other: CARDS[other].score(clause, "macro_classes").value for other in NAMES}
            rank = 1 + sum(value > values[name] for value in values.values())
            ties = [*values.values()].count(values[name]) > 1
            (title,) = re.findall(rf'title="({clause}: [^"]*)"', row_of(part, name))
            assert re.search(rf"rank {'=' if ties else ''}{rank}\b", title)
    standings = section(league, "standings")
    cells = re.findall(r'data-heading="− late">(?:<span class="strong">)?([^<]*)<', standings)
    gaps = [CARDS[name].logic("macro_classes") - base.logic("macro_classes") for name in order_of(league)]
    assert cells == ["" if not gap else f"{'+' if gap > 0 else ''}{three(gap)}".replace("-", "−") for gap in gaps]


def test_maps_of_a_league(league: str) -> None:
    """By class, pooled: the value in two places, its shade, and its exact fraction."""
    part = section(league, "classes")
    for clause in CLAUSES:
        (one,) = re.findall(rf'data-clause="{clause}".*?</table>', part, re.DOTALL)
        cells = iter(re.findall(r'<span class="cell loss-(\d+)[^"]*" title="([^"]*)">(.*?)</span>', one))
        for name in order_of(league):
            for label in CLASSES:
                value = CARDS[name].score(clause, "pooled", classes=(label,)).value
                loss, title, text = next(cells)
                assert (int(loss), text) == (shade(value), f"{float(round(value, 2)):.2f}")
                assert F(title.partition(" = ")[2]) == value


def test_columns_of_a_scatter(league: str) -> None:
    """Values of the standard metrics that have no upper end are not drawn as shares."""
    columns = data_of(league)["columns"]
    ends = ("error_rate", "_error")
    for name, column in columns.items():
        assert column["share"] == (not (name.startswith("metric.") and name.endswith(ends))), name
        assert len(column["values"]) == len(column["earned"]) == len(NAMES)
    assert any(not column["share"] for column in columns.values())


def lost(name: str, clip: str, label: str) -> Fraction:
    """What a system loses in a clip and class, over all clauses."""
    return sum((1 - CARDS[name].counts[clause][clip, label].value for clause in CLAUSES), F(0))


def bad_stretches(cell: Cell) -> list[tuple[int, int, list[str]]]:
    """Where clauses fail: stretches that touch are one, with their clauses in the order of time and name."""
    edges = []
    for clause in CLAUSES:
        mask = [False] * cell.frames
        for one in cell.clause(clause):
            if one.held:
                continue
            if clause not in FRAME_CLAUSES:
                edges.append((one.start, one.end, clause))
            mask[one.start : one.end] = [True] * (one.end - one.start)
        if clause in FRAME_CLAUSES:
            parts = [(g[0].start, g[-1].end) for g in stretches(cell, clause)]
            edges += [(start, end, clause) for start, end in parts]
    joined: list[tuple[int, int, list[str]]] = []
    for start, end, clause in sorted(edges):
        if joined and start <= joined[-1][1]:
            before = joined[-1]
            names = before[2] if clause in before[2] else [*before[2], clause]
            joined[-1] = before[0], max(before[1], end), names
        else:
            joined.append((start, end, [clause]))
    return joined


def rect(kind: str, span: Span, frames: int, y: int, height: int, words: str) -> tuple[str, ...]:
    """A mark: its class, where it begins and how long it is, where the sound begins, and what it says."""
    start, end = (edge * STEP for edge in span)
    box = percent(F(span[0], frames)), percent(F(span[1] - span[0], frames))
    return kind, *box, str(y), str(height), short(start), f"{words}, {short(start)} to {short(end)} s"


def test_lanes_of_a_league(league: str) -> None:
    """Every mark of every lane: what it is, where it begins, how long it is, and the second that a click plays."""
    part = section(league, "clips")
    clips = {one[0]: one[1] for one in re.findall(r"<summary><b>(.*?)</b>(.*?)</details>", part, re.DOTALL)}
    order = order_of(league)
    spread = {
        (clip, label): [abs(lost(a, clip, label) - lost(b, clip, label)) for a in order for b in order]
        for clip in CLIPS
        for label in CLASSES
    }
    assert {unescape(clip) for clip in clips} == {clip for clip, label in spread if any(spread[clip, label])}
    for clip, text in clips.items():
        frames = frames_of(unescape(clip))
        labels = [label for label in CLASSES if any(spread[unescape(clip), label])]
        drawn = re.findall(r"<h3>(.*?)</h3>(.*?)(?=<h3>|\Z)", text, re.DOTALL)
        assert [unescape(label) for label, _ in drawn] == labels
        for label, lanes in drawn:
            at = unescape(clip), unescape(label)
            named = re.findall(r'<div class="lane-name.*?>([^<]*)</div>', lanes)
            assert named == ["reference", *order]
            losses = re.findall(r'<div class="lane-loss"[^>]*>([^<]*)</div>', lanes)
            assert losses == ["loss", "", *(f"{float(lost(name, *at)):.2f}" for name in order)]
            pictures = re.findall(r'<svg class="lane-draw".*?</svg>', lanes, re.DOTALL)
            for name, picture in zip(named, pictures, strict=True):
                marks = re.findall(
                    r'<rect class="(\w+)" x="([^"]*)" width="([^"]*)" y="([^"]*)" height="([^"]*)" data-at="([^"]*)">'
                    r"<title>(.*?)</title></rect>",
                    picture,
                )
                cell = CARDS[name if name in NAMES else "late"].cells[at]
                expected = [
                    rect("ignored", span, frames, 0, 20, "ignored: no obligations here")
                    for span in runs_of(cell.ignored)
                ]
                if name == "reference":
                    expected += [rect("ref", span, frames, 2, 16, "reference") for span in runs_of(cell.ref)]
                else:
                    expected += [rect("pred", span, frames, 2, 11, name) for span in runs_of(cell.pred)]
                    bad = bad_stretches(cell)
                    words = [f"violated: {', '.join(names)}" for _, _, names in bad]
                    spans = [(start, end) for start, end, _ in bad]
                    expected += [rect("bad", s, frames, 15, 4, w) for s, w in zip(spans, words, strict=True)]
                assert marks == expected, (at, name)


def test_systems_of_a_league(folder: Path, league: str) -> None:
    """The digest of the predictions, then that of the run, each cut to its start with the whole on hover."""
    record = json.loads((folder / "league" / "league.json").read_text(encoding="utf-8"))
    rows = re.findall(r"<tr>\s*<th scope=\"row\">(.*?)</tr>", section(league, "declared"), re.DOTALL)
    for row, system in zip(rows[-len(NAMES) :], record["systems"], strict=True):
        digests = [system["sha256"], system["run"]]
        assert re.findall(r'<span title="(\w{64})">', row) == digests
        assert re.findall(r"<code>(\w+)</code>", row) == [digest[:16] for digest in digests]
        manifest = json.loads((folder / system["name"] / "manifest.json").read_text(encoding="utf-8"))
        assert system["run"] == manifest["sha256"]


def test_axes_of_a_league(league: str) -> None:
    """The numbers of an axis stand where their seconds are; 4.2 s have one each second."""
    (text,) = re.findall(r"<summary><b>a, ünï.wav</b>(.*?)</details>", section(league, "clips"), re.DOTALL)
    length = frames_of(CLIPS[0]) * STEP
    assert length == F("4.2") != F(TIMES[CLIPS[0]])
    axis = text[: text.index("</svg>")]
    ticks = re.findall(r'<text x="([^"]*)" y="12"[^>]*>(.*?)</text>', axis)
    assert ticks == [(percent(k / length), f"{k} s") for k in range(5)]


def test_more_classes_than_are_drawn_are_counted(tmp_path: Path) -> None:
    """Of five classes on which two systems differ three are drawn, those that differ most, in their order."""
    labels = ("p", "q", "r", "s", "t")
    ref = [("a.wav", "0", "4", label) for label in labels]
    pred = [("a.wav", str(k), "4", label) for k, label in enumerate(labels[:-1])]
    write(tmp_path, {"ref.tsv": table(ref), "one.tsv": table(pred), "two.tsv": table(ref)})
    write(tmp_path, {"c.contract": "contract c\nstep 1s\nclause all on ref_active : pred_active\n"})
    for name in ("one", "two"):
        sides = ("--ref", "ref.tsv", "--pred", f"{name}.tsv", "--durations", "4")
        assert run("score", "c.contract", *sides, "--out", name, folder=tmp_path).code == 0
    assert run("league", "one", "two", "--draws", "20", "--out", "league", folder=tmp_path).code == 0
    part = section((tmp_path / "league" / "league.html").read_text(encoding="utf-8"), "clips")
    # They lose 0, 1/4, 1/2, 3/4 and 1 of p, q, r, s and t.
    assert re.findall(r"<h3>(.*?)</h3>", part) == ["r", "s", "t"]
    assert "1 more class differs less and is not shown." in part
    assert "two systems differ by 2.50 on average" in part
    assert 'aria-label="reference: 1 run, 0 stretches with violations"' in part
    assert 'aria-label="one: 1 run, 1 stretch with violations"' in part  # of r: it starts two seconds late
