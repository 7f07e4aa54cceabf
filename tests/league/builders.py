"""Systems of a league from drawn counts, and runs of the demo's clips to make leagues of."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

import tracepact
from tracepact.audits.league_systems import (
    Base,
    LeagueSystem,
    Measure,
    Policies,
    Settings,
    StoredSystem,
    SystemRecord,
    aggregations,
)
from tracepact.evaluate.scorecard import ScoreRows
from tracepact.evaluate.scores import ClauseCounts
from tracepact.evaluate.uncertainty import drawn_vector
from tracepact.language.contract import Aggregation
from tracepact.measures.records import MetricValue
from tracepact.runs.report import ContractRecord, Versions

CLAUSES = ("one", "two")
DRAWS = 41
VERSIONS = Versions("1", "3", "2")
Events = Sequence[tuple[float, float, str]]


def contract_text(aggregation: Aggregation) -> str:
    return (
        f"contract c\nstep 20ms\naggregate {aggregation.value}\n"
        "clause one on ref_active : pred_active\nclause two on pred_active : ref_active\n"
        "profile mix over pooled : one = 2, two = 1\n"
    )


def base_of(rows: ScoreRows, aggregation: Aggregation, *, seed: int = 0, rank_by: str = "headline") -> Base:
    contract = tracepact.parse_contract(contract_text(aggregation))
    return Base(
        format="tracepact-league-base/1",
        mode="class_indexed",
        tables={},
        contract=ContractRecord("c", None, contract.digest, contract.text, "c", ()),
        policies=Policies("", "false-alarm", {}),
        clips=rows.clips,
        frames=tuple(50 for _ in rows.clips),
        classes=rows.classes,
        step=Fraction(1, 50),
        reference={},
        ignored={},
        conditions=None,
        settings=Settings("s0", rank_by, DRAWS, seed, Fraction(9, 10)),
    )


def system_of(number: int, rows: ScoreRows, base: Base, *, constant: bool = False) -> LeagueSystem:
    kinds = aggregations(base.compiled())
    about = SystemRecord(f"s{number}", f"{number:064x}", f"s{number}.tsv", None, "table", None, VERSIONS)
    error = Measure("event_error_rate", "p", MetricValue.of(Fraction(number % 3)), number % 4 != 3, False, True, True)
    stored = StoredSystem(about, constant, rows.clauses, (error,), kinds, {})
    drawn = {kind: drawn_vector(rows, kind, base.settings.bootstrap) for kind in kinds}
    return LeagueSystem(stored, rows, drawn, np.full((1, DRAWS), float(number % 3)))


@st.composite
def counts(draw: st.DrawFn, classes: int, clips: int) -> ClauseCounts:
    """Few values, so that ties are common; sometimes nothing is obliged at all."""
    cells = st.lists(st.integers(0, 2), min_size=classes * clips, max_size=classes * clips)
    obligated = np.array(draw(cells)).reshape(classes, clips) * draw(st.sampled_from([0, 1, 1, 1]))
    satisfied = np.minimum(np.array(draw(cells)).reshape(classes, clips), obligated)
    counter = (np.array(draw(cells)).reshape(classes, clips) > 1) & (obligated == 0) & draw(st.booleans())
    return ClauseCounts(satisfied, obligated, counter)


@st.composite
def leagues(draw: st.DrawFn) -> tuple[Base, list[LeagueSystem]]:
    """Two to four systems on a few clips and classes."""
    classes, clips = draw(st.integers(1, 2)), draw(st.integers(1, 5))
    names = tuple(f"clip{k}" for k in range(clips)), tuple(f"class{k}" for k in range(classes)), CLAUSES
    number = draw(st.integers(2, 4))
    rows = [ScoreRows(*names, {name: draw(counts(classes, clips)) for name in CLAUSES}) for _ in range(number)]
    if draw(st.booleans()):
        rows[-1] = rows[0]  # the same predictions under two names
    base = base_of(rows[0], draw(st.sampled_from(Aggregation)), seed=draw(st.integers(0, 99)))
    constant = draw(st.integers(0, 2 * number))
    return base, [system_of(k, some, base, constant=k == constant) for k, some in enumerate(rows)]


REFERENCE: Mapping[str, Events] = {
    "a.wav": [(0.5, 1.5, "dog"), (2.0, 3.2, "cat")],
    "b.wav": [(1.0, 2.4, "dog")],
    "c.wav": [],
    "d.wav": [(0.4, 3.0, "cat")],
}
LENGTHS = dict.fromkeys(REFERENCE, 4)


def moved(seconds: float, last: float = 0) -> dict[str, list[tuple[float, float, str]]]:
    """The reference, later by so much, and longer."""
    return {
        clip: [(round(on + seconds, 3), round(off + seconds + last, 3), label) for on, off, label in events]
        for clip, events in REFERENCE.items()
    }


def save(folder: Path, name: str, prediction: object, **more: object) -> str:
    """Score a system and keep its run; the place of the run."""
    given = {"durations": LENGTHS, **more}
    reference = given.pop("ref", REFERENCE)
    contract = given.pop("contract", "boundary_gate")
    tracepact.score(contract, reference, prediction, **given).save(folder / name)  # type: ignore[arg-type]
    return str(folder / name)
