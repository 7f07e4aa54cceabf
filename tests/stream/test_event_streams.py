"""Event clauses in streams: the offline verdicts, out when the component of match candidates has closed."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

from stream.builders import cuts, saved_and_restored
from tracepact import Contract, load_contract, parse_contract
from tracepact.data.family import Family, Mode, Side
from tracepact.evaluate.event_clauses import EventViolation
from tracepact.evaluate.scorecard import score_family
from tracepact.language.explanation import explain_contract
from tracepact.language.formula import FrameRun, join_runs, runs_of_frames
from tracepact.stream import EventVerdict, StreamMonitor, save_state

Channel = tuple[list[bool], list[bool], list[bool]]
"""The frames of the reference, the prediction and the ignored ones."""


def contract_of(*, gap: int = 0, search: int = 2, matcher: str = "greedy") -> Contract:
    """Event clauses of every kind, with a gap and a search in frames of one second."""
    return parse_contract(f"""contract events
step 1s
merge_gap {gap}s
matcher {matcher}(search = {search}s, overlap_reward = 0.5)
clause refs  on each ref     : matched and covering <= 1 and longest_gap <= 1s
clause preds on each pred    : purity >= 0.5 and dominant
clause pairs on each matched : abs(pred.duration - ref.duration) <= 0.25 * ref.duration and ref.coverage >= 0.5
""")


contracts = st.builds(
    contract_of, gap=st.integers(0, 3), search=st.integers(0, 5), matcher=st.sampled_from(["greedy", "optimal"])
)


def lasting(frames: int) -> st.SearchStrategy[list[bool]]:
    """Frames in runs, so that intervals are long enough to bridge one another."""
    lengths = st.lists(st.integers(1, 6), min_size=1, max_size=frames)

    def spell(lengths: list[int], first: bool) -> list[bool]:
        found: list[bool] = []
        for i, length in enumerate(lengths):
            found += [first ^ bool(i % 2)] * length
        return (found + [False] * frames)[:frames]

    return st.builds(spell, lengths, st.booleans())


def channels(frames: int) -> st.SearchStrategy[Channel]:
    quiet = st.just([False] * frames)
    return st.tuples(lasting(frames), lasting(frames), st.one_of(quiet, lasting(frames)))


def family_of(contract: Contract, some: list[Channel], classes: int) -> Family:
    """One clip a stream; channel `class · streams + stream`."""
    streams = len(some) // classes
    runs = [
        {channel: runs_of_frames(sides[side]) for channel, sides in enumerate(some) if any(sides[side])}
        for side in range(3)
    ]
    return Family(
        contract.step,
        Mode.CLASS_INDEXED,
        tuple(f"s{i}" for i in range(streams)),
        tuple(len(some[i][0]) for i in range(streams)),
        tuple(f"k{i}" for i in range(classes)),
        {Side.REF: runs[0], Side.PRED: runs[1]},
        runs[2],
        {},
    )


def closing_frames(contract: Contract, sides: Channel) -> dict[tuple[int, FrameRun], int]:
    """For every run, by side, the frame whose arrival closes its component: rule 12.6 written out, prefix by prefix."""
    gap, search = int(contract.merge_gap), int(contract.matcher.search)
    frames = len(sides[0])
    found: dict[tuple[int, FrameRun], int] = {}
    for n in range(1, frames + 1):
        nodes = [
            (side, run)
            for side in (0, 1)
            for run in join_runs(runs_of_frames(sides[side][:n]), contract.merge_gap, contract.step)
        ]
        is_final = {(side, run): n == frames or n - run[1] > gap for side, run in nodes}
        group = {node: {node} for node in nodes}
        for ref, pred in product([x for x in nodes if x[0] == 0], [x for x in nodes if x[0] == 1]):
            (a, b), (c, d) = ref[1], pred[1]
            if max(a, c) >= min(b, d):
                continue
            finals = is_final[ref], is_final[pred]
            may_match = (
                abs(a - c) <= search
                or (all(finals) and abs(b - d) <= search)
                or not any(finals)
                or (finals == (True, False) and d - b <= search)
                or (finals == (False, True) and b - d <= search)
            )
            if may_match and group[ref] is not group[pred]:
                group[ref] |= group[pred]
                for node in group[pred]:
                    group[node] = group[ref]
        for node in nodes:
            if all(is_final[other] for other in group[node]):
                found.setdefault(node, n - 1)
    return found


def run(contract: Contract, some: list[Channel], classes: int, at: list[int], save: bool) -> tuple[StreamMonitor, list]:  # type: ignore[type-arg]
    """Push all channels in chunks; every stream ends after its own frames."""
    streams = [f"s{i}" for i in range(len(some) // classes)]
    lengths = [len(some[i][0]) for i in range(len(streams))]
    longest = max(lengths)
    monitor = StreamMonitor(contract, streams=streams, classes=[f"k{i}" for i in range(classes)], ignoring=True)
    judged: list[EventVerdict] = []
    for start, end in pairwise(sorted({*at, *lengths})):
        judged += monitor.end(*(name for name, n in zip(streams, lengths, strict=True) if n == start)).judged
        if save:
            monitor = saved_and_restored(monitor)
        ref, pred, ignore = (
            np.array([(sides[side] + [True] * longest)[start:end] for sides in some], dtype=np.bool_).T
            for side in range(3)
        )
        judged += monitor.push({"ref_active": ref, "pred_active": pred}, ignore=ignore).judged
    judged += monitor.close().judged
    return monitor, judged


@given(contracts, st.integers(1, 2), st.integers(1, 2), st.data())
@settings(max_examples=sized(100))
def test_a_stream_judges_as_the_whole_trace_when_the_component_closes(
    contract: Contract, streams: int, classes: int, data: st.DataObject
) -> None:
    lengths = [data.draw(st.integers(1, 30)) for _ in range(streams)]
    some = [data.draw(channels(lengths[channel % streams])) for channel in range(streams * classes)]
    monitor, judged = run(contract, some, classes, data.draw(cuts(max(lengths))), data.draw(st.booleans()))
    card = score_family(contract, family_of(contract, some, classes))
    for clause in contract.event_clauses:
        offline = card.event_clause(clause.name)
        counts, wanted = monitor.counts(clause.name), card.counts[clause.name]
        assert counts.satisfied.tolist() == wanted.satisfied.tolist()
        assert counts.obligated.tolist() == wanted.obligated.tolist()
        assert counts.counter.tolist() == wanted.counter.tolist()
        found = [v.violation for v in judged if v.clause is clause and v.violation is not None]
        assert sorted(found, key=place) == sorted(offline.violations, key=place)
        assert sum(v.clause is clause for v in judged) == offline.obligated.sum()
    closing = [closing_frames(contract, sides) for sides in some]
    for v in judged:
        assert v.out == closing[v.channel][int(v.clause.each.value == "pred"), v.interval]
        assert v.delay == v.out - (v.interval[1] - 1)


@given(contracts, channels(40))
@settings(max_examples=sized(60))
def test_truth_values_frame_by_frame_judge_as_chunks_do(contract: Contract, sides: Channel) -> None:
    chunked, single = StreamMonitor(contract), StreamMonitor(contract)
    wanted = chunked.push({"ref_active": sides[0], "pred_active": sides[1]}).judged
    found = [
        v for r, p in zip(*sides[:2], strict=True) for v in single.push({"ref_active": r, "pred_active": p}).judged
    ]
    assert (found, single.close().judged) == (list(wanted), chunked.close().judged)


def place(violation: EventViolation) -> tuple[int, FrameRun]:
    return violation.segment, violation.interval


@pytest.mark.slow
@pytest.mark.parametrize("matcher", ["greedy", "optimal"])
@pytest.mark.parametrize("gap", [0, 1])
def test_every_continuation_agrees_with_a_judged_interval(matcher: str, gap: int) -> None:
    """By enumeration: all pairs of masks of 4 frames, all continuations by 2 frames."""
    contract = contract_of(gap=gap, search=1, matcher=matcher)
    values = list(product((False, True), repeat=4))
    longer = list(product((False, True), repeat=2))
    checked = 0
    for ref, pred in product(values, values):
        monitor = StreamMonitor(contract)
        judged = monitor.push({"ref_active": list(ref), "pred_active": list(pred)}).judged
        if not judged:
            continue
        checked += 1
        for more_ref, more_pred in product(longer, longer):
            sides = ([*ref, *more_ref], [*pred, *more_pred], [False] * 6)
            card = score_family(contract, family_of(contract, [sides], 1))
            for v in judged:
                violated = {w.interval for w in card.event_clause(v.clause.name).violations}
                assert v.satisfied == (v.interval not in violated)
                if v.partner is not None:
                    pair = (v.partner, v.interval) if v.clause.name == "preds" else (v.interval, v.partner)
                    assert pair in [(m.ref, m.pred) for m in card.events.matches]
    assert checked > 20


def test_a_later_event_may_change_the_match_so_the_verdict_waits() -> None:
    """The reference ends at 10; the prediction that started with it goes on to 30: judged when that one has ended."""
    contract = contract_of(search=2)
    ref = [1] * 10 + [0] * 30
    pred = [1] * 30 + [0] * 10
    monitor = StreamMonitor(contract)
    outs = []
    for r, p in zip(ref, pred, strict=True):
        outs += [(v.clause.name, v.out, v.delay) for v in monitor.push({"ref_active": r, "pred_active": p}).judged]
    assert outs == [("refs", 30, 21), ("preds", 30, 1), ("pairs", 30, 21)]


def test_an_interval_is_judged_once_nothing_open_can_end_near_it() -> None:
    """The prediction starts 5 frames late, beyond the search of 2: once 3 frames past the end, it is no match."""
    monitor = StreamMonitor(contract_of(search=2))
    ref = [1] * 10 + [0] * 10
    pred = [0] * 5 + [1] * 15
    (first, *_) = monitor.push({"ref_active": ref, "pred_active": pred}).judged
    assert (first.clause.name, first.interval, first.partner, first.out) == ("refs", (0, 10), None, 12)


def test_a_run_that_goes_on_after_a_gap_may_settle_another_at_once() -> None:
    """The prediction pauses at 13, within reach of the end at 10; going on at 17 it can no longer end there."""
    monitor = StreamMonitor(contract_of(search=3, gap=5))
    ref = [1] * 10 + [0] * 20
    pred = [0] * 5 + [1] * 8 + [0] * 4 + [1] * 13
    (first, *_) = monitor.push({"ref_active": ref, "pred_active": pred}).judged
    assert (first.clause.name, first.interval, first.out) == ("refs", (0, 10), 17)


def test_runs_are_forgotten_when_nobody_needs_them() -> None:
    contract = contract_of(search=2, gap=1)
    monitor = StreamMonitor(contract, ignoring=True)
    generator = np.random.default_rng(2)
    most = 0
    for _ in range(200):
        frames = {name: np.repeat(generator.random(10) < 0.4, 5) for name in ("ref_active", "pred_active")}
        monitor.push(frames, ignore=generator.random(50) < 0.5)
        assert monitor.events is not None
        most = max(most, sum(len(side.runs) for side in monitor.events.sides[0]))
    assert most < 60
    assert monitor.events is not None
    assert int(monitor.score("refs").obligated) > 100


def test_an_hour_of_fragments_inside_one_reference_is_judged_as_it_goes() -> None:
    """Short predictions far from both ends of an open reference settle alone; it is judged at its end, over all."""
    contract = contract_of(search=2)
    frames = 3000
    pred = np.arange(frames) % 4 < 2
    pred[:4] = False
    monitor = StreamMonitor(contract)
    outs = [v.out for v in monitor.push({"ref_active": np.ones(frames, dtype=bool), "pred_active": pred}).judged]
    assert len(outs) > 700
    last = monitor.close().judged
    assert [v.clause.name for v in last if v.interval == (0, frames)] == ["refs", "pairs"]


GAPS = """contract gaps
step 1s
merge_gap {gap}s
matcher optimal(search = {search}s, overlap_reward = 0.5)
clause longest  on each ref     : longest_gap <= 3s and coverage >= 0.4
clause shortest on each ref     : shortest_gap >= 2s
clause covering on each pred    : covering <= 2 and dominant and purity >= 0.3
clause pairs    on each matched : ref.covering <= 4 and pred.coverage >= 0.5
"""


def flickering(frames: int) -> st.SearchStrategy[Channel]:
    """A side that goes on and on, the other in pieces, some of them ignored: many are judged while one waits."""

    def spell(lengths: list[int], first: bool) -> list[bool]:
        found = [first ^ bool(i % 2) for i, length in enumerate(lengths) for _ in range(length)]
        return (found + [first] * frames)[:frames]

    long = st.builds(spell, st.lists(st.integers(1, frames), max_size=4), st.booleans())
    short = st.builds(spell, st.lists(st.integers(1, 4), min_size=frames // 3, max_size=frames), st.booleans())
    quiet = st.just([False] * frames)
    return st.tuples(long, short, st.one_of(quiet, short)) | st.tuples(short, long, st.one_of(quiet, short))


@given(st.integers(0, 2), st.integers(0, 3), st.integers(1, 2), st.booleans(), st.data())
@settings(max_examples=sized(100))
def test_what_was_judged_inside_an_open_run_is_kept_as_blocks_and_changes_no_verdict(
    gap: int, search: int, classes: int, save: bool, data: st.DataObject
) -> None:
    contract = parse_contract(GAPS.format(gap=gap, search=search))
    frames = data.draw(st.integers(20, 60))
    some = [data.draw(flickering(frames)) for _ in range(classes)]
    monitor, judged = run(contract, some, classes, data.draw(cuts(frames)), save)
    card = score_family(contract, family_of(contract, some, classes))
    for clause in contract.event_clauses:
        counts, wanted = monitor.counts(clause.name), card.counts[clause.name]
        assert counts.satisfied.tolist() == wanted.satisfied.tolist()
        assert counts.obligated.tolist() == wanted.obligated.tolist()
        found = [v.violation for v in judged if v.clause is clause and v.violation is not None]
        assert sorted(found, key=place) == sorted(card.event_clause(clause.name).violations, key=place)


def test_an_open_run_does_not_grow_the_state() -> None:
    """A reference of twenty thousand frames, a prediction in pieces of two frames, an ignored frame in ten."""
    contract = parse_contract(GAPS.format(gap=0, search=2))
    monitor = StreamMonitor(contract, ignoring=True)
    frames = 1000
    chunk = {"ref_active": np.ones(frames, dtype=bool), "pred_active": np.arange(frames) % 4 < 2}
    sizes = []
    for _ in range(20):
        monitor.push(chunk, ignore=np.arange(frames) % 10 == 0)
        state = save_state(monitor)
        sizes.append(sum(len(runs) for runs in state["events"]["runs"][0]["blocks"].values()))
        sizes[-1] += sum(len(state["events"]["runs"][0][side]) for side in ("ref", "pred", "ignored"))
    assert max(sizes[1:]) <= 8
    last = [v for v in monitor.close().judged if v.interval == (0, 20 * frames)]
    # 5,000 pieces of two frames, two frames apart: half of the reference, the longest and the shortest gap 2 s.
    assert [(v.clause.name, v.satisfied) for v in last] == [("longest", True), ("shortest", True), ("pairs", False)]
    assert last[2].violation is not None
    assert last[2].violation.comparison is not None
    assert last[2].violation.comparison.left == 5_000


def test_explain_says_that_the_contract_bounds_neither_delay_nor_memory() -> None:
    rows = explain_contract(load_contract("boundary_gate")).clauses
    notes = {row.clause: getattr(row, "note", "") for row in rows}
    assert "bounds neither delay nor memory" in notes["duration_guard"]
    assert not notes["onset_guard"]
