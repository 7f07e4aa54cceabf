"""What is written where: nothing foreign is lost, permissions stay, a full disk or a lost race leaves nothing half."""

import csv
import errno
import os
import shutil
import stat
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from cli.command import events, run

from hostile.kills import conformance_result, prepare
from tracepact.files import table_rows, table_text, write_folder, write_whole
from tracepact.inputs import UnsafePlace, note_input, remembering_inputs

CONTRACT = "contract gate\nstep 20ms\nclause onset on ref_onset : ref_onset -> N[40ms] pred_onset\n"
SIDES = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "10")
SCORES = ("--ref", "clips.tsv", "--pred", "scores")
SYSTEMS = ("--system", "one=pred.tsv", "--system", "two=ref.tsv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A contract and tables."""
    for name, text in (
        ("gate.contract", CONTRACT),
        ("ref.tsv", events("a 1 2 x")),
        ("pred.tsv", events("a 1.1 2 x")),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands that write a single file need, made once."""
    home = tmp_path_factory.mktemp("made")
    prepare(home)
    (home / "gate.contract").write_text(CONTRACT, encoding="utf-8")
    (home / "clips.tsv").write_bytes((home / "clip.tsv").read_bytes())
    (home / "result.json").write_bytes(conformance_result())
    return home


@pytest.fixture
def outputs(made: Path, tmp_path: Path) -> Path:
    """A folder of its own with all of it."""
    return Path(shutil.copytree(made, tmp_path / "here"))


def left(folder: Path) -> list[str]:
    """The names in a folder."""
    return sorted(path.name for path in folder.iterdir())


def test_a_pipe_is_not_replaced_by_a_file(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    outcome = run("convert", "ref.tsv", "--to", "table", "--out", "pipe", folder=folder)
    assert (outcome.code, outcome.codes) == (2, ["unsafe-place"])
    assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)


def test_an_input_is_not_written_over_by_any_of_its_names(folder: Path) -> None:
    os.link(folder / "ref.tsv", folder / "hard.tsv")
    (folder / "soft.tsv").symlink_to("ref.tsv")
    before = (folder / "ref.tsv").read_bytes()
    for place in ("ref.tsv", "hard.tsv", "soft.tsv"):
        outcome = run("convert", "ref.tsv", "--to", "table", "--out", place, folder=folder)
        assert (outcome.code, outcome.codes) == (2, ["unsafe-place"]), outcome.err
        assert (folder / "ref.tsv").read_bytes() == before
    assert run("convert", "ref.tsv", "--to", "table", "--out", "pred.tsv", folder=folder).code == 0


def test_a_run_directory_that_holds_an_input_is_not_replaced(folder: Path) -> None:
    assert run("score", "gate.contract", *SIDES, "--out", "run", folder=folder).code == 0
    sides = ("--ref", "run/reference.tsv", "--pred", "pred.tsv", "--durations", "10")
    outcome = run("score", "gate.contract", *sides, "--out", "run", folder=folder)
    assert (outcome.code, outcome.codes) == (2, ["unsafe-place"])
    assert "it holds the input reference.tsv, which is never written over" in outcome.err
    assert run("verify", "run", folder=folder).code == 0


def test_a_changed_byte_of_the_page_is_noticed(folder: Path) -> None:
    assert run("score", "gate.contract", *SIDES, "--out", "run", folder=folder).code == 0
    assert run("report", "run", "--out", "run", folder=folder).code == 0
    assert run("verify", "--complete", "--originals", ".", "run", folder=folder).code == 0
    (folder / "run" / "report.html").write_text("forged", encoding="utf-8")
    outcome = run("verify", "--complete", "--originals", ".", "run", folder=folder)
    assert outcome.code == 1
    assert "report.html" in outcome.out


def test_a_page_that_nobody_listed_is_named(folder: Path) -> None:
    assert run("score", "gate.contract", *SIDES, "--out", "run", folder=folder).code == 0
    (folder / "run" / "report.html").write_text("forged", encoding="utf-8")
    assert "not in the manifest: report.html" in run("verify", "run", folder=folder).out
    assert run("verify", "run", folder=folder).code == 0, "what is listed is as it was"
    strict = run("verify", "--complete", "--originals", ".", "run", folder=folder)
    assert strict.code == 1
    assert "drifted (--complete): 1 file that the manifest does not list" in strict.out


@pytest.mark.parametrize(
    "command",
    [
        ("report", "run", "--out", "mine"),
        ("try", "gate.contract", "--out", "mine"),
        ("select", "boundary_gate", "--out", "mine"),
    ],
)
def test_a_folder_with_files_of_others_is_refused_and_left_alone(command: tuple[str, ...], folder: Path) -> None:
    assert run("score", "gate.contract", *SIDES, "--out", "run", folder=folder).code == 0
    (folder / "mine").mkdir()
    (folder / "mine" / "report.html").write_text("mine", encoding="utf-8")
    outcome = run(*command, folder=folder)
    assert (outcome.code, outcome.codes) == (2, ["unsafe-place"])
    assert left(folder / "mine") == ["report.html"]


def test_a_report_is_written_again_and_other_forms_stay(folder: Path) -> None:
    assert run("score", "gate.contract", *SIDES, "--out", "run", folder=folder).code == 0
    for form in ("html", "text", "html"):
        assert run("report", "run", "--format", form, "--out", "out", folder=folder).code == 0
    assert left(folder / "out") == [".tracepact.json", "report.html", "report.txt"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_fmt_keeps_permissions_and_links(mode: int, folder: Path) -> None:
    (folder / "gate.contract").write_text(CONTRACT.replace("clause", "clause  "), encoding="utf-8")
    (folder / "gate.contract").chmod(mode)
    (folder / "link.contract").symlink_to("gate.contract")
    assert run("fmt", "link.contract", folder=folder).code == 0
    assert (folder / "link.contract").is_symlink()
    assert (folder / "gate.contract").read_text(encoding="utf-8") == CONTRACT
    assert stat.S_IMODE((folder / "gate.contract").stat().st_mode) == mode


@pytest.mark.parametrize(
    "command",
    [
        ("score", "gate.contract", *SIDES, "--out", "run"),
        ("fmt", "gate.contract"),
        ("convert", "ref.tsv", "--to", "audacity", "--out", "out"),
    ],
)
def test_a_full_disk_is_told_and_nothing_is_lost(
    command: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "gate.contract").write_text(CONTRACT.replace("clause", "clause  "), encoding="utf-8")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    outcome = run(*command, folder=folder)
    assert outcome.code == 4
    assert "No space left on device" in outcome.err
    assert "Traceback" not in outcome.err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_part_is_never_written_through_a_link_that_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tracepact.files._hidden_name", lambda: ".waiting")
    (tmp_path / "precious").write_text("mine", encoding="utf-8")
    (tmp_path / ".waiting").symlink_to("precious")
    with pytest.raises(OSError, match="exists"):
        write_whole({tmp_path / "out": "new"})
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "out").exists()


def test_of_two_writers_of_a_new_folder_one_wins_whole_and_the_other_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = os.rename

    def late(source: Path, place: Path) -> None:
        monkeypatch.setattr(os, "rename", kept)
        write_folder(tmp_path / "out", {"a": b"theirs", "b": b"theirs"})
        kept(source, place)

    monkeypatch.setattr(os, "rename", late)
    with pytest.raises(UnsafePlace, match="meanwhile"):
        write_folder(tmp_path / "out", {"a": b"ours", "b": b"ours"})
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == {"a": b"theirs", "b": b"theirs"}
    assert left(tmp_path) == ["out"]


@pytest.mark.slow
def test_concurrent_runs_into_one_directory_leave_one_whole_run(folder: Path) -> None:
    command = [sys.executable, "-m", "tracepact", "score", "gate.contract", *SIDES, "--out", "run"]
    started = [subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    ends = {process.wait() for process in started}
    for process in started:
        process.communicate()
    assert 0 in ends
    assert ends <= {0, 2}
    assert run("verify", "run", folder=folder).code == 0
    assert [name for name in left(folder) if name.endswith(".part")] == []


def test_only_what_a_command_has_read_is_protected(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a", encoding="utf-8")
    write_whole({tmp_path / "a": "b"})
    with remembering_inputs():
        write_whole({tmp_path / "a": "c"})
        note_input(tmp_path / "a")
        with pytest.raises(UnsafePlace, match="input"):
            write_whole({tmp_path / "a": "d"})
        write_whole({tmp_path / "a": "e"}, in_place=True)
    assert (tmp_path / "a").read_text(encoding="utf-8") == "e"


FIELDS = [
    "=1+1",
    "'=1",
    "''@x",
    "-1",
    "-x",
    "+3.5e4",
    "+",
    "@",
    "'",
    "''",
    "\tx",
    "\rx",
    "'\t",
    "1/2",
    "-1/2",
    "a=b",
    "",
    "x",
    '"=',
    "-",
]


def test_headers_that_are_formulas_are_written_as_texts_too() -> None:
    columns = ["case", "=1+1", "'@x"]
    text = table_text(columns, [["a", "1/2", "1"]], ",")
    assert text.splitlines()[0] == "case,'=1+1,''@x"
    assert [row for _, row in table_rows(text, columns, ",")] == [["a", "1/2", "1"]]
    assert table_text(None, [["=a", "1"]], ",") == "'=a,1\n"


def test_formulas_of_spreadsheets_are_written_as_texts_and_read_back_exactly() -> None:
    text = table_text(["field", "again"], [[field, field] for field in FIELDS], ",")
    assert [row for _, row in table_rows(text, ["field", "again"], ",")] == [[field, field] for field in FIELDS]
    cells = [row[0] for row in csv.reader(StringIO(text, newline=""))][1:]
    assert not any(cell.startswith(("=", "@", "+", "\t", "\r")) and cell != "+3.5e4" for cell in cells)
    assert "-x" not in cells
    assert "-1" in cells, "a number stays a number"


FILES = {
    "--csv of an audit": ("audit", "matcher", "run", "--csv", "place"),
    "--figure of an audit": ("audit", "matcher", "run", "--figure", "place.svg"),
    "--confusion": ("audit", "union-gap", "run", "--confusion", "place.svg"),
    "--csv of compare": ("compare", "run", "run", "--csv", "place"),
    "--out of a table": ("convert", "ref.tsv", "--to", "table", "--out", "place"),
    "--out of arrays": ("convert", "scores", "--to", "npz", "--out", "place"),
    "--out of Parquet": ("convert", "scores", "--to", "parquet", "--out", "place"),
    "--out of tune": ("tune", "gate.contract", *SCORES, "--objective", "mean", "--folds", "2", "--out", "place.toml"),
    "--junit": ("conform", "--examples", "0", "--junit", "place", "--", "false"),
    "--badge": ("conform", "--examples", "0", "--badge", "place", "--", "false"),
    "--out of conformance": ("conformance", "result.json", "--out", "place"),
    "--save": ("watch", "gate.contract", "--save", "place"),
    "--vector": ("certify", "gate.contract", *SIDES, "--vector", "place"),
    "--out of calibrate": ("calibrate", "--ref", "ref.tsv", "--out", "place"),
    "--out of judge": ("judge", "--ref", "ref.tsv", *SYSTEMS, "--durations", "10", "--out", "place"),
    "new": ("new", "place"),
}
FOREIGN = {"notes": b"dear diary,\nnothing\n", "a sound": b"RIFF\x24\0\0\0WAVEfmt ", "a page": b"<p>mine, all</p>\n"}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("command", FILES.values(), ids=FILES)
def test_a_file_of_another_kind_is_refused_and_stays(command: tuple[str, ...], content: bytes, outputs: Path) -> None:
    if content.startswith(b"dear") and "--csv" in command:
        content = content.replace(b",", b"")  # a line with a comma could be a row
    place = next((word for word in command if word.startswith("place")), "")
    place = "place.contract" if command[0] == "new" else place
    (outputs / place).write_bytes(content)
    outcome = run(*command, folder=outputs)
    assert outcome.code == 2, outcome.err
    assert place in outcome.err
    assert (outputs / place).read_bytes() == content


AGAIN = [name for name in FILES if name not in ("--junit", "--badge", "--vector", "--out of calibrate", "new")]


@pytest.mark.parametrize("name", [name for name in AGAIN if name != "--out of judge"])
def test_a_file_of_its_own_kind_is_written_again(name: str, outputs: Path) -> None:
    place = next(outputs / word for word in FILES[name] if word.startswith("place"))
    place.write_bytes(b"")
    ends_with = 1 if name == "--out of conformance" else 0  # the result is of a program that does not conform
    assert run(*FILES[name], folder=outputs).code == ends_with, "an empty file holds nothing"
    first = place.read_bytes()
    assert first
    assert run(*FILES[name], folder=outputs).code == ends_with
    assert place.read_bytes() == first or name == "--out of arrays", "archives hold the time of day"
