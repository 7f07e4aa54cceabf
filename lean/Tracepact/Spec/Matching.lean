import Tracepact.Spec.Runs
/-! Matching reference runs with predicted runs. -/
set_option autoImplicit false
namespace Tracepact

/-- The distance between two frames or times. -/
def distance (x y : Nat) : Nat := Nat.add (Nat.sub x y) (Nat.sub y x)

/-- A reference run and a predicted run may be matched: they overlap, and one of their ends is within `search`. -/
def IsCandidate (search : Nat) (ref pred : Interval) : Prop :=
  And (And (Lt ref.start pred.stop) (Lt pred.start ref.stop))
    (Or (Nat.le (distance ref.start pred.start) search) (Nat.le (distance ref.stop pred.stop) search))

/-- A candidate pair: which reference, which prediction, and by what it is ranked. The cost is a whole multiple of a
common unit; it may be negative. -/
structure Candidate where
  ref : Nat
  pred : Nat
  cost : Int
  refOnset : Nat
  predOnset : Nat

/-- The two candidates share the reference or the prediction. -/
def Shares (c d : Candidate) : Prop := Or (Eq c.ref d.ref) (Eq c.pred d.pred)

/-- No two entries share a reference or a prediction. -/
def OneToOne : List Candidate → Prop
  | .nil => True
  | .cons c rest => And ((d : Candidate) → Mem d rest → Not (Shares c d)) (OneToOne rest)

def intLess : Int → Int → Bool
  | .ofNat a, .ofNat b => Nat.ble (.succ a) b
  | .negSucc _, .ofNat _ => .true
  | .ofNat _, .negSucc _ => .false
  | .negSucc a, .negSucc b => Nat.ble (.succ b) a
def intSame (a b : Int) : Bool := band (bnot (intLess a b)) (bnot (intLess b a))
/-- By cost, then reference onset, then prediction onset. -/
def ranksBefore (c d : Candidate) : Bool :=
  bor (intLess c.cost d.cost) (band (intSame c.cost d.cost)
    (bor (Nat.ble (.succ c.refOnset) d.refOnset)
        (band (Nat.beq c.refOnset d.refOnset) (Nat.ble c.predOnset d.predOnset))))
end Tracepact
