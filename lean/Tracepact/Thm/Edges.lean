import Tracepact.Thm.Meaning
import Tracepact.Spec.Edges
/-! Onset and offset as formulas. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem previous_iff (t : Trace) (f : Formula) : (i : Nat) → Lt i t.frames →
    Iff (Holds t (previous f) i) (IsTrue (before (eval t f) i))
  | .zero, _ => ⟨fun ⟨_, w, _⟩ => (nomatch (w.upper : Nat.le (.succ _) .zero)), nofun⟩
  | .succ i, l => ⟨
      fun ⟨j, w, h⟩ =>
        have e : Eq j i := le_antisymm (le_of_succ_le_succ (show Nat.le (.succ j) (.succ i) from w.upper))
          (le_of_succ_le_succ (show Nat.le (.succ i) (.succ j) from w.lower))
        e ▸ (eval_iff_holds t f j).mpr h,
      fun h => ⟨i, ⟨le_of_succ_le l, (.refl : Nat.le (.succ i) (.succ i)), (.refl : Nat.le (.succ i) (.succ i))⟩,
        (eval_iff_holds t f i).mp h⟩⟩
theorem previous_eval (t : Trace) (f : Formula) (i : Nat) (l : Lt i t.frames) :
    Eq (eval t (previous f) i) (before (eval t f) i) :=
  eq_of_iff (iff_trans (eval_iff_holds t (previous f) i) (previous_iff t f i l))

/-- **Onset as a formula**: `φ & !F[-1,-1] φ` holds exactly at the onsets of `φ` (rule 5.6). -/
theorem onset_formula (t : Trace) (f : Formula) (i : Nat) (inside : Lt i t.frames) :
    Eq (eval t (onsetOf f) i) (onset (eval t f) i) :=
  congrArg (fun b => band (eval t f i) (bnot b)) (previous_eval t f i inside)
/-- **Offset as a formula**: `!φ & F[-1,-1] φ` holds exactly at the offsets of `φ` (rule 5.6). -/
theorem offset_formula (t : Trace) (f : Formula) (i : Nat) (inside : Lt i t.frames) :
    Eq (eval t (offsetOf f) i) (offset (eval t f) i) :=
  congrArg (fun b => band (bnot (eval t f i)) b) (previous_eval t f i inside)
end Tracepact
