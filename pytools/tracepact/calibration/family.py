"""What a family of candidates is declared by: atoms, windows, operators, predicates, matchers, bounds (rule 14.6)."""

from dataclasses import dataclass, field, replace
from fractions import Fraction

from tracepact.core import Matcher
from tracepact.core.contract import BUILTIN_ATOMS
from tracepact.diagnostics import Source

SHAPES = ("near", "ahead", "back")
MODALITIES = ("F", "G", "U", "S")
CONNECTIVES = ("and", "or")
EACH = ("ref", "pred", "matched")
ATTRIBUTES = ("matched", "covering", "coverage", "iou", "onset", "offset", "duration", "gap", "purity")
MOST = 200_000
DEEPEST = 4


@dataclass(frozen=True, slots=True)
class CandidateFamily:
    """A declared family; times in seconds, obligations as formula text, the order of every list counts.

    `source` is the text that declares it, if it has one of its own.
    """

    atoms: tuple[str, ...] = BUILTIN_ATOMS
    obligations: tuple[str, ...] = (*BUILTIN_ATOMS, "!ref_active")
    tolerances: tuple[Fraction, ...] = (Fraction(1, 50), Fraction(1, 25), Fraction(2, 25), Fraction(3, 25))
    shapes: tuple[str, ...] = SHAPES
    operators: tuple[str, ...] = ("F", "G")
    depth: int = 1
    from_depth: int = 0
    each: tuple[str, ...] = EACH
    attributes: tuple[str, ...] = ATTRIBUTES
    shares: tuple[Fraction, ...] = (Fraction(1, 10), Fraction(1, 4), Fraction(1, 2))
    counts: tuple[int, ...] = (1,)
    joined: bool = True
    listed_only: bool = False
    """Whether the numbers of selected clauses stay those that are listed here (14.21)."""
    matchers: tuple[Matcher, ...] = (Matcher(),)
    most: int = MOST
    source: Source | None = field(default=None, compare=False, repr=False)

    def wider(self, radius: Fraction) -> "CandidateFamily":
        """The same family with one more tolerance."""
        return replace(self, tolerances=(*self.tolerances, radius))

    def deeper(self) -> "CandidateFamily":
        """The same family one modality deeper."""
        return replace(self, depth=self.depth + 1)


NO_FAMILY = CandidateFamily(atoms=(), obligations=(), operators=(), each=(), joined=False)
"""Nothing is generated: only what an author writes."""
