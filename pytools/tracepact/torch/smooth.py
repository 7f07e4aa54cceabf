"""Smooth truth: degrees from 0 to 1 with a minimum and a maximum that have a temperature, and plans of clauses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import expm1, isnan
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import FunctionCtx, once_differentiable
from torch.nn.functional import pad

from tracepact.data.score_files import FINITE, PROBABILITIES
from tracepact.diagnostics.collection import Diagnostics
from tracepact.language.contract import FrameClause
from tracepact.language.formula import Dag, Node, Operator
from tracepact.wording import count

# Smooth truth: degrees from 0 to 1, with a minimum and a maximum that have a temperature.
#
# The pair is that of Frank (1979): `both(a, b)` is min(a, b) − c and `either(a, b)` is max(a, b) + c with the same
# c ≥ 0, at most temperature · log 2, and 0 where a or b is 0 or 1. So truth values stay truth values at every
# temperature; the limit at temperature 0 is minimum and maximum, and that at infinity is the product and the sum of
# probabilities. Both are associative, so the frames of a window may be joined in any order; but they are not
# idempotent, so each frame is taken once.


@dataclass(frozen=True, slots=True)
class Smooth:
    """The operators of formulas on degrees, the last dimension being the frames.

    `valid` is 1 at the frames of each clip and 0 behind its end, or None if there is nothing behind; the degree of
    every formula is 0 there.
    """

    temperature: float
    valid: Tensor | None

    def both(self, a: Tensor, b: Tensor) -> Tensor:
        """The smooth minimum."""
        return _joined(a, b, self.temperature, False)

    def either(self, a: Tensor, b: Tensor) -> Tensor:
        """The smooth maximum."""
        return _joined(a, b, self.temperature, True)

    def inside(self, a: Tensor) -> Tensor:
        """The degrees without those behind the ends of the clips."""
        return a if self.valid is None else a * self.valid

    def complement(self, a: Tensor) -> Tensor:
        """One minus the degree."""
        return self.inside(1 - a)

    def implies(self, a: Tensor, b: Tensor) -> Tensor:
        """Not the first, or the second."""
        return self.either(self.complement(a), b)

    def iff(self, a: Tensor, b: Tensor) -> Tensor:
        """Each implies the other."""
        return self.both(self.implies(a, b), self.implies(b, a))

    def constant(self, value: bool, like: Tensor) -> Tensor:
        """`true` or `false` at every frame."""
        return self.inside(torch.full_like(like, float(value)))

    def eventually(self, lo: int, hi: int, a: Tensor) -> Tensor:
        """The smooth maximum over the frames at offsets from lo to hi, each taken once: by doubling."""
        frames = a.shape[-1]
        lo, hi = max(lo, -frames), min(hi, frames)
        if lo > hi:
            return torch.zeros_like(a)
        width = hi - lo + 1
        padded = pad(a, (max(-lo, 0), max(hi, 0)))[..., max(lo, 0) :]
        return self.inside(self._windows(padded[..., : frames + width - 1], width))

    def _windows(self, power: Tensor, width: int) -> Tensor:
        """The smooth maximum of each window of `width` neighbours, joined from windows of the powers of two in it."""
        places = power.shape[-1] - width + 1
        found: Tensor | None = None
        done, size = 0, 1
        while size <= width:
            if width & size:
                part = power[..., done : done + places]
                found = part if found is None else self.either(found, part)
                done += size
            if 2 * size <= width:
                power = self.either(power[..., :-size], power[..., size:])
            size *= 2
        assert found is not None
        return found

    def always(self, lo: int, hi: int, a: Tensor) -> Tensor:
        """The smooth minimum over the frames at offsets from lo to hi."""
        return self.complement(self.eventually(lo, hi, self.complement(a)))

    def until(self, radius: int, left: Tensor, right: Tensor) -> Tensor:
        """The right within `radius` frames ahead and the left before it, by doubling.

        Two windows side by side become one: the right is reached in the first, or the left holds all through the first
        and the right is reached in the second. Which windows are joined depends on the radius alone, and a window
        behind the end adds nothing: a clip has the same degrees alone and in a batch of longer ones.
        """
        frames, width = right.shape[-1], radius + 1
        # Doubling shortens them by less than two lengths and `done` by less than one: beyond three nothing is read.
        reach, hold = (pad(x, (0, min(width - 1, 3 * frames))) for x in (right, left))
        found: tuple[Tensor, Tensor] | None = None
        done, size = 0, 1
        while size <= width and done < frames:
            if width & size:
                part = reach[..., done : done + frames], hold[..., done : done + frames]
                found = part if found is None else self._side_by_side(found, part)
                done += size
            if 2 * size <= width and size < frames:
                reach, hold = self._side_by_side(
                    (reach[..., :-size], hold[..., :-size]), (reach[..., size:], hold[..., size:])
                )
            size *= 2
        assert found is not None
        return found[0]

    def _side_by_side(self, first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        reached = self.either(first[0], self.both(first[1], second[0]))
        return reached, self.both(first[1], second[1])

    def since(self, radius: int, left: Tensor, right: Tensor) -> Tensor:
        """The mirror image of `until`."""
        return self.until(radius, left.flip(-1), right.flip(-1)).flip(-1)

    def onset(self, active: Tensor) -> Tensor:
        """Active now and not before (rule 18.4)."""
        return self.both(active, self.complement(_before(active)))

    def offset(self, active: Tensor) -> Tensor:
        """Active before and not now (rule 18.4)."""
        return self.both(self.complement(active), self.inside(_before(active)))

    def others(self, active: Tensor) -> Tensor:
        """Some other class is active (rule 18.5); the classes are the last dimension but one."""
        classes = active.shape[-2]
        if classes == 1:
            return torch.zeros_like(active)
        ring = torch.cat([active, active], dim=-2).transpose(-1, -2)[..., 1 : 2 * classes - 1]
        return self._windows(ring, classes - 1).transpose(-1, -2)


class _Joined(Function):
    """The smooth maximum, or minimum, of two tensors with its slopes, which are those of one step each.

    With l ≤ h the two degrees, e = exp(-(h - l)/t), u = 1 - exp(-l/t), v = 1 - exp(-(1 - h)/t) and w = 1 - exp(-1/t),
    the way from the true extremes is c = t · log(1 + e·u·v / w). No exponent is positive, so nothing overflows.
    """

    @staticmethod
    def forward(ctx: FunctionCtx, a: Tensor, b: Tensor, t: float, upper: bool) -> Tensor:
        """The joined degrees."""
        low, high = torch.minimum(a, b), torch.maximum(a, b)
        # In place where nothing needs the operand again: memory is what bounds the length of a batch.
        e = torch.exp_((low - high).mul_(1 / t))
        u = torch.expm1_(low * (-1 / t)).neg_()
        v = torch.expm1_((high - 1).mul_(1 / t)).neg_()
        w = -expm1(-1 / t)
        part = e * u * v
        found = torch.log1p(part / w).mul_(t)
        found = high + found if upper else low - found
        e = e / (part + w)
        to_low, to_high = e * v, 1 - e * u
        if not upper:
            to_low, to_high = 1 - to_low, 1 - to_high
        first = a <= b
        # Two slopes are kept instead of every step between: the graph of a window by doubling holds two tensors a join.
        ctx.save_for_backward(torch.where(first, to_low, to_high), torch.where(first, to_high, to_low))
        return found

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, Tensor, None, None]:
        """The slopes that were found on the way forward."""
        to_a, to_b = ctx.saved_tensors
        return slope * to_a, slope * to_b, None, None


def _joined(a: Tensor, b: Tensor, temperature: float, upper: bool) -> Tensor:
    found: Tensor = _Joined.apply(a, b, temperature, upper)  # type: ignore[no-untyped-call]
    return found


def _before(active: Tensor) -> Tensor:
    """The degrees one frame earlier, 0 before the first."""
    return pad(active, (1, 0))[..., :-1]


# A contract's frame clauses as a plan: which operator makes each degree from which earlier ones.

Degrees = list[Tensor]
Step = Callable[[Smooth, Mapping[str, Tensor], Degrees], Tensor]


@dataclass(frozen=True, slots=True)
class LossPlan:
    """The steps in order, and of each clause the steps of its obligation and its formula."""

    steps: tuple[Step, ...]
    clauses: tuple[tuple[int, int], ...]

    def degrees(self, smooth: Smooth, atoms: Mapping[str, Tensor]) -> list[tuple[Tensor, Tensor]]:
        """Of each clause the degrees of its obligation and of its formula at every frame."""
        found: Degrees = []
        for step in self.steps:
            found.append(step(smooth, atoms, found))
        return [(found[obligation], found[formula]) for obligation, formula in self.clauses]


def plan_of(clauses: tuple[FrameClause, ...]) -> LossPlan:
    """The plan of frame clauses; equal parts are one step."""
    dag, roots = Dag.of(f for clause in clauses for f in (clause.obligation, clause.formula))
    return LossPlan(tuple(_step(node) for node in dag.nodes), tuple(zip(roots[::2], roots[1::2], strict=True)))


def _step(node: Node) -> Step:
    match node.operator, node.parameters, node.parts:
        case Operator.ATOM, (str(name),), _:
            return _atom(name)
        case Operator.CONSTANT, (value,), _:
            return lambda s, atoms, _: s.constant(bool(value), atoms["pred_active"])
        case Operator.NOT, _, (a,):
            return lambda s, _, done: s.complement(done[a])
        case Operator.AND, _, (a, b):
            return lambda s, _, done: s.both(done[a], done[b])
        case Operator.OR, _, (a, b):
            return lambda s, _, done: s.either(done[a], done[b])
        case Operator.IMPLIES, _, (a, b):
            return lambda s, _, done: s.implies(done[a], done[b])
        case Operator.IFF, _, (a, b):
            return lambda s, _, done: s.iff(done[a], done[b])
        case Operator.EVENTUALLY, (int(lo), int(hi)), (a,):
            return lambda s, _, done: s.eventually(lo, hi, done[a])
        case Operator.ALWAYS, (int(lo), int(hi)), (a,):
            return lambda s, _, done: s.always(lo, hi, done[a])
        case Operator.UNTIL, (int(radius),), (a, b):
            return lambda s, _, done: s.until(radius, done[a], done[b])
        case Operator.SINCE, (int(radius),), (a, b):
            return lambda s, _, done: s.since(radius, done[a], done[b])
    raise AssertionError(f"malformed node {node}")


def _atom(name: str) -> Step:
    match name:
        case "ref_onset" | "pred_onset":
            active = name.replace("onset", "active")
            return lambda s, atoms, _: s.onset(atoms[active])
        case "ref_offset" | "pred_offset":
            active = name.replace("offset", "active")
            return lambda s, atoms, _: s.offset(atoms[active])
        case "other_ref_active" | "other_pred_active":
            active = name.removeprefix("other_")
            return lambda s, atoms, _: s.others(atoms[active])
    return lambda _, atoms, __: atoms[name]


# What a contract loss is given: shapes always checked, values unless it is being compiled.

_SHAPE = "give tensors of the shape (batch, classes, frames)"


@dataclass(frozen=True, slots=True)
class AtomDegrees:
    """The degrees of the atoms, 0 behind the ends of the clips; where frames are, and where they are asked for."""

    atoms: Mapping[str, Tensor]
    valid: Tensor | None
    asked: Tensor | None


def take(
    tensors: Mapping[str, Tensor],
    lengths: Tensor | Sequence[int] | None,
    ignored: Tensor | None,
    declared: Sequence[str],
    classes: Sequence[str] | None,
    values: bool,
) -> AtomDegrees:
    """The inputs in the type and on the device of the probabilities; InvalidInput with what is wrong with them."""
    faults = Diagnostics()
    inputs: dict[str, object] = {**tensors, "ignored": ignored}
    for name, value in inputs.items():
        if value is not None and not isinstance(value, Tensor):
            headline = f"`{name}` is of the type `{type(value).__name__}`, not a tensor"
            faults.add("bad-field", headline, help="make it one: torch.as_tensor(…)")
    faults.raise_errors()
    shape = tensors["pred_active"].shape
    _check_shapes({**tensors, **({} if ignored is None else {"ignored": ignored})}, classes, faults)
    for name in (name for name in tensors if name not in ("ref_active", "pred_active", *declared)):
        faults.add("wrong-mask", f"`{name}` is not an atom that the contract declares")
    for name in (name for name in declared if name not in tensors):
        faults.add("missing-mask", f"nothing says where the declared atom `{name}` holds")
    faults.raise_errors()
    sizes = None if lengths is None else torch.as_tensor(lengths, device=tensors["pred_active"].device)
    if sizes is not None and (sizes.ndim != 1 or len(sizes) != shape[0] or sizes.is_floating_point()):
        headline = f"the lengths have the shape {_shown(sizes.shape)} and the type {sizes.dtype}"
        faults.add("bad-field", headline, help=f"give one whole number of frames for each of {count(shape[0], 'clip')}")
    faults.raise_errors()
    if values:
        _check_values(tensors, sizes, faults)
        faults.raise_errors()
    return _prepared(tensors, sizes, ignored)


def _prepared(tensors: Mapping[str, Tensor], sizes: Tensor | None, ignored: Tensor | None) -> AtomDegrees:
    given = tensors["pred_active"]
    like = given.float() if given.dtype in (torch.float16, torch.bfloat16) or not given.is_floating_point() else given
    valid = None
    if sizes is not None:
        frames = torch.arange(given.shape[-1], device=given.device)
        valid = (frames < sizes[:, None])[:, None, :].to(like.dtype)
    atoms = {name: tensor.to(like) for name, tensor in tensors.items()}
    if valid is not None:
        atoms = {name: torch.where(valid > 0, tensor, 0) for name, tensor in atoms.items()}
    asked = None if ignored is None else 1 - ignored.to(like)
    return AtomDegrees(atoms, valid, asked)


def _check_shapes(tensors: Mapping[str, Tensor], classes: Sequence[str] | None, faults: Diagnostics) -> None:
    shape = tensors["pred_active"].shape
    if len(shape) != 3:
        faults.add("bad-field", f"the probabilities have the shape {_shown(shape)}", help=_SHAPE)
    elif 0 in shape:
        faults.add("bad-field", f"the probabilities have the shape {_shown(shape)}: nothing is there", help=_SHAPE)
    elif classes is not None and shape[1] != len(classes):
        headline = f"the probabilities have {count(shape[1], 'class', 'classes')}, not {len(classes)}"
        faults.add("bad-field", headline, help=_SHAPE)
    for name, tensor in tensors.items():
        if tensor.shape != shape:
            headline = f"`{name}` has the shape {_shown(tensor.shape)}, the probabilities {_shown(shape)}"
            faults.add("bad-field", headline, help="all tensors have the same clips, classes and frames")


def _check_values(tensors: Mapping[str, Tensor], sizes: Tensor | None, faults: Diagnostics) -> None:
    """Every degree that counts is a number from 0 to 1; what is behind the end of a clip is not looked at."""
    frames = tensors["pred_active"].shape[-1]
    if sizes is not None and bool(((sizes < 0) | (sizes > frames)).any()):
        headline = f"the lengths go from {int(sizes.min())} to {int(sizes.max())}"
        faults.add("bad-field", headline, help=f"a clip has from 0 to {count(frames, 'frame')}")
        return
    for name, tensor in tensors.items():
        looked = tensor.detach()
        wrong = ~((looked >= 0) & (looked <= 1))
        if sizes is not None:
            inside = torch.arange(frames, device=tensor.device) < sizes.to(tensor.device)[:, None]
            wrong = wrong & inside[:, None, :]
        number = int(wrong.sum())
        if number:
            clip, label, frame = wrong.nonzero()[0].tolist()
            value = float(looked[clip, label, frame])
            fault, help = (
                ("is not a number", f"{FINITE}; a diverged model gives NaN")
                if isnan(value)
                else ("lies outside 0 to 1", PROBABILITIES)
            )
            more = f", and {number - 1:,} more" if number > 1 else ""
            headline = f"`{name}`: {value:g} in clip {clip}, class {label}, frame {frame} {fault}{more}"
            faults.add("bad-score", headline, help=help)


def _shown(shape: torch.Size) -> str:
    return f"({', '.join(map(str, shape))})"
