"""Answers to cases on text: formulas to trees, contracts to their settings, canonical text and faults."""

from collections.abc import Callable
from typing import Any

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, Diagnostics, Severity, Source, TextPlace
from tracepact.lang import compile_formula, compile_source, source_of
from tracepact.tools.conform.answers import Answer, Case, check_step
from tracepact.tools.conform.engines import Engine
from tracepact.tools.conform.trees import tree_of
from tracepact.trace import exact


def formula(case: Case, engine: Engine) -> Answer:
    """The tree of a formula's text, or its faults (chapters 1 and 2)."""
    diagnostics = Diagnostics()
    check_step(exact(case["step"]))
    found = compile_formula(Source("<formula>", case["text"]), exact(case["step"]), diagnostics)
    return {"errors": faults(diagnostics)} | ({"formula": tree_of(found.formula)} if found else {})


def contract(case: Case, engine: Engine) -> Answer:
    """What a contract's text declares, or its faults (chapters 1 to 4, 11)."""
    diagnostics = Diagnostics()
    compiled = compile_source(source_of(case["text"], "<text>"), diagnostics, case.get("set"))
    found = {"errors": faults(diagnostics), "warnings": sorted({d.code for d in diagnostics.warnings})}
    return found | (_declared(compiled) if compiled else {})


def faults(diagnostics: Diagnostics) -> list[dict[str, Any]]:
    """The errors by code and place, in order of place; what is not in the text comes last."""
    found = [(d.code, _span(d)) for d in diagnostics if d.severity is Severity.ERROR]
    found.sort(key=lambda fault: (fault[1] is None, fault[1] or [], fault[0]))
    return [{"code": code, "span": span} for code, span in found]


def _span(diagnostic: Diagnostic) -> list[int] | None:
    place = diagnostic.place
    return [place.span.start, place.span.end] if isinstance(place, TextPlace) else None


def _declared(contract: Contract) -> Answer:
    matcher = contract.matcher
    return {
        "name": contract.name,
        "title": contract.title,
        "step": str(contract.step),
        "merge_gap": str(contract.merge_gap),
        "projection": contract.projection.value,
        "aggregation": contract.aggregation.value,
        "soft_scale": str(contract.soft_scale),
        "labels": list(contract.labels) if contract.labels is not None else None,
        "matcher": {
            "kind": matcher.kind.value,
            "search": str(matcher.search),
            "overlap_reward": str(matcher.overlap_reward),
        },
        "sweeps": [{"parameter": s.parameter, "values": list(s.values)} for s in contract.sweeps],
        "profiles": [
            {
                "name": profile.name,
                "aggregation": profile.aggregation.value,
                "weights": {name: str(weight) for name, weight in profile.weights},
            }
            for profile in contract.profiles
        ],
        "canonical": contract.text,
        "digest": contract.digest,
    }


TEXT_ASKS: dict[str, Callable[[Case, Engine], Answer]] = {"contract": contract, "formula": formula}
