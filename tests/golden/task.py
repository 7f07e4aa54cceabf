"""A small task by hand, and what the rules of spec/ say of it, by plain loops that share nothing with the package."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import permutations, product
from pathlib import Path

import numpy as np

F = Fraction
STEP = F(7, 30)
"""So that most edges of frames have no decimal, and those of every third frame have one."""
TIMES = {"a, ünï.wav": "4.1", "b.wav": "2.5", "c.wav": "1"}
CLIPS = tuple(TIMES)
CLASSES = ("bell", "hum, low")
CONDITIONS = {"a, ünï.wav": "loud", "b.wav": "soft", "c.wav": "loud"}
CONTRACT = """# An event clause stands before a frame clause: rows have the order of the text.
contract golden "Rows, written down"
step 7/30s
param tol = 1f
param slack = 0.25
merge_gap 250ms
sweep tol = 0f 7f
aggregate macro_classes
matcher greedy(search = 500ms, overlap_reward = 0.5)
clause onset_near on ref_onset : ref_onset -> N[tol] pred_onset
clause one_piece on each ref : matched and covering <= 1
clause heard on pred_onset : F[-2f,0f] ref_onset
clause quiet on !ref_active : (!pred_onset) & G[1f] !pred_active
clause length on each matched : abs(pred.duration - ref.duration) <= slack * ref.duration
clause pure on each pred : purity >= 0.8
profile edges over pooled : onset_near = 2, heard = 1
profile pieces : one_piece = 1, length = 3
"""
CLAUSES = ("onset_near", "one_piece", "heard", "quiet", "length", "pure")
FRAME_CLAUSES = ("onset_near", "heard", "quiet")
PROFILES = {"edges": {"onset_near": 2, "heard": 1}, "pieces": {"one_piece": 1, "length": 3}}
AGGREGATIONS = ("pooled", "macro_clips", "macro_classes", "macro_clips_informative", "macro_classes_informative")

Row = tuple[str, str, str, str]
REF: tuple[Row, ...] = (
    ("a, ünï.wav", "0", "0.9", "bell"),
    ("a, ünï.wav", "2.1", "4.1", "bell"),
    ("a, ünï.wav", "1.0", "1.7", "hum, low"),
    ("b.wav", "0.5", "1.4", "bell"),
    ("b.wav", "1.9", "2.5", "hum, low"),
    ("b.wav", "0.2", "0.4", "hum, low"),
)
LATE: tuple[Row, ...] = (
    ("a, ünï.wav", "0.3", "1.1", "bell"),
    ("a, ünï.wav", "2.2", "2.7", "bell"),
    ("a, ünï.wav", "3.3", "3.9", "bell"),
    ("a, ünï.wav", "0.9", "1.9", "hum, low"),
    ("b.wav", "0.6", "2.4", "bell"),
    ("b.wav", "1.9", "2.6", "hum, low"),
    ("c.wav", "0.8", "1", "bell"),
    ("c.wav", "0", "0.4", "bell"),  # a frame apart from the one before: joined, but not on the grid
)
MIXED: tuple[Row, ...] = (
    ("a, ünï.wav", "0", "1.0", "bell"),
    ("a, ünï.wav", "2.0", "4.0", "bell"),
    ("a, ünï.wav", "0.9", "1.9", "bell"),
    ("b.wav", "0.2", "0.4", "hum, low"),
    ("b.wav", "0.6", "1.4", "bell"),
    ("b.wav", "2.0", "2.5", "hum, low"),
)
SPARSE: tuple[Row, ...] = (
    ("a, ünï.wav", "2.0", "4.1", "bell"),
    ("a, ünï.wav", "1.0", "1.6", "hum, low"),
    ("b.wav", "1.8", "2.5", "hum, low"),
)
ALWAYS: tuple[Row, ...] = tuple((clip, "0", end, label) for clip, end in TIMES.items() for label in CLASSES)
IGNORE: tuple[Row, ...] = (("a, ünï.wav", "0.6", "1.2", "bell"), ("b.wav", "2.2", "3", ""))
SLACK = F(1, 4)
SYSTEMS: dict[str, tuple[Row, ...]] = {"late": LATE, "mixed": MIXED, "sparse": SPARSE, "silent": (), "always": ALWAYS}


def table(rows: Iterable[Sequence[str]], header: str = "filename\tonset\toffset\tevent_label") -> str:
    """A table separated by tabs."""
    return header + "\n" + "".join("\t".join(row) + "\n" for row in rows)


def files(pred: Iterable[Row]) -> dict[str, str]:
    """The files of the task with the predictions of one system."""
    return {
        "golden.contract": CONTRACT,
        "ref.tsv": table(REF),
        "pred.tsv": table(pred),
        "durations.tsv": table(TIMES.items(), "filename\tduration"),
        "ignore.tsv": table(IGNORE),
        "conditions.tsv": table(CONDITIONS.items(), "filename\tcondition"),
    }


SIDES = ("--ref", "ref.tsv", "--durations", "durations.tsv", "--ignore", "ignore.tsv")


def write_task(folder: Path) -> None:
    """The files of the task, with a table of each system."""
    for name, content in files(LATE).items():
        (folder / name).write_text(content, encoding="utf-8")
    for name, rows in SYSTEMS.items():
        (folder / f"{name}.tsv").write_text(table(rows), encoding="utf-8")


FIELD = {
    "a, ünï.wav": ((0, 80), (50, 20), (90, 60), (10, 70)),
    "b.wav": ((55, 30), (56, 90)),
    "c.wav": ((40, 5),),
}
"""Scores of both classes in hundredths, a frame each second; the last one lasts to the end of its clip."""


def write_field(folder: Path) -> None:
    """The scores as files, one for each clip."""
    folder.mkdir()
    for clip, cells in FIELD.items():
        rows = [(str(i), exact_end(clip, i), number(F(a, 100)), number(F(b, 100))) for i, (a, b) in enumerate(cells)]
        name = clip.removesuffix(".wav") + ".tsv"
        (folder / name).write_text(table(rows, "onset\toffset\tbell\thum, low"), encoding="utf-8")


def exact_end(clip: str, i: int) -> str:
    """Where a frame of the field ends."""
    return TIMES[clip] if i + 1 == len(FIELD[clip]) else str(i + 1)


def decoded(thresholds: Sequence[Fraction]) -> tuple[Row, ...]:
    """The events above a threshold for each class (13.9)."""
    rows = []
    for clip, cells in FIELD.items():
        for k, label in enumerate(CLASSES):
            for start, end in runs_of([F(cell[k], 100) > thresholds[k] for cell in cells]):
                rows.append((clip, str(start), exact_end(clip, end - 1), label))
    return tuple(rows)


# Exact text


def exact(value: Fraction | int | None) -> str:
    """A value as it is written: a fraction in lowest terms."""
    return "" if value is None else str(F(value))


def number(value: Fraction) -> str:
    """A time as it is written: its decimal if it has one, else a fraction (17.2)."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return str(value)
    digits = next(n for n in range(99) if (value * 10**n).denominator == 1)
    whole = str(abs(int(value * 10**digits))).rjust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole)


def six(value: Fraction | float) -> str:
    """The decimal of a value, to six places, half to even; 0 or ±1 only if the value is (17.6)."""
    scaled = round(F(value) * 10**6)
    for end in (0, 10**6, -(10**6)):
        if scaled == end and F(value) * 10**6 != end:
            scaled += 1 if F(value) * 10**6 > end else -1
    sign, scaled = ("-" if scaled < 0 else ""), abs(scaled)
    return f"{sign}{scaled // 10**6}.{scaled % 10**6:06d}"


def both(value: Fraction | None) -> dict[str, object]:
    """A value in JSON: exact and as a decimal."""
    return {"value": None, "decimal": None} if value is None else {"value": str(value), "decimal": float(six(value))}


# Scores


@dataclass(frozen=True)
class Count:
    """Satisfied and obligated, and whether a run stands against an event clause that asks nothing (7.4)."""

    held: int = 0
    obliged: int = 0
    against: bool = False

    def __add__(self, other: "Count") -> "Count":
        return Count(self.held + other.held, self.obliged + other.obliged, self.against or other.against)

    @property
    def value(self) -> Fraction:
        if self.obliged:
            return F(self.held, self.obliged)
        return F(0) if self.against else F(1)

    @property
    def vacuous(self) -> bool:
        return not self.obliged and not self.against


@dataclass(frozen=True)
class Total:
    """A score under an aggregation."""

    value: Fraction
    vacuous: bool
    count: Count
    entries: int
    vacuous_entries: int
    counter_entries: int

    @property
    def record(self) -> dict[str, object]:
        return {
            **both(self.value),
            "satisfied": self.count.held,
            "obligated": self.count.obliged,
            "vacuous": self.vacuous,
            "entries": self.entries,
            "vacuous_entries": self.vacuous_entries,
            "counter_entries": self.counter_entries,
        }

    @property
    def share(self) -> Fraction:
        """The vacuous share (16.11)."""
        return F(1) if self.vacuous else F(self.vacuous_entries, self.entries)


def mean(values: Iterable[Fraction]) -> Fraction:
    """A mean."""
    some = list(values)
    return sum(some, F(0)) / len(some)


def total(
    counts: dict[tuple[str, str], Count], aggregation: str, clips: Sequence[str], classes: Sequence[str]
) -> Total:
    """Counts by clip and class under an aggregation (7.5); a clip may be there twice."""
    everything = sum((counts[clip, label] for clip in clips for label in classes), Count())
    if aggregation == "pooled":
        groups = [[everything]]
    elif aggregation.startswith("macro_clips"):
        groups = [[counts[clip, label] for label in classes] for clip in clips]
    else:
        groups = [[sum((counts[clip, label] for clip in clips), Count()) for label in classes]]
    if aggregation.endswith("_informative"):
        groups = [[one for one in group if not one.vacuous] for group in groups]
        groups = [group for group in groups if group]
    entries = [one for group in groups for one in group]
    value = mean(mean(one.value for one in group) for group in groups) if groups else F(1)
    empty = sum(one.vacuous for one in entries)
    against = sum(one.against and not one.obliged for one in entries)
    return Total(value, empty == len(entries), everything, len(entries), empty, against)


# A clip and a class


@dataclass(frozen=True)
class Asked:
    """One obligation and what became of it."""

    start: int
    end: int
    held: bool
    part: str = ""
    distance: str = ""
    unit: str = ""


Span = tuple[int, int]


def runs_of(mask: Sequence[bool]) -> list[Span]:
    """The maximal runs of a mask (5.5)."""
    spans: list[Span] = []
    for i, active in enumerate(mask):
        if active and i and mask[i - 1]:
            spans[-1] = spans[-1][0], i + 1
        elif active:
            spans.append((i, i + 1))
    return spans


def joined(spans: list[Span]) -> list[Span]:
    """Runs with the gaps that merge_gap bridges (5.8)."""
    result: list[Span] = []
    for span in spans:
        if result and (span[0] - result[-1][1]) * STEP <= F("0.25"):
            result[-1] = result[-1][0], span[1]
        else:
            result.append(span)
    return result


def shared(a: Span, b: Span) -> int:
    """The frames that two runs share."""
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


def matched_pairs(refs: list[Span], preds: list[Span]) -> list[tuple[Span, Span]]:
    """The greedy matching (8.1 to 8.3)."""
    candidates = []
    for ref in refs:
        for pred in preds:
            onset, offset = abs(ref[0] - pred[0]) * STEP, abs(ref[1] - pred[1]) * STEP
            if shared(ref, pred) and (onset <= F("0.5") or offset <= F("0.5")):
                candidates.append((onset + offset - F("0.5") * shared(ref, pred) * STEP, ref, pred))
    pairs: list[tuple[Span, Span]] = []
    for _, ref, pred in sorted(candidates):
        if all(ref != a and pred != b for a, b in pairs):
            pairs.append((ref, pred))
    return sorted(pairs)


@dataclass(frozen=True)
class Cell:
    """One clip and class on the grid."""

    ref: list[bool]
    pred: list[bool]
    ignored: list[bool]
    tol: int = 1
    slack: Fraction = SLACK

    @property
    def frames(self) -> int:
        return len(self.ref)

    @cached_property
    def ref_runs(self) -> list[Span]:
        return joined(runs_of(self.ref))

    @cached_property
    def pred_runs(self) -> list[Span]:
        return joined(runs_of(self.pred))

    @cached_property
    def pairs(self) -> list[tuple[Span, Span]]:
        return matched_pairs(self.ref_runs, self.pred_runs)

    def counted(self, span: Span) -> bool:
        """Whether a run has a frame that is not ignored."""
        return not all(self.ignored[span[0] : span[1]])

    @staticmethod
    def onsets(mask: list[bool]) -> list[bool]:
        return [active and (i == 0 or not mask[i - 1]) for i, active in enumerate(mask)]

    @staticmethod
    def offsets(mask: list[bool]) -> list[bool]:
        return [not active and i > 0 and mask[i - 1] for i, active in enumerate(mask)]

    def near(self, obliged: list[bool], wanted: list[bool], low: int, high: int, part: str) -> list[Asked]:
        """A window from low to high in which something is wanted, with distances (10.2)."""
        result = []
        for i in range(self.frames):
            if not obliged[i] or self.ignored[i]:
                continue
            offsets = [j - i for j in range(self.frames) if wanted[j]]
            order = sorted(offsets, key=lambda d: (max(low - d, d - high, 0), abs(d), d))
            held = any(low <= d <= high for d in offsets)
            distance = str(abs(order[0])) if order else "unbounded"
            result.append(Asked(i, i + 1, held, part, distance, "frames"))
        return result

    def clause(self, name: str) -> list[Asked]:
        """The obligations of a clause, in order, and which are kept."""
        return CLAUSE_LOOPS[name](self)

    def onset_near(self) -> list[Asked]:
        return self.near(self.onsets(self.ref), self.onsets(self.pred), -self.tol, self.tol, "N[tol] pred_onset")

    def heard(self) -> list[Asked]:
        return self.near(self.onsets(self.pred), self.onsets(self.ref), -2, 0, "F[-2f,0f] ref_onset")

    def quiet(self) -> list[Asked]:
        onsets, result = self.onsets(self.pred), []
        for i in range(self.frames):
            if self.ref[i] or self.ignored[i]:
                continue
            still = not any(self.pred[i : i + 2])
            part = "(!pred_onset)" if onsets[i] else "G[1f] !pred_active"
            result.append(Asked(i, i + 1, still and not onsets[i], part))
        return result

    def one_piece(self) -> list[Asked]:
        result = []
        for span in filter(self.counted, self.ref_runs):
            covering = sum(1 for pred in self.pred_runs if shared(span, pred))
            if not any(span == ref for ref, _ in self.pairs):
                result.append(Asked(*span, False, "matched"))
            else:
                result.append(Asked(*span, covering <= 1, "covering <= 1", str(covering - 1), "count"))
        return result

    def length(self) -> list[Asked]:
        result = []
        for ref, pred in self.pairs:
            if self.counted(ref):
                duration = (ref[1] - ref[0]) * STEP
                excess = abs((pred[1] - pred[0]) * STEP - duration) - self.slack * duration
                part = "abs(pred.duration - ref.duration) <= slack * ref.duration"
                result.append(Asked(*ref, excess <= 0, part, number(excess), "s"))
        return result

    def pure(self) -> list[Asked]:
        result = []
        for span in filter(self.counted, self.pred_runs):
            covered = sum(shared(span, ref) for ref in self.ref_runs)
            lack = F("0.8") - F(covered, span[1] - span[0])
            result.append(Asked(*span, lack <= 0, "purity >= 0.8", number(lack), "ratio"))
        return result

    def count(self, name: str) -> Count:
        """The counts of a clause."""
        some = self.clause(name)
        runs = [*filter(self.counted, self.ref_runs), *filter(self.counted, self.pred_runs)]
        against = name not in FRAME_CLAUSES and not some and bool(runs)
        return Count(sum(one.held for one in some), len(some), against)


CLAUSE_LOOPS: dict[str, Callable[[Cell], list[Asked]]] = {
    "onset_near": Cell.onset_near,
    "one_piece": Cell.one_piece,
    "heard": Cell.heard,
    "quiet": Cell.quiet,
    "length": Cell.length,
    "pure": Cell.pure,
}


def frames_of(clip: str) -> int:
    """The frames of a clip (5.1)."""
    return -int(-F(TIMES[clip]) // STEP)


def centres(clip: str, rows: Iterable[Row], labels: Sequence[str]) -> list[bool]:
    """The frames of a clip whose centre lies in an event of some labels (5.3)."""
    here = [(F(on), F(off)) for name, on, off, label in rows if name == clip and label in labels]
    times = [(i + F(1, 2)) * STEP for i in range(frames_of(clip))]
    return [any(on <= time < off for on, off in here) for time in times]


@dataclass(frozen=True)
class Card:
    """All of a system: every clip and class."""

    pred: tuple[Row, ...]
    tol: int = 1
    slack: Fraction = SLACK
    union: bool = False
    cells: dict[tuple[str, str], Cell] = field(init=False)

    def __post_init__(self) -> None:
        cells = {}
        for clip in CLIPS:
            for label in self.classes:
                labels = CLASSES if self.union else (label,)
                # In union scoring a region of a class has no class to hold for (5.9).
                regions = ("",) if self.union else ("", label)
                masks = (
                    centres(clip, rows, some) for rows, some in ((REF, labels), (self.pred, labels), (IGNORE, regions))
                )
                cells[clip, label] = Cell(*masks, self.tol, self.slack)
        object.__setattr__(self, "cells", cells)

    @property
    def classes(self) -> tuple[str, ...]:
        return ("*",) if self.union else CLASSES

    @cached_property
    def counts(self) -> dict[str, dict[tuple[str, str], Count]]:
        return {name: {at: cell.count(name) for at, cell in self.cells.items()} for name in CLAUSES}

    def score(
        self, clause: str, aggregation: str, clips: Sequence[str] = CLIPS, classes: Sequence[str] | None = None
    ) -> Total:
        return total(self.counts[clause], aggregation, clips, classes or self.classes)

    def logic(self, aggregation: str, clips: Sequence[str] = CLIPS) -> Fraction:
        return mean(self.score(name, aggregation, clips).value for name in CLAUSES)

    def profile(self, weights: dict[str, int], aggregation: str, clips: Sequence[str] = CLIPS) -> Fraction:
        parts = [weight * self.score(name, aggregation, clips).value for name, weight in weights.items()]
        return sum(parts, F(0)) / sum(weights.values())

    def with_tol(self, tol: int) -> "Card":
        return replace(self, tol=tol)

    def violations(self) -> Iterator[tuple[str, str, str, Asked]]:
        """Every violated obligation in the order of 10.6."""
        for clause in CLAUSES:
            for label in self.classes:
                for clip in CLIPS:
                    for one in self.cells[clip, label].clause(clause):
                        if not one.held:
                            yield clip, label, clause, one

    def matches(self) -> Iterator[tuple[str, str, Span, Span]]:
        """The pairs in the order of 8.5."""
        for label in self.classes:
            for clip in CLIPS:
                for ref, pred in self.cells[clip, label].pairs:
                    yield clip, label, ref, pred


# Standard metrics


@dataclass(frozen=True)
class Tally:
    """Counts of a metric by class, and its errors over all of them."""

    tp: dict[str, int]
    fp: dict[str, int]
    fn: dict[str, int]
    tn: dict[str, int] | None = None
    substitutions: int | None = None
    deletions: int = 0
    insertions: int = 0


def ratio(above: int, below: int) -> Fraction | None:
    """A quotient, undefined over nothing (15.2)."""
    return F(above, below) if below else None


def rates(tp: int, fp: int, fn: int) -> dict[str, Fraction | None]:
    return {"precision": ratio(tp, tp + fp), "recall": ratio(tp, tp + fn), "f1": ratio(2 * tp, 2 * tp + fp + fn)}


def defined_mean(values: Iterable[Fraction | None]) -> Fraction | None:
    some = [value for value in values if value is not None]
    return mean(some) if some else None


def tally_cells(times: Iterable[dict[str, tuple[bool, bool]]], with_tn: bool = False, errors: bool = True) -> Tally:
    """Cells (15.4, 15.7): for each time, by class, whether the reference and the prediction are active."""
    counts = {kind: dict.fromkeys(CLASSES, 0) for kind in ("tp", "fp", "fn", "tn")}
    substitutions = deletions = insertions = 0
    for time in times:
        both_sides = sum(ref and pred for ref, pred in time.values())
        refs, preds = (sum(sides[k] for sides in time.values()) for k in (0, 1))
        substitutions += min(refs, preds) - both_sides
        deletions += max(0, refs - preds)
        insertions += max(0, preds - refs)
        for label, (ref, pred) in time.items():
            counts["tp" if ref and pred else "fp" if pred else "fn" if ref else "tn"][label] += 1
    tally = Tally(counts["tp"], counts["fp"], counts["fn"], counts["tn"] if with_tn else None)
    return replace(tally, substitutions=substitutions, deletions=deletions, insertions=insertions) if errors else tally


def frame_tally(card: Card, clips: Sequence[str] = CLIPS) -> Tally:
    """Frame metric (15.4)."""
    return tally_cells(
        {label: (cell.ref[i], cell.pred[i]) for label in CLASSES if not (cell := card.cells[clip, label]).ignored[i]}
        for clip in clips
        for i in range(frames_of(clip))
    )


def transition_tally(card: Card, clips: Sequence[str] = CLIPS) -> Tally:
    """Transition metric (15.6) at the radius of 200 ms, which is one frame."""
    times = []
    for clip in clips:
        for i in range(frames_of(clip)):
            time = {}
            for label in CLASSES:
                cell = card.cells[clip, label]
                edges = [a or b for a, b in zip(cell.onsets(cell.ref), cell.offsets(cell.ref), strict=True)]
                if any(edges[max(0, i - 1) : i + 2]) and not cell.ignored[i]:
                    time[label] = cell.ref[i], cell.pred[i]
            times.append(time)
    return tally_cells(times, errors=False)


def boundary_tally(card: Card, clips: Sequence[str] = CLIPS) -> Tally:
    """Boundary metric (15.12, 15.13)."""
    counts = [dict.fromkeys(CLASSES, 0) for _ in range(3)]
    for clip, label in product(clips, CLASSES):
        cell = card.cells[clip, label]
        pairs = cell.pairs
        counts[0][label] += sum(cell.counted(ref) for ref, _ in pairs)
        counts[1][label] += sum(cell.counted(p) for p in cell.pred_runs if all(p != q for _, q in pairs))
        counts[2][label] += sum(cell.counted(r) for r in cell.ref_runs if all(r != q for q, _ in pairs))
    return Tally(*counts)


Event = tuple[Fraction, Fraction]


def events_of(rows: Iterable[Row], clip: str, label: str) -> list[Event]:
    """Events as they are written, without those wholly in a region for their class (15.13)."""
    regions = [(F(on), F(off)) for name, on, off, some in IGNORE if name == clip and some in ("", label)]
    here = [(F(on), F(off)) for name, on, off, some in rows if (name, some) == (clip, label)]
    return sorted(e for e in here if not any(on <= e[0] and e[1] <= off for on, off in regions))


def segment_tally(card: Card, clips: Sequence[str] = CLIPS) -> Tally:
    """Segment metric (15.5) in segments of a second, up to the last offset of either side (15.19)."""
    times = []
    for clip in clips:
        sides = {label: (events_of(REF, clip, label), events_of(card.pred, clip, label)) for label in CLASSES}
        last = max((e[1] for both_sides in sides.values() for side in both_sides for e in side), default=F(0))
        for k in range(-int(-last // 1)):
            times.append(
                {
                    label: tuple(any(on < k + 1 and off > k for on, off in side) for side in both_sides)
                    for label, both_sides in sides.items()
                }
            )
    return tally_cells(times, with_tn=True)  # type: ignore[arg-type]  # two of them each


def fits(ref: Event, pred: Event) -> bool:
    """The conditions of 15.8 with the usual policy: 200 ms, and the greater of 200 ms and a fifth of the reference."""
    collar = max(F("0.2"), (ref[1] - ref[0]) / 5)
    return abs(ref[0] - pred[0]) <= F("0.2") and abs(ref[1] - pred[1]) <= collar


def best_pairs(refs: list[Event], preds: list[Event]) -> list[tuple[Event, Event]]:
    """The most pairs, then the least sums of differences (15.9), of all there are."""
    best: tuple[tuple[Fraction | int, ...], list[tuple[Event, Event]]] = ((0, F(0), F(0)), [])
    padded = [*preds, *[None] * len(refs)]
    for order in permutations(padded, len(refs)):
        pairs = [(ref, pred) for ref, pred in zip(refs, order, strict=True) if pred is not None and fits(ref, pred)]
        onsets = sum((abs(a[0] - b[0]) for a, b in pairs), F(0))
        offsets = sum((abs(a[1] - b[1]) for a, b in pairs), F(0))
        best = min(best, ((-len(pairs), onsets, offsets), pairs), key=lambda one: one[0])
    return best[1]


def event_pairs(card: Card, clip: str, label: str) -> list[tuple[Event, Event]]:
    return best_pairs(events_of(REF, clip, label), events_of(card.pred, clip, label))


def event_tally(card: Card, clips: Sequence[str] = CLIPS) -> Tally:
    """Event metric (15.8 to 15.10)."""
    tp, fp, fn = (dict.fromkeys(CLASSES, 0) for _ in range(3))
    substitutions = 0
    for clip in clips:
        missed, extra = [], []
        for label in CLASSES:
            here = event_pairs(card, clip, label)
            refs, preds = events_of(REF, clip, label), events_of(card.pred, clip, label)
            tp[label] += len(here)
            fp[label] += len(preds) - len(here)
            fn[label] += len(refs) - len(here)
            missed += [ref for ref in refs if all(ref != a for a, _ in here)]
            extra += [pred for pred in preds if all(pred != b for _, b in here)]
        substitutions += len(best_pairs(missed, extra))
    errors = substitutions, sum(fn.values()) - substitutions, sum(fp.values()) - substitutions
    return Tally(tp, fp, fn, None, *errors)


COUNTED = {
    "frame": frame_tally,
    "segment": segment_tally,
    "event": event_tally,
    "boundary": boundary_tally,
    "transition": transition_tally,
}
INPUTS = {"frame": "trace", "segment": "intervals", "event": "intervals", "boundary": "trace", "transition": "trace"}
UNITS = {"frame": "frames", "segment": "segments", "event": "events", "boundary": "runs", "transition": "frames"}
POLICIES = {
    "frame": "frames of 7/30 s, centre",
    "segment": "1 s segments, active where an event shares more than a point; times as written",
    "event": "onset ≤ 200 ms, offset ≤ max(200 ms, 20 % of the reference); largest matching; times as written",
    "boundary": "greedy matcher, search 500 ms, reward 1/2; runs joined over 250 ms; frames of 7/30 s, centre",
    "transition": "within 200 ms of a reference's onset or offset frame; frames of 7/30 s, centre",
}
POLICIES |= dict.fromkeys(("onset error", "offset error"), "pairs: " + POLICIES["event"])


def macro_error_rate(tally: Tally) -> Fraction | None:
    return defined_mean(ratio(tally.fp[k] + tally.fn[k], tally.tp[k] + tally.fn[k]) for k in CLASSES)


def error_rate(tally: Tally) -> Fraction | None:
    assert tally.substitutions is not None
    references = sum(tally.tp.values()) + sum(tally.fn.values())
    return ratio(tally.substitutions + tally.deletions + tally.insertions, references)


def time_errors(card: Card, end: int, clips: Sequence[str] = CLIPS) -> dict[str, list[Fraction]]:
    """|onset difference| (end 0) or |offset difference| (end 1) of the pairs, by class (15.11)."""
    errors: dict[str, list[Fraction]] = {label: [] for label in CLASSES}
    for clip, label in product(clips, CLASSES):
        errors[label] += [abs(ref[end] - pred[end]) for ref, pred in event_pairs(card, clip, label)]
    return errors


def specificities(tally: Tally, label: str | None = None) -> list[Fraction | None]:
    """Specificity, balanced accuracy and accuracy of a class, or of all (15.19)."""
    assert tally.tn is not None
    sides = (tally.tp, tally.fp, tally.fn, tally.tn)
    tp, fp, fn, tn = (sum(some.values()) if label is None else some[label] for some in sides)
    specificity, recall = ratio(tn, tn + fp), ratio(tp, tp + fn)
    balanced = None if specificity is None or recall is None else (specificity + recall) / 2
    return [specificity, balanced, ratio(tp + tn, tp + fp + fn + tn)]


def tally_values(metric: str, tally: Tally) -> dict[str, Fraction | None]:
    """Every value of a metric that is counted, by its name as a column."""
    sums = (sum(some.values()) for some in (tally.tp, tally.fp, tally.fn))
    values = rates(*sums)
    by_class = [rates(tally.tp[k], tally.fp[k], tally.fn[k]) for k in CLASSES]
    values |= {f"macro_{rate}": defined_mean(one[rate] for one in by_class) for rate in ("precision", "recall", "f1")}
    if tally.tn is not None:
        names = ("specificity", "balanced_accuracy", "accuracy")
        values |= dict(zip(names, specificities(tally), strict=True))
        each = [specificities(tally, label) for label in CLASSES]
        values |= {f"macro_{rate}": defined_mean(one[i] for one in each) for i, rate in enumerate(names)}
    if tally.substitutions is not None:
        values |= {"error_rate": error_rate(tally), "macro_error_rate": macro_error_rate(tally)}
    return {f"{metric}_{rate}": value for rate, value in values.items()}


def metric_values(card: Card, clips: Sequence[str] = CLIPS) -> dict[str, Fraction | None]:
    """Every value of the standard metrics, in the order in which they are listed."""
    values: dict[str, Fraction | None] = {}
    for metric in COUNTED:
        values |= tally_values(metric, sum_of(card_tally(card, metric, clip) for clip in clips))
    for end, metric in enumerate(("onset_error", "offset_error")):
        errors = time_errors(card, end, clips)
        values[metric] = defined_mean(error for some in errors.values() for error in some)
        values[f"{metric}_macro_mean"] = defined_mean(mean(some) if some else None for some in errors.values())
    return values


TALLIES: dict[tuple[tuple[Row, ...], str, str], Tally] = {}


def card_tally(card: Card, metric: str, clip: str) -> Tally:
    """The counts of a metric on one clip, counted once."""
    key = card.pred, metric, clip
    if key not in TALLIES:
        TALLIES[key] = COUNTED[metric](card, (clip,))
    return TALLIES[key]


def sum_of(tallies: Iterable[Tally]) -> Tally:
    """Counts of clips, added."""
    some = list(tallies)

    def added(kind: str) -> dict[str, int]:
        return {label: sum(getattr(one, kind)[label] for one in some) for label in CLASSES}

    errors = {
        kind: sum(getattr(one, kind) or 0 for one in some) for kind in ("substitutions", "deletions", "insertions")
    }
    counted = some[0].substitutions is not None
    tally = Tally(added("tp"), added("fp"), added("fn"), added("tn") if some[0].tn is not None else None)
    return replace(tally, **errors) if counted else tally


# The bootstrap (16.7)


def drawn_clips(draws: int, seed: int = 0) -> list[tuple[str, ...]]:
    """The clips of every draw, from a seeded generator: the same for everyone."""
    chosen = np.random.default_rng(seed).integers(0, len(CLIPS), size=(draws, len(CLIPS)))
    return [tuple(CLIPS[i] for i in row) for row in chosen.tolist()]


def interval(values: Iterable[Fraction]) -> tuple[Fraction, Fraction]:
    """The drawn values that leave as many draws outside on either side."""
    ordered = sorted(values)
    outside = min(int(len(ordered) * F(1, 40)), (len(ordered) - 1) // 2)
    return ordered[outside], ordered[-1 - outside]


def two_sided(differences: Sequence[Fraction]) -> Fraction:
    """The p of drawn differences."""
    below, above = sum(d <= 0 for d in differences), sum(d >= 0 for d in differences)
    return min(F(1), F(2 * (1 + min(below, above)), 1 + len(differences)))


def holm(values: Sequence[Fraction]) -> list[Fraction]:
    """Holm's correction (16.8)."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    corrected, greatest = [F(0)] * len(values), F(0)
    for j, i in enumerate(order):
        greatest = max(greatest, (len(values) - j) * values[i])
        corrected[i] = min(F(1), greatest)
    return corrected
