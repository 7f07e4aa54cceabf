import Tracepact.Impl.Greedy
import Tracepact.Impl.Scan
import Tracepact.Spec.Edges
import Tracepact.Spec.Events
import Tracepact.Spec.Join
import Tracepact.Spec.Predicate
import Tracepact.Spec.Score
/-!
A contract, and what a clip of one class counts under it (chapters 5, 7, 8 and 9), from the times of its two tables.

All times, the step among them, are whole multiples of one unit. Ignored regions and further masks are not part of it.
-/
set_option autoImplicit false
namespace Tracepact

/-- What an event clause is asked about (rule 9.1). -/
inductive Each where
  | ref
  | pred
  | matched
inductive ContractClause where
  | frame (obligation formula : Formula)
  | event (each : Each) (predicate : Predicate)
/-- The core of a contract with the greedy matcher; its overlap reward is `reward / unit`. -/
structure Contract where
  step : Nat
  projection : Projection
  mergeGap : Nat
  search : Nat
  unit : Nat
  reward : Nat
  clauses : List ContractClause
/-- One clip and class: its duration, and the events of both sides. -/
structure Sides where
  duration : Nat
  refs : List Event
  preds : List Event

/-- A run in units of time. -/
def timed (step : Nat) (r : Interval) : Interval := ⟨Nat.mul r.start step, Nat.mul r.stop step⟩
def allTimed (step : Nat) : List Interval → List Interval
  | .nil => .nil
  | .cons r rest => .cons (timed step r) (allTimed step rest)
/-- What matching and event clauses see of a side: its runs, joined, in units of time (rules 5.8 and 4.5). -/
def Contract.seen (c : Contract) (runs : List Interval) : List Interval :=
    allTimed c.step (joinRuns c.step c.mergeGap runs)

/-- Entry `i` of a list of intervals. -/
def entryOf : List Interval → Nat → Option Interval
  | .nil, _ => .none
  | .cons r _, .zero => .some r
  | .cons _ rest, .succ i => entryOf rest i
/-- The prediction that reference `i` is matched with. -/
def partnerOfRef (i : Nat) : List Candidate → Option Nat
  | .nil => .none
  | .cons m rest => cond (Nat.beq m.ref i) (.some m.pred) (partnerOfRef i rest)
/-- The reference that prediction `j` is matched with. -/
def partnerOfPred (j : Nat) : List Candidate → Option Nat
  | .nil => .none
  | .cons m rest => cond (Nat.beq m.pred j) (.some m.ref) (partnerOfPred j rest)
def entryAt (l : List Interval) : Option Nat → Option Interval
  | .none => .none
  | .some i => entryOf l i
def refObligations (x : Scene) (matching : List Candidate) (i : Nat) : List Interval → List Obligation
  | .nil => .nil
  | .cons r rest => .cons ⟨.some r, entryAt x.preds (partnerOfRef i matching), x⟩
      (refObligations x matching (.succ i) rest)
def predObligations (x : Scene) (matching : List Candidate) (j : Nat) : List Interval → List Obligation
  | .nil => .nil
  | .cons r rest => .cons ⟨entryAt x.refs (partnerOfPred j matching), .some r, x⟩
      (predObligations x matching (.succ j) rest)
def matchedObligations (x : Scene) : List Candidate → List Obligation
  | .nil => .nil
  | .cons m rest => .cons ⟨entryOf x.refs m.ref, entryOf x.preds m.pred, x⟩ (matchedObligations x rest)
/-- The obligations of an event clause (rule 9.1). -/
def eventObligations (x : Scene) (matching : List Candidate) : Each → List Obligation
  | .ref => refObligations x matching 0 x.refs
  | .pred => predObligations x matching 0 x.preds
  | .matched => matchedObligations x matching

/-- How many obligations hold, of how many. -/
structure Counts where
  satisfied : Nat
  obligated : Nat
/-- The counts of a clause, frame clauses on the trace, event clauses on the scene and its matching. -/
def clauseCounts (t : Trace) (x : Scene) (matching : List Candidate) : ContractClause → Counts
  | .frame o f => ⟨satisfied (eval t o) (eval t f) t.frames, obligations (eval t o) t.frames⟩
  | .event e p => ⟨listCount (fun o => predicateValue o p) (eventObligations x matching e),
      length (eventObligations x matching e)⟩
def allCounts (t : Trace) (x : Scene) (matching : List Candidate) : List ContractClause → List Counts
  | .nil => .nil
  | .cons c rest => .cons (clauseCounts t x matching c) (allCounts t x matching rest)

/-- The trace of a clip: the six boundary atoms of its two tables; every other atom is false. -/
def Contract.trace (c : Contract) (s : Sides) (n : Nat) : Trace :=
  ⟨n, boundaryAtom (active c.projection c.step s.refs) (active c.projection c.step s.preds) (fun _ _ => .false)⟩
/-- The joined runs of both sides. -/
def Contract.scene (c : Contract) (refs preds : List Interval) : Scene := ⟨c.seen refs, c.seen preds, .nil⟩
/-- Rules 8.1 to 8.3 on a scene. -/
def Contract.matching (c : Contract) (x : Scene) : List Candidate :=
    greedy (candidates c.search c.unit c.reward x.preds 0 x.refs)
def isEmpty {α : Type} : List α → Bool
  | .nil => .true
  | .cons _ _ => .false

/-- What a clip counts: each clause's counts, and whether a run is there on either side (rule 7.4). -/
structure ClipCounts where
  counts : List Counts
  evidence : Bool
/-- What a clip of `n` frames counts, its runs being those of its two tables. -/
def Contract.clipCounts (c : Contract) (s : Sides) (n : Nat) : ClipCounts :=
  let refs := runs (active c.projection c.step s.refs) n
  let preds := runs (active c.projection c.step s.preds) n
  let x := c.scene refs preds
  ⟨allCounts (c.trace s n) x (c.matching x) c.clauses, bnot (band (isEmpty refs) (isEmpty preds))⟩
/-- Under contract `c` the clip counts `k`. -/
def CountsTo (c : Contract) (s : Sides) (k : ClipCounts) : Prop :=
  Exists fun n => And (IsFrameCount c.step s.duration n) (Eq (c.clipCounts s n) k)
end Tracepact
