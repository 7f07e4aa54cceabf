import Tracepact
/-!
What the conformance vectors with the evidence `lean` claim. Every expected value is in one of these statements, and the
kernel computes it from the definitions of `lean/Tracepact/Spec`; the theorem of a vector has its id for a name.
-/
set_option autoImplicit false
set_option maxRecDepth 1000000
set_option maxHeartbeats 0
noncomputable section
namespace Tracepact.Vectors
/-- A mask from its frames. -/
def gather (p : Nat → Bool) : Nat → Nat
  | .zero => 0
  | .succ n => Nat.add (gather p n) (Nat.mul (toNat (p n)) (Nat.pow 2 n))
/-- One clip as a trace: its frames and the masks of its atoms, by number. -/
def clip (frames : Nat) (l : List Nat) : Trace := ⟨frames, fun k => bit (numbered l k)⟩
/-- Rule 8.1, decided. -/
def isPair (search : Nat) (ref pred : Interval) : Bool :=
  band (band (Nat.ble (.succ ref.start) pred.stop) (Nat.ble (.succ pred.start) ref.stop))
    (bor (Nat.ble (distance ref.start pred.start) search) (Nat.ble (distance ref.stop pred.stop) search))
theorem isPair_iff (search : Nat) (ref pred : Interval) :
    Iff (IsTrue (isPair search ref pred)) (IsCandidate search ref pred) :=
  iff_trans (band_iff _ _) (and_iff (iff_trans (band_iff _ _) (and_iff (ble_iff _ _) (ble_iff _ _)))
    (iff_trans (bor_iff _ _) (or_iff (ble_iff _ _) (ble_iff _ _))))
#print axioms isPair_iff
/-- `a - b`. -/
def signed (a b : Nat) : Int := cond (Nat.ble b a) (.ofNat (Nat.sub a b)) (.negSucc (Nat.sub (Nat.sub b a) 1))
/-- Rule 8.2 in units of `1 / unit`: `unit` times the differences of the ends, less `reward` times the overlap. -/
def pairCost (unit reward : Nat) (ref pred : Interval) : Int :=
  signed (Nat.mul unit (Nat.add (distance ref.start pred.start) (distance ref.stop pred.stop)))
    (Nat.mul reward (Nat.sub (smaller ref.stop pred.stop) (larger ref.start pred.start)))
def more (rest : List Candidate) : Bool → Candidate → List Candidate
  | .true, c => .cons c rest
  | .false, _ => rest
/-- The candidates of one reference, from prediction `j` on. -/
def pairsOf (search unit reward i : Nat) (ref : Interval) (j : Nat) : List Interval → List Candidate
  | .nil => .nil
  | .cons pred rest => more (pairsOf search unit reward i ref (.succ j) rest) (isPair search ref pred)
      ⟨i, j, pairCost unit reward ref pred, ref.start, pred.start⟩
def beside : List Candidate → List Candidate → List Candidate
  | .nil, more => more
  | .cons c rest, more => .cons c (beside rest more)
/-- The candidates of the references from `i` on. -/
def allPairs (search unit reward : Nat) (preds : List Interval) (i : Nat) : List Interval → List Candidate
  | .nil => .nil
  | .cons ref rest =>
      beside (pairsOf search unit reward i ref 0 preds) (allPairs search unit reward preds (.succ i) rest)
/-- The reference and prediction of every kept candidate, the latest first. -/
def pairs : List Candidate → List (Prod Nat Nat)
  | .nil => .nil
  | .cons c rest => .cons (Prod.mk c.ref c.pred) (pairs rest)
-- frames/lean-01
theorem frames_lean_01_0 : Certified ⟨13, 0, 0, numbered (.cons 0x178f .nil)⟩ ⟨.constant .true, (.eventually (.ofNat 4) (.ofNat 4) (.eventually (.ofNat 5) (.ofNat 7) (.always (.ofNat 5) (.ofNat 5) (.atom 6))))⟩ ⟨0xf, 4, 13⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_01_0
-- frames/lean-02
theorem frames_lean_02_0 : Certified ⟨31, 0, 0, numbered (.cons 0x79c4b8f (.cons 0x4e1e389b .nil))⟩ ⟨.constant .true, (.and (.always (.negSucc 0) (.ofNat 1) (.atom 6)) (.«until» 6 (.atom 7) (.atom 6)))⟩ ⟨0x3080107, 7, 31⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_02_0
-- frames/lean-03
theorem frames_lean_03_0 : Certified ⟨39, 0, 0, numbered (.cons 0x18e1c3cf0f (.cons 0x716f73c38 (.cons 0x398ec21ee6 .nil)))⟩ ⟨.constant .true, (.«until» 4 (.eventually (.ofNat 3) (.ofNat 6) (.always (.ofNat 0) (.ofNat 1) (.iff (.atom 8) (.atom 6)))) (.eventually (.ofNat 0) (.ofNat 2) (.eventually (.ofNat 1) (.ofNat 3) (.eventually (.ofNat 4) (.ofNat 6) (.atom 7)))))⟩ ⟨0x3fffffff, 30, 39⟩ := certify 6 _ _ _ (id rfl)
#print axioms frames_lean_03_0
-- frames/lean-04
theorem frames_lean_04_0 : Certified ⟨24, 0, 0, numbered (.cons 0xe1e6f0 (.cons 0x2e3887 (.cons 0x268f0f .nil)))⟩ ⟨.constant .true, (.«until» 6 (.and (.atom 7) (.atom 6)) (.since 5 (.atom 6) (.atom 8)))⟩ ⟨0xe78fff, 19, 24⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_04_0
-- frames/lean-05
theorem frames_lean_05_0 : Certified ⟨19, 0, 0, numbered (.cons 0x6618c .nil)⟩ ⟨.constant .true, (.always (.ofNat 4) (.ofNat 5) (.«until» 6 (.atom 6) (.atom 6)))⟩ ⟨0x7e208, 8, 19⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_05_0
-- frames/lean-06
theorem frames_lean_06_0 : Certified ⟨13, 0, 0, numbered (.cons 0x979 (.cons 0x1c70 (.cons 0xe23 .nil)))⟩ ⟨.constant .true, (.since 2 (.implies (.not (.always (.ofNat 2) (.ofNat 3) (.atom 7))) (.not (.eventually (.ofNat 4) (.ofNat 5) (.atom 8)))) (.since 3 (.or (.atom 6) (.or (.atom 6) (.atom 7))) (.and (.eventually (.negSucc 2) (.negSucc 0) (.atom 6)) (.since 4 (.atom 8) (.atom 7)))))⟩ ⟨0x1c70, 6, 13⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_06_0
-- frames/lean-07
theorem frames_lean_07_0 : Certified ⟨19, 0, 0, numbered (.cons 0x6f0c (.cons 0x2239c (.cons 0x22e1e .nil)))⟩ ⟨.constant .true, (.or (.always (.ofNat 4) (.ofNat 8) (.or (.atom 8) (.atom 8))) (.and (.«until» 1 (.atom 7) (.atom 8)) (.atom 6)))⟩ ⟨0x7af0c, 11, 19⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_07_0
-- frames/lean-08
theorem frames_lean_08_0 : Certified ⟨30, 0, 0, numbered (.cons 0x39138487 (.cons 0x18c59c77 .nil))⟩ ⟨.constant .true, (.and (.eventually (.negSucc 1) (.negSucc 0) (.since 4 (.atom 6) (.atom 6))) (.«until» 3 (.or (.atom 7) (.atom 7)) (.since 2 (.atom 6) (.atom 7))))⟩ ⟨0x30471816, 11, 30⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_08_0
-- frames/lean-09
theorem frames_lean_09_0 : Certified ⟨32, 0, 0, numbered (.cons 0x852e18f1 (.cons 0x1c939870 .nil))⟩ ⟨.constant .true, (.eventually (.ofNat 1) (.ofNat 2) (.and (.always (.ofNat 0) (.ofNat 0) (.atom 7)) (.eventually (.ofNat 2) (.ofNat 6) (.atom 6))))⟩ ⟨0xf6dee3c, 19, 32⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_09_0
-- frames/lean-10
theorem frames_lean_10_0 : Certified ⟨12, 0, 0, numbered (.cons 0x8f6 (.cons 0x739 .nil))⟩ ⟨.constant .true, (.eventually (.ofNat 3) (.ofNat 5) (.since 6 (.implies (.atom 7) (.atom 6)) (.eventually (.negSucc 3) (.negSucc 0) (.atom 6))))⟩ ⟨0x1ff, 9, 12⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_10_0
-- frames/lean-11
theorem frames_lean_11_0 : Certified ⟨22, 0, 0, numbered (.cons 0x2f0b90 (.cons 0x288e77 .nil))⟩ ⟨.constant .true, (.iff (.always (.ofNat 2) (.ofNat 2) (.eventually (.ofNat 2) (.ofNat 4) (.atom 7))) (.iff (.always (.ofNat 5) (.ofNat 9) (.atom 6)) (.eventually (.ofNat 1) (.ofNat 5) (.atom 6))))⟩ ⟨0x131100, 5, 22⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_11_0
-- frames/lean-12
theorem frames_lean_12_0 : Certified ⟨23, 0, 0, numbered (.cons 0x563de1 (.cons 0x43bd3b (.cons 0x78670b .nil)))⟩ ⟨.constant .true, (.and (.since 5 (.and (.atom 8) (.atom 7)) (.iff (.atom 6) (.atom 8))) (.eventually (.ofNat 3) (.ofNat 6) (.atom 8)))⟩ ⟨0x1a51d, 9, 23⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_12_0
-- frames/lean-13
theorem frames_lean_13_0 : Certified ⟨9, 0, 0, numbered (.cons 0x1d3 (.cons 0x93 .nil))⟩ ⟨.constant .true, (.always (.ofNat 5) (.ofNat 7) (.eventually (.ofNat 1) (.ofNat 1) (.iff (.eventually (.ofNat 4) (.ofNat 4) (.atom 6)) (.not (.atom 7)))))⟩ ⟨0x1f0, 5, 9⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_13_0
-- frames/lean-14
theorem frames_lean_14_0 : Certified ⟨15, 0, 0, numbered (.cons 0x247b (.cons 0xdee (.cons 0xe67 .nil)))⟩ ⟨.constant .true, (.and (.since 3 (.or (.atom 7) (.atom 8)) (.iff (.atom 8) (.atom 7))) (.«until» 6 (.since 6 (.always (.negSucc 3) (.negSucc 1) (.atom 6)) (.and (.atom 6) (.atom 8))) (.and (.eventually (.negSucc 0) (.ofNat 1) (.atom 7)) (.and (.atom 6) (.atom 7)))))⟩ ⟨0x46e, 6, 15⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_14_0
-- frames/lean-15
theorem frames_lean_15_0 : Certified ⟨17, 0, 0, numbered (.cons 0x1de79 .nil)⟩ ⟨.constant .true, (.eventually (.ofNat 0) (.ofNat 3) (.eventually (.ofNat 5) (.ofNat 6) (.and (.atom 6) (.atom 6))))⟩ ⟨0xfff, 12, 17⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_15_0
-- frames/lean-16
theorem frames_lean_16_0 : Certified ⟨39, 0, 0, numbered (.cons 0xecf118c6e (.cons 0x77bde7861e .nil))⟩ ⟨.constant .true, (.always (.negSucc 0) (.ofNat 3) (.always (.negSucc 1) (.negSucc 1) (.since 2 (.atom 7) (.atom 6))))⟩ ⟨0x7ff8000030, 14, 39⟩ := certify 6 _ _ _ (id rfl)
#print axioms frames_lean_16_0
-- frames/lean-17
theorem frames_lean_17_0 : Certified ⟨22, 0, 0, numbered (.cons 0x289e1e (.cons 0x2470e3 (.cons 0x39c3d8 .nil)))⟩ ⟨.constant .true, (.and (.eventually (.ofNat 3) (.ofNat 7) (.implies (.and (.atom 8) (.atom 6)) (.always (.ofNat 4) (.ofNat 5) (.atom 7)))) (.and (.«until» 6 (.and (.atom 6) (.atom 8)) (.«until» 1 (.atom 6) (.atom 8))) (.or (.not (.atom 8)) (.eventually (.ofNat 5) (.ofNat 5) (.atom 6)))))⟩ ⟨0x140d4, 6, 22⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_17_0
-- frames/lean-18
theorem frames_lean_18_0 : Certified ⟨16, 0, 0, numbered (.cons 0xc3ce (.cons 0xcf0 .nil))⟩ ⟨.constant .true, (.since 1 (.since 2 (.atom 7) (.atom 7)) (.atom 6))⟩ ⟨0xc7de, 11, 16⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_18_0
-- frames/lean-19
theorem frames_lean_19_0 : Certified ⟨30, 0, 0, numbered (.cons 0x273d1843 (.cons 0x3a437876 (.cons 0x23b9de61 .nil)))⟩ ⟨.constant .true, (.and (.«until» 2 (.atom 8) (.atom 7)) (.or (.eventually (.ofNat 4) (.ofNat 4) (.atom 8)) (.atom 6)))⟩ ⟨0x23339c67, 16, 30⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_19_0
-- frames/lean-20
theorem frames_lean_20_0 : Certified ⟨18, 0, 0, numbered (.cons 0x3b639 (.cons 0x2131c (.cons 0x1ec3a .nil)))⟩ ⟨.constant .true, (.always (.ofNat 5) (.ofNat 7) (.iff (.always (.ofNat 3) (.ofNat 6) (.atom 7)) (.since 3 (.atom 8) (.atom 6))))⟩ ⟨0x3fe02, 10, 18⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_20_0
-- frames/lean-21
theorem frames_lean_21_0 : Certified ⟨27, 0, 0, numbered (.cons 0x3993470 (.cons 0x150f19e (.cons 0x1e431e4 .nil)))⟩ ⟨.constant .true, (.and (.eventually (.ofNat 1) (.ofNat 2) (.iff (.atom 7) (.atom 8))) (.eventually (.ofNat 3) (.ofNat 5) (.and (.atom 6) (.atom 6))))⟩ ⟨0x77dfe3, 18, 27⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_21_0
-- frames/lean-22
theorem frames_lean_22_0 : Certified ⟨21, 0, 0, numbered (.cons 0x3c796 (.cons 0xf0e7a .nil))⟩ ⟨.constant .true, (.«until» 5 (.always (.negSucc 3) (.negSucc 0) (.atom 6)) (.since 3 (.atom 7) (.atom 7)))⟩ ⟨0xf0e7b, 13, 21⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_22_0
-- frames/lean-23
theorem frames_lean_23_0 : Certified ⟨33, 0, 0, numbered (.cons 0x78f43c3c (.cons 0x5e2231e5 .nil))⟩ ⟨.constant .true, (.iff (.eventually (.ofNat 0) (.ofNat 2) (.not (.atom 7))) (.or (.eventually (.ofNat 4) (.ofNat 4) (.atom 7)) (.«until» 5 (.atom 6) (.atom 7))))⟩ ⟨0x79f23f9f, 22, 33⟩ := certify 6 _ _ _ (id rfl)
#print axioms frames_lean_23_0
-- frames/lean-24
theorem frames_lean_24_0 : Certified ⟨26, 0, 0, numbered (.cons 0x1e1c790 (.cons 0xf0f178 (.cons 0xe1bdbc .nil)))⟩ ⟨.constant .true, (.implies (.implies (.implies (.atom 7) (.iff (.atom 6) (.atom 7))) (.implies (.always (.negSucc 1) (.negSucc 0) (.atom 6)) (.since 6 (.atom 8) (.atom 6)))) (.implies (.«until» 5 (.implies (.atom 6) (.atom 6)) (.always (.negSucc 2) (.ofNat 0) (.atom 7))) (.implies (.atom 8) (.atom 6))))⟩ ⟨0x3ffc7d3, 20, 26⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_24_0
-- frames/lean-25
theorem frames_lean_25_0 : Certified ⟨38, 0, 0, numbered (.cons 0x2508e3c621 .nil)⟩ ⟨.constant .true, (.«until» 6 (.always (.ofNat 1) (.ofNat 4) (.atom 6)) (.not (.atom 6)))⟩ ⟨0x1af71c39de, 23, 38⟩ := certify 6 _ _ _ (id rfl)
#print axioms frames_lean_25_0
-- frames/lean-26
theorem frames_lean_26_0 : Certified ⟨16, 0, 0, numbered (.cons 0x91c6 (.cons 0xc710 .nil))⟩ ⟨.constant .true, (.iff (.not (.and (.atom 7) (.atom 7))) (.«until» 5 (.since 4 (.atom 6) (.atom 6)) (.«until» 6 (.atom 6) (.atom 6))))⟩ ⟨0x56d6, 9, 16⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_26_0
-- frames/lean-27
theorem frames_lean_27_0 : Certified ⟨37, 0, 0, numbered (.cons 0x11ee4f21ec .nil)⟩ ⟨.constant .true, (.eventually (.ofNat 0) (.ofNat 0) (.«until» 1 (.atom 6) (.atom 6)))⟩ ⟨0x11ee4f21ec, 20, 37⟩ := certify 6 _ _ _ (id rfl)
#print axioms frames_lean_27_0
-- frames/lean-28
theorem frames_lean_28_0 : Certified ⟨9, 0, 0, numbered (.cons 0x1c3 .nil)⟩ ⟨.constant .true, (.implies (.not (.atom 6)) (.eventually (.negSucc 3) (.negSucc 1) (.always (.ofNat 4) (.ofNat 6) (.atom 6))))⟩ ⟨0x1f3, 7, 9⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_28_0
-- frames/lean-29
theorem frames_lean_29_0 : Certified ⟨13, 0, 0, numbered (.cons 0xf77 (.cons 0x1871 .nil))⟩ ⟨.constant .true, (.eventually (.ofNat 3) (.ofNat 5) (.«until» 6 (.always (.ofNat 2) (.ofNat 2) (.always (.ofNat 4) (.ofNat 6) (.atom 6))) (.«until» 2 (.atom 7) (.atom 6))))⟩ ⟨0x1ff, 9, 13⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_29_0
-- frames/lean-30
theorem frames_lean_30_0 : Certified ⟨17, 0, 0, numbered (.cons 0xf0de (.cons 0x1c3c3 .nil))⟩ ⟨.constant .true, (.«until» 1 (.eventually (.ofNat 3) (.ofNat 3) (.eventually (.negSucc 2) (.ofNat 1) (.atom 6))) (.always (.negSucc 3) (.negSucc 2) (.since 3 (.atom 6) (.atom 7))))⟩ ⟨0x1eff, 12, 17⟩ := certify 5 _ _ _ (id rfl)
#print axioms frames_lean_30_0
-- frames/lean-family-01
theorem frames_lean_family_01_0 : Certified ⟨13, 0, 0, numbered (.cons 0xc23 (.cons 0x172c .nil))⟩ ⟨.constant .true, (.iff (.«until» 1 (.atom 7) (.eventually (.ofNat 2) (.ofNat 6) (.atom 6))) (.not (.atom 6)))⟩ ⟨0xfdc, 9, 13⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_01_0
theorem frames_lean_family_01_1 : Certified ⟨12, 0, 0, numbered (.cons 0xbc5 (.cons 0x3b9 .nil))⟩ ⟨.constant .true, (.iff (.«until» 1 (.atom 7) (.eventually (.ofNat 2) (.ofNat 6) (.atom 6))) (.not (.atom 6)))⟩ ⟨0x83a, 5, 12⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_01_1
theorem frames_lean_family_01_2 : Certified ⟨9, 0, 0, numbered (.cons 0xe1 (.cons 0x1e6 .nil))⟩ ⟨.constant .true, (.iff (.«until» 1 (.atom 7) (.eventually (.ofNat 2) (.ofNat 6) (.atom 6))) (.not (.atom 6)))⟩ ⟨0xde, 6, 9⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_01_2
-- frames/lean-family-02
theorem frames_lean_family_02_0 : Certified ⟨10, 0, 0, numbered (.cons 0x70 .nil)⟩ ⟨.constant .true, (.eventually (.negSucc 1) (.negSucc 1) (.iff (.or (.atom 6) (.atom 6)) (.eventually (.ofNat 2) (.ofNat 2) (.atom 6))))⟩ ⟨0x24c, 4, 10⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_02_0
theorem frames_lean_family_02_1 : Certified ⟨10, 0, 0, numbered (.cons 0x210 .nil)⟩ ⟨.constant .true, (.eventually (.negSucc 1) (.negSucc 1) (.iff (.or (.atom 6) (.atom 6)) (.eventually (.ofNat 2) (.ofNat 2) (.atom 6))))⟩ ⟨0x1ac, 5, 10⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_02_1
-- frames/lean-family-03
theorem frames_lean_family_03_0 : Certified ⟨14, 0, 0, numbered (.cons 0x1a3a (.cons 0xf33 .nil))⟩ ⟨.constant .true, (.always (.ofNat 1) (.ofNat 3) (.eventually (.ofNat 2) (.ofNat 6) (.and (.atom 7) (.atom 6))))⟩ ⟨0x207f, 8, 14⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_03_0
theorem frames_lean_family_03_1 : Certified ⟨8, 0, 0, numbered (.cons 0x38 (.cons 0x3c .nil))⟩ ⟨.constant .true, (.always (.ofNat 1) (.ofNat 3) (.eventually (.ofNat 2) (.ofNat 6) (.and (.atom 7) (.atom 6))))⟩ ⟨0x81, 2, 8⟩ := certify 3 _ _ _ (id rfl)
#print axioms frames_lean_family_03_1
theorem frames_lean_family_03_2 : Certified ⟨15, 0, 0, numbered (.cons 0x10f0 (.cons 0x31d1 .nil))⟩ ⟨.constant .true, (.always (.ofNat 1) (.ofNat 3) (.eventually (.ofNat 2) (.ofNat 6) (.and (.atom 7) (.atom 6))))⟩ ⟨0x40ff, 9, 15⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_03_2
-- frames/lean-family-04
theorem frames_lean_family_04_0 : Certified ⟨16, 0, 0, numbered (.cons 0x2876 (.cons 0x9dcf (.cons 0x39af .nil)))⟩ ⟨.constant .true, (.iff (.iff (.«until» 1 (.atom 7) (.atom 8)) (.since 6 (.atom 7) (.atom 7))) (.since 5 (.eventually (.ofNat 1) (.ofNat 1) (.atom 6)) (.eventually (.ofNat 2) (.ofNat 4) (.atom 7))))⟩ ⟨0x9fdf, 13, 16⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_04_0
theorem frames_lean_family_04_1 : Certified ⟨14, 0, 0, numbered (.cons 0xef3 (.cons 0x1ef3 (.cons 0x3dce .nil)))⟩ ⟨.constant .true, (.iff (.iff (.«until» 1 (.atom 7) (.atom 8)) (.since 6 (.atom 7) (.atom 7))) (.since 5 (.eventually (.ofNat 1) (.ofNat 1) (.atom 6)) (.eventually (.ofNat 2) (.ofNat 4) (.atom 7))))⟩ ⟨0x26e3, 8, 14⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_04_1
theorem frames_lean_family_04_2 : Certified ⟨9, 0, 0, numbered (.cons 0x10f (.cons 0x1a1 (.cons 0xec .nil)))⟩ ⟨.constant .true, (.iff (.iff (.«until» 1 (.atom 7) (.atom 8)) (.since 6 (.atom 7) (.atom 7))) (.since 5 (.eventually (.ofNat 1) (.ofNat 1) (.atom 6)) (.eventually (.ofNat 2) (.ofNat 4) (.atom 7))))⟩ ⟨0x1b3, 6, 9⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_04_2
-- frames/lean-family-05
theorem frames_lean_family_05_0 : Certified ⟨14, 0, 0, numbered (.cons 0x3938 (.cons 0x3763 .nil))⟩ ⟨.constant .true, (.implies (.implies (.and (.atom 6) (.and (.atom 6) (.atom 7))) (.always (.ofNat 2) (.ofNat 2) (.atom 7))) (.eventually (.ofNat 3) (.ofNat 4) (.eventually (.ofNat 0) (.ofNat 2) (.atom 6))))⟩ ⟨0x7ff, 11, 14⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_05_0
theorem frames_lean_family_05_1 : Certified ⟨9, 0, 0, numbered (.cons 0x8f (.cons 0x124 .nil))⟩ ⟨.constant .true, (.implies (.implies (.and (.atom 6) (.and (.atom 6) (.atom 7))) (.always (.ofNat 2) (.ofNat 2) (.atom 7))) (.eventually (.ofNat 3) (.ofNat 4) (.eventually (.ofNat 0) (.ofNat 2) (.atom 6))))⟩ ⟨0x1f, 5, 9⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_05_1
theorem frames_lean_family_05_2 : Certified ⟨16, 0, 0, numbered (.cons 0xf110 (.cons 0xe379 .nil))⟩ ⟨.constant .true, (.implies (.implies (.and (.atom 6) (.and (.atom 6) (.atom 7))) (.always (.ofNat 2) (.ofNat 2) (.atom 7))) (.eventually (.ofNat 3) (.ofNat 4) (.eventually (.ofNat 0) (.ofNat 2) (.atom 6))))⟩ ⟨0x1fff, 13, 16⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_05_2
-- frames/lean-family-06
theorem frames_lean_family_06_0 : Certified ⟨10, 0, 0, numbered (.cons 0xf0 .nil)⟩ ⟨.constant .true, (.eventually (.negSucc 0) (.ofNat 2) (.eventually (.ofNat 5) (.ofNat 9) (.eventually (.negSucc 1) (.negSucc 1) (.since 3 (.atom 6) (.atom 6)))))⟩ ⟨0x3f, 6, 10⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_06_0
theorem frames_lean_family_06_1 : Certified ⟨15, 0, 0, numbered (.cons 0x7277 .nil)⟩ ⟨.constant .true, (.eventually (.negSucc 0) (.ofNat 2) (.eventually (.ofNat 5) (.ofNat 9) (.eventually (.negSucc 1) (.negSucc 1) (.since 3 (.atom 6) (.atom 6)))))⟩ ⟨0x7ff, 11, 15⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_06_1
-- frames/lean-family-07
theorem frames_lean_family_07_0 : Certified ⟨16, 0, 0, numbered (.cons 0x770e .nil)⟩ ⟨.constant .true, (.not (.always (.ofNat 0) (.ofNat 1) (.eventually (.ofNat 5) (.ofNat 6) (.atom 6))))⟩ ⟨0xfe03, 9, 16⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_07_0
theorem frames_lean_family_07_1 : Certified ⟨13, 0, 0, numbered (.cons 0x1d13 .nil)⟩ ⟨.constant .true, (.not (.always (.ofNat 0) (.ofNat 1) (.eventually (.ofNat 5) (.ofNat 6) (.atom 6))))⟩ ⟨0x1f83, 8, 13⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_07_1
-- frames/lean-family-08
theorem frames_lean_family_08_0 : Certified ⟨11, 0, 0, numbered (.cons 0x430 (.cons 0x724 (.cons 0x6f0 .nil)))⟩ ⟨.constant .true, (.or (.not (.eventually (.ofNat 0) (.ofNat 2) (.atom 8))) (.always (.ofNat 3) (.ofNat 3) (.since 5 (.not (.atom 7)) (.eventually (.ofNat 3) (.ofNat 5) (.atom 6)))))⟩ ⟨0x71f, 8, 11⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_08_0
theorem frames_lean_family_08_1 : Certified ⟨13, 0, 0, numbered (.cons 0xf1b (.cons 0x1c70 (.cons 0x788 .nil)))⟩ ⟨.constant .true, (.or (.not (.eventually (.ofNat 0) (.ofNat 2) (.atom 8))) (.always (.ofNat 3) (.ofNat 3) (.since 5 (.not (.atom 7)) (.eventually (.ofNat 3) (.ofNat 5) (.atom 6)))))⟩ ⟨0x1c7f, 10, 13⟩ := certify 4 _ _ _ (id rfl)
#print axioms frames_lean_family_08_1
-- matching/lean-01
theorem matching_lean_01_0 : Eq (allPairs 4 3 1 (.cons ⟨2, 4⟩ (.cons ⟨5, 8⟩ (.cons ⟨12, 13⟩ (.cons ⟨14, 17⟩ (.cons ⟨19, 23⟩ (.cons ⟨27, 29⟩ .nil)))))) 0 (.cons ⟨0, 4⟩ (.cons ⟨7, 8⟩ (.cons ⟨11, 15⟩ (.cons ⟨16, 20⟩ (.cons ⟨21, 23⟩ (.cons ⟨24, 26⟩ (.cons ⟨28, 29⟩ .nil)))))))) (.cons ⟨0, 0, (.ofNat 4), 0, 2⟩ (.cons ⟨1, 1, (.ofNat 5), 7, 5⟩ (.cons ⟨2, 2, (.ofNat 8), 11, 12⟩ (.cons ⟨2, 3, (.ofNat 14), 11, 14⟩ (.cons ⟨3, 3, (.ofNat 14), 16, 14⟩ (.cons ⟨3, 4, (.ofNat 17), 16, 19⟩ (.cons ⟨4, 4, (.ofNat 4), 21, 19⟩ (.cons ⟨6, 5, (.ofNat 2), 28, 27⟩ .nil)))))))) := id rfl
#print axioms matching_lean_01_0
theorem matching_lean_01_1 : Eq (pairs (greedy (allPairs 4 3 1 (.cons ⟨2, 4⟩ (.cons ⟨5, 8⟩ (.cons ⟨12, 13⟩ (.cons ⟨14, 17⟩ (.cons ⟨19, 23⟩ (.cons ⟨27, 29⟩ .nil)))))) 0 (.cons ⟨0, 4⟩ (.cons ⟨7, 8⟩ (.cons ⟨11, 15⟩ (.cons ⟨16, 20⟩ (.cons ⟨21, 23⟩ (.cons ⟨24, 26⟩ (.cons ⟨28, 29⟩ .nil)))))))))) (.cons ⟨3, 3⟩ (.cons ⟨2, 2⟩ (.cons ⟨1, 1⟩ (.cons ⟨4, 4⟩ (.cons ⟨0, 0⟩ (.cons ⟨6, 5⟩ .nil)))))) := id rfl
#print axioms matching_lean_01_1
-- matching/lean-02
theorem matching_lean_02_0 : Eq (allPairs 2 1 2 (.cons ⟨0, 4⟩ (.cons ⟨6, 9⟩ (.cons ⟨10, 12⟩ (.cons ⟨13, 16⟩ (.cons ⟨17, 21⟩ (.cons ⟨24, 25⟩ (.cons ⟨26, 29⟩ .nil))))))) 0 (.cons ⟨0, 2⟩ (.cons ⟨3, 6⟩ (.cons ⟨7, 9⟩ (.cons ⟨10, 12⟩ (.cons ⟨15, 17⟩ (.cons ⟨21, 23⟩ (.cons ⟨24, 27⟩ (.cons ⟨28, 29⟩ .nil))))))))) (.cons ⟨0, 0, (.negSucc 1), 0, 0⟩ (.cons ⟨1, 0, (.ofNat 3), 3, 0⟩ (.cons ⟨2, 1, (.negSucc 2), 7, 6⟩ (.cons ⟨3, 2, (.negSucc 3), 10, 10⟩ (.cons ⟨4, 3, (.ofNat 1), 15, 13⟩ (.cons ⟨6, 5, (.ofNat 0), 24, 24⟩ (.cons ⟨6, 6, (.ofNat 2), 24, 26⟩ (.cons ⟨7, 6, (.ofNat 0), 28, 26⟩ .nil)))))))) := id rfl
#print axioms matching_lean_02_0
theorem matching_lean_02_1 : Eq (pairs (greedy (allPairs 2 1 2 (.cons ⟨0, 4⟩ (.cons ⟨6, 9⟩ (.cons ⟨10, 12⟩ (.cons ⟨13, 16⟩ (.cons ⟨17, 21⟩ (.cons ⟨24, 25⟩ (.cons ⟨26, 29⟩ .nil))))))) 0 (.cons ⟨0, 2⟩ (.cons ⟨3, 6⟩ (.cons ⟨7, 9⟩ (.cons ⟨10, 12⟩ (.cons ⟨15, 17⟩ (.cons ⟨21, 23⟩ (.cons ⟨24, 27⟩ (.cons ⟨28, 29⟩ .nil))))))))))) (.cons ⟨4, 3⟩ (.cons ⟨7, 6⟩ (.cons ⟨6, 5⟩ (.cons ⟨0, 0⟩ (.cons ⟨2, 1⟩ (.cons ⟨3, 2⟩ .nil)))))) := id rfl
#print axioms matching_lean_02_1
-- matching/lean-03
theorem matching_lean_03_0 : Eq (allPairs 3 3 1 (.cons ⟨4, 7⟩ (.cons ⟨11, 14⟩ (.cons ⟨16, 19⟩ (.cons ⟨20, 23⟩ (.cons ⟨26, 28⟩ .nil))))) 0 (.cons ⟨0, 3⟩ (.cons ⟨6, 8⟩ (.cons ⟨9, 12⟩ (.cons ⟨15, 17⟩ (.cons ⟨18, 21⟩ (.cons ⟨22, 26⟩ (.cons ⟨29, 30⟩ .nil)))))))) (.cons ⟨1, 0, (.ofNat 8), 6, 4⟩ (.cons ⟨2, 1, (.ofNat 11), 9, 11⟩ (.cons ⟨3, 2, (.ofNat 8), 15, 16⟩ (.cons ⟨4, 2, (.ofNat 11), 18, 16⟩ (.cons ⟨4, 3, (.ofNat 11), 18, 20⟩ (.cons ⟨5, 3, (.ofNat 14), 22, 20⟩ .nil)))))) := id rfl
#print axioms matching_lean_03_0
theorem matching_lean_03_1 : Eq (pairs (greedy (allPairs 3 3 1 (.cons ⟨4, 7⟩ (.cons ⟨11, 14⟩ (.cons ⟨16, 19⟩ (.cons ⟨20, 23⟩ (.cons ⟨26, 28⟩ .nil))))) 0 (.cons ⟨0, 3⟩ (.cons ⟨6, 8⟩ (.cons ⟨9, 12⟩ (.cons ⟨15, 17⟩ (.cons ⟨18, 21⟩ (.cons ⟨22, 26⟩ (.cons ⟨29, 30⟩ .nil)))))))))) (.cons ⟨4, 3⟩ (.cons ⟨2, 1⟩ (.cons ⟨3, 2⟩ (.cons ⟨1, 0⟩ .nil)))) := id rfl
#print axioms matching_lean_03_1
-- matching/lean-04
theorem matching_lean_04_0 : Eq (allPairs 2 3 1 (.cons ⟨1, 3⟩ (.cons ⟨4, 8⟩ (.cons ⟨9, 13⟩ (.cons ⟨14, 16⟩ (.cons ⟨19, 23⟩ (.cons ⟨27, 30⟩ .nil)))))) 0 (.cons ⟨3, 5⟩ (.cons ⟨6, 8⟩ (.cons ⟨10, 13⟩ (.cons ⟨15, 18⟩ (.cons ⟨20, 21⟩ (.cons ⟨25, 28⟩ (.cons ⟨29, 30⟩ .nil)))))))) (.cons ⟨0, 1, (.ofNat 11), 3, 4⟩ (.cons ⟨1, 1, (.ofNat 4), 6, 4⟩ (.cons ⟨2, 2, (.ofNat 0), 10, 9⟩ (.cons ⟨3, 3, (.ofNat 8), 15, 14⟩ (.cons ⟨4, 4, (.ofNat 8), 20, 19⟩ (.cons ⟨5, 5, (.ofNat 11), 25, 27⟩ (.cons ⟨6, 5, (.ofNat 5), 29, 27⟩ .nil))))))) := id rfl
#print axioms matching_lean_04_0
theorem matching_lean_04_1 : Eq (pairs (greedy (allPairs 2 3 1 (.cons ⟨1, 3⟩ (.cons ⟨4, 8⟩ (.cons ⟨9, 13⟩ (.cons ⟨14, 16⟩ (.cons ⟨19, 23⟩ (.cons ⟨27, 30⟩ .nil)))))) 0 (.cons ⟨3, 5⟩ (.cons ⟨6, 8⟩ (.cons ⟨10, 13⟩ (.cons ⟨15, 18⟩ (.cons ⟨20, 21⟩ (.cons ⟨25, 28⟩ (.cons ⟨29, 30⟩ .nil)))))))))) (.cons ⟨4, 4⟩ (.cons ⟨3, 3⟩ (.cons ⟨6, 5⟩ (.cons ⟨1, 1⟩ (.cons ⟨2, 2⟩ .nil))))) := id rfl
#print axioms matching_lean_04_1
-- matching/lean-05
theorem matching_lean_05_0 : Eq (allPairs 3 1 0 (.cons ⟨0, 4⟩ (.cons ⟨6, 8⟩ (.cons ⟨12, 13⟩ (.cons ⟨14, 17⟩ (.cons ⟨20, 22⟩ (.cons ⟨23, 27⟩ (.cons ⟨29, 30⟩ .nil))))))) 0 (.cons ⟨3, 4⟩ (.cons ⟨7, 8⟩ (.cons ⟨12, 15⟩ (.cons ⟨16, 19⟩ (.cons ⟨20, 23⟩ (.cons ⟨24, 25⟩ (.cons ⟨26, 28⟩ (.cons ⟨29, 30⟩ .nil))))))))) (.cons ⟨0, 0, (.ofNat 3), 3, 0⟩ (.cons ⟨1, 1, (.ofNat 1), 7, 6⟩ (.cons ⟨2, 2, (.ofNat 2), 12, 12⟩ (.cons ⟨2, 3, (.ofNat 4), 12, 14⟩ (.cons ⟨3, 3, (.ofNat 4), 16, 14⟩ (.cons ⟨4, 4, (.ofNat 1), 20, 20⟩ (.cons ⟨5, 5, (.ofNat 3), 24, 23⟩ (.cons ⟨6, 5, (.ofNat 4), 26, 23⟩ (.cons ⟨7, 6, (.ofNat 0), 29, 29⟩ .nil))))))))) := id rfl
#print axioms matching_lean_05_0
theorem matching_lean_05_1 : Eq (pairs (greedy (allPairs 3 1 0 (.cons ⟨0, 4⟩ (.cons ⟨6, 8⟩ (.cons ⟨12, 13⟩ (.cons ⟨14, 17⟩ (.cons ⟨20, 22⟩ (.cons ⟨23, 27⟩ (.cons ⟨29, 30⟩ .nil))))))) 0 (.cons ⟨3, 4⟩ (.cons ⟨7, 8⟩ (.cons ⟨12, 15⟩ (.cons ⟨16, 19⟩ (.cons ⟨20, 23⟩ (.cons ⟨24, 25⟩ (.cons ⟨26, 28⟩ (.cons ⟨29, 30⟩ .nil))))))))))) (.cons ⟨3, 3⟩ (.cons ⟨5, 5⟩ (.cons ⟨0, 0⟩ (.cons ⟨2, 2⟩ (.cons ⟨4, 4⟩ (.cons ⟨1, 1⟩ (.cons ⟨7, 6⟩ .nil))))))) := id rfl
#print axioms matching_lean_05_1
-- matching/lean-06
theorem matching_lean_06_0 : Eq (allPairs 3 3 1 (.cons ⟨0, 1⟩ (.cons ⟨2, 3⟩ (.cons ⟨5, 8⟩ (.cons ⟨12, 15⟩ (.cons ⟨17, 20⟩ (.cons ⟨23, 25⟩ (.cons ⟨29, 30⟩ .nil))))))) 0 (.cons ⟨0, 3⟩ (.cons ⟨7, 11⟩ (.cons ⟨12, 13⟩ (.cons ⟨14, 18⟩ (.cons ⟨21, 25⟩ (.cons ⟨27, 30⟩ .nil))))))) (.cons ⟨0, 0, (.ofNat 5), 0, 0⟩ (.cons ⟨0, 1, (.ofNat 5), 0, 2⟩ (.cons ⟨1, 2, (.ofNat 14), 7, 5⟩ (.cons ⟨2, 3, (.ofNat 5), 12, 12⟩ (.cons ⟨3, 3, (.ofNat 14), 14, 12⟩ (.cons ⟨3, 4, (.ofNat 14), 14, 17⟩ (.cons ⟨4, 5, (.ofNat 4), 21, 23⟩ (.cons ⟨5, 6, (.ofNat 5), 27, 29⟩ .nil)))))))) := id rfl
#print axioms matching_lean_06_0
theorem matching_lean_06_1 : Eq (pairs (greedy (allPairs 3 3 1 (.cons ⟨0, 1⟩ (.cons ⟨2, 3⟩ (.cons ⟨5, 8⟩ (.cons ⟨12, 15⟩ (.cons ⟨17, 20⟩ (.cons ⟨23, 25⟩ (.cons ⟨29, 30⟩ .nil))))))) 0 (.cons ⟨0, 3⟩ (.cons ⟨7, 11⟩ (.cons ⟨12, 13⟩ (.cons ⟨14, 18⟩ (.cons ⟨21, 25⟩ (.cons ⟨27, 30⟩ .nil))))))))) (.cons ⟨3, 4⟩ (.cons ⟨1, 2⟩ (.cons ⟨5, 6⟩ (.cons ⟨2, 3⟩ (.cons ⟨0, 0⟩ (.cons ⟨4, 5⟩ .nil)))))) := id rfl
#print axioms matching_lean_06_1
-- matching/lean-07
theorem matching_lean_07_0 : Eq (allPairs 3 1 2 (.cons ⟨0, 1⟩ (.cons ⟨3, 6⟩ (.cons ⟨9, 11⟩ (.cons ⟨15, 18⟩ (.cons ⟨19, 23⟩ (.cons ⟨26, 29⟩ .nil)))))) 0 (.cons ⟨2, 3⟩ (.cons ⟨4, 5⟩ (.cons ⟨7, 10⟩ (.cons ⟨14, 15⟩ (.cons ⟨19, 20⟩ (.cons ⟨21, 22⟩ (.cons ⟨26, 27⟩ (.cons ⟨28, 29⟩ .nil))))))))) (.cons ⟨1, 1, (.ofNat 0), 4, 3⟩ (.cons ⟨2, 2, (.ofNat 1), 7, 9⟩ (.cons ⟨4, 4, (.ofNat 1), 19, 19⟩ (.cons ⟨5, 4, (.ofNat 1), 21, 19⟩ (.cons ⟨6, 5, (.ofNat 0), 26, 26⟩ (.cons ⟨7, 5, (.ofNat 0), 28, 26⟩ .nil)))))) := id rfl
#print axioms matching_lean_07_0
theorem matching_lean_07_1 : Eq (pairs (greedy (allPairs 3 1 2 (.cons ⟨0, 1⟩ (.cons ⟨3, 6⟩ (.cons ⟨9, 11⟩ (.cons ⟨15, 18⟩ (.cons ⟨19, 23⟩ (.cons ⟨26, 29⟩ .nil)))))) 0 (.cons ⟨2, 3⟩ (.cons ⟨4, 5⟩ (.cons ⟨7, 10⟩ (.cons ⟨14, 15⟩ (.cons ⟨19, 20⟩ (.cons ⟨21, 22⟩ (.cons ⟨26, 27⟩ (.cons ⟨28, 29⟩ .nil))))))))))) (.cons ⟨4, 4⟩ (.cons ⟨2, 2⟩ (.cons ⟨6, 5⟩ (.cons ⟨1, 1⟩ .nil)))) := id rfl
#print axioms matching_lean_07_1
-- matching/lean-08
theorem matching_lean_08_0 : Eq (allPairs 3 2 1 (.cons ⟨3, 7⟩ (.cons ⟨10, 12⟩ (.cons ⟨16, 19⟩ (.cons ⟨21, 23⟩ (.cons ⟨25, 29⟩ .nil))))) 0 (.cons ⟨0, 4⟩ (.cons ⟨5, 7⟩ (.cons ⟨8, 10⟩ (.cons ⟨13, 17⟩ (.cons ⟨18, 21⟩ (.cons ⟨23, 24⟩ (.cons ⟨26, 29⟩ .nil)))))))) (.cons ⟨0, 0, (.ofNat 11), 0, 3⟩ (.cons ⟨1, 0, (.ofNat 2), 5, 3⟩ (.cons ⟨3, 2, (.ofNat 9), 13, 16⟩ (.cons ⟨4, 2, (.ofNat 7), 18, 16⟩ (.cons ⟨6, 4, (.negSucc 0), 26, 25⟩ .nil))))) := id rfl
#print axioms matching_lean_08_0
theorem matching_lean_08_1 : Eq (pairs (greedy (allPairs 3 2 1 (.cons ⟨3, 7⟩ (.cons ⟨10, 12⟩ (.cons ⟨16, 19⟩ (.cons ⟨21, 23⟩ (.cons ⟨25, 29⟩ .nil))))) 0 (.cons ⟨0, 4⟩ (.cons ⟨5, 7⟩ (.cons ⟨8, 10⟩ (.cons ⟨13, 17⟩ (.cons ⟨18, 21⟩ (.cons ⟨23, 24⟩ (.cons ⟨26, 29⟩ .nil)))))))))) (.cons ⟨4, 2⟩ (.cons ⟨1, 0⟩ (.cons ⟨6, 4⟩ .nil))) := id rfl
#print axioms matching_lean_08_1
-- matching/lean-09
theorem matching_lean_09_0 : Eq (allPairs 3 1 2 (.cons ⟨2, 5⟩ (.cons ⟨7, 11⟩ (.cons ⟨12, 14⟩ (.cons ⟨17, 21⟩ (.cons ⟨24, 28⟩ .nil))))) 0 (.cons ⟨1, 3⟩ (.cons ⟨4, 7⟩ (.cons ⟨9, 10⟩ (.cons ⟨12, 15⟩ (.cons ⟨17, 19⟩ (.cons ⟨20, 23⟩ (.cons ⟨26, 28⟩ .nil)))))))) (.cons ⟨0, 0, (.ofNat 1), 1, 2⟩ (.cons ⟨1, 0, (.ofNat 2), 4, 2⟩ (.cons ⟨2, 1, (.ofNat 1), 9, 7⟩ (.cons ⟨3, 2, (.negSucc 2), 12, 12⟩ (.cons ⟨4, 3, (.negSucc 1), 17, 17⟩ (.cons ⟨5, 3, (.ofNat 3), 20, 17⟩ (.cons ⟨6, 4, (.negSucc 1), 26, 24⟩ .nil))))))) := id rfl
#print axioms matching_lean_09_0
theorem matching_lean_09_1 : Eq (pairs (greedy (allPairs 3 1 2 (.cons ⟨2, 5⟩ (.cons ⟨7, 11⟩ (.cons ⟨12, 14⟩ (.cons ⟨17, 21⟩ (.cons ⟨24, 28⟩ .nil))))) 0 (.cons ⟨1, 3⟩ (.cons ⟨4, 7⟩ (.cons ⟨9, 10⟩ (.cons ⟨12, 15⟩ (.cons ⟨17, 19⟩ (.cons ⟨20, 23⟩ (.cons ⟨26, 28⟩ .nil)))))))))) (.cons ⟨2, 1⟩ (.cons ⟨0, 0⟩ (.cons ⟨6, 4⟩ (.cons ⟨4, 3⟩ (.cons ⟨3, 2⟩ .nil))))) := id rfl
#print axioms matching_lean_09_1
-- matching/lean-10
theorem matching_lean_10_0 : Eq (allPairs 3 1 0 (.cons ⟨4, 5⟩ (.cons ⟨9, 11⟩ (.cons ⟨12, 13⟩ (.cons ⟨14, 15⟩ (.cons ⟨17, 21⟩ (.cons ⟨23, 27⟩ .nil)))))) 0 (.cons ⟨3, 7⟩ (.cons ⟨11, 15⟩ (.cons ⟨16, 18⟩ (.cons ⟨20, 21⟩ (.cons ⟨22, 23⟩ (.cons ⟨24, 28⟩ .nil))))))) (.cons ⟨0, 0, (.ofNat 3), 3, 4⟩ (.cons ⟨1, 2, (.ofNat 3), 11, 12⟩ (.cons ⟨1, 3, (.ofNat 3), 11, 14⟩ (.cons ⟨2, 4, (.ofNat 4), 16, 17⟩ (.cons ⟨3, 4, (.ofNat 3), 20, 17⟩ (.cons ⟨5, 5, (.ofNat 2), 24, 23⟩ .nil)))))) := id rfl
#print axioms matching_lean_10_0
theorem matching_lean_10_1 : Eq (pairs (greedy (allPairs 3 1 0 (.cons ⟨4, 5⟩ (.cons ⟨9, 11⟩ (.cons ⟨12, 13⟩ (.cons ⟨14, 15⟩ (.cons ⟨17, 21⟩ (.cons ⟨23, 27⟩ .nil)))))) 0 (.cons ⟨3, 7⟩ (.cons ⟨11, 15⟩ (.cons ⟨16, 18⟩ (.cons ⟨20, 21⟩ (.cons ⟨22, 23⟩ (.cons ⟨24, 28⟩ .nil))))))))) (.cons ⟨3, 4⟩ (.cons ⟨1, 2⟩ (.cons ⟨0, 0⟩ (.cons ⟨5, 5⟩ .nil)))) := id rfl
#print axioms matching_lean_10_1
-- matching/lean-11
theorem matching_lean_11_0 : Eq (allPairs 1 1 2 (.cons ⟨1, 5⟩ (.cons ⟨9, 12⟩ (.cons ⟨13, 17⟩ (.cons ⟨18, 19⟩ (.cons ⟨20, 23⟩ (.cons ⟨27, 30⟩ .nil)))))) 0 (.cons ⟨0, 1⟩ (.cons ⟨4, 8⟩ (.cons ⟨9, 10⟩ (.cons ⟨11, 13⟩ (.cons ⟨16, 18⟩ (.cons ⟨22, 24⟩ (.cons ⟨27, 28⟩ (.cons ⟨29, 30⟩ .nil))))))))) (.cons ⟨2, 1, (.ofNat 0), 9, 9⟩ (.cons ⟨3, 1, (.ofNat 1), 11, 9⟩ (.cons ⟨4, 2, (.ofNat 2), 16, 13⟩ (.cons ⟨5, 4, (.ofNat 1), 22, 20⟩ (.cons ⟨6, 5, (.ofNat 0), 27, 27⟩ (.cons ⟨7, 5, (.ofNat 0), 29, 27⟩ .nil)))))) := id rfl
#print axioms matching_lean_11_0
theorem matching_lean_11_1 : Eq (pairs (greedy (allPairs 1 1 2 (.cons ⟨1, 5⟩ (.cons ⟨9, 12⟩ (.cons ⟨13, 17⟩ (.cons ⟨18, 19⟩ (.cons ⟨20, 23⟩ (.cons ⟨27, 30⟩ .nil)))))) 0 (.cons ⟨0, 1⟩ (.cons ⟨4, 8⟩ (.cons ⟨9, 10⟩ (.cons ⟨11, 13⟩ (.cons ⟨16, 18⟩ (.cons ⟨22, 24⟩ (.cons ⟨27, 28⟩ (.cons ⟨29, 30⟩ .nil))))))))))) (.cons ⟨4, 2⟩ (.cons ⟨5, 4⟩ (.cons ⟨6, 5⟩ (.cons ⟨2, 1⟩ .nil)))) := id rfl
#print axioms matching_lean_11_1
-- matching/lean-12
theorem matching_lean_12_0 : Eq (allPairs 3 1 0 (.cons ⟨2, 4⟩ (.cons ⟨6, 8⟩ (.cons ⟨9, 10⟩ (.cons ⟨12, 13⟩ (.cons ⟨16, 18⟩ (.cons ⟨20, 24⟩ (.cons ⟨26, 29⟩ .nil))))))) 0 (.cons ⟨3, 7⟩ (.cons ⟨11, 12⟩ (.cons ⟨14, 17⟩ (.cons ⟨21, 22⟩ (.cons ⟨23, 25⟩ (.cons ⟨29, 30⟩ .nil))))))) (.cons ⟨0, 0, (.ofNat 4), 3, 2⟩ (.cons ⟨0, 1, (.ofNat 4), 3, 6⟩ (.cons ⟨2, 4, (.ofNat 3), 14, 16⟩ (.cons ⟨3, 5, (.ofNat 3), 21, 20⟩ (.cons ⟨4, 5, (.ofNat 4), 23, 20⟩ .nil))))) := id rfl
#print axioms matching_lean_12_0
theorem matching_lean_12_1 : Eq (pairs (greedy (allPairs 3 1 0 (.cons ⟨2, 4⟩ (.cons ⟨6, 8⟩ (.cons ⟨9, 10⟩ (.cons ⟨12, 13⟩ (.cons ⟨16, 18⟩ (.cons ⟨20, 24⟩ (.cons ⟨26, 29⟩ .nil))))))) 0 (.cons ⟨3, 7⟩ (.cons ⟨11, 12⟩ (.cons ⟨14, 17⟩ (.cons ⟨21, 22⟩ (.cons ⟨23, 25⟩ (.cons ⟨29, 30⟩ .nil))))))))) (.cons ⟨0, 0⟩ (.cons ⟨3, 5⟩ (.cons ⟨2, 4⟩ .nil))) := id rfl
#print axioms matching_lean_12_1
-- matching/lean-13
theorem matching_lean_13_0 : Eq (allPairs 4 1 0 (.cons ⟨0, 2⟩ (.cons ⟨3, 7⟩ (.cons ⟨11, 13⟩ (.cons ⟨14, 15⟩ (.cons ⟨19, 21⟩ (.cons ⟨22, 26⟩ (.cons ⟨29, 30⟩ .nil))))))) 0 (.cons ⟨1, 5⟩ (.cons ⟨7, 10⟩ (.cons ⟨11, 15⟩ (.cons ⟨17, 19⟩ (.cons ⟨20, 22⟩ (.cons ⟨25, 27⟩ .nil))))))) (.cons ⟨0, 0, (.ofNat 4), 1, 0⟩ (.cons ⟨0, 1, (.ofNat 4), 1, 3⟩ (.cons ⟨2, 2, (.ofNat 2), 11, 11⟩ (.cons ⟨2, 3, (.ofNat 3), 11, 14⟩ (.cons ⟨4, 4, (.ofNat 2), 20, 19⟩ (.cons ⟨5, 5, (.ofNat 4), 25, 22⟩ .nil)))))) := id rfl
#print axioms matching_lean_13_0
theorem matching_lean_13_1 : Eq (pairs (greedy (allPairs 4 1 0 (.cons ⟨0, 2⟩ (.cons ⟨3, 7⟩ (.cons ⟨11, 13⟩ (.cons ⟨14, 15⟩ (.cons ⟨19, 21⟩ (.cons ⟨22, 26⟩ (.cons ⟨29, 30⟩ .nil))))))) 0 (.cons ⟨1, 5⟩ (.cons ⟨7, 10⟩ (.cons ⟨11, 15⟩ (.cons ⟨17, 19⟩ (.cons ⟨20, 22⟩ (.cons ⟨25, 27⟩ .nil))))))))) (.cons ⟨5, 5⟩ (.cons ⟨0, 0⟩ (.cons ⟨4, 4⟩ (.cons ⟨2, 2⟩ .nil)))) := id rfl
#print axioms matching_lean_13_1
-- matching/lean-14
theorem matching_lean_14_0 : Eq (allPairs 3 2 1 (.cons ⟨0, 1⟩ (.cons ⟨2, 3⟩ (.cons ⟨5, 6⟩ (.cons ⟨9, 10⟩ (.cons ⟨11, 14⟩ (.cons ⟨16, 19⟩ (.cons ⟨20, 21⟩ (.cons ⟨24, 28⟩ (.cons ⟨29, 30⟩ .nil))))))))) 0 (.cons ⟨4, 6⟩ (.cons ⟨9, 13⟩ (.cons ⟨14, 18⟩ (.cons ⟨21, 22⟩ (.cons ⟨26, 30⟩ .nil)))))) (.cons ⟨0, 2, (.ofNat 1), 4, 5⟩ (.cons ⟨1, 3, (.ofNat 5), 9, 9⟩ (.cons ⟨1, 4, (.ofNat 4), 9, 11⟩ (.cons ⟨2, 5, (.ofNat 4), 14, 16⟩ (.cons ⟨4, 7, (.ofNat 6), 26, 24⟩ (.cons ⟨4, 8, (.ofNat 5), 26, 29⟩ .nil)))))) := id rfl
#print axioms matching_lean_14_0
theorem matching_lean_14_1 : Eq (pairs (greedy (allPairs 3 2 1 (.cons ⟨0, 1⟩ (.cons ⟨2, 3⟩ (.cons ⟨5, 6⟩ (.cons ⟨9, 10⟩ (.cons ⟨11, 14⟩ (.cons ⟨16, 19⟩ (.cons ⟨20, 21⟩ (.cons ⟨24, 28⟩ (.cons ⟨29, 30⟩ .nil))))))))) 0 (.cons ⟨4, 6⟩ (.cons ⟨9, 13⟩ (.cons ⟨14, 18⟩ (.cons ⟨21, 22⟩ (.cons ⟨26, 30⟩ .nil)))))))) (.cons ⟨4, 8⟩ (.cons ⟨2, 5⟩ (.cons ⟨1, 4⟩ (.cons ⟨0, 2⟩ .nil)))) := id rfl
#print axioms matching_lean_14_1
-- matching/lean-15
theorem matching_lean_15_0 : Eq (allPairs 3 3 1 (.cons ⟨2, 4⟩ (.cons ⟨6, 9⟩ (.cons ⟨13, 16⟩ (.cons ⟨18, 21⟩ (.cons ⟨22, 24⟩ (.cons ⟨26, 27⟩ .nil)))))) 0 (.cons ⟨2, 3⟩ (.cons ⟨5, 8⟩ (.cons ⟨11, 12⟩ (.cons ⟨15, 19⟩ (.cons ⟨23, 27⟩ .nil)))))) (.cons ⟨0, 0, (.ofNat 2), 2, 2⟩ (.cons ⟨1, 1, (.ofNat 4), 5, 6⟩ (.cons ⟨3, 2, (.ofNat 14), 15, 13⟩ (.cons ⟨3, 3, (.ofNat 14), 15, 18⟩ (.cons ⟨4, 4, (.ofNat 11), 23, 22⟩ (.cons ⟨4, 5, (.ofNat 8), 23, 26⟩ .nil)))))) := id rfl
#print axioms matching_lean_15_0
theorem matching_lean_15_1 : Eq (pairs (greedy (allPairs 3 3 1 (.cons ⟨2, 4⟩ (.cons ⟨6, 9⟩ (.cons ⟨13, 16⟩ (.cons ⟨18, 21⟩ (.cons ⟨22, 24⟩ (.cons ⟨26, 27⟩ .nil)))))) 0 (.cons ⟨2, 3⟩ (.cons ⟨5, 8⟩ (.cons ⟨11, 12⟩ (.cons ⟨15, 19⟩ (.cons ⟨23, 27⟩ .nil)))))))) (.cons ⟨3, 2⟩ (.cons ⟨4, 5⟩ (.cons ⟨1, 1⟩ (.cons ⟨0, 0⟩ .nil)))) := id rfl
#print axioms matching_lean_15_1
-- matching/lean-16
theorem matching_lean_16_0 : Eq (allPairs 3 3 1 (.cons ⟨0, 4⟩ (.cons ⟨8, 12⟩ (.cons ⟨15, 19⟩ (.cons ⟨22, 23⟩ (.cons ⟨24, 26⟩ (.cons ⟨28, 29⟩ .nil)))))) 0 (.cons ⟨0, 4⟩ (.cons ⟨5, 6⟩ (.cons ⟨9, 11⟩ (.cons ⟨13, 17⟩ (.cons ⟨18, 21⟩ (.cons ⟨25, 29⟩ .nil))))))) (.cons ⟨0, 0, (.negSucc 3), 0, 0⟩ (.cons ⟨2, 1, (.ofNat 4), 9, 8⟩ (.cons ⟨3, 2, (.ofNat 10), 13, 15⟩ (.cons ⟨4, 2, (.ofNat 14), 18, 15⟩ (.cons ⟨5, 4, (.ofNat 11), 25, 24⟩ (.cons ⟨5, 5, (.ofNat 8), 25, 28⟩ .nil)))))) := id rfl
#print axioms matching_lean_16_0
theorem matching_lean_16_1 : Eq (pairs (greedy (allPairs 3 3 1 (.cons ⟨0, 4⟩ (.cons ⟨8, 12⟩ (.cons ⟨15, 19⟩ (.cons ⟨22, 23⟩ (.cons ⟨24, 26⟩ (.cons ⟨28, 29⟩ .nil)))))) 0 (.cons ⟨0, 4⟩ (.cons ⟨5, 6⟩ (.cons ⟨9, 11⟩ (.cons ⟨13, 17⟩ (.cons ⟨18, 21⟩ (.cons ⟨25, 29⟩ .nil))))))))) (.cons ⟨3, 2⟩ (.cons ⟨5, 5⟩ (.cons ⟨2, 1⟩ (.cons ⟨0, 0⟩ .nil)))) := id rfl
#print axioms matching_lean_16_1
-- runs/lean-01
theorem runs_lean_01_0 : Eq (runs (bit 0x79ef) 17) (.cons ⟨0, 4⟩ (.cons ⟨5, 9⟩ (.cons ⟨11, 15⟩ .nil))) := id rfl
#print axioms runs_lean_01_0
theorem runs_lean_01_1 : Eq (gather (onset (bit 0x79ef)) 17) 0x821 := id rfl
#print axioms runs_lean_01_1
theorem runs_lean_01_2 : Eq (gather (offset (bit 0x79ef)) 17) 0x8210 := id rfl
#print axioms runs_lean_01_2
-- runs/lean-02
theorem runs_lean_02_0 : Eq (runs (bit 0xce19c6789c) 40) (.cons ⟨2, 5⟩ (.cons ⟨7, 8⟩ (.cons ⟨11, 15⟩ (.cons ⟨17, 19⟩ (.cons ⟨22, 25⟩ (.cons ⟨27, 29⟩ (.cons ⟨33, 36⟩ (.cons ⟨38, 40⟩ .nil)))))))) := id rfl
#print axioms runs_lean_02_0
theorem runs_lean_02_1 : Eq (gather (onset (bit 0xce19c6789c)) 40) 0x4208420884 := id rfl
#print axioms runs_lean_02_1
theorem runs_lean_02_2 : Eq (gather (offset (bit 0xce19c6789c)) 40) 0x1022088120 := id rfl
#print axioms runs_lean_02_2
-- runs/lean-03
theorem runs_lean_03_0 : Eq (runs (bit 0x8c71ec859887) 48) (.cons ⟨0, 3⟩ (.cons ⟨7, 8⟩ (.cons ⟨11, 13⟩ (.cons ⟨15, 17⟩ (.cons ⟨18, 19⟩ (.cons ⟨23, 24⟩ (.cons ⟨26, 28⟩ (.cons ⟨29, 33⟩ (.cons ⟨36, 39⟩ (.cons ⟨42, 44⟩ (.cons ⟨47, 48⟩ .nil))))))))))) := id rfl
#print axioms runs_lean_03_0
theorem runs_lean_03_1 : Eq (gather (onset (bit 0x8c71ec859887)) 48) 0x841024848881 := id rfl
#print axioms runs_lean_03_1
theorem runs_lean_03_2 : Eq (gather (offset (bit 0x8c71ec859887)) 48) 0x1082110a2108 := id rfl
#print axioms runs_lean_03_2
-- runs/lean-04
theorem runs_lean_04_0 : Eq (runs (bit 0x9c39) 17) (.cons ⟨0, 1⟩ (.cons ⟨3, 6⟩ (.cons ⟨10, 13⟩ (.cons ⟨15, 16⟩ .nil)))) := id rfl
#print axioms runs_lean_04_0
theorem runs_lean_04_1 : Eq (gather (onset (bit 0x9c39)) 17) 0x8409 := id rfl
#print axioms runs_lean_04_1
theorem runs_lean_04_2 : Eq (gather (offset (bit 0x9c39)) 17) 0x12042 := id rfl
#print axioms runs_lean_04_2
-- runs/lean-05
theorem runs_lean_05_0 : Eq (runs (bit 0x70c2) 19) (.cons ⟨1, 2⟩ (.cons ⟨6, 8⟩ (.cons ⟨12, 15⟩ .nil))) := id rfl
#print axioms runs_lean_05_0
theorem runs_lean_05_1 : Eq (gather (onset (bit 0x70c2)) 19) 0x1042 := id rfl
#print axioms runs_lean_05_1
theorem runs_lean_05_2 : Eq (gather (offset (bit 0x70c2)) 19) 0x8104 := id rfl
#print axioms runs_lean_05_2
-- runs/lean-06
theorem runs_lean_06_0 : Eq (runs (bit 0x1e773a2) 25) (.cons ⟨1, 2⟩ (.cons ⟨5, 6⟩ (.cons ⟨7, 10⟩ (.cons ⟨12, 15⟩ (.cons ⟨16, 19⟩ (.cons ⟨21, 25⟩ .nil)))))) := id rfl
#print axioms runs_lean_06_0
theorem runs_lean_06_1 : Eq (gather (onset (bit 0x1e773a2)) 25) 0x2110a2 := id rfl
#print axioms runs_lean_06_1
theorem runs_lean_06_2 : Eq (gather (offset (bit 0x1e773a2)) 25) 0x88444 := id rfl
#print axioms runs_lean_06_2
-- runs/lean-07
theorem runs_lean_07_0 : Eq (runs (bit 0x1def38) 21) (.cons ⟨3, 6⟩ (.cons ⟨8, 12⟩ (.cons ⟨13, 17⟩ (.cons ⟨18, 21⟩ .nil)))) := id rfl
#print axioms runs_lean_07_0
theorem runs_lean_07_1 : Eq (gather (onset (bit 0x1def38)) 21) 0x42108 := id rfl
#print axioms runs_lean_07_1
theorem runs_lean_07_2 : Eq (gather (offset (bit 0x1def38)) 21) 0x21040 := id rfl
#print axioms runs_lean_07_2
-- runs/lean-08
theorem runs_lean_08_0 : Eq (runs (bit 0x39eef08ee1b) 44) (.cons ⟨0, 2⟩ (.cons ⟨3, 5⟩ (.cons ⟨9, 12⟩ (.cons ⟨13, 16⟩ (.cons ⟨19, 20⟩ (.cons ⟨24, 28⟩ (.cons ⟨29, 32⟩ (.cons ⟨33, 37⟩ (.cons ⟨39, 42⟩ .nil))))))))) := id rfl
#print axioms runs_lean_08_0
theorem runs_lean_08_1 : Eq (gather (onset (bit 0x39eef08ee1b)) 44) 0x8221082209 := id rfl
#print axioms runs_lean_08_1
theorem runs_lean_08_2 : Eq (gather (offset (bit 0x39eef08ee1b)) 44) 0x42110111024 := id rfl
#print axioms runs_lean_08_2
-- runs/lean-09
theorem runs_lean_09_0 : Eq (runs (bit 0x79c) 14) (.cons ⟨2, 5⟩ (.cons ⟨7, 11⟩ .nil)) := id rfl
#print axioms runs_lean_09_0
theorem runs_lean_09_1 : Eq (gather (onset (bit 0x79c)) 14) 0x84 := id rfl
#print axioms runs_lean_09_1
theorem runs_lean_09_2 : Eq (gather (offset (bit 0x79c)) 14) 0x820 := id rfl
#print axioms runs_lean_09_2
-- runs/lean-10
theorem runs_lean_10_0 : Eq (runs (bit 0xce1e1db) 29) (.cons ⟨0, 2⟩ (.cons ⟨3, 5⟩ (.cons ⟨6, 9⟩ (.cons ⟨13, 17⟩ (.cons ⟨21, 24⟩ (.cons ⟨26, 28⟩ .nil)))))) := id rfl
#print axioms runs_lean_10_0
theorem runs_lean_10_1 : Eq (gather (onset (bit 0xce1e1db)) 29) 0x4202049 := id rfl
#print axioms runs_lean_10_1
theorem runs_lean_10_2 : Eq (gather (offset (bit 0xce1e1db)) 29) 0x11020224 := id rfl
#print axioms runs_lean_10_2
-- scores/lean-01
theorem scores_lean_01_0 : Eq (satisfied (eval (clip 14 (.cons 0xce7 (.cons 0x1763 .nil))) (.and (.atom 1) (.not (.atom 0)))) (eval (clip 14 (.cons 0xce7 (.cons 0x1763 .nil))) (.iff (.iff (.atom 1) (.atom 1)) (.eventually (.ofNat 3) (.ofNat 5) (.atom 1)))) 14) 2 := id rfl
#print axioms scores_lean_01_0
theorem scores_lean_01_1 : Eq (obligations (eval (clip 14 (.cons 0xce7 (.cons 0x1763 .nil))) (.and (.atom 1) (.not (.atom 0)))) 14) 3 := id rfl
#print axioms scores_lean_01_1
theorem scores_lean_01_2 : Eq (vacuous (eval (clip 14 (.cons 0xce7 (.cons 0x1763 .nil))) (.and (.atom 1) (.not (.atom 0)))) 14) .false := id rfl
#print axioms scores_lean_01_2
theorem scores_lean_01_3 : Eq (Nat.mul 3 2) (Nat.mul 2 3) := id rfl
#print axioms scores_lean_01_3
-- scores/lean-02
theorem scores_lean_02_0 : Eq (satisfied (eval (clip 9 (.cons 0x87 (.cons 0x64 (.cons 0x18f .nil)))) (.since 2 (.since 2 (.atom 0) (.atom 1)) (.iff (.atom 2) (.atom 1)))) (eval (clip 9 (.cons 0x87 (.cons 0x64 (.cons 0x18f .nil)))) (.iff (.always (.negSucc 2) (.ofNat 0) (.atom 2)) (.iff (.atom 1) (.atom 1)))) 9) 1 := id rfl
#print axioms scores_lean_02_0
theorem scores_lean_02_1 : Eq (obligations (eval (clip 9 (.cons 0x87 (.cons 0x64 (.cons 0x18f .nil)))) (.since 2 (.since 2 (.atom 0) (.atom 1)) (.iff (.atom 2) (.atom 1)))) 9) 4 := id rfl
#print axioms scores_lean_02_1
theorem scores_lean_02_2 : Eq (vacuous (eval (clip 9 (.cons 0x87 (.cons 0x64 (.cons 0x18f .nil)))) (.since 2 (.since 2 (.atom 0) (.atom 1)) (.iff (.atom 2) (.atom 1)))) 9) .false := id rfl
#print axioms scores_lean_02_2
theorem scores_lean_02_3 : Eq (Nat.mul 4 1) (Nat.mul 1 4) := id rfl
#print axioms scores_lean_02_3
-- scores/lean-03
theorem scores_lean_03_0 : Eq (satisfied (eval (clip 13 (.cons 0x1e10 (.cons 0x1e1a .nil))) (.implies (.always (.ofNat 2) (.ofNat 3) (.atom 0)) (.atom 1))) (eval (clip 13 (.cons 0x1e10 (.cons 0x1e1a .nil))) (.implies (.eventually (.ofNat 1) (.ofNat 3) (.atom 1)) (.always (.ofNat 1) (.ofNat 1) (.atom 0)))) 13) 7 := id rfl
#print axioms scores_lean_03_0
theorem scores_lean_03_1 : Eq (obligations (eval (clip 13 (.cons 0x1e10 (.cons 0x1e1a .nil))) (.implies (.always (.ofNat 2) (.ofNat 3) (.atom 0)) (.atom 1))) 13) 11 := id rfl
#print axioms scores_lean_03_1
theorem scores_lean_03_2 : Eq (vacuous (eval (clip 13 (.cons 0x1e10 (.cons 0x1e1a .nil))) (.implies (.always (.ofNat 2) (.ofNat 3) (.atom 0)) (.atom 1))) 13) .false := id rfl
#print axioms scores_lean_03_2
theorem scores_lean_03_3 : Eq (Nat.mul 11 7) (Nat.mul 7 11) := id rfl
#print axioms scores_lean_03_3
-- scores/lean-04
theorem scores_lean_04_0 : Eq (satisfied (eval (clip 13 (.cons 0x10f0 (.cons 0x1de4 (.cons 0x38f (.cons 0x1898 .nil))))) (.and (.since 2 (.atom 2) (.atom 1)) (.not (.atom 0)))) (eval (clip 13 (.cons 0x10f0 (.cons 0x1de4 (.cons 0x38f (.cons 0x1898 .nil))))) (.eventually (.negSucc 2) (.ofNat 0) (.eventually (.ofNat 0) (.ofNat 0) (.atom 3)))) 13) 5 := id rfl
#print axioms scores_lean_04_0
theorem scores_lean_04_1 : Eq (obligations (eval (clip 13 (.cons 0x10f0 (.cons 0x1de4 (.cons 0x38f (.cons 0x1898 .nil))))) (.and (.since 2 (.atom 2) (.atom 1)) (.not (.atom 0)))) 13) 6 := id rfl
#print axioms scores_lean_04_1
theorem scores_lean_04_2 : Eq (vacuous (eval (clip 13 (.cons 0x10f0 (.cons 0x1de4 (.cons 0x38f (.cons 0x1898 .nil))))) (.and (.since 2 (.atom 2) (.atom 1)) (.not (.atom 0)))) 13) .false := id rfl
#print axioms scores_lean_04_2
theorem scores_lean_04_3 : Eq (Nat.mul 6 5) (Nat.mul 5 6) := id rfl
#print axioms scores_lean_04_3
-- scores/lean-05
theorem scores_lean_05_0 : Eq (satisfied (eval (clip 8 (.cons 0xc7 (.cons 0x1e .nil))) (.«until» 3 (.eventually (.ofNat 3) (.ofNat 3) (.atom 1)) (.«until» 3 (.atom 1) (.atom 0)))) (eval (clip 8 (.cons 0xc7 (.cons 0x1e .nil))) (.and (.always (.ofNat 4) (.ofNat 5) (.atom 1)) (.not (.atom 1)))) 8) 2 := id rfl
#print axioms scores_lean_05_0
theorem scores_lean_05_1 : Eq (obligations (eval (clip 8 (.cons 0xc7 (.cons 0x1e .nil))) (.«until» 3 (.eventually (.ofNat 3) (.ofNat 3) (.atom 1)) (.«until» 3 (.atom 1) (.atom 0)))) 8) 5 := id rfl
#print axioms scores_lean_05_1
theorem scores_lean_05_2 : Eq (vacuous (eval (clip 8 (.cons 0xc7 (.cons 0x1e .nil))) (.«until» 3 (.eventually (.ofNat 3) (.ofNat 3) (.atom 1)) (.«until» 3 (.atom 1) (.atom 0)))) 8) .false := id rfl
#print axioms scores_lean_05_2
theorem scores_lean_05_3 : Eq (Nat.mul 5 2) (Nat.mul 2 5) := id rfl
#print axioms scores_lean_05_3
-- scores/lean-06
theorem scores_lean_06_0 : Eq (satisfied (eval (clip 10 (.cons 0x270 (.cons 0x79 (.cons 0xcf .nil)))) (.and (.since 5 (.atom 0) (.atom 1)) (.not (.atom 1)))) (eval (clip 10 (.cons 0x270 (.cons 0x79 (.cons 0xcf .nil)))) (.implies (.since 4 (.atom 0) (.atom 1)) (.atom 2))) 10) 0 := id rfl
#print axioms scores_lean_06_0
theorem scores_lean_06_1 : Eq (obligations (eval (clip 10 (.cons 0x270 (.cons 0x79 (.cons 0xcf .nil)))) (.and (.since 5 (.atom 0) (.atom 1)) (.not (.atom 1)))) 10) 0 := id rfl
#print axioms scores_lean_06_1
theorem scores_lean_06_2 : Eq (vacuous (eval (clip 10 (.cons 0x270 (.cons 0x79 (.cons 0xcf .nil)))) (.and (.since 5 (.atom 0) (.atom 1)) (.not (.atom 1)))) 10) .true := id rfl
#print axioms scores_lean_06_2
theorem scores_lean_06_3 : Eq (1) 1 := id rfl
#print axioms scores_lean_06_3
-- scores/lean-07
theorem scores_lean_07_0 : Eq (satisfied (eval (clip 11 (.cons 0x30d (.cons 0x427 (.cons 0x738 .nil)))) (.and (.not (.always (.ofNat 4) (.ofNat 7) (.atom 1))) (.not (.atom 0)))) (eval (clip 11 (.cons 0x30d (.cons 0x427 (.cons 0x738 .nil)))) (.always (.ofNat 3) (.ofNat 3) (.atom 2))) 11) 2 := id rfl
#print axioms scores_lean_07_0
theorem scores_lean_07_1 : Eq (obligations (eval (clip 11 (.cons 0x30d (.cons 0x427 (.cons 0x738 .nil)))) (.and (.not (.always (.ofNat 4) (.ofNat 7) (.atom 1))) (.not (.atom 0)))) 11) 3 := id rfl
#print axioms scores_lean_07_1
theorem scores_lean_07_2 : Eq (vacuous (eval (clip 11 (.cons 0x30d (.cons 0x427 (.cons 0x738 .nil)))) (.and (.not (.always (.ofNat 4) (.ofNat 7) (.atom 1))) (.not (.atom 0)))) 11) .false := id rfl
#print axioms scores_lean_07_2
theorem scores_lean_07_3 : Eq (Nat.mul 3 2) (Nat.mul 2 3) := id rfl
#print axioms scores_lean_07_3
-- scores/lean-08
theorem scores_lean_08_0 : Eq (satisfied (eval (clip 8 (.cons 0x66 (.cons 0xf0 (.cons 0x74 .nil)))) (.eventually (.ofNat 4) (.ofNat 6) (.atom 1))) (eval (clip 8 (.cons 0x66 (.cons 0xf0 (.cons 0x74 .nil)))) (.since 6 (.since 4 (.atom 2) (.atom 1)) (.always (.ofNat 4) (.ofNat 5) (.atom 0)))) 8) 1 := id rfl
#print axioms scores_lean_08_0
theorem scores_lean_08_1 : Eq (obligations (eval (clip 8 (.cons 0x66 (.cons 0xf0 (.cons 0x74 .nil)))) (.eventually (.ofNat 4) (.ofNat 6) (.atom 1))) 8) 4 := id rfl
#print axioms scores_lean_08_1
theorem scores_lean_08_2 : Eq (vacuous (eval (clip 8 (.cons 0x66 (.cons 0xf0 (.cons 0x74 .nil)))) (.eventually (.ofNat 4) (.ofNat 6) (.atom 1))) 8) .false := id rfl
#print axioms scores_lean_08_2
theorem scores_lean_08_3 : Eq (Nat.mul 4 1) (Nat.mul 1 4) := id rfl
#print axioms scores_lean_08_3
-- scores/lean-09
theorem scores_lean_09_0 : Eq (satisfied (eval (clip 10 (.cons 0x70 (.cons 0x11e (.cons 0x1e1 .nil)))) (.or (.or (.atom 2) (.atom 0)) (.«until» 1 (.atom 0) (.atom 1)))) (eval (clip 10 (.cons 0x70 (.cons 0x11e (.cons 0x1e1 .nil)))) (.implies (.always (.ofNat 4) (.ofNat 5) (.atom 0)) (.iff (.atom 1) (.atom 0)))) 10) 6 := id rfl
#print axioms scores_lean_09_0
theorem scores_lean_09_1 : Eq (obligations (eval (clip 10 (.cons 0x70 (.cons 0x11e (.cons 0x1e1 .nil)))) (.or (.or (.atom 2) (.atom 0)) (.«until» 1 (.atom 0) (.atom 1)))) 10) 9 := id rfl
#print axioms scores_lean_09_1
theorem scores_lean_09_2 : Eq (vacuous (eval (clip 10 (.cons 0x70 (.cons 0x11e (.cons 0x1e1 .nil)))) (.or (.or (.atom 2) (.atom 0)) (.«until» 1 (.atom 0) (.atom 1)))) 10) .false := id rfl
#print axioms scores_lean_09_2
theorem scores_lean_09_3 : Eq (Nat.mul 9 2) (Nat.mul 6 3) := id rfl
#print axioms scores_lean_09_3
-- scores/lean-10
theorem scores_lean_10_0 : Eq (satisfied (eval (clip 11 (.cons 0xcf (.cons 0x63c (.cons 0x7b (.cons 0x390 .nil))))) (.and (.iff (.«until» 6 (.atom 3) (.atom 1)) (.atom 1)) (.not (.atom 0)))) (eval (clip 11 (.cons 0xcf (.cons 0x63c (.cons 0x7b (.cons 0x390 .nil))))) (.«until» 5 (.since 5 (.atom 3) (.atom 1)) (.eventually (.ofNat 1) (.ofNat 3) (.atom 2)))) 11) 2 := id rfl
#print axioms scores_lean_10_0
theorem scores_lean_10_1 : Eq (obligations (eval (clip 11 (.cons 0xcf (.cons 0x63c (.cons 0x7b (.cons 0x390 .nil))))) (.and (.iff (.«until» 6 (.atom 3) (.atom 1)) (.atom 1)) (.not (.atom 0)))) 11) 4 := id rfl
#print axioms scores_lean_10_1
theorem scores_lean_10_2 : Eq (vacuous (eval (clip 11 (.cons 0xcf (.cons 0x63c (.cons 0x7b (.cons 0x390 .nil))))) (.and (.iff (.«until» 6 (.atom 3) (.atom 1)) (.atom 1)) (.not (.atom 0)))) 11) .false := id rfl
#print axioms scores_lean_10_2
theorem scores_lean_10_3 : Eq (Nat.mul 4 1) (Nat.mul 2 2) := id rfl
#print axioms scores_lean_10_3
-- scores/lean-11
theorem scores_lean_11_0 : Eq (satisfied (eval (clip 14 (.cons 0x2311 (.cons 0xf3c (.cons 0x1e10 .nil)))) (.atom 0)) (eval (clip 14 (.cons 0x2311 (.cons 0xf3c (.cons 0x1e10 .nil)))) (.«until» 4 (.or (.atom 1) (.atom 2)) (.iff (.atom 1) (.atom 0)))) 14) 3 := id rfl
#print axioms scores_lean_11_0
theorem scores_lean_11_1 : Eq (obligations (eval (clip 14 (.cons 0x2311 (.cons 0xf3c (.cons 0x1e10 .nil)))) (.atom 0)) 14) 5 := id rfl
#print axioms scores_lean_11_1
theorem scores_lean_11_2 : Eq (vacuous (eval (clip 14 (.cons 0x2311 (.cons 0xf3c (.cons 0x1e10 .nil)))) (.atom 0)) 14) .false := id rfl
#print axioms scores_lean_11_2
theorem scores_lean_11_3 : Eq (Nat.mul 5 3) (Nat.mul 3 5) := id rfl
#print axioms scores_lean_11_3
-- scores/lean-12
theorem scores_lean_12_0 : Eq (satisfied (eval (clip 8 (.cons 0x70 (.cons 0x6f (.cons 0x50 .nil)))) (.always (.ofNat 0) (.ofNat 2) (.eventually (.negSucc 0) (.ofNat 2) (.atom 2)))) (eval (clip 8 (.cons 0x70 (.cons 0x6f (.cons 0x50 .nil)))) (.iff (.iff (.atom 1) (.atom 0)) (.always (.ofNat 2) (.ofNat 4) (.atom 1)))) 8) 5 := id rfl
#print axioms scores_lean_12_0
theorem scores_lean_12_1 : Eq (obligations (eval (clip 8 (.cons 0x70 (.cons 0x6f (.cons 0x50 .nil)))) (.always (.ofNat 0) (.ofNat 2) (.eventually (.negSucc 0) (.ofNat 2) (.atom 2)))) 8) 6 := id rfl
#print axioms scores_lean_12_1
theorem scores_lean_12_2 : Eq (vacuous (eval (clip 8 (.cons 0x70 (.cons 0x6f (.cons 0x50 .nil)))) (.always (.ofNat 0) (.ofNat 2) (.eventually (.negSucc 0) (.ofNat 2) (.atom 2)))) 8) .false := id rfl
#print axioms scores_lean_12_2
theorem scores_lean_12_3 : Eq (Nat.mul 6 5) (Nat.mul 5 6) := id rfl
#print axioms scores_lean_12_3
-- scores/lean-13
theorem scores_lean_13_0 : Eq (satisfied (eval (clip 14 (.cons 0x3de7 (.cons 0x3c38 (.cons 0xc78 (.cons 0x3bcc .nil))))) (.and (.«until» 6 (.atom 2) (.atom 3)) (.not (.atom 0)))) (eval (clip 14 (.cons 0x3de7 (.cons 0x3c38 (.cons 0xc78 (.cons 0x3bcc .nil))))) (.«until» 4 (.and (.atom 3) (.atom 1)) (.«until» 2 (.atom 2) (.atom 2)))) 14) 2 := id rfl
#print axioms scores_lean_13_0
theorem scores_lean_13_1 : Eq (obligations (eval (clip 14 (.cons 0x3de7 (.cons 0x3c38 (.cons 0xc78 (.cons 0x3bcc .nil))))) (.and (.«until» 6 (.atom 2) (.atom 3)) (.not (.atom 0)))) 14) 3 := id rfl
#print axioms scores_lean_13_1
theorem scores_lean_13_2 : Eq (vacuous (eval (clip 14 (.cons 0x3de7 (.cons 0x3c38 (.cons 0xc78 (.cons 0x3bcc .nil))))) (.and (.«until» 6 (.atom 2) (.atom 3)) (.not (.atom 0)))) 14) .false := id rfl
#print axioms scores_lean_13_2
theorem scores_lean_13_3 : Eq (Nat.mul 3 2) (Nat.mul 2 3) := id rfl
#print axioms scores_lean_13_3
-- scores/lean-14
theorem scores_lean_14_0 : Eq (satisfied (eval (clip 11 (.cons 0x1cf (.cons 0xe8 .nil))) (.since 4 (.atom 1) (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)))) (eval (clip 11 (.cons 0x1cf (.cons 0xe8 .nil))) (.since 1 (.iff (.atom 1) (.atom 0)) (.eventually (.negSucc 3) (.negSucc 2) (.atom 1)))) 11) 3 := id rfl
#print axioms scores_lean_14_0
theorem scores_lean_14_1 : Eq (obligations (eval (clip 11 (.cons 0x1cf (.cons 0xe8 .nil))) (.since 4 (.atom 1) (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)))) 11) 8 := id rfl
#print axioms scores_lean_14_1
theorem scores_lean_14_2 : Eq (vacuous (eval (clip 11 (.cons 0x1cf (.cons 0xe8 .nil))) (.since 4 (.atom 1) (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)))) 11) .false := id rfl
#print axioms scores_lean_14_2
theorem scores_lean_14_3 : Eq (Nat.mul 8 3) (Nat.mul 3 8) := id rfl
#print axioms scores_lean_14_3
-- streaming/lean-01
theorem streaming_lean_01_0 : Eq (length (live (clip 6 (.cons 0x3c (.cons 0x27 .nil))) (.«until» 2 (.implies (.atom 1) (.atom 1)) (.eventually (.ofNat 1) (.ofNat 5) (.atom 0))) 1)) 0 := id rfl
#print axioms streaming_lean_01_0
theorem streaming_lean_01_1 : Eq (length (live (clip 6 (.cons 0x3c (.cons 0x27 .nil))) (.«until» 2 (.implies (.atom 1) (.atom 1)) (.eventually (.ofNat 1) (.ofNat 5) (.atom 0))) 2)) 0 := id rfl
#print axioms streaming_lean_01_1
theorem streaming_lean_01_2 : Eq (length (live (clip 6 (.cons 0x3c (.cons 0x27 .nil))) (.«until» 2 (.implies (.atom 1) (.atom 1)) (.eventually (.ofNat 1) (.ofNat 5) (.atom 0))) 3)) 0 := id rfl
#print axioms streaming_lean_01_2
theorem streaming_lean_01_3 : Eq (length (live (clip 6 (.cons 0x3c (.cons 0x27 .nil))) (.«until» 2 (.implies (.atom 1) (.atom 1)) (.eventually (.ofNat 1) (.ofNat 5) (.atom 0))) 4)) 0 := id rfl
#print axioms streaming_lean_01_3
theorem streaming_lean_01_4 : Eq (length (live (clip 6 (.cons 0x3c (.cons 0x27 .nil))) (.«until» 2 (.implies (.atom 1) (.atom 1)) (.eventually (.ofNat 1) (.ofNat 5) (.atom 0))) 5)) 0 := id rfl
#print axioms streaming_lean_01_4
theorem streaming_lean_01_5 : Eq (length (live (clip 6 (.cons 0x3c (.cons 0x27 .nil))) (.«until» 2 (.implies (.atom 1) (.atom 1)) (.eventually (.ofNat 1) (.ofNat 5) (.atom 0))) 6)) 0 := id rfl
#print axioms streaming_lean_01_5
theorem streaming_lean_01_6 : Eq (stream (clip 6 (.cons 0x3c (.cons 0x27 .nil))) (.«until» 2 (.implies (.atom 1) (.atom 1)) (.eventually (.ofNat 1) (.ofNat 5) (.atom 0)))) (.cons ⟨5, .false⟩ (.cons ⟨4, .true⟩ (.cons ⟨3, .true⟩ (.cons ⟨2, .true⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .true⟩ .nil)))))) := id rfl
#print axioms streaming_lean_01_6
-- streaming/lean-02
theorem streaming_lean_02_0 : Eq (length (live (clip 7 (.cons 0xb (.cons 0xf .nil))) (.«until» 2 (.always (.negSucc 1) (.ofNat 2) (.atom 1)) (.eventually (.negSucc 0) (.ofNat 1) (.atom 0))) 1)) 0 := id rfl
#print axioms streaming_lean_02_0
theorem streaming_lean_02_1 : Eq (length (live (clip 7 (.cons 0xb (.cons 0xf .nil))) (.«until» 2 (.always (.negSucc 1) (.ofNat 2) (.atom 1)) (.eventually (.negSucc 0) (.ofNat 1) (.atom 0))) 2)) 0 := id rfl
#print axioms streaming_lean_02_1
theorem streaming_lean_02_2 : Eq (length (live (clip 7 (.cons 0xb (.cons 0xf .nil))) (.«until» 2 (.always (.negSucc 1) (.ofNat 2) (.atom 1)) (.eventually (.negSucc 0) (.ofNat 1) (.atom 0))) 3)) 0 := id rfl
#print axioms streaming_lean_02_2
theorem streaming_lean_02_3 : Eq (length (live (clip 7 (.cons 0xb (.cons 0xf .nil))) (.«until» 2 (.always (.negSucc 1) (.ofNat 2) (.atom 1)) (.eventually (.negSucc 0) (.ofNat 1) (.atom 0))) 4)) 1 := id rfl
#print axioms streaming_lean_02_3
theorem streaming_lean_02_4 : Eq (length (live (clip 7 (.cons 0xb (.cons 0xf .nil))) (.«until» 2 (.always (.negSucc 1) (.ofNat 2) (.atom 1)) (.eventually (.negSucc 0) (.ofNat 1) (.atom 0))) 5)) 2 := id rfl
#print axioms streaming_lean_02_4
theorem streaming_lean_02_5 : Eq (length (live (clip 7 (.cons 0xb (.cons 0xf .nil))) (.«until» 2 (.always (.negSucc 1) (.ofNat 2) (.atom 1)) (.eventually (.negSucc 0) (.ofNat 1) (.atom 0))) 6)) 3 := id rfl
#print axioms streaming_lean_02_5
theorem streaming_lean_02_6 : Eq (length (live (clip 7 (.cons 0xb (.cons 0xf .nil))) (.«until» 2 (.always (.negSucc 1) (.ofNat 2) (.atom 1)) (.eventually (.negSucc 0) (.ofNat 1) (.atom 0))) 7)) 4 := id rfl
#print axioms streaming_lean_02_6
theorem streaming_lean_02_7 : Eq (stream (clip 7 (.cons 0xb (.cons 0xf .nil))) (.«until» 2 (.always (.negSucc 1) (.ofNat 2) (.atom 1)) (.eventually (.negSucc 0) (.ofNat 1) (.atom 0)))) (.cons ⟨6, .false⟩ (.cons ⟨5, .false⟩ (.cons ⟨4, .true⟩ (.cons ⟨3, .true⟩ (.cons ⟨2, .true⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .true⟩ .nil))))))) := id rfl
#print axioms streaming_lean_02_7
-- streaming/lean-03
theorem streaming_lean_03_0 : Eq (length (live (clip 7 (.cons 0xe (.cons 0x13 .nil))) (.«until» 1 (.eventually (.ofNat 3) (.ofNat 3) (.atom 0)) (.or (.atom 1) (.atom 1))) 1)) 0 := id rfl
#print axioms streaming_lean_03_0
theorem streaming_lean_03_1 : Eq (length (live (clip 7 (.cons 0xe (.cons 0x13 .nil))) (.«until» 1 (.eventually (.ofNat 3) (.ofNat 3) (.atom 0)) (.or (.atom 1) (.atom 1))) 2)) 0 := id rfl
#print axioms streaming_lean_03_1
theorem streaming_lean_03_2 : Eq (length (live (clip 7 (.cons 0xe (.cons 0x13 .nil))) (.«until» 1 (.eventually (.ofNat 3) (.ofNat 3) (.atom 0)) (.or (.atom 1) (.atom 1))) 3)) 0 := id rfl
#print axioms streaming_lean_03_2
theorem streaming_lean_03_3 : Eq (length (live (clip 7 (.cons 0xe (.cons 0x13 .nil))) (.«until» 1 (.eventually (.ofNat 3) (.ofNat 3) (.atom 0)) (.or (.atom 1) (.atom 1))) 4)) 1 := id rfl
#print axioms streaming_lean_03_3
theorem streaming_lean_03_4 : Eq (length (live (clip 7 (.cons 0xe (.cons 0x13 .nil))) (.«until» 1 (.eventually (.ofNat 3) (.ofNat 3) (.atom 0)) (.or (.atom 1) (.atom 1))) 5)) 2 := id rfl
#print axioms streaming_lean_03_4
theorem streaming_lean_03_5 : Eq (length (live (clip 7 (.cons 0xe (.cons 0x13 .nil))) (.«until» 1 (.eventually (.ofNat 3) (.ofNat 3) (.atom 0)) (.or (.atom 1) (.atom 1))) 6)) 3 := id rfl
#print axioms streaming_lean_03_5
theorem streaming_lean_03_6 : Eq (length (live (clip 7 (.cons 0xe (.cons 0x13 .nil))) (.«until» 1 (.eventually (.ofNat 3) (.ofNat 3) (.atom 0)) (.or (.atom 1) (.atom 1))) 7)) 4 := id rfl
#print axioms streaming_lean_03_6
theorem streaming_lean_03_7 : Eq (stream (clip 7 (.cons 0xe (.cons 0x13 .nil))) (.«until» 1 (.eventually (.ofNat 3) (.ofNat 3) (.atom 0)) (.or (.atom 1) (.atom 1)))) (.cons ⟨6, .false⟩ (.cons ⟨5, .false⟩ (.cons ⟨4, .true⟩ (.cons ⟨3, .false⟩ (.cons ⟨2, .false⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .true⟩ .nil))))))) := id rfl
#print axioms streaming_lean_03_7
-- streaming/lean-04
theorem streaming_lean_04_0 : Eq (length (live (clip 8 (.cons 0x78 (.cons 0xa7 .nil))) (.since 6 (.eventually (.ofNat 2) (.ofNat 3) (.atom 0)) (.not (.atom 1))) 1)) 0 := id rfl
#print axioms streaming_lean_04_0
theorem streaming_lean_04_1 : Eq (length (live (clip 8 (.cons 0x78 (.cons 0xa7 .nil))) (.since 6 (.eventually (.ofNat 2) (.ofNat 3) (.atom 0)) (.not (.atom 1))) 2)) 0 := id rfl
#print axioms streaming_lean_04_1
theorem streaming_lean_04_2 : Eq (length (live (clip 8 (.cons 0x78 (.cons 0xa7 .nil))) (.since 6 (.eventually (.ofNat 2) (.ofNat 3) (.atom 0)) (.not (.atom 1))) 3)) 0 := id rfl
#print axioms streaming_lean_04_2
theorem streaming_lean_04_3 : Eq (length (live (clip 8 (.cons 0x78 (.cons 0xa7 .nil))) (.since 6 (.eventually (.ofNat 2) (.ofNat 3) (.atom 0)) (.not (.atom 1))) 4)) 1 := id rfl
#print axioms streaming_lean_04_3
theorem streaming_lean_04_4 : Eq (length (live (clip 8 (.cons 0x78 (.cons 0xa7 .nil))) (.since 6 (.eventually (.ofNat 2) (.ofNat 3) (.atom 0)) (.not (.atom 1))) 5)) 2 := id rfl
#print axioms streaming_lean_04_4
theorem streaming_lean_04_5 : Eq (length (live (clip 8 (.cons 0x78 (.cons 0xa7 .nil))) (.since 6 (.eventually (.ofNat 2) (.ofNat 3) (.atom 0)) (.not (.atom 1))) 6)) 3 := id rfl
#print axioms streaming_lean_04_5
theorem streaming_lean_04_6 : Eq (length (live (clip 8 (.cons 0x78 (.cons 0xa7 .nil))) (.since 6 (.eventually (.ofNat 2) (.ofNat 3) (.atom 0)) (.not (.atom 1))) 7)) 4 := id rfl
#print axioms streaming_lean_04_6
theorem streaming_lean_04_7 : Eq (length (live (clip 8 (.cons 0x78 (.cons 0xa7 .nil))) (.since 6 (.eventually (.ofNat 2) (.ofNat 3) (.atom 0)) (.not (.atom 1))) 8)) 5 := id rfl
#print axioms streaming_lean_04_7
theorem streaming_lean_04_8 : Eq (stream (clip 8 (.cons 0x78 (.cons 0xa7 .nil))) (.since 6 (.eventually (.ofNat 2) (.ofNat 3) (.atom 0)) (.not (.atom 1)))) (.cons ⟨7, .false⟩ (.cons ⟨6, .true⟩ (.cons ⟨5, .false⟩ (.cons ⟨4, .true⟩ (.cons ⟨3, .true⟩ (.cons ⟨2, .false⟩ (.cons ⟨1, .false⟩ (.cons ⟨0, .false⟩ .nil)))))))) := id rfl
#print axioms streaming_lean_04_8
-- streaming/lean-05
theorem streaming_lean_05_0 : Eq (length (live (clip 5 (.cons 0x1e (.cons 0xf .nil))) (.«until» 1 (.atom 1) (.«until» 4 (.atom 0) (.atom 1))) 1)) 0 := id rfl
#print axioms streaming_lean_05_0
theorem streaming_lean_05_1 : Eq (length (live (clip 5 (.cons 0x1e (.cons 0xf .nil))) (.«until» 1 (.atom 1) (.«until» 4 (.atom 0) (.atom 1))) 2)) 0 := id rfl
#print axioms streaming_lean_05_1
theorem streaming_lean_05_2 : Eq (length (live (clip 5 (.cons 0x1e (.cons 0xf .nil))) (.«until» 1 (.atom 1) (.«until» 4 (.atom 0) (.atom 1))) 3)) 0 := id rfl
#print axioms streaming_lean_05_2
theorem streaming_lean_05_3 : Eq (length (live (clip 5 (.cons 0x1e (.cons 0xf .nil))) (.«until» 1 (.atom 1) (.«until» 4 (.atom 0) (.atom 1))) 4)) 0 := id rfl
#print axioms streaming_lean_05_3
theorem streaming_lean_05_4 : Eq (length (live (clip 5 (.cons 0x1e (.cons 0xf .nil))) (.«until» 1 (.atom 1) (.«until» 4 (.atom 0) (.atom 1))) 5)) 0 := id rfl
#print axioms streaming_lean_05_4
theorem streaming_lean_05_5 : Eq (stream (clip 5 (.cons 0x1e (.cons 0xf .nil))) (.«until» 1 (.atom 1) (.«until» 4 (.atom 0) (.atom 1)))) (.cons ⟨4, .false⟩ (.cons ⟨3, .true⟩ (.cons ⟨2, .true⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .true⟩ .nil))))) := id rfl
#print axioms streaming_lean_05_5
-- streaming/lean-06
theorem streaming_lean_06_0 : Eq (length (live (clip 7 (.cons 0xe .nil)) (.eventually (.ofNat 1) (.ofNat 2) (.eventually (.negSucc 2) (.negSucc 2) (.atom 0))) 1)) 0 := id rfl
#print axioms streaming_lean_06_0
theorem streaming_lean_06_1 : Eq (length (live (clip 7 (.cons 0xe .nil)) (.eventually (.ofNat 1) (.ofNat 2) (.eventually (.negSucc 2) (.negSucc 2) (.atom 0))) 2)) 0 := id rfl
#print axioms streaming_lean_06_1
theorem streaming_lean_06_2 : Eq (length (live (clip 7 (.cons 0xe .nil)) (.eventually (.ofNat 1) (.ofNat 2) (.eventually (.negSucc 2) (.negSucc 2) (.atom 0))) 3)) 1 := id rfl
#print axioms streaming_lean_06_2
theorem streaming_lean_06_3 : Eq (length (live (clip 7 (.cons 0xe .nil)) (.eventually (.ofNat 1) (.ofNat 2) (.eventually (.negSucc 2) (.negSucc 2) (.atom 0))) 4)) 2 := id rfl
#print axioms streaming_lean_06_3
theorem streaming_lean_06_4 : Eq (length (live (clip 7 (.cons 0xe .nil)) (.eventually (.ofNat 1) (.ofNat 2) (.eventually (.negSucc 2) (.negSucc 2) (.atom 0))) 5)) 3 := id rfl
#print axioms streaming_lean_06_4
theorem streaming_lean_06_5 : Eq (length (live (clip 7 (.cons 0xe .nil)) (.eventually (.ofNat 1) (.ofNat 2) (.eventually (.negSucc 2) (.negSucc 2) (.atom 0))) 6)) 4 := id rfl
#print axioms streaming_lean_06_5
theorem streaming_lean_06_6 : Eq (length (live (clip 7 (.cons 0xe .nil)) (.eventually (.ofNat 1) (.ofNat 2) (.eventually (.negSucc 2) (.negSucc 2) (.atom 0))) 7)) 5 := id rfl
#print axioms streaming_lean_06_6
theorem streaming_lean_06_7 : Eq (stream (clip 7 (.cons 0xe .nil)) (.eventually (.ofNat 1) (.ofNat 2) (.eventually (.negSucc 2) (.negSucc 2) (.atom 0)))) (.cons ⟨6, .false⟩ (.cons ⟨5, .true⟩ (.cons ⟨4, .true⟩ (.cons ⟨3, .true⟩ (.cons ⟨2, .true⟩ (.cons ⟨1, .false⟩ (.cons ⟨0, .false⟩ .nil))))))) := id rfl
#print axioms streaming_lean_06_7
-- streaming/lean-07
theorem streaming_lean_07_0 : Eq (length (live (clip 7 (.cons 0x70 (.cons 0x10 (.cons 0x1e .nil)))) (.implies (.always (.ofNat 4) (.ofNat 7) (.or (.atom 2) (.atom 0))) (.always (.ofNat 3) (.ofNat 6) (.or (.atom 1) (.atom 0)))) 1)) 0 := id rfl
#print axioms streaming_lean_07_0
theorem streaming_lean_07_1 : Eq (length (live (clip 7 (.cons 0x70 (.cons 0x10 (.cons 0x1e .nil)))) (.implies (.always (.ofNat 4) (.ofNat 7) (.or (.atom 2) (.atom 0))) (.always (.ofNat 3) (.ofNat 6) (.or (.atom 1) (.atom 0)))) 2)) 0 := id rfl
#print axioms streaming_lean_07_1
theorem streaming_lean_07_2 : Eq (length (live (clip 7 (.cons 0x70 (.cons 0x10 (.cons 0x1e .nil)))) (.implies (.always (.ofNat 4) (.ofNat 7) (.or (.atom 2) (.atom 0))) (.always (.ofNat 3) (.ofNat 6) (.or (.atom 1) (.atom 0)))) 3)) 0 := id rfl
#print axioms streaming_lean_07_2
theorem streaming_lean_07_3 : Eq (length (live (clip 7 (.cons 0x70 (.cons 0x10 (.cons 0x1e .nil)))) (.implies (.always (.ofNat 4) (.ofNat 7) (.or (.atom 2) (.atom 0))) (.always (.ofNat 3) (.ofNat 6) (.or (.atom 1) (.atom 0)))) 4)) 0 := id rfl
#print axioms streaming_lean_07_3
theorem streaming_lean_07_4 : Eq (length (live (clip 7 (.cons 0x70 (.cons 0x10 (.cons 0x1e .nil)))) (.implies (.always (.ofNat 4) (.ofNat 7) (.or (.atom 2) (.atom 0))) (.always (.ofNat 3) (.ofNat 6) (.or (.atom 1) (.atom 0)))) 5)) 0 := id rfl
#print axioms streaming_lean_07_4
theorem streaming_lean_07_5 : Eq (length (live (clip 7 (.cons 0x70 (.cons 0x10 (.cons 0x1e .nil)))) (.implies (.always (.ofNat 4) (.ofNat 7) (.or (.atom 2) (.atom 0))) (.always (.ofNat 3) (.ofNat 6) (.or (.atom 1) (.atom 0)))) 6)) 0 := id rfl
#print axioms streaming_lean_07_5
theorem streaming_lean_07_6 : Eq (length (live (clip 7 (.cons 0x70 (.cons 0x10 (.cons 0x1e .nil)))) (.implies (.always (.ofNat 4) (.ofNat 7) (.or (.atom 2) (.atom 0))) (.always (.ofNat 3) (.ofNat 6) (.or (.atom 1) (.atom 0)))) 7)) 0 := id rfl
#print axioms streaming_lean_07_6
theorem streaming_lean_07_7 : Eq (stream (clip 7 (.cons 0x70 (.cons 0x10 (.cons 0x1e .nil)))) (.implies (.always (.ofNat 4) (.ofNat 7) (.or (.atom 2) (.atom 0))) (.always (.ofNat 3) (.ofNat 6) (.or (.atom 1) (.atom 0))))) (.cons ⟨6, .true⟩ (.cons ⟨5, .true⟩ (.cons ⟨4, .true⟩ (.cons ⟨3, .true⟩ (.cons ⟨2, .true⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .false⟩ .nil))))))) := id rfl
#print axioms streaming_lean_07_7
-- streaming/lean-08
theorem streaming_lean_08_0 : Eq (length (live (clip 5 (.cons 0x17 (.cons 0x1c .nil))) (.eventually (.ofNat 2) (.ofNat 2) (.since 1 (.atom 0) (.atom 1))) 1)) 0 := id rfl
#print axioms streaming_lean_08_0
theorem streaming_lean_08_1 : Eq (length (live (clip 5 (.cons 0x17 (.cons 0x1c .nil))) (.eventually (.ofNat 2) (.ofNat 2) (.since 1 (.atom 0) (.atom 1))) 2)) 0 := id rfl
#print axioms streaming_lean_08_1
theorem streaming_lean_08_2 : Eq (length (live (clip 5 (.cons 0x17 (.cons 0x1c .nil))) (.eventually (.ofNat 2) (.ofNat 2) (.since 1 (.atom 0) (.atom 1))) 3)) 1 := id rfl
#print axioms streaming_lean_08_2
theorem streaming_lean_08_3 : Eq (length (live (clip 5 (.cons 0x17 (.cons 0x1c .nil))) (.eventually (.ofNat 2) (.ofNat 2) (.since 1 (.atom 0) (.atom 1))) 4)) 2 := id rfl
#print axioms streaming_lean_08_3
theorem streaming_lean_08_4 : Eq (length (live (clip 5 (.cons 0x17 (.cons 0x1c .nil))) (.eventually (.ofNat 2) (.ofNat 2) (.since 1 (.atom 0) (.atom 1))) 5)) 3 := id rfl
#print axioms streaming_lean_08_4
theorem streaming_lean_08_5 : Eq (stream (clip 5 (.cons 0x17 (.cons 0x1c .nil))) (.eventually (.ofNat 2) (.ofNat 2) (.since 1 (.atom 0) (.atom 1)))) (.cons ⟨4, .false⟩ (.cons ⟨3, .false⟩ (.cons ⟨2, .true⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .true⟩ .nil))))) := id rfl
#print axioms streaming_lean_08_5
-- streaming/lean-09
theorem streaming_lean_09_0 : Eq (length (live (clip 8 (.cons 0x74 (.cons 0x27 .nil))) (.«until» 4 (.atom 0) (.«until» 1 (.atom 1) (.atom 1))) 1)) 0 := id rfl
#print axioms streaming_lean_09_0
theorem streaming_lean_09_1 : Eq (length (live (clip 8 (.cons 0x74 (.cons 0x27 .nil))) (.«until» 4 (.atom 0) (.«until» 1 (.atom 1) (.atom 1))) 2)) 0 := id rfl
#print axioms streaming_lean_09_1
theorem streaming_lean_09_2 : Eq (length (live (clip 8 (.cons 0x74 (.cons 0x27 .nil))) (.«until» 4 (.atom 0) (.«until» 1 (.atom 1) (.atom 1))) 3)) 0 := id rfl
#print axioms streaming_lean_09_2
theorem streaming_lean_09_3 : Eq (length (live (clip 8 (.cons 0x74 (.cons 0x27 .nil))) (.«until» 4 (.atom 0) (.«until» 1 (.atom 1) (.atom 1))) 4)) 0 := id rfl
#print axioms streaming_lean_09_3
theorem streaming_lean_09_4 : Eq (length (live (clip 8 (.cons 0x74 (.cons 0x27 .nil))) (.«until» 4 (.atom 0) (.«until» 1 (.atom 1) (.atom 1))) 5)) 0 := id rfl
#print axioms streaming_lean_09_4
theorem streaming_lean_09_5 : Eq (length (live (clip 8 (.cons 0x74 (.cons 0x27 .nil))) (.«until» 4 (.atom 0) (.«until» 1 (.atom 1) (.atom 1))) 6)) 1 := id rfl
#print axioms streaming_lean_09_5
theorem streaming_lean_09_6 : Eq (length (live (clip 8 (.cons 0x74 (.cons 0x27 .nil))) (.«until» 4 (.atom 0) (.«until» 1 (.atom 1) (.atom 1))) 7)) 2 := id rfl
#print axioms streaming_lean_09_6
theorem streaming_lean_09_7 : Eq (length (live (clip 8 (.cons 0x74 (.cons 0x27 .nil))) (.«until» 4 (.atom 0) (.«until» 1 (.atom 1) (.atom 1))) 8)) 3 := id rfl
#print axioms streaming_lean_09_7
theorem streaming_lean_09_8 : Eq (stream (clip 8 (.cons 0x74 (.cons 0x27 .nil))) (.«until» 4 (.atom 0) (.«until» 1 (.atom 1) (.atom 1)))) (.cons ⟨7, .false⟩ (.cons ⟨6, .false⟩ (.cons ⟨5, .true⟩ (.cons ⟨4, .true⟩ (.cons ⟨3, .false⟩ (.cons ⟨2, .true⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .true⟩ .nil)))))))) := id rfl
#print axioms streaming_lean_09_8
-- streaming/lean-10
theorem streaming_lean_10_0 : Eq (length (live (clip 6 (.cons 0x7 (.cons 0xe (.cons 0x10 .nil)))) (.since 1 (.«until» 2 (.atom 1) (.atom 2)) (.implies (.not (.atom 1)) (.always (.ofNat 1) (.ofNat 3) (.atom 0)))) 1)) 0 := id rfl
#print axioms streaming_lean_10_0
theorem streaming_lean_10_1 : Eq (length (live (clip 6 (.cons 0x7 (.cons 0xe (.cons 0x10 .nil)))) (.since 1 (.«until» 2 (.atom 1) (.atom 2)) (.implies (.not (.atom 1)) (.always (.ofNat 1) (.ofNat 3) (.atom 0)))) 2)) 0 := id rfl
#print axioms streaming_lean_10_1
theorem streaming_lean_10_2 : Eq (length (live (clip 6 (.cons 0x7 (.cons 0xe (.cons 0x10 .nil)))) (.since 1 (.«until» 2 (.atom 1) (.atom 2)) (.implies (.not (.atom 1)) (.always (.ofNat 1) (.ofNat 3) (.atom 0)))) 3)) 0 := id rfl
#print axioms streaming_lean_10_2
theorem streaming_lean_10_3 : Eq (length (live (clip 6 (.cons 0x7 (.cons 0xe (.cons 0x10 .nil)))) (.since 1 (.«until» 2 (.atom 1) (.atom 2)) (.implies (.not (.atom 1)) (.always (.ofNat 1) (.ofNat 3) (.atom 0)))) 4)) 1 := id rfl
#print axioms streaming_lean_10_3
theorem streaming_lean_10_4 : Eq (length (live (clip 6 (.cons 0x7 (.cons 0xe (.cons 0x10 .nil)))) (.since 1 (.«until» 2 (.atom 1) (.atom 2)) (.implies (.not (.atom 1)) (.always (.ofNat 1) (.ofNat 3) (.atom 0)))) 5)) 2 := id rfl
#print axioms streaming_lean_10_4
theorem streaming_lean_10_5 : Eq (length (live (clip 6 (.cons 0x7 (.cons 0xe (.cons 0x10 .nil)))) (.since 1 (.«until» 2 (.atom 1) (.atom 2)) (.implies (.not (.atom 1)) (.always (.ofNat 1) (.ofNat 3) (.atom 0)))) 6)) 3 := id rfl
#print axioms streaming_lean_10_5
theorem streaming_lean_10_6 : Eq (stream (clip 6 (.cons 0x7 (.cons 0xe (.cons 0x10 .nil)))) (.since 1 (.«until» 2 (.atom 1) (.atom 2)) (.implies (.not (.atom 1)) (.always (.ofNat 1) (.ofNat 3) (.atom 0))))) (.cons ⟨5, .true⟩ (.cons ⟨4, .true⟩ (.cons ⟨3, .true⟩ (.cons ⟨2, .true⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .false⟩ .nil)))))) := id rfl
#print axioms streaming_lean_10_6
-- streaming/lean-11
theorem streaming_lean_11_0 : Eq (length (live (clip 8 (.cons 0x98 (.cons 0xe6 .nil))) (.and (.eventually (.ofNat 1) (.ofNat 3) (.implies (.atom 1) (.atom 1))) (.eventually (.ofNat 1) (.ofNat 1) (.eventually (.ofNat 1) (.ofNat 4) (.atom 0)))) 1)) 0 := id rfl
#print axioms streaming_lean_11_0
theorem streaming_lean_11_1 : Eq (length (live (clip 8 (.cons 0x98 (.cons 0xe6 .nil))) (.and (.eventually (.ofNat 1) (.ofNat 3) (.implies (.atom 1) (.atom 1))) (.eventually (.ofNat 1) (.ofNat 1) (.eventually (.ofNat 1) (.ofNat 4) (.atom 0)))) 2)) 0 := id rfl
#print axioms streaming_lean_11_1
theorem streaming_lean_11_2 : Eq (length (live (clip 8 (.cons 0x98 (.cons 0xe6 .nil))) (.and (.eventually (.ofNat 1) (.ofNat 3) (.implies (.atom 1) (.atom 1))) (.eventually (.ofNat 1) (.ofNat 1) (.eventually (.ofNat 1) (.ofNat 4) (.atom 0)))) 3)) 0 := id rfl
#print axioms streaming_lean_11_2
theorem streaming_lean_11_3 : Eq (length (live (clip 8 (.cons 0x98 (.cons 0xe6 .nil))) (.and (.eventually (.ofNat 1) (.ofNat 3) (.implies (.atom 1) (.atom 1))) (.eventually (.ofNat 1) (.ofNat 1) (.eventually (.ofNat 1) (.ofNat 4) (.atom 0)))) 4)) 0 := id rfl
#print axioms streaming_lean_11_3
theorem streaming_lean_11_4 : Eq (length (live (clip 8 (.cons 0x98 (.cons 0xe6 .nil))) (.and (.eventually (.ofNat 1) (.ofNat 3) (.implies (.atom 1) (.atom 1))) (.eventually (.ofNat 1) (.ofNat 1) (.eventually (.ofNat 1) (.ofNat 4) (.atom 0)))) 5)) 0 := id rfl
#print axioms streaming_lean_11_4
theorem streaming_lean_11_5 : Eq (length (live (clip 8 (.cons 0x98 (.cons 0xe6 .nil))) (.and (.eventually (.ofNat 1) (.ofNat 3) (.implies (.atom 1) (.atom 1))) (.eventually (.ofNat 1) (.ofNat 1) (.eventually (.ofNat 1) (.ofNat 4) (.atom 0)))) 6)) 1 := id rfl
#print axioms streaming_lean_11_5
theorem streaming_lean_11_6 : Eq (length (live (clip 8 (.cons 0x98 (.cons 0xe6 .nil))) (.and (.eventually (.ofNat 1) (.ofNat 3) (.implies (.atom 1) (.atom 1))) (.eventually (.ofNat 1) (.ofNat 1) (.eventually (.ofNat 1) (.ofNat 4) (.atom 0)))) 7)) 2 := id rfl
#print axioms streaming_lean_11_6
theorem streaming_lean_11_7 : Eq (length (live (clip 8 (.cons 0x98 (.cons 0xe6 .nil))) (.and (.eventually (.ofNat 1) (.ofNat 3) (.implies (.atom 1) (.atom 1))) (.eventually (.ofNat 1) (.ofNat 1) (.eventually (.ofNat 1) (.ofNat 4) (.atom 0)))) 8)) 3 := id rfl
#print axioms streaming_lean_11_7
theorem streaming_lean_11_8 : Eq (stream (clip 8 (.cons 0x98 (.cons 0xe6 .nil))) (.and (.eventually (.ofNat 1) (.ofNat 3) (.implies (.atom 1) (.atom 1))) (.eventually (.ofNat 1) (.ofNat 1) (.eventually (.ofNat 1) (.ofNat 4) (.atom 0))))) (.cons ⟨7, .false⟩ (.cons ⟨6, .false⟩ (.cons ⟨5, .true⟩ (.cons ⟨4, .true⟩ (.cons ⟨3, .true⟩ (.cons ⟨2, .true⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .true⟩ .nil)))))))) := id rfl
#print axioms streaming_lean_11_8
-- streaming/lean-12
theorem streaming_lean_12_0 : Eq (length (live (clip 5 (.cons 0x3 (.cons 0x10 .nil))) (.«until» 1 (.atom 1) (.since 4 (.atom 0) (.atom 0))) 1)) 0 := id rfl
#print axioms streaming_lean_12_0
theorem streaming_lean_12_1 : Eq (length (live (clip 5 (.cons 0x3 (.cons 0x10 .nil))) (.«until» 1 (.atom 1) (.since 4 (.atom 0) (.atom 0))) 2)) 1 := id rfl
#print axioms streaming_lean_12_1
theorem streaming_lean_12_2 : Eq (length (live (clip 5 (.cons 0x3 (.cons 0x10 .nil))) (.«until» 1 (.atom 1) (.since 4 (.atom 0) (.atom 0))) 3)) 2 := id rfl
#print axioms streaming_lean_12_2
theorem streaming_lean_12_3 : Eq (length (live (clip 5 (.cons 0x3 (.cons 0x10 .nil))) (.«until» 1 (.atom 1) (.since 4 (.atom 0) (.atom 0))) 4)) 3 := id rfl
#print axioms streaming_lean_12_3
theorem streaming_lean_12_4 : Eq (length (live (clip 5 (.cons 0x3 (.cons 0x10 .nil))) (.«until» 1 (.atom 1) (.since 4 (.atom 0) (.atom 0))) 5)) 4 := id rfl
#print axioms streaming_lean_12_4
theorem streaming_lean_12_5 : Eq (stream (clip 5 (.cons 0x3 (.cons 0x10 .nil))) (.«until» 1 (.atom 1) (.since 4 (.atom 0) (.atom 0)))) (.cons ⟨4, .false⟩ (.cons ⟨3, .false⟩ (.cons ⟨2, .false⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .true⟩ .nil))))) := id rfl
#print axioms streaming_lean_12_5
-- streaming/lean-13
theorem streaming_lean_13_0 : Eq (length (live (clip 8 (.cons 0x4f .nil)) (.always (.ofNat 0) (.ofNat 2) (.«until» 3 (.atom 0) (.atom 0))) 1)) 0 := id rfl
#print axioms streaming_lean_13_0
theorem streaming_lean_13_1 : Eq (length (live (clip 8 (.cons 0x4f .nil)) (.always (.ofNat 0) (.ofNat 2) (.«until» 3 (.atom 0) (.atom 0))) 2)) 0 := id rfl
#print axioms streaming_lean_13_1
theorem streaming_lean_13_2 : Eq (length (live (clip 8 (.cons 0x4f .nil)) (.always (.ofNat 0) (.ofNat 2) (.«until» 3 (.atom 0) (.atom 0))) 3)) 0 := id rfl
#print axioms streaming_lean_13_2
theorem streaming_lean_13_3 : Eq (length (live (clip 8 (.cons 0x4f .nil)) (.always (.ofNat 0) (.ofNat 2) (.«until» 3 (.atom 0) (.atom 0))) 4)) 0 := id rfl
#print axioms streaming_lean_13_3
theorem streaming_lean_13_4 : Eq (length (live (clip 8 (.cons 0x4f .nil)) (.always (.ofNat 0) (.ofNat 2) (.«until» 3 (.atom 0) (.atom 0))) 5)) 0 := id rfl
#print axioms streaming_lean_13_4
theorem streaming_lean_13_5 : Eq (length (live (clip 8 (.cons 0x4f .nil)) (.always (.ofNat 0) (.ofNat 2) (.«until» 3 (.atom 0) (.atom 0))) 6)) 1 := id rfl
#print axioms streaming_lean_13_5
theorem streaming_lean_13_6 : Eq (length (live (clip 8 (.cons 0x4f .nil)) (.always (.ofNat 0) (.ofNat 2) (.«until» 3 (.atom 0) (.atom 0))) 7)) 2 := id rfl
#print axioms streaming_lean_13_6
theorem streaming_lean_13_7 : Eq (length (live (clip 8 (.cons 0x4f .nil)) (.always (.ofNat 0) (.ofNat 2) (.«until» 3 (.atom 0) (.atom 0))) 8)) 3 := id rfl
#print axioms streaming_lean_13_7
theorem streaming_lean_13_8 : Eq (stream (clip 8 (.cons 0x4f .nil)) (.always (.ofNat 0) (.ofNat 2) (.«until» 3 (.atom 0) (.atom 0)))) (.cons ⟨7, .false⟩ (.cons ⟨6, .false⟩ (.cons ⟨5, .false⟩ (.cons ⟨4, .false⟩ (.cons ⟨3, .false⟩ (.cons ⟨2, .false⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .true⟩ .nil)))))))) := id rfl
#print axioms streaming_lean_13_8
-- streaming/lean-14
theorem streaming_lean_14_0 : Eq (length (live (clip 6 (.cons 0x7 .nil)) (.always (.negSucc 3) (.negSucc 1) (.always (.ofNat 4) (.ofNat 6) (.atom 0))) 1)) 0 := id rfl
#print axioms streaming_lean_14_0
theorem streaming_lean_14_1 : Eq (length (live (clip 6 (.cons 0x7 .nil)) (.always (.negSucc 3) (.negSucc 1) (.always (.ofNat 4) (.ofNat 6) (.atom 0))) 2)) 0 := id rfl
#print axioms streaming_lean_14_1
theorem streaming_lean_14_2 : Eq (length (live (clip 6 (.cons 0x7 .nil)) (.always (.negSucc 3) (.negSucc 1) (.always (.ofNat 4) (.ofNat 6) (.atom 0))) 3)) 0 := id rfl
#print axioms streaming_lean_14_2
theorem streaming_lean_14_3 : Eq (length (live (clip 6 (.cons 0x7 .nil)) (.always (.negSucc 3) (.negSucc 1) (.always (.ofNat 4) (.ofNat 6) (.atom 0))) 4)) 0 := id rfl
#print axioms streaming_lean_14_3
theorem streaming_lean_14_4 : Eq (length (live (clip 6 (.cons 0x7 .nil)) (.always (.negSucc 3) (.negSucc 1) (.always (.ofNat 4) (.ofNat 6) (.atom 0))) 5)) 1 := id rfl
#print axioms streaming_lean_14_4
theorem streaming_lean_14_5 : Eq (length (live (clip 6 (.cons 0x7 .nil)) (.always (.negSucc 3) (.negSucc 1) (.always (.ofNat 4) (.ofNat 6) (.atom 0))) 6)) 2 := id rfl
#print axioms streaming_lean_14_5
theorem streaming_lean_14_6 : Eq (stream (clip 6 (.cons 0x7 .nil)) (.always (.negSucc 3) (.negSucc 1) (.always (.ofNat 4) (.ofNat 6) (.atom 0)))) (.cons ⟨5, .false⟩ (.cons ⟨4, .false⟩ (.cons ⟨3, .false⟩ (.cons ⟨2, .false⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .true⟩ .nil)))))) := id rfl
#print axioms streaming_lean_14_6
-- streaming/lean-15
theorem streaming_lean_15_0 : Eq (length (live (clip 8 (.cons 0x58 (.cons 0xc7 (.cons 0x87 .nil)))) (.iff (.not (.iff (.atom 1) (.atom 0))) (.always (.ofNat 2) (.ofNat 3) (.«until» 4 (.atom 1) (.atom 2)))) 1)) 0 := id rfl
#print axioms streaming_lean_15_0
theorem streaming_lean_15_1 : Eq (length (live (clip 8 (.cons 0x58 (.cons 0xc7 (.cons 0x87 .nil)))) (.iff (.not (.iff (.atom 1) (.atom 0))) (.always (.ofNat 2) (.ofNat 3) (.«until» 4 (.atom 1) (.atom 2)))) 2)) 0 := id rfl
#print axioms streaming_lean_15_1
theorem streaming_lean_15_2 : Eq (length (live (clip 8 (.cons 0x58 (.cons 0xc7 (.cons 0x87 .nil)))) (.iff (.not (.iff (.atom 1) (.atom 0))) (.always (.ofNat 2) (.ofNat 3) (.«until» 4 (.atom 1) (.atom 2)))) 3)) 0 := id rfl
#print axioms streaming_lean_15_2
theorem streaming_lean_15_3 : Eq (length (live (clip 8 (.cons 0x58 (.cons 0xc7 (.cons 0x87 .nil)))) (.iff (.not (.iff (.atom 1) (.atom 0))) (.always (.ofNat 2) (.ofNat 3) (.«until» 4 (.atom 1) (.atom 2)))) 4)) 0 := id rfl
#print axioms streaming_lean_15_3
theorem streaming_lean_15_4 : Eq (length (live (clip 8 (.cons 0x58 (.cons 0xc7 (.cons 0x87 .nil)))) (.iff (.not (.iff (.atom 1) (.atom 0))) (.always (.ofNat 2) (.ofNat 3) (.«until» 4 (.atom 1) (.atom 2)))) 5)) 0 := id rfl
#print axioms streaming_lean_15_4
theorem streaming_lean_15_5 : Eq (length (live (clip 8 (.cons 0x58 (.cons 0xc7 (.cons 0x87 .nil)))) (.iff (.not (.iff (.atom 1) (.atom 0))) (.always (.ofNat 2) (.ofNat 3) (.«until» 4 (.atom 1) (.atom 2)))) 6)) 0 := id rfl
#print axioms streaming_lean_15_5
theorem streaming_lean_15_6 : Eq (length (live (clip 8 (.cons 0x58 (.cons 0xc7 (.cons 0x87 .nil)))) (.iff (.not (.iff (.atom 1) (.atom 0))) (.always (.ofNat 2) (.ofNat 3) (.«until» 4 (.atom 1) (.atom 2)))) 7)) 0 := id rfl
#print axioms streaming_lean_15_6
theorem streaming_lean_15_7 : Eq (length (live (clip 8 (.cons 0x58 (.cons 0xc7 (.cons 0x87 .nil)))) (.iff (.not (.iff (.atom 1) (.atom 0))) (.always (.ofNat 2) (.ofNat 3) (.«until» 4 (.atom 1) (.atom 2)))) 8)) 1 := id rfl
#print axioms streaming_lean_15_7
theorem streaming_lean_15_8 : Eq (stream (clip 8 (.cons 0x58 (.cons 0xc7 (.cons 0x87 .nil)))) (.iff (.not (.iff (.atom 1) (.atom 0))) (.always (.ofNat 2) (.ofNat 3) (.«until» 4 (.atom 1) (.atom 2))))) (.cons ⟨7, .true⟩ (.cons ⟨6, .false⟩ (.cons ⟨5, .false⟩ (.cons ⟨4, .true⟩ (.cons ⟨3, .false⟩ (.cons ⟨2, .false⟩ (.cons ⟨1, .false⟩ (.cons ⟨0, .false⟩ .nil)))))))) := id rfl
#print axioms streaming_lean_15_8
-- streaming/lean-16
theorem streaming_lean_16_0 : Eq (length (live (clip 8 (.cons 0x87 .nil)) (.eventually (.ofNat 1) (.ofNat 1) (.since 3 (.atom 0) (.atom 0))) 1)) 0 := id rfl
#print axioms streaming_lean_16_0
theorem streaming_lean_16_1 : Eq (length (live (clip 8 (.cons 0x87 .nil)) (.eventually (.ofNat 1) (.ofNat 1) (.since 3 (.atom 0) (.atom 0))) 2)) 1 := id rfl
#print axioms streaming_lean_16_1
theorem streaming_lean_16_2 : Eq (length (live (clip 8 (.cons 0x87 .nil)) (.eventually (.ofNat 1) (.ofNat 1) (.since 3 (.atom 0) (.atom 0))) 3)) 2 := id rfl
#print axioms streaming_lean_16_2
theorem streaming_lean_16_3 : Eq (length (live (clip 8 (.cons 0x87 .nil)) (.eventually (.ofNat 1) (.ofNat 1) (.since 3 (.atom 0) (.atom 0))) 4)) 3 := id rfl
#print axioms streaming_lean_16_3
theorem streaming_lean_16_4 : Eq (length (live (clip 8 (.cons 0x87 .nil)) (.eventually (.ofNat 1) (.ofNat 1) (.since 3 (.atom 0) (.atom 0))) 5)) 4 := id rfl
#print axioms streaming_lean_16_4
theorem streaming_lean_16_5 : Eq (length (live (clip 8 (.cons 0x87 .nil)) (.eventually (.ofNat 1) (.ofNat 1) (.since 3 (.atom 0) (.atom 0))) 6)) 5 := id rfl
#print axioms streaming_lean_16_5
theorem streaming_lean_16_6 : Eq (length (live (clip 8 (.cons 0x87 .nil)) (.eventually (.ofNat 1) (.ofNat 1) (.since 3 (.atom 0) (.atom 0))) 7)) 6 := id rfl
#print axioms streaming_lean_16_6
theorem streaming_lean_16_7 : Eq (length (live (clip 8 (.cons 0x87 .nil)) (.eventually (.ofNat 1) (.ofNat 1) (.since 3 (.atom 0) (.atom 0))) 8)) 7 := id rfl
#print axioms streaming_lean_16_7
theorem streaming_lean_16_8 : Eq (stream (clip 8 (.cons 0x87 .nil)) (.eventually (.ofNat 1) (.ofNat 1) (.since 3 (.atom 0) (.atom 0)))) (.cons ⟨7, .false⟩ (.cons ⟨6, .true⟩ (.cons ⟨5, .false⟩ (.cons ⟨4, .false⟩ (.cons ⟨3, .false⟩ (.cons ⟨2, .false⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .true⟩ .nil)))))))) := id rfl
#print axioms streaming_lean_16_8
-- streaming/lean-measure-01
theorem streaming_lean_measure_01_0 : Eq (lookahead (.and (.and (.always (.negSucc 1) (.ofNat 1) (.atom 2)) (.since 4 (.atom 2) (.atom 0))) (.always (.ofNat 2) (.ofNat 5) (.not (.atom 1))))) 5 := id rfl
#print axioms streaming_lean_measure_01_0
theorem streaming_lean_measure_01_1 : Eq (lookback (.and (.and (.always (.negSucc 1) (.ofNat 1) (.atom 2)) (.since 4 (.atom 2) (.atom 0))) (.always (.ofNat 2) (.ofNat 5) (.not (.atom 1))))) 4 := id rfl
#print axioms streaming_lean_measure_01_1
-- streaming/lean-measure-02
theorem streaming_lean_measure_02_0 : Eq (lookahead (.always (.ofNat 1) (.ofNat 4) (.since 2 (.always (.ofNat 3) (.ofNat 3) (.always (.ofNat 0) (.ofNat 0) (.atom 1))) (.eventually (.ofNat 3) (.ofNat 3) (.since 4 (.atom 0) (.atom 1)))))) 7 := id rfl
#print axioms streaming_lean_measure_02_0
theorem streaming_lean_measure_02_1 : Eq (lookback (.always (.ofNat 1) (.ofNat 4) (.since 2 (.always (.ofNat 3) (.ofNat 3) (.always (.ofNat 0) (.ofNat 0) (.atom 1))) (.eventually (.ofNat 3) (.ofNat 3) (.since 4 (.atom 0) (.atom 1)))))) 2 := id rfl
#print axioms streaming_lean_measure_02_1
-- streaming/lean-measure-03
theorem streaming_lean_measure_03_0 : Eq (lookahead (.since 4 (.not (.not (.implies (.not (.atom 0)) (.iff (.atom 1) (.atom 2))))) (.always (.ofNat 2) (.ofNat 5) (.since 5 (.implies (.atom 0) (.eventually (.negSucc 1) (.negSucc 0) (.atom 1))) (.since 2 (.always (.ofNat 5) (.ofNat 5) (.atom 1)) (.always (.negSucc 1) (.ofNat 0) (.atom 2))))))) 10 := id rfl
#print axioms streaming_lean_measure_03_0
theorem streaming_lean_measure_03_1 : Eq (lookback (.since 4 (.not (.not (.implies (.not (.atom 0)) (.iff (.atom 1) (.atom 2))))) (.always (.ofNat 2) (.ofNat 5) (.since 5 (.implies (.atom 0) (.eventually (.negSucc 1) (.negSucc 0) (.atom 1))) (.since 2 (.always (.ofNat 5) (.ofNat 5) (.atom 1)) (.always (.negSucc 1) (.ofNat 0) (.atom 2))))))) 11 := id rfl
#print axioms streaming_lean_measure_03_1
-- streaming/lean-measure-04
theorem streaming_lean_measure_04_0 : Eq (lookahead (.and (.«until» 6 (.since 5 (.atom 1) (.atom 0)) (.«until» 2 (.atom 0) (.atom 1))) (.always (.negSucc 0) (.ofNat 1) (.always (.negSucc 1) (.ofNat 0) (.atom 0))))) 8 := id rfl
#print axioms streaming_lean_measure_04_0
theorem streaming_lean_measure_04_1 : Eq (lookback (.and (.«until» 6 (.since 5 (.atom 1) (.atom 0)) (.«until» 2 (.atom 0) (.atom 1))) (.always (.negSucc 0) (.ofNat 1) (.always (.negSucc 1) (.ofNat 0) (.atom 0))))) 5 := id rfl
#print axioms streaming_lean_measure_04_1
-- streaming/lean-measure-05
theorem streaming_lean_measure_05_0 : Eq (lookahead (.implies (.eventually (.negSucc 1) (.ofNat 0) (.or (.atom 1) (.atom 1))) (.eventually (.negSucc 2) (.negSucc 0) (.always (.ofNat 0) (.ofNat 4) (.iff (.atom 2) (.atom 0)))))) 3 := id rfl
#print axioms streaming_lean_measure_05_0
theorem streaming_lean_measure_05_1 : Eq (lookback (.implies (.eventually (.negSucc 1) (.ofNat 0) (.or (.atom 1) (.atom 1))) (.eventually (.negSucc 2) (.negSucc 0) (.always (.ofNat 0) (.ofNat 4) (.iff (.atom 2) (.atom 0)))))) 3 := id rfl
#print axioms streaming_lean_measure_05_1
-- streaming/lean-measure-06
theorem streaming_lean_measure_06_0 : Eq (lookahead (.since 6 (.or (.iff (.or (.atom 2) (.atom 1)) (.«until» 2 (.atom 2) (.atom 0))) (.eventually (.negSucc 2) (.ofNat 1) (.«until» 5 (.atom 0) (.atom 1)))) (.and (.since 2 (.eventually (.negSucc 1) (.ofNat 0) (.atom 2)) (.atom 0)) (.eventually (.ofNat 0) (.ofNat 1) (.atom 2))))) 6 := id rfl
#print axioms streaming_lean_measure_06_0
theorem streaming_lean_measure_06_1 : Eq (lookback (.since 6 (.or (.iff (.or (.atom 2) (.atom 1)) (.«until» 2 (.atom 2) (.atom 0))) (.eventually (.negSucc 2) (.ofNat 1) (.«until» 5 (.atom 0) (.atom 1)))) (.and (.since 2 (.eventually (.negSucc 1) (.ofNat 0) (.atom 2)) (.atom 0)) (.eventually (.ofNat 0) (.ofNat 1) (.atom 2))))) 9 := id rfl
#print axioms streaming_lean_measure_06_1
-- streaming/lean-measure-07
theorem streaming_lean_measure_07_0 : Eq (lookahead (.eventually (.ofNat 5) (.ofNat 7) (.since 4 (.implies (.atom 1) (.atom 1)) (.since 6 (.atom 1) (.atom 0))))) 7 := id rfl
#print axioms streaming_lean_measure_07_0
theorem streaming_lean_measure_07_1 : Eq (lookback (.eventually (.ofNat 5) (.ofNat 7) (.since 4 (.implies (.atom 1) (.atom 1)) (.since 6 (.atom 1) (.atom 0))))) 5 := id rfl
#print axioms streaming_lean_measure_07_1
-- streaming/lean-measure-08
theorem streaming_lean_measure_08_0 : Eq (lookahead (.since 2 (.since 5 (.«until» 6 (.«until» 6 (.atom 2) (.atom 0)) (.not (.atom 2))) (.since 4 (.implies (.atom 0) (.atom 1)) (.«until» 2 (.atom 0) (.atom 1)))) (.and (.not (.or (.atom 1) (.atom 2))) (.«until» 1 (.atom 2) (.or (.atom 1) (.atom 2)))))) 11 := id rfl
#print axioms streaming_lean_measure_08_0
theorem streaming_lean_measure_08_1 : Eq (lookback (.since 2 (.since 5 (.«until» 6 (.«until» 6 (.atom 2) (.atom 0)) (.not (.atom 2))) (.since 4 (.implies (.atom 0) (.atom 1)) (.«until» 2 (.atom 0) (.atom 1)))) (.and (.not (.or (.atom 1) (.atom 2))) (.«until» 1 (.atom 2) (.or (.atom 1) (.atom 2)))))) 10 := id rfl
#print axioms streaming_lean_measure_08_1
-- streaming/lean-measure-09
theorem streaming_lean_measure_09_0 : Eq (lookahead (.always (.ofNat 0) (.ofNat 2) (.«until» 3 (.and (.«until» 4 (.atom 2) (.atom 2)) (.since 5 (.atom 1) (.atom 2))) (.since 2 (.or (.atom 0) (.atom 0)) (.since 3 (.atom 1) (.atom 2)))))) 8 := id rfl
#print axioms streaming_lean_measure_09_0
theorem streaming_lean_measure_09_1 : Eq (lookback (.always (.ofNat 0) (.ofNat 2) (.«until» 3 (.and (.«until» 4 (.atom 2) (.atom 2)) (.since 5 (.atom 1) (.atom 2))) (.since 2 (.or (.atom 0) (.atom 0)) (.since 3 (.atom 1) (.atom 2)))))) 5 := id rfl
#print axioms streaming_lean_measure_09_1
-- streaming/lean-measure-10
theorem streaming_lean_measure_10_0 : Eq (lookahead (.since 2 (.since 4 (.eventually (.negSucc 2) (.negSucc 1) (.implies (.atom 0) (.atom 0))) (.«until» 4 (.eventually (.ofNat 3) (.ofNat 5) (.atom 0)) (.not (.and (.atom 0) (.atom 1))))) (.always (.ofNat 2) (.ofNat 2) (.always (.ofNat 0) (.ofNat 2) (.eventually (.ofNat 0) (.ofNat 0) (.atom 0)))))) 8 := id rfl
#print axioms streaming_lean_measure_10_0
theorem streaming_lean_measure_10_1 : Eq (lookback (.since 2 (.since 4 (.eventually (.negSucc 2) (.negSucc 1) (.implies (.atom 0) (.atom 0))) (.«until» 4 (.eventually (.ofNat 3) (.ofNat 5) (.atom 0)) (.not (.and (.atom 0) (.atom 1))))) (.always (.ofNat 2) (.ofNat 2) (.always (.ofNat 0) (.ofNat 2) (.eventually (.ofNat 0) (.ofNat 0) (.atom 0)))))) 7 := id rfl
#print axioms streaming_lean_measure_10_1
-- streaming/lean-measure-11
theorem streaming_lean_measure_11_0 : Eq (lookahead (.implies (.eventually (.ofNat 0) (.ofNat 0) (.implies (.iff (.eventually (.ofNat 3) (.ofNat 5) (.atom 0)) (.atom 1)) (.not (.atom 0)))) (.eventually (.negSucc 0) (.ofNat 2) (.eventually (.ofNat 1) (.ofNat 2) (.implies (.since 5 (.atom 2) (.atom 0)) (.implies (.atom 0) (.atom 0))))))) 5 := id rfl
#print axioms streaming_lean_measure_11_0
theorem streaming_lean_measure_11_1 : Eq (lookback (.implies (.eventually (.ofNat 0) (.ofNat 0) (.implies (.iff (.eventually (.ofNat 3) (.ofNat 5) (.atom 0)) (.atom 1)) (.not (.atom 0)))) (.eventually (.negSucc 0) (.ofNat 2) (.eventually (.ofNat 1) (.ofNat 2) (.implies (.since 5 (.atom 2) (.atom 0)) (.implies (.atom 0) (.atom 0))))))) 5 := id rfl
#print axioms streaming_lean_measure_11_1
-- streaming/lean-measure-12
theorem streaming_lean_measure_12_0 : Eq (lookahead (.iff (.since 6 (.eventually (.ofNat 5) (.ofNat 9) (.implies (.and (.atom 1) (.atom 2)) (.always (.ofNat 3) (.ofNat 5) (.atom 0)))) (.always (.ofNat 5) (.ofNat 6) (.and (.«until» 3 (.atom 0) (.atom 2)) (.iff (.atom 0) (.atom 2))))) (.eventually (.negSucc 1) (.negSucc 0) (.not (.atom 0))))) 14 := id rfl
#print axioms streaming_lean_measure_12_0
theorem streaming_lean_measure_12_1 : Eq (lookback (.iff (.since 6 (.eventually (.ofNat 5) (.ofNat 9) (.implies (.and (.atom 1) (.atom 2)) (.always (.ofNat 3) (.ofNat 5) (.atom 0)))) (.always (.ofNat 5) (.ofNat 6) (.and (.«until» 3 (.atom 0) (.atom 2)) (.iff (.atom 0) (.atom 2))))) (.eventually (.negSucc 1) (.negSucc 0) (.not (.atom 0))))) 6 := id rfl
#print axioms streaming_lean_measure_12_1
-- streaming/lean-measure-13
theorem streaming_lean_measure_13_0 : Eq (lookahead (.and (.implies (.eventually (.ofNat 3) (.ofNat 7) (.eventually (.negSucc 1) (.negSucc 1) (.atom 0))) (.eventually (.negSucc 0) (.ofNat 3) (.or (.always (.ofNat 5) (.ofNat 8) (.atom 1)) (.not (.atom 2))))) (.implies (.implies (.always (.negSucc 2) (.ofNat 0) (.atom 0)) (.implies (.since 2 (.atom 2) (.atom 0)) (.since 5 (.atom 0) (.atom 1)))) (.implies (.eventually (.ofNat 3) (.ofNat 6) (.atom 1)) (.since 6 (.atom 1) (.atom 2)))))) 11 := id rfl
#print axioms streaming_lean_measure_13_0
theorem streaming_lean_measure_13_1 : Eq (lookback (.and (.implies (.eventually (.ofNat 3) (.ofNat 7) (.eventually (.negSucc 1) (.negSucc 1) (.atom 0))) (.eventually (.negSucc 0) (.ofNat 3) (.or (.always (.ofNat 5) (.ofNat 8) (.atom 1)) (.not (.atom 2))))) (.implies (.implies (.always (.negSucc 2) (.ofNat 0) (.atom 0)) (.implies (.since 2 (.atom 2) (.atom 0)) (.since 5 (.atom 0) (.atom 1)))) (.implies (.eventually (.ofNat 3) (.ofNat 6) (.atom 1)) (.since 6 (.atom 1) (.atom 2)))))) 6 := id rfl
#print axioms streaming_lean_measure_13_1
-- streaming/lean-measure-14
theorem streaming_lean_measure_14_0 : Eq (lookahead (.iff (.since 3 (.implies (.and (.atom 1) (.atom 1)) (.«until» 1 (.atom 1) (.atom 0))) (.eventually (.negSucc 0) (.ofNat 2) (.always (.negSucc 0) (.ofNat 3) (.atom 1)))) (.or (.always (.ofNat 4) (.ofNat 5) (.atom 1)) (.always (.ofNat 2) (.ofNat 5) (.atom 0))))) 5 := id rfl
#print axioms streaming_lean_measure_14_0
theorem streaming_lean_measure_14_1 : Eq (lookback (.iff (.since 3 (.implies (.and (.atom 1) (.atom 1)) (.«until» 1 (.atom 1) (.atom 0))) (.eventually (.negSucc 0) (.ofNat 2) (.always (.negSucc 0) (.ofNat 3) (.atom 1)))) (.or (.always (.ofNat 4) (.ofNat 5) (.atom 1)) (.always (.ofNat 2) (.ofNat 5) (.atom 0))))) 5 := id rfl
#print axioms streaming_lean_measure_14_1
end Tracepact.Vectors
