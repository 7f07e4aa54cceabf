"""A bank of streams: each stream gets what a monitor of its own would say, whatever the others do."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import formulas, sized

from stream.builders import Clauses, contract_of
from stream.test_event_streams import GAPS
from tracepact import Contract, InvalidInput, StreamBank, load_contract, parse_contract
from tracepact.declarations import spec_path
from tracepact.language.formula import Always, Atom, Constant, Eventually, Since
from tracepact.stream import Arrival, StreamMonitor, restore_bank, restore_state, save_bank, save_state

NAMES = ("p", "q", "ref_active", "ref_onset", "pred_offset")
GIVEN = ("p", "q", "r", "ref_active", "pred_active")
some_clauses = st.lists(st.tuples(formulas(NAMES), formulas(NAMES)), min_size=1, max_size=3)


def said(arrival: Arrival) -> tuple[Any, ...]:
    """All that an arrival says, in plain data."""
    verdicts = [
        (v.clause.name, v.start, v.frames, v.delay, v.known.tolist(), v.obligated.tolist(), v.holds.tolist())
        for v in arrival.verdicts
    ]
    return arrival.frames, verdicts, arrival.violations, arrival.judged


class Twins:
    """A bank, and a monitor for each of its streams."""

    def __init__(self, contract: Contract, classes: int, *, ignoring: bool) -> None:
        self.contract, self.ignoring = contract, ignoring
        self.classes = tuple(f"k{i}" for i in range(classes)) if classes > 1 else ("*",)
        self.bank = StreamBank(contract, classes=self.classes, ignoring=ignoring)
        self.alone: dict[str, StreamMonitor] = {}

    def open(self, *names: str) -> None:
        self.bank.open(*names)
        for name in names:
            self.alone[name] = StreamMonitor(
                self.contract, streams=(name,), classes=self.classes, ignoring=self.ignoring
            )

    def push(self, names: list[str], lengths: list[int], seed: int) -> None:
        generator = np.random.default_rng(seed)
        longest, count = max(1, *lengths), len(names)
        density = generator.choice([0.1, 0.5, 0.9])
        atoms = [*GIVEN, "ignored"]
        some = {a: generator.random((longest, len(self.classes), count)) < density for a in atoms}
        flat = {a: some[a].reshape(longest, -1) for a in GIVEN}
        ignore = some["ignored"].reshape(longest, -1) if self.ignoring else None
        arrival = self.bank.push(flat, streams=names, lengths=lengths, ignore=ignore)
        for i, (name, length) in enumerate(zip(names, lengths, strict=True)):
            chunk = {a: some[a][:length, :, i] for a in GIVEN}
            own = self.alone[name].push(chunk, ignore=some["ignored"][:length, :, i] if self.ignoring else None)
            assert said(arrival.of(name)) == said(own)
        self.compare(arrival)

    def compare(self, arrival: Any) -> None:
        """What the whole arrival says is what it says of its streams."""
        names = arrival.streams
        wanted = [
            (name, arrival.classes[v.channel], type(v), v.clause.name, v.out)
            for name in names
            for v in arrival.of(name).violations
        ]
        assert [(*arrival.place(v.channel), type(v), v.clause.name, v.out) for v in arrival.violations] == wanted
        found = {v.clause.name: v for v in arrival.verdicts}
        for i, name in enumerate(names):
            for v in arrival.of(name).verdicts:
                whole = found[v.clause.name]
                for label in range(len(self.classes)):
                    channel = label * len(names) + i
                    assert whole.start[channel] == v.start
                    assert whole.frames[channel] == v.frames == whole.known[:, channel].sum()
                    assert whole.obligated[: v.frames, channel].tolist() == v.obligated[:, label].tolist()
                    assert whole.holds[: v.frames, channel].tolist() == v.holds[:, label].tolist()

    def close(self, names: list[str]) -> None:
        arrival = self.bank.close(*names)
        for name in names:
            assert said(arrival.of(name)) == said(self.alone[name].close())
        for clause in self.contract.clauses:
            for i, name in enumerate(names):
                own, counts = self.alone[name].counts(clause.name), arrival.counts(clause.name)
                for one, many in zip(
                    (own.satisfied, own.obligated, own.counter),
                    (counts.satisfied, counts.obligated, counts.counter),
                    strict=True,
                ):
                    assert one[:, 0].tolist() == many[:, i].tolist()
        for name in names:
            del self.alone[name]
        self.compare(arrival)

    def save(self) -> None:
        state = save_bank(self.bank)
        assert state["streams"] == [save_state(monitor) for monitor in self.alone.values()]
        self.bank = restore_bank(self.contract, json.loads(json.dumps(state)))

    def check(self) -> None:
        assert self.bank.streams == tuple(self.alone)
        assert self.bank.frames == {name: monitor.frames for name, monitor in self.alone.items()}
        for clause in self.contract.clauses:
            counts = self.bank.counts(clause.name)
            for i, monitor in enumerate(self.alone.values()):
                own = monitor.counts(clause.name)
                assert counts.satisfied[:, i].tolist() == own.satisfied[:, 0].tolist()
                assert counts.obligated[:, i].tolist() == own.obligated[:, 0].tolist()


def play(twins: Twins, data: st.DataObject, *, longest: int, moves: int = 7) -> None:
    """Open, push, pause, close and save in any order."""
    opened = 0
    for _ in range(data.draw(st.integers(1, moves))):
        open_now = list(twins.alone)
        what = data.draw(st.sampled_from(["open", "push", "push", "push", "close", "save"] if open_now else ["open"]))
        if what == "open":
            more = data.draw(st.integers(1, 3))
            twins.open(*(f"s{opened + i}" for i in range(more)))
            opened += more
        elif what == "save":
            twins.save()
        else:
            names = data.draw(st.permutations(open_now))[: data.draw(st.integers(1, len(open_now)))]
            if what == "close":
                twins.close(names)
            else:
                lengths = [data.draw(st.integers(0, longest)) for _ in names]
                twins.push(names, lengths, data.draw(st.integers(0, 1 << 20)))
        twins.check()
    if twins.alone:
        twins.close(list(twins.alone))


@given(some_clauses, st.integers(1, 2), st.booleans(), st.data())
@settings(max_examples=sized(60))
def test_each_stream_of_a_bank_gets_what_a_monitor_of_its_own_says(
    clauses: Clauses, classes: int, ignoring: bool, data: st.DataObject
) -> None:
    play(Twins(contract_of(clauses), classes, ignoring=ignoring), data, longest=data.draw(st.sampled_from([1, 9, 150])))


@given(st.integers(0, 2), st.integers(0, 3), st.integers(1, 2), st.booleans(), st.data())
@settings(max_examples=sized(40))
def test_event_clauses_in_a_bank_are_those_of_single_streams(
    gap: int, search: int, classes: int, ignoring: bool, data: st.DataObject
) -> None:
    text = GAPS.format(gap=gap, search=search) + "clause near on ref_onset : ref_onset -> N[2s] pred_onset\n"
    atoms = "".join(f"atom {name}\n" for name in "pqr")
    contract = parse_contract(text.replace("merge_gap", f"{atoms}merge_gap"))
    play(Twins(contract, classes, ignoring=ignoring), data, longest=data.draw(st.sampled_from([1, 9, 150])))


@pytest.mark.parametrize("far", [40, 70, 700, 3_000_000])
def test_windows_of_every_length_are_those_of_single_streams(far: int) -> None:
    """Below and above a word, above what has come, and longer than any stream."""
    clauses = [
        (Constant(True), Since(far, Atom("q"), Atom("p"))),
        (Constant(True), Eventually(-far, far, Atom("p"))),
        (Atom("q"), Always(-far, min(far, 90), Atom("q"))),
    ]
    twins = Twins(contract_of(clauses), 1, ignoring=False)
    twins.open("a", "b", "c")
    for number in range(12):
        twins.push(["c", "a"], [number * 13 % 71, number * 29 % 130], number)
        twins.check()
    twins.push(["b"], [5], 99)
    twins.save()
    twins.push(["a", "b", "c"], [64, 1, 63], 100)
    twins.close(["b", "a", "c"])


def test_the_state_of_a_stream_in_a_bank_is_that_of_a_monitor() -> None:
    """A stream moves from a bank to a monitor and back by its state alone."""
    contract = load_contract("boundary_gate")
    bank = StreamBank(contract)
    bank.open("a", "b")
    bank.push({"ref_active": [[1, 0], [1, 1]], "pred_active": [[0, 0], [1, 0]]})
    state = save_bank(bank)
    monitor = restore_state(contract, state["streams"][1])
    assert (monitor.streams, monitor.frames) == (("b",), 2)
    assert save_state(monitor) == state["streams"][1]


def test_a_bank_scores_its_open_streams_as_one_monitor_of_them_all_does() -> None:
    contract = load_contract("acoustic_front_end")
    bank, monitor = StreamBank(contract), StreamMonitor(contract, streams=("a", "b"))
    bank.open("a", "b")
    generator = np.random.default_rng(3)
    frames = {atom: generator.random((300, 2)) < 0.5 for atom in ("ref_active", "pred_active")}
    bank.push(frames)
    monitor.push(frames)
    assert bank.vector() == monitor.vector()
    assert 0 < bank.logic() == monitor.logic() < 1
    assert contract.profiles
    assert all(bank.profile(p) == monitor.profile(p) for p in contract.profiles)


def test_a_bank_takes_over_streams_of_monitors_of_its_own_kind_alone() -> None:
    bank, monitor = StreamBank("boundary_gate"), StreamMonitor("boundary_gate", streams=("a",))
    monitor.push({"ref_active": [1, 1, 0], "pred_active": [0, 1, 0]})
    bank.adopt([monitor])
    assert bank.frames == {"a": 3}
    with pytest.raises(ValueError, match="one contract"):
        bank.adopt([StreamMonitor("boundary_gate", streams=("b",), ignoring=True)])
    with pytest.raises(ValueError, match="one stream"):
        bank.adopt([StreamMonitor("boundary_gate", streams=("b", "c"))])
    with pytest.raises(ValueError, match="names that differ"):
        bank.adopt([StreamMonitor("boundary_gate", streams=("a",))])
    assert bank.streams == ("a",)


def test_nothing_is_kept_of_a_stream_that_has_closed() -> None:
    bank = StreamBank("boundary_gate")
    sizes = set()
    for number in range(50):
        bank.open(f"s{number}", f"t{number}")
        bank.push({"ref_active": np.ones((90, 2)), "pred_active": np.zeros((90, 2))})
        bank.close(f"s{number}", f"t{number}")
        sizes.add(len(json.dumps(save_bank(bank))))
    assert bank.streams == ()
    assert len(sizes) == 1


WRONG = {
    "another format": lambda s: s.update(format="tracepact-stream/2"),
    "another contract": lambda s: s.update(contract="0" * 64),
    "a stream of another contract": lambda s: s["streams"][0].update(contract="0" * 64),
    "a stream of other classes": lambda s: s["streams"][0].update(classes=["x"]),
    "two streams of one name": lambda s: s["streams"][0].update(streams=["b"]),
    "two streams in one": lambda s: s["streams"][0].update(streams=["a", "c"]),
    "a stream that has ended": lambda s: s["streams"][0].update(ended={"a": 2}),
    "impossible counts": lambda s: s["streams"][1]["counts"]["missing_guard"].update(satisfied=[9]),
    "no streams": lambda s: s.pop("streams"),
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG.keys())
def test_a_bank_state_that_is_not_whole_is_refused(change: Any) -> None:
    bank = StreamBank("boundary_gate")
    bank.open("a", "b")
    bank.push({"ref_active": [[1, 0], [1, 1]], "pred_active": [[0, 0], [1, 0]]})
    state = json.loads(json.dumps(save_bank(bank)))
    restore_bank(bank.contract, state)
    change(state)
    with pytest.raises(InvalidInput) as refused:
        restore_bank(bank.contract, state)
    assert {d.code for d in refused.value.diagnostics} == {"wrong-state"}


def test_a_push_that_does_not_fit_is_refused_and_changes_nothing() -> None:
    bank = StreamBank("boundary_gate")
    with pytest.raises(ValueError, match="no stream is open"):
        bank.push({"ref_active": [1], "pred_active": [1]})
    bank.open("a", "b")
    frames = {"ref_active": [[1, 0], [1, 1]], "pred_active": [[0, 0], [1, 0]]}
    for wrong in (
        {"streams": ["c"]},
        {"streams": ["a", "a"]},
        {"lengths": [3, 0]},
        {"lengths": [-1, 0]},
        {"lengths": [1]},
    ):
        with pytest.raises(ValueError, match=r"stream|lengths"):
            bank.push(frames, **wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="list of names"):
        bank.push(frames, streams="ab")
    with pytest.raises(InvalidInput):
        bank.push(frames, streams=["a"])
    for names in (("a",), ("c", "c")):
        with pytest.raises(ValueError, match="names that differ"):
            bank.open(*names)
    assert bank.frames == {"a": 0, "b": 0}
    arrival = bank.push(frames)
    assert "2 streams" in repr(arrival)
    assert arrival.frames == {"a": 2, "b": 2}
    with pytest.raises(ValueError, match="go on"):
        arrival.counts("onset_guard")
    with pytest.raises(ValueError, match="no stream `c`"):
        arrival.of("c")


def test_a_bank_state_has_the_form_of_its_schema() -> None:
    from jsonschema import Draft202012Validator

    bank = StreamBank("boundary_gate")
    bank.open("a")
    bank.push({"ref_active": [1, 1], "pred_active": [0, 1]})
    schema = json.loads((spec_path("schemas") / "bank-state.schema.json").read_text())
    assert [error.message for error in Draft202012Validator(schema).iter_errors(save_bank(bank))] == []
