import Tracepact.Impl.Masks
/-!
Shared subformulas. A DAG is a list of nodes, newest first; a node names the nodes under it by their distance: 0 is the
node
listed right after it. So every node is evaluated once, after all it needs.
-/
set_option autoImplicit false
namespace Tracepact

inductive Node where
  | atom (k : Nat)
  | constant (b : Bool)
  | not (body : Nat)
  | and (left right : Nat)
  | or (left right : Nat)
  | implies (left right : Nat)
  | iff (left right : Nat)
  | eventually (lo hi : Int) (body : Nat)
  | always (lo hi : Int) (body : Nat)
  | «until» (radius left right : Nat)
  | since (radius left right : Nat)

/-- Entry `k` of a list, or `none` beyond its end. -/
def entry {α : Type} (none : α) : List α → Nat → α
  | .nil, _ => none
  | .cons x _, .zero => x
  | .cons _ rest, .succ k => entry none rest k

/-- The formula of a node, from the formulas of the nodes under it. -/
def Node.tree (below : Nat → Formula) : Node → Formula
  | .atom k => .atom k
  | .constant b => .constant b
  | .not f => .not (below f)
  | .and f g => .and (below f) (below g)
  | .or f g => .or (below f) (below g)
  | .implies f g => .implies (below f) (below g)
  | .iff f g => .iff (below f) (below g)
  | .eventually lo hi f => .eventually lo hi (below f)
  | .always lo hi f => .always lo hi (below f)
  | .«until» r f g => .«until» r (below f) (below g)
  | .since r f g => .since r (below f) (below g)
/-- The mask of a node, from the masks of the nodes under it. -/
def Node.mask (valid longest : Nat) (mask : Nat → Nat) (below : Nat → Nat) : Node → Nat
  | .atom k => Nat.land (mask k) valid
  | .constant b => cond b valid 0
  | .not f => Nat.xor valid (below f)
  | .and f g => Nat.land (below f) (below g)
  | .or f g => Nat.lor (below f) (below g)
  | .implies f g => Nat.lor (Nat.xor valid (below f)) (below g)
  | .iff f g => Nat.xor valid (Nat.xor (below f) (below g))
  | .eventually lo hi f => eventuallyMask valid (clampLow longest lo) (clampHigh longest hi) (below f)
  | .always lo hi f => alwaysMask valid (clampLow longest lo) (clampHigh longest hi) (below f)
  | .«until» r f g => untilMask (smaller r longest) (below f) (below g)
  | .since r f g => sinceMask (smaller r longest) (below f) (below g)

/-- The formula of every node, unshared. -/
def trees : List Node → List Formula
  | .nil => .nil
  | .cons node rest => .cons (node.tree (entry (.constant .false) (trees rest))) (trees rest)
/-- The mask of every node, each from the masks already computed. -/
def masks (valid longest : Nat) (mask : Nat → Nat) : List Node → List Nat
  | .nil => .nil
  | .cons node rest => .cons (node.mask valid longest mask (entry 0 (masks valid longest mask rest)))
      (masks valid longest mask rest)
end Tracepact
