"""The reference semantics: naive loops, chapters 6 and 18 line by line. Every engine is tested against it."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple

from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
)
from tracepact.wording import parse_stored

# Each case is one line of the rule, quadratic where the rule is. Nothing here is shared with an engine, so that no
# mistake can stand on both sides of a test: windows are loops over frames, never moved masks.

Environment = Mapping[str, Sequence[bool]]
"""The truth of every atom at every frame of one clip."""


def truth(formula: Formula, environment: Environment, frames: int) -> list[bool]:
    """Whether the formula holds, at every frame of a trace with the given number of frames."""

    def of(part: Formula) -> list[bool]:
        return truth(part, environment, frames)

    every = range(frames)
    match formula:
        case Atom(name):
            return [bool(environment[name][i]) for i in every]
        case Constant(value):
            return [value for _ in every]
        case Not(body):
            a = of(body)
            return [not a[i] for i in every]
        case And(left, right):
            a, b = of(left), of(right)
            return [a[i] and b[i] for i in every]
        case Or(left, right):
            a, b = of(left), of(right)
            return [a[i] or b[i] for i in every]
        case Implies(left, right):
            a, b = of(left), of(right)
            return [not a[i] or b[i] for i in every]
        case Iff(left, right):
            a, b = of(left), of(right)
            return [a[i] == b[i] for i in every]
        case Eventually(lo, hi, body):
            a = of(body)
            return [any(a[j] for j in range(max(i + lo, 0), min(i + hi + 1, frames))) for i in every]
        case Always(lo, hi, body):
            a = of(body)
            return [all(a[j] for j in range(max(i + lo, 0), min(i + hi + 1, frames))) for i in every]
        case Until(radius, left, right):
            a, b = of(left), of(right)
            return [
                any(b[j] and all(a[k] for k in range(i, j)) for j in range(i, min(i + radius + 1, frames)))
                for i in every
            ]
        case Since(radius, left, right):
            a, b = of(left), of(right)
            return [
                any(b[j] and all(a[k] for k in range(j + 1, i + 1)) for j in range(max(i - radius, 0), i + 1))
                for i in every
            ]


def holds(formula: Formula, environment: Environment, frames: int, i: int) -> bool:
    """Whether the formula holds at frame i: the same lines for one frame, which asks only where it looks."""
    # By identity, not by value: hashing a formula walks all of it, and equal parts that are asked twice only cost time.
    known: dict[tuple[int, int], bool] = {}

    def at(part: Formula, i: int) -> bool:
        place = id(part), i
        if place not in known:
            known[place] = here(part, i)
        return known[place]

    def here(part: Formula, i: int) -> bool:
        match part:
            case Atom(name):
                return bool(environment[name][i])
            case Constant(value):
                return value
            case Not(body):
                return not at(body, i)
            case And(left, right):
                return at(left, i) and at(right, i)
            case Or(left, right):
                return at(left, i) or at(right, i)
            case Implies(left, right):
                return not at(left, i) or at(right, i)
            case Iff(left, right):
                return at(left, i) == at(right, i)
            case Eventually(lo, hi, body):
                return any(at(body, j) for j in range(max(i + lo, 0), min(i + hi + 1, frames)))
            case Always(lo, hi, body):
                return all(at(body, j) for j in range(max(i + lo, 0), min(i + hi + 1, frames)))
            case Until(radius, left, right):
                ends = (j for j in range(i, min(i + radius + 1, frames)) if at(right, j))
                return any(all(at(left, k) for k in range(i, j)) for j in ends)
            case Since(radius, left, right):
                ends = (j for j in range(max(i - radius, 0), i + 1) if at(right, j))
                return any(all(at(left, k) for k in range(j + 1, i + 1)) for j in ends)

    return at(formula, i)


# Soft values: exact numbers with two zeros and two infinities, so that each is positive or negative (rule 18.2).


class Margin(NamedTuple):
    """A soft value; the order is that of the tuples, so that −0 comes before +0."""

    # The two infinities are the only floats: they are exact, and compare with every fraction.
    size: Fraction | float
    """A number, or an infinity."""
    positive: bool

    def __neg__(self) -> "Margin":
        return Margin(-self.size, not self.positive)

    @property
    def distance(self) -> Fraction | float:
        """How far it is from its opposite: its size without a sign."""
        return self.size if self.positive else -self.size

    @property
    def cut(self) -> Fraction:
        """The value cut to [−1, 1], a zero counting 0 (rule 18.10)."""
        return Fraction(max(-1, min(1, self.size)))

    def __str__(self) -> str:
        if self.size in (inf, -inf):
            return "unbounded" if self.positive else "-unbounded"
        return "-0" if not self.size and not self.positive else str(self.size)


TOP = Margin(inf, True)
BOTTOM = Margin(-inf, False)


def margin_of(number: Fraction) -> Margin:
    """The margin of a score above its threshold by a number: a score at its threshold is not above it."""
    # A number alone would lose the verdict at a tie: 0 above its threshold is not active, and its negation is.
    return Margin(number, number > 0)


def mask_margin(active: bool, margin: Fraction | None = None) -> Margin:
    """The soft value of a mask: unbounded, or its declared margin (rule 18.3)."""
    value = TOP if margin is None else Margin(margin, True)
    return value if active else -value


def parse_margin(text: str) -> Margin:
    """The soft value that a text of `str` denotes; ValueError if it denotes none."""
    if text.removeprefix("-") == "unbounded":
        return BOTTOM if text.startswith("-") else TOP
    size = parse_stored(text)
    return Margin(size, size >= 0 and not text.startswith("-"))


# The soft reference semantics: naive loops, chapter 18 line by line. The fast engine is tested against it.

SoftEnvironment = Mapping[str, Sequence[Margin]]
"""The soft value of every atom at every frame of one clip."""


def soft_truth(formula: Formula, environment: SoftEnvironment, frames: int) -> list[Margin]:
    """The soft value of the formula at every frame of a trace with the given number of frames."""

    def of(part: Formula) -> list[Margin]:
        return soft_truth(part, environment, frames)

    every = range(frames)
    match formula:
        case Atom(name):
            return [environment[name][i] for i in every]
        case Constant(value):
            return [TOP if value else BOTTOM for _ in every]
        case Not(body):
            a = of(body)
            return [-a[i] for i in every]
        case And(left, right):
            a, b = of(left), of(right)
            return [min(a[i], b[i]) for i in every]
        case Or(left, right):
            a, b = of(left), of(right)
            return [max(a[i], b[i]) for i in every]
        case Implies(left, right):
            a, b = of(left), of(right)
            return [max(-a[i], b[i]) for i in every]
        case Iff(left, right):
            a, b = of(left), of(right)
            return [min(max(-a[i], b[i]), max(a[i], -b[i])) for i in every]
        case Eventually(lo, hi, body):
            a = of(body)
            return [max((a[j] for j in range(i + lo, i + hi + 1) if 0 <= j < frames), default=BOTTOM) for i in every]
        case Always(lo, hi, body):
            a = of(body)
            return [min((a[j] for j in range(i + lo, i + hi + 1) if 0 <= j < frames), default=TOP) for i in every]
        case Until(radius, left, right):
            a, b = of(left), of(right)
            return [max(min([b[j], *a[i:j]]) for j in range(i, i + radius + 1) if j < frames) for i in every]
        case Since(radius, left, right):
            a, b = of(left), of(right)
            return [max(min([b[j], *a[j + 1 : i + 1]]) for j in range(i - radius, i + 1) if j >= 0) for i in every]


def soft_onsets(active: Sequence[Margin]) -> list[Margin]:
    """The onsets of a field (rule 18.4)."""
    return [min(x, -active[i - 1]) if i else x for i, x in enumerate(active)]


def soft_offsets(active: Sequence[Margin]) -> list[Margin]:
    """The offsets of a field (rule 18.4)."""
    return [min(-x, active[i - 1]) if i else BOTTOM for i, x in enumerate(active)]


def soft_others(classes: Sequence[Sequence[Margin]], label: int) -> list[Margin]:
    """The greatest soft value of the other classes (rule 18.5)."""
    others = [values for k, values in enumerate(classes) if k != label]
    return [max((values[i] for values in others), default=BOTTOM) for i in range(len(classes[label]))]
