"""What is said of a clause does not depend on whether its obligation is repeated as an antecedent."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tracepact import audit_tolerance, parse_contract, score
from tracepact.runs.run import Run

CONTRACT = "contract c\nstep 20ms\nparam tol = 40ms\nclause a on {o} : {antecedent}{window} {p}\n"
WINDOWS = ("N[tol]", "F[-tol,0s]", "F[tol]", "F[-20ms,tol]")
ATOMS = ("ref_onset", "ref_offset", "ref_active", "pred_active")


@st.composite
def events(draw: st.DrawFn) -> list[tuple[Fraction, Fraction]]:
    """Events on a grid of 20 ms in two seconds."""
    edges = sorted(draw(st.lists(st.integers(0, 99), max_size=8, unique=True)))
    pairs = zip(edges[::2], edges[1::2], strict=False)
    return [(Fraction(a, 50), Fraction(b, 50)) for a, b in pairs]


@given(
    st.sampled_from(ATOMS), st.sampled_from(("pred_onset", "pred_active")), st.sampled_from(WINDOWS), events(), events()
)
def test_distances_and_curves_do_not_depend_on_the_antecedent(
    o: str, p: str, window: str, ref: list[tuple[Fraction, Fraction]], pred: list[tuple[Fraction, Fraction]]
) -> None:
    def scored(antecedent: str) -> Run:
        contract = parse_contract(CONTRACT.format(o=o, antecedent=antecedent, window=window, p=p))
        return score(contract, {"a": ref}, {"a": pred}, durations=2)

    bare, repeated = scored(""), scored(f"{o} -> ")
    assert bare.vector == repeated.vector
    of_bare, of_repeated = ([(v["frame"], v["distance"]) for v in run.violations("a")] for run in (bare, repeated))
    assert of_bare == of_repeated
    assert all(distance is not None for _, distance in of_bare)
    one, other = (
        audit_tolerance(run, "tol", low=Fraction(0), high=Fraction(1, 5)).to_dict() for run in (bare, repeated)
    )
    assert one == other
