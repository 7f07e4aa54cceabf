"""Old names of public things, each kept for one version with a warning that says the new one."""

from collections.abc import Mapping
from typing import Any
from warnings import warn


def renamed(old: str, new: str) -> Any:
    """A class attribute under its old name: what the new one gives, and a DeprecationWarning."""

    def get(self: object) -> Any:
        _say(f"{type(self).__name__}.{old}", new, 3)
        return getattr(self, new)

    return property(get, doc=f"The old name of `{new}`.")


def renamed_in(module: str, names: Mapping[str, tuple[str, object]], asked: str) -> object:
    """What a module's `__getattr__` gives for an old name: old names with the new one and what it means."""
    if asked not in names:
        raise AttributeError(f"module {module!r} has no attribute {asked!r}")
    new, meaning = names[asked]
    _say(f"{module}.{asked}", new, 4)
    return meaning


def _say(old: str, new: str, level: int) -> None:
    warn(f"{old} is called {new} now; the old name goes with the next version", DeprecationWarning, stacklevel=level)
