import Tracepact.Spec.Edges
import Tracepact.Thm.Soft.Order
/-! The soft value at the frame before. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem greatest_one {p : Nat → Soft} (i : Nat) (others : (j : Nat) → Not (Eq j i) → Eq (p j) softBottom) : (n : Nat) →
    Eq (greatestBelow p n) (cond (Nat.ble (.succ i) n) (p i) softBottom)
  | .zero => rfl
  | .succ n => match true_or_not (Nat.beq n i) with
    | .inl same =>
      have e : Eq n i := eq_of_beq n i same
      have none : Eq (greatestBelow p n) softBottom := Eq.trans (greatest_one i others n)
        (congrArg (fun b => cond b (p i) softBottom) (eq_false fun h =>
          not_succ_le_self i (Eq.subst (motive := fun m => Nat.le (.succ i) m) e (le_of_ble _ _ h))))
      Eq.trans (congr2 greater (congrArg p e) none) (Eq.trans (greater_bottom (p i))
        (Eq.symm (congrArg (fun b => cond b (p i) softBottom) (ble_of_le _ _ (succ_le_succ (le_of_eq (Eq.symm e)))))))
    | .inr other =>
      have ne : Not (Eq n i) := fun e => other ((beq_iff n i).mpr e)
      Eq.trans (congr2 greater (others n ne) (greatest_one i others n)) (Eq.trans (bottom_greater _)
        (congrArg (fun b => cond b (p i) softBottom) (eq_of_iff (iff_trans (ble_iff _ _) (iff_trans
          ⟨.step, fun l => (lt_succ_cases l).elim (fun e => absurd (Eq.symm e) ne) id⟩ (iff_symm (ble_iff _ _)))))))
theorem previous_first (n : Nat) (atom : Nat → Nat → Soft) (f : Formula) :
    Eq (soft n atom (previous f) 0) softBottom :=
  none n
where
  none : (m : Nat) → Eq (greatestBelow (fun j => cond (band (atLeast 0 (.negSucc 0) j) (atMost 0 (.negSucc 0) j))
      (soft n atom f j) softBottom) m) softBottom
    | .zero => rfl
    | .succ m => Eq.trans (congrArg (greater _) (none m)) (greater_bottom _)
theorem previous_later (n : Nat) (atom : Nat → Nat → Soft) (f : Formula) (i : Nat) (l : Lt (.succ i) n) :
    Eq (soft n atom (previous f) (.succ i)) (soft n atom f i) :=
  Eq.trans (greatest_one i (fun j ne => congrArg (fun b => cond b (soft n atom f j) softBottom)
      (eq_false fun h =>
        let ⟨a, b⟩ := (band_iff _ _).mp h
        ne (le_antisymm (le_of_succ_le_succ (le_of_ble _ _ b)) (le_of_succ_le_succ (le_of_ble _ _ a))))) n)
    (congr2 (fun a b => cond a (cond b (soft n atom f i) softBottom) softBottom) (ble_of_le _ _ (le_of_succ_le l))
      ((band_iff _ _).mpr ⟨ble_of_le _ _ .refl, ble_of_le _ _ .refl⟩))
end Tracepact
