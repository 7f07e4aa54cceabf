"""Score fields and references for the tests of every threshold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from random import Random

from hypothesis import strategies as st

from tracepact.data.assembly import assemble
from tracepact.data.decoding import Decoding, decode
from tracepact.data.events import (
    ClipScores,
    Durations,
    Event,
    EventTable,
    Regions,
    ScoreField,
    frame_edges,
    levels_of_texts,
)
from tracepact.data.family import Mode
from tracepact.diagnostics.collection import Diagnostics
from tracepact.evaluate.scorecard import Scorecard, score_family
from tracepact.language.contract import Contract
from tracepact.thresholds.family import (
    Detections,
    FieldFamily,
    contract_of_field,
    detections_of,
    field_family,
)

Columns = Mapping[str, Sequence[str]]


def field_of(clips: Mapping[str, tuple[Fraction, Columns]]) -> ScoreField:
    """A field from the step of its frames and a column of decimals a class, by clip."""
    classes = tuple(next(iter(clips.values()))[1])
    flat = [text for _, columns in clips.values() for name in classes for text in columns[name]]
    levels, ranks = levels_of_texts(flat)
    found, place = {}, 0
    for clip, (step, columns) in clips.items():
        frames = len(columns[classes[0]])
        own = ranks[place : place + frames * len(classes)].reshape(len(classes), frames).T
        found[clip] = ClipScores(frame_edges(frames, step), own)
        place += frames * len(classes)
    return ScoreField("scores", classes, levels, found)


@dataclass(frozen=True)
class Scene:
    """A reference, a field, the lengths of the clips, and perhaps regions to ignore."""

    reference: EventTable
    field: ScoreField
    durations: Durations
    ignore: Regions | None

    def family(self, contract: Contract, mode: Mode = Mode.CLASS_INDEXED) -> FieldFamily:
        """Both on the contract's grid."""
        return field_family(
            contract,
            self.reference,
            self.field,
            durations=self.durations,
            mode=mode,
            ignore=self.ignore,
            diagnostics=Diagnostics(),
        )

    def thresholds(self) -> list[Fraction]:
        """Every score from 0 to 1, one between each two of them, and both ends."""
        scores = sorted({Fraction(0), Fraction(1), *map(self.field.levels.value, range(len(self.field.levels)))})
        return sorted({*scores, *((a + b) / 2 for a, b in pairwise(scores))})


STEPS = tuple(map(Fraction, ("0.02", "0.04", "0.03", "0.01", "0.064")))


@st.composite
def scenes(draw: st.DrawFn, *, longest: int = 40, beyond: bool = True, ignoring: bool = True) -> Scene:
    """Clips of noise or of slopes, with few or many distinct scores, on a grid of their own."""
    classes = [f"k{k}" for k in range(draw(st.integers(1, 3)))]
    step, digits = draw(st.sampled_from(STEPS)), draw(st.sampled_from([1, 1, 2]))
    random = draw(st.randoms(use_true_random=False))
    clips, events, lengths = {}, {}, {}
    for name in [f"c{c}" for c in range(draw(st.integers(1, 3)))]:
        frames = random.choice([1, 2, 5, longest // 2, longest])
        clips[name] = step, {label: _column(random, frames, digits) for label in classes}
        more = random.choice([Fraction(0), Fraction(0), Fraction(1, 20), -step / 2]) if beyond else Fraction(0)
        lengths[name] = frames * step + more
        events[name] = tuple(_events(random, lengths[name], step, classes))
    ignore = None
    if ignoring and random.random() < 0.3:
        some = [Event(Fraction(random.randint(0, 4), 50), Fraction(random.randint(5, 40), 50), "") for _ in range(2)]
        ignore = EventTable("ignore", {"c0": tuple(some)})
    return Scene(EventTable("ref", events), field_of(clips), Durations("durations", lengths), ignore)


def _column(random: Random, frames: int, digits: int) -> list[str]:
    top = 10**digits
    if random.random() < 0.5:
        whole = [random.randint(0, top) for _ in range(frames)]
    else:
        slope = random.choice([1, 2, 3])
        whole = [abs((k * slope) % (2 * top) - top) for k in range(frames)]
    return [f"{value / top:.{digits}f}" for value in whole]


def _events(random: Random, length: Fraction, step: Fraction, classes: Sequence[str]) -> list[Event]:
    found = []
    for _ in range(random.randint(0, 4)):
        grain = random.choice([step, Fraction(1, 1000)])
        most = int(length / grain)
        onset, offset = sorted(random.randint(0, most) * grain for _ in range(2))
        if onset < offset:
            found.append(Event(onset, offset, random.choice(classes)))
    return found


@dataclass(frozen=True)
class DetectedScene:
    """A reference, detections with confidences, the lengths of the clips, and perhaps regions to ignore."""

    reference: EventTable
    detections: Detections
    durations: Durations
    ignore: Regions | None

    def family(self, contract: Contract, mode: Mode = Mode.CLASS_INDEXED) -> FieldFamily:
        """Both on the contract's grid."""
        return field_family(
            contract,
            self.reference,
            self.detections,
            durations=self.durations,
            mode=mode,
            ignore=self.ignore,
            diagnostics=Diagnostics(),
        )

    def kept(self, threshold: Fraction) -> EventTable:
        """The detections that a threshold keeps."""
        table = self.detections.table
        clips = {
            clip: tuple(e for e in events if e.confidence is not None and e.confidence > threshold)
            for clip, events in table.clips.items()
        }
        return EventTable(table.name, clips)

    def thresholds(self) -> list[Fraction]:
        """Every confidence, one between each two of them, and both ends."""
        values = {event.confidence for _, event in self.detections.table.events if event.confidence is not None}
        known = sorted({Fraction(0), Fraction(1), *values})
        return sorted({*known, *((a + b) / 2 for a, b in pairwise(known))})


@st.composite
def detected_scenes(draw: st.DrawFn) -> DetectedScene:
    """Detections that overlap, touch, repeat each other, have no length, or lie beyond the end of their clip."""
    classes = [f"k{k}" for k in range(draw(st.integers(1, 3)))]
    random = draw(st.randoms(use_true_random=False))
    refs, preds, lengths = {}, {}, {}
    for name in [f"c{c}" for c in range(draw(st.integers(1, 3)))]:
        lengths[name] = Fraction(random.choice([1, 7, 20, 33]), random.choice([20, 50]))
        refs[name] = tuple(_events(random, lengths[name], STEPS[0], classes))
        found = [
            *_events(random, lengths[name] * random.choice([1, 1, 2]), random.choice(STEPS), classes),
            *_events(random, lengths[name], STEPS[0], classes),
            *(e for e in refs[name] if random.random() < 0.6),
        ]
        if found and random.random() < 0.3:
            first = random.choice(found)
            found += [replace(first, offset=first.onset), first]
        preds[name] = tuple(replace(e, confidence=Fraction(random.randint(0, 6), 6)) for e in found)
    ignore = None
    if random.random() < 0.3:
        some = [
            Event(Fraction(random.randint(0, 4), 50), Fraction(random.randint(5, 40), 50), random.choice(["", "k0"]))
            for _ in range(2)
        ]
        ignore = EventTable("ignore", {"c0": tuple(some)})
    detections = detections_of(EventTable("pred", preds), Diagnostics())
    return DetectedScene(EventTable("ref", refs), detections, Durations("durations", lengths), ignore)


# The definition of the curves: decode the field at one threshold, and score what comes out (rule 19.4).


def scored_at(
    contract: Contract,
    reference: EventTable,
    field: ScoreField,
    decoding: Decoding,
    *,
    durations: Durations | Fraction | None = None,
    mode: Mode = Mode.CLASS_INDEXED,
    ignore: Regions | None = None,
) -> Scorecard:
    """The scorecard of a field at one decoding."""
    own = Durations(field.name, {clip: scores.edges[-1] for clip, scores in field.clips.items()})
    labelled = contract_of_field(contract, reference, field.classes)
    family = assemble(
        labelled,
        reference,
        decode(field, decoding),
        durations=own if durations is None else durations,
        mode=mode,
        ignore=ignore,
        diagnostics=Diagnostics(),
        allow_outside=True,
    )
    return score_family(labelled, family)
