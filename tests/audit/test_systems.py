"""Several systems on the same data: rankings against their definition, ties, refusals, what the commands print."""

import csv
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.command import events, listing, run, write
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import tracepact
from tracepact import parse_contract
from tracepact.audits.audit_profile import Ranking, audit_profile, audit_selection
from tracepact.audits.audit_stability import audit_neutrality
from tracepact.audits.systems import ScoredSystem, Systems, read_systems
from tracepact.declarations import spec_path
from tracepact.diagnostics.collection import InvalidInput
from tracepact.evaluate.scores import STARTER_PROFILES, ProfileOrigin, RiskProfile, RiskProfiles, risk_profiles
from tracepact.files import json_text
from tracepact.language.compilation import load_contract
from tracepact.language.contract import Aggregation, Profile
from tracepact.records import Record, record_of

CLAUSES = ("early", "late", "lost")
CONTRACT = parse_contract(
    """contract three
step 20ms
aggregate pooled
clause early on ref_onset : N[1f] pred_onset
clause late on ref_offset : N[1f] pred_offset
clause lost on ref_active : pred_active
profile careful over macro_clips : lost = 2, late = 1
"""
)
STARTER = load_contract("boundary_gate")
GUARDS = [clause.name for clause in STARTER.clauses]


@st.composite
def systems(draw: st.DrawFn, least: int = 1) -> Systems:
    """Systems whose scores take few values, so that ties are common."""
    count = draw(st.integers(least, 4))
    drawn = draw(st.lists(st.integers(0, 2), min_size=3 * count, max_size=3 * count))
    shift = draw(st.integers(0, 2))  # every aggregation has other values

    def scores(system: int, aggregation: int) -> dict[str, Fraction]:
        values = drawn[3 * system : 3 * system + 3]
        return {c: Fraction((v + shift * aggregation) % 3, 2) for c, v in zip(CLAUSES, values, strict=True)}

    return Systems(
        CONTRACT,
        tuple(ScoredSystem(f"s{i}", {a: scores(i, k) for k, a in enumerate(Aggregation)}) for i in range(count)),
    )


def values(ranking: Ranking) -> dict[str, Fraction]:
    return {one.system: one.value for one in ranking.values}


weights = st.lists(st.integers(0, 3).map(Fraction), min_size=3, max_size=3).filter(any)
aggregations = st.sampled_from(Aggregation)


def profiles_of(numbers: list[Fraction], aggregation: Aggregation) -> RiskProfiles:
    profile = Profile("drawn", aggregation, tuple(zip(CLAUSES, numbers, strict=True)))
    return RiskProfiles((RiskProfile(profile, ProfileOrigin.GIVEN),), ())


# Rankings


@given(systems(), weights, aggregations)
def test_the_best_are_all_systems_of_the_highest_weighted_mean(
    found: Systems, numbers: list[Fraction], aggregation: Aggregation
) -> None:
    (ranking,) = audit_profile(found, profiles_of(numbers, aggregation), aggregation).profiles
    mean = {
        s.name: sum(w * s.scores[aggregation][c] for c, w in zip(CLAUSES, numbers, strict=True)) / sum(numbers)
        for s in found.systems
    }
    assert values(ranking) == mean
    assert ranking.tie == (len(ranking.best) > 1)
    assert set(ranking.best) == {name for name, value in mean.items() if value == max(mean.values())}
    if len(mean) == 1:
        assert ranking.margin is None
    elif len(ranking.best) > 1:
        assert ranking.margin == 0
    else:
        assert ranking.margin == max(mean.values()) - max(v for n, v in mean.items() if n not in ranking.best) > 0


@given(systems(), weights, aggregations, st.integers(1, 5))
def test_weights_times_a_number_change_nothing(
    found: Systems, numbers: list[Fraction], aggregation: Aggregation, factor: int
) -> None:
    larger = [number * Fraction(factor, 7) for number in numbers]
    one, other = (audit_profile(found, profiles_of(n, aggregation), aggregation).profiles for n in (numbers, larger))
    assert [(row.values, row.best, row.margin) for row in one] == [(row.values, row.best, row.margin) for row in other]


@given(systems(), aggregations, weights)
def test_a_dominated_system_is_alone_best_under_no_weights(
    found: Systems, aggregation: Aggregation, numbers: list[Fraction]
) -> None:
    audit = audit_profile(found, profiles_of(numbers, aggregation), aggregation)
    for row in audit.dominated:
        assert audit.profiles[0].best != (row.system,)
    assert {row.system for row in audit.dominated} < set(found.names), "some system is not dominated"


@given(systems(), aggregations)
def test_the_best_on_a_coordinate_has_its_highest_score(found: Systems, aggregation: Aggregation) -> None:
    audit = audit_selection(found, aggregation)
    assert [ranking.clause for ranking in audit.coordinates] == list(CLAUSES)
    for clause, ranking in zip(CLAUSES, audit.coordinates, strict=True):
        scores = {s.name: s.scores[aggregation][clause] for s in found.systems}
        assert set(ranking.best) == {name for name, score in scores.items() if score == max(scores.values())}
    assert sum(led.coordinates for led in audit.led) == sum(len(ranking.best) for ranking in audit.coordinates)


@given(systems(least=2), weights, aggregations, st.data())
def test_without_some_systems_the_rest_keep_their_values_and_order(
    found: Systems, numbers: list[Fraction], aggregation: Aggregation, data: st.DataObject
) -> None:
    without = data.draw(st.lists(st.sampled_from(found.names), min_size=1, unique=True))
    if len(without) == len(found.names):
        with pytest.raises(InvalidInput):
            found.without(without)
        return
    audit = audit_neutrality(found, without, profiles_of(numbers, aggregation), aggregation)
    assert [(q.kind, q.name) for q in audit.questions] == [
        ("profile", "drawn"),
        *(("coordinate", clause) for clause in CLAUSES),
    ]
    for question in audit.questions:
        assert question.of_rest.values == tuple(v for v in question.of_all.values if v.system not in without)
        assert len(question.of_all.values) == len(found.names)
        kept = tuple(name for name in question.of_all.best if name not in without)
        assert question.changed == (kept != question.of_all.best)
        if kept:
            assert question.of_rest.best == kept


# Profiles


def test_the_profiles_over_the_starter_guards_have_each_guard_once() -> None:
    assert sorted(guard for guards in STARTER_PROFILES.values() for guard in guards) == sorted(GUARDS)


def test_a_contract_of_the_starter_guards_has_all_profiles_and_its_own_take_their_place() -> None:
    found = risk_profiles(STARTER, Aggregation.POOLED)
    assert [(p.profile.name, p.origin, p.profile.aggregation) for p in found.profiles] == [
        ("balanced", ProfileOrigin.STARTER, Aggregation.POOLED),
        ("support_recall", ProfileOrigin.CONTRACT, Aggregation.MACRO_CLASSES_INFORMATIVE),
        ("edge_timing", ProfileOrigin.STARTER, Aggregation.POOLED),
        ("silence_protection", ProfileOrigin.STARTER, Aggregation.POOLED),
        ("event_integrity", ProfileOrigin.STARTER, Aggregation.POOLED),
    ]
    assert found.absent == ()
    assert dict(found.profiles[0].profile.weights) == dict.fromkeys(GUARDS, 1)


def test_a_contract_of_other_clauses_has_balanced_its_own_and_given_ones_and_says_what_is_absent() -> None:
    found = risk_profiles(
        CONTRACT, Aggregation.POOLED, ["mine : early = 1/3, lost = 0.5", "hers over pooled: late = 1"]
    )
    assert [(p.profile.name, p.origin) for p in found.profiles] == [
        ("balanced", ProfileOrigin.STARTER),
        ("careful", ProfileOrigin.CONTRACT),
        ("mine", ProfileOrigin.GIVEN),
        ("hers", ProfileOrigin.GIVEN),
    ]
    assert found.profiles[2].profile.weights == (("early", Fraction(1, 3)), ("lost", Fraction(1, 2)))
    assert found.absent == tuple(STARTER_PROFILES)


def test_a_given_profile_is_over_the_chosen_aggregation_unless_it_says_so_itself() -> None:
    given = ["mine : early = 1", "hers over macro_classes: late = 1"]
    *_, mine, hers = risk_profiles(CONTRACT, Aggregation.MACRO_CLIPS, given).profiles
    assert (mine.profile.aggregation, hers.profile.aggregation) == (Aggregation.MACRO_CLIPS, Aggregation.MACRO_CLASSES)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("mine : nobody = 1", "unknown-clause"),
        ("mine : late = -1", "out-of-range"),
        ("mine : late = 0", "out-of-range"),
        ("careful : late = 1", "repeated-name"),
        ("mine late 1", "syntax"),
        ("mine : late = 1\nclause more on ref_onset : pred_onset", "syntax"),
    ],
)
def test_a_given_profile_that_is_none_is_refused_with_its_place(text: str, code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        risk_profiles(CONTRACT, Aggregation.POOLED, [text])
    assert code in {d.code for d in refused.value.diagnostics}
    assert all(d.place is not None for d in refused.value.diagnostics)


# Commands, on stored runs


FILES = {
    "ref.tsv": events("a 1 2 x", "a 4 6 x", "b 2 3 y"),
    "other.tsv": events("a 1 2 x", "a 4 6 x", "b 2 3.5 y"),
    "exact.tsv": events("a 1 2 x", "a 4 6 x", "b 2 3 y"),
    "late.tsv": events("a 1.4 2 x", "a 4.4 6 x", "b 2.4 3 y"),
    "split.tsv": events("a 1 1.3 x", "a 1.7 2 x", "a 4 4.8 x", "a 5.2 6 x", "b 2 3 y"),
    "none.tsv": events(),
    "durations.tsv": "filename\tduration\na\t10\nb\t5\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of three systems, and runs that cannot be compared with them."""
    place = tmp_path_factory.mktemp("systems")
    write(place, FILES)
    for name, ref, pred, more in [
        ("exact", "ref.tsv", "exact.tsv", ()),
        ("late", "ref.tsv", "late.tsv", ()),
        ("split", "ref.tsv", "split.tsv", ()),
        ("nothing", "ref.tsv", "none.tsv", ()),
        ("elsewhere", "other.tsv", "exact.tsv", ()),
        ("wide", "ref.tsv", "late.tsv", ("--set", "tol=80ms")),
        ("union", "ref.tsv", "late.tsv", ("--union",)),
    ]:
        given = ("--ref", ref, "--pred", pred, "--durations", "durations.tsv", "--out", name, *more)
        assert run("score", "boundary_gate", *given, folder=place).code == 0
    return place


def printed(folder: Path, *arguments: str) -> Any:
    found = run(*arguments, "--json", folder=folder)
    assert found.code == 0, found.err
    return json.loads(found.out)


def valid(data: Any, schema: str) -> bool:
    return Draft202012Validator(json.loads(spec_path(f"schemas/{schema}").read_text())).is_valid(data)


@pytest.mark.parametrize(
    ("arguments", "schema"),
    [
        (("profile", "late", "split", "--profile", "mine : onset_guard = 2"), "audit-profile.schema.json"),
        (("audit", "profile", "exact", "late", "split"), "audit-profile.schema.json"),
        (("audit", "selection", "late/report.json", "split"), "audit-selection.schema.json"),
        (("audit", "neutrality", "exact", "late", "--without", "exact"), "audit-neutrality.schema.json"),
    ],
)
def test_what_is_printed_fits_its_schema_and_only_whole(folder: Path, arguments: tuple[str, ...], schema: str) -> None:
    data = printed(folder, *arguments)
    assert valid(data, schema)
    assert not any(valid({k: v for k, v in data.items() if k != key}, schema) for key in data)
    assert not valid({**data, "more": 1}, schema)


@pytest.mark.parametrize(
    ("arguments", "audit"),
    [
        (("profile", "late", "split"), tracepact.audit_profile),
        (("audit", "selection", "late", "split"), tracepact.audit_selection),
        (
            ("audit", "neutrality", "late", "split", "--without", "late"),
            lambda found: tracepact.audit_neutrality(found, ["late"]),
        ),
    ],
)
def test_every_format_says_what_the_audit_called_from_python_does(
    folder: Path, arguments: tuple[str, ...], audit: Callable[[list[Path]], Record]
) -> None:
    found = audit([folder / "late", folder / "split"])
    as_json, as_csv, as_text = (
        run(*arguments, "--format", form, "--csv", f"{form}.csv", folder=folder).out for form in ("json", "csv", "text")
    )
    assert as_json == json_text(found.to_dict())
    assert record_of(json.loads(as_json), type(found)) == found
    assert as_csv == (folder / "csv.csv").read_text() == (folder / "text.csv").read_text()
    assert as_text == run(*arguments, folder=folder).out


def test_profiles_choose_between_a_late_and_a_splitting_system(folder: Path) -> None:
    data = printed(folder, "profile", "late", "split", "--aggregation", "pooled")
    best = {profile["name"]: profile["best"] for profile in data["profiles"]}
    # Late starts miss every onset; pieces miss no edge but break every long event.
    assert best["edge_timing"] == ["split"]
    assert best["event_integrity"] == ["late"]
    assert best["silence_protection"] == ["late", "split"]
    assert data["winners"] == ["late", "split"]
    assert data["dominated"] == []


def test_a_perfect_system_wins_everything_and_leaving_it_out_changes_that(folder: Path) -> None:
    data = printed(folder, "audit", "neutrality", "exact", "late", "split", "--without", "exact")
    for question in data["questions"]:
        assert "exact" in question["all"]["best"]
        assert question["changed"]
    assert data["changed"] == len(data["questions"])
    profiles = printed(folder, "profile", "exact", "late", "split")
    assert {row["system"] for row in profiles["dominated"]} == {"late", "split"}


def test_reports_and_run_directories_say_the_same(folder: Path) -> None:
    by_run = printed(folder, "audit", "selection", "late", "split")
    assert printed(folder, "audit", "selection", "late/report.json", "split/report.json") == by_run


@pytest.mark.parametrize("aggregation", [a.value for a in Aggregation])
def test_values_that_rest_on_vacuous_entries_say_how_far(folder: Path, aggregation: str) -> None:
    """Without predictions nothing is asked of them; the share is that of the report's own counts."""
    data = printed(folder, "audit", "selection", "late", "nothing", "--aggregation", aggregation)
    shares = {row["clause"]: {v["system"]: v["vacuous"] for v in row["values"]} for row in data["coordinates"]}
    for name in ("late", "nothing"):
        report = json.loads((folder / name / "report.json").read_text())
        for row in report["vector"]:
            score = row["scores"][aggregation]
            share = 1 if score["vacuous"] else Fraction(score["vacuous_entries"], score["entries"])
            assert Fraction(shares[row["clause"]][name]) == share
    assert shares["spurious_guard"]["nothing"] == "1"
    compared = printed(folder, "compare", "late", "nothing", "--draws", "20", "--aggregation", aggregation)
    for clause, scores in compared["scores"].items():
        mean = sum(Fraction(share["nothing"]) for share in shares.values()) / len(shares)
        assert Fraction(scores["after"]["vacuous"]) == (
            mean if clause == "logic" else Fraction(shares[clause]["nothing"])
        )


@pytest.mark.parametrize(
    "arguments",
    [
        ("profile", "late", "nothing"),
        ("audit", "selection", "late", "nothing"),
        ("audit", "neutrality", "late", "nothing", "--without", "late"),
        ("compare", "late", "nothing", "--draws", "20"),
    ],
)
def test_the_tables_mark_what_is_vacuous_and_say_what_the_mark_means(folder: Path, arguments: tuple[str, ...]) -> None:
    shown = run(*arguments, "--aggregation", "pooled", folder=folder).out
    scores = [line for line in shown.splitlines() if re.search(r"[01]\.\d{3}|not earned:", line)]
    guarded = [line for line in scores if "spurious_guard" in line or "silence_protection" in line]
    assert guarded
    assert all("∅" in line for line in guarded)
    assert "∅: share of the value that comes from entries without an obligation" in shown


def test_csv_and_figure_are_written_and_the_table_marks_the_best(folder: Path) -> None:
    shown = run("audit", "selection", "late", "split", "--csv", "s.csv", "--figure", "s.svg", folder=folder)
    assert shown.code == 0
    rows = list(csv.DictReader((folder / "s.csv").read_text().splitlines()))
    assert len(rows) == len(GUARDS) * 2
    best = {(row["clause"], row["system"]) for row in rows if row["best"] == "true"}
    assert all((row["rank"] == "1") == ((row["clause"], row["system"]) in best) for row in rows)
    starred = re.search(r"onset_guard\W+([01][\d.]+)(\*?)[^.]+?([01]\.\d+)(\*?)", shown.out)
    assert starred is not None
    assert (starred[2], starred[4]) == ("", "*")
    frames = [box.get("stroke") != "none" for box in ElementTree.parse(folder / "s.svg").findall(".//{*}rect")]
    assert frames == [(row["clause"], row["system"]) in best for row in rows]


def test_two_runs_of_one_name_are_refused_unless_one_is_given_another(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "late").symlink_to(folder / "split")
    found = read_systems([str(folder / "late"), str(folder / "exact")])
    assert found.names == ("late", "exact")
    write(tmp_path, {"split.json": (folder / "split" / "report.json").read_bytes()})
    assert read_systems([str(folder / "late" / "report.json"), str(tmp_path / "split.json")]).names == ("late", "split")
    clash = [str(folder / "late"), str(folder / "late" / "report.json")]
    with pytest.raises(InvalidInput) as caught:
        read_systems(clash)
    (fault,) = caught.value.diagnostics
    assert (fault.code, fault.help) == ("repeated-system", f"give one of them another name: NAME={clash[1]}")
    assert read_systems([clash[0], f"again={clash[1]}"]).names == ("late", "again")
    shown = run("audit", "uncertainty", "late", "other=split", "--format", "json", "--draws", "9", folder=folder)
    assert [system["name"] for system in json.loads(shown.out)["systems"]] == ["late", "other"]


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        (("profile", "exact", "elsewhere"), ["incomparable-runs"]),
        (("profile", "exact/report.json", "elsewhere/report.json"), ["incomparable-runs"]),
        (("profile", "exact", "wide", "union"), ["incomparable-runs", "incomparable-runs"]),
        (("profile", "exact/report.json", "wide/report.json"), ["incomparable-runs"]),
        (("profile", "exact/report.json", "union/report.json"), ["incomparable-runs"]),
        (("profile", "exact", "exact", "late"), ["repeated-system"]),
        (("profile", "exact", "nowhere"), ["not-a-run"]),
        (("profile", "exact", "ref.tsv", "bad.json", "half.json"), ["bad-json", "bad-json"]),
        (("profile", "exact/report.json", "half.json"), ["incomparable-runs"] * 4),
        (("profile", "same.json", "exact"), ["bad-json"]),
        (("audit", "neutrality", "exact", "late", "--without", "lat"), ["unknown-system"]),
        (("audit", "neutrality", "exact", "late", "--without", "late", "--without", "exact"), ["unknown-system"]),
    ],
)
def test_runs_that_cannot_be_compared_are_refused_with_every_reason(
    folder: Path, arguments: tuple[str, ...], codes: list[str]
) -> None:
    report = json.loads((folder / "exact" / "report.json").read_text())
    write(
        folder,
        {
            "bad.json": "[1, 2",
            "half.json": '{"format": "tracepact-report/1"}',
            "same.json": json.dumps({**report, "vector": report["vector"][1:]}),
        },
    )
    found = run(*arguments, folder=folder)
    assert found.code == 2
    assert found.codes == codes


def test_one_run_is_not_enough(folder: Path) -> None:
    found = run("profile", "exact", folder=folder)
    assert (found.code, found.out) == (2, "")
    assert "at least two" in found.err


def test_a_report_that_was_edited_beside_its_manifest_is_refused(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    write(copy, {path.name: path.read_bytes() for path in (folder / "late").iterdir()})
    places = ("audit", "selection", str(copy / "report.json"), "split/report.json")
    assert run(*places, folder=folder).code == 0
    write(copy, {"report.json": (folder / "exact" / "report.json").read_bytes()})
    assert run(*places, folder=folder).codes == ["broken-run"]


@pytest.mark.parametrize("option", [("--csv", "late/scores.csv"), ("--csv", "late/report.md"), ("--figure", "x.png")])
def test_files_of_a_run_and_other_endings_are_not_written(folder: Path, option: tuple[str, str]) -> None:
    before = listing(folder)
    found = run("audit", "selection", "late", "split", *option, folder=folder)
    assert (found.code, found.out) == (2, "")
    assert option[1] in found.err
    assert listing(folder) == before
