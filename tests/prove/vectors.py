"""Conformance vectors as theorems: what a vector with the evidence `lean` claims, stated for the kernel to check."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

from tracepact.conform.oracle import Vector
from tracepact.conform.protocol import formula_of
from tracepact.language.contract import BUILTIN_ATOMS
from tracepact.language.formula import And, Atom, Formula, Not, atoms
from tracepact.prove.text import IGNORED, core_formula, core_int, lean_bool, lean_list, lean_mask

Theorem = tuple[str, str]
"""A statement and its proof."""

BEGINNING = """\
set_option autoImplicit false
set_option maxRecDepth 1000000
set_option maxHeartbeats 0
noncomputable section
namespace Tracepact.Vectors
/-- A mask from its frames. -/
def gather (p : Nat → Bool) : Nat → Nat
  | .zero => 0
  | .succ n => Nat.add (gather p n) (Nat.mul (toNat (p n)) (Nat.pow 2 n))
"""
_OPENING = f"""\
import Tracepact
/-!
What the conformance vectors with the evidence `lean` claim. Every expected value is in one of these statements, and the
kernel computes it from the definitions of `lean/Tracepact/Spec`; the theorem of a vector has its id for a name.
-/
{BEGINNING}/-- One clip as a trace: its frames and the masks of its atoms, by number. -/
def clip (frames : Nat) (l : List Nat) : Trace := ⟨frames, fun k => bit (numbered l k)⟩
/-- Rule 8.1, decided. -/
def isPair (search : Nat) (ref pred : Interval) : Bool :=
  band (band (Nat.ble (.succ ref.start) pred.stop) (Nat.ble (.succ pred.start) ref.stop))
    (bor (Nat.ble (distance ref.start pred.start) search) (Nat.ble (distance ref.stop pred.stop) search))
theorem isPair_iff (search : Nat) (ref pred : Interval) :
    Iff (IsTrue (isPair search ref pred)) (IsCandidate search ref pred) :=
  iff_trans (band_iff _ _) (and_iff (iff_trans (band_iff _ _) (and_iff (ble_iff _ _) (ble_iff _ _)))
    (iff_trans (bor_iff _ _) (or_iff (ble_iff _ _) (ble_iff _ _))))
#print axioms isPair_iff
/-- `a - b`. -/
def signed (a b : Nat) : Int := cond (Nat.ble b a) (.ofNat (Nat.sub a b)) (.negSucc (Nat.sub (Nat.sub b a) 1))
/-- Rule 8.2 in units of `1 / unit`: `unit` times the differences of the ends, less `reward` times the overlap. -/
def pairCost (unit reward : Nat) (ref pred : Interval) : Int :=
  signed (Nat.mul unit (Nat.add (distance ref.start pred.start) (distance ref.stop pred.stop)))
    (Nat.mul reward (Nat.sub (smaller ref.stop pred.stop) (larger ref.start pred.start)))
def more (rest : List Candidate) : Bool → Candidate → List Candidate
  | .true, c => .cons c rest
  | .false, _ => rest
/-- The candidates of one reference, from prediction `j` on. -/
def pairsOf (search unit reward i : Nat) (ref : Interval) (j : Nat) : List Interval → List Candidate
  | .nil => .nil
  | .cons pred rest => more (pairsOf search unit reward i ref (.succ j) rest) (isPair search ref pred)
      ⟨i, j, pairCost unit reward ref pred, ref.start, pred.start⟩
def beside : List Candidate → List Candidate → List Candidate
  | .nil, more => more
  | .cons c rest, more => .cons c (beside rest more)
/-- The candidates of the references from `i` on. -/
def allPairs (search unit reward : Nat) (preds : List Interval) (i : Nat) : List Interval → List Candidate
  | .nil => .nil
  | .cons ref rest =>
      beside (pairsOf search unit reward i ref 0 preds) (allPairs search unit reward preds (.succ i) rest)
/-- The reference and prediction of every kept candidate, the latest first. -/
def pairs : List Candidate → List (Prod Nat Nat)
  | .nil => .nil
  | .cons c rest => .cons (Prod.mk c.ref c.pred) (pairs rest)
"""


def vector_certificate(vectors: Iterable[Vector]) -> str:
    """The Lean file for some vectors; ValueError for one whose claims the core has no definitions for."""
    lines = [_OPENING.rstrip("\n")]
    for vector in vectors:
        lines.append(f"-- {vector.id}")
        for number, (statement, proof) in enumerate(_theorems(vector)):
            name = f"{_name(vector)}_{number}"
            lines += [f"theorem {name} : {statement} := {proof}", f"#print axioms {name}"]
    return "\n".join([*lines, "end Tracepact.Vectors", ""])


def theorem_of(vector: Vector) -> str:
    """The name of a vector's first theorem; the others of it count on."""
    return f"Tracepact.Vectors.{_name(vector)}_0"


def _name(vector: Vector) -> str:
    return vector.id.replace("/", "_").replace("-", "_").replace(".", "_")


def _theorems(vector: Vector) -> Iterator[Theorem]:
    ask = vector.input["ask"]
    if ask not in _STATEMENTS:
        raise ValueError(f"the Lean core has no definition for `{ask}` of {vector.id}")
    yield from _STATEMENTS[ask](vector.input, vector.expected)


def computed(left: str, right: str) -> Theorem:
    """An equation that the kernel decides by computing both sides."""
    return f"Eq ({left}) {right}", "id rfl"


def _verdicts(case: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[Theorem]:
    """Every clip: the mask is where the formula holds, in the sense of `Holds` (chapter 6)."""
    formula = formula_of(case["formula"])
    names = sorted(atoms(formula))
    numbers = {name: len(BUILTIN_ATOMS) + number for number, name in enumerate(names)}
    for clip, text in zip(case["clips"], expected["verdicts"], strict=True):
        frames, verdict = clip["frames"], _mask(text)
        masks = lean_list(lean_mask(_mask(clip["masks"][name])) for name in names)
        parts = [
            f"⟨{frames}, 0, 0, numbered {masks}⟩",
            f"⟨.constant .true, {core_formula(formula, numbers).text}⟩",
            f"⟨{lean_mask(verdict)}, {verdict.bit_count()}, {frames}⟩",
        ]
        yield f"Certified {' '.join(parts)}", f"certify {max(frames - 1, 0).bit_length()} _ _ _ (id rfl)"


def _clause(case: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[Theorem]:
    """Counts, value and vacuity of a clause on one clip (rules 7.1 to 7.3)."""
    (clip,) = case["clips"]
    obligation, formula = formula_of(case["obligation"]), formula_of(case["formula"])
    if "ignored" in clip:
        obligation = And(obligation, Not(Atom(IGNORED)))
        clip = {**clip, "masks": {**clip["masks"], IGNORED: clip["ignored"]}}
    trace, numbers = _trace(clip, [obligation, formula])
    obliged, holds = (f"(eval {trace} {core_formula(f, numbers).text})" for f in (obligation, formula))
    frames, satisfied, obligated = clip["frames"], expected["satisfied"], expected["obligated"]
    yield computed(f"satisfied {obliged} {holds} {frames}", str(satisfied))
    yield computed(f"obligations {obliged} {frames}", str(obligated))
    yield computed(f"vacuous {obliged} {frames}", lean_bool(expected["vacuous"]))
    value = Fraction(expected["value"])
    if expected["vacuous"]:
        yield computed(str(value.numerator), str(value.denominator))
    else:
        yield computed(f"Nat.mul {obligated} {value.numerator}", f"(Nat.mul {satisfied} {value.denominator})")


def _stream(case: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[Theorem]:
    """How many verdicts are out after each frame, and all in order (rules 12.2, 12.3); one clause, always obliged."""
    (clause,) = case["clauses"]
    if clause["obligation"] is not True or "chunks" in case:
        raise ValueError("the Lean core streams one formula, frame by frame")
    formula = formula_of(clause["formula"])
    trace, numbers = _trace(case["trace"], [formula])
    said = f"{trace} {core_formula(formula, numbers).text}"
    *arrivals, _ = expected["out"]
    for count, so_far in enumerate(accumulate(map(len, arrivals)), start=1):
        yield computed(f"length (live {said} {count})", str(so_far))
    emitted = [f"⟨{i}, {lean_bool(word == 'satisfied')}⟩" for out in expected["out"] for i, _, word in out]
    yield computed(f"stream {said}", lean_list(reversed(emitted)))


def _measure(case: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[Theorem]:
    """Rule 6.7."""
    formula = formula_of(case["formula"])
    numbers = {name: number for number, name in enumerate(sorted(atoms(formula)))}
    for name in ("lookahead", "lookback"):
        yield computed(f"{name} {core_formula(formula, numbers).text}", str(expected[name]))


def _runs(case: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[Theorem]:
    """Rules 5.5 and 5.6."""
    mask, frames = lean_mask(_mask(case["mask"])), len(case["mask"])
    if not expected.keys() <= {"runs", "onsets", "offsets"}:
        raise ValueError("the Lean core does not join runs")
    yield computed(f"runs (bit {mask}) {frames}", _intervals(expected["runs"]))
    for name, key in (("onset", "onsets"), ("offset", "offsets")):
        yield computed(f"gather ({name} (bit {mask})) {frames}", lean_mask(_mask(expected[key])))


def _match(case: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[Theorem]:
    """Rules 8.1 to 8.3, with times and costs as whole numbers of units."""
    matcher, step = case["matcher"], Fraction(case["step"])
    if matcher["kind"] != "greedy" or step != 1:
        raise ValueError("the Lean core has the greedy matcher, in frames")
    reward = Fraction(matcher["overlap_reward"])
    bounds = f"{int(matcher['search'])} {reward.denominator} {reward.numerator}"
    ref, pred = case["ref"], case["pred"]
    made = f"allPairs {bounds} {_intervals(pred)} 0 {_intervals(ref)}"
    listed = lean_list(
        f"⟨{i}, {j}, {core_int(int(Fraction(cost) * reward.denominator)).text}, {ref[i][0]}, {pred[j][0]}⟩"
        for i, j, cost in expected["candidates"]
    )
    yield computed(made, listed)
    costs = {(i, j): Fraction(cost) for i, j, cost in expected["candidates"]}
    kept = sorted((tuple(pair) for pair in expected["pairs"]), key=lambda p: (costs[p], ref[p[0]][0], pred[p[1]][0]))
    yield computed(f"pairs (greedy ({made}))", lean_list(f"⟨{i}, {j}⟩" for i, j in reversed(kept)))


def _trace(clip: Mapping[str, Any], formulas: Sequence[Formula]) -> tuple[str, dict[str, int]]:
    """A clip as a Lean trace, and the numbers of the atoms."""
    names = sorted(frozenset().union(*(atoms(formula) for formula in formulas)))
    masks = lean_list(lean_mask(_mask(clip["masks"][name])) for name in names)
    return f"(clip {clip['frames']} {masks})", {name: number for number, name in enumerate(names)}


def _intervals(runs: Iterable[Sequence[int]]) -> str:
    return lean_list(f"⟨{start}, {end}⟩" for start, end in runs)


def _mask(text: str) -> int:
    """A mask's text as a number: frame i is bit i."""
    return int(text[::-1], 2) if text else 0


_STATEMENTS: dict[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Iterator[Theorem]]] = {
    "clause": _clause,
    "match": _match,
    "measure": _measure,
    "runs": _runs,
    "stream": _stream,
    "verdicts": _verdicts,
}
