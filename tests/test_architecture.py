"""How the package is built: one-way imports, exact exports, module sizes, the registry of codes, the command table."""

import ast
import importlib
import re
from collections.abc import Callable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import click
import pytest

import tracepact
from tracepact import cli
from tracepact.diagnostics import CODES
from tracepact.specs import rules, spec_path
from tracepact.tools.audit import command as audits

PACKAGE = Path(tracepact.__file__).parent
LAB = PACKAGE.parent / "tracelab"
MODULES = {
    ".".join(("tracepact", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
PACKAGES = [name for name, path in MODULES.items() if path.name == "__init__.py"]
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}
MOST_LINES = 500
TABLES = {
    "": (cli._COMMANDS, cli._SUMMARIES),
    "audit ": (audits._AUDITS, audits._SUMMARIES),
}
COMMANDS = {name + word: module for name, (modules, _) in TABLES.items() for word, module in modules.items()}
SUMMARIES = {name + word: text for name, (_, summaries) in TABLES.items() for word, text in summaries.items()}
LAZY = ("tracepact", "tracepact.events", "tracepact.io", "tracepact.show", "tracepact.trace")
"""Packages whose names are loaded when they are first used; their imports at the top are for types alone."""
LATE = {
    ("tracepact.tools.conform.differential", "tracepact.tools.conform.draw"): "needs the extra `conform`",
    ("tracepact.__main__", "tracepact.cli"): "`--version` is answered without it",
    ("tracepact.show.progress", "tracepact.show.screen"): "where nobody looks, nothing is loaded to draw a bar",
    ("tracepact.tools.check.command", "tracepact.logic.diff"): "only --against compares; a plain check starts sooner",
    ("tracepact.tools.lsp.command", "tracepact.tools.lsp.server"): "needs the extra `editor`",
}
"""Imports inside functions, each with its reason: an optional extra, or what most calls do not need."""


def layers() -> dict[str, int]:
    """The layer of each part of the package, as its docstring lists them; parts of one line share a layer."""
    listed = re.findall(r"^ {4,8}(\w+(?:, \w+)*) {2,}\S", tracepact.__doc__ or "", re.MULTILINE)
    return {part: index for index, line in enumerate(listed) for part in line.split(", ")}


def part(module: str) -> str:
    """The part of the package a module belongs to."""
    return module.split(".")[1] if "." in module else ""


def tool(module: str) -> str:
    """The tool whose folder a module is in; empty for what all tools share."""
    names = module.split(".")
    is_folder = MODULES.get(".".join(names[:3]), PACKAGE).name == "__init__.py"
    return names[2] if part(module) == "tools" and len(names) > 2 and is_folder else ""


def imports(module: str) -> Iterator[tuple[int, str, bool]]:
    """The tracepact modules a module imports anywhere in it, with their lines and whether it is at its top."""
    top = {id(node) for node in TREES[module].body}
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "tracepact":
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield node.lineno, full if full in MODULES else node.module, id(node) in top
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "tracepact":
                    yield node.lineno, alias.name, id(node) in top


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


def test_a_tool_imports_the_kernel_show_and_score_only() -> None:
    """And what lies directly in `tools`, which itself imports no tool."""
    assert not wrong_imports(
        lambda module, target, _: part(module) == "tools" and tool(target) not in ("", tool(module), "score")
    )
    assert not wrong_imports(lambda module, target, _: part(module) == "tools" and not tool(module) and tool(target))
    assert not wrong_imports(lambda module, target, _: tool(module) == "score" and tool(target) not in ("", "score"))


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
    relative = [n.lineno for n in ast.walk(TREES[module]) if isinstance(n, ast.ImportFrom) and n.level]
    assert not relative


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_exports_exactly_what_it_imports(package: str) -> None:
    """Sorted as ruff does: constants, then classes, then functions, each by name. A tool exports nothing."""
    exported = getattr(importlib.import_module(package), "__all__", [])
    imported = {
        alias.asname or alias.name
        for node in ast.walk(TREES[package])
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tracepact")
        if node.module != "tracepact.lazy"
        for alias in node.names
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
    doc = ast.get_docstring(TREES[module], clean=False)
    assert doc, "no docstring"
    first, *rest = doc.split("\n")
    assert first.endswith(".")
    assert not rest or not rest[0].strip(), "the first sentence runs over the line"


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_not_too_long(module: str) -> None:
    assert len(MODULES[module].read_text(encoding="utf-8").splitlines()) <= MOST_LINES


# Diagnostic codes


def words(module: str) -> set[str]:
    """The text constants of a module."""
    return constants(TREES[module])


def constants(tree: ast.Module) -> set[str]:
    """The text constants of a tree."""
    return {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def test_every_code_of_the_registry_is_used() -> None:
    used = set().union(*(words(module) for module in MODULES if module != "tracepact.diagnostics.codes"))
    used |= set().union(*(constants(ast.parse(path.read_text(encoding="utf-8"))) for path in LAB.rglob("*.py")))
    unused = sorted(set(CODES) - used)
    assert not unused, f"registered and never used: {', '.join(unused)}"


def test_every_code_that_is_used_is_in_the_registry() -> None:
    """A code is the first argument of `add` or `Diagnostic`, or the argument `code`."""
    unknown = []
    for module, tree in TREES.items():
        for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call)):
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
    for name in ("language.md", "tools.md"):
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
    command = importlib.import_module(COMMANDS[name]).command
    assert isinstance(command, click.Command)
    assert command.help
    assert SUMMARIES[name].endswith(".")


def test_the_tables_of_commands_are_complete() -> None:
    for modules, summaries in TABLES.values():
        assert list(modules) == list(summaries) == sorted(modules)
    with_commands = {
        name
        for name, tree in TREES.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == "command"
    }
    assert set(COMMANDS.values()) == with_commands
