import Tracepact.Impl.Certificate
import Tracepact.Impl.Chunks
/-!
The streaming program on masks: it holds the same frames as `Buffer`, each atom as one mask, and gives the verdicts of a
chunk by the bitset engine. Lists are in order of emission, newest first; so are the chunks.
-/
set_option autoImplicit false
namespace Tracepact

/-- What the program keeps: how many frames it has seen, how many of them it holds, and the masks of these by the number
of their atom; bit 0 is the oldest frame. -/
structure MaskBuffer where
  seen : Nat
  held : Nat
  masks : List Nat
/-- Frames that arrive together: how many, and the masks of their atoms. -/
structure Chunk where
  frames : Nat
  masks : List Nat

/-- `g` of every entry. -/
def mapped (g : Nat → Nat) : List Nat → List Nat
  | .nil => .nil
  | .cons x rest => .cons (g x) (mapped g rest)
/-- All but the first entry. -/
def restOf : List Nat → List Nat
  | .nil => .nil
  | .cons _ rest => rest
/-- The `held` frames of a mask, and those of another behind them. -/
def followed (held a x : Nat) : Nat := Nat.lor (Nat.land a (full held)) (Nat.shiftLeft x held)
/-- The masks of a chunk behind those that are held. -/
def allFollowed (held : Nat) : List Nat → List Nat → List Nat
  | .nil, more => mapped (followed held 0) more
  | .cons a rest, more => .cons (followed held a (numbered more 0)) (allFollowed held rest (restOf more))

/-- Nothing seen. -/
def MaskBuffer.empty : MaskBuffer := ⟨0, 0, .nil⟩
/-- What it holds, and the chunk that arrives. -/
def MaskBuffer.extendedBy (b : MaskBuffer) (c : Chunk) : List Nat := allFollowed b.held b.masks c.masks
/-- What it holds once the chunk has arrived. -/
def MaskBuffer.nextBy (f : Formula) (b : MaskBuffer) (c : Chunk) : MaskBuffer :=
  ⟨Nat.add b.seen c.frames, smaller (Nat.add b.held c.frames) (width f),
    mapped (fun x => Nat.shiftRight x (Nat.sub (Nat.add b.held c.frames) (width f))) (b.extendedBy c)⟩
/-- The verdict mask of what it holds and the chunk. -/
def MaskBuffer.verdicts (f : Formula) (b : MaskBuffer) (c : Chunk) : Nat :=
  evalMask (full (Nat.add b.held c.frames)) (Nat.add b.held c.frames) (numbered (b.extendedBy c)) f
/-- The `k` verdicts from frame `start` on, from a mask whose bit 0 is frame `first`. -/
def emitted (verdict first : Nat) (out : List (Prod Nat Bool)) (start : Nat) : Nat → List (Prod Nat Bool)
  | .zero => out
  | .succ k => .cons (Nat.add start k, bit verdict (Nat.sub (Nat.add start k) first))
      (emitted verdict first out start k)
/-- What it gives as the chunk arrives: the verdicts whose lookahead is complete then. -/
def MaskBuffer.outputBy (f : Formula) (b : MaskBuffer) (c : Chunk) (out : List (Prod Nat Bool)) :
    List (Prod Nat Bool) :=
  emitted (b.verdicts f c) (Nat.sub b.seen b.held) out (Nat.sub b.seen (lookahead f))
    (Nat.sub (Nat.sub (Nat.add b.seen c.frames) (lookahead f)) (Nat.sub b.seen (lookahead f)))
/-- What it gives at the end: the verdicts that are left. -/
def MaskBuffer.rest (f : Formula) (b : MaskBuffer) (out : List (Prod Nat Bool)) : List (Prod Nat Bool) :=
  emitted (evalMask (full b.held) b.held (numbered b.masks) f) (Nat.sub b.seen b.held) out
    (Nat.sub b.seen (lookahead f)) (Nat.sub b.seen (Nat.sub b.seen (lookahead f)))

/-- How many frames some chunks have. -/
def chunkFrames : List Chunk → Nat
  | .nil => 0
  | .cons c rest => Nat.add (chunkFrames rest) c.frames
/-- What it holds after some chunks. -/
def maskBuffer (f : Formula) : List Chunk → MaskBuffer
  | .nil => .empty
  | .cons c rest => (maskBuffer f rest).nextBy f c
/-- What it has given after some chunks. -/
def maskOutput (f : Formula) : List Chunk → List (Prod Nat Bool)
  | .nil => .nil
  | .cons c rest => (maskBuffer f rest).outputBy f c (maskOutput f rest)
/-- All that it gives. -/
def maskProgram (f : Formula) (chunks : List Chunk) : List (Prod Nat Bool) :=
  (maskBuffer f chunks).rest f (maskOutput f chunks)
/-- The chunks are those of a trace, from its first frame on. -/
def ChunksOf (t : Trace) : List Chunk → Prop
  | .nil => True
  | .cons c rest => And (ChunksOf t rest) ((k j : Nat) → Lt j c.frames →
      Eq (bit (numbered c.masks k) j) (t.atom k (Nat.add (chunkFrames rest) j)))
end Tracepact
