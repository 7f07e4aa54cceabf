"""Clips last as many seconds as the headers of their sound files have samples over the rate (rule 13.30)."""

import builtins
import wave
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.command import events, run, write
from hypothesis import given
from hypothesis import strategies as st

from tracepact import score
from tracepact.data.memory import AudioFolder, audio_durations
from tracepact.diagnostics.collection import Diagnostics

GATE = "contract gate step 20ms clause onset on ref_onset : ref_onset -> N[40ms] pred_onset"


def sound(path: Path, frames: int, rate: int = 44100, channels: int = 1) -> None:
    """A WAV file of silence."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(b"\0\0" * frames * channels)


def lengths(folder: Path, *clips: str) -> tuple[dict[str, Fraction], list[str]]:
    """The lengths of clips and the codes of what was said."""
    diagnostics = Diagnostics()
    return dict(audio_durations(AudioFolder(str(folder)), clips, diagnostics).clips), [d.code for d in diagnostics]


@given(
    frames=st.integers(1, 3000), rate=st.sampled_from([8000, 16000, 22050, 44100, 48000]), channels=st.integers(1, 3)
)
def test_a_length_is_samples_over_rate_exactly(
    frames: int, rate: int, channels: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("audio")
    sound(folder / "a.wav", frames, rate, channels)
    assert lengths(folder, "a.wav") == ({"a.wav": Fraction(frames, rate)}, [])


def test_a_file_is_found_by_path_then_without_extension_then_by_name(tmp_path: Path) -> None:
    for number, name in enumerate(("x/a.wav", "a.wav", "y/b.wav", "c.d.wav"), start=1):
        sound(tmp_path / name, number, 10)
    found, said = lengths(tmp_path, "x/a.wav", "x/a", "a.wav", "a", "b.wav", "b", "c.d", "x/a.flac", "b.mp3")
    assert said == []
    expected = {"x/a.wav": 1, "x/a": 1, "a.wav": 2, "a": 2, "b.wav": 3, "b": 3, "c.d": 4, "x/a.flac": 1, "b.mp3": 3}
    assert {clip: length * 10 for clip, length in found.items()} == expected


def test_a_clip_without_a_file_or_with_two_is_an_error(tmp_path: Path) -> None:
    for name in ("x/a.wav", "y/a.wav"):
        sound(tmp_path / name, 10)
    assert lengths(tmp_path, "a.wav", "z.wav") == ({}, ["ambiguous-clip", "unknown-duration"])
    assert lengths(tmp_path / "none", "a.wav") == ({}, ["unreadable-file"])


@pytest.mark.parametrize("data", [b"", b"RIFF", b"RIFF\0\0\0\0WAVEfmt ", b"no sound at all"])
def test_a_broken_sound_file_is_said(data: bytes, tmp_path: Path) -> None:
    pytest.importorskip("soundfile")
    (tmp_path / "a.wav").write_bytes(data)
    assert lengths(tmp_path, "a.wav") == ({}, ["unreadable-file"])


def test_a_header_that_promises_more_than_the_file_holds_is_said(tmp_path: Path) -> None:
    sound(tmp_path / "a.wav", 1000)
    (tmp_path / "a.wav").write_bytes((tmp_path / "a.wav").read_bytes()[:500])
    assert lengths(tmp_path, "a.wav") == ({}, ["unreadable-file"])


def test_a_file_without_samples_is_no_clip(tmp_path: Path) -> None:
    sound(tmp_path / "a.wav", 0)
    assert lengths(tmp_path, "a.wav") == ({}, ["bad-time"])


def test_flac_and_ogg_are_read_by_the_extra(tmp_path: Path) -> None:
    soundfile = pytest.importorskip("soundfile")
    for name in ("a.flac", "b.ogg", "c.wav"):
        subtype = "FLOAT" if name.endswith("wav") else None  # a WAV file that the standard library does not read
        soundfile.write(str(tmp_path / name), [0.0] * 4410, 44100, subtype=subtype)
    assert lengths(tmp_path, "a", "b.ogg", "c.wav") == (dict.fromkeys(("a", "b.ogg", "c.wav"), Fraction(1, 10)), [])


def test_without_the_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "soundfile":
            raise ModuleNotFoundError(name)
        return real(name, *rest, **more)

    (tmp_path / "a.flac").write_bytes(b"fLaC")
    sound(tmp_path / "b.wav", 44100)
    monkeypatch.setattr(builtins, "__import__", without)
    diagnostics = Diagnostics()
    found = audio_durations(AudioFolder(str(tmp_path)), ("a", "b"), diagnostics)
    assert found.clips == {"b": 1}
    assert [(d.code, d.help) for d in diagnostics] == [("missing-extra", "pip install 'tracepact[audio]'")]


def test_a_run_has_its_lengths_from_the_sound_files(tmp_path: Path) -> None:
    sound(tmp_path / "audio" / "a.wav", 441344)
    sound(tmp_path / "audio" / "spare.wav", 1)
    write(tmp_path, {"g.contract": GATE, "r.tsv": events("a.wav 1 2 dog"), "p.tsv": events("a.wav 1 2 dog")})
    found = score(GATE, tmp_path / "r.tsv", tmp_path / "p.tsv", durations=AudioFolder(str(tmp_path / "audio")))
    assert getattr(found.durations, "clips", None) == {"a.wav": Fraction(441344, 44100)}
    sides = ("--ref", "r.tsv", "--pred", "p.tsv", "--audio", "audio")
    outcome = run("score", "g.contract", *sides, "--out", "run", folder=tmp_path)
    assert outcome.code == 0
    assert run("verify", "run", folder=tmp_path).code == 0
    assert "110336/11025" in (tmp_path / "run" / "durations.tsv").read_text()
    late = run("lint-data", "--ref", "r.tsv", "--audio", "audio", "--durations", "1.5", folder=tmp_path)
    assert late.codes == ["offset-beyond-clip"]


def test_no_folder_is_a_wrong_use(tmp_path: Path) -> None:
    write(tmp_path, {"r.tsv": events("a 1 2 dog")})
    assert run("lint-data", "--ref", "r.tsv", "--audio", "none", folder=tmp_path).code == 2
