"""The modules of the repository as syntax trees, for the tests that read code: each is parsed and walked once."""

import ast
from functools import cache
from pathlib import Path


@cache
def tree(path: Path) -> ast.Module:
    """A module as its tree; nobody changes it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a module. A walk costs about as much as parsing."""
    return tuple(ast.walk(tree(path)))
