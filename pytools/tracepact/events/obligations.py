"""The obligations of one clip and class (rule 9.1)."""

from collections.abc import Sequence

from tracepact.core import Each
from tracepact.core.runs import FrameRun
from tracepact.events.attributes import Obligation, Scene, covered, duration
from tracepact.events.matching import Pair


def is_ignored(run: FrameRun, ignored: Sequence[FrameRun]) -> bool:
    """Whether all frames of a run are ignored (rule 5.9)."""
    return bool(ignored) and covered(run, ignored) == duration(run)


def obligations(each: Each, scene: Scene, pairs: Sequence[Pair], ignored: Sequence[FrameRun] = ()) -> list[Obligation]:
    """The obligations of one segment, without the ignored ones (rule 9.1)."""
    refs, preds = scene.refs, scene.preds
    match each:
        case Each.REF:
            pred_of = {i: preds[j] for i, j in pairs}
            found = [Obligation(ref, pred_of.get(i), scene) for i, ref in enumerate(refs)]
        case Each.PRED:
            ref_of = {j: refs[i] for i, j in pairs}
            found = [Obligation(ref_of.get(j), pred, scene) for j, pred in enumerate(preds)]
        case Each.MATCHED:
            found = [Obligation(refs[i], preds[j], scene) for i, j in pairs]
    return [o for o in found if not is_ignored(obligated_run(each, o), ignored)] if ignored else found


def obligated_run(each: Each, obligation: Obligation) -> FrameRun:
    """The run an obligation is about; of a matched pair, the reference."""
    run = obligation.pred if each is Each.PRED else obligation.ref
    assert run is not None
    return run
