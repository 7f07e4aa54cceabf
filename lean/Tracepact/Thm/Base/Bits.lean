import Init.Data.Nat.Bitwise.Lemmas
import Tracepact.Impl.Masks
import Tracepact.Thm.Base.Logic
/-! The laws of the bit operations that all proofs about masks use. Nothing below looks into the body of an operation.
-/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem and_eq_band : (x y : Bool) → Eq (and x y) (band x y)
  | .true, _ => rfl
  | .false, _ => rfl
theorem or_eq_bor : (x y : Bool) → Eq (or x y) (bor x y)
  | .true, _ => rfl
  | .false, _ => rfl
theorem xor_eq_bxor : (x y : Bool) → Eq (Bool.xor x y) (bxor x y)
  | .true, .true => rfl
  | .true, .false => rfl
  | .false, .true => rfl
  | .false, .false => rfl

theorem bit_land (a b i : Nat) : Eq (bit (Nat.land a b) i) (band (bit a i) (bit b i)) :=
  Eq.trans (Nat.testBit_and a b i) (and_eq_band _ _)
theorem bit_lor (a b i : Nat) : Eq (bit (Nat.lor a b) i) (bor (bit a i) (bit b i)) :=
  Eq.trans (Nat.testBit_or a b i) (or_eq_bor _ _)
theorem bit_xor (a b i : Nat) : Eq (bit (Nat.xor a b) i) (bxor (bit a i) (bit b i)) :=
  Eq.trans (Nat.testBit_xor a b i) (xor_eq_bxor _ _)
theorem bit_shr (m s i : Nat) : Eq (bit (Nat.shiftRight m s) i) (bit m (Nat.add i s)) :=
  Eq.trans (Nat.testBit_shiftRight m) (congrArg (bit m) (add_comm s i))
theorem bit_shl (m s j : Nat) : Eq (bit (Nat.shiftLeft m s) (Nat.add j s)) (bit m j) :=
  Eq.trans (Nat.testBit_shiftLeft m) (Eq.trans
    (congr2 and (decide_eq_true (lin0 (on2 s j) rfl)) (congrArg (bit m) (add_sub_cancel j s))) rfl)
theorem bit_shl_low (m s i : Nat) (l : Lt i s) : Eq (bit (Nat.shiftLeft m s) i) .false :=
  Eq.trans (Nat.testBit_shiftLeft m) (Eq.trans
    (congr2 and (decide_eq_false fun h => not_succ_le_self i (le_trans l h)) rfl) rfl)

theorem land_iff (a b i : Nat) : Iff (IsTrue (bit (Nat.land a b) i)) (And (IsTrue (bit a i)) (IsTrue (bit b i))) :=
  iff_trans (iff_of_eq (bit_land a b i)) (band_iff _ _)
theorem lor_iff (a b i : Nat) : Iff (IsTrue (bit (Nat.lor a b) i)) (Or (IsTrue (bit a i)) (IsTrue (bit b i))) :=
  iff_trans (iff_of_eq (bit_lor a b i)) (bor_iff _ _)
theorem shl_iff (m s i : Nat) : Iff (IsTrue (bit (Nat.shiftLeft m s) i)) (Exists fun j =>
    And (Eq i (Nat.add j s)) (IsTrue (bit m j))) :=
  ⟨fun h => match le_or_lt s i with
    | .inl l =>
      have e := sub_add_cancel l
      ⟨Nat.sub i s, Eq.symm e, Eq.trans (Eq.symm (bit_shl m s (Nat.sub i s))) (Eq.trans (congrArg (bit _) e) h)⟩
    | .inr l => (nomatch Eq.trans (Eq.symm h) (bit_shl_low m s i l)),
   fun ⟨j, e, h⟩ => Eq.trans (congrArg (bit _) e) (Eq.trans (bit_shl m s j) h)⟩
theorem full_iff (n i : Nat) : Iff (IsTrue (bit (full n) i)) (Lt i n) :=
  ⟨fun h => match le_or_lt n i with
    | .inl l => (nomatch Eq.trans (Eq.symm h)
        (Eq.trans (Nat.testBit_two_pow_sub_one n i) (decide_eq_false fun k => not_succ_le_self i (le_trans k l))))
    | .inr l => l,
   fun l => Eq.trans (Nat.testBit_two_pow_sub_one n i) (decide_eq_true l)⟩
theorem eq_of_bits {a b : Nat} (h : (i : Nat) → Eq (bit a i) (bit b i)) : Eq a b := Nat.eq_of_testBit_eq h
theorem bit_zero (i : Nat) : Not (IsTrue (bit 0 i)) := fun h => nomatch (full_iff 0 i).mp h
end Tracepact
