import Lake
open Lake DSL

package tracepact where
  leanOptions := #[⟨`autoImplicit, false⟩, ⟨`warningAsError, true⟩]

/-- The proof core. `lean/bootstrap` is not part of it: it stands in for Lean's own `Init` where only the wheel is at hand. -/
@[default_target]
lean_lib Tracepact where
  srcDir := "lean"
