"""Trials: scenes that fit the contract, a cast that does what it is named for, and sentences for what is wrong."""

import json
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from cli.command import events, run, write
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

from tracepact import InvalidInput, load_contract, parse_contract, score, starter_contracts, try_contract
from tracepact.author.trial_record import Trial, trial_page, value_table
from tracepact.data.family import Side
from tracepact.evaluate.cast import ALWAYS_ON, PERFECT, SILENT, cast, scenes
from tracepact.evaluate.masks import LONGEST, allowances, measures
from tracepact.wording import decimal

HEAD = "contract tried\nstep 20ms\n"
FAULTY = {
    "a perfect prediction violates `late_only`": "clause late_only on ref_onset : ref_onset -> N[40ms] pred_offset",
    "a perfect prediction violates `halved`": "clause halved on each matched : pred.duration <= 0.5 * ref.duration",
    "a perfect prediction violates `absent`": "clause absent on ref_active : !pred_active",
    "`always on` scores 1 everywhere": (
        "clause heard on ref_active : pred_active\nclause kept on each ref : coverage >= 0.9"
    ),
    "`silent` scores 1 everywhere": "clause caused on pred_active : N[40ms] ref_active",
    "clauses `lit` and `dark` never both hold": (
        "clause lit on ref_active : pred_active\nclause dark on ref_active : !pred_active"
    ),
    "clauses `wide` and `thin` never both hold": (
        "clause wide on each ref : coverage >= 0.9\nclause thin on each ref : coverage <= 0.5"
    ),
    "no system of the cast satisfies `never`": "clause never on ref_onset : pred_active & !pred_active & ref_active",
    "score higher than a perfect prediction": "clause absent on ref_active : !pred_active",
}


def tried(clauses: str, head: str = HEAD) -> Trial:
    return try_contract(head + clauses + "\n")


@pytest.mark.parametrize("name", starter_contracts())
def test_a_starter_contract_gives_no_warning_and_a_perfect_prediction_scores_one(name: str) -> None:
    trial = try_contract(name)
    assert [found.words for found in trial.warnings] == []
    assert {score.value for score in trial.systems[0].scores} == {Fraction(1)}
    assert trial.systems[0].worst is None


@pytest.mark.parametrize("sentence", FAULTY)
def test_each_planted_fault_has_its_sentence(sentence: str) -> None:
    found = [finding.words for finding in tried(FAULTY[sentence]).warnings]
    assert [words for words in found if sentence in words], found


def test_the_faults_of_one_clause_are_not_said_of_another() -> None:
    trial = tried("clause good on ref_onset : N[40ms] pred_onset\nclause bad on ref_active : !pred_active")
    violated = [found.clauses for found in trial.findings if found.kind == "perfect-violates"]
    assert violated == [("bad",)]


# Random contracts

_SOUND = (
    "on ref_onset : N[{t}f] pred_onset",
    "on ref_offset : N[{t}f] pred_offset",
    "on ref_active : N[{t}f] pred_active",
    "on pred_active : N[{t}f] ref_active",
    "on pred_onset : F[-{t}f,{u}f] ref_onset",
    "on each ref : matched and covering <= 1",
    "on each matched : abs(pred.onset - ref.onset) <= {t}f",
    "on each pred : iou >= 0.{t}",
)


@st.composite
def sound_contracts(draw: st.DrawFn) -> str:
    """Contracts of clauses that hold of every perfect prediction, by their form."""
    forms = draw(st.lists(st.sampled_from(_SOUND), min_size=1, max_size=4, unique=True))
    step = draw(st.sampled_from(("10ms", "20ms", "1/3s")))
    gap = draw(st.sampled_from(("0ms", "30ms", "1s")))
    numbers = draw(st.lists(st.integers(1, 9), min_size=2, max_size=2))
    clauses = [f"clause c{k} {form.format(t=numbers[0], u=numbers[1])}" for k, form in enumerate(forms)]
    return "\n".join(["contract drawn", f"step {step}", f"merge_gap {gap}", *clauses, ""])


@settings(max_examples=sized(40))
@given(sound_contracts())
def test_a_sound_contract_is_never_said_to_be_violated_by_perfect_or_to_contradict_itself(text: str) -> None:
    kinds = {found.kind for found in try_contract(text).findings}
    assert kinds.isdisjoint({"perfect-violates", "beats-perfect", "never-together", "never-satisfied"})


@settings(max_examples=sized(40))
@given(sound_contracts(), st.integers(0, 3))
def test_the_values_are_those_of_scoring_each_system(text: str, seed: int) -> None:
    """A system of the trial, scored again by itself from its intervals in seconds."""
    contract = parse_contract(text)
    family = scenes(contract)
    trial = try_contract(text, seed=seed)
    for member, system in zip(cast(contract, family, seed), trial.systems, strict=True):
        sides = []
        for runs in (family.runs[Side.REF], member.predicted):
            clips: dict[str, list[tuple[Fraction, Fraction, str]]] = {clip: [] for clip in family.clips}
            for segment, intervals in runs.items():
                clip, label = family.place(segment)
                clips[clip] += [(a * contract.step, b * contract.step, label) for a, b in intervals]
            sides.append(clips)
        lengths = {clip: n * contract.step for clip, n in zip(family.clips, family.frames, strict=True)}
        again = score(contract, *sides, durations=lengths).vector
        assert {value.clause: value.value for value in system.scores} == again


# Scenes and cast


@settings(max_examples=sized(40))
@given(sound_contracts())
def test_the_scenes_keep_to_the_tolerances(text: str) -> None:
    contract = parse_contract(text)
    lengths, family = measures(contract), scenes(contract)
    assert all(one.frames < lengths.stray for one in allowances(contract))
    assert lengths.hole * contract.step > contract.merge_gap
    for segment, runs in family.runs[Side.REF].items():
        clip, _ = family.place(segment)
        assert all(0 <= a < b <= family.frames_of(segment) for a, b in runs)
        assert all(b - a >= 3 * lengths.stray for a, b in runs)
        gaps = [start - end for (_, end), (start, _) in pairwise(runs)]
        assert all(gap >= lengths.hole for gap in gaps)
        assert clip == "close" or all(gap > 3 * lengths.stray for gap in gaps)


@settings(max_examples=sized(40))
@given(sound_contracts(), st.integers(0, 5))
def test_the_cast_does_what_it_is_named_for(text: str, seed: int) -> None:
    contract = parse_contract(text)
    family = scenes(contract)
    refs = {segment: runs for segment, runs in family.runs[Side.REF].items() if runs}
    members = {member.name: member.predicted for member in cast(contract, family, seed)}
    assert members[PERFECT] == refs
    assert members[SILENT] == {}
    assert members[ALWAYS_ON] == {s: ((0, family.frames_of(s)),) for s in range(family.segments)}

    def frames(runs: dict[int, tuple[tuple[int, int], ...]]) -> int:
        return sum(b - a for some in runs.values() for a, b in some)

    def number(runs: dict[int, tuple[tuple[int, int], ...]]) -> int:
        return sum(map(len, runs.values()))

    assert frames(dict(members["short"])) < frames(refs) < frames(dict(members["long"]))
    assert number(dict(members["split in 2"])) == 2 * number(refs)
    assert number(dict(members["split in 3"])) == 3 * number(refs)
    assert number(dict(members["one extra"])) == number(refs) + 1
    assert number(dict(members["one missed"])) == number(refs) - 1
    assert number(dict(members["merged"])) == len(refs)
    assert frames(dict(members["wrong class"])) == frames(refs)
    for runs in members.values():
        for segment, some in runs.items():
            assert all(0 <= a < b <= family.frames_of(segment) for a, b in some)
    moved = {name for name in members if name[0] in "+-"}
    sizes = {one.frames + d for one in allowances(contract) for d in (-1, 0, 1)} - {0}
    assert len(moved) == 2 * len(sizes)


def test_the_seed_alone_decides_what_is_drawn() -> None:
    first, again, other = (try_contract("boundary_gate", seed=seed) for seed in (1, 1, 2))
    assert first == again
    changed = [a.name for a, b in zip(first.systems, other.systems, strict=True) if a.lanes != b.lanes]
    assert changed == ["jittered"]


def test_a_contract_of_one_class_has_nothing_of_a_wrong_one() -> None:
    trial = tried("labels dog\nclause onset on ref_onset : N[40ms] pred_onset")
    assert "wrong class" not in [system.name for system in trial.systems]


def test_declared_atoms_are_tried_on_and_off() -> None:
    trial = tried('atom zone "z"\nclause inside on ref_active & zone : pred_active')
    assert [scene.name for scene in trial.scenes][5:] == [f"{s.name} (atoms on)" for s in trial.scenes[:5]]
    perfect = trial.systems[0].scores[0]
    assert 0 < perfect.obligated == perfect.satisfied


def test_a_window_too_long_for_scenes_is_left_out_and_said() -> None:
    trial = tried(f"clause a on ref_onset : F[{LONGEST + 1}f] pred_onset\nclause b on ref_onset : F[2f] pred_onset")
    assert [(one.frames, one.tried) for one in trial.tolerances] == [(2, True), (LONGEST + 1, False)]


# Given references


def test_the_cast_is_played_on_given_references() -> None:
    trial = try_contract("boundary_gate", {"x": [(1, 2, "dog")], "y": []}, durations=4)
    assert trial.given
    assert [(scene.name, scene.frames, scene.events) for scene in trial.scenes] == [("x", 200, 1), ("y", 200, 0)]
    assert trial.warnings == ()


def test_given_references_have_no_declared_atoms() -> None:
    with pytest.raises(InvalidInput, match="zone"):
        try_contract(f'{HEAD}atom zone "z"\nclause a on zone : pred_active\n', [(1, 2)], durations=3)


# The command


def test_the_command_writes_page_data_and_rows(tmp_path: Path) -> None:
    write(tmp_path, {"a.contract": HEAD + "clause heard on ref_active : pred_active\n"})
    done = run("try", "a.contract", "--out", "out", folder=tmp_path)
    assert done.code == 0
    assert "warning: no clause notices" in done.out
    page = (tmp_path / "out" / "trial.html").read_text()
    assert "<svg" in page
    assert " style=" not in page.split("</style>")[1]
    assert json.loads((tmp_path / "out" / "trial.json").read_text())["contract"] == "tried"
    rows = (tmp_path / "out" / "trial.csv").read_text().splitlines()
    assert len(rows) == 1 + len(json.loads(run("try", "a.contract", "--json", folder=tmp_path).out)["systems"])


def test_every_system_has_its_value_under_every_profile() -> None:
    """The table has a column for each profile behind the clauses, and the page has them in the figure of values."""
    trial = try_contract("boundary_gate")
    table = value_table(trial)
    names = [profile.name for profile in trial.profiles]
    assert [column.heading for column in table.columns][-len(names) :] == names
    for row, system in zip(table.rows, trial.systems, strict=True):
        assert row[-len(names) :] == [decimal(profile.values[system.name].value) for profile in trial.profiles]
    drawn = re.findall("<svg.*?</svg>", trial_page(trial), re.DOTALL)
    (figure,) = (one for one in drawn if "Values by system, clause and profile" in one)
    assert all(f"profile {name}" in figure for name in names)
    cells, width = re.findall(r">(–|[\d.]+)</text>", figure), len(trial.orders) + len(names)
    assert len(cells) == width * len(trial.systems)
    for row, system in enumerate(trial.systems):
        shown = [decimal(profile.values[system.name].value, 2) for profile in trial.profiles]
        assert cells[(row + 1) * width - len(names) : (row + 1) * width] == shown


def test_fail_on_makes_findings_an_exit_code(tmp_path: Path) -> None:
    write(tmp_path, {"a.contract": HEAD + "clause heard on ref_active : pred_active\n", "r.tsv": events("x 1 2 dog")})
    assert run("try", "a.contract", "--fail-on", "warning", folder=tmp_path).code == 2
    assert run("try", "boundary_gate", "--fail-on", "warning").code == 0
    assert run("try", "a.contract", "--durations", "3", folder=tmp_path).code == 2
    given = run("try", "boundary_gate", "--ref", "r.tsv", "--durations", "3", folder=tmp_path)
    assert (given.code, given.codes) == (0, [])


def test_a_name_is_text_on_the_page() -> None:
    contract = load_contract("boundary_gate")
    trial = try_contract(contract, {"<b>": [(1, 2, "<i>")]}, durations=4)
    assert "<b>" not in trial_page(trial)
    assert "<i>" not in trial_page(trial)
