"""JSON text with its numbers as they are written: what a document holds, and words for what it should not hold."""

import json
import re
from collections.abc import Sequence
from typing import Any, TypeGuard

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.source import TextFile, shown
from tracepact.wording import count

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class Number(str):
    """A number as it is written in the document."""

    __slots__ = ()


class Object(dict[str, Any]):
    """An object that remembers which keys it was given twice."""

    __slots__ = ("repeated",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        seen: set[str] = set()
        self.repeated: list[str] = []
        for key, _ in pairs if len(self) < len(pairs) else ():
            if key in seen:
                self.repeated.append(key)
            seen.add(key)


def parse_json(file: TextFile, diagnostics: Diagnostics, expected: str) -> Object | None:
    """The object a text holds, numbers as texts; None with what is wrong with it. `expected` says what was wanted."""
    try:
        root = json.loads(
            file.text, parse_float=Number, parse_int=Number, parse_constant=Number, object_pairs_hook=Object
        )
    except json.JSONDecodeError as error:
        diagnostics.add(
            "bad-json",
            f"not JSON at column {error.colno}: {error.msg[:1].lower()}{error.msg[1:]}",
            RowPlace(file.name, error.lineno),
            expected,
        )
    except RecursionError:
        diagnostics.add("bad-json", "the document nests too deep", RowPlace(file.name), expected)
    else:
        if _SURROGATE.search(file.text) and (half := _half_sign(root)) is not None:
            headline = f"the text `{shown(half)}` holds half of a pair of surrogates, which is no sign"
            diagnostics.add("bad-json", headline, RowPlace(file.name), "write the file as UTF-8, or the pair whole")
        elif isinstance(root, Object):
            return root
        else:
            diagnostics.add("bad-json", f"the document is {kind(root)}", RowPlace(file.name), expected)
    return None


def _half_sign(root: Any) -> str | None:
    """A text of the document that holds a lone surrogate, if one does."""
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str) and not value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in value):
            return value
        if isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list):
            waiting += value
    return None


def listed(value: Any) -> Sequence[Any]:
    """The items of a list; none of anything else."""
    return value if isinstance(value, list) else ()


def is_text(value: object) -> TypeGuard[str]:
    """Whether a value is a text and no number."""
    return isinstance(value, str) and not isinstance(value, Number)


def time_text(value: object) -> str | None:
    """A time's text: that of a number, or a string that is not empty."""
    return value if isinstance(value, str) and value.strip() else None


def kind(value: object) -> str:
    """What a JSON value is, in words."""
    match value:
        case Number():
            return f"the number {shown(value)}"
        case str():
            return f"the text `{shown(value)}`" if value.strip() else "an empty text"
        case bool() | None:
            return f"`{json.dumps(value)}`"
        case list():
            return f"a list of {count(len(value), 'item')}"
        case _:
            return "an object"
