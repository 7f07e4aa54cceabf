"""The cast: scenes for a contract and predictions made from a reference, each with one fault (chapter 22)."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tracepact.data.family import Family, Mode, Runs, Side
from tracepact.evaluate.masks import LONGEST, Allowance, SceneLengths, allowances, measures
from tracepact.language.contract import Contract
from tracepact.language.formula import FrameRun, union_runs
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
