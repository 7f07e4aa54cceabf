import Tracepact.Spec.Matching
import Tracepact.Spec.Table
/-! Event clauses. All times are whole multiples of one common unit, which exact decimals always have. -/
set_option autoImplicit false
namespace Tracepact

/-- Two families of events, their matching, and how many predictions overlap each reference. -/
structure Families where
  refs : Nat
  preds : Nat
  ref : Nat → Event
  pred : Nat → Event
  matching : List (Prod Nat Nat)
  covering : Nat → Nat

/-- The value of a clause: a fraction, and whether nothing was there to judge. -/
structure Value where
  satisfied : Nat
  obligated : Nat
  vacuous : Bool
/-- The value of an event clause. With no obligation it is 1 and vacuous if both families are empty, else 0. -/
def eventValue (bothEmpty : Bool) (satisfied : Nat) : Nat → Value
  | .zero => cond bothEmpty ⟨1, 1, .true⟩ ⟨0, 1, .false⟩
  | .succ obligated => ⟨satisfied, .succ obligated, .false⟩

def Families.bothEmpty (x : Families) : Bool := band (Nat.beq x.refs 0) (Nat.beq x.preds 0)
/-- The duration clause with tolerance `p / q` for one match: `q * |pred.duration - ref.duration| ≤ p * ref.duration`.
-/
def durationHolds (p q : Nat) (ref pred : Event) : Bool :=
  Nat.ble (Nat.mul q (distance pred.duration ref.duration)) (Nat.mul p ref.duration)
/-- The duration clause, on each match. -/
def Families.durationValue (p q : Nat) (x : Families) : Value :=
  eventValue x.bothEmpty (listCount (fun m => durationHolds p q (x.ref m.fst) (x.pred m.snd)) x.matching)
      (length x.matching)
def isMatched (i : Nat) : List (Prod Nat Nat) → Bool
  | .nil => .false
  | .cons m rest => bor (Nat.beq m.fst i) (isMatched i rest)
/-- The fragmentation clause, on each reference: matched, and covered by at most one prediction. -/
def Families.fragmentationValue (x : Families) : Value :=
  eventValue x.bothEmpty (count (fun i => band (isMatched i x.matching) (Nat.ble (x.covering i) 1)) x.refs) x.refs

/-- Both ends of an event moved by at most `e`. -/
structure Moved (e : Nat) (x x' : Event) : Prop where
  onset : Nat.le (distance x.onset x'.onset) e
  offset : Nat.le (distance x.offset x'.offset) e
/-- The same families, matching and covering counts, with every event moved by at most `e`. -/
structure Jittered (e : Nat) (x x' : Families) : Prop where
  refs : Eq x.refs x'.refs
  preds : Eq x.preds x'.preds
  matching : Eq x.matching x'.matching
  covering : (i : Nat) → Eq (x.covering i) (x'.covering i)
  ref : (i : Nat) → Moved e (x.ref i) (x'.ref i)
  pred : (i : Nat) → Moved e (x.pred i) (x'.pred i)
end Tracepact
