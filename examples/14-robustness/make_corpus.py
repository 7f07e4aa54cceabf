"""Make a corpus of tones in the layout of ESC-50: five folds of four classes, a quarter of a second each."""

import csv
import sys
from pathlib import Path

import numpy as np
import soundfile

RATE = 16000
PITCHES = {"low": 250, "middle": 500, "high": 1000, "highest": 2000}

folder = Path(sys.argv[1])
(folder / "audio").mkdir(parents=True, exist_ok=True)
(folder / "meta").mkdir(exist_ok=True)
rng = np.random.default_rng(1)
with open(folder / "meta" / "esc50.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(["filename", "fold", "target", "category", "esc10", "src_file", "take"])
    for fold in range(1, 6):
        for target, (name, pitch) in enumerate(PITCHES.items()):
            for take in "AB":
                sound = f"{fold}-{target}-{take}-{target}.wav"
                time = np.arange(RATE // 4) / RATE
                tone = 0.3 * np.sin(2 * np.pi * pitch * rng.uniform(0.95, 1.05) * time)
                soundfile.write(folder / "audio" / sound, tone + 0.02 * rng.standard_normal(len(time)), RATE)
                table.writerow([sound, fold, target, name, False, target, take])
print(f"wrote 40 clips to {folder}")
