import Tracepact.Impl.MaskBuffer
import Tracepact.Thm.Boundary
import Tracepact.Thm.Chunks
/-! The streaming program on masks gives the offline verdicts, each when its lookahead is complete. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-! ### Masks behind masks -/
theorem followed_early (held a x j : Nat) (l : Lt j held) : Eq (bit (followed held a x) j) (bit a j) :=
  eq_of_iff ⟨
    fun e => (match (lor_iff _ _ _).mp e with
      | .inl h => ((land_iff _ _ _).mp h).left
      | .inr h => nomatch Eq.trans (Eq.symm h) (bit_shl_low x held j l)),
    fun e => (lor_iff _ _ _).mpr (.inl ((land_iff _ _ _).mpr ⟨e, (full_iff held j).mpr l⟩))⟩
theorem followed_late (held a x j : Nat) (l : Nat.le held j) :
    Eq (bit (followed held a x) j) (bit x (Nat.sub j held)) :=
  have shifted : Eq (bit (Nat.shiftLeft x held) j) (bit x (Nat.sub j held)) :=
    Eq.trans (congrArg (bit _) (Eq.symm (sub_add_cancel l))) (bit_shl x held (Nat.sub j held))
  eq_of_iff ⟨
    fun e => (match (lor_iff _ _ _).mp e with
      | .inl h => (not_succ_le_self j (le_trans ((full_iff held j).mp ((land_iff _ _ _).mp h).right) l)).elim
      | .inr h => Eq.trans (Eq.symm shifted) h),
    fun e => (lor_iff _ _ _).mpr (.inr (Eq.trans shifted e))⟩
theorem followed_zero (held : Nat) : Eq (followed held 0 0) 0 := eq_of_bits fun i => eq_of_iff ⟨
  fun e => (match (lor_iff _ _ _).mp e with
    | .inl h => bit_zero i ((land_iff _ _ _).mp h).left
    | .inr h => let ⟨j, _, b⟩ := (shl_iff _ _ _).mp h; bit_zero j b : False).elim,
  fun e => (bit_zero i e).elim⟩
theorem shr_zero (d : Nat) : Eq (Nat.shiftRight 0 d) 0 := eq_of_bits fun i => eq_of_iff ⟨
  fun e => (bit_zero _ (Eq.trans (Eq.symm (bit_shr 0 d i)) e)).elim, fun e => (bit_zero i e).elim⟩
theorem numbered_mapped (g : Nat → Nat) (zero : Eq (g 0) 0) : (l : List Nat) → (k : Nat) →
    Eq (numbered (mapped g l) k) (g (numbered l k))
  | .nil, _ => Eq.symm zero
  | .cons _ _, .zero => rfl
  | .cons _ rest, .succ k => numbered_mapped g zero rest k
theorem numbered_restOf : (l : List Nat) → (k : Nat) → Eq (numbered (restOf l) k) (numbered l (.succ k))
  | .nil, _ => rfl
  | .cons _ _, _ => rfl
theorem numbered_followed (held : Nat) : (l m : List Nat) → (k : Nat) →
    Eq (numbered (allFollowed held l m) k) (followed held (numbered l k) (numbered m k))
  | .nil, m, k => numbered_mapped (followed held 0) (followed_zero held) m k
  | .cons _ _, _, .zero => rfl
  | .cons _ rest, m, .succ k => Eq.trans (numbered_followed held rest (restOf m) k)
      (congrArg (followed held (numbered rest k)) (numbered_restOf m k))

/-! ### What is held -/
/-- The same frames, held as `Buffer` holds them. -/
def MaskBuffer.plain (b : MaskBuffer) : Buffer := ⟨b.seen, b.held, fun k j => bit (numbered b.masks k) j⟩
/-- The chunk has the frames of the trace from `n` on. -/
def Arrives (t : Trace) (n : Nat) (c : Chunk) : Prop :=
  (k j : Nat) → Lt j c.frames → Eq (bit (numbered c.masks k) j) (t.atom k (Nat.add n j))

section
variable {t : Trace} {f : Formula} {n s : Nat} {b : MaskBuffer} {c : Chunk}
theorem extended_bits (h : Holding t f n s b.plain) (arrives : Arrives t n c) (k j : Nat)
    (l : Lt j (Nat.add b.held c.frames)) :
    Eq (bit (numbered (b.extendedBy c) k) j) (t.atom k (Nat.add s j)) :=
  Eq.trans (congrArg (fun x => bit x j) (numbered_followed b.held b.masks c.masks k)) (match le_or_lt b.held j with
    | .inl late =>
      have exact : Eq (Nat.add (Nat.sub j b.held) b.held) j := sub_add_cancel late
      have small : Lt (Nat.sub j b.held) c.frames :=
        lin2 (on4 j b.held c.frames (Nat.sub j b.held)) l (le_of_eq exact) rfl
      Eq.trans (followed_late _ _ _ _ late) (Eq.trans (arrives k _ small) (congrArg (t.atom k)
        (Eq.trans (congrArg (fun x => Nat.add x (Nat.sub j b.held)) (Eq.symm h.ends))
          (Eq.trans (add_assoc _ _ _) (congrArg (Nat.add s) (Eq.trans (add_comm _ _) exact))))))
    | .inr early => Eq.trans (followed_early _ _ _ _ early) (h.kept k j early))
theorem next_holds (h : Holding t f n s b.plain) (arrives : Arrives t n c) :
    Holding t f (Nat.add n c.frames) (Nat.add s (Nat.sub (Nat.add b.held c.frames) (width f))) (b.nextBy f c).plain :=
  have plain := nextBy_holding (m := c.frames) h
  let total := Nat.add b.held c.frames
  let gone := Nat.sub total (width f)
  ⟨plain.seen, plain.ends, plain.room, plain.full, fun k j (l : Lt j (smaller total (width f))) =>
    have inside : Lt (Nat.add j gone) total :=
      lin2 (on4 j gone (smaller total (width f)) total) l (le_of_eq (dropped_kept total (width f))) rfl
    have place : Eq (Nat.add s (Nat.add j gone)) (Nat.add (Nat.add s gone) j) :=
      le_antisymm (lin0 (on3 s j gone) rfl) (lin0 (on3 s j gone) rfl)
    Eq.trans (congrArg (fun x => bit x j) (numbered_mapped (fun x => Nat.shiftRight x gone) (shr_zero gone) _ k))
      (Eq.trans (bit_shr _ gone j) (Eq.trans (extended_bits h arrives k _ inside) (congrArg (t.atom k) place)))⟩

/-! ### Verdicts -/
theorem held_verdict (h : Holding t f n s b.plain) (arrives : Arrives t n c)
    (fits : Nat.le (Nat.add n c.frames) t.frames) (i : Nat) (new : Nat.le n (Nat.add i (lookahead f)))
    (due : Lt (Nat.add i (lookahead f)) (Nat.add n c.frames)) :
    Eq (bit (b.verdicts f c) (Nat.sub i s)) (eval t f i) :=
  let total := Nat.add b.held c.frames
  have begun : Nat.le s i := (due_held h new).left
  have whole : Eq (Nat.add s total) (Nat.add n c.frames) :=
    Eq.trans (Eq.symm (add_assoc s b.held c.frames)) (congrArg (fun x => Nat.add x c.frames) h.ends)
  have inside : Lt (Nat.sub i s) total :=
    lin3 (on6 (Nat.sub i s) s i (lookahead f) total (Nat.add n c.frames)) (le_of_eq (sub_add_cancel begun)) due
      (le_of_eq (Eq.symm whole)) rfl
  Eq.trans (bitset_verdicts total _ f _) (Eq.trans (congrArg (fun x => band x _) (ble_of_le _ _ inside))
    (Eq.trans (extensionality ⟨total, fun k j => bit (numbered (b.extendedBy c) k) j⟩
        (b.plain.extendedBy c.frames (fun k j => t.atom k (Nat.add n j))) f rfl
        (fun k _ j l => Eq.trans (extended_bits h arrives k j l) (Eq.symm (extendedBy_atom h k j))) _ inside)
      (chunk_verdict h fits i new due)))
theorem held_rest (h : Holding t f n s b.plain) (last : Eq n t.frames) (i : Nat) (inside : Lt i n)
    (late : Nat.le n (Nat.add i (lookahead f))) :
    Eq (bit (evalMask (full b.held) b.held (numbered b.masks) f) (Nat.sub i s)) (eval t f i) :=
  have begun : Nat.le s i := (due_held h late).left
  have ends : Eq (Nat.add s b.held) n := h.ends
  have here : Lt (Nat.sub i s) b.held :=
    lin3 (on5 (Nat.sub i s) s i b.held n) (le_of_eq (sub_add_cancel begun)) inside (le_of_eq (Eq.symm ends)) rfl
  Eq.trans (bitset_verdicts b.held _ f _) (Eq.trans (congrArg (fun x => band x _) (ble_of_le _ _ here))
    (rest_verdict h last i inside late begun))
theorem emitted_eq {verdict first start stop : Nat} (right : (i : Nat) → Nat.le start i → Lt i stop →
    Eq (bit verdict (Nat.sub i first)) (eval t f i)) : (k : Nat) → Nat.le (Nat.add start k) stop →
    Eq (emitted verdict first (offline t f start) start k) (offline t f (Nat.add start k))
  | .zero, _ => rfl
  | .succ k, l => congr2 List.cons (congrArg (Prod.mk (Nat.add start k)) (right _ (le_add _ _) l))
      (emitted_eq right k (le_of_succ_le l))
theorem lt_of_lt_sub {i a k : Nat} (l : Lt i (Nat.sub a k)) : Lt (Nat.add i k) a :=
  (le_or_lt k a).elim (fun room => lin2 (on4 i k a (Nat.sub a k)) l (sub_add_le room) rfl) fun less =>
    not_one_le_zero (le_trans (succ_le_succ (zero_le i))
      (Eq.subst (motive := fun x => Lt i x) (sub_eq_zero (le_of_succ_le less)) l))
theorem chunk_out (h : Holding t f b.seen s b.plain) (arrives : Arrives t b.seen c)
    (fits : Nat.le (Nat.add b.seen c.frames) t.frames) :
    Eq (b.outputBy f c (offline t f (Nat.sub b.seen (lookahead f))))
      (offline t f (Nat.sub (Nat.add b.seen c.frames) (lookahead f))) :=
  have total := Eq.trans (add_comm _ _) (sub_add_cancel (sub_le_sub (lookahead f) (le_add b.seen c.frames)))
  have right (i : Nat) (l : Nat.le (Nat.sub b.seen (lookahead f)) i)
      (u : Lt i (Nat.sub (Nat.add b.seen c.frames) (lookahead f))) :
      Eq (bit (b.verdicts f c) (Nat.sub i (Nat.sub b.seen b.held))) (eval t f i) :=
    Eq.trans (congrArg (fun x => bit (b.verdicts f c) (Nat.sub i x)) (first_held h))
      (held_verdict h arrives fits i (le_trans (le_sub_add _ _) (add_le_add l .refl)) (lt_of_lt_sub u))
  Eq.trans (emitted_eq right _ (le_of_eq total)) (congrArg (offline t f) total)
end

theorem maskBuffer_holds (t : Trace) (f : Formula) : (chunks : List Chunk) → ChunksOf t chunks →
    Exists fun s => Holding t f (chunkFrames chunks) s (maskBuffer f chunks).plain
  | .nil, _ => ⟨0, rfl, rfl, zero_le _, .inl rfl, fun _ _ l => nomatch l⟩
  | .cons _ rest, r => let ⟨_, h⟩ := maskBuffer_holds t f rest r.left; ⟨_, next_holds h r.right⟩
theorem maskOutput_eq (t : Trace) (f : Formula) : (chunks : List Chunk) → ChunksOf t chunks →
    Nat.le (chunkFrames chunks) t.frames →
    Eq (maskOutput f chunks) (offline t f (Nat.sub (chunkFrames chunks) (lookahead f)))
  | .nil, _, _ => Eq.symm (congrArg (offline t f) (zero_sub (lookahead f)))
  | .cons c rest, r, l =>
    let b := maskBuffer f rest
    let ⟨s, h⟩ := maskBuffer_holds t f rest r.left
    have seen : Eq (chunkFrames rest) b.seen := Eq.symm h.seen
    have h : Holding t f b.seen s b.plain := Eq.subst (motive := fun n => Holding t f n s b.plain) seen h
    have arrives : Arrives t b.seen c := Eq.subst (motive := fun n => Arrives t n c) seen r.right
    have fits : Nat.le (Nat.add b.seen c.frames) t.frames :=
      Eq.subst (motive := fun n => Nat.le (Nat.add n c.frames) t.frames) seen l
    Eq.trans (congrArg (b.outputBy f c) (Eq.trans (maskOutput_eq t f rest r.left (le_trans (le_add _ _) l))
        (congrArg (fun n => offline t f (Nat.sub n (lookahead f))) seen)))
      (Eq.trans (chunk_out h arrives fits)
        (congrArg (fun n => offline t f (Nat.sub (Nat.add n c.frames) (lookahead f))) (Eq.symm seen)))

/-- **A chunk lets out, on masks too, what its frames would let out one after another**: after any chunks of a trace the
program has given what the one with a buffer gives after as many single frames. -/
theorem mask_output (t : Trace) (f : Formula) (chunks : List Chunk) (arrive : ChunksOf t chunks)
    (fits : Nat.le (chunkFrames chunks) t.frames) :
    Eq (maskOutput f chunks) (output t f (chunkFrames chunks)) :=
  Eq.trans (maskOutput_eq t f chunks arrive fits) (Eq.symm (output_eq t f (chunkFrames chunks) fits))
/-- **The streaming program on masks.** However a trace is cut into chunks, the program gives for every frame exactly
one verdict, in order, and it is the offline verdict. -/
theorem mask_program (t : Trace) (f : Formula) (chunks : List Chunk) (arrive : ChunksOf t chunks)
    (all : Eq (chunkFrames chunks) t.frames) : Eq (maskProgram f chunks) (offline t f t.frames) :=
  let b := maskBuffer f chunks
  let ⟨s, h⟩ := maskBuffer_holds t f chunks arrive
  have h : Holding t f b.seen s b.plain := Eq.subst (motive := fun n => Holding t f n s b.plain) (Eq.symm h.seen) h
  have seen : Eq b.seen t.frames :=
    let ⟨_, g⟩ := maskBuffer_holds t f chunks arrive
    Eq.trans g.seen all
  have total : Eq (Nat.add (Nat.sub b.seen (lookahead f)) (Nat.sub b.seen (Nat.sub b.seen (lookahead f)))) b.seen :=
    Eq.trans (add_comm _ _) (sub_add_cancel (sub_le _ _))
  have right (i : Nat) (l : Nat.le (Nat.sub b.seen (lookahead f)) i) (u : Lt i b.seen) :
      Eq (bit (evalMask (full b.held) b.held (numbered b.masks) f) (Nat.sub i (Nat.sub b.seen b.held)))
        (eval t f i) :=
    Eq.trans (congrArg (fun x => bit _ (Nat.sub i x)) (first_held h))
      (held_rest h seen i u (le_trans (le_sub_add _ _) (add_le_add l .refl)))
  have given : Eq (maskOutput f chunks) (offline t f (Nat.sub b.seen (lookahead f))) :=
    Eq.trans (maskOutput_eq t f chunks arrive (le_of_eq all))
      (congrArg (fun n => offline t f (Nat.sub n (lookahead f))) (Eq.trans all (Eq.symm seen)))
  Eq.trans (congrArg (b.rest f) given)
    (Eq.trans (emitted_eq right _ (le_of_eq total)) (congrArg (offline t f) (Eq.trans total seen)))
/-- **Bounded memory on masks**: between two chunks the program never holds more than `lookback + lookahead` frames. -/
theorem mask_memory (f : Formula) : (chunks : List Chunk) →
    Nat.le (maskBuffer f chunks).held (Nat.add (lookback f) (lookahead f))
  | .nil => zero_le _
  | .cons _ _ => smaller_le_right _ _
end Tracepact
