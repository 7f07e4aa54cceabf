"""What the language server knows of a text, without the protocol: places, names, completion, fixes, renaming."""

from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracepact import starter_contracts
from tracepact.author.editor_help import bounds, complete, hover
from tracepact.author.editor_text import CannotRename, NameKind, TextLines, edited, fixes, outline, read, rename
from tracepact.author.workbench import Superseded, check_while
from tracepact.diagnostics.findings import TextPlace

STARTERS = {name: path.read_text(encoding="utf-8") for name, path in starter_contracts().items()}
HEAD = "contract a\nstep 20ms\n"


@given(st.text("a\n\r é€𝄞", max_size=40), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_a_place_and_its_character_say_the_same(text: str, encoding: str) -> None:
    lines = TextLines(text, encoding)
    for offset in range(len(text) + 1):
        line, units = lines.place(offset)
        assert lines.offset(line, units) == offset
        before = text[:offset].rpartition("\n")[2]
        assert (line, units) == (
            text[:offset].count("\n"),
            len(before.encode(encoding + "-le" * (encoding != "utf-8")))
            // {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding],
        )


@given(st.text("a\n𝄞", max_size=20), st.integers(0, 30), st.integers(0, 30))
def test_a_place_beyond_a_line_is_its_end(text: str, line: int, units: int) -> None:
    offset = TextLines(text).offset(line, units)
    assert 0 <= offset <= len(text)
    assert text[:offset].count("\n") == min(line, text.count("\n"))


@pytest.mark.parametrize("name", STARTERS)
def test_the_word_that_stands_somewhere_is_offered_there(name: str) -> None:
    reading = read(STARTERS[name], name)
    for found in reading.occurrences:
        if found.declares:
            continue
        written = reading.text[found.span.start : found.span.end]
        offered = {suggestion.label for suggestion in complete(reading, found.span.start)}
        assert written in offered, (found, sorted(offered))


@pytest.mark.slow
@pytest.mark.parametrize("name", STARTERS)
def test_every_name_has_words_and_every_place_an_answer(name: str) -> None:
    reading = read(STARTERS[name], name)
    for found in reading.occurrences:
        told = hover(reading, found.span.start)
        assert told is not None or found.kind is NameKind.PROFILE, found
    for offset in range(0, len(reading.text), 3):
        hover(reading, offset)
        complete(reading, offset)


@pytest.mark.parametrize("name", STARTERS)
def test_a_renamed_contract_means_the_same_under_the_other_name(name: str) -> None:
    reading = read(STARTERS[name], name)
    for found in reading.occurrences:
        if not found.declares:
            continue
        after = read(edited(reading.text, rename(reading, found.span.start, "renamed_by_a_test")), name)
        assert after.contract is not None
        back = next(o for o in after.occurrences if o.name == "renamed_by_a_test" and o.declares)
        assert back.kind is found.kind
        again = edited(after.text, rename(after, back.span.start, found.name))
        assert again == reading.text


def test_a_parameter_does_not_take_the_name_of_an_attribute_that_would_hide_it() -> None:
    text = HEAD + "param least = 0.5\nclause b on each ref : coverage >= least\n"
    reading = read(text, "a")
    with pytest.raises(CannotRename, match="means something else"):
        rename(reading, text.index("least"), "iou")


@pytest.mark.parametrize("name", STARTERS)
def test_bounds_are_rounded_outward_on_the_grid(name: str) -> None:
    reading = read(STARTERS[name], name)
    assert reading.contract is not None
    step = reading.contract.step
    for bound in bounds(reading):
        exact = bound.seconds / step
        assert bound.frames in (floor(exact), ceil(exact))


@given(st.sampled_from(sorted(STARTERS)), st.data())
def test_any_part_of_a_contract_can_be_read_and_explained(name: str, data: st.DataObject) -> None:
    whole = STARTERS[name]
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 300)))
    reading = read(whole[:start] + whole[end:], name)
    offset = data.draw(st.integers(0, len(reading.text)))
    hover(reading, offset)
    complete(reading, offset)
    assert [entry.span for entry in outline(reading)] == [d.span for d in reading.document.statements]
    for fix in fixes(reading, reading.findings):
        after = read(edited(reading.text, fix.edits), name)
        assert [d.code for d in after.findings].count(fix.finding.code) < [d.code for d in reading.findings].count(
            fix.finding.code
        )


def test_the_outline_says_what_a_statement_declares() -> None:
    lines = (
        "param tol = 40ms",
        "sweep tol = 20ms 60ms",
        "matcher greedy(search = 200ms)",
        "labels dog cat",
        'atom bird "a bird sings"',
        "clause near on ref_onset : N[tol] pred_onset",
        "clause whole on each ref : matched",
        "profile harm : near = 2, whole = 1",
    )
    reading = read("contract gate\nstep 20ms\n" + "\n".join(lines) + "\n", "gate")
    assert [(entry.keyword, entry.name, entry.detail) for entry in outline(reading)][-len(lines) :] == [
        ("param", "tol", "40ms"),
        ("sweep", "tol", "20ms 60ms"),
        ("matcher", "matcher", "greedy"),
        ("labels", "labels", "dog cat"),
        ("atom", "bird", "a bird sings"),
        ("clause", "near", "on ref_onset"),
        ("clause", "whole", "on each ref"),
        ("profile", "harm", "near, whole"),
    ]


def test_a_sound_clause_is_explained_beside_a_faulty_one() -> None:
    text = HEAD + "param tol = 4 0ms\nparam far = 60ms\nclause b on ref_onset : N[tol] pred_onset\n"
    reading = read(text + "clause c on ref_onset : N[far] pred_onset\nclause d on ref_onest : true\n", "a")
    assert reading.contract is None
    assert [clause.name for clause in reading.clauses] == ["c"]
    assert hover(reading, reading.text.index("b on")) is None


@pytest.mark.parametrize(
    ("line", "fixed"),
    [
        ("clause b on ref_onset : F[40ms,20ms] pred_onset", "clause b on ref_onset : F[20ms,40ms] pred_onset"),
        ("clause b on ref_onest : pred_onset", "clause b on ref_onset : pred_onset"),
        ("clause b on ref_onset : G[40] pred_onset", "clause b on ref_onset : G[40ms] pred_onset"),
        ("clause b on each ref : coverag >= 0.5", "clause b on each ref : coverage >= 0.5"),
        ("clause b on each ref : ref.iou >= 0.5", "clause b on each ref : iou >= 0.5"),
        ("clause b on each ref : ref.duration >= 0.5", "clause b on each ref : ref.duration >= 0.5s"),
        ("aggregate pooed clause b on ref_onset : pred_onset", "aggregate pooled clause b on ref_onset : pred_onset"),
        ("clause b on ref_onset : N[tol] pred_onset", "param tol = 40ms\nclause b on ref_onset : N[tol] pred_onset"),
        ("param t = 1s\nclause b on ref_onset : pred_onset", "clause b on ref_onset : pred_onset"),
    ],
)
def test_the_first_fix_is_what_the_help_says(line: str, fixed: str) -> None:
    reading = read(f"{HEAD}{line}\n", "a")
    offered = fixes(reading, reading.findings)
    assert edited(reading.text, offered[0].edits) == f"{HEAD}{fixed}\n"


def test_missing_statements_are_added_where_they_belong() -> None:
    text = "clause b on ref_onset : pred_onset\n"
    for _ in range(2):  # a name and a step are missing
        text = edited(text, fixes(read(text, "a"), read(text, "a").findings)[0].edits)
    assert read(text, "a").contract is not None
    assert text.splitlines()[0].startswith("contract ")


def test_a_text_that_is_no_longer_current_is_not_checked() -> None:
    contract = read(STARTERS["boundary_gate"], "a").contract
    assert contract is not None
    answers = iter([True, True, False])
    with pytest.raises(Superseded):
        check_while(contract, lambda: next(answers))


def test_a_check_without_time_says_so_and_claims_nothing() -> None:
    contract = read(STARTERS["boundary_gate"], "a").contract
    assert contract is not None
    (found,) = check_while(contract, lambda: True, question=0)
    assert found.code == "undecided"
    assert isinstance(found.place, TextPlace)
