"""The score rows of a run as Parquet, a view of `scores.csv` for those who read columns."""

from io import BytesIO
from typing import Any

from tracepact.diagnostics import Diagnostics
from tracepact.scoring import Scorecard
from tracepact.tools.score.store.rows import score_rows

NAME = "scores.parquet"


def parquet_rows(card: Scorecard) -> bytes:
    """The scores of a scorecard, one row for each clip, class and clause; InvalidInput without pyarrow."""
    pyarrow = _pyarrow()
    clips, labels, clauses, satisfied, obligated, _, _, vacuous = zip(*score_rows(card), strict=True)
    names = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    columns = {
        "filename": pyarrow.array(clips, pyarrow.string()).cast(names),
        "event_label": pyarrow.array(labels, pyarrow.string()).cast(names),
        "clause": pyarrow.array(clauses, pyarrow.string()).cast(names),
        "satisfied": pyarrow.array(satisfied, pyarrow.int64()),
        "obligated": pyarrow.array(obligated, pyarrow.int64()),
        "vacuous": pyarrow.array([text == "true" for text in vacuous], pyarrow.bool_()),
    }
    held = BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), held)
    return held.getvalue()


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        diagnostics = Diagnostics()
        help = "pip install 'tracepact[parquet]', or leave the rows as CSV"
        diagnostics.add("missing-extra", "Parquet needs the package `pyarrow`, which is not installed", help=help)
        diagnostics.raise_errors()
    return pyarrow
