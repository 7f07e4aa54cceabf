import Tracepact.Spec.Join
import Tracepact.Thm.Runs
/-! Joining runs. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- The list is not empty, and its first interval begins at `s`. -/
def BeginsAt (s : Nat) (l : List Interval) : Prop :=
  Exists fun z : Interval => Exists fun t => And (Eq l (.cons z t)) (Eq z.start s)
section
variable (step gap : Nat)
theorem joinTo_head (r : Interval) : (l : List Interval) →
    BeginsAt r.start (joinTo step gap r l)
  | .nil => ⟨r, .nil, rfl, rfl⟩
  | .cons q rest => cond_elim (P := BeginsAt r.start) _ (fun _ => ⟨⟨r.start, q.stop⟩, rest, rfl, rfl⟩) (fun _ =>
      ⟨r, .cons q rest, rfl, rfl⟩)

/-- What joining the runs of a list results in. -/
structure Joined (l result : List Interval) : Prop where
  paint : (j : Nat) → Iff (IsTrue (paint result j)) (Or (IsTrue (paint l j)) (Bridged step gap l j))
  proper : Proper result
  ordered : Ordered result
  apart : (r q : Interval) → Adjacent r q result → Not (IsTrue (isJoined step gap (Nat.sub q.start r.stop)))
end

theorem proper_rest {x : Interval} {l : List Interval} (h : Proper (.cons x l)) : Proper l := fun r m => h r (.inr m)
/-- A gap filled: what lies in the longer interval lies in one of the two or between them. -/
theorem has_bridge {x z : Interval} (hx : Lt x.start x.stop) (hz : Lt z.start z.stop) (g : Lt x.stop z.start)
    (j : Nat) :
    Iff (IsTrue (Interval.has ⟨x.start, z.stop⟩ j))
      (Or (IsTrue (x.has j)) (Or (And (Nat.le x.stop j) (Lt j z.start)) (IsTrue (z.has j)))) :=
  iff_trans (has_iff _ j) ⟨
    fun ⟨a, b⟩ => match le_or_lt x.stop j, le_or_lt z.start j with
      | .inr c, _ => .inl ((has_iff x j).mpr ⟨a, c⟩)
      | .inl c, .inr d => .inr (.inl ⟨c, d⟩)
      | .inl _, .inl d => .inr (.inr ((has_iff z j).mpr ⟨d, b⟩)),
    fun
      | .inl h =>
        let ⟨a, b⟩ := (has_iff x j).mp h
        ⟨a, (lin3 (on4 j x.stop z.start z.stop) b g hz rfl : Lt j z.stop)⟩
      | .inr (.inl ⟨a, b⟩) => ⟨le_trans (le_of_succ_le hx) a, le_trans b (le_of_succ_le hz)⟩
      | .inr (.inr h) =>
        let ⟨a, b⟩ := (has_iff z j).mp h
        ⟨le_trans (le_of_succ_le hx) (le_trans (le_of_succ_le g) a), b⟩⟩

section
variable {step gap : Nat}
theorem joined_one (x : Interval) (h : Lt x.start x.stop) : Joined step gap (.cons x .nil) (.cons x .nil) where
  paint _ := ⟨.inl, fun | .inl h => h | .inr ⟨_, _, .inl a, _⟩ => a.right.elim | .inr ⟨_, _, .inr a, _⟩ => a.elim⟩
  proper _ := fun | .inl e => e ▸ h | .inr m => m.elim
  ordered := ⟨fun _ m => m.elim, .intro⟩
  apart _ _ := fun | .inl a => a.right.elim | .inr a => a.elim
theorem bridged_more {x y : Interval} {l : List Interval} (j : Nat) : Iff (Bridged step gap (.cons x (.cons y l)) j)
    (Or (And (And (Nat.le x.stop j) (Lt j y.start)) (IsTrue (isJoined step gap (Nat.sub y.start x.stop))))
      (Bridged step gap (.cons y l) j)) :=
  ⟨fun
    | ⟨_, _, .inl ⟨e, f⟩, b, c⟩ => .inl ⟨e ▸ (show Eq _ y from f) ▸ b, e ▸ (show Eq _ y from f) ▸ c⟩
    | ⟨r, q, .inr a, b⟩ => .inr ⟨r, q, a, b⟩,
   fun
    | .inl ⟨b, c⟩ => ⟨x, y, .inl ⟨rfl, rfl⟩, b, c⟩
    | .inr ⟨r, q, a, b⟩ => ⟨r, q, .inr a, b⟩⟩
theorem first_gap {z : Interval} {t : List Interval} (o : Ordered (.cons z t)) (p : Proper (.cons z t)) {n : Nat}
    (h : Lt n z.start) (q : Interval) : Mem q (.cons z t) → Lt n q.start
  | .inl e => Eq.symm e ▸ h
  | .inr m => lin3 (on4 n z.start z.stop q.start) h (p z (.inl rfl)) (o.left q m) rfl
/-- The gap is joined: the run grows up to the end of the next. -/
theorem joined_grow {x y z : Interval} {l t : List Interval} (hx : Lt x.start x.stop) (g : Lt x.stop y.start)
    (e : Eq z.start y.start) (ih : Joined step gap (.cons y l) (.cons z t))
    (b : IsTrue (isJoined step gap (Nat.sub z.start x.stop))) :
    Joined step gap (.cons x (.cons y l)) (.cons ⟨x.start, z.stop⟩ t) where
  paint j :=
    have g' : Lt x.stop z.start := Eq.symm e ▸ g
    have b' : IsTrue (isJoined step gap (Nat.sub y.start x.stop)) := e ▸ b
    iff_trans (bor_iff _ _) (iff_trans (or_iff (has_bridge hx (ih.proper z (.inl rfl)) g' j) iff_refl)
      ⟨fun
        | .inl (.inl h) => .inl ((bor_iff _ _).mpr (.inl h))
        | .inl (.inr (.inl h)) => .inr ((bridged_more j).mpr (.inl ⟨e ▸ h, b'⟩))
        | .inl (.inr (.inr h)) => rest j ((ih.paint j).mp ((bor_iff _ _).mpr (.inl h)))
        | .inr h => rest j ((ih.paint j).mp ((bor_iff _ _).mpr (.inr h))),
       fun
        | .inl h => match (bor_iff _ _).mp h with
          | .inl h => .inl (.inl h)
          | .inr h => back j ((ih.paint j).mpr (.inl h))
        | .inr h => match (bridged_more j).mp h with
          | .inl h => .inl (.inr (.inl (Eq.symm e ▸ h.left)))
          | .inr h => back j ((ih.paint j).mpr (.inr h))⟩)
  proper r := fun
    | .inl q => q ▸ (lin3 (on4 x.start x.stop z.start z.stop) hx
        (show Lt x.stop z.start from Eq.symm e ▸ g) (ih.proper z (.inl rfl)) rfl : Lt x.start z.stop)
    | .inr m => ih.proper r (.inr m)
  ordered := ⟨ih.ordered.left, ih.ordered.right⟩
  apart r q := fun
    | .inl ⟨f, k⟩ => Eq.symm f ▸ ih.apart z q (.inl ⟨rfl, k⟩)
    | .inr a => ih.apart r q (.inr a)
where
  rest (j : Nat) : Or (IsTrue (paint (.cons y l) j)) (Bridged step gap (.cons y l) j) →
      Or (IsTrue (paint (.cons x (.cons y l)) j)) (Bridged step gap (.cons x (.cons y l)) j)
    | .inl h => .inl ((bor_iff _ _).mpr (.inr h))
    | .inr h => .inr ((bridged_more j).mpr (.inr h))
  back (j : Nat) (h : IsTrue (paint (.cons z t) j)) :
      Or (Or (IsTrue (x.has j)) (Or (And (Nat.le x.stop j) (Lt j z.start)) (IsTrue (z.has j)))) (IsTrue (paint t j)) :=
    match (bor_iff _ _).mp h with
    | .inl h => .inl (.inr (.inr h))
    | .inr h => .inr h
/-- The gap is too long: the run stays as it is. -/
theorem joined_stay {x y z : Interval} {l t : List Interval} (hx : Lt x.start x.stop) (g : Lt x.stop y.start)
    (e : Eq z.start y.start) (ih : Joined step gap (.cons y l) (.cons z t))
    (b : Not (IsTrue (isJoined step gap (Nat.sub z.start x.stop)))) :
    Joined step gap (.cons x (.cons y l)) (.cons x (.cons z t)) where
  paint j := iff_trans (bor_iff _ _) (iff_trans (or_iff iff_refl (ih.paint j))
    ⟨fun
      | .inl h => .inl ((bor_iff _ _).mpr (.inl h))
      | .inr (.inl h) => .inl ((bor_iff _ _).mpr (.inr h))
      | .inr (.inr h) => .inr ((bridged_more j).mpr (.inr h)),
     fun
      | .inl h => match (bor_iff _ _).mp h with
        | .inl h => .inl h
        | .inr h => .inr (.inl h)
      | .inr h => match (bridged_more j).mp h with
        | .inl h => absurd h.right (e ▸ b)
        | .inr h => .inr (.inr h)⟩)
  proper r := fun
    | .inl q => q ▸ hx
    | .inr m => ih.proper r m
  ordered := ⟨first_gap ih.ordered ih.proper (Eq.symm e ▸ g), ih.ordered⟩
  apart r q := fun
    | .inl ⟨f, k⟩ => f ▸ (show Eq q z from k) ▸ b
    | .inr a => ih.apart r q a
end

theorem joined_ok (step gap : Nat) : (l : List Interval) → Proper l → Ordered l →
    Joined step gap l (joinRuns step gap l)
  | .nil, _, _ => ⟨fun _ => ⟨nofun, fun | .inl h => nomatch h | .inr ⟨_, _, a, _⟩ => a.elim⟩, fun _ m =>
      m.elim, .intro, fun _ _ a => a.elim⟩
  | .cons x .nil, p, _ => joined_one x (p x (.inl rfl))
  | .cons x (.cons y l), p, o =>
    have ih := joined_ok step gap (.cons y l) (proper_rest p) o.right
    let ⟨z, t, e, s⟩ := joinTo_head step gap y (joinRuns step gap l)
    have ih' : Joined step gap (.cons y l) (.cons z t) := Eq.subst (motive := Joined step gap (.cons y l)) e ih
    have hx := p x (.inl rfl)
    have g := o.left y (.inl rfl)
    Eq.subst (motive := fun r => Joined step gap (.cons x (.cons y l)) (joinTo step gap x r)) (Eq.symm e)
      (cond_elim (P := Joined step gap (.cons x (.cons y l))) _ (joined_grow hx g s ih') (joined_stay hx g s ih'))
theorem runs_proper (a : Nat → Bool) (n : Nat) : Proper (runs a n) := fun r m => ((runs_exact a n r).mp m).nonempty

/-- **Joining paints the short gaps** (rule 5.8): a frame lies in a joined run exactly when it lies in a run, or in a
gap of `k` frames between two runs that follow each other, with `k · step ≤ mergeGap`. -/
theorem join_paints (step mergeGap : Nat) (a : Nat → Bool) (n j : Nat) :
    Iff (Eq (paint (joinRuns step mergeGap (runs a n)) j) .true)
      (Or (Eq (paint (runs a n) j) .true) (Bridged step mergeGap (runs a n) j)) :=
  (joined_ok step mergeGap (runs a n) (runs_proper a n) (runs_ordered a n)).paint j
/-- **Joined runs are ordered**, and none is empty. -/
theorem join_ordered (step mergeGap : Nat) (a : Nat → Bool) (n : Nat) :
    And (Ordered (joinRuns step mergeGap (runs a n))) (Proper (joinRuns step mergeGap (runs a n))) :=
  have j := joined_ok step mergeGap (runs a n) (runs_proper a n) (runs_ordered a n)
  ⟨j.ordered, j.proper⟩
/-- **Nothing is left to join**: every gap between joined runs is longer than `mergeGap`. -/
theorem join_apart (step mergeGap : Nat) (a : Nat → Bool) (n : Nat) (r q : Interval)
    (h : Adjacent r q (joinRuns step mergeGap (runs a n))) :
        Not (Eq (isJoined step mergeGap (Nat.sub q.start r.stop)) .true) :=
  (joined_ok step mergeGap (runs a n) (runs_proper a n) (runs_ordered a n)).apart r q h
end Tracepact
