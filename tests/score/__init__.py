"""Tests of run directories."""
