"""Scoring in batches of clips: a plan over names, batches by an engine, their tallies added."""
