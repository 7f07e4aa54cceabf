import Tracepact.Thm.Vector.Block
/-! The rows of a block: their clauses, counts and tallies, clip after clip. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

def clausesIn : List Row → List ContractClause
  | .nil => .nil
  | .cons x rest => .cons x.clause (clausesIn rest)
def talliesIn : List Row → List Tally
  | .nil => .nil
  | .cons x rest => .cons x.tally (talliesIn rest)
def countsIn (h : Hints) (s : Nat) : List Row → List Counts
  | .nil => .nil
  | .cons x rest => .cons (rowCounts h s x) (countsIn h s rest)
/-- The counters of every row are those of its clause. -/
def RowsRight (d v : Nat) (mask : Nat → Nat) : List Row → Prop
  | .nil => True
  | .cons x rest => And (And (Eq x.satisfied (rowOf d v mask x.clause).satisfied)
      (Eq x.obligated (rowOf d v mask x.clause).obligated)) (RowsRight d v mask rest)

theorem first_clauses (d v : Nat) (mask : Nat → Nat) : (l : List ContractClause) →
    Eq (clausesIn (rowsOf d v mask l)) l
  | .nil => rfl
  | .cons (.frame o f) rest => congrArg (List.cons (ContractClause.frame o f)) (first_clauses d v mask rest)
  | .cons (.event e p) rest => congrArg (List.cons (ContractClause.event e p)) (first_clauses d v mask rest)
theorem first_tallies (d v : Nat) (mask : Nat → Nat) : (l : List ContractClause) →
    Eq (talliesIn (rowsOf d v mask l)) (noTallies l)
  | .nil => rfl
  | .cons (.frame _ _) rest => congrArg (List.cons noTally) (first_tallies d v mask rest)
  | .cons (.event _ _) rest => congrArg (List.cons noTally) (first_tallies d v mask rest)
theorem first_right (d v : Nat) (mask : Nat → Nat) : (l : List ContractClause) → RowsRight d v mask (rowsOf d v mask l)
  | .nil => .intro
  | .cons (.frame _ _) rest => ⟨⟨rfl, rfl⟩, first_right d v mask rest⟩
  | .cons (.event _ _) rest => ⟨⟨rfl, rfl⟩, first_right d v mask rest⟩

section
variable (h : Hints) (s n : Nat) (e : Bool)
theorem next_clauses : (rows : List Row) → Eq (clausesIn (nextRows h s n e rows)) (clausesIn rows)
  | .nil => rfl
  | .cons x rest => congrArg (List.cons x.clause) (next_clauses rest)
theorem next_tallies : (rows : List Row) → Eq (talliesIn (nextRows h s n e rows))
    (addTallies (talliesOf n e (clausesIn rows) (countsIn h s rows)) (talliesIn rows))
  | .nil => rfl
  | .cons x rest => congrArg (List.cons (rowTally n e x (rowCounts h s x))) (next_tallies rest)
theorem next_right {d v : Nat} {mask : Nat → Nat} : (rows : List Row) → RowsRight d v mask rows →
    RowsRight d v mask (nextRows h s n e rows)
  | .nil, _ => .intro
  | .cons _ rest, r => ⟨r.left, next_right rest r.right⟩
end

section
variable {c : Contract} {d v : Nat} {mask : Nat → Nat} {s n : Nat} {sides : Sides}
theorem row_counts (h : Home c d v mask s sides n) (hints : Hints) : (clause : ContractClause) → (a b : List Nat) →
    (t : Tally) → Eq a (rowOf d v mask clause).satisfied → Eq b (rowOf d v mask clause).obligated →
    Eq (rowCounts hints s ⟨clause, a, b, t⟩) (clauseCounts (c.trace sides n) hints.scene hints.matching clause)
  | .frame o f, _, _, _, x, y => Eq.trans (counts_eq (congrArg (fun l => readCounter l s) x)
      (congrArg (fun l => readCounter l s) y)) (home_frame h o f hints.scene hints.matching)
  | .event _ _, _, _, _, _, _ => rfl
theorem rows_counts (h : Home c d v mask s sides n) (hints : Hints) : (rows : List Row) → RowsRight d v mask rows →
    Eq (countsIn hints s rows) (allCounts (c.trace sides n) hints.scene hints.matching (clausesIn rows))
  | .nil, _ => rfl
  | .cons ⟨clause, a, b, t⟩ rest, r => congr2 List.cons (row_counts h hints clause a b t r.left.left r.left.right)
      (rows_counts h hints rest r.right)
end

theorem tally_eq : (t u : Tally) → IsTrue (sameTally t u) → Eq t u
  | ⟨a, b, ⟨x, y⟩⟩, ⟨a', b', ⟨x', y'⟩⟩, h =>
    let ⟨g, k⟩ := (band_iff _ _).mp h
    let ⟨ha, hb⟩ := (band_iff _ _).mp g
    let ⟨hx, hy⟩ := (band_iff _ _).mp k
    have ha : Eq a a' := (beq_iff _ _).mp ha
    have hb : Eq b b' := (beq_iff _ _).mp hb
    have hx : Eq x x' := (beq_iff _ _).mp hx
    have hy : Eq y y' := (beq_iff _ _).mp hy
    ha ▸ hb ▸ hx ▸ hy ▸ rfl
theorem tallies_eq : (rows : List Row) → (l : List Tally) → IsTrue (sameTallies rows l) → Eq (talliesIn rows) l
  | .nil, .nil, _ => rfl
  | .nil, .cons _ _, h => nomatch h
  | .cons _ _, .nil, h => nomatch h
  | .cons _ rows, .cons _ l, h =>
    let ⟨a, b⟩ := (band_iff _ _).mp h
    congr2 List.cons (tally_eq _ _ a) (tallies_eq rows l b)

/-- A clip that is at home in its block counts what its rows say. -/
theorem counts_found {c : Contract} {d v : Nat} {mask : Nat → Nat} {s : Nat} (x : Item) (rows : List Row)
    (right : RowsRight d v mask rows) (same : Eq (clausesIn rows) c.clauses)
    (ok : IsTrue (checkFound c d ⟨x, findHints c x.sides⟩))
    (home : Home c d v mask s x.sides (findHints c x.sides).frames) :
    CountsTo c x.sides ⟨countsIn (findHints c x.sides) s rows, hasEvidence (findHints c x.sides)⟩ :=
  let ⟨a, b⟩ := (band_iff _ _).mp ok
  let ⟨frames, _⟩ := (band_iff _ _).mp a
  let ⟨ref, pred⟩ := (band_iff _ _).mp b
  let h := findHints c x.sides
  have here : Eq (ClipCounts.mk (allCounts (c.trace x.sides h.frames) h.scene h.matching c.clauses) (hasEvidence h))
      ⟨countsIn h s rows, hasEvidence h⟩ := congrArg (fun l => ClipCounts.mk l (hasEvidence h))
    (Eq.symm (Eq.trans (rows_counts home h rows right) (congrArg (allCounts _ h.scene h.matching) same)))
  ⟨h.frames, frame_count c.step x.sides.duration h.frames frames,
   Eq.subst (motive := fun r => Eq (ClipCounts.mk (allCounts (c.trace x.sides h.frames) (c.scene r _)
      (c.matching (c.scene r _)) c.clauses) (bnot (band (isEmpty r) _))) _)
    (Eq.symm (runs_right c h.frames x.sides.refs h.ref.projected h.ref.runs ref).left)
    (Eq.subst (motive := fun p => Eq (ClipCounts.mk (allCounts (c.trace x.sides h.frames) (c.scene h.ref.runs p)
        (c.matching (c.scene h.ref.runs p)) c.clauses) (bnot (band (isEmpty h.ref.runs) (isEmpty p)))) _)
      (Eq.symm (runs_right c h.frames x.sides.preds h.pred.projected h.pred.runs pred).left) here)⟩
end Tracepact
