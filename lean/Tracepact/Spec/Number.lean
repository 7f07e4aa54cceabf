import Tracepact.Spec.Matching
/-! Exact numbers: signed fractions, and one that is greater than all of them. -/
set_option autoImplicit false
namespace Tracepact

/-- `(plus - minus) / over`. With `over = 0` and `plus > minus` it is unbounded: greater than every other number. -/
structure Number where
  plus : Nat
  minus : Nat
  over : Nat
/-- A whole number. -/
def whole (n : Nat) : Number := ⟨n, 0, 1⟩
/-- `n / d`. -/
def ratio (n d : Nat) : Number := ⟨n, 0, d⟩
/-- Greater than every number. -/
def unbounded : Number := ⟨1, 0, 0⟩

def Number.add (x y : Number) : Number :=
  ⟨Nat.add (Nat.mul x.plus y.over) (Nat.mul y.plus x.over), Nat.add (Nat.mul x.minus y.over) (Nat.mul y.minus x.over),
   Nat.mul x.over y.over⟩
def Number.negative (x : Number) : Number := ⟨x.minus, x.plus, x.over⟩
def Number.times (x y : Number) : Number :=
  ⟨Nat.add (Nat.mul x.plus y.plus) (Nat.mul x.minus y.minus), Nat.add (Nat.mul x.plus y.minus) (Nat.mul x.minus y.plus),
   Nat.mul x.over y.over⟩
def Number.absolute (x : Number) : Number := ⟨distance x.plus x.minus, 0, x.over⟩
/-- `x ≤ y`, by multiplication with both denominators. -/
def Number.atMost (x y : Number) : Bool :=
  Nat.ble (Nat.add (Nat.mul x.plus y.over) (Nat.mul y.minus x.over))
      (Nat.add (Nat.mul y.plus x.over) (Nat.mul x.minus y.over))
def Number.least (x y : Number) : Number := cond (x.atMost y) x y
def Number.greatest (x y : Number) : Number := cond (x.atMost y) y x
end Tracepact
