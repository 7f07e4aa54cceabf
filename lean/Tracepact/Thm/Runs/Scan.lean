import Tracepact.Impl.Scan
import Tracepact.Thm.Base.Logic
/-! What the scan keeps true frame by frame. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- Frame `j` lies in one of the intervals. -/
def Covered (l : List Interval) (j : Nat) : Prop := Exists fun r : Interval =>
    And (Mem r l) (And (Nat.le r.start j) (Lt j r.stop))
/-- Latest first, with at least one frame between. -/
def Descending : List Interval → Prop
  | .nil => True
  | .cons r rest => And ((q : Interval) → Mem q rest → Lt q.stop r.start) (Descending rest)
/-- The list has the runs of the first `n` frames, latest first. -/
structure Scanned (a : Nat → Bool) (n : Nat) (l : List Interval) : Prop where
  runs : (r : Interval) → Mem r l → IsRun a n r
  complete : (j : Nat) → Lt j n → IsTrue (a j) → Covered l j
  descending : Descending l

theorem run_stays {a : Nat → Bool} {n : Nat} {r : Interval} (h : IsRun a n r) (l : Lt r.stop n) : IsRun a (.succ n) r :=
  ⟨h.nonempty, .step h.inside, h.active, h.left, fun _ => h.right l⟩
theorem run_ends {a : Nat → Bool} {n : Nat} {r : Interval} (h : IsRun a n r) (off : Not (IsTrue (a n))) :
    IsRun a (.succ n) r :=
  ⟨h.nonempty, .step h.inside, h.active, h.left, fun l => match eq_or_lt (le_of_succ_le_succ l) with
    | .inl e => fun k => off (e ▸ k)
    | .inr l => h.right l⟩
theorem covered_more {l : List Interval} {j : Nat} (r : Interval) : Covered l j → Covered (.cons r l) j
  | ⟨q, m, h⟩ => ⟨q, .inr m, h⟩
theorem fresh {a : Nat → Bool} {l : List Interval} : {n : Nat} → Scanned a n l →
    ((r : Interval) → Mem r l → Lt r.stop n) → Not (IsTrue (before a n))
  | .zero, _, _ => nofun
  | .succ n, s, h => fun k =>
    let ⟨r, m, _, c⟩ := s.complete n .refl k
    (impossible2 (on2 r.stop n) (h r m) c rfl)
/-- A new run begins at `n`. -/
theorem begin_run {a : Nat → Bool} {n : Nat} {l : List Interval} (s : Scanned a n l) (on : IsTrue (a n))
    (h : (r : Interval) → Mem r l → Lt r.stop n) :
    Scanned a (.succ n) (.cons ⟨n, .succ n⟩ l) where
  runs r
    | .inl e => Eq.symm e ▸ ⟨.refl, .refl, fun _ x y =>
        Eq.subst (motive := fun z => IsTrue (a z)) (le_antisymm x (le_of_succ_le_succ y)) on,
        fresh s h, fun k => (not_succ_le_self _ k).elim⟩
    | .inr m => run_stays (s.runs r m) (h r m)
  complete j k c := match lt_succ_cases k with
    | .inl e => ⟨⟨n, .succ n⟩, .inl rfl, Eq.symm e ▸ .refl, Eq.symm e ▸ .refl⟩
    | .inr k => covered_more _ (s.complete j k c)
  descending := ⟨h, s.descending⟩
theorem scan_grow {a : Nat → Bool} {n : Nat} (on : IsTrue (a n)) : {l : List Interval} → Scanned a n l →
    Scanned a (.succ n) (grow n l)
  | .nil, s => begin_run s on fun _ m => m.elim
  | .cons r rest, s => cond_elim (P := Scanned a (.succ n)) (Nat.beq r.stop n)
    (fun e =>
      have e : Eq r.stop n := (beq_iff _ _).mp e
      have h := s.runs r (.inl rfl)
      have earlier (q : Interval) (m : Mem q rest) : Lt q.stop n :=
          le_trans (s.descending.left q m) (le_of_succ_le (Eq.subst (motive := Lt r.start) e h.nonempty))
      { runs := fun q m => match m with
          | .inl d => Eq.symm d ▸ ⟨.step (Eq.subst (motive := Lt r.start) e h.nonempty), .refl, fun j x y =>
              match lt_succ_cases y with
              | .inl f => Eq.symm f ▸ on
              | .inr f => h.active j x (Eq.symm e ▸ f), h.left, fun k => (not_succ_le_self _ k).elim⟩
          | .inr m => run_stays (s.runs q (.inr m)) (earlier q m)
        complete := fun j k c => match lt_succ_cases k with
          | .inl f => ⟨⟨r.start, .succ n⟩, .inl rfl,
              Eq.symm f ▸ le_of_succ_le (Eq.subst (motive := Lt r.start) e h.nonempty), Eq.symm f ▸ .refl⟩
          | .inr k => match s.complete j k c with
            | ⟨_, .inl d, x, y⟩ =>
              have x : Nat.le r.start j := d ▸ x
              have y : Lt j r.stop := d ▸ y
              ⟨⟨r.start, .succ n⟩, .inl rfl, x, .step (Eq.subst (motive := Lt j) e y)⟩
            | ⟨q, .inr m, x, y⟩ => ⟨q, .inr m, x, y⟩
        descending := ⟨s.descending.left, s.descending.right⟩ })
    (fun e =>
      have l : Lt r.stop n := match eq_or_lt (s.runs r (.inl rfl)).inside with
        | .inl d => absurd ((beq_iff _ _).mpr d) e
        | .inr l => l
      begin_run s on fun q m => match m with
        | .inl d => Eq.symm d ▸ l
        | .inr m => le_trans (s.descending.left q m)
            (le_of_succ_le (le_trans (s.runs r (.inl rfl)).nonempty (le_of_succ_le l))))
theorem scan_ok (a : Nat → Bool) : (n : Nat) → Scanned a n (scan a n)
  | .zero => ⟨fun _ m => m.elim, fun _ k => (nomatch k), .intro⟩
  | .succ n =>
    have s := scan_ok a n
    cond_elim (P := Scanned a (.succ n)) (a n) (fun on => scan_grow on s) (fun off =>
      ⟨fun r m => run_ends (s.runs r m) off, fun j k c => match lt_succ_cases k with
        | .inl e => absurd (e ▸ c) off
        | .inr k => s.complete j k c, s.descending⟩)

theorem mem_turned (r : Interval) : (l done : List Interval) → Iff (Mem r (turned l done)) (Or (Mem r l) (Mem r done))
  | .nil, _ => ⟨.inr, fun | .inl h => h.elim | .inr h => h⟩
  | .cons q rest, done => iff_trans (mem_turned r rest (.cons q done)) ⟨
      fun | .inl h => .inl (.inr h) | .inr (.inl h) => .inl (.inl h) | .inr (.inr h) => .inr h,
      fun | .inl (.inl h) => .inr (.inl h) | .inl (.inr h) => .inl h | .inr h => .inr (.inr h)⟩
theorem ordered_turned : (l done : List Interval) → Descending l → Ordered done →
    ((r q : Interval) → Mem r l → Mem q done → Lt r.stop q.start) → Ordered (turned l done)
  | .nil, _, _, o, _ => o
  | .cons r rest, done, d, o, h => ordered_turned rest (.cons r done) d.right ⟨fun q m => h r q (.inl rfl) m, o⟩
      fun p q m k => match k with
        | .inl e => Eq.symm e ▸ d.left p m
        | .inr k => h p q (.inr m) k
end Tracepact
