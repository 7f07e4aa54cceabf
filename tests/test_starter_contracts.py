"""The starter contracts: canonical, without a finding, kept by a perfect prediction, and each clause can fail."""

from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracepact import Aggregation, Contract, Mode, Run, load_contract, override, score, starter_contracts
from tracepact.diagnostics.collection import Diagnostics
from tracepact.language.compilation import compile_source, read_source
from tracepact.language.printer import format_document
from tracepact.language.reader import read_document

NAMES = (
    "acoustic_front_end",
    "bio_points",
    "boundary_gate",
    "neural_alignment",
    "retrieval_segmenter",
    "sed_challenge",
    "speech_gate",
)
Side = list[tuple[str, str, str]]


def text_of(name: str) -> str:
    return starter_contracts()[name].read_text(encoding="utf-8")


def pooled(run: Run, clause: str) -> tuple[int, int]:
    found = run.card.score(clause, Aggregation.POOLED)
    return found.satisfied, found.obligated


def events(spec: str) -> Side:
    """`a 1 2, b 3 4.5`: label, onset and offset of each event."""
    rows = [row.split() for row in spec.split(",") if row.strip()]
    return [(onset, offset, label) for label, onset, offset in rows]


def scored(name: str, duration: str, ref: str, pred: str) -> Run:
    return score(starter_contracts()[name], {"clip": events(ref)}, {"clip": events(pred)}, durations=duration)


def test_the_starter_contracts_are_these() -> None:
    assert tuple(starter_contracts()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_starter_contract_is_canonical_and_checks_without_a_finding(name: str) -> None:
    diagnostics = Diagnostics()
    source = read_source(starter_contracts()[name], diagnostics)
    assert source is not None
    assert format_document(read_document(source, diagnostics), source) == source.text
    contract = compile_source(source, diagnostics)
    assert not list(diagnostics)
    assert contract is not None
    assert contract.name == name == Path(source.name).stem


@pytest.mark.parametrize("name", NAMES)
def test_a_starter_contract_says_why(name: str) -> None:
    lines = text_of(name).splitlines()
    assert lines[0].startswith("#")
    groups = [
        before
        for before, line in pairwise(lines)
        if line.split(" ")[0] in ("clause", "profile") and before.split(" ")[0] != line.split(" ")[0]
    ]
    assert len(groups) >= 2
    assert all(before.startswith("#") for before in groups)


@pytest.mark.parametrize("name", NAMES)
def test_a_starter_contract_has_profiles_and_a_sweep_through_its_own_value(name: str) -> None:
    contract = load_contract(starter_contracts()[name])
    own = {parameter.name: parameter.text for parameter in contract.parameters}
    assert contract.profiles
    assert contract.sweeps
    for sweep in contract.sweeps:
        assert own[sweep.parameter] in sweep.values


# A perfect prediction


@st.composite
def references(draw: st.DrawFn) -> tuple[int, dict[str, list[tuple[int, int]]]]:
    """A number of frames and the events of two labels, often from the first frame or to the last one."""
    frames = draw(st.integers(1, 160))
    sides = {}
    for label in ("a", "b"):
        edges = draw(st.sets(st.integers(0, frames), max_size=12))
        edges |= draw(st.sampled_from([set(), {0}, {frames}, {0, frames}]))
        ordered = sorted(edges)
        sides[label] = list(zip(ordered[::2], ordered[1::2], strict=False))
    return frames, sides


@cache
def variants(name: str) -> tuple[Contract, ...]:
    """A starter contract, and what it is at each value of its sweeps."""
    contract = load_contract(starter_contracts()[name])
    swept = [override(contract, {sweep.parameter: value}) for sweep in contract.sweeps for value in sweep.values]
    return contract, *swept


def perfect(contract: Contract, frames: int, sides: dict[str, list[tuple[int, int]]], mode: Mode) -> Run:
    """The reference scored against itself."""
    step = contract.step
    side = {"clip": [(s * step, e * step, label) for label, runs in sides.items() for s, e in runs], "silent": []}
    return score(contract, side, side, durations=frames * step, mode=mode)


@pytest.mark.parametrize("name", NAMES)
@given(drawn=references(), union=st.booleans(), data=st.data())
def test_a_perfect_prediction_satisfies_every_clause(
    name: str, drawn: tuple[int, dict[str, list[tuple[int, int]]]], union: bool, data: st.DataObject
) -> None:
    contract = data.draw(st.sampled_from(variants(name)))
    run = perfect(contract, *drawn, Mode.UNION if union and name != "sed_challenge" else Mode.CLASS_INDEXED)
    for clause, counts in run.card.counts.items():
        assert (counts.satisfied == counts.obligated).all(), clause
    for aggregation in Aggregation:
        vector = run.card.vector(aggregation)
        assert {clause: value.value for clause, value in vector.items()} == dict.fromkeys(vector, Fraction(1))


@pytest.mark.parametrize("name", NAMES)
def test_a_perfect_prediction_has_obligations_in_every_clause(name: str) -> None:
    # `a` touches both ends of the clip, `b` overlaps it, and there is silence after it and time behind it.
    sides = {"a": [(0, 40), (100, 130), (960, 1000)], "b": [(110, 200), (400, 450)]}
    for contract in variants(name):
        scores = perfect(contract, 1000, sides, Mode.CLASS_INDEXED).card.vector(Aggregation.POOLED)
        assert {clause: (s.value, s.vacuous) for clause, s in scores.items()} == dict.fromkeys(
            scores, (Fraction(1), False)
        )


# A failure of each clause, by hand. Frames of a run [s, e) are s to e-1, and its offset frame is e.

FAILURES: dict[str, dict[str, tuple[str, str, str, tuple[int, int]]]] = {
    # Step 20 ms, tol 2 frames, quiet 1 frame. The reference is frames 50 to 99.
    "boundary_gate": {
        # 3 frames late, 3 frames long.
        "onset_guard": ("4", "a 1 2", "a 1.06 2", (0, 1)),
        "offset_guard": ("4", "a 1 2", "a 1 2.06", (0, 1)),
        # The prediction ends with frame 74, so support reaches to frame 76.
        "missing_guard": ("4", "a 1 2", "a 1 1.5", (27, 50)),
        # 60 predicted frames, 50 to 109; the reference reaches to frame 101 and 100.
        "spurious_guard": ("4", "a 1 2", "a 1 2.2", (52, 60)),
        "silence_guard": ("4", "a 1 2", "a 1 2.2", (51, 60)),
        # 0.3 s too short, and a quarter of the reference is 0.25 s.
        "duration_guard": ("4", "a 1 2", "a 1 1.7", (0, 1)),
        "fragmentation_guard": ("4", "a 1 2", "a 1 1.4, a 1.6 2", (0, 1)),
    },
    # Step 10 ms, buffer 150 frames, one frame a timestamp.
    "bio_points": {
        # The first call is at 2 s, its detection 1.51 s later; the second is 1.49 s before it and found.
        "found": ("20", "a 2 2.01, a 5 5.01", "a 3.51 3.52", (1, 2)),
        # The detection at 12 s is near no call.
        "caused": ("20", "a 2 2.01", "a 2 2.01, a 12 12.01", (1, 2)),
    },
    # Step 10 ms, cut 2 frames, edge 10, lead 20, hangover 30. The reference is frames 100 to 199.
    "speech_gate": {
        # The beginning is frames 100 to 110; open from 105, so 103 is the first that sees it 2 frames ahead.
        "beginning_kept": ("4", "a 1 2", "a 1.05 2", (8, 11)),
        # The ending is frames 190 to 199; open up to 194, so 196 is the last that sees it 2 frames back.
        "ending_kept": ("4", "a 1 2", "a 1 1.95", (7, 10)),
        # Open up to 149, seen up to 151.
        "speech_passed": ("4", "a 1 2", "a 1 1.5", (52, 100)),
        # A gap of 150 ms is not longer than the bridge.
        "no_chatter": ("4", "a 1 2", "a 1 1.4, a 1.55 2", (0, 1)),
        # The offset is frame 200; the gate is open up to 239 and should be shut by 230.
        "hangover_bounded": ("4", "a 1 2", "a 1 2.4", (0, 1)),
        # 140 open frames, 100 to 239, of which 229 is the last within 30 of frame 199.
        "open_for_speech": ("4", "a 1 2", "a 1 2.4", (130, 140)),
        # The opening at frame 50 sees frames 50 to 70, without speech.
        "opening_justified": ("4", "a 1 2", "a 0.5 0.6, a 1 2", (1, 2)),
    },
    # Step 20 ms, times as in the tables; gaps of 200 ms are not joined (pause is 100 ms).
    "retrieval_segmenter": {
        # 0.8 s shared of 2 s in either: 0.4, below 0.5.
        "found": ("10", "a 2 4", "a 2 2.8", (0, 1)),
        "relevant": ("10", "a 2 4", "a 2 4, a 6 7", (1, 2)),
        # 1.6 s of 2 s: 0.8, below 0.9.
        "indexed": ("10", "a 2 4", "a 2 3.6", (0, 1)),
        # The pieces cover 1.8 s of 2 s, exactly 0.9, but each of them 0.9 s.
        "cut_whole": ("10", "a 2 4", "a 2 2.9, a 3.1 4", (0, 1)),
        # 2 s shared of 3 s predicted, and 0.75 of 3 s is 2.25 s.
        "cut_lean": ("10", "a 2 4", "a 2 5", (0, 1)),
        # 100 ms late where 60 ms are allowed.
        "starts_well": ("10", "a 2 4", "a 2.1 4", (0, 1)),
        "one_piece": ("10", "a 2 4", "a 2 2.9, a 3.1 4", (0, 1)),
        "one_event": ("10", "a 2 3, a 4 5", "a 2 5", (0, 1)),
    },
    # Step 1 ms, early 1 frame, late 5, jitter 3. The reference is frames 200 to 299.
    "neural_alignment": {
        # 6 ms late.
        "onset_locked": ("1", "a 0.2 0.3", "a 0.206 0.3", (0, 1)),
        # The second onset is no stimulus; its prediction has no partner to compare with.
        "onset_real": ("1", "a 0.2 0.3", "a 0.2 0.3, a 0.5 0.6", (1, 2)),
        # 2 ms early.
        "offset_locked": ("1", "a 0.2 0.3", "a 0.2 0.298", (0, 1)),
        "offset_real": ("1", "a 0.2 0.3", "a 0.2 0.3, a 0.5 0.6", (1, 2)),
        "not_early": ("1", "a 0.2 0.3", "a 0.198 0.3", (0, 1)),
        "not_late": ("1", "a 0.2 0.3", "a 0.206 0.306", (0, 1)),
        # 4 ms longer.
        "no_jitter": ("1", "a 0.2 0.3", "a 0.2 0.304", (0, 1)),
        "one_trial": ("1", "a 0.2 0.3", "a 0.2 0.24, a 0.26 0.3", (0, 1)),
        # The hole is frames 240 to 259, and neither edge (200, 300) is near.
        "time_course": ("1", "a 0.2 0.3", "a 0.2 0.24, a 0.26 0.3", (80, 100)),
    },
    # Step 20 ms, tol 5 frames. `a` is frames 100 to 199.
    "sed_challenge": {
        # 300 ms, and the collar is 200 ms.
        "onset_in_collar": ("10", "a 2 4", "a 2.3 4", (0, 1)),
        # 500 ms, and a fifth of 2 s is 400 ms.
        "offset_in_collar": ("10", "a 2 4", "a 2 4.5", (0, 1)),
        "event_claimed": ("10", "a 2 4", "a 2 4, a 6 7", (1, 2)),
        # Predicted up to 149, near up to 154.
        "alone_heard": ("10", "a 2 4", "a 2 3", (55, 100)),
        # Both classes sound in frames 150 to 199; `b` has all of them, `a` those up to 154.
        "overlap_heard": ("10", "a 2 4, b 3 4", "a 2 3, b 3 4", (55, 100)),
        # 100 frames right, 50 from nowhere.
        "nothing_invented": ("10", "a 2 4", "a 2 4, a 6 7", (100, 150)),
        # `a` is predicted on the 50 frames of `b`, 300 to 349; no frame of `b` is predicted on `a`.
        "nothing_confused": ("10", "a 2 4, b 6 7", "a 2 4, a 6 7, b 6 7", (0, 50)),
        # 2 s of 4 s.
        "overlap_purity": ("10", "a 2 4", "a 2 6", (0, 1)),
        # The prediction of `a` has 1 s of its own and 3 s of `b`; that of `b` nothing but its own.
        "own_class_rules": ("10", "a 2 3, b 3 6", "a 2 6, b 3 6", (1, 2)),
        "one_piece": ("10", "a 2 4", "a 2 2.8, a 3.2 4", (0, 1)),
    },
    # Step 10 ms, prompt 15 frames, buffer 50, early 5, hold 30, release 40. The reference is frames 200 to 299.
    "acoustic_front_end": {
        # Awake from 220, wanted by 215; from 260, lost after 250.
        "wakes_promptly": ("6", "a 2 3", "a 2.2 3", (0, 1)),
        "wakes_before_loss": ("6", "a 2 3", "a 2.6 3", (0, 1)),
        # The first wake ends at 210 inside the event; the second, at 250, is awake for all of 250 to 280.
        "stays_awake": ("6", "a 2 3", "a 2 2.1, a 2.5 3", (1, 2)),
        # The wake at 50 sees no event up to 55.
        "wake_has_cause": ("6", "a 2 3", "a 0.5 0.6, a 2 3", (1, 2)),
        "one_wake": ("6", "a 2 3", "a 2 2.4, a 2.6 3", (0, 1)),
        # Quiet are frames 0 to 194 (5 ahead lies no event) and 340 to 599 (40 back lies none): 455, 50 of them awake.
        "asleep_in_quiet": ("6", "a 2 3", "a 2 3, a 5 5.5", (405, 455)),
        # The offset is frame 300; awake up to 349 and wanted asleep by 340.
        "releases": ("6", "a 2 3", "a 2 3.5", (0, 1)),
    },
}


def test_every_clause_of_every_starter_contract_has_a_failure() -> None:
    clauses = {name: [c.name for c in load_contract(path).clauses] for name, path in starter_contracts().items()}
    assert {name: sorted(found) for name, found in clauses.items()} == {n: sorted(f) for n, f in FAILURES.items()}


@pytest.mark.parametrize(("name", "clause"), [(name, clause) for name in FAILURES for clause in FAILURES[name]])
def test_a_clause_fails_where_it_should(name: str, clause: str) -> None:
    duration, ref, pred, counts = FAILURES[name][clause]
    assert counts[0] < counts[1]
    assert pooled(scored(name, duration, ref, pred), clause) == counts


@pytest.mark.parametrize(
    ("name", "clause", "duration", "ref", "pred", "counts"),
    [
        # Exactly at the bound of each window.
        ("bio_points", "found", "9", "a 2 2.01, a 5 5.01", "a 3.5 3.51", (2, 2)),
        ("bio_points", "caused", "9", "a 2 2.01", "a 0.5 0.51, a 3.5 3.51", (2, 2)),
        ("speech_gate", "beginning_kept", "4", "a 1 2", "a 1.02 2", (11, 11)),
        ("speech_gate", "ending_kept", "4", "a 1 2", "a 1 1.98", (10, 10)),
        ("speech_gate", "no_chatter", "4", "a 1 2", "a 1 1.4, a 1.56 2", (1, 1)),
        ("speech_gate", "hangover_bounded", "4", "a 1 2", "a 1 2.3", (1, 1)),
        ("speech_gate", "open_for_speech", "4", "a 1 2", "a 0.8 2.3", (150, 150)),
        ("speech_gate", "opening_justified", "4", "a 1 2", "a 0.8 2", (1, 1)),
        ("neural_alignment", "onset_locked", "1", "a 0.2 0.3", "a 0.205 0.3", (1, 1)),
        ("neural_alignment", "not_early", "1", "a 0.2 0.3", "a 0.199 0.3", (1, 1)),
        ("neural_alignment", "no_jitter", "1", "a 0.2 0.3", "a 0.206 0.306", (1, 1)),
        ("retrieval_segmenter", "indexed", "10", "a 2 4", "a 2 2.9, a 3.1 4", (1, 1)),
        ("retrieval_segmenter", "starts_well", "10", "a 2 4", "a 1.7 4", (1, 1)),
        ("sed_challenge", "offset_in_collar", "10", "a 2 4", "a 2 4.4", (1, 1)),
        ("acoustic_front_end", "wakes_before_loss", "6", "a 2 3", "a 2.5 3", (1, 1)),
        ("acoustic_front_end", "releases", "6", "a 2 3", "a 2 3.4", (1, 1)),
        # An early opening is no cut beginning, and a hangover that bridges a pause is none that is too long.
        ("speech_gate", "beginning_kept", "4", "a 1 2", "a 0.8 2", (11, 11)),
        ("speech_gate", "hangover_bounded", "4", "a 1 2, a 2.2 3", "a 1 3", (2, 2)),
        # A trigger that is awake from the event before wakes in time for the next, and did not wake twice.
        ("acoustic_front_end", "wakes_promptly", "6", "a 2 3, a 3.2 4", "a 2 4", (2, 2)),
        # A short event inside one of another class is its own, though not strictly dominant.
        ("sed_challenge", "own_class_rules", "10", "a 3 4, b 2 6", "a 3 4, b 2 6", (2, 2)),
    ],
)
def test_a_clause_holds_where_it_should(
    name: str, clause: str, duration: str, ref: str, pred: str, counts: tuple[int, int]
) -> None:
    assert pooled(scored(name, duration, ref, pred), clause) == counts


@pytest.mark.parametrize(("name", "clause"), [("speech_gate", "hangover_bounded"), ("acoustic_front_end", "releases")])
def test_a_late_release_is_not_judged_where_the_recording_stops_first(name: str, clause: str) -> None:
    # The recording ends 200 ms after the event; hangover and release are longer.
    found = scored(name, "2.2", "a 1 2", "a 1 2.2").card.score(clause)
    assert (found.obligated, found.vacuous) == (0, True)


def test_an_offset_at_the_end_of_an_epoch_is_judged_by_its_time() -> None:
    # The stimulus runs to the end of the epoch and has no offset frame; its detection ends 2 ms before.
    assert pooled(scored("neural_alignment", "1", "a 0.9 1", "a 0.9 0.998"), "offset_locked") == (0, 1)
    assert pooled(scored("neural_alignment", "1", "a 0.9 1", "a 0.9 0.999"), "offset_locked") == (1, 1)


def test_sed_challenge_counts_each_class_alike() -> None:
    # `a`: four events found; `b`: one event missed. By class (1 + 0) / 2, pooled 4/5.
    found = scored("sed_challenge", "10", "a 1 2, a 3 4, a 5 6, a 7 8, b 1 2", "a 1 2, a 3 4, a 5 6, a 7 8").card
    assert found.score("onset_in_collar").value == Fraction(1, 2)
    assert found.score("onset_in_collar", Aggregation.POOLED).value == Fraction(4, 5)
