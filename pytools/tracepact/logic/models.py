"""Traces that answer a question, replayed and drawn, over base atoms; and seeded random ones."""

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from time import monotonic

from tracepact.declarations import dataclass
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks, evaluate_trace
from tracepact.evaluate.reference import holds
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.language.formula import (
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Not,
    atoms,
    children,
    mapped,
    sight,
    window,
)

# The atoms of a question: which are base variables and how the others are defined from them.
#
# The base atoms are `ref_active`, `pred_active`, `other_ref_active`, `other_pred_active` and whatever the caller
# supplies; nothing in the language relates one to another (rule 5.7: the other classes are other events). An onset
# and an offset are defined by rule 5.6, and both definitions are core formulas:
#
# x_onset  =  x_active & !F[-1,-1] x_active        (true at the first frame of a trace that starts active)
# x_offset = !x_active &  F[-1,-1] x_active        (an event that reaches the end has no offset frame)
#
# so replacing them leaves a formula over base atoms that means the same, and whatever is proven about core formulas
# (locality, bounded models) holds for it as it stands.


def _onset(active: Formula) -> Formula:
    return And(active, Not(Eventually(-1, -1, active)))


def _offset(active: Formula) -> Formula:
    return And(Not(active), Eventually(-1, -1, active))


DEFINITIONS: Mapping[str, Formula] = {
    "ref_onset": _onset(Atom("ref_active")),
    "ref_offset": _offset(Atom("ref_active")),
    "pred_onset": _onset(Atom("pred_active")),
    "pred_offset": _offset(Atom("pred_active")),
}
"""The derived atoms over base atoms."""


def over_base_atoms(formula: Formula) -> Formula:
    """The formula with every derived atom replaced by its definition."""
    return _with_atoms(formula, lambda atom: DEFINITIONS.get(atom.name, atom))


def renamed(formula: Formula, name: Callable[[str], str]) -> Formula:
    """The formula with other names for its atoms."""
    return _with_atoms(formula, lambda atom: Atom(name(atom.name)))


def without_other_classes(formula: Formula) -> Formula:
    """The formula where there is one class only: no other one is ever active (rule 5.7)."""
    return _with_atoms(formula, lambda atom: Constant(False) if atom.name in CLASS_ATOMS else atom)


def with_prediction(formula: Formula, *, active: bool) -> Formula:
    """The formula where the prediction, in every class, is active at every frame, or at none."""
    # A prediction that is always on has one onset, at the first frame: the only one that has no frame before it.
    start = Not(Eventually(-1, -1, Constant(True))) if active else Constant(False)
    constant: dict[str, Formula] = {
        "pred_active": Constant(active),
        "other_pred_active": Constant(active),
        "pred_onset": start,
        "pred_offset": Constant(False),
    }
    return _with_atoms(formula, lambda atom: constant.get(atom.name, atom))


def _with_atoms(formula: Formula, of: Callable[[Atom], Formula]) -> Formula:
    return mapped(formula, lambda part: of(part) if isinstance(part, Atom) else part)


def with_derived_atoms(base: Mapping[str, Sequence[bool]]) -> dict[str, tuple[bool, ...]]:
    """The environment of base masks and the derived atoms, frame by frame as rule 5.6 says them."""
    environment = {name: tuple(values) for name, values in base.items()}
    for side in ("ref", "pred"):
        active = environment.get(f"{side}_active")
        if active is None:
            continue
        before = (False, *active[:-1])
        environment[f"{side}_onset"] = tuple(now and not then for now, then in zip(active, before, strict=True))
        environment[f"{side}_offset"] = tuple(then and not now for now, then in zip(active, before, strict=True))
    return environment


# A trace that answers a question: base masks, the judged frame, and the replay in the reference semantics.

_MOST_STEPS = 500_000
"""The most steps of the reference semantics that a replay takes; it looks at every frame of every window."""


class ReplayError(Exception):
    """A solver's model that the reference semantics does not confirm: a fault of tracepact, never an answer."""


@dataclass(frozen=True, slots=True)
class Model:
    """A trace: its number of frames, the truth of its atoms at each, and the frame a question is about.

    `minimal` says that no trace is shorter (at any length) and none of its length has fewer active frames.
    """

    frames: int
    atoms: dict[str, tuple[bool, ...]]
    frame: int
    free: bool = False
    minimal: bool = False

    @property
    def environment(self) -> dict[str, tuple[bool, ...]]:
        """Every atom at every frame, derived atoms included unless all are free."""
        return dict(self.atoms) if self.free else with_derived_atoms(self.atoms)

    @property
    def active(self) -> int:
        """How many atom-frames are active."""
        return sum(sum(values) for values in self.atoms.values())

    def satisfies(self, formula: Formula) -> bool:
        """Whether the formula is true at the judged frame, by the reference semantics; long windows by the engine.

        Windows inside windows of tens of thousands of frames would take the reference hours.
        """
        if _steps(formula, self.frames) <= _MOST_STEPS:
            return holds(formula, self.environment, self.frames, self.frame)
        masks = {name: int("".join("01"[on] for on in reversed(row)), 2) for name, row in self.environment.items()}
        return bool(evaluate_trace(formula, masks, self.frames) >> self.frame & 1)

    def replayed(self, formula: Formula) -> "Model":
        """The model itself if it satisfies the formula; anything else is an internal error."""
        if not self.satisfies(formula):
            raise ReplayError(f"the model of {self.frames} frames does not satisfy {formula} at frame {self.frame}")
        return self


class Verdict(Enum):
    """What a solver found about a formula."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class TraceAnswer:
    """A verdict with the trace that shows sat, and why it is unknown if it is."""

    verdict: Verdict
    model: Model | None = None
    reason: str | None = None


def _steps(formula: Formula, frames: int) -> int:
    """A bound on the frames that the reference looks at: each part at no more than every frame, a window at a time."""
    total, waiting = 0, [(formula, 1)]
    while waiting:
        part, at = waiting.pop()
        lo, hi = window(part) or (0, 0)
        width = min(hi - lo + 1, frames)
        total += at * width
        waiting += [(inner, min(frames, at * width)) for inner in children(part)]
    return total


# A small picture of a trace: a row for each atom, a column for each frame, the judged frame marked.

NOT_SMALLEST = "it is not known whether a smaller trace shows it"
_ACTIVE, _INACTIVE, _MARK = "█", "·", "▼"
_HEAD = r"frame [0-9]+ of ([0-9]{1,18})\b"
_ROW = rf"(\w+)  +([{_ACTIVE}{_INACTIVE}]+)"
_PICTURE_LONGEST = 64
_WIDEST = 120
"""How many columns of a long trace are drawn."""
_KEPT = 4
"""How many columns of a long stretch of equal frames are drawn on each side of what is left out."""


def picture(model: Model, names: Iterable[str] | None = None) -> str:
    """The rows of the named atoms (all base atoms if None); of a long trace, what is near the judged frame."""
    environment = model.environment
    wanted = sorted(set(model.atoms if names is None else names) & set(environment), key=_order)
    rows = [environment[name] for name in wanted]
    columns = _columns(rows, model)
    labels = [f"frame {model.frame} of {model.frames}", *wanted]
    width = max(map(len, labels))
    lines = [f"{labels[0]:<{width}}  " + "".join(_cell(c, model.frame) for c in columns)]
    for name, row in zip(wanted, rows, strict=True):
        cells = "".join(_gap(c) if isinstance(c, tuple) else _ACTIVE if row[c] else _INACTIVE for c in columns)
        lines.append(f"{name:<{width}}  {cells}")
    return "\n".join(line.rstrip() for line in lines)


def read_picture(text: str) -> Mapping[str, tuple[bool, ...]] | None:
    """The truth values of the atoms in the first picture of a text; None if it has none, or not every frame of it."""
    lines = text.splitlines()
    head = re.match(_HEAD, lines[0]) if lines else None
    if head is None:
        return None
    frames, rows = int(head[1]), {}
    for line in lines[1:]:
        row = re.fullmatch(_ROW, line)
        if row is None:
            break
        rows[row[1]] = tuple(cell == _ACTIVE for cell in row[2])
    return rows if rows and all(len(row) == frames for row in rows.values()) else None


_Column = int | tuple[int]
"""A frame, or how many frames are left out."""


def _columns(rows: list[tuple[bool, ...]], model: Model) -> list[_Column]:
    if model.frames <= _PICTURE_LONGEST:
        return list(range(model.frames))
    return _around(_without_stretches(rows, model), model.frame)


def _around(columns: list[_Column], judged: int) -> list[_Column]:
    """The columns nearest to the judged frame where they are too many to be seen; how many frames are left out."""
    if len(columns) <= _WIDEST:
        return columns
    first = max(0, min(columns.index(judged) - _WIDEST // 2, len(columns) - _WIDEST))
    before, after = columns[:first], columns[first + _WIDEST :]
    return [*_left_out(before), *columns[first : first + _WIDEST], *_left_out(after)]


def _left_out(columns: list[_Column]) -> list[_Column]:
    frames = sum(column[0] if isinstance(column, tuple) else 1 for column in columns)
    return [(frames,)] if frames else []


def _without_stretches(rows: list[tuple[bool, ...]], model: Model) -> list[_Column]:
    columns: list[_Column] = []
    start = 0
    while start < model.frames:
        end = start + 1
        while end < model.frames and end != model.frame and start != model.frame and _equal(rows, start, end):
            end += 1
        if end - start > 2 * _KEPT + 2:
            columns += [*range(start, start + _KEPT), (end - start - 2 * _KEPT,), *range(end - _KEPT, end)]
        else:
            columns += range(start, end)
        start = end
    return columns


def _equal(rows: list[tuple[bool, ...]], i: int, j: int) -> bool:
    return all(row[i] == row[j] for row in rows)


def _gap(column: tuple[int]) -> str:
    return f" …{column[0]} more… "


def _cell(column: _Column, judged: int) -> str:
    if isinstance(column, tuple):
        return " " * len(_gap(column))
    return _MARK if column == judged else " "


def _order(name: str) -> tuple[int, str]:
    known = (*BUILTIN_ATOMS, *CLASS_ATOMS)
    return (known.index(name) if name in known else len(known)), name


# Seeded random traces on which a formula may hold: a cheap way to an answer that is often yes.

# Two parts, since the form of a formula is looked at between them: cheaper than thirty-two more samples.
FEW, MORE = range(8), range(8, 40)
"""The samples that are tried first, and those that are tried after; each part is judged in one go."""
_LONGEST_SAMPLE = 4000
_LONG_SAMPLES, _SAMPLES_LONGEST = 60, 400_000
"""How many traces as long as a formula looks are tried, and how long they are at most."""


def sampled(formula: Formula) -> Model | None:
    """The first of the samples on which the formula holds somewhere, at the first such frame."""
    base = over_base_atoms(formula)
    frames = _frames(base)
    for part in (FEW, MORE):
        if holding := _held(base, frames, part):
            number, judged = divmod((holding & -holding).bit_length() - 1, 2 * frames)
            names = enumerate(sorted(atoms(base)))
            return model_at(1 << judged, {name: _drawn(column, frames, part)[number] for column, name in names}, frames)
    return None


def holds_on_a_sample(formula: Formula, parts: Sequence[range] = (FEW, MORE)) -> bool:
    """Whether the formula holds somewhere on one of the samples, or of these parts of them."""
    base = over_base_atoms(formula)
    frames = _frames(base)
    return any(_held(base, frames, part) for part in parts)


def _frames(base: Formula) -> int:
    """How long the samples of a formula are: few lengths, so that many questions share them."""
    # Powers of two, so that formulas of nearly the same sight share the masks that were drawn and laid end to end.
    return min(1 << (2 * sight(base) + 7).bit_length(), _LONGEST_SAMPLE)


def _held(base: Formula, frames: int, part: range) -> int:
    """The frames of a part of the samples at which the formula holds."""
    masks = {name: _end_to_end(column, frames, part) for column, name in enumerate(sorted(atoms(base)))}
    return evaluate_masks([base], masks, IntegerAlgebra(_valid(frames, len(part)), frames))[0]


@lru_cache(maxsize=64)
def _valid(frames: int, number: int) -> int:
    """The frames that exist when a number of samples is laid end to end."""
    return sum(((1 << frames) - 1) << (2 * frames * at) for at in range(number))


@lru_cache(maxsize=256)
def _end_to_end(column: int, frames: int, part: range) -> int:
    """The masks of an atom on a part of the samples, each followed by as many frames that are none."""
    return sum(mask << (2 * frames * at) for at, mask in enumerate(_drawn(column, frames, part)))


def sampled_long(formula: Formula, length: int | None, deadline: float) -> Model | None:
    """One of a few traces about as long as the formula looks, of long runs; base atoms only."""
    names, far = sorted(atoms(formula)), min(sight(formula), _SAMPLES_LONGEST // 2)
    generator = random.Random(far)
    kinds = (_silent, _full, _lonely, _one_run, _one_run, _edge, _long_runs, _long_runs)
    for _ in range(_LONG_SAMPLES):
        frames = length or generator.choice((far, far // 2 + 1, far // 8 + 1, 2 * far))
        if frames > _SAMPLES_LONGEST or monotonic() >= deadline:
            return None
        masks = {name: generator.choice(kinds)(generator, frames) for name in names}
        if holding := evaluate_trace(formula, masks, frames):
            return model_at(holding, masks, frames)
    return None


def model_at(holding: int, masks: Mapping[str, int], frames: int) -> Model:
    """The trace, judged at the first frame where the formula holds."""
    judged = (holding & -holding).bit_length() - 1
    truths = {name: tuple(bit == "1" for bit in reversed(f"{mask:0{frames}b}")) for name, mask in masks.items()}
    return Model(frames, truths, judged)


@lru_cache(maxsize=64)
def _drawn(column: int, frames: int, part: range) -> tuple[int, ...]:
    """Masks of runs of random lengths, short and long; some without a run, with one frame, or active throughout."""
    # Seeded by what is drawn: the same question gives the same answer and the same trace, whatever was asked before.
    generator = random.Random((column * 1_000_003 + frames) * 100 + part.start)
    # Runs of activity are what detectors give, hence four parts of nine; the others are the extremes that clauses fail
    # at.
    kinds = (_silent, _lonely, _full, _one_run, _coins, *(_runs,) * 4)
    return tuple(generator.choice(kinds)(generator, frames) for _ in part)


def _silent(_: random.Random, frames: int) -> int:
    return 0


def _full(_: random.Random, frames: int) -> int:
    return (1 << frames) - 1


def _lonely(generator: random.Random, frames: int) -> int:
    return 1 << generator.randrange(frames)


def _one_run(generator: random.Random, frames: int) -> int:
    start, end = sorted(generator.choices(range(frames + 1), k=2))
    return (1 << end) - (1 << start)


def _edge(generator: random.Random, frames: int) -> int:
    before = (1 << generator.randint(0, frames)) - 1
    return before if generator.random() < 0.5 else before ^ (1 << frames) - 1


def _coins(generator: random.Random, frames: int) -> int:
    return generator.getrandbits(frames)


def _runs(generator: random.Random, frames: int) -> int:
    return _of_length(generator, frames, generator.choice((3, 10, 40)))


def _long_runs(generator: random.Random, frames: int) -> int:
    return _of_length(generator, frames, max(1, frames // generator.choice((50, 10, 3))))


def _of_length(generator: random.Random, frames: int, mean: int) -> int:
    mask, at, active = 0, 0, generator.random() < 0.5
    while at < frames:
        run = min(frames - at, 1 + int(generator.expovariate(1 / mean)))
        if active:
            mask |= ((1 << run) - 1) << at
        at, active = at + run, not active
    return mask
