"""Random texts at the boundaries of what the language allows: digits, levels, names, white space, whole contracts."""

from fractions import Fraction
from random import Random

from tracepact.core import Each
from tracepact.tools.conform.boundaries import Case, Experiment
from tracepact.tools.conform.boundary_intervals import STEPS, predicate
from tracepact.tools.conform.names import LABELS, NAMES, quoted
from tracepact.tools.conform.vectors import Profile

_SIGNS = {
    "and": ("&", "and", "∧"),
    "or": ("|", "or", "∨"),
    "implies": ("->", "implies", "→"),
    "iff": ("<->", "iff", "↔"),
}
_SPACES = (" ", " ", " ", "  ", "\t", "\n", "\r\n", " # 😀 & (\n", "#\n ", " # a\r & b\n")
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


def _spaced(rng: Random, text: str) -> str:
    """The text with other white space, and now and then with a fault."""
    parts = text.split(" ")
    found = parts[0]
    for part in parts[1:]:
        found += (rng.choice(_SPACES) if rng.random() < 0.25 else " ") + part
    if rng.random() < 0.25:
        at = rng.randrange(len(found) + 1)
        found = f"{found[:at]}{rng.choice(_ODD)}{found[at:]}"
    return found


def _formula(rng: Random, dimension: str, size: int) -> Case:
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
        text = _spaced(rng, _tree(rng, rng.randrange(1, 6), dimension, size))
    return {"ask": "formula", "text": text, "step": step}


_WORDS = ("", *LABELS)


def _contract(rng: Random, dimension: str, size: int) -> Case:
    """A contract in any order, spelt in any way, now and then with a fault."""
    count = size if dimension == "clauses" else rng.randrange(1, 4)
    atoms = rng.sample(NAMES, 4)
    lines = [f"atom {name}" + (f" {quoted(rng.choice(_WORDS))}" if rng.random() < 0.5 else "") for name in atoms]
    names = [f"{rng.choice('abc_')}{'x' * rng.randrange(9)}{k}" for k in range(count)]
    for name in names:
        if rng.random() < 0.5:
            body = _tree(rng, rng.randrange(1, 5), "", 0)
            for other in NAMES:
                body = body if other in atoms else _renamed(body, other, atoms[0])
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
    return {"ask": "contract", "text": _spaced(rng, text)}


def _renamed(body: str, name: str, to: str) -> str:
    """The text with one whole word in place of another."""
    words = []
    word = ""
    for character in f"{body} ":
        if character.isascii() and (character.isalnum() or character == "_"):
            word += character
        else:
            words += [to if word == name else word, character]
            word = ""
    return "".join(words)[:-1]


TEXT_EXPERIMENTS: dict[Profile, dict[str, Experiment]] = {
    Profile.TEXT: {
        "texts": Experiment(
            _formula, {"digits": 58, "levels": 202, "name": 1 << 10, "operands": 1 << 7, "frames": 1 << 33, "any": 4}
        ),
        "contract texts": Experiment(_contract, {"clauses": 1 << 4, "any": 1 << 4}, {"clauses": 1 << 7, "any": 1 << 6}),
    }
}
