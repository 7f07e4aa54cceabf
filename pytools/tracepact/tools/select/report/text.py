"""Draws a selection for a terminal: what is not separated first, then values, ranks, the contract and its evidence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tracepact.tools.score.report.timeline import side_lanes
from tracepact.tools.select.report.data import (
    bound_words,
    identical_words,
    order_words,
    row_words,
    unproved_words,
)
from tracepact.tools.select.report.figure import differences
from tracepact.wording import count, short

Data = dict[str, Any]
_BLOCK = 100
_PICTURE = 60
_NAME = 22
_RANK = 5
_FEW = 12
_STYLES = ("bold red", "red", "red", "red", "yellow", "yellow", "yellow", "yellow", "green", "green", "dim")


def render_selection(data: Data) -> RenderableType:
    """The whole answer."""
    return Group(*_sections(data))


def render_basis(data: Data) -> RenderableType:
    """The cases, the candidates and the retained basis."""
    return Group(_heading(data), _Matrix(data), _ranks(data, range(len(data["coordinates"]))), *_unmet(data))


def render_pairs(data: Data) -> RenderableType:
    """Every pair of cases of different rank with the coordinates that separate it."""
    table = Table(title="pairs of different rank", title_justify="left", title_style="bold", box=None)
    for name in ("worse", "better", "coordinates", "the first of them"):
        table.add_column(name, overflow="fold")
    for i, worse in _by_rank(data):
        for j, better in _by_rank(data):
            if Fraction(worse["rank"]) > Fraction(better["rank"]):
                by = [c["text"] for c in data["coordinates"] if Fraction(c["values"][i]) < Fraction(c["values"][j])]
                shown = Text(by[0]) if by else Text("none", style="bold red")
                table.add_row(Text(_ranked(worse)), Text(_ranked(better)), str(len(by)), shown)
    return Group(*_unmet(data), table)


def _ranked(case: Data) -> str:
    return f"{case['name']} ({case['rank']})"


def _sections(data: Data) -> Iterator[RenderableType]:
    yield from _unmet(data)
    yield _heading(data)
    yield _Matrix(data)
    chosen = [clause["coordinate"] for clause in data["selected"]["clauses"]]
    if chosen:
        yield _values(data, chosen)
    few = len(data["coordinates"]) <= _FEW
    yield _ranks(data, range(len(data["coordinates"])) if few else chosen)
    if data["contract"] is not None:
        yield _section("selected contract")
        yield Padding(Text(data["contract"]["text"].rstrip()), (0, 0, 1, 2))
    yield _evidence(data)
    if data["optima"] is not None:
        yield _optima(data)
    if data["changes"] is not None:
        yield _changes(data["changes"])


def _section(title: str) -> RenderableType:
    return Text(title, style="bold")


def _heading(data: Data) -> RenderableType:
    calibration, found = data["calibration"], data["candidates"]
    dropped = found["dropped"]
    ranks = len({case["rank"] for case in data["cases"]})
    proofs = ", ".join(f"{number} by {how}" for how, number in found["proofs"].items())
    lines = [
        f"{len(data['cases'])} cases, {ranks} ranks; {count(found['total'], 'candidate')}: "
        f"{found['author']:,} written, {found['frame']:,} on frames, {found['event']:,} on events",
        f"{sum(dropped.values()):,} dropped, since a perfect prediction violates them: {dropped['reference']:,} on a "
        f"reference, {dropped['short_trace']:,} on a trace of up to {found['short_traces']['frames']} frames, "
        f"{dropped['solver']:,} by the solver",
        f"{found['constant']:,} have one value on all cases; the others fall into {len(data['coordinates']):,} classes",
        f"the representative of each class is proved perfect ({proofs or 'none'}); {found['only_tested']:,} candidates "
        "passed the tests and were not asked about",
    ]
    text = Text()
    text.append(calibration["name"], style="bold")
    if calibration["title"]:
        text.append(f"  {calibration['title']}")
    text.append("".join(f"\n{line}" for line in lines) + "\n", style="dim")
    if found["undecided"]:
        text.append(f"{len(found['undecided'])} stayed undecided and are not used\n", style="yellow")
    return text


def _digit(value: str, vacuous: bool) -> tuple[str, str]:
    """One sign for a value: a dot for 1, a small circle for a vacuous 1, else its first decimal."""
    number = Fraction(value)
    if number == 1:
        return ("∘" if vacuous else "·"), _STYLES[-1]
    tenth = int(number * 10)
    return str(tenth), _STYLES[tenth]


@dataclass(frozen=True, slots=True)
class _Matrix:
    """Cases × retained coordinates, one sign each, in blocks as wide as the screen."""

    data: Data

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text("cases × retained coordinates", style="bold")
        yield Text("· is 1, ∘ a vacuous 1, a digit the first decimal of what is less; columns in order", style="dim")
        block = min(_BLOCK, max(10, options.max_width - _NAME - _RANK))
        for start in range(0, len(self.data["coordinates"]), block):
            yield self._block(start, block)

    def _block(self, start: int, width: int) -> Text:
        some = self.data["coordinates"][start : start + width]
        chosen = {clause["coordinate"] for clause in self.data.get("selected", {}).get("clauses", ())}
        marks = "".join("▼" if start + k in chosen else " " for k in range(len(some)))
        text = Text(no_wrap=True)
        text.append(f"{'':<{_NAME + _RANK}}{marks.rstrip()}\n", style="bold")
        for place, case in _by_rank(self.data):
            text.append(f"{_short(case['name']):<{_NAME}} ")
            text.append(f"{case['rank']:>{_RANK - 2}} ", style="dim")
            for coordinate in some:
                text.append(*_digit(coordinate["values"][place], coordinate["vacuous"][place]))
            text.append("\n")
        return text


def _by_rank(data: Data) -> list[tuple[int, Data]]:
    return sorted(enumerate(data["cases"]), key=lambda item: -Fraction(item[1]["rank"]))


def _values(data: Data, chosen: Sequence[int]) -> RenderableType:
    """The values of the chosen coordinates, exact."""
    table = Table(title="values of the selected clauses", title_justify="left", title_style="bold", box=None)
    table.add_column("case")
    table.add_column("rank", justify="right")
    table.add_column("risk", style="dim")
    for place in chosen:
        table.add_column(data["coordinates"][place]["name"], justify="right", overflow="fold")
    for index, case in _by_rank(data):
        cells = [_cell(data["coordinates"][place], index) for place in chosen]
        table.add_row(Text(case["name"]), case["rank"], Text(case["risk"], style="dim"), *cells)
    return Padding(table, (0, 0, 1, 0))


def _cell(coordinate: Data, index: int) -> Text:
    value, vacuous = coordinate["values"][index], coordinate["vacuous"][index]
    style = _digit(value, vacuous)[1]
    return Text("∅" if vacuous else value, style=style)


def _ranks(data: Data, chosen: Sequence[int]) -> RenderableType:
    """Which coordinate separates which ranks, and how much no other meets: of the basis, and of the selected."""
    only = {c["coordinate"]: len(c["only"]) for c in data.get("selected", {}).get("clauses", ())}
    columns = ["coordinate", "cost", "pairs", "alone of all", "ranks", "names"]
    if only:
        columns.insert(4, "alone of the selected")
    table = Table(title="what separates which ranks", title_justify="left", title_style="bold", box=None)
    for name in columns:
        table.add_column(name, justify="left" if name in ("coordinate", "ranks", "names") else "right", overflow="fold")
    for place in chosen:
        coordinate = data["coordinates"][place]
        ranks = ", ".join(f"{worse}>{better}" for worse, better in coordinate["ranks"])
        table.add_row(
            Text(coordinate["text"]),
            str(coordinate["cost"]),
            str(coordinate["separates"]),
            str(len(coordinate["alone"])),
            *([str(only.get(place, "–"))] if only else []),
            ranks,
            Text(", ".join(coordinate["names"])),
        )
    return Padding(table, (0, 0, 1, 0))


def _unmet(data: Data) -> Iterator[RenderableType]:
    """What no candidate does, with pictures of the traces."""
    if not data["unmet"]:
        return
    cases = {case["name"]: case for case in data["cases"]}
    yield Text(f"{len(data['unmet'])} of what is required no candidate can do", style="bold red")
    for row in data["unmet"]:
        if row["fault"] is not None:
            yield Text(f"  no candidate names `{row['fault']}`: none is lowest on it alone")
            continue
        worse, better = cases[row["worse"]], cases[row["better"]]
        yield Text(
            f"  `{worse['name']}` (rank {worse['rank']}) is under no candidate worse than `{better['name']}` "
            f"(rank {better['rank']})"
        )
        if row["identical"]:
            yield Text(f"    {identical_words(worse, better, data['calibration']['step'])}")
        for case in (worse, better):
            yield Padding(_picture(case), (0, 0, 0, 4))
    for more in data.get("beyond", ()):
        yield Text(f"  {_beyond(more)}", style="dim")
    yield Text("")


def _picture(case: Data) -> RenderableType:
    text = Text()
    for trace in case["traces"]:
        title = case["name"] if len(case["traces"]) == 1 else f"{case['name']}: {trace['class']}"
        lanes = side_lanes(trace["ref"], trace["pred"], case["frames"], _PICTURE)
        for name, cells in lanes:
            text.append(f"{_short(title) if name == 'ref' else '':<{_NAME}} {name:<5}{cells}\n")
        step = Fraction(case["duration"]) / case["frames"]
        apart = [f"{short(start * step)}–{short(end * step)} s" for start, end in differences(trace)]
        text.append(f"{'':<{_NAME}} differ at {', '.join(apart) or 'no frame'}\n", style="dim")
    return text


def _beyond(more: Data) -> str:
    if not more["affordable"]:
        return f"{more['words']} would make {more['size']:,} candidates, beyond the bound of {more['most']:,}"
    if not more["found"]:
        return f"{more['words']} ({more['size']:,} candidates) would separate none of them"
    first = more["found"][0]
    return (
        f"{more['words']} ({more['size']:,} candidates) would separate {len(more['found'])} of them: "
        f"`{first['worse']}` from `{first['better']}` by `{first['candidate']}`"
    )


def _evidence(data: Data) -> RenderableType:
    chosen = data["selected"]
    text = Text()
    if not chosen["count"]:
        text.append("nothing was selected: no candidate meets anything that is required\n", style="bold")
        return text
    text.append("why it is smallest\n" if chosen["optimal"] else "the best found in the time\n", style="bold")
    clauses = count(chosen["count"], "clause")
    text.append(f"  {clauses}, cost {chosen['cost']}; {chosen['met']} of {chosen['required']} met\n")
    if chosen["optimal"]:
        text.append(f"  at least {chosen['count_bound']} are needed: {chosen['evidence']} ({chosen['solver']})\n")
    else:
        text.append(f"  {unproved_words(chosen)}\n", style="yellow")
    for line in bound_words(chosen):
        text.append(f"    {line}\n", style="dim")
    second = chosen["second_solver"]
    if second["name"]:
        text.append(
            f"  {second['name']}: fewer clauses {second['fewer']}, less cost {second['cheaper']}, an earlier set "
            f"{second['earlier']}\n"
        )
    for clause in chosen["clauses"]:
        text.append(f"  {clause['name']}", style="bold")
        only = [row_words(row) for row in clause["only"]]
        more = f", and {len(only) - 2} more" if len(only) > 2 else ""
        text.append(
            f" alone among the selected meets {'; '.join(only[:2])}{more}\n" if only else " is not needed alone\n"
        )
    if "separate" in data["requirements"]:
        text.append(f"  {order_words(chosen['order'])}\n")
    return text


def _optima(data: Data) -> RenderableType:
    optima = data["optima"]
    text = Text()
    more = "" if optima["complete"] else " or more"
    text.append(f"{len(optima['sets'])}{more} sets of this size and cost\n", style="bold")
    for names in optima["sets"]:
        text.append(f"  {', '.join(names)}\n")
    return text


def _changes(changes: Data) -> RenderableType:
    text = Text()
    what = [f"without `{name}`" for name in changes["without"]]
    what += [f"`{item['case']}` at rank {item['after']} instead of {item['before']}" for item in changes["ranks"]]
    text.append(f"what changes: {', '.join(what) or 'nothing was asked'}\n", style="bold")
    for key, name in (("count", "clauses"), ("cost", "cost"), ("unmet", "not met")):
        before, after = changes[key]
        text.append(f"  {name}: {before} before, {after} now\n")
    for sign, key, style in (("−", "gone", "red"), ("+", "new", "green")):
        for clause in changes[key]:
            text.append(f"  {sign} {clause}\n", style=style)
    if not changes["gone"] and not changes["new"]:
        text.append("  the clauses are the same\n")
    return text


def _short(text: str) -> str:
    return text if len(text) <= _NAME else f"{text[: _NAME - 1]}…"
