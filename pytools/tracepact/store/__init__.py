"""A run directory: score rows and tables first, everything else a view of them."""

from tracepact.store.opening import StoredRun, open_run
from tracepact.store.rows import ScoreRows, match_rows, score_rows, witness_rows
from tracepact.store.tables import write_csv
from tracepact.store.verify import Drift, Verification, verify_run
from tracepact.store.writing import write_run

__all__ = [
    "Drift",
    "ScoreRows",
    "StoredRun",
    "Verification",
    "match_rows",
    "open_run",
    "score_rows",
    "verify_run",
    "witness_rows",
    "write_csv",
    "write_run",
]
