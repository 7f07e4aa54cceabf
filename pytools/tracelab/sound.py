"""Sound files in and out, one channel of floats."""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile

from tracelab.faults import fault
from tracelab.files import write_whole

Signal = npt.NDArray[np.floating[Any]]


def read_sound(path: Path) -> tuple[Signal, int]:
    """The samples of a file, its channels averaged, and their rate."""
    try:
        samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    except (OSError, soundfile.LibsndfileError) as error:
        raise fault("unreadable-sound", f"the sound cannot be read: {error}", path) from error
    if not len(samples):
        raise fault("unreadable-sound", "the file has no samples", path)
    if not np.isfinite(samples).all():
        raise fault("unreadable-sound", "a sample is not a finite number", path)
    return samples.mean(axis=1), int(rate)


def write_sound(path: Path, samples: npt.NDArray[np.int16], rate: int) -> None:
    """A WAV file of whole 16-bit samples."""
    sound = BytesIO()
    soundfile.write(sound, samples, rate, format="WAV", subtype="PCM_16")
    write_whole(path, sound.getvalue())
