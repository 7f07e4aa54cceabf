"""Texts of every format, and reading them in one line."""

from pathlib import Path
from typing import Any

from tracepact.data.events import EventTable
from tracepact.data.formats import read_events
from tracepact.data.readings import Reading
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Diagnostic, RowPlace

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
RTTM = (
    ";; two turns and a stretch that is not judged\n"
    "SPKR-INFO meet1 1 <NA> <NA> <NA> unknown anna <NA> <NA>\n"
    "SPEAKER meet1 1 0.50 1.25 <NA> <NA> anna 0.9 <NA>\n"
    "SPEAKER meet1 1 10.1 0.2 <NA> <NA> ben <NA> <NA>\n"
    "NOSCORE meet1 1 4.00 1.50 <NA> <NA> <NA> <NA> <NA>\n"
)
CTM = "meet1 1 0.50 0.25 hello 0.75\nmeet1 1 10.1 0.2 there\n"
UEM = "meet1 1 1.5 4\nmeet1 1 6 9.25\n"
LAB = "0.0 0.5 sil\n0.5 1.25 say hi\n"
PAM_POINTS = "filename,timestamp,label\nsea/a.wav,12.75,up\nb.wav,3,up\n"
PAM = "filename,start,end,label\nsea/a.wav,12.75,14.1,up\nb.wav,3,3.5,gs\n"
BIRDNET = (
    "Start (s),End (s),Scientific name,Common name,Confidence,File\n"
    "0.0,3.0,Troglodytes troglodytes,Wren,0.8312,/data/dawn/a.wav\n"
    "3.0,6.0,Parus major,Great Tit,0.25,/data/dawn/b.wav\n"
)
CROWSETTA = (
    "label,onset_s,offset_s,onset_sample,offset_sample,notated_path,annot_path,sequence,annotation\n"
    "a,0.0125,0.1,400,3200,birds/one.wav,x.csv,0,0\nb,0.25,0.5,8000,16000,birds/one.wav,x.csv,0,0\n"
)
AUDIOSET = "segment_id\tstart_time_seconds\tend_time_seconds\tlabel\nx_30000\t0.0\t2.5\t/m/09x0r\n"
FEW_SHOT = (
    "Audiofilename,Starttime,Endtime,CLASS_1,CLASS_2\na.wav,0.5,1.25,POS,NEG\na.wav,2,3,UNK,POS\nb.wav,1,2,NEG,NEG\n"
)
SELD = "0,3,0,10,-5\n1,3,0,11,-5\n1,3,1,90,0\n2,3,1,90,0\n5,3,0,12,-5\n7,0,0,0,0\n"
EAF = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2024-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0">
  <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>
  <TIME_ORDER>
    <TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="500"/>
    <TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="1250"/>
    <TIME_SLOT TIME_SLOT_ID="ts3" TIME_VALUE="2000"/>
    <TIME_SLOT TIME_SLOT_ID="ts4" TIME_VALUE="2005"/>
  </TIME_ORDER>
  <TIER TIER_ID="calls" LINGUISTIC_TYPE_REF="default">
    <ANNOTATION>
      <ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2">
        <ANNOTATION_VALUE>wren &amp; tit</ANNOTATION_VALUE>
      </ALIGNABLE_ANNOTATION>
    </ANNOTATION>
    <ANNOTATION>
      <ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="ts3" TIME_SLOT_REF2="ts4">
        <ANNOTATION_VALUE></ANNOTATION_VALUE>
      </ALIGNABLE_ANNOTATION>
    </ANNOTATION>
  </TIER>
  <TIER TIER_ID="kinds" LINGUISTIC_TYPE_REF="dependent" PARENT_REF="calls">
    <ANNOTATION>
      <REF_ANNOTATION ANNOTATION_ID="a3" ANNOTATION_REF="a1">
        <ANNOTATION_VALUE>song</ANNOTATION_VALUE>
      </REF_ANNOTATION>
    </ANNOTATION>
  </TIER>
</ANNOTATION_DOCUMENT>
"""
JAMS = """{
  "file_metadata": {"duration": 10.0, "jams_version": "0.3.4"},
  "annotations": [
    {"namespace": "scaper", "data": [
      {"time": 0.0, "duration": 10.0, "value": {"label": "noise", "role": "background"}, "confidence": 1.0},
      {"time": 7.093519000000001, "duration": 0.1, "value": {"label": "siren", "role": "foreground"}, "confidence": 0.5}
    ]},
    {"namespace": "tag_open", "data": {"time": [1], "duration": [0], "value": ["click"], "confidence": [null]}}
  ],
  "sandbox": {}
}
"""
AOEF = """{"version": "1.1.0", "data": {
  "uuid": "u", "collection_type": "annotation_set",
  "recordings": [
    {"uuid": "r1", "path": "dawn/a.wav", "duration": 60.5}, {"uuid": "r2", "path": "b.wav", "duration": 5}
  ],
  "clips": [{"uuid": "c1", "recording": "r1", "start_time": 0, "end_time": 30}],
  "tags": [{"id": 0, "key": "species", "value": "wren"}, {"id": 1, "key": "species", "value": "tit"}],
  "sound_events": [
    {"uuid": "s1", "recording": "r1", "geometry": {"type": "BoundingBox", "coordinates": [0.5, 100, 1.25, 900]}},
    {"uuid": "s2", "recording": "r1", "geometry": {"type": "TimeStamp", "coordinates": 2.125}},
    {"uuid": "s3", "recording": "r1", "geometry": {"type": "LineString", "coordinates": [[4, 9], [3.5, 8], [5, 1]]}}
  ],
  "sound_event_annotations": [
    {"uuid": "e1", "sound_event": "s1", "tags": [0]},
    {"uuid": "e2", "sound_event": "s2", "tags": [1]},
    {"uuid": "e3", "sound_event": "s3", "tags": [1]}
  ]
}}
"""

SUBTITLES = "1\n00:00:01,500 --> 00:00:02,250\ndog\n\n2\n00:00:03,000 --> 00:01:04,000\nbig <i>cat</i>\n"
LABEL_STUDIO = """[
  {"id": 1, "data": {"audio": "/data/upload/1/0a1b2c3d-dawn.wav"}, "annotations": [{"result": [
    {"type": "labels", "value": {"start": 0.5, "end": 1.25, "channel": 0, "labels": ["dog", "loud"]}}
  ]}]},
  {"audio": "still.wav", "label": [{"start": 2, "end": 2.5, "labels": ["cat"]}]}
]
"""
VIA = """{"project": {"pid": "x"}, "config": {}, "attribute": {"1": {"aname": "class", "type": 4}},
 "file": {"1": {"fid": "1", "fname": "a.wav", "type": 4}, "2": {"fid": "2", "fname": "b.wav", "type": 4}},
 "metadata": {"1_a": {"vid": "1", "flg": 0, "z": [0.5, 1.25], "xy": [], "av": {"1": "dog"}}},
 "view": {"1": {"fid_list": ["1"]}, "2": {"fid_list": ["2"]}}}
"""


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
