"""The commands of the lab: what they write, and what they refuse with a diagnostic and the right exit code."""

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
import soundfile
import torch

import tracepact
from tracelab import cli, commands
from tracelab.configuration import SCALES, StudyScale
from tracelab.files import fetch, write_sound
from tracelab.protocol import Protocol

TINY = StudyScale("smoke", Protocol(train_clips=10, test_clips=7), 0.05, 1, draws=50)


@pytest.fixture
def tracelab(monkeypatch, capsys):
    """Run a command; its exit code and what it printed."""

    def run(*arguments: object) -> tuple[int, str]:
        monkeypatch.setitem(SCALES, "smoke", TINY)
        monkeypatch.setitem(SCALES, "paper", replace(TINY, name="paper"))
        monkeypatch.setattr(sys, "argv", ["tracelab", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out + said.err

    return run


def test_scenes_prints_the_protocol_and_writes_clips_with_their_reference(tracelab, tmp_path):
    code, said = tracelab("scenes", "--scale", "smoke", "--workers", 1, "--out", tmp_path)
    assert code == 0
    assert "20260514" in said
    assert len(list(tmp_path.glob("*.wav"))) == 7
    samples, rate = soundfile.read(tmp_path / "test-0003.wav", dtype="int16")
    assert (len(samples), rate) == (96000, 8000)
    run = tracepact.score(
        "boundary_gate",
        tmp_path / "reference.tsv",
        tmp_path / "reference.tsv",
        durations=tracepact.AudioFolder(tmp_path),
    )
    assert set(run.vector.values()) == {1}


@pytest.mark.slow
def test_a_detector_is_trained_asked_and_shown(tracelab, tmp_path):
    code, said = tracelab("train", "logistic_features", "--scale", "smoke", "--workers", 1, "--out", tmp_path / "model")
    assert code == 0, said
    code, said = tracelab("listen", "test-0002", "--model", tmp_path / "model", "--out", tmp_path)
    assert code == 0, said
    page = (tmp_path / "test-0002.html").read_text()
    assert "logistic_features" in page
    assert 'src="test-0002.wav"' in page
    code, said = tracelab("detect", tmp_path / "model", tmp_path / "test-0002.wav", "--out", tmp_path / "found")
    assert code == 0, said
    found = tmp_path / "found"
    decoding = tracepact.Decoding(threshold="0.5")
    events, scores = (
        tracepact.score("boundary_gate", found / "events.tsv", pred, durations=found / "durations.tsv", decoding=how)
        for pred, how in ((found / "events.tsv", None), (found / "scores" / "test-0002.tsv", decoding))
    )
    assert [e for _, e in scores.prediction.events] == [e for _, e in events.prediction.events] != []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["listen", "test-9999"], "there is no clip `test-9999`"),
        (["study", "--scale", "smoke", "--out", "{full}"], "not empty"),
        (["study", "--scale", "smoke", "--speech", "{nowhere}", "--out", "{new}"], "does not exist"),
        (["study", "--scale", "smoke", "--speech", "{full}", "--out", "{new}"], "no recordings"),
        (["verify", "{full}"], "not a folder of results"),
        (["detect", "{full}", "{wav}", "--out", "{new}"], "the model cannot be read"),
        (["train", "no_such", "--out", "{new}"], "no_such"),
        (["fetch", "ftp://x/y", "--sha256", "0", "--size", "1", "--out", "{new}"], "not a web address"),
    ],
)
def test_bad_input_is_refused_with_a_diagnostic_and_nothing_is_written(tracelab, tmp_path, arguments, said):
    full = tmp_path / "full"
    full.mkdir()
    write_sound(tmp_path / "x.wav", np.zeros(800, dtype=np.int16), 8000)
    (full / "notes.txt").write_text("mine")
    places = {"full": full, "nowhere": tmp_path / "nowhere", "new": tmp_path / "new", "wav": tmp_path / "x.wav"}
    code, printed = tracelab(*(argument.format(**places) for argument in arguments))
    assert code == 2
    assert said in printed
    assert not (tmp_path / "new").exists()
    assert [path.name for path in full.iterdir()] == ["notes.txt"]


@pytest.mark.slow
def test_a_sound_at_another_rate_or_without_samples_is_refused(tracelab, tmp_path):
    assert tracelab("train", "logistic_features", "--scale", "smoke", "--workers", 1, "--out", tmp_path / "m")[0] == 0
    write_sound(tmp_path / "fast.wav", np.zeros(1600, dtype=np.int16), 16000)
    write_sound(tmp_path / "short.wav", np.zeros(20, dtype=np.int16), 8000)
    for name, said in [("fast.wav", "16000 Hz and not 8000 Hz"), ("short.wav", "shorter than a frame")]:
        code, printed = tracelab("detect", tmp_path / "m", tmp_path / name, "--out", tmp_path / "new")
        assert (code, said in printed) == (2, True), printed


def test_two_sounds_of_one_name_and_samples_that_are_no_numbers_are_refused(tracelab, tmp_path):
    assert tracelab("train", "logistic_features", "--scale", "smoke", "--workers", 1, "--out", tmp_path / "m")[0] == 0
    for name in ("a.wav", "b.wav"):
        write_sound(tmp_path / name, np.zeros(1600, dtype=np.int16), 8000)
    (tmp_path / "other").mkdir()
    write_sound(tmp_path / "other" / "a.wav", np.zeros(1600, dtype=np.int16), 8000)
    soundfile.write(tmp_path / "nan.wav", np.full(1600, np.nan), 8000, subtype="FLOAT")
    (tmp_path / "cut.wav").write_bytes((tmp_path / "a.wav").read_bytes()[:20])
    for sounds, said in [
        (["a.wav", "other/a.wav"], "two sounds are called `a`"),
        (["a.wav", "nan.wav"], "not a finite number"),
        (["a.wav", "cut.wav"], "cannot be read"),
    ]:
        places = [tmp_path / sound for sound in sounds]
        code, printed = tracelab("detect", tmp_path / "m", *places, "--out", tmp_path / "new")
        assert (code, said in printed) == (2, True), printed
        assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("stored", [b"no archive", [1, 2], {"key": "another"}, {}])
def test_a_checkpoint_that_is_damaged_or_of_another_training_is_refused(tracelab, tmp_path, stored):
    place = tmp_path / "checkpoint.pt"
    if isinstance(stored, bytes):
        place.write_bytes(stored)
    else:
        torch.save(stored, place)
    code, said = tracelab("train", "temporal_cnn", "--scale", "smoke", "--workers", 1, "--out", tmp_path)
    assert code == 2, said
    assert "checkpoint.pt" in said
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.pt"]


def test_settings_of_a_study_that_cannot_be_read_are_refused(tracelab, tmp_path):
    (tmp_path / "settings.json").write_text("{")
    code, said = tracelab("study", "--scale", "smoke", "--workers", 1, "--out", tmp_path)
    assert (code, "settings cannot be read" in said) == (2, True), said


def test_a_recording_that_cannot_be_read_is_named_by_every_command_that_speaks(tracelab, tmp_path):
    voice, out = tmp_path / "voice", tmp_path / "out"
    voice.mkdir()
    (voice / "broken.wav").write_bytes(b"RIFF")
    for arguments in [["scenes"], ["listen", "test-0002"], ["train", "adaptive_energy"], ["study"]]:
        workers = [] if "listen" in arguments else ["--workers", 1]
        code, said = tracelab(*arguments, "--scale", "smoke", "--speech", voice, *workers, "--out", out)
        assert (code, "broken.wav" in said) == (2, True), said
        assert arguments == ["study"] or not out.exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--help"], 0),
        (["-h"], 0),
        ([], 2),
        (["--version"], 0),
        (["study", "--scale", "smoke"], 2),
        (["study", "--help"], 2),
        (["fetch", "x", "y"], 2),
        (["nope"], 2),
    ],
)
def test_without_the_extra_help_is_shown_and_the_way_to_it_said(tracelab, monkeypatch, arguments, code):
    monkeypatch.setattr(cli, "find_spec", lambda name: None if name == "torch" else object())
    monkeypatch.setitem(sys.modules, "tracelab.commands", None)
    ended, said = tracelab(*arguments)
    assert ended == code, said
    assert "Traceback" not in said
    if arguments not in (["--version"], ["nope"]):
        assert "tracelab needs torch" in said
        assert "pip install 'tracepact[lab]'" in said
    if arguments in (["--help"], ["-h"], []):
        assert all(name in said for name in cli.OUTLINE)


WITHOUT = """
import sys
from importlib.machinery import PathFinder
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        extra = name.split(".")[0] in ("joblib", "scipy", "sklearn", "soundfile", "torch")
        return None if extra else PathFinder.find_spec(name, path, target)
sys.meta_path[sys.meta_path.index(PathFinder)] = Finder
sys.argv[0] = "tracelab"
from tracelab.cli import main
main()
"""


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), (["--version"], 0), (["study"], 2)])
def test_nothing_of_the_extra_is_loaded_before_it_is_missed(arguments, code):
    """In a process that finds none of it: the module of the way in itself must need nothing of it."""
    done = subprocess.run([sys.executable, "-c", WITHOUT, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    if arguments != ["--version"]:
        assert "tracelab needs joblib, scipy, sklearn, soundfile, torch" in done.stdout + done.stderr


def test_the_outline_says_of_every_command_what_its_help_says():
    first = {name: command.get_short_help_str(200) for name, command in commands.commands.commands.items()}
    assert first == cli.OUTLINE
    assert str(commands.commands.help).startswith(
        "A measurement study for boundary contracts: scenes, detectors, tables."
    )


def test_every_command_has_a_sentence_of_help(tracelab):
    code, said = tracelab("--help")
    assert code == 0
    assert all(name in said for name in commands.commands.commands)


class Ranges(SimpleHTTPRequestHandler):
    """Serves files, and the rest of one where that is asked for."""

    def do_GET(self) -> None:
        data = Path(self.directory, self.path.lstrip("/")).read_bytes()
        start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").rstrip("-"))
        self.send_response(206 if start else 200)
        self.end_headers()
        self.wfile.write(data[start:])

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server(tmp_path) -> Iterator[str]:
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "file").write_bytes(bytes(range(256)) * 2000)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Ranges, directory=str(tmp_path / "served"))) as found:
        thread = Thread(target=found.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{found.server_port}/file"
        found.shutdown()
        thread.join()


def test_a_file_is_fetched_resumed_and_kept_only_if_it_is_the_one_asked_for(server, tmp_path):
    data = bytes(range(256)) * 2000
    right = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    counted: list[int] = []
    assert fetch(server, tmp_path / "a", **right, on_bytes=counted.append).read_bytes() == data
    assert sum(counted) == len(data)
    (tmp_path / "b.part").write_bytes(data[:1000])
    assert fetch(server, tmp_path / "b", **right).read_bytes() == data
    assert not (tmp_path / "b.part").exists()
    for wrong, said in [
        ({"sha256": "0" * 64}, "SHA-256"),
        ({"size": 10}, "bytes and not 10"),
        ({"size": 10**7}, "of 10000000"),
    ]:
        with pytest.raises(tracepact.InvalidInput, match=said):
            fetch(server, tmp_path / "c", **(right | wrong))
        assert not (tmp_path / "c").exists()
        (tmp_path / "c.part").unlink(missing_ok=True)
    (tmp_path / "d").write_bytes(b"something else")
    with pytest.raises(tracepact.InvalidInput, match="bytes and not"):
        fetch(server, tmp_path / "d", **right)
    assert (tmp_path / "d").read_bytes() == b"something else"


def test_an_address_that_does_not_answer_keeps_what_has_arrived(tmp_path):
    (tmp_path / "a.part").write_bytes(b"half")
    with pytest.raises(tracepact.InvalidInput, match="cannot be reached"):
        fetch("http://127.0.0.1:9/file", tmp_path / "a", sha256="0" * 64, size=10)
    assert (tmp_path / "a.part").read_bytes() == b"half"
