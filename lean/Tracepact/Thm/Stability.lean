import Tracepact.Spec.Events
import Tracepact.Thm.Base.Count
import Tracepact.Thm.Threshold
/-! Event clauses under jitter. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem mul_le (q : Nat) {a b c : Nat} (h : Nat.le a (Nat.add b c)) :
    Nat.le (Nat.mul q a) (Nat.add (Nat.mul q b) (Nat.mul q c)) :=
  mul_add q b c ▸ mul_mono q h

theorem sub_near {a b a' b' e : Nat} (h : Nat.le b (Nat.add b' e)) (k : Nat.le a' (Nat.add a e)) :
    Nat.le (Nat.sub b a) (Nat.add (Nat.sub b' a') (Nat.mul e 2)) :=
  match le_or_lt a b with
  | .inl l => lin4 (on7 (Nat.sub b a) a b b' e a' (Nat.sub b' a')) (sub_add_le l) h k (le_sub_add b' a') rfl
  | .inr l => Eq.subst (motive := fun x => Nat.le x _) (Eq.symm (sub_eq_zero (le_of_succ_le l))) (zero_le _)
theorem duration_near {e : Nat} {x x' : Event} (h : Moved e x x') :
    And (Nat.le x.duration (Nat.add x'.duration (Nat.mul e 2)))
        (Nat.le x'.duration (Nat.add x.duration (Nat.mul e 2))) :=
  let ⟨a, b⟩ := (distance_iff _ _ _).mp h.onset
  let ⟨c, d⟩ := (distance_iff _ _ _).mp h.offset
  ⟨sub_near c b, sub_near d a⟩
theorem distance_near {x y x' y' e : Nat} (hx : Nat.le x (Nat.add x' (Nat.mul e 2)))
    (hx' : Nat.le x' (Nat.add x (Nat.mul e 2)))
    (hy : Nat.le y (Nat.add y' (Nat.mul e 2))) (hy' : Nat.le y' (Nat.add y (Nat.mul e 2))) :
    Nat.le (distance x y) (Nat.add (distance x' y') (Nat.mul e 4)) :=
  distance_le
    (lin3 (on6 x x' e y' (distance x' y') y) hx (le_distance x' y') hy' rfl)
    (lin3 (on6 y y' e x' (distance x' y') x) hy (distance_ge x' y') hx' rfl)

theorem apart_below {x y k : Nat} (h : Lt k (distance x y)) (l : Nat.le x y) : Lt (Nat.add x k) y :=
  match le_or_lt y (Nat.add x k) with
  | .inr m => m
  | .inl m => impossible2 (on2 k (distance x y)) h (distance_le (k :=
      k) (lin1 (on3 x y k) l rfl : Nat.le x (Nat.add y k)) m) rfl
theorem apart_above {x y k : Nat} (h : Lt k (distance x y)) (l : Lt y x) : Lt (Nat.add y k) x :=
  match le_or_lt x (Nat.add y k) with
  | .inr m => m
  | .inl m => impossible2 (on2 k (distance x y)) h (distance_le (k :=
      k) m (lin1 (on3 y x k) l rfl : Nat.le y (Nat.add x k))) rfl
/-- A comparison whose sides are apart by more than both move keeps its truth. -/
theorem compare_stable {x y x' y' s t : Nat} (hx : Nat.le x (Nat.add x' s)) (hx' : Nat.le x' (Nat.add x s))
    (hy : Nat.le y (Nat.add y' t))
    (hy' : Nat.le y' (Nat.add y t)) (margin : Lt (Nat.add s t) (distance x y)) : Eq (Nat.ble x y) (Nat.ble x' y') :=
  eq_of_iff (iff_trans (ble_iff _ _) (iff_trans ⟨
    fun l => (lin3 (on6 x s t y x' y') (apart_below margin l) hx' hy rfl : Nat.le x' y'),
    fun (l : Nat.le x' y') => match le_or_lt x y with
      | .inl m => m
      | .inr m => impossible4 (on6 y s t x x' y') (apart_above margin m) hx hy' l rfl⟩
    (iff_symm (ble_iff _ _))))

/-- **One match.** If both events of a match move by at most `e` at each end, and the margin `|Δ - α d|` exceeds `(4 + 2
α) e`, where `Δ` is the difference of the durations, `d` the reference's duration and `α = p / q` (all times `q`), the
duration clause keeps its truth. -/
theorem duration_stable (p q e : Nat) (ref ref' pred pred' : Event) (hr : Moved e ref ref') (hp : Moved e pred pred')
    (margin : Lt (Nat.add (Nat.mul q (Nat.mul e 4)) (Nat.mul p (Nat.mul e 2)))
      (distance (Nat.mul q (distance pred.duration ref.duration)) (Nat.mul p ref.duration))) :
    Eq (durationHolds p q ref pred) (durationHolds p q ref' pred') :=
  let ⟨r, r'⟩ := duration_near hr
  let ⟨d, d'⟩ := duration_near hp
  compare_stable (mul_le q (distance_near d d' r r')) (mul_le q (distance_near d' d r' r)) (mul_le p r) (mul_le p r')
      margin

theorem listCount_congr {α : Type} {p p' : α → Bool} : (l : List α) → ((x : α) → Mem x l → Eq (p x) (p' x)) →
    Eq (listCount p l) (listCount p' l)
  | .nil, _ => rfl
  | .cons x rest, h => congr2 (fun n b => Nat.add n (toNat b)) (listCount_congr rest fun y m =>
      h y (.inr m)) (h x (.inl rfl))
theorem bothEmpty_same {e : Nat} {x x' : Families} (h : Jittered e x x') : Eq x.bothEmpty x'.bothEmpty :=
  congr2 (fun a b => band (Nat.beq a 0) (Nat.beq b 0)) h.refs h.preds

/-- **Event clause stability.** With families, matching and covering counts fixed, if every endpoint moves by at most
`e` and every duration margin `|Δ - α d|` exceeds `(4 + 2 α) e`, neither the duration value nor the fragmentation value
changes.

The published bound of one `e` is too small (`one_jitter_is_not_enough`): two durations of two moving ends each change
`Δ` by up to `4 e`, and `α d` by up to `2 α e`. Times are whole multiples of a common unit, `α = p / q`, and the margin
is stated times `q`. -/
theorem event_stability (p q e : Nat) (x x' : Families) (h : Jittered e x x')
    (margin : (m : Prod Nat Nat) → Mem m x.matching → Lt (Nat.add (Nat.mul q (Nat.mul e 4)) (Nat.mul p (Nat.mul e 2)))
      (distance (Nat.mul q (distance (x.pred m.snd).duration (x.ref m.fst).duration))
          (Nat.mul p (x.ref m.fst).duration))) :
    And (Eq (x.durationValue p q) (x'.durationValue p q)) (Eq x.fragmentationValue x'.fragmentationValue) :=
  have same : Eq (listCount (fun m => durationHolds p q (x.ref m.fst) (x.pred m.snd)) x.matching)
      (listCount (fun m => durationHolds p q (x'.ref m.fst) (x'.pred m.snd)) x.matching) :=
    listCount_congr x.matching fun m k => duration_stable p q e _ _ _ _ (h.ref m.fst) (h.pred m.snd) (margin m k)
  ⟨Eq.trans (congr2 (fun b s => eventValue b s (length x.matching)) (bothEmpty_same h) same)
     (congrArg (fun (l : List (Prod Nat Nat)) =>
         eventValue x'.bothEmpty (listCount (fun m : Prod Nat Nat =>
         durationHolds p q (x'.ref m.fst) (x'.pred m.snd)) l) (length l)) h.matching),
   Eq.trans (congr2 (fun b s => eventValue b s x.refs) (bothEmpty_same h)
      (Eq.trans (congrArg (fun l => count (fun i => band (isMatched i l) (Nat.ble (x.covering i) 1)) x.refs) h.matching)
        (count_congr x.refs fun i _ =>
            congrArg (fun c => band (isMatched i x'.matching) (Nat.ble c 1)) (h.covering i))))
     (congrArg (fun n => eventValue x'.bothEmpty
         (count (fun i => band (isMatched i x'.matching) (Nat.ble (x'.covering i) 1)) n) n) h.refs)⟩

/-- **One jitter is not enough.** In hundredths of a second, with `α = 1/4`: a reference of 1.00 s and a prediction of
1.15 s have the margin `|0.15 - 0.25| = 0.10`; the prediction's two ends moved by `e = 0.06` flip the clause. -/
theorem one_jitter_is_not_enough : And
    (And (Eq (durationHolds 1 4 ⟨10, 110⟩ ⟨10, 125⟩) .true) (Eq (durationHolds 1 4 ⟨10, 110⟩ ⟨4, 131⟩) .false))
    (And (Moved 6 ⟨10, 125⟩ ⟨4, 131⟩) (Lt (Nat.mul 4 6) (distance (Nat.mul 4 (distance 115 100)) (Nat.mul 1 100)))) :=
  ⟨⟨rfl, rfl⟩, ⟨⟨le_of_ble _ _ rfl, le_of_ble _ _ rfl⟩, le_of_ble _ _ rfl⟩⟩
end Tracepact
