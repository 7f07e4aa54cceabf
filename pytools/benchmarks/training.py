"""A contract to train with, against stlcgpp: the frame guards forward and backward, and memory against the radius."""

from collections.abc import Callable, Iterator
from importlib import import_module
from math import log2
from typing import Any

import torch
from torch import Tensor

from benchmarks.data import starter
from benchmarks.harness import Options, Row, Target, race, sized
from tracepact import Contract
from tracepact.language.contract import FrameClause
from tracepact.language.formula import Atom, Eventually, Implies
from tracepact.torch import ContractLoss
from tracepact.torch.smooth import Smooth

SUBJECT = "contract loss"
BATCH, FRAMES = sized((32, 500), (2, 200))
"""Clips of 10 s at 20 ms."""
TEMPERATURE = 0.05
FAR = 1e3
"""Stands for an unbounded margin in a peer that has none."""
RADII = (1, 3, 7, 15, 31, 63)

Guards = Callable[[Tensor, Tensor], Tensor]
"""From probabilities and a reference, both batch × frames, to the values of every guard at every frame."""


def measure(_: Options) -> Iterator[Row]:
    """One training step without the network; both sides in alternation, on one thread."""
    torch.set_num_threads(1)
    contract = starter()
    probabilities, reference = _batch()
    criterion = ContractLoss(contract, temperature=TEMPERATURE)

    def ours(leaf: Tensor, reference: Tensor) -> Tensor:
        return criterion(leaf[:, None], reference[:, None]).loss

    runs = _runs(ours, probabilities, reference)
    try:
        peer = _stlcgpp(contract, "logsumexp")
    except ImportError:
        peer = None
    else:
        _check(contract, probabilities, reference)
        runs += _runs(lambda leaf, reference: peer(leaf, reference).mean(), probabilities, reference)
    forward, step, *slow = race(*runs, repeats=5)
    note = f"{BATCH} clips of {FRAMES} frames, {len(criterion.clauses)} guards, one thread"
    yield Row(SUBJECT, "forward", forward * 1e3, "ms", note=note)
    yield Row(SUBJECT, "forward and backward", step * 1e3, "ms")
    for name, own, other in zip(
        ("forward", "forward and backward"), (forward, step), slow or (None, None), strict=True
    ):
        what = f"faster than stlcgpp, {name}"
        if other is None:
            yield Row(SUBJECT, what, None, "×", note="not installed")
            continue
        each = other / BATCH / FRAMES / len(criterion.clauses)
        note = f"{other * 1e3:,.0f} ms, {each * 1e9:,.0f} ns per frame and guard"
        yield Row(SUBJECT, what, other / own, "×", Target(20) if "backward" in name else None, note)
    yield from _memory(probabilities)


def _runs(loss: Guards, probabilities: Tensor, reference: Tensor) -> list[Callable[[], None]]:
    """The loss forward alone, and forward and backward."""

    def forward() -> None:
        with torch.no_grad():
            loss(probabilities, reference)

    def step() -> None:
        loss(probabilities.clone().requires_grad_(), reference).backward()  # type: ignore[no-untyped-call]

    return [forward, step]


def _batch() -> tuple[Tensor, Tensor]:
    """Scores that follow the reference with noise; runs of some tens of frames."""
    torch.manual_seed(0)
    walk = torch.randn(BATCH, FRAMES).cumsum(-1)
    reference = (walk > walk.mean(-1, keepdim=True)).float()
    return torch.sigmoid(4 * (reference - 0.5) + torch.randn(BATCH, FRAMES)), reference


def _check(contract: Contract, probabilities: Tensor, reference: Tensor) -> None:
    """At the lowest temperature both give the soft values, theirs cut to those a probability can have."""
    exact = _stlcgpp(contract, "true")(probabilities, reference)
    criterion = ContractLoss(contract, temperature=1e-6)
    degrees = criterion.degrees(probabilities[:, None], reference[:, None])
    for k, (name, (_, formula)) in enumerate(degrees.items()):
        if not torch.allclose(formula[:, 0] - 0.5, exact[k].clamp(-0.5, 0.5), atol=1e-4):
            raise SystemExit(f"{SUBJECT}: the values of {name} differ")


def _stlcgpp(contract: Contract, method: str) -> Guards:
    """The guards as stlcgpp formulas; it looks ahead only, so a window that looks back gets its signal later.

    One signal at a time is what it takes; `vmap` hands it the batch.
    """
    stl: Any = import_module("stlcgpp.formula")
    made = [_guard(stl, clause, method) for clause in contract.frame_clauses]

    def run(probabilities: Tensor, reference: Tensor) -> Tensor:
        atoms = {**_atoms("pred", probabilities - 0.5), **_atoms("ref", (2 * reference - 1) * FAR)}
        return torch.stack([guard(atoms) for guard in made])

    return run


def _atoms(side: str, active: Tensor) -> dict[str, Tensor]:
    before = torch.cat([torch.full_like(active[:, :1], -FAR), active[:, :-1]], dim=-1)
    return {
        f"{side}_active": active,
        f"{side}_onset": torch.minimum(active, -before),
        f"{side}_offset": torch.minimum(-active, before),
    }


def _guard(stl: Any, clause: FrameClause, method: str) -> Callable[[dict[str, Tensor]], Tensor]:
    match clause.formula:
        case Implies(Atom(obligation), Eventually(lo, hi, Atom(witness))) if lo <= 0 <= hi:
            left = stl.GreaterThan(stl.Predicate("o", lambda x: x[:, 0]), 0.0)
            right = stl.Eventually(stl.GreaterThan(stl.Predicate("w", lambda x: x[:, 1]), 0.0), [0, hi - lo])
        case _:
            raise ValueError("not a guard")
    formula = stl.Implies(left, right)

    def one(signal: Tensor) -> Tensor:
        found: Tensor = formula(signal, approx_method=method, temperature=1 / TEMPERATURE)
        return found

    def run(atoms: dict[str, Tensor]) -> Tensor:
        later = torch.nn.functional.pad(atoms[witness], (-lo, hi), value=-FAR)
        asked = torch.nn.functional.pad(atoms[obligation], (0, hi - lo), value=-FAR)
        found: Tensor = torch.vmap(one)(torch.stack([asked, later], dim=-1))
        return found[:, :FRAMES]

    return run


def _memory(probabilities: Tensor) -> Iterator[Row]:
    """What autograd keeps for the backward pass, in bytes a frame, as one window grows."""
    kept = []
    for radius in RADII:
        storages: dict[int, int] = {}

        def keep(tensor: Tensor, storages: dict[int, int] = storages) -> Tensor:
            storages[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
            return tensor

        leaf = probabilities.clone().requires_grad_()
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            found = Smooth(TEMPERATURE, None).eventually(0, radius, leaf)
        kept.append(sum(storages.values()) / BATCH / FRAMES)
        del found
    for radius, size in zip(RADII, kept, strict=True):
        yield Row(SUBJECT, f"kept for a window of {radius + 1} frames", size, "bytes/frame")
    per_doubling = (kept[-1] - kept[0]) / log2((RADII[-1] + 1) / (RADII[0] + 1))
    note = f"more at each doubling of the window; {per_doubling * log2(RADII[-1] + 1):.3g} predicted for the longest"
    yield Row(SUBJECT, "growth of memory", per_doubling, "bytes/frame", note=note)
