"""The lab is a client of the toolkit's public names and of nothing else of it."""

import ast
from importlib import import_module
from pathlib import Path

import pytest
from sources import nodes

import tracelab

MODULES = sorted(Path(tracelab.__file__).parent.rglob("*.py"))
PUBLIC = ("tracepact", "tracepact.show", "tracepact.torch", "tracepact.inputs", "tracepact.wording")


def imported(path: Path) -> list[tuple[str, str]]:
    """The names a module takes from tracepact, with the module they come from; an import of a module as a whole too."""
    found = []
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tracepact":
            found += [(node.module or "", alias.name) for alias in node.names]
        if isinstance(node, ast.Import):
            found += [(a.name, "") for a in node.names if a.name.split(".")[0] == "tracepact"]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "tracepact":
            found.append(("tracepact", node.attr))
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_name_is_public(path):
    for module, name in imported(path):
        assert module in PUBLIC, f"{module} is not public"
        if module == "tracepact.torch":
            pytest.importorskip("torch")
        names = ("", "__version__", *import_module(module).__all__)
        assert name in names, f"{module}.{name} is not public"


def test_the_lab_uses_the_toolkit_at_all():
    assert {name for path in MODULES for _, name in imported(path)} > {"score", "audit_tolerance", "ContractLoss"}
