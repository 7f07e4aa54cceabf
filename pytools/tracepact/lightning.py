"""A callback for Lightning: the vector of a contract at every validation, for whatever logger is there."""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tracepact.torch.metric import ContractMetric


def _base() -> Any:
    """Lightning's own class where it is installed, under either of its names."""
    for name in ("lightning.pytorch", "pytorch_lightning"):
        if find_spec(name.partition(".")[0]):
            return import_module(name).Callback
    return object


def usual(outputs: Any, batch: Any) -> Mapping[str, Any]:
    """What a validation step returns, where that is a mapping with what `ContractMetric.update` takes."""
    names = ("probabilities", "references", "lengths", "clips")
    return {name: outputs[name] for name in names if name in outputs}


class ContractCallback(_base()):  # type: ignore[misc]
    """Scores a contract at validation and logs every clause, the mean and every profile.

    The values are those of `ContractMetric.compute`, under `prefix`; `ModelCheckpoint(monitor="val/onset_guard")` keeps
    the best by any of them. With `runs`, every `every` epochs the run directory with its page of the worst clips is
    written there by the first process.

    Args:
        metric: the metric, which gathers the batches of all processes.
        read: what `ContractMetric.update` takes, out of what `validation_step` returns and its batch; by default a
            mapping with `probabilities`, `references`, and where needed `lengths` and `clips`.
        prefix: what the names of logged values begin with.
        runs: the folder of the run directories; None writes none.
        every: after how many epochs one is written.
    """

    def __init__(
        self,
        metric: ContractMetric,
        *,
        read: Callable[[Any, Any], Mapping[str, Any]] = usual,
        prefix: str = "val/",
        runs: str | Path | None = None,
        every: int = 1,
    ) -> None:
        super().__init__()
        self.metric, self.read, self.prefix = metric, read, prefix
        self.runs, self.every = None if runs is None else Path(runs), every

    def on_validation_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Forget the epoch before."""
        self.metric.reset()

    def on_validation_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0
    ) -> None:
        """Add a batch."""
        self.metric.update(**self.read(outputs, batch))

    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Log the values; a check of sanity before training is no epoch."""
        if trainer.sanity_checking:
            return
        values = self.metric.compute()
        pl_module.log_dict({f"{self.prefix}{name}": value for name, value in values.items()})
        if self.runs is None or (trainer.current_epoch + 1) % self.every:
            return
        run = self.metric.run()  # every process gathers, one writes
        if trainer.is_global_zero:
            run.save(self.runs / f"epoch-{trainer.current_epoch:04d}")
