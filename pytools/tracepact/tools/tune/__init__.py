"""`tracepact tune`: the decoding that is best for a declared objective."""
