import Tracepact.Spec.Matching
/-! The nearest witness of a frame. -/
set_option autoImplicit false
namespace Tracepact

def closer : Option Nat → Nat → Option Nat
  | .none, d => .some d
  | .some e, d => .some (cond (Nat.ble d e) d e)
/-- How far from frame `i` the nearest of the first `n` frames with `p` is; none if there is no such frame. -/
def nearest (p : Nat → Bool) (i : Nat) : Nat → Option Nat
  | .zero => .none
  | .succ j => cond (p j) (closer (nearest p i j) (distance i j)) (nearest p i j)
/-- The list with one more entry, if there is one. -/
def withSome : Option Nat → List Nat → List Nat
  | .none, rest => rest
  | .some d, rest => .cons d rest
/-- The nearest distances of the obliged ones of the first `m` frames to the frames with `p`, of `n`; a frame without a
nearest one gives none. -/
def nearestDistances (o p : Nat → Bool) (n : Nat) : Nat → List Nat
  | .zero => .nil
  | .succ i => cond (o i) (withSome (nearest p i n) (nearestDistances o p n i)) (nearestDistances o p n i)
end Tracepact
