"""A full disk: every command that writes says where, exits with 4, and leaves nothing half-written."""

import hashlib
import json
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
import soundfile

from tracelab import commands
from tracelab.configuration import SCALES, StudyScale
from tracelab.detectors.recipes import DETECTORS
from tracelab.files import filled, write_sound, write_whole
from tracelab.probe.rows import PROBE_SCALES, ProbeScale
from tracelab.protocol import Protocol
from tracelab.stages import Stages, whole

TINY = StudyScale("smoke", Protocol(train_clips=10, test_clips=7), 0.05, 1, draws=50)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file may grow beyond this many bytes, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def tracelab(monkeypatch, capsys):
    """Run a command under a limit of file sizes; its exit code and what it printed."""

    def run(limit: int | None, *arguments: object) -> tuple[int, str]:
        monkeypatch.setitem(SCALES, "smoke", TINY)
        monkeypatch.setattr(sys, "argv", ["tracelab", *map(str, arguments)])
        with nullcontext() if limit is None else largest_file(limit), pytest.raises(SystemExit) as left:
            commands.run()  # loaded before the disk is full; `cli.main` loads it
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out + said.err

    return run


def files_of(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def refused(result: tuple[int, str], place: Path | str) -> None:
    code, said = result
    assert code == 4, said
    assert "Traceback" not in said
    lines = [line for line in said.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, said
    assert str(place) in lines[0], said
    assert "File too large" in lines[0] or "not all could be written" in lines[0], said


@pytest.mark.parametrize("limit", [0, 1000, 100_000])
def test_scenes_leaves_neither_a_cut_sound_nor_a_folder(tracelab, tmp_path, limit):
    out = tmp_path / "deep" / "scenes"
    refused(tracelab(limit, "scenes", "--scale", "smoke", "--workers", 1, "--out", out), out)
    assert not (tmp_path / "deep").exists()


def test_scenes_leaves_a_folder_of_the_user_as_it_was(tracelab, tmp_path):
    (tmp_path / "reference.tsv").write_text("mine")
    refused(tracelab(150_000, "scenes", "--scale", "smoke", "--workers", 1, "--out", tmp_path), tmp_path)
    assert files_of(tmp_path) == {"reference.tsv"}
    assert (tmp_path / "reference.tsv").read_text() == "mine"


@pytest.mark.parametrize("limit", [0, 100_000, 200_000])
def test_listen_writes_the_sound_and_the_page_or_neither(tracelab, tmp_path, limit):
    """The sound has 192,044 bytes; the page is larger, so the last limit refuses the page alone."""
    out = tmp_path / "out"
    result = tracelab(limit, "listen", "test-0002", "--scale", "smoke", "--out", out)
    refused(result, out)
    assert not out.exists()


def test_training_keeps_no_part_of_a_model(tracelab, tmp_path):
    out = tmp_path / "model"
    for name in ("logistic_features", "temporal_cnn"):
        refused(tracelab(500, "train", name, "--scale", "smoke", "--workers", 1, "--out", out), out)
        assert not out.exists()


def test_a_model_stays_as_it_was_when_the_next_does_not_fit_and_detect_leaves_nothing(tracelab, tmp_path):
    out = tmp_path / "model"
    arguments = ("train", "logistic_features", "--scale", "smoke", "--workers", 1, "--out", out)
    assert tracelab(None, *arguments)[0] == 0
    before = {name: (out / name).read_bytes() for name in files_of(out)}
    assert set(before) == {"model.json", "weights.pt"}
    refused(tracelab(500, *arguments), out)
    assert {name: (out / name).read_bytes() for name in files_of(out)} == before
    sound = tmp_path / "x.wav"
    write_sound(sound, np.zeros(8000 * 4, dtype=np.int16), 8000)
    refused(tracelab(1000, "detect", out, sound, "--out", tmp_path / "found"), tmp_path / "found")
    assert not (tmp_path / "found").exists()


def test_the_study_keeps_whole_stages_only(tracelab, tmp_path):
    out = tmp_path / "study"
    arguments = ("study", "--scale", "smoke", "--workers", 1, "--out", out)
    refused(tracelab(100_000, *arguments), out / "stages")
    assert "study.json" not in files_of(out)
    assert [place for place in (out / "stages").iterdir() if not whole(place)] == []


def test_a_fetched_file_is_not_taken_for_whole(tracelab, tmp_path):
    data = bytes(range(256)) * 2000
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "file").write_bytes(data)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "served"))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        place = tmp_path / "got" / "file"
        url, sha = f"http://127.0.0.1:{server.server_port}/file", hashlib.sha256(data).hexdigest()
        result = tracelab(100_000, "fetch", url, "--sha256", sha, "--size", len(data), "--out", place)
        server.shutdown()
        thread.join()
    refused(result, place.with_name("file.part"))
    assert not place.exists()
    kept = place.with_name("file.part").read_bytes()
    assert kept == data[: len(kept)], "what has arrived is a beginning, from which the same command goes on"


def test_a_stage_that_cannot_be_written_names_its_place_and_is_gone(tmp_path):
    stages = Stages(tmp_path)
    with largest_file(2000), pytest.raises(OSError, match="File too large") as error:
        stages.kept("arrays", {}, lambda folder: np.savez(folder / "a.npz", a=np.zeros(10_000)))
    assert error.value.filename == str(stages.place("arrays", {}))
    assert list(tmp_path.iterdir()) == []


def test_a_sound_is_written_as_it_is_read_back(tmp_path):
    samples = np.arange(-400, 400, dtype=np.int16)
    write_sound(tmp_path / "x.wav", samples, 8000)
    found, rate = soundfile.read(tmp_path / "x.wav", dtype="int16")
    assert (found.tolist(), rate) == (samples.tolist(), 8000)


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path):
    place = tmp_path / "x.json"
    write_whole(place, json.dumps("old"))
    with largest_file(3), pytest.raises(OSError, match="File too large") as error:
        write_whole(place, json.dumps("new and longer"))
    assert error.value.filename == str(place)
    assert place.read_text() == '"old"'
    assert files_of(tmp_path) == {"x.json"}


def test_the_file_that_vouches_for_the_others_comes_last(tmp_path, monkeypatch):
    moved = []
    monkeypatch.setattr("tracelab.files.os.replace", lambda source, place: moved.append(Path(place).name))
    with filled(tmp_path, last="b") as part:
        for name in ("a", "b", "c"):
            (part / name).write_text(name)
    assert moved == ["a", "c", "b"]


# The tracks on real sound and on outputs of others


def kept(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in files_of(folder)}


def no_part_is_left(out: Path) -> None:
    assert [path for path in out.rglob("*") if path.name.endswith(".part")] == []
    if (out / "stages").exists():
        assert [place for place in (out / "stages").iterdir() if not whole(place)] == []


def test_a_corrupted_sound_is_written_or_not(tracelab, tmp_path):
    sound, out = tmp_path / "x.wav", tmp_path / "deep" / "y.wav"
    write_sound(sound, np.arange(-4000, 4000, dtype=np.int16), 8000)
    arguments = ("robustness", "corrupt", sound, "--family", "clipping", "--severity", 3, "--out", out)
    for limit in (0, 5000):
        refused(tracelab(limit, *arguments), out)
        assert files_of(tmp_path) == {"x.wav"}


@pytest.mark.slow
def test_the_grid_over_the_scenes_keeps_whole_stages_and_cells_only(tracelab, tmp_path, monkeypatch):
    monkeypatch.setattr("tracelab.robustness.scene_grid.RECIPES", [one for one in DETECTORS if one.kind == "threshold"])
    out = tmp_path / "deep" / "grid"
    arguments = ("robustness", "scenes", "--scale", "smoke", "--workers", 1, "--out", out)
    refused(tracelab(0, *arguments), out)
    assert not (tmp_path / "deep").exists()
    for limit in (20_000, 500_000):
        refused(tracelab(limit, *arguments), out)
        assert "grid.json" not in files_of(out)
        no_part_is_left(out)
    assert tracelab(None, *arguments)[0] == 0
    before = kept(out)
    refused(tracelab(200, *arguments), out)
    no_part_is_left(out)
    assert kept(out) == before, "a finished grid is as it was"
    assert tracelab(None, "verify", out)[0] == 0


@pytest.mark.slow
def test_a_probe_keeps_whole_stages_and_whole_runs_only(tracelab, tmp_path, monkeypatch):
    tiny = ProbeScale("smoke", Protocol(train_clips=8, test_clips=7), Protocol(test_clips=7), 0.01, 20)
    monkeypatch.setitem(PROBE_SCALES, "smoke", tiny)
    out = tmp_path / "deep" / "probe"
    arguments = ("probe", "--scale", "smoke", "--workers", 1, "--encoder", "none", "--detector", "energy_gate")
    refused(tracelab(0, *arguments, "--out", out), out)
    assert not (tmp_path / "deep").exists()
    for limit in (10_000, 300_000):
        refused(tracelab(limit, *arguments, "--out", out), out)
        assert "probe.json" not in files_of(out)
        no_part_is_left(out)
    assert tracelab(None, *arguments, "--out", out)[0] == 0
    runs = kept(out / "runs")
    refused(tracelab(500, *arguments, "--out", out), out / "runs")
    no_part_is_left(out)
    assert kept(out / "runs") == runs
    assert not (out / "probe.json").exists(), "nothing vouches for what was not finished"
    assert tracelab(None, *arguments, "--out", out)[0] == 0
    assert tracelab(None, "verify", out)[0] == 0


def test_a_corpus_is_written_whole_or_not(tracelab, tmp_path):
    sample, out = tmp_path / "sample", tmp_path / "deep" / "out"
    for limit in (0, 100_000):
        refused(tracelab(limit, "corpus", "sample", "--recordings", 1, "--out", sample), sample)
        assert not sample.exists()
    assert tracelab(None, "corpus", "sample", "--recordings", 1, "--out", sample)[0] == 0
    arguments = ("corpus", "maestro", sample, "--labels-only", "--out", out)
    refused(tracelab(0, *arguments), out)
    assert not (tmp_path / "deep").exists()
    refused(tracelab(500, *arguments), "soft.csv")
    assert files_of(out) == {"settings.json"}
    refused(tracelab(4000, *arguments), out)
    assert "corpus.json" not in files_of(out)
    no_part_is_left(out)
    assert tracelab(None, *arguments)[0] == 0
    assert tracelab(None, "verify", out)[0] == 0


def test_the_scores_of_a_baseline_are_tabled_whole_or_not(tracelab, tmp_path):
    (tmp_path / "scores").mkdir()
    rows = [f"{k}\t{k + 1}\t{'0.9' if k in (1, 2) else '0.1'}" for k in range(4)]
    (tmp_path / "scores" / "x.tsv").write_text("\n".join(("onset\toffset\ta", *rows)) + "\n")
    (tmp_path / "ref.tsv").write_text("filename\tonset\toffset\tevent_label\nx.wav\t1\t3\ta\n")
    (tmp_path / "durations.tsv").write_text("filename\tduration\nx.wav\t4\n")
    out = tmp_path / "deep" / "out"
    sides = ("--ref", tmp_path / "ref.tsv", "--durations", tmp_path / "durations.tsv")
    for limit in (0, 500):
        refused(tracelab(limit, "corpus", "baseline", tmp_path / "scores", *sides, "--out", out), out)
        assert "corpus.json" not in (files_of(out) if out.exists() else set())
    assert tracelab(None, "corpus", "baseline", tmp_path / "scores", *sides, "--out", out)[0] == 0
