"""Curves over every threshold, and the decoding that is best for a declared objective."""
