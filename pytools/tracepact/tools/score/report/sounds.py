"""The sounds of clips for a page: files beside it by their relative paths, or their bytes inside it."""

import base64
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from tracepact.diagnostics import Diagnostics
from tracepact.io import AudioFolder
from tracepact.io.audio import audio_files
from tracepact.wording import count

_KINDS = {".wav": "wav", ".flac": "flac", ".ogg": "ogg", ".oga": "ogg", ".opus": "ogg", ".mp3": "mpeg"}
"""What browsers play, by the ending of the file; others are offered as they are."""


@dataclass(frozen=True, slots=True)
class Sounds:
    """Where a page finds the sound of each clip, and what its policy must allow for that."""

    sources: Mapping[str, str] = field(default_factory=dict)
    media: str = ""


SILENT = Sounds()


def find_sounds(folder: str | None, clips: Collection[str], page_folder: Path, *, embed: bool = False) -> Sounds:
    """The sounds of these clips for a page in a folder; InvalidInput if the sound folder holds none at all."""
    if folder is None:
        return SILENT
    diagnostics = Diagnostics()
    files = audio_files(AudioFolder(folder), clips, diagnostics)
    diagnostics.raise_errors()
    if embed:
        return Sounds({clip: _embedded(path) for clip, path in files.items()}, "data:")
    start = page_folder.resolve()
    places = {clip: Path(os.path.relpath(path.resolve(), start)).as_posix() for clip, path in files.items()}
    return Sounds({clip: quote(place) for clip, place in places.items()}, "'self' file:")


def sounds_line(sounds: Sounds, clips: int, folder: str) -> str:
    """How many clips can be heard."""
    return f"{len(sounds.sources):,} of {count(clips, 'clip')} have a sound file in {folder}"


def media_type(path: Path) -> str:
    """The media type of a sound file, by its ending."""
    return f"audio/{_KINDS.get(path.suffix.lower(), path.suffix.lower().removeprefix('.'))}"


def _embedded(path: Path) -> str:
    return f"data:{media_type(path)};base64,{base64.b64encode(path.read_bytes()).decode()}"


def embed_audio_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --embed-audio option."""
    return click.option(
        "--embed-audio", is_flag=True, help="With --audio: put the sounds into the page instead of their paths."
    )(function)


def check_audio(folder: str | None, embed: bool) -> None:
    """Refuse to embed sounds that are not there."""
    if embed and folder is None:
        raise click.UsageError("--embed-audio needs --audio, the folder of the sounds")
