"""Z3, loaded when something is first asked of it: most commands never ask, and loading it takes longer than they do."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """A name of the package `z3`."""
    return getattr(import_module("z3"), name)
