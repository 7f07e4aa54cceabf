"""Frame formulas as STL text for rtamt's discrete-time monitor, after projection to the grid.

Each atom becomes a real-valued signal that is 1 where it holds and -1 where it does not, so a formula holds at a frame
exactly when its robustness there is positive. Windows with both signs are split at zero, because STL's future and past
operators each look one way only.
"""

from collections.abc import Callable

from tracepact.core import (
    Always,
    And,
    Atom,
    Constant,
    Contract,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
    atoms,
)


def to_rtamt(formula: Formula) -> str:
    """One formula as STL text."""
    match formula:
        case Atom(name):
            return f"({name} > 0)"
        case Constant(value):
            # STL has no truth constants; 0 is never greater than 0.
            return "(0 >= 0)" if value else "(0 > 0)"
        case Not(body):
            return f"(not {to_rtamt(body)})"
        case And(a, b):
            return f"({to_rtamt(a)} and {to_rtamt(b)})"
        case Or(a, b):
            return f"({to_rtamt(a)} or {to_rtamt(b)})"
        case Implies(a, b):
            return f"({to_rtamt(a)} implies {to_rtamt(b)})"
        case Iff(a, b):
            return f"({to_rtamt(a)} iff {to_rtamt(b)})"
        case Eventually(lo, hi, body):
            return _window("once", "eventually", "or", lo, hi, to_rtamt(body))
        case Always(lo, hi, body):
            return _window("historically", "always", "and", lo, hi, to_rtamt(body))
        case Until(radius, a, b):
            return f"({to_rtamt(a)} until[0:{radius}] {to_rtamt(b)})"
        case Since(radius, a, b):
            return f"({to_rtamt(a)} since[0:{radius}] {to_rtamt(b)})"


def _window(past: str, future: str, joined: str, lo: int, hi: int, body: str) -> str:
    if lo >= 0:
        return f"({future}[{lo}:{hi}] {body})"
    if hi <= 0:
        return f"({past}[{-hi}:{-lo}] {body})"
    return f"(({past}[0:{-lo}] {body}) {joined} ({future}[0:{hi}] {body}))"


def export_contract(contract: Contract) -> str:
    """Every frame clause as two named formulas, with the signals they need."""
    lines = [
        f"# {contract.name}: frame clauses as discrete-time STL, one sample a frame of {contract.step} s",
        "# a signal is 1 where its atom holds and -1 where it does not",
    ]
    for clause in contract.frame_clauses:
        signals = sorted(atoms(clause.obligation) | atoms(clause.formula))
        lines.append(f"\n# signals: {', '.join(signals)}")
        lines.append(f"{clause.name}_obligation = {to_rtamt(clause.obligation)}")
        lines.append(f"{clause.name} = {to_rtamt(clause.formula)}")
    skipped = [clause.name for clause in contract.event_clauses]
    if skipped:
        lines.append(f"\n# event clauses have no STL counterpart: {', '.join(skipped)}")
    return "\n".join(lines) + "\n"


EXPORTS: dict[str, Callable[[Contract], str]] = {"rtamt": export_contract}
