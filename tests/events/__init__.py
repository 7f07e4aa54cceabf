"""Tests of matching, event clauses and the matcher audit."""
