"""Findings: smaller cases are cases, shrinking ends, and a found case names its rules."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracepact.conform.differential import case_of, profile_of, reduced, rules_of
from tracepact.conform.draw import EXPERIMENTS
from tracepact.conform.findings import CaseTally, Finding, cited, compare_chunks, judge
from tracepact.conform.oracle import ConformanceProfile, differences, vector_of
from tracepact.conform.outcome import picture
from tracepact.conform.peer import PeerFault
from tracepact.conform.reduction import smaller

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("profile", ConformanceProfile, ids=lambda profile: profile.value)
def test_smaller_cases_are_cases_and_shrinking_ends(profile: ConformanceProfile) -> None:
    @given(
        st.sampled_from(sorted(EXPERIMENTS[profile])).flatmap(lambda n: st.tuples(st.just(n), EXPERIMENTS[profile][n]))
    )
    @settings(max_examples=12)
    def shrink(drawn: tuple[str, dict[str, Any]]) -> None:
        _shrink_to_the_end(profile, *drawn)

    shrink()


def _shrink_to_the_end(profile: ConformanceProfile, name: str, case: dict[str, Any]) -> None:
    for _ in range(400):
        step = next(iter(smaller(case)), None)
        if step is None:
            return
        case_of(profile, name, step)
        case = step
    pytest.fail("it goes on and on")


@pytest.mark.parametrize(
    ("formula", "clips", "rules"),
    [
        ("p", 1, ["6.1"]),
        (["and", "p", "q"], 1, ["6.1"]),
        (["F", 0, 1, "p"], 1, ["6.2"]),
        (["F", -1, 1, "p"], 1, ["2.7", "6.2"]),
        (["G", 0, 1, ["not", "p"]], 1, ["6.1", "6.3"]),
        (["U", 1, "p", ["S", 1, "p", "q"]], 1, ["6.4", "6.5"]),
        (["G", 0, 1, "p"], 2, ["6.3", "6.6"]),
    ],
    ids=str,
)
def test_a_found_vector_names_the_rules_of_its_operators(formula: Any, clips: int, rules: list[str]) -> None:
    clip = {"frames": 1, "masks": {"p": "1", "q": "1"}}
    assert list(rules_of({"ask": "verdicts", "formula": formula, "clips": [clip] * clips})) == rules
    stream = {"ask": "stream", "clauses": [{"obligation": True, "formula": formula}], "trace": clip}
    assert list(rules_of(stream)) == ["12.2", *(rule for rule in rules if rule != "6.6")]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("p", ["2.1"]),
        ("p & q", ["2.2"]),
        ("p and q or r", ["2.2", "2.3"]),
        ("F[1f,2f] p", ["1.4", "2.4"]),
        ("N[0.04] p", ["1.4", "2.4", "2.6", "2.7"]),
        ("G[40ms] p", ["1.4", "2.4", "2.6", "2.7"]),
        ("p U[1f] q -> r", ["1.4", "2.2", "2.3", "2.4"]),
    ],
)
def test_a_found_text_names_the_rules_it_is_read_by(text: str, rules: list[str]) -> None:
    assert list(rules_of({"ask": "formula", "text": text, "step": "0.02"})) == rules


class CrashesOnShortStreams:
    """An implementation that takes a chunk of two frames for none and crashes on streams of one frame."""

    name, profiles = "crashes", frozenset({ConformanceProfile.CHUNKS})

    def __init__(self) -> None:
        self.runs = False
        self.frames = 0

    def start(self) -> None:
        self.runs = True

    def ask(self, case: Mapping[str, Any]) -> dict[str, Any]:
        assert self.runs, "nobody started it"
        if case["ask"] == "open":
            self.frames = 0
        if case["ask"] == "chunk":
            self.frames += case["frames"]
            out = [[i, 0, "violated"] for i in range(self.frames - case["frames"], self.frames)]
            return {"answer": {"out": [] if case["frames"] == 2 else out}}
        if case["ask"] == "close" and self.frames == 1:
            self.runs = False
            raise PeerFault("crashed", "it ended")
        return {"answer": {"out": []}}

    def close(self) -> None: ...

    def kill(self) -> None: ...

    def news(self) -> bool:
        return False


def test_an_implementation_that_a_smaller_case_ended_is_started_before_chunks_are_compared() -> None:
    case = {
        "ask": "stream",
        "clauses": [{"obligation": True, "formula": "p"}],
        "trace": {"frames": 2, "masks": {"p": "00"}},
        "chunks": [2],
    }
    peer = CrashesOnShortStreams()
    vector = case_of(ConformanceProfile.CHUNKS, "chunks", case)
    finding = judge(peer, vector, CaseTally(), "random: chunks")
    assert finding is not None
    assert finding.kind == "wrong-answer"
    peer.runs = False
    assert compare_chunks(peer, finding).vector == vector
    assert (
        compare_chunks(peer, reduced(peer, ConformanceProfile.CHUNKS, "chunks", finding, float("inf"))).vector == vector
    )


def finding_on(case: dict[str, Any], answered: dict[str, Any]) -> Finding:
    """What is found of a monitor that answers so."""
    vector = case_of(profile_of(case), "asked", case)
    parts = tuple(differences(vector.expected, answered))
    return Finding("wrong-answer", "differs", vector, answered, parts, "random: asked")


def test_a_long_trace_is_drawn_around_the_first_difference_with_its_masks_in_runs() -> None:
    clip = {"frames": 5000, "masks": {"q": "0" * 3000 + "1" + "0" * 1999}}
    case = {"ask": "verdicts", "formula": ["F", 0, 40, "q"], "clips": [clip]}
    right = "0" * 2960 + "1" * 41 + "0" * 1999
    lines = picture(finding_on(case, {"verdicts": [right[:2960] + "0" + right[2961:]]}))
    assert max(map(len, lines)) < 200
    assert any("frames 2936 to 2983 of 5000" in line for line in lines)
    assert any("0*3000 1 0*1999" in line for line in lines)
    (marks,) = (line for line in lines if "^" in line)
    (ruler,) = (line for line in lines if "67890123" in line)
    assert ruler[marks.index("^")] == "0"  # frame 2960
    assert any("1 of 5000 frames differ" in line for line in lines)


def test_of_many_verdicts_those_that_differ_are_shown() -> None:
    trace = {"frames": 400, "masks": {"p": "1" * 400}}
    case = {"ask": "stream", "clauses": [{"obligation": True, "formula": "p"}], "trace": trace, "chunks": [400]}
    wrong = [[i, 0, "violated" if i == 321 else "satisfied"] for i in range(400)]
    finding = finding_on(case, {"out": [wrong, []]})
    (moment,) = (line for line in picture(finding) if line.startswith("at chunk 0"))
    assert moment.endswith("expected frame 321 clause 0 satisfied, … 400 in all")
    assert finding.vector is not None
    assert finding.vector.data["expected"] == {"out": {"delays": [0], "words": ["s*400"]}}
    assert vector_of(finding.vector.data).expected == finding.vector.expected


def test_a_chunk_of_very_many_verdicts_is_drawn_in_time() -> None:
    """To look every verdict up among all others would take hours."""
    frames = 70_000
    trace = {"frames": frames, "masks": {"p": "1" * frames}}
    case = {"ask": "stream", "clauses": [{"obligation": True, "formula": "p"}], "trace": trace, "chunks": [frames]}
    finding = finding_on(case, {"out": [[[i, 0, "satisfied"] for i in range(65_536)], []]})
    assert any("frame 65536 clause 0 satisfied" in line for line in picture(finding))


def test_a_finding_on_a_contract_cites_the_rules_of_what_differs() -> None:
    text = "contract c\nstep 1s\nclause a on true : N[2s] zone\nclause b on each ref : covering > 1s\n"
    found = cited(finding_on({"ask": "contract", "text": text}, {"errors": [], "warnings": []}))
    assert found.vector is not None
    assert {"2.8", "3.9", "4.3"} <= set(found.vector.rules)
    sound = "contract c\nstep 1s\nclause a on true : N[2s] ref_active\nclause b on each ref : covering > 1\n"
    clip = {"name": "k", "duration": "3", "ref": [["0", "1", "x"]], "pred": []}
    case = {"ask": "score", "contract": sound, "clips": [clip]}
    right = case_of(ConformanceProfile.CONTRACTS, "asked", case).expected
    wrong = {**right, "counts": {**right["counts"], "b": [1, 1]}}
    scored = cited(finding_on(case, wrong))
    assert scored.vector is not None
    assert set(scored.vector.rules) == {"7.1", "7.2", "4.8", "9.1"}


LEAVES = st.sampled_from([0, 1, 2, 0.0, 1.0, True, False, None, "", "1", "true"])
VALUES = st.recursive(
    LEAVES, lambda part: st.lists(part, max_size=3) | st.dictionaries(st.sampled_from("ab"), part, max_size=2)
)


def same(a: Any, b: Any) -> bool:
    """Whether two JSON values are the same, part by part."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return sorted(a) == sorted(b) and all(same(a[key], b[key]) for key in a)
    return bool(a == b)


def alike(draw: st.DrawFn, value: Any) -> Any:
    """A copy of a JSON value, some of whose numbers and truths are written otherwise."""
    if isinstance(value, list):
        return [alike(draw, part) for part in value]
    if isinstance(value, dict):
        return {key: alike(draw, part) for key, part in reversed(value.items())}
    return draw(st.sampled_from([value, *(other for other in (0, 0.0, False, 1, 1.0, True) if other == value)]))


@given(VALUES, st.data(), LEAVES)
def test_one_is_neither_true_nor_a_number_with_a_point(expected: Any, data: st.DataObject, other: Any) -> None:
    answered = alike(data.draw, expected) if data.draw(st.booleans()) else data.draw(VALUES)
    found = differences({"part": expected}, {"part": answered, "more": other})
    assert found == ([] if same(expected, answered) else ["part"])
