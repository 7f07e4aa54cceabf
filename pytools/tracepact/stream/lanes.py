"""Many streams side by side in one integer: frame i of channel c is bit `i · channels + c`."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tracepact.trace.layout import Indices, pack, unpack

_MOST_PER_OCTET = 255


class Lanes:
    """The ways in and out of masks whose channels are interleaved, and which channels still go on."""

    def __init__(self, channels: int) -> None:
        self.channels = channels
        self.live: NDArray[np.bool_] = np.ones(channels, dtype=np.bool_)
        self.all_live = True
        self._valid: tuple[int, int] = (0, 0)

    def end(self, channels: Iterable[int]) -> None:
        """Some channels have no more frames."""
        self.live[list(channels)] = False
        self.all_live = bool(self.live.all())
        self._valid = (0, 0)

    def valid(self, frames: int) -> int:
        """The mask of the live channels in some frames."""
        width, mask = self._valid
        if width != frames:
            mask = (1 << frames * self.channels) - 1 if self.all_live else channel_mask(self.live, frames)
            self._valid = frames, mask
        return mask

    def frames(self, mask: int, frames: int) -> NDArray[np.bool_]:
        """A mask as truth values, frames × channels."""
        return unpack(mask, frames * self.channels).reshape(frames, self.channels)

    def counts(self, mask: int) -> Indices:
        """The active frames of every channel."""
        if self.channels == 1 or not mask:
            return np.full(self.channels, mask.bit_count(), dtype=np.int64)
        frames = -(-mask.bit_length() // self.channels)
        bits = self.frames(mask, frames).view(np.uint8)
        total = np.zeros(self.channels, dtype=np.int64)
        for first in range(0, frames, _MOST_PER_OCTET):  # octets are added fastest, and hold this many frames
            total += bits[first : first + _MOST_PER_OCTET].sum(axis=0, dtype=np.uint8)
        return total

    def positions(self, mask: int) -> list[tuple[int, int]]:
        """Frame and channel of every active bit, ascending."""
        return [divmod(bit, self.channels) for bit in positions(mask)]


def channel_mask(channels: NDArray[np.bool_], frames: int) -> int:
    """The mask of some channels in every one of some frames."""
    return pack(np.tile(channels, frames))


def positions(mask: int) -> list[int]:
    """The active bits, ascending."""
    if mask.bit_count() <= 1:
        return [mask.bit_length() - 1] if mask else []
    octets = np.frombuffer(mask.to_bytes(-(-mask.bit_length() // 8), "little"), dtype=np.uint8)
    active = np.flatnonzero(octets)
    bits = np.flatnonzero(np.unpackbits(octets[active], bitorder="little"))
    found: list[int] = (active[bits // 8] * 8 + bits % 8).tolist()
    return found
