"""Long windows over blocks of frames: a question whose *no* carries over to every trace, however long its windows.

Time around a frame, the origin, is cut into blocks of consecutive frames. Of each block it is asked whether it has a
frame in the trace (`valid`), whether it lies in the trace whole, and for each atom whether some frame of it has it and
whether some frame lacks it. For a formula p in normal form, a block k and a frame w of it (a *witness*) there are

    at(p, w)    true if w satisfies p
    may(p, k)   true if some frame of k that is in the trace satisfies p; that frame is a witness
    all(p, k)   true if every frame of k that is in the trace satisfies p; so does every witness of k

*as necessary conditions*: whenever a trace has the property on the right, the Boolean formula holds of its blocks. Each
case below is such a step, by induction over p. With frames s..e of block k:

    F[a,b] p    a frame of k sees p only in a block that s+a..e+b touches; if k is whole, its first and its last frame
                see p, each in a block that its own window touches
    G[a,b] p    every block inside e+a..s+b lies in the window of every frame of k, and of a whole block that it touches
                it has some frame; if k is whole, every block inside s+a..e+b lies in the windows of its frames together
    p U[r] q    q holds at w, or p does and q is found in k or in a block that k reaches, p throughout those between
    !(p U[r] q) q is nowhere in a block within reach of every frame of k, unless some frame before it lacks p
    x | G[-1,-1] !x   and   !x | F[-1,-1] x    throughout k: what holds right before k (x, or !x) holds throughout k

So if the conditions for the origin have no model, the formula holds at no frame of any trace: no scaling of the answer
is involved, and the blocks may be of any size. A model proves nothing; it proposes a trace (`refine`). Where a window
leaves the blocks, nothing is required. Blocks of one frame make every case exact.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import field
from math import inf
from time import monotonic
from typing import Any

from tracepact.declarations import dataclass
from tracepact.language.formula import Always, And, Atom, Constant, Eventually, Formula, Not, Or, Since, Until
from tracepact.lazy import z3
from tracepact.logic.normal import negated


@dataclass(frozen=True, slots=True)
class Blocks:
    """Consecutive frames from the first start to `last`, as offsets from the origin, cut at the starts."""

    starts: tuple[int, ...]
    last: int

    def __len__(self) -> int:
        return len(self.starts)

    def frames(self, k: int) -> tuple[int, int]:
        """The first and the last frame of a block."""
        return self.starts[k], self.starts[k + 1] - 1 if k + 1 < len(self.starts) else self.last

    def is_one_frame(self, k: int) -> bool:
        """Whether the block has one frame."""
        first, last = self.frames(k)
        return first == last

    @property
    def origin(self) -> int:
        """The block of the origin."""
        return bisect_left(self.starts, 0)

    def touched(self, x: int, y: int) -> range | None:
        """The blocks with a frame in x..y; None if some of it lies beyond the blocks."""
        if x < self.starts[0] or y > self.last:
            return None
        return range(bisect_right(self.starts, x) - 1, bisect_right(self.starts, y))

    def inside(self, x: int, y: int) -> range:
        """The blocks all of whose frames are in x..y."""
        first, after = bisect_left(self.starts, x), bisect_right(self.starts, y)
        if after > 0 and self.frames(after - 1)[1] > y:
            after -= 1
        return range(first, after)


@dataclass(frozen=True, slots=True)
class Witness:
    """A frame of a block: the only one, or one that a condition speaks of."""

    block: int
    number: int
    exists: Any


@dataclass(slots=True)
class BlockEncoding:
    """The necessary conditions under which formulas in normal form hold at frames of blocks, as Z3 Booleans."""

    blocks: Blocks
    names: Sequence[str]
    context: Any = field(default_factory=lambda: z3.Context())
    conditions: list[Any] = field(default_factory=list)
    _witnesses: dict[int, list[Witness]] = field(default_factory=dict)
    _throughout_block: dict[int, list[tuple[Any, Formula]]] = field(default_factory=dict)
    _known: dict[tuple[int, int, bool], Any] = field(default_factory=dict)
    _waiting: list[tuple[Formula, int, bool]] = field(default_factory=list)
    _denials: dict[int, Formula] = field(default_factory=dict)
    _kept: list[Formula] = field(default_factory=list)
    _count: int = 0

    def __post_init__(self) -> None:
        self._shape()
        self._letters()

    def variable(self, what: str, k: int) -> Any:
        """Whether block k is `valid`, `whole`, `has` an atom somewhere, or `lacks` it somewhere."""
        return z3.Bool(f"{what} {k}", self.context)

    def of_length(self, length: int) -> None:
        """Require that the first and the last block of the trace allow for a trace of this length."""
        end, origin = len(self.blocks) - 1, self.blocks.origin
        for x in range(origin + 1):
            first = self.variable("valid", x) if x == 0 else self._edge(x, x - 1)
            for y in range(origin, end + 1):
                (s, e), (low, high) = self.blocks.frames(x), self.blocks.frames(y)
                if length < low - e + 1 or (x > 0 and y < end and length > high - s + 1):
                    last = self.variable("valid", y) if y == end else self._edge(y, y + 1)
                    self.conditions.append(z3.Not(z3.And(first, last)))

    def _edge(self, k: int, beyond: int) -> Any:
        return z3.And(self.variable("valid", k), z3.Not(self.variable("valid", beyond)))

    def _shape(self) -> None:
        """The valid blocks are next to each other, around the origin, and only the first and the last may be cut."""
        origin, add = self.blocks.origin, self.conditions.append
        add(self.variable("valid", origin))
        for k in range(len(self.blocks)):
            valid, whole = self.variable("valid", k), self.variable("whole", k)
            add(whole == valid if self.blocks.is_one_frame(k) else z3.Implies(whole, valid))
            nearer = k - 1 if k > origin else k + 1
            if k != origin:
                add(z3.Implies(valid, z3.And(self.variable("valid", nearer), self.variable("whole", nearer))))

    def _letters(self) -> None:
        for name in self.names:
            for k in range(len(self.blocks)):
                has, lacks = self.variable(f"has {name}", k), self.variable(f"lacks {name}", k)
                self.conditions.append(z3.Or(has, lacks) == self.variable("valid", k))
                if self.blocks.is_one_frame(k):
                    self.conditions.append(z3.Not(z3.And(has, lacks)))

    def uniform(self) -> list[Any]:
        """That every block has each atom throughout or nowhere, and none is cut: what a plain trace would meet.

        Nothing carries over from these; a model that meets them as well is a better proposal.
        """
        conditions = []
        for k in range(len(self.blocks)):
            conditions.append(self.variable("whole", k) == self.variable("valid", k))
            for name in self.names:
                has, lacks = self.variable(f"has {name}", k), self.variable(f"lacks {name}", k)
                conditions.append(z3.Not(z3.And(has, lacks)))
        return conditions

    # Witnesses

    def witness(self, k: int, exists: Any) -> Witness:
        """A frame of block k that is in the trace if `exists` holds; what holds throughout k holds there."""
        known = self._witnesses.setdefault(k, [])
        if self.blocks.is_one_frame(k):
            if not known:
                known.append(Witness(k, 0, self.variable("valid", k)))
            return known[0]
        witness = Witness(k, self._fresh(), exists)
        known.append(witness)
        for name in self.names:
            there = self._letter(name, witness)
            self.conditions.append(z3.Implies(z3.And(exists, there), self.variable(f"has {name}", k)))
            self.conditions.append(z3.Implies(z3.And(exists, z3.Not(there)), self.variable(f"lacks {name}", k)))
        for throughout, formula in list(self._throughout_block.get(k, [])):
            self.conditions.append(z3.Implies(z3.And(throughout, exists), self.at(formula, witness)))
        return witness

    def _letter(self, name: str, witness: Witness) -> Any:
        if self.blocks.is_one_frame(witness.block):
            return self.variable(f"has {name}", witness.block)
        return z3.Bool(f"{name} at {witness.number}", self.context)

    def _fresh(self) -> int:
        self._count += 1
        return self._count

    def may(self, formula: Formula, k: int) -> Any:
        """True if some frame of the block satisfies the formula."""
        return self._standing_for(formula, k, every=False)

    def all(self, formula: Formula, k: int) -> Any:
        """True if every frame of the block satisfies the formula; a block that is not valid has none."""
        return self._standing_for(formula, k, every=True)

    def _standing_for(self, formula: Formula, k: int, *, every: bool) -> Any:
        """The Boolean that stands for a condition; what it requires is added when its turn comes."""
        # By identity and not by value: hashing a formula walks all of it, and the normal form shares equal parts
        # already.
        key = id(formula), k, every
        if key not in self._known:
            self._kept.append(formula)  # an id is only as good as its object lives
            self._known[key] = z3.Bool(f"{'all' if every else 'may'} {self._fresh()}", self.context)
            self._waiting.append((formula, k, every))
        return self._known[key]

    def require(self, formula: Formula, deadline: float = inf) -> bool:
        """Require what has to hold for the formula to hold at the origin; False if the time ran out before the end."""
        self.conditions.append(self.may(formula, self.blocks.origin))
        # A worklist and no recursion: until over many blocks nests conditions deeper than Python's stack.
        while self._waiting:
            if monotonic() > deadline:
                return False
            part, k, every = self._waiting.pop()
            condition, valid = self._known[id(part), k, every], self.variable("valid", k)
            if every:
                self.conditions.append(z3.Implies(z3.And(condition, valid), self._of_every_frame(part, k, condition)))
            else:
                self.conditions.append(z3.Implies(condition, z3.And(valid, self._of_some_frame(part, k, condition))))
        return True

    def _of_some_frame(self, formula: Formula, k: int, condition: Any) -> Any:
        match formula:
            case Or(a, b):
                return z3.Or(self.may(a, k), self.may(b, k))
        return self.at(formula, self.witness(k, condition))

    def _of_every_frame(self, formula: Formula, k: int, condition: Any) -> Any:
        self._throughout_block.setdefault(k, []).append((condition, formula))
        witnesses = list(self._witnesses.get(k, []))
        here = [z3.Implies(witness.exists, self.at(formula, witness)) for witness in witnesses]
        each = [] if self.blocks.is_one_frame(k) else [self._all(formula, k), self._carried(formula, k)]
        return z3.And(self.may(formula, k), *here, *each)

    # The conditions, case by case

    def at(self, formula: Formula, witness: Witness) -> Any:
        """True if the witness satisfies the formula."""
        k = witness.block
        s, e = self.blocks.frames(k)
        match formula:
            case Constant(value):
                return z3.BoolVal(value, self.context)
            case Atom(name):
                return self._letter(name, witness)
            case Not(Atom(name)):
                return z3.Not(self._letter(name, witness))
            case And(a, b):
                return z3.And(self.at(a, witness), self.at(b, witness))
            case Or(a, b):
                return z3.Or(self.at(a, witness), self.at(b, witness))
            case Eventually(lo, hi, body):
                return self._seen(body, s + lo, e + hi)
            case Always(lo, hi, body):
                return z3.And(self._throughout(body, e + lo, s + hi), self._somewhere(body, e + lo, s + hi))
            case Until(_, left, right) | Since(_, left, right):
                elsewhere = [] if s == e else [self.may(right, k)]
                onwards = z3.Or(*elsewhere, self._reached(formula, k))
                return z3.Or(self.at(right, witness), z3.And(self.at(left, witness), onwards))
            case Not(Until() | Since() as reach):
                return z3.And(self.at(self._denied(reach.right), witness), *self._unreached(reach, k, every=False))
        raise TypeError(f"not in normal form: {formula}")

    def _all(self, formula: Formula, k: int) -> Any:
        s, e = self.blocks.frames(k)
        whole = self.variable("whole", k)
        match formula:
            case Constant(value):
                return z3.BoolVal(value, self.context)
            case Atom(name):
                return z3.Not(self.variable(f"lacks {name}", k))
            case Not(Atom(name)):
                return z3.Not(self.variable(f"has {name}", k))
            case And(a, b):
                return z3.And(self.all(a, k), self.all(b, k))
            case Or(a, b):
                return z3.And(z3.Or(self.all(a, k), self.may(b, k)), z3.Or(self.all(b, k), self.may(a, k)))
            case Eventually(lo, hi, body):
                both = z3.And(self._seen(body, s + lo, s + hi), self._seen(body, e + lo, e + hi))
                return z3.Implies(whole, both)
            case Always(lo, hi, body):
                return z3.Implies(whole, self._throughout(body, s + lo, e + hi))
            case Until() | Since():
                return z3.Or(self.all(formula.right, k), self.may(formula.left, k))
            case Not(Until() | Since() as reach):
                return z3.And(self.all(self._denied(reach.right), k), *self._unreached(reach, k, every=True))
        raise TypeError(f"not in normal form: {formula}")

    def _carried(self, formula: Formula, k: int) -> Any:
        """Throughout the block each frame keeps what the frame before it had: so does the block as a whole."""
        match formula:
            case Or(kept, Always(-1, -1, lost)) | Or(Always(-1, -1, lost), kept) if self._denied(kept) == lost:
                pass
            case Or(kept, Eventually(-1, -1, lost)) | Or(Eventually(-1, -1, lost), kept) if self._denied(kept) == lost:
                pass
            case _:
                return z3.BoolVal(True, self.context)
        if k == 0 or not self.blocks.is_one_frame(k - 1):
            return z3.BoolVal(True, self.context)
        before = self.witness(k - 1, self.variable("valid", k - 1))
        return z3.Implies(z3.And(before.exists, self.at(kept, before)), self.all(kept, k))

    def _seen(self, body: Formula, x: int, y: int) -> Any:
        """Some block that the frames x..y touch has a frame with the body."""
        blocks = self.blocks.touched(x, y)
        if blocks is None:
            return z3.BoolVal(True, self.context)
        return self._or([self.may(body, j) for j in blocks])

    def _throughout(self, body: Formula, x: int, y: int) -> Any:
        """Every block inside the frames x..y has the body at all its frames."""
        return self._and([self.all(body, j) for j in self.blocks.inside(x, y)])

    def _somewhere(self, body: Formula, x: int, y: int) -> Any:
        """A whole block that x..y touches at one end, but is not inside it, has the body at some frame."""
        low, high = max(x, self.blocks.starts[0]), min(y, self.blocks.last)
        touched = self.blocks.touched(low, high) if low <= high else None
        if not touched:
            return z3.BoolVal(True, self.context)
        partly = sorted({touched[0], touched[-1]} - set(self.blocks.inside(x, y)))
        return self._and([z3.Implies(self.variable("whole", j), self.may(body, j)) for j in partly])

    def _reached(self, reach: Until | Since, k: int) -> Any:
        """The right part in another block within the radius of some frame of k, the left one in all blocks between."""
        ahead, (s, e) = isinstance(reach, Until), self.blocks.frames(k)
        limit = e + reach.radius if ahead else s - reach.radius
        if not self.blocks.starts[0] <= limit <= self.blocks.last:
            return z3.BoolVal(True, self.context)
        between: list[Any] = []
        reached = []
        for j in self._onwards(k, ahead=ahead):
            low, high = self.blocks.frames(j)
            if low > limit if ahead else high < limit:
                break
            reached.append(self._and([*between, self.may(reach.right, j)]))
            between.append(self.all(reach.left, j))
        return self._or(reached)

    def _onwards(self, k: int, *, ahead: bool) -> range:
        """The other blocks, nearest to k first: those after it if `ahead`, else those before it."""
        return range(k + 1, len(self.blocks)) if ahead else range(k - 1, -1, -1)

    def _unreached(self, reach: Until | Since, k: int, *, every: bool) -> list[Any]:
        """Blocks within reach lack the right part, unless the left one is lacking somewhere from k on.

        For one frame of k that is what its nearest frame reaches; for every frame of a whole k what the farthest does.
        """
        ahead, (s, e) = isinstance(reach, Until), self.blocks.frames(k)
        origin = e if ahead == every else s
        limit = origin + reach.radius if ahead else origin - reach.radius
        right, left = self._denied(reach.right), self._denied(reach.left)
        lacking, unreached = [self.may(left, k)], []
        if every:
            lacking.append(z3.Not(self.variable("whole", k)))
        for j in self._onwards(k, ahead=ahead):
            low, high = self.blocks.frames(j)
            if high > limit if ahead else low < limit:
                break
            here = [] if self.blocks.is_one_frame(j) else [self.may(left, j)]
            unreached.append(z3.Or(self.all(right, j), *lacking, *here))
            lacking.append(self.may(left, j))
        return unreached

    def _denied(self, formula: Formula) -> Formula:
        if id(formula) not in self._denials:
            self._kept.append(formula)
            self._denials[id(formula)] = negated(formula)
        return self._denials[id(formula)]

    def _or(self, parts: list[Any]) -> Any:
        return z3.Or(parts) if parts else z3.BoolVal(False, self.context)

    def _and(self, parts: list[Any]) -> Any:
        return z3.And(parts) if parts else z3.BoolVal(True, self.context)
