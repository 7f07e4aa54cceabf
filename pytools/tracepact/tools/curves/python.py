"""`tracepact.curves`: every curve of a contract on scores, all clips at once or in batches."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, InvalidInput, one_of
from tracepact.engines import Engine
from tracepact.io import Reading
from tracepact.io.reading import with_frames
from tracepact.thresholds import CurveSettings
from tracepact.tools.curves.batches import curves_in_batches
from tracepact.tools.curves.curves import Curves, OnStep, curves_of_task
from tracepact.tools.score.batches.running import refuse_in_batches
from tracepact.tools.score.batches.sources import SidesData
from tracepact.tools.score.field_task import field_task
from tracepact.tools.score.inputs import contract_from
from tracepact.trace import Mode, Time


def curves(
    contract: Contract | str | Path,
    ref: Any,
    pred: Any,
    *,
    durations: Any = None,
    mode: Mode | str = Mode.CLASS_INDEXED,
    ignore: Any = None,
    median: int = 1,
    ref_reading: Reading | None = None,
    pred_reading: Reading | None = None,
    clips: Any = None,
    classes: Sequence[str] | None = None,
    step: Time | None = None,
    set: Mapping[str, str] | None = None,
    label_map: Any = None,
    settings: CurveSettings | None = None,
    on_step: OnStep = lambda done, of, what: None,
    engine: Engine | str | None = None,
    memory: str | int | None = None,
    batch_clips: int | None = None,
) -> Curves:
    """Every threshold of a score field at once: all curves of a contract and of the standard metrics, exact.

    Args:
        contract: a Contract, a path, the name of a starter contract, or contract text.
        ref: the references, in the forms of `score`.
        pred: the predicted scores: a score field (see `score_field`), arrays with `classes` and `step`, data frames
            of scores, or a path; or events with confidences, of which a threshold keeps those with a greater one.
        durations: as for `score`; by default a clip is as long as its scores, if it has scores of frames.
        mode: whether labels are kept apart (the default) or scored as one class.
        ignore: regions without obligations.
        median: the length of a median filter before every threshold, an odd number of frames.
        ref_reading: what the content of the reference does not say.
        pred_reading: the same for the predictions.
        clips: the clips to evaluate, as for `score`.
        classes: the classes of the columns of arrays, in order.
        step: the length of a frame of arrays, in seconds.
        set: new values of the contract's parameters, as text.
        label_map: as for `score`; of scores of frames no two columns may become one class.
        settings: the policies of the metrics.
        on_step: told how much of a long computation is done, of how much, and what it is.
        engine: as for `score_batches`: clips are counted in batches, and their counts added.
        memory: how much memory batches may take, as for `score_batches`; without an engine they are done here.
        batch_clips: the most clips of a batch.

    Returns:
        The curves; each is found when it is first asked for. In batches all counts are found first, and those of
        each clip that intervals need in a second pass when they are asked for; PSDS with settings of one's own is for
        all clips at once.

    Raises:
        InvalidInput: the contract or the data cannot be used; it carries every fault.
        OSError: a batch failed three times: curves of a part are not given.

    Examples:
        >>> import numpy as np
        >>> import tracepact
        >>> scores = np.array([[0.1], [0.9], [0.8], [0.3]])
        >>> field = tracepact.score_field({"a": scores}, classes=["dog"], step="0.5")
        >>> found = tracepact.curves("boundary_gate", {"a": [(0.5, 1.5, "dog")]}, field)
        >>> found.best("event_f1").threshold  # from 0.3 on one event, up to 0.8 of the right length
        Fraction(3, 5)
        >>> found.psds("psds1").value
        1.0
    """
    if median < 1 or median % 2 == 0:
        headline = f"the median filter's length {median} is not an odd number of frames"
        raise InvalidInput([Diagnostic("bad-decoding", headline)])
    compiled, kind = contract_from(contract, set), one_of(Mode, mode, "mode")
    options: SidesData = {
        "durations": durations,
        "ignore": ignore,
        "label_map": label_map,
        "ref_reading": with_frames(ref_reading, classes, step),
        "pred_reading": with_frames(pred_reading, classes, step),
    }
    if (engine, memory, batch_clips) == (None, None, None):
        task = field_task(compiled, ref, pred, mode=kind, clips=clips, **options)
        return curves_of_task(task, median, settings, on_step)
    refuse_in_batches(clips=clips)
    return curves_in_batches(
        compiled,
        ref,
        pred,
        median=median,
        mode=kind,
        settings=settings,
        engine=engine,
        memory=memory,
        batch_clips=batch_clips,
        on_step=on_step,
        **options,
    )
