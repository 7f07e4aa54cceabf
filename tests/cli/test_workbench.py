"""Around the commands: their groups, standard input, folders, the short form of a score, completion, hooks."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from cli.command import events, run, write

import tracepact
from tracepact import cli, starter_contracts
from tracepact.diagnostics.findings import CODES
from tracepact.runs.report import LISTED_DIAGNOSTICS

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


@pytest.mark.parametrize("batches", [(), ("--memory", "1GB")], ids=["at once", "in batches"])
@pytest.mark.parametrize(
    ("ref", "fault"),
    [
        ("secret\t5\t1\tsiren", "offset-before-onset"),
        ("secret\tsoon\t1\tsiren", "bad-time"),
        ("secret\t11\t12\tsiren", "starts-outside-clip"),
        ("secret\t-1\t1\tsiren", "bad-time"),
    ],
)
def test_where_scoring_fails_a_known_reference_is_not_told(
    tmp_path: Path, ref: str, fault: str, batches: tuple[str, ...]
) -> None:
    """The log of a submission says what is wrong with the submission, and of the reference how often and what kind."""
    head = "filename\tonset\toffset\tevent_label\n"
    write(tmp_path, {"ref.tsv": f"{head}{ref}\nhidden\t1\t2\tsiren\n", "lengths.tsv": "filename\tduration\n"})
    write(tmp_path, {"pred.tsv": f"{head}hiden\t1\t2\tsiren\nother\tx\t2\tsiren\n"})
    for durations in ("4", "lengths.tsv"):
        sides = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", durations, *batches)
        plain, kept = (run("score", "boundary_gate", *sides, *more, folder=tmp_path) for more in ((), ("--ref-known",)))
        assert plain.code == kept.code == 2
        assert "ref.tsv" in plain.err or fault not in plain.err
        assert "pred.tsv:3" in kept.err
        assert (f"error[{fault}]: 1 finding about the reference" in kept.err) == (f"error[{fault}]" in plain.err)
        for word in ("secret", "hidden", "ref.tsv", "lengths.tsv"):
            assert word not in kept.out + kept.err, kept.err


def test_warnings_that_a_run_in_batches_does_not_keep_are_counted(tmp_path: Path) -> None:
    write(tmp_path, TABLES)
    write(tmp_path, {"often.tsv": "filename\tonset\toffset\tevent_label\n" + "a\t1\t2\tx\n" * (LISTED_DIAGNOSTICS + 8)})
    scored = ("score", "boundary_gate", "--ref", "often.tsv", *SCORED[2:], "--memory", "1GB", "--full")
    done = run(*scored, folder=tmp_path)
    assert f"… and {LISTED_DIAGNOSTICS - 5:,} more in often.tsv" in done.err
    assert "\n7 more of `duplicate-row`" in done.err
    assert "\n7 more of `duplicate-row`" in run(*scored, "--ref-known", folder=tmp_path).err


def test_a_score_fits_a_screen_and_full_shows_the_rest(tmp_path: Path) -> None:
    write(tmp_path, TABLES)
    lines = run("score", "boundary_gate", *SCORED, folder=tmp_path).out.splitlines()
    vector = tracepact.score("boundary_gate", [(1, 2, "x")], [("1.2", 2, "x")], durations=4).vector
    assert len(lines) <= 40
    assert all(sum(f"│{name} " in line for line in lines) == 1 for name in vector)
    assert f"profile support_recall = {float(vector['missing_guard']):.3f}" in lines
    assert "onset_guard fails 1 time: x at 1 s of a, nearest 0.2 s later" in lines
    assert lines[-1].strip().startswith("--full shows")
    full = run("score", "boundary_gate", *SCORED, "--full", folder=tmp_path).out
    assert "Standard metrics" in full
    assert run("score", "boundary_gate", *SCORED, "--brief", folder=tmp_path).out.splitlines() == lines
    write(tmp_path, {"none.tsv": "filename\tonset\toffset\tevent_label\n"})
    silent = run("score", "boundary_gate", "--ref", "none.tsv", "--pred", "none.tsv", *SCORED[4:], folder=tmp_path)
    assert any("profile support_recall = ∅ 1.000" in line for line in silent.out.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("tracepact ex", {"explain", "export"}),
        ("tracepact score bo", {"boundary_gate"}),
        ("tracepact try sp", {"speech_gate"}),
        ("tracepact new mine --starter ne", {"neural_alignment"}),
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
        ("tracepact select boundary_gate --guarantee ", {"separate", "order", "name"}),
    ],
)
def test_a_shell_completes_commands_starters_parameters_clauses_and_profiles(line: str, offered: set[str]) -> None:
    assert completed(line) == offered


def test_the_hooks_and_the_action_call_commands_that_exist() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    calls = [hook["entry"] for hook in hooks]
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    calls += [call for step in steps for call in re.findall(r"python -m (tracepact .*)", step.get("run", ""))]
    assert len(calls) == 4
    for call in calls:
        _, command, *options = call.split()
        shown = run(command, "--help").out
        assert [option for option in options if option.startswith("--") and option not in shown] == []


@pytest.mark.slow
@pytest.mark.parametrize("fail_on", ["never", "warning"])
def test_the_action_tries_the_contracts_below_a_folder_and_those_that_are_named(tmp_path: Path, fail_on: str) -> None:
    (tmp_path / "sub").mkdir()
    deaf = "contract deaf\nstep 20ms\nclause heard on ref_active : N[40ms] pred_active\n"
    (tmp_path / "sub" / "deaf.contract").write_text(deaf)
    last = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"][-1]
    folder = str(Path(sys.executable).parent)
    surroundings = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "FAIL_ON": fail_on}
    surroundings |= {"CONTRACTS": "sub boundary_gate", "PYTHONPATH": str(ROOT / "pytools")}
    done = subprocess.run(["bash", "-c", last["run"]], cwd=tmp_path, env=surroundings, capture_output=True, text=True)
    assert (done.returncode == 0) is (fail_on == "never")
    assert "no clause notices a system that predicts every class" in done.stdout
    assert "boundary_gate" in done.stdout
