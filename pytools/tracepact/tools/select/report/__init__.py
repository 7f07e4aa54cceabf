"""A selection as plain data, text, figure and page."""
