import Tracepact.Statements
/-! The pins of contracts on clips, and of their checks. -/
set_option autoImplicit false
set_option maxRecDepth 1000000
noncomputable section
namespace Tracepact.Pins
/-! ### A contract on a clip -/
example : Eq (Contract.step ⟨1, .touch, 2, 3, 4, 5, .nil⟩) 1 := rfl
example : Eq (Contract.projection ⟨1, .touch, 2, 3, 4, 5, .nil⟩) .touch := rfl
example : Eq (Contract.mergeGap ⟨1, .touch, 2, 3, 4, 5, .nil⟩) 2 := rfl
example : Eq (Contract.search ⟨1, .touch, 2, 3, 4, 5, .nil⟩) 3 := rfl
example : Eq (Contract.unit ⟨1, .touch, 2, 3, 4, 5, .nil⟩) 4 := rfl
example : Eq (Contract.reward ⟨1, .touch, 2, 3, 4, 5, .nil⟩) 5 := rfl
example : Eq (Contract.clauses ⟨1, .touch, 2, 3, 4, 5, .nil⟩) .nil := rfl
example : Eq (Sides.duration ⟨7, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩) 7 := rfl
example : Eq (Sides.refs ⟨7, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩) (.cons ⟨0, 2⟩ .nil) := rfl
example : Eq (Sides.preds ⟨7, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩) (.cons ⟨1, 3⟩ .nil) := rfl
example : Eq (timed 3 ⟨2, 5⟩) ⟨6, 15⟩ := rfl
example : Eq (allTimed 3 (.cons ⟨2, 5⟩ (.cons ⟨6, 7⟩ .nil))) (.cons ⟨6, 15⟩ (.cons ⟨18, 21⟩ .nil)) := rfl
-- A gap of one frame of 2 is joined by a merge gap of 2; the runs are then in units of time.
example : Eq (Contract.seen ⟨2, .centre, 2, 0, 1, 0, .nil⟩ (.cons ⟨0, 3⟩ (.cons ⟨4, 5⟩ (.cons ⟨8, 9⟩ .nil)))) (.cons ⟨0,
    10⟩ (.cons ⟨16, 18⟩ .nil)) := rfl
example : Eq (entryOf (.cons ⟨0, 1⟩ (.cons ⟨2, 3⟩ .nil)) 1) (.some ⟨2, 3⟩) := rfl
example : Eq (entryOf (.cons ⟨0, 1⟩ .nil) 1) .none := rfl
example : Eq (partnerOfRef 1 (.cons ⟨1, 5, .ofNat 0, 0, 0⟩ .nil)) (.some 5) := rfl
example : Eq (partnerOfRef 5 (.cons ⟨1, 5, .ofNat 0, 0, 0⟩ .nil)) .none := rfl
example : Eq (partnerOfPred 5 (.cons ⟨1, 5, .ofNat 0, 0, 0⟩ .nil)) (.some 1) := rfl
example : Eq (partnerOfPred 1 (.cons ⟨1, 5, .ofNat 0, 0, 0⟩ .nil)) .none := rfl
example : Eq (entryAt (.cons ⟨0, 1⟩ .nil) .none) .none := rfl
example : Eq (entryAt (.cons ⟨0, 1⟩ .nil) (.some 0)) (.some ⟨0, 1⟩) := rfl
-- Two references, of which the first is matched with the one prediction.
example : Eq (refObligations ⟨(.cons ⟨0, 2⟩ (.cons ⟨5, 6⟩ .nil)), (.cons ⟨1, 3⟩ .nil), .nil⟩ (.cons ⟨0, 0, .ofNat 2, 0,
    1⟩ .nil) 0 (.cons ⟨0, 2⟩ (.cons ⟨5, 6⟩ .nil))) (.cons ⟨.some ⟨0, 2⟩, .some ⟨1, 3⟩, ⟨(.cons ⟨0, 2⟩ (.cons ⟨5, 6⟩
    .nil)), (.cons ⟨1, 3⟩ .nil), .nil⟩⟩ (.cons ⟨.some ⟨5, 6⟩, .none, ⟨(.cons ⟨0, 2⟩ (.cons ⟨5, 6⟩ .nil)), (.cons ⟨1, 3⟩
    .nil), .nil⟩⟩ .nil)) := rfl
example : Eq (predObligations ⟨(.cons ⟨0, 2⟩ (.cons ⟨5, 6⟩ .nil)), (.cons ⟨1, 3⟩ .nil), .nil⟩ (.cons ⟨0, 0, .ofNat 2, 0,
    1⟩ .nil) 0 (.cons ⟨1, 3⟩ .nil)) (.cons ⟨.some ⟨0, 2⟩, .some ⟨1, 3⟩, ⟨(.cons ⟨0, 2⟩ (.cons ⟨5, 6⟩ .nil)), (.cons ⟨1,
    3⟩ .nil), .nil⟩⟩ .nil) := rfl
example : Eq (predObligations ⟨(.cons ⟨0, 2⟩ (.cons ⟨5, 6⟩ .nil)), (.cons ⟨1, 3⟩ .nil), .nil⟩ .nil 0 (.cons ⟨1, 3⟩
    .nil)) (.cons ⟨.none, .some ⟨1, 3⟩, ⟨(.cons ⟨0, 2⟩ (.cons ⟨5, 6⟩ .nil)), (.cons ⟨1, 3⟩ .nil), .nil⟩⟩ .nil) := rfl
example : Eq (matchedObligations ⟨(.cons ⟨0, 2⟩ (.cons ⟨5, 6⟩ .nil)), (.cons ⟨1, 3⟩ .nil), .nil⟩ (.cons ⟨0, 0, .ofNat 2,
    0, 1⟩ .nil)) (.cons ⟨.some ⟨0, 2⟩, .some ⟨1, 3⟩, ⟨(.cons ⟨0, 2⟩ (.cons ⟨5, 6⟩ .nil)), (.cons ⟨1, 3⟩ .nil), .nil⟩⟩
    .nil) := rfl
example (x : Scene) (m : List Candidate) : Eq (eventObligations x m Each.ref) (refObligations x m 0 x.refs) := rfl
example (x : Scene) (m : List Candidate) : Eq (eventObligations x m .pred) (predObligations x m 0 x.preds) := rfl
example (x : Scene) (m : List Candidate) : Eq (eventObligations x m .matched) (matchedObligations x m) := rfl
example : Eq (Counts.satisfied ⟨1, 2⟩) 1 := rfl
example : Eq (Counts.obligated ⟨1, 2⟩) 2 := rfl
example (t : Trace) (x : Scene) (m : List Candidate) (o f : Formula) : Eq (clauseCounts t x m (ContractClause.frame o
    f)) ⟨satisfied (eval t o) (eval t f) t.frames, obligations (eval t o) t.frames⟩ := rfl
example (t : Trace) : Eq (clauseCounts t ⟨(.cons ⟨0, 2⟩ (.cons ⟨5, 6⟩ .nil)), (.cons ⟨1, 3⟩ .nil), .nil⟩ (.cons ⟨0, 0,
    .ofNat 2, 0, 1⟩ .nil) (.event .ref .matched)) ⟨1, 2⟩ := rfl
example (t : Trace) : Eq (allCounts t ⟨(.cons ⟨0, 2⟩ (.cons ⟨5, 6⟩ .nil)), (.cons ⟨1, 3⟩ .nil), .nil⟩ (.cons ⟨0, 0,
    .ofNat 2, 0, 1⟩ .nil) (.cons (.event .ref .matched) (.cons (.event .pred .matched) .nil))) (.cons ⟨1, 2⟩ (.cons ⟨1,
    1⟩ .nil)) := rfl
example (c : Contract) (s : Sides) (n : Nat) : Eq (Contract.trace c s n) ⟨n, boundaryAtom (active c.projection c.step
    s.refs) (active c.projection c.step s.preds) (fun _ _ => .false)⟩ := rfl
example (c : Contract) (refs preds : List Interval) : Eq (Contract.scene c refs preds) ⟨c.seen refs, c.seen preds, .nil⟩
    := rfl
example (c : Contract) (x : Scene) : Eq (Contract.matching c x) (greedy (candidates c.search c.unit c.reward x.preds 0
    x.refs)) := rfl
example : Eq (isEmpty (.cons 1 .nil)) .false := rfl
example : Eq (isEmpty (List.nil : List Nat)) .true := rfl
example : Eq (ClipCounts.counts ⟨(.cons ⟨1, 2⟩ .nil), .true⟩) (.cons ⟨1, 2⟩ .nil) := rfl
example : Eq (ClipCounts.evidence ⟨.nil, .true⟩) .true := rfl
-- A reference at frames 0 and 1, a prediction at 1 and 2: one match, and one clause about it.
example : Eq (Contract.clipCounts ⟨1, .centre, 0, 9, 1, 0, (.cons (.event .matched (.constant .true)) .nil)⟩ ⟨6, (.cons
    ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩ 6) ⟨(.cons ⟨1, 1⟩ .nil), .true⟩ := rfl
example : Eq (Contract.clipCounts ⟨1, .centre, 0, 9, 1, 0, (.cons (.event .matched (.constant .true)) .nil)⟩ ⟨6, .nil,
    .nil⟩ 6) ⟨(.cons ⟨0, 0⟩ .nil), .false⟩ := rfl
example : Eq (Contract.clipCounts ⟨1, .centre, 0, 9, 1, 0, (.cons (.event .matched (.constant .true)) .nil)⟩ ⟨6, .nil,
    (.cons ⟨1, 3⟩ .nil)⟩ 6) ⟨(.cons ⟨0, 0⟩ .nil), .true⟩ := rfl
example (c : Contract) (s : Sides) (k : ClipCounts) : Eq (CountsTo c s k) (Exists fun n => And (IsFrameCount c.step
    s.duration n) (Eq (c.clipCounts s n) k)) := rfl

/-! ### The check of a clip -/
example : Eq (SideHints.projected ⟨(.cons ⟨0, 1⟩ .nil), (.cons ⟨2, 3⟩ .nil), (.cons ⟨4, 5⟩ .nil)⟩) (.cons ⟨0, 1⟩ .nil)
    := rfl
example : Eq (SideHints.runs ⟨(.cons ⟨0, 1⟩ .nil), (.cons ⟨2, 3⟩ .nil), (.cons ⟨4, 5⟩ .nil)⟩) (.cons ⟨2, 3⟩ .nil) := rfl
example : Eq (SideHints.seen ⟨(.cons ⟨0, 1⟩ .nil), (.cons ⟨2, 3⟩ .nil), (.cons ⟨4, 5⟩ .nil)⟩) (.cons ⟨4, 5⟩ .nil) := rfl
example (h : Hints) : Eq (Hints.mk h.frames h.folds h.ref h.pred h.listed h.matching) h := rfl
example : Eq (startsAfter 2 (.cons ⟨3, 6⟩ .nil)) .true := rfl
example : Eq (startsAfter 2 (.cons ⟨2, 6⟩ .nil)) .false := rfl
example : Eq (startsAfter 2 .nil) .true := rfl
example : Eq (wellPlaced 6 (.cons ⟨0, 2⟩ (.cons ⟨3, 6⟩ .nil))) .true := rfl
example : Eq (wellPlaced 6 (.cons ⟨0, 2⟩ (.cons ⟨2, 6⟩ .nil))) .false := rfl
example : Eq (wellPlaced 6 (.cons ⟨0, 7⟩ .nil)) .false := rfl
example : Eq (wellPlaced 6 (.cons ⟨2, 2⟩ .nil)) .false := rfl
example : Eq (sameIntervals (.cons ⟨0, 2⟩ .nil) (.cons ⟨0, 2⟩ .nil)) .true := rfl
example : Eq (sameIntervals (.cons ⟨0, 2⟩ .nil) (.cons ⟨0, 3⟩ .nil)) .false := rfl
example : Eq (sameIntervals (.cons ⟨0, 2⟩ .nil) (.cons ⟨1, 2⟩ .nil)) .false := rfl
example : Eq (sameIntervals (.cons ⟨0, 2⟩ .nil) .nil) .false := rfl
example : Eq (sameIntervals .nil (.cons ⟨0, 2⟩ .nil)) .false := rfl
example : Eq (sameCandidate ⟨1, 2, .ofNat 3, 4, 5⟩ ⟨1, 2, .ofNat 3, 4, 5⟩) .true := rfl
example : Eq (sameCandidate ⟨1, 2, .ofNat 3, 4, 5⟩ ⟨9, 2, .ofNat 3, 4, 5⟩) .false := rfl
example : Eq (sameCandidate ⟨1, 2, .ofNat 3, 4, 5⟩ ⟨1, 9, .ofNat 3, 4, 5⟩) .false := rfl
example : Eq (sameCandidate ⟨1, 2, .ofNat 3, 4, 5⟩ ⟨1, 2, .negSucc 3, 4, 5⟩) .false := rfl
example : Eq (sameCandidate ⟨1, 2, .ofNat 3, 4, 5⟩ ⟨1, 2, .ofNat 3, 9, 5⟩) .false := rfl
example : Eq (sameCandidate ⟨1, 2, .ofNat 3, 4, 5⟩ ⟨1, 2, .ofNat 3, 4, 9⟩) .false := rfl
example : Eq (sameCandidates (.cons ⟨1, 2, .ofNat 3, 4, 5⟩ .nil) (.cons ⟨1, 2, .ofNat 3, 4, 5⟩ .nil)) .true := rfl
example : Eq (sameCandidates (.cons ⟨1, 2, .ofNat 3, 4, 5⟩ .nil) .nil) .false := rfl
example : Eq (sameCandidates .nil (.cons ⟨1, 2, .ofNat 3, 4, 5⟩ .nil)) .false := rfl
example : Eq (sameCandidates (.cons ⟨1, 2, .ofNat 3, 4, 5⟩ .nil) (.cons ⟨1, 2, .ofNat 4, 4, 5⟩ .nil)) .false := rfl
example : Eq (checkSide ⟨1, .centre, 0, 9, 1, 0, (.cons (.event .matched (.constant .true)) .nil)⟩ 6 (.cons ⟨0, 2⟩ .nil)
    ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩) .true := rfl
example : Eq (checkSide ⟨1, .centre, 0, 9, 1, 0, (.cons (.event .matched (.constant .true)) .nil)⟩ 6 (.cons ⟨0, 2⟩ .nil)
    ⟨(.cons ⟨0, 3⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩) .false := rfl
example : Eq (checkSide ⟨1, .centre, 0, 9, 1, 0, (.cons (.event .matched (.constant .true)) .nil)⟩ 6 (.cons ⟨0, 2⟩ .nil)
    ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 3⟩ .nil), (.cons ⟨0, 3⟩ .nil)⟩) .false := rfl
example : Eq (checkSide ⟨1, .centre, 0, 9, 1, 0, (.cons (.event .matched (.constant .true)) .nil)⟩ 6 (.cons ⟨0, 2⟩ .nil)
    ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 3⟩ .nil)⟩) .false := rfl
example : Eq (Hints.scene ⟨6, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil),
    (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩
    .nil)⟩) ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil), .nil⟩ := rfl
example : Eq (sixMasks 10 11 12 13 14 15 0) 10 := rfl
example : Eq (sixMasks 10 11 12 13 14 15 1) 11 := rfl
example : Eq (sixMasks 10 11 12 13 14 15 2) 12 := rfl
example : Eq (sixMasks 10 11 12 13 14 15 3) 13 := rfl
example : Eq (sixMasks 10 11 12 13 14 15 4) 14 := rfl
example : Eq (sixMasks 10 11 12 13 14 15 5) 15 := rfl
example : Eq (sixMasks 10 11 12 13 14 15 6) 0 := rfl
-- The masks of the reference 1, 2, 4 and the prediction 1, 2, with their onsets and offsets in six frames.
example : Eq (withMasks 6 0x16 6 fun v mask => band (Nat.beq v 0x3f) (Nat.beq (mask 0) 0x16)) .true := rfl
example : Eq (withMasks 6 0x16 6 fun v mask => band (Nat.beq v 0x3f) (Nat.beq (mask 1) 0x12)) .true := rfl
example : Eq (withMasks 6 0x16 6 fun v mask => band (Nat.beq v 0x3f) (Nat.beq (mask 2) 0x28)) .true := rfl
example : Eq (withMasks 6 0x16 6 fun v mask => band (Nat.beq v 0x3f) (Nat.beq (mask 3) 6)) .true := rfl
example : Eq (withMasks 6 0x16 6 fun v mask => band (Nat.beq v 0x3f) (Nat.beq (mask 4) 2)) .true := rfl
example : Eq (withMasks 6 0x16 6 fun v mask => band (Nat.beq v 0x3f) (Nat.beq (mask 5) 8)) .true := rfl
example : Eq (checkFrames 3 6 0x3f (numbered (.cons 0x16 (.cons 6 .nil))) (.atom 0) (.atom 1) ⟨2, 3⟩) .true := rfl
example : Eq (checkFrames 3 6 0x3f (numbered (.cons 0x16 (.cons 6 .nil))) (.atom 0) (.atom 1) ⟨3, 3⟩) .false := rfl
example : Eq (checkFrames 3 6 0x3f (numbered (.cons 0x16 (.cons 6 .nil))) (.atom 0) (.atom 1) ⟨2, 2⟩) .false := rfl
example : Eq (sameCounts ⟨1, 2⟩ ⟨1, 2⟩) .true := rfl
example : Eq (sameCounts ⟨1, 2⟩ ⟨1, 3⟩) .false := rfl
example : Eq (sameCounts ⟨1, 2⟩ ⟨2, 2⟩) .false := rfl
example : Eq (checkClause ⟨6, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil),
    (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩
    0x3f (numbered (.cons 0x16 (.cons 6 .nil))) (.frame (.atom 0) (.atom 1)) ⟨2, 3⟩) .true := rfl
example : Eq (checkClause ⟨6, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil),
    (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩
    0x3f (numbered (.cons 0x16 (.cons 6 .nil))) (.frame (.atom 0) (.atom 1)) ⟨1, 3⟩) .false := rfl
example : Eq (checkClause ⟨6, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil),
    (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩
    0 (numbered .nil) (.event .matched (.constant .true)) ⟨1, 1⟩) .true := rfl
example : Eq (checkClause ⟨6, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil),
    (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩
    0 (numbered .nil) (.event .matched (.constant .true)) ⟨0, 1⟩) .false := rfl
example : Eq (checkClauses ⟨6, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil),
    (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩
    0 (numbered .nil) (.cons (.event .matched (.constant .true)) .nil) (.cons ⟨1, 1⟩ .nil)) .true := rfl
example : Eq (checkClauses ⟨6, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil),
    (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩
    0 (numbered .nil) (.cons (.event .matched (.constant .true)) .nil) .nil) .false := rfl
example : Eq (checkClauses ⟨6, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil),
    (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩
    0 (numbered .nil) .nil (.cons ⟨1, 1⟩ .nil)) .false := rfl
example : Eq (checkClauses ⟨6, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil),
    (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩
    0 (numbered .nil) (.cons (.event .matched (.constant .true)) (.cons (.event .matched (.constant .true)) .nil))
    (.cons ⟨1, 1⟩ (.cons ⟨0, 1⟩ .nil))) .false := rfl
example : Eq (checkClip ⟨1, .centre, 0, 9, 1, 0, (.cons (.event .matched (.constant .true)) .nil)⟩ ⟨6, (.cons ⟨0, 2⟩
    .nil), (.cons ⟨1, 3⟩ .nil)⟩ ⟨6, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩
    .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩
    .nil)⟩ ⟨(.cons ⟨1, 1⟩ .nil), .true⟩) .true := rfl
-- Not with another count, without the evidence, with other frames, too few folds, or another matching.
example : Eq (checkClip ⟨1, .centre, 0, 9, 1, 0, (.cons (.event .matched (.constant .true)) .nil)⟩ ⟨6, (.cons ⟨0, 2⟩
    .nil), (.cons ⟨1, 3⟩ .nil)⟩ ⟨6, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩
    .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩
    .nil)⟩ ⟨(.cons ⟨0, 1⟩ .nil), .true⟩) .false := rfl
example : Eq (checkClip ⟨1, .centre, 0, 9, 1, 0, (.cons (.event .matched (.constant .true)) .nil)⟩ ⟨6, (.cons ⟨0, 2⟩
    .nil), (.cons ⟨1, 3⟩ .nil)⟩ ⟨6, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩
    .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩
    .nil)⟩ ⟨(.cons ⟨1, 1⟩ .nil), .false⟩) .false := rfl
example : Eq (checkClip ⟨1, .centre, 0, 9, 1, 0, (.cons (.event .matched (.constant .true)) .nil)⟩ ⟨6, (.cons ⟨0, 2⟩
    .nil), (.cons ⟨1, 3⟩ .nil)⟩ ⟨7, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩
    .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩
    .nil)⟩ ⟨(.cons ⟨1, 1⟩ .nil), .true⟩) .false := rfl
example : Eq (checkClip ⟨1, .centre, 0, 9, 1, 0, (.cons (.event .matched (.constant .true)) .nil)⟩ ⟨6, (.cons ⟨0, 2⟩
    .nil), (.cons ⟨1, 3⟩ .nil)⟩ ⟨5, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩
    .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩
    .nil)⟩ ⟨(.cons ⟨1, 1⟩ .nil), .true⟩) .false := rfl
example : Eq (checkClip ⟨1, .centre, 0, 9, 1, 0, (.cons (.event .matched (.constant .true)) .nil)⟩ ⟨6, (.cons ⟨0, 2⟩
    .nil), (.cons ⟨1, 3⟩ .nil)⟩ ⟨6, 2, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩
    .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), (.cons ⟨0, 0, .ofNat 2, 0, 1⟩
    .nil)⟩ ⟨(.cons ⟨1, 1⟩ .nil), .true⟩) .false := rfl
example : Eq (checkClip ⟨1, .centre, 0, 9, 1, 0, (.cons (.event .matched (.constant .true)) .nil)⟩ ⟨6, (.cons ⟨0, 2⟩
    .nil), (.cons ⟨1, 3⟩ .nil)⟩ ⟨6, 3, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩
    .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil), .nil⟩ ⟨(.cons ⟨0, 0⟩ .nil),
    .true⟩) .false := rfl

end Tracepact.Pins
