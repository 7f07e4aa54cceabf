"""A stream of frames monitored while it arrives."""
