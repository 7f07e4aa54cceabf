"""The files of annotation tools: Audacity, Raven, Praat and ELAN."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from xml.parsers import expat

from tracepact.data.columns import header_of, read_rows
from tracepact.data.event_rows import EventRows
from tracepact.data.events import Event
from tracepact.data.readings import CLOCK
from tracepact.data.sources import TextFile, shown, text_lines
from tracepact.diagnostics.findings import did_you_mean
from tracepact.wording import count, is_whole

# Reads Audacity label tracks: one label a line; the frequencies of a label stand in a line of their own.

_FORM = "a label is its start, its end and its text, separated by tabs"


def add_audacity(file: TextFile, clip: str, rows: EventRows) -> None:
    """The labels of one track (rule 13.5); a track without labels is a silent clip."""
    rows.clips.setdefault(clip, [])
    follows_label = False
    for number, line in text_lines(file):
        fields = line.split("\t")
        if line.startswith("\\"):
            _check_frequencies(fields, number, follows_label, rows)
            follows_label = False
        # Audacity writes the frequencies of a label in a line of its own that starts with a backslash.
        elif len(fields) < 2:
            rows.report("wrong-columns", f"`{shown(line)}` is not a label", number, _separator_help(line))
        else:
            onset, offset, label = fields[0].strip(), fields[1].strip(), " ".join(fields[2:]).strip()
            rows.add(number, clip, onset, offset, label or rows.unlabelled(number))
            follows_label = True


def _check_frequencies(fields: list[str], number: int, follows_label: bool, rows: EventRows) -> None:
    """A line of frequencies holds two numbers and stands behind its label."""
    if not follows_label:
        rows.report("wrong-columns", "a line of frequencies follows no label", number, _FORM)
    elif len(fields) != 3:
        help = "a backslash, the lowest, the highest"
        rows.report("wrong-columns", "a line of frequencies has not two of them", number, help)
    else:
        for text in (field.strip() for field in fields[1:]):
            if text not in ("-1", "-1.0", "-1.000000"):  # Audacity's sign for a frequency that is not set
                rows.time("frequency", text, number)


def _separator_help(line: str) -> str:
    for separator, word in ((",", "commas"), (";", "`;`"), (" ", "spaces")):
        if line.count(separator) >= 2:
            return f"the fields are separated by {word}; separate them by tabs"
    return _FORM


# Reads subtitles, SRT and WebVTT: a line of two clock times, and the lines below it up to a blank one.

SUBTITLES = "subtitles"
_MARKUP = re.compile(r"</?[a-z][^<>]*>")


def is_cue(line: str) -> bool:
    """Whether a line holds the two times of a subtitle."""
    fields = line.split()
    return len(fields) > 2 and fields[1] == "-->" and all(map(CLOCK.fullmatch, (fields[0], fields[2])))


def add_subtitles(file: TextFile, clip: str, rows: EventRows) -> None:
    """The subtitles of one clip, each an event whose label is its text (rule 13.43)."""
    rows.clips.setdefault(clip, [])
    lines = [*map(str.strip, file.text.splitlines()), ""]
    for number, line in enumerate(lines, start=1):
        if is_cue(line):
            onset, offset = (text.strip() for text in line.split()[0::2][:2])
            label = " ".join(_MARKUP.sub("", " ".join(lines[number : lines.index("", number)])).split())
            rows.add(number, clip, onset, offset, label or rows.unlabelled(number))
    rows.times.assumed = None  # the format itself says that its times are clocks


# Reads Raven selection tables: a row for each view of a selection, which is one event all the same.

SELECTION, BEGIN, END = "Selection", "Begin Time (s)", "End Time (s)"
BEGIN_FILE, BEGIN_PATH, FILE_OFFSET = "Begin File", "Begin Path", "File Offset (s)"
_CONFIDENCE, _NO_CALL = "Confidence", "nocall"
_ENDING = re.compile(r"(?:\.BirdNET)?(?:\.Table\.\d+)?\.selections?(?:\.table)?$", re.IGNORECASE)
_WORDS_OF_RAVEN = frozenset({"Selection", "View", "Channel", "Begin Path", "End Path", "Begin File", "End File"})
_LABELS_BY_CUSTOM = ("Annotation", "Species", "Label", "Call Type", "Tags", "Common Name")


def add_raven(file: TextFile, clip: str, rows: EventRows, label_column: str | None = None) -> None:
    """The selections of a table (rule 13.6); a table without rows is a silent clip.

    With the columns `Begin File` and `File Offset (s)` each row names its own clip, else `clip` is that of all.
    `Begin Path`, as BirdNET writes it, does what `Begin File` does; its last name is the clip (rule 13.17).
    """
    clip = _ENDING.sub("", clip) or clip
    names = header_of(file, (SELECTION, BEGIN, END))
    if not {SELECTION, BEGIN, END} & set(names):
        rows.clips.setdefault(clip, [])
        list(read_rows(file, (SELECTION, BEGIN, END), rows.diagnostics))  # says what is wrong with the header
        return
    label = _label_column(names, label_column, rows)
    begin = next((name for name in (BEGIN_FILE, BEGIN_PATH) if name in names and FILE_OFFSET in names), None)
    if begin is None:
        rows.clips.setdefault(clip, [])
    if label is None:
        return
    columns = (SELECTION, BEGIN, END, label, *((begin, FILE_OFFSET) if begin else ()))
    # Raven writes a row for each view (spectrogram, waveform) of a selection; only the first becomes an event.
    views: dict[str, tuple[int, _SelectionView]] = {}
    for number, fields in read_rows(file, columns, rows.diagnostics, optional=(_CONFIDENCE,)):
        selection, start, end, text, *place, sure = (field.strip() for field in fields)
        if begin == BEGIN_PATH:
            place[0] = re.split(r"[\\/]", place[0])[-1]
        view = _view(start, end, text, place or [clip, start], number, rows)
        if view is None:
            continue
        own_clip, onset, offset, _ = view
        if text == _NO_CALL and begin == BEGIN_PATH:  # BirdNET's row for a file without detections
            rows.clips.setdefault(own_clip, [])
            continue
        if not selection:
            rows.report("incomplete-row", f"the row has no `{SELECTION}`", number)
            continue
        line, first = views.setdefault(selection, (number, view))
        if line == number:
            event = Event(onset, offset, text or rows.unlabelled(number), number)
            event.confidence = rows.confidence(sure, number) if sure else None
            rows.clips.setdefault(own_clip, []).append(event)
        elif view != first:
            headline = f"selection {shown(selection)} has other times or another label than on line {line}"
            help = "the views of a selection agree; give different selections different numbers"
            rows.report("conflicting-selection", headline, number, help)


_SelectionView = tuple[str, Fraction, Fraction, str]
"""What one row says of its selection: clip, onset, offset and label."""


def _view(begin: str, end: str, label: str, place: list[str], number: int, rows: EventRows) -> _SelectionView | None:
    """One row, or None with what is wrong with its times."""
    clip, first = place
    start, stop = rows.time(BEGIN, begin, number), rows.time(END, end, number)
    onset = start if first == begin else rows.time(FILE_OFFSET, first, number)
    if not clip:
        rows.report("incomplete-row", f"the row has no `{BEGIN_FILE}`", number)
    if start is None or stop is None or onset is None or not clip:
        return None
    # Times count from the start of all files that Raven had open; the offset in the own file is its onset.
    return clip, onset, onset + stop - start, label


def _label_column(names: Sequence[str], wanted: str | None, rows: EventRows) -> str | None:
    """The column of the labels: the one that is named, or the one that is neither a measure nor a word of Raven's."""
    # Raven's measures have their unit in parentheses, as in `High Freq (Hz)`.
    free = [name for name in names if name and name not in _WORDS_OF_RAVEN and "(" not in name]
    if wanted is not None:
        if wanted in names:
            return wanted
        rows.report("wrong-columns", f"there is no column `{shown(wanted)}`", 1, did_you_mean(wanted, free))
        return None
    # BirdNET adds its confidence to Raven's columns; alone it may hold somebody's labels.
    free = [name for name in free if name != _CONFIDENCE] or free
    chosen = free if len(free) == 1 else [name for name in free if name.title() in _LABELS_BY_CUSTOM]
    if len(chosen) == 1:
        return chosen[0]
    if free:
        headline = f"nothing says which column holds the labels; there are {', '.join(f'`{name}`' for name in free)}"
        help = "name it: --label-column on the command line, Reading(label_column=…) in Python"
    else:
        headline = "the table has no column that could hold labels: all are Raven's own"
        help = f"add an annotation column in Raven, such as `{_LABELS_BY_CUSTOM[0]}`, and save the table again"
    rows.report("unnamed-label-column", headline, 1, help)
    return None


# Reads Praat TextGrids, long and short: numbers keep their text, entries the line they stand in.
#
# The text is read as Praat's manual says: only numbers, quoted texts and flags that stand free count; everything
# else, such as `xmin =` or `intervals [1]:`, is there for the reader's eye. What follows `!` is a comment.

_TOKEN = re.compile(
    r'"(?P<text>(?:[^"]|"")*)"|<(?P<flag>[^<>\s]*)>|(?<!\S)(?P<number>[-+]?\.?[0-9][^\s"]*)(?!\S)|(?<!\S)!.*|\S'
)
_KINDS = {"IntervalTier": 3, "TextTier": 2}


@dataclass(frozen=True, slots=True)
class TierEntry:
    """An interval or a point (its ends are equal) with its text and its line."""

    start: str
    end: str
    text: str
    row: int


@dataclass(frozen=True, slots=True)
class Tier:
    """A tier: its name and its entries."""

    name: str
    entries: tuple[TierEntry, ...]


class _BrokenTextGridError(ValueError):
    """The text is not that of a TextGrid: what is wrong, and in which line."""

    def __init__(self, fault: str, row: int | None) -> None:
        super().__init__(fault)
        self.row = row


def add_textgrid(file: TextFile, clip: str, rows: EventRows, tiers: Sequence[str] = ()) -> None:
    """The intervals and points with text (rule 13.7), of all tiers or of those that are named."""
    rows.clips.setdefault(clip, [])
    try:
        start, end, parsed = parse_textgrid(file)
    except _BrokenTextGridError as error:
        rows.report("bad-textgrid", str(error), error.row, "save it in Praat as a (short) text file")
        return
    with suppress(ValueError):  # an end that is not a time is no end; the entries that reach it are reported
        if rows.times[end] > rows.times[start] == 0:
            rows.lengths[clip] = rows.times[end]
    rows.report_unknown(tiers, {tier.name for tier in parsed}, "tier")
    for tier in parsed:
        if not tiers or tier.name in tiers:
            for entry in tier.entries:
                if label := entry.text.strip():
                    rows.tiers[tier.name] += not tier.name.startswith(label)
                    rows.add(entry.row, clip, entry.start, entry.end, label, f"tier `{shown(tier.name)}`: ")


def parse_textgrid(file: TextFile) -> tuple[str, str, list[Tier]]:
    """The start and the end of a TextGrid, and its tiers."""
    reader = _TextGridReader(file.text)
    kind = reader.text("the file's type")
    if not kind.startswith("ooTextFile"):
        raise _BrokenTextGridError(f"the file's type is `{shown(kind)}`, not `ooTextFile`", 1)
    what = reader.text("the object's class")
    if what != "TextGrid":
        raise _BrokenTextGridError(f"the file holds a `{shown(what)}`, not a `TextGrid`", reader.row)
    ends = reader.number("the start"), reader.number("the end")
    if reader.flag() != "exists":
        return *ends, []
    return *ends, [_tier(reader) for _ in range(reader.count("the number of tiers"))]


def _tier(reader: "_TextGridReader") -> Tier:
    kind = reader.text("the class of a tier")
    if kind not in _KINDS:
        raise _BrokenTextGridError(f"`{shown(kind)}` is not a class of tiers", reader.row)
    name = reader.text("the name of a tier")
    reader.number("the start of a tier")
    reader.number("the end of a tier")
    entries = []
    for _ in range(reader.count(f"the number of entries of tier `{shown(name)}`")):
        start = reader.number("the time of an entry")
        row = reader.row
        end = reader.number("the end of an interval") if _KINDS[kind] == 3 else start
        entries.append(TierEntry(start, end, reader.text("the text of an entry"), row))
    return Tier(name, tuple(entries))


class _TextGridReader:
    """The free-standing texts, numbers and flags, one after another."""

    def __init__(self, text: str) -> None:
        self._source = text
        self._tokens = self._meaningful()
        self.row = 1

    def _meaningful(self) -> Iterator[tuple[str, str]]:
        """Each token that counts, by kind; signs and words beside them are passed over."""
        at = 0
        # Lines are counted from token to token, for counting from the start at each would be quadratic.
        for match in _TOKEN.finditer(self._source):
            if match.lastgroup is not None:
                self.row += self._source.count("\n", at, match.start())
                at = match.start()
                yield match.lastgroup, match[match.lastgroup]

    def _next(self, kind: str, what: str) -> str:
        token = next(self._tokens, None)
        if token is None:
            raise _BrokenTextGridError(f"the file ends where {what} is expected", None)
        if token[0] != kind:
            raise _BrokenTextGridError(f"`{shown(token[1])}` is where {what} is expected, a {kind}", self.row)
        return token[1]

    def text(self, what: str) -> str:
        """The next token, which must be a quoted text."""
        return self._next("text", what).replace('""', '"')

    def number(self, what: str) -> str:
        """The next token, which must be a number, as it is written."""
        return self._next("number", what)

    def flag(self) -> str:
        """The next token, which must be a flag."""
        return self._next("flag", "`<exists>`")

    def count(self, what: str) -> int:
        """The next token, which must be a whole number."""
        text = self.number(what)
        # A stranger's count is only how often the loop tries to read on: it ends with the text.
        if not is_whole(text) or len(text) > 9:
            raise _BrokenTextGridError(f"{what} is `{shown(text)}`", self.row)
        return int(text)


# Reads ELAN documents: the annotations of their tiers, in whole milliseconds, with the lines they stand in.

EAF = "eaf"
_DEEPEST = 100


@dataclass(slots=True)
class _Annotation:
    """An annotation: its tier, its two time slots or the annotation it refers to, its value and its line."""

    tier: str
    ends: tuple[str, str] | None
    parent: str | None
    row: int
    value: str = ""


@dataclass(slots=True)
class _Document:
    """What is read of a document, in its order."""

    slots: dict[str, str | None] = field(default_factory=dict)
    tiers: list[str] = field(default_factory=list)
    annotations: dict[str, _Annotation] = field(default_factory=dict)
    unit: str = "milliseconds"
    is_eaf: bool = False


class _BrokenElanError(ValueError):
    """The text is not that of an ELAN document: what is wrong."""


def add_eaf(file: TextFile, clip: str, rows: EventRows, tiers: Sequence[str] = ()) -> None:
    """The annotations of all tiers, or of those that are named (rule 13.22)."""
    rows.clips.setdefault(clip, [])
    document = _parsed(file, rows)
    if document is None:
        return
    rows.report_unknown(tiers, document.tiers, "tier")
    read = [annotation for annotation in document.annotations.values() if not tiers or annotation.tier in tiers]
    labelled = {annotation.tier for annotation in read if annotation.value.strip()}
    # Who makes one tier for each class leaves the values empty: the tier's name is the label there.
    named = Counter(annotation.tier for annotation in read if annotation.tier not in labelled)
    for tier, annotations in named.items():
        events = count(annotations, "annotation")
        headline = f"tier `{shown(tier)}` has {events} and no value; each is an event labelled `{shown(tier)}`"
        rows.report("assumed-form", headline, help="if the tier holds no events, name those that do: --tier")
    empty = sum(annotation.tier in labelled and not annotation.value.strip() for annotation in read)
    if empty:
        rows.report("rows-left-out", f"{count(empty, 'annotation')} left out: others of the tier have values")
    for annotation in read:
        label = annotation.value.strip() or (annotation.tier if annotation.tier in named else "")
        ends = _ends(annotation, document, rows) if label else None
        if ends is not None:
            rows.tiers[annotation.tier] += not annotation.tier.startswith(label)
            rows.add(annotation.row, clip, *ends, label, f"tier `{shown(annotation.tier)}`: ")


def _ends(annotation: _Annotation, document: _Document, rows: EventRows) -> tuple[str, str] | None:
    """The times of an annotation in seconds, those of the one it refers to where it has none; None with a fault."""
    timed: _Annotation | None = annotation
    for _ in range(_DEEPEST):  # a stranger's file can refer in a circle
        if timed is None or timed.ends is not None:
            break
        timed = document.annotations.get(timed.parent or "")
    if timed is None or timed.ends is None:
        rows.report("bad-eaf", "the annotation refers to none that has times", annotation.row)
        return None
    texts = [_seconds(document.slots.get(slot)) for slot in timed.ends]
    if texts[0] is None or texts[1] is None:
        headline = "a time slot of the annotation has no time in whole milliseconds"
        rows.report("bad-time", headline, annotation.row, "align the annotation in ELAN, or leave its tier out")
        return None
    return texts[0], texts[1]


def _seconds(milliseconds: str | None) -> str | None:
    """Whole milliseconds as the decimal text of seconds."""
    if milliseconds is None or not (milliseconds.isascii() and milliseconds.isdecimal()):
        return None
    digits = milliseconds.rjust(4, "0")
    return f"{digits[:-3]}.{digits[-3:]}"


def _parsed(file: TextFile, rows: EventRows) -> _Document | None:
    """The document of a text, or None with what is wrong with it."""
    document = _Document()
    # The text was decoded already; the encoding that the document declares is overruled.
    parser = expat.ParserCreate("utf-8")
    stack: list[str] = []
    current: list[_Annotation] = []

    def start(name: str, attributes: Mapping[str, str]) -> None:
        stack.append(name)
        match name:
            case "ANNOTATION_DOCUMENT":
                document.is_eaf = True
            case "HEADER":
                document.unit = attributes.get("TIME_UNITS", document.unit)
            case "TIME_SLOT":
                document.slots[attributes.get("TIME_SLOT_ID", "")] = attributes.get("TIME_VALUE")
            case "TIER":
                document.tiers.append(attributes.get("TIER_ID", ""))
            case "ALIGNABLE_ANNOTATION" | "REF_ANNOTATION":
                slots = attributes.get("TIME_SLOT_REF1"), attributes.get("TIME_SLOT_REF2")
                ends = (slots[0], slots[1]) if slots[0] is not None and slots[1] is not None else None
                tier = document.tiers[-1] if document.tiers else ""
                row, parent = parser.CurrentLineNumber, attributes.get("ANNOTATION_REF")
                current[:] = [_Annotation(tier, ends, parent, row)]
                name_of = attributes.get("ANNOTATION_ID", f"#{len(document.annotations)}")
                if name_of in document.annotations:
                    raise _BrokenElanError(f"two annotations are called `{shown(name_of)}`")
                document.annotations[name_of] = current[0]

    def end(name: str) -> None:
        stack.pop()

    def text(data: str) -> None:
        if stack and stack[-1] == "ANNOTATION_VALUE" and current:
            current[0].value += data

    # Entities that stand for one another grow without bound; they need a document type, which ELAN never writes.
    def refuse(*_: object) -> None:
        raise _BrokenElanError("the document declares a type of its own, which ELAN's do not")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text, refuse
    try:
        parser.Parse(file.text.encode("utf-8"), True)
        if not document.is_eaf:
            raise _BrokenElanError("the file is XML, but no ELAN document")
        if document.unit != "milliseconds":
            raise _BrokenElanError(f"its times are in `{shown(document.unit)}`, not in milliseconds")
    except (expat.ExpatError, _BrokenElanError) as error:
        words = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else str(error)
        row = min(parser.CurrentLineNumber, file.text.count("\n") + 1)
        rows.report("bad-eaf", words, row, "save it again in ELAN")
        return None
    return document
