"""Faulty monitors: the small monitor of examples/07-conformance with one mistake each.

    python tests/conform/mutants.py NAME

speaks the oracle protocol; every one must be caught by `tracepact conform`.
"""

import json
import sys
import time
from math import ceil
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "07-conformance"))
from monitor import Monitor, bits, serve  # type: ignore[import-not-found]  # the folder is added above


class WindowOneShort(Monitor):
    """The last frame of a window is left out."""

    def window(self, i: int, lo: int, hi: int, n: int) -> range:
        return range(max(i + lo, 0), min(i + hi, n - 1) + (hi == lo))


class WindowOneLong(Monitor):
    """A window goes one frame too far."""

    def window(self, i: int, lo: int, hi: int, n: int) -> range:
        return range(max(i + lo, 0), min(i + hi + 1, n - 1) + 1)


class FloatRadius(Monitor):
    """Bounds become frames by way of binary floats."""

    def up(self, seconds: Any, step: Any) -> int:
        return ceil(float(seconds) / float(step))


class NearestRadius(Monitor):
    """Bounds are rounded to the nearest frame instead of outward."""

    def up(self, seconds: Any, step: Any) -> int:
        return round(seconds / step)


class UnclippedAlways(Monitor):
    """`G` is false where its window leaves the trace."""

    def always(self, i: int, lo: int, hi: int, a: list[bool], n: int) -> bool:
        return all(0 <= j < n and a[j] for j in range(i + lo, i + hi + 1))


class EmptyWindowHolds(Monitor):
    """`F` is true of an empty window."""

    def eventually(self, i: int, lo: int, hi: int, a: list[bool], n: int) -> bool:
        window = self.window(i, lo, hi, n)
        return not window or any(a[j] for j in window)


class UntilIncludesWitness(Monitor):
    """The left side of `U` must hold at the witness too."""

    def until(self, i: int, r: int, a: list[bool], b: list[bool], n: int) -> bool:
        return any(b[j] and all(a[i : j + 1]) for j in self.window(i, 0, r, n))


class UntilIsStrict(Monitor):
    """The witness of `U` must lie after now."""

    def until(self, i: int, r: int, a: list[bool], b: list[bool], n: int) -> bool:
        return any(b[j] and all(a[i:j]) for j in self.window(i, 1, r, n))


class UntilIsWeak(Monitor):
    """`U` holds when its left side holds to the end of the trace."""

    def until(self, i: int, r: int, a: list[bool], b: list[bool], n: int) -> bool:
        return bool(super().until(i, r, a, b, n)) or (i + r >= n and all(a[i:n]))


class SinceMirroredWrongly(Monitor):
    """`S` asks its left side from the witness on and not now."""

    def since(self, i: int, r: int, a: list[bool], b: list[bool], n: int) -> bool:
        return any(b[j] and all(a[j:i]) for j in self.window(i, -r, 0, n))


class LeakAcrossClips(Monitor):
    """The clips of a family are one long trace."""

    def verdicts(self, case: dict[str, Any]) -> dict[str, Any]:
        clips = case["clips"]
        masks = {name: "".join(clip["masks"][name] for clip in clips) for name in clips[0]["masks"]}
        whole = self.truth(case["formula"], masks, sum(clip["frames"] for clip in clips))
        found = []
        for clip in clips:
            found.append(bits(whole[: clip["frames"]]))
            whole = whole[clip["frames"] :]
        return {"verdicts": found}


class IgnoredCannotWitness(Monitor):
    """Ignored frames are taken out of the masks."""

    def clause(self, case: dict[str, Any]) -> dict[str, Any]:
        for clip in case["clips"]:
            keep = [digit == "0" for digit in clip.get("ignored", "0" * clip["frames"])]
            clip["masks"] = {
                k: bits(d == "1" and o for d, o in zip(m, keep, strict=True)) for k, m in clip["masks"].items()
            }
        found: dict[str, Any] = super().clause(case)
        return found


class VacuousIsZero(Monitor):
    """A clause without obligations scores 0."""

    def clause(self, case: dict[str, Any]) -> dict[str, Any]:
        found = super().clause(case)
        return {**found, "value": "0" if found["vacuous"] else found["value"]}


class EarlyVerdict(Monitor):
    """A witness that is seen early is announced early."""

    def frame(self, case: dict[str, Any]) -> dict[str, Any]:
        found = super().frame(case)
        early = []
        for k in range(len(self.clauses)):
            while self.next[k] < self.n and self.word(self.next[k], k) == "satisfied":
                early.append([self.next[k], k, "satisfied"])
                self.next[k] += 1
        return {**found, "out": sorted(found["out"] + early)}


class LateVerdict(Monitor):
    """Verdicts are out one frame later than they must be."""

    def delay(self, k: int) -> int:
        return int(super().delay(k)) + 1


class TailForgotten(Monitor):
    """Closing gives no verdicts for the last frames."""

    def close(self, case: dict[str, Any]) -> dict[str, Any]:
        return {**super().out(self.next), "out": []}


class DelayOfFormulaOnly(Monitor):
    """The lookahead of the obligation is forgotten."""

    def delay(self, k: int) -> int:
        return int(self.lookahead(self.clauses[k][1]))


class StateForgotten(Monitor):
    """Saving and restoring loses the past."""

    def interrupt(self, case: dict[str, Any]) -> dict[str, Any]:
        self.masks = {name: "0" * len(mask) for name, mask in self.masks.items()}
        return {}


class ChunkForgetsBefore(Monitor):
    """A chunk is judged as if nothing had come before it."""

    def chunk(self, case: dict[str, Any]) -> dict[str, Any]:
        self.masks = {name: "0" * len(mask) for name, mask in self.masks.items()}
        found: dict[str, Any] = super().chunk(case)
        return found


class ChunkSaysTheLast(Monitor):
    """Of the verdicts that a chunk lets out only those of the last frame are said."""

    def chunk(self, case: dict[str, Any]) -> dict[str, Any]:
        found = super().chunk(case)
        last = max((out[0] for out in found["out"]), default=0)
        return {**found, "out": [out for out in found["out"] if out[0] == last]}


class StrictOnset(Monitor):
    """The first frame of a trace is no onset."""

    def onsets(self, mask: list[bool]) -> str:
        return str(bits(i > 0 and mask[i] and not mask[i - 1] for i in range(len(mask))))


class OffsetAtTheEnd(Monitor):
    """An event that reaches the end has an offset at the last frame."""

    def offsets(self, mask: list[bool]) -> str:
        found = str(super().offsets(mask))
        return found[:-1] + "1" if mask[-1] else found


class GreedyTieOrder(Monitor):
    """Of candidates that cost the same the later reference is taken first."""

    def order(self, candidate: tuple[int, int, Any]) -> tuple[Any, ...]:
        return candidate[2], -candidate[0], candidate[1]


class OptimalIsGreedy(Monitor):
    """The optimal matcher is the greedy one."""

    def optimal(self, found: list[tuple[int, int, Any]]) -> list[tuple[int, int]]:
        pairs: list[tuple[int, int]] = self.greedy(found)
        return pairs


class StrictSearch(Monitor):
    """An endpoint exactly `search` away is not near."""

    def near(self, onset: Any, offset: Any, search: Any) -> bool:
        return bool(onset < search or offset < search)


class StrictMergeGap(Monitor):
    """A gap of exactly the merge gap is not joined."""

    def joins(self, frames: int, step: Any, merge_gap: Any) -> bool:
        return bool(frames * step < merge_gap)


class CentreRounding(Monitor):
    """Events become frames by rounding their ends, ties to even."""

    def frames_of(self, onset: Any, offset: Any, step: Any, n: int, projection: str) -> set[int]:
        if projection == "centre":
            return set(range(round(onset / step), min(round(offset / step), n)))
        found: set[int] = super().frames_of(onset, offset, step, n, projection)
        return found


class TouchByAPoint(Monitor):
    """A frame that shares only a point with an event is touched."""

    def frames_of(self, onset: Any, offset: Any, step: Any, n: int, projection: str) -> set[int]:
        if projection == "touch":
            return {i for i in range(n) if max(onset, i * step) <= min(offset, (i + 1) * step)}
        found: set[int] = super().frames_of(onset, offset, step, n, projection)
        return found


# Faults of the protocol


class Hangs(Monitor):
    """It never answers a formula with `G`."""

    def always(self, i: int, lo: int, hi: int, a: list[bool], n: int) -> bool:
        time.sleep(3600)
        return False


class Crashes(Monitor):
    """It ends when it meets `U`."""

    def until(self, i: int, r: int, a: list[bool], b: list[bool], n: int) -> bool:
        sys.exit("no such operator")


class PrintsRubbish(Monitor):
    """It prints a message for people among its answers."""

    def since(self, i: int, r: int, a: list[bool], b: list[bool], n: int) -> bool:
        print("evaluating since ...", flush=True)
        return bool(super().since(i, r, a, b, n))


class AnswersTwice(Monitor):
    """It answers a formula with `iff` with two lines, the first for another case."""

    def at(self, i: int, operator: str, rest: list[Any], parts: list[Any], n: int) -> bool:
        if operator == "iff" and i == 0:
            print(json.dumps({"id": -1, "answer": {}}), flush=True)
        return bool(super().at(i, operator, rest, parts, n))


def name_of(kind: type) -> str:
    """`WindowOneShort` is `window-one-short`."""
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in kind.__name__).lstrip("-")


MUTANTS = {name_of(kind): kind for kind in Monitor.__subclasses__()}
PROTOCOL_FAULTS = {"hangs": "hangs", "crashes": "crashed", "prints-rubbish": "rubbish", "answers-twice": "out-of-order"}

if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    serve(MUTANTS[sys.argv[1]](), f"mutant {sys.argv[1]}")
