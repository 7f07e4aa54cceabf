"""Mutants of the example's monitor as programs, and schemas: what several files of tests here use."""

import atexit
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from referencing import Registry, Resource

from benchmarks.mutant import catalogue
from tracepact.conform.engines import CaseEngine
from tracepact.conform.findings import LocalPeer, put
from tracepact.conform.oracle import Session
from tracepact.declarations import spec_path

MONITOR = str(Path(__file__).resolve().parents[2] / "examples" / "07-conformance" / "monitor.py")
MUTANTS = {mutant.id: mutant for mutant in catalogue()}
SCHEMAS = {p.name: json.loads(p.read_text(encoding="utf-8")) for p in spec_path("schemas").glob("*.json")}
REGISTRY: Registry[Any] = Registry().with_resources((n, Resource.from_contents(s)) for n, s in SCHEMAS.items())
_FOLDER = Path(tempfile.mkdtemp(prefix="mutants-"))
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)


def process(name: str) -> list[str]:
    """The command that serves the protocol as a mutant of the example's monitor."""
    return [sys.executable, str(MUTANTS[name].written(_FOLDER))]


def played(case: dict[str, Any], engine: CaseEngine) -> dict[str, Any]:
    """The answer of an engine to a stream that is played to it: interrupted, opened anew, as the case says."""
    session = Session(engine)
    peer = LocalPeer(lambda: lambda message: session.reply(json.dumps(message)))
    peer.start()
    answer: dict[str, Any] = put(peer, case, ("out", "counts"))["answer"]
    return answer
