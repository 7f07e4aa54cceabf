"""Executable boundary contracts for sound event detection.

The way data flows, and the package of each stage (imports point only to earlier ones):

    diagnostics, specs   what went wrong as data; where the spec files are
    core                 formulas, event atoms and contracts without names, units or sugar
    lang                 text to core and back
    trace                events on an exact grid, families of clips as bitsets
    io                   files and in-memory data to events
    monitor              the reference semantics and the fast engines
    events               matching and event clauses
    score                counts, vectors, witnesses
    metrics              the standard metrics of the field, each with its declared policy
    logic                what a contract means, decided with Z3 and by enumeration
    stream               the monitor for frames as they come
    oracle               other implementations tested against the reference
    basis                the smallest contract that respects a task's own order of harm
    run                  one scoring run, from tables to a scorecard
    store                a run directory: score rows, tables, manifest
    audit                what changes with a policy, from stored runs
    lean                 the proof core: run, checked, and used to certify scorecards
    report, export, demo views of a run; other tools' languages; the shipped example
    cli                  arguments and exit codes
"""

from tracepact.core import Aggregation, Contract
from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.io import Decoding, Reading
from tracepact.lang import load_contract, override, parse_contract, parse_formula
from tracepact.scoring import Score, Scorecard
from tracepact.specs import starter_contracts
from tracepact.stream import StreamMonitor
from tracepact.tools.score.run import Run, score, score_document
from tracepact.trace import Mode

__all__ = [
    "Aggregation",
    "Contract",
    "Decoding",
    "Diagnostic",
    "InvalidInput",
    "Mode",
    "Reading",
    "Run",
    "Score",
    "Scorecard",
    "StreamMonitor",
    "load_contract",
    "override",
    "parse_contract",
    "parse_formula",
    "score",
    "score_document",
    "starter_contracts",
]
