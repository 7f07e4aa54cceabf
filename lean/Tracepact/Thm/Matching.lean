import Tracepact.Thm.Matching.Order
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
/-- **Greedy takes by cost** (rule 8.3): every candidate is kept, or shares an end with a kept one that ranks before it,
by cost, then reference onset, then predicted onset. -/
theorem greedy_by_cost (candidates : List Candidate) (c : Candidate) (h : Mem c candidates) :
    Or (Mem c (greedy candidates))
    (Exists fun d => And (Mem d (greedy candidates)) (And (Shares c d) (Eq (ranksBefore d c) .true))) :=
  keepFree_beaten (ranked candidates) .nil (ranked_ranked candidates) .intro (fun _ m => m.elim) c
    ((mem_ranked c candidates).mpr h)
end Tracepact
