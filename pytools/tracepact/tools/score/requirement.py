"""Requirements: what must hold of a clause, a profile or another value, as `--require` says it."""

import operator
import re
from collections.abc import Callable, Collection
from fractions import Fraction
from typing import Any, NamedTuple

from tracepact.core import Aggregation
from tracepact.diagnostics import Diagnostics, did_you_mean
from tracepact.scoring import LOGIC
from tracepact.show.lines import say
from tracepact.wording import parse_exact, print_number

_OFFERED = 12
_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
}
_REQUIREMENT = re.compile(
    r"\s*(?:([A-Za-z_][A-Za-z0-9_]*)\s*\.\s*)?([A-Za-z_][A-Za-z0-9_]*)\s*(>=|>|<=|<|==)\s*([0-9./]+)\s*"
)

MEAN, HEADLINE = "mean", "headline"
"""What `--require` calls the two means; a clause or a profile of that name comes first."""


class Requirement(NamedTuple):
    """What `--require` says; without an aggregation it is of the contract's, or the profile's own."""

    aggregation: Aggregation | None
    name: str
    relation: str
    bound: Fraction

    def is_met(self, value: Fraction) -> bool:
        """Whether a value meets the relation; exact."""
        return self.compare(value, self.bound)

    @property
    def compare(self) -> Callable[[Fraction, Fraction], bool]:
        """The relation."""
        return _RELATIONS[self.relation]

    @property
    def text(self) -> str:
        """As it is written."""
        name = f"{self.aggregation.value}.{self.name}" if self.aggregation else self.name
        return f"{name} {self.relation} {print_number(self.bound)}"


def requirement_from(text: str, known: Collection[str], faults: Diagnostics) -> Requirement | None:
    """What a text requires; faults are said."""
    found = _REQUIREMENT.fullmatch(text)
    try:
        bound = parse_exact(found[4]) if found else None
    except ValueError:
        bound = None
    if found is None or bound is None:
        faults.add(
            "bad-requirement",
            f"`{text}` is not a requirement",
            help="write `onset_guard>=0.9` or `pooled.onset_guard>=0.9`",
        )
        return None
    aggregations = [a.value for a in Aggregation]
    if found[1] and found[1] not in aggregations:
        help = did_you_mean(found[1], aggregations) or f"write one of {', '.join(aggregations)}"
        faults.add("bad-requirement", f"there is no aggregation `{found[1]}`", help=help)
        return None
    name = found[2]
    if name == LOGIC and LOGIC not in known:
        say(f"--require: the mean of the vector is called `{MEAN}` now; `{LOGIC}` goes with the next version")
        name = MEAN
    if not check_name(name, known, "clause or profile", "bad-requirement", faults):
        return None
    return Requirement(Aggregation(found[1]) if found[1] else None, name, found[3], bound)


def offered(name: str, known: Collection[str]) -> str:
    """A help line for a name that is not known: the nearest one, else the first of those there are, and how many."""
    first = list(known)[:_OFFERED]
    more = f" and {len(known) - len(first):,} more" if len(known) > len(first) else ""
    return did_you_mean(name, known) or f"known here: {', '.join(f'`{one}`' for one in first)}{more}"


def check_name(name: str, known: Collection[str], kind: str, code: str, faults: Diagnostics) -> bool:
    """Whether a name is known; a fault if not."""
    if name not in known:
        faults.add(code, f"the contract has no {kind} `{name}`", help=offered(name, known))
    return name in known
