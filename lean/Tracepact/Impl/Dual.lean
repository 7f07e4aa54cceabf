import Tracepact.Impl.Score
import Tracepact.Spec.Optimal
/-!
A dual for an optimal matching: a price for every reference and every prediction. A candidate weighs `base - cost`. If
no
candidate weighs more than the prices of its two ends, no matching weighs more than all prices together; so one that
weighs just
that is the heaviest, and with a base that is large enough, the heaviest has the most pairs and then the least cost.
-/
set_option autoImplicit false
namespace Tracepact

/-- The price at a position; nothing beyond the list. -/
def price : List Nat → Nat → Nat
  | .nil, _ => 0
  | .cons p _, .zero => p
  | .cons _ rest, .succ i => price rest i
def totalPrice : List Nat → Nat
  | .nil => 0
  | .cons p rest => Nat.add p (totalPrice rest)
structure Dual where
  base : Nat
  most : Nat
  refs : List Nat
  preds : List Nat
/-- `base - cost ≤` the prices of both ends, and no cost is above `most`. -/
def Dual.pays (d : Dual) (c : Candidate) : Bool :=
  band (Nat.ble (costAbove c.cost) d.most)
    (Nat.ble (Nat.add d.base (costBelow c.cost))
      (Nat.add (Nat.add (price d.refs c.ref) (price d.preds c.pred)) (costAbove c.cost)))
def allPay (d : Dual) : List Candidate → Bool
  | .nil => .true
  | .cons c rest => band (d.pays c) (allPay d rest)
def isListed (c : Candidate) : List Candidate → Bool
  | .nil => .false
  | .cons d rest => bor (sameCandidate c d) (isListed c rest)
/-- A one-to-one set of candidates, decided. -/
def isMatching (candidates : List Candidate) : List Candidate → Bool
  | .nil => .true
  | .cons c rest => band (band (isListed c candidates) (isFree c rest)) (isMatching candidates rest)
/-- The matching is one, every candidate is paid for, the prices are what the matching weighs, and the base is large
enough. -/
def checkOptimal (d : Dual) (candidates m : List Candidate) : Bool :=
  band (band (isMatching candidates m) (allPay d candidates))
    (band (Nat.beq (Nat.add (Nat.add (totalPrice d.refs) (totalPrice d.preds)) (totalOf (fun c => costAbove c.cost) m))
        (Nat.add (Nat.mul d.base (length m)) (totalOf (fun c => costBelow c.cost) m)))
      (Nat.ble (.succ (Nat.add (Nat.add (Nat.mul d.most (length m)) (totalOf (fun c => costBelow c.cost) m)) d.most))
          d.base))
end Tracepact
