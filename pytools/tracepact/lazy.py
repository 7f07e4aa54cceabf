"""Packages whose names are loaded when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import z3 as z3  # so that checkers see a package where `LatePackage` stands in for it


def loader(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: a name is loaded from the module of its home, and kept."""

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load


class LatePackage:
    """A package of others that is loaded when something is first asked of it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


# Most commands never ask Z3, and loading it takes longer than they do.
if not TYPE_CHECKING:
    z3 = LatePackage("z3")
