"""What `tracepact score --engine` does: score in batches, tell how far it is, say what is missing."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
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
from tracepact.show.lines import print_diagnostics, say
from tracepact.show.progress import counted
from tracepact.tools.score.arguments import DataOptions, SideOptions, readings
from tracepact.tools.score.batches.making import kept_batches
from tracepact.tools.score.batches.plan import Plan
from tracepact.tools.score.batches.running import USUAL_MEMORY, OnPlan, diagnostic_of
from tracepact.tools.score.batches.scoring import BatchRun, score_batches
from tracepact.tools.score.batches.sources import BatchOptions
from tracepact.tools.score.batches.sums import GivenUp
from tracepact.tools.score.report.build import profile_value
from tracepact.tools.score.report.sounds import Sounds
from tracepact.tools.score.requirement import MEAN
from tracepact.tools.score.tally import FindingsTally
from tracepact.tools.stopping import ended_as_by_hand
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
    page: Callable[[Sequence[str]], Sounds] | None,
) -> BatchRun:
    """Score what the options name in batches; batches that failed are said."""
    for name in NOT_IN_BATCHES:
        if given[name] is not None:  # type: ignore[literal-required]
            raise click.UsageError(f"--{name} needs all clips at once; leave out --engine and --memory")
    with told_batches() as progress, _said_when_stopped(out):
        run = score_batches(
            contract,
            given["ref"],
            given["pred"],
            engine=engine,
            memory=memory or USUAL_MEMORY,
            mode=Mode.CLASS_INDEXED if given["class_indexed"] else Mode.UNION,
            conditions=conditions,
            settings=settings,
            strict=given["strict"],
            out=out,
            violations=violations,
            page=page,
            progress=progress,
            **batch_options(given),
        )
    if out is not None and run.complete:
        say(f"wrote the run directory {out}")
    elif out is not None:
        say(f"{out} is not written: it would not be whole; the same command tries what is missing again", "bold red")
    say_missing(run.given_up)
    return run


@contextmanager
def _said_when_stopped(out: Path | None) -> Iterator[None]:
    """Say on Ctrl-C that the same command goes on from here, where batches are finished and kept (rule 24.18)."""
    try:
        yield
    except KeyboardInterrupt:
        kept = 0 if out is None else kept_batches(out)
        if kept:
            say(f"{count(kept, 'batch is', 'batches are')} finished and kept: the same command goes on from here")
        elif out is None:
            say("nothing is kept; with --out, what is finished is kept and the same command goes on")
        raise


def batch_options(given: SideOptions) -> BatchOptions:
    """What options say of both sides, beside their places, as `open_sides` takes it."""
    ref_reading, pred_reading = readings(given)
    audio = given["audio"]
    return {
        "durations": AudioFolder(audio) if given["durations"] is None and audio else given["durations"],
        "ignore": given["ignore"],
        "label_map": given["label_map"],
        "ref_reading": ref_reading,
        "pred_reading": pred_reading,
        "outside": given["outside"],
    }


def say_missing(given_up: Sequence[GivenUp]) -> None:
    """Say that batches failed; each with its clips is among the findings."""
    if given_up:
        clips = count(sum(gone.clips for gone in given_up), "clip")
        say(f"incomplete: {count(len(given_up), 'batch', 'batches')} with {clips} failed three times", "bold red")


def print_tallied(found: FindingsTally, kept: Callable[[list[Diagnostic]], list[Diagnostic]] = list) -> None:
    """Diagnostics of batches; the first of each code are kept, and how many more there are is said."""
    items = list(map(diagnostic_of, found.items))
    held = Counter(one.code for one in items)
    print_diagnostics(kept(items))
    for code, times in found.counts.items():
        if times > held[code]:
            more = times - held[code]
            say(f"{more:,} more of `{code}`, counted and not kept: the run keeps the first {held[code]:,}")


def check_batch_options(form: str, *, parquet: bool) -> None:
    """Refuse what a run in batches does not give."""
    if form == "csv":
        raise click.UsageError("--format csv lists every clip; --out writes them as Parquet")
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
def told_batches() -> Iterator[OnPlan]:
    """A bar with batches, clips a second, the time that remains, and the address of a dashboard if there is one.

    A cluster that goes away meanwhile raises InvalidInput. A request to end does what Ctrl-C does.
    """
    try:
        with ended_as_by_hand(), _bar() as start:
            yield start
    except EngineLost as error:
        help = "start the cluster again, and this command; with --out it goes on with what is finished"
        raise InvalidInput([Diagnostic("engine-lost", str(error), None, help)]) from error


@contextmanager
def _bar() -> Iterator[OnPlan]:
    with counted() as update:

        def start(plan: Plan) -> Progress:
            return _Told(update, len(plan.batches), len(plan.clips)).progress

        yield start


class _Told:
    """What is shown of a run in batches: its batches, then other tasks, such as draws."""

    def __init__(self, update: Callable[[int, int, str], None], batches: int, clips: int) -> None:
        self._update, self._total, self._clips = update, batches, clips
        self._began, self._beside = time.monotonic(), ""
        self._what = "batch"
        self._show(0, f"{count(batches, 'batch', 'batches')} of {count(clips, 'clip')}")

    @property
    def progress(self) -> Progress:
        """What is told."""
        return Progress(self._done, self._dashboard, lambda text: say(f"note: {text}"), self._stage)

    def _show(self, number: int, words: str) -> None:
        self._update(number, self._total, f"{words}{self._beside}")

    def _done(self, number: int) -> None:
        passed = max(time.monotonic() - self._began, 1e-9)
        share = number / max(self._total, 1)
        rate, left = self._clips * share / passed, passed * (1 - share) / max(share, 1e-9)
        speed = f", {rate:,.0f} clips/s" if self._what == "batch" else ""
        self._show(number, f"{self._what} {number} of {self._total}{speed}, {left:,.0f} s left")

    def _dashboard(self, address: str) -> None:
        if address:
            self._beside = f", dashboard {address}"
            self._show(0, f"{self._what} 0 of {self._total}")

    def _stage(self, what: str, tasks: int) -> None:
        self._what, self._total, self._began = what, tasks, time.monotonic()
        self._show(0, f"{what} 0 of {tasks}")
