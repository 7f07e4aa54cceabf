"""Frozen dataclasses that are cheap to declare are those of the standard library in all that anybody can see."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracepact.declarations import dataclass


def declare(decorator: Callable[..., Any], **more: bool) -> Any:
    @decorator(frozen=True, slots=True, **more)
    class Shape:
        """A class with every kind of field."""

        name: str
        size: int = 1
        made: list[int] = dataclasses.field(default_factory=list)
        place: int = dataclasses.field(default=0, compare=False, repr=False)

        def __post_init__(self) -> None:
            if self.size < 0:
                raise ValueError("negative")

        @property
        def double(self) -> int:
            return 2 * self.size

    return Shape


Ours, Theirs = declare(dataclass), declare(dataclasses.dataclass)
VALUES = st.tuples(st.sampled_from("ab"), st.integers(0, 1), st.just([]), st.integers(0, 1))


@dataclass(frozen=True, slots=True)
class Point:
    """What can be pickled must be at the top of a module."""

    x: int
    y: int = 2


@given(VALUES, VALUES)
def test_equality_and_text_are_those_of_the_standard_dataclass(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    assert (Ours(*one) == Ours(*other)) is (Theirs(*one) == Theirs(*other))
    assert repr(Ours(*one)) == repr(Theirs(*one))


@given(st.integers(), st.integers(), st.integers(), st.integers())
def test_equal_ones_have_one_hash(a: int, b: int, c: int, d: int) -> None:
    if Point(a, b) == Point(c, d):
        assert hash(Point(a, b)) == hash(Point(c, d))
    assert len({Point(a, b), Point(a, b)}) == 1


def test_another_class_with_the_same_fields_is_not_equal() -> None:
    assert Ours("a") != Theirs("a")
    assert Point(1, 2) != (1, 2)


def test_nothing_is_hashed_that_is_not_compared() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Ours("a"))
    bare = declare(dataclass, eq=False)
    assert bare("a") != bare("a")
    assert hash(bare("a"))


@pytest.mark.parametrize("cls", [Ours, Theirs])
def test_a_field_cannot_be_set_or_deleted_and_no_other_can_be_added(cls: Any) -> None:
    shape = cls("a")
    for name in ("name", "new"):
        with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
            setattr(shape, name, 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        del shape.name
    assert not hasattr(shape, "__dict__")


@pytest.mark.parametrize("cls", [Ours, Theirs])
def test_arguments_are_checked_and_what_follows_is_called(cls: Any) -> None:
    assert cls("a", size=3).double == 6
    assert cls("a").made is not cls("a").made
    for wrong in ((), ("a", 1, [], 0, 0)):
        with pytest.raises(TypeError):
            cls(*wrong)
    with pytest.raises(TypeError, match="unexpected keyword"):
        cls("a", colour=1)
    with pytest.raises(ValueError, match="negative"):
        cls("a", -1)


def test_the_tools_for_dataclasses_work() -> None:
    point = Point(1)
    assert [field.name for field in dataclasses.fields(Point)] == ["x", "y"]
    assert dataclasses.replace(point, y=5) == Point(1, 5)
    assert dataclasses.asdict(point) == {"x": 1, "y": 2}
    assert pickle.loads(pickle.dumps(point)) == copy.deepcopy(point) == point
    assert list(inspect.signature(Point).parameters) == ["x", "y"]
    match point:
        case Point(x, y):
            assert (x, y) == (1, 2)


def mutable(decorator: Callable[..., Any]) -> Any:
    @decorator(slots=True)
    class Counter:
        number: int = 0
        seen: list[int] = dataclasses.field(default_factory=list, init=False)
        later: int = dataclasses.field(init=False, repr=False, compare=False)

        def __post_init__(self) -> None:
            self.later = self.number + 1

    return Counter


@pytest.mark.parametrize("decorator", [dataclass, dataclasses.dataclass])
def test_what_is_not_frozen_can_change_and_has_no_hash(decorator: Callable[..., Any]) -> None:
    cls = mutable(decorator)
    counter = cls(3)
    counter.number = 4
    assert (counter, counter.later, repr(counter).rpartition(".")[2]) == (cls(4), 4, "Counter(number=4, seen=[])")
    assert cls().seen is not cls().seen
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)
    with pytest.raises(TypeError, match="positional"):
        cls(1, [])


def test_a_class_that_has_made_nothing_yet_tells_its_arguments_and_can_be_inherited() -> None:
    theirs, ours = mutable(dataclasses.dataclass), mutable(dataclass)
    assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)

    class Named(mutable(dataclass)):  # type: ignore[misc]  # a class made by a function
        def __init__(self, name: str) -> None:
            super().__init__(7)
            self.name = name

    assert (Named("a").number, Named("b").later) == (7, 8)
