import Tracepact.Spec.Scope
import Tracepact.Thm.Meaning
/-! How the scope of a formula contains the scopes of its parts. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

theorem scope_self (f : Formula) (i : Nat) : InScope f i i := ⟨le_add _ _, le_add _ _⟩

/-- Scopes by their two numbers. -/
structure Reach (b a i j : Nat) : Prop where
  lower : Nat.le i (Nat.add j b)
  upper : Nat.le j (Nat.add i a)
theorem Reach.left {b b' a a' i j : Nat} (s : Reach b a i j) : Reach (larger b b') (larger a a') i j :=
  ⟨le_trans s.lower (add_le_add .refl (le_larger_left _ _)), le_trans s.upper (add_le_add .refl (le_larger_left _ _))⟩
theorem Reach.right {b b' a a' i j : Nat} (s : Reach b' a' i j) : Reach (larger b b') (larger a a') i j :=
  ⟨le_trans s.lower (add_le_add .refl (le_larger_right _ _)), le_trans s.upper (add_le_add .refl (le_larger_right _ _))⟩

theorem lower_step {i j m x : Nat} : (lo : Int) → AtLeast i lo j → Nat.le j (Nat.add x m) →
    Nat.le i (Nat.add x (minusOffset m lo))
  | .ofNat k, l, h => (lin3 (on6 i k j x m (Nat.sub m k)) (show Nat.le (Nat.add i k) j from l) h (le_sub_add m k) rfl :
      Nat.le i (Nat.add x (Nat.sub m k)))
  | .negSucc k, l, h => (lin2 (on5 i j k x m) (show Nat.le i (Nat.add j (.succ k)) from l) h rfl :
      Nat.le i (Nat.add x (Nat.add m (.succ k))))
theorem upper_step {i j m x : Nat} : (hi : Int) → AtMost i hi j → Nat.le x (Nat.add j m) →
    Nat.le x (Nat.add i (plusOffset m hi))
  | .ofNat k, l, h => (lin2 (on5 j i k x m) (show Nat.le j (Nat.add i k) from l) h rfl :
      Nat.le x (Nat.add i (Nat.add m k)))
  | .negSucc k, l, h =>
      (lin3 (on6 j k i x m (Nat.sub m (.succ k))) (show Nat.le (Nat.add j (.succ k)) i from l) h
      (le_sub_add m (.succ k)) rfl : Nat.le x (Nat.add i (Nat.sub m (.succ k))))
/-- What is in scope from a frame of the window is in scope of the window's formula. -/
theorem scope_window {i j x b a : Nat} {lo hi : Int} (l : AtLeast i lo j) (h : AtMost i hi j) (s : Reach b a j x) :
    Reach (minusOffset b lo) (plusOffset a hi) i x := ⟨lower_step lo l s.lower, upper_step hi h s.upper⟩

theorem reach_right : (r left right : Nat) → Nat.le (Nat.add r right) (untilReach r left right)
  | .zero, _, right => (lin0 (on1 right) rfl : Nat.le (Nat.add .zero right) right)
  | .succ _, _, _ => le_larger_right _ _
theorem reach_left : (r left right : Nat) → Lt 0 r → Nat.le (Nat.add r left) (.succ (untilReach r left right))
  | .succ r, left, right, _ =>
    le_trans (lin0 (on2 r left) rfl : Nat.le (Nat.add (.succ r) left) (.succ (Nat.add r left)))
      (succ_le_succ (le_larger_left (Nat.add r left) (Nat.add (.succ r) right)))
/-- From the witness of an until. -/
theorem scope_until_right {i j x r b a b' a' : Nat} (l : Nat.le i j) (h : Nat.le j (Nat.add i r))
    (s : Reach b' a' j x) :
    Reach (larger b b') (untilReach r a a') i x :=
  ⟨lin3 (on5 i j x b' (larger b b')) l s.lower (le_larger_right b b') rfl,
    lin3 (on6 j i r x a' (untilReach r a a')) h s.upper (reach_right r a a') rfl⟩
/-- From a frame before the witness of an until. -/
theorem scope_until_left {i j k x r b a b' a' : Nat} (l : Nat.le i k) (w : Lt k j) (h : Nat.le j (Nat.add i r))
    (s : Reach b a k x) :
    Reach (larger b b') (untilReach r a a') i x :=
  have pos : Lt 0 r := lin3 (on4 i k j r) l w h rfl
  ⟨lin3 (on5 i k x b (larger b b')) l s.lower (le_larger_left b b') rfl,
    lin4 (on7 k j i r x a (untilReach r a a')) w h s.upper (reach_left r a a' pos) rfl⟩
theorem scope_since_right {i j x r b a b' a' : Nat} (l : Nat.le j i) (h : Nat.le i (Nat.add j r))
    (s : Reach b' a' j x) :
    Reach (untilReach r b b') (larger a a') i x :=
  ⟨lin3 (on6 i j r x b' (untilReach r b b')) h s.lower (reach_right r b b') rfl,
    lin3 (on5 j i x a' (larger a a')) l s.upper (le_larger_right a a') rfl⟩
theorem scope_since_left {i j k x r b a b' a' : Nat} (l : Nat.le k i) (w : Lt j k) (h : Nat.le i (Nat.add j r))
    (s : Reach b a k x) :
    Reach (untilReach r b b') (larger a a') i x :=
  have pos : Lt 0 r := lin3 (on4 k i j r) l w h rfl
  ⟨lin4 (on7 j k i r x b (untilReach r b b')) w h s.lower (reach_left r b b' pos) rfl,
    lin3 (on5 k i x a (larger a a')) l s.upper (le_larger_left a a') rfl⟩
end Tracepact
