import Tracepact.Thm.Meaning
import Tracepact.Thm.Soft.Order
/-! The loops over frames find the greatest and the least soft value. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem sizeAtMost_trans : {a b c : Size} → IsTrue (sizeAtMost a b) → IsTrue (sizeAtMost b c) → IsTrue (sizeAtMost a c)
  | .number _, .number _, .number _, h, k => ble_of_le _ _ (le_trans (le_of_ble _ _ h) (le_of_ble _ _ k))
  | .number _, _, .unbounded, _, _ => rfl
  | .unbounded, _, .unbounded, _, _ => rfl
  | .unbounded, .number _, .number _, h, _ => nomatch h
  | _, .unbounded, .number _, _, k => nomatch k
theorem softAtMost_trans : {x y z : Soft} → IsTrue (softAtMost x y) → IsTrue (softAtMost y z) → IsTrue (softAtMost x z)
  | .negative _, .negative _, .negative _, h, k => sizeAtMost_trans k h
  | .negative _, _, .positive _, _, _ => rfl
  | .negative _, .positive _, .negative _, _, k => nomatch k
  | .positive _, .negative _, _, h, _ => nomatch h
  | .positive _, .positive _, .negative _, _, k => nomatch k
  | .positive _, .positive _, .positive _, h, k => sizeAtMost_trans h k
theorem bottom_least : {x : Soft} → IsTrue (softAtMost x softBottom) → Eq softBottom x
  | .negative (.number _), h => nomatch h
  | .negative .unbounded, _ => rfl
  | .positive _, h => nomatch h
theorem top_greatest : {x : Soft} → IsTrue (softAtMost softTop x) → Eq softTop x
  | .negative _, h => nomatch h
  | .positive (.number _), h => nomatch h
  | .positive .unbounded, _ => rfl

section
variable {P Q : Nat → Prop} {p : Nat → Soft} {x : Soft}
theorem greatest_same (same : (j : Nat) → Iff (P j) (Q j)) (h : GreatestOver P p x) : GreatestOver Q p x :=
  ⟨fun j q => h.above j ((same j).mpr q), match h.taken with
    | .inl ⟨j, q, e⟩ => .inl ⟨j, (same j).mp q, e⟩
    | .inr ⟨never, e⟩ => .inr ⟨fun j q => never j ((same j).mpr q), e⟩⟩
theorem least_same (same : (j : Nat) → Iff (P j) (Q j)) (h : LeastOver P p x) : LeastOver Q p x :=
  ⟨fun j q => h.below j ((same j).mpr q), match h.taken with
    | .inl ⟨j, q, e⟩ => .inl ⟨j, (same j).mp q, e⟩
    | .inr ⟨never, e⟩ => .inr ⟨fun j q => never j ((same j).mpr q), e⟩⟩
end

/-- The frames below `n` with `w`. -/
abbrev Below (w : Nat → Bool) (n j : Nat) : Prop := And (Lt j n) (IsTrue (w j))
section
variable {w : Nat → Bool} {p : Nat → Soft} {n : Nat} {x : Soft}
theorem below_more (not : Not (IsTrue (w n))) (j : Nat) : Iff (Below w n j) (Below w (.succ n) j) :=
  ⟨fun ⟨l, h⟩ => ⟨.step l, h⟩, fun ⟨l, h⟩ => match lt_succ_cases l with
    | .inl e => absurd (Eq.subst (motive := fun k => IsTrue (w k)) e h) not
    | .inr l => ⟨l, h⟩⟩
theorem greatest_more (is : IsTrue (w n)) (h : GreatestOver (Below w n) p x) :
    GreatestOver (Below w (.succ n)) p (greater (p n) x) :=
  ⟨fun j ⟨l, q⟩ => match lt_succ_cases l with
    | .inl e => Eq.symm e ▸ greater_left (p n) x
    | .inr l => softAtMost_trans (h.above j ⟨l, q⟩) (greater_right (p n) x),
   .inl (cond_elim (P := fun z => Exists fun j => And (Below w (.succ n) j) (Eq z (p j))) (softAtMost (p n) x)
    (fun l => match h.taken with
      | .inl ⟨j, q, e⟩ => ⟨j, ⟨.step q.left, q.right⟩, e⟩
      | .inr ⟨_, e⟩ => ⟨n, ⟨.refl, is⟩, Eq.trans e (bottom_least (Eq.subst (motive := fun z =>
          IsTrue (softAtMost (p n) z)) e l))⟩)
    fun _ => ⟨n, ⟨.refl, is⟩, rfl⟩)⟩
theorem least_more (is : IsTrue (w n)) (h : LeastOver (Below w n) p x) :
    LeastOver (Below w (.succ n)) p (lesser (p n) x) :=
  ⟨fun j ⟨l, q⟩ => match lt_succ_cases l with
    | .inl e => Eq.symm e ▸ lesser_left (p n) x
    | .inr l => softAtMost_trans (lesser_right (p n) x) (h.below j ⟨l, q⟩),
   .inl (cond_elim (P := fun z => Exists fun j => And (Below w (.succ n) j) (Eq z (p j))) (softAtMost (p n) x)
    (fun _ => ⟨n, ⟨.refl, is⟩, rfl⟩)
    fun l => match h.taken with
      | .inl ⟨j, q, e⟩ => ⟨j, ⟨.step q.left, q.right⟩, e⟩
      | .inr ⟨_, e⟩ => ⟨n, ⟨.refl, is⟩, Eq.trans e (top_greatest (Eq.subst (motive := fun z =>
          IsTrue (softAtMost z (p n))) e (softAtMost_total (p n) x l)))⟩)⟩
end
theorem top_lesser : (x : Soft) → Eq (lesser softTop x) x
  | .negative _ => rfl
  | .positive (.number _) => rfl
  | .positive .unbounded => rfl
theorem greatestBelow_is (w : Nat → Bool) (p : Nat → Soft) : (n : Nat) →
    GreatestOver (Below w n) p (greatestBelow (fun j => cond (w j) (p j) softBottom) n)
  | .zero => ⟨fun _ ⟨l, _⟩ => (nomatch l), .inr ⟨fun _ ⟨l, _⟩ => (nomatch l), rfl⟩⟩
  | .succ n =>
    have ih := greatestBelow_is w p n
    cond_elim (P := fun y => GreatestOver (Below w (.succ n)) p (greater y (greatestBelow _ n))) (w n)
      (fun is => greatest_more is ih)
      fun not => Eq.subst (motive := GreatestOver (Below w (.succ n)) p) (Eq.symm (bottom_greater _))
        (greatest_same (below_more not) ih)
theorem leastBelow_is (w : Nat → Bool) (p : Nat → Soft) : (n : Nat) →
    LeastOver (Below w n) p (leastBelow (fun j => cond (w j) (p j) softTop) n)
  | .zero => ⟨fun _ ⟨l, _⟩ => (nomatch l), .inr ⟨fun _ ⟨l, _⟩ => (nomatch l), rfl⟩⟩
  | .succ n =>
    have ih := leastBelow_is w p n
    cond_elim (P := fun y => LeastOver (Below w (.succ n)) p (lesser y (leastBelow _ n))) (w n)
      (fun is => least_more is ih)
      fun not => Eq.subst (motive := LeastOver (Below w (.succ n)) p) (Eq.symm (top_lesser _))
        (least_same (below_more not) ih)
end Tracepact
