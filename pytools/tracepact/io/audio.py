"""How long clips are by their sound files: the header's samples over its rate, exact (rule 13.30)."""

import os
import posixpath
import wave
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from posixpath import splitext
from typing import Any

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.source import shown
from tracepact.trace import Durations
from tracepact.wording import quoted

SOUND_ENDINGS = (".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".aif", ".aiff", ".au", ".w64", ".rf64", ".caf")


@dataclass(frozen=True, slots=True)
class AudioFolder:
    """A folder of sound files, whose headers say how long the clips are (rule 13.30).

    Attributes:
        path: the folder; files in its subfolders count as well.

    Examples:
        >>> import tempfile
        >>> import wave
        >>> import tracepact
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with wave.open(f"{folder}/clip.wav", "wb") as sound:
        ...         sound.setparams((1, 2, 8000, 0, "NONE", ""))
        ...         sound.writeframes(bytes(2 * 20000))
        ...     run = tracepact.score("boundary_gate", [(1, 2)], [(1, 2)], durations=tracepact.AudioFolder(folder))
        >>> run.durations.clips
        {'clip': Fraction(5, 2)}
    """

    path: str


def audio_durations(folder: AudioFolder, clips: Collection[str], diagnostics: Diagnostics) -> Durations:
    """How long these clips are; a clip without a file, or with two, is reported."""
    lengths: dict[str, Fraction] = {}
    for clip, fits in _files(folder, clips, diagnostics).items():
        if len(fits) == 1:
            length = _length(os.path.join(folder.path, fits[0]), diagnostics)
            if length is not None:
                lengths[clip] = length
        elif fits:
            headline = f"`{shown(clip)}` has {len(fits)} sound files: {quoted([shown(name) for name in fits[:3]])}"
            help = "name the clip by its path in the folder, or give a durations table"
            diagnostics.add("ambiguous-clip", headline, RowPlace(folder.path), help)
        else:
            headline = f"`{shown(clip)}` has no sound file in `{shown(folder.path)}`"
            diagnostics.add("unknown-duration", headline, RowPlace(folder.path), "give a durations table")
    return Durations(folder.path, lengths)


def audio_files(folder: AudioFolder, clips: Collection[str], diagnostics: Diagnostics) -> dict[str, Path]:
    """The sound file of each clip that has exactly one; a folder without any is reported."""
    found = _files(folder, clips, diagnostics)
    return {clip: Path(folder.path, fits[0]) for clip, fits in found.items() if len(fits) == 1}


def _files(folder: AudioFolder, clips: Collection[str], diagnostics: Diagnostics) -> dict[str, Sequence[str]]:
    """The files that each clip may mean, by their paths in the folder; without any sound file no clip is there."""
    found = _listed(folder.path)
    if not found:
        headline = f"`{shown(folder.path)}` is not a folder with sound files"
        diagnostics.add("unreadable-file", headline, RowPlace(folder.path), f"known endings: {' '.join(SOUND_ENDINGS)}")
        return {}
    by_name = [_grouped(found, key) for key in _KEYS]

    def fits(clip: str) -> Sequence[str]:
        asked = (*((group, clip) for group in by_name), *((group, splitext(clip)[0]) for group in by_name[1::2]))
        return next((some for group, name in asked if (some := group.get(name))), [])

    return {clip: fits(clip) for clip in clips}


_KEYS = (
    lambda path: path,
    lambda path: splitext(path)[0],
    posixpath.basename,
    lambda path: splitext(posixpath.basename(path))[0],
)


def _grouped(paths: Iterable[str], key: Any) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(key(path), []).append(path)
    return found


def _listed(folder: str) -> list[str]:
    """The sound files below a folder, by their paths in it."""
    return sorted(
        Path(parent, name).relative_to(folder).as_posix()
        for parent, _, names in os.walk(folder)
        for name in names
        if name.lower().endswith(SOUND_ENDINGS) and not name.startswith(".")
    )


def _length(path: str, diagnostics: Diagnostics) -> Fraction | None:
    """The length of one file, or None with why there is none."""
    place = RowPlace(path)
    try:
        frames, rate = _header(path)
    except ModuleNotFoundError:
        headline = f"`{shown(path)}` is not a plain WAV file, and the package that reads others is not installed"
        diagnostics.add("missing-extra", headline, place, "pip install 'tracepact[audio]'")
        return None
    except (OSError, EOFError, wave.Error, RuntimeError, ValueError) as error:
        words = shown(" ".join(str(error).split()), 80) or "it is cut off"
        diagnostics.add("unreadable-file", f"the header of `{shown(path)}` cannot be read: {words}", place)
        return None
    if frames <= 0 or rate <= 0:
        diagnostics.add("bad-time", f"`{shown(path)}` has no samples", place, "a clip has some length")
        return None
    return Fraction(frames, rate)


def _header(path: str) -> tuple[int, int]:
    """Samples and rate of a file, by the standard library where it can, else by the extra."""
    if path.lower().endswith(".wav"):
        try:
            with wave.open(path, "rb") as file:
                frames, size = file.getnframes(), file.getnchannels() * file.getsampwidth()
                if frames * size > os.path.getsize(path):
                    raise ValueError("it speaks of more samples than the file holds")
                return frames, file.getframerate()
        except wave.Error:
            pass  # a WAV file of a kind the standard library does not know
    import soundfile

    found = soundfile.info(path)
    return int(found.frames), int(found.samplerate)
