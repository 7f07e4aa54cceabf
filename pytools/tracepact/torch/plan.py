"""A contract's frame clauses as a plan: which operator makes each degree from which earlier ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from torch import Tensor

from tracepact.core import Dag, FrameClause, Node, Operator
from tracepact.torch.smooth import Smooth

Degrees = list[Tensor]
Step = Callable[[Smooth, Mapping[str, Tensor], Degrees], Tensor]


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps in order, and of each clause the steps of its obligation and its formula."""

    steps: tuple[Step, ...]
    clauses: tuple[tuple[int, int], ...]

    def degrees(self, smooth: Smooth, given: Mapping[str, Tensor]) -> list[tuple[Tensor, Tensor]]:
        """Of each clause the degrees of its obligation and of its formula at every frame."""
        found: Degrees = []
        for step in self.steps:
            found.append(step(smooth, given, found))
        return [(found[obligation], found[formula]) for obligation, formula in self.clauses]


def plan_of(clauses: tuple[FrameClause, ...]) -> Plan:
    """The plan of frame clauses; equal parts are one step."""
    dag, roots = Dag.of(f for clause in clauses for f in (clause.obligation, clause.formula))
    return Plan(tuple(_step(node) for node in dag.nodes), tuple(zip(roots[::2], roots[1::2], strict=True)))


def _step(node: Node) -> Step:
    match node.operator, node.parameters, node.parts:
        case Operator.ATOM, (str(name),), _:
            return _atom(name)
        case Operator.CONSTANT, (value,), _:
            return lambda s, given, _: s.constant(bool(value), given["pred_active"])
        case Operator.NOT, _, (a,):
            return lambda s, _, done: s.complement(done[a])
        case Operator.AND, _, (a, b):
            return lambda s, _, done: s.both(done[a], done[b])
        case Operator.OR, _, (a, b):
            return lambda s, _, done: s.either(done[a], done[b])
        case Operator.IMPLIES, _, (a, b):
            return lambda s, _, done: s.implies(done[a], done[b])
        case Operator.IFF, _, (a, b):
            return lambda s, _, done: s.iff(done[a], done[b])
        case Operator.EVENTUALLY, (int(lo), int(hi)), (a,):
            return lambda s, _, done: s.eventually(lo, hi, done[a])
        case Operator.ALWAYS, (int(lo), int(hi)), (a,):
            return lambda s, _, done: s.always(lo, hi, done[a])
        case Operator.UNTIL, (int(radius),), (a, b):
            return lambda s, _, done: s.until(radius, done[a], done[b])
        case Operator.SINCE, (int(radius),), (a, b):
            return lambda s, _, done: s.since(radius, done[a], done[b])
    raise AssertionError(f"malformed node {node}")


def _atom(name: str) -> Step:
    match name:
        case "ref_onset" | "pred_onset":
            active = name.replace("onset", "active")
            return lambda s, given, _: s.onset(given[active])
        case "ref_offset" | "pred_offset":
            active = name.replace("offset", "active")
            return lambda s, given, _: s.offset(given[active])
        case "other_ref_active" | "other_pred_active":
            active = name.removeprefix("other_")
            return lambda s, given, _: s.others(given[active])
    return lambda _, given, __: given[name]
