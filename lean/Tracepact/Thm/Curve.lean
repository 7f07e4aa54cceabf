import Tracepact.Spec.Score
import Tracepact.Thm.Obligation
import Tracepact.Thm.Threshold
/-! The tolerance curve: how many obliged frames are satisfied, as a function of the radius. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem within_some {d k : Nat} : {o : Option Nat} → Eq o (.some d) →
    Iff (IsTrue (Nat.ble d k)) (AtMostOf o k)
  | _, e => ⟨fun h => ⟨d, e, le_of_ble _ _ h⟩, fun ⟨_, q, l⟩ => ble_of_le _ _ (some_eq (Eq.trans (Eq.symm q) e) ▸ l)⟩
/-- One more frame: counted if it is obliged and its nearest distance is at most `k`. -/
theorem count_withSome (k : Nat) (rest : List Nat) (v : Bool) : (o : Option Nat) → Iff (IsTrue v) (AtMostOf o k) →
    Eq (listCount (fun d => Nat.ble d k) (withSome o rest)) (Nat.add (listCount (fun d => Nat.ble d k) rest) (toNat v))
  | .none, h => congrArg (fun b =>
      Nat.add _ (toNat b)) (Eq.symm (eq_false fun e => match h.mp e with | ⟨_, q, _⟩ => nomatch q))
  | .some _, h => congrArg (fun b => Nat.add _ (toNat b)) (eq_of_iff (iff_trans (within_some rfl) (iff_symm h)))
theorem count_distances (o p v : Nat → Bool) (n k : Nat)
    (h : (i : Nat) → Iff (IsTrue (v i)) (AtMostOf (nearest p i n) k)) :
    (m : Nat) → Eq (satisfied o v m) (listCount (fun d => Nat.ble d k) (nearestDistances o p n m))
  | .zero => rfl
  | .succ m => step (o m) (count_distances o p v n k h m)
where
  step {m : Nat} {l : List Nat} (b : Bool) (ih : Eq (satisfied o v m) (listCount (fun d => Nat.ble d k) l)) :
      Eq (Nat.add (satisfied o v m) (toNat (band b (v m))))
        (listCount (fun d => Nat.ble d k) (cond b (withSome (nearest p m n) l) l)) :=
    match b with
    | .true => Eq.trans (congrArg (fun x => Nat.add x (toNat (v m))) ih) (Eq.symm (count_withSome k l (v m) _ (h m)))
    | .false => ih

/-- **Tolerance curve.** How many obliged frames satisfy `N[k] φ`, as a function of `k`, is the number of their nearest
distances that are at most `k`: one list of distances gives the count for every radius. -/
theorem tolerance_curve (t : Trace) (o : Nat → Bool) (f : Formula) (k : Nat) :
    Eq (satisfied o (eval t (near k f)) t.frames)
      (listCount (fun d => Nat.ble d k) (nearestDistances o (eval t f) t.frames t.frames)) :=
  count_distances o (eval t f) (eval t (near k f)) t.frames k
    (fun i => iff_trans (eval_iff_holds t (near k f) i) (threshold_recovery t f k i)) t.frames
/-- **Tolerance curve of an edge guard**: the same for `φ -> N[k] ψ`, obliged where `φ` holds. -/
theorem guard_curve (t : Trace) (a b : Formula) (k : Nat) :
    Eq (satisfied (eval t a) (eval t (.implies a (near k b))) t.frames)
      (listCount (fun d => Nat.ble d k) (nearestDistances (eval t a) (eval t b) t.frames t.frames)) :=
  Eq.trans (vacuity_control t a (near k b)) (tolerance_curve t (eval t a) b k)
end Tracepact
