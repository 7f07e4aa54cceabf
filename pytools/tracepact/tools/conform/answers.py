"""Answers to cases on frames, runs and matches: what a case asks, as plain data (spec/protocol.md)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tracepact.core import Aggregation, Formula, Matcher, MatcherKind, Projection, atoms, lookahead, lookback
from tracepact.tools.conform import definitions
from tracepact.tools.conform.compact import verdicts_out
from tracepact.tools.conform.definitions import Entry
from tracepact.tools.conform.engines import Clip, Engine
from tracepact.tools.conform.streaming import arrivals, delays_of, masks_of, names_of
from tracepact.tools.conform.trees import LONGEST, BadCase, bits, formula_of, frames_of, shown
from tracepact.trace import FrameRun, exact

Case = Mapping[str, Any]
Answer = dict[str, Any]
_MOST_CHANNELS = 1 << 12
_LARGEST_COUNT = (1 << 63) - 1


def clip_of(data: Mapping[str, Any], names: Iterable[str]) -> Clip:
    """A clip as vectors write it, with a mask for every one of the names."""
    frames, masks = masks_of(data, names)
    ignored = frames_of(data["ignored"]) if "ignored" in data else [False] * frames
    if len(ignored) != frames:
        raise BadCase("a mask has another length than its clip")
    return Clip(frames, masks, ignored)


def clips_of(case: Case, *formulas: Formula) -> list[Clip]:
    """The clips of a case: at least one, each with a mask for every atom of the formulas."""
    names = frozenset().union(*(atoms(formula) for formula in formulas))
    clips = [clip_of(clip, names) for clip in case["clips"]]
    if not clips:
        raise BadCase("a case has at least one clip")
    if sum(clip.frames for clip in clips) > LONGEST:
        raise BadCase(f"the clips have more than {LONGEST} frames")
    return clips


def matcher_of(data: Mapping[str, Any] | None) -> Matcher:
    """A matcher as vectors write it; the defaults of rule 3.7 without one."""
    if data is None:
        return Matcher()
    return Matcher(MatcherKind(data["kind"]), exact(data["search"]), exact(data["overlap_reward"]))


def runs_of(data: Sequence[Sequence[int]]) -> list[FrameRun]:
    """Runs as vectors write them."""
    if len(data) > LONGEST or any(type(at) is not int or abs(at) > LONGEST for run in data for at in run):
        raise BadCase(f"runs are pairs of frames up to {LONGEST}")
    if any(start >= end for start, end in data):
        raise BadCase("a run has at least one frame")
    return [(start, end) for start, end in data]


def verdicts(case: Case, engine: Engine) -> Answer:
    """The formula at every frame of every clip."""
    formula = formula_of(case["formula"])
    return {"verdicts": [bits(mask) for mask in engine.verdicts(formula, clips_of(case, formula))]}


def clause(case: Case, engine: Engine) -> Answer:
    """The counts of a frame clause over clips (rules 7.1 to 7.3)."""
    formulas = formula_of(case["obligation"]), formula_of(case["formula"])
    clips = clips_of(case, *formulas)
    obligation, formula = (engine.verdicts(each, clips) for each in formulas)
    judged = [
        formula[k][i]
        for k, clip in enumerate(clips)
        for i in range(clip.frames)
        if obligation[k][i] and not clip.ignored[i]
    ]
    value = Fraction(sum(judged), len(judged)) if judged else Fraction(1)
    return {"satisfied": sum(judged), "obligated": len(judged), "value": str(value), "vacuous": not judged}


def aggregated(case: Case, engine: Engine) -> Answer:
    """The value of counts, classes × clips, under every aggregation (rules 7.2 to 7.5)."""
    of_events = case["kind"] == "event"
    clips = {len(row) for row in case["entries"]}
    if len(clips) != 1 or 0 in clips:
        raise BadCase("there is at least one class and one clip, and every class has all clips")
    if any(not 0 <= e["satisfied"] <= e["obligated"] <= _LARGEST_COUNT for row in case["entries"] for e in row):
        raise BadCase(f"counts are from 0 to {_LARGEST_COUNT}, satisfied at most obligated")
    entries = [
        [Entry(e["satisfied"], e["obligated"], of_events and bool(e.get("runs", False))) for e in row]
        for row in case["entries"]
    ]
    scores = {a.value: engine.aggregate(entries, a) for a in Aggregation}
    return {name: {"value": str(value), "vacuous": vacuous} for name, (value, vacuous) in scores.items()}


def measure(case: Case, engine: Engine) -> Answer:
    """How far a formula looks (rule 6.7)."""
    formula = formula_of(case["formula"])
    return {"lookahead": lookahead(formula), "lookback": lookback(formula)}


def project(case: Case, engine: Engine) -> Answer:
    """The frames that events give (rules 5.1 to 5.5)."""
    events = [(exact(on), exact(off)) for on, off in case["events"]]
    check_length(exact(case["duration"]), exact(case["step"]))
    found = engine.project(exact(case["step"]), exact(case["duration"]), Projection(case["projection"]), events)
    runs, _, _ = engine.edges(found.mask)
    return {
        "frames": found.frames,
        "mask": bits(found.mask),
        "runs": [list(run) for run in runs],
        "vanished": found.vanished,
    }


def check_step(step: Fraction) -> None:
    """BadCase if a step is not greater than zero."""
    if step <= 0:
        raise BadCase("a step is greater than zero")


def check_length(duration: Fraction, step: Fraction) -> None:
    """BadCase if a clip has more frames than a case may have, or a step is not greater than zero."""
    check_step(step)
    if duration > LONGEST * step:
        raise BadCase(f"a clip has more than {LONGEST} frames")


def runs(case: Case, engine: Engine) -> Answer:
    """The runs, joined runs and edges of a mask (rules 5.5 to 5.8)."""
    mask = frames_of(case["mask"])
    found, onsets, offsets = engine.edges(mask)
    joined = engine.join(mask, exact(case["merge_gap"]), exact(case["step"]))
    return {
        "runs": [list(run) for run in found],
        "joined": [list(run) for run in joined],
        "onsets": bits(onsets),
        "offsets": bits(offsets),
    }


def match(case: Case, engine: Engine) -> Answer:
    """The candidates with their costs, and the matched pairs (chapter 8)."""
    ref, pred, step = runs_of(case["ref"]), runs_of(case["pred"]), exact(case["step"])
    if any(b[0] < a[1] for side in (ref, pred) for a, b in pairwise(side)):
        raise BadCase("the runs of a side are in order and do not overlap")
    matcher = matcher_of(case["matcher"])
    found = definitions.candidates(ref, pred, matcher, step)
    return {
        "candidates": [[i, j, str(cost)] for i, j, cost in found],
        "pairs": [list(pair) for pair in engine.match(ref, pred, matcher, step)],
    }


def clauses_of(case: Case) -> list[tuple[Formula, Formula]]:
    """The clauses of a stream: at least one."""
    found = [(formula_of(c["obligation"]), formula_of(c["formula"])) for c in case["clauses"]]
    if not found:
        raise BadCase("a stream has at least one clause")
    return found


def stream(case: Case, engine: Engine) -> Answer:
    """What is out at each frame or chunk of a trace, and at last at close.

    The verdicts are those of the whole trace (rule 12.3), each out when its clause's delay has passed.
    """
    clauses = clauses_of(case)
    frames, masks = masks_of(case["trace"], names_of(clauses))
    clip = Clip(frames, masks, ())
    words = []
    for clause in clauses:
        (obliged,), (holds,) = (engine.verdicts(formula, [clip]) for formula in clause)
        words.append([("satisfied" if h else "violated") if o else "free" for o, h in zip(obliged, holds, strict=True)])
    out = list(verdicts_out(delays_of(clauses), words, arrivals(case)))
    counts, so_far = [], [[0, 0] for _ in clauses]
    for said in out:
        for _, k, word in said:
            so_far[k] = [so_far[k][0] + (word == "satisfied"), so_far[k][1] + (word != "free")]
        counts.append([list(pair) for pair in so_far])
    return {"out": out, "counts": counts}


def played(case: Case, engine: Engine) -> Answer:
    """The same from a stream that is played: frame by frame or chunk by chunk, interrupted and opened anew."""
    clauses = clauses_of(case)
    frames, masks = masks_of(case["trace"], names_of(clauses))
    left = engine.stream(clauses)
    for i in range(min(case.get("reopen", 0), frames)):
        left.push(1, {name: mask[i : i + 1] for name, mask in masks.items()})
    opened = engine.stream(clauses)
    out, counts = [], []
    start = 0
    for number, size in enumerate([*arrivals(case), None]):
        for _ in range(list(case.get("interrupt", ())).count(number)):
            opened = opened.interrupted()
        if size is None:
            out.append(opened.close())
        else:
            out.append(opened.push(size, {name: mask[start : start + size] for name, mask in masks.items()}))
            start += size
        counts.append([list(pair) for pair in opened.counts])
    return {"out": out, "counts": counts}


def components(case: Case, engine: Engine) -> Answer:
    """When each component of a stream's runs is closed (rules 12.6 and 12.7)."""
    ref, pred = frames_of(case["ref"]), frames_of(case["pred"])
    found = definitions.closed_components(
        ref, pred, exact(case["merge_gap"]), exact(case["search"]), exact(case["step"])
    )
    return {"closed": [[at, [list(r) for r in refs], [list(p) for p in preds]] for at, (refs, preds) in found]}


def lines(case: Case, engine: Engine) -> Answer:
    """The frames of a stream of text, the numbers of its bad lines, and the streams that end (rule 12.10)."""
    channels = case.get("channels", 1)
    if not isinstance(channels, int) or isinstance(channels, bool) or not 1 <= channels <= _MOST_CHANNELS:
        raise BadCase(f"there are {shown(channels)} channels")
    found = engine.lines(case["text"], channels)
    return {"frames": found.frames, "bad": found.bad, "ended": found.ended}


FRAME_ASKS: dict[str, Callable[[Case, Engine], Answer]] = {
    "aggregate": aggregated,
    "clause": clause,
    "components": components,
    "lines": lines,
    "match": match,
    "measure": measure,
    "project": project,
    "runs": runs,
    "stream": stream,
    "verdicts": verdicts,
}
