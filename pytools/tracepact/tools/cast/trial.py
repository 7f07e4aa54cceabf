"""Tries a contract: plays the cast on scenes or given references, and says how the values order (chapter 22)."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from tracepact.core import Contract, Profile
from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.records import Exact
from tracepact.scoring import Scorecard, score_family
from tracepact.show.table import Table
from tracepact.tools.cast.findings import trial_findings
from tracepact.tools.cast.record import (
    ClauseOrder,
    ClauseValue,
    ProfileTrial,
    SceneRecord,
    SystemTrial,
    Tolerance,
    Trial,
)
from tracepact.tools.cast.show import ROW_COLUMNS, finding_lines, heading, tables, typed_rows
from tracepact.tools.cast_members import SEED, Member, cast, played
from tracepact.tools.cast_scenes import LONGEST, allowances, scenes
from tracepact.tools.presented import Presented, presented
from tracepact.tools.score.inputs import contract_from
from tracepact.tools.score.report.timeline import Timeline, timeline, worst_timelines
from tracepact.tools.score.run import Run, score
from tracepact.trace import Family, Side
from tracepact.wording import count, rounded

BALANCED = "balanced"
_DRAWN = 5
_FEWEST_CLIPS = 3


class TriedContract(Presented, Trial, frozen=True):
    """A trial that prints well."""

    def brief(self) -> str:
        """The contract and the number of findings."""
        return f"{self.contract}: {count(len(self.systems), 'system')}, {count(len(self.findings), 'finding')}"

    def lines(self) -> list[str]:
        """What was played, and what was found."""
        return [self.contract, *heading(self), *finding_lines(self)]

    def tables(self) -> list[Table]:
        """Values, orders and profiles."""
        return tables(self)

    def rows(self) -> tuple[Sequence[str], Iterator[Sequence[Any]]]:
        """A row for each system and clause; `value` is exact, as text, and `decimal` a float."""
        return ROW_COLUMNS, typed_rows(self)


def try_contract(
    contract: Contract | str | Path,
    ref: Any = None,
    *,
    durations: Any = None,
    set: Mapping[str, str] | None = None,
    seed: int = SEED,
) -> TriedContract:
    """Play a fixed cast of systems against a contract, and say what their scores tell of it (chapter 22 of the tools).

    The cast: perfect, silent, always on, late, early, long, short, split, merged, jittered, wrong class, one extra
    event, one missed event, and the reference moved by each tolerance and by one frame less and more.

    Args:
        contract: a Contract, a path, the name of a starter contract, or contract text.
        ref: references to play on, in the forms that `score` takes; scenes made for the contract by default.
        durations: the lengths of the clips of `ref`, as for `score`.
        set: new values of the contract's parameters, as text.
        seed: the seed of the system that moves edges at random.

    Returns:
        The trial: values by system and clause, how clauses and profiles order the systems, and findings as sentences.

    Raises:
        InvalidInput: the contract or the references cannot be used; it carries every fault.

    Examples:
        >>> import tracepact
        >>> trial = tracepact.try_contract('''
        ... contract recall "what is heard"
        ... step 20ms
        ... clause heard on ref_active : ref_active -> N[40ms] pred_active
        ... ''')
        >>> trial.warnings[0].words
        'no clause notices a system that predicts every class at every frame: `always on` scores 1 everywhere'
    """
    compiled = contract_from(contract, set)
    if ref is None:
        return presented(TriedContract, trial_on(compiled, scenes(compiled), seed=seed, given=False))
    family = referenced(compiled, ref, durations).card.family
    return presented(TriedContract, trial_on(compiled, family, seed=seed, given=True))


def trial_on(compiled: Contract, family: Family, *, seed: int, given: bool) -> Trial:
    """The trial of a contract on the references of a family."""
    members = cast(compiled, family, seed)
    cards = {member.name: score_family(compiled, played(family, member)) for member in members}
    profiles = tuple(_profiles(compiled, cards))
    drawn = _drawn(family, made=not given)
    return Trial(
        compiled.name,
        compiled.digest,
        compiled.step,
        compiled.aggregation,
        given,
        seed,
        tuple(Tolerance(one.name, one.frames, one.frames <= LONGEST) for one in allowances(compiled)),
        tuple(_scene(family, clip) for clip in range(len(family.clips))),
        tuple(_system(member, cards[member.name], drawn) for member in members),
        tuple(_orders(compiled, cards)),
        profiles,
        tuple(trial_findings(compiled, members, cards, profiles)),
    )


def referenced(contract: Contract, ref: Any, durations: Any) -> Run:
    """The run of given references without any prediction: its family is what the cast is played on."""
    if contract.declared_atoms:
        help = "leave the references out: scenes try a declared atom on and off"
        headline = f"the contract declares the atom `{contract.declared_atoms[0]}`, which references alone do not have"
        raise InvalidInput([Diagnostic("missing-mask", headline, None, help)])
    return score(contract, ref, {}, durations=durations)


def _scene(family: Family, clip: int) -> SceneRecord:
    runs = family.runs[Side.REF]
    events = sum(len(runs.get(family.segment(label, clip), ())) for label in range(len(family.classes)))
    return SceneRecord(family.clips[clip], family.frames[clip], events)


def _drawn(family: Family, *, made: bool) -> tuple[int, ...]:
    """The segments that are drawn: scenes of the first class, or the first clips that have events."""
    if made:
        return tuple(range(min(_DRAWN, len(family.clips))))
    return tuple(sorted(family.runs[Side.REF]))[:_FEWEST_CLIPS]


def _system(member: Member, card: Scorecard, drawn: Sequence[int]) -> SystemTrial:
    worst = worst_timelines(card, 1)
    values = []
    for clause, found in card.vector().items():
        counts = card.counts[clause]
        satisfied, obligated = int(counts.satisfied.sum()), int(counts.obligated.sum())
        values.append(ClauseValue(clause, found.value, rounded(found.value), satisfied, obligated, found.vacuous))
    lanes: tuple[Timeline, ...] = tuple(timeline(card, segment) for segment in drawn)
    return SystemTrial(member.name, member.words, member.strays, tuple(values), lanes, worst[0] if worst else None)


def _orders(contract: Contract, cards: Mapping[str, Scorecard]) -> Iterator[ClauseOrder]:
    for clause in contract.clauses:
        values = {name: card.score(clause.name).value for name, card in cards.items()}
        yield ClauseOrder(clause.name, _ordered(values))


def _profiles(contract: Contract, cards: Mapping[str, Scorecard]) -> Iterator[ProfileTrial]:
    """How `balanced`, which a profile of that name replaces, and the contract's own profiles order the cast."""
    even = tuple((clause.name, Fraction(1)) for clause in contract.clauses)
    own = {profile.name: profile for profile in contract.profiles}
    for profile in {BALANCED: Profile(BALANCED, contract.aggregation, even), **own}.values():
        values = {name: card.profile(profile) for name, card in cards.items()}
        shown = {name: Exact.of(value) for name, value in values.items()}
        yield ProfileTrial(profile.name, profile.aggregation, shown, _ordered(values))


def _ordered(values: Mapping[str, Fraction]) -> tuple[tuple[str, ...], ...]:
    """Names by falling value, those of one value together."""
    levels = sorted({*values.values()}, reverse=True)
    return tuple(tuple(name for name, value in values.items() if value == level) for level in levels)
