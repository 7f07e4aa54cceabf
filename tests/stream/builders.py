"""Contracts from core formulas, streams cut into chunks, and what a monitor said frame by frame."""

import dataclasses
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from tracepact import Contract, parse_contract
from tracepact.diagnostics.findings import Span
from tracepact.language.contract import FrameClause, Located
from tracepact.language.formula import Formula, children, lookahead
from tracepact.stream import Arrival, StreamMonitor, restore_state, save_state

_TEMPLATE = "contract random\nstep 20ms\natom p\natom q\natom r\nclause c on p : q\n"

Clauses = Sequence[tuple[Formula, Formula]]
"""Obligation and formula of each clause."""


def located(formula: Formula, at: int = 0) -> Located:
    """A formula with a span of its own for every part."""
    parts = tuple(located(part, 2 * at + 1 + i) for i, part in enumerate(children(formula)))
    return Located(formula, Span(at, at + 1), parts)


def contract_of(clauses: Clauses, text: str = _TEMPLATE) -> Contract:
    """A contract with these frame clauses, named c0, c1, …"""
    made = tuple(FrameClause(f"c{i}", located(o), located(f), Span(0, 1)) for i, (o, f) in enumerate(clauses))
    return dataclasses.replace(parse_contract(text), clauses=made)


def delay_of(obligation: Formula, formula: Formula) -> int:
    return max(lookahead(obligation), lookahead(formula))


def cuts(frames: int, *, most: int = 6) -> st.SearchStrategy[list[int]]:
    """Where to cut a stream into chunks, both ends included."""
    inner = st.lists(st.integers(0, frames), max_size=most)
    every = st.just(list(range(frames + 1)))
    return st.one_of(every, inner.map(lambda some: sorted({0, frames, *some})))


def saved_and_restored(monitor: StreamMonitor) -> StreamMonitor:
    """The same monitor after a round trip through text."""
    return restore_state(monitor.contract, json.loads(json.dumps(save_state(monitor))))


class Log:
    """Every frame verdict of a monitor by clause, frame and channel, with the number of frames that had arrived."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, int, int], tuple[bool, bool, int]] = {}
        self.closing: dict[tuple[str, int, int], bool] = {}

    def add(self, arrival: Arrival, *, closing: bool = False) -> None:
        for v in arrival.verdicts:
            obligated, holds, known = v.obligated, v.holds, v.known
            assert obligated.shape == holds.shape == known.shape
            assert not ((obligated | holds) & ~known).any()
            for i in range(v.frames):
                for channel in range(known.shape[1]):
                    if known[i, channel]:
                        key = v.clause.name, v.start + i, channel
                        assert key not in self.found, f"{key} is out twice"
                        self.found[key] = bool(obligated[i, channel]), bool(holds[i, channel]), v.out(v.start + i)
                        self.closing[key] = closing


def pieces(environment: Mapping[str, Sequence[bool]], at: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The chunks of one channel."""
    for start, end in itertools.pairwise(at):
        yield {name: list(values[start:end]) for name, values in environment.items()}
