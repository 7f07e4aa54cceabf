"""Corpora: the layout, the split by recording, labels on the grid, the audit, the tracks and what they refuse."""

import hashlib
import json
import shutil
import signal
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import tracepact
from tracelab.commands import commands
from tracelab.corpora.clips import (
    ambiguity_rows,
    frame_cells,
    hard_events,
    mechanism_rows,
    on_grid,
    reading_rows,
    real_clips,
    split,
)
from tracelab.corpora.maestro import Recording, Recordings, read_corpus, write_sample
from tracelab.corpora.systems import baseline_rows
from tracelab.corpora.track import view_files
from tracelab.scenes.voices import open_voice
from tracepact import InvalidInput
from tracepact.show import csv_rows


def recording(name: str, *rows: tuple[str, ...], edges: tuple[str, ...] | None = None) -> Recording:
    """A recording of cells of one second, or of cells between these edges."""
    times = [Decimal(time) for time in edges or map(str, range(len(rows) + 1))]
    cells = tuple(tuple(map(Decimal, row)) for row in rows)
    return Recording(name, name.rstrip("0123456789_"), tuple(pairwise(times)), cells, None)


CAFE = recording("cafe_01", ("0.25", "0"), ("0.75", "0.5"), ("1", "0.6"), ("0.5000001", "0"))


def corpus_of(*recordings: Recording, classes: tuple[str, ...] = ("a", "b")) -> Recordings:
    return Recordings(classes, recordings, ())


# The grid


def test_a_frame_has_the_label_of_the_cell_that_its_centre_lies_in() -> None:
    cells = frame_cells(CAFE, 200)
    assert [cells.index(cell) for cell in range(4)] == [0, 50, 100, 150]
    odd = recording("x_1", ("0", "0"), ("1", "1"), edges=("0", "0.31", "1"))
    assert frame_cells(odd, 50).index(1) == 15  # the centre of frame 15 is 0.31, where the second cell begins
    between = recording("x_1", ("0", "0"), ("1", "1"), edges=("0", "0.311", "1"))
    assert frame_cells(between, 50).index(1) == 16


def test_hard_is_above_one_half_exactly_and_the_soft_values_are_kept() -> None:
    soft, hard = on_grid(CAFE)
    assert soft.shape == hard.shape == (200, 2)
    assert [bool(hard[frame, 0]) for frame in (0, 50, 100, 150)] == [False, True, True, True]
    assert [bool(hard[frame, 1]) for frame in (0, 50, 100, 150)] == [False, False, True, False]
    assert soft[75, 1] == 0.5
    assert hard_events(CAFE, ("a", "b")) == [(1, 4, "a"), (2, 3, "b")]


@given(
    st.dictionaries(
        st.tuples(st.sampled_from(("cafe", "metro", "street")), st.integers(0, 30)).map(lambda n: f"{n[0]}_{n[1]:02d}"),
        st.just(0),
        min_size=1,
    ),
    st.integers(0, 5),
)
def test_no_recording_is_on_two_sides_of_the_split_and_none_is_lost(names: dict[str, int], seed: int) -> None:
    corpus = corpus_of(*(recording(name, ("0", "0")) for name in sorted(names)))
    parts = split(corpus, None, seed)
    every = [name for some in parts.values() for name in some]
    assert sorted(every) == sorted(names)
    assert len(set(every)) == len(every)
    assert split(corpus, None, seed) == parts


# The annotation


def test_the_audit_counts_cells_above_zero_by_scene() -> None:
    metro = recording("metro_07", ("1", "0"))
    cafe, alone, total = ambiguity_rows(corpus_of(CAFE, metro))
    # above zero: 0.25, 0.75, 0.5, 1, 0.6, 0.5000001; from 1/4 to 3/4: all but the 1
    assert (cafe["cells"], cafe["above zero"], cafe["ambiguous"], cafe["ambiguous share"]) == ("8", "6", "5", "5/6")
    # 2 × 0.811278 + 1 + 0 + 0.970951 + 1, over 6
    assert float(cafe["entropy"]) == pytest.approx((2 * 0.8112781 + 1 + 0.9709506 + 1) / 6, abs=1e-5)
    assert (alone["scene"], alone["ambiguous share"], float(alone["entropy"])) == ("metro", "0", 0.0)
    assert (total["scene"], total["recordings"], total["ambiguous share"]) == ("all", "2", "5/7")


def test_the_audit_agrees_with_the_toolkits_own(tmp_path: Path) -> None:
    for place in (CAFE, recording("metro_07", ("1", "0.3"))):
        rows = [
            f"{onset}\t{offset}\t{label}\t{value}"
            for (onset, offset), row in zip(place.edges, place.cells, strict=True)
            for label, value in zip("ab", row, strict=True)
            if value
        ]
        (tmp_path / f"{place.name}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    theirs = tracepact.audit_annotation(tmp_path)
    *_, total = ambiguity_rows(corpus_of(CAFE, recording("metro_07", ("1", "0.3"))))
    assert Fraction(total["ambiguous share"]) == theirs.total.share
    assert float(total["entropy"]) == pytest.approx(theirs.total.entropy, abs=1e-6)


def test_sparsity_softness_and_overlap_are_shares_of_cells() -> None:
    first, second = mechanism_rows(corpus_of(CAFE))
    # a is active in cells 1, 2, 3 of 4; 0.25, 0.75 and 0.5000001 of its four cells above zero are ambiguous
    assert (first["active cells"], first["sparsity"], first["softness"], first["overlap"]) == ("3", "1/4", "3/4", "1/3")
    assert (second["active cells"], second["sparsity"], second["softness"], second["overlap"]) == ("1", "3/4", "1", "1")


def test_obligations_near_one_half_are_decided_inside_the_labels() -> None:
    rows = {(r["system"], r["clause"], r["within"]): r for r in reading_rows(corpus_of(CAFE))}
    own = rows["the labels above one half", "missing_guard", "1/10"]
    # class a: 150 active frames, the last 50 at 0.5000001 are inside 0.1; class b: 50 at 0.6, not nearer than 0.1
    assert own["obligated"] == "200"
    assert own["score"] == "1"
    assert int(own["inside"]) >= 50
    late = rows["the same, 200 ms late", "onset_guard", "1/10"]
    assert late["score"] == "0"


# The layout


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    assert write_sample(folder, open_voice("formant"), 2) == 4
    return folder


def test_a_small_corpus_in_the_layout_of_maestro_is_read(sample: Path) -> None:
    corpus = read_corpus(sample)
    assert [r.name for r in corpus.recordings] == ["cafe_00", "cafe_01", "street_00", "street_01"]
    assert corpus.classes == ("burst", "speech", "tone")
    assert all(r.seconds == 24 and r.sound is not None for r in corpus.recordings)
    assert corpus.folds == ({"train": ("cafe_01", "street_01"), "test": ("cafe_00", "street_00")},)
    assert split(corpus, 1, 0)["test"] == ("cafe_00", "street_00")


def test_clips_have_features_labels_and_scenes_and_rests_are_counted(sample: Path) -> None:
    corpus = read_corpus(sample)
    clips = real_clips(corpus, ("cafe_00", "street_01"))
    assert clips.heard.names == ("cafe_00-000", "cafe_00-001", "street_01-000", "street_01-001")
    assert clips.heard.conditions == ("cafe", "cafe", "street", "street")
    assert clips.left_out == 8  # two recordings of 24 s in clips of 10 s
    assert clips.heard.features.shape == (4, 500, 7)
    assert clips.soft.shape == clips.heard.classes.shape == (4, 500, 3)
    assert np.array_equal(clips.soft > 0.5, clips.heard.classes)


def test_one_table_gives_the_same_corpus_as_files(sample: Path, tmp_path: Path) -> None:
    corpus = read_corpus(sample)
    lines = ["\t".join(("filename", "onset", "offset", *corpus.classes))]
    for place in corpus.recordings:
        for (onset, offset), row in zip(place.edges, place.cells, strict=True):
            lines.append("\t".join((f"{place.name}.wav", str(onset), str(offset), *map(str, row))))
    (tmp_path / "soft_gt_dev.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    other = read_corpus(tmp_path)
    assert other.classes == corpus.classes
    assert [(r.name, r.edges, r.cells) for r in other.recordings] == [
        (r.name, r.edges, r.cells) for r in corpus.recordings
    ]


BAD = {
    "no labels": {},
    "not a number": {"soft_labels_x/x_1.txt": "0\t1\ta\tmany\n"},
    "not finite": {"soft_labels_x/x_1.txt": "0\t1\ta\tNaN\n"},
    "above one": {"soft_labels_x/x_1.txt": "0\t1\ta\t1.5\n"},
    "above one by more than rounding": {"soft_labels_x/x_1.txt": "0\t1\ta\t1.0000011\n"},
    "below zero": {"soft_labels_x/x_1.txt": "0\t1\ta\t-0.5\n"},
    "three fields": {"soft_labels_x/x_1.txt": "0\t1\ta\n"},
    "a label twice": {"soft_labels_x/x_1.txt": "0\t1\ta\t1\n0\t1\ta\t0\n"},
    "a hole": {"soft_labels_x/x_1.txt": "0\t1\ta\t1\n2\t3\ta\t0\n"},
    "backwards": {"soft_labels_x/x_1.txt": "0\t0\ta\t1\n"},
    "empty": {"soft_labels_x/x_1.txt": "\n"},
    "one name": {"soft_labels_x/x_1.txt": "0\t1\ta\t1\n", "soft_labels_y/x_1.txt": "0\t1\ta\t1\n"},
    "a short row": {"soft_gt_dev.csv": "filename\tonset\toffset\ta\nx_1.wav\t0\t1\n"},
    "other columns": {"soft_gt_dev.csv": "file\tonset\toffset\ta\nx_1.wav\t0\t1\t1\n"},
    "an unknown recording": {
        "soft_labels_x/x_1.txt": "0\t1\ta\t1\n",
        "development_folds/fold1_test.csv": "filename\nx/x_2\n",
    },
    "both sides": {
        "soft_labels_x/x_1.txt": "0\t1\ta\t1\n",
        "development_folds/fold1_test.csv": "filename\nx/x_1\n",
        "development_folds/fold1_train.csv": "filename\nx/x_1\n",
    },
}


@pytest.mark.parametrize("files", BAD.values(), ids=BAD)
def test_a_copy_that_contradicts_itself_is_refused(files: dict[str, str], tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput) as error:
        read_corpus(tmp_path)
    assert [found.code for found in error.value.diagnostics] == ["bad-corpus"]


def test_a_soft_label_above_one_by_rounding_is_told_with_its_row_and_kept(tmp_path: Path) -> None:
    """The published table has such a value; one that is further out is refused (above)."""
    rows = ["x_1.wav\t0\t1\t1.0000009\t0.5", "x_1.wav\t1\t2\t-0.000001\t1"]
    table = tmp_path / "soft_gt_dev.csv"
    table.write_text("\n".join(("filename\tonset\toffset\ta\tb", *rows)) + "\n", encoding="utf-8")
    found = read_corpus(tmp_path)
    values = (Decimal("1.0000009"), Decimal("0.5")), (Decimal("-0.000001"), Decimal(1))
    assert found.recordings[0].cells == values
    places = [one.place for one in found.warnings]
    assert places == [tracepact.RowPlace(str(table), 2), tracepact.RowPlace(str(table), 3)]
    assert {one.code for one in found.warnings} == {"score-outside"}
    said = lab("corpus", "maestro", tmp_path, "--labels-only", "--out", tmp_path / "out")
    assert said.exit_code == 0
    assert "warning[score-outside]: the soft label `1.0000009`" in said.stderr
    record = json.loads((tmp_path / "out" / "corpus.json").read_text(encoding="utf-8"))
    assert record["labels outside 0 to 1"] == 2
    all_cells = next(row for row in ambiguity_rows(found) if row["scene"] == "all")
    # above zero are 1.0000009, 1 and 0.5; certain ones have no entropy, a half has one bit
    assert (all_cells["above zero"], all_cells["ambiguous"], all_cells["entropy"]) == ("3", "1", "0.333333")


def test_sound_beyond_the_last_label_is_counted_as_left_out(sample: Path, tmp_path: Path) -> None:
    """24 s of labels and sound, of which the labels of the last four are taken away: one clip of ten more is left."""
    shutil.copytree(sample, tmp_path / "copy")
    labels = next((tmp_path / "copy").rglob("cafe_00.txt"))
    kept = [line for line in labels.read_text().splitlines(keepends=True) if int(line.split("\t")[0]) < 20]
    labels.write_text("".join(kept))
    clips = real_clips(read_corpus(tmp_path / "copy"), ("cafe_00",))
    assert (len(clips.heard), clips.left_out) == (2, 4)


def test_a_fold_or_a_sound_that_is_not_there_is_refused(sample: Path) -> None:
    corpus = read_corpus(sample)
    with pytest.raises(InvalidInput, match="no fold 2"):
        split(corpus, 2, 0)
    with pytest.raises(InvalidInput, match="has no sound"):
        real_clips(corpus_of(CAFE), ("cafe_01",))
    with pytest.raises(InvalidInput, match="as long as a clip"):
        real_clips(corpus, ("cafe_00",), 25)


# The tracks


def lab(*arguments: object) -> Result:
    return CliRunner().invoke(commands, [str(argument) for argument in arguments], catch_exceptions=False)


def test_labels_alone_give_tables_a_page_and_a_record_that_verifies(sample: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert lab("corpus", "maestro", sample, "--labels-only", "--out", out).exit_code == 0
    assert {path.name for path in (out / "tables").iterdir()} == {
        f"{name}.{kind}" for name in ("annotation", "mechanisms", "readings") for kind in ("csv", "md")
    }
    assert "published, 17 classes" in (out / "tables" / "annotation.md").read_text(encoding="utf-8")
    assert lab("verify", out).stdout.endswith("nothing changed\n")
    page = out / "corpus.html"
    page.write_text(page.read_text(encoding="utf-8").replace("0.351", "0.999"), encoding="utf-8")
    changed = lab("verify", out)
    assert "changed: corpus.html" in changed.stdout
    with pytest.raises(InvalidInput, match="other settings"):
        lab("corpus", "maestro", sample, "--out", out)


def detectors_of(sample: Path, out: Path) -> tuple[object, ...]:
    """The command that trains and scores every detector on a small corpus."""
    return ("corpus", "maestro", sample, "--fold", 1, "--epochs", 1, "--clip", 4, "--out", out)


@pytest.fixture(scope="module")
def finished(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing stopped."""
    out = tmp_path_factory.mktemp("finished") / "out"
    assert lab(*detectors_of(sample, out)).exit_code == 0
    return out


@pytest.mark.slow
def test_detectors_are_trained_scored_and_kept_on_the_sound_of_a_corpus(sample: Path, finished: Path) -> None:
    out = finished
    first = json.loads((out / "corpus.json").read_text(encoding="utf-8"))
    stages = {path.name for path in (out / "stages").iterdir()}
    models = {path.name for path in (out / "stages").glob("model-*")}
    assert len(models) == 8
    gap = (out / "tables" / "gap.csv").read_text(encoding="utf-8").splitlines()
    assert gap[0] == "clause,class-indexed,union,gap"
    assert len(gap) == 1 + 3 + 7  # its heading, frame and boundary F1 and the mean, and the guards
    for row in gap[1:]:
        _, indexed, union, difference = row.split(",")
        assert abs(Fraction(union) - Fraction(indexed) - Fraction(difference)) <= Fraction(3, 2000)  # three digits each
    assert (out / "tables" / "split.csv").read_text(encoding="utf-8").splitlines()[1:] == [
        "training,2,12,0",
        "test,2,12,0",
    ]
    assert lab("verify", out).stdout.startswith("8 runs")
    assert lab(*detectors_of(sample, out)).exit_code == 0
    assert {path.name for path in (out / "stages").iterdir()} == stages
    assert json.loads((out / "corpus.json").read_text(encoding="utf-8")) == first


def forge(out: Path, name: str, old: str, new: str) -> None:
    """Change a stored row, and every view and digest with it, as one would who knows how they are made."""
    record = json.loads((out / "corpus.json").read_text(encoding="utf-8"))
    files, order = record.pop("files"), record.pop("order")
    texts = {table: (out / "tables" / f"{table}.csv").read_text(encoding="utf-8") for table in order}
    assert texts[name].count(old) == 1
    texts[name] = texts[name].replace(old, new)
    made = view_files(record["title"], {table: csv_rows(text) for table, text in texts.items()}, record)
    for file, text in made.items():
        (out / file).write_text(text, encoding="utf-8")
    files = {file: hashlib.sha256(text.encode()).hexdigest() for file, text in made.items()}
    (out / "corpus.json").write_text(json.dumps({**record, "order": order, "files": files}), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "column"), [("gap", 3), ("systems", 3), ("support", 2)])
def test_a_row_that_the_runs_do_not_give_is_named(finished: Path, tmp_path: Path, name: str, column: int) -> None:
    out = tmp_path / "forged"
    shutil.copytree(finished, out)
    row = (out / "tables" / f"{name}.csv").read_text(encoding="utf-8").splitlines()[2]
    cells = row.split(",")
    cells[column] = "3/7919"
    forge(out, name, row, ",".join(cells))
    changed = lab("verify", out)
    assert changed.stdout.count("changed: ") == 1
    assert f"changed: tables/{name}.csv, row 2 ({' '.join(cells[:3])}): the runs do not give it" in changed.stdout
    shutil.rmtree(next((out / "stages").glob("run-class_tcn_aug-*")))
    assert "changed: run-class_tcn_aug: it is missing" in lab("verify", out).stdout


KILLED = """
import os, signal, sys
from tracelab.commands import commands
from tracelab.corpora import systems
save, calls = systems.save_model, []
def save_some(model, folder):
    save(model, folder)
    calls.append(folder)
    if len(calls) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
systems.save_model = save_some
commands(sys.argv[1:])
"""


@pytest.mark.slow
def test_a_run_killed_while_it_kept_a_model_goes_on_and_ends_the_same(
    sample: Path, finished: Path, tmp_path: Path
) -> None:
    out = tmp_path / "killed"
    command = [str(argument) for argument in detectors_of(sample, out)]
    killed = subprocess.run([sys.executable, "-c", KILLED, *command], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not (out / "corpus.json").exists()
    assert len(list((out / "stages").glob(".model-*.part"))) == 1
    kept = {path: path.stat().st_mtime_ns for path in out.glob("stages/*/stage.json")}
    assert sorted(path.parent.name.split("-")[0] for path in kept) == ["model", "model", "run", "run"]
    assert lab(*command).exit_code == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == kept, "what was whole is not made again"
    assert not list((out / "stages").glob(".*"))
    assert {path.name for path in (out / "stages").iterdir()} == {path.name for path in (finished / "stages").iterdir()}
    assert (out / "corpus.json").read_bytes() == (finished / "corpus.json").read_bytes()
    assert (out / "tables" / "gap.csv").read_bytes() == (finished / "tables" / "gap.csv").read_bytes()
    assert lab("verify", out).stdout.endswith("nothing changed\n")


def test_score_files_are_scored_at_three_thresholds_and_at_all(tmp_path: Path) -> None:
    """Two clips of one second, frames of 100 ms; `a` is right in one clip at 0.5 and above 0.3 alone in the other."""
    scores = tmp_path / "scores"
    scores.mkdir()
    for clip, high in (("x", "0.9"), ("y", "0.4")):
        rows = [f"{k / 10:.1f}\t{(k + 1) / 10:.1f}\t{high if 2 <= k < 6 else '0.1'}\t0.0" for k in range(10)]
        (scores / f"{clip}.tsv").write_text("\n".join(("onset\toffset\ta\tb", *rows)) + "\n", encoding="utf-8")
    events = ["x.wav\t0.2\t0.6\ta", "y.wav\t0.2\t0.6\ta", "z.wav\t0\t1\ta"]
    header = "filename\tonset\toffset\tevent_label"
    (tmp_path / "ref.tsv").write_text("\n".join((header, *events)) + "\n", encoding="utf-8")
    (tmp_path / "durations.tsv").write_text("filename\tduration\nx.wav\t1\ny.wav\t1\nz.wav\t1\n", encoding="utf-8")
    rows = list(baseline_rows(scores, tmp_path / "ref.tsv", tmp_path / "durations.tsv", ["x.wav", "y.wav"]))
    found = {(r["threshold"], r["labels"], r["measure"]): Fraction(r["value"]) for r in rows}
    assert [found[t, "classes", "missing_guard"] for t in ("0.3", "0.5", "0.7")] == [1, Fraction(1, 2), Fraction(1, 2)]
    assert found["0.3", "classes", "event F1"] == 1
    assert found["0.5", "classes", "event F1"] == Fraction(2, 3)
    best = {k: v for k, v in found.items() if k[0].startswith("best")}
    assert set(best.values()) == {Fraction(1)}
    out = tmp_path / "out"
    given = ("--ref", tmp_path / "ref.tsv", "--durations", tmp_path / "durations.tsv", "--out", out)
    assert lab("corpus", "baseline", scores, *given).exit_code == 0
    assert "published, at 0.5" in (out / "tables" / "baseline.md").read_text(encoding="utf-8")
    assert lab("verify", out).stdout.endswith("nothing changed\n")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InvalidInput, match="no score files"):
        lab("corpus", "baseline", empty, "--ref", tmp_path / "ref.tsv", "--out", tmp_path / "other")
