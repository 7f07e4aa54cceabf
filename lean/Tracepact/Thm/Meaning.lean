import Tracepact.Spec.Formula
import Tracepact.Thm.Base.Logic
/-! The evaluator and the meaning. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem atLeast_iff (i : Nat) : (lo : Int) → (j : Nat) → Iff (IsTrue (atLeast i lo j)) (AtLeast i lo j)
  | .ofNat _, _ => ble_iff _ _
  | .negSucc _, _ => ble_iff _ _
theorem atMost_iff (i : Nat) : (hi : Int) → (j : Nat) → Iff (IsTrue (atMost i hi j)) (AtMost i hi j)
  | .ofNat _, _ => ble_iff _ _
  | .negSucc _, _ => ble_iff _ _
theorem inWindow_iff (n i : Nat) (lo hi : Int) (j : Nat) :
    Iff (And (Lt j n) (IsTrue (band (atLeast i lo j) (atMost i hi j)))) (InWindow n i lo hi j) :=
  ⟨fun ⟨l, h⟩ => let ⟨a, b⟩ := (band_iff _ _).mp h; ⟨l, (atLeast_iff i lo j).mp a, (atMost_iff i hi j).mp b⟩,
   fun w => ⟨w.inside, (band_iff _ _).mpr ⟨(atLeast_iff i lo j).mpr w.lower, (atMost_iff i hi j).mpr w.upper⟩⟩⟩
theorem ahead_iff (n i r j : Nat) :
    Iff (And (Lt j n) (IsTrue (band (Nat.ble i j) (Nat.ble j (Nat.add i r))))) (Ahead n i r j) :=
  ⟨fun ⟨l, h⟩ => let ⟨a, b⟩ := (band_iff _ _).mp h; ⟨l, (ble_iff _ _).mp a, (ble_iff _ _).mp b⟩,
   fun w => ⟨w.inside, (band_iff _ _).mpr ⟨(ble_iff _ _).mpr w.lower, (ble_iff _ _).mpr w.upper⟩⟩⟩
theorem behind_iff (n i r j : Nat) :
    Iff (And (Lt j n) (IsTrue (band (Nat.ble j i) (Nat.ble i (Nat.add j r))))) (Behind n i r j) :=
  ⟨fun ⟨l, h⟩ => let ⟨a, b⟩ := (band_iff _ _).mp h; ⟨l, (ble_iff _ _).mp a, (ble_iff _ _).mp b⟩,
   fun w => ⟨w.inside, (band_iff _ _).mpr ⟨(ble_iff _ _).mpr w.upper, (ble_iff _ _).mpr w.lower⟩⟩⟩

theorem search_iff {n : Nat} {w e : Nat → Bool} {W E : Nat → Prop}
    (hw : (j : Nat) → Iff (And (Lt j n) (IsTrue (w j))) (W j))
    (he : (j : Nat) → Iff (IsTrue (e j)) (E j)) :
    Iff (IsTrue (anyBelow (fun j => band (w j) (e j)) n)) (Exists fun j => And (W j) (E j)) :=
  iff_trans (anyBelow_iff _ _) (exists_iff fun j => ⟨
    fun ⟨l, h⟩ => let ⟨a, b⟩ := (band_iff _ _).mp h; ⟨(hw j).mp ⟨l, a⟩, (he j).mp b⟩,
    fun ⟨a, b⟩ => let ⟨l, a'⟩ := (hw j).mpr a; ⟨l, (band_iff _ _).mpr ⟨a', (he j).mpr b⟩⟩⟩)
theorem check_iff {n : Nat} {w e : Nat → Bool} {W E : Nat → Prop}
    (hw : (j : Nat) → Iff (And (Lt j n) (IsTrue (w j))) (W j))
    (he : (j : Nat) → Iff (IsTrue (e j)) (E j)) :
    Iff (IsTrue (allBelow (fun j => bimplies (w j) (e j)) n)) ((j : Nat) → W j → E j) :=
  iff_trans (allBelow_iff _ _) (forall_iff fun j => ⟨
    fun h a => let ⟨l, a'⟩ := (hw j).mpr a; (he j).mp ((bimplies_iff _ _).mp (h l) a'),
    fun h l => (bimplies_iff _ _).mpr fun a => (he j).mpr (h ((hw j).mp ⟨l, a⟩))⟩)
theorem before_iff {p : Nat → Bool} {P : Nat → Prop} (h : (k : Nat) → Iff (IsTrue (p k)) (P k)) (i j : Nat) :
    Iff (IsTrue (allBelow (fun k => bimplies (Nat.ble i k) (p k)) j)) ((k : Nat) → Nat.le i k → Lt k j → P k) :=
  iff_trans (check_iff (W := fun k => And (Lt k j) (Nat.le i k)) (fun _ => and_iff iff_refl (ble_iff _ _)) h)
    (forall_iff fun _ => ⟨fun f a l => f ⟨l, a⟩, fun f ⟨l, a⟩ => f a l⟩)
theorem after_iff {p : Nat → Bool} {P : Nat → Prop} (h : (k : Nat) → Iff (IsTrue (p k)) (P k)) (i j : Nat) :
    Iff (IsTrue (allBelow (fun k => bimplies (Nat.ble (.succ j) k) (p k)) (.succ i))) ((k : Nat) → Lt j k → Nat.le k i →
        P k) :=
  iff_trans (check_iff (W := fun k => And (Lt k (.succ i)) (Lt j k)) (fun _ => and_iff iff_refl (ble_iff _ _)) h)
    (forall_iff fun _ => ⟨fun f a l => f ⟨succ_le_succ l, a⟩, fun f ⟨l, a⟩ => f a (le_of_succ_le_succ l)⟩)

/-- **The evaluator agrees with the meaning**, for every formula of the language, every trace and every frame:
`eval` gives true exactly where the formula holds. -/
theorem eval_iff_holds (t : Trace) : (f : Formula) → (i : Nat) → Iff (Eq (eval t f i) .true) (Holds t f i)
  | .atom _, _ => iff_refl
  | .constant _, _ => iff_refl
  | .not f, i => iff_trans (bnot_iff _) (not_iff (eval_iff_holds t f i))
  | .and f g, i => iff_trans (band_iff _ _) (and_iff (eval_iff_holds t f i) (eval_iff_holds t g i))
  | .or f g, i => iff_trans (bor_iff _ _) (or_iff (eval_iff_holds t f i) (eval_iff_holds t g i))
  | .implies f g, i => iff_trans (bimplies_iff _ _) (imp_iff (eval_iff_holds t f i) (eval_iff_holds t g i))
  | .iff f g, i => iff_trans (biff_iff _ _) (iff_iff (eval_iff_holds t f i) (eval_iff_holds t g i))
  | .eventually lo hi f, i => search_iff (inWindow_iff t.frames i lo hi) (eval_iff_holds t f)
  | .always lo hi f, i => check_iff (inWindow_iff t.frames i lo hi) (eval_iff_holds t f)
  | .«until» r f g, i => search_iff (ahead_iff t.frames i r) fun j =>
      iff_trans (band_iff _ _) (and_iff (eval_iff_holds t g j) (before_iff (eval_iff_holds t f) i j))
  | .since r f g, i => search_iff (behind_iff t.frames i r) fun j =>
      iff_trans (band_iff _ _) (and_iff (eval_iff_holds t g j) (after_iff (eval_iff_holds t f) i j))
end Tracepact
