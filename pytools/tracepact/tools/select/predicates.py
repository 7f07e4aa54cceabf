"""The event predicates of a family, as text that the language itself checks (rule 14.6)."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from tracepact.calibration.family import CandidateFamily
from tracepact.core import (
    Absolute,
    And,
    Atom,
    Attribute,
    Comparison,
    Constant,
    Difference,
    EventClause,
    Flag,
    Formula,
    Maximum,
    Minimum,
    Number,
    Scaled,
    Sum,
    Term,
    subformulas,
)
from tracepact.lang import parse_contract
from tracepact.wording import ms, print_number

RUNS_COST = 16
"""What an event clause costs before its predicate: runs, overlaps and matches (rule 14.11)."""


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
    found: list[EventClause] = []
    for each in family.each:
        texts = predicate_texts(family, step, each)
        if not texts:
            continue
        lines = [f"clause c{index} on each {each} : {text}" for index, (_, text) in enumerate(texts)]
        contract = parse_contract("\n".join([f"contract family step {ms(step)}", *lines]))
        single = list(contract.event_clauses)
        found += single
        if family.joined:
            found += [
                _both(a, b)
                for (first, a), (second, b) in combinations(zip((n for n, _ in texts), single, strict=True), 2)
                if first != second
            ]
    return found


def _both(a: EventClause, b: EventClause) -> EventClause:
    body = replace(a.body, formula=And(a.formula, b.formula), parts=(a.body, b.body))
    return replace(a, body=body, event_atoms=tuple({**dict(a.event_atoms), **dict(b.event_atoms)}.items()))


def predicate_cost(clause: EventClause) -> int:
    """The cost of an event clause (rule 14.11)."""
    atoms = dict(clause.event_atoms)
    connectives = sum(not isinstance(part, Atom | Constant) for part in subformulas(clause.formula))
    return RUNS_COST + connectives + sum(_atom_cost(atoms[name]) for name in _leaves(clause.formula))


def _leaves(formula: Formula) -> Iterator[str]:
    return (part.name for part in subformulas(formula) if isinstance(part, Atom))


def _atom_cost(atom: Comparison | Flag) -> int:
    match atom:
        case Flag():
            return 1
        case Comparison(_, left, right, _):
            return 1 + _term_cost(left) + _term_cost(right)


def _term_cost(term: Term) -> int:
    match term:
        case Number():
            return 0
        case Attribute():
            return 1
        case Sum(a, b) | Difference(a, b):
            return 1 + _term_cost(a) + _term_cost(b)
        case Scaled(_, body) | Absolute(body):
            return 1 + _term_cost(body)
        case Minimum(arguments) | Maximum(arguments):
            return len(arguments) - 1 + sum(map(_term_cost, arguments))
