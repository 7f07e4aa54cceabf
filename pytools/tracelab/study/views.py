"""The findings of the published study decided on our rows, and the views of them."""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec
from markupsafe import Markup

import tracepact
from tracelab.detectors.recipes import DETECTORS, LEARNING
from tracelab.study.comparison import Rows, guard_value, latex_table, metric_value, tolerance_curve
from tracelab.study.rows import GUARDS, MEAN, Row, chosen
from tracelab.study.tables import StudyTable, study_tables
from tracepact.show import (
    Cell,
    Column,
    Curve,
    Section,
    Table,
    Tone,
    csv_text,
    curve_chart,
    heat_table,
    html_page,
    html_table,
    inline,
    table_lines,
    words,
)
from tracepact.wording import parse_stored

# The findings of the published study as statements, decided on our rows.

_HALF = Fraction(1, 2)
_TRAINED_ON = ("onset_guard", "offset_guard", "missing_guard", "spurious_guard", "silence_guard")
_REVERB = frozenset(("offset_guard", "silence_guard", "duration_guard", "fragmentation_guard"))


@dataclass(frozen=True, slots=True)
class StudyFinding:
    """A statement, whether it holds on our data, and the figures that decide it."""

    statement: str
    holds: bool
    evidence: str


def findings(rows: Rows) -> list[StudyFinding]:
    """Every statement, decided."""
    return [decide(rows) for decide in _STATEMENTS]


def finding_table(decided: list[StudyFinding]) -> Table:
    """The statements as a table."""
    body: list[list[Cell | str]] = [
        [finding.statement, Cell("true", Tone.GOOD) if finding.holds else Cell("false", Tone.BAD), finding.evidence]
        for finding in decided
    ]
    return Table("Findings", [Column("statement"), Column("here"), Column("evidence")], body)


def _edges(rows: Rows) -> StudyFinding:
    below = [
        recipe.name
        for recipe in DETECTORS
        if _metric(rows, recipe.name, "transition") < _metric(rows, recipe.name, "frame")
    ]
    return StudyFinding(
        "The edge F1 is below the frame F1 for every detector.",
        len(below) == len(DETECTORS),
        f"below for {len(below)} of {len(DETECTORS)}: {', '.join(below) or 'none'}",
    )


def _augmentation(rows: Rows) -> StudyFinding:
    clean, augmented, full = (_mean(rows, name) for name in ("clean_dilated", "augmentation_only", "union_full"))
    whole, part = full - clean, augmented - clean
    said = f"{float(part / whole):.0%} of the gain" if whole > 0 else "the full system gains nothing"
    return StudyFinding(
        "Augmentation explains most of the repair.",
        whole > 0 and part / whole > _HALF,
        f"mean of the vector: clean {_3(clean)}, augmented {_3(augmented)}, full {_3(full)}; {said}",
    )


def _leaders(rows: Rows) -> StudyFinding:
    ranked = chosen(rows["rankings"], kind="clause", best="true")
    leaders = sorted({row["system"] for row in ranked})
    return StudyFinding("Different guards have different leaders.", len(leaders) > 1, f"leaders: {', '.join(leaders)}")


def _reverberation(rows: Rows) -> StudyFinding:
    drops = {}
    for clause in GUARDS:
        clean, reverb = (
            guard_value(rows, "detectors", "contract_tcn_aug", clause, condition=condition)
            for condition in ("clean", "reverb")
        )
        drops[clause] = (clean or Fraction(0)) - (reverb or Fraction(0))
    worst = sorted(GUARDS, key=lambda clause: -drops[clause])[: len(_REVERB)]
    shown = ", ".join(f"{clause} {float(drops[clause]):+.3f}" for clause in sorted(GUARDS, key=lambda c: -drops[c]))
    return StudyFinding(
        "Reverberation hurts offset, silence, duration and fragmentation most.",
        set(worst) == _REVERB,
        f"contract_tcn_aug, clean less reverb: {shown}",
    )


def _union(rows: Rows) -> StudyFinding:
    pairs = [(parse_stored(r["class_indexed"]), parse_stored(r["union"])) for r in rows["union"] if r["union"]]
    higher = sum(union > typed for typed, union in pairs)
    return StudyFinding(
        "A union of the classes hides typed failure.",
        bool(pairs) and higher > len(pairs) / 2,
        f"the union scores higher on {higher} of {len(pairs)} clause values",
    )


def _matching(rows: Rows) -> StudyFinding:
    given = sum(int(row["changed"]) for row in chosen(rows["matcher"], what="given"))
    cases = sum(int(row["cases"]) for row in chosen(rows["matcher"], what="given"))
    bridges = sum(int(row["changed"]) for row in chosen(rows["matcher"], what="bridges"))
    return StudyFinding(
        "Greedy and optimal matching agree on detector outputs and differ on bridges.",
        given == 0 and bridges > 0,
        f"matchings that differ: {given} of {cases} on outputs, {bridges} on bridges of the references",
    )


def _learning(rows: Rows) -> StudyFinding:
    means = [_mean(rows, recipe.name, "learning") for recipe in LEARNING]
    rising = all(a <= b for a, b in pairwise(means))
    return StudyFinding(
        "The learning curve need not be monotone.",
        not rising,
        "mean of the vector at each share: " + ", ".join(map(_3, means)) + ("; it rises throughout" if rising else ""),
    )


def _contract_loss(rows: Rows) -> StudyFinding:
    gains = {
        clause: _ablated(rows, "gate_loss", clause) - _ablated(rows, "augmentation_decoded", clause)
        for clause in GUARDS
    }
    better = [clause for clause in _TRAINED_ON if gains[clause] > 0]
    others = ", ".join(f"{clause} {float(gains[clause]):+.3f}" for clause in GUARDS)
    return StudyFinding(
        "Training with the contract's own loss improves the guards it is trained on.",
        len(better) == len(_TRAINED_ON),
        f"{len(better)} of {len(_TRAINED_ON)} improve over the same network without it: {others}",
    )


_STATEMENTS: tuple[Callable[[Rows], StudyFinding], ...] = (
    _edges,
    _augmentation,
    _leaders,
    _reverberation,
    _union,
    _matching,
    _learning,
    _contract_loss,
)


def _metric(rows: Rows, system: str, metric: str) -> Fraction:
    return metric_value(rows, "detectors", system, metric) or Fraction(0)


def _mean(rows: Rows, system: str, group: str = "ablation") -> Fraction:
    return metric_value(rows, group, system, MEAN) or Fraction(0)


def _ablated(rows: Rows, system: str, clause: str) -> Fraction:
    return guard_value(rows, "ablation", system, clause) or Fraction(0)


def _3(value: Fraction) -> str:
    return f"{float(value):.3f}"


# The views of a study's rows: tables as CSV, Markdown and LaTeX, and one self-contained page.


def every_table(rows: Rows) -> list[StudyTable]:
    """The findings, the protocol, every table made of rows, and the checklist."""
    return [
        StudyTable("findings", finding_table(findings(rows))),
        StudyTable("protocol", _listed("Protocol", rows["protocol"])),
        StudyTable("perturbations", _listed("Perturbations", rows["perturbations"])),
        *study_tables(rows),
        checklist_table(),
    ]


def view_files(tables: Sequence[StudyTable], figures: Mapping[str, str]) -> dict[str, str]:
    """The files of the views by name."""
    files = {}
    for one in tables:
        files[f"tables/{one.name}.csv"] = _csv(one.table)
        files[f"tables/{one.name}.md"] = "\n".join(table_lines(one.table)) + "\n"
        files[f"tables/{one.name}.tex"] = latex_table(one.table)
    files |= {f"figures/{name}.svg": chart for name, chart in figures.items()}
    return files


def study_figures(rows: Rows) -> dict[str, str]:
    """The charts: the exact tolerance curves, and guards by detector."""
    names = [recipe.name for recipe in DETECTORS]
    curves = []
    for name in names:
        pieces = tolerance_curve(rows, name)
        points = [(pieces[0][0], pieces[0][3]), *((high, value) for _, high, _, value in pieces)]
        curves.append(Curve(name, [(1000 * x, y) for x, y in points]))
    values = [[guard_value(rows, "detectors", name, clause) for clause in GUARDS] for name in names]
    return {
        "tolerance": curve_chart(
            "Mean of the vector over the tolerance", curves, x="tolerance, ms", y="mean of the vector", steps=True
        ),
        "guards": heat_table("Guards by detector", names, [guard.removesuffix("_guard") for guard in GUARDS], values),
    }


def study_page(title: str, record: Mapping[str, Any], tables: Sequence[StudyTable], figures: Mapping[str, str]) -> str:
    """One page with every table, figure and the record of the run."""
    sections = [*table_sections(tables, figures), record_section(record)]
    head = Markup(
        "<h1>{}</h1><p>Scale {}; speech from {}. Every table is a view of stored rows; "
        "<code>tracelab verify</code> computes them again.</p>"
    ).format(title, record["scale"], record["speech"])
    return html_page(title, head, sections)


def table_sections(tables: Sequence[StudyTable], figures: Mapping[str, str]) -> Iterator[Section]:
    """A section for each table, below the chart of its name if there is one."""
    for one in tables:
        chart = Markup("<figure>{}</figure>").format(inline(figures[one.name])) if one.name in figures else Markup("")
        yield Section(one.name, one.table.title, chart + html_table(replace(one.table, title="")), one.lead)


def record_section(record: Mapping[str, Any]) -> Section:
    """The record of a run as the last part of its page."""
    return listed_section({key: _recorded(value) for key, value in record.items()})


def listed_section(record: Mapping[str, object]) -> Section:
    """A record whose values are shown as they are."""
    listed = Table("", words("what", "value"), [[key, str(value)] for key, value in record.items()])
    return Section("record", "Record", html_table(listed))


def _recorded(value: Any) -> str:
    match value:
        case Mapping():
            return ", ".join(f"{name} {_recorded(one)}".strip() for name, one in value.items())
        case list():
            return ", ".join(map(str, value))
        case _:
            return str(value)


def _listed(title: str, rows: Sequence[Row]) -> Table:
    """Rows as they are."""
    return Table(title, words(*rows[0]), [list(row.values()) for row in rows])


def _csv(table: Table) -> str:
    return csv_text(
        [column.heading for column in table.columns], ([text.strip() for text in row] for row in table.texts())
    )


# What the three texts have, where each is here, and in what state (spec/study/checklist.toml).


class ItemState(StrEnum):
    """How a thing of a text is here."""

    EQUAL = "equal"
    DIFFERENT = "different"
    OFFLINE = "offline"


class ChecklistEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing of a text: where it is here, its state, and why it is not equal or what should be known."""

    text: str
    item: str
    where: str
    state: ItemState
    reason: str


class Checklist(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The titles of the texts, and every entry."""

    texts: dict[str, str]
    entry: list[ChecklistEntry]


@cache
def checklist() -> Checklist:
    """The checklist of the spec."""
    written = tracepact.spec_path("study/checklist.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(written), Checklist)


def checklist_table() -> StudyTable:
    """The checklist as a table of the study."""
    entries = checklist().entry
    tones = {ItemState.EQUAL: Tone.GOOD, ItemState.DIFFERENT: Tone.PLAIN, ItemState.OFFLINE: Tone.FAINT}
    body: list[list[Cell | str]] = [
        [one.text, one.item, one.where or "—", Cell(one.state, tones[one.state]), one.reason or "—"] for one in entries
    ]
    table = Table("Checklist", words("text", "what it has", "where it is here", "state", "why, or what to know"), body)
    return StudyTable(
        "checklist",
        table,
        f"{counted(entries)}. equal: the same quantity by the same definition; "
        "its values may differ, and stand beside the published ones. offline: not to be had without a "
        "network; what loads it is tested.",
    )


def counted(entries: Sequence[ChecklistEntry]) -> str:
    """How many entries are in each state."""
    counts = Counter(one.state for one in entries)
    return ", ".join(f"{counts[state]} {state}" for state in ItemState)
