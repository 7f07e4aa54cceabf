import Tracepact.Spec.Contract
/-!
The vector of a family of clips: of every clause the pooled score and the mean over clips and classes (rule 7.5). Every
clip has
every class, so the mean over clips of the mean over classes is the mean over all of them.
-/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- Rules 7.2 and 7.3. -/
def frameValue (satisfied : Nat) : Nat → Value
  | .zero => ⟨1, 1, .true⟩
  | .succ obligated => ⟨satisfied, .succ obligated, .false⟩
/-- The value of a clause, from its counts and whether a run is there on either side (rules 7.2 to 7.4). -/
def clauseValue : ContractClause → Bool → Counts → Value
  | .frame _ _, _, k => frameValue k.satisfied k.obligated
  | .event _ _, evidence, k => eventValue (bnot evidence) k.satisfied k.obligated

/-- What a clause comes to on some clips: its counts added up, and its values added up as parts of `1 / common`. -/
structure Tally where
  satisfied : Nat
  obligated : Nat
  parts : Nat
/-- What some clips come to: each clause's tally, how many clips there are, and whether a run is there in any. -/
structure FamilyTally where
  clauses : List Tally
  clips : Nat
  evidence : Bool
/-- `x / common` is the value: `x · obligated = satisfied · common`. -/
def isPart (common x : Nat) (v : Value) : Bool := Nat.beq (Nat.mul x v.obligated) (Nat.mul v.satisfied common)
/-- The tallies with one more clip: counts and parts are added, and each part is the clause's value on the clip. -/
def addsUp (common : Nat) (evidence : Bool) : List ContractClause → List Counts → List Tally → List Tally → Bool
  | .nil, .nil, .nil, .nil => .true
  | .cons c clauses, .cons k counts, .cons t tallies, .cons u sums =>
      band (band (Nat.beq u.satisfied (Nat.add k.satisfied t.satisfied))
          (Nat.beq u.obligated (Nat.add k.obligated t.obligated)))
        (band (band (Nat.ble t.parts u.parts) (isPart common (Nat.sub u.parts t.parts) (clauseValue c evidence k)))
          (addsUp common evidence clauses counts tallies sums))
  | _, _, _, _ => .false
def noTallies : List ContractClause → List Tally
  | .nil => .nil
  | .cons _ rest => .cons ⟨0, 0, 0⟩ (noTallies rest)
/-- Under contract `c` the clips come to the tally: clip by clip, from nothing. -/
inductive Tallied (c : Contract) (common : Nat) : List Sides → FamilyTally → Prop where
  | none : Tallied c common .nil ⟨noTallies c.clauses, 0, .false⟩
  | more {s : Sides} {k : ClipCounts} {rest : List Sides} {t : FamilyTally} {sums : List Tally} :
      CountsTo c s k → Eq (addsUp common k.evidence c.clauses k.counts t.clauses sums) .true → Tallied c common rest t →
      Tallied c common (.cons s rest) ⟨sums, .succ t.clips, bor k.evidence t.evidence⟩

/-- The score of a clause: pooled, and the mean over clips and classes as a fraction. -/
structure ClauseScore where
  pooled : Value
  numerator : Nat
  denominator : Nat
def sameValue (v w : Value) : Bool :=
  band (band (Nat.beq v.satisfied w.satisfied) (Nat.beq v.obligated w.obligated)) (biff v.vacuous w.vacuous)
/-- The scores are those of the tallies; the mean is `parts / (common · clips)`, compared by multiplication. -/
def scoresFit (common clips : Nat) (evidence : Bool) : List ContractClause → List Tally → List ClauseScore → Bool
  | .nil, .nil, .nil => .true
  | .cons c clauses, .cons t tallies, .cons v scores =>
      band (band (sameValue (clauseValue c evidence ⟨t.satisfied, t.obligated⟩) v.pooled)
          (band (Nat.ble 1 v.denominator)
            (Nat.beq (Nat.mul v.numerator (Nat.mul common clips)) (Nat.mul v.denominator t.parts))))
        (scoresFit common clips evidence clauses tallies scores)
  | _, _, _ => .false
/-- Under contract `c` the tables of the family score exactly this vector. -/
def ScoresTo (c : Contract) (family : List Sides) (scores : List ClauseScore) : Prop :=
  Exists fun common => Exists fun t => And (Tallied c common family t)
    (Eq (band (Nat.ble 1 (Nat.mul common t.clips)) (scoresFit common t.clips t.evidence c.clauses t.clauses scores))
        .true)
end Tracepact
