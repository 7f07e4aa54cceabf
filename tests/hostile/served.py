"""Generators for what is kept open or in the making: an editor's texts, a page's questions, batches, the lab's."""

import json
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

import tracepact
from hostile.harness import Input, put
from hostile.values import changed_bytes, changed_text, damaged, damaged_data, damaged_json, name, number, some
from tracepact.author import editor_server as language
from tracepact.author.editor_help import calibration_faults
from tracepact.author.editor_text import TextLines, read
from tracepact.author.play_command import Workbench
from tracepact.declarations import spec_path
from tracepact.runs import batch_scoring

CONTRACT = """contract more "t"
step 20ms
param tol = 40ms
atom zone
clause onset on ref_onset : ref_onset -> N[tol] pred_onset
clause stay on ref_active & !zone : (ref_active -> pred_active) U[3f] !ref_active
clause whole on each ref : matched and covering <= 1
profile harm : onset = 1, whole = 2
"""
SCENE = {
    "contract": CONTRACT,
    "clip": {
        "name": "a",
        "duration": "4",
        "ref": [["1", "2", "x"]],
        "pred": [["1.1", "2", "x"], ["3", "3.5", "y"]],
        "ignore": [["0", "0.5", ""]],
        "masks": {"zone": [["1", "1.5"]]},
    },
    "set": {"tol": "60ms"},
    "union": False,
}
FILE = {"name": "pred.tsv", "text": "filename\tonset\toffset\tevent_label\na\t1\t2\tx\n"}
_URI = "file:///a.contract"
_METHODS = sorted(method for method in language._FEATURES if not method.startswith("textDocument/did"))
_LAB = Path(__file__).parents[2] / "examples"
_FOLDERS = ("13-study", "14-robustness", "14-robustness/grid", "15-probe", "20-corpora/baseline", "20-corpora/maestro")


def editor(rng: Random) -> Input:
    """A half-typed contract or calibration set, and a request about a place in it, or beyond it."""
    is_set = rng.random() < 0.2
    text = changed_text(rng, _calibration() if is_set else CONTRACT)
    encoding = some(rng, ("utf-8", "utf-16", "utf-32"))
    places = [
        lsp.Position(rng.choice([0, 1, 3, 5, 7, 999, 2**31 - 1]), rng.choice([0, 3, 12, 40, 2**31 - 1])) for _ in "ab"
    ]
    method, word = some(rng, _METHODS), name(rng)

    def call(folder: Path) -> Any:
        reading = read("" if is_set else text, "a")
        state = language.Opened(_URI, 1, reading, TextLines(text, encoding), calibration=text if is_set else None)
        if is_set:
            return [found.code for found in calibration_faults(text, "a", folder)]
        server = _server()
        server.opened[_URI] = state
        told = [language.diagnostic_of(state.lines, found) for found in state.findings]
        answer, _ = language._FEATURES[method]
        try:
            return len(told), str(answer(server, _request(method, places, word)))
        except JsonRpcInvalidParams as refused:
            return str(refused)

    return Input(call=call)


def _request(method: str, places: list[lsp.Position], word: str) -> Any:
    """The request of a method, about the text that is open."""
    document, whole = lsp.TextDocumentIdentifier(_URI), lsp.Range(*places)
    made: dict[str, Callable[[], Any]] = {
        lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: lambda: lsp.DocumentSymbolParams(document),
        lsp.TEXT_DOCUMENT_INLAY_HINT: lambda: lsp.InlayHintParams(document, whole),
        lsp.TEXT_DOCUMENT_REFERENCES: lambda: lsp.ReferenceParams(lsp.ReferenceContext(True), document, places[0]),
        lsp.TEXT_DOCUMENT_RENAME: lambda: lsp.RenameParams(document, places[0], word),
        lsp.TEXT_DOCUMENT_FORMATTING: lambda: lsp.DocumentFormattingParams(document, lsp.FormattingOptions(2, True)),
        lsp.TEXT_DOCUMENT_CODE_ACTION: lambda: lsp.CodeActionParams(document, whole, lsp.CodeActionContext([])),
    }
    return made[method]() if method in made else lsp.HoverParams(document, places[0])


@cache
def _server() -> language.ContractServer:
    return language.make_server(0.0)


@cache
def _calibration() -> str:
    return spec_path("calibration/boundary_gate.calibration").read_text(encoding="utf-8")


def workbench(rng: Random) -> Input:
    """A question of the page of `play`, damaged."""
    asked = some(rng, ("verdicts", "verdicts", "cast", "curve", "import"))
    scene = SCENE if rng.random() < 0.3 else damaged_data(rng, SCENE)
    if isinstance(scene, dict) and rng.random() < 0.3:
        scene = {**scene, "contract": changed_text(rng, CONTRACT)}
    if isinstance(scene, dict) and rng.random() < 0.3:
        scene = {**scene, "set": {some(rng, ("tol", name(rng))): number(rng)}}
    body: Any = scene
    if asked == "curve":
        body = {"scene": scene, "parameter": some(rng, ("tol", name(rng)))}
    if asked == "import":
        body = damaged_data(rng, {**FILE, "text": changed_text(rng, FILE["text"])})
    content = damaged_json(rng, body) if rng.random() < 0.3 else json.dumps(body).encode()

    def call(folder: Path) -> Any:
        try:
            return Workbench().questions[asked](content)
        except msgspec.MsgspecError as refused:
            return str(refused)

    return Input(call=call)


@cache
def _half_made() -> dict[str, bytes]:
    """Two sides as Parquet files, and the folder of a run in batches that was stopped after two of them."""
    home = Path(tempfile.mkdtemp(prefix="hostile-batches-"))
    true = batch_scoring.score_batch

    def stopped(job: Any, task: Any) -> Any:
        if task.batch.number == 2:
            raise KeyboardInterrupt
        return true(job, task)

    try:
        for side, late in (("ref", 0.0), ("pred", 0.1)):
            rows = [(f"c{n}", 0.2 + n / 10 + late, 1.5 + late, "xy"[n % 2]) for n in range(8)]
            columns = dict(zip(("filename", "onset", "offset", "event_label"), zip(*rows, strict=True), strict=True))
            pq.write_table(pa.table(columns), home / f"{side}.parquet", row_group_size=3)
        (home / "gate.contract").write_text(CONTRACT.replace("atom zone\n", "").replace(" & !zone", ""))
        with patch.object(batch_scoring, "score_batch", stopped), suppress(KeyboardInterrupt):
            _scored_batches(home)
        return {path.relative_to(home).as_posix(): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _scored_batches(folder: Path) -> Any:
    sides = {side: str(folder / f"{side}.parquet") for side in ("ref", "pred")}
    return batch_scoring.score_batches(
        str(folder / "gate.contract"), **sides, durations=4, batch_clips=3, out=folder / "run"
    ).vector


def batches(rng: Random) -> Input:
    """A run in batches that goes on with a damaged folder or reads damaged Parquet files, or these scored whole."""
    files = dict(_half_made())
    file = some(rng, sorted(file for file in files if not file.endswith(".contract")))
    content = files[file]
    files[file] = damaged_json(rng, json.loads(content)) if file.endswith(".json") else changed_bytes(rng, content)
    if rng.random() < 0.1:
        del files[file]

    whole = rng.random() < 0.3

    def call(folder: Path) -> Any:
        if whole:
            ref, pred = (folder / f"{side}.parquet" for side in ("ref", "pred"))
            return tracepact.score(folder / "gate.contract", ref, pred, durations=4).vector
        found = _scored_batches(folder)
        assert found == _vector() or not file.startswith("run.making"), "what was kept decided the result"
        return found

    return Input(files, call=call)


@cache
def _vector() -> Any:
    """What comes of the sides when nothing is kept of an earlier run."""
    with tempfile.TemporaryDirectory() as home:
        put(Path(home), {file: content for file, content in _half_made().items() if "/" not in file})
        return _scored_batches(Path(home))


@cache
def _lab_folder(kind: str) -> dict[str, bytes]:
    """The small files of a folder of the lab, as far as the examples have it."""
    folder = _LAB / kind
    kept = (path for path in sorted(folder.rglob("*")) if path.suffix in (".json", ".csv", ".md", ".svg"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in kept if path.stat().st_size < 100_000}


def lab_folder(rng: Random) -> Input:
    """A folder of results of the lab with a damaged file, verified."""
    from tracelab.commands import verified

    files = dict(_lab_folder(some(rng, _FOLDERS)))
    records = sorted(file for file in files if file.endswith(".json") and "/" not in file)
    file = some(rng, records if rng.random() < 0.8 else sorted(files))
    content = files[file]
    files[file] = damaged_json(rng, json.loads(content)) if file.endswith(".json") else damaged(rng, content.decode())
    return Input({**files, "runs/.kept": b""}, call=lambda folder: verified(folder).drifts)
