"""What `tracepact score --engine` does: score in batches, tell how far it is, say what is missing."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import click

from tracepact.core import Aggregation, Contract
from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.engines import EngineLost, Progress
from tracepact.io import AudioFolder
from tracepact.metrics import MetricSettings
from tracepact.scoring.vacuity import headline_mean
from tracepact.show.lines import say
from tracepact.show.progress import counted
from tracepact.tools.score.arguments import DataOptions, readings
from tracepact.tools.score.batches.making import ENDING
from tracepact.tools.score.batches.plan import Plan
from tracepact.tools.score.batches.scoring import USUAL_MEMORY, BatchRun, score_batches
from tracepact.tools.score.report.build import profile_value
from tracepact.tools.score.requirement import MEAN
from tracepact.trace import Mode
from tracepact.wording import count

NOT_IN_BATCHES = ("pair", "clips")


def score_in_batches(
    contract: Contract,
    engine: str | None,
    memory: str | None,
    conditions: str | None,
    settings: MetricSettings,
    given: DataOptions,
    out: Path | None,
    *,
    violations: bool,
) -> BatchRun:
    """Score what the options name in batches; batches that failed are said."""
    going_on = out is not None and out.resolve().with_name(out.resolve().name + ENDING).is_dir()
    if going_on:
        say(f"note: a run was interrupted at {out}; what it has finished is checked and kept")
    for name in NOT_IN_BATCHES:
        if given[name] is not None:  # type: ignore[literal-required]
            raise click.UsageError(f"--{name} needs all clips at once; leave out --engine and --memory")
    ref_reading, pred_reading = readings(given)
    audio = given["audio"]
    with _told() as progress:
        try:
            run = score_batches(
                contract,
                given["ref"],
                given["pred"],
                engine=engine,
                memory=memory or USUAL_MEMORY,
                durations=AudioFolder(audio) if given["durations"] is None and audio else given["durations"],
                mode=Mode.CLASS_INDEXED if given["class_indexed"] else Mode.UNION,
                ignore=given["ignore"],
                conditions=conditions,
                label_map=given["label_map"],
                ref_reading=ref_reading,
                pred_reading=pred_reading,
                outside=given["outside"],
                settings=settings,
                strict=given["strict"],
                out=out,
                violations=violations,
                progress=progress,
            )
        except EngineLost as error:
            headline = str(error)
            help = "start the cluster again, and this command; with --out it goes on with what is finished"
            raise InvalidInput([Diagnostic("engine-lost", headline, None, help)]) from error
    if out is not None and run.complete:
        say(f"wrote the run directory {out}")
    elif out is not None:
        say(f"{out} is not written: it would not be whole; the same command tries what is missing again", "bold red")
    for gone in run.given_up:
        names = f"`{gone.first}` to `{gone.last}`"
        say(f"incomplete: batch {gone.batch} is missing, {count(gone.clips, 'clip')}, {names}: {gone.why}", "bold red")
    return run


def check_batch_options(form: str, *, page: bool, parquet: bool) -> None:
    """Refuse what a run in batches does not give."""
    if form == "csv":
        raise click.UsageError("--format csv lists every clip; --out writes them as Parquet")
    if page:
        raise click.UsageError("--page draws every clip; leave out --engine and --memory")
    if parquet:
        raise click.UsageError("--parquet is how rows in batches are written: leave it out")


def tallied_value(run: BatchRun, name: str, aggregation: Aggregation | None) -> Fraction | None:
    """The value a requirement is about; None for the headline of a run in which nothing was asked (rule 16.13)."""
    contract, group = run.head.contract, run.tally.group
    own = aggregation or contract.aggregation
    for profile in contract.profiles:
        if profile.name == name:
            return profile_value(group, replace(profile, aggregation=aggregation or profile.aggregation))
    if name in group.clauses:
        return group.clauses[name].score(own).value
    if name == MEAN:
        return group.logic(own)
    return headline_mean((score.value, score.vacuous) for score in group.vector(own).values())


@contextmanager
def _told() -> Iterator[Callable[[Plan], Progress]]:
    """A bar with batches, clips a second and the time that remains; the address of a dashboard on its own line."""
    with counted() as update:

        def start(plan: Plan) -> Progress:
            began, total = time.monotonic(), len(plan.batches)
            clips = len(plan.clips)

            def done(number: int) -> None:
                passed = max(time.monotonic() - began, 1e-9)
                share = number / max(total, 1)
                rate, left = clips * share / passed, passed * (1 - share) / max(share, 1e-9)
                update(number, total, f"batch {number} of {total}, {rate:,.0f} clips/s, {left:,.0f} s left")

            def dashboard(address: str) -> None:
                if address and sys.stderr.isatty():
                    say(f"dashboard: {address}")

            update(0, total, f"{count(total, 'batch', 'batches')} of {count(clips, 'clip')}")
            return Progress(done, dashboard)

        yield start
