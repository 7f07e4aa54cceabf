"""Text that is no terminal: no number and no name of a table is cut; in a terminal, pictures are cut into parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tracepact
from tracepact.show.lines import parted

NAMES = st.text("abc_", min_size=1, max_size=60).map(lambda text: f"x{text}")


@pytest.mark.slow
@given(NAMES, NAMES, st.integers(2, 14))
def test_every_name_and_number_of_a_report_stands_whole(clause: str, label: str, classes: int) -> None:
    labels = [f"{label}{index}" for index in range(classes)]
    contract = f"contract c\nstep 20ms\nclause {clause} on ref_active : pred_active\n"
    run = tracepact.score(contract, [(0.1, 0.5, name) for name in labels], [(0.2, 0.9, labels[0])], durations=1)
    text = str(run)
    rows = [line for line in text.splitlines() if clause in line]
    assert "…" not in text
    assert len(rows) >= 2, "the vector and the table by class"
    by_class = next(line for line in rows if line.count("0.000") == classes - 1)
    assert "0.750" in by_class
    assert all(name in text for name in labels)


GAPS = st.integers(1, 9999).map(lambda frames: f" …{frames} more… ")


@given(
    st.lists(st.sampled_from("01") | GAPS, min_size=1, max_size=200),
    st.integers(0, 199),
    st.integers(50, 130),
    st.data(),
)
def test_a_picture_in_a_terminal_has_all_cells_in_parts_that_fit(
    columns: list[str], judged: int, width: int, data: st.DataObject
) -> None:
    quote = data.draw(st.sampled_from(["", "  | ", "   | "]))
    names = ["ref_active", "pred_onset"]
    label = max(map(len, [*names, "frame 12 of 9999"])) + 2
    shapes = {"0": ("·", "█"), "1": ("█", "█")}
    drawn = ["".join(shapes[c][row] if c in shapes else c for c in columns) for row in range(2)]
    marked = "".join(" " * len(c) if place != judged or len(c) > 1 else "▼" for place, c in enumerate(columns))
    lines = [quote + f"{name:<{label}}" + cells for name, cells in zip(names, drawn, strict=True)]
    head = (quote + f"{'frame 12 of 9999':<{label}}" + marked).rstrip()
    text = "\n".join(["before " * 40, head, *lines, "after"])
    shown = parted(text, width).split("\n")
    assert parted(text, None) == text
    assert (shown[0], shown[-1]) == ("before " * 40, "after")
    assert max(map(len, shown[1:])) <= width
    for name, cells in zip(names, drawn, strict=True):
        rows = [line.removeprefix(quote) for line in shown if line.startswith(quote + name)]
        assert "".join(row[label:] for row in rows).replace(" ", "") == cells.replace(" ", "")
        assert all(row.count("…") % 2 == 0 for row in rows)
    above = [(line.index("▼"), place) for place, line in enumerate(shown) if "▼" in line]
    assert len(above) == marked.count("▼")
    for column, place in above:
        assert [shown[place + 1 + row][column] for row in range(2)] == list(shapes[columns[judged]])
