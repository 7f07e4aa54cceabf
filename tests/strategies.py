"""Shared Hypothesis strategies: core formulas, written formulas, traces, families, contracts; how many examples."""

import os
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tracepact.data.family import Family, Mode, Side
from tracepact.evaluate.reference import margin_of, mask_margin
from tracepact.evaluate.soft_family import SoftCard, SoftFamily, SoftMask
from tracepact.language import syntax as s
from tracepact.language.contract import Aggregation
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
    runs_of_frames,
)

ATOMS = ("p", "q", "r")
EXAMPLES = int(os.environ["TRACEPACT_EXAMPLES"])
USUAL = 50
"""Examples of a property in CI."""


def sized(number: int) -> int:
    """A number of examples that a property sets for itself; in a run smaller than that of CI, fewer in proportion."""
    return max(3, number * min(EXAMPLES, USUAL) // USUAL)


def formulas(atoms: tuple[str, ...] = ATOMS, *, farthest: int = 5, leaves: int = 6) -> st.SearchStrategy[Formula]:
    """Core formulas with windows of both signs, until and since."""
    leaf = st.one_of(st.sampled_from(atoms).map(Atom), st.sampled_from(atoms).map(Atom), st.booleans().map(Constant))

    def grow(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        window = st.tuples(st.integers(-farthest, farthest), st.integers(-farthest, farthest)).map(sorted)
        radius = st.integers(0, farthest)
        return st.one_of(
            parts.map(Not),
            *(st.builds(connective, parts, parts) for connective in (And, Or, Implies, Iff)),
            *(
                st.builds(lambda kind, w, body: kind(w[0], w[1], body), st.just(kind), window, parts)
                for kind in (Eventually, Always)
            ),
            *(st.builds(kind, radius, parts, parts) for kind in (Until, Since)),
        )

    return st.recursive(leaf, grow, max_leaves=leaves)


def environments(
    atoms: tuple[str, ...] = ATOMS, *, shortest: int = 1, longest: int = 12
) -> st.SearchStrategy[tuple[int, dict[str, list[bool]]]]:
    """A number of frames and the truth of every atom at each."""
    return st.integers(shortest, longest).flatmap(
        lambda n: st.tuples(
            st.just(n),
            st.fixed_dictionaries({a: st.lists(st.booleans(), min_size=n, max_size=n) for a in atoms}),
        )
    )


def to_mask(frames: list[bool]) -> int:
    """Bit i is frame i, written out."""
    return sum(1 << i for i, active in enumerate(frames) if active)


def from_mask(mask: int, frames: int) -> list[bool]:
    """The frames of a mask, written out."""
    return [bool(mask >> i & 1) for i in range(frames)]


def family_of(clips: list[tuple[list[bool], list[bool]]], step: Fraction = Fraction(1, 50), classes: int = 1) -> Family:
    """A family from reference and predicted frames; clips are dealt to the classes class by class."""
    per_class = len(clips) // classes
    runs: dict[Side, dict[int, tuple[tuple[int, int], ...]]] = {Side.REF: {}, Side.PRED: {}}
    for segment, (ref, pred) in enumerate(clips):
        for side, frames in ((Side.REF, ref), (Side.PRED, pred)):
            if any(frames):
                runs[side][segment] = runs_of_frames(frames)
    return Family(
        step,
        Mode.CLASS_INDEXED,
        tuple(f"clip{i}" for i in range(per_class)),
        tuple(len(ref) for ref, _ in clips[:per_class]),
        tuple(f"class{k}" for k in range(classes)),
        runs,
        {},
        {},
    )


def soft_family_of(
    step: Fraction, ref: Mapping[str, Any], pred: Mapping[str, Any], threshold: Fraction, **masks: SoftMask
) -> SoftFamily:
    """A soft family by its definition: truth values of references, and scores at a threshold, frames × classes."""
    frames, classes = tuple(len(ref[clip]) for clip in ref), next(iter(ref.values())).shape[1]
    margins = [[[margin_of(Fraction(str(x)) - threshold) for x in row] for row in pred[clip]] for clip in ref]
    values = tuple(sorted({margin for clip in margins for row in clip for margin in row}))
    places = tuple(np.array([[values.index(margin) for margin in row] for row in clip]) for clip in margins)
    hard = SoftMask((mask_margin(False), mask_margin(True)), tuple(np.asarray(ref[clip]).astype(int) for clip in ref))
    names = tuple(f"class{k}" for k in range(classes))
    ignored = tuple(np.zeros((n, classes), dtype=np.bool_) for n in frames)
    atoms = {"ref_active": hard, "pred_active": SoftMask(values, places), **masks}
    return SoftFamily(step, tuple(ref), frames, names, atoms, ignored)


def soft_score(card: SoftCard, clause: str, aggregation: Aggregation) -> Fraction:
    """The soft score of a clause by its definition: rule 7.5 with sums of margins in the place of counts (18.10)."""
    clips, classes = range(len(card.family.clips)), range(len(card.family.classes))
    entries = [[card.entry(clause, clip, label) for clip in clips] for label in classes]
    sums = [[(entry.total, entry.obligated) for entry in row] for row in entries]
    added = [[(sum(t for t, _ in row), sum(n for _, n in row))] for row in sums]
    informative = "informative" in aggregation.value
    match aggregation:
        case Aggregation.POOLED:
            groups = [[(sum(row[0][0] for row in added), sum(row[0][1] for row in added))]]
        case Aggregation.MACRO_CLASSES | Aggregation.MACRO_CLASSES_INFORMATIVE:
            groups = [[row[0] for row in added]]
        case _:
            groups = [list(column) for column in zip(*sums, strict=True)]
    values = [[Fraction(t) / n if n else Fraction(1) for t, n in some if n or not informative] for some in groups]
    means = [sum(some, Fraction(0)) / len(some) for some in values if some]
    return sum(means, Fraction(0)) / len(means) if means else Fraction(1)


# Written formulas and values

quantities = st.builds(
    s.Quantity,
    st.fractions(min_value=0, max_value=20, max_denominator=300),
    st.sampled_from(["", "ms", "s", "f"]),
)
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)


def values(parameters: tuple[str, ...] = ()) -> st.SearchStrategy[s.Value]:
    """A quantity or a parameter, with or without a sign."""
    bodies: st.SearchStrategy[s.Quantity | s.Name] = quantities
    if parameters:
        bodies = st.one_of(quantities, st.sampled_from(parameters).map(s.Name))
    return st.builds(s.Value, bodies, st.booleans())


def written_formulas(
    atoms: tuple[str, ...] = ATOMS, parameters: tuple[str, ...] = ()
) -> st.SearchStrategy[s.Expression]:
    """Formulas as an author could write them, all operators, parentheses where the tree asks for them."""
    leaf = st.one_of(st.sampled_from(atoms).map(s.Mask), st.booleans().map(s.Truth))
    value = values(parameters)

    def grow(parts: st.SearchStrategy[s.Expression]) -> st.SearchStrategy[s.Expression]:
        return st.one_of(
            st.builds(s.Negation, parts),
            st.builds(s.Binary, st.sampled_from(s.Connective), parts, parts),
            st.builds(s.Near, value, parts),
            st.builds(s.WindowOperator, st.sampled_from("FG"), st.none() | value, value, parts),
            st.builds(s.Reach, st.sampled_from("US"), value, parts, parts),
        )

    return st.recursive(leaf, grow, max_leaves=8)


def written_predicates() -> st.SearchStrategy[s.Expression]:
    """Expressions of the predicate grammar, well typed or not."""
    leaf = st.one_of(
        quantities,
        st.booleans().map(s.Truth),
        st.builds(s.Reference, st.sampled_from([None, "ref", "pred"]), st.sampled_from(["onset", "covering", "tol"])),
    )

    def grow(parts: st.SearchStrategy[s.Expression]) -> st.SearchStrategy[s.Expression]:
        return st.one_of(
            st.builds(s.Negation, parts),
            st.builds(s.Binary, st.sampled_from(s.Connective), parts, parts),
            st.builds(s.ArithmeticTerm, st.sampled_from("+-*"), parts, parts),
            st.builds(s.Minus, parts),
            st.builds(s.Compare, st.sampled_from(["<=", "<", ">=", ">", "==", "!="]), parts, parts),
            st.builds(
                s.Call,
                st.sampled_from(["abs", "min", "max"]).map(s.Name),
                st.lists(parts, min_size=1, max_size=3).map(tuple),
            ),
        )

    return st.recursive(leaf, grow, max_leaves=8)


LABELS = ("cat", "dog")


def labelled_intervals() -> st.SearchStrategy[list[tuple[Fraction, Fraction, str]]]:
    """At most four events, some of them beyond the end of their clip."""
    edge = st.integers(0, 44).map(lambda n: Fraction(n, 20))
    one = st.tuples(edge, edge, st.sampled_from(LABELS)).map(lambda e: (min(e[:2]), max(e[:2]), e[2]))
    return st.lists(one, max_size=4)


def corpora() -> st.SearchStrategy[dict[str, dict[str, Any]]]:
    """A few clips with both sides, ignored regions, a condition and a length; some without predictions."""
    clip = st.fixed_dictionaries(
        {
            "ref": labelled_intervals(),
            "pred": st.none() | labelled_intervals(),
            "ignored": labelled_intervals(),
            "condition": st.sampled_from(["wet", "dry"]),
            "length": st.sampled_from([Fraction(2), Fraction(9, 4), Fraction(7, 3)]),
        }
    )
    return st.dictionaries(st.text("abcdef", min_size=1, max_size=3), clip, min_size=1, max_size=9)


def tasks_of(corpus: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A corpus as the arguments of `score`, with a label map."""
    return {
        "ref": {clip: one["ref"] for clip, one in corpus.items()},
        "pred": {clip: one["pred"] for clip, one in corpus.items() if one["pred"] is not None},
        "durations": {clip: one["length"] for clip, one in corpus.items()},
        "ignore": {clip: one["ignored"] for clip, one in corpus.items()},
        "conditions": {clip: one["condition"] for clip, one in corpus.items()},
        "label_map": {"rename": {"dog": "hound"}, "keep": ["cat"]},
    }
