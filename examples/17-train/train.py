"""Trains a small detector on generated features, with and without a contract, and shows the vectors."""

import argparse

import torch
from torch import Tensor, nn

from tracepact import Aggregation, load_contract, score
from tracepact.torch import ContractLoss

FRAMES, FEATURES, NOISE = 200, 8, 0.8
CONTRACT = load_contract("boundary_gate")
SURROGATES = {
    "duration_guard": "on pred_offset : pred_offset -> N[tol] ref_offset",
    "fragmentation_guard": "on pred_onset : pred_onset -> N[tol] ref_onset",
}
"""No slope leads through the matching of events: what stands in for the event clauses is that no edge is predicted
where the reference has none."""


def clips(number: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Features that follow the events late and blurred, under noise; and the events, as 0 and 1."""
    starts = torch.rand(number, 1, FRAMES, generator=generator) < 1 / 50
    events = nn.functional.max_pool1d(starts.float(), 9, stride=1, padding=4)
    lags = [events.roll(lag, dims=-1) for lag in range(FEATURES)]
    blurred = nn.functional.avg_pool1d(torch.cat(lags, dim=1), 9, stride=1, padding=4)
    return blurred + NOISE * torch.randn(blurred.shape, generator=generator), events


def detector() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv1d(FEATURES, 16, 9, padding=4), nn.ReLU(), nn.Conv1d(16, 1, 9, padding=4), nn.Sigmoid())


def train(network: nn.Module, steps: int, batch: int, criterion: ContractLoss | None) -> nn.Module:
    """Binary cross entropy, and the contract beside it; all trainings see the same batches."""
    generator = torch.Generator().manual_seed(1)
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(steps):
        features, events = clips(batch, generator)
        probabilities = network(features)
        loss = nn.functional.binary_cross_entropy(probabilities, events)
        if criterion is not None:
            loss = loss + criterion(probabilities, events).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return network


def vector(network: nn.Module, number: int) -> dict[str, float]:
    """The exact vector on other clips, decoded at 1/2."""
    features, events = clips(number, torch.Generator().manual_seed(2))
    with torch.no_grad():
        active = network(features) > 0.5
    ref, pred = ({f"clip{i}": side[i, 0].numpy() > 0 for i in range(number)} for side in (events, active))
    found = score(CONTRACT, ref, pred).card.vector(Aggregation.POOLED)
    return {clause: float(value.value) for clause, value in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--test", type=int, default=100, help="clips the vectors are of")
    given = parser.parse_args()
    trainings = {
        "without": None,
        "contract": ContractLoss(CONTRACT),
        "surrogates": ContractLoss(CONTRACT, surrogates=SURROGATES),
    }
    columns = {"untrained": vector(detector(), given.test)}
    for name, criterion in trainings.items():
        columns[name] = vector(train(detector(), given.steps, given.batch, criterion), given.test)
    print(f"{'clause':21}" + "".join(f"{name:>12}" for name in columns))
    for clause in columns["without"]:
        print(f"{clause:21}" + "".join(f"{column[clause]:12.3f}" for column in columns.values()))
    trained = [clause.name for clause in CONTRACT.frame_clauses]
    means = [sum(column[clause] for clause in trained) / len(trained) for column in columns.values()]
    print(f"{'mean of frame clauses':21}" + "".join(f"{value:12.3f}" for value in means))


if __name__ == "__main__":
    main()
