"""Completion in calibration sets: the keys of the table one is in, and the words a key takes."""

import pytest

from tracepact.author.editor_help import complete_calibration

SET = """calibration = "gate"
step = "20ms"
cases = [
  {name = "late", rank = 4, edit = "late_onset", by = "120ms"},
  {name = "lost", },
]
[reference.gate]
duration = "5s"

[family]
atoms = ["ref_onset"]
"""


def words(text: str) -> list[str]:
    """What is offered at the mark."""
    return [found.label for found in complete_calibration(text.replace("|", ""), text.index("|"))]


def test_the_keys_of_the_table_one_is_in_are_offered_once() -> None:
    top = words('step = "20ms"\n|')
    assert {"calibration", "cases", "family", "projection", "durations"} <= set(top)
    assert "step" not in top
    case = words(SET.replace('"lost", }', '"lost", |}'))
    assert {"rank", "edit", "risk", "by", "pieces"} <= set(case)
    assert "name" not in case
    assert "events" not in case
    assert words(SET.replace('"5s"\n', '"5s"\n|', 1)) == ["events", "masks"]
    family = words(SET + "|")
    assert {"tolerances", "depth", "matchers"} <= set(family)
    assert "atoms" not in family


def test_the_words_that_a_key_takes_are_offered() -> None:
    assert words(SET.replace('"lost", }', '"lost", edit = "|"}'))[:2] == ["late_onset", "early_onset"]
    assert words(SET.replace('"lost", }', '"lost", edit = "late_|')) == words(
        SET.replace('"lost", }', '"lost", edit = |')
    )
    assert words("projection = |") == ["centre", "touch", "inside"]
    assert words(SET + 'shapes = ["near", "|') == ["near", "ahead", "back"]


def test_a_word_is_quoted_unless_a_quote_is_there() -> None:
    (found, *_) = complete_calibration("projection = ", 13)
    assert found.insert == '"centre"'
    (found, *_) = complete_calibration('projection = "', 14)
    assert found.insert == "centre"


@pytest.mark.parametrize("text", ["step = |", 'title = "a|', "# ste|", "[other]\n|", 'step = "20ms" # |'])
def test_where_nothing_is_known_nothing_is_offered(text: str) -> None:
    assert words(text) == []


@pytest.mark.parametrize("text", ["|", "{{{[[[|", "cases = [{|", "=|", '"|', "[[[|"])
def test_broken_texts_are_no_fault(text: str) -> None:
    words(text)
