"""A name out of a stranger's file begins no line of its own in what is said, whatever sign of a line break it has."""

import json
from pathlib import Path

import pytest
from cli.command import run

from hostile.doors import stored
from hostile.forging import sign
from hostile.harness import put
from hostile.naming import tracelab
from tracepact.wording import on_one_line

FORGED = "error[forged]: all is well"
BREAKS = ("\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\u2028", "\u2029")
"""What `str.splitlines` takes for the end of a line."""
HEADER = "filename\tonset\toffset\tevent_label\n"


def forged_lines(said: str) -> list[str]:
    """The lines that only look like ours, as anything that splits lines sees them."""
    return [line for line in said.splitlines() if line.startswith(("error[forged]", "all is well"))]


@pytest.mark.parametrize("sign_of_a_break", BREAKS)
def test_no_name_in_a_table_begins_a_line(sign_of_a_break: str, tmp_path: Path) -> None:
    name = f"a{sign_of_a_break}{FORGED}"
    rows = f'"{name}"\t1\t2\tx\nb\t1\t2\t"{name}"\n'
    put(tmp_path, {"ref.tsv": (HEADER + "b\t1\t2\tx\n").encode(), "pred.tsv": (HEADER + rows).encode()})
    sides = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "5")
    for command in (("score", "boundary_gate", *sides), ("lint-data", *sides[:4]), ("metrics", *sides)):
        outcome = run(*command, folder=tmp_path)
        assert "forged" in outcome.err, "it is named"
        assert forged_lines(outcome.out + outcome.err) == [], outcome.err


@pytest.mark.parametrize("sign_of_a_break", BREAKS)
def test_no_name_of_a_file_begins_a_line(sign_of_a_break: str, tmp_path: Path) -> None:
    put(tmp_path, {f"d/a{sign_of_a_break}{FORGED}.tsv": b"onset\toffset\tevent_label\nx\ty\tz\n"})
    outcome = run("metrics", "--ref", "d", "--pred", "d", "--durations", "5", folder=tmp_path)
    assert outcome.code == 2
    assert "forged" in outcome.err
    assert forged_lines(outcome.err) == [], outcome.err


@pytest.mark.parametrize("sign_of_a_break", BREAKS[1:])
def test_no_line_of_a_contract_is_shown_as_two(sign_of_a_break: str, tmp_path: Path) -> None:
    text = f'contract c "a{sign_of_a_break}{FORGED}" more\nstep 20ms\n'
    (tmp_path / "c.contract").write_text(text, encoding="utf-8", newline="")
    outcome = run("check", "c.contract", folder=tmp_path)
    assert outcome.code == 2
    assert forged_lines(outcome.out + outcome.err) == [], outcome.out


@pytest.mark.parametrize("sign_of_a_break", BREAKS)
def test_no_name_in_a_manifest_begins_a_line(sign_of_a_break: str, tmp_path: Path) -> None:
    files = dict(stored("run"))
    manifest = json.loads(files["manifest.json"])
    for item in (*manifest["inputs"], *manifest["tables"]):
        item["name"] = f"a{sign_of_a_break}{FORGED}"
    files["manifest.json"] = json.dumps(manifest).encode()
    sign(files)
    put(tmp_path, {f"run/{name}": content for name, content in files.items()})
    put(tmp_path, {f"run/b{sign_of_a_break}{FORGED}": b"not in the manifest"})
    for more in ((), ("--originals", ".")):
        outcome = run("verify", "run", *more, folder=tmp_path)
        assert outcome.out.count("forged") >= 3
        assert forged_lines(outcome.out + outcome.err) == [], outcome.out


@pytest.mark.slow
@pytest.mark.parametrize("sign_of_a_break", ["\n", "\x85", "\x1b[2K\r"])
def test_no_name_in_a_record_of_the_lab_begins_a_line(sign_of_a_break: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    record = {"table_sha256": "", "speech": "", "files": {f"a{sign_of_a_break}{FORGED}": "0" * 64}}
    (tmp_path / "grid.json").write_text(json.dumps(record), encoding="utf-8")
    code, said = tracelab("verify", str(tmp_path))
    assert code == 1
    assert "forged" in said
    assert forged_lines(said) == [], said
    assert "\x1b" not in said


def test_line_breaks_are_escapes_where_a_line_is_one() -> None:
    assert on_one_line("a\r\nb\rc\td") == "a\\r\\nb\\rc\td"
