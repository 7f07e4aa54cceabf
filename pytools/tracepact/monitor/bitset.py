"""The fast engine: a shared graph of formulas evaluated node by node over whole masks."""

from collections.abc import Callable, Iterable, Mapping

from tracepact.core import Dag, Formula, Node, Operator
from tracepact.monitor.algebra import BitAlgebra, IntegerAlgebra, Mask, always, complement, eventually, since, until


def evaluate_masks(formulas: Iterable[Formula], atoms: Mapping[str, Mask], algebra: BitAlgebra[Mask]) -> list[Mask]:
    """The mask of every formula; equal subformulas are evaluated once."""
    return masks_evaluator(formulas)(atoms, algebra)


def masks_evaluator(
    formulas: Iterable[Formula],
) -> Callable[[Mapping[str, Mask], BitAlgebra[Mask]], list[Mask]]:
    """What `evaluate_masks` does, ready for many parts of a family."""
    dag, roots = Dag.of(formulas)

    def evaluate(atoms: Mapping[str, Mask], algebra: BitAlgebra[Mask]) -> list[Mask]:
        masks = _evaluate(dag, atoms, algebra)
        return [masks[root] for root in roots]

    return evaluate


def evaluate_trace(formula: Formula, atoms: Mapping[str, int], frames: int) -> int:
    """The mask of one formula on one clip."""
    return trace_evaluator(formula)(atoms, frames)


def trace_evaluator(formula: Formula) -> Callable[[Mapping[str, int], int], int]:
    """What `evaluate_trace` does, ready for many clips."""
    dag, (root,) = Dag.of([formula])

    def evaluate(atoms: Mapping[str, int], frames: int) -> int:
        return _evaluate(dag, atoms, IntegerAlgebra((1 << frames) - 1, frames))[root]

    return evaluate


def _evaluate(dag: Dag, atoms: Mapping[str, Mask], algebra: BitAlgebra[Mask]) -> list[Mask]:
    """The mask of every node."""
    masks: list[Mask] = []
    for node in dag.nodes:
        masks.append(apply_node(node, [masks[part] for part in node.parts], atoms, algebra))
    return masks


def apply_node(node: Node, parts: list[Mask], atoms: Mapping[str, Mask], algebra: BitAlgebra[Mask]) -> Mask:
    """The mask of a node from the masks of its parts."""
    match node.operator, node.parameters, parts:
        case Operator.ATOM, (str(name),), _:
            return atoms[name]
        case Operator.CONSTANT, (value,), _:
            return algebra.valid if value else algebra.none
        case Operator.NOT, _, [a]:
            return complement(algebra, a)
        case Operator.AND, _, [a, b]:
            return algebra.conjunction(a, b)
        case Operator.OR, _, [a, b]:
            return algebra.disjunction(a, b)
        case Operator.IMPLIES, _, [a, b]:
            return algebra.disjunction(complement(algebra, a), b)
        case Operator.IFF, _, [a, b]:
            return complement(algebra, algebra.difference(a, b))
        case Operator.EVENTUALLY, (int(lo), int(hi)), [a]:
            return eventually(algebra, lo, hi, a)
        case Operator.ALWAYS, (int(lo), int(hi)), [a]:
            return always(algebra, lo, hi, a)
        case Operator.UNTIL, (int(radius),), [a, b]:
            return until(algebra, radius, a, b)
        case Operator.SINCE, (int(radius),), [a, b]:
            return since(algebra, radius, a, b)
    raise AssertionError(f"malformed node {node}")
