"""Draws a selection for a terminal, and its small traces as SVG."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.text import Text

from tracepact.runs.timelines import side_lanes
from tracepact.selection import sentences as say
from tracepact.selection.record import (
    BasisRecord,
    CaseRecord,
    ClassTrace,
    CoordinateRecord,
    OptimaRecord,
    SelectionChanges,
    SelectionRecord,
    chosen_places,
)
from tracepact.selection.requirements import SelectionRequirement
from tracepact.selection.sentences import (
    pairs_table,
    robustness_table,
    separation_table,
    stability_table,
    tone_of,
    values_table,
)
from tracepact.show.tables import Table, TerminalTable, style_of
from tracepact.wording import count, short, visible

# The small traces of a calibration set as SVG: reference and prediction of each case on one time axis.

_STYLE = (
    "<style>svg{color:#1b2430;color-scheme:light dark;max-width:100%;height:auto}"
    "@media(prefers-color-scheme:dark){svg{color:#e6e9ee}}</style>"
)
_LEFT, _WIDTH, _LANE, _CASE, _CELL = 190, 560, 9, 40, 52


def trace_picture(case: CaseRecord) -> str:
    """One case: the reference above, the prediction below, a mark where they differ."""
    lanes = case.traces
    height = 4 + len(lanes) * (2 * _LANE + 8)
    parts = [_lanes(trace, case.frames, 0, _WIDTH, 4 + k * (2 * _LANE + 8)) for k, trace in enumerate(lanes)]
    return _svg(f"reference and prediction of {case.name}", _WIDTH, height, parts)


def selection_picture(record: SelectionRecord, *, alone: bool = False) -> str:
    """The cases, worst first, with the values of the selected clauses; `alone` for a file that has no page around."""
    order = record.worst_first
    columns = [(c.name, [c.values[place] for place in order]) for c in record.chosen]
    title = f"{record.calibration.name}: {count(len(columns), 'clause')} and their values on each case"
    return cases_picture(title, [record.cases[place] for place in order], columns, alone=alone)


def cases_picture(
    title: str,
    cases: Sequence[CaseRecord],
    columns: Sequence[tuple[str, Sequence[Fraction]]] = (),
    *,
    alone: bool = False,
) -> str:
    """Cases under each other with name, rank, risk and traces, and beside them columns of exact values."""
    parts = [_STYLE] if alone else []
    parts.append(f"<text x='12' y='22' font-size='13' font-weight='600'>{escape(visible(title))}</text>")
    longest = max((len(name) for name, _ in columns), default=0)
    bottoms: list[int] = []
    lengths = len({case.duration for case in cases})
    at = top = 40 + int(longest * 3.6)
    for case in cases:
        parts.append(f"<text x='12' y='{at + 9}' font-size='12'>{escape(visible(case.name))}</text>")
        length = [f"{short(case.duration)} s"] if lengths > 1 else []
        rank = [] if case.rank is None else [f"rank {case.rank}"]
        words = " · ".join([*rank, *([case.risk] if case.risk else []), *length])
        parts.append(f"<text x='12' y='{at + 23}' font-size='10' opacity='.7'>{escape(visible(words))}</text>")
        for trace in case.traces:
            parts.append(_lanes(trace, case.frames, _LEFT, _WIDTH, at))
            at += 2 * _LANE + 6
        at += _CASE - 2 * _LANE - 6
        bottoms.append(at)
    seconds = "reference above, prediction below (outlined); ▲ marks where the two differ"
    parts.append(f"<text x='{_LEFT}' y='{at + 4}' font-size='10' opacity='.7'>{escape(visible(seconds))}</text>")
    right = _LEFT + _WIDTH + 16
    for index, (name, values) in enumerate(columns):
        parts += _column(name, values, right + index * _CELL, top, bottoms)
    tail = int(longest * 4.8) if columns else 0
    return _svg(title, right + len(columns) * _CELL + tail, at + 16, parts)


def _column(name: str, values: Sequence[Fraction], left: float, top: float, bottoms: Sequence[int]) -> Iterator[str]:
    """A slanted heading and a cell for each case, as dark as its value is low; 1 is a dot."""
    place = f"translate({left + _CELL / 2:.0f} {top - 10}) rotate(-40)"
    yield f"<text font-size='11' transform='{place}'>{escape(visible(name))}</text>"
    start = top
    for value, bottom in zip(values, bottoms, strict=True):
        shade = 0.45 * (1 - float(value))
        box = f"x='{left:.0f}' y='{start - 4:.0f}' width='{_CELL - 3}' height='{bottom - start - 4}' rx='2'"
        yield f"<rect {box} fill-opacity='{shade:.3f}' stroke='currentColor' stroke-opacity='.15'/>"
        text = "·" if value == 1 else str(value)
        place = f"x='{left + _CELL / 2 - 1:.0f}' y='{start + 14:.0f}'"
        yield f"<text {place} font-size='11' text-anchor='middle'>{text}</text>"
        start = bottom


def _lanes(trace: ClassTrace, frames: int, left: float, width: float, top: float) -> str:
    """A full bar for a reference run, an outlined one for a predicted run, a mark at every stretch of difference."""

    def x(frame: float) -> float:
        return left + frame * width / max(frames, 1)

    parts = [f"<path d='M{left},{top + 2 * _LANE + 2}h{width}' stroke='currentColor' opacity='.2'/>"]
    for start, end in trace.ref:
        size = max(x(end) - x(start), 1)
        parts.append(f"<rect x='{x(start):.1f}' y='{top}' width='{size:.1f}' height='{_LANE}' opacity='.75'/>")
    for start, end in trace.pred:
        size = max(x(end) - x(start), 1)
        box = f"x='{x(start):.1f}' y='{top + _LANE + 1}' width='{size:.1f}' height='{_LANE}'"
        parts.append(f"<rect {box} fill='currentColor' fill-opacity='.15' stroke='currentColor'/>")
    for start, end in differences(trace):
        middle = x((start + end) / 2)
        y = top + 2 * _LANE + 3
        parts.append(f"<path d='M{middle:.1f},{y}l3,5h-6z'/>")
    return "".join(parts)


def differences(trace: ClassTrace) -> list[tuple[int, int]]:
    """The stretches of frames where exactly one side is active."""
    # exactly one side is active between the odd and the even edges: every edge of either side turns the difference over
    edges = sorted(edge for run in (*trace.ref, *trace.pred) for edge in run)
    apart: list[tuple[int, int]] = []
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        if start < end:
            apart.append((start, end))
    return apart


def _svg(title: str, width: float, height: float, parts: Sequence[str]) -> str:
    size = f"width='{width:.0f}' height='{height:.0f}' viewBox='0 0 {width:.0f} {height:.0f}'"
    style = "font-family='system-ui,sans-serif'"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' {size} {style} fill='currentColor'>"
        f"<title>{escape(visible(title))}</title>\n" + "\n".join(parts) + "\n</svg>\n"
    )


# Draws a selection for a terminal: what is not met, the answer, the contract, its values and evidence, the rest.

_BLOCK = 100
_PICTURE = 60
_NAME = 22
_RANK = 5
_FEW = 12
_ONLY = 2


def render_selection(record: SelectionRecord) -> RenderableType:
    """The whole answer."""
    return Group(*_sections(record))


def render_basis(record: BasisRecord) -> RenderableType:
    """The cases, the candidates and the retained basis."""
    ranks = separation_table(record, range(len(record.coordinates)))
    return Group(_heading(record), _Matrix(record), _table(ranks), *_unmet(record))


def render_pairs(record: BasisRecord) -> RenderableType:
    """Every pair of cases of different rank with the coordinates that separate it."""
    return Group(*_unmet(record), _table(pairs_table(record)))


def _table(table: Table) -> RenderableType:
    return Group(TerminalTable(table), *([] if table.notes else [Text("")]))


def _sections(record: SelectionRecord) -> Iterator[RenderableType]:
    yield from _unmet(record)
    yield from _conflicts(record)
    yield Text(say.answer_words(record), style="bold")
    if record.contract is not None:
        yield Padding(Text(record.contract.text.rstrip()), (1, 0, 1, 2))
        yield _table(values_table(record))
        yield _evidence(record)
    yield from _preferences(record)
    if record.exploits is not None:
        yield Text("useless systems and harmful edits\n", style="bold")
        yield Text("".join(f"  {line}\n" for line in record.exploits.words))
    if record.contract is not None and record.ranked:
        few = len(record.coordinates) <= _FEW
        yield _table(separation_table(record, range(len(record.coordinates)) if few else chosen_places(record)))
    if record.robustness:
        yield _table(robustness_table(record))
    if record.stability is not None:
        yield _table(stability_table(record))
    if record.holdout is not None:
        yield Text(f"{say.holdout_words(record.holdout)}\n")
    if record.optima is not None:
        yield _optima(record.optima)
    if record.changes is not None:
        yield _changes(record.changes)
    yield Text("where it was looked for", style="bold")
    yield _looked_for(record)


def _heading(record: BasisRecord) -> RenderableType:
    text = Text(record.calibration.name, style="bold")
    if record.calibration.title:
        text.append(f"  {record.calibration.title}", style="not bold")
    return Group(text, _looked_for(record))


def _looked_for(record: BasisRecord) -> RenderableType:
    text = Text("".join(f"{line}\n" for line in say.family_lines(record)), style="dim")
    if undecided := say.undecided_words(record.candidates):
        text.append(f"{undecided}\n", style="not dim yellow")
    return text


def _digit(coordinate: CoordinateRecord, place: int) -> tuple[str, str]:
    """One sign for a value: a dot for 1, a small circle for a vacuous 1, else its first decimal."""
    value = coordinate.values[place]
    style = style_of(tone_of(value))
    if value == 1:
        return ("∘" if coordinate.vacuous[place] else "·"), style
    return str(int(value * 10)), style


@dataclass(frozen=True, slots=True)
class _Matrix:
    """Cases × retained coordinates, one sign each, in blocks as wide as the screen."""

    record: BasisRecord

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text("cases × retained coordinates", style="bold")
        yield Text("· is 1, ∘ a vacuous 1, a digit the first decimal of a smaller value; columns in order", style="dim")
        # a line that wraps would put the signs of two coordinates under each other
        block = min(_BLOCK, max(10, options.max_width - _NAME - _RANK))
        for start in range(0, len(self.record.coordinates), block):
            yield self._block(start, block)

    def _block(self, start: int, width: int) -> Text:
        some = self.record.coordinates[start : start + width]
        chosen = set(chosen_places(self.record))
        marks = "".join("▼" if start + k in chosen else " " for k in range(len(some)))
        text = Text(no_wrap=True)
        text.append(f"{'':<{_NAME + _RANK}}{marks.rstrip()}\n", style="bold")
        for place in self.record.worst_first:
            case = self.record.cases[place]
            text.append(f"{_cut(case.name):<{_NAME}} ")
            text.append(f"{'' if case.rank is None else str(case.rank):>{_RANK - 2}} ", style="dim")
            for coordinate in some:
                text.append(*_digit(coordinate, place))
            text.append("\n")
        return text


def _unmet(record: BasisRecord) -> Iterator[RenderableType]:
    """What no candidate does, with pictures of the traces."""
    if not record.unmet:
        return
    yield Text(f"no candidate meets {len(record.unmet)} of the requirements", style="bold red")
    for unmet in record.unmet:
        yield Text(f"  {say.unmet_words(record, unmet)}")
        if unmet.fault is not None:
            continue
        worse, better = record.case(unmet.worse), record.case(unmet.better)
        if unmet.identical:
            yield Text(f"    {say.identical_words(worse, better, record.calibration.step)}")
        yield from map(_picture, (worse, better))
    for line in say.naming_help(record):
        yield Text(f"  {line}", style="dim")
    for larger in record.beyond if isinstance(record, SelectionRecord) else ():
        yield Text(f"  {say.larger_family_words(larger)}", style="dim")
    yield Text("")


def _preferences(record: SelectionRecord) -> Iterator[RenderableType]:
    """What was judged, and every violated preference with its two traces."""
    if record.preferences is None:
        return
    yield Text("\n".join(say.preference_words(record.preferences)))
    if record.preferences.path is not None:
        yield _table(say.path_table(record.preferences.path))
    for one in record.preferences.violated:
        by = f" ({', '.join(one.judges)})" if one.judges else ""
        yield Text(f"violated: `{one.worse}` below `{one.better}`{by}", style="bold")
        yield from (_picture(record.case(name)) for name in (one.worse, one.better))
    yield Text("")


def _conflicts(record: SelectionRecord) -> Iterator[RenderableType]:
    """Pairs that no weights order together, with the traces of each."""
    for conflict in record.selected.ordering.conflicts if record.selected.ordering else ():
        yield Text(say.conflict_words(conflict), style="bold red")
        yield from (_picture(record.case(name)) for pair in conflict.pairs for name in (pair.worse, pair.better))


def _picture(case: CaseRecord) -> RenderableType:
    text = Text()
    for trace in case.traces:
        title = case.name if len(case.traces) == 1 else f"{case.name}: {trace.label}"
        for name, cells in side_lanes(trace.ref, trace.pred, case.frames, _PICTURE):
            text.append(f"{_cut(title) if name == 'ref' else '':<{_NAME}} {name:<5}{cells}\n")
        step = case.duration / case.frames
        apart = [f"{short(start * step)}–{short(end * step)} s" for start, end in differences(trace)]
        text.append(f"{'':<{_NAME}} differ at {', '.join(apart) or 'no frame'}\n", style="dim")
    return Padding(text, (0, 0, 0, 4))


def _evidence(record: SelectionRecord) -> RenderableType:
    selected = record.selected
    text = Text()
    path = record.preferences.path if record.preferences else None
    unproved = "the best found in the time given" if path is None else f"why it has so many clauses: {path.words}"
    text.append(f"{'why it is smallest' if selected.optimal and path is None else unproved}\n", style="bold")
    clauses = count(selected.count, "clause")
    text.append(f"  {clauses}, cost {selected.cost}; {selected.met} of {selected.required} requirements met\n")
    if selected.optimal or path is not None:
        text.append(f"  {say.evidence_words(selected)}\n")
    else:
        text.append(f"  {say.unproved_words(selected)}\n", style="yellow")
    for line in say.bound_lines(selected):
        text.append(f"    {line}\n", style="dim")
    if second := say.second_solver_words(selected):
        text.append(f"  {second}\n")
    for clause in selected.clauses:
        text.append(f"  {clause.name}", style="bold")
        only = [say.requirement_words(row) for row in clause.only]
        more = f", and {len(only) - _ONLY} more" if len(only) > _ONLY else ""
        alone = f" alone among the selected clauses meets {'; '.join(only[:_ONLY])}{more}\n"
        text.append(alone if only else " meets nothing that no other selected clause meets\n")
        text.append(f"    {clause.words}\n", style="dim")
    if selected.ordering is not None:
        judged = record.preferences is not None
        for line in say.ordering_words(selected.ordering, judged=judged, unmet=record.unmet_pairs):
            text.append(f"  {line}\n")
    if selected.ordering is None and SelectionRequirement.SEPARATE in record.requirements:
        text.append(f"  {say.order_words(selected.order)}\n")
    return text


def _optima(optima: OptimaRecord) -> RenderableType:
    text = Text()
    number = count(len(optima.sets), "set") if optima.complete else f"{len(optima.sets)} or more sets"
    text.append(f"{number} of this size and cost\n", style="bold")
    for names in optima.sets:
        text.append(f"  {', '.join(names)}\n")
    return text


def _changes(changes: SelectionChanges) -> RenderableType:
    text = Text()
    what = [f"without `{name}`" for name in changes.without]
    what += [f"`{item.case}` at rank {item.after} instead of {item.before}" for item in changes.ranks]
    text.append(f"what changes: {', '.join(what) or 'nothing was changed'}\n", style="bold")
    for name, (before, after) in (("clauses", changes.count), ("cost", changes.cost), ("not met", changes.unmet)):
        text.append(f"  {name}: {before} before, {after} now\n")
    for sign, clauses, style in (("−", changes.gone, "red"), ("+", changes.new, "green")):
        for clause in clauses:
            text.append(f"  {sign} {clause}\n", style=style)
    if not changes.gone and not changes.new:
        text.append("  the clauses are the same\n")
    return text


def _cut(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"
