import Tracepact.Impl.Greedy
import Tracepact.Thm.Runs.Scan
/-! Lemmas about ranking and keeping. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem or_left_comm {a b c : Prop} : Iff (Or a (Or b c)) (Or b (Or a c)) :=
  ⟨fun | .inl h => .inr (.inl h) | .inr (.inl h) => .inl h | .inr (.inr h) => .inr (.inr h),
   fun | .inl h => .inr (.inl h) | .inr (.inl h) => .inl h | .inr (.inr h) => .inr (.inr h)⟩
theorem mem_insertRanked (x c : Candidate) : (l : List Candidate) →
    Iff (Mem x (insertRanked c l)) (Or (Eq x c) (Mem x l))
  | .nil => iff_refl
  | .cons d rest => cond_elim (P := fun l => Iff (Mem x l) (Or (Eq x c) (Or (Eq x d) (Mem x rest)))) (ranksBefore c d)
      (fun _ => iff_refl) (fun _ => iff_trans (or_iff iff_refl (mem_insertRanked x c rest)) or_left_comm)
theorem mem_ranked (x : Candidate) : (l : List Candidate) → Iff (Mem x (ranked l)) (Mem x l)
  | .nil => iff_refl
  | .cons c rest => iff_trans (mem_insertRanked x c (ranked rest)) (or_iff iff_refl (mem_ranked x rest))

theorem shares_iff (c d : Candidate) : Iff (IsTrue (shares c d)) (Shares c d) :=
  iff_trans (bor_iff _ _) (or_iff (beq_iff _ _) (beq_iff _ _))
theorem isFree_iff (c : Candidate) : (kept : List Candidate) →
    Iff (IsTrue (isFree c kept)) ((d : Candidate) → Mem d kept → Not (Shares c d))
  | .nil => ⟨fun _ _ m => m.elim, fun _ => rfl⟩
  | .cons d rest => iff_trans (band_iff _ _)
      (iff_trans (and_iff (iff_trans (bnot_iff _) (not_iff (shares_iff c d))) (isFree_iff c rest)) ⟨
      fun ⟨h, k⟩ x m => match m with
        | .inl e => Eq.symm e ▸ h
        | .inr m => k x m,
      fun h => ⟨h d (.inl rfl), fun x m => h x (.inr m)⟩⟩)
theorem taken (c : Candidate) : (kept : List Candidate) → Not (IsTrue (isFree c kept)) → Exists fun d =>
    And (Mem d kept) (Shares c d)
  | .nil, h => absurd rfl h
  | .cons d rest, h => match true_or_not (shares c d) with
    | .inl k => ⟨d, .inl rfl, (shares_iff c d).mp k⟩
    | .inr k =>
      let ⟨x, m, e⟩ := taken c rest fun f => h ((band_iff _ _).mpr ⟨(bnot_iff _).mpr k, f⟩)
      ⟨x, .inr m, e⟩

/-- What keeping the free candidates of a list, after some are kept, results in. -/
structure Kept (kept list result : List Candidate) : Prop where
  keeps : (d : Candidate) → Mem d kept → Mem d result
  from_list : (d : Candidate) → Mem d result → Or (Mem d kept) (Mem d list)
  one_to_one : OneToOne result
  maximal : (c : Candidate) → Mem c list → Exists fun d => And (Mem d result) (Shares c d)
theorem keepFree_ok : (list kept : List Candidate) → OneToOne kept → Kept kept list (keepFree kept list)
  | .nil, _, o => ⟨fun _ m => m, fun _ => .inl, o, fun _ m => m.elim⟩
  | .cons c rest, kept, o => cond_elim (P := Kept kept (.cons c rest)) (isFree c kept)
      (fun f =>
        have k := keepFree_ok rest (.cons c kept) ⟨(isFree_iff c kept).mp f, o⟩
        ⟨fun d m => k.keeps d (.inr m),
         fun d m => match k.from_list d m with
          | .inl (.inl e) => .inr (.inl e)
          | .inl (.inr m) => .inl m
          | .inr m => .inr (.inr m),
         k.one_to_one,
         fun x m => match m with
          | .inl e => ⟨c, k.keeps c (.inl rfl), .inl (congrArg Candidate.ref e)⟩
          | .inr m => k.maximal x m⟩)
      (fun f =>
        have k := keepFree_ok rest kept o
        ⟨k.keeps, fun d m => match k.from_list d m with
          | .inl m => .inl m
          | .inr m => .inr (.inr m),
         k.one_to_one,
         fun x m => match m with
          | .inl e => let ⟨d, n, s⟩ := taken c kept f; ⟨d, k.keeps d n, Eq.symm e ▸ s⟩
          | .inr m => k.maximal x m⟩)
end Tracepact
