import Tracepact.Thm.Locality.Shift
/-! What a verdict depends on. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- The formula's atoms agree, and the traces end alike, within the scope of `f` around `i`. -/
abbrev SameAround (t t' : Trace) (f : Formula) (i : Nat) : Prop :=
  (x : Nat) → Reach (lookback f) (lookahead f) i x → SameAt f t t' x

theorem SameAt.part {f g : Formula} {t t' : Trace} {x : Nat} (s : SameAt g t t' x)
    (u : (k : Nat) → Uses k f → Uses k g) : SameAt f t t' x :=
  ⟨s.inside, fun k h => s.atom k (u k h)⟩

theorem since_ends {t t' : Trace} {i r : Nat} {f g : Formula} (j : Nat) (a : Nat.le j i) (b : Nat.le i (Nat.add j r))
    (s : SameAround t t' (.since r f g) i) :
    Iff (Lt j t.frames) (Lt j t'.frames) := (s j (scope_since_right a b ⟨le_add _ _, le_add _ _⟩)).inside
theorem window_exists {n n' i : Nat} {lo hi : Int} {p q : Nat → Prop}
    (ends : (j : Nat) → AtLeast i lo j → AtMost i hi j → Iff (Lt j n) (Lt j n'))
    (same : (j : Nat) → Lt j n → AtLeast i lo j → AtMost i hi j → Iff (p j) (q j)) :
    Iff (Exists fun j => And (InWindow n i lo hi j) (p j)) (Exists fun j => And (InWindow n' i lo hi j) (q j)) :=
  ⟨fun ⟨j, w, e⟩ => ⟨j, ⟨(ends j w.lower w.upper).mp w.inside, w.lower, w.upper⟩, (same j w.inside w.lower w.upper).mp
      e⟩,
   fun ⟨j, w, e⟩ =>
    have l := (ends j w.lower w.upper).mpr w.inside
    ⟨j, ⟨l, w.lower, w.upper⟩, (same j l w.lower w.upper).mpr e⟩⟩
theorem window_forall {n n' i : Nat} {lo hi : Int} {p q : Nat → Prop}
    (ends : (j : Nat) → AtLeast i lo j → AtMost i hi j → Iff (Lt j n) (Lt j n'))
    (same : (j : Nat) → Lt j n → AtLeast i lo j → AtMost i hi j → Iff (p j) (q j)) :
    Iff ((j : Nat) → InWindow n i lo hi j → p j) ((j : Nat) → InWindow n' i lo hi j → q j) :=
  ⟨fun h j w =>
    have l := (ends j w.lower w.upper).mpr w.inside
    (same j l w.lower w.upper).mp (h j ⟨l, w.lower, w.upper⟩),
   fun h j w => (same j w.inside w.lower w.upper).mpr (h j ⟨(ends j w.lower w.upper).mp w.inside, w.lower, w.upper⟩)⟩
theorem holds_local (t t' : Trace) : (f : Formula) → (i : Nat) → Lt i t.frames → SameAround t t' f i →
    Iff (Holds t f i) (Holds t' f i)
  | .atom k, i, l, s => iff_of_eq ((s i ⟨le_add _ _, le_add _ _⟩).atom k rfl l)
  | .constant _, _, _, _ => iff_refl
  | .not f, i, l, s => not_iff (holds_local t t' f i l fun x h => ⟨(s x h).inside, (s x h).atom⟩)
  | .and f g, i, l, s => and_iff (holds_local t t' f i l fun x h => (s x h.left).part fun _ => Or.inl)
      (holds_local t t' g i l fun x h => (s x h.right).part fun _ => Or.inr)
  | .or f g, i, l, s => or_iff (holds_local t t' f i l fun x h => (s x h.left).part fun _ => Or.inl)
      (holds_local t t' g i l fun x h => (s x h.right).part fun _ => Or.inr)
  | .implies f g, i, l, s => imp_iff (holds_local t t' f i l fun x h => (s x h.left).part fun _ => Or.inl)
      (holds_local t t' g i l fun x h => (s x h.right).part fun _ => Or.inr)
  | .iff f g, i, l, s => iff_iff (holds_local t t' f i l fun x h => (s x h.left).part fun _ => Or.inl)
      (holds_local t t' g i l fun x h => (s x h.right).part fun _ => Or.inr)
  | .eventually _ _ f, _, _, s => window_exists (fun _ a b => (s _ (scope_window a b ⟨le_add _ _, le_add _ _⟩)).inside)
      fun j l a b => holds_local t t' f j l fun x h =>
          ⟨(s x (scope_window a b h)).inside, (s x (scope_window a b h)).atom⟩
  | .always _ _ f, _, _, s => window_forall (fun _ a b => (s _ (scope_window a b ⟨le_add _ _, le_add _ _⟩)).inside)
      fun j l a b => holds_local t t' f j l fun x h =>
          ⟨(s x (scope_window a b h)).inside, (s x (scope_window a b h)).atom⟩
  | .«until» r f g, i, _, s =>
      have ends (j : Nat) (a : Nat.le i j) (b : Nat.le j (Nat.add i r)) :=
          (s j (scope_until_right a b ⟨le_add _ _, le_add _ _⟩)).inside
      have right (j : Nat) (l : Lt j t.frames) (a : Nat.le i j) (b : Nat.le j (Nat.add i r)) :=
        holds_local t t' g j l fun x h => (s x (scope_until_right a b h)).part fun _ => Or.inr
      have left (j k : Nat) (l : Lt j t.frames) (b : Nat.le j (Nat.add i r)) (c : Nat.le i k) (d : Lt k j) :=
        holds_local t t' f k (le_trans d (le_of_succ_le l)) fun x h => (s x (scope_until_left c d b h)).part fun _ =>
            Or.inl
      ⟨fun ⟨j, w, e, h⟩ => ⟨j, ⟨(ends j w.lower w.upper).mp w.inside, w.lower, w.upper⟩,
          (right j w.inside w.lower w.upper).mp e,
          fun k c d => (left j k w.inside w.upper c d).mp (h k c d)⟩,
       fun ⟨j, w, e, h⟩ =>
          have l := (ends j w.lower w.upper).mpr w.inside
          ⟨j, ⟨l, w.lower, w.upper⟩, (right j l w.lower w.upper).mpr e, fun k c d =>
              (left j k l w.upper c d).mpr (h k c d)⟩⟩
  | .since r f g, i, m, s =>
      have right (j : Nat) (l : Lt j t.frames) (a : Nat.le j i) (b : Nat.le i (Nat.add j r)) :=
        holds_local t t' g j l fun x h => (s x (scope_since_right a b h)).part fun _ => Or.inr
      have left (j k : Nat) (b : Nat.le i (Nat.add j r)) (c : Lt j k) (d : Nat.le k i) :=
        holds_local t t' f k (le_trans (succ_le_succ d) m) fun x h => (s x (scope_since_left d c b h)).part fun _ =>
            Or.inl
      ⟨fun ⟨j, w, e, h⟩ => ⟨j, ⟨(since_ends j w.upper w.lower s).mp w.inside, w.upper, w.lower⟩,
          (right j w.inside w.upper w.lower).mp e,
          fun k c d => (left j k w.lower c d).mp (h k c d)⟩,
       fun ⟨j, w, e, h⟩ =>
          have l := (since_ends j w.upper w.lower s).mpr w.inside
          ⟨j, ⟨l, w.upper, w.lower⟩, (right j l w.upper w.lower).mpr e, fun k c d =>
              (left j k w.lower c d).mpr (h k c d)⟩⟩

/-- **Locality.** The verdict at a frame `i` of the trace depends only on the formula's own atoms at the frames from
`i - lookback` to `i + lookahead`, and on where the trace ends within them: two traces that look the same there give the
same verdict, whatever their lengths. -/
theorem locality (t t' : Trace) (f : Formula) (i : Nat) (inside : Lt i t.frames)
    (same : (j : Nat) → InScope f i j → SameAt f t t' j) : Eq (eval t f i) (eval t' f i) :=
  eq_of_iff (iff_trans (eval_iff_holds t f i)
    (iff_trans (holds_local t t' f i inside fun x s => same x ⟨s.lower, s.upper⟩) (iff_symm (eval_iff_holds t' f i))))

/-- **Extensionality.** Two traces of one length whose values agree on the atoms of a formula, at every frame, give the
formula the same valuation. -/
theorem extensionality (t t' : Trace) (f : Formula) (length : Eq t.frames t'.frames)
    (same : (k : Nat) → Uses k f → (j : Nat) → Lt j t.frames → Eq (t.atom k j) (t'.atom k j)) (i : Nat)
        (inside : Lt i t.frames) :
    Eq (eval t f i) (eval t' f i) :=
  locality t t' f i inside fun j _ => ⟨length ▸ iff_refl, fun k u l => same k u j l⟩
/-- **Locality, anywhere.** Nor does the verdict depend on where in the trace the frame lies, once its whole lookback
lies in the trace: frame `i` of `t'` and frame `s + i` of `t` have the same verdict if the two traces look the same
around them. -/
theorem locality_shifted (t t' : Trace) (s : Nat) (f : Formula) (i : Nat) (inside : Lt i t'.frames)
    (deep : Nat.le (lookback f) i)
    (same : (j : Nat) → InScope f i j → ShiftedAt s f t t' j) : Eq (eval t' f i) (eval t f (Nat.add s i)) :=
  eq_of_iff (iff_trans (eval_iff_holds t' f i)
    (iff_trans (holds_shift t t' s f i inside deep fun x r =>
        same x ⟨r.lower, r.upper⟩) (iff_symm (eval_iff_holds t f _))))

theorem cut_length (n s m : Nat) (h : Lt s n) : Exists fun n' =>
    And (Nat.le n' m) ((j : Nat) → Lt j m → Iff (Lt j n') (Lt (Nat.add s j) n)) :=
  match le_or_lt (Nat.add s m) n with
  | .inl l => ⟨m, .refl, fun j k => ⟨fun _ => lin2 (on4 s m n j) l k rfl, fun _ => k⟩⟩
  | .inr l =>
    let ⟨c, e⟩ := le_exists (le_of_succ_le h)
    have l : Lt (Nat.add s c) (Nat.add s m) := e ▸ l
    ⟨c, lin1 (on3 s c m) l rfl, fun j _ => Eq.symm e ▸
      ⟨fun k => lin1 (on3 j c s) k rfl, fun k => lin1 (on3 s j c) (show Lt (Nat.add s j) (Nat.add s c) from k) rfl⟩⟩
theorem cut (t : Trace) (f : Formula) (s i : Nat) (inside : Lt (Nat.add s i) t.frames)
    (deep : Or (Eq s 0) (Nat.le (lookback f) i))
    (short : Nat.le i (lookback f)) : Exists fun t' : Trace => Exists fun i' =>
        And (Nat.le t'.frames (.succ (Nat.add (lookback f) (lookahead f))))
      (And (Lt i' t'.frames) (Eq (eval t' f i') (eval t f (Nat.add s i)))) :=
  let ⟨n, le, ends⟩ := cut_length t.frames s (.succ (Nat.add i (lookahead f))) (lin1 (on3 s i t.frames) inside rfl)
  have l : Lt i n := (ends i (lin0 (on2 i (lookahead f)) rfl)).mpr inside
  ⟨⟨n, fun k j => t.atom k (Nat.add s j)⟩, i, lin2 (on4 n i (lookahead f) (lookback f)) le short rfl, l,
    match deep with
    | .inr d => locality_shifted t ⟨n, fun k j => t.atom k (Nat.add s j)⟩ s f i l d fun j r =>
        ⟨ends j (succ_le_succ r.upper), fun _ _ _ => rfl⟩
    | .inl z =>
      have z (j : Nat) : Eq (Nat.add s j) j := Eq.trans (congrArg (fun x => Nat.add x j) z) (zero_add j)
      Eq.trans (locality ⟨n, fun k j => t.atom k (Nat.add s j)⟩ t f i l fun j r =>
          ⟨Eq.subst (motive := fun x => Iff (Lt j n) (Lt x t.frames)) (z j) (ends j (succ_le_succ r.upper)),
              fun k _ _ => congrArg (t.atom k) (z j)⟩)
        (congrArg (eval t f) (Eq.symm (z i)))⟩

/-- **Bounded models.** Whatever verdict a formula has at some frame of some trace, it has at some frame of a trace of
at most `lookback + 1 + lookahead` frames: a question about one frame is decided for traces of every length by looking
at these. -/
theorem bounded_model (t : Trace) (f : Formula) (i : Nat) (inside : Lt i t.frames) : Exists fun t' : Trace =>
    Exists fun i' =>
    And (Nat.le t'.frames (.succ (Nat.add (lookback f) (lookahead f))))
        (And (Lt i' t'.frames) (Eq (eval t' f i') (eval t f i))) :=
  match le_or_lt (lookback f) i with
  | .inl l =>
    have e := sub_add_cancel l
    Eq.subst (motive := fun x => Exists fun t' : Trace => Exists fun i' =>
        And (Nat.le t'.frames (.succ (Nat.add (lookback f) (lookahead f))))
        (And (Lt i' t'.frames) (Eq (eval t' f i') (eval t f x)))) e
      (cut t f (Nat.sub i (lookback f)) (lookback f) (Eq.symm e ▸ inside) (.inr .refl) .refl)
  | .inr l =>
    have e := zero_add i
    Eq.subst (motive := fun x => Exists fun t' : Trace => Exists fun i' =>
        And (Nat.le t'.frames (.succ (Nat.add (lookback f) (lookahead f))))
        (And (Lt i' t'.frames) (Eq (eval t' f i') (eval t f x)))) e
      (cut t f 0 i (Eq.symm e ▸ inside) (.inl rfl) (le_of_succ_le l))

/-- **Plain sums are wrong.** The offsets of `F[2,2] F[-2,-2] p` add up to zero, yet its verdict at frame 0 depends on
whether the trace has a frame 2; its lookahead is 2. -/
theorem plain_sums_are_wrong :
    And (Eq (lookahead (.eventually (.ofNat 2) (.ofNat 2) (.eventually (.negSucc 1) (.negSucc 1) (.atom 0)))) 2)
    (And (Eq (eval ⟨1, fun _ _ =>
        .true⟩ (.eventually (.ofNat 2) (.ofNat 2) (.eventually (.negSucc 1) (.negSucc 1) (.atom 0))) 0) .false)
      (Eq (eval ⟨3, fun _ _ =>
          .true⟩ (.eventually (.ofNat 2) (.ofNat 2) (.eventually (.negSucc 1) (.negSucc 1) (.atom 0))) 0) .true)) :=
  ⟨rfl, rfl, rfl⟩
end Tracepact
