"""Family certificates: the kernel accepts the vector that tables score under a contract, and no other."""

import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from tracepact import Mode, Run, load_contract, parse_contract, score, starter_contracts
from tracepact.specs import spec_path
from tracepact.tools.prove.build import Build
from tracepact.tools.prove.family import FamilyCertificate, family_certificate, left_out
from tracepact.tools.prove.prove import axioms_of

RICH = """\
contract rich
step 30ms
merge_gap 60ms
projection {projection}
matcher greedy(search = 150ms, overlap_reward = 1/3)
clause near     on ref_onset    : ref_onset -> N[60ms] pred_onset
clause held     on ref_active   : ref_active U[90ms] pred_active
clause covered  on each ref     : coverage >= 0.4 and longest_gap <= 90ms
clause whole    on each pred    : not (ref.duration > pred.duration) or purity == 1
clause timely   on each matched : abs(pred.onset - ref.onset) <= 45ms and iou >= 0.25
"""


def _certificate(run: Run) -> FamilyCertificate:
    durations = run.durations
    assert not isinstance(durations, Fraction)
    return family_certificate(run.card, run.reference, run.prediction, durations.clips)


def _accepted(core: Build, file: Path, certificate: FamilyCertificate) -> bool:
    file.write_text(certificate.text, "utf-8")
    outcome = core.run(file)
    return outcome.clean and axioms_of(outcome).get("Tracepact.Certificate.scores") == ()


def _events(draw: random.Random, labels: str = "x") -> list[tuple[str, str, str]]:
    """Events with times to the millisecond that overlap, touch and vanish."""
    found = []
    for _ in range(draw.randint(0, 4)):
        onset = draw.randint(0, 1800)
        offset = min(onset + draw.choice((0, 5, 30, 200, 500)), 2000)
        found.append((f"{onset / 1000}", f"{offset / 1000}", draw.choice(labels)))
    return found


def _random_run(projection: str, mode: Mode, seed: int) -> Run:
    draw = random.Random(seed)
    tables = [{clip: _events(draw, "xy") for clip in "abc"} for _ in range(2)]
    contract = parse_contract(RICH.format(projection=projection))
    return score(contract, *tables, durations=dict.fromkeys("abc", "2.01"), mode=mode)


@pytest.mark.parametrize(
    ("projection", "mode"),
    [("centre", Mode.CLASS_INDEXED), ("touch", Mode.UNION), ("inside", Mode.CLASS_INDEXED)],
)
def test_the_vector_of_tables_is_certified_from_their_times(
    projection: str, mode: Mode, core: Build, lean_file: Path
) -> None:
    run = _random_run(projection, mode, 3)
    assert len(run.card.contract.clauses) == 5
    assert _accepted(core, lean_file, _certificate(run))


def test_the_seven_starter_guards_of_the_demo_are_certified(core: Build, lean_file: Path) -> None:
    demo = spec_path("demo")
    run = score(
        load_contract(starter_contracts()["boundary_gate"]),
        demo / "reference.tsv",
        demo / "over_firing.tsv",
        durations=demo / "durations.tsv",
        mode=Mode.UNION,
    )
    assert len(run.card.contract.clauses) == 7
    assert _accepted(core, lean_file, _certificate(run))


def _one_more_satisfied(text: str) -> str:
    """The pooled count of the first clause."""
    head, _, vector = text.partition("def vector : List ClauseScore := (.cons ⟨⟨")
    count, _, rest = vector.partition(",")
    return f"{head}def vector : List ClauseScore := (.cons ⟨⟨{int(count) + 1},{rest}"


def _another_mean(text: str) -> str:
    head, _, vector = text.partition("def vector : List ClauseScore := ")
    first, _, rest = vector.partition("⟩ (.cons")
    start, _, denominator = first.rpartition(", ")
    return f"{head}def vector : List ClauseScore := {start}, {int(denominator) + 1}⟩ (.cons{rest}"


def _an_event_moved(text: str) -> str:
    """The event of the reference starts a frame later; hints, counts and vector stay. Times are in units of 10 ms."""
    return text.replace("def clip1 : Sides := ⟨201, (.cons ⟨30, 90⟩", "def clip1 : Sides := ⟨201, (.cons ⟨33, 90⟩")


def _a_tighter_guard(text: str) -> str:
    return text.replace("(.negSucc 1) (.ofNat 2)", "(.negSucc 0) (.ofNat 1)", 1)


@pytest.mark.parametrize("wrong", [_one_more_satisfied, _another_mean, _an_event_moved, _a_tighter_guard])
def test_a_wrong_count_mean_time_or_contract_is_refused(
    wrong: Callable[[str], str], core: Build, lean_file: Path
) -> None:
    certificate = _certificate(_known_run())
    changed = FamilyCertificate(wrong(certificate.text), certificate.theorems)
    assert changed.text != certificate.text
    assert _accepted(core, lean_file, certificate)
    assert not _accepted(core, lean_file, changed)


def _known_run() -> Run:
    """One clip; the prediction's onset is two frames late, so that a guard of one frame would count otherwise."""
    contract = parse_contract(RICH.format(projection="centre"))
    reference, prediction = {"a": [("0.3", "0.9", "x")]}, {"a": [("0.36", "0.9", "x")]}
    return score(contract, reference, prediction, durations={"a": "2.01"})


def test_what_a_certificate_has_no_words_for_is_said() -> None:
    text = "contract other\nstep 20ms\nclause quiet on ref_active : other_ref_active -> pred_active\n"
    run = score(parse_contract(text), {"a": [("0", "1", "x")]}, {"a": [("0", "1", "y")]}, durations={"a": 1})
    assert left_out(run.card) == "atoms other than the six of the boundary (other_ref_active)"
    with pytest.raises(ValueError, match="other_ref_active"):
        _certificate(run)
