"""A scoring run as plain data: what JSON holds and every renderer reads (spec/schemas/report.schema.json)."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tracepact.core import Aggregation, Contract, EventClause
from tracepact.diagnostics.render import as_data
from tracepact.metrics import metrics_data, standard_metrics
from tracepact.scoring import Score, Scorecard, sweep
from tracepact.tools.score.report.timeline import worst_timelines
from tracepact.tools.score.report.witnesses import shown_witnesses
from tracepact.tools.score.scored import Scored
from tracepact.tools.score.store.manifest import versions
from tracepact.wording import rounded

FORMAT = "tracepact-report/1"
Data = dict[str, Any]


def report_data(run: Scored) -> Data:
    """Everything a report says, with exact values as fractions in text."""
    card = run.card
    contract, family = card.contract, card.family
    edges_mean, edges = card.soft.mean()
    return {
        "format": FORMAT,
        "versions": versions(),
        "contract": _contract(contract),
        "inputs": [{"role": i.role, "name": i.name, "sha256": i.digest} for i in run.inputs],
        "preparation": dict(run.preparation),
        "grid": {"step": str(contract.step), "projection": contract.projection.value},
        "matcher": {
            "kind": contract.matcher.kind.value,
            "search": str(contract.matcher.search),
            "overlap_reward": str(contract.matcher.overlap_reward),
            "merge_gap": str(contract.merge_gap),
        },
        "family": {
            "mode": family.mode.value,
            "clips": len(family.clips),
            "classes": list(family.classes),
            "frames": sum(family.frames) * len(family.classes),
        },
        "aggregation": contract.aggregation.value,
        "vector": [
            {
                "clause": clause.name,
                "kind": "event" if isinstance(clause, EventClause) else "frame",
                "scores": {a.value: score_data(card.score(clause.name, a)) for a in Aggregation},
            }
            for clause in contract.clauses
        ],
        "logic": {a.value: value_data(card.logic(a)) for a in Aggregation},
        "profiles": [
            {"name": p.name, "aggregation": p.aggregation.value, **value_data(card.profile(p))}
            for p in contract.profiles
        ],
        "metrics": _metrics(run),
        "soft_boundary": {"value": edges_mean, "edges": edges, "scale": str(contract.soft_scale)},
        "classes": _classes(card),
        "conditions": _conditions(card, run.conditions) if run.conditions else [],
        "sweeps": [
            {
                "parameter": point.parameter,
                "value": point.value,
                "vector": {name: score_data(score) for name, score in point.vector.items()},
            }
            for point in sweep(card)
        ],
        "witnesses": [shown_witnesses(card, clause) for clause in contract.clauses],
        "timelines": worst_timelines(card),
        "matches": _matches(card),
        "diagnostics": {
            "counts": dict(Counter(d.code for d in run.diagnostics)),
            "items": [as_data(d) for d in run.diagnostics],
        },
    }


def _metrics(run: Scored) -> Data:
    """The standard metrics of the same tables and traces, with the first of the decisions on which policies differ."""
    card = run.card
    found = standard_metrics(
        run.reference, run.prediction, card.family, card.contract, events=card.events, ignore=run.ignore
    )
    return metrics_data(found, most=20)


def value_data(value: Fraction) -> Data:
    """An exact value and its decimal for reading."""
    return {"value": str(value), "decimal": rounded(value)}


def score_data(score: Score) -> Data:
    """A score with its counts."""
    return {
        **value_data(score.value),
        "satisfied": score.satisfied,
        "obligated": score.obligated,
        "vacuous": score.vacuous,
        "entries": score.entries,
        "vacuous_entries": score.vacuous_entries,
        "counter_entries": score.counter_entries,
    }


def _contract(contract: Contract) -> Data:
    return {
        "name": contract.name,
        "title": contract.title,
        "digest": contract.digest,
        "text": contract.text,
        "source": contract.source.name,
        "parameters": [{"name": p.name, "value": p.text, "overridden": p.overridden} for p in contract.parameters],
    }


def _classes(card: Scorecard) -> list[Data]:
    """The pooled vector of every class."""
    return [
        {
            "label": label,
            "vector": {name: score_data(score) for name, score in card.vector(Aggregation.POOLED, label=index).items()},
        }
        for index, label in enumerate(card.family.classes)
    ]


def _conditions(card: Scorecard, conditions: Mapping[str, str]) -> list[Data]:
    """The vectors of every condition, under every aggregation."""
    groups: dict[str, list[str]] = {}
    for clip in card.family.clips:
        groups.setdefault(conditions[clip], []).append(clip)
    found = []
    for name in sorted(groups):
        clips = card.clip_indices(groups[name])
        soft, edges = card.soft.mean(clips)
        found.append(
            {
                "condition": name,
                "clips": len(clips),
                "vector": {
                    clause.name: {a.value: score_data(card.score(clause.name, a, clips=clips)) for a in Aggregation}
                    for clause in card.contract.clauses
                },
                "logic": {a.value: value_data(card.logic(a, clips=clips)) for a in Aggregation},
                "profiles": {p.name: value_data(card.profile(p, clips=clips)) for p in card.contract.profiles},
                "soft_boundary": {"value": soft, "edges": edges},
            }
        )
    return found


def _matches(card: Scorecard) -> list[Data]:
    """Every matched pair, in seconds."""
    step = card.family.step

    def seconds(run: tuple[int, int]) -> list[str]:
        return [str(edge * step) for edge in run]

    found = []
    for match in card.events.matches:
        clip, label = card.family.place(match.segment)
        found.append({"clip": clip, "class": label, "ref": seconds(match.ref), "pred": seconds(match.pred)})
    return found
