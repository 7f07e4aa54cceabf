"""Every formula over some atoms to a depth, grouped by exact truth signatures over small universes (rule 21.8)."""

import random
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from hashlib import sha256
from html import escape
from math import isqrt
from typing import Any

from tracepact.declarations import data_frame, dataclass
from tracepact.diagnostics.collection import InvalidInput, several
from tracepact.diagnostics.findings import Diagnostic
from tracepact.language import formula as f
from tracepact.language.compilation import parse_formula
from tracepact.language.formula import Formula, cost, lookahead, lookback, size
from tracepact.language.formula import atoms as atoms_of
from tracepact.logic.decisions import formula_text
from tracepact.logic.models import over_base_atoms
from tracepact.wording import count

# Small universes by enumeration: a second decision procedure, independent of the first.
#
# All traces of n frames over k atoms are evaluated at once, one bit a trace: for every frame there is one integer of
# 2^(k·n) bits, and bit e says whether the formula holds there in trace e. The atoms are the columns of a truth table.
# This shares no code with the monitor or the solver, whose bits are frames.

LARGEST = 1 << 28
"""The most environment-frames of one length that are enumerated: 32 MiB a formula node."""


class UniverseTooLarge(ValueError):  # noqa: N818  (it is what the universe is)
    """More environments than can be enumerated."""


class Universe:
    """Every environment of a fixed number of frames over the given base atoms."""

    def __init__(self, names: Sequence[str], frames: int) -> None:
        self.names = tuple(names)
        self.frames = frames
        self.variables = len(self.names) * frames
        if frames << min(self.variables, 60) > LARGEST:
            raise UniverseTooLarge(f"{len(self.names)} atoms at {frames} frames are 2^{self.variables} environments")
        self.size = 1 << self.variables
        self.everything = (1 << self.size) - 1

    def truth(self, formula: Formula, known: dict[Formula, list[int]] | None = None) -> list[int]:
        """For every frame the environments in which the formula holds there; base atoms only.

        `known` keeps the parts that were evaluated, for the formulas that come next.
        """
        known = {} if known is None else known
        if formula not in known:
            known[formula] = self._evaluated(formula, known)
        return known[formula]

    def environment(self, index: int) -> dict[str, tuple[bool, ...]]:
        """The masks of one environment."""
        n = self.frames
        return {name: tuple(bool(index >> (k * n + i) & 1) for i in range(n)) for k, name in enumerate(self.names)}

    def _column(self, variable: int) -> int:
        """The environments whose number has this bit set: blocks of 2^v zeros and ones."""
        # The repunit (2^size - 1) / (2^half + 1) has blocks of half ones and half zeros: a truth table's column in one
        # division.
        half = 1 << variable
        return self.everything // ((1 << half) + 1) << half

    def _evaluated(self, formula: Formula, known: dict[Formula, list[int]]) -> list[int]:
        n, everything = self.frames, self.everything

        def of(part: Formula) -> list[int]:
            return self.truth(part, known)

        match formula:
            case f.Atom(name):
                k = self.names.index(name)
                return [self._column(k * n + i) for i in range(n)]
            case f.Constant(value):
                return [everything if value else 0] * n
            case f.Not(body):
                return [everything ^ a for a in of(body)]
            case f.And(left, right):
                return [a & b for a, b in zip(of(left), of(right), strict=True)]
            case f.Or(left, right):
                return [a | b for a, b in zip(of(left), of(right), strict=True)]
            case f.Implies(left, right):
                return [everything ^ a | b for a, b in zip(of(left), of(right), strict=True)]
            case f.Iff(left, right):
                return [everything ^ a ^ b for a, b in zip(of(left), of(right), strict=True)]
            case f.Eventually(lo, hi, body):
                return self._some(lo, hi, of(body))
            case f.Always(lo, hi, body):
                return [everything ^ a for a in self._some(lo, hi, [everything ^ a for a in of(body)])]
            case f.Until(radius, left, right):
                return _reach(radius, of(left), of(right))
            case f.Since(radius, left, right):
                return _reach(radius, of(left)[::-1], of(right)[::-1])[::-1]

    def _some(self, lo: int, hi: int, body: list[int]) -> list[int]:
        parts = []
        for i in range(self.frames):
            mask = 0
            for j in range(max(0, i + lo), min(self.frames - 1, i + hi) + 1):
                mask |= body[j]
            parts.append(mask)
        return parts


def _reach(radius: int, left: list[int], right: list[int]) -> list[int]:
    """`left U[radius] right` at each frame: what is reached at i, or past i while left holds."""
    reached = []
    for i in range(len(left)):
        mask, way = right[i], left[i]
        for j in range(i + 1, min(i + radius, len(left) - 1) + 1):
            mask |= way & right[j]
            way &= left[j]
        reached.append(mask)
    return reached


# Exact truth signatures as bitsets: formulas on every small environment.


@dataclass(frozen=True, slots=True)
class Signature:
    """Truth values as one array of bits; equal signatures have equal digests."""

    bits: bytes
    places: int

    @property
    def digest(self) -> str:
        """The SHA-256 of the bits."""
        return sha256(self.bits).hexdigest()

    @property
    def true(self) -> int:
        """At how many places it is true."""
        return int.from_bytes(self.bits, "little").bit_count()


def signatures(
    formulas: Iterable[Formula], names: Sequence[str], lengths: Iterable[int], *, free: bool = False
) -> list[Signature]:
    """The signature of every formula over all environments of the given lengths; equal parts are evaluated once.

    Two formulas over these base atoms have equal signatures exactly when they agree at every frame of every such trace.
    Each frame of each length takes whole bytes; the places are the environment-frames.
    """
    bases = [formula if free else over_base_atoms(formula) for formula in formulas]
    pieces: list[list[bytes]] = [[] for _ in bases]
    total = 0
    for frames in lengths:
        universe = Universe(names, frames)
        total += frames * universe.size
        known: dict[Formula, list[int]] = {}
        octets = -(-universe.size // 8)
        for base, pieces_of_base in zip(bases, pieces, strict=True):
            pieces_of_base.extend(mask.to_bytes(octets, "little") for mask in universe.truth(base, known))
    return [Signature(b"".join(pieces_of_base), total) for pieces_of_base in pieces]


def signature_classes(signatures: Sequence[Signature]) -> Iterator[list[int]]:
    """The indices of equal signatures, each class in order."""
    groups: dict[str, list[int]] = {}
    for index, signature in enumerate(signatures):
        groups.setdefault(signature.digest, []).append(index)
    yield from groups.values()


# Every formula over some atoms to a depth, grouped by meaning: the smallest of each group is kept (rule 21.8).

MOST = 20_000
"""The most formulas that are made unless the caller says otherwise."""
_SHOWN = 20
"""How many groups are printed."""
_MOST_BITS = 2**31
"""The most truth values that are held at once: one for every formula, trace and frame."""


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
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
        complete: whether every formula was made, or some that were drawn at random.
    """

    entries: tuple[CatalogueEntry, ...]
    made: int
    lengths: tuple[int, ...]
    complete: bool = True

    def to_dict(self) -> dict[str, Any]:
        """The catalogue as JSON data.

        Returns:
            The entries with their formulas, and how they were made.
        """
        columns, rows = self._rows()
        entries = [dict(zip(columns, row, strict=True)) for row in rows]
        return {"made": self.made, "complete": self.complete, "lengths": list(self.lengths), "entries": entries}

    def to_frame(self) -> Any:
        """The entries as a data frame of pandas, or of polars where only that is installed.

        Returns:
            The data frame.
        """
        return data_frame(*self._rows())

    def _rows(self) -> tuple[Sequence[str], list[tuple[str, int, int, int, str]]]:
        """One row for each entry: its formula, how many mean the same, its size, and where it is true."""
        return ("formula", "members", "nodes", "true", "signature"), [
            (entry.text, entry.members, size(entry.formula), entry.signature.true, entry.signature.digest)
            for entry in self.entries
        ]

    def __repr__(self) -> str:
        drawn = "" if self.complete else ", drawn at random"
        return f"Catalogue({len(self.entries)} meanings of {self.made} formulas{drawn})"

    def __str__(self) -> str:
        shown = self.entries[:_SHOWN]
        width = max((len(entry.text) for entry in shown), default=0)
        lines = [f"{entry.text:<{width}}  {count(entry.members, 'formula')}" for entry in shown]
        more = len(self.entries) - len(shown)
        drawn = "" if self.complete else " drawn at random"
        heading = f"{count(len(self.entries), 'meaning')} of {count(self.made, 'formula')}{drawn}"
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
    sample: int | None = None,
    seed: int = 0,
) -> Catalogue:
    """Every formula over some atoms to a depth, one for each meaning on traces of every length.

    Round by round, `depth` times: windows (`F`, `G`), untils and sinces of what there is, then negations, conjunctions
    and disjunctions of two. Between the rounds only the smallest formula of each meaning goes on.

    Args:
        atoms: the atoms, built-in ones (`ref_active`, `pred_onset`) or names of your own.
        depth: how many modalities may be nested.
        windows: the windows of `F` and `G` as offsets in frames.
        radii: the radii of `U` and `S` in frames.
        most: the most formulas that may be made in a round.
        sample: where a round would make more formulas than this, make so many, drawn at random, beside the atoms.
        seed: the seed of what is drawn; the same seed gives the same catalogue.

    Returns:
        The catalogue, its entries by size.

    Raises:
        InvalidInput: if an argument is not of its kind, more than `most` formulas would be made, or the traces that
            tell them apart are too many to be enumerated.

    Examples:
        >>> import tracepact
        >>> found = tracepact.catalogue(["p"], windows=[(0, 1)])
        >>> found
        Catalogue(14 meanings of 576 formulas)
        >>> [entry.text for entry in found.entries][:4]
        ['p', '!p', 'F[1f] p', 'G[1f] p']
        >>> tracepact.catalogue(["p", "q"], depth=2, sample=500, seed=1).complete
        False
    """
    spans = _windows(windows)
    wholes = (("depth", depth), ("most", most), ("seed", seed), *(("a radius", radius) for radius in radii))
    for name, number in (*wholes, *((("sample", sample),) if sample is not None else ())):
        _require_whole(name, number)
    formulas: list[Formula] = [_atom(name) for name in several(atoms, "catalogue", "atoms")]
    if not formulas:
        raise _refused("type-mismatch", "there are no atoms to make formulas of", "name one, such as `pred_onset`")
    draw = _Draw(len(formulas), most, sample, random.Random(seed))
    joined = draw.joined(formulas)
    entries, lengths = _grouped(joined)
    for _ in range(depth):
        parts = [entry.formula for entry in entries]
        joined = draw.joined([*parts, *_modal(parts, spans, radii)])
        entries, lengths = _grouped(joined)
    return Catalogue(tuple(entries), len(joined), lengths, draw.complete)


def _atom(name: str) -> f.Atom:
    """The atom of a name, if it is one in the language."""
    try:
        read = parse_formula(name, Fraction(1)) if isinstance(name, str) else None
    except InvalidInput:
        read = None
    if read != f.Atom(name):
        way = "use letters, digits and underscores, and no word of the language"
        raise _refused("type-mismatch", f"`{name}` is not the name of an atom", way)
    return f.Atom(name)


def _windows(windows: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The windows, each a first and a last offset."""
    way = "write each as its first and last offset in frames, such as `(-2, 2)` for `N[2f]`"
    pairs: list[tuple[int, int]] = []
    for window in windows:
        match window:
            case (int() as lo, int() as hi) if lo <= hi:
                pairs.append((lo, hi))
            case _:
                raise _refused("type-mismatch", f"`{window}` is not a window in frames", way)
    return pairs


def _require_whole(name: str, number: object) -> None:
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise _refused("type-mismatch", f"{name} is `{number}`, not a whole number from 0 on")


def _modal(parts: Sequence[Formula], windows: Iterable[tuple[int, int]], radii: Iterable[int]) -> Iterator[Formula]:
    for lo, hi in windows:
        for part in parts:
            yield f.Eventually(lo, hi, part)
            yield f.Always(lo, hi, part)
    for radius in radii:
        for left in parts:
            for right in parts:
                yield f.Until(radius, left, right)
                yield f.Since(radius, left, right)


class _Draw:
    """Makes the formulas of a round: all of them, or the atoms and as many as were asked for at random."""

    def __init__(self, atoms: int, most: int, sample: int | None, chance: random.Random) -> None:
        self.atoms, self.most, self.sample, self.chance, self.complete = atoms, most, sample, chance, True

    def joined(self, parts: Sequence[Formula]) -> list[Formula]:
        """The parts, their negations, and conjunctions and disjunctions of two of these."""
        literals = [*parts, *(f.Not(part) for part in parts)]
        number = len(literals) ** 2
        wanted = number if self.sample is None else min(number, self.sample)
        if wanted > self.most:
            raise _too_large(f"{wanted:,} formulas would be made, and the bound is {self.most:,}")
        if wanted == number:
            return [_join(literals, index) for index in range(number)]
        self.complete = False
        kept = {*range(self.atoms), *self.chance.sample(range(number), wanted)}
        return [_join(literals, index) for index in sorted(kept)]


def _join(literals: Sequence[Formula], index: int) -> Formula:
    """The formula at a place of the list of literals, conjunctions and disjunctions of two."""
    if index < len(literals):
        return literals[index]
    pair, kind = divmod(index - len(literals), 2)
    last = int((1 + isqrt(8 * pair + 1)) // 2)
    return (f.And, f.Or)[kind](literals[pair - last * (last - 1) // 2], literals[last])


def _refused(code: str, headline: str, way: str | None = None) -> InvalidInput:
    return InvalidInput([Diagnostic(code, headline, help=way)])


def _too_large(headline: str) -> InvalidInput:
    return _refused("family-too-large", headline, "take fewer atoms, windows or rounds, or draw some with `sample`")


def _grouped(formulas: Sequence[Formula]) -> tuple[list[CatalogueEntry], tuple[int, ...]]:
    """The formulas by meaning; two of them differ, if at all, on a trace of at most both their sights together."""
    bases = [over_base_atoms(formula) for formula in formulas]
    longest = max(map(lookback, bases)) + 1 + max(map(lookahead, bases))
    lengths = tuple(range(1, longest + 1))
    names = sorted({name for base in bases for name in atoms_of(base)})
    # A formula cannot tell two traces apart beyond its sight (rule 6.7), so the joint sight of the two longest bounds
    # the lengths that have to be enumerated for every pair.
    bits = len(bases) * sum(frames << (len(names) * frames) for frames in lengths)
    if bits > _MOST_BITS:
        told = f"traces of up to {longest} frames tell the {len(bases):,} formulas apart, too many to be enumerated"
        raise _too_large(told)
    classes = signatures(bases, names, lengths, free=True)
    entries = []
    for group in signature_classes(classes):
        first = min(group, key=lambda index: (size(formulas[index]), cost(formulas[index]), index))
        entries.append(CatalogueEntry(formulas[first], len(group), classes[first]))
    return sorted(entries, key=lambda entry: (size(entry.formula), cost(entry.formula))), lengths
