"""Dataclasses with slots, frozen or not, that are cheap to declare.

The standard decorator compiles up to seven functions for each of them, about half a millisecond, and a command that
answers at once declares a hundred. Here one is compiled, `__init__`, when the first instance is made; the others are
closures over the names of the fields. What is made is a dataclass all the same: `fields`, `replace` and patterns work
on it.
"""

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

_set = object.__setattr__


def _initialise(cls: Any, *, frozen: bool) -> Callable[..., None]:
    """The `__init__` that sets each field, in their order, and calls `__post_init__` if there is one."""
    known: dict[str, Any] = {"_set": _set, "_missing": ...}
    arguments, lines, types = ["self"], [], {}
    for field in dataclasses.fields(cls):
        name, value = field.name, field.name
        if field.default_factory is not dataclasses.MISSING:
            known[f"_make_{name}"] = field.default_factory
            argument = f"{name}=_missing"
            value = f"_make_{name}() if {name} is _missing else {name}" if field.init else f"_make_{name}()"
        elif field.default is not dataclasses.MISSING:
            known[f"_default_{name}"] = field.default
            argument = f"{name}=_default_{name}"
            value = name if field.init else f"_default_{name}"
        elif field.init:
            argument = name
        else:
            continue  # it has no value until somebody gives it one
        if field.init:
            arguments.append(argument)
            types[name] = field.type
        lines.append(f" _set(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    made: dict[str, Any] = {}
    exec(f"def __init__({', '.join(arguments)}):\n" + "\n".join(lines or [" pass"]), known, made)  # noqa: S102  (names of fields)
    initialise: Callable[..., None] = made["__init__"]
    initialise.__qualname__ = f"{cls.__qualname__}.__init__"
    initialise.__annotations__ = {**types, "return": None}
    return initialise


class _AtFirstUse:
    """An `__init__` that is compiled when it is first looked up, which then takes this one's place in the class."""

    __slots__ = ("cls", "frozen")

    def __init__(self, cls: Any, *, frozen: bool) -> None:
        self.cls = cls
        self.frozen = frozen

    def __get__(self, instance: object, owner: type) -> Any:
        initialise: Any = _initialise(self.cls, frozen=self.frozen)
        self.cls.__init__ = initialise
        return initialise.__get__(instance, owner)


def _show(cls: Any) -> Callable[[Any], str]:
    names = [field.name for field in dataclasses.fields(cls) if field.repr]

    def show(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return show


def _compare(cls: Any, *, frozen: bool) -> dict[str, Callable[..., Any] | None]:
    """Equality and hash by the fields that are compared; what may change has no hash."""
    names = [field.name for field in dataclasses.fields(cls) if field.compare]
    values: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def equal(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": equal, "__hash__": hashed if frozen else None}


def _refuse_setting(self: Any, name: str, value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        _set(self, field.name, value)


_FROZEN = {
    "__setattr__": _refuse_setting,
    "__delattr__": _refuse_deleting,
    "__getstate__": _state,
    "__setstate__": _set_state,
}


def _dataclass(*, frozen: bool = False, slots: bool = False, eq: bool = True, **more: Any) -> Callable[[Any], Any]:
    """What `dataclasses.dataclass` makes of a class with these arguments."""

    def decorate(cls: Any) -> Any:
        if more or not slots:
            return dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq, **more)(cls)
        made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
        methods: dict[str, Any] = {"__init__": _AtFirstUse(made, frozen=frozen), "__repr__": _show(made)}
        if frozen:
            methods |= _FROZEN
        if eq:
            methods |= _compare(made, frozen=frozen)
        for name, method in methods.items():
            if name not in cls.__dict__:
                setattr(made, name, method)
        return made

    return decorate


if TYPE_CHECKING:
    from dataclasses import dataclass  # so that checkers know the fields
else:
    dataclass = _dataclass
