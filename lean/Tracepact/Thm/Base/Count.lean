import Tracepact.Thm.Base.Logic
/-! Counting frames. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem count_congr {p q : Nat → Bool} : (n : Nat) → ((i : Nat) → Lt i n → Eq (p i) (q i)) → Eq (count p n) (count q n)
  | .zero, _ => rfl
  | .succ n, h => congr2 (fun x b => Nat.add x (toNat b)) (count_congr n fun i l => h i (.step l)) (h n .refl)
theorem toNat_mono : (x y : Bool) → (IsTrue x → IsTrue y) → Nat.le (toNat x) (toNat y)
  | .false, y, _ => zero_le (toNat y)
  | .true, .true, _ => .refl
  | .true, .false, h => nomatch h rfl
theorem count_mono {p q : Nat → Bool} : (n : Nat) → ((i : Nat) → Lt i n → IsTrue (p i) → IsTrue (q i)) →
    Nat.le (count p n) (count q n)
  | .zero, _ => .refl
  | .succ n, h => add_le_add (count_mono n fun i l => h i (.step l)) (toNat_mono _ _ (h n .refl))
end Tracepact
