"""`verify`: an untouched run holds; every changed byte, score and input is named."""

import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from cli.command import events, run, write
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from strategies import sized

from score.runs import small_run
from tracepact.declarations import spec_path
from tracepact.files import json_text, write_whole
from tracepact.runs import originals
from tracepact.runs.directory import write_run
from tracepact.runs.manifest import digest, manifest_faults, self_digest
from tracepact.runs.verification import verify_run

SCHEMAS = {name: json.loads(spec_path(f"schemas/{name}.schema.json").read_text()) for name in ("verify", "diagnostics")}
REGISTRY: Registry[Any] = Registry().with_resources(
    (f"{n}.schema.json", Resource.from_contents(s)) for n, s in SCHEMAS.items()
)
FEWER = settings(max_examples=max(sized(20), settings().max_examples // 5))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("store") / "run"
    return {path.name: path.read_bytes() for path in write_run(small_run(), folder)}


def put(files: dict[str, bytes], folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    write(folder, files)
    return folder


def resealed(files: dict[str, bytes]) -> dict[str, bytes]:
    """The same files under a manifest that knows them."""
    manifest = json.loads(files["manifest.json"])
    for item in manifest["files"]:
        data = files[item["name"]]
        item["bytes"], item["sha256"] = len(data), digest(data)
    manifest["sha256"] = self_digest(manifest)
    return {**files, "manifest.json": json_text(manifest).encode()}


def test_an_untouched_run_holds(written: dict[str, bytes], tmp_path: Path) -> None:
    found = verify_run(put(written, tmp_path / "run"))
    assert found.holds
    assert (found.checked.files, found.checked.scores) == (len(written), 2 * 2 * 4)
    assert found.made_with == found.checked_with


def as_first_written(files: dict[str, bytes]) -> dict[str, bytes]:
    """A run directory as the first version wrote it: its violations are called witnesses."""
    names = {"violations.csv": "witnesses.csv"}
    manifest = json.loads(files["manifest.json"])
    for item in manifest["files"]:
        item["name"] = names.get(item["name"], item["name"])
    report = json.loads(files["report.json"])
    old = {"witnesses" if key == "violations" else key: value for key, value in report.items()}
    renamed = {names.get(name, name): data for name, data in files.items()}
    return resealed({**renamed, "report.json": json_text(old).encode(), "manifest.json": json_text(manifest).encode()})


def test_a_run_that_calls_its_violations_witnesses_is_read_as_before(written: dict[str, bytes], tmp_path: Path) -> None:
    files = as_first_written(written)
    assert verify_run(put(files, tmp_path / "run")).holds
    assert run("report", "run", "--format", "text", folder=tmp_path).out == written["report.txt"].decode()
    first, rest = files["witnesses.csv"].split(b"\n", 1)
    changed = resealed({**files, "witnesses.csv": first + b"\n" + rest.replace(b",onset,", b",plain,", 1)})
    drifts = verify_run(put(changed, tmp_path / "changed")).drifts
    assert [(drift.kind, drift.file) for drift in drifts] == [("rows", "witnesses.csv")]


@pytest.mark.parametrize("preparation", [{}, {"reference": 1}, {"reference": {}, "prediction": {}, "label_map": None}])
def test_a_preparation_nobody_wrote_is_refused(
    preparation: dict[str, Any], written: dict[str, bytes], tmp_path: Path
) -> None:
    manifest = json.loads(written["manifest.json"])
    manifest["settings"]["preparation"] = preparation
    put(resealed({**written, "manifest.json": json_text(manifest).encode()}), tmp_path / "run")
    assert run("verify", "run", folder=tmp_path).codes == ["broken-run"]
    assert run("report", "run", "--format", "text", folder=tmp_path).codes == ["broken-run"]


@pytest.mark.parametrize("change", [{"vector": []}, {"logic": None}, {"violations": 3}, {"more": 1}])
def test_a_report_of_another_form_is_refused(change: dict[str, Any], written: dict[str, bytes], tmp_path: Path) -> None:
    report = json_text({**json.loads(written["report.json"]), **change}).encode()
    put(resealed({**written, "report.json": report}), tmp_path / "run")
    assert run("report", "run", "--format", "text", folder=tmp_path).codes == ["broken-run"]
    assert run("verify", "run", folder=tmp_path).code == 1


@FEWER
@given(choice=st.data())
def test_every_flipped_byte_is_named_by_its_file(
    choice: st.DataObject, written: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    name = choice.draw(st.sampled_from(sorted(written)))
    at = choice.draw(st.integers(0, len(written[name]) - 1))
    flipped = bytearray(written[name])
    flipped[at] ^= 1 << choice.draw(st.integers(0, 7))
    folder = put({**written, name: bytes(flipped)}, tmp_path_factory.mktemp("flipped") / "run")
    outcome = run("verify", "run", folder=folder.parent)
    assert name in outcome.out + outcome.err
    if outcome.code == 2:
        assert name == "manifest.json"  # so broken that nothing can be said of the rest
        assert outcome.codes == ["broken-run"]
    else:
        assert outcome.code == 1
        assert any(d.kind == "file" and d.file == name for d in verify_run(folder).drifts)


def test_every_flipped_bit_of_the_manifest_is_found(written: dict[str, bytes]) -> None:
    """Its own digest covers what no other digest does; one bit of each byte, and every bit of some."""
    whole = written["manifest.json"]
    assert manifest_faults(whole.decode())[1] is None
    for at in range(len(whole)):
        for bit in range(8) if at % 97 == 0 else (at % 7,):
            flipped = bytes([*whole[:at], whole[at] ^ 1 << bit, *whole[at + 1 :]])
            assert manifest_faults(flipped.decode(errors="replace"))[1] is not None, (at, bit)
    for other in (b"\t", b"\r", b"  "):  # means the same to a reader of JSON
        assert manifest_faults(whole.replace(b"\n", other, 1).decode())[1] is not None


@pytest.mark.parametrize("cut", [0, 1, -1])
def test_every_file_that_is_missing_or_cut_is_named(cut: int, written: dict[str, bytes], tmp_path: Path) -> None:
    for name in sorted(written.keys() - {"manifest.json"}):
        files = {**written, name: written[name][:cut] if cut else b""}
        folder = put(files, tmp_path / f"cut-{name}")
        assert [d.file for d in verify_run(folder).drifts if d.kind == "file"] == [name]
        (folder / name).unlink()
        (drift,) = (d for d in verify_run(folder).drifts if d.kind == "file")
        assert (drift.file, drift.new) == (name, "no such file or directory")


def test_a_score_row_that_does_not_come_out_is_named_with_clause_clip_and_class(
    written: dict[str, bytes], tmp_path: Path
) -> None:
    lines = written["scores.csv"].decode().splitlines(keepends=True)
    (index,) = (i for i, line in enumerate(lines) if line.startswith("a.wav,y,onset,"))
    assert lines[index] == "a.wav,y,onset,0,1,0,0.000000,false\n"
    lines[index] = "a.wav,y,onset,1,1,1,1.000000,false\n"
    folder = put(resealed({**written, "scores.csv": "".join(lines).encode()}), tmp_path / "run")
    found = verify_run(folder)
    (drift,) = (d for d in found.drifts if d.kind == "score")
    assert (drift.clause, drift.clip, drift.label, drift.old, drift.new) == ("onset", "a.wav", "y", "1/1", "0/1")
    assert not [d for d in found.drifts if d.kind == "file"]
    outcome = run("verify", "run", folder=tmp_path)
    assert outcome.code == 1
    assert "scores.csv: onset · a.wav · y: stored 1/1, computed again 0/1" in outcome.out


def test_an_event_that_was_moved_shows_in_the_scores_it_changes(written: dict[str, bytes], tmp_path: Path) -> None:
    table = written["prediction.tsv"].replace(b"a.wav\t5\t", b"a.wav\t4\t")
    assert table != written["prediction.tsv"]
    found = verify_run(put(resealed({**written, "prediction.tsv": table}), tmp_path / "run"))
    changed = {(d.clause, d.clip, d.label) for d in found.drifts if d.kind == "score"}
    assert ("onset", "a.wav", "y") in changed
    assert {(clip, label) for _, clip, label in changed} == {("a.wav", "y")}
    assert {d.kind for d in found.drifts} == {"score", "rows", "report"}


def test_a_report_that_says_something_else_is_named_by_its_part(written: dict[str, bytes], tmp_path: Path) -> None:
    report = json.loads(written["report.json"])
    report["logic"]["pooled"]["value"] = "1"
    folder = put(resealed({**written, "report.json": json_text(report).encode()}), tmp_path / "run")
    (drift,) = verify_run(folder).drifts
    assert (drift.kind, drift.file, drift.old) == ("report", "report.json logic.pooled.value", '"1"')


def test_another_contract_is_named(written: dict[str, bytes], tmp_path: Path) -> None:
    source = written["source.contract"].replace(b"param tol = 1f", b"param tol = 2f")
    found = verify_run(put(resealed({**written, "source.contract": source}), tmp_path / "run"))
    assert [(d.file, d.kind) for d in found.drifts][:2] == [
        ("manifest.json", "contract"),
        ("contract.contract", "contract"),
    ]


def test_tables_that_cannot_be_scored_are_said_and_do_not_hold(written: dict[str, bytes], tmp_path: Path) -> None:
    broken = written["reference.tsv"].replace(b"\t3.25\t", b"\tsoon\t")
    found = verify_run(put(resealed({**written, "reference.tsv": broken}), tmp_path / "run"))
    assert not found.holds
    assert [d.code for d in found.diagnostics] == ["broken-run"]


# The command


TABLES = {
    "ref.tsv": events("a 0.5 3.25 x", "a 4 9 y"),
    "pred.tsv": events("a 0 1 x", "a 2 3 x", "a 5 10 y"),
}
SCORE = ("score", "boundary_gate", "--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "12", "--out", "run")


def verification(folder: Path, *more: str) -> tuple[int, dict[str, Any]]:
    outcome = run("verify", "run", "--originals", ".", "--format", "json", *more, folder=folder)
    data = json.loads(outcome.out)
    Draft202012Validator(SCHEMAS["verify"], registry=REGISTRY).validate(data)
    return outcome.code, data


def test_the_command_says_what_became_of_the_originals(tmp_path: Path) -> None:
    write(tmp_path, TABLES)
    assert run(*SCORE, folder=tmp_path).code == 0
    code, data = verification(tmp_path, "--complete")
    assert (code, data["holds"]) == (0, True)
    assert [item["state"] for item in data["originals"]] == ["same", "same"]
    (tmp_path / "ref.tsv").unlink()
    write(tmp_path, {"pred.tsv": events("a 0 1 x")})
    code, data = verification(tmp_path)
    assert (code, [item["state"] for item in data["originals"]]) == (0, ["not found", "changed"])
    assert verification(tmp_path, "--complete")[0] == 1


def test_a_folder_of_scores_is_known_again(tmp_path: Path) -> None:
    """Decoding and label map are recorded; the run is computed again from what came out of them."""
    rows = "".join(f"{t / 10}\t{(t + 1) / 10}\t{0.9 if 5 < t < 20 else 0.1}\t0.2\n" for t in range(50))
    for clip in "ab":
        (tmp_path / "scores").mkdir(exist_ok=True)
        write(tmp_path / "scores", {f"{clip}.tsv": f"onset\toffset\tdog\tcat\n{rows}"})
    write(
        tmp_path,
        {
            "ref.tsv": events("a 0.5 2 dog", "b 1 2 cat"),
            "map.toml": '[merge]\npet = ["cat", "dog"]\n',
        },
    )
    decoded = ("--pred", "scores", "--threshold", "0.5", "--label-map", "map.toml")
    scored = ("score", "boundary_gate", "--ref", "ref.tsv", *decoded, "--durations", "5", "--out", "run")
    outcome = run(*scored, folder=tmp_path)
    assert outcome.code == 0, outcome.err
    code, data = verification(tmp_path, "--complete")
    assert (code, {item["role"]: item["state"] for item in data["originals"]}) == (
        0,
        {"reference": "same", "prediction": "same", "label_map": "same"},
    )
    write(tmp_path / "scores", {"a.tsv": f"onset\toffset\tdog\tcat\n{rows[:-1]}"})
    states = [item["state"] for item in verification(tmp_path)[1]["originals"]]
    assert states == ["same", "changed", "same"]


def test_the_command_prints_drift_in_its_schema_and_exits_with_one(tmp_path: Path) -> None:
    write(tmp_path, TABLES)
    run(*SCORE, folder=tmp_path)
    write(tmp_path / "run", {"prediction.tsv": b"filename\tonset\n", "more.txt": "mine"})
    code, data = verification(tmp_path)
    assert code == 1
    assert [d["file"] for d in data["drifts"]] == ["prediction.tsv"]
    assert [d["code"] for d in data["diagnostics"]] == ["broken-run"]
    assert data["unlisted"] == ["more.txt"]
    for key in data:
        without = {k: v for k, v in data.items() if k != key}
        assert not Draft202012Validator(SCHEMAS["verify"], registry=REGISTRY).is_valid(without)


def test_a_folder_that_is_no_run_is_invalid_input(tmp_path: Path) -> None:
    outcome = run("verify", ".", folder=tmp_path)
    assert (outcome.code, outcome.codes) == (2, ["not-a-run"])


def test_strict_says_that_originals_are_missing(tmp_path: Path) -> None:
    write(tmp_path, {"r.tsv": events("a 1 2 x"), "p.tsv": events("a 1 2 x"), "d.tsv": "filename\tduration\na\t5\n"})
    data = ("--ref", "r.tsv", "--pred", "p.tsv", "--durations", "d.tsv", "--out", "run")
    assert "replaced" not in run("score", "boundary_gate", *data, folder=tmp_path).err
    assert "replaced the run of boundary_gate on p.tsv" in run("score", "boundary_gate", *data, folder=tmp_path).err
    assert run("verify", "run", "--complete", "--originals", ".", folder=tmp_path).code == 0
    (tmp_path / "p.tsv").unlink()
    assert run("verify", "run", "--originals", ".", folder=tmp_path).code == 0
    outcome = run("verify", "run", "--complete", "--originals", ".", folder=tmp_path)
    assert (outcome.code, outcome.out.splitlines()[-1]) == (
        1,
        "drifted (--complete): 1 of 3 originals changed or not found",
    )
    (tmp_path / "run" / "reference.tsv").write_text("nothing of the kind\n")
    assert "`tracepact verify`" not in run("verify", "run", folder=tmp_path).err


def scored_in(folder: Path, *more: str) -> None:
    write(folder, TABLES)
    assert run(*SCORE, *more, folder=folder).code == 0


def states(folder: Path, *places: Path | str) -> list[str]:
    return [one.state for one in verify_run(folder / "run", originals=[str(place) for place in places]).originals]


def test_originals_that_nobody_named_are_not_compared_and_no_drift(tmp_path: Path) -> None:
    scored_in(tmp_path)
    outcome = run("verify", "run", folder=tmp_path)
    assert (outcome.code, outcome.out.count(": not compared")) == (0, 2)
    assert "--originals DIR" in outcome.out
    assert {one.state for one in verify_run(tmp_path / "run").originals} == {"not compared"}
    strict = run("verify", "run", "--complete", folder=tmp_path)
    assert (strict.code, "2 of 2 originals not compared" in strict.out) == (1, True)


def test_originals_are_found_by_their_names_below_what_was_named(tmp_path: Path) -> None:
    """By the recorded name, else by the base name whose path has most of it in common; two as near are not compared."""
    scored_in(tmp_path)
    moved = tmp_path / "elsewhere"
    for folder in ("a/x", "b"):
        (moved / folder).mkdir(parents=True)
    write(moved / "a" / "x", TABLES)
    assert states(tmp_path, moved) == ["same", "same"]
    assert states(tmp_path, moved / "b", moved / "a") == ["same", "same"]
    assert states(tmp_path, moved / "b") == ["not found", "not found"]
    write(moved / "b", {"ref.tsv": "another"})
    assert states(tmp_path, moved) == ["not compared", "same"], "nothing says which of two it is"
    write(moved, {"ref.tsv": "a third"})
    assert states(tmp_path, moved) == ["changed", "same"], "the recorded name itself comes first"


def test_of_several_files_the_one_nearest_to_the_recorded_name_is_compared(tmp_path: Path) -> None:
    for folder in ("data/ref", "data/pred", "moved/data/ref", "moved/data/pred"):
        (tmp_path / folder).mkdir(parents=True)
    for root in ("data", "moved/data"):
        write(tmp_path / root / "ref", {"t.tsv": TABLES["ref.tsv"]})
        write(tmp_path / root / "pred", {"t.tsv": TABLES["pred.tsv"]})
    sides = ("--ref", str(tmp_path / "data/ref/t.tsv"), "--pred", "data/pred/t.tsv", "--durations", "12")
    assert run("score", "boundary_gate", *sides, "--out", "run", folder=tmp_path).code == 0
    assert states(tmp_path, tmp_path / "moved") == ["same", "same"]


def test_links_that_lead_out_of_the_originals_and_pipes_are_not_compared(tmp_path: Path) -> None:
    scored_in(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "ref.tsv").symlink_to(tmp_path / "ref.tsv")
    os.mkfifo(tmp_path / "data" / "pred.tsv")
    assert states(tmp_path, tmp_path / "data") == ["not compared", "not compared"]
    (tmp_path / "data" / "ref.tsv").unlink()
    write(tmp_path / "data", {"there.tsv": TABLES["ref.tsv"]})
    (tmp_path / "data" / "ref.tsv").symlink_to("there.tsv")
    assert states(tmp_path, tmp_path / "data") == ["same", "not compared"], "a link that stays inside is followed"


@pytest.mark.parametrize("limit", ["_MOST_ENTRIES", "_MOST_BYTES", "_MOST_SECONDS"])
def test_what_is_looked_at_and_read_of_originals_is_bounded(
    limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored_in(tmp_path)
    (tmp_path / "data" / "more").mkdir(parents=True)
    write(tmp_path / "data" / "more", TABLES)
    assert states(tmp_path, tmp_path / "data") == ["same", "same"]
    monkeypatch.setattr(originals, limit, -1)
    assert states(tmp_path, tmp_path / "data") == ["not compared", "not compared"]


@pytest.mark.parametrize("place", ["nowhere", "ref.tsv", "file:///", "simplecache::file:///"])
def test_originals_below_what_is_no_folder_are_refused(place: str, tmp_path: Path) -> None:
    scored_in(tmp_path)
    outcome = run("verify", "run", "--originals", place, folder=tmp_path)
    assert (outcome.code, outcome.codes) == (2, ["unreadable-file"])


def test_an_address_is_compared_only_below_one_that_was_named(tmp_path: Path) -> None:
    """Addresses of the memory of this process stand for those of a store."""
    fsspec = pytest.importorskip("fsspec")
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    columns = {"filename": ["a"], "onset": [1.0], "offset": [2.0], "event_label": ["x"]}
    with fsspec.open("memory://bucket/data/ref.parquet", "wb") as file:
        pq.write_table(pa.table(columns), file)
    address = "memory://bucket/data/ref.parquet"
    sides = ("--ref", address, "--pred", address, "--durations", "12")
    assert run("score", "boundary_gate", *sides, "--out", "run", folder=tmp_path).code == 0
    assert states(tmp_path, "memory://bucket/data") == ["same", "same"]
    assert states(tmp_path, address) == ["same", "same"]
    assert states(tmp_path, "memory://bucket/dat", tmp_path) == ["not compared", "not compared"]
    with patch.object(originals, "open_dataset", side_effect=AssertionError("it was opened")):
        for name in ("..", "x::memory://bucket/data", "%2e%2e/x", "x?y"):
            manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
            for item in manifest["inputs"]:
                item["name"] = f"memory://bucket/data/{name}"
            manifest["sha256"] = self_digest(manifest)
            write(tmp_path / "run", {"manifest.json": json_text(manifest)})
            assert states(tmp_path, "memory://bucket/data") == ["not compared", "not compared"]


def test_a_run_in_batches_is_scored_again_from_the_originals_that_were_named(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    scored_in(tmp_path, "--engine", "local", "--page")
    unnamed = run("verify", "run", folder=tmp_path)
    assert (unnamed.code, "ref.tsv (reference) was not compared" in unnamed.out) == (3, True)
    assert "--originals DIR" in unnamed.out
    (tmp_path / "data").mkdir()
    for name in TABLES:
        (tmp_path / name).rename(tmp_path / "data" / name)
    named = run("verify", "run", "--originals", "data", folder=tmp_path)
    assert (named.code, "scores of the run are as they were" in named.out) == (0, True), named.out
    write(tmp_path / "data", {"ref.tsv": events("a 0 1 x")})
    again = run("verify", "run", "--originals", "data", folder=tmp_path)
    assert (again.code, "ref.tsv (reference) is not as it was" in again.out) == (3, True)


def test_what_cannot_be_written_is_named_by_its_own_path(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for place in (tmp_path / "there", tmp_path / "nowhere" / "x"):
        with pytest.raises((IsADirectoryError, FileNotFoundError)) as refused:
            write_whole({tmp_path / "good": "1", place: "2"})
        assert refused.value.filename == str(place)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
