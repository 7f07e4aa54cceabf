import Tracepact.Impl.Scan
import Tracepact.Spec.Boundary
import Tracepact.Spec.Depth
import Tracepact.Spec.Events
import Tracepact.Spec.LateTail
import Tracepact.Spec.Score
import Tracepact.Thm.Base.Logic
/-! Strict hierarchy, and the late tail. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- Without temporal operators, the truth at a frame depends on the atoms at that frame alone. -/
theorem flat_congr (t t' : Trace) (i : Nat) (same : (k : Nat) → Eq (t.atom k i) (t'.atom k i)) : (f : Formula) →
    Nat.le (depth f) 0 →
    Eq (eval t f i) (eval t' f i)
  | .atom k, _ => same k
  | .constant _, _ => rfl
  | .not f, h => congrArg bnot (flat_congr t t' i same f h)
  | .and f g, h => congr2 band (flat_congr t t' i same f (left h)) (flat_congr t t' i same g (right h))
  | .or f g, h => congr2 bor (flat_congr t t' i same f (left h)) (flat_congr t t' i same g (right h))
  | .implies f g, h => congr2 bimplies (flat_congr t t' i same f (left h)) (flat_congr t t' i same g (right h))
  | .iff f g, h => congr2 biff (flat_congr t t' i same f (left h)) (flat_congr t t' i same g (right h))
where
  left {a b c : Nat} (h : Nat.le (larger a b) c) : Nat.le a c := le_trans (le_larger_left a b) h
  right {a b c : Nat} (h : Nat.le (larger a b) c) : Nat.le b c := le_trans (le_larger_right a b) h

/-- Active at frame 1 only. -/
def secondOnly : Nat → Bool
  | .zero => .false
  | .succ .zero => .true
  | .succ (.succ _) => .false

/-- **Strict hierarchy.** Already with two frames, some formula of depth one is equivalent to no formula of depth zero.
-/
theorem strict_hierarchy : Exists fun f =>
    And (Eq (depth f) 1) ((g : Formula) → Eq (depth g) 0 → Not (EquivalentOn 2 f g)) :=
  ⟨.eventually (.ofNat 1) (.ofNat 1) (.atom 0), rfl, fun g h e =>
    have with_event : Eq Bool.true (eval ⟨2, fun _ => secondOnly⟩ g 0) := e ⟨2, fun _ => secondOnly⟩ rfl 0 (.step .refl)
    have without_event : Eq Bool.false (eval ⟨2, fun _ _ => .false⟩ g 0) := e ⟨2, fun _ _ => .false⟩ rfl 0 (.step .refl)
    nomatch Eq.trans with_event
        (Eq.trans (flat_congr ⟨2, fun _ => secondOnly⟩ ⟨2, fun _ _ => .false⟩ 0 (fun _ => rfl) g (h ▸ .refl))
      (Eq.symm without_event))⟩

/-! A reference from frame 2 to 6 and a prediction from frame 2 to 11, on 14 frames. -/

/-- **Late tail.** Onset can hold while offset and duration fail: on this trace the onset guard is satisfied at its one
obligation, the offset guard violated at its one, and the two runs, from 2 to 6 and from 2 to 11, fail the duration
clause with tolerance 1/4. -/
theorem late_tail : And
    (And (Eq (satisfied (eval tailTrace (.atom 1)) (eval tailTrace onsetGuard) 14) 1)
        (Eq (obligations (eval tailTrace (.atom 1)) 14) 1))
    (And (And (Eq (satisfied (eval tailTrace (.atom 2)) (eval tailTrace offsetGuard) 14) 0)
        (Eq (obligations (eval tailTrace (.atom 2)) 14) 1))
      (And (And (Eq (runs tailRef 14) (.cons ⟨2, 6⟩ .nil)) (Eq (runs tailPred 14) (.cons ⟨2, 11⟩ .nil)))
        (Eq (durationHolds 1 4 ⟨2, 6⟩ ⟨2, 11⟩) .false))) :=
  ⟨⟨rfl, rfl⟩, ⟨rfl, rfl⟩, ⟨rfl, rfl⟩, rfl⟩
end Tracepact
