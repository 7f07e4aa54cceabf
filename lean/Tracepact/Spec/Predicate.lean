import Tracepact.Spec.Candidates
import Tracepact.Spec.Number
/-! The predicates of event clauses (chapter 4). Intervals are in units of time, as the constants are. -/
set_option autoImplicit false
namespace Tracepact

/-! ### The language -/
inductive Side where
  | ref
  | pred
/-- The attributes with a number for a value (rules 4.5 and 4.7 to 4.10). -/
inductive Attribute where
  | onset (owner : Side)
  | offset (owner : Side)
  | duration (owner : Side)
  | covering (owner : Side)
  | coverage (owner : Side)
  | longestGap
  | shortestGap
  | purity
  | overlap
  | iou
/-- The terms of a comparison (rule 4.2). -/
inductive Quantity where
  | number (x : Number)
  | attribute (a : Attribute)
  | sum (left right : Quantity)
  | difference (left right : Quantity)
  | scaled (factor : Number) (body : Quantity)
  | absolute (body : Quantity)
  | minimum (left right : Quantity)
  | maximum (left right : Quantity)
inductive Relation where
  | le
  | lt
  | ge
  | gt
  | eq
  | ne
inductive Predicate where
  | constant (b : Bool)
  | matched
  | dominant
  | compare (relation : Relation) (left right : Quantity)
  | not (body : Predicate)
  | and (left right : Predicate)
  | or (left right : Predicate)
  | implies (left right : Predicate)
  | iff (left right : Predicate)

/-! ### What it is about -/
/-- The joined runs of a clip and class, and the reference runs of the other classes of the clip. -/
structure Scene where
  refs : List Interval
  preds : List Interval
  others : List (List Interval)
/-- An obligated interval and its partner, by side; one of them may be missing (rule 4.4). -/
structure Obligation where
  ref : Option Interval
  pred : Option Interval
  scene : Scene

/-! ### Attributes -/
def isThere : Option Interval → Bool
  | .none => .false
  | .some _ => .true
/-- The interval; where there is none, an empty one, which no comparison reads. -/
def interval : Option Interval → Interval
  | .none => ⟨0, 0⟩
  | .some r => r
def Interval.length (r : Interval) : Nat := Nat.sub r.stop r.start
def overlaps (r q : Interval) : Bool := band (Nat.ble (.succ r.start) q.stop) (Nat.ble (.succ q.start) r.stop)
/-- How much of `r` the others cover; they do not overlap each other. -/
def covered (r : Interval) : List Interval → Nat
  | .nil => 0
  | .cons q rest => Nat.add (overlap r q) (covered r rest)
/-- The others that overlap `r`. -/
def overlapping (r : Interval) : List Interval → List Interval
  | .nil => .nil
  | .cons q rest => cond (overlaps r q) (.cons q (overlapping r rest)) (overlapping r rest)
/-- The gap between `r` and the first of a list, before the gaps between those. -/
def gapsAfter (r : Interval) : List Interval → List Nat
  | .nil => .nil
  | .cons q rest => .cons (Nat.sub q.start r.stop) (gapsAfter q rest)
/-- The gaps between consecutive intervals. -/
def gaps : List Interval → List Nat
  | .nil => .nil
  | .cons r rest => gapsAfter r rest
def longest : List Nat → Nat
  | .nil => 0
  | .cons d rest => larger d (longest rest)
def shortest : List Nat → Number
  | .nil => unbounded
  | .cons d rest => (whole d).least (shortest rest)
/-- The obligated interval's own side. -/
def Obligation.side (o : Obligation) : Side → Option Interval
  | .ref => o.ref
  | .pred => o.pred
/-- The runs of the side that is not the owner's. -/
def Scene.across (x : Scene) : Side → List Interval
  | .ref => x.preds
  | .pred => x.refs
def attributeValue (o : Obligation) : Attribute → Number
  | .onset s => whole (interval (o.side s)).start
  | .offset s => whole (interval (o.side s)).stop
  | .duration s => whole (interval (o.side s)).length
  | .covering s => whole (length (overlapping (interval (o.side s)) (o.scene.across s)))
  | .coverage s => ratio (covered (interval (o.side s)) (o.scene.across s)) (interval (o.side s)).length
  | .longestGap => whole (longest (gaps (overlapping (interval o.ref) o.scene.preds)))
  | .shortestGap => shortest (gaps (overlapping (interval o.ref) o.scene.preds))
  | .purity => ratio (covered (interval o.pred) o.scene.refs) (interval o.pred).length
  | .overlap => whole (overlap (interval o.ref) (interval o.pred))
  | .iou => ratio (overlap (interval o.ref) (interval o.pred))
      (Nat.sub (Nat.add (interval o.ref).length (interval o.pred).length) (overlap (interval o.ref) (interval o.pred)))
/-- The interval that the attribute belongs to exists; of the pair, both. -/
def attributeThere (o : Obligation) : Attribute → Bool
  | .onset s => isThere (o.side s)
  | .offset s => isThere (o.side s)
  | .duration s => isThere (o.side s)
  | .covering s => isThere (o.side s)
  | .coverage s => isThere (o.side s)
  | .longestGap => isThere o.ref
  | .shortestGap => isThere o.ref
  | .purity => isThere o.pred
  | .overlap => band (isThere o.ref) (isThere o.pred)
  | .iou => band (isThere o.ref) (isThere o.pred)

/-! ### Meaning -/
def quantityValue (o : Obligation) : Quantity → Number
  | .number x => x
  | .attribute a => attributeValue o a
  | .sum x y => (quantityValue o x).add (quantityValue o y)
  | .difference x y => (quantityValue o x).add (quantityValue o y).negative
  | .scaled k x => k.times (quantityValue o x)
  | .absolute x => (quantityValue o x).absolute
  | .minimum x y => (quantityValue o x).least (quantityValue o y)
  | .maximum x y => (quantityValue o x).greatest (quantityValue o y)
/-- No attribute that the term mentions is one of a missing partner. -/
def quantityThere (o : Obligation) : Quantity → Bool
  | .number _ => .true
  | .attribute a => attributeThere o a
  | .sum x y => band (quantityThere o x) (quantityThere o y)
  | .difference x y => band (quantityThere o x) (quantityThere o y)
  | .scaled _ x => quantityThere o x
  | .absolute x => quantityThere o x
  | .minimum x y => band (quantityThere o x) (quantityThere o y)
  | .maximum x y => band (quantityThere o x) (quantityThere o y)
def related : Relation → Number → Number → Bool
  | .le, x, y => x.atMost y
  | .lt, x, y => bnot (y.atMost x)
  | .ge, x, y => y.atMost x
  | .gt, x, y => bnot (x.atMost y)
  | .eq, x, y => band (x.atMost y) (y.atMost x)
  | .ne, x, y => bnot (band (x.atMost y) (y.atMost x))
/-- Its own class covers more of the predicted interval than each other class does (rule 4.10). -/
def isDominant (r : Interval) (own : Nat) : List (List Interval) → Bool
  | .nil => Nat.ble 1 own
  | .cons other rest => band (Nat.ble (.succ (covered r other)) own) (isDominant r own rest)
/-- The truth of a predicate. A comparison that mentions an attribute of a missing partner is false (rule 4.12). -/
def predicateValue (o : Obligation) : Predicate → Bool
  | .constant b => b
  | .matched => band (isThere o.ref) (isThere o.pred)
  | .dominant => band (isThere o.pred)
      (isDominant (interval o.pred) (covered (interval o.pred) o.scene.refs) o.scene.others)
  | .compare r x y => band (band (quantityThere o x) (quantityThere o y))
      (related r (quantityValue o x) (quantityValue o y))
  | .not p => bnot (predicateValue o p)
  | .and p q => band (predicateValue o p) (predicateValue o q)
  | .or p q => bor (predicateValue o p) (predicateValue o q)
  | .implies p q => bimplies (predicateValue o p) (predicateValue o q)
  | .iff p q => biff (predicateValue o p) (predicateValue o q)
end Tracepact
