"""What is printed of input that is not taken: warnings first, errors last, their numbers at the end; ways out."""

from pathlib import Path

from cli.command import events, run, write

REF = events(*(f"a {i} {i + 1} x" for i in (1, 3)), "b 1 2 y")
DATA = ("score", "boundary_gate", "--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "10")


def test_errors_come_last_and_are_counted(tmp_path: Path) -> None:
    late = [f"a {20 + i} {21 + i} x" for i in range(7)]
    write(tmp_path, {"ref.tsv": REF, "pred.tsv": events("a 3 2 x", "b nan 2 y", *late)})
    found = run(*DATA, folder=tmp_path)
    assert found.code == 2
    assert found.codes[-2:] == ["bad-time", "offset-before-onset"]
    assert found.err.splitlines()[-1] == "2 errors, 7 warnings; nothing was scored"
    assert found.err.count("= help:") == 2


def test_every_file_keeps_its_own_first_warnings(tmp_path: Path) -> None:
    many = [f"a {i / 10} {20 + i} x" for i in range(40)]
    write(tmp_path, {"ref.tsv": events(*many), "pred.tsv": events(*many[:8])})
    found = run(*DATA, "--full", folder=tmp_path)
    beyond = [place.split(":")[0] for code, place in found.places if code == "offset-beyond-clip"]
    assert beyond.count("ref.tsv") == beyond.count("pred.tsv") == 5
    assert "and 35 more in ref.tsv" in found.err
    assert "and 3 more in pred.tsv" in found.err


def test_clips_are_named_and_a_slip_of_the_pen_is_offered(tmp_path: Path) -> None:
    write(tmp_path, {"ref.tsv": REF, "pred.tsv": events("a 1 2 x", *(f"c{i} 1 2 x" for i in range(7)))})
    named = run(*DATA, "--clips", "reference", "--full", folder=tmp_path)
    assert "`c0`" in named.err
    assert "`c4`" in named.err
    assert "`c5`" not in named.err
    assert "did you mean `reference`?" in run(*DATA, "--clips", "refrence", folder=tmp_path).err
    assert "write 0.2" in run(*DATA, "--share", "20", folder=tmp_path).err
