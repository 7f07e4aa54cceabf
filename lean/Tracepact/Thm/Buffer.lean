import Tracepact.Impl.Buffer
import Tracepact.Thm.Delay
/-! The streaming program gives the offline verdicts. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- A window of a trace: `w` has its frames from `s` on. -/
structure WindowOf (t : Trace) (s : Nat) (w : Trace) : Prop where
  fits : Nat.le (Nat.add s w.frames) t.frames
  atom : (k j : Nat) → Lt j w.frames → Eq (w.atom k j) (t.atom k (Nat.add s j))
/-- A verdict in a window is that of the trace, if the window has all of its lookback or begins with the trace, and has
all of its lookahead or ends with the trace. -/
theorem window_verdict (t : Trace) (s : Nat) (w : Trace) (f : Formula) (p : Nat) (window : WindowOf t s w)
    (inside : Lt p w.frames)
    (back : Or (Eq s 0) (Nat.le (lookback f) p))
    (ahead : Or (Lt (Nat.add p (lookahead f)) w.frames) (Eq (Nat.add s w.frames) t.frames)) :
    Eq (eval w f p) (eval t f (Nat.add s p)) :=
  have ends (j : Nat) (u : Nat.le j (Nat.add p (lookahead f))) : Iff (Lt j w.frames) (Lt (Nat.add s j) t.frames) := ⟨
    fun l => le_trans (lin1 (on3 j w.frames s) l rfl : Lt (Nat.add s j) (Nat.add s w.frames)) window.fits,
    fun l => match ahead with
      | .inl h => le_trans (succ_le_succ u) h
      | .inr e =>
        have l : Lt (Nat.add s j) (Nat.add s w.frames) := Eq.symm e ▸ l
        lin1 (on3 j w.frames s) l rfl⟩
  match back with
  | .inr deep => locality_shifted t w s f p inside deep fun j scope =>
      ⟨ends j scope.upper, fun k _ l => window.atom k j l⟩
  | .inl z =>
    have same (k j : Nat) (l : Lt j w.frames) : Eq (w.atom k j) (t.atom k j) :=
      Eq.trans (window.atom k j l) (congrArg (t.atom k) (Eq.trans (congrArg (fun x => Nat.add x j) z) (zero_add j)))
    Eq.trans (locality w t f p inside fun j scope =>
        ⟨Eq.subst (motive := fun x => Iff (Lt j w.frames) (Lt x t.frames))
          (Eq.trans (congrArg (fun x => Nat.add x j) z) (zero_add j)) (ends j scope.upper), fun k _ l => same k j l⟩)
      (congrArg (eval t f) (Eq.symm (Eq.trans (congrArg (fun x => Nat.add x p) z) (zero_add p))))

/-- What the program holds after `m` frames: the frames from `s` on, which are all or as many as it may hold. -/
structure Holding (t : Trace) (f : Formula) (m s : Nat) (b : Buffer) : Prop where
  seen : Eq b.seen m
  ends : Eq (Nat.add s b.held) m
  room : Nat.le b.held (width f)
  full : Or (Eq s 0) (Eq b.held (width f))
  kept : (k j : Nat) → Lt j b.held → Eq (b.kept k j) (t.atom k (Nat.add s j))

section
variable {t : Trace} {f : Formula} {m s : Nat} {b : Buffer}
theorem extended_atom (h : Holding t f m s b) (k j : Nat) (l : Lt j (.succ b.held)) :
    Eq ((b.extended (fun k => t.atom k m)).atom k j) (t.atom k (Nat.add s j)) :=
  cond_elim (P := fun x => Eq x (t.atom k (Nat.add s j))) (Nat.beq j b.held)
    (fun e => congrArg (t.atom k) (Eq.symm (Eq.trans (congrArg (Nat.add s) ((beq_iff _ _).mp e)) h.ends)))
    (fun e => match lt_succ_cases l with
      | .inl q => absurd ((beq_iff _ _).mpr q) e
      | .inr l => h.kept k j l)
theorem next_holding (h : Holding t f m s b) :
    Exists fun s' => Holding t f (.succ m) s' (b.next f (fun k => t.atom k m)) :=
  cond_elim (P := fun b' => Exists fun s' => Holding t f (.succ m) s' b') (Nat.ble (.succ b.held) (width f))
    (fun room => ⟨s, congrArg Nat.succ h.seen, congrArg Nat.succ h.ends, le_of_ble _ _ room,
      match h.full with
      | .inl z => .inl z
      | .inr e => (not_succ_le_self _ (Eq.subst (motive := fun x => Lt x (width f)) e (le_of_ble _ _ room))).elim,
      extended_atom h⟩)
    (fun tight =>
      have least : Nat.le (width f) b.held := le_of_succ_le_succ
        ((le_or_lt (.succ b.held) (width f)).elim (fun l => absurd (ble_of_le _ _ l) tight) id)
      ⟨.succ s, congrArg Nat.succ h.seen, Eq.trans (succ_add s b.held) (congrArg Nat.succ h.ends), h.room,
        .inr (le_antisymm h.room least), fun k j l =>
        Eq.trans (extended_atom h k (.succ j) (succ_le_succ l)) (congrArg (t.atom k) (Eq.symm (succ_add s j)))⟩)
/-- The lookahead is held, once it has been seen. -/
theorem ahead_held (h : Holding t f m s b) (l : Nat.le (lookahead f) m) : Nat.le (lookahead f) b.held :=
  match h.full with
  | .inl z =>
    have e : Eq b.held m :=
        Eq.trans (Eq.symm (Eq.trans (congrArg (fun x => Nat.add x b.held) z) (zero_add b.held))) h.ends
    Eq.symm e ▸ l
  | .inr e => Eq.symm e ▸ (lin0 (on2 (lookback f) (lookahead f)) rfl :
      Nat.le (lookahead f) (Nat.add (lookback f) (lookahead f)))
/-- Frames of the window that are not older than the lookahead before its end have their lookback in it. -/
theorem back_held (h : Holding t f m s b) (p : Nat) (l : Nat.le b.held (Nat.add p (lookahead f))) :
    Or (Eq s 0) (Nat.le (lookback f) p) :=
  match h.full with
  | .inl z => .inl z
  | .inr e =>
    have l : Nat.le (Nat.add (lookback f) (lookahead f)) (Nat.add p (lookahead f)) :=
      Eq.subst (motive := fun x => Nat.le x (Nat.add p (lookahead f))) e l
    .inr (lin1 (on3 (lookback f) (lookahead f) p) l rfl)
theorem arrival_verdict (h : Holding t f m s b) (inside : Lt m t.frames) (due : Nat.le (lookahead f) m) :
    Eq (eval (b.extended (fun k => t.atom k m)) f (Nat.sub b.held (lookahead f)))
        (eval t f (Nat.sub m (lookahead f))) :=
  have held := ahead_held h due
  have exact : Eq (Nat.add (Nat.sub b.held (lookahead f)) (lookahead f)) b.held := sub_add_cancel held
  have window : WindowOf t s (b.extended (fun k => t.atom k m)) := ⟨
    show Nat.le (Nat.succ (Nat.add s b.held)) t.frames from Eq.symm h.ends ▸ inside, extended_atom h⟩
  have place : Eq (Nat.add s (Nat.sub b.held (lookahead f))) (Nat.sub m (lookahead f)) :=
    add_right_cancel (lookahead f) (Eq.trans (add_assoc _ _ _) (Eq.trans (congrArg (Nat.add s) exact)
      (Eq.trans h.ends (Eq.symm (sub_add_cancel due)))))
  Eq.trans (window_verdict t s _ f _ window
      (show Lt (Nat.sub b.held (lookahead f)) (.succ b.held) from succ_le_succ (sub_le _ _))
      (back_held h _ (le_of_eq (Eq.symm exact)))
      (.inl (show Lt (Nat.add (Nat.sub b.held (lookahead f)) (lookahead f)) (.succ b.held) from succ_le_succ
          (le_of_eq exact))))
    (congrArg (eval t f) place)
theorem rest_verdict (h : Holding t f m s b) (last : Eq m t.frames) (i : Nat) (inside : Lt i m)
    (late : Nat.le m (Nat.add i (lookahead f))) (begun : Nat.le s i) :
    Eq (eval ⟨b.held, b.kept⟩ f (Nat.sub i s)) (eval t f i) :=
  have exact : Eq (Nat.add (Nat.sub i s) s) i := sub_add_cancel begun
  have split : Eq (Nat.add s (Nat.sub i s)) i := Eq.trans (add_comm _ _) exact
  have ends : Eq (Nat.add s b.held) t.frames := Eq.trans h.ends last
  have bound : Lt (Nat.add s (Nat.sub i s)) (Nat.add s b.held) := Eq.symm split ▸ Eq.symm h.ends ▸ inside
  have reach : Nat.le (Nat.add s b.held) (Nat.add (Nat.add s (Nat.sub i s)) (lookahead f)) :=
    Eq.symm split ▸ Eq.symm h.ends ▸ late
  Eq.trans (window_verdict t s ⟨b.held, b.kept⟩ f _ ⟨le_of_eq ends, h.kept⟩
      (lin1 (on3 s (Nat.sub i s) b.held) bound rfl : Lt (Nat.sub i s) b.held)
      (back_held h _ (lin1 (on4 s b.held (Nat.sub i s) (lookahead f)) reach rfl)) (.inr ends))
    (congrArg (eval t f) split)
end

/-- The program's state: after `m` frames the program has seen `m`, holds at most `lookback + lookahead` of them,
all of them or the latest so many, and what it holds are the trace's own atoms. -/
theorem buffer_holds (t : Trace) (f : Formula) : (m : Nat) → Exists fun s => Holding t f m s (buffer t f m)
  | .zero => ⟨0, rfl, rfl, zero_le _, .inl rfl, fun _ _ l => nomatch l⟩
  | .succ m => let ⟨_, h⟩ := buffer_holds t f m; next_holding h
theorem output_eq (t : Trace) (f : Formula) : (m : Nat) → Nat.le m t.frames →
    Eq (output t f m) (offline t f (Nat.sub m (lookahead f)))
  | .zero, _ => Eq.symm (congrArg (offline t f) (zero_sub (lookahead f)))
  | .succ m, l =>
    let ⟨_, h⟩ := buffer_holds t f m
    have ih := output_eq t f m (le_of_succ_le l)
    cond_elim (P := fun out =>
        Eq out (offline t f (Nat.sub (.succ m) (lookahead f)))) (Nat.ble (lookahead f) (buffer t f m).seen)
      (fun due =>
        have due : Nat.le (lookahead f) m := h.seen ▸ le_of_ble _ _ due
        Eq.trans (congr2 List.cons (congr2 Prod.mk (congrArg (fun x => Nat.sub x (lookahead f)) h.seen)
            (arrival_verdict h l due)) ih)
          (congrArg (offline t f) (Eq.symm (succ_sub due))))
      (fun early =>
        have lt : Lt m (lookahead f) := (le_or_lt (lookahead f) m).elim
          (fun k => absurd (ble_of_le _ _ (Eq.symm h.seen ▸ k)) early) id
        Eq.trans ih (congrArg (offline t f) (Eq.trans (sub_eq_zero (le_of_succ_le lt)) (Eq.symm (sub_eq_zero lt)))))
theorem first_held {t : Trace} {f : Formula} {m s : Nat} {b : Buffer} (h : Holding t f m s b) :
    Eq (Nat.sub b.seen b.held) s :=
  Eq.trans (congrArg (fun x => Nat.sub x b.held) (Eq.trans h.seen (Eq.symm h.ends))) (add_sub_cancel s b.held)
theorem rest_eq {t : Trace} {f : Formula} {s : Nat} {b : Buffer} (h : Holding t f t.frames s b) (start : Nat)
    (late : Nat.le t.frames (Nat.add start (lookahead f))) (begun : Nat.le s start) : (k : Nat) →
    Nat.le (Nat.add start k) t.frames → Eq (b.rest f (offline t f start) start k) (offline t f (Nat.add start k))
  | .zero, _ => rfl
  | .succ k, l => congr2 List.cons
      (congrArg (Prod.mk (Nat.add start k)) (Eq.trans
        (congrArg (fun x => eval ⟨b.held, b.kept⟩ f (Nat.sub (Nat.add start k) x)) (first_held h))
        (rest_verdict h rfl (Nat.add start k) l (lin1 (on4 t.frames start (lookahead f) k) late rfl)
          (le_trans begun (le_add start k)))))
      (rest_eq h start late begun k (le_of_succ_le l))
theorem start_held {t : Trace} {f : Formula} {s : Nat} {b : Buffer} (h : Holding t f t.frames s b) :
    Nat.le s (Nat.sub t.frames (lookahead f)) :=
  match h.full with
  | .inl z => Eq.symm z ▸ zero_le _
  | .inr e =>
    have total : Eq (Nat.add s (Nat.add (lookback f) (lookahead f))) t.frames :=
      Eq.subst (motive := fun x => Eq (Nat.add s x) t.frames) e h.ends
    have least : Nat.le t.frames (Nat.add (Nat.sub t.frames (lookahead f)) (lookahead f)) := le_sub_add _ _
    lin2 (on5 s (lookback f) (lookahead f) t.frames (Nat.sub t.frames (lookahead f)))
      (show Nat.le (Nat.add s (Nat.add (lookback f) (lookahead f))) t.frames from le_of_eq total) least rfl

/-- **The streaming program.** Keeping at most `lookback + lookahead` frames, reading one frame after another and giving
each verdict from what it keeps, the program gives for every frame of the trace exactly one verdict, in order, and it is
the offline verdict. -/
theorem program_eq_offline (t : Trace) (f : Formula) : Eq (program t f) (offline t f t.frames) :=
  let ⟨_, h⟩ := buffer_holds t f t.frames
  have total : Eq (Nat.add (Nat.sub t.frames (lookahead f)) (Nat.sub t.frames (Nat.sub t.frames (lookahead f))))
      t.frames :=
    Eq.trans (add_comm _ _) (sub_add_cancel (sub_le _ _))
  Eq.trans (congrArg (fun out => (buffer t f t.frames).rest f out (Nat.sub t.frames (lookahead f)) _)
      (output_eq t f t.frames .refl))
    (Eq.trans (rest_eq h (Nat.sub t.frames (lookahead f)) (le_sub_add _ _) (start_held h) _ (le_of_eq total))
      (congrArg (offline t f) total))
/-- **Bounded memory**: the program never holds more than `lookback + lookahead` frames. -/
theorem program_memory (t : Trace) (f : Formula) (m : Nat) :
    Nat.le (buffer t f m).held (Nat.add (lookback f) (lookahead f)) :=
  let ⟨_, h⟩ := buffer_holds t f m
  h.room
end Tracepact
