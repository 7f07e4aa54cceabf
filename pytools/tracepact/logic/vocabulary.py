"""The atoms of a question: which are base variables and how the others are defined from them.

The base atoms are `ref_active`, `pred_active`, `other_ref_active`, `other_pred_active` and whatever the caller
supplies; nothing in the language relates one to another (rule 5.7: the other classes are other events). An onset and
an offset are defined by rule 5.6, and both definitions are core formulas:

    x_onset  =  x_active & !F[-1,-1] x_active        (true at the first frame of a trace that starts active)
    x_offset = !x_active &  F[-1,-1] x_active        (an event that reaches the end has no offset frame)

so replacing them leaves a formula over base atoms that means the same, and whatever is proven about core formulas
(locality, bounded models) holds for it as it stands.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tracepact.core import Always, And, Atom, Constant, Eventually, Formula, Iff, Implies, Not, Or, Since, Until
from tracepact.core.contract import CLASS_ATOMS


def _onset(active: Formula) -> Formula:
    return And(active, Not(Eventually(-1, -1, active)))


def _offset(active: Formula) -> Formula:
    return And(Not(active), Eventually(-1, -1, active))


DEFINITIONS: Mapping[str, Formula] = {
    "ref_onset": _onset(Atom("ref_active")),
    "ref_offset": _offset(Atom("ref_active")),
    "pred_onset": _onset(Atom("pred_active")),
    "pred_offset": _offset(Atom("pred_active")),
}
"""The derived atoms over base atoms."""


def over_base_atoms(formula: Formula) -> Formula:
    """The formula with every derived atom replaced by its definition."""
    return _with_atoms(formula, lambda atom: DEFINITIONS.get(atom.name, atom))


def renamed(formula: Formula, name: Callable[[str], str]) -> Formula:
    """The formula with other names for its atoms."""
    return _with_atoms(formula, lambda atom: Atom(name(atom.name)))


def without_other_classes(formula: Formula) -> Formula:
    """The formula where there is one class only: no other one is ever active (rule 5.7)."""
    return _with_atoms(formula, lambda atom: Constant(False) if atom.name in CLASS_ATOMS else atom)


def with_prediction(formula: Formula, *, active: bool) -> Formula:
    """The formula where the prediction, in every class, is active at every frame, or at none."""
    start = Not(Eventually(-1, -1, Constant(True))) if active else Constant(False)
    constant: dict[str, Formula] = {
        "pred_active": Constant(active),
        "other_pred_active": Constant(active),
        "pred_onset": start,
        "pred_offset": Constant(False),
    }
    return _with_atoms(formula, lambda atom: constant.get(atom.name, atom))


def _with_atoms(formula: Formula, of: Callable[[Atom], Formula]) -> Formula:
    match formula:
        case Atom():
            return of(formula)
        case Constant():
            return formula
        case Not(body) | Eventually(body=body) | Always(body=body):
            inner = _with_atoms(body, of)
            return formula if inner is body else replace(formula, body=inner)
        case (
            And(left=left, right=right)
            | Or(left=left, right=right)
            | Implies(left=left, right=right)
            | Iff(left=left, right=right)
            | Until(left=left, right=right)
            | Since(left=left, right=right)
        ):
            before, after = _with_atoms(left, of), _with_atoms(right, of)
            return formula if before is left and after is right else replace(formula, left=before, right=after)


def with_derived_atoms(base: Mapping[str, Sequence[bool]]) -> dict[str, tuple[bool, ...]]:
    """The environment of base masks and the derived atoms, frame by frame as rule 5.6 says them."""
    environment = {name: tuple(values) for name, values in base.items()}
    for side in ("ref", "pred"):
        active = environment.get(f"{side}_active")
        if active is None:
            continue
        before = (False, *active[:-1])
        environment[f"{side}_onset"] = tuple(now and not then for now, then in zip(active, before, strict=True))
        environment[f"{side}_offset"] = tuple(then and not now for now, then in zip(active, before, strict=True))
    return environment
