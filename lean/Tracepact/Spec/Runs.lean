import Tracepact.Spec.Boundary
/-! Runs: the maximal half-open intervals of active frames. -/
set_option autoImplicit false
namespace Tracepact

/-- The frames from `start` up to, not including, `stop`. -/
structure Interval where
  start : Nat
  stop : Nat

/-- `r` is a maximal interval of active frames of a mask `a` of `n` frames: it is not empty, all its frames are active,
and it cannot be made longer at either end. -/
structure IsRun (a : Nat → Bool) (n : Nat) (r : Interval) : Prop where
  nonempty : Lt r.start r.stop
  inside : Nat.le r.stop n
  active : (j : Nat) → Nat.le r.start j → Lt j r.stop → IsTrue (a j)
  left : Not (IsTrue (before a r.start))
  right : Lt r.stop n → Not (IsTrue (a r.stop))

/-- Frame `j` lies in the interval. -/
def Interval.has (r : Interval) (j : Nat) : Bool := band (Nat.ble r.start j) (Nat.ble (.succ j) r.stop)
/-- Paint intervals back onto a mask. -/
def paint : List Interval → Nat → Bool
  | .nil, _ => .false
  | .cons r rest, j => bor (r.has j) (paint rest j)

/-- The intervals follow each other, with at least one frame between them. -/
def Ordered : List Interval → Prop
  | .nil => True
  | .cons r rest => And ((q : Interval) → Mem q rest → Lt r.stop q.start) (Ordered rest)
end Tracepact
