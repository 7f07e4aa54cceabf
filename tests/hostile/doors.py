"""A generator for every way into the program: formats, contracts, stored files, states, protocol, command lines."""

import json
import shutil
import tempfile
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import formats
from cli.command import events, run
from io_samples import SAMPLES

import tracepact
from hostile.forging import sign
from hostile.harness import Door, Input
from hostile.served import batches, editor, lab_folder, workbench
from hostile.tasks import audits, batched_run, calibrated, conformance, judgements, thresholds
from hostile.values import (
    as_bytes,
    changed_bytes,
    changed_text,
    damaged,
    damaged_data,
    damaged_json,
    data,
    name,
    number,
    scaled_times,
    some,
)
from tracepact.conform.oracle import Session
from tracepact.data.decoding import read_decoding
from tracepact.data.formats import read_events
from tracepact.data.labels import label_map_from
from tracepact.data.memory import durations_from, regions_from
from tracepact.data.readings import Reading, columns_from
from tracepact.diagnostics.collection import Diagnostics
from tracepact.prove.certificates import NotACertificate, read_certificates
from tracepact.selection.calibration import CalibrationCase
from tracepact.selection.calibration_reader import load_calibration
from tracepact.selection.judgements import CaseNames, read_preferences
from tracepact.stream import StreamMonitor, restore_state, save_state

GATE = "contract gate\nstep 20ms\nclause onset on ref_onset : ref_onset -> N[40ms] pred_onset\n"
MORE = """contract more "t"
step 20ms
param tol = 40ms
merge_gap 20ms
matcher greedy(search = 200ms, overlap_reward = 0.5)
clause onset on ref_onset : ref_onset -> N[tol] pred_onset
clause stay on ref_active : (ref_active -> pred_active) U[3f] !ref_active
clause length on each matched : abs(pred.duration - ref.duration) <= 0.25 * ref.duration
clause whole on each ref : matched and covering <= 1
profile harm : onset = 1, whole = 2
"""
REF = events("a 1 2 x", "a 3 4.5 y", "b 0.5 1 x")
PRED = events("a 1.06 2 x", "a 3 4 y", "b 0.5 0.7 x", "b 0.8 1 x")
LENGTHS = "filename\tduration\na\t10\nb\t5\n"
LABELS = 'other = "drop"\n[rename]\nx = "z"\n[classes]\nz = ["x", "y"]\n'
DECODING = """format = "tracepact-decoding/1"
[default]
threshold = 0.5
median = 3
[classes.dog]
threshold = 0.7
low = 0.3
"""
COLUMNS = 'onset = "Starttime"\noffset = "Endtime"\nclip = "Audiofilename"\nlabel = "Q_1"\nrate = 1000\n'
YAML = """submission:
  label: l
  name: n
  abbreviation: a
  authors:
    - {lastname: x, firstname: y, email: e, affiliation: f}
system:
  description: {}
"""
PAIR = {
    "clips": [
        {"name": "a", "duration": 10, "ref": [[1, 2, "x"]], "pred": [[1, "2.5", "x"]], "ignore": [[3, 4]]},
        {"name": "b", "duration": "5", "ref": [], "pred": []},
    ]
}
CASES: tuple[dict[str, Any], ...] = (
    {"ask": "verdicts", "formula": ["F", 0, 1, "p"], "clips": [{"frames": 3, "masks": {"p": "001"}}]},
    {
        "ask": "clause",
        "obligation": "p",
        "formula": ["U", 2, "p", "q"],
        "clips": [{"frames": 2, "masks": {"p": "11", "q": "01"}, "ignored": "10"}],
    },
    {"ask": "formula", "text": "N[40ms] p & !q", "step": "0.02"},
    {"ask": "contract", "text": MORE},
    {"ask": "measure", "formula": ["G", -3, 2, ["S", 4, "p", "q"]]},
    {"ask": "project", "step": "0.02", "duration": "1", "projection": "centre", "events": [["0.1", "0.5"]]},
    {"ask": "runs", "mask": "0110100", "step": "1/50", "merge_gap": "0.02"},
    {
        "ask": "match",
        "ref": [[1, 3]],
        "pred": [[2, 4]],
        "step": "0.02",
        "matcher": {"kind": "greedy", "search": "0.2", "overlap_reward": "1/2"},
    },
    {
        "ask": "events",
        "each": "ref",
        "predicate": "matched",
        "frames": 9,
        "ref": [[1, 3]],
        "pred": [[2, 4]],
        "step": "0.02",
    },
    {"ask": "aggregate", "kind": "frame", "entries": [[{"satisfied": 1, "obligated": 2}]]},
    {"ask": "components", "ref": "0110", "pred": "0011", "merge_gap": "0", "search": "0.04", "step": "0.02"},
    {"ask": "lines", "text": "1 0\n0 1\n"},
    {
        "ask": "score",
        "contract": GATE,
        "clips": [{"name": "a", "duration": "1", "ref": [["0.1", "0.5", "x"]], "pred": []}],
    },
    {"ask": "open", "clauses": [{"obligation": True, "formula": ["F", 0, 1, "p"]}], "want": ["out", "counts"]},
    {"ask": "frame", "values": {"p": True}},
    {"ask": "chunk", "frames": 3, "masks": {"p": "010"}},
    {"ask": "interrupt"},
    {"ask": "close"},
    {"hello": "tracepact", "version": 1, "profiles": ["core"]},
)
LINES = (
    "1 0",
    '{"ref": 1, "pred": 0}',
    '{"ref": [1, 0], "pred": [0, 0]}',
    '{"end": "stream"}',
    '{"ref": 1, "pred": 1, "ignore": 1}',
    "# x",
    "",
)
STEPS: tuple[Any, ...] = (Fraction(1, 50), Fraction(1, 3), 1, Fraction(1, 10**30), 10**30, "20ms", 0.02, None)
FORMULAS = ("N[40ms] p & !q", "p U[3f] q", "G[-2f,3f] (p -> F[0f,1s] q)", "p <-> q S[2f] p", "true")


@cache
def stored(kind: str) -> dict[str, bytes]:
    """The files of a run directory, a league directory, a state or certificates, made once by the program itself."""
    home = Path(tempfile.mkdtemp(prefix="hostile-stored-"))
    try:
        if kind == "state":
            monitor = StreamMonitor(
                tracepact.parse_contract(MORE), streams=("s", "t"), classes=("x", "y"), ignoring=True
            )
            for n in range(12):
                monitor.push({"ref_active": [n % 3 > 0] * 4, "pred_active": [n % 4 > 1] * 4})
            return {"state.json": json.dumps(save_state(monitor)).encode()}
        files = {"more.contract": MORE, "ref.tsv": REF, "pred.tsv": PRED, "lengths.tsv": LENGTHS}
        for file, text in files.items():
            (home / file).write_text(text)
        sides = ("--ref", "ref.tsv", "--durations", "lengths.tsv")
        for run_name, pred in (("run", "pred.tsv"), ("other", "ref.tsv")):
            found = run("score", "more.contract", *sides, "--pred", pred, "--out", run_name, folder=home)
            assert found.code == 0, found.err
        if kind == "league":
            found = run("league", "run", "other", "--out", "league", folder=home)
            assert found.code == 0, found.err
        if kind == "certificate":
            from tracepact.prove.core import cases_of, certificates_of

            card = tracepact.load_run(home / "run").card
            return {
                f"Certificate{n}.lean": c.text.encode() for n, c in enumerate(certificates_of(card, cases_of(card)))
            }
        folder = home / kind
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _checked(found: Diagnostics, value: Any) -> Any:
    """A value, or a refusal if there are errors, as the commands do it."""
    found.raise_errors()
    return value


def reading(rng: Random) -> Input:
    """A file of a format, damaged, alone or in a folder."""
    format = some(rng, sorted(SAMPLES))
    file, text = SAMPLES[format]
    content = damaged(rng, text)
    how = Reading(
        rng.choice([None, format]), decoding=rng.choice([None, "0.5"]), rate=rng.choice([None, "16000", number(rng)])
    )
    place = rng.choice([f"f/{file}", "f"])
    as_regions = rng.random() < 0.2

    def call(folder: Path) -> Any:
        found = Diagnostics()
        table = read_events(folder / place, found, how)
        if as_regions:
            regions_from(folder / place, found)
        return _checked(found, [(clip, e.onset, e.offset, e.label) for clip, e in table.events][:50])

    return Input({f"f/{file}": content}, call=call)


def small_files(rng: Random) -> Input:
    """Durations, label maps, decodings, column maps, damaged."""
    kind = rng.randrange(4)
    text = (LENGTHS, LABELS, DECODING, COLUMNS)[kind]
    content = damaged(rng, text)
    if rng.random() < 0.02:
        content = b"a = " + b"[" * 100_000 if rng.random() < 0.5 else b".".join([b"a"] * 5000) + b" = 1\n"
    readers: tuple[Callable[[Path, Diagnostics], Any], ...] = (
        durations_from,
        label_map_from,
        read_decoding,
        lambda path, found: columns_from(path, found),
    )
    file = ("d.tsv", "m.toml", "d.toml", "c.columns.toml")[kind]

    def call(folder: Path) -> Any:
        found = Diagnostics()
        return _checked(found, readers[kind](folder / file, found))

    return Input({file: content}, call=call)


def contract(rng: Random) -> Input:
    """A contract with changed text, as the library reads it."""
    text = changed_text(rng, some(rng, (GATE, MORE)))
    if rng.random() < 0.02:
        text = f'contract a "{rng.choice(["", chr(92)]) + chr(34) * 3000}"\nstep 20ms\n'
    return Input(call=lambda folder: tracepact.parse_contract(text).digest)


def formula(rng: Random) -> Input:
    """A formula with changed text."""
    text = changed_text(rng, some(rng, FORMULAS))
    step = some(rng, STEPS)
    return Input(call=lambda folder: tracepact.parse_formula(text, step))


def question(rng: Random) -> Input:
    """A question about formulas, with bounds of all sizes."""
    bounds = [rng.choice(["0f", "1f", "40ms", "1s", "100000f", "1000000000s", f"{number(rng)}s"]) for _ in range(2)]
    one, other = (
        text.replace("40ms", bounds[0]).replace("3f", bounds[1]) for text in (some(rng, FORMULAS), some(rng, FORMULAS))
    )
    asked = some(rng, (("sat", one), ("implies", one, other), ("equivalent", one, other), ("simplify", one)))
    return Input(arguments=(*(word.replace("\0", "") for word in asked), "--timeout", "1"))


def protocol(rng: Random) -> Input:
    """Lines of the oracle protocol, some of them damaged."""
    lines = []
    for _ in range(rng.randrange(1, 4)):
        case = {"id": rng.randrange(9), **some(rng, CASES)}
        damage = damaged_json(rng, case) if rng.random() < 0.8 else json.dumps(case).encode()
        lines.append(damage.decode("utf-8", "replace").replace("\n", " "))

    def call(folder: Path) -> Any:
        session = Session()
        return [json.dumps(session.reply(line)) for line in lines if line.strip()]

    return Input(call=call)


def state(rng: Random) -> Input:
    """The saved state of a stream, damaged, resumed and used."""
    whole = damaged_data(rng, json.loads(stored("state")["state.json"]))

    def call(folder: Path) -> Any:
        monitor = restore_state(tracepact.parse_contract(MORE), whole if isinstance(whole, dict) else {})
        for _ in range(3):
            monitor.push({"ref_active": [True] * 4, "pred_active": [False] * 4})
        monitor.close()
        return [(c.name, monitor.counts(c.name).satisfied.tolist()) for c in monitor.contract.clauses]

    return Input(call=call)


def stream_lines(rng: Random) -> Input:
    """Lines of `watch`, some of them damaged."""
    lines = [
        changed_text(rng, line) if rng.random() < 0.4 else line for line in rng.choices(LINES, k=rng.randrange(1, 8))
    ]
    content = as_bytes("\n".join(lines))
    content = changed_bytes(rng, content) if rng.random() < 0.2 else content
    options = rng.choice(
        [(), ("--format", "json"), ("--on-bad", "skip"), ("--stream", "a", "--stream", "b", "--ignoring")]
    )
    return Input({"c.contract": GATE.encode()}, ("watch", "c.contract", *options), content)


def _stored_door(kind: str, commands: tuple[tuple[str, ...], ...]) -> Door:
    def door(rng: Random) -> Input:
        files = dict(stored(kind))
        file = some(rng, sorted(files))
        content = files[file]
        text = content.decode("utf-8", "replace")
        files[file] = damaged_json(rng, json.loads(content)) if file.endswith(".json") else damaged(rng, text)
        if file.endswith(".npz"):
            files[file] = changed_bytes(rng, content)
        if rng.random() < 0.7:
            sign(files)
        if rng.random() < 0.05:
            del files[file]
        return Input({f"{kind}/{each}": found for each, found in files.items()}, some(rng, commands))

    return door


def certificate(rng: Random) -> Input:
    """The files of a certificate, damaged."""
    files = {Path(file): content for file, content in stored("certificate").items()}
    file = some(rng, sorted(files))
    files[file] = damaged(rng, files[file].decode())

    def call(folder: Path) -> Any:
        try:
            return read_certificates(
                {path: content.decode("utf-8", "replace") for path, content in files.items()}
            ).segments
        except NotACertificate as refused:
            return str(refused)

    return Input(call=call)


@cache
def _calibration() -> str:
    return tracepact.spec_path("calibration/boundary_gate.calibration").read_text(encoding="utf-8")


def calibration(rng: Random) -> Input:
    """A calibration set, damaged."""
    content = damaged(rng, _calibration())
    return Input({"m.calibration": content}, call=lambda folder: load_calibration(folder / "m.calibration").name)


@cache
def _cases() -> tuple[CalibrationCase, ...]:
    return load_calibration("boundary_gate").cases


def preferences(rng: Random) -> Input:
    """A table of judgements, damaged."""
    cases = _cases()
    rows = [
        (some(rng, cases).name, some(rng, cases).name, rng.choice(["a", "b", "same"]), number(rng)) for _ in range(3)
    ]
    text = "a\tb\tworse\tweight\n" + "".join("\t".join(row) + "\n" for row in rows)
    content = damaged(rng, text)
    names = CaseNames(cases)
    return Input({"p.tsv": content}, call=lambda folder: len(read_preferences(str(folder / "p.tsv"), names).rows))


def scored(rng: Random) -> Input:
    """Tables through a whole command."""
    files = {
        "c.contract": some(rng, (GATE, MORE)),
        "ref.tsv": REF,
        "pred.tsv": PRED,
        "d.tsv": LENGTHS,
        "m.toml": LABELS,
    }
    if rng.random() < 0.3:
        scale = some(rng, ("1e-25", "1e-18", "123e-15", "1e5", "1e9"))
        files |= {file: scaled_times(files[file], scale) for file in ("ref.tsv", "pred.tsv", "d.tsv")}
        files["c.contract"] = files["c.contract"].replace("step 20ms", f"step {Decimal('0.02') * Decimal(scale):f}s")
    found = {file: text.encode() for file, text in files.items()}
    file = some(rng, ("ref.tsv", "pred.tsv", "d.tsv", "m.toml", "c.contract"))
    found[file] = damaged(rng, files[file])
    sides = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", rng.choice(["d.tsv", "d.tsv", number(rng)]))
    command = some(
        rng,
        (
            ("score", "c.contract", *sides, "--full"),
            ("score", "c.contract", *sides, "--format", rng.choice(["csv", "json"])),
            ("score", "c.contract", *sides, "--label-map", "m.toml", "--union"),
            ("metrics", *sides),
            ("lint-data", *sides),
            ("lint-data", *sides, "--fix", "--out", "fixed"),
            ("convert", "pred.tsv", "--to", rng.choice(["table", "audacity", "textgrid"]), "--out", "out"),
            ("try", "c.contract", "--ref", "ref.tsv", "--durations", "d.tsv", "--format", "csv"),
        ),
    )
    return Input(found, command)


def pair(rng: Random) -> Input:
    """A document with both sides, damaged."""
    return Input(
        {"p.json": damaged_json(rng, PAIR), "c.contract": GATE.encode()},
        ("score", "c.contract", "--pair", "p.json"),
    )


def submission(rng: Random) -> Input:
    """A submission with its metadata, damaged."""
    content = damaged(rng, YAML)
    if rng.random() < 0.05:
        content = rng.choice([b"[" * 5000, b"? [1, 2]\n: 3\n", b'a: "\\UFFFFFFFF"\n', b"a: &a [*a]\n"])
    return Input(
        {"s.csv": damaged(rng, formats.BIODCASE), "m.yaml": content},
        ("metrics", "--pred", "s.csv", "--submission", "m.yaml"),
    )


WORDS = [
    "score",
    "metrics",
    "check",
    "explain",
    "fmt",
    "watch",
    "verify",
    "report",
    "audit",
    "tolerance",
    "matcher",
    "compare",
    "profile",
    "league",
    "select",
    "basis",
    "convert",
    "lint-data",
    "sat",
    "implies",
    "equivalent",
    "simplify",
    "export",
    "show",
    "help",
    "new",
    "try",
    "oracle",
    "--ref",
    "--pred",
    "--durations",
    "--out",
    "--format",
    "json",
    "csv",
    "text",
    "--set",
    "tol=1",
    "--strict",
    "--timeout",
    "--json",
    "--limit",
    "frames=1",
    "frames=x",
    "boundary_gate",
    "c.contract",
    "run",
    "ref.tsv",
    "pred.tsv",
    "--to",
    "audacity",
    "--from",
    "table",
    "--columns",
    "onset=1",
    "--median",
    "3",
    "--threshold",
    "0.5",
    "--hysteresis",
    "0.3,0.6",
    "--label-map",
    "--ignore",
    "--clips",
    "--conditions",
    "--quantity",
    "--seed",
    "--page",
    "--step",
    "20ms",
]


WHOLE = (
    "score c.contract --ref ref.tsv --pred pred.tsv --durations 10",
    "metrics --ref ref.tsv --pred pred.tsv --durations 10 --format csv",
    "lint-data --ref ref.tsv --pred pred.tsv",
    "check c.contract --format json",
    "explain c.contract",
    "fmt c.contract --check",
    "verify run",
    "report run --format markdown",
    "audit matcher run --format csv",
    "audit tolerance run --parameter tol --high 100ms",
    "compare run run",
    "profile run",
    "convert ref.tsv --to textgrid --out out",
    "export c.contract --to rtamt",
    "sat p&!q",
    "show boundary_gate",
    "help unknown-atom",
    "new fresh --starter boundary_gate",
    "watch c.contract --format json",
    "simplify p&p",
)


def command_line(rng: Random) -> Input:
    """A whole command line with words changed, added or left out, or one of words that do not belong together."""
    words = some(rng, WHOLE).split() if rng.random() < 0.8 else [some(rng, WORDS) for _ in range(rng.randrange(1, 7))]
    for _ in range(rng.randrange(3)):
        at = rng.randrange(len(words) + 1)
        new = [rng.choice([name(rng), number(rng), some(rng, WORDS)])]
        words[at : at + rng.randrange(2)] = new if rng.random() < 0.8 else []
    words = [word.replace("\0", "") for word in words if word not in _LEFT_OUT]
    files = {"c.contract": GATE.encode(), "ref.tsv": REF.encode(), "pred.tsv": PRED.encode()}
    return Input({**files, **{f"run/{each}": found for each, found in stored("run").items()}}, tuple(words))


_LEFT_OUT = ("select", "basis", "demo", "judge", "play", "lsp", "prove", "certify")
"""Commands that serve, or that take seconds whatever they are given."""


def api(rng: Random) -> Input:
    """Values of other types through the public functions; TypeError is no answer to them."""
    value, other = data(rng), data(rng)
    calls: tuple[Callable[[Path], Any], ...] = (
        lambda folder: tracepact.parse_contract(value).name,
        lambda folder: tracepact.load_contract(value).name,
        lambda folder: tracepact.score("boundary_gate", value, other, durations=5).vector,
        lambda folder: tracepact.score("boundary_gate", [(1, 2)], [(1, 2)], durations=value).vector,
        lambda folder: tracepact.Decoding(value, other),
        lambda folder: tracepact.Reading(value),
    )
    return Input(call=some(rng, calls))


DOORS: dict[str, Door] = {
    "api": api,
    "audits": audits,
    "batched run": batched_run,
    "batches": batches,
    "calibrated": calibrated,
    "calibration": calibration,
    "certificate": certificate,
    "command line": command_line,
    "conformance": conformance,
    "contract": contract,
    "editor": editor,
    "formula": formula,
    "judgements": judgements,
    "lab folder": lab_folder,
    "league directory": _stored_door(
        "league", (("league", "league", "--remove", "other"), ("league", "league", "--rank-by", "onset"))
    ),
    "pair": pair,
    "preferences": preferences,
    "protocol": protocol,
    "question": question,
    "reading": reading,
    "run directory": _stored_door(
        "run",
        (
            ("verify", "run"),
            ("report", "run", "--format", "text"),
            ("verify", "run", "--format", "json"),
            ("profile", "run"),
        ),
    ),
    "scored": scored,
    "small files": small_files,
    "state": state,
    "stream lines": stream_lines,
    "submission": submission,
    "thresholds": thresholds,
    "workbench": workbench,
}
FAST = (
    "calibration",
    "certificate",
    "contract",
    "formula",
    "preferences",
    "protocol",
    "reading",
    "small files",
    "state",
)
"""The doors that take a millisecond or so; a large run goes through them more often."""
