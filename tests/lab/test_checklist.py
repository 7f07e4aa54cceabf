"""What the texts have is here in a stated state; what their rules say is what is counted; the extensions work."""

import re
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

import tracepact
from tracelab.study.cases import (
    both_matchers,
    calibration_predictions,
    calibration_rows,
    layouts,
    mirrored,
    stress_rows,
)
from tracelab.study.comparison import published
from tracelab.study.rows import GUARDS
from tracelab.study.tables import _TABLES, calibration_table, stress_table
from tracelab.study.views import ItemState, checklist, checklist_table

ROOT = Path(__file__).parents[2]
# How many tables each text prints, counted by hand; the second of AudioClaw-C has two figures a row.
PRINTED = {"contracts": 41, "audioclaw": 3, "biodcase": 0}
EXTENSIONS = tracepact.spec_path("study/extensions.contract")


def test_every_entry_of_the_checklist_has_a_place_or_a_reason():
    listed = checklist()
    assert set(listed.texts) == {entry.text for entry in listed.entry} == set(PRINTED)
    for entry in listed.entry:
        assert entry.item
        assert entry.reason or entry.state == ItemState.EQUAL, entry.item
        assert entry.where or entry.state != ItemState.EQUAL, entry.item
    items = [(entry.text, entry.item) for entry in listed.entry]
    assert len(set(items)) == len(items)


def test_every_printed_table_is_in_the_checklist():
    for text, least in PRINTED.items():
        found = [entry for entry in checklist().entry if entry.text == text and entry.item.startswith("Table: ")]
        assert len(found) >= least, (text, len(found))


def test_the_places_of_the_checklist_exist():
    tables = {name.removesuffix("_table") for name in (made.__name__ for made in _TABLES)}
    names = {"interval": "intervals", "metric": "metrics", "guard": "guards", "distance": "distances"}
    names |= {"boundary_condition": "boundary_conditions", "class": "classes", "class_guard": "class_guards"}
    names |= {"profile": "profiles", "objective": "objectives", "model": "models", "seed": "seeds"}
    known = {names.get(name, name) for name in tables} | {"findings", "protocol", "perturbations"}
    for entry in checklist().entry:
        for name in re.findall(r"study: tables/(\w+)", entry.where):
            assert name in known, entry
        for path in re.findall(r"(?:spec|examples|pytools|tests)/[\w./-]+", entry.where):
            assert (ROOT / path.rstrip(".")).exists(), entry


def test_the_page_of_the_checklist_has_every_entry():
    body = [list(row) for row in checklist_table().table.texts()]
    assert [row[1].strip() for row in body] == [entry.item for entry in checklist().entry]


def test_every_published_table_is_a_table_of_numbers_or_names():
    for table in published().tables.values():
        columns = {tuple(row) for row in table.rows.values()}
        assert len(columns) == 1
        assert all(isinstance(v, Fraction | int | str | None) for row in table.rows.values() for v in row.values())
    assert published().tables["attribution"].rows["augmentation over clean"]["boundary"] == Fraction("0.388")


# The stress track, by hand: two pairs where somebody else takes the first event, one where nobody can.


def test_a_left_bridge_that_reaches_the_second_event_costs_greedy_matching_a_pair():
    rows = list(stress_rows(None))
    assert len(rows) == len(layouts()) == 24
    for row in rows:
        if row["pattern"] == "left bridge":
            wanted = "1" if "reach 100" in row["layout"] else "2"
            assert (row["greedy_pairs"], row["optimal_pairs"], row["greedy_runs"]) == ("1", wanted, "4")
        else:
            assert row["greedy_pairs"] == row["optimal_pairs"]
            assert row["greedy_fragmentation_guard"] == row["optimal_fragmentation_guard"]


def test_the_stress_table_has_the_published_shares_of_what_changes():
    table = stress_table({"stress": list(stress_rows(None))}).table
    rows = [[text.strip() for text in row] for row in table.texts()]
    ours = {row[0]: row[1:] for row in rows if row[0] in published().tables["stress"].rows}
    # Eight of twelve bridges change, each from 2·1/4 to 2·2/4.
    assert ours["left bridge"][:4] == ["12", "0.667", "0.333", "0.500"]
    assert all(ours[name][1:] == ["0.000"] * 4 for name in ("nominal", "right bridge", "split"))


def test_a_right_bridge_that_reaches_as_far_changes_too():
    far = mirrored(next(one for one in layouts() if one.name == "gap 40 ms, reach 200 ms"))
    pairs = []
    for contract in both_matchers().values():
        run = tracepact.score(
            contract,
            ref=[(a, b, "event") for a, b in far.reference],
            pred=[(a, b, "event") for a, b in far.prediction],
            durations=4,
        )
        pairs.append(run.card.score("duration_guard", tracepact.Aggregation.POOLED).obligated)
    assert pairs == [1, 2]


# The calibration cases.


@pytest.mark.slow
def test_the_calibration_cases_are_those_that_are_selected_from():
    chosen = tracepact.select("boundary_gate", require=("separate",))
    frame = Fraction(1, 50)
    theirs = {case.name: tuple((a * frame, b * frame) for a, b in case.traces[0].pred) for case in chosen.cases}
    ours = {
        name: tuple((round(a / frame) * frame, round(b / frame) * frame) for a, b in spans)
        for name, spans in calibration_predictions().items()
        if name != "fragmentation"
    }
    assert ours == {name: theirs[name] for name in ours}
    pieces = calibration_predictions()["fragmentation"]
    assert len(pieces) == len(theirs["fragmentation"]) == 12


def test_four_of_the_seven_guards_separate_the_cases_and_three_do_not():
    rows = list(calibration_rows(None))
    ranks = {name: row["rank"] for name, row in published().tables["calibration"].rows.items()}
    values = {row["case"]: {guard: Fraction(row[guard]) for guard in GUARDS} for row in rows}
    pairs = [(a, b) for a in values for b in values if ranks[a] > ranks[b]]
    least = next(
        size
        for size in range(1, 8)
        for some in combinations(GUARDS, size)
        if all(any(values[a][guard] < values[b][guard] for guard in some) for a, b in pairs)
    )
    assert least == 4


def test_the_calibration_table_names_both_coordinates_of_every_case():
    body = calibration_table({"calibration": list(calibration_rows(None))}).table.texts()
    named = {row[0].strip(): (row[2].strip(), row[3].strip()) for row in body}
    assert named["early onset"] == ("spurious_guard", "onset_guard")
    assert named["early release"] == ("missing_guard", "offset_guard")
    assert named["late onset"] == ("onset_guard", "onset_guard")
    assert len(named) == 9


# The clauses that the text names and does not measure.


@pytest.mark.parametrize(
    ("predicted", "latency", "continuity", "purity"),
    [
        ([(1, 2, "dog")], 1, 1, 1),
        ([("1.06", 2, "dog")], 1, 1, 1),
        ([("1.08", 2, "dog")], 0, 1, 1),
        ([("0.98", 2, "dog")], 0, 1, 1),  # before the onset nothing counts
        ([(1, "1.4", "dog"), ("1.5", 2, "dog")], 1, 0, 1),
        ([(1, 2, "dog"), (3, 4, "dog")], 1, 1, Fraction(1, 2)),
    ],
)
def test_the_extension_clauses_see_late_answers_gaps_and_other_classes(predicted, latency, continuity, purity):
    reference = [(1, 2, "dog"), (3, 4, "cat")]
    run = tracepact.score(EXTENSIONS, ref=reference, pred=predicted, durations=5, classes=["dog", "cat"])
    found = {c: run.card.score(c, tracepact.Aggregation.POOLED) for c in ("latency", "continuity", "purity")}
    assert found["latency"].satisfied == latency
    assert found["continuity"].value == continuity
    assert found["purity"].value == purity


# BioDCASE: timestamps and buffers.


def counts(reference: list[float], detected: list[float]) -> tuple[int, int, int]:
    """True positives, false positives and misses of timestamps with a buffer of 1.5 s, by naive loops."""
    hit = [any(abs(d - r) <= 1.5 for d in detected) for r in reference]
    wrong = [not any(abs(d - r) <= 1.5 for r in reference) for d in detected]
    return sum(hit), sum(wrong), len(reference) - sum(hit)


def test_several_detections_in_a_buffer_count_once_and_one_in_several_counts_for_each():
    assert counts([10], [9.5, 10.2, 11]) == (1, 0, 0)
    assert counts([10, 12], [11]) == (2, 0, 0)
    assert counts([10], [12]) == (0, 1, 1)
