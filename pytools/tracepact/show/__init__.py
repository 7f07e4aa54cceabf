"""Draws tables, figures and pages; knows no subject."""
