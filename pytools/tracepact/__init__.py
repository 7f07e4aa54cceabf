"""Executable boundary contracts for sound event detection.

The parts of the package, in the order in which data flows (imports point only to earlier lines; parts of one line may
not import each other):

    version          the version of the package
    lazy             packages whose names are loaded when they are first used
    wording          numbers and words as people write and read them, bounded before any arithmetic
    declarations     what declares data and names, and is cheap to load
    records          typed results, their JSON and the schemas generated from them
    inputs           files read within limits, and kept within what was named
    diagnostics      what went wrong, as data, and how it is drawn
    files            files and folders written whole or not at all
    engines          batches of work here, in processes, or on a Dask cluster
    show             tables, figures and pages as data, and their drawing; knows no subject
    command_line     the way into a command line: exit codes, groups, requests to end
    language         text to the core contract, and back
    data             files and arrays to exact events and score fields on a grid
    evaluate         contract and family to masks, matches, counts, vectors; the reference beside the fast engines
    options, outputs  what commands share: options, and what they write and print
    page_server      a page on the loopback
    measures         the standard metrics of the field, each with its declared policy
    thresholds       every threshold of a score field at once
    compat           the names of other evaluation packages, computed by the two before
    logic            what a contract means, decided and shown by traces; `check` and its kin
    stream           the monitor for frames as they come
    runs             the scoring path: task, plan, batches, tally, run directory, report, verification
    tuning           curves over every threshold, and the decoding that is best
    torch            a contract to train with, as a loss and as a metric; needs the extra `torch`
    audits           audits, comparisons, profiles, leagues
    selection        the smallest contract that respects a task's own order of harm
    prove            the proof core, run, checked, compiled, and used to certify
    conform          other implementations tested against the reference
    author           drafts, trials, the workbench, the language server, exports
    lightning        a callback that scores a contract at validation; needs the extra `torch`
    pytest_plugin    contracts and runs in a test suite
    cli              the tables of commands
    __main__         the way in

The names below are the public interface; each is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from tracepact.lazy import loader
from tracepact.version import VERSION as _VERSION

if TYPE_CHECKING:
    from tracepact.audits.audit_labels import audit_annotation, audit_reference
    from tracepact.audits.audit_matcher import audit_matcher
    from tracepact.audits.audit_profile import audit_profile, audit_selection
    from tracepact.audits.audit_settings import audit_threshold, audit_tolerance
    from tracepact.audits.audit_stability import audit_neutrality, audit_uncertainty
    from tracepact.audits.audit_union_gap import audit_union_gap
    from tracepact.audits.comparison import compare
    from tracepact.audits.league_command import league
    from tracepact.author.trial import try_contract
    from tracepact.command_line import run_command_line
    from tracepact.data.decoding import ClassDecodings, Decoding
    from tracepact.data.events import ScoreField
    from tracepact.data.family import Mode
    from tracepact.data.fields import score_field
    from tracepact.data.memory import AudioFolder
    from tracepact.data.readings import Columns, Reading
    from tracepact.declarations import spec_path, starter_contracts
    from tracepact.diagnostics.collection import InvalidInput
    from tracepact.diagnostics.findings import Diagnostic, RowPlace
    from tracepact.evaluate.scorecard import Scorecard
    from tracepact.evaluate.scores import Score
    from tracepact.evaluate.uncertainty import Bootstrap
    from tracepact.language.compilation import load_contract, override, parse_contract, parse_formula
    from tracepact.language.contract import Aggregation, Contract
    from tracepact.logic.answers import check, equivalent, explain, implies, sat, signatures, simplify
    from tracepact.logic.catalogue import catalogue
    from tracepact.runs.batch_run import BatchRun
    from tracepact.runs.batch_scoring import score_batches
    from tracepact.runs.metrics import Metrics, metrics
    from tracepact.runs.opening import RunLike, load_run
    from tracepact.runs.run import Run, score, score_document
    from tracepact.runs.verification import verify_run
    from tracepact.selection.python import select
    from tracepact.stream.bank import StreamBank
    from tracepact.stream.monitor import StreamMonitor
    from tracepact.tuning.batches import curves
    from tracepact.tuning.curves import Curves
    from tracepact.tuning.tune import Tuned, tune

_HOMES = {
    "Aggregation": "language.contract",
    "AudioFolder": "data.memory",
    "BatchRun": "runs.batch_run",
    "Bootstrap": "evaluate.uncertainty",
    "ClassDecodings": "data.decoding",
    "Columns": "data.readings",
    "Contract": "language.contract",
    "Curves": "tuning.curves",
    "Decoding": "data.decoding",
    "Diagnostic": "diagnostics.findings",
    "InvalidInput": "diagnostics.collection",
    "Metrics": "runs.metrics",
    "Mode": "data.family",
    "Reading": "data.readings",
    "RowPlace": "diagnostics.findings",
    "Run": "runs.run",
    "RunLike": "runs.opening",
    "Score": "evaluate.scores",
    "ScoreField": "data.events",
    "Scorecard": "evaluate.scorecard",
    "StreamBank": "stream.bank",
    "StreamMonitor": "stream.monitor",
    "Tuned": "tuning.tune",
    "audit_annotation": "audits.audit_labels",
    "audit_matcher": "audits.audit_matcher",
    "audit_neutrality": "audits.audit_stability",
    "audit_profile": "audits.audit_profile",
    "audit_reference": "audits.audit_labels",
    "audit_selection": "audits.audit_profile",
    "audit_threshold": "audits.audit_settings",
    "audit_tolerance": "audits.audit_settings",
    "audit_uncertainty": "audits.audit_stability",
    "audit_union_gap": "audits.audit_union_gap",
    "catalogue": "logic.catalogue",
    "check": "logic.answers",
    "compare": "audits.comparison",
    "curves": "tuning.batches",
    "equivalent": "logic.answers",
    "explain": "logic.answers",
    "implies": "logic.answers",
    "league": "audits.league_command",
    "load_contract": "language.compilation",
    "load_run": "runs.opening",
    "metrics": "runs.metrics",
    "override": "language.compilation",
    "parse_contract": "language.compilation",
    "parse_formula": "language.compilation",
    "run_command_line": "command_line",
    "sat": "logic.answers",
    "score": "runs.run",
    "score_batches": "runs.batch_scoring",
    "score_document": "runs.run",
    "score_field": "data.fields",
    "select": "selection.python",
    "signatures": "logic.answers",
    "simplify": "logic.answers",
    "spec_path": "declarations",
    "starter_contracts": "declarations",
    "try_contract": "author.trial",
    "tune": "tuning.tune",
    "verify_run": "runs.verification",
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
    "Metrics",
    "Mode",
    "Reading",
    "RowPlace",
    "Run",
    "RunLike",
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
    "metrics",
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
