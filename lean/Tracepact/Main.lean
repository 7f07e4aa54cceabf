import Tracepact.Main.Reading
/-!
The program: a request as numbers, its answer as numbers, by the definitions of `Spec` and `Impl`. An answer begins with
0; what is no request is answered by 1 alone, and by 2 what a check of the core does not confirm.

`prove --build` compiles this with what stands around it in `lean/rim`. Reading (`Main/Reading.lean`) and writing are
not proved; between the two there are only calls of definitions that the theorems are about.
-/
set_option autoImplicit false
namespace Tracepact

/-! ### Answers as numbers -/
def writeFlag (b : Bool) (more : List Nat) : List Nat := .cons (toNat b) more
def writeInt : Int → List Nat → List Nat
  | .ofNat n, more => .cons 0 (.cons n more)
  | .negSucc n, more => .cons 1 (.cons n more)
def writeAll {α : Type} (write : α → List Nat → List Nat) (more : List Nat) : List α → List Nat
  | .nil => more
  | .cons x rest => write x (writeAll write more rest)
def writeList {α : Type} (write : α → List Nat → List Nat) (l : List α) (more : List Nat) : List Nat :=
  .cons (length l) (writeAll write more l)
def writeNat (n : Nat) (more : List Nat) : List Nat := .cons n more
def writeInterval (r : Interval) (more : List Nat) : List Nat := .cons r.start (.cons r.stop more)
def writeCounts (k : Counts) (more : List Nat) : List Nat := .cons k.satisfied (.cons k.obligated more)
def writeCandidate (c : Candidate) (more : List Nat) : List Nat := .cons c.ref (.cons c.pred (writeInt c.cost more))
def writeVerdict (v : Prod Nat Bool) (more : List Nat) : List Nat := .cons v.fst (writeFlag v.snd more)
def writeSoft : Soft → List Nat → List Nat
  | .negative (.number k), more => .cons 0 (.cons k more)
  | .negative .unbounded, more => .cons 2 (.cons 0 more)
  | .positive (.number k), more => .cons 1 (.cons k more)
  | .positive .unbounded, more => .cons 3 (.cons 0 more)
def writeValue (v : Value) (more : List Nat) : List Nat :=
  .cons v.satisfied (.cons v.obligated (writeFlag v.vacuous more))
def writeFraction (x : Fraction) (more : List Nat) : List Nat := .cons x.numerator (.cons x.denominator more)
/-- The mask of the frames below `n` with `p`. -/
def maskOf (p : Nat → Bool) : Nat → Nat
  | .zero => 0
  | .succ n => Nat.lor (maskOf p n) (Nat.shiftLeft (toNat (p n)) n)
def writeBuffer (b : MaskBuffer) (more : List Nat) : List Nat :=
  .cons b.seen (.cons b.held (writeList writeNat b.masks more))
def answered (l : List Nat) : List Nat := .cons 0 l
/-- The answer if the core's check confirms it. -/
def confirmed (check : Bool) (l : List Nat) : List Nat := cond check (answered l) (.cons 2 .nil)

/-! ### Frames -/
/-- The verdict mask by the bitset engine (`bitset_verdicts`). -/
def bitsetAnswer (c : Clip) (formulas : List Formula) : List Nat :=
  answered (writeList (fun f => writeNat (evalMask (full c.frames) c.frames c.mask f)) formulas .nil)
/-- The same by the evaluator, frame by frame (`eval_iff_holds`). -/
def naiveAnswer (c : Clip) (formulas : List Formula) : List Nat :=
  answered (writeList (fun f => writeNat (maskOf (eval c.trace f) c.frames)) formulas .nil)
def longestClip : List Clip → Nat
  | .nil => 0
  | .cons c rest => larger c.frames (longestClip rest)
def padded (gap : Nat) : List Clip → List Segment
  | .nil => .nil
  | .cons c rest => .cons ⟨c, gap⟩ (padded gap rest)
/-- The clips' parts of a long mask. -/
def partsOf (m start : Nat) : List Segment → List Nat
  | .nil => .nil
  | .cons x rest => .cons (Nat.land (Nat.shiftRight m start) (full x.clip.frames))
      (partsOf m (Nat.add start x.stride) rest)
/-- The numbers below `n`, from the least on, before others. -/
def below : Nat → List Nat → List Nat
  | .zero, more => more
  | .succ n, more => below n (.cons n more)
/-- The verdict masks of clips laid end to end, as far apart as `family_verdicts` asks; their atoms are those with a
number below `atoms`. -/
def familyAnswer (atoms : Nat) (clips : List Clip) (f : Formula) : List Nat :=
  let longest := longestClip clips
  let segments := padded (.succ (smaller (widest f) longest)) clips
  let masks := mapped (fun k => familyMask k segments) (below atoms .nil)
  answered (writeList writeNat (partsOf (evalMask (familyValid segments) longest (numbered masks) f) 0 segments) .nil)
def reachAnswer (f : Formula) : List Nat :=
  answered (.cons (lookback f) (.cons (lookahead f) (.cons (widest f) .nil)))
/-- How many folds count `n` frames. -/
def foldsFor (n : Nat) : Nat := .succ (Nat.log2 n)
/-- The counts of a frame clause by the bitset engine (`popcount_eq_count`). -/
def maskCounts (d v n : Nat) (mask : Nat → Nat) (o f : Formula) : Counts :=
  let m := evalMask v n mask o
  ⟨popcount d (Nat.land m (evalMask v n mask f)), popcount d m⟩
def countsAnswer (c : Clip) (o f : Formula) : List Nat :=
  answered (writeCounts (maskCounts (foldsFor c.frames) (full c.frames) c.frames c.mask o f) .nil)
/-- The same by counting frame after frame. -/
def naiveCountsAnswer (c : Clip) (o f : Formula) : List Nat :=
  answered (writeCounts ⟨satisfied (eval c.trace o) (eval c.trace f) c.frames,
    obligations (eval c.trace o) c.frames⟩ .nil)
/-- What a chunk lets out, and what is held then (`mask_output`). -/
def chunkAnswer (b : MaskBuffer) (c : Chunk) (f : Formula) : List Nat :=
  answered (writeBuffer (b.nextBy f c) (writeList writeVerdict (b.outputBy f c .nil) .nil))
/-- What is left at the end (`mask_program`). -/
def restAnswer (b : MaskBuffer) (f : Formula) : List Nat :=
  answered (writeList writeVerdict (b.rest f .nil) .nil)
/-- All that the program with a buffer gives, chunk by chunk (`chunks_eq_offline`). -/
def bufferAnswer (c : Clip) (chunks : List Nat) (f : Formula) : List Nat :=
  answered (writeList writeVerdict (chunked c.trace f chunks) .nil)

/-! ### Events -/
def runsAnswer (n mask step mergeGap : Nat) : List Nat :=
  let found := runs (bit mask) n
  answered (writeList writeInterval found (writeList writeInterval (joinRuns step mergeGap found)
    (.cons (onsetMask (Nat.land mask (full n))) (.cons (offsetMask (full n) (Nat.land mask (full n))) .nil))))
/-- The runs of some events in `n` frames, and how many events cover none of these, by their definitions. -/
def projectWithin (p : Projection) (step duration n : Nat) (events : List Event) : List Nat :=
  confirmed (isEdge (coversDuration step duration) n) (.cons n (writeList writeInterval (runs (active p step events) n)
    (.cons (listCount (fun e => bnot (anyBelow (covers p step e) n)) events) .nil)))
/-- Frames, runs and vanished events of one side of a clip; the number of frames is confirmed. -/
def projectAnswer (p : Projection) (step duration : Nat) (events : List Event) : List Nat :=
  let n := roundedUp duration step
  cond (Nat.ble n mostFrames) (projectWithin p step duration n events) (.cons 1 .nil)
def matchAnswer (search unit reward : Nat) (refs preds : List Interval) : List Nat :=
  let listed := candidates search unit reward preds 0 refs
  answered (writeList writeCandidate listed (writeList writeCandidate (greedy listed) .nil))
def runsOf (c : Contract) (n : Nat) : List Nat → List (List Interval)
  | .nil => .nil
  | .cons m rest => .cons (c.seen (runs (bit m) n)) (runsOf c n rest)
def sceneOf (c : Contract) (n ref pred : Nat) (others : List Nat) : Scene :=
  ⟨c.seen (runs (bit ref) n), c.seen (runs (bit pred) n), runsOf c n others⟩
def writeObligation (p : Predicate) (o : Obligation) (more : List Nat) : List Nat :=
  writeInterval (interval o.ref) (writeInterval (interval o.pred) (writeFlag (predicateValue o p) more))
/-- Every obligation of an event clause, with both intervals and whether it holds. -/
def eventsAnswer (x : Scene) (matching : List Candidate) (e : Each) (p : Predicate) : List Nat :=
  answered (writeList (writeObligation p) (eventObligations x matching e) .nil)
/-- What is found about a clip, to be checked. -/
def hintsFor (c : Contract) (s : Sides) : Hints :=
  let h := findHints c s
  ⟨h.frames, foldsFor h.frames, h.ref, h.pred,
    candidates c.search c.unit c.reward h.pred.seen 0 h.ref.seen, h.matching⟩
def countsFor (h : Hints) (v : Nat) (mask : Nat → Nat) : List ContractClause → List Counts
  | .nil => .nil
  | .cons (.frame o f) rest => .cons (maskCounts h.folds v h.frames mask o f) (countsFor h v mask rest)
  | .cons (.event e p) rest =>
      .cons (clauseCounts ⟨0, fun _ _ => .false⟩ h.scene h.matching (.event e p)) (countsFor h v mask rest)
/-- What a clip counts with these hints, confirmed by `checkClip` (`counts_certified`). -/
def clipWith (c : Contract) (s : Sides) (h : Hints) : List Nat :=
  let v := full h.frames
  let mask := numbered (mapped (fun k =>
    boundaryMask v (paintMask h.ref.runs) (paintMask h.pred.runs) (fun _ => 0) k)
      (below 6 .nil))
  let counts := countsFor h v mask c.clauses
  let evidence := bnot (band (isEmpty h.ref.runs) (isEmpty h.pred.runs))
  confirmed (checkClip c s h ⟨counts, evidence⟩)
    (.cons h.frames (writeFlag evidence (writeList writeCounts counts (writeList writeCandidate h.matching .nil))))
/-- The intervals end within the frames that fit. -/
def allFit : List Interval → Bool
  | .nil => .true
  | .cons r rest => band (Nat.ble r.stop mostFrames) (allFit rest)
/-- What a clip counts from its tables' own times. -/
def clipAnswer (c : Contract) (s : Sides) : List Nat :=
  let fit (events : List Event) : Bool := allFit (project c.projection c.step events)
  cond (band (Nat.ble (findFrames c s) mostFrames) (band (fit s.refs) (fit s.preds)))
    (clipWith c s (hintsFor c s)) (.cons 1 .nil)

/-! ### Scores -/
/-- The counts of a clause on one clip, and whether a run is there. -/
structure ClipEntry where
  counts : Counts
  evidence : Bool
def classEntry (c : ContractClause) : List ClipEntry → ClassEntry
  | .nil => ⟨noTally, .false⟩
  | .cons x rest =>
    let more := classEntry c rest
    ⟨(tallyOf 1 (clauseValue c x.evidence x.counts) x.counts).plus more.tally, bor x.evidence more.evidence⟩
def classEntries (c : ContractClause) : List (List ClipEntry) → List ClassEntry
  | .nil => .nil
  | .cons x rest => .cons (classEntry c x) (classEntries c rest)
def meanOf : List Value → Fraction
  | .nil => ⟨1, 1⟩
  | .cons v rest =>
    let sum := sumOfValues (.cons v rest)
    ⟨sum.numerator, Nat.mul sum.denominator (length (.cons v rest))⟩
/-- The aggregations of a clause, confirmed by `scoreFits`. -/
def scoresAnswer (c : ContractClause) (clips : Nat) (classes : List (List ClipEntry)) : List Nat :=
  let entries := classEntries c classes
  let pooled := clauseValue c (anyEvidence entries)
    ⟨totalIn (fun x => x.tally.satisfied) entries, totalIn (fun x => x.tally.obligated) entries⟩
  let sum := sumOfEntries entries
  let score : ClauseScore := ⟨pooled, ⟨sum.numerator, Nat.mul sum.denominator (Nat.mul clips (length entries))⟩,
    meanOf (classValues c entries), meanOf (informative (classValues c entries))⟩
  confirmed (scoreFits clips c entries score) (writeValue score.pooled (writeFraction score.macroClips
    (writeFraction score.macroClasses (writeFraction score.macroClassesInformative .nil))))

/-! ### Score fields -/
def softList (x : Nat → Soft) : Nat → List Soft
  | .zero => .nil
  | .succ n => .cons (x n) (softList x n)
/-- The soft values of a formula, last frame first. -/
def softAnswer (c : ScoreClip) (f : Formula) : List Nat :=
  answered (writeList writeSoft (softList (c.value f) c.frames) .nil)
def tallyAnswer (c : ScoreClip) (unit : Nat) (o f : Formula) : List Nat :=
  let t := c.tally unit o f
  answered (.cons t.above (.cons t.below (.cons t.satisfied (.cons t.obligated (writeSoft t.least .nil)))))

/-! ### Requests -/
def readClipEntry : Reader ClipEntry := with2 .mk readCounts readFlag
def request : Reader (List Nat) := after readNat (choose
  (.cons (with2 bitsetAnswer readClip (readList readFormula))
  (.cons (with2 naiveAnswer readClip (readList readFormula))
  (.cons (with3 familyAnswer readIndex (readList readClip) readFormula)
  (.cons (with1 reachAnswer readFormula)
  (.cons (with3 countsAnswer readClip readFormula readFormula)
  (.cons (with3 naiveCountsAnswer readClip readFormula readFormula)
  (.cons (with3 chunkAnswer readBuffer readChunk readFormula)
  (.cons (with2 restAnswer readBuffer readFormula)
  (.cons (with3 bufferAnswer readClip (readList readNat) readFormula)
  (.cons (after readFrames fun n => with3 (runsAnswer n) readNat readNat readNat)
  (.cons (after readProjection fun p => with3 (projectAnswer p) readNat readNat (readList readEvent))
  (.cons (after readNat fun search => after readNat fun unit =>
    with3 (matchAnswer search unit) readNat (readList readInterval) (readList readInterval))
  (.cons (after readContract fun c => after readFrames fun n => after readNat fun ref => after readNat fun pred =>
    with3 (fun others e p => let x := sceneOf c n ref pred others; eventsAnswer x (c.matching x) e p)
      (readList readNat) readEach readPredicate)
  (.cons (with2 clipAnswer readContract readSides)
  (.cons (with3 scoresAnswer readClause readNat (readList (readList readClipEntry)))
  (.cons (with2 softAnswer readScoreClip readFormula)
  (.cons (after readScoreClip fun c => with3 (tallyAnswer c) readNat readFormula readFormula)
  .nil))))))))))))))))))
/-- The answer to a request. -/
@[export tracepact_answer]
def answer (l : List Nat) : List Nat :=
  match request l with
  | .some ⟨a, .nil⟩ => a
  | _ => .cons 1 .nil
end Tracepact
