"""Calibration sets: cases with ranks and a family of candidates, read with a place for every fault (chapter 14)."""
