"""Every threshold of a score field at once: counts, curves, metrics and PSDS as exact step functions."""
