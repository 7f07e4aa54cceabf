"""How large random tests are, and their order: TRACEPACT_EXAMPLES=1000 makes every property larger than in CI."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("TRACEPACT_EXAMPLES", "50")
settings.register_profile(
    "tracepact",
    max_examples=int(os.environ["TRACEPACT_EXAMPLES"]),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("tracepact")
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # `nohup` makes programs that tests start deaf to it


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, so that no worker is left with one while the others have nothing to do."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
