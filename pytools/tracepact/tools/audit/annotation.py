"""How ambiguous soft labels are: the entropy of their cells and the share that could go either way (rule 16.5)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import fsum, log2

from tracepact.io import SoftTable

_NUMBERED = re.compile(r"[-_ ]*[0-9]+$")
_QUARTER, _THREE_QUARTERS = Decimal("0.25"), Decimal("0.75")


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """The soft labels of one scene, or of all: cells, those between a quarter and three quarters, mean entropy.

    The entropy, in bits, is the one float and is for reading.
    """

    scene: str
    clips: int
    cells: int
    between: int
    entropy: float

    @property
    def share(self) -> Fraction | None:
        """The share of cells from a quarter to three quarters; None without cells."""
        return Fraction(self.between, self.cells) if self.cells else None


@dataclass(frozen=True, slots=True)
class Annotation:
    """The ambiguity of every scene, sorted by name, and of all of them."""

    scenes: tuple[Ambiguity, ...]
    total: Ambiguity


def audit_annotation(soft: SoftTable, scenes: Mapping[str, str] | None = None) -> Annotation:
    """Group the cells of soft labels by the scene of their clip; without a table by its name less its number."""
    values: dict[str, list[Decimal]] = {}
    clips: dict[str, int] = {}
    for clip, events in soft.clips.items():
        scene = scenes[clip] if scenes is not None else scene_of(clip)
        clips[scene] = clips.get(scene, 0) + 1
        values.setdefault(scene, []).extend(event.confidence for event in events)
    found = tuple(_ambiguity(scene, clips[scene], values[scene]) for scene in sorted(values))
    everything = [value for some in values.values() for value in some]
    return Annotation(found, _ambiguity("all", sum(clips.values()), everything))


def scene_of(clip: str) -> str:
    """The name of a clip without folder, extension and number: `cafe_restaurant_03.wav` is `cafe_restaurant`."""
    stem = clip.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return _NUMBERED.sub("", stem) or stem


def entropy(value: Decimal) -> float:
    """The entropy of a coin with this chance, in bits."""
    if not 0 < value < 1:
        return 0.0
    p = float(value)
    return -p * log2(p) - (1 - p) * log2(1 - p)


def _ambiguity(scene: str, clips: int, values: list[Decimal]) -> Ambiguity:
    between = sum(1 for value in values if _QUARTER <= value <= _THREE_QUARTERS)
    mean = fsum(map(entropy, values)) / len(values) if values else 0.0
    return Ambiguity(scene, clips, len(values), between, mean)
