"""The order of a selection: its certificate is accepted, and nothing that is not true of it."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from cli.command import run
from hypothesis import strategies as st
from msgspec.structs import replace
from prove.copies import lean_says
from prove.test_differential import EXAMPLES, Statements, drawn

from tracepact.diagnostics.collection import InvalidInput
from tracepact.files import json_text
from tracepact.prove.build import Build
from tracepact.prove.certificates import certify_order, order_certificate, recheck_order
from tracepact.prove.text import lean_bool, lean_list
from tracepact.records import plain
from tracepact.selection.files import ClaimedCase, ClaimedEvent, OrderClaim, read_claim

pytestmark = pytest.mark.slow

CONTRACT = """\
contract two "An onset, and one prediction for one event"
step 100ms
aggregate macro_clips
matcher greedy(search = 200ms, overlap_reward = 0)
clause onset on ref_onset : ref_onset -> N[100ms] pred_onset
clause whole on each ref : matched and covering <= 1
profile harm : onset = 1, whole = 3
"""


def events(*times: tuple[str, str]) -> tuple[ClaimedEvent, ...]:
    return tuple(ClaimedEvent(Fraction(a), Fraction(b), "a") for a, b in times)


REF = events(("1", "2"), ("3", "4"))
CASES = (
    ClaimedCase("perfect", Fraction(5), REF, REF),
    # One onset of two is 300 ms late: 1/2 and 1 give (1/2 + 3) / 4 = 7/8.
    ClaimedCase("late", Fraction(5), REF, events(("1.3", "2"), ("3", "4"))),
    # Both onsets are there, one event is in two pieces: 1 and 1/2 give (1 + 3/2) / 4 = 5/8.
    ClaimedCase("split", Fraction(5), REF, events(("1", "1.4"), ("1.6", "2"), ("3", "4"))),
)
CLAIM = OrderClaim(CONTRACT, "harm", Fraction(1, 8), CASES, ((1, 0), (2, 0), (2, 1)))
"""Perfect is 1, late 7/8, split 5/8: the least difference is 1/8."""


def test_the_values_and_the_order_are_certified_from_the_cases_own_times(core: Build, tmp_path: Path) -> None:
    found, stated = certify_order(CLAIM, "claim", core, tmp_path / "order.lean")
    assert found.refused is None
    assert stated.values == ((1, 1), (Fraction(1, 2), 1), (1, Fraction(1, 2)))
    assert stated.weights == (1, 3)
    assert found.theorems == len(stated.theorems) == 3 * 3 + 2
    assert recheck_order(CLAIM, "claim", core, tmp_path / "order.lean")[0].refused is None


FALSE: dict[str, Callable[[OrderClaim], OrderClaim]] = {
    "a larger margin": lambda c: replace(c, margin=Fraction(1, 8) + Fraction(1, 10**9)),
    "a pair the other way round": lambda c: replace(c, pairs=((1, 0), (1, 2))),
    "other weights": lambda c: replace(c, contract=c.contract.replace("onset = 1, whole = 3", "onset = 3, whole = 1")),
    "a case that is less bad": lambda c: replace(c, cases=(*CASES[:2], replace(CASES[2], pred=REF))),
    "another tolerance": lambda c: replace(c, contract=c.contract.replace("N[100ms]", "N[300ms]")),
}


@pytest.mark.parametrize("name", FALSE)
def test_the_kernel_refuses_an_order_that_is_not_kept(name: str, core: Build, tmp_path: Path) -> None:
    assert certify_order(FALSE[name](CLAIM), "claim", core, tmp_path / "order.lean")[0].refused is not None


FORGED = {
    "a table of better values": (
        "def table : List (List Nat) := (.cons (.cons 8 ",
        "def table : List (List Nat) := (.cons (.cons 9 ",
    ),
    "no pair at all": ("(.cons ⟨1, 0⟩ (.cons ⟨2, 0⟩ (.cons ⟨2, 1⟩ .nil)))", ".nil"),
    "a smaller margin": ("def least_margin : Nat := 4", "def least_margin : Nat := 1"),
    "an axiom": ("theorem keeps", "axiom no : False\ntheorem keeps"),
    "another event": ("⟨13, 20⟩", "⟨11, 20⟩"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_kept_certificate_that_was_changed_is_refused(name: str, core: Build, tmp_path: Path) -> None:
    file = tmp_path / "order.lean"
    text = order_certificate(CLAIM, "claim").text
    old, new = FORGED[name]
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), "utf-8")
    found, _ = recheck_order(CLAIM, "claim", core, file)
    assert found.refused == "it is not the certificate of the selection given"


@pytest.mark.parametrize("name", ["a table of better values", "another event"])
def test_the_kernel_refuses_a_certificate_with_other_values(name: str, core: Build) -> None:
    """Without the comparison: the kernel computes the values itself."""
    text = order_certificate(CLAIM, "claim").text
    assert lean_says(core, text).clean
    assert not lean_says(core, text.replace(*FORGED[name])).clean


def test_a_sum_ordered_by_python_is_ordered_by_lean(core: Build) -> None:
    stated = Statements()
    numbers = st.integers(0, 5)
    row = st.lists(numbers, min_size=2, max_size=2)
    pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=3)
    asked = st.tuples(row, st.integers(0, 3), st.lists(row, min_size=3, max_size=3), pairs)
    verdicts = set()
    for weights, margin, table, wanted in drawn(asked, EXAMPLES):
        sums = [sum(w * v for w, v in zip(weights, r, strict=True)) for r in table]
        holds = margin > 0 and all(w < 3 and b < 3 and sums[w] + margin <= sums[b] for w, b in wanted)
        verdicts.add(holds)
        rows = lean_list(lean_list(map(str, r)) for r in table)
        places = lean_list(f"⟨{w}, {b}⟩" for w, b in wanted)
        left = f"checkOrder {lean_list(map(str, weights))} {margin} {rows} {places}"
        stated.state(left, lean_bool(holds), (weights, margin, table, wanted))
    assert verdicts == {False, True}
    stated.check(core)


def test_a_case_without_events_has_one_empty_class(core: Build, tmp_path: Path) -> None:
    silent = ClaimedCase("silent", Fraction(5), (), ())
    claim = replace(CLAIM, cases=(*CASES, silent), pairs=((2, 3),))
    found, stated = certify_order(claim, "claim", core, tmp_path / "order.lean")
    assert found.refused is None
    assert stated.values[3] == (1, 1)


BAD: dict[str, Callable[[OrderClaim], OrderClaim]] = {
    "there is no case 7": lambda c: replace(c, pairs=((7, 0),)),
    "paired with itself": lambda c: replace(c, pairs=((1, 1),)),
    "orders nothing": lambda c: replace(c, margin=Fraction(0)),
    "two cases are called": lambda c: replace(c, cases=(CASES[0], replace(CASES[1], name="perfect"))),
    "ends after it": lambda c: replace(c, cases=(CASES[0], replace(CASES[1], duration=Fraction(3)))),
    "has no length": lambda c: replace(c, cases=(CASES[0], replace(CASES[1], pred=events(("2", "2"))))),
    "length >= 1": lambda c: replace(c, pairs=()),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_claim_that_makes_no_sense_is_invalid_input(fault: str, tmp_path: Path) -> None:
    file = tmp_path / "order.json"
    file.write_text(json_text(plain(BAD[fault](CLAIM))), "utf-8")
    with pytest.raises(InvalidInput, match=fault):
        read_claim(file)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"contract": 3}', "[" * 100_000, "\x00"])
def test_a_file_that_is_no_claim_is_invalid_input(text: str, tmp_path: Path) -> None:
    (tmp_path / "order.json").write_text(text, "utf-8")
    with pytest.raises(InvalidInput, match="not the claim of a selection"):
        read_claim(tmp_path)


def test_a_profile_that_is_not_there_and_an_optimal_matcher_are_invalid_input() -> None:
    with pytest.raises(InvalidInput, match="there is no profile `risk`"):
        order_certificate(replace(CLAIM, profile="risk"), "claim")
    with pytest.raises(InvalidInput, match="the optimal matcher"):
        order_certificate(replace(CLAIM, contract=CONTRACT.replace("greedy", "optimal")), "claim")


def test_the_order_of_a_selection_is_certified_by_the_command(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACEPACT_CACHE", str(cache))
    folder = tmp_path / "selected"
    calibration = tmp_path / "small.calibration"
    calibration.write_text(
        'step = "100ms"\ncases = [\n  {name = "fine", rank = 0, edit = "none"},\n'
        '  {name = "late", rank = 1, edit = "late_onset", by = "300ms"},\n'
        '  {name = "gone", rank = 2, edit = "missing", event = 1},\n]\n'
        '[reference.one]\nduration = "5s"\nevents = [["1s", "2s"], ["3s", "4s"]]\n',
        "utf-8",
    )
    assert run("select", str(calibration), "--out", str(folder)).code == 0
    outcome = run("certify", "--selection", str(folder))
    assert outcome.code == 0, outcome.err
    # Three cases of the set, and the three useless systems that would reach one of them without a second clause.
    assert "certified: the values of 6 cases" in outcome.out
    assert run("certify", "--selection", str(folder), "--recheck", str(folder / "order.lean")).code == 0
    claim = read_claim(folder)
    (folder / "order.json").write_text(json_text(plain(replace(claim, margin=Fraction(999, 1000)))), "utf-8")
    assert run("certify", "--selection", str(folder)).code == 1
    assert run("certify", "--recheck", str(folder / "order.lean")).code == 2
    assert run("certify", "boundary_gate", "--selection", str(folder)).code == 2
