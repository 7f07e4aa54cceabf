import Tracepact.Impl.Tables
import Tracepact.Thm.Base.Bits
import Tracepact.Thm.Runs
/-! From the times of a table to a mask. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- Once true, `p` stays true. -/
def Upward (p : Nat → Bool) : Prop := (i j : Nat) → Nat.le i j → IsTrue (p i) → IsTrue (p j)
theorem edge_iff (p : Nat → Bool) (up : Upward p) : (n : Nat) → IsTrue (isEdge p n) → (j : Nat) →
    Iff (IsTrue (p j)) (Nat.le n j)
  | .zero, h, j => ⟨fun _ => zero_le j, fun l => up .zero j l h⟩
  | .succ n, h, j =>
    let ⟨a, b⟩ := (band_iff _ _).mp h
    ⟨fun k => (le_or_lt (.succ n) j).elim id fun l => absurd (up j n (le_of_succ_le_succ l) k) ((bnot_iff _).mp a),
     fun l => up (.succ n) j l b⟩
theorem least_of_edge (p : Nat → Bool) (up : Upward p) (n : Nat) (h : IsTrue (isEdge p n)) : IsLeast p n :=
  ⟨(edge_iff p up n h n).mpr .refl, fun m k => (edge_iff p up n h m).mp k⟩

theorem odd_le {i j : Nat} (l : Nat.le i j) : Nat.le (.succ (Nat.mul i 2)) (.succ (Nat.mul j 2)) :=
  lin2 (on2 i j) l l rfl
theorem ble_up {a : Nat} {f : Nat → Nat} (mono : (i j : Nat) → Nat.le i j → Nat.le (f i) (f j)) :
    Upward (fun j => Nat.ble a (f j)) := fun i j l h => ble_of_le _ _ (le_trans (le_of_ble _ _ h) (mono i j l))
theorem times_up (step : Nat) : (i j : Nat) → Nat.le i j → Nat.le (Nat.mul step i) (Nat.mul step j) :=
  fun _ _ l => mul_mono step l
theorem times_odd_up (step : Nat) : (i j : Nat) → Nat.le i j →
    Nat.le (Nat.mul step (.succ (Nat.mul i 2))) (Nat.mul step (.succ (Nat.mul j 2))) := fun _ _ l =>
        mul_mono step (odd_le l)
theorem times_succ_up (step : Nat) : (i j : Nat) → Nat.le i j →
    Nat.le (Nat.mul step (.succ i)) (Nat.mul step (.succ j)) :=
  fun _ _ l => mul_mono step (succ_le_succ l)
theorem notBefore_up (step onset : Nat) : (p : Projection) → Upward (notBefore step onset p)
  | .centre => ble_up (times_odd_up step)
  | .touch => ble_up (times_succ_up step)
  | .inside => ble_up (times_up step)
theorem behind_up (step offset : Nat) : (p : Projection) → Upward (behind step offset p)
  | .centre => ble_up (times_odd_up step)
  | .touch => ble_up (times_up step)
  | .inside => ble_up (times_succ_up step)

/-- **Frame count by multiplication** (rule 5.1): a number that passes the check is the number of frames of a clip. -/
theorem frame_count (step duration n : Nat) (h : Eq (isEdge (coversDuration step duration) n) .true) :
    IsFrameCount step duration n := least_of_edge _ (ble_up (times_up step)) n h
/-- **Projection by multiplication** (rule 5.3): an interval that passes the check has exactly the frames that the event
covers, for all three projections. -/
theorem projected_exact (p : Projection) (step : Nat) (e : Event) (r : Interval) (h : Eq (isProjected p step e r) .true)
    (j : Nat) : Eq (covers p step e j) (r.has j) :=
  eq_of_iff (iff_trans (band_iff _ _)
      (iff_trans (and_iff iff_refl (iff_trans (band_iff _ _) (and_iff iff_refl (bnot_iff _))))
    (iff_trans (split (Nat.ble (.succ e.onset) e.offset) h) (iff_symm (has_iff r j)))))
where
  split : (b : Bool) → IsTrue
      (cond b (band (isEdge (notBefore step e.onset p) r.start) (isEdge (behind step e.offset p) r.stop))
        (Nat.ble r.stop r.start)) →
      Iff (And (IsTrue b) (And (IsTrue (notBefore step e.onset p j)) (Not (IsTrue (behind step e.offset p j)))))
        (And (Nat.le r.start j) (Lt j r.stop))
    | .true, h =>
      let ⟨x, y⟩ := (band_iff _ _).mp h
      have start := edge_iff _ (notBefore_up step e.onset p) r.start x j
      have stop := edge_iff _ (behind_up step e.offset p) r.stop y j
      ⟨fun ⟨_, a, b⟩ => ⟨start.mp a, (le_or_lt r.stop j).elim (fun l => absurd (stop.mpr l) b) id⟩,
       fun ⟨a, b⟩ => ⟨rfl, start.mpr a, fun k => not_succ_le_self j (le_trans b (stop.mp k))⟩⟩
    | .false, h => ⟨fun ⟨k, _⟩ => (nomatch k), fun ⟨a, b⟩ =>
        impossible3 (on3 r.stop r.start j) (le_of_ble _ _ h) a b rfl⟩
theorem active_paint (p : Projection) (step : Nat) (j : Nat) : (events : List Event) → (l : List Interval) →
    IsTrue (allProjected p step events l) → Eq (active p step events j) (paint l j)
  | .nil, .nil, _ => rfl
  | .nil, .cons _ _, h => nomatch h
  | .cons _ _, .nil, h => nomatch h
  | .cons e events, .cons r rest, h =>
    let ⟨a, b⟩ := (band_iff _ _).mp h
    congr2 bor (projected_exact p step e r a j) (active_paint p step j events rest b)

theorem piece_iff (r : Interval) (j : Nat) :
    Iff (IsTrue (bit (Nat.shiftLeft (full (Nat.sub r.stop r.start)) r.start) j)) (IsTrue (r.has j)) :=
  iff_trans (shl_iff _ _ _) (iff_trans (exists_iff fun i => and_iff iff_refl (full_iff _ i)) (iff_trans ⟨
    fun ⟨i, e, l⟩ =>
      have s : Nat.le r.start r.stop := (le_or_lt r.start r.stop).elim id fun k =>
        nomatch (sub_eq_zero (le_of_succ_le k) ▸ l : Lt i .zero)
      ⟨e ▸ (lin0 (on2 i r.start) rfl : Nat.le r.start (Nat.add i r.start)),
       e ▸ (lin2 (on4 i r.start r.stop (Nat.sub r.stop r.start)) l (sub_add_le s) rfl : Lt (Nat.add i r.start) r.stop)⟩,
    fun ⟨a, b⟩ => ⟨Nat.sub j r.start, Eq.symm (sub_add_cancel a),
      lin3 (on5 j r.start r.stop (Nat.sub r.stop r.start) (Nat.sub j r.start)) b (sub_add_le a)
        (le_sub_add r.stop r.start) rfl⟩⟩ (iff_symm (has_iff r j))))
/-- **Masks from intervals**: the mask of some intervals has exactly their frames. -/
theorem paintMask_bit (j : Nat) : (l : List Interval) → Eq (bit (paintMask l) j) (paint l j)
  | .nil => eq_false (bit_zero j)
  | .cons r rest => Eq.trans (bit_lor _ _ _) (congr2 bor (eq_of_iff (piece_iff r j)) (paintMask_bit j rest))
/-- **From a table's times to a mask**: where every interval passes the check for its event, the mask of the intervals
has exactly the frames that some event covers. -/
theorem table_mask (p : Projection) (step : Nat) (events : List Event) (l : List Interval)
    (h : Eq (allProjected p step events l) .true) (j : Nat) : Eq (bit (paintMask l) j) (active p step events j) :=
  Eq.trans (paintMask_bit j l) (Eq.symm (active_paint p step j events l h))
end Tracepact
