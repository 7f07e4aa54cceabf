"""Core formulas: eleven constructors, the same eleven names as in the Lean core."""

from collections.abc import Iterator

from tracepact.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Atom:
    """A named mask."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class Not:
    """The body does not hold."""

    body: "Formula"


@dataclass(frozen=True, slots=True)
class And:
    """Both hold."""

    left: "Formula"
    right: "Formula"


@dataclass(frozen=True, slots=True)
class Or:
    """At least one holds."""

    left: "Formula"
    right: "Formula"


@dataclass(frozen=True, slots=True)
class Implies:
    """If the left holds, so does the right."""

    left: "Formula"
    right: "Formula"


@dataclass(frozen=True, slots=True)
class Iff:
    """Both hold or neither does."""

    left: "Formula"
    right: "Formula"


@dataclass(frozen=True, slots=True)
class Eventually:
    """The body holds at some frame at an offset from `lo` to `hi`, inside the trace (rule 6.2)."""

    lo: int
    hi: int
    body: "Formula"


@dataclass(frozen=True, slots=True)
class Always:
    """The body holds at every frame at an offset from `lo` to `hi`, inside the trace (rule 6.3)."""

    lo: int
    hi: int
    body: "Formula"


@dataclass(frozen=True, slots=True)
class Until:
    """The right holds within `radius` frames ahead, the left at every frame before that (rule 6.4)."""

    radius: int
    left: "Formula"
    right: "Formula"


@dataclass(frozen=True, slots=True)
class Since:
    """The right held within `radius` frames back, the left at every frame after that (rule 6.5)."""

    radius: int
    left: "Formula"
    right: "Formula"


Formula = Atom | Constant | Not | And | Or | Implies | Iff | Eventually | Always | Until | Since


def children(formula: Formula) -> tuple[Formula, ...]:
    """The direct parts of a formula."""
    match formula:
        case Atom() | Constant():
            return ()
        case Not(body) | Eventually(_, _, body) | Always(_, _, body):
            return (body,)
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b) | Until(_, a, b) | Since(_, a, b):
            return (a, b)


def subformulas(formula: Formula) -> Iterator[Formula]:
    """The formula and all its parts, parents first, repeats included."""
    waiting = [formula]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += reversed(children(part))


def atoms(formula: Formula) -> frozenset[str]:
    """The names of the atoms that occur."""
    return frozenset(part.name for part in subformulas(formula) if isinstance(part, Atom))
