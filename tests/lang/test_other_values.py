"""Contracts at other values of their parameters: the same as with these values in the text, which is read once."""

from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracepact.diagnostics.collection import InvalidInput
from tracepact.language import compilation
from tracepact.language.compilation import at_sweep_point, at_value, override, parse_contract
from tracepact.language.contract import Contract
from tracepact.language.lowering import ContractLowering

OTHER_VALUES = """contract c
step 20ms
param time = 40ms
param other = 3f
param share = 0.5
sweep time = 20ms 60ms
merge_gap other
soft_scale time
matcher greedy(search = time, overlap_reward = share)
clause near on N[other] ref_onset : F[-time,other] pred_onset
clause long on each matched : abs(pred.onset - ref.onset) <= time and iou >= share * 0.5
"""
DECLARED = {"time": "40ms", "other": "3f", "share": "0.5"}
WRITTEN = {
    "time": st.sampled_from(["1ms", "40ms", "0.04s", "2f", "1/3s"]),
    "other": st.sampled_from(["3f", "60ms", "50ms"]),
    "share": st.sampled_from(["0", "0.5", "1/2", "1/3"]),
}
settings_of_parameters = st.fixed_dictionaries({}, optional=WRITTEN)


def in_place(values: dict[str, str]) -> str:
    """The text with these values where the declared ones stand."""
    text = OTHER_VALUES
    for name, value in values.items():
        text = text.replace(f"param {name} = {DECLARED[name]}", f"param {name} = {value}")
    return text


def without_marks(contract: Contract) -> Contract:
    """The contract as if its values had been declared."""
    return replace(contract, parameters=tuple(replace(p, overridden=False) for p in contract.parameters))


def assert_same(contract: Contract, read: Contract) -> None:
    """All is equal but the places in the text, which move with the length of the values."""
    for field in fields(Contract):
        if field.name not in ("clauses", "parsed", "source", "statements", "warnings"):
            assert getattr(contract, field.name) == getattr(read, field.name), field.name
    assert [(c.name, c.formula) for c in contract.clauses] == [(c.name, c.formula) for c in read.clauses]
    assert [c.event_atoms for c in contract.event_clauses] == [c.event_atoms for c in read.event_clauses]


@given(settings_of_parameters, settings_of_parameters)
def test_a_contract_at_other_values_is_the_one_with_these_values_in_its_text(
    first: dict[str, str], second: dict[str, str]
) -> None:
    declared = parse_contract(OTHER_VALUES)
    at_first = override(declared, first)
    assert_same(without_marks(at_first), parse_contract(in_place(first)))
    at_both = override(at_first, second)
    assert_same(without_marks(at_both), parse_contract(in_place({**first, **second})))
    assert at_both == parse_contract(OTHER_VALUES, {**first, **second})
    assert {p.name for p in at_both.parameters if p.overridden} == {*first, *second}
    assert override(declared, {}) == declared


@given(st.fractions(Fraction(1, 1000), 2))
def test_a_value_in_seconds_is_written_in_the_unit_of_its_parameter(value: Fraction) -> None:
    contract = parse_contract(OTHER_VALUES)
    for name, unit in (("time", "ms"), ("other", "f"), ("share", "")):
        moved = {p.name: p for p in at_value(contract, name, value).parameters}
        assert moved[name].value == value
        assert moved[name].text.endswith(unit)
        assert {p.name: p.value for p in contract.parameters if p.name != name} == {
            p.name: p.value for p in moved.values() if p.name != name
        }


def test_a_text_is_read_once_and_lowered_once_for_every_value(monkeypatch: pytest.MonkeyPatch) -> None:
    lowered: list[frozenset[str]] = []
    original = ContractLowering.contract

    def counted(self: ContractLowering) -> Contract:
        lowered.append(self.overridden)
        return original(self)

    monkeypatch.setattr(ContractLowering, "contract", counted)
    monkeypatch.setattr(compilation, "read_document", Mock(wraps=compilation.read_document))
    contract = parse_contract(OTHER_VALUES)
    assert len(lowered) == 3, "its own values, and the two of its sweep"
    for _ in range(2):
        override(contract, {"time": "60ms"})
        at_value(contract, "time", Fraction(6, 100))
        override(contract, {"time": "80ms"})
        override(override(contract, {"time": "20ms"}), {"time": "80ms"})
    assert len(lowered) == 4
    assert compilation.read_document.call_count == 1


def test_a_value_that_a_contract_refuses_is_refused_each_time() -> None:
    contract = parse_contract(OTHER_VALUES)
    for _ in range(2):
        with pytest.raises(InvalidInput) as error:
            override(contract, {"other": "-1f", "tim": "20ms"})
        assert {d.code for d in error.value.diagnostics} == {"negative-radius", "out-of-range", "unknown-override"}
        with pytest.raises(InvalidInput):
            at_value(contract, "other", Fraction(-1))
    assert override(contract, {"other": "1f"}).merge_gap == Fraction(20, 1000)


@pytest.mark.parametrize("bare", ["80", 80, "-80", "10"])
@pytest.mark.parametrize("way", [parse_contract, lambda text, values: override(parse_contract(text), values)])
def test_a_large_time_without_a_unit_is_refused(way: Callable[..., Contract], bare: Any) -> None:
    text = "contract c\nstep 20ms\nparam tol = 40ms\nclause a on ref_onset : N[tol] pred_onset\n"
    with pytest.raises(InvalidInput) as refused:
        way(text, {"tol": bare})
    (found,) = refused.value.diagnostics
    assert found.code == "unit-mismatch"
    assert found.help == f"write `{bare}ms`; the units are ms, s and f (frames)"
    assert way(text, {"tol": 0.08}).digest == way(text, {"tol": "0.08"}).digest
    swept = parse_contract(text + "sweep tol = 40ms 80\n")
    assert at_sweep_point(swept, "tol", "80").parameters[0].value == 80


def test_a_plain_number_needs_no_unit() -> None:
    numbers: dict[str, Any] = {"share": 0.25}
    assert override(parse_contract(OTHER_VALUES), numbers).matcher.overlap_reward == Fraction(1, 4)
