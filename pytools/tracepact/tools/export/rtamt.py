"""Frame formulas as STL text for rtamt's discrete-time monitor, after projection to the grid.

Each atom becomes a signal that is 1 where it holds and -1 where it does not, so a formula holds at a frame exactly when
its robustness there is positive. Robustness is never 0: rtamt would call that neither true nor false. One unit of time
is one frame, rtamt's default sampling period.
"""

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
)

# The words of rtamt's lexer, and the key of the time stamps in its data sets.
_RESERVED = frozenset(
    (
        *("abs", "sqrt", "exp", "pow", "log", "ln", "not", "or", "and", "iff", "implies", "xor", "rise", "fall"),
        *(
            "always",
            "G",
            "eventually",
            "F",
            "until",
            "U",
            "unless",
            "W",
            "historically",
            "H",
            "once",
            "O",
            "since",
            "S",
        ),
        *("next", "X", "prev", "Y", "s_next", "sX", "s_prev", "sY", "true", "TRUE", "false", "FALSE"),
        *("real", "float", "long", "complex", "int", "bool", "const", "input", "output", "internal", "topic"),
        *("assertion", "specification", "import", "from", "s", "ms", "us", "ns", "ps", "time"),
    )
)


def to_rtamt(formula: Formula) -> str:
    """One formula as STL text."""
    match formula:
        case Atom(name):
            return f"({signal(name)} > 0)"
        case Constant(value):
            return "(1 > 0)" if value else "(0 > 1)"
        case Not(body):
            return f"(not {to_rtamt(body)})"
        case And(a, b):
            return f"({to_rtamt(a)} and {to_rtamt(b)})"
        case Or(a, b):
            return f"({to_rtamt(a)} or {to_rtamt(b)})"
        case Implies(a, b):
            return f"({to_rtamt(a)} implies {to_rtamt(b)})"
        case Iff(a, b):
            # rtamt's own iff is never positive: it is minus the difference of the two robustness values.
            left, right = to_rtamt(a), to_rtamt(b)
            return f"(({left} and {right}) or not ({left} or {right}))"
        case Eventually(lo, hi, body):
            return _window("once", "eventually", lo, hi, to_rtamt(body))
        case Always(lo, hi, body):
            return _window("historically", "always", lo, hi, to_rtamt(body))
        case Until(radius, a, b):
            return f"({to_rtamt(a)} until[0:{radius}] {to_rtamt(b)})"
        case Since(radius, a, b):
            return f"({to_rtamt(a)} since[0:{radius}] {to_rtamt(b)})"


def _window(past: str, future: str, lo: int, hi: int, body: str) -> str:
    """A window with both signs looks back first and from there ahead; the frame between is always in the trace."""
    if lo >= 0:
        return f"({future}[{lo}:{hi}] {body})"
    if hi <= 0:
        return f"({past}[{-hi}:{-lo}] {body})"
    return f"({past}[0:{-lo}] ({future}[0:{hi}] {body}))"


def signal(atom: str) -> str:
    """The signal of an atom: its name, with one more underscore where rtamt reserves the word."""
    return f"{atom}_" if atom.rstrip("_") in _RESERVED else atom


def export_contract(contract: Contract) -> str:
    """Every frame clause as two named formulas after the signals they need: a text that rtamt reads unchanged."""
    signals = sorted({signal(name) for name in contract.atoms})

    def named(clause: str, part: str) -> str:
        name = f"{clause}_{part}"
        while name in signals:
            name += "_"
        return name

    lines = [
        f"// {contract.name}: frame clauses as discrete-time STL, one sample a frame of {contract.step} s",
        "// a signal is 1 where its atom holds and -1 where it does not; a formula holds where it is positive",
        *(f"input float {name}" for name in signals),
    ]
    for clause in contract.frame_clauses:
        lines.append("")
        lines.append(f"{named(clause.name, 'obligation')} = {to_rtamt(clause.obligation)}")
        lines.append(f"{named(clause.name, 'formula')} = {to_rtamt(clause.formula)}")
    skipped = [clause.name for clause in contract.event_clauses]
    if skipped:
        lines.append(f"\n// event clauses have no STL counterpart: {', '.join(skipped)}")
    return "\n".join(lines) + "\n"
