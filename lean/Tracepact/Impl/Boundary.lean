import Tracepact.Impl.Masks
import Tracepact.Spec.Boundary
/-! Onset and offset frames by one shift of the active mask. -/
set_option autoImplicit false
namespace Tracepact

/-- `a & ~(a << 1)`. -/
def onsetMask (a : Nat) : Nat := Nat.xor a (Nat.land a (Nat.shiftLeft a 1))
/-- `(a << 1) & ~a`, within the valid frames. -/
def offsetMask (valid a : Nat) : Nat := Nat.land (Nat.xor (Nat.shiftLeft a 1) (Nat.land (Nat.shiftLeft a 1) a)) valid

/-- The masks of the atoms, by the numbers of `boundaryAtom`. -/
def boundaryMask (valid ref pred : Nat) (extra : Nat → Nat) : Nat → Nat
  | .zero => ref
  | .succ .zero => onsetMask (Nat.land ref valid)
  | .succ (.succ .zero) => offsetMask valid (Nat.land ref valid)
  | .succ (.succ (.succ .zero)) => pred
  | .succ (.succ (.succ (.succ .zero))) => onsetMask (Nat.land pred valid)
  | .succ (.succ (.succ (.succ (.succ .zero)))) => offsetMask valid (Nat.land pred valid)
  | .succ (.succ (.succ (.succ (.succ (.succ k))))) => extra k
end Tracepact
