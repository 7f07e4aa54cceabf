import Tracepact.Spec.Score
import Tracepact.Thm.Base.Count
import Tracepact.Thm.Meaning
/-! Wider windows. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem atLeast_wider {i j : Nat} : {lo lo' : Int} → OffsetLe lo' lo → AtLeast i lo j → AtLeast i lo' j
  | .ofNat k, .ofNat k', h, l => lin2 (on4 k' k i j) (show Nat.le k' k from h) (show Nat.le (Nat.add i k) j from l) rfl
  | .ofNat k, .negSucc k', _, l => lin1 (on4 i k j k') (show Nat.le (Nat.add i k) j from l) rfl
  | .negSucc _, .ofNat _, h, _ => h.elim
  | .negSucc k, .negSucc k', h, l =>
    lin2 (on4 k k' i j) (show Nat.le k k' from h) (show Nat.le i (Nat.add j (.succ k)) from l) rfl
theorem atMost_wider {i j : Nat} : {hi hi' : Int} → OffsetLe hi hi' → AtMost i hi j → AtMost i hi' j
  | .ofNat k, .ofNat k', h, l => lin2 (on4 k k' j i) (show Nat.le k k' from h) (show Nat.le j (Nat.add i k) from l) rfl
  | .ofNat _, .negSucc _, h, _ => h.elim
  | .negSucc k, .ofNat k', _, l => lin1 (on4 j k i k') (show Nat.le (Nat.add j (.succ k)) i from l) rfl
  | .negSucc k, .negSucc k', h, l =>
    lin2 (on4 k' k j i) (show Nat.le k' k from h) (show Nat.le (Nat.add j (.succ k)) i from l) rfl
theorem window_wider {n i j : Nat} {lo hi lo' hi' : Int} (l : OffsetLe lo' lo) (h : OffsetLe hi hi')
    (w : InWindow n i lo hi j) : InWindow n i lo' hi' j := ⟨w.inside, atLeast_wider l w.lower, atMost_wider h w.upper⟩
theorem back_wider : {r r' : Nat} → Nat.le r r' → OffsetLe (back r') (back r)
  | .zero, .zero, _ => .refl
  | .zero, .succ _, _ => .intro
  | .succ _, .succ _, h => le_of_succ_le_succ h

/-- **Monotonicity, F.** What holds somewhere in a window holds somewhere in every wider window. -/
theorem eventually_monotone (t : Trace) (f : Formula) (i : Nat) (lo hi lo' hi' : Int) (l : OffsetLe lo' lo)
    (h : OffsetLe hi hi') :
    Holds t (.eventually lo hi f) i → Holds t (.eventually lo' hi' f) i
  | ⟨j, w, e⟩ => ⟨j, window_wider l h w, e⟩

/-- **Monotonicity, G.** What holds everywhere in a window holds everywhere in every narrower window. -/
theorem always_antitone (t : Trace) (f : Formula) (i : Nat) (lo hi lo' hi' : Int) (l : OffsetLe lo' lo)
    (h : OffsetLe hi hi')
    (a : Holds t (.always lo' hi' f) i) : Holds t (.always lo hi f) i :=
  fun j w => a j (window_wider l h w)

/-- **Neighbourhood monotonicity.** A witness within radius `r` is a witness within every radius `r' ≥ r`. -/
theorem near_monotone (t : Trace) (f : Formula) (i r r' : Nat) (h : Nat.le r r') : Holds t (near r f) i →
    Holds t (near r' f) i :=
  eventually_monotone t f i _ _ _ _ (back_wider h) h

/-- **Guards.** With the obligation fixed, the satisfied count of a guard `a → N[r] b` never falls when its radius
grows. -/
theorem guard_monotone (t : Trace) (o : Nat → Bool) (a b : Formula) (r r' : Nat) (h : Nat.le r r') :
    Nat.le (satisfied o (eval t (.implies a (near r b))) t.frames)
        (satisfied o (eval t (.implies a (near r' b))) t.frames) :=
  count_mono t.frames fun i _ e =>
    let ⟨x, y⟩ := (band_iff _ _).mp e
    (band_iff _ _).mpr ⟨x, (eval_iff_holds t (.implies a (near r' b)) i).mpr fun ha =>
      near_monotone t b i r r' h ((eval_iff_holds t (.implies a (near r b)) i).mp y ha)⟩
end Tracepact
