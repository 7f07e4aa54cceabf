"""Rows: everything the tables are made of, computed from run directories by the toolkit's own audits."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import tracepact
from tracelab.decoding import CONTRACT
from tracelab.protocol import TEST_PERTURBATIONS, TRAIN_PERTURBATIONS, Protocol, perturbation_rows, protocol_rows
from tracepact.show import csv_rows, csv_text

Row = Mapping[str, str]
TOLERANCES = tuple(Fraction(ms, 1000) for ms in (20, 40, 80, 120, 160))
MEAN = "mean of the vector"
_PARAMETER = "tol"
CONTRASTS = (
    ("decoding, clean training", "clean_dilated", "decode_calibrated"),
    ("augmentation", "clean_dilated", "augmentation_only"),
    ("edge objective", "augmentation_only", "boundary_objective"),
    ("decoding, augmented training", "augmentation_only", "augmentation_decoded"),
    ("edge objective and decoding", "augmentation_only", "union_full"),
    ("contract loss", "augmentation_decoded", "contract_loss"),
)


@dataclass(frozen=True, slots=True)
class Runs:
    """The run directories of a study, by group and system."""

    folder: Path

    def of(self, group: str) -> dict[str, Path]:
        """The runs of a group, by the name of their system."""
        place = self.folder / group
        return {path.name: path for path in sorted(place.iterdir())} if place.is_dir() else {}

    @property
    def groups(self) -> list[str]:
        """The names of the groups."""
        return sorted(path.name for path in self.folder.iterdir())

    def every(self) -> Iterator[tuple[str, str, Path]]:
        """Every run with its group and system."""
        return ((group, name, path) for group in self.groups for name, path in self.of(group).items())


def score_rows(runs: Runs) -> Iterator[Row]:
    """The counts of every clause, clip and class."""
    for group, system, path in runs.every():
        conditions = _pairs(path / "conditions.tsv")
        for row in csv_rows((path / "scores.csv").read_text(encoding="utf-8")):
            yield {
                "group": group,
                "system": system,
                "clip": row["filename"],
                "condition": conditions.get(row["filename"], ""),
                "class": row["event_label"],
                "clause": row["clause"],
                "satisfied": row["satisfied"],
                "obligated": row["obligated"],
            }


def metric_rows(runs: Runs) -> Iterator[Row]:
    """The standard metrics and the mean of the vector of every system."""
    for group, system, path in runs.every():
        report = json.loads((path / "report.json").read_text(encoding="utf-8"))
        for metric in report["metrics"]["metrics"]:
            found = metric["micro"]["f1"] if metric["kind"] == "counts" else metric["micro"]
            yield _metric(group, system, metric["name"], found, metric["policy"])
        policy = f"mean of the vector, {report['aggregation']}"
        yield _metric(group, system, MEAN, report["logic"][report["aggregation"]], policy)
        soft = report["soft_boundary"]["value"]
        yield _metric(group, system, "soft boundary", None if soft is None else {"value": str(soft)}, "soft boundary")


def _metric(group: str, system: str, name: str, found: Mapping[str, str] | None, policy: str) -> Row:
    value = "" if found is None else str(found["value"])
    return {"group": group, "system": system, "metric": name, "value": value, "policy": policy}


def tolerance_rows(runs: Runs) -> Iterator[Row]:
    """The exact curve of the vector's mean over the tolerance, piece by piece, and of every clause."""
    for system, path in runs.of("detectors").items():
        audit = tracepact.audit_tolerance(path, _PARAMETER, high=max(TOLERANCES))
        curves = {MEAN: audit.logic.pieces} | {curve.clause: curve.pieces for curve in audit.curves}
        for clause, pieces in curves.items():
            for piece in pieces:
                yield {
                    "system": system,
                    "clause": clause,
                    "low": str(piece.low),
                    "high": str(piece.high),
                    "high_included": str(piece.high_included).lower(),
                    "value": str(piece.value),
                }


def matcher_rows(runs: Runs) -> Iterator[Row]:
    """Pairs and boundary F1 under both matchers: stress track, detector outputs, bridges of the test references."""
    for system, path in runs.of("detectors").items():
        audit = tracepact.audit_matcher(CONTRACT, tracepact.load_run(path).card.family)
        for name in audit.__struct_fields__:
            found = getattr(audit, name)
            if found is None or (system != next(iter(runs.of("detectors"))) and name not in ("given", "bridges")):
                continue
            yield {
                "system": system if name in ("given", "bridges") else "",
                "what": name,
                "cases": str(found.cases),
                "changed": str(found.changed),
                "greedy_pairs": str(found.pairs.greedy),
                "optimal_pairs": str(found.pairs.optimal),
                "greedy_f1": str(found.boundary_f1.greedy),
                "optimal_f1": str(found.boundary_f1.optimal),
            }


def difference_rows(runs: Runs, draws: int) -> Iterator[Row]:
    """Paired differences of the ablation, over clips, corrected by Holm over the clauses."""
    found = runs.of("ablation")
    for name, before, after in CONTRASTS:
        compared = tracepact.compare(found[before], found[after], tracepact.Bootstrap(number=draws))
        for clause, difference in compared.differences.items():
            yield {
                "contrast": name,
                "before": before,
                "after": after,
                "clause": MEAN if clause == "logic" else clause,
                "value": str(difference.value),
                "low": repr(difference.low),
                "high": repr(difference.high),
                "p": str(difference.p),
                "corrected": str(difference.corrected),
            }


def ranking_rows(runs: Runs) -> Iterator[Row]:
    """The systems on every clause and under every risk profile, and the winners without the augmented ones."""
    found = runs.of("detectors")
    paths = list(found.values())
    profiles = tracepact.audit_profile(paths).profiles
    clauses = [("clause", row.clause, row.values, row.best) for row in tracepact.audit_selection(paths).coordinates]
    for kind, name, values, best in [*clauses, *(("profile", row.name, row.values, row.best) for row in profiles)]:
        for value in values:
            yield _ranked(kind, name, value.system, value.value, value.system in best)
    without = [name for name in ("contract_tcn_aug", "contract_loss") if name in found]
    for question in tracepact.audit_neutrality(paths, without).questions:
        for which, ranked in (("all systems", question.of_all), ("clean-trained systems", question.of_rest)):
            for system in ranked.best:
                yield _ranked(which, question.name, system, None, True)


def _ranked(kind: str, question: str, system: str, value: Fraction | None, best: bool) -> Row:
    shown = "" if value is None else str(value)
    return {"kind": kind, "question": question, "system": system, "value": shown, "best": str(best).lower()}


def union_rows(runs: Runs) -> Iterator[Row]:
    """What the union of the classes hides of the class-indexed system."""
    for system, path in runs.of("classes").items():
        for gap in tracepact.audit_union_gap(path).clauses:
            yield {
                "system": system,
                "clause": gap.clause,
                "aggregation": gap.aggregation.value,
                "class_indexed": str(gap.class_indexed.value),
                "union": "" if gap.union is None else str(gap.union.value),
            }


def declared_rows(protocol: Protocol) -> dict[str, Callable[[Runs], Iterable[Row]]]:
    """The protocol and the perturbations, from the constants that made the scenes."""
    levels = perturbation_rows(TRAIN_PERTURBATIONS, TEST_PERTURBATIONS)
    return {
        "protocol": lambda _: [{"what": what, "value": value} for what, value in protocol_rows(protocol)],
        "perturbations": lambda _: [{"what": what, "training": a, "test": b} for what, a, b in levels],
    }


def row_files(draws: int) -> dict[str, Callable[[Runs], Iterable[Row]]]:
    """Every file of rows, and what makes it."""
    return {
        "scores": score_rows,
        "metrics": metric_rows,
        "tolerance": tolerance_rows,
        "matcher": matcher_rows,
        "differences": lambda runs: difference_rows(runs, draws),
        "rankings": ranking_rows,
        "union": union_rows,
    }


def rows_text(rows: Iterable[Row]) -> str:
    """Rows as CSV, nothing for none; the columns are those of the first row."""
    listed = list(rows)
    columns = list(listed[0]) if listed else []
    return csv_text(columns, ([row[name] for name in columns] for row in listed)) if listed else ""


def read_rows(path: Path) -> list[dict[str, str]]:
    """Rows as they were written."""
    return csv_rows(path.read_text(encoding="utf-8"))


def chosen(rows: Sequence[Row], **where: str) -> list[Row]:
    """The rows with these values."""
    return [row for row in rows if all(row[name.rstrip("_")] == value for name, value in where.items())]


def _pairs(path: Path) -> dict[str, str]:
    rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8")), delimiter="\t")
    next(rows)
    return {row[0]: row[1] for row in rows}
