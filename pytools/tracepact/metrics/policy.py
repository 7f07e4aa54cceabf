"""What a metric's value depends on beside the data: collars, offset rules, lengths; each says itself in words."""

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

from tracepact.wording import print_number, time_text

Number = Fraction | float
"""An exact value, or a binary float under the policy sed_eval."""


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


@dataclass(frozen=True, slots=True)
class EventPolicy:
    """When two events can be a pair: times in seconds, the share of the reference's length."""

    collar: Fraction = Fraction(1, 5)
    offset: OffsetRule = OffsetRule.MAX
    share: Fraction = Fraction(1, 5)

    @property
    def words(self) -> str:
        """The policy as it stands beside a value."""
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
