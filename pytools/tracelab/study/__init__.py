"""The measurement study: stages with stored results, rows, tables, findings, and the page."""
