"""The mistakes people make, as data: each gives the code, the place and the help that are written beside it."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli.command import run, write

import tracepact
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import CODES, Diagnostic, RowPlace, TextPlace

MISTAKES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "mistakes.json").read_text(encoding="utf-8"))
KINDS = {"contract": {"contract"}, "command": {"command"}, "data": {"ref", "pred", "durations"}, "python": {"python"}}


def of_kind(kind: str) -> Any:
    """The mistakes of a kind, one test each."""
    chosen = [mistake for mistake in MISTAKES if KINDS[kind] <= mistake.keys()]
    return pytest.mark.parametrize("mistake", chosen, ids=[mistake["name"].split(": ")[1] for mistake in chosen])


def holds(mistake: dict[str, Any], headline: str, help: str | None) -> None:
    assert mistake.get("says", "") in headline
    assert mistake.get("help", "") in (help or "")


def first(found: list[dict[str, Any]], mistake: dict[str, Any]) -> dict[str, Any]:
    """The finding of the code that is expected; the test fails with all that were found if there is none."""
    same = [item for item in found if item["code"] == mistake["code"]]
    assert same, found
    return same[0]


def test_there_are_at_least_120_of_every_kind_together() -> None:
    assert len(MISTAKES) >= 120
    names = [mistake["name"] for mistake in MISTAKES]
    assert len(names) == len(set(names))
    assert {name.split(": ")[0] for name in names} == set(KINDS)
    assert {mistake["code"] for mistake in MISTAKES if "code" in mistake} <= set(CODES)


@of_kind("contract")
def test_a_mistake_in_a_contract(mistake: dict[str, Any]) -> None:
    outcome = run("check", "-", "--format", "json", stdin=mistake["contract"].encode())
    found = first(json.loads(outcome.out), mistake)
    assert f"{found['place']['line']}:{found['place']['column']}" == mistake["at"]
    holds(mistake, found["headline"], found["help"])


@of_kind("command")
def test_a_mistake_on_the_command_line(mistake: dict[str, Any], tmp_path: Path) -> None:
    outcome = run(*mistake["command"], folder=tmp_path)
    assert outcome.code == 2
    said = " ".join((outcome.out + outcome.err).split())
    assert mistake["says"] in said
    assert mistake.get("help", "") in said
    assert "Traceback" not in said
    if "code" in mistake:
        assert mistake["code"] in outcome.codes


@of_kind("data")
def test_a_mistake_in_data(mistake: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path, {"ref.tsv": mistake["ref"], "pred.tsv": mistake["pred"]})
    sides = {"ref": tmp_path / "ref.tsv", "pred": tmp_path / "pred.tsv"}
    try:
        found: list[Diagnostic] = list(
            tracepact.score(
                "boundary_gate", durations=mistake["durations"], decoding=mistake.get("decoding"), **sides
            ).diagnostics
        )
    except InvalidInput as error:
        found = list(error.diagnostics)
    same = [one for one in found if one.code == mistake["code"]]
    assert same, found
    place = same[0].place
    assert isinstance(place, RowPlace)
    row = "" if place.row is None else f":{place.row}"
    assert Path(place.file).name + row == mistake["at"]
    holds(mistake, same[0].headline, same[0].help)


@of_kind("python")
def test_a_mistake_in_python(mistake: dict[str, Any]) -> None:
    names = {name: getattr(tracepact, name) for name in tracepact.__all__}
    with pytest.raises(InvalidInput) as raised:
        eval(mistake["python"], names)
    found = raised.value.diagnostics[0]
    assert "alone" not in mistake or len(raised.value.diagnostics) == 1
    assert found.code == mistake["code"]
    assert not isinstance(found.place, TextPlace) or found.place.source.text
    holds(mistake, found.headline, found.help)
