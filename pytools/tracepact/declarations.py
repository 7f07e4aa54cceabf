"""What declares names and is cheap to load: dataclasses, old names, places of the spec, stages, data frames."""

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from warnings import warn

if TYPE_CHECKING:
    from dataclasses import dataclass  # so that checkers know the fields

# Dataclasses with slots, frozen or not, that are cheap to declare.
#
# The standard decorator compiles up to seven functions for each of them, about half a millisecond, and a command that
# answers at once declares a hundred. Here one is compiled, `__init__`, when the first instance is made; the others
# are closures over the names of the fields. What is made is a dataclass all the same: `fields`, `replace` and
# patterns work on it.

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
    # Compiled from text, as the standard decorator does: a loop over the fields would be run for every instance.
    namespace: dict[str, Any] = {}
    exec(f"def __init__({', '.join(arguments)}):\n" + "\n".join(lines or [" pass"]), known, namespace)  # noqa: S102  (names of fields)
    initialise: Callable[..., None] = namespace["__init__"]
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
        # From here on the class has the compiled function itself, so only the first instance pays for it.
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
    # `attrgetter` takes all fields in one call of C.
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
        # Other arguments are rare: they are left to the standard decorator, so that only the common form is done here.
        if more or not slots:
            return dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq, **more)(cls)
        data: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
        methods: dict[str, Any] = {"__init__": _AtFirstUse(data, frozen=frozen), "__repr__": _show(data)}
        if frozen:
            methods |= _FROZEN
        if eq:
            methods |= _compare(data, frozen=frozen)
        for name, method in methods.items():
            if name not in cls.__dict__:
                setattr(data, name, method)
        return data

    return decorate


if not TYPE_CHECKING:
    dataclass = _dataclass


# Old names of public things, each kept for one version with a warning that says the new one.


_P = ParamSpec("_P")
_T = TypeVar("_T")


def renamed(old: str, new: str) -> Any:
    """A class attribute under its old name: what the new one gives, and a DeprecationWarning."""

    def get(self: object) -> Any:
        _say(f"{type(self).__name__}.{old}", new, 3)
        return getattr(self, new)

    return property(get, doc=f"The old name of `{new}`.")


def renamed_argument(old: str, new: str) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """A function that takes an argument under its old name too, with a DeprecationWarning."""

    def renames(function: Callable[_P, _T]) -> Callable[_P, _T]:
        @wraps(function)
        def call(*args: _P.args, **options: _P.kwargs) -> _T:
            if old in options:
                if new in options:
                    raise TypeError(f"{function.__name__}() got both `{new}` and `{old}`, the old name of it")
                _say(f"the argument `{old}` of {function.__name__}", new, 3)
                options[new] = options.pop(old)
            return function(*args, **options)

        return call

    return renames


def renamed_in(module: str, names: Mapping[str, tuple[str, object]], attribute: str) -> object:
    """What a module's `__getattr__` gives for an old name: old names with the new one and what it means."""
    if attribute not in names:
        raise AttributeError(f"module {module!r} has no attribute {attribute!r}")
    new, meaning = names[attribute]
    _say(f"{module}.{attribute}", new, 4)
    return meaning


def _say(old: str, new: str, level: int) -> None:
    warn(f"{old} is called {new} now; the old name goes with the next version", DeprecationWarning, stacklevel=level)


# Where the files of `spec/` are: inside the installed package, or beside it in a checkout.

_PACKAGE = Path(__file__).resolve().parent


@cache
def spec_root() -> Path:
    """The folder that holds grammar.lark, the rules, schemas, starter contracts and demo data."""
    # In a wheel the files of `spec/` lie in the package; in a checkout they are two levels above it.
    installed = _PACKAGE / "spec"
    if installed.is_dir():
        return installed
    checkout = _PACKAGE.parent.parent / "spec"
    if checkout.is_dir():
        return checkout
    raise FileNotFoundError(f"the spec files are neither in {installed} nor in {checkout}")


def spec_path(relative: str) -> Path:
    """The path of a spec file.

    Args:
        relative: its name relative to `spec/`.

    Returns:
        The path, inside the installed package or in a checkout.

    Raises:
        InvalidInput: never; a file that is not there is found out when it is opened.

    Examples:
        >>> import tracepact
        >>> tracepact.spec_path("language.md").name
        'language.md'
    """
    return spec_root() / relative


def shown_path(path: Path) -> str:
    """How a file is named in reports: a spec file by its place in `spec/`, any other as it was given."""
    root = spec_root()
    return f"spec/{path.relative_to(root).as_posix()}" if path.is_relative_to(root) else str(path)


def rule_files() -> list[str]:
    """The files of `spec/` that hold rules: the language, and one for each chapter of the tools around it."""
    return ["language.md", *(f"tools/{path.name}" for path in sorted(spec_path("tools").glob("[0-9]*.md")))]


@cache
def rules() -> dict[str, str]:
    """Every rule of the language and of the tools around it, by number and in its order."""
    text = "\n".join(spec_path(name).read_text(encoding="utf-8") for name in rule_files())
    numbered = re.findall(r"^- \*\*([0-9]+\.[0-9]+)\*\* (.+?)(?=^- \*\*|^#|\Z)", text, re.MULTILINE | re.DOTALL)
    in_order = sorted(numbered, key=lambda rule: tuple(map(int, rule[0].split("."))))
    return {number: " ".join(words.split()) for number, words in in_order}


CONTRACT_ENDING = ".contract"
"""How the name of a contract file ends."""


def starter_contracts() -> dict[str, Path]:
    """The contracts that ship with tracepact, by name.

    Returns:
        The path of each contract file, sorted by name.

    Examples:
        >>> import tracepact
        >>> "boundary_gate" in tracepact.starter_contracts()
        True
    """
    return {path.stem: path for path in sorted(spec_path("contracts").glob(f"*{CONTRACT_ENDING}"))}


# Progress of long work: whoever does it calls a function with the name of each stage as it begins.

OnStage = Callable[[str], None]


def silent(stage: str) -> None:
    """Tell nobody: what is called where no progress is shown."""


# Rows as a data frame, of pandas or of polars, whichever is installed.


def data_frame(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Any:
    """A pandas data frame, or one of polars where only that is installed; ImportError says how to get one."""
    table = [list(row) for row in rows]
    if find_spec("pandas") is not None:
        return import_module("pandas").DataFrame(table, columns=list(columns))
    if find_spec("polars") is not None:
        return import_module("polars").DataFrame(table, schema=list(columns), orient="row", strict=False)
    raise ImportError("a data frame needs pandas or polars: pip install pandas")
