"""Frames as callers and lines of text have them become the masks of a chunk."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BufferedReader
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from tracepact.data.family import pack
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import did_you_mean
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS, Contract
from tracepact.wording import parse_whole

# Frames as a caller has them, scalars and arrays by atom, become the interleaved masks of a chunk.

_BOOLEAN = np.dtype(np.bool_)
"""There is one such object: to ask whether it is that one is faster than to compare."""

IGNORED = "ignored frames"
"""The atom of the frames without obligations; no atom of a contract has such a name."""


class FrameReader:
    """Reads the frames of one contract's streams; faults raise InvalidInput and leave the stream as it was."""

    def __init__(
        self,
        contract: Contract,
        streams: Sequence[str],
        classes: Sequence[str],
        inputs: Sequence[str],
        *,
        ignoring: bool,
    ) -> None:
        self._channels = len(streams) * len(classes)
        self._shape = len(classes), len(streams)
        self._ignoring = ignoring
        self._others = [name for name in inputs if name in CLASS_ATOMS]
        sides = {"ref_active", "pred_active"} if contract.event_clauses or self._others else set()
        self.given = sorted((set(inputs) | sides) - set(CLASS_ATOMS) - {IGNORED})
        self.is_plain = self._channels == 1 and not ignoring and not self._others and bool(self.given)
        self._known = {"ref_active", "pred_active", *contract.declared_atoms}

    def read(self, frames: Mapping[str, Any], ignore: Any) -> tuple[int, dict[str, int]]:
        """The number of frames, and the mask of every input."""
        _check_form(frames)
        is_plain = self.is_plain and ignore is None and len(frames) == len(self.given)
        if is_plain and (plain := self._read_plain(frames)) is not None:
            return plain
        count, arrays = self.read_arrays(frames, ignore)
        return count, {name: pack(array.reshape(-1)) for name, array in arrays.items()}

    def _read_plain(self, frames: Mapping[str, Any]) -> tuple[int, dict[str, int]] | None:
        """A truth value each, or a Boolean array each: what a single stream brings, read without detours."""
        masks: dict[str, int] = {}
        count = 0
        for name in self.given:
            value = frames.get(name)
            if value is True or value is False:
                length, masks[name] = 1, int(value)
            elif isinstance(value, np.ndarray) and value.dtype is _BOOLEAN and value.ndim == 1:
                length, masks[name] = len(value), pack(value)
            else:
                return None
            if count != length and len(masks) > 1:
                return None
            count = length
        return count, masks

    def read_arrays(self, frames: Mapping[str, Any], ignore: Any) -> tuple[int, dict[str, NDArray[np.bool_]]]:
        """The number of frames, and the frames of every input, frames × channels."""
        _check_form(frames)
        faults = Diagnostics()
        for name in frames.keys() - self._known:
            faults.add("wrong-mask", f"frames were given for `{name}`", help=did_you_mean(name, self._known))
        if (ignore is not None) and not self._ignoring:
            faults.add(
                "wrong-mask",
                "ignored frames were given",
                help="make the monitor with ignoring=True, or give `watch` the option --ignoring",
            )
        arrays: dict[str, NDArray[np.bool_]] = {}
        wanted = {name: frames.get(name) for name in self.given}
        wanted |= {name: given for name, given in frames.items() if name in self._known}
        if self._ignoring:
            wanted[IGNORED] = ignore
        for name, given in wanted.items():
            if given is None:
                if name != IGNORED:
                    faults.add("missing-mask", f"no frames were given for `{name}`")
                continue
            array = self._array(name, given, faults)
            if array is not None:
                arrays[name] = array
        lengths = {len(array) for array in arrays.values()}
        if len(lengths) > 1:
            told = ", ".join(f"`{name}` {len(array)}" for name, array in arrays.items())
            faults.add("wrong-mask", f"the arrays of a chunk differ in their number of frames: {told}")
        faults.raise_errors()
        count = lengths.pop() if lengths else 1
        if self._ignoring:
            arrays.setdefault(IGNORED, np.zeros((count, self._channels), dtype=np.bool_))
        for name in self._others:
            active = arrays[name.removeprefix("other_")].reshape(count, *self._shape)
            others = active.sum(axis=1, keepdims=True) - active > 0
            arrays[name] = others.reshape(count, self._channels)
        return count, arrays

    def _array(self, name: str, frames: Any, faults: Diagnostics) -> NDArray[np.bool_] | None:
        """Frames × channels; a single frame of a single channel may be a scalar, a single frame one value a channel."""
        try:
            array = np.asarray(frames)
        except ValueError:
            array = np.asarray(None)
        if array.dtype != np.bool_:
            if array.dtype.kind not in "iuf" or not bool(((array == 0) | (array == 1)).all()):
                faults.add("wrong-mask", f"the frames of `{name}` are not all 0 or 1")
                return None
            array = array.astype(np.bool_)
        channels = self._channels
        if array.ndim == 0 and channels == 1:
            return array.reshape(1, 1)
        if array.ndim == 1:
            array = array.reshape(-1, 1) if channels == 1 else array.reshape(1, -1)
        if array.ndim != 2 or array.shape[1] != channels:
            shape = "×".join(map(str, array.shape)) or "a single value"
            headline = f"the frames of `{name}` are {shape}, not frames × {channels} channels"
            faults.add("wrong-mask", headline, help=self._way_out())
            return None
        return array

    def _way_out(self) -> str:
        """How a frame with this number of channels is written."""
        ref, pred = [1, *[0] * (self._channels - 1)], [0] * self._channels
        line = json.dumps({"ref": ref, "pred": pred}, separators=(",", ":"))
        return f"give a value for each channel, class by class; as a line: `{line}`"


def _check_form(frames: object) -> None:
    if not isinstance(frames, dict | Mapping):  # the usual one first: it is quickly seen
        expected = "frames are given by atom, as in {'ref_active': True, 'pred_active': False}"
        raise TypeError(f"{expected}, not as {type(frames).__name__}")


# Frames as lines of text: a JSON object a frame, or the reference and the prediction in two columns (rule 12.10).

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
    # What has arrived, and no waiting for more: a live stream must not be late for the sake of a block.
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
    """One line that is not blank, of a stream with this number of channels."""
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
    return -0.0 if text == "-0" else parse_whole(text)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are distinct."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        twice = next(key for number, (key, _) in enumerate(pairs) if key in dict(pairs[:number]))
        raise _BadLineError(f"`{_shown(twice)}` is given twice")
    return entries


def _end(number: int, data: dict[str, Any]) -> EndLine:
    ending = data["end"]
    names = [ending] if isinstance(ending, str) else ending
    if len(data) > 1 or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _BadLineError("`end` is not the name of a stream or a list of names, alone on its line")
    return EndLine(number, tuple(names))


def _bits(name: str, value: Any, channels: int) -> bool | list[bool]:
    """A truth value, or with several channels a list with one each."""
    if not isinstance(value, list):
        if channels > 1:
            headline = f"`{_shown(name)}` is one value, and there are {channels} channels"
            raise _BadLineError(headline, _one_each(channels))
        return _bit(name, value)
    if len(value) != channels:
        told = f"{len(value)} {'value' if len(value) == 1 else 'values'}"
        there = "there is one channel" if channels == 1 else f"there are {channels} channels"
        raise _BadLineError(f"`{_shown(name)}` has {told}, and {there}", _one_each(channels))
    bits = [_bit(name, item) for item in value]
    return bits[0] if channels == 1 else bits


def _one_each(channels: int) -> str:
    """How a frame with this number of channels is written."""
    if channels == 1:
        return 'a line is one frame; write the next frame on a line of its own: `{"ref": 1, "pred": 0}`'
    sides = {"ref": [1, *[0] * (channels - 1)], "pred": [0] * channels}
    line = json.dumps(sides, separators=(",", ":"))
    return f"a line is one frame: give a value for each channel, class by class: `{line}`"


def _bit(name: str, value: Any) -> bool:
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise _BadLineError(f"`{_shown(name)}` is `{_shown(json.dumps(value))}`, which is neither 0 nor 1")


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
