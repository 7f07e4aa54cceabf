import Tracepact.Thm.Vector.Rows
/-! The vector of a family: blocks of clips, classes, and the scores of all. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- The clips of `rest` lie in a block as they lie by themselves, `s` frames on. -/
def LiesAt (all rest : List Segment) (s : Nat) : Prop :=
  (c : Clip) → (p : Nat) → StartsAt c rest p → StartsAt c all (Nat.add p s)
theorem lies_first {all rest : List Segment} {x : Segment} {s : Nat} (h : LiesAt all (.cons x rest) s) :
    StartsAt x.clip all s := Eq.subst (motive := StartsAt x.clip all) (zero_add s) (h x.clip 0 (.inl ⟨rfl, rfl⟩))
theorem lies_rest {all rest : List Segment} {x : Segment} {s : Nat} (h : LiesAt all (.cons x rest) s) :
    LiesAt all rest (Nat.add s x.stride) := fun c p start =>
  have e : Eq (Nat.add (Nat.add p x.stride) s) (Nat.add p (Nat.add s x.stride)) :=
    le_antisymm (lin0 (on3 p x.stride s) rfl) (lin0 (on3 p s x.stride) rfl)
  Eq.subst (motive := StartsAt c all) e (h c (Nat.add p x.stride) (.inr ⟨p, rfl, start⟩))

section
variable {c : Contract} {d : Nat} {u : ClassTally} {all : List Found}
theorem tallies_right : (items : List Item) → (s : Nat) → (rows : List Row) → (clips : Nat) → (e : Bool) →
    (more : List Sides) → LiesAt (laid d all) (laid d (findAll c items)) s →
    RowsRight d (familyValid (laid d all)) (laidMasks (laid d all)) rows → Eq (clausesIn rows) c.clauses →
    Tallied c more ⟨talliesIn rows, clips, e⟩ → IsTrue (checkTallies c d u (findAll c items) s rows clips e) →
    Tallied c (stacked more items) u
  | .nil, _, rows, clips, e, more, _, _, _, t, ok =>
    let ⟨a, b⟩ := (band_iff _ _).mp ok
    let ⟨same, evidence⟩ := (band_iff _ _).mp b
    have tallies : Eq (talliesIn rows) u.clauses := tallies_eq _ _ a
    have same : Eq clips u.clips := (beq_iff _ _).mp same
    have evidence : Eq e u.evidence := eq_of_iff ((biff_iff _ _).mp evidence)
    Eq.subst (motive := fun x => Tallied c more ⟨x, u.clips, u.evidence⟩) tallies
      (Eq.subst (motive := fun n => Tallied c more ⟨_, n, u.evidence⟩) same
        (Eq.subst (motive := fun b => Tallied c more ⟨_, _, b⟩) evidence t))
  | .cons x items, s, rows, clips, e, more, lies, right, same, t, ok =>
    let h := findHints c x.sides
    let ⟨found, ok⟩ := (band_iff _ _).mp ok
    have ok := Eq.trans (Eq.symm (withNextRows_eq h s (.succ x.again) (hasEvidence h) rows _)) ok
    have ok := Eq.trans (Eq.symm (force_eq (Nat.add s (Nat.add h.frames (Nat.pow 2 d))) _)) ok
    have ok := Eq.trans (Eq.symm (force_eq (Nat.add (.succ x.again) clips) _)) ok
    have home := home_of_start (all := all) ⟨x, h⟩ found (lies_first lies)
    have more' : Tallied c (repeated x.sides more x.again)
        ⟨addTallies (talliesOf (.succ x.again) (hasEvidence h) c.clauses (countsIn h s rows)) (talliesIn rows),
         Nat.add (.succ x.again) clips, bor (hasEvidence h) e⟩ :=
      .more x.again (counts_found x rows right same found home) t
    have more' := Eq.subst (motive := fun l => Tallied c _ ⟨l, _, _⟩) (Eq.symm (Eq.trans
      (next_tallies h s (.succ x.again) (hasEvidence h) rows)
      (congrArg (fun l => addTallies (talliesOf (.succ x.again) (hasEvidence h) l _) _) same))) more'
    tallies_right items _ (nextRows h s (.succ x.again) (hasEvidence h) rows) _ _ _ (lies_rest lies)
      (next_right _ _ _ _ rows right) (Eq.trans (next_clauses _ _ _ _ rows) same) more' ok
end

theorem true_of_one : (b : Bool) → Eq (Nat.beq (toNat b) 1) .true → IsTrue b
  | .true, _ => rfl
  | .false, h => nomatch h
/-- **Tallies.** When the kernel has computed that `checkBlock` is true, then under contract `c` the clips of the block,
from their tables' own times, come to exactly this tally. That the truth value is asked for as a number matters to
Lean's elaborator alone, which then takes a third of the time. -/
theorem tallied_certified (c : Contract) (d : Nat) (items : List Item) (u : ClassTally)
    (h : Eq (Nat.beq (toNat (checkBlock c d items u)) 1) .true) : Tallied c (stacked .nil items) u :=
  let found := findAll c items
  have h := Eq.trans (Eq.symm (withAll_eq c items _)) (true_of_one _ h)
  have h := Eq.trans (Eq.symm (withLaid_eq (familyValid (laid d found)) (familyMask 0 (laid d found))
    (familyMask 1 (laid d found)) _)) h
  have h := Eq.trans (Eq.symm (withRows_eq d (familyValid (laid d found)) (laidMasks (laid d found)) c.clauses _)) h
  tallies_right (all := found) items 0 _ 0 .false .nil (fun _ _ start => start) (first_right _ _ _ c.clauses)
    (first_clauses _ _ _ c.clauses)
    (Eq.subst (motive := fun l => Tallied c .nil ⟨l, 0, .false⟩) (Eq.symm (first_tallies _ _ _ c.clauses)) .none) h
/-- **The vector of a family.** When the classes come to their tallies and the kernel has computed that the scores fit
them, then under contract `c` the tables of the family score exactly this vector. -/
theorem vector_certified (c : Contract) (family : List (List Sides)) (clips : Nat) (tallies : List ClassTally)
    (scores : List ClauseScore) (tallied : ClassesTallied c family tallies)
    (h : Eq (Nat.beq (toNat (band (haveClips clips tallies) (scoresFit clips c.clauses tallies scores))) 1) .true) :
    ScoresTo c family scores := ⟨clips, tallies, tallied, true_of_one _ h⟩
end Tracepact
