import Tracepact.Thm.Base.Bits
/-! The three doubling loops compute what they should, by one step each. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- What a step of a doubling loop may rely on. -/
structure Step (width done k : Nat) : Prop where
  doubles : Nat.le k done
  moves : Lt 0 k
  fits : Nat.le (Nat.add done k) width
theorem stride_step {width done : Nat} (p : Lt 0 done) (l : Lt done width) : Step width done (stride width done) :=
  have le : Nat.le (Nat.add (Nat.sub width done) done) width := sub_add_le (le_of_succ_le l)
  have ge : Nat.le width (Nat.add (Nat.sub width done) done) := le_sub_add width done
  cond_elim (P := Step width done) (Nat.ble done (Nat.sub width done))
    (fun h =>
      have h := (ble_iff _ _).mp h
      ⟨.refl, p, lin2 (on3 done (Nat.sub width done) width) h le rfl⟩)
    (fun h =>
      have h := (le_or_lt done (Nat.sub width done)).elim (fun k => absurd ((ble_iff _ _).mpr k) h) id
      ⟨le_of_succ_le h, lin2 (on3 done width (Nat.sub width done)) l ge rfl,
       lin1 (on3 (Nat.sub width done) done width) le rfl⟩)
theorem lt_of_not_ble {a b : Nat} (h : Not (IsTrue (Nat.ble a b))) : Lt b a :=
  (le_or_lt a b).elim (fun k => absurd ((ble_iff _ _).mpr k) h) id

/-! ### The or of shifts -/
/-- `y` is `x` spread over `d` frames: bit `i` of `y` is set when some bit `j` of `x` with `j ≤ i < j + d` is. -/
def Spreads (x d y : Nat) : Prop :=
  (i : Nat) → Iff (IsTrue (bit y i)) (Exists fun j => And (And (Nat.le j i) (Lt i (Nat.add j d))) (IsTrue (bit x j)))
theorem spreads_one (x : Nat) : Spreads x 1 x := fun i =>
  ⟨fun h => ⟨i, ⟨.refl, .refl⟩, h⟩, fun ⟨_, ⟨l, m⟩, h⟩ => le_antisymm l (le_of_succ_le_succ m) ▸ h⟩
theorem spreads_step {x d y k : Nat} (le : Nat.le k d) (s : Spreads x d y) :
    Spreads x (Nat.add d k) (Nat.lor y (Nat.shiftLeft y k)) :=
  fun i => iff_trans (lor_iff _ _ _)
      (iff_trans (or_iff (s i) (iff_trans (shl_iff _ _ _) (exists_iff fun i' => and_iff iff_refl (s i')))) ⟨
    fun
      | .inl ⟨j, ⟨a, b⟩, e⟩ => ⟨j, ⟨a, lin1 (on4 i j d k) b rfl⟩, e⟩
      | .inr ⟨i', h, j, ⟨a, b⟩, e⟩ => ⟨j, h ▸ ⟨lin1 (on3 j i' k) a rfl, lin1 (on4 i' j d k) b rfl⟩, e⟩,
    fun ⟨j, ⟨a, b⟩, e⟩ => match le_or_lt (Nat.add j d) i with
      | .inr l => .inl ⟨j, ⟨a, l⟩, e⟩
      | .inl l =>
        let ⟨c, h⟩ := le_exists (le_trans (lin1 (on3 k d j) le rfl : Nat.le k (Nat.add j d)) l)
        have g : Eq i (Nat.add c k) := Eq.trans h (add_comm k c)
        have l' : Nat.le (Nat.add j d) (Nat.add c k) := g ▸ l
        have b' : Lt (Nat.add c k) (Nat.add j (Nat.add d k)) := g ▸ b
        .inr ⟨c, g, j, ⟨lin2 (on4 j d c k) l' le rfl,
          lin1 (on4 c k j d) b' rfl⟩, e⟩⟩)
theorem spreadLoop_ok (x width : Nat) : (fuel done y : Nat) → Spreads x done y → Lt 0 done → Nat.le done width →
    Nat.le width (Nat.add done fuel) → Spreads x width (spreadLoop width fuel done y)
  | .zero, _, _, s, _, l, m => le_antisymm l m ▸ s
  | .succ fuel, done, _, s, p, l, m => cond_elim (P := Spreads x width) (Nat.ble width done)
      (fun h => le_antisymm l ((ble_iff _ _).mp h) ▸ s)
      (fun h =>
        have k := stride_step p (lt_of_not_ble h)
        spreadLoop_ok x width fuel _ _ (spreads_step k.doubles s) (le_trans p (le_add _ _)) k.fits
          (lin2 (on4 width done fuel (stride width done)) m k.moves rfl))
theorem spread_ok (x width : Nat) : Spreads x width (spread x width) :=
  cond_elim (P := Spreads x width) (Nat.ble 1 width)
    (fun h =>
      have l := (ble_iff _ _).mp h
      spreadLoop_ok x width width 1 x (spreads_one x) .refl l (lin0 (on1 width) rfl))
    (fun h i => ⟨fun e => absurd e (bit_zero i), fun ⟨j, ⟨a, b⟩, _⟩ =>
      impossible3 (on3 j i width) a b (lt_of_not_ble h) rfl⟩)

/-! ### Until -/
/-- `a` is: `g` at one of the next `d` frames, the present one included, and `f` before it. -/
def UntilWithin (f g d a : Nat) : Prop := (i : Nat) → Iff (IsTrue (bit a i))
  (Exists fun j => And (And (Nat.le i j) (Lt j (Nat.add i d)))
      (And (IsTrue (bit g j)) ((k : Nat) → Nat.le i k → Lt k j → IsTrue (bit f k))))
/-- `b` is: `f` at each of the next `d` frames. -/
def AllAhead (f d b : Nat) : Prop :=
    (i : Nat) → Iff (IsTrue (bit b i)) ((k : Nat) → Nat.le i k → Lt k (Nat.add i d) → IsTrue (bit f k))
theorem shr_iff (m s i : Nat) : Iff (IsTrue (bit (Nat.shiftRight m s) i)) (IsTrue (bit m (Nat.add i s))) :=
    iff_of_eq (bit_shr m s i)
theorem until_one (f g : Nat) : UntilWithin f g 1 g := fun i =>
  ⟨fun h => ⟨i, ⟨.refl, .refl⟩, h, fun k a b => (not_succ_le_self k (le_trans b a)).elim⟩,
   fun ⟨_, ⟨l, m⟩, h, _⟩ => le_antisymm l (le_of_succ_le_succ m) ▸ h⟩
theorem allAhead_one (f : Nat) : AllAhead f 1 f := fun i =>
  ⟨fun h _ l m => le_antisymm l (le_of_succ_le_succ m) ▸ h, fun h => h i .refl .refl⟩
theorem until_step {f g d a b k : Nat} (le : Nat.le k d) (ua : UntilWithin f g d a) (ab : AllAhead f d b) :
    UntilWithin f g (Nat.add d k) (Nat.lor a (Nat.land b (Nat.shiftRight a k))) := fun i =>
  iff_trans (lor_iff _ _ _) (iff_trans (or_iff (ua i) (iff_trans (land_iff _ _ _)
    (and_iff (ab i) (iff_trans (shr_iff _ _ _) (ua _))))) ⟨
    fun
      | .inl ⟨j, ⟨l, m⟩, e, h⟩ => ⟨j, ⟨l, lin1 (on4 j i d k) m rfl⟩, e, h⟩
      | .inr ⟨h, j, ⟨l, m⟩, e, h'⟩ => ⟨j, ⟨lin1 (on3 i k j) l rfl, lin1 (on4 j i k d) m rfl⟩, e,
          fun x p q => match le_or_lt (Nat.add i k) x with
            | .inl r => h' x r q
            | .inr r => h x p (lin2 (on4 x i k d) r le rfl)⟩,
    fun ⟨j, ⟨l, m⟩, e, h⟩ => match le_or_lt (Nat.add i d) j with
      | .inr r => .inl ⟨j, ⟨l, r⟩, e, h⟩
      | .inl r => .inr ⟨fun x p q => h x p (le_trans q r), j,
          ⟨lin2 (on4 i d j k) r le rfl, lin1 (on4 j i d k) m rfl⟩, e,
          fun x p q => h x (lin1 (on3 i k x) p rfl) q⟩⟩)
theorem allAhead_step {f d b k : Nat} (le : Nat.le k d) (ab : AllAhead f d b) :
    AllAhead f (Nat.add d k) (Nat.land b (Nat.shiftRight b k)) :=
  fun i => iff_trans (land_iff _ _ _) (iff_trans (and_iff (ab i) (iff_trans (shr_iff _ _ _) (ab _))) ⟨
    fun ⟨h, h'⟩ x p q => match le_or_lt (Nat.add i k) x with
      | .inl r => h' x r (lin1 (on4 x i d k) q rfl)
      | .inr r => h x p (lin2 (on4 x i k d) r le rfl),
    fun h => ⟨fun x p q => h x p (lin1 (on4 x i d k) q rfl),
      fun x p q => h x (lin1 (on3 i k x) p rfl) (lin1 (on4 x i k d) q rfl)⟩⟩)
theorem untilLoop_ok (f g width : Nat) : (fuel done a b : Nat) → UntilWithin f g done a → AllAhead f done b →
    Lt 0 done →
    Nat.le done width → Nat.le width (Nat.add done fuel) → UntilWithin f g width (untilLoop width fuel done a b)
  | .zero, _, _, _, s, _, _, l, m => le_antisymm l m ▸ s
  | .succ fuel, done, _, _, s, s', p, l, m => cond_elim (P := UntilWithin f g width) (Nat.ble width done)
      (fun h => le_antisymm l ((ble_iff _ _).mp h) ▸ s)
      (fun h =>
        have k := stride_step p (lt_of_not_ble h)
        untilLoop_ok f g width fuel _ _ _ (until_step k.doubles s s') (allAhead_step k.doubles s')
            (le_trans p (le_add _ _)) k.fits
          (lin2 (on4 width done fuel (stride width done)) m k.moves rfl))

/-! ### Since -/
def SinceWithin (f g d a : Nat) : Prop := (i : Nat) → Iff (IsTrue (bit a i))
  (Exists fun j => And (And (Nat.le j i) (Lt i (Nat.add j d)))
      (And (IsTrue (bit g j)) ((k : Nat) → Lt j k → Nat.le k i → IsTrue (bit f k))))
/-- `b` is: there are `d` frames up to the present one, and `f` at each of them. -/
def AllBehind (f d b : Nat) : Prop := (i : Nat) → Iff (IsTrue (bit b i))
  (And (Nat.le d (.succ i)) ((k : Nat) → Nat.le k i → Lt i (Nat.add k d) → IsTrue (bit f k)))
theorem since_one (f g : Nat) : SinceWithin f g 1 g := fun i =>
  ⟨fun h => ⟨i, ⟨.refl, .refl⟩, h, fun _ a b => (not_succ_le_self i (le_trans a b)).elim⟩,
   fun ⟨_, ⟨l, m⟩, h, _⟩ => le_antisymm l (le_of_succ_le_succ m) ▸ h⟩
theorem allBehind_one (f : Nat) : AllBehind f 1 f := fun i =>
  ⟨fun h => ⟨succ_le_succ (zero_le i), fun _ l m => Eq.symm (le_antisymm l (le_of_succ_le_succ m)) ▸ h⟩, fun h =>
      h.right i .refl .refl⟩
theorem since_step {f g d a b k : Nat} (le : Nat.le k d) (sa : SinceWithin f g d a) (ab : AllBehind f d b) :
    SinceWithin f g (Nat.add d k) (Nat.lor a (Nat.land b (Nat.shiftLeft a k))) := fun i =>
  iff_trans (lor_iff _ _ _) (iff_trans (or_iff (sa i) (iff_trans (land_iff _ _ _)
    (and_iff (ab i) (iff_trans (shl_iff _ _ _) (exists_iff fun i' => and_iff iff_refl (sa i')))))) ⟨
    fun
      | .inl ⟨j, ⟨l, m⟩, e, h⟩ => ⟨j, ⟨l, lin1 (on4 i j d k) m rfl⟩, e, h⟩
      | .inr ⟨⟨_, h⟩, i', hi, j, ⟨l, m⟩, e, h'⟩ => ⟨j,
          hi ▸ ⟨lin1 (on3 j i' k) l rfl, lin1 (on4 i' j d k) m rfl⟩, e,
          fun x p q => match le_or_lt x i' with
            | .inl r => h' x p r
            | .inr r => h x q (Eq.subst (motive := fun z => Lt z (Nat.add x d)) (Eq.symm hi)
                (lin2 (on4 i' x k d) r le rfl))⟩,
    fun ⟨j, ⟨l, m⟩, e, h⟩ => match le_or_lt (Nat.add j d) i with
      | .inr r => .inl ⟨j, ⟨l, r⟩, e, h⟩
      | .inl r =>
        let ⟨c, hc⟩ := le_exists (le_trans (lin1 (on3 k d j) le rfl : Nat.le k (Nat.add j d)) r)
        have g : Eq i (Nat.add c k) := Eq.trans hc (add_comm k c)
        have r' : Nat.le (Nat.add j d) (Nat.add c k) := g ▸ r
        have m' : Lt (Nat.add c k) (Nat.add j (Nat.add d k)) := g ▸ m
        .inr ⟨⟨lin1 (on3 j d i) r rfl,
            fun x p q => h x (lin2 (on4 j d i x) r q rfl) p⟩, c, g, j,
          ⟨lin2 (on4 j d c k) r' le rfl, lin1 (on4 c k j d) m' rfl⟩, e,
          fun x p q => h x p (Eq.subst (motive := Nat.le x) (Eq.symm g) (lin1 (on3 x c k) q rfl))⟩⟩)
theorem allBehind_step {f d b k : Nat} (pos : Lt 0 d) (le : Nat.le k d) (ab : AllBehind f d b) :
    AllBehind f (Nat.add d k) (Nat.land b (Nat.shiftLeft b k)) :=
  fun i => iff_trans (land_iff _ _ _)
      (iff_trans (and_iff (ab i) (iff_trans (shl_iff _ _ _) (exists_iff fun i' => and_iff iff_refl (ab i')))) ⟨
    fun ⟨⟨_, h⟩, i', hi, n, h'⟩ => ⟨hi ▸ (lin1 (on3 d i' k) n rfl),
      fun x p q => match le_or_lt x i' with
        | .inl r => h' x r (have q' : Lt (Nat.add i' k) (Nat.add x (Nat.add d k)) := hi ▸ q
            (lin1 (on4 i' k x d) q' rfl))
        | .inr r => h x p (Eq.subst (motive := fun z => Lt z (Nat.add x d)) (Eq.symm hi)
            (lin2 (on4 i' x k d) r le rfl))⟩,
    fun ⟨n, h⟩ =>
      match le_or_lt k i with
      | .inr r => impossible3 (on3 d k i) n r pos rfl
      | .inl r =>
        let ⟨c, hc⟩ := le_exists r
        have g : Eq i (Nat.add c k) := Eq.trans hc (add_comm k c)
        have n' : Nat.le (Nat.add d k) (.succ (Nat.add c k)) := g ▸ n
        ⟨⟨lin1 (on3 d k i) n rfl, fun x p q => h x p (lin1 (on4 i x d k) q rfl)⟩, c, g,
         lin1 (on3 d k c) n' rfl,
         fun x p q => h x (Eq.subst (motive := Nat.le x) (Eq.symm g) (lin1 (on3 x c k) p rfl))
          (Eq.subst (motive := fun z => Lt z (Nat.add x (Nat.add d k))) (Eq.symm g) (lin1 (on4 c x d k) q rfl))⟩⟩)
theorem sinceLoop_ok (f g width : Nat) : (fuel done a b : Nat) → SinceWithin f g done a → AllBehind f done b →
    Lt 0 done →
    Nat.le done width → Nat.le width (Nat.add done fuel) → SinceWithin f g width (sinceLoop width fuel done a b)
  | .zero, _, _, _, s, _, _, l, m => le_antisymm l m ▸ s
  | .succ fuel, done, _, _, s, s', p, l, m => cond_elim (P := SinceWithin f g width) (Nat.ble width done)
      (fun h => le_antisymm l ((ble_iff _ _).mp h) ▸ s)
      (fun h =>
        have k := stride_step p (lt_of_not_ble h)
        sinceLoop_ok f g width fuel _ _ _ (since_step k.doubles s s') (allBehind_step p k.doubles s')
            (le_trans p (le_add _ _)) k.fits
          (lin2 (on4 width done fuel (stride width done)) m k.moves rfl))
end Tracepact
