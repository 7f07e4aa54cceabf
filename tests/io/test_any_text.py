"""Whatever a file holds, reading it gives events or diagnostics with their file, and never fails."""

import formats
import pytest
from formats import put, read
from hypothesis import given
from hypothesis import strategies as st

from tracepact.data.formats import FORMATS
from tracepact.data.labels import label_map_from
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace

SIGNS = '\t,\n\r\\"01x ;=[{!ü\x0b\u2028'
WORDS = """""|0.5|-1|1e9|1e-999|nan|dog|<exists>|[1]|onset|offset|filename|event_label|annotation|start_datetime|
Selection|Begin Time (s)|End Time (s)|Species|2015-02-04T03:00:00Z|2015-02-04T03-00-00_000.wav|SPEAKER|NOSCORE|POS|UNK|
Audiofilename|Starttime|Endtime|Start (s)|Confidence|timestamp|label|<TIER>|</TIER>|"data": |null|a.wav"""
NAMES = """AUDACITY RAVEN MAESTRO SCORES BIODCASE TEXTGRID RTTM CTM UEM LAB PAM PAM_POINTS BIRDNET CROWSETTA FEW_SHOT
SELD EAF JAMS AOEF LIST"""
TEXTS = [getattr(formats, name) for name in NAMES.split()]
PIECES = st.sampled_from([*SIGNS, *WORDS.replace("\n", "").split("|")])
GARBAGE = st.lists(PIECES, max_size=25).map("".join)


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A good text with a piece cut out or put in, once or twice."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 2))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + draw(st.just("") | GARBAGE) + text[end:]
    return text


MAPS = st.sampled_from([None, None, "onset=onset,label=dog", "clip=1,onset=2,duration=3", "onset==1,label=label", "x"])


@given(
    text=GARBAGE | damaged(),
    format=st.none() | st.sampled_from(FORMATS),
    decoding=st.sampled_from([None, "0.5"]),
    columns=MAPS,
    rate=st.sampled_from([None, "16000", "0"]),
)
def test_any_text_gives_events_or_diagnostics(
    text: str,
    format: str | None,
    decoding: str | None,
    columns: str | None,
    rate: str | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = put(tmp_path_factory.mktemp("any"), {"f/clip.txt": text})
    for path in (folder / "f" / "clip.txt", folder / "f"):
        table, found = read(path, format=format, decoding=decoding, columns=columns, rate=rate)
        for finding in found:
            assert finding.headline
            assert finding.headline.isprintable()
            if finding.place is None:  # it is about the options
                assert finding.code == "bad-columns"
                continue
            assert isinstance(finding.place, RowPlace)
            assert finding.place.row is None or 1 <= finding.place.row <= text.count("\n") + text.count("\r") + 1
        for _, event in table.events:
            assert event.label
            assert event.onset >= 0


@given(
    text=st.text(
        st.sampled_from('abc=[]"{}.,\n\t #123-') | st.characters(codec="utf-8", exclude_characters="\0"), max_size=40
    )
)
def test_any_label_map_gives_a_map_or_diagnostics(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = put(tmp_path_factory.mktemp("any"), {"labels.toml": text})
    diagnostics = Diagnostics()
    found = label_map_from(folder / "labels.toml", diagnostics)
    assert (found is None) == bool(diagnostics.errors)
