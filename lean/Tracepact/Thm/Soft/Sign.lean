import Tracepact.Spec.Soft
import Tracepact.Thm.Meaning
/-! The sign of a soft value is a verdict. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem sign_opposite : (x : Soft) → Eq (isPositive (opposite x)) (bnot (isPositive x))
  | .negative _ => rfl
  | .positive _ => rfl
theorem sign_lesser : (x y : Soft) → Eq (isPositive (lesser x y)) (band (isPositive x) (isPositive y))
  | .negative a, .negative b => cond_elim (P := fun z => Eq (isPositive z) .false) (sizeAtMost b a)
      (fun _ => rfl) fun _ => rfl
  | .negative _, .positive _ => rfl
  | .positive _, .negative _ => rfl
  | .positive a, .positive b => cond_elim (P := fun z => Eq (isPositive z) .true) (sizeAtMost a b)
      (fun _ => rfl) fun _ => rfl
theorem sign_greater : (x y : Soft) → Eq (isPositive (greater x y)) (bor (isPositive x) (isPositive y))
  | .negative a, .negative b => cond_elim (P := fun z => Eq (isPositive z) .false) (sizeAtMost b a)
      (fun _ => rfl) fun _ => rfl
  | .negative _, .positive _ => rfl
  | .positive _, .negative _ => rfl
  | .positive a, .positive b => cond_elim (P := fun z => Eq (isPositive z) .true) (sizeAtMost a b)
      (fun _ => rfl) fun _ => rfl
theorem sign_only : (b : Bool) → (x : Soft) → Eq (isPositive (cond b x softBottom)) (band b (isPositive x))
  | .true, _ => rfl
  | .false, _ => rfl
theorem sign_unless : (b : Bool) → (x : Soft) → Eq (isPositive (cond b x softTop)) (bimplies b (isPositive x))
  | .true, _ => rfl
  | .false, _ => rfl
theorem sign_greatest {p : Nat → Soft} {q : Nat → Bool} (h : (j : Nat) → Eq (isPositive (p j)) (q j)) : (n : Nat) →
    Eq (isPositive (greatestBelow p n)) (anyBelow q n)
  | .zero => rfl
  | .succ n => Eq.trans (sign_greater _ _) (congr2 bor (h n) (sign_greatest h n))
theorem sign_least {p : Nat → Soft} {q : Nat → Bool} (h : (j : Nat) → Eq (isPositive (p j)) (q j)) : (n : Nat) →
    Eq (isPositive (leastBelow p n)) (allBelow q n)
  | .zero => rfl
  | .succ n => Eq.trans (sign_lesser _ _) (congr2 band (h n) (sign_least h n))

theorem biff_parts : (a b : Bool) → Eq (band (bor (bnot a) b) (bor a (bnot b))) (biff a b)
  | .true, .true => rfl
  | .true, .false => rfl
  | .false, .true => rfl
  | .false, .false => rfl
theorem sign_implies {x y : Soft} {a b : Bool} (h : Eq (isPositive x) a) (k : Eq (isPositive y) b) :
    Eq (isPositive (greater (opposite x) y)) (bimplies a b) :=
  Eq.trans (sign_greater _ _) (congr2 bor (Eq.trans (sign_opposite x) (congrArg bnot h)) k)
theorem sign_iff {x y : Soft} {a b : Bool} (h : Eq (isPositive x) a) (k : Eq (isPositive y) b) :
    Eq (isPositive (lesser (greater (opposite x) y) (greater x (opposite y)))) (biff a b) :=
  Eq.trans (sign_lesser _ _) (Eq.trans (congr2 band (sign_implies h k)
    (Eq.trans (sign_greater _ _) (congr2 bor h (Eq.trans (sign_opposite y) (congrArg bnot k))))) (biff_parts a b))

/-- The signs of a formula are its verdicts on the signs of the atoms. -/
theorem sign_soft (t : Trace) (atom : Nat → Nat → Soft)
    (signs : (k i : Nat) → Eq (isPositive (atom k i)) (t.atom k i)) : (f : Formula) → (i : Nat) →
    Eq (isPositive (soft t.frames atom f i)) (eval t f i)
  | .atom k, i => signs k i
  | .constant .true, _ => rfl
  | .constant .false, _ => rfl
  | .not f, i => Eq.trans (sign_opposite _) (congrArg bnot (sign_soft t atom signs f i))
  | .and f g, i => Eq.trans (sign_lesser _ _) (congr2 band (sign_soft t atom signs f i) (sign_soft t atom signs g i))
  | .or f g, i => Eq.trans (sign_greater _ _) (congr2 bor (sign_soft t atom signs f i) (sign_soft t atom signs g i))
  | .implies f g, i => sign_implies (sign_soft t atom signs f i) (sign_soft t atom signs g i)
  | .iff f g, i => sign_iff (sign_soft t atom signs f i) (sign_soft t atom signs g i)
  | .eventually _ _ f, _ => sign_greatest (fun j =>
      Eq.trans (sign_only _ _) (congrArg (band _) (sign_soft t atom signs f j))) _
  | .always _ _ f, _ => sign_least (fun j =>
      Eq.trans (sign_unless _ _) (congrArg (bimplies _) (sign_soft t atom signs f j))) _
  | .«until» _ f g, _ => sign_greatest (fun j => Eq.trans (sign_only _ _) (congrArg (band _)
      (Eq.trans (sign_lesser _ _) (congr2 band (sign_soft t atom signs g j) (sign_least (fun k =>
        Eq.trans (sign_unless _ _) (congrArg (bimplies _) (sign_soft t atom signs f k))) _))))) _
  | .since _ f g, _ => sign_greatest (fun j => Eq.trans (sign_only _ _) (congrArg (band _)
      (Eq.trans (sign_lesser _ _) (congr2 band (sign_soft t atom signs g j) (sign_least (fun k =>
        Eq.trans (sign_unless _ _) (congrArg (bimplies _) (sign_soft t atom signs f k))) _))))) _

theorem sign_margin (threshold score : Nat) :
    Eq (isPositive (margin threshold score)) (Nat.ble (.succ threshold) score) :=
  cond_elim (P := fun x => Eq (isPositive x) (Nat.ble (.succ threshold) score)) (Nat.ble score threshold)
    (fun h => Eq.symm (eq_false fun k => not_succ_le_self _ (le_trans (le_of_ble _ _ k) (le_of_ble _ _ h))))
    fun h => Eq.symm (ble_of_le _ _ ((le_or_lt score threshold).elim (fun l => absurd (ble_of_le _ _ l) h) id))
theorem sign_mask (size : Size) : (b : Bool) → Eq (isPositive (cond b (.positive size) (.negative size))) b
  | .true => rfl
  | .false => rfl
theorem sign_source : (s : Source) → (i : Nat) → Eq (isPositive (s.soft i)) (s.active i)
  | .field threshold score, i => sign_margin threshold (score i)
  | .mask size active, i => sign_mask size (active i)
theorem sign_sources : (l : List Source) → (i : Nat) → Eq (isPositive (greatestOf l i)) (someActive l i)
  | .nil, _ => rfl
  | .cons s rest, i => Eq.trans (sign_greater _ _) (congr2 bor (sign_source s i) (sign_sources rest i))
theorem band_not_false : (b : Bool) → Eq b (band b (bnot .false))
  | .true => rfl
  | .false => rfl
theorem band_false : (b : Bool) → Eq .false (band b .false)
  | .true => rfl
  | .false => rfl
theorem sign_onset {x : Nat → Soft} {a : Nat → Bool} (h : (i : Nat) → Eq (isPositive (x i)) (a i)) : (i : Nat) →
    Eq (isPositive (softOnset x i)) (onset a i)
  | .zero => Eq.trans (h 0) (band_not_false (a 0))
  | .succ i => Eq.trans (sign_lesser _ _)
      (congr2 band (h (.succ i)) (Eq.trans (sign_opposite _) (congrArg bnot (h i))))
theorem sign_offset {x : Nat → Soft} {a : Nat → Bool} (h : (i : Nat) → Eq (isPositive (x i)) (a i)) : (i : Nat) →
    Eq (isPositive (softOffset x i)) (offset a i)
  | .zero => band_false (bnot (a 0))
  | .succ i => Eq.trans (sign_lesser _ _)
      (congr2 band (Eq.trans (sign_opposite _) (congrArg bnot (h (.succ i)))) (h i))
theorem sign_atoms (c : ScoreClip) : (k i : Nat) →
    Eq (isPositive (softAtom c.ref.soft c.pred.soft (fun k => greatestOf (c.more k)) k i)) (c.reading.atom k i)
  | .zero, i => sign_source c.ref i
  | .succ .zero, i => sign_onset (sign_source c.ref) i
  | .succ (.succ .zero), i => sign_offset (sign_source c.ref) i
  | .succ (.succ (.succ .zero)), i => sign_source c.pred i
  | .succ (.succ (.succ (.succ .zero))), i => sign_onset (sign_source c.pred) i
  | .succ (.succ (.succ (.succ (.succ .zero)))), i => sign_offset (sign_source c.pred) i
  | .succ (.succ (.succ (.succ (.succ (.succ k))))), i => sign_sources (c.more k) i
theorem sign_value (c : ScoreClip) (f : Formula) (i : Nat) : Eq (isPositive (c.value f i)) (eval c.reading f i) :=
  sign_soft c.reading _ (sign_atoms c) f i
end Tracepact
