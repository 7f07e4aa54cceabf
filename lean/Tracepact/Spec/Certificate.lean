import Tracepact.Spec.Boundary
import Tracepact.Spec.Masks
import Tracepact.Spec.Score
/-! What a certificate says of a frame clause on one clip. -/
set_option autoImplicit false
namespace Tracepact

/-- A frame clause: where it is obliged, and what must hold there. -/
structure Clause where
  obligation : Formula
  formula : Formula

/-- One clip: its frames, the two active masks, and further masks of the caller. -/
structure Case where
  frames : Nat
  ref : Nat
  pred : Nat
  extra : Nat → Nat

/-- The clip as a trace, with the derived atoms by their definition. -/
def Case.trace (c : Case) : Trace := ⟨c.frames, boundaryAtom (bit c.ref) (bit c.pred) (fun k => bit (c.extra k))⟩

/-- What a monitor claims of a clause on a clip: the verdict mask, and the satisfied and obligated counts. -/
structure Claim where
  verdict : Nat
  satisfied : Nat
  obligated : Nat

/-- What a checked certificate says: the verdict mask has exactly the frames where the formula holds, and the two counts
are the satisfied and the obliged frames. -/
structure Certified (c : Case) (k : Clause) (m : Claim) : Prop where
  verdict : (i : Nat) → Lt i c.frames → Iff (Holds c.trace k.formula i) (Eq (bit m.verdict i) .true)
  satisfied : Eq (satisfied (eval c.trace k.obligation) (eval c.trace k.formula) c.frames) m.satisfied
  obligated : Eq (obligations (eval c.trace k.obligation) c.frames) m.obligated
end Tracepact
