import Tracepact.Spec.Score
import Tracepact.Thm.Soft.Edges
import Tracepact.Thm.Soft.Extremes
import Tracepact.Thm.Soft.Movement
import Tracepact.Thm.Soft.Sign
/-! Soft values: their sign is the verdict, they move no more than the scores, and edges are formulas. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- **The sign is the verdict.** At every frame the soft value of a formula is positive exactly where the formula holds
on the Boolean readings of the fields, each at its threshold; also where a score equals its threshold (rule 18.9). -/
theorem soft_verdict (c : ScoreClip) (f : Formula) (i : Nat) :
    Iff (Eq (isPositive (c.value f i)) .true) (Holds c.reading f i) :=
  iff_trans (iff_of_eq (sign_value c f i)) (eval_iff_holds c.reading f i)
theorem tally_counts (unit : Nat) {o a b : Nat → Bool} {x : Nat → Soft} (ho : (i : Nat) → Eq (o i) (a i))
    (hx : (i : Nat) → Eq (isPositive (x i)) (b i)) : (n : Nat) →
    And (Eq (softTally unit o x n).obligated (obligations a n)) (Eq (softTally unit o x n).satisfied (satisfied a b n))
  | .zero => ⟨rfl, rfl⟩
  | .succ n =>
    let ⟨h, k⟩ := tally_counts unit ho hx n
    Eq.subst (motive := fun d => And
        (Eq (cond (o n) ((softTally unit o x n).add (.one unit (x n))) (softTally unit o x n)).obligated
          (Nat.add (obligations a n) (toNat d)))
        (Eq (cond (o n) ((softTally unit o x n).add (.one unit (x n))) (softTally unit o x n)).satisfied
          (Nat.add (satisfied a b n) (toNat (band d (b n)))))) (ho n) (step (o n) (hx n) h k)
where
  step {t : SoftTally} {y : Soft} {m s : Nat} {z : Bool} : (d : Bool) → Eq (isPositive y) z → Eq t.obligated m →
      Eq t.satisfied s → And (Eq (cond d (t.add (.one unit y)) t).obligated (Nat.add m (toNat d)))
        (Eq (cond d (t.add (.one unit y)) t).satisfied (Nat.add s (toNat (band d z))))
    | .true, e, h, k => ⟨congrArg Nat.succ h, congr2 (fun u v => Nat.add u (toNat v)) k e⟩
    | .false, _, h, k => ⟨h, k⟩
/-- **Soft scores count what the Boolean score counts.** The obligations of a soft score, and those of them that are
satisfied, are as many as those of the clause on the Boolean readings (rule 18.10). -/
theorem soft_counts (c : ScoreClip) (unit : Nat) (o f : Formula) :
    And (Eq (c.tally unit o f).obligated (obligations (eval c.reading o) c.frames))
      (Eq (c.tally unit o f).satisfied (satisfied (eval c.reading o) (eval c.reading f) c.frames)) :=
  tally_counts unit (sign_value c o) (sign_value c f) c.frames

/-! ### Windows, until and since -/
section
variable (n : Nat) (atom : Nat → Nat → Soft)
/-- **The soft value of `F` is the greatest of its window** (rule 18.7), −∞ if the window is empty. -/
theorem soft_eventually (lo hi : Int) (f : Formula) (i : Nat) :
    GreatestOver (InWindow n i lo hi) (soft n atom f) (soft n atom (.eventually lo hi f) i) :=
  greatest_same (inWindow_iff n i lo hi) (greatestBelow_is (fun j => band (atLeast i lo j) (atMost i hi j)) _ n)
/-- **The soft value of `G` is the least of its window** (rule 18.7), +∞ if the window is empty. -/
theorem soft_always (lo hi : Int) (f : Formula) (i : Nat) :
    LeastOver (InWindow n i lo hi) (soft n atom f) (soft n atom (.always lo hi f) i) :=
  least_same (inWindow_iff n i lo hi) (leastBelow_is (fun j => band (atLeast i lo j) (atMost i hi j)) _ n)
/-- **The soft value of until** (rule 18.8) is the greatest, over the frames `j` of its window, of the lesser of the
right side at `j` and the least of the left side from `i` up to but not including `j`. -/
theorem soft_until (r : Nat) (f g : Formula) (i : Nat) : Exists fun held : Nat → Soft =>
    And ((j : Nat) → LeastOver (fun k => And (Nat.le i k) (Lt k j)) (soft n atom f) (held j))
      (GreatestOver (Ahead n i r) (fun j => lesser (soft n atom g j) (held j)) (soft n atom (.«until» r f g) i)) :=
  ⟨_, fun j => least_same (fun k => ⟨fun ⟨l, h⟩ => ⟨le_of_ble i k h, l⟩, fun ⟨h, l⟩ => ⟨l, ble_of_le i k h⟩⟩)
      (leastBelow_is (Nat.ble i) (soft n atom f) j),
    greatest_same (ahead_iff n i r) (greatestBelow_is (fun j => band (Nat.ble i j) (Nat.ble j (Nat.add i r))) _ n)⟩
/-- **The soft value of since** (rule 18.8) is the greatest, over the frames `j` of its window, of the lesser of the
right side at `j` and the least of the left side after `j` up to and including `i`. -/
theorem soft_since (r : Nat) (f g : Formula) (i : Nat) : Exists fun held : Nat → Soft =>
    And ((j : Nat) → LeastOver (fun k => And (Lt j k) (Nat.le k i)) (soft n atom f) (held j))
      (GreatestOver (Behind n i r) (fun j => lesser (soft n atom g j) (held j)) (soft n atom (.since r f g) i)) :=
  ⟨_, fun j => least_same (fun k => ⟨fun ⟨l, h⟩ => ⟨le_of_ble (.succ j) k h, le_of_succ_le_succ l⟩,
        fun ⟨h, l⟩ => ⟨succ_le_succ l, ble_of_le (.succ j) k h⟩⟩)
      (leastBelow_is (Nat.ble (.succ j)) (soft n atom f) (.succ i)),
    greatest_same (behind_iff n i r) (greatestBelow_is (fun j => band (Nat.ble j i) (Nat.ble i (Nat.add j r))) _ n)⟩
end

/-! ### Movement -/
/-- **Soft values move no more than the scores.** If every score moves by at most `e`, every soft value that is a number
moves by at most `e`, and infinite ones stay (rule 18.9). -/
theorem soft_lipschitz (e : Nat) (c c' : ScoreClip) (moved : ScoresMoved e c c') (f : Formula) (i : Nat)
    (inside : Lt i c.frames) : SoftNear e (c.value f i) (c'.value f i) :=
  Eq.subst (motive := fun n => SoftNear e (c.value f i) (soft n _ f i)) moved.frames
    (near_soft (atoms_near moved) f i inside)

/-- **A verdict survives what is smaller than its margin.** If every score moves by at most `e`, and the soft value is
farther than `e` from zero, the verdict stays what it is (rule 18.9). -/
theorem soft_margin (e : Nat) (c c' : ScoreClip) (moved : ScoresMoved e c c') (f : Formula) (i : Nat)
    (inside : Lt i c.frames) (far : Beyond e (c.value f i).size) : Iff (Holds c.reading f i) (Holds c'.reading f i) :=
  iff_trans (iff_symm (soft_verdict c f i)) (iff_trans
    (iff_of_eq (sign_kept (soft_lipschitz e c c' moved f i inside) far)) (soft_verdict c' f i))

/-! ### Edges -/
/-- **The soft onset is the onset's formula.** The soft value of `φ & !F[-1,-1] φ` is that of the onset of `φ`
(rule 18.4). -/
theorem soft_onset (n : Nat) (atom : Nat → Nat → Soft) (f : Formula) : (i : Nat) → Lt i n →
    Eq (soft n atom (onsetOf f) i) (softOnset (soft n atom f) i)
  | .zero, _ => Eq.trans (congrArg (fun x => lesser (soft n atom f 0) (opposite x)) (previous_first n atom f))
      (lesser_top _)
  | .succ i, l => congrArg (fun x => lesser (soft n atom f (.succ i)) (opposite x)) (previous_later n atom f i l)
/-- **The soft offset is the offset's formula.** The soft value of `!φ & F[-1,-1] φ` is that of the offset of `φ`
(rule 18.4). -/
theorem soft_offset (n : Nat) (atom : Nat → Nat → Soft) (f : Formula) : (i : Nat) → Lt i n →
    Eq (soft n atom (offsetOf f) i) (softOffset (soft n atom f) i)
  | .zero, _ => Eq.trans (congrArg (lesser (opposite (soft n atom f 0))) (previous_first n atom f)) (lesser_bottom _)
  | .succ i, l => congrArg (lesser (opposite (soft n atom f (.succ i)))) (previous_later n atom f i l)
end Tracepact
