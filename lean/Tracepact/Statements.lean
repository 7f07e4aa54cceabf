import Tracepact.Thm.Basis
import Tracepact.Thm.Buffer
import Tracepact.Thm.Certificate
import Tracepact.Thm.Chunks
import Tracepact.Thm.Compiled
import Tracepact.Thm.Curve
import Tracepact.Thm.Delay
import Tracepact.Thm.Edges
import Tracepact.Thm.Hierarchy
import Tracepact.Thm.Join
import Tracepact.Thm.MaskBuffer
import Tracepact.Thm.Matching
import Tracepact.Thm.Matching.Candidates
import Tracepact.Thm.Monotone
import Tracepact.Thm.Obligation
import Tracepact.Thm.Optimal
import Tracepact.Thm.Order
import Tracepact.Thm.Runs
import Tracepact.Thm.Sharing
import Tracepact.Thm.Soft
import Tracepact.Thm.Stability
import Tracepact.Thm.Tables
import Tracepact.Thm.Vector
/-!
Every headline theorem once more, in full, proved by its one name. Nobody can weaken the words of a statement without
changing this file; what the words mean is in the definitions, which `Pins/` pins. What each theorem says is above it
where it is proved. After each, its axioms.
-/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-! ### 1. Obligation partition -/
example (o v : Nat → Bool) (n : Nat) : Eq (Nat.add (satisfied o v n) (violated o v n)) (obligations o n) :=
    obligation_partition o v n
#print axioms obligation_partition

/-! ### 2. Monotonicity -/
example (t : Trace) (f : Formula) (i : Nat) (lo hi lo' hi' : Int) (l : OffsetLe lo' lo) (h : OffsetLe hi hi') :
    Holds t (.eventually lo hi f) i → Holds t (.eventually lo' hi' f) i := eventually_monotone t f i lo hi lo' hi' l h
#print axioms eventually_monotone
example (t : Trace) (f : Formula) (i : Nat) (lo hi lo' hi' : Int) (l : OffsetLe lo' lo) (h : OffsetLe hi hi') :
    Holds t (.always lo' hi' f) i → Holds t (.always lo hi f) i := always_antitone t f i lo hi lo' hi' l h
#print axioms always_antitone
example (t : Trace) (f : Formula) (i r r' : Nat) (h : Nat.le r r') : Holds t (near r f) i → Holds t (near r' f) i :=
    near_monotone t f i r r' h
#print axioms near_monotone
example (t : Trace) (o : Nat → Bool) (a b : Formula) (r r' : Nat) (h : Nat.le r r') :
    Nat.le (satisfied o (eval t (.implies a (near r b))) t.frames)
        (satisfied o (eval t (.implies a (near r' b))) t.frames) :=
  guard_monotone t o a b r r' h
#print axioms guard_monotone

/-! ### 3. The evaluator agrees with the meaning -/
example (t : Trace) (f : Formula) (i : Nat) : Iff (Eq (eval t f i) .true) (Holds t f i) := eval_iff_holds t f i
#print axioms eval_iff_holds

/-! ### 4. Vacuity control -/
example (t : Trace) (a c : Formula) :
    Eq (satisfied (eval t a) (eval t (.implies a c)) t.frames) (satisfied (eval t a) (eval t c) t.frames) :=
        vacuity_control t a c
#print axioms vacuity_control

/-! ### 5. Extensionality -/
example (t t' : Trace) (f : Formula) (length : Eq t.frames t'.frames)
    (same : (k : Nat) → Uses k f → (j : Nat) → Lt j t.frames → Eq (t.atom k j) (t'.atom k j)) (i : Nat)
        (inside : Lt i t.frames) :
    Eq (eval t f i) (eval t' f i) := extensionality t t' f length same i inside
#print axioms extensionality

/-! ### 6. Locality -/
example (t t' : Trace) (f : Formula) (i : Nat) (inside : Lt i t.frames) (same : (j : Nat) → InScope f i j →
    SameAt f t t' j) :
    Eq (eval t f i) (eval t' f i) := locality t t' f i inside same
#print axioms locality
example (t t' : Trace) (s : Nat) (f : Formula) (i : Nat) (inside : Lt i t'.frames) (deep : Nat.le (lookback f) i)
    (same : (j : Nat) → InScope f i j → ShiftedAt s f t t' j) : Eq (eval t' f i) (eval t f (Nat.add s i)) :=
  locality_shifted t t' s f i inside deep same
#print axioms locality_shifted
example (t : Trace) (f : Formula) (i : Nat) (inside : Lt i t.frames) : Exists fun t' : Trace => Exists fun i' =>
    And (Nat.le t'.frames (.succ (Nat.add (lookback f) (lookahead f))))
        (And (Lt i' t'.frames) (Eq (eval t' f i') (eval t f i))) :=
  bounded_model t f i inside
#print axioms bounded_model
example : And (Eq (lookahead (.eventually (.ofNat 2) (.ofNat 2) (.eventually (.negSucc 1) (.negSucc 1) (.atom 0)))) 2)
    (And (Eq (eval ⟨1, fun _ _ =>
        .true⟩ (.eventually (.ofNat 2) (.ofNat 2) (.eventually (.negSucc 1) (.negSucc 1) (.atom 0))) 0) .false)
      (Eq (eval ⟨3, fun _ _ =>
          .true⟩ (.eventually (.ofNat 2) (.ofNat 2) (.eventually (.negSucc 1) (.negSucc 1) (.atom 0))) 0) .true)) :=
  plain_sums_are_wrong
#print axioms plain_sums_are_wrong

/-! ### 7. Bounded delay -/
example (t t' : Trace) (f : Formula) (i : Nat) (inside : Lt i t.frames) (c : Continues t t')
    (known : Or (Lt (Nat.add i (lookahead f)) t.frames) (Eq t.frames t'.frames)) : Eq (eval t f i) (eval t' f i) :=
  bounded_delay t t' f i inside c known
#print axioms bounded_delay
example (t : Trace) (f : Formula) : Eq (stream t f) (offline t f t.frames) := stream_eq_offline t f
#print axioms stream_eq_offline
example (t : Trace) (f : Formula) : Eq (program t f) (offline t f t.frames) := program_eq_offline t f
#print axioms program_eq_offline
example (t : Trace) (f : Formula) (m : Nat) : Nat.le (buffer t f m).held (Nat.add (lookback f) (lookahead f)) :=
  program_memory t f m
#print axioms program_memory

/-! ### 8. Sharing -/
example (valid longest : Nat) (mask : Nat → Nat) (dag : List Node) (k : Nat) :
    Eq (entry 0 (masks valid longest mask dag) k)
        (evalMask valid longest mask (entry (.constant .false) (trees dag) k)) := sharing valid longest mask dag k
#print axioms sharing

/-! ### 9. Windows by doubling, the bitset engine, families -/
example (n x : Nat) (within : (i : Nat) → Eq (bit x i) .true → Lt i n) (lo hi : Int) (i : Nat) (inside : Lt i n) :
    Iff (Eq (bit (eventuallyMask (full n) lo hi x) i) .true) (Exists fun j =>
        And (InWindow n i lo hi j) (Eq (bit x j) .true)) :=
  eventually_by_doubling n x within lo hi i inside
#print axioms eventually_by_doubling
example (n : Nat) (mask : Nat → Nat) (f : Formula) (i : Nat) :
    Eq (bit (evalMask (full n) n mask f) i) (band (Nat.ble (.succ i) n) (eval ⟨n, fun k j => bit (mask k) j⟩ f i)) :=
  bitset_verdicts n mask f i
#print axioms bitset_verdicts
example (gap longest : Nat) (segments : List Segment) (f : Formula) (positive : Lt 0 gap)
    (wide : Nat.le (smaller (widest f) longest) gap) (apart : Apart gap longest segments)
    (c : Clip) (s : Nat) (start : StartsAt c segments s) (i : Nat) (inside : Lt i c.frames) :
    Eq (bit (evalMask (familyValid segments) longest (fun k => familyMask k segments) f) (Nat.add s i))
        (eval c.trace f i) :=
  family_verdicts gap longest segments f positive wide apart c s start i inside
#print axioms family_verdicts
example : And
    (Eq (bit (evalMask (familyValid (twoClips 0)) 1 (fun k =>
        familyMask k (twoClips 0)) (.eventually (.ofNat 1) (.ofNat 1) (.atom 0))) 0) .true)
    (Eq (eval silentClip.trace (.eventually (.ofNat 1) (.ofNat 1) (.atom 0)) 0) .false) := gap_is_needed
#print axioms gap_is_needed
example : And
    (Eq (bit (Nat.land (earlier (.ofNat 1) (spread (Nat.xor (full 4) (familyMask 0 (twoClips 1))) 1))
        (familyValid (twoClips 1))) 0) .true)
    (Eq (eval silentClip.trace (.eventually (.ofNat 1) (.ofNat 1) (.not (.atom 0))) 0) .false) := one_mask_is_not_enough
#print axioms one_mask_is_not_enough

/-! ### 10. Runs -/
example (a : Nat → Bool) (n : Nat) (r : Interval) : Iff (Mem r (runs a n)) (IsRun a n r) := runs_exact a n r
#print axioms runs_exact
example (a : Nat → Bool) (n : Nat) : Ordered (runs a n) := runs_ordered a n
#print axioms runs_ordered
example (a : Nat → Bool) (n j : Nat) (inside : Lt j n) : Eq (paint (runs a n) j) (a j) := paint_runs a n j inside
#print axioms paint_runs
example (a : Nat → Bool) (n j : Nat) (beyond : Nat.le n j) : Eq (paint (runs a n) j) .false :=
    paint_runs_beyond a n j beyond
#print axioms paint_runs_beyond
example (a : Nat → Bool) (n : Nat) (r : Interval) (h : IsRun a n r) (j : Nat) (lower : Nat.le r.start j)
    (upper : Lt j r.stop) :
    Iff (Eq (onset a j) .true) (Eq j r.start) := run_onset a n r h j lower upper
#print axioms run_onset
example (a : Nat → Bool) (n : Nat) (r : Interval) (h : IsRun a n r) (j : Nat) (lower : Lt r.start j)
    (upper : Nat.le j r.stop)
    (inside : Lt j n) : Iff (Eq (offset a j) .true) (Eq j r.stop) := run_offset a n r h j lower upper inside
#print axioms run_offset
example (t : Trace) (f : Formula) (i : Nat) (inside : Lt i t.frames) : Eq (eval t (onsetOf f) i) (onset (eval t f) i) :=
  onset_formula t f i inside
#print axioms onset_formula
example (t : Trace) (f : Formula) (i : Nat) (inside : Lt i t.frames) :
    Eq (eval t (offsetOf f) i) (offset (eval t f) i) :=
  offset_formula t f i inside
#print axioms offset_formula
example (step mergeGap : Nat) (a : Nat → Bool) (n j : Nat) :
    Iff (Eq (paint (joinRuns step mergeGap (runs a n)) j) .true)
    (Or (Eq (paint (runs a n) j) .true) (Bridged step mergeGap (runs a n) j)) := join_paints step mergeGap a n j
#print axioms join_paints
example (step mergeGap : Nat) (a : Nat → Bool) (n : Nat) :
    And (Ordered (joinRuns step mergeGap (runs a n))) (Proper (joinRuns step mergeGap (runs a n))) :=
  join_ordered step mergeGap a n
#print axioms join_ordered
example (step mergeGap : Nat) (a : Nat → Bool) (n : Nat) (r q : Interval)
    (h : Adjacent r q (joinRuns step mergeGap (runs a n))) :
    Not (Eq (isJoined step mergeGap (Nat.sub q.start r.stop)) .true) := join_apart step mergeGap a n r q h
#print axioms join_apart

/-! ### 11. The greedy matcher -/
example (candidates : List Candidate) (c : Candidate) (h : Mem c (greedy candidates)) : Mem c candidates :=
    greedy_candidates candidates c h
#print axioms greedy_candidates
example (candidates : List Candidate) : OneToOne (greedy candidates) := greedy_one_to_one candidates
#print axioms greedy_one_to_one
example (candidates : List Candidate) (c : Candidate) (h : Mem c candidates) :
    Exists fun d => And (Mem d (greedy candidates)) (Or (Eq c.ref d.ref) (Eq c.pred d.pred)) :=
        greedy_maximal candidates c h
#print axioms greedy_maximal
example (candidates : List Candidate) (c : Candidate) (h : Mem c candidates) : Or (Mem c (greedy candidates))
    (Exists fun d => And (Mem d (greedy candidates)) (And (Shares c d) (Eq (ranksBefore d c) .true))) :=
  greedy_by_cost candidates c h
#print axioms greedy_by_cost
example (search unit reward : Nat) (refs preds : List Interval) (c : Candidate) :
    Iff (Mem c (candidates search unit reward preds 0 refs))
      (Exists fun i => Exists fun ref : Interval =>
          And (Entry ref refs i) (Exists fun j => Exists fun pred : Interval =>
        And (Entry pred preds j) (And (IsCandidate search ref pred) (Eq c (candidate unit reward i j ref pred))))) :=
  candidates_exact search unit reward refs preds c
#print axioms candidates_exact
example (d : Dual) (candidates m : List Candidate) (h : Eq (checkOptimal d candidates m) .true) :
    IsOptimal candidates m := optimal_certified d candidates m h
#print axioms optimal_certified

/-! ### 12. Threshold recovery -/
example (t : Trace) (f : Formula) (k i : Nat) :
    Iff (Holds t (near k f) i) (Exists fun d => And (Eq (nearest (eval t f) i t.frames) (.some d)) (Nat.le d k)) :=
        threshold_recovery t f k i
#print axioms threshold_recovery
example (p : Nat → Bool) (i n d : Nat) (h : Eq (nearest p i n) (.some d)) :
    And (Exists fun j => And (Lt j n) (And (Eq (p j) .true) (Eq (distance i j) d)))
      ((j : Nat) → Lt j n → Eq (p j) .true → Nat.le d (distance i j)) := nearest_is_least p i n d h
#print axioms nearest_is_least
example (t : Trace) (o : Nat → Bool) (f : Formula) (k : Nat) : Eq (satisfied o (eval t (near k f)) t.frames)
    (listCount (fun d => Nat.ble d k) (nearestDistances o (eval t f) t.frames t.frames)) := tolerance_curve t o f k
#print axioms tolerance_curve
example (t : Trace) (a b : Formula) (k : Nat) :
    Eq (satisfied (eval t a) (eval t (.implies a (near k b))) t.frames)
      (listCount (fun d => Nat.ble d k) (nearestDistances (eval t a) (eval t b) t.frames t.frames)) :=
          guard_curve t a b k
#print axioms guard_curve

/-! ### 13. Representatives -/
example {α : Type} (value : α → Nat → Nat) (m : Nat) (candidates : List α) (c : α) (h : Mem c candidates)
    (v : Not (Constant value m c)) :
    Exists fun d => And (And (Mem d (retained value m candidates)) (Equivalent value m c d))
      ((d' : α) → Mem d' (retained value m candidates) → Equivalent value m c d' → Eq d' d) :=
          representative value m candidates c h v
#print axioms representative
example {α : Type} (value : α → Nat → Nat) (m : Nat) (candidates : List α) :
    And ((d : α) → Mem d (retained value m candidates) → And (Mem d candidates) (Not (Constant value m d)))
      (AllDistinct value m (retained value m candidates)) := retained_ok value m candidates
#print axioms retained_ok
example {α : Type} (value : α → Nat → Nat) (m : Nat) (candidates : List α) (s s' : Nat) (l : Lt s m) (l' : Lt s' m) :
    Iff (Exists fun c => And (Mem c candidates) (Separates value c s s'))
      (Exists fun d => And (Mem d (retained value m candidates)) (Separates value d s s')) :=
          separation_kept value m candidates s s' l l'
#print axioms separation_kept

/-! ### 14. Event clause stability -/
example (p q e : Nat) (x x' : Families) (h : Jittered e x x')
    (margin : (m : Prod Nat Nat) → Mem m x.matching → Lt (Nat.add (Nat.mul q (Nat.mul e 4)) (Nat.mul p (Nat.mul e 2)))
      (distance (Nat.mul q (distance (x.pred m.snd).duration (x.ref m.fst).duration))
          (Nat.mul p (x.ref m.fst).duration))) :
    And (Eq (x.durationValue p q) (x'.durationValue p q)) (Eq x.fragmentationValue x'.fragmentationValue) :=
  event_stability p q e x x' h margin
#print axioms event_stability
example : And
    (And (Eq (durationHolds 1 4 ⟨10, 110⟩ ⟨10, 125⟩) .true) (Eq (durationHolds 1 4 ⟨10, 110⟩ ⟨4, 131⟩) .false))
    (And (Moved 6 ⟨10, 125⟩ ⟨4, 131⟩) (Lt (Nat.mul 4 6) (distance (Nat.mul 4 (distance 115 100)) (Nat.mul 1 100)))) :=
  one_jitter_is_not_enough
#print axioms one_jitter_is_not_enough

example (p q e : Nat) (ref ref' pred pred' : Event) (hr : Moved e ref ref') (hp : Moved e pred pred')
    (margin : Lt (Nat.add (Nat.mul q (Nat.mul e 4)) (Nat.mul p (Nat.mul e 2)))
      (distance (Nat.mul q (distance pred.duration ref.duration)) (Nat.mul p ref.duration))) :
    Eq (durationHolds p q ref pred) (durationHolds p q ref' pred') :=
        duration_stable p q e ref ref' pred pred' hr hp margin
#print axioms duration_stable

/-! ### 15. Strict hierarchy, late tail -/
example : Exists fun f => And (Eq (depth f) 1) ((g : Formula) → Eq (depth g) 0 → Not (EquivalentOn 2 f g)) :=
    strict_hierarchy
#print axioms strict_hierarchy
example : And
    (And (Eq (satisfied (eval tailTrace (.atom 1)) (eval tailTrace onsetGuard) 14) 1)
        (Eq (obligations (eval tailTrace (.atom 1)) 14) 1))
    (And (And (Eq (satisfied (eval tailTrace (.atom 2)) (eval tailTrace offsetGuard) 14) 0)
        (Eq (obligations (eval tailTrace (.atom 2)) 14) 1))
      (And (And (Eq (runs tailRef 14) (.cons ⟨2, 6⟩ .nil)) (Eq (runs tailPred 14) (.cons ⟨2, 11⟩ .nil)))
        (Eq (durationHolds 1 4 ⟨2, 6⟩ ⟨2, 11⟩) .false))) := late_tail
#print axioms late_tail

/-! ### From a table's times to masks -/
example (step duration n : Nat) (h : Eq (isEdge (coversDuration step duration) n) .true) :
    IsFrameCount step duration n :=
  frame_count step duration n h
#print axioms frame_count
example (p : Projection) (step : Nat) (e : Event) (r : Interval) (h : Eq (isProjected p step e r) .true) (j : Nat) :
    Eq (covers p step e j) (r.has j) := projected_exact p step e r h j
#print axioms projected_exact
example (j : Nat) (l : List Interval) : Eq (bit (paintMask l) j) (paint l j) := paintMask_bit j l
#print axioms paintMask_bit
example (p : Projection) (step : Nat) (events : List Event) (l : List Interval)
    (h : Eq (allProjected p step events l) .true) (j : Nat) : Eq (bit (paintMask l) j) (active p step events j) :=
  table_mask p step events l h j
#print axioms table_mask

/-! ### Certificates: derived atoms, counts, and the entry point -/
example (v s n g a : Nat) (place : Place v s n g) (pos : Lt 0 g) (w : Within v a) (i : Nat) :
    Eq (bit (onsetMask a) (Nat.add s i)) (onset (fun j => bit a (Nat.add s j)) i) := onset_by_shift place pos w i
#print axioms onset_by_shift
example (v s n g a : Nat) (place : Place v s n g) (pos : Lt 0 g) (w : Within v a) (i : Nat) (inside : Lt i n) :
    Eq (bit (offsetMask v a) (Nat.add s i)) (offset (fun j => bit a (Nat.add s j)) i) :=
        offset_by_shift place pos w i inside
#print axioms offset_by_shift
example (n ref pred : Nat) (extra : Nat → Nat) (k i : Nat) (l : Lt i n) :
    Eq (bit (boundaryMask (full n) ref pred extra k) i) (boundaryAtom (bit ref) (bit pred) (fun k =>
        bit (extra k)) k i) :=
  boundary_atoms n ref pred extra k i l
#print axioms boundary_atoms
example (d n m : Nat) (fits : Nat.le n (Nat.pow 2 d)) (within : (i : Nat) → Eq (bit m i) .true → Lt i n) :
    Eq (popcount d m) (count (bit m) n) := popcount_eq_count d n m fits within
#print axioms popcount_eq_count
example (d : Nat) (c : Case) (k : Clause) (m : Claim) (h : Eq (checkClaim d c k m) .true) : Certified c k m :=
    certify d c k m h
#print axioms certify

/-! ### The vector of a family, from the tables' own times -/
example (a : Nat → Bool) (n : Nat) (l : List Interval) (placed : WellPlaced n l)
    (same : (j : Nat) → Lt j n → Eq (paint l j) (a j)) : Eq (runs a n) l := runs_of_paint placed same
#print axioms runs_of_paint
example (c : Contract) (s : Sides) (h : Hints) (k : ClipCounts) (g : Eq (checkClip c s h k) .true) : CountsTo c s k :=
  counts_certified c s h k g
#print axioms counts_certified
example (c : Contract) (d : Nat) (items : List Item) (u : ClassTally)
    (h : Eq (Nat.beq (toNat (checkBlock c d items u)) 1) .true) : Tallied c (stacked .nil items) u :=
  tallied_certified c d items u h
#print axioms tallied_certified
example (c : Contract) (family : List (List Sides)) (clips : Nat) (tallies : List ClassTally)
    (scores : List ClauseScore) (tallied : ClassesTallied c family tallies)
    (h : Eq (Nat.beq (toNat (band (haveClips clips tallies) (scoresFit clips c.clauses tallies scores))) 1) .true) :
    ScoresTo c family scores := vector_certified c family clips tallies scores tallied h
#print axioms vector_certified

/-! ### Soft readings of score fields -/
example (c : ScoreClip) (f : Formula) (i : Nat) : Iff (Eq (isPositive (c.value f i)) .true) (Holds c.reading f i) :=
  soft_verdict c f i
#print axioms soft_verdict
example (c : ScoreClip) (unit : Nat) (o f : Formula) :
    And (Eq (c.tally unit o f).obligated (obligations (eval c.reading o) c.frames))
      (Eq (c.tally unit o f).satisfied (satisfied (eval c.reading o) (eval c.reading f) c.frames)) :=
  soft_counts c unit o f
#print axioms soft_counts
example (e : Nat) (c c' : ScoreClip) (moved : ScoresMoved e c c') (f : Formula) (i : Nat) (inside : Lt i c.frames) :
    SoftNear e (c.value f i) (c'.value f i) := soft_lipschitz e c c' moved f i inside
#print axioms soft_lipschitz
example (e : Nat) (c c' : ScoreClip) (moved : ScoresMoved e c c') (f : Formula) (i : Nat) (inside : Lt i c.frames)
    (far : Beyond e (c.value f i).size) : Iff (Holds c.reading f i) (Holds c'.reading f i) :=
  soft_margin e c c' moved f i inside far
#print axioms soft_margin
example (n : Nat) (atom : Nat → Nat → Soft) (f : Formula) (i : Nat) (inside : Lt i n) :
    Eq (soft n atom (onsetOf f) i) (softOnset (soft n atom f) i) := soft_onset n atom f i inside
#print axioms soft_onset
example (n : Nat) (atom : Nat → Nat → Soft) (f : Formula) (i : Nat) (inside : Lt i n) :
    Eq (soft n atom (offsetOf f) i) (softOffset (soft n atom f) i) := soft_offset n atom f i inside
#print axioms soft_offset
example (n : Nat) (atom : Nat → Nat → Soft) (lo hi : Int) (f : Formula) (i : Nat) :
    GreatestOver (InWindow n i lo hi) (soft n atom f) (soft n atom (.eventually lo hi f) i) :=
  soft_eventually n atom lo hi f i
#print axioms soft_eventually
example (n : Nat) (atom : Nat → Nat → Soft) (lo hi : Int) (f : Formula) (i : Nat) :
    LeastOver (InWindow n i lo hi) (soft n atom f) (soft n atom (.always lo hi f) i) := soft_always n atom lo hi f i
#print axioms soft_always
example (n : Nat) (atom : Nat → Nat → Soft) (r : Nat) (f g : Formula) (i : Nat) : Exists fun held : Nat → Soft =>
    And ((j : Nat) → LeastOver (fun k => And (Nat.le i k) (Lt k j)) (soft n atom f) (held j))
      (GreatestOver (Ahead n i r) (fun j => lesser (soft n atom g j) (held j)) (soft n atom (.«until» r f g) i)) :=
  soft_until n atom r f g i
#print axioms soft_until
example (n : Nat) (atom : Nat → Nat → Soft) (r : Nat) (f g : Formula) (i : Nat) : Exists fun held : Nat → Soft =>
    And ((j : Nat) → LeastOver (fun k => And (Lt j k) (Nat.le k i)) (soft n atom f) (held j))
      (GreatestOver (Behind n i r) (fun j => lesser (soft n atom g j) (held j)) (soft n atom (.since r f g) i)) :=
  soft_since n atom r f g i
#print axioms soft_since

/-! ### Streams that arrive in chunks -/
example (t : Trace) (f : Formula) (chunks : List Nat) (fits : Nat.le (framesOf chunks) t.frames) :
    Eq (chunkOutput t f chunks) (output t f (framesOf chunks)) := chunk_output t f chunks fits
#print axioms chunk_output
example (t : Trace) (f : Formula) (chunks : List Nat) (all : Eq (framesOf chunks) t.frames) :
    Eq (chunked t f chunks) (offline t f t.frames) := chunks_eq_offline t f chunks all
#print axioms chunks_eq_offline
example (t : Trace) (f : Formula) (chunks : List Nat) :
    Nat.le (chunkBuffer t f chunks).held (Nat.add (lookback f) (lookahead f)) := chunk_memory t f chunks
#print axioms chunk_memory
/-! ### The order that a selected contract keeps -/
example (c : Contract) (scale : Nat) (weights : List Nat) (margin : Nat) (cases : List (List (List Sides)))
    (table : List (List Nat)) (pairs : List CasePair) (scored : CasesScore c scale cases table)
    (h : Eq (Nat.beq (toNat (checkOrder weights margin table pairs)) 1) .true) :
    KeepsOrder c scale weights margin cases table pairs :=
  order_certified c scale weights margin cases table pairs scored h
#print axioms order_certified
example (weights : List Nat) (margin : Nat) (worse better : List Nat) (alone : LowerBy weights margin worse better)
    (others : List (List Nat)) : LowerBy weights margin (corpusValues worse others) (corpusValues better others) :=
  corpus_order weights margin worse better alone others
#print axioms corpus_order
example (weights : List Nat) (margin : Nat) (table : List (List Nat)) (pairs : List CasePair)
    (ordered : Orders weights margin table pairs) (p : CasePair) (asked : Mem p pairs) :
    Exists fun worse => Exists fun better => And (RowAt table p.worse worse) (And (RowAt table p.better better)
      ((others : List (List Nat)) → LowerBy weights margin (corpusValues worse others) (corpusValues better others))) :=
  orders_everywhere weights margin table pairs ordered p asked
#print axioms orders_everywhere

/-! ### The streaming program on masks -/
example (t : Trace) (f : Formula) (chunks : List Chunk) (arrive : ChunksOf t chunks)
    (fits : Nat.le (chunkFrames chunks) t.frames) :
    Eq (maskOutput f chunks) (output t f (chunkFrames chunks)) := mask_output t f chunks arrive fits
#print axioms mask_output
example (t : Trace) (f : Formula) (chunks : List Chunk) (arrive : ChunksOf t chunks)
    (all : Eq (chunkFrames chunks) t.frames) :
    Eq (maskProgram f chunks) (offline t f t.frames) := mask_program t f chunks arrive all
#print axioms mask_program
example (f : Formula) (chunks : List Chunk) :
    Nat.le (maskBuffer f chunks).held (Nat.add (lookback f) (lookahead f)) := mask_memory f chunks
#print axioms mask_memory

/-! ### What is compiled in the place of a recursor -/
example (x : Nat) (k : Nat → Bool) : Eq (force x k) (forceRun x k) := force_compiled x k
#print axioms force_compiled
example (l : List Nat) (k : List Nat → Bool) : Eq (forceNats l k) (forceNatsRun l k) := forceNats_compiled l k
#print axioms forceNats_compiled
example (l : List Interval) (k : List Interval → Bool) : Eq (forceIntervals l k) (forceIntervalsRun l k) :=
  forceIntervals_compiled l k
#print axioms forceIntervals_compiled
example (x : Int) (k : Int → Bool) : Eq (forceInt x k) (forceIntRun x k) := forceInt_compiled x k
#print axioms forceInt_compiled
example (l : List Candidate) (k : List Candidate → Bool) : Eq (forceCandidates l k) (forceCandidatesRun l k) :=
  forceCandidates_compiled l k
#print axioms forceCandidates_compiled
example (w : Nat) (l : List Nat) (c : Nat) : Eq (addShifted w l c) (addShiftedRun w l c) := addShifted_compiled w l c
#print axioms addShifted_compiled
example (d : Nat) (l : List Nat) : Eq (fold d l) (foldRun d l) := fold_compiled d l
#print axioms fold_compiled
example (l : List Nat) (i : Nat) : Eq (counter l i) (counterRun l i) := counter_compiled l i
#print axioms counter_compiled
example (l : List Nat) (i : Nat) : Eq (readCounter l i) (readCounterRun l i) := readCounter_compiled l i
#print axioms readCounter_compiled
example (h : Hints) (s : Nat) (x : Row) : Eq (rowCounts h s x) (rowCountsRun h s x) := rowCounts_compiled h s x
#print axioms rowCounts_compiled
example (h : Hints) (s : Nat) (n : Nat) (e : Bool) (l : List Row) (k : List Row → Bool) :
    Eq (withNextRows h s n e l k) (withNextRowsRun h s n e l k) := withNextRows_compiled h s n e l k
#print axioms withNextRows_compiled
end Tracepact
