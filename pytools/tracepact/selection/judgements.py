"""Judgements of which of two cases or outputs of systems is worse, and what to ask next (14.26, 14.29, 14.31)."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from io import StringIO
from itertools import chain, combinations, islice
from math import sqrt
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tracepact.data.events import Event
from tracepact.data.memory import AudioFolder
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace, did_you_mean
from tracepact.files import fields_of
from tracepact.language.compilation import read_file
from tracepact.records import Count, Record
from tracepact.runs.run import Run, score
from tracepact.selection.basis import Coordinate
from tracepact.selection.calibration import Calibration, CalibrationCase
from tracepact.selection.games import Whole, differences_of
from tracepact.selection.requirements import CasePair, Pair
from tracepact.selection.trials import grid_contract
from tracepact.wording import parse_exact, percent

# Clips of real systems as cases: what each system gave out on a clip, against one reference (rule 14.29).


@dataclass(frozen=True, slots=True)
class SystemOutputs:
    """The references of some clips and the outputs of some systems on them."""

    durations: Mapping[str, Fraction]
    reference: Mapping[str, tuple[Event, ...]]
    systems: Mapping[str, Mapping[str, tuple[Event, ...]]]
    warnings: tuple[Diagnostic, ...] = ()

    def case(self, clip: str, system: str) -> CalibrationCase:
        """The output of a system on a clip, as a case without a rank."""
        name = f"{clip} by {system}"
        how = f"clip {clip}, as {system} gave it out"
        ref, pred = self.reference.get(clip, ()), self.systems[system].get(clip, ())
        return CalibrationCase(name, "", Fraction(0), name, how, self.durations[clip], ref, pred)


@dataclass(frozen=True, slots=True)
class Tables:
    """References, the lengths of their clips and the predictions of systems: paths, or what `score` takes else."""

    ref: Any
    durations: Any
    systems: Mapping[str, Any]
    audio: str | None = None


def source_of(data: Any) -> Any:
    """Events as `score` takes them; a text is a path."""
    return Path(data) if isinstance(data, str) else data


def read_systems(calibration: Calibration, tables: Tables) -> SystemOutputs:
    """Read the tables of some systems on the grid of a calibration set; InvalidInput carries every fault of all."""
    contract = grid_contract(calibration, calibration.family.matchers[0])
    audio = None if tables.audio is None else AudioFolder(tables.audio)
    lengths = audio if tables.durations is None else tables.durations
    faults, runs = Diagnostics(), dict[str, Run]()
    for name, table in tables.systems.items():
        try:
            # by the one way to score, so that a system is read, cut and warned about as it is anywhere else
            runs[name] = score(contract, source_of(tables.ref), source_of(table), durations=lengths, outside="drop")
        except InvalidInput as error:
            faults.extend(d for d in error.diagnostics if d not in faults)
    faults.raise_errors()
    first = next(iter(runs.values()))
    known = first.durations
    clips = first.card.family.clips
    durations = (
        dict.fromkeys(clips, known) if isinstance(known, Fraction) else {clip: known.clips[clip] for clip in clips}
    )
    told = dict.fromkeys(diagnostic for run in runs.values() for diagnostic in run.diagnostics)
    return SystemOutputs(
        durations,
        {clip: _cut(first.reference.clips.get(clip, ()), durations[clip]) for clip in clips},
        {
            n: {clip: _cut(run.prediction.clips.get(clip, ()), durations[clip]) for clip in clips}
            for n, run in runs.items()
        },
        tuple(told),
    )


def _cut(events: Iterable[Event], end: Fraction) -> tuple[Event, ...]:
    """The events of a clip; a late offset is cut at its end (5.4)."""
    return tuple(event if event.offset <= end else replace(event, offset=end) for event in events)


def with_cases(calibration: Calibration, cases: tuple[CalibrationCase, ...], name: str = "judged") -> Calibration:
    """The grid and the family of a calibration set with other cases, under another name."""
    return replace(calibration, name=name, title=None, cases=cases, references=())


# Judgements of which of two cases is worse, read from a table, and where they contradict each other (14.26).

COLUMNS = ("a", "b", "worse")


@dataclass(frozen=True, slots=True)
class Preference:
    """A judgement: one case is worse than another, with a weight; `judge` is empty if nobody is named."""

    pair: Pair
    weight: Fraction
    judge: str
    row: int


@dataclass(frozen=True, slots=True)
class Preferences:
    """The judgements of a file, in its order; `same` counts the rows that say neither is worse."""

    file: str
    rows: tuple[Preference, ...]
    same: int

    def weights(self) -> dict[Pair, Fraction]:
        """The pairs that were judged, each with all the weight that was put on it, in the order of their cases."""
        total: dict[Pair, Fraction] = {}
        # in the order of cases, so that the order of a file decides nothing
        for row in sorted(self.rows, key=lambda row: (row.pair.worse, row.pair.better)):
            total[row.pair] = total.get(row.pair, Fraction(0)) + row.weight
        return total

    @property
    def pairs(self) -> int:
        """How many different pairs were judged, whichever was said to be worse."""
        return len({frozenset((row.pair.worse, row.pair.better)) for row in self.rows})

    def contradictions(self) -> Iterator[tuple[Pair, Fraction, Fraction]]:
        """Every pair that was judged both ways, the heavier side first, and the weight of each side."""
        weights = self.weights()
        for pair, weight in weights.items():
            against = weights.get(Pair(pair.better, pair.worse))
            if against is not None and (weight > against or (weight == against and pair.worse < pair.better)):
                yield pair, weight, against


# What is reported of judgements and of what a contract makes of them.

_NORMAL = 1.959964
"""The two-sided 95 % point of the normal distribution."""


class ShareRecord(Record, frozen=True):
    """So many of so many, with an interval at 95 % as if all were independent."""

    count: Count
    of: Count
    interval: tuple[float, float]

    @classmethod
    def counted(cls, count: int, of: int) -> "ShareRecord":
        """The record with Wilson's score interval (1927), which stays within 0 and 1 and is sound for few pairs."""
        if not of:
            return cls(count, of, (0.0, 1.0))
        share, z = count / of, _NORMAL
        middle = share + z * z / (2 * of)
        half = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
        scale = 1 + z * z / of
        low, high = (middle - half) / scale, (middle + half) / scale
        # rounding may put an end a little on the wrong side of the share itself
        return cls(count, of, (max(0.0, min(low, share)), min(1.0, max(high, share))))


class ViolatedPreference(CasePair, frozen=True):
    """A preference that the contract does not keep, with its weight and who said it."""

    weight: Fraction
    judges: tuple[str, ...]


class ContradictionRecord(CasePair, frozen=True):
    """Two cases that were judged both ways, and the weight of each side, the heavier first."""

    weight: Fraction
    against: Fraction


class SizeRecord(Record, frozen=True):
    """A contract of so many clauses fitted to the judgements: how many of those left out are kept, what is violated."""

    clauses: Count
    agreement: ShareRecord
    violated_weight: Fraction


class PathRecord(Record, frozen=True):
    """Fitted contracts by their size, and the size that was taken: the smallest about as good as the best (14.27)."""

    folds: Count
    sizes: Annotated[tuple[SizeRecord, ...], Meta(min_length=1)]
    best: Count
    taken: Count

    @property
    def words(self) -> str:
        """Why a fitted contract has as many clauses as it has."""
        share = self.sizes[self.taken - 1].agreement
        low, high = share.interval
        return f"{percent(share.count / share.of)} of judgements left out kept ({percent(low)} to {percent(high)})"


class PreferencesRecord(Record, frozen=True):
    """The judgements a selection was made from, what it violates of them, and what is proved of that (14.26, 14.27)."""

    file: str
    judgements: Count
    same: Count
    judges: tuple[str, ...]
    weight: Fraction
    violated: tuple[ViolatedPreference, ...]
    violated_weight: Fraction
    bound: Annotated[Fraction, Meta(description="No contract of these candidates violates less.")]
    contradictions: tuple[ContradictionRecord, ...]
    pairs: Annotated[int, Meta(ge=0, description="How many different pairs were judged.")]
    undecided: Annotated[int, Meta(ge=0, description="Of these, on how many both sides have the same weight.")]
    path: Annotated[PathRecord | None, Meta(description="Null where there are too few judgements to leave some out.")]
    folds: Count | None
    agreement: ShareRecord | None


# Judgements read from a table.


class CaseNames:
    """The sides of a row are cases of a calibration set, by name."""

    columns: tuple[str, ...] = ()

    def __init__(self, cases: Sequence[CalibrationCase]) -> None:
        self.places = {case.name: place for place, case in enumerate(cases)}

    def place(self, row: Mapping[str, str], side: str, at: RowPlace, diagnostics: Diagnostics) -> int | None:
        """The case of that name."""
        name = _text(row, side)
        if name not in self.places:
            diagnostics.add("unknown-case", f"there is no case `{name}`", at, did_you_mean(name, self.places))
        return self.places.get(name)


class ClipNames:
    """The sides of a row are systems, and `clip` is what they heard; each output that is named becomes a case."""

    columns: tuple[str, ...] = ("clip",)

    def __init__(self, outputs: SystemOutputs) -> None:
        self.outputs = outputs
        self.cases: list[CalibrationCase] = []
        self._places: dict[tuple[str, str], int] = {}

    def place(self, row: Mapping[str, str], side: str, at: RowPlace, diagnostics: Diagnostics) -> int | None:
        """The output of a system on a clip."""
        clip, system = _text(row, "clip"), _text(row, side)
        known = self.outputs
        if clip not in known.durations and side == "a":
            diagnostics.add("unknown-clip", f"no table has a clip `{clip}`", at, did_you_mean(clip, known.durations))
        if system not in known.systems:
            help = did_you_mean(system, known.systems) or "name it: `--system NAME=TABLE`"
            diagnostics.add("unknown-system", f"there is no system `{system}`", at, help)
        if clip not in known.durations or system not in known.systems:
            return None
        if (clip, system) not in self._places:
            self._places[clip, system] = len(self.cases)
            self.cases.append(known.case(clip, system))
        return self._places[clip, system]


Names = CaseNames | ClipNames
"""What the columns `a` and `b` of a table name, and the places of the cases they stand for."""


def read_preferences(path: str, names: Names, *, empty: bool = False) -> Preferences:
    """The preferences of a table with the columns a, b, worse, and perhaps weight and judge.

    InvalidInput carries every fault: what is not there or is compared with itself; no judgement at all, unless `empty`.
    """
    diagnostics = Diagnostics()
    source = read_file(path, diagnostics)
    if source is None:
        raise InvalidInput(diagnostics)
    table = judgement_table(source.text)
    needed = (*names.columns, *COLUMNS)
    every = f"{', '.join(needed)}, and perhaps weight, judge"

    def refused(headline: str, help: str | None = None) -> InvalidInput:
        return InvalidInput([*diagnostics, Diagnostic("wrong-form", headline, RowPlace(path, 1), help)])

    try:
        columns = table.fieldnames or ()
    except csv.Error as error:
        raise refused(f"the table cannot be read: {error}") from error
    if not source.text.strip():
        raise refused("the file is empty", f"its first line names the columns: {every}")
    if missing := [name for name in needed if name not in columns]:
        raise refused(f"the table has no column `{missing[0]}`", f"its columns are {every}")
    if not names.columns and "clip" in columns:
        help = "name their tables: `--ref TABLE --system NAME=TABLE` for each system"
        raise refused("the table judges systems on clips", help)
    rows: list[Preference] = []
    same = 0
    try:
        for row in table:
            read = _row(as_written(row, table), RowPlace(path, table.line_num), names, diagnostics)
            same += read is None
            rows += [read] if read else []
    except csv.Error as error:
        diagnostics.add("wrong-form", f"the table cannot be read: {error}", RowPlace(path, table.line_num))
    diagnostics.raise_errors()
    if not rows and not empty:
        headline = "every row says that neither is worse" if same else "no row says which of two is worse"
        diagnostics.add("wrong-form", headline, RowPlace(path), "without a judgement nothing can be selected")
        raise InvalidInput(diagnostics)
    return Preferences(path, tuple(rows), same)


def judgement_table(text: str) -> "csv.DictReader[str]":
    """The rows of a table of judgements by column, separated by tabs or commas."""
    head = text.splitlines()[0] if text.strip() else ""
    return csv.DictReader(StringIO(text, newline=""), delimiter="\t" if "\t" in head else ",")


def as_written(row: Mapping[str, str], table: "csv.DictReader[str]") -> dict[str, str]:
    """The fields of a row by column, without spaces around them and what keeps them from spreadsheets (17.12)."""
    named = {name: (text or "").strip() for name, text in row.items() if name}
    separator = table.reader.dialect.delimiter
    return dict(zip(fields_of(list(named), separator), fields_of(list(named.values()), separator), strict=True))


def _text(row: Mapping[str, str], column: str) -> str:
    return (row.get(column) or "").strip()


def _row(row: dict[str, str], at: RowPlace, names: Names, diagnostics: Diagnostics) -> Preference | None:
    """A judgement; None if neither is worse, or if the row cannot be used, which is reported."""
    a, b, worse = (_text(row, name) for name in COLUMNS)
    places = [names.place(row, side, at, diagnostics) for side in ("a", "b")]
    itself = places[0] is not None and places[0] == places[1]
    if itself:
        diagnostics.add("wrong-form", f"`{a}` is compared with itself", at, "name two different ones")
    if worse not in ("a", "b", "same", a, b):
        diagnostics.add("wrong-form", f"`{worse}` is none of a, b and same", at, "say which of the two is worse")
    text = _text(row, "weight") or "1"
    try:
        weight = parse_exact(text)
    except ValueError:
        weight = Fraction(-1)
    if weight <= 0:
        diagnostics.add("wrong-form", f"the weight `{text}` is not a positive number", at)
    first, second = places
    if first is None or second is None or itself or worse == "same" or weight <= 0:
        return None
    pair = Pair(first, second) if worse in ("a", a) else Pair(second, first)
    return Preference(pair, weight, _text(row, "judge"), at.row or 0)


# Which pair to ask about next: what would narrow the contracts still possible, and when that is over (rule 14.31).

_WEIGHTS = ((1, 1), (1, 3), (3, 1))
"""How two clauses are weighed when they are tried together."""
_MOST_ENTRIES = 40_000_000
"""So many verdicts of tried contracts on pairs are kept at most."""
_CHUNK = 2000
Signs = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """Contracts that were tried, one for each way to judge all pairs.

    An entry is 1 if the first case of a pair is worse, -1 if the second is, 0 if the contract does not say.
    """

    signs: Signs
    number: int
    """How many there were before those that judge alike were counted once."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """The number of contracts possible after some judgements, of pairs they differ on, and the pair to ask next."""

    possible: int
    violated: int
    """How many judgements each of them violates; none violates fewer."""
    next: int | None
    open: int

    @property
    def settled(self) -> bool:
        """Whether all contracts still possible that judge a pair judge it alike."""
        return self.open == 0


def tried_contracts(coordinates: Sequence[Coordinate], pairs: Sequence[Pair]) -> Tried:
    """Every coordinate alone, and sums of two by a few weights, as many as there is room for, in order."""
    turned = [Pair(pair.better, pair.worse) for pair in pairs]
    first, second = (_both(coordinates, some) for some in (pairs, turned))
    different: dict[bytes, None] = {}
    number = 0
    room = max(len(coordinates), _MOST_ENTRIES // max(len(pairs), 1))
    for chunk in _chunks(len(coordinates), room):
        number += len(chunk)
        one, other, by, with_ = (np.array(part) for part in zip(*chunk, strict=True))
        shares = by[:, None], with_[:, None]
        sums = [  # a pair is ordered alone and within a corpus alike, or not at all
            (table[:, one] * shares[0] + table[:, other] * shares[1]).min(axis=0) for table in (first, second)
        ]
        signs = (sums[0] > 0).astype(np.int8) - (sums[1] > 0).astype(np.int8)
        # contracts that judge all pairs alike are one: otherwise the many near-copies would decide what is asked
        different |= dict.fromkeys(row.tobytes() for row in signs)
    signs = np.frombuffer(b"".join(different), dtype=np.int8).reshape(len(different), len(pairs))
    return Tried(signs, number)


def _both(coordinates: Sequence[Coordinate], pairs: Sequence[Pair]) -> Whole:
    """The differences by table (alone, within a corpus), coordinate and pair."""
    table = differences_of(coordinates, pairs).of(slice(None))
    return np.ascontiguousarray(table.reshape(-1, len(pairs), len(coordinates)).transpose(0, 2, 1))


def _chunks(coordinates: int, room: int) -> Iterator[list[tuple[int, int, int, int]]]:
    """Two clauses and their weights, some at a time: each clause alone, then each pair under each of the weights."""
    alone = ((c, c, 1, 0) for c in range(coordinates))
    paired = ((a, b, *weights) for weights in _WEIGHTS for a, b in combinations(range(coordinates), 2))
    every = islice(chain(alone, paired), room)
    while chunk := list(islice(every, _CHUNK)):
        yield chunk


def outlook(tried: Tried, judged: Mapping[int, int], judged_pairs: frozenset[int]) -> Outlook:
    """The outlook after judgements: by pair the weight of the first being worse, less that of the second.

    The next pair is, of those not asked, the one that the possible contracts are divided on most evenly: whatever is
    answered, as many go as can be. Of equal ones the first.
    """
    violated = np.zeros(len(tried.signs), dtype=np.int64)
    for pair, sign in judged.items():
        # the least violated ones stay, not those that violate nothing: one slip of a judge would leave none
        violated += (tried.signs[:, pair] != np.sign(sign)) * abs(sign)
    least = int(violated.min()) if len(violated) else 0
    possible = tried.signs[violated == least]
    for_first, for_second = (possible == 1).sum(axis=0), (possible == -1).sum(axis=0)
    # Query by committee (Seung, Opper and Sompolinsky 1992): an answer removes at least the smaller side.
    split = np.minimum(for_first, for_second)
    split[sorted(judged_pairs)] = 0
    best = int(split.argmax()) if split.size else 0
    left = [pair for pair in range(tried.signs.shape[1]) if pair not in judged_pairs]
    divided = split.size and split[best] > 0
    return Outlook(len(possible), least, best if divided else next(iter(left), None), int((split > 0).sum()))
