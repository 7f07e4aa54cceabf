import Tracepact.Impl.Boundary
import Tracepact.Impl.Popcount
import Tracepact.Spec.Certificate
/-! What the kernel computes when it checks a certificate. -/
set_option autoImplicit false
namespace Tracepact

/-- The verdict mask that the bitset engine computes. -/
def Case.verdict (c : Case) (f : Formula) : Nat :=
    evalMask (full c.frames) c.frames (boundaryMask (full c.frames) c.ref c.pred c.extra) f

def forceRun (x : Nat) (k : Nat → Bool) : Bool := k x
/-- `k x`, with `x` computed first. -/
@[implemented_by forceRun]
def force (x : Nat) (k : Nat → Bool) : Bool := Nat.rec (motive := fun _ => Bool) (k .zero) (fun n _ => k (.succ n)) x

/-- The claim is what the engine computes; `2^d` must be at least the number of frames. -/
def checkClaim (d : Nat) (c : Case) (k : Clause) (m : Claim) : Bool :=
  force m.verdict fun v => force (c.verdict k.obligation) fun o => force (Nat.land o v) fun s =>
    band (Nat.ble c.frames (Nat.pow 2 d))
      (band (Nat.beq (c.verdict k.formula) v)
        (band (Nat.beq (popcount d s) m.satisfied) (Nat.beq (popcount d o) m.obligated)))

/-- A long mask in pieces of `w` bits, lowest first: Lean reads many short literals faster than a long one. -/
def joined (w : Nat) : List Nat → Nat
  | .nil => 0
  | .cons piece rest => Nat.lor piece (Nat.shiftLeft (joined w rest) w)
/-- The caller's further masks, by number; zero beyond them. -/
def numbered : List Nat → Nat → Nat
  | .nil, _ => 0
  | .cons m _, .zero => m
  | .cons _ rest, .succ k => numbered rest k
end Tracepact
