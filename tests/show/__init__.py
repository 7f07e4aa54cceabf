"""Tests of the views of a run."""
