import Tracepact.Impl.Masks
/-! A family of clips as one long mask: clips laid end to end, with `gap` invalid frames after each. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- A clip: its length and the masks of its atoms. -/
structure Clip where
  frames : Nat
  mask : Nat → Nat

/-- The clip by itself, as a trace. -/
def Clip.trace (c : Clip) : Trace := ⟨c.frames, fun k j => bit (c.mask k) j⟩

/-- The valid frames: one exactly on the clips' own frames. -/
def familyValid (gap : Nat) : List Clip → Nat
  | .nil => 0
  | .cons c rest => Nat.lor (full c.frames) (Nat.shiftLeft (familyValid gap rest) (Nat.add c.frames gap))
/-- The masks of atom `k`, end to end. -/
def familyMask (gap k : Nat) : List Clip → Nat
  | .nil => 0
  | .cons c rest => Nat.lor (Nat.land (c.mask k) (full c.frames)) (Nat.shiftLeft (familyMask gap k rest) (Nat.add c.frames gap))
/-- Clip `c` is one of the family and its frame 0 is frame `s` of the long mask. -/
def StartsAt (gap : Nat) (c : Clip) : List Clip → Nat → Prop
  | .nil, _ => False
  | .cons d rest, s => Or (And (Eq c d) (Eq s 0)) (Exists fun s' => And (Eq s (Nat.add s' (Nat.add d.frames gap))) (StartsAt gap c rest s'))
end Tracepact
