"""Smaller cases that may still fail: simpler formulas, fewer clips, frames, intervals and lines.

Hypothesis makes smaller what it drew itself. A case at the boundary of a size is a finished piece of data, of more
parts than Hypothesis can draw, so it is cut down here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

from tracepact.conform.protocol import Tree, formula_of
from tracepact.data.events import exact
from tracepact.language.formula import atoms

Case = dict[str, Any]
Clip = dict[str, Any]
Cuts = Callable[[int], Iterator[slice]]
"""The parts to leave out, one at a time, of a list or a trace with so many items."""

_LARGE = 16
"""From this size on halves, quarters and eighths are left out, and bounds halved, before single steps are tried."""

_LISTS = ("clips", "clauses", "events", "ref", "pred", "entries", "others", "ignored")


def smaller(case: Mapping[str, Any]) -> Iterator[Case]:
    """Cases that are one step smaller, the boldest steps first.

    Nearly all are well formed. A few are not, such as a contract without the parameter that a clause uses; who asks
    them has to leave those out.
    """
    # Coarse cuts before fine ones, as in delta debugging (Zeller and Hildebrandt, "Simplifying and isolating
    # failure-inducing input", 2002): the search starts over after each success, so a trace of 100,000 frames is down to
    # tens after as many answers as its length has bits.
    yield from _with_less(case, _coarse)
    yield from _with_simpler_formulas(case)
    yield from _with_less(case, _fine)
    yield from _with_less_active(case)
    yield from _with_smaller_settings(case)


def tidy(case: Case) -> Case:
    """The case without the masks that no formula names."""
    named = frozenset().union(*(atoms(formula_of(tree)) for _, tree, _ in _formulas(case)))

    def kept(clip: Clip) -> Clip:
        return {**clip, "masks": {name: mask for name, mask in clip["masks"].items() if name in named}}

    if "trace" in case:
        return {**case, "trace": kept(case["trace"])}
    return {**case, "clips": [kept(clip) for clip in case["clips"]]} if "clips" in case else case


# The parts of a case, each with the function that puts another in its place

Put = Callable[[Any], Case]


def _formulas(case: Mapping[str, Any]) -> Iterator[tuple[str, Tree, Put]]:
    """The formulas of a case that are data, each with its key; those of `formula` and `contract` are text."""
    for key in ("obligation", "formula"):
        if key in case:
            yield key, case[key], lambda tree, key=key: {**case, key: tree}  # type: ignore[misc]
        for k, clause in enumerate(case.get("clauses", ())):
            yield key, clause[key], partial(_put_in_clause, case, k, key)


def _put_in_clause(case: Mapping[str, Any], k: int, key: str, tree: Tree) -> Case:
    return _put(case, "clauses", k, {**case["clauses"][k], key: tree})


def _clips(case: Mapping[str, Any]) -> Iterator[tuple[Clip, Put]]:
    """The clips that are masks; those of a score are events."""
    if "trace" in case:
        yield case["trace"], lambda trace: {**case, "trace": trace}
    if case["ask"] != "score":
        for k, clip in enumerate(case.get("clips", ())):
            yield clip, partial(_put, case, "clips", k)


def _put(case: Mapping[str, Any], key: str, k: int, item: Any) -> Case:
    return {**case, key: [*case[key][:k], item, *case[key][k + 1 :]]}


# Less of something


def _coarse(size: int) -> Iterator[slice]:
    for parts in (2, 4, 8) if size > _LARGE else ():
        length = size // parts
        yield from (slice(k * length, (k + 1) * length) for k in range(parts))


def _fine(size: int) -> Iterator[slice]:
    yield from (slice(k, k + 1) for k in range(size))


def _without(items: Any, cut: slice) -> Any:
    """A list, or a text, without a part."""
    return items[: cut.start] + items[cut.stop :]


def _with_less(case: Mapping[str, Any], cuts: Cuts) -> Iterator[Case]:
    """The case without a part of a list, of a text or of its time."""
    for key in _LISTS:
        if isinstance(items := case.get(key), list):
            least = key in ("clips", "clauses", "entries")  # the protocol wants one of these
            rest = (_without(items, cut) for cut in cuts(len(items)) if len(items) > least)
            yield from (tidy({**case, key: some}) if key == "clauses" else {**case, key: some} for some in rest)
    for key in ("text", "contract"):
        if key in case and case["ask"] != "formula":
            lines = case[key].splitlines(keepends=True)
            yield from ({**case, key: "".join(_without(lines, cut))} for cut in cuts(len(lines)) if len(lines) > 1)
    if case["ask"] == "score":
        for k, clip in enumerate(case["clips"]):
            for side in ("ref", "pred", "ignore"):
                events = clip.get(side, [])
                for cut in cuts(len(events)):
                    yield _put(case, "clips", k, {**clip, side: _without(events, cut)})
    for clip, put in _clips(case):
        for cut in cuts(clip["frames"]) if clip["frames"] > 1 else ():
            yield _in_reach(put(_cut_clip(clip, cut)), cut)
    masks = [key for key in ("mask", "ref", "pred") if isinstance(case.get(key), str)]
    if masks and len(case[masks[0]]) > 1:
        for cut in cuts(len(case[masks[0]])):
            yield {**case, **{key: _without(case[key], cut) for key in masks}}
    if isinstance(case.get("ref"), list):
        last = max((end for side in ("ref", "pred") for _, end in case[side]), default=0)
        for cut in cuts(last):
            yield {**case, **{side: _runs_without(case[side], cut) for side in ("ref", "pred")}}


def _cut_clip(clip: Clip, cut: slice) -> Clip:
    shorter = {**clip, "frames": clip["frames"] - (cut.stop - cut.start)}
    shorter["masks"] = {name: _without(mask, cut) for name, mask in clip["masks"].items()}
    return {**shorter, "ignored": _without(clip["ignored"], cut)} if "ignored" in clip else shorter


def _in_reach(case: Case, cut: slice) -> Case:
    """A stream whose chunks, interruptions and reopening fit its trace, which has lost some frames."""
    if "chunks" in case:
        ends = accumulate(case["chunks"], initial=0)
        # How many frames before an end are cut moves it by as much; a chunk that lost all of its frames is gone.
        left = [end - max(0, min(end, cut.stop) - cut.start) for end in ends]
        case["chunks"] = [b - a for a, b in pairwise(left) if a < b]
    arrivals = len(case["chunks"]) if "chunks" in case else case.get("trace", {}).get("frames")
    if "interrupt" in case:
        case["interrupt"] = [min(k, arrivals) for k in case["interrupt"]]
    if "reopen" in case:
        case["reopen"] = min(case["reopen"], arrivals)
    return case


def _runs_without(runs: Sequence[Sequence[int]], cut: slice) -> list[list[int]]:
    """The runs when some frames are taken out of time; those that touch then are one."""
    joined: list[list[int]] = []
    for run in runs:
        start, end = (at - max(0, min(at, cut.stop) - cut.start) for at in run)
        if joined and start <= joined[-1][1]:
            joined[-1][1] = end
        elif start < end:
            joined.append([start, end])
    return joined


# Simpler formulas


def _with_simpler_formulas(case: Mapping[str, Any]) -> Iterator[Case]:
    """The case with one formula simpler; an obligation may be `true` at once."""
    for key, tree, put in _formulas(case):
        if key == "obligation" and tree is not True:
            yield tidy(put(True))
        yield from (tidy(put(other)) for other in _simpler(tree))


def _simpler(tree: Tree) -> Iterator[Tree]:
    """Formulas one step simpler: a part in place of the whole, a bound nearer to zero, a constant."""
    if isinstance(tree, str | bool):
        return
    operator, *rest = tree
    if operator == "not" and isinstance(rest[0], list) and rest[0][0] == "not":
        yield rest[0][1]
    parts = [part for part in rest if type(part) is not int]
    yield from parts
    for k, item in enumerate(rest):
        others = [*(_nearer(item) if type(item) is int else _simpler(item))]
        if isinstance(item, str) and len(parts) > 1:
            others.append(True)
        changed = ([operator, *rest[:k], other, *rest[k + 1 :]] for other in others)
        yield from (one for one in changed if operator not in ("F", "G") or one[1] <= one[2])
    if operator in ("F", "G") and rest[0] == rest[1]:  # neither bound of such a window can move alone
        yield from ([operator, bound, bound, rest[2]] for bound in _nearer(rest[0]))


def _nearer(bound: int) -> Iterator[int]:
    """Half a large bound, and one frame nearer to zero."""
    if abs(bound) > _LARGE:
        yield bound // 2 if bound > 0 else -(-bound // 2)
    if bound:
        yield bound - 1 if bound > 0 else bound + 1


# Fewer active frames, and settings that say less


def _with_less_active(case: Mapping[str, Any]) -> Iterator[Case]:
    """The case with one active frame less, in a mask or at the end of a run."""
    for clip, put in _clips(case):
        for name, mask in clip["masks"].items():
            yield from (put({**clip, "masks": {**clip["masks"], name: less}}) for less in _darker(mask))
        if "ignored" in clip:
            yield put({key: part for key, part in clip.items() if key != "ignored"})
            yield from (put({**clip, "ignored": less}) for less in _darker(clip["ignored"]))
    for key in ("mask", "ref", "pred"):
        if isinstance(case.get(key), str):
            yield from ({**case, key: less} for less in _darker(case[key]))
        elif key in case:
            for k, (start, end) in enumerate(case[key]):
                if end - start > 1:
                    yield _put(case, key, k, [start, end - 1])
                    yield _put(case, key, k, [start + 1, end])


def _darker(mask: str) -> Iterator[str]:
    yield from (f"{mask[:i]}0{mask[i + 1 :]}" for i in range(len(mask)) if mask[i] == "1")


def _with_smaller_settings(case: Mapping[str, Any]) -> Iterator[Case]:
    """The case without an interruption, in fewer chunks, or with a nearer search or a shorter clip."""
    for key in ("interrupt", "reopen"):
        if key in case:
            yield {name: part for name, part in case.items() if name != key}
    if len(case.get("interrupt", ())) > 1:
        yield from ({**case, "interrupt": [k]} for k in sorted(set(case["interrupt"])))
    chunks = case.get("chunks", ())
    for k in range(1, len(chunks)):
        yield {**case, "chunks": [*chunks[: k - 1], chunks[k - 1] + chunks[k], *chunks[k + 1 :]]}
    if "matcher" in case and (search := exact(case["matcher"]["search"])) >= 1:
        yield {**case, "matcher": {**case["matcher"], "search": str(search - 1)}}
    if case["ask"] == "project":
        duration, step = exact(case["duration"]), exact(case["step"])
        # Whole frames: to halve the time itself would make its digits more and more, beyond those that rule 1.4 allows.
        shorter = (duration // step // 2 * step, duration - step)
        yield from ({**case, "duration": str(some)} for some in shorter if some > 0)
