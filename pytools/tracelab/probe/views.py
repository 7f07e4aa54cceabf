"""The views of a probe's rows: tables, figures, and one page to link to."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from markupsafe import Markup

from tracelab.probe.encoding import SPEECH_GATE
from tracelab.probe.rows import ENCODERS, GATES
from tracelab.probe.tables import (
    bounds,
    gate_times,
    guard,
    is_control,
    pooled,
    present_conditions,
    probe_tables,
    ranked_gates,
)
from tracelab.study.comparison import Rows, metric_value, share
from tracelab.study.rows import MEAN, chosen
from tracelab.study.tables import StudyTable
from tracelab.study.views import record_section, table_sections, view_files
from tracepact.show import (
    Bar,
    BarGroup,
    Curve,
    Section,
    bar_chart,
    curve_chart,
    heat_table,
    html_page,
)
from tracepact.wording import parse_stored

TITLE = "Which voice activity detector opens on time?"
_CURVE = "onset_guard"


def probe_views(rows: Rows, record: Mapping[str, Any]) -> dict[str, str]:
    """Every view, by the name of its file."""
    tables, figures = probe_tables(rows, int(record["draws"])), probe_figures(rows)
    return {**view_files(tables, figures), "probe.html": probe_page(rows, record, tables, figures)}


def probe_figures(rows: Rows) -> dict[str, str]:
    """The charts, each under the name of the table it belongs to."""
    found: dict[str, str] = {}
    gates = ranked_gates(rows)
    if gates:
        found["opening"] = bar_chart(
            "Onsets of speech within 40 ms",
            [BarGroup("", [_bar(rows, name) for name in gates])],
            x="share, with its interval",
        )
        conditions, shares = present_conditions(rows), pooled(rows)
        for name, group, clause, title in (
            ("opening-conditions", GATES, "onset_guard", "Onsets within 40 ms"),
            ("beginning-conditions", SPEECH_GATE, "beginning_kept", "Beginnings kept"),
        ):
            values = [[shares.get((group, gate, clause, condition)) for condition in conditions] for gate in gates]
            found[name] = heat_table(title, gates, conditions, values, value_range=(0, 1))
    curves = [curve for gate in gates if (curve := _curve(rows, gate)) is not None]
    if curves:
        found["thresholds"] = curve_chart("onset_guard over the threshold", curves, x="threshold", y="onset_guard")
    encoders = [row["system"] for row in chosen(rows["metrics"], group=ENCODERS, metric=MEAN)]
    if encoders:
        conditions = present_conditions(rows, ENCODERS)
        values = [[_mean(rows, name, condition) for condition in conditions] for name in encoders]
        title = "Mean of the vector by encoder and condition"
        found["encoder-conditions"] = heat_table(title, encoders, conditions, values, value_range=(0, 1))
    return found


def probe_page(rows: Rows, record: Mapping[str, Any], tables: Sequence[StudyTable], figures: Mapping[str, str]) -> str:
    """One page: the answer, then every table and figure, then the record."""
    answer = Section("answer", "In short", _answer(rows))
    sections = [answer, *table_sections(tables, figures), record_section(record)]
    head = Markup(
        "<h1>{}</h1><p>Detectors of others, run with the defaults of their packages, on {} scenes of 12 s at 8 kHz "
        "whose speech begins and ends at exactly known samples, under seven conditions; and frozen encoders behind one "
        "boundary head. Speech from {}. Speech that the scenes leave unlabelled is neither asked for nor held against "
        "a detector. Every table is a view of stored rows; <code>tracelab verify</code> computes them again.</p>"
    ).format(TITLE, record["test clips of detectors"], record["speech"])
    return html_page(TITLE, head, sections)


def _answer(rows: Rows) -> Markup:
    """Who leads, by how much, and where; every figure from the rows."""
    said = [*_gate_sentences(rows), *_encoder_sentences(rows)]
    return Markup("<ul>{}</ul>").format(Markup("").join(Markup("<li>{}</li>").format(one) for one in said))


def _gate_sentences(rows: Rows) -> list[str]:
    gates = [name for name in ranked_gates(rows) if not is_control(rows, name)]
    if not gates:
        return []
    best = gates[0]
    others = [name for name in gates[1:] if _reaches(rows, name, best)]
    beside = f"; {', '.join(others)} cannot be told apart from it by their intervals" if others else ""
    said = [
        f"{best} opens within 40 ms of the start of speech most often: "
        f"{_text(rows, GATES, best, 'onset_guard')}{beside}."
    ]
    above = [name for name in ranked_gates(rows) if is_control(rows, name) and _above(rows, name, best)]
    said += [
        f"The control {name} is above all of them, {_text(rows, GATES, name, 'onset_guard')}, and pays for it: only "
        f"{share(guard(rows, SPEECH_GATE, name, 'opening_justified'))} of its openings are for speech."
        for name in above
        if name != "speech_alone"
    ]
    kept = max(gates, key=lambda name: guard(rows, SPEECH_GATE, name, "beginning_kept") or Fraction(0))
    justified = guard(rows, SPEECH_GATE, kept, "opening_justified")
    said.append(
        f"{kept} keeps most beginnings ({_text(rows, SPEECH_GATE, kept, 'beginning_kept')}); "
        f"{share(justified)} of its openings are for speech."
    )
    silent = [(gate_times(rows, name, 0), name) for name in gates]
    missed = max(silent, key=lambda one: one[0].utterances - one[0].opened)
    said.append(
        f"{missed[1]} stays shut in {missed[0].utterances - missed[0].opened} of {missed[0].utterances} utterances, "
        "more than any other."
    )
    said.append(hardest_sentence(rows, gates))
    if "speech_alone" in ranked_gates(rows):
        said.append(
            "The control speech_alone, which hears nothing but the speech, has "
            f"{_text(rows, GATES, 'speech_alone', 'onset_guard')}: what it misses is not hidden by other sound."
        )
    return said


def hardest_sentence(rows: Rows, gates: Sequence[str]) -> str:
    """The hardest condition by two measures, which need not agree: its best detector, and the mean of all."""
    shares = pooled(rows)
    onsets = {
        condition: [shares.get((GATES, name, "onset_guard", condition), Fraction(0)) for name in gates]
        for condition in present_conditions(rows)
    }
    best = {condition: max(found) for condition, found in onsets.items()}
    mean = {condition: sum(found, Fraction(0)) / len(found) for condition, found in onsets.items()}
    first, second = (min(measure, key=measure.__getitem__) for measure in (best, mean))
    besides = "" if first == second else f", against {share(mean[first])} in {first}"
    return (
        f"By the best detector of each condition the hardest is {first}, where it has {share(best[first])} of the "
        f"onsets in time; by the mean of all detectors it is {second}, with {share(mean[second])}{besides}."
    )


def _encoder_sentences(rows: Rows) -> list[str]:
    names = [row["system"] for row in chosen(rows["metrics"], group=ENCODERS, metric=MEAN)]
    if not names:
        return []
    order = sorted(names, key=lambda name: -(metric_value(rows, ENCODERS, name, MEAN) or Fraction(0)))
    frozen = [name for name in order if not is_control(rows, name)]
    said = []
    if frozen:
        said.append(
            f"Of the frozen encoders {frozen[0]} serves the boundary head best: mean of the vector "
            f"{_text(rows, ENCODERS, frozen[0], MEAN)}."
        )
    controls = [name for name in order if is_control(rows, name)]
    if controls and frozen:
        below = [name for name in frozen if order.index(name) > order.index(controls[0])]
        said.append(
            f"The control {controls[0]}, without any training, has {_text(rows, ENCODERS, controls[0], MEAN)} and "
            f"stands above {len(below)} of {len(frozen)} frozen encoders."
        )
    return said


def _above(rows: Rows, name: str, best: str) -> bool:
    """Whether a control opens in time more often than the best detector."""
    own, other = (guard(rows, GATES, one, "onset_guard") or Fraction(0) for one in (name, best))
    return own > other


def _reaches(rows: Rows, name: str, best: str) -> bool:
    """Whether the interval of a detector reaches that of the best."""
    own, other = (bounds(rows, GATES, one, "onset_guard") for one in (name, best))
    return own is not None and other is not None and own[1] >= other[0]


def _text(rows: Rows, group: str, system: str, clause: str) -> str:
    ends = bounds(rows, group, system, clause)
    return f"{share(guard(rows, group, system, clause))}" + (f" [{ends[0]:.3f}, {ends[1]:.3f}]" if ends else "")


def _bar(rows: Rows, name: str) -> Bar:
    ends = bounds(rows, GATES, name, "onset_guard") or (None, None)
    label = f"{name} (control)" if is_control(rows, name) else name
    return Bar(label, guard(rows, GATES, name, "onset_guard"), ends[0], ends[1])


def _curve(rows: Rows, name: str) -> Curve | None:
    found = chosen(rows["curves"], system=name, quantity=_CURVE, kind="grid") if rows["curves"] else []
    points = [(parse_stored(row["threshold"]), parse_stored(row["value"])) for row in found if row["value"]]
    return Curve(name, points) if points else None


def _mean(rows: Rows, name: str, condition: str) -> Fraction | None:
    found = chosen(rows["conditions"], system=name, condition=condition, metric=MEAN)
    return parse_stored(found[0]["value"]) if found and found[0]["value"] else None
