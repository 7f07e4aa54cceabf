"""The questions as Python functions: the answers of the commands, results that print well, wrong names explained."""

import json
import pickle
import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from cli.command import run as command

import tracepact
from tracepact import InvalidInput, Run, declarations


def scored() -> Run:
    return tracepact.score("boundary_gate", ref=[(1, 2)], pred=[("1.06", 2)], durations=3)


RESULTS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "explain": (lambda: tracepact.explain("boundary_gate"), ("explain", "boundary_gate")),
    "sat": (lambda: tracepact.sat("p & F[3f] !p"), ("sat", "p & F[3f] !p")),
    "implies": (lambda: tracepact.implies("N[40ms] p", "N[20ms] p"), ("implies", "N[40ms] p", "N[20ms] p")),
    "idle": (lambda: tracepact.implies("p & !p", "q"), ("implies", "p & !p", "q")),
    "equivalent": (lambda: tracepact.equivalent("p", "!!p"), ("equivalent", "p", "!!p")),
    "try": (lambda: tracepact.try_contract("speech_gate"), ("try", "speech_gate")),
    "simplify": (lambda: tracepact.simplify("N[20ms] p & N[40ms] p"), ("simplify", "N[20ms] p & N[40ms] p")),
    "simplify under": (
        lambda: tracepact.simplify("p | q", obligation="q", step="10ms"),
        ("simplify", "p | q", "--obligation", "q", "--step", "10ms"),
    ),
    "select": (lambda: tracepact.select("boundary_gate"), ("select", "boundary_gate")),
}
OTHERS: dict[str, Callable[[], Any]] = {
    "check": lambda: tracepact.check("contract c step 20ms clause a on ref_onset : N[30ms] pred_onset"),
    "signatures": lambda: tracepact.signatures(["p", "!!p", "F[1f] p"]),
}


def _marked(names: Iterable[str]) -> list[Any]:
    """The names as parameters; a selection takes seconds."""
    return [pytest.param(name, marks=[pytest.mark.slow] if name == "select" else []) for name in names]


@pytest.mark.parametrize("name", _marked(RESULTS))
def test_a_function_answers_as_its_command_does(name: str) -> None:
    ask, words = RESULTS[name]
    assert ask().to_dict() == json.loads(command(*words, "--format", "json").out)


def test_check_finds_what_the_command_finds(tmp_path: Path) -> None:
    text = "contract c\nstep 20ms\nparam x = 1s\nclause a on ref_onset : N[30ms] pred_onset\n"
    (tmp_path / "c.contract").write_text(text)
    for notes in (False, True):
        found = tracepact.check(tmp_path / "c.contract", notes=notes)
        said = command("check", str(tmp_path / "c.contract"), "--json", *(["--notes"] if notes else []))
        assert sorted(f["code"] for f in json.loads(said.out)) == sorted(f.code for f in found.findings)
        assert not found.ok
    assert tracepact.check("boundary_gate").ok
    wider = tracepact.load_contract("boundary_gate", {"tol": "80ms"})
    changed = tracepact.check("boundary_gate", against=wider)
    assert "clause-stronger" in [f.code for f in changed.findings]


@pytest.mark.parametrize("name", _marked([*RESULTS, *OTHERS]))
def test_a_result_prints_well(name: str) -> None:
    result = (RESULTS[name][0] if name in RESULTS else OTHERS[name])()
    assert len(repr(result)) < 120
    assert repr(result).startswith(f"<{type(result).__name__} ")
    written = result.contract.text.splitlines() if name == "select" else []  # canonical lines stay as they are
    assert max(len(line) for line in str(result).splitlines() if line not in written) <= 132
    assert result._repr_html_().startswith("<")


@pytest.mark.parametrize("name", _marked([*RESULTS, *OTHERS]))
def test_a_result_becomes_a_frame(name: str) -> None:
    pytest.importorskip("pandas")
    result = (RESULTS[name][0] if name in RESULTS else OTHERS[name])()
    columns, rows = result.rows()
    assert list(result.to_frame().columns) == list(columns)
    assert len(result.to_frame()) == len(list(rows))


def test_signatures_tell_formulas_apart_exactly_as_the_solver_does() -> None:
    texts = ["p", "F[1f] p", "p | F[1f,1f] p", "!G[1f] !p", "G[1f] p", "N[1f] p", "p & F[0s,1f] p"]
    found = tracepact.signatures(texts, length=4)
    kind = {text: index for index, some in enumerate(found.classes) for text in some}
    for one in texts:
        for other in texts:
            same = tracepact.equivalent(one, other).outcome == "yes"
            assert (kind[one] == kind[other]) == same, (one, other)
    with pytest.raises(InvalidInput):
        tracepact.signatures(["p & q & r"], length=12)


# The length of a frame

ABOUT_FORMULAS: dict[str, Callable[[Any], Any]] = {
    "sat": lambda step: tracepact.sat("p", step=step),
    "implies": lambda step: tracepact.implies("N[40ms] p", "N[20ms] p", step=step),
    "equivalent": lambda step: tracepact.equivalent("p", "p", step=step),
    "simplify": lambda step: tracepact.simplify("p", step=step),
    "signatures": lambda step: tracepact.signatures(["p"], step=step),
}


@pytest.mark.parametrize("name", ABOUT_FORMULAS)
@pytest.mark.parametrize("step", [20, "20", 20.0, Fraction(20), 10])
def test_a_large_step_without_its_unit_is_refused_in_the_words_of_the_command_line(name: str, step: Any) -> None:
    said = " ".join(command("sat", "p", "--step", str(step)).err.split())
    with pytest.raises(InvalidInput) as raised:
        ABOUT_FORMULAS[name](step)
    (found,) = raised.value.diagnostics
    assert f"{found.headline}; {found.help}" in said


@pytest.mark.parametrize("step", ["20ms", "0.02", 0.02, Fraction(1, 50)])
def test_a_step_with_its_unit_or_a_small_one_is_taken(step: Any) -> None:
    asked = tracepact.implies("N[40ms] p", "N[20ms] p", step=step)
    assert (asked.step, asked.outcome) == (Fraction(1, 50), "no")
    assert tracepact.sat("p", step="20s").step == 20


# Answers


def test_an_answer_is_true_for_yes_and_false_for_no_and_unknown_is_neither() -> None:
    assert tracepact.sat("p & !q")
    assert not tracepact.sat("p & !p")
    unknown = tracepact.implies("G[400f] F[300f] p", "F[300f] G[400f] q", timeout=0)
    assert unknown.outcome == "unknown"
    with pytest.raises(ValueError, match="unknown"):
        bool(unknown)


ANSWERS = {
    "no": ("implies", ["N[40ms] p", "N[20ms] p"], {}),
    "yes": ("implies", ["N[20ms] p", "N[40ms] p"], {}),
    "derived": ("sat", ["pred_onset & !ref_onset"], {}),
    "length": ("sat", ["p & F[3f] !p"], {"length": 6}),
    "free": ("sat", ["ref_onset & !ref_active"], {"free": True}),
    "obligation": ("equivalent", ["p", "q"], {"obligation": "p | z"}),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_shown_as_the_command_shows_it(name: str) -> None:
    question, texts, options = ANSWERS[name]
    flags = [f"--{key}" if value is True else f"--{key}={value}" for key, value in options.items()]
    said = command(question, *texts, *flags).out.replace("--free", "free=True").splitlines()
    answer = getattr(tracepact, question)(*texts, **options)
    assert [line.rstrip() for line in said] == str(answer).splitlines()
    if answer.trace is not None:
        kept = re.search("<pre>(.*)</pre>", answer._repr_html_(), re.DOTALL)
        assert kept
        assert unescape(kept[1]).splitlines() == said[said.index("") + 1 :]
        assert "▼" in kept[1].splitlines()[0]


@pytest.mark.slow
def test_a_selected_contract_keeps_its_lines_in_a_notebook() -> None:
    found = tracepact.select("boundary_gate")
    kept = re.search("<pre>(.*)</pre>", found._repr_html_(), re.DOTALL)
    assert found.contract
    assert kept
    assert "<" not in kept[1]
    assert "->" in found.contract.text
    assert unescape(kept[1]) == found.contract.text.rstrip()


def test_findings_show_their_places_and_traces_and_are_a_collection() -> None:
    text = "contract c\nstep 20ms\nclause a on ref_onset : N[30ms] pred_onset\n"
    text += "clause b on ref_onset : pred_onset & !pred_active\n"
    found = tracepact.check(text)
    assert [one.code for one in found] == [one.code for one in found.findings]
    assert len(found) == len(found.findings) == 2
    assert len(tracepact.check("boundary_gate")) == 0
    for shown in (str(found), unescape(found._repr_html_())):
        for one, place in zip(found, ("3:27", "4:25"), strict=True):
            block = re.split(r"\n(?=warning\[)", shown.partition(f"[{one.code}]: ")[2])[0]
            assert block.startswith(f"{one.headline}\n  --> <text>:{place}\n")
            assert f"= help: {one.help}" in block
            drawn = (one.trace or "").splitlines()
            assert re.findall(r"^  \| (.*)$", block, re.MULTILINE) == [line.rstrip() for line in drawn]
    assert any(one.trace for one in found)


def test_a_catalogue_prints_its_smallest_meanings() -> None:
    small, large = tracepact.catalogue(["p"]), tracepact.catalogue(["p", "q"])
    assert [line.rsplit("  ", 1)[0].rstrip() for line in str(small).splitlines()[1:]] == [e.text for e in small.entries]
    *shown, more = str(large).splitlines()[1:]
    assert more == f"… and {len(large.entries) - len(shown):,} more"
    assert unescape(large._repr_html_()) == f"<pre>{large}</pre>"


# Frames and figures


def test_a_run_becomes_a_frame_of_its_scores() -> None:
    pytest.importorskip("pandas")
    found = scored().to_frame()
    assert list(found["clause"]) == list(scored().vector)
    assert [Fraction(value) for value in found["value"]] == list(scored().vector.values())
    assert list(found["decimal"]) == [float(value) for value in scored().vector.values()]


@pytest.mark.parametrize("module", ["pandas", "polars"])
def test_columns_of_a_frame_have_the_types_of_what_they_hold(module: str) -> None:
    pytest.importorskip(module)
    kinds = {"satisfied": int, "obligated": int, "value": str, "decimal": float, "vacuous": bool}
    with patch.object(declarations, "find_spec", lambda name: name if name == module else None):
        for frame in (scored().to_frame(), tracepact.try_contract("boundary_gate").to_frame()):
            for column, kind in kinds.items():
                assert {type(value) for value in frame[column].to_list()} == {kind}, column


def test_a_frame_is_of_polars_where_pandas_is_not() -> None:
    polars = pytest.importorskip("polars")
    with patch.object(declarations, "find_spec", lambda name: None if name == "pandas" else name):
        assert isinstance(scored().to_frame(), polars.DataFrame)
    with (
        patch.object(declarations, "find_spec", lambda name: None),
        pytest.raises(ImportError, match="pandas or polars"),
    ):
        scored().to_frame()


@pytest.mark.parametrize("figure", ["timeline", "vector"])
def test_a_run_draws_its_figures(figure: str, tmp_path: Path) -> None:
    drawn = scored().plot(figure)
    assert drawn._repr_svg_().startswith("<svg")
    assert "onset_guard" in drawn.svg
    assert drawn.save(tmp_path / "a.svg").read_text() == drawn.svg
    assert len(repr(drawn)) < 60


# Wrong names

WRONG: dict[str, tuple[Callable[[], Any], str, str]] = {
    "a clause of a run": (lambda: scored().violations("onset_gaurd"), "unknown-clause", "onset_guard"),
    "a clause of a scorecard": (lambda: scored().card.score("onset_gard"), "unknown-clause", "onset_guard"),
    "a frame clause": (lambda: scored().card.frame_violations("ofset_guard"), "unknown-clause", "offset_guard"),
    "an event clause": (lambda: scored().card.event_clause("onset_guard"), "unknown-clause", "duration_guard"),
    "a clause of a vector": (lambda: scored().vector["onset_gard"], "unknown-clause", "onset_guard"),
    "a clause of a card's vector": (lambda: scored().card.vector()["onset_gard"], "unknown-clause", "onset_guard"),
    "a clause of a stream's vector": (
        lambda: tracepact.StreamMonitor(tracepact.load_contract("boundary_gate")).vector()["onset_gard"],
        "unknown-clause",
        "onset_guard",
    ),
    "one formula for a list": (lambda: tracepact.signatures("p & q"), "type-mismatch", "['p & q']"),
    "one atom for a list": (lambda: tracepact.signatures(["p"], atoms="p"), "type-mismatch", "['p']"),
    "an atom for a catalogue": (lambda: tracepact.catalogue("p"), "type-mismatch", "['p']"),
    "a clip": (lambda: scored().card.clip_indices(["clop"]), "unknown-clip", "clip"),
    "an aggregation": (lambda: scored().card.vector("poold"), "unknown-choice", "pooled"),
    "a profile": (lambda: scored().card.profile("recall"), "unknown-profile", "support_recall"),
    "a figure": (lambda: scored().plot("vektor"), "unknown-choice", "vector"),
    "a mode": (
        lambda: tracepact.score("boundary_gate", [], [], durations=1, mode="unoin"),
        "unknown-choice",
        "union",
    ),
    "a policy": (
        lambda: tracepact.score("boundary_gate", [], [], durations=1, outside="cutt"),
        "unknown-choice",
        "cut",
    ),
    "a parameter": (
        lambda: tracepact.score("boundary_gate", [], [], durations=1, set={"tl": "1ms"}),
        "unknown-override",
        "tol",
    ),
    "a requirement": (lambda: tracepact.select("boundary_gate", require=["nam"]), "unknown-choice", "name"),
    "a stream's clause": (
        lambda: tracepact.StreamMonitor(tracepact.load_contract("boundary_gate")).score("onset_gard"),
        "unknown-clause",
        "onset_guard",
    ),
    "a step": (lambda: tracepact.sat("p", step="twenty"), "bad-quantity", "20ms"),
    "a formula": (lambda: tracepact.sat("p &"), "syntax", ""),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_name_is_answered_with_the_choices_and_the_nearest(name: str) -> None:
    ask, code, near = WRONG[name]
    with pytest.raises(InvalidInput) as raised:
        ask()
    assert [found.code for found in raised.value.diagnostics] == [code]
    assert f"`{near}`" in str(raised.value) or not near


def test_a_vector_is_a_dictionary_all_the_same() -> None:
    vector = scored().vector
    assert "onset_gard" not in vector
    assert vector.get("onset_gard") is None
    assert vector == dict(vector)
    assert pickle.loads(pickle.dumps(vector)) == vector


@pytest.mark.parametrize(
    "decoding",
    [
        tracepact.Decoding("half"),  # type: ignore[arg-type]  # what it is about
        object(),
        {"threshold": 1},
    ],
)
def test_a_decoding_that_cannot_be_is_refused(decoding: Any, tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("onset\toffset\tdog\n0\t1\t0.9\n1\t2\t0.2\n")
    with pytest.raises(InvalidInput) as raised:
        tracepact.score("boundary_gate", {"x": [(0, 1, "dog")]}, tmp_path / "x.tsv", durations=2, decoding=decoding)
    assert {found.code for found in raised.value.diagnostics} == {"bad-decoding"}


@pytest.mark.parametrize(
    ("threshold", "more"),
    [(None, {}), (Fraction(1, 2), {"median": "3"}), (Fraction(1, 2), {"median": 1.5}), (Fraction(1, 2), {"low": []})],
)
def test_a_decoding_of_wrong_types_cannot_be_made(threshold: Any, more: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as raised:
        tracepact.Decoding(threshold, **more)
    assert [found.code for found in raised.value.diagnostics] == ["type-mismatch"]


def test_the_version_is_that_of_the_package() -> None:
    assert command("--version").out.split()[-1] == tracepact.__version__


def test_a_missing_column_is_reported_with_the_columns_found() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"filename": ["a"], "onset": [1.0], "event_label": ["x"]})
    with pytest.raises(InvalidInput) as refused:
        tracepact.score("boundary_gate", ref=frame, pred=frame, durations=3)
    assert {d.help for d in refused.value.diagnostics} == {"the columns found: `filename`, `onset`, `event_label`"}


PREFERRED = """step = "20ms"
cases = [
  {name = "late", edit = "late_onset", by = "60ms"},
  {name = "later", edit = "late_onset", by = "120ms"},
  {name = "lost", edit = "missing", event = 1},
]
[reference.r]
duration = "2s"
events = [["200ms", "600ms"], ["1s", "1600ms"]]
[family]
obligations = ["ref_onset", "ref_active"]
atoms = ["pred_onset", "pred_active"]
tolerances = ["40ms", "80ms"]
each = []
"""


def test_a_selection_by_preferences_answers_as_its_command_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.calibration").write_text(PREFERRED)
    Path("p.csv").write_text("a,b,worse\nlost,later,a\nlate,later,b\n")
    words = ("--preferences", "p.csv", "--holdout", "2", "--format", "json")
    found = tracepact.select("s.calibration", preferences="p.csv", holdout=2)
    assert found.to_dict() == json.loads(command("select", "s.calibration", *words, folder=tmp_path).out)
    assert "rank" not in [column.heading for table in found.tables() for column in table.columns]
    ref, one, other = [(1, 2), (3, 4)], [(1, 2)], [("1.5", 2), (3, 4)]
    Path("clips.csv").write_text("clip,a,b,worse\nclip,one,other,a\n")
    judged = tracepact.select(
        "s.calibration", preferences="clips.csv", ref=ref, systems={"one": one, "other": other}, durations=5
    )
    assert [case.name for case in judged.cases] == ["clip by one", "clip by other"]
    assert judged.preferences is not None
    assert judged.preferences.violated == ()


def test_what_does_not_go_together_is_said_in_the_words_of_the_function() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"systems": {"a": []}}, "`systems` goes with `preferences`"),
        ({"preferences": "p.csv", "robust": True}, "`preferences` is without"),
        ({"durations": 3}, "`durations`: the lengths of the clips of `ref`, which is not given"),
        ({"holdout": 1}, "not two or more parts"),
    ]
    for given, said in wrong:
        with pytest.raises(tracepact.InvalidInput, match=re.escape(said)):
            tracepact.select("boundary_gate", **given)
