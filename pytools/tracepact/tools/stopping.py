"""Requests to end that do what Ctrl-C does: what was started ends too, and what is kept is said."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ended_as_by_hand() -> Iterator[None]:
    """SIGTERM, and SIGHUP of a closed terminal, raise KeyboardInterrupt; what is ignored (`nohup`) stays ignored."""

    def end(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    numbers = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    heard = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
