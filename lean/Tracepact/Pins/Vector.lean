import Tracepact.Statements
/-! The pins of tallies, of the vector of a family, and of the check of a block of clips. -/
set_option autoImplicit false
set_option maxRecDepth 1000000
noncomputable section
namespace Tracepact.Pins
/-! ### Values: rules 7.2 to 7.4 -/
example : Eq (frameValue 3 0) ⟨1, 1, .true⟩ := rfl
example : Eq (frameValue 3 5) ⟨3, 5, .false⟩ := rfl
example (o f : Formula) (b : Bool) : Eq (clauseValue (.frame o f) b ⟨0, 0⟩) ⟨1, 1, .true⟩ := rfl
example (o f : Formula) (b : Bool) : Eq (clauseValue (.frame o f) b ⟨3, 5⟩) ⟨3, 5, .false⟩ := rfl
example (e : Each) (p : Predicate) : Eq (clauseValue (.event e p) .false ⟨0, 0⟩) ⟨1, 1, .true⟩ := rfl
example (e : Each) (p : Predicate) : Eq (clauseValue (.event e p) .true ⟨0, 0⟩) ⟨0, 1, .false⟩ := rfl
example (e : Each) (p : Predicate) : Eq (clauseValue (.event e p) .true ⟨2, 3⟩) ⟨2, 3, .false⟩ := rfl
/-! ### Tallies -/
example : Eq (Fraction.plus ⟨1, 2⟩ ⟨1, 3⟩) ⟨5, 6⟩ := rfl
example : Eq (Fraction.numerator ⟨1, 2⟩) 1 := rfl
example : Eq (Fraction.denominator ⟨1, 2⟩) 2 := rfl
example : Eq (Tally.satisfied ⟨1, 2, ⟨3, 4⟩⟩) 1 := rfl
example : Eq (Tally.obligated ⟨1, 2, ⟨3, 4⟩⟩) 2 := rfl
example : Eq (Tally.values ⟨1, 2, ⟨3, 4⟩⟩) ⟨3, 4⟩ := rfl
example : Eq (ClassTally.clips ⟨.nil, 4, .true⟩) 4 := rfl
example (t : ClassTally) : Eq (ClassTally.mk t.clauses t.clips t.evidence) t := rfl
-- Three clips with 1 of 2 each: 3 of 6, and three times a half.
example : Eq (tallyOf 3 ⟨1, 2, .false⟩ ⟨1, 2⟩) ⟨3, 6, ⟨3, 2⟩⟩ := rfl
example (o f : Formula) (e : Each) (p : Predicate) : Eq (talliesOf 3 .true (.cons (.frame o f) (.cons (.event e p)
    .nil)) (.cons ⟨0, 0⟩ (.cons ⟨0, 0⟩ .nil))) (.cons ⟨0, 0, ⟨3, 1⟩⟩ (.cons ⟨0, 0, ⟨0, 1⟩⟩ .nil)) := rfl
example (e : Each) (p : Predicate) : Eq (talliesOf 3 .false (.cons (.event e p) .nil) (.cons ⟨0, 0⟩ .nil)) (.cons ⟨0,
    0, ⟨3, 1⟩⟩ .nil) := rfl
example : Eq (talliesOf 3 .true .nil .nil) .nil := rfl
example : Eq (Tally.plus ⟨1, 2, ⟨1, 2⟩⟩ ⟨4, 5, ⟨1, 3⟩⟩) ⟨5, 7, ⟨5, 6⟩⟩ := rfl
example : Eq (addTallies (.cons ⟨1, 2, ⟨1, 2⟩⟩ .nil) (.cons ⟨4, 5, ⟨1, 3⟩⟩ .nil)) (.cons ⟨5, 7, ⟨5, 6⟩⟩ .nil) := rfl
example : Eq (addTallies .nil (.cons ⟨4, 5, ⟨1, 3⟩⟩ .nil)) .nil := rfl
example : Eq (ClassTally.plus ⟨(.cons ⟨1, 2, ⟨1, 2⟩⟩ .nil), 3, .false⟩ ⟨(.cons ⟨4, 5, ⟨1, 3⟩⟩ .nil), 4, .true⟩)
    ⟨(.cons ⟨5, 7, ⟨5, 6⟩⟩ .nil), 7, .true⟩ := rfl
example : Eq (repeated 8 (.cons 9 .nil) 0) (.cons 8 (.cons 9 .nil)) := rfl
example : Eq (repeated 8 (.cons 9 .nil) 2) (.cons 8 (.cons 8 (.cons 8 (.cons 9 .nil)))) := rfl
example (o f : Formula) : Eq (noTallies (.cons (.frame o f) (.cons (.frame o f) .nil))) (.cons ⟨0, 0, ⟨0, 1⟩⟩ (.cons
    ⟨0, 0, ⟨0, 1⟩⟩ .nil)) := rfl
example (c : Contract) (l : List Sides) (u : ClassTally) (h : Tallied c l u) :
    Or (And (Eq l .nil) (Eq u ⟨noTallies c.clauses, 0, .false⟩)) (Or
      (Exists fun s => Exists fun k => Exists fun rest => Exists fun t => Exists fun n => And
        (And (CountsTo c s k) (Tallied c rest t)) (And (Eq l (repeated s rest n))
          (Eq u ⟨addTallies (talliesOf (.succ n) k.evidence c.clauses k.counts) t.clauses, Nat.add (.succ n) t.clips,
            bor k.evidence t.evidence⟩)))
      (Exists fun a => Exists fun b => Exists fun t => Exists fun v => And (And (Tallied c a t) (Tallied c b v))
        (And (Eq l (append a b)) (Eq u (t.plus v))))) :=
  match l, u, h with
  | _, _, .none => .inl ⟨rfl, rfl⟩
  | _, _, .more n k t => .inr (.inl ⟨_, _, _, _, n, ⟨k, t⟩, rfl, rfl⟩)
  | _, _, .both a b => .inr (.inr ⟨_, _, _, _, ⟨a, b⟩, rfl, rfl⟩)
example (c : Contract) (u : List ClassTally) (h : ClassesTallied c .nil u) : Eq u .nil :=
  match u, h with
  | _, .none => rfl
example (c : Contract) (l : List Sides) (rest : List (List Sides)) (u : List ClassTally)
    (h : ClassesTallied c (.cons l rest) u) : Exists fun t => Exists fun more =>
      And (And (Tallied c l t) (ClassesTallied c rest more)) (Eq u (.cons t more)) :=
  match u, h with
  | _, .more a b => ⟨_, _, ⟨a, b⟩, rfl⟩
/-! ### Scores: rule 7.5 -/
example : Eq (sameValue ⟨1, 2, .true⟩ ⟨1, 2, .true⟩) .true := rfl
example : Eq (sameValue ⟨1, 2, .true⟩ ⟨2, 2, .true⟩) .false := rfl
example : Eq (sameValue ⟨1, 2, .true⟩ ⟨1, 3, .true⟩) .false := rfl
example : Eq (sameValue ⟨1, 2, .true⟩ ⟨1, 2, .false⟩) .false := rfl
example : Eq (ClauseScore.pooled ⟨⟨1, 2, .false⟩, ⟨3, 4⟩, ⟨5, 6⟩, ⟨7, 8⟩⟩) ⟨1, 2, .false⟩ := rfl
example : Eq (ClauseScore.macroClips ⟨⟨1, 2, .false⟩, ⟨3, 4⟩, ⟨5, 6⟩, ⟨7, 8⟩⟩) ⟨3, 4⟩ := rfl
example : Eq (ClauseScore.macroClasses ⟨⟨1, 2, .false⟩, ⟨3, 4⟩, ⟨5, 6⟩, ⟨7, 8⟩⟩) ⟨5, 6⟩ := rfl
example : Eq (ClauseScore.macroClassesInformative ⟨⟨1, 2, .false⟩, ⟨3, 4⟩, ⟨5, 6⟩, ⟨7, 8⟩⟩) ⟨7, 8⟩ := rfl
example : Eq (firsts (.cons ⟨(.cons ⟨1, 2, ⟨1, 2⟩⟩ (.cons ⟨0, 0, ⟨1, 1⟩⟩ .nil)), 3, .true⟩ (.cons ⟨.nil, 4, .false⟩
    .nil))) (.cons ⟨⟨1, 2, ⟨1, 2⟩⟩, .true⟩ .nil) := rfl
example : Eq (others (.cons ⟨(.cons ⟨1, 2, ⟨1, 2⟩⟩ (.cons ⟨0, 0, ⟨1, 1⟩⟩ .nil)), 3, .true⟩ (.cons ⟨.nil, 4, .false⟩
    .nil))) (.cons ⟨(.cons ⟨0, 0, ⟨1, 1⟩⟩ .nil), 3, .true⟩ (.cons ⟨.nil, 4, .false⟩ .nil)) := rfl
example (x : ClassEntry) : Eq (ClassEntry.mk x.tally x.evidence) x := rfl
example : Eq (totalIn (fun x => x.tally.obligated) (.cons ⟨⟨1, 2, ⟨1, 2⟩⟩, .true⟩ (.cons ⟨⟨0, 0, ⟨1, 1⟩⟩, .false⟩
    .nil))) 2 := rfl
example : Eq (anyEvidence (.cons ⟨⟨1, 2, ⟨1, 2⟩⟩, .true⟩ (.cons ⟨⟨0, 0, ⟨1, 1⟩⟩, .false⟩ .nil))) .true := rfl
example : Eq (anyEvidence (.cons ⟨⟨0, 0, ⟨1, 1⟩⟩, .false⟩ .nil)) .false := rfl
-- A frame clause with 1 of 2 in one class, none in the other; an event clause likewise, where runs are there.
example (o f : Formula) : Eq (classValues (.frame o f) (.cons ⟨⟨1, 2, ⟨1, 2⟩⟩, .true⟩ (.cons ⟨⟨0, 0, ⟨1, 1⟩⟩, .false⟩
    .nil))) (.cons ⟨1, 2, .false⟩ (.cons ⟨1, 1, .true⟩ .nil)) := rfl
example (e : Each) (p : Predicate) : Eq (classValues (.event e p) (.cons ⟨⟨1, 2, ⟨1, 2⟩⟩, .true⟩ (.cons ⟨⟨0, 0, ⟨1,
    1⟩⟩, .true⟩ .nil))) (.cons ⟨1, 2, .false⟩ (.cons ⟨0, 1, .false⟩ .nil)) := rfl
example : Eq (informative (.cons ⟨1, 2, .false⟩ (.cons ⟨1, 1, .true⟩ .nil))) (.cons ⟨1, 2, .false⟩ .nil) := rfl
example : Eq (informative (.cons ⟨1, 1, .true⟩ .nil)) .nil := rfl
example : Eq (sumOfValues (.cons ⟨1, 2, .false⟩ (.cons ⟨1, 1, .true⟩ .nil))) ⟨3, 2⟩ := rfl
example : Eq (sumOfValues .nil) ⟨0, 1⟩ := rfl
example : Eq (sumOfEntries (.cons ⟨⟨1, 2, ⟨1, 2⟩⟩, .true⟩ (.cons ⟨⟨0, 0, ⟨1, 1⟩⟩, .false⟩ .nil))) ⟨3, 2⟩ := rfl
example : Eq (sumOfEntries .nil) ⟨0, 1⟩ := rfl
example : Eq (isMean ⟨3, 2⟩ 2 ⟨3, 4⟩) .true := rfl
example : Eq (isMean ⟨3, 2⟩ 2 ⟨6, 8⟩) .true := rfl
example : Eq (isMean ⟨3, 2⟩ 2 ⟨1, 2⟩) .false := rfl
example : Eq (isMean ⟨3, 2⟩ 2 ⟨0, 0⟩) .false := rfl
example : Eq (isMean ⟨3, 2⟩ 0 ⟨0, 1⟩) .false := rfl
example : Eq (isMeanOf ⟨3, 4⟩ (.cons ⟨1, 2, .false⟩ (.cons ⟨1, 1, .true⟩ .nil))) .true := rfl
example : Eq (isMeanOf ⟨1, 2⟩ (.cons ⟨1, 2, .false⟩ (.cons ⟨1, 1, .true⟩ .nil))) .false := rfl
example : Eq (isMeanOf ⟨1, 1⟩ .nil) .true := rfl
example : Eq (isMeanOf ⟨0, 1⟩ .nil) .false := rfl
-- Two classes with three clips each; the values add up to 1/2 and to 3.
example (o f : Formula) : Eq (scoreFits 3 (.frame o f) (.cons ⟨⟨1, 2, ⟨1, 2⟩⟩, .true⟩ (.cons ⟨⟨0, 0, ⟨3, 1⟩⟩, .false⟩
    .nil)) ⟨⟨1, 2, .false⟩, ⟨7, 12⟩, ⟨3, 4⟩, ⟨1, 2⟩⟩) .true := rfl
example (o f : Formula) : Eq (scoreFits 3 (.frame o f) (.cons ⟨⟨1, 2, ⟨1, 2⟩⟩, .true⟩ (.cons ⟨⟨0, 0, ⟨3, 1⟩⟩, .false⟩
    .nil)) ⟨⟨1, 3, .false⟩, ⟨7, 12⟩, ⟨3, 4⟩, ⟨1, 2⟩⟩) .false := rfl
example (o f : Formula) : Eq (scoreFits 3 (.frame o f) (.cons ⟨⟨1, 2, ⟨1, 2⟩⟩, .true⟩ (.cons ⟨⟨0, 0, ⟨3, 1⟩⟩, .false⟩
    .nil)) ⟨⟨1, 2, .false⟩, ⟨7, 6⟩, ⟨3, 4⟩, ⟨1, 2⟩⟩) .false := rfl
example (o f : Formula) : Eq (scoreFits 3 (.frame o f) (.cons ⟨⟨1, 2, ⟨1, 2⟩⟩, .true⟩ (.cons ⟨⟨0, 0, ⟨3, 1⟩⟩, .false⟩
    .nil)) ⟨⟨1, 2, .false⟩, ⟨7, 12⟩, ⟨1, 2⟩, ⟨1, 2⟩⟩) .false := rfl
example (o f : Formula) : Eq (scoreFits 3 (.frame o f) (.cons ⟨⟨1, 2, ⟨1, 2⟩⟩, .true⟩ (.cons ⟨⟨0, 0, ⟨3, 1⟩⟩, .false⟩
    .nil)) ⟨⟨1, 2, .false⟩, ⟨7, 12⟩, ⟨3, 4⟩, ⟨3, 4⟩⟩) .false := rfl
example (o f : Formula) : Eq (scoresFit 3 (.cons (.frame o f) .nil) (.cons ⟨(.cons ⟨1, 2, ⟨1, 2⟩⟩ .nil), 3, .true⟩
    (.cons ⟨(.cons ⟨0, 0, ⟨3, 1⟩⟩ .nil), 3, .false⟩ .nil)) (.cons ⟨⟨1, 2, .false⟩, ⟨7, 12⟩, ⟨3, 4⟩, ⟨1, 2⟩⟩ .nil))
    .true := rfl
example (o f : Formula) : Eq (scoresFit 3 (.cons (.frame o f) .nil) (.cons ⟨(.cons ⟨1, 2, ⟨1, 2⟩⟩ .nil), 3, .true⟩
    (.cons ⟨(.cons ⟨0, 0, ⟨3, 1⟩⟩ .nil), 3, .false⟩ .nil)) (.cons ⟨⟨1, 2, .false⟩, ⟨7, 12⟩, ⟨3, 4⟩, ⟨1, 1⟩⟩ .nil))
    .false := rfl
example (o f : Formula) : Eq (scoresFit 3 (.cons (.frame o f) .nil) (.cons ⟨(.cons ⟨1, 2, ⟨1, 2⟩⟩ .nil), 3, .true⟩
    (.cons ⟨(.cons ⟨0, 0, ⟨3, 1⟩⟩ .nil), 3, .false⟩ .nil)) .nil) .false := rfl
example : Eq (scoresFit 3 .nil (.cons ⟨(.cons ⟨1, 2, ⟨1, 2⟩⟩ .nil), 3, .true⟩ (.cons ⟨(.cons ⟨0, 0, ⟨3, 1⟩⟩ .nil), 3,
    .false⟩ .nil)) (.cons ⟨⟨1, 2, .false⟩, ⟨7, 12⟩, ⟨3, 4⟩, ⟨1, 2⟩⟩ .nil)) .false := rfl
example : Eq (haveClips 3 (.cons ⟨(.cons ⟨1, 2, ⟨1, 2⟩⟩ .nil), 3, .true⟩ (.cons ⟨(.cons ⟨0, 0, ⟨3, 1⟩⟩ .nil), 3,
    .false⟩ .nil))) .true := rfl
example : Eq (haveClips 4 (.cons ⟨(.cons ⟨1, 2, ⟨1, 2⟩⟩ .nil), 3, .true⟩ (.cons ⟨(.cons ⟨0, 0, ⟨3, 1⟩⟩ .nil), 3,
    .false⟩ .nil))) .false := rfl
example (c : Contract) (family : List (List Sides)) (scores : List ClauseScore) : Eq (ScoresTo c family scores)
    (Exists fun clips => Exists fun tallies => And (ClassesTallied c family tallies) (Eq (band (haveClips clips
    tallies) (scoresFit clips c.clauses tallies scores)) .true)) := rfl
/-! ### What is found about a clip -/
example : Eq (forceNats (.cons 1 (.cons 2 .nil)) fun l => Nat.beq (length l) 2) .true := rfl
example : Eq (forceIntervals (.cons ⟨1, 2⟩ .nil) fun l => sameIntervals l (.cons ⟨1, 2⟩ .nil)) .true := rfl
example : Eq (forceInt (.negSucc 3) fun x => intSame x (.negSucc 3)) .true := rfl
example : Eq (forceInt (.ofNat 3) fun x => intSame x (.ofNat 3)) .true := rfl
example : Eq (forceCandidates (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil) fun l => sameCandidates l (.cons ⟨0, 0, .ofNat 2, 0,
    1⟩ .nil)) .true := rfl
example : Eq (roundedUp 7 3) 3 := rfl
example : Eq (roundedUp 6 3) 2 := rfl
example : Eq (roundedUp 0 3) 0 := rfl
example : Eq (firstFrame 2 5 .centre) 2 := rfl
example : Eq (frameBehind 2 7 .centre) 3 := rfl
example : Eq (firstFrame 2 5 .touch) 2 := rfl
example : Eq (frameBehind 2 7 .touch) 4 := rfl
example : Eq (firstFrame 2 5 .inside) 3 := rfl
example : Eq (frameBehind 2 7 .inside) 3 := rfl
example : Eq (project .centre 2 (.cons ⟨5, 7⟩ (.cons ⟨4, 4⟩ .nil))) (.cons ⟨2, 3⟩ (.cons ⟨0, 0⟩ .nil)) := rfl
example : Eq (insertRun (.cons ⟨4, 6⟩ .nil) ⟨1, 3⟩) (.cons ⟨1, 3⟩ (.cons ⟨4, 6⟩ .nil)) := rfl
example : Eq (insertRun (.cons ⟨4, 6⟩ .nil) ⟨1, 4⟩) (.cons ⟨1, 6⟩ .nil) := rfl
example : Eq (insertRun (.cons ⟨4, 6⟩ .nil) ⟨7, 8⟩) (.cons ⟨4, 6⟩ (.cons ⟨7, 8⟩ .nil)) := rfl
example : Eq (unite 8 (.cons ⟨7, 9⟩ (.cons ⟨1, 3⟩ (.cons ⟨2, 5⟩ (.cons ⟨6, 6⟩ .nil))))) (.cons ⟨1, 5⟩ (.cons ⟨7, 8⟩
    .nil)) := rfl
example : Eq (findSide ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched (.constant
    .true)) .nil))⟩ 6 (.cons ⟨0, 2⟩ .nil)) ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩ := rfl
example : Eq (findMatching ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ (.cons ⟨0, 2⟩ .nil) (.cons ⟨1, 3⟩ .nil)) (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil) := rfl
example : Eq (findFrames ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩) 6 := rfl
example : Eq (findHints ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩) ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0,
    2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil, (.cons ⟨0,
    0, .ofNat 2, 0, 1⟩ .nil)⟩ := rfl
example : Eq (withSide ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched (.constant
    .true)) .nil))⟩ 6 (.cons ⟨0, 2⟩ .nil) fun h => sameIntervals h.seen (.cons ⟨0, 2⟩ .nil)) .true := rfl
example : Eq (withHints ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩ fun h => sameCandidates h.matching (.cons
    ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)) .true := rfl
example : Eq (checkRuns ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 6 (.cons ⟨0, 2⟩ .nil) (.cons ⟨0, 2⟩ .nil) (.cons ⟨0, 2⟩ .nil)) .true := rfl
example : Eq (checkRuns ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 6 (.cons ⟨0, 2⟩ .nil) (.cons ⟨0, 3⟩ .nil) (.cons ⟨0, 3⟩ .nil)) .false := rfl
example : Eq (checkRuns ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 6 (.cons ⟨0, 2⟩ .nil) (.cons ⟨0, 2⟩ .nil) (.cons ⟨0, 1⟩ .nil)) .false := rfl
example : Eq (checkRuns ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 6 (.cons ⟨0, 2⟩ .nil) (.cons ⟨0, 2⟩ .nil) (.cons ⟨0, 1⟩ (.cons ⟨1, 2⟩ .nil))) .false :=
    rfl
/-! ### A block of clips -/
example (x : Item) : Eq (Item.mk x.again x.sides) x := rfl
example (x : Found) : Eq (Found.mk x.item x.hints) x := rfl
example : Eq (findAll ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched (.constant
    .true)) .nil))⟩ (.cons ⟨4, ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩ .nil)) (.cons ⟨⟨4, ⟨6, (.cons ⟨0, 2⟩
    .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩, ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1,
    3⟩ .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩⟩ .nil) := rfl
example : Eq (withAll ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched (.constant
    .true)) .nil))⟩ (.cons ⟨4, ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩ .nil) fun l => Nat.beq (length l) 1)
    .true := rfl
example : Eq (stacked (.cons ⟨6, .nil, .nil⟩ .nil) (.cons ⟨1, ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩ (.cons
    ⟨0, ⟨6, .nil, .nil⟩⟩ .nil))) (.cons ⟨6, .nil, .nil⟩ (.cons ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩ (.cons
    ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩ (.cons ⟨6, .nil, .nil⟩ .nil)))) := rfl
example : Eq (activityMask ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩
    .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩ 0) 3 := rfl
example : Eq (activityMask ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩
    .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩ 1) 6 := rfl
example : Eq (laid 3 (.cons ⟨⟨4, ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩, ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil), (.cons
    ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil, (.cons
    ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩⟩ .nil)) (.cons ⟨⟨6, activityMask ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil),
    (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil, (.cons ⟨0, 0, .ofNat
    2, 0, 1⟩ .nil)⟩⟩, 8⟩ .nil) := rfl
example : Eq (withLaid 0x3f 3 6 fun v mask => band (Nat.beq v 0x3f) (Nat.beq (mask 0) 3)) .true := rfl
example : Eq (withLaid 0x3f 3 6 fun v mask => band (Nat.beq v 0x3f) (Nat.beq (mask 1) 1)) .true := rfl
example : Eq (withLaid 0x3f 3 6 fun v mask => band (Nat.beq v 0x3f) (Nat.beq (mask 2) 4)) .true := rfl
example : Eq (withLaid 0x3f 3 6 fun v mask => band (Nat.beq v 0x3f) (Nat.beq (mask 3) 6)) .true := rfl
example : Eq (withLaid 0x3f 3 6 fun v mask => band (Nat.beq v 0x3f) (Nat.beq (mask 4) 2)) .true := rfl
example : Eq (withLaid 0x3f 3 6 fun v mask => band (Nat.beq v 0x3f) (Nat.beq (mask 5) 8)) .true := rfl
example (x : Row) : Eq (Row.mk x.clause x.satisfied x.obligated x.tally) x := rfl
example : Eq noTally ⟨0, 0, ⟨0, 1⟩⟩ := rfl
example : Eq (readCounter (rowOf 3 0x3f (sixMasks 3 1 4 6 2 8) (.frame (.atom 0) (.atom 3))).satisfied 0) 1 := rfl
example : Eq (readCounter (rowOf 3 0x3f (sixMasks 3 1 4 6 2 8) (.frame (.atom 0) (.atom 3))).obligated 0) 2 := rfl
example : Eq (rowOf 3 0x3f (sixMasks 3 1 4 6 2 8) (.event .matched (.constant .true))) ⟨(.event .matched (.constant
    .true)), .nil, .nil, noTally⟩ := rfl
example : Eq (rowsOf 3 0x3f (sixMasks 3 1 4 6 2 8) (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))) (.cons (rowOf 3 0x3f (sixMasks 3 1 4 6 2 8) (.frame (.atom 0) (.atom 3))) (.cons (rowOf
    3 0x3f (sixMasks 3 1 4 6 2 8) (.event .matched (.constant .true))) .nil)) := rfl
example : Eq (withRow 3 0x3f (sixMasks 3 1 4 6 2 8) (fun x => band (Nat.beq (readCounter x.satisfied 0) 1) (Nat.beq
    (readCounter x.obligated 0) 2)) (.frame (.atom 0) (.atom 3))) .true := rfl
example : Eq (withRows 3 0x3f (sixMasks 3 1 4 6 2 8) (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil)) fun rows => Nat.beq (length rows) 2) .true := rfl
-- Bit 1 of the slices 2, 3 and 0: one and two.
example : Eq (readCounter (.cons 2 (.cons 3 (.cons 0 .nil))) 1) 3 := rfl
example : Eq (readCounter (.cons 2 (.cons 3 (.cons 0 .nil))) 0) 2 := rfl
example : Eq (rowCounts ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil),
    (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩ 0 ⟨(.frame (.atom 0) (.atom
    3)), (.cons 1 .nil), (.cons 0 (.cons 1 .nil)), ⟨5, 6, ⟨1, 1⟩⟩⟩) ⟨1, 2⟩ := rfl
example : Eq (rowCounts ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil),
    (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩ 0 ⟨(.event .matched
    (.constant .true)), .nil, .nil, noTally⟩) ⟨1, 1⟩ := rfl
example : Eq (hasEvidence ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩
    .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩) .true := rfl
example : Eq (hasEvidence ⟨6, 0, ⟨.nil, .nil, .nil⟩, ⟨.nil, .nil, .nil⟩, .nil, .nil⟩) .false := rfl
example : Eq (rowTally 3 .true ⟨(.frame (.atom 0) (.atom 3)), (.cons 1 .nil), (.cons 0 (.cons 1 .nil)), ⟨5, 6, ⟨1,
    1⟩⟩⟩ ⟨1, 2⟩) ⟨8, 12, ⟨5, 2⟩⟩ := rfl
example : Eq (nextRow ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil),
    (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩ 0 3 .true ⟨(.frame (.atom 0)
    (.atom 3)), (.cons 1 .nil), (.cons 0 (.cons 1 .nil)), ⟨5, 6, ⟨1, 1⟩⟩⟩) ⟨(.frame (.atom 0) (.atom 3)), (.cons 1
    .nil), (.cons 0 (.cons 1 .nil)), ⟨8, 12, ⟨5, 2⟩⟩⟩ := rfl
example : Eq (nextRows ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil),
    (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩ 0 3 .true (.cons ⟨(.frame
    (.atom 0) (.atom 3)), (.cons 1 .nil), (.cons 0 (.cons 1 .nil)), ⟨5, 6, ⟨1, 1⟩⟩⟩ .nil)) (.cons ⟨(.frame (.atom 0)
    (.atom 3)), (.cons 1 .nil), (.cons 0 (.cons 1 .nil)), ⟨8, 12, ⟨5, 2⟩⟩⟩ .nil) := rfl
example : Eq (forceCounts ⟨1, 2⟩ fun k => sameCounts k ⟨1, 2⟩) .true := rfl
example : Eq (forceTally ⟨1, 2, ⟨3, 4⟩⟩ fun t => sameTally t ⟨1, 2, ⟨3, 4⟩⟩) .true := rfl
example : Eq (withNextRows ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩
    .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩ 0 3 .true (.cons
    ⟨(.frame (.atom 0) (.atom 3)), (.cons 1 .nil), (.cons 0 (.cons 1 .nil)), ⟨5, 6, ⟨1, 1⟩⟩⟩ .nil) fun rows =>
    sameTallies rows (.cons ⟨8, 12, ⟨5, 2⟩⟩ .nil)) .true := rfl
example : Eq (sameTally ⟨1, 2, ⟨3, 4⟩⟩ ⟨1, 2, ⟨3, 4⟩⟩) .true := rfl
example : Eq (sameTally ⟨1, 2, ⟨3, 4⟩⟩ ⟨0, 2, ⟨3, 4⟩⟩) .false := rfl
example : Eq (sameTally ⟨1, 2, ⟨3, 4⟩⟩ ⟨1, 0, ⟨3, 4⟩⟩) .false := rfl
example : Eq (sameTally ⟨1, 2, ⟨3, 4⟩⟩ ⟨1, 2, ⟨0, 4⟩⟩) .false := rfl
example : Eq (sameTally ⟨1, 2, ⟨3, 4⟩⟩ ⟨1, 2, ⟨3, 0⟩⟩) .false := rfl
example : Eq (sameTallies (.cons ⟨(.frame (.atom 0) (.atom 3)), (.cons 1 .nil), (.cons 0 (.cons 1 .nil)), ⟨5, 6, ⟨1,
    1⟩⟩⟩ .nil) (.cons ⟨5, 6, ⟨1, 1⟩⟩ .nil)) .true := rfl
example : Eq (sameTallies (.cons ⟨(.frame (.atom 0) (.atom 3)), (.cons 1 .nil), (.cons 0 (.cons 1 .nil)), ⟨5, 6, ⟨1,
    1⟩⟩⟩ .nil) (.cons ⟨5, 7, ⟨1, 1⟩⟩ .nil)) .false := rfl
example : Eq (sameTallies (.cons ⟨(.frame (.atom 0) (.atom 3)), (.cons 1 .nil), (.cons 0 (.cons 1 .nil)), ⟨5, 6, ⟨1,
    1⟩⟩⟩ .nil) .nil) .false := rfl
example : Eq (checkFound ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 3 ⟨⟨4, ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩, ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil),
    (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil,
    (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩⟩) .true := rfl
example : Eq (checkFound ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 2 ⟨⟨4, ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩, ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil),
    (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil,
    (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩⟩) .false := rfl
example : Eq (checkFound ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 3 ⟨⟨4, ⟨7, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩, ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil),
    (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil,
    (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩⟩) .false := rfl
example : Eq (checkFound ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 3 ⟨⟨4, ⟨6, (.cons ⟨0, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩, ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil),
    (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil,
    (.cons ⟨0, 0, .ofNat 2, 0, 1⟩ .nil)⟩⟩) .false := rfl
example : Eq (checkFound ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 3 ⟨⟨4, ⟨6, (.cons ⟨0, 2⟩ .nil), .nil⟩⟩, ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩
    .nil), (.cons ⟨0, 2⟩ .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil, (.cons ⟨0, 0,
    .ofNat 2, 0, 1⟩ .nil)⟩⟩) .false := rfl
-- Five clips with 1 of 2 frames and 1 of 1 matches each.
example : Eq (checkTallies ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 3 ⟨(.cons ⟨5, 10, ⟨5, 2⟩⟩ (.cons ⟨5, 5, ⟨5, 1⟩⟩ .nil)), 5, .true⟩ (.cons ⟨⟨4, ⟨6,
    (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩, ⟨6, 0, ⟨(.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩ .nil), (.cons ⟨0, 2⟩
    .nil)⟩, ⟨(.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩, .nil, (.cons ⟨0, 0, .ofNat 2, 0, 1⟩
    .nil)⟩⟩ .nil) 0 (rowsOf 3 0x3f (sixMasks 3 1 4 6 2 8) (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))) 0 .false) .true := rfl
example : Eq (checkTallies ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 3 ⟨(.cons ⟨5, 10, ⟨5, 2⟩⟩ (.cons ⟨5, 5, ⟨5, 1⟩⟩ .nil)), 5, .true⟩ .nil 0 .nil 5 .true)
    .false := rfl
example : Eq (checkBlock ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 3 (.cons ⟨4, ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩ .nil) ⟨(.cons ⟨5, 10, ⟨5,
    2⟩⟩ (.cons ⟨5, 5, ⟨5, 1⟩⟩ .nil)), 5, .true⟩) .true := rfl
example : Eq (checkBlock ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 3 (.cons ⟨4, ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩ .nil) ⟨(.cons ⟨4, 10, ⟨5,
    2⟩⟩ (.cons ⟨5, 5, ⟨5, 1⟩⟩ .nil)), 5, .true⟩) .false := rfl
example : Eq (checkBlock ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 3 (.cons ⟨4, ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩ .nil) ⟨(.cons ⟨5, 10, ⟨5,
    2⟩⟩ (.cons ⟨5, 5, ⟨4, 1⟩⟩ .nil)), 5, .true⟩) .false := rfl
example : Eq (checkBlock ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 3 (.cons ⟨4, ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩ .nil) ⟨(.cons ⟨5, 10, ⟨5,
    2⟩⟩ (.cons ⟨5, 5, ⟨5, 1⟩⟩ .nil)), 6, .true⟩) .false := rfl
example : Eq (checkBlock ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 3 (.cons ⟨4, ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩ .nil) ⟨(.cons ⟨5, 10, ⟨5,
    2⟩⟩ (.cons ⟨5, 5, ⟨5, 1⟩⟩ .nil)), 5, .false⟩) .false := rfl
example : Eq (checkBlock ⟨1, .centre, 0, 9, 1, 0, (.cons (.frame (.atom 0) (.atom 3)) (.cons (.event .matched
    (.constant .true)) .nil))⟩ 2 (.cons ⟨4, ⟨6, (.cons ⟨0, 2⟩ .nil), (.cons ⟨1, 3⟩ .nil)⟩⟩ .nil) ⟨(.cons ⟨5, 10, ⟨5,
    2⟩⟩ (.cons ⟨5, 5, ⟨5, 1⟩⟩ .nil)), 5, .true⟩) .false := rfl
end Tracepact.Pins
