"""Files and in-memory data become exact tables of events; whatever is wrong with them becomes diagnostics."""

from tracepact.io.documents import Document, read_document
from tracepact.io.masks import durations_of_masks, masks_from, table_of_masks
from tracepact.io.memory import conditions_from, durations_from, events_from, regions_from
from tracepact.io.tables import Conditions, read_conditions, read_durations, read_events, read_regions

__all__ = [
    "Conditions",
    "Document",
    "conditions_from",
    "durations_from",
    "durations_of_masks",
    "events_from",
    "masks_from",
    "read_conditions",
    "read_document",
    "read_durations",
    "read_events",
    "read_regions",
    "regions_from",
    "table_of_masks",
]
