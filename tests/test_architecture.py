"""How the package is built: one-way imports, exact exports, module sizes, the registry of codes, the command table."""

import ast
import importlib
import re
from collections.abc import Callable
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import click
import pytest
from sources import nodes, tree

import tracepact
from tracepact import cli
from tracepact.command_line import command_at
from tracepact.declarations import rule_files, rules, spec_path
from tracepact.diagnostics.findings import CODES

PACKAGE = Path(tracepact.__file__).parent
LAB = PACKAGE.parent / "tracelab"
MODULES = {
    ".".join(("tracepact", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
PACKAGES = [name for name, path in MODULES.items() if path.name == "__init__.py"]
LEAST_LINES, MOST_LINES = 150, 500
TABLES = {
    "": (cli._COMMANDS, cli._MAIN_SUMMARIES),
    "audit ": (cli._AUDITS, cli._AUDIT_SUMMARIES),
}
COMMANDS = {name + word: module for name, (modules, _) in TABLES.items() for word, module in modules.items()}
SUMMARIES = {name + word: text for name, (_, summaries) in TABLES.items() for word, text in summaries.items()}
LAZY = ("tracepact", "tracepact.show")
"""Packages whose names are loaded when they are first used; their imports at the top are for types alone."""
LATE = {
    **{
        ("tracepact.pytest_plugin", f"tracepact.{target}"): "a test suite without contracts loads nothing"
        for target in (
            "diagnostics.collection",
            "inputs",
            "logic.answers",
            "runs.report_parts",
            "runs.run",
            "runs.timelines",
            "wording",
        )
    },
    ("tracepact.show.lines", "tracepact.show.tables"): "where nobody looks, nothing is loaded to draw a bar",
    ("tracepact.conform.differential", "tracepact.conform.draw"): "needs the extra `conform`",
    ("tracepact.__main__", "tracepact.cli"): "`--version` is answered without it",
    ("tracepact.logic.check_commands", "tracepact.logic.versions"): "only --against compares",
    ("tracepact.logic.check_commands", "tracepact.data.memory"): "only --durations reads a table",
    ("tracepact.logic.arithmetic", "tracepact.data.family"): "a plain check needs no NumPy",
    (
        "tracepact.logic.arithmetic",
        "tracepact.evaluate.event_clauses",
    ): "a plain check replays no scene and needs no NumPy",
    ("tracepact.author.guide_commands", "tracepact.author.editor_server"): "needs the extra `editor`",
}
"""Imports inside functions, each with its reason: an optional extra, or what most calls do not need."""


def layers() -> dict[str, int]:
    """The layer of each part of the package, as its docstring lists them; parts of one line share a layer."""
    listed = re.findall(r"^ {4,8}(\w+(?:, \w+)*) {2,}\S", tracepact.__doc__ or "", re.MULTILINE)
    return {part: index for index, line in enumerate(listed) for part in line.split(", ")}


def part(module: str) -> str:
    """The part of the package a module belongs to."""
    return module.split(".")[1] if "." in module else ""


@cache
def imports(module: str) -> list[tuple[int, str, bool]]:
    """The tracepact modules a module imports anywhere in it, with their lines and whether it is at its top."""
    top = {id(node) for node in tree(MODULES[module]).body}
    targets = []
    for node in nodes(MODULES[module]):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "tracepact":
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                targets.append((node.lineno, full if full in MODULES else node.module, id(node) in top))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "tracepact":
                    targets.append((node.lineno, alias.name, id(node) in top))
    return targets


def wrong_imports(is_wrong: Callable[[str, str, bool], object]) -> list[str]:
    """Every import of which a function of module, target and place says that it must not be."""
    return [
        f"{MODULES[module].relative_to(PACKAGE)}:{line} imports {target}"
        for module in MODULES
        for line, target, at_top in imports(module)
        if module != "tracepact" and is_wrong(module, target, at_top)
    ]


def test_the_package_docstring_lists_every_part_once() -> None:
    assert set(layers()) == {part(name) for name in MODULES} - {""}


def test_imports_point_only_to_earlier_layers() -> None:
    order = layers()
    assert not wrong_imports(lambda module, target, _: order.get(part(target), 99) > order[part(module)])


def test_parts_of_one_line_do_not_import_each_other() -> None:
    order = layers()
    same = {(part(m), part(t)) for m in MODULES for _, t, _ in imports(m) if part(m) != part(t)}
    assert not {(a, b) for a, b in same if order.get(a) == order.get(b)}


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {m: {t for _, t, _ in imports(m) if t in MODULES and t != m} for m in MODULES if m != "tracepact"}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_imports_are_at_the_top_but_for_those_listed_with_a_reason() -> None:
    found = {
        (module, target)
        for module in MODULES
        for _, target, at_top in imports(module)
        if not at_top and module not in LAZY
    }
    assert found == set(LATE)


@pytest.mark.parametrize("module", MODULES)
def test_imports_are_absolute(module: str) -> None:
    relative = [n.lineno for n in nodes(MODULES[module]) if isinstance(n, ast.ImportFrom) and n.level]
    assert not relative


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_exports_exactly_what_it_imports(package: str) -> None:
    """Sorted as ruff does: constants, then classes, then functions, each by name. A tool exports nothing."""
    if package == "tracepact.torch":
        pytest.importorskip("torch")
    exported = getattr(importlib.import_module(package), "__all__", [])
    imported = {
        alias.asname or alias.name
        for node in nodes(MODULES[package])
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tracepact")
        for alias in node.names
        if alias.name != "loader"
    }
    assert len(exported) == len(set(exported))
    assert set(exported) == {name for name in imported if not name.startswith("_")}
    assert all(hasattr(importlib.import_module(package), name) for name in exported)
    assert exported == sorted(exported, key=lambda name: (0 if name.isupper() else 1 if name[0].isupper() else 2, name))


@pytest.mark.parametrize("package", LAZY)
def test_no_name_that_is_loaded_late_is_that_of_a_module_beside_it(package: str) -> None:
    names = importlib.import_module(package).__all__
    assert not [name for name in names if f"{package}.{name}" in MODULES]


def test_the_public_names_are_the_same_for_types_and_at_run_time() -> None:
    assert sorted(tracepact._HOMES) == sorted(tracepact.__all__)
    assert set(tracepact.__all__) <= set(dir(tracepact))
    with pytest.raises(AttributeError, match="no attribute 'scor'"):
        _ = tracepact.scor


@pytest.mark.parametrize("module", MODULES)
def test_a_module_starts_with_one_line_that_names_its_job(module: str) -> None:
    doc = ast.get_docstring(tree(MODULES[module]), clean=False)
    assert doc, "no docstring"
    first, *rest = doc.split("\n")
    assert first.endswith(".")
    assert not rest or not rest[0].strip(), "the first sentence runs over the line"


SMALL = {
    "tracepact.__main__": "the way in: `--version` is answered before anything is loaded",
    "tracepact.lazy": "loaded by every import of the package",
    "tracepact.version": "the build reads it",
    "tracepact.diagnostics.records": "with collecting it would load msgspec for every command",
    "tracepact.lightning": "Lightning is loaded by who asks for it alone",
    "tracepact.torch.extra": "says that PyTorch is missing, and so does not need it",
    "tracelab.cli": "says what is missing before anything heavy is loaded",
    "tracelab.detectors.recipes": "data that no stage depends on as text, so that a recipe more trains nothing again",
}
"""Modules of fewer than 150 lines, each with its reason."""
LAB_MODULES = {
    ".".join(("tracelab", *path.relative_to(LAB).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(LAB.rglob("*.py"))
}
BARE = {"asked", "found", "given", "made", "own", "seen"}
"""Words that do not say what a thing holds."""


@pytest.mark.parametrize("module", [*MODULES, *LAB_MODULES])
def test_a_module_has_150_to_500_lines(module: str) -> None:
    path = {**MODULES, **LAB_MODULES}[module]
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES
    assert path.name == "__init__.py" or (lines < LEAST_LINES) == (module in SMALL)


def test_there_are_so_many_modules_and_no_more() -> None:
    assert len(MODULES) <= 255
    assert len(LAB_MODULES) <= 54


def test_a_class_has_its_name_for_itself() -> None:
    """In both packages together, so that a name in a message or a search leads to one place."""
    homes: dict[str, list[str]] = {}
    for module, path in {**MODULES, **LAB_MODULES}.items():
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module)
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def test_no_module_has_a_name_that_does_not_say_what_it_holds() -> None:
    assert not [module for module in (*MODULES, *LAB_MODULES) if BARE & set(module.split("."))]


def test_every_parameter_says_what_it_holds() -> None:
    bare = [
        f"{module}:{n.lineno} {n.arg}"
        for module, path in {**MODULES, **LAB_MODULES}.items()
        for n in nodes(path)
        if isinstance(n, ast.arg) and n.arg in BARE
    ]
    assert bare == []


def test_a_folder_exports_nothing_but_the_public_ones() -> None:
    """Every other `__init__` is its docstring, so that a name has one home."""
    public = {"tracepact", "tracepact.show", "tracepact.stream", "tracepact.torch"}
    assert {name for name in PACKAGES if len(tree(MODULES[name]).body) > 1} == public


def test_no_folder_hides_a_public_function() -> None:
    """A folder that is imported becomes an attribute of the package, in the place of what has its name there."""
    assert not {name.removeprefix("tracepact.") for name in PACKAGES} & set(tracepact.__all__)


# Diagnostic codes


def constants(path: Path) -> set[str]:
    """The text constants of a module."""
    return {n.value for n in nodes(path) if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def test_every_code_of_the_registry_is_used() -> None:
    elsewhere = [path for module, path in MODULES.items() if module != "tracepact.diagnostics.findings"]
    used = set().union(*(constants(path) for path in (*elsewhere, *LAB_MODULES.values())))
    unused = sorted(set(CODES) - used)
    assert not unused, f"registered and never used: {', '.join(unused)}"


def test_every_code_that_is_used_is_in_the_registry() -> None:
    """A code is the first argument of `add` or `Diagnostic`, or the argument `code`."""
    unknown = []
    for module, path in MODULES.items():
        for call in (n for n in nodes(path) if isinstance(n, ast.Call)):
            named = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            given = [k.value for k in call.keywords if k.arg == "code"]
            if named in ("add", "Diagnostic"):
                given += call.args[:1]
            for value in given:
                text = value.value if isinstance(value, ast.Constant) else None
                if isinstance(text, str) and text not in CODES:
                    unknown.append(f"{module}:{call.lineno} {text}")
    assert not unknown, "\n".join(unknown)


@pytest.mark.parametrize("code", CODES)
def test_a_code_is_lower_case_with_hyphens_and_rests_on_rules_that_exist(code: str) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code)
    assert CODES[code].name == code
    assert CODES[code].meaning
    assert set(CODES[code].rules) <= set(rules())


def test_the_rules_are_numbered_once_and_in_order() -> None:
    """In each file in order; no number is in both. Chapter 18 goes on where chapters 13 to 17 of the tools end."""
    found = []
    for name in rule_files():
        text = spec_path(name).read_text(encoding="utf-8")
        own = [tuple(map(int, r.split("."))) for r in re.findall(r"^- \*\*([0-9]+\.[0-9]+)\*\*", text, re.MULTILINE)]
        assert own == sorted(set(own)), name
        found += own
    assert len(found) == len(set(found))
    found.sort()
    assert [c for c, n in found if n == 1] == list(range(1, found[-1][0] + 1))
    assert [f"{chapter}.{number}" for chapter, number in found] == list(rules())
    for chapter in {c for c, _ in found}:
        numbers = [n for c, n in found if c == chapter]
        assert numbers == list(range(1, len(numbers) + 1)), f"chapter {chapter}"


@pytest.mark.parametrize("module", MODULES)
def test_rules_cited_in_the_code_exist(module: str) -> None:
    text = MODULES[module].read_text(encoding="utf-8")
    assert set(re.findall(r"\brules? ([0-9]+\.[0-9]+)", text)) <= set(rules())


# Commands


@pytest.mark.parametrize("name", COMMANDS)
def test_a_listed_command_has_a_module_and_a_summary(name: str) -> None:
    command = command_at(COMMANDS[name])
    assert isinstance(command, click.Command)
    assert command.help
    assert SUMMARIES[name].endswith(".")


def test_the_tables_of_commands_are_complete() -> None:
    for modules, summaries in TABLES.values():
        assert list(modules) == list(summaries) == sorted(modules)
    with_commands = {
        f"{name}:{node.name}"
        for name, path in MODULES.items()
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef) and re.fullmatch(r"(\w+_)?command", node.name)
    }
    assert set(COMMANDS.values()) == with_commands
