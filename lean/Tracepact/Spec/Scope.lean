import Tracepact.Spec.Formula
/-! How far a formula looks. Each node clamps at zero: `Nat.sub` is zero where the difference would be negative. -/
set_option autoImplicit false
namespace Tracepact

/-- `max 0 (m - lo)`. -/
def minusOffset (m : Nat) : Int → Nat
  | .ofNat k => Nat.sub m k
  | .negSucc k => Nat.add m (.succ k)
/-- `max 0 (m + hi)`. -/
def plusOffset (m : Nat) : Int → Nat
  | .ofNat k => Nat.add m k
  | .negSucc k => Nat.sub m (.succ k)

/-- How far an until or since of radius `r` looks in its direction, when its two parts look `left` and `right` frames
further:
the left part is only read at frames nearer than the radius, and with radius 0 not at all. -/
def untilReach : Nat → Nat → Nat → Nat
  | .zero, _, right => right
  | .succ r, left, right => larger (Nat.add r left) (Nat.add (.succ r) right)

/-- How many frames before the present one a formula may depend on. -/
def lookback : Formula → Nat
  | .atom _ => 0
  | .constant _ => 0
  | .not f => lookback f
  | .and f g => larger (lookback f) (lookback g)
  | .or f g => larger (lookback f) (lookback g)
  | .implies f g => larger (lookback f) (lookback g)
  | .iff f g => larger (lookback f) (lookback g)
  | .eventually lo _ f => minusOffset (lookback f) lo
  | .always lo _ f => minusOffset (lookback f) lo
  | .«until» _ f g => larger (lookback f) (lookback g)
  | .since r f g => untilReach r (lookback f) (lookback g)

/-- How many frames after the present one a formula may depend on. -/
def lookahead : Formula → Nat
  | .atom _ => 0
  | .constant _ => 0
  | .not f => lookahead f
  | .and f g => larger (lookahead f) (lookahead g)
  | .or f g => larger (lookahead f) (lookahead g)
  | .implies f g => larger (lookahead f) (lookahead g)
  | .iff f g => larger (lookahead f) (lookahead g)
  | .eventually _ hi f => plusOffset (lookahead f) hi
  | .always _ hi f => plusOffset (lookahead f) hi
  | .«until» r f g => untilReach r (lookahead f) (lookahead g)
  | .since _ f g => larger (lookahead f) (lookahead g)

/-- Frame `j` lies in `[i - lookback, i + lookahead]`. -/
structure InScope (f : Formula) (i j : Nat) : Prop where
  lower : Nat.le i (Nat.add j (lookback f))
  upper : Nat.le j (Nat.add i (lookahead f))

/-- Atom `k` occurs in the formula. -/
def Uses (k : Nat) : Formula → Prop
  | .atom l => Eq k l
  | .constant _ => False
  | .not f => Uses k f
  | .and f g => Or (Uses k f) (Uses k g)
  | .or f g => Or (Uses k f) (Uses k g)
  | .implies f g => Or (Uses k f) (Uses k g)
  | .iff f g => Or (Uses k f) (Uses k g)
  | .eventually _ _ f => Uses k f
  | .always _ _ f => Uses k f
  | .«until» _ f g => Or (Uses k f) (Uses k g)
  | .since _ f g => Or (Uses k f) (Uses k g)

/-- To a formula the two traces look the same at frame `j`: both or neither has it, and there its atoms agree. -/
structure SameAt (f : Formula) (t t' : Trace) (j : Nat) : Prop where
  inside : Iff (Lt j t.frames) (Lt j t'.frames)
  atom : (k : Nat) → Uses k f → Lt j t.frames → Eq (t.atom k j) (t'.atom k j)

/-- Frame `j` of `t'` looks to a formula like frame `s + j` of `t`. -/
structure ShiftedAt (s : Nat) (f : Formula) (t t' : Trace) (j : Nat) : Prop where
  inside : Iff (Lt j t'.frames) (Lt (Nat.add s j) t.frames)
  atom : (k : Nat) → Uses k f → Lt j t'.frames → Eq (t'.atom k j) (t.atom k (Nat.add s j))
/-- `t'` continues `t`: it has every frame of `t`, with the same atoms. -/
structure Continues (t t' : Trace) : Prop where
  longer : Nat.le t.frames t'.frames
  atom : (k j : Nat) → Lt j t.frames → Eq (t.atom k j) (t'.atom k j)
end Tracepact
