"""Answers to cases on frames, runs and matches: what a case asks, as plain data (spec/protocol.md)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

from tracepact.core import Aggregation, Formula, Matcher, MatcherKind, Projection, atoms, lookahead, lookback
from tracepact.tools.conform import definitions
from tracepact.tools.conform.definitions import Entry
from tracepact.tools.conform.engines import Clip, Engine
from tracepact.tools.conform.trees import BadCase, bits, formula_of, frames_of, shown
from tracepact.trace import FrameRun, exact

Case = Mapping[str, Any]
Answer = dict[str, Any]


def clip_of(data: Mapping[str, Any]) -> Clip:
    """A clip as vectors write it."""
    frames = data["frames"]
    if not isinstance(frames, int) or isinstance(frames, bool) or frames < 0:
        raise BadCase(f"a clip has {shown(frames)} frames")
    masks = {name: frames_of(text) for name, text in data["masks"].items()}
    ignored = frames_of(data["ignored"]) if "ignored" in data else [False] * frames
    if any(len(mask) != frames for mask in (*masks.values(), ignored)):
        raise BadCase("a mask has another length than its clip")
    return Clip(frames, masks, ignored)


def clips_of(case: Case, *formulas: Formula) -> list[Clip]:
    """The clips of a case: at least one, each with a mask for every atom of the formulas."""
    clips = [clip_of(clip) for clip in case["clips"]]
    if not clips:
        raise BadCase("a case has at least one clip")
    for clip in clips:
        _all_there(_atoms(formulas), clip.masks, "a clip")
    return clips


def _atoms(formulas: Iterable[Formula]) -> frozenset[str]:
    return frozenset().union(*(atoms(formula) for formula in formulas))


def _all_there(names: Iterable[str], given: Iterable[str], where: str) -> None:
    if missing := sorted(set(names) - set(given)):
        raise BadCase(f"{where} lacks the {'atoms' if len(missing) > 1 else 'atom'} {', '.join(map(shown, missing))}")


def matcher_of(data: Mapping[str, Any] | None) -> Matcher:
    """A matcher as vectors write it; the defaults of rule 3.7 without one."""
    if data is None:
        return Matcher()
    return Matcher(MatcherKind(data["kind"]), exact(data["search"]), exact(data["overlap_reward"]))


def runs_of(data: Sequence[Sequence[int]]) -> list[FrameRun]:
    """Runs as vectors write them."""
    return [(int(start), int(end)) for start, end in data]


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
    found = engine.project(exact(case["step"]), exact(case["duration"]), Projection(case["projection"]), events)
    runs, _, _ = engine.edges(found.mask)
    return {
        "frames": found.frames,
        "mask": bits(found.mask),
        "runs": [list(run) for run in runs],
        "vanished": found.vanished,
    }


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
    matcher = matcher_of(case["matcher"])
    found = definitions.candidates(ref, pred, matcher, step)
    return {
        "candidates": [[i, j, str(cost)] for i, j, cost in found],
        "pairs": [list(pair) for pair in engine.match(ref, pred, matcher, step)],
    }


class Stream:
    """The verdicts of frame clauses, each out when its frame's lookahead has arrived, the rest at close.

    Every verdict is taken from the frames seen so far: no more of them can change it (rule 6.7).
    """

    def __init__(self, clauses: Sequence[tuple[Formula, Formula]], engine: Engine) -> None:
        self._clauses = clauses
        self._engine = engine
        self._atoms = sorted(_atoms(formula for pair in clauses for formula in pair))
        self._delay = [max(lookahead(o), lookahead(f)) for o, f in clauses]
        self._next = [0] * len(clauses)
        self._seen: dict[str, list[bool]] = {}
        self._frames = 0
        self.counts = [[0, 0] for _ in clauses]

    def push(self, frames: Sequence[Mapping[str, bool]]) -> list[list[Any]]:
        """Take one frame or a chunk; the verdicts that are out now, by frame and clause."""
        for values in frames:
            _all_there(self._atoms, values, "a frame")
            for name, value in values.items():
                if value not in (0, 1) or isinstance(value, float):
                    raise BadCase(f"{shown(name)} is {shown(value)}, which is neither true, false, 1 nor 0")
        for values in frames:
            for name in self._atoms:
                self._seen.setdefault(name, []).append(bool(values[name]))
        self._frames += len(frames)
        return self._out([self._frames - delay for delay in self._delay])

    def close(self) -> list[list[Any]]:
        """The verdicts of the frames that are left, on what there is."""
        return self._out([self._frames] * len(self._clauses))

    def saved(self) -> dict[str, Any]:
        """The state between two frames, as plain data."""
        return {"seen": self._seen, "frames": self._frames, "next": self._next, "counts": self.counts}

    def restored(self, state: Mapping[str, Any]) -> "Stream":
        """A new stream of the same clauses that goes on from a state."""
        stream = Stream(self._clauses, self._engine)
        stream._seen = {name: list(mask) for name, mask in state["seen"].items()}
        stream._frames, stream._next = state["frames"], list(state["next"])
        stream.counts = [list(pair) for pair in state["counts"]]
        return stream

    def _out(self, ends: Sequence[int]) -> list[list[Any]]:
        found: list[list[Any]] = []
        for k, (obligation, formula) in enumerate(self._clauses):
            due = range(self._next[k], max(ends[k], self._next[k]))
            if not due:
                continue
            clip = Clip(self._frames, self._seen, ())
            (obliged,), (holds,) = (self._engine.verdicts(f, [clip]) for f in (obligation, formula))
            found += [[i, k, "free" if not obliged[i] else "satisfied" if holds[i] else "violated"] for i in due]
            self._next[k] = due.stop
        for _, k, word in found:
            self.counts[k] = [self.counts[k][0] + (word == "satisfied"), self.counts[k][1] + (word != "free")]
        return sorted(found)


def stream_of(case: Case, engine: Engine) -> Stream:
    """The stream a case opens."""
    return Stream([(formula_of(c["obligation"]), formula_of(c["formula"])) for c in case["clauses"]], engine)


def frames_in_order(trace: Mapping[str, Any]) -> list[dict[str, bool]]:
    """The frames of a trace as a stream gives them."""
    clip = clip_of(trace)
    return [{name: mask[i] for name, mask in clip.masks.items()} for i in range(clip.frames)]


def pushes(case: Case) -> list[list[dict[str, bool]]]:
    """The frames of a stream's trace as they arrive: in its chunks (rule 12.11), or one at a time."""
    frames = frames_in_order(case["trace"])
    if "chunks" not in case:
        return [[values] for values in frames]
    chunks = case["chunks"]
    if any(not isinstance(n, int) or isinstance(n, bool) or n < 1 for n in chunks) or sum(chunks) != len(frames):
        raise BadCase(f"the chunks {shown(chunks)} do not cut {len(frames)} frames")
    ends = list(accumulate(chunks))
    return [frames[end - size : end] for size, end in zip(chunks, ends, strict=True)]


def stream(case: Case, engine: Engine) -> Answer:
    """What is out at each frame or chunk of a trace, and at last at close."""
    opened = stream_of(case, engine)
    out, counts = [], []
    for frames in (*pushes(case), None):
        out.append(opened.close() if frames is None else opened.push(frames))
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
    """The frames of a stream of text in two columns, and the numbers of its bad lines (rule 12.10)."""
    frames: list[dict[str, bool]] = []
    bad: list[int] = []
    for number, line in enumerate(case["text"].splitlines(), start=1):
        match line.split():
            case []:
                pass
            case [first, *_] if first.startswith("#"):
                pass
            case [("0" | "1") as ref, ("0" | "1") as pred]:
                frames.append({"ref": ref == "1", "pred": pred == "1"})
            case _:
                bad.append(number)
    return {"frames": frames, "bad": bad}


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
