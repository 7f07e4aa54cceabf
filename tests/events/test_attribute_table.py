"""The table of attributes: complete wherever an attribute has a form of its own, and what the language's rules say."""

import re
from fractions import Fraction
from itertools import pairwise

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

from tracepact.conform import event_definitions as oracle
from tracepact.declarations import spec_path
from tracepact.evaluate.masks import matching, obligations
from tracepact.evaluate.predicates import ClipScene, Obligation, Unbounded, truth_of, value_of
from tracepact.language.formula import FrameRun
from tracepact.language.predicate import (
    ATTRIBUTES,
    Attribute,
    ConstantTerm,
    Each,
    Flag,
    Relation,
    TermComparison,
    TermType,
    writable_attributes,
)
from tracepact.logic.arithmetic import SymbolicInterval, SymbolicObligation

from .builders import GREEDY, STEP, run_lists

pytestmark = pytest.mark.slow

ALL = [(each, text) for each in Each for text in writable_attributes(each)]
EACH_ATTRIBUTE = pytest.mark.parametrize(("each", "text"), ALL, ids=[f"{each.value} {text}" for each, text in ALL])
FEWER = settings(max_examples=max(sized(30), settings().max_examples // 6))
Runs = list[FrameRun]
sides = st.one_of(run_lists(), st.just([(0, 60)]))  # the long run has several runs of the other side in it, and gaps


def chapter_4() -> str:
    text = spec_path("language.md").read_text(encoding="utf-8")
    return text[text.index("## 4 ") : text.index("## 5 ")]


def some_obligations(each: Each, refs: Runs, preds: Runs, others: list[Runs]) -> list[Obligation]:
    scene = ClipScene(tuple(refs), tuple(preds), tuple(map(tuple, others)))
    return obligations(each, scene, matching(GREEDY, STEP)(refs, preds))


def in_oracle(attribute: Attribute, o: Obligation) -> bool | Fraction | str | None:
    """The oracle's value: in seconds if a time, None where it is missing."""
    scene = oracle.DefinedScene(o.scene.refs, o.scene.preds, o.scene.refs_of_other_classes, frozenset(), STEP)
    asked = oracle._Obligation(o.ref, o.pred, scene)
    if attribute.quantity is TermType.TRUTH:
        return oracle._flag(attribute.name, asked)
    found = oracle._attribute(attribute, asked)
    return None if found is None else "unbounded" if found == oracle.UNBOUNDED else found[1]


def is_missing(attribute: Attribute, o: Obligation) -> bool:
    return {"ref": o.ref is None, "pred": o.pred is None, "pair": None in (o.ref, o.pred)}[attribute.owner.value]


@EACH_ATTRIBUTE
@FEWER
@given(sides, sides, st.lists(run_lists(), max_size=2))
def test_an_attribute_is_in_the_evaluator_what_it_is_in_the_oracle(
    each: Each, text: str, refs: Runs, preds: Runs, others: list[Runs]
) -> None:
    attribute = writable_attributes(each)[text]
    for o in some_obligations(each, refs, preds, others):
        expected = in_oracle(attribute, o)
        if attribute.quantity is TermType.TRUTH:
            assert truth_of(attribute)(o) is expected
        elif is_missing(attribute, o):
            assert expected is None
        else:
            value = value_of(attribute)(o)
            unit = STEP if attribute.quantity is TermType.TIME else 1
            assert ("unbounded" if isinstance(value, Unbounded) else value * unit) == expected
            assert attribute.kind.may_be_unbounded or not isinstance(value, Unbounded)


def symbolic(o: Obligation, each: Each) -> SymbolicObligation:
    """An obligation whose numbers are known, counted frame by frame."""

    def interval(run: FrameRun | None, others: tuple[FrameRun, ...]) -> SymbolicInterval:
        start, end = run or (0, 1)
        over = [other for other in others if max(start, other[0]) < min(end, other[1])]
        frames = sum(any(s <= i < e for s, e in over) for i in range(start, end))
        gaps = [b[0] - a[1] for a, b in pairwise(over)]
        numbers = start, end, len(over), frames, max(gaps, default=0), min(gaps, default=0)
        return SymbolicInterval(*map(z3.IntVal, numbers))

    ref, pred = interval(o.ref, o.scene.preds), interval(o.pred, o.scene.refs)
    matched = z3.BoolVal(None not in (o.ref, o.pred))
    dominant = z3.BoolVal(oracle_dominant(o))
    return SymbolicObligation("known", each, STEP, ref, pred, matched, dominant, z3.main_ctx())


def oracle_dominant(o: Obligation) -> bool:
    return bool(in_oracle(Attribute(ATTRIBUTES["dominant"].owners[0], "dominant", TermType.TRUTH), o))


@EACH_ATTRIBUTE
@FEWER
@given(sides, sides, st.sampled_from(list(Relation)), st.integers(0, 12))
def test_an_attribute_is_in_arithmetic_what_it_is_in_the_oracle(
    each: Each, text: str, refs: Runs, preds: Runs, relation: Relation, number: int
) -> None:
    attribute = writable_attributes(each)[text]
    bound = number * {TermType.TIME: STEP, TermType.RATIO: Fraction(1, 4)}.get(attribute.quantity, Fraction(1))
    if attribute.quantity is TermType.TRUTH:
        atom: TermComparison | Flag = Flag(attribute)
    else:
        atom = TermComparison(relation, attribute, ConstantTerm(bound, attribute.quantity), attribute.quantity)
    for o in some_obligations(each, refs, preds, []):
        found = symbolic(o, each)
        asked = found._event_atom(atom)
        solver = z3.Solver()
        solver.add(*found.constraints, asked)
        scene = oracle.DefinedScene(o.scene.refs, o.scene.preds, (), frozenset(), STEP)
        assert (solver.check() == z3.sat) is oracle._atom(atom, oracle._Obligation(o.ref, o.pred, scene))


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_the_rule_of_an_attribute_says_its_name_and_its_type(name: str) -> None:
    kind = ATTRIBUTES[name]
    rule = re.search(rf"\*\*{kind.rule}\*\* (.*?)(?=^- \*\*|\Z)", chapter_4(), re.MULTILINE | re.DOTALL)
    assert rule
    said = re.findall(rf"`(?:ref\.|pred\.)?{name}`[^()]*\((\w+)\)", rule[1])
    assert said
    assert said[0] == kind.quantity.value


def test_the_rules_name_no_attribute_that_is_not_in_the_table() -> None:
    rules = re.findall(r"^- \*\*4\.(?:5|6|7|8|9|10)\*\* .*?(?=^- \*\*|\Z)", chapter_4(), re.MULTILINE | re.DOTALL)
    typed = re.findall(r"((?:`[\w.]+`(?:, | and )?)+) \((?:time|ratio|count|truth)\)", "".join(rules))
    named = {word.rpartition(".")[2] for group in typed for word in re.findall(r"`([\w.]+)`", group)}
    assert named == set(ATTRIBUTES)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_the_words_of_an_attribute_say_its_unit(name: str) -> None:
    kind = ATTRIBUTES[name]
    said = {TermType.TIME: "seconds", TermType.RATIO: "0 to 1", TermType.COUNT: "number", TermType.TRUTH: "whether"}
    assert said[kind.quantity] in kind.words
    assert kind.quantity.unit
