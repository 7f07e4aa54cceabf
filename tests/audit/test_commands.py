"""The audits as commands: JSON by its schema, CSV and figure that say the same, and what they refuse."""

import csv
import json
from collections.abc import Callable
from contextlib import chdir
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cli.command import Outcome, events, run, write
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tracepact.audits.audit_labels import AnnotationAudit, ReferenceAudit, audit_annotation, audit_reference
from tracepact.audits.audit_matcher import MatcherAudit, audit_matcher
from tracepact.audits.audit_settings import ThresholdAudit, ToleranceAudit, audit_threshold, audit_tolerance
from tracepact.audits.audit_stability import UncertaintyAudit, audit_uncertainty
from tracepact.audits.audit_union_gap import UnionGapAudit, audit_union_gap
from tracepact.audits.comparison import Comparison, compare
from tracepact.data.family import Family
from tracepact.declarations import spec_path
from tracepact.evaluate.uncertainty import Bootstrap, few_clips_notes
from tracepact.files import json_text
from tracepact.language.contract import Contract
from tracepact.records import Record, plain, record_of
from tracepact.runs.opening import open_run

SCHEMAS = {path.name: json.loads(path.read_text()) for path in spec_path("schemas").glob("*.json")}
REGISTRY: Registry[Any] = Registry().with_resources((n, Resource.from_contents(s)) for n, s in SCHEMAS.items())
CONTRACT = """contract gate
step 20ms
param tol = 40ms
param part = 0.5
sweep tol = 20ms 80ms
clause onset on ref_onset : ref_onset -> N[tol] pred_onset
clause elsewhere on pred_active : !other_ref_active | N[tol] ref_active
clause whole on each ref : matched and coverage >= part
"""
FILES = {
    "gate.contract": CONTRACT,
    "ref.tsv": events("a.wav 0.5 2 x", "a.wav 3 4 y", "b.wav 1 2 x", "c.wav 0 1 y"),
    "good.tsv": events("a.wav 0.54 2 x", "a.wav 3 4 y", "b.wav 1.06 2 x", "c.wav 0 1 y"),
    "poor.tsv": events("a.wav 0.7 2 x", "a.wav 3 4 x", "b.wav 1 1.3 x", "c.wav 2 3 y"),
    "durations.tsv": "filename\tduration\na.wav\t5\nb.wav\t3\nc.wav\t3\n",
    "scenes.tsv": "filename\tcondition\nhome_1.wav\tindoor\nstreet_1\toutdoor\n",
}
SCORES = {
    clip: "onset\toffset\tx\ty\n" + "".join(f"{t}\t{t + 1}\t{x}\t{y}\n" for t, (x, y) in enumerate(rows))
    for clip, rows in {
        "a": [(0.9, 0.1), (0.8, 0.2), (0.1, 0.3), (0.2, 0.7), (0, 0)],
        "b": [(0.3, 0), (0.6, 0.55), (0.4, 0)],
        "c": [(0, 0.95), (0, 0.5), (0, 0)],
    }.items()
}
SOFT = {
    "home_1.txt": "0\t1\tx\t0.5\n1\t2\tx\t1\n",
    "street_1.txt": "0\t1\tx\t0.25\n1\t2\tx\t0.75\n2\t3\ty\t0.1\n3\t4\ty\t0\n",
}
COMMANDS = {
    "audit-tolerance": ("audit", "tolerance", "good", "--parameter", "tol", "--high", "100ms"),
    "audit-threshold": ("audit", "threshold", "good", "--scores", "scores", "--at", "0.5", "--at", "0.2"),
    "audit-union-gap": ("audit", "union-gap", "poor", "--confusion", "confusion.svg"),
    "audit-annotation": ("audit", "annotation", "soft"),
    "audit-reference": ("audit", "reference", "soft-run", "--labels", "scores", "--within", "0.1"),
    "audit-uncertainty": ("audit", "uncertainty", "good", "poor", "--draws", "200"),
    "audit-matcher": ("audit", "matcher", "poor"),
    "compare": ("compare", "good", "poor", "--draws", "200"),
}


RECORDS: dict[str, type[Record]] = {
    "audit-tolerance": ToleranceAudit,
    "audit-threshold": ThresholdAudit,
    "audit-union-gap": UnionGapAudit,
    "audit-annotation": AnnotationAudit,
    "audit-reference": ReferenceAudit,
    "audit-uncertainty": UncertaintyAudit,
    "audit-matcher": MatcherAudit,
    "compare": Comparison,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two stored runs, a folder of scores and one of soft labels."""
    place = tmp_path_factory.mktemp("audits")
    write(place, FILES)
    for name, files in (("scores", {f"{clip}.tsv": text for clip, text in SCORES.items()}), ("soft", SOFT)):
        (place / name).mkdir()
        write(place / name, files)
    for system in ("good", "poor"):
        assert score(place, f"{system}.tsv", system).code == 0
    soft = ("--ref", "scores", "--ref-threshold", "0.5", "--pred", "good.tsv", "--durations", "durations.tsv")
    assert run("score", "gate.contract", *soft, "--out", "soft-run", folder=place).code == 0
    return place


def score(folder: Path, pred: str, out: str, *more: str) -> Outcome:
    tables = ("--ref", "ref.tsv", "--pred", pred, "--durations", "durations.tsv")
    return run("score", "gate.contract", *tables, "--out", out, *more, folder=folder)


@pytest.fixture(scope="module")
def printed(folder: Path) -> dict[str, Any]:
    """What every command prints as JSON; its rows and figure are written beside."""
    found = {}
    for name, command in COMMANDS.items():
        outcome = run(*command, "--json", "--csv", f"{name}.csv", "--figure", f"{name}.svg", folder=folder)
        assert outcome.code == 0, outcome.err
        found[name] = json.loads(outcome.out)
    return found


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_as_its_schema_says(name: str, printed: dict[str, Any]) -> None:
    validator = Draft202012Validator(SCHEMAS[f"{name}.schema.json"], registry=REGISTRY)
    assert [f"{e.json_path}: {e.message}" for e in validator.iter_errors(printed[name])] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_key_more_or_less_is_refused_by_the_schema(name: str, printed: dict[str, Any]) -> None:
    validator = Draft202012Validator(SCHEMAS[f"{name}.schema.json"], registry=REGISTRY)
    assert not validator.is_valid({**printed[name], "more": 1})
    optional = {"given data", "bridges of its references"} if name == "audit-matcher" else set()
    for key in printed[name].keys() - optional:
        assert not validator.is_valid({k: v for k, v in printed[name].items() if k != key})


@pytest.mark.parametrize("name", COMMANDS)
def test_figure_and_rows_are_written(name: str, printed: dict[str, Any], folder: Path) -> None:
    assert printed[name]
    assert ElementTree.parse(folder / f"{name}.svg").getroot().tag.endswith("svg")
    assert rows(folder, name)


@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_read_back_as_the_record_it_was_printed_from(name: str, printed: dict[str, Any]) -> None:
    again = record_of(printed[name], RECORDS[name])
    assert json.loads(json_text(plain(again))) == printed[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_format_is_printed_on_standard_output(name: str, printed: dict[str, Any], folder: Path) -> None:
    as_json, as_csv, as_text, plain_text = (
        run(*COMMANDS[name], *more, folder=folder)
        for more in (("--format", "json"), ("--format", "csv"), ("--format", "text"), ())
    )
    assert json.loads(as_json.out) == printed[name]
    assert as_csv.out == (folder / f"{name}.csv").read_text(encoding="utf-8")
    assert as_text.out == plain_text.out


@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_a_hidden_name_of_its_format(name: str, folder: Path) -> None:
    short = run(*COMMANDS[name], "--json", folder=folder)
    assert short.out == run(*COMMANDS[name], "--json", "--format", "json", folder=folder).out
    refused = run(*COMMANDS[name], "--json", "--format", "csv", folder=folder)
    assert (refused.code, refused.out) == (2, "")
    shown = run(*COMMANDS[name][:2], "--help", folder=folder)
    assert "--format [text|json|csv]" in shown.out
    assert "--json" not in shown.out


FROM_PYTHON: dict[str, Callable[[Path], Record]] = {
    "audit-tolerance": lambda f: audit_tolerance(f / "good", "tol", high=Fraction(1, 10)),
    "audit-threshold": lambda f: audit_threshold(f / "good", f / "scores", [Fraction(1, 2), Fraction(1, 5)]),
    "audit-union-gap": lambda f: audit_union_gap(f / "poor"),
    "audit-annotation": lambda f: audit_annotation(f / "soft"),
    "audit-reference": lambda f: audit_reference(f / "soft-run", f / "scores", [Fraction(1, 10)]),
    "audit-uncertainty": lambda f: audit_uncertainty(["good", "poor"], bootstrap=Bootstrap(200)),
    "audit-matcher": lambda f: audit_matcher(*_matched(f / "poor")),
    "compare": lambda f: compare("good", "poor", Bootstrap(200)),
}


def _matched(folder: Path) -> tuple[Contract, Family]:
    card = open_run(folder).rescore().card
    return card.contract, card.family


@pytest.mark.parametrize("name", FROM_PYTHON)
def test_an_audit_called_from_python_is_the_record_the_command_prints(
    name: str, printed: dict[str, Any], folder: Path
) -> None:
    with chdir(folder):
        found = FROM_PYTHON[name](folder)
    assert type(found) is RECORDS[name]
    assert json.loads(json_text(found.to_dict())) == printed[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_text_is_shown_without_options(name: str, folder: Path) -> None:
    outcome = run(*COMMANDS[name], folder=folder)
    assert outcome.code == 0
    assert len(outcome.out.splitlines()) > 4


def test_the_rows_of_a_curve_are_its_pieces(printed: dict[str, Any], folder: Path) -> None:
    data = printed["audit-tolerance"]
    pieces = [(c["clause"], p["from"], p["to"], p["value"]) for c in data["curves"] for p in c["pieces"]]
    pieces += [("logic", p["from"], p["to"], p["value"]) for p in data["logic"]["pieces"]]
    assert [(r["clause"], r["from"], r["to"], r["value"]) for r in rows(folder, "audit-tolerance")] == pieces
    # onsets of `good`: two exact, one 2 frames late, one 3 frames late
    assert [(p["to"], p["value"]) for p in data["curves"][0]["pieces"]] == [
        ("1/50", "1/2"),
        ("1/25", "3/4"),
        ("1/10", "1"),
    ]
    assert [m["text"] for m in data["marks"]] == ["20ms", "40ms", "80ms"]


def test_thresholds_decode_and_score(printed: dict[str, Any]) -> None:
    """At 0.2 x is active in a at 0-2, y at 2-4, x in b at 0-3, y at 1-2, y in c at 0-2; at 0.5 less."""
    low, high = printed["audit-threshold"]["points"]
    assert (low["decoding"]["threshold"], high["decoding"]["threshold"]) == ("1/5", "1/2")
    assert (low["events"], high["events"]) == (5, 5)
    # onsets of the reference: a x 0.5, a y 3, b x 1, c y 0
    assert low["vector"]["onset"]["value"] == "1/4", "only c y starts at 0"
    assert high["vector"]["onset"]["value"] == "3/4", "and a y at 3, b x at 1"
    audit = printed["audit-threshold"]
    best = {item["clause"]: item["thresholds"] for item in audit["best"]}
    for clause, thresholds in best.items():
        values = {
            point["decoding"]["threshold"]: Fraction(
                (point["logic"] if clause == "logic" else point["vector"][clause])["value"]
            )
            for point in audit["points"]
        }
        assert thresholds == [at for at, value in values.items() if value == max(values.values())]
    assert "1/2" in best["onset"]


def test_a_median_and_a_label_map_change_what_is_decoded(folder: Path) -> None:
    """Over three frames the medians of y in b are 0, and y may be called x before it is scored."""
    write(folder, {"map.toml": 'rename = { y = "x" }\nkeep = ["x"]\n'})
    base = ("audit", "threshold", "good", "--scores", "scores", "--at", "0.5", "--json")
    found = [
        json.loads(run(*base, *more, folder=folder).out)["points"][0]
        for more in ((), ("--median", "3"), ("--label-map", "map.toml"))
    ]
    assert [point["decoding"]["median"] for point in found] == [1, 3, 1]
    # 0.5 and more at 0.5: a x 0-2, a y 3-4, b x 1-2, b y 1-2, c y 0-1; medians leave a x 0-2, c y 0-1
    assert [point["events"] for point in found] == [5, 2, 5]
    assert found[2]["vector"]["onset"]["value"] != found[0]["vector"]["onset"]["value"]


@pytest.mark.parametrize("name", ["audit-tolerance", "audit-threshold", "audit-uncertainty", "compare"])
def test_another_aggregation_is_used_and_named(name: str, folder: Path, printed: dict[str, Any]) -> None:
    outcome = run(*COMMANDS[name], "--aggregation", "macro_clips", "--json", folder=folder)
    data = json.loads(outcome.out)
    assert (printed[name]["aggregation"], data["aggregation"]) == ("pooled", "macro_clips")
    scored_so = {
        item["clause"]: item["scores"] for item in json.loads((folder / "good/report.json").read_text())["vector"]
    }
    own = {
        "audit-tolerance": lambda: data["curves"][0]["pieces"][1]["value"],
        "audit-uncertainty": lambda: data["systems"][0]["scores"]["onset"]["value"],
        "compare": lambda: data["scores"]["onset"]["before"]["value"],
    }
    if name in own:
        assert own[name]() == scored_so["onset"]["macro_clips"]["value"] != scored_so["onset"]["pooled"]["value"]


def test_the_ambiguity_of_scenes_by_hand(printed: dict[str, Any], folder: Path) -> None:
    data = printed["audit-annotation"]
    assert [(s["scene"], s["clips"], s["cells"], s["between"], s["share"]) for s in data["scenes"]] == [
        ("home", 1, 2, 1, "1/2"),
        ("street", 1, 4, 2, "1/2"),
    ]
    assert data["scenes"][0]["entropy"] == 0.5
    assert data["total"]["cells"] == 6
    named = run("audit", "annotation", "soft", "--scenes", "scenes.tsv", "--json", folder=folder)
    assert [s["scene"] for s in json.loads(named.out)["scenes"]] == ["indoor", "outdoor"]


def test_a_scene_that_is_missing_is_named(folder: Path) -> None:
    write(folder, {"short.tsv": "filename\tcondition\nhome_1\tindoor\n"})
    outcome = run("audit", "annotation", "soft", "--scenes", "short.tsv", folder=folder)
    assert (outcome.code, outcome.codes) == (2, ["missing-condition"])
    assert "street_1" in outcome.err


def test_what_changed_is_told_by_clip_and_obligation(printed: dict[str, Any], folder: Path) -> None:
    """From `good` to `poor` the onset of b x is on time again, those of a x, a y and c y are not."""
    data = printed["compare"]
    onset = [(c["clip"], c["class"], c["change"], c["onset"]) for c in data["changes"] if c["clause"] == "onset"]
    assert onset == [
        ("a.wav", "x", "broken", "1/2"),
        ("a.wav", "y", "broken", "3"),
        ("b.wav", "x", "fixed", "1"),
        ("c.wav", "y", "broken", "0"),
    ]
    whole = [(c["clip"], c["class"], c["change"], c["offset"]) for c in data["changes"] if c["clause"] == "whole"]
    assert whole == [("a.wav", "y", "broken", "4"), ("b.wav", "x", "broken", "2"), ("c.wav", "y", "broken", "1")]
    for when, value in (("before", "3/4"), ("after", "1/4")):
        assert data["scores"]["onset"][when]["value"] == value
    assert data["differences"]["onset"]["value"] == "-1/2"
    counted = {item["clip"]: (item["fixed"], item["broken"]) for item in data["changed_clips"]}
    assert counted.keys() == {"a.wav", "b.wav", "c.wav"}
    for clip, pair in counted.items():
        for change, count in zip(("fixed", "broken"), pair, strict=True):
            some = [c["obligations"] for c in data["changes"] if (c["clip"], c["change"]) == (clip, change)]
            assert sum(some) == count
    assert len(rows(folder, "compare")) == len(data["changes"])


def test_a_run_against_itself_shows_no_difference(folder: Path) -> None:
    data = json.loads(run("compare", "good", "good", "--draws", "50", "--json", folder=folder).out)
    assert data["changes"] == data["changed_clips"] == []
    assert {(d["value"], d["p"], d["corrected"]) for d in data["differences"].values()} == {("0", "1", "1")}


def test_the_first_system_is_the_base(printed: dict[str, Any]) -> None:
    first, second = printed["audit-uncertainty"]["systems"]
    assert first["differences"] == {}
    assert second["differences"].keys() == first["scores"].keys() == {"onset", "elsewhere", "whole", "logic"}
    for name, difference in second["differences"].items():
        values = [Fraction(system["scores"][name]["value"]) for system in (first, second)]
        assert Fraction(difference["value"]) == values[1] - values[0]
        assert difference["p"] == difference["corrected"], "one comparison needs no correction"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("gate.contract", "--set", "tol=60ms"), "contract"),
        (("gate.contract", "--ignore", "ref.tsv"), "ignore"),
    ],
)
def test_runs_of_different_contracts_or_data_are_not_compared(
    arguments: tuple[str, ...], word: str, folder: Path
) -> None:
    assert score(folder, "poor.tsv", "other", *arguments[1:]).code == 0
    for command in (("compare", "good", "other"), ("audit", "uncertainty", "good", "other")):
        outcome = run(*command, folder=folder)
        assert outcome.code == 2
        assert set(outcome.codes) == {"incomparable-runs"}
        assert word in outcome.err


def test_runs_with_other_classes_are_not_compared(folder: Path) -> None:
    write(folder, {"more.tsv": FILES["poor.tsv"] + "b.wav\t1\t2\tz\n"})
    assert score(folder, "more.tsv", "more").code == 0
    outcome = run("compare", "good", "more", folder=folder)
    assert outcome.codes == ["incomparable-runs"]
    assert "labels" in outcome.err


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("audit", "tolerance", "good", "--parameter", "tool"), "unknown-parameter"),
        (("audit", "tolerance", "good", "--parameter", "tol", "--low", "1s"), "out-of-range"),
        (("audit", "tolerance", "good", "--parameter", "tol", "--high", "soon"), "bad-quantity"),
        (("audit", "tolerance", "soft", "--parameter", "tol"), "not-a-run"),
        (("compare", "good", "scores"), "not-a-run"),
        (("audit", "threshold", "good", "--scores", "soft"), "wrong-columns"),
        (("audit", "annotation", "good"), "bad-decoding"),
    ],
)
def test_bad_arguments_are_named(command: tuple[str, ...], code: str, folder: Path) -> None:
    outcome = run(*command, folder=folder)
    assert outcome.code == 2
    assert code in outcome.codes, outcome.err


def test_a_wrong_audit_is_offered_the_nearest(folder: Path) -> None:
    outcome = run("audit", "tolerence", folder=folder)
    assert outcome.code == 2
    assert "tolerance" in outcome.err


@pytest.mark.parametrize("command", [("audit", "uncertainty"), ("compare",)], ids=" ".join)
def test_intervals_over_a_few_clips_come_with_a_caution(command: tuple[str, ...], folder: Path) -> None:
    """The runs have fewer than twenty clips."""
    shown = " ".join(run(*command, "good", "poor", "--draws", "50", folder=folder).out.split())
    assert "are few for a bootstrap" in shown
    assert few_clips_notes(19) != []
    assert few_clips_notes(20) == []
