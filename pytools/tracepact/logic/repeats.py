"""Clauses that say the same: grouped, and reported once a group."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from tracepact.core import Contract, EventClause, FrameClause
from tracepact.diagnostics import Diagnostic, TextPlace
from tracepact.wording import listed

_Clause = TypeVar("_Clause", FrameClause, EventClause)


def grouped(clauses: Iterable[_Clause], same: Callable[[_Clause, _Clause], bool]) -> list[list[_Clause]]:
    """The clauses by what they say, each group in source order; a clause is compared with the first of each group."""
    groups: list[list[_Clause]] = []
    for clause in clauses:
        for group in groups:
            if same(group[0], clause):
                group.append(clause)
                break
        else:
            groups.append([clause])
    return groups


def repeated(group: Sequence[_Clause], contract: Contract, where: str) -> Diagnostic:
    """That all clauses of a group but the first can go; `where` says for what they fail."""
    first, *others = group
    names = listed([clause.name for clause in others])
    fail = "fails" if len(others) == 1 else "fail"
    weighed = [p.name for p in contract.profiles if {clause.name for clause in others} & set(dict(p.weights))]
    whose = "its weight" if len(others) == 1 else "their weights"
    move = f" and move {whose} in {listed(weighed)} to `{first.name}`" if weighed else ""
    return Diagnostic(
        "clauses-equivalent",
        f"{names} {fail} {where} `{first.name}` fails",
        TextPlace(contract.source, others[0].body.span),
        f"drop {names}{move}",
    )
