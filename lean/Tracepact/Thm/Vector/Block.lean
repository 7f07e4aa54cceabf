import Tracepact.Thm.Vector.Force
/-! The clips of a block, laid end to end: what is counted in the long masks are the clips' own counts. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem bit_as_number (m i : Nat) : Eq (Nat.land (Nat.shiftRight m i) 1) (toNat (bit m i)) :=
  value (bit m i) (Eq.trans (bit_shr m i 0) (congrArg (bit m) (zero_add i)))
where
  value : (b : Bool) → Eq (bit (Nat.shiftRight m i) 0) b → Eq (Nat.land (Nat.shiftRight m i) 1) (toNat b)
    | .true, h => eq_of_bits fun j => eq_of_iff ⟨fun e => ((land_iff _ _ _).mp e).right, fun e => only j h e⟩
    | .false, h => eq_of_bits fun j => eq_of_iff ⟨fun e => absurd (both j e) (false_ne_true h), fun e =>
        absurd e (bit_zero j)⟩
  only : (j : Nat) → IsTrue (bit (Nat.shiftRight m i) 0) → IsTrue (bit 1 j) →
      IsTrue (bit (Nat.land (Nat.shiftRight m i) 1) j)
    | .zero, h, e => (land_iff _ _ _).mpr ⟨h, e⟩
    | .succ j, _, e => impossible1 (on1 j) ((full_iff 1 (.succ j)).mp e) rfl
  both : (j : Nat) → IsTrue (bit (Nat.land (Nat.shiftRight m i) 1) j) → IsTrue (bit (Nat.shiftRight m i) 0)
    | .zero, e => ((land_iff _ _ _).mp e).left
    | .succ j, e => impossible1 (on1 j) ((full_iff 1 (.succ j)).mp ((land_iff _ _ _).mp e).right) rfl
theorem readCounter_eq (i : Nat) : (slices : List Nat) → Eq (readCounter slices i) (counter slices i)
  | .nil => rfl
  | .cons s rest => congr2 (fun a b => Nat.add a (Nat.mul b 2)) (bit_as_number s i) (readCounter_eq i rest)
theorem pow_positive : (d : Nat) → Lt 0 (Nat.pow 2 d)
  | .zero => .refl
  | .succ d => Eq.subst (motive := Lt 0) (Eq.symm (two_mul (Nat.pow 2 d)))
      (lin1 (on1 (Nat.pow 2 d)) (pow_positive d) rfl)

/-- A clip of `n` frames lies in the long masks at `s`, with its own atoms. -/
structure Home (c : Contract) (d v : Nat) (mask : Nat → Nat) (s : Nat) (sides : Sides) (n : Nat) : Prop where
  place : Place v s n (Nat.pow 2 d)
  fits : Nat.le n (Nat.pow 2 d)
  atom : (k j : Nat) → Lt j n → Eq (bit (mask k) (Nat.add s j)) ((c.trace sides n).atom k j)

section
variable {c : Contract} {d v : Nat} {mask : Nat → Nat} {s : Nat} {sides : Sides} {n : Nat}
theorem home_verdict (h : Home c d v mask s sides n) (f : Formula) (i : Nat) (l : Lt i n) :
    Eq (bit (evalMask v (Nat.pow 2 d) mask f) (Nat.add s i)) (eval (c.trace sides n) f i) :=
  eq_of_iff (iff_trans (h.place.verdicts (pow_positive d) (Nat.pow 2 d) h.fits mask f (smaller_le_right _ _) i l)
    (iff_trans (iff_symm (eval_iff_holds _ f i)) (iff_of_eq
      (extensionality ⟨n, fun k j => bit (mask k) (Nat.add s j)⟩ (c.trace sides n) f rfl
        (fun k _ j l => h.atom k j l) i l))))
theorem home_count (h : Home c d v mask s sides n) (m : Nat) (within : Within v m) (p : Nat → Bool)
    (same : (i : Nat) → Lt i n → Eq (bit m (Nat.add s i)) (p i)) :
    Eq (readCounter (fold d (.cons m .nil)) s) (count p n) :=
  let ⟨k, e⟩ := le_exists h.fits
  Eq.trans (readCounter_eq s _) (Eq.trans (folded_count d m s) (Eq.trans (congrArg (count _) e) (Eq.trans
    (count_within _ n k fun i l u b =>
      have u : Lt i (Nat.pow 2 d) := Eq.symm e ▸ u
      h.place.after (Nat.add s i) (lin1 (on3 s n i) l rfl)
        (lin1 (on4 s n i (Nat.pow 2 d)) u rfl) (within _ b))
    (count_congr n same))))
/-- The counts of a frame clause. -/
theorem home_frame (h : Home c d v mask s sides n) (o f : Formula) (x : Scene) (pairs : List Candidate) : Eq
    (Counts.mk (readCounter (rowOf d v mask (.frame o f)).satisfied s)
      (readCounter (rowOf d v mask (.frame o f)).obligated s))
    (clauseCounts (c.trace sides n) x pairs (.frame o f)) :=
  counts_eq
    (home_count h _ (fun p e => evalMask_within v _ mask o p ((land_iff _ _ _).mp e).left) _ fun i l =>
      Eq.trans (bit_land _ _ _) (congr2 band (home_verdict h o i l) (home_verdict h f i l)))
    (home_count h _ (evalMask_within v _ mask o) _ fun i l => home_verdict h o i l)
end

/-! ### Where a clip lies -/
theorem laid_padding (d : Nat) : (l : List Found) → (x : Segment) → Mem x (laid d l) → Nat.le (Nat.pow 2 d) x.padding
  | .nil, _, m => m.elim
  | .cons _ _, _, .inl e => Eq.symm e ▸ .refl
  | .cons _ rest, x, .inr m => laid_padding d rest x m
/-- The clip as it is laid. -/
def clipOf (h : Hints) : Clip := ⟨h.frames, activityMask h⟩
/-- The masks of a block's atoms. -/
def laidMasks (segments : List Segment) : Nat → Nat :=
  let v := familyValid segments
  let r := familyMask 0 segments
  let p := familyMask 1 segments
  sixMasks r (boundaryMask v r p (fun _ => 0) 1) (boundaryMask v r p (fun _ => 0) 2) p
    (boundaryMask v r p (fun _ => 0) 4) (boundaryMask v r p (fun _ => 0) 5)

section
variable {d s v n : Nat} (place : Place v s n (Nat.pow 2 d)) {m : Nat} {a : Nat → Bool}
  (same : (j : Nat) → Lt j n → Eq (bit m (Nat.add s j)) (a j))
include place same
theorem valid_bits (j : Nat) (l : Lt j n) : Eq (bit (Nat.land m v) (Nat.add s j)) (a j) :=
  Eq.trans (eq_of_iff (iff_trans (land_iff _ _ _) (and_valid (place.own j l)))) (same j l)
theorem laid_onset (i : Nat) (l : Lt i n) : Eq (bit (onsetMask (Nat.land m v)) (Nat.add s i)) (onset a i) :=
  Eq.trans (onset_by_shift place (pow_positive d) within_land i) (onset_congr (valid_bits place same) i l)
theorem laid_offset (i : Nat) (l : Lt i n) : Eq (bit (offsetMask v (Nat.land m v)) (Nat.add s i)) (offset a i) :=
  Eq.trans (offset_by_shift place (pow_positive d) within_land i l) (offset_congr (valid_bits place same) i l)
end
theorem laid_atoms {d s v n r p : Nat} {ref pred : Nat → Bool} (place : Place v s n (Nat.pow 2 d))
    (hr : (j : Nat) → Lt j n → Eq (bit r (Nat.add s j)) (ref j))
    (hp : (j : Nat) → Lt j n → Eq (bit p (Nat.add s j)) (pred j)) : (k i : Nat) → Lt i n →
    Eq (bit (boundaryMask v r p (fun _ => 0) k) (Nat.add s i)) (boundaryAtom ref pred (fun _ _ => .false) k i)
  | .zero, i, l => hr i l
  | .succ .zero, i, l => laid_onset place hr i l
  | .succ (.succ .zero), i, l => laid_offset place hr i l
  | .succ (.succ (.succ .zero)), i, l => hp i l
  | .succ (.succ (.succ (.succ .zero))), i, l => laid_onset place hp i l
  | .succ (.succ (.succ (.succ (.succ .zero)))), i, l => laid_offset place hp i l
  | .succ (.succ (.succ (.succ (.succ (.succ _))))), _, _ => eq_false (bit_zero _)
/-- A clip that starts at `s` of a block and passes its check is at home there. -/
theorem home_of_start {c : Contract} {d s : Nat} {all : List Found} (x : Found) (ok : IsTrue (checkFound c d x))
    (start : StartsAt (clipOf x.hints) (laid d all) s) :
    Home c d (familyValid (laid d all)) (laidMasks (laid d all)) s x.item.sides x.hints.frames :=
  let ⟨a, b⟩ := (band_iff _ _).mp ok
  let ⟨_, fits⟩ := (band_iff _ _).mp a
  let ⟨ref, pred⟩ := (band_iff _ _).mp b
  have place := place_of_start (Nat.pow 2 d) (clipOf x.hints) (laid d all) (laid_padding d all) s start
  have mask (k j : Nat) (l : Lt j x.hints.frames) : Eq (bit (familyMask k (laid d all)) (Nat.add s j))
      (bit (activityMask x.hints k) j) := eq_of_iff (mask_of_start k (clipOf x.hints) j l (laid d all) s start)
  { place := place
    fits := le_of_ble _ _ fits
    atom := fun k j l => Eq.trans (congrArg (fun m => bit m (Nat.add s j)) (six_masks _ _ _ k)) (laid_atoms place
      (fun j l => Eq.trans (mask 0 j l) ((runs_right c _ _ _ _ ref).right j l))
      (fun j l => Eq.trans (mask 1 j l) ((runs_right c _ _ _ _ pred).right j l)) k j l) }
end Tracepact
