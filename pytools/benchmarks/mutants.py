"""The mutation score of the conformance suite: which planted faults its vectors and its random cases catch."""

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.mutant import HERE, Mutant, catalogue
from tracepact.tools.conform.differential import experiments, explore, nothing_kept
from tracepact.tools.conform.findings import Finding, Tally, judge
from tracepact.tools.conform.guided import GUIDED, explore_sizes
from tracepact.tools.conform.peer import AnyPeer
from tracepact.tools.conform.vectors import vectors_of

SCORES = HERE / "mutants_score.json"
EXAMPLES = 100
"""Random cases of each experiment, as `tracepact conform` has them by default."""

_LONG = 4
"""How many times as many cases of each experiment a long run draws."""


@dataclass(frozen=True, slots=True)
class Caught:
    """By what a mutant is caught, if it is: a vector, an experiment of the default run, one of a long run."""

    id: str
    vector: str | None
    random: str | None
    long: str | None
    seconds: float

    @property
    def any(self) -> bool:
        """Whether anything catches it."""
        return bool(self.vector or self.random or self.long)


def by_vectors(mutant: Mutant) -> str | None:
    """The first vector that the mutant fails, None if it passes all of its profiles."""
    peer = mutant.peer()
    try:
        for vector in vectors_of(mutant.profiles):
            if judge(peer, vector, Tally()) is not None:
                return vector.id
    finally:
        peer.kill()
    return None


def by_random(mutant: Mutant, *, long: bool = False, seed: int = 0) -> str | None:
    """The first experiment that finds the mutant, the one of the catalogue first; None if none does."""
    peer = mutant.peer()
    try:
        for profile in mutant.profiles:
            names = [*experiments(profile), *GUIDED[profile]]
            for name in sorted(names, key=lambda name: name != mutant.experiment):
                if _finding(peer, mutant, profile, name, long=long, seed=seed) is not None:
                    return name
    finally:
        peer.kill()
    return None


def _finding(peer: AnyPeer, mutant: Mutant, profile: object, name: str, *, long: bool, seed: int) -> Finding | None:
    examples = EXAMPLES * (_LONG if long else 1)
    look = {"examples": examples, "seed": seed, "tally": Tally(), "tick": lambda: None, "shrink": False}
    if name in GUIDED[profile]:  # type: ignore[index]
        return explore_sizes(peer, profile, name, **look, long=long)  # type: ignore[arg-type]
    return explore(peer, profile, name, **look)  # type: ignore[arg-type]


def caught(mutant: Mutant) -> Caught:
    """What catches a mutant; the long run is asked only of those that the default run lets pass."""
    begun = time.perf_counter()
    vector, random = by_vectors(mutant), by_random(mutant)
    long = random or by_random(mutant, long=True, seed=1)
    return Caught(mutant.id, vector, random, long, round(time.perf_counter() - begun, 1))


def score(some: Iterable[Mutant]) -> Iterator[Caught]:
    """What catches each of some mutants."""
    with nothing_kept():
        for mutant in some:
            yield caught(mutant)


def summary(found: Iterable[Caught], mutants: Iterable[Mutant]) -> str:
    """The score by kind, as a table in Markdown; equivalent mutants are left out and counted apart."""
    by_id = {mutant.id: mutant for mutant in mutants}
    rows: dict[str, Counter[str]] = {}
    for one in found:
        mutant = by_id[one.id]
        for kind in (mutant.kind, "all"):
            counts = rows.setdefault(kind, Counter())
            if mutant.equivalent:
                counts["equivalent"] += 1
                continue
            counts["mutants"] += 1
            counts["vectors"] += one.vector is not None
            counts["random"] += one.random is not None
            counts["default"] += bool(one.vector or one.random)
            counts["long"] += one.any
    columns = ("mutants", "vectors", "random", "default", "long", "equivalent")
    lines = [
        "| kind | mutants | by the vectors | by the random cases | by the default run | by the long run | equivalent |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for kind in sorted(rows, key=lambda kind: (kind == "all", kind)):
        lines.append(f"| {kind} | " + " | ".join(str(rows[kind][column]) for column in columns) + " |")
    return "\n".join(lines)


def known() -> dict[str, Caught]:
    """The scores of the last whole run."""
    if not SCORES.exists():
        return {}
    return {entry["id"]: Caught(**entry) for entry in json.loads(SCORES.read_text(encoding="utf-8"))}


def run(*, only: str = "", write: Path | None = None) -> None:
    """Print what catches each mutant, and the score; `only` is the beginning of the names of some."""
    mutants = [mutant for mutant in catalogue() if mutant.id.startswith(only)]
    found = []
    for one in score(mutants):
        found.append(one)
        mutant = next(m for m in mutants if m.id == one.id)
        stage = (
            one.vector or one.random or one.long or (f"equivalent: {mutant.equivalent}" if mutant.equivalent else "")
        )
        print(f"{one.seconds:6.1f} s  {one.id:<40} {stage or 'SURVIVES'}", flush=True)
        if write is not None:
            together = {**known(), **{each.id: each for each in found}}
            order = [mutant.id for mutant in catalogue()]
            kept = [asdict(together[name]) for name in order if name in together]
            write.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(summary(found, mutants))


def main() -> None:
    """Print the score: `python -m benchmarks.mutants [--only BEGINNING] [--write]`."""
    parser = argparse.ArgumentParser(prog="benchmarks.mutants", description="Which planted faults the suite catches.")
    parser.add_argument("--only", default="", metavar="BEGINNING", help="the mutants whose names begin so")
    parser.add_argument("--write", action="store_true", help=f"keep what was found in {SCORES.name}")
    arguments = parser.parse_args()
    run(only=arguments.only, write=SCORES if arguments.write else None)


if __name__ == "__main__":
    main()
