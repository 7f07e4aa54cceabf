import Tracepact.Spec.Matching
/-! The greedy matcher: rank the candidates, keep what is still free. -/
set_option autoImplicit false
namespace Tracepact

def insertRanked (c : Candidate) : List Candidate → List Candidate
  | .nil => .cons c .nil
  | .cons d rest => cond (ranksBefore c d) (.cons c (.cons d rest)) (.cons d (insertRanked c rest))
def ranked : List Candidate → List Candidate
  | .nil => .nil
  | .cons c rest => insertRanked c (ranked rest)

def shares (c d : Candidate) : Bool := bor (Nat.beq c.ref d.ref) (Nat.beq c.pred d.pred)
/-- No kept candidate shares an end with `c`. -/
def isFree (c : Candidate) : List Candidate → Bool
  | .nil => .true
  | .cons d rest => band (bnot (shares c d)) (isFree c rest)
/-- Go through the candidates and keep the free ones; the latest kept comes first. -/
def keepFree (kept : List Candidate) : List Candidate → List Candidate
  | .nil => kept
  | .cons c rest => cond (isFree c kept) (keepFree (.cons c kept) rest) (keepFree kept rest)
def greedy (candidates : List Candidate) : List Candidate := keepFree .nil (ranked candidates)
end Tracepact
