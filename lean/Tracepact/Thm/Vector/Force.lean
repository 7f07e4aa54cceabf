import Tracepact.Impl.Vector
import Tracepact.Thm.Score
/-! Computing a value first changes nothing. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem forceNats_eq : (l : List Nat) → (k : List Nat → Bool) → Eq (forceNats l k) (k l)
  | .nil, _ => rfl
  | .cons x rest, k => Eq.trans (force_eq x fun x => forceNats rest fun l => k (.cons x l))
      (forceNats_eq rest fun l => k (.cons x l))
theorem forceIntervals_eq : (l : List Interval) → (k : List Interval → Bool) → Eq (forceIntervals l k) (k l)
  | .nil, _ => rfl
  | .cons ⟨a, b⟩ rest, k =>
    Eq.trans (force_eq a fun a => force b fun b => forceIntervals rest fun l => k (.cons ⟨a, b⟩ l))
      (Eq.trans (force_eq b fun b => forceIntervals rest fun l => k (.cons ⟨a, b⟩ l))
        (forceIntervals_eq rest fun l => k (.cons ⟨a, b⟩ l)))
theorem forceInt_eq : (x : Int) → (k : Int → Bool) → Eq (forceInt x k) (k x)
  | .ofNat n, k => force_eq n fun n => k (.ofNat n)
  | .negSucc n, k => force_eq n fun n => k (.negSucc n)
theorem forceCandidates_eq : (l : List Candidate) → (k : List Candidate → Bool) → Eq (forceCandidates l k) (k l)
  | .nil, _ => rfl
  | .cons ⟨i, j, cost, a, b⟩ rest, k =>
    let last (i j : Nat) (cost : Int) (a b : Nat) : Bool := forceCandidates rest fun l => k (.cons ⟨i, j, cost, a, b⟩ l)
    Eq.trans (force_eq i fun i => force j fun j => forceInt cost fun cost => force a fun a => force b (last i j cost a))
      (Eq.trans (force_eq j fun j => forceInt cost fun cost => force a fun a => force b (last i j cost a))
        (Eq.trans (forceInt_eq cost fun cost => force a fun a => force b (last i j cost a))
          (Eq.trans (force_eq a fun a => force b (last i j cost a))
            (Eq.trans (force_eq b (last i j cost a)) (forceCandidates_eq rest fun l =>
              k (.cons ⟨i, j, cost, a, b⟩ l))))))
theorem withSide_eq (c : Contract) (n : Nat) (events : List Event) (k : SideHints → Bool) :
    Eq (withSide c n events k) (k (findSide c n events)) :=
  Eq.trans (forceIntervals_eq _ _) (Eq.trans (forceIntervals_eq _ _) (forceIntervals_eq _ _))
theorem withHints_eq (c : Contract) (s : Sides) (k : Hints → Bool) : Eq (withHints c s k) (k (findHints c s)) :=
  Eq.trans (force_eq _ _) (Eq.trans (withSide_eq _ _ _ _) (Eq.trans (withSide_eq _ _ _ _)
    (Eq.trans (forceCandidates_eq _ _) (forceCandidates_eq _ _))))
theorem withAll_eq (c : Contract) : (items : List Item) → (k : List Found → Bool) →
    Eq (withAll c items k) (k (findAll c items))
  | .nil, _ => rfl
  | .cons x rest, k => Eq.trans (withHints_eq c x.sides _)
      (withAll_eq c rest fun found => k (.cons ⟨x, findHints c x.sides⟩ found))

theorem withRow_eq (d v : Nat) (mask : Nat → Nat) (k : Row → Bool) : (c : ContractClause) →
    Eq (withRow d v mask k c) (k (rowOf d v mask c))
  | .frame o f =>
    let row (a b : List Nat) : Bool := k ⟨.frame o f, a, b, noTally⟩
    let folded (s m : Nat) : Bool :=
      forceNats (fold d (.cons s .nil)) fun a => forceNats (fold d (.cons m .nil)) (row a)
    Eq.trans (force_eq (evalMask v (Nat.pow 2 d) mask o) fun m =>
        force (Nat.land m (evalMask v (Nat.pow 2 d) mask f)) fun s => folded s m)
      (Eq.trans (force_eq _ fun s => folded s (evalMask v (Nat.pow 2 d) mask o))
        (Eq.trans (forceNats_eq _ fun a => forceNats _ (row a)) (forceNats_eq _ (row _))))
  | .event _ _ => rfl
theorem withRows_eq (d v : Nat) (mask : Nat → Nat) : (clauses : List ContractClause) → (k : List Row → Bool) →
    Eq (withRows d v mask clauses k) (k (rowsOf d v mask clauses))
  | .nil, _ => rfl
  | .cons c rest, k => Eq.trans (withRow_eq d v mask _ c)
      (withRows_eq d v mask rest fun rows => k (.cons (rowOf d v mask c) rows))
theorem forceCounts_eq : (x : Counts) → (k : Counts → Bool) → Eq (forceCounts x k) (k x)
  | ⟨a, b⟩, k => Eq.trans (force_eq a fun a => force b fun b => k ⟨a, b⟩) (force_eq b fun b => k ⟨a, b⟩)
theorem forceTally_eq : (t : Tally) → (k : Tally → Bool) → Eq (forceTally t k) (k t)
  | ⟨a, b, ⟨x, y⟩⟩, k =>
    Eq.trans (force_eq a fun a => force b fun b => force x fun x => force y fun y => k ⟨a, b, ⟨x, y⟩⟩)
      (Eq.trans (force_eq b fun b => force x fun x => force y fun y => k ⟨a, b, ⟨x, y⟩⟩)
        (Eq.trans (force_eq x fun x => force y fun y => k ⟨a, b, ⟨x, y⟩⟩) (force_eq y fun y => k ⟨a, b, ⟨x, y⟩⟩)))
theorem withNextRows_eq (h : Hints) (s n : Nat) (e : Bool) : (rows : List Row) → (k : List Row → Bool) →
    Eq (withNextRows h s n e rows k) (k (nextRows h s n e rows))
  | .nil, _ => rfl
  | .cons x rest, k =>
    let last (t : Tally) : Bool := withNextRows h s n e rest fun rows =>
      k (.cons ⟨x.clause, x.satisfied, x.obligated, t⟩ rows)
    Eq.trans (forceCounts_eq (rowCounts h s x) fun c => forceTally (rowTally n e x c) last)
      (Eq.trans (forceTally_eq (rowTally n e x (rowCounts h s x)) last)
        (withNextRows_eq h s n e rest fun rows => k (.cons (nextRow h s n e x) rows)))
end Tracepact
