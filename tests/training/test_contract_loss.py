"""The contract loss: Boolean on truth values under every aggregation, the same when compiled, clear about faults."""

import shutil
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import family_of

from tracepact import Aggregation, Contract, InvalidInput, load_contract, parse_contract
from tracepact.evaluate.scorecard import score_family
from tracepact.torch import ContractLoss, ContractOutput

GATE = load_contract("boundary_gate")
ALL_SORTS = parse_contract("""
contract all_sorts
step 20ms
param tol = 40ms
clause edges  on ref_onset | pred_offset : N[2f] (pred_onset <-> ref_onset)
clause until  on pred_active : pred_active U[3f] !ref_active
clause since  on !pred_active : G[-2f,1f] ref_active | (ref_active S[4f] pred_onset)
clause others on pred_active : !other_pred_active | other_ref_active
clause length on each ref : covering <= 1
profile strict over pooled : until = 2, others = 1
profile whole : length = 1
""")

COMPILED = parse_contract("contract c step 20ms clause all on pred_onset : (!other_pred_active S[2f] ref_active)")


def masks(clips: int, classes: int, frames: int) -> st.SearchStrategy[Any]:
    total = clips * classes * frames
    return st.lists(st.booleans(), min_size=total, max_size=total).map(
        lambda bits: torch.tensor(bits, dtype=torch.float64).reshape(clips, classes, frames)
    )


@given(
    st.data(), st.integers(1, 3), st.integers(1, 3), st.sampled_from([GATE, ALL_SORTS]), st.sampled_from(Aggregation)
)
@settings(max_examples=200)
def test_hard_inputs_give_the_boolean_score_under_every_aggregation(
    data: st.DataObject, clips: int, classes: int, contract: Contract, aggregation: Aggregation
) -> None:
    lengths = data.draw(st.lists(st.integers(1, 8), min_size=clips, max_size=clips))
    ref, pred, ignored = (data.draw(masks(clips, classes, 8)) for _ in range(3))
    criterion = ContractLoss(contract, aggregation=aggregation, temperature=data.draw(st.sampled_from([1e-6, 0.1, 10])))
    found = criterion(pred, ref, lengths, ignored=ignored > 0)
    pairs = [
        ([bool(x) for x in ref[c, k, : lengths[c]]], [bool(x) for x in pred[c, k, : lengths[c]]])
        for k in range(classes)
        for c in range(clips)
    ]
    family = family_of(pairs, contract.step, classes)
    hidden = {
        k * clips + c: tuple((i, i + 1) for i in range(lengths[c]) if ignored[c, k, i])
        for k in range(classes)
        for c in range(clips)
    }
    object.__setattr__(family, "ignored", {segment: runs for segment, runs in hidden.items() if runs})
    card = score_family(contract, family)
    expected = [float(card.score(name, aggregation).value) for name in criterion.clauses]
    assert found.vector.tolist() == pytest.approx(expected, abs=1e-12)
    assert float(found.loss) == pytest.approx(1 - sum(expected) / len(expected), abs=1e-12)


def test_a_profile_gives_weights_and_aggregation() -> None:
    criterion = ContractLoss(ALL_SORTS, profile="strict")
    assert criterion.aggregation is Aggregation.POOLED
    torch.manual_seed(0)
    out = criterion(torch.rand(2, 3, 30), torch.rand(2, 3, 30) > 0.5)
    vector = dict(zip(criterion.clauses, out.vector.tolist(), strict=True))
    assert float(out.loss) == pytest.approx(1 - (2 * vector["until"] + vector["others"]) / 3)
    weighed = ContractLoss(ALL_SORTS, profile={"until": 2, "others": 1}, aggregation=Aggregation.POOLED)
    torch.manual_seed(0)
    assert float(weighed(torch.rand(2, 3, 30), torch.rand(2, 3, 30) > 0.5).loss) == float(out.loss)


@pytest.mark.parametrize("contract", [GATE, ALL_SORTS], ids=lambda contract: contract.name)
@pytest.mark.parametrize("aggregation", Aggregation)
def test_slopes_of_the_loss_are_those_of_its_values(contract: Contract, aggregation: Aggregation) -> None:
    torch.manual_seed(1)
    criterion = ContractLoss(contract, aggregation=aggregation)
    given = torch.rand(2, 2, 7, dtype=torch.float64, requires_grad=True)
    ref = torch.rand(2, 2, 7) > 0.5
    assert torch.autograd.gradcheck(lambda x: criterion(x, ref, [7, 5]).vector, (given,), eps=1e-6, atol=1e-5)


@given(st.data(), st.sampled_from([GATE, ALL_SORTS]), st.sampled_from([1e-6, 1e-3, 0.1, 10.0, 1e6]))
@settings(max_examples=200)
def test_slopes_of_the_loss_are_finite_at_saturated_inputs(
    data: st.DataObject, contract: Contract, temperature: float
) -> None:
    edge = st.sampled_from([0.0, 1e-45, 1e-30, 1e-8, 0.5, 1 - 6e-8, 1.0])
    given = torch.tensor(data.draw(st.lists(edge, min_size=24, max_size=24))).reshape(2, 2, 6).requires_grad_()
    ref = data.draw(masks(2, 2, 6))
    out = ContractLoss(contract, temperature=temperature)(given, ref, [6, 4])
    out.loss.backward()
    assert given.grad is not None
    assert bool(torch.isfinite(given.grad).all())
    assert not given.grad[1, :, 4:].any()


def test_a_silent_prediction_is_told_where_to_rise() -> None:
    given = torch.zeros(1, 1, 40, requires_grad=True)
    ref = torch.zeros(1, 1, 40)
    ref[..., 10:30] = 1
    ContractLoss("boundary_gate")(given, ref).loss.backward()
    assert given.grad is not None
    assert bool((given.grad[..., 9:31] < 0).all())


def test_padding_may_hold_anything() -> None:
    torch.manual_seed(2)
    given, ref = torch.rand(2, 1, 20), (torch.rand(2, 1, 20) > 0.5).float()
    criterion = ContractLoss("boundary_gate")
    clean = criterion(given, ref, [20, 12])
    given, ref = given.clone(), ref.clone()
    given[1, :, 12:], ref[1, :, 12:] = float("nan"), 7.0
    given.requires_grad_()
    dirty = criterion(given, ref, torch.tensor([20, 12]))
    assert dirty.vector.tolist() == clean.vector.tolist()
    dirty.loss.backward()
    assert given.grad is not None
    assert bool(torch.isfinite(given.grad).all())


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_every_float_type_works_and_half_is_computed_in_single(kind: torch.dtype) -> None:
    given = torch.tensor([[[0.25, 0.75, 0.75, 0.25]]], dtype=kind, requires_grad=True)
    out = ContractLoss("boundary_gate")(given, torch.tensor([[[0, 1, 1, 0]]]))
    assert out.vector.dtype == (torch.float64 if kind == torch.float64 else torch.float32)
    out.loss.backward()
    assert given.grad is not None
    assert given.grad.dtype == kind


def test_the_module_has_nothing_to_save() -> None:
    criterion = ContractLoss("boundary_gate")
    assert criterion.state_dict() == {}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("backend", "contract"), [("aot_eager", ALL_SORTS), ("inductor", COMPILED)])
def test_the_compiled_loss_is_the_loss(backend: str, contract: Contract) -> None:
    """Whole, without a break; `inductor` needs a C++ compiler and time, so it gets the operators once each."""
    if backend == "inductor" and not any(map(shutil.which, ("g++", "clang++", "c++"))):
        pytest.skip("no C++ compiler")
    torch.manual_seed(3)
    criterion = ContractLoss(contract)
    compiled = torch.compile(criterion, backend=backend, fullgraph=True)
    lengths = torch.tensor([40, 31])
    given, ref = torch.rand(2, 3, 40), (torch.rand(2, 3, 40) > 0.5).float()
    slopes = []
    values = []
    for module in (criterion, compiled):
        leaf = given.clone().requires_grad_()
        out = ContractOutput(*module(leaf, ref, lengths))
        out.loss.backward()
        slopes.append(leaf.grad)
        values.append(out.vector)
    torch.testing.assert_close(values[0], values[1], rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(slopes[0], slopes[1], rtol=1e-4, atol=1e-6)


# Event clauses


def test_event_clauses_are_left_out_by_name_and_refused_where_they_weigh() -> None:
    assert ContractLoss("boundary_gate").left_out == ("duration_guard", "fragmentation_guard")
    for profile in ("whole", {"length": 1.0}):
        with pytest.raises(InvalidInput) as refused:
            ContractLoss(ALL_SORTS, profile=profile)
        assert [found.code for found in refused.value.diagnostics] == ["no-smooth-reading"]
    only = parse_contract("contract c step 20ms clause k on each ref : matched")
    with pytest.raises(InvalidInput, match="event clauses only"):
        ContractLoss(only)


def test_a_declared_surrogate_stands_in_for_an_event_clause() -> None:
    criterion = ContractLoss(
        ALL_SORTS, profile="whole", surrogates={"length": "on ref_active & !ref_onset : N[tol] pred_active"}
    )
    assert criterion.left_out == ()
    assert criterion.clauses == ("edges", "until", "since", "others", "length")
    ref = torch.zeros(1, 1, 20)
    ref[..., 5:15] = 1
    # 9 obligated frames; the prediction at frame 5 is within 2 frames of frames 6 and 7.
    pred = torch.zeros(1, 1, 20)
    pred[..., 5] = 1
    assert float(criterion(pred, ref).loss) == pytest.approx(1 - 2 / 9)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"profile": "strickt"}, "unknown-profile"),
        ({"profile": {"untill": 1}}, "unknown-clause"),
        ({"profile": {"until": 0}}, "out-of-range"),
        ({"profile": {"until": -1, "since": 2}}, "out-of-range"),
        ({"temperature": 0}, "out-of-range"),
        ({"temperature": float("nan")}, "out-of-range"),
        ({"surrogates": {"until": "on ref_active : pred_active"}}, "unknown-clause"),
        ({"surrogates": {"length": "on each ref : matched"}}, "no-smooth-reading"),
        ({"surrogates": {"length": "on ref_activ : pred_active"}}, "unknown-atom"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        ContractLoss(ALL_SORTS, **options)
    assert code in [found.code for found in refused.value.diagnostics]


# Bad input

GOOD = torch.full((2, 3, 10), 0.5)


@pytest.mark.parametrize(
    ("probabilities", "reference", "lengths", "code"),
    [
        (torch.full((2, 3, 10), float("nan")), GOOD, None, "bad-score"),
        (torch.full((2, 3, 10), float("inf")), GOOD, None, "bad-score"),
        (torch.full((2, 3, 10), 1.5), GOOD, None, "bad-score"),
        (GOOD, torch.full((2, 3, 10), -1), None, "bad-score"),
        (GOOD[0], GOOD[0], None, "bad-field"),
        (GOOD, GOOD[:, :2], None, "bad-field"),
        (GOOD[..., :0], GOOD[..., :0], None, "bad-field"),
        (GOOD, GOOD, [10], "bad-field"),
        (GOOD, GOOD, [10, 11], "bad-field"),
        (GOOD, GOOD, [10, -1], "bad-field"),
        (GOOD, GOOD, [10.0, 9.5], "bad-field"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(probabilities: Any, reference: Any, lengths: Any, code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        ContractLoss("boundary_gate")(probabilities, reference, lengths)
    assert {found.code for found in refused.value.diagnostics} == {code}


def test_classes_and_declared_atoms_are_checked() -> None:
    contract = parse_contract('contract c step 20ms labels dog cat atom zone "z" clause k on zone : pred_active')
    with pytest.raises(InvalidInput) as refused:
        ContractLoss(contract, classes=["dog", "cut"])
    assert [(found.code, found.help) for found in refused.value.diagnostics] == [
        ("unknown-label", "did you mean `cat`?")
    ]
    criterion = ContractLoss(contract, classes=["dog", "cat"])
    for scores, code in ((GOOD, "bad-field"), (GOOD[:, :2], "missing-mask")):
        with pytest.raises(InvalidInput) as refused:
            criterion(scores, scores)
        assert code in {found.code for found in refused.value.diagnostics}
    with pytest.raises(InvalidInput, match="zoo"):
        criterion(GOOD[:, :2], GOOD[:, :2], masks={"zoo": GOOD[:, :2]})
    assert criterion(GOOD[:, :2], GOOD[:, :2], masks={"zone": GOOD[:, :2]}).vector.shape == (1,)


# The extra


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_importing_tracepact_does_not_import_torch() -> None:
    code = "import sys, tracepact, tracepact.cli, tracepact.evaluate.soft_family; tracepact.score; "
    code += "print('torch' in sys.modules)"
    assert run(code) == "False\n"


def test_without_torch_the_import_says_how_to_get_it() -> None:
    code = """
import sys
sys.modules["torch"] = None
try:
    import tracepact.torch
except ImportError as error:
    print(error.diagnostics[0].code, error.diagnostics[0].help)
"""
    assert run(code) == "missing-extra pip install 'tracepact[torch]'\n"


def test_what_is_no_tensor_is_refused_by_name() -> None:
    whole, array = torch.zeros(1, 1, 5), np.zeros((1, 1, 5))
    for pair, name in (((array, whole), "pred_active"), ((whole, array), "ref_active")):
        with pytest.raises(InvalidInput) as refused:
            ContractLoss("boundary_gate")(*pair)
        assert [found.code for found in refused.value.diagnostics] == ["bad-field"]
        assert f"`{name}` is of the type `ndarray`" in refused.value.diagnostics[0].headline


@pytest.mark.parametrize(("value", "help"), [("nan", "for every frame and class"), ("2", "sigmoid")])
def test_what_is_no_number_is_not_called_a_logit(value: str, help: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        ContractLoss("boundary_gate")(torch.full((2, 3, 10), float(value)), GOOD)
    said = raised.value.diagnostics[0].help or ""
    assert help in said
    assert ("sigmoid" in said) is (value == "2")
