"""Rows as a data frame, of pandas or of polars, whichever is installed."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def data_frame(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Any:
    """A pandas data frame, or one of polars where only that is installed; ImportError says how to get one."""
    table = [list(row) for row in rows]
    if find_spec("pandas") is not None:
        return import_module("pandas").DataFrame(table, columns=list(columns))
    if find_spec("polars") is not None:
        return import_module("polars").DataFrame(table, schema=list(columns), orient="row", strict=False)
    raise ImportError("a data frame needs pandas or polars: pip install pandas")
