"""Where batches of work are done: in this process, in several, or on a Dask cluster; results are added as they come."""

from tracepact.engines.model import Engine, EngineKind, EngineLost, Progress, Work, engine_from, no_progress
from tracepact.engines.running import kept_engine, run_tasks

__all__ = [
    "Engine",
    "EngineKind",
    "EngineLost",
    "Progress",
    "Work",
    "engine_from",
    "kept_engine",
    "no_progress",
    "run_tasks",
]
