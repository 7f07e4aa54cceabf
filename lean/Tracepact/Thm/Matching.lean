import Tracepact.Thm.Matching.Greedy
/-! The greedy matcher. -/
set_option autoImplicit false
noncomputable section
namespace Tracepact

/-- **Greedy matches are candidates.** -/
theorem greedy_candidates (candidates : List Candidate) (c : Candidate) (h : Mem c (greedy candidates)) :
    Mem c candidates :=
  match (keepFree_ok (ranked candidates) .nil .intro).from_list c h with
  | .inl m => m.elim
  | .inr m => (mem_ranked c candidates).mp m
/-- **Greedy is one to one**: no two matches share a reference or a prediction. -/
theorem greedy_one_to_one (candidates : List Candidate) : OneToOne (greedy candidates) :=
  (keepFree_ok (ranked candidates) .nil .intro).one_to_one
/-- **Greedy is maximal**: no candidate is left whose two ends are both free. -/
theorem greedy_maximal (candidates : List Candidate) (c : Candidate) (h : Mem c candidates) :
    Exists fun d => And (Mem d (greedy candidates)) (Or (Eq c.ref d.ref) (Eq c.pred d.pred)) :=
  (keepFree_ok (ranked candidates) .nil .intro).maximal c ((mem_ranked c candidates).mpr h)
end Tracepact
