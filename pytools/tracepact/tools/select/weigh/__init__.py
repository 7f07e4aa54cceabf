"""Weights under which the mean of a contract's clauses keeps the order of harm (rules 14.16 to 14.20)."""
