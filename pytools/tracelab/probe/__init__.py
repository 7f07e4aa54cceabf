"""Frozen encoders behind one boundary head, and detectors of others as they are, over the controlled scenes."""
