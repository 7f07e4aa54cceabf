import Tracepact.Impl.Masks
import Tracepact.Spec.Family
/-! A family of clips as one long mask: clips laid end to end, each followed by a padding of invalid frames. -/
set_option autoImplicit false
namespace Tracepact

/-- The valid frames: one exactly on the clips' own frames. -/
def familyValid : List Segment → Nat
  | .nil => 0
  | .cons x rest => Nat.lor (full x.clip.frames) (Nat.shiftLeft (familyValid rest) x.stride)
/-- The masks of atom `k`, end to end. -/
def familyMask (k : Nat) : List Segment → Nat
  | .nil => 0
  | .cons x rest => Nat.lor (Nat.land (x.clip.mask k) (full x.clip.frames)) (Nat.shiftLeft (familyMask k rest) x.stride)
end Tracepact
