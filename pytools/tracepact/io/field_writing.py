"""Writes score fields: score files, an `.npz` or a Parquet file, so that reading gives the same field (rule 13.34)."""

import zipfile
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.files import table_text
from tracepact.io.field import CLASSES, STEP
from tracepact.io.scores import CLIP, EDGES
from tracepact.io.source import shown
from tracepact.trace import ScoreField, frame_edges
from tracepact.wording import print_number

SCORE_FILES, NPZ, PARQUET = "scores", "npz", "parquet"
FIELD_FORMATS = (SCORE_FILES, NPZ, PARQUET)
"""The formats of scores that can be written; the first is a folder of one file a clip."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


def written_field(field: ScoreField, format: str, diagnostics: Diagnostics) -> dict[str, bytes]:
    """The bytes of each file by its path in the folder; a single file has the one path that is empty (rule 13.34)."""
    _check_classes(field, diagnostics)
    return _WRITERS[format](field, diagnostics)


def _fault(field: ScoreField, headline: str, help: str, diagnostics: Diagnostics) -> None:
    diagnostics.add("unwritable-value", headline, RowPlace(field.name), help)


def _check_classes(field: ScoreField, diagnostics: Diagnostics) -> None:
    for label in field.classes:
        if label != label.strip() or any(sign in label for sign in "\t\n\r\0") or label in (CLIP, *EDGES):
            _fault(field, f"the class `{shown(label)}` is no name for a column", "rename the class", diagnostics)


def _edges(field: ScoreField, clip: str, diagnostics: Diagnostics) -> list[str]:
    """The edges of a clip as decimals."""
    texts = [print_number(edge) for edge in field.clips[clip].edges]
    if any("/" in text for text in texts):
        headline = f"a time of `{shown(clip)}` has no finite decimal"
        _fault(field, headline, "only an .npz file with a step can hold it", diagnostics)
    return texts


def _score_files(field: ScoreField, diagnostics: Diagnostics) -> dict[str, bytes]:
    texts = [field.levels.text(rank) for rank in range(len(field.levels))]
    found = {}
    for clip, own in field.clips.items():
        parts = PurePosixPath(clip).parts
        if not parts or "/".join(parts) != clip or any(part.startswith((".", "/")) for part in parts):
            _fault(field, f"`{shown(clip)}` is not a name for a file", "write an .npz file instead", diagnostics)
        edges = _edges(field, clip, diagnostics)
        rows = (
            (edges[i], edges[i + 1], *(texts[rank] for rank in ranks)) for i, ranks in enumerate(own.ranks.tolist())
        )
        found[f"{clip}.tsv"] = table_text((*EDGES, *field.classes), rows).encode()
    return found


def _floats(field: ScoreField, diagnostics: Diagnostics) -> NDArray[np.float64]:
    """The scores as floats, where each float stands for its score."""
    for rank in list(field.levels.texts)[:1]:
        headline = f"the score {shown(field.levels.text(rank))} has more digits than a float"
        _fault(field, headline, "write score files: --to scores", diagnostics)
    return field.levels.floats


def _npz(field: ScoreField, diagnostics: Diagnostics) -> dict[str, bytes]:
    floats = _floats(field, diagnostics)
    steps = {own.edges[1] - own.edges[0] for own in field.clips.values()}
    step = min(steps, default=Fraction(1))
    arrays: dict[str, NDArray[Any]] = {CLASSES: np.array(field.classes), STEP: np.array(print_number(step))}
    for clip, own in field.clips.items():
        if own.edges != frame_edges(len(own.ranks), step):
            headline = f"the frames of `{shown(clip)}` do not all have the length {print_number(step)} s, from 0 on"
            _fault(field, headline, "write score files or Parquet: --to scores, --to parquet", diagnostics)
        if clip in (CLASSES, STEP):
            _fault(field, f"a clip `{clip}` cannot be told from what an .npz file says", "rename the clip", diagnostics)
        scores = floats[own.ranks]
        arrays.setdefault(clip, scores.astype(np.bool_) if field.is_mask else scores)
    held = BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        for name, array in arrays.items():
            part = BytesIO()
            np.lib.format.write_array(part, array, allow_pickle=False)
            file.writestr(zipfile.ZipInfo(f"{name}.npy", _EPOCH), part.getvalue(), zipfile.ZIP_DEFLATED)
    return {"": held.getvalue()}


def _parquet(field: ScoreField, diagnostics: Diagnostics) -> dict[str, bytes]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        help = "pip install 'tracepact[parquet]'"
        diagnostics.add("missing-extra", "Parquet needs the package `pyarrow`, which is not installed", help=help)
        return {}
    floats = _floats(field, diagnostics)
    times: dict[str, list[str]] = {edge: [] for edge in EDGES}
    clips: list[str] = []
    for clip, own in field.clips.items():
        edges = _edges(field, clip, diagnostics)
        clips += [clip] * len(own.ranks)
        times["onset"] += edges[:-1]
        times["offset"] += edges[1:]
    ranks = np.concatenate([own.ranks for own in field.clips.values()])
    columns: dict[str, Any] = {CLIP: pyarrow.array(clips, pyarrow.string()).dictionary_encode()}
    columns |= {edge: _times(texts) for edge, texts in times.items()}
    columns |= {label: floats[ranks[:, place]] for place, label in enumerate(field.classes)}
    held = BytesIO()
    parquet.write_table(pyarrow.table(columns), held)
    return {"": held.getvalue()}


def _times(texts: Sequence[str]) -> Any:
    """Decimals as floats where each is the shortest one of its float, else as they are."""
    floats = [0.0 if "/" in text else float(text) for text in texts]
    exact = all(Fraction(repr(value)) == Fraction(text) for value, text in set(zip(floats, texts, strict=True)))
    return np.array(floats) if exact else list(texts)


_WRITERS: Mapping[str, Callable[[ScoreField, Diagnostics], dict[str, bytes]]] = {
    SCORE_FILES: _score_files,
    NPZ: _npz,
    PARQUET: _parquet,
}
