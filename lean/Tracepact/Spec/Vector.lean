import Tracepact.Spec.Contract
/-!
The vector of a family: of every clause the pooled score, the mean over clips, and the mean over classes with and
without the classes that have no obligation (rule 7.5). Every clip has every class, so the mean over clips of the mean
over classes is the mean over all of them; in which order the clips of a class are listed does not matter to any of
these.
-/
set_option autoImplicit false
namespace Tracepact

/-- Rules 7.2 and 7.3. -/
def frameValue (satisfied : Nat) : Nat → Value
  | .zero => ⟨1, 1, .true⟩
  | .succ obligated => ⟨satisfied, .succ obligated, .false⟩
/-- The value of a clause, from its counts and whether a run is there on either side (rules 7.2 to 7.4). -/
def clauseValue : ContractClause → Bool → Counts → Value
  | .frame _ _, _, k => frameValue k.satisfied k.obligated
  | .event _ _, evidence, k => eventValue (bnot evidence) k.satisfied k.obligated

/-! ### One class -/
structure Fraction where
  numerator : Nat
  denominator : Nat
def Fraction.plus (x y : Fraction) : Fraction :=
  ⟨Nat.add (Nat.mul x.numerator y.denominator) (Nat.mul y.numerator x.denominator),
   Nat.mul x.denominator y.denominator⟩
/-- What a clause comes to on some clips: its counts added up, and its values added up. -/
structure Tally where
  satisfied : Nat
  obligated : Nat
  values : Fraction
/-- What some clips come to: each clause's tally, how many clips there are, and whether a run is there in any. -/
structure ClassTally where
  clauses : List Tally
  clips : Nat
  evidence : Bool
/-- The tally of one clause on `n` clips with these counts. -/
def tallyOf (n : Nat) (v : Value) (k : Counts) : Tally :=
  ⟨Nat.mul n k.satisfied, Nat.mul n k.obligated, ⟨Nat.mul n v.satisfied, v.obligated⟩⟩
def talliesOf (n : Nat) (evidence : Bool) : List ContractClause → List Counts → List Tally
  | .cons c clauses, .cons k counts =>
      .cons (tallyOf n (clauseValue c evidence k) k) (talliesOf n evidence clauses counts)
  | _, _ => .nil
def Tally.plus (t u : Tally) : Tally :=
  ⟨Nat.add t.satisfied u.satisfied, Nat.add t.obligated u.obligated, t.values.plus u.values⟩
def addTallies : List Tally → List Tally → List Tally
  | .cons t l, .cons u m => .cons (t.plus u) (addTallies l m)
  | _, _ => .nil
def ClassTally.plus (t u : ClassTally) : ClassTally :=
  ⟨addTallies t.clauses u.clauses, Nat.add t.clips u.clips, bor t.evidence u.evidence⟩
/-- `n + 1` times the same, before a list. -/
def repeated {α : Type} (x : α) (rest : List α) : Nat → List α
  | .zero => .cons x rest
  | .succ n => .cons x (repeated x rest n)
/-- A clip of one class, and how many more there are with the same tables. -/
structure Item where
  again : Nat
  sides : Sides
/-- The clips of some items before others, the last item first. -/
def stacked (more : List Sides) : List Item → List Sides
  | .nil => more
  | .cons x rest => stacked (repeated x.sides more x.again) rest
def noTallies : List ContractClause → List Tally
  | .nil => .nil
  | .cons _ rest => .cons ⟨0, 0, ⟨0, 1⟩⟩ (noTallies rest)
/-- Under contract `c` the clips of a class come to the tally: from nothing, with `n + 1` equal clips more, and some
clips together with others. -/
inductive Tallied (c : Contract) : List Sides → ClassTally → Prop where
  | none : Tallied c .nil ⟨noTallies c.clauses, 0, .false⟩
  | more {s : Sides} {k : ClipCounts} {rest : List Sides} {t : ClassTally} (n : Nat) :
      CountsTo c s k → Tallied c rest t → Tallied c (repeated s rest n)
        ⟨addTallies (talliesOf (.succ n) k.evidence c.clauses k.counts) t.clauses, Nat.add (.succ n) t.clips,
         bor k.evidence t.evidence⟩
  | both {a b : List Sides} {t u : ClassTally} : Tallied c a t → Tallied c b u → Tallied c (append a b) (t.plus u)
/-- Each class comes to its tally. -/
inductive ClassesTallied (c : Contract) : List (List Sides) → List ClassTally → Prop where
  | none : ClassesTallied c .nil .nil
  | more {clips : List Sides} {t : ClassTally} {classes : List (List Sides)} {tallies : List ClassTally} :
      Tallied c clips t → ClassesTallied c classes tallies →
      ClassesTallied c (.cons clips classes) (.cons t tallies)

/-! ### All classes -/
/-- The score of a clause by each aggregation. -/
structure ClauseScore where
  pooled : Value
  macroClips : Fraction
  macroClasses : Fraction
  macroClassesInformative : Fraction
def sameValue (v w : Value) : Bool :=
  band (band (Nat.beq v.satisfied w.satisfied) (Nat.beq v.obligated w.obligated)) (biff v.vacuous w.vacuous)
/-- One clause in one class: its tally, and whether a run is there in any clip. -/
structure ClassEntry where
  tally : Tally
  evidence : Bool
/-- The first clause, class by class. -/
def firsts : List ClassTally → List ClassEntry
  | .nil => .nil
  | .cons ⟨.cons t _, _, e⟩ rest => .cons ⟨t, e⟩ (firsts rest)
  | .cons ⟨.nil, _, _⟩ rest => firsts rest
/-- All clauses but the first, class by class. -/
def others : List ClassTally → List ClassTally
  | .nil => .nil
  | .cons ⟨.cons _ more, n, e⟩ rest => .cons ⟨more, n, e⟩ (others rest)
  | .cons ⟨.nil, n, e⟩ rest => .cons ⟨.nil, n, e⟩ (others rest)
/-- A sum over classes. -/
def totalIn (g : ClassEntry → Nat) : List ClassEntry → Nat
  | .nil => 0
  | .cons x rest => Nat.add (g x) (totalIn g rest)
def anyEvidence : List ClassEntry → Bool
  | .nil => .false
  | .cons x rest => bor x.evidence (anyEvidence rest)
/-- The pooled score of each class. -/
def classValues (c : ContractClause) : List ClassEntry → List Value
  | .nil => .nil
  | .cons x rest => .cons (clauseValue c x.evidence ⟨x.tally.satisfied, x.tally.obligated⟩) (classValues c rest)
/-- Those that are not vacuous. -/
def informative : List Value → List Value
  | .nil => .nil
  | .cons v rest => cond v.vacuous (informative rest) (.cons v (informative rest))
def sumOfValues : List Value → Fraction
  | .nil => ⟨0, 1⟩
  | .cons v rest => Fraction.plus ⟨v.satisfied, v.obligated⟩ (sumOfValues rest)
/-- The clauses' values on all clips of all classes, added up. -/
def sumOfEntries : List ClassEntry → Fraction
  | .nil => ⟨0, 1⟩
  | .cons x rest => x.tally.values.plus (sumOfEntries rest)
/-- `q` is the sum divided by `n`, compared by multiplication. -/
def isMean (sum : Fraction) (n : Nat) (q : Fraction) : Bool :=
  band (band (Nat.ble 1 (Nat.mul sum.denominator n)) (Nat.ble 1 q.denominator))
    (Nat.beq (Nat.mul q.numerator (Nat.mul sum.denominator n)) (Nat.mul q.denominator sum.numerator))
/-- `q` is the mean of the values; of none it is 1. -/
def isMeanOf (q : Fraction) : List Value → Bool
  | .nil => isMean ⟨1, 1⟩ 1 q
  | .cons v rest => isMean (sumOfValues (.cons v rest)) (length (.cons v rest)) q
/-- The score of a clause, from its entries: pooled; the mean of its values on all clips of all classes; and the two
means of the classes' own scores. -/
def scoreFits (clips : Nat) (c : ContractClause) (entries : List ClassEntry) (v : ClauseScore) : Bool :=
  band (band
      (sameValue (clauseValue c (anyEvidence entries)
        ⟨totalIn (fun x => x.tally.satisfied) entries, totalIn (fun x => x.tally.obligated) entries⟩) v.pooled)
      (isMean (sumOfEntries entries) (Nat.mul clips (length entries)) v.macroClips))
    (band (isMeanOf v.macroClasses (classValues c entries))
      (isMeanOf v.macroClassesInformative (informative (classValues c entries))))
def scoresFit (clips : Nat) : List ContractClause → List ClassTally → List ClauseScore → Bool
  | .nil, _, .nil => .true
  | .cons c clauses, tallies, .cons v scores =>
      band (scoreFits clips c (firsts tallies) v) (scoresFit clips clauses (others tallies) scores)
  | _, _, _ => .false
/-- Every class has `n` clips. -/
def haveClips (n : Nat) : List ClassTally → Bool
  | .nil => .true
  | .cons t rest => band (Nat.beq t.clips n) (haveClips n rest)
/-- Under contract `c` the tables of the family, its classes with the clips of each, score exactly this vector. -/
def ScoresTo (c : Contract) (family : List (List Sides)) (scores : List ClauseScore) : Prop :=
  Exists fun clips => Exists fun tallies => And (ClassesTallied c family tallies)
    (Eq (band (haveClips clips tallies) (scoresFit clips c.clauses tallies scores)) .true)
end Tracepact
