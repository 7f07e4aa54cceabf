import Tracepact.Thm.Vector.Force
/-!
What is compiled in the place of a recursor is equal to it, at all arguments. `implemented_by` names the one that is
compiled, and `prove` asks for the statement of each in `Statements.lean`.
-/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- **Compiled.** Computing a value first changes nothing. -/
theorem force_compiled (x : Nat) (k : Nat → Bool) : Eq (force x k) (forceRun x k) := force_eq x k
/-- **Compiled.** Nor does computing a list of numbers first. -/
theorem forceNats_compiled (l : List Nat) (k : List Nat → Bool) : Eq (forceNats l k) (forceNatsRun l k) :=
  forceNats_eq l k
/-- **Compiled.** Nor a list of intervals. -/
theorem forceIntervals_compiled (l : List Interval) (k : List Interval → Bool) :
    Eq (forceIntervals l k) (forceIntervalsRun l k) := forceIntervals_eq l k
/-- **Compiled.** Nor an integer. -/
theorem forceInt_compiled (x : Int) (k : Int → Bool) : Eq (forceInt x k) (forceIntRun x k) := forceInt_eq x k
/-- **Compiled.** Nor a list of candidates. -/
theorem forceCandidates_compiled (l : List Candidate) (k : List Candidate → Bool) :
    Eq (forceCandidates l k) (forceCandidatesRun l k) := forceCandidates_eq l k

theorem shifted_compiled (w : Nat) : (l : List Nat) → (c : Nat) → Eq (addShifted w l c) (addShiftedRun w l c)
  | .nil, _ => rfl
  | .cons _ rest, _ => congrArg (List.cons _) (shifted_compiled w rest _)
/-- **Compiled.** Adding shifted counters by cases is adding them by the recursor. -/
theorem addShifted_compiled (w : Nat) (l : List Nat) (c : Nat) : Eq (addShifted w l c) (addShiftedRun w l c) :=
  shifted_compiled w l c
theorem folded_compiled : (d : Nat) → (l : List Nat) → Eq (fold d l) (foldRun d l)
  | .zero, _ => rfl
  | .succ d, l => folded_compiled d (addShifted (Nat.pow 2 d) l 0)
/-- **Compiled.** So is folding. -/
theorem fold_compiled (d : Nat) (l : List Nat) : Eq (fold d l) (foldRun d l) := folded_compiled d l
theorem counted_compiled (i : Nat) : (l : List Nat) → Eq (counter l i) (counterRun l i)
  | .nil => rfl
  | .cons s rest => congrArg (fun n => Nat.add (toNat (bit s i)) (Nat.mul n 2)) (counted_compiled i rest)
/-- **Compiled.** So is reading a counter. -/
theorem counter_compiled (l : List Nat) (i : Nat) : Eq (counter l i) (counterRun l i) := counted_compiled i l
theorem read_compiled (i : Nat) : (l : List Nat) → Eq (readCounter l i) (readCounterRun l i)
  | .nil => rfl
  | .cons s rest =>
    congrArg (fun n => Nat.add (Nat.land (Nat.shiftRight s i) 1) (Nat.mul n 2)) (read_compiled i rest)
/-- **Compiled.** So is reading one with one operation for a bit. -/
theorem readCounter_compiled (l : List Nat) (i : Nat) : Eq (readCounter l i) (readCounterRun l i) := read_compiled i l
/-- **Compiled.** So are the counts of a row. -/
theorem rowCounts_compiled (h : Hints) (s : Nat) (x : Row) : Eq (rowCounts h s x) (rowCountsRun h s x) :=
  match x with
  | ⟨.frame _ _, _, _, _⟩ => rfl
  | ⟨.event _ _, _, _, _⟩ => rfl
theorem rows_compiled (h : Hints) (s n : Nat) (e : Bool) : (l : List Row) → (k : List Row → Bool) →
    Eq (withNextRows h s n e l k) (withNextRowsRun h s n e l k)
  | .nil, _ => rfl
  | .cons x rest, k =>
    let next (t : Tally) (rows : List Row) : Bool := k (.cons ⟨x.clause, x.satisfied, x.obligated, t⟩ rows)
    let slow (t : Tally) : Bool := withNextRows h s n e rest (next t)
    let run (t : Tally) : Bool := withNextRowsRun h s n e rest (next t)
    Eq.trans (forceCounts_eq (rowCounts h s x) fun c => forceTally (rowTally n e x c) slow)
      (Eq.trans (forceTally_eq (rowTally n e x (rowCounts h s x)) slow)
        (Eq.trans (rows_compiled h s n e rest (next (rowTally n e x (rowCounts h s x))))
          (Eq.symm (Eq.trans (forceCounts_eq (rowCounts h s x) fun c => forceTally (rowTally n e x c) run)
            (forceTally_eq (rowTally n e x (rowCounts h s x)) run)))))
/-- **Compiled.** So are the next rows. -/
theorem withNextRows_compiled (h : Hints) (s n : Nat) (e : Bool) (l : List Row) (k : List Row → Bool) :
    Eq (withNextRows h s n e l k) (withNextRowsRun h s n e l k) := rows_compiled h s n e l k
end Tracepact
