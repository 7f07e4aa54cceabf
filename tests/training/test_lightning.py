"""The callback against a stand-in of the documented hooks of Lightning, which is not installed here."""

from math import isnan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from training.test_contract_metric import drawn, metric, offline  # noqa: E402


def epoch(callback: Any, epoch: int, *, sanity: bool = False) -> dict[str, float]:
    """One validation epoch, as a trainer calls the hooks, a clip a batch; what was logged."""
    logged: dict[str, float] = {}
    trainer = SimpleNamespace(sanity_checking=sanity, current_epoch=epoch, is_global_zero=True)
    module = SimpleNamespace(log_dict=logged.update)
    callback.on_validation_epoch_start(trainer, module)
    for number, (name, (scores, reference)) in enumerate(drawn(6).items()):
        sides = [torch.tensor(side.T[None]) for side in (scores, reference)]
        outputs = {"probabilities": sides[0], "references": sides[1], "clips": [name]}
        callback.on_validation_batch_end(trainer, module, outputs, None, number)
    callback.on_validation_epoch_end(trainer, module)
    return logged


def test_every_epoch_logs_what_offline_scoring_gives(tmp_path: Path) -> None:
    from tracepact.lightning import ContractCallback

    callback = ContractCallback(metric(), runs=tmp_path, every=2)
    assert epoch(callback, 0, sanity=True) == {}
    vector = offline(drawn(6)).card.vector()
    for number in range(2):
        logged = epoch(callback, number)
        for name, one in vector.items():
            value = logged[f"val/{name}"]
            assert isnan(value) if one.vacuous else value == float(one.value)
    assert [path.name for path in tmp_path.iterdir()] == ["epoch-0001"]
    assert (tmp_path / "epoch-0001" / "report.json").is_file()
