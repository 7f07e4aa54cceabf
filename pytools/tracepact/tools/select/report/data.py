"""A selection as plain data (spec/schemas/selection.schema.json), and what changed from one to another."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tracepact.core import Matcher
from tracepact.diagnostics.render import as_data
from tracepact.lang import parse_contract
from tracepact.logic.findings import check_contract
from tracepact.tools.select.cover.problem import Evidence
from tracepact.tools.select.family import FamilySpec
from tracepact.tools.select.select import Extension, Retained, Selection
from tracepact.tools.select.separate import Fault, Pair, Row, names, rank_pairs, separates
from tracepact.tools.select.separate import faults as all_faults
from tracepact.tools.select.stage import SHORT, Stage
from tracepact.tools.select.write import clause_name, clause_names, contract_text, describe
from tracepact.trace import Side
from tracepact.wording import count, ms

Data = dict[str, Any]
MEMBERS_SHOWN = 20
_EVIDENCE = {
    Evidence.ROWS: "requirements no two of which one clause meets",
    Evidence.WEIGHTS: "weights on requirements, of which every clause meets at most 1 in all",
    Evidence.SOLVER: "the solver's word",
}


def selection_data(selection: Selection, extensions: Sequence[Extension] = ()) -> Data:
    """Everything a selection says."""
    retained = selection.retained
    return {
        **retained_data(retained),
        "requirements": [requirement.value for requirement in selection.requirements],
        "matchers": [
            {**_matcher(matcher), "count": count, "cost": cost, "chosen": matcher == selection.matcher}
            for matcher, count, cost in selection.by_matcher
        ],
        "selected": _selected(selection),
        "beyond": [_extension(extension, retained) for extension in extensions],
        "optima": _optima(selection),
        "contract": _contract(selection),
        "diagnostics": [as_data(diagnostic) for diagnostic in selection.diagnostics],
        "changes": None,
    }


def retained_data(retained: Retained) -> Data:
    """The cases, the candidates and the basis, before anything is selected."""
    observed = retained.observed
    calibration = observed.calibration
    return {
        "calibration": {
            "name": calibration.name,
            "title": calibration.title,
            "file": calibration.source.name,
            "digest": calibration.digest,
            "step": str(calibration.step),
            "projection": calibration.projection.value,
            "merge_gap": str(calibration.merge_gap),
        },
        "cases": _cases(retained),
        "family": family_data(observed.candidates.family),
        "candidates": _candidates(retained),
        "coordinates": [_coordinate(retained, place) for place in range(len(retained.basis.coordinates))],
        "unmet": [{**_row(retained, row), "identical": _identical(retained, row)} for row in retained.unmet],
    }


def family_data(family: FamilySpec) -> Data:
    """The declaration of a family."""
    return {
        "atoms": list(family.atoms),
        "obligations": list(family.obligations),
        "tolerances": [str(tolerance) for tolerance in family.tolerances],
        "shapes": list(family.shapes),
        "operators": list(family.operators),
        "depth": family.depth,
        "from_depth": family.from_depth,
        "each": list(family.each),
        "attributes": list(family.attributes),
        "shares": [str(share) for share in family.shares],
        "counts": list(family.counts),
        "joined": family.joined,
        "matchers": [_matcher(matcher) for matcher in family.matchers],
        "most": family.most,
    }


def _matcher(matcher: Matcher) -> Data:
    return {
        "kind": matcher.kind.value,
        "search": str(matcher.search),
        "overlap_reward": str(matcher.overlap_reward),
    }


def _cases(retained: Retained) -> list[Data]:
    cases = retained.observed.calibration.cases
    return [
        {
            "name": case.name,
            "risk": case.risk,
            "rank": str(case.rank),
            "fault": case.fault,
            "how": case.how,
            "duration": str(case.duration),
            "rounded": case.rounded(retained.observed.calibration.step),
            "frames": retained.observed.stage.family.frames[place],
            "traces": traces(retained.observed.stage, place),
        }
        for place, case in enumerate(cases)
    ]


def traces(stage: Stage, clip: int) -> list[Data]:
    """The runs of both sides of a clip, class by class, in frames."""
    family = stage.family
    found = []
    for label, name in enumerate(family.classes):
        segment = family.segment(label, clip)
        ref, pred = (list(map(list, family.runs[side].get(segment, ()))) for side in (Side.REF, Side.PRED))
        if ref or pred or len(family.classes) == 1:
            found.append({"class": name, "ref": ref, "pred": pred})
    return found


def _candidates(retained: Retained) -> Data:
    candidates, basis = retained.observed.candidates, retained.basis
    return {
        "total": len(candidates),
        "author": candidates.first_frame,
        "frame": candidates.first_event - candidates.first_frame,
        "event": len(candidates.predicates),
        "dropped": {
            "reference": basis.by_reference,
            "short_trace": basis.by_short_trace,
            "solver": len(basis.refuted),
        },
        "undecided": [describe(candidates, index) for index in basis.undecided],
        "constant": sum(len(members) for members in basis.constants.values()),
        "only_tested": basis.only_tested,
        "proofs": dict(sorted(basis.proofs.items())),
        "short_traces": {"frames": SHORT, "traces": retained.observed.stage.short_traces},
    }


def _coordinate(retained: Retained, place: int) -> Data:
    observed, coordinate = retained.observed, retained.basis.coordinates[place]
    cases, candidates = observed.calibration.cases, observed.candidates
    pairs = [pair for pair in rank_pairs(cases) if separates(coordinate.values, pair)]
    ranks = sorted({(cases[p.worse].rank, cases[p.better].rank) for p in pairs}, reverse=True)
    return {
        "name": clause_name(candidates, coordinate.candidate),
        "text": describe(candidates, coordinate.candidate),
        "candidate": coordinate.candidate,
        "cost": coordinate.cost,
        "proof": coordinate.proof.by,
        "values": [str(value) for value in coordinate.values],
        "vacuous": list(coordinate.vacuous),
        "separates": len(pairs),
        "ranks": [[str(worse), str(better)] for worse, better in ranks],
        "alone": [_row(retained, row) for row in retained.rows if row.coordinates == 1 << place],
        "names": [fault.name for fault in all_faults(cases) if names(coordinate.values, fault)],
        "members": {
            "total": len(coordinate.members),
            "shown": [describe(candidates, index) for index in coordinate.members[:MEMBERS_SHOWN]],
        },
    }


def _row(retained: Retained, row: Row) -> Data:
    cases = retained.observed.calibration.cases
    match row.of:
        case Pair(worse, better):
            return {"worse": cases[worse].name, "better": cases[better].name, "fault": None}
        case Fault(name):
            return {"worse": None, "better": None, "fault": name}


def _identical(retained: Retained, row: Row) -> bool:
    """Whether what is required is to tell two traces apart that are the same on the grid."""
    return isinstance(row.of, Pair) and retained.observed.stage.alike(row.of.worse, row.of.better)


def _order(selection: Selection) -> Data:
    """How far the order of harm is kept: pairs on which some selected clause, or the plain mean of all, is against it.

    Separation asks for one clause that is lower; others may be higher, and the mean may be as well (14.12).
    """
    values = [coordinate.values for coordinate in selection.coordinates]
    pairs = rank_pairs(selection.calibration.cases)
    sums = [sum(column, Fraction(0)) for column in zip(*values, strict=True)]
    return {
        "pairs": len(pairs),
        "reversed_by_some": sum(any(v[p.worse] > v[p.better] for v in values) for p in pairs),
        "mean_reversed": sum(bool(sums) and sums[p.worse] > sums[p.better] for p in pairs),
        "mean_tied": sum(not sums or sums[p.worse] == sums[p.better] for p in pairs),
    }


def identical_words(worse: Data, better: Data, step: str) -> str:
    """Two cases that are one trace, and whether the grid made them so."""
    grid = ms(Fraction(step))
    moved = [f"`{case['name']}`" for case in (worse, better) if case["rounded"]]
    why = f"; times of {' and '.join(moved)} are no multiples of {grid} and were rounded" if moved else ""
    return f"their traces are identical on the grid of {grid}, so no family can separate them{why}"


def order_words(order: Data) -> str:
    """What separation does not say, in words and numbers."""
    return (
        "separated means that some clause is lower on the worse case, no more: of "
        f"{count(order['pairs'], 'pair')} of different rank, some selected clause is higher on the worse case "
        f"in {order['reversed_by_some']}, and the plain mean of the clauses is reversed in {order['mean_reversed']} "
        f"and tied in {order['mean_tied']}"
    )


def unproved_words(selected: Data) -> str:
    """What is not proved of the best that was found: number, cost or order."""
    count, cost = selected["count"] - selected["count_bound"], selected["cost"] - selected["cost_bound"]
    if count:
        return f"at least {selected['count_bound']} are needed, so at most {count} too many"
    least = f"no fewer than {count(selected['count'], 'clause')} will do"
    if cost > 0:
        return f"{least}; that none as few costs less is not proved (the cost may be up to {cost} too high)"
    return f"{least}, at no less cost; that none of these comes earlier in order is not proved"


def _selected(selection: Selection) -> Data:
    cover, met = selection.cover, selection.retained.met
    clauses = clause_names(selection)
    return {
        "clauses": [
            {
                "name": clause,
                "coordinate": need.coordinate,
                "only": [_row(selection.retained, row) for row in need.only],
            }
            for clause, need in zip(clauses, selection.necessity, strict=True)
        ],
        "count": len(cover.columns),
        "cost": cover.cost,
        "optimal": cover.optimal,
        "order": _order(selection),
        "count_bound": cover.count_bound,
        "cost_bound": cover.cost_bound,
        "evidence": _EVIDENCE[cover.evidence],
        "solver": cover.solver,
        "independent": [_row(selection.retained, met[row]) for row in cover.independent_rows],
        "weights": [{**_row(selection.retained, met[row]), "weight": str(weight)} for row, weight in cover.row_weights],
        "second_solver": {
            "name": cover.refutation.solver,
            "fewer": cover.refutation.count.value,
            "cheaper": cover.refutation.cost.value,
            "earlier": cover.refutation.order.value,
        },
        "required": len(selection.retained.rows),
        "met": len(met),
    }


def _extension(extension: Extension, retained: Retained) -> Data:
    cases = retained.observed.calibration.cases
    return {
        "words": extension.words,
        "size": extension.size,
        "most": extension.most,
        "affordable": extension.affordable,
        "found": [
            {"worse": cases[pair.worse].name, "better": cases[pair.better].name, "candidate": text}
            for pair, text in extension.found
        ],
    }


def _optima(selection: Selection) -> Data | None:
    if selection.optima is None:
        return None
    candidates, basis = selection.retained.observed.candidates, selection.retained.basis.coordinates
    return {
        "complete": selection.optima.complete,
        "sets": [
            [clause_name(candidates, basis[column].candidate) for column in columns] for columns in selection.optima
        ],
    }


def _contract(selection: Selection) -> Data | None:
    """The contract and what `check` says of it; None if nothing was selected."""
    if not selection.cover.columns:
        return None
    text = contract_text(selection)
    contract = parse_contract(text, name=f"{selection.calibration.name}.contract")
    findings = [*contract.warnings, *check_contract(contract)]
    return {"text": text, "digest": contract.digest, "findings": [as_data(finding) for finding in findings]}


def row_words(row: Data) -> str:
    """What is required, in words."""
    return f"`{row['fault']}` named" if row["fault"] is not None else f"`{row['worse']}` below `{row['better']}`"


def bound_words(selected: Data) -> list[str]:
    """The evidence that no fewer clauses do: requirements that need one each, or weights on requirements."""
    if len(selected["independent"]) == selected["count_bound"]:
        return [row_words(row) for row in selected["independent"]]
    total = sum((Fraction(row["weight"]) for row in selected["weights"]), Fraction(0))
    weights = [f"{row['weight']} on {row_words(row)}" for row in selected["weights"]]
    return [*weights, f"together {total}"] if weights else []


def changes_data(before: Data, after: Data) -> Data:
    """What a case left out, or another rank, changes: clauses that went and came, cases and pairs that differ."""

    def clauses(data: Data) -> list[str]:
        return [data["coordinates"][clause["coordinate"]]["text"] for clause in data["selected"]["clauses"]]

    old, new = clauses(before), clauses(after)
    ranks = {case["name"]: case["rank"] for case in before["cases"]}
    now = {case["name"]: case["rank"] for case in after["cases"]}
    return {
        "without": [name for name in ranks if name not in now],
        "ranks": [
            {"case": name, "before": ranks[name], "after": now[name]} for name in now if ranks[name] != now[name]
        ],
        "gone": [text for text in old if text not in new],
        "new": [text for text in new if text not in old],
        "count": [len(old), len(new)],
        "cost": [before["selected"]["cost"], after["selected"]["cost"]],
        "unmet": [len(before["unmet"]), len(after["unmet"])],
    }
