import Tracepact.Spec.Runs
/-! Joining runs over short gaps (rule 5.8). -/
set_option autoImplicit false
namespace Tracepact

/-- A gap of `k` frames is joined: `k · step ≤ mergeGap`, both in one unit of time. -/
def isJoined (step mergeGap k : Nat) : Bool := Nat.ble (Nat.mul k step) mergeGap
/-- A run before joined runs: it grows over the gap to the first of them, if that gap is joined. -/
def joinTo (step mergeGap : Nat) (r : Interval) : List Interval → List Interval
  | .nil => .cons r .nil
  | .cons q rest => cond (isJoined step mergeGap (Nat.sub q.start r.stop))
      (.cons ⟨r.start, q.stop⟩ rest) (.cons r (.cons q rest))
/-- The runs, with every gap joined that is short enough. -/
def joinRuns (step mergeGap : Nat) : List Interval → List Interval
  | .nil => .nil
  | .cons r rest => joinTo step mergeGap r (joinRuns step mergeGap rest)

/-- The list begins with `r`. -/
def First (r : Interval) : List Interval → Prop
  | .nil => False
  | .cons q _ => Eq r q
/-- `q` follows right after `r` in the list. -/
def Adjacent (r q : Interval) : List Interval → Prop
  | .nil => False
  | .cons x rest => Or (And (Eq r x) (First q rest)) (Adjacent r q rest)
/-- No interval of the list is empty. -/
def Proper (l : List Interval) : Prop := (r : Interval) → Mem r l → Lt r.start r.stop
/-- Frame `j` lies in a gap that is joined. -/
def Bridged (step mergeGap : Nat) (l : List Interval) (j : Nat) : Prop :=
  Exists fun r : Interval => Exists fun q : Interval => And (Adjacent r q l)
    (And (And (Nat.le r.stop j) (Lt j q.start)) (Eq (isJoined step mergeGap (Nat.sub q.start r.stop)) .true))

/-- The intervals are not empty, lie within `n` frames, and are in order with at least one frame between. -/
structure WellPlaced (n : Nat) (l : List Interval) : Prop where
  proper : Proper l
  inside : (r : Interval) → Mem r l → Nat.le r.stop n
  ordered : Ordered l
end Tracepact
