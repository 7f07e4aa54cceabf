/-! Truth values and bounded search: the vocabulary of every definition below. -/
set_option autoImplicit false
namespace Tracepact

/-- The truth value `b` is true. -/
abbrev IsTrue (b : Bool) : Prop := Eq b .true

/-- `a` is less than `b`. -/
abbrev Lt (a b : Nat) : Prop := Nat.le (.succ a) b

@[macro_inline]
def band : Bool → Bool → Bool
  | .true, b => b
  | .false, _ => .false
@[macro_inline]
def bor : Bool → Bool → Bool
  | .true, _ => .true
  | .false, b => b
def bnot : Bool → Bool
  | .true => .false
  | .false => .true
def bxor : Bool → Bool → Bool
  | .true, b => bnot b
  | .false, b => b
@[macro_inline]
def bimplies (a b : Bool) : Bool := bor (bnot a) b
def biff (a b : Bool) : Bool := bnot (bxor a b)

/-- `p` at some number below `n`. -/
def anyBelow (p : Nat → Bool) : Nat → Bool
  | .zero => .false
  | .succ n => bor (p n) (anyBelow p n)

/-- `p` at every number below `n`. -/
def allBelow (p : Nat → Bool) : Nat → Bool
  | .zero => .true
  | .succ n => band (p n) (allBelow p n)

/-- One for true, zero for false. -/
def toNat : Bool → Nat
  | .true => 1
  | .false => 0

/-- How many numbers below `n` satisfy `p`. -/
def count (p : Nat → Bool) : Nat → Nat
  | .zero => 0
  | .succ n => Nat.add (count p n) (toNat (p n))

/-- The larger of two numbers. -/
def larger (a b : Nat) : Nat := cond (Nat.ble a b) b a

/-- The smaller of two numbers. -/
def smaller (a b : Nat) : Nat := cond (Nat.ble a b) a b

/-- `x` is an entry of the list. -/
def Mem {α : Type} (x : α) : List α → Prop
  | .nil => False
  | .cons y rest => Or (Eq x y) (Mem x rest)
/-- `x` is entry `i` of the list, counted from 0. -/
def Entry {α : Type} (x : α) : List α → Nat → Prop
  | .nil, _ => False
  | .cons y _, .zero => Eq x y
  | .cons _ rest, .succ i => Entry x rest i
/-- How many entries of the list satisfy `p`. -/
def listCount {α : Type} (p : α → Bool) : List α → Nat
  | .nil => 0
  | .cons x rest => Nat.add (listCount p rest) (toNat (p x))
/-- How many entries the list has. -/
def length {α : Type} : List α → Nat
  | .nil => 0
  | .cons _ rest => .succ (length rest)
end Tracepact
