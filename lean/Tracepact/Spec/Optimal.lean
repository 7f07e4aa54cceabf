import Tracepact.Spec.Matching
/-!
Optimal matching (rule 8.4) up to ties: the most pairs, then the least total cost. The last part of the rule, which of
several
such sets it is, is left out.
-/
set_option autoImplicit false
namespace Tracepact

/-- What a cost adds: the cost itself if it is not negative, else nothing. -/
def costAbove : Int → Nat
  | .ofNat k => k
  | .negSucc _ => 0
/-- What a cost takes away. -/
def costBelow : Int → Nat
  | .ofNat _ => 0
  | .negSucc k => .succ k
/-- The sum of `g` over a list. -/
def totalOf (g : Candidate → Nat) : List Candidate → Nat
  | .nil => 0
  | .cons c rest => Nat.add (g c) (totalOf g rest)
/-- The total cost of the first matching is at most that of the second. -/
def CostsAtMost (m m' : List Candidate) : Prop :=
  Nat.le (Nat.add (totalOf (fun c => costAbove c.cost) m) (totalOf (fun c => costBelow c.cost) m'))
    (Nat.add (totalOf (fun c => costAbove c.cost) m') (totalOf (fun c => costBelow c.cost) m))
/-- A one-to-one set of candidates. -/
structure IsMatching (candidates m : List Candidate) : Prop where
  chosen : (c : Candidate) → Mem c m → Mem c candidates
  oneToOne : OneToOne m
/-- No one-to-one set of candidates has more pairs, and none with as many pairs costs less. -/
structure IsOptimal (candidates m : List Candidate) : Prop where
  matching : IsMatching candidates m
  most : (m' : List Candidate) → IsMatching candidates m' → Nat.le (length m') (length m)
  least : (m' : List Candidate) → IsMatching candidates m' → Eq (length m') (length m) → CostsAtMost m m'
end Tracepact
