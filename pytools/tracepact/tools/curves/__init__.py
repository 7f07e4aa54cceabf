"""`tracepact curves`: every threshold of a score field at once."""
