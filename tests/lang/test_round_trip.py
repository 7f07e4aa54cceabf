"""Printing and reading: the canonical text gives back the same tree, and is its own canonical text."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import names, quantities, sized, values, written_formulas, written_predicates

from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Source
from tracepact.language import syntax as s
from tracepact.language.grammar import reserved_words
from tracepact.language.printer import canonical_text, format_document, print_expression
from tracepact.language.reader import read_document, read_formula
from tracepact.wording import print_number

free_names = names.filter(lambda word: word not in reserved_words()).map(s.Name)
titles = st.none() | st.text(
    alphabet=st.characters(blacklist_characters="\n", blacklist_categories=("Cs",)), max_size=9
)
options = st.lists(st.builds(s.Option, free_names, values()), min_size=1, max_size=3).map(tuple)
statements = st.one_of(
    st.builds(s.ContractName, free_names, titles),
    st.builds(s.Setting, st.sampled_from(["step", "merge_gap", "soft_scale"]), values(("tol",))),
    st.builds(s.WordSetting, st.sampled_from(["aggregate", "projection"]), free_names),
    st.builds(s.ParamDecl, free_names, st.builds(s.Value, quantities, st.booleans())),
    st.builds(s.SweepDecl, free_names, st.lists(values(), min_size=1, max_size=4).map(tuple)),
    st.builds(s.MatcherDecl, free_names, st.just(()) | options),
    st.builds(
        s.LabelsDecl, st.lists((names | st.text('ab \\"é', max_size=5)).map(s.Name), min_size=1, max_size=4).map(tuple)
    ),
    st.builds(s.AtomDecl, free_names, titles),
    st.builds(s.FrameClauseDecl, free_names, written_formulas(), written_formulas(parameters=("tol",))),
    st.builds(s.EventClauseDecl, free_names, free_names, written_predicates()),
    st.builds(s.ProfileDecl, free_names, st.none() | free_names, options),
)
documents = st.lists(statements, max_size=6).map(lambda some: s.Document(tuple(some)))


def _read(text: str) -> s.Document:
    diagnostics = Diagnostics()
    document = read_document(Source("test", text), diagnostics)
    assert not diagnostics.items, diagnostics.items
    return document


@given(written_formulas(parameters=("tol",)))
@settings(max_examples=sized(500))
def test_reading_a_printed_formula_gives_the_same_formula(formula: s.Expression) -> None:
    diagnostics = Diagnostics()
    assert read_formula(Source("test", print_expression(formula)), diagnostics) == formula
    assert not diagnostics.items


@pytest.mark.slow
@given(documents)
@settings(max_examples=sized(500))
def test_reading_a_printed_contract_gives_the_same_contract(document: s.Document) -> None:
    assert _read(canonical_text(document)) == document


@given(documents, st.lists(st.sampled_from(["# word", "\n", "\n\n\n", "  # N[", '# "']), max_size=8), st.randoms())
def test_formatting_is_idempotent_and_keeps_every_comment(
    document: s.Document, extras: list[str], generator: object
) -> None:
    """Comments and blank lines are strewn between the words of a contract text."""
    lines = canonical_text(document).split("\n")
    for extra in extras:
        lines.insert(generator.randrange(len(lines) + 1), extra)  # type: ignore[attr-defined]  # a random.Random
    source = Source("test", "\n".join(lines))
    once = format_document(_read(source.text), source)
    assert format_document(_read(once), Source("test", once)) == once
    assert canonical_text(_read(once)) == canonical_text(document)
    assert once.count("# word") == source.text.count("# word")


def test_comments_stay_with_their_statement() -> None:
    text = "# above\nstep   20ms # behind\n\n\n\nclause a on p : # inside\n  p & # deep\n q\n# last"
    source = Source("test", text)
    assert format_document(_read(text), source) == (
        "# above\nstep 20ms  # behind\n\n# inside\n# deep\nclause a on p : p & q\n# last\n"
    )


def test_a_hash_in_a_string_starts_no_comment() -> None:
    text = 'contract c "a # b"\n'
    assert _read(text).comments == ()
    assert format_document(_read(text), Source("test", text)) == text


def test_words_signs_and_letters_of_a_connective_are_one() -> None:
    for text in ("not p and q or r implies p iff q", "¬p ∧ q ∨ r → p ↔ q", "!p & q | r -> p <-> q"):
        node = read_formula(Source("test", text), Diagnostics())
        assert node is not None
        assert print_expression(node) == "!p & q | r -> p <-> q"


@given(st.fractions(-1000, 1000, max_denominator=10**6))
def test_a_printed_number_is_the_number(value: Fraction) -> None:
    assert Fraction(print_number(value)) == value


digits = st.text("0123456789", min_size=1, max_size=59)
written_quantities = st.one_of(
    st.builds("{}/{}".format, st.text("0123456789", min_size=1, max_size=29), st.integers(1, 2**90)),
    st.builds("{}.{}".format, st.text("0123456789", min_size=1, max_size=3), digits),
    st.builds(".{}".format, digits),
)


@given(written_quantities, st.sampled_from(["", "s", "ms", "f"]))
@settings(max_examples=sized(300))
def test_a_quantity_that_can_be_read_is_printed_as_one_that_can(text: str, unit: str) -> None:
    written = (text + unit)[-s.LONGEST_QUANTITY :]
    if written.startswith("/"):
        written = f"1{written[1:]}"
    document = _read(f"contract c\nparam x = {written}\n")
    printed = canonical_text(document)
    assert _read(printed) == document
    assert canonical_text(_read(printed)) == printed


@pytest.mark.parametrize("shape", ["abs({})", "-{}", "(iou + {})", "({} * 2)"])
def test_predicates_as_deep_as_the_language_allows_are_printed(shape: str) -> None:
    text = "iou"
    for _ in range(198):
        text = shape.format(text)
    clause = f"clause a on each matched : {text} <= 1\n"
    assert clause.count("abs") in (0, 198)
    assert _read(canonical_text(_read(f"contract c\nstep 20ms\n{clause}"))).statements
