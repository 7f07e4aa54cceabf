import Tracepact.Impl.Popcount
import Tracepact.Thm.Base.Bits
import Tracepact.Thm.Base.Count
/-! Counting by folding is counting. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

def sum (v : Nat → Nat) : Nat → Nat
  | .zero => .zero
  | .succ n => Nat.add (sum v n) (v n)
theorem sum_congr {u v : Nat → Nat} (h : (i : Nat) → Eq (u i) (v i)) : (n : Nat) → Eq (sum u n) (sum v n)
  | .zero => rfl
  | .succ n => congr2 Nat.add (sum_congr h n) (h n)
theorem count_eq_sum (p : Nat → Bool) : (n : Nat) → Eq (count p n) (sum (fun i => toNat (p i)) n)
  | .zero => rfl
  | .succ n => congrArg (fun x => Nat.add x (toNat (p n))) (count_eq_sum p n)
theorem sum_halves (v : Nat → Nat) (w : Nat) : (k : Nat) →
    Eq (sum v (Nat.add w k)) (Nat.add (sum v w) (sum (fun i => v (Nat.add i w)) k))
  | .zero => rfl
  | .succ k => Eq.trans (congr2 Nat.add (sum_halves v w k) (congrArg v (add_comm w k))) (add_assoc _ _ _)
theorem add_swap (a b c d : Nat) : Eq (Nat.add (Nat.add a b) (Nat.add c d)) (Nat.add (Nat.add a c) (Nat.add b d)) :=
  le_antisymm (lin0 (on4 a b c d) rfl) (lin0 (on4 a c b d) rfl)
theorem sum_add (u v : Nat → Nat) : (n : Nat) → Eq (Nat.add (sum u n) (sum v n)) (sum (fun i => Nat.add (u i) (v i)) n)
  | .zero => rfl
  | .succ n => Eq.trans (add_swap _ _ _ _) (congrArg (fun x => Nat.add x _) (sum_add u v n))

theorem full_adder : (x y z : Bool) → Eq
    (Nat.add (toNat (bxor (bxor x y) z))
        (Nat.add (toNat (bor (band x y) (band z (bxor x y)))) (toNat (bor (band x y) (band z (bxor x y))))))
    (Nat.add (Nat.add (toNat x) (toNat y)) (toNat z))
  | .true, .true, .true => rfl
  | .true, .true, .false => rfl
  | .true, .false, .true => rfl
  | .true, .false, .false => rfl
  | .false, .true, .true => rfl
  | .false, .true, .false => rfl
  | .false, .false, .true => rfl
  | .false, .false, .false => rfl
theorem adder_sum {t m x y z p q : Nat} (h : Eq (Nat.add t (Nat.add m m)) (Nat.add (Nat.add x y) z)) :
    Eq (Nat.add t (Nat.mul (Nat.add (Nat.add p q) m) 2))
      (Nat.add (Nat.add (Nat.add x (Nat.mul p 2)) (Nat.add y (Nat.mul q 2))) z) :=
  le_antisymm
    (lin1 (on7 t m x y z p q) (le_of_eq h) rfl)
    (lin1 (on7 x y z t m p q) (le_of_eq (Eq.symm h)) rfl)
theorem bit_half (a w c i : Nat) : Eq (bit (Nat.xor (Nat.xor a (Nat.shiftRight a w)) c) i)
    (bxor (bxor (bit a i) (bit a (Nat.add i w))) (bit c i)) :=
  Eq.trans (bit_xor _ _ _) (congrArg (fun b =>
      bxor b (bit c i)) (Eq.trans (bit_xor _ _ _) (congrArg (bxor (bit a i)) (bit_shr a w i))))
theorem bit_carry (a w c i : Nat) :
    Eq (bit (Nat.lor (Nat.land a (Nat.shiftRight a w)) (Nat.land c (Nat.xor a (Nat.shiftRight a w)))) i)
    (bor (band (bit a i) (bit a (Nat.add i w))) (band (bit c i) (bxor (bit a i) (bit a (Nat.add i w))))) :=
  Eq.trans (bit_lor _ _ _) (congr2 bor
    (Eq.trans (bit_land _ _ _) (congrArg (band (bit a i)) (bit_shr a w i)))
    (Eq.trans (bit_land _ _ _)
        (congrArg (band (bit c i)) (Eq.trans (bit_xor _ _ _) (congrArg (bxor (bit a i)) (bit_shr a w i))))))
theorem counter_addShifted (w : Nat) : (slices : List Nat) → (c i : Nat) →
    Eq (counter (addShifted w slices c) i)
        (Nat.add (Nat.add (counter slices i) (counter slices (Nat.add i w))) (toNat (bit c i)))
  | .nil, _, _ => Eq.symm (zero_add _)
  | .cons a rest, c, i => Eq.trans
      (congr2 (fun x y => Nat.add (toNat x) (Nat.mul y 2)) (bit_half a w c i) (counter_addShifted w rest _ i))
      (adder_sum (Eq.trans (congrArg (fun b => Nat.add _ (Nat.add (toNat b) (toNat b))) (bit_carry a w c i))
          (full_adder _ _ _)))
theorem two_mul (x : Nat) : Eq (Nat.mul x 2) (Nat.add x x) := congrArg (fun y => Nat.add y x) (zero_add x)
theorem swap_right (a b c : Nat) : Eq (Nat.add (Nat.add a b) c) (Nat.add (Nat.add a c) b) :=
  le_antisymm (lin0 (on3 a b c) rfl) (lin0 (on3 a c b) rfl)
/-- After `d` folds, the counter at `p` is the sum of the `2^d` counters from `p` on. -/
theorem fold_sum : (d : Nat) → (slices : List Nat) → (p : Nat) →
    Eq (counter (fold d slices) p) (sum (fun i => counter slices (Nat.add i p)) (Nat.pow 2 d))
  | .zero, slices, p => Eq.symm (Eq.trans (zero_add _) (congrArg (counter slices) (zero_add p)))
  | .succ d, slices, p => Eq.trans (fold_sum d _ p) (Eq.trans (sum_congr (fun i =>
        Eq.trans (counter_addShifted _ slices 0 (Nat.add i p))
          (Eq.trans (congrArg (fun b => Nat.add _ (toNat b)) (eq_false (bit_zero (Nat.add i p))))
            (congrArg (fun z => Nat.add (counter slices (Nat.add i p)) (counter slices z)) (swap_right i p _)))) _)
      (Eq.symm (Eq.trans (congrArg (sum fun i => counter slices (Nat.add i p)) (two_mul (Nat.pow 2 d)))
        (Eq.trans (sum_halves (fun i => counter slices (Nat.add i p)) _ _) (sum_add _ _ _)))))
/-- The folded counter of a mask at `p` counts its set bits in the `2^d` frames from `p` on. -/
theorem folded_count (d m p : Nat) : Eq (counter (fold d (.cons m .nil)) p)
    (count (fun i => bit m (Nat.add p i)) (Nat.pow 2 d)) :=
  Eq.trans (fold_sum d _ p) (Eq.trans (sum_congr (fun i => congrArg (fun z => toNat (bit m z)) (add_comm i p)) _)
    (Eq.symm (count_eq_sum (fun i => bit m (Nat.add p i)) _)))
/-- What does not hold from `n` on, below `n + k`, is counted below `n`. -/
theorem count_within (p : Nat → Bool) (n : Nat) : (k : Nat) →
    ((i : Nat) → Nat.le n i → Lt i (Nat.add n k) → Not (IsTrue (p i))) → Eq (count p (Nat.add n k)) (count p n)
  | .zero, _ => rfl
  | .succ k, h => Eq.trans (congrArg (fun b => Nat.add (count p (Nat.add n k)) (toNat b))
      (eq_false (h _ (le_add n k) .refl))) (count_within p n k fun i l m => h i l (.step m))

/-- **Counting by folding.** The folded count of a mask of `n` frames, `n ≤ 2^d`, is the number of its set frames. -/
theorem popcount_eq_count (d n m : Nat) (fits : Nat.le n (Nat.pow 2 d)) (within : (i : Nat) → Eq (bit m i) .true →
    Lt i n) :
    Eq (popcount d m) (count (bit m) n) :=
  let ⟨k, e⟩ := le_exists fits
  Eq.trans (folded_count d m 0) (Eq.trans (congrArg (count fun i => bit m (Nat.add 0 i)) e) (Eq.trans
    (count_within _ n k fun i l _ h => impossible2 (on2 i n) (within i (Eq.trans (Eq.symm (zero_bit i)) h)) l rfl)
    (count_congr n fun i _ => zero_bit i)))
where
  zero_bit (i : Nat) : Eq (bit m (Nat.add 0 i)) (bit m i) := congrArg (bit m) (zero_add i)
end Tracepact
