"""The tables of the study: views of its rows, with the published figures beside them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tracelab.detectors.recipes import ABLATION, DETECTORS, LEARNING, REGIME, Recipe
from tracelab.protocol import CONDITIONS
from tracelab.study.published import Published, published
from tracelab.study.rows import CONTRASTS, MEAN, TOLERANCES, Row, chosen
from tracepact.show import Cell, Column, Table, Tone, numbers

Rows = Mapping[str, Sequence[Row]]
GUARDS = (
    "onset_guard",
    "offset_guard",
    "missing_guard",
    "spurious_guard",
    "silence_guard",
    "duration_guard",
    "fragmentation_guard",
)
METRICS = ("frame", "segment", "event", "boundary", "transition", "onset error", MEAN, "soft boundary")
_HEADINGS = {"transition": "edge", "onset error": "onset error, ms"}
_NONE = "—"


@dataclass(frozen=True, slots=True)
class StudyTable:
    """A table with the name of its files and what a reader should look for in it."""

    name: str
    table: Table
    lead: str = ""


def study_tables(rows: Rows) -> list[StudyTable]:
    """Every table that is made of rows, in reading order."""
    return [made(rows) for made in _TABLES]


def metric_table(rows: Rows) -> StudyTable:
    """Standard metrics and the mean of the vector, beside the published ones."""
    names = [recipe.name for recipe in DETECTORS]
    found = {name: [metric_value(rows, "detectors", name, metric) for metric in METRICS] for name in names}
    return StudyTable(
        "metrics",
        _with_published("Standard metrics on the test clips", "detector", METRICS, found, published().metrics),
        "F1 of frames, 1 s segments, events with a 200 ms collar, matched boundaries and edges; the mean absolute "
        "onset error of matched events; the mean of the contract's vector.",
    )


def guard_table(rows: Rows) -> StudyTable:
    """The vector of every detector, beside the published one."""
    found = {recipe.name: _guards(rows, "detectors", recipe.name) for recipe in DETECTORS}
    table = _with_published("Guards by detector", "detector", GUARDS, found, published().guards)
    return StudyTable("guards", table, "Every guard of boundary_gate, all conditions together.")


def condition_table(rows: Rows) -> StudyTable:
    """The vector of the clean-trained and the contract detector under every condition."""
    body = [
        [f"{system}, {condition}", *map(_share, _guards(rows, "detectors", system, condition=condition))]
        for system in ("dilated_cnn", "contract_tcn_aug")
        for condition in CONDITIONS
    ]
    return StudyTable("conditions", _table("Guards by condition", "detector, condition", GUARDS, body))


def class_table(rows: Rows) -> StudyTable:
    """The class-indexed detector by condition, as the mean over classes."""
    body = [
        [condition, *map(_share, _macro(rows, condition))]
        for condition in CONDITIONS
        if chosen(rows["scores"], group="classes", condition=condition)
    ]
    title = "Class-indexed detector by condition, mean over classes"
    return StudyTable("classes", _table(title, "condition", GUARDS, body))


def union_table(rows: Rows) -> StudyTable:
    """What a union of the classes hides."""
    body = []
    for row in rows["union"]:
        typed, union = Fraction(row["class_indexed"]), _fraction(row["union"])
        gap = None if union is None else union - typed
        body.append([row["clause"], row["aggregation"], _share(typed), _share(union), _signed(gap)])
    columns = [Column("clause"), Column("aggregation"), *numbers("class-indexed", "union", "union higher by")]
    return StudyTable("union", Table("Union against class-indexed", columns, body))


def matcher_table(rows: Rows) -> StudyTable:
    """Greedy and optimal matching, on the stress track, on detector outputs and on bridges."""
    body = [
        [
            row["what"].replace("_", " ") + (f", {row['system']}" if row["system"] else ""),
            row["cases"],
            row["changed"],
            row["greedy_pairs"],
            row["optimal_pairs"],
            _share(Fraction(row["greedy_f1"])),
            _share(Fraction(row["optimal_f1"])),
        ]
        for row in rows["matcher"]
    ]
    headings = ("cases", "changed", "greedy pairs", "optimal pairs", "greedy F1", "optimal F1")
    return StudyTable("matcher", _table("Greedy against optimal matching", "matched", headings, body))


def tolerance_table(rows: Rows) -> StudyTable:
    """The mean of the vector at five tolerances, with the integral and span of the exact curve."""
    found = {recipe.name: tolerance_curve(rows, recipe.name) for recipe in DETECTORS}
    columns = [f"{int(at * 1000)} ms" for at in TOLERANCES]
    values = {
        name: [*(value_at(curve, at) for at in TOLERANCES), integral(curve), span(curve)]
        for name, curve in found.items()
    }
    given = published().tolerance
    theirs = Published({name: dict(zip(columns, row.values(), strict=True)) for name, row in given.rows.items()})
    table = _with_published(
        "Mean of the vector over the tolerance", "detector", (*columns, "integral, s", "span"), values, theirs
    )
    return StudyTable("tolerance", table, "From the exact step function up to 160 ms.")


def ablation_table(rows: Rows) -> StudyTable:
    """The vector of every ablated system."""
    return StudyTable("ablation", _group_table(rows, "Ablation", "ablation", ABLATION))


def contrast_table(rows: Rows) -> StudyTable:
    """What each step of the ablation changes, with its interval and corrected p."""
    body = []
    for name, _, _ in CONTRASTS:
        for row in chosen(rows["differences"], contrast=name):
            low, high = float(row["low"]), float(row["high"])
            body.append(
                [
                    name,
                    row["clause"],
                    _signed(Fraction(row["value"])),
                    f"{low:+.3f} to {high:+.3f}",
                    f"{float(Fraction(row['corrected'])):.4f}",
                ]
            )
    columns = [Column("contrast"), Column("clause"), *numbers("difference", "95 % interval", "p (Holm over clauses)")]
    lead = "Paired differences over clips, corrected by Holm over the clauses of a contrast."
    return StudyTable("contrasts", Table("Attribution contrasts", columns, body), lead)


def regime_table(rows: Rows) -> StudyTable:
    """One network under four regimes."""
    return StudyTable("regime", _group_table(rows, "Matched regime", "regime", REGIME))


def learning_table(rows: Rows) -> StudyTable:
    """The clean-trained network on growing parts of the clean training clips."""
    return StudyTable("learning", _group_table(rows, "Learning curve", "learning", LEARNING))


def seed_table(rows: Rows) -> StudyTable:
    """Other scene and model seeds."""
    groups = sorted({row["group"] for row in rows["scores"] if row["group"].startswith("seed-")})
    body = []
    for group in groups:
        for system in dict.fromkeys(row["system"] for row in chosen(rows["scores"], group=group)):
            values = [metric_value(rows, group, system, metric) for metric in ("frame", "transition", "boundary", MEAN)]
            body.append([f"{group}, {system}", *map(_share, values)])
    return StudyTable("seeds", _table("Other seeds", "seed, detector", ("frame", "edge", "boundary", MEAN), body))


def selection_table(rows: Rows) -> StudyTable:
    """The best system on every guard."""
    return StudyTable("selection", _best_table(rows, "Best system by guard", "guard", "clause"))


def profile_table(rows: Rows) -> StudyTable:
    """The best system under every risk profile."""
    return StudyTable("profiles", _best_table(rows, "Best system by risk profile", "profile", "profile"))


def neutrality_table(rows: Rows) -> StudyTable:
    """Winners among all systems and among the clean-trained ones."""
    questions = dict.fromkeys(row["question"] for row in chosen(rows["rankings"], kind="all systems"))
    body = []
    for question in questions:
        best = [
            ", ".join(row["system"] for row in chosen(rows["rankings"], kind=kind, question=question))
            for kind in ("all systems", "clean-trained systems")
        ]
        body.append([question, *best])
    columns = [Column("question"), Column("all systems"), Column("clean-trained systems")]
    return StudyTable("neutrality", Table("Neutrality", columns, body))


def objective_table(_: Rows) -> StudyTable:
    """Which losses see the contract."""
    body = [
        [
            recipe.name,
            "augmented views" if recipe.augmented else "clean clips",
            "yes" if recipe.kind != "threshold" else "as a grid of thresholds",
            "yes" if recipe.edge_weight else "no",
            "yes" if recipe.smooth_weight else "no",
            "yes" if recipe.contract_weight else "no",
            "contract, held-out clips" if recipe.calibrated else "fixed",
        ]
        for recipe in (*DETECTORS, *ABLATION)
    ]
    headings = ("trained on", "frame loss", "edge loss", "smoothness", "contract loss", "decoding")
    columns = [Column("detector"), *(Column(heading) for heading in headings)]
    return StudyTable("objectives", Table("Which objective sees the contract", columns, body))


_TABLES: tuple[Callable[[Rows], StudyTable], ...] = (
    metric_table,
    guard_table,
    condition_table,
    class_table,
    union_table,
    matcher_table,
    tolerance_table,
    ablation_table,
    contrast_table,
    regime_table,
    learning_table,
    seed_table,
    selection_table,
    neutrality_table,
    profile_table,
    objective_table,
)

# Values from rows


def guard_value(rows: Rows, group: str, system: str, clause: str, **where: str) -> Fraction | None:
    """A clause's satisfied share of its obligations, clips and classes added; None without an obligation."""
    found = chosen(rows["scores"], group=group, system=system, clause=clause, **where)
    obligated = sum(int(row["obligated"]) for row in found)
    return Fraction(sum(int(row["satisfied"]) for row in found), obligated) if obligated else None


def metric_value(rows: Rows, group: str, system: str, metric: str) -> Fraction | None:
    """A metric of a system; None where it is undefined or was not measured."""
    return next(
        (_fraction(r["value"]) for r in chosen(rows["metrics"], group=group, system=system, metric=metric)), None
    )


Piece = tuple[Fraction, Fraction, bool, Fraction]


def tolerance_curve(rows: Rows, system: str) -> list[Piece]:
    """The mean of the vector as pieces (low, high, whether high is included, value)."""
    found = chosen(rows["tolerance"], system=system, clause=MEAN)
    return [
        (Fraction(r["low"]), Fraction(r["high"]), r["high_included"] == "true", Fraction(r["value"])) for r in found
    ]


def value_at(curve: Sequence[Piece], at: Fraction) -> Fraction | None:
    """The value of a step function."""
    return next(
        (value for low, high, closed, value in curve if low <= at and (at < high or (closed and at == high))), None
    )


def integral(curve: Sequence[Piece]) -> Fraction:
    """The area under a step function."""
    return sum(((high - low) * value for low, high, _, value in curve), Fraction(0))


def span(curve: Sequence[Piece]) -> Fraction | None:
    """The largest value less the smallest."""
    values = [value for *_, value in curve]
    return max(values) - min(values) if values else None


def _guards(rows: Rows, group: str, system: str, **where: str) -> list[Fraction | None]:
    return [guard_value(rows, group, system, clause, **where) for clause in GUARDS]


def _macro(rows: Rows, condition: str) -> list[Fraction | None]:
    """The mean over the classes that were obliged."""
    found: list[Fraction | None] = []
    system = next(row["system"] for row in rows["scores"] if row["group"] == "classes")
    labels = sorted({row["class"] for row in chosen(rows["scores"], group="classes")})
    for clause in GUARDS:
        values = [guard_value(rows, "classes", system, clause, condition=condition, class_=label) for label in labels]
        known = [value for value in values if value is not None]
        found.append(sum(known, Fraction(0)) / len(known) if known else None)
    return found


def _group_table(rows: Rows, title: str, group: str, recipes: Iterable[Recipe]) -> Table:
    body = []
    for recipe in recipes:
        values = [*_guards(rows, group, recipe.name), metric_value(rows, group, recipe.name, MEAN)]
        body.append([recipe.name, *map(_share, values)])
    return _table(title, "system", (*GUARDS, MEAN), body)


def _best_table(rows: Rows, title: str, heading: str, kind: str) -> Table:
    found = chosen(rows["rankings"], kind=kind)
    systems = list(dict.fromkeys(row["system"] for row in found))
    body: list[list[Cell | str]] = []
    for question in dict.fromkeys(row["question"] for row in found):
        of = {row["system"]: row for row in chosen(found, question=question)}
        body.append(
            [question]
            + [
                Cell(
                    _share(_fraction(of[system]["value"])), Tone.STRONG if of[system]["best"] == "true" else Tone.PLAIN
                )
                for system in systems
            ]
        )
    return Table(title, [Column(heading), *numbers(*systems)], body)


# Drawing


def _with_published(
    title: str,
    heading: str,
    columns: Sequence[str],
    found: Mapping[str, Sequence[Fraction | None]],
    theirs: Published,
) -> Table:
    """A row per detector, then the published row and the difference where there is one."""
    body: list[list[Cell | str]] = []
    for name, values in found.items():
        body.append([Cell(name, Tone.STRONG), *(_text(c, v) for c, v in zip(columns, values, strict=True))])
        if name in theirs.rows:
            known = [theirs.rows[name].get(column) for column in columns]
            body.append([Cell("  published", Tone.FAINT), *(_text(c, v) for c, v in zip(columns, known, strict=True))])
            pairs = zip(columns, values, known, strict=True)
            gaps = (None if a is None or b is None else a - b for _, a, b in pairs)
            body.append(
                [
                    Cell("  difference", Tone.FAINT),
                    *(_text(c, g, signed=True) for c, g in zip(columns, gaps, strict=True)),
                ]
            )
    notes = [f"Published: {published().source}; speech there: {published().speech}. No equality is claimed."]
    return Table(title, [Column(heading), *numbers(*(_HEADINGS.get(c, c) for c in columns))], body, notes)


def _table(title: str, heading: str, columns: Sequence[str], body: Sequence[Sequence[Cell | str]]) -> Table:
    return Table(title, [Column(heading), *numbers(*columns)], body)


def _text(column: str, value: Fraction | None, *, signed: bool = False) -> str:
    if value is None:
        return _NONE
    if column == "onset error":
        return f"{float(value) * 1000:{'+' if signed else ''}.1f}"
    return _signed(value) if signed else _share(value)


def _share(value: Fraction | None) -> str:
    return _NONE if value is None else f"{float(value):.3f}"


def _signed(value: Fraction | None) -> str:
    return _NONE if value is None else f"{float(value):+.3f}"


def _fraction(text: str) -> Fraction | None:
    return Fraction(text) if text else None
