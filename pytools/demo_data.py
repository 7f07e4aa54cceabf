"""Write the demo data: forty clips of reference events and three imitation systems of equal frame F1."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import NamedTuple

# Every time is an integer of milliseconds until it is printed, so no float decides a byte. Each file draws
# from its own seeded stream: changing a constant of one system leaves the others' files as they are.
DURATION_MS = 12_000
FRAME_MS = 20
CLIPS = tuple(f"clip_{number:02d}.wav" for number in range(1, 41))
SILENT_CLIPS = frozenset({"clip_09.wav", "clip_23.wav", "clip_36.wav"})
# In these clips the last event of the label is moved to end with the clip.
ENDS_WITH_CLIP = {
    "clip_04.wav": "speech",
    "clip_11.wav": "tone",
    "clip_19.wav": "speech",
    "clip_30.wav": "tone",
    "clip_38.wav": "speech",
}

REFERENCE_SEED = 4
# Shortest and longest event; how much the pause may exceed REFERENCE_GAP_MS at pace 100 %.
LENGTH_MS = {"speech": (800, 3000), "tone": (400, 2000), "burst": (60, 250)}
PAUSE_MS = {"speech": 1500, "tone": 4000, "burst": 5000}
LABELS = tuple(LENGTH_MS)
PACE_PERCENT = (60, 260)
REFERENCE_GAP_MS = 200
# Other events end this long before the clip does, so that a late onset still falls inside it.
TAIL_MS = 400
# A clip is busy when at least this many of its events overlap an event of another label.
BUSY_EVENTS = 5

# The systems; ranges are inclusive, and the sizes are tuned so that all three have nearly the same frame F1.
PREDICTION_GAP_MS = 40
JITTER_MS = 20
# late_long
LATE_ONSET_MS = (60, 200)
LATE_OFFSET_MS = (200, 500)
# over_firing: how often an event has an echo of another label, how many events are tried in silence
ECHO_PERCENT = 50
SILENCE_TRIES = 10
# fragmenting: which events are split, and which in up to four pieces instead of three; how often a gap is a
# missing stretch, and what part of the event that is
LONG_MS = 800
VERY_LONG_MS = 1600
FRAGMENT_GAP_MS = (60, 160)
STRETCH_CHANCE_PERCENT = 65
STRETCH_PERCENT = (25, 50)


class Event(NamedTuple):
    """A label active in [onset, offset), in milliseconds."""

    onset: int
    offset: int
    label: str


Events = list[Event]
Table = Mapping[str, Events]


def between(rng: Random, bounds: tuple[int, int]) -> int:
    """An integer from the inclusive range."""
    low, high = bounds
    return rng.randrange(low, high + 1)


def chance(rng: Random, percent: int) -> bool:
    return rng.randrange(100) < percent


def overlap(a: Event, b: Event) -> bool:
    return a.onset < b.offset and b.onset < a.offset


def reference_label(rng: Random, label: str, pace: int) -> Events:
    """The events of one label in one clip, from left to right."""
    events: Events = []
    cursor = -REFERENCE_GAP_MS
    while True:
        onset = cursor + REFERENCE_GAP_MS + rng.randrange(PAUSE_MS[label]) * pace // 100
        cursor = onset + between(rng, LENGTH_MS[label])
        if cursor > DURATION_MS - TAIL_MS:
            return events
        events.append(Event(onset, cursor, label))


def end_with_clip(events: Events) -> Events:
    """The same events, the last one moved to end with the clip."""
    *before, last = events
    return [*before, last._replace(onset=last.onset + DURATION_MS - last.offset, offset=DURATION_MS)]


def reference_clip(rng: Random, clip: str) -> Events:
    if clip in SILENT_CLIPS:
        return []
    pace = between(rng, PACE_PERCENT)
    absent = rng.randrange(2 * len(LABELS))  # half of the clips lack one label
    events: Events = []
    for index, label in enumerate(LABELS):
        if index != absent:
            of_label = reference_label(rng, label, pace)
            events += end_with_clip(of_label) if ENDS_WITH_CLIP.get(clip) == label else of_label
    return sorted(events)


def condition(events: Events) -> str:
    overlapping = sum(any(overlap(event, other) for other in events if other.label != event.label) for event in events)
    return "busy" if overlapping >= BUSY_EVENTS else "quiet"


def jitter(rng: Random, event: Event) -> Event:
    """The event with both boundaries moved by at most JITTER_MS, inside the clip."""
    onset = event.onset + between(rng, (-JITTER_MS, JITTER_MS))
    offset = event.offset + between(rng, (-JITTER_MS, JITTER_MS))
    return Event(max(onset, 0), min(offset, DURATION_MS), event.label)


def late_long(rng: Random, reference: Events) -> Events:
    """Late onsets and later offsets."""
    events: Events = []
    for label in LABELS:
        latest = DURATION_MS
        for event in reversed([event for event in reference if event.label == label]):
            onset = event.onset + between(rng, LATE_ONSET_MS)
            offset = min(event.offset + between(rng, LATE_OFFSET_MS), latest)
            events.append(Event(onset, offset, label))
            latest = onset - PREDICTION_GAP_MS
    return sorted(events)


def over_firing(rng: Random, reference: Events) -> Events:
    """Good boundaries, with extra events of other labels beside the true ones and in silence."""
    events = [jitter(rng, event) for event in reference]
    for event in reference:
        if chance(rng, ECHO_PERCENT):
            add_extra(events, echo(rng, event))
    for _ in range(SILENCE_TRIES):
        extra = random_event(rng)
        if not any(overlap(extra, event) for event in reference):
            add_extra(events, extra)
    return sorted(events)


def echo(rng: Random, event: Event) -> Event:
    """An event of another label that starts during this one."""
    others = [label for label in LABELS if label != event.label]
    label = others[rng.randrange(len(others))]
    onset = rng.randrange(event.onset, event.offset)
    return Event(onset, onset + between(rng, LENGTH_MS[label]), label)


def random_event(rng: Random) -> Event:
    label = LABELS[rng.randrange(len(LABELS))]
    onset = rng.randrange(DURATION_MS)
    return Event(onset, onset + between(rng, LENGTH_MS[label]), label)


def add_extra(events: Events, extra: Event) -> None:
    """Append the extra event if it ends inside the clip and clear of its label's other events."""
    gap = PREDICTION_GAP_MS + JITTER_MS  # clear of the reference events too, so all of it is false
    widened = Event(extra.onset - gap, extra.offset + gap, extra.label)
    clear = not any(overlap(widened, event) for event in events if event.label == extra.label)
    if clear and extra.offset <= DURATION_MS:
        events.append(extra)


def fragmenting(rng: Random, reference: Events) -> Events:
    """Good outer boundaries, with long events split and stretches of some missing."""
    events: Events = []
    for event in reference:
        outer = jitter(rng, event)
        events += split(rng, outer) if event.offset - event.onset >= LONG_MS else [outer]
    return sorted(events)


def split(rng: Random, event: Event) -> Events:
    """Two to four pieces of the event, of nearly equal length; sometimes one gap is a missing stretch."""
    length = event.offset - event.onset
    count = between(rng, (2, 4 if length >= VERY_LONG_MS else 3))
    gaps = [between(rng, FRAGMENT_GAP_MS) for _ in range(count - 1)]
    if chance(rng, STRETCH_CHANCE_PERCENT):
        gaps[rng.randrange(count - 1)] = length * between(rng, STRETCH_PERCENT) // 100
    kept = length - sum(gaps)
    pieces: Events = []
    onset = event.onset
    for index, gap in enumerate([*gaps, 0]):
        offset = onset + kept * (index + 1) // count - kept * index // count
        pieces.append(Event(onset, offset, event.label))
        onset = offset + gap
    return pieces


SYSTEMS: dict[str, tuple[int, Callable[[Random, Events], Events]]] = {
    "late_long": (1, late_long),
    "over_firing": (2, over_firing),
    "fragmenting": (3, fragmenting),
}


def make_reference() -> Table:
    rng = Random(REFERENCE_SEED)
    return {clip: reference_clip(rng, clip) for clip in CLIPS}


def make_system(name: str, reference: Table) -> Table:
    seed, imitate = SYSTEMS[name]
    rng = Random(seed)
    return {clip: imitate(rng, events) for clip, events in reference.items()}


def active_frames(table: Table) -> set[tuple[str, str, int]]:
    """Every (clip, label, frame) whose frame centre lies in an event of the label."""
    return {
        (clip, event.label, frame)
        for clip, events in table.items()
        for event in events
        for frame in range(first_frame(event.onset), first_frame(event.offset))
    }


def first_frame(time: int) -> int:
    """The first frame whose centre is not before the time."""
    return -((FRAME_MS // 2 - time) // FRAME_MS)


def frame_f1(reference: Table, predicted: Table) -> Fraction:
    """Frame F1 with the counts of all clips and labels pooled."""
    expected, found = active_frames(reference), active_frames(predicted)
    return Fraction(2 * len(expected & found), len(expected) + len(found))


def seconds(milliseconds: int) -> str:
    return f"{milliseconds // 1000}.{milliseconds % 1000:03d}"


def event_rows(table: Table) -> list[tuple[str, ...]]:
    """A row for each event; a clip without events has one row with empty fields."""
    rows: list[tuple[str, ...]] = [("filename", "onset", "offset", "event_label")]
    for clip, events in table.items():
        rows += [(clip, seconds(event.onset), seconds(event.offset), event.label) for event in events]
        if not events:
            rows.append((clip, "", "", ""))
    return rows


def write_tsv(path: Path, rows: Sequence[Sequence[str]]) -> None:
    path.write_bytes("".join("\t".join(row) + "\n" for row in rows).encode("ascii"))


def main(arguments: Sequence[str] | None = None) -> None:
    """Write every file and print each system's frame F1."""
    parser = argparse.ArgumentParser(description="Write the demo data and print each system's frame F1.")
    default = Path(__file__).resolve().parents[1] / "spec" / "demo"
    parser.add_argument("--out", type=Path, metavar="DIR", default=default, help="where to write (default: spec/demo)")
    out: Path = parser.parse_args(arguments).out
    out.mkdir(parents=True, exist_ok=True)

    reference = make_reference()
    write_tsv(out / "reference.tsv", event_rows(reference))
    durations = [(clip, seconds(DURATION_MS)) for clip in CLIPS]
    write_tsv(out / "durations.tsv", [("filename", "duration"), *durations])
    conditions = [(clip, condition(events)) for clip, events in reference.items()]
    write_tsv(out / "conditions.tsv", [("filename", "condition"), *conditions])
    for name in SYSTEMS:
        predicted = make_system(name, reference)
        write_tsv(out / f"{name}.tsv", event_rows(predicted))
        print(f"{name:<12} frame F1 {float(frame_f1(reference, predicted)):.4f}")


if __name__ == "__main__":
    main()
