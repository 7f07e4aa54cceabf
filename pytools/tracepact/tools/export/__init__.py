"""Contracts in the languages of other tools."""
