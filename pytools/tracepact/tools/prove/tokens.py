"""Lean text as tokens: words, numbers and signs, without comments; any other character is refused."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LETTER = "A-Za-z_α-κμ-ω"
_PART = rf"(?:[{_LETTER}][{_LETTER}0-9'₀-₉]*|«[A-Za-z]+»)"
_TOKEN = re.compile(
    rf"(?P<space>[ \n]+)|(?P<word>{_PART}(?:\.{_PART})*)|(?P<number>0x[0-9a-f]+|[0-9]+)(?![{_LETTER}0-9'])"
    r"|(?P<sign>:=|=>|[(){}\[\]⟨⟩:→.,|▸;@#])"
)
_BLOCK = re.compile(r"/-[-!]?[ \n]")
_COMMENT_EDGE = re.compile(r"/-|-/")


class Unreadable(ValueError):  # noqa: N818  (it is what the text is)
    """A text that is not made of these tokens."""

    def __init__(self, text: str, at: int, why: str) -> None:
        super().__init__(f"line {text.count(chr(10), 0, at) + 1}: {why}")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign, and whether it stands at the beginning of a line."""

    text: str
    line: int
    opens: bool
    is_word: bool


def tokens_of(text: str) -> Iterator[Token]:
    """The tokens of a text; Unreadable for one with a string, a character or a comment in a form that is not in use."""
    at, line = 0, 1
    while at < len(text):
        end = _comment_end(text, at)
        if end is None:
            match = _TOKEN.match(text, at)
            if match is None:
                raise Unreadable(text, at, f"`{text[at]}` is not a sign that checked files use")
            end = match.end()
            if match["space"] is None:
                yield Token(match[0], line, at == 0 or text[at - 1] == "\n", match["word"] is not None)
        line += text.count("\n", at, end)
        at = end


def _comment_end(text: str, at: int) -> int | None:
    """Where a comment that begins here ends; none if none begins here.

    A comment stands after a space or at the beginning of a line, where Lean too looks for one before anything else.
    """
    kind = text[at : at + 2]
    if kind not in ("--", "/-"):
        return None
    if at and text[at - 1] not in " \n":
        raise Unreadable(text, at, "a comment must follow a space")
    if kind == "--":
        if text[at + 2 : at + 3] not in (" ", "\n"):
            raise Unreadable(text, at, "a comment begins with `-- `")
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    if not _BLOCK.match(text, at):
        raise Unreadable(text, at, "a comment begins with `/- `, `/-- ` or `/-! `")
    return _block_end(text, at)


def _block_end(text: str, at: int) -> int:
    """Where a comment with comments inside ends."""
    depth, place = 1, at + 2
    while depth:
        edge = _COMMENT_EDGE.search(text, place)
        if edge is None:
            raise Unreadable(text, at, "a comment without an end")
        if text[edge.start() : edge.end() + 1] in ("/-/", "-/-"):
            raise Unreadable(text, edge.start(), "a comment that can be read in two ways")
        depth += 1 if edge[0] == "/-" else -1
        place = edge.end()
    return place
