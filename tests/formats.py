"""Texts of every format, and reading them in one line."""

from pathlib import Path
from typing import Any

from tracepact.diagnostics import Diagnostic, Diagnostics, RowPlace
from tracepact.io import Reading, read_events
from tracepact.trace import EventTable

AUDACITY = "0.500000\t1.250000\tdog\n\\\t100.0\t2000.0\n2.000000\t2.000000\tclick\n"
LIST = "onset\toffset\tevent_label\n0.5\t1.25\tdog\n1\t2\tcat\n"
RAVEN = (
    "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\tSpecies\n"
    "1\tWaveform 1\t1\t0.5\t1.5\t0\t100\twren\n"
    "1\tSpectrogram 1\t1\t0.5\t1.5\t0\t100\twren\n"
    "2\tSpectrogram 1\t1\t3\t4.125\t0\t100\ttit\n"
)
MAESTRO = "0\t1\tdog\t0.6\n1\t2\tdog\t0.75\n1\t2\tcat\t0.5\n2\t3\tcat\t0\n3\t4\tdog\t1.0\n"
SCORES = "onset\toffset\tdog\tcat\n0.0\t0.064\t0.9\t0.1\n0.064\t0.128\t0.3\t0.5\n0.128\t0.192\t0.7\t0.51\n"
BIODCASE = (
    "dataset,filename,annotation,start_datetime,end_datetime\n"
    "sea,2015-02-04T03-00-00_000.wav,bma,2015-02-04T03:01:07.250000+00:00,2015-02-04T03:01:10Z\n"
    "sea,2015-02-04T03-00-00_500.wav,bmb,2015-02-04T04:01:07.250+01:00,\n"
)
TEXTGRID = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 3
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "calls"
        xmin = 0
        xmax = 3
        intervals: size = 3
        intervals [1]:
            xmin = 0
            xmax = 0.30000000000000004
            text = ""
        intervals [2]:
            xmin = 0.30000000000000004
            xmax = 1.25
            text = "say ""hi"" ! 3 [4]"
        intervals [3]:
            xmin = 1.25
            xmax = 3
            text = "tit"
    item [2]:
        class = "TextTier"
        name = "clicks"
        xmin = 0
        xmax = 3
        points: size = 1
        points [1]:
            number = 0.5
            mark = "click"
"""
SHORT_TEXTGRID = (
    'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n3\n<exists>\n2\n"IntervalTier"\n"calls"\n0\n3\n3\n'
    '0\n0.30000000000000004\n""\n0.30000000000000004\n1.25\n"say ""hi"" ! 3 [4]"\n1.25\n3\n"tit"\n'
    '"TextTier"\n"clicks"\n0\n3\n1\n0.5\n"click"\n'
)


def put(folder: Path, files: dict[str, str]) -> Path:
    """Write files, also into folders below."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder


def read(path: Path, **how: Any) -> tuple[EventTable, list[Diagnostic]]:
    """A table, and what was said about it."""
    diagnostics = Diagnostics()
    return read_events(path, diagnostics, Reading(**how)), list(diagnostics)


def listed(table: EventTable) -> dict[str, list[tuple[str, str, str]]]:
    """The events of each clip as text, exact."""
    return {clip: [(str(e.onset), str(e.offset), e.label) for e in events] for clip, events in table.clips.items()}


def places(found: list[Diagnostic]) -> list[tuple[str, str, int | None]]:
    """Code, file name and row of each finding."""
    return [
        (d.code, Path(d.place.file).name, d.place.row) if isinstance(d.place, RowPlace) else (d.code, "", None)
        for d in found
    ]
