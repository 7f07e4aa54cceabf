import Tracepact.Spec.Runs
/-! Extracting the runs of a mask: one scan over the frames, latest run first, then turned round. -/
set_option autoImplicit false
namespace Tracepact

/-- Frame `i` is active: the last run grows if it ended at `i`, else a new one begins. -/
def grow (i : Nat) : List Interval → List Interval
  | .nil => .cons ⟨i, .succ i⟩ .nil
  | .cons r rest => cond (Nat.beq r.stop i) (.cons ⟨r.start, .succ i⟩ rest) (.cons ⟨i, .succ i⟩ (.cons r rest))
/-- The runs of the first `n` frames, latest first. -/
def scan (a : Nat → Bool) : Nat → List Interval
  | .zero => .nil
  | .succ i => cond (a i) (grow i (scan a i)) (scan a i)
/-- The first list turned round, before the second. -/
def turned : List Interval → List Interval → List Interval
  | .nil, done => done
  | .cons r rest, done => turned rest (.cons r done)
/-- The runs of a mask of `n` frames, in order. -/
def runs (a : Nat → Bool) (n : Nat) : List Interval := turned (scan a n) .nil
end Tracepact
