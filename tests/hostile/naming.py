"""Files of every kind that name, or are, what nobody may be made to open; read as the commands read them.

Run as `python -m hostile.naming KIND PORT` in a process of its own: it prints how every reading ended.
"""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache, partial
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from cli.command import events, run

from tracepact.diagnostics.collection import InvalidInput
from tracepact.files import json_text
from tracepact.runs.directory import Making
from tracepact.runs.manifest import digest, self_digest

CANARY = "canary 1f0e6a57"
"""What the file holds that lies outside every folder that is read; nobody may print it."""
TABLES = {"ref.tsv": events("a 1 2 x", "b 0.5 1 x"), "pred.tsv": events("a 1.06 2 x")}
SIDES = ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "5")
LAB = {
    "study.json": {"scale": "quick", "draws": 10, "complete": True},
    "probe.json": {"scale": "quick", "draws": 10, "complete": True},
    "corpus.json": {"title": "t", "order": []},
    "grid.json": {"table_sha256": "", "speech": ""},
}
"""The records of folders of the lab, without the files that they name."""
ESC = "filename,fold,target,category,esc10,src_file,take\n"
Case = tuple[str, Callable[[], Any]]


def places(home: Path, port: int) -> dict[str, str]:
    """What a stranger's file may name, by what it is."""
    (home / "outside.txt").write_text(f"{CANARY}\t0\t1\tx\n", encoding="utf-8")
    os.mkfifo(home / "pipe")
    return {
        "device": "/dev/zero",
        "pipe": str(home / "pipe"),
        "address": f"ftp://127.0.0.1:{port}/x.parquet",
        "store": f"webhdfs://127.0.0.1:{port}/x.parquet",
        "chain": f"simplecache::ftp://127.0.0.1:{port}/x.parquet",
        "root": "/",
        "above": "../outside.txt",
        "file": str(home / "outside.txt"),
        "package": "spec/../../../../../../../../../../../../etc/passwd",
    }


def changed(folder: Path, name: str, change: Callable[[dict[str, Any]], Any]) -> None:
    """A JSON file of a folder with a change; a manifest is sealed again, and knows what its files are."""
    data = json.loads((folder / name).read_text(encoding="utf-8"))
    change(data)
    if "sha256" in data:
        for item in data.get("files", []):
            if (folder / str(item["name"])).is_file() and item["name"] == os.path.basename(item["name"]):
                item["sha256"], item["bytes"] = _sum(folder / item["name"]), (folder / item["name"]).stat().st_size
        data["sha256"] = self_digest(data)
    (folder / name).unlink()
    (folder / name).write_text(json_text(data), encoding="utf-8")


def _sum(path: Path) -> str:
    return digest(path.read_bytes()) if path.stat().st_size < 1 << 20 else ""


def instead(path: Path, place: str) -> None:
    """Something else in the place of a file: a pipe, or a link."""
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    if place.endswith("/pipe"):
        os.mkfifo(path)
    else:
        path.symlink_to(place)


LINKS = ("device", "pipe", "root", "file")
"""What a file of a folder may be in place of a plain file."""


@cache
def made(kind: str) -> Path:
    """A folder with the tables, and what the program made of them."""
    home = Path(tempfile.mkdtemp(prefix="hostile-made-"))
    for name, text in TABLES.items():
        (home / name).write_text(text, encoding="utf-8")
    commands = {
        "run": [("score", "boundary_gate", *SIDES, "--out", "run")],
        "batches": [("score", "boundary_gate", *SIDES, "--out", "run", "--engine", "local", "--page")],
        "league": [
            ("score", "boundary_gate", *SIDES, "--out", "run"),
            ("score", "boundary_gate", "--ref", "ref.tsv", "--pred", "ref.tsv", "--durations", "5", "--out", "other"),
            ("league", "run", "other", "--out", "league"),
        ],
        "views": [("score", "boundary_gate", *SIDES, "--out", "run"), ("report", "run", "--out", "views")],
        "none": [],
    }
    for command in commands[kind]:
        outcome = run(*command, folder=home)
        assert outcome.code == 0, outcome.err
    return home


def commanded(*arguments: str) -> tuple[int, str]:
    """How a command ended, and all that it printed."""
    outcome = run(*arguments)
    return outcome.code, outcome.out + outcome.err


def called(call: Callable[[], Any]) -> tuple[int, str]:
    """How a function ended, as a command would."""
    try:
        return 0, repr(call())
    except InvalidInput as error:
        return 2, " ".join(f"{one.headline} {one.help}" for one in error.diagnostics)
    except OSError as error:
        return 2, str(error)


def tracelab(*arguments: str) -> tuple[int, str]:
    """How a command of the lab ended, and all that it printed."""
    from tracelab.commands import run as lab

    out = StringIO()
    with patch.object(sys, "argv", ["tracelab", *arguments]), redirect_stdout(out), redirect_stderr(out):
        try:
            lab()
        except SystemExit as ended:
            return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def _inputs(place: str, data: dict[str, Any]) -> None:
    data["inputs"] = [{"role": role, "name": place, "sha256": "0" * 64} for role in ("reference", "prediction")]


def run_manifest(named: Mapping[str, str]) -> Iterator[Case]:
    """What a run says that it was made from."""
    for what, place in named.items():
        changed(Path("run"), "manifest.json", partial(_inputs, place))
        Path("data").mkdir(exist_ok=True)
        for more in ((), ("--originals", "data"), ("--complete", "--format", "json")):
            yield f"{what} {more}", partial(commanded, "verify", "run", *more)
    for what in LINKS:
        instead(Path("data/ref.tsv"), named[what])
        changed(Path("run"), "manifest.json", partial(_inputs, "ref.tsv"))
        yield f"{what} among the originals", partial(commanded, "verify", "run", "--originals", "data")


def run_files(named: Mapping[str, str]) -> Iterator[Case]:
    """Files of a run directory that are none."""
    for name in ("report.json", "reference.tsv", "scores.csv", "matches.csv", "source.contract", "manifest.json"):
        for what in LINKS:
            shutil.rmtree("run")
            shutil.copytree(made("run") / "run", "run")
            instead(Path("run", name), named[what])
            for arguments in (("verify", "run"), ("report", "run", "--format", "text"), ("profile", "run")):
                yield f"{name} {what} {arguments}", partial(commanded, *arguments)
            if name == "report.json":
                yield f"{name} {what} compare", partial(commanded, "compare", "run/report.json", "run/report.json")
            yield f"{name} {what} score", partial(commanded, "score", "boundary_gate", *SIDES, "--out", "run")


def batches_manifest(named: Mapping[str, str]) -> Iterator[Case]:
    """What a run in batches says that it was made from."""

    def settings(key: str, place: str, data: dict[str, Any]) -> None:
        data["settings"][key] = place

    def preparation(place: str, data: dict[str, Any]) -> None:
        data["settings"]["preparation"]["label_map"] = place

    def listed(place: str, data: dict[str, Any]) -> None:
        data["files"][0]["name"] = place

    for what, place in named.items():
        changes = partial(_inputs, place), partial(settings, "durations", place), partial(preparation, place)
        for number, change in enumerate((*changes, partial(listed, place))):
            shutil.rmtree("run")
            shutil.copytree(made("batches") / "run", "run")
            changed(Path("run"), "manifest.json", change)
            yield f"{what} {number}", partial(commanded, "verify", "run", "--originals", ".")
    for name in ("report.json", "scores.parquet", "page.json", "source.contract", "manifest.json"):
        for what in LINKS:
            shutil.rmtree("run")
            shutil.copytree(made("batches") / "run", "run")
            instead(Path("run", name), named[what])
            yield f"{name} {what} verify", partial(commanded, "verify", "run", "--originals", ".")
            yield f"{name} {what} report", partial(commanded, "report", "run", "--format", "text")


def run_in_the_making(named: Mapping[str, str]) -> Iterator[Case]:
    """Parts that the record of a finished batch names."""
    for what, place in named.items():
        head = {"key": "k", "sha256": digest(b""), "parts": {place: "0" * 64}}
        Path("run.making").mkdir(exist_ok=True)
        Path("run.making/batch-000000.record").write_text(json.dumps(head) + "\n", encoding="utf-8")
        yield what, partial(called, partial(Making("run.making", "k", False).finished, 0))
    for what in LINKS:
        instead(Path("run.making/batch-000000.record"), named[what])
        yield f"record {what}", partial(called, partial(Making("run.making", "k", False).finished, 0))
        instead(Path("run.making/key.json"), named[what])
        yield f"key {what}", partial(commanded, "score", "boundary_gate", *SIDES, "--out", "run", "--engine", "local")


def league_folder(named: Mapping[str, str]) -> Iterator[Case]:
    """A league that names, or holds, something else than its files."""

    def listed(place: str, data: dict[str, Any]) -> None:
        data["systems"][0] = data["files"][-1]["name"] = place

    def again() -> None:
        shutil.rmtree("league")
        shutil.copytree(made("league") / "league", "league")

    names = [path.name for path in (made("league") / "league").iterdir()]
    for what, place in named.items():
        again()
        changed(Path("league"), "manifest.json", partial(listed, place))
        yield what, partial(commanded, "league", "league", "--rank-by", "onset")
    for name in ("base.json", "manifest.json", next(one for one in names if one.startswith("system-"))):
        for what in LINKS:
            again()
            instead(Path("league", name), named[what])
            yield f"{name} {what}", partial(commanded, "league", "league", "--rank-by", "onset")


def calibration_set(named: Mapping[str, str]) -> Iterator[Case]:
    """A calibration set names tables."""
    text = (
        'calibration = "x"\nstep = "20ms"\ndurations = {durations}\ncases = [\n'
        '  {{name = "a", rank = 1, edit = "late_onset", by = "100ms"}},\n'
        '  {{name = "b", rank = 2, ref = {ref}, pred = {ref}, clip = "a", duration = "6s"}},\n]\n'
        '[reference.r]\nduration = "6s"\nevents = [["1s", "2s"]]\n'
    )
    links = {f"link {what}": f"link-{what}.tsv" for what in LINKS}
    for what in LINKS:
        instead(Path(f"link-{what}.tsv"), named[what])
    for what, place in {**named, **links}.items():
        quoted = json.dumps(place)
        Path("x.calibration").write_text(text.format(ref=quoted, durations='""'), encoding="utf-8")
        yield f"{what} table", partial(commanded, "select", "x.calibration")
        Path("x.calibration").write_text(text.format(ref='"ref.tsv"', durations=quoted), encoding="utf-8")
        yield f"{what} durations", partial(commanded, "select", "x.calibration")


def single_files(named: Mapping[str, str]) -> Iterator[Case]:
    """Conformance results, judgements that are continued, claims and certificates, where they are no plain files."""
    from tracepact.prove.certificates import NotACertificate, is_order_certificate
    from tracepact.prove.certificates import _text as certificate_text
    from tracepact.prove.core import is_vector_certificate
    from tracepact.selection.files import read_claim
    from tracepact.selection.interview import _text as judgements_text

    def certificate(path: Path) -> Any:
        try:
            return certificate_text(path)
        except NotACertificate as error:
            return str(error)

    for what in LINKS:
        instead(Path("folder/file"), named[what])
        yield f"result {what}", partial(commanded, "conformance", "folder/file")
        for reader in (read_claim, judgements_text, certificate, is_order_certificate, is_vector_certificate):
            yield f"{reader.__name__} {what}", partial(called, partial(reader, Path("folder/file")))


def folder_of_results(named: Mapping[str, str]) -> Iterator[Case]:
    """A folder that a command writes again, whose listing names what it does not hold."""
    for what, place in named.items():
        listing = {"format": "tracepact-folder/1", "command": "report", "files": ["report.txt", place]}
        Path("views/.tracepact.json").unlink()
        Path("views/.tracepact.json").write_text(json.dumps(listing), encoding="utf-8")
        for name in listing["files"][:1]:
            Path("views", name).write_text("old", encoding="utf-8")
        yield what, partial(commanded, "report", "run", "--out", "views")
        shutil.rmtree("views")
        shutil.copytree(made("views") / "views", "views")
    for what in LINKS:
        instead(Path("views/.tracepact.json"), named[what])
        yield f"listing {what}", partial(commanded, "report", "run", "--out", "views")


def small_files(named: Mapping[str, str]) -> Iterator[Case]:
    """Decodings and column maps have no places in them: what looks like one is a name, or is refused."""
    for what, place in named.items():
        quoted = json.dumps(place)
        Path("d.toml").write_text(f'format = "tracepact-decoding/1"\nthreshold = {quoted}\n', encoding="utf-8")
        yield f"decoding {what}", partial(commanded, "score", "boundary_gate", *SIDES, "--decoding", "d.toml")
        Path("c.columns.toml").write_text(f"onset = {quoted}\nclip = {quoted}\n", encoding="utf-8")
        yield f"columns {what}", partial(commanded, "score", "boundary_gate", *SIDES, "--columns", "c.columns.toml")


def lab_records(named: Mapping[str, str]) -> Iterator[Case]:
    """Records of folders of the lab, the files they name, and files of theirs that are none."""
    for record, data in LAB.items():
        for what, place in named.items():
            shutil.rmtree("lab", ignore_errors=True)
            Path("lab/runs").mkdir(parents=True)
            Path("lab", record).write_text(json.dumps({**data, "files": {place: "0" * 64}}), encoding="utf-8")
            yield f"{record} {what}", partial(tracelab, "verify", "lab")
        for what in LINKS:
            shutil.rmtree("lab", ignore_errors=True)
            Path("lab/runs").mkdir(parents=True)
            Path("lab", record).write_text(json.dumps({**data, "files": {"rows/a.csv": ""}}), encoding="utf-8")
            instead(Path("lab/rows/a.csv"), named[what])
            yield f"{record} rows {what}", partial(tracelab, "verify", "lab")
            instead(Path("lab", record), named[what])
            yield f"{record} itself {what}", partial(tracelab, "verify", "lab")
    for what in LINKS:
        for name in ("corruptions.json", "results_clean.json", "manifest.json"):
            shutil.rmtree("lab", ignore_errors=True)
            Path("lab").mkdir()
            for one in ("corruptions.json", "results_clean.json", "manifest.json"):
                Path("lab", one).write_text("{}", encoding="utf-8")
            instead(Path("lab", name), named[what])
            yield f"robustness {name} {what}", partial(tracelab, "verify", "lab")


def lab_inputs(named: Mapping[str, str]) -> Iterator[Case]:
    """Registries and corpora of the lab name weights and sounds; stages name their files."""
    from tracelab.probe.registry import missing, read_registry
    from tracelab.robustness.datasets import open_corpus
    from tracelab.stages import claim, whole

    def weights() -> Any:
        registry = read_registry(Path("registry.toml"))
        return [str(missing(entry, Path("cache"))) for entry in registry.encoder]

    for what, place in named.items():
        quoted = json.dumps(place)
        for key in ("folder", "files", "file"):
            value = f"[{quoted}]" if key == "files" else quoted
            more = 'folder = "f"\n' if key == "files" else 'package = "numpy"\n' if key == "file" else ""
            text = (
                '[[encoder]]\nname = "e"\nfamily = "f"\nrate = 16000\nhop = "0.02"\nidentifier = "i"\nlicence = "l"\n'
                f'load = "beats"\ndims = 3\n{more}{key} = {value}\n'
            )
            Path("registry.toml").write_text(text, encoding="utf-8")
            yield f"registry {key} {what}", partial(called, weights)
        Path("esc/meta").mkdir(parents=True, exist_ok=True)
        Path("esc/audio").mkdir(exist_ok=True)
        Path("esc/meta/esc50.csv").write_text(f"{ESC}{place},1,0,dog,True,1,A\n", encoding="utf-8")
        yield f"corpus {what}", partial(called, partial(open_corpus, Path("esc")))
        Path("stage").mkdir(exist_ok=True)
        Path("stage/stage.json").write_text(json.dumps({"files": {place: ""}}), encoding="utf-8")
        yield f"stage {what}", partial(called, partial(whole, Path("stage")))
    for what in LINKS:
        instead(Path("esc/audio/a.wav"), named[what])
        Path("esc/meta/esc50.csv").write_text(f"{ESC}a.wav,1,0,dog,True,1,A\n", encoding="utf-8")
        yield f"sound {what}", partial(called, partial(open_corpus, Path("esc")))
        instead(Path("stage/stage.json"), named[what])
        yield f"stage itself {what}", partial(called, partial(whole, Path("stage")))
        instead(Path("stage/settings.json"), named[what])
        yield f"settings {what}", partial(called, partial(claim, Path("stage"), {}, "study"))


KINDS: dict[str, tuple[str, Callable[[Mapping[str, str]], Iterator[Case]]]] = {
    "batches": ("batches", batches_manifest),
    "calibration set": ("none", calibration_set),
    "folder of results": ("views", folder_of_results),
    "lab folder": ("none", lab_records),
    "lab input": ("none", lab_inputs),
    "league": ("league", league_folder),
    "making": ("none", run_in_the_making),
    "run files": ("run", run_files),
    "run manifest": ("run", run_manifest),
    "single file": ("none", single_files),
    "small file": ("none", small_files),
}


def main(kind: str, port: str) -> None:
    """Read every hostile file of a kind; a line says before what is read, and after how it ended."""
    start, cases = KINDS[kind]
    with tempfile.TemporaryDirectory(prefix="hostile-named-") as home:
        named = places(Path(home), int(port))
        place = shutil.copytree(made(start), Path(home) / "here")
        with chdir(place):
            for name, act in cases(named):
                print(f"{kind}: {name}", flush=True)
                code, said = act()
                print(f"  ended with {code}", flush=True)
                if CANARY in said or "root:x:" in said:
                    print("  CANARY", flush=True)
                if "Traceback" in said or code not in range(4):
                    print(f"  FAULT {said[-2000:]}", flush=True)
    shutil.rmtree(made(start), ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
