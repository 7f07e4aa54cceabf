"""The metric of a training loop gives what offline scoring gives, to the last bit, however the batches came."""

import copy
import io
import json
import pickle
import random
import subprocess
import sys
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import tracepact  # noqa: E402

CLASSES = ["cat", "dog"]
CONTRACT = "boundary_gate"


def metric(**options: Any) -> Any:
    from tracepact.torch import ContractMetric

    return ContractMetric(CONTRACT, classes=CLASSES, **options)


def drawn(seed: int, clips: int = 6) -> dict[str, tuple[Any, Any]]:
    """Scores of few decimals, so that some lie on the threshold, around random references; clips of several lengths."""
    draw = np.random.default_rng(seed)
    found = {}
    for k in range(clips):
        frames = int(draw.integers(30, 60))
        reference = np.repeat(draw.random((frames // 10 + 1, 2)) < 0.4, 10, axis=0)[:frames]
        noise = np.round(np.clip(0.6 * reference + 0.4 * draw.random(reference.shape), 0, 1), 1)
        found[f"clip{k}"] = noise.astype(np.float32), reference
    return found


def batched(metric: Any, clips: dict[str, tuple[Any, Any]], size: int) -> Any:
    names = list(clips)
    for first in range(0, len(names), size):
        some = names[first : first + size]
        longest = max(len(clips[name][0]) for name in some)
        sides = [np.zeros((len(some), 2, longest), np.float32) for _ in range(2)]
        for row, name in enumerate(some):
            for side, array in zip(sides, clips[name], strict=True):
                side[row, :, : len(array)] = array.T
        lengths = [len(clips[name][0]) for name in some]
        metric.update(torch.tensor(sides[0]), torch.tensor(sides[1]), lengths, some)
    return metric


def offline(clips: dict[str, tuple[Any, Any]], decoding: Any = 0.5) -> Any:
    sides = [{name: both[k] for name, both in clips.items()} for k in (1, 0)]
    return tracepact.score(CONTRACT, *sides, classes=CLASSES, decoding=decoding)


def assert_offline(values: dict[str, float], clips: dict[str, tuple[Any, Any]], decoding: Any = 0.5) -> None:
    run = offline(clips, decoding)
    for name, one in run.card.vector().items():
        assert isnan(values[name]) if one.vacuous else values[name] == float(one.value)
    assert values["mean"] == float(run.card.logic())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [1, 4])
def test_batches_in_any_order_give_what_scoring_all_at_once_gives(seed: int, size: int) -> None:
    clips = drawn(seed)
    names = list(clips)
    random.Random(seed).shuffle(names)
    assert_offline(batched(metric(), {name: clips[name] for name in names}, size).compute(), clips)


def test_other_decodings_keep_the_scores_and_give_the_same() -> None:
    clips, decoding = drawn(7), tracepact.Decoding("0.5", low="0.3", median=3)
    assert_offline(batched(metric(decoding=decoding), clips, 2).compute(), clips, decoding)


def test_a_clause_that_nothing_was_asked_of_is_not_a_number_or_absent_and_never_one() -> None:
    """Nothing is predicted where nothing is to be found: every clause is vacuous."""
    for way in ("nan", "absent"):
        silent = metric(vacuous=way)
        silent.update(torch.zeros(1, 2, 40), torch.ones(1, 2, 40))
        values = silent.compute()
        assert "spurious_guard" in values if way == "nan" else "spurious_guard" not in values
        assert values.get("spurious_guard") != 1.0
        assert values["missing_guard"] == 0.0


def test_a_clip_that_comes_again_counts_once_and_one_that_differs_is_refused() -> None:
    clips = drawn(1)
    twice = batched(batched(metric(), clips, 3), clips, 2)
    assert_offline(twice.compute(), clips)
    name, (scores, reference) = next(iter(clips.items()))
    with pytest.raises(tracepact.InvalidInput, match="came twice"):
        batched(twice, {name: (1 - scores, reference)}, 1)


def test_reset_forgets_and_an_epoch_without_batches_is_refused() -> None:
    empty = batched(metric(), drawn(2), 2)
    empty.reset()
    with pytest.raises(tracepact.InvalidInput, match="no batch"):
        empty.run()


def test_a_call_gives_the_values_of_its_batch_and_keeps_the_epoch() -> None:
    whole, clips = metric(), drawn(3, clips=2)
    for name, (scores, reference) in clips.items():
        sides = [torch.tensor(side.T[None].astype(np.float32)) for side in (scores, reference)]
        assert_offline(whole(*sides, clips=[name]), {name: (scores, reference)})
    assert_offline(whole.compute(), clips)


def test_curves_of_the_epoch_are_those_of_all_clips() -> None:
    clips = drawn(4)
    sides = [{name: both[k] for name, both in clips.items()} for k in (1, 0)]
    found = batched(metric(keep_scores=True), clips, 2).curves()
    theirs = tracepact.curves(CONTRACT, *sides, classes=CLASSES, step="0.02")
    assert found.best("event_f1") == theirs.best("event_f1")
    with pytest.raises(tracepact.InvalidInput, match="keep_scores"):
        batched(metric(), clips, 2).curves()


@pytest.mark.parametrize(
    ("shapes", "names"),
    [(((1, 3, 5), (1, 3, 5)), None), (((1, 2, 5), (1, 2, 6)), None), (((1, 2, 5),) * 2, ["a", "b"])],
)
def test_a_batch_that_does_not_fit_is_refused(shapes: tuple[tuple[int, ...], ...], names: list[str] | None) -> None:
    with pytest.raises(tracepact.InvalidInput):
        metric().update(*(torch.zeros(shape) for shape in shapes), clips=names)


WORKER = """
import json, sys
import numpy as np
import torch
import torch.distributed as distributed
from training.test_contract_metric import batched, drawn, metric
rank, place = int(sys.argv[1]), sys.argv[2]
distributed.init_process_group("gloo", init_method=f"file://{place}", rank=rank, world_size=2)
clips = drawn(5, clips=7)
own = dict(list(clips.items())[rank::2])
if rank:
    own |= {"clip0": clips["clip0"]}  # as samplers repeat a clip so that all processes have as many
values = batched(metric(), own, 2).compute()
print(json.dumps(values))
distributed.destroy_process_group()
"""


@pytest.mark.slow
def test_two_processes_give_what_one_gives(tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[1])
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(rank), str(tmp_path / "meeting")],
            stdout=subprocess.PIPE,
            cwd=tests,
            text=True,
            env={"PYTHONPATH": tests, "GLOO_SOCKET_IFNAME": "lo", "PATH": ""},
        )
        for rank in range(2)
    ]
    outputs = [worker.communicate(timeout=120)[0] for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0]
    clips = drawn(5, clips=7)
    for output in outputs:
        assert_offline(json.loads(output.splitlines()[-1]), clips)


def test_a_loss_is_stored_and_copied_and_gives_the_same() -> None:
    from tracepact.torch import ContractLoss

    loss = ContractLoss(CONTRACT, profile="support_recall")
    probabilities, reference = torch.rand(2, 1, 40, generator=torch.Generator().manual_seed(3)), torch.zeros(2, 1, 40)
    reference[..., 10:25] = 1
    stored = io.BytesIO()
    torch.save(torch.nn.ModuleDict({"loss": loss}), stored)
    stored.seek(0)
    again = [
        torch.load(stored, weights_only=False)["loss"],
        copy.deepcopy(loss),
        pickle.loads(pickle.dumps(loss)),
    ]
    for other in again:
        assert torch.equal(other(probabilities, reference).loss, loss(probabilities, reference).loss)
