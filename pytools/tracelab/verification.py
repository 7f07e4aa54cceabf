"""What verifying a folder of results found: how much was computed again, and what is not as it was."""

from dataclasses import dataclass


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
