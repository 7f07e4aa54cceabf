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
theorem runs_right (c : Contract) (n : Nat) (events : List Event) (projected l : List Interval)
    (k : IsTrue (checkRuns c n events projected l)) : And (Eq (runs (active c.projection c.step events) n) l)
    ((j : Nat) → Lt j n → Eq (bit (paintMask l) j) (active c.projection c.step events j)) :=
  let ⟨exact, k⟩ := (band_iff _ _).mp k
  let ⟨placed, same⟩ := (band_iff _ _).mp k
  have same : Eq (paintMask l) (Nat.land (paintMask projected) (full n)) := (beq_iff _ _).mp same
  have mask (j : Nat) (i : Lt j n) : Eq (bit (paintMask l) j) (active c.projection c.step events j) :=
    Eq.trans (congrArg (fun m => bit m j) same) (Eq.trans (Eq.symm (zero_add_bit _ j)) (Eq.trans
      (clip_bits (paintMask projected) n j i) (table_mask c.projection c.step events projected exact j)))
  ⟨runs_of_paint (wellPlaced_ok n l placed) fun j i => Eq.trans (Eq.symm (paintMask_bit j l)) (mask j i), mask⟩
theorem side_right (c : Contract) (n : Nat) (events : List Event) (h : SideHints)
    (k : IsTrue (checkSide c n events h)) :
    SideRight c n events h :=
  let ⟨right, seen⟩ := (band_iff _ _).mp k
  let ⟨runs, mask⟩ := runs_right c n events h.projected h.runs right
  ⟨runs, mask, sameIntervals_eq _ _ seen⟩

theorem six_masks (v r p : Nat) : (k : Nat) →
    Eq (sixMasks r (boundaryMask v r p (fun _ => 0) 1) (boundaryMask v r p (fun _ => 0) 2) p
      (boundaryMask v r p (fun _ => 0) 4) (boundaryMask v r p (fun _ => 0) 5) k) (boundaryMask v r p (fun _ => 0) k)
  | .zero => rfl
  | .succ .zero => rfl
  | .succ (.succ .zero) => rfl
  | .succ (.succ (.succ .zero)) => rfl
  | .succ (.succ (.succ (.succ .zero))) => rfl
  | .succ (.succ (.succ (.succ (.succ .zero)))) => rfl
  | .succ (.succ (.succ (.succ (.succ (.succ _))))) => rfl
theorem withLaid_eq (v r p : Nat) (k : Nat → (Nat → Nat) → Bool) : Eq (withLaid v r p k)
    (k v (sixMasks r (boundaryMask v r p (fun _ => 0) 1) (boundaryMask v r p (fun _ => 0) 2) p
      (boundaryMask v r p (fun _ => 0) 4) (boundaryMask v r p (fun _ => 0) 5))) :=
  Eq.trans (force_eq _ _) (Eq.trans (force_eq _ _) (Eq.trans (force_eq _ _) (Eq.trans (force_eq _ _)
    (Eq.trans (force_eq _ _) (Eq.trans (force_eq _ _) (force_eq _ _))))))
/-- The masks are those of the clip's atoms, at every frame of the clip. -/
structure MasksRight (c : Contract) (s : Sides) (n : Nat) (mask : Nat → Nat) : Prop where
  atom : (k j : Nat) → Lt j n → Eq (bit (mask k) j) ((c.trace s n).atom k j)
theorem masks_right {c : Contract} {s : Sides} {n : Nat} {ref pred : SideHints} (hr : SideRight c n s.refs ref)
    (hp : SideRight c n s.preds pred) : MasksRight c s n (sixMasks (paintMask ref.runs)
      (boundaryMask (full n) (paintMask ref.runs) (paintMask pred.runs) (fun _ => 0) 1)
      (boundaryMask (full n) (paintMask ref.runs) (paintMask pred.runs) (fun _ => 0) 2) (paintMask pred.runs)
      (boundaryMask (full n) (paintMask ref.runs) (paintMask pred.runs) (fun _ => 0) 4)
      (boundaryMask (full n) (paintMask ref.runs) (paintMask pred.runs) (fun _ => 0) 5)) where
  atom k j l := Eq.trans (congrArg (fun m => bit m j) (six_masks (full n) (paintMask ref.runs) (paintMask pred.runs) k))
    (Eq.trans (boundary_atoms n (paintMask ref.runs) (paintMask pred.runs) (fun _ => 0) k j l)
      (boundary_congr hr.mask hp.mask (fun _ j => eq_false (bit_zero j)) k j l))

section
variable {c : Contract} {s : Sides} {n : Nat} {mask : Nat → Nat}
theorem mask_verdict (m : MasksRight c s n mask) (f : Formula) (i : Nat) (l : Lt i n) :
    Eq (bit (evalMask (full n) n mask f) i) (eval (c.trace s n) f i) :=
  Eq.trans (bitset_verdicts n mask f i) (Eq.trans (congrArg (fun b => band b _) (ble_of_le _ _ l))
    (extensionality ⟨n, fun k j => bit (mask k) j⟩ (c.trace s n) f rfl (fun k _ j h => m.atom k j h) i l))
theorem mask_within (f : Formula) (i : Nat) (h : IsTrue (bit (evalMask (full n) n mask f) i)) : Lt i n :=
  (full_iff n i).mp (evalMask_within (full n) n mask f i h)
theorem checkFrames_eq (d n v : Nat) (mask : Nat → Nat) (o f : Formula) (k : Counts) : Eq (checkFrames d n v mask o f k)
    (band (Nat.beq (popcount d (Nat.land (evalMask v n mask o) (evalMask v n mask f))) k.satisfied)
      (Nat.beq (popcount d (evalMask v n mask o)) k.obligated)) :=
  force_eq (evalMask v n mask o) _
theorem counts_eq {a b x y : Nat} (h : Eq a x) (k : Eq b y) : Eq (Counts.mk a b) ⟨x, y⟩ := congr2 Counts.mk h k
theorem frame_counts (m : MasksRight c s n mask) (d : Nat) (fits : Nat.le n (Nat.pow 2 d)) (o f : Formula) (k : Counts)
    (g : IsTrue (checkFrames d n (full n) mask o f k)) (x : Scene) (pairs : List Candidate) :
    Eq (clauseCounts (c.trace s n) x pairs (.frame o f)) k :=
  let ⟨a, b⟩ := (band_iff _ _).mp (Eq.trans (Eq.symm (checkFrames_eq _ _ _ _ _ _ _)) g)
  counts_eq
    (Eq.trans (Eq.symm (Eq.trans
        (popcount_eq_count d n _ fits fun i e => mask_within o i ((land_iff _ _ _).mp e).left)
        (count_congr n fun i l =>
            Eq.trans (bit_land _ _ _) (congr2 band (mask_verdict m o i l) (mask_verdict m f i l)))))
      ((beq_iff _ _).mp a))
    (Eq.trans (Eq.symm (Eq.trans (popcount_eq_count d n _ fits (mask_within o))
        (count_congr n fun i l => mask_verdict m o i l)))
      ((beq_iff _ _).mp b))
end
end Tracepact
