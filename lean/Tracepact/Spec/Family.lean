import Tracepact.Spec.Masks
/-! A family of clips laid end to end on one long mask, each followed by invalid frames. -/
set_option autoImplicit false
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
/-- Clip `c` is one of the family and its frame 0 is frame `s` of the long mask. -/
def StartsAt (c : Clip) : List Segment → Nat → Prop
  | .nil, _ => False
  | .cons x rest, s => Or (And (Eq c x.clip) (Eq s 0)) (Exists fun s' =>
      And (Eq s (Nat.add s' x.stride)) (StartsAt c rest s'))
/-- Every clip is followed by at least `gap` invalid frames, and none has more than `longest` frames. -/
def Apart (gap longest : Nat) (segments : List Segment) : Prop :=
  (x : Segment) → Mem x segments → And (Nat.le gap x.padding) (Nat.le x.clip.frames longest)
/-- A silent clip of one frame, and one whose only frame is active. -/
def silentClip : Clip := ⟨1, fun _ => 0⟩
def activeClip : Clip := ⟨1, fun _ => 1⟩
/-- The two, with a padding after each. -/
def twoClips (padding : Nat) : List Segment := .cons ⟨silentClip, padding⟩ (.cons ⟨activeClip, padding⟩ .nil)
end Tracepact
