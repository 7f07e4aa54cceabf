"""Every door that takes a number refuses what is none, or is too long to compute with, at once (rule 13.40)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hostile.harness import budget
from tracepact.author.editor_help import calibration_faults
from tracepact.conform.oracle import Session
from tracepact.diagnostics.collection import InvalidInput

HEADER = "filename\tonset\toffset\tevent_label\n"
GATE = "contract gate\nstep 20ms\nparam tol = 40ms\nclause onset on ref_onset : ref_onset -> N[tol] pred_onset\n"
TOKENS = (
    "1e-99999999",
    "1e99999999",
    "1E+400000000",
    "1e+9999999999999999999",  # beyond the exponents of decimals
    "1e-9999999999999999999",
    "9" * 5000,
    "9" * 61,
    "0x1p9999999",
    "١٢",
    "1_000",
    "nan",
    "inf",
    "",
)
FILES = {
    "gate.contract": GATE,
    "ref.tsv": f"{HEADER}a\t1\t2\tx\n",
    "durations.tsv": "filename\tduration\na\t10\n",
}
SCORE = ["score", "gate.contract", "--ref", "ref.tsv", "--durations", "durations.tsv"]
AGAIN = [*SCORE, "--pred", "ref.tsv"]
SET = """calibration = "s"
step = "10ms"
cases = [
  {name = "late", rank = {}, risk = "r", edit = "late_onset", by = "60ms"},
  {name = "long", rank = 0, risk = "r", edit = "late_release", by = "60ms"},
]
[reference.r]
duration = "4s"
events = [["1s", "2s"]]
[family]
tolerances = ["20ms"]
"""
DOORS: dict[str, tuple[dict[str, str], list[str]]] = {
    "table": ({"p.tsv": f"{HEADER}a\t{{}}\t2\tx\n"}, [*SCORE, "--pred", "p.tsv"]),
    "confidence": (
        {"p.tsv": "filename\tonset\toffset\tevent_label\tconfidence\na\t1\t2\tx\t{}\n"},
        [*SCORE, "--pred", "p.tsv", "--threshold", "0.5"],
    ),
    "scores": ({"a.tsv": "onset\toffset\tx\n0\t1\t{}\n"}, [*SCORE, "--pred", "a.tsv", "--threshold", "0.5"]),
    "score times": ({"a.tsv": "onset\toffset\tx\n0\t{}\t1\n"}, [*SCORE, "--pred", "a.tsv", "--threshold", "0.5"]),
    "curves": ({"a.tsv": "onset\toffset\tx\n0\t1\t{}\n"}, ["curves", *SCORE[1:], "--pred", "a.tsv"]),
    "durations": ({"d.tsv": "filename\tduration\na\t{}\n"}, [*AGAIN[:-4], "--durations", "d.tsv", "--pred", "ref.tsv"]),
    "one duration": ({}, ["score", "gate.contract", "--ref", "ref.tsv", "--pred", "ref.tsv", "--durations", "{}"]),
    "label map": ({"m.toml": 'other = "drop"\nx = {}\n'}, [*AGAIN, "--label-map", "m.toml"]),
    "decoding": (
        {
            "d.toml": 'format = "tracepact-decoding/1"\n[default]\nthreshold = {}\n',
            "a.tsv": "onset\toffset\tx\n0\t1\t1\n",
        },
        [*SCORE, "--pred", "a.tsv", "--decoding", "d.toml"],
    ),
    "median": (
        {"a.tsv": "onset\toffset\tx\n0\t1\t1\n"},
        [*SCORE, "--pred", "a.tsv", "--threshold", "0.5", "--median", "{}"],
    ),
    "threshold": ({"a.tsv": "onset\toffset\tx\n0\t1\t1\n"}, [*SCORE, "--pred", "a.tsv", "--threshold", "{}"]),
    "columns": ({"c.toml": "onset = {}\n"}, [*AGAIN, "--columns", "c.toml"]),
    "columns by number": ({"p.txt": "a 1 2 x\n"}, [*SCORE, "--pred", "p.txt", "--columns", "onset={},offset=3"]),
    "json": (
        {"p.json": '{"clips": [{"name": "a", "duration": {}, "ref": [[1, 2, "x"]], "pred": []}]}'},
        ["score", "gate.contract", "--pair", "p.json"],
    ),
    "textgrid": (
        {
            "p.TextGrid": 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n{}\n<exists>\n1\n'
            '"IntervalTier"\n"x"\n0\n2\n1\n0\n2\n"x"\n'
        },
        [*SCORE, "--pred", "p.TextGrid"],
    ),
    "elan": (
        {
            "p.eaf": "<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID='a' TIME_VALUE='{}'/>"
            "<TIME_SLOT TIME_SLOT_ID='b' TIME_VALUE='2000'/></TIME_ORDER><TIER TIER_ID='x'><ANNOTATION>"
            "<ALIGNABLE_ANNOTATION TIME_SLOT_REF1='a' TIME_SLOT_REF2='b'><ANNOTATION_VALUE>x</ANNOTATION_VALUE>"
            "</ALIGNABLE_ANNOTATION></ANNOTATION></TIER></ANNOTATION_DOCUMENT>"
        },
        [*SCORE, "--pred", "p.eaf"],
    ),
    "audacity": ({"p.txt": "{}\t2\tx\n"}, [*SCORE, "--pred", "p.txt"]),
    "seld": ({"p.csv": "{},0,0,10,0\n"}, [*SCORE, "--pred", "p.csv"]),
    "rttm": ({"p.rttm": "SPEAKER a 1 {} 2 <NA> <NA> x <NA> <NA>\n"}, [*SCORE, "--pred", "p.rttm"]),
    "ctm": ({"p.ctm": "a 1 {} 2 x\n"}, [*SCORE, "--pred", "p.ctm"]),
    "raven": (
        {"p.txt": "Selection\tBegin Time (s)\tEnd Time (s)\tAnnotation\n1\t{}\t2\tx\n"},
        [*SCORE, "--pred", "p.txt"],
    ),
    "biodcase": (
        {
            "p.csv": "dataset,filename,annotation,low_frequency,high_frequency,start_datetime,end_datetime\n"
            "d,2015-02-04T03-00-00_000.wav,x,1,2,2015-02-04T03:01:07.{}+00:00,2015-02-04T03:01:09.0+00:00\n"
        },
        [*SCORE, "--pred", "p.csv"],
    ),
    "contract": ({"c.contract": GATE.replace("40ms", "{}ms")}, ["check", "c.contract"]),
    "percentage": ({"c.contract": GATE.replace("40ms", "{}%")}, ["check", "c.contract"]),
    "override": ({}, [*AGAIN, "--set", "tol={}ms"]),
    "formula": ({}, ["sat", "N[{}ms] ref_active", "--step", "20ms"]),
    "notation": ({}, ["sat", "F[0,{}] a", "--from", "ltlf"]),
    "rank": ({"s.calibration": SET}, ["select", "s.calibration"]),
    "memory": ({}, [*AGAIN, "--memory", "{}"]),
    "memory in GB": ({}, [*AGAIN, "--memory", "{}GB"]),
    "engine": ({}, [*AGAIN, "--engine", "processes:{}"]),
    "scheduler": ({}, [*AGAIN, "--engine", "dask:tcp://127.0.0.1:{}"]),
    "limit": ({}, [*AGAIN, "--limit", "frames={}"]),
    "require": ({}, [*AGAIN, "--require", "onset>={}"]),
    "seed": ({}, ["audit", "uncertainty", "run", "--seed", "{}"]),
    "timeout": ({}, ["check", "gate.contract", "--timeout", "{}"]),
    "length": ({}, ["sat", "ref_active", "--step", "20ms", "--length", "{}"]),
    "collar": ({}, ["metrics", *AGAIN[2:], "--collar", "{}"]),
    "watch": ({"lines": '{"ref": {}, "pred": 0}\n'}, ["watch", "gate.contract"]),
    "watch columns": ({"lines": "{} 0\n"}, ["watch", "gate.contract"]),
    "report": ({"r/report.json": '{"value": {}}', "r/manifest.json": '{"a": {}}'}, ["verify", "r"]),
    "state": ({"state.json": '{"format": {}}'}, ["watch", "gate.contract", "--resume", "state.json"]),
}
ASK = """
import json, os, signal, sys
from pathlib import Path
from cli.command import run
home = Path(sys.argv[1])
tasks, tokens, usual = json.load(sys.stdin)
for door, (files, arguments) in tasks.items():
    for number, token in enumerate(tokens):
        place = home / door.replace(" ", "_") / str(number)
        place.mkdir(parents=True)
        for name, text in {**usual, **files}.items():
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_text(text.replace("{}", token), encoding="utf-8")
        print(json.dumps([door, number]), flush=True)
        signal.alarm(20)
        words = [one.replace("{}", token) for one in arguments]
        os.chdir(place)
        lines = place / "lines"
        done = run(*words, stdin=lines.read_bytes() if lines.exists() else b"")
        code, said = done.code, done.out + done.err
        signal.alarm(0)
        print(json.dumps([door, number, code, said[-300:] if "Traceback" in said else ""]), flush=True)
"""


@pytest.fixture(scope="module")
def endings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, tuple[int, str] | str]]:
    """How every door answered each token: its exit code and a traceback if there was one, or how the process ended.

    Doors share a process; those behind one that ended it are asked in another.
    """
    found: dict[str, dict[str, tuple[int, str] | str]] = {door: {} for door in DOORS}
    left = dict(DOORS)
    while left:
        command = [sys.executable, "-c", ASK, str(tmp_path_factory.mktemp("doors"))]
        task = json.dumps([left, TOKENS, FILES])
        done = subprocess.run(command, input=task, capture_output=True, text=True, cwd=Path(__file__).parents[1])
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        for door, number, *ending in lines:
            found[door][TOKENS[number]] = tuple(ending) if ending else f"{done.returncode} {done.stderr[-500:]}"
        last = lines[-1][0] if lines else next(iter(left))
        left = dict([*left.items()][[*left].index(last) + 1 :])
    return found


@pytest.mark.parametrize("door", DOORS)
def test_a_door_refuses_what_is_no_number_at_once(
    door: str, endings: dict[str, dict[str, tuple[int, str] | str]]
) -> None:
    assert [*endings[door]] == [*TOKENS]
    for token, ending in endings[door].items():
        assert not isinstance(ending, str), f"no end with {token[:20]!r}: {ending}"
        code, traceback = ending
        assert not traceback, f"{token[:20]}: {traceback}"
        assert code in (0, 1, 2, 3), f"{token[:20]}: exit code {code}"


@pytest.mark.parametrize("token", TOKENS, ids=range(len(TOKENS)))
def test_the_lab_refuses_it_too(token: str, tmp_path: Path) -> None:
    from tracelab.probe.registry import read_registry
    from tracelab.robustness.corruptions import read_table

    place = tmp_path / "registry.toml"
    entry = (
        '[[encoder]]\nname = "a"\nfamily = "f"\nrate = {}\nhop = "{}"\nidentifier = "i"\n'
        'licence = "l"\nload = "x:y"\ndims = 1\n'
    )
    for sizes in ((token, "0.02"), ("16000", token))[token == "1_000" :]:  # which is a number of TOML
        place.write_text(entry.format(*sizes), encoding="utf-8")
        with budget(), pytest.raises(InvalidInput):
            read_registry(place)
    table = {
        "name": "t",
        "version": 1,
        "families": [{"name": "noise", "does": "", "parameter": "", "severities": [token] * 5}],
    }
    with budget(), pytest.raises(InvalidInput):
        read_table(json.dumps(table).encode())


@pytest.mark.parametrize("token", TOKENS, ids=range(len(TOKENS)))
def test_what_is_called_by_its_function_refuses_it_too(token: str, tmp_path: Path) -> None:
    for step in (token, f'"{token}"'):
        line = f'{{"id": 1, "ask": "formula", "text": "N[40ms] p", "step": {step}}}'
        with budget():
            assert "answer" in Session().reply(line) or "error" in Session().reply(line)
    with budget():
        diagnostics = calibration_faults(SET.replace("{}", token), "s.calibration", tmp_path)
    assert diagnostics or token == "1_000"  # as TOML writes a thousand
