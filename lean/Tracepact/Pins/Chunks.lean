import Tracepact.Statements
/-! What the definitions of the streaming program with chunks compute (rule 12.11). -/
set_option autoImplicit false
set_option maxRecDepth 1000000
noncomputable section
namespace Tracepact.Pins

-- Two frames are held, the second active; three arrive, the first of them active.
example : And (Eq (Trace.frames (Buffer.extendedBy ⟨5, 2, fun _ => bit 2⟩ 3 (fun _ => bit 1))) 5)
    (Eq (count (Trace.atom (Buffer.extendedBy ⟨5, 2, fun _ => bit 2⟩ 3 (fun _ => bit 1)) 0) 5) 2) := ⟨rfl, rfl⟩
example : And (Eq (Trace.atom (Buffer.extendedBy ⟨5, 2, fun _ => bit 2⟩ 3 (fun _ => bit 1)) 0 1) .true)
    (Eq (Trace.atom (Buffer.extendedBy ⟨5, 2, fun _ => bit 2⟩ 3 (fun _ => bit 1)) 0 2) .true) := ⟨rfl, rfl⟩
-- The formula looks one frame ahead, so one frame is held: the last of the chunk.
example : Eq (Buffer.seen (Buffer.nextBy (.eventually (.ofNat 0) (.ofNat 1) (.atom 0))
      ⟨5, 1, fun _ => bit 1⟩ 3 (fun _ => bit 4)))
    8 := rfl
example : Eq (Buffer.held (Buffer.nextBy (.eventually (.ofNat 0) (.ofNat 1) (.atom 0))
      ⟨5, 1, fun _ => bit 1⟩ 3 (fun _ => bit 4)))
    1 := rfl
example : Eq (Buffer.kept (Buffer.nextBy (.eventually (.ofNat 0) (.ofNat 1) (.atom 0))
      ⟨5, 1, fun _ => bit 1⟩ 3 (fun _ => bit 4))
    0 0) .true := rfl
example : Eq (Buffer.held (Buffer.nextBy (.eventually (.ofNat 0) (.ofNat 1) (.atom 0))
      ⟨0, 0, fun _ => bit 0⟩ 0 (fun _ => bit 4)))
    0 := rfl
-- Frame 4 is held; frames 5 and 6 arrive together, and frame 6 is active.
example : Eq (Buffer.outputBy (.eventually (.ofNat 0) (.ofNat 1) (.atom 0))
      ⟨5, 1, fun _ => bit 0⟩ 2 (fun _ => bit 2) .nil 4 2)
    (.cons ⟨5, .true⟩ (.cons ⟨4, .false⟩ .nil)) := rfl
example : And (Eq (framesOf .nil) 0) (Eq (framesOf (.cons 2 (.cons 0 (.cons 3 .nil)))) 5) := ⟨rfl, rfl⟩
-- Four frames of which frame 2 is active, in a chunk of three and one of one frame.
example : And (Eq (Buffer.seen (chunkBuffer ⟨4, fun _ => bit 4⟩ (.eventually (.ofNat 0) (.ofNat 1) (.atom 0))
      (.cons 3 .nil))) 3)
    (Eq (Buffer.kept (chunkBuffer ⟨4, fun _ => bit 4⟩ (.eventually (.ofNat 0) (.ofNat 1) (.atom 0))
      (.cons 3 .nil)) 0 0) .true) :=
  ⟨rfl, rfl⟩
example : Eq (chunkOutput ⟨4, fun _ => bit 4⟩ (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) (.cons 3 .nil))
    (.cons ⟨1, .true⟩ (.cons ⟨0, .false⟩ .nil)) := rfl
example : Eq (chunkOutput ⟨4, fun _ => bit 4⟩ (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) (.cons 1 (.cons 3 .nil)))
    (.cons ⟨2, .true⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .false⟩ .nil))) := rfl
example : Eq (chunked ⟨4, fun _ => bit 4⟩ (.eventually (.ofNat 0) (.ofNat 1) (.atom 0)) (.cons 1 (.cons 3 .nil)))
    (.cons ⟨3, .false⟩ (.cons ⟨2, .true⟩ (.cons ⟨1, .true⟩ (.cons ⟨0, .false⟩ .nil)))) := rfl
end Tracepact.Pins
