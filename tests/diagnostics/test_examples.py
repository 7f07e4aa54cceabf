"""Every diagnostic code has an example: what is bad has its fault, what is good has not."""

import re
import shlex
from pathlib import Path

import pytest
from cli.command import run

from tracepact.author.guide_commands import CodeExample, contract_examples, examples
from tracepact.diagnostics.findings import CODES

REFERENCE = "filename,onset,offset,event_label\na.wav,1.00,2.00,speech\na.wav,3.50,4.20,speech\nb.wav,0.40,0.90,door\n"
PREDICTION = "filename,onset,offset,event_label\na.wav,1.06,2.40,speech\na.wav,3.50,4.20,speech\nb.wav,0.42,0.92,door\n"
FRAMES = "onset\toffset\tspeech\n0\t1\t0.2\n1\t2\t0.7\n"
CALLS = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n2\n<exists>\n1\n'
CALLS += '"IntervalTier"\n"calls"\n0\n2\n1\n0\n2\n"song"\n'
MY = "contract my\nstep 20ms\nclause heard on ref_onset : N[40ms] pred_onset\n"
TABLES = {
    "ref.csv": REFERENCE,
    "one.csv": "filename,onset,offset,event_label\na.wav,1.00,2.00,speech\n",
    "two.csv": "filename,onset,offset,event_label\na.wav,1.00,2.00,speech\nb.wav,,,\n",
    "pred.csv": PREDICTION,
    "pairs/a.tsv": "onset\toffset\tspeech\tdoor\n0\t5\t0.7\t0.2\n",
    "pairs/b.tsv": "onset\toffset\tspeech\tdoor\n0\t5\t0.1\t0.9\n",
    "durations.csv": "filename,duration\na.wav,5\nb.wav,5\n",
    "list.txt": "a.wav\n",
    "my.contract": MY,
    "wider.contract": MY.replace("40ms", "80ms"),
    "two.contract": f"{MY}clause ended on ref_offset : N[40ms] pred_offset\n",
    "fragments.contract": "contract fragments\nstep 20ms\nclause whole on each ref : matched and covering <= 1\n",
    "stored/a.tsv": FRAMES,
    "a.TextGrid": CALLS,
}
RUNS = {"run": "boundary_gate", "other": "boundary_gate", "speech-run": "speech_gate"}
RUN = {code: example for code, example in examples().items() if code not in contract_examples() and not example.untried}


def test_every_code_has_an_example_and_nothing_else_has() -> None:
    assert examples().keys() == CODES.keys()
    assert all(example.bad != example.good for example in examples().values())


def test_what_is_not_tried_says_why() -> None:
    """A command that is shown either runs here or has its reason."""
    for code, example in RUN.items():
        assert example.run.startswith("tracepact ") or example.bad.startswith("tracepact "), code


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {**TABLES, "stored.calibration": examples()["one-rank"].good}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def told(example: CodeExample, text: str, folder: Path) -> list[str]:
    """The codes that a content, or what is done, brings up."""
    if example.file:
        path = folder / example.file
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="latin-1" if "für" in text else "utf-8")
    command = shlex.split(example.run or text.partition("   # ")[0])[1:]
    for name in {"run", "other", "speech-run"} & {word.rpartition("=")[2] for word in command}:
        scored = ("--ref", "ref.csv", "--pred", "pred.csv", "--durations", "5", "--out", name)
        assert run("score", RUNS[name], *scored, folder=folder).code == 0
    full = ["--full"] if command[0] in ("score", "metrics", "check") and "--format" not in command else []
    shown = run(*command, *full, *(["--notes"] if command[0] == "check" else []), folder=folder)
    return re.findall(r"^(?:error|warning|note)\[([a-z-]+)\]", shown.out + "\n" + shown.err, re.MULTILINE)


@pytest.mark.parametrize("code", RUN)
def test_what_is_bad_has_the_fault_and_what_is_good_has_not(code: str, folder: Path) -> None:
    example = RUN[code]
    assert code in told(example, example.bad, folder)
    left = told(example, example.good, folder)
    assert code not in left
    assert not {one for one in left if CODES[one].severity.value == "error"}
