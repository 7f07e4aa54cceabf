"""Sound files in and out, one channel of floats."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile

from tracelab.faults import fault

Signal = npt.NDArray[np.floating[Any]]


def read_sound(path: Path) -> tuple[Signal, int]:
    """The samples of a file, its channels averaged, and their rate."""
    try:
        samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    except (OSError, soundfile.LibsndfileError) as error:
        raise fault("unreadable-sound", f"the sound cannot be read: {error}", path) from error
    if not len(samples):
        raise fault("unreadable-sound", "the file has no samples", path)
    return samples.mean(axis=1), int(rate)


def write_sound(path: Path, samples: npt.NDArray[np.int16], rate: int) -> None:
    """A WAV file of whole 16-bit samples."""
    soundfile.write(path, samples, rate, subtype="PCM_16")
