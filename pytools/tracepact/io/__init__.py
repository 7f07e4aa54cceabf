"""Files and in-memory data become exact tables of events; whatever is wrong with them becomes diagnostics.

Each name is loaded when it is first used: most commands need few of the readers.
"""

from typing import TYPE_CHECKING

from tracepact.lazy import loader

if TYPE_CHECKING:
    from tracepact.io.audio import AudioFolder
    from tracepact.io.columns import Columns
    from tracepact.io.decoding import ClassDecodings, Decoding, decode
    from tracepact.io.decoding_file import decoding_text, read_decoding
    from tracepact.io.documents import Document, read_document
    from tracepact.io.field import read_scores, score_field
    from tracepact.io.labels import LabelMap, label_map_from
    from tracepact.io.masks import durations_of_masks, masks_from, table_of_masks
    from tracepact.io.memory import conditions_from, durations_from, events_from, regions_from
    from tracepact.io.preparing import Prepared, prepare
    from tracepact.io.reading import Reading, read_events
    from tracepact.io.soft import SoftTable, harden, read_soft
    from tracepact.io.tables import Conditions, read_conditions, read_durations, read_regions

_HOMES = {
    "AudioFolder": "audio",
    "ClassDecodings": "decoding",
    "Columns": "columns",
    "Conditions": "tables",
    "Decoding": "decoding",
    "Document": "documents",
    "LabelMap": "labels",
    "Prepared": "preparing",
    "Reading": "reading",
    "SoftTable": "soft",
    "conditions_from": "memory",
    "decode": "decoding",
    "decoding_text": "decoding_file",
    "durations_from": "memory",
    "durations_of_masks": "masks",
    "events_from": "memory",
    "harden": "soft",
    "label_map_from": "labels",
    "masks_from": "masks",
    "prepare": "preparing",
    "read_conditions": "tables",
    "read_decoding": "decoding_file",
    "read_document": "documents",
    "read_durations": "tables",
    "read_events": "reading",
    "read_regions": "tables",
    "read_scores": "field",
    "read_soft": "soft",
    "regions_from": "memory",
    "score_field": "field",
    "table_of_masks": "masks",
}

__all__ = [
    "AudioFolder",
    "ClassDecodings",
    "Columns",
    "Conditions",
    "Decoding",
    "Document",
    "LabelMap",
    "Prepared",
    "Reading",
    "SoftTable",
    "conditions_from",
    "decode",
    "decoding_text",
    "durations_from",
    "durations_of_masks",
    "events_from",
    "harden",
    "label_map_from",
    "masks_from",
    "prepare",
    "read_conditions",
    "read_decoding",
    "read_document",
    "read_durations",
    "read_events",
    "read_regions",
    "read_scores",
    "read_soft",
    "regions_from",
    "score_field",
    "table_of_masks",
]


__getattr__ = loader(__name__, _HOMES)
