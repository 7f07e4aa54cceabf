import Tracepact.Spec.Basis
/-! The retained basis: the candidates in order, without the constant ones and without any that repeats an earlier one.
-/
set_option autoImplicit false
namespace Tracepact

section
variable {α : Type} (value : α → Nat → Nat) (m : Nat)
def sameValues (c d : α) : Bool := allBelow (fun s => Nat.beq (value c s) (value d s)) m
def isConstant (c : α) : Bool := allBelow (fun s => Nat.beq (value c s) (value c 0)) m
def repeats (c : α) : List α → Bool
  | .nil => .false
  | .cons d rest => bor (sameValues value m c d) (repeats c rest)
def keepNew (seen : List α) : List α → List α
  | .nil => .nil
  | .cons c rest => cond (bor (isConstant value m c) (repeats value m c seen)) (keepNew seen rest)
      (.cons c (keepNew (.cons c seen) rest))
def retained (candidates : List α) : List α := keepNew value m .nil candidates
end
end Tracepact
