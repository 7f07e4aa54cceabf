"""A contract as a metric of a training loop: batches in any order, processes merged, the values of offline scoring."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, distributed

from tracepact.data.decoding import ClassDecodings, Decoding
from tracepact.data.events import Time, exact, levels_of_floats
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.language.compilation import load_contract
from tracepact.language.contract import Contract
from tracepact.runs.run import Run, score
from tracepact.tuning.batches import curves
from tracepact.tuning.curves import Curves

Array = NDArray[Any]


def _base() -> Any:
    """Torchmetrics' own class where it is installed, so that a metric is found and moved as others are."""
    return import_module("torchmetrics").Metric if find_spec("torchmetrics") else object


@dataclass(frozen=True, eq=False)
class _Packed:
    """Frames × classes: truth values as bits, scores as they came."""

    shape: tuple[int, int]
    data: Array
    is_mask: bool

    @classmethod
    def of(cls, array: Array) -> "_Packed":
        is_mask = array.dtype.kind == "b"
        frames, classes = array.shape
        return cls((frames, classes), np.packbits(array) if is_mask else array.copy(), is_mask)

    @property
    def array(self) -> Array:
        """The values."""
        if not self.is_mask:
            return self.data
        return np.unpackbits(self.data, count=self.shape[0] * self.shape[1]).reshape(self.shape).astype(np.bool_)

    def equals(self, other: "_Packed") -> bool:
        """Whether both hold the same."""
        return self.shape == other.shape and np.array_equal(self.data, other.data)


class ContractMetric(_base()):  # type: ignore[misc]
    """The vector of a contract over the batches of a validation epoch.

    What it gives is what `tracepact.score` gives for the same clips at once, to the last bit, in whatever order and by
    however many processes of `torch.distributed` the batches came. A clip that several processes have seen, as samplers
    fill up their last batch, counts once. It is a `torchmetrics.Metric` where torchmetrics is installed.

    A plain threshold is applied as batches come, and a frame of a class takes two bits; with any other decoding, or
    with `keep_scores`, the probabilities are kept.

    Args:
        contract: a contract, the name of a starter contract, or the path of a file.
        classes: the names of the classes, in the order of the second dimension of a batch.
        decoding: a threshold or a decoding; of masks nothing is decoded.
        vacuous: what becomes of a clause that nothing was asked of: `nan`, or `absent` from the mapping. It is never 1,
            which a network that predicts nothing would earn.
        keep_scores: whether probabilities are kept, for `curves`.
        step: the length of a frame, where it is not the contract's.

    Examples:
        >>> import torch
        >>> from tracepact.torch import ContractMetric
        >>> metric = ContractMetric("boundary_gate", classes=["dog"])
        >>> reference = torch.zeros(1, 1, 50)
        >>> reference[..., 10:30] = 1
        >>> metric.update(0.9 * reference, reference, clips=["a"])
        >>> metric.compute()["onset_guard"]
        1.0
    """

    full_state_update = False

    def __init__(
        self,
        contract: Contract | str | Path,
        *,
        classes: Sequence[str],
        decoding: Time | Decoding | ClassDecodings = 0.5,
        vacuous: Literal["nan", "absent"] = "nan",
        keep_scores: bool = False,
        step: Time | None = None,
    ) -> None:
        super().__init__()
        if vacuous not in ("nan", "absent"):
            raise ValueError(f"vacuous is `nan` or `absent`, not {vacuous!r}")
        self.contract = contract if isinstance(contract, Contract) else load_contract(contract)
        self.classes = tuple(classes)
        self.decoding = decoding if isinstance(decoding, Decoding | ClassDecodings) else Decoding(exact(decoding))
        self.vacuous, self.keep_scores = vacuous, keep_scores
        self.step = self.contract.step if step is None else exact(step)
        self._clips: dict[str, tuple[_Packed, _Packed]] = {}
        self._number = 0

    def update(
        self,
        probabilities: Tensor,
        references: Tensor,
        lengths: Tensor | Sequence[int] | None = None,
        clips: Sequence[str] | None = None,
    ) -> None:
        """Add a batch.

        Args:
            probabilities: from 0 to 1, or a mask, (batch, classes, frames).
            references: a mask in the same shape.
            lengths: how many frames each clip has; what is behind them is not looked at. All by default.
            clips: the names of the clips; without them they are numbered.
        """
        if probabilities.shape != references.shape or probabilities.ndim != 3:
            shapes = f"{tuple(probabilities.shape)} and {tuple(references.shape)}"
            raise _invalid("bad-field", f"a batch has the shapes {shapes}, not twice (batch, classes, frames)")
        if probabilities.shape[1] != len(self.classes):
            raise _invalid("bad-field", f"a batch has {probabilities.shape[1]} classes, not {len(self.classes)}")
        sides = [_array(side).transpose(0, 2, 1) for side in (probabilities, references)]
        number = len(sides[0])
        ends = [sides[0].shape[1]] * number if lengths is None else [int(length) for length in lengths]
        names = self._numbered(number) if clips is None else list(clips)
        if len(names) != number or len(ends) != number:
            raise _invalid("bad-field", f"{number} clips have {len(names)} names and {len(ends)} lengths")
        if not np.isin(sides[1], (0, 1)).all():
            raise _invalid("bad-field", "a reference of a batch has values other than 0 and 1")
        predicted = self._decoded(sides[0])
        for name, end, prediction, reference in zip(names, ends, predicted, sides[1], strict=True):
            self._add(name, (_Packed.of(prediction[:end]), _Packed.of(reference[:end].astype(np.bool_))))

    def _decoded(self, scores: Array) -> Array:
        """The frames above a plain threshold; scores as they are where they are kept."""
        if scores.dtype.kind != "f" or self.keep_scores:
            return scores
        plain = self.decoding
        if not isinstance(plain, Decoding) or plain.low is not None or plain.median != 1 or np.isnan(scores).any():
            return scores
        # As offline: a float is its shortest decimal, and the threshold is the decimal that was typed.
        levels, ranks = levels_of_floats(scores)
        return np.asarray(ranks >= levels.above(plain.threshold))

    def _numbered(self, number: int) -> list[str]:
        rank = distributed.get_rank() if _together() else 0
        names = [f"clip {rank}-{self._number + k}" for k in range(number)]
        self._number += number
        return names

    def _add(self, name: str, both: tuple[_Packed, _Packed]) -> None:
        before = self._clips.setdefault(name, both)
        if not all(one.equals(other) for one, other in zip(before, both, strict=True)):
            raise _invalid("ambiguous-clip", f"the clip `{name}` came twice, with other values")

    def _sides(self) -> tuple[dict[str, Array], dict[str, Array]]:
        """References and predictions of all processes by clip, in the order of the names."""
        if _together():
            every: list[Any] = [None] * distributed.get_world_size()
            distributed.all_gather_object(every, self._clips)
            merged = ContractMetric(self.contract, classes=self.classes)
            for part in every:
                for name, both in part.items():
                    merged._add(name, both)
            known = merged._clips
        else:
            known = self._clips
        if not known:
            raise _invalid("bad-field", "no batch was added")
        names = sorted(known)
        return {name: known[name][1].array for name in names}, {name: known[name][0].array for name in names}

    def run(self) -> Run:
        """All clips scored, with every violation, as `tracepact.score` returns them."""
        references, predictions = self._sides()
        masks = all(array.dtype.kind == "b" for array in predictions.values())
        options: dict[str, Any] = {} if masks else {"decoding": self.decoding}
        scored: Run = score(
            self.contract, references, predictions, classes=list(self.classes), step=self.step, **options
        )
        return scored

    def compute(self) -> dict[str, float]:
        """The score of every clause, their mean as `mean`, and every profile, as floats by name."""
        card = self.run().card
        found = dict(self._values(card))
        return found if self.vacuous == "nan" else {name: value for name, value in found.items() if value == value}

    def _values(self, card: Any) -> Iterator[tuple[str, float]]:
        vector = card.vector()
        earned = {name for name, one in vector.items() if not one.vacuous}
        for name, one in vector.items():
            yield name, float(one.value) if name in earned else float("nan")
        yield "mean", float(card.logic()) if earned else float("nan")
        for profile in self.contract.profiles:
            asks = earned & {name for name, weight in profile.weights if weight}
            yield profile.name, float(card.profile(profile)) if asks else float("nan")

    def curves(self, **options: Any) -> Curves:
        """Every threshold at once, as `tracepact.curves` returns it; with `keep_scores` alone."""
        if not self.keep_scores:
            raise _invalid("bad-field", "the probabilities were not kept", "make the metric with keep_scores=True")
        references, predictions = self._sides()
        return curves(self.contract, references, predictions, classes=list(self.classes), step=self.step, **options)

    def reset(self) -> None:
        """Forget all batches."""
        if find_spec("torchmetrics"):
            super().reset()
        self._clips, self._number = {}, 0

    def forward(self, *batch: Any, **named: Any) -> dict[str, float]:
        """Add a batch, and give the values of this batch alone."""
        self.update(*batch, **named)
        alone = ContractMetric(
            self.contract, classes=self.classes, decoding=self.decoding, vacuous=self.vacuous, step=self.step
        )
        alone.update(*batch, **named)
        return dict(alone._values(alone.run().card))

    def __call__(self, *batch: Any, **named: Any) -> dict[str, float]:
        """As `forward`."""
        return self.forward(*batch, **named)


def _together() -> bool:
    """Whether several processes score one epoch."""
    several: bool = distributed.is_available() and distributed.is_initialized() and distributed.get_world_size() > 1
    return several


def _array(side: Tensor) -> Array:
    values = side.detach().cpu()
    # NumPy has no bfloat16; every one of them is a 32-bit float too.
    array: Array = (values.float() if values.dtype == torch.bfloat16 else values).numpy()
    return array


def _invalid(code: str, headline: str, help: str | None = None) -> InvalidInput:
    return InvalidInput([Diagnostic(code, headline, None, help)])
