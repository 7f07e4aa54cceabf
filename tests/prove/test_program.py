"""The compiled core: it answers what it claims, by the proven definitions, and ends for no input."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracepact.conform import lean_engine
from tracepact.conform.conformance import conform
from tracepact.prove import build as builds
from tracepact.prove.build import Build, Program, ProgramFault, compile_program, find_program
from tracepact.prove.requests import LeanProcess
from tracepact.prove.scan import LIBRARY, STATEMENTS, Around, scan
from tracepact.prove.theory import PROJECT, Theory, equation

FRAME = "set_option autoImplicit false\nnamespace Tracepact\n{}\nend Tracepact\n"


@pytest.fixture
def process(compiled: Program) -> Iterator[LeanProcess]:
    with LeanProcess(compiled) as running:
        yield running


@pytest.mark.slow
def test_the_compiled_core_gives_every_vector_of_the_profiles_it_claims(compiled: Program) -> None:
    outcome = conform([sys.executable, "-m", "tracepact", "oracle", "--evaluator", "lean"], examples=0, timeout=60)
    assert [finding.words for finding in outcome.findings] == []
    assert {profile.value for profile in outcome.profiles} == {"core", "past", "events", "streaming", "chunks"}
    assert sum(tally.passed for tally in outcome.vectors.values()) > 1000
    assert set(outcome.reasons) <= {
        *lean_engine.LEAN.left_out.values(),
        "the core checks optimal matchings and does not find them",
        "the core has no ignored frames for event clauses",
    }


@pytest.mark.slow
@given(st.lists(st.integers(0, 20) | st.integers(0, 1 << 70), max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_numbers_are_answered(compiled: Program, numbers: list[int]) -> None:
    process = _shared(compiled)
    process.ask(numbers)
    assert process.ask([3, 9, 5, 0, 0, 0, 1]) == [0, 5, 0]


_RUNNING: list[LeanProcess] = []


def _shared(compiled: Program) -> LeanProcess:
    if not _RUNNING:
        _RUNNING.append(LeanProcess(compiled))
    return _RUNNING[0]


@pytest.mark.slow
@pytest.mark.parametrize("line", ["", " ", "0  1", "g", "0 1 ", "-1", "0x1", "A", "1" * 100_000, "é"])
def test_a_line_that_is_no_request_is_answered(process: LeanProcess, line: str) -> None:
    assert process._process.stdin is not None
    assert process._process.stdout is not None
    process._process.stdin.buffer.write(line.encode() + b"\n")  # type: ignore[attr-defined]
    process._process.stdin.flush()
    assert process._process.stdout.readline() == "1\n"
    assert process.ask([3, 9, 5, 0, 0, 0, 1]) == [0, 5, 0]


@pytest.mark.slow
def test_more_numbers_than_it_takes_are_answered(process: LeanProcess) -> None:
    assert process.ask([0] * ((1 << 20) + 1)) is None
    assert process.ask([0, 4, (1 << 20) - 3, *[0] * ((1 << 20) - 3)]) is None
    # The deepest formula that a request can hold: not of not of not.
    assert process.ask([0, 4, 1, 1, 1, *[2] * 500_000, 0, 0]) == [1, 1]


@pytest.mark.slow
def test_a_count_that_no_memory_holds_is_refused(process: LeanProcess) -> None:
    # Frames, a reach, a duration and an event's end that would be a mask of 2^60 bits.
    for request in (
        [0, 1 << 60, 1, 0, 1, 0, 0],
        [0, 5, 1, 0, 1, 9, 1 << 60, 0, 0, 0, 0],
        [10, 0, 1, 1 << 60, 0],
        [13, 1, 0, 0, 0, 1, 0, 0, 5, 1, 0, 1 << 60, 0],
    ):
        assert process.ask(request) is None


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_stays_flat(process: LeanProcess) -> None:
    def resident() -> int:
        status = Path(f"/proc/{process._process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])

    # Masks of 4,000 frames, so that a mask that is not freed is seen.
    request = [0, 4000, 1, (1 << 4000) - 5, 2, 7, 1, 40, 0, 40, 0, 0, 10, 30, 2, 0, 0, 0, 0]
    for _ in range(200):
        process.ask(request)
    before = resident()
    for _ in range(2000):
        process.ask(request)
    assert resident() - before < 2000


@pytest.mark.slow
def test_without_a_compiler_there_is_a_word(core: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builds, "_COMPILERS", ("no-such-compiler",))
    with pytest.raises(ProgramFault, match="no C compiler was found"):
        compile_program(core)


@pytest.mark.slow
def test_a_program_that_was_changed_is_not_used(compiled: Program, cache_of_program: Path) -> None:
    before = compiled.path.read_bytes()
    # Beside it and then in its place: a program that runs cannot be written into.
    changed = compiled.path.with_name("changed")
    try:
        changed.write_bytes(before + b"\0")
        changed.replace(compiled.path)
        assert find_program() is None
    finally:
        changed.write_bytes(before)
        changed.chmod(0o700)
        changed.replace(compiled.path)
    assert find_program() is not None


# What stands in for a definition in the program.


def library_faults(text: str) -> list[str]:
    return scan(FRAME.format(text), LIBRARY, Around()).faults


def test_a_definition_may_say_how_it_is_compiled() -> None:
    assert library_faults("@[implemented_by g]\ndef f (x : Nat) : Nat := x") == []
    assert library_faults("@[macro_inline]\ndef f (x : Nat) : Nat := x") == []


@pytest.mark.parametrize(
    "text",
    [
        "@[implemented_by g]\ntheorem f : True := True.intro",
        "@[simp]\ndef f (x : Nat) : Nat := x",
        '@[extern "g"]\ndef f (x : Nat) : Nat := x',
        "@[implemented_by g, macro_inline]\ndef f (x : Nat) : Nat := x",
        "@[implemented_by g] def f (x : Nat) : Nat := x",
        "attribute [implemented_by g] f",
        "unsafe def f (x : Nat) : Nat := x",
    ],
)
def test_nothing_else_is_said_about_compiling(text: str) -> None:
    assert library_faults(text)


def test_a_certificate_says_nothing_about_compiling() -> None:
    text = FRAME.format("@[implemented_by g]\nexample : True := True.intro")
    assert scan(text, STATEMENTS, Around()).faults


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("(x : A) (y : B → C) : Eq (f x y) (g x y) := h x y", ("f", "g")),
        ("(x : A) (y : B) : Eq (f x y) (g y x) := h x y", None),
        ("(x : A) (y : B) : Eq (f x x) (g x x) := h x", None),
        ("(x : A) (h : False) : Eq (f x) (g x) := h.elim", None),
        ("(x : A) : p → Eq (f x) (g x) := h", None),
        ("(f : A → B) (x : A) : Eq (f x) (g x) := h", None),
        ("(x : A) : Eq (f x) (g x) → True := h", None),
        ("(Eq : A) (x : A) : Eq (f Eq x) (g Eq x) := h", None),
        (": Eq (f 0) (g 0) := rfl", None),
    ],
)
def test_only_an_equation_at_all_arguments_counts(statement: str, names: tuple[str, str] | None) -> None:
    texts = statement.replace("(", " ( ").replace(")", " ) ").replace(".", " . ").split()
    assert equation(["example", *texts]) == names


def test_a_twin_without_a_statement_is_refused(theory: Theory, tmp_path: Path) -> None:
    shutil.copytree(theory.sources, tmp_path / "lean")
    for name in PROJECT:
        shutil.copy2(theory.root / name, tmp_path / name)
    path = tmp_path / "lean" / "Tracepact" / "Statements.lean"
    statement = "example (d : Nat) (l : List Nat) : Eq (fold d l) (foldRun d l) := fold_compiled d l\n"
    text = path.read_text("utf-8")
    assert statement in text
    path.write_text(text.replace(statement, ""), "utf-8")
    (fault,) = Theory(tmp_path).faults()
    assert fault == "fold is compiled as foldRun, and no statement says that the two are equal"
