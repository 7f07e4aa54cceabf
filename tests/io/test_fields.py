"""Score fields and masks of several classes: every way in gives the same field, and what is written is read again."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tracepact
from tracepact import InvalidInput, Reading, ScoreField, curves, load_contract, score, score_field, tune
from tracepact.data.decoding import Decoding, decode
from tracepact.data.events import (
    ClipScores,
    ScoreLevels,
    frame_edges,
    join_levels,
    joined_clips,
    levels_of_floats,
    levels_of_texts,
)
from tracepact.data.family import Grid
from tracepact.data.fields import read_scores
from tracepact.data.writers import FIELD_FORMATS, SCORE_FILES, written_field
from tracepact.diagnostics.collection import Diagnostics

NAMES = ["cat", "dog"]
STEP = Fraction(1, 50)
TEXTS = st.sampled_from(
    ["0", "0.0", "1", "0.1", "0.10", "0.1000000000000000000001", "1e-400", "0.3", "0.30000000000000004", "5e-324"]
)
FLOATS = st.floats(0, 1) | st.floats(0, 1, width=32)


def content(field: ScoreField) -> dict[str, Any]:
    """What a field says, in exact numbers."""
    return {
        clip: (own.edges, [[field.levels.value(rank) for rank in row] for row in own.ranks.tolist()])
        for clip, own in field.clips.items()
    }


def codes(error: pytest.ExceptionInfo[InvalidInput]) -> list[str]:
    return [found.code for found in error.value.diagnostics]


# Levels


@given(st.lists(TEXTS | FLOATS.map(repr), min_size=1, max_size=12))
def test_levels_of_texts_are_the_decimals_in_order(texts: list[str]) -> None:
    levels, ranks = levels_of_texts(texts)
    assert [levels.value(rank) for rank in ranks.tolist()] == [Fraction(Decimal(text)) for text in texts]
    values = [levels.value(rank) for rank in range(len(levels))]
    assert values == sorted(set(values))
    whole, parts = levels.whole
    assert [Fraction(score, parts) for score in whole] == values


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=12), st.sampled_from([np.float16, np.float32, float]))
def test_levels_of_floats_are_their_shortest_decimals(floats: list[float], kind: type) -> None:
    values = np.array(floats, dtype=kind)
    levels, ranks = levels_of_floats(values)
    assert [levels.value(rank) for rank in ranks.tolist()] == [Fraction(Decimal(str(value))) for value in values]


@given(st.lists(st.lists(TEXTS | FLOATS.map(repr), min_size=1, max_size=6), min_size=1, max_size=4))
def test_joined_levels_keep_every_score(parts: list[list[str]]) -> None:
    ranked = [levels_of_texts(texts) for texts in parts]
    levels, places = join_levels([own for own, _ in ranked])
    for texts, (_, ranks), place in zip(parts, ranked, places, strict=True):
        found = [levels.value(rank) for rank in place[ranks].tolist()]
        assert found == [Fraction(Decimal(text)) for text in texts]
    values = [levels.value(rank) for rank in range(len(levels))]
    assert values == sorted(set(values))


@given(st.lists(TEXTS, min_size=1, max_size=8), TEXTS | st.sampled_from(["1/3", "0.2"]))
def test_a_threshold_is_compared_exactly(texts: list[str], threshold: str) -> None:
    levels, ranks = levels_of_texts(texts)
    limit = Fraction(threshold)
    active = (ranks >= levels.above(limit)).tolist()
    assert active == [Fraction(Decimal(text)) > limit for text in texts]


# Projection (18.11)


@st.composite
def own_frames(draw: st.DrawFn) -> tuple[Fraction, ...]:
    """Edges at multiples of 5 ms, the first at or after 0."""
    lengths = draw(st.lists(st.integers(1, 9), min_size=1, max_size=8))
    edges = [draw(st.integers(0, 3))]
    for length in lengths:
        edges.append(edges[-1] + length)
    return tuple(Fraction(edge, 200) for edge in edges)


@given(own_frames(), st.integers(1, 14), st.sampled_from([STEP, Fraction(1, 60), Fraction(1, 200)]))
def test_a_frame_takes_the_score_of_the_frame_that_covers_its_centre(
    edges: tuple[Fraction, ...], frames: int, step: Fraction
) -> None:
    own = ClipScores(edges, np.arange(len(edges) - 1)[:, None])
    for i, found in enumerate(own.projected(step, frames)[:, 0].tolist()):
        centre = (i + Fraction(1, 2)) * step
        covering = [j for j in range(len(edges) - 1) if edges[j] <= centre < edges[j + 1]]
        assert found == (covering[0] if covering else -1)


@given(own_frames(), st.data(), st.sampled_from([STEP, Fraction(1, 60)]), st.integers(0, 10))
def test_the_projected_field_is_active_where_the_decoded_events_are(
    edges: tuple[Fraction, ...], data: st.DataObject, step: Fraction, tenth: int
) -> None:
    count = len(edges) - 1
    tenths = data.draw(st.lists(st.integers(0, 10), min_size=count, max_size=count))
    levels, ranks = levels_of_texts([str(n / 10) for n in tenths])
    field = ScoreField("s", ("x",), levels, {"a": ClipScores(edges, ranks[:, None])})
    threshold, grid = Fraction(tenth, 10), Grid(step)
    frames = grid.frames(edges[-1])
    projected = field.clips["a"].projected(step, frames)[:, 0]
    active = (projected >= levels.above(threshold)).tolist()
    expected = [False] * frames
    for event in decode(field, Decoding(threshold)).clips["a"]:
        start, end = grid.project(event.onset, event.offset)
        expected[start:end] = [True] * (min(end, frames) - start)
    assert active == expected[:frames]


# Ways in

SCORES = np.array([[0.1, 0.9], [0.25, 0.5], [1.0, 0.0], [0.3, 0.7]])
EVENTS = {"a": [(0, "0.04", "cat")], "b": []}


def frame_columns(clip: str | None = None) -> dict[str, list[Any]]:
    names: dict[str, list[Any]] = {} if clip is None else {"filename": [clip] * 4}
    times = {"onset": [0.0, 0.02, 0.04, 0.06], "offset": [0.02, 0.04, 0.06, 0.08]}
    return {**names, **times, "cat": SCORES[:, 0].tolist(), "dog": SCORES[:, 1].tolist()}


EXPECTED = {"a": (frame_edges(4, STEP), [[Fraction(str(v)) for v in row] for row in SCORES.tolist()])}


def test_arrays_lists_of_arrays_and_tensors_are_one_field() -> None:
    torch = pytest.importorskip("torch")
    half = SCORES.astype(np.float16)
    for array in (SCORES, SCORES.astype(np.float32), torch.tensor(SCORES), torch.tensor(SCORES).requires_grad_()):
        assert content(score_field({"a": array}, classes=NAMES, step="0.02")) == EXPECTED
    exact_half = [[Fraction(str(v)) for v in row] for row in half]
    assert content(score_field({"a": half}, classes=NAMES, step=0.02))["a"][1] == exact_half
    brain = score_field({"a": torch.tensor([[0.5, 0.25]]).bfloat16()}, classes=NAMES, step="0.02")
    assert content(brain)["a"][1] == [[Fraction(1, 2), Fraction(1, 4)]]
    mixed = score_field({"a": np.float32([[0.1, 0.2]]), "b": np.array([[0.1, 0.2]])}, classes=NAMES, step=1)
    assert content(mixed)["a"] == content(mixed)["b"]


def test_data_frames_are_the_same_field(tmp_path: Path) -> None:
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    from pyarrow import feather, parquet

    whole, one = frame_columns("a"), frame_columns()
    for make in (pandas.DataFrame, polars.DataFrame, pyarrow.table):
        assert content(score_field(make(whole))) == EXPECTED
        assert content(score_field({"a": make(one)})) == EXPECTED
        assert list(content(score_field(make(one)))) == ["clip"]
    parquet.write_table(pyarrow.table(whole), tmp_path / "s.parquet")
    feather.write_feather(pyarrow.table(whole), str(tmp_path / "s.arrow"))
    np.savez(tmp_path / "s.npz", a=SCORES, classes=np.array(NAMES), step=np.array(0.02))
    for name in ("s.parquet", "s.arrow", "s.npz"):
        assert content(score_field(tmp_path / name)) == EXPECTED
        run = score("boundary_gate", EVENTS, tmp_path / name, decoding=0.5, durations={"a": "0.08", "b": 1})
        assert [(e.label, e.onset, e.row is None) for e in run.prediction.clips["a"]][:1] == [
            ("dog", 0, name.endswith("npz"))
        ]


def test_a_field_scores_like_the_events_it_decodes_to() -> None:
    field = score_field({"a": SCORES, "b": SCORES[:2]}, classes=NAMES, step="0.02")
    events = {clip: [(e.onset, e.offset, e.label) for e in some] for clip, some in decoded(field).items()}
    lengths = {"a": "0.08", "b": "0.04"}
    expected = score("boundary_gate", EVENTS, events, durations=lengths)
    for pred in (field, {"a": SCORES, "b": SCORES[:2]}):
        run = score("boundary_gate", EVENTS, pred, classes=NAMES, step="0.02", decoding=0.5, durations=lengths)
        assert run.vector == expected.vector
    assert score("boundary_gate", EVENTS, field, decoding=0.5).vector == expected.vector
    coarse = score(
        "boundary_gate", EVENTS, {"a": SCORES[:2], "b": SCORES[:1]}, classes=NAMES, step="0.04", decoding=0.5
    )
    assert coarse.card.family.frames == (4, 2)


def test_a_file_keeps_its_own_step(tmp_path: Path) -> None:
    np.savez(tmp_path / "s.npz", a=SCORES, classes=np.array(NAMES), step=np.array("0.1"))
    run = score("boundary_gate", {"a": [(0, "0.1", "dog")]}, tmp_path / "s.npz", decoding=0.5)
    assert run.card.family.frames == (20,)
    assert run.vector["onset_guard"] == 1
    declared = Reading(step="0.02")
    run = score("boundary_gate", {"a": []}, tmp_path / "s.npz", decoding=0.5, pred_reading=declared)
    assert run.card.family.frames == (4,)


def decoded(field: ScoreField) -> dict[str, Any]:
    return dict(decode(field, Decoding(Fraction(1, 2))).clips)


def test_masks_of_several_classes_need_no_threshold() -> None:
    mask = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0]])
    names = ["a", "b", "c", "d"]
    expected = {"clip": [("a", 0, Fraction(1, 25)), ("b", STEP, Fraction(3, 50))]}
    for array in (mask, mask.astype(bool), mask.astype(np.uint8)):
        run = score("boundary_gate", array, array, classes=names)
        found = {clip: [(e.label, e.onset, e.offset) for e in some] for clip, some in run.reference.clips.items()}
        assert found == expected
        assert set(run.vector.values()) == {Fraction(1)}


# Bad input


@pytest.mark.parametrize("kind", [int, np.uint8])
@pytest.mark.parametrize("width", [2, 3])
def test_whole_numbers_that_could_be_intervals_are_never_guessed(kind: type, width: int) -> None:
    array = np.array([[0, 1, 1], [1, 1, 0]], dtype=kind)[:, :width]
    for data, names in ((array, None), (array, NAMES), ({"a": array}, None), (array * 3, NAMES)):
        with pytest.raises(InvalidInput) as refused:
            score("boundary_gate", data, [(0, 1)], classes=names, durations=5)
        found = refused.value.diagnostics[0]
        assert found.code == "ambiguous-array"
        assert found.help is not None
        assert "astype(bool)" in found.help
        assert "tolist()" in found.help
    intervals = score("boundary_gate", np.array([[1, 3]]), [(1, 3)], durations=5)
    assert set(intervals.vector.values()) == {Fraction(1)}


@pytest.mark.parametrize(
    ("pred", "how", "code", "words"),
    [
        (np.full((4, 2), np.nan), {}, "bad-score", "nan at frame 0 of class `cat` is not a finite number, and 7 more"),
        (np.full((4, 2), -np.inf), {}, "bad-score", "-inf at frame 0"),
        (np.array([[0.5, 0.5], [0.5, 7.5]]), {}, "bad-score", "7.5 at frame 1 of class `dog` lies outside 0 to 1"),
        (np.full((4, 4), 2), {"classes": list("abcd")}, "bad-score", "neither 0 nor 1"),
        (np.zeros((4, 5)), {}, "bad-field", "4 × 5, not frames × 2 classes"),
        (np.zeros((4, 2), dtype=complex), {}, "bad-field", "complex"),
        (np.zeros((4, 7)), {"classes": None}, "bad-field", "has no classes"),
        (np.zeros((4, 2)), {"classes": ["cat", "cat"]}, "bad-field", "twice"),
        (np.zeros((4, 2)), {"classes": ["cat", ""]}, "bad-field", "no name"),
        (np.zeros((4, 2)), {"step": "soon"}, "bad-field", "not a length of time"),
        (np.zeros((4, 2)), {"step": -1}, "bad-field", "not a length of time"),
        (np.zeros((4, 2)), {"decoding": None}, "undeclared-threshold", "nothing says"),
    ],
)
def test_a_bad_array_is_refused_with_its_place(pred: Any, how: dict[str, Any], code: str, words: str) -> None:
    given = {"classes": NAMES, "decoding": 0.5, **how}
    with pytest.raises(InvalidInput) as refused:
        score("boundary_gate", [(0, 1, "cat")], pred, durations=2, **given)
    (found,) = refused.value.diagnostics
    assert found.code == code
    assert words in found.headline
    assert found.place is not None
    assert found.help


@pytest.mark.parametrize("shape", [lambda array: array, lambda array: {"clip": array}])
def test_a_forgotten_step_is_an_error_where_the_contracts_does_not_fit(shape: Any) -> None:
    scores = shape(np.linspace(0, 1, 50).reshape(50, 1))  # 1 s on the contract's grid, 3.2 s in frames of 64 ms
    how: dict[str, Any] = {"classes": ["dog"], "decoding": 0.5}
    for durations, onset in ((3.2, 0.2), ({"clip": 3.2}, 0.2), (1.03, 0.2), (None, 2), (None, 1)):
        with pytest.raises(InvalidInput) as error:
            score("boundary_gate", [(onset, onset + 0.5, "dog")], scores, durations=durations, **how)
        assert codes(error) == ["bad-field"]
        assert "step=" in str(error.value.diagnostics[0].help)
    score("boundary_gate", [(0.2, 0.7, "dog")], scores, durations=1.02, **how)
    score("boundary_gate", [(0.2, 0.7, "dog")], scores, **how)
    found = score("boundary_gate", [(2, 2.5, "dog")], scores, durations=3.2, step="0.064", **how)
    assert found.prediction.clips["clip"][0].onset == 25 * Fraction("0.064")


@pytest.mark.parametrize("step", [0, "0", -1])
def test_a_step_of_nothing_is_refused(step: Any) -> None:
    scores = np.zeros((4, 1))
    for how in ({"step": step}, {"pred_reading": Reading(step=step)}):
        with pytest.raises(InvalidInput) as error:
            score("boundary_gate", [], scores, classes=["dog"], decoding=0.5, **how)
        assert "is not a length of time" in error.value.diagnostics[0].headline


def test_a_bad_score_in_a_file_is_the_only_fault_said(tmp_path: Path) -> None:
    header = "onset\toffset\tdog\n"
    for value, helps in (("7.5", True), ("nan", False)):
        (tmp_path / "a.tsv").write_text(f"{header}0\t1\t{value}\n")
        with pytest.raises(InvalidInput) as error:
            score("boundary_gate", {"a": [(0, 1, "dog")]}, tmp_path, decoding=0.5)
        assert codes(error) == ["bad-score"]
        assert ("sigmoid" in str(error.value.diagnostics[0].help)) is helps
        with pytest.raises(InvalidInput) as error:
            score_field(np.array([[float(value)]]), classes=["dog"], step=1)
        assert ("sigmoid" in str(error.value.diagnostics[0].help)) is helps


def test_nested_lists_with_classes_are_a_field() -> None:
    for rows, names in (([[0.25, 0.5], [1, 0]], NAMES), ([[0.25], [1]], ["cat"])):
        expected = content(score_field({"a": np.array(rows)}, classes=names, step=1))
        assert content(score_field({"a": rows}, classes=names, step=1)) == expected
    run = score("boundary_gate", [[0.5, 1.5, "dog"]], [[0.1], [0.9], [0.8]], classes=["dog"], step=0.5, decoding=0.5)
    assert set(run.vector.values()) == {1}


@pytest.mark.parametrize(
    ("pred", "words"),
    [
        ([[0.1, 0.2, 0.3, 0.4], [0.1]], "ragged"),
        ({"a": [[0.1], [0.2, 0.3]]}, "ragged"),
        ([np.zeros((3, 2)), np.zeros((3, 2))], "a list of 2 arrays"),
        (np.zeros((3, 2), dtype=object), "holds `object`"),
        (np.zeros((0, 2)), "has no frames"),
        ({"a": np.zeros((0, 2))}, "has no frames"),
    ],
)
def test_what_is_no_array_of_frames_says_why(pred: Any, words: str) -> None:
    for way in (lambda: score_field(pred, classes=NAMES, step=1), lambda: score("boundary_gate", [], pred, **HOW)):
        with pytest.raises(InvalidInput) as error:
            way()
        assert codes(error) == ["bad-field"]
        assert words in error.value.diagnostics[0].headline


HOW: dict[str, Any] = {"classes": NAMES, "step": 1, "decoding": 0.5}


def test_classes_are_a_list_of_names() -> None:
    scores = np.zeros((3, 2))
    for way in (
        lambda: score_field(scores, classes="dc", step=1),
        lambda: score("boundary_gate", [], scores, classes="dc", step=1),
    ):
        with pytest.raises(InvalidInput) as error:
            way()
        assert "the classes are one text, not a list of names" in error.value.diagnostics[0].headline


def test_curves_and_tune_take_arrays_as_score_does() -> None:
    scores, ref = np.array([[0.1], [0.9], [0.8], [0.3]]), [(0.5, 1.5, "dog")]
    how: dict[str, Any] = {"classes": ["dog"], "step": "0.5"}
    field = score_field(scores, **how)
    wide = {"tol": "60ms"}
    expected = curves("boundary_gate", ref, field).value("mean", 0.5)
    assert curves("boundary_gate", ref, scores, **how).value("mean", 0.5) == expected
    assert (
        curves("boundary_gate", ref, scores, set=wide, **how).contract.digest != load_contract("boundary_gate").digest
    )
    asked = "silence_guard >= 0.9"
    found = tune("boundary_gate", ref, scores, "mean", require=asked, folds=0, **how)
    assert [one.text for one in found.record.requirements] == [asked]
    assert found.decoding == tune("boundary_gate", ref, field, "mean", require=[asked], folds=0).decoding


def test_arrays_of_both_sides_have_as_many_frames() -> None:
    with pytest.raises(InvalidInput) as refused:
        score("boundary_gate", SCORES > 0.5, SCORES[:3], classes=NAMES, decoding=0.5)
    assert codes(refused) == ["bad-field"]
    assert "4 frames on one side and 3" in refused.value.diagnostics[0].headline


def test_classes_that_a_contract_does_not_know_are_refused() -> None:
    contract = tracepact.parse_contract("contract c step 20ms labels cat clause hit on ref_active : pred_active")
    with pytest.raises(InvalidInput) as refused:
        score(contract, SCORES > 0.5, SCORES, classes=NAMES, decoding=0.5)
    assert "unknown-label" in codes(refused)


def test_dust_beyond_one_is_a_warning() -> None:
    pred = np.array([[1.0000001, 0.0], [0.0, 0.5]])
    run = score("boundary_gate", [(0, "0.02", "cat")], pred, classes=NAMES, decoding=0.5, durations="0.04")
    assert [found.code for found in run.diagnostics if found.code == "score-outside"] == ["score-outside"]
    assert [(e.label, e.onset) for e in run.prediction.clips["clip"]] == [("cat", 0)]


@pytest.mark.parametrize(
    ("arrays", "code"),
    [
        ({"a": SCORES, "step": np.array(0.02)}, "bad-field"),
        ({"a": SCORES, "classes": np.array(NAMES)}, "bad-field"),
        ({"a": SCORES * 2, "classes": np.array(NAMES), "step": np.array("0.02")}, "bad-score"),
        ({"a": np.array([None, "x"]), "classes": np.array(NAMES), "step": np.array("0.02")}, "unreadable-file"),
    ],
)
def test_a_bad_npz_file_is_refused(arrays: dict[str, Any], code: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "s.npz", **arrays)
    with pytest.raises(InvalidInput) as refused:
        score_field(tmp_path / "s.npz")
    assert codes(refused) == [code]
    (tmp_path / "broken.npz").write_bytes((tmp_path / "s.npz").read_bytes()[:200])
    with pytest.raises(InvalidInput) as refused:
        score_field(tmp_path / "broken.npz")
    assert codes(refused) == ["unreadable-file"]


def test_at_most_twenty_faults_of_one_kind_are_spelled_out(tmp_path: Path) -> None:
    rows = "".join(f"{i}\t{i + 1}\t{'x' if i % 2 else 7}\n" for i in range(1000))
    (tmp_path / "a.tsv").write_text("onset\toffset\tcat\n" + rows)
    (tmp_path / "t.tsv").write_text("filename\tonset\toffset\tevent_label\n" + "a\tx\ty\tcat\n" * 500)
    for data, number in (
        (tmp_path / "a.tsv", 1000),
        (tmp_path / "t.tsv", 1000),
        ([(i + 2, i) for i in range(300)], 300),
    ):
        with pytest.raises(InvalidInput) as refused:
            score("boundary_gate", data, [(0, 1)], durations=999, ref_reading=Reading(decoding=0.5))
        found = refused.value.diagnostics
        for code in set(codes(refused)):
            assert codes(refused).count(code) <= 21
        assert any(f"{number - 20:,} more of this kind" in d.headline for d in found)


# Ways out


@st.composite
def fields(draw: st.DrawFn) -> ScoreField:
    """Fields that every format can hold."""
    step = Fraction(draw(st.sampled_from(["0.02", "0.016", "1"])))
    clips, levels = {}, []
    for clip in draw(st.lists(st.sampled_from(["a", "b/c", "d.wav"]), min_size=1, max_size=3, unique=True)):
        frames = draw(st.integers(1, 4))
        own, ranks = levels_of_floats(np.array(draw(st.lists(FLOATS, min_size=2 * frames, max_size=2 * frames))))
        clips[clip] = ClipScores(frame_edges(frames, step), ranks.reshape(frames, 2))
        levels.append(own)
    common, joined = joined_clips(clips, levels)
    return ScoreField("s", ("cat", "a dog"), common, joined)


@given(fields(), st.sampled_from(FIELD_FORMATS))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, field: ScoreField, format: str
) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow")
    found = Diagnostics()
    place = tmp_path_factory.mktemp("written") / ("s" if format == SCORE_FILES else f"s.{format}")
    for name, data in written_field(field, format, found).items():
        path = place / name if name else place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    again = read_scores(place, found)
    assert list(found) == []
    assert again.classes == field.classes
    assert content(again) == content(field)


def test_score_files_keep_every_digit_and_other_formats_refuse_what_they_cannot_hold() -> None:
    levels, ranks = levels_of_texts(["0.1000000000000000000001", "0.5"])
    fine = ScoreField("s", ("x",), levels, {"a": ClipScores(frame_edges(2, STEP), ranks[:, None])})
    text = written_field(fine, SCORE_FILES, Diagnostics())["a.tsv"].decode()
    assert "0.1000000000000000000001" in text
    thirds = ScoreField("s", ("x",), ScoreLevels(np.array([0.5])), {"a": clip_of(frame_edges(1, Fraction(1, 3)))})
    uneven = ScoreField("s", ("x",), thirds.levels, {"a": clip_of((Fraction(0), Fraction(1), Fraction(3)))})
    called = ScoreField("s", ("x",), thirds.levels, {"step": clip_of(frame_edges(1, STEP))})
    outside = ScoreField("s", ("x",), thirds.levels, {"../a": clip_of(frame_edges(1, STEP))})
    column = ScoreField("s", ("onset",), thirds.levels, {"a": clip_of(frame_edges(1, STEP))})
    for field, format in (
        *((fine, format) for format in ("npz", "parquet")),
        *((thirds, format) for format in ("scores", "parquet")),
        *((column, format) for format in ("scores", "npz", "parquet")),
        (uneven, "npz"),
        (called, "npz"),
        (outside, "scores"),
    ):
        found = Diagnostics()
        written_field(field, format, found)
        assert {d.code for d in found} == {"unwritable-value"}


def clip_of(edges: tuple[Fraction, ...]) -> ClipScores:
    return ClipScores(edges, np.zeros((len(edges) - 1, 1), dtype=np.int64))
