"""The export to rtamt: equal verdicts at every frame, and each place where rtamt means something else."""

import random
import sys
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from strategies import ATOMS, environments, formulas, from_mask, to_mask

from tracepact import load_contract, parse_contract, starter_contracts
from tracepact.author.exports import export_contract, to_rtamt
from tracepact.evaluate.masks import evaluate_trace
from tracepact.evaluate.reference import Environment, truth
from tracepact.language.formula import Always, And, Atom, Constant, Eventually, Formula, Iff, Not, Since, Until

pytestmark = pytest.mark.slow

if sys.version_info >= (3, 13):
    pytest.skip("rtamt has no release for this Python (its parser needs typing.io)", allow_module_level=True)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # its ANTLR runtime imports typing.io
    import rtamt

P = Atom("p")


def robustness(text: str, signals: Mapping[str, list[float]]) -> list[float]:
    """What rtamt's discrete-time offline monitor says of a formula at every frame."""
    specification: Any = rtamt.StlDiscreteTimeSpecification()
    for name in signals:
        specification.declare_var(name, "float")
    specification.spec = text
    specification.parse()
    frames = len(next(iter(signals.values())))
    return [value for _, value in specification.evaluate({"time": list(range(frames)), **signals})]


def as_signal(frames: list[bool]) -> list[float]:
    return [1.0 if active else -1.0 for active in frames]


def verdicts(text: str, environment: Mapping[str, list[bool]]) -> list[bool]:
    values = robustness(text, {name: as_signal(frames) for name, frames in environment.items()})
    assert 0 not in values
    return [value > 0 for value in values]


def is_constant(formula: Formula) -> bool:
    """Whether a formula has one verdict on three long random traces."""
    generator = random.Random(11)
    found: set[bool] = set()
    for density in (0.1, 0.5, 0.9):
        masks = {a: to_mask([generator.random() < density for _ in range(48)]) for a in ATOMS}
        found.update(from_mask(evaluate_trace(formula, masks, 48), 48))
    return len(found) == 1


def test_rtamt_agrees_with_the_reference_semantics_at_every_frame(capsys: pytest.CaptureFixture[str]) -> None:
    balance: Counter[bool] = Counter()
    kept = 0

    # One frame is too few for rtamt: see below.
    @given(formulas(), environments(shortest=2))
    @settings(max_examples=600)
    def agree(formula: Formula, trace: tuple[int, dict[str, list[bool]]]) -> None:
        nonlocal kept
        frames, environment = trace
        expected = truth(formula, environment, frames)
        assert verdicts(to_rtamt(formula), environment) == expected
        if not is_constant(formula):
            kept += 1
            balance.update(expected)

    agree()
    share = balance[True] / balance.total()
    with capsys.disabled():
        print(f"\n{kept} formulas that are not constant, {share:.0%} of their verdicts true")
    assert kept > 100
    assert 0.2 < share < 0.8


@given(formulas(leaves=3), environments(shortest=2))
def test_verdicts_of_windows_are_clipped_at_both_ends(body: Formula, trace: tuple[int, dict[str, list[bool]]]) -> None:
    """Rules 6.2 to 6.5 on windows that start, end or lie wholly outside the trace."""
    frames, environment = trace
    assume(not is_constant(body))
    for formula in (
        *(kind(lo, hi, body) for kind in (Eventually, Always) for lo, hi in ((-20, 20), (-20, -9), (9, 20), (-1, 20))),
        Until(20, body, Not(body)),
        Since(20, body, Not(body)),
    ):
        assert verdicts(to_rtamt(formula), environment) == truth(formula, environment, frames)


@pytest.mark.parametrize("path", starter_contracts().values(), ids=lambda path: path.stem)
def test_rtamt_reads_the_export_of_a_starter_contract_as_it_stands(path: Path) -> None:
    contract = load_contract(path)
    if not contract.frame_clauses:
        pytest.skip("no frame clause, so the export has no formula")
    text = export_contract(contract)
    whole: Any = rtamt.StlDiscreteTimeSpecification()
    whole.spec = text
    whole.parse()
    assert whole.ast.vars >= contract.atoms
    exported = dict(line.split(" = ") for line in text.splitlines() if " = " in line)
    generator = random.Random(5)
    environment = {a: [generator.random() < 0.3 for _ in range(60)] for a in sorted(contract.atoms)}
    for clause in contract.frame_clauses:
        for part, formula in (("obligation", clause.obligation), ("formula", clause.formula)):
            assert verdicts(exported[f"{clause.name}_{part}"], environment) == truth(formula, environment, 60)


def test_names_that_rtamt_reserves_or_that_clash_are_renamed() -> None:
    contract = parse_contract(
        """
        contract names
        step 20ms
        atom rise "a word of rtamt"
        atom rise_ "what it would become"
        atom time "the key of rtamt's time stamps"
        atom until_formula "the name of an exported formula"
        clause until on rise : rise_ & time & until_formula
        """
    )
    text = export_contract(contract)
    assert [line for line in text.splitlines() if line.startswith("input")] == [
        "input float rise_",
        "input float rise__",
        "input float time_",
        "input float until_formula",
    ]
    assert "until_obligation = (rise_ > 0)\n" in text
    assert "until_formula_ = (((rise__ > 0) and (time_ > 0)) and (until_formula > 0))\n" in text
    whole: Any = rtamt.StlDiscreteTimeSpecification()
    whole.spec = text
    whole.parse()


@pytest.mark.parametrize("name", ["log", "ln", "sX", "G", "s", "s_prev", "TRUE", "complex", "time", "assertion"])
def test_an_atom_with_a_reserved_name_has_verdicts(name: str) -> None:
    text = to_rtamt(Atom(name))
    exported = text.strip("()").split()[0]
    assert verdicts(text, {exported: [True, False, True]}) == [True, False, True]


# Where rtamt differs. Each text is what a direct transcription of the rule would be, and rtamt's own answer to it.


def test_rtamt_iff_is_never_positive() -> None:
    """Rule 6.1: both hold or neither does. rtamt takes minus the difference: 0 at best, -inf beside a window."""
    environment = {"p": [True, False]}
    past = Eventually(-3, -2, P)
    assert robustness("((p > 0) iff (p > 0))", {"p": [1, -1]}) == [0, 0]
    assert robustness("((p > 0) iff (once[2:3] (p > 0)))", {"p": [1, -1]}) == [-float("inf")] * 2
    assert verdicts(to_rtamt(Iff(P, P)), environment) == [True, True]
    assert verdicts(to_rtamt(Iff(P, past)), environment) == truth(Iff(P, past), environment, 2) == [False, True]


def test_rtamt_has_no_truth_constants_and_no_verdict_at_zero() -> None:
    """Rule 6.1: `true` always, `false` never. A comparison that holds by equality has robustness 0, as its negation."""
    with pytest.raises(rtamt.RTAMTException):
        robustness("(true)", {"p": [1, -1]})
    assert robustness("(0 >= 0)", {"p": [1, -1]}) == robustness("(not (0 >= 0))", {"p": [1, -1]}) == [0, 0]
    for value in (True, False):
        assert verdicts(to_rtamt(Constant(value)), {"p": [True, False]}) == [value, value]
        assert verdicts(to_rtamt(Not(Constant(value))), {"p": [True, False]}) == [not value, not value]


def test_rtamt_windows_look_one_way() -> None:
    """Rule 2.5: bounds may have any sign. A window with both becomes two nested ones."""
    with pytest.raises(ValueError, match="empty sequence"):
        robustness("(eventually[-1:1] (p > 0))", {"p": [1, -1, -1, -1]})
    assert to_rtamt(Eventually(-1, 2, P)) == "(once[0:1] (eventually[0:2] (p > 0)))"


def test_rtamt_lengthens_a_bare_signal_that_a_window_reaches_out_of() -> None:
    """Rule 6.3: `G` sees frames of the trace only. rtamt appends its padding to the signal itself.

    So other parts see it. A comparison makes a list of its own, and every exported atom is one.
    """
    formula = And(Eventually(0, 4, P), Always(0, 1, P))
    direct = "((eventually[0:4] p) and (always[0:1] p))"
    signal: list[float] = [1, 1]
    assert robustness(direct, {"p": signal}) == [1, -float("inf")]
    assert signal == [1, 1, *[-float("inf")] * 3]
    assert verdicts(to_rtamt(formula), {"p": [True, True]}) == truth(formula, {"p": [True, True]}, 2) == [True, True]


def test_rtamt_fails_on_a_trace_of_one_frame() -> None:
    """Rule 5.1 knows such a clip. rtamt reads a time difference that it never took; no export can help."""
    environment: Environment = {"p": [True]}
    assert truth(P, environment, 1) == [True]
    with pytest.raises(UnboundLocalError):
        verdicts(to_rtamt(P), {"p": [True]})


def test_rtamt_needs_a_higher_recursion_limit_for_the_deepest_formulas() -> None:
    """Rule 1.6 allows 200 levels; rtamt's parser takes several calls for each."""
    formula: Formula = P
    for _ in range(200):
        formula = Not(formula)
    limit = sys.getrecursionlimit()  # not always Python's own: a monitor that runs in this process may raise it
    try:
        sys.setrecursionlimit(1_000)
        with pytest.raises(RecursionError):
            verdicts(to_rtamt(formula), {"p": [True, False]})
        sys.setrecursionlimit(10_000)
        assert verdicts(to_rtamt(formula), {"p": [True, False]}) == [True, False]
    finally:
        sys.setrecursionlimit(limit)
