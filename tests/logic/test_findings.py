"""What check claims about random contracts is true, and what it does not claim is not: both by enumeration."""

import os
import random
import re
from fractions import Fraction
from functools import reduce
from itertools import combinations

import pytest
from logic.first_models import first_model

from tracepact.diagnostics.findings import Diagnostic, TextPlace
from tracepact.language.compilation import parse_contract, parse_formula
from tracepact.language.contract import FrameClause, Located
from tracepact.language.formula import And, Formula, Iff, Implies, Not, Or
from tracepact.logic.catalogue import Universe
from tracepact.logic.contract_findings import check_contract
from tracepact.logic.decisions import bound
from tracepact.logic.models import over_base_atoms, renamed

CONTRACTS = max(300, int(os.environ["TRACEPACT_EXAMPLES"]))
MOST_FRAMES = 8
NEVER = {"obligation-never-occurs", "clause-never-fails", "clause-never-holds"}


def possible(formula: Formula) -> bool:
    """Whether some trace has a frame where it holds: all traces up to the bound and one frame beyond."""
    return first_model(formula, range(1, bound(formula) + 2)) is not None


def small(*formulas: Formula) -> bool:
    return all(bound(formula) <= MOST_FRAMES for formula in formulas)


def random_contract(generator: random.Random) -> str:
    """Two or three frame clauses with bounds on the grid; about a third repeats or mirrors an earlier one."""
    lines = ["contract drawn", "step 20ms"]
    bodies: list[tuple[str, str]] = []
    for number in range(generator.randint(2, 3)):
        if bodies and generator.random() < 0.35:
            duty, body = generator.choice(bodies)
            body = generator.choice([body, f"!!({body})", f"({body}) & N[1f] true", f"({body}) | {duty}"])
        else:
            duty = generator.choice([*_ATOMS, _formula(generator, 1)])
            right = _formula(generator, 2)
            given = generator.choice([duty, duty, generator.choice(_ATOMS)])
            body = generator.choice([f"{given} -> {right}", f"({given}) -> ({right})", right])
        bodies.append((duty, body))
        lines.append(f"clause c{number} on {duty} : {body}")
    return "\n".join(lines) + "\n"


_ATOMS = ("ref_active", "ref_onset", "ref_offset", "pred_active", "pred_onset", "pred_offset")


def _formula(generator: random.Random, depth: int) -> str:
    if depth == 0 or generator.random() < 0.2:
        return generator.choice(_ATOMS)
    first, second = _formula(generator, depth - 1), _formula(generator, depth - 1)
    lo = generator.randint(-1, 1)
    return generator.choice(
        [
            f"!({first})",
            f"({first} & {second})",
            f"({first} | {second})",
            f"N[{generator.randint(0, 1)}f] ({first})",
            f"F[{lo}f,{lo + generator.randint(0, 1)}f] ({first})",
            f"G[{lo}f,{lo + generator.randint(0, 1)}f] ({first})",
            f"(({first}) U[1f] ({second}))",
            f"(({first}) S[1f] ({second}))",
        ]
    )


def is_true(d: Diagnostic, clauses: dict[str, FrameClause], text: str) -> bool:
    """Whether a warning's claim holds, decided without the solver."""
    assert isinstance(d.place, TextPlace)
    named = [clauses[name] for name in re.findall(r"`(c\d)`", d.headline)]
    if d.code in ("constant-prediction-passes", "redundant-part"):
        return passes(clauses, active="always on" in d.headline) if "notices" in d.headline else can_go(d, clauses)
    if d.code == "fault-unnoticed":
        return True  # the scene that it shows is scored in `test_fault_scenes`
    written = parse_formula(text[d.place.span.start : d.place.span.end], Fraction(1, 50))
    match d.code:
        case "obligation-never-occurs":
            return not possible(named[0].obligation)
        case "clause-never-fails":
            return not possible(And(named[0].obligation, Not(named[0].formula)))
        case "clause-never-holds":
            return not possible(And(named[0].obligation, named[0].formula))
        case "constant-formula":
            return not possible(written if "is false at" in d.headline else Not(written))
        case "clauses-equivalent":
            *others, first = named
            return all(
                not possible(Not(Iff(first.obligation, other.obligation)))
                and not possible(And(first.obligation, Not(Iff(first.formula, other.formula))))
                for other in others
            )
        case "ignores-prediction":
            return settled_by_reference(named[0])
        case "perfect-prediction-fails":
            return possible(perfect(And(named[0].obligation, Not(named[0].formula))))
        case "clauses-clash":
            return clash(named)
        case "vacuous-implication":
            formula = named[0].formula
            assert isinstance(formula, Implies)
            idle = Not(formula.left)
            while isinstance(formula.right, Implies):
                formula = formula.right
                idle = Not(And(Not(idle), formula.left))
            return possible(And(named[0].obligation, idle))
    raise AssertionError(f"unexpected {d}")


def perfect(formula: Formula) -> Formula:
    """The same question about a prediction that is the reference, written anew."""
    return renamed(formula, lambda name: {"pred": "ref", "ref": "ref"}[name.split("_")[0]] + "_" + name.split("_")[1])


def clash(clauses: list[FrameClause]) -> bool:
    """Whether no frame where all are obliged has all, though each lot of all but one holds at some."""
    obliged = reduce(And, [clause.obligation for clause in clauses])
    formulas = [clause.formula for clause in clauses]
    return not possible(And(obliged, reduce(And, formulas))) and all(
        possible(And(obliged, reduce(And, some))) for some in combinations(formulas, len(formulas) - 1)
    )


def passes(clauses: dict[str, FrameClause], *, active: bool) -> bool:
    """Whether no trace of up to seven frames with such a prediction violates a clause."""
    for frames in range(1, MOST_FRAMES):
        universe = Universe(("ref_active", "pred_active"), frames)
        constant = sum(1 << (((1 << frames) - 1) << frames | ref if active else ref) for ref in range(1 << frames))
        for clause in clauses.values():
            violated = universe.truth(over_base_atoms(And(clause.obligation, Not(clause.formula))))
            if any(mask & constant for mask in violated):
                return False
    return True


def can_go(d: Diagnostic, clauses: dict[str, FrameClause]) -> bool:
    """Whether some conjunction or disjunction around the place means the same without that part."""
    assert isinstance(d.place, TextPlace)
    for clause in clauses.values():
        for around in (*clause.duty.everywhere(), *clause.body.everywhere()):
            if isinstance(around.formula, And | Or):
                kind = type(around.formula)
                parts = operands(around, kind)
                rest = [part.formula for part in parts if part.span != d.place.span]
                if len(rest) == len(parts) - 1 and not possible(Not(Iff(around.formula, reduce(kind, rest)))):
                    return True
    return False


def operands(located: Located, kind: type) -> list[Located]:
    if isinstance(located.formula, kind):
        return [operand for part in located.parts for operand in operands(part, kind)]
    return [located]


def settled_by_reference(clause: FrameClause) -> bool:
    """Whether traces of one reference agree on obligation and verdict at every frame, up to four frames."""
    names = ("ref_active", "pred_active")
    violated = And(clause.obligation, Not(clause.formula))
    for frames in range(1, 5):
        universe = Universe(names, frames)
        for formula in (over_base_atoms(clause.obligation), over_base_atoms(violated)):
            for mask in universe.truth(formula):
                for ref in range(1 << frames):
                    alike = {mask >> (pred << frames | ref) & 1 for pred in range(1 << frames)}
                    if len(alike) > 1:
                        return False
    return True


@pytest.mark.slow
def test_no_warning_on_random_contracts_is_false_and_none_is_missing() -> None:
    generator = random.Random(2024)
    checked = 0
    codes: dict[str, int] = {}
    while checked < CONTRACTS:
        text = random_contract(generator)
        contract = parse_contract(text)
        clauses = {clause.name: clause for clause in contract.frame_clauses}
        pairs = [And(a.obligation, Not(Iff(a.formula, b.formula))) for a in clauses.values() for b in clauses.values()]
        if not small(
            *pairs, *(Not(Iff(a.obligation, b.obligation)) for a in clauses.values() for b in clauses.values())
        ):
            continue
        checked += 1
        found = check_contract(contract)
        for d in found:
            assert is_true(d, clauses, text), f"{d.code}: {d.headline}\n{text}"
            codes[d.code] = codes.get(d.code, 0) + 1
        for clause in clauses.values():
            if not any(d.code in NEVER and f"`{clause.name}`" in d.headline for d in found):
                assert possible(And(clause.obligation, Not(clause.formula))), text
                assert possible(And(clause.obligation, clause.formula)), text
                codes_of = {d.code for d in found if f"`{clause.name}`" in d.headline}
                ignores = "ignores-prediction" in codes_of
                assert ignores or not settled_by_reference(clause) or bound(clause.formula) > 4, text
                fails = perfect(And(clause.obligation, Not(clause.formula)))
                assert ignores or "perfect-prediction-fails" in codes_of or not possible(fails), text
    print(f"{checked} contracts: {codes}")
    assert {"clause-never-fails", "clause-never-holds", "constant-formula", "clauses-equivalent"} <= set(codes)
    assert {"obligation-never-occurs", "vacuous-implication", "ignores-prediction"} <= set(codes)
    assert {"perfect-prediction-fails", "clauses-clash", "redundant-part"} <= set(codes)


GUARDS = (
    "clause onset_{k} on ref_onset : {e}N[{r}f] pred_onset",
    "clause offset_{k} on ref_offset : ref_offset -> F[-{r}f,{q}f] pred_offset",
    "clause onset_real_{k} on pred_onset : F[-{r}f,{q}f] ref_onset",
    "clause unbroken_{k} on each pred : covering <= {n}",
    "clause hit_{k} on each ref : iou >= 0.{n}",
    "clause lean_{k} on each pred : purity >= 0.{n} and matched",
    "clause length_{k} on each matched : abs(pred.duration - ref.duration) <= 0.{n} * ref.duration",
    "clause alone_{k} on ref_active & !other_ref_active : N[{r}f] pred_active",
    "clause end_{k} on ref_offset & F[{q}f,{q}f] true : F[{q}f] (!pred_active | ref_active)",
    "clause early_{k} on each matched : pred.onset >= ref.onset - {n}0ms and pred.onset <= ref.onset + 1{n}0ms",
)
"""Shapes of guards that a perfect prediction satisfies and that ask nothing twice."""


def sound_contract(generator: random.Random) -> str:
    """What is heard and what is caused at every frame, events in one piece, and some guards of different shapes."""
    lines = ["contract sound", "step 20ms"]
    lines += [f"clause heard on ref_active : N[{generator.randint(0, 3)}f] pred_active"]
    lines += [f"clause caused on pred_active : N[{generator.randint(0, 3)}f] ref_active"]
    lines += ["clause in_one_piece on each ref : matched and covering <= 1"]  # without it clauses on pairs are evaded
    for k, guard in enumerate(generator.sample(GUARDS, generator.randint(1, 5))):
        values = {"r": generator.randint(0, 9), "q": generator.randint(1, 20), "n": generator.randint(1, 9)}
        lines.append(guard.format(k=k, e=generator.choice(["", "ref_onset -> "]), **values))
    return "\n".join(lines) + "\n"


@pytest.mark.slow
def test_nothing_is_said_of_random_sound_contracts() -> None:
    generator = random.Random(77)
    for _ in range(CONTRACTS // 5):
        text = sound_contract(generator)
        found = [d for d in check_contract(parse_contract(text)) if d.code != "off-grid-threshold"]
        assert found == [], text


def only(text: str, *, notes: bool = False) -> Diagnostic:
    (found,) = check_contract(parse_contract(f"contract c\nstep 20ms\n{text}"), notes=notes)
    return found


def test_a_rounded_window_says_by_how_much() -> None:
    found = only("clause c on ref_onset : N[5ms] pred_onset\n")
    assert "becomes 1 frame (20ms), 4 times what is written" in found.headline


def test_a_value_between_two_grid_points_says_which() -> None:
    found = only("clause c on ref_onset : N[0.05s] pred_onset\n")
    assert "between 2 and 3 frames of 20ms; it means 3 (60ms)" in found.headline
    assert found.help == "write `40ms` or `60ms`, or take a smaller step"


def test_a_negative_bound_rounds_away_from_zero() -> None:
    found = only("clause c on ref_onset : F[-30ms,0s] pred_onset\n")
    assert "it means 2 (40ms)" in found.headline


def test_the_suggested_obligation_is_the_obligation_and_the_condition() -> None:
    found = only("atom a\natom b\nclause c on a | b : ref_onset -> pred_onset\n")
    assert found.help == "oblige it only where it asks something: `on (a | b) & ref_onset`"


def test_the_clause_to_drop_is_named_and_its_weight_is_not_forgotten() -> None:
    text = "clause a on ref_onset : N[2f] pred_onset\nclause b on ref_onset : N[40ms] pred_onset\nprofile p : b = 1\n"
    assert only(text).help == "drop `b` and move its weight in `p` to `a`"


def test_clauses_that_say_the_same_are_one_warning_and_no_note() -> None:
    text = "".join(
        f"clause {name} on ref_onset : {formula} pred_onset\n"
        for name, formula in (("a", "N[2f]"), ("b", "N[40ms]"), ("c", "F[-2f,2f]"))
    )
    found = only(text)
    assert found.headline == "`b` and `c` fail at exactly the frames where `a` fails"
    assert found.help == "drop `b` and `c`"
    contract = parse_contract(f"contract c\nstep 20ms\n{text}")
    assert [d.code for d in check_contract(contract, notes=True)] == ["contract-lookahead", "clauses-equivalent"]


def test_a_clause_that_never_fails_has_no_notes() -> None:
    text = "clause a on ref_onset : N[2f] pred_onset\nclause b on ref_onset : ref_active\n"
    contract = parse_contract(f"contract c\nstep 20ms\n{text}")
    assert {d.code for d in check_contract(contract, notes=True)} == {"clause-never-fails", "contract-lookahead"}


@pytest.mark.parametrize(
    "clause",
    [
        "clause c on pred_active : N[40ms] ref_active",  # where the prediction is active is asked, so it matters
        "clause c on pred_onset : G[40ms] pred_active",  # a clause about the prediction alone can be violated
        "atom trigger\nclause c on ref_onset : N[40ms] trigger",  # what a caller supplies may come from the system
        "clause c on each ref : matched",
        "clause c on each pred : ref.duration >= 100ms",  # without a partner it is false
        "clause c on each matched : ref.covering <= 1",
    ],
)
def test_a_clause_that_a_prediction_can_change_is_not_said_to_ignore_it(clause: str) -> None:
    found = check_contract(parse_contract(f"contract c\nstep 20ms\n{clause}\n"))
    of_the_whole = {"perfect-prediction-fails", "constant-prediction-passes"}
    assert {d.code for d in found} <= of_the_whole


@pytest.mark.parametrize("relation", ["==", "!="])
def test_equality_with_a_time_off_the_grid_has_a_hint(relation: str) -> None:
    found = only(f"clause c on each ref : ref.duration {relation} 30ms\n")
    assert found.code == ("clause-never-holds" if relation == "==" else "clause-never-fails")
    assert found.help == (
        "30ms is not a multiple of the step of 20ms; it lies between 20ms and 40ms; "
        "write the one that is meant: `20ms` or `40ms`"
    )


def test_an_implied_clause_is_a_note_and_silence_implies_spurious_by_design() -> None:
    guards = (
        "clause spurious_guard on pred_active : pred_active -> N[40ms] ref_active\n"
        "clause silence_guard on pred_active : pred_active -> N[20ms] ref_active\n"
        "clause missing_guard on ref_active : ref_active -> N[20ms] pred_active\n"
    )
    contract = parse_contract(f"contract c\nstep 20ms\n{guards}")
    assert check_contract(contract) == []
    implied = [d for d in check_contract(contract, notes=True) if d.code == "clause-implied"]
    assert [d.headline for d in implied] == ["where `silence_guard` holds, `spurious_guard` holds as well"]


def test_the_lookahead_names_the_clause_that_is_responsible() -> None:
    text = "clause a on ref_onset : F[100ms] pred_onset\nclause b on F[1s] ref_onset : pred_active\n"
    contract = parse_contract(f"contract c\nstep 20ms\n{text}")
    (found,) = [d for d in check_contract(contract, notes=True) if d.code == "contract-lookahead"]
    assert found.headline == "verdicts are settled 50 frames (1 s) after their frame, because of `b`"
    contract = parse_contract("contract c\nstep 1s\nclause a on ref_onset : F[1s] pred_onset\n")
    (found,) = [d for d in check_contract(contract, notes=True) if d.code == "contract-lookahead"]
    assert found.headline == "verdicts are settled 1 frame (1 s) after their frame, because of `a`"


@pytest.mark.parametrize(
    ("clause", "code"),
    [
        ("clause c on other_ref_active : pred_active", "obligation-never-occurs"),
        ("clause c on ref_active : ref_active -> !other_pred_active", "clause-never-fails"),
        ("clause c on each pred : dominant or covering == 0", "clause-never-fails"),
    ],
)
def test_a_class_set_of_one_has_no_other_class(clause: str, code: str) -> None:
    assert only(f"labels dog\n{clause}\n").code == code
    for labels in ("labels dog cat\n", ""):
        found = check_contract(parse_contract(f"contract c\nstep 20ms\n{labels}{clause}\n"))
        assert {d.code for d in found} <= {"perfect-prediction-fails"}
