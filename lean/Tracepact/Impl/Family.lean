import Tracepact.Impl.Masks
/-! A family of clips as one long mask: clips laid end to end, each followed by a padding of invalid frames. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- A clip: its length and the masks of its atoms. -/
structure Clip where
  frames : Nat
  mask : Nat → Nat
/-- The clip by itself, as a trace. -/
def Clip.trace (c : Clip) : Trace := ⟨c.frames, fun k j => bit (c.mask k) j⟩

/-- A clip and how many invalid frames follow it. -/
structure Segment where
  clip : Clip
  padding : Nat
/-- Frames from the start of a segment to the start of the next. -/
def Segment.stride (x : Segment) : Nat := Nat.add x.clip.frames x.padding

/-- The valid frames: one exactly on the clips' own frames. -/
def familyValid : List Segment → Nat
  | .nil => 0
  | .cons x rest => Nat.lor (full x.clip.frames) (Nat.shiftLeft (familyValid rest) x.stride)
/-- The masks of atom `k`, end to end. -/
def familyMask (k : Nat) : List Segment → Nat
  | .nil => 0
  | .cons x rest => Nat.lor (Nat.land (x.clip.mask k) (full x.clip.frames)) (Nat.shiftLeft (familyMask k rest) x.stride)
/-- Clip `c` is one of the family and its frame 0 is frame `s` of the long mask. -/
def StartsAt (c : Clip) : List Segment → Nat → Prop
  | .nil, _ => False
  | .cons x rest, s => Or (And (Eq c x.clip) (Eq s 0)) (Exists fun s' =>
      And (Eq s (Nat.add s' x.stride)) (StartsAt c rest s'))
/-- Every clip is followed by at least `gap` invalid frames, and none has more than `longest` frames. -/
def Apart (gap longest : Nat) (segments : List Segment) : Prop :=
  (x : Segment) → Mem x segments → And (Nat.le gap x.padding) (Nat.le x.clip.frames longest)
end Tracepact
