import Tracepact.Statements
/-! What the definitions of soft values say, pinned by chapter 18. -/
set_option autoImplicit false
set_option maxRecDepth 1000000
noncomputable section
namespace Tracepact.Pins

/-! ### Soft values: rule 18.2 -/
example : And (Eq (isPositive (.negative (.number 3))) .false) (Eq (isPositive (.positive (.number 3))) .true) :=
  ⟨rfl, rfl⟩
example : And (Eq (isPositive (.negative (.number 0))) .false) (Eq (isPositive (.positive (.number 0))) .true) :=
  ⟨rfl, rfl⟩
example (a : Size) : And (Eq (Soft.size (.negative a)) a) (Eq (Soft.size (.positive a)) a) := ⟨rfl, rfl⟩
example (a : Size) : And (Eq (opposite (.negative a)) (.positive a)) (Eq (opposite (.positive a)) (.negative a)) :=
  ⟨rfl, rfl⟩
example : And (Eq softTop (.positive .unbounded)) (Eq softBottom (.negative .unbounded)) := ⟨rfl, rfl⟩
example : And (Eq (sizeAtMost (.number 2) (.number 2)) .true) (Eq (sizeAtMost (.number 3) (.number 2)) .false) :=
  ⟨rfl, rfl⟩
example : And (Eq (sizeAtMost (.number 3) .unbounded) .true) (Eq (sizeAtMost .unbounded (.number 3)) .false) :=
  ⟨rfl, rfl⟩
example : Eq (sizeAtMost .unbounded .unbounded) .true := rfl
-- −3 ≤ −2, −0 ≤ +0, 2 ≤ 3, and none of them the other way round.
example : And (Eq (softAtMost (.negative (.number 3)) (.negative (.number 2))) .true)
    (Eq (softAtMost (.negative (.number 2)) (.negative (.number 3))) .false) := ⟨rfl, rfl⟩
example : And (Eq (softAtMost (.negative (.number 0)) (.positive (.number 0))) .true)
    (Eq (softAtMost (.positive (.number 0)) (.negative (.number 0))) .false) := ⟨rfl, rfl⟩
example : And (Eq (softAtMost (.positive (.number 2)) (.positive (.number 3))) .true)
    (Eq (softAtMost (.positive (.number 3)) (.positive (.number 2))) .false) := ⟨rfl, rfl⟩
example : And (Eq (lesser (.negative (.number 0)) (.positive (.number 0))) (.negative (.number 0)))
    (Eq (greater (.negative (.number 0)) (.positive (.number 0))) (.positive (.number 0))) := ⟨rfl, rfl⟩
example : And (Eq (lesser (.negative (.number 2)) (.negative (.number 3))) (.negative (.number 3)))
    (Eq (greater (.positive (.number 5)) (.positive (.number 4))) (.positive (.number 5))) := ⟨rfl, rfl⟩
example (p : Nat → Soft) : And (Eq (greatestBelow p 0) softBottom) (Eq (leastBelow p 0) softTop) := ⟨rfl, rfl⟩
example : And (Eq (greatestBelow (margin 5) 9) (.positive (.number 3)))
    (Eq (leastBelow (margin 5) 9) (.negative (.number 5)))
    := ⟨rfl, rfl⟩
example (P : Nat → Prop) (p : Nat → Soft) (x : Soft) : Iff (GreatestOver P p x)
    (And ((j : Nat) → P j → IsTrue (softAtMost (p j) x))
      (Or (Exists fun j => And (P j) (Eq x (p j))) (And ((j : Nat) → Not (P j)) (Eq x softBottom)))) :=
  ⟨fun h => ⟨h.above, h.taken⟩, fun h => ⟨h.left, h.right⟩⟩
example (P : Nat → Prop) (p : Nat → Soft) (x : Soft) : Iff (LeastOver P p x)
    (And ((j : Nat) → P j → IsTrue (softAtMost x (p j)))
      (Or (Exists fun j => And (P j) (Eq x (p j))) (And ((j : Nat) → Not (P j)) (Eq x softTop)))) :=
  ⟨fun h => ⟨h.below, h.taken⟩, fun h => ⟨h.left, h.right⟩⟩

/-! ### Margins, masks, edges, other classes: rules 18.1 to 18.5 -/
example : And (Eq (margin 5 7) (.positive (.number 2))) (Eq (margin 5 1) (.negative (.number 4))) := ⟨rfl, rfl⟩
example : Eq (margin 5 5) (.negative (.number 0)) := rfl
example : And (Eq (Source.soft (.field 5 (fun i => i)) 6) (.positive (.number 1)))
    (Eq (Source.soft (.field 5 (fun i => i)) 5) (.negative (.number 0))) := ⟨rfl, rfl⟩
example : And (Eq (Source.soft (.mask (.number 4) (bit 2)) 1) (.positive (.number 4)))
    (Eq (Source.soft (.mask (.number 4) (bit 2)) 0) (.negative (.number 4))) := ⟨rfl, rfl⟩
example : And (Eq (Source.active (.field 5 (fun i => i)) 6) .true)
    (Eq (Source.active (.field 5 (fun i => i)) 5) .false) :=
  ⟨rfl, rfl⟩
example (a : Nat → Bool) (m : Size) (i : Nat) : Eq (Source.active (.mask m a) i) (a i) := rfl
-- Scores 8, 2, 9, 6 at the threshold 5: the margins are 3, −3, 4, 1.
example : And (Eq (softOnset (fun i => margin 5 (numbered (.cons 8 (.cons 2 (.cons 9 (.cons 6 .nil)))) i)) 0)
      (.positive (.number 3)))
    (Eq (softOnset (fun i => margin 5 (numbered (.cons 8 (.cons 2 (.cons 9 (.cons 6 .nil)))) i)) 2)
      (.positive (.number 3))) := ⟨rfl, rfl⟩
example : Eq (softOnset (fun i => margin 5 (numbered (.cons 8 (.cons 2 (.cons 9 (.cons 6 .nil)))) i)) 3)
    (.negative (.number 4)) := rfl
example (x : Nat → Soft) : Eq (softOffset x 0) softBottom := rfl
example : And (Eq (softOffset (fun i => margin 5 (numbered (.cons 8 (.cons 2 (.cons 9 (.cons 6 .nil)))) i)) 1)
      (.positive (.number 3)))
    (Eq (softOffset (fun i => margin 5 (numbered (.cons 8 (.cons 2 (.cons 9 (.cons 6 .nil)))) i)) 3)
      (.negative (.number 1))) := ⟨rfl, rfl⟩
example (i : Nat) : And (Eq (greatestOf .nil i) softBottom) (Eq (someActive .nil i) .false) := ⟨rfl, rfl⟩
example : Eq (greatestOf (.cons (.field 5 (fun i => i)) (.cons (.field 6 (fun i => i)) .nil)) 8)
    (.positive (.number 3)) := rfl
example : And (Eq (someActive (.cons (.field 9 (fun i => i)) (.cons (.field 6 (fun i => i)) .nil)) 8) .true)
    (Eq (someActive (.cons (.field 9 (fun i => i)) (.cons (.field 6 (fun i => i)) .nil)) 6) .false) := ⟨rfl, rfl⟩
example (n : Nat) (r p : Source) (m : Nat → List Source) : Eq (ScoreClip.reading ⟨n, r, p, m⟩)
    ⟨n, boundaryAtom r.active p.active (fun k => someActive (m k))⟩ := rfl
example (r p : Nat → Soft) (e : Nat → Nat → Soft) : And (Eq (softAtom r p e 0) r) (And
    (Eq (softAtom r p e 1) (softOnset r))
    (Eq (softAtom r p e 2) (softOffset r))) := ⟨rfl, rfl, rfl⟩
example (r p : Nat → Soft) (e : Nat → Nat → Soft) : And (Eq (softAtom r p e 3) p) (And
    (Eq (softAtom r p e 4) (softOnset p))
    (Eq (softAtom r p e 5) (softOffset p))) := ⟨rfl, rfl, rfl⟩
example (r p : Nat → Soft) (e : Nat → Nat → Soft) : And (Eq (softAtom r p e 6) (e 0)) (Eq (softAtom r p e 8) (e 2)) :=
  ⟨rfl, rfl⟩

/-! ### Formulas: rules 18.3 and 18.6 to 18.8 -/
example (n : Nat) (x : Nat → Nat → Soft) (i : Nat) :
    Eq (soft n x (.atom 7) i) (x 7 i) := rfl
example (n : Nat) (x : Nat → Nat → Soft) (i : Nat) :
    And (Eq (soft n x (.constant .true) i) softTop) (Eq (soft n x (.constant .false) i) softBottom) := ⟨rfl, rfl⟩
example (n : Nat) (x : Nat → Nat → Soft) (f : Formula) (i : Nat) :
    Eq (soft n x (.not f) i) (opposite (soft n x f i)) := rfl
example (n : Nat) (x : Nat → Nat → Soft) (f g : Formula) (i : Nat) :
    Eq (soft n x (.and f g) i) (lesser (soft n x f i) (soft n x g i)) := rfl
example (n : Nat) (x : Nat → Nat → Soft) (f g : Formula) (i : Nat) :
    Eq (soft n x (.or f g) i) (greater (soft n x f i) (soft n x g i)) := rfl
example (n : Nat) (x : Nat → Nat → Soft) (f g : Formula) (i : Nat) :
    Eq (soft n x (.implies f g) i) (greater (opposite (soft n x f i)) (soft n x g i)) := rfl
example (n : Nat) (x : Nat → Nat → Soft) (f g : Formula) (i : Nat) :
    Eq (soft n x (.iff f g) i) (lesser (greater (opposite (soft n x f i)) (soft n x g i))
    (greater (soft n x f i) (opposite (soft n x g i)))) := rfl
-- Margins 1, 4, −4, 2 of four frames.
example : And (Eq (soft 4 (fun _ i => margin 5 (numbered (.cons 6 (.cons 9 (.cons 1 (.cons 7 .nil)))) i))
      (.eventually (.negSucc 0) (.ofNat 1) (.atom 0)) 3) (.positive (.number 2)))
    (Eq (soft 4 (fun _ i => margin 5 (numbered (.cons 6 (.cons 9 (.cons 1 (.cons 7 .nil)))) i))
      (.eventually (.ofNat 1) (.ofNat 3) (.atom 0)) 3) softBottom) := ⟨rfl, rfl⟩
example : And (Eq (soft 4 (fun _ i => margin 5 (numbered (.cons 6 (.cons 9 (.cons 1 (.cons 7 .nil)))) i))
      (.always (.ofNat 0) (.ofNat 1) (.atom 0)) 3) (.positive (.number 2)))
    (Eq (soft 4 (fun _ i => margin 5 (numbered (.cons 6 (.cons 9 (.cons 1 (.cons 7 .nil)))) i))
      (.always (.negSucc 1) (.negSucc 0) (.atom 0)) 0) softTop) := ⟨rfl, rfl⟩
-- Atom 0 has the margins 1, 4, −4, 2; the others −2 at every frame but frame 3, where they have 3.
example : And (Eq (soft 4 (softAtom (fun i => margin 5 (numbered (.cons 6 (.cons 9 (.cons 1 (.cons 7 .nil)))) i))
      (fun i => margin 5 (numbered (.cons 3 (.cons 3 (.cons 3 (.cons 8 .nil)))) i)) (fun _ _ => softTop))
      (.«until» 2 (.atom 0) (.atom 3)) 1) (.negative (.number 2)))
    (Eq (soft 4 (softAtom (fun i => margin 5 (numbered (.cons 6 (.cons 9 (.cons 1 (.cons 7 .nil)))) i))
      (fun i => margin 5 (numbered (.cons 3 (.cons 3 (.cons 3 (.cons 8 .nil)))) i)) (fun _ _ => softTop))
      (.«until» 2 (.not (.atom 0)) (.atom 3)) 2) (.positive (.number 3))) := ⟨rfl, rfl⟩
example : And (Eq (soft 4 (softAtom (fun i => margin 5 (numbered (.cons 6 (.cons 9 (.cons 1 (.cons 7 .nil)))) i))
      (fun i => margin 5 (numbered (.cons 3 (.cons 3 (.cons 3 (.cons 8 .nil)))) i)) (fun _ _ => softTop))
      (.since 2 (.not (.atom 3)) (.atom 0)) 2) (.positive (.number 2)))
    (Eq (soft 4 (softAtom (fun i => margin 5 (numbered (.cons 6 (.cons 9 (.cons 1 (.cons 7 .nil)))) i))
      (fun i => margin 5 (numbered (.cons 3 (.cons 3 (.cons 3 (.cons 8 .nil)))) i)) (fun _ _ => softTop))
      (.since 1 (.atom 3) (.atom 0)) 2) (.negative (.number 2))) := ⟨rfl, rfl⟩
example (c : ScoreClip) (f : Formula) (i : Nat) : Eq (ScoreClip.value c f i)
    (soft c.frames (softAtom c.ref.soft c.pred.soft (fun k => greatestOf (c.more k))) f i) := rfl

/-! ### Soft scores: rule 18.10, with ten units for 1 -/
example : And (Eq (cutAbove 10 (.positive (.number 4))) 4) (And (Eq (cutAbove 10 (.positive (.number 14))) 10)
    (And (Eq (cutAbove 10 softTop) 10) (Eq (cutAbove 10 (.negative (.number 4))) 0))) := ⟨rfl, rfl, rfl, rfl⟩
example : And (Eq (cutBelow 10 (.negative (.number 4))) 4) (And (Eq (cutBelow 10 (.negative (.number 14))) 10)
    (And (Eq (cutBelow 10 softBottom) 10) (Eq (cutBelow 10 (.positive (.number 4))) 0))) := ⟨rfl, rfl, rfl, rfl⟩
example : Eq SoftTally.none ⟨0, 0, 0, 0, softTop⟩ := rfl
example : Eq (SoftTally.one 10 (.negative (.number 4))) ⟨0, 4, 0, 1, .negative (.number 4)⟩ := rfl
example : Eq (SoftTally.add ⟨1, 2, 3, 4, .positive (.number 1)⟩ ⟨5, 6, 7, 9, .negative (.number 6)⟩)
    ⟨6, 8, 10, 13, .negative (.number 6)⟩ := rfl
-- Obliged at frames 1 and 2, with the margins 4 and −4.
example : Eq (softTally 10 (bit 6) (fun i => margin 5 (numbered (.cons 6 (.cons 9 (.cons 1 (.cons 7 .nil)))) i)) 4)
    ⟨4, 4, 1, 2, .negative (.number 4)⟩ := rfl
example (c : ScoreClip) (u : Nat) (o f : Formula) : Eq (ScoreClip.tally c u o f)
    (softTally u (fun i => isPositive (c.value o i)) (c.value f) c.frames) := rfl

/-! ### Movement: rule 18.9 -/
example (e a b : Nat) : Eq (SizeNear e (.number a) (.number b)) (Nat.le (distance a b) e) := rfl
example (e a : Nat) : And (Eq (SizeNear e (.number a) .unbounded) False)
    (Eq (SizeNear e .unbounded (.number a)) False) :=
  ⟨rfl, rfl⟩
example (e : Nat) : Eq (SizeNear e .unbounded .unbounded) True := rfl
example (e a b : Nat) : Eq (SizeAcross e (.number a) (.number b)) (Nat.le (Nat.add a b) e) := rfl
example (e a : Nat) (b : Size) : And (Eq (SizeAcross e (.number a) .unbounded) False)
    (Eq (SizeAcross e .unbounded b) False)
    := ⟨rfl, rfl⟩
example (e : Nat) (a b : Size) : And (Eq (SoftNear e (.negative a) (.negative b)) (SizeNear e a b))
    (Eq (SoftNear e (.positive a) (.positive b)) (SizeNear e a b)) := ⟨rfl, rfl⟩
example (e : Nat) (a b : Size) : And (Eq (SoftNear e (.negative a) (.positive b)) (SizeAcross e a b))
    (Eq (SoftNear e (.positive a) (.negative b)) (SizeAcross e a b)) := ⟨rfl, rfl⟩
example (e k : Nat) : And (Eq (Beyond e (.number k)) (Lt e k)) (Eq (Beyond e .unbounded) True) := ⟨rfl, rfl⟩
example (e n t t' : Nat) (s s' : Nat → Nat) : Eq (SourceMoved e n (.field t s) (.field t' s'))
    (And (Eq t t') ((j : Nat) → Lt j n → Nat.le (distance (s j) (s' j)) e)) := rfl
example (e n : Nat) (m m' : Size) (a a' : Nat → Bool) : Eq (SourceMoved e n (.mask m a) (.mask m' a'))
    (And (Eq m m') ((j : Nat) → Lt j n → Eq (a j) (a' j))) := rfl
example (e n t : Nat) (s : Nat → Nat) (m : Size) (a : Nat → Bool) :
    And (Eq (SourceMoved e n (.field t s) (.mask m a)) False) (Eq (SourceMoved e n (.mask m a) (.field t s)) False) :=
  ⟨rfl, rfl⟩
example (e n : Nat) (s s' : Source) (l l' : List Source) : Eq (SourcesMoved e n (.cons s l) (.cons s' l'))
    (And (SourceMoved e n s s') (SourcesMoved e n l l')) := rfl
example (e n : Nat) (s : Source) (l : List Source) : And (Eq (SourcesMoved e n .nil .nil) True)
    (And (Eq (SourcesMoved e n .nil (.cons s l)) False) (Eq (SourcesMoved e n (.cons s l) .nil) False)) :=
  ⟨rfl, rfl, rfl⟩
example (e : Nat) (c c' : ScoreClip) : Iff (ScoresMoved e c c') (And (Eq c.frames c'.frames)
    (And (SourceMoved e c.frames c.ref c'.ref) (And (SourceMoved e c.frames c.pred c'.pred)
      ((k : Nat) → SourcesMoved e c.frames (c.more k) (c'.more k))))) :=
  ⟨fun h => ⟨h.frames, h.ref, h.pred, h.more⟩,
    fun h => ⟨h.left, h.right.left, h.right.right.left, h.right.right.right⟩⟩
end Tracepact.Pins
