"""Judgements at scale: `tracepact select` over 116,066 candidates, a thousand cases and five thousand judgements.

The whole command in a process of its own, from the tables to the JSON: ten systems of different skill on a hundred
clips, judged by a measure that no clause is, one judgement in twenty turned round.
"""

import json
import random
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.harness import Options, Row, Target, timed

SUBJECT = "preferences"
CLIPS, SYSTEMS, JUDGEMENTS, TURNED = 100, 10, 5000, 0.05
FRAMES, STEP = 500, 0.02
"""Ten seconds a clip."""
MINUTE, GIGABYTES = 60, 2
FAMILY = """
step = "20ms"
cases = [{name = "late", edit = "late_onset", by = "60ms"}, {name = "lost", edit = "missing"}]
[reference.any]
duration = "1s"
events = [["200ms", "400ms"]]
[family]
tolerances = ["20ms", "40ms", "60ms", "80ms", "120ms", "160ms"]
depth = 2
"""
Run = tuple[int, int]
Clips = dict[str, list[Run]]


def measure(_: Options) -> Iterator[Row]:
    """Seconds, memory, and what is found beside what is proved."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        arguments = _written(folder, random.Random(21))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds, done = timed(
            lambda: subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
        )
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not done.stdout:
        raise SystemExit(f"{SUBJECT}: {done.stderr}")
    found = json.loads(done.stdout)
    judged, selected = found["preferences"], found["selected"]
    total, cases = found["candidates"]["total"], len(found["cases"])
    words = f"{total:,} candidates, {cases:,} cases, {judged['judgements']:,} judgements"
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    yield Row(SUBJECT, "the whole command", seconds, "s", Target(MINUTE, at_least=False), words)
    yield Row(SUBJECT, "processor time", cpu, "s")
    memory = used.ru_maxrss / 2**20
    yield Row(SUBJECT, "memory at most", memory, "GiB", Target(GIGABYTES, at_least=False))
    note = f"of {judged['weight']}; no contract violates less than {judged['bound']}"
    yield Row(SUBJECT, "violated weight", float(judged["violated_weight"]), "", note=note)
    note = f"at least {selected['count_bound']}; {found['candidates']['classes']:,} classes of candidates"
    yield Row(SUBJECT, "clauses", selected["count"], "", note=note)


def _written(folder: Path, generator: random.Random) -> list[str]:
    """Write the calibration set, the tables and the judgements; the command that selects from them."""
    reference = {f"c{k}.wav": events_of_clip(generator) for k in range(CLIPS)}
    systems = {
        f"s{k}": {clip: heard(runs, 0.3 + 1.5 * k / SYSTEMS, generator) for clip, runs in reference.items()}
        for k in range(SYSTEMS)
    }
    (folder / "set.calibration").write_text(FAMILY, encoding="utf-8")
    for name, clips in {"ref": reference, **systems}.items():
        rows = (f"{c}\t{a * STEP:.2f}\t{b * STEP:.2f}\tevent\n" for c, runs in clips.items() for a, b in runs)
        text = "filename\tonset\toffset\tevent_label\n" + "".join(rows)
        (folder / f"{name}.tsv").write_text(text, encoding="utf-8")
    lengths = "".join(f"{clip}\t{FRAMES * STEP}\n" for clip in reference)
    (folder / "durations.tsv").write_text(f"filename\tduration\n{lengths}", encoding="utf-8")
    judged = "\n".join(_judgements(reference, systems, generator))
    (folder / "judged.csv").write_text(f"clip,a,b,worse,judge\n{judged}\n", encoding="utf-8")
    tables = [part for name in systems for part in ("--system", f"{name}={name}.tsv")]
    given = ["set.calibration", "--preferences", "judged.csv", "--ref", "ref.tsv", "--durations", "durations.tsv"]
    return [sys.executable, "-m", "tracepact", "select", *given, *tables, "--format", "json"]


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


def _harm(reference: list[Run], heard: list[Run]) -> float:
    """How bad an output is to whoever judges here: lost time, added time, onsets that are not where they should be."""
    wanted, given = ({frame for a, b in runs for frame in range(a, b)} for runs in (reference, heard))
    late = sum(all(abs(a - other) > 4 for other, _ in heard) for a, _ in reference)
    lost, added = len(wanted - given) / max(1, len(wanted)), len(given - wanted) / max(1, len(given))
    return 3 * lost + 2 * added + 4 * late / max(1, len(reference))


def _judgements(reference: Clips, systems: dict[str, Clips], generator: random.Random) -> Iterator[str]:
    made = 0
    while made < JUDGEMENTS:
        clip = generator.choice(list(reference))
        pair = generator.sample(list(systems), 2)
        a, b = (_harm(reference[clip], systems[name][clip]) for name in pair)
        if abs(a - b) < 0.02:
            continue
        worse = "a" if (a > b) != (generator.random() < TURNED) else "b"
        made += 1
        yield f"{clip},{pair[0]},{pair[1]},{worse},j{generator.randrange(5)}"
