import Tracepact.Thm.Runs.Scan
/-! Runs. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem mem_runs_scan (a : Nat → Bool) (n : Nat) (r : Interval) : Iff (Mem r (runs a n)) (Mem r (scan a n)) :=
  iff_trans (mem_turned r (scan a n) .nil) ⟨fun | .inl h => h | .inr h => h.elim, .inl⟩
theorem has_iff (r : Interval) (j : Nat) : Iff (IsTrue (r.has j)) (And (Nat.le r.start j) (Lt j r.stop)) :=
  iff_trans (band_iff _ _) (and_iff (ble_iff _ _) (ble_iff _ _))
theorem paint_iff (j : Nat) : (l : List Interval) → Iff (IsTrue (paint l j)) (Covered l j)
  | .nil => ⟨nofun, fun ⟨_, m, _⟩ => m.elim⟩
  | .cons r rest => iff_trans (bor_iff _ _) (iff_trans (or_iff (has_iff r j) (paint_iff j rest)) ⟨
      fun | .inl h => ⟨r, .inl rfl, h⟩ | .inr h => covered_more r h,
      fun | ⟨_, .inl e, h⟩ => .inl (e ▸ h) | ⟨q, .inr m, h⟩ => .inr ⟨q, m, h⟩⟩)
theorem before_of_lt {a : Nat → Bool} {s : Nat} : {i : Nat} → Lt s i →
    ((j : Nat) → Nat.le s j → Lt j i → IsTrue (a j)) → IsTrue (before a i)
  | .succ i, l, h => h i (le_of_succ_le_succ l) .refl
theorem run_start_le {a : Nat → Bool} {n x : Nat} {r q : Interval} (hr : IsRun a n r) (hq : IsRun a n q)
    (rx : Nat.le r.start x) (qx : Lt x q.stop) :
    Nat.le r.start q.start :=
  match le_or_lt r.start q.start with
  | .inl h => h
  | .inr h => absurd (before_of_lt h fun j u v => hq.active j u (lin3 (on4 j r.start x q.stop) v rx qx rfl)) hr.left
theorem run_stop_le {a : Nat → Bool} {n x : Nat} {r q : Interval} (hr : IsRun a n r) (hq : IsRun a n q)
    (rx : Nat.le r.start x) (qx : Lt x q.stop) :
    Nat.le r.stop q.stop :=
  match le_or_lt r.stop q.stop with
  | .inl h => h
  | .inr h => absurd (hr.active q.stop (le_trans rx (le_of_succ_le qx)) h) (hq.right (le_trans h hr.inside))
theorem interval_eq : (r q : Interval) → Eq r.start q.start → Eq r.stop q.stop → Eq r q
  | ⟨_, _⟩, ⟨_, _⟩, h, k => congr2 Interval.mk h k
/-- Two runs with a frame in common are one. -/
theorem run_unique {a : Nat → Bool} {n x : Nat} {r q : Interval} (hr : IsRun a n r) (hq : IsRun a n q)
    (rx : And (Nat.le r.start x) (Lt x r.stop)) (qx : And (Nat.le q.start x) (Lt x q.stop)) : Eq r q :=
  interval_eq r q (le_antisymm (run_start_le hr hq rx.left qx.right) (run_start_le hq hr qx.left rx.right))
    (le_antisymm (run_stop_le hr hq rx.left qx.right) (run_stop_le hq hr qx.left rx.right))

/-- **Runs are the maximal intervals**: the scan returns exactly the maximal intervals of active frames, no other and
none missing. -/
theorem runs_exact (a : Nat → Bool) (n : Nat) (r : Interval) : Iff (Mem r (runs a n)) (IsRun a n r) :=
  iff_trans (mem_runs_scan a n r) ⟨(scan_ok a n).runs r, fun h =>
    let ⟨q, m, k⟩ := (scan_ok a n).complete r.start (le_trans h.nonempty h.inside) (h.active r.start .refl h.nonempty)
    Eq.subst (motive := fun z => Mem z (scan a n)) (run_unique ((scan_ok a n).runs q m) h k ⟨.refl, h.nonempty⟩) m⟩
/-- **Runs are ordered and disjoint**: each ends at least one frame before the next begins. -/
theorem runs_ordered (a : Nat → Bool) (n : Nat) : Ordered (runs a n) :=
  ordered_turned (scan a n) .nil (scan_ok a n).descending .intro fun _ _ _ m => m.elim
/-- **Painting back.** Extracting the runs of a mask of `n` frames and painting them back gives the mask. -/
theorem paint_runs (a : Nat → Bool) (n j : Nat) (inside : Lt j n) : Eq (paint (runs a n) j) (a j) :=
  eq_of_iff (iff_trans (paint_iff j _) ⟨
    fun ⟨r, m, x, y⟩ => ((runs_exact a n r).mp m).active j x y,
    fun h => let ⟨r, m, k⟩ := (scan_ok a n).complete j inside h; ⟨r, (mem_runs_scan a n r).mpr m, k⟩⟩)
/-- **Nothing beyond.** Painting back paints no frame beyond the mask. -/
theorem paint_runs_beyond (a : Nat → Bool) (n j : Nat) (beyond : Nat.le n j) : Eq (paint (runs a n) j) .false :=
  eq_false fun h =>
    let ⟨r, m, _, y⟩ := (paint_iff j _).mp h
    (impossible3 (on3 j r.stop n) y (((runs_exact a n r).mp m).inside) beyond rfl)
/-- **One onset per run**: of the frames of a run, the first and no other is an onset. -/
theorem run_onset (a : Nat → Bool) (n : Nat) (r : Interval) (h : IsRun a n r)
    (j : Nat) (lower : Nat.le r.start j) (upper : Lt j r.stop) :
    Iff (Eq (onset a j) .true) (Eq j r.start) :=
  iff_trans (band_iff _ _) (iff_trans (and_iff iff_refl (bnot_iff _)) ⟨
    fun ⟨_, k⟩ => match eq_or_lt lower with
      | .inl e => Eq.symm e
      | .inr l => absurd (before_of_lt l fun i x y => h.active i x (le_trans y (le_of_succ_le upper))) k,
    fun e => ⟨h.active j lower upper, Eq.symm e ▸ h.left⟩⟩)
/-- **One offset per run**: of the frames after its first up to the one after its last, those that the mask has, the one
after the last and no other is an offset. A run that reaches the end of the mask has therefore none. -/
theorem run_offset (a : Nat → Bool) (n : Nat) (r : Interval) (h : IsRun a n r) (j : Nat) (lower : Lt r.start j)
    (upper : Nat.le j r.stop)
    (inside : Lt j n) : Iff (Eq (offset a j) .true) (Eq j r.stop) :=
  iff_trans (band_iff _ _) (iff_trans (and_iff (bnot_iff _) iff_refl) ⟨
    fun ⟨k, _⟩ => match eq_or_lt upper with
      | .inl e => e
      | .inr l => absurd (h.active j (le_of_succ_le lower) l) k,
    fun e => ⟨Eq.symm e ▸ h.right (e ▸ inside), before_of_lt lower fun i x y => h.active i x (le_trans y upper)⟩⟩)
end Tracepact
