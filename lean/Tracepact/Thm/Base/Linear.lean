import Tracepact.Thm.Base.Order
/-!
Linear arithmetic from named hypotheses: `lin2 (on3 x y z) h k rfl` proves `l ≤ r` from `h : a ≤ b` and `k : c ≤ d`.

`on3 x y z` names the numbers that are left as they are; every side must be built from them by zero, successor, addition
and doubling. The sides are read off the types of the hypotheses and of the goal, as `Term`s, by instance resolution.
The last
argument, `rfl`, is the check that the summands of `l + b + d` are all among those of `r + a + c`; that is, that the
hypotheses, added up, give the goal. `impossible2 (on3 x y z) h k rfl` proves anything from hypotheses that add up to `1
≤ 0`.
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
      (Eq.trans (succ_add .zero _)
          (Eq.trans (congrArg Nat.succ (zero_add _)) (Eq.symm (succ_add (den ρ t) (total ρ more)))))
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

/-! ### The numbers that a proof leaves as they are -/
inductive Vars where
  | none
  | var (x : Nat) (rest : Vars)
/-- The number at a position. -/
def Vars.value : Vars → Nat → Nat
  | .none, _ => .zero
  | .var x _, .zero => x
  | .var _ rest, .succ k => rest.value k
abbrev on1 (a : Nat) : Vars := .var a .none
abbrev on2 (a b : Nat) : Vars := .var a (on1 b)
abbrev on3 (a b c : Nat) : Vars := .var a (on2 b c)
abbrev on4 (a b c d : Nat) : Vars := .var a (on3 b c d)
abbrev on5 (a b c d e : Nat) : Vars := .var a (on4 b c d e)
abbrev on6 (a b c d e f : Nat) : Vars := .var a (on5 b c d e f)
abbrev on7 (a b c d e f g : Nat) : Vars := .var a (on6 b c d e f g)
abbrev on8 (a b c d e f g h : Nat) : Vars := .var a (on7 b c d e f g h)

/-! ### Reading a number as a term over them -/
/-- The number is one of the variables. -/
class Listed (ρ : Vars) (n : Nat) where
  index : Nat
  value : Eq (ρ.value index) n
instance Listed.here {x : Nat} {rest : Vars} : Listed (.var x rest) x := ⟨.zero, rfl⟩
instance Listed.later {x y : Nat} {rest : Vars} [found : Listed rest x] : Listed (.var y rest) x :=
    ⟨.succ found.index, found.value⟩
/-- The number is the value of a term over the variables. -/
class Reads (ρ : Vars) (n : Nat) where
  term : Term
  value : Eq (den ρ.value term) n
instance Reads.variable {ρ : Vars} {n : Nat} [found : Listed ρ n] : Reads ρ n := ⟨.v found.index, found.value⟩
instance Reads.zero {ρ : Vars} : Reads ρ .zero := ⟨.z, rfl⟩
instance Reads.succ {ρ : Vars} {a : Nat} [r : Reads ρ a] : Reads ρ (.succ a) := ⟨.s r.term, congrArg Nat.succ r.value⟩
theorem add_eq_add {a a' b b' : Nat} (h : Eq a a') (k : Eq b b') : Eq (Nat.add a b) (Nat.add a' b') := h ▸ k ▸ rfl
instance Reads.add {ρ : Vars} {a b : Nat} [r : Reads ρ a] [s : Reads ρ b] : Reads ρ (Nat.add a b) :=
  ⟨.p r.term s.term, add_eq_add r.value s.value⟩
instance Reads.twice {ρ : Vars} {a : Nat} [r : Reads ρ a] : Reads ρ (Nat.mul a 2) :=
  ⟨.p (.p .z r.term) r.term, add_eq_add (add_eq_add rfl r.value) r.value⟩
instance Reads.fourfold {ρ : Vars} {a : Nat} [r : Reads ρ a] : Reads ρ (Nat.mul a 4) :=
  ⟨.p (.p (.p (.p .z r.term) r.term) r.term) r.term,
   add_eq_add (add_eq_add (add_eq_add (add_eq_add rfl r.value) r.value) r.value) r.value⟩

/-! ### The rules -/
/-- The summands of the first term are all among those of the second. -/
def sumsWithin (l r : Term) : Bool := among (summands l .nil) (summands r .nil)
theorem sumsWithin_le (ρ : Nat → Nat) (l r : Term) (c : Eq (sumsWithin l r) .true) : Nat.le (den ρ l) (den ρ r) :=
  Eq.subst (motive := fun x => Nat.le x (den ρ r)) (summands_total ρ l .nil)
    (Eq.subst (motive := Nat.le _) (summands_total ρ r .nil) (among_total ρ _ _ c))
theorem read_le {ρ : Vars} {a b : Nat} [ra : Reads ρ a] [rb : Reads ρ b] (h : Nat.le a b) :
    Nat.le (den ρ.value ra.term) (den ρ.value rb.term) := Eq.symm ra.value ▸ Eq.symm rb.value ▸ h
theorem le_read {ρ : Vars} {a b : Nat} [ra : Reads ρ a] [rb : Reads ρ b]
    (h : Nat.le (den ρ.value ra.term) (den ρ.value rb.term)) : Nat.le a b :=
  Eq.subst (motive := Nat.le a) rb.value (Eq.subst (motive := fun x => Nat.le x _) ra.value h)
/-- `l ≤ r` if `l + b ≤ r + a` by its summands and `a ≤ b`. -/
theorem from_one (ρ : Nat → Nat) (a b l r : Term) (h : Nat.le (den ρ a) (den ρ b))
    (c : Eq (sumsWithin (.p l b) (.p r a)) .true) :
    Nat.le (den ρ l) (den ρ r) :=
  le_of_add_le_add_right (den ρ b) (le_trans (sumsWithin_le ρ (.p l b) (.p r a) c) (add_le_add .refl h))

section
variable (ρ : Vars) {a₁ b₁ a₂ b₂ a₃ b₃ a₄ b₄ l r : Nat} [l' : Reads ρ l] [r' : Reads ρ r]
theorem lin0 (c : Eq (sumsWithin l'.term r'.term) .true) : Nat.le l r := le_read (sumsWithin_le ρ.value _ _ c)
variable [a₁' : Reads ρ a₁] [b₁' : Reads ρ b₁]
theorem lin1 (h₁ : Nat.le a₁ b₁) (c : Eq (sumsWithin (.p l'.term b₁'.term) (.p r'.term a₁'.term)) .true) : Nat.le l r :=
  le_read (from_one ρ.value _ _ _ _ (read_le h₁) c)
variable [a₂' : Reads ρ a₂] [b₂' : Reads ρ b₂]
theorem lin2 (h₁ : Nat.le a₁ b₁) (h₂ : Nat.le a₂ b₂)
    (c : Eq (sumsWithin (.p l'.term (.p b₁'.term b₂'.term)) (.p r'.term (.p a₁'.term a₂'.term))) .true) : Nat.le l r :=
  lin1 ρ (add_le_add h₁ h₂) c
variable [a₃' : Reads ρ a₃] [b₃' : Reads ρ b₃]
theorem lin3 (h₁ : Nat.le a₁ b₁) (h₂ : Nat.le a₂ b₂) (h₃ : Nat.le a₃ b₃)
    (c : Eq (sumsWithin (.p l'.term (.p b₁'.term (.p b₂'.term b₃'.term)))
        (.p r'.term (.p a₁'.term (.p a₂'.term a₃'.term))))
        .true) :
    Nat.le l r := lin2 ρ h₁ (add_le_add h₂ h₃) c
variable [a₄' : Reads ρ a₄] [b₄' : Reads ρ b₄]
theorem lin4 (h₁ : Nat.le a₁ b₁) (h₂ : Nat.le a₂ b₂) (h₃ : Nat.le a₃ b₃) (h₄ : Nat.le a₄ b₄)
    (c : Eq (sumsWithin (.p l'.term (.p b₁'.term (.p b₂'.term (.p b₃'.term b₄'.term))))
      (.p r'.term (.p a₁'.term (.p a₂'.term (.p a₃'.term a₄'.term))))) .true) : Nat.le l r :=
  lin3 ρ h₁ h₂ (add_le_add h₃ h₄) c
end

section
variable (ρ : Vars) {a₁ b₁ a₂ b₂ a₃ b₃ a₄ b₄ : Nat} {goal : Prop}
variable [a₁' : Reads ρ a₁] [b₁' : Reads ρ b₁]
theorem impossible1 (h₁ : Nat.le a₁ b₁) (c : Eq (sumsWithin (.p (.s .z) b₁'.term) (.p .z a₁'.term)) .true) : goal :=
  not_one_le_zero (lin1 ρ h₁ c)
variable [a₂' : Reads ρ a₂] [b₂' : Reads ρ b₂]
theorem impossible2 (h₁ : Nat.le a₁ b₁) (h₂ : Nat.le a₂ b₂)
    (c : Eq (sumsWithin (.p (.s .z) (.p b₁'.term b₂'.term)) (.p .z (.p a₁'.term a₂'.term))) .true) : goal :=
  not_one_le_zero (lin2 ρ h₁ h₂ c)
variable [a₃' : Reads ρ a₃] [b₃' : Reads ρ b₃]
theorem impossible3 (h₁ : Nat.le a₁ b₁) (h₂ : Nat.le a₂ b₂) (h₃ : Nat.le a₃ b₃)
    (c : Eq (sumsWithin (.p (.s .z) (.p b₁'.term (.p b₂'.term b₃'.term))) (.p .z (.p a₁'.term (.p a₂'.term a₃'.term))))
        .true) :
    goal := not_one_le_zero (lin3 ρ h₁ h₂ h₃ c)
variable [a₄' : Reads ρ a₄] [b₄' : Reads ρ b₄]
theorem impossible4 (h₁ : Nat.le a₁ b₁) (h₂ : Nat.le a₂ b₂) (h₃ : Nat.le a₃ b₃) (h₄ : Nat.le a₄ b₄)
    (c : Eq (sumsWithin (.p (.s .z) (.p b₁'.term (.p b₂'.term (.p b₃'.term b₄'.term))))
      (.p .z (.p a₁'.term (.p a₂'.term (.p a₃'.term a₄'.term))))) .true) : goal :=
          not_one_le_zero (lin4 ρ h₁ h₂ h₃ h₄ c)
end
end Tracepact
