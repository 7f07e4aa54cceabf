"""The syntax of contracts as it is written: frozen nodes with spans. Equality ignores spans."""

from dataclasses import field
from enum import Enum
from fractions import Fraction

from tracepact.declarations import dataclass
from tracepact.diagnostics.findings import Span

NOWHERE = Span(0, 0)


class Connective(Enum):
    """The binary connectives, by their canonical sign."""

    IFF = "<->"
    IMPLIES = "->"
    OR = "|"
    AND = "&"


# Two texts of one meaning have equal trees: the round trip through the printer is compared so (rule 11.1).
def _span() -> Span:
    return field(default=NOWHERE, compare=False, repr=False)


SECONDS = {"": Fraction(1), "s": Fraction(1), "ms": Fraction(1, 1000)}
"""How long each unit of time is; a number without one is in seconds (rule 2.4). Frames (`f`) take a step."""
UNITS = ("ms", "s", "f")
"""What can follow a number; the first that a text ends in is its unit."""
LONGEST_QUANTITY = 60
"""How many characters a quantity may have, its unit included (rule 1.4)."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written: its exact value and its unit (ms, s, f or none)."""

    value: Fraction
    unit: str = ""
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Value:
    """A quantity or a parameter's name, with an optional minus sign."""

    body: "Quantity | Name"
    negative: bool = False
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Name:
    """A word and where it stands: a parameter, an atom, a clause, a choice."""

    text: str
    span: Span = _span()


# Expressions: formulas and event predicates share the connectives and truth values.


@dataclass(frozen=True, slots=True)
class Truth:
    """`true` or `false`."""

    value: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Negation:
    """not."""

    body: "Expression"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Binary:
    """Two expressions joined by a connective."""

    connective: Connective
    left: "Expression"
    right: "Expression"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Mask:
    """An atom of a formula."""

    name: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Near:
    """`N[r] φ`."""

    radius: Value
    body: "Expression"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class WindowOperator:
    """`F[b] φ`, `F[a,b] φ`, `G[b] φ` or `G[a,b] φ`; `lo` is None in the short forms."""

    operator: str
    lo: Value | None
    hi: Value
    body: "Expression"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Reach:
    """`φ U[r] ψ` or `φ S[r] ψ`."""

    operator: str
    radius: Value
    left: "Expression"
    right: "Expression"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Reference:
    """An attribute or parameter in a predicate, such as `ref.onset` or `covering`."""

    owner: str | None
    name: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ArithmeticTerm:
    """`a + b`, `a - b` or `a * b`."""

    operator: str
    left: "Expression"
    right: "Expression"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Minus:
    """`-a`."""

    body: "Expression"
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Call:
    """`abs(a)`, `min(a, b)`, `max(a, b)`."""

    function: Name
    arguments: tuple["Expression", ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Compare:
    """`a <= b` and its kin."""

    relation: str
    left: "Expression"
    right: "Expression"
    span: Span = _span()


Expression = (
    Truth
    | Negation
    | Binary
    | Mask
    | Near
    | WindowOperator
    | Reach
    | Reference
    | ArithmeticTerm
    | Minus
    | Call
    | Compare
    | Quantity
)


def parts(node: Expression) -> tuple[Expression, ...]:
    """The direct parts of an expression."""
    match node:
        case Negation(body) | Near(_, body) | WindowOperator(_, _, _, body) | Minus(body):
            return (body,)
        case Binary(_, a, b) | Reach(_, _, a, b) | ArithmeticTerm(_, a, b) | Compare(_, a, b):
            return (a, b)
        case Call(_, arguments):
            return arguments
        case _:
            return ()


def nesting(node: Expression) -> int:
    """How many operators are nested around the deepest place of an expression, found without recursion."""
    # The parser builds trees of any depth without recursion; a walk that recursed would end in Python before it could
    # refuse.
    deepest, stack = 0, [(node, 0)]
    while stack:
        item, level = stack.pop()
        deepest = max(deepest, level)
        stack.extend((part, level + 1) for part in parts(item))
    return deepest


# Statements


@dataclass(frozen=True, slots=True)
class ContractName:
    """`contract NAME "title"`."""

    name: Name
    title: str | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Setting:
    """`step`, `merge_gap`, `soft_scale` with a value."""

    keyword: str
    value: Value
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class WordSetting:
    """`aggregate` or `projection` with a word."""

    keyword: str
    name: Name
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Option:
    """`name = value` in a matcher, `clause = weight` in a profile."""

    name: Name
    value: Value
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ParamDecl:
    """`param NAME = VALUE`."""

    name: Name
    value: Value
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class SweepDecl:
    """`sweep NAME = VALUE …`."""

    name: Name
    values: tuple[Value, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class MatcherDecl:
    """`matcher NAME(option, …)`."""

    name: Name
    options: tuple[Option, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class LabelsDecl:
    """`labels A B "C d"`."""

    labels: tuple[Name, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class AtomDecl:
    """`atom NAME "words"`."""

    name: Name
    title: str | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class FrameClauseDecl:
    """`clause NAME on OBLIGATION : FORMULA`."""

    name: Name
    obligation: Expression
    formula: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class EventClauseDecl:
    """`clause NAME on each KIND : PREDICATE`."""

    name: Name
    each: Name
    predicate: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ProfileDecl:
    """`profile NAME over AGGREGATION : clause = weight, …`."""

    name: Name
    aggregation: Name | None
    weights: tuple[Option, ...]
    span: Span = _span()


Statement = (
    ContractName
    | Setting
    | WordSetting
    | ParamDecl
    | SweepDecl
    | MatcherDecl
    | LabelsDecl
    | AtomDecl
    | FrameClauseDecl
    | EventClauseDecl
    | ProfileDecl
)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its sign, without trailing space."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Document:
    """The statements of a file in order, its comments, and what could not be read."""

    statements: tuple[Statement, ...]
    comments: tuple[Comment, ...] = field(default=(), compare=False)
    broken: bool = field(default=False, compare=False)
    """Whether some of the text could not be read: it may declare anything."""

    unread: frozenset[str] = field(default=frozenset(), compare=False)
    """The names in it."""
