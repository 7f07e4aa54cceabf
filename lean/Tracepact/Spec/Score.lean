import Tracepact.Spec.Formula
/-! Obligations and scores. `o` and `v` are two masks of `n` frames: where a clause is obliged, and where it holds. -/
set_option autoImplicit false
namespace Tracepact

/-- How many frames are obliged. -/
def obligations (o : Nat → Bool) (n : Nat) : Nat := count o n
/-- How many obliged frames hold. -/
def satisfied (o v : Nat → Bool) (n : Nat) : Nat := count (fun i => band (o i) (v i)) n
/-- How many obliged frames fail. -/
def violated (o v : Nat → Bool) (n : Nat) : Nat := count (fun i => band (o i) (bnot (v i))) n
/-- Nothing is obliged. -/
def vacuous (o : Nat → Bool) (n : Nat) : Bool := Nat.beq (obligations o n) 0
end Tracepact
