"""Random texts and contracts at the limits of the language: digits, levels, names, white space, quantities."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from tracepact.conform.boundary_events import STEPS, predicate, seconds
from tracepact.conform.boundary_traces import (
    LABELS,
    NAMES,
    Case,
    Experiment,
    Experiments,
    by_dimension,
    contract_case,
    formula_case,
    quoted,
)
from tracepact.conform.oracle import ConformanceProfile
from tracepact.language.predicate import Each

# Random texts that tell one reading from another: exact bounds, limits, white space, parentheses, faulty contracts.

_LONGEST = 60
"""Characters of a quantity (1.4)."""


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
    return formula_case(operator.format(f"{shown}{rng.choice(('', 's'))}"), step)


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
    return formula_case(rng.choice((deep, deep, f"q | ({deep})", f"({deep}) & {'(' * 9}q{')' * 9}")))


_LIMIT_SPACES = (" ", "\t", "\r", "\n", "\r\n", "#\n", "# p\r & q\n", "# p &\r q\n", "# \u2028 ) \n", "\n# 😀\n", "  ")
_NO_SPACES = (
    ("\u00a0", "\x0b", "\u2003", "\ufeff", "\x1c", "\x85", "\x00"),
    ("\x0c", "\x08"),
    ("// x\r y\n", "// x\ry\n", "/* x\r & */\n", "//\r\n", "// \u2028 $ \n"),
)
"""What is no white space: other characters, those with an escape of their own in JSON, what looks like a comment."""


def _limit_spaced(rng: Random, tokens: int, odd: float) -> Case:
    """Few tokens with white space of every kind between them, and with what is none as often as is said."""
    words = ["p"] + [word for _ in range(tokens) for word in (rng.choice(("&", "->", "or", "<->")), rng.choice("pq"))]
    text = "\ufeff" if rng.random() < 0.2 else ""
    for word in words:
        text += word + rng.choice(rng.choice(_NO_SPACES) if rng.random() < odd else _LIMIT_SPACES)
    return formula_case(text)


def _limits(rng: Random, dimension: str, size: int) -> Case:
    match dimension:
        case "places":
            return _bound(rng, size)
        case "levels":
            return _nested(rng)
        case "odd":
            return _limit_spaced(rng, size, 0.4)
    return _limit_spaced(rng, size, rng.choice((0, 0, 1 / (2 * size))))


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
        # One part is exactly as deep as asked, the other at most: else most texts would be shallow.
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


def _parenthesised(rng: Random, levels: int) -> Case:
    frame = f"clause a on {_FORMULAS.text(rng, levels % 3)} : {_FORMULAS.text(rng, levels)}"
    event = f"clause b on each matched : {_PREDICATES.text(rng, levels)}"
    return contract_case([*_HEAD, *rng.sample((frame, event), rng.choice((1, 2)))])


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
    # In any order: faults are reported by place, so where each stands matters.
    lines += rng.sample(_FAULTY, count)
    rng.shuffle(lines)
    head = [line for line in _HEAD if rng.random() > 0.05]
    return contract_case([*head, *lines])


def _covered(rng: Random) -> str:
    return predicate(rng, Each.REF, Fraction(1, 50), 3)


_contracts = by_dimension({"levels": _parenthesised, "faults": _faults})


LIMIT_EXPERIMENTS: Experiments = {
    ConformanceProfile.TEXT: {
        "limits of texts": Experiment(_limits, {"places": 40, "levels": 1, "spaces": 1 << 3, "odd": 1 << 3}),
        "parentheses and faults": Experiment(_contracts, {"levels": 1 << 2, "faults": 1 << 2}),
    }
}


# Random texts at the boundaries of what the language allows: digits, levels, names, white space, whole contracts.

_SIGNS = {
    "and": ("&", "and", "∧"),
    "or": ("|", "or", "∨"),
    "implies": ("->", "implies", "→"),
    "iff": ("<->", "iff", "↔"),
}
_TEXT_SPACES = (" ", " ", " ", "  ", "\t", "\n", "\r\n", " # 😀 & (\n", "#\n ", " # a\r & b\n")
_ODD = ("\x0c", "\u00a0", "\x0b", "\u2028", "😀", "&&", "$", "1.", "1..2", "3x", "1e3", "p.q", ")", "U", "[1]")


def quantity(rng: Random, digits: int) -> str:
    """A quantity of so many digits: a decimal, or a fraction with a denominator that no float has."""
    whole = str(rng.randrange(10 ** max(digits - 1, 0), 10**digits)) if digits else "0"
    match rng.randrange(3):
        case 0:
            return whole
        case 1 if len(whole) > 1:
            cut = rng.randrange(1, len(whole))
            return f"{whole[:cut]}.{whole[cut:]}"
    return f"{whole}/{rng.choice((3, 7, 9, 11, 49, 125, 10**9 + 7))}"


def _value(rng: Random, dimension: str, size: int) -> str:
    if dimension == "digits":
        return quantity(rng, min(size, 58)) + rng.choice(("", "s", "ms"))
    if dimension == "frames":
        return f"{size}f"
    return quantity(rng, rng.randrange(1, 4)) + rng.choice(("", "s", "ms", "f"))


def _tree(rng: Random, levels: int, dimension: str, size: int) -> str:
    """A formula as text, with as few or as many parentheses as it happens to get."""
    # Some branches end early, or every text would be a full tree.
    if levels == 0 or rng.random() < 0.2:
        return rng.choice((*NAMES, "true", "false"))
    part = _tree(rng, levels - 1, dimension, size)
    other = _tree(rng, rng.randrange(min(levels, 2)), dimension, size)
    match rng.randrange(8):
        case 0:
            return f"{rng.choice(('!', 'not ', '¬'))}{part}"
        case 1:
            return f"({part})"
        case 2:
            return f"{rng.choice('NFG')}[{_value(rng, dimension, size)}] {part}"
        case 3:
            low, high = sorted((_value(rng, "", 0), _value(rng, dimension, size)), key=len)
            return f"{rng.choice('FG')}[{rng.choice(('', '-'))}{low},{high}] {part}"
        case 4:
            return f"{other} {rng.choice('US')}[{_value(rng, dimension, size)}] {part}"
    pair = (other, part) if rng.random() < 0.5 else (part, other)
    return f"{pair[0]} {rng.choice(_SIGNS[rng.choice(list(_SIGNS))])} {pair[1]}"


def _text_spaced(rng: Random, text: str) -> str:
    """The text with other white space, and now and then with a fault."""
    parts = text.split(" ")
    spaced = parts[0]
    for part in parts[1:]:
        spaced += (rng.choice(_TEXT_SPACES) if rng.random() < 0.25 else " ") + part
    # One fault at most: of two a reader may report either first.
    if rng.random() < 0.25:
        at = rng.randrange(len(spaced) + 1)
        spaced = f"{spaced[:at]}{rng.choice(_ODD)}{spaced[at:]}"
    return spaced


def _text_formula(rng: Random, dimension: str, size: int) -> Case:
    step = rng.choice(STEPS)
    if dimension == "levels":
        text = rng.choice((f"{'(' * size}p{')' * size}", f"{'!' * size}p", f"{'N[1f] ' * size}p", "p" + " -> p" * size))
        text = text if rng.random() < 0.7 else f"{'F[1f] (' * (size // 2)}p{')' * (size // 2)}"
    elif dimension == "name":
        text = f"{rng.choice('aZ_')}{'b_9' * (size // 3)} & p"
    elif dimension == "operands":
        text = " ".join(
            ["p"] + [f"{rng.choice(_SIGNS[rng.choice(list(_SIGNS))])} {rng.choice('pq')}" for _ in range(size)]
        )
    else:
        text = _text_spaced(rng, _tree(rng, rng.randrange(1, 6), dimension, size))
    return formula_case(text, step)


_WORDS = ("", *LABELS)


def _text_contract(rng: Random, dimension: str, size: int) -> Case:
    """A contract in any order, spelt in any way, now and then with a fault."""
    count = size if dimension == "clauses" else rng.randrange(1, 4)
    atoms = rng.sample(NAMES, 4)
    lines = [f"atom {name}" + (f" {quoted(rng.choice(_WORDS))}" if rng.random() < 0.5 else "") for name in atoms]
    names = [f"{rng.choice('abc_')}{'x' * rng.randrange(9)}{k}" for k in range(count)]
    for name in names:
        if rng.random() < 0.5:
            body = _tree(rng, rng.randrange(1, 5), "", 0)
            # A formula is drawn with any names; a contract knows only the atoms it declares.
            for other in NAMES:
                body = body if other in atoms else re.sub(rf"\b{other}\b", atoms[0], body, flags=re.ASCII)
            lines.append(f"clause {name} on {rng.choice((atoms[1], 'true', f'({atoms[2]})'))} : {body}")
        else:
            each = rng.choice(list(Each))
            lines.append(f"clause {name} on each {each.value}:{predicate(rng, each, Fraction(1, 50), 3)}")
    lines += [
        f"param t{k} = {quantity(rng, rng.randrange(1, 5))}{rng.choice(('s', 'ms', 'f'))}"
        for k in range(rng.randrange(3))
    ]
    if rng.random() < 0.4:
        lines.append(f"sweep t0 = {quantity(rng, 2)}s .50s 3f")
    if rng.random() < 0.4:
        lines.append(
            rng.choice(("matcher greedy", "matcher optimal( )", "matcher greedy(overlap_reward=.50,search= 1/3s)"))
        )
    if rng.random() < 0.4:
        lines.append("labels " + " ".join(dict.fromkeys(map(quoted, rng.sample(_WORDS[1:], 3)))))
    if rng.random() < 0.4:
        over = rng.choice(("", " over pooled", " over macro_clips"))
        lines.append(f"profile risk{over}:" + ",".join(f"{name}={quantity(rng, 2)}" for name in names[:3]))
    if rng.random() < 0.3:
        lines.append(rng.choice(("merge_gap 20ms", "aggregate macro_classes", "projection touch", "soft_scale .10s")))
    rng.shuffle(lines)
    title = f" {quoted(rng.choice(_WORDS))}" if rng.random() < 0.5 else ""
    text = "\n".join([f"contract c{title}", f"step {rng.choice(('20ms', '1/50s', '.0200'))}", *lines])
    return {"ask": "contract", "text": _text_spaced(rng, text)}


TEXT_EXPERIMENTS: Experiments = {
    ConformanceProfile.TEXT: {
        "texts": Experiment(
            _text_formula,
            {"digits": 58, "levels": 202, "name": 1 << 10, "operands": 1 << 7, "frames": 1 << 33, "any": 4},
        ),
        "contract texts": Experiment(
            _text_contract, {"clauses": 1 << 4, "any": 1 << 4}, {"clauses": 1 << 7, "any": 1 << 6}
        ),
    }
}
