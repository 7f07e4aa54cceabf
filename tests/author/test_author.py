"""Help for authors: the page of the language follows the compiler, examples do what they say, drafts are sound."""

import os
import pty
import re
import subprocess
import sys
from fractions import Fraction
from itertools import chain, combinations
from pathlib import Path
from typing import cast

import pytest
from cli.command import run

import tracepact
from tracepact import starter_contracts, try_contract
from tracepact.core import ATTRIBUTES, Aggregation, MatcherKind, Projection
from tracepact.core.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.diagnostics import CODES, Diagnostics, Severity, Source
from tracepact.lang import compile_source, parse_formula
from tracepact.lang.predicates import FUNCTIONS
from tracepact.lang.reference import language_reference, statement_names
from tracepact.lang.syntax import UNITS
from tracepact.logic import Outcome, equivalent
from tracepact.logic.findings import check_contract
from tracepact.logic.notations import Notation, read_notation
from tracepact.specs import spec_path
from tracepact.tools.author.draft import Answers, Never, OnTime, draft
from tracepact.tools.author.examples import REPAIRS, examples
from tracepact.tools.author.help_command import _SAME

GRAMMAR = spec_path("grammar.lark").read_text(encoding="utf-8")
TERMS = {section.title.split()[0]: section.entries for section in language_reference()}


def found_codes(text: str) -> set[str]:
    """The codes of everything that a check finds."""
    diagnostics = Diagnostics()
    contract = compile_source(Source("<text>", text), diagnostics)
    if contract is not None:
        diagnostics.extend(check_contract(contract, notes=True))
    return {found.code for found in diagnostics}


# The language on a page


def test_the_page_has_every_statement_of_the_grammar() -> None:
    written = [form for form, _ in TERMS["Statements"]]
    assert len(written) == len(statement_names()) == GRAMMAR.split("?statement:")[1].split("\n\n")[0].count("|") + 1
    keywords = dict(re.findall(r'^([A-Z_]+): "(\w+)"', GRAMMAR, re.MULTILINE))
    assert all(form.split()[0] in keywords.values() for form in written)


def test_the_page_has_every_reserved_word_and_sign_of_the_grammar() -> None:
    page = run("help", "language").out
    terminals = re.findall(r'^[A-Z_]+: "(\w+)"', GRAMMAR, re.MULTILINE)
    signs = re.findall(r'"([^"\w]+|\w+)"', "\n".join(re.findall(r"^!?_\w+: .*", GRAMMAR, re.MULTILINE)))
    assert len(terminals) > 20
    assert [word for word in (*terminals, *signs) if word not in page] == []


def test_the_page_has_every_atom_attribute_function_unit_and_choice() -> None:
    page = run("help", "language").out
    choices = [member.value for kind in (Aggregation, MatcherKind, Projection) for member in kind]
    for word in (*BUILTIN_ATOMS, *CLASS_ATOMS, *ATTRIBUTES, *FUNCTIONS, *UNITS, *choices):
        assert word in page, word


def test_what_the_page_says_of_a_statement_can_be_written() -> None:
    forms = {form.split()[0]: form for form, _ in TERMS["Statements"]}
    assert forms["matcher"] == "matcher NAME [([NAME = VALUE, …])]"
    assert forms["profile"] == "profile NAME [over NAME] : CLAUSE = WEIGHT, …"
    assert forms["param"] == "param NAME = VALUE"


# Codes


@pytest.mark.parametrize("code", REPAIRS)
def test_the_bad_example_has_the_fault_and_the_good_one_has_not(code: str) -> None:
    example = examples()[code]
    assert example.good is not None
    assert example.good != example.bad
    assert code in found_codes(example.bad)
    left = found_codes(example.good)
    assert code not in left
    assert not {found for found in left if CODES[found].severity is Severity.ERROR}


def test_every_code_with_a_bad_example_has_a_good_one() -> None:
    assert {code for code, example in examples().items() if example.good is None} == set()
    assert {code for code in examples() if CODES[code].severity is not Severity.ERROR} > {"clauses-clash"}


@pytest.mark.parametrize("code", CODES)
def test_help_explains_every_code(code: str) -> None:
    shown = run("help", code)
    assert shown.code == 0
    assert CODES[code].meaning in shown.out
    assert ("good:" in shown.out) == (code in REPAIRS)


def test_help_offers_the_nearest_topic_and_knows_commands() -> None:
    wrong = run("help", "unknown-atmo")
    assert wrong.code == 2
    assert "unknown-atom" in wrong.err
    assert run("help", "score").out.split("\n", 1)[1] == run("score", "--help").out.split("\n", 1)[1]
    assert "late_onset" in run("help", "calibration").out
    assert "clip,a,b,worse,judge" in run("help", "preferences").out


# Errors name attributes


@pytest.mark.parametrize(
    ("predicate", "hint"),
    [
        ("iou(pred, ref) >= 0.5", "`iou` is an attribute and takes no arguments; write `iou`"),
        ("onset(pred) >= 1s", "write `ref.onset` or `pred.onset`"),
        ("coverge(pred) >= 1s", "`coverage` is an attribute"),
        ("purity(pred) >= 0.5", "`each ref` does not have"),
        ("whatever >= 1s", "known here: `coverage`, `covering`, `iou`"),
    ],
)
def test_an_attribute_that_is_called_or_misspelt_is_named(predicate: str, hint: str) -> None:
    with pytest.raises(tracepact.InvalidInput) as raised:
        tracepact.parse_contract(f"contract c\nstep 20ms\nclause a on each ref : {predicate}\n")
    assert hint in str(raised.value)


# Drafts


def subsets(kind: type[OnTime] | type[Never]) -> list[tuple[OnTime | Never, ...]]:
    members = list(kind)
    return list(chain.from_iterable(combinations(members, size) for size in range(len(members) + 1)))


@pytest.mark.slow
@pytest.mark.parametrize("late", [Fraction(1, 25), Fraction(1, 10)])
@pytest.mark.parametrize("on_time", subsets(OnTime))
def test_every_draft_is_sound(on_time: tuple[OnTime, ...], late: Fraction) -> None:
    for never in subsets(Never):
        text = draft("mine", Answers(on_time, never, late=late))  # type: ignore[arg-type]  # subsets of Never
        contract = tracepact.parse_contract(text)
        assert contract.warnings == ()
        assert [found.words for found in try_contract(contract).warnings] == []
        for asked in (*on_time, *never):
            assert draft("mine", Answers((), (), late=late)) != text or asked in (Never.MISSES, Never.FALSE_ALARMS)


def test_a_draft_is_written_once_and_checks(tmp_path: Path) -> None:
    assert run("new", "mine", "--on-time", "onsets", "--late", "100ms", "--early", "20ms", folder=tmp_path).code == 0
    text = (tmp_path / "mine.contract").read_text()
    assert "param late = 100ms" in text
    assert "clause onset_on_time on ref_onset : ref_onset -> F[-early,late] pred_onset" in text
    assert run("check", "mine.contract", "--strict", folder=tmp_path).code == 0
    again = run("new", "mine.contract", folder=tmp_path)
    assert again.code == 2
    assert (tmp_path / "mine.contract").read_text() == text
    assert run("new", "1st", folder=tmp_path).code == 2


def test_a_draft_says_at_once_that_a_time_is_between_frames(tmp_path: Path) -> None:
    between = run("new", "between", "--early", "30ms", folder=tmp_path)
    assert between.code == 0
    assert "off-grid-value" in between.codes
    assert "lies between 1 and 2 frames of 20ms" in between.err
    assert run("new", "even", "--early", "30ms", "--step", "10ms", folder=tmp_path).codes == []


@pytest.mark.parametrize("name", starter_contracts())
def test_a_starter_is_shown_and_copied_with_its_comments(name: str, tmp_path: Path) -> None:
    text = starter_contracts()[name].read_text(encoding="utf-8")
    assert run("show", name).out == text
    assert run("new", "copy", "--from", name, folder=tmp_path).code == 0
    copied = (tmp_path / "copy.contract").read_text(encoding="utf-8")
    assert copied.replace("contract copy ", f"contract {name} ") == text


@pytest.mark.slow
def test_a_terminal_is_asked_three_questions(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    code = "from tracepact.cli import main; main()"
    folder = str(Path(tracepact.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-c", code, "new", "asked"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": folder},
    )
    os.write(ours, b"offsets\nwhat\nfragments\n20ms\ny\n60ms\n")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert b"`what` is none of them" in said
    text = (tmp_path / "asked.contract").read_text()
    assert "param early = 20ms\nparam late = 60ms" in text
    assert re.findall(r"^clause (\w+)", text, re.MULTILINE) == ["offset_on_time", "one_piece"]


def test_a_contract_in_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    outcome = run("new", str(tmp_path / "sub" / "birds.contract"))
    assert outcome.code == 2
    assert "there is no folder" in " ".join(outcome.err.split())
    assert not (tmp_path / "sub").exists()


@pytest.mark.parametrize(
    "options", [(), ("--on-time", "onsets", "--never", "fragments", "--early", "20ms", "--late", "60ms")]
)
def test_a_new_contract_is_in_canonical_form(options: tuple[str, ...], tmp_path: Path) -> None:
    assert run("new", "fresh", *options, folder=tmp_path).code == 0
    assert run("fmt", "--check", "fresh.contract", folder=tmp_path).code == 0


def test_the_formulas_of_the_help_on_notations_say_the_same() -> None:
    told = run("help", "notations").out
    step, frames = Fraction(1, 50), {**_SAME}
    own = parse_formula(frames.pop("tracepact"), step)
    for notation, text in frames.items():
        assert text in told
        assert equivalent(own, read_notation(text, cast(Notation, notation))).outcome is Outcome.YES, notation
