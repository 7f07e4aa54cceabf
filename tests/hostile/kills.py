"""`python -m hostile.kills`: every command that writes, killed at random moments; what is left is old, new or nothing.

A child process is forked, runs the command, and is killed by its id: after a random time, or, which is where it hurts,
at a random one of its own steps towards the disk.
"""

import argparse
import itertools
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from cli.command import Outcome, events, run

from hostile.doors import LENGTHS, MORE, PRED, REF
from tracepact.selection.calibration_reader import load_calibration
from tracepact.selection.interview import JudgedPair, prepared
from tracepact.selection.judgements import Tables, read_systems

_STEPS = {"fsync": 12, "open": 12, "rename": 1, "replace": 2, "mkdir": 2}
"""The calls of the system module that a command is killed at, and among how many of each."""
SCORES = "onset\toffset\tx\n0\t1\t0.2\n1\t2\t0.9\n2\t3\t0.4\n"
GRID = 'step = "50ms"\ncases = [{name = "x", edit = "missing"}]\n[reference.r]\nduration = "5s"\nevents = [[1, 2]]\n'
UGLY = MORE.replace("clause", "clause  ")
CURVES = ("curves", "more.contract", "--ref", "clip.tsv", "--pred", "scores")
TUNE = ("tune", *CURVES[1:], "--objective", "mean", "--folds", "2")
SIDES = ("--ref", "ref.tsv", "--durations", "lengths.tsv")
SCORE = ("score", "more.contract", *SIDES, "--pred", "pred.tsv")
SYSTEMS = ("--system", "one=pred.tsv", "--system", "two=ref.tsv")
CONFORM = ("conform", "--examples", "0", "--", "false")
CERTIFY = ("certify", "--run", "run")
SELECT = ("select", "boundary_gate", "--family", "none", "--clauses", "boundary_gate")


@dataclass(frozen=True)
class Writer:
    """A command, where it writes, what makes its result another one the second time, and how it ends.

    With `slow` it takes seconds, or Lean, and is left to the large run.
    """

    arguments: tuple[str, ...]
    place: str
    before: tuple[str, ...] = ()
    stdin: bytes = b""
    code: int = 0
    slow: bool = False


JUDGE = ("judge", "grid.calibration", *SIDES, *SYSTEMS, "--out", "out.csv")
"""Not the command, which serves a page until it is ended: two answers as the page would give them."""
WRITERS = {
    "score": Writer((*SCORE, "--out", "out", "--page"), "out", (*SCORE[:-1], "ref.tsv", "--out", "out")),
    "score in batches": Writer(
        (*SCORE, "--engine", "local", "--out", "out"),
        "out",
        (*SCORE[:-1], "ref.tsv", "--engine", "local", "--out", "out"),
    ),
    "report": Writer(("report", "run", "--out", "out"), "out", ("report", "other", "--out", "out")),
    "report into its run": Writer(("report", "run", "--out", "run", "--format", "html"), "run"),
    "curves": Writer((*CURVES, "--out", "out"), "out", (*CURVES, "--median", "3", "--out", "out")),
    "curves --csv": Writer((*CURVES, "--csv", "out.csv"), "out.csv", (*CURVES, "--median", "3", "--csv", "out.csv")),
    "try": Writer(
        ("try", "more.contract", "--out", "out"), "out", ("try", "more.contract", "--seed", "5", "--out", "out")
    ),
    "convert to a table": Writer(
        ("convert", "pred.tsv", "--to", "table", "--out", "out.tsv"),
        "out.tsv",
        ("convert", "ref.tsv", "--to", "table", "--out", "out.tsv"),
    ),
    "convert to a folder": Writer(("convert", "many.tsv", "--to", "audacity", "--out", "out"), "out"),
    "convert scores": Writer(("convert", "scores", "--to", "scores", "--out", "out"), "out"),
    "lint-data --fix": Writer(("lint-data", *SIDES, "--pred", "pred.tsv", "--fix", "--out", "out"), "out"),
    "fmt": Writer(("fmt", "ugly.contract"), "ugly.contract"),
    "tune": Writer((*TUNE, "--out", "out.toml"), "out.toml"),
    "calibrate": Writer(("calibrate", *SIDES, "--out", "out.calibration"), "out.calibration"),
    "judge": Writer(JUDGE, "out.csv", JUDGE),
    "new": Writer(("new", "fresh", "--starter", "boundary_gate"), "fresh.contract"),
    "watch --save": Writer(
        ("watch", "more.contract", "--save", "out.json"),
        "out.json",
        ("watch", "more.contract", "--save", "out.json"),
        b"1 0\n0 1\n",
    ),
    "league": Writer(("league", "run", "other", "--out", "out"), "out"),
    "league --remove": Writer(("league", "league", "--remove", "third"), "league"),
    "audit --csv": Writer(
        ("audit", "matcher", "run", "--csv", "out.csv"), "out.csv", ("audit", "matcher", "other", "--csv", "out.csv")
    ),
    "audit --figure": Writer(("audit", "matcher", "run", "--figure", "out.svg"), "out.svg"),
    "audit --confusion": Writer(
        ("audit", "union-gap", "run", "--confusion", "out.svg"),
        "out.svg",
        ("audit", "matcher", "run", "--figure", "out.svg"),
    ),
    "compare --csv": Writer(
        ("compare", "run", "other", "--csv", "out.csv"), "out.csv", ("compare", "run", "run", "--csv", "out.csv")
    ),
    "conform --junit": Writer(
        (*CONFORM[:3], "--junit", "out.xml", *CONFORM[3:]),
        "out.xml",
        (*CONFORM[:3], "--junit", "out.xml", "--", "true"),
        code=1,
    ),
    "conform --badge": Writer((*CONFORM[:3], "--badge", "out.svg", *CONFORM[3:]), "out.svg", code=1),
    "conformance": Writer(
        ("conformance", "result.json", "--out", "out.html"),
        "out.html",
        ("conformance", "result.json", "result.json", "--out", "out.html"),
        code=1,
    ),
    "demo": Writer(("demo", "--out", "out"), "out/late_long", slow=True),
    "select": Writer((*SELECT, "--out", "out"), "out", (*SELECT, "--guarantee", "separate", "--out", "out"), slow=True),
    "certify": Writer(
        ("certify", "--run", "run", "--out", "out"), "out", ("certify", "--run", "other", "--out", "out"), slow=True
    ),
    "certify --vector": Writer(
        ("certify", "--run", "run", "--vector", "out.lean"),
        "out.lean",
        ("certify", "--run", "other", "--vector", "out.lean"),
        slow=True,
    ),
    "certify --selection": Writer(
        ("certify", "--selection", "selected", "--out", "out"),
        "out",
        ("certify", "--selection", "selected", "--out", "out"),
        slow=True,
    ),
}


def prepare(folder: Path) -> None:
    """The inputs of all commands."""
    many = events(*[f"c{n} 1 2 x" for n in range(60)])
    files = {
        "more.contract": MORE,
        "ugly.contract": UGLY,
        "ref.tsv": REF,
        "pred.tsv": PRED,
        "lengths.tsv": LENGTHS,
        "clip.tsv": events("one 1 2 x", "two 0 1 x"),
        "many.tsv": many,
        "grid.calibration": GRID,
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "scores").mkdir()
    for clip in ("one", "two"):
        (folder / "scores" / f"{clip}.tsv").write_text(SCORES, encoding="utf-8")
    for name, pred in (("run", "pred.tsv"), ("other", "ref.tsv"), ("third", "pred.tsv")):
        made = run("score", "more.contract", *SIDES, "--pred", pred, "--out", name, folder=folder)
        assert made.code == 0, made.err
    made = run("league", "run", "other", "third", "--out", "league", folder=folder)
    assert made.code == 0, made.err
    (folder / "result.json").write_bytes(conformance_result())


def prepare_slow(folder: Path) -> None:
    """What the slow commands need beside: a selection, and the proof core compiled."""
    for command in ((*SELECT, "--out", "selected"), CERTIFY):
        made = run(*command, folder=folder)
        assert made.code == 0, made.err


def conformance_result() -> bytes:
    """A result of `conform`, of a program that ends at once."""
    return run(*CONFORM[:3], "--format", "json", *CONFORM[3:]).out.encode()


def contents(place: Path) -> Any:
    """What is at a place: the bytes of a file, those of every file of a folder, or nothing."""
    if place.is_dir():
        return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}
    return place.read_bytes() if place.exists() else None


def act(arguments: tuple[str, ...], folder: Path, stdin: bytes = b"") -> Outcome:
    """Run a command in this process; in the place of `judge`, give one answer as its page would."""
    if arguments is not JUDGE:
        return run(*arguments, folder=folder, stdin=stdin)
    with chdir(folder):
        grid = load_calibration("grid.calibration", ranked=False)
        given = Tables("ref.tsv", "lengths.tsv", dict(word.split("=") for word in SYSTEMS if "=" in word))
        interview = prepared(grid, read_systems(grid, given), Path("out.csv"), "ann")
        interview.answer(JudgedPair(0, "same", len(interview.rows)))
    return Outcome(0, "", "")


@dataclass(frozen=True)
class Stage:
    """A folder that a command starts in, what is at its place before, what after, and how long it took."""

    folder: Path
    before: Any
    whole: Any
    seconds: float


def staged(name: str, home: Path) -> list[Stage]:
    """Where a command starts: with nothing at its place, and with an earlier result, if it can have one."""
    writer, found = WRITERS[name], []
    for earlier in (False, True) if writer.before else (False,):
        folder = home / f"stage-{len(list(home.iterdir()))}"
        shutil.copytree(home / "inputs", folder)
        if earlier:
            act(writer.before, folder, b"1 1\n" if writer.stdin else b"")
        before = contents(folder / writer.place)
        assert (before is not None) == (earlier or name in OWN), name
        shutil.copytree(folder, home / "here")
        began = time.monotonic()
        outcome = act(writer.arguments, home / "here", writer.stdin)
        seconds = time.monotonic() - began
        assert outcome.code == writer.code, f"{name}: {outcome.err}"
        whole = contents(home / "here" / writer.place)
        assert whole not in (None, before) or (earlier and name in SAME), f"{name} leaves what was there"
        found.append(Stage(folder, before, whole, seconds))
        shutil.rmtree(home / "here")
    return found


OWN = ("fmt", "report into its run", "league --remove")
"""What changes a place that is among the inputs."""
SAME = ("certify --selection",)
"""What gives the same the second time."""


def _child(writer: Writer, folder: Path, step: int | None, name: str) -> None:
    """Run the command in this process, which kills itself at a step of a kind, and end."""
    if step is not None:
        kept, left = getattr(os, name), [step]

        def stopping(*given: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return kept(*given, **named)

        setattr(os, name, stopping)
    try:
        act(writer.arguments, folder, writer.stdin)
    finally:
        os._exit(0)


def kill_once(name: str, stage: Stage, home: Path, rng: Random) -> str:
    """Kill a command once; how it ended: old, new, nothing, or half, which is a fault."""
    writer, folder = WRITERS[name], home / "here"
    shutil.copytree(stage.folder, folder)
    try:
        call = rng.choice(["fsync", "fsync", "open", "rename", "replace", "mkdir"])
        step = rng.randrange(_STEPS[call]) if writer.slow or rng.random() < 0.7 else None
        process = os.fork()
        if not process:
            _child(writer, folder, step, call)
        if step is None:
            time.sleep(rng.uniform(0.2, 1.05) * stage.seconds)
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        after = contents(folder / writer.place)
        kind = "killed" if os.WIFSIGNALED(status) else "ended first"
        if after == stage.before:
            end = "nothing" if after is None else "old"
        else:
            end = "new" if after == stage.whole else "HALF"
        if end in ("nothing", "old") and not writer.slow:
            act(writer.arguments, folder, writer.stdin)
            end = end if contents(folder / writer.place) == stage.whole else "HALF: it does not work again"
        return f"{kind}: {end}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def kills(number: int, seed: int, *, slow: bool = False) -> dict[str, Counter[str]]:
    """Kill commands in turn until so many were killed before they ended; how often each ended how.

    Without `slow` only commands that take less than a second.
    """
    home = Path(tempfile.mkdtemp(prefix="hostile-kills-"))
    names = sorted(name for name, writer in WRITERS.items() if slow or not writer.slow)
    found: dict[str, Counter[str]] = {name: Counter() for name in names}
    stages: dict[str, list[Stage]] = {}
    try:
        (home / "inputs").mkdir()
        prepare(home / "inputs")
        if slow:
            prepare_slow(home / "inputs")
        for count in itertools.count():
            if (
                sum(times for ends in found.values() for end, times in ends.items() if end.startswith("killed"))
                >= number
            ):
                break
            name, rng = names[count % len(names)], Random(f"{seed} {count}")
            if name not in stages:
                stages[name] = staged(name, home)
            end = kill_once(name, rng.choice(stages[name]), home, rng)
            found[name][end] += 1
            if "HALF" in end:
                sys.stderr.write(f"half of {name} was left, seed {seed}, number {count}\n")
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    tally = kills(given.kills, given.seed, slow=True)
    for name, ends in tally.items():
        sys.stdout.write(f"{name}: {', '.join(f'{end} {times}' for end, times in sorted(ends.items()))}\n")
    total = sum(tally.values(), Counter[str]())
    for kind, times in sorted(total.items()):
        sys.stdout.write(f"{kind}: {times}\n")
    sys.exit(1 if any("HALF" in kind for kind in total) else 0)
