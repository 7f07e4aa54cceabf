"""What verifying a folder of results found: how much was computed again, and what is not as it was."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import msgspec

UNREADABLE = (
    OSError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    BadZipFile,
    EOFError,
    msgspec.MsgspecError,
)
"""What a stored file that is not as it was written can end in where it is used."""
_MOST_DRAWS = 100_000


@dataclass(frozen=True, slots=True)
class Verified:
    """How much was checked, what is not as it was, and what may be said if nothing drifted."""

    checked: str
    drifts: tuple[str, ...]
    seal: str = ""

    @property
    def holds(self) -> bool:
        """Whether everything is as it was."""
        return not self.drifts


def unreadable(error: Exception) -> str:
    """What kept a stored file from being used, in words."""
    match error:
        case OSError(strerror=str() as reason, filename=str() as name):
            return f"{Path(name).name}: {reason}"
        case BadZipFile() | EOFError():
            return f"stored arrays are damaged ({error})"
        case KeyError():
            return f"a file has no part called {error}"
    return str(error)


def stored_draws(record: Mapping[str, Any]) -> int:
    """How many draws the intervals of a record rest on; ValueError for more than anybody makes."""
    draws = record["draws"]
    if not isinstance(draws, int) or not 0 < draws <= _MOST_DRAWS:
        raise ValueError(f"the record has `{draws}` draws, not 1 to {_MOST_DRAWS:,}")
    return draws
