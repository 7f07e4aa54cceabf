"""Tables of Hugging Face `datasets`, by what they can do: nested rows are references, sound is left alone."""

from typing import Any

import pytest
from formats import listed

import tracepact
from tracepact.data.memory import events_from
from tracepact.diagnostics.collection import Diagnostics

pa = pytest.importorskip("pyarrow")


class ClassLabel:
    """A feature whose numbers have names."""

    names = ("dog", "cat")


class ListOf:
    """A feature of lists."""

    def __init__(self, feature: Any) -> None:
        self.feature = feature


class Dataset:
    """As much of `datasets.Dataset` as is asked of one: rows as Arrow, and never as Python objects."""

    def __init__(self, columns: dict[str, Any], features: dict[str, Any] | None = None) -> None:
        self._table = pa.table(columns)
        self.column_names = self._table.column_names
        self.features = {**dict.fromkeys(self.column_names), **(features or {})}
        self._is_arrow = False

    def with_format(self, kind: str) -> "Dataset":
        assert kind == "arrow"
        other = Dataset({name: self._table.column(name) for name in self.column_names}, self.features)
        other._is_arrow = True
        return other

    def __getitem__(self, rows: slice) -> Any:
        assert self._is_arrow, "rows as Python objects decode their sound"
        return self._table.slice(0, 0) if rows.stop == 0 else self._table


SOUND = [{"bytes": b"RIFF", "path": "/data/a.wav"}, {"bytes": None, "path": "b.wav"}]
EVENTS = {"a.wav": [("1/2", "5/4", "dog"), ("2", "3", "cat")], "b.wav": []}
FORMS = {
    "events as a list": (
        {
            "audio": SOUND,
            "events": [
                [{"onset": 0.5, "offset": 1.25, "label": "dog"}, {"onset": 2.0, "offset": 3.0, "label": "cat"}],
                [],
            ],
        },
        {},
    ),
    "lists by part": (
        {
            "audio": SOUND,
            "events": [
                {"start": [0.5, 2.0], "end": [1.25, 3.0], "label": [0, 1]},
                {"start": [], "end": [], "label": []},
            ],
        },
        {"events": {"start": ListOf(None), "end": ListOf(None), "label": ListOf(ClassLabel())}},
    ),
    "a column for each part": (
        {"file": ["a.wav", "b.wav"], "onset": [[0.5, 2], []], "offset": [[1.25, 3], []], "label": [[0, 1], []]},
        {"label": ListOf(ClassLabel())},
    ),
    "names of classes within events": (
        {
            "path": ["deep/a.wav", "b.wav"],
            "events": [[{"onset": 0.5, "offset": 1.25, "label": 0}, {"onset": 2.0, "offset": 3.0, "label": 1}], []],
        },
        {"events": ListOf({"onset": None, "offset": None, "label": ClassLabel()})},
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_row_is_a_clip_with_its_events(form: str) -> None:
    found = Diagnostics()
    assert listed(events_from(Dataset(*FORMS[form]), found, name="ref")) == EVENTS
    assert not list(found)


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({"file": ["a"], "onset": [[0.5, 1]], "offset": [[1.0]], "label": [["x", "y"]]}, "wrong-columns"),
        ({"file": ["a"], "onset": [[0.5]], "offset": [[1.0]]}, "wrong-columns"),
        ({"speaker": ["a"], "onset": [[0.5]], "offset": [[1.0]], "label": [["x"]]}, "wrong-columns"),
        ({"file": ["a", "a"], "onset": [[0.5]] * 2, "offset": [[1.0]] * 2, "label": [["x"]] * 2}, "ambiguous-clip"),
        ({"file": ["a"], "onset": [[None]], "offset": [[1.0]], "label": [["x"]]}, "incomplete-row"),
    ],
)
def test_what_rows_lack_is_told(columns: dict[str, Any], code: str) -> None:
    found = Diagnostics()
    events_from(Dataset(columns), found, name="ref")
    assert [d.code for d in found] == [code]


def test_a_flat_table_is_read_as_a_data_frame() -> None:
    flat = {"filename": ["a", "a"], "onset": [0.5, 2], "offset": [1.25, 3], "event_label": ["dog", "cat"]}
    found = Diagnostics()
    table = events_from(Dataset(flat), found, name="ref")
    assert listed(table) == {"a": EVENTS["a.wav"]}
    assert not list(found)


def test_a_table_is_scored() -> None:
    run = tracepact.score("boundary_gate", Dataset(*FORMS["events as a list"]), {"a.wav": [], "b.wav": []}, durations=5)
    assert run.vector["missing_guard"] == 0
