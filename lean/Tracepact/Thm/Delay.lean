import Tracepact.Impl.Stream
import Tracepact.Thm.Locality
/-! When a verdict is final, and the streaming monitor. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- **Bounded delay.** Once frame `i + lookahead` has arrived, or the trace has ended, no continuation changes the
verdict at frame `i`. -/
theorem bounded_delay (t t' : Trace) (f : Formula) (i : Nat) (inside : Lt i t.frames) (c : Continues t t')
    (known : Or (Lt (Nat.add i (lookahead f)) t.frames) (Eq t.frames t'.frames)) : Eq (eval t f i) (eval t' f i) :=
  locality t t' f i inside fun j s => ⟨
    match known with
    | .inl h => ⟨fun l => le_trans l c.longer, fun _ => le_trans (succ_le_succ s.upper) h⟩
    | .inr h => h ▸ iff_refl,
    fun k _ l => c.atom k j l⟩

theorem succ_sub {a b : Nat} (h : Nat.le b a) : Eq (Nat.sub (.succ a) b) (.succ (Nat.sub a b)) :=
  add_right_cancel b (Eq.trans (sub_add_cancel (.step h))
      (Eq.symm (Eq.trans (succ_add _ b) (congrArg Nat.succ (sub_add_cancel h)))))
theorem sub_le (a b : Nat) : Nat.le (Nat.sub a b) a :=
  match le_or_lt b a with
  | .inl h => lin1 (on3 (Nat.sub a b) b a) (sub_add_le h) rfl
  | .inr h => Eq.subst (motive := fun x => Nat.le x a) (Eq.symm (sub_eq_zero (le_of_succ_le h))) (zero_le a)
theorem live_eq (t : Trace) (f : Formula) : (m : Nat) → Nat.le m t.frames →
    Eq (live t f m) (offline t f (Nat.sub m (lookahead f)))
  | .zero, _ => Eq.symm (congrArg (offline t f) (zero_sub (lookahead f)))
  | .succ m, l => step m l (Nat.ble (lookahead f) m) rfl (live_eq t f m (le_of_succ_le l))
where
  step (m : Nat) (l : Lt m t.frames) : (b : Bool) → Eq (Nat.ble (lookahead f) m) b →
      Eq (live t f m) (offline t f (Nat.sub m (lookahead f))) →
      Eq (onArrival t f m (live t f m) b) (offline t f (Nat.sub (.succ m) (lookahead f)))
    | .true, h, ih =>
      have le : Nat.le (lookahead f) m := le_of_ble _ _ h
      Eq.trans (congr2 (fun (v : Bool) (out : List (Prod Nat Bool)) => List.cons (Nat.sub m (lookahead f), v) out)
          (bounded_delay (arrived t (.succ m)) t f (Nat.sub m (lookahead f)) (succ_le_succ (sub_le m _))
            ⟨l, fun _ _ _ => rfl⟩ (.inl (succ_le_succ (sub_add_le le)))) ih)
        (congrArg (offline t f) (Eq.symm (succ_sub le)))
    | .false, h, ih =>
      have lt : Lt m (lookahead f) :=
          (le_or_lt (lookahead f) m).elim (fun le => nomatch Eq.trans (Eq.symm (ble_of_le _ _ le)) h) id
      Eq.trans ih (congrArg (offline t f) (Eq.trans (sub_eq_zero (le_of_succ_le lt)) (Eq.symm (sub_eq_zero lt))))
theorem flush_eq (t : Trace) (f : Formula) (start : Nat) : (k : Nat) →
    Eq (flush t f (offline t f start) start k) (offline t f (Nat.add start k))
  | .zero => rfl
  | .succ k => congrArg (List.cons _) (flush_eq t f start k)

/-- **Streaming.** The streaming monitor, which decides each verdict from what has arrived `lookahead` frames later and
the rest at the end, emits for every frame of the trace exactly one verdict, in order, and it is the offline verdict. -/
theorem stream_eq_offline (t : Trace) (f : Formula) : Eq (stream t f) (offline t f t.frames) :=
  Eq.trans (congrArg (fun out => flush t f out (Nat.sub t.frames (lookahead f)) _) (live_eq t f t.frames .refl))
    (Eq.trans (flush_eq t f _ _) (congrArg (offline t f) (Eq.trans (add_comm _ _) (sub_add_cancel (sub_le _ _)))))
end Tracepact
