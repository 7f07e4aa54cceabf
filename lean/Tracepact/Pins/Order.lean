import Tracepact.Statements
/-! What the definitions of an order of harm say, pinned by rules 14.16 and 14.18 of the tools. -/
set_option autoImplicit false
set_option maxRecDepth 1000000
noncomputable section
namespace Tracepact.Pins

-- Two of 3 and three of 5 come to 21; a value without a weight, and a weight without a value, count nothing.
example : Eq (weighed (.cons 2 (.cons 3 .nil)) (.cons 3 (.cons 5 .nil))) 21 := rfl
example : Eq (weighed (.cons 2 .nil) (.cons 3 (.cons 5 .nil))) 6 := rfl
example : Eq (weighed (.cons 2 (.cons 3 .nil)) (.cons 3 .nil)) 6 := rfl
example (values : List Nat) : Eq (weighed .nil values) 0 := rfl
example (w : List Nat) (m : Nat) (x y : List Nat) :
    Eq (LowerBy w m x y) (Nat.le (Nat.add (weighed w x) m) (weighed w y)) := rfl
example (p : CasePair) : Eq (CasePair.mk p.worse p.better) p := rfl
example (a b : List Nat) : And (RowAt (.cons a (.cons b .nil)) 0 a) (RowAt (.cons a (.cons b .nil)) 1 b) :=
  ⟨.here, .later .here⟩
example (a : List Nat) (k : Nat) : Not (RowAt .nil k a) := nofun
example (w : List Nat) (m : Nat) (t : List (List Nat)) (pairs : List CasePair) : Eq (Orders w m t pairs)
    (And (Lt .zero m) ((p : CasePair) → Mem p pairs → Exists fun worse => Exists fun better =>
      And (RowAt t p.worse worse) (And (RowAt t p.better better) (LowerBy w m worse better)))) := rfl
-- 2/5 and 1 are 4 and 10 parts of a tenth; 5 parts are not 2/5. One value too few or too many is refused, so is no
-- scale.
example : Eq (inParts 10 (.cons ⟨⟨1, 2, .false⟩, ⟨2, 5⟩, ⟨1, 3⟩, ⟨1, 4⟩⟩ (.cons ⟨⟨1, 2, .false⟩, ⟨1, 1⟩, ⟨1, 3⟩, ⟨1, 4⟩⟩
    .nil)) (.cons 4 (.cons 10 .nil))) .true := rfl
example : Eq (inParts 10 (.cons ⟨⟨1, 2, .false⟩, ⟨2, 5⟩, ⟨1, 3⟩, ⟨1, 4⟩⟩ .nil) (.cons 5 .nil)) .false := rfl
example : Eq (inParts 10 (.cons ⟨⟨1, 2, .false⟩, ⟨2, 5⟩, ⟨1, 3⟩, ⟨1, 4⟩⟩ .nil) .nil) .false := rfl
example : Eq (inParts 10 .nil (.cons 4 .nil)) .false := rfl
example : Eq (inParts 0 (.cons ⟨⟨1, 2, .false⟩, ⟨2, 5⟩, ⟨1, 3⟩, ⟨1, 4⟩⟩ .nil) (.cons 0 .nil)) .false := rfl
example : Eq (inParts 10 (.cons ⟨⟨1, 2, .false⟩, ⟨0, 0⟩, ⟨1, 3⟩, ⟨1, 4⟩⟩ .nil) (.cons 7 .nil)) .false := rfl
example (c : Contract) (scale : Nat) : CasesScore c scale .nil .nil := .none
example (c : Contract) (scale : Nat) (family : List (List Sides)) (scores : List ClauseScore) (row : List Nat)
    (s : ScoresTo c family scores) (fits : Eq (inParts scale scores row) .true) :
    CasesScore c scale (.cons family .nil) (.cons row .nil) := .more s fits .none
example (c : Contract) (n m : Nat) (w : List Nat) (cases : List (List (List Sides))) (t : List (List Nat))
    (pairs : List CasePair) :
    Iff (KeepsOrder c n w m cases t pairs) (And (CasesScore c n cases t) (Orders w m t pairs)) :=
  ⟨fun h => ⟨h.scored, h.ordered⟩, fun h => ⟨h.left, h.right⟩⟩
example : Eq (addValues (.cons 1 (.cons 2 .nil)) (.cons 10 (.cons 20 .nil))) (.cons 11 (.cons 22 .nil)) := rfl
example : And (Eq (addValues .nil (.cons 7 .nil)) (.cons 7 .nil)) (Eq (addValues (.cons 7 .nil) .nil) (.cons 7 .nil)) :=
  ⟨rfl, rfl⟩
example : Eq (corpusValues (.cons 1 .nil) (.cons (.cons 10 .nil) (.cons (.cons 100 .nil) .nil))) (.cons 111 .nil) := rfl
example (clip : List Nat) : Eq (corpusValues clip .nil) clip := rfl
example : Eq (atRow (fun row => Nat.beq (length row) 1) (.cons .nil (.cons (.cons 3 .nil) .nil)) 1) .true := rfl
example : Eq (atRow (fun row => Nat.beq (length row) 1) (.cons .nil (.cons (.cons 3 .nil) .nil)) 0) .false := rfl
example : Eq (atRow (fun _ => .true) (.cons .nil .nil) 1) .false := rfl
-- 3 + 2 is at most 5, and no more.
example : Eq (checkPair (.cons 1 .nil) 2 (.cons (.cons 3 .nil) (.cons (.cons 5 .nil) .nil)) ⟨0, 1⟩) .true := rfl
example : Eq (checkPair (.cons 1 .nil) 3 (.cons (.cons 3 .nil) (.cons (.cons 5 .nil) .nil)) ⟨0, 1⟩) .false := rfl
example : Eq (checkPair (.cons 1 .nil) 2 (.cons (.cons 3 .nil) (.cons (.cons 5 .nil) .nil)) ⟨1, 0⟩) .false := rfl
example : Eq (checkPairs (.cons 1 .nil) 2 (.cons (.cons 3 .nil) (.cons (.cons 5 .nil) .nil)) (.cons ⟨0, 1⟩ (.cons ⟨1, 0⟩
    .nil))) .false := rfl
example : Eq (checkPairs (.cons 1 .nil) 2 (.cons (.cons 3 .nil) (.cons (.cons 5 .nil) .nil)) (.cons ⟨1, 0⟩ (.cons ⟨0, 1⟩
    .nil))) .false := rfl
example : Eq (checkOrder (.cons 1 .nil) 2 (.cons (.cons 3 .nil) (.cons (.cons 5 .nil) .nil)) (.cons ⟨0, 1⟩ .nil)) .true
    := rfl
example : Eq (checkOrder (.cons 1 .nil) 0 (.cons (.cons 3 .nil) (.cons (.cons 5 .nil) .nil)) (.cons ⟨0, 1⟩ .nil)) .false
    := rfl
end Tracepact.Pins
