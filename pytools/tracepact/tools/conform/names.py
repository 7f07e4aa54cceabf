"""Names of every shape that the language allows, for random cases: what programs take for something else."""

from collections.abc import Sequence
from random import Random

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
    found = rng.sample(pool, min(count, len(pool)))
    return found + [f"{rng.choice(found)}_{k}" for k in range(count - len(found))]


def shuffled_names(rng: Random, pool: Sequence[str], count: int) -> list[str]:
    """So many names of a pool, each once, in an order that no sorting gives."""
    found = some_names(rng, pool, count)
    rng.shuffle(found)
    return found


def quoted(text: str) -> str:
    """A text in quotation marks, as the language writes it (rule 11.6)."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
