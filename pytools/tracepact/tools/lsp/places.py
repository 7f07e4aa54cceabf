"""Places in a text as editors count them, lines and units of an encoding, and as the parser does, characters."""

from bisect import bisect_right
from dataclasses import dataclass, field

from tracepact.diagnostics import Span

_UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
"""How many bytes a unit of each encoding has."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a text; a place is a line and a number of units in it, both from zero."""

    text: str
    encoding: str = "utf-16"
    starts: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0, *(index + 1 for index, character in enumerate(self.text) if character == "\n")]
        object.__setattr__(self, "starts", starts)

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the units before a character."""
        line = bisect_right(self.starts, offset) - 1
        return line, self._units(self.text[self.starts[line] : offset])

    def offset(self, line: int, units: int) -> int:
        """The character at a place; a place beyond the end of its line is that end, one beyond the text its end."""
        if line >= len(self.starts):
            return len(self.text)
        start = self.starts[line]
        end = self.starts[line + 1] - 1 if line + 1 < len(self.starts) else len(self.text)
        for offset in range(start, end):
            if units <= 0:
                return offset
            units -= self._units(self.text[offset])
        return end

    def span(self, span: Span) -> tuple[tuple[int, int], tuple[int, int]]:
        """Where a span begins and ends."""
        return self.place(span.start), self.place(span.end)

    def _units(self, text: str) -> int:
        return (
            len(text.encode(f"{self.encoding}-le" if self.encoding != "utf-8" else "utf-8", "surrogatepass"))
            // (_UNIT_BYTES[self.encoding])
        )
