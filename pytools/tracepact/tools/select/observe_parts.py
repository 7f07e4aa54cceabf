"""Frame candidates observed in parts by an engine: each part of the formulas on all cases (rule 14.35)."""

import errno
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from tracepact.core import Dag
from tracepact.engines import Engine, EngineKind, Work, run_tasks
from tracepact.tools.select.observe import Observation, observe_frames
from tracepact.tools.select.trials import Trials

_PARTS = 4
"""How many parts a worker has, so that none waits long for another."""


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """What all parts share."""

    dag: Dag
    asked: tuple[int, ...]
    trials: Trials
    dropped: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Parts that were observed, by their numbers, and why one was not."""

    parts: dict[int, Observation]
    lost: str | None = None

    def __add__(self, other: "_Found") -> "_Found":
        return _Found(self.parts | other.parts, self.lost or other.lost)


def observe_frames_by(
    engine: Engine, dag: Dag, asked: Sequence[int], formulas: Sequence[int], trials: Trials, dropped: bool = False
) -> Observation:
    """Each formula under each obligation, in the order of `observe_frames`; OSError if a part failed three times."""
    number = min(_PARTS * engine.number, len(formulas))
    if engine.kind is EngineKind.LOCAL or number < 2:
        return observe_frames(dag, asked, formulas, trials, dropped)
    bounds = [len(formulas) * k // number for k in range(number + 1)]
    tasks = [(k, tuple(formulas[bounds[k] : bounds[k + 1]])) for k in range(number)]
    work: Work[_Found] = Work(partial(_observe_part, _Job(dag, tuple(asked), trials, dropped)), tasks, _given_up)
    found = run_tasks(engine, work)
    assert found is not None  # there are parts
    if found.lost is not None:
        raise OSError(errno.EIO, f"a part of the candidates failed three times; the last fault was {found.lost}")
    return Observation.joined([found.parts[k] for k in range(number)])


def _observe_part(job: _Job, task: tuple[int, tuple[int, ...]]) -> _Found:
    number, formulas = task
    return _Found({number: observe_frames(job.dag, job.asked, formulas, job.trials, job.dropped)})


def _given_up(task: tuple[int, tuple[int, ...]], why: str) -> _Found:
    return _Found({}, why)
