"""A tuning as a record: the decoding of every class, its optimistic and its held-out values."""

from typing import Annotated, Literal

from msgspec import Meta

from tracepact.metrics import MetricValue
from tracepact.records import Count, Digest, Record
from tracepact.tools.score.report.preparation import ClassDecodingRecord

_Optimistic = Annotated[MetricValue | None, Meta(description="Its clips have chosen their own decoding.")]
_HeldOut = Annotated[
    MetricValue | None, Meta(description="Every clip at what the others have chosen (20.11); null without folds.")
]


class TunedClass(Record, frozen=True):
    """The decoding of one class."""

    label: Annotated[str, Meta(description="The class.")]
    decoding: ClassDecodingRecord
    asked: Annotated[bool, Meta(description="Whether its threshold makes a difference; if not, 0.5 is taken (20.10).")]
    optimistic: _Optimistic
    held_out: _HeldOut


class TunedRequirement(Record, frozen=True):
    """A requirement, and the value it is about, over all classes."""

    text: str
    optimistic: _Optimistic
    held_out: _HeldOut
    met: Annotated[bool, Meta(description="Whether the optimistic value meets it; if not, the exit code is 1.")]


class Tuning(Record, frozen=True):
    """What `tracepact tune --format json` prints: the chosen decoding (20.9 to 20.11)."""

    format: Annotated[Literal["tracepact-tuning/1"], Meta(description="The form of this document.")]
    contract: str
    contract_digest: Digest
    objective: Annotated[str, Meta(description="The quantity to be best at.")]
    least: Annotated[bool, Meta(description="Whether less of it is better.")]
    common: Annotated[bool, Meta(description="Whether all classes have one decoding.")]
    medians: Annotated[tuple[int, ...], Meta(description="The filter lengths that were tried.")]
    method: Annotated[
        Literal["exact", "steps", "search"],
        Meta(
            description="`exact`: no better decoding exists; `steps`: no change of one class's threshold is better; "
            "`search`: a better one may exist (20.10)."
        ),
    ]
    clips: Count
    folds: Annotated[Count, Meta(description="0 if there is no held-out value.")]
    seed: Count
    optimistic: _Optimistic
    held_out: _HeldOut
    requirements: tuple[TunedRequirement, ...]
    classes: Annotated[tuple[TunedClass, ...], Meta(min_length=1)]
    decoding: Annotated[str, Meta(description="The decoding file (20.12).")]
