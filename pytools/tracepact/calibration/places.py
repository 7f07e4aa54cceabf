"""Where the keys and values of a TOML text stand, so that a finding can point at them."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tracepact.diagnostics import Source, Span, TextPlace

Path = tuple[str | int, ...]
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
