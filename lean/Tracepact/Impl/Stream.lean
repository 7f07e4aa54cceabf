import Tracepact.Spec.Scope
/-! The streaming monitor: verdicts as soon as they are known. Lists are in order of emission, newest first. -/
set_option autoImplicit false
namespace Tracepact

/-- The first `m` frames of a trace: all that has arrived. -/
def arrived (t : Trace) (m : Nat) : Trace := ⟨m, t.atom⟩

/-- On arrival of frame `m`: the verdict of frame `m - lookahead`, if there is one, from what has arrived. -/
def onArrival (t : Trace) (f : Formula) (m : Nat) (out : List (Prod Nat Bool)) : Bool → List (Prod Nat Bool)
  | .true => .cons (Nat.sub m (lookahead f), eval (arrived t (.succ m)) f (Nat.sub m (lookahead f))) out
  | .false => out
/-- What is emitted while the first `m` frames arrive. -/
def live (t : Trace) (f : Formula) : Nat → List (Prod Nat Bool)
  | .zero => .nil
  | .succ m => onArrival t f m (live t f m) (Nat.ble (lookahead f) m)
/-- At the end of the trace: the `k` verdicts from frame `start` on. -/
def flush (t : Trace) (f : Formula) (out : List (Prod Nat Bool)) (start : Nat) : Nat → List (Prod Nat Bool)
  | .zero => out
  | .succ k => .cons (Nat.add start k, eval t f (Nat.add start k)) (flush t f out start k)
/-- All that the streaming monitor emits. -/
def stream (t : Trace) (f : Formula) : List (Prod Nat Bool) :=
  flush t f (live t f t.frames) (Nat.sub t.frames (lookahead f)) (Nat.sub t.frames (Nat.sub t.frames (lookahead f)))

/-- The offline verdicts of the first `n` frames, newest first. -/
def offline (t : Trace) (f : Formula) : Nat → List (Prod Nat Bool)
  | .zero => .nil
  | .succ i => .cons (i, eval t f i) (offline t f i)
end Tracepact
