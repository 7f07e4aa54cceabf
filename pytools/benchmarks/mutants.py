"""The mutation score of the conformance suite: which planted faults its vectors and its random cases catch.

The cases of an experiment are drawn and answered once and asked of every mutant, in the order of a run. A mutant is
left at its first finding.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.mutant import HERE, Mutant, catalogue
from tracepact.conform.differential import GUIDED, case_of, drawn_cases, experiments, guided, nothing_kept
from tracepact.conform.findings import CaseTally, judge
from tracepact.conform.oracle import ConformanceProfile, Vector, vectors_of
from tracepact.conform.peer import PeerFault

SCORES = HERE / "mutants_score.json"
EXAMPLES = 100
"""Random cases of each experiment, as `tracepact conform` has them by default."""

LONG = 4
"""How many times as many cases of each experiment a long run draws."""


@dataclass(frozen=True, slots=True)
class Caught:
    """By what a mutant is caught, if it is: a vector, an experiment of the default run, one of a long run.

    The long run is asked only of those that the vectors and the default run let pass.
    """

    id: str
    vector: str | None = None
    random: str | None = None
    long: str | None = None

    @property
    def by_default(self) -> bool:
        """Whether a run without options catches it."""
        return bool(self.vector or self.random)

    @property
    def any(self) -> bool:
        """Whether anything catches it."""
        return self.by_default or self.long is not None


def first_failed(mutant: Mutant, vectors: Iterable[Vector]) -> str | None:
    """The first vector that the mutant fails, `end` if it fails when there are no more, None if it passes."""
    peer = mutant.peer()
    try:
        for vector in vectors:
            if judge(peer, vector, CaseTally()) is not None:
                return vector.id
        if peer.runs:
            peer.close()
    except PeerFault:
        return "end"
    finally:
        peer.kill()
    return None


def by_vectors(mutant: Mutant) -> str | None:
    """The first vector that the mutant fails, None if it passes all of its profiles."""
    return first_failed(mutant, vectors_of(mutant.profiles))


def cases(profile: ConformanceProfile, experiment: str, *, long: bool = False) -> list[Vector]:
    """The random cases of an experiment that a sound implementation is asked; a long run has another seed."""
    examples, seed = (EXAMPLES * LONG, 1) if long else (EXAMPLES, 0)
    if experiment not in GUIDED[profile]:
        return drawn_cases(profile, experiment, examples, seed)
    return [case_of(profile, experiment, case) for case in guided(profile, experiment, examples, seed, long=long)]


def by_random(mutants: Iterable[Mutant], *, long: bool = False) -> Iterator[tuple[Mutant, str]]:
    """Mutants with an experiment that finds them: first the one of the catalogue, then any of their profiles."""
    left = {mutant.id: mutant for mutant in mutants}
    for own in (True, False):
        for profile in ConformanceProfile:
            for experiment in (*experiments(profile), *GUIDED[profile]):
                some = [m for m in left.values() if profile in m.profiles and (m.experiment == experiment) is own]
                vectors = cases(profile, experiment, long=long) if some else []
                for mutant in some:
                    if first_failed(mutant, vectors) is not None:
                        yield left.pop(mutant.id), experiment


def score(some: Sequence[Mutant], tell: Callable[[Caught], None] = lambda caught: None) -> list[Caught]:
    """What catches each of some mutants; `tell` is given each as it becomes known."""
    found = {}
    for mutant in some:
        found[mutant.id] = Caught(mutant.id, by_vectors(mutant))
        tell(found[mutant.id])
    with nothing_kept():
        for mutant, experiment in by_random(some):
            found[mutant.id] = replace(found[mutant.id], random=experiment)
            tell(found[mutant.id])
        left = [mutant for mutant in some if not found[mutant.id].by_default and not mutant.equivalent]
        for mutant, experiment in by_random(left, long=True):
            found[mutant.id] = replace(found[mutant.id], long=experiment)
            tell(found[mutant.id])
    return list(found.values())


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
            counts["default"] += one.by_default
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
    """The scores that were kept."""
    if not SCORES.exists():
        return {}
    return {entry["id"]: Caught(**entry) for entry in json.loads(SCORES.read_text(encoding="utf-8"))}


def keep(found: Iterable[Caught], place: Path = SCORES) -> None:
    """Keep scores beside those of other mutants, in the order of the catalogue."""
    together = {**known(), **{each.id: each for each in found}}
    kept = [asdict(together[mutant.id]) for mutant in catalogue() if mutant.id in together]
    place.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def chosen(only: Sequence[str] = (), every: int = 1, *, missed: bool = False) -> list[Mutant]:
    """Every n-th mutant of those whose names begin in some ways, and that random cases missed when last asked."""
    found = [mutant for mutant in catalogue() if not only or mutant.id.startswith(tuple(only))]
    before = known()
    if missed:
        found = [m for m in found if not m.equivalent and (m.id not in before or before[m.id].random is None)]
    return found[::every]


def run(mutants: Sequence[Mutant], *, write: bool = False) -> None:
    """Print what catches each mutant, and the score."""
    found = score(mutants, tell=lambda c: print(f"{c.id:<40} {c.long or c.random or c.vector or '-'}", flush=True))
    if write:
        keep(found)
    reasons = {mutant.id: mutant.equivalent for mutant in mutants}
    for one in found:
        if not one.any:
            print(f"{one.id}: " + (f"equivalent: {reasons[one.id]}" if reasons[one.id] else "SURVIVES"))
        elif reasons[one.id]:
            print(f"{one.id}: CAUGHT, and the catalogue calls it equivalent")
    print(summary(found, mutants))


def main() -> None:
    """Print the score: `python -m benchmarks.mutants [--only BEGINNING …] [--every N] [--missed] [--write]`."""
    parser = argparse.ArgumentParser(prog="benchmarks.mutants", description="Which planted faults the suite catches.")
    parser.add_argument("--only", nargs="+", default=(), metavar="BEGINNING", help="the mutants whose names begin so")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="a sample: every N-th of them")
    parser.add_argument("--missed", action="store_true", help="those that the random cases missed when last asked")
    parser.add_argument("--write", action="store_true", help=f"keep what was found in {SCORES.name}")
    arguments = parser.parse_args()
    run(chosen(arguments.only, arguments.every, missed=arguments.missed), write=arguments.write)


if __name__ == "__main__":
    main()
