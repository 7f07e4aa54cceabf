"""Both sides of what is done in batches, in pieces or in memory, with what goes with them."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tracepact.io import AudioFolder, Conditions, LabelMap
from tracepact.io.dataset import Dataset
from tracepact.io.file_folder import FileFolder
from tracepact.io.outside import Outside
from tracepact.tools.score.batches.names import origin_of
from tracepact.tools.score.batches.sums import BatchSum, SideSum, Tallied
from tracepact.tools.score.inputs import input_name
from tracepact.tools.score.scored import Input
from tracepact.trace import Durations, EventTable, Regions

InPieces = Dataset | FileFolder
Source = InPieces | EventTable
Lengths = Durations | Fraction | AudioFolder | None


@dataclass(frozen=True, slots=True)
class Sides:
    """Both sides and what goes with them; `renamed` and `lengths_said` count the clips of each side."""

    reference: Source
    prediction: Source
    lengths: Lengths
    ignore: Regions | None
    conditions: Conditions | None
    labels: LabelMap | None
    outside: Outside
    renamed: tuple[int, int]
    lengths_said: tuple[int, int]

    @property
    def names(self) -> tuple[str, str]:
        """What both sides are called."""
        return self.reference.name, self.prediction.name

    @property
    def in_pieces(self) -> tuple[InPieces | None, InPieces | None]:
        """The sides that are read in pieces."""
        ref, pred = (None if isinstance(side, EventTable) else side for side in (self.reference, self.prediction))
        return ref, pred

    def inputs(self, durations: Durations | Fraction | None) -> tuple[Input, ...]:
        """The files that went in, in the order of a report."""
        named: list[tuple[str, Source | Durations | Conditions | LabelMap | None]] = [
            ("reference", self.reference),
            ("prediction", self.prediction),
            ("durations", durations if isinstance(durations, Durations) else None),
            ("ignore", self.ignore),
            ("conditions", self.conditions),
            ("label_map", self.labels),
        ]
        return tuple(Input(role, input_name(t.name), t.digest) for role, t in named if t is not None and t.digest)

    def preparation(self, total: BatchSum[Tallied]) -> dict[str, Any]:
        """What was done to both sides, as plain data of the form of `Preparation`."""
        record: dict[str, Any] = {}
        sums: tuple[SideSum, SideSum] = (total.reference, total.prediction)
        sides = zip(("reference", "prediction"), (self.reference, self.prediction), strict=True)
        for (role, side), own, renamed, said in zip(sides, sums, self.renamed, self.lengths_said, strict=True):
            origin = origin_of(side)
            record[role] = {
                "format": origin.format if origin else "memory",
                "decoding": dict(origin.decoding) if origin and origin.decoding else None,
                "renamed_clips": renamed,
                "lengths": said,
                "dropped": own.dropped,
                "ignored": own.ignored,
            }
        record["label_map"] = self.labels.data if self.labels is not None else None
        outside = [one.found.to_dict() for one in total.outside]
        if self.outside is not Outside.ERROR and (outside or self.outside is not Outside.FALSE_ALARM):
            record["outside"] = {"policy": self.outside.value, "events": outside}
        return record
