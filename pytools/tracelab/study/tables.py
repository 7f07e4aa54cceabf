"""The tables of the study: views of its rows, with the published figures beside them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean, stdev

from tracelab.detectors.recipes import ABLATION, DETECTORS, LEARNING, PUBLISHED_ABLATION, REGIME, Recipe
from tracelab.protocol import CONDITIONS
from tracelab.study.boundaries import CONTRASTS as PUBLISHED_CONTRASTS
from tracelab.study.boundaries import BoundarySum, condition_sums, summed
from tracelab.study.comparison import (
    NONE,
    Piece,
    Rows,
    Value,
    beside,
    between,
    fraction,
    guard_value,
    integral,
    metric_value,
    plain_table,
    published,
    share,
    signed,
    span,
    text,
    tolerance_curve,
    value_at,
)
from tracelab.study.rows import CONTRASTS, GUARDS, MEAN, TOLERANCES, Row, chosen
from tracepact.show import Cell, Column, Table, Tone, numbers, words
from tracepact.wording import parse_stored

METRICS = (
    "frame",
    "segment",
    "event",
    "boundary",
    "transition",
    "onset error",
    "onset error, paired",
    MEAN,
    "soft boundary",
)


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
    found = {name: _metric_values(rows, name) for name in _detectors(rows)}
    return StudyTable(
        "metrics",
        beside("Standard metrics on the test clips", "detector", METRICS, found, "metrics"),
        "F1 of frames, 1 s segments, events with a 200 ms collar, matched boundaries and edges. Two onset errors: "
        "the mean over pairs that a collar of 200 ms accepts, and over the pairs of the contract's matcher, which is "
        "the published one.",
    )


def interval_table(rows: Rows) -> StudyTable:
    """Boundary F1 and mean with bootstrap intervals."""
    columns = ("boundary", "boundary low", "boundary high", MEAN, "mean low", "mean high")
    found = {}
    for name in _detectors(rows):
        values: list[Value] = []
        for measure in ("boundary", "mean"):
            row = chosen(rows["intervals"], group="detectors", system=name, measure=measure)[0]
            values += [float(row[end]) for end in ("value", "low", "high")]
        found[name] = values
    table = beside("95 % intervals over test clips", "detector", columns, found, "intervals")
    return StudyTable("intervals", table, "Of the trained models as they are; other seeds are in a table of theirs.")


def guard_table(rows: Rows) -> StudyTable:
    """The vector of every detector, beside the published one."""
    found = {name: _guards(rows, "detectors", name) for name in _detectors(rows)}
    table = beside("Guards by detector", "detector", GUARDS, found, "guards")
    return StudyTable("guards", table, "Every guard of boundary_gate, all conditions together.")


def distance_table(rows: Rows) -> StudyTable:
    """How far off what is matched is."""
    columns = ("onset error, paired", "offset error, paired", "duration error, paired", "extra pieces", "short events")
    body: dict[str, list[Value]] = {}
    for name in _detectors(rows):
        of = _boundaries(rows, "detectors", name)
        body[name] = [
            of.mean(of.onset_error),
            of.mean(of.offset_error),
            of.mean(of.duration_error),
            Fraction(of.extra_pieces),
            Fraction(of.short, of.predictions) if of.predictions else None,
        ]
    table = beside("Distances of matched events, and pieces", "detector", columns, body, None)
    lead = "Means over the pairs of the matcher; predictions beyond the first in a reference event; the share of "
    return StudyTable("distances", table, lead + "predictions of at most 40 ms. None is published.")


def condition_table(rows: Rows) -> StudyTable:
    """The vector of the clean-trained and the contract detector under every condition."""
    body = [
        [f"{system}, {condition}", *map(share, _guards(rows, "detectors", system, condition=condition))]
        for system in ("dilated_cnn", "contract_tcn_aug")
        for condition in CONDITIONS
    ]
    return StudyTable("conditions", plain_table("Guards by condition", "detector, condition", GUARDS, body))


def boundary_condition_table(rows: Rows) -> StudyTable:
    """Boundary F1 of every detector under every condition."""
    body = []
    for name in _detectors(rows):
        of = condition_sums(rows["boundaries"], "detectors", name)
        body.append([name, *(share(of[c].f1 if c in of else None) for c in CONDITIONS)])
    return StudyTable("boundary_conditions", plain_table("Boundary F1 by condition", "detector", CONDITIONS, body))


def class_table(rows: Rows) -> StudyTable:
    """The class-indexed detector by condition, as the mean over classes, beside the published one."""
    columns = ("frame", "transition", "boundary", MEAN)
    some = [row for row in rows["conditions"] if row["group"] == "classes" and row["average"] == "macro"]
    found = {
        condition: [
            next((fraction(r["value"]) for r in chosen(some, condition=condition, measure=column)), None)
            for column in columns
        ]
        for condition in CONDITIONS
        if chosen(some, condition=condition)
    }
    title = "Class-indexed detector by condition, mean over classes"
    return StudyTable("classes", beside(title, "condition", columns, found, "classes"))


def class_guard_table(rows: Rows) -> StudyTable:
    """The guards of the class-indexed detector by condition, as the mean over classes."""
    body = [
        [condition, *map(share, _macro(rows, condition))]
        for condition in CONDITIONS
        if chosen(rows["scores"], group="classes", condition=condition)
    ]
    title = "Guards of the class-indexed detector by condition, mean over classes"
    return StudyTable("class_guards", plain_table(title, "condition", GUARDS, body))


def union_table(rows: Rows) -> StudyTable:
    """What a union of the classes hides."""
    body = []
    for row in rows["union"]:
        typed, union = parse_stored(row["class_indexed"]), fraction(row["union"])
        gap = None if union is None else union - typed
        body.append([row["clause"], row["aggregation"], share(typed), share(union), signed(gap)])
    columns = [Column("clause"), Column("aggregation"), *numbers("class-indexed", "union", "union higher by")]
    lead = "Frame and boundary F1 and the mean of the vector, then every clause. The published gap is of a real corpus."
    return StudyTable("union", Table("Union against class-indexed", columns, body), lead)


def matcher_table(rows: Rows) -> StudyTable:
    """Greedy and optimal matching, on the stress track, on detector outputs and on bridges."""
    body = [
        [
            row["what"].replace("_", " ") + (f", {row['system']}" if row["system"] else ""),
            row["cases"],
            row["changed"],
            row["greedy_pairs"],
            row["optimal_pairs"],
            share(parse_stored(row["greedy_f1"])),
            share(parse_stored(row["optimal_f1"])),
        ]
        for row in rows["matcher"]
    ]
    headings = ("cases", "changed", "greedy pairs", "optimal pairs", "greedy F1", "optimal F1")
    lead = "On outputs the published study changes none, and 0.055 of its bridges of test references."
    return StudyTable("matcher", plain_table("Greedy against optimal matching", "matched", headings, body), lead)


def stress_table(rows: Rows) -> StudyTable:
    """The 24 layouts of the matcher's stress track by pattern, beside the published ones."""
    columns = tuple(next(iter(published().tables["stress"].rows.values())))
    found: dict[str, list[Value]] = {}
    for pattern in published().tables["stress"].rows:
        some = chosen(rows["stress"], pattern=pattern)
        f1 = [abs(_pair_f1(row, "optimal") - _pair_f1(row, "greedy")) for row in some]
        events = [mean(_event_shift(row, clause) for clause in GUARDS[-2:]) for row in some]
        changed = [one != 0 or other != 0 for one, other in zip(f1, events, strict=True)]
        found[pattern] = [Fraction(len(some)), Fraction(sum(changed), len(some)), mean(f1), max(f1), mean(events)]
    lead = "The text gives the numbers of layouts and not their geometry, so the shares need not be equal."
    return StudyTable("stress", beside("Matcher stress track", "pattern", columns, found, "stress"), lead)


def _pair_f1(row: Row, matcher: str) -> Fraction:
    return Fraction(2 * int(row[f"{matcher}_pairs"]), int(row[f"{matcher}_runs"]))


def _event_shift(row: Row, clause: str) -> Fraction:
    return abs(parse_stored(row[f"optimal_{clause}"]) - parse_stored(row[f"greedy_{clause}"]))


def tolerance_table(rows: Rows) -> StudyTable:
    """The mean of the vector at five tolerances, with the integral and span of the exact curve."""
    columns = [f"{int(at * 1000)} ms" for at in TOLERANCES]
    values = {name: _tolerances(tolerance_curve(rows, name)) for name in _detectors(rows)}
    table = beside(
        "Mean of the vector over the tolerance", "detector", (*columns, "integral, s", "span"), values, "tolerance"
    )
    return StudyTable("tolerance", table, "Integral and span of the exact step function from 20 to 160 ms.")


def _tolerances(curve: Sequence[Piece]) -> list[Value]:
    part = between(curve, TOLERANCES[0], TOLERANCES[-1])
    return [*(value_at(curve, at) for at in TOLERANCES), integral(part), span(part)]


def ablation_table(rows: Rows) -> StudyTable:
    """Every variant with its parts, boundary F1, mean, and corrected p against the clean one."""
    columns = ("augmented", "edge", "calibrated", "class", "boundary", MEAN, "p (Holm)")
    corrected = {row["name"]: row["corrected"] for row in rows["attribution"] if row["measure"] == "boundary"}
    found: dict[str, list[Value]] = {}
    for recipe in ABLATION:
        parts = (recipe.augmented, recipe.edge_weight > 0, recipe.calibration, recipe.typed)
        p = fraction(corrected.get(recipe.name, ""))
        values = [_boundaries(rows, "ablation", recipe.name).f1, metric_value(rows, "ablation", recipe.name, MEAN), p]
        found[recipe.name] = [*("yes" if part else "no" for part in parts), *values]
    lead = "Paired bootstrap of boundary F1 against clean_dilated, corrected by Holm over the five published variants; "
    table = beside("Ablation", "variant", columns, found, "ablation")
    return StudyTable("ablation", table, lead + "those of this study below them are corrected among themselves.")


def ablation_guard_table(rows: Rows) -> StudyTable:
    """The vector of every ablated system."""
    return StudyTable("ablation_guards", _group_table(rows, "Guards of the ablation", "ablation", ABLATION))


def attribution_table(rows: Rows) -> StudyTable:
    """What each step changes in boundary F1 and mean, beside the published steps."""
    columns = ("boundary", "boundary low", "boundary high", MEAN, "mean low", "mean high")
    found: dict[str, list[Value]] = {}
    for name, _, _ in PUBLISHED_CONTRASTS:
        some = {row["measure"]: row for row in chosen(rows["attribution"], kind="contrast", name=name)}
        found[name] = [float(some[m][end]) for m in ("boundary", "mean") for end in ("value", "low", "high")]
    table = beside("Attribution", "contrast", columns, found, "attribution")
    return StudyTable("attribution", table, "Paired over clips, with 95 % intervals.")


def contrast_table(rows: Rows) -> StudyTable:
    """What each step of the ablation changes, with its interval and corrected p."""
    body = []
    for name, _, _ in CONTRASTS:
        for row in chosen(rows["differences"], contrast=name):
            low, high = float(row["low"]), float(row["high"])
            difference = signed(parse_stored(row["value"]))
            p = f"{float(parse_stored(row['corrected'])):.4f}"
            body.append([name, row["clause"], difference, f"{low:+.3f} to {high:+.3f}", p])
    columns = [Column("contrast"), Column("clause"), *numbers("difference", "95 % interval", "p (Holm over clauses)")]
    lead = "Paired differences over clips, corrected by Holm over the clauses of a contrast."
    return StudyTable("contrasts", Table("Contrasts by clause", columns, body), lead)


def regime_table(rows: Rows) -> StudyTable:
    """One network under four regimes, beside the published ones."""
    columns = ("decoding", "boundary", MEAN, "mean at 20 ms", "span")
    found: dict[str, list[Value]] = {}
    for recipe in REGIME:
        curve = tolerance_curve(rows, recipe.name)
        f1, value = _boundaries(rows, "regime", recipe.name).f1, metric_value(rows, "regime", recipe.name, MEAN)
        strict, part = value_at(curve, TOLERANCES[0]), between(curve, TOLERANCES[0], TOLERANCES[-1])
        found[recipe.name] = [recipe.calibration, f1, value, strict, span(part)]
    lead = "Span from 20 to 160 ms. `transition` decodes for frames and edges, `stable` for frames and strict edges."
    return StudyTable("regime", beside("Matched regime", "regime", columns, found, "regime"), lead)


def learning_table(rows: Rows) -> StudyTable:
    """The clean-trained network on growing parts of the clean training clips."""
    return StudyTable("learning", _group_table(rows, "Learning curve", "learning", LEARNING))


def seed_table(rows: Rows) -> StudyTable:
    """Means and deviations over the seed pairs, beside the published ones."""
    columns = ("runs", "boundary", "boundary SD", MEAN, "mean SD", "transition")
    found: dict[str, list[Value]] = {}
    for name in dict.fromkeys(row["system"] for row in rows["metrics"] if row["group"].startswith("seed-")):
        groups = _seed_groups(rows)
        boundary = [metric_value(rows, group, name, "boundary") or Fraction(0) for group in groups]
        means = [metric_value(rows, group, name, MEAN) or Fraction(0) for group in groups]
        edges = [metric_value(rows, group, name, "transition") or Fraction(0) for group in groups]
        spread = [stdev(map(float, some)) if len(some) > 1 else None for some in (boundary, means)]
        found[name] = [Fraction(len(groups)), mean(boundary), spread[0], mean(means), spread[1], mean(edges)]
    order = [r.name for r in PUBLISHED_ABLATION if r.name in found]
    ordered = {name: found[name] for name in [*order, *(name for name in found if name not in order)]}
    table = beside("Other seeds, together", "variant", columns, ordered, "seeds")
    return StudyTable("seeds", table, "Scene and model seeds of their own; SD over the runs, with n − 1.")


def every_seed_table(rows: Rows) -> StudyTable:
    """Every run of every seed, with what the vector does not see."""
    body = []
    for group in _seed_groups(rows):
        for system in dict.fromkeys(row["system"] for row in chosen(rows["metrics"], group=group)):
            values = [metric_value(rows, group, system, metric) for metric in ("frame", "transition", "boundary", MEAN)]
            of = _boundaries(rows, group, system)
            body.append([f"{group}, {system}", *map(share, values), str(of.predictions), str(of.short)])
    columns = ("frame", "transition", "boundary", MEAN, "events", "of at most 40 ms")
    lead = "A short spurious event beside an edge costs boundary_gate next to nothing; boundary F1 sees it."
    return StudyTable("every_seed", plain_table("Every seed", "seed, variant", columns, body), lead)


def _seed_groups(rows: Rows) -> list[str]:
    return sorted({row["group"] for row in rows["metrics"] if row["group"].startswith("seed-")})


def selection_table(rows: Rows) -> StudyTable:
    """The best system on every guard."""
    return StudyTable("selection", _best_table(rows, "Best system by guard", "guard", "clause"))


def profile_table(rows: Rows) -> StudyTable:
    """The best system under every risk profile with its figures, beside the published ones."""
    columns = tuple(next(iter(published().tables["profiles"].rows.values())))
    found: dict[str, list[Value]] = {}
    for name in dict.fromkeys(row["question"] for row in chosen(rows["rankings"], kind="profile")):
        best = chosen(rows["rankings"], kind="profile", question=name, best="true")[0]
        lead = published().tables["profiles"].rows.get(name, {}).get(columns[0], NONE)
        f1 = _boundaries(rows, "detectors", best["system"]).f1
        value = metric_value(rows, "detectors", best["system"], MEAN)
        found[name] = [lead, best["system"], fraction(best["value"]), f1, value]
    lead = "The lead coordinate is the one that the text gives a profile; the weights are those of the contract."
    return StudyTable("profiles", beside("Best system by risk profile", "profile", columns, found, "profiles"), lead)


def neutrality_table(rows: Rows) -> StudyTable:
    """Winners among all systems and among the clean-trained ones, with their scores."""
    columns = tuple(next(iter(published().tables["neutrality"].rows.values())))
    found: dict[str, list[Value]] = {}
    for question in dict.fromkeys(row["question"] for row in chosen(rows["rankings"], kind="all systems")):
        leaders, scores = [], []
        for kind in ("all systems", "clean-trained systems"):
            some = chosen(rows["rankings"], kind=kind, question=question)
            leaders.append(", ".join(row["system"] for row in some))
            scores.append(fraction(some[0]["value"]))
        gap = None if scores[0] is None or scores[1] is None else scores[0] - scores[1]
        found[question] = [*leaders, *scores, gap]
    table = beside("Who leads, with and without the augmented ones", "question", columns, found, "neutrality")
    return StudyTable("neutrality", table)


def objective_table(_: Rows) -> StudyTable:
    """Which part of a detector sees the contract, the matcher, or neither; the published audit says no but for one."""
    body = [
        [
            recipe.name,
            "augmented views" if recipe.augmented else "clean clips",
            "yes" if recipe.kind != "threshold" else "as a grid of thresholds",
            "yes" if recipe.edge_weight else "no",
            "yes" if recipe.smooth_weight else "no",
            recipe.contract or "no",
            _OBJECTIVES.get(recipe.calibration, recipe.calibration),
        ]
        for recipe in (*DETECTORS, *ABLATION, *REGIME)
    ]
    headings = ("trained on", "frame loss", "edge loss", "smoothness", "contract loss", "decoding")
    columns = [Column("detector"), *(Column(heading) for heading in headings)]
    lead = "The published detectors see no contract and no matcher in training or decoding, and so do those named as "
    lead += "there; what sees one here is named for it."
    return StudyTable("objectives", Table("Which objective sees the contract", columns, body), lead)


_OBJECTIVES = {
    "": "fixed",
    "transition": "frame and transition F1, held-out clips",
    "stable": "frame and strict transition F1, held-out clips",
    "contract": "mean of the vector, held-out clips",
    "precise": "mean of the vector with invented onsets, held-out clips",
}


def calibration_table(rows: Rows) -> StudyTable:
    """The calibration cases: the coordinate that the text selects, the lowest here, and every value."""
    theirs, body = published().tables["calibration"].rows, []
    for row in rows["calibration"]:
        values = {guard: parse_stored(row[guard]) for guard in GUARDS}
        least = min(values.values())
        ours = ", ".join(guard for guard in GUARDS if values[guard] == least)
        known = theirs[row["case"]]
        body.append([row["case"], text("rank", known["rank"]), text("", known["selected coordinate"]), ours])
        body[-1] += [share(value) for value in values.values()]
    columns = [*words("case"), *numbers("rank"), *words("published coordinate", "lowest here"), *numbers(*GUARDS)]
    lead = (
        "Every guard of boundary_gate on every case. Where the lowest is another than the text selects, both see the "
        "case: an early onset breaks the onset first and is activity without a reference too. The text calls its seven "
        "guards the smallest separating set; four of them separate its cases, so under separation alone that claim "
        "could not be reproduced. Seven are needed if every fault is to have a clause of its own."
    )
    return StudyTable("calibration", Table("Calibration cases", columns, body), lead)


def model_table(rows: Rows) -> StudyTable:
    """How every system was trained and what decoding it has."""
    some = rows["models"]
    heads, body = (list(some[0]) if some else ["system"]), [list(row.values()) for row in some]
    return StudyTable("models", Table("Training and decoding of every system", words(*heads), body))


_TABLES: tuple[Callable[[Rows], StudyTable], ...] = (
    metric_table,
    interval_table,
    guard_table,
    distance_table,
    condition_table,
    boundary_condition_table,
    class_table,
    class_guard_table,
    union_table,
    matcher_table,
    stress_table,
    tolerance_table,
    ablation_table,
    ablation_guard_table,
    attribution_table,
    contrast_table,
    regime_table,
    learning_table,
    seed_table,
    every_seed_table,
    selection_table,
    neutrality_table,
    profile_table,
    calibration_table,
    objective_table,
    model_table,
)


def _detectors(rows: Rows) -> list[str]:
    """The detectors of the study, and then those of one's own."""
    known = [recipe.name for recipe in DETECTORS]
    own = dict.fromkeys(row["system"] for row in rows["metrics"] if row["group"] == "detectors")
    return [*known, *(name for name in own if name not in known)]


def _metric_values(rows: Rows, system: str) -> list[Value]:
    of = _boundaries(rows, "detectors", system)
    found = {metric: metric_value(rows, "detectors", system, metric) for metric in METRICS}
    return [of.mean(of.onset_error) if metric == "onset error, paired" else found[metric] for metric in METRICS]


def _boundaries(rows: Rows, group: str, system: str) -> BoundarySum:
    return summed(chosen(rows["boundaries"], group=group, system=system))


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
        body.append([recipe.name, *map(share, values), share(_boundaries(rows, group, recipe.name).f1)])
    return plain_table(title, "system", (*GUARDS, MEAN, "boundary F1"), body)


def _best_table(rows: Rows, title: str, heading: str, kind: str) -> Table:
    found = chosen(rows["rankings"], kind=kind)
    systems = list(dict.fromkeys(row["system"] for row in found))
    body: list[list[Cell | str]] = []
    for question in dict.fromkeys(row["question"] for row in found):
        of = {row["system"]: row for row in chosen(found, question=question)}
        tones = {system: Tone.STRONG if row["best"] == "true" else Tone.PLAIN for system, row in of.items()}
        body.append([question, *(Cell(share(fraction(of[s]["value"])), tones[s]) for s in systems)])
    return Table(title, [Column(heading), *numbers(*systems)], body)
