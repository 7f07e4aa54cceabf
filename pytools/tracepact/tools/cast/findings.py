"""What a trial says of a contract: clauses that a perfect prediction violates, faults that nothing notices, clashes."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from tracepact.core import Contract, Each, EventClause, FrameClause
from tracepact.events.attributes import Obligation
from tracepact.monitor import IntegerAlgebra, evaluate_masks
from tracepact.scoring import Scorecard
from tracepact.tools.cast.record import FindingKind, ProfileTrial, TrialFinding
from tracepact.tools.cast_members import ALWAYS_ON, PERFECT, SILENT, WRONG_CLASS, Member
from tracepact.trace import FrameRun, Side
from tracepact.wording import count, decimal, listed, short

Cards = Mapping[str, Scorecard]
Place = tuple[int, int]
"""A segment and a frame."""


def trial_findings(
    contract: Contract, members: Sequence[Member], cards: Cards, profiles: Sequence[ProfileTrial]
) -> Iterator[TrialFinding]:
    """Every finding, faults first."""
    for clause in contract.clauses:
        yield from _perfect_violates(clause, cards[PERFECT])
    notes = []
    for member in members:
        for found in _unnoticed(member, cards):
            if found.severity == "warning":
                yield found
            else:
                notes.append(found)
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
        return segment, _run(clause, obligation)[0]
    found = card.frame_violations(clause.name)
    return int(found.segment[0]), int(found.frame[0])


def _run(clause: EventClause, obligation: Obligation) -> FrameRun:
    """The interval that an obligation is about; of a pair, the reference."""
    run = obligation.pred if clause.each is Each.PRED else obligation.ref
    assert run is not None  # whoever is obligated has an interval
    return run


def _unnoticed(member: Member, cards: Cards) -> Iterator[TrialFinding]:
    """A fault that is larger than every tolerance and costs nothing under any clause."""
    card = cards[member.name]
    if not member.strays or card.family.runs[Side.PRED] == card.family.runs[Side.REF]:
        return
    if all(score.value == 1 for score in card.vector().values()):
        constant = member.name in (SILENT, ALWAYS_ON, WRONG_CLASS)
        yield TrialFinding(
            "unnoticed",
            "warning" if constant else "note",
            f"no clause notices a system that {_third_person(member)}: `{member.name}` scores 1 everywhere",
            (),
            (member.name,),
        )


def _third_person(member: Member) -> str:
    """What a system does, after `a system that`."""
    return member.words if member.words.startswith(("predicts", "leaves")) else f"predicts {member.words}"


def _beats_perfect(profiles: Sequence[ProfileTrial]) -> Iterator[TrialFinding]:
    for profile in profiles:
        perfect = profile.values[PERFECT]
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
    judged = {clause.name: _judged_frames(clause, cards) for clause in contract.frame_clauses}
    alone = dict(_never_satisfied(contract, cards))
    yield from alone.values()
    for a, b in combinations(contract.frame_clauses, 2):
        both = [
            (name, x[0] & y[0], x[1], y[1]) for name, x, y in zip(cards, judged[a.name], judged[b.name], strict=True)
        ]
        asked = [(name, duty, p, q) for name, duty, p, q in both if duty]
        held = any(duty & p & q for _, duty, p, q in asked)
        each = any(duty & p for _, duty, p, _ in asked) and any(duty & q for _, duty, _, q in asked)
        if asked and each and not held:
            name, duty, _, _ = asked[0]
            segments, frames = cards[name].layout.locate(cards[name].layout.positions(duty))
            yield _together(cards[name], a.name, b.name, (int(segments[0]), int(frames[0])))
    for one, other in combinations(contract.event_clauses, 2):
        if one.each is other.each and one.name not in alone and other.name not in alone:
            yield from _event_clash(one, other, cards)


def _judged_frames(clause: FrameClause, cards: Cards) -> list[tuple[int, int]]:
    """For each system the frames where a clause applies, and those where its formula holds."""
    found = []
    for card in cards.values():
        algebra = IntegerAlgebra(card.layout.valid, card.layout.longest)
        duty, formula = evaluate_masks([clause.obligation, clause.formula], card.atoms, algebra)
        found.append((duty & (card.layout.valid ^ card.atoms.ignored), formula))
    return found


def _event_clash(a: EventClause, b: EventClause, cards: Cards) -> Iterator[TrialFinding]:
    """Two predicates over the same intervals of which, in every system, one is violated."""
    first: tuple[Scorecard, Place] | None = None
    for card in cards.values():
        failed = [{(s, _run(c, o)) for s, o in card.event_clause(c.name).violated} for c in (a, b)]
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
