"""Keeps a deadline where Z3's own timeout does not look at the clock, as in turning vectors into bits."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from time import monotonic
from typing import Any

_GRACE = 0.02
"""Seconds after the deadline: Z3's own timeout, which says why it stopped, comes first where it works."""


@contextmanager
def interrupted(context: Any, deadline: float) -> Iterator[None]:
    """Whatever the context computes is interrupted at the deadline."""
    timer = Timer(max(0.0, deadline - monotonic()) + _GRACE, context.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
