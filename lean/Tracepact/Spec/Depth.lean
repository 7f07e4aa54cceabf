import Tracepact.Spec.Formula
/-! Nesting of temporal operators. -/
set_option autoImplicit false
namespace Tracepact

def depth : Formula → Nat
  | .atom _ => 0
  | .constant _ => 0
  | .not f => depth f
  | .and f g => larger (depth f) (depth g)
  | .or f g => larger (depth f) (depth g)
  | .implies f g => larger (depth f) (depth g)
  | .iff f g => larger (depth f) (depth g)
  | .eventually _ _ f => .succ (depth f)
  | .always _ _ f => .succ (depth f)
  | .«until» _ f g => .succ (larger (depth f) (depth g))
  | .since _ f g => .succ (larger (depth f) (depth g))

/-- The two formulas have the same truth at every frame of every trace of `n` frames. -/
def EquivalentOn (n : Nat) (f g : Formula) : Prop :=
  (t : Trace) → Eq t.frames n → (i : Nat) → Lt i n → Eq (eval t f i) (eval t g i)
end Tracepact
