import Tracepact.Spec.Formula
import Tracepact.Spec.Masks
/-!
The bitset engine: a mask is one natural number whose bit `i` is frame `i`, and every mask is kept within `valid`.
Windows are shift-or by doubling; each loop carries fuel only so that it is seen to end. Offsets and radii beyond the
`longest` clip reach no frame of any clip and are cut off first.
-/
set_option autoImplicit false
namespace Tracepact

/-- The next shift of a doubling loop that has `done` of `width` frames. -/
def stride (width done : Nat) : Nat := smaller done (Nat.sub width done)

/-- While `done < width`: `x |= x << k`. -/
def spreadLoop (width : Nat) : Nat → Nat → Nat → Nat
  | .zero, _, x => x
  | .succ fuel, done, x => cond (Nat.ble width done) x
      (spreadLoop width fuel (Nat.add done (stride width done)) (Nat.lor x (Nat.shiftLeft x (stride width done))))
/-- The or of `x << t` for `t` from 0 to `width - 1`. -/
def spread (x width : Nat) : Nat := cond (Nat.ble 1 width) (spreadLoop width width 1 x) 0

/-- How many offsets lie in `[lo, hi]`. -/
def span : Int → Int → Nat
  | .ofNat a, .ofNat b => Nat.sub (.succ b) a
  | .negSucc a, .ofNat b => .succ (Nat.add b (.succ a))
  | .ofNat _, .negSucc _ => 0
  | .negSucc a, .negSucc b => Nat.sub (.succ a) b
/-- The mask moved `hi` frames to the past. -/
def earlier : Int → Nat → Nat
  | .ofNat k, x => Nat.shiftRight x k
  | .negSucc k, x => Nat.shiftLeft x (.succ k)

def eventuallyMask (valid : Nat) (lo hi : Int) (x : Nat) : Nat := Nat.land (earlier hi (spread x (span lo hi))) valid
def alwaysMask (valid : Nat) (lo hi : Int) (x : Nat) : Nat :=
    Nat.xor valid (eventuallyMask valid lo hi (Nat.xor valid x))

/-- While `done < width`: `a |= b & (a >> k); b &= b >> k`. -/
def untilLoop (width : Nat) : Nat → Nat → Nat → Nat → Nat
  | .zero, _, a, _ => a
  | .succ fuel, done, a, b => cond (Nat.ble width done) a
      (untilLoop width fuel (Nat.add done (stride width done))
        (Nat.lor a (Nat.land b (Nat.shiftRight a (stride width done))))
            (Nat.land b (Nat.shiftRight b (stride width done))))
def untilMask (r f g : Nat) : Nat := untilLoop (.succ r) (.succ r) 1 g f
/-- While `done < width`: `a |= b & (a << k); b &= b << k`. -/
def sinceLoop (width : Nat) : Nat → Nat → Nat → Nat → Nat
  | .zero, _, a, _ => a
  | .succ fuel, done, a, b => cond (Nat.ble width done) a
      (sinceLoop width fuel (Nat.add done (stride width done))
        (Nat.lor a (Nat.land b (Nat.shiftLeft a (stride width done))))
            (Nat.land b (Nat.shiftLeft b (stride width done))))
def sinceMask (r f g : Nat) : Nat := sinceLoop (.succ r) (.succ r) 1 g f

/-- `max lo (-longest)`. -/
def clampLow (longest : Nat) : Int → Int
  | .ofNat k => .ofNat k
  | .negSucc k => back (smaller (.succ k) longest)
/-- `min hi longest`. -/
def clampHigh (longest : Nat) : Int → Int
  | .ofNat k => .ofNat (smaller k longest)
  | .negSucc k => .negSucc k

/-- The verdict mask of a formula. -/
def evalMask (valid longest : Nat) (mask : Nat → Nat) : Formula → Nat
  | .atom k => Nat.land (mask k) valid
  | .constant b => cond b valid 0
  | .not f => Nat.xor valid (evalMask valid longest mask f)
  | .and f g => Nat.land (evalMask valid longest mask f) (evalMask valid longest mask g)
  | .or f g => Nat.lor (evalMask valid longest mask f) (evalMask valid longest mask g)
  | .implies f g => Nat.lor (Nat.xor valid (evalMask valid longest mask f)) (evalMask valid longest mask g)
  | .iff f g => Nat.xor valid (Nat.xor (evalMask valid longest mask f) (evalMask valid longest mask g))
  | .eventually lo hi f =>
      eventuallyMask valid (clampLow longest lo) (clampHigh longest hi) (evalMask valid longest mask f)
  | .always lo hi f => alwaysMask valid (clampLow longest lo) (clampHigh longest hi) (evalMask valid longest mask f)
  | .«until» r f g => untilMask (smaller r longest) (evalMask valid longest mask f) (evalMask valid longest mask g)
  | .since r f g => sinceMask (smaller r longest) (evalMask valid longest mask f) (evalMask valid longest mask g)

/-- The distance from zero of an offset. -/
def magnitude : Int → Nat
  | .ofNat k => k
  | .negSucc k => .succ k
/-- The largest |lo| or |hi| of a formula's windows. -/
def widest : Formula → Nat
  | .atom _ => 0
  | .constant _ => 0
  | .not f => widest f
  | .and f g => larger (widest f) (widest g)
  | .or f g => larger (widest f) (widest g)
  | .implies f g => larger (widest f) (widest g)
  | .iff f g => larger (widest f) (widest g)
  | .eventually lo hi f => larger (larger (magnitude lo) (magnitude hi)) (widest f)
  | .always lo hi f => larger (larger (magnitude lo) (magnitude hi)) (widest f)
  | .«until» _ f g => larger (widest f) (widest g)
  | .since _ f g => larger (widest f) (widest g)
end Tracepact
