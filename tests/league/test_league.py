"""What a league says against its definition: ranks, intervals, differences, maps, and who may lead (16.12 to 16.19)."""

from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from audit.test_constant_systems import ALIKE, CONSTANT, constant, demo, demo_lengths
from hypothesis import given, settings
from strategies import sized

from league.builders import CLAUSES, DRAWS, LENGTHS, REFERENCE, leagues, moved, save
from tracepact import score
from tracepact.audits import league_tables
from tracepact.audits.league import league_of, make_league
from tracepact.audits.league_columns import MEAN, ColumnGroup, League, LeagueColumn, LeagueValue
from tracepact.audits.league_command import league_markdown
from tracepact.audits.league_systems import Base, LeagueSystem, Settings, read_system, system_bytes
from tracepact.audits.systems import listed_runs
from tracepact.evaluate.scores import aggregate
from tracepact.evaluate.uncertainty import differences, holm, intervals, ranks, standings
from tracepact.language.contract import Aggregation
from tracepact.measures.uncertainty import compare_systems
from tracepact.runs.tally import measured

Given = tuple[Base, list[LeagueSystem]]
FEWER = settings(max_examples=max(sized(20), settings().max_examples // 4))


def column(league: League, name: str) -> LeagueColumn:
    (found,) = (one for one in league.columns if one.name == name)
    return found


def value(league: League, name: str, system: str) -> LeagueValue:
    (found,) = (one for one in column(league, name).values if one.system == system)
    return found


def idle(system: LeagueSystem, clause: str, aggregation: Aggregation) -> bool:
    return aggregate(system.rows.counts[clause], aggregation).vacuous


def telling(systems: list[LeagueSystem], aggregation: Aggregation) -> set[str]:
    return {c for c in CLAUSES if not all(idle(system, c, aggregation) for system in systems)}


@FEWER
@given(leagues())
def test_a_rank_counts_the_better_values_that_are_earned(found: Given) -> None:
    base, systems = found
    league = league_of(base, systems)
    own = league.aggregation
    weights = {"headline": dict.fromkeys(CLAUSES, 1), "one": {"one": 1}, "two": {"two": 1}, "mix": {"one": 2, "two": 1}}
    for name, parts in weights.items():
        kind = Aggregation.POOLED if name == "mix" else own
        asked = telling(systems, kind) & set(parts)
        values = {}
        for system in systems:
            earned = bool(asked) and not any(idle(system, clause, kind) for clause in asked)
            earned = earned and not system.stored.constant
            got = value(league, name, system.name)
            assert got.earned == earned
            used = asked if name == "headline" else set(parts)
            if earned:
                scores = {c: aggregate(system.rows.counts[c], kind).value for c in used}
                total = sum(parts[c] for c in used)
                values[system.name] = sum((parts[c] * scores[c] for c in used), Fraction(0)) / total
                assert got.value == values[system.name]
        for system in systems:
            got = value(league, name, system.name)
            mine = values.get(system.name)
            better = sum(other > mine for other in values.values()) if mine is not None else None
            assert got.rank == (None if better is None else 1 + better)
            assert got.tied == (mine is not None and list(values.values()).count(mine) > 1)
        top = {name for name, found in values.items() if found == max(values.values())}
        assert set(column(league, name).best) == top


@FEWER
@given(leagues())
def test_the_league_is_ordered_by_rank_and_puts_what_is_not_earned_last(found: Given) -> None:
    league = league_of(*found)
    order = [found.rank for found in league.ranked_by.values]
    assert order == sorted(order, key=lambda rank: (rank is None, rank or 0))
    assert [found.system for found in league.ranked_by.values] == league.names


@FEWER
@given(leagues())
def test_intervals_and_differences_are_those_of_the_uncertainty_audit(found: Given) -> None:
    base, systems = found
    league = league_of(base, systems)
    bootstrap, first = base.settings.bootstrap, systems[0]
    p: dict[str, dict[str, Fraction]] = {clause: {} for clause in CLAUSES}
    for system in systems:
        expected = intervals(system.rows, league.aggregation, bootstrap)
        changed = differences(first.rows, system.rows, league.aggregation, bootstrap)
        for clause in CLAUSES:
            got = value(league, clause, system.name)
            assert (got.low, got.high) == pytest.approx((expected[clause].low, expected[clause].high), abs=1e-6)
            compared = got.earned and value(league, clause, first.name).earned and system is not first
            assert (got.difference is not None) == compared
            if got.difference is not None:
                assert got.difference.value == changed[clause].value
                assert got.difference.p == changed[clause].p
                p[clause][system.name] = changed[clause].p
    for clause, some in p.items():
        for name, corrected in zip(some, holm(list(some.values())), strict=True):
            difference = value(league, clause, name).difference
            assert difference is not None
            assert difference.corrected == corrected
            assert difference.significant == (corrected <= 1 - base.settings.level)


@FEWER
@given(leagues())
def test_rank_intervals_are_those_of_a_loop_over_the_draws(found: Given) -> None:
    base, systems = found
    league = league_of(base, systems)
    for clause in CLAUSES:
        ranked = [s for s in systems if value(league, clause, s.name).rank is not None]
        seen: dict[str, list[int]] = {system.name: [] for system in ranked}
        generator = np.random.default_rng(base.settings.seed)
        for _ in range(DRAWS):
            chosen = generator.integers(0, len(base.clips), size=len(base.clips))
            scores = {
                s.name: aggregate(s.rows.counts[clause].select(clips=chosen), league.aggregation).value for s in ranked
            }
            for name, mine in scores.items():
                seen[name].append(1 + sum(other > mine for other in scores.values()))
        for name, places in seen.items():
            got = value(league, clause, name)
            assert (got.rank_low, got.rank_high) == (sorted(places)[2], sorted(places)[DRAWS - 3])


@FEWER
@given(leagues())
def test_the_headline_is_drawn_over_the_clauses_that_ask_something(found: Given) -> None:
    base, systems = found
    league = league_of(base, systems)
    own = league.aggregation
    for system in systems:
        asked = [clause for clause in CLAUSES if not idle(system, clause, own)]
        got = value(league, "headline", system.name)
        if not asked:
            assert (got.value, got.low, got.high) == (None, None, None)
            continue
        generator = np.random.default_rng(base.settings.seed)
        drawn = []
        for _ in range(DRAWS):
            chosen = generator.integers(0, len(base.clips), size=len(base.clips))
            scores = [aggregate(system.rows.counts[c].select(clips=chosen), own).value for c in asked]
            drawn.append(float(sum(scores, Fraction(0)) / len(scores)))
        assert (got.low, got.high) == pytest.approx((sorted(drawn)[2], sorted(drawn)[DRAWS - 3]), abs=1e-6)


@FEWER
@given(leagues())
def test_maps_and_the_clips_that_differ_are_those_of_the_definitions(found: Given) -> None:
    base, systems = found
    league = league_of(base, systems)
    by_name = {system.name: system for system in systems}
    for row in league.by_class.rows:
        for k, got in enumerate(row.values):
            counts = by_name[row.system].rows.counts
            scores = {c: aggregate(counts[c].select(label=k), Aggregation.POOLED) for c in CLAUSES}
            asked = [s.value for s in scores.values() if not s.vacuous]
            mean = sum(asked, Fraction(0)) / len(asked) if asked else None
            alone = None if row.clause == MEAN or scores[row.clause].vacuous else scores[row.clause].value
            assert got == (mean if row.clause == MEAN else alone)
    losses = [[_loss(system, k) for k in range(len(base.clips))] for system in systems]
    spread = {
        clip: sum((abs(a[k] - b[k]) for a, b in combinations(losses, 2)), Fraction(0))
        / len(list(combinations(losses, 2)))
        for k, clip in enumerate(base.clips)
    }
    assert {one.clip for one in league.most_different} == {clip for clip, found in spread.items() if found}
    shown = [spread[one.clip] for one in league.most_different]
    assert shown == sorted(shown, reverse=True)
    assert [one.difference for one in league.most_different] == pytest.approx([float(s) for s in shown], abs=1e-6)


def _loss(system: LeagueSystem, clip: int) -> Fraction:
    lost = Fraction(0)
    for counts in system.rows.counts.values():
        for label in range(len(system.rows.classes)):
            score = counts.score(label, clip)
            lost += 0 if score.vacuous else 1 - score.value
    return lost


@FEWER
@given(leagues())
def test_a_system_comes_back_from_its_file_as_it_was(found: Given) -> None:
    base, systems = found
    again = [read_system(system_bytes(system), base) for system in systems]
    assert league_of(base, again) == league_of(base, systems)
    assert [system_bytes(system) for system in again] == [system_bytes(system) for system in systems]


def test_lower_is_better_for_error_rates_and_equal_values_share_a_rank() -> None:
    half = Fraction(1, 2)
    assert ranks([half, Fraction(0), half, None], [True] * 4) == [1, 3, 1, None]
    assert ranks([half, Fraction(0), half, None], [True] * 4, higher_is_better=False) == [2, 1, 2, None]
    assert ranks([half, Fraction(0)], [True, False], higher_is_better=False) == [1, None]
    drawn = [np.array([0.0, 1.0, 1.0]), np.array([1.0, 0.0, 0.0])]
    lower = standings([half, Fraction(1)], [True, True], drawn, Fraction(0), higher_is_better=False)
    assert [(one.rank, one.low, one.high) for one in lower] == [(1, 2, 2), (2, 1, 1)]


def test_metrics_have_the_intervals_and_differences_of_the_metrics_themselves(tmp_path: Path) -> None:
    shifts = {"late": 0.15, "later": 0.3, "exact": 0.0}
    places = [save(tmp_path, name, moved(shift)) for name, shift in shifts.items()]
    chosen = Settings("late", "event_f1", 60, 3, Fraction(9, 10))
    made = make_league(listed_runs(places), chosen)
    league = league_of(made.base, made.systems)
    runs = [score("boundary_gate", REFERENCE, moved(shift), durations=LENGTHS) for shift in shifts.values()]
    compared = compare_systems([measured(run) for run in runs], chosen.bootstrap)
    seen = 0
    for name, found in zip(shifts, compared.intervals, strict=True):
        for (metric, quantity), expected in found.items():
            own = metric.replace(" ", "_") + ("" if quantity == "mean" else f"_{quantity}")
            got = value(league, own, name)
            assert got.value == expected.value
            if expected.low is not None and expected.value is not None:
                assert (got.low, got.high) == pytest.approx((expected.low, expected.high), abs=1e-6)
                seen += 1
    for name, changed in zip(list(shifts)[1:], compared.differences, strict=True):
        for (metric, quantity), one in changed.items():
            own = metric.replace(" ", "_") + ("" if quantity == "mean" else f"_{quantity}")
            difference = value(league, own, name).difference
            if difference is not None:
                assert (difference.value, difference.p) == (one.value, one.p)
                seen += 1
    assert seen > 100
    assert league.names == ["late", "exact", "later"]  # 150 ms are within the collar: a tie, in the order given


# Systems that do not listen


@pytest.mark.slow
def test_no_constant_system_leads_a_league_or_a_column_it_has_not_earned(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder, lengths, ref = tmp_path_factory.mktemp("runs"), demo_lengths(), demo("reference")
    labels = sorted({label for events in ref.values() for *_, label in events})
    systems = {name: demo(name) for name in ("late_long", "over_firing")} | constant(Random(7), lengths, labels)
    places = [save(folder, name, table, ref=ref, durations=lengths) for name, table in systems.items()]
    made = make_league(listed_runs(places), Settings("late_long", "headline", 50, 0, Fraction(9, 10)))
    league = league_of(made.base, made.systems)
    assert not set(CONSTANT) & set(league.ranked_by.best)
    assert set(league.names[-3:]) == ALIKE
    for one in league.columns:
        for name in ALIKE:
            assert value(league, one.name, name).rank is None
        if one.ranked:
            assert one.best
            assert "random" not in one.best
    assert value(league, "missing_guard", "always on").value == 1
    assert value(league, "spurious_guard", "silent").value == 1
    assert value(league, "event_error_rate", "silent").value == 1
    assert "answers the same in every clip" in " ".join(league_markdown(league).split())


# Systems that hardly listen


def hardly(answer: str) -> dict[str, list[tuple[float, float, str]]]:
    """Always on in all clips but one, or silent but for one event."""
    whole, some = [(0.0, 2.0, "a")], [(0.5, 1.4, "a")]
    return {f"clip{k:02}": some if k == 0 else whole if answer == "always on" else [] for k in range(40)}


@pytest.mark.parametrize(("answer", "guard"), [("always on", "missing_guard"), ("silent", "spurious_guard")])
def test_a_system_that_hardly_listens_is_first_only_with_a_mark(tmp_path: Path, answer: str, guard: str) -> None:
    ref = {f"clip{k:02}": [(0.5, 1.5, "a")] for k in range(40)}
    listens = {clip: [(0.4 if k % 2 else 0.7, 1.4, "a")] for k, clip in enumerate(ref)}
    for name, pred in (("listens", listens), ("hardly", hardly(answer))):
        score("boundary_gate", ref, pred, durations=2).save(tmp_path / name)
    places = listed_runs([tmp_path / "listens", tmp_path / "hardly"])
    made = make_league(places, Settings("listens", "headline", 40, 0, Fraction(9, 10)))
    league = league_of(made.base, made.systems)
    assert league.nearly_constant == {"hardly": f"{answer} in 39 of 40 clips"}
    assert value(league, guard, "hardly").rank == 1
    shown = league_tables.best_table(league)
    (row,) = (row for row in shown.texts() if row[0] == guard)
    assert row[2] == f"hardly (≈ {answer} in 39 of 40 clips)"
    guards = league_tables.score_table(league, ColumnGroup.CLAUSE, detail=False)
    at = [one.heading for one in guards.columns].index(guard)
    assert {row[0]: "≈" in row[at] for row in guards.texts()} == {"hardly": True, "listens": False}
    assert [note for note in guards.notes if note.startswith(f"≈: hardly is {answer} in 39 of 40 clips")]
    assert "≈: hardly" in league_markdown(league)


@given(drawn=leagues())
@settings(max_examples=sized(10))
def test_what_a_table_of_leaders_leaves_out_is_counted(drawn: tuple[Base, list[LeagueSystem]]) -> None:
    league = league_of(*drawn)
    ranked = len(league_tables.best_table(league, ColumnGroup.CLAUSE).rows)
    for most in range(1, ranked + 1):
        table = league_tables.best_table(league, ColumnGroup.CLAUSE, most=most)
        left_out = [note for note in table.notes if note.endswith("more with --full")]
        assert left_out == ([f"{ranked - most} more with --full"] if most < ranked else [])
