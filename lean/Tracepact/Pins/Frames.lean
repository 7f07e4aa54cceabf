import Tracepact.Statements
/-!
Every definition that a statement is made of, pinned: what it computes on small values worked out by hand from the rules
of `spec/language.md`, or, where it says something instead of computing it, what it unfolds to. A theorem can stay true
when a definition is changed; these examples do not. `prove` asks that every definition of `Spec` and `Impl`, and every
other one that `Statements` uses, is named in these files. Here: formulas, masks, runs, matching, streams, certificates.
-/
set_option autoImplicit false
set_option maxRecDepth 1000000
noncomputable section
namespace Tracepact.Pins

/-! ### Truth values, search, counting -/
example (b : Bool) : Eq (IsTrue b) (Eq b .true) := rfl
example (a b : Nat) : Eq (Lt a b) (Nat.le (.succ a) b) := rfl
example (b : Bool) : Eq (band .true b) b := rfl
example (b : Bool) : Eq (band .false b) .false := rfl
example (b : Bool) : Eq (bor .true b) .true := rfl
example (b : Bool) : Eq (bor .false b) b := rfl
example : And (Eq (bnot .true) .false) (Eq (bnot .false) .true) := ⟨rfl, rfl⟩
example : And (Eq (bxor .true .true) .false) (Eq (bxor .true .false) .true) := ⟨rfl, rfl⟩
example : And (Eq (bxor .false .true) .true) (Eq (bxor .false .false) .false) := ⟨rfl, rfl⟩
example : And (Eq (bimplies .true .true) .true) (Eq (bimplies .true .false) .false) := ⟨rfl, rfl⟩
example : And (Eq (bimplies .false .true) .true) (Eq (bimplies .false .false) .true) := ⟨rfl, rfl⟩
example : And (Eq (biff .true .true) .true) (Eq (biff .true .false) .false) := ⟨rfl, rfl⟩
example : And (Eq (biff .false .true) .false) (Eq (biff .false .false) .true) := ⟨rfl, rfl⟩
example : And (Eq (anyBelow (Nat.beq 2) 3) .true) (Eq (anyBelow (Nat.beq 2) 2) .false) := ⟨rfl, rfl⟩
example : And (Eq (allBelow (Nat.ble 0) 3) .true) (Eq (allBelow (Nat.ble 1) 3) .false) := ⟨rfl, rfl⟩
example : And (Eq (anyBelow (Nat.beq 0) 0) .false) (Eq (allBelow (Nat.beq 1) 0) .true) := ⟨rfl, rfl⟩
example : And (Eq (toNat .true) 1) (Eq (toNat .false) 0) := ⟨rfl, rfl⟩
example : And (Eq (count (Nat.ble 2) 5) 3) (Eq (count (bit 0xb5) 8) 5) := ⟨rfl, rfl⟩
example : And (Eq (larger 3 5) 5) (And (Eq (larger 5 3) 5) (Eq (larger 4 4) 4)) := ⟨rfl, rfl, rfl⟩
example (x : Nat) : Eq (Mem x .nil) False := rfl
example (x y : Nat) (rest : List Nat) : Eq (Mem x (.cons y rest)) (Or (Eq x y) (Mem x rest)) := rfl
example (x k : Nat) : Eq (Entry x .nil k) False := rfl
example (x y : Nat) (rest : List Nat) : Eq (Entry x (.cons y rest) 0) (Eq x y) := rfl
example (x y k : Nat) (rest : List Nat) : Eq (Entry x (.cons y rest) (.succ k)) (Entry x rest k) := rfl

/-! ### Traces and formulas: chapter 6 -/
example (t : Trace) : Eq (Trace.mk t.frames t.atom) t := rfl
example : Eq (Trace.frames ⟨3, fun _ _ => .true⟩) 3 := rfl
example : And (Eq (back 0) (.ofNat 0)) (Eq (back 3) (.negSucc 2)) := ⟨rfl, rfl⟩
example (f : Formula) : Eq (near 2 f) (.eventually (.negSucc 1) (.ofNat 2) f) := rfl
example (i k j : Nat) : Eq (AtLeast i (.ofNat k) j) (Nat.le (Nat.add i k) j) := rfl
example (i k j : Nat) : Eq (AtLeast i (.negSucc k) j) (Nat.le i (Nat.add j (.succ k))) := rfl
example (i k j : Nat) : Eq (AtMost i (.ofNat k) j) (Nat.le j (Nat.add i k)) := rfl
example (i k j : Nat) : Eq (AtMost i (.negSucc k) j) (Nat.le (Nat.add j (.succ k)) i) := rfl
example (n i j : Nat) (lo hi : Int) :
    Iff (InWindow n i lo hi j) (And (Lt j n) (And (AtLeast i lo j) (AtMost i hi j))) :=
  ⟨fun h => ⟨h.inside, h.lower, h.upper⟩, fun h => ⟨h.left, h.right.left, h.right.right⟩⟩
example (n i r j : Nat) : Iff (Ahead n i r j) (And (Lt j n) (And (Nat.le i j) (Nat.le j (Nat.add i r)))) :=
  ⟨fun h => ⟨h.inside, h.lower, h.upper⟩, fun h => ⟨h.left, h.right.left, h.right.right⟩⟩
example (n i r j : Nat) : Iff (Behind n i r j) (And (Lt j n) (And (Nat.le j i) (Nat.le i (Nat.add j r)))) :=
  ⟨fun h => ⟨h.inside, h.upper, h.lower⟩, fun h => ⟨h.left, h.right.left, h.right.right⟩⟩
example (t : Trace) (k i : Nat) : Eq (Holds t (.atom k) i) (IsTrue (t.atom k i)) := rfl
example (t : Trace) (b : Bool) (i : Nat) : Eq (Holds t (.constant b) i) (IsTrue b) := rfl
example (t : Trace) (f : Formula) (i : Nat) : Eq (Holds t (.not f) i) (Not (Holds t f i)) := rfl
example (t : Trace) (f g : Formula) (i : Nat) : Eq (Holds t (.and f g) i) (And (Holds t f i) (Holds t g i)) := rfl
example (t : Trace) (f g : Formula) (i : Nat) : Eq (Holds t (.or f g) i) (Or (Holds t f i) (Holds t g i)) := rfl
example (t : Trace) (f g : Formula) (i : Nat) : Eq (Holds t (.implies f g) i) (Holds t f i → Holds t g i) := rfl
example (t : Trace) (f g : Formula) (i : Nat) : Eq (Holds t (.iff f g) i) (Iff (Holds t f i) (Holds t g i)) := rfl
example (t : Trace) (lo hi : Int) (f : Formula) (i : Nat) : Eq (Holds t (.eventually lo hi f) i)
    (Exists fun j => And (InWindow t.frames i lo hi j) (Holds t f j)) := rfl
example (t : Trace) (lo hi : Int) (f : Formula) (i : Nat) : Eq (Holds t (.always lo hi f) i)
    ((j : Nat) → InWindow t.frames i lo hi j → Holds t f j) := rfl
example (t : Trace) (r : Nat) (f g : Formula) (i : Nat) : Eq (Holds t (.«until» r f g) i)
    (Exists fun j => And (Ahead t.frames i r j)
      (And (Holds t g j) ((k : Nat) → Nat.le i k → Lt k j → Holds t f k))) := rfl
example (t : Trace) (r : Nat) (f g : Formula) (i : Nat) : Eq (Holds t (.since r f g) i)
    (Exists fun j => And (Behind t.frames i r j)
      (And (Holds t g j) ((k : Nat) → Lt j k → Nat.le k i → Holds t f k))) := rfl
example : And (Eq (atLeast 4 (.ofNat 1) 5) .true) (Eq (atLeast 4 (.ofNat 2) 5) .false) := ⟨rfl, rfl⟩
example : And (Eq (atLeast 4 (.negSucc 0) 3) .true) (Eq (atLeast 4 (.negSucc 0) 2) .false) := ⟨rfl, rfl⟩
example : And (Eq (atMost 4 (.ofNat 1) 5) .true) (Eq (atMost 4 (.ofNat 1) 6) .false) := ⟨rfl, rfl⟩
example : And (Eq (atMost 4 (.negSucc 0) 3) .true) (Eq (atMost 4 (.negSucc 0) 4) .false) := ⟨rfl, rfl⟩
-- Frames 0 to 3; atom 0 holds at 1 and 2, atom 1 at 3.
example : Eq (eval ⟨4, fun k => bit (numbered (.cons 6 (.cons 8 .nil)) k)⟩ (.«until» 1 (.atom 0) (.atom 1)) 2) .true :=
    rfl
example : Eq (eval ⟨4, fun k => bit (numbered (.cons 6 (.cons 8 .nil)) k)⟩ (.«until» 1 (.atom 0) (.atom 1)) 1) .false :=
    rfl
example : Eq (eval ⟨4, fun k => bit (numbered (.cons 6 (.cons 8 .nil)) k)⟩ (.since 1 (.atom 1) (.atom 0)) 3) .true :=
    rfl
example : Eq (eval ⟨4, fun k => bit (numbered (.cons 6 (.cons 8 .nil)) k)⟩ (.since 1 (.atom 0) (.atom 1)) 2) .false :=
    rfl
example : Eq (eval ⟨4, fun k => bit (numbered (.cons 6 (.cons 8 .nil)) k)⟩ (.always (.ofNat 0) (.ofNat 1) (.atom 1)) 3)
    .true := rfl
example : Eq (eval ⟨4, fun k => bit (numbered (.cons 6 (.cons 8 .nil)) k)⟩ (.eventually (.ofNat 1) (.ofNat 9) (.atom 1))
    3) .false := rfl

/-! ### How far a formula looks: rules 6.7 and following -/
example : And (Eq (minusOffset 5 (.ofNat 2)) 3) (And (Eq (minusOffset 1 (.ofNat 2)) 0) (Eq (minusOffset 5 (.negSucc 1))
    7)) :=
  ⟨rfl, rfl, rfl⟩
example : And (Eq (plusOffset 5 (.ofNat 2)) 7) (And (Eq (plusOffset 1 (.negSucc 1)) 0) (Eq (plusOffset 5 (.negSucc 1))
    3)) :=
  ⟨rfl, rfl, rfl⟩
example : And (Eq (untilReach 0 9 2) 2) (And (Eq (untilReach 3 4 1) 6) (Eq (untilReach 3 1 2) 5)) := ⟨rfl, rfl, rfl⟩
example : Eq (lookback (.since 3 (.eventually (.negSucc 3) (.ofNat 0) (.atom 0)) (.atom 1))) 6 := rfl
example : Eq (lookahead (.since 3 (.eventually (.negSucc 3) (.ofNat 2) (.atom 0)) (.atom 1))) 2 := rfl
example : Eq (lookahead (.«until» 3 (.eventually (.negSucc 3) (.ofNat 4) (.atom 0)) (.atom 1))) 6 := rfl
example (f : Formula) (i j : Nat) : Iff (InScope f i j)
    (And (Nat.le i (Nat.add j (lookback f))) (Nat.le j (Nat.add i (lookahead f)))) :=
  ⟨fun h => ⟨h.lower, h.upper⟩, fun h => ⟨h.left, h.right⟩⟩
example (k l : Nat) : Eq (Uses k (.atom l)) (Eq k l) := rfl
example (k : Nat) (b : Bool) : Eq (Uses k (.constant b)) False := rfl
example (k r : Nat) (f g : Formula) : Eq (Uses k (.«until» r (.not f) g)) (Or (Uses k f) (Uses k g)) := rfl
example (f : Formula) (t t' : Trace) (j : Nat) : Iff (SameAt f t t' j) (And (Iff (Lt j t.frames) (Lt j t'.frames))
    ((k : Nat) → Uses k f → Lt j t.frames → Eq (t.atom k j) (t'.atom k j))) :=
  ⟨fun h => ⟨h.inside, h.atom⟩, fun h => ⟨h.left, h.right⟩⟩
example (s : Nat) (f : Formula) (t t' : Trace) (j : Nat) : Iff (ShiftedAt s f t t' j)
    (And (Iff (Lt j t'.frames) (Lt (Nat.add s j) t.frames))
      ((k : Nat) → Uses k f → Lt j t'.frames → Eq (t'.atom k j) (t.atom k (Nat.add s j)))) :=
  ⟨fun h => ⟨h.inside, h.atom⟩, fun h => ⟨h.left, h.right⟩⟩
example (t t' : Trace) : Iff (Continues t t') (And (Nat.le t.frames t'.frames)
    ((k j : Nat) → Lt j t.frames → Eq (t.atom k j) (t'.atom k j))) :=
  ⟨fun h => ⟨h.longer, h.atom⟩, fun h => ⟨h.left, h.right⟩⟩
example : Eq (OffsetLe (.ofNat 2) (.ofNat 3)) (Nat.le 2 3) := rfl
example : Eq (OffsetLe (.negSucc 2) (.ofNat 3)) True := rfl
example : Eq (OffsetLe (.ofNat 2) (.negSucc 3)) False := rfl
example : Eq (OffsetLe (.negSucc 2) (.negSucc 3)) (Nat.le 3 2) := rfl
example : Eq (depth (.«until» 2 (.atom 0) (.not (.eventually (.ofNat 0) (.ofNat 1) (.atom 1))))) 2 := rfl
example : Eq (depth (.and (.atom 0) (.always (.ofNat 0) (.ofNat 1) (.atom 1)))) 1 := rfl
example (n : Nat) (f g : Formula) : Eq (EquivalentOn n f g)
    ((t : Trace) → Eq t.frames n → (i : Nat) → Lt i n → Eq (eval t f i) (eval t g i)) := rfl

/-! ### Obligations and scores: rules 7.1 to 7.3. Frames 2, 4, 5 and 7 are obliged; 0, 3, 4 and 7 hold -/
example : Eq (obligations (bit 0xb4) 8) 4 := rfl
example : Eq (satisfied (bit 0xb4) (bit 0x99) 8) 2 := rfl
example : Eq (violated (bit 0xb4) (bit 0x99) 8) 2 := rfl
example : And (Eq (vacuous (bit 0xb4) 2) .true) (Eq (vacuous (bit 0xb4) 3) .false) := ⟨rfl, rfl⟩

/-! ### Boundaries and runs: rules 5.3 to 5.6. Frames 1, 2 and 4 of six are active -/
example : And (Eq (before (bit 0x16) 0) .false) (And (Eq (before (bit 0x16) 2) .true) (Eq (before (bit 0x16) 1) .false))
    :=
  ⟨rfl, rfl, rfl⟩
example : And (Eq (count (onset (bit 0x16)) 6) 2) (And (Eq (onset (bit 0x16) 1) .true) (Eq (onset (bit 0x16) 4) .true))
    :=
  ⟨rfl, rfl, rfl⟩
example : And (Eq (count (offset (bit 0x16)) 6) 2) (And (Eq (offset (bit 0x16) 3) .true) (Eq (offset (bit 0x16) 5)
    .true)) :=
  ⟨rfl, rfl, rfl⟩
example (r p : Nat → Bool) (e : Nat → Nat → Bool) : And (Eq (boundaryAtom r p e 0) r) (Eq (boundaryAtom r p e 3) p) :=
    ⟨rfl, rfl⟩
example (r p : Nat → Bool) (e : Nat → Nat → Bool) : And (Eq (boundaryAtom r p e 1) (onset r)) (Eq (boundaryAtom r p e 2)
    (offset r)) :=
  ⟨rfl, rfl⟩
example (r p : Nat → Bool) (e : Nat → Nat → Bool) : And (Eq (boundaryAtom r p e 4) (onset p)) (Eq (boundaryAtom r p e 5)
    (offset p)) :=
  ⟨rfl, rfl⟩
example (r p : Nat → Bool) (e : Nat → Nat → Bool) : And (Eq (boundaryAtom r p e 6) (e 0)) (Eq (boundaryAtom r p e 8) (e
    2)) := ⟨rfl, rfl⟩
example : And (Eq (Interval.start ⟨2, 5⟩) 2) (Eq (Interval.stop ⟨2, 5⟩) 5) := ⟨rfl, rfl⟩
example (a : Nat → Bool) (n : Nat) (r : Interval) : Iff (IsRun a n r)
    (And (Lt r.start r.stop) (And (Nat.le r.stop n) (And ((j : Nat) → Nat.le r.start j → Lt j r.stop → IsTrue (a j))
      (And (Not (IsTrue (before a r.start))) (Lt r.stop n → Not (IsTrue (a r.stop))))))) :=
  ⟨fun h => ⟨h.nonempty, h.inside, h.active, h.left, h.right⟩,
    fun h => ⟨h.left, h.right.left, h.right.right.left, h.right.right.right.left, h.right.right.right.right⟩⟩
example : And (Eq (Interval.has ⟨2, 4⟩ 1) .false) (And (Eq (Interval.has ⟨2, 4⟩ 2) .true) (Eq (Interval.has ⟨2, 4⟩ 4)
    .false)) :=
  ⟨rfl, rfl, rfl⟩
example : And (Eq (count (paint (.cons ⟨1, 3⟩ (.cons ⟨4, 5⟩ .nil))) 6) 3) (Eq (paint (.cons ⟨1, 3⟩ (.cons ⟨4, 5⟩ .nil))
    3) .false) :=
  ⟨rfl, rfl⟩
example : Eq (Ordered .nil) True := rfl
example (r : Interval) (rest : List Interval) : Eq (Ordered (.cons r rest))
    (And ((q : Interval) → Mem q rest → Lt r.stop q.start) (Ordered rest)) := rfl
example : Eq (grow 3 (.cons ⟨1, 3⟩ .nil)) (.cons ⟨1, 4⟩ .nil) := rfl
example : Eq (grow 4 (.cons ⟨1, 3⟩ .nil)) (.cons ⟨4, 5⟩ (.cons ⟨1, 3⟩ .nil)) := rfl
example : Eq (scan (bit 0x16) 6) (.cons ⟨4, 5⟩ (.cons ⟨1, 3⟩ .nil)) := rfl
example : Eq (turned (.cons ⟨4, 5⟩ (.cons ⟨1, 3⟩ .nil)) .nil) (.cons ⟨1, 3⟩ (.cons ⟨4, 5⟩ .nil)) := rfl
example : Eq (runs (bit 0x16) 6) (.cons ⟨1, 3⟩ (.cons ⟨4, 5⟩ .nil)) := rfl

/-! ### Matching: rules 8.1 to 8.3 -/
example : And (Eq (distance 3 8) 5) (And (Eq (distance 8 3) 5) (Eq (distance 4 4) 0)) := ⟨rfl, rfl, rfl⟩
example (search : Nat) (ref pred : Interval) : Eq (IsCandidate search ref pred)
    (And (And (Lt ref.start pred.stop) (Lt pred.start ref.stop))
      (Or (Nat.le (distance ref.start pred.start) search) (Nat.le (distance ref.stop pred.stop) search))) := rfl
example : And (Eq (Candidate.ref ⟨1, 2, .ofNat 3, 4, 5⟩) 1) (Eq (Candidate.pred ⟨1, 2, .ofNat 3, 4, 5⟩) 2) := ⟨rfl, rfl⟩
example : And (Eq (Candidate.cost ⟨1, 2, .ofNat 3, 4, 5⟩) (.ofNat 3)) (Eq (Candidate.refOnset ⟨1, 2, .ofNat 3, 4, 5⟩) 4)
    := ⟨rfl, rfl⟩
example : Eq (Candidate.predOnset ⟨1, 2, .ofNat 3, 4, 5⟩) 5 := rfl
example (c d : Candidate) : Eq (Shares c d) (Or (Eq c.ref d.ref) (Eq c.pred d.pred)) := rfl
example : Eq (OneToOne .nil) True := rfl
example (c : Candidate) (rest : List Candidate) : Eq (OneToOne (.cons c rest))
    (And ((d : Candidate) → Mem d rest → Not (Shares c d)) (OneToOne rest)) := rfl
example : And (Eq (intLess (.ofNat 2) (.ofNat 3)) .true) (Eq (intLess (.ofNat 3) (.ofNat 3)) .false) := ⟨rfl, rfl⟩
example : And (Eq (intLess (.negSucc 2) (.ofNat 0)) .true) (Eq (intLess (.ofNat 0) (.negSucc 2)) .false) := ⟨rfl, rfl⟩
example : And (Eq (intLess (.negSucc 3) (.negSucc 2)) .true) (Eq (intLess (.negSucc 2) (.negSucc 3)) .false) := ⟨rfl,
    rfl⟩
example : And (Eq (intSame (.negSucc 3) (.negSucc 3)) .true) (Eq (intSame (.negSucc 0) (.ofNat 1)) .false) := ⟨rfl, rfl⟩
-- By cost first, then by the onset of the reference, then by that of the prediction; an equal one does not wait.
example : Eq (ranksBefore ⟨0, 0, .ofNat 1, 9, 9⟩ ⟨1, 1, .ofNat 2, 0, 0⟩) .true := rfl
example : Eq (ranksBefore ⟨1, 1, .ofNat 2, 0, 0⟩ ⟨0, 0, .ofNat 1, 9, 9⟩) .false := rfl
example : Eq (ranksBefore ⟨0, 0, .negSucc 4, 9, 9⟩ ⟨1, 1, .negSucc 3, 0, 0⟩) .true := rfl
example : Eq (ranksBefore ⟨0, 0, .ofNat 1, 3, 9⟩ ⟨1, 1, .ofNat 1, 4, 0⟩) .true := rfl
example : Eq (ranksBefore ⟨0, 0, .ofNat 1, 4, 0⟩ ⟨1, 1, .ofNat 1, 3, 9⟩) .false := rfl
example : Eq (ranksBefore ⟨0, 0, .ofNat 1, 3, 5⟩ ⟨1, 1, .ofNat 1, 3, 6⟩) .true := rfl
example : Eq (ranksBefore ⟨0, 0, .ofNat 1, 3, 6⟩ ⟨1, 1, .ofNat 1, 3, 5⟩) .false := rfl
example : Eq (ranksBefore ⟨0, 0, .ofNat 1, 3, 5⟩ ⟨1, 1, .ofNat 1, 3, 5⟩) .true := rfl
example : Eq (insertRanked ⟨0, 0, .ofNat 2, 0, 0⟩ (.cons ⟨1, 1, .ofNat 1, 0, 0⟩ (.cons ⟨2, 2, .ofNat 3, 0, 0⟩ .nil)))
    (.cons ⟨1, 1, .ofNat 1, 0, 0⟩ (.cons ⟨0, 0, .ofNat 2, 0, 0⟩ (.cons ⟨2, 2, .ofNat 3, 0, 0⟩ .nil))) := rfl
example : Eq (ranked (.cons ⟨0, 0, .ofNat 2, 0, 0⟩ (.cons ⟨1, 1, .negSucc 0, 0, 0⟩ .nil)))
    (.cons ⟨1, 1, .negSucc 0, 0, 0⟩ (.cons ⟨0, 0, .ofNat 2, 0, 0⟩ .nil)) := rfl
example : And (Eq (shares ⟨1, 2, .ofNat 0, 0, 0⟩ ⟨1, 3, .ofNat 0, 0, 0⟩) .true)
    (And (Eq (shares ⟨1, 2, .ofNat 0, 0, 0⟩ ⟨4, 2, .ofNat 0, 0, 0⟩) .true)
      (Eq (shares ⟨1, 2, .ofNat 0, 0, 0⟩ ⟨2, 1, .ofNat 0, 0, 0⟩) .false)) := ⟨rfl, rfl, rfl⟩
example : And (Eq (isFree ⟨1, 2, .ofNat 0, 0, 0⟩ .nil) .true)
    (Eq (isFree ⟨1, 2, .ofNat 0, 0, 0⟩ (.cons ⟨3, 2, .ofNat 0, 0, 0⟩ .nil)) .false) := ⟨rfl, rfl⟩
-- Reference 0 could have prediction 0 at cost 2 or prediction 1 at cost 1; the cheaper one is kept, and 0 goes to
-- reference 1.
example : Eq (greedy (.cons ⟨0, 0, .ofNat 2, 0, 0⟩ (.cons ⟨0, 1, .ofNat 1, 0, 0⟩ (.cons ⟨1, 0, .ofNat 3, 0, 0⟩ .nil))))
    (.cons ⟨1, 0, .ofNat 3, 0, 0⟩ (.cons ⟨0, 1, .ofNat 1, 0, 0⟩ .nil)) := rfl
example : Eq (keepFree .nil (.cons ⟨0, 0, .ofNat 2, 0, 0⟩ (.cons ⟨0, 1, .ofNat 1, 0, 0⟩ .nil))) (.cons ⟨0, 0, .ofNat 2,
    0, 0⟩ .nil) := rfl
example : And (Eq (closer .none 4) (.some 4)) (And (Eq (closer (.some 3) 4) (.some 3)) (Eq (closer (.some 5) 4) (.some
    4))) :=
  ⟨rfl, rfl, rfl⟩
example : And (Eq (nearest (bit 0x91) 3 8) (.some 1)) (And (Eq (nearest (bit 0x81) 3 8) (.some 3)) (Eq (nearest (bit 0)
    3 8) .none)) :=
  ⟨rfl, rfl, rfl⟩

/-! ### Event clauses: rules 7.4 and 8.4 -/
example : And (Eq (Event.onset ⟨2, 6⟩) 2) (And (Eq (Event.offset ⟨2, 6⟩) 6) (Eq (Event.duration ⟨2, 6⟩) 4)) := ⟨rfl,
    rfl, rfl⟩
example (x : Families) : Eq (Families.mk x.refs x.preds x.ref x.pred x.matching x.covering) x := rfl
example : And (Eq (Value.satisfied ⟨1, 2, .true⟩) 1) (And (Eq (Value.obligated ⟨1, 2, .true⟩) 2) (Eq (Value.vacuous ⟨1,
    2, .true⟩) .true)) :=
  ⟨rfl, rfl, rfl⟩
-- With no obligation: 1 and vacuous if both sides are empty, else 0 and not vacuous.
example (s : Nat) : Eq (eventValue .true s 0) ⟨1, 1, .true⟩ := rfl
example (s : Nat) : Eq (eventValue .false s 0) ⟨0, 1, .false⟩ := rfl
example (s n : Nat) (b : Bool) : Eq (eventValue b s (.succ n)) ⟨s, .succ n, .false⟩ := rfl
example : And (Eq (listCount (Nat.ble 2) (.cons 1 (.cons 2 (.cons 3 .nil)))) 2) (Eq (length (.cons 1 (.cons 2 .nil))) 2)
    := ⟨rfl, rfl⟩
example (r p : Nat → Event) (m : List (Prod Nat Nat)) (c : Nat → Nat) : Eq (Families.bothEmpty ⟨0, 0, r, p, m, c⟩) .true
    := rfl
example (r p : Nat → Event) (m : List (Prod Nat Nat)) (c : Nat → Nat) : Eq (Families.bothEmpty ⟨1, 0, r, p, m, c⟩)
    .false := rfl
example (r p : Nat → Event) (m : List (Prod Nat Nat)) (c : Nat → Nat) : Eq (Families.bothEmpty ⟨0, 1, r, p, m, c⟩)
    .false := rfl
-- A quarter of 8 is 2: durations 10 and 6 are within it, 11 and 5 are not.
example : And (Eq (durationHolds 1 4 ⟨0, 8⟩ ⟨0, 10⟩) .true) (Eq (durationHolds 1 4 ⟨0, 8⟩ ⟨0, 11⟩) .false) := ⟨rfl, rfl⟩
example : And (Eq (durationHolds 1 4 ⟨0, 8⟩ ⟨2, 8⟩) .true) (Eq (durationHolds 1 4 ⟨0, 8⟩ ⟨3, 8⟩) .false) := ⟨rfl, rfl⟩
example : Eq (Families.durationValue 1 4
    ⟨2, 2, fun _ => ⟨0, 8⟩, fun j => cond (Nat.beq j 0) ⟨0, 10⟩ ⟨0, 11⟩, .cons ⟨0, 0⟩ (.cons ⟨1, 1⟩ .nil), fun _ => 1⟩)
    ⟨1, 2, .false⟩ := rfl
example : And (Eq (isMatched 2 (.cons ⟨2, 5⟩ .nil)) .true) (Eq (isMatched 5 (.cons ⟨2, 5⟩ .nil)) .false) := ⟨rfl, rfl⟩
-- Reference 0 is matched and covered once, 1 is matched and covered twice, 2 is not matched.
example : Eq (Families.fragmentationValue ⟨3, 3, fun _ => ⟨0, 8⟩, fun _ => ⟨0, 8⟩, .cons ⟨0, 0⟩ (.cons ⟨1, 1⟩ .nil),
    fun i => cond (Nat.beq i 1) 2 1⟩) ⟨1, 3, .false⟩ := rfl
example (e : Nat) (x x' : Event) : Iff (Moved e x x')
    (And (Nat.le (distance x.onset x'.onset) e) (Nat.le (distance x.offset x'.offset) e)) :=
  ⟨fun h => ⟨h.onset, h.offset⟩, fun h => ⟨h.left, h.right⟩⟩
example (e : Nat) (x x' : Families) : Iff (Jittered e x x')
    (And (And (Eq x.refs x'.refs) (Eq x.preds x'.preds)) (And (And (Eq x.matching x'.matching)
      ((i : Nat) → Eq (x.covering i) (x'.covering i))) (And ((i : Nat) → Moved e (x.ref i) (x'.ref i))
      ((i : Nat) → Moved e (x.pred i) (x'.pred i))))) :=
  ⟨fun h => ⟨⟨h.refs, h.preds⟩, ⟨h.matching, h.covering⟩, h.ref, h.pred⟩,
    fun ⟨⟨a, b⟩, ⟨c, d⟩, e, f⟩ => ⟨a, b, c, d, e, f⟩⟩

/-! ### Selection: clause `c` has the value `c * s` on case `s` -/
example (value : Nat → Nat → Nat) (m c d : Nat) : Eq (Equivalent value m c d) ((s : Nat) → Lt s m → Eq (value c s)
    (value d s)) := rfl
example (value : Nat → Nat → Nat) (m c : Nat) :
    Eq (Constant value m c) ((s s' : Nat) → Lt s m → Lt s' m → Eq (value c s) (value c s')) := rfl
example (value : Nat → Nat → Nat) (c s s' : Nat) : Eq (Separates value c s s') (Not (Eq (value c s) (value c s'))) :=
    rfl
example (value : Nat → Nat → Nat) (m : Nat) : Eq (AllDistinct value m .nil) True := rfl
example (value : Nat → Nat → Nat) (m c : Nat) (rest : List Nat) : Eq (AllDistinct value m (.cons c rest))
    (And ((d : Nat) → Mem d rest → Not (Equivalent value m c d)) (AllDistinct value m rest)) := rfl
example : And (Eq (sameValues Nat.mul 3 2 2) .true) (And (Eq (sameValues Nat.mul 3 2 1) .false) (Eq (sameValues Nat.mul
    1 2 1) .true)) :=
  ⟨rfl, rfl, rfl⟩
example : And (Eq (isConstant Nat.mul 3 0) .true) (And (Eq (isConstant Nat.mul 3 1) .false) (Eq (isConstant Nat.mul 1 1)
    .true)) :=
  ⟨rfl, rfl, rfl⟩
example : And (Eq (repeats Nat.mul 3 2 (.cons 1 (.cons 2 .nil))) .true) (Eq (repeats Nat.mul 3 2 (.cons 1 .nil)) .false)
    := ⟨rfl, rfl⟩
example : Eq (keepNew Nat.mul 3 (.cons 2 .nil) (.cons 2 (.cons 1 .nil))) (.cons 1 .nil) := rfl
example : Eq (retained Nat.mul 3 (.cons 0 (.cons 2 (.cons 1 (.cons 2 .nil))))) (.cons 2 (.cons 1 .nil)) := rfl

/-! ### Masks and windows -/
example : And (Eq (bit 0x16 1) .true) (And (Eq (bit 0x16 0) .false) (Eq (bit 0x16 4) .true)) := ⟨rfl, rfl, rfl⟩
example : And (Eq (full 0) 0) (Eq (full 5) 0x1f) := ⟨rfl, rfl⟩
example : And (Eq (smaller 3 5) 3) (Eq (smaller 5 3) 3) := ⟨rfl, rfl⟩
example : And (Eq (stride 8 3) 3) (Eq (stride 8 6) 2) := ⟨rfl, rfl⟩
example : And (Eq (spread 1 5) 0x1f) (And (Eq (spread 0x41 3) 0x1c7) (Eq (spread 1 0) 0)) := ⟨rfl, rfl, rfl⟩
example : And (Eq (spreadLoop 5 5 1 1) 0x1f) (Eq (spreadLoop 5 1 1 1) 3) := ⟨rfl, rfl⟩
example : And (Eq (span (.ofNat 2) (.ofNat 4)) 3) (And (Eq (span (.ofNat 4) (.ofNat 2)) 0) (Eq (span (.negSucc 1)
    (.ofNat 1)) 4)) :=
  ⟨rfl, rfl, rfl⟩
example : And (Eq (span (.negSucc 3) (.negSucc 1)) 3) (Eq (span (.ofNat 0) (.negSucc 0)) 0) := ⟨rfl, rfl⟩
example : And (Eq (earlier (.ofNat 2) 0x14) 5) (Eq (earlier (.negSucc 0) 0x14) 0x28) := ⟨rfl, rfl⟩
example : Eq (eventuallyMask 0xff (.negSucc 0) (.ofNat 2) 0x10) 0x3c := rfl
example : Eq (alwaysMask 0xff (.ofNat 0) (.ofNat 1) 0x8c) 0x84 := rfl
example : And (Eq (untilMask 2 6 8) 0xe) (And (Eq (untilMask 1 6 8) 0xc) (Eq (untilMask 0 6 8) 8)) := ⟨rfl, rfl, rfl⟩
example : And (Eq (sinceMask 2 12 2) 0xe) (And (Eq (sinceMask 1 12 2) 6) (Eq (sinceMask 0 12 2) 2)) := ⟨rfl, rfl, rfl⟩
example : And (Eq (untilLoop 3 3 1 8 6) 0xe) (Eq (sinceLoop 3 3 1 2 12) 0xe) := ⟨rfl, rfl⟩
example : And (Eq (clampLow 3 (.negSucc 8)) (.negSucc 2)) (And (Eq (clampLow 3 (.ofNat 9)) (.ofNat 9)) (Eq (clampLow 3
    (.negSucc 0)) (.negSucc 0))) :=
  ⟨rfl, rfl, rfl⟩
example : And (Eq (clampHigh 3 (.ofNat 9)) (.ofNat 3)) (And (Eq (clampHigh 3 (.negSucc 8)) (.negSucc 8)) (Eq (clampHigh
    3 (.ofNat 1)) (.ofNat 1))) :=
  ⟨rfl, rfl, rfl⟩
example : Eq (evalMask (full 4) 4 (numbered (.cons 6 (.cons 8 .nil))) (.or (.not (.atom 0)) (.«until» 1 (.atom 0) (.atom
    1)))) 0xd := rfl
example : And (Eq (magnitude (.ofNat 3)) 3) (Eq (magnitude (.negSucc 3)) 4) := ⟨rfl, rfl⟩
example : Eq (widest (.and (.eventually (.negSucc 4) (.ofNat 2) (.atom 0)) (.always (.ofNat 1) (.ofNat 7) (.atom 1)))) 7
    := rfl
example : And (Eq (onsetMask 0x16) 0x12) (And (Eq (offsetMask 0x3f 0x16) 0x28) (Eq (offsetMask 0x1f 0x16) 8)) := ⟨rfl,
    rfl, rfl⟩
example : And (Eq (boundaryMask 0x1f 0x16 0xb (numbered (.cons 9 .nil)) 0) 0x16) (Eq (boundaryMask 0x1f 0x16 0xb
    (numbered (.cons 9 .nil)) 1) 0x12) :=
  ⟨rfl, rfl⟩
example : And (Eq (boundaryMask 0x1f 0x16 0xb (numbered (.cons 9 .nil)) 2) 8) (Eq (boundaryMask 0x1f 0x16 0xb (numbered
    (.cons 9 .nil)) 3) 0xb) :=
  ⟨rfl, rfl⟩
example : And (Eq (boundaryMask 0x1f 0x16 0xb (numbered (.cons 9 .nil)) 4) 9) (Eq (boundaryMask 0x1f 0x16 0xb (numbered
    (.cons 9 .nil)) 5) 0x14) :=
  ⟨rfl, rfl⟩
example : And (Eq (boundaryMask 0x1f 0x16 0xb (numbered (.cons 9 .nil)) 6) 9) (Eq (numbered (.cons 9 .nil) 1) 0) :=
    ⟨rfl, rfl⟩
example (v x : Nat) : Eq (Within v x) ((p : Nat) → IsTrue (bit x p) → IsTrue (bit v p)) := rfl
example (v s n g : Nat) : Iff (Place v s n g) (And ((i : Nat) → Lt i n → IsTrue (bit v (Nat.add s i)))
    (And ((j : Nat) → Lt j s → Nat.le s (Nat.add j g) → Not (IsTrue (bit v j)))
      ((j : Nat) → Nat.le (Nat.add s n) j → Lt j (Nat.add (Nat.add s n) g) → Not (IsTrue (bit v j))))) :=
  ⟨fun h => ⟨h.own, h.before, h.after⟩, fun h => ⟨h.left, h.right.left, h.right.right⟩⟩

/-! ### Counting bits, shared graphs, families, streams -/
example : Eq (addShifted 1 (.cons 3 .nil) 0) (.cons 2 (.cons 1 .nil)) := rfl
example : And (Eq (counter (fold 3 (.cons 0xb5 .nil)) 0) 5) (And (Eq (popcount 3 0xb5) 5) (Eq (popcount 2 0xb5) 2)) :=
    ⟨rfl, rfl, rfl⟩
example : Eq (fold 1 (.cons 3 .nil)) (.cons 2 (.cons 1 .nil)) := rfl
example : And (Eq (entry 9 (.cons 4 (.cons 5 .nil)) 1) 5) (Eq (entry 9 (.cons 4 (.cons 5 .nil)) 2) 9) := ⟨rfl, rfl⟩
example : Eq (Node.tree (fun k => .atom k) (.since 2 0 1)) (.since 2 (.atom 0) (.atom 1)) := rfl
example : Eq (Node.tree (fun k => .atom k) (.implies 0 1)) (.implies (.atom 0) (.atom 1)) := rfl
example : Eq (Node.mask 0xf 4 (fun _ => 6) (fun k => cond (Nat.beq k 0) 6 8) (.«until» 1 0 1)) 0xc := rfl
example : Eq (Node.mask 0xf 4 (fun _ => 6) (fun k => cond (Nat.beq k 0) 6 8) (.implies 0 1)) 9 := rfl
example : Eq (trees (.cons (.not 0) (.cons (.atom 1) .nil))) (.cons (.not (.atom 1)) (.cons (.atom 1) .nil)) := rfl
example : Eq (masks 0xf 4 (fun _ => 6) (.cons (.not 0) (.cons (.atom 1) .nil))) (.cons 9 (.cons 6 .nil)) := rfl
example (c : Clip) : Eq (Clip.trace c) ⟨c.frames, fun k j => bit (c.mask k) j⟩ := rfl
example (c : Clip) : And (Eq (Segment.clip ⟨c, 3⟩) c) (Eq (Segment.padding ⟨c, 3⟩) 3) := ⟨rfl, rfl⟩
example : Eq (Segment.stride ⟨⟨4, fun _ => 0⟩, 3⟩) 7 := rfl
example : And (Eq (familyValid (twoClips 2)) 9) (Eq (familyMask 0 (twoClips 2)) 8) := ⟨rfl, rfl⟩
example (c : Clip) (s : Nat) : Eq (StartsAt c .nil s) False := rfl
example (c : Clip) (x : Segment) (rest : List Segment) (s : Nat) : Eq (StartsAt c (.cons x rest) s)
    (Or (And (Eq c x.clip) (Eq s 0)) (Exists fun s' => And (Eq s (Nat.add s' x.stride)) (StartsAt c rest s'))) := rfl
example (gap longest : Nat) (segments : List Segment) : Eq (Apart gap longest segments)
    ((x : Segment) → Mem x segments → And (Nat.le gap x.padding) (Nat.le x.clip.frames longest)) := rfl
example : Eq (twoClips 2) (.cons ⟨⟨1, fun _ => 0⟩, 2⟩ (.cons ⟨⟨1, fun _ => 1⟩, 2⟩ .nil)) := rfl
example : Eq silentClip ⟨1, fun _ => 0⟩ := rfl
example (t : Trace) : Eq (arrived t 3) ⟨3, t.atom⟩ := rfl
-- `F[0,1] p` with `p` at frame 1 of three: the verdict of frame m - 1 comes with frame m, the last at the end.
example : Eq (live ⟨3, fun _ => bit 2⟩ (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) 2) (.cons ⟨0, .true⟩ .nil) := rfl
example : Eq (onArrival ⟨3, fun _ => bit 2⟩ (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) 2 .nil .true) (.cons ⟨1,
    .true⟩ .nil) := rfl
example : Eq (flush ⟨3, fun _ => bit 2⟩ (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) .nil 2 1) (.cons ⟨2, .false⟩ .nil)
    := rfl
example : Eq (stream ⟨3, fun _ => bit 2⟩ (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)))
    (.cons ⟨2, .false⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .true⟩ .nil))) := rfl
example : Eq (offline ⟨3, fun _ => bit 2⟩ (.atom 0) 3) (.cons ⟨2, .false⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .false⟩ .nil)))
    := rfl

/-! ### Examples that statements name, and certificates -/
example : And (Eq (count tailRef 14) 4) (And (Eq (tailRef 2) .true) (Eq (tailRef 5) .true)) := ⟨rfl, rfl, rfl⟩
example : And (Eq (count tailPred 14) 9) (And (Eq (tailPred 2) .true) (Eq (tailPred 10) .true)) := ⟨rfl, rfl, rfl⟩
example : Eq tailTrace ⟨14, boundaryAtom tailRef tailPred (fun _ _ => .false)⟩ := rfl
example : Eq onsetGuard (.implies (.atom 1) (near 2 (.atom 4))) := rfl
example : Eq offsetGuard (.implies (.atom 2) (near 2 (.atom 5))) := rfl
example (o f : Formula) : And (Eq (Clause.obligation ⟨o, f⟩) o) (Eq (Clause.formula ⟨o, f⟩) f) := ⟨rfl, rfl⟩
example (x : Nat → Nat) : And (Eq (Case.frames ⟨1, 2, 3, x⟩) 1) (And (Eq (Case.ref ⟨1, 2, 3, x⟩) 2) (Eq (Case.pred ⟨1,
    2, 3, x⟩) 3)) :=
  ⟨rfl, rfl, rfl⟩
example : And (Eq (Claim.verdict ⟨1, 2, 3⟩) 1) (And (Eq (Claim.satisfied ⟨1, 2, 3⟩) 2) (Eq (Claim.obligated ⟨1, 2, 3⟩)
    3)) := ⟨rfl, rfl, rfl⟩
example (c : Case) : Eq (Case.trace c) ⟨c.frames, boundaryAtom (bit c.ref) (bit c.pred) (fun k => bit (c.extra k))⟩ :=
    rfl
example : Eq (Case.verdict ⟨6, 0x16, 0x06, numbered .nil⟩ (.and (.atom 0) (.not (.atom 3)))) 0x10 := rfl
example (k : Nat → Bool) : And (Eq (force 0 k) (k 0)) (Eq (force 7 k) (k 7)) := ⟨rfl, rfl⟩
-- The reference is at frames 1, 2 and 4, the prediction at 1 and 2: of three obliged frames two hold.
example : Eq (checkClaim 3 ⟨6, 0x16, 0x06, numbered .nil⟩ ⟨.atom 0, .atom 3⟩ ⟨6, 2, 3⟩) .true := rfl
example : Eq (checkClaim 3 ⟨6, 0x16, 0x06, numbered .nil⟩ ⟨.atom 0, .atom 3⟩ ⟨2, 2, 3⟩) .false := rfl
example : Eq (checkClaim 3 ⟨6, 0x16, 0x06, numbered .nil⟩ ⟨.atom 0, .atom 3⟩ ⟨6, 3, 3⟩) .false := rfl
example : Eq (checkClaim 3 ⟨6, 0x16, 0x06, numbered .nil⟩ ⟨.atom 0, .atom 3⟩ ⟨6, 2, 2⟩) .false := rfl
example : Eq (checkClaim 2 ⟨6, 0x16, 0x06, numbered .nil⟩ ⟨.atom 0, .atom 3⟩ ⟨6, 2, 3⟩) .false := rfl
example : Eq (joined 4 (.cons 5 (.cons 3 .nil))) 0x35 := rfl
example (c : Case) (k : Clause) (m : Claim) : Iff (Certified c k m)
    (And ((i : Nat) → Lt i c.frames → Iff (Holds c.trace k.formula i) (Eq (bit m.verdict i) .true))
      (And (Eq (satisfied (eval c.trace k.obligation) (eval c.trace k.formula) c.frames) m.satisfied)
        (Eq (obligations (eval c.trace k.obligation) c.frames) m.obligated))) :=
  ⟨fun h => ⟨h.verdict, h.satisfied, h.obligated⟩, fun h => ⟨h.left, h.right.left, h.right.right⟩⟩
end Tracepact.Pins
