"""The formulas and the event predicates of a family, each once, counted before they are made (14.6, 14.7, 14.11)."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import ceil

from tracepact.language.compilation import parse_contract
from tracepact.language.contract import EventClause
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Dag,
    Eventually,
    Formula,
    Iff,
    Implies,
    Node,
    Not,
    Operator,
    Or,
    Since,
    Until,
    cost,
    subformulas,
)
from tracepact.language.predicate import (
    Absolute,
    Attribute,
    ConstantTerm,
    Flag,
    Maximum,
    Minimum,
    Scaled,
    Term,
    TermComparison,
    TermDifference,
    TermSum,
)
from tracepact.selection.calibration import CandidateFamily
from tracepact.wording import ms, print_number

# Enumerates the formulas of a family, each once, as a shared graph; says beforehand how many (rules 14.6, 14.7).

_REACH = {"U": Operator.UNTIL, "S": Operator.SINCE}
_WINDOW = {"F": Operator.EVENTUALLY, "G": Operator.ALWAYS}
_JOIN = {"and": Operator.AND, "or": Operator.OR}


def radii(family: CandidateFamily, step: Fraction) -> tuple[int, ...]:
    """The tolerances in frames, each once."""
    return tuple(dict.fromkeys(ceil(tolerance / step) for tolerance in family.tolerances))


def windows(family: CandidateFamily, step: Fraction) -> tuple[tuple[int, int], ...]:
    """The windows of every tolerance in every shape."""
    ends = {"near": (-1, 1), "ahead": (0, 1), "back": (-1, 0)}
    return tuple((ends[shape][0] * r, ends[shape][1] * r) for r in radii(family, step) for shape in family.shapes)


def formula_count(family: CandidateFamily, step: Fraction) -> int:
    """How many formulas the family has, without making them."""
    joins = [o for o in family.operators if o in _JOIN]
    unary = len(windows(family, step)) * sum(o in _WINDOW for o in family.operators)
    reaching = len(radii(family, step)) * sum(o in _REACH for o in family.operators)
    # counted before anything is made, so that a family beyond its bound is refused at once
    basic, before_basic, below, total, parts = 2 * len(family.atoms), 0, 0, 0, 0
    for depth in range(family.depth + 1):
        pairs = _pairs(before_basic + basic) - _pairs(before_basic) - (len(family.atoms) if depth == 0 else 0)
        level = basic + len(joins) * pairs
        before_basic, total = before_basic + basic, total + level
        ordered = total * (total - 1) - below * (below - 1)
        below = total
        basic = unary * level + reaching * ordered
        parts += level if depth < family.from_depth else 0
    return total - parts


def _pairs(number: int) -> int:
    return number * (number - 1) // 2


def enumerate_formulas(family: CandidateFamily, step: Fraction, dag: Dag) -> list[int]:
    """The formulas by depth, then operator, then parts, as indices into the graph."""
    basic: list[int] = []
    below: list[int] = []
    level: list[int] = []
    parts = 0
    for depth in range(family.depth + 1):
        formulas = list(
            _literals(family, dag) if depth == 0 else _modal(family, step, dag, level, below[: -len(level)])
        )
        joined = list(_joined(family, dag, basic, formulas))
        basic += formulas
        level = formulas + joined
        below += level
        parts += len(level) if depth < family.from_depth else 0
    return below[parts:]


def _literals(family: CandidateFamily, dag: Dag) -> Iterator[int]:
    for name in family.atoms:
        atom = dag.put(Node(Operator.ATOM, (name,), ()))
        yield atom
        yield dag.put(Node(Operator.NOT, (), (atom,)))


def _modal(family: CandidateFamily, step: Fraction, dag: Dag, level: list[int], before: list[int]) -> Iterator[int]:
    """Modalities whose deepest part is of the last level."""
    for operator in family.operators:
        if operator in _WINDOW:
            for window in windows(family, step):
                for body in level:
                    yield dag.put(Node(_WINDOW[operator], window, (body,)))
        elif operator in _REACH:
            deep = set(level)
            every = [*before, *level]
            for radius in radii(family, step):
                for left, right in product(every, every):
                    # one part at least is new at this depth, so that no formula is made twice
                    if left != right and (left in deep or right in deep):
                        yield dag.put(Node(_REACH[operator], (radius,), (left, right)))


def _joined(family: CandidateFamily, dag: Dag, before: list[int], level: list[int]) -> Iterator[int]:
    """Pairs without order of basic formulas, one at least of the last level; never a literal with its negation."""
    every = [*before, *level]
    for operator in family.operators:
        if operator in _JOIN:
            for j in range(len(before), len(every)):
                # pairs without order, since `and` and `or` commute: half the formulas, and none is lost
                for i in range(j):
                    if not _contrary(dag, every[i], every[j]):
                        yield dag.put(Node(_JOIN[operator], (), (every[i], every[j])))


def _contrary(dag: Dag, first: int, second: int) -> bool:
    node = dag.nodes[second]
    return node.operator is Operator.NOT and node.parts == (first,)


_FORMULAS: dict[Operator, Callable[..., Formula]] = {
    # each operator is called as the constructor of its formula is
    Operator[kind.__name__.upper()]: kind
    for kind in (Atom, Not, Eventually, Always, Until, Since, And, Or, Implies, Iff)
} | {Operator.CONSTANT: lambda value: Constant(bool(value))}
"""By operator what makes a formula of its parameters and parts, in the order that a node has them."""


def formula_of(dag: Dag, index: int) -> Formula:
    """The formula of a node."""
    node = dag.nodes[index]
    return _FORMULAS[node.operator](*node.parameters, *(formula_of(dag, part) for part in node.parts))


def node_costs(dag: Dag) -> list[int]:
    """The cost of every node's formula (rule 14.11), parts counted as often as they occur."""
    costs: list[int] = []
    for node in dag.nodes:
        costs.append(_own_cost(node.operator, node.parameters) + sum(costs[part] for part in node.parts))
    return costs


@cache
def _own_cost(operator: Operator, parameters: tuple[int | str, ...]) -> int:
    """The cost of an operator without its parts."""
    if operator in (Operator.ATOM, Operator.CONSTANT):
        return 0
    parts = [Atom("p")] * (1 if operator in (Operator.NOT, Operator.EVENTUALLY, Operator.ALWAYS) else 2)
    return cost(_FORMULAS[operator](*parameters, *parts))


# The event predicates of a family, as text that the language itself checks (rule 14.6).

RUNS_COST = 16
"""The cost of an event clause before its predicate: runs, overlaps and matches (rule 14.11)."""


def predicate_texts(family: CandidateFamily, step: Fraction, each: str) -> list[tuple[str, str]]:
    """The single predicates of one kind of obligation in declared order, each with the attribute it came from."""
    tolerances = [ms(t) for t in dict.fromkeys(family.tolerances)]
    return [(name, text) for name in family.attributes for text in _of_attribute(name, each, family, tolerances)]


def _of_attribute(name: str, each: str, family: CandidateFamily, tolerances: list[str]) -> Iterator[str]:
    kept = [print_number(1 - share) for share in family.shares]
    owners = {"ref": ("",), "pred": ("",), "matched": ("ref.", "pred.")}[each]
    match name:
        case "matched":
            if each != "matched":
                yield "matched"
        case "covering":
            yield from (f"{owner}covering <= {count}" for owner in owners for count in family.counts)
        case "coverage":
            yield from (f"{owner}coverage >= {share}" for owner in owners for share in kept)
        case "iou":
            yield from (f"iou >= {share}" for share in kept)
        case "onset" | "offset":
            yield from (f"abs(pred.{name} - ref.{name}) <= {t}" for t in tolerances)
            yield from (f"pred.{name} - ref.{name} <= {t}" for t in tolerances)
            yield from (f"pred.{name} - ref.{name} >= -{t}" for t in tolerances)
        case "duration":
            shares = [print_number(share) for share in family.shares]
            yield from (f"abs(pred.duration - ref.duration) <= {share} * ref.duration" for share in shares)
        case "gap" if each != "pred":
            owner = "ref." if each == "matched" else ""
            yield from (f"{owner}longest_gap <= {t}" for t in tolerances)
            yield from (f"{owner}shortest_gap > {t}" for t in tolerances)
        case "purity" if each != "ref":
            owner = "pred." if each == "matched" else ""
            yield from (f"{owner}purity >= {share}" for share in kept)


def predicate_count(family: CandidateFamily, step: Fraction) -> int:
    """How many event candidates the family has."""
    total = 0
    for each in family.each:
        names = [name for name, _ in predicate_texts(family, step, each)]
        total += len(names)
        if family.joined:
            total += sum(a != b for a, b in combinations(names, 2))
    return total


def enumerate_predicates(family: CandidateFamily, step: Fraction) -> list[EventClause]:
    """The event candidates: each predicate, then pairs of different attributes joined by `and`."""
    clauses: list[EventClause] = []
    for each in family.each:
        texts = predicate_texts(family, step, each)
        if not texts:
            continue
        # as text that the language compiles: units, canonical names and checks are those of clauses that people write
        lines = [f"clause c{index} on each {each} : {text}" for index, (_, text) in enumerate(texts)]
        contract = parse_contract("\n".join([f"contract family step {ms(step)}", *lines]))
        single = list(contract.event_clauses)
        clauses += single
        if family.joined:
            clauses += [
                _both(a, b)
                for (first, a), (second, b) in combinations(zip((n for n, _ in texts), single, strict=True), 2)
                # two limits on one attribute are one limit
                if first != second
            ]
    return clauses


def _both(a: EventClause, b: EventClause) -> EventClause:
    body = replace(a.body, formula=And(a.formula, b.formula), parts=(a.body, b.body))
    return replace(a, body=body, event_atoms=tuple({**dict(a.event_atoms), **dict(b.event_atoms)}.items()))


def predicate_cost(clause: EventClause) -> int:
    """The cost of an event clause (rule 14.11)."""
    atoms = dict(clause.event_atoms)
    connectives = sum(not isinstance(part, Atom | Constant) for part in subformulas(clause.formula))
    return RUNS_COST + connectives + sum(_atom_cost(atoms[name]) for name in predicate_atoms(clause.formula))


def predicate_atoms(formula: Formula) -> Iterator[str]:
    return (part.name for part in subformulas(formula) if isinstance(part, Atom))


def _atom_cost(atom: TermComparison | Flag) -> int:
    match atom:
        case Flag():
            return 1
        case TermComparison(_, left, right, _):
            return 1 + _term_cost(left) + _term_cost(right)


def _term_cost(term: Term) -> int:
    match term:
        case ConstantTerm():
            return 0
        case Attribute():
            return 1
        case TermSum(a, b) | TermDifference(a, b):
            return 1 + _term_cost(a) + _term_cost(b)
        case Scaled(_, body) | Absolute(body):
            return 1 + _term_cost(body)
        case Minimum(arguments) | Maximum(arguments):
            return len(arguments) - 1 + sum(map(_term_cost, arguments))
