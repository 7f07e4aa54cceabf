"""Score fields: clips × classes of exact scores on frames of their own, and their projection to a grid (rule 18.11)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.trace.exact_times import Ticks, common_unit, multiples, ratios, ticks
from tracepact.trace.levels import Ranks, ScoreLevels, join_levels

NOWHERE = -1
"""The rank, or the frame, of what no frame of a field covers."""


@dataclass(frozen=True, slots=True, eq=False)
class ClipScores:
    """The scores of one clip.

    Attributes:
        edges: where its frames begin, and where the last one ends, in seconds: one more than there are frames.
        ranks: of every frame and class, the rank of the score among the levels of the field.
        rows: the row of every frame in its file, if it came from one.
    """

    edges: tuple[Fraction, ...]
    ranks: Ranks
    rows: tuple[int, ...] = ()

    def row(self, frame: int) -> int | None:
        """The row of a frame in its file."""
        return self.rows[frame] if self.rows else None

    def covering(self, step: Fraction, frames: int) -> NDArray[np.int64]:
        """The own frame that covers the centre of each frame of a grid; NOWHERE if none does (rule 18.11)."""
        starts, begins, length = self.line(step / 2, step, frames)
        found = np.searchsorted(starts, begins + length, side="right").astype(np.int64) - 1
        beyond = np.full(frames - len(begins), NOWHERE, dtype=np.int64)
        return np.concatenate([np.where(found < len(self.ranks), found, NOWHERE), beyond])

    def line(self, length: Fraction, step: Fraction, frames: int) -> tuple[Ticks, Ticks, int]:
        """The own edges, where the frames of a grid begin that are not wholly behind them, and a length, in ticks."""
        edges = ratios(self.edges)
        unit = common_unit(edges, (length, step))
        behind = min(frames, int(self.edges[-1] / step) + 1)
        return ticks(edges, unit), multiples(int(step * unit), behind), int(length * unit)

    def projected(self, step: Fraction, frames: int) -> Ranks:
        """The ranks on the frames of a grid; NOWHERE where no frame covers the centre."""
        found = self.covering(step, frames)
        return np.where(found[:, None] == NOWHERE, NOWHERE, self.ranks[found])


@dataclass(frozen=True, slots=True, eq=False)
class ScoreField:
    """The scores of one system, or of annotators: clips × classes, every score exact.

    Attributes:
        name: what messages call it: a path, or the name of an argument.
        classes: the classes of the columns.
        levels: the distinct scores, ascending.
        clips: the frames and ranks of every clip.
        digest: the SHA-256 of the file or folder it was read from; None if it was in memory.
        files: the file of each clip that has its own.
        is_mask: whether its scores are truth values, 0 and 1, so that no threshold is needed.

    Examples:
        >>> import numpy as np
        >>> import tracepact
        >>> scores = np.array([[0.1, 0.7], [0.7, 0.3]])
        >>> field = tracepact.score_field({"a": scores}, classes=["cat", "dog"], step="0.02")
        >>> field.classes, len(field.levels), field.clips["a"].ranks.tolist()
        (('cat', 'dog'), 3, [[0, 2], [2, 1]])
    """

    name: str
    classes: tuple[str, ...]
    levels: ScoreLevels
    clips: Mapping[str, ClipScores]
    digest: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    is_mask: bool = False

    def __repr__(self) -> str:
        frames = sum(len(own.ranks) for own in self.clips.values())
        what = "mask" if self.is_mask else f"{len(self.levels):,} distinct scores"
        classes = ", ".join(self.classes)
        return f"<ScoreField {self.name}: {len(self.clips):,} clips, {frames:,} frames, {what}; classes {classes}>"


def frame_edges(frames: int, step: Fraction) -> tuple[Fraction, ...]:
    """The edges of frames of one length, from 0 on."""
    return tuple(i * step for i in range(frames + 1))


def some_clips(scores: ScoreField, clips: Sequence[str]) -> ScoreField:
    """Some clips of a field, with the scores that occur in them and no others."""
    own = {clip: scores.clips[clip] for clip in clips if clip in scores.clips}
    if not own:
        return replace(scores, levels=ScoreLevels(np.zeros(0)), clips={}, files={})
    flat = np.concatenate([found.ranks.reshape(-1) for found in own.values()])
    known, places = np.unique(flat, return_inverse=True)
    ends = np.cumsum([found.ranks.size for found in own.values()])[:-1]
    parts = np.split(places.reshape(-1).astype(np.int64), ends)
    ranked = {
        clip: replace(found, ranks=part.reshape(found.ranks.shape))
        for (clip, found), part in zip(own.items(), parts, strict=True)
    }
    texts = {k: scores.levels.texts[rank] for k, rank in enumerate(known.tolist()) if rank in scores.levels.texts}
    files = {clip: file for clip, file in scores.files.items() if clip in own}
    return replace(scores, levels=ScoreLevels(scores.levels.floats[known], texts), clips=ranked, files=files)


def joined_clips(
    clips: Mapping[str, ClipScores], levels: Sequence[ScoreLevels]
) -> tuple[ScoreLevels, dict[str, ClipScores]]:
    """Clips that have levels of their own, in order, on common ones."""
    common, places = join_levels(levels)
    return common, {
        clip: ClipScores(scores.edges, place[scores.ranks], scores.rows)
        for (clip, scores), place in zip(clips.items(), places, strict=True)
    }
