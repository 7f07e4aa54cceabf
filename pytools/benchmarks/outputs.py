"""Outputs of made systems on made clips, for selections: references, ten seconds each, and what is heard of them."""

import random
from collections.abc import Sequence

FRAMES, STEP = 500, 0.02
Run = tuple[int, int]
Clips = dict[str, list[Run]]
_GRID = """
step = "20ms"
cases = [{name = "late", edit = "late_onset", by = "60ms"}, {name = "lost", edit = "missing"}]
[reference.any]
duration = "1s"
events = [["200ms", "400ms"]]
"""


def calibration_of(family: str) -> str:
    """A calibration set of a family of candidates; its cases are in place of those that judgements are about."""
    return f"{_GRID}[family]\n{family}"


def made_outputs(clips: Sequence[str], systems: int, generator: random.Random) -> tuple[Clips, dict[str, Clips]]:
    """References, and the outputs of so many systems on them, each worse than the one before."""
    reference = {clip: events_of_clip(generator) for clip in clips}
    heard_by = {
        f"s{k}": {clip: heard(runs, 0.3 + 1.5 * k / systems, generator) for clip, runs in reference.items()}
        for k in range(systems)
    }
    return reference, heard_by


def events_of_clip(generator: random.Random) -> list[Run]:
    """Runs of frames that do not touch."""
    found, at = [], generator.randrange(10, 60)
    while (end := at + generator.randrange(8, 100)) < FRAMES:
        found.append((at, end))
        at = end + generator.randrange(10, 150)
    return found


def heard(runs: list[Run], fault: float, generator: random.Random) -> list[Run]:
    """Runs as a system gives them out: edges moved, some missing, some cut in two, one too many."""
    found = []
    for start, end in runs:
        a = max(0, start + round(generator.gauss(fault, 4 * fault)))
        b = min(FRAMES - 1, end + round(generator.gauss(0, 5 * fault)))
        if b - a < 2 or generator.random() < 0.15 * fault:
            continue
        middle, half = (a + b) // 2, generator.randrange(1, 4)
        cut = b - a > 12 and generator.random() < 0.15 * fault
        found += [(a, middle - half), (middle + half, b)] if cut else [(a, b)]
    if generator.random() < 0.2 * fault:
        at = generator.randrange(0, FRAMES - 20)
        found += [(at, at + 8)] if all(at + 8 < a or at > b for a, b in found) else []
    return sorted(found)


def seconds_of(runs: list[Run]) -> list[tuple[str, str]]:
    """Runs of frames as times."""
    return [(f"{a * STEP:.2f}", f"{b * STEP:.2f}") for a, b in runs]
