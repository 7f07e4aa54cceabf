"""Run the benchmarks: `python -m benchmarks [SUBJECT …] [--desed DIR] [--json]`."""

import argparse
from pathlib import Path

from rich.console import Console

from benchmarks import (
    batches,
    candidates,
    checker,
    compat,
    end_to_end,
    frame_guards,
    memory,
    metrics,
    onset_guard,
    play,
    preferences,
    recovery,
    scaling,
    selection,
    soft,
    start_up,
    streaming,
    thresholds,
    training,
    whole_family,
)
from benchmarks.harness import Options, Row, as_json, print_table

SUBJECTS = {
    "frame_guards": frame_guards.measure,
    "onset_guard": onset_guard.measure,
    "scaling": scaling.measure,
    "whole_family": whole_family.measure,
    "memory": memory.measure,
    "end_to_end": end_to_end.measure,
    "metrics": metrics.measure,
    "streaming": streaming.measure,
    "checker": checker.measure,
    "candidates": candidates.measure,
    "selection": selection.measure,
    "preferences": preferences.measure,
    "recovery": recovery.measure,
    "soft": soft.measure,
    "thresholds": thresholds.measure,
    "compat": compat.measure,
    "training": training.measure,
    "play": play.measure,
    "start_up": start_up.measure,
    "batches": batches.measure,
}


def main() -> None:
    """Measure, then print."""
    parser = argparse.ArgumentParser(prog="benchmarks", description="Measured ratios beside their targets.")
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=f"default: all of {', '.join(SUBJECTS)}")
    parser.add_argument("--desed", type=Path, metavar="DIR", help="folder of the DESED validation tables")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.subjects if name not in SUBJECTS]
    if unknown:
        parser.error(f"unknown subject `{unknown[0]}`")
    options = Options(desed=arguments.desed)
    progress = Console(stderr=True)
    rows: list[Row] = []
    for name in arguments.subjects or SUBJECTS:
        with progress.status(name):
            rows += SUBJECTS[name](options)
    if arguments.json:
        print(as_json(rows))
    else:
        print_table(rows, Console(width=160))


if __name__ == "__main__":
    main()
