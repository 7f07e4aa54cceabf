import Tracepact.Spec.Boundary
/-! Onset and offset of a formula, as formulas: what an edge atom stands for. -/
set_option autoImplicit false
namespace Tracepact

/-- At the frame before; at frame 0 there is none. -/
def previous (f : Formula) : Formula := .eventually (.negSucc 0) (.negSucc 0) f
/-- Here and not at the frame before. -/
def onsetOf (f : Formula) : Formula := .and f (.not (previous f))
/-- Not here but at the frame before. -/
def offsetOf (f : Formula) : Formula := .and (.not f) (previous f)
end Tracepact
