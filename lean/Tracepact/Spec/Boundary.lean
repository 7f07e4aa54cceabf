import Tracepact.Spec.Formula
/-! Onset and offset frames, and the six atoms that a reference and a prediction give. -/
set_option autoImplicit false
namespace Tracepact

/-- Active at the frame before `i`; at frame 0 there is none. -/
def before (a : Nat → Bool) : Nat → Bool
  | .zero => .false
  | .succ i => a i
/-- Active at `i` and not at the frame before. -/
def onset (a : Nat → Bool) (i : Nat) : Bool := band (a i) (bnot (before a i))
/-- Not active at `i` but at the frame before. -/
def offset (a : Nat → Bool) (i : Nat) : Bool := band (bnot (a i)) (before a i)

/-- The atoms by number: 0 `ref_active`, 1 `ref_onset`, 2 `ref_offset`, 3 `pred_active`, 4 `pred_onset`, 5
`pred_offset`; from 6 on, further masks of the caller. -/
def boundaryAtom (ref pred : Nat → Bool) (extra : Nat → Nat → Bool) : Nat → Nat → Bool
  | .zero => ref
  | .succ .zero => onset ref
  | .succ (.succ .zero) => offset ref
  | .succ (.succ (.succ .zero)) => pred
  | .succ (.succ (.succ (.succ .zero))) => onset pred
  | .succ (.succ (.succ (.succ (.succ .zero)))) => offset pred
  | .succ (.succ (.succ (.succ (.succ (.succ k))))) => extra k
end Tracepact
