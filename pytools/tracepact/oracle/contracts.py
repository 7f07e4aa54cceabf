"""Answers to cases on event clauses and whole contracts: families from plain data, vectors, witnesses."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from tracepact.core import Aggregation, Contract, FrameClause
from tracepact.diagnostics import Diagnostics, InvalidInput
from tracepact.events import Unbounded, evaluate_events
from tracepact.lang import parse_contract
from tracepact.oracle.answers import Answer, Case, matcher_of, runs_of
from tracepact.oracle.engines import REFERENCE, Clip, Engine
from tracepact.oracle.trees import frames_of
from tracepact.score import Scorecard, score_family, sweep
from tracepact.trace import Durations, Event, EventTable, Family, Mode, Side, assemble, exact


def event_clause(case: Case, engine: Engine) -> Answer:
    """An event clause on the runs of one clip and class (chapters 4 and 9)."""
    matcher = matcher_of(case.get("matcher"))
    step = exact(case["step"])
    text = (
        f"contract case step {step}s merge_gap {exact(case.get('merge_gap', '0'))}s "
        f"matcher {matcher.kind.value}(search = {matcher.search}s, overlap_reward = {matcher.overlap_reward}) "
        f"clause clause_ on each {case['each']} : {case['predicate']}"
    )
    others = [tuple(runs_of(runs)) for runs in case.get("others", [])]
    refs = {k: runs for k, runs in enumerate([tuple(runs_of(case["ref"])), *others]) if runs}
    preds = {0: tuple(runs_of(case["pred"]))} if case["pred"] else {}
    family = Family(
        step,
        Mode.CLASS_INDEXED,
        ("clip",),
        (int(case["frames"]),),
        tuple(f"class{k}" for k in range(1 + len(others))),
        {Side.REF: refs, Side.PRED: preds},
        {0: tuple(runs_of(case["ignored"]))} if "ignored" in case else {},
        {},
    )
    contract = parse_contract(text)
    own = _only_class_zero(evaluate_events(contract, family).clauses[0].witnesses)
    card = score_family(contract, family)
    score = card.score("clause_", Aggregation.POOLED, label=0)
    return {
        "violated": own,
        "satisfied": score.satisfied,
        "obligated": score.obligated,
        "value": str(score.value),
        "vacuous": score.vacuous,
    }


def _only_class_zero(witnesses: Any) -> list[list[int]]:
    return [list(witness.interval) for witness in witnesses if witness.segment == 0]


def score(case: Case, engine: Engine) -> Answer:
    """A contract on a family of clips: its vector and all that stands beside it (chapters 3, 5, 7, 8, 10)."""
    diagnostics = Diagnostics()
    try:
        contract = parse_contract(case["contract"], case.get("set"))
        family = _family(contract, case, diagnostics)
    except InvalidInput as invalid:
        return {"errors": sorted({d.code for d in invalid.diagnostics if d.severity.value == "error"})}
    card = score_family(contract, family)
    vector = card.vector()
    soft, edges = card.soft.mean()
    counts = {name: [s.satisfied, s.obligated] for name, s in card.vector(Aggregation.POOLED).items()}
    if engine is REFERENCE:
        counts |= {c.name: _naive_counts(c, contract, case, family, engine) for c in contract.frame_clauses}
    return {
        "vector": _values(vector),
        "counts": counts,
        "vacuous": [name for name, s in vector.items() if s.vacuous],
        "aggregations": {a.value: _values(card.vector(a)) for a in Aggregation},
        "logic": str(card.logic()),
        "profiles": {p.name: str(card.profile(p)) for p in contract.profiles},
        "soft": {"value": f"{soft:.6f}", "edges": edges},
        "sweeps": [{"parameter": p.parameter, "value": p.value, "vector": _values(p.vector)} for p in sweep(card)],
        "pairs": [[*family.place(m.segment), list(m.ref), list(m.pred)] for m in card.events.matches],
        "witnesses": [w for c in contract.clauses for w in _witnesses(card, c.name, isinstance(c, FrameClause))],
        "errors": [],
        "warnings": sorted({d.code for d in diagnostics.warnings}),
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


def _naive_counts(clause: FrameClause, contract: Contract, case: Case, family: Family, engine: Engine) -> list[int]:
    """The pooled counts of a frame clause from the definitions alone: every clip and class by itself (rule 6.6)."""
    satisfied = obligated = 0
    for label in family.classes:
        clips = [_naive_clip(label, contract, clip, family, engine) for clip in case["clips"]]
        due, holds = engine.verdicts(clause.obligation, clips), engine.verdicts(clause.formula, clips)
        for clip, obliged, held in zip(clips, due, holds, strict=True):
            judged = [held[i] for i in range(clip.frames) if obliged[i] and not clip.ignored[i]]
            satisfied, obligated = satisfied + sum(judged), obligated + len(judged)
    return [satisfied, obligated]


def _naive_clip(label: str, contract: Contract, clip: Mapping[str, Any], family: Family, engine: Engine) -> Clip:
    """The atoms of one clip and class (rules 5.3 to 5.9)."""
    step, duration = contract.step, exact(clip["duration"])

    def mask(rows: Any, wanted: Callable[[str], bool]) -> list[bool]:
        events = [(e.onset, e.offset) for e in _events(rows) if wanted(e.label)]
        return engine.project(step, duration, contract.projection, events).mask

    masks: dict[str, list[bool]] = {name: frames_of(text) for name, text in clip.get("masks", {}).items()}
    union = family.mode is Mode.UNION
    for side in ("ref", "pred"):
        active = mask(clip[side], lambda own: union or own == label)
        _, onsets, offsets = engine.edges(active)
        masks |= {f"{side}_active": active, f"{side}_onset": onsets, f"{side}_offset": offsets}
        masks[f"other_{side}_active"] = mask(clip[side], lambda own: not union and own != label)
    regions = [(e.onset, e.offset) for e in _events(clip.get("ignore", [])) if e.label in ("", label) or union]
    centres = [(2 * i + 1) * step / 2 for i in range(len(masks["ref_active"]))]
    ignored = [any(on <= centre < off for on, off in regions) for centre in centres]
    return Clip(len(ignored), masks, ignored)


def _witnesses(card: Scorecard, clause: str, of_frames: bool) -> Iterator[dict[str, Any]]:
    """The witnesses of a clause (chapter 10)."""
    if of_frames:
        found = card.frame_witnesses(clause)
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
    for witness in card.event_clause(clause).witnesses:
        clip, label = card.family.place(witness.segment)
        failed = witness.comparison
        sides = {"left": failed.left, "right": failed.right, "amount": failed.amount} if failed else None
        yield {
            "clause": clause,
            "clip": clip,
            "class": label,
            "interval": list(witness.interval),
            "span": [witness.span.start, witness.span.end],
            "comparison": {name: _exact_text(value) for name, value in sides.items()} if sides else None,
        }


def _exact_text(value: int | Fraction | Unbounded) -> str:
    return "unbounded" if isinstance(value, Unbounded) else str(value)


CONTRACT_ASKS: dict[str, Callable[[Case, Engine], Answer]] = {"events": event_clause, "score": score}
