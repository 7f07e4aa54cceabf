"""Scores that do not last as long as their clips are noted once for a side, with how many there are (rule 13.38)."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from cli.command import run, write
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

import tracepact
from tracepact.data.events import Durations
from tracepact.data.fields import checked_step
from tracepact.data.preparation import report_score_lengths
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic

DECODING = 'format = "tracepact-decoding/1"\n[default]\nthreshold = "0.5"\n'
FILES = {
    "ref.tsv": "filename\tonset\toffset\tevent_label\na.wav\t0\t1\tdog\n",
    "a.tsv": "onset\toffset\tdog\n0\t1\t0.9\n1\t2\t0.1\n",
    "events.tsv": "filename\tonset\toffset\tevent_label\tconfidence\na.wav\t0\t1\tdog\t0.8\n",
    "misspelt.toml": DECODING.replace("threshold", "treshold"),
    "class.toml": DECODING + '[classes.doog]\nthreshold = "0.3"\n',
    "table.toml": DECODING + '[dog]\nthreshold = "0.3"\n',
}
COMMANDS = {
    "score": ("boundary_gate", "--threshold", "0.5"),
    "metrics": ("--threshold", "0.5"),
    "curves": ("boundary_gate",),
    "tune": ("boundary_gate", "--maximise", "frame_f1"),
}


@given(
    frames=st.lists(st.integers(1, 60), min_size=1, max_size=6),
    step=st.sampled_from([Fraction(1, 50), Fraction(1, 4), Fraction(1)]),
    length=st.integers(1, 200).map(lambda n: Fraction(n, 10)),
)
def test_a_field_that_differs_by_more_than_a_frame_and_a_twentieth_is_noted_once(
    frames: list[int], step: Fraction, length: Fraction
) -> None:
    arrays = {f"clip{number}": np.full((n, 1), 0.5) for number, n in enumerate(frames)}
    field = tracepact.score_field(arrays, classes=["dog"], step=step)
    apart = [n for n in frames if abs(n * step - length) > step and 20 * abs(n * step - length) > length]
    found = Diagnostics()
    report_score_lengths(field, Durations("d", dict.fromkeys(arrays, length)), found)
    assert [one.code for one in found] == ["scores-length"] * bool(apart)
    if len(apart) > 1:
        assert f"{len(apart)} clips of {len(frames)}" in found.items[0].headline
    nothing = Diagnostics()
    report_score_lengths(field, None, nothing)
    assert not list(nothing)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("duration", "noted"), [("2", 0), ("3", 0), ("3.1", 1)])
def test_every_command_that_takes_scores_notes_it(command: str, duration: str, noted: int, tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "lengths.tsv": f"filename\tduration\na.wav\t{duration}\n"})
    sides = ("--ref", "ref.tsv", "--pred", "a.tsv", "--durations", "lengths.tsv")
    outcome = run(command, *COMMANDS[command], *sides, folder=tmp_path)
    assert outcome.code == 0, outcome.err
    assert outcome.codes.count("scores-length") == noted


def test_an_npz_file_and_arrays_are_noted_and_chosen_clips_alone_count(tmp_path: Path) -> None:
    arrays = {"a": np.full((1000, 1), 0.9), "b": np.full((500, 1), 0.9)}
    np.savez(tmp_path / "s.npz", classes=np.array(["dog"]), step=np.array("0.02"), **arrays)
    ref = {"a": [(0, 10, "dog")], "b": [(0, 10, "dog")]}

    def noted(clips: list[str], **given: object) -> list[str]:
        how = {"durations": dict.fromkeys(ref, 10), "decoding": 0.5, "clips": clips, **given}
        return [one.headline for one in tracepact.score("boundary_gate", ref, **how).diagnostics]  # type: ignore[arg-type]

    for pred in ({"pred": tmp_path / "s.npz"}, {"pred": arrays, "classes": ["dog"], "step": "20ms"}):
        (headline,) = [text for text in noted(["a", "b"], **pred) if "last" in text]
        assert headline == "the scores of `a` last 20 s, the clip 10 s"
        assert not [text for text in noted(["b"], **pred) if "last" in text]


@settings(max_examples=sized(30))
@given(number=st.integers(1, 40), form=st.sampled_from([int, float, str, Fraction, "{}ms".format, "{}s".format]))
def test_a_bare_step_of_ten_or_more_is_refused(number: int, form: object) -> None:
    step = form(number)  # type: ignore[operator]
    found = Diagnostics()
    length = checked_step(step, "pred", found)
    is_bare = form in (int, float, str)
    assert (length is None) is (is_bare and number >= 10)
    assert bool(found.errors) is (length is None)
    if length is not None:
        assert length == (Fraction(number, 1000) if str(step).endswith("ms") else number)


def faults(folder: Path, pred: str, decoding: str) -> list[Diagnostic]:
    try:
        scored = tracepact.score(
            "boundary_gate", folder / "ref.tsv", folder / pred, durations=2, decoding=folder / decoding
        )
    except InvalidInput as error:
        return list(error.diagnostics)
    return list(scored.diagnostics)


@pytest.mark.parametrize(
    ("pred", "decoding", "code", "help"),
    [
        ("a.tsv", "misspelt.toml", "bad-decoding", "did you mean `threshold`?"),
        ("a.tsv", "class.toml", "unused-reading", "did you mean `dog`?"),
        ("events.tsv", "class.toml", "unused-reading", "did you mean `dog`?"),
        ("a.tsv", "table.toml", "bad-decoding", "a class is written `[classes.dog]`"),
    ],
)
def test_a_mistake_in_a_decoding_file_is_said_once(
    pred: str, decoding: str, code: str, help: str, tmp_path: Path
) -> None:
    write(tmp_path, FILES)
    assert [(one.code, one.help) for one in faults(tmp_path, pred, decoding)] == [(code, help)]


def test_curves_offer_the_near_label_of_the_other_side(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "a.tsv": FILES["a.tsv"].replace("dog", "dogs")})
    outcome = run("curves", "boundary_gate", "--ref", "ref.tsv", "--pred", "a.tsv", folder=tmp_path)
    said = " ".join(outcome.err.split())
    assert "did you mean `dogs`" in said
    assert "did you mean `dog`" in said
