"""Predictions that show what a contract asks: the perfect one, and those with a fault (rules 21.1, 21.12, 21.14)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product

from tracepact.declarations import dataclass
from tracepact.evaluate.masks import IntegerAlgebra, allowances, evaluate_masks, match_runs, measures, obligations
from tracepact.evaluate.predicates import ClipScene, Obligation, prepare, truth
from tracepact.language import predicate
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS, Contract, EventClause, FrameClause
from tracepact.language.formula import And, Atom, Constant, Formula, FrameRun, Iff, Implies, Not, Or, atoms, folded
from tracepact.language.predicate import OBLIGATED, Each, Owner, attributes, unbounded_side
from tracepact.lazy import z3
from tracepact.logic.arithmetic import EventExample, EventQuestion, SymbolicInterval, SymbolicObligation, replayed
from tracepact.logic.decisions import Budget
from tracepact.logic.models import Verdict, renamed

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


# What a predicate is for every interval that is matched with itself, by bounds on its terms and without a solver.
#
# Every attribute of such an interval is linear in its onset, at least 0, and its length, at least 1 frame. A
# comparison whose sides differ by a linear term is settled where that term has a bound on the right side of zero.

_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class _Linear:
    """`at` at the first frame and a length of one, and what each frame of onset and of further length adds."""

    at: Fraction
    onset: Fraction = _ZERO
    length: Fraction = _ZERO

    def plus(self, other: "_Linear", factor: Fraction = _ONE) -> "_Linear":
        return _Linear(
            self.at + factor * other.at, self.onset + factor * other.onset, self.length + factor * other.length
        )

    @property
    def least(self) -> Fraction | None:
        """None if it has no bound below."""
        return self.at if self.onset >= 0 and self.length >= 0 else None

    @property
    def greatest(self) -> Fraction | None:
        """None if it has no bound above."""
        return self.at if self.onset <= 0 and self.length <= 0 else None


_OF_ITSELF: Mapping[str, _Linear] = {
    "onset": _Linear(_ZERO, onset=_ONE),
    "offset": _Linear(_ONE, onset=_ONE, length=_ONE),
    "duration": _Linear(_ONE, length=_ONE),
    "overlap": _Linear(_ONE, length=_ONE),
    "covering": _Linear(_ONE),
    "longest_gap": _Linear(_ZERO),
    "iou": _Linear(_ONE),
    "coverage": _Linear(_ONE),
    "purity": _Linear(_ONE),
}
"""The attributes in frames, or as plain numbers. An attribute that is missing is left to the solver."""


def settled(formula: Formula, event_atoms: Mapping[str, predicate.EventAtom], step: Fraction) -> bool | None:
    """The truth of a predicate for every interval matched with itself; None if it differs, or bounds do not tell."""

    def leaf(part: Formula) -> bool | None:
        match part:
            case Constant(value):
                return value
            case Atom(name):
                return _event_atom(event_atoms[name], step)
        return None

    return folded(formula, leaf, _JOINS)


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


def _both(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


_JOINS: Mapping[type[Formula], Callable[..., bool | None]] = {
    Not: _not,
    And: _both,
    Or: lambda a, b: _not(_both(_not(a), _not(b))),
    Implies: lambda a, b: _not(_both(a, _not(b))),
    Iff: lambda a, b: None if a is None or b is None else a == b,
}
"""The connectives of three values: true, false, and None for what bounds do not tell (Kleene's strong logic)."""


def _event_atom(atom: predicate.EventAtom, step: Fraction) -> bool | None:
    if not isinstance(atom, predicate.TermComparison):
        return True if atom.attribute.name == "matched" else None
    if (unbounded := unbounded_side(atom)) is not None:
        return unbounded[1]  # one piece has no gap, and that is greater than every time (rule 4.9)
    match atom.relation:
        case predicate.Relation.LE | predicate.Relation.LT:
            return _is_less(atom.left, atom.right, step, strictly=atom.relation is predicate.Relation.LT)
        case predicate.Relation.GE | predicate.Relation.GT:
            return _is_less(atom.right, atom.left, step, strictly=atom.relation is predicate.Relation.GT)
    left, right = _term(atom.left, step), _term(atom.right, step)
    equal = None if left is None or right is None else _equal(left.plus(right, -_ONE))
    return equal if atom.relation is predicate.Relation.EQ else _not(equal)


def _is_less(low: predicate.Term, high: predicate.Term, step: Fraction, *, strictly: bool) -> bool | None:
    """Whether one term is at most another, or less; of a maximum as the greater one, one argument is enough."""
    if isinstance(high, predicate.Maximum) and any(
        _is_less(low, one, step, strictly=strictly) for one in high.arguments
    ):
        return True
    if isinstance(low, predicate.Minimum) and any(
        _is_less(one, high, step, strictly=strictly) for one in low.arguments
    ):
        return True
    left, right = _term(low, step), _term(high, step)
    return None if left is None or right is None else _at_most(left.plus(right, -_ONE), strictly=strictly)


def _at_most(value: _Linear, *, strictly: bool) -> bool | None:
    """Whether it is at most zero, or below it."""
    most, least = value.greatest, value.least
    if most is not None and (most < 0 or (most == 0 and not strictly)):
        return True
    if least is not None and (least > 0 or (least == 0 and strictly)):
        return False
    return None


def _equal(value: _Linear) -> bool | None:
    if value == _Linear(_ZERO):
        return True
    # Never equal if always below or always above; a linear term that crosses zero is left to the solver.
    below, above = _at_most(value, strictly=True), _at_most(_Linear(_ZERO).plus(value, -_ONE), strictly=True)
    return False if below or above else None


def _term(term: predicate.Term, step: Fraction) -> _Linear | None:
    """A term as a linear one, times in frames; None if it is not seen to be one."""
    match term:
        case predicate.ConstantTerm(value, quantity):
            return _Linear(value / step if quantity is predicate.TermType.TIME else value)
        case predicate.Attribute(_, name):
            return _OF_ITSELF.get(name)
        case predicate.TermSum(a, b) | predicate.TermDifference(a, b):
            left, right = _term(a, step), _term(b, step)
            if left is None or right is None:
                return None
            return left.plus(right, _ONE if isinstance(term, predicate.TermSum) else -_ONE)
        case predicate.Scaled(factor, body):
            inner = _term(body, step)
            return None if inner is None else _Linear(_ZERO).plus(inner, factor)
        case predicate.Absolute(body):
            inner = _term(body, step)
            if inner is None:
                return None
            return _greatest(inner, _Linear(_ZERO).plus(inner, -_ONE))
        case predicate.Minimum(arguments) | predicate.Maximum(arguments):
            return _chosen([_term(argument, step) for argument in arguments], least=isinstance(term, predicate.Minimum))


def _chosen(values: list[_Linear | None], *, least: bool) -> _Linear | None:
    """The least or the greatest of some, where one of them is so for every interval."""
    lone = values[0]
    for value in values[1:]:
        if lone is None or value is None:
            return None
        greater = _greatest(lone, value)
        if greater is None:
            return None
        lone = (value if greater is lone else lone) if least else greater
    return lone


def _greatest(first: _Linear, second: _Linear) -> _Linear | None:
    """The greater of two, where it is the same one for every interval."""
    below = _at_most(first.plus(second, -_ONE), strictly=False)
    if below is None:
        return first if _at_most(second.plus(first, -_ONE), strictly=False) else None
    return second if below else first


# What a perfect prediction does to a clause: the prediction is the reference, in every class.
#
# A frame clause becomes a question of one trace. An event predicate becomes one of an onset and a length: every
# interval is matched with itself, which no other overlaps, whatever the matcher.


def perfected(formula: Formula) -> Formula:
    """The formula with the reference in place of the prediction."""
    return renamed(formula, lambda name: name.replace("pred_", "ref_"))


def perfect_interval_with(
    formula: Formula, event_atoms: Mapping[str, predicate.EventAtom], step: Fraction, budget: Budget
) -> tuple[Verdict, FrameRun | None]:
    """Whether a predicate is true for some interval that is matched with itself alone, and for which one.

    `dominant` is open, since the references of another class may overlap as much.
    """
    context = z3.Context()
    onset, length = z3.Ints("onset length", context)
    one, none = z3.IntVal(1, context), z3.IntVal(0, context)
    interval = SymbolicInterval(onset, onset + length, one, length, none, none)
    matched, dominant = z3.BoolVal(True, context), z3.Bool("dominant", context)
    pair = SymbolicObligation("perfect", predicate.Each.MATCHED, step, interval, interval, matched, dominant, context)
    condition = pair.formula(formula, event_atoms)
    solver = z3.Solver(ctx=context)
    solver.set("timeout", max(1, int(budget.seconds * 1000)))
    solver.add(onset >= 0, length >= 1, condition)
    solver.add(*(ratio == 1 for ratio in pair.ratios.values()))  # an interval covers all of itself
    answer = solver.check()
    if answer != z3.sat:
        return (Verdict.UNSAT if answer == z3.unsat else Verdict.UNKNOWN), None
    model = solver.model()
    first, frames = (int(model.eval(value, model_completion=True).as_long()) for value in (onset, length))
    return Verdict.SAT, (first, first + frames)


def perfect_violation(clause: EventClause, contract: Contract, budget: Budget) -> EventExample | None:
    """A scene whose prediction is its reference and that violates the clause, as scoring finds it; None if none is."""
    atoms = dict(clause.event_atoms)
    if settled(clause.formula, atoms, contract.step):
        return None
    verdict, run = perfect_interval_with(Not(clause.formula), atoms, contract.step, budget)
    if verdict is not Verdict.SAT or run is None:
        return None
    question = EventQuestion.of(clause, contract, Not(clause.formula))
    others = () if contract.one_class else ((run,),)
    for foreign in ((), others):
        example = replayed(question, ClipScene((run,), (run,), foreign))
        if example is not None:
            return example
    return None
