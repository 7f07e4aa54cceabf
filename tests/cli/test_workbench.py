"""Around the commands: their groups, standard input, folders, the short form of a score, completion, hooks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from cli.command import events, run, write

import tracepact
from tracepact import cli, starter_contracts
from tracepact.diagnostics import CODES
from tracepact.tools.score.tally import LISTED_DIAGNOSTICS

ROOT = Path(__file__).parents[2]
FAULTY = "contract faulty\nstep 20ms\nclause a on ref_onest : pred_onset\n"
TABLES = {"ref.tsv": events("a 1 2 x"), "pred.tsv": events("a 1.2 2 x")}
SCORED = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "4")


def completed(line: str) -> set[str]:
    """What a shell would offer for the last word of a line."""
    words = line.split(" ")
    environment = {**os.environ, "PYTHONPATH": str(Path(tracepact.__file__).parents[1])}
    environment |= {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), "_TRACEPACT_COMPLETE": "bash_complete"}
    code = "import sys; sys.argv = ['tracepact']; from tracepact.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    return {found.partition(",")[2] for found in done.stdout.split()}


def test_every_command_is_in_one_group_of_the_help() -> None:
    grouped = [name for names in cli._SECTIONS.values() for name in names]
    assert sorted(grouped) == sorted(cli._COMMANDS)
    shown = run("--help").out
    assert [title for title in cli._SECTIONS if f"\n{title}:\n" not in shown] == []


def test_the_package_runs_as_a_module() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(tracepact.__file__).parents[1])}
    command = [sys.executable, "-m", "tracepact", "show", "boundary_gate"]
    done = subprocess.run(command, capture_output=True, check=True, env=environment)
    assert done.stdout == starter_contracts()["boundary_gate"].read_bytes()


@pytest.mark.parametrize(
    "command",
    [
        ("check", "-"),
        ("explain", "-"),
        ("try", "-", "--format", "json"),
        ("export", "-", "--to", "rtamt"),
        ("score", "-", *SCORED, "--format", "csv"),
        ("check", "boundary_gate", "--against", "-"),
        ("audit", "matcher", "-", "--format", "json"),
    ],
    ids=" ".join,
)
def test_a_contract_can_come_from_standard_input(command: tuple[str, ...], tmp_path: Path) -> None:
    write(tmp_path, TABLES)
    text = starter_contracts()["boundary_gate"].read_bytes()
    piped = run(*command, folder=tmp_path, stdin=text)
    named = run(*("boundary_gate" if word == "-" else word for word in command), folder=tmp_path)
    assert piped.code == named.code == 0
    assert piped.out.replace("<stdin>: ok", "boundary_gate: ok") == named.out
    wrong = run(*command, folder=tmp_path, stdin=FAULTY.encode())
    assert (wrong.code, wrong.places) == (2, [("unknown-atom", "<stdin>:3:13")])


def test_frames_and_a_contract_cannot_both_come_from_standard_input() -> None:
    assert run("watch", "-").code == 2


def test_a_folder_stands_for_the_contracts_below_it(tmp_path: Path) -> None:
    write(tmp_path, {"b.contract": FAULTY, "a.txt": FAULTY})
    (tmp_path / "inner").mkdir()
    write(tmp_path / "inner", {"good.contract": starter_contracts()["boundary_gate"].read_bytes()})
    done = run("check", str(tmp_path))
    assert done.code == 2
    assert [line for line in done.out.splitlines() if line.endswith(("ok", "1 error"))] == [
        f"{tmp_path}/b.contract: 1 error",
        f"{tmp_path}/inner/good.contract: ok",
    ]
    assert run("fmt", "--check", str(tmp_path / "inner")).code == 0
    (tmp_path / "empty").mkdir()
    assert run("check", str(tmp_path / "empty")).code == 2


@pytest.mark.parametrize("batches", [(), ("--memory", "1GB")], ids=["at once", "in batches"])
def test_warnings_about_a_known_reference_are_counted_and_others_listed(
    tmp_path: Path, batches: tuple[str, ...]
) -> None:
    write(tmp_path, TABLES)
    twice = "filename\tonset\toffset\tevent_label\na\t1\t2\tx\na\t1\t2\tx\n"
    write(tmp_path, {"twice.tsv": twice})
    both = ("score", "boundary_gate", "--ref", "twice.tsv", "--pred", "twice.tsv", "--durations", "4")
    other = ("score", "boundary_gate", "--ref", "twice.tsv", *SCORED[2:], *batches)
    first, again = (run(*other, *more, folder=tmp_path) for more in ((), ("--ref-known",)))
    assert first.code == again.code == 0
    assert "twice.tsv" in first.err
    assert "twice.tsv" not in again.err
    assert "1 warning about the reference" in again.err
    assert first.out == again.out
    assert "about the reference" in run(*both, *batches, "--ref-known", folder=tmp_path).err


def test_warnings_that_a_run_in_batches_does_not_keep_are_counted(tmp_path: Path) -> None:
    write(tmp_path, TABLES)
    write(tmp_path, {"often.tsv": "filename\tonset\toffset\tevent_label\n" + "a\t1\t2\tx\n" * (LISTED_DIAGNOSTICS + 8)})
    scored = ("score", "boundary_gate", "--ref", "often.tsv", *SCORED[2:], "--memory", "1GB")
    done = run(*scored, folder=tmp_path)
    assert f"… and {LISTED_DIAGNOSTICS - 5:,} more in often.tsv" in done.err
    assert "\n7 more of `duplicate-row`" in done.err
    assert "\n7 more of `duplicate-row`" in run(*scored, "--ref-known", folder=tmp_path).err


def test_a_brief_score_is_the_vector_the_profiles_and_a_line_for_each_violated_clause(tmp_path: Path) -> None:
    write(tmp_path, TABLES)
    lines = run("score", "boundary_gate", *SCORED, "--brief", folder=tmp_path).out.splitlines()
    vector = tracepact.score("boundary_gate", [(1, 2, "x")], [("1.2", 2, "x")], durations=4).vector
    profile = f"profile support_recall: {float(vector['missing_guard']):.3f}"
    violated = [name for name, value in vector.items() if value < 1]
    assert all(name in lines[0] for name in vector)
    assert lines[1] == profile
    assert [line.split(":")[0] for line in lines[2:]] == violated
    assert "onset_guard: 1 violation, worst at a, x, 1 s: nearest 0.2 s later" in lines
    assert run("score", "boundary_gate", *SCORED, "--brief", "--json", folder=tmp_path).code == 2
    write(tmp_path, {"none.tsv": "filename\tonset\toffset\tevent_label\n"})
    silent = run(
        "score", "boundary_gate", "--ref", "none.tsv", "--pred", "none.tsv", "--brief", *SCORED[4:], folder=tmp_path
    )
    assert "profile support_recall: ∅ 1.000" in silent.out.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("tracepact ex", {"explain", "export"}),
        ("tracepact score bo", {"boundary_gate"}),
        ("tracepact try sp", {"speech_gate"}),
        ("tracepact new mine --from ne", {"neural_alignment"}),
        ("tracepact score boundary_gate --set t", {"tol="}),
        ("tracepact score boundary_gate --require o", {"onset_guard", "offset_guard"}),
        ("tracepact score boundary_gate --require pooled.o", {"pooled.onset_guard", "pooled.offset_guard"}),
        ("tracepact score boundary_gate --require puled.o", set()),
        ("tracepact check --explain unknown-at", {"unknown-atom", "unknown-attribute"}),
        ("tracepact check --explain ", set(CODES)),
        ("tracepact score speech_gate --profile re", {"recogniser", "recorder"}),
        ("tracepact help unknown-at", {"unknown-atom", "unknown-attribute"}),
        ("tracepact select bound", {"boundary_gate"}),
        ("tracepact judge bound", {"boundary_gate"}),
        ("tracepact select boundary_gate --clauses sp", {"speech_gate"}),
        ("tracepact select boundary_gate --family no", {"none"}),
        ("tracepact select boundary_gate --require ", {"separate", "order", "name"}),
    ],
)
def test_a_shell_completes_commands_starters_parameters_clauses_and_profiles(line: str, offered: set[str]) -> None:
    assert completed(line) == offered


def test_the_hooks_and_the_action_call_commands_that_exist() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    calls = [hook["entry"] for hook in hooks]
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    calls += [step["run"].removeprefix("python -m ") for step in steps if "-m tracepact" in step.get("run", "")]
    assert len(calls) == 3
    for call in calls:
        _, command, *options = call.split()
        shown = run(command, "--help").out
        assert [option for option in options if option.startswith("--") and option not in shown] == []
