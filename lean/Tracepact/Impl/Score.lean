import Tracepact.Impl.Certificate
import Tracepact.Impl.Tables
import Tracepact.Spec.Contract
/-!
What the kernel computes when it checks what a clip counts. The hints name what is costly to find and cheap to check:
the
frames of every event, the runs, what event clauses see of them, the candidates and the matching.
-/
set_option autoImplicit false
namespace Tracepact

structure SideHints where
  projected : List Interval
  runs : List Interval
  seen : List Interval
structure Hints where
  frames : Nat
  folds : Nat
  ref : SideHints
  pred : SideHints
  listed : List Candidate
  matching : List Candidate

def startsAfter (s : Nat) : List Interval → Bool
  | .nil => .true
  | .cons q _ => Nat.ble (.succ s) q.start
/-- The intervals are not empty, within `n` frames, and in order with at least one frame between. -/
def wellPlaced (n : Nat) : List Interval → Bool
  | .nil => .true
  | .cons r rest => band (band (Nat.ble (.succ r.start) r.stop) (Nat.ble r.stop n))
      (band (startsAfter r.stop rest) (wellPlaced n rest))
def sameIntervals : List Interval → List Interval → Bool
  | .nil, .nil => .true
  | .nil, .cons _ _ => .false
  | .cons _ _, .nil => .false
  | .cons r l, .cons q m => band (band (Nat.beq r.start q.start) (Nat.beq r.stop q.stop)) (sameIntervals l m)
def sameCandidate (c d : Candidate) : Bool :=
  band (band (band (Nat.beq c.ref d.ref) (Nat.beq c.pred d.pred)) (intSame c.cost d.cost))
    (band (Nat.beq c.refOnset d.refOnset) (Nat.beq c.predOnset d.predOnset))
def sameCandidates : List Candidate → List Candidate → Bool
  | .nil, .nil => .true
  | .nil, .cons _ _ => .false
  | .cons _ _, .nil => .false
  | .cons c l, .cons d m => band (sameCandidate c d) (sameCandidates l m)
/-- The intervals have the frames of the events, and the runs are those of the intervals within `n` frames. -/
def checkRuns (c : Contract) (n : Nat) (events : List Event) (projected runs : List Interval) : Bool :=
  band (allProjected c.projection c.step events projected) (band (wellPlaced n runs)
    (Nat.beq (paintMask runs) (Nat.land (paintMask projected) (full n))))
/-- The hints of a side are right. -/
def checkSide (c : Contract) (n : Nat) (events : List Event) (h : SideHints) : Bool :=
  band (checkRuns c n events h.projected h.runs) (sameIntervals (c.seen h.runs) h.seen)

def Hints.scene (h : Hints) : Scene := ⟨h.ref.seen, h.pred.seen, .nil⟩
/-- Six masks, by the numbers of `boundaryAtom`. -/
def sixMasks (a b c d e f : Nat) (k : Nat) : Nat :=
    numbered (.cons a (.cons b (.cons c (.cons d (.cons e (.cons f .nil)))))) k
/-- `k` of the mask of valid frames and the atoms' masks, each computed first. -/
def withLaid (valid ref pred : Nat) (k : Nat → (Nat → Nat) → Bool) : Bool :=
  force valid fun v => force ref fun r => force pred fun p =>
    force (boundaryMask v r p (fun _ => 0) 1) fun r1 => force (boundaryMask v r p (fun _ => 0) 2) fun r2 =>
      force (boundaryMask v r p (fun _ => 0) 4) fun p1 => force (boundaryMask v r p (fun _ => 0) 5) fun p2 =>
        k v (sixMasks r r1 r2 p p1 p2)
/-- The same for one clip of `n` frames. -/
def withMasks (n ref pred : Nat) (k : Nat → (Nat → Nat) → Bool) : Bool := withLaid (full n) ref pred k
/-- The counts of a frame clause are what the bitset engine computes. -/
def checkFrames (d n v : Nat) (mask : Nat → Nat) (o f : Formula) (k : Counts) : Bool :=
  force (evalMask v n mask o) fun m => band (Nat.beq (popcount d (Nat.land m (evalMask v n mask f))) k.satisfied)
    (Nat.beq (popcount d m) k.obligated)
def sameCounts (k : Counts) (l : Counts) : Bool :=
    band (Nat.beq k.satisfied l.satisfied) (Nat.beq k.obligated l.obligated)
def checkClause (h : Hints) (v : Nat) (mask : Nat → Nat) : ContractClause → Counts → Bool
  | .frame o f, k => checkFrames h.folds h.frames v mask o f k
  | .event e p, k => sameCounts (clauseCounts ⟨0, fun _ _ => .false⟩ h.scene h.matching (.event e p)) k
def checkClauses (h : Hints) (v : Nat) (mask : Nat → Nat) : List ContractClause → List Counts → Bool
  | .nil, .nil => .true
  | .nil, .cons _ _ => .false
  | .cons _ _, .nil => .false
  | .cons c rest, .cons k counts => band (checkClause h v mask c k) (checkClauses h v mask rest counts)
/-- The clip counts what is claimed. -/
def checkClip (c : Contract) (s : Sides) (h : Hints) (k : ClipCounts) : Bool :=
  band (band (isEdge (coversDuration c.step s.duration) h.frames) (Nat.ble h.frames (Nat.pow 2 h.folds)))
    (band (band (checkSide c h.frames s.refs h.ref) (checkSide c h.frames s.preds h.pred))
      (band (band (sameCandidates (candidates c.search c.unit c.reward h.pred.seen 0 h.ref.seen) h.listed)
        (sameCandidates (greedy h.listed) h.matching))
        (band (withMasks h.frames (paintMask h.ref.runs) (paintMask h.pred.runs) fun v mask =>
            checkClauses h v mask c.clauses k.counts)
        (biff k.evidence (bnot (band (isEmpty h.ref.runs) (isEmpty h.pred.runs)))))))
end Tracepact
