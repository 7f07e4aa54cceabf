"""Files and in-memory data become exact tables of events; whatever is wrong with them becomes diagnostics."""

from tracepact.io.audio import AudioFolder
from tracepact.io.columns import Columns
from tracepact.io.decoding import ClassDecodings, Decoding, decode
from tracepact.io.decoding_file import decoding_text, read_decoding
from tracepact.io.documents import Document, read_document
from tracepact.io.field import read_scores, score_field
from tracepact.io.labels import LabelMap, label_map_from
from tracepact.io.masks import durations_of_masks, masks_from, table_of_masks
from tracepact.io.memory import conditions_from, durations_from, events_from, regions_from
from tracepact.io.prepare import Prepared, prepare
from tracepact.io.reading import Reading, read_events
from tracepact.io.soft import SoftTable, harden, read_soft
from tracepact.io.tables import Conditions, read_conditions, read_durations, read_regions

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
