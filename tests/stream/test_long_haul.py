"""The long haul at a modest size: `watch` and a bank over many frames, with the offline counts and flat memory."""

import pytest

from benchmarks.long_haul import banked, watched


@pytest.mark.slow
def test_watch_counts_exactly_over_a_long_stream_and_does_not_grow() -> None:
    haul = watched(200_000)
    assert haul.counts == haul.expected
    assert haul.late - haul.early < 4_000  # kB; a bit a frame and side would be 50, a run a second 400


@pytest.mark.slow
def test_a_bank_counts_exactly_through_a_long_time_and_does_not_grow() -> None:
    haul = banked(10, 600)
    assert haul.counts == haul.expected
    assert min(of for _, of in haul.counts.values()) > 1000
    assert haul.late - haul.early < 4_000
