import Tracepact.Spec.Boundary
import Tracepact.Spec.Matching
/-!
Soft readings of score fields (chapter 18): how far each verdict is from its opposite, in score.

Scores, thresholds and declared margins are whole multiples of one unit. Finitely many decimals or fractions always are:
the unit is one over a common denominator.
-/
set_option autoImplicit false
namespace Tracepact

/-- How far a soft value is from zero: so many units, or unboundedly far. -/
inductive Size where
  | number (k : Nat)
  | unbounded
/-- A soft value (rule 18.2): a sign and a size. `.negative (.number 0)` is the zero −0, `.positive (.number 0)` is +0;
the two unbounded ones are the infinities. -/
inductive Soft where
  | negative (size : Size)
  | positive (size : Size)
def isPositive : Soft → Bool
  | .negative _ => .false
  | .positive _ => .true
def Soft.size : Soft → Size
  | .negative a => a
  | .positive a => a
/-- The same size with the other sign. -/
def opposite : Soft → Soft
  | .negative a => .positive a
  | .positive a => .negative a
/-- The greatest soft value. -/
def softTop : Soft := .positive .unbounded
/-- The least soft value. -/
def softBottom : Soft := .negative .unbounded

def sizeAtMost : Size → Size → Bool
  | .number a, .number b => Nat.ble a b
  | .unbounded, .number _ => .false
  | .number _, .unbounded => .true
  | .unbounded, .unbounded => .true
/-- The order of soft values: the negative ones, −0 the last of them, before the positive ones, +0 the first. -/
def softAtMost : Soft → Soft → Bool
  | .negative a, .negative b => sizeAtMost b a
  | .negative _, .positive _ => .true
  | .positive _, .negative _ => .false
  | .positive a, .positive b => sizeAtMost a b
def lesser (x y : Soft) : Soft := cond (softAtMost x y) x y
def greater (x y : Soft) : Soft := cond (softAtMost x y) y x
/-- The greatest of `p` below `n`; of nothing, the least soft value. -/
def greatestBelow (p : Nat → Soft) : Nat → Soft
  | .zero => softBottom
  | .succ n => greater (p n) (greatestBelow p n)
/-- The least of `p` below `n`; of nothing, the greatest soft value. -/
def leastBelow (p : Nat → Soft) : Nat → Soft
  | .zero => softTop
  | .succ n => lesser (p n) (leastBelow p n)

/-- `x` is the greatest of `p` over the frames with `P`; if there are none, the least soft value. -/
structure GreatestOver (P : Nat → Prop) (p : Nat → Soft) (x : Soft) : Prop where
  above : (j : Nat) → P j → IsTrue (softAtMost (p j) x)
  taken : Or (Exists fun j => And (P j) (Eq x (p j))) (And ((j : Nat) → Not (P j)) (Eq x softBottom))
/-- `x` is the least of `p` over the frames with `P`; if there are none, the greatest soft value. -/
structure LeastOver (P : Nat → Prop) (p : Nat → Soft) (x : Soft) : Prop where
  below : (j : Nat) → P j → IsTrue (softAtMost x (p j))
  taken : Or (Exists fun j => And (P j) (Eq x (p j))) (And ((j : Nat) → Not (P j)) (Eq x softTop))

/-- Score less threshold (rules 18.1 and 18.2); of a score that equals its threshold, −0. -/
def margin (threshold score : Nat) : Soft :=
  cond (Nat.ble score threshold) (.negative (.number (Nat.sub threshold score)))
    (.positive (.number (Nat.sub score threshold)))
/-- What an atom is read from: a score at every frame and a threshold, or a mask and its margin. -/
inductive Source where
  | field (threshold : Nat) (score : Nat → Nat)
  | mask (size : Size) (active : Nat → Bool)
/-- The soft values of a source (rule 18.3). -/
def Source.soft : Source → Nat → Soft
  | .field threshold score, i => margin threshold (score i)
  | .mask size active, i => cond (active i) (.positive size) (.negative size)
/-- The Boolean reading of a source: where its score is greater than its threshold (rule 18.1). -/
def Source.active : Source → Nat → Bool
  | .field threshold score, i => Nat.ble (.succ threshold) (score i)
  | .mask _ active, i => active i

/-- Rule 18.4. -/
def softOnset (x : Nat → Soft) : Nat → Soft
  | .zero => x 0
  | .succ i => lesser (x (.succ i)) (opposite (x i))
/-- Rule 18.4. -/
def softOffset (x : Nat → Soft) : Nat → Soft
  | .zero => softBottom
  | .succ i => lesser (opposite (x (.succ i))) (x i)
/-- The greatest soft value of some sources (rule 18.5): of other classes, or of one declared atom. -/
def greatestOf : List Source → Nat → Soft
  | .nil, _ => softBottom
  | .cons s rest, i => greater (s.soft i) (greatestOf rest i)
/-- Some source is active. -/
def someActive : List Source → Nat → Bool
  | .nil, _ => .false
  | .cons s rest, i => bor (s.active i) (someActive rest i)

/-- A clip and class: its two sides, and by number what its further atoms are read from. -/
structure ScoreClip where
  frames : Nat
  ref : Source
  pred : Source
  more : Nat → List Source
/-- Its Boolean reading: a trace whose six boundary atoms are those of the masks of its sides. -/
def ScoreClip.reading (c : ScoreClip) : Trace :=
  ⟨c.frames, boundaryAtom c.ref.active c.pred.active (fun k => someActive (c.more k))⟩
/-- The soft values of the atoms, numbered as those of `boundaryAtom`. -/
def softAtom (ref pred : Nat → Soft) (extra : Nat → Nat → Soft) : Nat → Nat → Soft
  | .zero => ref
  | .succ .zero => softOnset ref
  | .succ (.succ .zero) => softOffset ref
  | .succ (.succ (.succ .zero)) => pred
  | .succ (.succ (.succ (.succ .zero))) => softOnset pred
  | .succ (.succ (.succ (.succ (.succ .zero)))) => softOffset pred
  | .succ (.succ (.succ (.succ (.succ (.succ k))))) => extra k

/-- The soft value of a formula at frame `i` of `n` (rules 18.3 and 18.6 to 18.8), by naive loops over all frames. -/
def soft (n : Nat) (atom : Nat → Nat → Soft) : Formula → Nat → Soft
  | .atom k, i => atom k i
  | .constant b, _ => cond b softTop softBottom
  | .not f, i => opposite (soft n atom f i)
  | .and f g, i => lesser (soft n atom f i) (soft n atom g i)
  | .or f g, i => greater (soft n atom f i) (soft n atom g i)
  | .implies f g, i => greater (opposite (soft n atom f i)) (soft n atom g i)
  | .iff f g, i => lesser (greater (opposite (soft n atom f i)) (soft n atom g i))
      (greater (soft n atom f i) (opposite (soft n atom g i)))
  | .eventually lo hi f, i =>
      greatestBelow (fun j => cond (band (atLeast i lo j) (atMost i hi j)) (soft n atom f j) softBottom) n
  | .always lo hi f, i =>
      leastBelow (fun j => cond (band (atLeast i lo j) (atMost i hi j)) (soft n atom f j) softTop) n
  | .«until» r f g, i => greatestBelow (fun j => cond (band (Nat.ble i j) (Nat.ble j (Nat.add i r)))
      (lesser (soft n atom g j) (leastBelow (fun k => cond (Nat.ble i k) (soft n atom f k) softTop) j)) softBottom) n
  | .since r f g, i => greatestBelow (fun j => cond (band (Nat.ble j i) (Nat.ble i (Nat.add j r)))
      (lesser (soft n atom g j)
        (leastBelow (fun k => cond (Nat.ble (.succ j) k) (soft n atom f k) softTop) (.succ i))) softBottom) n
/-- The soft value of a formula at a frame of a clip. -/
def ScoreClip.value (c : ScoreClip) (f : Formula) (i : Nat) : Soft :=
  soft c.frames (softAtom c.ref.soft c.pred.soft (fun k => greatestOf (c.more k))) f i

/-! ### Soft scores: rule 18.10 -/
/-- What a soft value, cut to [−1, 1], adds to a sum; `unit` units are 1. -/
def cutAbove (unit : Nat) : Soft → Nat
  | .negative _ => 0
  | .positive (.number k) => smaller k unit
  | .positive .unbounded => unit
/-- What it takes away. -/
def cutBelow (unit : Nat) : Soft → Nat
  | .negative (.number k) => smaller k unit
  | .negative .unbounded => unit
  | .positive _ => 0
/-- What some obligations come to: the sum of their cut values as what is added and what is taken away, how many are
satisfied, how many there are, and the least soft value. The soft score is `(above − below) / (unit · obligated)`. -/
structure SoftTally where
  above : Nat
  below : Nat
  satisfied : Nat
  obligated : Nat
  least : Soft
def SoftTally.none : SoftTally := ⟨0, 0, 0, 0, softTop⟩
def SoftTally.add (t u : SoftTally) : SoftTally :=
  ⟨Nat.add t.above u.above, Nat.add t.below u.below, Nat.add t.satisfied u.satisfied,
    Nat.add t.obligated u.obligated, lesser t.least u.least⟩
/-- One obligation. -/
def SoftTally.one (unit : Nat) (x : Soft) : SoftTally :=
  ⟨cutAbove unit x, cutBelow unit x, toNat (isPositive x), 1, x⟩
/-- The obligations below `n`. -/
def softTally (unit : Nat) (o : Nat → Bool) (x : Nat → Soft) : Nat → SoftTally
  | .zero => .none
  | .succ n => cond (o n) ((softTally unit o x n).add (.one unit (x n))) (softTally unit o x n)
/-- What a frame clause comes to on a clip. -/
def ScoreClip.tally (c : ScoreClip) (unit : Nat) (obligation formula : Formula) : SoftTally :=
  softTally unit (fun i => isPositive (c.value obligation i)) (c.value formula) c.frames

/-! ### Movement -/
/-- Two sizes of one sign differ by at most `e`; unbounded ones are the same. -/
def SizeNear (e : Nat) : Size → Size → Prop
  | .number a, .number b => Nat.le (distance a b) e
  | .unbounded, .unbounded => True
  | .number _, .unbounded => False
  | .unbounded, .number _ => False
/-- Two sizes of different signs lie within `e` of each other. -/
def SizeAcross (e : Nat) : Size → Size → Prop
  | .number a, .number b => Nat.le (Nat.add a b) e
  | .unbounded, _ => False
  | .number _, .unbounded => False
/-- The soft value moved by at most `e`; an infinite one stayed. -/
def SoftNear (e : Nat) : Soft → Soft → Prop
  | .negative a, .negative b => SizeNear e a b
  | .negative a, .positive b => SizeAcross e a b
  | .positive a, .negative b => SizeAcross e a b
  | .positive a, .positive b => SizeNear e a b
/-- The size is greater than `e`. -/
def Beyond (e : Nat) : Size → Prop
  | .number k => Lt e k
  | .unbounded => True
/-- The scores of a source moved by at most `e` at every frame; threshold, mask and margin stayed. -/
def SourceMoved (e n : Nat) : Source → Source → Prop
  | .field threshold score, .field threshold' score' =>
      And (Eq threshold threshold') ((j : Nat) → Lt j n → Nat.le (distance (score j) (score' j)) e)
  | .mask size active, .mask size' active' =>
      And (Eq size size') ((j : Nat) → Lt j n → Eq (active j) (active' j))
  | .field _ _, .mask _ _ => False
  | .mask _ _, .field _ _ => False
def SourcesMoved (e n : Nat) : List Source → List Source → Prop
  | .nil, .nil => True
  | .cons s rest, .cons s' rest' => And (SourceMoved e n s s') (SourcesMoved e n rest rest')
  | .nil, .cons _ _ => False
  | .cons _ _, .nil => False
/-- Every score of the clip moved by at most `e`. -/
structure ScoresMoved (e : Nat) (c c' : ScoreClip) : Prop where
  frames : Eq c.frames c'.frames
  ref : SourceMoved e c.frames c.ref c'.ref
  pred : SourceMoved e c.frames c.pred c'.pred
  more : (k : Nat) → SourcesMoved e c.frames (c.more k) (c'.more k)
end Tracepact
