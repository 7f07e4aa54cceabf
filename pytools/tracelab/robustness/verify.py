"""Verifies a robustness run: schemas, digests, the table of corruptions, and every figure from the stored logits."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from tracelab.files import write_whole
from tracelab.robustness.corruptions import canonical, canonical_digest, cells
from tracelab.robustness.evaluation import questions
from tracelab.robustness.records import ARTEFACTS, Artefact, Check, Manifest, VerificationReport, record_text
from tracelab.robustness.results import KIND
from tracelab.robustness.run import EXPLAINED, MANIFEST, TABLE, not_canonical, result_files, results_of
from tracelab.robustness.tables import ShownRecords
from tracelab.robustness.views import robustness_views
from tracelab.stages import SILENT, UNREADABLE, StageListener, Verified, unreadable
from tracepact.inputs import LARGEST_DOCUMENT, digest_within, open_within, read_within

REPORT = "verification_report.json"
SEAL = "audioclaw_canonical_verified OK"
TOLERANCE = 1e-9


def verify_run(folder: Path, progress: StageListener = SILENT) -> Verified:
    """Everything that can be checked without the corpus, computed again."""
    report = check_run(folder, progress)
    faults = [f"{check.name}: {fault}" for check in report.checks for fault in check.faults]
    names = ", ".join(check.name for check in report.checks)
    checks = "1 check" if len(report.checks) == 1 else f"{len(report.checks)} checks"
    return Verified(f"{checks} ({names})", tuple(faults), report.line)


def write_verification(folder: Path, progress: StageListener = SILENT) -> VerificationReport:
    """Verify a run, and keep the report beside it."""
    report = check_run(folder, progress)
    write_whole(folder / REPORT, record_text(report))
    return report


def check_run(folder: Path, progress: StageListener = SILENT) -> VerificationReport:
    """Every check of a run, each with what it found."""
    progress.begin("checks", len(_CHECKS) + 1)
    schemas = _check("schemas", lambda: _schema_faults(folder))
    checks = [schemas]
    progress.advance()
    manifest = _manifest(folder)
    for name, find in _CHECKS.items():
        if manifest is not None:
            checks.append(_check(name, partial(find, folder, manifest)))
        progress.advance()
    holds = all(check.holds for check in checks)
    canonical_run = holds and manifest is not None and not not_canonical(manifest)
    reasons = "; ".join(not_canonical(manifest)) if manifest is not None else "no manifest"
    line = SEAL if canonical_run else f"verified, not the canonical protocol: {reasons}" if holds else "NOT verified"
    return VerificationReport(kind=KIND, verified=holds, canonical=canonical_run, line=line, checks=checks)


def _check(name: str, find: Callable[[], Iterator[str]]) -> Check:
    """What a check finds; what cannot be read at all is a fault of the run, not of the check."""
    try:
        faults = list(find())
    except UNREADABLE as error:
        faults = [f"cannot be computed: {unreadable(error)}"]
    return Check(name=name, holds=not faults, faults=faults)


def _manifest(folder: Path) -> Manifest | None:
    try:
        return msgspec.json.decode(read_within(folder, MANIFEST, LARGEST_DOCUMENT), type=Manifest)
    except UNREADABLE:
        return None


def _schema_faults(folder: Path) -> Iterator[str]:
    for name, kind in ARTEFACTS.items():
        if name == REPORT and not (folder / name).exists():
            continue
        try:
            found = msgspec.json.decode(read_within(folder, name, LARGEST_DOCUMENT), type=kind)
            if getattr(found, "kind", None) != KIND:
                yield f"{name}: it is not of the kind `{KIND}`"
        except (OSError, msgspec.MsgspecError) as error:
            yield f"{name}: {error}"


def _digest_faults(folder: Path, manifest: Manifest) -> Iterator[str]:
    there = set(result_files(folder))
    for name, digest in manifest.files.items():
        if name not in there:
            yield f"{name}: missing"
        elif digest_within(folder, name) != digest:
            yield f"{name}: another SHA-256"
    for name in sorted(there - set(manifest.files)):
        yield f"{name}: not in the manifest"
    needed = {*ARTEFACTS, TABLE, EXPLAINED, "report.html", "report.pdf", "SKILL.md"} - {MANIFEST, REPORT}
    needed |= {f"logits/{name}.npz" for name in manifest.classifiers}
    for name in sorted(needed - set(manifest.files)):
        yield f"{name}: the manifest does not name it"


def _table_faults(folder: Path, manifest: Manifest) -> Iterator[str]:
    found = digest_within(folder, TABLE)
    if found != manifest.table_sha256:
        yield f"{TABLE}: not the table of the manifest"
    if found != canonical_digest():
        yield f"{TABLE}: not the table `{canonical().name}` of this version"
    wanted = {asked.name for asked in questions(cells(canonical()))}
    for name in sorted(wanted ^ set(manifest.samples_sha256)):
        yield f"the samples of `{name}` have no digest, or are not asked for"


def _manifest_faults(folder: Path, manifest: Manifest) -> Iterator[str]:
    reasons = not_canonical(manifest)
    if manifest.canonical != (not reasons) or manifest.not_canonical != reasons:
        yield f"{MANIFEST}: whether the run is canonical is not as it says"
    for name in manifest.classifiers:
        yield from _logit_faults(folder, manifest, name)


def _logit_faults(folder: Path, manifest: Manifest, name: str) -> Iterator[str]:
    """The arrays that must be there, and their shapes; the split has as many clips as the manifest says."""
    split, classes = manifest.split, len(manifest.classes)
    wanted = {asked.name: (split.test_clips, classes) for asked in questions(cells(canonical()))}
    wanted["validation"] = (split.validation_clips, classes)
    labels = {"labels_validation": split.validation_clips, "labels_test": split.test_clips}
    with open_within(folder, f"logits/{name}.npz") as opened, np.load(opened) as stored:
        for array in sorted({*wanted, *labels} ^ set(stored)):
            yield f"logits/{name}.npz: `{array}` is missing, or should not be there"
        for array, shape in wanted.items():
            if array in stored and (stored[array].shape != shape or not np.isfinite(stored[array]).all()):
                yield f"logits/{name}.npz: `{array}` has another shape than {shape}, or is not finite"
        for array, clips in labels.items():
            if array in stored and not (
                stored[array].shape == (clips,) and ((stored[array] >= 0) & (stored[array] < classes)).all()
            ):
                yield f"logits/{name}.npz: `{array}` are not the classes of {clips} clips"


def _metric_faults(folder: Path, manifest: Manifest) -> Iterator[str]:
    for name, record in results_of(folder, manifest).items():
        stored = msgspec.json.decode(read_within(folder, name))
        yield from (f"{name}: {fault}" for fault in _differences(stored, msgspec.to_builtins(record), ""))


def _view_faults(folder: Path, manifest: Manifest) -> Iterator[str]:
    stored = {name: _stored(folder, name) for name in ARTEFACTS if name not in (MANIFEST, REPORT)}
    for name, text in robustness_views(ShownRecords.of(stored, manifest)).items():
        if read_within(folder, name) != text.encode():
            yield f"{name}: not what the stored results give"


def _stored(folder: Path, name: str) -> Artefact:
    return msgspec.json.decode(read_within(folder, name), type=ARTEFACTS[name])


def _differences(stored: Any, computed: Any, where: str) -> Iterator[str]:
    """Where two JSON values differ; numbers by more than the tolerance, everything else at all."""
    match stored, computed:
        case dict(), dict():
            for key in sorted({*stored, *computed}):
                if key in stored and key in computed:
                    yield from _differences(stored[key], computed[key], f"{where}.{key}".lstrip("."))
                else:
                    yield f"{where}.{key}: only one of both has it".lstrip(".")
        case list(), list() if len(stored) == len(computed):
            for number, (one, other) in enumerate(zip(stored, computed, strict=True)):
                name = one.get("name", one.get("family", number)) if isinstance(one, dict) else number
                yield from _differences(one, other, f"{where}[{name}]")
        case ((int() | float()), (int() | float())) if not isinstance(stored, bool):
            if not abs(stored - computed) <= TOLERANCE * max(1.0, abs(computed)):
                yield f"{where}: stored {stored}, computed {computed}"
        case _:
            if stored != computed:
                yield f"{where}: stored {stored!r}, computed {computed!r}"


_CHECKS: dict[str, Callable[[Path, Manifest], Iterator[str]]] = {
    "digests": _digest_faults,
    "table of corruptions": _table_faults,
    "manifest": _manifest_faults,
    "metrics": _metric_faults,
    "views": _view_faults,
}
