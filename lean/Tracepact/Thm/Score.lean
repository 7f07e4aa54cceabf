import Tracepact.Thm.Matching.Order
import Tracepact.Thm.Score.Frames
/-! What a clip counts under a contract, checked by one kernel computation that starts from its tables' times. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem candidate_eq : (c d : Candidate) → IsTrue (sameCandidate c d) → Eq c d
  | ⟨r, p, k, x, y⟩, ⟨r', p', k', x', y'⟩, h =>
    let ⟨a, b⟩ := (band_iff _ _).mp h
    let ⟨a, cost⟩ := (band_iff _ _).mp a
    let ⟨ref, pred⟩ := (band_iff _ _).mp a
    let ⟨refOnset, predOnset⟩ := (band_iff _ _).mp b
    have ref : Eq r r' := (beq_iff _ _).mp ref
    have pred : Eq p p' := (beq_iff _ _).mp pred
    have cost : Eq k k' := same_eq _ _ cost
    have refOnset : Eq x x' := (beq_iff _ _).mp refOnset
    have predOnset : Eq y y' := (beq_iff _ _).mp predOnset
    ref ▸ pred ▸ cost ▸ refOnset ▸ predOnset ▸ rfl
theorem sameCandidates_eq : (l m : List Candidate) → IsTrue (sameCandidates l m) → Eq l m
  | .nil, .nil, _ => rfl
  | .nil, .cons _ _, h => nomatch h
  | .cons _ _, .nil, h => nomatch h
  | .cons c l, .cons d m, h =>
    let ⟨a, b⟩ := (band_iff _ _).mp h
    congr2 List.cons (candidate_eq c d a) (sameCandidates_eq l m b)

section
variable {c : Contract} {s : Sides} {h : Hints} {mask : Nat → Nat}
theorem clause_counts (m : MasksRight c s h.frames mask) (fits : Nat.le h.frames (Nat.pow 2 h.folds)) :
    (k : ContractClause) → (n : Counts) → IsTrue (checkClause h (full h.frames) mask k n) →
    Eq (clauseCounts (c.trace s h.frames) h.scene h.matching k) n
  | .frame o f, n, g => frame_counts m h.folds fits o f n g h.scene h.matching
  | .event _ _, ⟨_, _⟩, g =>
    let ⟨a, b⟩ := (band_iff _ _).mp g
    counts_eq ((beq_iff _ _).mp a) ((beq_iff _ _).mp b)
theorem clauses_counts (m : MasksRight c s h.frames mask) (fits : Nat.le h.frames (Nat.pow 2 h.folds)) :
    (k : List ContractClause) → (n : List Counts) → IsTrue (checkClauses h (full h.frames) mask k n) →
    Eq (allCounts (c.trace s h.frames) h.scene h.matching k) n
  | .nil, .nil, _ => rfl
  | .nil, .cons _ _, g => nomatch g
  | .cons _ _, .nil, g => nomatch g
  | .cons k rest, .cons n counts, g =>
    let ⟨a, b⟩ := (band_iff _ _).mp g
    congr2 List.cons (clause_counts m fits k n a) (clauses_counts m fits rest counts b)
theorem matching_right (x : Hints)
    (g : IsTrue (band (sameCandidates (candidates c.search c.unit c.reward x.pred.seen 0 x.ref.seen) x.listed)
    (sameCandidates (greedy x.listed) x.matching))) : Eq (c.matching x.scene) x.matching :=
  let ⟨a, b⟩ := (band_iff _ _).mp g
  Eq.trans (congrArg greedy (sameCandidates_eq _ _ a)) (sameCandidates_eq _ _ b)
end

/-- **What a clip counts.** When the kernel has computed that `checkClip` is true, then under contract `c` the tables of
the clip, from their own times, have exactly these counts in every clause: frame clauses by the meaning of their
formulas, event clauses by their predicates on the joined runs and the greedy matching. -/
theorem counts_certified (c : Contract) (s : Sides) (h : Hints) (k : ClipCounts) (g : Eq (checkClip c s h k) .true) :
    CountsTo c s k :=
  let ⟨g, rest⟩ := (band_iff _ _).mp g
  let ⟨frames, fits⟩ := (band_iff _ _).mp g
  let ⟨g, rest⟩ := (band_iff _ _).mp rest
  let ⟨ref, pred⟩ := (band_iff _ _).mp g
  let ⟨matching, rest⟩ := (band_iff _ _).mp rest
  let ⟨clauses, evidence⟩ := (band_iff _ _).mp rest
  have ref := side_right c h.frames s.refs h.ref ref
  have pred := side_right c h.frames s.preds h.pred pred
  have counts := clauses_counts (masks_right ref pred) (le_of_ble _ _ fits) c.clauses k.counts
    (Eq.trans (Eq.symm (withLaid_eq (full h.frames) (paintMask h.ref.runs) (paintMask h.pred.runs)
      fun v mask => checkClauses h v mask c.clauses k.counts)) clauses)
  have scene : Eq (c.scene h.ref.runs h.pred.runs) h.scene := congr2 (fun a b => Scene.mk a b .nil) ref.seen pred.seen
  have matching : Eq (c.matching h.scene) h.matching := matching_right h matching
  have here : Eq (ClipCounts.mk (allCounts (c.trace s h.frames) (c.scene h.ref.runs h.pred.runs)
      (c.matching (c.scene h.ref.runs h.pred.runs)) c.clauses) (bnot (band (isEmpty h.ref.runs) (isEmpty h.pred.runs))))
          k :=
    Eq.subst (motive := fun x => Eq (ClipCounts.mk (allCounts (c.trace s h.frames) x (c.matching x) c.clauses) _) k)
        (Eq.symm scene)
      (Eq.subst (motive := fun m => Eq (ClipCounts.mk (allCounts (c.trace s h.frames) h.scene m c.clauses) _) k)
          (Eq.symm matching)
        (clip_eq k counts (Eq.symm (eq_of_iff ((biff_iff _ _).mp evidence)))))
  ⟨h.frames, frame_count c.step s.duration h.frames frames,
   Eq.subst (motive := fun r =>
       Eq (ClipCounts.mk (allCounts (c.trace s h.frames) (c.scene r _) (c.matching (c.scene r _)) c.clauses)
      (bnot (band (isEmpty r) _))) k) (Eq.symm ref.runs)
    (Eq.subst (motive := fun p => Eq (ClipCounts.mk (allCounts (c.trace s h.frames) (c.scene h.ref.runs p)
      (c.matching (c.scene h.ref.runs p)) c.clauses) (bnot (band (isEmpty h.ref.runs) (isEmpty p)))) k)
          (Eq.symm pred.runs) here)⟩
where
  clip_eq {l : List Counts} {e : Bool} : (k : ClipCounts) → Eq l k.counts → Eq e k.evidence → Eq (ClipCounts.mk l e) k
    | ⟨_, _⟩, a, b => congr2 ClipCounts.mk a b
end Tracepact
