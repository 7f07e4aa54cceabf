import Tracepact.Impl.Stream
/-!
The streaming program: it keeps the last `lookback + lookahead` frames, reads one frame after another, and gives every
verdict
from what it keeps. Lists are in order of emission, newest first.
-/
set_option autoImplicit false
namespace Tracepact

/-- What the program keeps: how many frames it has seen, how many of them it holds, and the atoms of these; `kept k j`
is atom `k` at the frame that it holds as number `j`, the oldest being number 0. -/
structure Buffer where
  seen : Nat
  held : Nat
  kept : Nat → Nat → Bool
/-- Nothing seen. -/
def Buffer.empty : Buffer := ⟨0, 0, fun _ _ => .false⟩
/-- How many frames the program holds at most. -/
def width (f : Formula) : Nat := Nat.add (lookback f) (lookahead f)
/-- What it holds, and the frame that arrives. -/
def Buffer.extended (b : Buffer) (x : Nat → Bool) : Trace :=
  ⟨.succ b.held, fun k j => cond (Nat.beq j b.held) (x k) (b.kept k j)⟩
/-- What it holds once the frame has arrived: if there are too many, the oldest goes. -/
def Buffer.next (f : Formula) (b : Buffer) (x : Nat → Bool) : Buffer :=
  cond (Nat.ble (.succ b.held) (width f)) ⟨.succ b.seen, .succ b.held, (b.extended x).atom⟩
    ⟨.succ b.seen, b.held, fun k j => (b.extended x).atom k (.succ j)⟩
/-- What it gives as the frame arrives: the verdict `lookahead` frames back, if there is such a frame. -/
def Buffer.output (f : Formula) (b : Buffer) (x : Nat → Bool) (out : List (Prod Nat Bool)) : List (Prod Nat Bool) :=
  cond (Nat.ble (lookahead f) b.seen)
    (.cons (Nat.sub b.seen (lookahead f), eval (b.extended x) f (Nat.sub b.held (lookahead f))) out) out
/-- What it gives at the end: the `k` verdicts from frame `start` on, from what it holds. -/
def Buffer.rest (f : Formula) (b : Buffer) (out : List (Prod Nat Bool)) (start : Nat) : Nat → List (Prod Nat Bool)
  | .zero => out
  | .succ k => .cons (Nat.add start k, eval ⟨b.held, b.kept⟩ f (Nat.sub (Nat.add start k) (Nat.sub b.seen b.held)))
      (b.rest f out start k)

/-- What it holds after the first `m` frames of a trace. -/
def buffer (t : Trace) (f : Formula) : Nat → Buffer
  | .zero => .empty
  | .succ m => (buffer t f m).next f (fun k => t.atom k m)
/-- What it has given after the first `m` frames. -/
def output (t : Trace) (f : Formula) : Nat → List (Prod Nat Bool)
  | .zero => .nil
  | .succ m => (buffer t f m).output f (fun k => t.atom k m) (output t f m)
/-- All that the program gives on a trace. -/
def program (t : Trace) (f : Formula) : List (Prod Nat Bool) :=
  (buffer t f t.frames).rest f (output t f t.frames) (Nat.sub t.frames (lookahead f))
    (Nat.sub t.frames (Nat.sub t.frames (lookahead f)))
end Tracepact
