import Tracepact.Statements
/-! The pins of the predicates of event clauses. -/
set_option autoImplicit false
set_option maxRecDepth 1000000
noncomputable section
namespace Tracepact.Pins
/-! ### Numbers -/
example (x : Number) : Eq (Number.mk x.plus x.minus x.over) x := rfl
example : Eq (Number.plus ⟨1, 2, 3⟩) 1 := rfl
example : Eq (Number.minus ⟨1, 2, 3⟩) 2 := rfl
example : Eq (Number.over ⟨1, 2, 3⟩) 3 := rfl
example : Eq (whole 3) ⟨3, 0, 1⟩ := rfl
example : Eq (ratio 1 2) ⟨1, 0, 2⟩ := rfl
example : Eq (unbounded) ⟨1, 0, 0⟩ := rfl
-- 1/2 - 1/3 is 1/6.
example : Eq (Number.add ⟨1, 0, 2⟩ ⟨0, 1, 3⟩) ⟨3, 2, 6⟩ := rfl
example : Eq (Number.negative ⟨3, 2, 6⟩) ⟨2, 3, 6⟩ := rfl
example : Eq (Number.times ⟨1, 0, 2⟩ ⟨0, 1, 3⟩) ⟨0, 1, 6⟩ := rfl
example : Eq (Number.times ⟨0, 1, 2⟩ ⟨0, 1, 3⟩) ⟨1, 0, 6⟩ := rfl
example : Eq (Number.absolute ⟨2, 5, 3⟩) ⟨3, 0, 3⟩ := rfl
example : Eq (Number.atMost (ratio 1 3) (ratio 1 2)) .true := rfl
example : Eq (Number.atMost (ratio 1 2) (ratio 1 3)) .false := rfl
example : Eq (Number.atMost ⟨0, 1, 1⟩ (whole 0)) .true := rfl
example : Eq (Number.atMost (whole 0) ⟨0, 1, 1⟩) .false := rfl
example : Eq (Number.atMost (whole 5) unbounded) .true := rfl
example : Eq (Number.atMost unbounded (whole 5)) .false := rfl
example : Eq (Number.atMost (ratio 2 4) (ratio 1 2)) .true := rfl
example : Eq (Number.least (whole 2) (whole 3)) (whole 2) := rfl
example : Eq (Number.least (whole 3) (whole 2)) (whole 2) := rfl
example : Eq (Number.greatest (whole 2) (whole 3)) (whole 3) := rfl
example : Eq (Number.greatest (whole 3) (whole 2)) (whole 3) := rfl

/-! ### Attributes: rules 4.5 and 4.7 to 4.10 -/
example : Eq (Scene.refs ⟨(.cons ⟨0, 1⟩ .nil), (.cons ⟨2, 3⟩ .nil), .nil⟩) (.cons ⟨0, 1⟩ .nil) := rfl
example : Eq (Scene.preds ⟨(.cons ⟨0, 1⟩ .nil), (.cons ⟨2, 3⟩ .nil), .nil⟩) (.cons ⟨2, 3⟩ .nil) := rfl
example (x : Scene) : Eq (Scene.mk x.refs x.preds x.others) x := rfl
example (o : Obligation) : Eq (Obligation.mk o.ref o.pred o.scene) o := rfl
example : Eq (isThere .none) .false := rfl
example : Eq (isThere (.some ⟨0, 0⟩)) .true := rfl
example : Eq (interval .none) ⟨0, 0⟩ := rfl
example : Eq (interval (.some ⟨2, 6⟩)) ⟨2, 6⟩ := rfl
example : Eq (Interval.length ⟨2, 6⟩) 4 := rfl
example : Eq (overlaps ⟨2, 6⟩ ⟨6, 9⟩) .false := rfl
example : Eq (overlaps ⟨2, 6⟩ ⟨5, 9⟩) .true := rfl
example : Eq (overlaps ⟨5, 9⟩ ⟨2, 6⟩) .true := rfl
example : Eq (overlaps ⟨6, 9⟩ ⟨2, 6⟩) .false := rfl
example : Eq (covered ⟨2, 10⟩ (.cons ⟨0, 4⟩ (.cons ⟨6, 7⟩ .nil))) 3 := rfl
example : Eq (overlapping ⟨2, 10⟩ (.cons ⟨0, 2⟩ (.cons ⟨0, 4⟩ (.cons ⟨9, 12⟩ .nil)))) (.cons ⟨0, 4⟩ (.cons ⟨9, 12⟩
    .nil)) := rfl
example : Eq (gapsAfter ⟨0, 2⟩ (.cons ⟨5, 6⟩ (.cons ⟨10, 11⟩ .nil))) (.cons 3 (.cons 4 .nil)) := rfl
example : Eq (gaps (.cons ⟨0, 2⟩ (.cons ⟨5, 6⟩ (.cons ⟨10, 11⟩ .nil)))) (.cons 3 (.cons 4 .nil)) := rfl
example : Eq (gaps (.cons ⟨0, 2⟩ .nil)) .nil := rfl
example : Eq (longest (.cons 3 (.cons 4 (.cons 1 .nil)))) 4 := rfl
example : Eq (longest .nil) 0 := rfl
example : Eq (shortest (.cons 3 (.cons 1 (.cons 4 .nil)))) (whole 1) := rfl
example : Eq (shortest .nil) unbounded := rfl
example (o : Obligation) : And (Eq (o.side .ref) o.ref) (Eq (Obligation.side o Side.pred) o.pred) := ⟨rfl, rfl⟩
example (x : Scene) : And (Eq (Scene.across x .ref) x.preds) (Eq (Scene.across x .pred) x.refs) := ⟨rfl, rfl⟩
-- A reference from 2 to 10 and its prediction from 4 to 14, among the references to 13 and the predictions to 22.
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ (Attribute.onset .ref)) (whole 2) := rfl
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ (.onset .pred)) (whole 4) := rfl
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ (.offset .ref)) (whole 10) := rfl
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ (.offset .pred)) (whole 14) := rfl
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ (.duration .ref)) (whole 8) := rfl
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ (.duration .pred)) (whole 10) := rfl
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ (.covering .ref)) (whole 2) := rfl
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ (.covering .pred)) (whole 2) := rfl
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ (.coverage .ref)) (ratio 7 8) := rfl
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ (.coverage .pred)) (ratio 7 10) := rfl
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ .longestGap) (whole 1) := rfl
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ .shortestGap) (whole 1) := rfl
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ .purity) (ratio 7 10) := rfl
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ .overlap) (whole 6) := rfl
example : Eq (attributeValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ .iou) (ratio 6 12) := rfl
-- Without its prediction, and without its reference.
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.onset .ref)) .true) (Eq (attributeThere
    ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ (.onset .ref)) .false) := ⟨rfl, rfl⟩
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.onset .pred)) .false) (Eq (attributeThere
    ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ (.onset .pred)) .true) := ⟨rfl, rfl⟩
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.offset .ref)) .true) (Eq (attributeThere
    ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ (.offset .ref)) .false) := ⟨rfl, rfl⟩
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.offset .pred)) .false) (Eq
    (attributeThere ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ (.offset .pred)) .true) := ⟨rfl, rfl⟩
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.duration .ref)) .true) (Eq
    (attributeThere ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ (.duration .ref)) .false) := ⟨rfl, rfl⟩
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.duration .pred)) .false) (Eq
    (attributeThere ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ (.duration .pred)) .true) := ⟨rfl, rfl⟩
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.covering .ref)) .true) (Eq
    (attributeThere ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ (.covering .ref)) .false) := ⟨rfl, rfl⟩
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.covering .pred)) .false) (Eq
    (attributeThere ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ (.covering .pred)) .true) := ⟨rfl, rfl⟩
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.coverage .ref)) .true) (Eq
    (attributeThere ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ (.coverage .ref)) .false) := ⟨rfl, rfl⟩
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.coverage .pred)) .false) (Eq
    (attributeThere ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ (.coverage .pred)) .true) := ⟨rfl, rfl⟩
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ .longestGap) .true) (Eq (attributeThere
    ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ .longestGap) .false) := ⟨rfl, rfl⟩
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ .shortestGap) .true) (Eq (attributeThere
    ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ .shortestGap) .false) := ⟨rfl, rfl⟩
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ .purity) .false) (Eq (attributeThere
    ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ .purity) .true) := ⟨rfl, rfl⟩
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ .overlap) .false) (Eq (attributeThere
    ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ .overlap) .false) := ⟨rfl, rfl⟩
example : And (Eq (attributeThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ .iou) .false) (Eq (attributeThere ⟨.none,
    .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ .iou) .false) := ⟨rfl, rfl⟩

/-! ### Predicates: rules 4.2 to 4.12 -/
example : Eq (quantityValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (Quantity.number (whole 2))) (whole 2) := rfl
example : Eq (quantityValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.attribute (.onset .ref))) (whole 2) := rfl
example : Eq (quantityValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.sum (.number (whole 2)) (.number (whole 3))))
    ⟨5, 0, 1⟩ := rfl
example : Eq (quantityValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.difference (.number (whole 2)) (.number (whole
    3)))) ⟨2, 3, 1⟩ := rfl
example : Eq (quantityValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.scaled (ratio 1 2) (.number (whole 3)))) ⟨3, 0,
    2⟩ := rfl
example : Eq (quantityValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.absolute (.difference (.number (whole 2))
    (.number (whole 3))))) ⟨1, 0, 1⟩ := rfl
example : Eq (quantityValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.minimum (.number (whole 2)) (.number (whole
    3)))) (whole 2) := rfl
example : Eq (quantityValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.maximum (.number (whole 2)) (.number (whole
    3)))) (whole 3) := rfl
example : Eq (quantityThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.number (whole 2))) .true := rfl
example : Eq (quantityThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.attribute (.onset .pred))) .false := rfl
example : Eq (quantityThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.sum (.number (whole 2)) (.attribute (.onset
    .pred)))) .false := rfl
example : Eq (quantityThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.sum (.attribute (.onset .pred)) (.number (whole
    2)))) .false := rfl
example : Eq (quantityThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.difference (.attribute (.onset .pred)) (.number
    (whole 2)))) .false := rfl
example : Eq (quantityThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.difference (.number (whole 2)) (.attribute
    (.onset .pred)))) .false := rfl
example : Eq (quantityThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.scaled (whole 0) (.attribute (.onset .pred))))
    .false := rfl
example : Eq (quantityThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.absolute (.attribute (.onset .pred)))) .false
    := rfl
example : Eq (quantityThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.minimum (.number (whole 2)) (.attribute (.onset
    .pred)))) .false := rfl
example : Eq (quantityThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.minimum (.attribute (.onset .pred)) (.number
    (whole 2)))) .false := rfl
example : Eq (quantityThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.maximum (.attribute (.onset .pred)) (.number
    (whole 2)))) .false := rfl
example : Eq (quantityThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.maximum (.number (whole 2)) (.attribute (.onset
    .pred)))) .false := rfl
example : Eq (quantityThere ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.maximum (.number (whole 2)) (.number (whole
    3)))) .true := rfl
example : Eq (related Relation.le (whole 2) (whole 3)) .true := rfl
example : Eq (related Relation.le (whole 3) (whole 3)) .true := rfl
example : Eq (related Relation.le (whole 3) (whole 2)) .false := rfl
example : Eq (related Relation.lt (whole 2) (whole 3)) .true := rfl
example : Eq (related Relation.lt (whole 3) (whole 3)) .false := rfl
example : Eq (related Relation.lt (whole 3) (whole 2)) .false := rfl
example : Eq (related Relation.ge (whole 2) (whole 3)) .false := rfl
example : Eq (related Relation.ge (whole 3) (whole 3)) .true := rfl
example : Eq (related Relation.ge (whole 3) (whole 2)) .true := rfl
example : Eq (related Relation.gt (whole 2) (whole 3)) .false := rfl
example : Eq (related Relation.gt (whole 3) (whole 3)) .false := rfl
example : Eq (related Relation.gt (whole 3) (whole 2)) .true := rfl
example : Eq (related Relation.eq (whole 2) (whole 3)) .false := rfl
example : Eq (related Relation.eq (whole 3) (whole 3)) .true := rfl
example : Eq (related Relation.eq (whole 3) (whole 2)) .false := rfl
example : Eq (related Relation.ne (whole 2) (whole 3)) .true := rfl
example : Eq (related Relation.ne (whole 3) (whole 3)) .false := rfl
example : Eq (related Relation.ne (whole 3) (whole 2)) .true := rfl
example : Eq (isDominant ⟨0, 10⟩ 3 (.cons (.cons ⟨0, 2⟩ .nil) .nil)) .true := rfl
example : Eq (isDominant ⟨0, 10⟩ 2 (.cons (.cons ⟨0, 2⟩ .nil) .nil)) .false := rfl
example : Eq (isDominant ⟨0, 10⟩ 0 .nil) .false := rfl
example : Eq (isDominant ⟨0, 10⟩ 1 .nil) .true := rfl
-- A comparison with an attribute of a missing partner is false, whatever it says; its negation is true.
example : Eq (predicateValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (Predicate.constant .true)) .true := rfl
example : Eq (predicateValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.constant .false)) .false := rfl
example : Eq (predicateValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ .matched) .true := rfl
example : Eq (predicateValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ .matched) .false := rfl
example : Eq (predicateValue ⟨.none, .some ⟨4, 14⟩, ⟨.nil, .nil, .nil⟩⟩ .matched) .false := rfl
example : Eq (predicateValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.compare .eq (.attribute (.onset .pred))
    (.attribute (.onset .pred)))) .false := rfl
example : Eq (predicateValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ (.compare .eq (.attribute (.onset .pred)) (.attribute (.onset .pred))))
    .true := rfl
example : Eq (predicateValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.not (.compare .eq (.attribute (.onset .pred))
    (.attribute (.onset .pred))))) .true := rfl
example : Eq (predicateValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.compare .lt (.number (whole 2)) (.number
    (whole 3)))) .true := rfl
example : Eq (predicateValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ (.compare .lt (.number (whole 3)) (.number
    (whole 2)))) .false := rfl
example : Eq (predicateValue ⟨.some ⟨2, 10⟩, .some ⟨4, 14⟩, ⟨(.cons ⟨2, 10⟩ (.cons ⟨12, 13⟩ .nil)), (.cons ⟨0, 3⟩ (.cons
    ⟨4, 14⟩ (.cons ⟨20, 22⟩ .nil))), .nil⟩⟩ .dominant) .true := rfl
example : Eq (predicateValue ⟨.some ⟨2, 10⟩, .none, ⟨.nil, .nil, .nil⟩⟩ .dominant) .false := rfl
example (o : Obligation) : Eq (predicateValue o (.and (.constant .true) (.constant .true))) .true := rfl
example (o : Obligation) : Eq (predicateValue o (.and (.constant .true) (.constant .false))) .false := rfl
example (o : Obligation) : Eq (predicateValue o (.and (.constant .false) (.constant .true))) .false := rfl
example (o : Obligation) : Eq (predicateValue o (.and (.constant .false) (.constant .false))) .false := rfl
example (o : Obligation) : Eq (predicateValue o (.or (.constant .true) (.constant .true))) .true := rfl
example (o : Obligation) : Eq (predicateValue o (.or (.constant .true) (.constant .false))) .true := rfl
example (o : Obligation) : Eq (predicateValue o (.or (.constant .false) (.constant .true))) .true := rfl
example (o : Obligation) : Eq (predicateValue o (.or (.constant .false) (.constant .false))) .false := rfl
example (o : Obligation) : Eq (predicateValue o (.implies (.constant .true) (.constant .true))) .true := rfl
example (o : Obligation) : Eq (predicateValue o (.implies (.constant .true) (.constant .false))) .false := rfl
example (o : Obligation) : Eq (predicateValue o (.implies (.constant .false) (.constant .true))) .true := rfl
example (o : Obligation) : Eq (predicateValue o (.implies (.constant .false) (.constant .false))) .true := rfl
example (o : Obligation) : Eq (predicateValue o (.iff (.constant .true) (.constant .true))) .true := rfl
example (o : Obligation) : Eq (predicateValue o (.iff (.constant .true) (.constant .false))) .false := rfl
example (o : Obligation) : Eq (predicateValue o (.iff (.constant .false) (.constant .true))) .false := rfl
example (o : Obligation) : Eq (predicateValue o (.iff (.constant .false) (.constant .false))) .true := rfl
end Tracepact.Pins
