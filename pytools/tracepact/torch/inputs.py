"""What a contract loss is given: shapes always checked, values unless it is being compiled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import torch
from torch import Tensor

from tracepact.diagnostics import Diagnostics
from tracepact.io.ranks import FINITE, PROBABILITIES
from tracepact.wording import count

_SHAPE = "give tensors of the shape (batch, classes, frames)"


@dataclass(frozen=True, slots=True)
class Given:
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
) -> Given:
    """The inputs in the type and on the device of the probabilities; InvalidInput with what is wrong with them."""
    faults = Diagnostics()
    _check_kinds({**tensors, "ignored": ignored}, faults)
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


def _check_kinds(given: Mapping[str, object], faults: Diagnostics) -> None:
    for name, value in given.items():
        if value is not None and not isinstance(value, Tensor):
            headline = f"`{name}` is of the type `{type(value).__name__}`, not a tensor"
            faults.add("bad-field", headline, help="make it one: torch.as_tensor(…)")
    faults.raise_errors()


def _prepared(tensors: Mapping[str, Tensor], sizes: Tensor | None, ignored: Tensor | None) -> Given:
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
    return Given(atoms, valid, asked)


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
