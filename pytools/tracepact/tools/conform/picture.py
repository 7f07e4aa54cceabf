"""A finding as a picture: the case in words and masks, what was expected, what was answered, where they differ."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tracepact.tools.conform.findings import Finding
from tracepact.tools.conform.peer import printable
from tracepact.tools.conform.streaming import arrivals
from tracepact.tools.conform.trees import formula_of, formula_text

_ON, _OFF = "█", "·"
_WIDEST = 240
_MASKS = ("mask", "onsets", "offsets")


def picture(finding: Finding) -> list[str]:
    """The lines of a finding's picture; empty for one without a case."""
    if finding.vector is None:
        return []
    case = finding.vector.input
    lines = [*_case_lines(case), *_answer_lines(finding, case)]
    return [line.rstrip() for line in lines]


def _case_lines(case: Mapping[str, Any]) -> Iterator[str]:
    match case["ask"]:
        case "verdicts":
            yield _row("formula", _text(case["formula"]))
            yield from _clips(case["clips"])
        case "clause":
            yield _row("obligation", _text(case["obligation"]))
            yield _row("formula", _text(case["formula"]))
            yield from _clips(case["clips"])
        case "stream":
            for number, clause in enumerate(case["clauses"]):
                yield _row(f"clause {number}", f"on {_text(clause['obligation'])} : {_text(clause['formula'])}")
            yield from _clips([case["trace"]])
            if "chunks" in case:
                yield _row("chunks", _chunks(case["chunks"]))
            if "interrupt" in case:
                what = "chunk" if "chunks" in case else "frame"
                yield _row("interrupted", f"before {what} {', '.join(map(str, case['interrupt']))}")
        case "runs":
            yield _row("step", f"{case['step']}, merge gap {case['merge_gap']}")
            yield _row("mask", _mask(case["mask"]))
        case "match" | "events":
            frames = max([end for side in ("ref", "pred") for _, end in case[side]], default=1)
            if case["ask"] == "events":
                yield _row("clause", f"on each {case['each']} : {case['predicate']}")
                yield _row("merge gap", case.get("merge_gap", "0"))
            yield _row("matcher", _matcher(case.get("matcher")))
            yield _row("", _ruler(frames))
            for side in ("ref", "pred"):
                yield _row(side, f"{_painted(case[side], frames)}  {case[side]}")
        case _:
            yield from (_row(key, _shown(value)) for key, value in case.items() if key != "ask")


def _answer_lines(finding: Finding, case: Mapping[str, Any]) -> Iterator[str]:
    assert finding.vector is not None
    if finding.answered is None:
        return
    for part in finding.parts:
        expected: Any = finding.vector.expected[part]
        answered: Any = finding.answered.get(part)
        if part == "verdicts" and _are_masks(answered):
            for number, (want, got) in enumerate(zip(expected, answered, strict=False)):
                if want != got:
                    suffix = f" {number}" if len(expected) > 1 else ""
                    yield from _compared(want, got, suffix)
            if len(expected) != len(answered):
                yield _row("answered", f"{len(answered)} masks for {len(expected)} clips")
        elif part == "out" and isinstance(answered, list):
            yield from _moments(case, expected, answered)
        elif part in _MASKS and _are_masks([answered]):
            yield from _compared(expected, str(answered), f" {part}")
        else:
            yield _row("expected", f"{part} {_shown(expected)}")
            there = part in finding.answered
            yield _row("answered", f"{part} {_shown(answered)}" if there else f"missing `{part}`")


def _compared(want: str, got: str, suffix: str) -> Iterator[str]:
    yield _row("expected" + suffix, _mask(want))
    yield _row("answered" + suffix, _mask(got))
    marks = "".join(
        "^" if i >= len(got) or i >= len(want) or want[i] != got[i] else " " for i in range(max(len(want), len(got)))
    )
    yield _row("", marks)


def _moments(case: Mapping[str, Any], expected: Sequence[Any], answered: Sequence[Any]) -> Iterator[str]:
    last = len(arrivals(case))
    for at, want in enumerate(expected):
        got = answered[at] if at < len(answered) else None
        if want != got:
            when = f"at {'chunk' if 'chunks' in case else 'frame'} {at}" if at < last else "at close"
            yield _row(when, f"expected {_verdicts(want)}")
            yield _row("", f"answered {_verdicts(got)}")


def _verdicts(out: Any) -> str:
    if not isinstance(out, list) or not all(isinstance(item, list) and len(item) == 3 for item in out):
        return _shown(out)
    return ", ".join(f"frame {i} clause {k} {word}" for i, k, word in out) or "nothing"


def _clips(clips: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for number, clip in enumerate(clips):
        yield _row("" if len(clips) == 1 else f"clip {number}", _ruler(clip["frames"]))
        for name, mask in clip["masks"].items():
            yield _row(name, _mask(mask))
        if "ignored" in clip:
            yield _row("ignored", _mask(clip["ignored"]))


def _row(name: str, text: str) -> str:
    return f"{name:<12} {text}"


def _chunks(sizes: Sequence[int]) -> str:
    """Which chunk each frame comes in, by its number, under the ruler of frames."""
    return "".join(str(number % 10) * size for number, size in enumerate(sizes))


def _ruler(frames: int) -> str:
    return "".join(str(i % 10) for i in range(frames))


def _mask(text: str) -> str:
    return text.replace("1", _ON).replace("0", _OFF)


def _painted(runs: Sequence[Sequence[int]], frames: int) -> str:
    return "".join(_ON if any(s <= i < e for s, e in runs) else _OFF for i in range(frames))


def _are_masks(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(v, str) and not set(v) - {"0", "1"} for v in values)


def _matcher(data: Mapping[str, Any] | None) -> str:
    if data is None:
        return "greedy(search = 1/5, overlap_reward = 1/2)"
    return f"{data['kind']}(search = {data['search']}, overlap_reward = {data['overlap_reward']})"


def _text(tree: Any) -> str:
    return formula_text(formula_of(tree))


def _shown(value: Any) -> str:
    text = printable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}…"
