"""Small corpora in the layouts of ESC-50 and UrbanSound8K: tones of a class's own pitch in noise."""

import csv
from pathlib import Path

import numpy as np
import soundfile

RATE = 16000
CLASSES = ("low", "middle", "high")


def clip(rng: np.random.Generator, target: int, rate: int = RATE) -> np.ndarray:
    time = np.arange(rate // 4) / rate
    pitch = 250 * 2**target * rng.uniform(0.95, 1.05)
    return 0.3 * np.sin(2 * np.pi * pitch * time) + 0.02 * rng.standard_normal(len(time))


def write_table(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def esc50(folder: Path, takes: int = 2) -> Path:
    """Five folds of three classes."""
    rng = np.random.default_rng(5)
    (folder / "audio").mkdir(parents=True)
    rows: list[dict[str, object]] = []
    for fold in range(1, 6):
        for target, name in enumerate(CLASSES):
            for take in range(takes):
                file = f"{fold}-{100 * target + take}-A-{target}.wav"
                soundfile.write(folder / "audio" / file, clip(rng, target), RATE)
                row = {"filename": file, "fold": fold, "target": target, "category": name}
                rows.append({**row, "esc10": False, "src_file": take, "take": "A"})
    write_table(folder / "meta" / "esc50.csv", rows)
    return folder


def urbansound8k(folder: Path) -> Path:
    """Ten folds; sounds of several rates, channels and lengths."""
    rng = np.random.default_rng(6)
    rows: list[dict[str, object]] = []
    for fold in range(1, 11):
        place = folder / "audio" / f"fold{fold}"
        place.mkdir(parents=True)
        for target, name in enumerate(CLASSES):
            rate = (8000, 44100, 16000)[target]
            file = f"{fold}-{target}-0-0.wav"
            heard = clip(rng, target, rate)[: rate // (8 + fold)]
            soundfile.write(place / file, np.stack([heard, heard], axis=1) if fold % 2 else heard, rate)
            rows.append({"slice_file_name": file, "fold": fold, "classID": target, "class": name})
    write_table(folder / "metadata" / "UrbanSound8K.csv", rows)
    return folder
