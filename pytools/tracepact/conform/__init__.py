"""Other implementations tested against the reference: protocol, vectors, generators, oracle."""
