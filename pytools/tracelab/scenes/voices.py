"""Where speech comes from: recordings, Asterisk's prompts, espeak-ng, the embedded voice; never a substitute."""

import hashlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import gcd
from pathlib import Path
from typing import Protocol as Interface

import numpy as np
from scipy.signal import lfilter, resample_poly

from tracelab.files import Signal, fault, read_sound

SUFFIXES = (".flac", ".ogg", ".wav")
ASTERISK = Path("/usr/share/asterisk/sounds")
LANGUAGES = ("en", "es", "fr", "it", "ru")
_FRAME = 160
_ACTIVE_BELOW_LOUD = 0.02  # a frame is active from 17 dB below the recording's loud frames
_VOWELS = (
    (730, 1090, 2440),
    (270, 2290, 3010),
    (300, 870, 2240),
    (530, 1840, 2480),
    (570, 840, 2410),
    (440, 1020, 2240),
)
_SENTENCES = (
    "The quick brown fox jumps over the lazy dog.",
    "Seven silver swans swam silently seaward.",
    "A gate opens when somebody begins to speak, and closes when nobody does.",
    "Please leave a message after the tone.",
    "Most of the morning was spent waiting for the rain to stop.",
)


class Voice(Interface):
    """A source of speech."""

    @property
    def name(self) -> str:
        """What the source is called in tables and in the manifest."""

    @property
    def digest(self) -> str:
        """What the source's content is, as a SHA-256 in hexadecimal."""

    def excerpt(self, rng: np.random.Generator, samples: int, rate: int, drawn: int = 12) -> Signal:
        """Speech of that many samples, at unit level: the most active of `drawn` random parts."""

    def of_speakers(self, test_share: float, *, test: bool) -> "Voice":
        """The speakers of the test clips, that share of all, or those of the training clips."""


@dataclass(frozen=True, slots=True)
class FormantVoice:
    """The embedded voice: pulses and breath through three moving formants, in syllables."""

    name: str = "formant"

    @property
    def digest(self) -> str:
        """The voice is its code: its name and version."""
        return hashlib.sha256(b"formant voice 1").hexdigest()

    def of_speakers(self, test_share: float, *, test: bool) -> "FormantVoice":
        """The voice itself: every excerpt has a pitch of its own, so there is nobody to keep apart."""
        return self

    def excerpt(self, rng: np.random.Generator, samples: int, rate: int, drawn: int = 12) -> Signal:
        """Syllables of 120 to 260 ms, each with a vowel, a pitch and a breathy start."""
        parts: list[Signal] = []
        pitch = rng.uniform(90, 220)
        while sum(map(len, parts)) < samples:
            parts.append(_syllable(rng, int(rng.uniform(0.12, 0.26) * rate), pitch * rng.uniform(0.9, 1.1), rate))
        return level(np.concatenate(parts)[:samples])


@dataclass(frozen=True, slots=True)
class FolderVoice:
    """Recordings of speech in a folder, in any depth (WAV, FLAC or Ogg)."""

    folder: Path
    name: str = ""
    files: tuple[Path, ...] = field(default=(), repr=False)
    digest: str = ""

    @classmethod
    def open(cls, folder: str | Path, name: str = "", without: str = "") -> "FolderVoice":
        """The recordings of a folder, but for one folder in it; a folder without any is an error."""
        folder = Path(folder)
        if not folder.is_dir():
            raise fault("unreadable-file", "the folder of recordings does not exist", folder)
        sounds = (p for p in folder.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file())
        files = tuple(sorted(p for p in sounds if not without or p.relative_to(folder).parts[0] != without))
        if not files:
            raise fault("no-recordings", "no recordings here", folder, f"put files of {', '.join(SUFFIXES)} in it")
        total = hashlib.sha256()
        for path in files:
            total.update(
                path.relative_to(folder).as_posix().encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest()
            )
        return cls(folder, name or folder.name, files, total.hexdigest())

    def speaker_of(self, file: Path) -> str:
        """Who speaks: the first folder below the voice's own, or what the file's name has before its first hyphen."""
        parts = file.relative_to(self.folder).parts
        return parts[0] if len(parts) > 1 else file.stem.split("-")[0]

    def of_speakers(self, test_share: float, *, test: bool) -> "FolderVoice":
        """The recordings of the speakers for test clips, or of those for training clips."""
        return _one_side(self, test_share, test)

    def excerpt(self, rng: np.random.Generator, samples: int, rate: int, drawn: int = 12) -> Signal:
        """A part of a recording: the most active of a few random parts."""
        recording = _recording(self.files[rng.integers(len(self.files))], rate)
        while len(recording) < samples:
            recording = np.concatenate([recording, _recording(self.files[rng.integers(len(self.files))], rate)])
        starts = rng.integers(0, len(recording) - samples, size=drawn, endpoint=True)
        active = _activity(recording)
        best = max(starts, key=lambda start: (active[start // _FRAME : (start + samples) // _FRAME].mean(), -start))
        return level(recording[best : best + samples])


def espeak_voice() -> FolderVoice:
    """Sentences spoken by espeak-ng, which must be installed."""
    program = shutil.which("espeak-ng")
    if program is None:
        raise fault("no-recordings", "espeak-ng is not installed", help="install it, or name another source of speech")
    folder = Path(tempfile.mkdtemp(prefix="tracelab-espeak-"))
    for number, sentence in enumerate(_SENTENCES):
        for pitch in (30, 50, 70):
            path = folder / f"{number}-{pitch}.wav"
            spoken = subprocess.run([program, "-p", str(pitch), "-w", str(path), sentence], check=False)  # noqa: S603
            if spoken.returncode:
                raise fault("no-recordings", f"espeak-ng ended with exit code {spoken.returncode}", path)
    return FolderVoice.open(folder, "espeak-ng")


def asterisk_voice(language: str) -> FolderVoice:
    """The prompts that Debian's asterisk-core-sounds packages install, at 8 kHz; not those that are silent."""
    folders = sorted(ASTERISK.glob(f"{language}_*"))
    if language not in LANGUAGES or not folders:
        known = ", ".join(f"asterisk-{one}" for one in LANGUAGES)
        help = (
            f"on Debian: apt install asterisk-core-sounds-{language}-wav"
            if language in LANGUAGES
            else f"there are {known}"
        )
        raise fault("no-recordings", f"the prompts `asterisk-{language}` are not installed", ASTERISK, help)
    return FolderVoice.open(folders[0], f"asterisk-{language}", without="silence")


def open_voice(source: str) -> Voice:
    """A source of speech by its name (`formant`, `espeak-ng`, `asterisk-en` and the like) or its folder."""
    match source:
        case "formant":
            return FormantVoice()
        case "espeak-ng":
            return espeak_voice()
        case _ if source.startswith("asterisk-") and not Path(source).is_dir():
            return asterisk_voice(source.removeprefix("asterisk-"))
        case _:
            return FolderVoice.open(source)


def level(signal: Signal) -> Signal:
    """The signal without its mean, at a root mean square of one."""
    centred: Signal = signal - signal.mean()
    return centred / max(float(np.sqrt(np.mean(centred**2))), 1e-9)


def _syllable(rng: np.random.Generator, samples: int, pitch: float, rate: int) -> Signal:
    time = np.arange(samples) / rate
    phase = np.cumsum(pitch * (1 + 0.03 * np.sin(2 * np.pi * 5 * time))) / rate
    pulses = (np.diff(np.floor(phase), prepend=0) > 0).astype(float)
    breath = rng.standard_normal(samples) * np.where(time < 0.03, 0.15, 0.01)
    signal = pulses + breath
    for formant in _VOWELS[rng.integers(len(_VOWELS))]:
        radius = np.exp(-np.pi * (60 + formant / 20) / rate)
        angle = 2 * np.pi * formant * rng.uniform(0.95, 1.05) / rate
        signal = lfilter([1 - radius], [1, -2 * radius * np.cos(angle), radius**2], signal)
    return level(signal) * (0.35 + 0.65 * np.sin(np.pi * (np.arange(samples) + 0.5) / samples))


@lru_cache(maxsize=16)
def _one_side(voice: FolderVoice, test_share: float, test: bool) -> FolderVoice:
    """Who is for test clips is decided by the digest of the name, so that another recording moves nobody else."""
    speakers = sorted(
        {voice.speaker_of(file) for file in voice.files}, key=lambda name: hashlib.sha256(name.encode()).digest()
    )
    if len(speakers) < 2:
        help = "name a folder with recordings of several speakers, or a protocol that does not keep speakers apart"
        raise fault("no-recordings", "training and test need a speaker each, and there is only one", voice.folder, help)
    chosen = set(speakers[: min(max(1, round(test_share * len(speakers))), len(speakers) - 1)])
    files = tuple(file for file in voice.files if (voice.speaker_of(file) in chosen) is test)
    return replace(voice, files=files)


@lru_cache(maxsize=512)
def _recording(path: Path, rate: int) -> Signal:
    signal, given = read_sound(path)
    if given != rate:
        common = gcd(given, rate)
        signal = resample_poly(signal, rate // common, given // common)
    return np.asarray(signal, dtype=np.float32)


def _activity(recording: Signal) -> Signal:
    """Which frames are loud enough to be speech; one frame at least."""
    frames = recording[: max(len(recording) // _FRAME, 1) * _FRAME]
    power = np.mean(np.resize(frames, (max(len(frames) // _FRAME, 1), _FRAME)).astype(float) ** 2, axis=1)
    loud: Signal = (power >= _ACTIVE_BELOW_LOUD * np.quantile(power, 0.95)).astype(float)
    return loud
