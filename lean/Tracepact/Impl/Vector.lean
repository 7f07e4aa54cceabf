import Tracepact.Impl.Family
import Tracepact.Impl.Finding
import Tracepact.Spec.Vector
/-!
What the kernel computes when it checks what a class comes to. The clips of a block are laid end to end, so that every
formula is evaluated once for all of them; each has `2^d` invalid frames behind it, and none has more frames than that.
-/
set_option autoImplicit false
namespace Tracepact

structure Found where
  item : Item
  hints : Hints
def findAll (c : Contract) : List Item → List Found
  | .nil => .nil
  | .cons x rest => .cons ⟨x, findHints c x.sides⟩ (findAll c rest)
def withAll (c : Contract) : List Item → (List Found → Bool) → Bool
  | .nil, k => k .nil
  | .cons x rest, k => withHints c x.sides fun h => withAll c rest fun found => k (.cons ⟨x, h⟩ found)

/-! ### Frames -/
/-- The two activity masks, by their numbers among the atoms. -/
def activityMask (h : Hints) : Nat → Nat
  | .zero => paintMask h.ref.runs
  | .succ _ => paintMask h.pred.runs
def laid (d : Nat) : List Found → List Segment
  | .nil => .nil
  | .cons x rest => .cons ⟨⟨x.hints.frames, activityMask x.hints⟩, Nat.pow 2 d⟩ (laid d rest)
/-- A clause with the folded counters of its satisfied and its obliged frames, and its tally so far. -/
structure Row where
  clause : ContractClause
  satisfied : List Nat
  obligated : List Nat
  tally : Tally
def noTally : Tally := ⟨0, 0, ⟨0, 1⟩⟩
/-- The row of a clause, before any clip. -/
def rowOf (d v : Nat) (mask : Nat → Nat) : ContractClause → Row
  | .frame o f => ⟨.frame o f,
      fold d (.cons (Nat.land (evalMask v (Nat.pow 2 d) mask o) (evalMask v (Nat.pow 2 d) mask f)) .nil),
      fold d (.cons (evalMask v (Nat.pow 2 d) mask o) .nil), noTally⟩
  | .event e p => ⟨.event e p, .nil, .nil, noTally⟩
def rowsOf (d v : Nat) (mask : Nat → Nat) : List ContractClause → List Row
  | .nil => .nil
  | .cons c rest => .cons (rowOf d v mask c) (rowsOf d v mask rest)
def withRow (d v : Nat) (mask : Nat → Nat) (k : Row → Bool) : ContractClause → Bool
  | .frame o f => force (evalMask v (Nat.pow 2 d) mask o) fun m =>
      force (Nat.land m (evalMask v (Nat.pow 2 d) mask f)) fun s =>
        forceNats (fold d (.cons s .nil)) fun satisfied => forceNats (fold d (.cons m .nil)) fun obligated =>
          k ⟨.frame o f, satisfied, obligated, noTally⟩
  | .event e p => k ⟨.event e p, .nil, .nil, noTally⟩
def withRows (d v : Nat) (mask : Nat → Nat) : List ContractClause → (List Row → Bool) → Bool
  | .nil, k => k .nil
  | .cons c rest, k => withRow d v mask (fun x => withRows d v mask rest fun rows => k (.cons x rows)) c

/-! ### Counts and tallies -/
def readCounterRun : List Nat → Nat → Nat
  | .nil, _ => 0
  | .cons s rest, i => Nat.add (Nat.land (Nat.shiftRight s i) 1) (Nat.mul (readCounterRun rest i) 2)
/-- `counter`, with one operation for a bit. -/
@[implemented_by readCounterRun]
def readCounter (slices : List Nat) (i : Nat) : Nat :=
  List.rec (motive := fun _ => Nat) 0
    (fun s _ rest => Nat.add (Nat.land (Nat.shiftRight s i) 1) (Nat.mul rest 2)) slices
def rowCountsRun (h : Hints) (s : Nat) : Row → Counts
  | ⟨.frame _ _, satisfied, obligated, _⟩ => ⟨readCounter satisfied s, readCounter obligated s⟩
  | ⟨.event e p, _, _, _⟩ => clauseCounts ⟨0, fun _ _ => .false⟩ h.scene h.matching (.event e p)
/-- The counts of a row's clause on the clip whose frame 0 is frame `s` of the block. -/
@[implemented_by rowCountsRun]
def rowCounts (h : Hints) (s : Nat) (x : Row) : Counts :=
  ContractClause.rec (motive := fun _ => Counts)
    (fun _ _ => ⟨readCounter x.satisfied s, readCounter x.obligated s⟩)
    (fun e p => clauseCounts ⟨0, fun _ _ => .false⟩ h.scene h.matching (.event e p)) x.clause
def hasEvidence (h : Hints) : Bool := bnot (band (isEmpty h.ref.runs) (isEmpty h.pred.runs))
def rowTally (n : Nat) (evidence : Bool) (x : Row) (k : Counts) : Tally :=
  (tallyOf n (clauseValue x.clause evidence k) k).plus x.tally
/-- The row with `n` more clips. -/
def nextRow (h : Hints) (s n : Nat) (evidence : Bool) (x : Row) : Row :=
  ⟨x.clause, x.satisfied, x.obligated, rowTally n evidence x (rowCounts h s x)⟩
def nextRows (h : Hints) (s n : Nat) (evidence : Bool) : List Row → List Row
  | .nil => .nil
  | .cons x rest => .cons (nextRow h s n evidence x) (nextRows h s n evidence rest)
def forceCounts (x : Counts) (k : Counts → Bool) : Bool :=
  force x.satisfied fun a => force x.obligated fun b => k ⟨a, b⟩
def forceTally (t : Tally) (k : Tally → Bool) : Bool :=
  force t.satisfied fun a => force t.obligated fun b => force t.values.numerator fun x =>
    force t.values.denominator fun y => k ⟨a, b, ⟨x, y⟩⟩
def withNextRowsRun (h : Hints) (s n : Nat) (evidence : Bool) : List Row → (List Row → Bool) → Bool
  | .nil, k => k .nil
  | .cons x rest, k => forceCounts (rowCounts h s x) fun c => forceTally (rowTally n evidence x c) fun t =>
      withNextRowsRun h s n evidence rest fun rows => k (.cons ⟨x.clause, x.satisfied, x.obligated, t⟩ rows)
@[implemented_by withNextRowsRun]
def withNextRows (h : Hints) (s n : Nat) (evidence : Bool) (rows : List Row) : (List Row → Bool) → Bool :=
  List.rec (motive := fun _ => (List Row → Bool) → Bool) (fun k => k .nil)
    (fun x _ rest k => forceCounts (rowCounts h s x) fun c => forceTally (rowTally n evidence x c) fun t =>
      rest fun rows => k (.cons ⟨x.clause, x.satisfied, x.obligated, t⟩ rows)) rows
def sameTally (t u : Tally) : Bool :=
  band (band (Nat.beq t.satisfied u.satisfied) (Nat.beq t.obligated u.obligated))
    (band (Nat.beq t.values.numerator u.values.numerator) (Nat.beq t.values.denominator u.values.denominator))
def sameTallies : List Row → List Tally → Bool
  | .nil, .nil => .true
  | .cons x rows, .cons u tallies => band (sameTally x.tally u) (sameTallies rows tallies)
  | _, _ => .false
/-- What was found about a clip is right, apart from its counts. -/
def checkFound (c : Contract) (d : Nat) (x : Found) : Bool :=
  band (band (isEdge (coversDuration c.step x.item.sides.duration) x.hints.frames)
      (Nat.ble x.hints.frames (Nat.pow 2 d)))
    (band (checkRuns c x.hints.frames x.item.sides.refs x.hints.ref.projected x.hints.ref.runs)
      (checkRuns c x.hints.frames x.item.sides.preds x.hints.pred.projected x.hints.pred.runs))
/-- Clip after clip, with the rows so far; in the end their tally is `u`. The first clip's frame 0 is frame `s` of the
block. -/
def checkTallies (c : Contract) (d : Nat) (u : ClassTally) : List Found → Nat → List Row → Nat → Bool → Bool
  | .nil, _, rows, clips, evidence =>
      band (sameTallies rows u.clauses) (band (Nat.beq clips u.clips) (biff evidence u.evidence))
  | .cons x rest, s, rows, clips, evidence => band (checkFound c d x)
      (withNextRows x.hints s (.succ x.item.again) (hasEvidence x.hints) rows fun rows =>
        force (Nat.add s (Nat.add x.hints.frames (Nat.pow 2 d))) fun s =>
          force (Nat.add (.succ x.item.again) clips) fun clips =>
            checkTallies c d u rest s rows clips (bor (hasEvidence x.hints) evidence))
/-- The clips of a block come to the tally `u`. -/
def checkBlock (c : Contract) (d : Nat) (items : List Item) (u : ClassTally) : Bool :=
  withAll c items fun found =>
    withLaid (familyValid (laid d found)) (familyMask 0 (laid d found)) (familyMask 1 (laid d found)) fun v mask =>
      withRows d v mask c.clauses fun rows => checkTallies c d u found 0 rows 0 .false
end Tracepact
