import Tracepact.Thm.Matching.Greedy
/-! Ranking is a total order, so that sorting by it and keeping the free candidates takes them by cost. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem not_ble {a b : Nat} (h : Not (IsTrue (Nat.ble a b))) : Lt b a :=
  (le_or_lt a b).elim (fun l => absurd (ble_of_le a b l) h) id
/-- Neither of two costs is less: they are equal. -/
theorem same_eq : (a b : Int) → IsTrue (intSame a b) → Eq a b
  | .ofNat _, .ofNat _, h =>
    let ⟨p, q⟩ := (band_iff _ _).mp h
    congrArg Int.ofNat (le_antisymm (le_of_succ_le_succ (not_ble ((bnot_iff _).mp q)))
      (le_of_succ_le_succ (not_ble ((bnot_iff _).mp p))))
  | .negSucc _, .ofNat _, h => nomatch h
  | .ofNat _, .negSucc _, h => nomatch ((band_iff _ _).mp h).right
  | .negSucc _, .negSucc _, h =>
    let ⟨p, q⟩ := (band_iff _ _).mp h
    congrArg Int.negSucc (le_antisymm (le_of_succ_le_succ (not_ble ((bnot_iff _).mp p)))
      (le_of_succ_le_succ (not_ble ((bnot_iff _).mp q))))
theorem less_irrefl : (a : Int) → Not (IsTrue (intLess a a))
  | .ofNat a => fun h => not_succ_le_self a (le_of_ble _ _ h)
  | .negSucc a => fun h => not_succ_le_self a (le_of_ble _ _ h)
theorem same_self (a : Int) : IsTrue (intSame a a) :=
  (band_iff _ _).mpr ⟨(bnot_iff _).mpr (less_irrefl a), (bnot_iff _).mpr (less_irrefl a)⟩
theorem less_trans : (a b c : Int) → IsTrue (intLess a b) → IsTrue (intLess b c) → IsTrue (intLess a c)
  | .ofNat _, .ofNat _, .ofNat _, h, k => ble_of_le _ _ (le_trans (le_of_ble _ _ h) (le_of_succ_le (le_of_ble _ _ k)))
  | .negSucc _, _, .ofNat _, _, _ => rfl
  | .negSucc _, .negSucc _, .negSucc _, h, k =>
    ble_of_le _ _ (le_trans (le_of_ble _ _ k) (le_of_succ_le (le_of_ble _ _ h)))
  | .ofNat _, .negSucc _, _, h, _ => nomatch h
  | .ofNat _, .ofNat _, .negSucc _, _, k => nomatch k
  | .negSucc _, .ofNat _, .negSucc _, _, k => nomatch k

/-- By reference onset, then prediction onset. -/
def OnsetsBefore (c d : Candidate) : Prop :=
  Or (Lt c.refOnset d.refOnset) (And (Eq c.refOnset d.refOnset) (Nat.le c.predOnset d.predOnset))
theorem ranks_iff (c d : Candidate) : Iff (IsTrue (ranksBefore c d))
    (Or (IsTrue (intLess c.cost d.cost)) (And (Eq c.cost d.cost) (OnsetsBefore c d))) :=
  iff_trans (bor_iff _ _) (or_iff iff_refl (iff_trans (band_iff _ _) (and_iff
    ⟨same_eq _ _, fun e => e ▸ same_self _⟩
    (iff_trans (bor_iff _ _) (or_iff (ble_iff _ _) (iff_trans (band_iff _ _) (and_iff (beq_iff _ _) (ble_iff _ _))))))))
theorem onsets_trans {c d e : Candidate} : OnsetsBefore c d → OnsetsBefore d e → OnsetsBefore c e
  | .inl h, .inl k => .inl (le_trans h (le_of_succ_le k))
  | .inl h, .inr ⟨k, _⟩ => .inl (k ▸ h)
  | .inr ⟨h, _⟩, .inl k => .inl (Eq.symm h ▸ k)
  | .inr ⟨h, p⟩, .inr ⟨k, q⟩ => .inr ⟨Eq.trans h k, le_trans p q⟩
theorem ranks_trans {c d e : Candidate} (h : IsTrue (ranksBefore c d)) (k : IsTrue (ranksBefore d e)) :
    IsTrue (ranksBefore c e) :=
  (ranks_iff c e).mpr (match (ranks_iff c d).mp h, (ranks_iff d e).mp k with
    | .inl h, .inl k => .inl (less_trans _ _ _ h k)
    | .inl h, .inr ⟨k, _⟩ => .inl (k ▸ h)
    | .inr ⟨h, _⟩, .inl k => .inl (Eq.symm h ▸ k)
    | .inr ⟨h, p⟩, .inr ⟨k, q⟩ => .inr ⟨Eq.trans h k, onsets_trans p q⟩)
theorem onsets_total (c d : Candidate) : Or (OnsetsBefore c d) (OnsetsBefore d c) :=
  match le_or_lt c.refOnset d.refOnset with
  | .inr l => .inr (.inl l)
  | .inl l => match eq_or_lt l with
    | .inr l => .inl (.inl l)
    | .inl e => match le_or_lt c.predOnset d.predOnset with
      | .inl k => .inl (.inr ⟨e, k⟩)
      | .inr k => .inr (.inr ⟨Eq.symm e, le_of_succ_le k⟩)
theorem ranks_total (c d : Candidate) (h : Not (IsTrue (ranksBefore c d))) : IsTrue (ranksBefore d c) :=
  match true_or_not (intLess d.cost c.cost) with
  | .inl l => (ranks_iff d c).mpr (.inl l)
  | .inr l =>
    have n : Not (IsTrue (intLess c.cost d.cost)) := fun k => h ((ranks_iff c d).mpr (.inl k))
    have e : Eq c.cost d.cost := same_eq _ _ ((band_iff _ _).mpr ⟨(bnot_iff _).mpr n, (bnot_iff _).mpr l⟩)
    match onsets_total c d with
    | .inl k => absurd ((ranks_iff c d).mpr (.inr ⟨e, k⟩)) h
    | .inr k => (ranks_iff d c).mpr (.inr ⟨Eq.symm e, k⟩)

/-- Every entry ranks before all that follow it. -/
def Ranked : List Candidate → Prop
  | .nil => True
  | .cons c rest => And ((d : Candidate) → Mem d rest → IsTrue (ranksBefore c d)) (Ranked rest)
theorem insert_ranked (c : Candidate) : (l : List Candidate) → Ranked l → Ranked (insertRanked c l)
  | .nil, _ => ⟨fun _ m => m.elim, .intro⟩
  | .cons d rest, h => cond_elim (P := Ranked) (ranksBefore c d)
      (fun b => ⟨fun x m => match m with
        | .inl e => Eq.symm e ▸ b
        | .inr m => ranks_trans b (h.left x m), h⟩)
      (fun b => ⟨fun x m => match (mem_insertRanked x c rest).mp m with
        | .inl e => Eq.symm e ▸ ranks_total c d b
        | .inr m => h.left x m, insert_ranked c rest h.right⟩)
theorem ranked_ranked : (l : List Candidate) → Ranked (ranked l)
  | .nil => .intro
  | .cons c rest => insert_ranked c (ranked rest) (ranked_ranked rest)

/-- Kept, or an end is shared with a kept candidate that ranks before it. -/
def KeptOrBeaten (result : List Candidate) (c : Candidate) : Prop :=
  Or (Mem c result) (Exists fun d => And (Mem d result) (And (Shares c d) (IsTrue (ranksBefore d c))))
theorem keepFree_beaten : (list kept : List Candidate) → Ranked list → OneToOne kept →
    ((d : Candidate) → Mem d kept → (c : Candidate) → Mem c list → IsTrue (ranksBefore d c)) →
    (c : Candidate) → Mem c list → KeptOrBeaten (keepFree kept list) c
  | .nil, _, _, _, _, _, m => m.elim
  | .cons c rest, kept, r, o, before, x, m =>
    cond_elim (P := fun result => KeptOrBeaten result x) (isFree c kept)
      (fun free =>
        have one : OneToOne (.cons c kept) := ⟨(isFree_iff c kept).mp free, o⟩
        match m with
        | .inl e => .inl (Eq.symm e ▸ (keepFree_ok rest (.cons c kept) one).keeps c (.inl rfl))
        | .inr m => keepFree_beaten rest (.cons c kept) r.right one (fun d n y my => match n with
            | .inl e => Eq.symm e ▸ r.left y my
            | .inr n => before d n y (.inr my)) x m)
      (fun busy => match m with
        | .inl e =>
          let ⟨d, n, s⟩ := taken c kept busy
          .inr ⟨d, (keepFree_ok rest kept o).keeps d n, Eq.symm e ▸ s, Eq.symm e ▸ before d n c (.inl rfl)⟩
        | .inr m => keepFree_beaten rest kept r.right o (fun d n y my => before d n y (.inr my)) x m)
end Tracepact
