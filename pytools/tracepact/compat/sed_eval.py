"""sed_eval by its own names: event and segment metrics, file by file, and their reports.

    from tracepact.compat import sed_eval
    metric = sed_eval.sound_event.EventBasedMetrics(["dog"], t_collar=0.2, percentage_of_length=0.2)
    metric.evaluate(reference_event_list, estimated_event_list)
    metric.results_overall_metrics()["f_measure"]["f_measure"]

Events are gathered as they come and counted all at once when a result is asked for. Counts and values are those of the
policy `sed_eval` of the kernel (rule 15.14), bit by bit; `exact` is the metric by exact arithmetic, `differences` names
the pairs or segments on which the two disagree.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import nan
from typing import Any

import numpy as np

from tracepact.compat.tables import EventSide, NotCovered, in_ticks, load_event_list, namespace, refusal
from tracepact.data.events import EventColumns, exact
from tracepact.measures.policy import (
    EPSILON,
    Arithmetic,
    Empty,
    Evaluated,
    EventPolicy,
    MetricCounts,
    MetricSettings,
    OffsetRule,
    Rules,
    accuracy,
    mean,
    rates,
)
from tracepact.measures.results import CountMetric, Intervals
from tracepact.measures.standard import CellDifference, PairDifference, event_metrics, segment_metrics

__path__: list[str] = []
Results = dict[str, Any]
Item = Mapping[str, Any]
_F1 = (("F-measure (F1)", "f_measure"), ("Precision", "precision"), ("Recall", "recall"))
_ERRORS = (
    ("Error rate (ER)", "error_rate"),
    ("Substitution rate", "substitution_rate"),
    ("Deletion rate", "deletion_rate"),
    ("Insertion rate", "insertion_rate"),
)
_ACCURACY = (
    ("Sensitivity", "sensitivity"),
    ("Specificity", "specificity"),
    ("Balanced accuracy", "balanced_accuracy"),
    ("Accuracy", "accuracy"),
)


class SoundEventMetrics:
    """What both metrics share: gathering events, results and reports."""

    title = ""
    has_accuracy = False

    def __init__(self, event_label_list: Any, empty_system_output_handling: str | None = None) -> None:
        labels = event_label_list.tolist() if isinstance(event_label_list, np.ndarray) else event_label_list
        if not isinstance(labels, list):
            raise ValueError("event_label_list needs to be list or numpy.array")
        self.event_label_list = labels
        self.empty_system_output_handling = empty_system_output_handling
        self.evaluated_files = 0
        self._length = 0.0
        self._sides = EventSide(), EventSide()
        self._counts: CountMetric | None = None

    def __enter__(self) -> "SoundEventMetrics":
        return self

    def __exit__(self, *_: object) -> Any:
        return self.results()

    def reset(self) -> Any:
        """Forget the counts of all files."""
        self._sides, self._counts, self.evaluated_files, self._length = (EventSide(), EventSide()), None, 0, 0.0
        return self

    def _gather(self, reference: Iterable[Item], estimated: Iterable[Item]) -> tuple[float, float]:
        names = "reference_event_list", "estimated_event_list"
        parts = zip(self._sides, (reference, estimated), names, strict=True)
        ends = [side.add(self.evaluated_files, items, name) for side, items, name in parts]
        self.evaluated_files += 1
        self._counts = None
        return ends[0], ends[1]

    def _intervals(self, labels: Sequence[str], *times: Fraction) -> Intervals:
        place = {label: k for k, label in enumerate(labels)}
        unit, line = in_ticks([c for side in self._sides for c in (side.onset, side.offset)], times)
        columns = []
        for k, side in enumerate(self._sides):
            numbers = np.array([place[label] for label in side.label], dtype=np.int64)
            columns.append(EventColumns(unit, np.array(side.file, np.int64), numbers, line[2 * k], line[2 * k + 1]))
        return Intervals(tuple(map(str, range(self.evaluated_files))), tuple(labels), columns[0], columns[1])

    def _measured(self) -> tuple[CountMetric, CountMetric, tuple[Any, ...]]:
        """The counts in floats, the exact ones, and where the two differ."""
        raise NotImplementedError

    @property
    def _metric(self) -> CountMetric:
        if self._counts is None:
            self._counts = self._measured()[0]
        return self._counts

    @property
    def _empty(self) -> Empty:
        return Empty.ZERO_SCORE if self.empty_system_output_handling == "zero_score" else Empty.UNDEFINED

    def _rates(self, tally: MetricCounts) -> Results:
        taken = rates(tally, Rules(Arithmetic.SED_EVAL, self._empty))
        values = {"f_measure": taken.f1, "precision": taken.precision, "recall": taken.recall}
        return {name: nan if value is None else float(value) for name, value in values.items()}

    def _tally(self, label: str) -> MetricCounts:
        return self._metric.classes[label]

    @property
    def overall(self) -> dict[str, float]:
        """The counts of all classes."""
        raise NotImplementedError

    @property
    def class_wise(self) -> dict[str, dict[str, float]]:
        """The counts of each class."""
        found = {}
        for label in self.event_label_list:
            tally = self._tally(label)
            negative = self._metric.true_negatives(tally) if self.has_accuracy else 0
            found[label] = _floats(
                Ntp=tally.tp,
                Ntn=negative,
                Nfp=tally.fp,
                Nfn=tally.fn,
                Nref=tally.tp + tally.fn,
                Nsys=tally.tp + tally.fp,
            )
        return found

    def overall_f_measure(self) -> Results:
        """F1, precision and recall of all events."""
        return self._rates(self._metric.total)

    def overall_error_rate(self) -> Results:
        """The error rate and its three parts."""
        errors = self._metric.errors
        assert errors is not None
        parts = errors.substitutions, errors.deletions, errors.insertions
        shares = [part / (errors.reference + EPSILON) for part in parts]
        names = ("substitution_rate", "deletion_rate", "insertion_rate")
        return {"error_rate": float(sum(shares)), **dict(zip(names, shares, strict=True))}

    def overall_accuracy(self, factor: float = 0.5) -> Results:
        """Accuracies of all segments; nothing for events."""
        return self._accuracy(self._metric.total, len(self.event_label_list), factor) if self.has_accuracy else {}

    def _accuracy(self, tally: MetricCounts, classes: int, factor: float) -> Results:
        rules = Rules(Arithmetic.SED_EVAL)
        taken = accuracy(tally, self._metric.true_negatives(tally, classes), rules)
        assert taken.sensitivity is not None
        assert taken.specificity is not None
        balanced = (1 - factor) * taken.sensitivity + factor * taken.specificity
        return {
            "accuracy": taken.accuracy,
            "balanced_accuracy": balanced,
            "sensitivity": taken.sensitivity,
            "specificity": taken.specificity,
        }

    def class_wise_count(self, event_label: str) -> Results:
        """How many references and predictions a class has."""
        tally = self._tally(event_label)
        return _floats(Nref=tally.tp + tally.fn, Nsys=tally.tp + tally.fp)

    def class_wise_f_measure(self, event_label: str) -> Results:
        """F1, precision and recall of a class."""
        return self._rates(self._tally(event_label))

    def class_wise_error_rate(self, event_label: str) -> Results:
        """The error rate of a class: within one there are no substitutions."""
        tally = self._tally(event_label)
        deleted, inserted = (part / (tally.tp + tally.fn + EPSILON) for part in (tally.fn, tally.fp))
        return {"error_rate": deleted + inserted, "deletion_rate": deleted, "insertion_rate": inserted}

    def class_wise_accuracy(self, event_label: str, factor: float = 0.5) -> Results:
        """Accuracies of a class; nothing for events."""
        return self._accuracy(self._tally(event_label), 1, factor) if self.has_accuracy else {}

    def results_overall_metrics(self) -> Results:
        """All values of all classes together."""
        return {
            "f_measure": self.overall_f_measure(),
            "error_rate": self.overall_error_rate(),
            "accuracy": self.overall_accuracy(),
        }

    def results_class_wise_metrics(self) -> Results:
        """All values of each class."""
        return {
            label: {
                "f_measure": self.class_wise_f_measure(label),
                "accuracy": self.class_wise_accuracy(label),
                "error_rate": self.class_wise_error_rate(label),
                "count": self.class_wise_count(label),
            }
            for label in self.event_label_list
        }

    def results_class_wise_average_metrics(self) -> Results:
        """The means over the classes where a value is defined."""
        by_class = list(self.results_class_wise_metrics().values())
        averages: Results = {}
        for group in ("f_measure", "error_rate", "accuracy"):
            names = by_class[0][group] if by_class else {}
            averages[group] = {name: _mean([found[group][name] for found in by_class]) for name in names}
        return averages

    def results(self) -> Results:
        """All values."""
        return {
            "overall": self.results_overall_metrics(),
            "class_wise": self.results_class_wise_metrics(),
            "class_wise_average": self.results_class_wise_average_metrics(),
        }

    @property
    def exact(self) -> CountMetric:
        """The metric by exact arithmetic: `micro`, `macro`, `classes`, `error_rate`."""
        return self._measured()[1]

    @property
    def differences(self) -> tuple[PairDifference | CellDifference, ...]:
        """The pairs of events, or the segments, on which floats and exact arithmetic disagree."""
        return self._measured()[2]

    # Reports, in the layout of the original.

    def result_report_parameters(self) -> str:
        """How the metric was taken."""
        lines = [("Evaluated length", f"{self._length:.2f}", "sec"), ("Evaluated files", str(self.evaluated_files), "")]
        return _lines(2, [*lines, *self._parameters()])

    def _parameters(self) -> list[tuple[str, str, str]]:
        raise NotImplementedError

    def result_report_overall(self) -> str:
        """The values of all classes together."""
        return _section("Overall metrics (micro-average)", self.results_overall_metrics())

    def result_report_class_wise_average(self) -> str:
        """The means over classes."""
        return (
            _section("Class-wise average metrics (macro-average)", self.results_class_wise_average_metrics()) + "  \n"
        )

    def result_report_class_wise(self) -> str:
        """A row for each class."""
        groups = [["Event label"], ["Nref", "Nsys"], ["F", "Pre", "Rec"], ["ER", "Del", "Ins"]]
        groups += [["Sens", "Spec", "Bacc", "Acc"]] if self.has_accuracy else []
        rules = [["-" * 12], ["-" * 5] * 2, *[["-" * 6] * len(group) for group in groups[2:]]]
        text = _header("Class-wise metrics", 2) + "\n" + _row(groups) + _row(rules)
        for label, found in self.results_class_wise_metrics().items():
            name = label if len(label) <= 15 else label[:13] + ".."
            cells = [[name], [f"{found['count'][key]:.0f}" for key in ("Nref", "Nsys")]]
            cells.append([f"{found['f_measure'][key] * 100:.1f}%" for _, key in _F1])
            cells.append([f"{found['error_rate'][key]:.2f}" for _, key in _ERRORS if key in found["error_rate"]])
            if self.has_accuracy:
                cells.append([f"{found['accuracy'][key] * 100:.1f}%" for _, key in _ACCURACY])
            text += _row(cells)
        return text

    def __str__(self) -> str:
        parts = (
            self.result_report_parameters,
            self.result_report_overall,
            self.result_report_class_wise_average,
            self.result_report_class_wise,
        )
        return "".join(f"{part}\n" for part in (_header(self.title, 0), *(part() for part in parts)))


def _floats(**counts: int) -> dict[str, float]:
    return {name: float(count) for name, count in counts.items()}


def _mean(values: Sequence[float]) -> float:
    found = mean([None if value != value else value for value in values])
    return nan if found is None else float(found)


def _header(text: str, indent: int) -> str:
    return f"{' ' * indent}{text}\n{' ' * indent}{'=' * (40 - indent)}"


def _lines(indent: int, rows: Sequence[tuple[str, str, str]]) -> str:
    return "".join(f"{' ' * indent}{name:<{35 - indent}} : {value} {unit}\n" for name, value, unit in rows)


def _section(title: str, results: Results) -> str:
    text = _header(title, 2) + "\n"
    for group, name, fields in (
        ("f_measure", "F-measure", _F1),
        ("error_rate", "Error rate", _ERRORS),
        ("accuracy", "Accuracy", _ACCURACY),
    ):
        values, share = results[group], group != "error_rate"
        if values:
            rows = [(f, key) for f, key in fields if key in values]
            text += f"  {name}\n"
            text += _lines(4, [(f, f"{values[k] * (100 if share else 1):.2f}", "%" if share else "") for f, k in rows])
    return text


def _row(groups: Sequence[Sequence[str]]) -> str:
    """One row: cells of fixed widths, groups apart by bars."""
    widths = (12, 7, 8, 8, 8)
    last = [6, 5, 6, 6, 8]
    parts = []
    for group, width, end in zip(groups, widths, last, strict=False):
        cells = [
            f"{cell:<{width + 1 if k < len(group) - 1 else (end if len(group) > 1 else width)}}"
            for k, cell in enumerate(group)
        ]
        parts.append("".join(cells))
    return "    " + " | ".join(parts) + (" |" if len(groups) < 5 else "") + "\n"


class EventBasedMetrics(SoundEventMetrics):
    """Events matched by collars around onset and offset."""

    def __init__(
        self,
        event_label_list: Any,
        evaluate_onset: bool = True,
        evaluate_offset: bool = True,
        t_collar: float = 0.2,
        percentage_of_length: float = 0.5,
        event_matching_type: str = "optimal",
        empty_system_output_handling: str | None = None,
        **_: Any,
    ) -> None:
        if not evaluate_onset:
            raise NotCovered("evaluate_onset=False", "an event clause with `abs(offset_difference)`")
        if event_matching_type != "optimal":
            raise NotCovered(
                f"event_matching_type={event_matching_type!r}", "a contract declares its matcher (rule 3.8)"
            )
        super().__init__(event_label_list, empty_system_output_handling)
        self.evaluate_onset, self.evaluate_offset = evaluate_onset, evaluate_offset
        self.t_collar, self.percentage_of_length = t_collar, percentage_of_length
        self.event_matching_type = event_matching_type
        self.title = f"Event based metrics ({'onset-offset' if evaluate_offset else 'onset only'})"

    @property
    def evaluated_length(self) -> float:
        """The sum of the last offsets of the references."""
        return self._length

    def evaluate(
        self, reference_event_list: Iterable[Item], estimated_event_list: Iterable[Item]
    ) -> "EventBasedMetrics":
        """Add the events of one file."""
        self._length += self._gather(reference_event_list, estimated_event_list)[0]
        return self

    def _measured(self) -> tuple[CountMetric, CountMetric, tuple[Any, ...]]:
        offset = OffsetRule.MAX if self.evaluate_offset else OffsetRule.NONE
        policy = EventPolicy(exact(float(self.t_collar)), offset, exact(float(self.percentage_of_length)))
        others = dict.fromkeys(label for side in self._sides for label in side.label)
        labels = list(dict.fromkeys([*self.event_label_list, *others]))
        found = event_metrics(self._intervals(labels, policy.collar), MetricSettings(event=policy, empty=self._empty))
        return found.sed_eval, found.exact, found.differences

    @property
    def overall(self) -> dict[str, float]:
        """The counts of all classes."""
        total, errors = self._metric.total, self._metric.errors
        assert errors is not None
        return _floats(
            Nref=errors.reference,
            Nsys=total.tp + total.fp,
            Nsubs=errors.substitutions,
            Ntp=total.tp,
            Nfp=errors.insertions,
            Nfn=errors.deletions,
        )

    def _parameters(self) -> list[tuple[str, str, str]]:
        return [
            ("Evaluate onset", str(self.evaluate_onset), ""),
            ("Evaluate offset", str(self.evaluate_offset), ""),
            ("T collar", *_length(self.t_collar)),
            ("Offset (length)", f"{self.percentage_of_length * 100:.2f}", "%"),
        ]


def _length(seconds: float) -> tuple[str, str]:
    return (f"{seconds * 1000:.2f}", "ms") if seconds < 1 else (f"{seconds:.2f}", "sec")


class SegmentBasedMetrics(SoundEventMetrics):
    """Activity compared segment by segment."""

    title = "Segment based metrics"
    has_accuracy = True

    def __init__(self, event_label_list: Any, time_resolution: float = 1.0, **_: Any) -> None:
        if not isinstance(time_resolution, float) or time_resolution <= 0:
            raise ValueError("time_resolution needs to be float > 0")
        super().__init__(event_label_list)
        self.time_resolution = time_resolution
        self._lengths: list[float] = []

    @property
    def evaluated_length_seconds(self) -> float:
        """How long all files are together."""
        return self._length

    def evaluate(
        self,
        reference_event_list: Iterable[Item],
        estimated_event_list: Iterable[Item],
        evaluated_length_seconds: float | None = None,
    ) -> "SegmentBasedMetrics":
        """Add the events of one file, which ends with its last event or where it is said to."""
        ends = self._gather(reference_event_list, estimated_event_list)
        self._lengths.append(max(ends) if evaluated_length_seconds is None else evaluated_length_seconds)
        self._length += self._lengths[-1]
        return self

    def reset(self) -> Any:
        """Forget the counts of all files."""
        self._lengths = []
        return super().reset()

    def _measured(self) -> tuple[CountMetric, CountMetric, tuple[Any, ...]]:
        unknown = {label for side in self._sides for label in side.label} - set(self.event_label_list)
        if unknown:
            raise ValueError(f"event labels {sorted(unknown)} are not in event_label_list")
        length = exact(self.time_resolution)
        settings = MetricSettings(segment=length, evaluated=Evaluated.CLIP)
        durations = {str(k): exact(float(seconds)) for k, seconds in enumerate(self._lengths)}
        found = segment_metrics(self._intervals(self.event_label_list, length), settings, durations)
        return found.sed_eval, found.exact, found.differences

    @property
    def overall(self) -> dict[str, float]:
        """The counts of all classes."""
        total, errors = self._metric.total, self._metric.errors
        assert errors is not None
        negative = self._metric.true_negatives(total, len(self.event_label_list))
        return _floats(
            Ntp=total.tp,
            Ntn=negative,
            Nfp=total.fp,
            Nfn=total.fn,
            Nref=total.tp + total.fn,
            Nsys=total.tp + total.fp,
            ER=0,
            S=errors.substitutions,
            D=errors.deletions,
            I=errors.insertions,
        )

    def _parameters(self) -> list[tuple[str, str, str]]:
        return [("Segment length", *_length(self.time_resolution))]


sound_event = namespace(
    f"{__name__}.sound_event",
    {
        "EventBasedMetrics": EventBasedMetrics,
        "SegmentBasedMetrics": SegmentBasedMetrics,
        "SoundEventMetrics": SoundEventMetrics,
    },
)
io = namespace(
    f"{__name__}.io",
    {"load_event_list": load_event_list},
    {"load_scene_list": "scenes are not events", "load_file_pair_list": "tracepact takes folders of both sides"},
)
__getattr__ = refusal(
    __name__,
    {
        "scene": "scenes and tags have no boundaries, which this package is about",
        "audio_tag": "`clip_based` of tracepact.compat.sed_scores_eval scores tags",
        "metric": "tracepact.measures.policy has the rates",
        "util": "tracepact reads event lists and masks as they are",
    },
)
