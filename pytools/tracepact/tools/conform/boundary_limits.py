"""Random texts that tell one reading from another: exact bounds, limits, white space, parentheses, faulty contracts."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from tracepact.core import Each
from tracepact.tools.conform.boundaries import Case, Experiment
from tracepact.tools.conform.boundary_intervals import STEPS, predicate, seconds
from tracepact.tools.conform.vectors import Profile

_LONGEST = 60
"""Characters of a quantity (1.4)."""


def _formula(text: str, step: str = "0.02") -> Case:
    return {"ask": "formula", "text": text, "step": step}


def _bound(rng: Random, digits: int) -> Case:
    """A window whose bound is so many decimal places beside a whole number of frames, or a fraction near one."""
    step = rng.choice((*STEPS, "1"))
    frames = Fraction(rng.choice((0, 1, 2, 3, 7, 50)))
    if rng.random() < 0.5:
        value = frames * Fraction(step) + rng.choice((1, -1)) * Fraction(1, 10**digits)
    else:
        denominator = rng.choice((3, 7, 9, 11, 13, 49, 125, 10**9 + 7))
        value = Fraction(rng.randrange(1, 40), denominator) * Fraction(step)
    shown = seconds(abs(value))
    if len(shown) > _LONGEST - 2:
        shown = seconds(frames * Fraction(step))
    operator = rng.choice(("N[{}] p", "F[{}] p", "G[0,{}] p", "F[-{},0f] p", "p U[{}] q", "p S[{}] q"))
    return _formula(operator.format(f"{shown}{rng.choice(('', 's'))}"), step)


def _nested(rng: Random) -> Case:
    """Operators or parentheses at, below and above the deepest that is allowed, perhaps beside one another."""
    levels = rng.choice((198, 199, 200, 201, 202))
    deep = rng.choice(
        (
            f"{'(' * levels}p{')' * levels}",
            f"{'!' * levels}p",
            f"{'G[1f] ' * levels}p",
            "p" + " & p" * levels,
            "p" + " -> p" * levels,
            f"{'!(' * levels}p{')' * levels}",
            "p" + " U[1f] p" * levels,
        )
    )
    return _formula(rng.choice((deep, deep, f"q | ({deep})", f"({deep}) & {'(' * 9}q{')' * 9}")))


_SPACES = (" ", "\t", "\r", "\n", "\r\n", "#\n", "# p\r & q\n", "# p &\r q\n", "# \u2028 ) \n", "\n# 😀\n", "  ")
_NO_SPACES = (
    ("\u00a0", "\x0b", "\u2003", "\ufeff", "\x1c", "\x85", "\x00"),
    ("\x0c", "\x08"),
    ("// x\r y\n", "// x\ry\n", "/* x\r & */\n", "//\r\n", "// \u2028 $ \n"),
)
"""What is no white space: other characters, those with an escape of their own in JSON, what looks like a comment."""


def _spaced(rng: Random, tokens: int, odd: float) -> Case:
    """Few tokens with white space of every kind between them, and with what is none as often as is said."""
    words = ["p"] + [word for _ in range(tokens) for word in (rng.choice(("&", "->", "or", "<->")), rng.choice("pq"))]
    text = "\ufeff" if rng.random() < 0.2 else ""
    for word in words:
        text += word + rng.choice(rng.choice(_NO_SPACES) if rng.random() < odd else _SPACES)
    return _formula(text)


def _limits(rng: Random, dimension: str, size: int) -> Case:
    match dimension:
        case "places":
            return _bound(rng, size)
        case "levels":
            return _nested(rng)
        case "odd":
            return _spaced(rng, size, 0.4)
    return _spaced(rng, size, rng.choice((0, 0, 1 / (2 * size))))


# Contracts


@dataclass(frozen=True, slots=True)
class _Language:
    """What a text with parentheses around every part is built of: leaves, forms of one or two parts, and joins of two.

    The canonical text has as few parentheses as it can, so every pair of operators has to be tried within one another.
    """

    leaf: Callable[[Random], str]
    forms: tuple[str, ...]
    joins: tuple[str, ...]
    formed: float

    def text(self, rng: Random, levels: int) -> str:
        """A text so many levels deep."""
        if levels == 0:
            return self.leaf(rng)
        a, b = self.text(rng, levels - 1), self.text(rng, rng.randrange(levels))
        if rng.random() < self.formed:
            return rng.choice(self.forms).format(a, b)
        pair = (a, b) if rng.random() < 0.5 else (b, a)
        return f"({pair[0]} {rng.choice(self.joins)} {pair[1]})"


_FORMULAS = _Language(
    leaf=lambda rng: rng.choice(("ref_active", "pred_active", "ref_onset", "true")),
    forms=("(!{0})", "(!{0})", "(N[1f] {0})", "(F[-1f,2f] {0})", "(G[20ms] {0})", "({0} U[1f] {1})", "({0} S[1f] {1})"),
    joins=("&", "|", "->", "<->"),
    formed=0.5,
)
_TERMS = _Language(
    leaf=lambda rng: rng.choice(("ref.onset", "pred.onset", "ref.duration", "40ms", "1f", "pred.offset")),
    forms=(
        "(-{0})",
        "(2 * {0})",
        "(1/3 * {0})",
        "({0} * (2 * 4))",
        "({0} * (3 * 1/7))",
        "min({0}, {1})",
        "max({0}, {1})",
    ),
    joins=("+", "-", "-"),
    formed=0.6,
)


def _compared(rng: Random) -> str:
    """A truth value, or a comparison of two times."""
    left, right = _TERMS.text(rng, rng.randrange(4)), _TERMS.text(rng, 1)
    return rng.choice(("matched", f"({left} {rng.choice(('<=', '>', '==', '!='))} {right})", "iou > 1/3"))


_PREDICATES = _Language(_compared, ("(not {0})",), ("and", "or", "implies", "iff"), formed=0.25)


_HEAD = ("contract c", "step 20ms")


def _contract(lines: list[str]) -> Case:
    return {"ask": "contract", "text": "\n".join(lines) + "\n"}


def _parenthesised(rng: Random, levels: int) -> Case:
    frame = f"clause a on {_FORMULAS.text(rng, levels % 3)} : {_FORMULAS.text(rng, levels)}"
    event = f"clause b on each matched : {_PREDICATES.text(rng, levels)}"
    return _contract([*_HEAD, *rng.sample((frame, event), rng.choice((1, 2)))])


_FAULTY = (
    "step 40ms",
    "contract d",
    "clause a on true : ref_active",
    "clause c on each matched : min(iou) > 0.5",
    "clause c on each matched : abs(iou, 1) > 0.5",
    "clause c on each matched : 40ms * ref.onset > 0s",
    "clause c on each ref : 0.5 * covering == 1",
    "clause c on each ref : 2 * covering == 1",
    "clause c on each ref : covering == 0.5",
    "clause c on each ref : iou * coverage > 0",
    "clause c on each ref : purity > 0.5",
    "clause c on each ref : shortest_gap + 1s > 2s",
    "clause c on each ref : covering > 1s",
    "clause c on each pred : matched > 0",
    "clause c on true : zone",
    "clause c on true : F[2f,1f] ref_active",
    "clause c on true : N[-tol] ref_active",
    "clause c on true : N[other] ref_active",
    "clause c on each any : true",
    "param tol = 3f",
    "param ref_active = 3f",
    "param n = 0.5",
    "atom pred_onset",
    "atom zone\natom zone",
    "sweep tol = 1f -2f",
    "sweep none = 1f",
    "merge_gap -1f",
    "merge_gap 2f\nmerge_gap 2f",
    "matcher best",
    "matcher greedy(search = 2)",
    "matcher greedy(overlap_reward = 2s)",
    "matcher optimal(reach = 1s)",
    "projection middle",
    "aggregate mean",
    "soft_scale 0s",
    "labels a a",
    "profile p : a = 0",
    "profile p : a = -1",
    "profile p : none = 1",
    "profile p : a = 1, a = 2",
    "profile p over mean : a = 1",
    "profile p : a = 1\nprofile p : a = 2",
    "clause c on true : (ref_active",
    "clause on each ref : true",
    "clause c on each ref : matched matched",
    "nothing at all",
)
"""Statements that have a fault, or one beside those of a small contract; a few have none."""


def _faults(rng: Random, count: int) -> Case:
    """A small contract with so many statements that are mostly faulty, in any order."""
    lines = ["param tol = 40ms", "clause a on true : N[tol] ref_active", f"clause b on each ref : {_covered(rng)}"]
    lines += rng.sample(_FAULTY, count)
    rng.shuffle(lines)
    head = [line for line in _HEAD if rng.random() > 0.05]
    return _contract([*head, *lines])


def _covered(rng: Random) -> str:
    return predicate(rng, Each.REF, Fraction(1, 50), 3)


def _contracts(rng: Random, dimension: str, size: int) -> Case:
    return _parenthesised(rng, size) if dimension == "levels" else _faults(rng, size)


LIMIT_EXPERIMENTS: dict[Profile, dict[str, Experiment]] = {
    Profile.TEXT: {
        "limits of texts": Experiment(_limits, {"places": 40, "levels": 1, "spaces": 1 << 3, "odd": 1 << 3}),
        "parentheses and faults": Experiment(_contracts, {"levels": 1 << 2, "faults": 1 << 2}),
    }
}
