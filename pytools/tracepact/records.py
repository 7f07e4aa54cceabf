"""Typed records: frozen structs with their JSON, the schema of it, and a checked way back."""

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from tracepact.wording import rounded

# Typed results: frozen records, the plain data and JSON they become, and the schema generated from their types.
#
# What a command returns is a `Record`. Its class is the only place where the keys of its JSON are written down: the
# data (`plain`), the schema (`schema_of`) and the checked way back (`record_of`) all follow from it. Records are
# msgspec structs: frozen, slotted, without code at import time, validated when they are read back, and with a
# schema; dataclasses and typed dictionaries have neither of the last two without a second description of every key.

_EXACT = r"^-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?$"
_LONGEST = 4000
_MANY = 10_000
"""Bits of a whole number from which on it is written by way of a decimal: Python refuses to write longer integers."""
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_SECTIONS = re.compile(r"\n\s*(?:Args|Attributes|Examples|Raises|Returns):\n")
_R = TypeVar("_R", bound="Record")

Name = Annotated[str, Meta(pattern="^[A-Za-z_][A-Za-z0-9_]*$", description="A name (1.3).")]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="A SHA-256, in hexadecimal.")]
Count = Annotated[int, Meta(ge=0)]
Share = Annotated[
    Fraction,
    Meta(
        description="An exact value from 0 to 1: a whole number or a reduced fraction.",
        extra_json_schema={"pattern": "^(0|1|[1-9][0-9]*/[1-9][0-9]*)$"},
    ),
]
ShareDecimal = Annotated[float, Meta(ge=0, le=1, description="The value rounded to six decimals, for reading only.")]
NotNegative = Annotated[Fraction, Meta(extra_json_schema={"pattern": _EXACT.replace("-?", "")})]


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of every typed result; its fields, in their order, are the keys of its JSON."""

    def to_dict(self) -> dict[str, Any]:
        """The record as plain data: dictionaries, lists, texts, numbers; exact values as fractions in text."""
        data: dict[str, Any] = plain(self)
        return data


class OneOf:
    """The base of a type that is one of several records: `class Place(OneOf)`, `class Row(Record, Place, frozen=True)`.

    Its schema is any of its subclasses; plain data becomes the first of them that it has the form of.
    """

    __slots__ = ()


class Exact(Record, frozen=True):
    """An exact value, and its decimal for reading."""

    value: Fraction
    decimal: float

    @classmethod
    def of(cls, value: Fraction) -> "Exact":
        """The record of a fraction; its decimal has six places."""
        return cls(value, rounded(value))


def plain(data: Any) -> Any:
    """Records and what holds them as plain data, ready for JSON."""
    return _listed(msgspec.to_builtins(data, enc_hook=_encoded))


def _listed(data: Any) -> Any:
    """Plain data with lists for the tuples of records, as JSON has them when it is read back."""
    # msgspec leaves tuples as they are, which would differ from the lists of JSON that was read back.
    if isinstance(data, dict):
        return {key: _listed(value) for key, value in data.items()}
    return [_listed(value) for value in data] if isinstance(data, list | tuple) else data


def record_of(data: Any, kind: type[_R]) -> _R:
    """The record that plain data, such as JSON that was read back, stands for.

    msgspec.ValidationError names the first place where it is not of the record's form.
    """
    try:
        return msgspec.convert(data, kind, dec_hook=_decoded)
    except UnicodeEncodeError as error:
        raise msgspec.ValidationError("a text holds half of a pair of surrogates, which is no sign") from error


def record_bytes(record: Record) -> bytes:
    """A record as the bytes of its JSON, with its keys in their order: equal records have equal bytes."""
    return msgspec.json.encode(record, enc_hook=_encoded)


def record_from_bytes(data: bytes, kind: type[_R]) -> _R:
    """The record that such bytes hold; msgspec.ValidationError or DecodeError if they do not."""
    return msgspec.json.decode(data, type=kind, dec_hook=_decoded)


def schema_of(kind: Any, name: str, title: str) -> dict[str, Any]:
    """The JSON Schema of the plain data of a record, or of another type over records, as the file of this name.

    Docstrings of records are its descriptions.
    """
    # Types that msgspec does not know name further records, which may name more: repeated until no new one appears.
    kinds = [kind]
    while True:
        variants: dict[type, None] = {}
        (top, *_), definitions = msgspec.json.schema_components(kinds, schema_hook=partial(_schema, variants))
        missing = [variant for variant in variants if variant not in kinds]
        if not missing:
            break
        kinds += missing
    if (root := top.get("$ref", "").removeprefix("#/$defs/")) in definitions:
        top = definitions.pop(root)
    for definition in definitions.values():
        definition.pop("title", None)  # the name of a class of ours
    schema = {"$schema": _DRAFT, "$id": name, **top, "title": title}
    closed: dict[str, Any] = _closed({**schema, "$defs": dict(sorted(definitions.items()))} if definitions else schema)
    return closed


def _closed(schema: Any) -> Any:
    """A schema whose mappings say by a pattern which keys they take, as every other object does by name.

    Descriptions become one line each, without the sections of a docstring that are for Python.
    """
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(part) for key, part in schema.items()}
    if isinstance(said := closed.get("description"), str):
        closed["description"] = " ".join(_SECTIONS.split(said)[0].split())
    if closed.get("type") == "object" and closed.get("additionalProperties", True) is not False:
        pattern = closed.pop("propertyNames", {}).get("pattern", "^.*$")
        closed["patternProperties"] = {pattern: closed.get("additionalProperties", True)}
        closed["additionalProperties"] = False
    return closed


def exact_text(value: Fraction) -> str:
    """A fraction as text, as long as it is: means over many thresholds have thousands of digits."""
    # Python limits the digits of integers it writes, which take quadratic time; decimals have no such limit.
    top, bottom = (number if number.bit_length() < _MANY else Decimal(number) for number in value.as_integer_ratio())
    return str(top) if bottom == 1 else f"{top}/{bottom}"


def _encoded(value: Any) -> Any:
    if isinstance(value, Fraction):
        return exact_text(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise NotImplementedError(f"no form in JSON for {type(value).__name__}")


def _decoded(kind: type, value: Any) -> Any:
    if issubclass(kind, OneOf):
        for variant in kind.__subclasses__():
            try:
                return msgspec.convert(value, variant, dec_hook=_decoded)
            except msgspec.ValidationError:
                continue
        raise ValueError(f"expected one of {', '.join(variant.__name__ for variant in kind.__subclasses__())}")
    if kind is not Fraction:
        raise NotImplementedError(f"no {kind.__name__} from {type(value).__name__}")
    if not isinstance(value, str) or len(value) > _LONGEST or not re.fullmatch(_EXACT, value):
        raise ValueError("expected an exact number in text, such as `3/4`")
    return Fraction(value)


def _schema(variants: dict[type, None], kind: type) -> dict[str, Any]:
    """The schema of what msgspec does not know; `variants` are told which records it needs beside."""
    if kind is Fraction:
        return {"type": "string", "pattern": _EXACT, "description": "An exact number, whole or as a fraction."}
    if issubclass(kind, OneOf):
        variants |= dict.fromkeys(kind.__subclasses__())
        schema: dict[str, Any] = {"anyOf": [{"$ref": f"#/$defs/{v.__name__}"} for v in kind.__subclasses__()]}
        return {**schema, "description": kind.__doc__} if kind.__doc__ else schema
    raise NotImplementedError(f"no schema for {kind.__name__}")
