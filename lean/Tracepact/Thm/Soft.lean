import Tracepact.Spec.Score
import Tracepact.Thm.Base.Count
import Tracepact.Thm.Soft.Edges
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
/-- **Soft obligations.** The frames where the soft value of an obligation is positive are as many as the obligations of
the Boolean reading, and those of them where the soft value of the formula is positive are the satisfied ones
(rule 18.10). -/
theorem soft_counts (c : ScoreClip) (o f : Formula) :
    And (Eq (obligations (fun i => isPositive (c.value o i)) c.frames) (obligations (eval c.reading o) c.frames))
      (Eq (satisfied (fun i => isPositive (c.value o i)) (fun i => isPositive (c.value f i)) c.frames)
        (satisfied (eval c.reading o) (eval c.reading f) c.frames)) :=
  ⟨count_congr c.frames fun i _ => sign_value c o i,
   count_congr c.frames fun i _ => congr2 band (sign_value c o i) (sign_value c f i)⟩

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
