import Tracepact.Spec.Truth
/-! The core language: traces, formulas, what a formula means, and the evaluator that decides it. -/
set_option autoImplicit false
namespace Tracepact

/-- `frames` frames; `atom k i` is the value of atom `k` at frame `i`. Only frames `i` below `frames` exist. -/
structure Trace where
  frames : Nat
  atom : Nat → Nat → Bool

/-- The constructors of the Python core. Offsets are whole frames and may be negative; a radius may not. -/
inductive Formula where
  | atom (k : Nat)
  | constant (b : Bool)
  | not (body : Formula)
  | and (left right : Formula)
  | or (left right : Formula)
  | implies (left right : Formula)
  | iff (left right : Formula)
  | eventually (lo hi : Int) (body : Formula)
  | always (lo hi : Int) (body : Formula)
  | «until» (radius : Nat) (left right : Formula)
  | since (radius : Nat) (left right : Formula)

/-- The offset of `k` frames to the past. -/
def back : Nat → Int
  | .zero => .ofNat .zero
  | .succ k => .negSucc k

/-- `N[r]`: at some frame at distance at most `r`. -/
def near (r : Nat) (body : Formula) : Formula := .eventually (back r) (.ofNat r) body

/-- `i + lo ≤ j`. -/
def AtLeast (i : Nat) : Int → Nat → Prop
  | .ofNat k, j => Nat.le (Nat.add i k) j
  | .negSucc k, j => Nat.le i (Nat.add j (.succ k))

/-- `j ≤ i + hi`. -/
def AtMost (i : Nat) : Int → Nat → Prop
  | .ofNat k, j => Nat.le j (Nat.add i k)
  | .negSucc k, j => Nat.le (Nat.add j (.succ k)) i

/-- Frame `j` is one of the `n` frames and lies in `[i + lo, i + hi]`. -/
structure InWindow (n i : Nat) (lo hi : Int) (j : Nat) : Prop where
  inside : Lt j n
  lower : AtLeast i lo j
  upper : AtMost i hi j

/-- Frame `j` is one of the `n` frames and lies in `[i, i + r]`. -/
structure Ahead (n i r j : Nat) : Prop where
  inside : Lt j n
  lower : Nat.le i j
  upper : Nat.le j (Nat.add i r)

/-- Frame `j` is one of the `n` frames and lies in `[i - r, i]`. -/
structure Behind (n i r j : Nat) : Prop where
  inside : Lt j n
  upper : Nat.le j i
  lower : Nat.le i (Nat.add j r)

/-- What a formula means at frame `i` of a trace. -/
def Holds (t : Trace) : Formula → Nat → Prop
  | .atom k, i => IsTrue (t.atom k i)
  | .constant b, _ => IsTrue b
  | .not f, i => Not (Holds t f i)
  | .and f g, i => And (Holds t f i) (Holds t g i)
  | .or f g, i => Or (Holds t f i) (Holds t g i)
  | .implies f g, i => Holds t f i → Holds t g i
  | .iff f g, i => Iff (Holds t f i) (Holds t g i)
  | .eventually lo hi f, i => Exists fun j => And (InWindow t.frames i lo hi j) (Holds t f j)
  | .always lo hi f, i => (j : Nat) → InWindow t.frames i lo hi j → Holds t f j
  | .«until» r f g, i => Exists fun j => And (Ahead t.frames i r j)
      (And (Holds t g j) ((k : Nat) → Nat.le i k → Lt k j → Holds t f k))
  | .since r f g, i => Exists fun j => And (Behind t.frames i r j)
      (And (Holds t g j) ((k : Nat) → Lt j k → Nat.le k i → Holds t f k))

def atLeast (i : Nat) : Int → Nat → Bool
  | .ofNat k, j => Nat.ble (Nat.add i k) j
  | .negSucc k, j => Nat.ble i (Nat.add j (.succ k))
def atMost (i : Nat) : Int → Nat → Bool
  | .ofNat k, j => Nat.ble j (Nat.add i k)
  | .negSucc k, j => Nat.ble (Nat.add j (.succ k)) i

/-- The evaluator: naive loops over all frames. -/
def eval (t : Trace) : Formula → Nat → Bool
  | .atom k, i => t.atom k i
  | .constant b, _ => b
  | .not f, i => bnot (eval t f i)
  | .and f g, i => band (eval t f i) (eval t g i)
  | .or f g, i => bor (eval t f i) (eval t g i)
  | .implies f g, i => bimplies (eval t f i) (eval t g i)
  | .iff f g, i => biff (eval t f i) (eval t g i)
  | .eventually lo hi f, i =>
      anyBelow (fun j => band (band (atLeast i lo j) (atMost i hi j)) (eval t f j)) t.frames
  | .always lo hi f, i =>
      allBelow (fun j => bimplies (band (atLeast i lo j) (atMost i hi j)) (eval t f j)) t.frames
  | .«until» r f g, i => anyBelow (fun j => band (band (Nat.ble i j) (Nat.ble j (Nat.add i r)))
      (band (eval t g j) (allBelow (fun k => bimplies (Nat.ble i k) (eval t f k)) j))) t.frames
  | .since r f g, i => anyBelow (fun j => band (band (Nat.ble j i) (Nat.ble i (Nat.add j r)))
      (band (eval t g j) (allBelow (fun k => bimplies (Nat.ble (.succ j) k) (eval t f k)) (.succ i)))) t.frames

/-- The order of signed offsets. -/
def OffsetLe : Int → Int → Prop
  | .ofNat a, .ofNat b => Nat.le a b
  | .negSucc _, .ofNat _ => True
  | .ofNat _, .negSucc _ => False
  | .negSucc a, .negSucc b => Nat.le b a
end Tracepact
