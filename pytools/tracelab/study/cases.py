"""Small cases with known geometry: the matcher under stress, and the calibration cases with what decides them."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import tracepact
from tracelab.detectors.decoding import CONTRACT
from tracelab.protocol import STEP
from tracelab.study.rows import GUARDS, Row, Runs

Times = tuple[tuple[Fraction, Fraction], ...]
_EVENT_CLAUSES = ("duration_guard", "fragmentation_guard")
_GREEDY = "matcher greedy(search = 200ms, overlap_reward = 0.5)"


@dataclass(frozen=True, slots=True)
class MatcherLayout:
    """Two references or one and what is predicted of them."""

    pattern: str
    name: str
    reference: Times
    prediction: Times


def layouts() -> list[MatcherLayout]:
    """Twenty-four layouts: twelve left bridges, four nominal ones, four right bridges, four splits.

    The published text has these numbers and no geometry, so this one is declared here: two events of 0.4 s with a gap
    between, a short prediction at the start of the first, and one that bridges the gap. Where the bridge reaches near
    enough to the end of the second event to be its candidate, greedy matching still gives it to the first, and then
    the second has nobody. A right bridge is the same with time turned round; those here reach 100 ms, no candidate.
    """
    found = [_bridge(gap, reach) for gap in (20, 40, 60, 80) for reach in (100, 200, 240)]
    found += [_moved("nominal", late) for late in (0, 20, 40, 60)]
    found += [mirrored(_bridge(gap, 100)) for gap in (20, 40, 60, 80)]
    found += [_split(gap) for gap in (20, 40, 60, 80)]
    return found


def _ms(*times: int) -> Times:
    return tuple((Fraction(a, 1000), Fraction(b, 1000)) for a, b in zip(times[::2], times[1::2], strict=True))


def _bridge(gap: int, reach: int) -> MatcherLayout:
    second = 1400 + gap
    reference = _ms(1000, 1400, second, second + 400)
    return MatcherLayout(
        "left bridge", f"gap {gap} ms, reach {reach} ms", reference, _ms(1060, 1100, 1120, second + reach)
    )


def _moved(pattern: str, late: int) -> MatcherLayout:
    return MatcherLayout(
        pattern, f"{late} ms late", _ms(1000, 1400, 2000, 2400), _ms(1000 + late, 1400 + late, 2000 + late, 2400 + late)
    )


def mirrored(layout: MatcherLayout) -> MatcherLayout:
    """The layout with time turned round."""
    whole = Fraction(4)
    sides = (layout.reference, layout.prediction)
    reference, prediction = (tuple((whole - b, whole - a) for a, b in reversed(side)) for side in sides)
    return MatcherLayout("right bridge", layout.name, reference, prediction)


def _split(gap: int) -> MatcherLayout:
    return MatcherLayout("split", f"gap {gap} ms", _ms(1000, 2000), _ms(1000, 1500, 1500 + gap, 2000))


def stress_rows(_: Runs) -> Iterator[Row]:
    """Every layout under both matchers: pairs, boundary F1, and the event clauses."""
    contracts = both_matchers()
    for layout in layouts():
        row = {"pattern": layout.pattern, "layout": layout.name}
        for name, contract in contracts.items():
            run = tracepact.score(
                contract,
                ref=[(a, b, "event") for a, b in layout.reference],
                pred=[(a, b, "event") for a, b in layout.prediction],
                durations=4,
            )
            pairs = run.card.score("duration_guard", tracepact.Aggregation.POOLED).obligated
            row |= {f"{name}_pairs": str(pairs), f"{name}_runs": str(len(layout.reference) + len(layout.prediction))}
            row |= {f"{name}_{clause}": str(run.vector[clause]) for clause in _EVENT_CLAUSES}
        yield row


@cache
def both_matchers() -> dict[str, tracepact.Contract]:
    """The gate as it is, and with the matcher that finds the most pairs."""
    text = tracepact.spec_path(f"contracts/{CONTRACT}.contract").read_text(encoding="utf-8")
    optimal = text.replace(_GREEDY, _GREEDY.replace("greedy", "optimal"))
    return {
        "greedy": tracepact.parse_contract(text, name=CONTRACT),
        "optimal": tracepact.parse_contract(optimal, name=f"{CONTRACT}, optimal"),
    }


# The published calibration cases: for each the coordinate that the text selects, the lowest one here, and all values.

_CASES = {
    "late onset": {"onset": 120},
    "early onset": {"onset": -60},
    "late release": {"offset": 60},
    "early release": {"offset": -120},
}
_LONG, _SHORT = (0, 4, 7), (1, 3, 5)
_REFERENCE = _ms(600, 1600, 2200, 2400, 3000, 4200, 4800, 5000, 5600, 6600, 7200, 7400, 8000, 9200, 9800, 10800)


def calibration_rows(_: Runs) -> Iterator[Row]:
    """Every guard on every calibration case; the cases are those of spec/calibration/boundary_gate.calibration."""
    for name, prediction in calibration_predictions().items():
        run = tracepact.score(
            CONTRACT,
            ref=[(a, b, "event") for a, b in _REFERENCE],
            pred=[(a, b, "event") for a, b in prediction],
            durations=12,
        )
        yield {"case": name, **{guard: str(run.vector[guard]) for guard in GUARDS}}


def calibration_predictions() -> dict[str, Times]:
    """What is predicted in every case, from the shared reference by one edit."""
    found: dict[str, Times] = {}
    for name, moves in _CASES.items():
        found[name] = _edited(_LONG, Fraction(moves.get("onset", 0), 1000), Fraction(moves.get("offset", 0), 1000))
    found["missing activity"] = tuple(span for k, span in enumerate(_REFERENCE) if k != 2)
    found["extra activity"] = (*_REFERENCE, *_ms(11300, 11460))
    found["silence bleed"] = _edited((0, 2, 4, 6, 7), -2 * STEP, 2 * STEP)
    found["length distortion"] = _edited(_SHORT, 2 * STEP, -2 * STEP)
    found["fragmentation"] = tuple(
        piece for k, span in enumerate(_REFERENCE) for piece in (_pieces(span) if k in (2, 6) else (span,))
    )
    return found


def _edited(which: tuple[int, ...], onset: Fraction, offset: Fraction) -> Times:
    return tuple((a + onset, b + offset) if k in which else (a, b) for k, (a, b) in enumerate(_REFERENCE))


def _pieces(span: tuple[Fraction, Fraction]) -> Times:
    """Three pieces with gaps of 60 ms."""
    gap = 3 * STEP
    length = (span[1] - span[0] - 2 * gap) / 3
    starts = [span[0] + k * (length + gap) for k in range(3)]
    return tuple((start, start + length) for start in starts)
