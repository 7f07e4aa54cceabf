"""A run directory: score rows, exact tables, manifest."""
