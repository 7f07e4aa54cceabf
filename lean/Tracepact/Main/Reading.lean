import Tracepact.Impl.Dag
import Tracepact.Impl.MaskBuffer
import Tracepact.Impl.Vector
import Tracepact.Spec.Soft
/-!
How the program reads a request: numbers, in the order in which what they stand for is written. A list follows how
many entries it has, a choice by its number, a signed number by 0 (not negative) or 1 (−1 less what follows).

Nothing is proved about reading. Whatever is read is a formula, a contract or the like, so what is then computed is what
the definitions say of it; that it is the one that was meant rests on tests.
-/
set_option autoImplicit false
namespace Tracepact

/-- What the next numbers stand for, and the numbers behind them; nothing if they stand for nothing. -/
def Reader (α : Type) : Type := List Nat → Option (Prod α (List Nat))
def reads {α : Type} (x : α) : Reader α := fun l => .some ⟨x, l⟩
def after {α β : Type} (r : Reader α) (k : α → Reader β) : Reader β := fun l =>
  match r l with
  | .none => .none
  | .some ⟨x, rest⟩ => k x rest
def with1 {α β : Type} (f : α → β) (a : Reader α) : Reader β := after a fun x => reads (f x)
def with2 {α β γ : Type} (f : α → β → γ) (a : Reader α) (b : Reader β) : Reader γ := after a fun x => with1 (f x) b
def with3 {α β γ δ : Type} (f : α → β → γ → δ) (a : Reader α) (b : Reader β) (c : Reader γ) : Reader δ :=
  after a fun x => with2 (f x) b c
/-- One of some readers, by its number. -/
def choose {α : Type} : List (Reader α) → Nat → Reader α
  | .nil, _ => fun _ => .none
  | .cons r _, .zero => r
  | .cons _ rest, .succ k => choose rest k

def readNat : Reader Nat
  | .nil => .none
  | .cons n rest => .some ⟨n, rest⟩
/-- How many frames a clip may have here: its masks must fit into memory. More are read as nothing. -/
def mostFrames : Nat := 0x1000000
/-- How far a window may reach. -/
def farthest : Nat := 0x100000000
def readUpTo (most : Nat) : Reader Nat := after readNat fun n => cond (Nat.ble n most) (reads n) (fun _ => .none)
def readFrames : Reader Nat := readUpTo mostFrames
def readReach : Reader Nat := readUpTo farthest
/-- The number of an atom. -/
def readIndex : Reader Nat := readUpTo 0x1000
def readFlag : Reader Bool := after readNat (choose (.cons (reads .false) (.cons (reads .true) .nil)))
def readInt : Reader Int :=
  after readNat (choose (.cons (with1 .ofNat readReach) (.cons (with1 .negSucc readReach) .nil)))
def readSome {α : Type} (r : Reader α) : Nat → Reader (List α)
  | .zero => reads .nil
  | .succ n => with2 .cons r (readSome r n)
def readList {α : Type} (r : Reader α) : Reader (List α) := after readNat (readSome r)

/-! ### Formulas; the numbers that are left bound how deep they are nested -/
def formulaFrom : Nat → Reader Formula
  | .zero => fun _ => .none
  | .succ d =>
    let f := formulaFrom d
    after readNat (choose (.cons (with1 .atom readIndex) (.cons (with1 .constant readFlag) (.cons (with1 .not f)
      (.cons (with2 .and f f) (.cons (with2 .or f f) (.cons (with2 .implies f f) (.cons (with2 .iff f f)
        (.cons (with3 .eventually readInt readInt f) (.cons (with3 .always readInt readInt f)
          (.cons (with3 .«until» readReach f f) (.cons (with3 .since readReach f f) .nil))))))))))))
def readFormula : Reader Formula := fun l => formulaFrom (length l) l

/-! ### Event predicates -/
def readSide : Reader Side := after readNat (choose (.cons (reads .ref) (.cons (reads .pred) .nil)))
def readNumber : Reader Number := with3 .mk readNat readNat readNat
def readAttribute : Reader Attribute := after readNat (choose
  (.cons (with1 .onset readSide) (.cons (with1 .offset readSide) (.cons (with1 .duration readSide)
    (.cons (with1 .covering readSide) (.cons (with1 .coverage readSide) (.cons (reads .longestGap)
      (.cons (reads .shortestGap) (.cons (reads .purity) (.cons (reads .overlap) (.cons (reads .iou) .nil)))))))))))
def quantityFrom : Nat → Reader Quantity
  | .zero => fun _ => .none
  | .succ d =>
    let q := quantityFrom d
    after readNat (choose (.cons (with1 .number readNumber) (.cons (with1 .attribute readAttribute)
      (.cons (with2 .sum q q) (.cons (with2 .difference q q) (.cons (with2 .scaled readNumber q)
        (.cons (with1 .absolute q) (.cons (with2 .minimum q q) (.cons (with2 .maximum q q) .nil)))))))))
def readQuantity : Reader Quantity := fun l => quantityFrom (length l) l
def readRelation : Reader Relation := after readNat (choose (.cons (reads .le) (.cons (reads .lt) (.cons (reads .ge)
  (.cons (reads .gt) (.cons (reads .eq) (.cons (reads .ne) .nil)))))))
def predicateFrom : Nat → Reader Predicate
  | .zero => fun _ => .none
  | .succ d =>
    let p := predicateFrom d
    after readNat (choose (.cons (with1 .constant readFlag) (.cons (reads .matched) (.cons (reads .dominant)
      (.cons (with3 .compare readRelation readQuantity readQuantity) (.cons (with1 .not p) (.cons (with2 .and p p)
        (.cons (with2 .or p p) (.cons (with2 .implies p p) (.cons (with2 .iff p p) .nil))))))))))
def readPredicate : Reader Predicate := fun l => predicateFrom (length l) l

/-! ### Contracts and tables -/
def readInterval : Reader Interval := with2 .mk readNat readNat
def readEvent : Reader Event := with2 .mk readNat readNat
def readProjection : Reader Projection :=
  after readNat (choose (.cons (reads .centre) (.cons (reads .touch) (.cons (reads .inside) .nil))))
def readEach : Reader Each :=
  after readNat (choose (.cons (reads .ref) (.cons (reads .pred) (.cons (reads .matched) .nil))))
def readClause : Reader ContractClause := after readNat (choose
  (.cons (with2 .frame readFormula readFormula) (.cons (with2 .event readEach readPredicate) .nil)))
def readContract : Reader Contract :=
  after readNat fun step => after readProjection fun projection => after readNat fun mergeGap =>
    after readNat fun search => after readNat fun unit => after readNat fun reward =>
      with1 (fun clauses => ⟨step, projection, mergeGap, search, unit, reward, clauses⟩) (readList readClause)
def readSides : Reader Sides := with3 .mk readNat (readList readEvent) (readList readEvent)
def readClip : Reader Clip := with2 (fun n masks => ⟨n, numbered masks⟩) readFrames (readList readNat)

def readChunk : Reader Chunk := with2 .mk readFrames (readList readNat)
def readBuffer : Reader MaskBuffer := with3 .mk readNat readFrames (readList readNat)
def readCounts : Reader Counts := with2 .mk readNat readNat

/-! ### Score fields -/
def readSize : Reader Size := after readNat (choose (.cons (with1 .number readNat) (.cons (reads .unbounded) .nil)))
def readSource : Reader Source := after readNat (choose
  (.cons (with2 (fun threshold scores => .field threshold (numbered scores)) readNat (readList readNat))
    (.cons (with2 (fun size mask => .mask size (bit mask)) readSize readNat) .nil)))
def readScoreClip : Reader ScoreClip :=
  after readFrames fun n => with3 (fun ref pred more => ⟨n, ref, pred, entry .nil more⟩) readSource readSource
    (readList (readList readSource))
end Tracepact
