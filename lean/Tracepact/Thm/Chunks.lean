import Tracepact.Impl.Chunks
import Tracepact.Thm.Buffer
import Tracepact.Thm.Windows.Place
/-! Chunks change no verdict. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- What is dropped and what is kept are all there is. -/
theorem dropped_kept (a w : Nat) : Eq (Nat.add (Nat.sub a w) (smaller a w)) a :=
  match le_or_lt a w with
  | .inl l => Eq.trans (congr2 Nat.add (sub_eq_zero l) (congrArg (fun b => cond b a w) (ble_of_le a w l))) (zero_add a)
  | .inr l => Eq.trans (congrArg (fun b => Nat.add (Nat.sub a w) (cond b a w)) (eq_false fun h =>
      not_succ_le_self w (le_trans l (le_of_ble a w h)))) (sub_add_cancel (le_of_succ_le l))

section
variable {t : Trace} {f : Formula} {n s m : Nat} {b : Buffer}
theorem extendedBy_atom (h : Holding t f n s b) (k j : Nat) :
    Eq ((b.extendedBy m (fun k j => t.atom k (Nat.add n j))).atom k j) (t.atom k (Nat.add s j)) :=
  cond_elim (P := fun x => Eq x (t.atom k (Nat.add s j))) (Nat.ble (.succ j) b.held)
    (fun l => h.kept k j (le_of_ble _ _ l))
    (fun l =>
      have late : Nat.le b.held j :=
        (le_or_lt b.held j).elim id fun early => absurd (ble_of_le (.succ j) b.held early) l
      congrArg (t.atom k) (Eq.trans (congrArg (fun x => Nat.add x (Nat.sub j b.held)) (Eq.symm h.ends))
        (Eq.trans (add_assoc _ _ _) (congrArg (Nat.add s) (Eq.trans (add_comm _ _) (sub_add_cancel late))))))
theorem nextBy_holding (h : Holding t f n s b) :
    Holding t f (Nat.add n m) (Nat.add s (Nat.sub (Nat.add b.held m) (width f)))
      (b.nextBy f m (fun k j => t.atom k (Nat.add n j))) :=
  have kept := dropped_kept (Nat.add b.held m) (width f)
  ⟨congrArg (fun x => Nat.add x m) h.seen,
   Eq.trans (add_assoc _ _ _) (Eq.trans (congrArg (Nat.add s) kept)
     (Eq.trans (Eq.symm (add_assoc s b.held m)) (congrArg (fun x => Nat.add x m) h.ends))),
   smaller_le_right _ _,
   match le_or_lt (Nat.add b.held m) (width f), h.full with
   | .inl l, .inl z => .inl (Eq.trans (congr2 Nat.add z (sub_eq_zero l)) rfl)
   | .inl _, .inr e => .inr (le_antisymm (smaller_le_right _ _)
       (cond_elim (P := fun x => Nat.le (width f) x) (Nat.ble (Nat.add b.held m) (width f))
         (fun _ => le_trans (le_of_eq (Eq.symm e)) (le_add _ _)) fun _ => .refl))
   | .inr l, _ => .inr (congrArg (fun x => cond x (Nat.add b.held m) (width f)) (eq_false fun k =>
       not_succ_le_self _ (le_trans l (le_of_ble _ _ k)))),
   fun k _ _ => Eq.trans (extendedBy_atom (m := m) h k _) (congrArg (t.atom k) (Eq.symm (add_assoc _ _ _)))⟩
/-- Frames whose lookahead was not complete are held. -/
theorem due_held (h : Holding t f n s b) {i : Nat} (new : Nat.le n (Nat.add i (lookahead f))) :
    And (Nat.le s i) (Or (Eq s 0) (Nat.le (Nat.add s (lookback f)) i)) :=
  match h.full with
  | .inl z => ⟨Eq.symm z ▸ zero_le i, .inl z⟩
  | .inr e =>
    have total : Eq (Nat.add s (Nat.add (lookback f) (lookahead f))) n :=
      Eq.subst (motive := fun x => Eq (Nat.add s x) n) e h.ends
    have new : Nat.le (Nat.add s (Nat.add (lookback f) (lookahead f))) (Nat.add i (lookahead f)) :=
      Eq.symm total ▸ new
    ⟨lin1 (on4 s (lookback f) (lookahead f) i) new rfl, .inr (lin1 (on4 s (lookback f) (lookahead f) i) new rfl)⟩
theorem chunk_verdict (h : Holding t f n s b) (fits : Nat.le (Nat.add n m) t.frames) (i : Nat)
    (new : Nat.le n (Nat.add i (lookahead f))) (due : Lt (Nat.add i (lookahead f)) (Nat.add n m)) :
    Eq (eval (b.extendedBy m (fun k j => t.atom k (Nat.add n j))) f (Nat.sub i s)) (eval t f i) :=
  let ⟨begun, back⟩ := due_held h new
  have split : Eq (Nat.add s (Nat.sub i s)) i := Eq.trans (add_comm _ _) (sub_add_cancel begun)
  have total : Eq (Nat.add s (Nat.add b.held m)) (Nat.add n m) :=
    Eq.trans (Eq.symm (add_assoc s b.held m)) (congrArg (fun x => Nat.add x m) h.ends)
  have due : Lt (Nat.add (Nat.add s (Nat.sub i s)) (lookahead f)) (Nat.add s (Nat.add b.held m)) :=
    Eq.symm split ▸ Eq.symm total ▸ due
  have ahead : Lt (Nat.add (Nat.sub i s) (lookahead f)) (Nat.add b.held m) :=
    lin1 (on5 s (Nat.sub i s) (lookahead f) b.held m) due rfl
  Eq.trans (window_verdict t s (b.extendedBy m (fun k j => t.atom k (Nat.add n j))) f (Nat.sub i s)
      ⟨Eq.symm total ▸ fits, fun k j _ => extendedBy_atom h k j⟩
      (show Lt (Nat.sub i s) (Nat.add b.held m) from
        lin1 (on4 (Nat.sub i s) (lookahead f) b.held m) ahead rfl)
      (back.elim .inl fun l =>
        have l : Nat.le (Nat.add s (lookback f)) (Nat.add s (Nat.sub i s)) := Eq.symm split ▸ l
        .inr (lin1 (on3 s (lookback f) (Nat.sub i s)) l rfl))
      (.inl ahead))
    (congrArg (eval t f) split)
theorem outputBy_eq (h : Holding t f n s b) (fits : Nat.le (Nat.add n m) t.frames) (start : Nat)
    (new : Nat.le n (Nat.add start (lookahead f))) : (c : Nat) →
    Nat.le (Nat.add start c) (Nat.sub (Nat.add n m) (lookahead f)) →
    Eq (b.outputBy f m (fun k j => t.atom k (Nat.add n j)) (offline t f start) start c) (offline t f (Nat.add start c))
  | .zero, _ => rfl
  | .succ c, l =>
    have room : Nat.le (lookahead f) (Nat.add n m) := (le_or_lt (lookahead f) (Nat.add n m)).elim id fun less =>
      not_one_le_zero (le_trans (succ_le_succ (zero_le (Nat.add start c)))
        (Eq.subst (motive := fun x => Nat.le (.succ (Nat.add start c)) x) (sub_eq_zero (le_of_succ_le less)) l))
    congr2 List.cons
      (congrArg (Prod.mk (Nat.add start c)) (Eq.trans
        (congrArg (fun x => eval (b.extendedBy m (fun k j => t.atom k (Nat.add n j))) f (Nat.sub (Nat.add start c) x))
          (first_held h))
        (chunk_verdict h fits (Nat.add start c) (lin1 (on4 n start (lookahead f) c) new rfl)
          (lin2 (on5 start c (lookahead f) (Nat.add n m) (Nat.sub (Nat.add n m) (lookahead f)))
            (show Nat.le (.succ (Nat.add start c)) (Nat.sub (Nat.add n m) (lookahead f)) from l)
            (sub_add_le room) rfl))))
      (outputBy_eq h fits start new c (le_of_succ_le l))
end

theorem chunkBuffer_holds (t : Trace) (f : Formula) : (chunks : List Nat) →
    Exists fun s => Holding t f (framesOf chunks) s (chunkBuffer t f chunks)
  | .nil => ⟨0, rfl, rfl, zero_le _, .inl rfl, fun _ _ l => nomatch l⟩
  | .cons _ rest => let ⟨_, h⟩ := chunkBuffer_holds t f rest; ⟨_, nextBy_holding h⟩
theorem sub_le_sub {a b : Nat} (k : Nat) (l : Nat.le a b) : Nat.le (Nat.sub a k) (Nat.sub b k) :=
  match le_or_lt a k with
  | .inl small => Eq.symm (sub_eq_zero small) ▸ zero_le _
  | .inr large => lin3 (on5 a b k (Nat.sub a k) (Nat.sub b k)) (sub_add_le (le_of_succ_le large)) l (le_sub_add b k) rfl
theorem chunkOutput_eq (t : Trace) (f : Formula) : (chunks : List Nat) → Nat.le (framesOf chunks) t.frames →
    Eq (chunkOutput t f chunks) (offline t f (Nat.sub (framesOf chunks) (lookahead f)))
  | .nil, _ => Eq.symm (congrArg (offline t f) (zero_sub (lookahead f)))
  | .cons m rest, l =>
    let ⟨_, h⟩ := chunkBuffer_holds t f rest
    have total : Eq (Nat.add (Nat.sub (framesOf rest) (lookahead f))
        (Nat.sub (Nat.sub (Nat.add (framesOf rest) m) (lookahead f)) (Nat.sub (framesOf rest) (lookahead f))))
        (Nat.sub (Nat.add (framesOf rest) m) (lookahead f)) :=
      Eq.trans (add_comm _ _) (sub_add_cancel (sub_le_sub _ (le_add _ _)))
    Eq.trans (congrArg (fun out => (chunkBuffer t f rest).outputBy f m _ out _ _)
        (chunkOutput_eq t f rest (le_trans (le_add _ m) l)))
      (Eq.trans (outputBy_eq h l _ (le_sub_add _ _) _ (le_of_eq total)) (congrArg (offline t f) total))

/-- **A chunk lets out what its frames would let out one after another** (rule 12.11): after any chunks the program has
given what it gives after as many single frames. -/
theorem chunk_output (t : Trace) (f : Formula) (chunks : List Nat) (fits : Nat.le (framesOf chunks) t.frames) :
    Eq (chunkOutput t f chunks) (output t f (framesOf chunks)) :=
  Eq.trans (chunkOutput_eq t f chunks fits) (Eq.symm (output_eq t f (framesOf chunks) fits))
/-- **Chunks change no verdict** (rule 12.11): however a trace is cut into chunks, the program that reads each at once
gives for every frame exactly one verdict, in order, and it is the offline verdict. -/
theorem chunks_eq_offline (t : Trace) (f : Formula) (chunks : List Nat) (all : Eq (framesOf chunks) t.frames) :
    Eq (chunked t f chunks) (offline t f t.frames) :=
  let ⟨_, h⟩ := chunkBuffer_holds t f chunks
  have h := Eq.subst (motive := fun n => Holding t f n _ (chunkBuffer t f chunks)) all h
  have total : Eq (Nat.add (Nat.sub t.frames (lookahead f)) (Nat.sub t.frames (Nat.sub t.frames (lookahead f))))
      t.frames :=
    Eq.trans (add_comm _ _) (sub_add_cancel (sub_le _ _))
  Eq.trans (congrArg (fun out => (chunkBuffer t f chunks).rest f out (Nat.sub t.frames (lookahead f)) _)
      (Eq.trans (chunkOutput_eq t f chunks (le_of_eq all))
        (congrArg (fun n => offline t f (Nat.sub n (lookahead f))) all)))
    (Eq.trans (rest_eq h (Nat.sub t.frames (lookahead f)) (le_sub_add _ _) (start_held h) _ (le_of_eq total))
      (congrArg (offline t f) total))
/-- **Bounded memory with chunks**: between two chunks the program never holds more than `lookback + lookahead`
frames. -/
theorem chunk_memory (t : Trace) (f : Formula) (chunks : List Nat) :
    Nat.le (chunkBuffer t f chunks).held (Nat.add (lookback f) (lookahead f)) :=
  let ⟨_, h⟩ := chunkBuffer_holds t f chunks
  h.room
end Tracepact
