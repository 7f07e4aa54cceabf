"""Family certificates: a contract, the tables' own times and the vector they score, in one file for the kernel."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tracepact.data.events import Event, EventTable, common_unit
from tracepact.data.family import Mode, Side
from tracepact.evaluate.scorecard import Scorecard
from tracepact.language.contract import BUILTIN_ATOMS, Aggregation, Contract, EventClause, FrameClause, MatcherKind
from tracepact.language.predicate import attributes
from tracepact.prove.text import FRAME, core_clauses, core_projection, lean_bool, lean_list

AGGREGATIONS = (
    Aggregation.POOLED,
    Aggregation.MACRO_CLIPS,
    Aggregation.MACRO_CLASSES,
    Aggregation.MACRO_CLASSES_INFORMATIVE,
)
"""What a family certificate states of every clause, in this order."""

NAMESPACE = "Tracepact.Certificate"
_ITEMS_A_BLOCK = 32
_FRAMES_A_BLOCK = 1 << 18

_OPENING = """\
import Tracepact.Thm.Vector
/-!
Family certificate of `{name}`, contract {digest}.

Times are in units of 1/{unit} s. An item is a clip of one class: how many more clips have the same tables, its
duration, and the events of the reference and of the prediction, as onsets and offsets. `scores` says: under `contract`
these tables, from their own times, score exactly `vector`; of each clause the pooled counts, the mean over clips, and
the mean over classes with and without those that have no obligation. The clips of a block are one computation for
Lean's kernel, which `tallied_certified` proves to be the meaning. Anyone who has Lean and the proof core can check this
file again.
-/
"""

_Times = tuple[tuple[int, int], ...]
_Tables = tuple[int, _Times, _Times]
"""A duration and the events of both sides, in units."""


@dataclass(frozen=True, slots=True)
class FamilyCertificate:
    """The text of a family certificate and the names of its theorems; the last one is the vector."""

    text: str
    theorems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Item:
    """Clips of one class that have the same tables, by number, and their segments."""

    tables: _Tables
    clips: tuple[int, ...]
    segment: int
    folds: int
    """The power of two that is at least the number of frames."""


@dataclass(frozen=True, slots=True)
class _Tally:
    """What a clause comes to on some clips; the values are added by multiplication, as the core does."""

    satisfied: int = 0
    obligated: int = 0
    numerator: int = 0
    denominator: int = 1

    def __str__(self) -> str:
        return f"⟨{self.satisfied}, {self.obligated}, ⟨{self.numerator}, {self.denominator}⟩⟩"


def left_out(card: Scorecard) -> str | None:
    """What of a scorecard a family certificate has no words for, or none."""
    contract, family = card.contract, card.family
    # The core derives masks from the times of the tables; a mask that was given has no time.
    others = sorted(contract.atoms - set(BUILTIN_ATOMS))
    if others:
        return f"atoms other than the six of the boundary ({', '.join(others)})"
    if family.ignored:
        return "ignored regions"
    if contract.event_clauses and contract.matcher.kind is not MatcherKind.GREEDY:
        return "the optimal matcher"
    names = {a.name for c in contract.event_clauses for _, atom in c.event_atoms for a in attributes(atom)}
    if "dominant" in names and len(family.classes) > 1:
        return "`dominant` with more than one class"
    if contract.aggregation not in AGGREGATIONS:
        return f"the aggregation that the contract declares, {contract.aggregation.value}"
    if not family.segments:
        return "a family without a clip"
    return None


def family_certificate(
    card: Scorecard, reference: EventTable, prediction: EventTable, durations: Mapping[str, Fraction]
) -> FamilyCertificate:
    """The certificate of a scorecard, from its tables; ValueError if it uses what a certificate cannot state."""
    reason = left_out(card)
    if reason is not None:
        raise ValueError(f"a family certificate does not cover {reason}")
    contract = card.contract
    unit = common_unit(
        reference.times,
        prediction.times,
        durations.values(),
        (contract.step, contract.merge_gap, contract.matcher.search),
    )
    lines, theorems = family_part(card, reference, prediction, durations, unit)
    opening = _OPENING.format(name=contract.name, digest=contract.digest, unit=unit) + FRAME.rstrip("\n")
    ending = ["#print axioms scores", "end Tracepact.Certificate"]
    written = [opening, f"def contract : Contract :=\n  {lean_contract(contract, unit)}", *lines, *ending]
    return FamilyCertificate("\n".join(written) + "\n", tuple(f"{NAMESPACE}.{name}" for name in theorems))


def _classes(
    card: Scorecard, tables: tuple[EventTable, EventTable], durations: Mapping[str, Fraction], unit: int
) -> Iterator[list[_Item]]:
    """The items of each class: those with the most frames last, otherwise as their first clips are in order."""
    family = card.family
    columns = len(family.clips)
    for first in range(0, family.segments, columns):
        grouped: dict[_Tables, list[int]] = {}
        for segment in range(first, first + columns):
            clip, label = family.place(segment)
            refs, preds = (_times(card, table.clips.get(clip, ()), label, unit) for table in tables)
            grouped.setdefault((int(durations[clip] * unit), refs, preds), []).append(segment)
        # Clips with the same times have the same counts: each different one is computed once and multiplied.
        items = [
            _Item(
                times,
                tuple(segment - first + 1 for segment in segments),
                segments[0],
                max(family.frames_of(segments[0]) - 1, 0).bit_length(),
            )
            for times, segments in grouped.items()
        ]
        # A block is computed with the number of doublings of its longest clip; so clips of like length go together.
        yield sorted(items, key=lambda item: item.folds)


def _times(card: Scorecard, events: Iterable[Event], label: str, unit: int) -> _Times:
    """The events that belong to a class, in the table's order."""
    return tuple(
        (int(event.onset * unit), int(event.offset * unit))
        for event in events
        if card.family.mode is Mode.UNION or event.label == label
    )


def _blocks(items: Sequence[_Item]) -> Iterator[list[_Item]]:
    """The items of a class in blocks with a bounded amount of work each."""
    block: list[_Item] = []
    for item in items:
        # The kernel's work on a block grows with its clips times the frames of the longest, rounded up to a power of
        # two.
        frames = (len(block) + 1) * 2 << item.folds
        if block and (len(block) == _ITEMS_A_BLOCK or frames > _FRAMES_A_BLOCK):
            yield block
            block = []
        block.append(item)
    yield block


def lean_contract(contract: Contract, unit: int) -> str:
    """The core term of a contract, with times in units of 1/`unit` s."""
    reward, scale = contract.matcher.overlap_reward.as_integer_ratio()
    clauses = (clause.text for clause in core_clauses(contract, unit))
    step, gap, search = (int(x * unit) for x in (contract.step, contract.merge_gap, contract.matcher.search))
    projection = core_projection(contract.projection).text
    return f"⟨{step}, {projection}, {gap}, {search}, {scale}, {reward}, {lean_list(clauses)}⟩"


def family_part(
    card: Scorecard,
    reference: EventTable,
    prediction: EventTable,
    durations: Mapping[str, Fraction],
    unit: int,
    prefix: str = "",
) -> tuple[list[str], list[str]]:
    """The lines that state and prove what a family scores, and the names of their theorems, the last one the vector.

    Every name begins with the prefix; the term `contract` stands before them.
    """
    return _Writer(card, unit, prefix).written(list(_classes(card, (reference, prediction), durations, unit)))


class _Writer:
    """What the parts of one family share."""

    def __init__(self, card: Scorecard, unit: int, prefix: str) -> None:
        self.card, self.contract, self.unit, self.prefix = card, card.contract, unit, prefix
        self.lines: list[str] = []
        self.theorems: list[str] = []

    def written(self, classes: Sequence[Sequence[_Item]]) -> tuple[list[str], list[str]]:
        """All lines, and the names of the theorems."""
        family, p = self.card.family, self.prefix
        self.lines += [f"-- clip {number}: {clip!r}" for number, clip in enumerate(family.clips, start=1)]
        for number, (label, items) in enumerate(zip(family.classes, classes, strict=True), start=1):
            self._class(number, label, items)
        numbers = range(1, len(classes) + 1)
        self.lines += [
            f"def {p}family : List (List Sides) := {lean_list(f'{p}class{k}' for k in numbers)}",
            f"def {p}tallies : List ClassTally := {lean_list(f'{p}total{k}' for k in numbers)}",
            f"def {p}vector : List ClauseScore := {self._vector()}",
        ]
        tallied = "".join(f"(.more {p}classTallied{k} " for k in numbers) + ".none" + ")" * len(classes)
        parts = f"contract {p}family {len(family.clips)} {p}tallies {p}vector"
        self._theorem(
            "scores", f"ScoresTo contract {p}family {p}vector", f"vector_certified {parts}\n    {tallied} (id rfl)"
        )
        return self.lines, self.theorems

    def _theorem(self, name: str, statement: str, proof: str) -> None:
        self.lines.append(f"theorem {self.prefix}{name} : {statement} :=\n  {proof}")
        self.theorems.append(f"{self.prefix}{name}")

    def _class(self, number: int, label: str, items: Sequence[_Item]) -> None:
        """The blocks of a class, and what they come to together."""
        p = self.prefix
        self.lines.append(f"-- class {number}: {label!r}")
        blocks = list(_blocks(items))
        names = [f"{number}_{block}" for block in range(1, len(blocks) + 1)]
        for name, block in zip(names, blocks, strict=True):
            self._block(name, block)
        clips, total, proof = f"{p}clips{names[-1]}", f"{p}tally{names[-1]}", f"{p}tallied{names[-1]}"
        # Nested to the right, as lists are: the proof unfolds along with the list and not against it.
        for name in reversed(names[:-1]):
            clips = f"append {p}clips{name} ({clips})"
            total, proof = f"ClassTally.plus {p}tally{name} ({total})", f".both {p}tallied{name} ({proof})"
        self.lines += [f"def {p}class{number} : List Sides := {clips}", f"def {p}total{number} : ClassTally := {total}"]
        self._theorem(f"classTallied{number}", f"Tallied contract {p}class{number} {p}total{number}", proof)

    def _block(self, name: str, block: Sequence[_Item]) -> None:
        p = self.prefix
        self.lines.append(f"def {p}items{name} : List Item :=")
        for item in block:
            self.lines += [f"  -- {_numbers(item.clips)}", f"  (.cons ⟨{len(item.clips) - 1}, {_sides(item.tables)}⟩"]
        self.lines[-1] += " .nil" + ")" * len(block)
        self.lines += [
            f"def {p}tally{name} : ClassTally := {self._tally(block)}",
            f"def {p}clips{name} : List Sides := stacked .nil {p}items{name}",
        ]
        proof = f"tallied_certified contract {block[-1].folds} {p}items{name} {p}tally{name} (id rfl)"
        self._theorem(f"tallied{name}", f"Tallied contract {p}clips{name} {p}tally{name}", proof)

    def _tally(self, block: Sequence[_Item]) -> str:
        tallies = [_Tally()] * len(self.contract.clauses)
        for item in block:
            tallies = list(map(self._added, self.contract.clauses, tallies, itertools.repeat(item)))
        runs = self.card.family.runs
        evidence = any(runs[side].get(item.segment, ()) for item in block for side in Side)
        clips = sum(len(item.clips) for item in block)
        return f"⟨{lean_list(map(str, tallies))}, {clips}, {lean_bool(evidence)}⟩"

    def _added(self, clause: FrameClause | EventClause, tally: _Tally, item: _Item) -> _Tally:
        """The tally of a clause with the clips of one more item."""
        label, column = divmod(item.segment, len(self.card.family.clips))
        score = self.card.counts[clause.name].score(label, column)
        # A clip without an obligation counts as 1, or as 0 if there is a run that speaks against it (rule 7.4).
        top, bottom = (score.satisfied, score.obligated) if score.obligated else (int(score.value), 1)
        times = len(item.clips)
        # Fractions are not reduced: the kernel compares numerators and denominators as they are, and would have to
        # compute every greatest common divisor.
        return _Tally(
            times * score.satisfied + tally.satisfied,
            times * score.obligated + tally.obligated,
            times * top * tally.denominator + tally.numerator * bottom,
            bottom * tally.denominator,
        )

    def _vector(self) -> str:
        rows = []
        for clause in self.contract.clauses:
            pooled, *means = (self.card.score(clause.name, how) for how in AGGREGATIONS)
            counts = (pooled.satisfied, pooled.obligated) if pooled.obligated else (int(pooled.value), 1)
            fractions = (f"⟨{mean.value.numerator}, {mean.value.denominator}⟩" for mean in means)
            rows.append(f"⟨⟨{counts[0]}, {counts[1]}, {lean_bool(pooled.vacuous)}⟩, {', '.join(fractions)}⟩")
        return lean_list(rows)


def _sides(tables: _Tables) -> str:
    duration, refs, preds = tables
    return f"⟨{duration}, {_pairs(refs)}, {_pairs(preds)}⟩"


def _pairs(pairs: Sequence[tuple[int, int]]) -> str:
    return lean_list(f"⟨{start}, {end}⟩" for start, end in pairs)


def _numbers(clips: Sequence[int]) -> str:
    """Clips by number: `clip 3`, or `clips 1, 4 to 9`."""
    spans: list[list[int]] = []
    for clip in clips:
        if spans and spans[-1][1] == clip - 1:
            spans[-1][1] = clip
        else:
            spans.append([clip, clip])
    said = ", ".join(f"{a}" if a == b else f"{a} to {b}" for a, b in spans)
    return f"clip{'' if len(clips) == 1 else 's'} {said}"
