import Tracepact.Spec.Candidates
import Tracepact.Thm.Base.Logic
/-! The candidates are those of rule 8.1, each once with its cost. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem isCandidate_iff (search : Nat) (ref pred : Interval) :
    Iff (IsTrue (isCandidate search ref pred)) (IsCandidate search ref pred) :=
  iff_trans (band_iff _ _) (and_iff (iff_trans (band_iff _ _) (and_iff (ble_iff _ _) (ble_iff _ _)))
    (iff_trans (bor_iff _ _) (or_iff (ble_iff _ _) (ble_iff _ _))))
theorem mem_append {α : Type} (x : α) : (l more : List α) → Iff (Mem x (append l more)) (Or (Mem x l) (Mem x more))
  | .nil, _ => ⟨.inr, fun | .inl m => m.elim | .inr m => m⟩
  | .cons _ rest, more => iff_trans (or_iff iff_refl (mem_append x rest more)) ⟨
      fun | .inl h => .inl (.inl h) | .inr (.inl h) => .inl (.inr h) | .inr (.inr h) => .inr h,
      fun | .inl (.inl h) => .inl h | .inl (.inr h) => .inr (.inl h) | .inr h => .inr (.inr h)⟩
theorem exists_offset (p : Nat → Interval → Prop) (x : Interval) (j : Nat) (rest : List Interval) :
    Iff (Exists fun k => Exists fun y : Interval => And (Entry y (.cons x rest) k) (p (Nat.add j k) y))
      (Or (p j x) (Exists fun k => Exists fun y : Interval => And (Entry y rest k) (p (Nat.add (.succ j) k) y))) :=
  ⟨fun
    | ⟨.zero, y, e, h⟩ => .inl ((show Eq y x from e) ▸ h)
    | ⟨.succ k, y, e, h⟩ => .inr ⟨k, y, e, Eq.subst (motive := fun m => p m y) (Eq.symm (succ_add j k)) h⟩,
   fun
    | .inl h => ⟨.zero, x, rfl, h⟩
    | .inr ⟨k, y, e, h⟩ => ⟨.succ k, y, e, Eq.subst (motive := fun m => p m y) (succ_add j k) h⟩⟩
theorem mem_candidatesOf (search unit reward i : Nat) (ref : Interval) (c : Candidate) : (preds : List Interval) →
    (j : Nat) →
    Iff (Mem c (candidatesOf search unit reward i ref j preds))
      (Exists fun k => Exists fun pred : Interval => And (Entry pred preds k)
        (And (IsCandidate search ref pred) (Eq c (candidate unit reward i (Nat.add j k) ref pred))))
  | .nil, _ => ⟨fun m => m.elim, fun ⟨_, _, e, _⟩ => e.elim⟩
  | .cons pred rest, j =>
    have ih := mem_candidatesOf search unit reward i ref c rest (.succ j)
    iff_trans (cond_elim (P := fun l => Iff (Mem c l) (Or (And (IsCandidate search ref pred)
        (Eq c (candidate unit reward i j ref pred))) (Mem c (candidatesOf search unit reward i ref (.succ j) rest))))
      (isCandidate search ref pred)
      (fun h => or_iff ⟨fun e => ⟨(isCandidate_iff _ _ _).mp h, e⟩, fun k => k.right⟩ iff_refl)
      (fun h => ⟨.inr, fun | .inl k => absurd ((isCandidate_iff _ _ _).mpr k.left) h | .inr k => k⟩))
    (iff_trans (or_iff iff_refl ih) (iff_symm (exists_offset
      (fun k y => And (IsCandidate search ref y) (Eq c (candidate unit reward i k ref y))) pred j rest)))
theorem mem_candidates (search unit reward : Nat) (preds : List Interval) (c : Candidate) : (refs : List Interval) →
    (i : Nat) →
    Iff (Mem c (candidates search unit reward preds i refs))
      (Exists fun k => Exists fun ref : Interval =>
          And (Entry ref refs k) (Exists fun l => Exists fun pred : Interval =>
        And (Entry pred preds l) (And (IsCandidate search ref pred)
          (Eq c (candidate unit reward (Nat.add i k) (Nat.add 0 l) ref pred)))))
  | .nil, _ => ⟨fun m => m.elim, fun ⟨_, _, e, _⟩ => e.elim⟩
  | .cons ref rest, i => iff_trans (mem_append c _ _) (iff_trans
      (or_iff (mem_candidatesOf search unit reward i ref c preds 0)
          (mem_candidates search unit reward preds c rest (.succ i)))
      (iff_symm (exists_offset (fun k y => Exists fun l => Exists fun pred : Interval => And (Entry pred preds l)
        (And (IsCandidate search y pred) (Eq c (candidate unit reward k (Nat.add 0 l) y pred)))) ref i rest)))
/-- **Candidates** (rules 8.1 and 8.2): the list has exactly the pairs of a reference and a predicted run that overlap
and have one of their ends within `search`, each with its two indices, its cost and its onsets. -/
theorem candidates_exact (search unit reward : Nat) (refs preds : List Interval) (c : Candidate) :
    Iff (Mem c (candidates search unit reward preds 0 refs))
      (Exists fun i => Exists fun ref : Interval =>
          And (Entry ref refs i) (Exists fun j => Exists fun pred : Interval =>
        And (Entry pred preds j) (And (IsCandidate search ref pred) (Eq c (candidate unit reward i j ref pred))))) :=
  iff_trans (mem_candidates search unit reward preds c refs 0) (exists_iff fun i => ⟨
    fun ⟨r, e, j, p, f, h, k⟩ => ⟨r, e, j, p, f, h, zero_add i ▸ zero_add j ▸ k⟩,
    fun ⟨r, e, j, p, f, h, k⟩ => ⟨r, e, j, p, f, h, Eq.symm (zero_add i) ▸ Eq.symm (zero_add j) ▸ k⟩⟩)
end Tracepact
