"""Frames as lines of text: a JSON object a frame, or the reference and the prediction in two columns (rule 12.10)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from tracepact.core.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.diagnostics import did_you_mean

_LONGEST = 1 << 24
_KEYS = ("ref", "pred", "ignore", "masks", "end")
_TIMES = ("time", "times", "t", "timestamp", "seconds", "frame", "i", "onset", "offset")
_BITS = {"0": False, "1": True}
_WHITE_SPACE = " \t\r\n"
"""That of rule 1.2; others, such as a form feed, separate nothing."""

_SHOWN = 60
_PLAIN = 4
"""The octets of a plain line: digit, space, digit, end of line."""
_FEWEST = 16
"""Fewer lines than this are as quick one by one."""


@dataclass(frozen=True, slots=True)
class FrameLine:
    """One frame of every channel, by atom."""

    number: int
    frames: dict[str, Any]
    ignore: Any = None


@dataclass(frozen=True, slots=True)
class FrameBlock:
    """Lines that came together, each a frame in two columns: the number of the first, and their frames by atom."""

    number: int
    frames: dict[str, NDArray[np.bool_]]

    def __len__(self) -> int:
        return len(self.frames["ref_active"])

    def lines(self) -> Iterator[FrameLine]:
        """The lines one by one."""
        for i in range(len(self)):
            yield FrameLine(self.number + i, {name: bool(frames[i]) for name, frames in self.frames.items()})


@dataclass(frozen=True, slots=True)
class EndLine:
    """Some streams have no more frames."""

    number: int
    streams: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is not a frame, why, and a way out."""

    number: int
    headline: str
    help: str | None = None


Line = FrameLine | FrameBlock | EndLine | BadLine


class _BadLineError(Exception):
    """Why a line is not a frame, and a way out."""

    def __init__(self, headline: str, help: str | None = None) -> None:
        super().__init__(headline)
        self.headline, self.help = headline, help


def read_lines(stream: BinaryIO, channels: int = 1) -> Iterator[Line]:
    """Line by line, each as soon as it has arrived; blank lines and comments are left out.

    Many lines of two columns that are there already come as one block.
    """
    number = 0
    blocks = isinstance(stream, BufferedReader) and channels == 1
    while True:
        if blocks and number and (block := _read_block(cast(BufferedReader, stream), number + 1)) is not None:
            yield block
            number += len(block)
            continue
        if not (octets := stream.readline(_LONGEST)):
            return
        number += 1
        if len(octets) == _LONGEST and not octets.endswith(b"\n"):
            while (more := stream.readline(_LONGEST)) and not more.endswith(b"\n"):
                pass
            yield BadLine(number, f"the line is longer than {_LONGEST} octets")
            continue
        try:
            text = octets.decode("utf-8-sig" if number == 1 else "utf-8").strip(_WHITE_SPACE)
            if text and not text.startswith("#"):
                yield read_line(number, text, channels)
        except UnicodeDecodeError:
            yield BadLine(number, "the line is not UTF-8 text")


def _read_block(stream: BufferedReader, number: int) -> FrameBlock | None:
    """The whole lines that have arrived, if they are many, and all digit, space, digit; else nothing is taken."""
    there = stream.peek()
    size = len(there) - len(there) % _PLAIN
    if size < _PLAIN * _FEWEST:
        return None
    signs = np.frombuffer(there, dtype=np.uint8, count=size).reshape(-1, _PLAIN)
    bits = signs[:, ::2] - ord("0")  # below "0" the difference wraps around, and is large
    if (signs[:, 1] != ord(" ")).any() or (signs[:, 3] != ord("\n")).any() or (bits[:, :2] > 1).any():
        return None
    stream.read(size)
    ref, pred = (bits[:, column].astype(np.bool_) for column in (0, 1))
    return FrameBlock(number, {"ref_active": ref, "pred_active": pred})


def read_line(number: int, text: str, channels: int = 1) -> Line:
    """One line that is not blank, of a stream with so many channels."""
    try:
        return _json_line(number, text, channels) if text.startswith("{") else _columns(number, text, channels)
    except _BadLineError as bad:
        return BadLine(number, bad.headline, bad.help)


def _columns(number: int, text: str, channels: int) -> FrameLine:
    fields = text.replace("\t", " ").replace("\r", " ").split(" ")
    fields = [field for field in fields if field]
    if len(fields) != 2 or any(field not in _BITS for field in fields):
        raise _BadLineError(f"`{_shown(text)}` is not a frame", _way_out(text))
    if channels > 1:
        headline = f"two columns are a frame of one channel, and there are {channels}"
        raise _BadLineError(headline, _one_each(channels))
    return FrameLine(number, {"ref_active": _BITS[fields[0]], "pred_active": _BITS[fields[1]]})


def _way_out(text: str) -> str:
    """How to write the frame that a line of text may have been meant for."""
    usual = 'write reference and prediction as 0 or 1: `1 0`, or `{"ref": 1, "pred": 0}`'
    for sign, name in ((",", "commas"), (";", "semicolons")):
        fields = [field.strip() for field in text.split(sign)]
        if len(fields) == 2 and all(field in _BITS for field in fields):
            return f"the columns are separated by white space, not {name}: `{fields[0]} {fields[1]}`"
        if len(fields) > 1:
            return f"the columns are two, separated by white space and not {name}; {usual}"
    if len(text.split()) > 2:
        return f"a frame has two columns, and no time: a line is the next frame; {usual}"
    return usual


def _json_line(number: int, text: str, channels: int) -> Line:
    try:
        data = json.loads(text, object_pairs_hook=_distinct, parse_int=_integer)
    except (ValueError, RecursionError) as fault:
        raise _BadLineError(f"`{_shown(text)}` is not JSON: {fault}") from fault
    for key in data:
        if key in _TIMES:
            help = "leave it out: a line is the next frame, one step of the contract long"
            raise _BadLineError(f"`{key}` is not a part of a frame", help)
        if key not in _KEYS:
            raise _BadLineError(f"`{_shown(key)}` is not a part of a frame", did_you_mean(key, _KEYS))
    if "end" in data:
        return _end(number, data)
    frames: dict[str, Any] = {}
    for side in ("ref", "pred"):
        if side in data:
            frames[f"{side}_active"] = _bits(side, data[side], channels)
    masks = data.get("masks", {})
    if not isinstance(masks, dict):
        raise _BadLineError("`masks` is not an object of atoms")
    for name, given in masks.items():
        if name in (*BUILTIN_ATOMS, *CLASS_ATOMS):
            sides = {"ref_active": "write `ref`", "pred_active": "write `pred`"}
            raise _BadLineError(f"`{name}` is not a mask", sides.get(name, "it follows from `ref` and `pred`"))
        frames[name] = _bits(name, given, channels)
    if not frames:
        raise _BadLineError("the line gives no values of a frame", 'write at least `{"ref": 1, "pred": 0}`')
    return FrameLine(number, frames, _bits("ignore", data["ignore"], channels) if "ignore" in data else None)


def _integer(text: str) -> int | float:
    """An integer as it is written: `-0` is not `0`."""
    return -0.0 if text == "-0" else int(text)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are distinct."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for number, (key, _) in enumerate(pairs) if key in dict(pairs[:number]))
        raise _BadLineError(f"`{_shown(twice)}` is given twice")
    return found


def _end(number: int, data: dict[str, Any]) -> EndLine:
    ending = data["end"]
    names = [ending] if isinstance(ending, str) else ending
    if len(data) > 1 or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _BadLineError("`end` is not the name of a stream or a list of names, alone on its line")
    return EndLine(number, tuple(names))


def _bits(name: str, given: Any, channels: int) -> bool | list[bool]:
    """A truth value, or with several channels a list with one each."""
    if not isinstance(given, list):
        if channels > 1:
            headline = f"`{_shown(name)}` is one value, and there are {channels} channels"
            raise _BadLineError(headline, _one_each(channels))
        return _bit(name, given)
    if len(given) != channels:
        told = f"{len(given)} {'value' if len(given) == 1 else 'values'}"
        there = "there is one channel" if channels == 1 else f"there are {channels} channels"
        raise _BadLineError(f"`{_shown(name)}` has {told}, and {there}", _one_each(channels))
    found = [_bit(name, item) for item in given]
    return found[0] if channels == 1 else found


def _one_each(channels: int) -> str:
    """How a frame of so many channels is written."""
    if channels == 1:
        return 'a line is one frame; write the next frame on a line of its own: `{"ref": 1, "pred": 0}`'
    sides = {"ref": [1, *[0] * (channels - 1)], "pred": [0] * channels}
    line = json.dumps(sides, separators=(",", ":"))
    return f"a line is one frame: give a value for each channel, class by class: `{line}`"


def _bit(name: str, given: Any) -> bool:
    if isinstance(given, int) and given in (0, 1):
        return bool(given)
    raise _BadLineError(f"`{_shown(name)}` is `{_shown(json.dumps(given))}`, which is neither 0 nor 1")


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
