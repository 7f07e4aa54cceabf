"""Answers to cases on event clauses and whole contracts: families from plain data, vectors, witnesses."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from tracepact.core import Aggregation, Contract, FrameClause
from tracepact.diagnostics import Diagnostics, InvalidInput
from tracepact.events import Unbounded
from tracepact.lang import at_sweep_point, parse_contract
from tracepact.scoring import Scorecard, score_family, sweep
from tracepact.tools.conform import definitions
from tracepact.tools.conform.answers import Answer, Case, check_length, matcher_of, runs_of
from tracepact.tools.conform.definitions import Scored
from tracepact.tools.conform.engines import REFERENCE, Engine, EventScene
from tracepact.tools.conform.scoring import NaiveCard, NaiveClip
from tracepact.tools.conform.trees import LONGEST, BadCase, frames_of
from tracepact.trace import Durations, Event, EventTable, Family, Mode, assemble, exact


def event_clause(case: Case, engine: Engine) -> Answer:
    """An event clause on the runs of one clip and class (chapters 4 and 9)."""
    matcher = matcher_of(case.get("matcher"))
    step = exact(case["step"])
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
    found = engine.events(contract, scene)
    value, vacuous = definitions.score(found.entry)
    return {
        "violated": [list(run) for run in found.violated],
        "satisfied": found.entry.satisfied,
        "obligated": found.entry.obligated,
        "value": str(value),
        "vacuous": vacuous,
    }


def score(case: Case, engine: Engine) -> Answer:
    """A contract on a family of clips: its vector and all that belongs to it (chapters 3, 5, 7, 8, 10)."""
    diagnostics = Diagnostics()
    try:
        contract = parse_contract(case["contract"], case.get("set"))
        for clip in case["clips"]:
            check_length(exact(clip["duration"]), contract.step)
        family = _family(contract, case, diagnostics)
    except InvalidInput as invalid:
        return {"errors": sorted({d.code for d in invalid.diagnostics if d.severity.value == "error"})}
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


CONTRACT_ASKS: dict[str, Callable[[Case, Engine], Answer]] = {"events": event_clause, "score": score}
