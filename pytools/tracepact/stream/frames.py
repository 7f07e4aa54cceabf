"""Frames as a caller has them, scalars and arrays by atom, become the interleaved masks of a chunk."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Contract
from tracepact.core.contract import CLASS_ATOMS
from tracepact.diagnostics import Diagnostics, did_you_mean
from tracepact.trace.layout import pack

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
        if self.is_plain and ignore is None and len(frames) == len(self.given):
            found = self._read_plain(frames)
            if found is not None:
                return found
        return self._read_arrays(frames, ignore)

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

    def _read_arrays(self, frames: Mapping[str, Any], ignore: Any) -> tuple[int, dict[str, int]]:
        count, arrays = self.read_arrays(frames, ignore)
        return count, {name: pack(array.reshape(-1)) for name, array in arrays.items()}

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
            wanted[IGNORED] = ignore if ignore is not None else None
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

    def _array(self, name: str, given: Any, faults: Diagnostics) -> NDArray[np.bool_] | None:
        """Frames × channels; a single frame of a single channel may be a scalar, a single frame one value a channel."""
        try:
            array = np.asarray(given)
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
        """How a frame of so many channels is written."""
        ref, pred = [1, *[0] * (self._channels - 1)], [0] * self._channels
        line = json.dumps({"ref": ref, "pred": pred}, separators=(",", ":"))
        return f"give a value for each channel, class by class; as a line: `{line}`"


def _check_form(frames: object) -> None:
    if not isinstance(frames, dict | Mapping):  # the usual one first: it is quickly seen
        expected = "frames are given by atom, as in {'ref_active': True, 'pred_active': False}"
        raise TypeError(f"{expected}, not as {type(frames).__name__}")
