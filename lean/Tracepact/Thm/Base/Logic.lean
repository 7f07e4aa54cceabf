import Tracepact.Spec.Truth
import Tracepact.Thm.Base.Linear
/-! Propositional equivalences, and what each Boolean operator and bounded search decides. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

section
variable {a b c d : Prop}
theorem iff_refl : Iff a a := ⟨id, id⟩
theorem iff_symm (h : Iff a b) : Iff b a := ⟨h.mpr, h.mp⟩
theorem iff_trans (h : Iff a b) (k : Iff b c) : Iff a c := ⟨fun x => k.mp (h.mp x), fun x => h.mpr (k.mpr x)⟩
theorem not_iff (h : Iff a b) : Iff (Not a) (Not b) := ⟨fun n x => n (h.mpr x), fun n x => n (h.mp x)⟩
theorem and_iff (h : Iff a b) (k : Iff c d) : Iff (And a c) (And b d) :=
  ⟨fun ⟨x, y⟩ => ⟨h.mp x, k.mp y⟩, fun ⟨x, y⟩ => ⟨h.mpr x, k.mpr y⟩⟩
theorem or_iff (h : Iff a b) (k : Iff c d) : Iff (Or a c) (Or b d) :=
  ⟨fun | .inl x => .inl (h.mp x) | .inr x => .inr (k.mp x), fun | .inl x => .inl (h.mpr x) | .inr x => .inr (k.mpr x)⟩
theorem imp_iff (h : Iff a b) (k : Iff c d) : Iff (a → c) (b → d) :=
  ⟨fun f x => k.mp (f (h.mpr x)), fun f x => k.mpr (f (h.mp x))⟩
theorem iff_iff (h : Iff a b) (k : Iff c d) : Iff (Iff a c) (Iff b d) :=
  ⟨fun e => iff_trans (iff_symm h) (iff_trans e k), fun e => iff_trans h (iff_trans e (iff_symm k))⟩
end
theorem exists_iff {p q : Nat → Prop} (h : (j : Nat) → Iff (p j) (q j)) : Iff (Exists p) (Exists q) :=
  ⟨fun ⟨j, x⟩ => ⟨j, (h j).mp x⟩, fun ⟨j, x⟩ => ⟨j, (h j).mpr x⟩⟩
theorem forall_iff {p q : Nat → Prop} (h : (j : Nat) → Iff (p j) (q j)) : Iff ((j : Nat) → p j) ((j : Nat) → q j) :=
  ⟨fun f j => (h j).mp (f j), fun f j => (h j).mpr (f j)⟩
theorem congr2 {α β γ : Type} (f : α → β → γ) {a a' : α} {b b' : β} (h : Eq a a') (k : Eq b b') :
    Eq (f a b) (f a' b') :=
  h ▸ k ▸ rfl

theorem bnot_iff : (x : Bool) → Iff (IsTrue (bnot x)) (Not (IsTrue x))
  | .true => ⟨nofun, fun h => absurd rfl h⟩
  | .false => ⟨fun _ => nofun, fun _ => rfl⟩
theorem band_iff : (x y : Bool) → Iff (IsTrue (band x y)) (And (IsTrue x) (IsTrue y))
  | .true, _ => ⟨fun h => ⟨rfl, h⟩, fun h => h.right⟩
  | .false, _ => ⟨nofun, fun h => nomatch h.left⟩
theorem bor_iff : (x y : Bool) → Iff (IsTrue (bor x y)) (Or (IsTrue x) (IsTrue y))
  | .true, _ => ⟨fun _ => .inl rfl, fun _ => rfl⟩
  | .false, _ => ⟨.inr, fun | .inr h => h⟩
theorem bimplies_iff : (x y : Bool) → Iff (IsTrue (bimplies x y)) (IsTrue x → IsTrue y)
  | .true, _ => ⟨fun h _ => h, fun h => h rfl⟩
  | .false, _ => ⟨fun _ => nofun, fun _ => rfl⟩
theorem biff_iff : (x y : Bool) → Iff (IsTrue (biff x y)) (Iff (IsTrue x) (IsTrue y))
  | .true, .true => ⟨fun _ => iff_refl, fun _ => rfl⟩
  | .true, .false => ⟨nofun, fun h => h.mp rfl⟩
  | .false, .true => ⟨nofun, fun h => h.mpr rfl⟩
  | .false, .false => ⟨fun _ => iff_refl, fun _ => rfl⟩
theorem ble_iff (a b : Nat) : Iff (IsTrue (Nat.ble a b)) (Nat.le a b) := ⟨le_of_ble a b, ble_of_le a b⟩
theorem beq_iff (a b : Nat) : Iff (IsTrue (Nat.beq a b)) (Eq a b) := ⟨eq_of_beq a b, fun h => h ▸ beq_self a⟩
/-- Truth values that are true together are equal. -/
theorem eq_of_iff : {x y : Bool} → Iff (IsTrue x) (IsTrue y) → Eq x y
  | .true, _, h => Eq.symm (h.mp rfl)
  | .false, .false, _ => rfl
  | .false, .true, h => h.mpr rfl
theorem iff_of_eq {x y : Bool} (h : Eq x y) : Iff (IsTrue x) (IsTrue y) := h ▸ iff_refl
theorem true_or_not : (x : Bool) → Or (IsTrue x) (Not (IsTrue x))
  | .true => .inl rfl
  | .false => .inr nofun
theorem eq_false : {x : Bool} → Not (IsTrue x) → Eq x .false
  | .true, h => absurd rfl h
  | .false, _ => rfl
theorem false_ne_true {x : Bool} (h : Eq x .false) : Not (IsTrue x) := fun k => nomatch Eq.trans (Eq.symm h) k

theorem cond_elim {α : Type} {P : α → Prop} {t e : α} : (b : Bool) → (IsTrue b → P t) → (Not (IsTrue b) → P e) →
    P (cond b t e)
  | .true, h, _ => h rfl
  | .false, _, h => h nofun

theorem lt_succ_cases {j n : Nat} (h : Lt j (.succ n)) : Or (Eq j n) (Lt j n) := eq_or_lt (le_of_succ_le_succ h)
theorem anyBelow_iff (p : Nat → Bool) : (n : Nat) → Iff (IsTrue (anyBelow p n)) (Exists fun j =>
    And (Lt j n) (IsTrue (p j)))
  | .zero => ⟨nofun, fun ⟨_, l, _⟩ => nomatch l⟩
  | .succ n => iff_trans (bor_iff _ _) ⟨
      fun | .inl h => ⟨n, .refl, h⟩
          | .inr h => let ⟨j, l, e⟩ := (anyBelow_iff p n).mp h; ⟨j, .step l, e⟩,
      fun ⟨j, l, e⟩ => match lt_succ_cases l with
          | .inl h => .inl (h ▸ e)
          | .inr h => .inr ((anyBelow_iff p n).mpr ⟨j, h, e⟩)⟩
theorem allBelow_iff (p : Nat → Bool) : (n : Nat) → Iff (IsTrue (allBelow p n)) ((j : Nat) → Lt j n → IsTrue (p j))
  | .zero => ⟨fun _ _ l => (nomatch l), fun _ => rfl⟩
  | .succ n => iff_trans (band_iff _ _) ⟨
      fun ⟨h, k⟩ j l => match lt_succ_cases l with
          | .inl e => e ▸ h
          | .inr l => (allBelow_iff p n).mp k j l,
      fun h => ⟨h n .refl, (allBelow_iff p n).mpr fun j l => h j (.step l)⟩⟩

theorem le_larger_left (a b : Nat) : Nat.le a (larger a b) :=
  cond_elim (P := Nat.le a) (Nat.ble a b) (le_of_ble a b) fun _ => .refl
theorem le_larger_right (a b : Nat) : Nat.le b (larger a b) :=
  cond_elim (P := Nat.le b) (Nat.ble a b) (fun _ => .refl) fun h =>
    (le_or_lt a b).elim (fun l => absurd (ble_of_le a b l) h) le_of_succ_le
theorem larger_le (a b c : Nat) (h : Nat.le a c) (k : Nat.le b c) : Nat.le (larger a b) c :=
  cond_elim (P := fun x => Nat.le x c) (Nat.ble a b) (fun _ => k) fun _ => h
end Tracepact
