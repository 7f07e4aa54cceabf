"""Formulas as a shared graph: equal subformulas become one node, in an order that evaluates parts first."""

from collections.abc import Iterable
from dataclasses import field
from enum import Enum, auto

from tracepact.core.formula import Always, And, Atom, Constant, Eventually, Formula, Iff, Implies, Not, Or, Since, Until
from tracepact.frozen import dataclass


class Operator(Enum):
    """What a node does with its parts."""

    ATOM = auto()
    CONSTANT = auto()
    NOT = auto()
    AND = auto()
    OR = auto()
    IMPLIES = auto()
    IFF = auto()
    EVENTUALLY = auto()
    ALWAYS = auto()
    UNTIL = auto()
    SINCE = auto()


@dataclass(frozen=True, slots=True)
class Node:
    """One shared subformula: an operator, its numbers or name, and the indices of its parts."""

    operator: Operator
    parameters: tuple[int | str, ...]
    parts: tuple[int, ...]


@dataclass(slots=True)
class Dag:
    """Nodes in evaluation order; `add` returns the index of a formula's node."""

    nodes: list[Node] = field(default_factory=list)
    _index: dict[Node, int] = field(default_factory=dict)

    @classmethod
    def of(cls, formulas: Iterable[Formula]) -> tuple["Dag", list[int]]:
        """The graph of several formulas, and the index of each."""
        dag = cls()
        return dag, [dag.add(formula) for formula in formulas]

    def add(self, formula: Formula) -> int:
        """Put a formula and its parts into the graph, reusing what is there."""
        match formula:
            case Atom(name):
                return self._node(Operator.ATOM, (name,))
            case Constant(value):
                return self._node(Operator.CONSTANT, (int(value),))
            case Not(body):
                return self._node(Operator.NOT, (), body)
            case And(a, b):
                return self._node(Operator.AND, (), a, b)
            case Or(a, b):
                return self._node(Operator.OR, (), a, b)
            case Implies(a, b):
                return self._node(Operator.IMPLIES, (), a, b)
            case Iff(a, b):
                return self._node(Operator.IFF, (), a, b)
            case Eventually(lo, hi, body):
                return self._node(Operator.EVENTUALLY, (lo, hi), body)
            case Always(lo, hi, body):
                return self._node(Operator.ALWAYS, (lo, hi), body)
            case Until(radius, a, b):
                return self._node(Operator.UNTIL, (radius,), a, b)
            case Since(radius, a, b):
                return self._node(Operator.SINCE, (radius,), a, b)

    def _node(self, operator: Operator, parameters: tuple[int | str, ...], *parts: Formula) -> int:
        return self.put(Node(operator, parameters, tuple(self.add(part) for part in parts)))

    def put(self, node: Node) -> int:
        """Put a node whose parts are in the graph into it, or find it there."""
        index = self._index.setdefault(node, len(self.nodes))
        if index == len(self.nodes):
            self.nodes.append(node)
        return index
