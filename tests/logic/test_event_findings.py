"""What check claims about random event clauses, asked of every small scene as the matcher makes it."""

import os
import random
from collections.abc import Iterator

import pytest
from logic.test_diff import fails, runs, scenes
from logic.test_intervals import MATCHERS, PARTS, SMALL, contract_of, holds_of

from tracepact.diagnostics.findings import Diagnostic, Span, TextPlace
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import EventClause, Located
from tracepact.language.formula import Formula, Not
from tracepact.language.predicate import Each
from tracepact.logic.contract_findings import check_contract

CONTRACTS = max(120, int(os.environ["TRACEPACT_EXAMPLES"]))
MORE_PARTS = {
    Each.REF: ["ref.duration == 30ms", "ref.duration >= 20ms", "iou <= 1", "coverage > 1", "true"],
    Each.PRED: ["purity <= coverage", "covering >= 0", "pred.duration > 0s", "dominant"],
    Each.MATCHED: ["overlap > 0s", "iou > 0", "ref.offset > pred.onset", "ref.duration <= 60ms", "ref.covering >= 1"],
}
"""Predicates that ask nothing, too much, or of the reference alone."""


OF_THE_WHOLE = {"perfect-prediction-fails", "constant-prediction-passes", "clauses-clash", "redundant-part"} | {
    "fault-unnoticed",
    "search-below-step",
}
"""Findings that almost every contract of random clauses deserves."""


def random_clauses(generator: random.Random) -> list[tuple[Each, str]]:
    """Two or three clauses; some repeat an earlier one in other words."""
    found: list[tuple[Each, str]] = []
    for _ in range(generator.randint(2, 3)):
        if found and generator.random() < 0.3:
            each, predicate = generator.choice(found)
            found.append((each, generator.choice([predicate, f"not not ({predicate})", f"({predicate}) or false"])))
            continue
        each = generator.choice(list(Each))
        parts = [*PARTS[each], *MORE_PARTS[each]]
        some = [generator.choice(["{}", "{}", "not ({})"]).format(generator.choice(parts)) for _ in range(2)]
        found.append((each, generator.choice(["{} and {}", "{} or {}", "{} implies {}", "{}"]).format(*some)))
    return found


def _without(located: Located, span: Span) -> Iterator[Formula]:
    """The formula without the part at this place, which is one side of a connective."""
    for part, other in zip(located.parts, located.parts[::-1], strict=True):
        if len(located.parts) == 2 and part.span == span:
            yield other.formula
        for inner in _without(part, span):
            if len(located.parts) == 1:
                yield Not(inner)
            else:
                first, second = (inner, other.formula) if part is located.parts[0] else (other.formula, inner)
                yield type(located.formula)(first, second)  # type: ignore[call-arg, arg-type, misc]


def is_true(d: Diagnostic, clauses: list[EventClause], text: str, more: str) -> bool:
    """Whether no small scene shows the claim of a warning wrong."""
    if d.code == "constant-prediction-passes":
        return True  # compared with scoring in `test_whole_findings`
    if d.code in ("clause-evaded", "fault-unnoticed"):
        return True  # the scene that it shows is scored in `test_fault_scenes`
    if d.code == "search-below-step":
        return "search = 0ms" in more
    assert isinstance(d.place, TextPlace)
    start, end = d.place.span.start, d.place.span.end
    (clause,) = (c for c in clauses if c.span.start <= start and end <= c.span.end)
    holds = holds_of(clause, clause.formula)
    small = SMALL[more][clause.each]
    match d.code:
        case "clause-never-fails":
            return all(map(holds, small))
        case "clause-never-holds":
            return not any(map(holds, small))
        case "contradictory-bounds" | "constant-formula":
            (part,) = contract_of(clause.each.value, text[start:end], more).event_clauses
            judged = [holds_of(part, part.formula)(o) for o in small]
            return not any(judged) or (d.code == "constant-formula" and all(judged))
        case "clauses-equivalent":
            named = [c for c in clauses if f"`{c.name}`" in d.headline]
            verdicts = [[holds_of(c, c.formula)(o) for o in small] for c in named]
            return all(other == verdicts[0] for other in verdicts)
        case "perfect-prediction-fails":
            refs, preds, *_ = lines = scenes(d.trace or "")[0]
            own = runs(preds if clause.each is Each.PRED else refs)
            alone = contract_of(clause.each.value, text[clause.body.span.start : clause.body.span.end], more)
            return runs(refs)[0] == runs(preds)[0] and own[1] is not None and fails(alone, lines, own[1])
        case "clauses-clash":
            both = [holds_of(c, c.formula) for c in clauses if f"`{c.name}`" in d.headline]
            return len(both) == 2 and not any(all(one(o) for one in both) for o in small)
        case "redundant-part":
            return any(
                all(judge(o) == holds(o) for o in small)
                for judge in (holds_of(clause, without) for without in _without(clause.body, d.place.span))
            )
        case "ignores-prediction":
            return len({(o.ref, holds(o)) for o in small}) == len({o.ref for o in small})
    raise AssertionError(f"unexpected {d}")


@pytest.mark.slow
def test_no_warning_on_random_event_clauses_is_false() -> None:
    generator = random.Random(77)
    codes: dict[str, int] = {}
    quiet = 0
    for number in range(CONTRACTS):
        more = MATCHERS[number % len(MATCHERS)]
        lines = [f"clause c{k} on each {e.value} : {p}\n" for k, (e, p) in enumerate(random_clauses(generator))]
        contract = parse_contract(f"contract drawn\nstep 20ms\n{more}{''.join(lines)}")
        found = [d for d in check_contract(contract) if d.code != "off-grid-threshold"]
        for d in found:
            if d.code != "undecided":
                assert is_true(d, list(contract.event_clauses), contract.source.text, more), (d, contract.source.text)
            codes[d.code] = codes.get(d.code, 0) + 1
        quiet += {d.code for d in found} <= OF_THE_WHOLE
    print(f"{CONTRACTS} contracts, {quiet} without a word on a clause by itself: {codes}")
    assert quiet > CONTRACTS // 10
    assert {"clause-never-fails", "clause-never-holds", "constant-formula", "clauses-equivalent"} <= set(codes)
    assert {"ignores-prediction", "contradictory-bounds"} <= set(codes)
    assert codes.get("undecided", 0) <= CONTRACTS // 50
