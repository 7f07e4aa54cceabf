import Tracepact.Statements
/-! The pins of tables, edges, joining, candidates, optimal matchings and the streaming program. -/
set_option autoImplicit false
set_option maxRecDepth 1000000
noncomputable section
namespace Tracepact.Pins
/-! ### Times and frames: rules 5.1, 5.3 and 5.5, with a step of 10 -/
example : Eq (coversDuration 20 100 5) .true := rfl
example : Eq (coversDuration 20 101 5) .false := rfl
example (p : Nat → Bool) (n : Nat) : Iff (IsLeast p n) (And (IsTrue (p n)) ((m : Nat) → IsTrue (p m) → Nat.le n m)) :=
  ⟨fun h => ⟨h.holds, h.least⟩, fun h => ⟨h.left, h.right⟩⟩
example (step duration n : Nat) : Eq (IsFrameCount step duration n) (IsLeast (coversDuration step duration) n) := rfl
example : Eq (notBefore 10 15 Projection.centre 1) .true := rfl
example : Eq (notBefore 10 16 Projection.centre 1) .false := rfl
example : Eq (notBefore 10 19 Projection.touch 1) .true := rfl
example : Eq (notBefore 10 20 Projection.touch 1) .false := rfl
example : Eq (notBefore 10 10 Projection.inside 1) .true := rfl
example : Eq (notBefore 10 11 Projection.inside 1) .false := rfl
example : Eq (behind 10 15 Projection.centre 1) .true := rfl
example : Eq (behind 10 16 Projection.centre 1) .false := rfl
example : Eq (behind 10 10 Projection.touch 1) .true := rfl
example : Eq (behind 10 11 Projection.touch 1) .false := rfl
example : Eq (behind 10 19 Projection.inside 1) .true := rfl
example : Eq (behind 10 20 Projection.inside 1) .false := rfl
-- An event from 6 to 16 holds the centre of frame 1 alone; one of no length holds none.
example : Eq (covers .centre 10 ⟨6, 16⟩ 0) .false := rfl
example : Eq (covers .centre 10 ⟨6, 16⟩ 1) .true := rfl
example : Eq (covers .centre 10 ⟨6, 16⟩ 2) .false := rfl
example : Eq (covers .centre 10 ⟨15, 15⟩ 1) .false := rfl
example : Eq (covers .touch 10 ⟨15, 15⟩ 1) .false := rfl
example : Eq (active .centre 10 (.cons ⟨6, 16⟩ (.cons ⟨26, 36⟩ .nil)) 0) .false := rfl
example : Eq (active .centre 10 (.cons ⟨6, 16⟩ (.cons ⟨26, 36⟩ .nil)) 1) .true := rfl
example : Eq (active .centre 10 (.cons ⟨6, 16⟩ (.cons ⟨26, 36⟩ .nil)) 2) .false := rfl
example : Eq (active .centre 10 (.cons ⟨6, 16⟩ (.cons ⟨26, 36⟩ .nil)) 3) .true := rfl
example : Eq (isEdge (Nat.ble 3) 3) .true := rfl
example : Eq (isEdge (Nat.ble 3) 4) .false := rfl
example : Eq (isEdge (Nat.ble 3) 2) .false := rfl
example : Eq (isEdge (Nat.ble 0) 0) .true := rfl
example : Eq (isProjected .centre 10 ⟨6, 16⟩ ⟨1, 2⟩) .true := rfl
example : Eq (isProjected .centre 10 ⟨6, 16⟩ ⟨0, 2⟩) .false := rfl
example : Eq (isProjected .centre 10 ⟨6, 16⟩ ⟨1, 3⟩) .false := rfl
example : Eq (isProjected .centre 10 ⟨15, 15⟩ ⟨4, 4⟩) .true := rfl
example : Eq (isProjected .centre 10 ⟨15, 15⟩ ⟨4, 5⟩) .false := rfl
example : Eq (allProjected .centre 10 (.cons ⟨6, 16⟩ (.cons ⟨26, 36⟩ .nil)) (.cons ⟨1, 2⟩ (.cons ⟨3, 4⟩ .nil))) .true :=
    rfl
example : Eq (allProjected .centre 10 (.cons ⟨6, 16⟩ (.cons ⟨26, 36⟩ .nil)) (.cons ⟨1, 2⟩ (.cons ⟨3, 5⟩ .nil))) .false
    := rfl
example : Eq (allProjected .centre 10 (.cons ⟨6, 16⟩ (.cons ⟨26, 36⟩ .nil)) (.cons ⟨1, 2⟩ .nil)) .false := rfl
example : Eq (paintMask (.cons ⟨1, 3⟩ (.cons ⟨4, 5⟩ .nil))) 0x16 := rfl

/-! ### Edges as formulas; joining: rule 5.8 -/
example (f : Formula) : Eq (previous f) (.eventually (.negSucc 0) (.negSucc 0) f) := rfl
example (f : Formula) : Eq (onsetOf f) (.and f (.not (previous f))) := rfl
example (f : Formula) : Eq (offsetOf f) (.and (.not f) (previous f)) := rfl
example : Eq (isJoined 2 6 3) .true := rfl
example : Eq (isJoined 2 6 4) .false := rfl
example : Eq (joinTo 1 2 ⟨0, 3⟩ (.cons ⟨5, 7⟩ (.cons ⟨20, 21⟩ .nil))) (.cons ⟨0, 7⟩ (.cons ⟨20, 21⟩ .nil)) := rfl
example : Eq (joinTo 1 1 ⟨0, 3⟩ (.cons ⟨5, 7⟩ .nil)) (.cons ⟨0, 3⟩ (.cons ⟨5, 7⟩ .nil)) := rfl
example : Eq (joinRuns 1 2 (.cons ⟨0, 3⟩ (.cons ⟨5, 7⟩ (.cons ⟨9, 10⟩ (.cons ⟨14, 15⟩ .nil))))) (.cons ⟨0, 10⟩ (.cons
    ⟨14, 15⟩ .nil)) := rfl
example (r : Interval) : Eq (First r .nil) False := rfl
example (r q : Interval) (rest : List Interval) : Eq (First r (.cons q rest)) (Eq r q) := rfl
example (r q : Interval) : Eq (Adjacent r q .nil) False := rfl
example (r q x : Interval) (rest : List Interval) : Eq (Adjacent r q (.cons x rest)) (Or (And (Eq r x) (First q rest))
    (Adjacent r q rest)) := rfl
example (l : List Interval) : Eq (Proper l) ((r : Interval) → Mem r l → Lt r.start r.stop) := rfl
example (step mergeGap j : Nat) (l : List Interval) : Eq (Bridged step mergeGap l j) (Exists fun r : Interval => Exists
    fun q : Interval => And (Adjacent r q l) (And (And (Nat.le r.stop j) (Lt j q.start)) (Eq (isJoined step mergeGap
    (Nat.sub q.start r.stop)) .true))) := rfl
example (n : Nat) (l : List Interval) : Iff (WellPlaced n l)
    (And (Proper l) (And ((r : Interval) → Mem r l → Nat.le r.stop n) (Ordered l))) :=
  ⟨fun h => ⟨h.proper, h.inside, h.ordered⟩, fun h => ⟨h.left, h.right.left, h.right.right⟩⟩

/-! ### Nearest distances. Frames 0 and 2 are obliged, frame 4 is a witness -/
example : Eq (withSome .none (.cons 1 .nil)) (.cons 1 .nil) := rfl
example : Eq (withSome (.some 2) (.cons 1 .nil)) (.cons 2 (.cons 1 .nil)) := rfl
example : Eq (nearestDistances (bit 5) (bit 0x10) 5 3) (.cons 2 (.cons 4 .nil)) := rfl
example : Eq (nearestDistances (bit 5) (bit 0) 5 3) .nil := rfl

/-! ### Candidates and their costs: rules 8.1 and 8.2 -/
example : Eq (isCandidate 3 ⟨2, 6⟩ ⟨4, 9⟩) .true := rfl
example : Eq (isCandidate 1 ⟨2, 6⟩ ⟨4, 9⟩) .false := rfl
example : Eq (isCandidate 9 ⟨2, 6⟩ ⟨6, 9⟩) .false := rfl
example : Eq (isCandidate 9 ⟨6, 9⟩ ⟨2, 6⟩) .false := rfl
example : Eq (isCandidate 0 ⟨2, 6⟩ ⟨2, 9⟩) .true := rfl
example : Eq (isCandidate 0 ⟨2, 6⟩ ⟨3, 6⟩) .true := rfl
example : Eq (difference 5 3) (.ofNat 2) := rfl
example : Eq (difference 3 5) (.negSucc 1) := rfl
example : Eq (difference 4 4) (.ofNat 0) := rfl
example : Eq (overlap ⟨2, 6⟩ ⟨4, 9⟩) 2 := rfl
example : Eq (overlap ⟨2, 4⟩ ⟨5, 6⟩) 0 := rfl
example : Eq (overlap ⟨2, 9⟩ ⟨4, 6⟩) 2 := rfl
-- The ends differ by 2 and 3, and both are there for 2: 2 · 5 - 1 · 2 and 1 · 5 - 9 · 2.
example : Eq (cost 2 1 ⟨2, 6⟩ ⟨4, 9⟩) (.ofNat 8) := rfl
example : Eq (cost 1 9 ⟨2, 6⟩ ⟨4, 9⟩) (.negSucc 12) := rfl
example : Eq (candidate 2 1 0 7 ⟨2, 6⟩ ⟨4, 9⟩) ⟨0, 7, .ofNat 8, 2, 4⟩ := rfl
example : Eq (candidatesOf 3 2 1 5 ⟨2, 6⟩ 0 (.cons ⟨6, 9⟩ (.cons ⟨4, 9⟩ .nil))) (.cons ⟨5, 1, .ofNat 8, 2, 4⟩ .nil) :=
    rfl
example : Eq (append (.cons 1 .nil) (.cons 2 (.cons 3 .nil))) (.cons 1 (.cons 2 (.cons 3 .nil))) := rfl
example : Eq (candidates 3 2 1 (.cons ⟨4, 9⟩ .nil) 0 (.cons ⟨20, 22⟩ (.cons ⟨2, 6⟩ .nil))) (.cons ⟨1, 0, .ofNat 8, 2, 4⟩
    .nil) := rfl

/-! ### Optimal matchings: rule 8.4 -/
example : Eq (costAbove (.ofNat 3)) 3 := rfl
example : Eq (costAbove (.negSucc 2)) 0 := rfl
example : Eq (costBelow (.ofNat 3)) 0 := rfl
example : Eq (costBelow (.negSucc 2)) 3 := rfl
example : Eq (totalOf (fun c => c.ref) (.cons ⟨2, 0, .ofNat 0, 0, 0⟩ (.cons ⟨3, 0, .ofNat 0, 0, 0⟩ .nil))) 5 := rfl
example (m m' : List Candidate) : Eq (CostsAtMost m m') (Nat.le (Nat.add (totalOf (fun c => costAbove c.cost) m)
    (totalOf (fun c => costBelow c.cost) m')) (Nat.add (totalOf (fun c => costAbove c.cost) m') (totalOf (fun c =>
    costBelow c.cost) m))) := rfl
example (l m : List Candidate) : Iff (IsMatching l m) (And ((c : Candidate) → Mem c m → Mem c l) (OneToOne m)) :=
  ⟨fun h => ⟨h.chosen, h.oneToOne⟩, fun h => ⟨h.left, h.right⟩⟩
example (l m : List Candidate) : Iff (IsOptimal l m) (And (IsMatching l m)
    (And ((m' : List Candidate) → IsMatching l m' → Nat.le (length m') (length m))
      ((m' : List Candidate) → IsMatching l m' → Eq (length m') (length m) → CostsAtMost m m'))) :=
  ⟨fun h => ⟨h.matching, h.most, h.least⟩, fun h => ⟨h.left, h.right.left, h.right.right⟩⟩
example : Eq (price (.cons 3 (.cons 4 .nil)) 1) 4 := rfl
example : Eq (price (.cons 3 (.cons 4 .nil)) 2) 0 := rfl
example : Eq (totalPrice (.cons 3 (.cons 4 .nil))) 7 := rfl
example (d : Dual) : Eq (Dual.mk d.base d.most d.refs d.preds) d := rfl
example : Eq (Dual.base ⟨10, 5, .nil, .nil⟩) 10 := rfl
example : Eq (Dual.most ⟨10, 5, .nil, .nil⟩) 5 := rfl
example : Eq (Dual.pays ⟨10, 5, (.cons 6 .nil), (.cons 4 .nil)⟩ ⟨0, 0, .ofNat 0, 0, 0⟩) .true := rfl
example : Eq (Dual.pays ⟨10, 5, (.cons 6 .nil), (.cons 4 .nil)⟩ ⟨0, 0, .negSucc 0, 0, 0⟩) .false := rfl
example : Eq (Dual.pays ⟨10, 5, (.cons 6 .nil), (.cons 4 .nil)⟩ ⟨0, 0, .ofNat 6, 0, 0⟩) .false := rfl
example : Eq (Dual.pays ⟨10, 5, (.cons 6 .nil), (.cons 4 .nil)⟩ ⟨0, 1, .ofNat 3, 0, 0⟩) .false := rfl
example : Eq (Dual.pays ⟨10, 5, (.cons 6 .nil), (.cons 4 .nil)⟩ ⟨0, 1, .ofNat 4, 0, 0⟩) .true := rfl
example : Eq (allPay ⟨10, 5, (.cons 6 .nil), (.cons 4 .nil)⟩ (.cons ⟨0, 0, .ofNat 0, 0, 0⟩ (.cons ⟨0, 1, .ofNat 4, 0, 0⟩
    .nil))) .true := rfl
example : Eq (allPay ⟨10, 5, (.cons 6 .nil), (.cons 4 .nil)⟩ (.cons ⟨0, 0, .ofNat 0, 0, 0⟩ (.cons ⟨0, 0, .negSucc 0, 0,
    0⟩ .nil))) .false := rfl
example : Eq (isListed ⟨0, 0, .ofNat 1, 0, 0⟩ (.cons ⟨0, 1, .ofNat 1, 0, 0⟩ (.cons ⟨0, 0, .ofNat 1, 0, 0⟩ .nil))) .true
    := rfl
example : Eq (isListed ⟨0, 0, .ofNat 1, 0, 0⟩ (.cons ⟨0, 1, .ofNat 1, 0, 0⟩ .nil)) .false := rfl
example : Eq (isMatching (.cons ⟨0, 0, .ofNat 1, 0, 0⟩ (.cons ⟨0, 1, .ofNat 1, 0, 0⟩ .nil)) (.cons ⟨0, 0, .ofNat 1, 0,
    0⟩ .nil)) .true := rfl
example : Eq (isMatching (.cons ⟨0, 1, .ofNat 1, 0, 0⟩ .nil) (.cons ⟨0, 0, .ofNat 1, 0, 0⟩ .nil)) .false := rfl
example : Eq (isMatching (.cons ⟨0, 0, .ofNat 1, 0, 0⟩ (.cons ⟨0, 1, .ofNat 1, 0, 0⟩ .nil)) (.cons ⟨0, 0, .ofNat 1, 0,
    0⟩ (.cons ⟨0, 1, .ofNat 1, 0, 0⟩ .nil))) .false := rfl
-- One candidate of cost 1, taken: base 3 pays for it with 2 and its cost, and 3 is above 1 · 1 + 1.
example : Eq (checkOptimal ⟨3, 1, (.cons 2 .nil), (.cons 0 .nil)⟩ (.cons ⟨0, 0, .ofNat 1, 0, 0⟩ .nil) (.cons ⟨0, 0,
    .ofNat 1, 0, 0⟩ .nil)) .true := rfl
example : Eq (checkOptimal ⟨3, 1, (.cons 2 .nil), (.cons 0 .nil)⟩ (.cons ⟨0, 0, .ofNat 1, 0, 0⟩ .nil) .nil) .false :=
    rfl
example : Eq (checkOptimal ⟨2, 1, (.cons 1 .nil), (.cons 0 .nil)⟩ (.cons ⟨0, 0, .ofNat 1, 0, 0⟩ .nil) (.cons ⟨0, 0,
    .ofNat 1, 0, 0⟩ .nil)) .false := rfl
example : Eq (checkOptimal ⟨3, 1, (.cons 2 .nil), (.cons 1 .nil)⟩ (.cons ⟨0, 0, .ofNat 1, 0, 0⟩ .nil) (.cons ⟨0, 0,
    .ofNat 1, 0, 0⟩ .nil)) .false := rfl

/-! ### The streaming program. `F[0,1] p` looks one frame ahead and none back -/
example (b : Buffer) : Eq (Buffer.mk b.seen b.held b.kept) b := rfl
example : Eq (Buffer.seen ⟨3, 2, fun _ _ => .true⟩) 3 := rfl
example : Eq (Buffer.held ⟨3, 2, fun _ _ => .true⟩) 2 := rfl
example : Eq (Buffer.empty) ⟨0, 0, fun _ _ => .false⟩ := rfl
example : Eq (width (.eventually (.negSucc 1) (.ofNat 3) (.atom 0))) 5 := rfl
example : Eq ((Buffer.extended ⟨5, 2, fun _ _ => .false⟩ fun _ => .true).frames) 3 := rfl
example : Eq ((Buffer.extended ⟨5, 2, fun _ _ => .false⟩ fun _ => .true).atom 0 2) .true := rfl
example : Eq ((Buffer.extended ⟨5, 2, fun _ _ => .false⟩ fun _ => .true).atom 0 1) .false := rfl
example : Eq ((Buffer.next (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) ⟨0, 0, fun _ _ => .false⟩ fun _ => .true).held)
    1 := rfl
example : Eq ((Buffer.next (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) ⟨0, 0, fun _ _ => .false⟩ fun _ => .true).kept
    0 0) .true := rfl
example : Eq ((Buffer.next (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) ⟨4, 1, fun _ _ => .false⟩ fun _ => .true).held)
    1 := rfl
example : Eq ((Buffer.next (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) ⟨4, 1, fun _ _ => .false⟩ fun _ => .true).seen)
    5 := rfl
example : Eq ((Buffer.next (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) ⟨4, 1, fun _ _ => .false⟩ fun _ => .true).kept
    0 0) .true := rfl
example : Eq (Buffer.output (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) ⟨1, 1, fun _ _ => .true⟩ (fun _ => .false)
    .nil) (.cons ⟨0, .true⟩ .nil) := rfl
example : Eq (Buffer.output (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) ⟨0, 0, fun _ _ => .true⟩ (fun _ => .false)
    .nil) .nil := rfl
example : Eq (Buffer.rest (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) ⟨3, 1, fun _ _ => .true⟩ .nil 2 1) (.cons ⟨2,
    .true⟩ .nil) := rfl
example : Eq ((buffer ⟨3, fun _ => bit 2⟩ (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) 3).seen) 3 := rfl
example : Eq ((buffer ⟨3, fun _ => bit 2⟩ (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) 3).held) 1 := rfl
example : Eq ((buffer ⟨3, fun _ => bit 2⟩ (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) 2).kept 0 0) .true := rfl
example : Eq (output ⟨3, fun _ => bit 2⟩ (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) 2) (.cons ⟨0, .true⟩ .nil) := rfl
example : Eq (program ⟨3, fun _ => bit 2⟩ (.eventually (.ofNat 0) (.ofNat 1) (.atom 0))) (.cons ⟨2, .false⟩ (.cons ⟨1,
    .true⟩ (.cons ⟨0, .true⟩ .nil))) := rfl
example : Eq activeClip ⟨1, fun _ => 1⟩ := rfl
end Tracepact.Pins
