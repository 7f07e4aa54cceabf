import Tracepact.Impl.Buffer
/-!
The streaming program with chunks: frames that arrive together are read at once, and the verdicts that they let out are
all given from what was held and the whole chunk. Lists are in order of emission, newest first; so are the chunks.
-/
set_option autoImplicit false
namespace Tracepact

/-- What it holds, and `m` frames that arrive together; `x k j` is atom `k` at number `j` of these. -/
def Buffer.extendedBy (b : Buffer) (m : Nat) (x : Nat → Nat → Bool) : Trace :=
  ⟨Nat.add b.held m, fun k j => cond (Nat.ble (.succ j) b.held) (b.kept k j) (x k (Nat.sub j b.held))⟩
/-- What it holds once the chunk has arrived: the latest frames, as many as it may hold. -/
def Buffer.nextBy (f : Formula) (b : Buffer) (m : Nat) (x : Nat → Nat → Bool) : Buffer :=
  ⟨Nat.add b.seen m, smaller (Nat.add b.held m) (width f),
    fun k j => (b.extendedBy m x).atom k (Nat.add (Nat.sub (Nat.add b.held m) (width f)) j)⟩
/-- The `c` verdicts from frame `start` on, from what it holds and the chunk. -/
def Buffer.outputBy (f : Formula) (b : Buffer) (m : Nat) (x : Nat → Nat → Bool) (out : List (Prod Nat Bool))
    (start : Nat) : Nat → List (Prod Nat Bool)
  | .zero => out
  | .succ c => .cons (Nat.add start c, eval (b.extendedBy m x) f (Nat.sub (Nat.add start c) (Nat.sub b.seen b.held)))
      (b.outputBy f m x out start c)

/-- How many frames some chunks have, given how many each has. -/
def framesOf : List Nat → Nat
  | .nil => 0
  | .cons m rest => Nat.add (framesOf rest) m
/-- What it holds after some chunks of a trace. -/
def chunkBuffer (t : Trace) (f : Formula) : List Nat → Buffer
  | .nil => .empty
  | .cons m rest => (chunkBuffer t f rest).nextBy f m (fun k j => t.atom k (Nat.add (framesOf rest) j))
/-- What it has given after some chunks: with each, the verdicts whose lookahead it completes. -/
def chunkOutput (t : Trace) (f : Formula) : List Nat → List (Prod Nat Bool)
  | .nil => .nil
  | .cons m rest => (chunkBuffer t f rest).outputBy f m (fun k j => t.atom k (Nat.add (framesOf rest) j))
      (chunkOutput t f rest) (Nat.sub (framesOf rest) (lookahead f))
      (Nat.sub (Nat.sub (Nat.add (framesOf rest) m) (lookahead f)) (Nat.sub (framesOf rest) (lookahead f)))
/-- All that the program gives on a trace that arrives in chunks. -/
def chunked (t : Trace) (f : Formula) (chunks : List Nat) : List (Prod Nat Bool) :=
  (chunkBuffer t f chunks).rest f (chunkOutput t f chunks) (Nat.sub t.frames (lookahead f))
    (Nat.sub t.frames (Nat.sub t.frames (lookahead f)))
end Tracepact
