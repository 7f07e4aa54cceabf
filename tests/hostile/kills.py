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
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from cli.command import events, run

from hostile.doors import LENGTHS, MORE, PRED, REF

_STEPS = {"fsync": 12, "open": 12, "rename": 1, "replace": 2, "mkdir": 2}
"""The calls of the system module that a command is killed at, and among how many of each."""
SCORES = "onset\toffset\tx\n0\t1\t0.2\n1\t2\t0.9\n2\t3\t0.4\n"
UGLY = MORE.replace("clause", "clause  ")
CURVES = ("curves", "more.contract", "--ref", "clip.tsv", "--pred", "scores")
TUNE = ("tune", *CURVES[1:], "--objective", "mean", "--folds", "2")
CALIBRATE = ("calibrate", "--ref", "ref.tsv", "--durations", "lengths.tsv", "--out", "out.calibration")
TRY = ("try", "more.contract", "--out", "out")
SIDES = ("--ref", "ref.tsv", "--durations", "lengths.tsv")


@dataclass(frozen=True)
class Writer:
    """A command, where it writes, and what makes its result another one the second time."""

    arguments: tuple[str, ...]
    place: str
    before: tuple[str, ...] = ()
    stdin: bytes = b""


WRITERS = {
    "score": Writer(
        ("score", "more.contract", *SIDES, "--pred", "pred.tsv", "--out", "out", "--page"),
        "out",
        ("score", "more.contract", *SIDES, "--pred", "ref.tsv", "--out", "out"),
    ),
    "report": Writer(("report", "run", "--out", "out"), "out", ("report", "other", "--out", "out")),
    "report into its run": Writer(("report", "run", "--out", "run", "--format", "html"), "run"),
    "curves": Writer(
        (*CURVES, "--out", "out"),
        "out",
        (*CURVES, "--median", "3", "--out", "out"),
    ),
    "try": Writer(
        ("try", "more.contract", "--out", "out"), "out", ("try", "more.contract", "--seed", "5", "--out", "out")
    ),
    "convert to a table": Writer(
        ("convert", "pred.tsv", "--to", "table", "--out", "out.tsv"),
        "out.tsv",
        ("convert", "ref.tsv", "--to", "table", "--out", "out.tsv"),
    ),
    "convert to a folder": Writer(("convert", "many.tsv", "--to", "audacity", "--out", "out"), "out"),
    "convert scores": Writer(("convert", "scores", "--to", "npz", "--out", "out.npz"), "out.npz"),
    "lint-data --fix": Writer(("lint-data", *SIDES, "--pred", "pred.tsv", "--fix", "--out", "out"), "out"),
    "fmt": Writer(("fmt", "ugly.contract"), "ugly.contract"),
    "tune": Writer(
        (
            "tune",
            "more.contract",
            "--ref",
            "clip.tsv",
            "--pred",
            "scores",
            "--objective",
            "mean",
            "--folds",
            "2",
            "--out",
            "out.toml",
        ),
        "out.toml",
    ),
    "calibrate": Writer(
        ("calibrate", "--ref", "ref.tsv", "--durations", "lengths.tsv", "--out", "out.calibration"), "out.calibration"
    ),
    "new": Writer(("new", "fresh", "--from", "boundary_gate"), "fresh.contract"),
    "watch --save": Writer(
        ("watch", "more.contract", "--save", "out.json"),
        "out.json",
        ("watch", "more.contract", "--save", "out.json"),
        b"1 0\n0 1\n",
    ),
    "league": Writer(("league", "run", "other", "--out", "out"), "out"),
    "league --remove": Writer(("league", "league", "--remove", "third"), "league"),
    "audit --csv": Writer(("audit", "matcher", "run", "--csv", "out.csv", "--figure", "out.svg"), "out.csv"),
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


def contents(place: Path) -> Any:
    """What is at a place: the bytes of a file, those of every file of a folder, or nothing."""
    if place.is_dir():
        return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}
    return place.read_bytes() if place.exists() else None


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
    os.environ["TRACEPACT_CACHE"] = str(folder / "cache")
    try:
        run(*writer.arguments, folder=folder, stdin=writer.stdin)
    finally:
        os._exit(0)


def kill_once(name: str, home: Path, rng: Random, length: float) -> str:
    """Kill a command once; how it ended: old, new, nothing, or half, which is a fault."""
    writer, folder = WRITERS[name], home / "here"
    shutil.copytree(home / "inputs", folder)
    try:
        if writer.before and rng.random() < 0.6:
            run(*writer.before, folder=folder, stdin=b"1 1\n" if writer.stdin else b"")
        before = contents(folder / writer.place)
        call = rng.choice(["fsync", "fsync", "open", "rename", "replace", "mkdir"])
        step = rng.randrange(_STEPS[call]) if rng.random() < 0.7 else None
        process = os.fork()
        if not process:
            _child(writer, folder, step, call)
        if step is None:
            time.sleep(rng.uniform(0.2, 1.05) * length)
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        after = contents(folder / writer.place)
        run(*writer.arguments, folder=folder, stdin=writer.stdin)
        whole = contents(folder / writer.place)
        kind = "killed" if os.WIFSIGNALED(status) else "ended first"
        if after == before:
            return f"{kind}: {'nothing' if before is None else 'old'}"
        return f"{kind}: new" if after == whole else f"{kind}: HALF"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def kills(number: int, seed: int) -> Counter[str]:
    """Kill commands in turn until so many were killed before they ended; how often each ended how."""
    home = Path(tempfile.mkdtemp(prefix="hostile-kills-"))
    found: Counter[str] = Counter()
    lengths: dict[str, float] = {}
    try:
        (home / "inputs").mkdir()
        prepare(home / "inputs")
        for count in itertools.count():
            if sum(times for end, times in found.items() if end.startswith("killed")) >= number:
                break
            name, rng = sorted(WRITERS)[count % len(WRITERS)], Random(f"{seed} {count}")
            if name not in lengths:
                shutil.copytree(home / "inputs", home / "here")
                began = time.monotonic()
                outcome = run(*WRITERS[name].arguments, folder=home / "here", stdin=WRITERS[name].stdin)
                lengths[name] = time.monotonic() - began
                assert outcome.code == 0, f"{name}: {outcome.err}"
                shutil.rmtree(home / "here")
            end = kill_once(name, home, rng, lengths[name])
            found[end] += 1
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
    tally = kills(given.kills, given.seed)
    for kind, count in sorted(tally.items()):
        sys.stdout.write(f"{kind}: {count}\n")
    sys.exit(1 if any("HALF" in kind for kind in tally) else 0)
