import Tracepact.Impl.Family
import Tracepact.Thm.Windows.Mask
import Tracepact.Thm.Meaning
/-! A place in a long mask where a clip lies apart from all others, and the verdicts there. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem smaller_le_left (a b : Nat) : Nat.le (smaller a b) a :=
  cond_elim (P := fun z => Nat.le z a) (Nat.ble a b) (fun _ => .refl) (fun h => le_of_succ_le (lt_of_not_ble h))
theorem smaller_le_right (a b : Nat) : Nat.le (smaller a b) b :=
  cond_elim (P := fun z => Nat.le z b) (Nat.ble a b) (fun h => (ble_iff _ _).mp h) (fun _ => .refl)
theorem le_smaller {i j a b : Nat} (h : Nat.le i (Nat.add j a)) (k : Nat.le i (Nat.add j b)) :
    Nat.le i (Nat.add j (smaller a b)) :=
  cond_elim (P := fun z => Nat.le i (Nat.add j z)) (Nat.ble a b) (fun _ => h) (fun _ => k)
theorem smaller_mono {a b c : Nat} (h : Nat.le a b) : Nat.le (smaller a c) (smaller b c) :=
  cond_elim (P := fun z => Nat.le (smaller a c) z) (Nat.ble b c) (fun _ => le_trans (smaller_le_left a c) h) (fun _ =>
      smaller_le_right a c)
theorem atLeast_back (i j : Nat) : (k : Nat) → Iff (AtLeast i (back k) j) (Nat.le i (Nat.add j k))
  | .zero => iff_refl
  | .succ _ => iff_refl

/-! ### Offsets cut off at the longest clip -/
theorem low_near {p j g n : Nat} : (lo : Int) → Nat.le (smaller (magnitude lo) n) g → AtLeast p (clampLow n lo) j →
    Nat.le p (Nat.add j g)
  | .ofNat k, _, l => lin1 (on4 p k j g) (show Nat.le (Nat.add p k) j from l) rfl
  | .negSucc k, h, l => le_trans ((atLeast_back p j (smaller (.succ k) n)).mp l) (add_le_add .refl h)
theorem high_near {p j g n : Nat} : (hi : Int) → Nat.le (smaller (magnitude hi) n) g → AtMost p (clampHigh n hi) j →
    Nat.le j (Nat.add p g)
  | .ofNat k, h, l => le_trans (l : Nat.le j (Nat.add p (smaller k n))) (add_le_add .refl h)
  | .negSucc k, _, l => lin1 (on4 j k p g) (show Nat.le (Nat.add j (.succ k)) p from l) rfl
theorem low_clamp {i j n : Nat} (h : Nat.le i n) : (lo : Int) → Iff (AtLeast i (clampLow n lo) j) (AtLeast i lo j)
  | .ofNat _ => iff_refl
  | .negSucc k => iff_trans (atLeast_back i j (smaller (.succ k) n)) ⟨fun l =>
      le_trans l (add_le_add .refl (smaller_le_left _ _)),
      fun l => le_smaller l (lin1 (on3 i n j) h rfl)⟩
theorem high_clamp {i j n : Nat} (h : Nat.le j n) : (hi : Int) → Iff (AtMost i (clampHigh n hi) j) (AtMost i hi j)
  | .ofNat _ => ⟨fun l => le_trans l (add_le_add .refl (smaller_le_left _ _)), fun l =>
      le_smaller l (lin1 (on3 j n i) h rfl)⟩
  | .negSucc _ => iff_refl
theorem ahead_clamp {n m i r j : Nat} (h : Nat.le n m) : Iff (Ahead n i (smaller r m) j) (Ahead n i r j) :=
  ⟨fun w => ⟨w.inside, w.lower, le_trans w.upper (add_le_add .refl (smaller_le_left _ _))⟩,
   fun w => ⟨w.inside, w.lower, le_smaller w.upper (lin2 (on4 j n m i) w.inside h rfl)⟩⟩
theorem behind_clamp {n m i r j : Nat} (l : Lt i n) (h : Nat.le n m) :
    Iff (Behind n i (smaller r m) j) (Behind n i r j) :=
  ⟨fun w => ⟨w.inside, w.upper, le_trans w.lower (add_le_add .refl (smaller_le_left _ _))⟩,
   fun w => ⟨w.inside, w.upper, le_smaller w.lower (lin2 (on4 i n m j) l h rfl)⟩⟩

theorem atLeast_shift (s i j : Nat) : (lo : Int) → Iff (AtLeast (Nat.add s i) lo (Nat.add s j)) (AtLeast i lo j)
  | .ofNat k => ⟨fun l => lin1 (on4 s i k j) (show Nat.le (Nat.add (Nat.add s i) k) (Nat.add s j) from l) rfl,
      fun l => lin1 (on4 i k j s) (show Nat.le (Nat.add i k) j from l) rfl⟩
  | .negSucc k => ⟨fun l => lin1 (on4 s i j k) (show Nat.le (Nat.add s i) (Nat.add (Nat.add s j) (.succ k)) from l) rfl,
      fun l => lin1 (on4 i j k s) (show Nat.le i (Nat.add j (.succ k)) from l) rfl⟩
theorem atMost_shift (s i j : Nat) : (hi : Int) → Iff (AtMost (Nat.add s i) hi (Nat.add s j)) (AtMost i hi j)
  | .ofNat k => ⟨fun l => lin1 (on4 s j i k) (show Nat.le (Nat.add s j) (Nat.add (Nat.add s i) k) from l) rfl,
      fun l => lin1 (on4 j i k s) (show Nat.le j (Nat.add i k) from l) rfl⟩
  | .negSucc k => ⟨fun l => lin1 (on4 s j k i) (show Nat.le (Nat.add (Nat.add s j) (.succ k)) (Nat.add s i) from l) rfl,
      fun l => lin1 (on4 j k i s) (show Nat.le (Nat.add j (.succ k)) i from l) rfl⟩

section
variable {v s n g : Nat} (place : Place v s n g)
include place

/-- A valid frame at most `g` frames from the clip's own is the clip's own. -/
theorem Place.home {j p : Nat} (l : Nat.le s p) (u : Lt p (Nat.add s n)) (a : Nat.le p (Nat.add j g))
    (b : Nat.le j (Nat.add p g))
    (h : IsTrue (bit v j)) : Exists fun j' => And (Eq j (Nat.add s j')) (Lt j' n) :=
  match le_or_lt s j with
  | .inr c => absurd h (place.before j c (le_trans l a))
  | .inl c => match le_or_lt (Nat.add s n) j with
    | .inl d => absurd h (place.after j d (lin2 (on5 p s n j g) u b rfl))
    | .inr d =>
      let ⟨j', e⟩ := le_exists c
      have d' : Lt (Nat.add s j') (Nat.add s n) := e ▸ d
      ⟨j', e, lin1 (on3 s j' n) d' rfl⟩
theorem Place.window {x i m : Nat} {lo hi : Int} (w : Within v x) (long : Nat.le n m)
    (a : Nat.le (smaller (magnitude lo) m) g)
    (b : Nat.le (smaller (magnitude hi) m) g) (l : Lt i n) :
    Iff (Exists fun j => And (Reached (Nat.add s i) (clampLow m lo) (clampHigh m hi) j) (IsTrue (bit x j)))
      (Exists fun j => And (InWindow n i lo hi j) (IsTrue (bit x (Nat.add s j)))) :=
  ⟨fun ⟨j, ⟨c, d⟩, h⟩ =>
    let ⟨j', e, l'⟩ := place.home (le_add s i) (lin1 (on3 i n s) l rfl) (low_near lo a c) (high_near hi b d) (w j h)
    have c' : AtLeast (Nat.add s i) (clampLow m lo) (Nat.add s j') := e ▸ c
    have d' : AtMost (Nat.add s i) (clampHigh m hi) (Nat.add s j') := e ▸ d
    ⟨j', ⟨l', (low_clamp (le_trans (le_of_succ_le l) long) lo).mp ((atLeast_shift s i j' _).mp c'),
      (high_clamp (le_trans (le_of_succ_le l') long) hi).mp ((atMost_shift s i j' _).mp d')⟩, e ▸ h⟩,
   fun ⟨j, u, h⟩ => ⟨Nat.add s j,
       ⟨(atLeast_shift s i j _).mpr ((low_clamp (le_trans (le_of_succ_le l) long) lo).mpr u.lower),
      (atMost_shift s i j _).mpr ((high_clamp (le_trans (le_of_succ_le u.inside) long) hi).mpr u.upper)⟩, h⟩⟩
theorem Place.forward {f g' i r : Nat} (pos : Lt 0 g) (wf : Within v f) (wg : Within v g') (l : Lt i n) :
    Iff (Exists fun j => And (And (Nat.le (Nat.add s i) j) (Nat.le j (Nat.add (Nat.add s i) r)))
        (And (IsTrue (bit g' j)) ((k : Nat) → Nat.le (Nat.add s i) k → Lt k j → IsTrue (bit f k))))
      (Exists fun j => And (Ahead n i r j)
        (And (IsTrue (bit g' (Nat.add s j))) ((k : Nat) → Nat.le i k → Lt k j → IsTrue (bit f (Nat.add s k))))) :=
  ⟨fun ⟨j, ⟨a, b⟩, e, h⟩ =>
    let ⟨j', q⟩ := le_exists (lin1 (on3 s i j) a rfl : Nat.le s j)
    have a' : Nat.le (Nat.add s i) (Nat.add s j') := q ▸ a
    have b' : Nat.le (Nat.add s j') (Nat.add (Nat.add s i) r) := q ▸ b
    have d : Lt j (Nat.add s n) := match le_or_lt (Nat.add s n) j with
      | .inr d => d
      | .inl d => match eq_or_lt d with
        | .inl d' => absurd (wg _ e) (place.after j d (d' ▸ (lin1 (on3 g s n) pos rfl)))
        | .inr d' => absurd (wf _ (h (Nat.add s n) (lin1 (on3 i n s) l rfl) d'))
            (place.after (Nat.add s n) .refl (lin1 (on3 g s n) pos rfl))
    have d' : Lt (Nat.add s j') (Nat.add s n) := q ▸ d
    ⟨j', ⟨lin1 (on3 s j' n) d' rfl, lin1 (on3 s i j') a' rfl, lin1 (on4 s j' i r) b' rfl⟩,
     q ▸ e, fun k c m => h (Nat.add s k) (lin1 (on3 i k s) c rfl)
      (Eq.subst (motive := Lt (Nat.add s k)) (Eq.symm q) (lin1 (on3 k j' s) m rfl))⟩,
   fun ⟨j, w, e, h⟩ => ⟨Nat.add s j, ⟨lin1 (on3 i j s) w.lower rfl, lin1 (on4 j i r s) w.upper rfl⟩, e,
    fun k c m =>
      let ⟨k', q⟩ := le_exists (lin1 (on3 s i k) c rfl : Nat.le s k)
      have c' : Nat.le (Nat.add s i) (Nat.add s k') := q ▸ c
      have m' : Lt (Nat.add s k') (Nat.add s j) := q ▸ m
      Eq.subst (motive := fun z => IsTrue (bit f z)) (Eq.symm q)
        (h k' (lin1 (on3 s i k') c' rfl) (lin1 (on3 s k' j) m' rfl))⟩⟩
theorem Place.backward {f g' i r : Nat} (pos : Lt 0 g) (wf : Within v f) (wg : Within v g') (l : Lt i n) :
    Iff (Exists fun j => And (And (Nat.le j (Nat.add s i)) (Nat.le (Nat.add s i) (Nat.add j r)))
        (And (IsTrue (bit g' j)) ((k : Nat) → Lt j k → Nat.le k (Nat.add s i) → IsTrue (bit f k))))
      (Exists fun j => And (Behind n i r j)
        (And (IsTrue (bit g' (Nat.add s j))) ((k : Nat) → Lt j k → Nat.le k i → IsTrue (bit f (Nat.add s k))))) :=
  ⟨fun ⟨j, ⟨a, b⟩, e, h⟩ =>
    have d : Nat.le s j := match le_or_lt s j with
      | .inl d => d
      | .inr d => match eq_or_lt d with
        | .inl d' => absurd (wg _ e) (place.before j d (Eq.subst (motive := fun z => Nat.le z (Nat.add j g)) d'
            (lin1 (on2 g j) pos rfl)))
        | .inr d' =>
          let ⟨c, q⟩ := le_exists d'
          have q : Eq s (.succ (Nat.add (.succ j) c)) := Eq.trans q (succ_add (.succ j) c)
          have u : Lt (Nat.add (.succ j) c) s := Eq.subst (motive := Lt (Nat.add (.succ j) c)) (Eq.symm q) .refl
          absurd (wf _ (h (Nat.add (.succ j) c) (le_add _ _) (le_trans (le_of_succ_le u) (le_add s i))))
            (place.before _ u
              (Eq.subst (motive := fun z => Nat.le z (Nat.add (Nat.add (.succ j) c) g)) (Eq.symm q)
                (lin1 (on3 g j c) pos rfl)))
    let ⟨j', q⟩ := le_exists d
    have a' : Nat.le (Nat.add s j') (Nat.add s i) := q ▸ a
    have b' : Nat.le (Nat.add s i) (Nat.add (Nat.add s j') r) := q ▸ b
    have a'' : Nat.le j' i := lin1 (on3 s j' i) a' rfl
    ⟨j', ⟨le_trans (succ_le_succ a'') l, a'', lin1 (on4 s i j' r) b' rfl⟩,
     q ▸ e, fun k c m => h (Nat.add s k) (Eq.subst (motive := fun z =>
         Lt z (Nat.add s k)) (Eq.symm q) (lin1 (on3 j' k s) c rfl))
      (lin1 (on3 k i s) m rfl)⟩,
   fun ⟨j, w, e, h⟩ => ⟨Nat.add s j, ⟨lin1 (on3 j i s) w.upper rfl, lin1 (on4 i j r s) w.lower rfl⟩, e,
    fun k c m =>
      let ⟨k', q⟩ := le_exists (lin1 (on3 s j k) c rfl : Nat.le s k)
      have c' : Lt (Nat.add s j) (Nat.add s k') := q ▸ c
      have m' : Nat.le (Nat.add s k') (Nat.add s i) := q ▸ m
      Eq.subst (motive := fun z => IsTrue (bit f z)) (Eq.symm q)
        (h k' (lin1 (on3 s j k') c' rfl) (lin1 (on3 s k' i) m' rfl))⟩⟩
end

theorem and_valid {a b : Prop} (h : b) : Iff (And a b) a := ⟨fun x => x.left, fun x => ⟨x, h⟩⟩
theorem not_exists_not {p q : Nat → Prop} (d : (j : Nat) → Or (q j) (Not (q j))) :
    Iff (Not (Exists fun j => And (p j) (Not (q j)))) ((j : Nat) → p j → q j) :=
  ⟨fun h j x => (d j).elim id (fun y => (h ⟨j, x, y⟩).elim), fun h ⟨j, x, y⟩ => y (h j x)⟩

/-- The verdicts at a place are those of the clip by itself. -/
theorem part_left {a b c longest : Nat} (h : Nat.le (smaller (larger a b) longest) c) :
    Nat.le (smaller a longest) c :=
  le_trans (smaller_mono (le_larger_left a b)) h
theorem part_right {a b c longest : Nat} (h : Nat.le (smaller (larger a b) longest) c) :
    Nat.le (smaller b longest) c :=
  le_trans (smaller_mono (le_larger_right a b)) h
theorem implies_classical (x y : Bool) : Iff (Or (Not (IsTrue x)) (IsTrue y)) (IsTrue x → IsTrue y) :=
  ⟨fun | .inl h => fun k => absurd k h | .inr h => fun _ => h,
   fun h => match true_or_not x with
    | .inl k => .inr (h k)
    | .inr k => .inl k⟩
theorem Place.verdicts {v s n g : Nat} (place : Place v s n g) (pos : Lt 0 g) (longest : Nat) (long : Nat.le n longest)
    (mask : Nat → Nat) :
    (f : Formula) → Nat.le (smaller (widest f) longest) g → (i : Nat) → Lt i n →
    Iff (IsTrue (bit (evalMask v longest mask f) (Nat.add s i))) (Holds ⟨n, fun k j => bit (mask k) (Nat.add s j)⟩ f i)
  | .atom _, _, i, l => iff_trans (land_iff _ _ _) (and_valid (place.own i l))
  | .constant .true, _, i, l => ⟨fun _ => rfl, fun _ => place.own i l⟩
  | .constant .false, _, _, _ => ⟨fun h => absurd h (bit_zero _), nofun⟩
  | .not f, w, i, l => iff_trans (complement_iff _ _ _ (place.own i l))
      (not_iff (place.verdicts pos longest long mask f w i l))
  | .and f g, w, i, l => iff_trans (land_iff _ _ _)
      (and_iff (place.verdicts pos longest long mask f (part_left w) i l)
          (place.verdicts pos longest long mask g (part_right w) i l))
  | .or f g, w, i, l => iff_trans (lor_iff _ _ _)
      (or_iff (place.verdicts pos longest long mask f (part_left w) i l)
          (place.verdicts pos longest long mask g (part_right w) i l))
  | .implies f g, w, i, l => iff_trans (lor_iff _ _ _) (iff_trans
      (or_iff (complement_iff _ _ _ (place.own i l)) iff_refl) (iff_trans (implies_classical _ _)
      (imp_iff (place.verdicts pos longest long mask f (part_left w) i l)
          (place.verdicts pos longest long mask g (part_right w) i l))))
  | .iff f g, w, i, l => iff_trans (complement_iff _ _ _ (place.own i l)) (iff_trans
      (iff_trans (not_iff (iff_of_eq (bit_xor _ _ _))) (iff_trans (iff_symm (bnot_iff _)) (biff_iff _ _)))
      (iff_iff (place.verdicts pos longest long mask f (part_left w) i l)
          (place.verdicts pos longest long mask g (part_right w) i l)))
  | .eventually _ _ f, w, i, l =>
      iff_trans (eventuallyMask_iff _ _ _ _ _) (iff_trans (and_valid (place.own i l)) (iff_trans
      (place.window (evalMask_within v longest mask f) long (part_left (part_left w))
          (part_right (part_left w)) l)
      (exists_iff fun j => ⟨fun ⟨m, h⟩ =>
          ⟨m, (place.verdicts pos longest long mask f (part_right w) j m.inside).mp h⟩,
        fun ⟨m, h⟩ => ⟨m, (place.verdicts pos longest long mask f (part_right w) j m.inside).mpr h⟩⟩)))
  | .always _ _ f, w, i, l => iff_trans (complement_iff _ _ _ (place.own i l)) (iff_trans
      (not_iff (iff_trans (eventuallyMask_iff _ _ _ _ _) (iff_trans (and_valid (place.own i l)) (iff_trans
        (place.window (within_xor (evalMask_within v longest mask f)) long (part_left (part_left w))
            (part_right (part_left w)) l)
        (exists_iff fun j => ⟨fun ⟨m, h⟩ => ⟨m, (complement_iff _ _ _ (place.own j m.inside)).mp h⟩,
          fun ⟨m, h⟩ => ⟨m, (complement_iff _ _ _ (place.own j m.inside)).mpr h⟩⟩)))))
      (iff_trans (not_exists_not fun _ => true_or_not _)
        (forall_iff fun j => ⟨fun h m =>
            (place.verdicts pos longest long mask f (part_right w) j m.inside).mp (h m),
          fun h m => (place.verdicts pos longest long mask f (part_right w) j m.inside).mpr (h m)⟩)))
  | .«until» _ f g, w, _, l => iff_trans (untilMask_iff _ _ _ _) (iff_trans
      (place.forward pos (evalMask_within v longest mask f) (evalMask_within v longest mask g) l)
      (exists_iff fun j => ⟨
        fun ⟨m, e, h⟩ => ⟨(ahead_clamp long).mp m,
            (place.verdicts pos longest long mask g (part_right w) j m.inside).mp e, fun k a b =>
          (place.verdicts pos longest long mask f (part_left w) k (le_trans b (le_of_succ_le m.inside))).mp
              (h k a b)⟩,
        fun ⟨m, e, h⟩ => ⟨(ahead_clamp long).mpr m,
            (place.verdicts pos longest long mask g (part_right w) j m.inside).mpr e, fun k a b =>
          (place.verdicts pos longest long mask f (part_left w) k (le_trans b (le_of_succ_le m.inside))).mpr
              (h k a b)⟩⟩))
  | .since _ f g, w, _, l => iff_trans (sinceMask_iff _ _ _ _) (iff_trans
      (place.backward pos (evalMask_within v longest mask f) (evalMask_within v longest mask g) l)
      (exists_iff fun j => ⟨
        fun ⟨m, e, h⟩ => ⟨(behind_clamp l long).mp m,
            (place.verdicts pos longest long mask g (part_right w) j m.inside).mp e, fun k a b =>
          (place.verdicts pos longest long mask f (part_left w) k (le_trans (succ_le_succ b) l)).mp (h k a b)⟩,
        fun ⟨m, e, h⟩ => ⟨(behind_clamp l long).mpr m,
            (place.verdicts pos longest long mask g (part_right w) j m.inside).mpr e, fun k a b =>
          (place.verdicts pos longest long mask f (part_left w) k (le_trans (succ_le_succ b) l)).mpr (h k a b)⟩⟩))
end Tracepact
