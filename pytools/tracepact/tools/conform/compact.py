"""Long masks and streams of verdicts in runs: how the files of vectors keep them short, and how they are read back."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from tracepact.tools.conform.trees import LONGEST, BadCase, shown

_ITEM = re.compile(r"([01svf])(?:\*([1-9][0-9]{0,9}))?")
_MASK = re.compile(r"[01](\*[1-9][0-9]{0,9})?( [01](\*[1-9][0-9]{0,9})?)*")
_TEXTS = ("text", "contract", "predicate", "name", "derivation")
_SHORT = 64
_LETTERS = {"s": "satisfied", "v": "violated", "f": "free"}


def in_runs(digits: str) -> str:
    """`0001` is `0*3 1`."""
    return " ".join(_run(digit, sum(1 for _ in some)) for digit, some in groupby(digits))


def _run(digit: str, length: int) -> str:
    return digit if length == 1 else f"{digit}*{length}"


def digits_of(text: str) -> str:
    """The digits or letters that a text in runs stands for; BadCase if there are more than a trace may have."""
    items = [_ITEM.fullmatch(item) for item in text.split(" ")]
    if not all(items):
        raise BadCase(f"{shown(text)} is not a mask in runs")
    found = [(item[1], int(item[2] or 1)) for item in items if item]
    if sum(length for _, length in found) > LONGEST:
        raise BadCase(f"{shown(text)} has more than {LONGEST} frames")
    return "".join(digit * length for digit, length in found)


def expanded(data: Any) -> Any:
    """The data with every mask in runs as its digits."""
    return _mapped(data, lambda text: digits_of(text) if "*" in text and _MASK.fullmatch(text) else text)


def compacted(data: Any) -> Any:
    """The data with every long mask in runs, where that is shorter."""
    return _mapped(data, _shortest)


def _shortest(text: str) -> str:
    if len(text) <= _SHORT or set(text) - {"0", "1"}:
        return text
    runs = in_runs(text)
    return runs if len(runs) < len(text) else text


def _mapped(data: Any, change: Callable[[str], str]) -> Any:
    match data:
        case str():
            return change(data)
        case list():
            return [_mapped(item, change) for item in data]
        case Mapping():
            return {key: item if key in _TEXTS else _mapped(item, change) for key, item in data.items()}
    return data


def verdicts_out(
    delays: Sequence[int], words: Sequence[Sequence[str]], arrivals: Sequence[int]
) -> Iterator[list[list[Any]]]:
    """What is out at each arrival and at the end, by frame and clause, of the verdicts of whole traces (12.2, 12.3).

    `arrivals` are the frames that come together; the words of a clause are its verdicts, frame by frame.
    """
    known, said = 0, [0] * len(delays)
    for size in (*arrivals, None):
        known += size or 0
        out: list[list[Any]] = []
        for clause, delay in enumerate(delays):
            end = known if size is None else max(said[clause], known - delay)
            out += [[frame, clause, words[clause][frame]] for frame in range(said[clause], end)]
            said[clause] = end
        yield sorted(out)


def stream_expected(expected: Mapping[str, Any], arrivals: Sequence[int]) -> dict[str, Any]:
    """The expected answer to a stream, its `out` written out where the file has delays and words in runs."""
    out = expected.get("out")
    if not isinstance(out, Mapping):
        return dict(expected)
    words = [[_LETTERS[letter] for letter in digits_of(text)] for text in out["words"]]
    return {**expected, "out": list(verdicts_out(out["delays"], words, arrivals))}


def words_in_runs(words: Sequence[str]) -> str:
    """The verdicts of a clause in runs of their first letters."""
    return in_runs("".join(word[0] for word in words))
