import Tracepact.Impl.Masks
import Tracepact.Spec.Runs
import Tracepact.Spec.Table
/-!
From the times of a table to a mask. The frames of an event are not computed by division: they are given, and checked by
multiplication at both ends.
-/
set_option autoImplicit false
namespace Tracepact

/-- `p` holds at `n` and not right before. -/
def isEdge (p : Nat → Bool) : Nat → Bool
  | .zero => p .zero
  | .succ n => band (bnot (p n)) (p (.succ n))
/-- `r` has the frames that the event covers, in a clip without an end. -/
def isProjected (p : Projection) (step : Nat) (e : Event) (r : Interval) : Bool :=
  cond (Nat.ble (.succ e.onset) e.offset)
    (band (isEdge (notBefore step e.onset p) r.start) (isEdge (behind step e.offset p) r.stop))
    (Nat.ble r.stop r.start)
/-- Each interval has the frames of its event. -/
def allProjected (p : Projection) (step : Nat) : List Event → List Interval → Bool
  | .nil, .nil => .true
  | .nil, .cons _ _ => .false
  | .cons _ _, .nil => .false
  | .cons e events, .cons r rest => band (isProjected p step e r) (allProjected p step events rest)

/-- The mask of some intervals. -/
def paintMask : List Interval → Nat
  | .nil => 0
  | .cons r rest => Nat.lor (Nat.shiftLeft (full (Nat.sub r.stop r.start)) r.start) (paintMask rest)
end Tracepact
