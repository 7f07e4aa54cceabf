"""Exit codes, one meaning each, for every command."""

from enum import IntEnum


class Exit(IntEnum):
    """What a command's exit code says."""

    OK = 0
    VIOLATED = 1
    INVALID = 2
    UNKNOWN = 3
    FAILURE = 4
