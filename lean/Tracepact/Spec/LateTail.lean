import Tracepact.Spec.Boundary
/-! An event whose prediction starts in time and ends late. -/
set_option autoImplicit false
namespace Tracepact

def tailRef (i : Nat) : Bool := band (Nat.ble 2 i) (Nat.ble (.succ i) 6)
def tailPred (i : Nat) : Bool := band (Nat.ble 2 i) (Nat.ble (.succ i) 11)
def tailTrace : Trace := ⟨14, boundaryAtom tailRef tailPred (fun _ _ => .false)⟩
def onsetGuard : Formula := .implies (.atom 1) (near 2 (.atom 4))
def offsetGuard : Formula := .implies (.atom 2) (near 2 (.atom 5))
end Tracepact
