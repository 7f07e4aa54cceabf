"""Lines of a stream by rule 12.10, written apart from the reader of `watch`, which is tested against it."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

_SPACE = " \t\r\n"
_BUILT_IN = {f"{side}_{what}" for side in ("ref", "pred") for what in ("active", "onset", "offset")} | {
    "other_ref_active",
    "other_pred_active",
}
_COLUMNS = re.compile(r"([01])[ \t\r]+([01])")


@dataclass(slots=True)
class Lines:
    """What a text has: frames as its lines give them, the numbers of bad lines, the streams that end."""

    frames: list[dict[str, Any]] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)
    ended: list[list[Any]] = field(default_factory=list)


class _NotAFrameError(Exception):
    """The line is bad."""


def lines_of(text: str, channels: int) -> Lines:
    """The lines of a text, for streams with so many channels."""
    found = Lines()
    text = text.removeprefix("\ufeff")
    whole = text.split("\n")
    for number, line in enumerate(whole[:-1] if text.endswith("\n") else whole, start=1):
        inner = line.strip(_SPACE)
        if not inner or inner[0] == "#":
            continue
        try:
            data = _object(inner) if inner[0] == "{" else _columns(inner, channels)
            if "end" in data:
                found.ended += [[len(found.frames), name] for name in _ended(data)]
            else:
                found.frames.append(_frame(data, channels))
        except _NotAFrameError:
            found.bad.append(number)
    return found


def _columns(line: str, channels: int) -> dict[str, Any]:
    columns = _COLUMNS.fullmatch(line)
    if columns is None or channels > 1:
        raise _NotAFrameError
    return {"ref": int(columns[1]), "pred": int(columns[2])}


def _object(line: str) -> dict[str, Any]:
    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise _NotAFrameError
        return dict(pairs)

    try:
        data = json.loads(line, object_pairs_hook=distinct, parse_int=lambda text: None if text == "-0" else int(text))
    except (ValueError, RecursionError):
        raise _NotAFrameError from None
    return data if isinstance(data, dict) else {}


def _ended(data: dict[str, Any]) -> list[str]:
    names = [data["end"]] if isinstance(data["end"], str) else data["end"]
    if len(data) > 1 or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _NotAFrameError
    return names


def _frame(data: dict[str, Any], channels: int) -> dict[str, Any]:
    masks = data.get("masks", {})
    if not isinstance(masks, dict) or not data.keys() <= {"ref", "pred", "masks", "ignore"}:
        raise _NotAFrameError
    if _BUILT_IN & masks.keys() or not ({"ref", "pred"} & data.keys() or masks):
        raise _NotAFrameError
    frame: dict[str, Any] = {key: _values(data[key], channels) for key in ("ref", "pred", "ignore") if key in data}
    if masks:
        frame["masks"] = {name: _values(given, channels) for name, given in masks.items()}
    return frame


def _values(given: Any, channels: int) -> bool | list[bool]:
    values = given if isinstance(given, list) else [given]
    if len(values) != channels or (channels > 1 and values is not given):
        raise _NotAFrameError
    if not all(type(value) in (bool, int) and value in (0, 1) for value in values):
        raise _NotAFrameError
    return bool(values[0]) if channels == 1 else [bool(value) for value in values]
