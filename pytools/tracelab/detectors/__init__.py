"""Detectors: what each is trained with, what it hears, and how its scores become events."""
