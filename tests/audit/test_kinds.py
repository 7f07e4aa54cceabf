"""Every function that takes a run takes it wherever it is, and says the same; or it says what a run does not keep."""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.command import events, run, write
from hypothesis import given
from hypothesis import strategies as st

import tracepact
from tracepact.diagnostics.collection import InvalidInput
from tracepact.runs.opening import BatchedRun, OpenRun, opened
from tracepact.runs.report_parts import SILENT

FEW = tracepact.Bootstrap(40)
FILES = {
    "in/ref.tsv": events("a.wav 0.5 2 x", "a.wav 3 4 y", "b.wav 1 2 x", "c.wav 0 1 y"),
    "in/good.tsv": events("a.wav 0.54 2 x", "a.wav 3 4 y", "b.wav 1.06 2 x", "c.wav 0 1 y"),
    "in/poor.tsv": events("a.wav 0.7 2 x", "a.wav 3 4 x", "b.wav 1 1.3 x", "c.wav 2 3 y"),
    "in/lengths.tsv": "filename\tduration\na.wav\t5\nb.wav\t3\nc.wav\t3\n",
}
SYSTEMS = ("good", "poor")
Runs = Sequence[Any]


def names(runs: Runs) -> Mapping[str, Any]:
    return dict(zip(SYSTEMS, runs, strict=True))


FUNCTIONS: dict[str, Callable[[Runs], Any]] = {
    "compare": lambda runs: tracepact.compare(*runs, FEW),
    "audit_uncertainty": lambda runs: tracepact.audit_uncertainty(names(runs), bootstrap=FEW),
    "audit_profile": lambda runs: tracepact.audit_profile(names(runs)),
    "audit_selection": lambda runs: tracepact.audit_selection(names(runs)),
    "audit_neutrality": lambda runs: tracepact.audit_neutrality(names(runs), ["good"]),
    "league": lambda runs: tracepact.league(names(runs), bootstrap=FEW),
    "audit_union_gap": lambda runs: tracepact.audit_union_gap(runs[1]),
    "audit_tolerance": lambda runs: tracepact.audit_tolerance(runs[1], "tol"),
    "audit_tolerance, to": lambda runs: tracepact.audit_tolerance(runs[1], "tol", high=Fraction(1, 10)),
    "audit_matcher": lambda runs: tracepact.audit_matcher("boundary_gate", runs[1]),
}
FROM_REPORTS = {"audit_profile", "audit_selection", "audit_neutrality"}
FROM_ROWS = {"compare", "audit_uncertainty", *FROM_REPORTS}
WORKS = {
    "memory": {*FUNCTIONS},
    "directory": {*FUNCTIONS},
    "directory as text": {*FUNCTIONS},
    "batches": FROM_ROWS,
    "batches directory": FROM_ROWS,
    "batches with a page": {*FROM_ROWS, "audit_tolerance"},
    "batches without a directory": FROM_REPORTS,
    "batches and their originals": {*FUNCTIONS},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("kinds")
    (found / "in").mkdir()
    write(found, FILES)
    return found


@pytest.fixture(scope="module")
def kinds(folder: Path) -> dict[str, list[Any]]:
    """Two systems on the same data, as every kind of run."""
    data = folder / "in"
    found: dict[str, list[Any]] = {kind: [] for kind in WORKS}
    for system in SYSTEMS:
        sides = "boundary_gate", str(data / "ref.tsv"), str(data / f"{system}.tsv")
        lengths = str(data / "lengths.tsv")
        whole = tracepact.score(*sides, durations=lengths)
        place = folder / "whole" / system
        place.parent.mkdir(exist_ok=True)
        whole.save(place)
        kept, paged = (folder / kind / system for kind in ("batches", "paged"))
        batches = tracepact.score_batches(*sides, durations=lengths, batch_clips=1, out=kept)
        tracepact.score_batches(*sides, durations=lengths, batch_clips=1, out=paged, page=lambda clips: SILENT)
        for kind, one in {
            "memory": whole,
            "directory": place,
            "directory as text": str(place),
            "batches": batches,
            "batches directory": kept,
            "batches with a page": paged,
            "batches without a directory": tracepact.score(*sides, durations=lengths, engine="local"),
            "batches and their originals": tracepact.load_run(kept, originals=data),
        }.items():
            found[kind].append(one)
    return found


def said(found: Any) -> Any:
    """What a record says, without where its runs are, and which obligations changed where that is not known."""
    data = found.to_dict()
    unknown = {"changed", "changed_clips", "changes"} if data.get("changes", 0) is None else set[str]()
    return {key: value for key, value in data.items() if key not in {"before", "after", *unknown}}


@pytest.mark.parametrize("kind", WORKS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_takes_every_kind_of_run(kinds: dict[str, list[Any]], name: str, kind: str) -> None:
    function = FUNCTIONS[name]
    if name in WORKS[kind]:
        found, expected = said(function(kinds[kind])), said(function(kinds["memory"]))
        assert {key: found[key] for key in found} == {key: expected[key] for key in found}
        return
    with pytest.raises(InvalidInput) as caught:
        function(kinds[kind])
    (fault,) = caught.value.diagnostics
    assert fault.code == "not-kept"
    assert fault.help is not None
    assert "without an engine" in fault.help


def test_which_obligations_changed_is_known_of_all_but_runs_in_batches(kinds: dict[str, list[Any]]) -> None:
    changes = {kind: FUNCTIONS["compare"](kinds[kind]).changes for kind in WORKS if "compare" in WORKS[kind]}
    assert {kind for kind, found in changes.items() if found is None} == {
        "batches",
        "batches directory",
        "batches with a page",
    }
    assert changes["memory"] == changes["directory"] == changes["batches and their originals"]


def test_runs_of_several_kinds_are_compared(kinds: dict[str, list[Any]]) -> None:
    expected = said(FUNCTIONS["audit_uncertainty"](kinds["memory"]))
    assert said(FUNCTIONS["audit_uncertainty"]([kinds["batches"][0], kinds["directory"][1]])) == expected
    assert said(FUNCTIONS["audit_profile"]([kinds["memory"][0], kinds["batches without a directory"][1]])) == said(
        FUNCTIONS["audit_profile"](kinds["memory"])
    )


@pytest.mark.parametrize("kind", WORKS)
def test_runs_on_other_data_are_refused_whatever_their_kind(kinds: dict[str, list[Any]], kind: str) -> None:
    other = tracepact.score("boundary_gate", {"a.wav": [(0, 1, "x")]}, {"a.wav": [(0, 1, "x")]}, durations=5)
    with pytest.raises(InvalidInput) as caught:
        tracepact.audit_profile({"one": kinds[kind][0], "other": other})
    assert {fault.code for fault in caught.value.diagnostics} == {"incomparable-runs"}


@pytest.mark.parametrize("kind", WORKS)
def test_a_run_is_verified_whatever_its_kind(kinds: dict[str, list[Any]], folder: Path, kind: str) -> None:
    if kind == "batches without a directory":
        with pytest.raises(InvalidInput, match="not-kept"):
            tracepact.verify_run(kinds[kind][0])
        return
    found = tracepact.verify_run(kinds[kind][0], originals=folder / "in")
    assert found.holds, found
    assert found.checked.scores == 3 * 2 * 7
    alone = tracepact.verify_run(kinds[kind][0])
    assert (alone.holds, alone.drifts) == (kind not in ("batches", "batches directory", "batches with a page"), ())


def test_a_changed_directory_of_batches_drifts(kinds: dict[str, list[Any]], tmp_path: Path) -> None:
    kinds["batches"][0].save(tmp_path / "copy")
    assert not tracepact.verify_run(tmp_path / "copy").drifts
    (tmp_path / "copy" / "scores.parquet").write_bytes(b"PAR1")
    (drift,) = tracepact.verify_run(tmp_path / "copy").drifts
    assert drift.file == "scores.parquet"
    with pytest.raises(InvalidInput, match="broken-run"):
        tracepact.audit_uncertainty([tmp_path / "copy"])


def test_both_kinds_of_directory_are_loaded(kinds: dict[str, list[Any]], folder: Path) -> None:
    whole, batches = (tracepact.load_run(folder / kind / "good") for kind in ("whole", "batches"))
    assert isinstance(whole, tracepact.Run)
    assert isinstance(batches, tracepact.BatchRun)
    assert batches.to_dict() == whole.to_dict() == kinds["batches and their originals"][0].to_dict()
    (folder / "in" / "good.tsv").rename(folder / "in" / "away.tsv")
    try:
        with pytest.raises(InvalidInput, match="not-kept"):
            tracepact.load_run(folder / "batches" / "good", originals=folder / "in")
    finally:
        (folder / "in" / "away.tsv").rename(folder / "in" / "good.tsv")


@pytest.mark.parametrize("kind", ["batches", "batches without a directory"])
def test_results_have_the_same_methods_whatever_made_them(
    kinds: dict[str, list[Any]], tmp_path: Path, kind: str
) -> None:
    whole, batches = kinds["memory"][0], kinds[kind][0]
    public = {name for name in dir(whole) if not name.startswith("_") and callable(getattr(type(whole), name, None))}
    assert public <= {*dir(batches)}
    assert (batches.vector, str(batches), batches.to_dict()) == (whole.vector, str(whole), whole.to_dict())
    assert batches._repr_html_() == whole._repr_html_()
    for figure in ("timeline", "vector"):
        assert batches.plot(figure).svg == whole.plot(figure).svg
    assert batches.violations("fragmentation_guard") == whole.violations("fragmentation_guard") == []
    with pytest.raises(InvalidInput, match="not-kept"):
        batches.violations("onset_guard")
    if batches.folder is None:
        for method in (batches.to_frame, lambda: batches.save(tmp_path / "copy")):
            with pytest.raises(InvalidInput, match="not-kept"):
                method()
    else:
        assert {one.name for one in batches.save(tmp_path / "copy")} == {one.name for one in batches.folder.iterdir()}
        assert tracepact.load_run(tmp_path / "copy").to_dict() == whole.to_dict()


def test_a_run_in_batches_becomes_the_frame_of_the_same_run_in_memory(kinds: dict[str, list[Any]]) -> None:
    pytest.importorskip("pandas")
    assert kinds["batches"][0].to_frame().equals(kinds["memory"][0].to_frame())


def test_one_run_is_one_run_and_runs_in_memory_are_named_by_their_place(kinds: dict[str, list[Any]]) -> None:
    assert [one.name for one in tracepact.audit_uncertainty(kinds["directory as text"][0], bootstrap=FEW).systems] == [
        "good"
    ]
    whole = kinds["memory"][0]
    found = tracepact.league([whole, whole], bootstrap=FEW)
    assert [one.name for one in found.systems] == ["run 1", "run 2"]
    with pytest.raises(InvalidInput, match="`om` is not a run directory"):
        tracepact.audit_uncertainty("om")
    with pytest.raises(InvalidInput, match="the run"):
        tracepact.audit_uncertainty([3])  # type: ignore[list-item]


COMMANDS = {
    "tolerance": ("audit", "tolerance", "RUN", "--parameter", "tol", "--high", "100ms"),
    "union-gap": ("audit", "union-gap", "RUN"),
    "matcher": ("audit", "matcher", "RUN"),
    "uncertainty": ("audit", "uncertainty", "RUN", "OTHER", "--draws", "40"),
    "selection": ("audit", "selection", "RUN", "OTHER"),
    "neutrality": ("audit", "neutrality", "RUN", "OTHER", "--without", "good"),
    "profile": ("profile", "RUN", "OTHER"),
    "compare": ("compare", "RUN", "OTHER", "--draws", "40"),
    "league": ("league", "RUN", "OTHER", "--draws", "40"),
}
NEEDS_TABLES = {"tolerance", "union-gap", "matcher", "league"}


@pytest.fixture(scope="module")
def scored(folder: Path) -> Path:
    """Runs that `score` and `score --engine local` wrote."""
    for kind, more in {"plain": (), "engine": ("--engine", "local")}.items():
        for system in SYSTEMS:
            sides = "--ref", "in/ref.tsv", "--pred", f"in/{system}.tsv", "--durations", "in/lengths.tsv"
            done = run("score", "boundary_gate", *sides, "--out", f"{kind}/{system}", *more, folder=folder)
            assert done.code == 0, done.err
    return folder


def answer(scored: Path, kind: str, name: str, *more: str) -> Any:
    words = {"RUN": f"{kind}/good", "OTHER": f"{kind}/poor"}
    command = [words.get(word, word) for word in COMMANDS[name]]
    return run(*command, *more, "--format", "json", folder=scored)


def bare(text: str) -> Any:
    """What a command printed, without the places and digests of its runs."""
    data = json.loads(text)
    for system in data.get("systems", ()):
        if isinstance(system, dict):
            system.pop("run", None)
    return {key: value for key, value in data.items() if key not in ("before", "after")}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_runs_that_an_engine_scored(scored: Path, name: str) -> None:
    plain, found = answer(scored, "plain", name), answer(scored, "engine", name)
    assert plain.code == 0, plain.err
    if name in NEEDS_TABLES:
        assert (found.code, set(found.codes)) == (2, {"not-kept"})
        assert "engine/good" in found.err
        assert "--originals DIR" in found.err
    else:
        assert found.code == 0, found.err
        known = {key: value for key, value in bare(found.out).items() if value is not None}
        assert known == {key: value for key, value in bare(plain.out).items() if key in known}
    if name in NEEDS_TABLES or name == "compare":
        again = answer(scored, "engine", name, "--originals", "in")
        assert again.code == 0, again.err
        assert bare(again.out) == bare(plain.out)


def test_certify_names_what_a_run_in_batches_lacks(scored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracepact.prove.commands.find_toolchain", lambda _outside=None: object())
    found = run("certify", "--run", "engine/good", folder=scored)
    assert (found.code, found.codes) == (2, ["not-kept"])


@dataclass
class Corpus:
    """Two sides, lengths and regions of a few clips."""

    ref: dict[str, list[tuple[Fraction, Fraction, str]]]
    pred: dict[str, list[tuple[Fraction, Fraction, str]]]
    durations: dict[str, Fraction]
    ignore: dict[str, list[tuple[Fraction, Fraction]]]


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    clips = draw(st.lists(st.sampled_from("abcde"), min_size=1, max_size=4, unique=True))
    times = st.integers(0, 40).map(lambda tick: Fraction(tick, 10))
    label = st.sampled_from(["x", "y"])
    event = st.builds(lambda a, b, name: (min(a, b), max(a, b) + Fraction(1, 10), name), times, times, label)
    region = st.builds(lambda a, b: (min(a, b), max(a, b) + Fraction(1, 10)), times, times)
    same = draw(st.none() | st.lists(event, max_size=2))  # a system that answers the same in every clip
    return Corpus(
        {clip: draw(st.lists(event, max_size=3)) for clip in clips},
        {clip: draw(st.lists(event, max_size=3)) if same is None else same for clip in clips},
        {clip: draw(st.sampled_from([Fraction(5), Fraction(6)])) for clip in clips},
        {clip: draw(st.lists(region, max_size=1)) for clip in clips},
    )


@given(corpus=corpora(), size=st.integers(1, 3))
def test_a_run_says_the_same_in_memory_in_its_directory_and_in_batches(corpus: Corpus, size: int) -> None:
    more = {"durations": corpus.durations, "ignore": corpus.ignore if any(corpus.ignore.values()) else None}
    try:
        whole = tracepact.score("boundary_gate", corpus.ref, corpus.pred, **more)  # type: ignore[arg-type]
    except InvalidInput:
        return
    with tempfile.TemporaryDirectory() as folder:
        whole.save(f"{folder}/whole")
        batches = tracepact.score_batches(
            "boundary_gate",
            corpus.ref,
            corpus.pred,
            batch_clips=size,
            out=f"{folder}/batches",
            **more,  # type: ignore[arg-type]
        )
        runs: list[OpenRun] = [opened(one) for one in (whole, f"{folder}/whole", batches, f"{folder}/batches")]
        assert isinstance(runs[3], BatchedRun)
        first = runs[0]
        for other in runs[1:]:
            assert other.identity == first.identity
            assert other.report == first.report
            assert other.constant == first.constant
            assert (other.rows.clips, other.rows.classes, other.rows.clauses) == (
                first.rows.clips,
                first.rows.classes,
                first.rows.clauses,
            )
            for clause in first.rows.clauses:
                ours, theirs = first.rows.counts[clause], other.rows.counts[clause]
                for part in ("satisfied", "obligated", "counter"):
                    assert (getattr(ours, part) == getattr(theirs, part)).all()
        assert runs[1].source == first.source


@pytest.mark.parametrize("runs", [5, [], {}, "om", ["om"], [5]])
@pytest.mark.parametrize(
    "audit", [tracepact.audit_uncertainty, tracepact.audit_profile, tracepact.audit_selection, tracepact.league]
)
def test_what_is_no_run_is_refused(audit: Callable[[Any], object], runs: Any) -> None:
    with pytest.raises(tracepact.InvalidInput, match=r"no run was named|not a run|is of type `int`"):
        audit(runs)


def test_an_aggregation_that_there_is_not_is_refused_and_one_may_be_named_by_its_word() -> None:
    one, other = (tracepact.score("boundary_gate", [(1, 3)], [(1, end)], durations=5) for end in (2, 4))
    audits: dict[str, Callable[[Any], Any]] = {
        "uncertainty": lambda named: tracepact.audit_uncertainty(one, named),
        "profile": lambda named: tracepact.audit_profile([one, other], aggregation=named),
        "selection": lambda named: tracepact.audit_selection([one, other], named),
        "neutrality": lambda named: tracepact.audit_neutrality([one, other], ["run 1"], aggregation=named),
        "tolerance": lambda named: tracepact.audit_tolerance(one, "tol", aggregation=named),
        "compare": lambda named: tracepact.compare(one, other, aggregation=named),
    }
    for name, audit in audits.items():
        assert audit("pooled").aggregation is tracepact.Aggregation.POOLED, name
        with pytest.raises(tracepact.InvalidInput, match="there is no aggregation `om`"):
            audit("om")
    with pytest.raises(tracepact.InvalidInput, match="the bootstrap is of type `int`"):
        tracepact.audit_uncertainty(one, bootstrap=3)  # type: ignore[arg-type]


def test_the_matcher_audit_takes_the_text_of_a_contract() -> None:
    text = "contract c\nstep 20ms\nclause whole on each ref : covering <= 1\n"
    run = tracepact.score(text, [(1, 2), (2.5, 3)], [(1, 3)], durations=5)
    assert tracepact.audit_matcher(text, run) == tracepact.audit_matcher(tracepact.parse_contract(text), run)
