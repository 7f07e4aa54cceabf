import Tracepact.Spec.Truth
/-!
Tables: events with their times, and the frames they cover (rules 5.1 and 5.3). All times are whole multiples of one
common
unit, which exact decimals always have; every rule is stated by multiplication.
-/
set_option autoImplicit false
namespace Tracepact

structure Event where
  onset : Nat
  offset : Nat
def Event.duration (x : Event) : Nat := Nat.sub x.offset x.onset

/-- `n` is the least number with `p`. -/
structure IsLeast (p : Nat → Bool) (n : Nat) : Prop where
  holds : IsTrue (p n)
  least : (m : Nat) → IsTrue (p m) → Nat.le n m
/-- `n` frames of length `step` cover the duration. -/
def coversDuration (step duration n : Nat) : Bool := Nat.ble duration (Nat.mul step n)
/-- A clip of this duration has `n` frames: `n` is `duration / step`, rounded up (rule 5.1). -/
def IsFrameCount (step duration n : Nat) : Prop := IsLeast (coversDuration step duration) n

/-- How an event becomes frames (rule 5.3). -/
inductive Projection where
  | centre
  | touch
  | inside
/-- Frame `j` does not lie before the onset. `centre`: `onset ≤ (j + 1/2) · step`; `touch`: `onset < (j + 1) · step`;
`inside`: `onset ≤ j · step`. -/
def notBefore (step onset : Nat) : Projection → Nat → Bool
  | .centre, j => Nat.ble (Nat.mul onset 2) (Nat.mul step (.succ (Nat.mul j 2)))
  | .touch, j => Nat.ble (.succ onset) (Nat.mul step (.succ j))
  | .inside, j => Nat.ble onset (Nat.mul step j)
/-- Frame `j` lies behind the offset. `centre`: `offset ≤ (j + 1/2) · step`; `touch`: `offset ≤ j · step`;
`inside`: `offset < (j + 1) · step`. -/
def behind (step offset : Nat) : Projection → Nat → Bool
  | .centre, j => Nat.ble (Nat.mul offset 2) (Nat.mul step (.succ (Nat.mul j 2)))
  | .touch, j => Nat.ble offset (Nat.mul step j)
  | .inside, j => Nat.ble (.succ offset) (Nat.mul step (.succ j))
/-- The event covers frame `j`. An event of no length covers none. -/
def covers (p : Projection) (step : Nat) (e : Event) (j : Nat) : Bool :=
  band (Nat.ble (.succ e.onset) e.offset) (band (notBefore step e.onset p j) (bnot (behind step e.offset p j)))
/-- Some event of a table covers frame `j` (rule 5.5). -/
def active (p : Projection) (step : Nat) : List Event → Nat → Bool
  | .nil, _ => .false
  | .cons e rest, j => bor (covers p step e j) (active p step rest j)
end Tracepact
