"""Random texts and contracts at the boundaries of sizes: digits, levels, names, white space, faults, quantities."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from tracepact.conform.boundary_events import STEPS, predicate
from tracepact.conform.boundary_traces import (
    LABELS,
    NAMES,
    RESERVED,
    Experiment,
    Experiments,
    by_dimension,
    contract_case,
    formula_case,
    quoted,
    shuffled_names,
)
from tracepact.conform.oracle import ConformanceProfile
from tracepact.conform.protocol import Case, decimal_text
from tracepact.language.predicate import Each

_HEAD = ("contract c", "step 20ms")

# Parentheses and faults.


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


def _few_faults(rng: Random, count: int) -> Case:
    """A small contract with so many statements that are mostly faulty, in any order."""
    covered = f"clause b on each ref : {predicate(rng, Each.REF, Fraction(1, 50), 3)}"
    lines = ["param tol = 40ms", "clause a on true : N[tol] ref_active", covered]
    # In any order: faults are reported by place, so where each stands matters.
    lines += rng.sample(_FAULTY, count)
    rng.shuffle(lines)
    head = [line for line in _HEAD if rng.random() > 0.05]
    return contract_case([*head, *lines])


_contracts = by_dimension({"levels": _parenthesised, "faults": _few_faults})


# Texts: digits, levels, names, white space, whole contracts.

_SIGNS = {
    "and": ("&", "and", "∧"),
    "or": ("|", "or", "∨"),
    "implies": ("->", "implies", "→"),
    "iff": ("<->", "iff", "↔"),
}
_TEXT_SPACES = (" ", " ", " ", "  ", "\t", "\n", "\r\n", " # 😀 & (\n", "#\n ", " # a\r & b\n")
_ODD = (
    *("&&", "$", "1.", "1..2", "3x", "1e3", "p.q", ")", "U", "[1]", "😀"),
    *("\u00a0", "\x0b", "\u2003", "\u2028", "\ufeff", "\x1c", "\x85", "\x00", "\x0c", "\x0c", "\x08", "\x08"),
    *("// x\r y\n", "// x\ry\n", "/* x\r & */\n", "//\r\n", "// \u2028 $ \n"),
)
"""Faults: what is no token; characters that are no white space; what looks like a comment."""

_MARKS = (*("",) * 18, "\ufeff", "\ufeff\ufeff")
"""What a text may begin with: one byte order mark is no fault, two are."""


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
    elif dimension == "odd":
        words = ("p", *(rng.choice(("& q", "-> p", "or q", "<-> p")) for _ in range(size)))
        text = "".join(word + rng.choice(_ODD if rng.random() < 0.4 else _TEXT_SPACES) for word in words)
    elif dimension == "operands":
        text = " ".join(
            ["p"] + [f"{rng.choice(_SIGNS[rng.choice(list(_SIGNS))])} {rng.choice('pq')}" for _ in range(size)]
        )
    else:
        text = _text_spaced(rng, _tree(rng, rng.randrange(1, 6), dimension, size))
    return formula_case(rng.choice(_MARKS) + text, step)


_TITLES = ("", *LABELS)


def _text_contract(rng: Random, dimension: str, size: int) -> Case:
    """A contract in any order, spelt in any way, now and then with a fault."""
    count = size if dimension == "clauses" else rng.randrange(1, 4)
    atoms = rng.sample(NAMES, 4)
    lines = [f"atom {name}" + (f" {quoted(rng.choice(_TITLES))}" if rng.random() < 0.5 else "") for name in atoms]
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
        lines.append("labels " + " ".join(dict.fromkeys(map(quoted, rng.sample(LABELS, 3)))))
    if rng.random() < 0.4:
        over = rng.choice(("", " over pooled", " over macro_clips"))
        lines.append(f"profile risk{over}:" + ",".join(f"{name}={quantity(rng, 2)}" for name in names[:3]))
    if rng.random() < 0.3:
        lines.append(rng.choice(("merge_gap 20ms", "aggregate macro_classes", "projection touch", "soft_scale .10s")))
    rng.shuffle(lines)
    title = f" {quoted(rng.choice(_TITLES))}" if rng.random() < 0.5 else ""
    text = "\n".join([f"contract c{title}", f"step {rng.choice(('20ms', '1/50s', '.0200'))}", *lines])
    return {"ask": "contract", "text": rng.choice(_MARKS) + _text_spaced(rng, text)}


# Contracts with long or many parts, and with quantities that only exact numbers keep.

_ONE = "clause a on true : ref_active"
_ATOMS = ("ref_active", "pred_active", "ref_onset", "pred_onset", "ref_offset")
_CHARACTERS = ("a", " ", "é", "\U0001f600", '"', "\\", "\x0c", "\x08", "\t", "\r", "#", "\u2028", "\x7f")
"""What a text between quotation marks may have: every character but a line feed."""


# Long and many parts


def _title(rng: Random, size: int) -> Case:
    """A title, or the words of an atom, of so many characters; the last one is seldom the one before."""
    # Few characters repeated, and the last one different: a reader that cuts, or that compares by a prefix, takes it
    # for another.
    whole = "".join(rng.choice(_CHARACTERS) for _ in range(min(size, 40)))
    words = quoted((whole * (size // len(whole) + 1))[: size - 1] + rng.choice("xyz"))
    if rng.random() < 0.7:
        return contract_case([f"contract c {words}", "step 20ms", _ONE])
    return contract_case([*_HEAD, f"atom p {words}", "clause a on true : p"])


_WORDS = tuple(dict.fromkeys((*LABELS, *RESERVED, *NAMES)))


def _labels(rng: Random, size: int) -> Case:
    """So many labels, few of them all reserved words; names now and then without quotation marks."""
    pool = RESERVED if size <= len(RESERVED) and rng.random() < 0.5 else _WORDS
    labels = shuffled_names(rng, pool, size)
    written = [label if label in NAMES and rng.random() < 0.5 else quoted(label) for label in labels]
    return contract_case([*_HEAD, _ONE, f"labels {' '.join(written)}"])


def _clauses(rng: Random, size: int) -> Case:
    """So many parameters, clauses that use them, and a profile that weighs all of these in another order."""
    parameters, clauses = (shuffled_names(rng, NAMES, size) for _ in range(2))
    lines = [f"param {name} = {k}f" for k, name in enumerate(parameters)]
    lines += [f"clause {name} on true : N[{k}] ref_active" for name, k in zip(clauses, parameters, strict=True)]
    # Weights in another order than the clauses: who goes through the clauses prints them otherwise (rule 11.1).
    order = rng.sample(clauses, size)
    return contract_case(
        [*_HEAD, *lines, f"profile all : {', '.join(f'{name} = {rng.randrange(1, 9)}' for name in order)}"]
    )


def _columns(rng: Random, size: int) -> Case:
    """An obligation or a name of about so many characters beside short ones."""
    long = f" {rng.choice('&|')} ".join(rng.choice(_ATOMS) for _ in range(min(size // 13 + 1, 200)))
    name = rng.choice(("x", "long_name", "n" * min(size, 300)))
    lines = [f"clause {name} on {long} : true", _ONE, f"clause b on each {rng.choice(('ref', 'matched'))} : matched"]
    return contract_case([*_HEAD, *rng.sample(lines, len(lines))])


# Many faults


def _faulty(rng: Random, kind: str, size: int) -> list[str]:
    """Statements with so many faults of one kind, or of one stage (P20)."""
    some = range(size)
    match kind:
        case "atoms":
            cut = rng.choice((10, 50, 190))
            parts = [" | ".join(f"u{k}" for k in some[at : at + cut]) for at in range(0, size, cut)]
            return [f"clause c{k} on true : {part}" for k, part in enumerate(parts)]
        case "windows":
            window = ("F[2f,1f] ref_active", "N[-1f] ref_active", "N[none] ref_active", "(ref_active U[-2f] zone)")
            return [f"clause c{k} on {rng.choice(window)} : {rng.choice(window)}" for k in range((size + 1) // 2)]
        case "statements":
            words = ("param = 3f", "clause c on : true", "sweep tol 1f", "matcher ( )", "labels", "profile p a = 1")
            return [rng.choice(words) for _ in some]
        case "quantities":
            return [f"param t{k} = {rng.choice(('1/0s', '1' * 61, '0.' + '0' * 60 + '1'))}" for k in some]
        case "characters":
            return [f"param t{k} = {rng.choice(('$', '3x', '1e3', '// a b', '§ 2f'))}" for k in some]
        case "names":
            return [f"param {rng.choice('ab')} = {k}f" for k in some]
        case "weights":
            return ["profile p : " + ", ".join(f"none{k} = {rng.choice(('1', '-1', '2f'))}" for k in some)]
    part = ("covering == 0.5", "purity > 1", "iou > 1s", "foo > 1", "overlap > 1", "matched > 0")
    return [f"clause c{k} on each ref : {rng.choice(part)}" for k in some]


_KINDS = ("atoms", "windows", "statements", "quantities", "characters", "names", "weights", "types")


def _faults(rng: Random, size: int) -> Case:
    """So many faults of one kind, or of two in any order."""
    if rng.random() < 0.15:
        text = " & ".join(rng.choice(("N[-1f] p", "F[2f,1f] q", "N[x] p")) for _ in range(min(size, 190)))
        return formula_case(text)
    lines = [line for kind in rng.sample(_KINDS, rng.choice((1, 2, 2))) for line in _faulty(rng, kind, size)]
    rng.shuffle(lines)
    return contract_case([*_HEAD, _ONE, *lines])


_many = by_dimension({"title": _title, "labels": _labels, "clauses": _clauses, "columns": _columns, "faults": _faults})


# Quantities


def _number(rng: Random, digits: int) -> str:
    """A decimal of so many digits: whole, small, or with a point anywhere, now and then with needless zeros."""
    some = "".join(rng.choice("0123456789") for _ in range(digits - 1)) + rng.choice("1234567")
    match rng.randrange(5):
        case 0:
            return rng.choice("123456789") + some[1:]
        case 1:
            return "9" * digits
        case 2:
            return f"0.{'0' * (digits - 1)}{rng.choice('123456789')}"
        case 3:
            return f"{rng.choice(('0', ''))}.{some}{rng.choice(('', '0', '00'))}"
    cut = rng.randrange(digits)
    return f"{rng.choice(('', '0'))}{some[:cut] or '0'}.{some[cut:]}"


def _written(rng: Random, size: int) -> Case:
    """Quantities of so many digits in every place that a contract has for one."""

    def number() -> str:
        return _number(rng, size)

    lines = [
        f"clause a on true : F[{number()}{rng.choice(('s', 'ms', 'f', ''))}] ref_active & N[t] pred_active",
        f"clause b on each matched : {number()} * ref.onset <= {number()}{rng.choice(('s', 'ms', 'f'))}",
        f"clause d on each matched : iou > {number()}",
        f"param t = {number()}{rng.choice(('s', 'ms', 'f'))}",
        f"sweep t = {number()}s {number()}f",
        f"merge_gap {number()}ms",
        f"soft_scale {number()}s",
        f"matcher greedy(search = {number()}s, overlap_reward = {number()})",
        f"profile p : a = {number()}, b = {number()}",
    ]
    rng.shuffle(lines)
    case = contract_case([*_HEAD, *lines])
    return {**case, "set": {"t": f"{number()}s"}} if rng.random() < 0.2 else case


def _window(rng: Random, step: Fraction, size: int) -> str:
    """A window with one bound in frames and one in a time that is as long, or a little more or less."""
    frames = rng.choice((0, 1, 2, size, size, 30, 800))
    # An order of the two bounds that holds for exact numbers, and not when one is rounded to frames or to a float.
    little = rng.choice((Fraction(1, 1000), step / 2, step, 100 * step, Fraction(1, 10**9), Fraction(1, 10**20)))
    time = max(frames * step + rng.choice((0, 1, 1, -1)) * little, Fraction(0))
    unit = rng.choice(("ms", "ms", "s", ""))
    bounds = [f"{frames}f", decimal_text(time * (1000 if unit == "ms" else 1)) + unit]
    if rng.random() < 0.3:
        bounds.reverse()
    if rng.random() < 0.2:
        bounds = [f"-{bound}" for bound in bounds[::-1]]
    return f"{rng.choice('FG')}[{','.join(bounds)}] {rng.choice('pq')}"


def _mixed(rng: Random, size: int) -> Case:
    """Windows of mixed units near the place where their bounds are equal."""
    step = Fraction(rng.choice(("1/50", "1/50", *STEPS, "1")))
    text = " | ".join(_window(rng, step, size) for _ in range(rng.randrange(1, 4)))
    if rng.random() < 0.6:
        return formula_case(text, str(step))
    return contract_case(["contract c", f"step {step}s", "atom p", "atom q", f"clause a on p | q : {text}"])


_quantities = by_dimension({"digits": _written, "mixed": _mixed})

TEXT_EXPERIMENTS: Experiments = {
    ConformanceProfile.TEXT: {
        "texts": Experiment(
            _text_formula,
            {
                "digits": 58,
                "levels": 202,
                "name": 1 << 10,
                "operands": 1 << 7,
                "frames": 1 << 33,
                "any": 4,
                "odd": 1 << 4,
            },
        ),
        "contract texts": Experiment(
            _text_contract, {"clauses": 1 << 4, "any": 1 << 4}, {"clauses": 1 << 7, "any": 1 << 6}
        ),
        "parentheses and faults": Experiment(_contracts, {"levels": 1 << 2, "faults": 1 << 2}),
        "long and many parts": Experiment(
            _many,
            {"title": 1 << 14, "labels": 1 << 9, "clauses": 1 << 9, "columns": 1 << 11, "faults": 1 << 8},
            {"title": 1 << 18, "labels": 1 << 12, "clauses": 1 << 11, "columns": 1 << 11, "faults": 1 << 10},
        ),
        "quantities of contracts": Experiment(_quantities, {"digits": 55, "mixed": 1 << 10}),
    }
}
