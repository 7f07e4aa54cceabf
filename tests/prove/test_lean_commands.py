"""`tracepact prove` and `tracepact certify`: what they print, what they refuse, how they end."""

import json
from functools import partial
from pathlib import Path

import pytest
from cli.command import run, write
from jsonschema import Draft202012Validator
from prove.copies import changed_theory

from tracepact.declarations import spec_path
from tracepact.prove import commands as certify_command
from tracepact.prove import commands as prove_command
from tracepact.prove.build import Build
from tracepact.prove.core import CoreReport, check_core

pytestmark = pytest.mark.slow

DEMO = [
    "certify",
    "boundary_gate",
    *("--ref", str(spec_path("demo/reference.tsv"))),
    *("--pred", str(spec_path("demo/late_long.tsv"))),
    *("--durations", str(spec_path("demo/durations.tsv"))),
]


@pytest.fixture(autouse=True)
def _cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of the tests' own; skipped with the others where the platform has no Lean."""
    monkeypatch.setenv("TRACEPACT_CACHE", str(cache))


def valid(schema: str, text: str) -> object:
    data = json.loads(text)
    Draft202012Validator(json.loads(spec_path(f"schemas/{schema}.schema.json").read_text())).validate(data)
    return data


def test_prove_lists_every_headline_theorem_without_axioms_and_says_so_as_json(
    report: CoreReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prove_command, "check_core", lambda toolchain, **options: report)
    outcome = run("prove")
    assert outcome.code == 0
    rows = [line.split("│")[1:3] for line in outcome.out.splitlines() if "Tracepact." in line]
    assert len(rows) >= 15
    assert {axioms.strip() for _, axioms in rows} == {"none"}
    assert "theorems proved without an axiom" in outcome.err
    outcome = run("prove", "--json")
    assert outcome.code == 0
    valid("prove", outcome.out)


def test_prove_fails_when_a_theorem_is_made_false(core: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of the core that claims satisfied + satisfied = obligations."""
    true, false = "(satisfied o v n) (violated o v n)", "(satisfied o v n) (satisfied o v n)"
    root = changed_theory(core, tmp_path, "Tracepact/Statements.lean", true, false, listed=False)
    checked = partial(check_core, root=root, folder=tmp_path / "built")
    monkeypatch.setattr(prove_command, "check_core", checked)
    outcome = run("prove")
    assert outcome.code == 1
    assert "refused" in outcome.err


def test_certify_says_what_was_certified_and_what_was_not(tmp_path: Path) -> None:
    outcome = run(*DEMO, "--out", str(tmp_path / "kept"))
    assert outcome.code == 0
    assert "certified: onset_guard, offset_guard, missing_guard, spurious_guard, silence_guard" in outcome.out
    assert "not certified (event clauses): duration_guard, fragmentation_guard" in outcome.out
    assert f"--recheck {(tmp_path / 'kept').resolve()}" in outcome.err


def test_kept_certificates_are_checked_again_and_a_changed_one_is_refused(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pair.json": '{"clips": [{"name": "a", "duration": 2, "ref": [[0.5, 1, "x"]], "pred": []}]}',
            "conditions.tsv": "filename\tcondition\na\tloud\n",
        },
    )
    arguments = ("boundary_gate", "--pair", "pair.json", "--conditions", "conditions.tsv", "--out", "kept")
    assert run("certify", *arguments, folder=tmp_path).code == 0
    (kept,) = (tmp_path / "kept").glob("*.lean")
    alone = run("certify", "--recheck", "kept", folder=tmp_path)
    assert alone.code == 0
    assert "5 theorems hold" in alone.out
    assert "not checked: that the activity masks are those of any tables" in alone.out
    assert "not checked: that this is the contract you mean" in alone.out
    bound = run("certify", *arguments[:3], "--recheck", "kept", "--json", folder=tmp_path)
    data = valid("certify", bound.out)
    assert isinstance(data, dict)
    assert data["bound"] == {"contract": True, "tables": True}
    named = run("certify", "boundary_gate", "--recheck", "kept", folder=tmp_path)
    assert "checked: it is the contract that was given" in named.out
    other = run("certify", "boundary_gate", "--set", "tol=80ms", "--recheck", "kept", folder=tmp_path)
    assert other.code == 1
    assert "another contract" in other.out
    stated = kept.read_text("utf-8")
    assert ", 0, 1⟩" in stated
    kept.write_text(stated.replace(", 0, 1⟩", ", 1, 1⟩", 1), "utf-8")
    outcome = run("certify", "--recheck", str(kept), "--json", folder=tmp_path)
    assert outcome.code == 1
    valid("certify", outcome.out)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give a contract, or --run, or --recheck"),
        (("boundary_gate", "--run", "."), "give --run or the contract"),
        (("--recheck", ".", "--ref", "a.tsv"), "there is no certificate (*.lean)"),
        (("--recheck", "."), "there is no certificate (*.lean)"),
        (("boundary_gate",), "give --ref and --pred"),
    ],
)
def test_what_certify_needs_is_said(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    outcome = run("certify", *arguments, folder=tmp_path)
    assert outcome.code == 2
    assert said in outcome.err


def test_a_run_directory_is_certified_and_bound(tmp_path: Path) -> None:
    write(tmp_path, {"pair.json": '{"clips": [{"name": "a", "duration": 2, "ref": [[0.5, 1, "x"]], "pred": []}]}'})
    assert run("score", "boundary_gate", "--pair", "pair.json", "--out", "run", folder=tmp_path).code in (0, 1)
    assert run("certify", "--run", "run", "--out", "kept", folder=tmp_path).code == 0
    outcome = run("certify", "--run", "run", "--recheck", "kept", folder=tmp_path)
    assert outcome.code == 0
    assert "byte for byte" in outcome.out
    write(tmp_path, {"pair.json": '{"clips": [{"name": "a", "duration": 2, "ref": [[0.5, 1.2, "x"]], "pred": []}]}'})
    outcome = run("certify", "boundary_gate", "--pair", "pair.json", "--recheck", "kept", folder=tmp_path)
    assert outcome.code == 1
    assert "is not the certificate of these tables" in outcome.out


@pytest.mark.parametrize("arguments", [["prove"], [*DEMO, "--fresh"]])
def test_lean_that_takes_too_long_leaves_the_answer_open(arguments: list[str]) -> None:
    outcome = run(*arguments, "--wait", "0.01", "--json")
    assert outcome.code == 3
    data = valid(arguments[0], outcome.out)
    assert isinstance(data, dict)
    assert data["ok"] is None
    assert "did not end within 0.01 s" in data["reason"]


def test_certify_as_json_fits_its_schema(tmp_path: Path) -> None:
    write(tmp_path, {"pair.json": '{"clips": [{"name": "a", "duration": 2, "ref": [[0.5, 1, "x"]], "pred": []}]}'})
    outcome = run("certify", "boundary_gate", "--pair", "pair.json", "--json", folder=tmp_path)
    assert outcome.code == 0
    data = valid("certify", outcome.out)
    assert isinstance(data, dict)
    assert data["frames"] == 100


@pytest.mark.parametrize("arguments", [["prove"], DEMO])
def test_without_lean_the_answer_is_unknown(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove_command, "find_toolchain", lambda other: None)
    monkeypatch.setattr(certify_command, "find_toolchain", lambda other: None)
    outcome = run(*arguments)
    assert outcome.code == 3
    assert "pip install" in outcome.err
    outcome = run(*arguments, "--json")
    valid(arguments[0], outcome.out)


def test_a_vector_is_certified_and_its_certificate_is_bound_to_the_tables(tmp_path: Path) -> None:
    pair = '{"clips": [{"name": "a", "duration": 2, "ref": [[0.5, 1, "x"]], "pred": [[0.54, 1.1, "x"]]}]}'
    write(tmp_path, {"pair.json": pair, "other.json": pair.replace("1.1", "1.2")})
    certified = run("certify", "boundary_gate", "--pair", "pair.json", "--vector", "vector.lean", folder=tmp_path)
    assert certified.code == 0, certified
    assert "certified: duration_guard" in certified.out
    again = run(
        "certify", "boundary_gate", "--pair", "pair.json", "--recheck", "vector.lean", "--json", folder=tmp_path
    )
    data = valid("certify", again.out)
    assert isinstance(data, dict)
    assert data["ok"] is True
    assert len(data["vector"]) == 7
    others = run("certify", "boundary_gate", "--pair", "other.json", "--recheck", "vector.lean", folder=tmp_path)
    assert others.code == 1
    assert "it is not the certificate" in others.err
    unbound = run("certify", "--recheck", "vector.lean", folder=tmp_path)
    assert unbound.code == 2
