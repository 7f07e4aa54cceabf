"""The form of a saved state (rule 12.9): what `save_state` writes, `restore_state` reads, and the schema describes."""

from typing import Annotated, Final, Literal

from msgspec import Meta

from tracepact.records import Digest, Name, Record

FORMAT: Final = "tracepact-stream/2"
MOST_FRAMES = (1 << 53) - 1
"""No stream has more frames: whole numbers up to here are exact in every reader of JSON (rule 12.12)."""

SavedCount = Annotated[int, Meta(ge=0, le=MOST_FRAMES)]
SavedMask = Annotated[
    str,
    Meta(
        pattern="^[0-9a-f]+$",
        description="A mask in hexadecimal digits: frame i of channel c is bit i · channels + c.",
    ),
]
_Input = Annotated[str, Meta(pattern="^([A-Za-z_][A-Za-z0-9_]*|ignored frames)$")]
_ByChannel = Annotated[tuple[SavedCount, ...], Meta(description="By channel.")]
SavedRun = tuple[SavedCount, SavedCount | None, bool]
SavedBlock = tuple[SavedCount, SavedCount, SavedCount, SavedCount, SavedCount, SavedCount]
_Blocks = Annotated[
    tuple[SavedBlock, ...],
    Meta(
        description="Judged runs that are kept together: the first frame, the frame after the last, how many runs, "
        "how many frames they have, the longest and the shortest gap between them."
    ),
]
_Runs = Annotated[
    tuple[SavedRun, ...],
    Meta(
        description="Oldest first: the first frame, the frame after the last (null while it goes on), "
        "and whether its verdict is out."
    ),
]
Names = Annotated[tuple[str, ...], Meta(min_length=1, extra_json_schema={"uniqueItems": True})]


class SavedWindow(Record, frozen=True):
    """The last frames of the inputs: all that the verdicts to come depend on (12.2)."""

    frames: Annotated[SavedCount, Meta(description="How many frames are kept.")]
    masks: Annotated[dict[_Input, SavedMask], Meta(description="The last frames of every input.")]


class SavedCounts(Record, frozen=True):
    """The counts of a clause so far (12.5)."""

    satisfied: _ByChannel
    obligated: _ByChannel


class SavedActivity(Record, frozen=True):
    """The activity of the last frame."""

    ref: SavedMask
    pred: SavedMask
    ignored: SavedMask


class SavedBlocks(Record, frozen=True):
    """The judged runs of a channel that are kept together."""

    ref: _Blocks
    pred: _Blocks
    ignored: _Blocks


class SavedRuns(Record, frozen=True):
    """The runs of a channel that are kept."""

    ref: _Runs
    pred: _Runs
    ignored: _Runs
    blocks: SavedBlocks


class SavedEvents(Record, frozen=True):
    """What the event clauses wait for (12.6)."""

    active: SavedActivity
    runs: Annotated[tuple[SavedRuns, ...], Meta(description="The runs that are kept, by channel.")]
    counter: Annotated[
        tuple[bool, ...], Meta(description="Where an empty obligation is counter evidence (7.4), by channel.")
    ]
    counts: Annotated[dict[Name, SavedCounts], Meta(description="The counts of every event clause so far.")]


class StreamState(Record, frozen=True):
    """The state of a streaming monitor, saved between two frames (12.9).

    Channel class · streams + stream holds one stream of one class. Numbers in parentheses are rules of language.md.
    """

    format: Literal["tracepact-stream/2"]
    contract: Annotated[Digest, Meta(description="The digest of the contract (11.3).")]
    streams: Annotated[Names, Meta(description="The names of the streams.")]
    classes: Annotated[Names, Meta(description="The classes.")]
    ignoring: Annotated[
        bool, Meta(description="Whether frames come with a mask of those that carry no obligation (5.9).")
    ]
    frames: Annotated[SavedCount, Meta(description="How many frames have arrived.")]
    ended: Annotated[dict[str, SavedCount], Meta(description="The streams that have ended, and after how many frames.")]
    window: SavedWindow
    counts: Annotated[dict[Name, SavedCounts], Meta(description="The counts of every frame clause so far (12.5).")]
    events: Annotated[SavedEvents | None, Meta(description="What the event clauses wait for, if there are any (12.6).")]

    @property
    def channels(self) -> int:
        """How many channels the streams and classes make."""
        return len(self.streams) * len(self.classes)

    def length(self, channel: int) -> int:
        """How many frames a channel has had."""
        return self.ended.get(self.streams[channel % len(self.streams)], self.frames)
