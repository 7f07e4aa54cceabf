"""Purposeful mistakes in every format: each has its code, its file and row, and words that lead out of it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from formats import AUDACITY, BIODCASE, LIST, MAESTRO, RAVEN, SCORES, TEXTGRID, places, put, read

from tracepact.data.decoding import Decoding
from tracepact.data.events import exact

HALF = Decoding(exact("0.5"))
RAVEN_HEADER = RAVEN.split("\n")[0] + "\n"
BIODCASE_HEADER = BIODCASE.split("\n")[0] + "\n"
FRAMES = "onset\toffset\tdog\n"
NAME = "2015-02-04T03-00-00_000.wav"


@dataclass(frozen=True)
class Mistake:
    """A text, where it is wrong, and what the message must speak of."""

    text: str
    code: str
    row: int | None
    words: tuple[str, ...]
    how: dict[str, Any] = field(default_factory=dict)


MISTAKES = {
    # Lists
    "list: comma decimals": Mistake(LIST + "2,5\t3\tdog\n", "bad-time", 4, ("`2,5`", "point")),
    "list: no label": Mistake(LIST + "2\t3\t\n", "incomplete-row", 4, ("`event_label`",)),
    "list: a column misspelt": Mistake(
        LIST.replace("event_label", "event_lable"),
        "wrong-columns",
        1,
        ("`event_label`", "did you mean"),
        {"format": "list"},
    ),
    "list: a row is short": Mistake(LIST + "2\t3\n", "wrong-columns", 4, ("2 fields",)),
    # Audacity
    "audacity: commas": Mistake("0.5,1.5,dog\n", "wrong-columns", 1, ("commas", "tabs"), {"format": "audacity"}),
    "audacity: spaces": Mistake("0.5 1.5 dog\n", "wrong-columns", 1, ("spaces", "tabs"), {"format": "audacity"}),
    "audacity: comma decimals": Mistake("0.1\t1\tx\n0,5\t1,5\tdog\n", "bad-time", 2, ("`0,5`", "point")),
    "audacity: minutes": Mistake("0.5\t1:75\tdog\n", "bad-time", 1, ("`1:75`", "seconds")),
    "audacity: negative": Mistake("-1\t2\tdog\n", "bad-time", 1, ("negative", "start of the clip")),
    "audacity: no end": Mistake("0\t1\tx\n1\t\tdog\n", "incomplete-row", 2, ("`offset`",)),
    "audacity: frequencies first": Mistake("\\\t100\t200\n0\t1\tx\n", "wrong-columns", 1, ("follows no label",)),
    "audacity: one frequency": Mistake("0\t1\tx\n\\\t100\n", "wrong-columns", 2, ("not two",)),
    "audacity: frequency is a word": Mistake("0\t1\tx\n\\\tlow\t200\n", "bad-time", 2, ("`low`",)),
    # Raven
    "raven: no header": Mistake(
        "1\tSpectrogram 1\t1\t0.5\t1.5\n",
        "wrong-columns",
        1,
        ("`Selection`", "name the columns"),
        {"format": "raven"},
    ),
    "raven: label column misspelt": Mistake(
        RAVEN, "wrong-columns", 1, ("`Specis`", "did you mean `Species`"), {"label_column": "Specis"}
    ),
    "raven: two columns could be labels": Mistake(
        "Selection\tBegin Time (s)\tEnd Time (s)\tKind\tSure\n1\t0\t1\ta\tb\n",
        "unnamed-label-column",
        1,
        ("`Kind`, `Sure`", "--label-column"),
    ),
    "raven: no column could be labels": Mistake(
        "Selection\tView\tBegin Time (s)\tEnd Time (s)\n1\tSpectrogram 1\t0\t1\n",
        "unnamed-label-column",
        1,
        ("no column that could hold labels", "add an annotation column"),
    ),
    "scores: a table of events": Mistake(
        "filename\tonset\toffset\tevent_label\na\t0\t1\tx\n",
        "wrong-columns",
        1,
        ("a table of events, not of scores",),
        {"format": "scores"},
    ),
    "scores: many clips, a row without one": Mistake(
        "filename\tonset\toffset\tdog\tcat\na\t0\t1\t0.5\t0.2\n\t1\t2\t0.5\t0.2\n",
        "incomplete-row",
        3,
        ("`filename`", "names its clip"),
    ),
    "scores: many clips, a hole in one": Mistake(
        "filename\tonset\toffset\tdog\tcat\na\t0\t1\t0.5\t0.2\nb\t0\t1\t0.5\t0.2\na\t2\t3\t0.5\t0.2\n",
        "broken-frames",
        4,
        ("starts at 2 s", "without gaps"),
    ),
    "maestro: two confidences": Mistake(
        "0\t1\tx\t0.2\n1\t2\tx\t0.3\n0\t1.0\tx\t0.9\n",
        "conflicting-confidence",
        3,
        ("0.9, and 0.2 on line 1", "keep one"),
    ),
    "maestro: a row again": Mistake("0\t1\tx\t0.2\n0\t1\tx\t0.20\n", "duplicate-row", 2, ("repeats line 1",)),
    "maestro: a hole": Mistake(
        "0\t1\tx\t0.2\n3\t4\ty\t0.3\n", "uncovered-time", 2, ("no row covers 1 s to 3 s", "confidence 0")
    ),
    "raven: no end time": Mistake(
        "Selection\tBegin Time (s)\tDelta Time (s)\tSpecies\n1\t0\t1\twren\n",
        "wrong-columns",
        1,
        ("`End Time (s)`",),
        {"format": "raven"},
    ),
    "raven: comma decimals": Mistake(
        RAVEN_HEADER + "1\tS\t1\t0,5\t1.5\t0\t1\twren\n", "bad-time", 2, ("`1.5`", "comma")
    ),
    "raven: views disagree": Mistake(
        RAVEN_HEADER + "1\tW\t1\t0\t1\t0\t1\twren\n1\tS\t1\t0\t2\t0\t1\twren\n",
        "conflicting-selection",
        3,
        ("line 2", "different numbers"),
    ),
    "raven: no label": Mistake(RAVEN_HEADER + "1\tW\t1\t0\t1\t0\t1\t\n", "unlabelled-event", 2, ("`event`",)),
    # TextGrid
    "textgrid: tier missing": Mistake(
        TEXTGRID, "unknown-tier", None, ("`call`", "did you mean `calls`"), {"tiers": ("call",)}
    ),
    "textgrid: cut off": Mistake(TEXTGRID[:400], "bad-textgrid", None, ("ends where",)),
    "textgrid: another object": Mistake(
        TEXTGRID.replace('"TextGrid"', '"PitchTier"'), "bad-textgrid", 2, ("`PitchTier`", "Praat")
    ),
    "textgrid: text for a time": Mistake(
        TEXTGRID.replace("number = 0.5", 'number = "x"'), "bad-textgrid", 34, ("`x`", "number")
    ),
    "textgrid: comma decimals": Mistake(
        TEXTGRID.replace("number = 0.5", "number = 0,5"), "bad-time", 34, ("`0,5`", "point", "tier `clicks`")
    ),
    "textgrid: negative": Mistake(
        TEXTGRID.replace("number = 0.5", "number = -0.5"), "bad-time", 34, ("negative", "clicks")
    ),
    "textgrid: not one at all": Mistake(
        "onset offset\n", "bad-textgrid", None, ("ends where the file's type",), {"format": "textgrid"}
    ),
    # Soft labels
    "maestro: no threshold": Mistake(
        MAESTRO, "undeclared-threshold", None, ("soft labels", "--ref-threshold"), {"decoding": None}
    ),
    "maestro: a header": Mistake(
        "start\tend\tlabel\tconfidence\n" + MAESTRO, "wrong-columns", 1, ("header", "remove"), {"format": "maestro"}
    ),
    "maestro: commas": Mistake("0,1,dog,0.5\n", "wrong-columns", 1, ("tabs",), {"format": "maestro"}),
    "maestro: confidence beyond 1": Mistake("0\t1\tdog\t1.5\n", "bad-score", 1, ("`1.5`", "0 to 1")),
    "maestro: confidence with a comma": Mistake("0\t1\tdog\t0.5\n1\t2\tdog\t0,5\n", "bad-score", 2, ("point",)),
    "maestro: ends before it starts": Mistake("2\t1\tdog\t0.5\n", "offset-before-onset", 1, ("`1`", "`2`")),
    "maestro: no label": Mistake("0\t1\tx\t1\n1\t2\t\t0.5\n", "incomplete-row", 2, ("label",)),
    "maestro: hysteresis": Mistake(
        MAESTRO, "bad-decoding", None, ("threshold alone",), {"decoding": Decoding(exact("0.5"), exact("0.2"))}
    ),
    # Scores
    "scores: no threshold": Mistake(
        SCORES, "undeclared-threshold", None, ("scores", "--threshold"), {"decoding": None}
    ),
    "scores: no header": Mistake(
        "0\t1\t0.5\n1\t2\t0.5\n", "wrong-columns", 1, ("header is missing", "onset"), {"format": "scores"}
    ),
    "scores: no onset": Mistake(
        "onste\toffset\tdog\n0\t1\t0.5\n", "wrong-columns", 1, ("`onset`", "`onste`"), {"format": "scores"}
    ),
    "scores: semicolons": Mistake(
        "onset;offset;dog\n0;1;0.5\n", "wrong-columns", 1, ("`onset`",), {"format": "scores"}
    ),
    "scores: no class": Mistake("onset\toffset\n0\t1\n", "wrong-columns", 1, ("class",), {"format": "scores"}),
    "scores: a class twice": Mistake("onset\toffset\tx\tx\n0\t1\t0\t0\n", "wrong-columns", 1, ("`x` occurs twice",)),
    "scores: a logit": Mistake(FRAMES + "0\t1\t0.5\n1\t2\t3.2\n", "bad-score", 3, ("`3.2`", "`dog`", "sigmoid")),
    "scores: negative": Mistake(FRAMES + "0\t1\t-0.1\n", "bad-score", 2, ("0 to 1",)),
    "scores: not a number": Mistake(FRAMES + "0\t1\tnan\n", "bad-score", 2, ("`nan`", "not a number")),
    "scores: comma decimals": Mistake(FRAMES + "0\t1\t0,5\n", "bad-score", 2, ("`0,5`", "point")),
    "scores: missing": Mistake(FRAMES + "0\t1\t\n", "bad-score", 2, ("missing",)),
    "scores: a row is short": Mistake(FRAMES + "0\t1\t0.5\n1\t2\n", "wrong-columns", 3, ("2 fields", "3")),
    "scores: a gap": Mistake(FRAMES + "0\t1\t0\n1.5\t2\t0\n", "broken-frames", 3, ("1.5 s", "1 s", "gaps")),
    "scores: an overlap": Mistake(FRAMES + "0\t1\t0\n0.5\t2\t0\n", "broken-frames", 3, ("0.5 s",)),
    "scores: no length": Mistake(FRAMES + "0\t1\t0\n1\t1\t0\n", "broken-frames", 3, ("ends at 1 s",)),
    "scores: no frames": Mistake(FRAMES, "broken-frames", None, ("no frames",)),
    "scores: unequal frames": Mistake(
        FRAMES + "0\t1\t0\n1\t3\t0\n3\t4\t0\n", "unequal-frames", 3, ("2 s long", "1 s", "median")
    ),
    "scores: bad onset": Mistake(FRAMES + "zero\t1\t0\n", "bad-time", 2, ("`zero`",)),
    "scores: low above high": Mistake(
        SCORES, "bad-decoding", None, ("low threshold",), {"decoding": Decoding(exact("0.2"), exact("0.5"))}
    ),
    "scores: even median": Mistake(
        SCORES, "bad-decoding", None, ("4 is even", "odd"), {"decoding": Decoding(exact("0.5"), None, 4)}
    ),
    "scores: median of nothing": Mistake(
        SCORES, "bad-decoding", None, ("odd",), {"decoding": Decoding(exact("0.5"), None, 0)}
    ),
    "scores: threshold beyond 1": Mistake(SCORES, "bad-decoding", None, ("outside 0 to 1",), {"decoding": "50"}),
    "scores: threshold is a word": Mistake(SCORES, "bad-decoding", None, ("`half`", "0.5"), {"decoding": "half"}),
    # BioDCASE
    "biodcase: no start column": Mistake(
        "dataset,filename,annotation,start,end_datetime\n", "wrong-columns", 1, ("`start_datetime`",)
    ),
    "biodcase: bad date": Mistake(
        BIODCASE_HEADER + f"a,{NAME},x,04/02/2015 03:00,\n", "bad-date", 2, ("`04/02/2015 03:00`", "2015-02-04T")
    ),
    "biodcase: no such day": Mistake(
        BIODCASE_HEADER + f"a,{NAME},x,2015-02-30T03:00:00Z,\n", "bad-date", 2, ("day of the calendar",)
    ),
    "biodcase: no such hour": Mistake(
        BIODCASE_HEADER + f"a,{NAME},x,2015-02-04T24:00:00Z,\n", "bad-date", 2, ("time of day",)
    ),
    "biodcase: name without start": Mistake(
        BIODCASE_HEADER + "a,rec1.wav,x,2015-02-04T03:00:00Z,\n", "bad-date", 2, ("`rec1.wav`", "milliseconds")
    ),
    "biodcase: name with odd milliseconds": Mistake(
        BIODCASE_HEADER + "a,2015-02-04T03-00-00_12.wav,x,2015-02-04T03:00:00Z,\n", "bad-date", 2, ("milliseconds",)
    ),
    "biodcase: before its file": Mistake(
        BIODCASE_HEADER + f"a,{NAME},x,2015-02-04T02:59:59.5Z,\n", "bad-time", 2, ("0.5 s before", "UTC")
    ),
    "biodcase: no label": Mistake(
        BIODCASE_HEADER + f"a,{NAME},,2015-02-04T03:00:00Z,\n", "incomplete-row", 2, ("`annotation`",)
    ),
    # Formats
    "an unknown format": Mistake(
        AUDACITY, "unknown-format", None, ("`audacty`", "did you mean `audacity`"), {"format": "audacty"}
    ),
    "a wider table without its header": Mistake(
        "a.wav\t0\t1\tdog\tb\n", "wrong-columns", 1, ("`a.wav", "`filename`", "name the columns")
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_reported_with_its_place_and_a_way_out(mistake: Mistake, tmp_path: Path) -> None:
    put(tmp_path, {"clip.txt": mistake.text})
    _, found = read(tmp_path / "clip.txt", **{"decoding": HALF, **mistake.how})
    assert found, "nothing was said"
    first = found[0]
    assert first.code == mistake.code
    assert places(found)[0][2] == mistake.row
    said = f"{first.headline} / {first.help}"
    assert all(word in said for word in mistake.words), said


def test_the_untouched_texts_have_no_findings(tmp_path: Path) -> None:
    for text in (AUDACITY, LIST, RAVEN, MAESTRO, SCORES, BIODCASE):
        put(tmp_path, {"clip.txt": text})
        assert read(tmp_path / "clip.txt", decoding=HALF)[1] == []


def test_a_last_frame_may_be_shorter(tmp_path: Path) -> None:
    put(tmp_path, {"clip.txt": FRAMES + "0\t1\t0\n1\t2\t0\n2\t2.5\t1\n"})
    assert read(tmp_path / "clip.txt", decoding=HALF)[1] == []


def test_every_wrong_row_is_reported(tmp_path: Path) -> None:
    put(tmp_path, {"clip.txt": FRAMES + "0\t1\tx\n1\t2\t2\n2\t3\t-1\n"})
    _, found = read(tmp_path / "clip.txt", decoding=HALF)
    assert places(found) == [("bad-score", "clip.txt", row) for row in (2, 3, 4)]


def test_a_folder_of_two_formats_is_refused(tmp_path: Path) -> None:
    put(tmp_path, {"0.md5": "# Labels\n", "a.txt": AUDACITY, "b.txt": AUDACITY, "c.txt": TEXTGRID})
    table, found = read(tmp_path)
    assert places(found) == [("mixed-formats", "0.md5", None), ("mixed-formats", "c.txt", None)]
    assert table.clips == {}


def test_two_files_of_one_clip_are_refused(tmp_path: Path) -> None:
    put(tmp_path, {"a.csv": AUDACITY, "a.txt": AUDACITY})
    assert places(read(tmp_path)[1]) == [("ambiguous-clip", "a.txt", None)]


def test_a_folder_of_tables_is_refused(tmp_path: Path) -> None:
    put(tmp_path, {"a.tsv": "filename\tonset\toffset\tevent_label\n"})
    _, found = read(tmp_path)
    assert [d.code for d in found] == ["unreadable-file"]
    assert "the table itself" in str(found[0].help)


def test_a_folder_of_empty_files_needs_a_name_for_its_format(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": "", "b.txt": "\n"})
    assert [d.code for d in read(tmp_path)[1]] == ["unknown-format"]
    assert read(tmp_path, format="audacity")[0].clips == {"a": (), "b": ()}


def test_a_class_column_missing_in_one_file_names_that_file(tmp_path: Path) -> None:
    put(tmp_path, {"a.tsv": SCORES, "b.tsv": SCORES.replace("dog", "dgo")})
    _, found = read(tmp_path, decoding=HALF)
    assert places(found) == [("wrong-columns", "b.tsv", 1), ("wrong-columns", "b.tsv", 1)]
    assert "did you mean `dgo`" in str(found[0].help)


def test_a_binary_file_in_a_folder_is_reported_by_its_name(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": AUDACITY})
    (tmp_path / "a.wav").write_bytes(b"RIFF\0\0\0\0")
    assert places(read(tmp_path)[1]) == [("bad-encoding", "a.wav", 1)]
