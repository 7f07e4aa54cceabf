/-! Order and addition of natural numbers, from the definitions of `Nat.le`, `Nat.add`, `Nat.sub` and `Nat.ble`. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem le_trans {a b : Nat} : {c : Nat} → Nat.le a b → Nat.le b c → Nat.le a c
  | _, h, .refl => h
  | _, h, .step k => .step (le_trans h k)
theorem zero_le : (n : Nat) → Nat.le .zero n
  | .zero => .refl
  | .succ n => .step (zero_le n)
theorem succ_le_succ {a : Nat} : {b : Nat} → Nat.le a b → Nat.le (.succ a) (.succ b)
  | _, .refl => .refl
  | _, .step h => .step (succ_le_succ h)
theorem le_of_succ_le_succ {a b : Nat} : Nat.le (.succ a) (.succ b) → Nat.le a b
  | .refl => .refl
  | .step h => le_trans (.step .refl) h
theorem le_of_succ_le {a b : Nat} (h : Nat.le (.succ a) b) : Nat.le a b := le_trans (.step .refl) h
theorem not_succ_le_self : (a : Nat) → Nat.le (.succ a) a → False
  | .succ a, h => not_succ_le_self a (le_of_succ_le_succ h)
theorem not_one_le_zero {C : Prop} (h : Nat.le (.succ .zero) .zero) : C := nomatch h
theorem eq_or_lt : {a b : Nat} → Nat.le a b → Or (Eq a b) (Nat.le (.succ a) b)
  | _, _, .refl => .inl rfl
  | _, _, .step h => .inr (succ_le_succ h)
theorem le_or_lt : (a b : Nat) → Or (Nat.le a b) (Nat.le (.succ b) a)
  | .zero, b => .inl (zero_le b)
  | .succ a, .zero => .inr (succ_le_succ (zero_le a))
  | .succ a, .succ b => (le_or_lt a b).elim (fun h => .inl (succ_le_succ h)) (fun h => .inr (succ_le_succ h))
theorem le_of_eq {a b : Nat} (h : Eq a b) : Nat.le a b := h ▸ .refl
theorem le_antisymm {a b : Nat} (h : Nat.le a b) (k : Nat.le b a) : Eq a b :=
  match eq_or_lt h with
  | .inl e => e
  | .inr l => (not_succ_le_self _ (le_trans l k)).elim

theorem succ_add (a : Nat) : (b : Nat) → Eq (Nat.add (.succ a) b) (.succ (Nat.add a b))
  | .zero => rfl
  | .succ b => congrArg Nat.succ (succ_add a b)
theorem zero_add : (a : Nat) → Eq (Nat.add .zero a) a
  | .zero => rfl
  | .succ a => congrArg Nat.succ (zero_add a)
theorem add_comm (a : Nat) : (b : Nat) → Eq (Nat.add a b) (Nat.add b a)
  | .zero => Eq.symm (zero_add a)
  | .succ b => Eq.trans (congrArg Nat.succ (add_comm a b)) (Eq.symm (succ_add b a))
theorem add_assoc (a b : Nat) : (c : Nat) → Eq (Nat.add (Nat.add a b) c) (Nat.add a (Nat.add b c))
  | .zero => rfl
  | .succ c => congrArg Nat.succ (add_assoc a b c)
theorem le_add (a : Nat) : (b : Nat) → Nat.le a (Nat.add a b)
  | .zero => .refl
  | .succ b => .step (le_add a b)
theorem add_le_add {a b c d : Nat} (h : Nat.le a b) (k : Nat.le c d) : Nat.le (Nat.add a c) (Nat.add b d) :=
  le_trans (right c h) (left b k)
where
  left (a : Nat) : {b c : Nat} → Nat.le b c → Nat.le (Nat.add a b) (Nat.add a c)
    | _, _, .refl => .refl
    | _, _, .step h => .step (left a h)
  right {a b : Nat} : (c : Nat) → Nat.le a b → Nat.le (Nat.add a c) (Nat.add b c)
    | .zero, h => h
    | .succ c, h => succ_le_succ (right c h)
theorem le_of_add_le_add_right {a b : Nat} : (c : Nat) → Nat.le (Nat.add a c) (Nat.add b c) → Nat.le a b
  | .zero, h => h
  | .succ c, h => le_of_add_le_add_right c (le_of_succ_le_succ h)
theorem add_right_cancel {a b : Nat} : (c : Nat) → Eq (Nat.add a c) (Nat.add b c) → Eq a b
  | .zero, h => h
  | .succ c, h => add_right_cancel c (congrArg Nat.pred h)
/-- What is at most `b` reaches `b` by adding something. -/
theorem le_exists : {a b : Nat} → Nat.le a b → Exists fun d => Eq b (Nat.add a d)
  | a, _, .refl => ⟨.zero, (rfl : Eq a a)⟩
  | _, _, .step h => let ⟨d, e⟩ := le_exists h; ⟨.succ d, congrArg Nat.succ e⟩

theorem succ_sub_succ (a : Nat) : (b : Nat) → Eq (Nat.sub (.succ a) (.succ b)) (Nat.sub a b)
  | .zero => rfl
  | .succ b => congrArg Nat.pred (succ_sub_succ a b)
theorem zero_sub : (b : Nat) → Eq (Nat.sub .zero b) .zero
  | .zero => rfl
  | .succ b => congrArg Nat.pred (zero_sub b)
/-- Truncated subtraction never loses: `a ≤ (a - b) + b`. -/
theorem le_sub_add : (a b : Nat) → Nat.le a (Nat.add (Nat.sub a b) b)
  | _, .zero => .refl
  | .zero, .succ _ => zero_le _
  | .succ a, .succ b =>
      succ_le_succ (Eq.subst (motive := fun x => Nat.le a (Nat.add x b)) (Eq.symm (succ_sub_succ a b)) (le_sub_add a b))
theorem sub_add_le : {a b : Nat} → Nat.le b a → Nat.le (Nat.add (Nat.sub a b) b) a
  | _, .zero, _ => .refl
  | .succ a, .succ b, h =>
    succ_le_succ (Eq.subst (motive := fun x =>
        Nat.le (Nat.add x b) a) (Eq.symm (succ_sub_succ a b)) (sub_add_le (le_of_succ_le_succ h)))
theorem sub_add_cancel {a b : Nat} (h : Nat.le b a) : Eq (Nat.add (Nat.sub a b) b) a :=
    le_antisymm (sub_add_le h) (le_sub_add a b)
theorem add_sub_cancel (a : Nat) : (b : Nat) → Eq (Nat.sub (Nat.add a b) b) a
  | .zero => rfl
  | .succ b => Eq.trans (succ_sub_succ (Nat.add a b) b) (add_sub_cancel a b)
theorem sub_eq_zero : {a b : Nat} → Nat.le a b → Eq (Nat.sub a b) .zero
  | .zero, b, _ => zero_sub b
  | .succ a, .succ b, h => Eq.trans (succ_sub_succ a b) (sub_eq_zero (le_of_succ_le_succ h))

theorem le_of_ble : (a b : Nat) → Eq (Nat.ble a b) .true → Nat.le a b
  | .zero, b, _ => zero_le b
  | .succ _, .zero, h => nomatch h
  | .succ a, .succ b, h => succ_le_succ (le_of_ble a b h)
theorem ble_of_le : (a b : Nat) → Nat.le a b → Eq (Nat.ble a b) .true
  | .zero, .zero, _ => rfl
  | .zero, .succ _, _ => rfl
  | .succ _, .zero, h => nomatch h
  | .succ a, .succ b, h => ble_of_le a b (le_of_succ_le_succ h)
theorem eq_of_beq : (a b : Nat) → Eq (Nat.beq a b) .true → Eq a b
  | .zero, .zero, _ => rfl
  | .zero, .succ _, h => nomatch h
  | .succ _, .zero, h => nomatch h
  | .succ a, .succ b, h => congrArg Nat.succ (eq_of_beq a b h)
theorem beq_self : (a : Nat) → Eq (Nat.beq a a) .true
  | .zero => rfl
  | .succ a => beq_self a

theorem mul_mono (q : Nat) : {a b : Nat} → Nat.le a b → Nat.le (Nat.mul q a) (Nat.mul q b)
  | _, _, .refl => .refl
  | _, _, .step h => le_trans (mul_mono q h) (le_add _ q)
theorem mul_add (q a : Nat) : (b : Nat) → Eq (Nat.mul q (Nat.add a b)) (Nat.add (Nat.mul q a) (Nat.mul q b))
  | .zero => rfl
  | .succ b => Eq.trans (congrArg (fun x => Nat.add x q) (mul_add q a b)) (add_assoc _ _ _)
end Tracepact
