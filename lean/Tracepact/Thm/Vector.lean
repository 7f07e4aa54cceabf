import Tracepact.Impl.Vector
import Tracepact.Thm.Score
/-! The vector of a family. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- **Tallies.** When the kernel has computed that `checkEntries` is true, the clips come to the tally, onto the tally
of the clips that come after them. -/
theorem tallied_certified (c : Contract) (common : Nat) {more : List Sides} {t : FamilyTally}
    (after : Tallied c common more t) :
    (l : List ClipEntry) → Eq (checkEntries c common t.clauses l) .true →
        Tallied c common (sidesOf l more) (tallyOf t l)
  | .nil, _ => after
  | .cons x rest, h =>
    let ⟨a, b⟩ := (band_iff _ _).mp h
    let ⟨clip, sums⟩ := (band_iff _ _).mp a
    .more (t := tallyOf t rest) (counts_certified c x.sides x.hints x.counts clip) sums
        (tallied_certified c common after rest b)
/-- **The vector of a family.** When the clips come to a tally and the kernel has computed that the scores fit it, then
under contract `c` the tables of the family score exactly this vector. -/
theorem vector_certified (c : Contract) (common : Nat) (family : List Sides) (t : FamilyTally)
    (scores : List ClauseScore)
    (tallied : Tallied c common family t)
    (h : Eq (band (Nat.ble 1 (Nat.mul common t.clips)) (scoresFit common t.clips t.evidence c.clauses t.clauses scores))
        .true) :
    ScoresTo c family scores := ⟨common, t, tallied, h⟩
end Tracepact
