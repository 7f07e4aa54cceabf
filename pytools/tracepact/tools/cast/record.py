"""What a trial of a contract gives: the values of every system, how they order, and what is wrong, in sentences."""

from typing import Annotated, Literal

from msgspec import Meta, field

from tracepact.core import Aggregation
from tracepact.records import Count, Digest, Exact, Name, NotNegative, Record, Share, ShareDecimal
from tracepact.tools.score.report.timeline import Timeline

Systems = Annotated[tuple[str, ...], Meta(description="Names of systems of the cast.")]
Order = Annotated[
    tuple[Systems, ...], Meta(description="Systems from the highest value to the lowest; equal ones together.")
]
FindingKind = Literal[
    "perfect-violates", "unnoticed", "beats-perfect", "never-together", "never-satisfied", "same-for-all", "never-asked"
]


class Tolerance(Record, frozen=True):
    """A bound of a window or a time in a predicate."""

    name: Annotated[str, Meta(min_length=1, description="Its parameter, or the value as written.")]
    frames: Annotated[int, Meta(ge=1, description="What it comes to on the grid (2.6).")]
    tried: Annotated[bool, Meta(description="Whether the scenes are made for it; very long ones are left out.")]


class SceneRecord(Record, frozen=True):
    """A clip that the cast is played on."""

    name: str
    frames: Annotated[int, Meta(ge=1)]
    events: Annotated[Count, Meta(description="Reference events of all classes.")]


class ClauseValue(Record, frozen=True):
    """The score of a system on a clause, under the contract's aggregation (7.5)."""

    clause: Name
    value: Share
    decimal: ShareDecimal
    satisfied: Annotated[Count, Meta(description="Satisfied obligations over all clips and classes.")]
    obligated: Annotated[Count, Meta(description="Obligations over all clips and classes.")]
    vacuous: Annotated[bool, Meta(description="Whether the value has no obligation behind it (7.3).")]


class SystemTrial(Record, frozen=True):
    """A system of the cast and how it fares."""

    name: str
    words: Annotated[str, Meta(min_length=1, description="What it does, in plain words.")]
    strays: Annotated[bool, Meta(description="Whether its fault is larger than every tolerance.")]
    scores: Annotated[tuple[ClauseValue, ...], Meta(min_length=1, description="One for each clause, in source order.")]
    lanes: Annotated[
        tuple[Timeline, ...], Meta(description="What it predicts in the scenes that are drawn, for the first class.")
    ]
    worst: Annotated[Timeline | None, Meta(description="The clip and class in which it loses most; null if nowhere.")]


class ClauseOrder(Record, frozen=True):
    """How a clause orders the cast."""

    clause: Name
    order: Order


class ProfileTrial(Record, frozen=True):
    """How a risk profile orders the cast (7.8); `balanced` weighs every clause alike."""

    name: str
    aggregation: Aggregation
    values: Annotated[dict[str, Exact], Meta(description="The value of every system.")]
    order: Order


class TrialFinding(Record, frozen=True):
    """Something that is wrong with a contract, or that its author should know, seen in the trial (22.5)."""

    kind: FindingKind
    severity: Literal["warning", "note"]
    words: Annotated[str, Meta(min_length=1, description="The finding as a sentence.")]
    clauses: tuple[Name, ...] = ()
    systems: Systems = ()
    clip: Annotated[str | None, Meta(description="Where it is seen first.")] = None
    label: Annotated[str | None, Meta(description="The class there.")] = field(name="class", default=None)
    time: Annotated[NotNegative | None, Meta(description="When, in seconds.")] = None


class Trial(Record, frozen=True):
    """What `tracepact try --format json` prints: a fixed cast played against a contract (22).

    Attributes:
        contract: The name of the contract.
        digest: Its digest (11.3).
        step: The length of a frame in seconds.
        aggregation: How clips and classes become one value.
        given: Whether the references were given; else they are scenes made for the contract.
        seed: The seed of the system that is drawn at random.
        tolerances: The bounds and times that the scenes are made for.
        scenes: The clips.
        systems: The cast, with its values.
        orders: How each clause orders it.
        profiles: How each risk profile orders it.
        findings: What is wrong, in sentences.
    """

    contract: Name
    digest: Annotated[Digest, Meta(description="The digest of the contract (11.3).")]
    step: Annotated[NotNegative, Meta(description="The length of a frame in seconds, exact (3.2).")]
    aggregation: Aggregation
    given: Annotated[bool, Meta(description="Whether the references were given; else they are scenes (22.2).")]
    seed: Annotated[int, Meta(ge=0, description="The seed of `jittered`.")]
    tolerances: tuple[Tolerance, ...]
    scenes: Annotated[tuple[SceneRecord, ...], Meta(min_length=1)]
    systems: Annotated[tuple[SystemTrial, ...], Meta(min_length=2)]
    orders: Annotated[tuple[ClauseOrder, ...], Meta(min_length=1)]
    profiles: Annotated[tuple[ProfileTrial, ...], Meta(min_length=1)]
    findings: tuple[TrialFinding, ...]

    @property
    def warnings(self) -> tuple[TrialFinding, ...]:
        """The findings that are faults."""
        return tuple(found for found in self.findings if found.severity == "warning")
