"""Leagues: many systems on the same data, in one page."""
