"""Hostile input, hostile programs, kills and full disks: generators of their own for every way into the program."""
