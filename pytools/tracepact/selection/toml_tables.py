"""Tables of a TOML text read key by key, each key and value with its place."""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar, cast

from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Source, Span, TextPlace, did_you_mean
from tracepact.files import toml_data
from tracepact.language import syntax as s
from tracepact.language.reader import read_time
from tracepact.wording import parse_exact

# Where the keys and values of a TOML text stand, so that a finding can point at them.

Path = tuple[str | int, ...]
# `tomllib` says where a fault is but not where a value is, so the text is walked a second time for its places; what
# it has read without a fault needs no grammar here, only keys, quotes and brackets.
_QUOTES = ('"""', "'''", '"', "'")
_BARE_END = ",]}\r\n#"


@dataclass(frozen=True, slots=True)
class Places:
    """The spans of a text that `tomllib` has read without a fault, by the path of their data."""

    source: Source
    keys: dict[Path, Span]
    values: dict[Path, Span]

    @classmethod
    def of(cls, source: Source) -> "Places":
        """Scan a text."""
        return _Scanner(source).places()

    def key(self, path: Path) -> TextPlace:
        """The last key of a path, or the nearest part around it."""
        return self._nearest(path, self.keys)

    def value(self, path: Path) -> TextPlace:
        """The value at a path, or the nearest part around it."""
        return self._nearest(path, self.values)

    def _nearest(self, path: Path, spans: dict[Path, Span]) -> TextPlace:
        for end in range(len(path), 0, -1):
            # a default has no place of its own; the table that lacks it is the nearest thing to point at
            span = spans.get(path[:end]) or self.keys.get(path[:end]) or self.values.get(path[:end])
            if span is not None:
                return TextPlace(self.source, span)
        return TextPlace(self.source, Span(0, len(self.source.line(1))))


@dataclass(slots=True)
class _Scanner:
    """Reads keys, headers and values of a text whose form is known to be right."""

    source: Source
    at: int = 0
    keys: dict[Path, Span] = field(default_factory=dict)
    values: dict[Path, Span] = field(default_factory=dict)
    tables: dict[Path, int] = field(default_factory=dict)

    def places(self) -> Places:
        table: Path = ()
        while self._skip(lines=True):
            if self._here("["):
                table = self._header()
            else:
                self._entry(table)
        return Places(self.source, self.keys, self.values)

    def _header(self) -> Path:
        """`[a.b]` or `[[a.b]]`: the table whose entries follow."""
        start = self.at
        repeated = self._here("[[")
        self.at += 2 if repeated else 1
        path: Path = ()
        for name, _ in self._dotted():
            path = (*path, name)
            if path in self.tables:
                path = (*path, self.tables[path])
        self.at += 2 if repeated else 1
        if repeated:
            if path and isinstance(path[-1], int):
                path = path[:-1]
            self.tables[path] = self.tables.get(path, -1) + 1
            path = (*path, self.tables[path])
        self.keys.setdefault(path, Span(start, self.at))
        return path

    def _entry(self, table: Path) -> None:
        path = table
        for name, span in self._dotted():
            path = (*path, name)
            self.keys.setdefault(path, span)
        self._skip()
        self.at += 1  # the equals sign
        self._skip()
        self._value(path)

    def _dotted(self) -> Iterator[tuple[str, Span]]:
        while True:
            self._skip()
            start = self.at
            quote = next((q for q in ('"', "'") if self._here(q)), None)
            if quote:
                self._string(quote)
                name = self.source.text[start + 1 : self.at - 1]
            else:
                while self.at < len(self.source.text) and (self._char.isalnum() or self._char in "_-"):
                    self.at += 1
                name = self.source.text[start : self.at]
            yield name, Span(start, self.at)
            self._skip()
            if not self._here("."):
                return
            self.at += 1

    def _value(self, path: Path) -> None:
        start = self.at
        quote = next((q for q in _QUOTES if self._here(q)), None)
        if quote:
            self._string(quote)
        elif self._here("["):
            self._items(path)
        elif self._here("{"):
            self._inline(path)
        else:
            while self.at < len(self.source.text) and self._char not in _BARE_END:
                self.at += 1
        end = self.at
        while end > start and self.source.text[end - 1].isspace():
            end -= 1
        self.values[path] = Span(start, end)

    def _items(self, path: Path) -> None:
        self.at += 1
        index = 0
        while self._skip(lines=True) and not self._here("]"):
            self._value((*path, index))
            index += 1
            self._skip(lines=True)
            self.at += self._here(",")
        self.at += 1

    def _inline(self, path: Path) -> None:
        self.at += 1
        while self._skip(lines=True) and not self._here("}"):
            self._entry(path)
            self._skip(lines=True)
            self.at += self._here(",")
        self.at += 1

    def _string(self, quote: str) -> None:
        self.at += len(quote)
        while self.at < len(self.source.text) and not self._here(quote):
            self.at += 2 if self._char == "\\" and quote[0] == '"' else 1
        self.at += len(quote)
        while len(quote) == 3 and self._here(quote[0]):  # up to two quotes may stand before the closing ones
            self.at += 1

    def _skip(self, *, lines: bool = False) -> bool:
        """Move over blanks, with `lines` also over line ends and comments; False at the end of the text."""
        text = self.source.text
        while self.at < len(text):
            if self._char in " \t" or (lines and self._char in "\r\n"):
                self.at += 1
            elif lines and self._char == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            else:
                return True
        return False

    def _here(self, sign: str) -> bool:
        return self.source.text.startswith(sign, self.at)

    @property
    def _char(self) -> str:
        return self.source.text[self.at]


# Tables of a TOML text read key by key: what has the wrong form becomes a diagnostic at its place.

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

    def _plain(self, key: str, default: T, fits: Callable[[Any], bool], wanted: str) -> T:
        """The value of a key, or the default where there is none or, which is reported, one of another form."""
        value = self.take(key)
        if value is None or fits(value):
            return default if value is None else cast("T", value)
        self._wrong(key, wanted)
        return default

    def text(self, key: str, default: str = "") -> str:
        """A text on one line, not empty."""

        def fits(value: Any) -> bool:
            return isinstance(value, str) and value != "" and value.isprintable()

        return self._plain(key, default, fits, "a text on one line")

    def choice(self, key: str, choices: Iterable[str], default: str) -> str:
        """One of some words."""
        value = self.text(key, default)
        if value not in set(choices):
            self.report("unknown-choice", f"`{value}` is no {key}", key, help=did_you_mean(value, choices))
            return default
        return value

    def whole(self, key: str, default: int, *, least: int = 0, most: int | None = None) -> int:
        """A whole number."""

        def fits(value: Any) -> bool:
            whole = isinstance(value, int) and not isinstance(value, bool)
            return whole and least <= value and (most is None or value <= most)

        wanted = f"from {least} on" if most is None else f"from {least} to {most}"
        return self._plain(key, default, fits, f"a whole number {wanted}")

    def truth(self, key: str, default: bool) -> bool:
        """A truth value."""
        return self._plain(key, default, lambda value: isinstance(value, bool), "true or false")

    def number(self, key: str, default: Fraction) -> Fraction:
        """A plain number."""
        return Fraction(self._plain(key, default, is_number, "a number"))

    def time(self, key: str, default: Fraction = Fraction(0), *, positive: bool = True) -> Fraction:
        """A time: a quantity with its unit, or a number of seconds."""
        value = self.take(key)
        return default if value is None else self.as_time(value, key, default=default, positive=positive)

    def as_time(
        self, value: object, *path: str | int, default: Fraction = Fraction(0), positive: bool = False
    ) -> Fraction:
        """A value of the data as a time; positive, or at least not negative."""
        time = Fraction(value) if isinstance(value, int | Fraction) and not isinstance(value, bool) else None
        bare = time is not None
        if isinstance(value, str) and (read := read_time(value, self.step)):
            time, unit = read
            bare = not unit
        if time is None or time < 0 or (positive and not time):
            least = "greater than zero" if positive else "of zero or more"
            self.report("bad-time", f"`{_shown(value)}` is not a time {least}", *path, help=_time_help(value))
            return default
        # `by = 120` is nearly always meant in milliseconds, and two minutes would be read without a word
        if time >= _MANY_SECONDS and bare and path[0] in _SHORT_TIMES:
            headline = f"`{_shown(value)}` without a unit is read as {_shown(value)} seconds"
            self.report("bare-seconds", headline, *path, help=f'write `"{_shown(value)}ms"` if that is meant')
        return time

    def items(self, key: str, read: Callable[[Any, int], T | None], default: Sequence[T]) -> tuple[T, ...]:
        """A list; what `read` gives None for is left out, and it has said why. Repeats are kept."""
        value = self.take(key)
        if value is None:
            return tuple(default)
        if not isinstance(value, list):
            self._wrong(key, "a list")
            return tuple(default)
        members = [read(item, index) for index, item in enumerate(value)]
        return tuple(item for item in members if item is not None)

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
