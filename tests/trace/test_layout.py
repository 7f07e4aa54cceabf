"""Families as one long bitset: painting, counting, edges and other classes, against lists of frames."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import family_of

from tracepact.data.family import Atoms, Layout, Side, pack, unpack
from tracepact.language.formula import runs_of_frames

clips = st.lists(st.lists(st.booleans(), min_size=1, max_size=150), min_size=1, max_size=5)
pairs = st.integers(1, 90).flatmap(
    lambda n: st.tuples(
        st.lists(st.booleans(), min_size=n, max_size=n), st.lists(st.booleans(), min_size=n, max_size=n)
    )
)


@given(clips, st.integers(1, 200))
def test_painting_runs_gives_each_clip_its_frames(some: list[list[bool]], gap: int) -> None:
    layout = Layout([len(frames) for frames in some], gap)
    mask = layout.paint({i: runs_of_frames(frames) for i, frames in enumerate(some)})
    assert [layout.frames_of(mask, i).tolist() for i in range(len(some))] == some
    assert mask & ~layout.valid == 0
    assert layout.counts(mask).tolist() == [sum(frames) for frames in some]
    segment, frame = layout.locate(layout.positions(mask))
    expected = [(i, j) for i, frames in enumerate(some) for j, active in enumerate(frames) if active]
    assert list(zip(segment.tolist(), frame.tolist(), strict=True)) == expected


@given(st.lists(st.integers(0, 300), min_size=1, max_size=6), st.integers(0, 400))
def test_clips_are_kept_apart_by_the_gap_or_the_longest_clip(frames: list[int], gap: int) -> None:
    layout = Layout(frames, gap)
    ends = layout.start + layout.frames
    apart = layout.start[1:] - ends[:-1]
    assert all(apart >= min(max(gap, 1), max(max(frames), 1)))
    assert layout.valid.bit_count() == sum(frames)


@given(st.lists(pairs, min_size=1, max_size=4))
def test_onsets_and_offsets_are_those_of_each_clip_alone(some: list[tuple[list[bool], list[bool]]]) -> None:
    family = family_of(some)
    layout = family.layout(1)
    atoms = Atoms(family, layout)
    for side, name in enumerate(("ref", "pred")):
        for segment, clip in enumerate(some):
            active = clip[side]
            onset = [a and (i == 0 or not active[i - 1]) for i, a in enumerate(active)]
            offset = [not a and i > 0 and active[i - 1] for i, a in enumerate(active)]
            assert layout.frames_of(atoms[f"{name}_onset"], segment).tolist() == onset
            assert layout.frames_of(atoms[f"{name}_offset"], segment).tolist() == offset


@given(st.data(), st.integers(1, 4), st.integers(1, 3))
def test_other_classes_are_active_where_any_of_them_is(data: st.DataObject, classes: int, count: int) -> None:
    lengths = data.draw(st.lists(st.integers(1, 70), min_size=count, max_size=count))
    masks = [[data.draw(st.lists(st.booleans(), min_size=n, max_size=n)) for n in lengths] for _ in range(classes)]
    family = family_of([(clip, clip) for by_class in masks for clip in by_class], classes=classes)
    layout = family.layout(1)
    atoms = Atoms(family, layout)
    for k in range(classes):
        for c, n in enumerate(lengths):
            expected = [any(masks[other][c][i] for other in range(classes) if other != k) for i in range(n)]
            found = layout.frames_of(atoms["other_ref_active"], family.segment(k, c)).tolist()
            assert found == expected


def test_an_event_that_reaches_the_end_has_no_offset_frame() -> None:
    family = family_of([([False, True, True], [False] * 3), ([True, False, False], [False] * 3)])
    layout = family.layout(1)
    offset = Atoms(family, layout)["ref_offset"]
    assert layout.counts(offset).tolist() == [0, 1]
    assert family.runs[Side.PRED] == {}


@given(st.lists(st.booleans(), max_size=200))
def test_packing_and_unpacking_are_inverse(frames: list[bool]) -> None:
    assert unpack(pack(np.array(frames, dtype=np.bool_)), len(frames)).tolist() == frames
