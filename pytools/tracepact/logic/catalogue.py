"""Every formula over some atoms to a depth, grouped by meaning: the smallest of each group is kept (rule 21.8)."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from tracepact.core import (
    Always,
    And,
    Atom,
    Eventually,
    Formula,
    Not,
    Or,
    Since,
    Until,
    cost,
    lookahead,
    lookback,
    size,
)
from tracepact.core import atoms as atoms_of
from tracepact.diagnostics import Diagnostic, InvalidInput, several
from tracepact.frozen import dataclass
from tracepact.logic.signature import Signature, signature_classes, signatures
from tracepact.logic.text import formula_text
from tracepact.logic.vocabulary import over_base_atoms
from tracepact.wording import count

MOST = 20_000
"""The most formulas that are made unless the caller says otherwise."""
_SHOWN = 20
"""How many groups are printed."""
_MOST_BITS = 2**31
"""The most truth values that are held at once: one for every formula, trace and frame."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A group of formulas with one meaning: the smallest, how many there are, and where it is true."""

    formula: Formula
    members: int
    signature: Signature

    @property
    def text(self) -> str:
        """The smallest formula as contract text, bounds in frames."""
        return formula_text(self.formula)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What `catalogue` returns.

    Attributes:
        entries: one for each meaning, the smallest formulas first.
        made: how many formulas were compared.
        lengths: the lengths of the traces on which they were compared; no longer trace tells two of them apart.
    """

    entries: tuple[Entry, ...]
    made: int
    lengths: tuple[int, ...]

    def __repr__(self) -> str:
        return f"Catalogue({len(self.entries)} meanings of {self.made} formulas)"

    def __str__(self) -> str:
        shown = self.entries[:_SHOWN]
        width = max((len(entry.text) for entry in shown), default=0)
        lines = [f"{entry.text:<{width}}  {count(entry.members, 'formula')}" for entry in shown]
        more = len(self.entries) - len(shown)
        heading = f"{count(len(self.entries), 'meaning')} of {count(self.made, 'formula')}"
        return "\n".join([f"{heading}, the smallest of each:", *lines, *([f"… and {more:,} more"] if more else [])])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def catalogue(
    atoms: Sequence[str],
    *,
    depth: int = 1,
    windows: Sequence[tuple[int, int]] = ((0, 1),),
    radii: Sequence[int] = (),
    most: int = MOST,
) -> Catalogue:
    """Every formula over some atoms to a depth, one for each meaning on traces of every length.

    Round by round, `depth` times: windows (`F`, `G`), untils and sinces of what there is, then negations, conjunctions
    and disjunctions of two. Between the rounds only the smallest formula of each meaning goes on.

    Args:
        atoms: the atoms, built-in ones (`ref_active`, `pred_onset`) or names of your own.
        depth: how many modalities may be nested.
        windows: the windows of `F` and `G` as offsets in frames.
        radii: the radii of `U` and `S` in frames.
        most: the most formulas that may be made.

    Returns:
        The catalogue, its entries by size.

    Raises:
        InvalidInput: if there is one text in place of a list, more than `most` formulas would be made, or the traces
            that tell them apart are too many to be enumerated.

    Examples:
        >>> import tracepact
        >>> found = tracepact.catalogue(["p"], windows=[(0, 1)])
        >>> found
        Catalogue(14 meanings of 576 formulas)
        >>> [entry.text for entry in found.entries][:4]
        ['p', '!p', 'F[1f] p', 'G[1f] p']
    """
    found: list[Formula] = [Atom(name) for name in several(atoms, "catalogue", "atoms")]
    kept, made = _joined(found, most)
    entries, lengths = _grouped(kept)
    for _ in range(depth):
        parts = [entry.formula for entry in entries]
        wider = [*parts, *_modal(parts, windows, radii)]
        kept, made = _joined(wider, most)
        entries, lengths = _grouped(kept)
    return Catalogue(tuple(entries), made, lengths)


def _modal(parts: Sequence[Formula], windows: Iterable[tuple[int, int]], radii: Iterable[int]) -> Iterator[Formula]:
    for lo, hi in windows:
        for part in parts:
            yield Eventually(lo, hi, part)
            yield Always(lo, hi, part)
    for radius in radii:
        for left in parts:
            for right in parts:
                yield Until(radius, left, right)
                yield Since(radius, left, right)


def _joined(parts: Sequence[Formula], most: int) -> tuple[list[Formula], int]:
    """The parts, their negations, and conjunctions and disjunctions of two of these."""
    literals = [*parts, *(Not(part) for part in parts)]
    number = len(literals) + len(literals) * (len(literals) - 1)
    if number > most:
        raise _too_large(f"{number:,} formulas would be made, and the bound is {most:,}")
    pairs = [(a, b) for i, a in enumerate(literals) for b in literals[i + 1 :]]
    made = [*literals, *(And(a, b) for a, b in pairs), *(Or(a, b) for a, b in pairs)]
    return made, len(made)


def _too_large(headline: str) -> InvalidInput:
    way = "take fewer atoms, windows or rounds"
    return InvalidInput([Diagnostic("family-too-large", headline, help=way)])


def _grouped(formulas: Sequence[Formula]) -> tuple[list[Entry], tuple[int, ...]]:
    """The formulas by meaning; two of them differ, if at all, on a trace of at most both their sights together."""
    bases = [over_base_atoms(formula) for formula in formulas]
    longest = max(map(lookback, bases)) + 1 + max(map(lookahead, bases))
    lengths = tuple(range(1, longest + 1))
    names = sorted({name for base in bases for name in atoms_of(base)})
    bits = len(bases) * sum(frames << (len(names) * frames) for frames in lengths)
    if bits > _MOST_BITS:
        told = f"traces of up to {longest} frames tell the {len(bases):,} formulas apart, too many to be enumerated"
        raise _too_large(told)
    found = signatures(bases, names, lengths, free=True)
    entries = []
    for group in signature_classes(found):
        first = min(group, key=lambda index: (size(formulas[index]), cost(formulas[index]), index))
        entries.append(Entry(formulas[first], len(group), found[first]))
    return sorted(entries, key=lambda entry: (size(entry.formula), cost(entry.formula))), lengths
