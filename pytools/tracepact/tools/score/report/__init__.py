"""The report of a run: plain data, and its views as text, Markdown and a page."""
