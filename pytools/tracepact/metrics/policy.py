"""What a metric's value depends on beside the data: collars, offset rules, lengths; each says itself in words."""

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

from tracepact.wording import print_number, time_text

Number = Fraction | float
"""An exact value, or a binary float under the policy sed_eval."""

MACRO_OF_REFERENCE = "macro over the classes of the reference"


class Arithmetic(Enum):
    """Which of the two ways decides: exact fractions, or the binary floats of sed_eval (rule 15.14)."""

    EXACT = "exact"
    SED_EVAL = "sed_eval"


class Input(Enum):
    """What a metric looks at (rule 15.1)."""

    INTERVALS = "intervals"
    TRACE = "trace"


class OffsetRule(Enum):
    """How far apart two offsets may be (rule 15.8)."""

    MAX = "max"
    AND = "and"
    COLLAR = "collar"
    NONE = "none"


class Empty(Enum):
    """What the precision of a class, or of all, is where nothing was predicted (rule 15.20)."""

    UNDEFINED = "undefined"
    ZERO_SCORE = "zero_score"


class MacroOver(Enum):
    """The classes a mean over classes is taken of (rule 15.21)."""

    DEFINED = "defined"
    REFERENCE = "reference"
    ALL = "all"


class Evaluated(Enum):
    """Where the segments of a clip end: with the last event of either side, or with the clip (rule 15.19)."""

    EVENTS = "events"
    CLIP = "clip"


@dataclass(frozen=True, slots=True)
class Rules:
    """How values follow from counts."""

    arithmetic: Arithmetic = Arithmetic.EXACT
    empty: Empty = Empty.UNDEFINED
    macro: MacroOver = MacroOver.DEFINED

    @property
    def words(self) -> str:
        """What is not the default, in the words added to a policy."""
        said = {
            Empty.ZERO_SCORE: "precision 0 where nothing is predicted (zero_score)",
            MacroOver.REFERENCE: MACRO_OF_REFERENCE,
            MacroOver.ALL: "macro over all classes, undefined as 0",
        }
        return "".join(f"; {said[rule]}" for rule in (self.empty, self.macro) if rule in said)


USUAL_RULES = Rules()


@dataclass(frozen=True, slots=True)
class EventPolicy:
    """When two events can be a pair: times in seconds, the share of the reference's length."""

    collar: Fraction = Fraction(1, 5)
    offset: OffsetRule = OffsetRule.MAX
    share: Fraction = Fraction(1, 5)

    @property
    def words(self) -> str:
        """The policy in the words shown beside a value."""
        collar, share = time_text(self.collar), f"{print_number(self.share * 100)} % of the reference"
        offset = {
            OffsetRule.MAX: f"offset ≤ max({collar}, {share})",
            OffsetRule.AND: f"offset ≤ {collar} and ≤ {share}",
            OffsetRule.COLLAR: f"offset ≤ {collar}",
            OffsetRule.NONE: "offset not asked",
        }[self.offset]
        return f"onset ≤ {collar}, {offset}"


@dataclass(frozen=True, slots=True)
class MetricSettings:
    """The declared policies of all standard metrics; times in seconds."""

    event: EventPolicy = field(default_factory=EventPolicy)
    segment: Fraction = Fraction(1)
    transition: Fraction = Fraction(1, 5)
    evaluated: Evaluated = Evaluated.EVENTS
    empty: Empty = Empty.UNDEFINED
    macro: MacroOver = MacroOver.DEFINED

    def rules(self, arithmetic: Arithmetic = Arithmetic.EXACT) -> Rules:
        """How values follow from counts under these settings."""
        return Rules(arithmetic, self.empty, self.macro)
