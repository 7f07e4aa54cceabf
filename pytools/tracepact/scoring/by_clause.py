"""Values by clause: a dictionary that answers the name of no clause with those there are."""

from typing import NoReturn, TypeVar

from tracepact.diagnostics import known_name

_V = TypeVar("_V")


class ByClause(dict[str, _V]):
    """A dictionary of clauses; a wrong name raises InvalidInput with the choices and the nearest one."""

    __slots__ = ()

    def __missing__(self, name: str) -> NoReturn:
        known_name(name, self, "clause", "unknown-clause")
        raise AssertionError(f"`{name}` is there")
