"""The proof core: every theorem proved without an axiom, every headline restated, names shared with Python."""

import re
from typing import get_args

import pytest

from tracepact.language import formula as core_formula
from tracepact.language.formula import Formula
from tracepact.prove.core import CoreReport
from tracepact.prove.theory import Theory

_BOLD = re.compile(r"^/-- \*\*(?:(?!-/).)*-/\ntheorem (\S+)", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_every_theorem_is_proved_without_an_axiom(report: CoreReport) -> None:
    assert report.faults == ()
    assert [theorem.name for theorem in report.theorems if theorem.axioms != ()] == []
    assert report.ok
    assert len(report.theorems) > 250


def test_every_headline_theorem_is_restated(theory: Theory) -> None:
    headlines = set()
    for module, text in theory.library.items():
        if module.startswith("Tracepact.Thm."):
            headlines |= {f"Tracepact.{name}" for name in _BOLD.findall(text)}
    assert headlines == set(theory.headlines)
    assert len(theory.headlines) == len(set(theory.headlines))


def test_every_restated_theorem_is_proved_by_its_one_name(theory: Theory) -> None:
    text = theory.library["Tracepact.Statements"]
    pieces = re.split(r"^#print axioms (\S+)\n", text, flags=re.MULTILINE)
    for statement, name in zip(pieces[0::2], pieces[1::2], strict=False):
        assert "\nexample" in "\n" + statement
        assert re.search(rf":=\s+{re.escape(name)}(?:\s+[\w']+)*\s*$", statement), name


def test_the_root_imports_every_file(theory: Theory) -> None:
    assert theory.faults() == []


@pytest.mark.parametrize(
    ("module", "type_name"), [("Tracepact.Spec.Formula", "Formula"), ("Tracepact.Impl.Dag", "Node")]
)
def test_constructors_are_those_of_the_python_core(theory: Theory, module: str, type_name: str) -> None:
    text = theory.library[module]
    body = re.search(rf"^inductive {type_name} where\n((?:  \|.*\n)+)", text, re.MULTILINE)
    assert body
    lean = {}
    for line in body[1].splitlines():
        name, fields = re.fullmatch(r"  \| «?(\w+)»?(.*)", line).groups()  # type: ignore[union-attr]
        lean[name] = [word for group in re.findall(r"\(([^:]*):", fields) for word in group.split()]
    python = {kind.__name__.lower(): [*kind.__dataclass_fields__] for kind in get_args(Formula)}
    python["atom"], python["constant"] = ["k"], ["b"]  # Lean numbers the atoms; a truth value is `b` there
    assert lean == python
    assert {kind.__module__ for kind in get_args(Formula)} == {core_formula.__name__}


def test_the_readme_lists_every_headline_where_it_is_proved(theory: Theory) -> None:
    text = (theory.sources / "README.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| \[`(\w+)`\]\((\S+)\) \| \S", text, re.MULTILINE))
    assert {f"Tracepact.{name}" for name in listed} == set(theory.headlines)
    for name, file in listed.items():
        assert re.search(rf"^theorem {name}\b", (theory.sources / file).read_text("utf-8"), re.MULTILINE), name


def test_no_line_is_over_120_columns_and_the_vocabulary_of_the_statements_is_in_spec(theory: Theory) -> None:
    files = theory.library
    assert [
        p for p in theory.sources.rglob("*.lean") if any(len(line) > 120 for line in p.read_text().splitlines())
    ] == []
    stated = set(re.findall(r"[\w.']+", re.sub(r"/-.*?-/", "", files["Tracepact.Statements"], flags=re.DOTALL)))
    defined = {
        name
        for module, text in files.items()
        if module.startswith("Tracepact.Thm.")
        for name in re.findall(r"^(?:def|structure|abbrev|inductive) ([\w.']+)", text, re.MULTILINE)
    }
    assert stated & defined == set()
