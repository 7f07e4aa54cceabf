"""Draws a selection for a terminal: what is not met, the answer, the contract, its values and evidence, the rest."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.text import Text

from tracepact.show.table import Table
from tracepact.show.terminal import TerminalTable, style_of
from tracepact.tools.score.report.timeline import side_lanes
from tracepact.tools.select.report import sentences as say
from tracepact.tools.select.report.figure import differences
from tracepact.tools.select.report.record import (
    BasisRecord,
    CaseRecord,
    Changes,
    CoordinateRecord,
    OptimaRecord,
    SelectionRecord,
    chosen_places,
)
from tracepact.tools.select.report.tables import (
    pairs_table,
    robustness_table,
    separation_table,
    stability_table,
    tone_of,
    values_table,
)
from tracepact.tools.select.separate import Requirement
from tracepact.wording import count, short

_BLOCK = 100
_PICTURE = 60
_NAME = 22
_RANK = 5
_FEW = 12
_ONLY = 2


def render_selection(found: SelectionRecord) -> RenderableType:
    """The whole answer."""
    return Group(*_sections(found))


def render_basis(found: BasisRecord) -> RenderableType:
    """The cases, the candidates and the retained basis."""
    ranks = separation_table(found, range(len(found.coordinates)))
    return Group(_heading(found), _Matrix(found), _table(ranks), *_unmet(found))


def render_pairs(found: BasisRecord) -> RenderableType:
    """Every pair of cases of different rank with the coordinates that separate it."""
    return Group(*_unmet(found), _table(pairs_table(found)))


def _table(table: Table) -> RenderableType:
    return Group(TerminalTable(table), *([] if table.notes else [Text("")]))


def _sections(found: SelectionRecord) -> Iterator[RenderableType]:
    yield from _unmet(found)
    yield from _conflicts(found)
    yield Text(say.answer_words(found), style="bold")
    if found.contract is not None:
        yield Padding(Text(found.contract.text.rstrip()), (1, 0, 1, 2))
        yield _table(values_table(found))
        yield _evidence(found)
    yield from _preferences(found)
    if found.contract is not None and found.ranked:
        few = len(found.coordinates) <= _FEW
        yield _table(separation_table(found, range(len(found.coordinates)) if few else chosen_places(found)))
    if found.robustness:
        yield _table(robustness_table(found))
    if found.stability is not None:
        yield _table(stability_table(found))
    if found.holdout is not None:
        yield Text(f"{say.holdout_words(found.holdout)}\n")
    if found.optima is not None:
        yield _optima(found.optima)
    if found.changes is not None:
        yield _changes(found.changes)
    yield Text("where it was looked for", style="bold")
    yield _looked_for(found)


def _heading(found: BasisRecord) -> RenderableType:
    text = Text(found.calibration.name, style="bold")
    if found.calibration.title:
        text.append(f"  {found.calibration.title}", style="not bold")
    return Group(text, _looked_for(found))


def _looked_for(found: BasisRecord) -> RenderableType:
    text = Text("".join(f"{line}\n" for line in say.family_lines(found)), style="dim")
    if undecided := say.undecided_words(found.candidates):
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

    found: BasisRecord

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text("cases × retained coordinates", style="bold")
        yield Text("· is 1, ∘ a vacuous 1, a digit the first decimal of a smaller value; columns in order", style="dim")
        block = min(_BLOCK, max(10, options.max_width - _NAME - _RANK))
        for start in range(0, len(self.found.coordinates), block):
            yield self._block(start, block)

    def _block(self, start: int, width: int) -> Text:
        some = self.found.coordinates[start : start + width]
        chosen = set(chosen_places(self.found))
        marks = "".join("▼" if start + k in chosen else " " for k in range(len(some)))
        text = Text(no_wrap=True)
        text.append(f"{'':<{_NAME + _RANK}}{marks.rstrip()}\n", style="bold")
        for place in self.found.worst_first:
            case = self.found.cases[place]
            text.append(f"{_cut(case.name):<{_NAME}} ")
            text.append(f"{'' if case.rank is None else str(case.rank):>{_RANK - 2}} ", style="dim")
            for coordinate in some:
                text.append(*_digit(coordinate, place))
            text.append("\n")
        return text


def _unmet(found: BasisRecord) -> Iterator[RenderableType]:
    """What no candidate does, with pictures of the traces."""
    if not found.unmet:
        return
    yield Text(f"no candidate meets {len(found.unmet)} of the requirements", style="bold red")
    for unmet in found.unmet:
        yield Text(f"  {say.unmet_words(found, unmet)}")
        if unmet.fault is not None:
            continue
        worse, better = found.case(unmet.worse), found.case(unmet.better)
        if unmet.identical:
            yield Text(f"    {say.identical_words(worse, better, found.calibration.step)}")
        for case in (worse, better):
            yield Padding(_picture(case), (0, 0, 0, 4))
    for line in say.naming_help(found):
        yield Text(f"  {line}", style="dim")
    for larger in found.beyond if isinstance(found, SelectionRecord) else ():
        yield Text(f"  {say.larger_family_words(larger)}", style="dim")
    yield Text("")


def _preferences(found: SelectionRecord) -> Iterator[RenderableType]:
    """What was judged, and every violated preference with its two traces."""
    if found.preferences is None:
        return
    yield Text("\n".join(say.preference_words(found.preferences)))
    for one in found.preferences.violated:
        by = f" ({', '.join(one.judges)})" if one.judges else ""
        yield Text(f"violated: `{one.worse}` below `{one.better}`{by}", style="bold")
        for name in (one.worse, one.better):
            yield Padding(_picture(found.case(name)), (0, 0, 0, 4))
    yield Text("")


def _conflicts(found: SelectionRecord) -> Iterator[RenderableType]:
    """Pairs that no weights order together, with the traces of each."""
    for conflict in found.selected.ordering.conflicts if found.selected.ordering else ():
        yield Text(say.conflict_words(conflict), style="bold red")
        for pair in conflict.pairs:
            for name in (pair.worse, pair.better):
                yield Padding(_picture(found.case(name)), (0, 0, 0, 4))


def _picture(case: CaseRecord) -> RenderableType:
    text = Text()
    for trace in case.traces:
        title = case.name if len(case.traces) == 1 else f"{case.name}: {trace.label}"
        for name, cells in side_lanes(trace.ref, trace.pred, case.frames, _PICTURE):
            text.append(f"{_cut(title) if name == 'ref' else '':<{_NAME}} {name:<5}{cells}\n")
        step = case.duration / case.frames
        apart = [f"{short(start * step)}–{short(end * step)} s" for start, end in differences(trace)]
        text.append(f"{'':<{_NAME}} differ at {', '.join(apart) or 'no frame'}\n", style="dim")
    return text


def _evidence(found: SelectionRecord) -> RenderableType:
    selected = found.selected
    text = Text()
    text.append("why it is smallest\n" if selected.optimal else "the best found in the time given\n", style="bold")
    clauses = count(selected.count, "clause")
    text.append(f"  {clauses}, cost {selected.cost}; {selected.met} of {selected.required} requirements met\n")
    if selected.optimal:
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
        judged = found.preferences is not None
        for line in say.ordering_words(selected.ordering, judged=judged, unmet=found.unmet_pairs):
            text.append(f"  {line}\n")
    if selected.ordering is None and Requirement.SEPARATE in found.requirements:
        text.append(f"  {say.order_words(selected.order)}\n")
    return text


def _optima(optima: OptimaRecord) -> RenderableType:
    text = Text()
    number = count(len(optima.sets), "set") if optima.complete else f"{len(optima.sets)} or more sets"
    text.append(f"{number} of this size and cost\n", style="bold")
    for names in optima.sets:
        text.append(f"  {', '.join(names)}\n")
    return text


def _changes(changes: Changes) -> RenderableType:
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
