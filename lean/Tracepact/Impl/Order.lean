import Tracepact.Spec.Order
/-! What the kernel computes when it checks the order of a selection. -/
set_option autoImplicit false
namespace Tracepact

/-- What is asked of the row at a place, which must be there. -/
def atRow (k : List Nat → Bool) : List (List Nat) → Nat → Bool
  | .nil, _ => .false
  | .cons row _, .zero => k row
  | .cons _ rest, .succ n => atRow k rest n
def checkPair (weights : List Nat) (margin : Nat) (table : List (List Nat)) (p : CasePair) : Bool :=
  atRow (fun worse => atRow (fun better =>
    Nat.ble (Nat.add (weighed weights worse) margin) (weighed weights better)) table p.better) table p.worse
def checkPairs (weights : List Nat) (margin : Nat) (table : List (List Nat)) : List CasePair → Bool
  | .nil => .true
  | .cons p rest => band (checkPair weights margin table p) (checkPairs weights margin table rest)
/-- The margin is not zero, and every pair is ordered by it. -/
def checkOrder (weights : List Nat) (margin : Nat) (table : List (List Nat)) (pairs : List CasePair) : Bool :=
  band (Nat.ble 1 margin) (checkPairs weights margin table pairs)
end Tracepact
