"""What once broke the program, as data: each case ends with its exit code, its diagnostics and its words."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli.command import run, write

from hostile.harness import budget

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
HEADER = "filename\tonset\toffset\tevent_label\n"
USUAL = {
    "gate.contract": "contract gate\nstep 20ms\nclause onset on ref_onset : ref_onset -> N[40ms] pred_onset\n",
    "ref.tsv": f"{HEADER}a\t1\t2\tx\n",
    "pred.tsv": f"{HEADER}a\t1\t2\tx\n",
    "durations.tsv": "filename\tduration\na\t10\n",
}


def written_out(text: str | list[Any]) -> str:
    """A text; a part that is a list is a text and how often it is repeated."""
    if isinstance(text, str):
        return text
    return "".join(part if isinstance(part, str) else part[0] * part[1] for part in text)


def argument(given: str | list[Any]) -> str:
    """An argument, or a sign and how often it is repeated."""
    return given if isinstance(given, str) else given[0] * given[1]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_case_that_once_broke_the_program(case: dict[str, Any], tmp_path: Path) -> None:
    files = {name: written_out(text) for name, text in (USUAL | case.get("files", {})).items()}
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
    write(tmp_path, files)
    with budget():
        outcome = run(
            *map(argument, case["arguments"]), folder=tmp_path, stdin=written_out(case.get("stdin", "")).encode()
        )
    assert outcome.code == case["code"], outcome.err
    assert "Traceback" not in outcome.err
    said = outcome.out + outcome.err
    errors = [line.partition("]")[0].removeprefix("error[") for line in said.splitlines() if line.startswith("error[")]
    assert errors == case.get("errors", errors)
    assert case.get("says", "") in said
    assert "lacks" not in case or case["lacks"] not in said
    for name, text in files.items():
        assert (tmp_path / name).read_text(encoding="utf-8") == text, f"{name} has changed"
