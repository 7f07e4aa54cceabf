"""How large random tests are: CI runs a modest size; TRACEPACT_EXAMPLES=1000 makes every property larger."""

import os

from hypothesis import HealthCheck, settings

os.environ.setdefault("TRACEPACT_EXAMPLES", "100")
settings.register_profile(
    "tracepact",
    max_examples=int(os.environ["TRACEPACT_EXAMPLES"]),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("tracepact")
