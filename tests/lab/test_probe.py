"""The probe from sound to its page: run, gone on with after a stop, verified, and refused where it cannot be right."""

import json
import shutil
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from tracelab import cli
from tracelab.probe.rows import PROBE_SCALES, ProbeScale
from tracelab.protocol import Protocol
from tracelab.study.rows import chosen, read_rows
from tracelab.study.study import stored_rows

TINY = ProbeScale("smoke", Protocol(train_clips=8, test_clips=7), Protocol(test_clips=7), 0.01, 20)
OWN = '''
from fractions import Fraction
from pathlib import Path

import numpy as np

from tracelab.probe.clips import Hidden
from tracelab.probe.registry import Detection

HERE = Path(__file__).parent


def called(what):
    """Count the calls; stop at the one that the test names."""
    log = HERE / f"{what}.log"
    log.write_text((log.read_text() if log.exists() else "") + "x")
    stop = HERE / f"{what}.stop"
    if stop.exists() and len(log.read_text()) == int(stop.read_text()):
        raise KeyboardInterrupt


def levels(entry, cache):
    hop = int(entry.hop_seconds * entry.rate)

    def encode(samples):
        called("encoder")
        parts = samples[: len(samples) // hop * hop].reshape(-1, hop)
        return Hidden(np.log(parts.std(axis=1, keepdims=True) + 1e-4), entry.hop_seconds / 2, entry.hop_seconds)

    return encode


def late(entry, cache):
    """Open from 3 to 4 s of every clip, and a score that says so."""
    scores = np.zeros(600)
    scores[150:200] = 0.75

    def detect(samples):
        called("detector")
        return Detection([(3.0, 4.0)], scores)

    return detect


def clicks(entry, cache):
    return lambda samples: Detection([(1.0, 1.0), (2.5, 2.5)])
'''
REGISTRY = """
[[encoder]]
name = "levels"
family = "stand-in"
rate = 16000
hop = "1/50"
dims = 1
identifier = "log levels"
licence = "none"
load = "own.py:levels"

[[encoder]]
name = "not_here"
family = "stand-in"
rate = 16000
hop = "1/50"
dims = 1
identifier = "needs what nobody has"
licence = "none"
load = "own.py:levels"
modules = ["no_such_module_anywhere"]
install = "pip install no-such-module"

[[detector]]
name = "late"
family = "stand-in"
hears = "speech"
rate = 8000
hop = "1/50"
identifier = "open from 3 to 4 s"
licence = "none"
load = "own.py:late"
scores = true
decides = "always"

[[detector]]
name = "open"
family = "control"
hears = "speech"
rate = 8000
hop = "1/50"
identifier = "never shut"
licence = "none"
load = "always_open"
decides = "never"

[[detector]]
name = "clicks"
family = "stand-in"
hears = "onsets"
rate = 8000
hop = "1/100"
identifier = "onsets at 1 and 2.5 s"
licence = "none"
load = "own.py:clicks"
decides = "always"
"""


@pytest.fixture
def tracelab(monkeypatch, capsys):
    """Run a command; its exit code and what it printed."""

    def run(*arguments: object) -> tuple[int, str]:
        monkeypatch.setitem(PROBE_SCALES, "smoke", TINY)
        monkeypatch.setitem(PROBE_SCALES, "small", replace(TINY, name="small", draws=21))
        monkeypatch.setattr(sys, "argv", ["tracelab", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out + said.err

    return run


@pytest.fixture
def own(tmp_path) -> Path:
    """A registry of stand-ins, with the file of their loaders beside it."""
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "own.toml").write_text(REGISTRY)
    return tmp_path / "own.toml"


def probe(registry: Path, out: Path, *more: object) -> list[object]:
    return ["probe", "--scale", "smoke", "--workers", 1, "--registry", registry, "--out", out, *more]


def calls(registry: Path, what: str) -> int:
    log = registry.parent / f"{what}.log"
    return len(log.read_text()) if log.exists() else 0


@pytest.mark.slow
def test_a_probe_ends_with_a_page_goes_on_after_a_stop_and_is_verified(tracelab, own, tmp_path):
    out = tmp_path / "probe"
    (tmp_path / "detector.stop").write_text("3")
    code, said = tracelab(*probe(own, out))
    assert code != 0
    assert "goes on from here" in said
    assert not (out / "probe.html").exists()
    assert calls(own, "encoder") == 15  # eight clips to learn from, seven to be judged by
    assert list((out / "stages").glob("encoded-levels-*"))
    assert not list((out / "stages").glob("detected-*"))
    (tmp_path / "detector.stop").unlink()
    code, said = tracelab(*probe(own, out))
    assert code == 0, said
    assert "not present: `not_here` needs no_such_module_anywhere" in said
    assert "pip install no-such-module" in said
    assert (calls(own, "encoder"), calls(own, "detector")) == (15, 3 + 7)  # the encoder was not asked again
    page = (out / "probe.html").read_text()
    assert "Which voice activity detector opens on time?" in page
    assert "no_such_module_anywhere" in page
    record = json.loads((out / "probe.json").read_text())
    assert (record["speech"], record["complete"]) == ("formant", True)
    _check_values(out)
    assert tracelab("verify", out)[0] == 0
    before = (out / "probe.html").read_bytes()
    assert tracelab(*probe(own, out))[0] == 0  # a second run does nothing again
    assert (calls(own, "encoder"), calls(own, "detector")) == (15, 10)
    assert len((out / "probe.html").read_bytes()) == pytest.approx(len(before), abs=20)
    _check_drifts(tracelab, out, tmp_path)
    code, said = tracelab(*probe(own, out, "--scale", "small"))
    assert (code, "other settings" in said) == (2, True)


def _check_values(out: Path) -> None:
    """The values that follow from what the stand-ins do."""
    rows = stored_rows(out)
    for clause, value in {"beginning_kept": 1, "ending_kept": 1, "speech_passed": 1, "no_chatter": 1}.items():
        found = chosen(rows["intervals"], group="speech_gate", system="open", clause=clause)
        assert Fraction(found[0]["value"]) == value
    assert all(Fraction(row["opened"]) == 0 for row in chosen(rows["utterances"], system="open"))
    for row in chosen(rows["utterances"], system="late"):
        start, end = Fraction(row["start"]), Fraction(row["end"])
        overlaps = start < 4 and end > 3
        assert (row["opened"] != "") == overlaps
        if overlaps:
            assert Fraction(row["opened"]) == max(3 - start, 0)
            assert Fraction(row["closed"]) == 4 - end
    default = chosen(rows["intervals"], group="gates", system="late", clause="onset_guard")[0]["value"]
    curve = {
        Fraction(row["threshold"]): row["value"] for row in chosen(rows["curves"], quantity="onset_guard", kind="grid")
    }
    assert Fraction(curve[Fraction(1, 2)]) == Fraction(default)  # its scores say what it does
    assert Fraction(curve[Fraction(3, 4)]) == 0  # a frame is active if its score is greater
    assert {row["system"] for row in chosen(rows["metrics"], group="onsets")} == {"clicks"}
    assert {row["condition"] for row in rows["conditions"]} == {
        "clean",
        "noise",
        "reverb",
        "clipping",
        "gain_drift",
        "jitter",
        "compound",
    }


def _check_drifts(tracelab, out: Path, tmp_path: Path) -> None:
    """What is forged is named."""
    for number, (name, text) in enumerate(
        [
            ("rows/utterances.csv", "late"),
            ("tables/opening.md", "open"),
            ("runs/gates/late/prediction.tsv", "3"),
            ("scores/hops.json", "1/50"),
        ]
    ):
        copy = Path(shutil.copytree(out, tmp_path / f"forged{number}", ignore=shutil.ignore_patterns("stages")))
        (copy / name).write_text((copy / name).read_text().replace(text, "7", 1))
        code, said = tracelab("verify", copy)
        assert code == 1, name
        assert f"changed: {'/'.join(name.split('/')[:3]) if name.startswith('runs') else name}" in said


@pytest.mark.slow
def test_a_probe_of_detectors_alone_has_no_encoders_and_one_of_encoders_no_gates(tracelab, own, tmp_path):
    assert tracelab(*probe(own, tmp_path / "a", "--encoder", "none", "--detector", "late"))[0] == 0
    assert tracelab(*probe(own, tmp_path / "b", "--encoder", "levels", "--detector", "none"))[0] == 0
    names = [{path.stem for path in (tmp_path / part / "tables").glob("*.csv")} for part in "ab"]
    assert {"opening", "speech-gate", "thresholds"} <= names[0] - names[1]
    assert {"encoders", "encoder-guards", "encoder-conditions"} <= names[1] - names[0]
    assert read_rows(tmp_path / "b" / "rows" / "curves.csv") == []
    assert [tracelab("verify", tmp_path / part)[0] for part in "ab"] == [0, 0]


def test_the_registry_is_listed_with_what_is_missing(tracelab, own, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    code, said = tracelab("probe", "--registry", own, "--list")
    assert code == 0
    assert "levels" in said
    assert "no_such_module_anywhere" in said
    code, said = tracelab("probe", "--list")
    assert code == 0
    assert "wav2vec2_base" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--encoder", "nobody"], "the registry has no encoder `nobody`"),
        (["--encoder", "not_here"], "pip install no-such-module"),
        (["--detector", "nobody"], "no detector `nobody`"),
        (["--registry", "{broken}"], "expected form"),
        (["--speech", "{nowhere}"], "does not exist"),
        (["--speech", "asterisk-xx"], "asterisk-en"),
    ],
)
def test_bad_input_is_refused_with_a_diagnostic_and_nothing_is_written(tracelab, own, tmp_path, arguments, said):
    (tmp_path / "broken.toml").write_text("[[encoder]]\nname = 3\n")
    places = {"broken": tmp_path / "broken.toml", "nowhere": tmp_path / "nowhere"}
    given = [argument.format(**places) for argument in arguments]
    code, printed = tracelab(*probe(own, tmp_path / "new", *given))
    assert code == 2
    assert said in printed
    assert not (tmp_path / "new").exists()


def test_a_folder_that_holds_something_else_is_left_alone(tracelab, own, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    code, said = tracelab(*probe(own, tmp_path / "full"))
    assert (code, "not empty" in said) == (2, True)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes.txt"]
    assert tracelab("probe", "--registry", own)[0] == 2  # neither --out nor --list
