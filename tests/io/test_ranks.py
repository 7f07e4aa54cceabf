"""Ranks order scores as the decimals that are written, also where their floats are the same."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from tracepact.data.score_files import ranked

SAME_FLOATS = [
    "0.1",
    "0.10",
    "0.1000000000000000000001",
    "1e-1",
    "0.09999999999999999999999",
    "1",
    "1.0",
    "0",
    "1e-400",
]
GOOD = (
    st.sampled_from(SAME_FLOATS) | st.integers(0, 10**6).map(lambda n: f"{n / 10**6:.6f}") | st.floats(0, 1).map(repr)
)
BAD = st.sampled_from(
    ["1.0000000000000000000000001", "-1e-400", "nan", "inf", "", " ", "0,5", "1_0", "x", "-0.1", "１"]
)


def columns_of(texts: st.SearchStrategy[str]) -> st.SearchStrategy[list[list[str]]]:
    return st.tuples(st.integers(1, 3), st.integers(1, 6)).flatmap(
        lambda size: st.lists(st.lists(texts, min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0])
    )


@given(columns_of(GOOD))
def test_ranks_are_in_the_order_of_the_decimals(columns: list[list[str]]) -> None:
    found = ranked(columns)
    assert found is not None
    levels, ranks = found
    values = sorted({Decimal(text) for column in columns for text in column})
    assert [Decimal(levels.text(rank)) for rank in range(len(levels))] == values
    assert ranks.shape == (len(columns[0]), len(columns))
    for place, column in enumerate(columns):
        assert [values[rank] for rank in ranks[:, place]] == [Decimal(text) for text in column]


@given(columns_of(GOOD | BAD))
def test_a_text_that_is_no_score_is_never_ranked(columns: list[list[str]]) -> None:
    def is_score(text: str) -> bool:
        try:
            return text.isascii() and "_" not in text and 0 <= Decimal(text) <= 1
        except ArithmeticError:
            return False

    assert (ranked(columns) is not None) == all(is_score(text) for column in columns for text in column)
