"""Every Python engine beside the compiled proof core on random cases: python -m lean_differential (`make drt`).

With --fault the engines are changed as an entry of tests/prove/engine_faults.toml says, before they are loaded; then a
difference is what is hoped for. Prints how many cases of each kind were asked, and the first difference.
"""

import argparse
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

FAULTS = Path(__file__).resolve().parents[1] / "tests" / "prove" / "engine_faults.toml"


class _Faulty(importlib.abc.SourceLoader):
    """Loads a module with some words of its text exchanged."""

    def __init__(self, path: str, old: str, new: str) -> None:
        self._path, self._old, self._new = path, old, new

    def get_filename(self, fullname: str) -> str:
        return self._path

    def get_data(self, path: str) -> bytes:
        text = Path(self._path).read_text("utf-8")
        if text.count(self._old) != 1:
            raise ValueError(f"{self._old!r} occurs {text.count(self._old)} times in {self._path}")
        return text.replace(self._old, self._new).encode()


class _Planter(importlib.abc.MetaPathFinder):
    """Finds one module with a fault in it; all others are found as usual."""

    def __init__(self, module: str, old: str, new: str) -> None:
        self._module, self._change = module, (old, new)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module with the fault, or none."""
        if fullname != self._module:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        assert spec is not None
        assert spec.origin is not None
        return importlib.util.spec_from_loader(fullname, _Faulty(spec.origin, *self._change))


def plant(fault: str) -> None:
    """Have a fault in the module that its entry names; KeyError if there is no such entry."""
    entry = {one["id"]: one for one in tomllib.loads(FAULTS.read_text("utf-8"))["fault"]}[fault]
    sys.meta_path.insert(0, _Planter(f"tracepact.{entry['module']}", entry["old"], entry["new"]))


# The cases: sizes around powers of two as well as small ones, for what fails at one size passes at another.


def _size(rng: Random, most: int) -> int:
    kind = rng.random()
    if kind < 0.5:
        return rng.randint(0, min(9, most))
    if kind < 0.8:
        return rng.randint(0, most if most > 1000 else min(70, most))
    return max(0, min(most, (1 << rng.randint(0, most.bit_length())) + rng.randint(-2, 2)))


def _mask(rng: Random, frames: int, places: Sequence[int] = ()) -> list[bool]:
    if frames <= 64 and rng.random() < 0.3:
        return [rng.random() < 0.5 for _ in range(frames)]
    # Hardly anything active, or inactive: else every wide window sees something, and no fault in its ends shows.
    if rng.random() < 0.5:
        usual = rng.random() < 0.4
        rare = {rng.choice(places) if places else rng.randrange(max(frames, 1)) for _ in range(rng.randint(1, 3))}
        return [(frame in rare) != usual for frame in range(frames)]
    mask: list[bool] = []
    active = rng.random() < 0.5
    longest = rng.choice([2, 5, 40, max(frames // 2, 2)])
    while len(mask) < frames:
        mask += [active] * rng.randint(1, longest)
        active = not active
    return mask[:frames]


class Cases:
    """Random cases, each answered by the core and by the engines of Python; the first difference is kept."""

    def __init__(self, rng: Random, long: int) -> None:
        from tracepact.conform import engines, lean_engine
        from tracepact.diagnostics.collection import InvalidInput
        from tracepact.language import compilation, contract, formula

        self.rng, self.long = rng, long
        self.engines, self.lean, self.f = engines, lean_engine, formula
        self.contract, self.compilation, self.invalid = contract, compilation, InvalidInput
        self.asked: Counter[str] = Counter()
        self.bounds: list[int] = []
        self.windows = (formula.Eventually, formula.Always, formula.Until, formula.Since)

    def formula(self, depth: int, widest: int) -> Any:
        """A formula over three atoms, with windows up to so wide."""
        rng, f = self.rng, self.f
        if depth == 0 or rng.random() < 0.15:
            return f.Atom(rng.choice(("p", "q", "r"))) if rng.random() < 0.95 else f.Constant(rng.random() < 0.5)
        kind = rng.choice((f.Not, f.And, f.Or, f.Implies, f.Iff, f.Eventually, f.Always, f.Until, f.Since))
        if kind is f.Not:
            return f.Not(self.formula(depth - 1, widest))
        if kind in (f.Eventually, f.Always):
            lo = rng.choice((-1, 1)) * _size(rng, widest)
            hi = max(lo, rng.choice((lo + _size(rng, widest), -lo, rng.choice((-1, 1)) * _size(rng, widest))))
            self.bounds += [lo, hi]
            return kind(lo, hi, self.formula(depth - 1, widest))
        parts = self.formula(depth - 1, widest), self.formula(depth - 1, widest)
        if kind not in (f.Until, f.Since):
            return kind(*parts)
        self.bounds.append(radius := _size(rng, widest))
        return kind(radius, *parts)

    def places(self, frames: int) -> list[int]:
        """Frames as far from one another as the windows of the formulas reach, and one less or more."""
        start = self.rng.randrange(max(frames, 1))
        some = [start, 0, frames - 1]
        some += [start + sign * bound + off for bound in self.bounds for sign in (1, -1) for off in (-1, 0, 1)]
        self.bounds = []
        return [place for place in some if 0 <= place < frames]

    def _clip(self, frames: int) -> Any:
        bounds, places = self.bounds, self.places(frames)
        self.bounds = bounds
        masks = {name: _mask(self.rng, frames, places) for name in "pqr"}
        return self.engines.CaseClip(frames, masks, [False] * frames)

    def verdicts(self) -> object:
        """One clip, or several end to end; the naive loops too where they end soon."""
        rng = self.rng
        long = rng.random() < 0.03
        most = rng.choice((self.long, self.long // 10, self.long // 5)) if long else rng.choice((3, 12, 40, 90))
        self.bounds = []
        formula = self.formula(rng.randint(1, 4), most)
        while long and not isinstance(formula, self.windows):
            self.bounds = []
            formula = self.formula(1, most)
        clips = [self._clip(rng.randint(max(most // 2, 1) if long else 0, most)) for _ in range(rng.choice((1, 1, 3)))]
        core, fast = self.lean.LEAN.verdicts(formula, clips), self.engines.FAST.verdicts(formula, clips)
        if core == fast and most <= 12 and self.engines.REFERENCE.verdicts(formula, clips) != core:
            return formula, clips, "reference"
        return None if core == fast else (formula, clips)

    def measure(self) -> object:
        """How far a formula looks."""
        formula = self.formula(4, self.long)
        core, python = self.lean.LEAN.measure(formula), (self.f.lookback(formula), self.f.lookahead(formula))
        return None if core == python else (formula, core, python)

    def stream(self) -> object:
        """The monitor beside the program on masks, in chunks, with a state that is restored."""
        rng = self.rng
        widest = rng.choice((2, 6, 30, 150))
        frames = rng.randint(1, 3 * widest + 5)
        self.bounds = []
        clauses = [(self.formula(1, widest), self.formula(2, widest)) for _ in range(rng.randint(1, 2))]
        names = self.engines.names_of(clauses)
        places = self.places(frames)
        masks = {name: _mask(rng, frames, places) for name in names}
        mine, theirs = self.engines.PackageStream(clauses), self.lean.LeanStream(clauses)
        at = 0
        while at < frames:
            chunk = min(frames - at, rng.choice((1, 1, 2, 5, 33)))
            piece = {name: mask[at : at + chunk] for name, mask in masks.items()}
            if mine.push(chunk, piece) != theirs.push(chunk, piece):
                return clauses, masks, at, chunk
            at += chunk
            if rng.random() < 0.1:
                mine = mine.interrupted()
        same = mine.close() == theirs.close() and mine.counts == theirs.counts
        return None if same else (clauses, masks, "close")

    def runs(self) -> object:
        """Runs, edges, and joining at gaps that are just joined and just not."""
        mask = _mask(self.rng, _size(self.rng, 300))
        step = Fraction(self.rng.randint(1, 9), self.rng.choice((1, 50, 100)))
        gap = step * self.rng.randint(0, 6) + self.rng.choice((0, 0, step / 2))
        both = [
            ([list(map(list, part)) if n == 0 else part for n, part in enumerate(engine.edges(mask))],
             list(map(tuple, engine.join(mask, gap, step))))
            for engine in (self.lean.LEAN, self.engines.FAST)
        ]  # fmt: skip
        return None if both[0] == both[1] else (mask, step, gap)

    def _runs(self, frames: int) -> list[tuple[int, int]]:
        return list(self.f.runs_of_frames(_mask(self.rng, frames)))

    def match(self) -> object:
        """Candidates that tie in cost and onset, searches that just reach."""
        rng, c = self.rng, self.contract
        frames = rng.choice((8, 20, 60))
        step = Fraction(1, rng.choice((1, 50)))
        search = step * rng.randint(0, frames // 2) + rng.choice((0, step / 3))
        reward = Fraction(rng.choice(("0", "1/2", "1", "1/10", "2")))
        sides = self._runs(frames), self._runs(frames)
        matcher = c.Matcher(c.MatcherKind.GREEDY, search, reward)
        core, fast = (e.match(*sides, matcher, step) for e in (self.lean.LEAN, self.engines.FAST))
        return None if core == fast else (sides, matcher, step, core, fast)

    def project(self) -> object:
        """Times on, just before and just behind the ends and middles of frames."""
        rng = self.rng
        step = Fraction(rng.choice(("1/50", "1", "7/100", "1/3")))

        def time() -> Fraction:
            return max(step * Fraction(rng.randint(0, 40), 2) + rng.choice((0, 0, 1, -1)) * step / 7, Fraction(0))

        events = [tuple(sorted((time(), time()))) for _ in range(rng.randint(0, 4))]
        events += [(instant, instant) for instant in [time()] if rng.random() < 0.3]
        case = (step, time(), rng.choice(list(self.contract.Projection)), events)
        core, fast = (engine.project(*case) for engine in (self.lean.LEAN, self.engines.FAST))
        return None if core == fast else (case, core, fast)

    def events(self) -> object:
        """Event clauses on runs that touch, overlap, join and miss each other."""
        rng, frames = self.rng, self.rng.choice((10, 30))
        predicate = rng.choice(PREDICATES).replace("#", str(rng.randint(0, 6)))
        head = (
            f"contract case step 1s merge_gap {rng.randint(0, 2)}s "
            f"matcher greedy(search = {rng.randint(0, 9)}s, overlap_reward = {rng.choice(('0', '1/2', '1'))}) "
        )
        # Not every attribute is there for every kind of obligation.
        for each in rng.sample(("ref", "pred", "matched"), 3):
            text = f"{head} clause clause_ on each {each} : {predicate}"
            with suppress(self.invalid):
                contract = self.compilation.parse_contract(text)
                break
        others = [self._runs(frames) for _ in range(rng.randint(0, 2))]
        scene = self.engines.EventScene(frames, self._runs(frames), self._runs(frames), others, [])
        core, fast = (engine.events(contract, scene) for engine in (self.lean.LEAN, self.engines.FAST))
        return None if core == fast else (text, scene, core, fast)

    def run(self, cases: int) -> object:
        """Ask so many cases; the first difference, or none."""
        kinds: list[Callable[[], object]] = [self.verdicts] * 6 + [self.stream, self.runs, self.match] * 2
        kinds += [self.measure, self.project, self.events, self.events]
        for _ in range(cases):
            kind = self.rng.choice(kinds)
            self.asked[kind.__name__] += 1
            difference = kind()
            if difference is not None:
                return kind.__name__, difference
        return None


PREDICATES = (
    "abs(pred.onset - ref.onset) <= #s",
    "pred.offset - ref.offset < #s",
    "pred.duration >= ref.duration - #s",
    "abs(pred.duration - ref.duration) <= 1/4 * ref.duration",
    "overlap > #s",
    "iou >= 1/2",
    "purity == 1 or iou < 1/3",
    "ref.coverage >= 1/2",
    "pred.coverage != 1",
    "ref.covering <= 1",
    "pred.covering == #",
    "longest_gap <= #s",
    "shortest_gap >= #s",
    "dominant",
    "not dominant or overlap > 1s",
    "matched",
    "max(ref.duration, pred.duration) <= 2 * min(ref.duration, pred.duration) + #s",
)


def main() -> int:
    """Run; 0 without a difference, 1 with one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--long", type=int, default=100_000, help="frames and windows of the longest cases")
    parser.add_argument("--fault")
    options = parser.parse_args()
    if options.fault:
        plant(options.fault)
    cases = Cases(Random(options.seed), options.long)
    difference = cases.run(options.cases)
    print(", ".join(f"{number:,} {kind}" for kind, number in sorted(cases.asked.items())))
    if difference is not None:
        print(f"difference: {str(difference)[:2000]}")
    return int(difference is not None)


if __name__ == "__main__":
    sys.exit(main())
