"""Folders of files in pieces: whatever the files held at once and the batches, all is as if read in one go."""

import json
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

from tracepact import Bootstrap, ClassDecodings, Decoding, InvalidInput, Reading, curves, score, score_batches
from tracepact.data.data_files import FileOnDisk
from tracepact.engines import run_tasks
from tracepact.runs import batch_scoring
from tracepact.runs import sides as side_pieces
from tracepact.runs.commands import metrics_command

HALF = Decoding(Fraction(1, 2))
CLASSES = ["cat", "dog", "owl"]
FEW = Bootstrap(10)


def written(root: Path, clips: int, seed: int = 0, *, confidences: bool = False) -> dict[str, str]:
    """References and predictions as a list of events a clip, and score files whose columns are in any order."""
    draw = random.Random(seed)
    head = ["onset", "offset", "event_label"]
    for clip in range(clips):
        events = [(t / 10, t / 10 + 0.3, CLASSES[(t + clip) % 3]) for t in range(clip % 4, 18, 5)] if clip % 5 else []
        late = [(f"{a + 0.1:.2f}", f"{b + 0.2:.2f}", c) for a, b, c in events if draw.random() < 0.8]
        sure = [[*event, f"{draw.random():.2f}"] for event in late] if confidences else late
        columns = draw.sample(CLASSES, 3)
        frames = [(f"{k / 10}", f"{(k + 1) / 10}", *(f"{draw.random():.2f}" for _ in CLASSES)) for k in range(20)]
        tables = {
            "ref": [head, *events],
            "pred": [[*head, "confidence"] if confidences else head, *sure],
            "scores": [["onset", "offset", *columns], *frames],
        }
        for side, rows in tables.items():
            (root / side).mkdir(parents=True, exist_ok=True)
            text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
            (root / side / f"clip{clip:02d}.tsv").write_text(text)
    return {side: str(root / side) for side in ("ref", "pred", "scores")}


def told(work: Callable[[], Any]) -> Any:
    """The report of some work, or every fault for which it is refused."""
    try:
        return work().to_dict()
    except InvalidInput as error:
        return {(one.code, one.headline, str(one.place), one.help) for one in error.diagnostics}


def same(ref: Any, pred: Any, size: int = 4, **more: Any) -> Any:
    """What scoring at once says, after comparing it with what scoring in batches does."""
    whole = told(lambda: score("boundary_gate", ref, pred, **more))
    assert told(lambda: score_batches("boundary_gate", ref, pred, batch_clips=size, **more)) == whole
    return whole


@given(clips=st.integers(1, 8), seed=st.integers(0, 99), size=st.integers(1, 5), chunk=st.sampled_from([1, 900, 10**6]))
@settings(max_examples=sized(6))
def test_folders_in_pieces_give_what_reading_them_at_once_does(
    tmp_path_factory: pytest.TempPathFactory, clips: int, seed: int, size: int, chunk: int
) -> None:
    sides = written(tmp_path_factory.mktemp("folders"), clips, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(side_pieces, "_CHUNK", chunk)
        same(sides["ref"], sides["pred"], size, durations=3)
        decoding = Reading(decoding=Decoding(Fraction(1, 2), low=Fraction(3, 10), median=3))
        assert isinstance(same(sides["ref"], sides["scores"], size, pred_reading=decoding), dict)
        found = [curves("boundary_gate", sides["ref"], sides["scores"], batch_clips=n) for n in (None, size)]
        assert found[0].record(points=0, bootstrap=FEW) == found[1].record(points=0, bootstrap=FEW)


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setattr(side_pieces, "_CHUNK", 500)
    return written(tmp_path, 14)


def test_only_the_files_of_a_batch_are_held(sides: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """No batch is given an event or a score; each reads its own files, and every file is read for one batch."""
    read: list[str] = []
    true = FileOnDisk.read
    tasks: list[Any] = []

    def noted(file: FileOnDisk) -> Any:
        read.append(file.name)
        return true(file)

    def kept(engine: Any, work: Any, progress: Any = None) -> Any:
        tasks.extend(work.tasks)
        read.clear()
        return run_tasks(engine, work, progress)

    monkeypatch.setattr(FileOnDisk, "read", noted)
    monkeypatch.setattr(batch_scoring, "run_tasks", kept)
    score_batches("boundary_gate", sides["ref"], sides["scores"], batch_clips=3, pred_reading=Reading(decoding=HALF))
    assert len(tasks) == 5
    assert all((task.reference, task.prediction) == (None, None) for task in tasks)
    assert sorted(read) == sorted(str(path) for side in ("ref", "scores") for path in Path(sides[side]).iterdir())


def test_clips_are_called_as_other_tables_call_them(sides: dict[str, str]) -> None:
    ref = {f"clip{clip:02d}.wav": [(0.5, 1, "cat")] for clip in range(14)}
    found = same(ref, sides["scores"], pred_reading=Reading(decoding=HALF))
    assert found["preparation"]["prediction"]["renamed_clips"] == 14
    assert same(sides["ref"], sides["scores"], pred_reading=Reading(decoding=HALF), durations=9)["diagnostics"][
        "counts"
    ]


@pytest.mark.parametrize("odd", ["one-sided-label", "unknown-clip"])
@pytest.mark.parametrize("source", ["events", "arrays", "lists", "score files", "jams"])
def test_what_one_side_alone_has_is_said_at_the_same_row(tmp_path: Path, source: str, odd: str) -> None:
    """Events in memory have rows from 0, lines of files from 1; arrays of scores and JAMS have none."""
    label = "lynx" if odd == "one-sided-label" else "cat"
    clips = ["a", "b", *(["stranger"] if odd == "unknown-clip" else [])]
    pred: Any = str(tmp_path)
    reading = Reading()
    match source:
        case "events":
            pred = {clip: [(0, 1, label)] for clip in clips}
        case "arrays":
            pred = {clip: np.repeat([[0.75], [0.25]], 10, axis=0) for clip in clips}
            reading = Reading(step=Fraction(1, 10), classes=[label], decoding=HALF)
        case "lists":
            texts = dict.fromkeys(clips, f"onset\toffset\tevent_label\n0\t1\t{label}\n")
        case "jams":
            event = {"time": 0, "duration": 1, "value": label}
            texts = dict.fromkeys(clips, json.dumps({"annotations": [{"namespace": "tag_open", "data": [event]}]}))
        case _:
            texts = dict.fromkeys(clips, f"onset\toffset\t{label}\n0\t1\t0.75\n1\t2\t0.25\n")
            reading = Reading(decoding=HALF)
    if pred == str(tmp_path):
        for clip, text in texts.items():
            (tmp_path / f"{clip}.{'jams' if source == 'jams' else 'tsv'}").write_text(text)
    ref = {clip: [(0, 1, "cat")] for clip in ("a", "b")}
    found = same(ref, pred, 1, durations=2, pred_reading=reading)
    said = found["diagnostics"]["counts"] if isinstance(found, dict) else {code for code, *_ in found}
    assert odd in said


def test_a_threshold_keeps_events_by_their_confidence(tmp_path: Path) -> None:
    sides = written(tmp_path, 9, confidences=True)
    reading = Reading(format="list", decoding=HALF)
    assert same(sides["ref"], sides["pred"], durations=3, pred_reading=reading)["preparation"]["prediction"]["decoding"]
    found = [
        curves(
            "boundary_gate",
            sides["ref"],
            sides["pred"],
            durations=3,
            pred_reading=Reading(format="list"),
            batch_clips=n,
        )
        for n in (None, 4)
    ]
    assert found[0].record(bootstrap=FEW) == found[1].record(bootstrap=FEW)
    Path(sides["pred"], "clip07.tsv").write_text("onset\toffset\tevent_label\n1\t2\tcat\n")
    assert {one[0] for one in same(sides["ref"], sides["pred"], durations=3, pred_reading=reading)} == {"bad-score"}


@pytest.mark.parametrize(
    ("side", "file", "text", "code"),
    [
        ("pred", "other.tsv", "onset\toffset\tevent_label\n1\t2\tcat\n", "unknown-clip"),
        ("pred", "clip05.txt", "onset\toffset\tevent_label\n1\t2\tcat\n", "ambiguous-clip"),
        ("pred", "clip05.tsv", "onset\toffset\tevent_label\n1\ttwo\tcat\n3\t\tdog\n", "bad-time"),
        ("pred", "clip05.tsv", "onset\toffset\tcat\n0\t1\t0.5\n", "mixed-formats"),
        ("scores", "clip05.tsv", "onset\toffset\tcat\tdog\n0\t1\t0.5\t0.5\n", "wrong-columns"),
        ("scores", "clip05.tsv", "onset\toffset\tcat\tdog\towl\n0\t1\t0.5\t0.5\t7\n", "bad-score"),
    ],
)
def test_faults_of_folders_are_those_of_reading_them_at_once(
    sides: dict[str, str], side: str, file: str, text: str, code: str
) -> None:
    Path(sides[side], file).write_text(text)
    reading = Reading(decoding=HALF if side == "scores" else None)
    more = {"durations": 3} if side == "pred" else {}
    assert code in {one[0] for one in same(sides["ref"], sides[side], pred_reading=reading, **more)}


def test_what_is_found_of_all_files_is_said_once(sides: dict[str, str]) -> None:
    decoding = ClassDecodings(HALF, {"zebra": HALF})
    found = same(sides["ref"], sides["scores"], pred_reading=Reading(decoding=decoding))
    assert found["diagnostics"]["counts"] == {"unused-reading": 1}


def test_a_file_that_changes_between_the_passes_is_a_fault(
    sides: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(engine: Any, work: Any, progress: Any = None) -> Any:
        Path(sides["pred"], "clip09.tsv").write_text("onset\toffset\tevent_label\n")
        return run_tasks(engine, work, progress)

    monkeypatch.setattr(batch_scoring, "run_tasks", changed)
    with pytest.raises(InvalidInput, match=r"was changed while it was being read\n  --> .*clip09\.tsv"):
        score_batches("boundary_gate", sides["ref"], sides["pred"], durations=3, batch_clips=4)


def test_a_run_directory_of_folders_has_the_same_bytes_whatever_the_batches(
    sides: dict[str, str], tmp_path: Path
) -> None:
    for name, size in (("a", 3), ("b", 99)):
        data = {"ref": sides["ref"], "pred": sides["scores"], "pred_reading": Reading(decoding=HALF)}
        score_batches("boundary_gate", **data, batch_clips=size, out=tmp_path / name)
    files = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("a", "b")]
    assert files[0] == files[1]


@pytest.mark.parametrize(
    "options", [["--pred", "pred", "--intervals", "--draws", "20"], ["--pred", "scores", "--threshold", "0.5"]]
)
def test_metrics_of_folders_in_batches_are_those_of_the_whole(sides: dict[str, str], options: list[str]) -> None:
    given_options = ["--ref", sides["ref"], options[0], sides[options[1]], *options[2:], "--format", "json"]
    whole, found = (
        CliRunner().invoke(metrics_command, [*given_options, *more]) for more in ([], ["--memory", "100MB"])
    )
    assert (whole.exit_code, found.exit_code) == (0, 0), found.output
    assert found.stdout == whole.stdout
