"""The nearest witness of a violated frame (rule 10.2), against its definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tracepact.data.family import Layout
from tracepact.evaluate.curves import NO_WITNESS, nearest_offsets

bounds = st.one_of(st.integers(-12, 12), st.sampled_from([-(10**30), -(2**40), 2**31, 2**62, 10**30]))
clips = st.lists(st.lists(st.booleans(), min_size=1, max_size=9), min_size=1, max_size=4)


@given(clips, bounds, bounds, st.integers(0, 3))
def test_the_nearest_witness_is_in_the_clip_and_least_outside_the_window(
    masks: list[list[bool]], one: int, other: int, gap: int
) -> None:
    lo, hi = sorted((one, other))
    layout = Layout([len(mask) for mask in masks], gap)
    places = [int(start) + frame for start, mask in zip(layout.start, masks, strict=True) for frame in range(len(mask))]
    targets = [place for place, on in zip(places, (on for mask in masks for on in mask), strict=True) if on]
    found = nearest_offsets(layout, np.array(places), np.array(targets, dtype=np.int64), lo, hi)
    wanted = []
    for mask in masks:
        for frame in range(len(mask)):
            offsets = [target - frame for target, on in enumerate(mask) if on]
            ranked = sorted(offsets, key=lambda at: (max(lo - at, at - hi, 0), abs(at), at))
            wanted.append(ranked[0] if ranked else NO_WITNESS)
    assert found.tolist() == wanted
