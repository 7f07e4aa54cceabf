"""Two versions of a contract made comparable: renamed clauses under one name, windows of another step by times."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil
from operator import attrgetter

from tracepact.core import (
    Always,
    And,
    Atom,
    Constant,
    Contract,
    Each,
    EventClause,
    Eventually,
    Formula,
    FrameClause,
    Iff,
    Implies,
    Located,
    Not,
    Or,
    Since,
    Until,
)
from tracepact.events.attributes import Obligation, Scene
from tracepact.logic.event_model import EventExample, violations
from tracepact.logic.event_samples import sampled_scenes

Clause = FrameClause | EventClause


def renamed_clauses(new: Contract, old: Contract) -> dict[str, str]:
    """The new names of old clauses: those that say the same, then those alone in asking where they ask."""
    gone = [clause for clause in old.clauses if clause.name not in {c.name for c in new.clauses}]
    came = [clause for clause in new.clauses if clause.name not in {c.name for c in old.clauses}]
    found: dict[str, str] = {}
    for says in (_all_of, _where):
        for was in [clause for clause in gone if clause.name not in found]:
            now = [clause for clause in came if clause.name not in found.values() and says(clause) == says(was)]
            rivals = [clause for clause in gone if clause.name not in found and says(clause) == says(was)]
            if len(now) == len(rivals) == 1:
                found[was.name] = now[0].name
    return found


def _all_of(clause: Clause) -> object:
    match clause:
        case FrameClause():
            return clause.obligation, clause.formula
        case EventClause():
            return clause.each, clause.formula, clause.event_atoms


def _where(clause: Clause) -> object:
    return clause.obligation if isinstance(clause, FrameClause) else clause.each


def with_names(contract: Contract, names: dict[str, str]) -> Contract:
    """The contract with other names for some clauses."""
    clauses = tuple(replace(clause, name=names.get(clause.name, clause.name)) for clause in contract.clauses)
    return replace(contract, clauses=clauses)


def at_step(contract: Contract, step: Fraction) -> Contract:
    """The contract on another grid: each window as long as it acted, in frames of the new step, rounded outward."""
    ratio = contract.step / step

    def moved(located: Located) -> Located:
        return replace(located, formula=_scaled(located.formula, ratio), parts=())

    clauses = tuple(
        replace(clause, duty=moved(clause.duty), body=moved(clause.body)) if isinstance(clause, FrameClause) else clause
        for clause in contract.clauses
    )
    return replace(contract, clauses=clauses, step=step)


def _scaled(formula: Formula, ratio: Fraction) -> Formula:
    def of(part: Formula) -> Formula:
        return _scaled(part, ratio)

    def frames(bound: int) -> int:
        return ceil(bound * ratio) if bound > 0 else -ceil(-bound * ratio)

    match formula:
        case Atom() | Constant():
            return formula
        case Not(body):
            return Not(of(body))
        case Eventually(lo, hi, body) | Always(lo, hi, body):
            return type(formula)(frames(lo), frames(hi), of(body))
        case Until(radius, a, b) | Since(radius, a, b):
            return type(formula)(frames(radius), of(a), of(b))
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return type(formula)(of(a), of(b))


def scene_of_a_setting(new: Contract, earlier: Contract) -> tuple[str, str] | None:
    """A clause and a scene that scoring judges differently under two matchers or merge gaps; None if no sample does."""
    judged = {clause.name: _obligated(clause.each) for clause in new.event_clauses}
    for scene in _scenes(new, earlier):
        is_now, was = violations(new, scene), violations(earlier, scene)
        for name in is_now:
            of = judged[name]
            one, other = ({of(o) for o in found[name]} for found in (is_now, was))
            differ = one ^ other
            if differ:
                shown = next(o for o in (*is_now[name], *was[name]) if of(o) in differ)
                return name, EventExample(shown).words(new.step)
    return None


def _obligated(each: Each) -> Callable[[Obligation], object]:
    """What is judged: an interval whatever its partner, or a pair."""
    return attrgetter(*{Each.REF: ("ref",), Each.PRED: ("pred",), Each.MATCHED: ("ref", "pred")}[each])


def _scenes(new: Contract, earlier: Contract) -> Iterator[Scene]:
    for contract in (new, earlier):
        yield from sampled_scenes(contract.matcher.search // contract.step)
