"""Family certificates: the kernel accepts the vector that tables score under a contract, and no other."""

import random
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from prove.copies import lean_says

from tracepact import Mode, Run, load_contract, parse_contract, score, starter_contracts
from tracepact.declarations import spec_path
from tracepact.prove.build import Build
from tracepact.prove.core import axioms_of, is_vector_certificate, recheck_vector
from tracepact.prove.family import AGGREGATIONS, FamilyCertificate, family_certificate, left_out

pytestmark = pytest.mark.slow

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


def _accepted(core: Build, certificate: FamilyCertificate) -> bool:
    outcome = lean_says(core, certificate.text)
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
def test_the_vector_of_tables_is_certified_from_their_times(projection: str, mode: Mode, core: Build) -> None:
    run = _random_run(projection, mode, 3)
    assert len(run.card.contract.clauses) == 5
    assert _accepted(core, _certificate(run))


def test_the_seven_starter_guards_of_the_demo_are_certified(core: Build) -> None:
    demo = spec_path("demo")
    run = score(
        load_contract(starter_contracts()["boundary_gate"]),
        demo / "reference.tsv",
        demo / "over_firing.tsv",
        durations=demo / "durations.tsv",
        mode=Mode.UNION,
    )
    assert len(run.card.contract.clauses) == 7
    assert _accepted(core, _certificate(run))


FOUR = """\
contract four
step 10ms
clause timely on ref_onset       : ref_onset -> N[20ms] pred_onset
clause paired on each matched    : iou >= 0.5
"""


def _four_clips() -> Run:
    """Three classes and four clips; of class z there is one prediction and no reference."""
    reference = {
        "a": [("0.1", "0.4", "x")],
        "b": [("0.2", "0.5", "x"), ("0.7", "0.9", "x")],
        "c": [("0.5", "0.6", "y")],
        "d": [("0.1", "0.4", "x")],
    }
    prediction = {
        "a": [("0.12", "0.3", "x")],
        "b": [("0.3", "0.5", "x"), ("0.6", "0.7", "z")],
        "c": [("0.5", "0.6", "y")],
        "d": [("0.12", "0.3", "x")],
    }
    return score(parse_contract(FOUR), reference, prediction, durations=dict.fromkeys("abcd", "1"))


def test_every_mean_of_the_vector_is_the_scorecards() -> None:
    run = _four_clips()
    vector = _certificate(run).text.partition("def vector : List ClauseScore := ")[2].partition("\n")[0]
    stated = [tuple(map(int, pair)) for pair in re.findall(r"⟨(\d+), (\d+)⟩", vector)]
    expected = [run.card.score(c.name, how).value for c in run.card.contract.clauses for how in AGGREGATIONS[1:]]
    assert stated == [value.as_integer_ratio() for value in expected]
    timely = [run.card.score("timely", how).value for how in AGGREGATIONS]
    assert len(set(timely)) == len(timely)


def test_clips_with_the_same_tables_are_one_item() -> None:
    text = _certificate(_four_clips()).text
    assert text.count("(.cons ⟨1, ⟨") == 1
    assert "  -- clips 1, 4\n" in text
    assert "  -- clips 1, 3 to 4\n" in text


def _vector_of(change: Callable[[str], str]) -> Callable[[str], str]:
    def changed(text: str) -> str:
        head, mark, rest = text.partition("def vector : List ClauseScore := ")
        vector, end, more = rest.partition("\n")
        return head + mark + change(vector) + end + more

    return changed


def _one_more(vector: str, place: int) -> str:
    """The number at a place is one greater."""
    numbers = list(re.finditer(r"\d+", vector))
    at = numbers[place]
    return vector[: at.start()] + str(int(at.group()) + 1) + vector[at.end() :]


def _first(pattern: str, new: str) -> Callable[[str], str]:
    return lambda text: re.sub(pattern, new, text, count=1, flags=re.MULTILINE)


def _repeated_clip(text: str) -> str:
    """The first item of the first block once more."""
    item = re.search(r"^  \(\.cons ⟨.*\n", text, re.MULTILINE)
    assert item is not None
    twice = text.replace(item.group(), item.group() * 2, 1)
    block, end, rest = twice.partition("\ndef tally1_1")
    return f"{block}){end}{rest}"


FALSE = {
    "one more satisfied": _vector_of(lambda vector: _one_more(vector, 0)),
    "one more obliged": _vector_of(lambda vector: _one_more(vector, 1)),
    "another mean over clips": _vector_of(lambda vector: _one_more(vector, 3)),
    "another mean over classes": _vector_of(lambda vector: _one_more(vector, 5)),
    "another informative mean": _vector_of(lambda vector: _one_more(vector, 7)),
    "the means over classes exchanged": _vector_of(
        lambda v: re.sub(r"(⟨\d+, \d+⟩), (⟨\d+, \d+⟩)⟩", r"\2, \1⟩", v, count=1)
    ),
    "an event moved by a frame": _first(r"⟨10, 40⟩", "⟨9, 40⟩"),
    "a shorter clip": _first(r"⟨100, \(\.cons ⟨10, 40⟩", "⟨10, (.cons ⟨10, 40⟩"),
    "a tighter guard": _first(r"\(\.negSucc 1\) \(\.ofNat 2\)", "(.negSucc 0) (.ofNat 1)"),
    "a clip more": _first(r"\(\.cons ⟨1, ⟨", "(.cons ⟨2, ⟨"),
    "a clip twice": _repeated_clip,
    "too few folds": _first(r"tallied_certified contract 7 ", "tallied_certified contract 6 "),
    "another tally": _first(r"def tally1_1 : ClassTally := ⟨\(\.cons ⟨\d+", "def tally1_1 : ClassTally := ⟨(.cons ⟨9"),
    "a class twice": _first(r"\(\.cons class1 \(\.cons class2", "(.cons class1 (.cons class1"),
    "other clips in number": _first(r"contract family 4 ", "contract family 3 "),
}


@pytest.mark.parametrize("name", FALSE)
def test_what_the_tables_do_not_score_is_refused(name: str, core: Build) -> None:
    certificate = _certificate(_four_clips())
    changed = FamilyCertificate(FALSE[name](certificate.text), certificate.theorems)
    assert changed.text != certificate.text
    assert not _accepted(core, changed)


def test_what_the_tables_score_is_accepted(core: Build) -> None:
    assert _accepted(core, _certificate(_four_clips()))


def _exchanged(text: str) -> str:
    """The first two items of the first block in the other order: true, and not what certify writes."""
    return re.sub(r"(  -- .*\n  \(\.cons ⟨.*\n)(  -- .*\n  \(\.cons ⟨.*\n)", r"\2\1", text, count=1)


def _renamed(text: str) -> str:
    return text.replace("-- clip 1: 'a'", "-- clip 1: 'b'")


def _assumed(text: str) -> str:
    return text.replace("theorem scores", "axiom cheat : False\ntheorem scores").replace(
        "vector_certified", "cheat.elim"
    )


FORGED = {**FALSE, "clips exchanged": _exchanged, "clips renamed": _renamed, "an axiom": _assumed}
FORGED["cut"] = lambda text: text[: text.index("theorem scores")]
FORGED["empty"] = lambda _: ""
FORGED["other line ends"] = lambda text: text.replace("\n", "\r\n")
FORGED["more behind the end"] = lambda text: text + "-- more\n"


@pytest.mark.parametrize("name", FORGED)
def test_recheck_refuses_what_is_not_the_certificate_of_the_tables(name: str, core: Build, lean_file: Path) -> None:
    """No forgery reaches the kernel: the file is compared with what the contract and the tables give."""
    run = _four_clips()
    text = _certificate(run).text
    assert FORGED[name](text) != text
    lean_file.write_text(FORGED[name](text), "utf-8", newline="")
    found = recheck_vector(run, core, lean_file)
    assert found.refused == "it is not the certificate of the contract and the tables given"
    assert found.theorems == 0


def test_recheck_refuses_what_is_not_text(core: Build, lean_file: Path) -> None:
    lean_file.write_bytes(b"import Tracepact.Thm.Vector\n\xff")
    assert is_vector_certificate(lean_file)
    assert recheck_vector(_four_clips(), core, lean_file).refused is not None


def test_recheck_refuses_the_certificate_of_another_contract_and_accepts_its_own(core: Build, lean_file: Path) -> None:
    run = _four_clips()
    lean_file.write_text(_certificate(run).text, "utf-8")
    other = score(
        parse_contract(FOUR.replace("20ms", "30ms")),
        run.reference,
        run.prediction,
        durations=dict.fromkeys("abcd", "1"),
    )
    assert recheck_vector(other, core, lean_file).refused is not None
    found = recheck_vector(run, core, lean_file)
    assert found.refused is None
    assert found.theorems == len(_certificate(run).theorems)


def test_many_clips_are_several_blocks_that_come_to_one_tally(core: Build) -> None:
    """Clips of several lengths, a fifth of them silent; more than a block holds."""
    draw = random.Random(5)
    names = [f"c{number}" for number in range(45)]
    tables = [{clip: _events(draw, "x") if number % 5 else [] for number, clip in enumerate(names)} for _ in range(2)]
    durations = {clip: draw.choice(("2.01", "2.5", "7")) for clip in names}
    run = score(parse_contract(RICH.format(projection="centre")), *tables, durations=durations)
    certificate = _certificate(run)
    assert "ClassTally.plus tally1_1" in certificate.text
    assert _accepted(core, certificate)


def test_what_a_certificate_has_no_words_for_is_said() -> None:
    text = "contract other\nstep 20ms\nclause quiet on ref_active : other_ref_active -> pred_active\n"
    run = score(parse_contract(text), {"a": [("0", "1", "x")]}, {"a": [("0", "1", "y")]}, durations={"a": 1})
    assert left_out(run.card) == "atoms other than the six of the boundary (other_ref_active)"
    with pytest.raises(ValueError, match="other_ref_active"):
        _certificate(run)


def test_a_declared_aggregation_that_is_not_stated_is_said() -> None:
    text = FOUR.replace("step 10ms", "step 10ms\naggregate macro_clips_informative")
    run = score(parse_contract(text), {"a": [("0", "1", "x")]}, {"a": [("0", "1", "y")]}, durations={"a": 1})
    assert left_out(run.card) == "the aggregation that the contract declares, macro_clips_informative"
