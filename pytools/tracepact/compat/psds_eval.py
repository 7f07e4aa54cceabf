"""psds_eval by its own names: PSDS from operating points, tables of events each of which was decoded at one threshold.

    from tracepact.compat import psds_eval
    psds = psds_eval.PSDSEval(dtc_threshold=0.5, gtc_threshold=0.5, ground_truth=events, metadata=clips)
    psds.add_operating_point(detections)
    psds.psds(max_efpr=100).value

Criteria are counted by the kernel (rule 20.3), exactly; tables are pandas' or anything with `to_dict("records")`.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from tracepact.compat.statistics import without_grid
from tracepact.compat.tables import NotCovered, canvas, namespace, pandas_package, save_picture, typed
from tracepact.data.events import Event, EventTable, ScoreLevels, exact
from tracepact.thresholds.family import Detections
from tracepact.thresholds.psds import Criteria, Intersections, intersections

__path__: list[str] = []
Floats = NDArray[np.float64]
WORLD = "injected_psds_world_label"
_COLUMNS = ("filename", "onset", "offset", "event_label")
_SECONDS = {"minute": 60, "hour": 3600, "day": 86400, "month": 30 * 86400, "year": 365 * 86400}


class PSDSEvalError(ValueError):
    """Arguments or tables that the original refuses."""


class PSDROC(NamedTuple):
    """Shares over rates of false alarms: of each class or of all, with mean and deviation."""

    yp: Floats
    xp: Floats
    mean: Floats
    std: Floats


class PSDS(NamedTuple):
    """A score, its ROC, and what it was taken with."""

    value: float
    plt: PSDROC
    alpha_st: float
    alpha_ct: float
    max_efpr: float
    duration_unit: str


class Thresholds(NamedTuple):
    """The three criteria."""

    gtc: float
    dtc: float
    cttc: float


def _rows(table: Any, columns: Sequence[str], name: str) -> list[dict[str, Any]]:
    """The rows of a table; an error where a column is missing."""
    if not hasattr(table, "to_dict") or not set(columns) <= set(table.columns):
        raise PSDSEvalError(f"The {name} data must be a pandas.DataFrame with the columns {', '.join(columns)}")
    found: list[dict[str, Any]] = table[list(columns)].to_dict("records")
    return found


def _events(rows: Iterable[Mapping[str, Any]], name: str) -> dict[str, list[Event]]:
    """The events by clip; those without length or label are left out, those that overlap within a class refused."""
    events: dict[str, list[Event]] = {}
    for row in rows:
        own = events.setdefault(str(row["filename"]), [])
        if row["event_label"] != row["event_label"] or row["event_label"] is None or row["onset"] != row["onset"]:
            continue
        onset, offset = (typed(float(row[end])) for end in ("onset", "offset"))
        if onset > offset:
            raise PSDSEvalError(f"The {name} dataframe provided has events with onset > offset.")
        if offset > onset:
            own.append(Event(onset, offset, str(row["event_label"])))
    for some in events.values():
        ends: dict[str, Fraction] = {}
        for event in sorted(some, key=lambda event: (event.onset, event.offset)):
            if event.onset < ends.get(event.label, event.onset):
                raise PSDSEvalError(f"The {name} dataframe provided has intersecting events/labels for the same class.")
            ends[event.label] = event.offset
    return events


class PSDSEval:
    """Polyphonic sound detection score of operating points."""

    secs_in_uot = _SECONDS
    detection_cols = _COLUMNS

    def __init__(
        self, dtc_threshold: float = 0.5, gtc_threshold: float = 0.5, cttc_threshold: float = 0.3, **options: Any
    ) -> None:
        for name, value in (("dtc", dtc_threshold), ("cttc", cttc_threshold), ("gtc", gtc_threshold)):
            if not 0 <= value <= 1:
                raise PSDSEvalError(f"{name}_threshold must be between 0 and 1")
            if not value:
                raise NotCovered(f"{name}_threshold=0", "tracepact.curves, where a share of 0 is asked")
        self.duration_unit = options.get("duration_unit", "hour")
        if self.duration_unit not in _SECONDS:
            raise PSDSEvalError("Invalid duration_unit specified")
        self.nseconds = _SECONDS[self.duration_unit]
        self.threshold = Thresholds(gtc_threshold, dtc_threshold, cttc_threshold)
        self.class_names: list[str] = sorted(options.get("class_names") or ())
        self.ground_truth: dict[str, list[Event]] | None = None
        self.metadata: dict[str, Fraction] | None = None
        self._points: list[dict[str, Any]] = []
        if options.get("ground_truth") is not None or options.get("metadata") is not None:
            self.set_ground_truth(options.get("ground_truth"), options.get("metadata"))

    def set_ground_truth(self, gt_t: Any, meta_t: Any) -> None:
        """Take the events of the reference and the durations of the clips; once."""
        if self.ground_truth is not None:
            raise PSDSEvalError("You cannot set the ground truth more than once per evaluation")
        if gt_t is None:
            raise PSDSEvalError("The ground truth cannot be set without data")
        if meta_t is None:
            raise PSDSEvalError("Audio metadata is required when adding ground truths")
        self.ground_truth = _events(_rows(gt_t, _COLUMNS, "ground truth"), "ground truth")
        lengths = _rows(meta_t, ("filename", "duration"), "metadata")
        if not lengths:
            raise PSDSEvalError("The metadata dataframe provided is empty")
        self.metadata = {str(row["filename"]): exact(float(row["duration"])) for row in reversed(lengths)}
        labels = {event.label for events in self.ground_truth.values() for event in events}
        self.class_names = sorted({*self.class_names, *labels, WORLD})

    @property
    def _names(self) -> list[str]:
        return [name for name in self.class_names if name != WORLD]

    def num_operating_points(self) -> int:
        """How many operating points there are."""
        return len(self._points)

    def clear_all_operating_points(self) -> None:
        """Forget the operating points."""
        self._points = []

    @property
    def operating_points(self) -> Any:
        """The operating points as a table."""
        return pandas_package().DataFrame(self._points, columns=["id", "counts", "tpr", "fpr", "ctr", *self._more])

    @property
    def _more(self) -> list[str]:
        return list(dict.fromkeys(key for point in self._points for key in point["info"]))

    def _count(self, detections: Any) -> Intersections:
        if self.ground_truth is None or self.metadata is None:
            raise PSDSEvalError("Ground Truth must be provided before adding the first operating point")
        found = _events(_rows(detections, _COLUMNS, "detection"), "detection")
        known = set(self._names)
        # Clips without a duration have no world label to be a false alarm on: the original leaves them out.
        clips = tuple(self.metadata)
        events = {
            clip: tuple(
                Event(event.onset, event.offset, event.label)
                for event in found.get(clip, ())
                if event.label in known and event.onset < self.metadata[clip]
            )
            for clip in clips
        }
        truth = {clip: tuple(self.ground_truth.get(clip, ())) for clip in clips}
        # The detections of one table are there at one threshold.
        levels, number = ScoreLevels(np.ones(1)), sum(map(len, events.values()))
        detections = Detections(EventTable("detections", events), levels, np.zeros(number, dtype=np.int64))
        return intersections(without_grid(truth, tuple(self._names), levels, detections), self._criteria)

    @property
    def _criteria(self) -> Criteria:
        share = self.threshold
        return Criteria(exact(float(share.dtc)), exact(float(share.gtc)), exact(float(share.cttc)))

    def _rates(self, counted: Intersections) -> tuple[Floats, Floats, Floats, Floats]:
        """Counts, and the rates of hits, false alarms and cross triggers of every class."""
        assert self.metadata is not None
        assert counted.triggers is not None
        number = len(self._names)
        tp, fp, _ = counted.tallies.at(0).sum(axis=2)
        counts = np.zeros((number + 1, number + 1))
        triggers = counted.triggers.at(0).sum(axis=(0, 2)).reshape(number, number)
        counts[:number, :number] = triggers
        counts[np.arange(number), np.arange(number)] = tp
        counts[:number, -1] = fp
        references, seconds = np.array(counted.references, dtype=float), np.array(list(map(float, counted.lengths)))
        with np.errstate(divide="ignore", invalid="ignore"):
            hits = tp / references
            crossed = triggers * self.nseconds / seconds
        crossed[np.arange(number), np.arange(number)] = np.nan
        alarms = fp * self.nseconds / float(sum(self.metadata.values()))
        return counts, hits, alarms, crossed

    def add_operating_point(self, detections: Any, info: Mapping[str, Any] | None = None) -> None:
        """Count the events of one threshold; a table that is there already is skipped with a warning."""
        if info and not {"id", "counts", "tpr", "fpr", "ctr"}.isdisjoint(info):
            raise PSDSEvalError("the 'info' cannot contain the keys 'id', 'counts', 'tpr', 'fpr' or 'ctr'")
        rows = sorted(str([row[name] for name in _COLUMNS]) for row in _rows(detections, _COLUMNS, "detection"))
        name = hashlib.sha256("\n".join(rows).encode()).hexdigest()
        if any(point["id"] == name for point in self._points):
            warn("A similar operating point exists, skipping this one", stacklevel=2)
            return
        counts, hits, alarms, crossed = self._rates(self._count(detections))
        values = {"id": name, "counts": counts, "tpr": hits, "fpr": alarms, "ctr": crossed}
        self._points.append({**values, **(info or {}), "info": dict(info or {})})

    def compute_macro_f_score(self, detections: Any, beta: float = 1.0) -> tuple[float, dict[str, float]]:
        """The mean over classes of their F-scores by intersection, and each of them."""
        counts, hits, _, _ = self._rates(self._count(detections))
        number = len(self._names)
        tp = np.diag(counts)[:number]
        with np.errstate(divide="ignore", invalid="ignore"):
            # A class of which nothing is found has 0/0 references in the original, and with that no score.
            scores = _f_scores(tp, counts[:number, -1], tp / hits - tp, beta)
        return float(np.nanmean(scores)), dict(zip(self._names, scores, strict=True))

    def _efpr(self, alpha_ct: float) -> tuple[Floats, Floats, Floats, Floats]:
        """Shares of hits, rates of false alarms, cross triggers and both, classes × points and one at nothing."""
        if not 0 <= alpha_ct <= 1:
            raise PSDSEvalError("alpha_ct must be between 0 and 1")
        if not self._points:
            raise PSDSEvalError("there are no operating points")
        columns = [np.stack([point[key] for point in self._points], axis=-1) for key in ("tpr", "fpr", "ctr")]
        tpr, fpr, ctr = (np.concatenate([c, np.zeros((*c.shape[:-1], 1))], axis=-1) for c in columns)
        number = len(self._names)
        sums = np.nansum(ctr, axis=1)
        mean = sums / np.maximum((~np.isnan(ctr)).sum(axis=1), 1) if number > 1 else np.full(fpr.shape, np.nan)
        return tpr, fpr, ctr, fpr + alpha_ct * mean

    def psd_roc_curves(self, alpha_ct: float, linear_interp: bool = False) -> tuple[PSDROC, PSDROC, PSDROC]:
        """The curves over false alarms, over cross triggers and over both."""
        if linear_interp:
            raise NotCovered("linear interpolation between operating points", "no threshold reaches what lies between")
        tpr, fpr, ctr, efpr = self._efpr(alpha_ct)
        number = len(tpr)
        pairs = [(c, k) for c in range(number) for k in range(number)]
        over_ctr = [ctr[c, k] for c, k in pairs]
        return (
            _curves(list(fpr), list(tpr), (number,)),
            _curves(over_ctr, [tpr[c] for c, _ in pairs], (number, number)),
            _curves(list(efpr), list(tpr), (number,)),
        )

    def psds(
        self, alpha_ct: float = 0.0, alpha_st: float = 0.0, max_efpr: float | None = None, en_interp: bool = False
    ) -> PSDS:
        """The area under the mean of the classes' curves less their weighted deviation."""
        if alpha_st < 0:
            raise PSDSEvalError("alpha_st can't be negative")
        curve = self.psd_roc_curves(alpha_ct, en_interp)[2]
        most = float(np.nanmax(curve.xp)) if max_efpr is None else max_efpr
        shares = np.maximum(np.nan_to_num(curve.mean - alpha_st * curve.std, nan=0.0), 0.0)
        ends = np.minimum(np.append(curve.xp[1:], most), most)
        area = float(np.sum(shares * np.maximum(ends - curve.xp, 0)))
        roc = PSDROC(shares, curve.xp, curve.mean, curve.std)
        return PSDS(area / most, roc, alpha_st, alpha_ct, most, self.duration_unit)

    def select_operating_points_per_class(
        self, class_constraints: Any, alpha_ct: float = 0.0, beta: float = 1.0
    ) -> Any:
        """For every row of a class, a constraint and its value, the operating point that meets it best."""
        tpr, fpr, _, efpr = self._efpr(alpha_ct)
        assert self.ground_truth is not None
        assert self.metadata is not None
        length = float(sum(self.metadata.values()))
        chosen = []
        for row in _rows(class_constraints, ("class_name", "constraint", "value"), "constraints"):
            if row["class_name"] not in self._names:
                raise PSDSEvalError(f"Unknown class: {row['class_name']}")
            k = self._names.index(row["class_name"])
            number = sum(event.label == row["class_name"] for events in self.ground_truth.values() for event in events)
            hits = tpr[k] * number
            with np.errstate(invalid="ignore"):
                scores = _f_scores(hits, fpr[k] * length / self.nseconds, number - hits, beta)
            bound = np.nan if row["value"] is None else row["value"]
            rules: dict[str, tuple[NDArray[np.bool_], Floats]] = {
                "tpr": (tpr[k] >= bound, -efpr[k]),
                "fpr": (fpr[k] <= bound, tpr[k]),
                "efpr": (efpr[k] <= bound, tpr[k]),
                "fscore": (np.ones(len(tpr[k]), dtype=np.bool_), scores),
            }
            if row["constraint"] not in rules:
                raise PSDSEvalError(
                    f"The constraint has to be one of tpr, fpr, efpr or fscore, not {row['constraint']}"
                )
            allowed, wanted = rules[row["constraint"]]
            places = np.flatnonzero(allowed)
            best = int(places[np.argmax(wanted[places])]) if len(places) else len(self._points)
            values = (tpr[k], fpr[k], efpr[k], scores)
            nothing = best == len(self._points)
            names = ("TPR", "FPR", "eFPR", "Fscore")
            found = {name: np.nan if nothing else value[best] for name, value in zip(names, values, strict=True)}
            more = {} if nothing else self._points[best]["info"]
            chosen.append({"class_name": row["class_name"], **found, **more})
        columns = ["class_name", "TPR", "FPR", "eFPR", "Fscore", *self._more]
        return pandas_package().DataFrame(chosen, columns=columns)


def _f_scores(tp: Floats, fp: Floats, fn: Floats, beta: float) -> Floats:
    weight = 1 + beta**2
    scores: Floats = weight * tp / (weight * tp + beta**2 * fn + fp)
    return scores


def _curves(rates: Sequence[Floats], shares: Sequence[Floats], shape: tuple[int, ...]) -> PSDROC:
    """Steps of several curves over all their rates: the greatest share at a rate of at most as much."""
    line = np.unique(np.concatenate([some.reshape(-1) for some in rates]))
    values = np.full((len(rates), len(line)), np.nan)
    for row, own, share in zip(values, rates, shares, strict=True):
        if np.isnan(own[:-1]).all() and len(own) > 1:
            continue
        order = np.argsort(own, kind="stable")
        highest = np.maximum.accumulate(np.nan_to_num(share[order]))
        row[:] = highest[np.searchsorted(own[order], line, side="right") - 1]
    with np.errstate(invalid="ignore"):
        return PSDROC(values.reshape(*shape, -1), line, np.nanmean(values, axis=0), np.nanstd(values, axis=0))


def plot_psd_roc(psd: PSDS, en_std: bool = False, axes: Any = None, filename: Any = None, **options: Any) -> None:
    """A picture of the PSD ROC in Matplotlib, in given axes or a file."""
    if not isinstance(psd, PSDS):
        raise PSDSEvalError("The psds data needs to be given as a PSDS object")
    axes = canvas({**options, "axes": axes})
    axes.step(psd.plt.xp, psd.plt.yp, "b-", where="post", label="PSD-ROC")
    for line in (psd.plt.mean - psd.plt.std, psd.plt.mean + psd.plt.std) if en_std else ():
        axes.step(psd.plt.xp, np.maximum(line, 0), "b--", where="post")
    axes.set(xlim=(0, psd.max_efpr), ylim=(0, 1), ylabel="eTPR", xlabel=f"eFPR per {psd.duration_unit}")
    axes.set_title(f"PSDS: {psd.value:.5f}")
    save_picture(axes, {"filename": filename})


def plot_per_class_psd_roc(psd: PSDROC, class_names: Sequence[str], filename: Any = None, **options: Any) -> None:
    """A picture of the curve of every class."""
    axes = canvas(options)
    for name, line in zip(class_names, psd.yp, strict=False):
        axes.step(psd.xp, line, where="post", label=name)
    axes.set(ylim=(0, 1), ylabel="TPR", xlabel=options.get("xlabel", "(e)FPR"))
    axes.legend()
    save_picture(axes, {"filename": filename})


psds = namespace(
    f"{__name__}.psds",
    {"PSDSEval": PSDSEval, "PSDSEvalError": PSDSEvalError, "PSDS": PSDS, "PSDROC": PSDROC, "WORLD": WORLD},
)
