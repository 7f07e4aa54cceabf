import Tracepact.Spec.Matching
/-! The candidates of a matching, with their costs (rules 8.1 and 8.2). -/
set_option autoImplicit false
namespace Tracepact

/-- Rule 8.1, decided. -/
def isCandidate (search : Nat) (ref pred : Interval) : Bool :=
  band (band (Nat.ble (.succ ref.start) pred.stop) (Nat.ble (.succ pred.start) ref.stop))
    (bor (Nat.ble (distance ref.start pred.start) search) (Nat.ble (distance ref.stop pred.stop) search))
/-- `a - b`. -/
def difference (a b : Nat) : Int := cond (Nat.ble b a) (.ofNat (Nat.sub a b)) (.negSucc (Nat.sub (Nat.sub b a) 1))
/-- How long two intervals are both there. -/
def overlap (a b : Interval) : Nat := Nat.sub (smaller a.stop b.stop) (larger a.start b.start)
/-- Rule 8.2 in units of `1 / unit`: `unit` times the differences of the ends, less `reward` times the overlap. The
overlap reward of the rule is `reward / unit`. -/
def cost (unit reward : Nat) (ref pred : Interval) : Int :=
  difference (Nat.mul unit (Nat.add (distance ref.start pred.start) (distance ref.stop pred.stop)))
    (Nat.mul reward (overlap ref pred))
/-- The pair of reference `i` and prediction `j`, with what it is ranked by. -/
def candidate (unit reward i j : Nat) (ref pred : Interval) : Candidate :=
    ⟨i, j, cost unit reward ref pred, ref.start, pred.start⟩
/-- The candidates of reference `i`, with the predictions from `j` on. -/
def candidatesOf (search unit reward i : Nat) (ref : Interval) (j : Nat) : List Interval → List Candidate
  | .nil => .nil
  | .cons pred rest => cond (isCandidate search ref pred)
      (.cons (candidate unit reward i j ref pred) (candidatesOf search unit reward i ref (.succ j) rest))
      (candidatesOf search unit reward i ref (.succ j) rest)
/-- The first list, then the second. -/
def append {α : Type} : List α → List α → List α
  | .nil, more => more
  | .cons c rest, more => .cons c (append rest more)
/-- The candidates of the references from `i` on, by reference and then prediction. -/
def candidates (search unit reward : Nat) (preds : List Interval) (i : Nat) : List Interval → List Candidate
  | .nil => .nil
  | .cons ref rest =>
      append (candidatesOf search unit reward i ref 0 preds) (candidates search unit reward preds (.succ i) rest)
end Tracepact
