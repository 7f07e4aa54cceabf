"""Benchmarks: measured ratios beside their targets, never asserted by a test. Run `python -m benchmarks` in pytools."""
