"""Score clips in the form of the vectors of chapter 18 as Lean text, and what those vectors claim as theorems."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from prove.vectors import BEGINNING, Theorem, computed

from tracepact.conform.protocol import formula_of
from tracepact.declarations import spec_path
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.language.formula import And, Atom, Formula, Not
from tracepact.prove.text import IGNORED, core_formula, lean_bool, lean_list, lean_mask

Clip = Mapping[str, Any]
SOFT_VECTORS = [
    vector
    for vector in json.loads(spec_path("conformance/soft/values.json").read_text(encoding="utf-8"))["vectors"]
    if not any("edges" in atom for clip in vector["input"]["clips"] for atom in clip["atoms"].values())
]
"""The vectors of chapter 18 but for those of rule 18.11: frames of a field's own have no counterpart in Lean."""

SOFT_WORDS = """\
/-- What the further atoms of a clip are read from, by number. -/
def sources : List (List Source) → Nat → List Source
  | .nil, _ => .nil
  | .cons l _, .zero => l
  | .cons _ rest, .succ k => sources rest k
/-- The soft values from frame `i` on. -/
def softValues (x : Nat → Soft) (i : Nat) : Nat → List Soft
  | .zero => .nil
  | .succ k => .cons (x i) (softValues x (.succ i) k)
"""
_OPENING = f"""\
import Tracepact
/-!
What the vectors of chapter 18 claim, which are derived by hand: the kernel computes the same from the definitions of
`lean/Tracepact/Spec/Soft.lean`. Scores are whole multiples of a unit of the vector's own; the theorem of a vector has
its id for a name.
-/
{BEGINNING}{SOFT_WORDS}"""


def unit_of(clips: Iterable[Clip]) -> int:
    """A denominator that all numbers of the clips have."""
    found = [Fraction(1)]
    for clip in clips:
        for atom in clip["atoms"].values():
            rows = [atom.get("scores", []), *atom.get("others", [])]
            found += [Fraction(number) for row in rows for number in row]
            found += [Fraction(atom[name]) for name in ("threshold", "margin") if name in atom]
    return lcm(*(number.denominator for number in found))


def lean_soft(value: str, unit: int) -> str:
    """A soft value from its text: `1/5`, `-0`, `unbounded`."""
    sign, size = ("negative", value[1:]) if value.startswith("-") else ("positive", value)
    return f"(.{sign} {'.unbounded' if size == 'unbounded' else _size(size, unit)})"


def lean_clip(clip: Clip, unit: int) -> tuple[str, dict[str, int]]:
    """A clip as a Lean `ScoreClip`, and the numbers of its atoms."""
    given = clip["atoms"]
    silent = {"active": "0" * clip["frames"]}
    sides = {side: given.get(f"{side}_active", silent) for side in ("ref", "pred")}
    declared = sorted(given.keys() - set(BUILTIN_ATOMS))
    more = [_rows(sides[side], unit)[1:] for side in ("ref", "pred")] + [_rows(given[name], unit) for name in declared]
    names = [*BUILTIN_ATOMS, *CLASS_ATOMS, *declared]
    if "ignored" in clip:
        names.append(IGNORED)
        more.append(_rows({"active": clip["ignored"]}, unit))
    ref, pred = (_rows(sides[side], unit)[0] for side in ("ref", "pred"))
    text = f"⟨{clip['frames']}, {ref}, {pred}, sources {lean_list(map(lean_list, more))}⟩"
    return text, {name: number for number, name in enumerate(names)}


def soft_certificate(vectors: Iterable[Mapping[str, Any]]) -> str:
    """The Lean file for some vectors."""
    lines = [_OPENING.rstrip("\n")]
    for vector in vectors:
        lines.append(f"-- {vector['id']}")
        for number, (statement, proof) in enumerate(_theorems(vector["input"], vector["expected"])):
            name = f"{vector['id'].replace('/', '_').replace('-', '_')}_{number}"
            lines += [f"theorem {name} : {statement} := {proof}", f"#print axioms {name}"]
    return "\n".join([*lines, "end Tracepact.Vectors", ""])


def _theorems(case: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[Theorem]:
    clips, formula = case["clips"], formula_of(case["formula"])
    unit = unit_of(clips)
    if "values" in expected:
        for clip, values in zip(clips, expected["values"], strict=True):
            text, numbers = lean_clip(clip, unit)
            found = f"softValues (ScoreClip.value {text} {core_formula(formula, numbers).text}) 0 {clip['frames']}"
            yield computed(found, lean_list(lean_soft(value, unit) for value in values))
    if "verdicts" in expected:
        for clip, verdicts in zip(clips, expected["verdicts"], strict=True):
            text, numbers = lean_clip(clip, unit)
            held = f"gather (eval (ScoreClip.reading {text}) {core_formula(formula, numbers).text}) {clip['frames']}"
            yield computed(held, lean_mask(int(verdicts[::-1], 2)))
    if "obligation" in case:
        yield from _score(tallies(clips, formula_of(case["obligation"]), formula, unit), expected, unit)


def tallies(clips: Sequence[Clip], obligation: Formula, formula: Formula, unit: int) -> str:
    """The Lean text of what a clause comes to on some clips together (rule 18.10)."""
    total = "SoftTally.none"
    for clip in clips:
        text, numbers = lean_clip(clip, unit)
        asked = And(obligation, Not(Atom(IGNORED))) if "ignored" in clip else obligation
        formulas = " ".join(core_formula(each, numbers).text for each in (asked, formula))
        tally = f"ScoreClip.tally {text} {unit} {formulas}"
        total = f"SoftTally.add ({total}) ({tally})"
    return total


def _score(tally: str, expected: Mapping[str, Any], unit: int) -> Iterator[Theorem]:
    """Counts, least margin and mean of a clause; the mean is compared by multiplication."""
    yield computed(f"({tally}).satisfied", str(expected["satisfied"]))
    yield computed(f"({tally}).obligated", str(expected["obligated"]))
    yield computed(f"Nat.beq ({tally}).obligated 0", lean_bool(expected["vacuous"]))
    if expected["vacuous"]:
        return
    yield computed(f"({tally}).least", lean_soft(expected["least"], unit))
    score = Fraction(expected["score"])
    above, below = (f"(Nat.mul {score.denominator} ({tally}).{side})" for side in ("above", "below"))
    mean = f"{abs(score.numerator) * unit * expected['obligated']}"
    yield computed(above, f"(Nat.add {below} {mean})") if score >= 0 else computed(f"Nat.add {above} {mean}", below)


def _rows(atom: Mapping[str, Any], unit: int) -> list[str]:
    """What an atom is read from, its own class first."""
    if "active" in atom:
        size = _size(atom["margin"], unit) if "margin" in atom else ".unbounded"
        return [f"(.mask {size} (bit {lean_mask(int(atom['active'][::-1], 2))}))"]
    rows = [atom["scores"], *atom.get("others", [])]
    threshold = _units(atom["threshold"], unit)
    return [f"(.field {threshold} (numbered {lean_list(_units(score, unit) for score in row)}))" for row in rows]


def _size(number: str, unit: int) -> str:
    return f"(.number {_units(number, unit)})"


def _units(number: str, unit: int) -> str:
    """A number as so many units; it must be a whole number of them."""
    found = Fraction(number) * unit
    assert found.denominator == 1
    return str(found.numerator)
