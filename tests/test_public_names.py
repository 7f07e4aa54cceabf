"""The public names: each says what it takes, gives and raises, with an example that runs."""

import dataclasses
import doctest
import enum
import inspect
import re
import types
from typing import Any

import pytest

import tracepact

FUNCTIONS = [name for name in tracepact.__all__ if inspect.isfunction(getattr(tracepact, name))]
CLASSES = [name for name in tracepact.__all__ if inspect.isclass(getattr(tracepact, name))]
METHODS = [
    f"{name}.{method}"
    for name in CLASSES
    for method, found in inspect.getmembers(getattr(tracepact, name), inspect.isroutine)
    if not method.startswith("_") and getattr(found, "__module__", "").startswith("tracepact")
]


def sections(documented: Any) -> dict[str, str]:
    """The sections of a docstring by heading: `Args`, `Returns`, …"""
    parts = re.split(r"^([A-Z][a-z]+):$", inspect.getdoc(documented) or "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def entries(section: str) -> list[str]:
    """The names that a section describes."""
    return re.findall(r"^ {4}(\w+): \S", section, re.MULTILINE)


def test_every_public_name_is_a_function_or_a_class_or_stands_for_some() -> None:
    unions = [name for name in tracepact.__all__ if isinstance(getattr(tracepact, name), types.UnionType)]
    assert sorted(FUNCTIONS + CLASSES + unions) == sorted(tracepact.__all__)


@pytest.mark.parametrize("name", FUNCTIONS + CLASSES)
def test_the_examples_of_a_public_name_run(name: str) -> None:
    documented = getattr(tracepact, name)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    found = doctest.DocTestFinder().find(documented, name, module=inspect.getmodule(documented), globs={})
    assert any(test.name == name and test.examples for test in found), "no example"
    said: list[str] = []
    for test in found:
        runner.run(test, out=said.append)
    assert not runner.summarize(verbose=False).failed, "".join(said)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_describes_every_parameter_and_its_result(name: str) -> None:
    function = getattr(tracepact, name)
    described = sections(function)
    assert entries(described.get("Args", "")) == list(inspect.signature(function).parameters)
    assert described["Returns"].strip()


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if inspect.signature(getattr(tracepact, name)).parameters])
def test_a_public_function_that_takes_input_says_what_it_raises(name: str) -> None:
    assert "InvalidInput" in entries(sections(getattr(tracepact, name))["Raises"])


@pytest.mark.parametrize("name", CLASSES)
def test_a_public_class_describes_its_attributes_or_arguments(name: str) -> None:
    described = getattr(tracepact, name)
    attributes, arguments = (entries(sections(described).get(part, "")) for part in ("Attributes", "Args"))
    if dataclasses.is_dataclass(described):
        fields = dataclasses.fields(described)
        assert attributes == [field.name for field in fields if field.repr or field.name in attributes]
    elif issubclass(described, enum.Enum):
        assert attributes == list(described.__members__)
    else:
        assert attributes or arguments == list(inspect.signature(described).parameters)


@pytest.mark.parametrize("name", METHODS)
def test_a_public_method_describes_every_parameter_and_its_result(name: str) -> None:
    owner, _, method = name.partition(".")
    function = getattr(getattr(tracepact, owner), method)
    described, signature = sections(function), inspect.signature(function)
    assert entries(described.get("Args", "")) == [
        parameter for parameter in signature.parameters if parameter != "self"
    ]
    assert signature.return_annotation is None or described["Returns"].strip()
