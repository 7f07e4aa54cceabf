"""Executable boundary contracts for sound event detection.

The parts of the package, in the order in which data flows (imports point only to earlier lines; parts of one line may
not import each other):

    kernel
        inputs, wording      files read, and remembered; numbers and words as people read them
        files                files written whole or not at all
        version              the version of the package
        limits               how much is taken in one go
        deprecation          old names of public things, for one version
        frozen               dataclasses that are cheap to declare
        lazy                 packages whose names are loaded when they are first used
        progress             long work says what comes next
        frames               rows as a data frame
        records              typed results, their JSON and the schemas generated from them
        diagnostics, specs   what went wrong as data; where the spec files are
        engines              batches of work here, in processes, or on a Dask cluster
        core                 formulas, event atoms and contracts without names, units or sugar
        lang                 text to core and back, and core in plain words
        trace                events on an exact grid, families of clips as bitsets
        io                   files and in-memory data to events
        calibration          calibration sets: texts to cases with ranks and a family of candidates
        monitor              the reference semantics and the fast engines
        events               matching and event clauses
        scoring              counts, vectors, violations, curves, intervals over clips
        soft                 soft readings of score fields: margins in place of verdicts
        torch                a contract as a loss to train with; needs the extra `torch`
        metrics              the standard metrics of the field, each with its declared policy
        thresholds           every threshold of a score field at once: curves, metrics, PSDS
        logic                what a contract means, decided with Z3 and by enumeration
        stream               the monitor for frames as they come
    show                     draws tables, figures and pages; knows no subject
    tools                    one folder per tool: what it computes, how it is shown, its command
    cli                      the table of commands
    __main__                 the way in

A tool imports the kernel, `show`, `tools.score` and the modules directly in `tools`, nothing else.

The names below are the public interface; each is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from tracepact.lazy import loader
from tracepact.version import VERSION as _VERSION

if TYPE_CHECKING:
    from tracepact.core import Aggregation, Contract
    from tracepact.diagnostics import Diagnostic, InvalidInput, RowPlace
    from tracepact.io import AudioFolder, ClassDecodings, Columns, Decoding, Reading, score_field
    from tracepact.lang import load_contract, override, parse_contract, parse_formula
    from tracepact.logic.catalogue import catalogue
    from tracepact.scoring import Score, Scorecard
    from tracepact.scoring.uncertainty import Bootstrap
    from tracepact.specs import spec_path, starter_contracts
    from tracepact.stream import StreamBank, StreamMonitor
    from tracepact.tools.audit.annotation import audit_annotation
    from tracepact.tools.audit.compare import compare
    from tracepact.tools.audit.matcher import audit_matcher
    from tracepact.tools.audit.neutrality import audit_neutrality
    from tracepact.tools.audit.profile import audit_profile
    from tracepact.tools.audit.reference import audit_reference
    from tracepact.tools.audit.selection import audit_selection
    from tracepact.tools.audit.threshold import audit_threshold
    from tracepact.tools.audit.tolerance import audit_tolerance
    from tracepact.tools.audit.uncertainty import audit_uncertainty
    from tracepact.tools.audit.union_gap import audit_union_gap
    from tracepact.tools.cast.trial import try_contract
    from tracepact.tools.check.python import check, equivalent, explain, implies, sat, signatures, simplify
    from tracepact.tools.curves.curves import Curves
    from tracepact.tools.curves.python import curves
    from tracepact.tools.entry import run_command_line
    from tracepact.tools.league.league import league
    from tracepact.tools.score.batches.scoring import BatchRun, score_batches
    from tracepact.tools.score.run import Run, score, score_document
    from tracepact.tools.score.store.opening import load_run
    from tracepact.tools.score.verify import verify_run
    from tracepact.tools.select.python import select
    from tracepact.tools.tune.tune import Tuned, tune
    from tracepact.trace import Mode, ScoreField

_HOMES = {
    "Aggregation": "core",
    "AudioFolder": "io",
    "BatchRun": "tools.score.batches.scoring",
    "Bootstrap": "scoring.uncertainty",
    "ClassDecodings": "io",
    "Columns": "io",
    "Contract": "core",
    "Curves": "tools.curves.curves",
    "Decoding": "io",
    "Diagnostic": "diagnostics",
    "InvalidInput": "diagnostics",
    "Mode": "trace",
    "Reading": "io",
    "RowPlace": "diagnostics",
    "Run": "tools.score.run",
    "Score": "scoring",
    "ScoreField": "trace",
    "Scorecard": "scoring",
    "StreamBank": "stream",
    "StreamMonitor": "stream",
    "Tuned": "tools.tune.tune",
    "audit_annotation": "tools.audit.annotation",
    "audit_matcher": "tools.audit.matcher",
    "audit_neutrality": "tools.audit.neutrality",
    "audit_profile": "tools.audit.profile",
    "audit_reference": "tools.audit.reference",
    "audit_selection": "tools.audit.selection",
    "audit_threshold": "tools.audit.threshold",
    "audit_tolerance": "tools.audit.tolerance",
    "audit_uncertainty": "tools.audit.uncertainty",
    "audit_union_gap": "tools.audit.union_gap",
    "catalogue": "logic.catalogue",
    "check": "tools.check.python",
    "compare": "tools.audit.compare",
    "curves": "tools.curves.python",
    "equivalent": "tools.check.python",
    "explain": "tools.check.python",
    "implies": "tools.check.python",
    "league": "tools.league.league",
    "load_contract": "lang",
    "load_run": "tools.score.store.opening",
    "override": "lang",
    "parse_contract": "lang",
    "parse_formula": "lang",
    "run_command_line": "tools.entry",
    "sat": "tools.check.python",
    "score": "tools.score.run",
    "score_batches": "tools.score.batches.scoring",
    "score_document": "tools.score.run",
    "score_field": "io",
    "select": "tools.select.python",
    "signatures": "tools.check.python",
    "simplify": "tools.check.python",
    "spec_path": "specs",
    "starter_contracts": "specs",
    "try_contract": "tools.cast.trial",
    "tune": "tools.tune.tune",
    "verify_run": "tools.score.verify",
}

__all__ = [
    "Aggregation",
    "AudioFolder",
    "BatchRun",
    "Bootstrap",
    "ClassDecodings",
    "Columns",
    "Contract",
    "Curves",
    "Decoding",
    "Diagnostic",
    "InvalidInput",
    "Mode",
    "Reading",
    "RowPlace",
    "Run",
    "Score",
    "ScoreField",
    "Scorecard",
    "StreamBank",
    "StreamMonitor",
    "Tuned",
    "audit_annotation",
    "audit_matcher",
    "audit_neutrality",
    "audit_profile",
    "audit_reference",
    "audit_selection",
    "audit_threshold",
    "audit_tolerance",
    "audit_uncertainty",
    "audit_union_gap",
    "catalogue",
    "check",
    "compare",
    "curves",
    "equivalent",
    "explain",
    "implies",
    "league",
    "load_contract",
    "load_run",
    "override",
    "parse_contract",
    "parse_formula",
    "run_command_line",
    "sat",
    "score",
    "score_batches",
    "score_document",
    "score_field",
    "select",
    "signatures",
    "simplify",
    "spec_path",
    "starter_contracts",
    "try_contract",
    "tune",
    "verify_run",
]


__version__ = _VERSION
__getattr__ = loader(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
