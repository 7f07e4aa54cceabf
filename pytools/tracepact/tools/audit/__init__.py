"""Audits: what a result depends on. One module per audit: what it computes, how it is shown, its command."""
