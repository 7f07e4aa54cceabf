"""Draws by ranges are the draws of one generator, and sums over parts of the clips are exact whatever the parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracepact.engines import Engine, EngineKind
from tracepact.evaluate import uncertainty
from tracepact.evaluate.draws import ClipColumns, ClipParts, PackedArray, clause_sums, draws, split
from tracepact.evaluate.scores import ClauseCounts
from tracepact.evaluate.uncertainty import Bootstrap
from tracepact.language.contract import Aggregation


class Times:
    """Draws themselves: how often each has each clip."""

    def sums(self, part: ClipColumns, weights: np.ndarray, clips: int) -> np.ndarray:
        found = np.zeros((len(weights), clips))
        found[:, part.places.array] = weights
        return found

    def values(self, sums: np.ndarray) -> dict[object, np.ndarray]:
        return {"times": sums}


@given(clips=st.integers(1, 40), number=st.integers(1, 30), seed=st.integers(0, 9), workers=st.integers(1, 5))
def test_ranges_of_draws_are_those_of_one_generator(clips: int, number: int, seed: int, workers: int) -> None:
    bootstrap = Bootstrap(number, seed)
    cuts = ClipParts(())
    for first in range(0, clips, 7):
        cuts = ClipParts.of(np.arange(first, min(first + 7, clips)), {}) + cuts
    job = uncertainty._DrawJob(Times(), cuts, clips)
    found = [uncertainty._draw(job, task) for task in uncertainty.ranges(clips, bootstrap, workers)]
    values = np.concatenate([some["times"] for one in found for _, some in one.values])
    assert np.array_equal(values, np.concatenate(list(draws(clips, number, seed))))
    here = uncertainty.draw_values(Times(), cuts, clips, bootstrap, Engine(EngineKind.LOCAL))
    assert np.array_equal(here["times"], values)


@st.composite
def counted(draw: st.DrawFn) -> ClauseCounts:
    """Counts of up to ten classes, so that sums of floats over classes would depend on their order."""
    classes, clips = draw(st.integers(1, 10)), draw(st.integers(1, 12))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    obligated = random.integers(0, draw(st.sampled_from([2, 9, 10**6])), (classes, clips))
    satisfied = (obligated * random.random((classes, clips))).astype(np.int64)
    return ClauseCounts(satisfied, obligated, (obligated == 0) & (random.random((classes, clips)) < 0.5))


@given(counted(), st.randoms(use_true_random=False))
def test_scores_of_draws_are_the_same_bits_however_the_clips_are_cut(counts: ClauseCounts, random: object) -> None:
    clips = counts.satisfied.shape[1]
    (weights,) = draws(clips, 9, 1)
    whole = clause_sums(counts, weights, clips)
    places = list(range(clips))
    random.shuffle(places)  # type: ignore[attr-defined]
    total = None
    while places:
        size = random.randint(1, len(places))  # type: ignore[attr-defined]
        some, places = np.array(places[:size]), places[size:]
        part = clause_sums(counts.select(clips=some), weights[:, some], clips)
        total = part if total is None else total + part
    assert total is not None
    for aggregation in Aggregation:
        assert np.array_equal(total.scores(aggregation), whole.scores(aggregation))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50), st.integers(20, 50))
def test_the_two_parts_of_a_value_give_it_back_to_within_the_fineness_of_both(values: list[float], fine: int) -> None:
    given_values = np.array(values)
    coarse, rest = split(given_values, fine)
    assert np.array_equal(np.ldexp(coarse, fine), np.rint(np.ldexp(coarse, fine)))
    assert np.all(np.abs(coarse + np.ldexp(rest, -fine) - given_values) <= max(2.0**-52, 2.0 ** (-2 * fine)))


@given(st.lists(st.integers(-5, 2**40), max_size=20))
def test_an_array_comes_back_from_its_bytes(values: list[int]) -> None:
    array = np.array(values, dtype=np.int64)
    assert np.array_equal(PackedArray.of(array).array, array)


@pytest.mark.parametrize(
    "forged",
    [
        PackedArray("object", (1,), b""),
        PackedArray("uint8", (-1,), b""),
        PackedArray("uint8", (3,), PackedArray.of(np.zeros(2, dtype=np.int64)).data),
        PackedArray("uint8", (2,), PackedArray.of(np.zeros(9**6, dtype=np.int64)).data),
        PackedArray("uint8", (2,), b"not compressed"),
    ],
)
def test_bytes_that_are_no_array_are_refused(forged: PackedArray) -> None:
    with pytest.raises(ValueError, match=r"array"):
        forged.array  # noqa: B018
