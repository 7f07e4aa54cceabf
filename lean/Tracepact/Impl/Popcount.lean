import Tracepact.Impl.Masks
/-!
Counting the set bits of a mask by folding it in half, with the counters of all positions kept as bit slices: slice `k`
holds bit `k` of every counter. Folding adds the upper half of the counters to the lower half, all at once.
The loops are written with recursors, which the kernel unfolds faster than the same by cases; what ends in `Run` is the
same by cases, and is what is compiled.
-/
set_option autoImplicit false
namespace Tracepact

def addShiftedRun (w : Nat) : List Nat → Nat → List Nat
  | .nil, c => .cons c .nil
  | .cons a rest, c => .cons (Nat.xor (Nat.xor a (Nat.shiftRight a w)) c)
      (addShiftedRun w rest (Nat.lor (Nat.land a (Nat.shiftRight a w)) (Nat.land c (Nat.xor a (Nat.shiftRight a w)))))
/-- Add to each counter the one `w` positions further on, and the carry: a full adder for each slice. -/
@[implemented_by addShiftedRun]
def addShifted (w : Nat) (slices : List Nat) : Nat → List Nat :=
  List.rec (motive := fun _ => Nat → List Nat) (fun c => .cons c .nil)
    (fun a _ rest c => .cons (Nat.xor (Nat.xor a (Nat.shiftRight a w)) c)
      (rest (Nat.lor (Nat.land a (Nat.shiftRight a w)) (Nat.land c (Nat.xor a (Nat.shiftRight a w)))))) slices
def foldRun : Nat → List Nat → List Nat
  | .zero, slices => slices
  | .succ d, slices => foldRun d (addShifted (Nat.pow 2 d) slices 0)
/-- Fold `2^d` counters into one. -/
@[implemented_by foldRun]
def fold (d : Nat) : List Nat → List Nat :=
  Nat.rec (motive := fun _ => List Nat → List Nat) (fun slices => slices)
    (fun d folded slices => folded (addShifted (Nat.pow 2 d) slices 0)) d
def counterRun : List Nat → Nat → Nat
  | .nil, _ => 0
  | .cons s rest, i => Nat.add (toNat (bit s i)) (Nat.mul (counterRun rest i) 2)
/-- The counter at position `i`. -/
@[implemented_by counterRun]
def counter (slices : List Nat) (i : Nat) : Nat :=
  List.rec (motive := fun _ => Nat) 0 (fun s _ rest => Nat.add (toNat (bit s i)) (Nat.mul rest 2)) slices
/-- How many of the lowest `2^d` bits are set. -/
def popcount (d m : Nat) : Nat := counter (fold d (.cons m .nil)) 0
end Tracepact
