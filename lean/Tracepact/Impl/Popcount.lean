import Tracepact.Impl.Masks
/-!
Counting the set bits of a mask by folding it in half, with the counters of all positions kept as bit slices: slice `k`
holds bit `k` of every counter. Folding adds the upper half of the counters to the lower half, all at once.
The two loops are written with recursors, which the kernel unfolds faster than the same by cases.
-/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- Add to each counter the one `w` positions further on, and the carry: a full adder for each slice. -/
def addShifted (w : Nat) (slices : List Nat) : Nat → List Nat :=
  List.rec (motive := fun _ => Nat → List Nat) (fun c => .cons c .nil)
    (fun a _ rest c => .cons (Nat.xor (Nat.xor a (Nat.shiftRight a w)) c)
      (rest (Nat.lor (Nat.land a (Nat.shiftRight a w)) (Nat.land c (Nat.xor a (Nat.shiftRight a w)))))) slices
/-- Fold `2^d` counters into one. -/
def fold (d : Nat) : List Nat → List Nat :=
  Nat.rec (motive := fun _ => List Nat → List Nat) (fun slices => slices)
    (fun d folded slices => folded (addShifted (Nat.pow 2 d) slices 0)) d
/-- The counter at position `i`. -/
def counter (slices : List Nat) (i : Nat) : Nat :=
  List.rec (motive := fun _ => Nat) 0 (fun s _ rest => Nat.add (toNat (bit s i)) (Nat.mul rest 2)) slices
/-- How many of the lowest `2^d` bits are set. -/
def popcount (d m : Nat) : Nat := counter (fold d (.cons m .nil)) 0
end Tracepact
