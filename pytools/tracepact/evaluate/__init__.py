"""What a contract gives on a trace: masks, matches, counts, vectors; the reference beside the fast engines."""
