import Tracepact.Impl.Score
/-!
What the kernel finds out about a clip before it checks it: its frames, runs, candidates and matching. How they are
found needs no proof, since what is found is checked; that a value is computed once and then used (`force` and the like)
does.
-/
set_option autoImplicit false
namespace Tracepact

/-! ### Values computed first; by recursors, which the kernel unfolds faster than the same by cases -/
def forceNatsRun (l : List Nat) (k : List Nat → Bool) : Bool := k l
def forceIntervalsRun (l : List Interval) (k : List Interval → Bool) : Bool := k l
def forceIntRun (x : Int) (k : Int → Bool) : Bool := k x
def forceCandidatesRun (l : List Candidate) (k : List Candidate → Bool) : Bool := k l
@[implemented_by forceNatsRun]
def forceNats (l : List Nat) : (List Nat → Bool) → Bool :=
  List.rec (motive := fun _ => (List Nat → Bool) → Bool) (fun k => k .nil)
    (fun x _ rest k => force x fun x => rest fun l => k (.cons x l)) l
@[implemented_by forceIntervalsRun]
def forceIntervals (l : List Interval) : (List Interval → Bool) → Bool :=
  List.rec (motive := fun _ => (List Interval → Bool) → Bool) (fun k => k .nil)
    (fun r _ rest k => force r.start fun a => force r.stop fun b => rest fun l => k (.cons ⟨a, b⟩ l)) l
@[implemented_by forceIntRun]
def forceInt (x : Int) (k : Int → Bool) : Bool :=
  Int.rec (motive := fun _ => Bool) (fun n => force n fun n => k (.ofNat n))
    (fun n => force n fun n => k (.negSucc n)) x
@[implemented_by forceCandidatesRun]
def forceCandidates (l : List Candidate) : (List Candidate → Bool) → Bool :=
  List.rec (motive := fun _ => (List Candidate → Bool) → Bool) (fun k => k .nil)
    (fun x _ rest k => force x.ref fun i => force x.pred fun j => forceInt x.cost fun cost => force x.refOnset fun a =>
      force x.predOnset fun b => rest fun l => k (.cons ⟨i, j, cost, a, b⟩ l)) l

/-! ### What is found -/
/-- `a / b`, rounded up. -/
def roundedUp (a b : Nat) : Nat := Nat.div (Nat.add a (Nat.sub b 1)) b
/-- The first frame that does not lie before an onset. -/
def firstFrame (step onset : Nat) : Projection → Nat
  | .centre => roundedUp (Nat.sub (Nat.mul onset 2) step) (Nat.mul step 2)
  | .touch => Nat.div onset step
  | .inside => roundedUp onset step
/-- The first frame that lies behind an offset. -/
def frameBehind (step offset : Nat) : Projection → Nat
  | .centre => roundedUp (Nat.sub (Nat.mul offset 2) step) (Nat.mul step 2)
  | .touch => roundedUp offset step
  | .inside => Nat.div offset step
/-- The frames of each event, in a clip without an end. -/
def project (p : Projection) (step : Nat) : List Event → List Interval
  | .nil => .nil
  | .cons e rest => .cons (cond (Nat.ble (.succ e.onset) e.offset)
      ⟨firstFrame step e.onset p, frameBehind step e.offset p⟩ ⟨0, 0⟩) (project p step rest)
/-- An interval among intervals in order: it grows over those that it meets. -/
def insertRun : List Interval → Interval → List Interval
  | .nil, r => .cons r .nil
  | .cons q rest, r => cond (Nat.ble (.succ r.stop) q.start) (.cons r (.cons q rest))
      (cond (Nat.ble (.succ q.stop) r.start) (.cons q (insertRun rest r))
        (insertRun rest ⟨smaller r.start q.start, larger r.stop q.stop⟩))
/-- The runs that some intervals make within `n` frames. -/
def unite (n : Nat) : List Interval → List Interval
  | .nil => .nil
  | .cons r rest => cond (Nat.ble (.succ r.start) (smaller r.stop n))
      (insertRun (unite n rest) ⟨r.start, smaller r.stop n⟩) (unite n rest)
def findSide (c : Contract) (n : Nat) (events : List Event) : SideHints :=
  let projected := project c.projection c.step events
  let runs := unite n projected
  ⟨projected, runs, c.seen runs⟩
def findMatching (c : Contract) (refs preds : List Interval) : List Candidate :=
  greedy (candidates c.search c.unit c.reward preds 0 refs)
def findFrames (c : Contract) (s : Sides) : Nat := roundedUp s.duration c.step
def findHints (c : Contract) (s : Sides) : Hints :=
  let n := findFrames c s
  let ref := findSide c n s.refs
  let pred := findSide c n s.preds
  ⟨n, 0, ref, pred, .nil, findMatching c ref.seen pred.seen⟩

/-- `k` of a side, each part of it computed first. -/
def withSide (c : Contract) (n : Nat) (events : List Event) (k : SideHints → Bool) : Bool :=
  forceIntervals (project c.projection c.step events) fun projected => forceIntervals (unite n projected) fun runs =>
    forceIntervals (c.seen runs) fun seen => k ⟨projected, runs, seen⟩
def withHints (c : Contract) (s : Sides) (k : Hints → Bool) : Bool :=
  force (findFrames c s) fun n => withSide c n s.refs fun ref => withSide c n s.preds fun pred =>
    forceCandidates (candidates c.search c.unit c.reward pred.seen 0 ref.seen) fun listed =>
      forceCandidates (greedy listed) fun matching => k ⟨n, 0, ref, pred, .nil, matching⟩
end Tracepact
