/-!
The seven laws of the bit operations that the theory uses, for the bodies in this folder's `Init`.

Lean's own library proves the same seven under the same names in its module of this name, so the theory imports
`Init.Data.Nat.Bitwise.Lemmas` with either. Like `Init.lean` beside it, this file is not read by `lake build`.
-/
set_option autoImplicit false
noncomputable section
namespace Nat.Bootstrap

/-! ### Order -/
theorem zero_le : (n : Nat) → Nat.le .zero n
  | .zero => .refl
  | .succ n => .step (zero_le n)
theorem succ_le_succ {a : Nat} : {b : Nat} → Nat.le a b → Nat.le (.succ a) (.succ b)
  | _, .refl => .refl
  | _, .step h => .step (succ_le_succ h)
theorem le_trans {a b : Nat} : {c : Nat} → Nat.le a b → Nat.le b c → Nat.le a c
  | _, h, .refl => h
  | _, h, .step k => .step (le_trans h k)
theorem le_pred {a b : Nat} : Nat.le (.succ a) (.succ b) → Nat.le a b
  | .refl => .refl
  | .step h => le_trans (.step .refl) h
theorem ble_of_le : (a b : Nat) → Nat.le a b → Eq (Nat.ble a b) .true
  | .zero, .zero, _ => rfl
  | .zero, .succ _, _ => rfl
  | .succ _, .zero, h => nomatch h
  | .succ a, .succ b, h => ble_of_le a b (le_pred h)
theorem le_of_ble : (a b : Nat) → Eq (Nat.ble a b) .true → Nat.le a b
  | .zero, b, _ => zero_le b
  | .succ _, .zero, h => nomatch h
  | .succ a, .succ b, h => succ_le_succ (le_of_ble a b h)
theorem le_add (a : Nat) : (b : Nat) → Nat.le a (Nat.add a b)
  | .zero => .refl
  | .succ b => .step (le_add a b)
theorem le_add_left (a : Nat) : (b : Nat) → Nat.le b (Nat.add a b)
  | .zero => zero_le a
  | .succ b => succ_le_succ (le_add_left a b)
theorem succ_add (a : Nat) : (b : Nat) → Eq (Nat.add (.succ a) b) (.succ (Nat.add a b))
  | .zero => rfl
  | .succ b => congrArg Nat.succ (succ_add a b)

/-! ### Halves -/
theorem half_double : (r : Nat) → Eq (Nat.half (Nat.add r r)) r
  | .zero => rfl
  | .succ r => Eq.trans (congrArg (fun x => Nat.half (.succ x)) (succ_add r r)) (congrArg Nat.succ (half_double r))
theorem half_succ_double : (r : Nat) → Eq (Nat.half (.succ (Nat.add r r))) r
  | .zero => rfl
  | .succ r => Eq.trans (congrArg (fun x => Nat.half (.succ (.succ x))) (succ_add r r))
      (congrArg Nat.succ (half_succ_double r))
theorem odd_double : (r : Nat) → Eq (Nat.odd (Nat.add r r)) .false
  | .zero => rfl
  | .succ r => Eq.trans (congrArg (fun x => Nat.odd (.succ x)) (succ_add r r)) (odd_double r)
theorem odd_succ_double : (r : Nat) → Eq (Nat.odd (.succ (Nat.add r r))) .true
  | .zero => rfl
  | .succ r => Eq.trans (congrArg (fun x => Nat.odd (.succ (.succ x))) (succ_add r r)) (odd_succ_double r)
theorem half_bitCons : (b : Bool) → (r : Nat) → Eq (Nat.half (Nat.bitCons b r)) r
  | .true, r => half_succ_double r
  | .false, r => half_double r
theorem odd_bitCons : (b : Bool) → (r : Nat) → Eq (Nat.odd (Nat.bitCons b r)) b
  | .true, r => odd_succ_double r
  | .false, r => odd_double r
theorem half_le : (n : Nat) → Nat.le (Nat.half n) n
  | .zero => .refl
  | .succ .zero => .step .refl
  | .succ (.succ n) => succ_le_succ (.step (half_le n))
theorem half_fuel : {n k : Nat} → Nat.le n (.succ k) → Nat.le (Nat.half n) k
  | .zero, k, _ => zero_le k
  | .succ .zero, k, _ => zero_le k
  | .succ (.succ n), _, h => le_trans (succ_le_succ (half_le n)) (le_pred h)

/-! ### Bit `i` by halving -/
def nth : Nat → Nat → Bool
  | m, .zero => Nat.odd m
  | m, .succ i => nth (Nat.half m) i
theorem nth_zero : (i : Nat) → Eq (nth .zero i) .false
  | .zero => rfl
  | .succ i => nth_zero i
theorem nth_bitwise (f : Bool → Bool → Bool) (ff : Eq (f .false .false) .false) : (fuel a b i : Nat) →
    Nat.le a fuel → Nat.le b fuel → Eq (nth (Nat.bitwiseFuel f fuel a b) i) (f (nth a i) (nth b i))
  | .zero, .zero, .zero, i, _, _ =>
    Eq.trans (nth_zero i) (Eq.subst (motive := fun x => Eq Bool.false (f x x)) (Eq.symm (nth_zero i)) (Eq.symm ff))
  | .succ _, _, _, .zero, _, _ => odd_bitCons _ _
  | .succ fuel, _, _, .succ i, ha, hb => Eq.trans (congrArg (fun x => nth x i) (half_bitCons _ _))
      (nth_bitwise f ff fuel _ _ i (half_fuel ha) (half_fuel hb))
theorem and_zero : (fuel b : Nat) → Eq (Nat.bitwiseFuel and fuel .zero b) .zero
  | .zero, _ => rfl
  | .succ fuel, b => congrArg (Nat.bitCons .false) (and_zero fuel (Nat.half b))
theorem shiftRight_half : (m s : Nat) → Eq (Nat.shiftRight (Nat.half m) s) (Nat.half (Nat.shiftRight m s))
  | _, .zero => rfl
  | m, .succ s => congrArg Nat.half (shiftRight_half m s)
theorem odd_shiftRight : (m i : Nat) → Eq (Nat.odd (Nat.shiftRight m i)) (nth m i)
  | _, .zero => rfl
  | m, .succ i => Eq.trans (congrArg Nat.odd (Eq.symm (shiftRight_half m i))) (odd_shiftRight (Nat.half m) i)
theorem low_bit (b : Bool) : Eq (cond (Nat.beq (Nat.bitCons b .zero) 0) Bool.false .true) b :=
  match b with
  | .true => rfl
  | .false => rfl
theorem testBit_eq (m i : Nat) : Eq (Nat.testBit m i) (nth m i) :=
  Eq.trans (congrArg (fun r => cond (Nat.beq (Nat.bitCons (Nat.odd (Nat.shiftRight m i)) r) 0) Bool.false .true)
      (and_zero (Nat.shiftRight m i) (Nat.half (Nat.shiftRight m i))))
    (Eq.trans (low_bit _) (odd_shiftRight m i))
theorem testBit_bitwise (f : Bool → Bool → Bool) (ff : Eq (f .false .false) .false) (a b i : Nat) :
    Eq (Nat.testBit (Nat.bitwiseFuel f (Nat.add b a) a b) i) (f (Nat.testBit a i) (Nat.testBit b i)) :=
  Eq.trans (testBit_eq _ i) (Eq.trans (nth_bitwise f ff _ a b i (le_add_left b a) (le_add b a))
    (Eq.subst (motive := fun x => Eq (f x _) _) (testBit_eq a i)
      (Eq.subst (motive := fun x => Eq (f _ x) _) (testBit_eq b i) rfl)))

/-! ### Shifts -/
theorem nth_shiftRight : (m s i : Nat) → Eq (nth (Nat.shiftRight m s) i) (nth m (Nat.add s i))
  | _, .zero, i => congrArg (nth _) (zero_add i)
  | m, .succ s, i => Eq.trans (congrArg (fun x => nth x i) (Eq.symm (shiftRight_half m s)))
      (Eq.trans (nth_shiftRight (Nat.half m) s i) (congrArg (nth m) (Eq.symm (succ_add s i))))
where
  zero_add : (i : Nat) → Eq i (Nat.add .zero i)
    | .zero => rfl
    | .succ i => congrArg Nat.succ (zero_add i)
theorem two_mul : (m : Nat) → Eq (Nat.mul 2 m) (Nat.add m m)
  | .zero => rfl
  | .succ m => Eq.trans (congrArg (fun x => Nat.succ (Nat.succ x)) (two_mul m))
      (congrArg Nat.succ (Eq.symm (succ_add m m)))
theorem succ_sub_succ (a : Nat) : (b : Nat) → Eq (Nat.sub (.succ a) (.succ b)) (Nat.sub a b)
  | .zero => rfl
  | .succ b => congrArg Nat.pred (succ_sub_succ a b)
theorem shiftLeft_two : (m s : Nat) → Eq (Nat.shiftLeft (Nat.mul 2 m) s) (Nat.mul 2 (Nat.shiftLeft m s))
  | _, .zero => rfl
  | m, .succ s => shiftLeft_two (Nat.mul 2 m) s
theorem nth_double_zero (m : Nat) : Eq (nth (Nat.mul 2 m) .zero) .false :=
  Eq.trans (congrArg Nat.odd (two_mul m)) (odd_double m)
theorem nth_double_succ (m i : Nat) : Eq (nth (Nat.mul 2 m) (.succ i)) (nth m i) :=
  congrArg (fun x => nth x i) (Eq.trans (congrArg Nat.half (two_mul m)) (half_double m))
theorem nth_shiftLeft (m : Nat) : (s i : Nat) → Eq (nth (Nat.shiftLeft m s) i) (and (Nat.ble s i) (nth m (Nat.sub i s)))
  | .zero, i => Eq.subst (motive := fun b => Eq _ (and b _)) (Eq.symm (ble_of_le .zero i (zero_le i))) rfl
  | .succ s, .zero => Eq.trans (congrArg (fun x => nth x .zero) (shiftLeft_two m s)) (nth_double_zero _)
  | .succ s, .succ i => Eq.trans (congrArg (fun x => nth x (.succ i)) (shiftLeft_two m s))
      (Eq.trans (nth_double_succ _ i) (Eq.trans (nth_shiftLeft m s i)
        (congrArg (fun x => and (Nat.ble s i) (nth m x)) (Eq.symm (succ_sub_succ i s)))))
theorem mul_two (m : Nat) : Eq (Nat.mul m 2) (Nat.add m m) :=
  congrArg (fun x => Nat.add x m) (Eq.symm (nth_shiftRight.zero_add m))
def ones : Nat → Nat
  | .zero => .zero
  | .succ n => .succ (Nat.add (ones n) (ones n))
theorem two_pow : (n : Nat) → Eq (Nat.pow 2 n) (.succ (ones n))
  | .zero => rfl
  | .succ n => Eq.trans (congrArg (fun x => Nat.mul x 2) (two_pow n))
      (Eq.trans (mul_two _) (congrArg Nat.succ (succ_add _ _)))
theorem nth_ones : (n i : Nat) → Eq (nth (ones n) i) (Nat.ble (.succ i) n)
  | .zero, i => nth_zero i
  | .succ n, .zero => Eq.trans (odd_succ_double (ones n)) (Eq.symm (ble_of_le .zero n (zero_le n)))
  | .succ n, .succ i => Eq.trans (congrArg (fun x => nth x i) (half_succ_double (ones n))) (nth_ones n i)

/-! ### A number is its bits -/
theorem bitCons_succ : (b : Bool) → (r : Nat) → Eq (Nat.bitCons b (.succ r)) (.succ (.succ (Nat.bitCons b r)))
  | .true, r => congrArg (fun x => Nat.succ (Nat.succ x)) (succ_add r r)
  | .false, r => congrArg Nat.succ (succ_add r r)
theorem bitCons_odd_half : (m : Nat) → Eq (Nat.bitCons (Nat.odd m) (Nat.half m)) m
  | .zero => rfl
  | .succ .zero => rfl
  | .succ (.succ m) => Eq.trans (bitCons_succ _ _) (congrArg (fun x => Nat.succ (Nat.succ x)) (bitCons_odd_half m))
theorem eq_of_nth : (fuel x y : Nat) → Nat.le x fuel → Nat.le y fuel → ((i : Nat) → Eq (nth x i) (nth y i)) → Eq x y
  | .zero, .zero, .zero, _, _, _ => rfl
  | .succ fuel, x, y, hx, hy, h =>
    have low : Eq (Nat.odd x) (Nat.odd y) := h .zero
    have rest : Eq (Nat.half x) (Nat.half y) := eq_of_nth fuel _ _ (half_fuel hx) (half_fuel hy) fun i => h (.succ i)
    Eq.trans (Eq.symm (bitCons_odd_half x)) (Eq.trans (congrArg (fun b => Nat.bitCons b (Nat.half x)) low)
      (Eq.trans (congrArg (Nat.bitCons (Nat.odd y)) rest) (bitCons_odd_half y)))

/-! ### Deciding the order -/
theorem decide_le (n m : Nat) (b : Bool) (h : Eq (Nat.ble n m) b) (t : Decidable (Nat.le n m)) :
    Eq (@Decidable.decide (Nat.le n m) t) b :=
  match b, h with
  | .true, h => decide_eq_true (le_of_ble n m h)
  | .false, h => decide_eq_false (fun l => nomatch Eq.trans (Eq.symm (ble_of_le n m l)) h)
end Nat.Bootstrap

open Nat.Bootstrap
instance Nat.decLe (n m : Nat) : Decidable (Nat.le n m) :=
  Bool.rec (motive := fun b => Eq (Nat.ble n m) b → Decidable (Nat.le n m))
    (fun h => .isFalse (fun l => nomatch Eq.trans (Eq.symm (ble_of_le n m l)) h))
    (fun h => .isTrue (le_of_ble n m h)) (Nat.ble n m) rfl

theorem Nat.testBit_and (x y i : Nat) : Eq (Nat.testBit (Nat.land x y) i) (and (Nat.testBit x i) (Nat.testBit y i)) :=
  testBit_bitwise and rfl x y i
theorem Nat.testBit_or (x y i : Nat) : Eq (Nat.testBit (Nat.lor x y) i) (or (Nat.testBit x i) (Nat.testBit y i)) :=
  testBit_bitwise or rfl x y i
theorem Nat.testBit_xor (x y i : Nat) :
    Eq (Nat.testBit (Nat.xor x y) i) (Bool.xor (Nat.testBit x i) (Nat.testBit y i)) :=
  testBit_bitwise Bool.xor rfl x y i
theorem Nat.testBit_shiftRight {i j : Nat} (x : Nat) :
    Eq (Nat.testBit (Nat.shiftRight x i) j) (Nat.testBit x (Nat.add i j)) :=
  Eq.trans (testBit_eq _ j) (Eq.trans (nth_shiftRight x i j) (Eq.symm (testBit_eq x _)))
theorem Nat.testBit_shiftLeft {i j : Nat} (x : Nat) :
    Eq (Nat.testBit (Nat.shiftLeft x i) j) (and (Decidable.decide (Nat.le i j)) (Nat.testBit x (Nat.sub j i))) :=
  Eq.trans (testBit_eq _ j) (Eq.trans (nth_shiftLeft x i j)
    (Eq.subst (motive := fun b => Eq _ (and b _)) (Eq.symm (decide_le i j _ rfl _))
      (congrArg (and (Nat.ble i j)) (Eq.symm (testBit_eq x _)))))
theorem Nat.testBit_two_pow_sub_one (n i : Nat) :
    Eq (Nat.testBit (Nat.sub (Nat.pow 2 n) 1) i) (Decidable.decide (Nat.le (.succ i) n)) :=
  Eq.trans (testBit_eq _ i) (Eq.trans (congrArg (fun x => nth (Nat.pred x) i) (two_pow n))
    (Eq.trans (nth_ones n i) (Eq.symm (decide_le _ _ _ rfl _))))
theorem Nat.eq_of_testBit_eq {x y : Nat} (pred : (i : Nat) → Eq (Nat.testBit x i) (Nat.testBit y i)) : Eq x y :=
  eq_of_nth (Nat.add y x) x y (le_add_left y x) (le_add y x) fun i =>
    Eq.trans (Eq.symm (testBit_eq x i)) (Eq.trans (pred i) (testBit_eq y i))
