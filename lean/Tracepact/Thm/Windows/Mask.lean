import Tracepact.Thm.Windows.Loop
/-! What each temporal operation on masks computes, anywhere on a mask. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem span_down {p b j a : Nat} (l : Nat.le j (Nat.add p b))
    (h : Lt (Nat.add p b) (Nat.add j (Nat.sub (.succ b) a))) : Nat.le (Nat.add p a) j :=
  match le_or_lt a (.succ b) with
  | .inl c => lin2 (on5 p b j (Nat.sub (.succ b) a) a) h (sub_add_le c) rfl
  | .inr c =>
    have h : Lt (Nat.add p b) (Nat.add j .zero) := sub_eq_zero (le_of_succ_le c) ▸ h
    (impossible2 (on3 p b j) h l rfl)
theorem span_up {p b j a : Nat} (h : Nat.le (Nat.add p a) j) : Lt (Nat.add p b) (Nat.add j (Nat.sub (.succ b) a)) :=
  lin2 (on5 p a j b (Nat.sub (.succ b) a)) h (le_sub_add (.succ b) a) rfl

/-- Frame `j` lies in `[p + lo, p + hi]`. -/
abbrev Reached (p : Nat) (lo hi : Int) (j : Nat) : Prop := And (AtLeast p lo j) (AtMost p hi j)

theorem spread_window (x p : Nat) : (lo hi : Int) →
    Iff (IsTrue (bit (earlier hi (spread x (span lo hi))) p)) (Exists fun j =>
        And (Reached p lo hi j) (IsTrue (bit x j)))
  | .ofNat _, .ofNat b => iff_trans (shr_iff _ _ _) (iff_trans (spread_ok x _ (Nat.add p b)) (exists_iff fun _ =>
      and_iff ⟨fun ⟨l, h⟩ => ⟨span_down l h, l⟩, fun ⟨l, h⟩ => ⟨h, span_up l⟩⟩ iff_refl))
  | .negSucc a, .ofNat b => iff_trans (shr_iff _ _ _) (iff_trans (spread_ok x _ (Nat.add p b)) (exists_iff fun j =>
      and_iff ⟨fun ⟨l, h⟩ =>
          ⟨lin1 (on4 p b j a) (show Lt (Nat.add p b) (Nat.add j (.succ (Nat.add b (.succ a)))) from h) rfl, l⟩,
        fun ⟨l, h⟩ => ⟨h, (lin1 (on4 p j a b) (show Nat.le p (Nat.add j (.succ a)) from l) rfl :
          Lt (Nat.add p b) (Nat.add j (.succ (Nat.add b (.succ a)))))⟩⟩ iff_refl))
  | .ofNat a, .negSucc b => iff_trans (shl_iff _ _ _) ⟨
      fun ⟨i, _, h⟩ => let ⟨j, ⟨l, m⟩, _⟩ :=
          (spread_ok x 0 i).mp h; (impossible2 (on2 j i) l (show Lt i (Nat.add j .zero) from m) rfl),
      fun ⟨j, ⟨l, m⟩, _⟩ =>
          impossible2 (on4 p a j b) (show Nat.le (Nat.add p a) j from l) (show Nat.le (Nat.add j (.succ b)) p from m)
          rfl⟩
  | .negSucc a, .negSucc b =>
      iff_trans (shl_iff _ _ _) (iff_trans (exists_iff fun i => and_iff iff_refl (spread_ok x _ i)) ⟨
      fun ⟨i, e, j, ⟨l, m⟩, h⟩ => ⟨j,
        have u : Nat.le (Nat.add i b) (Nat.add j a) :=
          match le_or_lt b (.succ a) with
          | .inl c => lin2 (on5 i j (Nat.sub (.succ a) b) b a) (show Lt i (Nat.add j (Nat.sub (.succ a) b)) from m)
              (sub_add_le c) rfl
          | .inr c =>
            have m : Lt i (Nat.add j .zero) := sub_eq_zero (le_of_succ_le c) ▸ m
            (impossible2 (on2 i j) m l rfl)
        e ▸ ⟨lin1 (on4 i b j a) u rfl, lin1 (on3 j i b) l rfl⟩, h⟩,
      fun ⟨j, ⟨l, m⟩, h⟩ =>
        let ⟨c, e⟩ := le_exists (m : Nat.le (Nat.add j (.succ b)) p)
        have l' : Nat.le (Nat.add (Nat.add j (.succ b)) c) (Nat.add j (.succ a)) := e ▸ l
        ⟨Nat.add j c, Eq.trans e (le_antisymm (lin0 (on3 j b c) rfl) (lin0 (on3 j c b) rfl)),
         j, ⟨le_add j c, (lin2 (on5 j b c a (Nat.sub (.succ a) b)) l' (le_sub_add (.succ a) b) rfl :
            Lt (Nat.add j c) (Nat.add j (Nat.sub (.succ a) b)))⟩, h⟩⟩)

/-- `eventuallyMask`: at the valid frames that have a set bit of `x` within `[p + lo, p + hi]`. -/
theorem eventuallyMask_iff (v x p : Nat) (lo hi : Int) : Iff (IsTrue (bit (eventuallyMask v lo hi x) p))
    (And (Exists fun j => And (Reached p lo hi j) (IsTrue (bit x j))) (IsTrue (bit v p))) :=
  iff_trans (land_iff _ _ _) (and_iff (spread_window x p lo hi) iff_refl)
theorem lt_succ_iff (a b : Nat) : Iff (Lt a (.succ b)) (Nat.le a b) := ⟨le_of_succ_le_succ, succ_le_succ⟩
theorem untilMask_iff (r f g p : Nat) : Iff (IsTrue (bit (untilMask r f g) p))
    (Exists fun j => And (And (Nat.le p j) (Nat.le j (Nat.add p r)))
      (And (IsTrue (bit g j)) ((k : Nat) → Nat.le p k → Lt k j → IsTrue (bit f k)))) :=
  iff_trans
    (untilLoop_ok f g (.succ r) (.succ r) 1 g f (until_one f g) (allAhead_one f) .refl (succ_le_succ (zero_le r))
        (lin0 (on1 r) rfl) p)
    (exists_iff fun _ => and_iff (and_iff iff_refl (lt_succ_iff _ _)) iff_refl)
theorem sinceMask_iff (r f g p : Nat) : Iff (IsTrue (bit (sinceMask r f g) p))
    (Exists fun j => And (And (Nat.le j p) (Nat.le p (Nat.add j r)))
      (And (IsTrue (bit g j)) ((k : Nat) → Lt j k → Nat.le k p → IsTrue (bit f k)))) :=
  iff_trans
    (sinceLoop_ok f g (.succ r) (.succ r) 1 g f (since_one f g) (allBehind_one f) .refl (succ_le_succ (zero_le r))
        (lin0 (on1 r) rfl) p)
    (exists_iff fun _ => and_iff (and_iff iff_refl (lt_succ_iff _ _)) iff_refl)

/-- Complement within the valid frames. -/
theorem complement_iff (v x p : Nat) (h : IsTrue (bit v p)) :
    Iff (IsTrue (bit (Nat.xor v x) p)) (Not (IsTrue (bit x p))) :=
  iff_trans (iff_of_eq (Eq.trans (bit_xor v x p) (congrArg (fun b => bxor b (bit x p)) h))) (bnot_iff _)

/-! ### Every mask stays within the valid frames -/
theorem within_xor {v x : Nat} (h : Within v x) : Within v (Nat.xor v x) := fun p e =>
  match true_or_not (bit v p) with
  | .inl k => k
  | .inr k =>
    have e' : IsTrue (bxor .false (bit x p)) := eq_false k ▸ Eq.trans (Eq.symm (bit_xor v x p)) e
    h p e'
theorem within_or {v x y : Nat} (h : Within v x) (k : Within v y) : Within v (Nat.lor x y) := fun p e =>
  match (lor_iff _ _ _).mp e with
  | .inl e => h p e
  | .inr e => k p e
theorem bxor_cases : (x y : Bool) → IsTrue (bxor x y) → Or (IsTrue x) (IsTrue y)
  | .true, _, _ => .inl rfl
  | .false, _, h => .inr h
theorem within_both {v x y : Nat} (h : Within v x) (k : Within v y) : Within v (Nat.xor x y) := fun p e =>
  match bxor_cases _ _ (Eq.trans (Eq.symm (bit_xor x y p)) e) with
  | .inl e => h p e
  | .inr e => k p e
theorem within_land {v x : Nat} : Within v (Nat.land x v) := fun _ e => ((land_iff _ _ _).mp e).right
theorem within_until {v f g : Nat} (r : Nat) (hf : Within v f) (hg : Within v g) : Within v (untilMask r f g) :=
    fun p e =>
  let ⟨_, ⟨l, _⟩, k, h⟩ := (untilMask_iff r f g p).mp e
  match eq_or_lt l with
  | .inl q => hg p (Eq.symm q ▸ k)
  | .inr q => hf p (h p .refl q)
theorem within_since {v f g : Nat} (r : Nat) (hf : Within v f) (hg : Within v g) : Within v (sinceMask r f g) :=
    fun p e =>
  let ⟨_, ⟨l, _⟩, k, h⟩ := (sinceMask_iff r f g p).mp e
  match eq_or_lt l with
  | .inl q => hg p (q ▸ k)
  | .inr q => hf p (h p q .refl)
theorem evalMask_within (v longest : Nat) (mask : Nat → Nat) : (f : Formula) → Within v (evalMask v longest mask f)
  | .atom _ => within_land
  | .constant .true => fun _ e => e
  | .constant .false => fun p e => absurd e (bit_zero p)
  | .not f => within_xor (evalMask_within v longest mask f)
  | .and f _ => fun p e => evalMask_within v longest mask f p ((land_iff _ _ _).mp e).left
  | .or f g => within_or (evalMask_within v longest mask f) (evalMask_within v longest mask g)
  | .implies f g => within_or (within_xor (evalMask_within v longest mask f)) (evalMask_within v longest mask g)
  | .iff f g => within_xor (within_both (evalMask_within v longest mask f) (evalMask_within v longest mask g))
  | .eventually _ _ _ => within_land
  | .always _ _ _ => within_xor within_land
  | .«until» _ f g => within_until _ (evalMask_within v longest mask f) (evalMask_within v longest mask g)
  | .since _ f g => within_since _ (evalMask_within v longest mask f) (evalMask_within v longest mask g)
end Tracepact
