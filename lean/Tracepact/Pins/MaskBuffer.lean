import Tracepact.Statements
/-! What the definitions of the streaming program on masks compute (rules 12.2 and 12.11). -/
set_option autoImplicit false
set_option maxRecDepth 1000000
noncomputable section
namespace Tracepact.Pins

example : Eq (mapped (fun x => Nat.add x 1) (.cons 2 (.cons 5 .nil))) (.cons 3 (.cons 6 .nil)) := rfl
example : And (Eq (restOf (.cons 7 (.cons 8 .nil))) (.cons 8 .nil)) (Eq (restOf .nil) .nil) := ⟨rfl, rfl⟩
-- Two frames are held, of 1101 those in 01; behind them comes 10.
example : Eq (followed 2 13 2) 9 := rfl
example : Eq (allFollowed 2 (.cons 13 .nil) (.cons 2 (.cons 3 .nil))) (.cons 9 (.cons 12 .nil)) := rfl
example : Eq (allFollowed 2 (.cons 1 (.cons 2 .nil)) .nil) (.cons 1 (.cons 2 .nil)) := rfl
example : Eq MaskBuffer.empty (MaskBuffer.mk 0 0 .nil) := rfl
example : Eq (MaskBuffer.extendedBy ⟨5, 2, .cons 13 .nil⟩ (Chunk.mk 1 (.cons 1 .nil))) (.cons 5 .nil) := rfl
-- The formula looks one frame ahead, so one frame is held: the last of the chunk.
example : Eq (MaskBuffer.nextBy (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) ⟨5, 1, .cons 1 .nil⟩ ⟨3, .cons 4 .nil⟩)
    ⟨8, 1, .cons 1 .nil⟩ := rfl
example : Eq (MaskBuffer.nextBy (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) ⟨5, 1, .cons 1 .nil⟩ ⟨3, .cons 2 .nil⟩)
    ⟨8, 1, .cons 0 .nil⟩ := rfl
-- Frame 4 is held; frames 5 and 6 arrive together, and frame 6 is active.
example : Eq (MaskBuffer.verdicts (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) ⟨5, 1, .cons 0 .nil⟩ ⟨2, .cons 2 .nil⟩)
    6 := rfl
example : Eq (MaskBuffer.outputBy (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) ⟨5, 1, .cons 0 .nil⟩ ⟨2, .cons 2 .nil⟩
    .nil) (.cons ⟨5, .true⟩ (.cons ⟨4, .false⟩ .nil)) := rfl
example : Eq (emitted 6 4 .nil 4 2) (.cons ⟨5, .true⟩ (.cons ⟨4, .false⟩ .nil)) := rfl
example : Eq (MaskBuffer.rest (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) ⟨5, 1, .cons 1 .nil⟩ .nil)
    (.cons ⟨4, .true⟩ .nil) := rfl
example : Eq (MaskBuffer.rest (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) ⟨5, 1, .cons 0 .nil⟩ .nil)
    (.cons ⟨4, .false⟩ .nil) := rfl
example : Eq (chunkFrames (.cons ⟨1, .nil⟩ (.cons ⟨3, .nil⟩ .nil))) 4 := rfl
-- Four frames of which frame 2 is active, in a chunk of three and one of one frame.
example : Eq (maskBuffer (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) (.cons ⟨3, .cons 4 .nil⟩ .nil))
    ⟨3, 1, .cons 1 .nil⟩ := rfl
example : Eq (maskOutput (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) (.cons ⟨3, .cons 4 .nil⟩ .nil))
    (.cons ⟨1, .true⟩ (.cons ⟨0, .false⟩ .nil)) := rfl
example : Eq (maskProgram (.eventually (.ofNat 0) (.ofNat 1) (.atom 0))
      (.cons ⟨1, .cons 0 .nil⟩ (.cons ⟨3, .cons 4 .nil⟩ .nil)))
    (.cons ⟨3, .false⟩ (.cons ⟨2, .true⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .false⟩ .nil)))) := rfl
example (t : Trace) : Eq (ChunksOf t .nil) True := rfl
example (t : Trace) (c : Chunk) (l : List Chunk) : Eq (ChunksOf t (.cons c l)) (And (ChunksOf t l)
    ((k j : Nat) → Lt j c.frames → Eq (bit (numbered c.masks k) j) (t.atom k (Nat.add (chunkFrames l) j)))) := rfl
end Tracepact.Pins
