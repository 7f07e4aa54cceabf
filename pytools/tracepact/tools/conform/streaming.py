"""Streams of frame clauses: how a trace arrives, the verdicts by definition, and those of the package's monitor."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Protocol

import numpy as np

from tracepact.core import Formula, atoms, lookahead, lookback
from tracepact.lang import parse_contract
from tracepact.stream import Arrival, StreamMonitor, restore_state, save_state
from tracepact.tools.conform.trees import BadCase, formula_text, frames_of, renamed_atoms, shown

Clauses = Sequence[tuple[Formula, Formula]]
Masks = Mapping[str, Sequence[bool]]
Out = list[list[Any]]
"""Verdicts `[frame, clause, word]`, by frame and clause."""

_WORDS = {(False, False): "free", (False, True): "free", (True, True): "satisfied", (True, False): "violated"}


class Stream(Protocol):
    """One stream that is open."""

    def push(self, frames: int, masks: Masks) -> Out:
        """Take a frame or a chunk; what is out now."""

    def close(self) -> Out:
        """What is left."""

    def interrupted(self) -> "Stream":
        """A stream that goes on from the saved state."""

    @property
    def counts(self) -> list[list[int]]:
        """Satisfied and obligated so far, for each clause."""


def names_of(clauses: Clauses) -> list[str]:
    """The atoms of the clauses."""
    return sorted(frozenset().union(*(atoms(formula) for clause in clauses for formula in clause)))


def delays_of(clauses: Clauses) -> list[int]:
    """Rule 12.2."""
    return [max(lookahead(obligation), lookahead(formula)) for obligation, formula in clauses]


class DefinedStream:
    """Every verdict from the frames seen so far, of which no more than the formulas look at are kept (rule 6.7)."""

    def __init__(self, clauses: Clauses, verdicts: Any) -> None:
        self._clauses = clauses
        self._verdicts = verdicts
        self._names = names_of(clauses)
        self._delays = delays_of(clauses)
        self._kept = max(lookback(formula) for clause in clauses for formula in clause)
        self._next = [0] * len(clauses)
        self._seen: dict[str, list[bool]] = {name: [] for name in self._names}
        self._first = self._frames = 0
        self.counts = [[0, 0] for _ in clauses]

    def push(self, frames: int, masks: Masks) -> Out:
        """Take a frame or a chunk; the verdicts that are out now."""
        for name in self._names:
            self._seen[name] += map(bool, masks[name])
        self._frames += frames
        return self._out([self._frames - delay for delay in self._delays])

    def close(self) -> Out:
        """The verdicts of the frames that are left, on what there is."""
        return self._out([self._frames] * len(self._clauses))

    def interrupted(self) -> "DefinedStream":
        """A new stream of the same clauses that goes on from the state as text."""
        text = json.dumps([self._seen, self._first, self._frames, self._next, self.counts])
        stream = DefinedStream(self._clauses, self._verdicts)
        stream._seen, stream._first, stream._frames, stream._next, stream.counts = json.loads(text)
        return stream

    def _out(self, ends: Sequence[int]) -> Out:
        found: Out = []
        for k, (obligation, formula) in enumerate(self._clauses):
            due = range(self._next[k], max(ends[k], self._next[k]))
            if not due:
                continue
            held = self._frames - self._first
            obliged, holds = (self._verdicts(f, held, self._seen) for f in (obligation, formula))
            found += [[i, k, _WORDS[obliged[i - self._first], holds[i - self._first]]] for i in due]
            self._next[k] = due.stop
        for _, k, word in found:
            self.counts[k] = [self.counts[k][0] + (word == "satisfied"), self.counts[k][1] + (word != "free")]
        self._forget()
        return sorted(found)

    def _forget(self) -> None:
        """Drop the frames that no verdict to come looks at, some at a time."""
        old = min(self._next, default=0) - self._kept - self._first
        if old > max(64, (self._frames - self._first) // 2):
            self._seen = {name: mask[old:] for name, mask in self._seen.items()}
            self._first += old


class PackageStream:
    """The package's own monitor of streams, whose states are saved and restored as text."""

    def __init__(self, clauses: Clauses) -> None:
        names = {name: f"a{number}" for number, name in enumerate(names_of(clauses))}
        statements = [f"atom {own}" for own in names.values()]
        for number, (obligation, formula) in enumerate(clauses):
            on, body = (formula_text(renamed_atoms(f, names)) for f in (obligation, formula))
            statements.append(f"clause c{number} on {on} : {body}")
        self._names = names
        self._contract = parse_contract("\n".join(["contract stream_", "step 1s", *statements]))
        self._monitor = StreamMonitor(self._contract)

    def push(self, frames: int, masks: Masks) -> Out:
        """Take a frame or a chunk; the verdicts that are out now."""
        if not self._names:
            return self._said(self._monitor.push_masks(frames, {}))
        given = {own: np.array([bool(value) for value in masks[name]]) for name, own in self._names.items()}
        return self._said(self._monitor.push(given))

    def close(self) -> Out:
        """The verdicts of the frames that are left."""
        return self._said(self._monitor.close())

    def interrupted(self) -> "PackageStream":
        """The stream with a monitor that is restored from the state as text."""
        state = json.loads(json.dumps(save_state(self._monitor)))
        self._monitor = restore_state(self._contract, state)
        return self

    @property
    def counts(self) -> list[list[int]]:
        """Satisfied and obligated so far, for each clause."""
        found = [self._monitor.counts(clause.name) for clause in self._contract.clauses]
        return [[int(counts.satisfied.sum()), int(counts.obligated.sum())] for counts in found]

    def _said(self, arrival: Arrival) -> Out:
        out: Out = []
        for verdicts in arrival.verdicts:
            clause = int(verdicts.clause.name.removeprefix("c"))
            words = zip(verdicts.obligated[:, 0].tolist(), verdicts.holds[:, 0].tolist(), strict=True)
            out += [[verdicts.start + i, clause, _WORDS[pair]] for i, pair in enumerate(words)]
        return sorted(out)


# How a trace arrives


def masks_of(data: Mapping[str, Any], names: Iterable[str]) -> tuple[int, dict[str, list[bool]]]:
    """The frames and masks of a trace or chunk as a case writes it, with a mask for every one of the names."""
    frames = data["frames"]
    if not isinstance(frames, int) or isinstance(frames, bool) or frames < 0:
        raise BadCase(f"a clip has {shown(frames)} frames")
    masks = {name: frames_of(text) for name, text in data["masks"].items()}
    if any(len(mask) != frames for mask in masks.values()):
        raise BadCase("a mask has another length than its clip")
    all_there(names, masks, "a clip")
    return frames, masks


def frame_of(values: Any, names: Iterable[str]) -> dict[str, list[bool]]:
    """The values of one frame."""
    if not isinstance(values, dict):
        raise BadCase(f"the values of a frame are an object, not {shown(values)}")
    all_there(names, values, "a frame")
    for name, value in values.items():
        if value not in (0, 1) or isinstance(value, float):
            raise BadCase(f"{shown(name)} is {shown(value)}, which is neither true, false, 1 nor 0")
    return {name: [bool(value)] for name, value in values.items()}


def all_there(names: Iterable[str], given: Iterable[str], where: str) -> None:
    """BadCase names the atoms that are not given."""
    if missing := sorted(set(names) - set(given)):
        raise BadCase(f"{where} lacks the {'atoms' if len(missing) > 1 else 'atom'} {', '.join(map(shown, missing))}")


def arrivals(case: Mapping[str, Any]) -> list[int]:
    """How many frames of a stream's trace arrive together: its chunks (rule 12.11), or one at a time."""
    frames = case["trace"]["frames"]
    if "chunks" not in case:
        return [1] * frames
    chunks = case["chunks"]
    if any(not isinstance(n, int) or isinstance(n, bool) or n < 1 for n in chunks) or sum(chunks) != frames:
        raise BadCase(f"the chunks {shown(chunks)} do not cut {frames} frames")
    return list(chunks)


def pushes(case: Mapping[str, Any]) -> list[tuple[int, dict[str, str]]]:
    """The frames of a stream's trace as they arrive, the masks as digits."""
    sizes = arrivals(case)
    ends = list(accumulate(sizes))
    masks = case["trace"]["masks"]
    return [
        (size, {name: mask[end - size : end] for name, mask in masks.items()})
        for size, end in zip(sizes, ends, strict=True)
    ]
