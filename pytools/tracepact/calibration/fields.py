"""Tables of a TOML text read key by key: what has the wrong form becomes a diagnostic at its place."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

from tracepact.calibration.places import Path, Places
from tracepact.diagnostics import Diagnostics, Source, Span, TextPlace, did_you_mean
from tracepact.files import toml_data
from tracepact.lang import syntax as s
from tracepact.lang.reader import read_time
from tracepact.wording import parse_exact

T = TypeVar("T")
_MANY_SECONDS = 5
_SHORT_TIMES = {"step", "merge_gap", "by", "gap", "for", "tolerances", "search"}
"""Keys whose times are mostly milliseconds."""
_CONTRACT = re.compile(r"(?:\s|#[^\n]*\n)*(contract)\s+\w")
_CONTRACT_HELP = "`tracepact help calibration` has the form of a calibration set; `tracepact calibrate` writes one"
_TOML_HELP = (
    "a line is `key = value`; texts are in quotes; `{…}` of a case stays on one line; a table is `[reference.gate]`"
)


def read_toml(source: Source, diagnostics: Diagnostics) -> dict[str, Any] | None:
    """The data of a TOML text with its numbers exact; None and a diagnostic at the place of a fault."""
    try:
        return toml_data(source.text, _number)
    except tomllib.TOMLDecodeError as error:
        if words := _CONTRACT.match(source.text):
            headline = "this is a contract, not a calibration set"
            diagnostics.add("bad-toml", headline, TextPlace(source, Span(*words.span(1))), _CONTRACT_HELP)
            return None
        text, _, where = str(error).partition(" (at ")
        diagnostics.add("bad-toml", _headline(text), TextPlace(source, _span(source, where)), _TOML_HELP)
        return None
    except ValueError as error:
        diagnostics.add("bad-toml", str(error), TextPlace(source, Span(0, len(source.line(1)))), _TOML_HELP)
        return None


def _headline(text: str) -> str:
    return f"this is not TOML: {text[:1].lower()}{text[1:]}"


def _span(source: Source, where: str) -> Span:
    """Where the reader stopped: `line 3, column 5)`, or the end."""
    digits = "".join(c if c.isdigit() else " " for c in where).split()
    if len(digits) != 2:
        end = len(source.text.rstrip())
        return Span(max(0, end - 1), end)
    start = sum(len(source.line(n)) + 1 for n in range(1, int(digits[0]))) + int(digits[1]) - 1
    return Span(start, start + 1)


def _number(text: str) -> Fraction | str:
    """A decimal number as it is written; `inf` and `nan` stay text, which is not a number anywhere."""
    try:
        return parse_exact(text.replace("_", ""))
    except ValueError:
        return text


def is_number(value: object) -> bool:
    """Whether a value of the data is a number; a truth value is none."""
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


@dataclass(slots=True)
class Fields:
    """One table: each key is taken once, and what is left over is unknown."""

    data: Mapping[str, Any]
    path: Path
    places: Places
    diagnostics: Diagnostics
    step: Fraction | None = None
    what: str = "table"
    taken: set[str] = field(default_factory=set)

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self.data

    def inner(self, data: Mapping[str, Any], *path: str | int, what: str) -> "Fields":
        """A table inside this one."""
        return Fields(data, (*self.path, *path), self.places, self.diagnostics, self.step, what)

    def report(self, code: str, headline: str, *path: str | int, help: str | None = None) -> None:
        """Record a finding at a value of this table."""
        self.diagnostics.add(code, headline, self.places.value((*self.path, *path)), help)

    def report_key(self, code: str, headline: str, *path: str | int, help: str | None = None) -> None:
        """Record a finding at a key of this table."""
        self.diagnostics.add(code, headline, self.places.key((*self.path, *path)), help)

    def take(self, key: str) -> Any:
        """The raw value, or None."""
        self.taken.add(key)
        return self.data.get(key)

    def required(self, key: str, help: str) -> Any:
        """The raw value; a diagnostic if there is none."""
        if key not in self.data:
            self.report_key("missing-key", f"the {self.what} has no `{key}`", help=help)
        return self.take(key)

    def text(self, key: str, default: str = "") -> str:
        """A text on one line, not empty."""
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, str) or not value or not value.isprintable():
            self._wrong(key, "a text on one line")
            return default
        return value

    def choice(self, key: str, choices: Iterable[str], default: str) -> str:
        """One of some words."""
        value = self.text(key, default)
        if value not in set(choices):
            self.report("unknown-choice", f"`{value}` is no {key}", key, help=did_you_mean(value, choices))
            return default
        return value

    def whole(self, key: str, default: int, *, least: int = 0, most: int | None = None) -> int:
        """A whole number."""
        value = self.take(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or value < least or (most and value > most):
            self._wrong(key, f"a whole number from {least} to {most}" if most else f"a whole number from {least} on")
            return default
        return value

    def truth(self, key: str, default: bool) -> bool:
        """A truth value."""
        value = self.take(key)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self._wrong(key, "true or false")
        return default

    def number(self, key: str, default: Fraction) -> Fraction:
        """A plain number."""
        value = self.take(key)
        if value is None:
            return default
        if not is_number(value):
            self._wrong(key, "a number")
            return default
        return Fraction(value)

    def time(self, key: str, default: Fraction = Fraction(0), *, positive: bool = True) -> Fraction:
        """A time: a quantity with its unit, or a number of seconds."""
        value = self.take(key)
        return default if value is None else self.as_time(value, key, default=default, positive=positive)

    def as_time(
        self, value: object, *path: str | int, default: Fraction = Fraction(0), positive: bool = False
    ) -> Fraction:
        """A value of the data as a time; positive, or at least not negative."""
        found = Fraction(value) if isinstance(value, int | Fraction) and not isinstance(value, bool) else None
        bare = found is not None
        if isinstance(value, str) and (read := read_time(value, self.step)):
            found, unit = read
            bare = not unit
        if found is None or found < 0 or (positive and not found):
            least = "greater than zero" if positive else "of zero or more"
            self.report("bad-time", f"`{_shown(value)}` is not a time {least}", *path, help=_time_help(value))
            return default
        if found >= _MANY_SECONDS and bare and path[0] in _SHORT_TIMES:
            headline = f"`{_shown(value)}` without a unit is read as {_shown(value)} seconds"
            self.report("bare-seconds", headline, *path, help=f'write `"{_shown(value)}ms"` if that is meant')
        return found

    def items(self, key: str, read: Callable[[Any, int], T | None], default: Sequence[T]) -> tuple[T, ...]:
        """A list; what `read` gives None for is left out, and it has said why. Repeats are kept."""
        value = self.take(key)
        if value is None:
            return tuple(default)
        if not isinstance(value, list):
            self._wrong(key, "a list")
            return tuple(default)
        found = [read(item, index) for index, item in enumerate(value)]
        return tuple(item for item in found if item is not None)

    def words(self, key: str, choices: Iterable[str], default: Sequence[str]) -> tuple[str, ...]:
        """A list of some of the known words."""
        known = tuple(choices)

        def word(item: Any, index: int) -> str | None:
            if item in known:
                return str(item)
            hint = did_you_mean(str(item), known)
            self.report("unknown-choice", f"`{_shown(item)}` is none of the {key}", key, index, help=hint)
            return None

        return self.items(key, word, default)

    def close(self) -> None:
        """Report every key that was not taken."""
        for key in self.data:
            if key not in self.taken:
                hint = did_you_mean(key, self.taken)
                self.report_key("unknown-key", f"the {self.what} has no use for `{key}`", key, help=hint)

    def _wrong(self, key: str, wanted: str) -> None:
        self.report("wrong-form", f"`{key}` is {wanted}, not `{_shown(self.data[key])}`", key)


def _time_help(value: object) -> str:
    """What to write in place of a text that is not a time."""
    written = re.fullmatch(r"([0-9.]+)(\s*)([A-Za-zµ]+)", value.strip()) if isinstance(value, str) else None
    if written is None:
        return 'write `"120ms"`, `"0.12s"` or `0.12`, which is seconds'
    number, blank, unit = written.groups()
    if unit not in s.UNITS:
        return f"`{unit}` is not a unit here: the units are `ms`, `s` and `f` for frames"
    return f'write it without the space: `"{number}{unit}"`' if blank else 'write `"120ms"` or `"0.12s"`'


def _shown(value: object) -> str:
    text = str(value) if str(value).isprintable() else repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
