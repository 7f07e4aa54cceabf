import Tracepact.Impl.Basis
import Tracepact.Thm.Runs.Scan
/-! Lemmas about keeping what is new. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

section
variable {α : Type} (value : α → Nat → Nat) (m : Nat)
theorem sameValues_iff (c d : α) : Iff (IsTrue (sameValues value m c d)) (Equivalent value m c d) :=
  iff_trans (allBelow_iff _ _) (forall_iff fun _ => imp_iff iff_refl (beq_iff _ _))
theorem isConstant_iff (c : α) : Iff (IsTrue (isConstant value m c)) (Constant value m c) :=
  iff_trans (allBelow_iff _ _) ⟨
    fun h s s' l l' => Eq.trans ((beq_iff _ _).mp (h s l)) (Eq.symm ((beq_iff _ _).mp (h s' l'))),
    fun h s l => (beq_iff _ _).mpr (h s 0 l (le_trans (succ_le_succ (zero_le s)) l))⟩
theorem repeats_iff (c : α) : (l : List α) → Iff (IsTrue (repeats value m c l)) (Exists fun d =>
    And (Mem d l) (Equivalent value m c d))
  | .nil => ⟨nofun, fun ⟨_, h, _⟩ => h.elim⟩
  | .cons d rest => iff_trans (bor_iff _ _) (iff_trans (or_iff (sameValues_iff value m c d) (repeats_iff c rest)) ⟨
      fun | .inl h => ⟨d, .inl rfl, h⟩ | .inr ⟨x, n, h⟩ => ⟨x, .inr n, h⟩,
      fun | ⟨_, .inl e, h⟩ => .inl (e ▸ h) | ⟨x, .inr n, h⟩ => .inr ⟨x, n, h⟩⟩)
theorem equivalent_symm {c d : α} (h : Equivalent value m c d) : Equivalent value m d c := fun s l => Eq.symm (h s l)
theorem equivalent_trans {c d e : α} (h : Equivalent value m c d) (k : Equivalent value m d e) :
    Equivalent value m c e :=
  fun s l => Eq.trans (h s l) (k s l)
theorem constant_of_equivalent {c d : α} (e : Equivalent value m c d) (h : Constant value m d) : Constant value m c :=
  fun s s' l l' => Eq.trans (e s l) (Eq.trans (h s s' l l') (Eq.symm (e s' l')))

/-- What keeping the new ones of a list results in. -/
structure New (seen list result : List α) : Prop where
  from_list : (d : α) → Mem d result → Mem d list
  varied : (d : α) → Mem d result → Not (Constant value m d)
  unseen : (d e : α) → Mem d result → Mem e seen → Not (Equivalent value m d e)
  distinct : AllDistinct value m result
  complete : (c : α) → Mem c list → Not (Constant value m c) →
    Exists fun d => And (Or (Mem d seen) (Mem d result)) (Equivalent value m c d)
theorem keepNew_ok : (list seen : List α) → New value m seen list (keepNew value m seen list)
  | .nil, _ => ⟨fun _ h => h, fun _ h => h.elim, fun _ _ h => h.elim, .intro, fun _ h => h.elim⟩
  | .cons c rest, seen =>
      cond_elim (P := New value m seen (.cons c rest)) (bor (isConstant value m c) (repeats value m c seen))
      (fun h =>
        have k := keepNew_ok rest seen
        { from_list := fun d n => .inr (k.from_list d n)
          varied := k.varied
          unseen := k.unseen
          distinct := k.distinct
          complete := fun x n v => match n with
            | .inr n => k.complete x n v
            | .inl e => match (bor_iff _ _).mp h with
              | .inl h => absurd (Eq.symm e ▸ (isConstant_iff value m c).mp h) v
              | .inr h => let ⟨d, n, q⟩ := (repeats_iff value m c seen).mp h; ⟨d, .inl n, Eq.symm e ▸ q⟩ })
      (fun h =>
        have k := keepNew_ok rest (.cons c seen)
        have nc : Not (Constant value m c) := fun q => h ((bor_iff _ _).mpr (.inl ((isConstant_iff value m c).mpr q)))
        have nr (d : α) (n : Mem d seen) : Not (Equivalent value m c d) :=
          fun q => h ((bor_iff _ _).mpr (.inr ((repeats_iff value m c seen).mpr ⟨d, n, q⟩)))
        { from_list := fun d n => match n with
            | .inl e => .inl e
            | .inr n => .inr (k.from_list d n)
          varied := fun d n => match n with
            | .inl e => Eq.symm e ▸ nc
            | .inr n => k.varied d n
          unseen := fun d x n s => match n with
            | .inl e => Eq.symm e ▸ nr x s
            | .inr n => k.unseen d x n (.inr s)
          distinct := ⟨fun d n q => k.unseen d c n (.inl rfl) (equivalent_symm value m q), k.distinct⟩
          complete := fun x n v => match n with
            | .inl e => ⟨c, .inr (.inl rfl), e ▸ fun _ _ => rfl⟩
            | .inr n => match k.complete x n v with
              | ⟨_, .inl (.inl e), q⟩ => ⟨c, .inr (.inl rfl), e ▸ q⟩
              | ⟨d, .inl (.inr s), q⟩ => ⟨d, .inl s, q⟩
              | ⟨d, .inr s, q⟩ => ⟨d, .inr (.inr s), q⟩ })
theorem distinct_unique : {l : List α} → AllDistinct value m l → {d e : α} → Mem d l → Mem e l →
    Equivalent value m d e → Eq d e
  | .cons _ _, _, _, _, .inl h, .inl k, _ => Eq.trans h (Eq.symm k)
  | .cons _ _, a, _, e, .inl h, .inr k, q => absurd (h ▸ q) (a.left e k)
  | .cons _ _, a, d, _, .inr h, .inl k, q => absurd (equivalent_symm value m (k ▸ q)) (a.left d h)
  | .cons _ _, a, _, _, .inr h, .inr k, q => distinct_unique a.right h k q
end
end Tracepact
