"""What the protocol says in JSON: formulas, masks and streams as data, and where a case departs from its schema."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from tracepact.declarations import spec_path
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
)

# Core formulas and masks as plain JSON data, as vectors and the protocol write them, and formulas as text.

Tree = Any
"""A formula as data: an atom's name, a truth value, or a list that starts with the operator."""

_BINARY: dict[str, type[And | Or | Implies | Iff]] = {"and": And, "or": Or, "implies": Implies, "iff": Iff}
_WINDOW: dict[str, type[Eventually | Always]] = {"F": Eventually, "G": Always}
_REACH: dict[str, type[Until | Since]] = {"U": Until, "S": Since}
_SHOWN = 80
_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
LONGEST = 1 << 20
"""The frames a trace may have, and the items a case may list (P19)."""

FARTHEST = 1 << 31
"""How far a window may reach (P19)."""

_SIGNS = {And: "&", Or: "|", Implies: "->", Iff: "<->"}
_NAMES: dict[type, str] = {kind: name for table in (_BINARY, _WINDOW, _REACH) for name, kind in table.items()}


class BadCase(ValueError):  # noqa: N818  (it names what the case is)
    """A case is not of the form the protocol gives it; the text says where, for who wrote it."""


class Unsupported(Exception):  # noqa: N818  (it names what the case is)
    """A case is outside of what an engine can answer; the text says why."""


def formula_of(tree: Tree) -> Formula:
    """The core formula a tree stands for; BadCase if it stands for none."""
    # `bool` before anything that is a number: Python's `True` is an `int`.
    match tree:
        case bool(value):
            return Constant(value)
        case str(name) if _NAME.fullmatch(name):
            return Atom(name)
        case ["not", body]:
            return Not(formula_of(body))
        case [str(name), left, right] if name in _BINARY:
            return _BINARY[name](formula_of(left), formula_of(right))
        case [str(name), lo, hi, body] if name in _WINDOW:
            if _bound(lo) > _bound(hi):
                raise BadCase(f"the window of `{name}` has the bounds {lo} > {hi}")
            return _WINDOW[name](lo, hi, formula_of(body))
        case [str(name), radius, left, right] if name in _REACH:
            if _bound(radius) < 0:
                raise BadCase(f"the radius of `{name}` is negative: {radius}")
            return _REACH[name](radius, formula_of(left), formula_of(right))
    raise BadCase(f"{shown(tree)} is not a formula")


def _bound(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadCase(f"{shown(value)} is not a bound; bounds are integers, in frames")
    if abs(value) > FARTHEST:
        raise BadCase(f"a bound is larger than {FARTHEST}")
    return value


def shown(data: Any) -> str:
    """A piece of a case as JSON, cut to a length one can read."""
    text = json.dumps(data, ensure_ascii=False)
    return f"`{text[:_SHOWN]}{'…' if len(text) > _SHOWN else ''}`"


def tree_of(formula: Formula) -> Tree:
    """The tree of a core formula."""
    match formula:
        case Constant(value):
            return value
        case Atom(name):
            return name
        case Not(body):
            return ["not", tree_of(body)]
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return [_NAMES[type(formula)], tree_of(a), tree_of(b)]
        case Eventually(lo, hi, body) | Always(lo, hi, body):
            return [_NAMES[type(formula)], lo, hi, tree_of(body)]
        case Until(radius, a, b) | Since(radius, a, b):
            return [_NAMES[type(formula)], radius, tree_of(a), tree_of(b)]


def formula_text(formula: Formula) -> str:
    """A core formula in the language, bounds in frames; reading it at any step gives the formula back."""
    match formula:
        case Constant(value):
            return "true" if value else "false"
        case Atom(name):
            return name
        case Not(body):
            return f"!{_operand(body)}"
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return f"{_operand(a)} {_SIGNS[type(formula)]} {_operand(b)}"
        case Eventually(lo, hi, body) | Always(lo, hi, body):
            return f"{_NAMES[type(formula)]}[{lo}f,{hi}f] {_operand(body)}"
        case Until(radius, a, b) | Since(radius, a, b):
            return f"{_operand(a)} {_NAMES[type(formula)]}[{radius}f] {_operand(b)}"


def _operand(formula: Formula) -> str:
    text = formula_text(formula)
    return f"({text})" if isinstance(formula, And | Or | Implies | Iff | Until | Since) else text


def renamed(tree: Tree, names: Mapping[str, str]) -> Tree:
    """The tree with other names for its atoms."""
    match tree:
        case str():
            return names[tree]
        case [operator, *rest]:
            return [operator, *(renamed(part, names) for part in rest)]
    return tree


def bits(frames: Sequence[bool]) -> str:
    """A mask as text, one digit a frame."""
    return "".join("1" if active else "0" for active in frames)


def frames_of(text: str) -> list[bool]:
    """The frames of a mask's text; BadCase if it is not made of the digits 0 and 1."""
    if not isinstance(text, str) or set(text) - {"0", "1"}:
        raise BadCase(f"{shown(text)} is not a mask")
    if len(text) > LONGEST:
        raise BadCase(f"a mask has more than {LONGEST} frames")
    return [digit == "1" for digit in text]


# Long masks and streams of verdicts in runs: how the files of vectors keep them short, and how they are read back.

_ITEM = re.compile(r"([01svf])(?:\*([1-9][0-9]{0,9}))?")
_MASK = re.compile(r"[01](\*[1-9][0-9]{0,9})?( [01](\*[1-9][0-9]{0,9})?)*")
_TEXTS = ("text", "contract", "predicate", "name", "derivation")
_SHORT = 64
_LETTERS = {"s": "satisfied", "v": "violated", "f": "free"}


def in_runs(digits: str) -> str:
    """`0001` is `0*3 1`."""
    return " ".join(_run(digit, sum(1 for _ in some)) for digit, some in groupby(digits))


def _run(digit: str, length: int) -> str:
    return digit if length == 1 else f"{digit}*{length}"


def digits_of(text: str) -> str:
    """The digits or letters that a text in runs stands for; BadCase if there are more than a trace may have."""
    items = [_ITEM.fullmatch(item) for item in text.split(" ")]
    if not all(items):
        raise BadCase(f"{shown(text)} is not a mask in runs")
    # Added up before anything is written out: `1*9999999999` is ten characters, and ten gigabytes of mask.
    found = [(item[1], int(item[2] or 1)) for item in items if item]
    if sum(length for _, length in found) > LONGEST:
        raise BadCase(f"{shown(text)} has more than {LONGEST} frames")
    return "".join(digit * length for digit, length in found)


def expanded(data: Any) -> Any:
    """The data with every mask in runs as its digits."""
    return _mapped(data, lambda text: digits_of(text) if "*" in text and _MASK.fullmatch(text) else text)


def compacted(data: Any) -> Any:
    """The data with every long mask in runs, where that is shorter."""
    return _mapped(data, _shortest)


def _shortest(text: str) -> str:
    if len(text) <= _SHORT or set(text) - {"0", "1"}:
        return text
    # Noise is longer in runs than in digits.
    runs = in_runs(text)
    return runs if len(runs) < len(text) else text


def _mapped(data: Any, change: Callable[[str], str]) -> Any:
    match data:
        case str():
            return change(data)
        case list():
            return [_mapped(item, change) for item in data]
        case Mapping():
            return {key: item if key in _TEXTS else _mapped(item, change) for key, item in data.items()}
    return data


def verdicts_out(
    delays: Sequence[int], words: Sequence[Sequence[str]], arrivals: Sequence[int]
) -> Iterator[list[list[Any]]]:
    """What is out at each arrival and at the end, by frame and clause, of the verdicts of whole traces (12.2, 12.3).

    `arrivals` are the frames that come together; the words of a clause are its verdicts, frame by frame.
    """
    known, said = 0, [0] * len(delays)
    for size in (*arrivals, None):
        known += size or 0
        out: list[list[Any]] = []
        for clause, delay in enumerate(delays):
            # At the end every clause says what is left, its windows cut by the end of the trace (rule 12.3).
            end = known if size is None else max(said[clause], known - delay)
            out += [[frame, clause, words[clause][frame]] for frame in range(said[clause], end)]
            said[clause] = end
        yield sorted(out)


def stream_expected(expected: Mapping[str, Any], arrivals: Sequence[int]) -> dict[str, Any]:
    """The expected answer to a stream, its `out` written out where the file has delays and words in runs."""
    out = expected.get("out")
    if not isinstance(out, Mapping):
        return dict(expected)
    words = [[_LETTERS[letter] for letter in digits_of(text)] for text in out["words"]]
    return {**expected, "out": list(verdicts_out(out["delays"], words, arrivals))}


def words_in_runs(words: Sequence[str]) -> str:
    """The verdicts of a clause in runs of their first letters."""
    return in_runs("".join(word[0] for word in words))


# Where a case departs from the schema of what it asks: the first fault with its path, for who wrote the case.

Schema = Mapping[str, Any]
_KINDS: dict[str, tuple[type, str]] = {
    "object": (dict, "an object"),
    "array": (list, "a list"),
    "string": (str, "text"),
    "integer": (int, "an integer"),
    "boolean": (bool, "true or false"),
}


def fault_of(case: Mapping[str, Any]) -> str | None:
    """The first fault of a case, with the path of the part that has it; None if the schema knows of none."""
    definitions = _definitions()
    ask = case.get("ask")
    if ask in ("open", "chunk"):
        stream = definitions["stream_input"]["properties"]
        clauses = {"required": ["clauses"], "properties": {"clauses": stream["clauses"]}}
        schema = definitions["clip"] if ask == "chunk" else clauses
    elif isinstance(ask, str) and f"{ask}_input" in definitions:
        schema = definitions[f"{ask}_input"]
    else:
        return None
    return next(_faults(case, schema, ""), None)


@cache
def _definitions() -> dict[str, Any]:
    text = spec_path("schemas/vector.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)["$defs"]
    return found


def _faults(value: Any, schema: Schema, path: str) -> Iterator[str]:
    """Faults of a part, outer ones first; formulas have words of their own and are left out."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name != "tree":
            yield from _faults(value, _definitions()[name], path)
        return
    if "type" in schema:
        kind, words = _KINDS[schema["type"]]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            yield f"`{path}` is {shown(value)}, not {words}"
            return
    if "enum" in schema and value not in schema["enum"]:
        yield f"`{path}` is {shown(value)}, not {' or '.join(map(shown, schema['enum']))}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        meant = str(schema.get("description", schema["pattern"])).rstrip(".")
        yield f"`{path}` is {shown(value)}, not: {meant[0].lower()}{meant[1:]}"
    if "minimum" in schema and value < schema["minimum"]:
        yield f"`{path}` is {shown(value)}, less than {schema['minimum']}"
    if isinstance(value, dict):
        yield from _of_object(value, schema, path)
    if isinstance(value, list):
        yield from _of_list(value, schema, path)


def _of_object(value: Mapping[str, Any], schema: Schema, path: str) -> Iterator[str]:
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{f'`{path}`' if path else 'it'} lacks `{name}`"
    others = list(schema.get("patternProperties", {}).values())
    for name, part in value.items():
        inner = schema.get("properties", {}).get(name) or (others[0] if others else None)
        if inner is not None:
            yield from _faults(part, inner, f"{path}.{name}" if path else name)


def _of_list(value: list[Any], schema: Schema, path: str) -> Iterator[str]:
    first = schema.get("prefixItems", [])
    least = schema.get("minItems", 0)
    if len(value) < least or (schema.get("items") is False and len(value) > len(first)):
        most = f" to {len(first)}" if first and len(first) > least else "" if first else " or more"
        yield f"`{path}` has {len(value)} entries, not {least}{most}"
        return
    for number, part in enumerate(value):
        inner = first[number] if number < len(first) else schema.get("items")
        if inner:
            yield from _faults(part, inner, f"{path}[{number}]")
