"""Help for authors: the page of the language follows the compiler, examples do what they say, drafts are sound."""

import json
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
from tracepact.author.guide_commands import _SAME, contract_examples
from tracepact.author.new_command import DraftAnswers, Never, OnTime, draft
from tracepact.declarations import spec_path
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import CODES, Severity, Source
from tracepact.language.compilation import compile_source, parse_formula
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS, Aggregation, MatcherKind, Projection
from tracepact.language.grammar import reserved_words
from tracepact.language.predicate import ATTRIBUTES, Each, writable_attributes
from tracepact.language.predicate_types import FUNCTIONS
from tracepact.language.syntax import UNITS
from tracepact.language.vocabulary import language_reference, statement_names
from tracepact.logic.contract_findings import check_contract
from tracepact.logic.decisions import Outcome, equivalent
from tracepact.logic.simplify import Notation, read_notation

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


@pytest.mark.parametrize("code", contract_examples())
def test_the_bad_example_has_the_fault_and_the_good_one_has_not(code: str) -> None:
    example = contract_examples()[code]
    assert example.good != example.bad
    assert code in found_codes(example.bad)
    left = found_codes(example.good)
    assert code not in left
    assert not {found for found in left if CODES[found].severity is Severity.ERROR}


def test_every_code_that_a_contract_alone_can_show_has_a_repair() -> None:
    faults = json.loads(spec_path("conformance/contracts/faults.json").read_text(encoding="utf-8"))
    alone = {one["code"] for one in faults if not {"against", "durations"} & one.keys()}
    assert alone - contract_examples().keys() == {"bad-encoding"}  # it has no text that could be shown
    assert [one["file"] for one in faults if "repair" in one and one["repair"][0] == one["repair"][1]] == []
    assert {code for code in contract_examples() if CODES[code].severity is not Severity.ERROR} > {"clauses-clash"}


@pytest.mark.parametrize("code", CODES)
def test_help_explains_every_code(code: str) -> None:
    shown = run("help", code)
    assert shown.code == 0
    assert CODES[code].meaning in shown.out
    assert "good" in shown.out


def test_help_offers_the_nearest_topic_and_knows_commands() -> None:
    wrong = run("help", "unknown-atmo")
    assert wrong.code == 2
    assert "unknown-atom" in wrong.err
    assert run("help", "score").out.split("\n", 1)[1] == run("score", "--help").out.split("\n", 1)[1]
    assert "late_onset" in run("help", "calibration").out
    assert "clip,a,b,worse,judge" in run("help", "preferences").out


# Words of the language

_AROUND = ("contract c", "step 20ms", "param tol = 40ms", "clause onset on ref_onset : N[tol] pred_onset")
_AROUND += ("clause heard on ref_active : N[tol] pred_active",)
_SIGNS = re.findall(r"\S+", "! ¬ & ∧ | ∨ -> → <-> ↔ <= < >= > == != + - *")
_OWNED = [name for each in Each for name in writable_attributes(each)]
_CHOICES = [member.value for kind in (Aggregation, MatcherKind, Projection, Each) for member in kind]


@pytest.mark.parametrize(
    "word",
    dict.fromkeys(
        [
            *sorted(reserved_words()),
            *_SIGNS,
            *BUILTIN_ATOMS,
            *CLASS_ATOMS,
            *ATTRIBUTES,
            *_OWNED,
            *FUNCTIONS,
            *UNITS,
            *_CHOICES,
        ]
    ),
)
def test_help_on_a_word_of_contracts_says_what_it_means_with_a_statement_that_can_be_written(word: str) -> None:
    shown = run("help", "--", word)
    assert shown.code == 0, shown.err
    meaning, statement = re.split(r"^example:\n    ", shown.out, maxsplit=1, flags=re.MULTILINE)
    statement = statement.splitlines()[0]
    assert word in meaning
    assert word in statement or not word.isascii()
    first = statement.split()[0]
    settings = [one for one in _AROUND if not one.startswith("clause") and one.split()[0] != first]
    clauses = [one for one in _AROUND if one.startswith("clause") and one.split()[:2] != statement.split()[:2]]
    goes_first = first not in ("clause", "sweep", "profile")
    text = [statement, *settings, *clauses] if goes_first else [*settings, *clauses, statement]
    assert tracepact.parse_contract("\n".join(text) + "\n").clauses


def test_help_on_a_command_that_is_a_word_too_has_both() -> None:
    shown = run("help", "profile").out
    assert "weights over clauses" in shown
    assert "--aggregation" in shown


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
        text = draft("mine", DraftAnswers(on_time, never, late=late))  # type: ignore[arg-type]  # subsets of Never
        contract = tracepact.parse_contract(text)
        assert contract.warnings == ()
        assert [found.words for found in try_contract(contract).warnings] == []
        for asked in (*on_time, *never):
            assert draft("mine", DraftAnswers((), (), late=late)) != text or asked in (Never.MISSES, Never.FALSE_ALARMS)


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


def test_never_early_is_an_answer(tmp_path: Path) -> None:
    assert run("new", "gate", "--early", "0", "--late", "100ms", folder=tmp_path).code == 0
    gate = tracepact.load_contract(tmp_path / "gate.contract")
    for onset, expected in ((1, 1), (1.08, 1), (0.98, 0)):
        scored = tracepact.score(gate, ref=[(1, 2)], pred=[(onset, 2)], durations=5)
        assert scored.vector["onset_on_time"] == expected
    assert run("new", "point", "--early", "0", folder=tmp_path).code == 0
    assert "param tol = 0s" in (tmp_path / "point.contract").read_text()


def test_a_contract_that_is_not_there_is_looked_for_beside_it(tmp_path: Path) -> None:
    assert run("new", "ww", folder=tmp_path).code == 0
    for name in ("ww", "ww.contrct", "vw.contract"):
        assert "did you mean `ww.contract`?" in run("check", name, folder=tmp_path).out
    assert "did you mean `boundary_gate`?" in run("check", "boundary_gat", folder=tmp_path).out


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
    assert run("new", "copy", "--starter", name, folder=tmp_path).code == 0
    copied = (tmp_path / "copy.contract").read_text(encoding="utf-8")
    assert copied.replace("contract copy ", f"contract {name} ") == text


def answered(folder: Path, answers: str) -> bytes:
    """What `tracepact new asked` says to a terminal that gives these answers."""
    ours, theirs = pty.openpty()
    code = "from tracepact.cli import main; main()"
    package = str(Path(tracepact.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-c", code, "new", "asked"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": package},
    )
    os.write(ours, answers.encode())
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    return said


@pytest.mark.slow
def test_a_terminal_is_asked_three_questions(tmp_path: Path) -> None:
    said = answered(tmp_path, "offsets\nwhat\nfragments\n20ms\ny\n60ms\n")
    assert b"`what` is none of them" in said
    text = (tmp_path / "asked.contract").read_text()
    assert "param early = 20ms\nparam late = 60ms" in text
    assert re.findall(r"^clause (\w+)", text, re.MULTILINE) == ["offset_on_time", "one_piece"]


@pytest.mark.slow
def test_what_a_question_offers_can_be_typed_and_a_time_is_no_yes(tmp_path: Path) -> None:
    offered = re.search(rb"be\?[^[]*\[([^]]+)\]", answered(tmp_path, "\n\n\n\n"))
    assert offered is not None
    (tmp_path / "asked.contract").unlink()
    said = answered(tmp_path, f"\n\n{offered[1].decode()}\n60ms\ny\n60ms\n")
    assert b"`60ms` is neither yes nor no: answer y or n" in said
    text = (tmp_path / "asked.contract").read_text()
    assert "param early = 40ms\nparam late = 60ms" in text


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


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_formula_is_explained_with_its_unknown_names_as_free_atoms(form: str) -> None:
    shown = run("explain", "F[-20ms,80ms] p", "--format", form)
    assert shown.code == 0, shown.err
    assert "`p` holds at some frame from 1 frame (20 ms) back to 4 frames (80 ms) ahead" in shown.out
    assert "`p` holds" in tracepact.explain("F[-20ms,80ms] p").clauses[0].words


def test_what_is_neither_a_formula_nor_a_contract_is_named_as_what_it_most_likely_is() -> None:
    assert run("explain", "F[-20ms,80ms p").codes == ["syntax"]
    assert run("explain", "bondary_gate").codes == ["unreadable-file"]
    assert run("explain", "do-not/mine.contract").codes == ["unreadable-file"]


def test_the_formulas_of_the_help_on_notations_say_the_same() -> None:
    told = run("help", "notations").out
    step, frames = Fraction(1, 50), {**_SAME}
    own = parse_formula(frames.pop("tracepact"), step)
    for notation, text in frames.items():
        assert text in told
        assert equivalent(own, read_notation(text, cast(Notation, notation))).outcome is Outcome.YES, notation
