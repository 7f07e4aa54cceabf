import Tracepact.Impl.Score
import Tracepact.Spec.Vector
/-! What the kernel computes when it checks what a family scores: clip after clip, with the tally so far. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- A clip with the hints for its check, its counts, and the tallies of it and all that come after it. -/
structure ClipEntry where
  sides : Sides
  hints : Hints
  counts : ClipCounts
  sums : List Tally
def sidesOf : List ClipEntry → List Sides → List Sides
  | .nil, more => more
  | .cons x rest, more => .cons x.sides (sidesOf rest more)
def clipsOf (n : Nat) : List ClipEntry → Nat
  | .nil => n
  | .cons _ rest => .succ (clipsOf n rest)
def evidenceOf (b : Bool) : List ClipEntry → Bool
  | .nil => b
  | .cons x rest => bor x.counts.evidence (evidenceOf b rest)
def sumsOf (t : List Tally) : List ClipEntry → List Tally
  | .nil => t
  | .cons x _ => x.sums
def tallyOf (t : FamilyTally) (l : List ClipEntry) : FamilyTally :=
  ⟨sumsOf t.clauses l, clipsOf t.clips l, evidenceOf t.evidence l⟩
/-- Every clip counts what is claimed, and the tallies add up, onto those of the clips that come after. -/
def checkEntries (c : Contract) (common : Nat) (t : List Tally) : List ClipEntry → Bool
  | .nil => .true
  | .cons x rest => band (band (checkClip c x.sides x.hints x.counts)
      (addsUp common x.counts.evidence c.clauses x.counts.counts (sumsOf t rest) x.sums)) (checkEntries c common t rest)
end Tracepact
