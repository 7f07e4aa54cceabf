import Tracepact.Impl.Order
import Tracepact.Thm.Vector
/-! The order of harm of a selection: certified by one computation, and the same alone as in a corpus. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-! ### What the checks decide -/
theorem atRow_found {k : List Nat → Bool} : (table : List (List Nat)) → (n : Nat) → IsTrue (atRow k table n) →
    Exists fun row => And (RowAt table n row) (IsTrue (k row))
  | .nil, _, h => nomatch h
  | .cons row _, .zero, h => ⟨row, .here, h⟩
  | .cons _ rest, .succ n, h => let ⟨row, there, holds⟩ := atRow_found rest n h; ⟨row, .later there, holds⟩
theorem pair_checked (weights : List Nat) (margin : Nat) (table : List (List Nat)) (p : CasePair)
    (h : IsTrue (checkPair weights margin table p)) : Exists fun worse => Exists fun better =>
      And (RowAt table p.worse worse) (And (RowAt table p.better better) (LowerBy weights margin worse better)) :=
  let ⟨worse, hw, h⟩ := atRow_found table p.worse h
  let ⟨better, hb, h⟩ := atRow_found table p.better h
  ⟨worse, better, hw, hb, (ble_iff _ _).mp h⟩
theorem pairs_checked (weights : List Nat) (margin : Nat) (table : List (List Nat)) : (pairs : List CasePair) →
    IsTrue (checkPairs weights margin table pairs) → (p : CasePair) → Mem p pairs →
    Exists fun worse => Exists fun better =>
      And (RowAt table p.worse worse) (And (RowAt table p.better better) (LowerBy weights margin worse better))
  | .nil, _, _, m => nomatch m
  | .cons q rest, h, p, m =>
    let ⟨first, more⟩ := (band_iff _ _).mp h
    match m with
    | .inl e => e ▸ pair_checked weights margin table q first
    | .inr m => pairs_checked weights margin table rest more p m
/-- **The order of a selection.** When the cases score the rows of the table and the kernel has computed that the
weights order every pair by the margin, then under contract `c` the weighted mean of every worse case is lower, from the
tables' own times. -/
theorem order_certified (c : Contract) (scale : Nat) (weights : List Nat) (margin : Nat)
    (cases : List (List (List Sides))) (table : List (List Nat)) (pairs : List CasePair)
    (scored : CasesScore c scale cases table)
    (h : Eq (Nat.beq (toNat (checkOrder weights margin table pairs)) 1) .true) :
    KeepsOrder c scale weights margin cases table pairs :=
  let ⟨positive, all⟩ := (band_iff _ _).mp (true_of_one _ h)
  ⟨scored, (ble_iff _ _).mp positive, pairs_checked weights margin table pairs all⟩

/-! ### In a corpus -/
theorem weighed_none : (weights : List Nat) → Eq (weighed weights .nil) .zero
  | .nil => rfl
  | .cons _ _ => rfl
/-- The weighted sum of values that are added up is the sum of the weighted sums. -/
theorem weighed_add : (weights values others : List Nat) →
    Eq (weighed weights (addValues values others)) (Nat.add (weighed weights values) (weighed weights others))
  | .nil, .nil, _ => Eq.symm (zero_add _)
  | .nil, .cons _ _, .nil => rfl
  | .nil, .cons _ _, .cons _ _ => rfl
  | .cons _ _, .nil, _ => Eq.symm (zero_add _)
  | .cons _ _, .cons _ _, .nil => rfl
  | .cons w weights, .cons v values, .cons u others =>
    have rest := weighed_add weights values others
    let a := Nat.mul w v
    let b := Nat.mul w u
    let x := weighed weights values
    let y := weighed weights others
    have here : Eq (Nat.add (Nat.mul w (Nat.add v u)) (weighed weights (addValues values others)))
        (Nat.add (Nat.add a b) (Nat.add x y)) := congr2 Nat.add (mul_add w v u) rest
    have swapped : Eq (Nat.add (Nat.add a b) (Nat.add x y)) (Nat.add (Nat.add a x) (Nat.add b y)) :=
      le_antisymm (lin0 (on4 a b x y) rfl) (lin0 (on4 a b x y) rfl)
    Eq.trans here swapped
/-- **Alone and in a corpus.** If weights order two clips by a margin, they order any corpus that has the worse one
before the same corpus with the better one in its place, by the same margin over the number of clips: whatever the other
clips are. -/
theorem corpus_order (weights : List Nat) (margin : Nat) (worse better : List Nat)
    (alone : LowerBy weights margin worse better) : (others : List (List Nat)) →
    LowerBy weights margin (corpusValues worse others) (corpusValues better others)
  | .nil => alone
  | .cons other rest =>
    have more := corpus_order weights margin worse better alone rest
    let o := weighed weights other
    let x := weighed weights (corpusValues worse rest)
    let y := weighed weights (corpusValues better rest)
    have more : Nat.le (Nat.add x margin) y := more
    have sum : Nat.le (Nat.add (Nat.add o x) margin) (Nat.add o y) := lin1 (on4 o x y margin) more rfl
    Eq.subst (motive := fun s => Nat.le (Nat.add s margin) (weighed weights (corpusValues better (.cons other rest))))
      (Eq.symm (weighed_add weights other (corpusValues worse rest)))
      (Eq.subst (motive := Nat.le (Nat.add (Nat.add o x) margin))
        (Eq.symm (weighed_add weights other (corpusValues better rest))) sum)
/-- **Every corpus.** Weights that order the pairs of a set order each of them in every corpus as well. -/
theorem orders_everywhere (weights : List Nat) (margin : Nat) (table : List (List Nat)) (pairs : List CasePair)
    (ordered : Orders weights margin table pairs) (p : CasePair) (asked : Mem p pairs) :
    Exists fun worse => Exists fun better => And (RowAt table p.worse worse) (And (RowAt table p.better better)
      ((others : List (List Nat)) → LowerBy weights margin (corpusValues worse others) (corpusValues better others))) :=
  let ⟨worse, better, hw, hb, lower⟩ := ordered.right p asked
  ⟨worse, better, hw, hb, corpus_order weights margin worse better lower⟩
end Tracepact
