"""The onset guard against rtamt and reelay on the same trace, NumPy arrays in and out, per frame."""

import logging
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.data import atom_frames, starter
from benchmarks.harness import Frames, Options, Row, Target, check_equal, race, sized
from tracepact.author.exports import to_rtamt
from tracepact.data.family import pack, unpack
from tracepact.evaluate.masks import evaluate_trace
from tracepact.language.formula import Atom, Eventually, Formula, Implies

SUBJECT = "onset guard"
FRAMES = sized(1_000_000, 5_000)
PEER_FRAMES = sized(20_000, 500)

Monitor = Callable[[Frames, Frames], Frames]
"""From the onsets of the reference and of the prediction to verdicts."""


def measure(_: Options) -> Iterator[Row]:
    """The peers take seconds for a million frames, so they get the start of the trace; costs are per frame."""
    formula = next(c.formula for c in starter().frame_clauses if c.name == "onset_guard")
    frames = atom_frames(0, FRAMES)
    ref, pred = frames["ref_onset"], frames["pred_onset"]
    short = ref[:PEER_FRAMES], pred[:PEER_FRAMES]
    engine = _engine(formula)
    (fast,) = race(lambda: engine(ref, pred))
    yield Row(SUBJECT, f"engine, {FRAMES:,} frames", fast / FRAMES * 1e9, "ns/frame", note="NumPy in and out")
    for name, make in (("rtamt", _rtamt), ("reelay", _reelay)):
        try:
            peer = make(formula)
        except ImportError:
            yield Row(SUBJECT, f"faster than {name}", None, "×", note="not installed")
            continue
        check_equal(f"{SUBJECT}, {name}", [engine(*short)], [peer(*short)])
        fast, slow = race(lambda: engine(ref, pred), lambda peer=peer: peer(*short), repeats=5)  # type: ignore[misc]
        ratio = (slow / PEER_FRAMES) / (fast / FRAMES)
        note = f"{slow / PEER_FRAMES * 1e9:,.0f} ns/frame over {PEER_FRAMES:,} frames"
        yield Row(SUBJECT, f"faster than {name}", ratio, "×", Target(500), note)


def _engine(formula: Formula) -> Monitor:
    def run(ref: Frames, pred: Frames) -> Frames:
        mask = evaluate_trace(formula, {"ref_onset": pack(ref), "pred_onset": pack(pred)}, len(ref))
        return unpack(mask, len(ref))

    return run


def _rtamt(formula: Formula) -> Monitor:
    """The exported formula under the discrete-time offline monitor; the text is parsed once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        rtamt = import_module("rtamt")
    logging.getLogger().setLevel(logging.ERROR)
    specification: Any = rtamt.StlDiscreteTimeSpecification()
    for name in ("ref_onset", "pred_onset"):
        specification.declare_var(name, "float")
    specification.spec = to_rtamt(formula)
    specification.parse()

    def run(ref: Frames, pred: Frames) -> Frames:
        data: dict[str, list[Any]] = {"time": list(range(len(ref)))}
        for name, mask in (("ref_onset", ref), ("pred_onset", pred)):
            data[name] = np.where(mask, 1.0, -1.0).tolist()
        return np.array(specification.evaluate(data))[:, 1] > 0

    return run


def _reelay(formula: Formula) -> Monitor:
    """The guard delayed by its lookahead, since reelay looks back only; the delay is cut off again."""
    reelay = import_module("reelay")
    match formula:
        case Implies(Atom(obligation), Eventually(lo, hi, Atom(witness))) if lo <= 0 <= hi:
            pattern = f"(once[{hi}:{hi}] {{{obligation}}}) -> (once[0:{hi - lo}] {{{witness}}})"
        case _:
            raise ValueError("not a guard")

    def run(ref: Frames, pred: Frames) -> Frames:
        monitor = reelay.discrete_timed_monitor(pattern=pattern, semantics="boolean", condense=False)
        quiet = [False] * hi
        rows = zip(ref.tolist() + quiet, pred.tolist() + quiet, strict=True)
        verdicts = [monitor.update({"ref_onset": r, "pred_onset": p})["value"] for r, p in rows]
        return np.array(verdicts[hi:], dtype=np.bool_)

    return run
