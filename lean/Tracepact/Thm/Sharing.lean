import Tracepact.Impl.Dag
import Tracepact.Thm.Base.Logic
/-! Sharing. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem node_mask (valid longest : Nat) (mask : Nat → Nat) (below : Nat → Nat) (trees : Nat → Formula)
    (h : (k : Nat) → Eq (below k) (evalMask valid longest mask (trees k))) : (node : Node) →
    Eq (node.mask valid longest mask below) (evalMask valid longest mask (node.tree trees))
  | .atom _ => rfl
  | .constant _ => rfl
  | .not f => congrArg (Nat.xor valid) (h f)
  | .and f g => congr2 Nat.land (h f) (h g)
  | .or f g => congr2 Nat.lor (h f) (h g)
  | .implies f g => congr2 (fun x y => Nat.lor (Nat.xor valid x) y) (h f) (h g)
  | .iff f g => congr2 (fun x y => Nat.xor valid (Nat.xor x y)) (h f) (h g)
  | .eventually lo hi f => congrArg (eventuallyMask valid (clampLow longest lo) (clampHigh longest hi)) (h f)
  | .always lo hi f => congrArg (alwaysMask valid (clampLow longest lo) (clampHigh longest hi)) (h f)
  | .«until» r f g => congr2 (untilMask (smaller r longest)) (h f) (h g)
  | .since r f g => congr2 (sinceMask (smaller r longest)) (h f) (h g)

/-- **Sharing.** Evaluating a DAG of shared subformulas, each node once, gives at every node the mask that evaluating
its whole formula as a tree gives. -/
theorem sharing (valid longest : Nat) (mask : Nat → Nat) : (dag : List Node) → (k : Nat) →
    Eq (entry 0 (masks valid longest mask dag) k) (evalMask valid longest mask (entry (.constant .false) (trees dag) k))
  | .nil, _ => rfl
  | .cons node rest, .zero => node_mask valid longest mask _ _ (sharing valid longest mask rest) node
  | .cons _ rest, .succ k => sharing valid longest mask rest k
end Tracepact
