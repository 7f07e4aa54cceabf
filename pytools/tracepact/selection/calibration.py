"""Calibration sets: trace pairs with ranks on one grid, edits, and the family of candidates (chapter 14)."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeVar

from tracepact.data.events import Event
from tracepact.data.family import Grid
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, Source, TextPlace, did_you_mean
from tracepact.language.compilation import parse_formula
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS, Matcher, MatcherKind, Projection
from tracepact.language.formula import FrameRun, atoms, union_runs
from tracepact.selection.toml_tables import Fields, Places, is_number, read_toml
from tracepact.wording import ms, print_number

# What a family of candidates is declared by: atoms, windows, operators, predicates, matchers, bounds (rule 14.6).

SHAPES = ("near", "ahead", "back")
MODALITIES = ("F", "G", "U", "S")
CONNECTIVES = ("and", "or")
EACH = ("ref", "pred", "matched")
ATTRIBUTES = ("matched", "covering", "coverage", "iou", "onset", "offset", "duration", "gap", "purity")
MOST = 200_000
DEEPEST = 4


@dataclass(frozen=True, slots=True)
class CandidateFamily:
    """A declared family; times in seconds, obligations as formula text, the order of every list counts.

    `source` is the text that declares it, if it has one of its own.
    """

    atoms: tuple[str, ...] = BUILTIN_ATOMS
    obligations: tuple[str, ...] = (*BUILTIN_ATOMS, "!ref_active")
    tolerances: tuple[Fraction, ...] = (Fraction(1, 50), Fraction(1, 25), Fraction(2, 25), Fraction(3, 25))
    shapes: tuple[str, ...] = SHAPES
    operators: tuple[str, ...] = ("F", "G")
    depth: int = 1
    from_depth: int = 0
    each: tuple[str, ...] = EACH
    attributes: tuple[str, ...] = ATTRIBUTES
    shares: tuple[Fraction, ...] = (Fraction(1, 10), Fraction(1, 4), Fraction(1, 2))
    counts: tuple[int, ...] = (1,)
    joined: bool = True
    listed_only: bool = False
    """Whether the numbers of selected clauses stay those that are listed here (14.21)."""
    matchers: tuple[Matcher, ...] = (Matcher(),)
    most: int = MOST
    source: Source | None = field(default=None, compare=False, repr=False)


NO_FAMILY = CandidateFamily(atoms=(), obligations=(), operators=(), each=(), joined=False)
"""Nothing is generated: only what an author writes."""


# Reads the declaration of a family of candidates (rule 14.6).

T = TypeVar("T")


def read_family(source: Source, step: Fraction, declared: tuple[str, ...] = ()) -> CandidateFamily:
    """A family from a text of its own: the table `family`, or its keys alone; `declared` atoms may be part of it."""
    diagnostics = Diagnostics()
    data = read_toml(source, diagnostics)
    if data is None:
        raise InvalidInput(diagnostics)
    inside = isinstance(data.get("family"), dict)
    path = ("family",) if inside else ()
    fields = Fields(data["family"] if inside else data, path, Places.of(source), diagnostics, step, "family")
    family = family_of(fields, declared)
    diagnostics.raise_errors()
    return replace(family, source=source)


def family_of(fields: Fields, declared: tuple[str, ...] = ()) -> CandidateFamily:
    """The family a table declares; what it does not say is as in the default family.

    Atoms are the built-in ones and those that cases declare by their masks.
    """
    known = (*BUILTIN_ATOMS, *CLASS_ATOMS, *declared)
    base, step = CandidateFamily(), fields.step or Fraction(1, 50)

    def time(item: Any, index: int) -> Fraction:
        return fields.as_time(item, "tolerances", index, positive=True)

    def share(item: Any, index: int) -> Fraction | None:
        if is_number(item) and 0 <= item <= 1:
            return Fraction(item)
        fields.report("wrong-form", f"`{item}` is not a share from 0 to 1", "shares", index)
        return None

    def count(item: Any, index: int) -> int | None:
        if isinstance(item, int) and not isinstance(item, bool) and item >= 0:
            return item
        fields.report("wrong-form", f"`{item}` is not a whole number", "counts", index)
        return None

    def obligation(item: Any, index: int) -> str | None:
        try:
            formula = parse_formula(str(item), step)
        except InvalidInput as error:
            headline = f"the obligation `{item}` is not a formula: {error.diagnostics[0].headline}"
            fields.report("wrong-form", headline, "obligations", index, help=error.diagnostics[0].help)
            return None
        if strange := sorted(atoms(formula) - set(known)):
            headline = f"the obligation `{item}` is not a formula: unknown atom `{strange[0]}`"
            fields.report("wrong-form", headline, "obligations", index, help=did_you_mean(strange[0], known))
            return None
        return str(item)

    family = CandidateFamily(
        atoms=_once(fields.words("atoms", known, base.atoms)),
        obligations=_once(fields.items("obligations", obligation, base.obligations)),
        tolerances=_once(fields.items("tolerances", time, base.tolerances)),
        shapes=_once(fields.words("shapes", SHAPES, base.shapes)),
        operators=_once(fields.words("operators", (*MODALITIES, *CONNECTIVES), base.operators)),
        depth=fields.whole("depth", base.depth, most=DEEPEST),
        from_depth=fields.whole("from_depth", base.from_depth, most=DEEPEST),
        each=_once(fields.words("each", EACH, base.each)),
        attributes=_once(fields.words("attributes", ATTRIBUTES, base.attributes)),
        shares=_once(fields.items("shares", share, base.shares)),
        counts=_once(fields.items("counts", count, base.counts)),
        joined=fields.truth("joined", base.joined),
        listed_only=fields.truth("listed_only", base.listed_only),
        matchers=_once(fields.items("matchers", lambda item, index: _matcher(fields, item, index), base.matchers)),
        most=fields.whole("most", base.most, least=1),
    )
    fields.close()
    return family


def _once(values: tuple[T, ...]) -> tuple[T, ...]:
    """The lists of a family are sets with an order: what is listed twice is there once (rule 14.7)."""
    return tuple(dict.fromkeys(values))


def _matcher(fields: Fields, item: Any, index: int) -> Matcher | None:
    if not isinstance(item, dict):
        fields.report("wrong-form", "a matcher is a table", "matchers", index, help='write `{kind = "greedy"}`')
        return None
    inner, base = fields.inner(item, "matchers", index, what="matcher"), Matcher()
    kind = MatcherKind(inner.choice("kind", [k.value for k in MatcherKind], base.kind.value))
    search = inner.time("search", base.search, positive=False)
    reward = inner.number("overlap_reward", base.overlap_reward)
    inner.close()
    return Matcher(kind, search, reward)


# Predictions made from a reference by one edit (rules 14.4 and 14.5).


class NotApplicable(Exception):  # noqa: N818  (it is what the edit is)
    """An edit that does not apply, and why, in words; `key` is the argument to blame."""

    def __init__(self, why: str, key: str = "edit") -> None:
        self.key = key
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit by its kind and arguments; `events` are numbers from one, None for all."""

    kind: str
    by: Fraction = Fraction(0)
    factor: Fraction = Fraction(1)
    pieces: int = 1
    gap: Fraction = Fraction(0)
    at: Fraction = Fraction(0)
    length: Fraction = Fraction(0)
    events: tuple[int, ...] | None = None

    def words(self) -> str:
        """The edit in words."""
        of = "every event" if self.events is None else f"event {', '.join(map(str, self.events))}"
        name = self.kind.replace("_", " ")
        match self.kind:
            case "extra":
                return f"extra event at {ms(self.at)} for {ms(self.length)}"
            case "split":
                return f"{of} split into {self.pieces} pieces {ms(self.gap)} apart"
            case "length":
                return f"{of} {print_number(self.factor)} times as long"
            case "missing":
                return f"{of} missing"
            case "none":
                return "a perfect prediction"
        return f"{name} by {ms(self.by)} of {of}"


ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "late_onset": ("by",),
    "early_onset": ("by",),
    "late_release": ("by",),
    "early_release": ("by",),
    "missing": (),
    "bleed": ("by",),
    "length": ("factor",),
    "split": ("pieces", "gap"),
    "extra": ("at", "for"),
    "none": (),
}
"""The arguments that each kind of edit needs."""


def apply(edit: Edit, events: Sequence[Event], duration: Fraction) -> tuple[Event, ...]:
    """The events after the edit; raises NotApplicable."""
    if edit.kind == "none":
        return tuple(events)
    if edit.kind == "extra":
        added = Event(edit.at, edit.at + edit.length, _label(events))
        return _checked([*((i, event) for i, event in enumerate(events)), (len(events), added)], duration)
    chosen = _chosen(edit, events)
    change = _CHANGES[edit.kind]
    pairs = [(i, new) for i, event in enumerate(events) for new in (change(event, edit) if i in chosen else (event,))]
    return _checked(pairs, duration)


def _label(events: Sequence[Event]) -> str:
    return events[0].label if events else "event"


def _chosen(edit: Edit, events: Sequence[Event]) -> set[int]:
    if not events:
        raise NotApplicable("the reference has no event", "edit")
    if edit.events is None:
        return set(range(len(events)))
    for number in edit.events:
        if not 1 <= number <= len(events):
            raise NotApplicable(f"there is no event {number}: the reference has {len(events)}", "event")
    return {number - 1 for number in edit.events}


def _moved(event: Event, onset: Fraction, offset: Fraction) -> tuple[Event, ...]:
    if offset <= onset:
        raise NotApplicable(f"nothing would be left of the event at {ms(event.onset)}", "by")
    return (replace(event, onset=onset, offset=offset),)


def _scaled(event: Event, edit: Edit) -> tuple[Event, ...]:
    # around the middle, so that length alone is wrong and not the place
    middle, half = (event.onset + event.offset) / 2, (event.offset - event.onset) * edit.factor / 2
    return _moved(event, middle - half, middle + half)


def _split(event: Event, edit: Edit) -> tuple[Event, ...]:
    piece = (event.offset - event.onset - (edit.pieces - 1) * edit.gap) / edit.pieces
    if piece <= 0:
        raise NotApplicable(
            f"the event at {ms(event.onset)} is too short for {edit.pieces} pieces {ms(edit.gap)} apart", "gap"
        )
    starts = [event.onset + k * (piece + edit.gap) for k in range(edit.pieces)]
    return tuple(replace(event, onset=start, offset=start + piece) for start in starts)


_CHANGES: Mapping[str, Callable[[Event, Edit], tuple[Event, ...]]] = {
    "late_onset": lambda event, edit: _moved(event, event.onset + edit.by, event.offset),
    "early_onset": lambda event, edit: _moved(event, event.onset - edit.by, event.offset),
    "late_release": lambda event, edit: _moved(event, event.onset, event.offset + edit.by),
    "early_release": lambda event, edit: _moved(event, event.onset, event.offset - edit.by),
    "missing": lambda event, edit: (),
    "bleed": lambda event, edit: _moved(event, event.onset - edit.by, event.offset + edit.by),
    "length": _scaled,
    "split": _split,
}


def _checked(pairs: Sequence[tuple[int, Event]], duration: Fraction) -> tuple[Event, ...]:
    """The events in order; each comes with the event it was made of, and only pieces of one may touch."""
    # touching events become one on the grid, which would be another fault than the edit says
    ordered = sorted(pairs, key=lambda item: (item[1].onset, item[1].offset))
    for _, event in ordered:
        if event.onset < 0 or event.offset > duration:
            raise NotApplicable(
                f"the event would go from {ms(event.onset)} to {ms(event.offset)}, outside the clip of {ms(duration)}"
            )
    for (origin, event), (after, later) in pairwise(ordered):
        if origin != after and later.onset <= event.offset and later.label == event.label:
            raise NotApplicable(f"the event up to {ms(event.offset)} would touch the one from {ms(later.onset)} on")
    return tuple(event for _, event in ordered)


# A calibration set: trace pairs with names, risks in words and ranks, on one grid (chapter 14).

Masks = tuple[tuple[str, tuple[tuple[Fraction, Fraction], ...]], ...]
"""By declared atom the times where it holds in a clip (14.33)."""


def declared_atoms(masks: Iterable[Masks]) -> tuple[str, ...]:
    """The atoms that some masks are of, each once, in order."""
    return tuple(dict.fromkeys(name for some in masks for name, _ in some))


@dataclass(frozen=True, slots=True)
class CaseReference:
    """Named events of one clip, and where declared atoms hold in it."""

    name: str
    duration: Fraction
    events: tuple[Event, ...]
    masks: Masks = ()


@dataclass(frozen=True, slots=True)
class CalibrationCase:
    """A prediction against a reference, how bad it is, and why; `how` says how the prediction was given.

    Only cases of one `group` are compared: a disturbed copy of a set is a group of its own (14.22).
    """

    name: str
    risk: str
    rank: Fraction
    fault: str
    how: str
    duration: Fraction
    ref: tuple[Event, ...]
    pred: tuple[Event, ...]
    place: TextPlace | None = field(default=None, compare=False, repr=False)
    edit: Edit | None = field(default=None, compare=False, repr=False)
    group: str = ""
    masks: Masks = ()
    below: tuple[str, ...] = ()
    """The cases that this one, which has no rank of its own, is to be lower than (14.37, 14.38)."""

    @property
    def perfect(self) -> bool:
        """Whether the prediction is the reference: a case without a fault."""
        return self.ref == self.pred

    def rounded(self, step: Fraction) -> bool:
        """Whether some time is not a multiple of the step, so that the grid moves it."""
        return any((time / step).denominator != 1 for e in (*self.ref, *self.pred) for time in (e.onset, e.offset))


@dataclass(frozen=True, slots=True)
class OwnReferences:
    """References of the user's that are used, the clips that change no case, and how many clips have events (14.22)."""

    used: tuple[CaseReference, ...]
    same: tuple[str, ...]
    clips: int


CAST = ("silent", "always on", "merged", "sparse", "metronome", "comb", "shifted")
"""The useless systems, by name."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Cases on one grid, the references they came from, and the family of candidates declared beside them."""

    name: str
    title: str | None
    step: Fraction
    projection: Projection
    merge_gap: Fraction
    cases: tuple[CalibrationCase, ...]
    references: tuple[CaseReference, ...]
    family: CandidateFamily
    source: Source = field(compare=False, repr=False)
    digest: str = field(default="", compare=False)
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    cast: tuple[str, ...] = CAST
    """The useless systems that are played (14.37)."""
    own: OwnReferences | None = None
    """References of the user's, on each of which a disturbed copy of the cases is made (14.22)."""

    @property
    def atoms(self) -> tuple[str, ...]:
        """The declared atoms that references and cases have masks of, in order."""
        return declared_atoms([*(r.masks for r in self.references), *(case.masks for case in self.cases)])


def frames_of(events: Iterable[Event], grid: Grid) -> set[tuple[str, int, int]]:
    """The frame runs of some events on a grid, by label."""
    by_label: dict[str, list[FrameRun]] = {}
    for event in events:
        by_label.setdefault(event.label, []).append(grid.project(event.onset, event.offset))
    return {(label, *run) for label, runs in by_label.items() for run in union_runs(runs)}


# The intervals of a calibration set: events of both sides, masks of declared atoms (14.2, 14.3, 14.33).

LABEL = "event"
"""The label of an interval that has none."""
_ATOM_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_events(fields: Fields, key: str, duration: Fraction, labels: tuple[str, ...] = (LABEL,)) -> tuple[Event, ...]:
    """Intervals in order, apart from each other and inside the clip (rule 14.2).

    One without a label has that of `labels` if there is just one (rule 14.3).
    """

    def event(item: Any, index: int) -> Event | None:
        if not isinstance(item, list) or len(item) not in (2, 3) or not isinstance(item[-1], str | int | Fraction):
            fields.report("wrong-form", "an event is `[onset, offset]`, perhaps with a label", key, index)
            return None
        onset, offset = (fields.as_time(time, key, index, k) for k, time in enumerate(item[:2]))
        if len(item) == 2 and len(labels) > 1:
            headline = f"the interval has no label, and the reference has {len(labels)}: {', '.join(labels)}"
            help = f'say which: `["1s", "2s", "{labels[0]}"]`'
            fields.report("unlabelled-interval", headline, key, index, help=help)
            return None
        label = str(item[2]) if len(item) == 3 else labels[0]
        if not label or not label.isprintable():
            fields.report("wrong-form", "a label is a text on one line", key, index, 2)
        row = fields.places.source.position(fields.places.value((*fields.path, key, index)).span.start)[0]
        if not onset < offset <= duration:
            headline = "the event does not end after it starts" if offset <= onset else "it ends after its clip"
            fields.report("bad-time", headline, key, index)
            return None
        return Event(onset, offset, label, row)

    events = fields.items(key, event, ())
    ends: dict[str, Fraction] = {}
    for index, one in enumerate(events):
        if one.onset <= ends.get(one.label, Fraction(-1)):
            fields.report("bad-time", "the event is not after the one before it", key, index)
        ends[one.label] = one.offset
    return events


def warn_mixed(fields: Fields, items: Any) -> None:
    """Intervals without a label beside labelled ones are a class of their own, which is rarely meant."""
    lengths = {len(item) for item in items if isinstance(item, list)} if isinstance(items, list) else set()
    if {2, 3} <= lengths:
        headline = f"some events of the {fields.what} have no label and become class `{LABEL}`"
        fields.report("unlabelled-event", headline, "events", help="label all of them, or none")


def read_masks(fields: Fields, duration: Fraction) -> Masks:
    """Where declared atoms hold: `masks = {quiet = [["0s", "1s"]]}` (rule 14.33)."""
    declared = fields.take("masks")
    if declared is None:
        return ()
    if not isinstance(declared, dict):
        help = 'write `masks = {quiet = [["0s", "1s"]]}`'
        fields.report("wrong-form", "`masks` is a table of atoms", "masks", help=help)
        return ()
    masks = []
    inner = fields.inner(declared, "masks", what=f"masks of the {fields.what}")
    for name in declared:
        if not _ATOM_NAME.fullmatch(name) or name in (*BUILTIN_ATOMS, *CLASS_ATOMS):
            inner.report("wrong-form", f"`{name}` cannot be the name of a declared atom", name)
            continue
        events = read_events(inner, name, duration)
        masks.append((name, tuple((event.onset, event.offset) for event in events)))
    return tuple(masks)
