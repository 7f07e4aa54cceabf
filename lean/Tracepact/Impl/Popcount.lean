import Tracepact.Impl.Masks
/-!
Counting the set bits of a mask by folding it in half, with the counters of all positions kept as bit slices: slice `k`
holds bit `k` of every counter. Folding adds the upper half of the counters to the lower half, all at once.
-/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- Add to each counter the one `w` positions further on, and the carry: a full adder for each slice. -/
def addShifted (w : Nat) : List Nat → Nat → List Nat
  | .nil, c => .cons c .nil
  | .cons a rest, c => .cons (Nat.xor (Nat.xor a (Nat.shiftRight a w)) c)
      (addShifted w rest (Nat.lor (Nat.land a (Nat.shiftRight a w)) (Nat.land c (Nat.xor a (Nat.shiftRight a w)))))
/-- Fold `2^d` counters into one. -/
def fold : Nat → List Nat → List Nat
  | .zero, slices => slices
  | .succ d, slices => fold d (addShifted (Nat.pow 2 d) slices 0)
/-- The counter at position `i`. -/
def counter : List Nat → Nat → Nat
  | .nil, _ => 0
  | .cons s rest, i => Nat.add (toNat (bit s i)) (Nat.add (counter rest i) (counter rest i))
/-- How many of the lowest `2^d` bits are set. -/
def popcount (d m : Nat) : Nat := counter (fold d (.cons m .nil)) 0
end Tracepact
