import Tracepact.Spec.Score
import Tracepact.Thm.Base.Count
/-! Obligations: partition, and vacuity control. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem split_frame : (o v : Bool) → Eq (Nat.add (toNat (band o v)) (toNat (band o (bnot v)))) (toNat o)
  | .true, .true => rfl
  | .true, .false => rfl
  | .false, _ => rfl
theorem add_middle (a b c d : Nat) : Eq (Nat.add (Nat.add a b) (Nat.add c d)) (Nat.add (Nat.add a c) (Nat.add b d)) :=
  le_antisymm (lin0 (on4 a b c d) rfl) (lin0 (on4 a c b d) rfl)

/-- **Obligation partition.** For any two masks of one length, the satisfied and the violated frames together are the
obliged frames: satisfied + violated = obligations. -/
theorem obligation_partition (o v : Nat → Bool) :
    (n : Nat) → Eq (Nat.add (satisfied o v n) (violated o v n)) (obligations o n)
  | .zero => rfl
  | .succ n => Eq.trans (add_middle _ _ _ _) (congr2 Nat.add (obligation_partition o v n) (split_frame (o n) (v n)))

theorem antecedent_frame : (a c : Bool) → Eq (band a (bimplies a c)) (band a c)
  | .true, _ => rfl
  | .false, _ => rfl

/-- **Vacuity control.** An implication scored under its own antecedent counts exactly the obliged frames at which the
consequent holds: no frame counts as satisfied because the antecedent is false there. -/
theorem vacuity_control (t : Trace) (a c : Formula) :
    Eq (satisfied (eval t a) (eval t (.implies a c)) t.frames) (satisfied (eval t a) (eval t c) t.frames) :=
  count_congr t.frames fun i _ => antecedent_frame (eval t a i) (eval t c i)
end Tracepact
