"""Frame clauses in streams: the offline verdicts, each out exactly at its frame, whatever the chunks."""

import gc
import json
import tracemalloc
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import environments, formulas, sized

from stream.builders import Clauses, Log, contract_of, cuts, delay_of, located, pieces, saved_and_restored
from tracepact import InvalidInput, load_contract, parse_contract
from tracepact.evaluate.reference import truth
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Implies,
    Not,
    Since,
    Until,
    lookahead,
)
from tracepact.stream import StreamMonitor
from tracepact.stream.verdicts import FrameArrival
from tracepact.stream.window import EDGES

GIVEN = ("p", "q", "ref_active", "pred_active")
NAMES = ("p", "q", "ref_active", "ref_onset", "pred_offset")
some_clauses = st.lists(st.tuples(formulas(NAMES), formulas(NAMES)), min_size=1, max_size=3)


def with_edges(environment: dict[str, list[bool]]) -> dict[str, list[bool]]:
    """All atoms of one channel, rule 5.6 written out."""
    made = dict(environment)
    for name, active in EDGES.items():
        now = environment[active]
        before = [False, *now[:-1]]
        starts = name.endswith("onset")
        made[name] = [(n and not b) if starts else (b and not n) for n, b in zip(now, before, strict=True)]
    return made


def expected(clauses: Clauses, environment: dict[str, list[bool]], frames: int, channel: int = 0) -> dict:  # type: ignore[type-arg]
    """The verdicts of the naive semantics over the whole trace, and the frame that lets each out (rule 12.2)."""
    atoms = with_edges(environment)
    found = {}
    for number, (obligation, formula) in enumerate(clauses):
        delay = delay_of(obligation, formula)
        pairs = zip(truth(obligation, atoms, frames), truth(formula, atoms, frames), strict=True)
        for i, (obliged, holds) in enumerate(pairs):
            found[f"c{number}", i, channel] = obliged, holds, min(i + delay, frames - 1)
    return found


@given(some_clauses, environments(GIVEN, longest=24), st.data())
@settings(max_examples=sized(250))
def test_a_stream_gives_the_offline_verdicts_each_at_its_frame(
    clauses: Clauses, trace: tuple[int, dict[str, list[bool]]], data: st.DataObject
) -> None:
    frames, environment = trace
    monitor = StreamMonitor(contract_of(clauses))
    log = Log()
    at = data.draw(cuts(frames))
    for (start, end), chunk in zip(pairwise(at), pieces(environment, at), strict=True):
        arrival = monitor.push(chunk)
        assert arrival.frames == monitor.frames == end
        known = set(log.found)
        log.add(arrival)
        # Exactly the verdicts whose frame came with this chunk: not one earlier, not one later.
        for number, (obligation, formula) in enumerate(clauses):
            delay = delay_of(obligation, formula)
            due = {(f"c{number}", i, 0) for i in range(max(0, start - delay), max(0, end - delay))}
            assert {key for key in set(log.found) - known if key[0] == f"c{number}"} == due
    log.add(monitor.close(), closing=True)
    assert log.found == expected(clauses, environment, frames)
    assert all(out == frames - 1 for key, (_, _, out) in log.found.items() if log.closing[key])


@given(some_clauses, environments(GIVEN, shortest=6, longest=40), st.data())
@settings(max_examples=sized(200))
def test_frames_given_one_by_one_as_truth_values_get_the_same_verdicts(
    clauses: Clauses, trace: tuple[int, dict[str, list[bool]]], data: st.DataObject
) -> None:
    """The short way of a single frame, with chunks and restored states in between."""
    frames, environment = trace
    monitor = StreamMonitor(contract_of(clauses))
    log, violations, i = Log(), 0, 0
    kinds = data.draw(st.lists(st.sampled_from(["frame"] * 9 + ["chunk", "save"]), min_size=frames, max_size=frames))
    for kind in kinds:
        if kind == "save":
            monitor = saved_and_restored(monitor)
        end = min(frames, i + (3 if kind == "chunk" and monitor.window.inputs else 1))
        used = {name: environment[name][i:end] for name in monitor.window.inputs}
        arrival = monitor.push({name: values[0] if kind == "frame" else values for name, values in used.items()})
        log.add(arrival)
        violations += len(arrival.violations)
        i = end
        if i == frames:
            break
    last = monitor.close()
    log.add(last, closing=True)
    wanted = expected(clauses, environment, frames)
    assert log.found == wanted
    assert violations + len(last.violations) == sum(o and not h for o, h, _ in wanted.values())
    for number in range(len(clauses)):
        score = monitor.score(f"c{number}")
        mine = [(o, h) for key, (o, h, _) in wanted.items() if key[0] == f"c{number}"]
        assert (score.satisfied, score.obligated) == (sum(o and h for o, h in mine), sum(o for o, _ in mine))


def test_a_frame_of_truth_values_takes_the_short_way_unless_the_contract_is_too_long_for_it() -> None:
    near = contract_of([(Atom("p"), Eventually(-2, 2, Atom("q")))])
    far = contract_of([(Atom("p"), Since(40, Atom("q"), Atom("p")))])
    for contract, short in ((near, True), (far, False)):
        monitor = StreamMonitor(contract)
        arrivals = [monitor.push({"p": True, "q": False}) for _ in range(60)]
        assert isinstance(arrivals[-1], FrameArrival) == short
        assert not isinstance(arrivals[0], FrameArrival)
        assert not isinstance(monitor.push({"p": 1, "q": 0}), FrameArrival)
        assert monitor.frames == 61
    with pytest.raises(InvalidInput, match="no frames were given for `q`"):
        monitor.push({"p": True, "r": True})
    assert monitor.frames == 61


@given(some_clauses, environments(GIVEN, longest=24), st.data())
@settings(max_examples=sized(120))
def test_a_stream_saved_and_restored_anywhere_gives_the_same_verdicts(
    clauses: Clauses, trace: tuple[int, dict[str, list[bool]]], data: st.DataObject
) -> None:
    frames, environment = trace
    monitor = StreamMonitor(contract_of(clauses))
    log = Log()
    for chunk in pieces(environment, data.draw(cuts(frames))):
        if data.draw(st.booleans()):
            monitor = saved_and_restored(monitor)
        log.add(monitor.push(chunk))
    log.add(saved_and_restored(monitor).close())
    assert log.found == expected(clauses, environment, frames)


@pytest.mark.slow
@given(some_clauses, st.lists(environments(GIVEN, longest=14), min_size=1, max_size=4), st.data())
@settings(max_examples=sized(150))
def test_streams_of_unequal_length_side_by_side_get_their_own_verdicts(
    clauses: Clauses, traces: list[tuple[int, dict[str, list[bool]]]], data: st.DataObject
) -> None:
    names = [f"s{i}" for i in range(len(traces))]
    monitor = StreamMonitor(contract_of(clauses), streams=names)
    log = Log()
    lengths = [frames for frames, _ in traces]
    longest = max(lengths)
    at = sorted({*data.draw(cuts(longest)), *lengths})
    rubbish = data.draw(st.booleans())
    for start, end in pairwise(at):
        ending = [name for name, frames in zip(names, lengths, strict=True) if frames == start]
        if ending:
            log.add(monitor.end(*ending))
        if data.draw(st.booleans()):
            monitor = saved_and_restored(monitor)
        chunk = {}
        for name in GIVEN:
            rows = [env[name] + [rubbish] * (longest - frames) for frames, env in traces]
            chunk[name] = np.array(rows, dtype=np.bool_)[:, start:end].T
        log.add(monitor.push(chunk))
    log.add(monitor.close())
    wanted = {}
    for channel, (frames, environment) in enumerate(traces):
        wanted |= expected(clauses, environment, frames, channel)
    assert log.found == wanted
    for number, clause in enumerate(monitor.contract.frame_clauses):
        counts = monitor.counts(clause.name)
        mine = [(o, h, key[2]) for key, (o, h, _) in wanted.items() if key[0] == f"c{number}"]
        for channel in range(len(traces)):
            assert counts.obligated[0, channel] == sum(o for o, _, c in mine if c == channel)
            assert counts.satisfied[0, channel] == sum(o and h for o, h, c in mine if c == channel)


@given(formulas(("p",), farthest=2, leaves=3), formulas(("p",), farthest=2, leaves=3))
@settings(max_examples=sized(40))
def test_every_continuation_agrees_with_a_verdict_that_is_out(obligation: Formula, formula: Formula) -> None:
    """By enumeration: all streams of up to 3 frames, all continuations by up to 3 more."""
    contract = contract_of([(obligation, formula)])
    for frames in (1, 2, 3):
        for prefix in product((False, True), repeat=frames):
            monitor = StreamMonitor(contract)
            log = Log()
            for value in prefix:
                log.add(monitor.push({"p": value} if monitor.window.inputs else {}))
            for more in range(4):
                for rest in product((False, True), repeat=more):
                    whole = [*prefix, *rest]
                    atoms = {"p": whole}
                    obliged, holds = (truth(f, atoms, len(whole)) for f in (obligation, formula))
                    for (_, i, _), (o, h, _) in log.found.items():
                        assert (o, h) == (obliged[i], holds[i])


def test_a_verdict_that_is_already_decided_is_not_out_early() -> None:
    """`F[3] p` at frame 0 is true as soon as frame 0 is, and is out with frame 3 all the same."""
    monitor = StreamMonitor(contract_of([(Constant(True), Eventually(0, 3, Atom("p")))]))
    assert [len(monitor.push({"p": True}).verdicts) for _ in range(5)] == [0, 0, 0, 1, 1]
    assert [v.start for v in monitor.close().verdicts] == [2]


def test_a_clause_with_a_smaller_lookahead_answers_earlier() -> None:
    clauses = [(Atom("p"), Eventually(0, 2, Atom("p"))), (Atom("p"), Since(4, Atom("p"), Atom("q")))]
    monitor = StreamMonitor(contract_of(clauses))
    assert monitor.delays == {"c0": 2, "c1": 0}
    first = monitor.push({"p": True, "q": False})
    assert [v.clause.name for v in first.verdicts] == ["c1"]


def test_the_delay_is_that_of_the_obligation_if_it_looks_farther_ahead() -> None:
    monitor = StreamMonitor(contract_of([(Eventually(3, 3, Constant(True)), Atom("p"))]))
    assert monitor.delays == {"c0": 3}


def test_a_window_that_looks_back_and_then_ahead_needs_no_delay() -> None:
    """The lookahead is clamped at every node: frame i+2 of the inner window is frame i of the outer one."""
    formula = Eventually(-2, -2, Eventually(2, 2, Atom("p")))
    assert lookahead(formula) == 0
    monitor = StreamMonitor(contract_of([(Constant(True), formula)]))
    holds = [monitor.push({"p": value}).verdicts[0].holds.item() for value in (True, False, True, True)]
    assert holds == [False, False, True, True]


@pytest.mark.parametrize("far", [70_000, 3_000_000])
def test_windows_longer_than_any_stream_are_no_burden(far: int) -> None:
    clauses = [
        (Constant(True), Since(far, Constant(True), Atom("p"))),
        (Constant(True), Eventually(-far, far, Atom("p"))),
        (Constant(True), Always(-far, 0, Atom("q"))),
    ]
    environment = {"p": [False, True] + [False] * 40, "q": [True] * 40 + [False] * 2}
    monitor = StreamMonitor(contract_of(clauses))
    log = Log()
    for chunk in pieces(environment, range(43)):
        log.add(monitor.push(chunk))
    log.add(monitor.close())
    assert log.found == {
        (f"c{number}", i, 0): (True, value, i if number != 1 else 41)
        for number, verdicts in enumerate(
            (
                [False] + [True] * 41,
                [True] * 42,
                [True] * 40 + [False] * 2,
            )  # p once seen; p somewhere; q until frame 40
        )
        for i, value in enumerate(verdicts)
    }


def test_an_empty_stream_has_no_verdicts() -> None:
    monitor = StreamMonitor(contract_of([(Atom("p"), Until(3, Atom("p"), Atom("q")))]))
    assert monitor.close().verdicts == ()
    assert monitor.closed
    assert monitor.score("c0").vacuous
    with pytest.raises(ValueError, match="have ended"):
        monitor.push({"p": True, "q": True})


def test_an_empty_chunk_changes_nothing() -> None:
    monitor = StreamMonitor(contract_of([(Atom("p"), Atom("q"))]))
    assert monitor.push({"p": [], "q": []}).verdicts == ()
    assert monitor.push({"p": True, "q": True}).verdicts[0].start == 0


def test_ignored_frames_carry_no_obligation_but_may_witness() -> None:
    monitor = StreamMonitor(contract_of([(Atom("p"), Eventually(0, 1, Atom("q")))]), ignoring=True)
    monitor.push({"p": [1, 1, 1], "q": [0, 1, 0]}, ignore=[0, 1, 0])
    monitor.close()
    score = monitor.score("c0")
    assert (score.satisfied, score.obligated) == (1, 2)


def test_the_other_classes_of_a_stream_are_seen_and_no_other_stream() -> None:
    contract = parse_contract("contract o\nstep 1s\nclause c on ref_active : !other_ref_active\n")
    monitor = StreamMonitor(contract, streams=("a", "b"), classes=("x", "y", "z"))
    # Channels: class · streams + stream, so a:x b:x a:y b:y a:z b:z.
    arrival = monitor.push({"ref_active": [[1, 1, 1, 0, 0, 0]], "pred_active": [[0] * 6]})
    assert [(w.channel, monitor.place(w.channel)) for w in arrival.violations] == [(0, ("a", "x")), (2, ("a", "y"))]


def test_classes_are_named_where_the_contract_compares_or_declares_them() -> None:
    compares = parse_contract("contract o\nstep 1s\nclause c on ref_active : !other_ref_active\n")
    declares = parse_contract("contract o\nstep 1s\nlabels x y\nclause c on ref_active : pred_active\n")
    for contract, classes, code in ((compares, ("*",), "needs-classes"), (declares, ("x", "z"), "unknown-label")):
        with pytest.raises(InvalidInput) as refused:
            StreamMonitor(contract, classes=classes)
        assert [d.code for d in refused.value.diagnostics] == [code]
    StreamMonitor(declares, classes=("x", "y"))
    StreamMonitor(declares)


def test_streams_have_names_that_differ() -> None:
    contract = contract_of([(Atom("p"), Atom("q"))])
    for names in ((), ("a", "a")):
        with pytest.raises(ValueError, match="names that differ"):
            StreamMonitor(contract, streams=names)
    with pytest.raises(ValueError, match="no stream `b`"):
        StreamMonitor(contract, streams=("a",)).end("b")


def test_long_chunks_of_many_channels_are_counted_in_full() -> None:
    """More frames than an octet can count."""
    monitor = StreamMonitor(contract_of([(Atom("p"), Atom("q"))]), streams=[f"s{i}" for i in range(13)])
    generator = np.random.default_rng(4)
    p, q = generator.random((2, 1000, 13)) < [[[0.9]], [[0.7]]]
    monitor.push({"p": p, "q": q})
    counts = monitor.counts("c0")
    assert counts.obligated[0].tolist() == p.sum(axis=0).tolist()
    assert counts.satisfied[0].tolist() == (p & q).sum(axis=0).tolist()


# Witnesses, callback, iterator


def test_a_violation_names_the_part_that_failed_and_its_delay() -> None:
    body = Implies(Atom("p"), And(Atom("q"), Eventually(0, 2, Atom("r"))))
    contract = contract_of([(Atom("p"), body)])
    left, right = located(body).parts[1].parts
    monitor = StreamMonitor(contract)
    monitor.push({"p": [1, 0, 1], "q": [0, 0, 1], "r": [1, 0, 0]})
    found = monitor.push({"p": [0, 0], "q": [0, 0], "r": [0, 0]}).violations
    assert [(w.frame, w.span, w.out, w.delay) for w in found] == [(2, right.span, 4, 2)]  # type: ignore[union-attr]
    assert left.span != right.span


@given(some_clauses, environments(GIVEN, longest=16), st.data())
def test_violations_are_the_violated_frames(
    clauses: Clauses, trace: tuple[int, dict[str, list[bool]]], data: st.DataObject
) -> None:
    frames, environment = trace
    monitor = StreamMonitor(contract_of(clauses))
    arrivals = list(monitor.follow(pieces(environment, data.draw(cuts(frames)))))
    found = [(w.clause.name, w.frame, w.channel) for a in arrivals for w in a.violations]  # type: ignore[union-attr]
    wanted = [key for key, (o, h, _) in expected(clauses, environment, frames).items() if o and not h]
    assert sorted(found) == sorted(wanted)


def test_the_callback_gets_what_the_iterator_gives() -> None:
    called: list[object] = []
    monitor = StreamMonitor(contract_of([(Atom("p"), Atom("q"))]), on_arrival=called.append)
    given_out = list(monitor.follow([{"p": [1, 1], "q": [0, 1]}, {"p": 1, "q": 0}]))
    assert called == given_out
    assert len(called) == 3


def test_scores_at_any_moment_are_those_of_the_verdicts_that_are_out() -> None:
    monitor = StreamMonitor(contract_of([(Atom("p"), Eventually(0, 1, Atom("q")))]))
    told = []
    for p, q in ((1, 0), (1, 1), (1, 0), (0, 0)):
        monitor.push({"p": p, "q": q})
        score = monitor.vector()["c0"]
        told.append((score.satisfied, score.obligated))
    assert told == [(0, 0), (1, 1), (2, 2), (2, 3)]
    assert monitor.logic() == monitor.score("c0").value


# Input and state


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        ({"p": True}, "missing-mask"),
        ({"p": True, "q": 2}, "wrong-mask"),
        ({"p": True, "q": "yes"}, "wrong-mask"),
        ({"p": True, "q": float("nan")}, "wrong-mask"),
        ({"p": [1, 0], "q": [1]}, "wrong-mask"),
        ({"p": np.ones(2, dtype=bool), "q": np.ones(1, dtype=bool)}, "wrong-mask"),
        ({"p": [[1, 0]], "q": [[1, 0]]}, "wrong-mask"),
        ({"p": [[1], [1, 0]], "q": [1, 1]}, "wrong-mask"),
        ({"p": True, "q": True, "pp": True}, "wrong-mask"),
    ],
)
def test_frames_that_do_not_fit_are_refused_and_change_nothing(frames: dict[str, object], code: str) -> None:
    monitor = StreamMonitor(contract_of([(Atom("p"), Not(Atom("q")))]))
    with pytest.raises(InvalidInput) as refused:
        monitor.push(frames)
    assert {d.code for d in refused.value.diagnostics} == {code}
    assert monitor.frames == 0
    assert monitor.push({"p": True, "q": True}).verdicts[0].start == 0


def test_the_state_does_not_grow_with_the_stream() -> None:
    from tracepact.stream import save_state

    clauses = [(Atom("p"), Eventually(-5, 9, And(Atom("q"), Since(7, Atom("p"), Atom("q")))))]
    monitor = StreamMonitor(contract_of(clauses))
    generator = np.random.default_rng(1)
    sizes = []
    for _ in range(40):
        monitor.push({name: generator.random(1000) < 0.5 for name in ("p", "q")})
        state = save_state(monitor)
        state.pop("counts"), state.pop("frames")
        sizes.append(len(json.dumps(state)))
    assert max(sizes) - min(sizes) <= 2  # a mask may have a leading zero
    assert all(mask.bit_length() <= monitor.window.width == 21 for mask in monitor.window.kept)


@pytest.mark.slow
def test_memory_stays_flat_however_long_the_stream() -> None:
    """One bit a frame would be 50 kB; the interpreter keeps some freed objects for reuse, so it is not exactly zero."""
    monitor = StreamMonitor(load_contract("boundary_gate"))  # frame and event clauses
    generator = np.random.default_rng(3)
    sides = ("ref_active", "pred_active")
    chunks = [{side: np.repeat(generator.random(25) < 0.4, 160) for side in sides} for _ in range(10)]
    held = []
    tracemalloc.start()
    try:
        for number in range(150):
            monitor.push(chunks[number % len(chunks)])
            if number % 50 == 49:
                gc.collect()
                snapshot = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, "*/tracepact/*")])
                held.append(sum(trace.size for trace in snapshot.traces))
    finally:
        tracemalloc.stop()
    print(f"bytes held after 200,000, 400,000 and 600,000 frames: {held}")
    assert held[2] - held[0] < 40_000
