"""Random traces and streams at the boundaries of sizes: names of every shape, many atoms, components, lines.

Nothing here needs Hypothesis. A case is drawn from a dimension and a size; a `Guide` says which come next.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from tracepact.conform.oracle import ConformanceProfile
from tracepact.conform.protocol import Case, Tree, formula_of
from tracepact.language.formula import atoms

# Names of every shape that the language allows, for random cases: what programs take for something else.

NAMES = (
    *("p", "q", "r", "_", "p1", "p10", "p9", "P", "N1", "Fx", "True", "notp", "iff_", "ons", "steps", "U_U", "__"),
    *("__proto__", "constructor", "toString", "hasOwnProperty", "length", "None", "self", "null", "NaN", "e1"),
)
"""Names (rule 1.3): beginnings of reserved words, and what means something in the languages monitors are written in."""

LABELS = (
    *("a", "A", "b", "ab", "a b", " a", "a ", "B", "_", "-", "1", "9", "10", "1.0", "on", "step", "null"),
    *("\u00e9", "e\u0301", "\u00c9", "\u00df", "SS", "\u0131", "I", "\u4e2d", "\u4e2d\u6587"),
    *("\ue000", "\uf8ff", "\uff21", "\uffee", "\ufffd", "\U00010000", "\U0001f600", "\U0001f600a", "\U0010fffd"),
    *("\uff21\U0001f600", "\U0001f600\uff21", "a\ue000", "a\U0001f600"),
    *('say "hi"', "back\\slash", "# no comment", "__proto__", "constructor", "*", "%", "a/b", "=1"),
    *("a\x0cb", "a\x08b", "a\tb", "a\rb", "\x7f", "\u2028"),
)
"""Labels, any text: UTF-16 puts what is beyond U+FFFF before U+E000, code points do not; others fold, trim, compose."""

CONFUSED = (
    *(("\uff21", "\U0001f600"), ("\ue000", "\U00010000"), ("\uffee", "\U0010fffd"), ("a\ue000", "a\U0001f600")),
    *(("\u00e9", "e\u0301"), ("\u00e9", "\u00c9"), ("a", "A"), ("B", "a"), ("\u00df", "SS"), ("\u0131", "I")),
    *(("10", "9"), ("1", "1.0"), ("a", "a b"), ("a", " a"), ("a ", "a"), ("_", "B"), ("*", "a"), ("-", "a")),
)
"""Two labels each, which are one, or in another order, for who folds, trims, composes or orders by anything else."""

RESERVED = (
    *("contract", "step", "param", "merge_gap", "sweep", "aggregate", "matcher", "projection", "labels", "atom"),
    *("soft_scale", "clause", "profile", "on", "each", "over", "N", "F", "G", "U", "S"),
    *("true", "false", "not", "and", "or", "implies", "iff"),
)
"""The reserved words (rule 1.3): as a label each is in quotation marks (rule 11.6)."""


def some_names(rng: Random, pool: Sequence[str], count: int) -> list[str]:
    """So many names of a pool, each once; where it has too few, some with a number."""
    names = rng.sample(pool, min(count, len(pool)))
    return names + [f"{rng.choice(names)}_{k}" for k in range(count - len(names))]


def shuffled_names(rng: Random, pool: Sequence[str], count: int) -> list[str]:
    """So many names of a pool, each once, in an order that no sorting gives."""
    names = some_names(rng, pool, count)
    rng.shuffle(names)
    return names


def quoted(text: str) -> str:
    """A text in quotation marks, as the language writes it (rule 11.6)."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# Sizes that programs get wrong, and the steering of random cases towards those that were seen least.

Cell = tuple[str, int]
"""A dimension of a case and the power of two that its size is near."""


def near(rng: Random, power: int, most: int) -> int:
    """A size at, just below, just above or a little beyond a power of two, at most `most`."""
    # One less and one more as well: a fault at a machine word begins with the first bit beyond, or with the last one
    # inside.
    base = 1 << power
    size = rng.choice((base - 1, base, base, base + 1, base + 1, base + rng.randrange(1, base + 1)))
    return max(1, min(size, most))


def powers(most: int) -> range:
    """The powers of two up to a size."""
    return range(most.bit_length())


class Guide:
    """Which sizes of an experiment were drawn how often; the next one is one of those that were drawn least.

    Where the implementation tells of itself (its branches), a size that showed something new is drawn again.
    """

    def __init__(self, dimensions: Mapping[str, int], rng: Random) -> None:
        self._most = dict(dimensions)
        self._rng = rng
        self._drawn: Counter[Cell] = Counter({(d, k): 0 for d, most in dimensions.items() for k in powers(most)})
        self._last: Cell | None = None

    def next(self) -> tuple[str, int]:
        """The dimension and the size of the next case."""
        # The least drawn first, and no free choice: among thirty sizes a hundred free draws would miss one or two.
        least = min(self._drawn.values())
        cell = self._rng.choice([cell for cell, times in self._drawn.items() if times == least])
        self._drawn[cell] += 1
        self._last = cell
        dimension, power = cell
        return dimension, near(self._rng, power, self._most[dimension])

    def welcome(self) -> None:
        """The last case showed something new: its size comes once more."""
        if self._last is not None:
            self._drawn[self._last] -= 1

    @property
    def drawn(self) -> dict[Cell, int]:
        """How often each size was drawn."""
        return dict(self._drawn)


def boundary_places(rng: Random, frames: int, near_to: Sequence[int]) -> int:
    """A frame of a trace: often its first or last, at a multiple of 8, 64 or 2^16, or near to a given one."""
    choices = [0, frames - 1, rng.randrange(frames), rng.randrange(frames)]
    choices += [at + d for at in near_to for d in (-1, 0, 1)]
    # The widths of bytes, of machine words and vector registers, and what 16 bits count.
    for word in (8, 16, 32, 64, 256, 1 << 16):
        if word < frames:
            choices.append(word * rng.randrange(1, (frames - 1) // word + 1) + rng.choice((-1, 0)))
    return min(max(rng.choice(choices), 0), frames - 1)


# What an experiment is.


@dataclass(frozen=True, slots=True)
class Experiment:
    """A kind of case, the dimensions it has, each with its greatest size, by default and in a long run."""

    make: Callable[[Random, str, int], Case]
    most: Mapping[str, int]
    longest: Mapping[str, int] | None = None

    def dimensions(self, *, long: bool) -> Mapping[str, int]:
        """The greatest size of every dimension."""
        return self.longest if long and self.longest is not None else self.most


def by_dimension(makers: Mapping[str, Callable[[Random, int], Case]]) -> Callable[[Random, str, int], Case]:
    """What makes the cases of an experiment whose dimensions are kinds of cases."""
    return lambda rng, dimension, size: makers[dimension](rng, size)


Experiments = Mapping[ConformanceProfile, Mapping[str, Experiment]]
"""Experiments by their names, for each profile that has any."""


def formula_case(text: str, step: str = "0.02") -> Case:
    """The question what a formula's text means."""
    return {"ask": "formula", "text": text, "step": step}


def contract_case(lines: Sequence[str]) -> Case:
    """The question what the lines of a contract mean."""
    return {"ask": "contract", "text": "\n".join(lines) + "\n"}


# Masks


def mask(rng: Random, frames: int, near_to: tuple[int, ...] = (), *, dense: float = 0.5) -> str:
    """A mask with few runs, most of their ends at boundaries; short ones are often noise."""
    if frames == 0:
        return ""
    # Noise finds faults in short traces. In long ones it makes every window hold and every until fail, so those have
    # few runs.
    if frames <= 64 and rng.random() < 0.6:
        return "".join(rng.choice("01") if rng.random() < 0.9 else "1" for _ in range(frames))
    digits = bytearray(b"1" if rng.random() < dense else b"0") * frames
    for _ in range(rng.randrange(1, 7)):
        at = boundary_places(rng, frames, near_to)
        length = rng.choice((1, 1, 1, 2, near(rng, rng.randrange(1, 8), frames), rng.randrange(1, frames + 1)))
        digits[at : at + length] = (b"0" if digits[at] == 49 else b"1") * len(digits[at : at + length])
    return digits.decode()


def clip(rng: Random, names: list[str], frames: int, near_to: tuple[int, ...] = ()) -> Case:
    """A clip with a mask for every name."""
    return {"frames": frames, "masks": {name: mask(rng, frames, near_to) for name in names}}


# Formulas


def joined(rng: Random, left: Tree, right: Tree) -> Tree:
    """Two formulas, joined either way round."""
    pair = [left, right] if rng.random() < 0.5 else [right, left]
    return [rng.choice(("and", "or", "implies", "iff")), *pair]


def _wide(rng: Random, dimension: str, size: int) -> Case:
    """Formulas of many atoms or of many levels."""
    names = [f"{rng.choice('pqrXY_')}{'_' * rng.randrange(2)}{k}" for k in range(size if dimension == "atoms" else 3)]
    if dimension == "atoms":
        # A balanced tree: a chain of as many atoms would be deeper than the protocol allows.
        parts: list[Tree] = list(names)
        while len(parts) > 1:
            rest = [joined(rng, a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
            parts = rest + parts[len(rest) * 2 :]
        tree = parts[0]
    else:
        tree = rng.choice(names)
        for _ in range(size):
            tree = rng.choice(
                [
                    ["not", tree],
                    joined(rng, rng.choice(names), tree),
                    ["F", 0, rng.randrange(3), tree],
                    ["G", 0, rng.randrange(2), tree],
                    ["U", rng.randrange(3), rng.choice(names), tree],
                    ["U", rng.randrange(3), tree, rng.choice(names)],
                ]
            )
    named = _names_of(tree)
    return {"ask": "verdicts", "formula": tree, "clips": [clip(rng, named, rng.randrange(1, 12)) for _ in range(2)]}


def _names_of(*trees: Tree) -> list[str]:
    """The atoms of some formulas."""
    return sorted(frozenset().union(*(atoms(formula_of(tree)) for tree in trees)))


# Components


def _short_components(rng: Random, size: int) -> Case:
    """Two masks whose runs bridge one another."""
    step = rng.choice(("1", "0.02", "1/3", "0.001"))
    times = ("0", step, "1", "2", "0.04", "0.06", "2/3", "0.0005")
    masks = ["".join(rng.choice("0111" if rng.random() < 0.8 else "01") for _ in range(size)) for _ in range(2)]
    gap, search = rng.choice(times), rng.choice(times)
    return {"ask": "components", "step": step, "merge_gap": gap, "search": search, "ref": masks[0], "pred": masks[1]}


def _long_components(rng: Random, size: int) -> Case:
    """Few runs that go on for long, with a gap and a search that are long too, so that a component stays open."""
    step = Fraction(rng.choice(("1", "0.02", "1/3")))
    far_away = (0, 1, 2, 5, size // 2, size // 3, 33, 64)
    gap, search = (rng.choice(far_away) * step - rng.choice((0, 0, 0, step / 10**20)) for _ in range(2))
    places = (rng.randrange(size), size // 2)
    ref, pred = (mask(rng, size, places, dense=dense) for dense in rng.sample((0.8, 0.2, 0.5), 2))
    times = {"step": str(step), "merge_gap": str(max(gap, Fraction(0))), "search": str(max(search, Fraction(0)))}
    return {"ask": "components", **times, "ref": ref, "pred": pred}


# Lines

_LINES = (
    "1 0",
    "0 1",
    "1\t1",
    " 0 0 ",
    "",
    "#",
    "  # 1 0",
    "\t",
    "1",
    "2 0",
    "1 0 1",
    "10",
    "{}",
    "1\x0c0",
    "1\u00a00",
)
_OBJECTS = (
    '{"ref": 1, "pred": 0}',
    '{"pred": true, "ref": false}',
    '{"ref": [1], "pred": [0]}',
    '{"ref": [1, 0], "pred": [0, 0]}',
    '{"ref": [], "pred": []}',
    '{"ref": 1, "pred": 1, "ignore": 1}',
    '{"ref": 0, "pred": 1, "masks": {"zone": 1}}',
    '{"masks": {"a": 0, "b": true}}',
    '{"masks": {"ref_active": 1}}',
    '{"end": "a"}',
    '{"end": ["a", "b"]}',
    '{"end": "a", "ref": 1}',
    '{"ref": 2, "pred": 0}',
    '{"ref": 1.0, "pred": 0}',
    '{"ref": 1, "ref": 1, "pred": 0}',
    '{"ref": 1, "pred": 0, "t": 1}',
    '{"ref": 1, "pred": 0',
    "[1, 0]",
    '{"ref": {"raw": "1"}, "pred": 0}',
    '{"ref": {"raw": "1"}}',
    '{"ref": "1", "pred": 0}',
    '{"ref": null, "pred": 1}',
    '{"ref": [[1]], "pred": 1}',
    '{"ref": 1, "pred": 1, "ignore": {"raw": 1}}',
    '{"ref": 1, "pred": 1, "masks": [["zone", 1]]}',
)
_WRONG: tuple[object, ...] = (
    *({"raw": "1"}, {"raw": 1}, {}, {"0": 1}, [[1]], [[]], ["1"], [{"raw": 1}], [None], [0.5]),
    *("1", "0", "", "true", None, 1.0, 0.0, 1.5, 2, -1, 1 << 64),
)
"""What stands in the place of a value and is none (12.10)."""


def _lines(rng: Random, dimension: str, size: int) -> Case:
    """Lines of every kind, good and bad."""
    end = rng.choice(("\n", "\n", "\r\n"))
    some = [rng.choice(_LINES[:4] if rng.random() < 0.4 else (*_LINES, *_OBJECTS)) for _ in range(size)]
    text = rng.choice(("", "", "\ufeff")) + end.join(some) + rng.choice(("", end))
    return {"ask": "lines", "text": text, **({"channels": 2} if rng.random() < 0.3 else {})}


def _many_lines(rng: Random, dimension: str, size: int) -> Case:
    """Many lines, or many channels, that are all alike but for a few; streams and atoms have names of every shape."""
    channels = size if dimension == "channels" else rng.choice((1, 1, 2))
    some = [_frame_line(rng, channels) for _ in range(size if dimension == "lines" else rng.randrange(1, 5))]
    for _ in range(rng.randrange(1, 5)):
        other = rng.choice((*_LINES, *_OBJECTS, _frame_line(rng, channels + 1)))
        odd = rng.choice((other, other, _end_line(rng)))
        some.insert(rng.choice((len(some), len(some), rng.randrange(len(some) + 1))), odd)
    return {"ask": "lines", "text": "\n".join(some) + "\n", "channels": channels}


def _frame_line(rng: Random, channels: int) -> str:
    if channels == 1 and rng.random() < 0.7:
        return rng.choice(("0 0", "1 0", "0 1", "1 1"))

    def value() -> object:
        values = [rng.choice((0, 1, True, False)) for _ in range(channels)]
        return values if channels > 1 or rng.random() < 0.2 else values[0]

    frame: Case = {side: value() for side in rng.sample(("ref", "pred"), rng.choice((1, 2, 2)))}
    if rng.random() < 0.3:
        names = (*NAMES, "ref_onset", "pred_offset", "other_ref_active") if rng.random() < 0.1 else NAMES
        frame["masks"] = {name: value() for name in rng.sample(names[-12:], rng.choice((1, 2)))}
    if rng.random() < 0.2:
        frame["ignore"] = value()
    if rng.random() < 0.1:
        _spoil(rng, frame)
    return json.dumps(frame)


def _spoil(rng: Random, frame: Case) -> None:
    """Put what is no value in the place of one, or in a list of several."""
    places = [(frame, key) for key in frame if key != "masks"] + [
        (frame["masks"], key) for key in frame.get("masks", ())
    ]
    holder, key = rng.choice(places)
    value = holder[key]
    if isinstance(value, list) and rng.random() < 0.5:
        value[rng.choice((0, -1))] = rng.choice(_WRONG)
    else:
        holder[key] = rng.choice(_WRONG)


def _end_line(rng: Random) -> str:
    names = rng.sample(LABELS, rng.randrange(1, 4))
    return json.dumps({"end": names if rng.random() < 0.6 else names[0]}, ensure_ascii=rng.random() < 0.5)


TRACE_EXPERIMENTS: Experiments = {
    ConformanceProfile.CORE: {"many atoms, many levels": Experiment(_wide, {"atoms": 1 << 9, "levels": 199})},
    ConformanceProfile.STREAMING: {
        "components": Experiment(
            by_dimension({"short": _short_components, "long": _long_components}),
            {"short": 1 << 5, "long": 1 << 8},
            {"short": 1 << 6, "long": 1 << 9},
        ),
        "lines": Experiment(_lines, {"lines": 1 << 6}, {"lines": 1 << 12}),
        "many lines": Experiment(
            _many_lines, {"lines": 1 << 10, "channels": 1 << 7}, {"lines": 1 << 14, "channels": 1 << 9}
        ),
    },
}
