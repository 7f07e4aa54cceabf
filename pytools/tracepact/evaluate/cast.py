"""Systems: the cast, made from a reference with one fault each (chapter 22), and those that never listen."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, NamedTuple

from msgspec import Meta

from tracepact.data.family import Family, Layout, Mode, Runs, Side
from tracepact.evaluate.masks import LONGEST, Allowance, SceneLengths, allowances, measures
from tracepact.language.contract import Contract
from tracepact.language.formula import FrameRun, union_runs
from tracepact.records import Count, Record
from tracepact.wording import count, time_text

# Scenes for a contract: references on its own grid, as large as its tolerances ask for (rules 22.1 and 22.2).

_CLASSES = ("a", "b")


# The scenes


@dataclass(frozen=True, slots=True)
class CastScene:
    """One clip: its length in frames, and the reference of each class that has one."""

    name: str
    frames: int
    refs: Mapping[int, tuple[FrameRun, ...]]


def scenes(contract: Contract) -> Family:
    """The scenes of a contract as a family without predictions.

    A declared atom holds at no frame of the scenes, and at every frame of a second copy of them (rule 22.2).
    """
    classes = _CLASSES if contract.labels is None else contract.labels[:2]
    drawn = list(_scenes(measures(contract), len(classes)))
    copies = ("", " (atoms on)") if contract.declared_atoms else ("",)
    clips = [(scene, scene.name + copy) for copy in copies for scene in drawn]
    total = len(clips)
    refs = {label * total + i: runs for i, (scene, _) in enumerate(clips) for label, runs in scene.refs.items()}
    lit = {
        label * total + i: ((0, clips[i][0].frames),) for label in range(len(classes)) for i in range(len(drawn), total)
    }
    return Family(
        contract.step,
        Mode.CLASS_INDEXED,
        tuple(name for _, name in clips),
        tuple(scene.frames for scene, _ in clips),
        classes,
        {Side.REF: dict(sorted(refs.items())), Side.PRED: {}},
        {},
        dict.fromkeys(contract.declared_atoms, lit),
    )


def _scenes(lengths: SceneLengths, classes: int) -> Iterator[CastScene]:
    """Events apart, close, at the edges of the clip, of two classes at once, and none."""
    # Lengths in units of the greatest tolerance and the merge gap: an event that is moved by one of them neither leaves
    # its clip nor reaches the next event, so each member shows its own fault and no other.
    unit = lengths.stray + lengths.hole
    gap = 3 * unit
    long, middle, brief = 6 * unit, 4 * unit, 3 * unit
    first = (gap, gap + middle)
    second = (first[1] + gap, first[1] + gap + long)
    third = (second[1] + gap, second[1] + gap + brief)
    other = (third[1] + gap, third[1] + gap + middle)
    yield CastScene(
        "apart",
        other[1] + gap,
        {0: (first, second, third), 1: (other,)} if classes > 1 else {0: (first, second, third)},
    )
    near = (first[1] + lengths.hole + lengths.stray // 2, first[1] + lengths.hole + lengths.stray // 2 + middle)
    yield CastScene("close", near[1] + gap, {0: (first, near)})
    end = 2 * middle + gap
    yield CastScene("edges", end, {0: ((0, middle), (end - middle, end))})
    if classes > 1:
        over = (first[0] + middle // 2, first[1] + middle // 2)
        yield CastScene("overlap", over[1] + gap, {0: (first,), 1: (over,)})
    yield CastScene("silence", 2 * gap, {})


# The cast: predictions made from a reference, each with one fault (rule 22.3).

PERFECT, SILENT, ALWAYS_ON, WRONG_CLASS = "perfect", "silent", "always on", "wrong class"
SEED = 0
_LEAST_SILENCE = 3
Change = Callable[[tuple[FrameRun, ...], int], Sequence[FrameRun]]
"""From the reference of a segment and its frames to what is predicted there."""


@dataclass(frozen=True, slots=True)
class Member:
    """A system of the cast: its name, what it does, and what it predicts. `strays` if no tolerance excuses it."""

    name: str
    words: str
    predicted: Runs
    strays: bool


def cast(contract: Contract, family: Family, seed: int = SEED) -> tuple[Member, ...]:
    """The systems that are played on a family of references; what they predict depends on these alone."""
    lengths = measures(contract)
    stray = f"{count(lengths.stray, 'frame')} ({time_text(lengths.stray * contract.step)})"
    refs = family.runs[Side.REF]
    members = [
        Member(PERFECT, "predicts the reference", dict(refs), False),
        Member(SILENT, "predicts nothing", {}, True),
        Member(ALWAYS_ON, "predicts every class at every frame", _everywhere(family), True),
    ]
    for name, words, change in _changes(lengths, stray, seed):
        members.append(Member(name, words, _changed(family, change), True))
    if len(family.classes) > 1:
        members.append(Member(WRONG_CLASS, "predicts the reference of the class before", _turned(family), True))
    members.append(Member("one extra", "predicts one event more, in silence", _with_extra(family), True))
    members.append(Member("one missed", "leaves out the longest event", _without_longest(family), True))
    members += _shifted(contract, family)
    return tuple(members)


def played(family: Family, member: Member) -> Family:
    """The family with what a system predicts."""
    return replace(family, runs={**family.runs, Side.PRED: member.predicted})


def _changes(lengths: SceneLengths, stray: str, seed: int) -> Iterator[tuple[str, str, Change]]:
    """The systems that change the edges of events or cut and join them."""
    far = lengths.stray
    yield "late", f"every event {stray} later", _moved(far, far)
    yield "early", f"every event {stray} earlier", _moved(-far, -far)
    yield "long", f"every event {stray} longer at both ends", _moved(-far, far)
    yield "short", f"every event {stray} shorter at both ends", _moved(far, -far)
    hole = count(lengths.hole, "frame")
    for pieces in (2, 3):
        words = f"every event in {pieces} pieces, {hole} apart"
        yield f"split in {pieces}", words, _split(pieces, lengths.hole)
    yield "merged", "one event from the first onset to the last offset of a clip", _merged
    words = f"every edge moved by up to {stray}, at random (seed {seed})"
    yield "jittered", words, _jittered(far, random.Random(seed))


def _changed(family: Family, change: Change) -> Runs:
    """What a change makes of every segment, cut at the ends of the clip; touching runs become one."""
    changed = {}
    for segment, runs in family.runs[Side.REF].items():
        frames = family.frames_of(segment)
        kept = union_runs((max(start, 0), min(end, frames)) for start, end in change(runs, frames))
        if kept:
            changed[segment] = kept
    return changed


def _moved(start: int, end: int) -> Change:
    return lambda runs, _: [(a + start, b + end) for a, b in runs]


def _merged(runs: tuple[FrameRun, ...], _: int) -> list[FrameRun]:
    return [(runs[0][0], runs[-1][1])]


def _split(pieces: int, hole: int) -> Change:
    """Cut each event into pieces of about the same length; one too short for that stays whole."""

    def change(runs: tuple[FrameRun, ...], _: int) -> list[FrameRun]:
        return [piece for run in runs for piece in _pieces(run, pieces, hole)]

    return change


def _pieces(run: FrameRun, pieces: int, hole: int) -> list[FrameRun]:
    start, end = run
    kept = end - start - (pieces - 1) * hole
    if kept < pieces:
        return [run]
    cuts = [kept * k // pieces for k in range(pieces + 1)]
    return [(start + k * hole + a, start + k * hole + b) for k, (a, b) in enumerate(pairwise(cuts))]


def _jittered(most: int, draw: random.Random) -> Change:
    def change(runs: tuple[FrameRun, ...], _: int) -> list[FrameRun]:
        return [(a + draw.randint(-most, most), b + draw.randint(-most, most)) for a, b in runs]

    return change


def _everywhere(family: Family) -> Runs:
    return {segment: ((0, family.frames_of(segment)),) for segment in range(family.segments)}


def _turned(family: Family) -> Runs:
    """The reference of each class as the prediction of the next one."""
    step = len(family.clips)
    moved = {(segment + step) % family.segments: runs for segment, runs in family.runs[Side.REF].items()}
    return dict(sorted(moved.items()))


def _with_extra(family: Family) -> Runs:
    """A perfect prediction, and an event in the middle third of the longest silent clip, or of the longest silence."""
    refs = family.runs[Side.REF]
    silent = {clip for clip in range(len(family.clips)) if not any(s % len(family.clips) == clip for s in refs)}
    silences = (
        (segment % len(family.clips) in silent, end - start, -segment, start)
        for segment in range(family.segments)
        for start, end in _silences(family, segment, refs)
    )
    _, length, segment, start = max(silences, default=(False, 0, 0, 0))
    if length < _LEAST_SILENCE:
        return dict(refs)
    extra = (start + length // 3, start + 2 * length // 3)
    return dict(sorted({**refs, -segment: union_runs((*refs.get(-segment, ()), extra))}.items()))


def _silences(family: Family, segment: int, refs: Runs) -> list[FrameRun]:
    """The silences of a segment."""
    runs = ((0, 0), *refs.get(segment, ()), (family.frames_of(segment), 0))
    return [(before[1], after[0]) for before, after in pairwise(runs)]


def _without_longest(family: Family) -> Runs:
    refs: Mapping[int, tuple[FrameRun, ...]] = family.runs[Side.REF]
    events = [(b - a, -segment, -a) for segment, runs in refs.items() for a, b in runs]
    if not events:
        return {}
    _, segment, start = max(events)
    left = tuple(run for run in refs[-segment] if run[0] != -start)
    return {s: left if s == -segment else runs for s, runs in refs.items() if s != -segment or left}


def _shifted(contract: Contract, family: Family) -> Iterator[Member]:
    """The reference moved by each tolerance, and by one frame less and more, both ways."""
    for offset, about in sorted(_offsets(allowances(contract)).items()):
        time = time_text(abs(offset) * contract.step)
        way = "later" if offset > 0 else "earlier"
        words = f"every event {count(abs(offset), 'frame')} {way}: {about}"
        yield Member(f"{'+' if offset > 0 else '-'}{time}", words, _changed(family, _moved(offset, offset)), False)


def _offsets(tolerances: Sequence[Allowance]) -> dict[int, str]:
    """The shifts, in frames, and the tolerance each is for; the tolerance itself before its neighbours."""
    offsets: dict[int, str] = {}
    tried = [one for one in tolerances if one.frames <= LONGEST]
    for difference, words in ((0, "{}"), (1, "one frame more than {}"), (-1, "one frame less than {}")):
        for one in tried:
            for sign in (1, -1):
                if one.frames + difference:
                    offsets.setdefault(sign * (one.frames + difference), words.format(f"`{one.name}`"))
    return offsets


# Systems that answer the same throughout, or the same in every clip, entirely or nearly (rule 16.12).

NEARLY = 20
"""One in this many: how often a nearly constant system answers otherwise, of the pairs or frames it gets wrong."""
MIXED = "silent or always on, class by class,"


class SameAnswers(Record, frozen=True):
    """How far a system answers the same throughout, in pairs of a clip and a class (16.12)."""

    answer: Annotated[str, Meta(description="What it answers in most pairs: `silent`, `always on`, or one by class.")]
    pairs: Annotated[Count, Meta(description="The pairs with a frame that is not ignored.")]
    otherwise: Annotated[Count, Meta(description="The pairs in which it answers anything else.")]
    wrong: Annotated[Count, Meta(description="The pairs in which answering so throughout is wrong.")]
    frames_answer: Annotated[str, Meta(description="What it answers in most frames: as `answer`.")] = SILENT
    otherwise_frames: Annotated[Count, Meta(description="The frames in which it answers otherwise.")] = 0
    wrong_frames: Annotated[Count, Meta(description="The frames in which answering so throughout is wrong.")] = 0

    @property
    def constant(self) -> bool:
        """Whether it never answers anything else, in any clip."""
        return self.otherwise == 0

    @property
    def nearly_constant(self) -> bool:
        """Whether it answers something else, but in hardly any pair, or hardly any frame."""
        return self._in_pairs or self._in_frames

    @property
    def _in_pairs(self) -> bool:
        return 0 < self.otherwise * NEARLY <= self.wrong

    @property
    def _in_frames(self) -> bool:
        return 0 < self.otherwise_frames * NEARLY <= self.wrong_frames

    def words(self, classes: int) -> str:
        """What it answers, and where."""
        if self._in_frames and not self._in_pairs:
            return f"{self.frames_answer} in all frames but {self.otherwise_frames:,}"
        what = "clips" if classes == 1 else "pairs of clip and class"
        return f"{self.answer} in {self.pairs - self.otherwise:,} of {self.pairs:,} {what}"


class RepeatedFrames(Record, frozen=True):
    """Where a class is active on one side in some clip, and where it is not, as bits in hexadecimal.

    Frames count from the start of their clip. Those that are ignored are not looked at, nor is the last of a clip,
    which the end of the clip may cut. `repeated` says that a frame is active in two clips or more.
    """

    active: str
    inactive: str
    repeated: bool

    def with_clips(self, other: "RepeatedFrames") -> "RepeatedFrames | None":
        """The same of further clips; None if a frame is active in a clip and not in another, which settles it."""
        return _frames_of(
            int(self.active, 16) | int(other.active, 16),
            int(self.inactive, 16) | int(other.inactive, 16),
            repeated=self.repeated or other.repeated or bool(int(self.active, 16) & int(other.active, 16)),
        )


class AnswersTally(Record, frozen=True):
    """What tells whether a system is constant, of some clips, by class; it can be added to that of others.

    `heard` and `gaps` say whether a frame that is not ignored is predicted, and whether one is not.
    """

    heard: tuple[bool, ...]
    gaps: tuple[bool, ...]
    predicted: tuple[RepeatedFrames | None, ...]
    reference: tuple[RepeatedFrames | None, ...]

    @classmethod
    def of(cls, family: Family) -> "AnswersTally":
        """The tally of a family."""
        labels, clips = range(len(family.classes)), range(len(family.clips))
        pairs = [[family.segment(label, clip) for clip in clips] for label in labels]
        predicted = family.runs[Side.PRED]
        heard = (any((p := _pair(family, s)) and p.predicted for s in own if s in predicted) for own in pairs)
        gaps = (any((p := _pair(family, s)) and p.predicted < p.seen for s in own) for own in pairs)
        sides = (tuple(_repeated(family, side, label) for label in labels) for side in (Side.PRED, Side.REF))
        return cls(tuple(map(bool, heard)), tuple(map(bool, gaps)), *sides)

    def __add__(self, other: "AnswersTally") -> "AnswersTally":
        return AnswersTally(
            tuple(a or b for a, b in zip(self.heard, other.heard, strict=True)),
            tuple(a or b for a, b in zip(self.gaps, other.gaps, strict=True)),
            tuple(a and b and a.with_clips(b) for a, b in zip(self.predicted, other.predicted, strict=True)),
            tuple(a and b and a.with_clips(b) for a, b in zip(self.reference, other.reference, strict=True)),
        )

    @property
    def constant(self) -> bool:
        """Whether the system has not listened: it answers the same throughout, or the same in every clip."""
        throughout = not any(heard and gap for heard, gap in zip(self.heard, self.gaps, strict=True))
        return throughout or self.same_in_every_clip

    @property
    def same_in_every_clip(self) -> bool:
        """Whether no frame that clips share tells them apart by the predictions, but one does by the references.

        A system that predicts nothing in the frames that clips share has not shown that it repeats itself.
        """
        alike = all(one is not None for one in self.predicted) and any(one and one.repeated for one in self.predicted)
        return alike and None in self.reference


def is_constant(family: Family) -> bool:
    """Whether the system has not listened: it answers the same throughout, or the same in every clip."""
    return AnswersTally.of(family).constant


def _repeated(family: Family, side: Side, label: int) -> RepeatedFrames | None:
    """Where a class is active on a side; None if a frame is active in a clip and not in another."""
    active = inactive = 0
    repeated = False
    silent = 0  # the frames of the longest clip in which nothing is to be painted
    for clip, frames in enumerate(family.frames):
        segment = family.segment(label, clip)
        runs, ignored = family.runs[side].get(segment, ()), family.ignored.get(segment, ())
        if not runs and not ignored:
            silent = max(silent, frames - 1)
            continue
        layout = Layout([frames], 1)
        looked_at = ((1 << max(frames - 1, 0)) - 1) & ~layout.paint({0: union_runs(ignored)})
        heard = layout.paint({0: runs}) & looked_at
        repeated = repeated or bool(active & heard)
        active, inactive = active | heard, inactive | (looked_at & ~heard)
        # Settled: no further clip can make the frame the same in all of them.
        if active & (inactive | ((1 << silent) - 1)):
            return None
    return _frames_of(active, inactive | ((1 << silent) - 1), repeated=repeated)


def _frames_of(active: int, inactive: int, *, repeated: bool) -> RepeatedFrames | None:
    return None if active & inactive else RepeatedFrames(f"{active:x}", f"{inactive:x}", repeated)


def answers(family: Family) -> SameAnswers:
    """How far a system answers the same throughout; of each class by the answer that it departs from less."""
    pairs, otherwise, wrong, throughout = 0, 0, 0, set[str]()
    otherwise_frames, wrong_frames, in_frames = 0, 0, set[str]()
    for label in range(len(family.classes)):
        judged = [one for clip in range(len(family.clips)) if (one := _pair(family, family.segment(label, clip)))]
        heard, gaps = (
            sum(one.predicted > 0 for one in judged),
            sum(one.predicted < one.seen for one in judged),
        )
        pairs += len(judged)
        otherwise += min(heard, gaps)
        if heard <= gaps:
            throughout.add(SILENT)
            wrong += sum(one.reference > 0 for one in judged)
        else:
            throughout.add(ALWAYS_ON)
            wrong += sum(one.reference < one.seen for one in judged)
        heard_frames, predicted, reference = (sum(column) for column in zip(_Pair(0, 0, 0), *judged, strict=True))
        otherwise_frames += min(predicted, heard_frames - predicted)
        in_frames.add(SILENT if 2 * predicted <= heard_frames else ALWAYS_ON)
        wrong_frames += reference if 2 * predicted <= heard_frames else heard_frames - reference
    return SameAnswers(_one(throughout), pairs, otherwise, wrong, _one(in_frames), otherwise_frames, wrong_frames)


def _one(names: set[str]) -> str:
    """The answer of all classes, if they have one."""
    return next(iter(names)) if len(names) == 1 else MIXED


class _Pair(NamedTuple):
    """The frames of a clip and class that are not ignored, and those predicted and in the reference."""

    seen: int
    predicted: int
    reference: int


def _pair(family: Family, segment: int) -> _Pair | None:
    ignored = family.ignored.get(segment, ())
    left_out = _length(ignored)
    seen = family.frames_of(segment) - left_out
    if not seen:
        return None
    sides = (family.runs[side].get(segment, ()) for side in (Side.PRED, Side.REF))
    return _Pair(seen, *(_length((*ignored, *runs)) - left_out if runs else 0 for runs in sides))


def _length(runs: tuple[tuple[int, int], ...]) -> int:
    return sum(end - start for start, end in union_runs(runs)) if runs else 0
