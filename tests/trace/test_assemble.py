"""From events to a family: every oddity of the data has its diagnostic, and nothing is dropped silently."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.command import events, run, write

from tracepact.data.assembly import assemble
from tracepact.data.events import Durations, Event, EventTable
from tracepact.data.family import Family, Mode, Side
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Contract

CONTRACT = parse_contract("contract c\nstep 20ms\nclause g on ref_onset : ref_onset -> N[40ms] pred_onset\n")


def table(name: str, **clips: list[tuple[str, str, str]]) -> EventTable:
    """Events by clip, rows numbered from two as in a file with a header."""
    row, found = 2, {}
    for clip, rows in clips.items():
        listed = []
        for onset, offset, label in rows:
            listed.append(Event(Fraction(onset), Fraction(offset), label, row))
            row += 1
        found[clip] = tuple(listed)
    return EventTable(name, found)


def put(
    ref: EventTable, pred: EventTable, duration: str = "1", contract: Contract = CONTRACT, **options: Any
) -> tuple[Family | None, list[tuple[str, Any]]]:
    """The family, if there is one, and code and row of every finding."""
    diagnostics = Diagnostics()
    family = None
    options.setdefault("durations", Fraction(duration))
    try:
        family = assemble(contract, ref, pred, diagnostics=diagnostics, **options)
    except InvalidInput:
        assert diagnostics.errors
    return family, [(d.code, getattr(d.place, "row", None)) for d in diagnostics]


GOOD = table("ref", a=[("0.1", "0.5", "x")])


def test_sound_data_gives_no_finding() -> None:
    family, found = put(GOOD, GOOD)
    assert found == []
    assert family is not None
    assert family.runs[Side.REF] == {0: ((5, 25),)}
    assert (family.clips, family.frames, family.classes) == (("a",), (50,), ("x",))


@pytest.mark.parametrize(
    ("events", "code"),
    [
        ([("0.5", "0.1", "x")], "offset-before-onset"),
        ([("-0.1", "0.5", "x")], "bad-time"),
        ([("1", "1.5", "x")], "starts-outside-clip"),
        ([("7", "8", "x")], "starts-outside-clip"),
    ],
)
def test_impossible_events_are_errors_with_their_row(events: list[tuple[str, str, str]], code: str) -> None:
    for ref, pred in ((table("ref", a=events), GOOD), (GOOD, table("pred", a=events))):
        family, found = put(ref, pred)
        assert family is None
        assert (code, 2) in found


def test_errors_of_both_sides_come_together() -> None:
    bad = [("0.5", "0.1", "x"), ("2", "3", "x")]
    _, found = put(table("ref", a=bad), table("pred", a=bad))
    assert [code for code, _ in found] == ["offset-before-onset", "starts-outside-clip"] * 2


@pytest.mark.parametrize(
    ("events", "code", "runs"),
    [
        ([("0.5", "1.2", "x")], "offset-beyond-clip", ((25, 50),)),
        ([("0.1", "0.3", "x"), ("0.1", "0.3", "x")], "duplicate-row", ((5, 15),)),
        ([("0.1", "0.3", "x"), ("0.2", "0.5", "x")], "joined-events", ((5, 25),)),
        ([("0.1", "0.3", "x"), ("0.3", "0.5", "x")], "joined-events", ((5, 25),)),
        ([("0.1", "0.3", "x"), ("0.305", "0.5", "x")], "joined-events", ((5, 25),)),  # apart, but not on the grid
        ([("0.1", "0.3", "x"), ("0.511", "0.519", "x")], "vanished-event", ((5, 15),)),
        ([("0.1", "0.3", "x"), ("0.5", "0.5", "x")], "vanished-event", ((5, 15),)),
    ],
)
def test_odd_events_are_warnings_with_their_row(
    events: list[tuple[str, str, str]], code: str, runs: tuple[tuple[int, int], ...]
) -> None:
    family, found = put(table("ref", a=events), GOOD)
    assert found == [(code, 1 + len(events))]
    assert family is not None
    assert family.runs[Side.REF][0] == runs


def test_overlapping_events_of_two_labels_are_no_oddity_even_in_union() -> None:
    both = table("ref", a=[("0.1", "0.5", "x"), ("0.3", "0.7", "y")])
    family, found = put(both, both, mode=Mode.UNION)
    assert found == []
    assert family is not None
    assert family.runs[Side.REF][0] == ((5, 35),)


def test_a_prediction_on_an_unknown_clip_is_an_error() -> None:
    family, found = put(GOOD, table("pred", a=[], b=[("0.1", "0.2", "x")]))
    assert family is None
    assert found == [("unknown-clip", 2)]


def test_a_clip_that_only_the_durations_know_is_a_silent_clip() -> None:
    durations = Durations("d", {"a": Fraction(1), "b": Fraction(2)})
    family, found = put(GOOD, table("pred", a=[], b=[("0.1", "0.2", "x")]), durations=durations)
    assert found == []
    assert family is not None
    assert (family.clips, family.frames) == (("a", "b"), (50, 100))


def test_a_clip_without_duration_is_an_error() -> None:
    assert put(GOOD, GOOD, durations=None)[1] == [("unknown-duration", None)]
    durations = Durations("d", {"b": Fraction(1)})
    assert [code for code, _ in put(GOOD, GOOD, durations=durations)[1]] == ["unknown-duration"]


def test_labels_and_clips_of_one_side_only_are_warnings() -> None:
    ref = table("ref", a=[("0.1", "0.5", "x")], b=[("0.1", "0.5", "y")])
    pred = table("pred", a=[("0.1", "0.5", "z")])
    codes = [code for code, _ in put(ref, pred)[1]]
    assert codes == ["one-sided-label"] * 3 + ["clip-without-predictions"]


def test_a_label_outside_the_declared_set_is_an_error() -> None:
    contract = parse_contract(CONTRACT.source.text + "labels x y\n")
    assert put(GOOD, table("pred", a=[("0.1", "0.5", "z")]), contract=contract)[1][0] == ("unknown-label", 2)
    family, _ = put(GOOD, GOOD, contract=contract)
    assert family is not None
    assert family.classes == ("x", "y")


def test_a_window_longer_than_a_clip_is_a_warning() -> None:
    _, found = put(table("ref", a=[("0.0", "0.02", "x")]), table("pred", a=[("0.0", "0.02", "x")]), "0.02")
    assert [code for code, _ in found] == ["window-beyond-trace"]


def test_comparing_classes_needs_class_indexed_scoring() -> None:
    contract = parse_contract("contract c\nstep 20ms\nclause g on pred_active : !other_ref_active\n")
    assert put(GOOD, GOOD, contract=contract, mode=Mode.UNION)[1] == [("needs-classes", None)]


def test_ignored_frames_are_those_whose_centre_is_inside() -> None:
    ref = table("ref", a=[("0.1", "0.5", "x"), ("0.1", "0.5", "y")])
    regions = table("ignore", a=[("0.11", "0.15", ""), ("0.41", "0.43", "y")])
    family, found = put(ref, ref, ignore=regions)
    assert found == []
    assert family is not None
    # centres at 0.11, 0.13 (in), 0.15 (out); for y also 0.41 (in), 0.43 (out)
    assert family.ignored == {0: ((5, 7),), 1: ((5, 7), (20, 21))}


def test_an_ignore_region_for_nothing_is_said() -> None:
    regions = table("ignore", b=[("0.1", "0.2", "")], a=[("0.1", "0.2", "dog")])
    assert put(GOOD, GOOD, ignore=regions)[1] == [("unused-ignore", 2), ("unused-ignore", 3)]


def test_masks_must_be_declared_supplied_and_of_the_right_length() -> None:
    contract = parse_contract(CONTRACT.source.text + "atom zone\nclause z on zone : ref_active\n")
    assert put(GOOD, GOOD, contract=contract)[1] == [("missing-mask", None)]
    assert put(GOOD, GOOD, contract=contract, masks={"zone": {}})[1] == [("wrong-mask", None)]
    assert put(GOOD, GOOD, contract=contract, masks={"zone": {"a": [True] * 49}})[1] == [("wrong-mask", None)]
    assert put(GOOD, GOOD, masks={"zone": {"a": [True] * 50}})[1] == [("wrong-mask", None)]
    assert put(GOOD, GOOD, contract=contract, masks={"zone": {"a": 1 << 50}})[1] == [("wrong-mask", None)]
    family, found = put(GOOD, GOOD, contract=contract, masks={"zone": {"a": 0b110}})
    assert found == []
    assert family is not None
    assert family.masks == {"zone": {0: ((1, 3),)}}


def test_more_frames_than_memory_holds_are_refused() -> None:
    assert put(GOOD, GOOD, "1e12")[1] == [("too-many-frames", None)]


def test_a_label_that_is_nearly_declared_is_offered(tmp_path: Path) -> None:
    text = "contract c\nstep 20ms\nlabels speach door\nclause a on ref_onset : pred_onset\n"
    write(tmp_path, {"c.contract": text, "ref.tsv": events("a 1 2 speech"), "pred.tsv": events("a 1 2 knock")})
    outcome = run("score", "c.contract", "--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "5", folder=tmp_path)
    helps = [line for line in outcome.err.splitlines() if "= help:" in line]
    assert ["did you mean `speach`?" in line for line in helps] == [True, False]
