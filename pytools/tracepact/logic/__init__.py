"""Questions about formulas and contracts, decided exactly and shown by traces; the solver is loaded when asked."""
