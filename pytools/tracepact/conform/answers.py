"""Answers to cases on frames, runs, matches, event clauses and whole contracts, as plain data."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tracepact.conform import definitions
from tracepact.conform.definitions import ClipCounts, Scored
from tracepact.conform.engines import (
    REFERENCE,
    CaseClip,
    CaseEngine,
    EventScene,
    arrivals,
    delays_of,
    masks_of,
    names_of,
)
from tracepact.conform.event_definitions import NaiveCard, NaiveClip
from tracepact.conform.protocol import LONGEST, BadCase, bits, formula_of, frames_of, shown, verdicts_out
from tracepact.data.assembly import assemble
from tracepact.data.events import Durations, Event, EventTable, exact
from tracepact.data.family import Family, Mode
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.evaluate.predicates import Unbounded
from tracepact.evaluate.scorecard import Scorecard, score_family, sweep
from tracepact.language.compilation import at_sweep_point, parse_contract
from tracepact.language.contract import Aggregation, Contract, FrameClause, Matcher, MatcherKind, Projection
from tracepact.language.formula import Formula, FrameRun, atoms

# Answers to cases on frames, runs and matches: what a case asks, as plain data (spec/protocol.md).

Case = Mapping[str, Any]
Answer = dict[str, Any]
_MOST_CHANNELS = 1 << 12
_LARGEST_COUNT = (1 << 63) - 1


def clip_of(data: Mapping[str, Any], names: Iterable[str]) -> CaseClip:
    """A clip as vectors write it, with a mask for every one of the names."""
    frames, masks = masks_of(data, names)
    ignored = frames_of(data["ignored"]) if "ignored" in data else [False] * frames
    if len(ignored) != frames:
        raise BadCase("a mask has another length than its clip")
    return CaseClip(frames, masks, ignored)


def clips_of(case: Case, *formulas: Formula) -> list[CaseClip]:
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
    # Two that touch may stand, for joining them is a rule of its own; what crosses has no order.
    if any(b[0] < a[1] for a, b in pairwise(data)):
        raise BadCase("the runs of a side are in order and do not overlap")
    return [(start, end) for start, end in data]


def verdicts(case: Case, engine: CaseEngine) -> Answer:
    """The formula at every frame of every clip."""
    formula = formula_of(case["formula"])
    return {"verdicts": [bits(mask) for mask in engine.verdicts(formula, clips_of(case, formula))]}


def clause(case: Case, engine: CaseEngine) -> Answer:
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
    # Without an obligation nothing is violated: the value is 1, and it is said to be vacuous (rule 7.3).
    value = Fraction(sum(judged), len(judged)) if judged else Fraction(1)
    return {"satisfied": sum(judged), "obligated": len(judged), "value": str(value), "vacuous": not judged}


def aggregated(case: Case, engine: CaseEngine) -> Answer:
    """The value of counts, classes × clips, under every aggregation (rules 7.2 to 7.5)."""
    of_events = case["kind"] == "event"
    clips = {len(row) for row in case["entries"]}
    if len(clips) != 1 or 0 in clips:
        raise BadCase("there is at least one class and one clip, and every class has all clips")
    if any(not 0 <= e["satisfied"] <= e["obligated"] <= _LARGEST_COUNT for row in case["entries"] for e in row):
        raise BadCase(f"counts are from 0 to {_LARGEST_COUNT}, satisfied at most obligated")
    entries = [
        [ClipCounts(e["satisfied"], e["obligated"], of_events and bool(e.get("runs", False))) for e in row]
        for row in case["entries"]
    ]
    scores = {a.value: engine.aggregate(entries, a) for a in Aggregation}
    return {name: {"value": str(value), "vacuous": vacuous} for name, (value, vacuous) in scores.items()}


def measure(case: Case, engine: CaseEngine) -> Answer:
    """How far a formula looks (rule 6.7)."""
    formula = formula_of(case["formula"])
    back, ahead = engine.measure(formula)
    return {"lookahead": ahead, "lookback": back}


def project(case: Case, engine: CaseEngine) -> Answer:
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


def runs(case: Case, engine: CaseEngine) -> Answer:
    """The runs, joined runs and edges of a mask (rules 5.5 to 5.8)."""
    mask = frames_of(case["mask"])
    check_step(exact(case["step"]))
    found, onsets, offsets = engine.edges(mask)
    joined = engine.join(mask, exact(case["merge_gap"]), exact(case["step"]))
    return {
        "runs": [list(run) for run in found],
        "joined": [list(run) for run in joined],
        "onsets": bits(onsets),
        "offsets": bits(offsets),
    }


def match(case: Case, engine: CaseEngine) -> Answer:
    """The candidates with their costs, and the matched pairs (chapter 8)."""
    ref, pred, step = runs_of(case["ref"]), runs_of(case["pred"]), exact(case["step"])
    check_step(step)
    matcher = matcher_of(case["matcher"])
    found = engine.candidates(ref, pred, matcher, step)
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


def stream(case: Case, engine: CaseEngine) -> Answer:
    """What is out at each frame or chunk of a trace, and at last at close.

    The verdicts are those of the whole trace (rule 12.3), each out when its clause's delay has passed.
    """
    clauses = clauses_of(case)
    frames, masks = masks_of(case["trace"], names_of(clauses))
    clip = CaseClip(frames, masks, ())
    words = []
    for clause in clauses:
        (obliged,), (holds,) = (engine.verdicts(formula, [clip]) for formula in clause)
        words.append([("satisfied" if h else "violated") if o else "free" for o, h in zip(obliged, holds, strict=True)])
    out = list(verdicts_out(delays_of(clauses), words, arrivals(case)))
    # Counts are what was said so far, and not what is known: that is what a reader of the stream can check.
    counts, so_far = [], [[0, 0] for _ in clauses]
    for said in out:
        for _, k, word in said:
            so_far[k] = [so_far[k][0] + (word == "satisfied"), so_far[k][1] + (word != "free")]
        counts.append([list(pair) for pair in so_far])
    return {"out": out, "counts": counts}


def components(case: Case, engine: CaseEngine) -> Answer:
    """When each component of a stream's runs is closed (rules 12.6 and 12.7)."""
    ref, pred = frames_of(case["ref"]), frames_of(case["pred"])
    check_step(exact(case["step"]))
    if len(ref) != len(pred):
        raise BadCase("the two masks of a stream have one length")
    found = engine.components(ref, pred, exact(case["merge_gap"]), exact(case["search"]), exact(case["step"]))
    return {"closed": [[at, [list(r) for r in refs], [list(p) for p in preds]] for at, (refs, preds) in found]}


def lines(case: Case, engine: CaseEngine) -> Answer:
    """The frames of a stream of text, the numbers of its bad lines, and the streams that end (rule 12.10)."""
    channels = case.get("channels", 1)
    if not isinstance(channels, int) or isinstance(channels, bool) or not 1 <= channels <= _MOST_CHANNELS:
        raise BadCase(f"there are {shown(channels)} channels")
    found = engine.lines(case["text"], channels)
    return {"frames": found.frames, "bad": found.bad, "ended": found.ended}


FRAME_ASKS: dict[str, Callable[[Case, CaseEngine], Answer]] = {
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


# Answers to cases on event clauses and whole contracts: families from plain data, vectors, witnesses.


def event_clause(case: Case, engine: CaseEngine) -> Answer:
    """An event clause on the runs of one clip and class (chapters 4 and 9)."""
    matcher = matcher_of(case.get("matcher"))
    step = exact(case["step"])
    # Through the reader, and not built as data: a predicate is text in the protocol, and its types are checked by the
    # same rules as in a contract.
    text = (
        f"contract case step {step}s merge_gap {exact(case.get('merge_gap', '0'))}s "
        f"matcher {matcher.kind.value}(search = {matcher.search}s, overlap_reward = {matcher.overlap_reward}) "
        f"clause clause_ on each {case['each']} : {case['predicate']}"
    )
    contract = parse_contract(text)
    if not 0 <= int(case["frames"]) <= LONGEST:
        raise BadCase(f"a clip has more than {LONGEST} frames")
    scene = EventScene(
        int(case["frames"]),
        runs_of(case["ref"]),
        runs_of(case["pred"]),
        [runs_of(runs) for runs in case.get("others", [])],
        runs_of(case.get("ignored", [])),
    )
    if any(run[1] > scene.frames for side in (scene.ref, scene.pred, *scene.others, scene.ignored) for run in side):
        raise BadCase(f"a run ends after the {scene.frames} frames")
    found = engine.events(contract, scene)
    value, vacuous = definitions.score(found.entry)
    return {
        "violated": [list(run) for run in found.violated],
        "satisfied": found.entry.satisfied,
        "obligated": found.entry.obligated,
        "value": str(value),
        "vacuous": vacuous,
    }


def score(case: Case, engine: CaseEngine) -> Answer:
    """A contract on a family of clips: its vector and all that belongs to it (chapters 3, 5, 7, 8, 10)."""
    diagnostics = Diagnostics()
    try:
        contract = parse_contract(case["contract"], case.get("set"))
        for clip in case["clips"]:
            check_length(exact(clip["duration"]), contract.step)
        family = _family(contract, case, diagnostics)
    except InvalidInput as invalid:
        # Codes alone: where a fault of a family lies has no form that other programs share.
        return {"errors": sorted({d.code for d in invalid.diagnostics if d.severity.value == "error"})}
    # Two ways that share the reader and the list of classes, nothing else.
    found = _by_definition(contract, case, family) if engine is REFERENCE else _by_package(contract, family)
    return {**found, "errors": [], "warnings": sorted({d.code for d in diagnostics.warnings})}


def _by_definition(contract: Contract, case: Case, family: Family) -> Answer:
    """Everything from the definitions; the package gave the classes alone (rule 7.6)."""
    clips = [_naive_clip(clip) for clip in case["clips"]]
    union = family.mode is Mode.UNION

    def card(of: Contract) -> NaiveCard:
        return NaiveCard(of, clips, family.classes, union=union)

    scored = card(contract)
    vector = scored.vector()
    soft, edges = scored.soft()
    points = [
        (sweep.parameter, value, card(at_sweep_point(contract, sweep.parameter, value)).vector(contract.aggregation))
        for sweep in contract.sweeps
        for value in sweep.values
    ]
    return {
        "vector": _scored(vector),
        "counts": scored.counts(),
        "vacuous": [name for name, (_, vacuous) in vector.items() if vacuous],
        "aggregations": {a.value: _scored(scored.vector(a)) for a in Aggregation},
        "logic": str(sum((value for value, _ in vector.values()), Fraction(0)) / len(vector)),
        "profiles": {name: str(value) for name, value in scored.profiles().items()},
        # Six digits: the exponential differs in the last bits between libraries.
        "soft": {"value": f"{soft:.6f}", "edges": edges},
        "sweeps": [{"parameter": p, "value": value, "vector": _scored(at)} for p, value, at in points],
        "pairs": [
            [place.clip, place.label, list(place.scene.refs[i]), list(place.scene.preds[j])]
            for place in scored.places
            for i, j in place.pairs
        ],
        "witnesses": list(scored.witnesses()),
    }


def _scored(vector: Mapping[str, Scored]) -> dict[str, str]:
    return {name: str(value) for name, (value, _) in vector.items()}


def _naive_clip(clip: Mapping[str, Any]) -> NaiveClip:
    masks = {name: frames_of(text) for name, text in clip.get("masks", {}).items()}
    ref, pred, ignore = (_events(clip.get(kind, [])) for kind in ("ref", "pred", "ignore"))
    return NaiveClip(clip["name"], exact(clip["duration"]), ref, pred, ignore, masks)


def _by_package(contract: Contract, family: Family) -> Answer:
    card = score_family(contract, family)
    vector = card.vector()
    soft, edges = card.soft.mean()
    return {
        "vector": _values(vector),
        "counts": {name: [s.satisfied, s.obligated] for name, s in card.vector(Aggregation.POOLED).items()},
        "vacuous": [name for name, s in vector.items() if s.vacuous],
        "aggregations": {a.value: _values(card.vector(a)) for a in Aggregation},
        "logic": str(card.logic()),
        "profiles": {p.name: str(card.profile(p)) for p in contract.profiles},
        "soft": {"value": f"{soft:.6f}", "edges": edges},
        "sweeps": [{"parameter": p.parameter, "value": p.value, "vector": _values(p.vector)} for p in sweep(card)],
        "pairs": [[*family.place(m.segment), list(m.ref), list(m.pred)] for m in card.events.matches],
        "witnesses": [w for c in contract.clauses for w in _witnesses(card, c.name, isinstance(c, FrameClause))],
    }


def _values(vector: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(score.value) for name, score in vector.items()}


def _family(contract: Contract, case: Case, diagnostics: Diagnostics) -> Family:
    clips = case["clips"]
    predicted = {c["name"]: c["pred"] for c in clips} | case.get("extra_predictions", {})
    masks: dict[str, dict[str, list[bool]]] = {}
    for clip in clips:
        for atom, text in clip.get("masks", {}).items():
            masks.setdefault(atom, {})[clip["name"]] = frames_of(text)
    regions = EventTable("ignore", {c["name"]: _events(c.get("ignore", [])) for c in clips})
    return assemble(
        contract,
        EventTable("ref", {c["name"]: _events(c["ref"]) for c in clips}),
        EventTable("pred", {name: _events(rows) for name, rows in predicted.items()}),
        durations=Durations("durations", {c["name"]: exact(c["duration"]) for c in clips}),
        mode=Mode(case.get("mode", "class_indexed")),
        ignore=regions,
        masks=masks,
        diagnostics=diagnostics,
    )


def _events(rows: Any) -> tuple[Event, ...]:
    return tuple(Event(exact(row[0]), exact(row[1]), row[2] if len(row) > 2 else "") for row in rows)


def _witnesses(card: Scorecard, clause: str, of_frames: bool) -> Iterator[dict[str, Any]]:
    """The witnesses of a clause (chapter 10)."""
    if of_frames:
        found = card.frame_violations(clause)
        for k in range(len(found)):
            clip, label = card.family.place(int(found.segment[k]))
            span = found.spans[int(found.span[k])]
            distance = found.distance(k)
            yield {
                "clause": clause,
                "clip": clip,
                "class": label,
                "frame": int(found.frame[k]),
                "span": [span.start, span.end],
                "distance": None if found.offset is None else "unbounded" if distance is None else distance,
            }
        return
    for witness in card.event_clause(clause).violations:
        clip, label = card.family.place(witness.segment)
        failed = witness.comparison
        sides = {"left": failed.left, "right": failed.right, "amount": failed.amount} if failed else None
        yield {
            "clause": clause,
            "clip": clip,
            "class": label,
            "interval": list(witness.interval),
            "span": [witness.span.start, witness.span.end],
            "comparison": {name: _amount(value) for name, value in sides.items()} if sides else None,
        }


def _amount(value: int | Fraction | Unbounded) -> str:
    return "unbounded" if isinstance(value, Unbounded) else str(value)


CONTRACT_ASKS: dict[str, Callable[[Case, CaseEngine], Answer]] = {"events": event_clause, "score": score}
