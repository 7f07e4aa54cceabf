import Tracepact.Spec.Soft
import Tracepact.Thm.Threshold
/-! The order of soft values, and how far the lesser and the greater of two can move. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem sizeAtMost_refl : (a : Size) → IsTrue (sizeAtMost a a)
  | .number _ => ble_of_le _ _ .refl
  | .unbounded => rfl
theorem sizeAtMost_total : (a b : Size) → Not (IsTrue (sizeAtMost a b)) → IsTrue (sizeAtMost b a)
  | .number a, .number b, h => (le_or_lt a b).elim (fun l => absurd (ble_of_le _ _ l) h)
      fun l => ble_of_le _ _ (le_of_succ_le l)
  | .number _, .unbounded, h => absurd rfl h
  | .unbounded, .number _, _ => rfl
  | .unbounded, .unbounded, h => absurd rfl h
theorem softAtMost_refl : (x : Soft) → IsTrue (softAtMost x x)
  | .negative a => sizeAtMost_refl a
  | .positive a => sizeAtMost_refl a
theorem softAtMost_total : (x y : Soft) → Not (IsTrue (softAtMost x y)) → IsTrue (softAtMost y x)
  | .negative a, .negative b, h => sizeAtMost_total b a h
  | .negative _, .positive _, h => absurd rfl h
  | .positive _, .negative _, _ => rfl
  | .positive a, .positive b, h => sizeAtMost_total a b h
theorem softAtMost_opposite : {x y : Soft} → IsTrue (softAtMost x y) → IsTrue (softAtMost (opposite y) (opposite x))
  | .negative _, .negative _, h => h
  | .negative _, .positive _, _ => rfl
  | .positive _, .negative _, h => nomatch h
  | .positive _, .positive _, h => h
theorem opposite_opposite : (x : Soft) → Eq (opposite (opposite x)) x
  | .negative _ => rfl
  | .positive _ => rfl
theorem lesser_left (x y : Soft) : IsTrue (softAtMost (lesser x y) x) :=
  cond_elim (P := fun z => IsTrue (softAtMost z x)) (softAtMost x y) (fun _ => softAtMost_refl x) (softAtMost_total x y)
theorem lesser_right (x y : Soft) : IsTrue (softAtMost (lesser x y) y) :=
  cond_elim (P := fun z => IsTrue (softAtMost z y)) (softAtMost x y) id fun _ => softAtMost_refl y
theorem greater_left (x y : Soft) : IsTrue (softAtMost x (greater x y)) :=
  cond_elim (P := fun z => IsTrue (softAtMost x z)) (softAtMost x y) id fun _ => softAtMost_refl x
theorem greater_right (x y : Soft) : IsTrue (softAtMost y (greater x y)) :=
  cond_elim (P := fun z => IsTrue (softAtMost y z)) (softAtMost x y) (fun _ => softAtMost_refl y) (softAtMost_total x y)
theorem lesser_top : (x : Soft) → Eq (lesser x softTop) x
  | .negative _ => rfl
  | .positive (.number _) => rfl
  | .positive .unbounded => rfl
theorem lesser_bottom : (x : Soft) → Eq (lesser x softBottom) softBottom
  | .negative (.number _) => rfl
  | .negative .unbounded => rfl
  | .positive _ => rfl
theorem greater_bottom : (x : Soft) → Eq (greater x softBottom) x
  | .negative (.number _) => rfl
  | .negative .unbounded => rfl
  | .positive _ => rfl
theorem bottom_greater : (x : Soft) → Eq (greater softBottom x) x
  | .negative (.number _) => rfl
  | .negative .unbounded => rfl
  | .positive _ => rfl

/-- `a ≤ b + e`, of sizes. -/
def SizeAbove (e : Nat) : Size → Size → Prop
  | .number a, .number b => Nat.le a (Nat.add b e)
  | .unbounded, .number _ => False
  | .number _, .unbounded => True
  | .unbounded, .unbounded => True
/-- `x ≤ y + e`, of soft values; both zeros count as zero. -/
def SoftAbove (e : Nat) : Soft → Soft → Prop
  | .negative a, .negative b => SizeAbove e b a
  | .negative _, .positive _ => True
  | .positive a, .negative b => SizeAcross e a b
  | .positive a, .positive b => SizeAbove e a b

section
variable {e : Nat}
theorem sizeNear_iff : (a b : Size) → Iff (SizeNear e a b) (And (SizeAbove e a b) (SizeAbove e b a))
  | .number a, .number b => distance_iff a b e
  | .unbounded, .unbounded => ⟨fun _ => ⟨.intro, .intro⟩, fun _ => .intro⟩
  | .number _, .unbounded => ⟨fun h => h.elim, fun h => h.right⟩
  | .unbounded, .number _ => ⟨fun h => h.elim, fun h => h.left⟩
theorem sizeAcross_symm : {a b : Size} → SizeAcross e a b → SizeAcross e b a
  | .number a, .number b, h => le_trans (le_of_eq (add_comm b a)) h
  | .unbounded, _, h => h.elim
  | .number _, .unbounded, h => h.elim
theorem softNear_iff : (x y : Soft) → Iff (SoftNear e x y) (And (SoftAbove e x y) (SoftAbove e y x))
  | .negative a, .negative b => iff_trans (sizeNear_iff a b) ⟨fun ⟨h, k⟩ => ⟨k, h⟩, fun ⟨h, k⟩ => ⟨k, h⟩⟩
  | .negative _, .positive _ => ⟨fun h => ⟨.intro, sizeAcross_symm h⟩, fun h => sizeAcross_symm h.right⟩
  | .positive _, .negative _ => ⟨fun h => ⟨h, .intro⟩, fun h => h.left⟩
  | .positive a, .positive b => sizeNear_iff a b

theorem sizeAbove_up : {a b c : Size} → SizeAbove e a b → IsTrue (sizeAtMost b c) → SizeAbove e a c
  | .number a, .number b, .number c, h, k => lin2 (on4 a b c e) h (le_of_ble b c k) rfl
  | .number _, _, .unbounded, _, _ => .intro
  | .unbounded, _, .unbounded, _, _ => .intro
  | .unbounded, .number _, .number _, h, _ => h
  | .number _, .unbounded, .number _, _, k => nomatch k
  | .unbounded, .unbounded, .number _, _, k => nomatch k
theorem sizeAbove_down : {a b c : Size} → IsTrue (sizeAtMost a b) → SizeAbove e b c → SizeAbove e a c
  | .number a, .number b, .number c, h, k => lin2 (on4 a b c e) (le_of_ble a b h) k rfl
  | .number _, _, .unbounded, _, _ => .intro
  | .unbounded, _, .unbounded, _, _ => .intro
  | .unbounded, .number _, .number _, h, _ => nomatch h
  | .number _, .unbounded, .number _, _, k => k.elim
  | .unbounded, .unbounded, .number _, _, k => k.elim
theorem sizeAcross_down : {a b c : Size} → IsTrue (sizeAtMost a b) → SizeAcross e b c → SizeAcross e a c
  | .number a, .number b, .number c, h, k => lin2 (on4 a b c e) (le_of_ble a b h) k rfl
  | .unbounded, .number _, _, h, _ => nomatch h
  | _, .unbounded, _, _, k => k.elim
  | .number _, .number _, .unbounded, _, k => k.elim
theorem sizeAbove_across : {a b c : Size} → SizeAcross e a b → SizeAbove e b c
  | .number a, .number b, .number c, h => lin1 (on4 a b c e) h rfl
  | .number _, .number _, .unbounded, _ => .intro
  | .unbounded, _, _, h => h.elim
  | .number _, .unbounded, _, h => h.elim

theorem softAbove_opposite : {x y : Soft} → SoftAbove e x y → SoftAbove e (opposite y) (opposite x)
  | .negative _, .negative _, h => h
  | .negative _, .positive _, _ => .intro
  | .positive _, .negative _, h => sizeAcross_symm h
  | .positive _, .positive _, h => h
theorem softAbove_down : {z x y : Soft} → IsTrue (softAtMost z x) → SoftAbove e x y → SoftAbove e z y
  | .negative _, .negative _, .negative _, h, k => sizeAbove_up k h
  | .negative _, _, .positive _, _, _ => .intro
  | .negative _, .positive _, .negative _, _, k => sizeAbove_across k
  | .positive _, .negative _, _, h, _ => nomatch h
  | .positive _, .positive _, .positive _, h, k => sizeAbove_down h k
  | .positive _, .positive _, .negative _, h, k => sizeAcross_down h k
theorem softAbove_up {x y z : Soft} (h : SoftAbove e x y) (k : IsTrue (softAtMost y z)) : SoftAbove e x z :=
  Eq.subst (motive := fun w => SoftAbove e w z) (opposite_opposite x) (Eq.subst
    (motive := fun w => SoftAbove e (opposite (opposite x)) w) (opposite_opposite z)
    (softAbove_opposite (softAbove_down (softAtMost_opposite k) (softAbove_opposite h))))
theorem softAbove_lesser {x y x' y' : Soft} (h : SoftAbove e x x') (k : SoftAbove e y y') :
    SoftAbove e (lesser x y) (lesser x' y') :=
  cond_elim (P := SoftAbove e (lesser x y)) (softAtMost x' y') (fun _ => softAbove_down (lesser_left x y) h)
    fun _ => softAbove_down (lesser_right x y) k
theorem softAbove_greater {x y x' y' : Soft} (h : SoftAbove e x x') (k : SoftAbove e y y') :
    SoftAbove e (greater x y) (greater x' y') :=
  cond_elim (P := fun z => SoftAbove e z (greater x' y')) (softAtMost x y)
    (fun _ => softAbove_up k (greater_right x' y')) fun _ => softAbove_up h (greater_left x' y')
end

/-! ### What moves by at most `e` -/
theorem sizeNear_refl (e : Nat) : (a : Size) → SizeNear e a a
  | .number a => (distance_iff a a e).mpr ⟨le_add a e, le_add a e⟩
  | .unbounded => .intro
theorem softNear_refl (e : Nat) : (x : Soft) → SoftNear e x x
  | .negative a => sizeNear_refl e a
  | .positive a => sizeNear_refl e a
section
variable {e : Nat} {x y x' y' : Soft}
theorem near_opposite (h : SoftNear e x x') : SoftNear e (opposite x) (opposite x') :=
  let ⟨a, b⟩ := (softNear_iff _ _).mp h
  (softNear_iff _ _).mpr ⟨softAbove_opposite b, softAbove_opposite a⟩
theorem near_lesser (h : SoftNear e x x') (k : SoftNear e y y') : SoftNear e (lesser x y) (lesser x' y') :=
  let ⟨a, b⟩ := (softNear_iff _ _).mp h
  let ⟨c, d⟩ := (softNear_iff _ _).mp k
  (softNear_iff _ _).mpr ⟨softAbove_lesser a c, softAbove_lesser b d⟩
theorem near_greater (h : SoftNear e x x') (k : SoftNear e y y') : SoftNear e (greater x y) (greater x' y') :=
  let ⟨a, b⟩ := (softNear_iff _ _).mp h
  let ⟨c, d⟩ := (softNear_iff _ _).mp k
  (softNear_iff _ _).mpr ⟨softAbove_greater a c, softAbove_greater b d⟩
theorem near_cond {z : Soft} : (b : Bool) → (IsTrue b → SoftNear e x x') →
    SoftNear e (cond b x z) (cond b x' z)
  | .true, h => h rfl
  | .false, _ => softNear_refl e z
end
theorem near_greatest {e : Nat} {p q : Nat → Soft} : (n : Nat) → ((j : Nat) → Lt j n → SoftNear e (p j) (q j)) →
    SoftNear e (greatestBelow p n) (greatestBelow q n)
  | .zero, _ => .intro
  | .succ n, h => near_greater (h n .refl) (near_greatest n fun j l => h j (.step l))
theorem near_least {e : Nat} {p q : Nat → Soft} : (n : Nat) → ((j : Nat) → Lt j n → SoftNear e (p j) (q j)) →
    SoftNear e (leastBelow p n) (leastBelow q n)
  | .zero, _ => .intro
  | .succ n, h => near_lesser (h n .refl) (near_least n fun j l => h j (.step l))
end Tracepact
