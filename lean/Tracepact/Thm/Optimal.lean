import Tracepact.Impl.Dual
import Tracepact.Thm.Score
/-! Optimal matching, certified by a dual. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-! ### Prices: each is paid at most once -/
/-- The prices with one of them taken away. -/
def paid : List Nat → Nat → List Nat
  | .nil, _ => .nil
  | .cons _ rest, .zero => .cons 0 rest
  | .cons p rest, .succ i => .cons p (paid rest i)
theorem paid_total : (l : List Nat) → (i : Nat) → Eq (Nat.add (price l i) (totalPrice (paid l i))) (totalPrice l)
  | .nil, _ => rfl
  | .cons p rest, .zero => congrArg (Nat.add p) (zero_add (totalPrice rest))
  | .cons p rest, .succ i => Eq.trans (le_antisymm
      (lin0 (on3 (price rest i) p (totalPrice (paid rest i))) rfl :
        Nat.le (Nat.add (price rest i) (Nat.add p (totalPrice (paid rest i))))
          (Nat.add p (Nat.add (price rest i) (totalPrice (paid rest i)))))
      (lin0 (on3 (price rest i) p (totalPrice (paid rest i))) rfl :
        Nat.le (Nat.add p (Nat.add (price rest i) (totalPrice (paid rest i))))
          (Nat.add (price rest i) (Nat.add p (totalPrice (paid rest i))))))
      (congrArg (Nat.add p) (paid_total rest i))
theorem paid_other : (l : List Nat) → (i j : Nat) → Not (Eq j i) → Eq (price (paid l i) j) (price l j)
  | .nil, _, _, _ => rfl
  | .cons _ _, .zero, .zero, h => absurd rfl h
  | .cons _ _, .zero, .succ _, _ => rfl
  | .cons _ _, .succ _, .zero, _ => rfl
  | .cons _ rest, .succ i, .succ j, h => paid_other rest i j fun e => h (congrArg Nat.succ e)
theorem total_congr {g g' : Candidate → Nat} : (m : List Candidate) → ((c : Candidate) → Mem c m → Eq (g c) (g' c)) →
    Eq (totalOf g m) (totalOf g' m)
  | .nil, _ => rfl
  | .cons c rest, h => congr2 Nat.add (h c (.inl rfl)) (total_congr rest fun d k => h d (.inr k))
/-- Different entries pay different prices: together no more than there is. -/
theorem prices_once (at' : Candidate → Nat) : (m : List Candidate) → (l : List Nat) →
    ((before after : List Candidate) → (c : Candidate) → Eq m (append before (.cons c after)) →
      (d : Candidate) → Mem d after → Not (Eq (at' d) (at' c))) →
    Nat.le (totalOf (fun c => price l (at' c)) m) (totalPrice l)
  | .nil, l, _ => zero_le (totalPrice l)
  | .cons c rest, l, h =>
    have other (d : Candidate) (k : Mem d rest) : Eq (price l (at' d)) (price (paid l (at' c)) (at' d)) :=
      Eq.symm (paid_other l (at' c) (at' d) (h .nil rest c rfl d k))
    have ih := prices_once at' rest (paid l (at' c)) fun before after e eq d k =>
      h (.cons c before) after e (congrArg (List.cons c) eq) d k
    Eq.subst (motive := fun x => Nat.le (Nat.add (price l (at' c)) (totalOf (fun c => price l (at' c)) rest)) x)
        (paid_total l (at' c))
      (add_le_add .refl (Eq.subst (motive := fun x => Nat.le x _) (Eq.symm (total_congr rest other)) ih))
theorem apart_of_one_to_one : (m before after : List Candidate) → OneToOne m → (c : Candidate) →
    Eq m (append before (.cons c after)) → (d : Candidate) → Mem d after → Not (Shares c d)
  | _, .nil, _, o, _, e, d, k => (Eq.subst (motive := OneToOne) e o).left d k
  | _, .cons _ before, after, o, c, e, d, k =>
    apart_of_one_to_one (append before (.cons c after)) before after (Eq.subst (motive := OneToOne) e o).right c rfl d k
theorem total_add (g g' : Candidate → Nat) : (m : List Candidate) →
    Eq (totalOf (fun c => Nat.add (g c) (g' c)) m) (Nat.add (totalOf g m) (totalOf g' m))
  | .nil => rfl
  | .cons _ rest => Eq.trans (congrArg (Nat.add _) (total_add g g' rest)) (add_swap _ _ _ _)
theorem total_mono {g g' : Candidate → Nat} : (m : List Candidate) → ((c : Candidate) → Mem c m → Nat.le (g c) (g' c)) →
    Nat.le (totalOf g m) (totalOf g' m)
  | .nil, _ => .refl
  | .cons c rest, h => add_le_add (h c (.inl rfl)) (total_mono rest fun d k => h d (.inr k))
theorem total_constant (n : Nat) : (m : List Candidate) → Eq (totalOf (fun _ => n) m) (Nat.mul n (length m))
  | .nil => rfl
  | .cons _ rest => Eq.trans (congrArg (Nat.add n) (total_constant n rest)) (add_comm _ _)

/-! ### Weak duality -/
theorem pays_of_mem (d : Dual) : (l : List Candidate) → IsTrue (allPay d l) → (c : Candidate) → Mem c l →
    IsTrue (d.pays c)
  | .cons _ _, h, _, .inl e => Eq.symm e ▸ ((band_iff _ _).mp h).left
  | .cons _ rest, h, c, .inr m => pays_of_mem d rest ((band_iff _ _).mp h).right c m
section
variable {d : Dual} {l m : List Candidate}
/-- No matching weighs more than all prices: `base · pairs - cost ≤ prices`. -/
theorem weak_duality (pay : IsTrue (allPay d l)) (is : IsMatching l m) :
    Nat.le (Nat.add (Nat.mul d.base (length m)) (totalOf (fun c => costBelow c.cost) m))
      (Nat.add (Nat.add (totalPrice d.refs) (totalPrice d.preds)) (totalOf (fun c => costAbove c.cost) m)) :=
  have each := total_mono (g := fun c => Nat.add d.base (costBelow c.cost))
    (g' := fun c => Nat.add (Nat.add (price d.refs c.ref) (price d.preds c.pred)) (costAbove c.cost)) m
    fun c k => le_of_ble _ _ ((band_iff _ _).mp (pays_of_mem d l pay c (is.chosen c k))).right
  have refs := prices_once Candidate.ref m d.refs fun before after c e x k q =>
    apart_of_one_to_one m before after is.oneToOne c e x k (.inl (Eq.symm q))
  have preds := prices_once Candidate.pred m d.preds fun before after c e x k q =>
    apart_of_one_to_one m before after is.oneToOne c e x k (.inr (Eq.symm q))
  have left : Eq (totalOf (fun c => Nat.add d.base (costBelow c.cost)) m)
      (Nat.add (Nat.mul d.base (length m)) (totalOf (fun c => costBelow c.cost) m)) :=
    Eq.trans (total_add (fun _ => d.base) _ m) (congrArg (fun x => Nat.add x _) (total_constant d.base m))
  have right : Eq (totalOf (fun c => Nat.add (Nat.add (price d.refs c.ref) (price d.preds c.pred)) (costAbove c.cost))
      m)
      (Nat.add (Nat.add (totalOf (fun c => price d.refs c.ref) m) (totalOf (fun c => price d.preds c.pred) m))
        (totalOf (fun c => costAbove c.cost) m)) :=
    Eq.trans (total_add _ _ m) (congrArg (fun x => Nat.add x _) (total_add _ _ m))
  le_trans (Eq.subst (motive := fun x => Nat.le x _) left (Eq.subst (motive := Nat.le _) right each))
    (add_le_add (add_le_add refs preds) .refl)
theorem above_bounded (pay : IsTrue (allPay d l)) (is : IsMatching l m) :
    Nat.le (totalOf (fun c => costAbove c.cost) m) (Nat.mul d.most (length m)) :=
  Eq.subst (motive := Nat.le _) (total_constant d.most m) (total_mono m fun c k =>
    le_of_ble _ _ ((band_iff _ _).mp (pays_of_mem d l pay c (is.chosen c k))).left)
end

theorem isListed_mem (c : Candidate) : (l : List Candidate) → IsTrue (isListed c l) → Mem c l
  | .nil, h => nomatch h
  | .cons x rest, h => match (bor_iff _ _).mp h with
    | .inl e => .inl (candidate_eq c x e)
    | .inr k => .inr (isListed_mem c rest k)
theorem isMatching_ok (l : List Candidate) : (m : List Candidate) → IsTrue (isMatching l m) → IsMatching l m
  | .nil, _ => ⟨fun _ k => k.elim, .intro⟩
  | .cons c rest, h =>
    let ⟨a, b⟩ := (band_iff _ _).mp h
    let ⟨listed, free⟩ := (band_iff _ _).mp a
    have ih := isMatching_ok l rest b
    ⟨fun x k => match k with
      | .inl e => Eq.symm e ▸ isListed_mem c l listed
      | .inr k => ih.chosen x k, (isFree_iff c rest).mp free, ih.oneToOne⟩
theorem mul_mono_left {a b : Nat} (h : Nat.le a b) : (e : Nat) → Nat.le (Nat.mul a e) (Nat.mul b e)
  | .zero => .refl
  | .succ e => add_le_add (mul_mono_left h e) h
/-- With a large base, one pair more weighs more than all costs: so no set has more pairs than the heaviest. -/
theorem not_more {base most n n' above below : Nat} (big : Lt (Nat.add (Nat.add (Nat.mul most n) below) most) base)
    (weigh : Nat.le (Nat.mul base n') (Nat.add (Nat.add (Nat.mul base n) below) above))
    (bound : Nat.le above (Nat.mul most n')) : Nat.le n' n :=
  match le_or_lt n' n with
  | .inl l => l
  | .inr l =>
    let ⟨e, q⟩ := le_exists l
    have weigh : Nat.le (Nat.add (Nat.add (Nat.mul base n) base) (Nat.mul base e))
        (Nat.add (Nat.add (Nat.mul base n) below) above) :=
      mul_add base (.succ n) e ▸ q ▸ weigh
    have bound : Nat.le above (Nat.add (Nat.add (Nat.mul most n) most) (Nat.mul most e)) :=
        mul_add most (.succ n) e ▸ q ▸ bound
    have less : Nat.le most base := lin1 (on4 (Nat.mul most n) below most base) big rfl
    impossible4 (on8 (Nat.mul base n) base (Nat.mul base e) below above (Nat.mul most n) most (Nat.mul most e))
      weigh bound (mul_mono_left less e) big rfl

/-- **Optimal matching, by a dual** (rule 8.4, ties left out). When the kernel has computed that `checkOptimal` is true,
the
matching is a one-to-one set of candidates, none has more pairs, and none with as many pairs costs less. -/
theorem optimal_certified (d : Dual) (candidates m : List Candidate) (h : Eq (checkOptimal d candidates m) .true) :
    IsOptimal candidates m :=
  let ⟨a, b⟩ := (band_iff _ _).mp h
  let ⟨matching, pay⟩ := (band_iff _ _).mp a
  let ⟨exact, big⟩ := (band_iff _ _).mp b
  have exact : Nat.le (Nat.add (Nat.add (totalPrice d.refs) (totalPrice d.preds)) (totalOf (fun c =>
      costAbove c.cost) m))
      (Nat.add (Nat.mul d.base (length m)) (totalOf (fun c => costBelow c.cost) m)) := le_of_eq ((beq_iff _ _).mp exact)
  ⟨isMatching_ok candidates m matching,
   fun m' is => not_more (above := totalOf (fun c => costAbove c.cost) m') (le_of_ble _ _ big)
    (lin2 (on7 (Nat.mul d.base (length m')) (totalOf (fun c => costBelow c.cost) m')
        (Nat.add (totalPrice d.refs) (totalPrice d.preds)) (totalOf (fun c => costAbove c.cost) m')
        (totalOf (fun c => costAbove c.cost) m) (Nat.mul d.base (length m)) (totalOf (fun c => costBelow c.cost) m))
      (weak_duality pay is) exact rfl) (above_bounded pay is),
   fun m' is e =>
    have weak := weak_duality pay is
    have weak : Nat.le (Nat.add (Nat.mul d.base (length m)) (totalOf (fun c => costBelow c.cost) m'))
        (Nat.add (Nat.add (totalPrice d.refs) (totalPrice d.preds)) (totalOf (fun c => costAbove c.cost) m')) :=
      Eq.subst (motive := fun n => Nat.le (Nat.add (Nat.mul d.base n) _) _) e weak
    (lin2 (on6 (totalOf (fun c => costBelow c.cost) m') (Nat.add (totalPrice d.refs) (totalPrice d.preds))
        (totalOf (fun c => costAbove c.cost) m') (totalOf (fun c => costAbove c.cost) m) (Nat.mul d.base (length m))
        (totalOf (fun c => costBelow c.cost) m)) weak exact rfl :
      Nat.le (Nat.add (totalOf (fun c => costAbove c.cost) m) (totalOf (fun c => costBelow c.cost) m'))
        (Nat.add (totalOf (fun c => costAbove c.cost) m') (totalOf (fun c => costBelow c.cost) m)))⟩
end Tracepact
