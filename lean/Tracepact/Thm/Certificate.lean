import Tracepact.Impl.Certificate
import Tracepact.Spec.Score
import Tracepact.Thm.Boundary
import Tracepact.Thm.Counting
/-! A certificate: one kernel computation on masks gives verdicts and counts in the sense of the meaning. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem case_verdict (c : Case) (f : Formula) (i : Nat) :
    Eq (bit (c.verdict f) i) (band (Nat.ble (.succ i) c.frames) (eval c.trace f i)) :=
  Eq.trans (bitset_verdicts c.frames _ f i) (match le_or_lt c.frames i with
    | .inl l =>
      have e : Eq (Nat.ble (.succ i) c.frames) .false := eq_false fun h =>
          not_succ_le_self i (le_trans ((ble_iff _ _).mp h) l)
      Eq.trans (congrArg (fun b => band b _) e) (Eq.symm (congrArg (fun b => band b (eval c.trace f i)) e))
    | .inr l => congrArg (band _) (extensionality ⟨c.frames, fun k j =>
        bit (boundaryMask (full c.frames) c.ref c.pred c.extra k) j⟩ c.trace f rfl
        (fun k _ j h => boundary_atoms c.frames c.ref c.pred c.extra k j h) i l))
theorem case_verdict_inside (c : Case) (f : Formula) (i : Nat) (l : Lt i c.frames) :
    Eq (bit (c.verdict f) i) (eval c.trace f i) :=
  Eq.trans (case_verdict c f i) (congrArg (fun b => band b (eval c.trace f i)) (ble_of_le _ _ l))
theorem case_verdict_within (c : Case) (f : Formula) (i : Nat) (h : IsTrue (bit (c.verdict f) i)) : Lt i c.frames :=
  (ble_iff _ _).mp ((band_iff _ _).mp (Eq.trans (Eq.symm (case_verdict c f i)) h)).left

theorem force_eq (x : Nat) (k : Nat → Bool) : Eq (force x k) (k x) :=
  match x with
  | .zero => rfl
  | .succ _ => rfl
theorem checkClaim_eq (d : Nat) (c : Case) (k : Clause) (m : Claim) : Eq (checkClaim d c k m)
    (band (Nat.ble c.frames (Nat.pow 2 d)) (band (Nat.beq (c.verdict k.formula) m.verdict)
      (band (Nat.beq (popcount d (Nat.land (c.verdict k.obligation) m.verdict)) m.satisfied)
        (Nat.beq (popcount d (c.verdict k.obligation)) m.obligated)))) :=
  Eq.trans (force_eq m.verdict _)
      (Eq.trans (force_eq (c.verdict k.obligation) _) (force_eq (Nat.land (c.verdict k.obligation) m.verdict) _))

/-- **Certificates.** When the kernel has computed that `checkClaim` is true, the claimed mask and counts are those of
the meaning, at every frame of the clip. -/
theorem certify (d : Nat) (c : Case) (k : Clause) (m : Claim) (h : Eq (checkClaim d c k m) .true) : Certified c k m :=
  let ⟨fits, h⟩ := (band_iff _ _).mp (Eq.trans (Eq.symm (checkClaim_eq d c k m)) h)
  let ⟨hv, h⟩ := (band_iff _ _).mp h
  let ⟨hs, ho⟩ := (band_iff _ _).mp h
  have fits : Nat.le c.frames (Nat.pow 2 d) := (ble_iff _ _).mp fits
  have hv : Eq (c.verdict k.formula) m.verdict := (beq_iff _ _).mp hv
  { verdict := fun i l => iff_trans (iff_symm (eval_iff_holds c.trace k.formula i))
      (iff_of_eq (Eq.trans (Eq.symm (case_verdict_inside c k.formula i l)) (congrArg (fun x => bit x i) hv)))
    satisfied := Eq.trans
      (Eq.symm (Eq.trans (popcount_eq_count d c.frames _ fits fun i e =>
          case_verdict_within c _ i ((land_iff _ _ _).mp e).left)
        (count_congr c.frames fun i l => Eq.trans (bit_land _ _ _) (congr2 band (case_verdict_inside c k.obligation i l)
          (Eq.trans (congrArg (fun x => bit x i) (Eq.symm hv)) (case_verdict_inside c k.formula i l))))))
      ((beq_iff _ _).mp hs)
    obligated := Eq.trans
      (Eq.symm (Eq.trans (popcount_eq_count d c.frames _ fits (case_verdict_within c _))
        (count_congr c.frames fun i l => case_verdict_inside c k.obligation i l)))
      ((beq_iff _ _).mp ho) }
end Tracepact
