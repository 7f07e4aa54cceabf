"""Records: their JSON, the schema of it, and the way back."""

import json
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tracepact.records import Count, Exact, Name, NotNegative, OneOf, Record, plain, record_bytes, record_of, schema_of


class Place(OneOf):
    """Where."""


class Point(Record, Place, frozen=True):
    """A point, with a docstring
    of two lines.
    """

    at: NotNegative


class Span(Record, Place, frozen=True):
    """A span."""

    at: Fraction
    to: Fraction


class Thing(Record, frozen=True):
    """A thing."""

    name: Name
    place: Place | None
    sizes: dict[Name, Count]
    shares: tuple[Fraction, ...] = ()


names = st.from_regex("[A-Za-z_][A-Za-z0-9_]*", fullmatch=True)
places = st.one_of(
    st.none(),
    st.builds(Point, st.fractions(min_value=0)),
    st.builds(Span, st.fractions(), st.fractions()),
)
things = st.builds(Thing, names, places, st.dictionaries(names, st.integers(0, 9)), st.lists(st.fractions()).map(tuple))
SCHEMA = schema_of(Thing, "thing.schema.json", "A thing")


def is_valid(data: Any) -> bool:
    return Draft202012Validator(SCHEMA).is_valid(data)


@given(things)
def test_what_a_record_becomes_is_of_its_schema_and_becomes_the_record_again(thing: Thing) -> None:
    data = json.loads(json.dumps(plain(thing)))
    assert is_valid(data)
    assert record_of(data, Thing) == thing


@given(things)
def test_another_form_is_refused_by_the_schema_and_on_the_way_back(thing: Thing) -> None:
    data = json.loads(json.dumps(plain(thing)))
    for change in ({"more": 1}, {"place": {"from": "1"}}, {"sizes": {"not a name": 1}}, {"sizes": {"a": -1}}):
        assert not is_valid(data | change)
        with pytest.raises(msgspec.ValidationError):
            record_of(data | change, Thing)
    assert not is_valid({key: value for key, value in data.items() if key != "name"})


def test_a_number_below_zero_is_refused_where_none_may_be() -> None:
    data = {"name": "a", "sizes": {}, "shares": []}
    assert is_valid(data | {"place": {"at": "1/2"}})
    assert not is_valid(data | {"place": {"at": "-1/2"}})
    assert is_valid(data | {"place": {"at": "-1/2", "to": "0"}})


def test_docstrings_are_descriptions_on_one_line() -> None:
    assert SCHEMA["description"] == "A thing."
    assert SCHEMA["$defs"]["Point"]["description"] == "A point, with a docstring of two lines."
    assert SCHEMA["title"] == "A thing"


def test_a_list_and_one_of_several_records_have_schemas_too() -> None:
    listed = schema_of(list[Thing], "things.schema.json", "Things")
    assert (listed["type"], listed["items"]) == ("array", {"$ref": "#/$defs/Thing"})
    either = schema_of(Place, "place.schema.json", "A place")
    assert Draft202012Validator(either).is_valid({"at": "1"})
    assert not Draft202012Validator(either).is_valid({"to": "1"})


def test_a_fraction_of_thousands_of_digits_is_written_whole() -> None:
    """Python itself refuses to write integers of more than 4,300 digits."""
    text = f"{'7' * 5000}/1{'0' * 6000}"
    assert record_bytes(Exact(Fraction(int("7" * 4000) * 10**1000 + int("7" * 1000), 10**6000), 0.0)).decode() == (
        f'{{"value":"{text}","decimal":0.0}}'
    )
