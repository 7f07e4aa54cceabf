"""Where a case departs from the schema of what it asks: the first fault with its path, for who wrote the case."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from tracepact.specs import spec_path
from tracepact.tools.conform.trees import shown

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
