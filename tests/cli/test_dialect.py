"""One dialect of the command line: formats, names and help texts are the same from command to command."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from cli.command import run

from tracepact import cli, starter_contracts
from tracepact.command_line import Exit
from tracepact.diagnostics.collection import DIAGNOSTIC_FORMATS

NOT_RESULTS = {
    "calibrate": "writes a calibration set",
    "convert": "writes files",
    "conformance": "draws results that are JSON already",
    "demo": "writes run directories and shows them",
    "export": "prints a contract in another language, which --to names",
    "fmt": "writes contracts",
    "help": "prints what there is to read",
    "lsp": "answers an editor",
    "new": "writes a contract",
    "oracle": "answers a protocol",
    "judge": "serves a page",
    "play": "serves a page",
    "show": "prints a contract",
    "report": "writes documents, whose formats --format names",
}
"""Commands that print no results, and what they do instead."""
SEVERAL_TYPES = {
    "--format": "text and json, and what else a command offers",
    "--out": "a place to write results to; a file or a folder",
    "--scores": "the scores of a system: of the one that is meant, or by its name in a league",
    "--seed": "Hypothesis takes any whole number, NumPy none below zero",
    "--from": "a format or a notation to read",
    "--to": "a format or a language to write",
}
"""Options whose values differ in type from command to command, and the one thing that each means."""
ONE_DEFAULT = ("--fail-on", "--timeout", "--draws")
"""Options whose default is the same in every command that has them."""


def leaves(command: click.Command, path: tuple[str, ...], ctx: click.Context) -> Iterator[tuple[str, click.Command]]:
    """The commands below a group, by what is typed to call them."""
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    for name in command.list_commands(ctx):
        inner = command.get_command(ctx, name)
        assert inner is not None
        yield from leaves(inner, (*path, name), click.Context(inner, parent=ctx, info_name=name))


COMMANDS = dict(leaves(cli._group, (), click.Context(cli._group)))
OPTIONS = [(name, option) for name, c in COMMANDS.items() for option in c.params if isinstance(option, click.Option)]


def kind(option: click.Option) -> tuple[object, ...]:
    """What an option takes, so that two options of one kind take the same texts."""
    found = {k: v for k, v in option.type.to_info_dict().items() if k not in ("name", "param_type")}
    return type(option.type).__name__, json.dumps(found, default=str, sort_keys=True), option.is_flag, option.multiple


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in NOT_RESULTS])
def test_a_command_that_prints_results_prints_them_as_text_and_as_json(name: str) -> None:
    (option,) = (o for o in COMMANDS[name].params if "--format" in o.opts)
    assert isinstance(option, click.Option)
    assert isinstance(option.type, click.Choice)
    assert list(option.type.choices)[:2] == ["text", "json"]
    assert set(option.type.choices) <= {"text", "json", "csv", *DIAGNOSTIC_FORMATS}
    assert option.default == "text"


def test_what_prints_no_results_is_a_command() -> None:
    assert set(NOT_RESULTS) <= set(COMMANDS)


def test_no_command_lists_json_as_an_option_of_its_own() -> None:
    assert [name for name, option in OPTIONS if "--json" in option.opts and not option.hidden] == []


def test_the_limit_is_shown_by_every_command_that_reads_events_or_runs() -> None:
    shown = {name for name, option in OPTIONS if "--limit" in option.opts and not option.hidden}
    assert shown >= {name for name, option in OPTIONS if {"--ref", "--pred"} & {*option.opts}}
    assert {"report", "verify", "compare", "league", "audit uncertainty"} <= shown
    assert not {"sat", "fmt", "show"} & shown
    assert [name for name in COMMANDS if "--json" in run(*name.split(), "--help").out] == []


def test_an_option_of_one_name_takes_the_same_values_everywhere() -> None:
    kinds: dict[str, dict[tuple[object, ...], str]] = {}
    for name, option in OPTIONS:
        for word in () if option.hidden else option.opts:
            kinds.setdefault(word, {})[kind(option)] = name
    several = {word: sorted(found.values()) for word, found in kinds.items() if len(found) > 1}
    assert {word: names for word, names in several.items() if word not in SEVERAL_TYPES} == {}
    assert set(SEVERAL_TYPES) <= set(several)


@pytest.mark.parametrize("word", ONE_DEFAULT)
def test_an_option_of_one_name_has_one_default(word: str) -> None:
    options = {name: option.default for name, option in OPTIONS if word in option.opts and not option.hidden}
    assert len(options) > 1
    assert len({*options.values()}) == 1, options


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_in_sentences(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    texts = {"": command.help.split("\n\n")[0]}
    texts |= {o.opts[0]: o.help or "" for o in command.params if isinstance(o, click.Option) and not o.hidden}
    assert [(option, text) for option, text in texts.items() if not text.strip().endswith((".", "?"))] == []
    assert [(option, text) for option, text in texts.items() if not text[:1].isupper() and text[:1] != "`"] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_a_dozen_options_at_most_and_says_how_many_more_there_are(name: str) -> None:
    """What is left out is shown by `--help --all`, and still taken."""
    options = [o for o in COMMANDS[name].params if isinstance(o, click.Option) and not o.hidden]
    brief, whole = (run(*name.split(), "--help", *more).out for more in ((), ("--all",)))
    listed = set(re.findall(r"^  (--[a-z-]+)", brief.partition("\nOptions:\n")[2], re.MULTILINE))
    shown = [option for option in options if option.opts[0] in listed]
    if name in cli._USUAL:
        assert len(shown) <= 12
        assert re.search(rf"{len(options) - len(shown)} more options: .* {name} --help --all$", brief, re.MULTILINE)
        assert all(option.opts[0] in whole for option in options)
        assert "more options" not in whole
    else:
        assert shown == options
        assert len(options) <= 12


@pytest.mark.parametrize(
    "arguments",
    [("check", "boundary_gate"), ("explain", "boundary_gate"), ("sat", "p"), ("simplify", "p & p")],
    ids=lambda arguments: arguments[0],
)
def test_earlier_spellings_of_formats_mean_the_same(arguments: tuple[str, ...]) -> None:
    asked = run(*arguments, "--format", "json")
    assert json.loads(asked.out) is not None
    assert run(*arguments, "--json") == asked
    assert run(*arguments, "--format", "json", "--json") == asked
    assert run(*arguments, "--format", "text", "--json").code == Exit.INVALID
    if "github" in [c for o in COMMANDS[arguments[0]].params for c in getattr(o.type, "choices", ())]:
        assert run(*arguments, "--format", "terminal") == run(*arguments, "--format", "text")


# What is loaded to start

START = """
import sys
from tracepact.cli import main
sys.argv[:] = ["tracepact", *{arguments!r}]
try:
    main()
except SystemExit:
    pass
print(*sorted(sys.modules), sep="\\n", file=sys.stderr)
"""


def loaded(*arguments: str) -> set[str]:
    """The modules that a command loads."""
    folder = str(Path(cli.__file__).parents[1])
    code = f"import sys; sys.path.insert(0, {folder!r})" + START.format(arguments=list(arguments))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_help_and_version_load_no_tool_and_no_large_library(argument: str) -> None:
    found = loaded(argument)
    assert "tracepact.cli" in found
    large = {"jinja2", "lark", "msgspec", "numpy", "rich", "sympy", "z3"}
    assert {name.split(".")[0] for name in found} & large == set()
    parts = {name.split(".")[1] for name in found if name.startswith("tracepact.")}
    own = {"cli", "command_line", "declarations", "diagnostics", "inputs", "lazy", "show", "version", "wording"}
    assert parts == own
    assert {name for name in found if name.startswith("tracepact.show.")} == {"tracepact.show.lines"}


@pytest.mark.parametrize("name", starter_contracts())
def test_a_starter_is_checked_without_a_solver_and_without_arrays(name: str) -> None:
    libraries = {module.split(".")[0] for module in loaded("check", name)}
    assert not libraries & {"numpy", "z3", "rich", "msgspec", "jinja2", "sympy"}


def test_the_version_is_answered_before_the_command_line_is_loaded() -> None:
    folder = str(Path(cli.__file__).parents[1])
    code = f"import sys; sys.path.insert(0, {folder!r})" + START.format(arguments=["--version"])
    code = code.replace("tracepact.cli", "tracepact.__main__")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == run("--version").out
    found = set(done.stderr.split())
    assert "tracepact.__main__" in found
    assert {name for name in found if name.startswith(("tracepact.", "click", "rich", "numpy"))} == {
        "tracepact.__main__",
        "tracepact.lazy",
        "tracepact.version",
    }


def test_a_question_about_formulas_loads_only_the_language_and_its_logic() -> None:
    found = loaded("equivalent", "p", "p")
    assert "tracepact.logic.decisions" in found
    assert {name.split(".")[0] for name in found} & {"numpy", "rich", "z3", "jinja2", "sympy"} == set()
    unneeded = ("evaluate.score", "evaluate.event", "measures", "stream", "runs", "selection", "audits", "tuning")
    assert [name for name in found if name.startswith(tuple(f"tracepact.{part}" for part in unneeded))] == []


def test_no_word_of_an_option_s_help_is_wider_than_its_column() -> None:
    """Click breaks such a word at any letter; in 80 columns there is room for 44."""
    words = {(name, word) for name, option in OPTIONS for word in (option.help or "").split() if len(word) > 44}
    assert words == set()
    assert any(len(word) > 20 for _, option in OPTIONS for word in (option.help or "").split())
