"""Text that is no terminal: no number and no name of a table is cut or broken over lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tracepact

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
