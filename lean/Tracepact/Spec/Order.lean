import Tracepact.Spec.Vector
/-!
The order of harm that a selected contract keeps (tools, rules 14.16 and 14.18). Cases are scored alone; the values of a
case are the means over clips of its clauses (rule 7.5), as whole parts of one scale. Weights on the clauses order two
cases by a margin if the weighted sum is lower by that margin on the worse one. All of it is in whole numbers: a sum
divided by the scale and by the total of the weights is the weighted mean, and so is the margin.
-/
set_option autoImplicit false
namespace Tracepact

/-- Values times their weights, added up; what has no weight does not count. -/
def weighed : List Nat → List Nat → Nat
  | .cons w weights, .cons v values => Nat.add (Nat.mul w v) (weighed weights values)
  | _, _ => .zero
/-- By the weights, the worse case is lower than the better one by the margin or more. -/
def LowerBy (weights : List Nat) (margin : Nat) (worse better : List Nat) : Prop :=
  Nat.le (Nat.add (weighed weights worse) margin) (weighed weights better)
/-- Two cases of a table, by their places; the first was called worse. -/
structure CasePair where
  worse : Nat
  better : Nat
/-- The values of the case at a place. -/
inductive RowAt : List (List Nat) → Nat → List Nat → Prop where
  | here {row : List Nat} {rest : List (List Nat)} : RowAt (.cons row rest) .zero row
  | later {row other : List Nat} {rest : List (List Nat)} {k : Nat} :
      RowAt rest k row → RowAt (.cons other rest) (.succ k) row
/-- Of every pair the worse case is lower than the better one by the margin or more, and the margin is not zero. -/
def Orders (weights : List Nat) (margin : Nat) (table : List (List Nat)) (pairs : List CasePair) : Prop :=
  And (Lt .zero margin) ((p : CasePair) → Mem p pairs → Exists fun worse => Exists fun better =>
    And (RowAt table p.worse worse) (And (RowAt table p.better better) (LowerBy weights margin worse better)))

/-! ### The values are what the contract scores -/
/-- The scores' means over clips are these parts of the scale, one by one. -/
def inParts (scale : Nat) : List ClauseScore → List Nat → Bool
  | .nil, .nil => .true
  | .cons s scores, .cons v row =>
      band (band (Nat.ble 1 (Nat.mul scale s.macroClips.denominator))
          (Nat.beq (Nat.mul v s.macroClips.denominator) (Nat.mul s.macroClips.numerator scale)))
        (inParts scale scores row)
  | _, _ => .false
/-- Under contract `c` each case, a family of one clip, scores its row of the table. -/
inductive CasesScore (c : Contract) (scale : Nat) : List (List (List Sides)) → List (List Nat) → Prop where
  | none : CasesScore c scale .nil .nil
  | more {family : List (List Sides)} {scores : List ClauseScore} {row : List Nat}
      {cases : List (List (List Sides))} {table : List (List Nat)} :
      ScoresTo c family scores → IsTrue (inParts scale scores row) → CasesScore c scale cases table →
      CasesScore c scale (.cons family cases) (.cons row table)
/-- Under contract `c`, scored alone, the cases have the values of the table, and the weights order the pairs. -/
structure KeepsOrder (c : Contract) (scale : Nat) (weights : List Nat) (margin : Nat)
    (cases : List (List (List Sides))) (table : List (List Nat)) (pairs : List CasePair) : Prop where
  scored : CasesScore c scale cases table
  ordered : Orders weights margin table pairs

/-! ### A corpus of several clips -/
/-- The values of two clips, added up clause by clause. -/
def addValues : List Nat → List Nat → List Nat
  | .cons v values, .cons u others => .cons (Nat.add v u) (addValues values others)
  | .nil, others => others
  | values, .nil => values
/-- The values of a clip and of the clips it is scored with, added up: divided by how many they are, the mean over clips
of the corpus (rule 14.16). -/
def corpusValues (clip : List Nat) : List (List Nat) → List Nat
  | .nil => clip
  | .cons other rest => addValues other (corpusValues clip rest)
end Tracepact
