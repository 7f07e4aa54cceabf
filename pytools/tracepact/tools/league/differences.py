"""How systems differ from the baseline, with intervals and p corrected over the systems (rule 16.18)."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from msgspec import structs

from tracepact.scoring.bootstrap import Values
from tracepact.scoring.uncertainty import NEAR, holm, p_of, two_sided
from tracepact.tools.league.base import Base
from tracepact.tools.league.columns import Column, Entry, ends
from tracepact.tools.league.record import LeagueDifference
from tracepact.tools.league.system import LeagueSystem
from tracepact.wording import rounded


def differences(column: Column, systems: Sequence[LeagueSystem], base: Base) -> list[LeagueDifference | None]:
    """The difference of every system from the baseline, None where there is none."""
    first = next(k for k, system in enumerate(systems) if system.name == base.settings.baseline)
    before = column.entries[first]
    found = [
        None if k == first or not (before.earned and after.earned) else _between(before, after)
        for k, after in enumerate(column.entries)
    ]
    drawn = {
        k: one for k, after in enumerate(column.entries) if found[k] and (one := _drawn(before, after)) is not None
    }
    p = {k: _p(some, column, k, systems[first], systems[k], base) for k, some in drawn.items()}
    corrected = dict(zip(p, holm(list(p.values())), strict=True))
    return [
        one if one is None or k not in p else _with_p(one, drawn[k], p[k], corrected[k], base.settings.level)
        for k, one in enumerate(found)
    ]


def _between(before: Entry, after: Entry) -> LeagueDifference | None:
    """The difference of two values, without draws."""
    if before.value is None or after.value is None:
        return None
    value = after.value - before.value
    exact = value if isinstance(value, Fraction) else None
    return LeagueDifference(exact, rounded(value), None, None, None, None, False)


def _drawn(before: Entry, after: Entry) -> Values | None:
    return None if before.drawn is None or after.drawn is None else after.drawn - before.drawn


def _p(drawn: Values, column: Column, index: int, baseline: LeagueSystem, system: LeagueSystem, base: Base) -> Fraction:
    """The p of drawn differences; values of clauses that are earned are made of the same clauses."""
    parts = column.entries[index].parts
    if parts is None or column.aggregation is None:
        signs = np.where(np.abs(drawn) < NEAR, 0, np.sign(np.nan_to_num(drawn)))
        return two_sided(signs.astype(np.int8))
    return p_of(drawn, parts, baseline.rows, system.rows, column.aggregation, base.settings.bootstrap)


def _with_p(
    one: LeagueDifference, drawn: Values, p: Fraction, corrected: Fraction, level: Fraction
) -> LeagueDifference:
    low, high = ends(drawn, level)
    return structs.replace(one, low=low, high=high, p=p, corrected=corrected, significant=corrected <= 1 - level)
