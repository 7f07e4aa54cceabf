import Tracepact.Spec.Nearest
import Tracepact.Thm.Meaning
import Tracepact.Thm.Runs.Scan
/-! Thresholding a distance gives back the verdict. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem le_distance (i j : Nat) : Nat.le i (Nat.add j (distance i j)) :=
  (lin1 (on4 i (Nat.sub i j) j (Nat.sub j i)) (le_sub_add i j) rfl :
    Nat.le i (Nat.add j (Nat.add (Nat.sub i j) (Nat.sub j i))))
theorem distance_ge (i j : Nat) : Nat.le j (Nat.add i (distance i j)) :=
  (lin1 (on4 j (Nat.sub j i) i (Nat.sub i j)) (le_sub_add j i) rfl :
    Nat.le j (Nat.add i (Nat.add (Nat.sub i j) (Nat.sub j i))))
theorem distance_le {i j k : Nat} (h : Nat.le i (Nat.add j k)) (g : Nat.le j (Nat.add i k)) : Nat.le (distance i j) k :=
  show Nat.le (Nat.add (Nat.sub i j) (Nat.sub j i)) k from match le_or_lt i j with
  | .inl l => lin3 (on5 (Nat.sub i j) (Nat.sub j i) i j k) (sub_eq_zero l ▸ .refl : Nat.le (Nat.sub i j) 0)
      (sub_add_le l) g rfl
  | .inr l => lin3 (on5 (Nat.sub j i) (Nat.sub i j) j i k) (sub_eq_zero (le_of_succ_le l) ▸ .refl :
      Nat.le (Nat.sub j i) 0) (sub_add_le (le_of_succ_le l)) h rfl
theorem distance_iff (i j k : Nat) :
    Iff (Nat.le (distance i j) k) (And (Nat.le i (Nat.add j k)) (Nat.le j (Nat.add i k))) :=
  ⟨fun h => ⟨le_trans (le_distance i j) (add_le_add .refl h), le_trans (distance_ge i j) (add_le_add .refl h)⟩,
      fun ⟨a, b⟩ => distance_le a b⟩
theorem edge_back (i j : Nat) : (k : Nat) → Iff (AtLeast i (back k) j) (Nat.le i (Nat.add j k))
  | .zero => iff_refl
  | .succ _ => iff_refl

/-- Some distance is at most `k`. -/
def AtMostOf (o : Option Nat) (k : Nat) : Prop := Exists fun d => And (Eq o (.some d)) (Nat.le d k)
def orElse (z : Nat) : Option Nat → Nat
  | .none => z
  | .some x => x
theorem some_eq {a b : Nat} (h : Eq (Option.some a) (.some b)) : Eq a b := congrArg (orElse a) h
theorem closer_iff (d k : Nat) : (o : Option Nat) → Iff (AtMostOf (closer o d) k) (Or (Nat.le d k) (AtMostOf o k))
  | .none => ⟨fun ⟨_, e, l⟩ => .inl (some_eq e ▸ l), fun | .inl h => ⟨d, rfl, h⟩ | .inr ⟨_, e, _⟩ => nomatch e⟩
  | .some e => cond_elim (P := fun x => Iff (AtMostOf (.some x) k) (Or (Nat.le d k) (AtMostOf (.some e) k)))
      (Nat.ble d e)
      (fun h => ⟨fun ⟨_, q, l⟩ => .inl (some_eq q ▸ l),
        fun | .inl l => ⟨d, rfl, l⟩ | .inr ⟨_, q, l⟩ => ⟨d, rfl, le_trans ((ble_iff _ _).mp h) (some_eq q ▸ l)⟩⟩)
      (fun h => ⟨.inr, fun
        | .inl l => ⟨e, rfl, (le_or_lt d e).elim (fun g => absurd ((ble_iff _ _).mpr g) h) fun g =>
            le_trans (le_of_succ_le g) l⟩
        | .inr l => l⟩)
theorem nearest_iff (p : Nat → Bool) (i k : Nat) : (n : Nat) →
    Iff (AtMostOf (nearest p i n) k) (Exists fun j => And (Lt j n) (And (IsTrue (p j)) (Nat.le (distance i j) k)))
  | .zero => ⟨fun ⟨_, e, _⟩ => (nomatch e), fun ⟨_, l, _⟩ => nomatch l⟩
  | .succ n => cond_elim (P := fun o =>
      Iff (AtMostOf o k) (Exists fun j => And (Lt j (.succ n)) (And (IsTrue (p j)) (Nat.le (distance i j) k)))) (p n)
      (fun h => iff_trans (closer_iff _ k _) (iff_trans (or_iff iff_refl (nearest_iff p i k n)) ⟨
        fun | .inl l => ⟨n, .refl, h, l⟩ | .inr ⟨j, l, r⟩ => ⟨j, .step l, r⟩,
        fun ⟨j, l, q, r⟩ => match lt_succ_cases l with
          | .inl e => .inl (e ▸ r)
          | .inr l => .inr ⟨j, l, q, r⟩⟩))
      (fun h => iff_trans (nearest_iff p i k n) ⟨fun ⟨j, l, r⟩ => ⟨j, .step l, r⟩,
        fun ⟨j, l, q, r⟩ => match lt_succ_cases l with
          | .inl e => absurd (e ▸ q) h
          | .inr l => ⟨j, l, q, r⟩⟩)

/-- **Nearest.** `nearest` is what it says: some frame with `p` is that far, and none is nearer. -/
theorem nearest_is_least (p : Nat → Bool) (i n d : Nat) (h : Eq (nearest p i n) (.some d)) :
    And (Exists fun j => And (Lt j n) (And (Eq (p j) .true) (Eq (distance i j) d)))
      ((j : Nat) → Lt j n → Eq (p j) .true → Nat.le d (distance i j)) :=
  have least (j : Nat) (l : Lt j n) (q : IsTrue (p j)) : Nat.le d (distance i j) :=
    let ⟨_, e, m⟩ := (nearest_iff p i (distance i j) n).mpr ⟨j, l, q, .refl⟩
    some_eq (Eq.trans (Eq.symm e) h) ▸ m
  let ⟨j, l, q, m⟩ := (nearest_iff p i d n).mp ⟨d, h, .refl⟩
  ⟨⟨j, l, q, le_antisymm m (least j l q)⟩, least⟩

/-- **Threshold recovery.** The guard `N[k] φ` holds at a frame exactly when the nearest frame of the trace with `φ` is
at most `k` frames away; for an edge atom, exactly when the nearest edge is. -/
theorem threshold_recovery (t : Trace) (f : Formula) (k i : Nat) :
    Iff (Holds t (near k f) i) (Exists fun d => And (Eq (nearest (eval t f) i t.frames) (.some d)) (Nat.le d k)) :=
  iff_symm (iff_trans (nearest_iff (eval t f) i k t.frames) (exists_iff fun j => ⟨
    fun ⟨l, q, m⟩ =>
      let ⟨a, b⟩ := (distance_iff i j k).mp m
      ⟨⟨l, (edge_back i j k).mpr a, b⟩, (eval_iff_holds t f j).mp q⟩,
    fun ⟨w, q⟩ => ⟨w.inside, (eval_iff_holds t f j).mpr q,
        (distance_iff i j k).mpr ⟨(edge_back i j k).mp w.lower, w.upper⟩⟩⟩))
end Tracepact
