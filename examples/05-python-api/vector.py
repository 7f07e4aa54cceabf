"""Scores data in memory: a list of intervals, masks, a mapping of clips."""

import numpy as np

from tracepact import Run, score, starter_contracts

contract = starter_contracts()["boundary_gate"]


def show(title: str, run: Run) -> None:
    print(title)
    for clause, value in run.vector.items():
        print(f"  {clause} {value}")


show("list", score(contract, [(1.0, 2.0)], [(1.06, 2.4)], durations=3))

ref, pred = np.zeros(150, dtype=bool), np.zeros(150, dtype=bool)
ref[50:100] = True
pred[53:120] = True
show("masks", score(contract, ref, pred))

show(
    "clips",
    score(
        contract,
        {"a.wav": [(1.0, 2.0, "speech")], "b.wav": []},
        {"a.wav": [(1.0, 2.4, "speech")], "b.wav": [(0.5, 0.6, "speech")]},
        durations={"a.wav": 3, "b.wav": 3},
    ),
)
