"""The oracle: conformance vectors, the protocol, and the test of other implementations against the reference."""

from tracepact.oracle.engines import FAST, REFERENCE, Clip, Engine
from tracepact.oracle.trees import formula_of, formula_text, tree_of
from tracepact.oracle.vectors import ASKS, Profile, Vector, answer, differences, suite, vectors_of

__all__ = [
    "ASKS",
    "FAST",
    "REFERENCE",
    "Clip",
    "Engine",
    "Profile",
    "Vector",
    "answer",
    "differences",
    "formula_of",
    "formula_text",
    "suite",
    "tree_of",
    "vectors_of",
]
