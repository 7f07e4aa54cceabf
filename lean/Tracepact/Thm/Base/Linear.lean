import Tracepact.Thm.Base.Order
/-!
Linear arithmetic by computation: `lin2 ρ a b c d l r h k rfl` proves `l ≤ r` from `h : a ≤ b` and `k : c ≤ d`.

Each side is a `Term` over the numbers `ρ 0`, `ρ 1`, …; the last argument is the check that the summands of
`l + b + d` are all among those of `r + a + c`.
-/
set_option autoImplicit false
noncomputable section
namespace Tracepact

inductive Term where
  | z
  | v (k : Nat)
  | s (t : Term)
  | p (a b : Term)

/-- The number that a term stands for. -/
def den (ρ : Nat → Nat) : Term → Nat
  | .z => .zero
  | .v k => ρ k
  | .s t => .succ (den ρ t)
  | .p a b => Nat.add (den ρ a) (den ρ b)

/-- A summand: one, or a variable. -/
def weight (ρ : Nat → Nat) : Nat → Nat
  | .zero => .succ .zero
  | .succ k => ρ k
def total (ρ : Nat → Nat) : List Nat → Nat
  | .nil => .zero
  | .cons x rest => Nat.add (weight ρ x) (total ρ rest)
/-- The summands of a term, before those in `more`. -/
def summands : Term → List Nat → List Nat
  | .z, more => more
  | .v k, more => .cons (.succ k) more
  | .s t, more => .cons .zero (summands t more)
  | .p a b, more => summands a (summands b more)
theorem summands_total (ρ : Nat → Nat) : (t : Term) → (more : List Nat) →
    Eq (total ρ (summands t more)) (Nat.add (den ρ t) (total ρ more))
  | .z, _ => Eq.symm (zero_add _)
  | .v _, _ => rfl
  | .s t, more => Eq.trans (congrArg (Nat.add (.succ .zero)) (summands_total ρ t more))
      (Eq.trans (succ_add .zero _) (Eq.trans (congrArg Nat.succ (zero_add _)) (Eq.symm (succ_add (den ρ t) (total ρ more)))))
  | .p a b, more => Eq.trans (summands_total ρ a _)
      (Eq.trans (congrArg (Nat.add (den ρ a)) (summands_total ρ b more)) (Eq.symm (add_assoc _ _ _)))

def found (y : Nat) (rest : List Nat) : Bool → Option (List Nat) → Option (List Nat)
  | .true, _ => .some rest
  | .false, .some rest' => .some (.cons y rest')
  | .false, .none => .none
/-- The list without one `x`, if it has one. -/
def without (x : Nat) : List Nat → Option (List Nat)
  | .nil => .none
  | .cons y rest => found y rest (Nat.beq x y) (without x rest)
def fromSome (l : List Nat) : Option (List Nat) → List Nat
  | .none => l
  | .some l' => l'
theorem without_total (ρ : Nat → Nat) (x : Nat) : (l l' : List Nat) → Eq (without x l) (.some l') →
    Eq (total ρ l) (Nat.add (weight ρ x) (total ρ l'))
  | .nil, _, h => nomatch h
  | .cons y rest, l', h => step y rest l' (Nat.beq x y) rfl (without x rest) (fun r => without_total ρ x rest r) h
where
  step (y : Nat) (rest l' : List Nat) : (b : Bool) → Eq (Nat.beq x y) b → (o : Option (List Nat)) →
      ((r : List Nat) → Eq o (.some r) → Eq (total ρ rest) (Nat.add (weight ρ x) (total ρ r))) →
      Eq (found y rest b o) (.some l') → Eq (total ρ (.cons y rest)) (Nat.add (weight ρ x) (total ρ l'))
    | .true, hb, _, _, h =>
      Eq.subst (motive := fun l => Eq _ (Nat.add (weight ρ x) (total ρ l))) (congrArg (fromSome .nil) h)
        (congrArg (fun z => Nat.add (weight ρ z) (total ρ rest)) (Eq.symm (eq_of_beq x y hb)))
    | .false, _, .some rest', ih, h =>
      Eq.subst (motive := fun l => Eq _ (Nat.add (weight ρ x) (total ρ l))) (congrArg (fromSome .nil) h)
        (Eq.trans (congrArg (Nat.add (weight ρ y)) (ih rest' rfl))
          (Eq.trans (Eq.symm (add_assoc _ _ _)) (Eq.trans (congrArg (fun z => Nat.add z (total ρ rest')) (add_comm _ _))
            (add_assoc _ _ _))))
    | .false, _, .none, _, h => nomatch h

def onSome (f : List Nat → Bool) : Option (List Nat) → Bool
  | .none => .false
  | .some l => f l
/-- Every summand of the first list is one of the second, counted. -/
def among : List Nat → List Nat → Bool
  | .nil, _ => .true
  | .cons x rest, l => onSome (among rest) (without x l)
theorem among_total (ρ : Nat → Nat) : (a l : List Nat) → Eq (among a l) .true → Nat.le (total ρ a) (total ρ l)
  | .nil, _, _ => zero_le _
  | .cons x rest, l, h => step x rest l (without x l) rfl (fun r => among_total ρ rest r) h
where
  step (x : Nat) (rest l : List Nat) : (o : Option (List Nat)) → Eq (without x l) o →
      ((r : List Nat) → Eq (among rest r) .true → Nat.le (total ρ rest) (total ρ r)) →
      Eq (onSome (among rest) o) .true → Nat.le (total ρ (.cons x rest)) (total ρ l)
    | .some l', ho, ih, h => Eq.subst (motive := Nat.le _) (Eq.symm (without_total ρ x l l' ho))
        (add_le_add .refl (ih l' h))
    | .none, _, _, h => nomatch h

theorem lin0 (ρ : Nat → Nat) (l r : Term) (c : Eq (among (summands l .nil) (summands r .nil)) .true) :
    Nat.le (den ρ l) (den ρ r) :=
  Eq.subst (motive := fun x => Nat.le x (den ρ r)) (summands_total ρ l .nil)
    (Eq.subst (motive := Nat.le _) (summands_total ρ r .nil) (among_total ρ _ _ c))
theorem lin1 (ρ : Nat → Nat) (a b l r : Term) (h : Nat.le (den ρ a) (den ρ b))
    (c : Eq (among (summands (.p l b) .nil) (summands (.p r a) .nil)) .true) : Nat.le (den ρ l) (den ρ r) :=
  le_of_add_le_add_right (den ρ b) (le_trans (lin0 ρ (.p l b) (.p r a) c) (add_le_add .refl h))
theorem lin2 (ρ : Nat → Nat) (a₁ b₁ a₂ b₂ l r : Term) (h₁ : Nat.le (den ρ a₁) (den ρ b₁)) (h₂ : Nat.le (den ρ a₂) (den ρ b₂))
    (c : Eq (among (summands (.p l (.p b₁ b₂)) .nil) (summands (.p r (.p a₁ a₂)) .nil)) .true) : Nat.le (den ρ l) (den ρ r) :=
  lin1 ρ (.p a₁ a₂) (.p b₁ b₂) l r (add_le_add h₁ h₂) c
theorem lin3 (ρ : Nat → Nat) (a₁ b₁ a₂ b₂ a₃ b₃ l r : Term) (h₁ : Nat.le (den ρ a₁) (den ρ b₁))
    (h₂ : Nat.le (den ρ a₂) (den ρ b₂)) (h₃ : Nat.le (den ρ a₃) (den ρ b₃))
    (c : Eq (among (summands (.p l (.p b₁ (.p b₂ b₃))) .nil) (summands (.p r (.p a₁ (.p a₂ a₃))) .nil)) .true) :
    Nat.le (den ρ l) (den ρ r) :=
  lin2 ρ a₁ b₁ (.p a₂ a₃) (.p b₂ b₃) l r h₁ (add_le_add h₂ h₃) c
theorem lin4 (ρ : Nat → Nat) (a₁ b₁ a₂ b₂ a₃ b₃ a₄ b₄ l r : Term) (h₁ : Nat.le (den ρ a₁) (den ρ b₁))
    (h₂ : Nat.le (den ρ a₂) (den ρ b₂)) (h₃ : Nat.le (den ρ a₃) (den ρ b₃)) (h₄ : Nat.le (den ρ a₄) (den ρ b₄))
    (c : Eq (among (summands (.p l (.p b₁ (.p b₂ (.p b₃ b₄)))) .nil) (summands (.p r (.p a₁ (.p a₂ (.p a₃ a₄)))) .nil)) .true) :
    Nat.le (den ρ l) (den ρ r) :=
  lin3 ρ a₁ b₁ a₂ b₂ (.p a₃ a₄) (.p b₃ b₄) l r h₁ h₂ (add_le_add h₃ h₄) c

/-! Variables by position. -/
def on1 (a : Nat) : Nat → Nat := fun _ => a
def push (a : Nat) (ρ : Nat → Nat) : Nat → Nat
  | .zero => a
  | .succ k => ρ k
def on2 (a b : Nat) : Nat → Nat := push a (on1 b)
def on3 (a b c : Nat) : Nat → Nat := push a (on2 b c)
def on4 (a b c d : Nat) : Nat → Nat := push a (on3 b c d)
def on5 (a b c d e : Nat) : Nat → Nat := push a (on4 b c d e)
def on6 (a b c d e f : Nat) : Nat → Nat := push a (on5 b c d e f)
def on7 (a b c d e f g : Nat) : Nat → Nat := push a (on6 b c d e f g)
def on8 (a b c d e f g h : Nat) : Nat → Nat := push a (on7 b c d e f g h)
end Tracepact
