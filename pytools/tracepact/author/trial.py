"""`tracepact try`: plays the cast on scenes or references, and says what is wrong with a contract (chapter 22)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import click
import msgspec

from tracepact.author.trial_record import (
    ROW_COLUMNS,
    ClauseOrder,
    ClauseValue,
    ContractTolerance,
    FindingKind,
    ProfileTrial,
    SceneRecord,
    SystemTrial,
    Trial,
    TrialFinding,
    finding_lines,
    heading,
    print_trial,
    rows,
    tables,
    trial_page,
    typed_rows,
)
from tracepact.command_line import Exit
from tracepact.data.family import Family, Runs, Side
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.evaluate.cast import (
    ALWAYS_ON,
    PERFECT,
    SEED,
    SILENT,
    WRONG_CLASS,
    Member,
    cast,
    played,
    scenes,
)
from tracepact.evaluate.masks import LONGEST, allowances, obligated_run
from tracepact.evaluate.scorecard import Scorecard, obliged_frames, score_family
from tracepact.files import json_text
from tracepact.language.compilation import contract_from
from tracepact.language.contract import Contract, EventClause, FrameClause, Profile
from tracepact.logic.arithmetic import one_clip
from tracepact.logic.predictions import closing_clause, evasion
from tracepact.options import (
    WholeNumber,
    contract_argument,
    durations_option,
    fail_on_option,
    format_option,
    full_option,
    given_contract,
    has_failed,
    set_option,
)
from tracepact.outputs import OutputFolder, print_json, print_rows, write_results
from tracepact.records import Exact, plain
from tracepact.runs.run import Run, score
from tracepact.runs.timelines import timeline, worst_timelines
from tracepact.selection.calibration import Calibration
from tracepact.selection.calibration_reader import load_calibration
from tracepact.selection.draft import complete_calibration
from tracepact.selection.exploits import useless_winners
from tracepact.show.lines import print_diagnostics, progress, say
from tracepact.show.pages import Presented, presented
from tracepact.show.tables import Table, csv_text
from tracepact.wording import count, decimal, listed, rounded, short

# What a trial says of a contract: clauses that a perfect prediction violates, faults that nothing notices, clashes.

Cards = Mapping[str, Scorecard]
Place = tuple[int, int]
"""A segment and a frame."""


def trial_findings(
    contract: Contract, members: Sequence[Member], cards: Cards, profiles: Sequence[ProfileTrial]
) -> Iterator[TrialFinding]:
    """Every finding, faults first."""
    for clause in contract.clauses:
        yield from _perfect_violates(clause, cards[PERFECT])
    # Warnings come first whatever they are about: notes on unnoticed faults wait.
    notes = []
    for member in members:
        for finding in _unnoticed(member, cards):
            if finding.severity == "warning":
                yield finding
            else:
                notes.append(finding)
    yield from _beats_perfect(profiles)
    yield from _clashes(contract, cards)
    yield from notes
    for clause in contract.clauses:
        yield from _same_for_all(clause.name, cards)


def _perfect_violates(clause: FrameClause | EventClause, card: Scorecard) -> Iterator[TrialFinding]:
    counts = card.counts[clause.name]
    obligated, failed = int(counts.obligated.sum()), int((counts.obligated - counts.satisfied).sum())
    if not failed:
        return
    segment, frame = _first_violation(clause, card)
    kind = "frames" if isinstance(clause, FrameClause) else "events"
    share = f"{failed:,} of {count(obligated, 'obligation')} ({kind})" if obligated else ""
    yield _placed(
        card,
        (segment, frame),
        "perfect-violates",
        f"a perfect prediction violates `{clause.name}`: {share}, first {_where(card, (segment, frame))}",
        (clause.name,),
        (PERFECT,),
    )


def _first_violation(clause: FrameClause | EventClause, card: Scorecard) -> Place:
    if isinstance(clause, EventClause):
        segment, obligation = card.event_clause(clause.name).violated[0]
        return segment, obligated_run(clause.each, obligation)[0]
    violations = card.frame_violations(clause.name)
    return int(violations.segment[0]), int(violations.frame[0])


def _unnoticed(member: Member, cards: Cards) -> Iterator[TrialFinding]:
    """A fault that is larger than every tolerance and costs nothing under any clause."""
    card = cards[member.name]
    if not member.strays or card.family.runs[Side.PRED] == card.family.runs[Side.REF]:
        return
    if all(score.value == 1 for score in card.vector().values()):
        # A system that listens to nothing and scores 1 everywhere is a fault of the contract; one that strays further
        # than every tolerance may be meant to pass.
        constant = member.name in (SILENT, ALWAYS_ON, WRONG_CLASS)
        does = member.words if member.words.startswith(("predicts", "leaves")) else f"predicts {member.words}"
        yield TrialFinding(
            "unnoticed",
            "warning" if constant else "note",
            f"no clause notices a system that {does}: `{member.name}` scores 1 everywhere",
            (),
            (member.name,),
        )


def _evaded(contract: Contract) -> Iterator[TrialFinding]:
    """The clauses that a scene of two references evades, where scoring the scene gives 1 on every clause."""
    for clause in contract.event_clauses:
        shown = evasion(clause, contract)
        if shown is None:
            continue
        scene = shown.obligation.scene
        atoms: Mapping[str, Runs] = {atom: {} for atom in contract.declared_atoms}
        clip = replace(one_clip(scene, contract.step), frames=(shown.frames,), masks=atoms)
        if all(score.value == 1 for score in score_family(contract, clip).vector().values()):
            refs, preds = (
                ", ".join(f"{short(start * contract.step)} to {short(end * contract.step)}" for start, end in runs)
                for runs in (scene.refs, scene.preds)
            )
            words = (
                f"`{clause.name}` is evaded: {shown.words}, and every clause scores 1: references at {refs} s, "
                f"predictions at {preds} s; `{closing_clause(contract)}` would notice"
            )
            yield TrialFinding("evaded", "warning", words, (clause.name,))


def useless_wins(contract: Contract, calibration: Calibration) -> Iterator[TrialFinding]:
    """The useless systems of a calibration set that a profile does not put below the set's mildest faults (22.6)."""
    for profile, one in useless_winners(contract, calibration):
        words = (
            f"under `{profile}`, the useless system `{one.name}` scores {decimal(one.value)}, "
            f"not below {decimal(one.limit)} of {listed(one.below)}"
        )
        yield TrialFinding("useless-wins", "warning", words, (), (one.name,))


def _beats_perfect(profiles: Sequence[ProfileTrial]) -> Iterator[TrialFinding]:
    for profile in profiles:
        perfect = profile.values[PERFECT]
        # Exact values: a system that is above by one obligation in a million is above.
        above = [name for name, value in profile.values.items() if value.value > perfect.value]
        if above:
            best = max(above, key=lambda name: profile.values[name].value)
            scores = "scores" if len(above) == 1 else "score"
            words = (
                f"under `{profile.name}`, {listed(above)} {scores} higher than a perfect prediction: "
                f"{decimal(profile.values[best].value)} and {decimal(perfect.value)}"
            )
            yield TrialFinding("beats-perfect", "warning", words, (), tuple(above))


# Clauses that never hold together


def _clashes(contract: Contract, cards: Cards) -> Iterator[TrialFinding]:
    """Pairs of clauses of one kind that, wherever both apply in some system, never both hold."""
    obliged = {name: obliged_frames(card) for name, card in cards.items()}
    alone = dict(_never_satisfied(contract, cards))
    yield from alone.values()
    for a, b in combinations([clause.name for clause in contract.frame_clauses], 2):
        both = {name: duty for name, masks in obliged.items() if (duty := masks[a] & masks[b])}
        failed = [(duty, cards[name].violated[a] & duty, cards[name].violated[b] & duty) for name, duty in both.items()]
        # A clause that fails wherever both apply is at odds with the cast and not with the other clause.
        each = any(duty != one for duty, one, _ in failed) and any(duty != other for duty, _, other in failed)
        if each and all(one | other == duty for duty, one, other in failed):
            name = next(iter(both))
            segments, frames = cards[name].layout.locate(cards[name].layout.positions(both[name]))
            yield _together(cards[name], a, b, (int(segments[0]), int(frames[0])))
    for one, other in combinations(contract.event_clauses, 2):
        if one.each is other.each and one.name not in alone and other.name not in alone:
            yield from _event_clash(one, other, cards)


def _event_clash(a: EventClause, b: EventClause, cards: Cards) -> Iterator[TrialFinding]:
    """Two predicates over the same intervals of which, in every system, one is violated."""
    first: tuple[Scorecard, Place] | None = None
    for card in cards.values():
        failed = [{(s, obligated_run(c.each, o)) for s, o in card.event_clause(c.name).violated} for c in (a, b)]
        obligated = int(card.counts[a.name].obligated.sum())
        if obligated and len(failed[0] | failed[1]) < obligated:
            return
        if obligated and first is None:
            segment, run = min(failed[0] | failed[1])
            first = card, (segment, run[0])
    if first is not None:
        yield _together(first[0], a.name, b.name, first[1])


def _together(card: Scorecard, a: str, b: str, place: Place) -> TrialFinding:
    words = (
        f"clauses `{a}` and `{b}` never both hold where both apply, whatever the system of the cast; "
        f"first {_where(card, place)}"
    )
    return _placed(card, place, "never-together", words, (a, b), ())


def _never_satisfied(contract: Contract, cards: Cards) -> Iterator[tuple[str, TrialFinding]]:
    for clause in contract.clauses:
        counts = [card.counts[clause.name] for card in cards.values()]
        if any(one.obligated.any() for one in counts) and not any(one.satisfied.any() for one in counts):
            words = f"no system of the cast satisfies `{clause.name}` anywhere"
            yield clause.name, TrialFinding("never-satisfied", "warning", words, (clause.name,))


def _same_for_all(clause: str, cards: Cards) -> Iterator[TrialFinding]:
    if not any(card.counts[clause].obligated.any() for card in cards.values()):
        words = f"`{clause}` asks nothing of any system of the cast"
        yield TrialFinding("never-asked", "note", words, (clause,))
        return
    values = {card.score(clause).value for card in cards.values()}
    # One that is 0 for all is said as never satisfied already.
    if len(values) == 1 and values != {Fraction(0)}:
        words = f"`{clause}` tells no systems of the cast apart: each scores {decimal(values.pop())}"
        yield TrialFinding("same-for-all", "note", words, (clause,))


# Places


def _where(card: Scorecard, place: Place) -> str:
    clip, label = card.family.place(place[0])
    return f"at {short(place[1] * card.family.step)} s of `{clip}`, class `{label}`"


def _placed(
    card: Scorecard, place: Place, kind: FindingKind, words: str, clauses: tuple[str, ...], systems: tuple[str, ...]
) -> TrialFinding:
    clip, label = card.family.place(place[0])
    return TrialFinding(kind, "warning", words, clauses, systems, clip, label, place[1] * card.family.step)


# Tries a contract: plays the cast on scenes or given references, and says how the values order (chapter 22).

BALANCED = "balanced"
_DRAWN = 5
# Given clips may be minutes long: more of them side by side would not be told apart on a screen.
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
    family = scenes(compiled) if ref is None else referenced(compiled, ref, durations).card.family
    return presented(TriedContract, trial_on(compiled, family, seed=seed, supplied=ref is not None))


def trial_on(compiled: Contract, family: Family, *, seed: int, supplied: bool) -> Trial:
    """The trial of a contract on the references of a family."""
    members = cast(compiled, family, seed)
    cards = {member.name: score_family(compiled, played(family, member)) for member in members}
    profiles = tuple(_profiles(compiled, cards))
    drawn = _drawn(family, scenes=not supplied)
    return Trial(
        compiled.name,
        compiled.digest,
        compiled.step,
        compiled.aggregation,
        supplied,
        seed,
        tuple(ContractTolerance(one.name, one.frames, one.frames <= LONGEST) for one in allowances(compiled)),
        tuple(_scene(family, clip) for clip in range(len(family.clips))),
        tuple(_system(member, cards[member.name], drawn) for member in members),
        tuple(
            ClauseOrder(clause.name, _ordered({name: card.score(clause.name).value for name, card in cards.items()}))
            for clause in compiled.clauses
        ),
        profiles,
        (*(() if supplied else _evaded(compiled)), *trial_findings(compiled, members, cards, profiles)),
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


def _drawn(family: Family, *, scenes: bool) -> tuple[int, ...]:
    """The segments that are drawn: scenes of the first class, or the first clips that have events."""
    if scenes:
        return tuple(range(min(_DRAWN, len(family.clips))))
    return tuple(sorted(family.runs[Side.REF]))[:_FEWEST_CLIPS]


def _system(member: Member, card: Scorecard, drawn: Sequence[int]) -> SystemTrial:
    worst = worst_timelines(card, 1)
    values = []
    for clause, scored in card.vector().items():
        counts = card.counts[clause]
        satisfied, obligated = int(counts.satisfied.sum()), int(counts.obligated.sum())
        values.append(ClauseValue(clause, scored.value, rounded(scored.value), satisfied, obligated, scored.vacuous))
    lanes = tuple(timeline(card, segment) for segment in drawn)
    return SystemTrial(member.name, member.words, member.strays, tuple(values), lanes, worst[0] if worst else None)


def _profiles(contract: Contract, cards: Mapping[str, Scorecard]) -> Iterator[ProfileTrial]:
    """How `balanced`, which a profile of that name replaces, and the contract's own profiles order the cast."""
    even = tuple((clause.name, Fraction(1)) for clause in contract.clauses)
    # A dictionary, so that the contract's `balanced` takes the place of ours and keeps its rank in the order.
    profiles = {profile.name: profile for profile in contract.profiles}
    for profile in {BALANCED: Profile(BALANCED, contract.aggregation, even), **profiles}.values():
        values = {name: card.profile(profile) for name, card in cards.items()}
        shown = {name: Exact.of(value) for name, value in values.items()}
        yield ProfileTrial(profile.name, profile.aggregation, shown, _ordered(values))


def _ordered(values: Mapping[str, Fraction]) -> tuple[tuple[str, ...], ...]:
    """Names by falling value, those of one value together."""
    levels = sorted({*values.values()}, reverse=True)
    return tuple(tuple(name for name, value in values.items() if value == level) for level in levels)


# `tracepact try`: play a fixed cast of systems against a contract, and say what is wrong with it.

_COMMAND = "try"
_ABOUT_PREDICTIONS = ("one-sided-label", "clip-without-predictions")
"""What is said of references that have no predictions yet, which is meant here."""


@click.command()
@contract_argument
@click.option("--ref", type=click.Path(), help="Reference events: a file or folder of any format.")
@durations_option()
@click.option(
    "--calibration",
    metavar="SET",
    shell_complete=complete_calibration,
    help="A calibration set, or the name of a shipped one, whose mildest faults no useless system may reach.",
)
@set_option
@click.option("--seed", type=WholeNumber(0), default=SEED, show_default=True, help="Seed of the generator.")
@fail_on_option
@click.option("--out", type=OutputFolder(_COMMAND), help="Write page, JSON and rows to this folder.")
@full_option
@format_option("text", "json", "csv")
def try_command(
    contract: str,
    ref: str | None,
    durations: str | None,
    calibration: str | None,
    overrides: tuple[tuple[str, str], ...],
    seed: int,
    fail_on: str,
    out: Path | None,
    full: bool,
    form: str,
) -> int:
    """Try a contract: play a fixed cast of systems against it, and say in sentences what is wrong.

    CONTRACT is a file, or the name of a starter contract such as boundary_gate. The cast is perfect, silent, always on,
    late, early, long, short, split, merged, jittered, of the wrong class, with one event too many or too few, and moved
    by each tolerance and one frame less or more. It is played on scenes made for the contract's own step and
    tolerances, or on the references of --ref. With --calibration useless systems are played on the set's references too
    and must score below its mildest faults. What it shows holds for these clips; `check` decides for all.

    Exit codes: 0 tried, 2 invalid input, or a finding at least as severe as --fail-on.
    """
    if ref is None and durations is not None:
        raise click.UsageError("--durations goes with --ref: the scenes have their own")
    compiled = given_contract(contract, overrides)
    with progress(2) as advance:
        advance("reading")
        run = None if ref is None else referenced(compiled, ref, durations)
        family = scenes(compiled) if run is None else run.card.family
        advance("playing")
        trial = trial_on(compiled, family, seed=seed, supplied=run is not None)
    if calibration is not None:
        wins = tuple(useless_wins(compiled, load_calibration(calibration)))
        trial = msgspec.structs.replace(trial, findings=(*wins, *trial.findings))
    diagnostics = () if run is None else run.diagnostics
    print_diagnostics([one for one in diagnostics if one.code not in _ABOUT_PREDICTIONS])
    if out is not None:
        files = {
            "trial.html": trial_page(trial),
            "trial.json": json_text(plain(trial)),
            "trial.csv": csv_text(ROW_COLUMNS, rows(trial)),
        }
        write_results(out, _COMMAND, files)
        say(f"wrote {len(files)} files to {out}")
    match form:
        case "json":
            print_json(trial)
        case "csv":
            print_rows(ROW_COLUMNS, rows(trial))
        case _:
            print_trial(trial, full=full)
    return Exit.INVALID if has_failed(fail_on, (finding.severity for finding in trial.findings)) else Exit.OK
