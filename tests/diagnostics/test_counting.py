"""Findings that are not spelled out are counted: however often they are bounded, and wherever they are shown."""

import re
from collections import Counter
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from tracepact import Diagnostic, InvalidInput
from tracepact.diagnostics.collection import groups_of, not_spelled_out, summarise
from tracepact.diagnostics.findings import RowPlace
from tracepact.runs.report import DiagnosticsRecord

CODES = {"bad-time": "error", "offset-beyond-clip": "warning"}
FILES = [f"{folder}/{name}.csv" for folder in "abcdef" for name in "xyz"]


@st.composite
def findings(draw: st.DrawFn, files: int = len(FILES)) -> list[Diagnostic]:
    """Rows of few or many files, of some of them very many, and what says how many more there are."""
    found: list[Diagnostic] = []
    codes = st.sampled_from(draw(st.sampled_from([sorted(CODES), ["offset-beyond-clip"]])))
    for file in draw(st.lists(st.sampled_from(FILES[:files]), max_size=6, unique=True)):
        rows = range(draw(st.sampled_from([1, 2, 7, 30])))
        code = draw(codes)
        found += [Diagnostic(code, f"row {row} is odd", RowPlace(file, row)) for row in rows]
    for number in draw(st.lists(st.integers(1, 5_000), max_size=4)):
        place = draw(st.sampled_from([None, RowPlace("a"), RowPlace(FILES[0])]))
        found.append(not_spelled_out(draw(codes), number, place))
    return draw(st.permutations(found))


def by_code(found: Iterable[Diagnostic]) -> Counter[str]:
    """How many findings of each code there are."""
    counts: Counter[str] = Counter()
    for one in found:
        counts[one.code] += one.number
    return counts


@given(findings())
def test_a_refusal_has_every_finding_in_its_counts_however_often_it_is_raised_again(found: list[Diagnostic]) -> None:
    first = InvalidInput(found)
    again = InvalidInput(first.diagnostics)
    assert by_code(first.diagnostics) == by_code(again.diagnostics) == by_code(found)
    assert first.summary == again.summary == summarise(first.diagnostics)
    for severity in ("error", "warning"):
        expected = sum(number for code, number in by_code(found).items() if CODES[code] == severity)
        counted = re.search(rf"([0-9,]+) {severity}", first.summary)
        assert (counted[1] if counted else "0") == f"{expected:,}"


@given(findings())
def test_one_line_of_each_kind_and_file_says_how_many_more_there_are(found: list[Diagnostic]) -> None:
    bounded = InvalidInput(found).diagnostics
    several = Counter((one.code, str(one.place)) for one in bounded if one.stands_for)
    assert set(several.values()) <= {1}
    assert all(one.headline.startswith(f"{one.stands_for:,} more ") for one in bounded if one.stands_for)


@given(st.integers(1, 8), findings())
def test_what_stands_for_several_findings_does_not_change_how_the_others_are_grouped(
    files: int, more: list[Diagnostic]
) -> None:
    own = [Diagnostic("offset-beyond-clip", "a row is odd", RowPlace(file, 1)) for file in FILES[:files]]
    found = [*own, *(one for one in more if one.stands_for), not_spelled_out("offset-beyond-clip", 2)]
    spelled = [one for one in found if not one.stands_for]
    groups = list(zip(found, groups_of(found), strict=True))
    assert [group for one, group in groups if not one.stands_for] == groups_of(spelled)
    for one, group in groups:
        if one.stands_for:
            assert group == (one.code, one.place.file if isinstance(one.place, RowPlace) else "")


@given(findings(files=1))
def test_the_text_of_a_refusal_tells_of_every_warning(found: list[Diagnostic]) -> None:
    """Of one file: its warnings are listed, and the rest of each group is a number."""
    text = str(InvalidInput(found))
    for code, number in by_code(found).items():
        if CODES[code] == "warning":
            said = re.findall(rf"warning\[{code}\]: (… and )?(?:([0-9,]+) more)?", text)
            assert sum(int(more.replace(",", "")) if more else 1 for _, more in said) == number


@given(findings())
def test_a_tally_counts_every_finding_and_lists_only_those_that_are_spelled_out(found: list[Diagnostic]) -> None:
    tally = DiagnosticsRecord.of(found)
    assert tally.counts == dict(sorted(by_code(found).items()))
    assert not [one for one in tally.items if "not spelled out" in one.headline]
    assert len(tally.items) == sum(not one.stands_for for one in found)
