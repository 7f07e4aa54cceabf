"""Selections at scale: `tracepact select` over 116,066 candidates and a thousand cases, judged or ranked.

The whole command in a process of its own, from the tables to the JSON: ten systems of different skill on a hundred
clips. A measure that no clause is says how bad an output is. Five thousand pairs are judged by it, one in twenty turned
round; or all outputs have one of three ranks by it, which compares 333,333 pairs, once as they are and once with one
output in a hundred at another rank.
"""

import json
import random
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.harness import Options, Row, Target, sized, timed
from benchmarks.outputs import FRAMES, STEP, Clips, Run, calibration_of, made_outputs, seconds_of

SUBJECT = "preferences"
CLIPS, SYSTEMS, JUDGEMENTS = sized((100, 10, 5000), (4, 3, 20))
TURNED = 0.05
RANKS, MISPLACED = 3, 0.01
MINUTE, GIGABYTES = 60, 2
FAMILY = f"""tolerances = {sized('["20ms", "40ms", "60ms", "80ms", "120ms", "160ms"]', '["40ms"]')}
depth = 2
"""


def measure(_: Options) -> Iterator[Row]:
    """Seconds, memory, and what is found beside what is proved."""
    yield from _judged()
    yield from _ranked("ranked", 0)
    yield from _ranked("ranked, some misplaced", MISPLACED)


def _judged() -> Iterator[Row]:
    generator = random.Random(21)
    with TemporaryDirectory() as made:
        folder = Path(made)
        reference, systems = _tables(folder, generator)
        (folder / "set.calibration").write_text(calibration_of(FAMILY), encoding="utf-8")
        judged = "\n".join(_judgements(reference, systems, generator))
        (folder / "judged.csv").write_text(f"clip,a,b,worse,judge\n{judged}\n", encoding="utf-8")
        tables = [part for name in systems for part in ("--system", f"{name}={name}.tsv")]
        given = ["--preferences", "judged.csv", "--ref", "ref.tsv", "--durations", "durations.tsv", *tables]
        found, rows = _selected(folder, given, "judged")
    yield from rows
    judged, selected = found["preferences"], found["selected"]
    note = f"of {judged['weight']}; no contract violates less than {judged['bound']}"
    yield Row(SUBJECT, "judged: violated weight", float(judged["violated_weight"]), "", note=note)
    yield Row(SUBJECT, "judged: clauses", selected["count"], "", note=f"at least {selected['count_bound']}")


def _ranked(words: str, misplaced: float) -> Iterator[Row]:
    generator = random.Random(21)
    with TemporaryDirectory() as made:
        folder = Path(made)
        reference, systems = _tables(folder, generator)
        (folder / "set.calibration").write_text(
            _ranked_cases(reference, systems, misplaced, generator), encoding="utf-8"
        )
        found, rows = _selected(folder, ["--guarantee", "order"], words)
    yield from rows
    selected = found["selected"]
    given_up = selected["ordering"]["given_up"]
    lost = given_up["number"] + len(found["unmet"])
    note = f"of {selected['required']:,}; no contract leaves fewer than {given_up['bound'] + len(found['unmet']):,}"
    yield Row(SUBJECT, f"{words}: pairs not ordered", lost, "", note=note)
    yield Row(SUBJECT, f"{words}: clauses", selected["count"], "", note=f"at least {selected['count_bound']}")


def _selected(folder: Path, given: list[str], words: str) -> tuple[dict[str, Any], list[Row]]:
    """What the command finds, and its seconds and memory."""
    arguments = [sys.executable, "-m", "tracepact", "select", "set.calibration", *given, "--format", "json"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, done = timed(lambda: subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not done.stdout:
        raise SystemExit(f"{SUBJECT}: {done.stderr}")
    found = json.loads(done.stdout)
    candidates, cases = found["candidates"], len(found["cases"])
    note = f"{candidates['total']:,} candidates in {candidates['classes']:,} classes, {cases:,} cases"
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    return found, [
        Row(SUBJECT, f"{words}: the whole command", seconds, "s", Target(MINUTE, at_least=False), note),
        Row(SUBJECT, f"{words}: processor time", cpu, "s"),
        Row(SUBJECT, f"{words}: memory at most", used.ru_maxrss / 2**20, "GiB", Target(GIGABYTES, at_least=False)),
    ]


def _tables(folder: Path, generator: random.Random) -> tuple[Clips, dict[str, Clips]]:
    """Write the tables of events and of durations."""
    reference, systems = made_outputs([f"c{k}.wav" for k in range(CLIPS)], SYSTEMS, generator)
    for name, clips in {"ref": reference, **systems}.items():
        rows = (f"{c}\t{a}\t{b}\tevent\n" for c, runs in clips.items() for a, b in seconds_of(runs))
        text = "filename\tonset\toffset\tevent_label\n" + "".join(rows)
        (folder / f"{name}.tsv").write_text(text, encoding="utf-8")
    lengths = "".join(f"{clip}\t{FRAMES * STEP}\n" for clip in reference)
    (folder / "durations.tsv").write_text(f"filename\tduration\n{lengths}", encoding="utf-8")
    return reference, systems


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


def _ranked_cases(reference: Clips, systems: dict[str, Clips], misplaced: float, generator: random.Random) -> str:
    """A calibration set in which every output is a case, with a rank by its harm or, if misplaced, any rank."""
    outputs = [(clip, name) for clip in reference for name in systems]
    by_harm = sorted(outputs, key=lambda one: _harm(reference[one[0]], systems[one[1]][one[0]]))
    rank = {one: 1 + place * RANKS // len(by_harm) for place, one in enumerate(by_harm)}
    for one in outputs:
        if generator.random() < misplaced:
            rank[one] = generator.randint(1, RANKS)
    cases = (
        f'{{name = "{clip} {name}", rank = {rank[clip, name]}, ref = "ref.tsv", pred = "{name}.tsv", clip = "{clip}"}}'
        for clip, name in outputs
    )
    listed = ",\n".join(cases)
    return f'step = "20ms"\ndurations = "durations.tsv"\ncases = [\n{listed}\n]\n[family]\n{FAMILY}'
