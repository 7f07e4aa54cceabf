import Tracepact.Thm.Windows.Layout
import Tracepact.Thm.Locality
/-! The bitset engine computes the meaning: one clip, and whole families. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem reached_alone {n x i : Nat} {lo hi : Int} (w : Within (full n) x) :
    Iff (Exists fun j => And (Reached (Nat.add 0 i) lo hi j) (IsTrue (bit x j)))
      (Exists fun j => And (InWindow n i lo hi j) (IsTrue (bit x (Nat.add 0 j)))) :=
  exists_iff fun j => Eq.subst (motive := fun z => Iff (And (Reached z lo hi j) _) _) (Eq.symm (zero_add i))
    (Eq.subst (motive := fun z => Iff _ (And _ (IsTrue (bit x z)))) (Eq.symm (zero_add j))
      ⟨fun ⟨⟨a, b⟩, h⟩ => ⟨⟨(full_iff n j).mp (w j h), a, b⟩, h⟩, fun ⟨u, h⟩ => ⟨⟨u.lower, u.upper⟩, h⟩⟩)

/-- **Windows by doubling.** At every frame of a clip, up to both of its ends, and for every pair of offsets, the
shift-or algorithm sets exactly the frames that have a set frame within the window clipped to the clip. -/
theorem eventually_by_doubling (n x : Nat) (within : (i : Nat) → Eq (bit x i) .true → Lt i n) (lo hi : Int) (i : Nat)
    (inside : Lt i n) :
    Iff (Eq (bit (eventuallyMask (full n) lo hi x) i) .true) (Exists fun j =>
        And (InWindow n i lo hi j) (Eq (bit x j) .true)) :=
  have w : Within (full n) x := fun p e => (full_iff n p).mpr (within p e)
  iff_trans (iff_of_eq (Eq.symm (zero_add_bit _ i))) (iff_trans (eventuallyMask_iff _ _ _ _ _)
    (iff_trans (and_valid ((full_iff n _).mpr (lin1 (on2 i n) inside rfl)))
      (iff_trans (reached_alone w)
        (exists_iff fun j => and_iff iff_refl (iff_of_eq (zero_add_bit x j))))))

/-- **The bitset engine.** For every formula, the verdict mask of a clip has at each frame of the clip the verdict of
the meaning, and no frame beyond. -/
theorem bitset_verdicts (n : Nat) (mask : Nat → Nat) (f : Formula) (i : Nat) :
    Eq (bit (evalMask (full n) n mask f) i) (band (Nat.ble (.succ i) n) (eval ⟨n, fun k j => bit (mask k) j⟩ f i)) :=
  match le_or_lt n i with
  | .inl h => eq_of_iff ⟨
      fun e => impossible2 (on2 i n) ((full_iff n i).mp (evalMask_within _ n mask f i e)) h rfl,
      fun e => impossible2 (on2 i n) ((ble_iff _ _).mp ((band_iff _ _).mp e).left) h rfl⟩
  | .inr l => eq_of_iff (iff_trans (iff_trans (iff_of_eq (Eq.symm (zero_add_bit _ i)))
      ((place_alone n (.succ (widest f))).verdicts (succ_le_succ (zero_le _)) n .refl mask f
          (.step (smaller_le_left _ _)) i l))
      (iff_trans (iff_trans (iff_symm (eval_iff_holds _ f i)) (iff_of_eq
        (extensionality ⟨n, fun k j => bit (mask k) (Nat.add 0 j)⟩ ⟨n, fun k j => bit (mask k) j⟩ f rfl
          (fun k _ j _ => zero_add_bit (mask k) j) i l)))
        ⟨fun e => (band_iff _ _).mpr ⟨ble_of_le _ _ l, e⟩, fun e => ((band_iff _ _).mp e).right⟩))

/-- **Families.** Clips laid end to end, each followed by invalid frames: at least one, and at least the largest offset
of the formula's windows or the length of the longest clip, whichever is smaller; every node masked by the valid frames.
Then each clip gets in the one long mask exactly its own verdicts, for every formula of the language. -/
theorem family_verdicts (gap longest : Nat) (segments : List Segment) (f : Formula) (positive : Lt 0 gap)
    (wide : Nat.le (smaller (widest f) longest) gap) (apart : Apart gap longest segments)
    (c : Clip) (s : Nat) (start : StartsAt c segments s) (i : Nat) (inside : Lt i c.frames) :
    Eq (bit (evalMask (familyValid segments) longest (fun k => familyMask k segments) f) (Nat.add s i))
        (eval c.trace f i) :=
  let ⟨x, m, e⟩ := start_mem c segments s start
  have long : Nat.le c.frames longest :=
      Eq.subst (motive := fun d => Nat.le (Clip.frames d) longest) (Eq.symm e) (apart x m).right
  eq_of_iff (iff_trans ((place_of_start gap c segments (fun y n => (apart y n).left) s start).verdicts positive longest
      long _ f wide i inside)
    (iff_trans (iff_symm (eval_iff_holds _ f i)) (iff_of_eq
      (extensionality ⟨c.frames, fun k j => bit (familyMask k segments) (Nat.add s j)⟩ c.trace f rfl
        (fun k _ j l => eq_of_iff (mask_of_start k c j l segments s start)) i inside))))

/-- **The gap is needed.** Without it `F[1,1] p` sees in the silent clip the active frame of the next clip. -/
theorem gap_is_needed : And
    (Eq (bit (evalMask (familyValid (twoClips 0)) 1 (fun k =>
        familyMask k (twoClips 0)) (.eventually (.ofNat 1) (.ofNat 1) (.atom 0))) 0) .true)
    (Eq (eval silentClip.trace (.eventually (.ofNat 1) (.ofNat 1) (.atom 0)) 0) .false) := ⟨rfl, rfl⟩
/-- **One mask at the end is not enough**, even with the gap: `F[1,1] !p`, complemented over the whole long mask and
masked once at the end, sees in the silent clip the frame of the gap, where its own verdict is false. -/
theorem one_mask_is_not_enough : And
    (Eq (bit (Nat.land (earlier (.ofNat 1) (spread (Nat.xor (full 4) (familyMask 0 (twoClips 1))) 1))
        (familyValid (twoClips 1))) 0) .true)
    (Eq (eval silentClip.trace (.eventually (.ofNat 1) (.ofNat 1) (.not (.atom 0))) 0) .false) := ⟨rfl, rfl⟩
end Tracepact
