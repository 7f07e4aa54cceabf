"""sed_scores_eval by its own names: F-scores, curves, PSDS and areas over every threshold of score tables.

    from tracepact.compat import sed_scores_eval
    psds, by_class, roc, class_rocs = sed_scores_eval.intersection_based.psds(
        scores, "ground_truth.tsv", "durations.tsv", dtc_threshold=0.7, gtc_threshold=0.7, alpha_st=1.0)

Counts and PSDS are the kernel's. Where the original rounds a comparison to `time_decimals`, so does this; `exact` of a
function compares and divides exactly. `num_jobs` is taken and not needed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from tracepact.compat import tables as frames
from tracepact.compat.statistics import (
    Count,
    Deltas,
    Floats,
    ScoredTable,
    Statistics,
    area_under_roc,
    average_precision,
    best_f_score,
    by_collar,
    by_intersection,
    clip_deltas,
    collar_policy,
    confidence_interval,
    deltas_of,
    f_scores,
    folds,
    picked,
    precision_recall,
    psds_from_psd_roc,
    rates_of,
    roc_curve,
    segment_deltas,
    statistics_at,
    with_means,
)
from tracepact.compat.tables import NotCovered, namespace, refusal
from tracepact.data.events import exact as exact_time
from tracepact.thresholds.psds import Criteria, Psds, PsdsResult, independent_psds, psds_of

__path__: list[str] = []

# One set of functions for each way of counting, with the arguments of the original.


@dataclass(frozen=True)
class _Way:
    """How something is counted, and what it is told for that.

    Attributes:
        name: the module of the original.
        settings: its keywords with their defaults; Parameter.empty has none.
        with_durations: whether durations are the third argument.
        deltas: counts at every threshold, given scores, ground truth, settings and decimals.
        at: counts at one threshold; None where they are taken from those of all.
    """

    name: str
    settings: Mapping[str, Any]
    with_durations: bool
    deltas: Callable[..., Deltas]
    at: Callable[..., dict[Any, dict[str, Any]]] | None = None


def _counted(way: _Way, arguments: dict[str, Any], decimals: int | None) -> Deltas:
    if (ready := arguments.get("deltas")) is not None:
        if not isinstance(ready, Deltas):
            raise ValueError("deltas must be those of intermediate_statistics_deltas of this module")
        return ready
    return way.deltas(*_sides(way, arguments), **{name: arguments[name] for name in way.settings}, decimals=decimals)


def _sides(way: _Way, arguments: Mapping[str, Any]) -> list[Any]:
    names = ["scores", "ground_truth", *(["audio_durations"] if way.with_durations else [])]
    return [arguments[name] for name in names]


def _at_threshold(way: _Way, arguments: dict[str, Any], decimals: int | None) -> dict[Any, dict[str, Any]]:
    threshold = arguments["threshold"]
    if not isinstance(threshold, Mapping) and not np.isscalar(threshold):
        raise ValueError(f"threshold must be (dict of) scalar(s) but {type(threshold)} was given.")
    if way.at is not None and arguments.get("deltas") is None:
        own = {name: arguments[name] for name in way.settings}
        return way.at(*_sides(way, arguments), threshold, **own, decimals=decimals)
    taken = {}
    for name, (scores, stats) in _counted(way, arguments, decimals).statistics().items():
        bound = threshold[name] if isinstance(threshold, Mapping) else threshold
        place = np.array(np.searchsorted(scores[:-1], bound, side="right"))
        taken[name] = picked(place, stats)
    return taken


def _statistics(way: _Way, arguments: dict[str, Any], decimals: int | None) -> dict[Any, Statistics]:
    return _counted(way, arguments, decimals).statistics()


def _by_class(make: Callable[[Statistics], Any]) -> Callable[..., Any]:
    return lambda way, a, decimals, one: {k: make(s) for k, s in _statistics(way, a, decimals).items()}


def _fscore_curve(way: _Way, a: dict[str, Any], decimals: int | None, one: Any) -> Any:
    return {name: f_scores(some, a["beta"]) for name, some in _statistics(way, a, decimals).items()}


def _fscore(way: _Way, a: dict[str, Any], decimals: int | None, one: Any) -> Any:
    stats = _at_threshold(way, a, decimals)
    return with_means({name: (*rates_of(some, a["beta"], one), some) for name, some in stats.items()}, a["beta"], one)


def _best_fscore(way: _Way, a: dict[str, Any], decimals: int | None, one: Any) -> Any:
    bounds = a["beta"], a["min_precision"], a["min_recall"]
    best = {name: best_f_score(some, *bounds) for name, some in _statistics(way, a, decimals).items()}
    exactly = isinstance(one, Fraction)
    taken = {
        name: (*(rates_of(found[4], a["beta"], one) if exactly else found[:3]), found[4])
        for name, found in best.items()
    }
    f, p, r, stats = with_means(taken, a["beta"], one)
    return f, p, r, {name: found[3] for name, found in best.items()}, stats


def _precision_average(way: _Way, a: dict[str, Any], decimals: int | None, one: Any) -> Any:
    curves = {name: precision_recall(some) for name, some in _statistics(way, a, decimals).items()}
    values: dict[Any, Any] = {name: average_precision(curve) for name, curve in curves.items()}
    values["mean"] = np.mean(list(values.values()))
    return values, curves


def _auroc(way: _Way, a: dict[str, Any], decimals: int | None, one: Any) -> Any:
    statistics = _statistics(way, a, decimals)
    areas = {name: area_under_roc(some, a["max_fpr"]) for name, some in statistics.items()}
    known = [area for area in areas.values() if area is not None]
    mean = sum(known, Fraction(0)) / len(known) if len(known) == len(areas) else None
    both: dict[Any, Any] = {**areas, "mean": mean}
    if not isinstance(one, Fraction):
        both = {name: np.nan if value is None else np.float64(value) for name, value in both.items()}
    return both, {name: roc_curve(some) for name, some in statistics.items()}


def _deltas(way: _Way, a: dict[str, Any], decimals: int | None, one: Any) -> Deltas:
    return _counted(way, a, decimals)


def _accumulated(way: _Way, a: dict[str, Any], decimals: int | None, one: Any) -> Any:
    deltas = _counted(way, a, decimals)
    return deltas.statistics(), list(deltas.clips)


def _bootstrapped(way: _Way, a: dict[str, Any], decimals: int | None, one: Any) -> Any:
    parts = folds(_counted(way, a, decimals), a["n_folds"], a["n_iterations"])
    return list(zip(*(_fscore(way, {**a, "deltas": part}, decimals, one) for part in parts), strict=True))


_BETA = {"beta": 1.0}
_BOUNDS = {"min_precision": 0.0, "min_recall": 0.0, **_BETA}
_FOLDS = {"n_folds": 5, "n_iterations": 20}
_FUNCTIONS: dict[str, tuple[Callable[..., Any], Mapping[str, Any]]] = {
    "intermediate_statistics_deltas": (_deltas, {}),
    "accumulated_intermediate_statistics": (_accumulated, {}),
    "precision_recall_curve": (_by_class(precision_recall), {}),
    "fscore_curve": (_fscore_curve, _BETA),
    "fscore": (_fscore, _BETA),
    "best_fscore": (_best_fscore, _BOUNDS),
}
_RANKED = {
    "average_precision": (_precision_average, {}),
    "roc_curve": (_by_class(roc_curve), {}),
    "auroc": (_auroc, {"max_fpr": None}),
}
_ERROR_RATES = (
    "`tracepact metrics` has the error rates of events and segments, tracepact.curves those at every threshold"
)
_MISSING = {
    **dict.fromkeys(("error_rate", "error_rate_curve", "best_error_rate"), _ERROR_RATES),
    "reference": "tracepact.compat.sed_eval or psds_eval on the events of scores_to_event_list",
}


def _function(
    way: _Way, name: str, compute: Callable[..., Any], more: Mapping[str, Any], *, timed: bool = False
) -> Callable[..., Any]:
    """A function of the original's name and arguments, with `exact`; `timed` ones take durations as well."""
    taken = ["scores", "ground_truth", *(["audio_durations"] if way.with_durations or timed else [])]
    if name in ("fscore", "bootstrapped_fscore"):
        taken.append("threshold")
    rest = {"deltas": None, **way.settings, **more, "time_decimals": 6, "num_jobs": 1}
    signature = Signature(
        [Parameter(p, Parameter.POSITIONAL_OR_KEYWORD) for p in taken]
        + [Parameter(p, Parameter.KEYWORD_ONLY, default=default) for p, default in rest.items()]
    )

    def call(*positional: Any, **named: Any) -> Any:
        arguments = _bound(signature, positional, named)
        several = next((a for key in ("scores", "deltas") if isinstance(a := arguments[key], list | tuple)), None)
        if several is not None:
            each = [{**arguments, **_item(arguments, k)} for k in range(len(several))]
            return list(zip(*(compute(way, one, one["time_decimals"], 1.0) for one in each), strict=True))
        return compute(way, arguments, arguments["time_decimals"], 1.0)

    def exactly(*positional: Any, **named: Any) -> Any:
        return compute(way, _bound(signature, positional, named), None, Fraction(1))

    _name(call, exactly, f"{way.name}.{name}", signature)
    return call


def _bound(signature: Signature, positional: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    arguments = signature.bind(*positional, **named)
    arguments.apply_defaults()
    return arguments.arguments


def _item(a: Mapping[str, Any], place: int) -> dict[str, Any]:
    """The arguments of one of several systems."""
    return {name: a[name][place] for name in ("scores", "deltas") if isinstance(a[name], list | tuple)}


def _name(call: Any, exactly: Any, name: str, signature: Signature) -> None:
    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.__doc__ = f"As sed_scores_eval's `{name}`; `exact` compares and divides exactly."
    call.__signature__, call.exact, exactly.__signature__ = signature, exactly, signature


def _interval_way(
    name: str, settings: Mapping[str, Any], make: Callable[..., tuple[Count, tuple[Fraction, ...]]]
) -> _Way:
    """A way of counting intervals."""

    def deltas(scores: Any, ground_truth: Any, *, decimals: int | None, **how: Any) -> Deltas:
        count, times = make(**how, decimals=decimals)
        return deltas_of(ScoredTable.of(scores, ground_truth, decimals), count, *times)

    def at(scores: Any, ground_truth: Any, threshold: Any, *, decimals: int | None, **how: Any) -> Any:
        count, times = make(**how, decimals=decimals)
        return statistics_at(ScoredTable.of(scores, ground_truth, decimals), count, threshold, *times)

    return _Way(name, settings, False, deltas, at)


def _collars(onset_collar: float, offset_collar: float, offset_collar_rate: float, decimals: int | None) -> Any:
    policy = collar_policy(onset_collar, offset_collar, offset_collar_rate, decimals)
    return by_collar(policy), (policy.collar,)


def _shares(dtc_threshold: float, gtc_threshold: float, cttc_threshold: float | None = None, *, decimals: Any) -> Any:
    return by_intersection(dtc_threshold, gtc_threshold, cttc_threshold, decimals), ()


def _segments(scores: Any, truth: Any, durations: Any, *, segment_length: float, decimals: int | None) -> Deltas:
    return segment_deltas(scores, truth, durations, segment_length, decimals)


_EMPTY = Parameter.empty
_COLLAR = _interval_way(
    "collar_based", {"onset_collar": _EMPTY, "offset_collar": _EMPTY, "offset_collar_rate": 0.0}, _collars
)
_CRITERIA = {"dtc_threshold": _EMPTY, "gtc_threshold": _EMPTY}
_INTERSECTION = _interval_way("intersection_based", _CRITERIA, _shares)
_CROSSED = _interval_way("intersection_based", {**_CRITERIA, "cttc_threshold": None}, _shares)
_SEGMENT = _Way("segment_based", {"segment_length": 1.0}, True, _segments)
_CLIP = _Way("clip_based", {}, False, lambda scores, truth, decimals: clip_deltas(scores, truth))

# The polyphonic sound detection score.

_SECONDS = {"second": 1, "minute": 60, "hour": 3600}


@dataclass(frozen=True)
class _Scale:
    """How a PSDS is taken, and the unit of its rates."""

    how: Psds
    unit: int
    max_efpr: float

    @classmethod
    def of(cls, a: Mapping[str, Any]) -> "_Scale":
        if a["unit_of_time"] not in _SECONDS:
            raise ValueError(f"Invalid unit_of_time {a['unit_of_time']}. Valid units are {', '.join(_SECONDS)}.")
        if a["max_efpr"] is None:
            raise NotCovered("max_efpr=None", "tracepact.curves takes the area up to a declared rate")
        if (a["alpha_ct"] == 0) != (a["cttc_threshold"] is None):
            raise ValueError(
                "alpha_ct and cttc_threshold must be given together: one is 0 or None and the other is not"
            )
        unit = _SECONDS[a["unit_of_time"]]
        rates = [exact_time(float(a[name])) for name in ("alpha_ct", "alpha_st", "max_efpr")]
        shares = Criteria(Fraction(0), Fraction(0))  # counts are made already; only rates are taken of them
        return cls(Psds(shares, rates[0], rates[1], rates[2] * 3600 / unit), unit, float(a["max_efpr"]))

    def result(self, deltas: Deltas, durations: Any, *, more: bool) -> PsdsResult:
        """The PSDS of some counts; durations may name more clips where a part of a set is counted."""
        lengths = frames.parse_audio_durations(durations, audio_ids=deltas.clips, additional_ids_ok=more)
        seconds = sum((exact_time(float(length)) for length in lengths.values()), Fraction(0))
        return psds_of(deltas.counted, list(map(str, deltas.names)), seconds, self.how)

    def rates(self, values: Sequence[Any]) -> Floats:
        """Rates an hour in the unit."""
        return np.array([float(value * self.unit / 3600) for value in values])

    def roc(self, result: PsdsResult) -> tuple[Floats, Floats]:
        """The PSD ROC, its last share repeated at the end."""
        shares = [float(share) for _, share in result.roc]
        rates = self.rates([rate for rate, _ in result.roc])
        return np.array([*shares, shares[-1]]), np.append(rates, self.max_efpr)

    def class_rocs(self, result: PsdsResult, deltas: Deltas) -> dict[Any, tuple[Any, ...]]:
        """By class shares, rates and scores."""
        rocs: dict[Any, tuple[Any, ...]] = {}
        for label, name in enumerate(deltas.names):
            points = result.rocs[str(name)]
            cuts = deltas.cuts(label)
            place = np.searchsorted(cuts, [point.cut for point in points], side="right") - 1
            found = np.array([float(point.found) for point in points])
            rocs[name] = found, self.rates([point.rate for point in points]), deltas.scores_at(cuts)[place]
        return rocs


def _values(result: PsdsResult, names: Sequence[Any]) -> tuple[Any, dict[Any, Any]]:
    return np.float64(result.value), {name: np.float64(result.classes[str(name)]) for name in names}


def _psds(way: _Way, a: dict[str, Any], decimals: int | None, one: Any) -> Any:
    scale = _Scale.of(a)
    deltas = _counted(way, a, decimals)
    result = scale.result(deltas, a["audio_durations"], more=a["deltas"] is not None)
    if isinstance(one, Fraction):
        return result
    return *_values(result, deltas.names), scale.roc(result), scale.class_rocs(result, deltas)


def _roc_of(compute: Callable[..., Any]) -> Callable[..., Any]:
    """The same without the areas."""

    def without_areas(way: _Way, a: dict[str, Any], decimals: int | None, one: Any) -> Any:
        result = compute(way, a, decimals, one)
        return result if isinstance(one, Fraction) else result[2:]

    return without_areas


def _bootstrapped_psds(way: _Way, a: dict[str, Any], decimals: int | None, one: Any) -> Any:
    parts = folds(_counted(way, a, decimals), a["n_folds"], a["n_iterations"])
    return list(zip(*(_psds(way, {**a, "deltas": part}, decimals, one) for part in parts), strict=True))


def _processed(way: _Way, a: dict[str, Any], decimals: int | None) -> list[Deltas]:
    """The counts of every way of post-processing."""
    if a["deltas"] is not None:
        return list(a["deltas"])
    tables = a["scores_processed"]
    if tables is None:
        tables = (function(a["scores"]) for function in a["postprocessing_functions"])
    return [_counted(way, {**a, "scores": table, "deltas": None}, decimals) for table in tables]


def _independent(way: _Way, a: dict[str, Any], decimals: int | None, one: Any) -> Any:
    if "median_filter_lengths_in_sec" in a:
        lengths = a["median_filter_lengths_in_sec"]
        functions = [lambda scores, length=length: frames.medfilt(scores, length) for length in lengths]
        a = {**a, "postprocessing_functions": functions}
    scale = _Scale.of(a)
    every = _processed(way, a, decimals)
    results = [scale.result(deltas, a["audio_durations"], more=a["deltas"] is not None) for deltas in every]
    merged = independent_psds(results, scale.how)
    if isinstance(one, Fraction):
        return merged
    names = every[0].names
    single = [scale.class_rocs(result, deltas) for result, deltas in zip(results, every, strict=True)]
    rocs = {name: _merged_roc(name, merged, results, single, scale) for name in names}
    return *_values(merged, names), scale.roc(merged), rocs, tuple(map(scale.roc, results)), tuple(single)


def _merged_roc(
    name: Any, merged: PsdsResult, results: Sequence[PsdsResult], single: Sequence[Any], scale: _Scale
) -> tuple[Any, ...]:
    """Shares, rates, scores and the number of the post-processing that gives each point."""
    places = {
        id(point): (number, place)
        for number, result in enumerate(results)
        for place, point in enumerate(result.rocs[str(name)])
    }
    points = merged.rocs[str(name)]
    chosen = [places[id(point)] for point in points]
    found = np.array([float(point.found) for point in points])
    scores = np.array([single[number][name][2][place] for number, place in chosen])
    return found, scale.rates([p.rate for p in points]), scores, np.array([number for number, _ in chosen])


def _bootstrapped_independent(way: _Way, a: dict[str, Any], decimals: int | None, one: Any) -> Any:
    if "median_filter_lengths_in_sec" in a:
        lengths = a.pop("median_filter_lengths_in_sec")
        a["postprocessing_functions"] = [lambda scores, n=n: frames.medfilt(scores, n) for n in lengths]
    parts = zip(*(folds(d, a["n_folds"], a["n_iterations"]) for d in _processed(way, a, decimals)), strict=True)
    return list(zip(*(_independent(way, {**a, "deltas": part}, decimals, one) for part in parts), strict=True))


_RATES = {"alpha_ct": 0.0, "alpha_st": 0.0, "unit_of_time": "hour", "max_efpr": 100.0}
_TABLES = {"postprocessing_functions": _EMPTY, "scores_processed": None}
_LENGTHS = {"median_filter_lengths_in_sec": _EMPTY, "scores_processed": None}
_PSDS: dict[str, tuple[Callable[..., Any], Mapping[str, Any]]] = {
    "psds": (_psds, _RATES),
    "psd_roc": (_roc_of(_psds), _RATES),
    "bootstrapped_psds": (_bootstrapped_psds, {**_RATES, **_FOLDS}),
    "postprocessing_independent_psds": (_independent, {**_TABLES, **_RATES}),
    "postprocessing_independent_psd_roc": (_roc_of(_independent), {**_TABLES, **_RATES}),
    "median_filter_independent_psds": (_independent, {**_LENGTHS, **_RATES}),
    "bootstrapped_postprocessing_independent_psds": (
        _bootstrapped_independent,
        {**_TABLES, **_RATES, **_FOLDS, "n_iterations": 4},
    ),
    "bootstrapped_median_filter_independent_psds": (
        _bootstrapped_independent,
        {**_LENGTHS, **_RATES, **_FOLDS, "n_iterations": 4},
    ),
}

# The modules of the original under this one's name.


def _members(way: _Way, functions: Mapping[str, tuple[Callable[..., Any], Mapping[str, Any]]]) -> dict[str, Any]:
    return {name: _function(way, name, compute, more) for name, (compute, more) in functions.items()}


def _plot_psd_roc(psd_roc: tuple[Floats, Floats], *, max_efpr: float, psds: float, **options: Any) -> None:
    """A picture of a PSD ROC in Matplotlib, in given axes or a file."""
    axes = frames.canvas(options)
    shares, rates = psd_roc
    axes.step(rates, shares, "b-", where="post", label="PSD-ROC")
    axes.fill_between(rates, shares, 0, alpha=0.3, step="post")
    axes.set(xlim=(0, max_efpr), ylim=(0, 1), ylabel="eTPR", xlabel=f"eFPR per {options.get('unit_of_time', 'hour')}")
    axes.set_title(f"PSDS: {psds:.5f}")
    frames.save_picture(axes, options)


_WAY_MISSING = {**_MISSING, **dict.fromkeys(_RANKED, "segment_based and clip_based have it")}
collar_based = namespace(
    f"{__name__}.collar_based",
    {
        **_members(_COLLAR, _FUNCTIONS),
        "bootstrapped_fscore": _function(_COLLAR, "bootstrapped_fscore", _bootstrapped, {**_BETA, **_FOLDS}),
    },
    _WAY_MISSING,
)
intersection_based = namespace(
    f"{__name__}.intersection_based",
    {
        **_members(_INTERSECTION, _FUNCTIONS),
        **_members(_CROSSED, dict(list(_FUNCTIONS.items())[:2])),
        **{name: _function(_CROSSED, name, f, more, timed=True) for name, (f, more) in _PSDS.items()},
        "psds_from_psd_roc": psds_from_psd_roc,
    },
    _WAY_MISSING,
)
segment_based = namespace(f"{__name__}.segment_based", _members(_SEGMENT, {**_FUNCTIONS, **_RANKED}), _MISSING)
clip_based = namespace(f"{__name__}.clip_based", _members(_CLIP, {**_FUNCTIONS, **_RANKED}), _MISSING)
_IO = {
    name: getattr(frames, name)
    for name in (
        "parse_audio_durations",
        "parse_ground_truth",
        "parse_inputs",
        "read_audio_durations",
        "read_ground_truth_events",
        "read_ground_truth_tags",
        "read_sed_scores",
        "write_detection",
        "write_sed_scores",
    )
}
_NATIVE_IO = {
    "lazy_sed_scores_loader": "tracepact.curves on the folder, with `memory` for batches",
    "write_detections_for_multiple_thresholds": "tracepact.curves counts every threshold without files",
    **dict.fromkeys(("write_score_transform", "read_score_transform"), "every score is a threshold here"),
}
io = namespace(f"{__name__}.io", _IO, _NATIVE_IO)
base_modules = namespace(f"{__name__}.base_modules", {})
namespace(f"{__name__}.base_modules.io", _IO, _NATIVE_IO)
_SCORES = {n: getattr(frames, n) for n in ("create_score_dataframe", "validate_score_dataframe")}
namespace(f"{__name__}.base_modules.scores", _SCORES)
namespace(f"{__name__}.base_modules.detection", {"scores_to_event_list": frames.scores_to_event_list})
_FILTERS = {n: getattr(frames, n) for n in ("apply_postprocessing", "medfilt")}
namespace(f"{__name__}.base_modules.postprocessing", _FILTERS)
namespace(f"{__name__}.base_modules.bootstrap", {"confidence_interval": confidence_interval})
utils = namespace(f"{__name__}.utils", {})
namespace(f"{__name__}.utils.array_ops", {"get_first_index_where": frames.get_first_index_where})
namespace(f"{__name__}.utils.visualization", {"plot_psd_roc": _plot_psd_roc})
__getattr__ = refusal(__name__, {"package_dir": "pip show tracepact"})
