"""Family certificates: a contract, the tables' own times and the vector they score, in one file for the kernel."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from tracepact.core import Aggregation, EventClause, FrameClause, MatcherKind, attributes
from tracepact.core.contract import BUILTIN_ATOMS
from tracepact.events.matching import candidates
from tracepact.scoring import Scorecard
from tracepact.tools.prove.predicate_text import lean_predicate
from tracepact.tools.prove.text import lean_bool, lean_formula, lean_int, lean_list
from tracepact.trace import Event, EventTable, FrameRun, Mode, Side, join_runs
from tracepact.trace.exact import common_unit
from tracepact.trace.grid import Grid

_OPENING = """\
import Tracepact.Thm.Vector
/-!
Family certificate of `{name}`, contract {digest}.

Times are in units of 1/{unit} s. `scores` says: under `contract` the tables of the family, from their own times,
score exactly this vector; of each clause the pooled counts, and the mean over clips and classes. Each theorem before
it is one computation for Lean's kernel, which `tallied_certified` proves to be the meaning. Anyone who has Lean and the
proof core can check this file again.
-/
set_option autoImplicit false
set_option exponentiation.threshold 1000000000
set_option maxRecDepth 1000000
set_option maxHeartbeats 0
noncomputable section
namespace Tracepact.Certificate
"""


@dataclass(frozen=True, slots=True)
class FamilyCertificate:
    """The text of a family certificate and the names of its theorems; the last one is the vector."""

    text: str
    theorems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Clip:
    """One clip of one class: its place, duration and events in units, and its runs."""

    title: str
    segment: int
    duration: int
    events: Mapping[Side, tuple[tuple[int, int], ...]]


def left_out(card: Scorecard) -> str | None:
    """What of a scorecard a family certificate has no words for, or none."""
    contract, family = card.contract, card.family
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
    if not family.segments:
        return "a family without a clip"
    return None


def family_certificate(
    card: Scorecard, reference: EventTable, prediction: EventTable, durations: Mapping[str, Fraction]
) -> FamilyCertificate:
    """The certificate of a scorecard, from the tables it was made of; ValueError if there are no words for it."""
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
    clips = list(_clips(card, {Side.REF: reference, Side.PRED: prediction}, durations, unit))
    return _Writer(card, unit, clips).certificate()


def _clips(
    card: Scorecard, tables: Mapping[Side, EventTable], durations: Mapping[str, Fraction], unit: int
) -> Iterator[_Clip]:
    """Every clip of every class, with the events that belong to it in the tables' order."""
    family = card.family
    for segment in range(family.segments):
        clip, label = family.place(segment)
        chosen = {
            side: tuple(_ticks(event, unit) for event in table.clips.get(clip, ()) if _belongs(card, event, label))
            for side, table in tables.items()
        }
        yield _Clip(f"clip {clip!r}, class {label!r}", segment, int(durations[clip] * unit), chosen)


def _belongs(card: Scorecard, event: Event, label: str) -> bool:
    return card.family.mode is Mode.UNION or event.label == label


def _ticks(event: Event, unit: int) -> tuple[int, int]:
    return int(event.onset * unit), int(event.offset * unit)


class _Writer:
    """What the parts of one certificate share."""

    def __init__(self, card: Scorecard, unit: int, clips: Sequence[_Clip]) -> None:
        self.card, self.contract, self.unit, self.clips = card, card.contract, unit, clips
        self.step = int(self.contract.step * unit)
        self.counts = [card.counts[clause.name] for clause in self.contract.clauses]
        self.common = lcm(*(int(n) for count in self.counts for n in set(count.obligated.flat) if n))
        self.grid = Grid(self.contract.step, self.contract.projection)

    def certificate(self) -> FamilyCertificate:
        """The whole file."""
        lines = [_OPENING.format(name=self.contract.name, digest=self.contract.digest, unit=self.unit).rstrip("\n")]
        lines.append(f"def contract : Contract :=\n  {self._contract()}")
        lines.append(f"def common : Nat := {self.common}")
        names: list[str] = []
        sums = [(0, 0, 0)] * len(self.counts)
        lines += ["def family0 : List Sides := .nil", f"def tally0 : FamilyTally := {self._tally(sums, 0, False)}"]
        lines.append("theorem tallied0 : Tallied contract common family0 tally0 := .none")
        names.append("tallied0")
        evidence = False
        for number, clip in enumerate(reversed(self.clips), start=1):
            sums = self._added(sums, clip)
            evidence |= self._evidence(clip)
            entry = f"⟨clip{number}, {self._hints(clip)}, {self._clip_counts(clip)}, {_tallies(sums)}⟩"
            lines += [
                f"-- {' '.join(clip.title.split())}",
                f"def clip{number} : Sides := {self._sides(clip)}",
                f"def family{number} : List Sides := .cons clip{number} family{number - 1}",
                f"def tally{number} : FamilyTally := {self._tally(sums, number, evidence)}",
                f"theorem tallied{number} : Tallied contract common family{number} tally{number} :=",
                f"  tallied_certified contract common tallied{number - 1} (.cons {entry} .nil) (id rfl)",
            ]
            names.append(f"tallied{number}")
        count = len(self.clips)
        lines.append(f"def vector : List ClauseScore := {self._vector()}")
        lines.append(
            f"theorem scores : ScoresTo contract family{count} vector :=\n"
            f"  vector_certified contract common family{count} tally{count} vector tallied{count} (id rfl)"
        )
        names.append("scores")
        lines.append("#print axioms scores")
        lines.append("end Tracepact.Certificate")
        return FamilyCertificate("\n".join(lines) + "\n", tuple(f"Tracepact.Certificate.{name}" for name in names))

    def _contract(self) -> str:
        contract = self.contract
        reward, scale = contract.matcher.overlap_reward.as_integer_ratio()
        numbers = {atom: number for number, atom in enumerate(BUILTIN_ATOMS)}
        clauses = []
        for clause in contract.clauses:
            match clause:
                case FrameClause():
                    parts = f"{lean_formula(clause.obligation, numbers)} {lean_formula(clause.formula, numbers)}"
                    clauses.append(f"(.frame {parts})")
                case EventClause():
                    clauses.append(f"(.event .{clause.each.value} {lean_predicate(clause, self.unit)})")
        gap, search = int(contract.merge_gap * self.unit), int(contract.matcher.search * self.unit)
        return f"⟨{self.step}, .{contract.projection.value}, {gap}, {search}, {scale}, {reward}, {lean_list(clauses)}⟩"

    def _sides(self, clip: _Clip) -> str:
        return f"⟨{clip.duration}, {_pairs(clip.events[Side.REF])}, {_pairs(clip.events[Side.PRED])}⟩"

    def _hints(self, clip: _Clip) -> str:
        frames = self.card.family.frames_of(clip.segment)
        seen = {side: self._seen(self._runs(clip, side)) for side in Side}
        sides = []
        for side in Side:
            projected = [self.grid.edges(onset, offset, self.step) for onset, offset in clip.events[side]]
            sides.append(f"⟨{_pairs(projected)}, {_pairs(self._runs(clip, side))}, {_pairs(seen[side])}⟩")
        matching = self._matching(seen[Side.REF], seen[Side.PRED])
        return f"⟨{frames}, {max(frames - 1, 0).bit_length()}, {sides[0]}, {sides[1]}, {matching}⟩"

    def _runs(self, clip: _Clip, side: Side) -> tuple[FrameRun, ...]:
        return tuple(self.card.family.runs[side].get(clip.segment, ()))

    def _seen(self, runs: Sequence[FrameRun]) -> tuple[FrameRun, ...]:
        """The joined runs in units of time."""
        joined = join_runs(runs, self.contract.merge_gap, self.contract.step)
        return tuple((start * self.step, end * self.step) for start, end in joined)

    def _matching(self, refs: Sequence[FrameRun], preds: Sequence[FrameRun]) -> str:
        """The candidates, and what the greedy matcher keeps of them, the latest first (rules 8.1 to 8.3)."""
        reward, scale = self.contract.matcher.overlap_reward.as_integer_ratio()
        search = int(self.contract.matcher.search * self.unit)
        found = candidates(refs, preds, search, reward, scale)
        kept: list[tuple[int, int, int]] = []
        for cost, i, j in sorted(found):
            if all(i != other[1] and j != other[2] for other in kept):
                kept.append((cost, i, j))

        def listed(some: Iterable[tuple[int, int, int]]) -> str:
            return lean_list(f"⟨{i}, {j}, {lean_int(cost)}, {refs[i][0]}, {preds[j][0]}⟩" for cost, i, j in some)

        return f"{listed(found)}, {listed(reversed(kept))}"

    def _at(self, clip: _Clip) -> tuple[int, int]:
        label, column = divmod(clip.segment, len(self.card.family.clips))
        return label, column

    def _clip_counts(self, clip: _Clip) -> str:
        place = self._at(clip)
        counts = lean_list(f"⟨{int(c.satisfied[place])}, {int(c.obligated[place])}⟩" for c in self.counts)
        return f"⟨{counts}, {lean_bool(self._evidence(clip))}⟩"

    def _evidence(self, clip: _Clip) -> bool:
        return any(self._runs(clip, side) for side in Side)

    def _added(self, sums: Sequence[tuple[int, int, int]], clip: _Clip) -> list[tuple[int, int, int]]:
        """The tallies with one more clip."""
        place = self._at(clip)
        added = []
        for (satisfied, obligated, parts), count in zip(sums, self.counts, strict=True):
            part = count.score(*place).value * self.common
            added.append(
                (satisfied + int(count.satisfied[place]), obligated + int(count.obligated[place]), parts + int(part))
            )
        return added

    def _tally(self, sums: Sequence[tuple[int, int, int]], clips: int, evidence: bool) -> str:
        return f"⟨{_tallies(sums)}, {clips}, {lean_bool(evidence)}⟩"

    def _vector(self) -> str:
        rows = []
        for clause in self.contract.clauses:
            pooled = self.card.score(clause.name, Aggregation.POOLED)
            mean = self.card.score(clause.name, Aggregation.MACRO_CLIPS).value
            counts = (pooled.satisfied, pooled.obligated) if pooled.obligated else (int(pooled.value), 1)
            value = f"⟨{counts[0]}, {counts[1]}, {lean_bool(pooled.vacuous)}⟩"
            rows.append(f"⟨{value}, {mean.numerator}, {mean.denominator}⟩")
        return lean_list(rows)


def _pairs(pairs: Sequence[tuple[int, int]]) -> str:
    return lean_list(f"⟨{start}, {end}⟩" for start, end in pairs)


def _tallies(sums: Sequence[tuple[int, int, int]]) -> str:
    return lean_list(f"⟨{satisfied}, {obligated}, {parts}⟩" for satisfied, obligated, parts in sums)
