import Tracepact.Impl.Boundary
import Tracepact.Thm.Windows
/-! The derived atoms. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem shifted_iff {v s n g a : Nat} (place : Place v s n g) (pos : Lt 0 g) (w : Within v a) : (i : Nat) →
    Eq (bit (Nat.shiftLeft a 1) (Nat.add s i)) (before (fun j => bit a (Nat.add s j)) i)
  | .zero => eq_false fun h =>
      let ⟨q, e, k⟩ := (shl_iff _ _ _).mp h
      place.before q (Eq.subst (motive := Lt q) (Eq.symm e) .refl)
        (Eq.subst (motive := fun z => Nat.le z (Nat.add q g)) (Eq.symm e) (lin1 (on2 g q) pos rfl)) (w q k)
  | .succ i => bit_shl a 1 (Nat.add s i)
theorem onset_bits : (x y : Bool) → Eq (bxor x (band x y)) (band x (bnot y))
  | .true, _ => rfl
  | .false, _ => rfl
theorem offset_bits : (x y v : Bool) → IsTrue v → Eq (band (bxor y (band y x)) v) (band (bnot x) y)
  | .true, .true, _, _ => rfl
  | .true, .false, _, _ => rfl
  | .false, .true, .true, _ => rfl
  | .false, .false, _, _ => rfl

/-- **Onset by one shift**: in a clip that lies apart from all others, the onset mask has the onset frames of the clip.
-/
theorem onset_by_shift {v s n g a : Nat} (place : Place v s n g) (pos : Lt 0 g) (w : Within v a) (i : Nat) :
    Eq (bit (onsetMask a) (Nat.add s i)) (onset (fun j => bit a (Nat.add s j)) i) :=
  Eq.trans (bit_xor _ _ _)
      (Eq.trans (congrArg (bxor _) (Eq.trans (bit_land _ _ _) (congrArg (band _) (shifted_iff place pos w i))))
      (onset_bits _ _))
/-- **Offset by one shift**, likewise. -/
theorem offset_by_shift {v s n g a : Nat} (place : Place v s n g) (pos : Lt 0 g) (w : Within v a) (i : Nat)
    (inside : Lt i n) :
    Eq (bit (offsetMask v a) (Nat.add s i)) (offset (fun j => bit a (Nat.add s j)) i) :=
  Eq.trans (bit_land _ _ _)
      (Eq.trans (congrArg (fun b => band b _) (Eq.trans (bit_xor _ _ _) (congr2 bxor (shifted_iff place pos w i)
    (Eq.trans (bit_land _ _ _) (congrArg (fun b => band b _) (shifted_iff place pos w i))))))
        (offset_bits _ _ _ (place.own i inside)))

theorem before_congr {a b : Nat → Bool} {n : Nat} (h : (j : Nat) → Lt j n → Eq (a j) (b j)) : (i : Nat) → Lt i n →
    Eq (before a i) (before b i)
  | .zero, _ => rfl
  | .succ i, l => h i (le_of_succ_le l)
theorem clip_bits (m n j : Nat) (l : Lt j n) : Eq (bit (Nat.land m (full n)) (Nat.add 0 j)) (bit m j) :=
  eq_of_iff (iff_trans (iff_of_eq (zero_add_bit _ j)) (iff_trans (land_iff _ _ _) (and_valid ((full_iff n j).mpr l))))
theorem clip_onset (n m i : Nat) (l : Lt i n) : Eq (bit (onsetMask (Nat.land m (full n))) i) (onset (bit m) i) :=
  Eq.trans (Eq.symm (zero_add_bit _ i)) (Eq.trans (onset_by_shift (place_alone n 1) .refl within_land i)
    (congr2 (fun x y => band x (bnot y)) (clip_bits m n i l) (before_congr (clip_bits m n) i l)))
theorem clip_offset (n m i : Nat) (l : Lt i n) : Eq (bit (offsetMask (full n) (Nat.land m (full n))) i)
    (offset (bit m) i) :=
  Eq.trans (Eq.symm (zero_add_bit _ i)) (Eq.trans (offset_by_shift (place_alone n 1) .refl within_land i l)
    (congr2 (fun x y => band (bnot x) y) (clip_bits m n i l) (before_congr (clip_bits m n) i l)))

/-- **Derived atoms.** In one clip, each atom's mask has at every frame of the clip the atom's value. -/
theorem boundary_atoms (n ref pred : Nat) (extra : Nat → Nat) : (k i : Nat) → Lt i n →
    Eq (bit (boundaryMask (full n) ref pred extra k) i) (boundaryAtom (bit ref) (bit pred) (fun k => bit (extra k)) k i)
  | .zero, _, _ => rfl
  | .succ .zero, i, l => clip_onset n ref i l
  | .succ (.succ .zero), i, l => clip_offset n ref i l
  | .succ (.succ (.succ .zero)), _, _ => rfl
  | .succ (.succ (.succ (.succ .zero))), i, l => clip_onset n pred i l
  | .succ (.succ (.succ (.succ (.succ .zero)))), i, l => clip_offset n pred i l
  | .succ (.succ (.succ (.succ (.succ (.succ _))))), _, _ => rfl
end Tracepact
