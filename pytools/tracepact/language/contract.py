"""The core contract: clauses over core formulas and event atoms with every setting resolved, and the aggregations."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import Enum
from fractions import Fraction

from tracepact.declarations import dataclass
from tracepact.diagnostics.findings import Diagnostic, Source, Span
from tracepact.language.formula import Formula, atoms, reach
from tracepact.language.predicate import Each, EventAtom, compares_classes

# The aggregations over clips and classes: what each adds first, and what its means leave out (rule 7.5).
#
# A new one is a member and a row of the table below, a sentence in the rule, its name in the schemas, and the
# oracle's own definition of it; scorecards, audits, curves and the bootstrap read the row.


class OmittedEntries(Enum):
    """Which entries do not take part in a mean."""

    NOTHING = "nothing"
    VACUOUS = "vacuous entries"


@dataclass(frozen=True, slots=True)
class AggregationSteps:
    """How counts by class and clip become one value.

    First the counts of all clips are added, or those of all classes, or both, or neither; what remains are the entries.
    Each is scored by itself. The value is the mean over clips of the mean over classes of the entries that are not
    left out. `words` name the aggregation to a reader, `entries` what it takes means of.
    """

    words: str
    entries: str
    adds_clips: bool
    adds_classes: bool
    leaves_out: OmittedEntries


class Aggregation(Enum):
    """How the values of clips and classes become one (rule 7.5).

    Attributes:
        POOLED: add the counts of all clips and classes, then divide.
        MACRO_CLIPS: the mean over clips of the mean over classes.
        MACRO_CLASSES: the mean over classes of each class's pooled score.
        MACRO_CLIPS_INFORMATIVE: MACRO_CLIPS without the entries that have no obligation.
        MACRO_CLASSES_INFORMATIVE: MACRO_CLASSES without the classes that have no obligation.

    Examples:
        >>> from tracepact import Aggregation
        >>> Aggregation("macro_clips")
        <Aggregation.MACRO_CLIPS: 'macro_clips'>
    """

    POOLED = "pooled"
    MACRO_CLIPS = "macro_clips"
    MACRO_CLASSES = "macro_classes"
    MACRO_CLIPS_INFORMATIVE = "macro_clips_informative"
    MACRO_CLASSES_INFORMATIVE = "macro_classes_informative"

    @property
    def steps(self) -> AggregationSteps:
        """What it does, in order."""
        return _STEPS[self]

    @property
    def words(self) -> str:
        """Its name as a reader sees it, in every table and chart."""
        return _STEPS[self].words


_PAIRS, _CLASSES = "clip–class pairs", "classes"
_ALL, _INFORMATIVE = OmittedEntries.NOTHING, OmittedEntries.VACUOUS
_STEPS = {
    Aggregation.POOLED: AggregationSteps("pooled", "values", True, True, _ALL),
    Aggregation.MACRO_CLIPS: AggregationSteps("macro clips", _PAIRS, False, False, _ALL),
    Aggregation.MACRO_CLASSES: AggregationSteps("macro classes", _CLASSES, True, False, _ALL),
    Aggregation.MACRO_CLIPS_INFORMATIVE: AggregationSteps("macro clips, no ∅", _PAIRS, False, False, _INFORMATIVE),
    Aggregation.MACRO_CLASSES_INFORMATIVE: AggregationSteps("macro classes, no ∅", _CLASSES, True, False, _INFORMATIVE),
}


# The core contract: clauses over core formulas and event atoms, with every setting resolved.


class Projection(Enum):
    """Which frames an event activates (rule 5.3)."""

    CENTRE = "centre"
    TOUCH = "touch"
    INSIDE = "inside"


class MatcherKind(Enum):
    """Which one-to-one relation the matcher picks (chapter 8)."""

    GREEDY = "greedy"
    OPTIMAL = "optimal"


@dataclass(frozen=True, slots=True)
class Matcher:
    """The declared matcher; times in seconds."""

    kind: MatcherKind = MatcherKind.GREEDY
    search: Fraction = Fraction(1, 5)
    overlap_reward: Fraction = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of a window as written, its exact time, the frames it became (rule 2.6), the parameter it names."""

    text: str
    seconds: Fraction
    frames: int
    unit: str
    parameter: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Located:
    """A core formula and its parts, each with the span it was written at, and the bounds of its window."""

    formula: Formula
    span: Span
    parts: tuple["Located", ...] = ()
    bounds: tuple[Bound, ...] = field(default=(), compare=False)

    def everywhere(self) -> Iterator["Located"]:
        """The formula and every part below it, parents first."""
        yield self
        for part in self.parts:
            yield from part.everywhere()


@dataclass(frozen=True, slots=True)
class FrameClause:
    """At every frame where the obligation holds, the formula must hold."""

    name: str
    duty: Located
    body: Located
    span: Span = field(compare=False)

    @property
    def obligation(self) -> Formula:
        """Where it must hold."""
        return self.duty.formula

    @property
    def formula(self) -> Formula:
        """What must hold."""
        return self.body.formula


@dataclass(frozen=True, slots=True)
class EventClause:
    """For every obligated interval the predicate must be true: a formula over event atoms, no modalities."""

    name: str
    each: Each
    body: Located
    event_atoms: tuple[tuple[str, EventAtom], ...]
    span: Span = field(compare=False)

    @property
    def formula(self) -> Formula:
        """The propositional skeleton; its atoms are the names in `event_atoms`."""
        return self.body.formula

    @property
    def compares_classes(self) -> bool:
        """Whether the predicate asks about references of other classes."""
        return compares_classes(atom for _, atom in self.event_atoms)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A named value as written, and its value: seconds for a time, else a plain number; where name and value stand."""

    name: str
    text: str
    value: Fraction
    overridden: bool = False
    name_span: Span = field(default=Span(0, 0), compare=False)
    value_span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Sweep:
    """Values of a parameter, as written, at which the vector is shown as well, and what each would be as a radius."""

    parameter: str
    values: tuple[str, ...]
    bounds: tuple[Bound, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Profile:
    """Named weights over clauses, applied after the vector."""

    name: str
    aggregation: Aggregation
    weights: tuple[tuple[str, Fraction], ...]


BUILTIN_ATOMS = (
    "ref_active",
    "ref_onset",
    "ref_offset",
    "pred_active",
    "pred_onset",
    "pred_offset",
)
CLASS_ATOMS = ("other_ref_active", "other_pred_active")


@dataclass(frozen=True, slots=True)
class Contract:
    """A checked contract with all names, units and parameters resolved.

    It is made by `load_contract` or `parse_contract`; times are exact, in seconds.

    Attributes:
        name: what the contract is called.
        title: its title, if it has one.
        step: the length of a frame.
        clauses: the clauses, in source order.
        merge_gap: the longest gap between two runs that joins them (rule 5.8).
        projection: which frames an event activates (rule 5.3).
        aggregation: the aggregation that is shown first (rule 3.6).
        matcher: the matcher of the event clauses (chapter 8).
        soft_scale: the scale of the soft boundary score (rule 7.9).
        labels: the declared class set; None if it follows from the data.
        declared_atoms: the atoms whose masks the caller supplies.
        parameters: the parameters with their values.
        sweeps: the values of parameters at which the vector is shown as well.
        profiles: the declared risk profiles.
        text: the canonical text (rule 11.1).
        digest: the SHA-256 that identifies the contract (rule 11.3).
        source: the text as it was written.
        warnings: what was found while it was compiled and does not make it unusable.

    Examples:
        >>> import tracepact
        >>> gate = tracepact.load_contract("boundary_gate")
        >>> gate.step, [clause.name for clause in gate.frame_clauses][:2]
        (Fraction(1, 50), ['onset_guard', 'offset_guard'])
    """

    name: str
    title: str | None
    step: Fraction
    clauses: tuple[FrameClause | EventClause, ...]
    merge_gap: Fraction
    projection: Projection
    aggregation: Aggregation
    matcher: Matcher
    soft_scale: Fraction
    labels: tuple[str, ...] | None
    declared_atoms: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    sweeps: tuple[Sweep, ...]
    profiles: tuple[Profile, ...]
    text: str
    digest: str
    source: Source = field(compare=False, repr=False)
    # An object, because its class is made of what comes after this module; `parsed_of` checks what it is.
    parsed: object = field(default=None, compare=False, repr=False)
    """What it was lowered from; `compilation` lowers that again at other values of the parameters."""
    statements: Mapping[str, Span] = field(default_factory=dict, compare=False, repr=False)
    """Where the statements that occur at most once stand, by keyword (rule 3.12); profiles by `profile NAME`."""
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)

    def __repr__(self) -> str:
        names = ", ".join(clause.name for clause in self.clauses)
        return f"<Contract {self.name}: {names or 'no clauses'}; digest {self.digest[:16]}>"

    @property
    def frame_clauses(self) -> tuple[FrameClause, ...]:
        """The clauses over frames, in source order."""
        return tuple(c for c in self.clauses if isinstance(c, FrameClause))

    @property
    def event_clauses(self) -> tuple[EventClause, ...]:
        """The clauses over intervals, in source order."""
        return tuple(c for c in self.clauses if isinstance(c, EventClause))

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """Every formula and obligation of the frame clauses."""
        return tuple(f for c in self.frame_clauses for f in (c.obligation, c.formula))

    @property
    def reach(self) -> int:
        """The gap between clips that keeps every window inside its own clip."""
        return max((reach(f) for f in self.formulas), default=1)

    @property
    def atoms(self) -> frozenset[str]:
        """The atoms the frame clauses mention."""
        return frozenset().union(*(atoms(f) for f in self.formulas))

    @property
    def one_class(self) -> bool:
        """Whether the declared class set has no other class (rule 7.6)."""
        return self.labels is not None and len(self.labels) == 1

    @property
    def compares_classes(self) -> bool:
        """Whether the contract only has a meaning in class-indexed scoring."""
        return bool(self.atoms & set(CLASS_ATOMS))
