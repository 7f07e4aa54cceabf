import Tracepact
/-!
What the vectors of chapter 18 claim, which are derived by hand: the kernel computes the same from the definitions of
`lean/Tracepact/Spec/Soft.lean`. Scores are whole multiples of a unit of the vector's own; the theorem of a vector has
its id for a name.
-/
set_option autoImplicit false
set_option maxRecDepth 1000000
set_option maxHeartbeats 0
noncomputable section
namespace Tracepact.Vectors
/-- A mask from its frames. -/
def gather (p : Nat → Bool) : Nat → Nat
  | .zero => 0
  | .succ n => Nat.add (gather p n) (Nat.mul (toNat (p n)) (Nat.pow 2 n))
/-- What the further atoms of a clip are read from, by number. -/
def sources : List (List Source) → Nat → List Source
  | .nil, _ => .nil
  | .cons l _, .zero => l
  | .cons _ rest, .succ k => sources rest k
/-- The soft values from frame `i` on. -/
def softValues (x : Nat → Soft) (i : Nat) : Nat → List Soft
  | .zero => .nil
  | .succ k => .cons (x i) (softValues x (.succ i) k)
-- soft/margin
theorem soft_margin_0 : Eq (softValues (ScoreClip.value ⟨3, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 10 (numbered (.cons 14 (.cons 2 (.cons 11 .nil))))) .nil) .nil)))⟩ (.atom 8)) 0 3) (.cons (.positive (.number 4)) (.cons (.negative (.number 8)) (.cons (.positive (.number 1)) .nil))) := id rfl
#print axioms soft_margin_0
-- soft/margin-other-threshold
theorem soft_margin_other_threshold_0 : Eq (softValues (ScoreClip.value ⟨2, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 10 (numbered (.cons 21 (.cons 3 .nil)))) .nil) .nil)))⟩ (.atom 8)) 0 2) (.cons (.positive (.number 11)) (.cons (.negative (.number 7)) .nil)) := id rfl
#print axioms soft_margin_other_threshold_0
-- soft/tie
theorem soft_tie_0 : Eq (softValues (ScoreClip.value ⟨1, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 1 (numbered (.cons 1 .nil))) .nil) .nil)))⟩ (.atom 8)) 0 1) (.cons (.negative (.number 0)) .nil) := id rfl
#print axioms soft_tie_0
theorem soft_tie_1 : Eq (gather (eval (ScoreClip.reading ⟨1, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 1 (numbered (.cons 1 .nil))) .nil) .nil)))⟩) (.atom 8)) 1) 0x0 := id rfl
#print axioms soft_tie_1
-- soft/tie-negated
theorem soft_tie_negated_0 : Eq (softValues (ScoreClip.value ⟨1, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 1 (numbered (.cons 1 .nil))) .nil) .nil)))⟩ (.not (.atom 8))) 0 1) (.cons (.positive (.number 0)) .nil) := id rfl
#print axioms soft_tie_negated_0
theorem soft_tie_negated_1 : Eq (gather (eval (ScoreClip.reading ⟨1, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 1 (numbered (.cons 1 .nil))) .nil) .nil)))⟩) (.not (.atom 8))) 1) 0x1 := id rfl
#print axioms soft_tie_negated_1
-- soft/tie-contradiction
theorem soft_tie_contradiction_0 : Eq (softValues (ScoreClip.value ⟨1, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 1 (numbered (.cons 1 .nil))) .nil) .nil)))⟩ (.and (.atom 8) (.not (.atom 8)))) 0 1) (.cons (.negative (.number 0)) .nil) := id rfl
#print axioms soft_tie_contradiction_0
theorem soft_tie_contradiction_1 : Eq (gather (eval (ScoreClip.reading ⟨1, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 1 (numbered (.cons 1 .nil))) .nil) .nil)))⟩) (.and (.atom 8) (.not (.atom 8)))) 1) 0x0 := id rfl
#print axioms soft_tie_contradiction_1
-- soft/tie-excluded-middle
theorem soft_tie_excluded_middle_0 : Eq (softValues (ScoreClip.value ⟨1, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 1 (numbered (.cons 1 .nil))) .nil) .nil)))⟩ (.or (.atom 8) (.not (.atom 8)))) 0 1) (.cons (.positive (.number 0)) .nil) := id rfl
#print axioms soft_tie_excluded_middle_0
theorem soft_tie_excluded_middle_1 : Eq (gather (eval (ScoreClip.reading ⟨1, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 1 (numbered (.cons 1 .nil))) .nil) .nil)))⟩) (.or (.atom 8) (.not (.atom 8)))) 1) 0x1 := id rfl
#print axioms soft_tie_excluded_middle_1
-- soft/mask
theorem soft_mask_0 : Eq (softValues (ScoreClip.value ⟨2, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.mask .unbounded (bit 0x1)) .nil) .nil)))⟩ (.atom 8)) 0 2) (.cons (.positive .unbounded) (.cons (.negative .unbounded) .nil)) := id rfl
#print axioms soft_mask_0
-- soft/mask-with-margin
theorem soft_mask_with_margin_0 : Eq (softValues (ScoreClip.value ⟨2, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.mask (.number 1) (bit 0x1)) .nil) .nil)))⟩ (.atom 8)) 0 2) (.cons (.positive (.number 1)) (.cons (.negative (.number 1)) .nil)) := id rfl
#print axioms soft_mask_with_margin_0
-- soft/constants
theorem soft_constants_0 : Eq (softValues (ScoreClip.value ⟨1, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 9 .nil))) .nil) .nil)))⟩ (.and (.constant .true) (.not (.constant .false)))) 0 1) (.cons (.positive .unbounded) .nil) := id rfl
#print axioms soft_constants_0
-- soft/onset
theorem soft_onset_0 : Eq (softValues (ScoreClip.value ⟨4, (.mask .unbounded (bit 0x0)), (.field 5 (numbered (.cons 8 (.cons 2 (.cons 9 (.cons 6 .nil)))))), sources (.cons .nil (.cons .nil .nil))⟩ (.atom 4)) 0 4) (.cons (.positive (.number 3)) (.cons (.negative (.number 3)) (.cons (.positive (.number 3)) (.cons (.negative (.number 4)) .nil)))) := id rfl
#print axioms soft_onset_0
-- soft/offset
theorem soft_offset_0 : Eq (softValues (ScoreClip.value ⟨4, (.mask .unbounded (bit 0x0)), (.field 5 (numbered (.cons 8 (.cons 2 (.cons 9 (.cons 6 .nil)))))), sources (.cons .nil (.cons .nil .nil))⟩ (.atom 5)) 0 4) (.cons (.negative .unbounded) (.cons (.positive (.number 3)) (.cons (.negative (.number 4)) (.cons (.negative (.number 1)) .nil)))) := id rfl
#print axioms soft_offset_0
-- soft/slow-onset
theorem soft_slow_onset_0 : Eq (softValues (ScoreClip.value ⟨3, (.mask .unbounded (bit 0x0)), (.field 25 (numbered (.cons 20 (.cons 26 (.cons 45 .nil))))), sources (.cons .nil (.cons .nil .nil))⟩ (.atom 4)) 0 3) (.cons (.negative (.number 5)) (.cons (.positive (.number 1)) (.cons (.negative (.number 1)) .nil))) := id rfl
#print axioms soft_slow_onset_0
-- soft/onset-of-a-mask
theorem soft_onset_of_a_mask_0 : Eq (softValues (ScoreClip.value ⟨3, (.mask .unbounded (bit 0x6)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil .nil))⟩ (.atom 1)) 0 3) (.cons (.negative .unbounded) (.cons (.positive .unbounded) (.cons (.negative .unbounded) .nil))) := id rfl
#print axioms soft_onset_of_a_mask_0
-- soft/other-classes
theorem soft_other_classes_0 : Eq (softValues (ScoreClip.value ⟨2, (.mask .unbounded (bit 0x0)), (.field 5 (numbered (.cons 9 (.cons 9 .nil)))), sources (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 1 (.cons 8 .nil)))) (.cons (.field 5 (numbered (.cons 6 (.cons 2 .nil)))) .nil)) .nil))⟩ (.atom 7)) 0 2) (.cons (.positive (.number 1)) (.cons (.positive (.number 3)) .nil)) := id rfl
#print axioms soft_other_classes_0
-- soft/no-other-class
theorem soft_no_other_class_0 : Eq (softValues (ScoreClip.value ⟨1, (.mask .unbounded (bit 0x0)), (.field 5 (numbered (.cons 9 .nil))), sources (.cons .nil (.cons .nil .nil))⟩ (.atom 7)) 0 1) (.cons (.negative .unbounded) .nil) := id rfl
#print axioms soft_no_other_class_0
-- soft/and
theorem soft_and_0 : Eq (softValues (ScoreClip.value ⟨4, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 7 (.cons 7 (.cons 1 (.cons 1 .nil)))))) .nil) (.cons (.cons (.field 5 (numbered (.cons 9 (.cons 2 (.cons 9 (.cons 2 .nil)))))) .nil) .nil))))⟩ (.and (.atom 8) (.atom 9))) 0 4) (.cons (.positive (.number 2)) (.cons (.negative (.number 3)) (.cons (.negative (.number 4)) (.cons (.negative (.number 4)) .nil)))) := id rfl
#print axioms soft_and_0
-- soft/or
theorem soft_or_0 : Eq (softValues (ScoreClip.value ⟨4, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 7 (.cons 7 (.cons 1 (.cons 1 .nil)))))) .nil) (.cons (.cons (.field 5 (numbered (.cons 9 (.cons 2 (.cons 9 (.cons 2 .nil)))))) .nil) .nil))))⟩ (.or (.atom 8) (.atom 9))) 0 4) (.cons (.positive (.number 4)) (.cons (.positive (.number 2)) (.cons (.positive (.number 4)) (.cons (.negative (.number 3)) .nil)))) := id rfl
#print axioms soft_or_0
-- soft/implies
theorem soft_implies_0 : Eq (softValues (ScoreClip.value ⟨4, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 7 (.cons 7 (.cons 1 (.cons 1 .nil)))))) .nil) (.cons (.cons (.field 5 (numbered (.cons 9 (.cons 2 (.cons 9 (.cons 2 .nil)))))) .nil) .nil))))⟩ (.implies (.atom 8) (.atom 9))) 0 4) (.cons (.positive (.number 4)) (.cons (.negative (.number 2)) (.cons (.positive (.number 4)) (.cons (.positive (.number 4)) .nil)))) := id rfl
#print axioms soft_implies_0
-- soft/iff
theorem soft_iff_0 : Eq (softValues (ScoreClip.value ⟨4, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 7 (.cons 7 (.cons 1 (.cons 1 .nil)))))) .nil) (.cons (.cons (.field 5 (numbered (.cons 9 (.cons 2 (.cons 9 (.cons 2 .nil)))))) .nil) .nil))))⟩ (.iff (.atom 8) (.atom 9))) 0 4) (.cons (.positive (.number 2)) (.cons (.negative (.number 2)) (.cons (.negative (.number 4)) (.cons (.positive (.number 3)) .nil)))) := id rfl
#print axioms soft_iff_0
-- soft/eventually
theorem soft_eventually_0 : Eq (softValues (ScoreClip.value ⟨4, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 6 (.cons 9 (.cons 1 (.cons 7 .nil)))))) .nil) .nil)))⟩ (.eventually (.negSucc 0) (.ofNat 1) (.atom 8))) 0 4) (.cons (.positive (.number 4)) (.cons (.positive (.number 4)) (.cons (.positive (.number 4)) (.cons (.positive (.number 2)) .nil)))) := id rfl
#print axioms soft_eventually_0
-- soft/always
theorem soft_always_0 : Eq (softValues (ScoreClip.value ⟨4, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 6 (.cons 9 (.cons 1 (.cons 7 .nil)))))) .nil) .nil)))⟩ (.always (.ofNat 0) (.ofNat 1) (.atom 8))) 0 4) (.cons (.positive (.number 1)) (.cons (.negative (.number 4)) (.cons (.negative (.number 4)) (.cons (.positive (.number 2)) .nil)))) := id rfl
#print axioms soft_always_0
-- soft/eventually-nowhere
theorem soft_eventually_nowhere_0 : Eq (softValues (ScoreClip.value ⟨4, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 6 (.cons 9 (.cons 1 (.cons 7 .nil)))))) .nil) .nil)))⟩ (.eventually (.ofNat 4) (.ofNat 5) (.atom 8))) 0 4) (.cons (.negative .unbounded) (.cons (.negative .unbounded) (.cons (.negative .unbounded) (.cons (.negative .unbounded) .nil)))) := id rfl
#print axioms soft_eventually_nowhere_0
-- soft/always-nowhere
theorem soft_always_nowhere_0 : Eq (softValues (ScoreClip.value ⟨4, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 6 (.cons 9 (.cons 1 (.cons 7 .nil)))))) .nil) .nil)))⟩ (.always (.negSucc 4) (.negSucc 3) (.atom 8))) 0 4) (.cons (.positive .unbounded) (.cons (.positive .unbounded) (.cons (.positive .unbounded) (.cons (.positive .unbounded) .nil)))) := id rfl
#print axioms soft_always_nowhere_0
-- soft/clips-apart
theorem soft_clips_apart_0 : Eq (softValues (ScoreClip.value ⟨1, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 9 .nil))) .nil) .nil)))⟩ (.eventually (.negSucc 1) (.ofNat 2) (.atom 8))) 0 1) (.cons (.positive (.number 4)) .nil) := id rfl
#print axioms soft_clips_apart_0
theorem soft_clips_apart_1 : Eq (softValues (ScoreClip.value ⟨2, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 1 (.cons 2 .nil)))) .nil) .nil)))⟩ (.eventually (.negSucc 1) (.ofNat 2) (.atom 8))) 0 2) (.cons (.negative (.number 3)) (.cons (.negative (.number 3)) .nil)) := id rfl
#print axioms soft_clips_apart_1
-- soft/until
theorem soft_until_0 : Eq (softValues (ScoreClip.value ⟨4, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 8 (.cons 7 (.cons 4 (.cons 9 .nil)))))) .nil) (.cons (.cons (.field 5 (numbered (.cons 1 (.cons 3 (.cons 9 (.cons 2 .nil)))))) .nil) .nil))))⟩ (.«until» 2 (.atom 8) (.atom 9))) 0 4) (.cons (.positive (.number 2)) (.cons (.positive (.number 2)) (.cons (.positive (.number 4)) (.cons (.negative (.number 3)) .nil)))) := id rfl
#print axioms soft_until_0
-- soft/since
theorem soft_since_0 : Eq (softValues (ScoreClip.value ⟨4, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 9 (.cons 4 (.cons 7 (.cons 8 .nil)))))) .nil) (.cons (.cons (.field 5 (numbered (.cons 2 (.cons 9 (.cons 3 (.cons 1 .nil)))))) .nil) .nil))))⟩ (.since 2 (.atom 8) (.atom 9))) 0 4) (.cons (.negative (.number 3)) (.cons (.positive (.number 4)) (.cons (.positive (.number 2)) (.cons (.positive (.number 2)) .nil)))) := id rfl
#print axioms soft_since_0
-- soft/until-by-a-mask
theorem soft_until_by_a_mask_0 : Eq (softValues (ScoreClip.value ⟨3, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 9 (.cons 3 (.cons 9 .nil))))) .nil) (.cons (.cons (.mask .unbounded (bit 0x4)) .nil) .nil))))⟩ (.«until» 3 (.atom 8) (.atom 9))) 0 3) (.cons (.negative (.number 2)) (.cons (.negative (.number 2)) (.cons (.positive .unbounded) .nil))) := id rfl
#print axioms soft_until_by_a_mask_0
-- soft/sign
theorem soft_sign_0 : Eq (softValues (ScoreClip.value ⟨4, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 9 (.cons 9 (.cons 2 (.cons 5 .nil)))))) .nil) (.cons (.cons (.field 5 (numbered (.cons 1 (.cons 6 (.cons 3 (.cons 1 .nil)))))) .nil) .nil))))⟩ (.implies (.atom 8) (.eventually (.ofNat 0) (.ofNat 1) (.atom 9)))) 0 4) (.cons (.positive (.number 1)) (.cons (.positive (.number 1)) (.cons (.positive (.number 3)) (.cons (.positive (.number 0)) .nil)))) := id rfl
#print axioms soft_sign_0
theorem soft_sign_1 : Eq (gather (eval (ScoreClip.reading ⟨4, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 9 (.cons 9 (.cons 2 (.cons 5 .nil)))))) .nil) (.cons (.cons (.field 5 (numbered (.cons 1 (.cons 6 (.cons 3 (.cons 1 .nil)))))) .nil) .nil))))⟩) (.implies (.atom 8) (.eventually (.ofNat 0) (.ofNat 1) (.atom 9)))) 4) 0xf := id rfl
#print axioms soft_sign_1
-- soft/sign-violated
theorem soft_sign_violated_0 : Eq (softValues (ScoreClip.value ⟨2, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 9 (.cons 7 .nil)))) .nil) (.cons (.cons (.field 5 (numbered (.cons 1 (.cons 3 .nil)))) .nil) .nil))))⟩ (.implies (.atom 8) (.eventually (.ofNat 0) (.ofNat 1) (.atom 9)))) 0 2) (.cons (.negative (.number 2)) (.cons (.negative (.number 2)) .nil)) := id rfl
#print axioms soft_sign_violated_0
theorem soft_sign_violated_1 : Eq (gather (eval (ScoreClip.reading ⟨2, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 9 (.cons 7 .nil)))) .nil) (.cons (.cons (.field 5 (numbered (.cons 1 (.cons 3 .nil)))) .nil) .nil))))⟩) (.implies (.atom 8) (.eventually (.ofNat 0) (.ofNat 1) (.atom 9)))) 2) 0x0 := id rfl
#print axioms soft_sign_violated_1
-- soft/moves-no-more-than-the-scores
theorem soft_moves_no_more_than_the_scores_0 : Eq (softValues (ScoreClip.value ⟨2, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 8 (.cons 6 .nil)))) .nil) (.cons (.cons (.field 5 (numbered (.cons 6 (.cons 3 .nil)))) .nil) .nil))))⟩ (.«until» 1 (.atom 8) (.not (.atom 9)))) 0 2) (.cons (.positive (.number 2)) (.cons (.positive (.number 2)) .nil)) := id rfl
#print axioms soft_moves_no_more_than_the_scores_0
theorem soft_moves_no_more_than_the_scores_1 : Eq (softValues (ScoreClip.value ⟨2, (.mask .unbounded (bit 0x0)), (.mask .unbounded (bit 0x0)), sources (.cons .nil (.cons .nil (.cons (.cons (.field 5 (numbered (.cons 7 (.cons 7 .nil)))) .nil) (.cons (.cons (.field 5 (numbered (.cons 5 (.cons 4 .nil)))) .nil) .nil))))⟩ (.«until» 1 (.atom 8) (.not (.atom 9)))) 0 2) (.cons (.positive (.number 1)) (.cons (.positive (.number 1)) .nil)) := id rfl
#print axioms soft_moves_no_more_than_the_scores_1
-- soft/clause
theorem soft_clause_0 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨4, (.mask .unbounded (bit 0x6)), (.field 5 (numbered (.cons 9 (.cons 6 (.cons 3 (.cons 1 .nil)))))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).satisfied) 1 := id rfl
#print axioms soft_clause_0
theorem soft_clause_1 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨4, (.mask .unbounded (bit 0x6)), (.field 5 (numbered (.cons 9 (.cons 6 (.cons 3 (.cons 1 .nil)))))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).obligated) 2 := id rfl
#print axioms soft_clause_1
theorem soft_clause_2 : Eq (Nat.beq (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨4, (.mask .unbounded (bit 0x6)), (.field 5 (numbered (.cons 9 (.cons 6 (.cons 3 (.cons 1 .nil)))))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).obligated 0) .false := id rfl
#print axioms soft_clause_2
theorem soft_clause_3 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨4, (.mask .unbounded (bit 0x6)), (.field 5 (numbered (.cons 9 (.cons 6 (.cons 3 (.cons 1 .nil)))))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).least) (.negative (.number 2)) := id rfl
#print axioms soft_clause_3
theorem soft_clause_4 : Eq (Nat.add (Nat.mul 20 (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨4, (.mask .unbounded (bit 0x6)), (.field 5 (numbered (.cons 9 (.cons 6 (.cons 3 (.cons 1 .nil)))))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).above) 20) (Nat.mul 20 (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨4, (.mask .unbounded (bit 0x6)), (.field 5 (numbered (.cons 9 (.cons 6 (.cons 3 (.cons 1 .nil)))))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).below) := id rfl
#print axioms soft_clause_4
-- soft/clause-cut
theorem soft_clause_cut_0 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨4, (.mask .unbounded (bit 0x6)), (.field 5 (numbered (.cons 9 (.cons 6 (.cons 3 (.cons 1 .nil)))))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 3) (.implies (.atom 3) (.atom 0)))).satisfied) 1 := id rfl
#print axioms soft_clause_cut_0
theorem soft_clause_cut_1 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨4, (.mask .unbounded (bit 0x6)), (.field 5 (numbered (.cons 9 (.cons 6 (.cons 3 (.cons 1 .nil)))))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 3) (.implies (.atom 3) (.atom 0)))).obligated) 2 := id rfl
#print axioms soft_clause_cut_1
theorem soft_clause_cut_2 : Eq (Nat.beq (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨4, (.mask .unbounded (bit 0x6)), (.field 5 (numbered (.cons 9 (.cons 6 (.cons 3 (.cons 1 .nil)))))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 3) (.implies (.atom 3) (.atom 0)))).obligated 0) .false := id rfl
#print axioms soft_clause_cut_2
theorem soft_clause_cut_3 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨4, (.mask .unbounded (bit 0x6)), (.field 5 (numbered (.cons 9 (.cons 6 (.cons 3 (.cons 1 .nil)))))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 3) (.implies (.atom 3) (.atom 0)))).least) (.negative (.number 4)) := id rfl
#print axioms soft_clause_cut_3
theorem soft_clause_cut_4 : Eq ((Nat.mul 10 (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨4, (.mask .unbounded (bit 0x6)), (.field 5 (numbered (.cons 9 (.cons 6 (.cons 3 (.cons 1 .nil)))))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 3) (.implies (.atom 3) (.atom 0)))).above)) (Nat.add (Nat.mul 10 (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨4, (.mask .unbounded (bit 0x6)), (.field 5 (numbered (.cons 9 (.cons 6 (.cons 3 (.cons 1 .nil)))))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 3) (.implies (.atom 3) (.atom 0)))).below) 60) := id rfl
#print axioms soft_clause_cut_4
-- soft/clause-at-a-tie
theorem soft_clause_at_a_tie_0 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x0)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 3) (.atom 3))).satisfied) 1 := id rfl
#print axioms soft_clause_at_a_tie_0
theorem soft_clause_at_a_tie_1 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x0)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 3) (.atom 3))).obligated) 1 := id rfl
#print axioms soft_clause_at_a_tie_1
theorem soft_clause_at_a_tie_2 : Eq (Nat.beq (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x0)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 3) (.atom 3))).obligated 0) .false := id rfl
#print axioms soft_clause_at_a_tie_2
theorem soft_clause_at_a_tie_3 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x0)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 3) (.atom 3))).least) (.positive (.number 4)) := id rfl
#print axioms soft_clause_at_a_tie_3
theorem soft_clause_at_a_tie_4 : Eq ((Nat.mul 5 (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x0)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 3) (.atom 3))).above)) (Nat.add (Nat.mul 5 (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x0)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 3) (.atom 3))).below) 20) := id rfl
#print axioms soft_clause_at_a_tie_4
-- soft/clause-violated-at-a-tie
theorem soft_clause_violated_at_a_tie_0 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).satisfied) 1 := id rfl
#print axioms soft_clause_violated_at_a_tie_0
theorem soft_clause_violated_at_a_tie_1 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).obligated) 2 := id rfl
#print axioms soft_clause_violated_at_a_tie_1
theorem soft_clause_violated_at_a_tie_2 : Eq (Nat.beq (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).obligated 0) .false := id rfl
#print axioms soft_clause_violated_at_a_tie_2
theorem soft_clause_violated_at_a_tie_3 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).least) (.negative (.number 0)) := id rfl
#print axioms soft_clause_violated_at_a_tie_3
theorem soft_clause_violated_at_a_tie_4 : Eq ((Nat.mul 5 (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).above)) (Nat.add (Nat.mul 5 (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).below) 20) := id rfl
#print axioms soft_clause_violated_at_a_tie_4
-- soft/clause-vacuous
theorem soft_clause_vacuous_0 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x0)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).satisfied) 0 := id rfl
#print axioms soft_clause_vacuous_0
theorem soft_clause_vacuous_1 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x0)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).obligated) 0 := id rfl
#print axioms soft_clause_vacuous_1
theorem soft_clause_vacuous_2 : Eq (Nat.beq (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x0)), (.field 5 (numbered (.cons 5 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).obligated 0) .true := id rfl
#print axioms soft_clause_vacuous_2
-- soft/clause-ignored
theorem soft_clause_ignored_0 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 2 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil (.cons (.cons (.mask .unbounded (bit 0x1)) .nil) .nil)))⟩ 10 (.and (.atom 0) (.not (.atom 8))) (.atom 3))).satisfied) 1 := id rfl
#print axioms soft_clause_ignored_0
theorem soft_clause_ignored_1 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 2 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil (.cons (.cons (.mask .unbounded (bit 0x1)) .nil) .nil)))⟩ 10 (.and (.atom 0) (.not (.atom 8))) (.atom 3))).obligated) 1 := id rfl
#print axioms soft_clause_ignored_1
theorem soft_clause_ignored_2 : Eq (Nat.beq (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 2 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil (.cons (.cons (.mask .unbounded (bit 0x1)) .nil) .nil)))⟩ 10 (.and (.atom 0) (.not (.atom 8))) (.atom 3))).obligated 0) .false := id rfl
#print axioms soft_clause_ignored_2
theorem soft_clause_ignored_3 : Eq ((SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 2 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil (.cons (.cons (.mask .unbounded (bit 0x1)) .nil) .nil)))⟩ 10 (.and (.atom 0) (.not (.atom 8))) (.atom 3))).least) (.positive (.number 4)) := id rfl
#print axioms soft_clause_ignored_3
theorem soft_clause_ignored_4 : Eq ((Nat.mul 5 (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 2 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil (.cons (.cons (.mask .unbounded (bit 0x1)) .nil) .nil)))⟩ 10 (.and (.atom 0) (.not (.atom 8))) (.atom 3))).above)) (Nat.add (Nat.mul 5 (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 2 (.cons 9 .nil)))), sources (.cons .nil (.cons .nil (.cons (.cons (.mask .unbounded (bit 0x1)) .nil) .nil)))⟩ 10 (.and (.atom 0) (.not (.atom 8))) (.atom 3))).below) 20) := id rfl
#print axioms soft_clause_ignored_4
-- soft/clause-pooled
theorem soft_clause_pooled_0 : Eq ((SoftTally.add (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨1, (.mask .unbounded (bit 0x1)), (.field 5 (numbered (.cons 9 .nil))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 4 (.cons 3 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).satisfied) 1 := id rfl
#print axioms soft_clause_pooled_0
theorem soft_clause_pooled_1 : Eq ((SoftTally.add (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨1, (.mask .unbounded (bit 0x1)), (.field 5 (numbered (.cons 9 .nil))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 4 (.cons 3 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).obligated) 3 := id rfl
#print axioms soft_clause_pooled_1
theorem soft_clause_pooled_2 : Eq (Nat.beq (SoftTally.add (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨1, (.mask .unbounded (bit 0x1)), (.field 5 (numbered (.cons 9 .nil))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 4 (.cons 3 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).obligated 0) .false := id rfl
#print axioms soft_clause_pooled_2
theorem soft_clause_pooled_3 : Eq ((SoftTally.add (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨1, (.mask .unbounded (bit 0x1)), (.field 5 (numbered (.cons 9 .nil))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 4 (.cons 3 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).least) (.negative (.number 2)) := id rfl
#print axioms soft_clause_pooled_3
theorem soft_clause_pooled_4 : Eq ((Nat.mul 30 (SoftTally.add (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨1, (.mask .unbounded (bit 0x1)), (.field 5 (numbered (.cons 9 .nil))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 4 (.cons 3 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).above)) (Nat.add (Nat.mul 30 (SoftTally.add (SoftTally.add (SoftTally.none) (ScoreClip.tally ⟨1, (.mask .unbounded (bit 0x1)), (.field 5 (numbered (.cons 9 .nil))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))) (ScoreClip.tally ⟨2, (.mask .unbounded (bit 0x3)), (.field 5 (numbered (.cons 4 (.cons 3 .nil)))), sources (.cons .nil (.cons .nil .nil))⟩ 10 (.atom 0) (.atom 3))).below) 30) := id rfl
#print axioms soft_clause_pooled_4
end Tracepact.Vectors
