"""The faulty contracts of spec/conformance: one fault each, found with its code at its place."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli.command import run
from jsonschema import Draft202012Validator

from tracepact.declarations import spec_path, starter_contracts
from tracepact.diagnostics.findings import CODES

FOLDER = spec_path("conformance/contracts")
FAULTS: list[dict[str, Any]] = json.loads((FOLDER / "faults.json").read_text(encoding="utf-8"))
NOT_IN_A_SMALL_FILE = {
    "file-too-large": "needs a file of more than 1 MiB",
    "undecided": "depends on the budget, not on the contract",
}


def codes_of_check() -> set[str]:
    """Every code that a check of a contract can report: those of texts and of meanings, not those of data."""
    source = (Path(__file__).parents[2] / "pytools/tracepact/diagnostics/findings.py").read_text(encoding="utf-8")
    text = source[source.index("# Contract text") : source.index("# Tables of events")]
    codes = set(re.findall(r'^        \("([a-z-]+)"', text, re.MULTILINE))
    return (codes | {"bare-seconds", "unused-parameter", "window-beyond-trace"}) - {"unknown-override"}


def check(fault: dict[str, Any]) -> list[dict[str, Any]]:
    arguments = ["check", str(FOLDER / fault["file"]), "--format", "json"]
    arguments += ["--notes"] if fault.get("notes") else []
    arguments += ["--durations", fault["durations"]] if "durations" in fault else []
    arguments += ["--against", str(FOLDER / f"{fault['against']}.contract")] if "against" in fault else []
    found: list[dict[str, Any]] = json.loads(run(*arguments).out)
    return found


@pytest.mark.parametrize("fault", FAULTS, ids=[fault["file"].removesuffix(".contract") for fault in FAULTS])
def test_a_faulty_contract_is_found_out_at_its_place(fault: dict[str, Any]) -> None:
    found = check(fault)
    assert fault["code"] in {item["code"] for item in found}
    if fault.get("notes") is None and "against" not in fault:
        assert {item["code"] for item in found} == {fault["code"]}
    if fault["text"] is None:
        return
    place = next(item["place"] for item in found if item["code"] == fault["code"])
    text = Path(place["file"].replace("spec/conformance/contracts", str(FOLDER))).read_text(encoding="utf-8")
    start, end = place["span"]
    assert text[start:end] == fault["text"]
    starts = [match.start() for match in re.finditer(re.escape(fault["text"]), text.split("\n", 1)[1])]
    if fault["text"] and "occurrence" in fault:
        wanted = starts[fault["occurrence"] - 1 if fault["occurrence"] > 0 else -1]
        assert start == wanted + text.index("\n") + 1


def test_every_code_of_check_has_a_faulty_contract() -> None:
    assert {fault["code"] for fault in FAULTS} | set(NOT_IN_A_SMALL_FILE) == codes_of_check()
    assert set(NOT_IN_A_SMALL_FILE) <= set(CODES)
    assert len(FAULTS) >= 40


def test_every_contract_of_the_folder_is_listed_once() -> None:
    listed = sorted(fault["file"] for fault in FAULTS)
    assert listed == sorted({path.name for path in FOLDER.glob("*.contract")} - {"boundary.contract", "pairs.contract"})


def test_the_list_of_faults_is_valid() -> None:
    schema = json.loads(spec_path("schemas/faults.schema.json").read_text(encoding="utf-8"))
    assert list(Draft202012Validator(schema).iter_errors(FAULTS)) == []
    assert not Draft202012Validator(schema).is_valid([{**FAULTS[0], "code": "No Code"}])


@pytest.mark.parametrize("name", starter_contracts())
def test_a_starter_contract_passes_without_a_word(name: str) -> None:
    outcome = run("check", name, "--fail-on", "warning", "--format", "json")
    assert (outcome.code, json.loads(outcome.out), outcome.err) == (0, [], "")
