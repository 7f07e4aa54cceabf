"""Real corpora under the contracts: soft labels as annotated, the lab's detectors on real sound, score files."""
