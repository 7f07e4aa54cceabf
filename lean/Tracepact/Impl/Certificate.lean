import Tracepact.Impl.Boundary
import Tracepact.Impl.Popcount
/-! What the kernel computes when it checks a certificate. -/
set_option autoImplicit false
noncomputable section
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

/-- What a monitor claims of a clause on a clip: the verdict mask, and the satisfied and obligated counts. -/
structure Claim where
  verdict : Nat
  satisfied : Nat
  obligated : Nat

/-- The verdict mask that the bitset engine computes. -/
def Case.verdict (c : Case) (f : Formula) : Nat := evalMask (full c.frames) (boundaryMask (full c.frames) c.ref c.pred c.extra) f

/-- The claim is what the engine computes; `2^d` must be at least the number of frames. -/
def checkClaim (d : Nat) (c : Case) (k : Clause) (m : Claim) : Bool :=
  band (Nat.ble c.frames (Nat.pow 2 d))
    (band (Nat.beq (c.verdict k.formula) m.verdict)
      (band (Nat.beq (popcount d (Nat.land (c.verdict k.obligation) m.verdict)) m.satisfied)
        (Nat.beq (popcount d (c.verdict k.obligation)) m.obligated)))
end Tracepact
