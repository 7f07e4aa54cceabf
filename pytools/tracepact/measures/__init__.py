"""The standard metrics of the field on intervals and on traces, each with its declared policy."""
