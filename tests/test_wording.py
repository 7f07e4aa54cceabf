"""Numbers as people read them: one rule of rounding everywhere, exact texts that are read back, counts and names."""

import doctest
import re
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from cli.command import run
from hypothesis import given
from hypothesis import strategies as st

from tracepact import wording
from tracepact.language.reader import read_time
from tracepact.wording import (
    count,
    decimal,
    listed,
    milliseconds,
    moment,
    ms,
    percent,
    print_number,
    rounded,
    seconds,
    short,
    time_text,
)

PLACES = st.integers(1, 6)
NEAR = st.builds(
    lambda whole, n, d: whole + Fraction(n, d), st.sampled_from((-1, 0, 1)), st.integers(-9, 9), st.integers(1, 10**8)
)
NUMBERS = NEAR | st.fractions(-3, 3) | st.fractions()
SHARES = NEAR.filter(lambda x: 0 <= x <= 1) | st.fractions(0, 1)
TIMES = st.builds(Fraction, st.integers(0, 10**7), st.sampled_from((1, 3, 7, 10, 1000, 44100, 10**9)))


@given(value=NUMBERS, places=PLACES)
def test_a_decimal_is_0_or_1_only_if_the_value_is(value: Fraction, places: int) -> None:
    shown = Fraction(decimal(value, places))
    for whole in (-1, 0, 1):
        assert (shown == whole) == (value == whole)


@given(a=NUMBERS, b=NUMBERS, places=PLACES)
def test_decimals_keep_the_order_of_values(a: Fraction, b: Fraction, places: int) -> None:
    low, high = sorted((a, b))
    assert Fraction(decimal(low, places)) <= Fraction(decimal(high, places))


@given(value=NUMBERS, places=PLACES)
def test_a_decimal_is_less_than_one_unit_of_its_last_place_away(value: Fraction, places: int) -> None:
    shown = decimal(value, places)
    assert abs(Fraction(shown) - value) < Fraction(1, 10**places)
    assert len(shown.partition(".")[2]) == places


@given(value=st.floats(-1e9, 1e9), places=PLACES)
def test_elsewhere_a_decimal_is_rounded_half_to_even(value: float, places: int) -> None:
    expected = Decimal(round(value, 12)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN)
    if expected not in (-1, 0, 1):
        assert decimal(value, places) == str(expected)


@given(value=NUMBERS, places=PLACES)
def test_a_negative_decimal_is_the_positive_one_with_a_sign(value: Fraction, places: int) -> None:
    if value > 0:
        assert decimal(-value, places) == "-" + decimal(value, places)


@given(value=NUMBERS)
def test_a_value_and_its_exact_text_are_shown_alike(value: Fraction) -> None:
    assert decimal(value) == decimal(str(value))
    assert short(value) == short(str(value))
    assert rounded(value) == float(decimal(value, 6))


def test_what_floats_lose_is_not_shown() -> None:
    assert 0.1 + 0.2 - 0.3 != 0
    assert decimal(0.1 + 0.2 - 0.3) == "0.000"
    assert sum([0.1] * 10) != 1
    assert decimal(sum([0.1] * 10)) == "1.000"
    assert rounded(0.3 - (0.1 + 0.2)) == 0


def test_no_value_is_a_dash() -> None:
    assert decimal(None) == percent(None) == "–"


@given(share=SHARES, places=st.integers(0, 2))
def test_a_share_is_0_or_100_percent_only_if_it_is_none_or_all(share: Fraction, places: int) -> None:
    shown = Fraction(percent(share, places).removesuffix(" %"))
    assert (shown == 0) == (share == 0)
    assert (shown == 100) == (share == 1)
    assert abs(shown - 100 * share) < Fraction(1, 10**places)


@given(value=st.fractions())
def test_an_exact_number_is_read_back(value: Fraction) -> None:
    assert Fraction(print_number(value)) == value


@given(time=TIMES)
def test_an_exact_time_is_read_back(time: Fraction) -> None:
    assert read_time(ms(time)) == (time, "ms")
    assert read_time(time_text(time).replace(" ", "")) in ((time, "ms"), (time, "s"))


@given(time=TIMES)
def test_a_measured_time_is_0_only_if_it_is(time: Fraction) -> None:
    shown = Fraction(milliseconds(time).removesuffix(" ms")) / 1000
    assert (shown == 0) == (time == 0)
    assert abs(shown - time) < Fraction(1, 10**4)
    assert abs(Fraction(moment(time)) - time) <= Fraction(1, 2000)


@given(time=TIMES)
def test_a_time_in_a_message_is_exact_or_says_that_it_is_not(time: Fraction) -> None:
    text = seconds(time).removesuffix(" s")
    rough = text.startswith("about ")
    assert Fraction(text.removeprefix("about ")) == time or rough
    assert abs(Fraction(text.removeprefix("about ")) - time) <= time / 10**8


def test_counts_have_their_noun_and_names_their_and() -> None:
    assert [count(n, "clip") for n in (0, 1, 2, 12000)] == ["0 clips", "1 clip", "2 clips", "12,000 clips"]
    assert [count(n, "pass", "passes") for n in (1, 2)] == ["1 pass", "2 passes"]
    assert [listed(names) for names in (["a"], ["a", "b"], ["a", "b", "c"])] == [
        "`a`",
        "`a` and `b`",
        "`a`, `b` and `c`",
    ]


def test_the_examples_of_the_module_are_true() -> None:
    assert doctest.testmod(wording).attempted > 0
    assert doctest.testmod(wording).failed == 0


@pytest.fixture(scope="module")
def nearly_perfect(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of one clause that holds on 2,499 of 2,500 frames of each clip, 0.9996; nothing that is measured is 1."""
    folder = tmp_path_factory.mktemp("nearly")
    clause = "clause silent on true : !pred_active\nprofile quiet : silent = 1\n"
    (folder / "c.contract").write_text(f"contract c step 20ms\n{clause}")
    for name, at in (("ref", 10), ("one", 0), ("two", 1)):
        rows = "".join(f"{clip}\t{at}\t{at}.02\tx\n" for clip in "ab")
        (folder / f"{name}.tsv").write_text(f"filename\tonset\toffset\tevent_label\n{rows}")
    for name in ("one", "two"):
        assert run(*SCORE, "--pred", f"{name}.tsv", "--out", name, folder=folder).code == 0
    return folder


SCORE = ("score", "c.contract", "--ref", "ref.tsv", "--durations", "50")
VIEWS = {
    "the report": (*SCORE, "--pred", "one.tsv"),
    "a page": ("report", "one", "--format", "html"),
    "a text for pull requests": ("report", "one", "--format", "markdown"),
    "an audit of uncertainty": ("audit", "uncertainty", "one", "two"),
    "an audit of profiles": ("audit", "profile", "one", "two"),
    "a comparison": ("compare", "one", "two"),
}


@pytest.mark.parametrize("words", VIEWS.values(), ids=VIEWS)
def test_0_9996_reads_0_999_in_every_view(words: tuple[str, ...], nearly_perfect: Path) -> None:
    done = run(*words, folder=nearly_perfect)
    assert done.code == 0
    assert "0.999" in done.out
    assert not re.search(r"\b1\.000\b", done.out)


@pytest.mark.parametrize("audit", ["uncertainty", "profile"])
def test_0_9996_reads_0_999_in_charts(audit: str, nearly_perfect: Path) -> None:
    assert run("audit", audit, "one", "two", "--figure", "chart.svg", folder=nearly_perfect).code == 0
    chart = (nearly_perfect / "chart.svg").read_text(encoding="utf-8")
    assert "0.999" in chart
    assert "1.000" not in chart
