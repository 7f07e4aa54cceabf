"""Runs compared: audits of what a result depends on, changes between runs, profiles, leagues."""
