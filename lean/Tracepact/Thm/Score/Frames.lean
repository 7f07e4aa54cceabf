import Tracepact.Thm.Certificate
import Tracepact.Thm.Score.Runs
import Tracepact.Thm.Tables
/-! The frame clauses of a clip: counted on masks, they are counted on the tables. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem onset_congr {a b : Nat → Bool} {n : Nat} (h : (j : Nat) → Lt j n → Eq (a j) (b j)) (i : Nat) (l : Lt i n) :
    Eq (onset a i) (onset b i) := congr2 (fun x y => band x (bnot y)) (h i l) (before_congr h i l)
theorem offset_congr {a b : Nat → Bool} {n : Nat} (h : (j : Nat) → Lt j n → Eq (a j) (b j)) (i : Nat) (l : Lt i n) :
    Eq (offset a i) (offset b i) := congr2 (fun x y => band (bnot x) y) (h i l) (before_congr h i l)
theorem boundary_congr {r r' p p' : Nat → Bool} {e e' : Nat → Nat → Bool} {n : Nat}
    (hr : (j : Nat) → Lt j n → Eq (r j) (r' j)) (hp : (j : Nat) → Lt j n → Eq (p j) (p' j))
    (he : (k j : Nat) → Eq (e k j) (e' k j)) : (k i : Nat) → Lt i n →
        Eq (boundaryAtom r p e k i) (boundaryAtom r' p' e' k i)
  | .zero, i, l => hr i l
  | .succ .zero, i, l => onset_congr hr i l
  | .succ (.succ .zero), i, l => offset_congr hr i l
  | .succ (.succ (.succ .zero)), i, l => hp i l
  | .succ (.succ (.succ (.succ .zero))), i, l => onset_congr hp i l
  | .succ (.succ (.succ (.succ (.succ .zero)))), i, l => offset_congr hp i l
  | .succ (.succ (.succ (.succ (.succ (.succ k))))), i, _ => he k i

/-- The hints of a side are right: its runs are those of its table, and their mask has its frames. -/
structure SideRight (c : Contract) (n : Nat) (events : List Event) (h : SideHints) : Prop where
  runs : Eq (runs (active c.projection c.step events) n) h.runs
  mask : (j : Nat) → Lt j n → Eq (bit (paintMask h.runs) j) (active c.projection c.step events j)
  seen : Eq (c.seen h.runs) h.seen
theorem sameIntervals_eq : (l m : List Interval) → IsTrue (sameIntervals l m) → Eq l m
  | .nil, .nil, _ => rfl
  | .nil, .cons _ _, h => nomatch h
  | .cons _ _, .nil, h => nomatch h
  | .cons r l, .cons q m, h =>
    let ⟨a, b⟩ := (band_iff _ _).mp h
    let ⟨x, y⟩ := (band_iff _ _).mp a
    congr2 List.cons (interval_eq r q ((beq_iff _ _).mp x) ((beq_iff _ _).mp y)) (sameIntervals_eq l m b)
theorem side_right (c : Contract) (n : Nat) (events : List Event) (h : SideHints)
    (k : IsTrue (checkSide c n events h)) :
    SideRight c n events h :=
  let ⟨projected, k⟩ := (band_iff _ _).mp k
  let ⟨placed, k⟩ := (band_iff _ _).mp k
  let ⟨same, seen⟩ := (band_iff _ _).mp k
  have same : Eq (paintMask h.runs) (Nat.land (paintMask h.projected) (full n)) := (beq_iff _ _).mp same
  have mask (j : Nat) (l : Lt j n) : Eq (bit (paintMask h.runs) j) (active c.projection c.step events j) :=
    Eq.trans (congrArg (fun m => bit m j) same) (Eq.trans (Eq.symm (zero_add_bit _ j)) (Eq.trans
      (clip_bits (paintMask h.projected) n j l) (table_mask c.projection c.step events h.projected projected j)))
  ⟨runs_of_paint (wellPlaced_ok n h.runs placed) fun j l => Eq.trans (Eq.symm (paintMask_bit j h.runs)) (mask j l),
   mask, sameIntervals_eq _ _ seen⟩

section
variable {c : Contract} {s : Sides} {h : Hints}
theorem clip_eval (ref : SideRight c h.frames s.refs h.ref) (pred : SideRight c h.frames s.preds h.pred) (f : Formula)
    (i : Nat) (l : Lt i h.frames) : Eq (eval h.case.trace f i) (eval (c.trace s h.frames) f i) :=
  extensionality h.case.trace (c.trace s h.frames) f rfl
    (fun k _ j m => boundary_congr ref.mask pred.mask (fun _ j => eq_false (bit_zero j)) k j m) i l
theorem checkFrames_eq (d : Nat) (c : Case) (o f : Formula) (k : Counts) : Eq (checkFrames d c o f k)
    (band (Nat.beq (popcount d (Nat.land (c.verdict o) (c.verdict f))) k.satisfied)
        (Nat.beq (popcount d (c.verdict o)) k.obligated)) :=
  force_eq (c.verdict o) _
theorem counts_eq {a b x y : Nat} (h : Eq a x) (k : Eq b y) : Eq (Counts.mk a b) ⟨x, y⟩ := congr2 Counts.mk h k
theorem frame_counts (ref : SideRight c h.frames s.refs h.ref) (pred : SideRight c h.frames s.preds h.pred)
    (fits : Nat.le h.frames (Nat.pow 2 h.folds)) (o f : Formula) (k : Counts)
        (g : IsTrue (checkFrames h.folds h.case o f k))
    (x : Scene) (m : List Candidate) : Eq (clauseCounts (c.trace s h.frames) x m (.frame o f)) k :=
  let ⟨a, b⟩ := (band_iff _ _).mp (Eq.trans (Eq.symm (checkFrames_eq _ _ _ _ _)) g)
  have verdict (f : Formula) (i : Nat) (l : Lt i h.frames) :
      Eq (bit (h.case.verdict f) i) (eval (c.trace s h.frames) f i) :=
    Eq.trans (case_verdict_inside h.case f i l) (clip_eval ref pred f i l)
  counts_eq
    (Eq.trans (Eq.symm (Eq.trans
        (popcount_eq_count h.folds h.frames _ fits fun i e =>
            case_verdict_within h.case o i ((land_iff _ _ _).mp e).left)
        (count_congr h.frames fun i l => Eq.trans (bit_land _ _ _) (congr2 band (verdict o i l) (verdict f i l)))))
      ((beq_iff _ _).mp a))
    (Eq.trans (Eq.symm (Eq.trans (popcount_eq_count h.folds h.frames _ fits (case_verdict_within h.case o))
        (count_congr h.frames fun i l => verdict o i l)))
      ((beq_iff _ _).mp b))
end
end Tracepact
