"""The names of sed_scores_eval give what the original gives, on values computed once by the original."""

import importlib
import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pandas")
from tracepact.compat.tables import NotCovered

CASES = json.loads(Path(__file__).with_name("originals.json").read_text())
COLLAR = {"onset_collar": 0.2, "offset_collar": 0.2, "offset_collar_rate": 0.2}
SHARES = {"dtc_threshold": 0.5, "gtc_threshold": 0.5}
CROSSED = {"dtc_threshold": 0.1, "gtc_threshold": 0.1, "cttc_threshold": 0.3, "alpha_ct": 0.5, "alpha_st": 1.0}
WIDE = {"max_efpr": 5000.0}


def module(name: str) -> Any:
    return importlib.import_module(f"tracepact.compat.sed_scores_eval{name}")


def number(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: number(part) for key, part in value.items()}
    if isinstance(value, list):
        return [number(part) for part in value]
    return {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}.get(value, value) if isinstance(value, str) else value


def assert_same(ours: Any, theirs: Any, where: str = "") -> None:
    """Equal but for the last digits of floats; mappings and sequences part by part."""
    if isinstance(theirs, dict):
        assert {str(key) for key in ours} == set(theirs), where
        for key, value in ours.items():
            assert_same(value, theirs[str(key)], f"{where} {key}")
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs), where
        for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(a, b, f"{where} {k}")
    elif isinstance(theirs, str):
        assert ours == theirs, where
    else:
        assert ours == pytest.approx(theirs, rel=1e-13, abs=1e-13, nan_ok=True), where


@cache
def inputs(case: int) -> tuple[Any, Any, Any, Any]:
    create = module(".base_modules.scores").create_score_dataframe
    clips = CASES[case]["clips"]
    scores = {
        name: create(np.array([[-np.inf if x is None else x for x in row] for row in c["scores"]]), c["edges"], NAMES)
        for name, c in clips.items()
    }
    truth = {name: clip["events"] for name, clip in clips.items()}
    tags = {name: sorted({event[2] for event in events}) for name, events in truth.items()}
    return scores, truth, {name: clip["duration"] for name, clip in clips.items()}, tags


NAMES = ["cat", "dog", "owl"]


def without_scores(value: Any, by_class: Any, roc: Any, class_rocs: dict[str, Any]) -> list[Any]:
    return [value, by_class, roc, {name: [part[0], part[1], part[3]] for name, part in class_rocs.items()}]


def at_thresholds(*columns: Any) -> list[Any]:
    order = np.argsort(columns[-1], kind="stable")
    places = [order[np.searchsorted(columns[-1][order], t, side="right")] for t in np.arange(0.05, 0.95, 0.1)]
    return [[column[place] for column in columns[:-1]] for place in places]


def computed(case: int) -> dict[str, Any]:
    """The same calls as in `originals.py`."""
    sse = module("")
    inter, coll, seg, clip = sse.intersection_based, sse.collar_based, sse.segment_based, sse.clip_based
    scores, truth, lengths, tags = inputs(case)
    step = CASES[case]["clips"]["clip0"]["edges"][1]
    filters = [0.0, 3 * step, 7 * step]
    medfilt = module(".base_modules.postprocessing").medfilt
    return {
        "psds1": lambda: inter.psds(scores, truth, lengths, dtc_threshold=0.7, gtc_threshold=0.7, alpha_st=1.0, **WIDE),
        "psds2": lambda: inter.psds(scores, truth, lengths, **CROSSED, **WIDE),
        "psds minute": lambda: inter.psds(scores, truth, lengths, **SHARES, unit_of_time="minute", max_efpr=20.0),
        "bootstrapped": lambda: inter.bootstrapped_psds(scores, truth, lengths, **SHARES, n_iterations=2, **WIDE)[0],
        "independent": lambda: without_scores(
            *inter.median_filter_independent_psds(
                scores, truth, lengths, median_filter_lengths_in_sec=filters, **SHARES, **WIDE
            )[:4]
        ),
        "intersection fscore": lambda: inter.fscore(scores, truth, 0.5, **SHARES)[:3],
        "intersection best": lambda: inter.best_fscore(scores, truth, **SHARES)[:4],
        "collar fscore": lambda: coll.fscore(scores, truth, 0.5, **COLLAR)[:3],
        "collar fscore by class": lambda: coll.fscore(scores, truth, {"cat": 0.3, "dog": 0.5, "owl": 0.71}, **COLLAR)[
            :3
        ],
        "collar best": lambda: coll.best_fscore(scores, truth, **COLLAR)[:4],
        "collar best precise": lambda: coll.best_fscore(scores, truth, **COLLAR, min_precision=0.6, beta=0.5)[:4],
        "collar curve": lambda: at_thresholds(*coll.fscore_curve(scores, truth, **COLLAR)["cat"][:4]),
        "collar precision": lambda: at_thresholds(*coll.precision_recall_curve(scores, truth, **COLLAR)["dog"][:3]),
        "segment fscore": lambda: seg.fscore(scores, truth, lengths, 0.5, segment_length=1.0)[:3],
        "segment best": lambda: seg.best_fscore(scores, truth, lengths, segment_length=0.5)[:4],
        "segment average precision": lambda: seg.average_precision(scores, truth, lengths, segment_length=0.25)[0],
        "segment auroc": lambda: seg.auroc(scores, truth, lengths, segment_length=0.25)[0],
        "segment pauroc": lambda: seg.auroc(scores, truth, lengths, segment_length=0.25, max_fpr=0.1)[0],
        "segment roc": lambda: seg.roc_curve(scores, truth, lengths, segment_length=0.25)["cat"][:3],
        "clip average precision": lambda: clip.average_precision(scores, tags)[0],
        "medfilt": lambda: {name: table.to_numpy() for name, table in medfilt(scores, 5 * step).items()},
        "events": lambda: module(".base_modules.detection").scores_to_event_list(scores, 0.5),
        "confidence": lambda: module(".base_modules.bootstrap").confidence_interval([0.1, 0.4, 0.3, 0.9]),
    }


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("name", list(CASES[0]["scores"]))
def test_every_function_gives_the_values_of_the_original(name: str, case: int) -> None:
    theirs = number(CASES[case]["scores"][name])
    if theirs is not None:
        assert_same(computed(case)[name](), theirs, name)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_exact_psds_and_f_scores_are_fractions_near_the_floats(case: int) -> None:
    """Nothing in these cases lies within half a microsecond of a bound, so both decide alike."""
    sse = module("")
    scores, truth, lengths, _ = inputs(case)
    area = sse.intersection_based.psds(scores, truth, lengths, **SHARES, **WIDE)[0]
    exact = sse.intersection_based.psds.exact(scores, truth, lengths, **SHARES, **WIDE)
    assert isinstance(exact.value, Fraction)
    assert float(exact.value) == area
    found = sse.collar_based.fscore.exact(scores, truth, 0.5, **COLLAR)
    assert all(isinstance(value, Fraction) for value in found[0].values())
    assert_same([{k: float(v) for k, v in part.items()} for part in found[:3]], list(computed(case)["collar fscore"]()))


def test_a_comparison_within_half_a_microsecond_is_where_exact_arithmetic_differs() -> None:
    """A detection of 1 s with 0.4999999 s on the reference reaches one half only after rounding to six decimals."""
    sse = module("")
    create = module(".base_modules.scores").create_score_dataframe
    scores = {"a": create([[0.1], [0.9], [0.1]], [0.0, 1.0, 2.0, 3.0], ["dog"])}
    truth = {"a": [(1.5000001, 2.5, "dog")]}
    shares = {"dtc_threshold": 0.5, "gtc_threshold": 0.3}
    assert sse.intersection_based.fscore(scores, truth, 0.5, **shares)[0]["dog"] == 1.0
    assert sse.intersection_based.fscore.exact(scores, truth, 0.5, **shares)[0]["dog"] == 0
    late = {"a": [(0.7999996, 2.0, "dog")]}
    assert sse.collar_based.fscore(scores, late, 0.5, **COLLAR)[0]["dog"] == 1.0
    assert sse.collar_based.fscore.exact(scores, late, 0.5, **COLLAR)[0]["dog"] == 0


def test_several_systems_at_once_give_what_each_gives_alone() -> None:
    sse = module("")
    scores, truth, lengths, _ = inputs(0)
    other = {clip: table.assign(cat=table["dog"]) for clip, table in scores.items()}
    both = sse.intersection_based.psds([scores, other], truth, lengths, **SHARES, **WIDE)
    assert both[0] == tuple(
        sse.intersection_based.psds(s, truth, lengths, **SHARES, **WIDE)[0] for s in (scores, other)
    )
    assert both[0][0] != both[0][1]


def test_deltas_are_handed_on_and_give_the_same() -> None:
    sse = module("")
    scores, truth, lengths, _ = inputs(1)
    deltas = sse.intersection_based.intermediate_statistics_deltas(scores, truth, **SHARES)
    again = sse.intersection_based.psds(None, truth, lengths, deltas=deltas, **SHARES, **WIDE)
    assert again[0] == sse.intersection_based.psds(scores, truth, lengths, **SHARES, **WIDE)[0]
    collars = sse.collar_based.intermediate_statistics_deltas(scores, truth, **COLLAR)
    assert_same(
        sse.collar_based.fscore(None, truth, 0.5, deltas=collars, **COLLAR)[:3], list(computed(1)["collar fscore"]())
    )


@pytest.mark.parametrize(
    ("call", "native"),
    [
        (lambda sse, s, t: sse.collar_based.fscore(s, t, 0.5, onset_collar=0.2, offset_collar=0.5), "event clause"),
        (lambda sse, s, t: sse.intersection_based.fscore(s, t, 0.5, dtc_threshold=0.5, gtc_threshold=0), "curves"),
        (lambda sse, s, t: sse.segment_based.error_rate, "tracepact metrics"),
        (lambda sse, s, t: sse.collar_based.auroc, "segment_based"),
        (lambda sse, s, t: module(".base_modules.postprocessing").medfilt(s, 0.0321), "median"),
    ],
)
def test_what_is_not_covered_names_the_native_way(call: Any, native: str) -> None:
    scores, truth, _, _ = inputs(0)
    with pytest.raises(NotCovered, match=native) as error:
        call(module(""), scores, truth)
    assert isinstance(error.value, NotImplementedError)


def test_tables_are_written_and_read_as_they_are(tmp_path: Path) -> None:
    io, (scores, _, _, _) = module(".io"), inputs(3)
    io.write_sed_scores(scores, tmp_path / "scores")
    again = io.read_sed_scores(tmp_path / "scores")
    assert list(again) == list(scores)
    assert all(np.array_equal(again[clip].to_numpy(), table.to_numpy()) for clip, table in scores.items())
    (tmp_path / "truth.tsv").write_text("filename\tonset\toffset\tevent_label\na.wav\t0.5\t1\tdog\nb.wav\t\t\t\n")
    assert io.read_ground_truth_events(tmp_path / "truth.tsv") == {"a": [[0.5, 1.0, "dog"]], "b": []}
    (tmp_path / "lengths.tsv").write_text("filename\tduration\na.wav\t10\n")
    assert io.read_audio_durations(tmp_path / "lengths.tsv") == {"a": 10.0}
    io.write_detection(scores, 0.5, tmp_path / "events.tsv")
    listed = io.read_ground_truth_events(tmp_path / "events.tsv")
    expected = computed(3)["events"]()
    assert {clip: [tuple(event) for event in events] for clip, events in listed.items()} == {
        clip: events for clip, events in expected.items() if events
    }


def test_scores_beyond_all_others_are_written_and_read(tmp_path: Path) -> None:
    """A filter leaves them where nothing can be active."""
    io, base = module(".io"), importlib.import_module("tracepact.compat.tables")
    table = base.create_score_dataframe([[-np.inf, 0.0], [0.25, np.inf]], [0, 1, 2.5], ["cat", "dog"])
    io.write_sed_scores(table, tmp_path / "a.tsv")
    assert np.array_equal(io.read_sed_scores(tmp_path / "a.tsv").to_numpy(), table.to_numpy())


@pytest.mark.parametrize("text", ["nan", "1_0", "\u0661", "1e999", "infinity", "1/3", "0" * 61, "1e-9999", "0x1"])
def test_what_is_no_decimal_number_is_read_from_no_file(text: str, tmp_path: Path) -> None:
    io, tables = module(".io"), importlib.import_module("tracepact.compat.tables")
    path = tmp_path / "a.tsv"
    for read, lines in (
        (io.read_sed_scores, f"onset\toffset\tcat\n0\t1\t{text}\n"),
        (io.read_sed_scores, f"onset\toffset\tcat\n0\t{text}\t0.5\n"),
        (io.read_ground_truth_events, f"filename\tonset\toffset\tevent_label\na.wav\t{text}\t20\tcat\n"),
        (io.read_ground_truth_events, f"filename\tonset\toffset\tevent_label\na.wav\t0\t{text}\tcat\n"),
        (io.read_audio_durations, f"filename\tduration\na.wav\t{text}\n"),
        (tables.load_event_list, f"onset\toffset\tevent_label\n0\t{text}\tcat\n"),
    ):
        path.write_text(lines, encoding="utf-8")
        with pytest.raises(ValueError, match=r"number|too large|convert"):
            read(path)


def test_clips_that_do_not_fit_and_touching_events_are_refused_as_there() -> None:
    sse, (scores, truth, lengths, _) = module(""), inputs(0)
    with pytest.raises(ValueError, match="missing"):
        sse.intersection_based.psds(scores, {"clip0": truth["clip0"]}, lengths, **SHARES)
    touching = {**truth, "clip1": [(0.0, 1.0, "cat"), (1.0, 1.5, "cat")]}
    with pytest.raises(AssertionError, match="Connected"):
        sse.intersection_based.psds(scores, touching, lengths, **SHARES)
    with pytest.raises(AssertionError, match="No ground truth events"):
        sse.collar_based.fscore(scores, {key: [(0.0, 0.5, "cat")] for key in truth}, 0.5, **COLLAR)
    with pytest.raises(ValueError, match="alpha_ct"):
        sse.intersection_based.psds(scores, truth, lengths, **SHARES, alpha_ct=0.5)
