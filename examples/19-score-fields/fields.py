"""Scores that are still in memory: an array of frames × classes for each clip, as a network gives them."""

import numpy as np

import tracepact

with np.load("scores.npz") as stored:
    clips = {name: stored[name] for name in stored.files if name not in ("classes", "step")}
    classes = stored["classes"].tolist()

field = tracepact.score_field(clips, classes=classes, step="0.04")
run = tracepact.score("boundary_gate", "reference.tsv", field, decoding=0.5, margins=True)
for violation in run.violations("onset_guard"):
    print(violation["clip"], violation["class"], violation["time"], "s, margin", violation["margin"])
