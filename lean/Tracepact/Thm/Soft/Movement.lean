import Tracepact.Thm.Soft.Order
/-! How far soft values move when scores do. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- A formula moves by no more than its atoms. -/
theorem near_soft {e n : Nat} {atom atom' : Nat → Nat → Soft}
    (atoms : (k i : Nat) → Lt i n → SoftNear e (atom k i) (atom' k i)) : (f : Formula) → (i : Nat) → Lt i n →
    SoftNear e (soft n atom f i) (soft n atom' f i)
  | .atom k, i, l => atoms k i l
  | .constant .true, _, _ => .intro
  | .constant .false, _, _ => .intro
  | .not f, i, l => near_opposite (near_soft atoms f i l)
  | .and f g, i, l => near_lesser (near_soft atoms f i l) (near_soft atoms g i l)
  | .or f g, i, l => near_greater (near_soft atoms f i l) (near_soft atoms g i l)
  | .implies f g, i, l => near_greater (near_opposite (near_soft atoms f i l)) (near_soft atoms g i l)
  | .iff f g, i, l =>
      near_lesser (near_greater (near_opposite (near_soft atoms f i l)) (near_soft atoms g i l))
        (near_greater (near_soft atoms f i l) (near_opposite (near_soft atoms g i l)))
  | .eventually _ _ f, _, _ => near_greatest n fun j m => near_cond _ fun _ => near_soft atoms f j m
  | .always _ _ f, _, _ => near_least n fun j m => near_cond _ fun _ => near_soft atoms f j m
  | .«until» _ f g, _, _ => near_greatest n fun j m => near_cond _ fun _ =>
      near_lesser (near_soft atoms g j m) (near_least j fun k p =>
        near_cond _ fun _ => near_soft atoms f k (le_trans p (le_of_succ_le m)))
  | .since _ f g, i, l => near_greatest n fun j m => near_cond _ fun _ =>
      near_lesser (near_soft atoms g j m) (near_least (.succ i) fun k p =>
        near_cond _ fun _ => near_soft atoms f k (le_trans p l))

theorem margin_below {threshold score : Nat} (h : Nat.le score threshold) :
    Eq (margin threshold score) (.negative (.number (Nat.sub threshold score))) :=
  congrArg (fun b => cond b _ _) (ble_of_le _ _ h)
theorem margin_above {threshold score : Nat} (h : Lt threshold score) :
    Eq (margin threshold score) (.positive (.number (Nat.sub score threshold))) :=
  congrArg (fun b => cond b _ _) (eq_false fun k => not_succ_le_self _ (le_trans h (le_of_ble _ _ k)))
/-- One direction of the movement of a margin. -/
theorem margin_moved {e threshold s s' : Nat} (h : Nat.le s (Nat.add s' e)) :
    SoftAbove e (margin threshold s) (margin threshold s') :=
  match le_or_lt s threshold, le_or_lt s' threshold with
  | .inl l, .inl l' => margin_below l ▸ margin_below l' ▸
      (lin3 (on6 threshold s s' e (Nat.sub threshold s) (Nat.sub threshold s'))
        (sub_add_le l') (le_sub_add threshold s) h rfl :
        Nat.le (Nat.sub threshold s') (Nat.add (Nat.sub threshold s) e))
  | .inl l, .inr l' => margin_below l ▸ margin_above l' ▸ True.intro
  | .inr l, .inl l' => margin_above l ▸ margin_below l' ▸
      (lin3 (on6 threshold s s' e (Nat.sub s threshold) (Nat.sub threshold s'))
        (sub_add_le (le_of_succ_le l)) (sub_add_le l') h rfl :
        Nat.le (Nat.add (Nat.sub s threshold) (Nat.sub threshold s')) e)
  | .inr l, .inr l' => margin_above l ▸ margin_above l' ▸
      (lin3 (on6 threshold s s' e (Nat.sub s threshold) (Nat.sub s' threshold))
        (sub_add_le (le_of_succ_le l)) (le_sub_add s' threshold) h rfl :
        Nat.le (Nat.sub s threshold) (Nat.add (Nat.sub s' threshold) e))
theorem margin_near {e threshold s s' : Nat} (h : Nat.le (distance s s') e) :
    SoftNear e (margin threshold s) (margin threshold s') :=
  let ⟨a, b⟩ := (distance_iff s s' e).mp h
  (softNear_iff _ _).mpr ⟨margin_moved a, margin_moved b⟩
theorem source_near {e n : Nat} : {s s' : Source} → SourceMoved e n s s' → (i : Nat) → Lt i n →
    SoftNear e (s.soft i) (s'.soft i)
  | .field _ score, .field _ score', h, i, l => Eq.subst (motive := fun t =>
      SoftNear e (margin _ (score i)) (margin t (score' i))) h.left (margin_near (h.right i l))
  | .mask size active, .mask _ active', h, i, l => Eq.subst (motive := fun z =>
      SoftNear e (cond (active i) (.positive size) (.negative size)) (cond (active' i) (.positive z) (.negative z)))
      h.left (Eq.subst (motive := fun b =>
        SoftNear e (cond (active i) (.positive size) (.negative size)) (cond b (.positive size) (.negative size)))
        (h.right i l) (softNear_refl e _))
  | .field _ _, .mask _ _, h, _, _ => h.elim
  | .mask _ _, .field _ _, h, _, _ => h.elim
theorem sources_near {e n : Nat} : {l l' : List Source} → SourcesMoved e n l l' → (i : Nat) → Lt i n →
    SoftNear e (greatestOf l i) (greatestOf l' i)
  | .nil, .nil, _, _, _ => .intro
  | .cons _ _, .cons _ _, h, i, m => near_greater (source_near h.left i m) (sources_near h.right i m)
  | .nil, .cons _ _, h, _, _ => h.elim
  | .cons _ _, .nil, h, _, _ => h.elim
section
variable {e n : Nat} {x x' : Nat → Soft} (h : (i : Nat) → Lt i n → SoftNear e (x i) (x' i))
include h
theorem onset_near : (i : Nat) → Lt i n → SoftNear e (softOnset x i) (softOnset x' i)
  | .zero, l => h 0 l
  | .succ i, l => near_lesser (h (.succ i) l) (near_opposite (h i (le_of_succ_le l)))
theorem offset_near : (i : Nat) → Lt i n → SoftNear e (softOffset x i) (softOffset x' i)
  | .zero, _ => .intro
  | .succ i, l => near_lesser (near_opposite (h (.succ i) l)) (h i (le_of_succ_le l))
end
theorem atoms_near {e : Nat} {c c' : ScoreClip} (h : ScoresMoved e c c') : (k i : Nat) → Lt i c.frames →
    SoftNear e (softAtom c.ref.soft c.pred.soft (fun k => greatestOf (c.more k)) k i)
      (softAtom c'.ref.soft c'.pred.soft (fun k => greatestOf (c'.more k)) k i)
  | .zero => source_near h.ref
  | .succ .zero => onset_near (source_near h.ref)
  | .succ (.succ .zero) => offset_near (source_near h.ref)
  | .succ (.succ (.succ .zero)) => source_near h.pred
  | .succ (.succ (.succ (.succ .zero))) => onset_near (source_near h.pred)
  | .succ (.succ (.succ (.succ (.succ .zero)))) => offset_near (source_near h.pred)
  | .succ (.succ (.succ (.succ (.succ (.succ k))))) => sources_near (h.more k)
theorem sign_kept {e : Nat} : {x y : Soft} → SoftNear e x y → Beyond e x.size → Eq (isPositive x) (isPositive y)
  | .negative _, .negative _, _, _ => rfl
  | .positive _, .positive _, _, _ => rfl
  | .negative (.number a), .positive (.number b), h, far => impossible2 (on3 a b e)
      (show Nat.le (Nat.add a b) e from h) (show Nat.le (.succ e) a from far) rfl
  | .positive (.number a), .negative (.number b), h, far => impossible2 (on3 a b e)
      (show Nat.le (Nat.add a b) e from h) (show Nat.le (.succ e) a from far) rfl
  | .negative .unbounded, .positive _, h, _ => h.elim
  | .positive .unbounded, .negative _, h, _ => h.elim
  | .negative (.number _), .positive .unbounded, h, _ => h.elim
  | .positive (.number _), .negative .unbounded, h, _ => h.elim
end Tracepact
