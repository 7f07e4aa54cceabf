import Tracepact.Spec.Truth
/-!
Observational equivalence on a calibration set. `value c s` is the value of clause `c` on case `s` of `m` cases; values
are
only compared for equality, so any numbering of the exact fractions serves.
-/
set_option autoImplicit false
namespace Tracepact

section
variable {α : Type} (value : α → Nat → Nat) (m : Nat)
/-- The two clauses have the same value on every case. -/
def Equivalent (c d : α) : Prop := (s : Nat) → Lt s m → Eq (value c s) (value d s)
/-- The clause has one value on all cases. -/
def Constant (c : α) : Prop := (s s' : Nat) → Lt s m → Lt s' m → Eq (value c s) (value c s')
/-- The clause tells two cases apart. -/
def Separates (c : α) (s s' : Nat) : Prop := Not (Eq (value c s) (value c s'))
/-- No two entries are equivalent. -/
def AllDistinct : List α → Prop
  | .nil => True
  | .cons c rest => And ((d : α) → Mem d rest → Not (Equivalent value m c d)) (AllDistinct rest)
end
end Tracepact
