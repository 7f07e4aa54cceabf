import Tracepact.Thm.Basis.Keep
/-! Representatives. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

section
variable {α : Type} (value : α → Nat → Nat) (m : Nat) (candidates : List α)

/-- **Representatives.** Every candidate that is not constant is observationally equivalent to exactly one retained one.
-/
theorem representative (c : α) (h : Mem c candidates) (v : Not (Constant value m c)) :
    Exists fun d => And (And (Mem d (retained value m candidates)) (Equivalent value m c d))
      ((d' : α) → Mem d' (retained value m candidates) → Equivalent value m c d' → Eq d' d) :=
  have k := keepNew_ok value m candidates .nil
  match k.complete c h v with
  | ⟨_, .inl s, _⟩ => s.elim
  | ⟨d, .inr n, q⟩ => ⟨d, ⟨n, q⟩, fun _ n' q' => distinct_unique value m k.distinct n' n
      (equivalent_trans value m (equivalent_symm value m q') q)⟩
/-- **Retained clauses** are candidates, none of them is constant, and no two entries are equivalent. -/
theorem retained_ok :
    And ((d : α) → Mem d (retained value m candidates) → And (Mem d candidates) (Not (Constant value m d)))
    (AllDistinct value m (retained value m candidates)) :=
  have k := keepNew_ok value m candidates .nil
  ⟨fun d n => ⟨k.from_list d n, k.varied d n⟩, k.distinct⟩
/-- **Separation is kept.** Two cases that some candidate tells apart are told apart by a retained one, and the other
way round: dropping the constant and the duplicate clauses loses no separation. -/
theorem separation_kept (s s' : Nat) (l : Lt s m) (l' : Lt s' m) :
    Iff (Exists fun c => And (Mem c candidates) (Separates value c s s'))
      (Exists fun d => And (Mem d (retained value m candidates)) (Separates value d s s')) :=
  ⟨fun ⟨c, n, h⟩ =>
    let ⟨d, ⟨n', q⟩, _⟩ := representative value m candidates c n fun k => h (k s s' l l')
    ⟨d, n', fun e => h (Eq.trans (q s l) (Eq.trans e (Eq.symm (q s' l'))))⟩,
   fun ⟨d, n, h⟩ => ⟨d, ((retained_ok value m candidates).left d n).left, h⟩⟩
end
end Tracepact
