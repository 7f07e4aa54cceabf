"""Hypothesis profiles: CI runs a modest size; TRACEPACT_EXAMPLES=1000 makes every property larger."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "tracepact",
    max_examples=int(os.environ.get("TRACEPACT_EXAMPLES", "200")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("tracepact")
