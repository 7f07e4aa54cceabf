"""Reads rows separated by white space: RTTM, CTM and UEM of speech tools, and label files (rules 13.20, 13.21)."""

import re
from collections import Counter
from collections.abc import Iterator

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.rows import EventRows, Times, uncovered
from tracepact.io.source import TextFile, shown, text_lines
from tracepact.trace import Event, Origin, Regions
from tracepact.wording import count, quoted

RTTM, CTM, UEM, LAB = "rttm", "ctm", "uem", "lab"
_REMARK = ";;"
_NONE = ("<NA>", "NA", "")
_SPEAKER, _INFO = "SPEAKER", "SPKR-INFO"
_UNJUDGED = ("NOSCORE", "NO_RT_METADATA")
RTTM_TYPES = frozenset(
    (
        _SPEAKER,
        _INFO,
        *_UNJUDGED,
        "SEGMENT",
        "LEXEME",
        "NON-LEX",
        "NON-SPEECH",
        "FILLER",
        "EDIT",
        "IP",
        "SU",
        "CB",
        "A/P",
    )
)
_CHANNELS = frozenset(("1", "2", "A", "B", "<NA>", "NA"))
_NUMBER = re.compile(r"\d+\.?\d*|\.\d+", re.ASCII)


def spaced_format(file: TextFile) -> str | None:
    """The format of this chapter that the first row shows, if it shows one."""
    fields = next((fields for _, fields in _rows(file)), [])
    tail = file.name.lower().rpartition(".")[2]
    numbers = [bool(_NUMBER.fullmatch(field)) for field in fields]
    if fields and fields[0] in RTTM_TYPES and len(fields) >= 8:
        return RTTM
    of_file = len(fields) > 3 and not numbers[0] and all(numbers[2:4])
    if of_file and len(fields) == 4 and (tail == UEM or fields[1] in _CHANNELS):
        return UEM
    if of_file and len(fields) in (5, 6) and (tail == CTM or fields[1] in _CHANNELS):
        return CTM
    line = next((line for _, line in text_lines(file)), "")
    apart = not any(sign in line for sign in "\t,;")
    return LAB if apart and len(fields) > 2 and all(numbers[:2]) else None


def _rows(file: TextFile) -> Iterator[tuple[int, list[str]]]:
    """The fields of each row, without remarks."""
    for number, line in text_lines(file):
        fields = line.partition(_REMARK)[0].split()
        if fields:
            yield number, fields


def add_rttm(file: TextFile, clip: str, rows: EventRows) -> None:
    """The turns of an RTTM file: an event for each row SPEAKER, an ignore region for each NOSCORE."""
    others: Counter[str] = Counter()
    channels: dict[str, set[str]] = {}
    for number, fields in _rows(file):
        if len(fields) < 8:
            form = "type, file, channel, start, duration, two fields of words, name, confidence"
            _report_width(rows, number, fields, "eight or more", form)
            continue
        kind, name, channel, start, length, _, _, label = fields[:8]
        rows.clips.setdefault(name, [])
        if kind == _SPEAKER:
            channels.setdefault(name, set()).add(channel)
            if label in _NONE:
                rows.diagnostics.add("incomplete-row", "the row names no speaker", RowPlace(rows.name, number))
            else:
                rows.add_span(number, name, start, length, label, confidence=_known(fields[8:9]))
        elif kind in _UNJUDGED:
            onset, lasting = rows.time("onset", start, number), rows.time("duration", length, number)
            if onset is not None and lasting is not None:
                rows.ignore(number, name, onset, onset + lasting)
        elif kind not in RTTM_TYPES:
            headline = f"`{shown(kind)}` is not a type of RTTM rows"
            rows.diagnostics.add(
                "wrong-columns", headline, RowPlace(rows.name, number), f"known: {quoted(_known_types)}"
            )
        elif kind != _INFO:
            others[kind] += 1
    _report_channels(channels, rows)
    for kind, times in sorted(others.items()):
        headline = f"{count(times, 'row')} of type {kind} were left out; events are the rows {_SPEAKER}"
        rows.diagnostics.add("rows-left-out", headline, RowPlace(rows.name))


_known_types = tuple(sorted(RTTM_TYPES))


def add_ctm(file: TextFile, clip: str, rows: EventRows) -> None:
    """The words of a CTM file, each an event."""
    channels: dict[str, set[str]] = {}
    for number, fields in _rows(file):
        if len(fields) < 5:
            _report_width(rows, number, fields, "five or six", "file, channel, start, duration, word, confidence")
            continue
        name, channel, start, length, word = fields[:5]
        rows.clips.setdefault(name, [])
        channels.setdefault(name, set()).add(channel)
        rows.add_span(number, name, start, length, word, confidence=_known(fields[5:6]))
    _report_channels(channels, rows)


def _known(fields: list[str]) -> str:
    return fields[0] if fields and fields[0] not in _NONE else ""


def _report_channels(channels: dict[str, set[str]], rows: EventRows) -> None:
    for name, found in channels.items():
        if len(found) > 1:
            headline = f"`{shown(name)}` has {count(len(found), 'channel')}; their events are one clip's"
            help = "give each channel a file name of its own to keep them apart"
            rows.diagnostics.add("several-channels", headline, RowPlace(rows.name), help)


def _report_width(rows: EventRows, number: int, fields: list[str], wanted: str, form: str) -> None:
    headline = f"the row has {count(len(fields), 'field')}, not {wanted}"
    rows.diagnostics.add("wrong-columns", headline, RowPlace(rows.name, number), form)


def uem_regions(file: TextFile, diagnostics: Diagnostics) -> Regions:
    """The times that a UEM file does not name, as ignore regions before and between; what follows is closed later."""
    rows = EventRows(file.name, diagnostics, Times(fractions=False), regions=True)
    for number, fields in _rows(file):
        if len(fields) != 4:
            _report_width(rows, number, fields, "four", "file, channel, start, end")
        else:
            rows.add(number, fields[0], fields[2], fields[3], "")
    ends = {clip: max(span.offset for span in judged) for clip, judged in rows.clips.items()}
    clips = {
        clip: tuple(Event(*gap, "") for gap in uncovered([(e.onset, e.offset) for e in judged], ends[clip]))
        for clip, judged in rows.clips.items()
    }
    return Regions(file.name, clips, file.digest, Origin(UEM, dict.fromkeys(clips, file.name), lengths=ends))


def add_lab(file: TextFile, clip: str, rows: EventRows, *, declared: bool) -> None:
    """The labels of one clip; `declared` says that the unit of the times is."""
    rows.clips.setdefault(clip, [])
    found = [(number, line.split(None, 2)) for number, line in text_lines(file)]
    texts = [text for _, fields in found for text in fields[:2]]
    if not declared and texts and all(map(str.isdecimal, texts)):
        rows.diagnostics.add(
            "undeclared-unit",
            "all times are whole numbers, and nothing says what they count",
            RowPlace(file.name, found[0][0]),
            "declare how many are a second: --rate 16000 for samples at 16 kHz (TIMIT), 10000000 (HTK), 1 (seconds)",
        )
        return
    for number, fields in found:
        if len(fields) < 3:
            _report_width(rows, number, fields, "three", "a start, an end and a label")
        else:
            rows.add(number, clip, fields[0], fields[1], fields[2].strip())
