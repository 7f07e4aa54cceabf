import Tracepact.Thm.Locality.Scope
/-! A verdict does not depend on where in the trace a frame lies, if its whole lookback does. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

abbrev ShiftedAround (s : Nat) (t t' : Trace) (f : Formula) (i : Nat) : Prop :=
  (x : Nat) → Reach (lookback f) (lookahead f) i x → ShiftedAt s f t t' x
theorem ShiftedAt.part {s : Nat} {f g : Formula} {t t' : Trace} {x : Nat} (h : ShiftedAt s g t t' x)
    (u : (k : Nat) → Uses k f → Uses k g) :
    ShiftedAt s f t t' x := ⟨h.inside, fun k v => h.atom k (u k v)⟩

theorem shift_atLeast (s i j : Nat) : (lo : Int) → Iff (AtLeast i lo j) (AtLeast (Nat.add s i) lo (Nat.add s j))
  | .ofNat k => ⟨fun l => lin1 (on4 i k j s) (show Nat.le (Nat.add i k) j from l) rfl,
      fun l => lin1 (on4 s i k j) (show Nat.le (Nat.add (Nat.add s i) k) (Nat.add s j) from l) rfl⟩
  | .negSucc k => ⟨fun l => lin1 (on4 i j k s) (show Nat.le i (Nat.add j (.succ k)) from l) rfl,
      fun l => lin1 (on4 s i j k) (show Nat.le (Nat.add s i) (Nat.add (Nat.add s j) (.succ k)) from l) rfl⟩
theorem shift_atMost (s i j : Nat) : (hi : Int) → Iff (AtMost i hi j) (AtMost (Nat.add s i) hi (Nat.add s j))
  | .ofNat k => ⟨fun l => lin1 (on4 j i k s) (show Nat.le j (Nat.add i k) from l) rfl,
      fun l => lin1 (on4 s j i k) (show Nat.le (Nat.add s j) (Nat.add (Nat.add s i) k) from l) rfl⟩
  | .negSucc k => ⟨fun l => lin1 (on4 j k i s) (show Nat.le (Nat.add j (.succ k)) i from l) rfl,
      fun l => lin1 (on4 s j k i) (show Nat.le (Nat.add (Nat.add s j) (.succ k)) (Nat.add s i) from l) rfl⟩
/-- Frames of a window lie deep enough for the formula under it. -/
theorem window_deep {m i j : Nat} : (lo : Int) → Nat.le (minusOffset m lo) i → AtLeast i lo j → Nat.le m j
  | .ofNat k, d, l => lin3 (on5 m (Nat.sub m k) k i j) (le_sub_add m k) (show Nat.le (Nat.sub m k) i from d)
      (show Nat.le (Nat.add i k) j from l) rfl
  | .negSucc k, d, l =>
      lin2 (on4 m k i j) (show Nat.le (Nat.add m (.succ k)) i from d) (show Nat.le i (Nat.add j (.succ k)) from l) rfl
/-- Frames of the shifted window do not lie before the shift. -/
theorem window_start {m s i x : Nat} : (lo : Int) → Nat.le (minusOffset m lo) i → AtLeast (Nat.add s i) lo x →
    Nat.le s x
  | .ofNat k, _, l => lin1 (on4 s i k x) (show Nat.le (Nat.add (Nat.add s i) k) x from l) rfl
  | .negSucc k, d, l =>
      lin2 (on5 m k i s x) (show Nat.le (Nat.add m (.succ k)) i from d)
      (show Nat.le (Nat.add s i) (Nat.add x (.succ k)) from l) rfl

theorem window_shift {n n' s i m : Nat} {lo hi : Int} (deep : Nat.le (minusOffset m lo) i)
    (ends : (j : Nat) → AtLeast i lo j → AtMost i hi j → Iff (Lt j n') (Lt (Nat.add s j) n)) (x : Nat) :
    Iff (InWindow n (Nat.add s i) lo hi x) (Exists fun j => And (Eq x (Nat.add s j)) (InWindow n' i lo hi j)) :=
  ⟨fun w =>
    let ⟨j, e⟩ := le_exists (window_start lo deep w.lower)
    have a : AtLeast i lo j := (shift_atLeast s i j lo).mpr (e ▸ w.lower)
    have b : AtMost i hi j := (shift_atMost s i j hi).mpr (e ▸ w.upper)
    ⟨j, e, (ends j a b).mpr (e ▸ w.inside), a, b⟩,
   fun ⟨j, e, w⟩ => Eq.symm e ▸ ⟨(ends j w.lower w.upper).mp w.inside, (shift_atLeast s i j lo).mp w.lower,
       (shift_atMost s i j hi).mp w.upper⟩⟩

/-- What is to be shown of a formula: at a frame with all its lookback, the verdict of `t'` is that of `t`. -/
abbrev ShiftHolds (t t' : Trace) (s : Nat) (f : Formula) : Prop :=
  (i : Nat) → Lt i t'.frames → Nat.le (lookback f) i → ShiftedAround s t t' f i →
      Iff (Holds t' f i) (Holds t f (Nat.add s i))
theorem larger_left {a b c : Nat} (h : Nat.le (larger a b) c) : Nat.le a c := le_trans (le_larger_left a b) h
theorem larger_right {a b c : Nat} (h : Nat.le (larger a b) c) : Nat.le b c := le_trans (le_larger_right a b) h
theorem shift_until {t t' : Trace} {s r : Nat} {f g : Formula} (ihf : ShiftHolds t t' s f) (ihg : ShiftHolds t t' s g) :
    ShiftHolds t t' s (.«until» r f g) := fun i _ d h =>
  have ends (j : Nat) (a : Nat.le i j) (b : Nat.le j (Nat.add i r)) :=
      (h j (scope_until_right a b ⟨le_add _ _, le_add _ _⟩)).inside
  have second (j : Nat) (l : Lt j t'.frames) (a : Nat.le i j) (b : Nat.le j (Nat.add i r)) :=
    ihg j l (le_trans (larger_right d) a) fun x q => (h x (scope_until_right a b q)).part fun _ => Or.inr
  have first (j k : Nat) (l : Lt j t'.frames) (b : Nat.le j (Nat.add i r)) (c : Nat.le i k) (e : Lt k j) :=
    ihf k (le_trans e (le_of_succ_le l)) (le_trans (larger_left d) c) fun x q =>
        (h x (scope_until_left c e b q)).part fun _ => Or.inl
  ⟨fun ⟨j, w, e, p⟩ => ⟨Nat.add s j, ⟨(ends j w.lower w.upper).mp w.inside, lin1 (on3 i j s) w.lower rfl,
      lin1 (on4 j i r s) w.upper rfl⟩, (second j w.inside w.lower w.upper).mp e, fun x a b =>
      let ⟨k, q⟩ := le_exists (a := s) (b := x) ((lin1 (on3 s i x) a rfl))
      have a : Nat.le (Nat.add s i) (Nat.add s k) := q ▸ a
      have b : Lt (Nat.add s k) (Nat.add s j) := q ▸ b
      have a : Nat.le i k := lin1 (on3 s i k) a rfl
      have b : Lt k j := lin1 (on3 s k j) b rfl
      Eq.symm q ▸ (first j k w.inside w.upper a b).mp (p k a b)⟩,
   fun ⟨x, w, e, p⟩ =>
      let ⟨j, q⟩ := le_exists (a := s) (b := x) ((lin1 (on3 s i x) w.lower rfl))
      have a : Nat.le (Nat.add s i) (Nat.add s j) := q ▸ w.lower
      have b : Nat.le (Nat.add s j) (Nat.add (Nat.add s i) r) := q ▸ w.upper
      have a : Nat.le i j := lin1 (on3 s i j) a rfl
      have b : Nat.le j (Nat.add i r) := lin1 (on4 s j i r) b rfl
      have l : Lt j t'.frames := (ends j a b).mpr (q ▸ w.inside)
      ⟨j, ⟨l, a, b⟩, (second j l a b).mpr (q ▸ e), fun k c m => (first j k l b c m).mpr
        (p (Nat.add s k) (lin1 (on3 i k s) c rfl) (Eq.symm q ▸ (lin1 (on3 k j s) m rfl)))⟩⟩
theorem shift_since {t t' : Trace} {s r : Nat} {f g : Formula} (ihf : ShiftHolds t t' s f) (ihg : ShiftHolds t t' s g) :
    ShiftHolds t t' s (.since r f g) := fun i l d h =>
  have ends (j : Nat) (a : Nat.le j i) (b : Nat.le i (Nat.add j r)) :=
      (h j (scope_since_right a b ⟨le_add _ _, le_add _ _⟩)).inside
  have deep_right : Nat.le (Nat.add r (lookback g)) i := le_trans (reach_right r (lookback f) (lookback g)) d
  have second (j : Nat) (m : Lt j t'.frames) (a : Nat.le j i) (b : Nat.le i (Nat.add j r)) :=
    ihg j m (lin2 (on4 r (lookback g) i j) deep_right b rfl)
      fun x q => (h x (scope_since_right a b q)).part fun _ => Or.inr
  have first (j k : Nat) (b : Nat.le i (Nat.add j r)) (c : Lt j k) (e : Nat.le k i) :=
    ihf k (le_trans (succ_le_succ e) l)
      (have pos : Lt 0 r := lin3 (on4 i j r k) b c e rfl
      (lin3 (on5 r (lookback f) i j k) (le_trans (reach_left r (lookback f) (lookback g) pos) (succ_le_succ d)) b c
          rfl))
      fun x q => (h x (scope_since_left e c b q)).part fun _ => Or.inl
  ⟨fun ⟨j, w, e, p⟩ => ⟨Nat.add s j, ⟨(ends j w.upper w.lower).mp w.inside, lin1 (on3 j i s) w.upper rfl,
      lin1 (on4 i j r s) w.lower rfl⟩, (second j w.inside w.upper w.lower).mp e, fun x a b =>
      let ⟨k, q⟩ := le_exists (a := s) (b := x) ((lin1 (on3 s j x) a rfl))
      have a : Lt (Nat.add s j) (Nat.add s k) := q ▸ a
      have b : Nat.le (Nat.add s k) (Nat.add s i) := q ▸ b
      have a : Lt j k := lin1 (on3 s j k) a rfl
      have b : Nat.le k i := lin1 (on3 s k i) b rfl
      Eq.symm q ▸ (first j k w.lower a b).mp (p k a b)⟩,
   fun ⟨x, w, e, p⟩ =>
      let ⟨j, q⟩ := le_exists (a := s) (b := x) ((lin2 (on5 s i x r (lookback g)) w.lower deep_right rfl))
      have a : Nat.le (Nat.add s j) (Nat.add s i) := q ▸ w.upper
      have b : Nat.le (Nat.add s i) (Nat.add (Nat.add s j) r) := q ▸ w.lower
      have a : Nat.le j i := lin1 (on3 s j i) a rfl
      have b : Nat.le i (Nat.add j r) := lin1 (on4 s i j r) b rfl
      have m : Lt j t'.frames := (ends j a b).mpr (q ▸ w.inside)
      ⟨j, ⟨m, a, b⟩, (second j m a b).mpr (q ▸ e), fun k c u => (first j k b c u).mpr
        (p (Nat.add s k) (Eq.symm q ▸ (lin1 (on3 j k s) c rfl)) (lin1 (on3 k i s) u rfl))⟩⟩

theorem holds_shift (t t' : Trace) (s : Nat) : (f : Formula) → (i : Nat) → Lt i t'.frames → Nat.le (lookback f) i →
    ShiftedAround s t t' f i → Iff (Holds t' f i) (Holds t f (Nat.add s i))
  | .atom k, i, l, _, h => iff_of_eq ((h i ⟨le_add _ _, le_add _ _⟩).atom k rfl l)
  | .constant _, _, _, _, _ => iff_refl
  | .not f, i, l, d, h => not_iff (holds_shift t t' s f i l d fun x r => ⟨(h x r).inside, (h x r).atom⟩)
  | .and f g, i, l, d, h => and_iff (holds_shift t t' s f i l (larger_left d) fun x r => (h x r.left).part fun _ =>
      Or.inl)
      (holds_shift t t' s g i l (larger_right d) fun x r => (h x r.right).part fun _ => Or.inr)
  | .or f g, i, l, d, h => or_iff (holds_shift t t' s f i l (larger_left d) fun x r => (h x r.left).part fun _ =>
      Or.inl)
      (holds_shift t t' s g i l (larger_right d) fun x r => (h x r.right).part fun _ => Or.inr)
  | .implies f g, i, l, d, h => imp_iff (holds_shift t t' s f i l (larger_left d) fun x r => (h x r.left).part fun _ =>
      Or.inl)
      (holds_shift t t' s g i l (larger_right d) fun x r => (h x r.right).part fun _ => Or.inr)
  | .iff f g, i, l, d, h => iff_iff (holds_shift t t' s f i l (larger_left d) fun x r => (h x r.left).part fun _ =>
      Or.inl)
      (holds_shift t t' s g i l (larger_right d) fun x r => (h x r.right).part fun _ => Or.inr)
  | .eventually lo _ f, i, _, d, h =>
      have ends j a b := (h j (scope_window a b ⟨le_add _ _, le_add _ _⟩)).inside
      have body (j : Nat) (w : InWindow t'.frames i lo _ j) :=
          holds_shift t t' s f j w.inside (window_deep lo d w.lower) fun x r =>
        ⟨(h x (scope_window w.lower w.upper r)).inside, (h x (scope_window w.lower w.upper r)).atom⟩
      ⟨fun ⟨j, w, e⟩ => ⟨Nat.add s j, (window_shift d ends _).mpr ⟨j, rfl, w⟩, (body j w).mp e⟩,
       fun ⟨x, w, e⟩ => let ⟨j, q, w'⟩ := (window_shift d ends x).mp w; ⟨j, w', (body j w').mpr (q ▸ e)⟩⟩
  | .always lo _ f, i, _, d, h =>
      have ends j a b := (h j (scope_window a b ⟨le_add _ _, le_add _ _⟩)).inside
      have body (j : Nat) (w : InWindow t'.frames i lo _ j) :=
          holds_shift t t' s f j w.inside (window_deep lo d w.lower) fun x r =>
        ⟨(h x (scope_window w.lower w.upper r)).inside, (h x (scope_window w.lower w.upper r)).atom⟩
      ⟨fun e x w => let ⟨j, q, w'⟩ := (window_shift d ends x).mp w; Eq.symm q ▸ (body j w').mp (e j w'),
       fun e j w => (body j w).mpr (e _ ((window_shift d ends _).mpr ⟨j, rfl, w⟩))⟩
  | .«until» _ f g, i, l, d, h => shift_until (holds_shift t t' s f) (holds_shift t t' s g) i l d h
  | .since _ f g, i, l, d, h => shift_since (holds_shift t t' s f) (holds_shift t t' s g) i l d h
end Tracepact
