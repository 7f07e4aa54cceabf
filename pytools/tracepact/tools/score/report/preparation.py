"""What was done to both sides before they were scored, as a record and in words."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from tracepact.io.formats import FORMATS, MAPPED
from tracepact.records import Count, NotNegative, Record, Share
from tracepact.wording import count

_Filled = Annotated[str, Meta(min_length=1)]
_FORMATS = "|".join(("memory", *FORMATS, MAPPED))


class DecodingRecord(Record, frozen=True):
    """How scores became events (13.9)."""

    threshold: Annotated[Share, Meta(description="A score greater than this is active; the high one of a hysteresis.")]
    low: Annotated[Share | None, Meta(description="The low threshold of a hysteresis; null without one.")]
    median: Annotated[int, Meta(ge=1, description="The length of the median filter in frames; 1 is none.")]
    classes: Annotated[
        dict[str, "ClassDecodingRecord"] | UnsetType,
        Meta(description="The decoding of each class that has its own (20.12); absent if none has."),
    ] = UNSET

    @property
    def is_filtered(self) -> bool:
        """Whether scores became events by more than a threshold."""
        parts: list[DecodingRecord | ClassDecodingRecord] = [self]
        if self.classes is not UNSET:
            parts += self.classes.values()
        return any(how.low is not None or how.median > 1 for how in parts)

    @property
    def words(self) -> str:
        """The decoding in words."""
        if self.classes is not UNSET and self.classes:
            own = [f"{label}: {how.words}" for label, how in self.classes.items()]
            return "; ".join([*own, f"others: {_decoding_words(self)}"])
        return _decoding_words(self)


class ClassDecodingRecord(Record, frozen=True):
    """How the scores of one class became events (13.9)."""

    threshold: Annotated[Share, Meta(description="A score greater than this is active; the high one of a hysteresis.")]
    low: Annotated[Share | None, Meta(description="The low threshold of a hysteresis; null without one.")]
    median: Annotated[int, Meta(ge=1, description="The length of the median filter in frames; 1 is none.")]

    @property
    def words(self) -> str:
        """The decoding in words."""
        return _decoding_words(self)


def _decoding_words(how: DecodingRecord | ClassDecodingRecord) -> str:
    median = f"median filter of {how.median} frames, then " if how.median > 1 else ""
    if how.low is None:
        return f"{median}score > {how.threshold}"
    return f"{median}hysteresis, score > {how.low} around score > {how.threshold}"


class PreparedSide(Record, frozen=True):
    """What was done to one side."""

    format: Annotated[
        str,
        Meta(
            pattern=f"^({_FORMATS})$",
            description="The format it was read from (13.1); `memory` if it was in memory.",
        ),
    ]
    decoding: Annotated[DecodingRecord | None, Meta(description="How scores became events; null if there were none.")]
    renamed_clips: Annotated[Count, Meta(description="How many clips got the names of the other tables (13.3).")]
    lengths: Annotated[
        Count,
        Meta(
            description="How many clips are as long as the files of this side say (13.16); "
            "none if durations were given."
        ),
    ]
    dropped: Annotated[Count, Meta(description="How many events the label map dropped (13.11).")]
    ignored: Annotated[Count, Meta(description="How many events the label map ignored (13.12).")]

    def lines(self, side: str) -> list[str]:
        """A line for each thing that was done to the side of this name."""
        found = []
        if self.decoding is not None:
            found.append(f"{side} decoded from {self.format}: {self.decoding.words}")
        if self.renamed_clips:
            name = "name" if self.renamed_clips == 1 else "names"
            found.append(f"{side}: {count(self.renamed_clips, 'clip')} got the {name} that other tables use")
        if self.lengths:
            said = "arrays" if self.format == "memory" else "files"
            length = "length" if self.lengths == 1 else "lengths"
            found.append(f"{side}: {length} of {count(self.lengths, 'clip')} taken from its {said} ({self.format})")
        return found


class RenamedLabel(Record, frozen=True):
    """A label that stays, with its new name."""

    old: _Filled
    new: _Filled


class LabelMapRecord(Record, frozen=True):
    """The label map that was applied (13.11)."""

    name: Annotated[_Filled, Meta(description="The file as it was given.")]
    labels: Annotated[tuple[RenamedLabel, ...], Meta(description="The labels that stay, with their new names.")]
    drop: Annotated[tuple[_Filled, ...], Meta(description="The labels that are dropped.")]
    ignore: Annotated[tuple[_Filled, ...], Meta(description="The labels that are ignored.")]
    other: Annotated[Literal["error", "keep", "drop", "ignore"], Meta(description="What becomes of any other label.")]


class OutsideEvent(Record, frozen=True):
    """A predicted event that starts at or after the end of its clip."""

    clip: str
    label: str = field(name="class")
    onset: NotNegative
    offset: NotNegative
    row: Annotated[int | None, Meta(description="Its row in the file, where it had one.")]


class OutsideRecord(Record, frozen=True):
    """What became of predicted events outside their clips (13.31)."""

    policy: Literal["false-alarm", "cut", "drop"]
    events: Annotated[tuple[OutsideEvent, ...], Meta(description="Every one of them, as it was written.")]

    @property
    def line(self) -> str:
        """The policy in words."""
        return f"prediction: {count(len(self.events), 'event')} after the end of the clip (--outside {self.policy})"


class LeftOut(Record, frozen=True):
    """What was left out of a side."""

    clips: Count
    events: Count


class LeftOutSides(Record, frozen=True):
    """What was left out of both sides."""

    reference: LeftOut
    prediction: LeftOut


class ClipsRecord(Record, frozen=True):
    """Which clips were chosen (13.32)."""

    choice: Annotated[_Filled, Meta(description="`reference`, `durations`, `all`, or the file of the list.")]
    clips: Annotated[Count, Meta(description="How many clips were chosen.")]
    left_out: LeftOutSides

    @property
    def line(self) -> str:
        """The choice in words."""
        ref, pred = self.left_out.reference, self.left_out.prediction
        chosen = f"clips: {self.choice}, {count(self.clips, 'clip')}"
        if not (ref.clips or pred.clips):
            return chosen
        return (
            f"{chosen}; left out {ref.events:,} reference events on "
            f"{count(ref.clips, 'clip')} and {pred.events:,} predicted on {count(pred.clips, 'clip')}"
        )


class Preparation(Record, frozen=True):
    """What was done to both sides before they were scored (13)."""

    reference: PreparedSide
    prediction: PreparedSide
    label_map: Annotated[LabelMapRecord | None, Meta(description="Null if there was none.")]
    outside: Annotated[
        OutsideRecord | UnsetType,
        Meta(description="Absent if no predicted event was outside its clip and the policy is the default."),
    ] = UNSET
    clips: Annotated[ClipsRecord | UnsetType, Meta(description="Absent if no clips were chosen.")] = UNSET

    @property
    def _decodings(self) -> list[DecodingRecord]:
        return [side.decoding for side in (self.reference, self.prediction) if side.decoding is not None]

    @property
    def is_decoded(self) -> bool:
        """Whether scores became events on some side."""
        return bool(self._decodings)

    @property
    def is_filtered(self) -> bool:
        """Whether scores became events by more than a threshold."""
        return any(how.is_filtered for how in self._decodings)

    @property
    def lines(self) -> list[str]:
        """A line for each decoding, for clips that were named anew and for the label map; none if nothing was done."""
        ref, pred, labels = self.reference, self.prediction, self.label_map
        found = [*ref.lines("reference"), *pred.lines("prediction")]
        if labels is not None:
            merged = count(sum(label.old != label.new for label in labels.labels), "label")
            found.append(
                f"label map {labels.name}: {merged} renamed or merged; "
                f"{ref.dropped:,} reference and {pred.dropped:,} predicted events dropped, "
                f"{ref.ignored:,} and {pred.ignored:,} ignored"
            )
        found += [said.line for said in (self.clips, self.outside) if not isinstance(said, UnsetType)]
        return found
