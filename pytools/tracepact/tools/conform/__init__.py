"""Other implementations tested against the reference."""
