"""Makes spec/conformance/boundaries.json: cases at the boundaries of sizes, their answers by the naive definitions.

    python pytools/boundary_vectors.py

The cases are the first that the guided experiments draw, the large ones where runs keep them short, and those placed
at a boundary below. The answers are those of the oracle's definitions, which no engine of the package uses;
`tests/conform/test_long_definitions.py` ties the ones for long traces to the naive loops of chapter 6.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from tracepact.conform.boundary_traces import Case
from tracepact.conform.differential import GUIDED, case_of, guided, profile_of
from tracepact.conform.oracle import ConformanceProfile, Vector, out_in_runs
from tracepact.conform.reduction import tidy
from tracepact.declarations import spec_path

_DRAWN = 90
_SEED = 17
_LONGEST = 900
"""Characters of a vector's data: what does not get short in runs is not kept."""

_READ = (
    "texts",
    "contract texts",
    "limits of texts",
    "parentheses and faults",
    "large scores",
    "names of classes and clips",
    "settings together",
    "marks and counts",
    "huge bounds",
    "long and many parts",
    "quantities of contracts",
    "many violations",
    "windows and clips",
    "gaps",
    "many classes, far edges",
)
"""What rests on the reader of texts: there is one, so its answers are no evidence; those vectors are made by hand."""

_DEEPEST = 5
"""Levels of a formula that was drawn: deeper ones are hard to read, and are asked at random."""

_KEPT = 16
_MORE = {
    "long traces, ahead": 40,
    "long traces": 30,
    "large chunks": 26,
    "long streams": 26,
    "lines": 8,
    "measures": 10,
    "attributes of pairs": 12,
    "attributes of covers": 12,
}


def vectors() -> list[dict[str, Any]]:
    """Every vector of the file."""
    some = [
        d for profile in ConformanceProfile for name in GUIDED[profile] if name not in _READ for d in _of(profile, name)
    ]
    some += [_data(_vector(case, name), name, size) for name, size, case in _placed()]
    return some + list(_closed())


# Cases whose answer turns at a boundary

_REACHES = (16, 32, 64, 256, 1 << 10, 1 << 12, 1 << 15, 1 << 16)


def _placed() -> Iterator[tuple[str, int, Case]]:
    """What the case is of, its size, and the case."""
    for reach in _REACHES:
        alone, others = "0" * (reach + 1) + "1" + "0", "1" * (reach + 3)
        clip: Case = {"frames": reach + 3, "masks": {"p": others, "q": alone}}
        yield "until-reaches", reach, _verdicts(["U", reach, "p", "q"], clip)
        yield "window-reaches", reach, _verdicts(["F", 0, reach, "q"], {**clip, "masks": {"q": alone}})
        clip = {"frames": reach + 3, "masks": {"p": others, "q": alone[::-1]}}
        yield "since-reaches", reach, _verdicts(["S", reach, "p", "q"], clip)
        yield "window-reaches-back", reach, _verdicts(["F", -reach, 0, "q"], {**clip, "masks": {"q": alone[::-1]}})
    for size in (9, 17, 65, 257):
        yield "atoms", size, _many_atoms(size)
        yield "clips", size, _verdicts(["not", "p"], *_single_frames(size))
    for size in (9, 17, 65):
        yield "counted-clips", size, _clause(*_single_frames(size))
    for size in (1 << 8, 1 << 16):
        yield "counted-frames", size, _clause({"frames": size + 5, "masks": {"p": "1" * (size + 4) + "0"}})
    for size in (1 << 10, 1 << 16):
        event = ["0", str(size + 1)]
        step: Case = {"step": "1", "duration": str(size + 9), "projection": "centre"}
        yield "event-of-frames", size, {"ask": "project", **step, "events": [event]}
    for size in (1 << 6, 1 << 8, 1 << 10, 1 << 16):
        gaps = f"1{'0' * size}1{'0' * (size + 1)}1"
        yield "gap-joined", size, {"ask": "runs", "mask": gaps, "step": "1", "merge_gap": str(size)}
    yield from _placed_matches()
    yield from _placed_events()
    yield from _placed_lines()
    yield from _placed_streams()
    yield from _placed_states()


def _verdicts(formula: Any, *clips: Case) -> Case:
    return {"ask": "verdicts", "formula": formula, "clips": list(clips)}


def _clause(*clips: Case) -> Case:
    return {"ask": "clause", "obligation": True, "formula": "p", "clips": list(clips)}


def _single_frames(size: int) -> list[Case]:
    """Clips of one frame, of which the last alone is unlike the others."""
    return [{"frames": 1, "masks": {"p": "0" if k < size - 1 else "1"}} for k in range(size)]


def _many_atoms(size: int) -> Case:
    """Whether an even number of atoms is false: it changes with any one of them. They differ in the last."""
    parts: list[Any] = [f"p{k}" for k in range(size)]
    masks = {name: f"01{k % 2}{int(k == size - 1)}" for k, name in enumerate(parts)}
    while len(parts) > 1:
        joined = [["iff", *parts[k : k + 2]] for k in range(0, len(parts) - 1, 2)]
        parts = joined + parts[2 * len(joined) :]
    return _verdicts(parts[0], {"frames": 4, "masks": masks})


def _placed_matches() -> Iterator[tuple[str, int, Case]]:
    """Runs that all are their own partners, and blocks in which greedy takes one pair and optimal two."""
    for size in (13, 65):
        runs = [[3 * k, 3 * k + 1] for k in range(size)]
        yield "equal-runs", size, _match("greedy", runs, runs)
    for size in (3, 9, 33):
        at = [20 * k for k in range(size)]
        ref = [[a + start, a + end] for a in at for start, end in ((0, 4), (6, 16))]
        pred = [[a + start, a + end] for a in at for start, end in ((3, 13), (14, 18))]
        yield "bridged-runs-greedy", 2 * size, _match("greedy", ref, pred)
        yield "bridged-runs-optimal", 2 * size, _match("optimal", ref, pred)


def _placed_events() -> Iterator[tuple[str, int, Case]]:
    """Other classes of which the last or the first alone decides, and ignored runs that touch one another."""
    clip: Case = {"ask": "events", "step": "1", "frames": 20}
    for size in (9, 65, 257):
        own: Case = {"each": "pred", "predicate": "dominant", "ref": [[0, 2]], "pred": [[0, 10]]}
        yield "last-of-others", size, {**clip, **own, "others": [*([] for _ in range(size - 1)), [[0, 5]]]}
    for size in (2, 6):
        pieces = [[6 * k // size, 6 * (k + 1) // size] for k in range(size)]
        ignored = {"ref": [[0, 6], [9, 12]], "pred": [], "ignored": [*pieces, [10, 12]]}
        yield "ignored-in-pieces", size, {**clip, "each": "ref", "predicate": "matched", **ignored}


_FORMS = {
    "ref": '{{"ref": {}}}',
    "pred": '{{"ref": 1, "pred": {}}}',
    "ignore": '{{"ref": 0, "ignore": {}}}',
    "masks": '{{"masks": {{"a": {}}}}}',
}
_NO_VALUES = ('{"raw": "1"}', "{}", "[[1]]", '"1"', "null", "1.0", "-0", "2", "[]", "[1, 0]", '["1"]', "[null]")


def _placed_lines() -> Iterator[tuple[str, int, Case]]:
    """Frames of many channels, and lines with something else in the place of a value."""
    for size in (33, 65, 257):
        values = [k % 2 for k in range(size)]
        some: list[Any] = [{"ref": values, "pred": values[::-1]}, {"ref": values[:-1], "pred": values}]
        yield "channels", size, {"ask": "lines", "channels": size, "text": "\n".join(map(json.dumps, some))}
    for name, form in _FORMS.items():
        text = "\n".join(form.format(value) for value in ("1", *_NO_VALUES, "[0]"))
        yield f"no-values-of-{name}", len(_NO_VALUES), {"ask": "lines", "text": text}


def _match(kind: str, ref: list[list[int]], pred: list[list[int]]) -> Case:
    matcher = {"kind": kind, "search": "3", "overlap_reward": "0"}
    return {"ask": "match", "step": "1", "ref": ref, "pred": pred, "matcher": matcher}


def _placed_streams() -> Iterator[tuple[str, int, Case]]:
    """Streams of many clauses, with a long past and a long delay, and whose counts are asked."""
    for size in (9, 17, 65):
        yield (
            "clauses",
            size,
            _stream({"frames": 2, "masks": {"p": "10"}}, *(["p", ["not", "p"]][k % 2] for k in range(size))),
        )
    for size in (1 << 7, 1 << 8):
        trace: Case = {"frames": size + 3, "masks": {"p": "01" + "0" * (size + 1)}}
        yield "long-past", size, _stream(trace, ["F", -size, 0, "p"])
        yield "long-delay", size, _stream(trace, ["G", 0, size, ["not", "p"]])
    for size in (1 << 10, 1 << 13):
        trace = {"frames": size + 3, "masks": {"p": "01" + "0" * (size + 1)}}
        cut = {"chunks": [1, 7, size - 6, 1]}
        yield "long-past-in-chunks", size, {**_stream(trace, ["F", -size, 0, "p"]), **cut}
        yield "long-delay-in-chunks", size, {**_stream(trace, ["G", 0, size, ["not", "p"]]), **cut}
    for size in (8, 16, 64, 1 << 12, (1 << 16) - 1, 1 << 16, (1 << 16) + 1):
        trace = {"frames": size + 3, "masks": {"p": "1" * size + "010"}}
        yield "chunk", size, {**_stream(trace, "p"), "chunks": [1, size, 1, 1]}
    yield from _placed_witnesses()
    trace = {"frames": 130, "masks": {"p": "1" * 128 + "01"}}
    yield "counts", 128, {**_stream(trace, "p"), "interrupt": [64]}
    trace = {"frames": (1 << 16) + 2, "masks": {"p": "1" * (1 << 16) + "01"}}
    yield "counts-in-chunks", 1 << 16, {**_stream(trace, "p"), "chunks": [5, (1 << 16) - 4, 1], "interrupt": [1]}


def _placed_witnesses() -> Iterator[tuple[str, int, Case]]:
    """One witness half way through a stream, for operators that reach as far as it goes on; restored on the way."""
    for size in (33, 65, 100, 129, 1000, 5000):
        frames = 2 * size + 3
        masks = {"p": "1" * frames, "q": "0" * (size + 1) + "1" + "0" * (size + 1)}
        until, since = (_stream({"frames": frames, "masks": masks}, *some) for some in _reaching(size))
        cut: Case = {}
        if size >= 1000:
            cut = {"chunks": [size // 2, size // 2, 3, size // 2, size - size // 2]}
        late = {"interrupt": [2, 4] if cut else [size // 2, size + 2, 2 * size]}
        yield "far-ahead", size, {**until, **cut, **late}
        yield "far-back", size, {**since, **cut, **late}


def _reaching(size: int) -> tuple[list[Any], list[Any]]:
    """Clauses that look so far ahead, and so far back."""
    until: list[Any] = [["U", size, "p", "q"], ["F", 0, size, "q"], ["G", 0, size, ["not", "q"]]]
    since: list[Any] = [["S", size, "p", "q"], ["F", -size, 0, "q"], ["G", -size, 0, ["not", "q"]]]
    weak = (["G", 0, size, "p"], ["G", -size, 0, "p"])
    return [*until, ["or", until[0], weak[0]]], [*since, ["and", since[0], weak[1]]]


def _placed_states() -> Iterator[tuple[str, int, Case]]:
    """Streams whose state is full or old, restored on the way, some twice in a row."""
    for reach in (100, 1200, 10_050):
        trace: Case = {"frames": reach + 40, "masks": {"p": "0" * (reach + 40), "q": "1" * (reach + 40)}}
        yield "dense-witnesses", reach, {**_stream(trace, ["U", reach, "p", "q"]), "interrupt": [reach // 2]}
    for reach, runs in ((40, 60), (1000, 1000)):
        frames = 2 * runs + reach // 2
        trace = {"frames": frames, "masks": {"p": "0" * frames, "q": "10" * runs + "1" * (reach // 2)}}
        cut = {"chunks": [reach, runs, frames - reach - runs], "interrupt": [2, 2]}
        yield "alternating-witnesses", reach, {**_stream(trace, ["U", reach, "p", "q"]), **cut}
    for reach in (20_000,):
        trace = {"frames": 3 * reach, "masks": {"p": "0" * (3 * reach), "q": "1" * (3 * reach)}}
        cut = {"chunks": [reach, reach + 1, reach - 1]}
        yield "dense-witnesses-in-chunks", reach, {**_stream(trace, ["U", reach, "p", "q"]), **cut}
    for age in (101, 1001, 10_001):
        trace = {"frames": age + 2, "masks": {"p": "1" * (age + 2), "q": "1" + "0" * (age + 1)}}
        late: Any = ["F", 0, age - 20, "p"]
        formulas: list[Any] = [["S", 2 * age, "p", "q"], ["F", -age, 0, "q"]]
        clauses = [{"obligation": late, "formula": formula} for formula in formulas]
        yield "old-witness", age, {"ask": "stream", "clauses": clauses, "trace": trace, "interrupt": [age, age]}
    for age in (15_000, 66_000, 100_001):
        trace = {"frames": age + 1, "masks": {"p": "1" * (age + 1), "q": "1" + "0" * age}}
        cut = {"chunks": [age // 2, age - age // 2, 1], "interrupt": [1, 2, 2]}
        yield "old-witness-in-chunks", age, {**_stream(trace, ["S", age + age // 3, "p", "q"]), **cut}
        yield "old-window-in-chunks", age, {**_stream(trace, ["F", -age, 0, "q"]), **cut}
    for size in (40, 120, 300):
        frames = size + 31
        trace = {"frames": frames, "masks": {"p": "0" * size + "1" * 31, "q": "0" * (frames - 1) + "1"}}
        until = _stream(trace, ["U", size, "p", "q"], ["G", 0, size, "p"])
        yield "dense-failures", size, {**until, "interrupt": [frames - 1]}
    trace = {"frames": 3, "masks": {"p": "111", "q": "100"}}
    for times in (2, 3):
        again = {"interrupt": [2] * times}
        yield "interrupted-in-a-row", times, {**_stream(trace, ["S", 5, "p", "q"], ["U", 2, "p", "q"]), **again}


def _stream(trace: Case, *formulas: Any) -> Case:
    return {"ask": "stream", "clauses": [{"obligation": True, "formula": f} for f in formulas], "trace": trace}


# Cases whose answer is a closed form


def _closed() -> Iterator[dict[str, Any]]:
    """Vectors that rest on a text, or whose whole answer is long: the parts that tell, by a closed form."""
    for digits in ("99999999999999999999", "12345678901234567890123456789", str((1 << 53) + 1), str((1 << 63) + 1)):
        yield from _bounds(digits)
    yield from _many_pairs(300)
    yield from _many_classes(257)
    for frames in (1001, 1500, 20_000):
        yield _far_edges("far-edges", frames, frames)
    for frames, scale in ((121, 120), (139, 115)):
        yield _far_edges("soft-beside-a-tie", frames, scale)


def _closed_form(name: str, size: int, case: Case, expected: Case, rules: str, why: str) -> dict[str, Any]:
    vector = replace(_vector(case, name), expected=expected, rules=tuple(rules.split()))
    return {**_data(vector, name, size), "derivation": why}


def _bounds(digits: str) -> Iterator[dict[str, Any]]:
    """A bound in frames is the number as it is written."""
    bound = int(digits)
    forms = {
        "F[{}f] p": ["F", 0, bound, "p"],
        "N[{}f] p": ["F", -bound, bound, "p"],
        "p U[{}s] q": ["U", bound, "p", "q"],
    }
    for number, (form, tree) in enumerate(forms.items()):
        case: Case = {"ask": "formula", "text": form.format(digits), "step": "1"}
        why = "at a step of 1 s a bound in frames or seconds is the number that is written, however many digits it has"
        name = f"huge-bound-{number}"
        yield _closed_form(name, len(digits) * 1000 + bound % 1000, case, {"formula": tree}, "1.4 2.5", why)


def _many_pairs(size: int) -> Iterator[dict[str, Any]]:
    """Each reference has two predictions, of which the second costs 4 s and the first 7 s."""
    ref = [[20 * k, 20 * k + 10] for k in range(size)]
    pred = [run for start, _ in ref for run in ([start, start + 3], [start + 4, start + 10])]
    case = _match("optimal", ref, pred)
    case["matcher"]["search"] = "10"
    expected: Case = {"pairs": [[k, 2 * k + 1] for k in range(size)]}
    why = "of the two predictions of each reference the first costs 7 and the second 4, so it takes the second"
    yield _closed_form("many-components", size, case, expected, "8.4", why)


def _many_classes(size: int) -> Iterator[dict[str, Any]]:
    """All classes are active in the one frame, all but one of them on the side of the predictions."""
    text = "contract c\nstep 1s\nclause r on true : other_ref_active\nclause p on true : other_pred_active\n"
    events = [["0", "1", f"c{k}"] for k in range(size)]
    clip: Case = {"name": "a", "duration": "1", "ref": events, "pred": events[:-1]}
    expected: Case = {"vector": {"r": "1", "p": "1"}, "counts": {"r": [size, size], "p": [size, size]}}
    why = "one frame a class, and in it some other class is active on either side, whichever class it is"
    yield _closed_form("classes", size, {"ask": "score", "contract": text, "clips": [clip]}, expected, "5.7", why)


def _far_edges(name: str, frames: int, scale: int) -> dict[str, Any]:
    """One event on each side, so many frames apart."""
    body = "N[10ms] pred_onset"
    text = f"contract c\nstep 1ms\nsoft_scale {scale}ms\nclause k on ref_onset : {body}\n"
    sides = {
        side: [[_milliseconds(at), _milliseconds(at + 100), "x"]] for side, at in (("ref", 500), ("pred", 500 + frames))
    }
    clip: Case = {"name": "a", "duration": _milliseconds(frames + 1000), **sides}
    start = text.index(body)
    where = {"clause": "k", "clip": "a", "class": "x", "frame": 500, "span": [start, start + len(body)]}
    expected: Case = {
        "counts": {"k": [0, 1]},
        "soft": {"value": f"{(-Decimal(frames) / scale).exp():.6f}", "edges": 4},
        "witnesses": [{**where, "distance": frames}],
    }
    apart = f"each of the four edges is {frames} frames from the only one of its kind on the other side"
    why = f"{apart}; exp(-{frames}/{scale}) to 28 digits, rounded"
    return _closed_form(name, frames, {"ask": "score", "contract": text, "clips": [clip]}, expected, "7.9 10.2", why)


def _milliseconds(count: int) -> str:
    return f"{count // 1000}.{count % 1000:03d}"


# What becomes of a case


def _of(profile: ConformanceProfile, name: str) -> Iterator[dict[str, Any]]:
    """The vectors of one experiment."""
    kept = 0
    for number, case in enumerate(guided(profile, name, _DRAWN, _SEED)):
        vector = _vector(tidy(case) if case["ask"] in ("verdicts", "clause") else case, name)
        data = _data(vector, name, number)
        if _depth(vector.input) > _DEEPEST:
            continue
        if len(json.dumps(data, ensure_ascii=False)) <= _LONGEST and kept < _MORE.get(name, _KEPT):
            kept += 1
            yield data


def _vector(case: Case, name: str) -> Vector:
    return case_of(profile_of(case), name, case)


def _data(vector: Vector, name: str, number: int) -> dict[str, Any]:
    """A vector as the file has it: verdicts of a stream as delays and words in runs."""
    data = {**vector.data, **_words(vector, name, number)}
    if vector.input["ask"] == "stream":
        data["expected"] = {**out_in_runs(vector, longest=-1), **_counts(vector, name)}
    return data


def _counts(vector: Vector, name: str) -> dict[str, Any]:
    """The running counts, where they are what the vector is for: a list for every arrival is long."""
    return {"counts": vector.expected["counts"]} if name.startswith("counts") else {}


def _depth(data: Any) -> int:
    """How deep lists stand in one another."""
    if isinstance(data, dict):
        return max(map(_depth, data.values()), default=0)
    return 1 + max(map(_depth, data), default=0) if isinstance(data, list) else 0


def _words(vector: Vector, name: str, number: int) -> dict[str, Any]:
    return {
        "id": f"boundaries/{name.replace(',', '').replace(' ', '-')}-{number}",
        "topic": "boundaries",
        "evidence": "definition",
        "derivation": "the oracle's definitions, which no engine uses, give it",
    }


def text() -> str:
    """The file."""
    head = {"$schema": "../schemas/vector.schema.json", "topic": "boundaries", "words": "sizes that programs get wrong"}
    lines = ",\n".join(f"    {json.dumps(data, ensure_ascii=False)}" for data in vectors())
    start = json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}")
    return f'{start},\n  "vectors": [\n{lines}\n  ]\n}}\n'


def main() -> None:
    """Write the file."""
    Path(spec_path("conformance/boundaries.json")).write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
