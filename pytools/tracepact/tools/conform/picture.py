"""A finding as a picture: the case in words and masks, what was expected, what was answered, where they differ.

Of a long trace the frames around the first difference are drawn, and every mask is given in runs beside them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tracepact.tools.conform.compact import in_runs
from tracepact.tools.conform.findings import Finding
from tracepact.tools.conform.peer import printable
from tracepact.tools.conform.streaming import arrivals
from tracepact.tools.conform.trees import formula_of, formula_text

_ON, _OFF = "█", "·"
_WIDEST = 240
_LONG = 96
"""Frames of a trace that is drawn whole."""

_AROUND = 24
"""Frames before the first difference of a longer one."""

_MOST = 5
"""Clips, moments and verdicts that are listed of those that differ."""

_MASKS = ("mask", "onsets", "offsets")


def picture(finding: Finding) -> list[str]:
    """The lines of a finding's picture; empty for one without a case."""
    if finding.vector is None:
        return []
    case = finding.vector.input
    lines = [*_case_lines(case, _places(finding)), *_answer_lines(finding, case)]
    return [line.rstrip() for line in lines]


def _places(finding: Finding) -> dict[int, int]:
    """The first frame that differs, by clip; the trace of a stream is the only clip."""
    assert finding.vector is not None
    expected, answered = finding.vector.expected, finding.answered or {}
    if "verdicts" in finding.parts and _are_masks(answered.get("verdicts")):
        pairs = enumerate(zip(expected["verdicts"], answered["verdicts"], strict=False))
        return {number: _first_difference(want, got) for number, (want, got) in pairs if want != got}
    if "out" in finding.parts and isinstance(answered.get("out"), list):
        for want, got in zip(expected["out"], answered["out"], strict=False):
            if some := [item[0] for item in (*_only(want, got), *_only(got, want)) if _is_verdict(item)]:
                return {0: min(some)}
    return {}


def _first_difference(want: str, got: str) -> int:
    apart = (i for i, (a, b) in enumerate(zip(want, got, strict=False)) if a != b)
    return next(apart, min(len(want), len(got)))


def _only(these: Any, those: Any) -> list[Any]:
    """The items of a list that another lacks."""
    others = {json.dumps(item) for item in those} if isinstance(those, list) else set()
    return [item for item in these if json.dumps(item) not in others] if isinstance(these, list) else []


def _is_verdict(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 3 and type(item[0]) is int


def _shown_frames(frames: int, at: int) -> slice:
    """The frames of a trace that are drawn."""
    if frames <= _LONG:
        return slice(0, frames)
    start = max(0, min(at - _AROUND, frames - 2 * _AROUND))
    return slice(start, min(start + 2 * _AROUND, frames))


def _case_lines(case: Mapping[str, Any], places: Mapping[int, int]) -> Iterator[str]:
    match case["ask"]:
        case "verdicts":
            yield _row("formula", _text(case["formula"]))
            yield from _clips(case["clips"], places)
        case "clause":
            yield _row("obligation", _text(case["obligation"]))
            yield _row("formula", _text(case["formula"]))
            yield from _clips(case["clips"], places)
        case "stream":
            for number, clause in enumerate(case["clauses"]):
                yield _row(f"clause {number}", f"on {_text(clause['obligation'])} : {_text(clause['formula'])}")
            yield from _clips([case["trace"]], places)
            if "chunks" in case:
                frames = case["trace"]["frames"]
                shown = _chunks(case["chunks"])[_shown_frames(frames, places.get(0, 0))]
                yield _row("chunks", shown if frames <= _LONG else f"{shown}  of {_shown(case['chunks'])}")
            if "interrupt" in case:
                what = "chunk" if "chunks" in case else "frame"
                yield _row("interrupted", f"before {what} {', '.join(map(str, case['interrupt']))}")
        case "runs":
            yield _row("step", f"{case['step']}, merge gap {case['merge_gap']}")
            yield _row("mask", _part(case["mask"], slice(0, min(len(case["mask"]), _LONG))))
        case "match" | "events":
            frames = min(max([end for side in ("ref", "pred") for _, end in case[side]], default=1), _LONG)
            if case["ask"] == "events":
                yield _row("clause", f"on each {case['each']} : {case['predicate']}")
                yield _row("merge gap", case.get("merge_gap", "0"))
            yield _row("matcher", _matcher(case.get("matcher")))
            yield _row("", _ruler(frames))
            for side in ("ref", "pred"):
                yield _row(side, f"{_painted(case[side], frames)}  {_shown(case[side])}")
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
            apart = [(k, *pair) for k, pair in enumerate(zip(expected, answered, strict=False)) if pair[0] != pair[1]]
            for number, want, got in apart[:_MOST]:
                yield from _compared(want, got, f" {number}" if len(expected) > 1 else "")
            if len(apart) > _MOST:
                yield _row("", f"and {len(apart) - _MOST} more clips")
            if len(expected) != len(answered):
                yield _row("answered", f"{len(answered)} masks for {len(expected)} clips")
        elif part == "out" and isinstance(answered, list):
            yield from _moments(case, expected, answered)
        elif part in _MASKS and _are_masks([answered]):
            yield from _compared(expected, str(answered), f" {part}")
        else:
            where, want, got = _first_apart(expected, answered)
            yield _row("expected", f"{part}{where} {_shown(want)}")
            there = part in finding.answered
            yield _row("answered", f"{part}{where} {_shown(got)}" if there else f"missing `{part}`")


def _first_apart(want: Any, got: Any) -> tuple[str, Any, Any]:
    """Where two long lists begin to differ, and what they have there; short ones whole."""
    if not isinstance(want, list) or not isinstance(got, list) or len(json.dumps(want)) <= _WIDEST:
        return "", want, got
    at = next((k for k, (a, b) in enumerate(zip(want, got, strict=False)) if a != b), min(len(want), len(got)))
    return f", from item {at} of {len(want)} on,", want[at : at + _MOST], got[at : at + _MOST]


def _compared(want: str, got: str, suffix: str) -> Iterator[str]:
    frames = max(len(want), len(got))
    part = _shown_frames(frames, _first_difference(want, got))
    yield _row("expected" + suffix, _part(want, part))
    yield _row("answered" + suffix, _part(got, part))
    apart = ["^" if i >= len(got) or i >= len(want) or want[i] != got[i] else " " for i in range(frames)]
    yield _row("", "".join(apart[part]))
    if frames > _LONG:
        yield _row("", f"{apart.count('^')} of {frames} frames differ")


def _moments(case: Mapping[str, Any], expected: Sequence[Any], answered: Sequence[Any]) -> Iterator[str]:
    last = len(arrivals(case))
    given = [*answered[: len(expected)], *[None] * (len(expected) - len(answered))]
    apart = [(at, want, got) for at, (want, got) in enumerate(zip(expected, given, strict=True)) if want != got]
    for at, want, got in apart[:_MOST]:
        when = f"at {'chunk' if 'chunks' in case else 'frame'} {at}" if at < last else "at close"
        yield _row(when, f"expected {_verdicts(want, got)}")
        yield _row("", f"answered {_verdicts(got, want)}")
    if len(apart) > _MOST:
        yield _row("", f"and at {len(apart) - _MOST} more {'chunks' if 'chunks' in case else 'frames'}")


def _verdicts(out: Any, other: Any) -> str:
    """What is out at a moment; of much, what the other side has otherwise."""
    if not isinstance(out, list) or not all(isinstance(item, list) and len(item) == 3 for item in out):
        return _shown(out)
    some = out if len(out) <= _MOST else _only(out, other) or out
    more = f", … {len(out)} in all" if len(out) > len(some[:_MOST]) else ""
    return (", ".join(f"frame {i} clause {k} {word}" for i, k, word in some[:_MOST]) or "nothing") + more


def _clips(clips: Sequence[Mapping[str, Any]], places: Mapping[int, int]) -> Iterator[str]:
    """The clips with their masks; of many those that differ."""
    shown = [k for k in range(len(clips)) if len(clips) <= _MOST or k in places][:_MOST] or list(range(_MOST))
    for number in shown:
        clip = clips[number]
        part = _shown_frames(clip["frames"], places.get(number, 0))
        if clip["frames"] > _LONG:
            yield _row("", f"frames {part.start} to {part.stop - 1} of {clip['frames']}, and every mask in runs")
        yield _row("" if len(clips) == 1 else f"clip {number}", _ruler(clip["frames"])[part])
        for name, mask in clip["masks"].items():
            yield _row(name, _part(mask, part))
        if "ignored" in clip:
            yield _row("ignored", _part(clip["ignored"], part))
    if len(shown) < len(clips):
        yield _row("", f"and {len(clips) - len(shown)} more clips")


def _part(mask: str, part: slice) -> str:
    """A mask, or some of its frames beside all of it in runs."""
    drawn = _mask(mask[part])
    return drawn if len(mask) <= _LONG else f"{drawn}  {_shown(in_runs(mask))}"


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
