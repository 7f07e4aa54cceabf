"""A calibration set drafted from references (14.25), and the options by which commands take one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypedDict

import click
from click.shell_completion import CompletionItem

from tracepact.data.events import Durations, Event, EventTable, Lengths
from tracepact.data.family import Grid
from tracepact.declarations import OnStage
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import RowPlace
from tracepact.language.compilation import read_file
from tracepact.language.contract import Contract, FrameClause
from tracepact.language.formula import windows
from tracepact.options import Assignment, WholeNumber, complete_starter, named_contract, with_options
from tracepact.runs.data_commands import fix, lint
from tracepact.selection.calibration import (
    NO_FAMILY,
    Calibration,
    CandidateFamily,
    Edit,
    NotApplicable,
    apply,
    frames_of,
    read_family,
)
from tracepact.selection.calibration_reader import calibrations, load_calibration
from tracepact.show.lines import counted
from tracepact.wording import count, ms, print_number

# The options by which commands take a calibration set and a family of candidates.

_NO_FAMILY = "none"


class FamilyOptions(TypedDict):
    """The parameters that `family_options` gives a command."""

    calibration: str
    family: str | None
    clauses: tuple[str, ...]
    depth: int | None
    most: int | None
    without: tuple[str, ...]
    ranks: tuple[tuple[str, str], ...]


def complete_calibration(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The shipped calibration sets whose names begin so, and files, for the completion of shells."""
    names = [CompletionItem(name) for name in calibrations() if name.startswith(incomplete)]
    return names or complete_file(ctx, param, incomplete)


def complete_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files, for the completion of shells."""
    return [CompletionItem(incomplete, type="file")]


def _complete_family(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    none = [CompletionItem(_NO_FAMILY)] if _NO_FAMILY.startswith(incomplete) else []
    return none or complete_file(ctx, param, incomplete)


def family_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The argument and the options of `FamilyOptions`."""
    return with_options(
        (
            click.argument("calibration", shell_complete=complete_calibration),
            click.option(
                "--family",
                metavar="FILE",
                shell_complete=_complete_family,
                help="A file that declares the candidates; `none` keeps those of --clauses.",
            ),
            click.option(
                "--clauses",
                metavar="CONTRACT",
                multiple=True,
                shell_complete=complete_starter,
                help="A contract whose clauses are tried as candidates too, before all others.",
            ),
            click.option("--depth", type=WholeNumber(min=0, max=4), help="Greatest nesting of temporal operators."),
            click.option("--most", type=WholeNumber(min=1), help="Greatest number of candidates."),
            click.option(
                "--without", metavar="CASE", multiple=True, help="Leave a case out and show what that changes."
            ),
            click.option(
                "--rank",
                "ranks",
                type=Assignment("'late onset=5'"),
                multiple=True,
                help="Give a case another rank: --rank 'late onset=5'.",
            ),
        ),
        function,
    )


def read_family_options(
    options: FamilyOptions, *, ranked: bool = True
) -> tuple[Calibration, CandidateFamily, Contract | None]:
    """The calibration set, the family and the author's contract that the options name; ranks unless not `ranked`."""
    if len(options["clauses"]) > 1:
        raise click.UsageError("--clauses takes one contract: put the clauses into one file")
    for name in options["without"]:
        if name in dict(options["ranks"]):
            raise click.UsageError(f"`{name}` is left out with --without and given a rank with --rank")
    ranks = dict(options["ranks"])
    calibration = load_calibration(options["calibration"], without=options["without"], ranks=ranks, ranked=ranked)
    authors = named_contract(options["clauses"][0]) if options["clauses"] else None
    return calibration, _family(options, calibration), authors


def _family(options: FamilyOptions, calibration: Calibration) -> CandidateFamily:
    family = calibration.family
    if options["family"] == _NO_FAMILY:
        family = NO_FAMILY
    elif options["family"] is not None:
        diagnostics = Diagnostics()
        source = read_file(options["family"], diagnostics)
        if source is None:
            raise InvalidInput(diagnostics)
        family = read_family(source, calibration.step, calibration.atoms)
    depth = family.depth if options["depth"] is None else options["depth"]
    return replace(family, depth=depth, most=options["most"] or family.most)


@contextmanager
def stages_shown() -> Iterator[OnStage]:
    """A line on standard error that says what is being done."""
    with counted() as update:
        yield lambda what: update(0, 1, what)


# A calibration set drafted from references: the nine faults at amounts tied to a contract's tolerances (14.25).

_MOST_EVENTS = 40
_MOST_CLIPS = 100
_EACH = {"length": 2, "split": 1, "bleed": _MOST_EVENTS}
_EDGES = 3
"""So many events are edited in a case: more at edges than in length, more in length than in pieces, so that a clause
on edges fails most often where edges are wrong, and one on lengths where lengths are."""

# The mildest first: a length that is wrong by more than an edge may be is enough, and what is left should still be an
# event.
_FACTORS = Fraction(3, 5), Fraction(2, 5), Fraction(1, 5)
_CORRECTED = {
    "overlapping-events": ("joined-events", "overlapped another of the same label and became one with it"),
    "duplicate-row": ("duplicate-row", "repeated an earlier row and counted once"),
    "zero-length": ("zero-length", "had no length; left out"),
    "offset-beyond-clip": ("offset-beyond-clip", "ended after the end of the clip; cut there"),
}
"""By finding the code and the words of what was corrected."""


@dataclass(frozen=True, slots=True)
class _Clip:
    """The reference that is edited, and the grid it is seen on."""

    events: tuple[Event, ...]
    duration: Fraction
    grid: Grid

    @classmethod
    def on_grid(cls, contract: Contract, events: Sequence[Event], duration: Fraction) -> "_Clip":
        """A clip as a contract sees it."""
        return cls(tuple(events), duration, Grid(contract.step, contract.projection))

    def applies(self, edit: Edit) -> bool:
        """Whether an edit applies and changes the frames (14.5)."""
        try:
            edited = apply(edit, self.events, self.duration)
            return frames_of(edited, self.grid) != frames_of(self.events, self.grid)
        except NotApplicable:
            return False


@dataclass(frozen=True, slots=True)
class DraftFault:
    """A fault of the draft: what hurts, how much, and the edit that makes it; its amount is in tolerances."""

    name: str
    rank: int
    fault: str
    risk: str
    kind: str
    amount: Fraction = Fraction(1)


FAULTS = (
    DraftFault("late onset", 4, "onset", "trigger latency", "late_onset", Fraction(3)),
    DraftFault("early onset", 3, "onset", "premature trigger", "early_onset", Fraction(3, 2)),
    DraftFault("late release", 4, "release", "tail leakage", "late_release", Fraction(3, 2)),
    DraftFault("early release", 4, "release", "truncated support", "early_release", Fraction(3)),
    DraftFault("missing activity", 5, "missing activity", "lost support", "missing"),
    DraftFault("extra activity", 5, "extra activity", "false support", "extra", Fraction(4)),
    DraftFault("silence bleed", 5, "silence bleed", "activity in protected silence", "bleed"),
    DraftFault("length distortion", 4, "length distortion", "wrong event support", "length"),
    DraftFault("fragmentation", 4, "fragmentation", "split event support", "split", Fraction(3, 2)),
)


def tolerance_of(contract: Contract) -> Fraction:
    """The tolerance of a contract at an edge: its parameter `tol`, else its least window, but at least two steps."""
    named = [parameter.value for parameter in contract.parameters if parameter.name == "tol"]
    bounds = [
        abs(bound) * contract.step
        for clause in contract.clauses
        if isinstance(clause, FrameClause)
        for window in windows(clause.formula)
        for bound in window
        if bound
    ]
    return named[0] if named else max(min(bounds, default=Fraction(0)), 2 * contract.step)


def within_clips(table: EventTable, lengths: Lengths, diagnostics: Diagnostics) -> EventTable:
    """The events, cut at the ends of their clips and joined where they overlap; every correction is counted.

    InvalidInput names those that start after their clip.
    """
    findings = Diagnostics()
    lint(table, None, lengths, findings)
    diagnostics.extend(findings.errors)
    diagnostics.raise_errors()
    within, changes = fix(table, lengths)
    for finding, (code, words) in _CORRECTED.items():
        corrected = [change for change in changes if change.finding == finding]
        if code == "joined-events":  # the first of the events that became one is still there
            corrected = [change for change in corrected if change.after is None]
        if corrected:
            diagnostics.add(
                code, f"{count(len(corrected), 'event')} {words}", RowPlace(corrected[0].file, corrected[0].row)
            )
    return within


def report_left_out(table: EventTable, used: Mapping[str, Sequence[Event]], diagnostics: Diagnostics) -> None:
    """Count the events of clips in use that have their label but touch one before, or come after the first forty."""
    touching: list[RowPlace] = []
    later: list[RowPlace] = []
    for clip, events in used.items():
        kept = set(events)
        for event in table.clips[clip]:
            if event.label == events[0].label and event not in kept:
                (later if event.onset > events[-1].offset else touching).append(table.place(clip, event.row))
    for places, words, help in (
        (touching, "without a gap after one of the same label", "write them as one event, or with a gap"),
        (later, f"after the first {_MOST_EVENTS} of a clip", None),
    ):
        if places:
            diagnostics.add("events-left-out", f"left out: {count(len(places), 'event')} {words}", places[0], help)


def best_clip(
    contract: Contract, table: EventTable, lengths: Lengths, label: str | None
) -> tuple[str, tuple[Event, ...], Fraction] | None:
    """A clip, its events of one label that do not touch, and its duration; None if there is no event.

    Of the clips with the most events it is the first to which the most faults apply.
    """
    # each try applies nine faults; beyond a hundred clips with fewer and fewer events none is likely to take more
    clips = clips_with_most_events(table, lengths, label)[:_MOST_CLIPS]
    return max(
        clips, key=lambda clip: len(fitting_faults(contract, *clip[1:])), default=None
    )  # of equal ones the first


def clips_with_most_events(
    table: EventTable, lengths: Lengths, label: str | None = None
) -> list[tuple[str, tuple[Event, ...], Fraction]]:
    """By clip and label the events that do not touch and the duration, the most events first."""
    clips = [
        (clip, apart)
        for clip, events in table.clips.items()
        for one in ([label] if label else sorted({event.label for event in events}))
        if (apart := _apart([event for event in events if event.label == one]))
    ]
    clips.sort(key=lambda item: -len(item[1]))
    return [(clip, events, _duration(clip, events, lengths)) for clip, events in clips]


def _duration(clip: str, events: Sequence[Event], lengths: Lengths) -> Fraction:
    """The length of a clip that is given, or else a second more than its last event."""
    ends = events[-1].offset + 1
    return lengths.clips.get(clip, ends) if isinstance(lengths, Durations) else lengths or ends


def _apart(events: Sequence[Event]) -> tuple[Event, ...]:
    kept: list[Event] = []
    for event in sorted(events, key=lambda event: (event.onset, event.offset)):
        if event.offset > event.onset and (not kept or event.onset > kept[-1].offset):
            kept.append(event)
    return tuple(kept[:_MOST_EVENTS])


def draft_calibration(
    contract: Contract, name: str, clip: str, events: Sequence[Event], duration: Fraction, ranks: Mapping[str, int]
) -> str:
    """The text of a calibration set; a fault that applies to no event is a comment that says so."""
    tolerance = tolerance_of(contract)
    edited = _Clip.on_grid(contract, events, duration)
    lines = [
        f"# Nine ways to fail on clip {clip}, with amounts from the tolerance {ms(tolerance)} of {contract.name}.",
        "# The higher the rank, the worse. Change ranks and amounts, leave cases out, add your own;",
        "# `tracepact help calibration` explains the form.",
        f'calibration = "{name}"',
        f'step = "{ms(contract.step)}"',
        f'projection = "{contract.projection.value}"',
        f'merge_gap = "{ms(contract.merge_gap)}"',
        "cases = [",
        *(f"  {line}" for fault in FAULTS for line in _case(fault, tolerance, edited, ranks)),
        "]",
        "",
        f"[reference.{_key(name)}]",
        f'duration = "{ms(duration)}"',
        "events = [",
        *(
            f'  ["{ms(event.onset)}", "{ms(event.offset)}", {_quoted(event.label)}],  # {number}'
            for number, event in enumerate(events, 1)
        ),
        "]",
        "",
        "[family]",
        "# Candidates are tried at these tolerances; a selected clause then gets the middle of the range that decides",
        "# the same on all cases. `listed_only = true` keeps the numbers that are listed.",
        f"tolerances = [{', '.join(_quoted(ms(time)) for time in _tolerances(tolerance, contract.step))}]",
    ]
    return "\n".join(lines) + "\n"


def fitting_faults(contract: Contract, events: Sequence[Event], duration: Fraction) -> list[str]:
    """The names of the faults that apply to some event."""
    edited = _Clip.on_grid(contract, events, duration)
    return [fault.name for fault in FAULTS if _fitting(fault, tolerance_of(contract), edited) is not None]


def _tolerances(tolerance: Fraction, step: Fraction) -> list[Fraction]:
    """About a half, once, twice and three times the tolerance, on the grid."""
    frames = (max(1, round(tolerance * part / step)) for part in (Fraction(1, 2), 1, 2, 3))
    return [number * step for number in sorted(set(frames))]


def _key(name: str) -> str:
    return "".join(sign if sign.isalnum() and sign.isascii() else "_" for sign in name) or "clip"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _case(fault: DraftFault, tolerance: Fraction, clip: _Clip, ranks: Mapping[str, int]) -> Iterator[str]:
    rank = ranks.get(fault.name, fault.rank)
    head = (
        f'name = "{fault.name}", rank = {rank}, fault = "{fault.fault}", risk = "{fault.risk}", edit = "{fault.kind}"'
    )
    edit = _fitting(fault, tolerance, clip)
    if edit is None:
        yield f"# {fault.name}: applies to no event of this clip; another clip, or a smaller amount, may do"
        return
    yield f"{{{', '.join([head, *_arguments(edit)])}}},  # {edit.words()}"


def _arguments(edit: Edit) -> Iterator[str]:
    if edit.by:
        yield f'by = "{ms(edit.by)}"'
    if edit.kind == "length":
        yield f"factor = {print_number(edit.factor)}"
    if edit.kind == "split":
        yield f'pieces = {edit.pieces}, gap = "{ms(edit.gap)}"'
    if edit.kind == "extra":
        yield f'at = "{ms(edit.at)}", for = "{ms(edit.length)}"'
    if edit.events is not None:
        yield f"event = [{', '.join(map(str, edit.events))}]"


def _fitting(fault: DraftFault, tolerance: Fraction, clip: _Clip) -> Edit | None:
    """The edit with the events it applies to, the first few of them together; None if it applies to none."""
    amount, events = fault.amount * tolerance, clip.events
    match fault.kind:
        case "extra":
            return _extra(amount, clip)
        case "missing":
            wanted = [Edit("missing", events=(1 + len(events) // 3,))] if len(events) > 1 else []
        case "length":
            short = sorted(range(1, len(events) + 1), key=lambda k: (events[k - 1].offset - events[k - 1].onset, k))
            long_enough = [k for k in short if (events[k - 1].offset - events[k - 1].onset) / 5 >= tolerance / 2]
            factor = _factor(events[long_enough[0] - 1], tolerance) if long_enough else _FACTORS[0]
            wanted = [Edit("length", factor=factor, events=(k,)) for k in long_enough]
        case "split":
            wanted = [Edit("split", pieces=3, gap=amount, events=(k,)) for k in range(1, len(events) + 1)]
        case kind:
            wanted = [Edit(kind, by=amount, events=(k,)) for k in range(1, len(events) + 1)]
    return _together(wanted, _EACH.get(fault.kind, _EDGES), clip)


def _factor(shortest: Event, tolerance: Fraction) -> Fraction:
    """How much of an event a wrong length leaves: the most that takes away half as much again as a fault at an edge."""
    largest = tolerance * max(fault.amount for fault in FAULTS if fault.kind in ("late_onset", "early_release"))
    length = shortest.offset - shortest.onset
    return next((factor for factor in _FACTORS if (1 - factor) * length >= Fraction(3, 2) * largest), _FACTORS[-1])


def refitted(edit: Edit, events: tuple[Event, ...], duration: Fraction, grid: Grid) -> Edit | None:
    """An edit for another reference: as it is, or of as many events, the first it applies to; None if of none."""
    clip = _Clip(events, duration, grid)
    if edit.kind == "none" or clip.applies(edit):
        return edit
    if edit.kind == "extra":
        return _extra(edit.length, clip)
    wanted = [replace(edit, events=(k,)) for k in range(1, len(events) + 1)]
    return _together(wanted, len(edit.events or events), clip)


def _together(wanted: Sequence[Edit], most: int, clip: _Clip) -> Edit | None:
    """One edit of the first events that edits of one event apply to, as many as apply together; None if none does."""
    fitting = [edit for edit in wanted if clip.applies(edit)]
    # edits that apply alone may touch each other when they are made together
    for number in range(min(most, len(fitting)), 0, -1):
        numbers = sorted(k for edit in fitting[:number] for k in edit.events or ())
        together = replace(fitting[0], events=tuple(numbers))
        if clip.applies(together):
            return together
    return None


def _extra(length: Fraction, clip: _Clip) -> Edit | None:
    """An extra event in the middle of the widest silence."""
    edges = [Fraction(0), *(time for event in clip.events for time in (event.onset, event.offset)), clip.duration]
    silences = [(end - start, start) for start, end in list(pairwise(edges))[::2]]
    # the earliest of equally wide ones, so that the draft does not depend on floats or on the order of a set
    width, start = max(silences, key=lambda silence: (silence[0], -silence[1]))
    edit = Edit("extra", at=start + (width - length) / 2, length=length)
    return edit if width > 2 * length and clip.applies(edit) else None
