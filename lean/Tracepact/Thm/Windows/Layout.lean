import Tracepact.Thm.Windows.Place
/-! Where a clip lies: alone, and in a family laid end to end. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- One clip alone lies apart from all others, whatever the gap. -/
theorem place_alone (n g : Nat) : Place (full n) 0 n g where
  own i l := (full_iff n _).mpr (lin1 (on2 i n) l rfl)
  before _ h := nomatch h
  after j h _ := fun e => have l := (full_iff n j).mp e
    (impossible2 (on2 n j) (show Nat.le (Nat.add .zero n) j from h) l rfl)

theorem zero_add_bit (m : Nat) (i : Nat) : Eq (bit m (Nat.add 0 i)) (bit m i) := congrArg (bit m) (zero_add i)

theorem lay_iff (a : Nat) (d : Nat) (b p : Nat) : Iff (IsTrue (bit (Nat.lor a (Nat.shiftLeft b d)) p))
    (Or (IsTrue (bit a p)) (Exists fun q => And (Eq p (Nat.add q d)) (IsTrue (bit b q)))) :=
  iff_trans (lor_iff _ _ _) (or_iff iff_refl (shl_iff _ _ _))
theorem lay_tail (a : Nat) (d : Nat) (b q : Nat) (h : Not (IsTrue (bit a (Nat.add q d)))) :
    Iff (IsTrue (bit (Nat.lor a (Nat.shiftLeft b d)) (Nat.add q d))) (IsTrue (bit b q)) :=
  iff_trans (lor_iff _ _ _) ⟨fun | .inl e => absurd e h | .inr e => Eq.trans (Eq.symm (bit_shl b d q)) e,
    fun e => .inr (Eq.trans (bit_shl b d q) e)⟩
theorem place_of_start (gap : Nat) (c : Clip) : (segments : List Segment) →
    ((x : Segment) → Mem x segments → Nat.le gap x.padding) →
    (s : Nat) → StartsAt c segments s → Place (familyValid segments) s c.frames gap
  | .nil, _, _, h => h.elim
  | .cons d rest, apart, _, .inl ⟨e, z⟩ =>
    have wide := apart d (.inl rfl)
    have p : Place (familyValid (.cons d rest)) 0 d.clip.frames gap := ⟨
      fun i l => (lay_iff _ _ _ _).mpr (.inl ((full_iff _ _).mpr (lin1 (on2 i d.clip.frames) l rfl))),
      fun _ h => (nomatch h),
      fun j a b k => match (lay_iff _ _ _ _).mp k with
        | .inl k => impossible2 (on2 j d.clip.frames) ((full_iff _ _).mp k) a rfl
        | .inr ⟨q, e, _⟩ =>
          have b : Lt (Nat.add q (Nat.add d.clip.frames d.padding)) (Nat.add (Nat.add 0 d.clip.frames) gap) := e ▸ b
          (impossible2 (on4 q d.clip.frames d.padding gap) b wide rfl)⟩
    Eq.subst (motive := fun z =>
        Place _ z c.frames gap) (Eq.symm z) (Eq.subst (motive := fun x => Place _ 0 (Clip.frames x) gap) (Eq.symm e) p)
  | .cons d rest, apart, _, .inr ⟨s', e, h⟩ =>
    have wide := apart d (.inl rfl)
    have ih := place_of_start gap c rest (fun x m => apart x (.inr m)) s' h
    have p : Place (familyValid (.cons d rest)) (Nat.add s' d.stride) c.frames gap := ⟨
      fun i l => (lay_iff _ _ _ _).mpr (.inr ⟨Nat.add s' i,
        le_antisymm (lin0 (on3 s' d.stride i) rfl) (lin0 (on3 s' i d.stride) rfl), ih.own i l⟩),
      fun j a b k => match (lay_iff _ _ _ _).mp k with
        | .inl k => impossible3 (on5 j d.clip.frames s' d.padding gap) ((full_iff _ _).mp k)
            (show Nat.le (Nat.add s' (Nat.add d.clip.frames d.padding)) (Nat.add j gap) from b) wide rfl
        | .inr ⟨q, e, k⟩ =>
          have a : Lt (Nat.add q d.stride) (Nat.add s' d.stride) := e ▸ a
          have b : Nat.le (Nat.add s' d.stride) (Nat.add (Nat.add q d.stride) gap) := e ▸ b
          ih.before q (lin1 (on3 q d.stride s') a rfl)
            (lin1 (on4 s' d.stride q gap) b rfl) k,
      fun j a b k => match (lay_iff _ _ _ _).mp k with
        | .inl k => impossible2 (on5 j d.clip.frames s' d.padding c.frames) ((full_iff _ _).mp k)
            (show Nat.le (Nat.add (Nat.add s' (Nat.add d.clip.frames d.padding)) c.frames) j from a) rfl
        | .inr ⟨q, e, k⟩ =>
          have a : Nat.le (Nat.add (Nat.add s' d.stride) c.frames) (Nat.add q d.stride) := e ▸ a
          have b : Lt (Nat.add q d.stride) (Nat.add (Nat.add (Nat.add s' d.stride) c.frames) gap) := e ▸ b
          ih.after q (lin1 (on4 s' d.stride c.frames q) a rfl)
            (lin1 (on5 q d.stride s' c.frames gap) b rfl) k⟩
    Eq.subst (motive := fun z => Place _ z c.frames gap) (Eq.symm e) p
theorem mask_of_start (k : Nat) (c : Clip) (j : Nat) (l : Lt j c.frames) : (segments : List Segment) → (s : Nat) →
    StartsAt c segments s →
    Iff (IsTrue (bit (familyMask k segments) (Nat.add s j))) (IsTrue (bit (c.mask k) j))
  | .nil, _, h => h.elim
  | .cons d rest, _, .inl ⟨e, z⟩ =>
    have l' : Lt j d.clip.frames := e ▸ l
    have p : Iff (IsTrue (bit (familyMask k (.cons d rest)) j)) (IsTrue (bit (d.clip.mask k) j)) :=
      iff_trans (lay_iff _ _ _ _) ⟨
        fun
          | .inl h => ((land_iff _ _ _).mp h).left
          | .inr ⟨q, e, _⟩ =>
            have l' : Lt (Nat.add q (Nat.add d.clip.frames d.padding)) d.clip.frames := e ▸ l'
            (impossible1 (on3 q d.clip.frames d.padding) l' rfl),
        fun h => .inl ((land_iff _ _ _).mpr ⟨h, (full_iff _ _).mpr l'⟩)⟩
    Eq.subst (motive := fun z => Iff (IsTrue (bit _ (Nat.add z j))) _) (Eq.symm z)
      (iff_trans (iff_of_eq (zero_add_bit _ j)) (Eq.subst (motive := fun x =>
          Iff _ (IsTrue (bit (Clip.mask x k) j))) (Eq.symm e) p))
  | .cons d rest, s, .inr ⟨s', e, h⟩ =>
    have q : Eq (Nat.add s j) (Nat.add (Nat.add s' j) d.stride) := Eq.trans (congrArg (fun z => Nat.add z j) e)
      (le_antisymm (lin0 (on3 s' d.stride j) rfl) (lin0 (on3 s' j d.stride) rfl))
    iff_trans (iff_of_eq (congrArg (bit (familyMask k (.cons d rest))) q)) (iff_trans
      (lay_tail _ _ _ _ fun h =>
        have h : Lt (Nat.add (Nat.add s' j) (Nat.add d.clip.frames d.padding)) d.clip.frames :=
            (full_iff _ _).mp ((land_iff _ _ _).mp h).right
        (impossible1 (on4 s' j d.clip.frames d.padding) h rfl))
      (mask_of_start k c j l rest s' h))
theorem start_mem (c : Clip) : (segments : List Segment) → (s : Nat) → StartsAt c segments s → Exists fun x : Segment =>
    And (Mem x segments) (Eq c x.clip)
  | .nil, _, h => h.elim
  | .cons x _, _, .inl ⟨e, _⟩ => ⟨x, .inl rfl, e⟩
  | .cons _ rest, _, .inr ⟨s', _, h⟩ => let ⟨x, m, e⟩ := start_mem c rest s' h; ⟨x, .inr m, e⟩
end Tracepact
