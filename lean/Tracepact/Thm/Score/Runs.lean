import Tracepact.Impl.Score
import Tracepact.Thm.Join
/-! A list of intervals in order that paints a mask is the list of its runs. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem later {s : Nat} : {l : List Interval} → Ordered l → Proper l → IsTrue (startsAfter s l) →
    (q : Interval) → Mem q l → Lt s q.start
  | .nil, _, _, _, _, m => m.elim
  | .cons _ _, o, p, h, q, m => first_gap o p (le_of_ble _ _ h) q m
theorem wellPlaced_ok (n : Nat) : (l : List Interval) → IsTrue (wellPlaced n l) → WellPlaced n l
  | .nil, _ => ⟨fun _ m => m.elim, fun _ m => m.elim, .intro⟩
  | .cons _ rest, h =>
    let ⟨a, b⟩ := (band_iff _ _).mp h
    let ⟨proper, inside⟩ := (band_iff _ _).mp a
    let ⟨starts, more⟩ := (band_iff _ _).mp b
    have ih := wellPlaced_ok n rest more
    ⟨fun q m => match m with
      | .inl e => Eq.symm e ▸ le_of_ble _ _ proper
      | .inr m => ih.proper q m,
     fun q m => match m with
      | .inl e => Eq.symm e ▸ le_of_ble _ _ inside
      | .inr m => ih.inside q m,
     ⟨later ih.ordered ih.proper starts, ih.ordered⟩⟩

/-- Of two intervals of an ordered list, they are one, or one ends before the other begins. -/
theorem ordered_cases {q r : Interval} : {l : List Interval} → Ordered l → Mem q l → Mem r l →
    Or (Eq q r) (Or (Lt q.stop r.start) (Lt r.stop q.start))
  | .nil, _, m, _ => m.elim
  | .cons _ _, _, .inl e, .inl f => .inl (Eq.trans e (Eq.symm f))
  | .cons _ _, o, .inl e, .inr m => .inr (.inl (Eq.symm e ▸ o.left r m))
  | .cons _ _, o, .inr m, .inl f => .inr (.inr (Eq.symm f ▸ o.left q m))
  | .cons _ _, o, .inr m, .inr k => ordered_cases o.right m k
theorem ordered_unique : (l l' : List Interval) → Ordered l → Ordered l' → Proper l → Proper l' →
    ((r : Interval) → Iff (Mem r l) (Mem r l')) → Eq l l'
  | .nil, .nil, _, _, _, _, _ => rfl
  | .nil, .cons y _, _, _, _, _, h => ((h y).mpr (.inl rfl)).elim
  | .cons x _, .nil, _, _, _, _, h => ((h x).mp (.inl rfl)).elim
  | .cons x l, .cons y l', o, o', p, p', h =>
    have e : Eq x y := match (h x).mp (.inl rfl), (h y).mpr (.inl rfl) with
      | .inl e, _ => e
      | .inr _, .inl e => Eq.symm e
      | .inr m, .inr k => impossible4 (on4 x.start x.stop y.start y.stop) (o'.left x m) (o.left y k)
          (p x (.inl rfl)) (p' y (.inl rfl)) rfl
    have rest (r : Interval) : Iff (Mem r l) (Mem r l') := ⟨
      fun m => match (h r).mp (.inr m) with
        | .inr k => k
        | .inl f => no_repeat (o.left r m) (p x (.inl rfl)) (Eq.trans f (Eq.symm e)),
      fun m => match (h r).mpr (.inr m) with
        | .inr k => k
        | .inl f => no_repeat (o'.left r m) (p' y (.inl rfl)) (Eq.trans f e)⟩
    congr2 List.cons e (ordered_unique l l' o.right o'.right (proper_rest p) (proper_rest p') rest)
where
  no_repeat {r x : Interval} {c : Prop} (a : Lt x.stop r.start) (b : Lt x.start x.stop) (e : Eq r x) : c :=
    have a : Lt x.stop x.start := e ▸ a
    impossible2 (on2 x.start x.stop) a b rfl

section
variable {a : Nat → Bool} {n : Nat} {l : List Interval}
theorem covered_of_active (same : (j : Nat) → Lt j n → Eq (paint l j) (a j)) {j : Nat} (inside : Lt j n)
    (h : IsTrue (a j)) : Covered l j :=
  (paint_iff j l).mp (Eq.trans (same j inside) h)
theorem run_of_mem (w : WellPlaced n l) (same : (j : Nat) → Lt j n → Eq (paint l j) (a j)) {r : Interval}
    (m : Mem r l) : IsRun a n r where
  nonempty := w.proper r m
  inside := w.inside r m
  active j x y := Eq.trans (Eq.symm (same j (le_trans y (w.inside r m)))) ((paint_iff j l).mpr ⟨r, m, x, y⟩)
  left := left r.start rfl
  right h := fun k =>
    let ⟨q, mq, x, y⟩ := covered_of_active same h k
    match ordered_cases w.ordered mq m with
    | .inl e =>
      have y : Lt r.stop r.stop := e ▸ y
      (not_succ_le_self _ y).elim
    | .inr (.inl g) => impossible3 (on4 q.stop r.start r.stop q.start) g (w.proper r m) y rfl
    | .inr (.inr g) => impossible2 (on2 r.stop q.start) g x rfl
where
  left : (s : Nat) → Eq r.start s → Not (IsTrue (before a s))
    | .zero, _ => nofun
    | .succ s, e => fun k =>
      have p := w.proper r m
      have p : Lt (.succ s) r.stop := e ▸ p
      let ⟨q, mq, x, y⟩ := covered_of_active same (le_trans (le_of_succ_le p) (w.inside r m)) k
      match ordered_cases w.ordered mq m with
      | .inl f =>
        have x : Nat.le r.start s := f ▸ x
        have x : Nat.le (.succ s) s := e ▸ x
        (not_succ_le_self _ x).elim
      | .inr (.inl g) =>
        have g : Lt q.stop (.succ s) := e ▸ g
        impossible2 (on2 q.stop s) g y rfl
      | .inr (.inr g) => impossible3 (on3 s r.stop q.start) p g x rfl
/-- **Runs by painting**: intervals in order, none empty, that paint a mask of `n` frames are its runs. -/
theorem runs_of_paint (w : WellPlaced n l) (same : (j : Nat) → Lt j n → Eq (paint l j) (a j)) : Eq (runs a n) l :=
  ordered_unique (runs a n) l (runs_ordered a n) w.ordered (runs_proper a n) w.proper fun r =>
    iff_trans (runs_exact a n r) ⟨
      fun h =>
        let ⟨_, m, x, y⟩ := covered_of_active same (le_trans h.nonempty h.inside) (h.active r.start .refl h.nonempty)
        run_unique (run_of_mem w same m) h ⟨x, y⟩ ⟨.refl, h.nonempty⟩ ▸ m,
      run_of_mem w same⟩
end
end Tracepact
