"""Random cases on the limits of numbers in frames and streams: where machine words, powers of ten and buffers end.

Each case is made from a few whole numbers that Hypothesis draws from `edges`, so that however large it is, what
shrinks is the numbers. How much is drawn of a family is its `share` of the examples, by what its cases cost.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st

from tracepact.conform.oracle import ConformanceProfile
from tracepact.conform.protocol import FARTHEST, LONGEST, Tree

Case = dict[str, Any]
Cases = st.SearchStrategy[Case]
Draw = Callable[..., Any]


class LimitFamily(NamedTuple):
    """Cases that sit on one kind of limit."""

    cases: Cases
    share: int = 100
    """How many of a hundred examples it is worth; the rest of the time goes to cheaper ones."""
    longest: Cases | None = None
    """What a long run draws in their place."""


def edges(least: int, most: int) -> st.SearchStrategy[int]:
    """Whole numbers at, just below and just above powers of two and of ten, and the two ends."""
    ends = {2**k for k in range(65)} | {10**k for k in range(20)}
    near = {end + apart for end in ends for apart in (-2, -1, 0, 1, 2)} | {least, most, least + 1, most - 1}
    numbers = sorted(number for number in near if least <= number <= most)
    # The greatest ones as often as all the others: what is too small for them is too small for nothing else.
    return st.one_of(st.sampled_from(numbers), st.sampled_from(numbers[-16:]))


# Frames: bounds of 31 bits, clips of a million frames, thousands of clips, lines of megabytes.

_FAR = edges(1, FARTHEST)
_NEAR = st.integers(0, 4)
# What a clause of a stream sees on both sides is at most the frames that a stream keeps (25.2).
_FAR_IN_A_STREAM = edges(1, (1 << 23) - 1)


@st.composite
def _bounds(draw: Draw, *, back: bool, reach: st.SearchStrategy[int] = _FAR) -> Tree:
    """A window or a radius with an end as far away as the protocol allows."""
    far = draw(reach)
    near = min(draw(_NEAR), far)
    ahead = [["F", near, far, "p"], ["G", near, far, "p"], ["U", far, "p", "q"], ["F", far, far, "p"]]
    ahead += [["U", far, ["not", "q"], "p"], ["G", far - 1, far, "q"]]
    behind = [["F", -far, -near, "p"], ["G", -far, near, "p"], ["S", far, "p", "q"], ["F", -far, far, "p"]]
    behind += [["S", far, ["not", "q"], "p"], ["G", -far, far, ["not", "p"]], ["F", -far, 1 - far, "q"]]
    return draw(st.sampled_from(behind if back else ahead))


def _digits(draw: Draw, frames: int) -> str:
    return "".join(draw(st.lists(st.sampled_from("01"), min_size=frames, max_size=frames)))


def _short_clip(draw: Draw) -> Case:
    frames = draw(st.integers(1, 12))
    return {"frames": frames, "masks": {name: _digits(draw, frames) for name in "pq"}}


@st.composite
def _far_windows(draw: Draw, *, back: bool) -> Case:
    tree = [draw(st.sampled_from(["and", "or", "iff"])), draw(_bounds(back=back)), draw(_bounds(back=back))]
    tree = draw(st.sampled_from([tree, tree[1]]))
    named = [name for name in "pq" if f'"{name}"' in json.dumps(tree)]
    clip = _short_clip(draw)
    clip["masks"] = {name: clip["masks"][name] for name in named}
    return {"ask": "verdicts", "formula": tree, "clips": [clip]}


def _marked(draw: Draw, frames: int) -> str:
    """A mask that is even but for a few frames, the last ones and those at multiples of words among them."""
    digits = bytearray(b"1" if draw(st.booleans()) else b"0") * frames
    places = st.one_of(edges(1, frames), st.integers(0, 3).map(lambda k: frames - k), st.integers(1, frames))
    for place in draw(st.lists(places, min_size=1, max_size=6)):
        at = min(max(place - 1, 0), frames - 1)
        digits[at] = 97 - digits[at]  # the other digit
    return digits.decode()


@st.composite
def _long_clips(draw: Draw, least: int, most: int) -> Case:
    frames = draw(edges(least, most))
    far = frames - draw(st.integers(1, 3))
    near: list[Tree] = [["F", 0, 1, "p"], ["not", "p"], ["G", 0, 2, "p"]]
    reaching: list[Tree] = [["F", far, far, "p"], ["U", far, True, "p"], ["G", 1, far, "p"]]
    tree = draw(st.sampled_from(near + reaching))
    return {"ask": "verdicts", "formula": tree, "clips": [{"frames": frames, "masks": {"p": _marked(draw, frames)}}]}


@st.composite
def _counted(draw: Draw, most: int) -> Case:
    frames = draw(edges(1 << 15, most))
    clip = {"frames": frames, "masks": {"p": _marked(draw, frames)}}
    return {
        "ask": "clause",
        "obligation": draw(st.sampled_from([True, "p", ["not", "p"]])),
        "formula": "p",
        "clips": [clip],
    }


@st.composite
def _many_clips(draw: Draw, most: int) -> Case:
    count = draw(edges(1, most))
    masks = draw(st.lists(st.sampled_from(["", "1", "0", "10", "01"]), min_size=1, max_size=5))
    clips = [{"frames": len(m), "masks": {"p": m}} for m in (masks[k % len(masks)] for k in range(count - 1))]
    clips.append({"frames": 2, "masks": {"p": "11"}})
    return {"ask": "verdicts", "formula": ["F", 0, 1, "p"], "clips": clips}


@st.composite
def _equal_clips(draw: Draw) -> Case:
    """Clips of one length that say the contrary: what is kept of one shows in the next."""
    frames = draw(edges(30, 300))
    tree = draw(st.sampled_from([["F", 0, frames, "p"], ["U", frames, "p", "q"], ["F", 0, 1, "p"], ["G", 0, 3, "p"]]))
    named = ["p", "q"] if "U" in tree else ["p"]
    masks = st.sampled_from(["0" * frames, "1" * frames, "0" * (frames - 1) + "1", "1" + "0" * (frames - 1)])
    clips = draw(st.lists(st.fixed_dictionaries(dict.fromkeys(named, masks)), min_size=2, max_size=5))
    return {"ask": "verdicts", "formula": tree, "clips": [{"frames": frames, "masks": clip} for clip in clips]}


@st.composite
def _padded(draw: Draw, most: int) -> Case:
    """A case with keys that nobody knows (P2), by which its line is as long as a buffer or longer."""
    clip = _short_clip(draw)
    padding = draw(st.sampled_from(["x", "é", " ", "\\", '"', "\U0001f600"])) * draw(edges(1, most))
    data: Case = {"ask": "verdicts", "formula": ["F", 0, 1, "p"], "clips": [clip]}
    extra = {"xnote": padding, "": None, "x-data": [{"ask": "hello"}, -1.5e3]}
    return dict(draw(st.permutations([*data.items(), *extra.items()])))


# Streams: delays of 31 bits, witnesses of long ago, many clauses, hundreds of open runs, long lines.


@st.composite
def _far_delays(draw: Draw, *, chunked: bool) -> Case:
    bounds = (_bounds(back=back, reach=_FAR_IN_A_STREAM) for back in (False, True))
    trees = st.one_of(*bounds, st.just("p"), st.just(True))
    clauses = [{"obligation": draw(trees), "formula": draw(trees)} for _ in range(draw(st.integers(1, 3)))]
    clip = _short_clip(draw)
    named = json.dumps(clauses)
    clip["masks"] = {name: mask for name, mask in clip["masks"].items() if f'"{name}"' in named}
    places = sorted(draw(st.lists(st.integers(0, 1 if chunked else clip["frames"]), max_size=3)))
    return {
        "ask": "stream",
        "clauses": clauses,
        "trace": clip,
        "interrupt": places,
        **({"chunks": [clip["frames"]]} if chunked else {}),
    }


@st.composite
def _many_clauses(draw: Draw, *, chunked: bool) -> Case:
    count = draw(edges(2, 300))
    clauses = [{"obligation": True, "formula": "p" if k % 2 else ["F", 0, k % 5, "p"]} for k in range(count)]
    clip = _short_clip(draw)
    trace = {"frames": clip["frames"], "masks": {"p": clip["masks"]["p"]}}
    places = [draw(st.integers(0, 0 if chunked else clip["frames"]))]
    return {
        "ask": "stream",
        "clauses": clauses,
        "trace": trace,
        "interrupt": places,
        **({"chunks": [clip["frames"]]} if chunked else {}),
    }


@st.composite
def _old_witnesses(draw: Draw, most: int) -> Case:
    """A witness, or the first frame without one, as long ago as 16 bits or a full queue; frames in a few chunks."""
    radius = draw(edges(1000, most))
    frames = radius + draw(st.sampled_from([1, 2, 3, radius]))
    first = "1" + "0" * (frames - 1)
    late = "0" * (frames - 1) + "1"
    full = "1" * frames
    trees: list[Tree] = [["S", radius, True, "p"], ["S", radius + 1, "q", "p"], ["F", -radius, 0, "p"]]
    trees += [["U", radius, "q", "p"], ["F", -1, 0, ["F", 0, radius, "p"]], ["G", -1, 0, ["F", 0, radius, "p"]], "p"]
    tree = draw(st.sampled_from(trees))
    masks = {"p": draw(st.sampled_from([first, late, full])), "q": draw(st.sampled_from([full, late]))}
    cut = draw(st.sampled_from([1, frames // 2, frames - 1]))
    named = json.dumps(tree)
    return {
        "ask": "stream",
        "clauses": [{"obligation": True, "formula": tree}],
        "trace": {"frames": frames, "masks": {n: m for n, m in masks.items() if f'"{n}"' in named}},
        "chunks": [cut, frames - cut],
        "interrupt": draw(st.sampled_from([[1], [1, 1], [2], [0]])),
    }


@st.composite
def _open_runs(draw: Draw, most: int) -> Case:
    """Very many runs that wait for one that goes on, or for one far behind them."""
    count = draw(edges(2, most))
    long = "1" * (2 * count) + draw(st.sampled_from(["0", "100", ""]))
    many = ("10" * count).ljust(len(long), "0")
    sides = draw(st.permutations([long, many]))
    reach = {"merge_gap": "0", "search": draw(st.sampled_from(["0", "1", str(2 * count), str(count)]))}
    return {"ask": "components", "step": "1", **reach, "ref": sides[0], "pred": sides[1]}


@st.composite
def _far_measures(draw: Draw) -> Case:
    tree: Tree = "p"
    for _ in range(draw(st.integers(1, 6))):
        far = draw(_FAR)
        near = min(draw(_NEAR), far)
        shapes: list[Tree] = [["F", near, far, tree], ["G", -far, near, tree], ["U", far, tree, "q"]]
        tree = draw(st.sampled_from([*shapes, ["S", far, "q", tree], ["F", -far, far, tree], ["U", far, "q", tree]]))
    return {"ask": "measure", "formula": tree}


_FRAME_LINES = (
    '{"ref": 1, "pred": 0}',
    *(
        "1 0",
        '{"end": "a"}',
        '{"end": []}',
        '{"ref": 1, "ref": 1}',
        '{"masks": {"a": 1, "a": 1}}',
        '{"masks": {"a": 1}}',
    ),
    *(
        '{"ref": 1.0}',
        '{"ref": -0}',
        '{"ref": 1e0}',
        '{"ref": true, "end": "a"}',
        '{"ref": [1]}',
        '{"ref": [1, 1]}',
        "{}",
    ),
)


@st.composite
def _long_lines(draw: Draw, most: int) -> Case:
    """Lines filled up to a buffer's end, lists of hundreds of names, tens of thousands of lines, other white space."""
    size = draw(edges(1, most))
    last = draw(st.sampled_from(_FRAME_LINES))
    blank = draw(st.sampled_from([" ", "\t", "\r", "\v", "\f", "\u00a0", "\u2028", "\x85"]))
    names = json.dumps([f"s{k}" for k in range(min(size, 300))])
    shapes = [
        *(f"1 0\n{blank}{last}{blank}\n0 1", f"{' ' * size}{last}\n", f"{last[:1]}{' ' * size}{last[1:]}\n1 1"),
        *(f'{{"end": {names}}}\n1 1\n', f"#{'x' * size}\n{last}", f"0{' ' * size}1\n1 1", f"{blank}\n{blank}#\n{last}"),
        "\n" * size + f"{last}\nx y\n",
        "1 0\n" * min(size, 66_000) + f"{last}\nx y\n",
    ]
    return {"ask": "lines", "text": draw(st.sampled_from(shapes))}


FRAME_FAMILIES: dict[ConformanceProfile, dict[str, LimitFamily]] = {
    ConformanceProfile.CORE: {
        "far windows, ahead": LimitFamily(_far_windows(back=False)),
        "a million frames": LimitFamily(_long_clips(9000, LONGEST), 24),
        "counts of long clips": LimitFamily(_counted(1 << 18), 12, _counted(LONGEST)),
        "thousands of clips": LimitFamily(_many_clips(1 << 13), 16, _many_clips(10**5)),
        "clips of one length": LimitFamily(_equal_clips(), 40),
        "keys of others, long lines": LimitFamily(_padded(9_000_000), 8, _padded(15_000_000)),
    },
    ConformanceProfile.PAST: {"far windows": LimitFamily(_far_windows(back=True))},
    ConformanceProfile.STREAMING: {
        "far delays": LimitFamily(_far_delays(chunked=False), 60),
        "many clauses at once": LimitFamily(_many_clauses(chunked=False), 16),
        "hundreds of open runs": LimitFamily(_open_runs(270), 6, _open_runs(1100)),
        "far measures": LimitFamily(_far_measures(), 60),
        "lines to the end of buffers": LimitFamily(_long_lines(70_000), 100, _long_lines(1 << 20)),
    },
    ConformanceProfile.CHUNKS: {
        "far delays in chunks": LimitFamily(_far_delays(chunked=True), 60),
        "many clauses in chunks": LimitFamily(_many_clauses(chunked=True), 12),
        "witnesses of long ago": LimitFamily(_old_witnesses(70_000), 16, _old_witnesses(LONGEST // 2)),
    },
}
"""What sits on limits of frames, for each profile that has any."""
