"""A small picture of a trace: a row for each atom, a column for each frame, the judged frame marked."""

import re
from collections.abc import Iterable, Mapping

from tracepact.core.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.logic.model import Model

NOT_SMALLEST = "it is not known whether a smaller trace shows it"
_ACTIVE, _INACTIVE, _MARK = "█", "·", "▼"
_HEAD = r"frame [0-9]+ of ([0-9]+)\b"
_ROW = rf"(\w+)  +([{_ACTIVE}{_INACTIVE}]+)"
_LONGEST = 64
_WIDEST = 120
"""How many columns of a long trace are drawn."""
_KEPT = 4
"""How many columns of a long stretch of equal frames are drawn on each side of what is left out."""


def picture(model: Model, names: Iterable[str] | None = None) -> str:
    """The rows of the named atoms (all base atoms if None); of a long trace, what is near the judged frame."""
    environment = model.environment
    wanted = sorted(set(model.atoms if names is None else names) & set(environment), key=_order)
    rows = [environment[name] for name in wanted]
    columns = _columns(rows, model)
    labels = [f"frame {model.frame} of {model.frames}", *wanted]
    width = max(map(len, labels))
    lines = [f"{labels[0]:<{width}}  " + "".join(_cell(c, model.frame) for c in columns)]
    for name, row in zip(wanted, rows, strict=True):
        cells = "".join(_gap(c) if isinstance(c, tuple) else _ACTIVE if row[c] else _INACTIVE for c in columns)
        lines.append(f"{name:<{width}}  {cells}")
    return "\n".join(line.rstrip() for line in lines)


def read_picture(text: str) -> Mapping[str, tuple[bool, ...]] | None:
    """The truth values of the atoms in the first picture of a text; None if it has none, or not every frame of it."""
    lines = text.splitlines()
    head = re.match(_HEAD, lines[0]) if lines else None
    if head is None:
        return None
    frames, found = int(head[1]), {}
    for line in lines[1:]:
        row = re.fullmatch(_ROW, line)
        if row is None:
            break
        found[row[1]] = tuple(cell == _ACTIVE for cell in row[2])
    return found if found and all(len(row) == frames for row in found.values()) else None


_Column = int | tuple[int]
"""A frame, or how many frames are left out."""


def _columns(rows: list[tuple[bool, ...]], model: Model) -> list[_Column]:
    if model.frames <= _LONGEST:
        return list(range(model.frames))
    return _around(_without_stretches(rows, model), model.frame)


def _around(columns: list[_Column], judged: int) -> list[_Column]:
    """The columns nearest to the judged frame where they are too many to be seen; how many frames are left out."""
    if len(columns) <= _WIDEST:
        return columns
    first = max(0, min(columns.index(judged) - _WIDEST // 2, len(columns) - _WIDEST))
    before, after = columns[:first], columns[first + _WIDEST :]
    return [*_left_out(before), *columns[first : first + _WIDEST], *_left_out(after)]


def _left_out(columns: list[_Column]) -> list[_Column]:
    frames = sum(column[0] if isinstance(column, tuple) else 1 for column in columns)
    return [(frames,)] if frames else []


def _without_stretches(rows: list[tuple[bool, ...]], model: Model) -> list[_Column]:
    columns: list[_Column] = []
    start = 0
    while start < model.frames:
        end = start + 1
        while end < model.frames and end != model.frame and start != model.frame and _equal(rows, start, end):
            end += 1
        if end - start > 2 * _KEPT + 2:
            columns += [*range(start, start + _KEPT), (end - start - 2 * _KEPT,), *range(end - _KEPT, end)]
        else:
            columns += range(start, end)
        start = end
    return columns


def _equal(rows: list[tuple[bool, ...]], i: int, j: int) -> bool:
    return all(row[i] == row[j] for row in rows)


def _gap(column: tuple[int]) -> str:
    return f" …{column[0]} more… "


def _cell(column: _Column, judged: int) -> str:
    if isinstance(column, tuple):
        return " " * len(_gap(column))
    return _MARK if column == judged else " "


def _order(name: str) -> tuple[int, str]:
    known = (*BUILTIN_ATOMS, *CLASS_ATOMS)
    return (known.index(name) if name in known else len(known)), name
