"""Robustness runs through the commands: artefacts, digests, going on after a stop, verification, and bad input."""

import hashlib
import io
import json
import re
import resource
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import librosa
import numpy as np
import pypdf
import pytest
import soundfile
from jsonschema import Draft202012Validator
from lab.small_corpus import CLASSES, esc50, urbansound8k

import tracepact
from tracelab import commands
from tracelab.robustness import classifiers, command
from tracelab.robustness.classifiers import BUILT_IN, ClassifierTraining, CnnMelSmall, open_classifier
from tracelab.robustness.corruptions import GridCell, canonical, canonical_digest, cells, corrupt, mean_mfcc
from tracelab.robustness.datasets import LAYOUTS, open_corpus, read_example
from tracelab.robustness.evaluation import CorpusTask, questions
from tracelab.robustness.records import Manifest, Split
from tracelab.robustness.results import DRAWS, KIND
from tracelab.robustness.run import not_canonical, readings, run_all, write_results
from tracelab.robustness.verify import SEAL, check_run, write_verification
from tracelab.stages import StageListener

SEED = 20260514
SCHEMAS = {
    "results_clean.json": "robustness-clean",
    "results_corruptions.json": "robustness-corruptions",
    "calibration.json": "robustness-calibration",
    "per_class.json": "robustness-per-class",
    "explanation.json": "robustness-explanation",
    "manifest.json": "robustness-manifest",
    "verification_report.json": "robustness-verification",
    "corruptions.json": "corruptions",
}
OWN = '''
import numpy as np

def logits(samples, rate):
    """The class whose pitch is nearest to the strongest one."""
    spectrum = np.abs(np.fft.rfft(samples))
    hertz = np.argmax(spectrum) * rate / len(samples)
    return -np.abs(np.log2(max(hertz, 1.0) / np.array([250, 500, 1000])))

class Constant:
    def fit(self, clips, classes, rate, seed):
        counts = np.bincount([target for _, target in clips], minlength=classes)
        assert rate == 16000
        return lambda samples, rate: np.log(counts + 1.0) + np.arange(classes) * 1e-3

constant = Constant()

def broken(samples, rate):
    raise RuntimeError("out of order")

def narrow(samples, rate):
    return np.zeros(2)

def endless(samples, rate):
    return np.array([np.nan, 0, 0])
'''

Run = Callable[..., tuple[int, str]]


def run_command(capsys, monkeypatch, *arguments: object) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["tracelab", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        commands.run()
    said = capsys.readouterr()
    return int(left.value.code or 0), said.err + said.out


@pytest.fixture
def tracelab(monkeypatch, capsys) -> Run:
    """Run a command; its exit code and what it printed."""
    return lambda *arguments: run_command(capsys, monkeypatch, *arguments)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    return esc50(tmp_path_factory.mktemp("corpus") / "esc")


@pytest.fixture(scope="module")
def own(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("own") / "mine.py"
    place.write_text(OWN)
    return place


def task_of(corpus: Path, seed: int = SEED) -> CorpusTask:
    found = open_corpus(corpus)
    return CorpusTask(found, LAYOUTS[found.layout].rotation(1, None), canonical(), seed)


@pytest.fixture(scope="module")
def finished(corpus, own, tmp_path_factory) -> Path:
    """A run of every built-in classifier and two of a file, the network trained for two epochs."""
    folder = tmp_path_factory.mktemp("robustness") / "run"
    chosen = [BUILT_IN["lr_mfcc"], BUILT_IN["lr_mfcc_sound"], CnnMelSmall(epochs=2)]
    chosen += [open_classifier(f"{own}:logits"), open_classifier(f"{own}:constant")]
    run_all(folder, task_of(corpus), chosen)
    write_verification(folder)
    return folder


@pytest.fixture
def copied(finished, tmp_path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "copy", ignore=shutil.ignore_patterns("stages")))


def stored(folder: Path, name: str) -> dict:
    return json.loads((folder / name).read_text())


def test_every_artefact_fits_the_schema_of_the_spec(finished):
    for name, schema in SCHEMAS.items():
        text = tracepact.spec_path(f"schemas/{schema}.schema.json").read_text()
        Draft202012Validator(json.loads(text)).validate(stored(finished, name))
    assert stored(finished, "corruptions.json") == json.loads(
        tracepact.spec_path("corruptions/canonical_v1.json").read_text()
    )


def test_the_grid_has_every_family_and_severity_of_every_classifier(finished):
    models = stored(finished, "results_corruptions.json")["models"]
    assert [model["name"] for model in models] == ["lr_mfcc", "lr_mfcc_sound", "cnn_mel_small", "logits", "constant"]
    for model in models:
        assert [(cell["family"], cell["severity"]) for cell in model["cells"]] == [
            (cell.family, cell.severity) for cell in cells(canonical())
        ]
        values = [Fraction(cell["scores"]["accuracy"]["exact"]) for cell in model["cells"]]
        assert Fraction(model["mean_corruption_accuracy"]["exact"]) == sum(values) / 40


def test_figures_are_those_of_the_stored_logits(finished):
    results = {model["name"]: model for model in stored(finished, "results_clean.json")["models"]}
    by_class = {model["name"]: model["classes"] for model in stored(finished, "per_class.json")["models"]}
    for name, model in results.items():
        with np.load(finished / "logits" / f"{name}.npz") as arrays:
            right = arrays["test"].argmax(axis=1) == arrays["labels_test"]
            labels = arrays["labels_test"]
            worst = arrays["gaussian_snr-5"].argmax(axis=1) == labels
        assert model["correct"] == right.sum()
        assert model["scores"]["accuracy"]["value"] == pytest.approx(right.mean())
        assert [row["correct"] for row in by_class[name]] == [int(right[labels == k].sum()) for k in range(3)]
        assert [row["corrupted"]["gaussian_snr"][4] for row in by_class[name]] == [
            int(worst[labels == k].sum()) for k in range(3)
        ]


def test_a_classifier_that_looks_at_the_pitch_is_right_and_a_constant_one_is_not(finished):
    results = {model["name"]: model["scores"]["accuracy"] for model in stored(finished, "results_clean.json")["models"]}
    assert results["logits"]["exact"] == "1"
    assert results["constant"]["exact"] == "1/3"
    assert results["lr_mfcc_sound"]["value"] > 1 / 3
    models = {model["name"]: model for model in stored(finished, "results_corruptions.json")["models"]}
    assert models["constant"]["relative_degradation"]["exact"] == "0"
    families = {family["family"]: family for family in models["logits"]["families"]}
    assert families["gain"]["relative_degradation"]["exact"] == "0", "the pitch does not depend on the level"
    assert families["speed"]["mean_accuracy"]["value"] < 1, "and half an octave more is the next class"


def test_the_digests_of_the_manifest_are_those_of_clips_corrupted_alone(finished, corpus):
    digests = stored(finished, "manifest.json")["samples_sha256"]
    assert set(digests) == {asked.name for asked in questions(cells(canonical()))}
    for cell in (GridCell("gaussian_snr", 2), GridCell("speed", 5), GridCell("mulaw", 1)):
        total = hashlib.sha256()
        for example in reversed(list(reversed(open_corpus(corpus).of(1)))):
            heard = corrupt(read_example(example), cell, seed=SEED, index=example.index)
            total.update(heard.astype("<f4").tobytes())
        assert digests[cell.name] == total.hexdigest()


def test_the_index_of_a_clip_is_its_row(corpus):
    found = open_corpus(corpus)
    assert [example.index for example in found.examples] == list(range(30))
    assert found.classes == CLASSES
    assert {example.index for example in found.of(2)} == set(range(6, 12))


@pytest.mark.slow
def test_a_stopped_run_goes_on_with_two_workers_and_ends_the_same(corpus, tmp_path, finished):
    chosen = [BUILT_IN["lr_mfcc"], CnnMelSmall(epochs=2)]
    begun: list[str] = []
    left = [9]

    def advance() -> None:
        left[0] -= begun[-1] in ("training cnn_mel_small", "clips under every corruption")
        if not left[0]:
            raise KeyboardInterrupt

    folder = tmp_path / "stopped"
    for stop in (1, 5):  # after the first epoch, and among the cells
        left[0] = stop
        with pytest.raises(KeyboardInterrupt):
            run_all(
                folder, task_of(corpus), chosen, progress=StageListener(lambda name, parts: begun.append(name), advance)
            )
        assert not (folder / "manifest.json").exists()
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("stages/logits-*")}
    assert len(kept) >= 8
    run_all(folder, task_of(corpus), chosen, workers=2)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    for name in ("lr_mfcc", "cnn_mel_small"):
        with np.load(finished / "logits" / f"{name}.npz") as one, np.load(folder / "logits" / f"{name}.npz") as two:
            assert all(np.array_equal(one[key], two[key]) for key in one), "training went on as if never stopped"
    assert check_run(folder).verified


def test_mfccs_are_those_of_librosa():
    rng = np.random.default_rng(1)
    for samples in (2048, 16000):
        signal = rng.standard_normal(samples).astype(np.float32)
        wanted = librosa.feature.mfcc(y=signal, sr=16000, n_mfcc=40).mean(axis=1)
        assert mean_mfcc(signal) == pytest.approx(wanted, abs=1e-4)
        assert mean_mfcc(signal)[:20] == pytest.approx(
            librosa.feature.mfcc(y=signal, sr=16000, n_mfcc=20).mean(axis=1), abs=1e-4
        )
    assert np.isfinite(mean_mfcc(np.zeros(10, dtype=np.float32))).all()


def test_the_readings_change_one_choice_at_a_time(finished):
    trials = stored(finished, "explanation.json")["trials"]
    assert len(trials) == len(readings())
    tried = {(trial["coefficients"], trial["standardised"]) for trial in trials}
    assert tried == {(n, s) for n in (13, 20, 40) for s in (False, True)}
    for trial in trials:
        assert trial["converged"] == (trial["done"] < trial["iterations"])


def test_the_report_shows_every_table_on_the_page_and_in_the_pdf(finished):
    page = (finished / "report.html").read_text()
    pages = pypdf.PdfReader(io.BytesIO((finished / "report.pdf").read_bytes())).pages
    text = re.sub(r"\s+", " ", " ".join(one.extract_text() for one in pages))
    for title in ("Clean test clips", "Means over severities", "Recall by class", "LR-MFCC under other readings"):
        assert title in page
        assert title in text
    assert "cnn_mel_small: accuracy over severity" in text
    assert page.count("<svg") >= 2 * 5
    assert "Not the canonical protocol" in page


def test_the_same_results_give_the_same_bytes_of_pdf_and_page(copied):
    before = {name: (copied / name).read_bytes() for name in ("report.pdf", "report.html", "results_clean.json")}
    manifest = json.loads((copied / "manifest.json").read_text())
    write_results(copied, Manifest(**{**manifest, "split": Split(**manifest["split"]), "files": {}}))
    assert {name: (copied / name).read_bytes() for name in before} == before
    assert json.loads((copied / "manifest.json").read_text()) == manifest


# Verification


def changed_json(path: Path, change: Callable[[dict], None]) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def vouched(folder: Path, name: str) -> None:
    """A forger who also corrects the manifest's digest."""
    digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    changed_json(folder / "manifest.json", lambda data: data["files"].update({name: digest}))


def first(data: dict) -> dict:
    return data["models"][0]


def forge_figure(folder: Path) -> None:
    changed_json(folder / "results_clean.json", lambda d: first(d)["scores"]["nll"].update(value=0.001))
    vouched(folder, "results_clean.json")


def forge_interval(folder: Path) -> None:
    name = "results_corruptions.json"
    changed_json(folder / name, lambda d: first(d)["cells"][7]["scores"]["ece"].update(low=0.0))
    vouched(folder, name)


def forge_count(folder: Path) -> None:
    def change(data: dict) -> None:
        first(data)["classes"][1]["corrupted"]["lowpass"][2] += 1

    changed_json(folder / "per_class.json", change)
    vouched(folder, "per_class.json")


def forge_temperature(folder: Path) -> None:
    changed_json(folder / "calibration.json", lambda d: first(d).update(temperature=first(d)["temperature"] + 1e-6))
    vouched(folder, "calibration.json")


def forge_logits(folder: Path) -> None:
    place = folder / "logits" / "lr_mfcc.npz"
    with np.load(place) as arrays:
        found = dict(arrays)
    found["clipping-3"][0] += np.array([9, 0, 0], dtype=np.float32)
    np.savez_compressed(place, **found)
    vouched(folder, "logits/lr_mfcc.npz")


def lose_a_cell(folder: Path) -> None:
    place = folder / "logits" / "lr_mfcc.npz"
    with np.load(place) as arrays:
        found = {key: arrays[key] for key in arrays if key != "gain-5"}
    np.savez_compressed(place, **found)
    vouched(folder, "logits/lr_mfcc.npz")


def forge_page(folder: Path) -> None:
    page = folder / "report.html"
    page.write_text(page.read_text().replace("0.333", "0.999"))
    vouched(folder, "report.html")


def forge_table(folder: Path) -> None:
    changed_json(folder / "corruptions.json", lambda d: d["families"][0]["severities"].__setitem__(4, "10"))
    digest = hashlib.sha256((folder / "corruptions.json").read_bytes()).hexdigest()
    changed_json(folder / "manifest.json", lambda d: d.update(table_sha256=digest))
    vouched(folder, "corruptions.json")


FORGERIES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a figure": (forge_figure, "results_clean.json: models[lr_mfcc].scores.nll.value"),
    "an interval": (forge_interval, "results_corruptions.json: models[lr_mfcc].cells[lowpass].scores.ece.low"),
    "a count": (forge_count, "per_class.json: models[lr_mfcc].classes[middle].corrupted.lowpass[2]"),
    "a temperature": (forge_temperature, "calibration.json: models[lr_mfcc].temperature"),
    "a logit": (forge_logits, "metrics: results_corruptions.json"),
    "a lost cell": (lose_a_cell, "`gain-5` is missing"),
    "the page": (forge_page, "views: report.html"),
    "the table": (forge_table, "not the table `canonical_v1`"),
    "a file without its digest": (lambda f: (f / "calibration.json").write_text("{}"), "calibration.json: another SHA"),
    "a schema": (
        lambda f: changed_json(f / "per_class.json", lambda d: d.update(extra=1)),
        "schemas: per_class.json",
    ),
    "a missing file": (lambda f: (f / "report.pdf").unlink(), "report.pdf: missing"),
    "a file of nobody": (lambda f: (f / "notes.txt").write_text("x"), "notes.txt: not in the manifest"),
    "a canonical claim": (
        lambda f: changed_json(f / "manifest.json", lambda d: d.update(canonical=True, not_canonical=[])),
        "manifest: manifest.json: whether the run is canonical",
    ),
    "a digest of samples": (
        lambda f: changed_json(f / "manifest.json", lambda d: d["samples_sha256"].pop("mulaw-2")),
        "the samples of `mulaw-2`",
    ),
    "no manifest": (lambda f: (f / "manifest.json").write_text("[]"), "schemas: manifest.json"),
    "no archive": (lambda f: (f / "logits/lr_mfcc.npz").write_bytes(b"PK"), "cannot be computed"),
}


def test_what_is_as_it_was_is_verified_but_not_as_canonical(tracelab, copied):
    code, said = tracelab("verify", copied)
    assert code == 0, said
    assert "6 checks" in said
    assert said.rstrip().splitlines()[-1].startswith("verified, not the canonical protocol: it has not the classes")
    assert SEAL not in said


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forgery_is_named_and_there_is_no_seal(copied, what):
    forge, said = FORGERIES[what]
    forge(copied)
    found = check_run(copied)
    assert (found.verified, found.canonical, found.line) == (False, False, "NOT verified")
    faults = [f"{check.name}: {fault}" for check in found.checks for fault in check.faults]
    assert any(said in fault for fault in faults), faults


def test_the_command_names_a_change_and_exits_with_one(tracelab, copied):
    forge_figure(copied)
    code, said = tracelab("verify", copied)
    assert code == 1
    assert "changed: metrics: results_clean.json: models[lr_mfcc].scores.nll.value: stored 0.001" in said
    assert "something changed" in said.rstrip().splitlines()[-1]


@pytest.fixture(scope="module")
def canonical_run(tmp_path_factory) -> Path:
    """A run of the size of ESC-50 from logits that were drawn, as if one had been measured."""
    folder = tmp_path_factory.mktemp("canonical") / "run"
    rng = np.random.default_rng(1)
    labels = {f"labels_{split}": np.repeat(np.arange(50), 8).astype(np.int32) for split in ("validation", "test")}
    asked = [one.name for one in questions(cells(canonical()))]
    found = {name: (2 * rng.standard_normal((400, 50))).astype(np.float32) for name in asked}
    (folder / "logits").mkdir(parents=True)
    np.savez(folder / "logits" / "lr_mfcc.npz", **labels, **found)
    tried = {f"{number}-{split}": found[split] for number in range(len(readings())) for split in ("validation", "test")}
    np.savez(folder / "logits" / "explanation.npz", **labels, **tried, iterations=np.full(len(readings()), 50.0))
    split = Split(test=1, validation=2, training=[3, 4, 5], test_clips=400, validation_clips=400, training_clips=1200)
    manifest = Manifest(
        kind=KIND,
        canonical=True,
        not_canonical=[],
        corpus="esc50",
        corpus_sha256="0" * 64,
        table_sha256=canonical_digest(),
        seed=20260331,
        draws=DRAWS,
        split=split,
        classes=[f"class {number}" for number in range(50)],
        classifiers={"lr_mfcc": BUILT_IN["lr_mfcc"].key},
        samples_sha256=dict.fromkeys(asked, "0" * 64),
        versions={},
        machine="",
        seconds=0.0,
        files={},
    )
    write_results(folder, manifest)
    return folder


def test_the_seal_is_the_last_line_of_a_canonical_run_and_published_figures_stand_beside(tracelab, canonical_run):
    code, said = tracelab("verify", canonical_run)
    assert code == 0, said
    assert said.rstrip().splitlines()[-1] == "audioclaw_canonical_verified OK"
    table = (canonical_run / "tables" / "published.csv").read_text()
    assert "accuracy,0.225" in table
    assert "temperature,4.900" in table
    corrupted = (canonical_run / "tables" / "published-corruptions.csv").read_text().splitlines()
    assert len(corrupted) == 25
    assert corrupted[1].startswith("accuracy,gaussian_snr,1,0.208")
    assert corrupted[13].startswith("macro F1,gaussian_snr,1,0.181")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"corpus": "urbansound8k"}, "the corpus is urbansound8k"),
        ({"seed": 20260514}, "the seed is 20260514 and not 20260331"),
        ({"classes": ["a", "b"]}, "it has not the classes and clips of ESC-50"),
        ({"split": {"test": 2}}, "the test fold is 2"),
        ({"split": {"validation": 3}}, "the validation fold is 3"),
        ({"classifiers": {"lr_mfcc": {"iterations": 10}}}, "LR-MFCC is not among the classifiers"),
        ({"table_sha256": "1" * 64}, "the corruptions are not the canonical table"),
    ],
)
def test_every_departure_from_the_protocol_is_named(canonical_run, change, reason):
    data = stored(canonical_run, "manifest.json")
    assert not_canonical(Manifest(**{**data, "split": Split(**data["split"])})) == []
    split = Split(**{**data["split"], **change.pop("split", {})})
    assert not_canonical(Manifest(**{**data, **change, "split": split})) == [reason]


# Commands, layouts, bad input


def blocks(text: str) -> list[str]:
    found = re.findall(r"^ *```sh\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [line.strip() for block in found for line in block.splitlines()]


@pytest.mark.slow
def test_the_commands_of_the_guide_run_as_written(tracelab, corpus, tmp_path, monkeypatch):
    monkeypatch.setitem(BUILT_IN, "cnn_mel_small", CnnMelSmall(epochs=1))
    guide = (files("tracelab.robustness") / "SKILL.md").read_text()
    lines = blocks(guide)
    assert len(lines) == 2
    for line in lines:
        words = line.replace("CORPUS", str(corpus)).replace("RUN", str(tmp_path / "run")).split()
        assert words[0] == "tracelab"
        code, said = tracelab(*words[1:], *(["--workers", "1"] if "run-all" in words else []))
        assert code == 0, said
    assert (tmp_path / "run" / "SKILL.md").read_text() == guide
    named = set(re.findall(r"`([\w./*]+\.(?:json|html|pdf|npz))`", guide))
    for name in named - {"meta/esc50.csv"}:
        if "schema" not in name:
            assert list((tmp_path / "run").glob(name)), name


@pytest.mark.slow
def test_urbansound8k_and_another_rotation_run_under_the_same_harness(tracelab, tmp_path, own):
    corpus = urbansound8k(tmp_path / "urban")
    arguments = ("robustness", "run-all", corpus, "--classifier", "lr_mfcc", "--workers", 1)
    code, said = tracelab(*arguments, "--test-fold", 10, "--out", tmp_path / "run")
    assert code == 0, said
    assert "the corpus is urbansound8k" in said
    split = stored(tmp_path / "run", "manifest.json")["split"]
    assert (split["test"], split["validation"], split["training"]) == (10, 1, list(range(2, 10)))
    assert split["test_clips"] == 3
    assert tracelab("verify", tmp_path / "run")[0] == 0


def test_a_rotation_takes_the_next_fold_unless_another_is_named():
    layout = LAYOUTS["esc50"]
    assert [layout.rotation(test, None).validation for test in range(1, 6)] == [2, 3, 4, 5, 1]
    assert layout.rotation(1, 2).training == (3, 4, 5)
    for test, validation in [(0, 1), (6, None), (2, 2), (1, 9)]:
        with pytest.raises(tracepact.InvalidInput):
            layout.rotation(test, validation)


def spoiled(corpus: Path, tmp_path: Path, how: str) -> Path:
    copy = Path(shutil.copytree(corpus, tmp_path / "spoiled"))
    table, sound = copy / "meta" / "esc50.csv", copy / "audio" / "3-100-A-1.wav"
    text = table.read_text()
    match how:
        case "no table":
            table.unlink()
        case "no sound":
            sound.unlink()
        case "cut sound":
            sound.write_bytes(sound.read_bytes()[:30])
        case "no samples":
            soundfile.write(sound, np.zeros(0), 16000)
        case "no column":
            table.write_text(text.replace("category", "kind"))
        case "bad fold":
            table.write_text(text.replace(",3,", ",9,", 1))
        case "bad number":
            table.write_text(text.replace(",3,", ",three,", 1))
        case "two names":
            table.write_text(text.replace(",high,", ",tall,", 1))
        case "a gap":
            table.write_text(text.replace(",2,high", ",4,high"))
        case "no class":
            table.write_text("".join(line for line in text.splitlines(True) if not re.search(r",[345],2,high", line)))
        case "two classes":
            table.write_text("".join(line for line in text.splitlines(True) if ",2,high" not in line))
        case "empty":
            table.write_text(text.splitlines()[0] + "\n")
    return copy


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("no table", "no corpus of a known layout"),
        ("no sound", "3-100-A-1.wav"),
        ("cut sound", "3-100-A-1.wav"),
        ("no samples", "no samples"),
        ("no column", "no column `category`"),
        ("bad fold", "there is no fold 9"),
        ("bad number", "'three'"),
        ("two names", "two names"),
        ("a gap", "have a gap"),
        ("no class", "the class `high` has no training clip"),
        ("two classes", "fewer than 3 classes"),
        ("empty", "is empty"),
    ],
)
def test_a_corpus_that_is_wrong_is_refused_with_its_place(tracelab, corpus, tmp_path, how, said):
    place = spoiled(corpus, tmp_path, how)
    code, printed = tracelab(
        "robustness", "run-all", place, "--classifier", "lr_mfcc", "--workers", 1, "--out", tmp_path / "run"
    )
    assert code == 2, printed
    assert said in re.sub(r"\s+", " ", printed), printed
    assert how in ("cut sound", "no samples") or not (tmp_path / "run").exists()
    assert not (tmp_path / "run" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nobody", "there is no classifier `nobody`"),
        ("missing.py", "the file does not exist"),
        ("{own}:absent", "cannot be loaded"),
        ("{own}:broken", "out of order"),
        ("{own}:narrow", "shape (2,)"),
        ("{own}:endless", "not finite"),
    ],
)
def test_a_classifier_that_is_wrong_is_refused(tracelab, corpus, own, tmp_path, source, said):
    code, printed = tracelab(
        *("robustness", "run-all", corpus, "--classifier", source.format(own=own)),
        *("--workers", 1, "--out", tmp_path / "run"),
    )
    assert code == 2, printed
    assert said in re.sub(r"\s+", " ", printed), printed


def test_other_settings_a_repeated_classifier_and_a_wrong_fold_are_refused(tracelab, corpus, own, tmp_path):
    (tmp_path / "settings.json").write_text("{}")
    base = ("robustness", "run-all", corpus, "--workers", 1, "--classifier", "lr_mfcc")
    for more, said in [
        (("--out", tmp_path), "other settings"),
        (("--out", tmp_path / "x", "--classifier", "lr_mfcc"), "two classifiers are called `lr_mfcc`"),
        (("--out", tmp_path / "x", "--test-fold", 6), "the test fold is 6"),
        (("--out", tmp_path / "x", "--validation-fold", 1), "fold 1 tests and validates"),
    ]:
        code, printed = tracelab(*base, *more)
        assert (code, said in printed) == (2, True), printed


def test_a_missing_extra_is_said_with_the_way_out(tracelab, corpus, copied, monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "librosa" else object())
    for arguments in (("robustness", "run-all", corpus, "--out", copied / "x"), ("verify", copied)):
        code, printed = tracelab(*arguments)
        assert code == 2
        assert "pip install 'tracepact[robustness]'" in printed


def test_a_full_disk_is_named_and_nothing_half_written_is_left(tracelab, corpus, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    arguments = ("robustness", "run-all", corpus, "--classifier", "lr_mfcc", "--workers", 1, "--out", tmp_path / "run")
    resource.setrlimit(resource.RLIMIT_FSIZE, (1500, hard))
    try:
        code, said = tracelab(*arguments)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert code == 4, said
    assert "Traceback" not in said
    assert str(tmp_path / "run") in said
    assert not list((tmp_path / "run").rglob("*.part"))
    assert not (tmp_path / "run" / "manifest.json").exists()
    assert tracelab(*arguments)[0] == 0, "the same command goes on"


def test_one_sound_is_written_as_a_run_hears_it(tracelab, corpus, tmp_path):
    place = corpus / "audio" / "1-100-A-1.wav"
    options = ("--severity", 3, "--index", 4, "--seed", 9, "--out", tmp_path / "x.wav")
    code, said = tracelab("robustness", "corrupt", place, "--family", "gaussian_snr", *options)
    assert code == 0, said
    heard, rate = soundfile.read(tmp_path / "x.wav", dtype="int16")
    clean, _ = soundfile.read(place, dtype="float32")
    wanted = corrupt(clean, GridCell("gaussian_snr", 3), seed=9, index=4)
    assert (rate, heard.tolist()) == (16000, np.round(wanted * 32767).astype(int).tolist())
    code, said = tracelab("robustness", "corrupt", place, "--family", "echo", *options)
    assert (code, "no family `echo`" in said) == (2, True)
    code, said = tracelab("robustness", "corruptions")
    assert code == 0
    assert "silence_edge" in said


def test_an_entry_point_is_a_classifier(monkeypatch):
    class Point:
        name, value, dist = "theirs", "somewhere:logits", None

        def load(self):
            return lambda samples, rate: [1.0, 2.0]

    monkeypatch.setattr(
        classifiers, "entry_points", lambda group, name=None: [Point()] if name in (None, "theirs") else []
    )
    found = open_classifier("theirs")
    logits = found.ready({}, ClassifierTraining((), 2, 1))
    assert logits(np.zeros(4)).tolist() == [1.0, 2.0]
    with pytest.raises(tracepact.InvalidInput, match="no classifier `other`"):
        open_classifier("other")


def test_another_recipe_is_another_key():
    keys = {json.dumps(one.key, sort_keys=True) for one in BUILT_IN.values()}
    assert len(keys) == 3
    changed = replace(BUILT_IN["lr_mfcc"], iterations=900)  # type: ignore[type-var]
    assert json.dumps(changed.key, sort_keys=True) not in keys
