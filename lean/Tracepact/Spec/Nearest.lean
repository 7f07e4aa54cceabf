import Tracepact.Spec.Matching
/-! The nearest witness of a frame. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

def closer : Option Nat → Nat → Option Nat
  | .none, d => .some d
  | .some e, d => .some (cond (Nat.ble d e) d e)
/-- How far from frame `i` the nearest of the first `n` frames with `p` is; none if there is no such frame. -/
def nearest (p : Nat → Bool) (i : Nat) : Nat → Option Nat
  | .zero => .none
  | .succ j => cond (p j) (closer (nearest p i j) (distance i j)) (nearest p i j)
end Tracepact
