"""Rows: everything the tables are made of, computed from run directories by the toolkit's own audits."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import tracepact
from tracelab.detectors.decoding import CONTRACT
from tracelab.protocol import Protocol, perturbation_rows, protocol_rows
from tracelab.stages import StageListener
from tracepact.inputs import LARGEST_DOCUMENT, read_within
from tracepact.show import csv_rows, csv_text

Row = Mapping[str, str]
TOLERANCES = tuple(Fraction(ms, 1000) for ms in (20, 40, 80, 120, 160))
MEAN = "mean of the vector"
GUARDS = (
    "onset_guard",
    "offset_guard",
    "missing_guard",
    "spurious_guard",
    "silence_guard",
    "duration_guard",
    "fragmentation_guard",
)
_PARAMETER = "tol"
CONTRASTS = (
    ("augmentation over clean", "clean_dilated", "augmentation_only"),
    ("edge decode over augmentation", "augmentation_only", "union_full"),
    ("class indexed union shift", "union_full", "class_full"),
    ("decoding, clean training", "clean_dilated", "decode_calibrated"),
    ("edge objective, clean training", "clean_dilated", "boundary_objective"),
    ("edge objective, augmented training", "augmentation_only", "edge_augmented"),
    ("decoding, augmented training", "augmentation_only", "augmentation_decoded"),
    ("contract in place of frames and transitions as what decodes", "union_full", "union_contract_decoded"),
    ("contract loss", "augmentation_decoded", "contract_loss"),
    ("contract loss, without invented onsets", "contract_loss", "gate_loss"),
    ("decoding, without invented onsets", "gate_loss", "gate_loss_gate_decoded"),
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

    def drifts(self, progress: StageListener) -> list[str]:
        """What is not as it was in some run, computed again from its stored predictions."""
        every = list(self.every())
        progress.begin("runs", len(every))
        drifts: list[str] = []
        for group, system, path in every:
            verified = tracepact.verify_run(path)
            drifts += [f"runs/{group}/{system}: {drift.where}" for drift in verified.drifts]
            drifts += [f"runs/{group}/{system}: {one.headline}" for one in verified.diagnostics]
            progress.advance()
        return drifts


def score_rows(runs: Runs) -> Iterator[Row]:
    """The counts of every clause, clip and class."""
    for group, system, path in runs.every():
        conditions = read_pairs(path / "conditions.tsv")
        for row in csv_rows(read_within(path, "scores.csv").decode()):
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
        report = json.loads(read_within(path, "report.json", LARGEST_DOCUMENT))
        for name, value, policy in reported_metrics(report):
            yield {"group": group, "system": system, "metric": name, "value": value, "policy": policy}


def reported_metrics(report: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The standard metrics, the mean of the vector and the soft boundary of a report: name, value, policy."""
    for metric in report["metrics"]["metrics"]:
        figure = metric["micro"]["f1"] if metric["kind"] == "counts" else metric["micro"]
        yield metric["name"], "" if figure is None else str(figure["value"]), metric["policy"]
    how, soft = report["aggregation"], report["soft_boundary"]["value"]
    yield MEAN, str(report["logic"][how]["value"]), f"mean of the vector, {how}"
    yield "soft boundary", "" if soft is None else str(soft), "soft boundary"


def scored_part(path: Path, clips: Sequence[str]) -> dict[str, Any]:
    """The report of some clips of a run, scored again under the contract of the study."""
    ref, pred = path / "reference.tsv", path / "prediction.tsv"
    return tracepact.score(CONTRACT, ref, pred, durations=path / "durations.tsv", clips=clips).to_dict()


def tolerance_rows(runs: Runs) -> Iterator[Row]:
    """The exact curve of the vector's mean over the tolerance, piece by piece, and of every clause."""
    for system, path in [*runs.of("detectors").items(), *runs.of("regime").items()]:
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


def condition_rows(runs: Runs) -> Iterator[Row]:
    """Frame, edge and boundary F1 by condition, over all classes together and as the mean over classes."""
    for group in ("detectors", "classes"):
        for system, path in runs.of(group).items():
            for condition, clips in _by_condition(path).items():
                found = scored_part(path, clips)
                for metric in found["metrics"]["metrics"]:
                    if metric["name"] in ("frame", "transition", "boundary"):
                        for average in ("micro", "macro"):
                            f1 = metric[average]["f1"]
                            yield _of_condition(group, system, condition, metric["name"], average, f1)
                for average, how in (("micro", "pooled"), ("macro", "macro_classes_informative")):
                    yield _of_condition(group, system, condition, MEAN, average, found["logic"][how])


def _of_condition(
    group: str, system: str, condition: str, measure: str, average: str, value: Mapping[str, str] | None
) -> Row:
    return {
        "group": group,
        "system": system,
        "condition": condition,
        "measure": measure,
        "average": average,
        "value": "" if value is None else str(value["value"]),
    }


def _by_condition(path: Path) -> dict[str, list[str]]:
    clips: dict[str, list[str]] = {}
    for clip, condition in read_pairs(path / "conditions.tsv").items():
        clips.setdefault(condition, []).append(clip)
    return clips


def model_rows(runs: Runs) -> Iterator[Row]:
    """How every system was made: what its model's manifest says of its training and decoding."""
    for place in sorted((runs.folder.parent / "models").glob("*/*.json")):
        manifest = json.loads(read_within(place.parent, place.name, LARGEST_DOCUMENT))
        recipe, decoding, notes = manifest["recipe"], manifest["decoding"], manifest["notes"]
        yield {
            "group": place.parent.name,
            "system": place.stem,
            "network": recipe["body"] or recipe["kind"],
            "epochs": str(recipe["epochs"]),
            "clips": str(notes["clips"]),
            "held out": str(notes.get("held out", 0)),
            "parameters": str(notes.get("parameters", "")),
            "last loss": str(notes["losses"][-1]) if notes.get("losses") else "",
            "calibrated on": recipe["calibration"],
            "threshold": str(decoding["threshold"]),
            "low": str(decoding["low"] or ""),
            "median": str(decoding["median"]),
            "snap": str(decoding.get("snap", 0)),
            "weights": manifest["weights"][:16],
        }


def matcher_rows(runs: Runs) -> Iterator[Row]:
    """Pairs and boundary F1 under both matchers: stress track, detector outputs, bridges of the test references."""
    for system, path in runs.of("detectors").items():
        audit = tracepact.audit_matcher(CONTRACT, path)
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
            scores = {one.system: one.value for one in ranked.values}
            for system in ranked.best:
                yield _ranked(which, question.name, system, scores[system], True)


def _ranked(kind: str, question: str, system: str, value: Fraction | None, best: bool) -> Row:
    shown = "" if value is None else str(value)
    return {"kind": kind, "question": question, "system": system, "value": shown, "best": str(best).lower()}


def union_rows(runs: Runs) -> Iterator[Row]:
    """What the union of the classes hides of the class-indexed system."""
    for system, path in runs.of("classes").items():
        yield from _measured_gaps(system, path, runs.of("classes-union")[system])
        for gap in tracepact.audit_union_gap(path).clauses:
            yield {
                "system": system,
                "clause": gap.clause,
                "aggregation": gap.aggregation.value,
                "class_indexed": str(gap.class_indexed.value),
                "union": "" if gap.union is None else str(gap.union.value),
            }


def _measured_gaps(system: str, typed: Path, union: Path) -> Iterator[Row]:
    """Frame and boundary F1 and the mean of the vector, of classes and of their union."""
    reports = [json.loads(read_within(path, "report.json", LARGEST_DOCUMENT)) for path in (typed, union)]
    for average, how in (("macro", "macro_classes_informative"), ("micro", "pooled")):
        for name in ("frame", "boundary"):
            found = [next(m for m in r["metrics"]["metrics"] if m["name"] == name)[average]["f1"] for r in reports]
            yield _gap_row(system, f"{name} F1", how, *("" if f is None else str(f["value"]) for f in found))
        yield _gap_row(system, MEAN, how, *(str(r["logic"][how]["value"]) for r in reports))


def _gap_row(system: str, what: str, aggregation: str, typed: str, union: str) -> Row:
    row = {"system": system, "clause": what, "aggregation": aggregation}
    return {**row, "class_indexed": typed or "0", "union": union}


def declared_rows(protocol: Protocol) -> dict[str, Callable[[Runs], Iterable[Row]]]:
    """The protocol and the perturbations, from the constants that made the scenes."""
    levels = perturbation_rows(protocol.training, protocol.test)
    return {
        "protocol": lambda _: [{"what": what, "value": value} for what, value in protocol_rows(protocol)],
        "perturbations": lambda _: [{"what": what, "training": a, "test": b} for what, a, b in levels],
    }


def rows_text(rows: Iterable[Row]) -> str:
    """Rows as CSV, nothing for none; the columns are those of the first row."""
    listed = list(rows)
    columns = list(listed[0]) if listed else []
    return csv_text(columns, ([row[name] for name in columns] for row in listed)) if listed else ""


class SystemRows(list[dict[str, str]]):
    """Rows that know their group and system by heart: a table asks hundreds of times, and each is of one system."""

    @cached_property
    def _parts(self) -> dict[tuple[str, str], list[dict[str, str]]]:
        parts: dict[tuple[str, str], list[dict[str, str]]] = {}
        for row in self:
            parts.setdefault((row.get("group", ""), row.get("system", "")), []).append(row)
        return parts

    def of(self, group: str, system: str) -> list[dict[str, str]]:
        """The rows of one system."""
        return self._parts.get((group, system), [])


def read_rows(path: Path) -> SystemRows:
    """Rows as they were written."""
    return SystemRows(csv_rows(read_within(path.parent, path.name).decode()))


def chosen(rows: Sequence[Row], **where: str) -> list[Row]:
    """The rows with these values."""
    if isinstance(rows, SystemRows) and {"group", "system"} <= where.keys():
        rows = rows.of(where.pop("group"), where.pop("system"))
    wanted = [(name.rstrip("_"), value) for name, value in where.items()]
    return [row for row in rows if all(row[name] == value for name, value in wanted)]


def read_pairs(path: Path) -> dict[str, str]:
    """A table of two columns, such as the conditions of a run."""
    rows = csv.reader(io.StringIO(read_within(path.parent, path.name).decode()), delimiter="\t")
    next(rows)
    return {row[0]: row[1] for row in rows}
