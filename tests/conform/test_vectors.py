"""The conformance vectors: sound as a suite, and answered alike by the definitions and by the fast path."""

import json
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from strategies import formulas

from tracepact.conform.engines import FAST, REFERENCE, CaseEngine
from tracepact.conform.oracle import ASKS, ConformanceProfile, Vector, answer, differences, suite
from tracepact.conform.protocol import formula_of, formula_text, tree_of
from tracepact.data.events import exact
from tracepact.declarations import spec_path
from tracepact.diagnostics.findings import CODES, Severity
from tracepact.language.compilation import parse_formula
from tracepact.language.contract import Matcher, MatcherKind
from tracepact.language.formula import Always, Eventually, Formula, Since, atoms, subformulas

FILES = sorted(spec_path("conformance").glob("*.json"))
LANGUAGE = spec_path("language.md").read_text(encoding="utf-8")
RULES = re.findall(r"^- \*\*([0-9]+\.[0-9]+)\*\*", LANGUAGE, re.MULTILINE)
WITHOUT_VECTOR = {"bad-encoding", "file-too-large"}
"""A JSON text is decoded already, and one of more than 1 MiB has no place in the suite."""


@pytest.mark.parametrize("engine", [REFERENCE, FAST], ids=lambda engine: engine.name)
@pytest.mark.parametrize("topic", sorted({vector.topic for vector in suite()}))
def test_every_vector_is_answered_as_expected(topic: str, engine: CaseEngine) -> None:
    wrong = []
    for vector in suite():
        if vector.topic == topic:
            given = answer(vector.input, engine)
            wrong += [
                f"{vector.id}: {key} is {given.get(key)!r}, expected {vector.expected[key]!r}; {vector.derivation}"
                for key in differences(vector.expected, given)
            ]
    assert not wrong, "\n".join(wrong)


def test_there_are_at_least_three_hundred_vectors_and_some_of_every_topic_profile_and_ask() -> None:
    assert len(suite()) >= 300
    assert {vector.topic for vector in suite()} == {path.stem for path in FILES}
    assert {vector.profile for vector in suite()} == set(ConformanceProfile)
    assert {vector.input["ask"] for vector in suite()} == set(ASKS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_vectors_is_valid_and_holds_one_topic(path: object) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    schema = json.loads(spec_path("schemas/vector.schema.json").read_text(encoding="utf-8"))
    found = [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(data)]
    assert found == []
    assert {vector["topic"] for vector in data["vectors"]} == {data["topic"]} == {path.stem}  # type: ignore[attr-defined]
    assert all(vector["id"].startswith(f"{data['topic']}/") for vector in data["vectors"])


def test_ids_and_inputs_are_distinct() -> None:
    ids = Counter(vector.id for vector in suite())
    inputs = Counter(json.dumps(vector.input, sort_keys=True) for vector in suite())
    assert [id for id, count in ids.items() if count > 1] == []
    assert [text for text, count in inputs.items() if count > 1] == []


def test_every_rule_of_the_language_is_shown_and_every_cited_rule_exists() -> None:
    cited = {rule for vector in suite() for rule in vector.rules}
    for file in ("soft/values.json", "thresholds/curves.json"):
        beside = json.loads(spec_path(f"conformance/{file}").read_text(encoding="utf-8"))["vectors"]
        cited |= {rule for vector in beside for rule in vector["rules"]}
    language = set(RULES)
    assert len(language) > 80
    assert sorted(language - cited) == []
    assert sorted(cited - language) == []


def test_every_code_of_the_contract_text_has_an_invalid_vector_with_one_fault() -> None:
    invalid = [v for v in suite() if v.topic == "syntax" and len(v.expected.get("errors", ())) == 1]
    shown = {vector.expected["errors"][0]["code"] for vector in invalid}
    codes = list(CODES)
    text = {c for c in codes[: codes.index("unreadable-file")] if CODES[c].severity is Severity.ERROR}
    assert sorted(text - shown - WITHOUT_VECTOR) == []
    assert shown <= set(CODES)


def test_the_codes_of_the_protocol_are_those_that_vectors_show() -> None:
    protocol = spec_path("protocol.md").read_text(encoding="utf-8").partition("## Codes")[2]
    told = set(re.findall(r"^\| `([a-z-]+)` \|", protocol, re.MULTILINE))
    shown: set[str] = set()
    for vector in suite():
        shown |= {fault if isinstance(fault, str) else fault["code"] for fault in vector.expected.get("errors", ())}
        shown |= set(vector.expected.get("warnings", ()))
    assert sorted(shown - told) == []
    assert sorted(told - shown - WITHOUT_VECTOR) == []
    assert told <= CODES.keys()
    for line in re.findall(r"^\| `.*$", protocol, re.MULTILINE):
        code, rules, meaning = (part.strip() for part in line.strip("|").split("|"))
        code = code.strip("`")
        assert (rules, meaning) == (", ".join(CODES[code].rules) or "–", CODES[code].meaning)


def test_a_span_lies_in_its_text() -> None:
    for vector in suite():
        for fault in vector.expected.get("errors", []) if vector.topic == "syntax" else []:
            if fault["span"] is not None:
                start, end = fault["span"]
                assert 0 <= start <= end <= len(vector.input["text"])


def _formulas(vector: Vector) -> list[Formula]:
    data = vector.input
    trees = [data.get("formula"), data.get("obligation")]
    return [formula_of(tree) for tree in trees if tree is not None]


def _looks_back(formula: Formula) -> bool:
    """Whether a formula belongs to the profile `past`: it has `S`, or a window with a negative end."""
    return any(isinstance(p, Since) or (isinstance(p, Eventually | Always) and p.lo < 0) for p in subformulas(formula))


def test_the_profile_of_a_frame_vector_is_that_of_its_formulas() -> None:
    for vector in suite():
        if vector.input["ask"] in ("verdicts", "clause"):
            back = any(_looks_back(formula) for formula in _formulas(vector))
            assert vector.profile is (ConformanceProfile.PAST if back else ConformanceProfile.CORE), vector.id


def test_every_mask_of_a_clip_is_used() -> None:
    for vector in suite():
        if vector.input["ask"] in ("verdicts", "clause"):
            named = frozenset().union(*(atoms(formula) for formula in _formulas(vector)))
            assert all(clip["masks"].keys() == named for clip in vector.input["clips"]), vector.id


@given(formulas())
def test_trees_and_texts_of_formulas_give_them_back(formula: Formula) -> None:
    assert formula_of(json.loads(json.dumps(tree_of(formula)))) == formula
    assert parse_formula(formula_text(formula), exact("0.0232")) == formula


masks = st.lists(st.booleans(), min_size=1, max_size=12)


@given(masks, masks, st.sampled_from(MatcherKind), st.integers(0, 6), st.sampled_from(["0", "1/2", "1/3", "2"]))
def test_the_matchers_of_the_package_are_the_definitions(
    ref: list[bool], pred: list[bool], kind: MatcherKind, search: int, reward: str
) -> None:
    step = exact("0.02")
    a, b = REFERENCE.edges(ref)[0], REFERENCE.edges(pred)[0]
    matcher = Matcher(kind, search * step, exact(reward))
    assert FAST.match(a, b, matcher, step) == REFERENCE.match(a, b, matcher, step)


@given(masks, st.integers(0, 9), st.sampled_from(["0.02", "1/3", "0.0232"]))
def test_runs_edges_and_joining_of_the_package_are_the_definitions(mask: list[bool], gap: int, step: str) -> None:
    merge_gap = gap * exact(step) / 2
    assert FAST.edges(mask) == REFERENCE.edges(mask)
    assert FAST.join(mask, merge_gap, exact(step)) == REFERENCE.join(mask, merge_gap, exact(step))


def test_an_answer_with_a_part_missing_or_of_another_type_differs() -> None:
    assert differences({"a": 1, "b": True}, {"a": 1, "b": True, "c": 0}) == []
    assert differences({"a": 1}, {}) == ["a"]
    assert differences({"a": 1}, {"a": True}) == ["a"]
    assert differences({"a": [1, 2]}, {"a": [1]}) == ["a"]
    assert differences({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}) == ["a"]
    assert differences({"a": "1"}, {"a": 1}) == ["a"]
