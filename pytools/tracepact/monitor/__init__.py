"""The monitor: a naive reference semantics, and the fast engines that are tested against it."""

from tracepact.monitor.algebra import BitAlgebra, IntegerAlgebra
from tracepact.monitor.bitset import evaluate_masks, evaluate_trace, masks_evaluator, trace_evaluator
from tracepact.monitor.reference import Environment, holds, truth

__all__ = [
    "BitAlgebra",
    "Environment",
    "IntegerAlgebra",
    "evaluate_masks",
    "evaluate_trace",
    "holds",
    "masks_evaluator",
    "trace_evaluator",
    "truth",
]
