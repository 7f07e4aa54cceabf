"""Makes a failing case smaller step by step, after Hypothesis: simpler formulas, fewer clips, frames and intervals."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tracepact.core import atoms
from tracepact.tools.conform.trees import Tree, formula_of

Case = dict[str, Any]
_LARGE = 16
"""From this size on a half is tried before a single step."""


def smaller(case: Mapping[str, Any]) -> Iterator[Case]:
    """Cases that are one step smaller, the boldest steps first; every one is well formed."""
    yield from _bolder(case)
    for key in ("formula", "obligation"):
        if key in case and case["ask"] != "formula":
            yield from (tidy({**case, key: tree}) for tree in _simpler(key, case[key]))
    if "clauses" in case:
        clauses = case["clauses"]
        yield from (tidy({**case, "clauses": rest}) for rest in _without_one(clauses) if rest)
        for k, clause in enumerate(clauses):
            for key in ("obligation", "formula"):
                for tree in _simpler(key, clause[key]):
                    yield tidy({**case, "clauses": [*clauses[:k], {**clause, key: tree}, *clauses[k + 1 :]]})
    if "clips" in case and case["ask"] != "score":
        yield from ({**case, "clips": rest} for rest in _without_one(case["clips"]) if rest)
        for k, clip in enumerate(case["clips"]):
            yield from ({**case, "clips": [*case["clips"][:k], c, *case["clips"][k + 1 :]]} for _, c in _clips(clip))
    if "trace" in case:
        yield from _streams(case)
    if isinstance(case.get("ref"), list):
        yield from _fewer_frames(case)
        for side in ("ref", "pred"):
            yield from ({**case, side: rest} for rest in _without_one(case[side]))
            yield from ({**case, side: rest} for rest in _shorter(case[side]))
        matcher = case.get("matcher", {"search": "0"})
        if matcher["search"].isdecimal() and matcher["search"] != "0":
            yield {**case, "matcher": {**matcher, "search": str(int(matcher["search"]) - 1)}}
    if case["ask"] == "runs":
        yield from ({**case, "mask": mask} for mask in _masks(case["mask"]))
    if case["ask"] == "project":
        yield from ({**case, "duration": shorter} for shorter in _durations(case["duration"]))
    if "events" in case:
        yield from ({**case, "events": rest} for rest in _without_one(case["events"]))


def _bolder(case: Mapping[str, Any]) -> Iterator[Case]:
    """A large case with half of something: of its clips, clauses, lines, frames, runs, or of a bound."""
    for key in ("clips", "clauses", "events", "ref", "pred", "entries", "others", "ignored"):
        items = case.get(key)
        if isinstance(items, list) and len(items) > _LARGE // 2:
            half = len(items) // 2
            yield from (_tidied({**case, key: list(some)}) for some in (items[:half], items[half:]))
    for key in ("formula", "obligation"):
        if isinstance(case.get(key), list) and case["ask"] != "formula":
            yield from (tidy({**case, key: tree}) for tree in _halved(case[key]))
    for k, clause in enumerate(case.get("clauses", ())[:_LARGE]):
        for tree in _halved(clause["formula"]):
            changed = [*case["clauses"][:k], {**clause, "formula": tree}, *case["clauses"][k + 1 :]]
            yield tidy({**case, "clauses": changed})
    if case["ask"] in ("lines", "contract") and case["text"].count("\n") > 1:
        lines = case["text"].splitlines(keepends=True)
        yield from ({**case, "text": "".join([*lines[:k], *lines[k + 1 :]])} for k in range(len(lines)))
    if case["ask"] == "score":
        yield from _scored(case)
    if case["ask"] == "runs" and len(case["mask"]) > _LARGE:
        yield from ({**case, "mask": mask} for mask in _cut(case["mask"]))
    if "clips" in case and case["ask"] != "score":
        for k, clip in enumerate(case["clips"][:_LARGE]):
            for smaller_clip in _shorter_clips(clip):
                yield {**case, "clips": [*case["clips"][:k], smaller_clip, *case["clips"][k + 1 :]]}
    if "trace" in case:
        yield from _shorter_streams(case)


def _tidied(case: Case) -> Case:
    return tidy(case) if "clauses" in case else case


def _halved(tree: Tree) -> Iterator[Tree]:
    """The formula with one of its large bounds halved."""
    if not isinstance(tree, list):
        return
    for k, part in enumerate(tree[1:], start=1):
        if type(part) is int and abs(part) > _LARGE:
            changed = [*tree[:k], int(part / 2), *tree[k + 1 :]]
            if tree[0] not in ("F", "G") or changed[1] <= changed[2]:
                yield changed
        else:
            yield from ([*tree[:k], other, *tree[k + 1 :]] for other in _halved(part))


def _cut(mask: str) -> Iterator[str]:
    """The mask without a half, quarter or eighth of it."""
    for parts in (2, 4, 8):
        size = len(mask) // parts
        yield from (mask[: k * size] + mask[(k + 1) * size :] for k in range(parts))


def _shorter_clips(clip: Mapping[str, Any]) -> Iterator[Case]:
    frames = int(clip["frames"])
    if frames <= _LARGE:
        return
    for parts in (2, 4, 8):
        size = frames // parts
        for k in range(parts):
            cut = slice(k * size, (k + 1) * size)
            masks = {name: mask[: cut.start] + mask[cut.stop :] for name, mask in clip["masks"].items()}
            ignored = clip.get("ignored")
            more = {} if ignored is None else {"ignored": ignored[: cut.start] + ignored[cut.stop :]}
            yield {"frames": frames - size, "masks": masks, **more}


def _shorter_streams(case: Mapping[str, Any]) -> Iterator[Case]:
    """A long stream with a part of its trace cut out; its chunks become equal ones, its interruptions stay in reach."""
    for trace in _shorter_clips(case["trace"]):
        frames = trace["frames"]
        chunks: dict[str, Any] = {}
        if "chunks" in case:
            size = max(1, min(max(case["chunks"]), frames))
            chunks["chunks"] = [size] * (frames // size) + ([frames % size] if frames % size else [])
        arrivals = len(chunks["chunks"]) if chunks else frames
        late = {"interrupt": sorted(min(k, arrivals) for k in case["interrupt"])} if "interrupt" in case else {}
        again = {"reopen": min(case["reopen"], arrivals)} if "reopen" in case else {}
        yield {**case, "trace": trace, **chunks, **late, **again}
    if "reopen" in case:
        yield {key: value for key, value in case.items() if key != "reopen"}


def _scored(case: Mapping[str, Any]) -> Iterator[Case]:
    """A scored family with a clip, an event or a statement less."""
    clips = case["clips"]
    yield from ({**case, "clips": rest} for rest in _without_one(clips) if rest)
    lines = case["contract"].splitlines(keepends=True)
    yield from ({**case, "contract": "".join([*lines[:k], *lines[k + 1 :]])} for k in range(2, len(lines)))
    for k, clip in enumerate(clips):
        for side in ("ref", "pred", "ignore"):
            for rest in _without_one(clip.get(side, [])):
                yield {**case, "clips": [*clips[:k], {**clip, side: rest}, *clips[k + 1 :]]}


def _masks(mask: str) -> Iterator[str]:
    """The mask with a frame less, or with one active frame less."""
    if len(mask) > 1:
        yield from (mask[:i] + mask[i + 1 :] for i in range(len(mask)))
    yield from (f"{mask[:i]}0{mask[i + 1 :]}" for i in range(len(mask)) if mask[i] == "1")


def _durations(duration: str) -> Iterator[str]:
    """Half the duration, and a hundredth less, where it is in hundredths."""
    whole, _, part = duration.partition(".")
    if whole == "0" and len(part) == 2 and part.isdecimal() and int(part) > 1:
        yield f"0.{int(part) // 2:02d}"
        yield f"0.{int(part) - 1:02d}"


def _streams(case: Mapping[str, Any]) -> Iterator[Case]:
    """The stream without its interruption, in fewer chunks, or with a smaller trace."""
    if "interrupt" in case:
        yield {key: value for key, value in case.items() if key != "interrupt"}
        if len(case["interrupt"]) > 1:
            yield from ({**case, "interrupt": [k]} for k in sorted(set(case["interrupt"])))
    chunks = case.get("chunks", ())
    for k in range(1, len(chunks)):
        yield {**case, "chunks": [*chunks[: k - 1], chunks[k - 1] + chunks[k], *chunks[k + 1 :]]}
    for lost, clip in _clips(case["trace"]):
        last = int(clip["frames"])
        cut = {"chunks": _without_frame_of(chunks, lost)} if chunks else {}
        late = {"interrupt": [min(k, last) for k in case["interrupt"]]} if "interrupt" in case else {}
        yield {**case, "trace": clip, **cut, **late}


def _without_frame_of(chunks: Sequence[int], lost: int | None) -> list[int]:
    """The sizes of chunks after a frame is taken out."""
    sizes, start = [], 0
    for size in chunks:
        sizes.append(size - (lost is not None and start <= lost < start + size))
        start += size
    return [size for size in sizes if size]


def tidy(case: Case) -> Case:
    """The case without the masks that no formula names."""
    trees = [case[key] for key in ("formula", "obligation") if key in case]
    trees += [clause[key] for clause in case.get("clauses", ()) for key in ("formula", "obligation")]
    named = frozenset().union(*(atoms(formula_of(tree)) for tree in trees))

    def kept(clip: Mapping[str, Any]) -> Case:
        return {**clip, "masks": {name: mask for name, mask in clip["masks"].items() if name in named}}

    if "clips" in case:
        return {**case, "clips": [kept(clip) for clip in case["clips"]]}
    return {**case, "trace": kept(case["trace"])}


def _simpler(key: str, tree: Tree) -> Iterator[Tree]:
    """Formulas one step simpler; an obligation may be `true` at once."""
    if key == "obligation" and tree is not True:
        yield True
    yield from _trees(tree)


def _trees(tree: Tree) -> Iterator[Tree]:
    """Formulas one step simpler: a part in place of the whole, a bound nearer to zero, a constant."""
    if isinstance(tree, str | bool):
        return
    operator, *rest = tree
    if operator == "not" and isinstance(rest[0], list) and rest[0][0] == "not":
        yield rest[0][1]
    parts = [k for k, part in enumerate(rest) if isinstance(part, bool) or not isinstance(part, int)]
    yield from (rest[k] for k in parts)
    for k, item in enumerate(rest):
        if k in parts:
            yield from ([operator, *rest[:k], part, *rest[k + 1 :]] for part in _trees(item))
            if isinstance(item, str) and len(parts) > 1:
                yield [operator, *rest[:k], True, *rest[k + 1 :]]
        elif item:
            nearer = item - 1 if item > 0 else item + 1
            changed = [operator, *rest[:k], nearer, *rest[k + 1 :]]
            if operator not in ("F", "G") or changed[1] <= changed[2]:
                yield changed
    if operator in ("F", "G") and rest[0] == rest[1] and rest[0]:
        nearer = rest[0] - 1 if rest[0] > 0 else rest[0] + 1
        yield [operator, nearer, nearer, rest[2]]


def _clips(clip: Mapping[str, Any]) -> Iterator[tuple[int | None, Case]]:
    """The clip with a frame less, which is told, without ignored frames, or with one active frame less."""
    frames = int(clip["frames"])
    if "ignored" in clip:
        yield None, {key: value for key, value in clip.items() if key != "ignored"}
    masks = {**clip["masks"], **({"ignored": clip["ignored"]} if "ignored" in clip else {})}
    if frames > 1:
        for i in range(frames):
            yield i, _clip(frames - 1, {name: mask[:i] + mask[i + 1 :] for name, mask in masks.items()}, clip)
    for name, mask in masks.items():
        for i in range(frames):
            if mask[i] == "1":
                yield None, _clip(frames, {**masks, name: f"{mask[:i]}0{mask[i + 1 :]}"}, clip)


def _clip(frames: int, masks: dict[str, str], clip: Mapping[str, Any]) -> Case:
    ignored = {"ignored": masks["ignored"]} if "ignored" in clip else {}
    return {"frames": frames, "masks": {name: masks[name] for name in clip["masks"]}, **ignored}


def _without_one(items: Sequence[Any]) -> Iterator[list[Any]]:
    return ([*items[:k], *items[k + 1 :]] for k in range(len(items)))


def _fewer_frames(case: Mapping[str, Any]) -> Iterator[Case]:
    """The runs of both sides with one frame taken out of time."""
    last = max((end for side in ("ref", "pred") for _, end in case[side]), default=0)
    for frame in range(last):
        yield {**case, **{side: _without_frame(case[side], frame) for side in ("ref", "pred")}}


def _without_frame(runs: Sequence[Sequence[int]], frame: int) -> list[list[int]]:
    found: list[list[int]] = []
    for run in runs:
        start, end = (at - (at > frame) for at in run)
        if found and start <= found[-1][1]:
            found[-1][1] = end
        elif start < end:
            found.append([start, end])
    return found


def _shorter(runs: Sequence[Sequence[int]]) -> Iterator[list[list[int]]]:
    """The runs with one of them a frame shorter."""
    for k, (start, end) in enumerate(runs):
        before, after = [list(run) for run in runs[:k]], [list(run) for run in runs[k + 1 :]]
        if end - start > 1:
            yield [*before, [start, end - 1], *after]
            yield [*before, [start + 1, end], *after]
