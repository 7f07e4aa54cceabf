"""The demo data in spec/demo is what the script writes, and has the properties its users rely on."""

import runpy
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "pytools" / "demo_data.py"
DEMO = ROOT / "spec" / "demo"

LABELS = ("speech", "tone", "burst")
LENGTHS = {"speech": (800, 3000), "tone": (400, 2000), "burst": (60, 250)}
SYSTEMS = ("late_long", "over_firing", "fragmenting")
CLIPS = [f"clip_{number:02d}.wav" for number in range(1, 41)]
CLIP_MS = 12_000


class Event(NamedTuple):
    onset: int
    offset: int


Events = dict[tuple[str, str], list[Event]]


def rows(name: str, header: str = "filename onset offset event_label") -> list[list[str]]:
    """The fields of each row after the header."""
    first, *rest = [line.split("\t") for line in (DEMO / name).read_text("ascii").splitlines()]
    assert first == header.split()
    return rest


def milliseconds(text: str) -> int:
    scaled = Decimal(text) * 1000
    assert len(text.partition(".")[2]) == 3
    return int(scaled)


def load(name: str) -> Events:
    """The events of each clip and label, in order of onset."""
    events: Events = {(clip, label): [] for clip in CLIPS for label in LABELS}
    for clip, onset, offset, label in rows(f"{name}.tsv"):
        if label:
            events[clip, label].append(Event(milliseconds(onset), milliseconds(offset)))
    return {key: sorted(found) for key, found in events.items()}


def overlaps(a: Event, b: Event) -> bool:
    return max(a.onset, b.onset) < min(a.offset, b.offset)


def of_other_labels(events: Events, clip: str, label: str) -> list[Event]:
    return [event for other in LABELS if other != label for event in events[clip, other]]


def silent_clips(events: Events) -> set[str]:
    return {clip for clip in CLIPS if not any(events[clip, label] for label in LABELS)}


def frame_f1(reference: Events, predicted: Events) -> Fraction:
    """Frame by frame: is the centre inside an event of the label?"""
    hits = errors = 0
    for key in reference:
        for centre in range(10, CLIP_MS, 20):
            expected = any(onset <= centre < offset for onset, offset in reference[key])
            found = any(onset <= centre < offset for onset, offset in predicted[key])
            hits += expected and found
            errors += expected != found
    return Fraction(2 * hits, 2 * hits + errors)


def near(a: Event, b: Event) -> bool:
    """Both boundaries agree within 20 ms."""
    return abs(a.onset - b.onset) <= 20 and abs(a.offset - b.offset) <= 20


def is_late_and_long(reference: Events, predicted: Events) -> bool:
    """Every event is there once, its onset 60-200 ms late, its offset 200-500 ms late or cut by the clip."""
    return all(
        len(predicted[key]) == len(reference[key])
        and all(
            60 <= found.onset - event.onset <= 200
            and min(event.offset + 200, CLIP_MS) <= found.offset <= event.offset + 500
            for event, found in zip(reference[key], predicted[key], strict=True)
        )
        for key in reference
    )


def is_over_firing(reference: Events, predicted: Events) -> bool:
    """Every event is there with good boundaries; others are false, in silence and during other labels."""
    in_silence = in_other_labels = 0
    for (clip, label), events in reference.items():
        found = predicted[clip, label]
        if not all(any(near(event, other) for other in found) for event in events):
            return False
        for extra in found:
            if any(near(event, extra) for event in events):
                continue
            if any(overlaps(event, extra) for event in events):
                return False
            in_other = any(overlaps(extra, other) for other in of_other_labels(reference, clip, label))
            in_other_labels += in_other
            in_silence += not in_other
    fires_everywhere = not silent_clips(predicted)
    return in_silence >= 40 and in_other_labels >= 40 and fires_everywhere


def is_fragmenting(reference: Events, predicted: Events) -> bool:
    """Outer boundaries are good; long events are in 2-4 pieces, short ones whole; some gaps are long."""
    short_gaps = stretches = 0
    for key, events in reference.items():
        left = list(predicted[key])
        for event in events:
            pieces = [piece for piece in left if overlaps(event, piece)]
            left = [piece for piece in left if piece not in pieces]
            is_long = event.offset - event.onset >= 800
            if len(pieces) not in ((2, 3, 4) if is_long else (1,)):
                return False
            if not near(event, Event(pieces[0].onset, pieces[-1].offset)):
                return False
            gaps = [after.onset - before.offset for before, after in pairwise(pieces)]
            if min(gaps, default=60) < 60 or sum(gap > 160 for gap in gaps) > 1:
                return False
            short_gaps += sum(gap <= 160 for gap in gaps)
            stretches += sum(gap > 160 for gap in gaps)
        if left:
            return False
    return short_gaps >= 40 and stretches >= 40


WAYS_OF_FAILING: dict[str, Callable[[Events, Events], bool]] = {
    "late_long": is_late_and_long,
    "over_firing": is_over_firing,
    "fragmenting": is_fragmenting,
}


def test_the_script_writes_the_stored_bytes_and_prints_the_f1s(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(SCRIPT))["main"](["--out", str(tmp_path)])
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert written == {path.name: path.read_bytes() for path in DEMO.glob("*.tsv")}
    assert set(written) == {f"{name}.tsv" for name in ("reference", "durations", "conditions", *SYSTEMS)}
    reference = load("reference")
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    measured = [f"{float(frame_f1(reference, load(system))):.4f}" for system in SYSTEMS]
    assert [(line[0], line[-1]) for line in printed] == list(zip(SYSTEMS, measured, strict=True))


def test_frame_f1s_are_close_and_middling() -> None:
    reference = load("reference")
    values = [frame_f1(reference, load(system)) for system in SYSTEMS]
    assert all(Fraction(80, 100) <= value <= Fraction(85, 100) for value in values)
    assert max(values) - min(values) < Fraction(2, 100)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("way", SYSTEMS)
def test_each_system_fails_in_its_own_way_only(system: str, way: str) -> None:
    assert WAYS_OF_FAILING[way](load("reference"), load(system)) == (system == way)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_reference_itself_fails_in_no_way(system: str) -> None:
    reference = load("reference")
    assert not WAYS_OF_FAILING[system](reference, reference)


@pytest.mark.parametrize(("name", "least"), [("reference", 200), *((system, 40) for system in SYSTEMS)])
def test_events_are_inside_the_clip_and_apart_within_a_label(name: str, least: int) -> None:
    for events in load(name).values():
        assert all(0 <= event.onset < event.offset <= CLIP_MS for event in events)
        assert all(after.onset - before.offset >= least for before, after in pairwise(events))


def test_reference_lengths_are_those_of_their_label() -> None:
    for (_, label), events in load("reference").items():
        shortest, longest = LENGTHS[label]
        assert all(shortest <= event.offset - event.onset <= longest for event in events)


def test_five_reference_events_end_with_their_clip() -> None:
    ends = [event.offset for events in load("reference").values() for event in events]
    assert ends.count(CLIP_MS) == 5


@pytest.mark.parametrize("name", ["reference", *SYSTEMS])
def test_a_clip_without_events_has_one_empty_row(name: str) -> None:
    empty = [row for row in rows(f"{name}.tsv") if row[1:] == ["", "", ""]]
    assert [row[0] for row in empty] == sorted(silent_clips(load(name)))
    assert sorted({row[0] for row in rows(f"{name}.tsv")}) == CLIPS
    assert len(empty) == (0 if name == "over_firing" else 3)


def test_every_clip_lasts_twelve_seconds() -> None:
    assert rows("durations.tsv", "filename duration") == [[clip, "12.000"] for clip in CLIPS]


def test_busy_clips_have_five_overlapping_events_and_quiet_ones_fewer() -> None:
    reference = load("reference")
    conditions = []
    for clip in CLIPS:
        overlapping = 0
        for label in LABELS:
            others = of_other_labels(reference, clip, label)
            overlapping += sum(any(overlaps(event, other) for other in others) for event in reference[clip, label])
        conditions.append([clip, "busy" if overlapping >= 5 else "quiet"])
    assert rows("conditions.tsv", "filename condition") == conditions
    counts = [condition for _, condition in conditions]
    assert min(counts.count("busy"), counts.count("quiet")) >= 10
