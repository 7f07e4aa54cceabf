"""Faults that no clause notices and faults that evade one, shown by scenes that are played (rules 21.12 and 21.14)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product

from tracepact.declarations import dataclass
from tracepact.evaluate.masks import IntegerAlgebra, allowances, evaluate_masks, match_runs, measures, obligations
from tracepact.evaluate.predicates import ClipScene, Obligation, prepare, truth
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS, Contract, EventClause, FrameClause
from tracepact.language.formula import And, FrameRun, Not, atoms
from tracepact.language.predicate import OBLIGATED, Each, Owner, attributes

# The scenes: one reference that is predicted exactly, so that clauses on pairs are asked something, and one that is
# predicted with a fault, in one piece too far off for the matcher or in two pieces.

LONGEST_SCENE = 100_000
"""Scenes of more frames than this are not played: the question is asked again with every pause in an editor."""


@dataclass(frozen=True, slots=True)
class Evasion:
    """A scene in which nothing is violated though a prediction in it would violate a clause, were it the partner.

    `obligation` has the reference that is predicted wrongly and the partner it gets instead, if any.
    """

    clause: EventClause
    obligation: Obligation
    frames: int

    @property
    def words(self) -> str:
        """How the clause is evaded, as the rest of a sentence."""
        if self.obligation.pred is None:
            return "a prediction that would violate it finds no partner"
        return "of a prediction in two pieces the one without the fault becomes the partner"


def asks_for_a_partner(clause: EventClause) -> bool:
    """Whether the truth of a clause depends on the matching."""
    mentioned = [attribute for _, atom in clause.event_atoms for attribute in attributes(atom)]
    return clause.each is Each.MATCHED or any(
        attribute.name == "matched" or attribute.owner is Owner.PAIR or attribute.owner not in OBLIGATED[clause.each]
        for attribute in mentioned
    )


def evasion(clause: EventClause, contract: Contract) -> Evasion | None:
    """The first scene in which the clause is evaded, the smallest fault first; None if none of those played shows it.

    Asked of clauses that a missing partner excuses; one that fails without a partner judges what became of it.
    Without a single violation every clause scores 1 there: the reference that is predicted exactly keeps a clause on
    pairs from having none (rule 7.4).
    """
    layout, holds = _Layout.of(contract), _truth(clause, contract)
    if layout.frames > LONGEST_SCENE or not asks_for_a_partner(clause):
        return None
    if clause.each is not Each.MATCHED and not holds(layout.without_partner(clause.each)):
        return None
    is_unnoticed = _unnoticed(contract, layout.frames)
    for whole, predicted in layout.faults():
        as_one = ClipScene(layout.refs, (whole, layout.refs[1]))
        if holds(Obligation(layout.refs[0], whole, as_one)):
            continue
        scene = ClipScene(layout.refs, (*predicted, layout.refs[1]))
        partners = dict(match_runs(scene.refs, scene.preds, contract.matcher, contract.step))
        partner = scene.preds[partners[0]] if 0 in partners else None
        if partner != whole and is_unnoticed(scene):
            return Evasion(clause, Obligation(layout.refs[0], partner, scene), layout.frames)
    return None


def closing_clause(contract: Contract) -> str:
    """The text of a clause that fails wherever a reference has no partner, or more than one prediction."""
    taken = {clause.name for clause in contract.clauses}
    name = next(
        name for name in ("whole", "in_one_piece", *map("whole_{}".format, range(len(taken)))) if name not in taken
    )
    return f"clause {name} on each ref : matched and covering <= 1"


@dataclass(frozen=True, slots=True)
class _Layout:
    """The references of a scene in frames, and by how much the first one is predicted wrongly."""

    refs: tuple[FrameRun, FrameRun]
    frames: int
    hole: int
    shifts: tuple[int, ...]

    @classmethod
    def of(cls, contract: Contract, *, short: bool = False) -> "_Layout":
        """As large as the tolerances and the search of the matcher ask for, with silence wider than both around.

        References are long, or as `short` as one frame.
        """
        lengths = measures(contract)
        beyond_search = contract.matcher.search // contract.step + 1
        unit = max(lengths.stray, beyond_search) + lengths.hole
        first = (3 * unit, 3 * unit + (1 if short else 6 * unit))
        second = (first[1] + 3 * unit, first[1] + 3 * unit + (1 if short else 4 * unit))
        beyond = {one.frames + 1 for one in allowances(contract) if one.frames < unit}
        sizes = sorted({0, 1, beyond_search, unit, 2 * unit} | beyond)
        shifts = tuple(sign * size for size in sizes for sign in ((-1, 1) if size else (1,)))
        return cls((first, second), second[1] + 3 * unit, lengths.hole, shifts)

    def without_partner(self, each: Each) -> Obligation:
        """An interval of one side where the other has none."""
        run = self.refs[0]
        if each is Each.PRED:
            return Obligation(None, run, ClipScene((), (run,)))
        return Obligation(run, None, ClipScene((run,), ()))

    def of_kinds(self) -> dict[str, list[tuple[FrameRun, ...]]]:
        """What is predicted when faults of each kind are made, from small to large; short events have no pieces."""
        (start, end), second = self.refs
        unit, length = start // 3, end - start
        late = [size for size in (*(shift for shift in self.shifts if shift > 0), length - 1) if 0 < size < length]
        early = [shift for shift in self.shifts if shift > 0]
        cuts = [cut for cut in (start + 1, (start + end) // 2, end - 1 - self.hole) if start < cut < end - self.hole]
        return {
            "missed events": [(second,), ((start, end),)],
            "false alarms": [
                ((start, end), second, (after, after + size)) for after in (second[1] + unit,) for size in (1, unit)
            ],
            "late onsets": [((start + size, end), second) for size in late],
            "early onsets": [((start - size, end), second) for size in early],
            "late offsets": [((start, end + size), second) for size in early],
            "early offsets": [((start, end - size), second) for size in late],
            "events in pieces": [((start, cut), (cut + self.hole, end), second) for cut in cuts],
            "joined events": [((start, second[1]),)],
        }

    def faults(self) -> Iterator[tuple[FrameRun, tuple[FrameRun, ...]]]:
        """Predictions of the first reference in one piece, and what is predicted: that piece, or two in its place."""
        start, end = self.refs[0]
        by_size = sorted(product(self.shifts, repeat=2), key=lambda shift: (abs(shift[0]) + abs(shift[1]), shift))
        for at_onset, at_offset in by_size:
            whole = (start + at_onset, end + at_offset)
            yield whole, (whole,)
            for cut in (start + 1, (start + end) // 2, end - 1 - self.hole):
                if whole[0] < cut and cut + self.hole < whole[1]:
                    yield whole, ((whole[0], cut), (cut + self.hole, whole[1]))


# Faults of one kind that no clause notices, however large they are (rule 21.14).


@dataclass(frozen=True, slots=True)
class FaultKind:
    """A kind of fault, the system of the trial that shows it, and a clause that would notice.

    `opposite` is the same in the other direction of time: where that one is noticed, this one is most likely forgotten.
    """

    name: str
    system: str
    clause: str
    opposite: str | None = None


FAULT_KINDS = (
    FaultKind("missed events", "one missed", "on ref_active : N[…] pred_active"),
    FaultKind("false alarms", "one extra", "on pred_active : N[…] ref_active"),
    FaultKind("late onsets", "late", "on ref_onset : N[…] pred_onset", "early onsets"),
    FaultKind("early onsets", "early", "on ref_onset : N[…] pred_onset", "late onsets"),
    FaultKind("late offsets", "long", "on ref_offset : N[…] pred_offset", "early offsets"),
    FaultKind("early offsets", "short", "on ref_offset : N[…] pred_offset", "late offsets"),
    FaultKind("events in pieces", "split in 2", "on each ref : matched and covering <= 1"),
    FaultKind("joined events", "merged", "on each pred : covering <= 1"),
)
ALWAYS_ASKED = frozenset({"missed events", "false alarms"})
"""What no contract of several clauses should pass over; the others may be left to another contract on purpose."""


@dataclass(frozen=True, slots=True)
class UnnoticedFault:
    """A kind of fault that violates nothing in the scenes that are played, and the largest of them."""

    kind: FaultKind
    obligation: Obligation
    one_sided: bool


def unnoticed_faults(contract: Contract) -> list[UnnoticedFault]:
    """The kinds of fault that violate nothing in any scene; none if the references themselves violate the contract."""
    shown = _unnoticed_scenes(contract)
    return [
        UnnoticedFault(kind, shown[kind.name], kind.opposite is not None and _asks_one_way(contract, kind))
        for kind in FAULT_KINDS
        if kind.name in shown
    ]


def _unnoticed_scenes(contract: Contract) -> dict[str, Obligation]:
    """By kind of fault the largest one on long references, of those that violate nothing."""
    long, short = _Layout.of(contract), _Layout.of(contract, short=True)
    if long.frames > LONGEST_SCENE:
        return {}
    shown: dict[str, Obligation] = {}
    for layout in (long, short):
        is_unnoticed = _unnoticed(contract, layout.frames)
        if not is_unnoticed(ClipScene(layout.refs, layout.refs)):
            return {}
        for name, scenes in layout.of_kinds().items():
            played = [ClipScene(layout.refs, predicted) for predicted in scenes]
            if not all(map(is_unnoticed, played)):
                shown.pop(name, None)
            elif layout is long:
                shown[name] = Obligation(layout.refs[0], None, played[-1])
    return shown


def _asks_one_way(contract: Contract, kind: FaultKind) -> bool:
    """Whether the clauses that speak of the edge notice it moved the other way; that others do says nothing of it."""
    edge = kind.name.split()[1].removesuffix("s")
    about = tuple(clause for clause in contract.clauses if edge in _edges(clause))
    return bool(about) and kind.opposite not in _unnoticed_scenes(replace(contract, clauses=about))


def _edges(clause: FrameClause | EventClause) -> set[str]:
    """The edges that a clause speaks of."""
    if isinstance(clause, EventClause):
        return {attribute.name for _, atom in clause.event_atoms for attribute in attributes(atom)}
    return {name.partition("_")[2] for name in atoms(clause.formula) | atoms(clause.obligation)}


# What a contract says of a scene: every clause, in plain Python. `check` loads no engine for whole families.


def _truth(clause: EventClause, contract: Contract) -> Callable[[Obligation], bool]:
    return truth(clause.formula, {name: prepare(atom, contract.step) for name, atom in clause.event_atoms})


def _unnoticed(contract: Contract, frames: int) -> Callable[[ClipScene], bool]:
    """Whether no clause is violated in a scene, whether the supplied atoms hold everywhere or nowhere."""
    truths = [(clause.each, _truth(clause, contract)) for clause in contract.event_clauses]
    violated = [And(clause.obligation, Not(clause.formula)) for clause in contract.frame_clauses]
    every_frame = (1 << frames) - 1
    algebra = IntegerAlgebra(every_frame, frames)

    def is_unnoticed(scene: ClipScene) -> bool:
        pairs = match_runs(scene.refs, scene.preds, contract.matcher, contract.step)
        if not all(holds(o) for each, holds in truths for o in obligations(each, scene, pairs)):
            return False
        masks = _masks(scene)
        for value in (0, every_frame):
            fails = evaluate_masks(violated, {**masks, **dict.fromkeys(contract.declared_atoms, value)}, algebra)
            if any(fails):
                return False
        return True

    return is_unnoticed


def _masks(scene: ClipScene) -> Mapping[str, int]:
    """The masks of the built-in atoms, bit by frame; no other class is active."""
    masks = dict.fromkeys((*BUILTIN_ATOMS, *CLASS_ATOMS), 0)
    for side, runs in (("ref", scene.refs), ("pred", scene.preds)):
        for start, end in runs:
            masks[f"{side}_active"] |= (1 << end) - (1 << start)
            masks[f"{side}_onset"] |= 1 << start
            masks[f"{side}_offset"] |= 1 << end
    return masks
