"""Tests of the standard metrics."""
