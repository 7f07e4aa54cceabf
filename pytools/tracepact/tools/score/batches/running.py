"""Does the batches of a plan by an engine and adds what they give; what is missing or wrong is said of the whole."""

import errno
import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction

from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput, RowPlace, not_spelled_out
from tracepact.diagnostics.codes import CODES, Severity
from tracepact.diagnostics.record import DiagnosticRecord, RowPlaceRecord
from tracepact.engines import Engine, Progress, Work, run_tasks
from tracepact.io.units import Ends, report_length_unit, report_unit
from tracepact.tools.score.batches.plan import Plan
from tracepact.tools.score.batches.sides import Sides
from tracepact.tools.score.batches.sources import Tasks
from tracepact.tools.score.batches.sums import BatchSum, Tallied
from tracepact.tools.score.batches.work import Task, failed_batch
from tracepact.tools.score.tally import FindingsTally
from tracepact.trace import Durations
from tracepact.wording import count

USUAL_MEMORY = "2GB"
OnPlan = Callable[[Plan], Progress]
_UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*")
_SHARE = 4
"""A batch may take this part of the memory that is left for each worker; names, reading and results take the rest."""
_LEAST = 64 * 10**6


def memory_from(given: str | int) -> int:
    """An amount of memory in bytes, from text such as `2GB`; InvalidInput if it is none."""
    found = _SIZE.fullmatch(str(given))
    unit = _UNITS.get(found[2].lower()) if found else None
    amount = int(Fraction(found[1]) * unit) if found and unit else 0
    if amount < _LEAST:
        headline, help = f"`{given}` is not an amount of memory of at least 64MB", "write it as `2GB` or `500MB`"
        if found and not found[2] and Fraction(found[1]) * 10**9 >= _LEAST:
            headline, help = f"`{given}` has no unit of memory and would be bytes", f"write `{found[1]}GB`"
        raise InvalidInput([Diagnostic("bad-memory", headline, None, help)])
    return amount


def batch_memory(memory: str | int, engine: Engine) -> int:
    """How many bytes one batch may take, out of the memory of all workers."""
    return memory_from(memory) // (_SHARE * engine.number)


def refuse_in_batches(**given: object) -> None:
    """Refuse what needs all clips at once."""
    found = [name for name, value in given.items() if value is not None]
    if found:
        headline = f"`{found[0]}` is for scoring all clips at once"
        raise InvalidInput([Diagnostic("not-in-batches", headline, None, "leave out the engine, or this")])


def run_batches(
    do: Callable[[Task], BatchSum[Tallied]],
    sides: Sides,
    plan: Plan,
    engine: Engine,
    progress: Progress | None,
    diagnostics: Diagnostics,
    *,
    strict: bool,
    scores: bool = False,
) -> tuple[BatchSum[Tallied], Tallied, FindingsTally]:
    """The sum of all batches, its tally, and what was found of all; InvalidInput if a batch found an error.

    OSError if every batch failed.

    `do` is sent to other processes: a function named at the top of a module, or a `partial` of one. With `scores`,
    tasks hold the scores of frames that sides in memory have.
    """
    work: Work[BatchSum[Tallied]] = Work(do, Tasks(plan, sides, scores=scores), failed_batch)
    total = run_tasks(engine, work, progress)
    if total is None:
        raise InvalidInput([Diagnostic("unknown-duration", "there are no clips to score", RowPlace(sides.names[0]))])
    ends = [Ends(*side.ends) for side in (total.reference, total.prediction)]
    for own, name in zip(ends, sides.names, strict=True):
        report_unit(own, name, diagnostics)
    report_length_unit(ends[0], plan.durations.name if isinstance(plan.durations, Durations) else None, diagnostics)
    found = total.errors + total.findings
    warned = strict and any(CODES[code].severity is Severity.WARNING for code in found.counts)
    if total.errors.counts or warned:
        raise InvalidInput([*diagnostics, *map(diagnostic_of, found.items), *_not_kept(found)])
    diagnostics.raise_errors(strict=strict)
    for gone in total.given_up:
        clips = f"`{gone.first}`" if gone.clips == 1 else f"`{gone.first}` to `{gone.last}`"
        headline = f"batch {gone.batch} failed three times and is missing: {count(gone.clips, 'clip')}, {clips}"
        diagnostics.add("failed-batch", headline, None, f"the last fault was {gone.why}")
    if total.tally is None:
        why = total.given_up[-1].why if total.given_up else "nothing is known"
        raise OSError(errno.EIO, f"every batch failed three times; the last fault was {why}")
    return total, total.tally, FindingsTally.of(diagnostics) + total.findings


def _not_kept(found: FindingsTally) -> Iterator[Diagnostic]:
    """How many findings of each code were counted and not kept."""
    held = Counter(one.code for one in found.items)
    return (not_spelled_out(code, more) for code, times in found.counts.items() if (more := times - held[code]))


def diagnostic_of(found: DiagnosticRecord) -> Diagnostic:
    """A finding of a batch, as it was found."""
    place = RowPlace(found.place.file, found.place.line) if isinstance(found.place, RowPlaceRecord) else None
    return Diagnostic(found.code, found.headline, place, found.help)
