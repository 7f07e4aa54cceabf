import Tracepact.Spec.Formula
/-! Masks: a natural number whose bit `i` is frame `i`, and where a clip lies on a long one. -/
set_option autoImplicit false
namespace Tracepact

/-- Bit `i` of a mask. -/
def bit (m i : Nat) : Bool := Nat.testBit m i
/-- The mask of all of `n` frames. -/
def full (n : Nat) : Nat := Nat.sub (Nat.pow 2 n) 1
/-- Every frame of `x` is valid. -/
def Within (v x : Nat) : Prop := (p : Nat) → IsTrue (bit x p) → IsTrue (bit v p)
/-- The `n` frames from `s` on are valid, and the `g` frames before and after them are not. -/
structure Place (v s n g : Nat) : Prop where
  own : (i : Nat) → Lt i n → IsTrue (bit v (Nat.add s i))
  before : (j : Nat) → Lt j s → Nat.le s (Nat.add j g) → Not (IsTrue (bit v j))
  after : (j : Nat) → Nat.le (Nat.add s n) j → Lt j (Nat.add (Nat.add s n) g) → Not (IsTrue (bit v j))
end Tracepact
